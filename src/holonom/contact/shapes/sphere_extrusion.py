"""Ball or point against an extruded profile: side, ends and rims, from outside or inside.

Twisted extrusions: with d(z') the distance of the ball's centre, turned back by the twist at z', from the profile, the
square of its distance from the surface is the least of d(z')^2 + (z' - z)^2, where d d' + z' - z = 0. Each foot is
followed to there from the plane of the centre (`twisted`). As d changes by no more than the twist times the centre's
distance from the axis, feet up to sqrt(1 + (twist rho)^2) times as far as the reach are taken.
"""

from __future__ import annotations

import math

from ..._jit import jit
from ..tables import E1, GAP, UA, UB, VB, WEIGHT, N, P
from ._curve import candidate, collect, near
from ._point import ball, centre, copy_row, diagonal, local, to_ground, vector

POINTS = 6
SAME = 1e-7  # of the distance from the axis and half the length: feet nearer than this are one


@jit
def side_of(sh, b, x, y):
    """Signed distance of (x, y) to a closed profile, negative inside."""
    best = math.inf
    sign = 1.0
    k = 0
    while True:
        i, k = near(sh, b, k, x, y, best)
        if i < 0:
            return sign * best
        kind, _, _, _, _, _, dist = candidate(sh, b, i, x, y)
        if kind > 0 and abs(dist) < best:
            best = abs(dist)
            sign = 1.0 if dist >= 0.0 else -1.0


@jit
def spin(out, k, c, s):
    """Row k turned by (c, s) about z."""
    for column in range(3):
        j = P if column == 0 else (N if column == 1 else E1)
        x, y = out[k, j], out[k, j + 1]
        out[k, j], out[k, j + 1] = c * x - s * y, s * x + c * y


@jit
def end_face(sh, b, out, k, x, y, z):
    """Row k: foot on the end nearer to z."""
    up = 1.0 if z >= 0.0 else -1.0
    local(out, k, x, y, up * sh.par[b, 0], 0.0, 0.0, up, abs(z) - sh.par[b, 0], -2.0 - up)
    vector(out, k, E1, 1.0, 0.0, 0.0)
    diagonal(out, k, UB, 1.0, 1.0, 0.0, 0.0)


@jit
def turned_back(tau, z, x, y):
    """(x, y) in the axes of the profile at the height z."""
    c = math.cos(tau * z)
    s = math.sin(tau * z)
    return c * x + s * y, c * y - s * x


@jit
def foot_near(sh, b, x, y, px, py, d):
    """`candidate` of (x, y), no farther than d, whose foot is nearest to (px, py); it begins with 0: there is none."""
    best = math.inf
    row = -1
    k = 0
    while True:
        i, k = near(sh, b, k, x, y, d)
        if i < 0:
            break
        kind, qx, qy, _, _, _, _ = candidate(sh, b, i, x, y)
        away = (qx - px) ** 2 + (qy - py) ** 2
        if kind > 0 and away < best:
            best = away
            row = i
    if row < 0:
        return 0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    return candidate(sh, b, row, x, y)


@jit
def lowest(sh, b, x, y, z, h, tau, px, py, dist):
    """(height, what `candidate` gives there) of the place between -h and h where a foot, near (px, py) at the height
    nearest to z, is nearest to the point in space."""
    at = min(max(z, -h), h)
    u, v = turned_back(tau, at, x, y)
    found = foot_near(sh, b, u, v, px, py, abs(dist) * 1.0000001)
    last = before = 0.0
    for turn in range(40):
        if found[0] == 0:
            break
        rate = tau * (found[3] * v - found[4] * u)
        f = found[6] * rate + at - z
        bend = 1.0 + rate * rate
        if turn > 0 and (f - before) * (at - last) > 0.3 * bend * (at - last) ** 2:
            bend = (f - before) / (at - last)
        new = min(max(at - f / bend, -h), h)
        if abs(new - at) <= 1e-14 * h:
            break
        last, before, at = at, f, new
        p, q = turned_back(tau, at, x, y)
        far = 1.0000001 * (abs(found[6]) + math.sqrt((p - u) ** 2 + (q - v) ** 2))
        u, v = p, q
        found = foot_near(sh, b, u, v, found[1], found[2], far)
    return at, found


@jit
def on_helicoid(out, k, tau, foot, rate):
    """Tangents and curvature of row k, whose normal is there, at a foot on the side: (what holds it, foot x, y, normal
    of the profile, its curvature); rate: of the distance by the height."""
    kind, px, py, n0, n1, kappa = foot
    sx, sy = -tau * py, tau * px  # of the place, by the height
    q0, q1, q2 = out[k, N], out[k, N + 1], out[k, N + 2]
    if kind == 1:
        ex, ey = -n1, n0
        vector(out, k, E1, ex, ey, 0.0)
        bx, by, bz = -q2 * ey, q2 * ex, q0 * ey - q1 * ex
        along, across = sx * ex + sy * ey, sx * bx + sy * by + bz
        size = math.sqrt(1.0 + rate * rate)
        ss, sz, zz = kappa / size, tau / size, tau * tau * (px * n0 + py * n1) / size
        vector(out, k, UB, 1.0, 0.0, 1.0)
        bent = (zz - 2.0 * along * sz + along * along * ss) / (across * across)
        vector(out, k, VB, ss, (sz - along * ss) / across, bent)
        return
    size = math.sqrt(1.0 + sx * sx + sy * sy)
    tx, ty, tz = sx / size, sy / size, 1.0 / size
    vector(out, k, E1, ty * q2 - tz * q1, tz * q0 - tx * q2, tx * q1 - ty * q0)
    diagonal(out, k, UB, 0.0, 1.0, 1.0, tau * tau * (px * q0 + py * q1) / (size * size))


