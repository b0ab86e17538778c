"""Recursions over a tree of bodies, as kernels over arrays; what modes of flexible bodies add is in `flexible`.

Spatial vectors are (angular, linear) in ground axes about the *root* of each body, the origin of the joint frame by
which it hangs in the tree.  S (freedoms, 6) are the motions of the freedoms.  With these

    place        frames, S, velocities, and the accelerations that are left while the rates of the freedoms are constant
    factor       articulated inertias: the factor L of the mass matrix H = L^T L, which is never formed, and L^-T tau
    outward      L^-1: accelerations of freedoms and bodies
    inverse      efforts tau that given accelerations require (recursive Newton-Euler)
    composite    the mass matrix H (composite rigid bodies)

All cost O(bodies) but for `composite`.  Several freedoms of a joint are eliminated one after the other, so no kernel
but `place` and `read_body` knows types of joints.  Featherstone, Rigid Body Dynamics Algorithms (2008), ch. 5 to 7;
the factor as in Jain, Robot and Multibody Dynamics (2011), ch. 7.
"""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from .._jit import jit
from ..elements.bodies.layout import MOVES, STATE
from ..elements.joints.composition import BALL, SCREW, SLIDE
from ..elements.measures import nearest
from ..elements.vectors import cross, rotate, turn_quaternion, unrotate
from .flexible import (
    MEMBER,
    RIGID,
    ROOT,
    drop_bias,
    eliminate_modes,
    flexible_bias,
    flexible_inertia,
    follow_modes,
    gather,
    hang,
    modal_accelerations,
    read_modes,
    solve_modes,
)

Tree = namedtuple(
    "Tree",
    "n nq nv parent body reverse step halt kind axis pitch coordinate freedom first last pure held armature straight "
    "aligned r0 R0 mass J com C inertia seen role flexible",
)
Tree.__doc__ = """n bodies in an order in which parents come first; number n is ground.  nq coordinates, nv freedoms.
parent (n,); body (n,): number in the system; reverse (n,): 1 where the joint leads from its frame I to J, and its
steps are run backwards; step (n + 1,): first of the steps of each body, halt (n,): the one behind those of its joint,
modes (kind SLIDE) follow; of each step: kind, axis, pitch, coordinate, freedom (the first of a ball); first (n + 1,):
first freedom of each body, last (n,): the one behind those of its joint; pure (nv,): 1 for turns about an axis
through the root; held (nv,): 1 for freedoms whose motion is given; armature (nv,): inertia of drives, along freedoms
alone; straight (n,), aligned (n,): 1 where R0, C are the
identity; r0 (n, 3), R0 (n, 9): joint frame in the frame of the parent; mass, J (n, 3) principal inertias; com (n, 3),
C (n, 9): centre of mass and principal axes in the joint frame; inertia (n, 6): about the root, in the axes of the joint
frame (xx yy zz xy xz yz); seen: frames of the system that forces, and rows over the tree, see; role (n,): of each
link, and tables of flexible bodies: see `flexible`."""

TreeWork = namedtuple("TreeWork", "R x w v al a d S I p U r u da tau acc drive y yd small Y M E pm turn")
TreeWork.__doc__ = """Of each body, ground's last: R (9) axes, x root, w, v velocities, al, a accelerations at constant
rates, d root from the parent's, I (21) articulated or composite inertia, p (6) wrench, da (6) acceleration.  Of each
freedom: S (6), U (6) column of the factor, r inverse root of its pivot, u right side and half solution, tau effort,
acc acceleration, drive that of a freedom that is held.  y, yd (ny): state of the system and its rates; small (6, 7).
Of modes (`flexible`): Y (6, ..) and M (..), E (3, nv), pm (nv) efforts that they require, turn (1, 9)."""


def make_work(tree: Tree, ny: int) -> TreeWork:
    """Work arrays of a tree in a system whose state has ny numbers."""
    z = np.zeros
    n, nv = tree.n, tree.nv
    modes = (tree.first[1:] - tree.last)[tree.flexible.root]
    columns = int(modes[tree.role == MEMBER].sum())
    squares = int((modes[tree.role == ROOT] ** 2).sum())
    three = lambda: z((n + 1, 3))
    R = z((n + 1, 9))
    R[n] = np.eye(3).ravel()
    return TreeWork(
        R, three(), three(), three(), three(), three(), three(), z((nv, 6)), z((n + 1, 21)), z((n + 1, 6)),
        z((nv, 6)), z(nv), z(nv), z((n + 1, 6)), z(nv), z(nv), z(nv), z(ny), z(ny), z((6, 7)),
        z((6, columns)), z(squares), z((3, nv)), z(nv), z((1, 9)),
    )  # fmt: skip


# ---- frames ----------------------------------------------------------------------------------------------------------
@jit(forceinline=True)
def axes(A, i):
    """The nine numbers of row i."""
    return A[i, 0], A[i, 1], A[i, 2], A[i, 3], A[i, 4], A[i, 5], A[i, 6], A[i, 7], A[i, 8]


@jit(forceinline=True)
def product(a, b):
    """A B of two matrices of nine numbers each."""
    return (
        a[0] * b[0] + a[1] * b[3] + a[2] * b[6],
        a[0] * b[1] + a[1] * b[4] + a[2] * b[7],
        a[0] * b[2] + a[1] * b[5] + a[2] * b[8],
        a[3] * b[0] + a[4] * b[3] + a[5] * b[6],
        a[3] * b[1] + a[4] * b[4] + a[5] * b[7],
        a[3] * b[2] + a[4] * b[5] + a[5] * b[8],
        a[6] * b[0] + a[7] * b[3] + a[8] * b[6],
        a[6] * b[1] + a[7] * b[4] + a[8] * b[7],
        a[6] * b[2] + a[7] * b[5] + a[8] * b[8],
    )


