"""A driver that is a small neural network, trained by imitation of another one.

A multilayer perceptron with tanh between its layers gives the steer angle of the front wheels from what a driver sees
at its speed V,

    inputs:  y_k / (V t_k) for places of the path t_k seconds ahead (to the left of the car),   v_y / V,   r,   V,

each less its mean, over its deviation.  It learns the teacher's angles by least squares on drives of the linear
single-track car along random lane changes with gusts on the hand, which bring it where the teacher alone would not
come; in further rounds the network drives and the teacher states what it would have done (DAgger: S. Ross, G. Gordon,
D. Bagnell, AISTATS 2011, 627; gusts as in M. Laskey et al., CoRL 2017).
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import Any

import numpy as np

from .._jit import jit
from .._summary import Summary
from ..model import ModelError
from ..model.base import shown
from ..model.bounded_file import read_bounded
from .drivers import Driver, Observation, Path, ahead_of, checked, course_matrix
from .template import number_of

FORMAT = "holonom-driver-network-1"
MOST_BYTES = 4_000_000
WIDEST, DEEPEST = 512, 8
SPEEDS = (8.0, 32.0)  # m/s of the drives that it learns from
BESIDE = 3  # inputs in addition to those of the path
STEP = 0.02  # s between samples of a drive
KEPT = 3  # of so many samples of a drive one is learnt: neighbours are alike
LOST = 6.0  # m next to the path where a drive of the training ends


@jit(entry="float64[::1], int64[::1], float64[::1], float64[::1], float64[::1]")
def evaluate(x, sizes, numbers, a, b):
    """Output (angle) of the network for scaled inputs x; sizes: of all layers; numbers: weights (by rows) and bias of
    each layer in turn; a, b: room for the widest."""
    for k in range(sizes[0]):
        a[k] = x[k]
    at = 0
    last = sizes.shape[0] - 1
    for layer in range(last):
        n, m = sizes[layer], sizes[layer + 1]
        for i in range(m):
            s = numbers[at + m * n + i]
            for j in range(n):
                s += numbers[at + i * n + j] * a[j]
            b[i] = s if layer == last - 1 else math.tanh(s)
        for i in range(m):
            a[i] = b[i]
        at += m * n + m
    return a[0]


@dataclass
class Network(Summary):
    """Layers of a perceptron and the scales of its inputs and output.  ``weights``: (m, n) arrays, ``biases``: (m,);
    ``mean``, ``deviation`` (n,) of the inputs;
    ``scale``: of the output [rad]; ``times`` [s] of the path ahead; ``speeds`` [m/s]: between which it was trained;
    ``teacher``, ``car``: words."""

    weights: list[np.ndarray]
    biases: list[np.ndarray]
    mean: np.ndarray
    deviation: np.ndarray
    scale: float
    times: np.ndarray
    speeds: tuple[float, float] = SPEEDS
    teacher: str = ""
    car: str = ""
    _compiled: tuple = field(default=(), repr=False)

    def angle(self, inputs: np.ndarray) -> float:
        """Steer angle of the front wheels [rad] from inputs (n,); compiled."""
        if not self._compiled:
            sizes = np.array([self.weights[0].shape[1], *(len(b) for b in self.biases)], np.int64)
            numbers = np.concatenate([np.concatenate([w.ravel(), b]) for w, b in zip(self.weights, self.biases)])
            self._compiled = sizes, numbers, np.zeros(int(sizes.max())), np.zeros(int(sizes.max()))
        return self.scale * evaluate((inputs - self.mean) / self.deviation, *self._compiled)

    def many(self, inputs: np.ndarray) -> np.ndarray:
        """Angles (k,) [rad] from inputs (k, n)."""
        x = (inputs - self.mean) / self.deviation
        for k, (w, b) in enumerate(zip(self.weights, self.biases)):
            x = x @ w.T + b
            x = x if k == len(self.weights) - 1 else np.tanh(x)
        return self.scale * x[:, 0]

    def save(self, path: str | FilePath) -> FilePath:
        """Write the file (docs/vehicle.md states what is in it).  Raises ModelError where it cannot be written."""
        rows = lambda a: [[float(f"{v:.9g}") for v in r] for r in np.atleast_2d(a)]
        data = {
            "format": FORMAT,
            "teacher": self.teacher,
            "car": self.car,
            "activation": "tanh",
            "times": rows(self.times)[0],
            "speeds": list(self.speeds),
            "mean": rows(self.mean)[0],
            "deviation": rows(self.deviation)[0],
            "scale": float(f"{self.scale:.9g}"),
            "layers": [{"weights": rows(w), "bias": rows(b)[0]} for w, b in zip(self.weights, self.biases)],
        }
        try:
            FilePath(path).write_text(json.dumps(data, separators=(",", ":")) + "\n", encoding="utf-8")
        except OSError as error:
            raise ModelError(f"'{path}' cannot be written: {error.strerror}") from None
        return FilePath(path)


def read_network(path: str | FilePath) -> Network:
    """A network from its file.  Raises ModelError, one sentence, for an invalid file."""
    fault = lambda why: ModelError(f"{path}: {why}; give a file that 'holonom vehicle train' or Network.save wrote")
    try:
        data = json.loads(read_bounded(FilePath(path), MOST_BYTES, "a network of a driver is not"))
    except (ValueError, RecursionError) as error:
        if isinstance(error, ModelError):
            raise
        raise fault("this is not valid JSON") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise fault(f"this is not a network of a driver (format {FORMAT})")

    def array_of(value: Any, what: str, shape: tuple[int, ...]) -> np.ndarray:
        try:
            found = np.asarray(value, float)
        except (TypeError, ValueError):
            found = np.zeros(0)
        if found.shape != shape or not np.isfinite(found).all():
            raise fault(f"{what} is not {' x '.join(map(str, shape))} finite numbers")
        return found

    layers = data.get("layers")
    times = data.get("times")
    if (
        not isinstance(layers, list)
        or not 1 <= len(layers) <= DEEPEST
        or not isinstance(times, list)
        or not 1 <= len(times) <= WIDEST
    ):
        raise fault("it has no layers or no times")
    n = len(times) + BESIDE
    weights, biases = [], []
    for k, layer in enumerate(layers):
        bias = layer.get("bias") if isinstance(layer, dict) else None
        m = len(bias) if isinstance(bias, list) else 0
        if not 1 <= m <= WIDEST or (k == len(layers) - 1 and m != 1):
            raise fault(f"layer {k + 1} has no bias of 1 to {WIDEST} numbers (the last: one)")
        weights.append(
            array_of(layer.get("weights"), f"weights of layer {k + 1}", (m, n if k == 0 else len(biases[-1])))
        )
        biases.append(array_of(bias, f"bias of layer {k + 1}", (m,)))
    deviation = array_of(data.get("deviation"), "deviation", (n,))
    at = array_of(times, "times", (len(times),))
    scale = array_of([data.get("scale")], "scale", (1,))
    if not (deviation > 0.0).all() or not (at > 0.0).all() or not scale[0] > 0.0 or not (np.diff(at) > 0.0).all():
        raise fault("deviation, scale and times must be positive, times rising")
    speeds = array_of(data.get("speeds"), "speeds", (2,))
    return Network(
        weights,
        biases,
        array_of(data.get("mean"), "mean", (n,)),
        deviation,
        float(scale[0]),
        at,
        (float(speeds[0]), float(speeds[1])),
        str(data.get("teacher", ""))[:80],
        str(data.get("car", ""))[:80],
    )


@dataclass
class NetworkDriver(Driver):
    """Steers by a ``network`` (`Network`, or the path of its file; default: the one shipped with Holonom, trained for
    the sedan)."""

    network: Any = None

    def __post_init__(self) -> None:
        if self.network is None:
            self.network = read_network(FilePath(__file__).parent / "data" / "sedan_driver.json")
        elif not isinstance(self.network, Network):
            self.network = read_network(self.network)

    def wish(self, path: Path, o: Observation) -> float:
        """See the class; radians."""
        return o.ratio * self.network.angle(inputs_of(path, o, self.network.times))


def inputs_of(path: Path, o: Observation, times: np.ndarray) -> np.ndarray:
    """What the network sees: (len(times) + 3,)."""
    V = max(o.speed, 1.0)
    s, _, _ = path.locate(o.x, o.y)
    return np.array([*(ahead_of(path, o, s, V * times) / (V * times)), math.sin(o.sideslip), o.yaw_rate, V])


# ---- training --------------------------------------------------------------------------------------------------------
@dataclass
class Training(Summary):
    """Result of `train`: the ``network``; ``samples``; ``error`` [rad]: root mean square error of the angle for
    validation samples, ``relative``: relative to the teacher's angles; ``beside`` [m]: largest deviation of its path
    from the teacher's in ``drives`` validation lane changes."""

    network: Network
    samples: int
    error: float
    relative: float
    beside: float
    drives: int

    def text(self) -> str:
        """As text."""
        return (
            f"{self.network.car}: network of "
            f"{sum(w.size + b.size for w, b in zip(self.network.weights, self.network.biases))} numbers after "
            f"{self.network.teacher}, "
            f"{self.samples} samples: angle {math.degrees(self.error):.3g} deg ({100 * self.relative:.2g} % of the "
            "teacher's) at samples kept back; "
            f"its path within {self.beside:.3g} m of the teacher's on {self.drives} lane changes kept back (linear car)"
        )


