"""FRICTION in joints: stiction, transition and sliding from preloads and the reactions of the joint.

**Load.**  With the reaction (F, T) of the joint on I, in axes of J, the load L that a friction coefficient multiplies
is

==============  =====================================================================================================
REVOLUTE        Rp |F_xy| + Rn |F_z| + (Rp/Rb) |T_xy| + T_preload                                            (torque)
TRANSLATIONAL   |F_xy| + |T_xy| / Xs + |T_z| / Ra + F_preload                                                 (force)
CYLINDRICAL     N = |F_xy| + |T_xy| / Xs;  N + F_preload along z (force), Rp N + T_preload about z (torque)
SPHERICAL       Rball |F| + T_preload                                                                        (torque)
HOOKE,          as REVOLUTE, with the arm of the cross in the chosen yoke (x of I or y of J; UNIVERSAL: z of I or
UNIVERSAL       of J) in place of z
==============  =====================================================================================================

with Rp PIN_RADIUS, Rn FRICTION_ARM, Rb BENDING_REACTION_ARM, Ra REACTION_ARM, Xs the overlap (INITIAL_OVERLAP, growing
or shrinking with the travel as OVERLAP_DELTA says).  INPUTS switches terms off.  Slip v is the speed of the surfaces:
Rp w, Rball w, or the sliding speed; in a cylindrical joint the vector (w_z Rp, v_z), and its friction opposes that
vector.
Source: Adams Solver manual, FRICTION statement and the descriptions of its block diagrams.

**Coefficient.**  Adams has three regimes: |v| < vs stiction, from the joint's creep, its velocity and mu_s; a STEP from
mu_s to mu_d up to 1.5 vs; sliding at mu_d.  Here, with b = deformation / MAX_STICTION_DEFORMATION,

    mu = g(|v|) S(|x|) x/|x|,   x = b + v/vs,   S(r) = STEP(r, -1, -1, 1, 1),   g = STEP(|v|, vs, mu_s, 1.5 vs, mu_d)
    b' = (q - a(|b|) max(0, n.q) n) / d,   n = b/|b|,   a = STEP(|b|, 1, 0, 1.2, 1),   q = v g(|v|)/mu_s, |q| bounded

At rest mu = mu_s S(b), without deformation mu = mu_s STEP(v, -vs, -1, vs, 1) as in Adams' contacts.  Below |b| = 1 the
bristle is a spring (elasto-plastic model: Dupont, Hayward, Armstrong, Altpeter, IEEE Trans. Automatic Control 47 (2002)
787), so a load below mu_s L is held without creep; it breaks away at mu_s L, and slides at exactly mu_d L.  With
constant L the energy of the bristle, L mu_s d times the integral of S, bounds what friction can give back: it
dissipates.

Differences from Adams: creep enters through this bristle (Adams' own creep formula is not published); in sliding the
force has the same value.  EFFECT=SLIDING: mu = mu_d STEP(v, -vs, -1, vs, 1) without a state.  EFFECT=STICTION: nothing
slides above 1.5 vs.  SMOOTH is not used.  In statics: `analyses.statics.friction`.

**LuGre** (FORMULATION=LUGRE; Canudas de Wit, Olsson, Astrom, Lischinsky, IEEE Trans. Automatic Control 40 (1995) 419):
the mean deflection z of bristles of the stiffness s0 (BRISTLE_STIFFNESS_COEFFICIENT) per load, with s1
(DAMPING_COEFFICIENT), s2 (VISCOUS_FRICTION_COEFFICIENT),

    z' = v - s0 |v| z / g,   mu = s0 z + s1 z' + s2 v,   g(|v|) = mu_d + (mu_s - mu_d) exp(-(|v|/vs)^p)

vs VELOCITY_THRESHOLD_STRIBECK, p DECAY_EXPONENT_STRIBECK.  Its deformation b is z over its largest one, mu_s/s0.  It
creeps a little under a changing load, as LuGre does.  In steady slip mu = g + s2 |v|.
"""

