"""Which pairs of shapes push each other at the last evaluation of compliant contacts."""

from __future__ import annotations

from .._handle import view_W
from .._jit import jit
from .engine import _handle_at, shift_of
from .tables import NEAR, POINTS


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
