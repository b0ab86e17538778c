"""Capsule against a profile turned about z: a rope's segment in the groove of a pulley.

Along the axis q(u) = c + u e of the rod the distance to the surface has its smallest values where n . e = 0 (Newton
with the curvatures of the surface, bracketed) or at an end.  Each foot on the profile is followed for itself, so that
both walls of a groove and its ground are points of their own.  A convex corner of the profile is a circle: the places
where its distance from the line of the axis is least are found round it, since the two edges of a thin ring lie nearer
to each other than places of the axis from which it pays to search.  The end of a capsule is a ball.  A rod whose axis
lies deeper in the material than its radius touches no more.

A rod that lies along the profile (of a tube, in a bore) is nearest at one end or the other as its tilt changes its
sign.  Both ends of what lies along it (`_stretch`) are points then, with names of their own and half of the law each;
the minimum has the rest, from mean slopes of 0.01 to 0.02 on the whole.  Where an edge of the profile ends what lies,
the point is that edge, at its distance from the axis: n . e = 0 whatever the tilt, so that the normal is the gradient
of the gap.
"""

from __future__ import annotations

import math

from ..._jit import jit
from ..tables import FEATURE, GAP, UA, WEIGHT, N, P
from ._curve import CONVEX, before, candidate, feature, near, place, write
from ._mesh import share_out
from ._point import aligned, axis, bracketed, centre, copy_row, diagonal, make_unique, nearby, room, to_ground
from ._revolved import revolve, second, surface, track
from ._scratch import stretches
from ._stretch import EDGE, NOWHERE, bent, beside, beside_edge, end_of, leaves, trivial
from .swept import FLAT, middle

POINTS = 12
MINIMA = 8  # of these; the others are ends of what lies along the profile
STARTS = 9  # places of the axis, where it is near the profile, from which the minimum distances are searched for
ROUND = 24  # places of an edge from which its minimum distances from the axis are searched for
SHORT = 1e-6  # of the rod: what is no longer lies nowhere
POINT_KINDS = 5.0  # of points on a run of the profile: minimum, both ends of the rod, edge, end of what lies on a round
ENDS, AT_EDGE, AT_ROUND = 1.0, 3.0, 4.0
#: columns of `stretches`, one row a minimum: place on the axis, row of the profile and what holds the foot there, share
#: of the law, whether it belongs to a group; of the group: share of each end; of its ends: row, place, what ends it
U, ROW, KIND, SHARE, TAKEN, HALF, LOW, HIGH = 0, 1, 2, 3, 4, 5, 6, 9


@jit
def along(sh, b, i, cx, cy, cz, ex, ey, ez, least, most, u):
    """(row, u) of the minimum distance along the axis between least and most, from u and the foot on row i."""
    low = least
    high = most
    small = 1e-14 * (abs(least) + abs(most))
    begun = ended = False  # were the ends checked?
    for _ in range(50):
        i, kind, _, _, nr, nz, kappa, dist, c, s, rho = surface(sh, b, i, cx + u * ex, cy + u * ey, cz + u * ez)
        if i < 0:
            return -1, u
        slope = nr * (c * ex + s * ey) + nz * ez
        bend = second(kind, nr, nz, kappa, dist, c, s, rho, ex, ey, ez)
        # a step beyond an end leads to it, once: between two ends that are known it would be taken in turn with one
        # place for ever
        w = u - slope / bend if bend > 0.0 else (-math.inf if slope > 0.0 else math.inf)
        low, high, v = bracketed(low, high, u, slope, bend)
        if w <= least and low == least and not begun:
            w = least
        elif w >= most and high == most and not ended:
            w = most
        else:
            w = v
        begun = begun or w == least
        ended = ended or w == most
        if abs(w - u) <= small:
            return i, w
        u = w
    return i, u


