"""Contacts that are constraints: rows of their points, what friction makes of their forces, and the gaps of all others.

A point that is closed gives the row of its gap, and when it sticks two rows of its tangential velocity (`kinematics`
for the notation; D v the velocity of a's material point at c = p_b + g n / 2 against b's, r the centre of a body, w its
angular velocity):

    g = 0,      g'' = n . D a + n' . D v,      D a = sum +- (r'' + al x (c - r) + w x (c' - r')),
    t_k . D v = 0,

with n', c' from the surfaces' curvatures.  A point whose contact resists spin and rolling has three more rows, of the
relative angular velocity d = w - w' about n and the tangents, in units of velocity (times a typical radius L; torques
in units of force, arms as shares of L):

    L n . d = 0,       (L n . d)' = L (n . D al + n' . d),
    L t_k . d = 0,     (L t_k . d)' = L (t_k . D al - (t_k . n') (n . d))     where the point does not roll.

In the equations of motion  M u' + B^T lam = F,  G u' = gamma  the normal force is N = -lam.
A point that sticks or has no friction acts along its own gradient, B = G; one that slides along s carries mu N against
it, so that its row acts as  B_n = G_n - mu s . G_t, and likewise against spin and rolling with their arms.  The Schur
complement G M^-1 B^T is then not symmetric: with X = (G M^-1 G^T)^-1 G M^-1 (B - G)^T for the few points that slide,
and lam0 the multipliers without friction,

    lam = lam0 - X nu,      (1 + P X) nu = P lam0,      nu = P lam the normal multipliers of these points.

Where points repeat each other (four corners of a box) or may repeat joints, G M^-1 G^T gets 1e-7 more on their
diagonals, and two or more further solutions take the error out again (proximal point iteration): what is left is the
solution of minimum size, in which such points share their load evenly and which does not jump. The determinant of 1 + P
X gives where friction makes the problem singular (P. Painleve, C. R. Acad. Sci. Paris 121 (1895) 112): it is 1 without
friction and falls through zero there.
"""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np
from numba.extending import intrinsic

from .._handle import make_handle, view_P, view_S, view_W
from .._jit import jit
from ..elements.bodies.at_point import (
    angular_velocity,
    centre_velocity,
    enter_turning_row,
    enter_velocity_row,
    lever,
    velocity_at,
)
from ..elements.bodies.coordinates import rotations
from ..elements.bodies.layout import MOVES
from ..elements.bodies.mass import clear_moves
from ..elements.bodies.pair_rows import add_response_of_difference
from ..elements.bodies.tables import no_bodies
from ..elements.frames import update_frames
from ..elements.joints.rows import Rows, RowWork, multiply_G
from ..elements.vectors import rotate
from ..linalg.ldl import LDLArrays, ldl_solve
from .advancement import BOUNDS, approach, approach_rates, convex, idle, renewed, sooner, speed_of
from .broad_phase import search, still_near
from .call import EVENTS, FILL, INDEX, LIST, PUBLISH, RENEW, ROWS, SLIDE
from .engine import HANDLE, _share, _speed, near_points
from .event_functions import MORE, ROUND, SHARE, SLOWER, apart_at_least, trusted
from .kinematics import point_rates, prepare
from .shapes._address import call as pair
from .shapes._point import tangent
from .tables import (
    ALL_PAIRS,
    AT,
    COLUMNS,
    DEPTH,
    E1,
    FEATURE,
    FN,
    FORCE,
    FT,
    GAP,
    NEAR,
    POINT_DATA,
    POINTS,
    PUBLISHED,
    RATE,
    TA,
    UA,
    UB,
    VA,
    VB,
    N,
)
from .tables import LOST as POWER
from .tables import P as FOOT
from .walls import thinner

# of its diagonal: what the Schur complement gets more where several points are closed, so that redundant ones share
# their load
SOFT = 1e-7
SAME = 1e-6  # of a typical radius: rows nearer to each other are one point
ALIKE = 0.1  # names that differ by less are one name of several points
TURNED = 1e-6  # sine of the angle between a normal and the tangent of the last event below which there is none
OTHER_FACE = 0.5  # cosine between normals of a point in one step below which they are those of two faces
# further solutions that take it out again: so many at least, at most (a light body under a heavy one needs more), the
# change, of the largest multiplier, that ends them (roundoff over SOFT changes shares of rows that repeat each other by
# 1e-9 in each: 1e-12 let corners of a box drift apart and slip one by one), and that over the one before above which
# none is gained
REFINED, MOST_REFINED, UNCHANGED, STAGNANT = 2, 40, 1e-8, 0.9
# positions in ``count`` and ``settings`` of the tables, columns of ``mode`` (the first three of ``mu`` too) and of
# ``way``
TRACKED, LOST, SLIDING = range(3)
POINT_REACH, SLOW, ROUNDOFF, SIZE, NOISE_SPEED, NOISE_DEPTH, SLACK, POINT_SETTINGS = range(8)
SLIP, SPIN, ROLL, OBLIQUE = range(4)
WAY_SLIP, WAY_ROLL, WAY_SPIN = 0, 3, 6
FREE, STICKS, SLIDES = range(
    3
)  # what holds at a point across the normal (of spin, of rolling): nothing, its rows, a force of bounded size
# positions in ``out`` of a solution: the second, the largest acceleration that the multipliers do not give (`_exact`)
DETERMINANT, UNSOLVED = 0, 7
CROSS = 2.0  # gaps are measured as far as they can close in so many spans

