"""Formulas that contacts of a few bodies and grains in bulk share, as functions of numbers: laws of both rooms call
them, on the processor and on a GPU.

d depth > 0, v = d' its rate; what laws do about a force that would pull is their own matter.
"""

from __future__ import annotations

import math

from ..._jit import jit


@jit
def power(d, n):
    """d^n, without the library's power (40 ns) for the exponents that nearly all contacts have."""
    if n == 1.5:
        return d * math.sqrt(d)
    if n == 1.0:
        return d
    return math.pow(d, n)


@jit
def damping_at(c, dmax, d):
    """c STEP(d, 0, 0, dmax, 1): the damping of IMPACT at depth d."""
    if d < dmax:
        x = d / dmax
        return c * (x * x * (3.0 - 2.0 * x))
    return c


@jit
def stored(S, n, d):
    """Energy of an elastic force S = k d^n at depth d."""
    return S * d / (n + 1.0)


@jit
def sliding(mu_s, mu_d, vs, vd, u):
    """COULOMB's coefficient of friction at the slip speed u from vs on: STEP(u, vs, mu_s, vd, mu_d)."""
    if u >= vd:
        return mu_d
    if u <= vs:
        return mu_s
    x = (u - vs) / (vd - vs)
    return mu_s + (mu_d - mu_s) * x * x * (3.0 - 2.0 * x)


@jit
def smooth_sign(x, w):
    """tanh(x / w) / x, a sign of x over x that is finite at rest."""
    z = x / w
    if abs(z) < 1e-4:
        return (1.0 - z * z / 3.0) / w
    return math.tanh(z) / x


# what is remembered of a time: zero represents nothing, and a time that is zero is a number that differs from zero by
# nothing that counts
NEVER, AT_ZERO = 0.0, 1e-300


@jit
def stamp(t):
    """The time t as it is remembered."""
    return t if t != 0.0 else AT_ZERO


@jit
def elapsed(kept, t):
    """Time since the one that is remembered; 0 where none is, or before it."""
    if kept == NEVER:
        return 0.0
    return max(0.0, t - kept)


def restitution_of(zeta: float) -> float:
    """Restitution of a linear spring and damper that never pulls, of the damping ratio zeta = c / (2 sqrt(k m)).

    Source: Schwager, Poeschel, Granular Matter 9 (2007) 465.
    """
    if zeta < 1.0:
        wd = math.sqrt(1.0 - zeta * zeta)
        return math.exp(-zeta / wd * math.atan2(2.0 * zeta * wd, 2.0 * zeta * zeta - 1.0))
    if zeta == 1.0:
        return math.exp(-2.0)
    s = math.sqrt(zeta * zeta - 1.0)
    return math.exp(-zeta / s * 2.0 * math.asinh(s))