@jit
def turned_ball(r0, r1, r2, r3, r4, r5, r6, r7, r8, q, o, sign):
    """Axes r turned by the quaternion q[o:], with sign -1 by its inverse."""
    a = q[o]
    b = sign * q[o + 1]
    c = sign * q[o + 2]
    d = sign * q[o + 3]
    s = 2.0 / (a * a + b * b + c * c + d * d)
    m0 = 1 - s * (c * c + d * d)
    m1 = s * (b * c - a * d)
    m2 = s * (b * d + a * c)
    m3 = s * (b * c + a * d)
    m4 = 1 - s * (b * b + d * d)
    m5 = s * (c * d - a * b)
    m6 = s * (b * d - a * c)
    m7 = s * (c * d + a * b)
    m8 = 1 - s * (b * b + c * c)
    return product((r0, r1, r2, r3, r4, r5, r6, r7, r8), (m0, m1, m2, m3, m4, m5, m6, m7, m8))


@jit(forceinline=True)
def joint_frame(T, W, i):
    """Axes (9) of the joint frame of body i on its parent, and the way (3) there from the root of the parent."""
    p = T.parent[i]
    r0, r1, r2, r3, r4, r5, r6, r7, r8 = axes(W.R, p)
    x = T.r0[i, 0]
    y = T.r0[i, 1]
    z = T.r0[i, 2]
    d0 = r0 * x + r1 * y + r2 * z
    d1 = r3 * x + r4 * y + r5 * z
    d2 = r6 * x + r7 * y + r8 * z
    if T.straight[i] == 0:
        r = product((r0, r1, r2, r3, r4, r5, r6, r7, r8), axes(T.R0, i))
        r0, r1, r2, r3, r4, r5, r6, r7, r8 = r
    return r0, r1, r2, r3, r4, r5, r6, r7, r8, d0, d1, d2


@jit(forceinline=True)
def place_body(T, W, q, v, i):
    """Frame, motions S, velocity and acceleration at constant rates, or as driven, of body i from those of its parent.

    All of one body is in scalars: arrays that a compiler must take for the same memory cost three times as much."""
    S = W.S
    p = T.parent[i]
    r0, r1, r2, r3, r4, r5, r6, r7, r8, d0, d1, d2 = joint_frame(T, W, i)
    w0 = W.w[p, 0]
    w1 = W.w[p, 1]
    w2 = W.w[p, 2]
    l0 = W.al[p, 0]
    l1 = W.al[p, 1]
    l2 = W.al[p, 2]
    v0, v1, v2 = cross(w0, w1, w2, d0, d1, d2)
    a0, a1, a2 = cross(w0, w1, w2, v0, v1, v2)
    h0, h1, h2 = cross(l0, l1, l2, d0, d1, d2)
    v0 += W.v[p, 0]
    v1 += W.v[p, 1]
    v2 += W.v[p, 2]
    a0 += W.a[p, 0] + h0
    a1 += W.a[p, 1] + h1
    a2 += W.a[p, 2] + h2
    sign = -1.0 if T.reverse[i] else 1.0
    for o in range(T.step[i], T.halt[i]):
        kind = T.kind[o]
        c = T.coordinate[o]
        k = T.freedom[o]
        if kind == BALL:
            if sign > 0:
                r0, r1, r2, r3, r4, r5, r6, r7, r8 = turned_ball(r0, r1, r2, r3, r4, r5, r6, r7, r8, q, c, sign)
            x0, x1, x2, y0, y1, y2, z0, z1, z2 = r0, r3, r6, r1, r4, r7, r2, r5, r8
            S[k, 0], S[k, 1], S[k, 2] = sign * x0, sign * x1, sign * x2
            S[k + 1, 0], S[k + 1, 1], S[k + 1, 2] = sign * y0, sign * y1, sign * y2
            S[k + 2, 0], S[k + 2, 1], S[k + 2, 2] = sign * z0, sign * z1, sign * z2
            for j in range(k, k + 3):
                S[j, 3] = S[j, 4] = S[j, 5] = 0.0
            s0 = sign * v[k]
            s1 = sign * v[k + 1]
            s2 = sign * v[k + 2]
            if sign < 0:
                r0, r1, r2, r3, r4, r5, r6, r7, r8 = turned_ball(r0, r1, r2, r3, r4, r5, r6, r7, r8, q, c, sign)
            h0 = x0 * s0 + y0 * s1 + z0 * s2
            h1 = x1 * s0 + y1 * s1 + z1 * s2
            h2 = x2 * s0 + y2 * s1 + z2 * s2
        else:
            axis = T.axis[o]
            if axis == 2:
                e0, e1, e2 = sign * r2, sign * r5, sign * r8
            elif axis == 0:
                e0, e1, e2 = sign * r0, sign * r3, sign * r6
            else:
                e0, e1, e2 = sign * r1, sign * r4, sign * r7
            rate = v[k]
            push = W.drive[k]
            if kind == SLIDE or kind == SCREW:
                # by the way f along e, which turns with the body; its own freedoms before turn the way too
                pitch = T.pitch[o]
                way = pitch * q[c]
                speed = pitch * rate
                more = pitch * push
                f0 = way * e0
                f1 = way * e1
                f2 = way * e2
                c0, c1, c2 = cross(w0, w1, w2, f0, f1, f2)
                # w x (w x f) + 2 w x e speed = w x (w x f + 2 e speed)
                g0, g1, g2 = cross(w0, w1, w2, c0 + 2 * speed * e0, c1 + 2 * speed * e1, c2 + 2 * speed * e2)
                h0, h1, h2 = cross(l0, l1, l2, f0, f1, f2)
                d0 += f0
                d1 += f1
                d2 += f2
                v0 += c0 + speed * e0
                v1 += c1 + speed * e1
                v2 += c2 + speed * e2
                a0 += g0 + h0 + more * e0
                a1 += g1 + h1 + more * e1
                a2 += g2 + h2 + more * e2
                for j in range(T.first[i], k):
                    c0, c1, c2 = cross(S[j, 0], S[j, 1], S[j, 2], f0, f1, f2)
                    S[j, 3] += c0
                    S[j, 4] += c1
                    S[j, 5] += c2
                S[k, 3] = pitch * e0
                S[k, 4] = pitch * e1
                S[k, 5] = pitch * e2
                if kind == SLIDE:
                    S[k, 0] = S[k, 1] = S[k, 2] = 0.0
                    continue
            else:
                S[k, 3] = S[k, 4] = S[k, 5] = 0.0
            S[k, 0] = e0
            S[k, 1] = e1
            S[k, 2] = e2
            h0 = e0 * rate
            h1 = e1 * rate
            h2 = e2 * rate
            l0 += e0 * push
            l1 += e1 * push
            l2 += e2 * push
            cos = math.cos(q[c])
            sin = sign * math.sin(q[c])
            if axis == 2:
                r0, r1 = r0 * cos + r1 * sin, r1 * cos - r0 * sin
                r3, r4 = r3 * cos + r4 * sin, r4 * cos - r3 * sin
                r6, r7 = r6 * cos + r7 * sin, r7 * cos - r6 * sin
            elif axis == 0:
                r1, r2 = r1 * cos + r2 * sin, r2 * cos - r1 * sin
                r4, r5 = r4 * cos + r5 * sin, r5 * cos - r4 * sin
                r7, r8 = r7 * cos + r8 * sin, r8 * cos - r7 * sin
            else:
                r2, r0 = r2 * cos + r0 * sin, r0 * cos - r2 * sin
                r5, r3 = r5 * cos + r3 * sin, r3 * cos - r5 * sin
                r8, r6 = r8 * cos + r6 * sin, r6 * cos - r8 * sin
        # the axes of this turn are fixed in what the body has turned with so far
        g0, g1, g2 = cross(w0, w1, w2, h0, h1, h2)
        w0 += h0
        w1 += h1
        w2 += h2
        l0 += g0
        l1 += g1
        l2 += g2
    R = W.R
    R[i, 0] = r0
    R[i, 1] = r1
    R[i, 2] = r2
    R[i, 3] = r3
    R[i, 4] = r4
    R[i, 5] = r5
    R[i, 6] = r6
    R[i, 7] = r7
    R[i, 8] = r8
    W.d[i, 0] = d0
    W.d[i, 1] = d1
    W.d[i, 2] = d2
    W.x[i, 0] = W.x[p, 0] + d0
    W.x[i, 1] = W.x[p, 1] + d1
    W.x[i, 2] = W.x[p, 2] + d2
    W.w[i, 0] = w0
    W.w[i, 1] = w1
    W.w[i, 2] = w2
    W.v[i, 0] = v0
    W.v[i, 1] = v1
    W.v[i, 2] = v2
    W.al[i, 0] = l0
    W.al[i, 1] = l1
    W.al[i, 2] = l2
    W.a[i, 0] = a0
    W.a[i, 1] = a1
    W.a[i, 2] = a2


