"""Laws that tyres of few numbers share (`plain`): load, slips that lag, rolling resistance; and the columns of their
numbers."""

from __future__ import annotations

from ...._jit import jit
from ...duals import real
from .contact import edge, heading, patch_slips, way
from .curve import curve

R0, CZ, KZ, ROLLING, RELAX_X, RELAX_Y, SLOW, SHARE, CALM_X, CALM_Y, CURVE, OWN = range(12)


@jit
def vertical(c, rho, rate):
    """Fz, elastic force, energy stored."""
    zero = rho * 0.0 + rate * 0.0
    if real(rho) <= 0.0:
        return zero, zero, zero
    o = int(c[CURVE])
    push, stored = c[CZ] * rho, 0.5 * c[CZ] * rho * rho
    if c[o] > 0.0:
        push, stored = curve(c, o, rho)
    fz = push + c[KZ] * rate
    return (fz if real(fz) > 0.0 else zero), push + zero, stored + zero


@jit
def slips(c, rho, vx, vsy, omega, u, v, edge_x, edge_y):
    """kappa and tan(alpha) of the patch that lags, rates of u and v; ``edge_x``, ``edge_y``: slips from which the whole
    patch slides."""
    vsx = vx - omega * (c[R0] - c[SHARE] * rho)
    return patch_slips(
        c[SLOW], vx, vsx, vsy, u, v, c[RELAX_X], c[RELAX_Y], edge(edge_x), edge(edge_y), c[CALM_X], c[CALM_Y]
    )


@jit
def ahead(c, vx):
    """1 rolling forward, -1 rolling backward: the patch is entered from the other side, so that the arm of the side
    force changes its sign (Pacejka, 4.E42)."""
    return heading(c[SLOW], vx)


@jit
def rolling(c, fz, omega):
    return -c[ROLLING] * fz * way(c[SLOW], omega * c[R0])
