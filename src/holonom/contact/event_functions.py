"""Event functions of contact: gaps of near pairs at any state, for those who locate onsets and separations inside a
step.

Evaluations follow each other by the time for which pairs that are apart are sure to stay so (`advancement`), so that no
touch is missed that is deeper than ``slack``; of pairs of which one is not convex, none that is deeper than a share of
the thinner wall (`walls`).  A pair that is farther away than it can come within the span requested costs its bounding
sphere only.
"""

from __future__ import annotations

import math

from .._handle import view_S, view_W
from .._jit import jit
from ..elements.bodies.at_point import add_mobility, lever
from ..elements.bodies.coordinates import rotations
from ..elements.frames import update_frames
from .advancement import approach, approach_rates, convex, idle, renewed, sooner, speed_of
from .broad_phase import _centre, _extent, _find
from .engine import _handle_at, _law, _speed, shift_of
from .shapes._address import call as pair
from .surface_distance import surface_distance
from .tables import GAP, LAW_FORCE, NEAR, OUT_STORED, POINTS, N, P
from .traits import ball, hollow
from .walls import thinner

# what `event_function` returns: minimum distance from a change, its rate, time after t within which no pair can touch,
# pairs that touch, the same time should the bounds of accelerations grow by GROWTH, those of speeds by its root; the
# near pair that decides (-1: a shape that leaves its box); time before t within which no pair can have touched, up to
# the time that the caller requires here; fastest approach of pairs that decide by themselves (neither locked nor in
# ``inside``) and have points
FREE, SLOPE, AHEAD, TOUCHING, NEXT, WHICH, BEHIND, CLOSING = range(8)
EVENT_DATA = 8
GROWTH = 2.0
SLOWER = math.sqrt(GROWTH)
# what `impact` gives: effective mass, closing speed, greatest depth and time; normal, point, gap; power of the depth
# with which the force begins
IMPACT_MASS, IMPACT_SPEED, IMPACT_DEPTH, IMPACT_TIME = range(4)
IMPACT_NORMAL, IMPACT_POINT, IMPACT_GAP, IMPACT_POWER, IMPACT = 4, 7, 10, 11, 12
# what `predict_event` gives
PREDICTED, DOUBT, PARTS, PREDICTED_PAIR, IDLE = range(5)
# of a pair in ``inside``: gap, its rate, position in the list of near pairs (-1: out of reach), 1 if it pushes
# (`predict_event`)
PAIR_GAP, PAIR_RATE, PAIR_PLACE, PAIR_PUSHES, PAIR_DATA = range(5)
SAMPLES = 12  # of the law in a prediction
TRUST = 0.25  # error of a forecast as a share of what its cubic term makes
FAR = 2.0  # gaps are measured as far as they can close in so many spans
# of the thinner of two shapes: nearer than that kernels are requested points, since those that iterate may take a touch
# for a gap
ROUND = 1e-6
# of the thinner wall of two shapes of which one is not convex: a touch less deep may be over before the next evaluation
SHARE = 0.1
MORE = GROWTH * GROWTH  # what the terms of C, products of two bounds at most, grow by


@jit
def apart_at_least(sh, a, b):
    """Gap between the bounding spheres of two shapes, and the direction from b to a."""
    d0 = _centre(sh, a, 0) - _centre(sh, b, 0)
    d1 = _centre(sh, a, 1) - _centre(sh, b, 1)
    d2 = _centre(sh, a, 2) - _centre(sh, b, 2)
    d = math.sqrt(d0 * d0 + d1 * d1 + d2 * d2)
    f = 1.0 / d if d > 0.0 else 0.0
    return d - sh.radius[a] - sh.radius[b], f * d0, f * d1, f * d2


@jit
def _exact(sh, a):
    """Is the gap of this shape and any other one their signed distance?  So it is of points and solid balls: kernels
    find the foot of the centre."""
    return ball(sh, a) and not hollow(sh, a)


@jit(later="float64")
def trusted(sh, a, b, gap):
    """How far two shapes of which one is not convex are sure to be apart, by the gap that their kernel finds.

    The gaps of points and balls are distances.  Other kernels leave features out that carry no force, and see nothing
    where one shape is deep inside the other: there the distance of the surfaces counts, or the gap between the boxes of
    the shapes.  `SHARE` of the thinner wall is taken in any
    case: a touch less deep may be over before the next evaluation, and none deeper.
    """
    least = SHARE * thinner(sh, a, b)
    if gap <= least:
        return max(least, gap)
    if _exact(sh, a) or _exact(sh, b):
        return gap
    apart = -1e300
    for c in range(3):
        apart = max(apart, abs(_centre(sh, a, c) - _centre(sh, b, c)) - _extent(sh, a, c) - _extent(sh, b, c))
    if apart >= gap:
        return gap
    return max(least, apart, surface_distance(sh, a, b, gap, max(least, apart)))


