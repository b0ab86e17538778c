"""Capsule against a profile turned about z: a rope's segment in the groove of a pulley.

Along the axis q(u) = c + u e of the rod the distance to the surface has its smallest values where n . e = 0 (Newton
with the curvatures of the surface, bracketed) or at an end.  Each foot on the profile is followed for itself, so that
both walls of a groove and its ground are points of their own.  A convex corner of the profile is a circle: the places
where its distance from the line of the axis is least are found round it, since the two edges of a thin ring lie nearer
to each other than places of the axis from which it pays to search.  The end of a capsule is a ball.  A rod whose axis
lies deeper in the material than its radius touches no more.
"""

from __future__ import annotations

import math

from ..._jit import jit
from ..tables import FEATURE, UA, WEIGHT, N, P
from ._curve import CONVEX, before, candidate, near, place, write
from ._point import aligned, axis, bracketed, centre, diagonal, make_unique, nearby, room, to_ground
from ._revolved import revolve, second, surface, track

POINTS = 8
STARTS = 9  # places of the axis, where it is near the profile, from which the minimum distances are searched for
ROUND = 24  # places of an edge from which its minimum distances from the axis are searched for


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
    """Row of the point (x, y, z) thick by r (axes of b), its foot on row i: row index, or -1 where nothing is
    written."""
    x, y, z = point
    i = track(sh, b, i, math.sqrt(x * x + y * y), z)
    if i < 0:
        return -1
    kind, fr, fz, nr, nz, kappa, dist = candidate(sh, b, i, math.sqrt(x * x + y * y), z)
    if kind == 0 or not dist - r < reach or dist < -deep:
        return -1
    rho = math.sqrt(x * x + y * y)
    c = x / rho if rho > 0.0 else 1.0
    s = y / rho if rho > 0.0 else 0.0
    near = 1e-6 * (r + abs(fr))
    for k in range(first, first + n):  # found before from another start
        d = max(max(abs(out[k, P] - fr * c), abs(out[k, P + 1] - fr * s)), abs(out[k, P + 2] - fz))
        if d < near and out[k, N] * nr * c + out[k, N + 1] * nr * s + out[k, N + 2] * nz > 0.999999:
            return -1
    k = room(out, first, n, limit, dist - r)
    if k >= 0:
        write(sh, out, k, i, kind, fr, fz, nr, nz, kappa, dist - r)
        revolve(out, k, x, y)
    return k


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
def follow(sh, a, b, i, where, centre, axis, reach, out, first, n, limit):
    """Minimum distance from the foot on row i at u of the axis, no farther from there than ``reached``: new number of
    points (rows in the axes of b)."""
    u, ends, reached = where
    cx, cy, cz = centre
    ex, ey, ez = axis
    r = sh.par[a, 0]
    h = sh.par[a, 1]
    low, high = max(u - reached, -h), min(u + reached, h)
    i, u = along(sh, b, i, cx, cy, cz, ex, ey, ez, low, high, u)
    end = abs(u) >= h * (1.0 - 1e-12)
    inner = 1e-6 * reached  # an end of the search is not a minimum
    if i < 0 or (end and not ends) or not (end or (u > low + inner and u < high - inner)):
        return n
    k = add(sh, b, i, (cx + u * ex, cy + u * ey, cz + u * ez), r, reach, r, out, first, n, limit)
    if k >= 0:
        if end:
            diagonal(out, k, UA, r, r, 1.0, 1.0)
        else:
            aligned(out, k, UA, ex, ey, ez, 1.0, r, 0.0, 1.0)
        out[k, FEATURE] = 3.0 * out[k, FEATURE] + (0.0 if not end else (1.0 if u < 0.0 else 2.0))
        out[k, WEIGHT] = 1.0
        n = max(n, k - first + 1)
        name(out, first, n, k, u > across(sh, b, centre, axis))
    return n


@jit
def bent(point, axis, R, Z, c, s):
    """(f', f'') by the angle, at its cosine and sine, of half the square of the distance of the circle (R, Z) about z
    from the line through the point along the unit vector e."""
    cx, cy, cz = point
    ex, ey, ez = axis
    x, y, z = R * c - cx, R * s - cy, Z - cz
    u, v = -R * s, R * c  # first derivative; the second is -(R c, R s)
    t, w = x * ex + y * ey + z * ez, u * ex + v * ey
    return x * u + y * v - t * w, R * R - w * w - x * R * c - y * R * s + t * R * (c * ex + s * ey)


@jit
def edge(sh, a, b, i, centre, axis, reach, out, first, n, limit):
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
        m = add(sh, b, i, (x, y, z), r, reach, r, out, first, n, limit)
        if m >= 0:
            aligned(out, m, UA, ex, ey, ez, 1.0, r, 0.0, 1.0)
            out[m, FEATURE] = 3.0 * out[m, FEATURE]
            out[m, WEIGHT] = 1.0
            n = max(n, m - first + 1)
            name(out, first, n, m, t > across(sh, b, centre, axis))
    return n


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
                n = follow(sh, a, b, i, (u, ends, step), (cx, cy, cz), (ex, ey, ez), reach, out, first, n, limit)
    for i in range(sh.first[b, 0], sh.first[b, 0] + sh.first[b, 1]):
        if sh.seg[i, 9] == CONVEX:
            n = edge(sh, a, b, i, (cx, cy, cz), (ex, ey, ez), reach, out, first, n, limit)
    return n


@jit
def contact(sh, a, b, reach, out, first, limit):
    n = rods(sh, a, b, True, reach, out, first, min(limit, POINTS))
    for k in range(first, first + n):
        to_ground(sh, b, out, k)
    return n