# of a point: normal, tangents, contact point, gap, relative velocity (normal, t1, t2), gamma (the same), direction of
# slip, speed of slip
D_N, D_T1, D_T2, D_C, D_GAP, D_W, D_GAMMA, D_SLIP, D_SPEED, D_CURVE = 0, 3, 6, 9, 12, 13, 16, 19, 22, 23
# of spin and rolling: velocities (spin, t1, t2), gamma, direction of rolling in the tangents, its speed, speed of spin
# along its direction
D_TURN, D_TURN_GAMMA, D_ROLL, D_ROLLS, D_SPINS = 24, 27, 30, 32, 33
D_CORNER = 34  # `_corner_on_face`
DATA = 35
# what EVENTS gives: minimum distance from touching, its rate, time within which nothing can touch, pair and feature of
# the least, the same time for bounds of the motion that have grown (`event_functions.NEXT`), time before t within which
# nothing can have touched (up to what is requested there)
W_FREE, W_SLOPE, W_AHEAD, W_PAIR, W_FEATURE, W_NEXT, W_BEHIND = range(7)
WATCHED = 8

Active = namedtuple(
    "Active",
    "count pair feature seen row slot mode mu way base last fixed data H settings out bounds rows rw ldl Lx Di lam "
    "lwork bodies z X A first before",
)
Active.__doc__ = """count (4): points, points whose geometry was lost, points whose row acts otherwise than along its
gradient; pair (k, 2): shapes a, b of each point in the order of the kernel; feature (k): its name; seen (k): its row of
the kernel at the state at hand, -1: none; row (k, d), slot
(k, 2 d): rows (normal, two tangents; with d = 6 spin and rolling about both) and their slots, -1 where none; mode (k,
4): of slip, spin and rolling, and 1 where the point counts in count[SLIDING]; mu (k, 3): coefficient of friction, arms
of spin and rolling as shares of the typical radius; way (k, 7): directions in which a point began to slide, to roll,
and to spin (sign); base (k, 3): direction near which its first tangent lies; last (k, COLUMNS): its geometry at the
last accepted state; fixed (k, 12): where it was then in the frames of both shapes, and its normal there; data
(k, DATA); H (k, d, 12): gradients of all d on both bodies; settings: reach, slip speed below which ``way`` counts,
depth that is roundoff, a typical radius, speed and depth that are errors of the integrator, depth of a touch that may
be missed; out: see `WATCHED` and DETERMINANT; bounds (nb + 1, 8): of the motion over a step; rows .. bodies: those of
the equations of motion; z, X (k, m), A (k, k+1), first, before (m): work."""


def make_active(points, d, rows, rw, ldl, Lx, Di, lam, lwork, bodies) -> Active:
    """Tables for ``points`` points of ``d`` rows (3, or 6 with spin and rolling) at most."""
    z, none = np.zeros, lambda *shape: np.full(shape, -1, np.int64)
    k = max(points, 1)
    return Active(
        count=z(4, np.int64),
        pair=none(k, 2),
        feature=z(k),
        seen=none(k),
        row=none(k, d),
        slot=none(k, 2 * d),
        mode=z((k, 4), np.int64),
        mu=z((k, 3)),
        way=z((k, 7)),
        base=z((k, 3)),
        last=z((k, COLUMNS)),
        fixed=z((k, 12)),
        data=z((k, DATA)),
        H=z((k, d, 2 * MOVES)),
        settings=z(POINT_SETTINGS),
        out=z(WATCHED),
        bounds=z((bodies.n + 1, BOUNDS)),
        rows=rows,
        rw=rw,
        ldl=ldl,
        Lx=Lx,
        Di=Di,
        lam=lam,
        lwork=lwork,
        bodies=bodies,
        z=z(bodies.moves),
        X=z((k, rows.m)),
        A=z((k, k + 1)),
        first=z(rows.m),
        before=z(rows.m),
    )


def _types():
    """Types of the tables behind an address: of the engine's, and of `Active` of any system."""
    z, i, u = np.zeros, lambda *shape: np.zeros(shape, np.int64), lambda *shape: np.zeros(shape, np.uint32)
    index = dict.fromkeys("fi fj a b si sj on slot_body rp body_ptr body_slots tr ti tj tsi tsj".split(), u(0))
    number = dict.fromkeys("kind motion level slot_row tk cr ccurve ci crm vr vi vj".split(), i(0))
    places = dict(cpos=u(0, 144), vpos=u(0, 144))
    pairs = dict(csi=i(0, 2), csrm=i(0, 2), vcurve=i(0, 2), vsi=i(0, 3), vsj=i(0, 3))
    rows = Rows(m=0, ts=z(0), compliance=z(0), **pairs, **places, **index, **number)
    G = z((1, MOVES))
    each = dict.fromkeys("phi phit gamma angle angle_rate calpha".split(), z(0))
    rw = RowWork(
        G=G,
        B=G,
        angle_ref=z((0, 2)),
        clock=z(2),
        motion=z((0, 3)),
        cn=z((0, 3)),
        vpar=z((0, 4)),
        vwork=z((15, 3)),
        soft=z((0, 2)),
        **each,
    )
    ldl = LDLArrays(place=u(0), Lp=u(1), Li=u(0), Lmap=u(0))
    T = make_active(1, 3, rows, rw, ldl, z(0), z(0), z(0), z(0), no_bodies())
    tables = HANDLE.content.types
    return tables[0], tables[1], make_handle((), (), T)._numba_type_.content.types[2]


@intrinsic
def _tables_at(typingctx, address):
    from numba import types

    from .._handle import HandleType

    kind = HandleType(types.Tuple(_types()))

    def codegen(context, builder, signature, args):
        return builder.inttoptr(args[0], context.get_value_type(kind))

    return kind(INDEX), codegen


