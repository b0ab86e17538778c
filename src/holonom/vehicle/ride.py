"""Ride: random roads of ISO 8608 under a whole car with the weights of ISO 2631-1, kerbs, potholes, the four-post
shaker, and the half car.  All numbers SI."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

import numpy as np

from .._summary import Summary
from ..model import ModelError
from ..model.base import did_you_mean, shown
from ..results import _rotation as rotation
from .controls import Controls, Scene
from .full_vehicle import SIDES, WHICH, Vehicle
from .manoeuvres import START, Drive, _simulate, panels
from .roads import iso_road
from .template import number_of, positive_numbers

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ROOT = 1.0 / math.sqrt(2.0)
INF = math.inf
#: ISO 2631-1, ISO 8041: f1, f2 band limits (Hz, Q = 1/sqrt 2); f3, f4, Q4 transition from acceleration to velocity; f5,
#: Q5, f6, Q6 upward step; gain
WEIGHTS: dict[str, tuple[float, ...]] = {
    "Wk": (0.4, 100.0, 12.5, 12.5, 0.63, 2.37, 0.91, 3.35, 0.91, 1.0),
    "Wd": (0.4, 100.0, 2.0, 2.0, 0.63, INF, 1.0, INF, 1.0, 1.0),
    "Wc": (0.4, 100.0, 8.0, 8.0, 0.63, INF, 1.0, INF, 1.0, 1.0),
    "We": (0.4, 100.0, 1.0, 1.0, 0.63, INF, 1.0, INF, 1.0, 1.0),
    "Wj": (0.4, 100.0, INF, INF, 1.0, 3.75, 0.91, 5.32, 0.91, 1.0),
    "Wf": (0.08, 0.63, INF, 0.25, 0.86, 0.0625, 0.80, 0.10, 0.80, 1.0),
    "Wb": (0.4, 100.0, 16.0, 16.0, 0.55, 2.5, 0.9, 4.0, 0.95, 1.024),
}


def weighting(name: str, frequency: Any) -> np.ndarray:
    """Complex frequency weighting of ISO 2631-1 / ISO 8041 over frequencies [Hz]:

        H = 1/(1 + w1 / (Q1 s) + (w1/s)^2) . 1/(1 + s / (Q2 w2) + (s/w2)^2) . (1 + s/w3)/(1 + s/(Q4 w4) + (s/w4)^2)
            . (1 + s/(Q5 w5) + (s/w5)^2)/(1 + s/(Q6 w6) + (s/w6)^2) (w5/w6)^2 . K,       w_k = 2 pi f_k.

    ``name``: Wk (seat, vertical), Wd (seat, horizontal), Wc (back), We (rotation), Wf (motion sickness), Wj (head), Wb
    (railways).  Raises ModelError for others.
    """
    if name not in WEIGHTS:
        raise ModelError(f"there is no weighting {shown(name)}{did_you_mean(str(name), WEIGHTS)}")
    f1, f2, f3, f4, Q4, f5, Q5, f6, Q6, gain = WEIGHTS[name]
    f = np.asarray(frequency, float)
    second = lambda f0, Q: 1.0 + 1j * f / (Q * f0) - (f / f0) ** 2
    high = f * f / (f * f - f1 * f1 - 1j * f * f1 / ROOT)
    low = 1.0 / second(f2, ROOT)
    transition = (1.0 + 1j * f / f3) / (second(f4, Q4) if math.isfinite(f4) else 1.0)
    step = second(f5, Q5) / second(f6, Q6) * (f5 / f6) ** 2 if math.isfinite(f5) else 1.0
    return gain * high * low * transition * step


def weighted(a: Any, rate: float, name: str) -> np.ndarray:
    """Acceleration (n, ...) sampled ``rate`` times a second through a frequency weighting: exact for what the samples
    hold (by Fourier, with as many zeros behind)."""
    a = np.asarray(a, float)
    n = len(a)
    H = weighting(name, np.fft.rfftfreq(2 * n, 1.0 / rate))
    return np.fft.irfft(np.fft.rfft(a, 2 * n, axis=0) * H.reshape(-1, *[1] * (a.ndim - 1)), 2 * n, axis=0)[:n]


def vibration(a: Any, rate: float, *, health: bool = False) -> dict[str, float]:
    """Whole-body vibration of a seated person (ISO 2631-1) of accelerations (n, 3) along x, y, z at the seat [m/s^2]:
    weighted root mean squares ``awx``, ``awy`` (Wd), ``awz`` (Wk), total ``av`` = sqrt(sum k^2 a_w^2) (k = 1;
    ``health``: 1.4 for x and y), of z the dose ``vdv`` (integral of a_w^4)^(1/4) [m/s^1.75], ``mtvv``: the largest
    running root mean square over 1 s (6.3.1), ``crest``: largest over root mean square (above 9 the dose counts)."""
    a = np.asarray(a, float)
    if a.ndim != 2 or a.shape[1] != 3 or len(a) < 2 or not np.isfinite(a).all():
        raise ModelError("accelerations must be rows of three finite numbers, along x, y, z")
    w = np.column_stack([weighted(a[:, k], rate, "Wk" if k == 2 else "Wd") for k in range(3)])
    rms = np.sqrt((w**2).mean(axis=0))
    k = (1.4, 1.4, 1.0) if health else (1.0, 1.0, 1.0)
    z = w[:, 2]
    run = max(round(rate), 1)
    total = np.concatenate([[0.0], np.cumsum(z**2)])
    mtvv = math.sqrt(float((total[run:] - total[:-run]).max()) / run) if len(z) > run else float(rms[2])
    return {
        "awx": float(rms[0]),
        "awy": float(rms[1]),
        "awz": float(rms[2]),
        "av": float(np.sqrt(((k * rms) ** 2).sum())),
        "vdv": float(((z**4).sum() / rate) ** 0.25),
        "mtvv": mtvv,
        "crest": float(np.abs(z).max() / rms[2]) if rms[2] > 0.0 else math.nan,
    }


def seat_acceleration(vehicle: Vehicle, run: Any) -> np.ndarray:
    """(n, 3) acceleration [m/s^2] at the seat, axes of the chassis: of its mass where it has a spring, else of its
    position on the chassis; without ``seat`` in the file the position is the chassis' centre of mass."""
    part = run.part("seat" if vehicle.file.seat.get("rate") else "chassis")
    a = np.asarray(part.acceleration.values)
    w, dw = np.asarray(part.angular_velocity.values), np.asarray(part.angular_acceleration.values)
    A = rotation.matrices(np.asarray(part.quaternion.values))
    if vehicle.file.seat and not vehicle.file.seat.get("rate"):
        r = A @ (np.asarray(vehicle.file.seat["at"], float) - np.asarray(vehicle.file.chassis["cm"], float))
        a = a + np.cross(dw, r) + np.cross(w, np.cross(w, r))
    u = vehicle.units
    return np.einsum("tji,tj->ti", A, a) * u.si_length / u.si_time**2


