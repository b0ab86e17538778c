"""Conservative advancement: how long two shapes that are apart are sure to stay apart.

Let c be the centre of the smaller of two shapes a and b, r the radius of the ball about c that contains it, V(t) the
velocity of a's material point at c relative to b's, and W(t) the relative angular velocity.  Of each shape only that
part of the motion counts which moves its surface: its centre, and the angular velocity w of its axes, but 0 for balls,
and without the part about its axis for solids of revolution. Seen from the larger shape, every point x of the smaller
one moves with V + W x (x - c), |x - c| <= r (up to sign), so

    g' >= -U,      U = |V| + |W| r                                             (any two sets),

g their distance.  Two convex sets are separated along a unit vector n (from b to a, fixed in the larger shape) by
s_n = min over a of n . x - max over b of n . x,  and their signed distance is the largest s_n of all n.  Forward in
time

    s_n' >= N+,     N+ =  n . V - |n x W| r        (two convex sets, or any set and a half-space),

and with time running backward

    s_n' >= N-,     N- = -n . V - |n x W| r.

The sign of n . V is the only difference, and it decides: two shapes that move apart now may have touched a moment ago.

Over a time s all these rates fall by no more than C s, where C bounds the rates of V and of r W, in axes that turn with
the larger shape, from the bounds of speed, acceleration A, spin and its rate o of the two bodies over the whole step
(`elements.bodies.motion_bounds`).  With e the distance of a shape's centre from that of its body, v the bound of the
centre's speed, L the distance of both centres (and how far they may move in the step), O and d the bounds of the part
of w that counts and of its rate,

    C = sum (A + (o + w^2) e)  +  d_l L + O_l (2 (v_s + v_l) + O_l L)  +  r (d_s + d_l + O_l (O_s + O_l)),       s, l:
        smaller, larger.

So nothing touches before t + s, and nothing touched after t - s, with s the positive root of  g + N s - C s^2 / 2 = 0
for N = N+ and N = N- respectively (and -U where that is larger).  C is a magnitude, so it is the same in both
directions.  The root is finite at zero speed, at the apex of a flight, and evaluations that follow each other by it
miss nothing, whatever happens between them
(B. Mirtich, PhD thesis, Berkeley 1996, ch. 2; X. Zhang, M. Lee, Y. Kim, The Visual Computer 22 (2006) 749, for the
bound along n). A step is free of contact when the time after its beginning and the time before its end cover it.
`docs/theory.md`, section 8, states this as a theorem with its assumptions and proof.
"""

from __future__ import annotations

import math

from .._jit import jit
from .broad_phase import _centre, _extent, search, still_near
from .engine import _speed
from .tables import (
    ALL_PAIRS,
    EXTENT,
    LEAST_MARGIN,
    NEAR,
    REACH,
)
from .traits import BALL, CAPS, HALF_SPACE, NO_CORE, TURNED, core, hollow

SPEED, ACCELERATION, SPIN, SPIN_RATE, TURN, TURN_RATE, BOUNDS = (
    0,
    1,
    2,
    5,
    8,
    9,
    10,
)  # of a row of bounds, see `elements.bodies.motion_bounds`
HORIZON = 1.2  # times are reported up to so many spans: steps are no longer than one, nine tenths of these times


@jit
def convex(sh, a, b):
    """Are both shapes convex, or is one a half-space?"""
    return _half_space(sh, a) or _half_space(sh, b) or (_convex(sh, a) and _convex(sh, b))


@jit
def _half_space(sh, a):
    return HALF_SPACE[sh.kind[a]] and sh.par[a, 0] <= 0.0


@jit
def _convex(sh, a):
    kind = sh.kind[a]
    closed = CAPS[kind] < 0 or sh.par[a, CAPS[kind]] != 0.0
    return (core(sh, a) != NO_CORE or HALF_SPACE[kind]) and not hollow(sh, a) and closed


@jit
def _turning(fr, kind, f):
    """Angular velocity of a shape's frame that moves its surface."""
    if BALL[kind]:
        return 0.0, 0.0, 0.0
    w0, w1, w2 = fr.w[f, 0], fr.w[f, 1], fr.w[f, 2]
    if TURNED[kind]:
        A = fr.A
        spin = w0 * A[f, 2] + w1 * A[f, 5] + w2 * A[f, 8]
        w0 -= spin * A[f, 2]
        w1 -= spin * A[f, 5]
        w2 -= spin * A[f, 8]
    return w0, w1, w2


