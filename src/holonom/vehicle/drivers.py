"""Drivers that steer along a path, and what they drive: sampled at a rate, with a delay and limits of a human hand."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._summary import Summary
from ..model import ModelError
from .template import number_of


class Path:
    """A line on the ground: points (n, 2) [m] with a smooth curve between them (cubic splines over the chord), straight
    on beyond its ends.

    Raises ModelError for fewer than two points and for points that repeat."""

    STEP = 0.25  # m between stored points

    def __init__(self, points: Any, smooth: bool = True):
        p = np.asarray(points, float)
        if p.ndim != 2 or p.shape[1] != 2 or len(p) < 2 or not np.isfinite(p).all():
            raise ModelError("a path needs two or more points [x, y], metres")
        s = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(p, axis=0), axis=1))])
        if not np.diff(s).min() > 0.0:
            raise ModelError("two points of the path lie at the same point; remove one")
        fine = np.linspace(0.0, s[-1], max(int(s[-1] / self.STEP), 8) + 1)
        if smooth and len(p) > 2:
            from scipy.interpolate import CubicSpline

            self.points = CubicSpline(s, p, bc_type="natural")(fine)
        else:
            self.points = np.column_stack([np.interp(fine, s, p[:, k]) for k in (0, 1)])
        d = np.diff(self.points, axis=0)
        self.s = np.concatenate([[0.0], np.cumsum(np.linalg.norm(d, axis=1))])
        self.heading = np.unwrap(np.arctan2(d[:, 1], d[:, 0]))
        self._near = 0

    @property
    def length(self) -> float:
        """[m]"""
        return float(self.s[-1])

    def at(self, s: float) -> np.ndarray:
        """Point at an arc length [m]."""
        if s <= 0.0:
            return self.points[0] + s * np.array([math.cos(self.heading[0]), math.sin(self.heading[0])])
        if s >= self.s[-1]:
            return self.points[-1] + (s - self.s[-1]) * np.array(
                [math.cos(self.heading[-1]), math.sin(self.heading[-1])]
            )
        k = min(int(np.searchsorted(self.s, s)) - 1, len(self.s) - 2)
        f = (s - self.s[k]) / (self.s[k + 1] - self.s[k])
        return (1.0 - f) * self.points[k] + f * self.points[k + 1]

    def heading_at(self, s: float) -> float:
        """Direction at an arc length [rad], over whole turns; between the middles of stored pieces on straight
        lines."""
        return float(np.interp(s, 0.5 * (self.s[1:] + self.s[:-1]), self.heading))

    def locate(self, x: float, y: float) -> tuple[float, float, float]:
        """(arc length, offset of the point to the left of the path, heading of the path) at the nearest position,
        searched for near the last one [m, m, rad]."""
        low, high = max(self._near - 40, 0), min(self._near + 120, len(self.points))
        d = self.points[low:high] - (x, y)
        k = self._near = low + int(np.argmin(np.einsum("ij,ij->i", d, d)))
        k = min(k, len(self.heading) - 1)
        h = float(self.heading[k])
        dx, dy = x - self.points[k, 0], y - self.points[k, 1]
        along, off = dx * math.cos(h) + dy * math.sin(h), -dx * math.sin(h) + dy * math.cos(h)
        return float(self.s[k]) + along, off, h

    def reset(self) -> None:
        """Restart the search at the beginning."""
        self._near = 0


@dataclass
class Observation(Summary):
    """Input of a driver: time [s], position [m] and heading [rad] of the centre of mass, speed [m/s], sideslip [rad],
    yaw rate [rad/s]; the linear ``car`` (`SingleTrack`) and the steering ``ratio``."""

    time: float
    x: float
    y: float
    heading: float
    speed: float
    sideslip: float
    yaw_rate: float
    car: Any
    ratio: float


@dataclass
class Driver(Summary):
    """A driver: `wish` gives the angle of the steering wheel [rad] from an `Observation`; the steering wheel follows
    with a ``delay`` [s], at most at ``rate`` [rad/s], up to ``most`` [rad]; evaluated ``frequency`` times per
    second."""

    delay: float = 0.0
    rate: float = 20.0
    most: float = 9.0
    frequency: float = 50.0
    _queue: deque = field(default_factory=deque, repr=False)
    _hand: float = field(default=0.0, repr=False)

    def wish(self, path: Path, o: Observation) -> float:
        """The requested angle [rad]. Custom drivers implement this method."""
        raise NotImplementedError

    def reset(self) -> None:
        """Before a drive."""
        self._queue.clear()
        self._hand = 0.0

    def act(self, path: Path, o: Observation) -> float:
        """Steering wheel angle at the next sample [rad]."""
        self._queue.append(self.wish(path, o))
        late = round(self.delay * self.frequency)
        wanted = self._queue.popleft() if len(self._queue) > late else self._hand
        step = self.rate / self.frequency
        self._hand += min(max(wanted - self._hand, -step), step)
        self._hand = min(max(self._hand, -self.most), self.most)
        return self._hand


@dataclass
class PreviewDriver(Driver):
    """Optimal preview of C. C. MacAdam (IEEE Trans. SMC-11 (1981) 393): the steer angle that, held, brings the linear
    car nearest to the path over the next ``preview`` seconds,

        delta = sum_i G_i (y_path_i - F_i x) / sum_i G_i^2,

    F x the free course of the single-track car from its present lateral speed and yaw rate, G its answer to a unit of
    steer angle, at ``points`` times ahead, all in axes of the car.  ``gain`` scales it.
    """

    preview: float = 0.5
    points: int = 12
    gain: float = 1.0
    _known: dict = field(default_factory=dict, repr=False)

    def _courses(self, car: Any, speed: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Times, F (n, 2), G (n,) of the lateral position at a speed, kept by speeds of half a metre a second."""
        key = round(2.0 * speed)
        if key not in self._known:
            from scipy.linalg import expm

            full = course_matrix(car, max(0.5 * key, 1.0))
            t = np.linspace(self.preview / self.points, self.preview, self.points)
            rows = np.array([expm(full * x)[3] for x in t])
            self._known[key] = t, rows[:, :2], rows[:, 4]
        return self._known[key]

    def reset(self) -> None:
        """Before a drive."""
        super().reset()
        self._known.clear()

    def wish(self, path: Path, o: Observation) -> float:
        """See the class; radians."""
        t, F, G = self._courses(o.car, o.speed)
        s, _, _ = path.locate(o.x, o.y)
        y = ahead_of(path, o, s, o.speed * t)
        free = F @ (o.speed * math.sin(o.sideslip), o.yaw_rate)
        return self.gain * o.ratio * float(G @ (y - free) / (G @ G))