@dataclass
class Ride(Drive):
    """A drive over a road that is not flat, or on a shaker, with ``seat`` (n, 3): accelerations at the seat [m/s^2]."""

    seat: Any = None

    def plot(self, path: str | FilePath | None = None) -> Figure:
        """Acceleration at the seat, its power density with and without the weight, loads of the wheels, travel of the
        dampers; gains of a shaker; writes it to ``path`` and returns the figure."""
        from scipy.signal import welch

        t, u = self["t"], self.run.model.units
        rate = 1.0 / (t[1] - t[0])
        names = [f"{w} {s}" for w in WHICH for s in SIDES]
        z = self.seat[:, 2]
        density = [
            (*(v[1:] for v in welch(a, rate, nperseg=min(len(a), round(2.0 * rate)))), label, {})
            for a, label in ((z, "as it is"), (weighted(z, rate, "Wk"), "weighted (Wk)"))
        ]
        rows = [
            ("time (s)", "vertical acceleration at the seat (m/s²)", [(t, z, "", {"color": "#1f4e79"})]),
            ("frequency (Hz)", "power density ((m/s²)²/Hz)", density),
            ("time (s)", "load (N)", [(t, self.tyre(f"{n} tyre")["F_z"] * u.si_force, n, {}) for n in names]),
            ("time (s)", "damper (mm)", [(t, 1e3 * u.si_length * _length(self, f"{n} damper"), n, {}) for n in names]),
        ]
        if self.response:
            f = self.response["frequency"]
            rows += [
                (
                    "frequency (Hz)",
                    f"gain of the {what} ({unit})",
                    [(f, np.abs(self.response[f"{what}_{w}"]), w, {}) for w in WHICH],
                )
                for what, unit in (("body", "m/m"), ("load", "N/m"))
            ]
        else:
            rows += [("time (s)", "pitch, roll (deg)", [(t, 57.29578 * self[w], w, {}) for w in ("pitch", "roll")])]
        return panels(self.name, rows, path)


