"""What all pair kernels share: positions in a shape's own axes, and how a contact point is written.

A kernel writes its point in the axes of shape b (foot on b, normal, tangent, gap) and `to_ground` turns it; `exchange`
makes a point of (x, y) from one of (y, x).  Tensors (U, V) are in the tangents (e1, e2 = n x e1); `aligned` gives those
of principal directions that are not the tangents.
"""

from __future__ import annotations

import math

from ..._jit import jit
from ...elements.vectors import rotate, unrotate
from ..tables import E1, FEATURE, GAP, UA, UB, VA, VB, WEIGHT, N, P
from ..traits import ball as is_ball
from ..traits import hollow

ALIGNED = 0.9998  # cosine of the angle between axes up to which profiles are compared in planes across them: 0.02 rad


@jit
def centre(sh, a, b):
    """Origin of shape a in the axes of shape b."""
    fa = sh.frame[a]
    fb = sh.frame[b]
    p = sh.fr.p
    return unrotate(sh.fr.A, fb, p[fa, 0] - p[fb, 0], p[fa, 1] - p[fb, 1], p[fa, 2] - p[fb, 2])


@jit
def axis(sh, a, b):
    """Axis z of shape a in the axes of shape b."""
    fa = sh.frame[a]
    A = sh.fr.A
    return unrotate(A, sh.frame[b], A[fa, 2], A[fa, 5], A[fa, 8])


@jit
def tangent(x, y, z):
    """A unit vector across the unit vector (x, y, z)."""
    if abs(x) < 0.6:
        s = 1.0 / math.sqrt(y * y + z * z)
        return 0.0, z * s, -y * s
    s = 1.0 / math.sqrt(x * x + z * z)
    return -z * s, 0.0, x * s


@jit
def nearby(x, y, z, ex, ey, ez, r):
    """(low, high) of u where (x, y, z) + u e, e a unit vector, is nearer to the origin than r; low > high: nowhere."""
    u = -(x * ex + y * ey + z * ez)
    x, y, z = x + u * ex, y + u * ey, z + u * ez
    q = r * r - (x * x + y * y + z * z)
    if not q > 0.0:
        return 1.0, -1.0
    q = math.sqrt(q)
    return u - q, u + q


@jit
def vector(out, k, column, x, y, z):
    out[k, column] = x
    out[k, column + 1] = y
    out[k, column + 2] = z


@jit
def diagonal(out, k, column, u1, u2, v1, v2):
    """U = diag(u1, u2), V = diag(v1, v2) at column (UA or UB)."""
    vector(out, k, column, u1, 0.0, u2)
    vector(out, k, column + 3, v1, 0.0, v2)


@jit
def aligned(out, k, column, x, y, z, u1, u2, v1, v2):
    """U and V with principal direction 1 along the unit vector (x, y, z); n and e1 must be there, in the same axes."""
    a, b, c = out[k, E1], out[k, E1 + 1], out[k, E1 + 2]
    n0, n1, n2 = out[k, N], out[k, N + 1], out[k, N + 2]
    co = a * x + b * y + c * z
    si = (n1 * c - n2 * b) * x + (n2 * a - n0 * c) * y + (n0 * b - n1 * a) * z
    size = math.sqrt(co * co + si * si)
    if not size > 0.0:
        co = 1.0
        size = 1.0
    co /= size
    si /= size
    vector(out, k, column, co * co * u1 + si * si * u2, co * si * (u1 - u2), si * si * u1 + co * co * u2)
    vector(out, k, column + 3, co * co * v1 + si * si * v2, co * si * (v1 - v2), si * si * v1 + co * co * v2)


@jit
def to_ground(sh, b, out, k):
    """Point, normal and tangent of row k from the axes of shape b to ground."""
    f = sh.frame[b]
    A = sh.fr.A
    x, y, z = rotate(A, f, out[k, P], out[k, P + 1], out[k, P + 2])
    vector(out, k, P, x + sh.fr.p[f, 0], y + sh.fr.p[f, 1], z + sh.fr.p[f, 2])
    x, y, z = rotate(A, f, out[k, N], out[k, N + 1], out[k, N + 2])
    vector(out, k, N, x, y, z)
    x, y, z = rotate(A, f, out[k, E1], out[k, E1 + 1], out[k, E1 + 2])
    vector(out, k, E1, x, y, z)


@jit
def exchange(out, k):
    """Row k with its two shapes exchanged: the point moves to the other surface, n turns round and e2 with it."""
    g = out[k, GAP]
    for c in range(3):
        out[k, P + c] += g * out[k, N + c]
        out[k, N + c] = -out[k, N + c]
    for c in range(6):
        out[k, UA + c], out[k, UB + c] = out[k, UB + c], out[k, UA + c]
    for c in (UA + 1, VA + 1, UB + 1, VB + 1):
        out[k, c] = -out[k, c]


@jit
def ball(sh, a, b, reach, out, k):
    """Finish row k, the foot on b of the centre of ball a (axes of b, GAP its signed distance): 1 if nearer than reach,
    else 0."""
    r = sh.par[a, 0]
    out[k, GAP] -= r
    if not out[k, GAP] < reach or (
        is_ball(sh, a) and hollow(sh, a)
    ):  # a hollow ball has kernels for what it can hold (`stand_in.refusal`)
        return 0
    to_ground(sh, b, out, k)
    out[k, WEIGHT] = 1.0
    diagonal(out, k, UA, r, r, 1.0, 1.0)
    return 1


@jit
def room(out, first, n, limit, gap):
    """Row for a further point of this gap when n are there: the next one, that of the shallowest when all are taken, or
    -1."""
    if n < limit:
        return first + n
    worst = -1
    for k in range(first, first + n):
        if out[k, GAP] > gap and (worst < 0 or out[k, GAP] > out[worst, GAP]):
            worst = k
    return worst


@jit
def copied(out, k, found, j):
    """Row k becomes row j of other rows."""
    for c in range(out.shape[1]):
        out[k, c] = found[j, c]


@jit
def copy_row(out, k, j):
    """Row k becomes row j."""
    for c in range(out.shape[1]):
        out[k, c] = out[j, c]


@jit
def make_unique(out, first, n, k):
    """The number of row k becomes one that no other row has."""
    again = True
    while again:
        again = False
        for j in range(first, first + n):
            if j != k and out[j, FEATURE] == out[k, FEATURE]:
                out[k, FEATURE] += 0.01
                again = True


@jit
def local(out, k, x, y, z, n0, n1, n2, gap, feature):
    """Foot on b, normal, gap and feature of row k."""
    vector(out, k, P, x, y, z)
    vector(out, k, N, n0, n1, n2)
    out[k, GAP] = gap
    out[k, FEATURE] = feature


@jit
def bracketed(low, high, x, f, slope):
    """(low, high, next position) of a search between low and high for where f rises through 0: Newton from x, or the
    middle where that leads out of them."""
    if f < 0.0:
        low = x
    else:
        high = x
    y = x - f / slope if slope > 0.0 else math.inf
    if not (y >= low and y <= high):
        y = 0.5 * (low + high)
    return low, high, y


@jit
def smooth(x, low, high):
    """From 0 to 1 as x goes from low to high, with level ends."""
    x = min(max((x - low) / (high - low), 0.0), 1.0)
    return x * x * (3.0 - 2.0 * x)