@jit(entry="int64, int64, float64, float64[::1], float64[:, ::1], float64")
def active(address, mode, t, y, R, span):
    """The entry.  ROWS: geometry of all points and their rows at y, whose rotations R are current; POINTS_ONLY:
    geometry alone, rotations too;
    RENEW: the same of an accepted state, from which points are followed from then on;
    SLIDE: friction of what slides, into the multipliers; EVENTS: least gap of what is not among the points, as far as
    it can close within ``span``; LIST: all points with a gap below ``span`` into W.pts, their near pairs into W.pair;
    FILL: what acts at closed points to where the engine keeps what laws give; PUBLISH: the same for functions that ask,
    where multipliers were changed from outside.  Returns for LIST and FILL their number, for EVENTS that of near pairs,
    else how many points have lost their geometry."""
    handle = _tables_at(address)
    if mode == FILL:
        return _fill(view_S(handle), view_W(handle), view_P(handle))
    if mode == PUBLISH:
        _publish(view_S(handle), view_W(handle), view_P(handle))
        return 0
    if mode == SLIDE:
        n = _slide(view_P(handle))
        _publish(view_S(handle), view_W(handle), view_P(handle))
        return n
    return _evaluate(view_S(handle), view_W(handle), view_P(handle), mode, t, y, R, span)


@jit
def _evaluate(S, W, P, mode, t, y, R, span):
    if mode != ROWS:
        rotations(S.bodies, y, R)
    update_frames(S.sh.fr, y, R)
    if mode == EVENTS:
        return _event_function(S, W, P, t, span)
    if mode == LIST:
        return _list(S, W, t, span)
    _points(S, W, P, y, R, mode == RENEW)
    if mode == ROWS:
        _rows(P)
        _publish(S, W, P)  # with the multipliers of the last iteration
    return P.count[LOST]


@jit
def _matched(sh, W, T, m, n, trial):
    """Which of n points of their pair are the points m, m + 1, ... of the pair of m, into T.seen; -1 where there is
    none.

    A point is what its kernel calls it: the features that meet there. Where several have one name but for a number that
    distinguishes them (`_point.make_unique`: minima along a ring on one face, in the order of their gaps), those
    that lie nearest to each other belong together: of a row that two points claim the farther one takes another. Where
    none has its name, because other features have taken over, it is the nearest to where it was at the last accepted
    state that no other point of the pair has taken. Distances are the sum of the squares of the moves in the frames of
    both shapes (a corner of one shape that slides on the other moves in one of the two frames only, another corner in
    both). Trial states check that state and do not change it: all of them see the same points, in whatever order they
    come.

    In trial states and in the search for events (``trial``) nothing takes over from a corner on a flat face: its name
    is certain, so it has left the face, and another corner there is a new point.
    """
    a = T.pair[m, 0]
    b = T.pair[m, 1]
    end = m
    while end < T.count[TRACKED] and T.pair[end, 0] == a and T.pair[end, 1] == b:
        T.seen[end] = -1
        end += 1
    for first in range(m, end):
        i = first
        while i >= 0:
            least = 1e300
            row = owner = -1
            for q in range(n):
                if not abs(W.pts[q, FEATURE] - T.feature[i]) < ALIKE:
                    continue
                d = _moved(sh, W, T, i, q)
                if not d < least:
                    continue
                other = -1
                for j in range(m, end):
                    if T.seen[j] == q:
                        other = j
                if other < 0 or d < _moved(sh, W, T, other, q):
                    least, row, owner = d, q, other
            T.seen[i] = row
            if owner >= 0:
                T.seen[owner] = -1
            i = owner
    for i in range(m, end):
        if T.seen[i] >= 0 or (trial and _corner_on_face(T, i) != 0):
            continue
        least = T.settings[POINT_REACH] ** 2
        for q in range(n):
            taken = False
            for j in range(m, end):
                taken = taken or T.seen[j] == q
            if taken:
                continue
            d = _moved(sh, W, T, i, q) + W.pts[q, GAP] ** 2  # what takes over touches as well
            if d < least:
                least = d
                T.seen[i] = q
    return end


@jit
def _corner_on_face(T, m):
    """1 where point m is a corner, sharp or round, of shape a on a flat face of b, -1 the other way round, else 0."""
    if _corner(T, m, UA) and _flat(T, m, VB):
        return 1
    return -1 if _corner(T, m, UB) and _flat(T, m, VA) else 0


@jit
def _corner(T, m, column):
    """Is the surface of a shape at point m (UA or UB) a ball about a place that is fixed to it?"""
    r = T.last[m, column]
    away = abs(T.last[m, column + 1]) + abs(T.last[m, column + 2] - r)
    v = column + VA - UA
    turn_ = abs(T.last[m, v] - 1.0) + abs(T.last[m, v + 1]) + abs(T.last[m, v + 2] - 1.0)
    return away <= 1e-9 * (1.0 + abs(r)) and turn_ <= 1e-9


@jit
def _flat(T, m, column):
    """Does the normal of a shape stay along its surface at point m (VA or VB)?"""
    return abs(T.last[m, column]) + abs(T.last[m, column + 1]) + abs(T.last[m, column + 2]) <= 1e-9


@jit
def _moved(sh, W, T, m, q):
    """Square of how far row q lies from where point m was at the last accepted state, in the frames of both shapes."""
    fa = sh.frame[T.pair[m, 0]]
    fb = sh.frame[T.pair[m, 1]]
    p, A = sh.fr.p, sh.fr.A
    d = 0.0
    for c in range(3):
        x = W.pts[q, FOOT + c]
        a = (
            p[fa, c]
            + A[fa, 3 * c] * T.fixed[m, 0]
            + A[fa, 3 * c + 1] * T.fixed[m, 1]
            + A[fa, 3 * c + 2] * T.fixed[m, 2]
        )
        b = (
            p[fb, c]
            + A[fb, 3 * c] * T.fixed[m, 3]
            + A[fb, 3 * c + 1] * T.fixed[m, 4]
            + A[fb, 3 * c + 2] * T.fixed[m, 5]
        )
        d += (x - a) ** 2 + (x - b) ** 2
    return d