@jit(apart=True)
def place(T, W, q, v):
    """`place_body` of all bodies; members of flexible ones are placed with their roots."""
    for i in range(T.n):
        if T.role[i] != MEMBER:
            place_body(T, W, q, v, i)
            if T.role[i] == ROOT:
                hang(T, W, q, v, i)


# ---- coordinates and their rates -------------------------------------------------------------------------------------
@jit(entry="Tree, float64[::1], float64[::1], float64[::1]")
def coordinate_rates(T, q, v, out):
    """out (nq,) <- rates of the coordinates: v itself, and of quaternions  1/2 q o v."""
    for o in range(T.kind.shape[0]):
        c = T.coordinate[o]
        k = T.freedom[o]
        if T.kind[o] == BALL:
            a = q[c]
            b0 = q[c + 1]
            b1 = q[c + 2]
            b2 = q[c + 3]
            w0 = 0.5 * v[k]
            w1 = 0.5 * v[k + 1]
            w2 = 0.5 * v[k + 2]
            out[c] = -b0 * w0 - b1 * w1 - b2 * w2
            out[c + 1] = a * w0 + b1 * w2 - b2 * w1
            out[c + 2] = a * w1 - b0 * w2 + b2 * w0
            out[c + 3] = a * w2 + b0 * w1 - b1 * w0
        else:
            out[c] = v[k]


@jit(entry="Tree, float64[::1], float64[::1]")
def move_coordinates(T, q, d):
    """q <- q moved by the displacement d (nv,) of the freedoms."""
    for o in range(T.kind.shape[0]):
        c = T.coordinate[o]
        k = T.freedom[o]
        if T.kind[o] == BALL:
            turn_quaternion(q, c, d[k], d[k + 1], d[k + 2])
        else:
            q[c] += d[k]


@jit
def displacements(T, q, r, out):
    """out (nv) <- displacements of freedoms that are the changes r (nq) of the coordinates q."""
    for o in range(T.kind.shape[0]):
        c = T.coordinate[o]
        k = T.freedom[o]
        if T.kind[o] == BALL:
            a = q[c]
            b0 = q[c + 1]
            b1 = q[c + 2]
            b2 = q[c + 3]
            f = 2.0 / (a * a + b0 * b0 + b1 * b1 + b2 * b2)
            out[k] = f * (-b0 * r[c] + a * r[c + 1] + b2 * r[c + 2] - b1 * r[c + 3])
            out[k + 1] = f * (-b1 * r[c] - b2 * r[c + 1] + a * r[c + 2] + b0 * r[c + 3])
            out[k + 2] = f * (-b2 * r[c] + b1 * r[c + 1] - b0 * r[c + 2] + a * r[c + 3])
        else:
            out[k] = r[c]


@jit
def unit_quaternions(T, q):
    """Quaternions among the coordinates get unit length."""
    for o in range(T.kind.shape[0]):
        if T.kind[o] == BALL:
            c = T.coordinate[o]
            s = 1.0 / math.sqrt(q[c] ** 2 + q[c + 1] ** 2 + q[c + 2] ** 2 + q[c + 3] ** 2)
            for l in range(4):
                q[c + l] *= s


