"""Where a wheelset touches a track: rolling radii, angles of contact, points of contact over its lateral position;
equivalent conicity.

A rigid wheelset lies on two rigid rails: for each lateral position y (positive to the left) and yaw its height and roll
follow from both wheels touching.  A wheel is seen along the track by its silhouette
(`holonom.elements.forces.rails.contact`), so yaw is exact: the point of contact moves ahead on the flange.

The difference of rolling radii, left - right, Delta r(y), governs the kinematic motion (Klingel 1883, UIC 519, EN
15302)

    y'' = -Delta r(y) / (e r0),        e the distance of the points of contact (1.5 m), r0 the nominal radius

A cone has Delta r = 2 gamma y and the wavelength 2 pi sqrt(e r0 / (2 gamma)).  The equivalent conicity at the amplitude
A is that of the cone with the same wavelength,

    gamma_e = 2 pi^2 e r0 / lambda^2,      lambda = 2 integral dy / psi,      psi^2 = 2 / (e r0) (S(y_max) - S(y)),    S
        = integral Delta r dy

between the turning points y_max and y_min = y_max - 2 A, where S is the same (EN 15302, annex B).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._summary import Summary
from ..elements.forces.rails.curve import rail_in_track, resampled
from ..model import ModelError
from ..model.base import shown
from ..model.values import number, number_tuple
from .profiles import Profile, named

STEEPEST = math.radians(80.0)
METHODS = ("klingel", "regression", "harmonic")
PASSES = 30


@dataclass(frozen=True)
class Point(Summary):
    """A point of contact of one wheel: ``wheel`` and ``rail``: positions on the profiles (m, away from the middle of
    the track; of the rail from its gauge point); ``height`` in the track;
    ``angle`` of the plane of contact (rad, positive as on the flange), ``radius``, ``ahead``: distance along the track
    in front of the axle;
    ``gap``: what is still open (m)."""

    wheel: float
    rail: float
    height: float
    angle: float
    radius: float
    ahead: float
    gap: float


@dataclass(frozen=True)
class ContactGeometry(Summary):
    """``y`` (n,): lateral positions (m); arrays (n, 2) of the left and right wheel: ``radius``, ``angle``, ``wheel``,
    ``rail`` (places of the deepest point); ``roll``, ``height`` (n,); ``points``: for each place the points of the left
    and right wheel that are open by less than the tolerance."""

    y: np.ndarray
    radius: np.ndarray
    angle: np.ndarray
    wheel: np.ndarray
    rail: np.ndarray
    roll: np.ndarray
    height: np.ndarray
    points: tuple[tuple[tuple[Point, ...], tuple[Point, ...]], ...]
    nominal: float
    distance: float

    @property
    def difference(self) -> np.ndarray:
        """Delta r = r_left - r_right (n,)."""
        return self.radius[:, 0] - self.radius[:, 1]

    def conicity(self, amplitude=0.003, method: str = "klingel") -> np.ndarray | float:
        """Equivalent conicity at amplitudes (m), as `conicity`."""
        return conicity(self.y, self.difference, amplitude, nominal=self.nominal, distance=self.distance, method=method)

    def wavelength(self, amplitude=0.003) -> np.ndarray | float:
        """Of the kinematic motion at amplitudes (m): 2 pi sqrt(e r0 / (2 gamma_e))."""
        return 2.0 * math.pi * np.sqrt(self.distance * self.nominal / (2.0 * np.asarray(self.conicity(amplitude))))

    def plot(self, path: Any, title: str = ""):
        """Write a figure: difference of radii, angles, positions on the profiles, conicity."""
        from ..results.pictures.figures import Figure, FigureCanvasAgg

        figure = Figure(figsize=(10, 6.5), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.subplots(2, 2)
        mm = 1e3 * self.y
        axes[0, 0].plot(mm, 1e3 * self.difference)
        axes[0, 0].set_ylabel("difference of rolling radii, mm")
        for side, word in enumerate(("left", "right")):
            axes[0, 1].plot(mm, np.degrees(self.angle[:, side]), label=word)
            axes[1, 0].plot(mm, 1e3 * self.wheel[:, side], label=f"{word} wheel")
        axes[0, 1].set_ylabel("angle of contact, degrees")
        axes[0, 1].legend()
        axes[1, 0].set_ylabel("position on the wheel, mm from the tape circle")
        axes[1, 0].legend()
        amplitudes = np.linspace(0.03, 0.98, 60) * min(self.y.max(), -self.y.min())
        axes[1, 1].plot(1e3 * amplitudes, self.conicity(amplitudes))
        axes[1, 1].set_ylabel("equivalent conicity")
        axes[1, 1].set_xlabel("amplitude, mm")
        for a in (axes[0, 0], axes[0, 1], axes[1, 0]):
            a.set_xlabel("lateral position, mm")
        for a in axes.ravel():
            a.grid(alpha=0.3)
        figure.suptitle(title)
        figure.savefig(path, dpi=110)
        return path


class _Side:
    """A left wheel over its rail, in metres (the right one is its mirror image)."""

    def __init__(
        self,
        wheel: Profile,
        rail: Profile,
        gauge: float,
        depth: float,
        inclination: float,
        radius: float,
        half: float,
        step: float,
    ):
        from scipy.interpolate import CubicHermiteSpline

        self.wheel = resampled(wheel.rows, step, STEEPEST)
        rows = resampled(rail_in_track(rail.rows, gauge, depth, inclination) - [0.5 * gauge, 0.0], step, STEEPEST)
        rows[:, 0] += 0.5 * gauge
        self.low, self.high, self.gauge = rows[0, 0], rows[-1, 0], 0.5 * gauge
        self.rail = CubicHermiteSpline(rows[:, 0], rows[:, 1], rows[:, 2])
        self.radius, self.half = radius, half

    def lay(self, y: float, z: float, roll: float, yaw: float):
        """Silhouette (y, z, x) and overlap with the rail, of the wheelset at (y, z)."""
        cy, sy, cr, sr = math.cos(yaw), math.sin(yaw), math.cos(roll), math.sin(roll)
        e0, e1, e2 = -sy * cr, cy * cr, sr
        q = math.sqrt(1.0 - e0 * e0)
        h, R, slope = self.half + self.wheel[:, 0], self.radius + self.wheel[:, 1], self.wheel[:, 2]
        ca = np.clip(slope * e0 / q, -0.98, 0.98)
        sa = np.sqrt(1.0 - ca * ca)
        py = y + h * e1 + R * (sa * e2 - ca * e0 * e1) / q
        pz = z + h * e2 - R * (sa * e1 + ca * e0 * e2) / q
        inside = (py >= self.low) & (py <= self.high)
        gap = np.full(len(py), -np.inf)
        gap[inside] = self.rail(py[inside]) - pz[inside]
        return py, pz, h * e0 + R * ca * q, gap

    def deepest(self, y, z, roll, yaw):
        """Index of the deepest point with its overlap, by a parabola through its neighbours: (index as a real number,
        overlap, y)."""
        py, pz, px, p = self.lay(y, z, roll, yaw)
        k = int(np.argmax(p))
        if not np.isfinite(p[k]):
            return None
        u = 0.0
        if 0 < k < len(p) - 1 and np.isfinite(p[k - 1]) and np.isfinite(p[k + 1]):
            bend = p[k - 1] - 2.0 * p[k] + p[k + 1]
            if bend < 0.0:
                u = 0.5 * (p[k - 1] - p[k + 1]) / bend
        return k + u, p[k] + (0.25 * (p[min(k + 1, len(p) - 1)] - p[max(k - 1, 0)]) * u if u else 0.0), py[k]

    def point(self, at: float, laid, top: float) -> Point:
        py, pz, px, p = laid
        n = np.arange(len(py))
        of = lambda v: float(np.interp(at, n, v))
        y = of(py)
        return Point(
            of(self.wheel[:, 0]),
            y - self.gauge,
            of(pz),
            float(np.arctan(self.rail(y, 1))),
            self.radius + of(self.wheel[:, 1]),
            of(px),
            float(max(top - of(p), 0.0)),
        )


def contact_geometry(
    wheel: Any = "s1002",
    rail: Any = "uic60",
    *,
    y=None,
    yaw: float = 0.0,
    gauge: float = 1.435,
    gauge_depth: float = 0.014,
    inclination: float = 1.0 / 40.0,
    radius: float = 0.46,
    spacing: float = 1.5,
    right: Any = None,
    right_radius: float | None = None,
    tolerance: float = 2e-6,
    step: float = 1e-4,
) -> ContactGeometry:
    """`ContactGeometry` of a wheelset on a track, all in metres and radians.

    ``wheel``, ``rail``: profiles, their names ("s1002", "uic60") or files; ``right``: profile of the right wheel (by
    default as the left one) and ``right_radius``; ``y``: lateral positions (default
    -8 to 8 mm every 0.1); ``yaw``: positive to the left; ``gauge`` measured ``gauge_depth`` below the tops;
    ``inclination`` of the rails;
    ``radius``: nominal, at y = 0 of the profiles,
    which lie ``spacing`` apart; ``tolerance``: a point that is open by less counts as a further point of contact;
    ``step``: distance of points of the profiles.

    Raises `ModelError` for profiles and invalid dimensions, and where a wheel lies off its rail.
    """
    left = named(wheel, True)
    other = left if right is None else named(right, True)
    track = named(rail, False)
    given = {
        "gauge": gauge,
        "radius": radius,
        "spacing": spacing,
        "step": step,
        "yaw": yaw,
        "gauge_depth": gauge_depth,
        "inclination": inclination,
        "tolerance": tolerance,
    }
    gauge, radius, spacing, step, yaw, gauge_depth, inclination, tolerance = (number(v, w) for w, v in given.items())
    right_radius = radius if right_radius is None else number(right_radius, "right_radius")
    for what, value in (
        ("gauge", gauge),
        ("radius", radius),
        ("spacing", spacing),
        ("step", step),
        ("right_radius", right_radius),
    ):
        if not value > 0.0:
            raise ModelError(f"{what} is {value:g}; give a positive length in metres")
    if radius > 5.0 or gauge > 5.0:
        raise ModelError(f"radius is {radius:g} and gauge {gauge:g}; lengths here are in metres")
    places = np.arange(-80, 81) * 1e-4 if y is None else np.array(number_tuple(np.atleast_1d(y).tolist(), "y"))
    sides = [
        _Side(left, track, gauge, gauge_depth, inclination, radius, 0.5 * spacing, step),
        _Side(other, track, gauge, gauge_depth, inclination, right_radius, 0.5 * spacing, step),
    ]
    n = len(places)
    out = {name: np.zeros((n, 2)) for name in ("radius", "angle", "wheel", "rail")}
    rolls, heights, points = np.zeros(n), np.zeros(n), []
    z, roll = radius, 0.0
    for i, place in enumerate(places):
        for _ in range(PASSES):
            # the right wheel is a left one in the mirror: y and roll change their signs, and so does yaw
            found = [sides[0].deepest(place, z, roll, yaw), sides[1].deepest(-place, z, -roll, -yaw)]
            if None in found:
                raise ModelError(
                    f"at y = {1e3 * place:g} mm a wheel lies off its rail; give positions nearer to the middle, or "
                    "another gauge and spacing"
                )
            (_, p0, y0), (_, p1, y1) = found
            turn = (p0 - p1) / (y0 + y1)
            lift = p0 - turn * y0
            roll += turn
            z += lift
            if abs(turn) < 1e-10 and abs(lift) < 1e-10:
                break
        here = []
        for k, (side, sign) in enumerate(zip(sides, (1.0, -1.0))):
            laid = side.lay(sign * place, z, sign * roll, sign * yaw)
            at, top, _ = side.deepest(sign * place, z, sign * roll, sign * yaw)
            main = side.point(at, laid, top)
            p = laid[3]
            peaks = np.flatnonzero((p[1:-1] >= p[:-2]) & (p[1:-1] > p[2:])) + 1
            others = [side.point(float(j), laid, top) for j in peaks if abs(j - at) > 2 and top - p[j] < tolerance]
            if not side.low + step < main.rail + side.gauge < side.high - step or not 1 < at < len(laid[0]) - 2:
                word = "left" if k == 0 else "right"
                raise ModelError(
                    f"at y = {1e3 * place:g} mm the {word} wheel touches at the edge of a profile; give wider "
                    "profiles, or positions nearer to the middle"
                )
            here.append((main, *sorted(others, key=lambda q: q.gap)))
            out["radius"][i, k], out["angle"][i, k], out["wheel"][i, k], out["rail"][i, k] = (
                main.radius,
                main.angle,
                main.wheel,
                main.rail,
            )
        rolls[i], heights[i] = roll, z
        points.append(tuple(here))
    return ContactGeometry(
        places, **out, roll=rolls, height=heights, points=tuple(points), nominal=radius, distance=spacing
    )


def conicity(
    y, difference, amplitude=0.003, *, nominal: float = 0.46, distance: float = 1.5, method: str = "klingel"
) -> np.ndarray | float:
    """Equivalent conicity of a table of differences of rolling radii (left - right, n) over lateral positions y (n,
    rising) at amplitudes, all in one unit of length.

    ``method``: "klingel", the integral of the equation of motion; "regression", the slope of the straight line through
    the table within the amplitude (EN 15302, annex C);
    "harmonic", the first harmonic of Delta r(A sin).  Tables are straight between their points.  Raises `ModelError`
    where an amplitude reaches beyond the table or nothing centres the wheelset.
    """
    y, r = np.asarray(y, float), np.asarray(difference, float)
    if y.ndim != 1 or y.shape != r.shape or len(y) < 3 or not (np.diff(y) > 0.0).all():
        raise ModelError("y and the difference of radii are rows of three or more numbers of one length, y rising")
    if method not in METHODS:
        raise ModelError(f"method is {shown(method)}; give one of {', '.join(METHODS)}")
    # where the wheelset runs straight: the change of sign nearest to the middle
    up = np.flatnonzero((r[:-1] <= 0.0) & (r[1:] > 0.0))
    if not len(up):
        raise ModelError(
            "the difference of radii has no position at which it grows through zero; nothing centres this wheelset"
        )
    k = up[np.argmin(np.abs(y[up]))]
    centre = y[k] - r[k] * (y[k + 1] - y[k]) / (r[k + 1] - r[k])
    S = np.concatenate([[0.0], np.cumsum(0.5 * (r[1:] + r[:-1]) * np.diff(y))])

    def potential(at):
        j = np.clip(np.searchsorted(y, at, side="right") - 1, 0, len(y) - 2)
        d = at - y[j]
        return S[j] + r[j] * d + 0.5 * (r[j + 1] - r[j]) / (y[j + 1] - y[j]) * d * d

    def one(a: float) -> float:
        if not a > 0.0:
            raise ModelError(f"an amplitude is {a:g}; give positive ones")
        if method == "harmonic":
            theta = (np.arange(2000) + 0.5) * math.pi / 1000.0
            at = centre + a * np.sin(theta)
            inside(at.min(), at.max(), a)
            return float(np.mean(np.interp(at, y, r) * np.sin(theta)) / a)
        if method == "regression":
            inside(centre - a, centre + a, a)
            at = np.linspace(centre - a, centre + a, 2001)
            return float(0.5 * np.polyfit(at, np.interp(at, y, r), 1)[0])
        # turning points 2 a apart with the same potential
        low, high = max(centre, y[0] + 2.0 * a), min(centre + 2.0 * a, y[-1])
        if low >= high + 1e-12 * a or potential(low) - potential(low - 2.0 * a) > 1e-12 * abs(S).max() and low > centre:
            inside(centre - a, centre + a, a)
        f = lambda top: float(potential(np.array(top)) - potential(np.array(top - 2.0 * a)))
        if not f(low) <= 0.0 <= f(high):
            raise ModelError(
                f"the table of radii ends before the amplitude {a:g}; give positions from {-a:g} to {a:g} and a "
                "little more"
            )
        for _ in range(80):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if f(middle) < 0.0 else (low, middle)
        top = 0.5 * (low + high)
        theta = (np.arange(4000) + 0.5) * math.pi / 4000.0 - 0.5 * math.pi
        left = potential(np.array(top)) - potential(top - a + a * np.sin(theta))
        if left.min() <= 0.0:
            raise ModelError(
                f"within the amplitude {a:g} the difference of radii drives the wheelset outward; nothing brings "
                "it back"
            )
        length = 2.0 * np.mean(a * np.cos(theta) / np.sqrt(2.0 / (distance * nominal) * left)) * math.pi
        return 2.0 * math.pi**2 * distance * nominal / length**2

    def inside(low, high, a):
        if low < y[0] - 1e-9 * a or high > y[-1] + 1e-9 * a:
            raise ModelError(
                f"the table of radii ends before the amplitude {a:g}; give positions from {low:g} to {high:g}"
            )

    found = np.array([one(float(a)) for a in np.atleast_1d(amplitude)])
    return float(found[0]) if np.ndim(amplitude) == 0 else found


def klingel_wavelength(gamma: float, nominal: float = 0.46, distance: float = 1.5) -> float:
    """Wavelength of the kinematic motion of a cone: 2 pi sqrt(e r0 / (2 gamma))."""
    if not gamma > 0.0:
        raise ModelError(f"gamma is {gamma:g}; give a positive conicity")
    return 2.0 * math.pi * math.sqrt(distance * nominal / (2.0 * gamma))