@jit(
    entry=(
        "int64, float64, float64[::1], float64[:, ::1], float64, float64[:, ::1], float64, (int64[::1], "
        "float64[::1], int64), float64, float64[:, ::1], float64[::1]"
    )
)
def event_function(address, t, y, R, span, bounds, slack, watched, depth, seen, out):
    """Gaps of near pairs at (t, y) into W.gap (as far as they can close within ``span``; else a lower bound).

    A pair that is locked must stay apart but for ``depth``, a pair in ``inside`` (n rising keys) must stay in touch, to
    a gap of
    ``depth``: roundoff alone changes nothing.  ``kink`` (n): depth that it must not reach, or (negative) must not
    return to; 0: none.
    ``bounds`` (nb + 1, BOUNDS): of the motion around t, see `elements.bodies.motion_bounds`; ``slack``: depth of a
    touch that may be missed. ``seen`` (n, PAIR_DATA) and ``out`` (EVENT_DATA,): see above; out[BEHIND] goes in as the
    longest time that the caller needs, 0 for none. The list of near pairs is made again where it has become old;
    returns the number of near pairs.
    """
    inside, kink, n = watched
    handle = _handle_at(address)
    S = view_S(handle)
    W = view_W(handle)
    sh = S.sh
    fr = sh.fr
    rotations(S.bodies, y, R)
    update_frames(fr, y, R)
    renewed(S, W, t, bounds, span, MORE, out)  # its two numbers are taken from there
    free = 1e300
    slope = 0.0
    ahead = out[0]
    later = out[1]
    behind = min(out[BEHIND], out[0])
    touching = 0
    which = -1
    closing = 0.0
    room = W.pts.shape[0]
    for q in range(n):
        seen[q, PAIR_PLACE] = -1.0
    for k in range(W.count[NEAR]):
        a = W.near[k, 1]
        b = W.near[k, 2]
        fa = sh.frame[a]
        fb = sh.frame[b]
        far = idle(sh, a, b, bounds, max(ahead, SLOWER * later, behind)) if W.lock[k] != 0 and span > 0.0 else -1.0
        if far > 0.0:
            W.gap[k] = far
            continue
        V0, V1, V2, W0, W1, W2, r, C, _ = approach(sh, a, b, bounds, span)
        U = speed_of(V0, V1, V2, W0, W1, W2, r)
        reach = FAR * (U + C * span) * span + 4.0 * depth + ROUND * thinner(sh, a, b)
        held = W.lock[k] != 0
        place = -1 if held else _find(inside, n, W.key[k])
        acts = place >= 0
        # bounding spheres first: where they are apart for longer than others are, the shapes themselves give no
        # information more
        if held:
            far, n0, n1, n2 = apart_at_least(sh, a, b)
            least, before = approach_rates(V0, V1, V2, W0, W1, W2, U, 0.0, n0, n1, n2)
            s = sooner(ahead, far, least, C)
            z = sooner(later, far, least, MORE * C)
            p = sooner(behind, far, before, C)
            if (far > reach and reach > 0.0) or (far > 0.0 and s >= ahead and z >= later and p >= behind):
                W.gap[k] = far
                if s < ahead:
                    ahead = s
                    which = k
                later = z
                behind = p
                continue
        ka = sh.kind[a]
        kb = sh.kind[b]
        points = pair(S.kern[ka, kb], (sh, a, b, reach, W.pts, 0, min(S.most[ka, kb], room)))
        gap = reach
        q = -1
        for m in range(points):
            if W.pts[m, GAP] < gap:
                gap = W.pts[m, GAP]
                q = m
        if q >= 0:
            gap += shift_of(W, k)
        W.gap[k] = gap
        if gap < 0.0 and not held:
            touching += 1
        if q < 0 and not acts:
            if held:
                if not convex(sh, a, b):
                    gap = trusted(sh, a, b, reach)
                s = sooner(ahead, gap, -U, C)
                if s < ahead:
                    ahead = s
                    which = k
                later = sooner(later, gap, -U, MORE * C)
                behind = sooner(behind, gap, -U, C)
            continue
        rate = 0.0
        if q >= 0:
            n0, n1, n2 = W.pts[q, N], W.pts[q, N + 1], W.pts[q, N + 2]
            c0 = W.pts[q, P] + 0.5 * gap * n0
            c1 = W.pts[q, P + 1] + 0.5 * gap * n1
            c2 = W.pts[q, P + 2] + 0.5 * gap * n2
            v0, v1, v2 = _speed(fr, fa, c0, c1, c2)
            u0, u1, u2 = _speed(fr, fb, c0, c1, c2)
            rate = (v0 - u0) * n0 + (v1 - u1) * n1 + (v2 - u2) * n2
        if held:
            if convex(sh, a, b):
                least, before = approach_rates(V0, V1, V2, W0, W1, W2, U, r, n0, n1, n2)
                room_left = gap + slack
            else:
                least = before = -U
                room_left = trusted(sh, a, b, gap) + slack
            s = sooner(ahead, room_left, least, C)
            if s < ahead:
                ahead = s
                which = k
            later = sooner(later, room_left, least, MORE * C)
            behind = sooner(behind, room_left, before, C)
            if gap + depth < free:
                free = gap + depth
                slope = rate
        elif acts:
            if q >= 0:
                seen[place, PAIR_GAP] = gap
                seen[place, PAIR_RATE] = rate
                seen[place, PAIR_PLACE] = k
            if depth - gap < free:
                free = depth - gap
                slope = -rate
            bend = kink[place]
            if bend != 0.0:
                s = 1.0 if bend > 0.0 else -1.0
                rest = s * (abs(bend) + gap) + depth
                if rest < free:
                    free = rest
                    slope = s * rate
        elif q >= 0:
            closing = max(closing, -rate)
    W.count[POINTS] = 0
    out[AHEAD] = ahead
    out[NEXT] = later
    out[BEHIND] = behind
    out[WHICH] = which
    out[FREE] = free
    out[SLOPE] = slope
    out[TOUCHING] = touching
    out[CLOSING] = closing
    return W.count[NEAR]


