"""LUGRE: bristle state z with Stribeck curve: z' = s - (|s| kt / (N g(|s|))) z,  F = -(kt z + ct z' + c2 N s).

g(u) = mu_d + (mu_s - mu_d) exp(-(u/vs)^2).  In steady sliding |F| = N (g + c2 u); at rest any |z| <= N g/kt holds.
Below break-away it creeps a little under a changing load, at every slip, as LuGre does; BRISTLE does not.
Written with forces (kt, ct do not scale with N), so that a changing normal force cannot pump the bristle.
Source: Canudas de Wit, Olsson, Astrom, Lischinsky, IEEE Trans. Automatic Control 40 (1995) 419; dissipative for
ct <= 4 kt / (a), a = |s| kt/(N g): Olsson 1996; here ct fades as exp(-(u/vs)^2) (their velocity-dependent damping),
which avoids it.

**Update.**  Within a step of length h the slip is taken as the mean w of both ends, and z' = w - a(w) z is solved
exactly: z = z0 exp(-a h) + w (1 - exp(-a h))/a.  Second order in the step, stable for every h; N -> 0 forgets z.
"""

from __future__ import annotations

import math

from ..._jit import jit
from ..laws._read import error, number
from ..laws.formulas import elapsed, stamp
from .bristle import CT, DEFLECTION, KT, SLIP, TIME, stiffness
from .coulomb import MU_D, MU_S, TABLE, VS, coefficients

COLUMNS = (
    ("mu_s", "coefficient at break-away", ""),
    ("mu_d", "coefficient in sliding", ""),
    ("vs", "Stribeck velocity", "length/time"),
    ("vd", "not used", "length/time"),
    ("kt", "bristle stiffness", "force/length"),
    ("ct", "bristle damping", "force*time/length"),
    ("c2", "viscous friction per normal force", "time/length"),
)
VISCOUS = 6
MEMORY = 7  # bristle, slip velocity, time


def row(contact, context=None) -> tuple[float, ...]:
    mu_s, mu_d, vs, vd = coefficients(contact)
    if min(mu_s, mu_d) <= 0.0:
        raise error(contact, "LUGRE needs MU_STATIC and MU_DYNAMIC above 0")
    kt, deformation = stiffness(contact, mu_s)
    ct = number(contact, "tangential_damping", kt * deformation / vs, least=0.0, table=TABLE)
    return mu_s, mu_d, vs, vd, kt, ct, number(contact, "viscous_friction", 0.0, least=0.0, table=TABLE)


@jit
def _grip(p, k, u):
    """g and its slope"""
    x = u / p[k, VS]
    y = (p[k, MU_S] - p[k, MU_D]) * math.exp(-x * x)
    return p[k, MU_D] + y, -2.0 * x / p[k, VS] * y


@jit
def _decay(x):
    """(1 - exp(-x))/x, its derivative"""
    if x < 1e-2:
        return 1.0 - x * (0.5 - x * (1.0 / 6.0 - x * (1.0 / 24.0 - x / 120.0))), -0.5 + x * (
            1.0 / 3.0 - x * (0.125 - x / 30.0)
        )
    f = -math.expm1(-x) / x
    return f, (math.exp(-x) - f) / x


@jit
def force(p, k, N, s, mem, q, t, out):
    h = elapsed(mem[q, TIME], t)
    kt = p[k, KT]
    if N <= 0.0:
        for i in range(16):
            out[i] = 0.0
        return
    w0 = 0.5 * (mem[q, SLIP] + s[0]) if h > 0.0 else s[0]
    w1 = 0.5 * (mem[q, SLIP + 1] + s[1]) if h > 0.0 else s[1]
    w2 = 0.5 * (mem[q, SLIP + 2] + s[2]) if h > 0.0 else s[2]
    half = 0.5 if h > 0.0 else 1.0
    wu = math.sqrt(w0 * w0 + w1 * w1 + w2 * w2)
    g, gd = _grip(p, k, wu)
    a = wu * kt / (N * g)  # rate of forgetting in the step
    E = math.exp(-a * h)
    f, fd = _decay(a * h)
    ad = kt / (N * g) * (1.0 - wu * gd / g)  # da/d|w|
    u = math.sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2])
    G, Gd = _grip(p, k, u)
    A = u * kt / (N * G)  # and at its end
    Ad = kt / (N * G) * (1.0 - u * Gd / G)
    x = u / p[k, VS]
    ct = p[k, CT] * math.exp(-x * x)
    ctd = -2.0 * x / p[k, VS] * ct
    c2 = p[k, VISCOUS]
    P = 0.0
    for i in range(3):
        wi = w0 if i == 0 else (w1 if i == 1 else w2)
        z = mem[q, DEFLECTION + i] * E + h * wi * f
        zd = s[i] - A * z
        by_a = h * (h * wi * fd - mem[q, DEFLECTION + i] * E)  # dz/da
        out[i] = -(kt * z + ct * zd + c2 * N * s[i])
        zN = -by_a * a / N
        out[3 + i] = -(kt * zN + ct * (A * z / N - A * zN) + c2 * s[i])
        for j in range(3):
            wj = w0 if j == 0 else (w1 if j == 1 else w2)
            one = 1.0 if i == j else 0.0
            zs = h * f * one * half
            if wu > 0.0:
                zs += by_a * ad * wj / wu * half
            y = kt * zs + ct * (one - A * zs) + c2 * N * one
            if u > 0.0:
                y += s[j] / u * (ctd * zd - ct * Ad * z)
            out[6 + 3 * i + j] = -y
        P += -out[i] * s[i] - kt * z * zd
    out[15] = P


@jit
def accept(p, k, N, s, mem, q, t):
    h = elapsed(mem[q, TIME], t)
    w0 = 0.5 * (mem[q, SLIP] + s[0])
    w1 = 0.5 * (mem[q, SLIP + 1] + s[1])
    w2 = 0.5 * (mem[q, SLIP + 2] + s[2])
    wu = math.sqrt(w0 * w0 + w1 * w1 + w2 * w2)
    E = 0.0
    f = 0.0
    if N > 0.0:
        a = wu * p[k, KT] / (N * _grip(p, k, wu)[0])
        E = math.exp(-a * h)
        f = _decay(a * h)[0]
    for i in range(3):
        mem[q, DEFLECTION + i] = mem[q, DEFLECTION + i] * E + h * 0.5 * (mem[q, SLIP + i] + s[i]) * f
        mem[q, SLIP + i] = s[i]
    mem[q, TIME] = stamp(t)