from __future__ import annotations

import math

from ..._jit import jit
from ...model.joint_facts import choice, facts
from ..forces.relative import fill_tangent, place, rates
from ..frames import pull_back
from ..vectors import cross, unrotate

AXIS, SLIDE, CYLINDER, BALL = range(4)
COUNT = {AXIS: 1, SLIDE: 1, CYLINDER: 2, BALL: 3}

COLUMNS = (
    ("mu_s", "coefficient in stiction", ""),
    ("mu_d", "coefficient in sliding", ""),
    ("vs", "stiction transition velocity", "length/time"),
    ("vd", "speed above which it slides", "length/time"),
    ("d", "largest deformation in stiction", "length"),
    ("r", "radius that turns angular into surface velocity, 1 in a translational joint", "length"),
    ("lateral", "load per |F_xy|", "1 or length"),
    ("axial", "load per |F_z|", "length"),
    ("bending", "load per |T_xy|", "1 or 1/length"),
    ("torsion", "load per |T_z|", "1/length"),
    ("force", "preload force", "force"),
    ("torque", "preload torque", "force*length"),
    ("overlap", "overlap at travel 0; 0 where bending does not depend on it", "length"),
    ("growth", "change of overlap per travel", ""),
    ("fmax", "largest friction force, inf without", "force"),
    ("tmax", "largest friction torque, inf without", "force*length"),
    ("side", "0: the axis belongs to J, 1: to I", ""),
    ("axis", "number of the axis", ""),
    ("lugre", "1: the LuGre formulation, with vs its Stribeck velocity", ""),
    ("s1", "damping of the bristles of LuGre", "time/length"),
    ("s2", "viscous friction of LuGre", "time/length"),
    ("decay", "exponent of Stribeck's curve", ""),
)
(
    MUS,
    MUD,
    VS,
    VD,
    DEF,
    RAD,
    LAT,
    AXI,
    BEN,
    TOR,
    FPRE,
    TPRE,
    OVER,
    GROW,
    FMAX,
    TMAX,
    SIDE,
    NUM,
    LUGRE,
    DAMP,
    VISCOUS,
    DECAY,
) = range(22)
SOFT = 1.2  # deformation, in units of its maximum, at which it stops growing


def kind(element, joint) -> int:
    """AXIS, SLIDE, CYLINDER or BALL.  Raises ModelError for joints without friction."""
    law = facts(joint).friction
    if not law:
        raise element.error(f"{joint.label} is {joint.type}; friction acts in {choice('friction')} joints only")
    return ("axis", "slide", "cylinder", "ball").index(law)


