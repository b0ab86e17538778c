"""Steel dampers of E shape: two outer legs and a middle one on a flexible back, loaded at the tips of the legs along
the back.

The middle leg takes the force F, each outer leg F/2 the other way, all at the height h above the back: without forces
along the legs the moment F h / 2 is the same all
along both halves of the back (l from leg to leg), which so flows everywhere at once.  With the curvature kappa of the
back and rigid legs

    F = 2 M(kappa) / h,      delta = kappa l h,      k = 2 E I / (l h^2),      F_y = 2 f_y b t^2 / (6 h),      F_p = 3/2
        F_y,      delta_y = 2 f_y l h / (E t)

Flexible legs add to delta by virtual work, integral of kappa m ds with m = y/2 in the outer legs, y in the middle one,
h/2 in the back.

Laws, each along the stretch delta: "elastic-plastic" (k, F_p), "bilinear" (k, F_p, hardening), "bouc-wen" (k, F_p,
hardening, smooth knee) and "fibre": the section of
rectangles cut into fibres, each with the steel's stress by linear kinematic hardening (Prager; return mapping after J.
C. Simo, T. J. R. Hughes, Computational Inelasticity
(1998), ch. 1).  Monotonic, without hardening: M / M_p = 1 - (kappa_y / kappa)^2 / 3.

Sources: V. Ciampi, Proc. 5th World Congress on Joint Sealing and Bearing Systems (1991), for the shape; equivalent
damping E_D / (4 pi E_S): A. K. Chopra, Dynamics of Structures, sec. 3.9.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._jit import jit
from .._summary import Summary
from ..model import ModelError
from ..model.base import did_you_mean, shown

LAWS = ("elastic-plastic", "bilinear", "bouc-wen", "fibre")


@dataclass(frozen=True)
class Steel(Summary):
    """A steel: ``E``, ``fy`` in Pa, ``hardening``: slope after yield over E."""

    name: str
    E: float = 2.1e11
    fy: float = 235e6
    hardening: float = 0.01

    def __post_init__(self) -> None:
        for what in ("E", "fy"):
            if not (np.isfinite(getattr(self, what)) and getattr(self, what) > 0.0):
                raise ModelError(
                    f"{what} of steel '{self.name}' is {shown(getattr(self, what))}; give a positive number"
                )
        if not 0.0 <= self.hardening < 1.0:
            raise ModelError(
                f"hardening of steel '{self.name}' is {shown(self.hardening)}; give a number from 0 to below 1"
            )


#: nominal yield of EN 10025 (and 100 MPa of a low-yield steel), slope E/100 after it as EN 1993-1-5, C.6 proposes
STEELS = {
    name: Steel(name, fy=fy)
    for name, fy in (("LY100", 100e6), ("S235", 235e6), ("S355", 355e6), ("S460", 460e6), ("S690", 690e6))
}


@jit(
    entry=(
        "float64[::1], float64[::1], float64[::1], float64[:, ::1], float64[:, ::1], 3 * float64, float64[:, "
        "::1], float64[::1], float64[::1], float64[::1], float64[::1]"
    )
)
def _fibre_march(delta, weight, share, y, area, steel, plastic, kappa, moment, slope, out):
    """Force out (n,) at stretches delta (n,) of sections with weights ``weight`` (m,) (length times moment of a unit
    force) and moments ``share`` (m,) of a unit force, fibres
    y, area (m, q).  Unknown are the force and the curvatures kappa (m,) of the sections; plastic strains (m, q) of the
    fibres are the memory; moment, slope
    (m,): work.
    False where Newton's method fails."""
    m, q = y.shape
    E, fy, H = steel
    F = 0.0
    for n in range(delta.shape[0]):
        done = False
        for _ in range(200):
            worst = 0.0
            arm = 0.0
            flexible = 0.0
            missing = delta[n]
            for s in range(m):
                moment[s] = 0.0
                slope[s] = 0.0
                for f in range(q):
                    strain = kappa[s] * y[s, f]
                    trial = E * (strain - plastic[s, f]) - H * plastic[s, f]
                    stress = E * (strain - plastic[s, f])
                    tangent = E
                    if abs(trial) > fy:
                        more = (abs(trial) - fy) / (E + H)
                        stress -= E * more * (1.0 if trial > 0.0 else -1.0)
                        tangent = E * H / (E + H)
                    moment[s] += stress * area[s, f] * y[s, f]
                    slope[s] += tangent * area[s, f] * y[s, f] * y[s, f]
                r = moment[s] - F * share[s]
                worst = max(worst, abs(r))
                arm = max(arm, abs(share[s]))
                flexible += weight[s] * share[s] / slope[s]
                missing -= weight[s] * (kappa[s] - r / slope[s])
            dF = missing / flexible
            scale = abs(F) + abs(dF) + 1e-12 * fy
            for s in range(m):
                r = moment[s] - F * share[s]
                kappa[s] += (dF * share[s] - r) / slope[s]
            F += dF
            if abs(dF) <= 1e-10 * scale and worst <= 1e-9 * scale * arm:
                done = True
                break
        if not done:
            return False
        for s in range(m):
            for f in range(q):
                strain = kappa[s] * y[s, f]
                trial = E * (strain - plastic[s, f]) - H * plastic[s, f]
                if abs(trial) > fy:
                    plastic[s, f] += (abs(trial) - fy) / (E + H) * (1.0 if trial > 0.0 else -1.0)
        out[n] = F
    return True


