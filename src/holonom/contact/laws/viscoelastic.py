"""VISCOELASTIC: generalised Maxwell with relaxation: F = sum of g_i h_i + g S(d), S = k d^n, h_i' = S' - h_i / tau_i.

k is the instantaneous stiffness; a Prony series G(t) = g + sum of g_i exp(-t/tau_i), g = 1 - sum of g_i, relaxes it:
held at a depth, the force falls as G(t); held under a load, the depth creeps.  Up to four branches (parameters g1, tau1
... g4, tau4).  With n = 3/2 it is Lee and Radok's contact of viscoelastic bodies while the contact grows (Journal of
Applied Mechanics 27 (1960) 438); on the way out the quasi-linear form is an approximation (Ting 1966 is the exact one),
chosen because it is dissipative: with z_i = S - h_i the force in the dashpot's spring and d(z) = (z/k)^(1/n)

    stored energy of a branch = integral of (y - z) dd(y) from z to S,   loss = (d(S) - d(z)) (S - z) / tau >= 0

A branch loses also at rest, so the law gives the loss itself.  With s = sum of g_i z_i and q = sum of g_i z_i d(z_i),
the contact stores

    (S d(S) + n q)/(n + 1) - d(S) s.

**Update.**  The memory holds t, S, S' and the h_i of the last accepted step; within the step S is the cubic through S
and S' at both ends, and its convolution with exp(-t/tau) is taken exactly, so the force has order 4 in the step and no
stability limit, however short tau is.  Exact where S is constant.  The force never pulls: leaving faster than the
material recovers ends the contact with a dent, S(dent) = s, which is forgotten.  What is stored in the material then,
n/(n + 1) (q - s d(s)), does no work any more; it is counted as lost while the surface is left: of it a share x^2 (3 - 2
x) is still there, x = d/d(s), which falls from 1 to 0.

Update after Taylor, Pister, Goudreau, International Journal for Numerical Methods in Engineering 2 (1970) 45, there
with S linear.
"""

from __future__ import annotations

import math

from ..._jit import jit
from ...model.base import ModelError
from ._read import error, number
from .formulas import elapsed, power, stamp

COLUMNS = (
    ("k", "instantaneous stiffness", "force/length^n"),
    ("n", "exponent", ""),
    *((f"g{i}", f"share of branch {i}", "") for i in range(1, 5)),
    *((f"tau{i}", f"relaxation time of branch {i}", "time") for i in range(1, 5)),
)
BRANCHES = 4
K, EXP, SHARE, TAU = 0, 1, 2, 6
TIME, FORCE, SLOPE, BRANCH = range(4)  # columns of the memory
MEMORY = 7  # time, S, S', h of the branches
RELAXES = True  # energy is lost at rest too
HISTORY = True  # what is remembered follows the motion, not only the onset
PARAMETER = "g1"  # what damping_for finds


def row(contact, context=None) -> tuple[float, ...]:
    k, n = number(contact, "stiffness", above=0.0), number(contact, "exponent", 1.5, least=1.0)
    g = [number(contact, f"g{i}", 0.0, least=0.0, most=1.0) for i in range(1, 5)]
    tau = [number(contact, f"tau{i}", 0.0 if share == 0.0 else None, least=0.0) for i, share in enumerate(g, 1)]
    if sum(g) > 1.0 + 1e-12:
        raise error(
            contact,
            f"the shares g1 ... g4 of its Prony series sum to {sum(g):g}, which leaves less than nothing at long times",
        )
    for i, (share, time) in enumerate(zip(g, tau), 1):
        if share > 0.0 and time <= 0.0:
            raise error(contact, f"branch {i} of its Prony series needs a relaxation time TAU{i} above 0")
    return (k, n, *g, *(x if x > 0.0 else 1.0 for x in tau))


@jit
def _moments(x):
    """integrals of exp(-x (1 - u)) u^j over 0..1, j = 0, 1, 2"""
    if x < 0.3:
        a = 0.0
        b = 0.0
        c = 0.0
        f = 1.0
        for i in range(12):  # sum of (-x)^i j!/(i + j + 1)!
            f = f / (i + 1.0)
            a += f
            b += f / (i + 2.0)
            c += 2.0 * f / ((i + 2.0) * (i + 3.0))
            f = -x * f
        return a, b, c
    a = (1.0 - math.exp(-x)) / x
    b = (1.0 - a) / x
    return a, b, (1.0 - 2.0 * b) / x