@jit
def _moves(sh, a, bound):
    """Bounds of the angular velocity of shape a that counts, and of its rate; ``bound``: the row of its body.

    Of a solid of revolution about u the part across u counts, w' = w - (w . u) u, whose rate is that of w across u and
    (w . u) w' x u at most.
    """
    kind = sh.kind[a]
    if BALL[kind]:
        return 0.0, 0.0
    spin = bound[TURN]
    if not TURNED[kind]:
        return spin, bound[TURN_RATE]
    f = sh.frame[a]
    across = rate = 0.0
    for c in range(3):
        x = math.sqrt(max(1.0 - sh.fr.Ab[f, 3 * c + 2] ** 2, 0.0))  # of the unit vector along c across u
        across += bound[SPIN + c] * x
        rate += bound[SPIN_RATE + c] * x
    return across, rate + spin * across


@jit
def approach(sh, a, b, bounds, span):
    """V (of a against b), W, r, C of two shapes, and the distance of their centres; ``span``: how long the step is."""
    fr = sh.fr
    fa = sh.frame[a]
    fb = sh.frame[b]
    first = sh.radius[a] <= sh.radius[b]
    small = a if first else b
    large = b if first else a
    a0, a1, a2 = _centre(sh, a, 0), _centre(sh, a, 1), _centre(sh, a, 2)
    b0, b1, b2 = _centre(sh, b, 0), _centre(sh, b, 1), _centre(sh, b, 2)
    v0, v1, v2 = _speed(fr, fa, a0, a1, a2)
    u0, u1, u2 = _speed(fr, fb, b0, b1, b2)
    p0, p1, p2 = _turning(fr, sh.kind[a], fa)
    q0, q1, q2 = _turning(fr, sh.kind[b], fb)
    d0 = b0 - a0
    d1 = b1 - a1
    d2 = b2 - a2
    if first:  # b's velocity at the centre of a
        u0 -= q1 * d2 - q2 * d1
        u1 -= q2 * d0 - q0 * d2
        u2 -= q0 * d1 - q1 * d0
    else:
        v0 += p1 * d2 - p2 * d1
        v1 += p2 * d0 - p0 * d2
        v2 += p0 * d1 - p1 * d0
    r = sh.radius[small]
    i = fr.body[sh.frame[small]]
    j = fr.body[sh.frame[large]]
    e = sh.arm[small]
    k = sh.arm[large]
    turn, rate = _moves(sh, large, bounds[j])
    own, change = _moves(sh, small, bounds[i])
    w = bounds[i, TURN]
    u = bounds[j, TURN]
    both = bounds[i, SPEED] + w * e + bounds[j, SPEED] + u * k
    L = math.sqrt(d0 * d0 + d1 * d1 + d2 * d2)
    C = bounds[i, ACCELERATION] + (bounds[i, TURN_RATE] + w * w) * e
    C += bounds[j, ACCELERATION] + (bounds[j, TURN_RATE] + u * u) * k
    far = L + both * span
    C += rate * far + turn * (2.0 * both + turn * far) + r * (rate + change + turn * (own + turn))
    return v0 - u0, v1 - u1, v2 - u2, p0 - q0, p1 - q1, p2 - q2, r, C, L


@jit
def idle(sh, a, b, bounds, time):
    """Gap of the bounding spheres of two shapes where they do not meet in ``time`` at the bounds of speeds, else -1."""
    i = sh.fr.body[sh.frame[a]]
    j = sh.fr.body[sh.frame[b]]
    r = sh.radius[a] + sh.radius[b]
    v = (
        bounds[i, SPEED]
        + bounds[i, TURN] * (sh.arm[a] + sh.radius[a])
        + bounds[j, SPEED]
        + bounds[j, TURN] * (sh.arm[b] + sh.radius[b])
    )
    far = r + v * time
    if not far < 1e150:
        return -1.0
    d0 = _centre(sh, a, 0) - _centre(sh, b, 0)
    d1 = _centre(sh, a, 1) - _centre(sh, b, 1)
    d2 = _centre(sh, a, 2) - _centre(sh, b, 2)
    d = d0 * d0 + d1 * d1 + d2 * d2
    return math.sqrt(d) - r if d > far * far else -1.0


@jit
def speed_of(V0, V1, V2, W0, W1, W2, r):
    """U of two shapes."""
    return math.sqrt(V0 * V0 + V1 * V1 + V2 * V2) + math.sqrt(W0 * W0 + W1 * W1 + W2 * W2) * r


@jit
def approach_rates(V0, V1, V2, W0, W1, W2, U, r, n0, n1, n2):
    """Lower bounds of the rate of the separation of two shapes along n as time runs forward, and as it runs backward;
    at least -U."""
    x = n1 * W2 - n2 * W1
    y = n2 * W0 - n0 * W2
    z = n0 * W1 - n1 * W0
    along = n0 * V0 + n1 * V1 + n2 * V2
    turning = math.sqrt(x * x + y * y + z * z) * r
    return max(along - turning, -U), max(-along - turning, -U)