@jit
def _known(W, T, q, first, end):
    """Is row q one of the points first ... end - 1, or does it lie where one of them is, or have its name?"""
    near = (SAME * T.settings[SIZE]) ** 2
    for m in range(first, end):
        k = T.seen[m]
        if k < 0:
            continue
        if k == q or W.pts[q, FEATURE] == W.pts[k, FEATURE]:
            return True
        d = 0.0
        for c in range(3):
            d += (W.pts[q, FOOT + c] - W.pts[k, FOOT + c]) ** 2
        if d < near:
            return True
    return False


@jit
def _fix(sh, T, m):
    """Where point m is in the frames of its shapes, from its geometry in T.last."""
    for side in range(2):
        f = sh.frame[T.pair[m, side]]
        d0 = T.last[m, FOOT] - sh.fr.p[f, 0]
        d1 = T.last[m, FOOT + 1] - sh.fr.p[f, 1]
        d2 = T.last[m, FOOT + 2] - sh.fr.p[f, 2]
        n0, n1, n2 = T.last[m, N], T.last[m, N + 1], T.last[m, N + 2]
        for c in range(3):
            T.fixed[m, 3 * side + c] = sh.fr.A[f, c] * d0 + sh.fr.A[f, 3 + c] * d1 + sh.fr.A[f, 6 + c] * d2
            T.fixed[m, 6 + 3 * side + c] = sh.fr.A[f, c] * n0 + sh.fr.A[f, 3 + c] * n1 + sh.fr.A[f, 6 + c] * n2


@jit
def _turned(sh, W, T, m, q):
    """Does the normal of row q differ so much from that of point m at the last accepted state, in the frames of both
    shapes, that another face pushes there: that the point has slid over an edge?"""
    most = -1.0
    for side in range(2):
        f = sh.frame[T.pair[m, side]]
        dot = 0.0
        for c in range(3):
            dot += W.pts[q, N + c] * (
                sh.fr.A[f, 3 * c] * T.fixed[m, 6 + 3 * side]
                + sh.fr.A[f, 3 * c + 1] * T.fixed[m, 7 + 3 * side]
                + sh.fr.A[f, 3 * c + 2] * T.fixed[m, 8 + 3 * side]
            )
        most = max(most, dot)
    return most < OTHER_FACE


@jit
def _beyond(sh, W, T, m, q):
    """Row q: point m beyond the end of its surface, as if that went on.

    Trial states of a step reach beyond the event at which the point leaves; what they see must continue smoothly what
    was before, or the whole step is wrong.  A corner of one shape stays where it is on it, on the plane that touched it
    and is fixed to the other; other points stay where they were on b."""
    for c in range(COLUMNS):
        W.pts[q, c] = T.last[m, c]
    what = _corner_on_face(T, m)
    fa = sh.frame[T.pair[m, 0]]
    fb = sh.frame[T.pair[m, 1]]
    p, A = sh.fr.p, sh.fr.A
    gap = T.last[m, GAP]
    # along the normal from the foot on b: the middle of a corner of a, else the point of a; that of a corner of b, else
    # the foot
    up = gap + (T.last[m, UA] if what == 1 else 0.0)
    down = T.last[m, UB] if what == -1 else 0.0
    a0, a1, a2 = rotate(
        A,
        fa,
        T.fixed[m, 0] + up * T.fixed[m, 6],
        T.fixed[m, 1] + up * T.fixed[m, 7],
        T.fixed[m, 2] + up * T.fixed[m, 8],
    )
    b0, b1, b2 = rotate(
        A,
        fb,
        T.fixed[m, 3] - down * T.fixed[m, 9],
        T.fixed[m, 4] - down * T.fixed[m, 10],
        T.fixed[m, 5] - down * T.fixed[m, 11],
    )
    a0, a1, a2 = a0 + p[fa, 0], a1 + p[fa, 1], a2 + p[fa, 2]
    b0, b1, b2 = b0 + p[fb, 0], b1 + p[fb, 1], b2 + p[fb, 2]
    f, o = (fa, 6) if what == -1 else (fb, 9)
    n0, n1, n2 = rotate(A, f, T.fixed[m, o], T.fixed[m, o + 1], T.fixed[m, o + 2])
    if what != 0:
        apart = n0 * (a0 - b0) + n1 * (a1 - b1) + n2 * (a2 - b2)
        gap += apart - up - down
        if what == 1:
            b0, b1, b2 = a0 - apart * n0, a1 - apart * n1, a2 - apart * n2
        else:
            b0, b1, b2 = b0 + down * n0, b1 + down * n1, b2 + down * n2
    W.pts[q, FOOT], W.pts[q, FOOT + 1], W.pts[q, FOOT + 2] = b0, b1, b2
    W.pts[q, N], W.pts[q, N + 1], W.pts[q, N + 2] = n0, n1, n2
    W.pts[q, GAP] = gap
    e0, e1, e2 = T.last[m, E1], T.last[m, E1 + 1], T.last[m, E1 + 2]
    along = e0 * n0 + e1 * n1 + e2 * n2
    e0, e1, e2 = e0 - along * n0, e1 - along * n1, e2 - along * n2
    size = math.sqrt(e0 * e0 + e1 * e1 + e2 * e2)
    if size > TURNED:
        W.pts[q, E1], W.pts[q, E1 + 1], W.pts[q, E1 + 2] = e0 / size, e1 / size, e2 / size
    else:
        W.pts[q, E1], W.pts[q, E1 + 1], W.pts[q, E1 + 2] = tangent(n0, n1, n2)


