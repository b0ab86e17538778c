"""Which pairs of shapes push each other at the last evaluation of compliant contacts."""

from __future__ import annotations

from .._handle import view_S, view_W
from .._jit import jit
from .engine import _handle_at, shift_of
from .referee.sweep import SLACK, SPENT, STEP, N, bound_of_step, keep_pose
from .tables import NEAR, POINTS

#: what `step_is_over` returns where the pose was kept, and the step is not over as the keys found no room, or it is
#: and the batch of poses is full
NO_ROOM, FULL = -1.0, -2.0


@jit(entry="int64, float64, int64, int64[::1]")
def acting_pairs(address, least, shapes, out):
    """Keys a n + b, a < b, n = ``shapes``, into ``out`` of the near pairs whose contact pushes: those with points, and
    those whose gap is at most ``least`` (a locked pair is held open, so its gap must not be less than -``least``);
    their number.  Pairs whose depths are measured from further in (`ledger`) push from there on only: what they overlap
    before is allowed by their law, so their gap counts without that shift.
    ``address``: of the handle of the contacts."""
    W = view_W(_handle_at(address))
    number = W.count[NEAR]
    for k in range(number):
        out[k] = W.gap[k] - shift_of(W, k) <= least and (W.lock[k] == 0 or W.gap[k] >= -least)
    for i in range(W.count[POINTS]):
        if W.pair[i] < number:
            out[W.pair[i]] = 1
    n = 0
    for k in range(number):
        if out[k] == 1:
            a, b = W.near[k, 1], W.near[k, 2]
            out[n] = min(a, b) * shapes + max(a, b)
            n += 1
    return n


@jit(
    entry=(
        "Handle(Shapes, Poses, Surfaces), float64, float64[::1], float64, boolean, int64, float64, int64[:, ::1], "
        "int64[::1]"
    )
)
def step_is_over(handle, t, y, h, fine, address, least, keys, numbers):
    """A step of size h to the state y at time t is over.  Where the chord from the referee's last pose is near enough
    to the path and not ``fine`` (more states are wanted), or no reference point can have reached a surface, the pose
    is kept, the keys of `acting_pairs` go into the row of ``keys`` of the step, their number into ``numbers``, and the
    next step begins: 0, or `NO_ROOM` for keys, or `FULL` where there is no space for a further pose.  Else nothing is
    kept, and the result is into how many pieces the path has to be cut.

    ``handle``: of the referee; ``address``: of the handle of the contacts, 0 where they are constraints, which record
    no keys."""
    G, W = view_S(handle), view_W(handle)
    pieces, gone = bound_of_step(G, W, y, h)
    if (pieces > 1.0 or fine) and W.num[SPENT] + gone >= W.num[SLACK]:
        return pieces
    W.num[SPENT] += gone
    keep_pose(G, W, t, y, 1)
    step = W.count[STEP]
    numbers[step] = 0
    if address != 0:
        if view_W(_handle_at(address)).count[NEAR] > keys.shape[1]:
            return NO_ROOM
        numbers[step] = acting_pairs(address, least, G.body.shape[0], keys[step])
    W.count[STEP] = step + 1
    return FULL if W.count[N] >= W.t.shape[0] else 0.0
