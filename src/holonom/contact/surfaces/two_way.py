"""Edges of two surfaces that cross, and the order of the coordinates of the way back (`kernels`).

Of two sharp edges with directions a and b, x on the one and y on the other nearest to each other,

    g = n . (x - y),    n = +-(b x a) / |b x a|,  out of B,

is the gap where both points lie within their edges and n in the cone of the normals of the edge of B, -n in that of A:
no face next to an edge rises above the plane across n through it.  The work of the force on x and y is that of a
potential in g: where x and y are nearest, their shift along the edges does no work.  Towards the ends of the edges the
area of a crossing falls to zero, since corners touch faces there: edges of aligned bodies meet in their ends, where
rounding decides on which side of the end they cross. Of B the faces that an edge joins
are those of the undeformed surface, as of A, each turned with its frame.
"""

from __future__ import annotations

import math

from ..._jit import jit
from ...elements.vectors import cross, rotate, unrotate
from .columns import A_DEPTH, A_EDGES, A_GAP, A_N, A_SHARE, A_SIZE, A_WHICH, AREA, DEEPEST, MARGIN, NEAR, RADIUS
from .search import mark, moved, sort

PARALLEL = 0.05  # sine of the angle of edges below which these do not cross
ENDS = 0.05  # of an edge, over which the area of a crossing falls to zero at its ends
RISES = 1e-3  # sine by which a face next to an edge may rise above the plane across the normal


@jit
def swapped(u, nA, nB, out):
    """out <- coordinates of B and A, rates of B and A; u: those of A and B, rates of A and B."""
    n = nA + nB
    for o in (0, n):
        for q in range(nB):
            out[o + q] = u[o + nA + q]
        for q in range(nA):
            out[o + nB + q] = u[o + q]


@jit
def end(S, fr, i, place, phi, k, u, o):
    """Position in ground of node k."""
    a, b, c = moved(place, phi, k, u, o)
    a, b, c = rotate(fr.A, i, a, b, c)
    return fr.p[i, 0] + a, fr.p[i, 1] + b, fr.p[i, 2] + c


@jit
def _rises(fr, i, wing, k, n0, n1, n2):
    """Does a face next to edge k rise above the plane across n?"""
    for e in range(2):
        a, b, c = rotate(fr.A, i, wing[k, e, 0], wing[k, e, 1], wing[k, e, 2])
        if a * n0 + b * n1 + c * n2 > RISES:
            return True
    return False


@jit
def _inside(share):
    """Weight of a crossing at a share of an edge: 1 but near its ends, 0 there, with a continuous derivative."""
    x = min(share, 1.0 - share) / ENDS
    return 1.0 if x >= 1.0 else x * x * (3.0 - 2.0 * x)