@dataclass
class StanleyDriver(Driver):
    """Heading error and offset of the front axle, each corrected at once, with damping of yaw (G. M. Hoffmann et al.,
    ACC 2007):

    delta = (psi_path - psi) + atan(k e / (soft + V)) + damping (r_path - r)
    """

    k: float = 3.0
    soft: float = 1.0
    damping: float = 0.1
    preview: float = 0.2

    def wish(self, path: Path, o: Observation) -> float:
        """See the class; radians."""
        reach = o.car.front + self.preview * o.speed
        s, off, h = path.locate(o.x + reach * math.cos(o.heading), o.y + reach * math.sin(o.heading))
        ahead = path.at(s + 1.0) - path.at(s - 1.0)
        before, behind = path.at(s + 3.0) - path.at(s + 2.0), path.at(s - 2.0) - path.at(s - 3.0)
        turn = math.atan2(before[1], before[0]) - math.atan2(behind[1], behind[0])
        rate = math.atan2(math.sin(turn), math.cos(turn)) / 5.0 * o.speed
        heading = math.atan2(ahead[1], ahead[0])
        error = math.atan2(math.sin(heading - o.heading), math.cos(heading - o.heading))
        return o.ratio * (error - math.atan(self.k * off / (self.soft + o.speed)) + self.damping * (rate - o.yaw_rate))


@dataclass
class PidDriver(Driver):
    """PID control of the offset e of the path at a point that lies ``preview`` seconds ahead, with the circle through
    it (pure pursuit with the understeer gradient K):

        delta = (L + K V^2) 2/(preview V)^2 (p e + i int o dt + d e'),      o the lateral offset of the car, to the left

    ``most_integral``: limit of the integral in metres (anti-windup)."""

    preview: float = 0.38
    p: float = 1.1
    i: float = 0.15
    d: float = 0.08
    most_integral: float = 1.0
    _sum: float = field(default=0.0, repr=False)
    _last: tuple[float, float] | None = field(default=None, repr=False)

    def reset(self) -> None:
        """Before a drive."""
        super().reset()
        self._sum, self._last = 0.0, None

    def wish(self, path: Path, o: Observation) -> float:
        """See the class; radians."""
        reach = max(self.preview * o.speed, 1.0)
        s, off, _ = path.locate(o.x, o.y)
        e = float(ahead_of(path, o, s, np.array([reach]))[0])
        rate = 0.0
        if self._last is not None and o.time > self._last[0]:
            step = o.time - self._last[0]
            rate = (e - self._last[1]) / step
            self._sum = min(max(self._sum - self.i * off * step, -self.most_integral), self.most_integral)
        self._last = (o.time, e)
        curve = 2.0 / reach**2 * (self.p * e + self._sum + self.d * rate)
        return o.ratio * (o.car.wheelbase + max(o.car.understeer_gradient, 0.0) * o.speed**2) * curve


