"""TYRE_FIALA: Fiala's tyre, a beam on an elastic foundation over a parabolic pressure, between a wheel and a flat road.

With the slip S = sqrt(kappa^2 + tan(alpha)^2) and the friction U = UMAX - (UMAX - UMIN) min(S, 1):

    F_x    CSLIP kappa  while |kappa| < U Fz / (2 CSLIP),  then  U Fz - (U Fz)^2 / (4 CSLIP |kappa|), with its sign
    F_y    -U Fz (1 - H^3) sign(alpha),   H = 1 - CALPHA |tan(alpha)| / (3 U Fz)  while that is positive,  then  -U Fz
        sign(alpha)
    M_z    U Fz WIDTH (1 - H) H^3 sign(alpha) sgn(V_x),  zero while it slides
    M_y    -ROLLING_RESISTANCE Fz against the spin,        M_x = 0
    Fz     VERTICAL_STIFFNESS rho + VERTICAL_DAMPING rho',  never pulling

There is no camber and no combination of forces beyond that of U, as in Adams (Adams/Tire, "Using the Fiala Handling
Force Model"), after E. Fiala, VDI-Zeitschrift 96 (1954)
973-979.  F_y is that of the brush model with parabolic pressure (Pacejka, Tire and Vehicle Dynamics (2012), 3.2.1).
Slips lag behind (`contact`) by RELAX_LENGTH_X and
RELAX_LENGTH_Y, the effective rolling radius is the loaded one, and sliding at standstill is damped (Pacejka, 8.6.2).
Energy: that of the vertical spring; all else is lost.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ...._jit import jit
from ....model.builder.teaching import sound
from ...duals import real, sign, size, sqrt
from .plain import PlainTyre, plain, plain_parameters
from .plain_laws import OWN, ahead, rolling, slips, vertical
from .tyre import tyre_kind

CSLIP, CALPHA, UMIN, UMAX, WIDTH = range(OWN, OWN + 5)


@dataclass
class FialaTyre(PlainTyre):
    """TYRE_FIALA: Fiala's tyre between the wheel of marker ``i`` (its centre, y axis along the spin axis, to the left
    of forward travel) and the flat road of marker ``j`` (z up).

    ``cslip``: force per kappa; ``calpha``: force per rad; ``umin``, ``umax``: friction at full slip
    and at none; ``width``: of the
    contact, twice the arm of M_z; ``rolling_resistance``: length; ``relax_x``, ``relax_y``: relaxation lengths;
    ``slow``: speed below which sliding is damped.
    """

    KIND: ClassVar[str] = "TYRE_FIALA"
    cslip: float = 0.0
    calpha: float = 0.0
    umin: float = 0.0
    umax: float = 0.0
    width: float = 0.0

    def faults(self, model):
        """Invalid values: sizes that are not positive."""
        yield from PlainTyre.faults(self, model)
        for name in ("cslip", "calpha", "umax"):
            if not getattr(self, name) > 0.0:
                yield f"{name} is {getattr(self, name):g}; give a positive number"
        for name in ("umin", "width"):
            if getattr(self, name) < 0.0:
                yield f"{name} is {getattr(self, name):g}; give zero or a positive number"
        if self.umin > self.umax:
            yield f"umin is {self.umin:g} and umax {self.umax:g}; friction at full slip is not above that at none"


def tyre_fiala(
    model,
    i,
    j,
    *,
    radius: float,
    stiffness: float,
    cslip: float,
    calpha: float,
    umax: float,
    umin: float | None = None,
    damping: float = 0.0,
    width: float = 0.0,
    rolling_resistance: float = 0.0,
    relax_x: float | None = None,
    relax_y: float | None = None,
    slow: float | None = None,
    load_curve=(),
    contact: str = "POINT",
    footprint: Any = None,
    name: str = "",
    id: int = 0,
) -> FialaTyre:
    """Fiala's tyre on the wheel of marker ``i`` (origin its centre, y axis along the spin axis, to the left of forward
    travel) and the flat road of marker ``j`` (z axis up); `holonom.elements.forces.tyres.fiala` has the equations.

    ``radius``, ``width``, ``rolling_resistance``, ``relax_x``, ``relax_y``: length; ``stiffness``: force/length;
    ``damping``: force*time/length; ``cslip``,
    ``calpha``: force; ``umin``: by default
    ``umax``; relaxation lengths by default a radius; ``slow``: a speed, default 1 m/s.  Raises `ModelError` for sizes
    that are not positive.

        model.tyre_fiala(hub, road, radius=0.31, stiffness=2e5, cslip=8e4, calpha=6e4, umax=0.9, umin=0.8, damping=300,
            width=0.2)
    """
    given = dict(
        radius=radius,
        stiffness=stiffness,
        damping=damping,
        cslip=cslip,
        calpha=calpha,
        umax=umax,
        umin=umax if umin is None else umin,
        width=width,
        rolling_resistance=rolling_resistance,
        relax_x=relax_x,
        relax_y=relax_y,
        slow=slow,
        load_curve=load_curve,
    )
    return model.add(sound(FialaTyre(id=id, name=name, **plain(model, i, j, contact, footprint, given)), model))


def parameters(e, model):
    return plain_parameters(e, model, e.cslip, e.calpha, [e.cslip, e.calpha, e.umin, e.umax, e.width])


@jit
def slip_forces(c, fz, kappa, tana, mu):
    """F_x, F_y, M_z."""
    s = sqrt(kappa * kappa + tana * tana)
    if real(s) > 1.0:
        s = s * 0.0 + 1.0
    grip = (c[UMAX] - (c[UMAX] - c[UMIN]) * s) * fz * mu
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
def law(c, s, x):
    rho, rate, vx, vsy, omega, gamma, psi, mu = s
    fz, push, stored = vertical(c, rho, rate)
    most = 3.0 * c[UMAX] * mu * fz
    kappa, tana, du, dv = slips(c, rho, vx, vsy, omega, x[0], x[1], most / c[CSLIP], most / c[CALPHA])
    fx, fy, mz = slip_forces(c, fz, kappa, tana, mu)
    zero = fz * 0.0
    return fx, fy, fz, zero, rolling(c, fz, omega), ahead(c, vx) * mz, stored, push, du, dv, zero, zero


KIND = tyre_kind(FialaTyre, tyre_fiala, law, parameters, lambda e: e.radius)
