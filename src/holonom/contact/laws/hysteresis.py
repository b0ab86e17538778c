"""What the laws of Hunt and Crossley's family share: F = S(d) (1 + (a + D/v0) d'), with S = k d^n and v0 the speed of
the impact.

a is a property of the materials; D is a number that each law computes from a restitution e (its file states how), with
v0 remembered at the onset.  The force vanishes at d = 0 at both ends of an impact, and it never pulls.

**What such a law really gives.**  With b = a + D/v0, m v dv/dd = -S(d) (1 + b v).  The way in and the way out cover the
same depths, so for every S, m and n

    integral of v/(1 + b v) from 0 to v0 = integral of -v/(1 + b v) from -e v0 to 0,   that is
    B (1 + e) = ln((1 + B) / (1 - e B)),   B = b v0                                                       (*)

(Gonthier, McPhee, Lange, Piedboeuf, Multibody System Dynamics 11 (2004) 209; Carvalho, Martins, Mechanism and Machine
Theory 139
(2019) 174).  `restitution_of` and `factor_of` solve (*) for e and for B; the laws of the family differ only in how well
their D(e) follows it.

Below the speed ``vmin`` v0 is held at vmin, so that a contact that settles is not damped more and more.
"""

from __future__ import annotations

import math

from ..._jit import jit
from ...model.base import ModelError
from ._read import number, slow
from .formulas import power, stored

COLUMNS = (
    ("k", "stiffness", "force/length^n"),
    ("n", "exponent", ""),
    ("D", "damping factor over the impact speed", ""),
    ("vmin", "least speed that counts as impact speed", "length/time"),
    ("a", "damping factor that does not depend on the impact", "time/length"),
)
K, EXP, FACTOR, VMIN, RATE = range(5)
MEMORY = 1  # impact speed


@jit
def damped(S, dS, b, v, out):
    """Force S (1 + b v), not below 0; out[0:2] its derivatives; out[2] <- S."""
    g = 1.0 + b * v
    out[2] = S
    if g <= 0.0:
        out[0] = 0.0
        out[1] = 0.0
        return 0.0
    out[0] = dS * g
    out[1] = S * b
    return S * g


@jit(entry="float64[:, ::1], int64, float64, float64, float64[:, ::1], int64, float64, float64[::1]")
def force(p, k, d, v, mem, q, t, out):
    S = p[k, K] * power(d, p[k, EXP])
    b = p[k, RATE]
    out[3] = stored(S, p[k, EXP], d)
    if p[k, FACTOR] != 0.0:
        v0 = mem[q, 0]
        if v0 == 0.0:  # inside a step whose onset is not yet located
            v0 = max(abs(v), p[k, VMIN])
            F = damped(S, p[k, EXP] * S / d, b + p[k, FACTOR] / v0, v, out)
            if abs(v) > p[k, VMIN] and F > 0.0:
                out[1] = S * b
            return F
        b += p[k, FACTOR] / v0
    return damped(S, p[k, EXP] * S / d, b, v, out)


@jit(entry="float64[:, ::1], int64, float64, float64, float64[:, ::1], int64, float64")
def accept(p, k, d, v, mem, q, t):
    if mem[q, 0] == 0.0:
        mem[q, 0] = max(v, p[k, VMIN])


def _balance(B: float, e: float) -> float:
    """(B (1 + e) - ln((1 + B) / (1 - e B))) / B^2: falls in B and in e, 0 at (*)."""
    if B < 0.05:  # series: differences of logarithms lose digits
        return sum(B ** (i - 2) / i * ((-1.0) ** i - e**i) for i in range(2, 16))
    return (B * (1.0 + e) - math.log1p(B) + math.log(max(1.0 - e * B, 1e-300))) / (B * B)


def restitution_of(B: float) -> float:
    """e from (*); 1 at B = 0, 1/B for large B."""
    if B < 0.0:
        raise ModelError(f"a damping factor must not be negative, it is {B:g}")
    from scipy.optimize import brentq
    from scipy.special import lambertw

    if B >= 0.05:
        return (1.0 + float(lambertw(-(1.0 + B) * math.exp(-(1.0 + B))).real)) / B
    return float(brentq(lambda e: _balance(B, e), 0.0, 1.0, xtol=1e-15)) if B > 0.0 else 1.0


def factor_of(e: float) -> float:
    """B from (*), for 0 < e <= 1.  Raises ModelError outside."""
    if not 0.0 < e <= 1.0:
        raise ModelError(
            f"a restitution between 0 (excluded) and 1 can be reached, not {e:g}: at 0 the damping is infinite"
        )
    if e == 1.0:
        return 0.0
    from scipy.optimize import brentq

    most = (1.0 - 1e-15) / e
    return 1.0 / e if _balance(most, e) >= 0.0 else float(brentq(lambda B: _balance(B, e), 0.0, most, xtol=1e-15))


def family(name: str, factor, zero: bool):
    """(row, damping_for) of a law whose D is ``factor(e)``, a falling function; ``zero``: whether it is finite at e =
    0."""
    top = factor(0.0 if zero else 1e-6)

    def row(contact, context=None) -> tuple[float, ...]:
        bound = {"least": 0.0} if zero else {"above": 0.0}
        e = number(contact, "restitution", most=1.0, **bound)
        k = number(contact, "stiffness", above=0.0)
        return k, number(contact, "exponent", 1.5, least=1.0), factor(e), slow(contact, context), 0.0

    def damping_for(restitution: float, speed: float, row, mass: float | None = None) -> float:
        B = factor_of(restitution) * max(speed, row[VMIN]) / speed
        if B > top * (1.0 + 1e-12):
            lowest = restitution_of(top * speed / max(speed, row[VMIN]))
            raise ModelError(
                f"{name} gives restitutions from {lowest:.4f} to 1 at speed {speed:g}, whatever is required of its "
                "formula; "
                f"{restitution:g} needs another law (CARVALHO_MARTINS gives any)"
            )
        lo, hi = (0.0 if zero else 1e-6), 1.0
        for _ in range(200):
            e = 0.5 * (lo + hi)
            if e in (lo, hi):
                break
            if factor(e) > B:
                lo = e
            else:
                hi = e
        return e

    damping_for.__doc__ = (
        f"The ``restitution`` to give to {name} so that an impact at ``speed`` really has the wanted one (it depends "
        "on neither "
        "stiffness nor mass, nor on the speed above vmin).  Raises ModelError where no value does."
    )
    return row, damping_for
