"""Drivers that steer along a path, and what they drive: sampled at a rate, with a delay and limits of a human hand."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..model import ModelError
from .template import number_of


class Path:
    """A line on the ground: points (n, 2) [m] with a smooth curve between them (cubic splines over the chord), straight on beyond its ends.

    Raises ModelError for fewer than two points and for points that repeat."""

    STEP = 0.25  # m between stored points

    def __init__(self, points: Any, smooth: bool = True):
        p = np.asarray(points, float)
        if p.ndim != 2 or p.shape[1] != 2 or len(p) < 2 or not np.isfinite(p).all():
            raise ModelError("a path needs two or more points [x, y], metres")
        s = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(p, axis=0), axis=1))])
        if not np.diff(s).min() > 0.0:
            raise ModelError("two points of the path lie in one place; remove one")
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
            return self.points[-1] + (s - self.s[-1]) * np.array([math.cos(self.heading[-1]), math.sin(self.heading[-1])])
        k = min(int(np.searchsorted(self.s, s)) - 1, len(self.s) - 2)
        f = (s - self.s[k]) / (self.s[k + 1] - self.s[k])
        return (1.0 - f) * self.points[k] + f * self.points[k + 1]

    def locate(self, x: float, y: float) -> tuple[float, float, float]:
        """(arc length, offset of the point to the left of the path, heading of the path) at the nearest place, looked for near the last one [m, m, rad]."""
        low, high = max(self._near - 40, 0), min(self._near + 120, len(self.points))
        d = self.points[low:high] - (x, y)
        k = self._near = low + int(np.argmin(np.einsum("ij,ij->i", d, d)))
        k = min(k, len(self.heading) - 1)
        h = float(self.heading[k])
        dx, dy = x - self.points[k, 0], y - self.points[k, 1]
        along, off = dx * math.cos(h) + dy * math.sin(h), -dx * math.sin(h) + dy * math.cos(h)
        return float(self.s[k]) + along, off, h

    def reset(self) -> None:
        """Look from the beginning again."""
        self._near = 0


@dataclass
class Observation:
    """What a driver knows: time [s], place [m] and heading [rad] of the centre of mass, speed [m/s], sideslip [rad], yaw rate [rad/s]; the car: distances of axles from
    it, wheelbase [m], steering ratio, understeer gradient [rad s^2/m]."""

    time: float
    x: float
    y: float
    heading: float
    speed: float
    sideslip: float
    yaw_rate: float
    front: float
    wheelbase: float
    ratio: float
    understeer: float


@dataclass
class Driver:
    """A driver: `wish` gives the angle of the steering wheel [rad] from an `Observation`; the hand follows with a ``delay`` [s], at most at ``rate`` [rad/s], to
    ``most`` [rad]; asked ``frequency`` times a second."""

    delay: float = 0.0
    rate: float = 20.0
    most: float = 9.0
    frequency: float = 50.0
    _queue: deque = field(default_factory=deque, repr=False)
    _hand: float = field(default=0.0, repr=False)

    def wish(self, path: Path, o: Observation) -> float:
        """The angle that the driver wants [rad].  A driver of one's own gives this."""
        raise NotImplementedError

    def reset(self) -> None:
        """Before a drive."""
        self._queue.clear()
        self._hand = 0.0

    def act(self, path: Path, o: Observation) -> float:
        """The angle to which the hand turns until the next sample [rad]."""
        self._queue.append(self.wish(path, o))
        late = round(self.delay * self.frequency)
        wanted = self._queue.popleft() if len(self._queue) > late else self._hand
        step = self.rate / self.frequency
        self._hand += min(max(wanted - self._hand, -step), step)
        self._hand = min(max(self._hand, -self.most), self.most)
        return self._hand


@dataclass
class PreviewDriver(Driver):
    """Looks ``preview`` seconds (at least ``least`` metres) ahead and takes the arc to the path's point there (pure pursuit), with the steer angle of the linear car:

        kappa = 2 y / (x^2 + y^2),     delta = gain (L + K V^2) kappa        (R. C. Coulter, CMU-RI-TR-92-01; single-track model)
    """

    preview: float = 0.7
    least: float = 6.0
    gain: float = 1.0

    def wish(self, path: Path, o: Observation) -> float:
        """See the class; radians."""
        s, _, _ = path.locate(o.x, o.y)
        ahead = path.at(s + max(self.preview * o.speed, self.least))
        dx, dy = ahead[0] - o.x, ahead[1] - o.y
        course = o.heading + o.sideslip
        x, y = dx * math.cos(course) + dy * math.sin(course), -dx * math.sin(course) + dy * math.cos(course)
        curvature = 2.0 * y / (x * x + y * y)
        return self.gain * o.ratio * (o.wheelbase + o.understeer * o.speed**2) * curvature


@dataclass
class StanleyDriver(Driver):
    """Heading error and offset of the front axle, each corrected at once, with damping of yaw (G. M. Hoffmann et al., ACC 2007):

        delta = (psi_path - psi) + atan(k e / (soft + V)) + damping (r_path - r)
    """

    k: float = 3.5
    soft: float = 1.0
    damping: float = 0.12
    preview: float = 0.15

    def wish(self, path: Path, o: Observation) -> float:
        """See the class; radians."""
        reach = o.front + self.preview * o.speed
        s, off, h = path.locate(o.x + reach * math.cos(o.heading), o.y + reach * math.sin(o.heading))
        ahead = path.at(s + 1.0) - path.at(s - 1.0)
        before, behind = path.at(s + 3.0) - path.at(s + 2.0), path.at(s - 2.0) - path.at(s - 3.0)
        turn = math.atan2(before[1], before[0]) - math.atan2(behind[1], behind[0])
        rate = math.atan2(math.sin(turn), math.cos(turn)) / 5.0 * o.speed
        heading = math.atan2(ahead[1], ahead[0])
        error = math.atan2(math.sin(heading - o.heading), math.cos(heading - o.heading))
        return o.ratio * (error - math.atan(self.k * off / (self.soft + o.speed)) + self.damping * (rate - o.yaw_rate))


def lost(offset: float, limit: float, o: Observation) -> str:
    """A sentence where the car is too far from its path, else nothing."""
    if abs(offset) <= limit:
        return ""
    return (
        f"the driver has lost the road at {o.time:.2f} s: the car is {abs(offset):.1f} m beside its path at {o.speed * 3.6:.0f} km/h; "
        "drive slower, look further ahead, or give a path with wider curves"
    )


def checked(driver: Any) -> Driver:
    """A driver that can drive.  Raises ModelError for what is none, and for limits that are no numbers."""
    if not isinstance(driver, Driver):
        raise ModelError(f"driver is {driver!r:.60}; give a PreviewDriver, a StanleyDriver, or a Driver with a wish of its own")
    for word in ("rate", "most", "frequency"):
        number_of(getattr(driver, word), f"driver.{word}", positive=True)
    number_of(driver.delay, "driver.delay", least=0.0)
    return driver
