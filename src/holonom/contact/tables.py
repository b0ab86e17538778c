"""Tables of the contact room: types of shapes, what is stored of a shape, and the columns of a contact point.

A shape is fixed to a frame; all its numbers are in the axes of that frame.  A pair kernel (`shapes`) writes contact
points of two shapes, one row of `COLUMNS` each; laws and friction see depth, rate and slip of a point, never a shape.
"""

from __future__ import annotations

from collections import namedtuple

from ..model.shape_kinds import SHAPES

#: types of shapes; a pair kernel is written for kind a <= kind b
SHAPE_TYPES = tuple(SHAPES)

PARAMETERS = 16

Shapes = namedtuple("Shapes", "fr kind frame par first vert tri node link seg radius centre half arm")
Shapes.__doc__ = """One row a shape.  fr: Frames of the shapes; kind (n,); frame (n,) index into fr; par (n, 16) numbers
of the kind; first (n, 4): offsets and counts in the pools; pools: vert (nv, 3), tri (nt, 3) int64, node (nn, 8), link
(nl, 4) int64, seg (ns, 12); radius (n,), centre (n, 3): bounding sphere; half (n, 3): half sides of the box around the
centre, inf where unbounded; arm (n,): distance of the centre from that of the body."""

# columns of a contact point (see `kinematics` for what the curvatures mean)
P, N, GAP, WEIGHT, E1, UA, VA, UB, VB, FEATURE = 0, 3, 6, 7, 8, 11, 14, 17, 20, 23
COLUMNS = 24

Contacts = namedtuple("Contacts", "sh kern law p pf pe side_ptr side excluded barred settings bodies most memory")
Contacts.__doc__ = """What the engine does not change.  kern (kinds, kinds) addresses of pair kernels, 0 where none; law
(nc, 4) addresses of force and accept of the law and of the friction of each contact, 0 where none; p, pf (nc, 16) their
parameters; pe (nc, 8): `ENGINE_COLUMNS`; side_ptr (n+1), side: contacts of a shape, each as 2 contact + side (0 of I, 1
of J), rising; excluded: rising keys of body pairs that joints connect; barred: rising keys of shape pairs that never
touch; settings: `SETTINGS`; bodies: those of the system; most (kinds, kinds) points of a pair; memory: points of a pair
whose memory is kept, 0 when no law remembers."""

#: columns of ``law``: kernels behind addresses
LAW_FORCE, LAW_ACCEPT, FRICTION_FORCE, FRICTION_ACCEPT = range(4)
ENGINE_COLUMNS = ("rolling resistance", "spinning resistance", "transition angular velocity", "joined", "relaxes")
ROLLING, SPINNING, TRANSITION, JOINED, RELAXES = range(len(ENGINE_COLUMNS))
SETTINGS = ("least margin", "most margin", "all pairs", "published", "given", "reach")
LEAST_MARGIN, MOST_MARGIN, ALL_PAIRS, PUBLISHED, GIVEN, REACH = range(len(SETTINGS))
#: "published": functions require the wrenches of contacts, every evaluation writes them
#: "given": what acts at the points. LAWS: what the laws give.  HELD: what is in ``pd``, put there by whoever found
#: it (rigid contact).
#: MUTE: nothing.  "reach": points with less than this gap are collected, and pairs are near in time for it
LAWS, HELD, MUTE = 0.0, 1.0, 2.0
#: what a law writes to ``out``: dF/dd, dF/dv, elastic part, stored energy, power lost; what friction writes: force (3),
#: its derivatives by N (3) and by the slip (9, by rows), power lost compared with the stored one (at 15)
OUT_DEPTH, OUT_RATE, OUT_ELASTIC, OUT_STORED, OUT_LOST = range(5)
OUT_FORCE, OUT_BY_NORMAL, OUT_BY_SLIP = 0, 3, 6
#: parameters of a rigid contact, in the place of those of a law; impact law: position in `model.settings.IMPACT_LAWS`
RIGID_COLUMNS = (
    "restitution",
    "friction",
    "tangential restitution",
    "spinning resistance",
    "rolling resistance",
    "impact law",
    "static friction",
)