@jit
def twisted(sh, a, b, reach, out, first, limit):
    """Points of a ball on a twisted extrusion."""
    x, y, z = centre(sh, a, b)
    r, h, tau = sh.par[a, 0], sh.par[b, 0], sh.par[b, 1]
    over = abs(z) - h
    rho = math.sqrt(x * x + y * y)
    wide = math.sqrt(1.0 + (tau * rho) ** 2) * (r + max(reach, 0.0))
    level = min(max(z, -h), h)
    u, v = turned_back(tau, level, x, y)
    o = sh.first[b, 2]
    if sh.first[b, 3] > 0 and not (
        sh.node[o, 0] - wide < u and u < sh.node[o, 3] + wide and sh.node[o, 1] - wide < v and v < sh.node[o, 4] + wide
    ):
        return 0
    inside = side_of(sh, b, u, v)
    if inside < 0.0 and over > 0.0:
        end_face(sh, b, out, first, u, v, z)
        spin(out, first, math.cos(tau * level), math.sin(tau * level))
        return ball(sh, a, b, reach, out, first)
    kept = 0
    for k in range(first, first + collect(sh, b, u, v, 0.0, wide, out, first, limit)):
        px, py = out[k, P], out[k, P + 1]
        at, found = lowest(sh, b, x, y, z, h, tau, px, py, out[k, GAP])
        kind, px, py, n0, n1, kappa, dist = found
        rise = z - at
        if kind == 0 or (dist < 0.0) != (inside < 0.0):
            continue
        p, q = turned_back(tau, at, x, y)
        rate = tau * (n0 * q - n1 * p)
        ends = abs(at) >= h and abs(dist * rate - rise) > SAME * h
        far = math.sqrt(dist * dist + rise * rise)
        gap = -far if inside < 0.0 else far
        if inside < 0.0 and (ends or over > gap):
            continue  # nearer to an end
        row = first + kept
        if k != row:
            copy_row(out, row, k)
        size = math.sqrt(1.0 + rate * rate)
        if ends:
            vector(out, row, N, dist * n0 / gap, dist * n1 / gap, rise / gap)
            vector(out, row, E1, -n1, n0, 0.0)
            # an edge: along it the normal turns as its part in the plane does
            if kind == 1:
                diagonal(out, row, UB, 1.0, 0.0, kappa * dist / gap, 1.0)
            else:
                diagonal(out, row, UB, 0.0, 0.0, 1.0, 1.0)
        else:
            vector(out, row, N, n0 / size, n1 / size, rate / size)
            on_helicoid(out, row, tau, (kind, px, py, n0, n1, kappa), rate)
        vector(out, row, P, px, py, at)
        out[row, GAP] = gap - r
        spin(out, row, math.cos(tau * at), math.sin(tau * at))
        known = not gap - r < reach
        for j in range(first, row):
            d = (
                abs(out[j, P] - out[row, P])
                + abs(out[j, P + 1] - out[row, P + 1])
                + abs(out[j, P + 2] - out[row, P + 2])
            )
            known = known or d < SAME * (rho + h)
        if not known:
            kept += 1
    if kept == 0 and inside < 0.0:
        end_face(sh, b, out, first, u, v, z)
        spin(out, first, math.cos(tau * level), math.sin(tau * level))
        return ball(sh, a, b, reach, out, first)
    for k in range(first, first + kept):
        to_ground(sh, b, out, k)
        out[k, WEIGHT] = 1.0
        diagonal(out, k, UA, r, r, 1.0, 1.0)
    return kept


@jit
def contact(sh, a, b, reach, out, first, limit):
    x, y, z = centre(sh, a, b)
    r = sh.par[a, 0]
    h = sh.par[b, 0]
    over = abs(z) - h
    if not over - r < reach:
        return 0
    if sh.par[b, 1] != 0.0:
        return twisted(sh, a, b, reach, out, first, min(limit, POINTS))
    limit = min(limit, POINTS)
    o = sh.first[b, 2]
    d = r + max(reach, 0.0)
    if sh.first[b, 3] > 0 and not (
        sh.node[o, 0] - d < x and x < sh.node[o, 3] + d and sh.node[o, 1] - d < y and y < sh.node[o, 4] + d
    ):
        return 0
    inside = side_of(sh, b, x, y)
    if inside < 0.0 and over > inside:  # above an end, or nearer to it than to the side
        end_face(sh, b, out, first, x, y, z)
        return ball(sh, a, b, reach, out, first)
    if over > 0.0:  # the rim
        d = r + reach
        if not d > over:
            return 0
        n = collect(sh, b, x, y, 0.0, math.sqrt(d * d - over * over) if d < math.inf else d, out, first, limit)
    else:
        n = collect(sh, b, x, y, r, reach, out, first, limit)
    for k in range(first, first + n):
        if over > 0.0:
            up = 1.0 if z > 0.0 else -1.0
            g = out[k, GAP]
            dist = math.sqrt(g * g + over * over)
            n0, n1 = out[k, N] * g / dist, out[k, N + 1] * g / dist
            vector(out, k, N, n0, n1, up * over / dist)
            out[k, P + 2] = up * h
            out[k, GAP] = dist - r
            # an edge: along it the normal turns as its part in the plane does
            out[k, VB] *= g / dist if out[k, UB] > 0.0 else 1.0
            out[k, UB + 2], out[k, VB + 2] = 0.0, 1.0
        else:
            out[k, P + 2] = z
        to_ground(sh, b, out, k)
        out[k, WEIGHT] = 1.0
        diagonal(out, k, UA, r, r, 1.0, 1.0)
    return n