def train(
    car: Any,
    teacher: Driver,
    *,
    hidden: tuple[int, ...] = (24, 16),
    drives: int = 50,
    rounds: int = 2,
    preview: float = 1.0,
    points: int = 10,
    speeds: tuple[float, float] = SPEEDS,
    seed: int = 1,
    name: str = "",
) -> Training:
    """Train a network to steer a `SingleTrack` car as ``teacher`` does.

    ``hidden``: sizes of the hidden layers; ``drives`` per round; ``rounds``: after the first one the network drives;
    ``preview`` [s] and ``points`` of the path ahead; ``speeds`` [m/s]. The same ``seed`` gives the same network (on
    one machine). Raises ModelError for sizes out of bounds."""
    teacher = checked(teacher)
    number_of(preview, "preview", positive=True)
    for word, value, most in (("drives", drives, 5000), ("points", points, WIDEST - BESIDE), ("rounds", rounds, 50)):
        if not isinstance(value, int) or not (0 if word == "rounds" else 1) <= value <= most:
            raise ModelError(f"{word} is {shown(value)}; give a whole number up to {most}")
    if not hidden or len(hidden) >= DEEPEST or not all(isinstance(h, int) and 1 <= h <= WIDEST for h in hidden):
        raise ModelError(f"hidden is {shown(hidden)}; give sizes of 1 to {DEEPEST - 1} layers, each from 1 to {WIDEST}")
    if not 0.0 < speeds[0] < speeds[1]:
        raise ModelError(f"speeds are {shown(speeds)}; give a lower and a higher one, m/s")
    rng = np.random.default_rng(seed)
    times = np.linspace(preview / points, preview, points)
    seen: list[np.ndarray] = []
    angles: list[np.ndarray] = []
    network: Network | None = None
    for k in range(rounds + 1):
        for _ in range(drives):
            path, speed = _lane_change(rng, speeds), float(rng.uniform(*speeds))
            x, u, _ = _drive(car, teacher, path, speed, times, rng, network if k else None, gust=True)
            seen.append(x[::KEPT])
            angles.append(u[::KEPT])
        network = _fitted(np.concatenate(seen), np.concatenate(angles), times, hidden, rng, network)
    assert network is not None
    network.speeds, network.teacher, network.car = (float(speeds[0]), float(speeds[1])), type(teacher).__name__, name
    errors, sizes, beside, test = [], [], 0.0, 12
    for _ in range(test):
        path, speed = _lane_change(rng, speeds), float(rng.uniform(*speeds))
        x, u, way = _drive(car, teacher, path, speed, times, rng, None, gust=False)
        _, _, own = _drive(car, teacher, path, speed, times, rng, network, gust=False)
        errors.append(network.many(x) - u)
        sizes.append(u)
        n = min(len(way), len(own))
        beside = max(beside, float(np.abs(way[:n, 1] - own[:n, 1]).max()))
    error, size = (float(np.sqrt(np.mean(np.concatenate(v) ** 2))) for v in (errors, sizes))
    return Training(network, sum(map(len, angles)), error, error / size, beside, test)