@jit
def _points(S, W, T, y, R, renew):
    """Geometry of all points into T.data and T.H; ``renew``: the state is an accepted one, from which they are
    followed."""
    sh = S.sh
    fr = sh.fr
    room = W.pts.shape[0]
    T.count[LOST] = 0
    end = 0
    for m in range(T.count[TRACKED]):
        a = T.pair[m, 0]
        b = T.pair[m, 1]
        if m == end:  # points of a pair follow each other
            ka = sh.kind[a]
            kb = sh.kind[b]
            n = pair(S.kern[ka, kb], (sh, a, b, T.settings[POINT_REACH], W.pts, 0, min(S.most[ka, kb], room)))
            end = _matched(sh, W, T, m, n, not renew)
        q = T.seen[m]
        if q >= 0 and _turned(sh, W, T, m, q):
            q = T.seen[m] = -1
        if q < 0:  # it has left the surface
            T.count[LOST] += 1
            q = room - 1
            _beyond(sh, W, T, m, q)
        elif renew:
            for c in range(COLUMNS):
                T.last[m, c] = W.pts[q, c]
            T.feature[m] = W.pts[q, FEATURE]
            _fix(sh, T, m)
        _point(T, W, m, q, fr.body[sh.frame[a]], fr.body[sh.frame[b]], y, R)
        T.data[m, D_CORNER] = _corner_on_face(T, m)
    W.count[POINTS] = 0


@jit
def _point(T, W, m, q, i, j, y, R):
    pts = W.pts
    D = T.data
    g = pts[q, GAP]
    n0, n1, n2 = pts[q, N], pts[q, N + 1], pts[q, N + 2]
    c0, c1, c2 = pts[q, FOOT] + 0.5 * g * n0, pts[q, FOOT + 1] + 0.5 * g * n1, pts[q, FOOT + 2] + 0.5 * g * n2
    # first tangent: the one of the last time, turned into the plane
    x0, x1, x2 = T.base[m, 0], T.base[m, 1], T.base[m, 2]
    along = x0 * n0 + x1 * n1 + x2 * n2
    x0 -= along * n0
    x1 -= along * n1
    x2 -= along * n2
    size = math.sqrt(x0 * x0 + x1 * x1 + x2 * x2)
    if size > TURNED:
        x0 /= size
        x1 /= size
        x2 /= size
    else:  # the normal has turned into it
        x0, x1, x2 = tangent(n0, n1, n2)
    z0, z1, z2 = n1 * x2 - n2 * x1, n2 * x0 - n0 * x2, n0 * x1 - n1 * x0
    # velocities: of both centres, angular, of the material points at c, p_a and p_b
    bodies = T.bodies
    wa0, wa1, wa2 = angular_velocity(bodies, R, y, i)
    wb0, wb1, wb2 = angular_velocity(bodies, R, y, j)
    ra0, ra1, ra2 = lever(bodies, y, i, c0, c1, c2)
    rb0, rb1, rb2 = lever(bodies, y, j, c0, c1, c2)
    va0, va1, va2 = velocity_at(bodies, y, i, wa0, wa1, wa2, ra0, ra1, ra2)
    vb0, vb1, vb2 = velocity_at(bodies, y, j, wb0, wb1, wb2, rb0, rb1, rb2)
    h = 0.5 * g
    prepare(pts, q, W.A4)
    dg, dn0, dn1, dn2, dp0, dp1, dp2 = point_rates(
        pts,
        q,
        W.A4,
        (va0 + h * (wa1 * n2 - wa2 * n1), va1 + h * (wa2 * n0 - wa0 * n2), va2 + h * (wa0 * n1 - wa1 * n0)),
        (wa0, wa1, wa2),
        (vb0 - h * (wb1 * n2 - wb2 * n1), vb1 - h * (wb2 * n0 - wb0 * n2), vb2 - h * (wb0 * n1 - wb1 * n0)),
        (wb0, wb1, wb2),
    )
    dp0 += 0.5 * (dg * n0 + g * dn0)
    dp1 += 0.5 * (dg * n1 + g * dn1)
    dp2 += 0.5 * (dg * n2 + g * dn2)
    v0, v1, v2 = va0 - vb0, va1 - vb1, va2 - vb2
    # what is left of the relative acceleration of the points at c when bodies have none: c runs
    e0, e1, e2 = centre_velocity(bodies, y, i)
    f0, f1, f2 = centre_velocity(bodies, y, j)
    e0, e1, e2 = dp0 - e0, dp1 - e1, dp2 - e2
    f0, f1, f2 = dp0 - f0, dp1 - f1, dp2 - f2
    a0 = wa1 * e2 - wa2 * e1 - wb1 * f2 + wb2 * f1
    a1 = wa2 * e0 - wa0 * e2 - wb2 * f0 + wb0 * f2
    a2 = wa0 * e1 - wa1 * e0 - wb0 * f1 + wb1 * f0
    for k in range(3):
        d0 = n0 if k == 0 else x0 if k == 1 else z0
        d1 = n1 if k == 0 else x1 if k == 1 else z1
        d2 = n2 if k == 0 else x2 if k == 1 else z2
        D[m, 3 * k] = d0
        D[m, 3 * k + 1] = d1
        D[m, 3 * k + 2] = d2
        D[m, D_W + k] = d0 * v0 + d1 * v1 + d2 * v2
        D[m, D_GAMMA + k] = -(d0 * a0 + d1 * a1 + d2 * a2)
        enter_velocity_row(bodies, R, i, 1.0, (ra0, ra1, ra2), (d0, d1, d2), T.H, m, k, 0)
        enter_velocity_row(bodies, R, j, -1.0, (rb0, rb1, rb2), (d0, d1, d2), T.H, m, k, MOVES)
    curve = dn0 * v0 + dn1 * v1 + dn2 * v2
    D[m, D_GAMMA] -= curve
    D[m, D_C] = c0
    D[m, D_C + 1] = c1
    D[m, D_C + 2] = c2
    D[m, D_GAP] = g
    s1, s2, D[m, D_SPEED] = _direction(T, m, WAY_SLIP, x0, x1, x2, z0, z1, z2, D[m, D_W + 1], D[m, D_W + 2])
    D[m, D_SLIP] = s1 * x0 + s2 * z0
    D[m, D_SLIP + 1] = s1 * x1 + s2 * z1
    D[m, D_SLIP + 2] = s1 * x2 + s2 * z2
    if T.H.shape[1] > 3:
        w0, w1, w2 = wa0 - wb0, wa1 - wb1, wa2 - wb2
        spin = n0 * w0 + n1 * w1 + n2 * w2
        L = T.settings[SIZE]
        D[m, D_TURN] = L * spin
        D[m, D_TURN + 1] = L * (x0 * w0 + x1 * w1 + x2 * w2)
        D[m, D_TURN + 2] = L * (z0 * w0 + z1 * w1 + z2 * w2)
        D[m, D_TURN_GAMMA] = -L * (dn0 * w0 + dn1 * w1 + dn2 * w2)
        D[m, D_TURN_GAMMA + 1] = L * (dn0 * x0 + dn1 * x1 + dn2 * x2) * spin
        D[m, D_TURN_GAMMA + 2] = L * (dn0 * z0 + dn1 * z1 + dn2 * z2) * spin
        for k in range(3):
            enter_turning_row(bodies, R, i, L, D[m, 3 * k], D[m, 3 * k + 1], D[m, 3 * k + 2], T.H, m, 3 + k, 0)
            enter_turning_row(bodies, R, j, -L, D[m, 3 * k], D[m, 3 * k + 1], D[m, 3 * k + 2], T.H, m, 3 + k, MOVES)
        D[m, D_ROLL], D[m, D_ROLL + 1], D[m, D_ROLLS] = _direction(
            T, m, WAY_ROLL, x0, x1, x2, z0, z1, z2, D[m, D_TURN + 1], D[m, D_TURN + 2]
        )
        D[m, D_SPINS] = D[m, D_TURN] * T.way[m, WAY_SPIN]
    D[m, D_CURVE] = curve