def _judge(vehicle: Vehicle, d: Ride, rate: float, after: float) -> None:
    """Metrics of vibration at the seat, of loads and travels of the wheels."""
    late = d["t"] >= after - 1e-9
    d.metrics.update(vibration(d.seat[late], rate))
    N, L = vehicle.units.si_force, vehicle.units.si_length
    for which in WHICH:
        F = np.array([d.tyre(f"{which} {s} tyre")["F_z"][late] for s in SIDES]) * N
        d.metrics[f"load_variation_{which}"] = float(F.std() / F.mean())
        d.metrics[f"least_load_{which}"], d.metrics[f"largest_load_{which}"] = float(F.min()), float(F.max())
        travel = np.array([_length(d, f"{which} {s} damper") for s in SIDES])[:, late] * L
        d.metrics[f"damper_travel_{which}"] = float(np.ptp(travel, axis=1).max())


def _length(d: Drive, name: str) -> np.ndarray:
    """Distance of the markers of a damper over time, model units."""
    ends = [d.run.marker(d.run.model.find("MARKER", f"{name} {w}")) for w in ("lower", "upper")]
    return np.linalg.norm(np.asarray(ends[1].position.values) - np.asarray(ends[0].position.values), axis=1)


def _ride(vehicle: Vehicle, name: str, model: Any, end: float, rate: float, **options: Any) -> Ride:
    d = _simulate(vehicle, name, model, end, rate, **options)
    return Ride(d.name, d.run, d.signals, seat=seat_acceleration(vehicle, d.run))


def ride(
    vehicle: Vehicle,
    speed: float = 80.0 / 3.6,
    *,
    grade: str | float = "B",
    length: float = 150.0,
    seed: int = 1,
    contact: str = "POINT",
    rate: float = 200.0,
    **options: Any,
) -> Drive:
    """Straight over a random road of ISO 8608 (`iso_road`, two tracks at the width of the front wheels), at a held
    ``speed`` [m/s].

    ``grade``: "A" to "H"; ``length`` [m] of rough road, behind the flat of the first half second; ``seed``;
    ``contact``: of the tyres; ``rate``: rows a second. Metrics from 5 m into it: `vibration` at the seat; for each axle
    the wheel load variation (standard deviation over mean), minimum and maximum load, range of the dampers' travel.
    """
    track = 2.0 * float(vehicle.file.axle_data("front")["hardpoints"]["wheel_centre"][1]) * vehicle.units.si_length
    begin = START * number_of(speed, "speed", positive=True)
    model = vehicle.model(
        speed, scene=Scene(lambda m: iso_road(m, grade, length + 30.0, start=begin, track=track, seed=seed), contact)
    )
    name = f"{vehicle.file.name}: road of class {grade} at {3.6 * speed:.0f} km/h"
    d = _ride(vehicle, name, model, (begin + length) / speed, rate, **options)
    _judge(vehicle, d, rate, (begin + 5.0) / speed)
    return d


def kerb(
    vehicle: Vehicle,
    speed: float = 20.0 / 3.6,
    *,
    height: float = 0.08,
    length: float = 1.0,
    bevel: float = 0.01,
    side: str = "both",
    rate: float = 500.0,
    **options: Any,
) -> Drive:
    """Drive over a kerb or into a pothole: a plank of ``height`` [m] (negative: a hole) and ``length``, with edges
    bevelled over ``bevel``, under "both" sides or one, 1 m after the flat road of the first half second; tyres use the
    cam enveloping model.

    Metrics: minimum and maximum load of the wheels, range of the dampers' travel, the largest vertical acceleration of
    the chassis' centre of mass, `vibration` at the seat.  Raises ModelError for other sides.
    """
    if side not in ("both", *SIDES):
        raise ModelError(f"side is {shown(side)}; give 'both', 'left' or 'right'")
    L = vehicle.metre
    begin = START * number_of(speed, "speed", positive=True) + 1.0
    bounds = {"both": {}, "left": {"right": 0.0}, "right": {"left": 0.0}}[side]
    sizes = {"start": begin * L, "length": length * L, "height": height * L, "bevel": bevel * L, **bounds}
    model = vehicle.model(speed, scene=Scene(lambda m: m.road("PLANK", **sizes), "ENVELOPING"))
    wheelbase = vehicle.file.wheelbase * vehicle.units.si_length
    end = (begin + length + wheelbase) / speed + 1.0
    what = "kerb" if height > 0.0 else "pothole"
    d = _ride(
        vehicle,
        f"{vehicle.file.name}: {what} of {1e3 * abs(height):.0f} mm at {3.6 * speed:.0f} km/h",
        model,
        end,
        rate,
        **options,
    )
    _judge(vehicle, d, rate, START)
    u = vehicle.units
    d.metrics["largest_vertical_acceleration"] = (
        float(np.abs(np.asarray(d.run.part("chassis").acceleration.values)[:, 2]).max()) * u.si_length / u.si_time**2
    )
    return d