def _lane_change(rng: np.random.Generator, speeds: tuple[float, float]) -> Path:
    """Straight, to another lane, along it and back or on: shifts to 5 m within 10 to 50 m, by quintics; or a bend."""
    xs = np.arange(-40.0, 170.0, 0.5)
    course = lambda f: f**3 * (10.0 - 15.0 * f + 6.0 * f * f)
    y = np.zeros_like(xs)
    at = rng.uniform(5.0, 40.0)
    for _ in range(int(rng.integers(1, 4))):
        long = rng.uniform(10.0, 50.0)
        y += rng.uniform(-5.0, 5.0) * course(np.clip((xs - at) / long, 0.0, 1.0))
        at += long + rng.uniform(5.0, 30.0)
    if rng.uniform() < 0.3:
        y += (
            rng.uniform(-1.0, 1.0)
            * 0.002
            * np.maximum(xs - rng.uniform(0.0, 100.0), 0.0) ** 2
            * min(1.0, 12.0 / speeds[1])
        )
    return Path(np.column_stack([xs, y]), smooth=False)


def _drive(
    car: Any,
    teacher: Driver,
    path: Path,
    speed: float,
    times: np.ndarray,
    rng: np.random.Generator,
    network: Network | None,
    gust: bool,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Inputs (k, n), the teacher's angles (k,) [rad] and the way (k, 2) of one drive with the linear car; the network
    steers where there is one."""
    from scipy.linalg import expm

    teacher.reset()
    path.reset()
    step = expm(course_matrix(car, speed) * STEP)
    start = path.locate(float(rng.uniform(-38.0, -20.0)) if gust else -30.0, 0.0)[0]
    place, heading, state = path.at(start), path.heading_at(start), np.zeros(2)
    if gust:
        place = place + rng.normal(0.0, 0.4, 2) * (0.0, 1.0)
        heading += float(rng.normal(0.0, 0.03))
    push = 0.0
    most = 0.35  # rad of the front wheels
    teacher._hand = 0.0
    seen, angles, way = [], [], []
    for k in range(int(1.02 * (path.length - start) / speed / STEP)):
        o = Observation(
            k * STEP,
            float(place[0]),
            float(place[1]),
            heading,
            speed,
            math.asin(max(min(state[0] / speed, 0.9), -0.9)),
            float(state[1]),
            car,
            1.0,
        )
        angle = min(max(teacher.wish(path, o), -most), most)
        x = inputs_of(path, o, times)
        seen.append(x)
        angles.append(angle)
        way.append(place)
        used = angle if network is None else min(max(network.angle(x), -most), most)
        if gust:
            push += -STEP / 0.4 * push + 0.012 * math.sqrt(STEP) * float(rng.normal())
            used += push * min(1.0, 15.0 / speed)
        teacher._hand = used
        v, r, turn, side, _ = step @ np.array([state[0], state[1], 0.0, 0.0, used])
        c, s = math.cos(heading), math.sin(heading)
        place = place + np.array([c * speed * STEP - s * side, s * speed * STEP + c * side])
        heading, state = heading + turn, np.array([v, r])
        if abs(path.locate(float(place[0]), float(place[1]))[1]) > LOST:
            break
    return np.array(seen), np.array(angles), np.array(way)


def _fitted(
    x: np.ndarray,
    u: np.ndarray,
    times: np.ndarray,
    hidden: tuple[int, ...],
    rng: np.random.Generator,
    before: Network | None,
) -> Network:
    """Least squares of the angles by L-BFGS with exact gradients, from the weights before where there are any."""
    from scipy.optimize import minimize

    if before is None:
        mean, deviation, scale = x.mean(axis=0), np.maximum(x.std(axis=0), 1e-6), max(float(u.std()), 1e-6)
        sizes = [x.shape[1], *hidden, 1]
        start = [
            np.concatenate([rng.normal(0.0, 1.0 / math.sqrt(n), (m, n)).ravel(), np.zeros(m)])
            for n, m in zip(sizes, sizes[1:])
        ]
        first = np.concatenate(start)
    else:
        mean, deviation, scale = before.mean, before.deviation, before.scale
        sizes = [before.weights[0].shape[1], *(len(b) for b in before.biases)]
        first = np.concatenate([np.concatenate([w.ravel(), b]) for w, b in zip(before.weights, before.biases)])
    z, t = (x - mean) / deviation, u / scale

    def split(p: np.ndarray) -> tuple[list[np.ndarray], list[np.ndarray]]:
        weights, biases, at = [], [], 0
        for n, m in zip(sizes, sizes[1:]):
            weights.append(p[at : at + m * n].reshape(m, n))
            biases.append(p[at + m * n : at + m * n + m])
            at += m * n + m
        return weights, biases

    def loss(p: np.ndarray) -> tuple[float, np.ndarray]:
        weights, biases = split(p)
        layers = [z]
        for k, (w, b) in enumerate(zip(weights, biases)):
            y = layers[-1] @ w.T + b
            layers.append(y if k == len(weights) - 1 else np.tanh(y))
        rest = layers[-1][:, 0] - t
        back = (2.0 / len(t) * rest)[:, None]
        gradient = []
        for k in range(len(weights) - 1, -1, -1):
            gradient.append(np.concatenate([(back.T @ layers[k]).ravel(), back.sum(axis=0)]))
            if k:
                back = (back @ weights[k]) * (1.0 - layers[k] ** 2)
        keep = 1e-8  # weights stay small
        return float(rest @ rest) / len(t) + keep * float(p @ p), np.concatenate(gradient[::-1]) + 2.0 * keep * p

    found = minimize(loss, first, jac=True, method="L-BFGS-B", options={"maxiter": 400, "maxfun": 500, "maxcor": 20})
    weights, biases = split(found.x)
    return Network([w.copy() for w in weights], [b.copy() for b in biases], mean, deviation, scale, times)
