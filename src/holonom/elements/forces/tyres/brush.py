"""TYRE_BRUSH: bristles over a parabolic pressure, of one stiffness and one friction in all directions.

With the theoretical slips sigma_x = kappa / (1 + kappa), sigma_y = tan(alpha) / (1 + kappa), their length sigma, the
half length of the contact a = half_length sqrt(Fz / load), the slip stiffness C = stiffness_slip Fz / load and the
share that slides theta = C sigma / (3 mu Fz):

    F     mu Fz (3 theta - 3 theta^2 + theta^3) while theta < 1, then mu Fz, against the slip
    M_z   -t F_y sgn(V_x),  t = a / 3 (1 - theta)^3 / (1 - theta + theta^2 / 3),  zero while all slides
    mu    friction / (1 + fall V_s)

(H. B. Pacejka, Tire and Vehicle Dynamics (2012), 3.2.1 to 3.2.3.)  A camber thrust of stiffness ``camber`` Fz gamma
acts as far as friction is left.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ...._jit import jit
from ....model.builder.teaching import sound
from ...duals import real, sqrt
from .plain import PlainTyre, plain, plain_parameters
from .plain_laws import OWN, ahead, rolling, slips, vertical
from .tyre import tyre_kind

C, LOAD, HALF, MU, FALL, CAMBER = range(OWN, OWN + 6)
LEAST = 0.05  # of 1 + kappa: a wheel that is locked slides all the same


@dataclass
class BrushTyre(PlainTyre):
    """TYRE_BRUSH: brush model between the wheel of marker ``i`` and a road.

    ``slip_stiffness``: force per slip at ``load``, in proportion to the load; ``half_length``: of the contact at
    ``load``, with the root of the load; ``friction``; ``fall``: of friction with the sliding speed; ``camber``: thrust
    per load and rad.
    """

    KIND: ClassVar[str] = "TYRE_BRUSH"
    slip_stiffness: float = 0.0
    load: float = 0.0
    half_length: float = 0.0
    friction: float = 0.0
    fall: float = 0.0
    camber: float = 0.0

    def faults(self, model):
        """Invalid values: sizes that are not positive."""
        yield from PlainTyre.faults(self, model)
        for name in ("slip_stiffness", "load", "half_length", "friction"):
            if not getattr(self, name) > 0.0:
                yield f"{name} is {getattr(self, name):g}; give a positive number"
        for name in ("fall", "camber"):
            if getattr(self, name) < 0.0:
                yield f"{name} is {getattr(self, name):g}; give zero or a positive number"


def tyre_brush(
    model,
    i,
    j,
    *,
    radius: float,
    stiffness: float,
    slip_stiffness: float,
    load: float,
    half_length: float,
    mu: float,
    fall: float = 0.0,
    camber: float = 0.0,
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
) -> BrushTyre:
    """The brush model on the wheel of marker ``i`` (origin its centre, y axis along the spin axis, to the left of
    forward travel) on ``j``, a road or a marker of a flat one (z axis up); `holonom.elements.forces.tyres.brush` has
    the equations.

    ``slip_stiffness``, ``load``: force; ``half_length``: length; ``mu`` (friction), ``camber``: numbers; ``fall``:
    time/length; the rest as for ``tyre_fiala``. Raises `ModelError` for sizes that are not positive.

        model.tyre_brush(hub, road, radius=0.31, stiffness=2e5, slip_stiffness=8e4, load=4000, half_length=0.07,
            mu=0.9)
    """
    given = dict(
        radius=radius,
        stiffness=stiffness,
        slip_stiffness=slip_stiffness,
        load=load,
        half_length=half_length,
        friction=mu,
        fall=fall,
        camber=camber,
        damping=damping,
        rolling_resistance=rolling_resistance,
        relax_x=relax_x,
        relax_y=relax_y,
        slow=slow,
        load_curve=load_curve,
    )
    return model.add(sound(BrushTyre(id=id, name=name, **plain(model, i, j, contact, footprint, given)), model))


def parameters(e, model):
    return plain_parameters(
        e,
        model,
        e.slip_stiffness,
        e.slip_stiffness,
        [e.slip_stiffness, e.load, e.half_length, e.friction, e.fall, e.camber],
    )


@jit
def slip_forces(c, fz, kappa, tana, gamma, speed, mu):
    """F_x, F_y, M_z at a load, slips, an inclination, a sliding speed and the road's friction."""
    zero = fz * 0.0 + kappa * 0.0 + tana * 0.0 + gamma * 0.0 + speed * 0.0 + mu * 0.0
    if real(fz) <= 0.0 or real(mu) <= 0.0:
        return zero, zero, zero
    k = 1.0 + kappa
    if real(k) < LEAST:
        k = k * 0.0 + LEAST
    sx = kappa / k
    sy = tana / k
    s = sqrt(sx * sx + sy * sy)
    grip = c[MU] * mu * fz / (1.0 + c[FALL] * speed)
    stiff = c[C] * fz / c[LOAD]
    theta = stiff * s / (3.0 * grip)
    left = 1.0 - theta
    trail = zero
    if real(left) <= 0.0:
        share = grip / s
        left = zero
    else:
        # F / sigma, which is smooth at no slip
        share = stiff * (1.0 - theta + theta * theta / 3.0)
        trail = c[HALF] * sqrt(fz / c[LOAD]) / 3.0 * left * left * left / (1.0 - theta + theta * theta / 3.0)
    fy = -share * sy
    return share * sx + zero, fy - c[CAMBER] * fz * gamma * left * left + zero, -trail * fy + zero


@jit
def law(c, s, x):
    rho, rate, vx, vsy, omega, gamma, psi, mu = s
    fz, push, stored = vertical(c, rho, rate)
    most = 3.0 * c[MU] * mu * c[LOAD] / c[C] + fz * 0.0
    kappa, tana, du, dv = slips(c, rho, vx, vsy, omega, x[0], x[1], most, most)
    vsx = vx - omega * (c[0] - rho)
    fx, fy, mz = slip_forces(c, fz, kappa, tana, gamma, sqrt(vsx * vsx + vsy * vsy), mu)
    zero = fz * 0.0
    return fx, fy, fz, zero, rolling(c, fz, omega), ahead(c, vx) * mz, stored, push, du, dv, zero, zero


KIND = tyre_kind(BrushTyre, tyre_brush, law, parameters, lambda e: e.radius)