def pothole(
    vehicle: Vehicle,
    speed: float = 40.0 / 3.6,
    *,
    depth: float = 0.06,
    length: float = 0.5,
    bevel: float = 0.01,
    side: str = "both",
    rate: float = 500.0,
    **options: Any,
) -> Drive:
    """A `kerb` with negative height: a hole of ``depth`` and ``length`` [m]; metrics and errors as there."""
    return kerb(
        vehicle,
        speed,
        height=-number_of(depth, "depth", positive=True),
        length=length,
        bevel=bevel,
        side=side,
        rate=rate,
        **options,
    )


#: direction of each post (front left, front right, rear left, rear right)
POSTS = {"heave": (1, 1, 1, 1), "pitch": (-1, -1, 1, 1), "roll": (1, -1, 1, -1), "warp": (1, -1, -1, 1)}


def four_post(
    vehicle: Vehicle,
    mode: str = "heave",
    *,
    amplitude: float = 0.002,
    low: float = 0.5,
    high: float = 20.0,
    duration: float = 20.0,
    rate: float = 200.0,
    **options: Any,
) -> Drive:
    """On a four-post shaker: the vehicle stands on plates that move up and down together ("heave"), front against rear
    ("pitch"), left against right ("roll"), or crosswise ("warp"), a sine of ``amplitude`` [m] whose frequency rises
    from ``low`` to ``high`` [Hz] over ``duration`` seconds (its velocity held above 2 Hz, so that the amplitude falls),
    then still for 2 s.

    ``drive.response``: "frequency" [Hz], complex gains by the first post of "body_front", "body_rear" (vertical
    acceleration of the chassis above the axle times
    -1/w^2: displacement), "load_front", "load_rear" [N/m].  Metrics: frequency and size of the body's largest gain
    below 4 Hz and the wheels' largest load gain above it; vibration at the seat.  Raises ModelError for other modes.
    """
    if mode not in POSTS:
        raise ModelError(f"mode is {shown(mode)}{did_you_mean(str(mode), POSTS)}")
    positive_numbers(low=low, high=high, amplitude=amplitude, duration=duration)
    if not low < high:
        raise ModelError(f"low is {low:g} and high {high:g} Hz; low must be below high")
    T, L = vehicle.second, vehicle.metre
    grow = math.log(high / low) / duration
    t0 = 2.0  # s, in which the car settles
    phase = f"{2.0 * math.pi * low / grow!r}*(EXP({grow!r}*MAX(0,TIME/{T!r}-{t0!r}))-1)"
    size = f"{amplitude * L!r}*MIN(1,{2.0 / low!r}*EXP(-{grow!r}*MAX(0,TIME/{T!r}-{t0!r})))"
    end = t0 + duration
    lift = f"STEP(TIME,{t0 * T!r},0,{(t0 + 0.5) * T!r},1)*STEP(TIME,{(end - 0.3) * T!r},1,{end * T!r},0)*{size}*SIN({phase})"  # noqa: E501

    def posts(m: Any) -> dict[str, Any]:
        roads = {}
        for k, name in enumerate(f"{w} {s}" for w in WHICH for s in SIDES):
            x, y, _ = vehicle._place[f"{name} wheel"][0]
            plate = m.part(
                f"{name} post",
                1.0 / vehicle.units.si_mass,
                tuple(0.1 * L * L / vehicle.units.si_mass * np.ones(3)),
                (x, y, -0.05 * L),
            )
            slide = m.translational(plate, m.ground, f"{name} post slide", at=(x, y, -0.05 * L), axis=(0, 0, 1))
            m.motion(slide, f"{float(POSTS[mode][k])!r}*{lift}", f"{name} post")
            roads[name] = m.road("FLAT", m.marker_at(plate, (x, y, 0.0)), name=f"{name} plate")
        return roads

    model = vehicle.model(0.0, Controls(hold=False), Scene(posts))
    d = _ride(vehicle, f"{vehicle.file.name}: four-post shaker, {mode}", model, end + 2.0, rate, **options)
    x = np.asarray(d.run.part("front left post").position.values)[:, 2] * vehicle.units.si_length
    late = d["t"] >= t0 - 1e-9
    x = x[late]
    u = vehicle.units
    part = d.run.part("chassis")
    a, dw, w = (np.asarray(v.values) for v in (part.acceleration, part.angular_acceleration, part.angular_velocity))
    A = rotation.matrices(np.asarray(part.quaternion.values))
    n = len(x)
    f = np.fft.rfftfreq(n, 1.0 / rate)
    band = (f >= 1.1 * low) & (f <= 0.9 * high)
    X = np.fft.rfft(x - x[0])
    gains: dict[str, np.ndarray] = {"frequency": f[band]}
    for which in WHICH:
        centre = vehicle.file._centre(which) * (1.0, 1.0 if mode in ("roll", "warp") else 0.0, 1.0)
        r = A @ (centre - np.asarray(vehicle.file.chassis["cm"], float))
        up = (a + np.cross(dw, r) + np.cross(w, np.cross(w, r)))[late, 2] * u.si_length / u.si_time**2
        F = d.tyre(f"{which} left tyre")["F_z"][late] * u.si_force
        gains[f"body_{which}"] = (np.fft.rfft(up) / X)[band] / -((2.0 * np.pi * f[band]) ** 2)
        gains[f"load_{which}"] = (np.fft.rfft(F - F[0]) / X)[band]
    d.response = gains
    body, wheels = f[band] < 4.0, f[band] >= 4.0
    for which in WHICH:
        for word, where in (("body", body), ("load", wheels)):
            y = np.abs(gains[f"{word}_{which}"][where])
            if len(y):
                d.metrics[f"{word}_gain_{which}"], d.metrics[f"{word}_frequency_{which}"] = (
                    float(y.max()),
                    float(f[band][where][np.argmax(y)]),
                )
    d.metrics.update(vibration(d.seat[late], rate))
    return d


