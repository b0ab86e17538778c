"""How a contact point, its normal and its gap move with the two bodies: first-order geometry, the same for every pair.

Body a and b carry surfaces with outward normals nu_a = -n and nu_b = n; the points of minimum distance are p_b and
p_a = p_b + g n.  Where the contact point runs along a surface by dt (tangent plane), the normal of that surface turns
by dv, and both depend on two numbers alpha:  dt = U alpha,  dv = V alpha  (sphere of radius R: U = R, V = 1; plane: U =
1, V = 0; corner: U = 0, V = 1; edge along e1: U = diag(1, 0), V = diag(0, 1); a hollow: V < 0).  Both normals stay
opposite and the points stay opposite each other along n, which gives four equations for alpha_a, alpha_b:

    V_a alpha_a + V_b alpha_b = ((theta_a - theta_b) x n)_t
    U_a alpha_a - (U_b + g V_b) alpha_b = -(d_a - d_b)_t + g (theta_b x n)_t

with d the displacements of the material points at p_a and p_b and theta the rotations of the bodies.  Then

    dg = n . (d_a - d_b),    dn = theta_b x n + V_b alpha_b,    dp_b = d_b + U_b alpha_b.

The pairs (U, V) instead of curvatures keep corners and planes finite (D. J. Montana, Int. J. Robotics Research 7 (1988)
17, has the equations for smooth surfaces).  Where both surfaces are flat, or the point is not unique, the point is
taken as fixed to a.
"""

from __future__ import annotations

from .._jit import jit
from .tables import E1, GAP, UA, UB, VA, VB, N


@jit
def tangents(out, k):
    """e1 and e2 = n x e1 of point k."""
    a = out[k, E1]
    b = out[k, E1 + 1]
    c = out[k, E1 + 2]
    x = out[k, N]
    y = out[k, N + 1]
    z = out[k, N + 2]
    return a, b, c, y * c - z * b, z * a - x * c, x * b - y * a


@jit
def prepare(out, k, A):
    """Inverse of the 4x4 matrix of the equations above into A (4, 4); returns 0 where the point is not unique (A as for
    a corner of a)."""
    g = out[k, GAP]
    ua0, ua1, ua2 = out[k, UA], out[k, UA + 1], out[k, UA + 2]
    va0, va1, va2 = out[k, VA], out[k, VA + 1], out[k, VA + 2]
    ub0, ub1, ub2 = out[k, UB], out[k, UB + 1], out[k, UB + 2]
    vb0, vb1, vb2 = out[k, VB], out[k, VB + 1], out[k, VB + 2]
    unique = _invert(
        A, (ua0, ua1, ua2), (va0, va1, va2), (ub0 + g * vb0, ub1 + g * vb1, ub2 + g * vb2), (vb0, vb1, vb2)
    )
    if not unique:  # flat on flat: the point keeps its position on a, as a corner does
        ok = _invert(
            A, (0.0, 0.0, 0.0), (1.0, 0.0, 1.0), (ub0 + g * vb0, ub1 + g * vb1, ub2 + g * vb2), (vb0, vb1, vb2)
        )
        if not ok:
            _invert(A, (0.0, 0.0, 0.0), (1.0, 0.0, 1.0), (1.0, 0.0, 1.0), (0.0, 0.0, 0.0))
    return unique