@jit
def _direction(T, m, o, x0, x1, x2, z0, z1, z2, s1, s2):
    """Direction of slip (rolling) with velocity s1, s2 in the tangents x, z, and the speed along it: that of the
    velocity, the same one when it turns round within a step; at rest that in which it begins, T.way[m, o:o+3]."""
    y1 = T.way[m, o] * x0 + T.way[m, o + 1] * x1 + T.way[m, o + 2] * x2
    y2 = T.way[m, o] * z0 + T.way[m, o + 1] * z1 + T.way[m, o + 2] * z2
    size = math.sqrt(y1 * y1 + y2 * y2)
    if size > 0.0:
        y1 /= size
        y2 /= size
        speed = s1 * y1 + s2 * y2
        if speed < 0.0:
            s1 = -s1
            s2 = -s2
        s1 += T.settings[SLOW] * y1
        s2 += T.settings[SLOW] * y2
    else:
        speed = math.sqrt(s1 * s1 + s2 * s2)
    size = math.sqrt(s1 * s1 + s2 * s2)
    if size > 0.0:
        s1 /= size
        s2 /= size
    return s1, s2, speed


@jit
def _rows(T):
    """Rows of the points that are constraints, and how all rows act."""
    G = T.rw.G
    B = T.rw.B
    sliding = T.count[SLIDING] > 0
    if sliding:
        for q in range(G.shape[0]):
            for c in range(MOVES):
                B[q, c] = G[q, c]
    for m in range(T.count[TRACKED]):
        for k in range(T.row.shape[1]):
            r = T.row[m, k]
            if r < 0:
                continue
            T.rw.phi[r] = T.data[m, D_GAP] if k == 0 else 0.0
            T.rw.phit[r] = 0.0
            T.rw.gamma[r] = T.data[m, D_GAMMA + k if k < 3 else D_TURN_GAMMA + k - 3]
            for side in range(2):
                q = T.slot[m, 2 * k + side]
                if q < 0:
                    continue
                for c in range(MOVES):
                    G[q, c] = T.H[m, k, MOVES * side + c]
                    if sliding:
                        B[q, c] = T.H[m, k, MOVES * side + c]
            if k == 0 and T.mode[m, OBLIQUE]:
                _add_friction(T, m)


@jit
def _add_friction(T, m):
    """Friction, spinning and rolling resistance of a point that slides, spins or rolls, in how its normal row acts."""
    H = T.H
    D = T.data
    s1, s2 = _slip(D, m)
    for side in range(2):
        q = T.slot[m, side]
        if q < 0:
            continue
        for c in range(MOVES):
            o = MOVES * side + c
            if T.mode[m, SLIP] == SLIDES:
                T.rw.B[q, c] -= T.mu[m, SLIP] * (s1 * H[m, 1, o] + s2 * H[m, 2, o])
            if T.mode[m, SPIN] == SLIDES:
                T.rw.B[q, c] -= T.mu[m, SPIN] * T.way[m, WAY_SPIN] * H[m, 3, o]
            if T.mode[m, ROLL] == SLIDES:
                T.rw.B[q, c] -= T.mu[m, ROLL] * (D[m, D_ROLL] * H[m, 4, o] + D[m, D_ROLL + 1] * H[m, 5, o])


@jit
def _publish(S, W, T):
    """Forces of contacts for functions that require them (they are one iteration behind, until it converges)."""
    if S.settings[PUBLISHED] != 0.0:
        _fill(S, W, T)
        _share(S, W)


