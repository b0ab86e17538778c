"""TYRE_UA: the tyre of the University of Arizona (Gim), a brush of two stiffnesses and a friction that falls with slip.

With kappa driving (kappa > 0) S_s = kappa / (1 + kappa), S_a = |tan(alpha)| / (1 + kappa), else S_s = |kappa|, S_a =
|tan(alpha)|; their length S, kept below one:

    U        UMAX - (UMAX - UMIN) S,     U_x = U S_s / S,    U_y = U S_a / S
    S_n      sqrt((CSLIP S_s)^2 + (CALPHA S_a)^2) / (3 U Fz),      l_n = 1 - S_n,       l = sqrt(8 radius rho)
        length of the contact
    F_x      CSLIP S_s l_n^2 + U_x Fz (1 - 3 l_n^2 + 2 l_n^3)    with the sign of kappa;     U_x Fz while all slides
        (S_n >= 1)
    F_y      CALPHA S_a l_n^2 + U_y Fz (1 - 3 l_n^2 + 2 l_n^3)   against alpha;              U_y Fz
    M_z      (CALPHA S_a (-1/2 + 2/3 l_n) + 3/2 U_y Fz S_n^2) l_n^2 l    with alpha's sign, changed rolling backward;
        zero
    camber   -CGAMMA gamma l_n^2: where the bristles stick

G. Gim, Vehicle Dynamic Simulation with a Comprehensive Model for Pneumatic Tires (PhD thesis, University of Arizona,
1988); G. Gim, P. E. Nikravesh, Int. J. Vehicle Design 11 (1990) 589-618.  The thesis treats camber by cases of its
sense relative to that of the slip angle; here it is a thrust that fades as the contact slides.  The effective rolling
radius is the loaded one, as in Adams.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ...._jit import jit
from ....model.builder.teaching import sound
from ...duals import real, sqrt
from .plain import PlainTyre, plain, plain_parameters
from .plain_laws import OWN, R0, ahead, rolling, slips, vertical
from .tyre import tyre_kind

CSLIP, CALPHA, CGAMMA, UMIN, UMAX = range(OWN, OWN + 5)


@dataclass
class UaTyre(PlainTyre):
    """TYRE_UA: Gim's tyre between the wheel of marker ``i`` and a road.

    ``cslip``: force per kappa; ``calpha``, ``cgamma``: force per rad; ``umin``, ``umax``: friction at full slip and at
    none.
    """

    KIND: ClassVar[str] = "TYRE_UA"
    cslip: float = 0.0
    calpha: float = 0.0
    cgamma: float = 0.0
    umin: float = 0.0
    umax: float = 0.0

    def faults(self, model):
        """Invalid values: sizes that are not positive."""
        yield from PlainTyre.faults(self, model)
        for name in ("cslip", "calpha", "umax", "umin"):
            if not getattr(self, name) > 0.0:
                yield f"{name} is {getattr(self, name):g}; give a positive number"
        if self.cgamma < 0.0:
            yield f"cgamma is {self.cgamma:g}; give zero or a positive number"
        if self.umin > self.umax:
            yield f"umin is {self.umin:g} and umax {self.umax:g}; friction at full slip is not above that at none"


def tyre_ua(
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
    cgamma: float = 0.0,
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
) -> UaTyre:
    """The tyre of the University of Arizona on the wheel of marker ``i`` (origin its centre, y axis along the spin
    axis, to the left of forward travel) on ``j``, a road or a marker of a flat one (z axis up);
    `holonom.elements.forces.tyres.ua` has the equations.

    ``cslip``, ``calpha``, ``cgamma``: force; ``umin``: by default ``umax``; the rest as for ``tyre_fiala``.  Raises
    `ModelError` for sizes that are not positive.

        model.tyre_ua(hub, road, radius=0.31, stiffness=2e5, cslip=8e4, calpha=6e4, cgamma=3e3, umax=0.9, umin=0.8)
    """
    given = dict(
        radius=radius,
        stiffness=stiffness,
        cslip=cslip,
        calpha=calpha,
        cgamma=cgamma,
        umax=umax,
        umin=umax if umin is None else umin,
        damping=damping,
        rolling_resistance=rolling_resistance,
        relax_x=relax_x,
        relax_y=relax_y,
        slow=slow,
        load_curve=load_curve,
    )
    return model.add(sound(UaTyre(id=id, name=name, **plain(model, i, j, contact, footprint, given)), model))


def parameters(e, model):
    return plain_parameters(e, model, e.cslip, e.calpha, [e.cslip, e.calpha, e.cgamma, e.umin, e.umax])


@jit
def slip_forces(c, fz, length, kappa, tana, gamma, mu):
    """F_x, F_y, M_z at a load, a length of the contact, slips, an inclination and the road's friction."""
    zero = fz * 0.0 + kappa * 0.0 + tana * 0.0 + gamma * 0.0 + mu * 0.0 + length * 0.0
    k = 1.0 + kappa if real(kappa) > 0.0 else zero + 1.0
    sx = kappa / k
    sy = tana / k
    s = sqrt(sx * sx + sy * sy)
    u = c[UMAX] - (c[UMAX] - c[UMIN]) * (s if real(s) < 1.0 else zero + 1.0)
    grip = u * mu * fz
    if real(grip) <= 0.0:
        return zero, zero, zero
    a, b = c[CSLIP] * sx, c[CALPHA] * sy
    n = sqrt(a * a + b * b) / (3.0 * grip)
    left = 1.0 - n
    if real(left) <= 0.0:
        return grip * sx / s + zero, -grip * sy / s + zero, zero
    q = left * left
    # (1 - 3 l^2 + 2 l^3) / S: of the order of S_n^2 / S
    slide = zero if real(s) == 0.0 else grip * n * n * (3.0 - 2.0 * n) / s
    fx = a * q + slide * sx
    fy = -(b * q + slide * sy) - c[CGAMMA] * gamma * q
    lateral = zero if real(s) == 0.0 else grip * sy / s
    return fx + zero, fy + zero, (b * (-0.5 + 2.0 / 3.0 * left) + 1.5 * lateral * n * n) * q * length + zero


@jit
def law(c, s, x):
    rho, rate, vx, vsy, omega, gamma, psi, mu = s
    fz, push, stored = vertical(c, rho, rate)
    most = 3.0 * c[UMAX] * mu * fz
    kappa, tana, du, dv = slips(c, rho, vx, vsy, omega, x[0], x[1], most / c[CSLIP], most / c[CALPHA])
    length = sqrt(8.0 * c[R0] * rho) if real(rho) > 0.0 else rho * 0.0
    fx, fy, mz = slip_forces(c, fz, length, kappa, tana, gamma, mu)
    zero = fz * 0.0
    return fx, fy, fz, zero, rolling(c, fz, omega), ahead(c, vx) * mz, stored, push, du, dv, zero, zero


KIND = tyre_kind(UaTyre, tyre_ua, law, parameters, lambda e: e.radius)