@jit
def add(sh, b, i, point, r, reach, deep, out, first, n, limit):
    """Row of the point (x, y, z) thick by r (axes of b), its foot on row i: (row index, row of the profile, what holds
    the foot); index -1 where nothing is written."""
    x, y, z = point
    i = track(sh, b, i, math.sqrt(x * x + y * y), z)
    if i < 0:
        return -1, i, 0
    kind, fr, fz, nr, nz, kappa, dist = candidate(sh, b, i, math.sqrt(x * x + y * y), z)
    if kind == 0 or not dist - r < reach or dist < -deep:
        return -1, i, kind
    rho = math.sqrt(x * x + y * y)
    c = x / rho if rho > 0.0 else 1.0
    s = y / rho if rho > 0.0 else 0.0
    if there(out, first, n, (fr * c, fr * s, fz), (nr * c, nr * s, nz), 1e-6 * (r + abs(fr))) >= 0:
        return -1, i, kind  # found before from another start
    k = room(out, first, n, limit, dist - r)
    if k >= 0:
        write(sh, out, k, i, kind, fr, fz, nr, nz, kappa, dist - r)
        revolve(out, k, x, y)
        out[k, FEATURE] = POINT_KINDS * out[k, FEATURE] + (AT_EDGE if kind == 2 else 0.0)
        out[k, WEIGHT] = 1.0
    return k, i, kind


@jit
def there(out, first, n, foot, normal, near):
    """The row that has this foot and normal; -1: none."""
    x, y, z = foot
    u, v, w = normal
    for k in range(first, first + n):
        d = max(max(abs(out[k, P] - x), abs(out[k, P + 1] - y)), abs(out[k, P + 2] - z))
        if d < near and out[k, N] * u + out[k, N + 1] * v + out[k, N + 2] * w > 0.999999:
            return k
    return -1


@jit
def across(sh, b, point, axis):
    """Where the line through the point along e is nearest to the centre of shape b."""
    cx, cy, cz = point
    ex, ey, ez = axis
    return (sh.centre[b, 0] - cx) * ex + (sh.centre[b, 1] - cy) * ey + (sh.centre[b, 2] - cz) * ez


@jit
def name(out, first, n, k, behind):
    """The number of row k tells on which side of the profile's centre it lies along the rod: both edges of a ring
    belong to one run of the profile, and points with one number would be taken for one."""
    if behind:
        out[k, FEATURE] += 0.25
    make_unique(out, first, n, k)


@jit
def mark(out, k, found, first, place):
    """Place on the axis, row of the profile and what holds the foot of the minimum in row k."""
    found[k - first, U], found[k - first, ROW], found[k - first, KIND] = place


@jit
def at_end(sh, a, i, u, out, k):
    """Row k is the ball at the end of rod a that u is."""
    r = sh.par[a, 0]
    diagonal(out, k, UA, r, r, 1.0, 1.0)
    out[k, FEATURE] = POINT_KINDS * feature(sh, i, 1) + ENDS + (0.0 if u < 0.0 else 1.0)


@jit
def follow(sh, a, b, i, where, centre, axis, reach, out, first, n, found):
    """Minimum distance from the foot on row i at u of the axis, no farther from there than ``reached``: new number of
    points, ``limit`` at most (rows in the axes of b)."""
    u, reached, limit = where
    cx, cy, cz = centre
    ex, ey, ez = axis
    r = sh.par[a, 0]
    h = sh.par[a, 1]
    low, high = max(u - reached, -h), min(u + reached, h)
    i, u = along(sh, b, i, cx, cy, cz, ex, ey, ez, low, high, u)
    end = abs(u) >= h * (1.0 - 1e-12)
    inner = 1e-6 * reached  # an end of the search is not a minimum
    if i < 0 or not (end or (u > low + inner and u < high - inner)):
        return n
    if not end:
        # a foot inside the material may have gone over to another face on the way, with the ends of the first one
        line = (cx, cy, cz, ex, ey, ez)
        _, _, falls = beside(sh, b, i, line, u - inner)
        _, _, rises = beside(sh, b, i, line, u + inner)
        if falls > FLAT or rises < -FLAT:
            return n
    k, i, kind = add(sh, b, i, (cx + u * ex, cy + u * ey, cz + u * ez), r, reach, r, out, first, n, limit)
    if k >= 0:
        mark(out, k, found, first, (u, i, kind))
        if end:
            at_end(sh, a, i, u, out, k)
        else:
            aligned(out, k, UA, ex, ey, ez, 1.0, r, 0.0, 1.0)
        n = max(n, k - first + 1)
        name(out, first, n, k, u > across(sh, b, centre, axis))
    return n