def row(element, joint, travel: float = 0.0) -> tuple[float, ...]:
    """Row of a `model.Friction`; ``travel``: displacement of the joint along z in the design position."""
    e = element
    what = kind(e, joint)
    on = lambda name: 1.0 if name in e.inputs else 0.0
    preload, force, bending, torsion = (
        on(n) for n in ("PRELOAD", "REACTION_FORCE", "BENDING_MOMENT", "TORSIONAL_MOMENT")
    )
    for name in ("stiction_transition_velocity", "max_stiction_deformation"):
        if not getattr(e, name) > 0:
            raise e.error(f"{name.upper()} must be positive, it is {getattr(e, name)}")
    for fault in e.lugre_faults():
        raise e.error(fault)
    mu_s = e.mu_dynamic if e.effect == "SLIDING" else e.mu_static
    mu_d = 0.0 if e.effect == "STICTION" else e.mu_dynamic
    vs = e.stiction_transition_velocity
    sliding = what in (SLIDE, CYLINDER)
    lengths = e.pin_radius, e.ball_radius, e.friction_arm, e.bending_reaction_arm, e.reaction_arm
    pin, ball, along, across, about = (1.0 if v is None else v for v in lengths)
    radius = {SLIDE: 1.0, BALL: ball}.get(what, pin)
    lateral = {AXIS: pin, BALL: ball}.get(what, 1.0)
    limit = lambda x: math.inf if x is None else float(x)
    side, axis = 0, 2
    if joint.type in ("HOOKE", "UNIVERSAL"):
        side = 0 if e.j_yoke or e.yoke.upper().startswith("J") else 1
        axis = 2 if joint.type == "UNIVERSAL" else (0 if side else 1)
    lugre = e.formulation.upper() == "LUGRE"
    most = e.max_stiction_deformation
    if lugre:
        vs, most = e.velocity_threshold_stribeck, e.mu_static / e.bristle_stiffness_coefficient
    growth = {"INCREASE": 1.0, "DECREASE": -1.0}.get(e.overlap_delta.upper(), 0.0) if sliding else 0.0
    return (
        mu_s,
        mu_d,
        vs,
        max(e.transition_velocity_coefficient, 1.0 + 1e-9) * vs,
        most,
        radius,
        force * lateral,
        force * along if what == AXIS else 0.0,
        bending * (1.0 if sliding else (pin / across if what == AXIS else 0.0)),
        torsion / about if what == SLIDE else 0.0,
        preload * e.force_preload,
        preload * e.torque_preload,
        e.initial_overlap - growth * travel if sliding else 0.0,
        growth,
        limit(e.max_friction_force),
        limit(e.max_friction_torque),
        side,
        axis,
        float(lugre),
        e.damping_coefficient,
        e.viscous_friction_coefficient,
        e.decay_exponent_stribeck,
    )


def reactive(t) -> bool:
    """Whether a row's load depends on reactions."""
    return bool(max(t[LAT : TOR + 1]) > 0)


@jit
def _step(x, x0, h0, x1, h1):
    """STEP, its derivative"""
    if x <= x0:
        return h0, 0.0
    if x >= x1:
        return h1, 0.0
    s = (x - x0) / (x1 - x0)
    return h0 + (h1 - h0) * s * s * (3.0 - 2.0 * s), (h1 - h0) * 6.0 * s * (1.0 - s) / (x1 - x0)


@jit
def law(t, k, n, state, v, b, mu, rate):
    """mu (n,): friction per load, against the slip v (n,); rate (n,) of the deformations b (n,; zero without a
    state)."""
    u = 0.0
    r = 0.0
    z = 0.0
    for c in range(n):
        u += v[c] * v[c]
        x = b[c] + v[c] / t[k, VS]
        r += x * x
        z += b[c] * b[c]
    u = math.sqrt(u)
    r = math.sqrt(r)
    z = math.sqrt(z)
    if t[k, LUGRE] == 1.0:
        h = _stribeck(t, k, u)[0]
        s = 1.0 if z < 1.0 else 1.0 / z  # in statics, whose deformations have no end
        for c in range(n):
            slide = v[c] - t[k, MUS] * h * b[c]
            mu[c] = -(t[k, MUS] * s * b[c] + t[k, DAMP] * slide + t[k, VISCOUS] * v[c])
            if state:
                rate[c] = slide / t[k, DEF]
        return
    g, gd = _step(u, t[k, VS], t[k, MUS], t[k, VD], t[k, MUD])
    s = 1.5 - 0.5 * r * r if r < 1.0 else 1.0 / r
    for c in range(n):
        mu[c] = -g * s * (b[c] + v[c] / t[k, VS])
    if state:
        q = _flow(t, k, u, g)
        a, ad = _step(z, 1.0, 0.0, SOFT, 1.0)
        p = 0.0
        if a > 0.0:
            for c in range(n):
                p += b[c] * v[c] * q / z
            p = max(0.0, a * p) / z
        for c in range(n):
            rate[c] = (q * v[c] - p * b[c]) / t[k, DEF]


@jit
def _stribeck(t, k, u):
    """|v| / g of LuGre, and its derivative with respect to |v|"""
    x = (u / t[k, VS]) ** t[k, DECAY] if u > 0.0 else 0.0
    drop = (t[k, MUS] - t[k, MUD]) * math.exp(-x)
    g = t[k, MUD] + drop
    if g <= 0.0:
        return 0.0, 0.0
    gd = -drop * t[k, DECAY] * x / u if u > 0.0 else 0.0
    return u / g, (1.0 - u * gd / g) / g