@jit
def _pushes(S, W, k, d, v):
    """Is there a normal force at pair k at depth d and rate v?"""
    c = W.near[k, 0]
    if S.law[c, LAW_FORCE] == 0:  # a constraint
        return True
    q = k * S.memory if S.memory > 0 and W.nmem[k] > 0 else W.mem.shape[0] - 1
    return _law(S.law[c, LAW_FORCE], (S.p, c, d, v, W.mem, q, 0.0, W.law)) > 0.0


@jit(entry="int64, float64[:, ::1], float64[:, ::1], int64, float64, float64, float64[::1], float64[::1]")
def predict_event(address, seen, before, n, h, span, kink, out):
    """When will the law of one of n pairs in contact change next: its force vanish, its slope bend, or the pair part?

    ``seen``, ``before`` (n, PAIR_DATA): gaps and rates now and a time ``h`` ago (0: not known).  The gap continues as
    the cubic through both; without a past at its rate.  ``out``: time until then (1e300: not within ``span``), how far
    that may be wrong, 1 if a pair parts, which, 1 if a pair does not push now.
    """
    handle = _handle_at(address)
    S = view_S(handle)
    W = view_W(handle)
    out[PREDICTED] = 1e300
    out[DOUBT] = 0.0
    out[PARTS] = 0.0
    out[IDLE] = 0.0
    for i in range(n):
        if seen[i, PAIR_PLACE] < 0.0:
            continue
        k = int(seen[i, PAIR_PLACE])
        g = seen[i, PAIR_GAP]
        v = seen[i, PAIR_RATE]
        a = 0.0
        j = 0.0
        if h > 0.0 and before[i, PAIR_PLACE] >= 0.0:
            g0 = before[i, PAIR_GAP] - g
            v0 = before[i, PAIR_RATE]
            a = (6.0 * g0 + h * (2.0 * v0 + 4.0 * v)) / (h * h)
            j = (12.0 * g0 + 6.0 * h * (v0 + v)) / (h * h * h)
        bend = abs(kink[i])
        was = 0
        low = 0.0
        last = min(span, out[PREDICTED])
        for s in range(SAMPLES + 1):
            x = last * s / SAMPLES
            now = _state_of_law(S, W, k, g, v, a, j, bend, x)
            if s == 0:
                was = now
                seen[i, PAIR_PUSHES] = 1.0 if now & 4 else 0.0
                if now == 1 or now == 3:
                    out[IDLE] = 1.0
            elif now != was and (now & 3 != was & 3 or was & 4 > now & 4):
                break
            low = x
        if low >= last:
            continue
        high = low + last / SAMPLES
        for _ in range(40):
            x = 0.5 * (low + high)
            now = _state_of_law(S, W, k, g, v, a, j, bend, x)
            if now & 3 != was & 3 or was & 4 > now & 4:
                high = x
            else:
                low = x
        speed = abs(v + high * (a + 0.5 * j * high))
        out[PREDICTED] = high
        out[DOUBT] = TRUST * abs(j) * high**3 / 6.0 / speed if speed > 0.0 else high
        out[PREDICTED_PAIR] = k
        out[PARTS] = 1.0 if _state_of_law(S, W, k, g, v, a, j, bend, high) & 1 == 0 else 0.0


