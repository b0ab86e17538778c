"""BRISTLE: true sticking: a tangential spring that slips at mu N, remembered from step to step.

With the deformation b of the last accepted step and the slip s since (mean of both ends of the step, h its length):

    e = R(kt (b + h (s0 + s)/2)),   F = -R(e + ct s),   R: shortens a vector to mu(|s|) N

mu(u) = mu_s up to the stiction transition velocity vs, then Adams' STEP to mu_d at vd.  Below mu_s N the spring holds
without creep. At the end of a step b = e/kt.  kt does not depend on N, so the spring stores kt b^2/2 and a changing
load cannot pump it: for every motion and load F.s + (kt b^2/2)' <= 0, since R is the nearest point of a ball that
contains e.
kt: ``tangential_stiffness``, or mu_s N / max_stiction_deformation with N the ``reference_load``.  ct:
``tangential_damping``; unless given kt times max_stiction_deformation / vs, as far as those are known, else 0.

Second order in the step: the force in the middle of a long step sees the mean slip.  The spring's period is 2 pi
sqrt(m/kt).
Source: Cundall, Strack, Geotechnique 29 (1979) 47; the friction of joints (elements/joints/friction) has the same limit
with smooth transitions, and its deformation among the states.
"""

from __future__ import annotations

import math

from ..._jit import jit
from ..laws._read import error, number
from ..laws.formulas import elapsed, stamp
from .coulomb import TABLE, coefficients, curve

COLUMNS = (
    ("mu_s", "coefficient in stiction", ""),
    ("mu_d", "coefficient in sliding", ""),
    ("vs", "stiction transition velocity", "length/time"),
    ("vd", "friction transition velocity", "length/time"),
    ("kt", "tangential stiffness", "force/length"),
    ("ct", "tangential damping", "force*time/length"),
)
KT, CT = 4, 5
DEFLECTION, SLIP, TIME = 0, 3, 6  # columns of the memory
MEMORY = 7  # deformation, slip velocity, time


def stiffness(contact, mu_s: float) -> tuple[float, float]:
    """kt, and the largest deformation in stiction (0 where not given)."""
    deformation = number(contact, "max_stiction_deformation", 0.0, least=0.0, table=TABLE)
    kt = number(contact, "tangential_stiffness", 0.0, least=0.0, table=TABLE)
    if kt == 0.0:
        load = number(contact, "reference_load", 0.0, least=0.0, table=TABLE)
        if not (deformation > 0.0 and load > 0.0 and mu_s > 0.0):
            raise error(
                contact,
                f"friction with memory needs its stiffness: give {TABLE}={{'tangential_stiffness': ...}}, or "
                "MAX_STICTION_DEFORMATION and a "
                "'reference_load' (a usual normal force)",
            )
        kt = mu_s * load / deformation
    return kt, deformation


def row(contact, context=None) -> tuple[float, ...]:
    mu_s, mu_d, vs, vd = coefficients(contact)
    kt, deformation = stiffness(contact, mu_s)
    return mu_s, mu_d, vs, vd, kt, number(contact, "tangential_damping", kt * deformation / vs, least=0.0, table=TABLE)


@jit
def force(p, k, N, s, mem, q, t, out):
    h = elapsed(mem[q, TIME], t)
    kt = p[k, KT]
    ct = p[k, CT]
    u = math.sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2])
    mu, slope = curve(p, k, u)
    r = mu * N
    e0 = kt * (mem[q, DEFLECTION] + 0.5 * h * (mem[q, SLIP] + s[0]))
    e1 = kt * (mem[q, DEFLECTION + 1] + 0.5 * h * (mem[q, SLIP + 1] + s[1]))
    e2 = kt * (mem[q, DEFLECTION + 2] + 0.5 * h * (mem[q, SLIP + 2] + s[2]))
    E = math.sqrt(e0 * e0 + e1 * e1 + e2 * e2)
    f = 1.0
    m0 = m1 = m2 = 0.0
    if E > r:
        f = r / E
        m0 = e0 / E
        m1 = e1 / E
        m2 = e2 / E
    x0 = f * e0 + ct * s[0]
    x1 = f * e1 + ct * s[1]
    x2 = f * e2 + ct * s[2]
    X = math.sqrt(x0 * x0 + x1 * x1 + x2 * x2)
    g = 1.0
    n0 = n1 = n2 = 0.0
    if X > r:
        g = r / X
        n0 = x0 / X
        n1 = x1 / X
        n2 = x2 / X
    out[0] = -g * x0
    out[1] = -g * x1
    out[2] = -g * x2
    # derivative of R(x): g (1 - n n') dx + n dr
    nm = n0 * m0 + n1 * m1 + n2 * m2
    for i in range(3):
        ni = n0 if i == 0 else (n1 if i == 1 else n2)
        mi = m0 if i == 0 else (m1 if i == 1 else m2)
        by_r = ni + g * (mi - ni * nm)  # through both radii
        out[3 + i] = -mu * by_r
        for j in range(3):
            mj = m0 if j == 0 else (m1 if j == 1 else m2)
            nj = n0 if j == 0 else (n1 if j == 1 else n2)
            one = 1.0 if i == j else 0.0
            a = 0.5 * h * kt * f
            dx = a * (one - mi * mj) + ct * one  # i, j of dx/ds without dr
            ndx = a * (nj - nm * mj) + ct * nj
            x = g * (dx - ni * ndx)
            if slope != 0.0:
                x += by_r * N * slope * s[j] / u
            out[6 + 3 * i + j] = -x
    # power: all of it, less what the spring takes up
    P = -(out[0] * s[0] + out[1] * s[1] + out[2] * s[2])
    if h > 0.0:
        b2 = (f * f * E * E) / kt
        b0 = kt * (
            mem[q, DEFLECTION] * mem[q, DEFLECTION]
            + mem[q, DEFLECTION + 1] * mem[q, DEFLECTION + 1]
            + mem[q, DEFLECTION + 2] * mem[q, DEFLECTION + 2]
        )
        P -= 0.5 * (b2 - b0) / h
    out[15] = P


@jit
def accept(p, k, N, s, mem, q, t):
    h = elapsed(mem[q, TIME], t)
    u = math.sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2])
    r = curve(p, k, u)[0] * N / p[k, KT]
    b = 0.0
    for i in range(3):
        mem[q, DEFLECTION + i] += 0.5 * h * (mem[q, SLIP + i] + s[i])
        mem[q, SLIP + i] = s[i]
        b += mem[q, DEFLECTION + i] * mem[q, DEFLECTION + i]
    b = math.sqrt(b)
    if b > r:
        for i in range(3):
            mem[q, DEFLECTION + i] *= r / b
    mem[q, TIME] = stamp(t)
