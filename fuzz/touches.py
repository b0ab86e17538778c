"""Touches of a ball and another body in free flight: times against those found by the closed form of the motion and a
distance of our own here.

Every touch of a run is checked: between two rows each body flies by its closed form from the earlier row on until
something touches. Both fly under gravity (sometimes none), turn about fixed axes (inertias are those of balls), start
from rest or at the apex of a flight as often as fast, near and far from the origin, small and large, for times in which
the integrator takes a single step or many.
"""

from __future__ import annotations

import copy

import numpy as np

import holonom as hn
from holonom.integrators.stepper import IntegrationError

from . import Finding

LIMIT = 20.0
SLICE = 24
BODY_TYPES = ("box", "sphere", "cylinder", "capsule", "plate", "torus")
ROWS = 40
DEEP = 0.02  # of the smallest size: a flight that goes in so far has touched, whatever the errors of its row
METHODS = ("events", "DOP853", "events", "GSTIFF", "RADAU5", "HHT", "DOP853")


def _rotation(axis: np.ndarray, angle: float) -> np.ndarray:
    """Rodrigues."""
    a, s = axis, np.sin(angle)
    K = np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])
    return np.eye(3) + s * K + (1 - np.cos(angle)) * K @ K


def _distance(kind: str, x: np.ndarray, d: np.ndarray) -> float:
    """Signed distance of a point from a shape in its own axes; d: half sides, or radius and half length, ..."""
    if kind in ("box", "plate"):
        q = np.abs(x) - d
        return float(np.linalg.norm(np.maximum(q, 0)) + min(q.max(), 0.0))
    if kind == "sphere":
        return float(np.linalg.norm(x) - d[0])
    rho = np.hypot(x[0], x[1])
    if kind == "cylinder":
        q = np.array([rho - d[0], abs(x[2]) - d[1]])
        return float(np.linalg.norm(np.maximum(q, 0)) + min(q.max(), 0.0))
    if kind == "capsule":
        return float(np.hypot(rho, max(abs(x[2]) - d[1], 0.0)) - d[0])
    return float(np.hypot(rho - d[1], x[2]) - d[0])  # torus: tube, ring


class Flight:
    """One scene: its motion in closed form, and as a model."""

    def __init__(self, seed: int):
        rng = np.random.default_rng([77, seed])
        self.kind = BODY_TYPES[rng.integers(len(BODY_TYPES))]
        size = 10.0 ** rng.uniform(-3, 1)
        self.size = size
        self.r = size * 10.0 ** rng.uniform(-1.5, 0)
        thin = 10.0 ** rng.uniform(-2, 0)
        d = {
            "box": size * rng.uniform(0.3, 1, 3),
            "plate": size * np.array([1, rng.uniform(0.3, 1), 0.1 * thin]),
            "sphere": [size],
            "cylinder": [size * rng.uniform(0.1, 1), size * rng.uniform(0.1, 1)],
            "capsule": [size * rng.uniform(0.05, 0.5), size],
            "torus": [size * rng.uniform(0.05, 0.3), size],
        }[self.kind]
        self.d = np.array(d, float)
        self.g = rng.choice([0.0, 9.81, 9.81, 200.0]) * np.array([0, 0, -1.0])
        self.T = 10.0 ** rng.uniform(-1, 1)
        self.fixed = rng.random() < 0.4
        far = rng.choice([0.0, 0.0, 1e3]) * size
        centre = far * rng.normal(size=3)
        speed = lambda: 0.0 if rng.random() < 0.3 else size * 10.0 ** rng.uniform(-1, 2)
        unit = lambda: (v := rng.normal(size=3)) / np.linalg.norm(v)
        self.A0 = _rotation(unit(), rng.uniform(0, 3))
        self.axis = unit()
        self.spin = 0.0 if self.fixed or rng.random() < 0.4 else 10.0 ** rng.uniform(-1, 2)
        v = np.zeros(3) if self.fixed else speed() * unit()
        gap = size * 10.0 ** rng.uniform(-3, 0.7)
        away = unit()
        # the ball where it will be near the other one at some time, as often as not: its path is laid through a point
        # next to it
        reach = size * 1.8 + self.r + gap
        start = centre + reach * away
        if rng.random() < 0.7:
            t = self.T * rng.uniform(0.05, 0.9)
            aim = centre + v * t + (0.0 if self.fixed else 0.5) * self.g * t * t + size * rng.uniform(-1, 1, 3)
            u = (aim - start - 0.5 * self.g * t * t) / t
        else:
            u = speed() * unit()
        self.x, self.u, self.c, self.v = start, u, centre, v
        self.far = far

    def from_row(self, run, k: int) -> Flight:
        """The flight that begins with row k of a run and ends with the next one."""
        out = copy.copy(self)
        ball = run.part("ball")
        out.x, out.u = ball.position.values[k], ball.velocity.values[k]
        if not self.fixed:
            other = run.part("other")
            out.c, out.v, out.A0 = other.position.values[k], other.velocity.values[k], other.axes.values[k]
            w = other.angular_velocity.values[k]
            out.spin = float(np.linalg.norm(w))
            out.axis = w / out.spin if out.spin else self.axis
        out.T = float(run.time[k + 1] - run.time[k])
        return out

    def gap(self, t: float) -> float:
        fall = 0.5 * self.g * t * t
        x = self.x + self.u * t + fall
        c = self.c + self.v * t + (0.0 if self.fixed else 1.0) * fall
        A = _rotation(self.axis, self.spin * t) @ self.A0
        return _distance(self.kind, A.T @ (x - c), self.d) - self.r

    def first(self, depth: float) -> float | None:
        """First time at which the gap is below -depth; None when there is none until T (conservative advancement)."""
        t = 0.0
        radius = float(np.linalg.norm(self.d)) if self.kind != "torus" else float(self.d.sum())
        g = 0.0 if not self.fixed else float(np.linalg.norm(self.g))
        for _ in range(100000):
            h = self.gap(t) + depth
            if h <= 1e-13 * self.size:
                return t
            rest = self.T - t
            if rest <= 0:
                return None
            U = (
                float(np.linalg.norm(self.u + self.g * t - self.v - (0 if self.fixed else 1) * self.g * t))
                + self.spin * radius
            )
            step = 2 * h / (U + np.sqrt(U * U + 2 * g * h)) if U + g * h > 0 else np.inf
            t += min(max(0.999 * step, 1e-12 * self.T), rest)
        raise RuntimeError("the oracle found no end")

    def model(self) -> hn.Model:
        m = hn.Model("flight")
        m.gravity = tuple(self.g)
        ball = m.part("ball", 1.0, (0.4 * self.r**2,) * 3, tuple(self.x), velocity=tuple(self.u))
        if self.fixed:
            other = m.ground
        else:
            inertia, spin = (3.0 * self.size**2,) * 3, tuple(self.A0.T @ (self.spin * self.axis))  # in its own axes
            other = m.part(
                "other", 3.0, inertia, tuple(self.c), axes=self.A0, velocity=tuple(self.v), angular_velocity=spin
            )
        z, x, d, c = self.A0[:, 2], self.A0[:, 0], self.d, self.c
        if self.kind in ("box", "plate"):
            shape = m.box(other, tuple(c), tuple(2 * d), x=x, z=z)
        elif self.kind == "sphere":
            shape = m.sphere(other, tuple(c), d[0])
        elif self.kind == "torus":
            shape = m.torus(other, tuple(c), z, d[1], d[0])
        else:
            build = m.cylinder if self.kind == "cylinder" else m.capsule
            shape = build(other, tuple(c - d[1] * z), tuple(c + d[1] * z), d[0])
        sphere = m.sphere(ball, tuple(self.x), self.r)
        m.contact(sphere, shape, stiffness=1e4 / self.size, exponent=1.5, damping=0.0, restitution=1.0)
        return m