@jit
def edge(sh, a, b, i, centre, axis, reach, out, first, n, limit, found):
    """Minimum distances of the axis from the edge at the start of row i, where the axis is outside of both faces there:
    new number of points (rows in the axes of b)."""
    cx, cy, cz = centre
    ex, ey, ez = axis
    r = sh.par[a, 0]
    h = sh.par[a, 1]
    far = r + max(reach, 0.0)
    R, Z = sh.seg[i, 1], sh.seg[i, 2]
    low, high = -h, h  # of the axis where it is near the plane of the edge, and near the edge
    if abs(ez) > 1e-12:
        p, q = (Z - far - cz) / ez, (Z + far - cz) / ez
        low, high = max(low, min(p, q)), min(high, max(p, q))
    elif abs(cz - Z) > far:
        return n
    if low > high:
        return n
    x, y = cx + low * ex, cy + low * ey
    u, v = cx + high * ex, cy + high * ey
    most = math.sqrt(max(x * x + y * y, u * u + v * v))
    q = ex * ex + ey * ey
    t = min(max(-(cx * ex + cy * ey) / q if q > 0.0 else low, low), high)
    if most < R - far or math.sqrt((cx + t * ex) ** 2 + (cy + t * ey) ** 2) > R + far:
        return n
    _, _, dx, dy, _, _ = place(sh, before(sh, b, i), 1.0)
    ax, ay = sh.seg[i, 3], sh.seg[i, 4]
    step = 2.0 * math.pi / ROUND
    g, _ = bent((cx, cy, cz), (ex, ey, ez), R, Z, 1.0, 0.0)
    for k in range(ROUND):
        f = g
        angle = (k + 1) * step
        g, _ = bent((cx, cy, cz), (ex, ey, ez), R, Z, math.cos(angle), math.sin(angle))
        if not (f < 0.0 and g >= 0.0):
            continue
        low, high = k * step, angle
        psi = 0.5 * (low + high)
        for _ in range(60):
            p, q = bent((cx, cy, cz), (ex, ey, ez), R, Z, math.cos(psi), math.sin(psi))
            low, high, w = bracketed(low, high, psi, p, q)
            if abs(w - psi) < 1e-15:
                break
            psi = w
        c, s = math.cos(psi), math.sin(psi)
        t = (R * c - cx) * ex + (R * s - cy) * ey + (Z - cz) * ez
        x, y, z = cx + t * ex, cy + t * ey, cz + t * ez
        rho = x * c + y * s  # the half-plane of the edge: what lies beyond the axis z has a nearer foot
        if abs(t) >= h or not rho > 0.0 or (rho - R) ** 2 + (z - Z) ** 2 > far * far:
            continue
        # between the two faces outside: behind the end of one, before the start of the other
        if (rho - R) * dx + (z - Z) * dy < 0.0 or (rho - R) * ax + (z - Z) * ay > 0.0:
            continue
        m, j, kind = add(sh, b, i, (x, y, z), r, reach, r, out, first, n, limit)
        if m >= 0:
            mark(out, m, found, first, (t, j, kind))
            aligned(out, m, UA, ex, ey, ez, 1.0, r, 0.0, 1.0)
            n = max(n, m - first + 1)
            name(out, first, n, m, t > across(sh, b, centre, axis))
    return n