@dataclass
class MpcDriver(Driver):
    """Linear model-predictive control: the changes of the steer angle over the next ``preview`` seconds that bring the
    linear car nearest to the path,

        min  sum_k |y_k - y_path,k|^2 + heading^2 |psi_k - psi_path,k|^2 + change^2 |d delta_k / dt|^2,      |d
            delta_k/dt| <= what the hand can,

    y, psi of the single-track car (exact steps), ``points`` positions ahead and ``moves`` changes; a bounded
    least-squares problem (SciPy's lsq_linear, BVLS of P. B. Stark, R. L. Parker, Comput. Statist. 10 (1995) 129), in
    closed form while no bound acts.  It knows its own delay.  Weights: ``heading`` [m/rad], ``change`` [m s/rad]."""

    preview: float = 1.0
    points: int = 20
    moves: int = 10
    heading: float = 2.0
    change: float = 0.6
    _known: dict = field(default_factory=dict, repr=False)

    def reset(self) -> None:
        """Before a drive."""
        super().reset()
        self._known.clear()

    def _plan(self, car: Any, speed: float) -> tuple[np.ndarray, ...]:
        """Kept by half a metre a second: times, weights, rows of (y, psi) by (lateral speed, yaw rate, angle now),
        matrix of the changes, its inverse without bounds."""
        key = round(2.0 * speed)
        if key not in self._known:
            from scipy.linalg import expm

            full = course_matrix(car, max(0.5 * key, 1.0))
            h = self.preview / self.points
            step, wait = expm(full * h), expm(full * self.delay)
            free, forced = np.zeros((2 * self.points, 3)), np.zeros((2 * self.points, self.moves))
            x = np.column_stack([wait[:, [0, 1, 4]], np.zeros((5, self.moves))])
            for k in range(self.points):
                if k < self.moves:
                    x[4, 3 + k] += 1.0
                x = step @ x
                for row, state in ((k, 3), (self.points + k, 2)):
                    free[row], forced[row] = x[state, :3], x[state, 3:]
            weight = np.concatenate([np.ones(self.points), np.full(self.points, self.heading)])
            A = np.vstack([weight[:, None] * forced, self.change / h * np.eye(self.moves)])
            t = self.delay + h * np.arange(1, self.points + 1)
            self._known[key] = t, weight, free, A, np.linalg.pinv(A)
        return self._known[key]

    def wish(self, path: Path, o: Observation) -> float:
        """See the class; radians."""
        from scipy.optimize import lsq_linear

        t, weight, free, A, inverse = self._plan(o.car, o.speed)
        s, _, _ = path.locate(o.x, o.y)
        y = ahead_of(path, o, s, o.speed * t)
        psi = np.array([path.heading_at(s + o.speed * x) for x in t]) - o.heading
        psi = np.arctan2(np.sin(psi), np.cos(psi))
        now = np.array([o.speed * math.sin(o.sideslip), o.yaw_rate, self._hand / o.ratio])
        b = np.concatenate([weight * (np.concatenate([y, psi]) - free @ now), np.zeros(self.moves)])
        best = inverse @ b
        most = self.rate / o.ratio * self.preview / self.points
        if np.abs(best).max() > most:
            best = lsq_linear(A, b, bounds=(-most, most), method="bvls").x
        return self._hand + o.ratio * float(best[0]) * (self.points / self.preview) / self.frequency


def ahead_of(path: Path, o: Observation, s: float, reach: np.ndarray) -> np.ndarray:
    """Places of the path ``reach`` metres ahead of arc length s, to the left of the car [m]."""
    ahead = np.array([path.at(s + x) for x in reach]) - (o.x, o.y)
    return -ahead[:, 0] * math.sin(o.heading) + ahead[:, 1] * math.cos(o.heading)


def course_matrix(car: Any, speed: float) -> np.ndarray:
    """Rates (5, 5) of lateral speed, yaw rate, heading, lateral position and steer angle (which stays) of the linear
    car, in the axes that it has now."""
    A, B = car.matrices(speed)
    full = np.zeros((5, 5))
    full[:2, :2], full[:2, 4] = A, B
    full[2, 1] = full[3, 0] = 1.0
    full[3, 2] = speed
    return full


def lost(offset: float, limit: float, o: Observation) -> str:
    """A message where the car is too far from its path, else nothing."""
    if abs(offset) <= limit:
        return ""
    return (
        f"the driver has lost the road at {o.time:.2f} s: the car is {abs(offset):.1f} m off its path at "
        f"{o.speed * 3.6:.0f} km/h; "
        "drive slower, look further ahead, or give a path with wider curves"
    )


def checked(driver: Any) -> Driver:
    """A driver that can drive.  Raises ModelError for what is none, and for limits that are not numbers."""
    if not isinstance(driver, Driver):
        raise ModelError(
            f"driver is {driver!r:.60}; give a PreviewDriver, a StanleyDriver, or a subclass of Driver with its "
            "own wish()"
        )
    for word in ("rate", "most", "frequency"):
        number_of(getattr(driver, word), f"driver.{word}", positive=True)
    number_of(driver.delay, "driver.delay", least=0.0)
    return driver