@jit
def _flow(t, k, u, g):
    """|q| / |v|: how much of the slip deforms"""
    if t[k, MUS] == 0.0:
        return 1.0
    if u <= t[k, VD]:
        return g / t[k, MUS]
    return t[k, MUD] / t[k, MUS] * t[k, VD] / u


@jit
def law_tangent(t, k, n, state, v, b, mv, mb, rv, rb):
    """Derivatives (3, 3) of mu and rate with respect to v and b."""
    u = 0.0
    r = 0.0
    z = 0.0
    for c in range(n):
        u += v[c] * v[c]
        x = b[c] + v[c] / t[k, VS]
        r += x * x
        z += b[c] * b[c]
    u = math.sqrt(u)
    r = math.sqrt(r)
    z = math.sqrt(z)
    if t[k, LUGRE] == 1.0:
        h, hd = _stribeck(t, k, u)
        for a in range(n):
            for c in range(n):
                one = 1.0 if a == c else 0.0
                sv = one - (t[k, MUS] * b[a] * hd * v[c] / u if u > 0.0 else 0.0)
                sb = -t[k, MUS] * h * one
                pull = one if z < 1.0 else (one - b[a] * b[c] / (z * z)) / z
                mv[a, c] = -(t[k, DAMP] * sv + t[k, VISCOUS] * one)
                mb[a, c] = -(t[k, MUS] * pull + t[k, DAMP] * sb)
                if state:
                    rv[a, c] = sv / t[k, DEF]
                    rb[a, c] = sb / t[k, DEF]
        return
    g, gd = _step(u, t[k, VS], t[k, MUS], t[k, VD], t[k, MUD])
    s = 1.5 - 0.5 * r * r if r < 1.0 else 1.0 / r
    sd = -1.0 if r < 1.0 else -1.0 / (r * r * r)
    for a in range(n):
        xa = b[a] + v[a] / t[k, VS]
        for c in range(n):
            x = g * sd * xa * (b[c] + v[c] / t[k, VS])
            if a == c:
                x += g * s
            mb[a, c] = -x
            mv[a, c] = -x / t[k, VS]
            if gd != 0.0:
                mv[a, c] -= gd * v[c] / u * s * xa
    if not state:
        return
    q = _flow(t, k, u, g)
    qd = 0.0  # dq/du / u
    if u > t[k, VD]:
        qd = -q / (u * u)
    elif gd != 0.0:
        qd = gd / (t[k, MUS] * u)
    al, ald = _step(z, 1.0, 0.0, SOFT, 1.0)
    p = 0.0
    if al > 0.0:
        for c in range(n):
            p += b[c] * v[c] * q / z
    if p <= 0.0:
        al = 0.0
        ald = 0.0
    for a in range(n):
        for c in range(n):
            x = qd * v[a] * v[c]
            y = 0.0
            if a == c:
                x += q
            if al > 0.0:
                na = b[a] / z
                nc = b[c] / z
                w = 0.0  # (n . M)_c, with M = dq/dv
                for e in range(n):
                    w += b[e] / z * (qd * v[e] * v[c] + (q if e == c else 0.0))
                x -= al * na * w
                pc = (q * v[c] - p * nc) / z
                y -= ald * p * na * nc + al * na * pc + al * p * ((1.0 if a == c else 0.0) - na * nc) / z
            rv[a, c] = x / t[k, DEF]
            rb[a, c] = y / t[k, DEF]