# ---- the state of the system -----------------------------------------------------------------------------------------
@jit
def near_quaternion(M, k, y, o):
    """y[o:o+4] <- quaternion of the matrix M[k], of the two signs the one nearer to what y has there (Shepperd, J.
    Guid. Control 1 (1978) 223)."""
    m0 = M[k, 0]
    m4 = M[k, 4]
    m8 = M[k, 8]
    t = m0 + m4 + m8
    if t >= m0 and t >= m4 and t >= m8:
        a = 1.0 + t
        b = M[k, 7] - M[k, 5]
        c = M[k, 2] - M[k, 6]
        d = M[k, 3] - M[k, 1]
    elif m0 >= m4 and m0 >= m8:
        a = M[k, 7] - M[k, 5]
        b = 1.0 + m0 - m4 - m8
        c = M[k, 1] + M[k, 3]
        d = M[k, 2] + M[k, 6]
    elif m4 >= m8:
        a = M[k, 2] - M[k, 6]
        b = M[k, 1] + M[k, 3]
        c = 1.0 + m4 - m0 - m8
        d = M[k, 5] + M[k, 7]
    else:
        a = M[k, 3] - M[k, 1]
        b = M[k, 2] + M[k, 6]
        c = M[k, 5] + M[k, 7]
        d = 1.0 + m8 - m0 - m4
    s = 1.0 / math.sqrt(a * a + b * b + c * c + d * d)
    if a * y[o] + b * y[o + 1] + c * y[o + 2] + d * y[o + 3] < 0.0:
        s = -s
    y[o] = s * a
    y[o + 1] = s * b
    y[o + 2] = s * c
    y[o + 3] = s * d


@jit
def write_state(T, W, R, y, attitudes):
    """Positions and velocities of all bodies into the state y of the system, and their principal axes into R
    (bodies + 1, 9); with ``attitudes`` their quaternions too, which frames do not need."""
    A = W.R
    for i in range(T.n):
        b = T.body[i]
        o = STATE * b
        r0, r1, r2, r3, r4, r5, r6, r7, r8 = axes(A, i)
        c0 = T.com[i, 0]
        c1 = T.com[i, 1]
        c2 = T.com[i, 2]
        c0, c1, c2 = r0 * c0 + r1 * c1 + r2 * c2, r3 * c0 + r4 * c1 + r5 * c2, r6 * c0 + r7 * c1 + r8 * c2
        if T.aligned[i] == 0:
            r = product((r0, r1, r2, r3, r4, r5, r6, r7, r8), axes(T.C, i))
            r0, r1, r2, r3, r4, r5, r6, r7, r8 = r
        w0 = W.w[i, 0]
        w1 = W.w[i, 1]
        w2 = W.w[i, 2]
        e0, e1, e2 = cross(w0, w1, w2, c0, c1, c2)
        y[o] = W.x[i, 0] + c0
        y[o + 1] = W.x[i, 1] + c1
        y[o + 2] = W.x[i, 2] + c2
        y[o + 7] = W.v[i, 0] + e0
        y[o + 8] = W.v[i, 1] + e1
        y[o + 9] = W.v[i, 2] + e2
        y[o + 10] = r0 * w0 + r3 * w1 + r6 * w2
        y[o + 11] = r1 * w0 + r4 * w1 + r7 * w2
        y[o + 12] = r2 * w0 + r5 * w1 + r8 * w2
        R[b, 0] = r0
        R[b, 1] = r1
        R[b, 2] = r2
        R[b, 3] = r3
        R[b, 4] = r4
        R[b, 5] = r5
        R[b, 6] = r6
        R[b, 7] = r7
        R[b, 8] = r8
        if attitudes:
            near_quaternion(R, b, y, o + 3)


@jit
def read_body(T, W, R, y, q, v, i):
    """Coordinates and rates of body i <- those of its joint at the state y, whose rotations R are current, with the
    parent as it is placed.  Angles go on from what q has there.  Motion that the joint does not leave is dropped."""
    b = T.body[i]
    o = STATE * b
    r0, r1, r2, r3, r4, r5, r6, r7, r8, d0, d1, d2 = joint_frame(T, W, i)
    W.R[i, 0], W.R[i, 1], W.R[i, 2] = r0, r1, r2
    W.R[i, 3], W.R[i, 4], W.R[i, 5] = r3, r4, r5
    W.R[i, 6], W.R[i, 7], W.R[i, 8] = r6, r7, r8
    W.d[i, 0], W.d[i, 1], W.d[i, 2] = d0, d1, d2
    p = T.parent[i]
    # A = axes of the joint frame on the parent, transposed, times those on the body; s: the way between their origins
    A = W.I
    n = T.n
    for r in range(3):
        for c in range(3):
            m = 0.0
            for l in range(3):
                for e in range(3):  # axes of the body's joint frame in ground: R[b] C^T
                    m += W.R[i, 3 * l + r] * R[b, 3 * l + e] * T.C[i, 3 * c + e]
            A[n, 3 * r + c] = m
    x = W.small
    for l in range(3):
        g = y[o + l] - W.x[p, l] - W.d[i, l]
        for r in range(3):
            # minus the centre of mass, in ground: R[b] C^T com
            t = T.C[i, r] * T.com[i, 0] + T.C[i, 3 + r] * T.com[i, 1] + T.C[i, 6 + r] * T.com[i, 2]
            g -= R[b, 3 * l + r] * t
        x[1, l] = g
    s0, s1, s2 = unrotate(W.R, i, x[1, 0], x[1, 1], x[1, 2])
    backwards = T.reverse[i] != 0
    if backwards:  # of I from J: A^T, -A^T s
        t0 = A[n, 0] * s0 + A[n, 3] * s1 + A[n, 6] * s2
        t1 = A[n, 1] * s0 + A[n, 4] * s1 + A[n, 7] * s2
        t2 = A[n, 2] * s0 + A[n, 5] * s1 + A[n, 8] * s2
        s0, s1, s2 = -t0, -t1, -t2
        for r in range(3):
            for c in range(r):
                g = A[n, 3 * r + c]
                A[n, 3 * r + c] = A[n, 3 * c + r]
                A[n, 3 * c + r] = g
    lo = T.step[i]
    hi = T.halt[i]
    for m in range(hi - lo):
        o = hi - 1 - m if backwards else lo + m
        kind = T.kind[o]
        c = T.coordinate[o]
        axis = T.axis[o]
        way = s0 if axis == 0 else s1 if axis == 1 else s2
        if kind == BALL:
            near_quaternion(A, n, q, c)
        elif kind == SLIDE:
            q[c] = way
        elif kind == SCREW and T.pitch[o] != 0.0:
            q[c] = way / T.pitch[o]
        else:
            # the axis of the next turn, or any other, tells how far this one has gone: A e = R(q) e
            follow = m + 1 < hi - lo
            e = T.axis[o - 1 if backwards else o + 1] if follow else (axis + 1 if axis < 2 else 0)
            f = 3 - axis - e
            side = 1.0 if (axis + 1) % 3 == e else -1.0
            angle = side * math.atan2(A[n, 3 * f + e], A[n, 3 * e + e])
            q[c] = nearest(angle, q[c])
            cos = math.cos(q[c])
            sin = side * math.sin(q[c])
            for r in range(3):  # A <- R(q)^T A
                g = A[n, 3 * e + r]
                h = A[n, 3 * f + r]
                A[n, 3 * e + r] = g * cos + h * sin
                A[n, 3 * f + r] = h * cos - g * sin
    lo = T.first[i]
    count = T.last[i] - lo
    for k in range(count):
        v[lo + k] = 0.0
    place_body(T, W, q, v, i)
    o = STATE * b
    w0, w1, w2 = rotate(R, b, y[o + 10], y[o + 11], y[o + 12])
    c0, c1, c2 = rotate(W.R, i, T.com[i, 0], T.com[i, 1], T.com[i, 2])
    e0, e1, e2 = cross(w0, w1, w2, c0, c1, c2)
    g0 = w0 - W.w[i, 0]
    g1 = w1 - W.w[i, 1]
    g2 = w2 - W.w[i, 2]
    g3 = y[o + 7] - e0 - W.v[i, 0]
    g4 = y[o + 8] - e1 - W.v[i, 1]
    g5 = y[o + 9] - e2 - W.v[i, 2]
    # least squares, normal equations by Cholesky: motions of one joint are nearly orthogonal
    N = W.small
    S = W.S
    for k in range(count):
        j = lo + k
        N[k, 6] = S[j, 0] * g0 + S[j, 1] * g1 + S[j, 2] * g2 + S[j, 3] * g3 + S[j, 4] * g4 + S[j, 5] * g5
        for l in range(k + 1):
            t = 0.0
            for c in range(6):
                t += S[j, c] * S[lo + l, c]
            for c in range(l):
                t -= N[k, c] * N[l, c]
            N[k, l] = math.sqrt(t) if k == l else t / N[l, l]
        for c in range(k):
            N[k, 6] -= N[k, c] * N[c, 6]
        N[k, 6] /= N[k, k]
    for k in range(count - 1, -1, -1):
        t = N[k, 6]
        for c in range(k + 1, count):
            t -= N[c, k] * v[lo + c]
        v[lo + k] = t / N[k, k]
    place_body(T, W, q, v, i)