@jit
def _fill(S, W, T):
    """What acts at the closed points by the present multipliers, as points of the engine; returns their number."""
    D = T.data
    L = T.settings[SIZE]
    pd = W.pd
    n = 0
    for m in range(T.count[TRACKED]):
        if T.row[m, 0] < 0:
            continue
        k = 0
        while k < W.count[NEAR] and (W.near[k, 1] != T.pair[m, 0] or W.near[k, 2] != T.pair[m, 1]):
            k += 1
        if k == W.count[NEAR]:
            continue
        normal = -T.lam[T.row[m, 0]]
        s1, s2 = _slip(D, m)
        lost = 0.0
        for c in range(POINT_DATA):
            pd[n, c] = 0.0
        for q in range(1, T.row.shape[1]):  # along both tangents; about the normal and them
            if q < 3:
                mode, mu, way = T.mode[m, SLIP], T.mu[m, SLIP], s1 if q == 1 else s2
                rate = D[m, D_W + q]
            elif q == 3:
                mode, mu, way = T.mode[m, SPIN], T.mu[m, SPIN], T.way[m, WAY_SPIN]
                rate = D[m, D_TURN]
            else:
                mode, mu, way = T.mode[m, ROLL], T.mu[m, ROLL], D[m, D_ROLL + q - 4]
                rate = D[m, D_TURN + q - 3]
            force = 0.0
            if mode == SLIDES:
                force = -mu * normal * way
            elif T.row[m, q] >= 0:
                force = -T.lam[T.row[m, q]]
            lost -= force * rate
            for c in range(3):
                if q < 3:
                    pd[n, FT + c] += force * D[m, D_N + 3 * q + c]
                else:
                    pd[n, TA + c] += L * force * D[m, D_N + 3 * (q - 3) + c]
        pd[n, FN] = normal
        pd[n, DEPTH] = -D[m, D_GAP]
        pd[n, RATE] = -D[m, D_W]
        pd[n, POWER] = lost
        for c in range(COLUMNS):
            W.pts[n, c] = T.last[m, c]
        for c in range(3):
            pd[n, AT + c] = D[m, D_C + c]
            pd[n, FORCE + c] = normal * D[m, D_N + c] + pd[n, FT + c]
            W.pts[n, N + c] = D[m, D_N + c]
            W.pts[n, FOOT + c] = D[m, D_C + c]
        W.pair[n] = k
        n += 1
    W.count[POINTS] = n
    return n


@jit
def _slip(D, m):
    """Direction of slip of point m in its tangents."""
    s1 = 0.0
    s2 = 0.0
    for c in range(3):
        s1 += D[m, D_SLIP + c] * D[m, D_T1 + c]
        s2 += D[m, D_SLIP + c] * D[m, D_T2 + c]
    return s1, s2


@jit
def _exact(T, x):
    """x = (A + E)^-1 b becomes a solution of A x = b, that of minimum size where rows repeat each other; E what rows
    are softened by.  Each further solution leaves E / (a + E) of the error along an eigenvector of A with eigenvalue a:
    1e-7 as a rule, most of it where a light body carries one a million times as heavy.

    What remains of b after one of them is E times what it has changed.  Rows that contradict each other by a little
    (normals of crossing edges of two faces that lie on each other differ by roundoff) leave a part of b that no x
    gives; then all of them add the same to x, and that is taken out again.  Returns the largest part of b that
    remains, negative where more solutions would make it smaller."""
    n = T.rw.soft.shape[0]
    for r in range(n):
        T.first[r] = x[r]
    last = change = size = 0.0
    solutions = 1
    stagnant = False
    for k in range(MOST_REFINED if n > 0 else 0):
        for r in range(n):
            T.before[r] = x[r]
            x[r] *= T.rw.soft[r, 1]
        ldl_solve(T.ldl, T.Lx, T.Di, x, T.lwork)
        change = 0.0
        size = 0.0
        for r in range(n):
            x[r] += T.first[r]
            change = max(change, abs(x[r] - T.before[r]))
            size = max(size, abs(x[r]))
        solutions += 1
        stagnant = k > 0 and change > UNCHANGED * size and change >= STAGNANT * last
        if k + 1 >= REFINED and (stagnant or change <= UNCHANGED * size):
            break
        last = change
    left = 0.0
    for r in range(n):
        added = x[r] - T.before[r]
        left = max(left, T.rw.soft[r, 1] * abs(added))
        if stagnant:
            x[r] -= solutions * added
    return left if stagnant or change <= UNCHANGED * size else -left


@jit
def _slide(T):
    """lam <- lam - X nu, see above; returns the number of points that slide with friction."""
    T.out[UNSOLVED] = _exact(T, T.lam)
    if T.count[SLIDING] == 0:
        return 0
    rows = T.rows
    G = T.rw.G
    B = T.rw.B
    A = T.A
    n = 0
    for m in range(T.count[TRACKED]):
        if T.mode[m, OBLIQUE] == 0:
            continue
        r = T.row[m, 0]
        clear_moves(T.z)
        for q in range(rows.rp[r], rows.rp[r + 1]):
            add_response_of_difference(T.bodies, rows.slot_body[q], B, G, q, T.z)
        multiply_G(rows, G, T.z, T.X[n])
        ldl_solve(T.ldl, T.Lx, T.Di, T.X[n], T.lwork)
        _exact(T, T.X[n])
        n += 1
    i = 0
    for m in range(T.count[TRACKED]):
        if T.mode[m, OBLIQUE] == 0:
            continue
        r = T.row[m, 0]
        for j in range(n):
            A[i, j] = T.X[j, r]
        A[i, i] += 1.0
        A[i, n] = T.lam[r]
        i += 1
    det = 1.0
    for c in range(n):
        best = c
        for i in range(c + 1, n):
            if abs(A[i, c]) > abs(A[best, c]):
                best = i
        if best != c:
            det = -det
            for j in range(c, n + 1):
                A[c, j], A[best, j] = A[best, j], A[c, j]
        det *= A[c, c]
        for i in range(c + 1, n):
            f = A[i, c] / A[c, c]
            for j in range(c, n + 1):
                A[i, j] -= f * A[c, j]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            A[i, n] -= A[i, j] * A[j, n]
        A[i, n] /= A[i, i]
    T.out[DETERMINANT] = det
    for j in range(n):
        nu = A[j, n]
        for r in range(T.lam.shape[0]):
            T.lam[r] -= nu * T.X[j, r]
    return n