@jit(apart=True)
def cross_at(S, W, fr, i, j, pair, u):
    """Do the edges of a pair cross, deep up to `DEEPEST`?  Gap, normal and shares into W.at, the point of A as point 0
    of S; its position from the frame of A, and its share along its edge."""
    at = W.at
    nA = S.big.shape[0]
    count = S.tri.shape[0]
    ea = pair // count
    eb = pair - ea * count
    k0 = S.ends[ea, 0]
    k1 = S.ends[ea, 1]
    x0, x1, x2 = end(S, fr, i, S.end_place, S.end_phi, k0, u, 0)
    a0, a1, a2 = end(S, fr, i, S.end_place, S.end_phi, k1, u, 0)
    y0, y1, y2 = end(S, fr, j, S.nodes, S.shapes, S.tri[eb, 0], u, nA)
    b0, b1, b2 = end(S, fr, j, S.nodes, S.shapes, S.tri[eb, 1], u, nA)
    a0 -= x0
    a1 -= x1
    a2 -= x2
    b0 -= y0
    b1 -= y1
    b2 -= y2
    n0, n1, n2 = cross(b0, b1, b2, a0, a1, a2)
    size = math.sqrt(n0 * n0 + n1 * n1 + n2 * n2)
    aa = a0 * a0 + a1 * a1 + a2 * a2
    bb = b0 * b0 + b1 * b1 + b2 * b2
    if not size > PARALLEL * math.sqrt(aa * bb):
        return False, 0.0, 0.0, 0.0, 0.0
    n0 /= size
    n1 /= size
    n2 /= size
    sign = 1.0
    if _rises(fr, j, S.wingB, eb, n0, n1, n2) or _rises(fr, i, S.wing, ea, -n0, -n1, -n2):
        sign = -1.0
        if _rises(fr, j, S.wingB, eb, -n0, -n1, -n2) or _rises(fr, i, S.wing, ea, n0, n1, n2):
            return False, 0.0, 0.0, 0.0, 0.0
    d0 = x0 - y0
    d1 = x1 - y1
    d2 = x2 - y2
    ab = a0 * b0 + a1 * b1 + a2 * b2
    ad = a0 * d0 + a1 * d1 + a2 * d2
    bd = b0 * d0 + b1 * d1 + b2 * d2
    det = aa * bb - ab * ab
    along = (ab * bd - bb * ad) / det
    other = (aa * bd - ab * ad) / det
    if along < 0.0 or along > 1.0 or other < 0.0 or other > 1.0:
        return False, 0.0, 0.0, 0.0, 0.0
    S.area[0] = S.par[AREA] * _inside(along) * _inside(other)
    g = sign * (n0 * d0 + n1 * d1 + n2 * d2)
    if g < -S.par[DEEPEST]:
        return False, 0.0, 0.0, 0.0, 0.0
    at[A_GAP] = g
    at[A_DEPTH] = -g
    at[A_N] = sign * n0
    at[A_N + 1] = sign * n1
    at[A_N + 2] = sign * n2
    at[A_WHICH] = eb
    at[A_SHARE] = 1.0 - other
    at[A_SHARE + 1] = other
    at[A_SHARE + 2] = 0.0
    # as of a facet that both edges span
    at[A_EDGES] = b0
    at[A_EDGES + 1] = b1
    at[A_EDGES + 2] = b2
    at[A_EDGES + 3] = sign * a0
    at[A_EDGES + 4] = sign * a1
    at[A_EDGES + 5] = sign * a2
    at[A_SIZE] = size
    for e in range(3):
        S.place[0, e] = (1.0 - along) * S.end_place[k0, e] + along * S.end_place[k1, e]
        for m in range(nA):
            S.phi[0, e, m] = (1.0 - along) * S.end_phi[k0, e, m] + along * S.end_phi[k1, e, m]
    return True, x0 + along * a0 - fr.p[i, 0], x1 + along * a1 - fr.p[i, 1], x2 + along * a2 - fr.p[i, 2], along


@jit(apart=True)
def search_edges(S, W, fr, i, j, u):
    """The list of pairs of edges that may cross before either side has moved by the margin, the nearest first; it has
    room for all."""
    bent = mark(S, W, fr, i, j, u)
    margin = S.par[MARGIN]
    reach = margin + bent
    least = max(reach, S.par[RADIUS])
    facets = S.tri.shape[0]
    count = 0
    for ea in range(S.ends.shape[0]):
        x0, x1, x2 = end(S, fr, i, S.end_place, S.end_phi, S.ends[ea, 0], u, 0)
        y0, y1, y2 = end(S, fr, i, S.end_place, S.end_phi, S.ends[ea, 1], u, 0)
        half = 0.5 * math.sqrt((x0 - y0) ** 2 + (x1 - y1) ** 2 + (x2 - y2) ** 2)
        x0, x1, x2 = unrotate(
            fr.A, j, 0.5 * (x0 + y0) - fr.p[j, 0], 0.5 * (x1 + y1) - fr.p[j, 1], 0.5 * (x2 + y2) - fr.p[j, 2]
        )
        away = math.sqrt((x0 - S.grid[0]) ** 2 + (x1 - S.grid[1]) ** 2 + (x2 - S.grid[2]) ** 2) - half - S.grid[3]
        if away >= reach:
            least = min(least, away)
            continue
        for eb in range(facets):
            away = (
                math.sqrt((x0 - S.centre[eb, 0]) ** 2 + (x1 - S.centre[eb, 1]) ** 2 + (x2 - S.centre[eb, 2]) ** 2)
                - half
                - S.centre[eb, 3]
            )
            least = min(least, away)
            if away < reach:
                W.near[count] = ea * facets + eb
                W.clear[count] = away - bent
                count += 1
    W.count[NEAR] = count
    sort(W.clear, W.near, count)
    W.pose[12] = margin if count > 0 else max(margin, least - bent)