ContactWork = namedtuple(
    "ContactWork",
    "near key near2 key2 lock lock2 count clock lo hi place order unbounded head cell pts pair pd nmem mem fmem feat "
    "nmem2 mem2 fmem2 feat2 A4 slip law cw gap "
    "bkey dpos opos scratch dkey dnum wr wrow skey shift",
)
ContactWork.__doc__ = """near (cap, 4): contact, shape a, shape b (in the order of the kernel), 1 when a belongs to side
J; key (cap) rising; near2.. their copies while the list is made anew; lock (cap): 1 holds a pair open during a step;
count: `COUNTERS`; clock: `CLOCK`; lo, hi (n, 3): boxes with margins; place (n, 12): position and axes of unbounded
shapes when the list was made; order (m): the first m shapes, those of the user, by lo;
unbounded: shapes without box; head (power of 2), cell (n, 4): buckets of a grid, cell of each shape and the next one in
its bucket; pts (points, COLUMNS), pair (points) their near pair, pd (points, POINT_DATA) what acts there;
nmem (cap), mem, fmem (cap*memory, 8), feat: remembered points of each near pair; A4: work of `kinematics`; slip (3) of
the point at hand; law (40): derivatives of laws; cw (nc, CONTACT_DATA) sums of each contact; gap (cap): least gap of
each near pair; bkey: rising keys of body pairs in the matrix; wr (rows, 12), wrow (nc): wrenches for functions that ask
for them, and the row of each contact; skey (cap), shift (cap): rising keys of the near pairs whose depths are measured
from a place further in, and how much further (`ledger`), the first count[SHIFTED] of each; dpos (nb+1, 36), opos
(pairs, 72): places of the diagonal blocks of bodies and of the two blocks of a pair in K and C (rows of the lower body
first); scratch (1): 0, or the first place of local blocks of 12 x 12 by near pair, when forces are unknowns: then dkey
has the rising keys of all defined pairs of shapes, and dnum (cap, 3) receives which of them each near pair is, and its
bodies."""

#: time of the last search, time that its list should serve, distance of the farthest shape from the origin
CLOCK = ("last search", "list span", "extent")
LAST_SEARCH, LIST_SPAN, EXTENT = range(len(CLOCK))
#: NEWLOCK: the lock that pairs get which come near; INSIDE_STEP: 1 while states are checked that are not accepted ones:
#: nothing is remembered; GRIDS: searches in a grid; BROKEN: 1 + a shape whose box at the last search was no number,
#: else 0; SHIFTED: pairs whose depths are measured from further in
NEAR, POINTS, VERSION, BUILDS, FULL, SINCE, NEWLOCK, PAIRS, TESTED, INSIDE_STEP, GRIDS, BROKEN, SHIFTED = range(13)
COUNTERS = 16
# a point's data: normal force, friction (3), torque on a (3), depth, rate, dF/dd, dF/dv, dt/dN (3), dt/ds (9), stored
# energy, power lost, point (3), force on a (3)
FN, FT, TA, DEPTH, RATE, FD, FV, TN, TS, STORED, LOST, AT, FORCE = 0, 1, 4, 7, 8, 9, 10, 11, 14, 23, 24, 25, 28
POINT_DATA = 32
# a contact's data: force on I (3), its moment about the point (3), point (3), normal force, friction, largest depth,
# rate there, points, stored energy, power lost
C_FORCE, C_TORQUE, C_POINT, C_NORMAL, C_FRICTION, C_DEPTH, C_RATE, C_POINTS, C_STORED, C_LOST = (
    0,
    3,
    6,
    9,
    10,
    11,
    12,
    13,
    14,
    15,
)
CONTACT_DATA = 16