@jit(apart=True)
def read_state(T, W, R, y, q, v):
    """q, v <- coordinates and rates of all joints at the state y of the system, whose rotations R are current."""
    for i in range(T.n):
        if T.role[i] != MEMBER:
            read_body(T, W, R, y, q, v, i)
            if T.role[i] == ROOT:
                read_modes(T, y, q, v, i)
                hang(T, W, q, v, i)


# ---- dynamics --------------------------------------------------------------------------------------------------------
@jit
def set_inertia(T, W):
    """I <- inertia of each body alone, about its root in ground axes: rotation (6), coupling (9), mass (6)."""
    I = W.I
    for i in range(T.n):
        R = W.R
        r0 = R[i, 0]
        r1 = R[i, 1]
        r2 = R[i, 2]
        r3 = R[i, 3]
        r4 = R[i, 4]
        r5 = R[i, 5]
        r6 = R[i, 6]
        r7 = R[i, 7]
        r8 = R[i, 8]
        j0 = T.inertia[i, 0]
        j1 = T.inertia[i, 1]
        j2 = T.inertia[i, 2]
        j3 = T.inertia[i, 3]
        j4 = T.inertia[i, 4]
        j5 = T.inertia[i, 5]
        t0 = r0 * j0 + r1 * j3 + r2 * j4
        t1 = r0 * j3 + r1 * j1 + r2 * j5
        t2 = r0 * j4 + r1 * j5 + r2 * j2
        I[i, 0] = t0 * r0 + t1 * r1 + t2 * r2
        I[i, 3] = t0 * r3 + t1 * r4 + t2 * r5
        I[i, 4] = t0 * r6 + t1 * r7 + t2 * r8
        t0 = r3 * j0 + r4 * j3 + r5 * j4
        t1 = r3 * j3 + r4 * j1 + r5 * j5
        t2 = r3 * j4 + r4 * j5 + r5 * j2
        I[i, 1] = t0 * r3 + t1 * r4 + t2 * r5
        I[i, 5] = t0 * r6 + t1 * r7 + t2 * r8
        t0 = r6 * j0 + r7 * j3 + r8 * j4
        t1 = r6 * j3 + r7 * j1 + r8 * j5
        t2 = r6 * j4 + r7 * j5 + r8 * j2
        I[i, 2] = t0 * r6 + t1 * r7 + t2 * r8
        m = T.mass[i]
        s0, s1, s2 = rotate(R, i, T.com[i, 0], T.com[i, 1], T.com[i, 2])
        s0 *= m
        s1 *= m
        s2 *= m
        I[i, 6] = 0.0
        I[i, 7] = -s2
        I[i, 8] = s1
        I[i, 9] = s2
        I[i, 10] = 0.0
        I[i, 11] = -s0
        I[i, 12] = -s1
        I[i, 13] = s0
        I[i, 14] = 0.0
        I[i, 15] = m
        I[i, 16] = m
        I[i, 17] = m
        I[i, 18] = 0.0
        I[i, 19] = 0.0
        I[i, 20] = 0.0
    if T.flexible.roots.shape[0] > 0:
        flexible_inertia(T, W)