@jit
def loads(t, k, what, j, axis, fr, force, torque, travel, out):
    """out[0:2] <- loads of the translational and of the rotational part from the reaction on I (ground axes)."""
    F0, F1, F2 = force
    T0, T1, T2 = torque
    if what == AXIS:
        a0, a1, a2 = axis
        f = F0 * a0 + F1 * a1 + F2 * a2
        m = T0 * a0 + T1 * a1 + T2 * a2
    else:
        a0, a1, a2 = fr.A[j, 2], fr.A[j, 5], fr.A[j, 8]
        f = F0 * a0 + F1 * a1 + F2 * a2
        m = T0 * a0 + T1 * a1 + T2 * a2
    lateral = math.sqrt((F0 - f * a0) ** 2 + (F1 - f * a1) ** 2 + (F2 - f * a2) ** 2)
    bend = math.sqrt((T0 - m * a0) ** 2 + (T1 - m * a1) ** 2 + (T2 - m * a2) ** 2)
    if t[k, OVER] != 0.0:
        bend /= max(abs(t[k, OVER] + t[k, GROW] * travel), 1e-12)
    if what == BALL:
        out[1] = t[k, LAT] * math.sqrt(F0 * F0 + F1 * F1 + F2 * F2) + t[k, TPRE]
    elif what == AXIS:
        out[1] = t[k, LAT] * lateral + t[k, AXI] * abs(f) + t[k, BEN] * bend + t[k, TPRE]
    else:
        x = t[k, LAT] * lateral + t[k, BEN] * bend + t[k, TOR] * abs(m)
        out[0] = x + t[k, FPRE]
        out[1] = t[k, RAD] * x + t[k, TPRE]
    mu = max(t[k, MUS], t[k, MUD])
    if mu > 0.0:
        out[0] = min(out[0], t[k, FMAX] / mu)
        out[1] = min(out[1], t[k, TMAX] / mu)


@jit
def direction(t, k, i, j, fr):
    """Axis of friction of an AXIS element, ground axes."""
    f = i if t[k, SIDE] == 1.0 else j
    a = int(t[k, NUM])
    return fr.A[f, a], fr.A[f, 3 + a], fr.A[f, 6 + a]


@jit
def slip(t, k, what, i, j, fr, v):
    """v <- surface velocities: along z, about z, or about x, y, z of J."""
    x, y, z, a, b, c = rates(i, j, fr)
    if what == AXIS:
        d0, d1, d2 = direction(t, k, i, j, fr)
        v[0] = t[k, RAD] * (
            d0 * (fr.w[i, 0] - fr.w[j, 0]) + d1 * (fr.w[i, 1] - fr.w[j, 1]) + d2 * (fr.w[i, 2] - fr.w[j, 2])
        )
    elif what == SLIDE:
        v[0] = z
    elif what == CYLINDER:
        v[0] = z
        v[1] = t[k, RAD] * c
    else:
        v[0] = t[k, RAD] * a
        v[1] = t[k, RAD] * b
        v[2] = t[k, RAD] * c


@jit
def spread(t, k, what, i, j, fr, L, mu, W):
    """W (12,) <- wrenches on I and J of the coefficients mu under the loads L."""
    for c in range(12):
        W[c] = 0.0
    if what == AXIS:
        d0, d1, d2 = direction(t, k, i, j, fr)
        x = L[1] * mu[0]
        W[3], W[4], W[5] = unrotate(fr.A, j, x * d0, x * d1, x * d2)
    elif what == BALL:
        for c in range(3):
            W[3 + c] = L[1] * mu[c]
    else:
        W[2] = L[0] * mu[0]
        if what == CYLINDER:
            W[5] = L[1] * mu[1]
    place(i, j, fr, W)