@jit
def _branch(p, k, i, mem, q, h, S, S1):
    """force in branch i after the time h, its derivatives by S and S'"""
    x = h / p[k, TAU + i]
    a, b, c = _moments(x)
    f = math.exp(-x) * mem[q, BRANCH + i] + 6.0 * (b - c) * (S - mem[q, FORCE])
    f += h * ((a - 4.0 * b + 3.0 * c) * mem[q, SLOPE] + (3.0 * c - 2.0 * b) * S1)
    return f, 6.0 * (b - c), h * (3.0 * c - 2.0 * b)


@jit(entry="float64[:, ::1], int64, float64, float64, float64[:, ::1], int64, float64, float64[::1]")
def force(p, k, d, v, mem, q, t, out):
    n = p[k, EXP]
    S = p[k, K] * power(d, n)
    dS = n * S / d
    S1 = dS * v
    ddS = (n - 1.0) * dS / d
    h = elapsed(mem[q, TIME], t)  # none inside a step whose onset is not yet located: no time to relax
    g = 1.0
    F = 0.0
    fS = 0.0
    f1 = 0.0
    s = 0.0
    s1 = 0.0  # rate of s
    y = 0.0
    r = 0.0  # sum of g d(z) z'
    for i in range(4):
        w = p[k, SHARE + i]
        if w == 0.0:
            continue
        g -= w
        f, by_S, by_1 = _branch(p, k, i, mem, q, h, S, S1)
        F += w * f
        fS += w * by_S
        f1 += w * by_1
        z = max(0.0, S - f)
        dz = math.pow(z / p[k, K], 1.0 / n)
        z1 = (S - z) / p[k, TAU + i]
        s += w * z
        s1 += w * z1
        y += w * z * dz
        r += w * dz * z1
    g = max(0.0, g)
    F += g * S
    fS += g
    out[2] = F
    if F <= 0.0:
        ds = math.pow(s / p[k, K], 1.0 / n)
        kept = max(0.0, n / (n + 1.0) * (y - s * ds))
        x = min(1.0, d / ds)
        share = x * x * (3.0 - 2.0 * x)
        out[0] = 0.0
        out[1] = 0.0
        out[2] = 0.0
        out[3] = kept * share
        out[4] = (ds * s1 - r) * share - 6.0 * kept * x * (1.0 - x) * (v / ds - x * s1 / (n * s))
        return 0.0
    out[3] = (S * d + n * y) / (n + 1.0) - d * s
    out[4] = d * s1 - r
    out[0] = fS * dS + f1 * ddS * v
    out[1] = f1 * dS
    return F


@jit(entry="float64[:, ::1], int64, float64, float64, float64[:, ::1], int64, float64")
def accept(p, k, d, v, mem, q, t):
    S = 0.0
    S1 = 0.0
    if d > 0.0:
        S = p[k, K] * power(d, p[k, EXP])
        S1 = p[k, EXP] * S / d * v
    elif p[k, EXP] == 1.0:
        S1 = p[k, K] * v
    h = elapsed(mem[q, TIME], t)
    for i in range(4):
        if p[k, SHARE + i] != 0.0:
            mem[q, BRANCH + i] = _branch(p, k, i, mem, q, h, S, S1)[0]
    mem[q, TIME] = stamp(t)
    mem[q, FORCE] = S
    mem[q, SLOPE] = S1


def damping_for(restitution: float, speed: float, row, mass: float | None = None) -> float:
    """The share g1 (other branches and the relaxation times as in ``row``) with which an impact has the wanted
    restitution.

    By simulation (see `bounce`).  Raises ModelError when no share between 0 and 1 does: then change TAU1 towards the
    contact time.
    """
    from . import viscoelastic
    from .bounce import solve

    if mass is None:
        raise ModelError("VISCOELASTIC: its restitution depends on the effective mass of the impact: give mass")
    most = 1.0 - sum(row[3:6])
    return solve(viscoelastic, "VISCOELASTIC", restitution, speed, row, mass, 2, 0.0, most, "g1")