@dataclass(frozen=True)
class HalfCar(Summary):
    """Half car (front and rear) on linear springs: ``mass``, ``inertia`` of the body about y through its centre;
    distances ``front``, ``rear``; of each axle (front, rear) unsprung ``wheels`` [kg], suspension ``springs`` [N/m],
    ``dampers`` [N s/m], ``tyres`` [N/m].  States: body at front and rear, wheels.

        M z'' + C z' + K z = K_t z_road,     z = (z_front, z_rear, z_wheel front, z_wheel rear)
    """

    mass: float
    inertia: float
    front: float
    rear: float
    wheels: tuple[float, float]
    springs: tuple[float, float]
    dampers: tuple[float, float]
    tyres: tuple[float, float]

    def matrices(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """M, C, K (4, 4) and K_t (4, 2) of the road's heights under front and rear."""
        a, b = self.front, self.rear
        T = np.array([[b, a], [1.0, -1.0]]) / (a + b)  # heave and (nose-up) pitch of body heights above the axles
        M = np.zeros((4, 4))
        M[:2, :2] = T.T @ np.diag([self.mass, self.inertia]) @ T
        M[2, 2], M[3, 3] = self.wheels
        link = lambda v: np.block([[np.diag(v), -np.diag(v)], [-np.diag(v), np.diag(v)]])
        K, C = link(self.springs), link(self.dampers)
        road = np.zeros((4, 2))
        for k in range(2):
            K[2 + k, 2 + k] += self.tyres[k]
            road[2 + k, k] = self.tyres[k]
        return M, C, K, road

    def response(self, frequency: np.ndarray, road: tuple[float, float] = (1.0, 1.0)) -> np.ndarray:
        """(n, 4) complex gains of the states over frequencies [Hz] by roads under front and rear."""
        M, C, K, R = self.matrices()
        s = 2j * np.pi * np.asarray(frequency, float)
        return np.array([np.linalg.solve(M * w * w + C * w + K, R @ road) for w in s])

    def frequencies(self) -> np.ndarray:
        """Undamped natural frequencies [Hz], rising."""
        from scipy.linalg import eigh

        M, _, K, _ = self.matrices()
        return np.sqrt(eigh(K, M, eigvals_only=True)) / (2.0 * np.pi)
