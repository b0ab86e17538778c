"""COULOMB: friction coefficient over slip speed u as in Adams' CONTACT; opposes the slip vector.

    mu(u) = mu_s STEP(u, -vs, -1, vs, 1)      u < vs    (at u = vs: mu_s)
    mu(u) = STEP(u, vs, mu_s, vd, mu_d)       vs <= u < vd
    mu(u) = mu_d                              above

vs STICTION_TRANSITION_VELOCITY, vd FRICTION_TRANSITION_VELOCITY.  Without slip there is no force: a block on a slope
creeps at a speed below vs (BRISTLE sticks).  Source: Adams View manual, Contact Friction Force Calculation.
"""

from __future__ import annotations

import math

from ..._jit import jit
from ..laws._read import error, number
from ..laws.formulas import sliding

COLUMNS = (
    ("mu_s", "coefficient at the stiction transition velocity", ""),
    ("mu_d", "coefficient in sliding", ""),
    ("vs", "stiction transition velocity", "length/time"),
    ("vd", "friction transition velocity", "length/time"),
)
MU_S, MU_D, VS, VD = range(4)
MEMORY = 0
TABLE = "friction_parameters"


def coefficients(contact) -> tuple[float, float, float, float]:
    """mu_s, mu_d, vs, vd of a contact; of DYNAMICS_ONLY the dynamic coefficient alone.  Raises ModelError where they
    make no curve."""
    if getattr(contact, "coulomb_friction", "") == "DYNAMICS_ONLY":
        mu_d = number(contact, "mu_dynamic", least=0.0, table=TABLE)
        vd = number(contact, "friction_transition_velocity", above=0.0, table=TABLE)
        return mu_d, mu_d, vd, vd
    mu_s = number(contact, "mu_static", least=0.0, table=TABLE)
    mu_d = number(contact, "mu_dynamic", least=0.0, table=TABLE)
    vs = number(contact, "stiction_transition_velocity", above=0.0, table=TABLE)
    vd = number(contact, "friction_transition_velocity", above=0.0, table=TABLE)
    if vd < vs:
        raise error(
            contact, f"FRICTION_TRANSITION_VELOCITY {vd:g} must not be below STICTION_TRANSITION_VELOCITY {vs:g}"
        )
    return mu_s, mu_d, vs, vd


def row(contact, context=None) -> tuple[float, ...]:
    return coefficients(contact)


@jit
def curve(p, k, u):
    """mu from vs on, and its slope"""
    vs = p[k, VS]
    vd = p[k, VD]
    mu = sliding(p[k, MU_S], p[k, MU_D], vs, vd, u)
    if u >= vd or u <= vs:
        return mu, 0.0
    x = (u - vs) / (vd - vs)
    return mu, (p[k, MU_D] - p[k, MU_S]) * 6.0 * x * (1.0 - x) / (vd - vs)


@jit
def along(N, s, r, w, mu, out):
    """out <- the force -N r s and its derivatives; r = mu(u)/u, w = dr/du / u."""
    for i in range(3):
        out[i] = -N * r * s[i]
        out[3 + i] = -r * s[i]
        for j in range(3):
            x = w * s[i] * s[j]
            if i == j:
                x += r
            out[6 + 3 * i + j] = -N * x
    out[15] = N * r * (s[0] * s[0] + s[1] * s[1] + s[2] * s[2])


@jit
def force(p, k, N, s, mem, q, t, out):
    u = math.sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2])
    vs = p[k, VS]
    if u < vs:
        x = u / vs
        along(N, s, p[k, MU_S] / vs * (1.5 - 0.5 * x * x), -p[k, MU_S] / (vs * vs * vs), p[k, MU_S], out)
    else:
        mu, slope = curve(p, k, u)
        along(N, s, mu / u, (slope - mu / u) / (u * u), mu, out)
