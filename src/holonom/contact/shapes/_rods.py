"""Sides of long round bodies (cylinders, capsules, bores) against each other.

Crossed axes touch in one point; parallel ones along a line, which two points carry, at the ends of the length that they
share, half of the force law each.  Between them (lateral offset of the ends 0.01 to 0.05 of the sum of radii, or tilt
0.05 to 0.15) the share of the single point grows smoothly from 0 to 1: there the three gaps are nearly the same and the
force is an energy's to that degree.
"""

from __future__ import annotations

import math

from ..._jit import jit
from ..tables import E1, FEATURE, GAP, UA, UB, WEIGHT
from ._point import aligned, axis, centre, diagonal, exchange, local, tangent, to_ground, vector


@jit
def circle_to_axis(cx, cy, ex, ey, fx, fy, sigma):
    """Angle of the point c + e cos + f sin (seen along the axis z; e and f are r times unit vectors) that is nearest to
    the axis (sigma 1) or farthest from it (sigma -1)."""
    best = 0
    value = 0.0
    for i in range(8):
        angle = 0.7853981633974483 * i
        x = cx + ex * math.cos(angle) + fx * math.sin(angle)
        y = cy + ey * math.cos(angle) + fy * math.sin(angle)
        v = sigma * (x * x + y * y)
        if i == 0 or v < value:
            best = i
            value = v
    angle = 0.7853981633974483 * best
    for _ in range(40):
        co = math.cos(angle)
        si = math.sin(angle)
        px = ex * co + fx * si
        py = ey * co + fy * si
        tx = fx * co - ex * si
        ty = fy * co - ey * si
        slope = sigma * ((cx + px) * tx + (cy + py) * ty)
        bend = sigma * (tx * tx + ty * ty - (cx + px) * px - (cy + py) * py)
        if slope == 0.0:
            break
        step = -slope / bend if bend > 0.0 else (-0.3 if slope > 0.0 else 0.3)
        step = min(max(step, -0.4), 0.4)
        angle += step
        if abs(step) < 1e-15:
            break
    return angle


@jit
def station(sh, a, b, out, k, end, ra, rb, ball, sigma):
    """The end of rod a at `end` along its axis, a rim or a ball of radius ra, against the side of b (sigma 1) or of the
    bore b (-1), of radius rb and without end: row k, in ground."""
    cx, cy, cz = centre(sh, a, b)
    ux, uy, uz = axis(sh, a, b)
    x, y, z = cx + end * ux, cy + end * uy, cz + end * uz
    ex = ey = ez = fx = fy = fz = 0.0
    if not ball:
        ex, ey, ez = tangent(ux, uy, uz)
        fx, fy, fz = uy * ez - uz * ey, uz * ex - ux * ez, ux * ey - uy * ex
        angle = circle_to_axis(x, y, ra * ex, ra * ey, ra * fx, ra * fy, sigma)
        co = math.cos(angle)
        si = math.sin(angle)
        ex, ey, ez, fx, fy, fz = (
            co * ex + si * fx,
            co * ey + si * fy,
            co * ez + si * fz,
            co * fx - si * ex,
            co * fy - si * ey,
            co * fz - si * ez,
        )
        x += ra * ex
        y += ra * ey
        z += ra * ez
    rho = math.sqrt(x * x + y * y)
    c = x / rho if rho > 0.0 else 1.0
    s = y / rho if rho > 0.0 else 0.0
    gap = sigma * (rho - rb) - (ra if ball else 0.0)
    local(out, k, rb * c, rb * s, z, sigma * c, sigma * s, 0.0, gap, 0.0)
    vector(out, k, E1, 0.0, 0.0, 1.0)
    if ball:
        diagonal(out, k, UA, ra, ra, 1.0, 1.0)
    else:
        # tangent of the rim, less what little of it is along n when the axes lie askew
        along = sigma * (c * fx + s * fy)
        fx -= along * sigma * c
        fy -= along * sigma * s
        size = math.sqrt(fx * fx + fy * fy + fz * fz)
        if not size > 1e-12:  # the rim goes through the axis: no direction is the right one
            fx, fy, fz, size = 0.0, 0.0, 1.0, 1.0
        v = -sigma * (c * ex + s * ey)
        aligned(out, k, UA, fx / size, fy / size, fz / size, ra, 0.0, v, 1.0)
    diagonal(out, k, UB, 1.0, rb, 0.0, sigma)
    to_ground(sh, b, out, k)
    out[k, WEIGHT] = 1.0