@jit
def time_until(gap, rate, C):
    """Root s > 0 of gap + rate s - C s^2 / 2; 0 for no gap that closes, and for a value that is not a number; 1e300
    where there is none."""
    if not gap > 0.0:
        gap = 0.0
    root = math.sqrt(rate * rate + 2.0 * C * gap)
    if not root < 1e300:
        return 0.0
    if rate > 0.0:
        return (rate + root) / C if C > 1e-300 * (rate + root) else 1e300
    down = root - rate
    return 2.0 * gap / down if down > 1e-300 * gap else (1e300 if gap > 0.0 else 0.0)


@jit
def sooner(time, gap, rate, C):
    """min(time, `time_until`); its root is taken only where it is the lesser."""
    if gap > 0.0 and gap + time * (rate - 0.5 * C * time) >= 0.0:
        return time
    return min(time, time_until(gap, rate, C))


@jit
def horizon(span):
    """Time beyond which nothing is requested; ``span``: how long the next step is at most (0: not known)."""
    return HORIZON * span if span > 0.0 else 1e300


@jit
def time_inside(S, W, bounds, span, grow, judge, out):
    """``out`` (2,): times for which all shapes are sure to stay in the boxes of the search, so that no other pair can
    come near, with these bounds and with accelerations ``grow`` times as large, as far as the horizon.

    With ``judge``, returns False where a shape has left its box, or may leave it within ``span`` and has less than half
    the room there that it had at the search: evaluations that creep up to the side of a box give no information, and a
    new search makes room.
    """
    first = later = horizon(span)
    sh = S.sh
    fr = sh.fr
    beyond = 0.5 * S.settings[REACH]
    for a in range(W.order.shape[0]):
        f = sh.frame[a]
        i = fr.body[f]
        if i == S.bodies.n:
            continue
        e = sh.arm[a]
        turn = bounds[i, TURN_RATE] + bounds[i, TURN] ** 2
        C = bounds[i, ACCELERATION] + turn * e
        if sh.half[a, 0] < 1e300:
            c0 = _centre(sh, a, 0)
            c1 = _centre(sh, a, 1)
            c2 = _centre(sh, a, 2)
            v0, v1, v2 = _speed(fr, f, c0, c1, c2)
            w0, w1, w2 = _turning(fr, sh.kind[a], f)
            w = math.sqrt(w0 * w0 + w1 * w1 + w2 * w2) * sh.radius[a]
            C += sh.radius[a] * _moves(sh, a, bounds[i])[1]
            reach = (bounds[i, SPEED] + bounds[i, TURN] * (e + sh.radius[a])) * span
            for c in range(3):
                x = c0 if c == 0 else c1 if c == 1 else c2
                v = v0 if c == 0 else v1 if c == 1 else v2
                e = _extent(sh, a, c)
                room = min(W.hi[a, c] - x, x - W.lo[a, c]) - e
                if judge and (
                    not room >= beyond or (room < reach and room < 0.5 * (0.5 * (W.hi[a, c] - W.lo[a, c]) - e))
                ):
                    return False
                first = sooner(first, room, -(abs(v) + w), C)
                later = sooner(later, room, -(abs(v) + w), grow * C)
        else:  # see `still_near`
            big = W.clock[EXTENT]
            v = math.sqrt(fr.v[f, 0] ** 2 + fr.v[f, 1] ** 2 + fr.v[f, 2] ** 2)
            v += math.sqrt(fr.w[f, 0] ** 2 + fr.w[f, 1] ** 2 + fr.w[f, 2] ** 2) * big
            gone = 0.0
            for c in range(3):
                gone = max(gone, abs(fr.p[f, c] - W.place[a, c]))
                for d in range(3):
                    gone = max(gone, abs(fr.A[f, 3 * c + d] - W.place[a, 3 + 3 * c + d]) * big)
            if judge and not gone < S.settings[LEAST_MARGIN]:
                return False
            first = sooner(first, S.settings[LEAST_MARGIN] - gone, -v, C + turn * big)
            later = sooner(later, S.settings[LEAST_MARGIN] - gone, -v, grow * (C + turn * big))
    out[0] = first
    out[1] = later
    return True


@jit
def renewed(S, W, t, bounds, span, grow, out):
    """The list of near pairs is made again where it has become old; ``out``: see `time_inside`."""
    if S.settings[ALL_PAIRS] != 0.0:
        out[0] = out[1] = horizon(span)
        if W.count[NEAR] == 0 and not still_near(S, W):
            search(S, W, t)
    elif not time_inside(S, W, bounds, span, grow, True, out):
        search(S, W, t)
        time_inside(S, W, bounds, span, grow, False, out)