@jit
def _state_of_law(S, W, k, g, v, a, j, bend, x):
    """Bits: in contact, deeper than the bend, pushing."""
    d = -(g + x * (v + x * (0.5 * a + x * j / 6.0)))
    if d <= 0.0:
        return 0
    state = 1
    if bend > 0.0 and d > bend:
        state += 2
    if _pushes(S, W, k, d, -(v + x * (a + 0.5 * j * x))):
        state += 4
    return state


@jit(entry="int64, int64, float64[:, ::1], float64[::1], float64[::1]")
def impact(address, k, R, y, out):
    """What the impact of near pair k would be at the state of the last `event_function`: effective mass of the two
    bodies along the normal of the deepest point (1/m = sum 1/m_b + (r x n) . J^-1 (r x n); joints are not seen),
    closing speed, greatest elastic depth (where the law stores m v^2 / 2) and contact time (2.94 depth / v, exact for
    exponent 1.5) into the first four; zeros where it cannot be reported. IMPACT_NORMAL (3): normal from shape b to a,
    IMPACT_POINT (3): point, IMPACT_GAP: gap, IMPACT_POWER: power of the depth with which the force begins."""
    handle = _handle_at(address)
    S = view_S(handle)
    W = view_W(handle)
    sh = S.sh
    fr = sh.fr
    for q in range(IMPACT):
        out[q] = 0.0
    a = W.near[k, 1]
    b = W.near[k, 2]
    ka = sh.kind[a]
    kb = sh.kind[b]
    points = pair(S.kern[ka, kb], (sh, a, b, 1e300, W.pts, 0, min(S.most[ka, kb], W.pts.shape[0])))
    W.count[POINTS] = 0
    if points == 0:
        return
    q = 0
    for m in range(points):
        if W.pts[m, GAP] < W.pts[q, GAP]:
            q = m
    n0, n1, n2 = W.pts[q, N], W.pts[q, N + 1], W.pts[q, N + 2]
    c0, c1, c2 = W.pts[q, P], W.pts[q, P + 1], W.pts[q, P + 2]
    for e in range(3):
        out[IMPACT_NORMAL + e] = W.pts[q, N + e]
        out[IMPACT_POINT + e] = W.pts[q, P + e]
    out[IMPACT_GAP] = W.pts[q, GAP]
    total = 0.0
    for side in range(2):
        f = sh.frame[b] if side else sh.frame[a]
        i = fr.body[f]
        if i == S.bodies.n:
            continue
        r0, r1, r2 = lever(S.bodies, y, i, c0, c1, c2)
        total = add_mobility(S.bodies, R, i, r0, r1, r2, n0, n1, n2, total)
    v0, v1, v2 = _speed(fr, sh.frame[a], c0, c1, c2)
    u0, u1, u2 = _speed(fr, sh.frame[b], c0, c1, c2)
    v = -((v0 - u0) * n0 + (v1 - u1) * n1 + (v2 - u2) * n2)
    if not total > 0.0:
        return
    out[IMPACT_MASS] = 1.0 / total
    out[IMPACT_SPEED] = v
    if not v > 0.0:
        return
    energy = 0.5 * v * v / total
    c = W.near[k, 0]
    if S.law[c, LAW_FORCE] == 0:  # a constraint
        return
    blank = W.mem.shape[0] - 1
    low = 0.0
    high = 1e-12
    while high < 1e6:
        _law(S.law[c, LAW_FORCE], (S.p, c, high, 0.0, W.mem, blank, 0.0, W.law))
        if W.law[OUT_STORED] >= energy:
            break
        low = high
        high *= 4.0
    if high >= 1e6:
        return
    small = _law(S.law[c, LAW_FORCE], (S.p, c, 1e-4 * high, 0.0, W.mem, blank, 0.0, W.law))
    if small > 0.0:
        out[IMPACT_POWER] = math.log2(
            _law(S.law[c, LAW_FORCE], (S.p, c, 2e-4 * high, 0.0, W.mem, blank, 0.0, W.law)) / small
        )
    for _ in range(30):
        d = 0.5 * (low + high)
        _law(S.law[c, LAW_FORCE], (S.p, c, d, 0.0, W.mem, blank, 0.0, W.law))
        if W.law[OUT_STORED] >= energy:
            high = d
        else:
            low = d
    out[IMPACT_DEPTH] = high
    out[IMPACT_TIME] = 2.94 * high / v
