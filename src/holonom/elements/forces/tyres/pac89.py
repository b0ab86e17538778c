"""TYRE_PAC89: the Magic Formula of 1989 with the coefficients a0 to a13, b0 to b10, c0 to c17.

Loads in kN, slip angles and inclinations in degrees, slips in percent (E. Bakker, H. B. Pacejka, L. Lidner, SAE 890087;
Adams/Tire, "Using the Pacejka '89 Model"):

    F      D sin(C atan(B X - E (B X - atan(B X)))) + S_v,   X = slip + S_h,   B = BCD / (C D)
    F_x    C = b0,  D = b1 Fz^2 + b2 Fz,  BCD = (b3 Fz^2 + b4 Fz) exp(-b5 Fz),  E = b6 Fz^2 + b7 Fz + b8,  S_h = b9 Fz +
        b10
    F_y    C = a0,  D = a1 Fz^2 + a2 Fz,  BCD = a3 sin(2 atan(Fz / a4)) (1 - a5 |gamma|),  E = a6 Fz + a7,
           S_h = a9 Fz + a10 + a8 gamma,  S_v = a11 Fz gamma + a12 Fz + a13
    M_z    C = c0,  D = c1 Fz^2 + c2 Fz,  BCD = (c3 Fz^2 + c4 Fz) (1 - c6 |gamma|) exp(-c5 Fz),  E = (c7 Fz^2 + c8 Fz +
        c9) (1 - c10 |gamma|),
           S_h = c11 gamma + c12 Fz + c13,  S_v = (c14 Fz^2 + c15 Fz) gamma + c16 Fz + c17

F_y and M_z of the formula are those of SAE axes: with signs changed they are those here; rolling backward M_z keeps its
sign. Combined slip (mode 4) is that of a friction ellipse: with s_x = kappa + S_hx, s_y = sin(alpha + S_hy), F_x is
divided by sqrt(1 + (F_x s_y / (s_x D_y))^2), F_y by sqrt(1 + (F_y s_x / (s_y D_x))^2), shifts S_v left out. Where
``lateral_stiffness`` is given the contact moves with F_y: M_x = Fz y, M_z - F_x y, y = F_y / lateral_stiffness.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, ClassVar

from ...._jit import jit
from ....model.base import did_you_mean
from ....model.builder.teaching import sound
from ....model.values import named_numbers
from ...duals import atan, clip, exp, real, sin, size, sqrt
from .magic import magic
from .plain import PlainTyre, plain, plain_parameters
from .plain_laws import OWN, ahead, rolling, slips, vertical
from .tyre import tyre_kind

NAMES = (*(f"a{k}" for k in range(14)), *(f"b{k}" for k in range(11)), *(f"c{k}" for k in range(18)))
A, B, C = OWN, OWN + 14, OWN + 25
MU, SIDE, MODE, MIRROR, NEWTON, GAMMA = range(OWN + 43, OWN + 49)
MOST_GAMMA = 0.17  # rad: inclination up to which the formulas are taken
DEGREE = math.pi / 180.0


@dataclass
class Pac89Tyre(PlainTyre):
    """TYRE_PAC89: Magic Formula of 1989 between the wheel of marker ``i`` and a road.

    ``coefficients``: a0 to a13, b0 to b10, c0 to c17, for kN, degrees and percent, giving newtons and newton metres;
    ``mode``: 3 all, 4 with combined slip;
    ``mirror``: mounted on the other side than measured; ``mu``: friction relative to that of the measurement;
    ``lateral_stiffness``: of the carcass, 0: stiff.
    """

    KIND: ClassVar[str] = "TYRE_PAC89"
    coefficients: dict[str, float] = field(default_factory=dict)
    mode: int = 4
    mirror: bool = False
    mu: float = 1.0
    lateral_stiffness: float = 0.0

    def faults(self, model):
        """Invalid values: unknown coefficients, missing ones."""
        yield from PlainTyre.faults(self, model)
        for name in self.coefficients:
            if name not in NAMES:
                yield f"there is no coefficient '{name}' of PAC89{did_you_mean(name, NAMES, '; leave it out')}"
        for name in ("a0", "a4", "b0"):
            if not self.coefficients.get(name, 0.0) > 0.0:
                yield f"{name} is {self.coefficients.get(name, 0.0):g}; give a positive number"
        for name in ("a2", "a3", "b2", "b4"):
            if self.coefficients.get(name, 0.0) == 0.0:
                yield f"{name} is missing or zero; its forces cannot be computed"
        if self.mode not in (3, 4):
            yield f"mode is {self.mode}; give 3 (pure slips) or 4 (combined slip)"
        if self.mu < 0.0 or self.lateral_stiffness < 0.0:
            yield f"mu is {self.mu:g} and lateral_stiffness {self.lateral_stiffness:g}; give zero or positive numbers"


def tyre_pac89(
    model,
    i,
    j,
    coefficients: dict,
    *,
    radius: float,
    stiffness: float,
    mode: int = 4,
    mirror: bool = False,
    mu: float = 1.0,
    lateral_stiffness: float = 0.0,
    damping: float = 0.0,
    rolling_resistance: float = 0.0,
    relax_x: float | None = None,
    relax_y: float | None = None,
    slow: float | None = None,
    load_curve=(),
    contact: str = "POINT",
    footprint: Any = None,
    name: str = "",
    id: int = 0,
) -> Pac89Tyre:
    """The Magic Formula of 1989 on the wheel of marker ``i`` (origin its centre, y axis along the spin axis, to the
    left of forward travel) on ``j``, a road or a marker of a flat one (z axis up);
    `holonom.elements.forces.tyres.pac89` has the equations.

    ``coefficients``: a0, a1, ..., in the units of the formula whatever those of the model; the rest as for
    ``tyre_fiala``.  Raises `ModelError` for unknown names and sizes that are not positive.
    """
    given = dict(
        radius=radius,
        stiffness=stiffness,
        damping=damping,
        rolling_resistance=rolling_resistance,
        relax_x=relax_x,
        relax_y=relax_y,
        slow=slow,
        load_curve=load_curve,
        mu=mu,
        lateral_stiffness=lateral_stiffness,
    )
    found = {k.lower(): v for k, v in named_numbers(coefficients, "coefficients").items()}
    e = Pac89Tyre(
        id=id,
        name=name,
        **plain(model, i, j, contact, footprint, given),
        coefficients=found,
        mode=mode,
        mirror=bool(mirror),
    )
    return model.add(sound(e, model))


def parameters(e, model):
    own = [e.coefficients.get(name, 0.0) for name in NAMES]
    u = model.units
    load = 0.1 * e.stiffness * e.radius * u.si_force / 1e3  # kN
    have = {**dict.fromkeys(NAMES, 0.0), **e.coefficients}
    along = abs(have["b3"] * load**2 + have["b4"] * load) * math.exp(-have["b5"] * load) * 100.0 / u.si_force
    across = abs(have["a3"] * math.sin(2.0 * math.atan(load / have["a4"]))) / DEGREE / u.si_force
    newton_metre = u.si_force * u.si_length
    return plain_parameters(
        e,
        model,
        along,
        across,
        [*own, e.mu, e.lateral_stiffness, float(e.mode), -1.0 if e.mirror else 1.0, u.si_force, newton_metre],
    )


@jit
def full_sliding(c, fz, road):
    """Slips kappa and tan(alpha) from which the whole patch slides."""
    w = fz * c[NEWTON] / 1e3
    mu = 3.0 * c[MU] * road
    if real(w) <= 0.0:
        return mu, mu
    along = (c[B + 3] * w * w + c[B + 4] * w) * exp(-c[B + 5] * w) * 100.0
    across = c[A + 3] * sin(2.0 * atan(w / c[A + 4])) / DEGREE
    return mu * size((c[B + 1] * w * w + c[B + 2] * w) / along), mu * size((c[A + 1] * w * w + c[A + 2] * w) / across)


@jit
def slip_forces(c, fz, kappa, tana, gamma, road, way=1.0):
    """F_x, F_y, M_x, M_z of a tyre on the side where it was measured; ``way``: -1 rolling backward."""
    zero = fz * 0.0 + kappa * 0.0 + tana * 0.0 + gamma * 0.0 + road * 0.0
    if real(fz) <= 0.0:
        return zero, zero, zero, zero
    w = fz * c[NEWTON] / 1e3
    k = 100.0 * clip(kappa, -1.0, 1.0)
    a = clip(atan(tana) / DEGREE, -89.5, 89.5)
    g = clip(gamma, -MOST_GAMMA, MOST_GAMMA) / DEGREE
    mu = c[MU] * road
    D = c[B + 1] * w * w + c[B + 2] * w
    slope = (c[B + 3] * w * w + c[B + 4] * w) * exp(-c[B + 5] * w)
    E = c[B + 6] * w * w + c[B + 7] * w + c[B + 8]
    sx = k + c[B + 9] * w + c[B + 10]
    fx = mu * magic(D, c[B], slope / (c[B] * D), E, sx)
    most_x = mu * D
    D = c[A + 1] * w * w + c[A + 2] * w
    side = c[A + 3] * sin(2.0 * atan(w / c[A + 4])) * (1.0 - c[A + 5] * size(g))
    E = c[A + 6] * w + c[A + 7]
    sy = clip(a + c[A + 9] * w + c[A + 10] + c[A + 8] * g, -89.5, 89.5)
    fy = mu * magic(D, c[A], side / (c[A] * D), E, sy)
    most_y = mu * D
    lift = c[A + 11] * w * g + c[A + 12] * w + c[A + 13]
    D = c[C + 1] * w * w + c[C + 2] * w
    mz = zero
    if real(D) != 0.0 and c[C] != 0.0:
        turn = (c[C + 3] * w * w + c[C + 4] * w) * (1.0 - c[C + 6] * size(g)) * exp(-c[C + 5] * w)
        E = (c[C + 7] * w * w + c[C + 8] * w + c[C + 9]) * (1.0 - c[C + 10] * size(g))
        X = clip(a + c[C + 11] * g + c[C + 12] * w + c[C + 13], -89.5, 89.5)
        mz = (
            mu * magic(D, c[C], turn / (c[C] * D), E, X)
            + (c[C + 14] * w * w + c[C + 15] * w) * g
            + c[C + 16] * w
            + c[C + 17]
        )
    if c[MODE] == 4.0 and real(mu) > 0.0:
        p = 0.01 * sx
        q = sin(sy * DEGREE)
        # of the forces in addition to their slips, which are finite at none
        x = fx / p if abs(real(p)) > 1e-9 else 100.0 * mu * slope + zero
        y = fy / q if abs(real(q)) > 1e-9 else mu * side / DEGREE + zero
        lean, bend = x * q / most_y, y * p / most_x
        fx = fx / sqrt(1.0 + lean * lean)
        fy = fy / sqrt(1.0 + bend * bend)
    fx = fx / c[NEWTON]
    fy = -(fy + lift) / c[NEWTON]
    mz = -way * mz / c[GAMMA]
    mx = zero
    if c[SIDE] > 0.0:
        y = fy / c[SIDE]
        mx = fz * y
        mz = mz - fx * y
    return fx + zero, fy + zero, mx, mz + zero


@jit
def law(c, s, x):
    rho, rate, vx, vsy, omega, gamma, psi, mu = s
    fz, push, stored = vertical(c, rho, rate)
    most_x, most_y = full_sliding(c, fz, mu)
    kappa, tana, du, dv = slips(c, rho, vx, vsy, omega, x[0], x[1], most_x + fz * 0.0, most_y + fz * 0.0)
    m = c[MIRROR]
    fx, fy, mx, mz = slip_forces(c, fz, kappa, m * tana, m * gamma, mu, ahead(c, vx))
    zero = fz * 0.0
    return fx, m * fy, fz, m * mx, rolling(c, fz, omega), m * mz, stored, push, du, dv, zero, zero


KIND = tyre_kind(Pac89Tyre, tyre_pac89, law, parameters, lambda e: e.radius)