@jit
def tangent(t, k, what, i, j, fr, L, mu, mv, W, D):
    """D (12, 24) <- derivative of the wrenches W at constant loads and deformations."""
    for a in range(12):
        for b in range(24):
            D[a, b] = 0.0
    if what == AXIS:
        d = direction(t, k, i, j, fr)
        w = (fr.w[i, 0] - fr.w[j, 0], fr.w[i, 1] - fr.w[j, 1], fr.w[i, 2] - fr.w[j, 2])
        x = L[1] * mu[0]
        y = L[1] * t[k, RAD] * mv[0, 0]
        e = cross(d[0], d[1], d[2], w[0], w[1], w[2])
        for a in range(3):
            for b in range(3):
                D[3 + a, 15 + b] = y * d[a] * d[b]
                if t[k, SIDE] == 1.0:
                    D[3 + a, 3 + b] = y * d[a] * e[b]
        if t[k, SIDE] == 1.0:  # the axis turns with I: x theta x d
            D[3, 4] += x * d[2]
            D[3, 5] -= x * d[1]
            D[4, 3] -= x * d[2]
            D[4, 5] += x * d[0]
            D[5, 3] += x * d[1]
            D[5, 4] -= x * d[0]
    else:
        n = 1 if what == SLIDE else (2 if what == CYLINDER else 3)
        for a in range(n):
            ra, aa = _local(what, a)
            la = L[0] if ra == 0 else L[1]
            for b in range(n):
                rb, ab = _local(what, b)
                x = la * mv[a, b] * (t[k, RAD] if rb == 3 else 1.0)
                for p in range(3):
                    for q in range(3):
                        D[ra + p, 12 + rb + q] += x * fr.A[j, 3 * p + aa] * fr.A[j, 3 * q + ab]
    fill_tangent(i, j, fr, W, D)


@jit
def _local(what, c):
    """(0 force or 3 torque, axis number) of component c"""
    if what == BALL:
        return 3, c
    return (0, 2) if c == 0 else (3, 2)


@jit
def slip_gradient(t, k, what, c, i, j, fr, R, g, out):
    """Gradient of slip component c over both bodies: out (24,) gets (dr, dtheta, dr', dW) of I, then of J; g (24,)
    scratch."""
    for q in range(24):
        g[q] = 0.0
        out[q] = 0.0
    if what == AXIS:
        d0, d1, d2 = direction(t, k, i, j, fr)
        part = 3
    else:
        part, a = _local(what, c)
        d0, d1, d2 = fr.A[j, a], fr.A[j, 3 + a], fr.A[j, 6 + a]
    s = t[k, RAD] if part == 3 else 1.0
    d0 *= s
    d1 *= s
    d2 *= s
    if part == 3:
        for q in range(2):
            o = 9 + 12 * q
            x = 1.0 - 2.0 * q
            g[o] = x * d0
            g[o + 1] = x * d1
            g[o + 2] = x * d2
        e0, e1, e2 = cross(d0, d1, d2, fr.w[i, 0] - fr.w[j, 0], fr.w[i, 1] - fr.w[j, 1], fr.w[i, 2] - fr.w[j, 2])
        o = 3 if (what == AXIS and t[k, SIDE] == 1.0) else 15
        g[o] = e0
        g[o + 1] = e1
        g[o + 2] = e2
    else:
        L0, L1, L2 = fr.p[i, 0] - fr.p[j, 0], fr.p[i, 1] - fr.p[j, 1], fr.p[i, 2] - fr.p[j, 2]
        w0, w1, w2 = fr.w[j, 0], fr.w[j, 1], fr.w[j, 2]
        c0, c1, c2 = cross(w0, w1, w2, L0, L1, L2)
        e0, e1, e2 = cross(d0, d1, d2, w0, w1, w2)
        g[0] = -e0
        g[1] = -e1
        g[2] = -e2
        g[6] = d0
        g[7] = d1
        g[8] = d2
        g[12] = e0
        g[13] = e1
        g[14] = e2
        g[18] = -d0
        g[19] = -d1
        g[20] = -d2
        g[15], g[16], g[17] = cross(
            d0, d1, d2, fr.v[i, 0] - fr.v[j, 0] - c0, fr.v[i, 1] - fr.v[j, 1] - c1, fr.v[i, 2] - fr.v[j, 2] - c2
        )
        e0, e1, e2 = cross(L0, L1, L2, d0, d1, d2)
        g[21] = -e0
        g[22] = -e1
        g[23] = -e2
    pull_back(fr, R, i, g, 0, out, 0)
    pull_back(fr, R, j, g, 12, out, 12)