@jit
def _event_function(S, W, T, t, span):
    """Least gap of all that is not among the points, its rate, and the time within which nothing can touch, into T.out.

    A point that is through by less than it may be (settings[ROUNDOFF]) or that leaves counts as apart; so does one that
    is through by no more than the integrator's error explains and closes no faster: one that has just lifted off is
    there.
    """
    renewed(S, W, t, T.bounds, span, MORE, T.out)  # its two numbers are taken from there
    sh = S.sh
    fr = sh.fr
    depth = T.settings[ROUNDOFF]
    slack = T.settings[SLACK]
    free = 1e300
    slope = 0.0
    ahead = T.out[0]
    later = T.out[1]
    behind = min(T.out[W_BEHIND], T.out[0])
    room = W.pts.shape[0]
    for k in range(W.count[NEAR]):
        a = W.near[k, 1]
        b = W.near[k, 2]
        fa = sh.frame[a]
        fb = sh.frame[b]
        far = idle(sh, a, b, T.bounds, max(ahead, SLOWER * later, behind)) if span > 0.0 else -1.0
        if far > 0.0:
            W.gap[k] = far
            continue
        V0, V1, V2, W0, W1, W2, r, C, _ = approach(sh, a, b, T.bounds, span)
        U = speed_of(V0, V1, V2, W0, W1, W2, r)
        reach = CROSS * (U + C * span) * span + 4.0 * depth + ROUND * thinner(sh, a, b)
        far, n0, n1, n2 = apart_at_least(sh, a, b)
        W.gap[k] = far
        least, before = approach_rates(V0, V1, V2, W0, W1, W2, U, 0.0, n0, n1, n2)
        s = sooner(ahead, far, least, C)
        z = sooner(later, far, least, MORE * C)
        p = sooner(behind, far, before, C)
        # the shapes themselves add nothing to what their bounding spheres show
        if (far > reach and reach > 0.0) or (far > 0.0 and s >= ahead and z >= later and p >= behind):
            ahead = s
            later = z
            behind = p
            continue
        ka = sh.kind[a]
        kb = sh.kind[b]
        own = 0
        while own < T.count[TRACKED] and not (T.pair[own, 0] == a and T.pair[own, 1] == b):
            own += 1
        closed = own < T.count[TRACKED]
        n = pair(
            S.kern[ka, kb],
            (sh, a, b, max(reach, T.settings[POINT_REACH]) if closed else reach, W.pts, 0, min(S.most[ka, kb], room)),
        )
        end = _matched(sh, W, T, own, n, True) if closed else own
        apart = not closed and convex(sh, a, b)  # a slab between both separates them
        W.gap[k] = reach
        for q in range(n):
            if _known(W, T, q, own, end):
                continue
            gap = W.pts[q, GAP]
            n0, n1, n2 = W.pts[q, N], W.pts[q, N + 1], W.pts[q, N + 2]
            c0 = W.pts[q, FOOT] + 0.5 * gap * n0
            c1 = W.pts[q, FOOT + 1] + 0.5 * gap * n1
            c2 = W.pts[q, FOOT + 2] + 0.5 * gap * n2
            v0, v1, v2 = _speed(fr, fa, c0, c1, c2)
            u0, u1, u2 = _speed(fr, fb, c0, c1, c2)
            rate = (v0 - u0) * n0 + (v1 - u1) * n1 + (v2 - u2) * n2
            W.gap[k] = min(W.gap[k], gap)
            left = gap + slack
            least = before = -U
            if apart:
                least, before = approach_rates(V0, V1, V2, W0, W1, W2, U, r, n0, n1, n2)
            else:
                left = trusted(sh, a, b, gap) + slack
            if gap + depth <= 0.0 and (
                rate >= 0.0 or (rate >= -T.settings[NOISE_SPEED] and gap >= -T.settings[NOISE_DEPTH])
            ):
                # it may return before it has gone far; how deep it is now is an error of the integrator
                left = max(slack, T.settings[NOISE_DEPTH], 0.0 if apart else SHARE * thinner(sh, a, b))
                ahead = sooner(ahead, left, least, C)
                later = sooner(later, left, least, MORE * C)
                behind = sooner(behind, left, before, C)
                continue
            ahead = sooner(ahead, left, least, C)
            later = sooner(later, left, least, MORE * C)
            behind = sooner(behind, left, before, C)
            if gap + depth < free:
                free = gap + depth
                slope = rate
                T.out[W_PAIR] = k
                T.out[W_FEATURE] = W.pts[q, FEATURE]
        if W.gap[k] >= reach:
            left = reach if convex(sh, a, b) else trusted(sh, a, b, reach)
            ahead = sooner(ahead, left, -U, C)
            later = sooner(later, left, -U, MORE * C)
            behind = sooner(behind, left, -U, C)
    W.count[POINTS] = 0
    T.out[W_FREE] = free
    T.out[W_SLOPE] = slope
    T.out[W_AHEAD] = ahead
    T.out[W_NEXT] = later
    T.out[W_BEHIND] = behind
    return W.count[NEAR]


@jit
def _list(S, W, t, reach):
    """All points with a gap below ``reach``."""
    if not still_near(S, W) and (S.settings[ALL_PAIRS] == 0.0 or W.count[NEAR] == 0):
        search(S, W, t)
    m = 0
    for k in range(W.count[NEAR]):
        n = near_points(S, W, k, reach, m)
        if n < 0:
            break
        for q in range(m, m + n):
            W.pair[q] = k
        m += n
    W.count[POINTS] = 0
    return m
