"""POISSON: F = P d STEP(v, -vt, e^2, vt, 1), v = d' > 0 approaching: the penalty P on the way in, e^2 P on the way out.

PENALTY P and RESTITUTION_COEFFICIENT e are those of Adams' CONTACT.  The Adams Solver manual describes P as a local
stiffness and e as the loss of an impact (0 plastic, 1 elastic), and does not publish the formula; neither its augmented
Lagrangian.  Here energy
decides: what a linear spring took in on the way in returns times e^2, so the speed of separation is e times that of
the impact, for every mass and speed above the transition speed vt (``normal_transition_velocity``, 1 mm/s unless given;
MotionSolve's POISSON has a parameter of that name).  Below it the contact is stiffer to slow motion in than out,
smoothly, and still dissipates:
(STEP(v) - STEP(0)) v >= 0.  At e = 0 the force ends with the approach and the depth stays.

With vt not small against the speed v0 of the impact the energy balance, integral of v/s(v) from 0 to v0 = the same from
0 to the way out, gives the real restitution (`real_restitution`); `damping_for` inverts it.
"""

from __future__ import annotations

from ..._jit import jit
from ...model.base import ModelError
from ._read import NOTHING, number

COLUMNS = (
    ("P", "penalty", "force/length"),
    ("e2", "square of the restitution", ""),
    ("vt", "speed within which it changes from in to out", "length/time"),
)
MEMORY = 0
PARAMETER = "restitution"  # what damping_for finds


def row(contact, context=None) -> tuple[float, ...]:
    c = context or NOTHING
    e = number(contact, "restitution", least=0.0, most=1.0)
    vt = number(contact, "normal_transition_velocity", 1e-3 * c.metre / c.second, above=0.0)
    return number(contact, "penalty", above=0.0), e * e, vt


@jit(entry="float64[:, ::1], int64, float64, float64, float64[:, ::1], int64, float64, float64[::1]")
def force(p, k, d, v, mem, q, t, out):
    vt = p[k, 2]
    s = 1.0
    c = 0.0
    if v <= -vt:
        s = p[k, 1]
    elif v < vt:
        x = 0.5 * (v + vt) / vt
        s = p[k, 1] + (1.0 - p[k, 1]) * x * x * (3.0 - 2.0 * x)
        c = (1.0 - p[k, 1]) * 3.0 * x * (1.0 - x) / vt
    S = p[k, 0] * d
    out[0] = p[k, 0] * s
    out[1] = S * c
    out[2] = S * 0.5 * (1.0 + p[k, 1])  # the force of slow motion
    out[3] = 0.5 * d * out[2]
    return S * s


def _share(v: float, e2: float, vt: float) -> float:
    x = min(max(0.5 * (v + vt) / vt, 0.0), 1.0)
    return e2 + (1.0 - e2) * x * x * (3.0 - 2.0 * x)


def real_restitution(speed: float, e: float, vt: float) -> float:
    """What an impact at ``speed`` gives; e itself for vt much smaller than e times speed."""
    from scipy.integrate import quad  # slow to load
    from scipy.optimize import brentq

    e2 = e * e
    u = min(speed, vt)
    energy = quad(lambda v: v / _share(v, e2, vt), 0.0, u, epsabs=0.0, epsrel=1e-13)[0] + 0.5 * (speed**2 - u**2)
    small = quad(lambda v: v / _share(-v, e2, vt), 0.0, vt, epsabs=0.0, epsrel=1e-13)[0] if e > 0.0 else float("inf")
    if energy > small:
        return (vt * vt + 2.0 * e2 * (energy - small)) ** 0.5 / speed
    out = brentq(
        lambda w: quad(lambda v: v / _share(-v, e2, vt), 0.0, w, epsabs=0.0, epsrel=1e-13)[0] - energy,
        0.0,
        vt * (1 - 1e-12),
        xtol=1e-16,
    )
    return out / speed


def damping_for(restitution: float, speed: float, row, mass: float | None = None) -> float:
    """The RESTITUTION_COEFFICIENT with which an impact at ``speed`` has the wanted restitution.  Raises ModelError out
    of range."""
    from scipy.optimize import brentq

    if not 0.0 < restitution <= 1.0:
        raise ModelError(f"POISSON reaches restitutions above 0 up to 1, not {restitution:g}")
    if restitution == 1.0:
        return 1.0
    vt = row[2]
    least = real_restitution(speed, 1e-3, vt)
    if restitution <= least:
        raise ModelError(
            f"POISSON at speed {speed:g} with NORMAL_TRANSITION_VELOCITY {vt:g} gives restitutions from {least:.4f} to "
            f"1, not {restitution:g}: "
            "reduce the transition velocity"
        )
    return float(brentq(lambda e: real_restitution(speed, e, vt) - restitution, 1e-3, 1.0, xtol=1e-13))