@jit
def set_bias(T, W, R, F):
    """p <- wrench about the root that each body requires for the accelerations al, a, less the forces F of the system,
    which hold the gyroscopic moment and gravity (`elements.bodies.rigid`); R: principal axes."""
    for i in range(T.n):
        b = T.body[i]
        o = MOVES * b
        c0, c1, c2 = rotate(W.R, i, T.com[i, 0], T.com[i, 1], T.com[i, 2])
        w0 = W.w[i, 0]
        w1 = W.w[i, 1]
        w2 = W.w[i, 2]
        a0 = W.al[i, 0]
        a1 = W.al[i, 1]
        a2 = W.al[i, 2]
        e0, e1, e2 = cross(w0, w1, w2, c0, c1, c2)
        e0, e1, e2 = cross(w0, w1, w2, e0, e1, e2)
        h0, h1, h2 = cross(a0, a1, a2, c0, c1, c2)
        m = T.mass[i]
        f0 = m * (W.a[i, 0] + e0 + h0) - F[o]
        f1 = m * (W.a[i, 1] + e1 + h1) - F[o + 1]
        f2 = m * (W.a[i, 2] + e2 + h2) - F[o + 2]
        l0, l1, l2 = unrotate(R, b, a0, a1, a2)
        l0, l1, l2 = rotate(R, b, T.J[i, 0] * l0 - F[o + 3], T.J[i, 1] * l1 - F[o + 4], T.J[i, 2] * l2 - F[o + 5])
        h0, h1, h2 = cross(c0, c1, c2, f0, f1, f2)
        W.p[i, 0] = l0 + h0
        W.p[i, 1] = l1 + h1
        W.p[i, 2] = l2 + h2
        W.p[i, 3] = f0
        W.p[i, 4] = f1
        W.p[i, 5] = f2
    if T.flexible.roots.shape[0] > 0:
        flexible_bias(T, W, F)


@jit(forceinline=True)
def add_to_parent(T, W, i):
    """Inertia and wrench of body i, moved to the root of its parent, are added to those of the parent."""
    I = W.I
    p = T.parent[i]
    d0 = W.d[i, 0]
    d1 = W.d[i, 1]
    d2 = W.d[i, 2]
    b0 = I[i, 6]
    b1 = I[i, 7]
    b2 = I[i, 8]
    b3 = I[i, 9]
    b4 = I[i, 10]
    b5 = I[i, 11]
    b6 = I[i, 12]
    b7 = I[i, 13]
    b8 = I[i, 14]
    c0 = I[i, 15]
    c1 = I[i, 16]
    c2 = I[i, 17]
    c3 = I[i, 18]
    c4 = I[i, 19]
    c5 = I[i, 20]
    # coupling + [d] mass;  rotation - coupling [d] + [d] (that)^T;  mass
    e0 = b0 - d2 * c3 + d1 * c4
    e1 = b1 - d2 * c1 + d1 * c5
    e2 = b2 - d2 * c5 + d1 * c2
    e3 = b3 + d2 * c0 - d0 * c4
    e4 = b4 + d2 * c3 - d0 * c5
    e5 = b5 + d2 * c4 - d0 * c2
    e6 = b6 - d1 * c0 + d0 * c3
    e7 = b7 - d1 * c3 + d0 * c1
    e8 = b8 - d1 * c4 + d0 * c5
    I[p, 0] += I[i, 0] - (b1 * d2 - b2 * d1) + (d1 * e2 - d2 * e1)
    I[p, 1] += I[i, 1] - (b5 * d0 - b3 * d2) + (d2 * e3 - d0 * e5)
    I[p, 2] += I[i, 2] - (b6 * d1 - b7 * d0) + (d0 * e7 - d1 * e6)
    I[p, 3] += I[i, 3] - (b2 * d0 - b0 * d2) + (d1 * e5 - d2 * e4)
    I[p, 4] += I[i, 4] - (b0 * d1 - b1 * d0) + (d1 * e8 - d2 * e7)
    I[p, 5] += I[i, 5] - (b3 * d1 - b4 * d0) + (d2 * e6 - d0 * e8)
    I[p, 6] += e0
    I[p, 7] += e1
    I[p, 8] += e2
    I[p, 9] += e3
    I[p, 10] += e4
    I[p, 11] += e5
    I[p, 12] += e6
    I[p, 13] += e7
    I[p, 14] += e8
    I[p, 15] += c0
    I[p, 16] += c1
    I[p, 17] += c2
    I[p, 18] += c3
    I[p, 19] += c4
    I[p, 20] += c5
    add_wrench_to_parent(T, W, i)


@jit
def add_wrench_to_parent(T, W, i):
    P = W.p
    p = T.parent[i]
    c0, c1, c2 = cross(W.d[i, 0], W.d[i, 1], W.d[i, 2], P[i, 3], P[i, 4], P[i, 5])
    P[p, 0] += P[i, 0] + c0
    P[p, 1] += P[i, 1] + c1
    P[p, 2] += P[i, 2] + c2
    P[p, 3] += P[i, 3]
    P[p, 4] += P[i, 4]
    P[p, 5] += P[i, 5]


@jit
def times_inertia(I, i, s0, s1, s2, s3, s4, s5):
    """I[i] (s), the wrench of a motion s."""
    return (
        I[i, 0] * s0 + I[i, 3] * s1 + I[i, 4] * s2 + I[i, 6] * s3 + I[i, 7] * s4 + I[i, 8] * s5,
        I[i, 3] * s0 + I[i, 1] * s1 + I[i, 5] * s2 + I[i, 9] * s3 + I[i, 10] * s4 + I[i, 11] * s5,
        I[i, 4] * s0 + I[i, 5] * s1 + I[i, 2] * s2 + I[i, 12] * s3 + I[i, 13] * s4 + I[i, 14] * s5,
        I[i, 6] * s0 + I[i, 9] * s1 + I[i, 12] * s2 + I[i, 15] * s3 + I[i, 18] * s4 + I[i, 19] * s5,
        I[i, 7] * s0 + I[i, 10] * s1 + I[i, 13] * s2 + I[i, 18] * s3 + I[i, 16] * s4 + I[i, 20] * s5,
        I[i, 8] * s0 + I[i, 11] * s1 + I[i, 14] * s2 + I[i, 19] * s3 + I[i, 20] * s4 + I[i, 17] * s5,
    )