@jit
def _invert(A, ua, va, dc, vb):
    """Inverse of [[Va, Vb], [Ua, -C]] into A by Gauss-Jordan with pivots; false where it is singular."""
    ua0, ua1, ua2 = ua
    va0, va1, va2 = va
    c0, c1, c2 = dc
    vb0, vb1, vb2 = vb
    scale = abs(ua0) + abs(ua1) + abs(ua2) + abs(c0) + abs(c1) + abs(c2)
    if not (scale > 0.0):
        return False
    s = 1.0 / scale  # lengths against angles: columns are free, rows of lengths are scaled
    m = A  # the matrix is reduced in place
    m[0, 0], m[0, 1], m[0, 2], m[0, 3] = va0, va1, vb0, vb1
    m[1, 0], m[1, 1], m[1, 2], m[1, 3] = va1, va2, vb1, vb2
    m[2, 0], m[2, 1], m[2, 2], m[2, 3] = s * ua0, s * ua1, -s * c0, -s * c1
    m[3, 0], m[3, 1], m[3, 2], m[3, 3] = s * ua1, s * ua2, -s * c1, -s * c2
    # in place Gauss-Jordan, complete by rows; p0..p3 remember the exchanges
    p0 = 0
    p1 = 1
    p2 = 2
    for c in range(4):
        best = c
        for r in range(c + 1, 4):
            if abs(m[r, c]) > abs(m[best, c]):
                best = r
        # the size of a column gives what counts as zero: alpha may be in any units
        size = 0.0
        for r in range(4):
            size = max(size, abs(m[r, c]))
        if not (abs(m[best, c]) > 1e-9 * (size + 1e-300)) or not (abs(m[best, c]) > 1e-12):
            return False
        if c == 0:
            p0 = best
        elif c == 1:
            p1 = best
        elif c == 2:
            p2 = best
        if best != c:
            for q in range(4):
                m[c, q], m[best, q] = m[best, q], m[c, q]
        inv = 1.0 / m[c, c]
        m[c, c] = 1.0
        for q in range(4):
            m[c, q] *= inv
        for r in range(4):
            if r != c:
                f = m[r, c]
                m[r, c] = 0.0
                for q in range(4):
                    m[r, q] -= f * m[c, q]
    for c in range(2, -1, -1):
        b = p0 if c == 0 else (p1 if c == 1 else p2)
        if b != c:
            for r in range(4):
                m[r, c], m[r, b] = m[r, b], m[r, c]
    for r in range(4):
        m[r, 2] *= s
        m[r, 3] *= s
    return True


@jit
def point_rates(out, k, A, da, ta, db, tb):
    """(dg, dn (3), dp_b (3)) for displacements d of the material points at p_a and p_b and rotations theta (ground
    axes); A from `prepare`."""
    da0, da1, da2 = da
    ta0, ta1, ta2 = ta
    db0, db1, db2 = db
    tb0, tb1, tb2 = tb
    n0, n1, n2 = out[k, N], out[k, N + 1], out[k, N + 2]
    e0, e1, e2, f0, f1, f2 = tangents(out, k)
    g = out[k, GAP]
    d0, d1, d2 = da0 - db0, da1 - db1, da2 - db2
    # theta x n
    a0, a1, a2 = ta1 * n2 - ta2 * n1, ta2 * n0 - ta0 * n2, ta0 * n1 - ta1 * n0
    b0, b1, b2 = tb1 * n2 - tb2 * n1, tb2 * n0 - tb0 * n2, tb0 * n1 - tb1 * n0
    r0 = e0 * (a0 - b0) + e1 * (a1 - b1) + e2 * (a2 - b2)
    r1 = f0 * (a0 - b0) + f1 * (a1 - b1) + f2 * (a2 - b2)
    r2 = e0 * (g * b0 - d0) + e1 * (g * b1 - d1) + e2 * (g * b2 - d2)
    r3 = f0 * (g * b0 - d0) + f1 * (g * b1 - d1) + f2 * (g * b2 - d2)
    x = A[2, 0] * r0 + A[2, 1] * r1 + A[2, 2] * r2 + A[2, 3] * r3
    y = A[3, 0] * r0 + A[3, 1] * r1 + A[3, 2] * r2 + A[3, 3] * r3
    v0 = out[k, VB] * x + out[k, VB + 1] * y
    v1 = out[k, VB + 1] * x + out[k, VB + 2] * y
    u0 = out[k, UB] * x + out[k, UB + 1] * y
    u1 = out[k, UB + 1] * x + out[k, UB + 2] * y
    return (
        n0 * d0 + n1 * d1 + n2 * d2,
        b0 + e0 * v0 + f0 * v1,
        b1 + e1 * v0 + f1 * v1,
        b2 + e2 * v0 + f2 * v1,
        db0 + e0 * u0 + f0 * u1,
        db1 + e1 * u0 + f1 * u1,
        db2 + e2 * u0 + f2 * u1,
    )
