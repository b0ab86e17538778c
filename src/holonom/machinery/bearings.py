"""Bearings as forces between two parts: stiffness tables, rolling bearings as sums of Hertzian contacts, journal
bearings by the short-bearing solution of Reynolds' equation.

Rolling (T. A. Harris, Rolling Bearing Analysis, ch. 7): element n of Z at the angle psi_n, which turns with the cage,
is pressed by delta_n = x cos psi_n + y sin psi_n - clearance/2 and
pushes with K delta_n^p, p = 3/2 of balls, 10/9 of rollers.  Without clearance the most loaded element carries Q = 4.37
F/Z (balls), 4.08 F/Z (rollers); Stribeck's 5 is for usual
clearances.  Cage: w_c = w (1 - d cos a / D)/2.

Journal (F. W. Ocvirk, NACA TN 2808 (1953); film over half the circumference), eccentricity e = eps c at the angle phi,
journal at the speed w, radius R, length L, clearance c:

    radial      -(eta R L^3 / 2 c^2) (2 eps^2 (w - 2 phi')/(1 - eps^2)^2 + pi eps' (1 + 2 eps^2)/(1 - eps^2)^(5/2))
    tangential   (eta R L^3 / 2 c^2) (pi eps (w - 2 phi')/(2 (1 - eps^2)^(3/2)) + 4 eps eps'/(1 - eps^2)^2)
    steady       S (L/D)^2 = (1 - eps^2)^2 / (pi eps sqrt(pi^2 (1 - eps^2) + 16 eps^2)),     tan(attitude) = pi sqrt(1 -
        eps^2)/(4 eps),     S = eta n D L (R/c)^2/W
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..model import Model
from ..model.base import ModelError, shown

if TYPE_CHECKING:
    from ..model.forces import VForce


def _positive(**numbers: float) -> None:
    for what, value in numbers.items():
        if not (math.isfinite(value) and value > 0.0):
            raise ModelError(f"{what} of a bearing is {shown(value)}; give a positive number")


def table_bearing(
    model: Model,
    i: Any,
    j: Any,
    radial: Sequence[Sequence[float]],
    axial: Sequence[Sequence[float]] | None = None,
    *,
    damping: float = 0.0,
    name: str = "bearing",
) -> VForce:
    """Force between markers ``i`` (shaft) and ``j`` (housing, its z the axis) by tables: ``radial`` rows (deflection,
    force) from (0, 0), isotropic; ``axial`` rows over negative and positive deflections, none: free along the axis;
    ``damping``: force * time/length, in all directions that have a table. Raises `ModelError` for tables that do not
    increase."""
    r = np.asarray(radial, float)
    if (
        r.ndim != 2
        or r.shape[1] != 2
        or len(r) < 3
        or np.any(np.diff(r[:, 0]) <= 0.0)
        or np.abs(r[0]).max() > 0.0
        or np.any(np.diff(r[:, 1]) < 0.0)
    ):
        raise ModelError(
            "radial of a bearing is not a table of (deflection, force) that rises from (0, 0); give three rows or more"
        )
    i, j = model._marker(i), model._marker(j)
    both = np.concatenate([-r[:0:-1], r])
    curve = model.spline(both[:, 0], both[:, 1], linear_extrapolate=True, name=f"{name} radial")
    e = f"SQRT(DX({i},{j},{j})**2+DY({i},{j},{j})**2+{float((1e-9 * r[-1, 0]) ** 2)!r})"
    f = model.variable(f"AKISPL({e},0,{curve.id})/{e}", f"{name} secant")
    x, y = (f"-VARVAL({f.id})*D{a}({i},{j},{j})-{float(damping)!r}*V{a}({i},{j},{j},{j})" for a in "XY")
    third = "0"
    if axial is not None:
        table = np.asarray(axial, float)
        if (
            table.ndim != 2
            or table.shape[1] != 2
            or len(table) < 3
            or np.any(np.diff(table[:, 0]) <= 0.0)
            or np.any(np.diff(table[:, 1]) < 0.0)
        ):
            raise ModelError(
                "axial of a bearing is not a table of (deflection, force) that rises; give three rows or more"
            )
        along = model.spline(table[:, 0], table[:, 1], linear_extrapolate=True, name=f"{name} axial")
        third = f"-AKISPL(DZ({i},{j},{j}),0,{along.id})-{float(damping)!r}*VZ({i},{j},{j},{j})"
    return model.vforce(i, model.body_of(model.table("MARKER")[j]), x, y, third, rm=j, name=name)


def hertz_ball(ball: float, race: Sequence[float], *, young: float = 206e3, poisson: float = 0.3) -> float:
    """K of Q = K delta^(3/2), N/mm^1.5, of a ball of diameter ``ball`` (mm) on a race with radii (along rolling,
    across; negative where the race is hollow), steel on steel; by B. J. Hamrock and D. E. Brewe, J. Lubr. Technol. 105
    (1983) 171-177 (within 3 % of the elliptic integrals)."""
    _positive(ball=ball, young=young)
    rx = 1.0 / (2.0 / ball + 1.0 / race[0])
    ry = 1.0 / (2.0 / ball + 1.0 / race[1])
    if rx <= 0.0 or ry <= 0.0:
        raise ModelError(
            f"radii {shown(list(race))} of a race are smaller than those of its ball; give hollow ones that are larger"
        )
    if rx > ry:
        rx, ry = ry, rx
    ratio = ry / rx
    k = ratio ** (2.0 / math.pi)
    q = 0.5 * math.pi - 1.0
    E, F = 1.0 + q / ratio, 0.5 * math.pi + q * math.log(ratio)
    R = 1.0 / (1.0 / rx + 1.0 / ry)
    modulus = young / (1.0 - poisson**2)  # 2/((1 - nu1^2)/E1 + (1 - nu2^2)/E2)
    return math.pi * k * modulus * math.sqrt(R * E / (4.5 * F**3))


class RollingBearing:
    """A radial bearing of ``elements`` balls (``power`` 1.5) or rollers (10/9), ``stiffness`` K of one element on both
    races (force/length^power), ``clearance`` (length, diametral),
    ``ball`` and ``pitch`` diameters for the cage.  Raises `ModelError` for invalid values."""

    def __init__(
        self,
        elements: int,
        stiffness: float,
        *,
        power: float = 1.5,
        clearance: float = 0.0,
        ball: float = 0.2,
        pitch: float = 1.0,
    ) -> None:
        if int(elements) != elements or not 3 <= elements <= 60:
            raise ModelError(f"elements of a rolling bearing is {shown(elements)}; give a whole number from 3 to 60")
        _positive(stiffness=stiffness, ball=ball, pitch=pitch)
        if not 1.0 <= power <= 2.0 or not math.isfinite(clearance) or not ball < pitch:
            raise ModelError(
                f"power is {shown(power)}, clearance {shown(clearance)}, ball {shown(ball)} and pitch {shown(pitch)}; "
                "give a power from 1 to 2 and a pitch above the ball"
            )
        self.elements, self.stiffness, self.power, self.clearance, self.ball, self.pitch = (
            int(elements),
            stiffness,
            power,
            clearance,
            ball,
            pitch,
        )

    @property
    def cage_ratio(self) -> float:
        """Speed of the cage over that of the inner ring, with the outer ring fixed."""
        return 0.5 * (1.0 - self.ball / self.pitch)

    def loads(self, x: float, y: float, turn: float = 0.0) -> np.ndarray:
        """(Z,) forces of the elements for a position of the inner ring, with the first element at ``turn`` rad."""
        psi = turn + 2.0 * np.pi * np.arange(self.elements) / self.elements
        return self.stiffness * np.maximum(x * np.cos(psi) + y * np.sin(psi) - 0.5 * self.clearance, 0.0) ** self.power

    def force(self, x: float, y: float, turn: float = 0.0) -> np.ndarray:
        """(2,) force on the inner ring."""
        psi = turn + 2.0 * np.pi * np.arange(self.elements) / self.elements
        q = self.loads(x, y, turn)
        return -np.array([(q * np.cos(psi)).sum(), (q * np.sin(psi)).sum()])

    def deflection(self, load: float, turn: float = 0.0) -> float:
        """Deflection along x under a load along x, with y fixed."""
        from scipy.optimize import brentq

        high = 0.5 * abs(self.clearance) + (5.0 * load / self.elements / self.stiffness) ** (1.0 / self.power)
        return float(
            brentq(
                lambda x: -self.force(x, 0.0, turn)[0] - load,
                -abs(self.clearance),
                20.0 * high,
                xtol=1e-15 * (1.0 + high),
                rtol=1e-13,
            )
        )

    def into(
        self, model: Model, i: Any, j: Any, *, damping: float = 0.0, turn: float = 0.0, name: str = "rolling bearing"
    ) -> VForce:
        """Force between markers ``i`` (inner ring) and ``j`` (outer ring, its z the axis); elements turn with the cage
        as ``i`` turns.  ``damping``: force * time/length, radial."""
        i, j = model._marker(i), model._marker(j)
        cage = model.variable(f"{float(turn)!r}+{float(self.cage_ratio)!r}*AZ({i},{j})", f"{name} cage")
        x, y = f"DX({i},{j},{j})", f"DY({i},{j},{j})"
        half = 0.5 * self.clearance
        fx, fy = [], []
        for n in range(self.elements):
            psi = f"(VARVAL({cage.id})+{float(2.0 * math.pi * n / self.elements)!r})"
            u = f"{x}*COS({psi})+{y}*SIN({psi})-{float(half)!r}"
            q = model.variable(
                f"{float(self.stiffness)!r}*MAX(0,{u})**{float(self.power)!r}",
                f"{name} {n + 1}",
            )
            fx.append(f"VARVAL({q.id})*COS({psi})")
            fy.append(f"VARVAL({q.id})*SIN({psi})")
        x, y = (f"-({'+'.join(w)})-{float(damping)!r}*V{a}({i},{j},{j},{j})" for a, w in (("X", fx), ("Y", fy)))
        return model.vforce(i, model.body_of(model.table("MARKER")[j]), x, y, "0", rm=j, name=name)


class JournalBearing:
    """A short journal bearing, consistent units: ``radius`` R, ``length`` L, ``clearance`` c (radial), ``viscosity``
    eta (force time/length^2).

    Raises `ModelError` for numbers that are not positive and for L > D, where the short-bearing solution overestimates
    the film force."""

    def __init__(self, radius: float, length: float, clearance: float, viscosity: float) -> None:
        _positive(radius=radius, length=length, clearance=clearance, viscosity=viscosity)
        if length > 2.0 * radius:
            raise ModelError(f"a journal bearing of L/D = {length / (2 * radius):.3g} is not short; give 1 or less")
        self.radius, self.length, self.clearance, self.viscosity = radius, length, clearance, viscosity

    @property
    def scale(self) -> float:
        """eta R L^3 / (2 c^2): force * time."""
        return self.viscosity * self.radius * self.length**3 / (2.0 * self.clearance**2)

    def force(self, x: float, y: float, vx: float, vy: float, speed: float) -> np.ndarray:
        """(2,) force of the film on the journal at (x, y) with a velocity, turning at ``speed`` rad per time."""
        c = self.clearance
        e = math.hypot(x, y)
        nx, ny = (x / e, y / e) if e > 0.0 else (1.0, 0.0)
        eps = e / c
        rate = (vx * nx + vy * ny) / c
        across = (-vx * ny + vy * nx) / c  # eps phi'
        u = 1.0 - eps * eps
        r = -self.scale * (
            2.0 * eps * (eps * speed - 2.0 * across) / u**2 + math.pi * rate * (1.0 + 2.0 * eps * eps) / u**2.5
        )
        t = self.scale * (math.pi * (eps * speed - 2.0 * across) / (2.0 * u**1.5) + 4.0 * eps * rate / u**2)
        return np.array([r * nx - t * ny, r * ny + t * nx])

    def sommerfeld(self, eps: float) -> float:
        """S = eta n D L (R/c)^2/W at an eccentricity ratio, n in turns."""
        u = 1.0 - eps * eps
        return (
            u
            * u
            / (math.pi * eps * math.sqrt(math.pi**2 * u + 16.0 * eps * eps))
            * (2.0 * self.radius / self.length) ** 2
        )

    def equilibrium(self, load: float, speed: float) -> tuple[float, float]:
        """Eccentricity ratio and attitude angle (rad, from the load) under a steady load.  Raises `ModelError` for
        loads and speeds that are not positive."""
        from scipy.optimize import brentq

        _positive(load=load, speed=speed)
        want = (
            self.viscosity
            * speed
            / (2.0 * math.pi)
            * 2.0
            * self.radius
            * self.length
            * (self.radius / self.clearance) ** 2
            / load
        )
        eps = float(brentq(lambda e: math.log(self.sommerfeld(e) / want), 1e-9, 1.0 - 1e-9, xtol=1e-15))
        return eps, math.atan(math.pi * math.sqrt(1.0 - eps * eps) / (4.0 * eps))

    def linear(self, load: float, speed: float) -> tuple[np.ndarray, np.ndarray]:
        """Stiffness and damping (2, 2) about the equilibrium, x along the load."""
        eps, attitude = self.equilibrium(load, speed)
        at = self.clearance * eps * np.array([math.cos(attitude), math.sin(attitude)])
        K, C = np.zeros((2, 2)), np.zeros((2, 2))
        h, hv = 1e-6 * self.clearance, 1e-6 * self.clearance * speed
        force = lambda p, v: self.force(p[0], p[1], v[0], v[1], speed)
        still = np.zeros(2)
        for a in range(2):
            d = np.eye(2)[a]
            K[:, a] = -(force(at + h * d, still) - force(at - h * d, still)) / (2.0 * h)
            C[:, a] = -(force(at, hv * d) - force(at, -hv * d)) / (2.0 * hv)
        return K, C

    def whirl_speed(self, load: float, mass: float) -> tuple[float, float]:
        """Speed (rad per time) above which a rigid rotor of ``mass`` per bearing is unstable (oil whirl), and the ratio
        of whirl frequency to speed; (inf, nan) where it is always stable (eps above 0.75)."""

        def growth(speed: float) -> tuple[float, float]:
            K, C = self.linear(load, speed)
            A = np.block([[np.zeros((2, 2)), np.eye(2)], [-K / mass, -C / mass]])
            values = np.linalg.eigvals(A)
            worst = values[np.argmax(values.real)]
            return float(worst.real), float(abs(worst.imag))

        _positive(load=load, mass=mass)
        speeds = math.sqrt(load / mass / self.clearance) * np.geomspace(0.05, 50.0, 120)
        last = None
        for s in speeds:
            g, _ = growth(s)
            if g > 0.0 and last is not None:
                low, high = last, s
                for _ in range(60):
                    middle = 0.5 * (low + high)
                    low, high = (low, middle) if growth(middle)[0] > 0.0 else (middle, high)
                return high, growth(high)[1] / high
            last = s if g <= 0.0 else last
        return math.inf, math.nan

    def into(self, model: Model, i: Any, j: Any, *, name: str = "journal bearing") -> VForce:
        """Force of the film on marker ``i`` (journal) in ``j`` (bushing, its z the axis); the journal's speed is WZ(i,
        j).  The film's radial and tangential force are in the model
        as variables "NAME radial", "NAME tangential". Beyond an eccentricity of 0.999 the film force is that at 0.999;
        check the eccentricity."""
        i, j = model._marker(i), model._marker(j)
        c = self.clearance
        x, y, vx, vy = f"DX({i},{j},{j})", f"DY({i},{j},{j})", f"VX({i},{j},{j},{j})", f"VY({i},{j},{j},{j})"
        e = model.variable(f"SQRT({x}**2+{y}**2+{float((1e-9 * c) ** 2)!r})", f"{name} eccentricity", ic=1e-9 * c)
        E = f"VARVAL({e.id})"
        eps = f"MIN({E}/{float(c)!r},0.999)"
        u = f"(1-({eps})**2)"
        rate = f"(({vx}*{x}+{vy}*{y})/{E}/{float(c)!r})"
        swirl = f"(({eps})*WZ({i},{j},{j})-2*({vy}*{x}-{vx}*{y})/{E}/{float(c)!r})"
        k = self.scale
        r = model.variable(
            f"-{float(k)!r}*(2*({eps})*{swirl}/{u}**2+{float(math.pi)!r}*{rate}*(1+2*({eps})**2)/{u}**2.5)",
            f"{name} radial",
        )
        t = model.variable(
            f"{float(k)!r}*({float(math.pi)!r}*{swirl}/(2*{u}**1.5)+4*({eps})*{rate}/{u}**2)", f"{name} tangential"
        )
        R, T = f"VARVAL({r.id})", f"VARVAL({t.id})"
        return model.vforce(
            i,
            model.body_of(model.table("MARKER")[j]),
            f"({R}*{x}-{T}*{y})/{E}",
            f"({R}*{y}+{T}*{x})/{E}",
            "0",
            rm=j,
            name=name,
        )