@jit
def group(sh, a, b, line, out, first, k, n, found):
    """Shares of minimum k, the lowest that belongs to no group, of the others on what lies along the profile about it,
    and of the ends of that."""
    r, h = sh.par[a, 0], sh.par[a, 1]
    u, i, kind = found[k, U], int(found[k, ROW]), int(found[k, KIND])
    found[k, TAKEN], found[k, SHARE], found[k, HALF] = 1.0, 1.0, 0.0
    if trivial(sh, b, i, kind, line, u, h):
        return
    p, low, begins = end_of(sh, b, i, kind, line, u, -h)
    q, high, ends = end_of(sh, b, i, kind, line, u, h)
    if begins == NOWHERE and ends == NOWHERE or (kind != 2 and (begins == NOWHERE or ends == NOWHERE)):
        return
    if begins == NOWHERE:  # the minimum is the edge that ends the face
        p, low, begins = i, leaves(sh, b, i, line, u, high), EDGE
    elif ends == NOWHERE:
        q, high, ends = i, leaves(sh, b, i, line, u, low), EDGE
    low, g = place_of(sh, b, (p, low, begins), line, h)
    high, d = place_of(sh, b, (q, high, ends), line, h)
    if not high - low > SHORT * h:
        return
    share = middle(out[first + k, GAP] + r, min(g, d), max(g, d), high - low)
    found[k, SHARE], found[k, HALF] = share, 0.5 * (1.0 - share)
    found[k, LOW], found[k, LOW + 1], found[k, LOW + 2] = p, low, begins
    found[k, HIGH], found[k, HIGH + 1], found[k, HIGH + 2] = q, high, ends
    cx, cy, cz, ex, ey, ez = line
    for j in range(n):
        u = found[j, U]
        if found[j, TAKEN] != 0.0 or u < low - SHORT * h or u > high + SHORT * h:
            continue
        row, _, fr, fz, nr, nz, _, _, c, s, _ = surface(sh, b, i, cx + u * ex, cy + u * ey, cz + u * ez)
        foot, normal = (fr * c, fr * s, fz), (nr * c, nr * s, nz)
        if row >= 0 and there(out, first + j, 1, foot, normal, 1e-5 * (r + abs(fr))) >= 0:
            found[j, TAKEN], found[j, SHARE], found[j, HALF] = 1.0, share, 0.0


@jit
def place_of(sh, b, end, line, h):
    """(place on the axis, distance from the profile) of an end of what lies along it."""
    i, u, how = end
    if how == EDGE:
        u, _, d = beside_edge(sh, b, i, line, u, h)
        return u, d
    cx, cy, cz, ex, ey, ez = line
    _, _, _, _, _, _, _, d, _, _, _ = surface(sh, b, i, cx + u * ex, cy + u * ey, cz + u * ez)
    return u, d


@jit
def put(sh, a, b, end, weight, line, reach, out, first, n, limit):
    """Row of an end (row of the profile, place, what ends it) of what lies along the profile, or its weight to the
    minimum that is there: new number of points."""
    i, u, how = int(end[0]), end[1], int(end[2])
    cx, cy, cz, ex, ey, ez = line
    r, h = sh.par[a, 0], sh.par[a, 1]
    over = abs(u) >= h * (1.0 - 1e-12)
    if how == EDGE:
        u, psi, d = beside_edge(sh, b, i, line, u, h)
        c, s = math.cos(psi), math.sin(psi)
        kind, fr, fz, kappa = 2, sh.seg[i, 1], sh.seg[i, 2], 0.0
        x, y, z = cx + u * ex, cy + u * ey, cz + u * ez
        if not d > 0.0:
            return n
        nr, nz = (x * c + y * s - fr) / d, (z - fz) / d
    else:
        x, y, z = cx + u * ex, cy + u * ey, cz + u * ez
        i, kind, fr, fz, nr, nz, kappa, d, c, s, _ = surface(sh, b, i, x, y, z)
    if i < 0 or not d - r < reach or d < -r:
        return n
    twin = there(out, first, n, (fr * c, fr * s, fz), (nr * c, nr * s, nz), 1e-6 * (r + abs(fr)))
    k = twin if twin >= 0 else room(out, first, n, limit, d - r)
    if k < 0:
        return n
    if twin < 0:
        write(sh, out, k, i, kind, fr, fz, nr, nz, kappa, d - r)
        revolve(out, k, c, s)
        out[k, WEIGHT] = 0.0
    out[k, WEIGHT] += weight
    if over and how != EDGE:
        at_end(sh, a, i, u, out, k)
    else:
        aligned(out, k, UA, ex, ey, ez, 1.0, r, 0.0, 1.0)
        out[k, FEATURE] = POINT_KINDS * feature(sh, i, kind) + (AT_EDGE if how == EDGE else AT_ROUND)
    n = max(n, k - first + 1)
    name(out, first, n, k, u > across(sh, b, (cx, cy, cz), (ex, ey, ez)))
    return n