@dataclass(frozen=True)
class EDamper(Summary):
    """A steel damper of E shape, in SI: ``height`` h of the legs' tips over the axis of the back, ``span`` l of a half
    of the back, ``depth`` t and ``breadth`` b of its section (t in the plane), ``steel``: name of `STEELS` or a
    `Steel`; ``legs``: depths of outer and middle legs, None: rigid ones.

    Raises `ModelError` for sizes that are not positive, unknown steels, and legs that would yield before the back is
    plastic.
    """

    height: float = 0.25
    span: float = 0.20
    depth: float = 0.04
    breadth: float = 0.06
    steel: Steel | str = "S235"
    legs: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        for what in ("height", "span", "depth", "breadth"):
            value = getattr(self, what)
            if not (np.isfinite(value) and value > 0.0):
                raise ModelError(f"{what} of an E-shaped damper is {shown(value)}; give a positive length")
        if isinstance(self.steel, str):
            if self.steel not in STEELS:
                raise ModelError(
                    f"steel is {shown(self.steel)}{did_you_mean(self.steel, STEELS)}; give one of {', '.join(STEELS)}, "
                    "or a Steel"
                )
            object.__setattr__(self, "steel", STEELS[self.steel])
        if self.legs is not None:
            outer, middle = self.legs
            if not (outer > self.depth and middle**2 > 2.0 * self.depth**2):
                raise ModelError(
                    f"legs are {shown(self.legs)} deep; legs yield before the back unless the outer ones are deeper "
                    f"than {self.depth:g} "
                    f"and the middle one than {2**0.5 * self.depth:.4g}"
                )

    @property
    def inertia(self) -> float:
        """Second moment of the back's section, m^4."""
        return self.breadth * self.depth**3 / 12.0

    def _sections(self) -> list[tuple[float, float, float]]:
        """(integral weight, moment of a unit force, depth) of sections: the back, then Gauss points of the legs."""
        out = [(self.span * self.height, 0.5 * self.height, self.depth)]
        if self.legs is not None:
            x, w = np.polynomial.legendre.leggauss(5)
            at, w = 0.5 * self.height * (1.0 + x), 0.5 * self.height * w
            out += [(2.0 * wi * 0.5 * yi, 0.5 * yi, self.legs[0]) for yi, wi in zip(at, w)]
            out += [(wi * yi, yi, self.legs[1]) for yi, wi in zip(at, w)]
        return out

    @property
    def stiffness(self) -> float:
        """Elastic, N/m."""
        return 1.0 / sum(w * a / (self.steel.E * self.breadth * d**3 / 12.0) for w, a, d in self._sections())

    @property
    def yield_force(self) -> float:
        """Force at which the back's outermost fibres yield, N."""
        return 2.0 * self.steel.fy * self.breadth * self.depth**2 / 6.0 / self.height

    @property
    def plastic_force(self) -> float:
        """Force at which the whole section of the back has yielded, without hardening, N."""
        return 1.5 * self.yield_force

    @property
    def yield_stretch(self) -> float:
        """Stretch at which the back's outermost fibres yield, m."""
        return self.yield_force / self.stiffness

    def fibres(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        """(count,) distances from the axis and areas of fibres of equal depth, of the back's section."""
        y = self.depth * ((np.arange(count) + 0.5) / count - 0.5)
        return y, np.full(count, self.breadth * self.depth / count)

    def force(self, stretch: Sequence[float], law: str = "fibre", *, fibres: int = 40, knee: float = 2.0) -> np.ndarray:
        """(n,) N, of a history of stretches (n,) m from the virgin state, by a law of the module's list; ``fibres``
        over the depth; ``knee``: Bouc and Wen's exponent.

        The law does not depend on speed.  Raises `ModelError` for unknown laws and histories that are none."""
        x = np.asarray(stretch, float).ravel()
        if not len(x) or not np.all(np.isfinite(x)):
            raise ModelError("stretch is empty or not finite; give a row of numbers")
        if law not in LAWS:
            raise ModelError(f"law is {shown(law)}{did_you_mean(str(law), LAWS)}; give one of {', '.join(LAWS)}")
        k, F, b = self.stiffness, self.plastic_force, self.steel.hardening
        if law == "fibre":
            parts = self._sections()
            y, area = np.zeros((len(parts), fibres)), np.zeros((len(parts), fibres))
            for s, (_, _, d) in enumerate(parts):
                y[s] = d * ((np.arange(fibres) + 0.5) / fibres - 0.5)
                # of equal depth; second moments exact: (1 - 1/n^2) of the rectangle's otherwise
                area[s] = self.breadth * d / fibres
                y[s] /= np.sqrt(1.0 - 1.0 / fibres**2)
            out = np.zeros(len(x))
            memory = np.zeros_like(y), *(np.zeros(len(parts)) for _ in range(3))
            H = max(b, 1e-6) / (1.0 - max(b, 1e-6)) * self.steel.E
            weight, share = np.array([p[0] for p in parts]), np.array([p[1] for p in parts])
            if not _fibre_march(x, weight, share, y, area, (self.steel.E, self.steel.fy, H), *memory, out):
                raise ModelError("the sections of this damper found no equilibrium; give smaller steps of stretch")
            return out
        out = np.zeros(len(x))
        if law == "bouc-wen":
            z, last, D = 0.0, 0.0, F / k
            for n, now in enumerate(x):
                steps = max(1, int(np.ceil(abs(now - last) / (0.02 * D))))
                h = (now - last) / steps
                rate = lambda z, h=h: (1.0 - abs(z) ** knee * 0.5 * (1.0 + np.sign(h * z))) / D
                for _ in range(steps):
                    a = rate(z)
                    c = rate(z + 0.5 * h * a)
                    z += h * c
                last = now
                out[n] = b * k * now + (1.0 - b) * F * z
            return out
        b = b if law == "bilinear" else 0.0
        H = b / (1.0 - b) * k
        plastic = 0.0
        for n, now in enumerate(x):
            trial = k * (now - plastic) - H * plastic
            if abs(trial) > F:
                plastic += np.sign(trial) * (abs(trial) - F) / (k + H)
            out[n] = k * (now - plastic)
        return out

    def loop(self, amplitude: float, law: str = "fibre", *, steps: int = 400, **options: Any) -> dict[str, Any]:
        """The closed loop between + and - ``amplitude`` (m), after two cycles: ``stretch``, ``force`` (steps + 1,),
        ``peak`` force, ``loss`` J a cycle,
        ``damping``: equivalent
        ratio loss / (4 pi peak amplitude / 2), ``secant`` stiffness.  Raises `ModelError` for amplitudes that are not
        positive."""
        if not (np.isfinite(amplitude) and amplitude > 0.0):
            raise ModelError(f"amplitude is {shown(amplitude)}; give a positive length")
        t = np.arange(3 * steps + 1) / steps
        x = amplitude * np.sin(2.0 * np.pi * t)
        f = self.force(x, law, **options)
        x, f = x[-steps - 1 :], f[-steps - 1 :]
        loss = float(np.sum(0.5 * (f[1:] + f[:-1]) * np.diff(x)))
        peak = float(np.abs(f).max())
        return {
            "stretch": x,
            "force": f,
            "peak": peak,
            "loss": loss,
            "damping": loss / (2.0 * np.pi * peak * amplitude),
            "secant": peak / amplitude,
        }

    def loss(self, amplitude: float, law: str = "bilinear") -> float:
        """Loss of a cycle in closed form, J: 4 (1 - b) F_p (X - F_p / k) of "elastic-plastic" (b = 0) and "bilinear";
        of "fibre" with rigid legs without hardening, by
        Masing's rule from the monotonic M(kappa).  Raises `ModelError` for laws without one."""
        k, F = self.stiffness, self.plastic_force
        if law in ("elastic-plastic", "bilinear"):
            b = self.steel.hardening if law == "bilinear" else 0.0
            return 4.0 * (1.0 - b) * F * max(amplitude - F / k, 0.0)
        if law != "fibre" or self.legs is not None or self.steel.hardening > 0.0:
            raise ModelError(
                f"the loss of a cycle by '{law}' has no closed form here; it has for elastic-plastic, bilinear, and "
                "fibre with rigid legs and no hardening"
            )
        mu = amplitude / self.yield_stretch
        if mu <= 1.0:
            return 0.0
        # area under F(x)/F_p from 0 to mu, x in yield stretches: 1/3 for x <= 1, then 1 - 1/(3 x^2)
        under = 1.0 / 3.0 + (mu - 1.0) + (1.0 / mu - 1.0) / 3.0
        return (8.0 * under - 4.0 * (1.0 - 1.0 / (3.0 * mu**2)) * mu) * F * self.yield_stretch

    def into(
        self,
        building: Any,
        storey: int,
        law: str = "fibre",
        *,
        count: int = 1,
        fibres: int = 8,
        knee: float = 2.0,
        **where: Any,
    ) -> list[Any]:
        """Put ``count`` equal dampers into a storey of a building or frame, as `hysteretic_spring`s side by side: one,
        or for "fibre" one a pair of fibres above and below the
        axis (``fibres`` over the depth, even), which is the section exactly while the legs are rigid.  ``where``:
        further arguments of its ``add_damper``. Raises `ModelError` for laws and counts that are none, and for "fibre"
        with flexible legs."""
        if law not in LAWS:
            raise ModelError(f"law is {shown(law)}{did_you_mean(str(law), LAWS)}; give one of {', '.join(LAWS)}")
        if not (isinstance(count, (int, np.integer)) and count >= 1):
            raise ModelError(f"count is {shown(count)}; give a whole number from 1 on")
        b = self.steel.hardening
        if law != "fibre":
            rows = [
                (
                    self.stiffness,
                    self.plastic_force,
                    0.0 if law == "elastic-plastic" else b,
                    knee if law == "bouc-wen" else 25.0,
                )
            ]
        else:
            if self.legs is not None:
                raise ModelError(
                    "legs of this damper are flexible, which parallel springs do not represent; leave legs out, or "
                    "take "
                    "'bouc-wen'"
                )
            if fibres < 2 or fibres % 2:
                raise ModelError(f"fibres is {shown(fibres)}; give an even number from 2 on")
            y, area = self.fibres(fibres)
            y = y[fibres // 2 :] / np.sqrt(1.0 - 1.0 / fibres**2)
            area = 2.0 * area[fibres // 2 :]  # both sides
            lever = 2.0 / self.height
            rows = [
                (lever * self.steel.E * a * v * v / (self.span * self.height), lever * self.steel.fy * a * v, b, 25.0)
                for v, a in zip(y, area)
            ]
        return [
            building.add_damper(
                storey, "hysteretic_spring", stiffness=count * k, yield_force=count * F, hardening=h, knee=n, **where
            )
            for k, F, h, n in rows
        ]