@jit(apart=True)
def factor(T, W):
    """Articulated inertias into I, columns of the factor into U and r, the half solved efforts L^-T (tau - S^T p) into
    u.  p, I as set; returns 1, not a positive number where a freedom moves no mass."""
    I, P, S, U = W.I, W.p, W.S, W.U
    low = 1.0
    for ii in range(T.n):
        i = T.n - 1 - ii
        if T.role[i] != RIGID:
            if T.role[i] == MEMBER:
                gather(T, W, i)
                add_to_parent(T, W, i)
                continue
            modal = eliminate_modes(T, W, i)
            if not (modal > 0.0):
                low = modal
        for kk in range(T.last[i] - T.first[i]):
            k = T.last[i] - 1 - kk
            if T.held[k] != 0:  # forces do not change its motion
                W.r[k] = W.u[k] = 0.0
                for l in range(6):
                    U[k, l] = 0.0
                continue
            s0 = S[k, 0]
            s1 = S[k, 1]
            s2 = S[k, 2]
            if T.pure[k]:
                u0 = I[i, 0] * s0 + I[i, 3] * s1 + I[i, 4] * s2
                u1 = I[i, 3] * s0 + I[i, 1] * s1 + I[i, 5] * s2
                u2 = I[i, 4] * s0 + I[i, 5] * s1 + I[i, 2] * s2
                u3 = I[i, 6] * s0 + I[i, 9] * s1 + I[i, 12] * s2
                u4 = I[i, 7] * s0 + I[i, 10] * s1 + I[i, 13] * s2
                u5 = I[i, 8] * s0 + I[i, 11] * s1 + I[i, 14] * s2
                pivot = s0 * u0 + s1 * u1 + s2 * u2
                effort = s0 * P[i, 0] + s1 * P[i, 1] + s2 * P[i, 2]
            else:
                s3 = S[k, 3]
                s4 = S[k, 4]
                s5 = S[k, 5]
                u0, u1, u2, u3, u4, u5 = times_inertia(I, i, s0, s1, s2, s3, s4, s5)
                pivot = s0 * u0 + s1 * u1 + s2 * u2 + s3 * u3 + s4 * u4 + s5 * u5
                effort = s0 * P[i, 0] + s1 * P[i, 1] + s2 * P[i, 2] + s3 * P[i, 3] + s4 * P[i, 4] + s5 * P[i, 5]
            pivot += T.armature[k]
            if not (pivot > 0.0):
                low = -1.0 if pivot == pivot else pivot
            r = 1.0 / math.sqrt(pivot)
            u0 *= r
            u1 *= r
            u2 *= r
            u3 *= r
            u4 *= r
            u5 *= r
            z = (W.tau[k] - effort) * r
            W.r[k] = r
            W.u[k] = z
            U[k, 0] = u0
            U[k, 1] = u1
            U[k, 2] = u2
            U[k, 3] = u3
            U[k, 4] = u4
            U[k, 5] = u5
            I[i, 0] -= u0 * u0
            I[i, 1] -= u1 * u1
            I[i, 2] -= u2 * u2
            I[i, 3] -= u0 * u1
            I[i, 4] -= u0 * u2
            I[i, 5] -= u1 * u2
            I[i, 6] -= u0 * u3
            I[i, 7] -= u0 * u4
            I[i, 8] -= u0 * u5
            I[i, 9] -= u1 * u3
            I[i, 10] -= u1 * u4
            I[i, 11] -= u1 * u5
            I[i, 12] -= u2 * u3
            I[i, 13] -= u2 * u4
            I[i, 14] -= u2 * u5
            I[i, 15] -= u3 * u3
            I[i, 16] -= u4 * u4
            I[i, 17] -= u5 * u5
            I[i, 18] -= u3 * u4
            I[i, 19] -= u3 * u5
            I[i, 20] -= u4 * u5
            P[i, 0] += u0 * z
            P[i, 1] += u1 * z
            P[i, 2] += u2 * z
            P[i, 3] += u3 * z
            P[i, 4] += u4 * z
            P[i, 5] += u5 * z
        if T.parent[i] != T.n:
            add_to_parent(T, W, i)
    return low


@jit
def outward(T, W, u, out):
    """out <- L^-1 u, and da <- the accelerations of the bodies that these are."""
    S, U, da = W.S, W.U, W.da
    for i in range(T.n):
        p = T.parent[i]
        a0 = da[p, 0]
        a1 = da[p, 1]
        a2 = da[p, 2]
        c0, c1, c2 = cross(a0, a1, a2, W.d[i, 0], W.d[i, 1], W.d[i, 2])
        a3 = da[p, 3] + c0
        a4 = da[p, 4] + c1
        a5 = da[p, 5] + c2
        for k in range(T.first[i], T.last[i]):
            x = (u[k] - U[k, 0] * a0 - U[k, 1] * a1 - U[k, 2] * a2 - U[k, 3] * a3 - U[k, 4] * a4 - U[k, 5] * a5) * W.r[
                k
            ]
            out[k] = x
            a0 += S[k, 0] * x
            a1 += S[k, 1] * x
            a2 += S[k, 2] * x
            a3 += S[k, 3] * x
            a4 += S[k, 4] * x
            a5 += S[k, 5] * x
        da[i, 0] = a0
        da[i, 1] = a1
        da[i, 2] = a2
        da[i, 3] = a3
        da[i, 4] = a4
        da[i, 5] = a5
        if T.role[i] == ROOT:
            solve_modes(T, W, u, out, i)
        elif T.role[i] == MEMBER:
            follow_modes(T, W, out, da, i)


@jit
def spread(T, W, d, out):
    """out (n + 1, 6) <- small motions of all bodies that are those d (nv) of the freedoms, where S is current."""
    for i in range(T.n):
        p = T.parent[i]
        w0 = out[p, 0]
        w1 = out[p, 1]
        w2 = out[p, 2]
        v0, v1, v2 = cross(w0, w1, w2, W.d[i, 0], W.d[i, 1], W.d[i, 2])
        v0 += out[p, 3]
        v1 += out[p, 4]
        v2 += out[p, 5]
        for k in range(T.first[i], T.last[i]):
            x = d[k]
            w0 += W.S[k, 0] * x
            w1 += W.S[k, 1] * x
            w2 += W.S[k, 2] * x
            v0 += W.S[k, 3] * x
            v1 += W.S[k, 4] * x
            v2 += W.S[k, 5] * x
        out[i, 0] = w0
        out[i, 1] = w1
        out[i, 2] = w2
        out[i, 3] = v0
        out[i, 4] = v1
        out[i, 5] = v2
        if T.role[i] == MEMBER:
            follow_modes(T, W, d, out, i)