@jit
def level(sh, a, b, line, ends, reach, out, first, n, limit, found):
    """Shares of n minima, and the ends of what lies along the profile: new number of points.  ends: also those where
    the rod ends."""
    h = sh.par[a, 1]
    for k in range(n):
        found[k, TAKEN] = 0.0
    for _ in range(n):
        k = -1
        for j in range(n):
            if found[j, TAKEN] == 0.0 and (k < 0 or out[first + j, GAP] < out[first + k, GAP]):
                k = j
        if k >= 0:
            group(sh, a, b, line, out, first, k, n, found)
    m = 0
    for k in range(n):
        if found[k, SHARE] > 0.0 and (ends or abs(found[k, U]) < h * (1.0 - 1e-12)):
            if k != m:
                copy_row(out, first + m, first + k)
            out[first + m, WEIGHT] = found[k, SHARE]
            m += 1
    for k in range(n):
        # an edge and a rim at the two ends have the same share: a rim has its whole one
        weight = found[k, HALF] if ends else 2.0 * found[k, HALF]
        for c in (LOW, HIGH):
            end = found[k, c], found[k, c + 1], found[k, c + 2]
            if weight > 0.0 and (ends or abs(end[1]) < h * (1.0 - 1e-12)):
                m = put(sh, a, b, end, weight, line, reach, out, first, m, limit)
    return m


@jit
def rods(sh, a, b, ends, reach, out, first, limit):
    """Points of the line of rod a, thick by its radius, in the axes of b: their number.  ends: also where the line ends
    in a ball."""
    cx, cy, cz = centre(sh, a, b)
    ex, ey, ez = axis(sh, a, b)
    r = sh.par[a, 0]
    h = sh.par[a, 1]
    x, y, z = sh.centre[b, 0], sh.centre[b, 1], sh.centre[b, 2]
    low, high = nearby(cx - x, cy - y, cz - z, ex, ey, ez, sh.radius[b] + r + max(reach, 0.0))
    low, high = max(low, -h), min(high, h)
    if low > high:
        return 0
    # a minimum distance lies within half a step of one of the starts, which is farther away by no more than that
    step = (high - low) / (STARTS - 1)
    d = r + max(reach, 0.0) + 0.5000001 * step
    n = 0
    most = min(limit, MINIMA)
    found = stretches()
    for start in range(STARTS):
        u = low + step * start
        x, y, z = cx + u * ex, cy + u * ey, cz + u * ez
        rho = math.sqrt(x * x + y * y)
        k = 0
        while True:
            i, k = near(sh, b, k, rho, z, d)
            if i < 0:
                break
            kind, _, _, _, _, _, dist = candidate(sh, b, i, rho, z)
            if kind > 0 and dist > -r - 0.5 * step and dist < d:
                n = follow(sh, a, b, i, (u, step, most), (cx, cy, cz), (ex, ey, ez), reach, out, first, n, found)
    for i in range(sh.first[b, 0], sh.first[b, 0] + sh.first[b, 1]):
        if sh.seg[i, 9] == CONVEX:
            n = edge(sh, a, b, i, (cx, cy, cz), (ex, ey, ez), reach, out, first, n, most, found)
    if n == 0:
        return 0
    return level(sh, a, b, (cx, cy, cz, ex, ey, ez), ends, reach, out, first, n, limit, found)


@jit
def contact(sh, a, b, reach, out, first, limit):
    n = rods(sh, a, b, True, reach, out, first, min(limit, POINTS))
    for k in range(first, first + n):
        to_ground(sh, b, out, k)
    share_out(out, first, n, 1.0)
    return n