@jit
def sides(sh, a, b, out, k, t, ra, rb):
    """Sides of crossed rods at position t on the axis of a: row k, in ground."""
    cx, cy, cz = centre(sh, a, b)
    ux, uy, uz = axis(sh, a, b)
    x, y = cx + t * ux, cy + t * uy
    d = math.sqrt(x * x + y * y)
    if d > 0.0:
        c, s = x / d, y / d
    else:
        size = math.sqrt(ux * ux + uy * uy)
        c, s = uy / size, -ux / size
    local(out, k, rb * c, rb * s, cz + t * uz, c, s, 0.0, d - ra - rb, 4.0)
    vector(out, k, E1, 0.0, 0.0, 1.0)
    aligned(out, k, UA, ux, uy, uz, 1.0, ra, 0.0, 1.0)
    diagonal(out, k, UB, 1.0, rb, 0.0, 1.0)
    to_ground(sh, b, out, k)
    out[k, WEIGHT] = 1.0


@jit
def end_station(sh, a, b, out, k, upper, sizes, balla, ballb, sigma):
    """Row k at one end of the length that rods a and b share: the end of the one that ends first against the side of
    the other."""
    ra, ha, rb, hb = sizes
    _, _, cz = centre(sh, a, b)
    _, _, uz = axis(sh, a, b)
    way = 1.0 if uz >= 0.0 else -1.0
    sign = 1.0 if upper else -1.0
    number = 2.0 if upper else 0.0
    if sign * cz + ha * abs(uz) <= hb:
        station(sh, a, b, out, k, sign * way * ha, ra, rb, balla, sigma)
        out[k, FEATURE] = number
    else:
        station(sh, b, a, out, k, sign * hb, rb, ra, ballb, 1.0)
        exchange(out, k)
        out[k, FEATURE] = number + 1.0


@jit
def shared(sh, a, b, ra, ha, rb, hb):
    """(share of the single point, its position on the axis of a, whether it lies on both rods, length that they share,
    sine of the angle)."""
    cx, cy, cz = centre(sh, a, b)
    ux, uy, uz = axis(sh, a, b)
    s2 = ux * ux + uy * uy
    s = math.sqrt(s2)
    length = min(cz + ha * abs(uz), hb) - max(cz - ha * abs(uz), -hb)
    x = max((0.5 * length * s / (ra + rb) - 0.01) / 0.04, (s - 0.05) / 0.1)
    if x <= 0.0:
        return 0.0, 0.0, False, length, s
    w = 1.0 if x >= 1.0 else x * x * (3.0 - 2.0 * x)
    t = -(cx * ux + cy * uy) / s2
    inside = abs(t) <= ha and abs(cz + t * uz) <= hb
    return w, t, inside, length, s


@jit
def rods(sh, a, b, reach, out, first, limit, sizes, balla, ballb):
    """Points of the sides of two rods, from outside; -1 where it is not a matter of their sides."""
    ra, ha, rb, hb = sizes
    w, t, inside, length, s = shared(sh, a, b, ra, ha, rb, hb)
    n = 0
    if w < 1.0 or (not inside and s < 0.15):
        if length < 0.0:
            return -1
        up = 0.5 * (1.0 - w)
        down = up
        if w > 0.0 and not inside:
            # the single point has run off an end: that end has its share
            _, _, cz = centre(sh, a, b)
            _, _, uz = axis(sh, a, b)
            high = min(cz + ha * abs(uz), hb)
            if cz + t * uz > high - 0.5 * length:
                up += w
            else:
                down += w
        for upper in range(2):
            weight = up if upper == 1 else down
            if n < limit and weight > 0.0:
                end_station(sh, a, b, out, first + n, upper == 1, (ra, ha, rb, hb), balla, ballb, 1.0)
                out[first + n, WEIGHT] = weight
                if out[first + n, GAP] < reach:
                    n += 1
        if w > 0.0 and inside and n < limit:
            sides(sh, a, b, out, first + n, t, ra, rb)
            out[first + n, WEIGHT] = w
            if out[first + n, GAP] < reach:
                n += 1
        return n
    if not inside:
        return -1
    sides(sh, a, b, out, first, t, ra, rb)
    return 1 if out[first, GAP] < reach else 0