@jit
def sum_of_squares(T, W, motion, turn, travel):
    """Sum over all bodies of the squares of their turns times ``turn`` and of the ways of their centres of mass times
    ``travel``, of small motions (n + 1, 6)."""
    total = 0.0
    for i in range(T.n):
        w0 = motion[i, 0]
        w1 = motion[i, 1]
        w2 = motion[i, 2]
        c0, c1, c2 = rotate(W.R, i, T.com[i, 0], T.com[i, 1], T.com[i, 2])
        v0, v1, v2 = cross(w0, w1, w2, c0, c1, c2)
        v0 += motion[i, 3]
        v1 += motion[i, 4]
        v2 += motion[i, 5]
        total += turn * turn * (w0 * w0 + w1 * w1 + w2 * w2) + travel * travel * (v0 * v0 + v1 * v1 + v2 * v2)
    return total


@jit
def write_accelerations(T, W, R, share, acc):
    """`write_acceleration` of all bodies, and accelerations of modes; W.acc is that of the freedoms."""
    for i in range(T.n):
        write_acceleration(T, W, R, share, acc, i)
    if T.flexible.roots.shape[0] > 0:
        modal_accelerations(T, W, share, acc)


@jit(forceinline=True)
def write_acceleration(T, W, R, share, acc, i):
    """Acceleration of body i, r'' in ground and W' in principal axes, into those of the system: that at constant rates
    and ``share`` (0 or 1) of what `outward` has found on top of it; R: principal axes."""
    b = T.body[i]
    o = MOVES * b
    c0, c1, c2 = rotate(W.R, i, T.com[i, 0], T.com[i, 1], T.com[i, 2])
    w0 = W.w[i, 0]
    w1 = W.w[i, 1]
    w2 = W.w[i, 2]
    a0 = W.al[i, 0] + share * W.da[i, 0]
    a1 = W.al[i, 1] + share * W.da[i, 1]
    a2 = W.al[i, 2] + share * W.da[i, 2]
    e0, e1, e2 = cross(w0, w1, w2, c0, c1, c2)
    e0, e1, e2 = cross(w0, w1, w2, e0, e1, e2)
    h0, h1, h2 = cross(a0, a1, a2, c0, c1, c2)
    acc[o] = W.a[i, 0] + share * W.da[i, 3] + e0 + h0
    acc[o + 1] = W.a[i, 1] + share * W.da[i, 4] + e1 + h1
    acc[o + 2] = W.a[i, 2] + share * W.da[i, 5] + e2 + h2
    acc[o + 3], acc[o + 4], acc[o + 5] = unrotate(R, b, a0, a1, a2)
    if T.role[i] != RIGID:
        drop_bias(T, acc, i)


@jit
def inverse(T, W, acc, out):
    """out <- efforts that the accelerations ``acc`` of the freedoms require, with p as `set_bias` leaves it."""
    S, da, P = W.S, W.da, W.p
    set_inertia(T, W)
    for i in range(T.n):
        p = T.parent[i]
        c0, c1, c2 = cross(da[p, 0], da[p, 1], da[p, 2], W.d[i, 0], W.d[i, 1], W.d[i, 2])
        for l in range(3):
            da[i, l] = da[p, l]
        da[i, 3] = da[p, 3] + c0
        da[i, 4] = da[p, 4] + c1
        da[i, 5] = da[p, 5] + c2
        for k in range(T.first[i], T.first[i + 1]):
            for l in range(6):
                da[i, l] += S[k, l] * acc[k]
        f0, f1, f2, f3, f4, f5 = times_inertia(W.I, i, da[i, 0], da[i, 1], da[i, 2], da[i, 3], da[i, 4], da[i, 5])
        P[i, 0] += f0
        P[i, 1] += f1
        P[i, 2] += f2
        P[i, 3] += f3
        P[i, 4] += f4
        P[i, 5] += f5
    for ii in range(T.n):
        i = T.n - 1 - ii
        for k in range(T.first[i], T.first[i + 1]):
            t = T.armature[k] * acc[k]
            for l in range(6):
                t += S[k, l] * P[i, l]
            out[k] = t
        if T.parent[i] != T.n:
            add_wrench_to_parent(T, W, i)


@jit
def composite(T, W, H):
    """H (nv, nv) <- mass matrix, from inertias of composite bodies in I; frames and S are current."""
    S, I = W.S, W.I
    set_inertia(T, W)
    for i in range(T.n):
        for l in range(6):
            W.p[i, l] = 0.0
    for k in range(T.nv):
        for l in range(T.nv):
            H[k, l] = 0.0
    for ii in range(T.n):
        i = T.n - 1 - ii
        if T.parent[i] != T.n:
            add_to_parent(T, W, i)
        for k in range(T.first[i], T.first[i + 1]):
            f0, f1, f2, f3, f4, f5 = times_inertia(I, i, S[k, 0], S[k, 1], S[k, 2], S[k, 3], S[k, 4], S[k, 5])
            j = i
            while True:
                for l in range(T.first[j], T.first[j + 1]):
                    if j < i or l <= k:
                        t = f0 * S[l, 0] + f1 * S[l, 1] + f2 * S[l, 2]
                        t += f3 * S[l, 3] + f4 * S[l, 4] + f5 * S[l, 5]
                        H[k, l] = t
                        H[l, k] = t
                if T.parent[j] == T.n:
                    break
                c0, c1, c2 = cross(W.d[j, 0], W.d[j, 1], W.d[j, 2], f3, f4, f5)
                f0 += c0
                f1 += c1
                f2 += c2
                j = T.parent[j]
            H[k, k] += T.armature[k]


@jit
def jacobian(T, W, i, x0, x1, x2, out):
    """out (6, nv) <- velocity of the point x of body i and angular velocity, for unit rates of the freedoms: linear
    rows, then angular ones, in ground axes."""
    for r in range(6):
        for k in range(T.nv):
            out[r, k] = 0.0
    j = i
    while j != T.n:
        for k in range(T.first[j], T.first[j + 1]):
            S = W.S
            c0, c1, c2 = cross(S[k, 0], S[k, 1], S[k, 2], x0 - W.x[j, 0], x1 - W.x[j, 1], x2 - W.x[j, 2])
            out[0, k] = S[k, 3] + c0
            out[1, k] = S[k, 4] + c1
            out[2, k] = S[k, 5] + c2
            for l in range(3):
                out[3 + l, k] = S[k, l]
        j = T.parent[j]
