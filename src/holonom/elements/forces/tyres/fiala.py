"""TYRE_FIALA: Fiala's tyre, a beam on an elastic foundation over a parabolic pressure, between a wheel and a flat road.

With the slip S = sqrt(kappa^2 + tan(alpha)^2) and the friction U = UMAX - (UMAX - UMIN) min(S, 1):

    F_x    CSLIP kappa  while |kappa| < U Fz / (2 CSLIP),  then  U Fz - (U Fz)^2 / (4 CSLIP |kappa|), with its sign
    F_y    -U Fz (1 - H^3) sign(alpha),   H = 1 - CALPHA |tan(alpha)| / (3 U Fz)  while that is positive,  then  -U Fz sign(alpha)
    M_z    U Fz WIDTH (1 - H) H^3 sign(alpha),  zero while it slides
    M_y    -ROLLING_RESISTANCE Fz against the spin,        M_x = 0
    Fz     VERTICAL_STIFFNESS rho + VERTICAL_DAMPING rho',  never pulling

There is no camber and no combination of forces beyond that of U, as in Adams (Adams/Tire, "Using the Fiala Handling Force Model"), after E. Fiala,
VDI-Zeitschrift 96 (1954)
973-979.  F_y is that of the brush model with parabolic pressure (Pacejka, Tire and Vehicle Dynamics (2012), 3.2.1).  Slips lag behind (`contact`) by
RELAX_LENGTH_X and
RELAX_LENGTH_Y, the effective rolling radius is the loaded one, and sliding at standstill is damped (Pacejka, 8.6.2).  Energy: that of the vertical spring; all
else is lost.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from ...._jit import jit
from ....model.base import Element
from ....model.builder.teaching import number, sound
from ....model.forces import IJ
from ...duals import SEED, real, sign, size, sqrt
from ...kinds import ForceKind
from .contact import fade, lag, meet, plain, power, put, put_slopes, seen, side, spread

REST = 0.05  # of the speed below which damping acts: where rolling resistance changes its sign
DAMPING = 0.3  # ratio to critical of sliding at standstill, for the mass that the load weighs

FIELDS = ("radius", "stiffness", "damping", "cslip", "calpha", "umin", "umax", "width", "rolling_resistance", "relax_x", "relax_y", "slow")
R0, CZ, KZ, CSLIP, CALPHA, UMIN, UMAX, WIDTH, ROLLING, RELAX_X, RELAX_Y, SLOW, CALM = range(len(FIELDS) + 1)


@dataclass
class FialaTyre(Element):
    """TYRE_FIALA: Fiala's tyre between the wheel of marker ``i`` (its centre, y axis along the spin axis, to the left of forward travel) and the flat road of
    marker ``j`` (z up).

    ``radius`` unloaded; ``stiffness``, ``damping``: vertical; ``cslip``: force per kappa; ``calpha``: force per rad; ``umin``, ``umax``: friction at full slip
    and at none; ``width``: of the
    contact, twice the arm of M_z; ``rolling_resistance``: length; ``relax_x``, ``relax_y``: relaxation lengths; ``slow``: speed below which sliding is damped.
    """

    KIND: ClassVar[str] = "TYRE_FIALA"
    ROLE: ClassVar[str] = "force"
    ENTITY: ClassVar[str] = "Tire"
    REFERENCES: ClassVar[dict[str, str]] = IJ
    i: int = 0
    j: int = 0
    radius: float = 0.0
    stiffness: float = 0.0
    damping: float = 0.0
    cslip: float = 0.0
    calpha: float = 0.0
    umin: float = 0.0
    umax: float = 0.0
    width: float = 0.0
    rolling_resistance: float = 0.0
    relax_x: float = 0.0
    relax_y: float = 0.0
    slow: float = 0.0

    def faults(self, model):
        """What cannot be: sizes that are not positive."""
        for name in ("radius", "stiffness", "cslip", "calpha", "umax", "relax_x", "relax_y", "slow"):
            if not getattr(self, name) > 0.0:
                yield f"{name} is {getattr(self, name):g}; give a positive number"
        for name in ("damping", "umin", "width", "rolling_resistance"):
            if getattr(self, name) < 0.0:
                yield f"{name} is {getattr(self, name):g}; give zero or a positive number"
        if self.umin > self.umax:
            yield f"umin is {self.umin:g} and umax {self.umax:g}; friction at full slip is not above that at none"

    def losses(self) -> str:
        return "damped"


def fiala_tyre(
    model, i, j, *, radius: float, stiffness: float, cslip: float, calpha: float, umax: float, umin: float | None = None, damping: float = 0.0, width: float = 0.0,
    rolling_resistance: float = 0.0, relax_x: float | None = None, relax_y: float | None = None, slow: float | None = None, name: str = "", id: int = 0,
) -> FialaTyre:  # fmt: skip
    """Fiala's tyre on the wheel of marker ``i`` (origin its centre, y axis along the spin axis, to the left of forward travel) and the flat road of marker
    ``j`` (z axis up);
    `holonom.elements.forces.tyres.fiala` has the equations.

    ``radius``, ``width``, ``rolling_resistance``, ``relax_x``, ``relax_y``: length; ``stiffness``: force/length; ``damping``: force*time/length; ``cslip``,
    ``calpha``: force; ``umin``: by default
    ``umax``; relaxation lengths by default a radius; ``slow``: a speed, default 1 m/s.  Raises `ModelError` for sizes that are not positive.

        model.fiala_tyre(hub, road, radius=0.31, stiffness=2e5, cslip=8e4, calpha=6e4, umax=0.9, umin=0.8, damping=300, width=0.2)
    """
    metre = 1.0 / model.units.si_length
    given = dict(radius=radius, stiffness=stiffness, damping=damping, cslip=cslip, calpha=calpha, umax=umax, umin=umax if umin is None else umin, width=width,
                 rolling_resistance=rolling_resistance, relax_x=radius if relax_x is None else relax_x, relax_y=radius if relax_y is None else relax_y,
                 slow=metre * model.units.si_time if slow is None else slow)  # fmt: skip
    e = FialaTyre(id=id, name=name, i=model._marker(i), j=model._marker(j), **{name: number(value, name) for name, value in given.items()})
    return model.add(sound(e, model))


def values(e, model):
    # the mass on the contact: that whose weight is a tenth of the radius of deflection
    load = 0.1 * e.stiffness * e.radius
    gravity = math.sqrt(sum(g * g for g in model.gravity)) or 9.80665 / (model.units.si_length / model.units.si_time**2)
    soft = max(e.cslip / e.relax_x, e.calpha / e.relax_y)
    return [*(getattr(e, name) for name in FIELDS), 2.0 * DAMPING * math.sqrt(soft * load / gravity)]


def states(e, place):
    return 0.0, 0.0


@jit
def slip_forces(c, fz, kappa, tana):
    """F_x, F_y, M_z."""
    s = sqrt(kappa * kappa + tana * tana)
    if real(s) > 1.0:
        s = s * 0.0 + 1.0
    grip = (c[UMAX] - (c[UMAX] - c[UMIN]) * s) * fz
    zero = fz * 0.0 + kappa * 0.0 + tana * 0.0
    if real(grip) <= 0.0:
        return zero, zero, zero
    if 2.0 * c[CSLIP] * real(size(kappa)) < real(grip):
        fx = c[CSLIP] * kappa
    else:
        fx = sign(kappa) * (grip - grip * grip / (4.0 * c[CSLIP] * size(kappa)))
    h = 1.0 - c[CALPHA] * size(tana) / (3.0 * grip)
    if real(h) > 0.0:
        return fx, -grip * (1.0 - h * h * h) * sign(tana), grip * c[WIDTH] * (1.0 - h) * h * h * h * sign(tana)
    return fx, -grip * sign(tana), zero


@jit
def law(c, rho, rate, vx, vsy, omega, u, v):
    """F_x, F_y, F_z, M_y, M_z, u', v'."""
    fz = c[CZ] * rho + c[KZ] * rate
    if real(rho) <= 0.0 or real(fz) <= 0.0:
        fz = fz * 0.0
    vsx = vx - omega * (c[R0] - rho)
    du, dv = lag(c[SLOW], vx, vsx, vsy, u, v, c[RELAX_X], c[RELAX_Y])
    # at standstill slips have a part of the sliding velocity, which damps: within the grip that there is
    calm = c[CALM] * fade(c[SLOW], vx)
    fx, fy, mz = slip_forces(c, fz, u / c[RELAX_X] - calm * vsx / c[CSLIP], v / c[RELAX_Y] + calm * vsy / c[CALPHA])
    roll = omega * c[R0]
    return fx, fy, fz, -c[ROLLING] * fz * roll / sqrt(roll * roll + (REST * c[SLOW]) ** 2), mz, du, dv


@jit
def evaluate(c, wheel, road, u, v):
    """Wrenches on wheel and road, rates of the states."""
    p0, p1, p2, e0, e1, e2, v0, v1, v2, w0, w1, w2 = wheel
    q0, q1, q2, n0, n1, n2, r0, r1, r2, a0, a1, a2 = road
    rho, rate, vx, vsy, omega, gamma, psi, c0, c1, c2, b0, b1, b2, x0, x1, x2, y0, y1, y2 = meet(
        c[R0], p0, p1, p2, e0, e1, e2, v0, v1, v2, w0, w1, w2, q0, q1, q2, n0, n1, n2, r0, r1, r2, a0, a1, a2
    )
    fx, fy, fz, my, mz, du, dv = law(c, rho, rate, vx, vsy, omega, u, v)
    o = spread(fx, fy, fz, my * 0.0, my, mz, c0, c1, c2, b0, b1, b2, x0, x1, x2, y0, y1, y2, n0, n1, n2)
    return o[0], o[1], o[2], o[3], o[4], o[5], o[6], o[7], o[8], o[9], o[10], o[11], du, dv


@jit
def force(c, f, fr, ref, t, u, x, W, xd):
    o = evaluate(c, plain(fr, f[0], 1), plain(fr, f[1], 2), x[0], x[1])
    put(o, W)
    xd[0] = o[12]
    xd[1] = o[13]


@jit
def tangent(c, f, fr, ref, t, u, x, W, D):
    for column in range(26):
        a = complex(x[0], SEED if column == 24 else 0.0)
        b = complex(x[1], SEED if column == 25 else 0.0)
        put_slopes(evaluate(c, seen(fr, f[0], 1, side(column, False)), seen(fr, f[1], 2, side(column, True)), a, b), column, D)


@jit
def energies(c, f, fr, ref, t, u, x, W, out):
    p0, p1, p2, e0, e1, e2, v0, v1, v2, w0, w1, w2 = plain(fr, f[0], 1)
    q0, q1, q2, n0, n1, n2, r0, r1, r2, a0, a1, a2 = plain(fr, f[1], 2)
    o = meet(c[R0], p0, p1, p2, e0, e1, e2, v0, v1, v2, w0, w1, w2, q0, q1, q2, n0, n1, n2, r0, r1, r2, a0, a1, a2)
    rho = max(o[0], 0.0)
    out[0] = 0.5 * c[CZ] * rho * rho
    out[1] = -power(f, fr, W) - c[CZ] * rho * o[1]
    out[2] = 0.0


WORDS = ("longitudinal deflection of the contact", "lateral deflection of the contact")

KIND = ForceKind(FialaTyre, fiala_tyre, force, tangent, energies, values, states, state_words=WORDS)