def attempt(seed: int) -> str:
    flight = Flight(seed)
    method = METHODS[seed % len(METHODS)]
    if flight.gap(0.0) <= 1e-6 * flight.size:
        return "overlaps at the start"
    # what an integrator of error 1e-6 may be wrong by, and what may be missed of shapes that are not convex (ball in
    # the hole of a ring: it is)
    fine = 1e-4 * min(flight.r, *flight.d) + 1e-13 * flight.far
    touch = flight.first(fine)
    first = flight.first(-fine)  # it comes as near as this
    sim = hn.Simulation(flight.model())
    end = flight.T if first is None else min(flight.T, first + 0.5 * flight.T)
    try:
        if method == "events":
            sim.dynamics(end=end, steps=ROWS, contact="events")
        else:
            sim.dynamics(end=end, steps=ROWS, integrator=method, error=1e-6)
    except IntegrationError as error:
        if method == "events" or "step" not in str(error):
            raise Finding(f"{method}: {error}") from None
    run = sim.run()
    found = run.counters.get("impacts", 0) if method == "events" else run.counters.get("onsets", 0)
    if touch is not None and touch < end and not found:
        raise Finding(f"{method}, {flight.kind}: the touch at {touch:.9g} of {end:.6g} was missed")
    if first is None and found:
        raise Finding(f"{method}, {flight.kind}: {found} touches where there are none")
    times = np.array([float(row["time"]) for row in run.impacts]) if method == "events" else np.zeros(0)
    if method == "events" and touch is not None and found:
        if not (first is not None and first - 1e-6 * flight.T <= times[0] <= touch + 1e-6 * flight.T):
            raise Finding(
                f"{method}, {flight.kind}: first touch at {times[0]:.12g}, it must lie between {first:.12g} and "
                f"{touch:.12g}"
            )
    later = _later(flight, run, fine, method, times)
    if later > found:
        raise Finding(f"{method}, {flight.kind}: {found} touches, of flights between rows at least {later}")
    return "passed by" if touch is None else "touched" if later < 2 else "touched again"


def _later(flight: Flight, run, fine: float, method: str, times: np.ndarray) -> int:
    """Intervals between rows in which a flight must have touched, each checked against the recorded touches (of
    events)."""
    deep = DEEP * min(flight.r, *flight.d) + fine
    count = 0
    for k in range(len(run.time) - 1):
        f, t = flight.from_row(run, k), run.time[k]
        if f.gap(0.0) <= fine:
            continue
        touch = f.first(deep)
        count += touch is not None
        if method != "events":
            continue
        inside = times[(times > t) & (times <= t + f.T)]
        if touch is not None and not len(inside):
            raise Finding(
                f"{method}, {flight.kind}: the touch at {t + touch:.9g} was missed, row {k} of {len(run.time)}"
            )
        if len(inside):
            first = f.first(-fine)
            if (
                first is None
                or inside[0] < t + first - 1e-6 * flight.T
                or (touch is not None and inside[0] > t + touch + 1e-6 * flight.T)
            ):
                raise Finding(
                    f"{method}, {flight.kind}: a touch at {inside[0]:.12g}, by the flight from row {k} at "
                    f"{t + (first or np.inf):.12g}"
                )
    return count
