"""Tables of a surface contact, its work, and what their columns are."""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from ..tables import COLUMNS

SkinTables = namedtuple(
    "SkinTables",
    "sh kern so sA place phi area normal big nodes shapes tri centre head item grid bigB p pf par dent dentB bulge "
    "bulgeB more ends end_place end_phi wing wingB",
)
SkinTables.__doc__ = """Points of A: place (k, 3), phi (k, 3, n), area (k,), normal (k, 3) outward; big (n,): largest
displacement of a point by each mode. Rigid shapes b: sh: table of shapes, of which the first is the point; kern (b,)
addresses of pair kernels; so (b, 3), sA (b, 9): places and axes in the frame of B.  Facets of a B that bends: nodes (m,
3), shapes (m, 3, n), tri (f, 3), centre (f, 4): middle and radius; head, item: facets in the cells of a grid; grid
(7,): its corner, size of a cell, cells along x, y, z; bigB (n,).  p, pf (1, 16): numbers of the law and of friction;
par: `PARAMETERS`. dent (k, k), dentB (m, m): dents of points and of corners under normal forces, length / force; (0, 0)
where the surface has none (`dented`); bulge (k,), bulgeB (m,): what a unit force on one lifts any other at most.  more
(2,): addresses of the tables of the way back and of crossing edges, 0 without
(`two_way`); of the latter ends (e, 2): nodes of the edges of A among end_place (a, 3), end_phi (a, 3, n); wing (e, 2,
3): in the axes of A, across an edge into each of its two faces; wingB (f, 2, 3): of the edges of B, which are the
facets tri (f, 3) with corners (first, second, first)."""

SkinWork = namedtuple(
    "SkinWork",
    "near count pose q0 cand stamp moved pts most A4 mem law slip at act res sums G met who deep push last L step dg "
    "turn pick given given_at balance clear u wrench "
    "modal D",
)
SkinWork.__doc__ = """near (k,): points of the list, clear (k,): least gaps that they had when it was made, the smallest
first; count: `COUNTERS`; pose (13,): of A in B then, and what motion it bears; q0: coordinates then; cand (k,
CANDIDATES): facets near each, the first number how many (-1: all); stamp, moved (m, 3): corners placed in the present
evaluation; pts, most: rows for pair kernels; A4, mem, law, slip, at: work; act, res (k, RESULTS): points that touch and
what acts there; sums: energy stored, power lost, a gap that none is below; G (9, columns). Of dents (`dented`): met (k,
5): gap, what is met and shares of points that may touch, who (k,) these are, deep, push, step (k,): their depth, force
and what a Newton step changes; last (k,): forces, by point; L (k, k): factor; dg, turn (k, columns): change of gaps,
and of all forces by normal forces; pick (k,): those with a depth.  Of surfaces that are constraints (`rows`): given (k,
RESULTS), given_at (k,): what acts at points, which; balance (2,): energy that it stores, power that it loses.  Of
tables that another one asks (`two_way`): u: coordinates and rates, wrench (12,), modal: forces, D: their derivatives,
in their own order."""

PARAMETERS = ("margin", "radius", "friction", "deepest", "mode", "area")  # the last: of a crossing in mid-edge
MARGIN, RADIUS, FRICTION, DEEPEST, MODE, AREA = range(len(PARAMETERS))
#: what acts: the law, nothing, or what was given (`SkinWork`)
LAW_ACTS, MUTE, GIVEN = 0.0, 1.0, 2.0
NEAR, TOUCHING, SEARCHES, EVALUATIONS, PLACED, ROW, LOST, HELD = range(8)
COUNTERS = 8
CANDIDATES = 64
#: of a point that touches: normal force, force (3) in ground, gap, position (3), normal (3), facet or shape, shares (3)
# of
#: the corners of a facet, gap without dents
R_NORMAL, R_FORCE, R_GAP, R_PLACE, R_DIRECTION, R_WHICH, R_SHARE, R_BARE = 0, 1, 4, 5, 8, 11, 12, 15
RESULTS = 16
#: work of the point at hand: gap, normal (3), facet, N (3), edges (6), |e1 x e2|, velocity (3), slip along n, velocity
#: of the foot's corners in B (9), force (3), normal force, depth
A_GAP, A_N, A_WHICH, A_SHARE, A_EDGES, A_SIZE, A_V, A_VN, A_CORNERS, A_FORCE, A_FN, A_DEPTH = (
    0,
    1,
    4,
    5,
    8,
    14,
    15,
    18,
    19,
    28,
    31,
    32,
)
#: of a point that is a constraint (`rows`): gap, normal (3), point, what it meets, shares (3)
POINT_DATA = 9
BESIDE = 0.02  # of a facet, by which a foot may lie outside of it
FACING = -0.05  # cosine of the normals of surfaces that can meet
POINTS = 8


def empty(
    *,
    points=1,
    modes=1,
    shapes=0,
    corners=1,
    modes_b=1,
    facets=1,
    columns=24,
    dents=0,
    corner_dents=0,
    edges=0,
    ends=0,
    near=0,
    asked=0,
):
    """Tables and work of the right types, to be filled; ``near``: pairs of edges in the list; ``asked``: by other
    tables."""
    from ..shapes._address import no_shapes

    own = points if dents + corner_dents else 0
    z, i = np.zeros, lambda *n: np.zeros(n, np.int64)
    S = SkinTables(
        no_shapes(shapes + 1),
        i(shapes),
        z((shapes, 3)),
        z((shapes, 9)),
        z((points, 3)),
        z((points, 3, modes)),
        z(points),
        z((points, 3)),
        z(modes),
        z((corners, 3)),
        z((corners, 3, modes_b)),
        i(facets, 3),
        z((facets, 4)),
        i(2),
        i(facets),
        z(7),
        z(modes_b),
        z((1, 16)),
        z((1, 16)),
        z(len(PARAMETERS)),
        z((dents, dents)),
        z((corner_dents, corner_dents)),
        z(dents),
        z(corner_dents),
        i(2),
        i(edges, 2),
        z((ends, 3)),
        z((ends, 3, modes)),
        z((edges, 2, 3)),
        z((facets if edges else 0, 2, 3)),
    )
    listed = max(points, near)
    W = SkinWork(
        i(listed),
        i(COUNTERS),
        z(13),
        z(modes + modes_b),
        i(points, CANDIDATES),
        i(corners),
        z((corners, 3)),
        z((POINTS, COLUMNS)),
        i(1),
        z((4, 4)),
        z((1, 8)),
        z(40),
        z(3),
        z(40),
        i(listed),
        z((listed, RESULTS)),
        z(3),
        z((9, columns)),
        z((own, 5)),
        i(own),
        z(own),
        z(own),
        z(own),
        z((own, own)),
        z(own),
        z((own, columns)),
        z((own, columns)),
        i(own),
        z((points, RESULTS)),
        i(points),
        z(2),
        z(listed),
        z(2 * (modes + modes_b)),
        z(12),
        z(modes + modes_b),
        z((12 + modes + modes_b, columns) if asked else (0, 0)),
    )
    return S, W
