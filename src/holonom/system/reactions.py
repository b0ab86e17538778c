"""Wrenches of constraints and forces, gathered for results and for functions that require them (JOINT, SFORCE, FX,
...)."""

from __future__ import annotations

from collections import namedtuple

from .._jit import jit
from ..elements.frames import WRENCH
from ..elements.vectors import cross, rotate, unrotate
from .part_calls import add_wrenches

# lo, hi rows; i, j frames of each constraint; out (n, 12): constraints, function forces, springs, torsion, bushings,
# fields
Wrenches = namedtuple("Wrenches", "lo hi i j out")


@jit
def constraint_wrench(S, W, lo, hi, i, j, out, c):
    """out[c] <- wrench of the rows lo..hi on I at its origin, and on J at its origin (ground axes), from the
    multipliers."""
    fr = S.fr
    G = W.rw.G
    bi = fr.body[i]
    bj = fr.body[j]
    use_j = bi == S.bodies.n
    b = bj if use_j else bi
    k = j if use_j else i
    f0 = f1 = f2 = t0 = t1 = t2 = 0.0
    for r in range(lo, hi):
        x = -W.lam[r]
        for q in range(S.rows.rp[r], S.rows.rp[r + 1]):
            if S.rows.slot_body[q] == b:
                f0 += x * G[q, 0]
                f1 += x * G[q, 1]
                f2 += x * G[q, 2]
                t0 += x * G[q, 3]
                t1 += x * G[q, 4]
                t2 += x * G[q, 5]
    t0, t1, t2 = rotate(W.R, b, t0, t1, t2)
    m0, m1, m2 = cross(fr.s[k, 0], fr.s[k, 1], fr.s[k, 2], f0, f1, f2)
    t0 -= m0
    t1 -= m1
    t2 -= m2
    # the same wrench, reversed, at the other marker
    other = i if use_j else j
    d0 = fr.p[k, 0] - fr.p[other, 0]
    d1 = fr.p[k, 1] - fr.p[other, 1]
    d2 = fr.p[k, 2] - fr.p[other, 2]
    m0, m1, m2 = cross(d0, d1, d2, f0, f1, f2)
    a = 6 if use_j else 0
    z = 0 if use_j else 6
    out[c, a] = f0
    out[c, a + 1] = f1
    out[c, a + 2] = f2
    out[c, a + 3] = t0
    out[c, a + 4] = t1
    out[c, a + 5] = t2
    out[c, z] = -f0
    out[c, z + 1] = -f1
    out[c, z + 2] = -f2
    out[c, z + 3] = -t0 - m0
    out[c, z + 4] = -t1 - m1
    out[c, z + 5] = -t2 - m2


@jit(apart=True)
def constraint_wrenches(wr, S, W):
    """Wrenches of all constraints."""
    for c in range(wr.lo.shape[0]):
        constraint_wrench(S, W, wr.lo[c], wr.hi[c], wr.i[c], wr.j[c], wr.out, c)


@jit
def function_wrenches(S, W, wr):
    """Function forces: the wrench on I, and its opposite on the reaction (held at I, or on the line of action)."""
    first = wr.lo.shape[0]
    vf = S.fn.vforce
    for k in range(vf.i.shape[0]):
        for c in range(6):
            wr.out[first + k, c] = vf.out[k, c]
            wr.out[first + k, 6 + c] = -vf.out[k, c] if vf.react[k] >= 0 else 0.0


@jit
def pair_wrenches(S, W, wr):
    """Wrenches of pair forces, behind those of functions."""
    first = wr.lo.shape[0] + S.fn.vforce.i.shape[0]
    for k in range(S.pairs.out.shape[0]):
        for c in range(12):
            wr.out[first + k, c] = S.pairs.out[k, c]


@jit(apart=True)
def gather_wrenches(wr, S, W):
    """All wrenches of the last evaluation."""
    constraint_wrenches(wr, S, W)
    add_wrenches(S, W, wr)


@jit
def wrench_component(wr, fr, source, n, code, rm):
    """Component ``code`` (0 |F|, 1-3 F, 4 |T|, 5-7 T) in the axes of rm of the sum of n wrenches source[:, (index,
    side, sign)]."""
    x = y = z = 0.0
    o = 3 if code >= 4 else 0
    for q in range(n):
        at = source[q, 0]
        s = source[q, 2]
        p = WRENCH * source[q, 1] + o
        x += s * wr.out[at, p]
        y += s * wr.out[at, p + 1]
        z += s * wr.out[at, p + 2]
    if code == 0 or code == 4:
        return (x * x + y * y + z * z) ** 0.5
    x, y, z = unrotate(fr.A, rm, x, y, z)
    c = (code - 1) % 4
    return x if c == 0 else (y if c == 1 else z)
