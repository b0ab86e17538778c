"""What each pair of shapes was given and what it stores: no contact may hand out more energy than it took.

The force law of a pair stores U(q) = sum of the energies of its points, and its forces do the work -dU along a motion
as long as depths and normals are those of one surface that moves with the bodies.  Where nearest features change (a
point of contact jumps from one side of a ridge to the other, a corner of a mesh enters that lies deep, shares of points
pass from one to another) U changes without work.  The ledger has for each pair that touches the account

    A(t) = U(t0) + integral of (power into the pair - power lost),

by the quadrature of `analyses.dynamics.work`, from the states inside each accepted step.  A = U but for what such
changes make: A > U is energy lost, A < U energy that comes from nowhere.  At the end of a step where U exceeds A by
more than the tolerance, the depths of the pair are measured from a position further in by the shift s >= 0 for which
its law stores A:

    d_i = -(g_i + s),   sum of w_i U(d_i) = max(A, 0).

What suddenly lies deep thus counts as if it had been there undeformed, and only a further approach is resisted, with
the stiffness of the law. s falls as the pair opens, and is forgotten when it is apart.  This is the passivity
controller of haptics (B. Hannaford, J.-H. Ryu, IEEE Trans. Robotics and Automation 18 (2002) 1) with a shift in the
place of a damper, so that nothing is dissipated where nothing is wrong.
"""

from __future__ import annotations

from .._handle import view_S, view_W
from .._jit import jit
from .engine import _handle_at, _speed
from .tables import AT, FORCE, LOST, POINTS, STORED, TA

# columns of a row: account, power at the last check, stored there, the most of account and stored since it touches,
# energy that was refused, energy that was lost, points that act, energy given out that never came in
ACCOUNT, POWER, U, PEAK, REFUSED, GONE, ACTS, GAINED = range(8)
ROW = 8


@jit(entry="int64, float64, boolean, int64[::1], float64[:, ::1], int64")
def book(address, weight, begin, key, row, n):
    """Check the points of the last evaluation: account += weight * power of each pair.  Returns how many pairs have a
    row.

    key (cap,), row (cap, ROW): pairs by rising key, the first n; a pair without a row gets one, which ``begin`` opens
    with what it stores
    (else with nothing: an onset).  -1 where there is no room."""
    handle = _handle_at(address)
    S = view_S(handle)
    W = view_W(handle)
    fr = S.sh.fr
    pd = W.pd
    for i in range(n):
        row[i, POWER] = 0.0
        row[i, U] = 0.0
        row[i, ACTS] = 0.0
    for m in range(W.count[POINTS]):
        k = W.pair[m]
        wanted = W.key[k]
        low = 0
        high = n
        while low < high:
            middle = (low + high) // 2
            if key[middle] < wanted:
                low = middle + 1
            else:
                high = middle
        if low == n or key[low] != wanted:
            if n == key.shape[0]:
                return -1
            for i in range(n, low, -1):
                key[i] = key[i - 1]
                for c in range(ROW):
                    row[i, c] = row[i - 1, c]
            key[low] = wanted
            for c in range(ROW):
                row[low, c] = 0.0
            n += 1
        fa = S.sh.frame[W.near[k, 1]]
        fb = S.sh.frame[W.near[k, 2]]
        v0, v1, v2 = _speed(fr, fa, pd[m, AT], pd[m, AT + 1], pd[m, AT + 2])
        u0, u1, u2 = _speed(fr, fb, pd[m, AT], pd[m, AT + 1], pd[m, AT + 2])
        power = pd[m, FORCE] * (v0 - u0) + pd[m, FORCE + 1] * (v1 - u1) + pd[m, FORCE + 2] * (v2 - u2)
        power += pd[m, TA] * (fr.w[fa, 0] - fr.w[fb, 0]) + pd[m, TA + 1] * (fr.w[fa, 1] - fr.w[fb, 1])
        power += pd[m, TA + 2] * (fr.w[fa, 2] - fr.w[fb, 2])
        row[low, POWER] -= power + pd[m, LOST]
        row[low, U] += pd[m, STORED]
        row[low, ACTS] += 1.0
    for i in range(n):
        if begin:
            row[i, ACCOUNT] = row[i, U]
        else:
            row[i, ACCOUNT] += weight * row[i, POWER]
        row[i, PEAK] = max(row[i, PEAK], row[i, U], row[i, ACCOUNT])
    return n


@jit(entry="float64[:, ::1], int64, float64")
def add_again(row, n, weight):
    """The power of the last check counts once more, with ``weight``."""
    for i in range(n):
        row[i, ACCOUNT] += weight * row[i, POWER]


@jit(entry="int64, int64")
def stored(address, wanted):
    """What the points of the last evaluation of the pair of this key store."""
    W = view_W(_handle_at(address))
    total = 0.0
    for m in range(W.count[POINTS]):
        if W.key[W.pair[m]] == wanted:
            total += W.pd[m, STORED]
    return total


@jit(entry="float64[:, ::1], int64, float64, float64")
def worst(row, n, share, least):
    """The first pair that stores more than its account by more than ``share`` of its peak and ``least``, or that has
    parted; -1: none."""
    for i in range(n):
        if (
            row[i, ACTS] == 0.0
            or row[i, U] - row[i, ACCOUNT] > share * row[i, PEAK]
            and row[i, U] - row[i, ACCOUNT] > least
        ):
            return i
    return -1


__all__ = [
    "ACCOUNT",
    "ACTS",
    "GAINED",
    "GONE",
    "PEAK",
    "POWER",
    "REFUSED",
    "ROW",
    "U",
    "add_again",
    "book",
    "stored",
    "worst",
]
