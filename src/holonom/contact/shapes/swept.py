"""Shapes that a ball sweeps, against anything that a ball can meet: torus (a circle), capsule (a line), cylinder (a
line and two rims).

The gap g(s) of the ball at c(s) has the slope n . c', n the normal that the kernel of the ball gives, so its smallest
values are found by samples and false position on n . c' = 0, to rounding: the points of contact are exact where those
of the ball are.  The samples lie where the ball can reach the bounding sphere of the other shape: a long rod in a small
ring touches both of its edges, which lie nearer to each other than samples over its whole length.  The surface of a
swept shape bends by R + r v along its circle (v: how far its outward normal looks away from the axis) and by r across;
a line not at all.

A ring that lies flat carries a quarter of the force law at its deepest point and at the three quarters from it; a line,
or part of a ring, that lies along something carries half at both ends of what lies.  The weight goes over to the
deepest point alone from a mean slope of 0.05 to 0.15 of a whole ring, of 0.005 to 0.01 of a line.  A ring that is
pressed all round (in a bore) has its quarters with full weight, as places of their own. End faces of cylinders take
part by their rims.  What lies deeper inside than the kernel of the ball sees is not found.
"""

from __future__ import annotations

import math

from ..._jit import jit
from ..tables import FEATURE, GAP, UA, WEIGHT, N
from ..traits import DRUM, NOT_ROLLED, RING, ROLL, core
from ._address import ROLLED, call
from ._mesh import share_out
from ._point import aligned, back, copy_row, diagonal, exchange, make_unique, nearby, smooth, turn

POINTS = 18
ROOM = 6  # rows that the kernel of a ball may need
CIRCLE, LINE = 24, 17  # samples
FAR = 1e300
LEVEL = 1e-6  # slope: what is less level than this leads to another least gap
DEEPEST = 0.02  # least share of the deepest point


@jit
def ball(sh, q, o, x, y, z, reach, out, row, limit):
    """(rows, deepest row) of ball q at (x, y, z) in ground against shape o."""
    f = sh.frame[q]
    sh.fr.p[f, 0] = x
    sh.fr.p[f, 1] = y
    sh.fr.p[f, 2] = z
    n = call(sh.link[sh.first[q, 0] + sh.kind[o], 0], (sh, q, o, reach, out, row, limit))
    best = row
    for k in range(row + 1, row + n):
        if out[k, GAP] < out[best, GAP]:
            best = k
    return n, best


@jit
def slope(sh, q, o, x, y, z, tx, ty, tz, reach, out, row):
    """(gap, n . t) of the ball at (x, y, z); a gap of FAR where nothing is within reach."""
    n, k = ball(sh, q, o, x, y, z, reach, out, row, ROOM)
    if n == 0:
        return FAR, 0.0
    return out[k, GAP], out[k, N] * tx + out[k, N + 1] * ty + out[k, N + 2] * tz


@jit
def put(sh, pair, point, tangent, radial, arc, share, reach, out, first, n, limit):
    """Points of the ball at (x, y, z), t the tangent of the path there; ring: radius of the circle about the axis
    against d (0: a line; end: 1, -1: its end, where the ball continues along t or -t).  New number of points."""
    q, o = pair
    x, y, z = point
    tx, ty, tz = tangent
    dx, dy, dz = radial
    ring, end = arc
    weight, label = share
    most = limit - n
    if most < ROOM or not weight > 0.0:
        return n
    got, best = ball(sh, q, o, x, y, z, reach, out, first + n, ROOM)
    r = sh.par[q, 0]
    kept = first + n
    deepest = out[best, GAP] if got > 0 else 0.0
    for k in range(first + n, first + n + got):
        along = out[k, N] * tx + out[k, N + 1] * ty + out[k, N + 2] * tz
        if out[k, GAP] != deepest and (abs(along) > 0.1 if end == 0.0 else end * along > 0.1):
            continue  # nearer elsewhere on the path
        if k != kept:
            copy_row(out, kept, k)
        if ring > 0.0:
            v = -(out[kept, N] * dx + out[kept, N + 1] * dy + out[kept, N + 2] * dz)
            aligned(out, kept, UA, tx, ty, tz, ring + r * v, r, v, 1.0)
        elif end != 0.0:
            diagonal(out, kept, UA, r, r, 1.0, 1.0)
        else:
            aligned(out, kept, UA, tx, ty, tz, 1.0, r, 0.0, 1.0)
        out[kept, WEIGHT] = weight
        out[kept, FEATURE] = 10.0 * out[kept, FEATURE] + label
        n = kept - first + 1
        make_unique(out, first, n, kept)
        kept += 1
    return n


@jit
def on_path(sh, f, cx, cy, cz, r, s):
    """Position, tangent and radial direction at s: an angle of the circle of radius r in the xy plane of frame f about
    c; r = 0: along z from c."""
    if not r > 0.0:
        tx, ty, tz = turn(sh.fr.A, f, 0.0, 0.0, 1.0)
        return cx + s * tx, cy + s * ty, cz + s * tz, tx, ty, tz, 0.0, 0.0, 0.0
    co = math.cos(s)
    si = math.sin(s)
    dx, dy, dz = turn(sh.fr.A, f, co, si, 0.0)
    tx, ty, tz = turn(sh.fr.A, f, -si, co, 0.0)
    return cx + r * dx, cy + r * dy, cz + r * dz, tx, ty, tz, dx, dy, dz


@jit
def bounding(sh, q, o, reach):
    """(centre in ground, radius) of the ball in which the centre of ball q is nearer than ``reach`` to shape o; radius
    inf: anywhere, it has no bounds or is a stand-in, whose bounds are not kept."""
    f = sh.frame[o]
    x, y, z = turn(sh.fr.A, f, sh.centre[o, 0], sh.centre[o, 1], sh.centre[o, 2])
    size = sh.radius[o]
    r = size + sh.par[q, 0] + max(reach, 0.0) if size > 0.0 else math.inf
    return x + sh.fr.p[f, 0], y + sh.fr.p[f, 1], z + sh.fr.p[f, 2], r


@jit
def arc_near(sh, q, o, f, centre, r, reach):
    """(middle, half) of the angles of the circle of radius r about c where ball q may touch; half is pi where all of it
    may, negative where nothing does."""
    cx, cy, cz = centre
    x, y, z, far = bounding(sh, q, o, reach)
    if far == math.inf:
        return 0.0, math.pi
    x, y, z = back(sh.fr.A, f, x - cx, y - cy, z - cz)
    rho = math.sqrt(x * x + y * y)
    cosine = 0.5 * (r * r + x * x + y * y + z * z - far * far)
    if cosine <= -r * rho:
        return 0.0, math.pi
    if cosine >= r * rho:
        return 0.0, -1.0
    return math.atan2(y, x), math.acos(cosine / (r * rho))


@jit
def look(sh, q, o, f, cx, cy, cz, r, s, far, out, row):
    """(gap, slope n . t) at s of the path; a gap of FAR where nothing is within ``far``."""
    x, y, z, tx, ty, tz, _, _, _ = on_path(sh, f, cx, cy, cz, r, s)
    return slope(sh, q, o, x, y, z, tx, ty, tz, far, out, row)


@jit
def narrowed(low, high, a, b, side, s, d):
    """(low, high, a, b, side) behind a check of s, between low (slope a < 0) and high (slope b > 0), that found the
    slope d: the end on the other side counts half when it stays a second time (Illinois).  side: the end that was moved
    last, -1 low, 1 high, 0 none."""
    if d < 0.0:
        return s, high, d, 0.5 * b if side == -1 else b, -1
    return low, s, 0.5 * a if side == 1 else a, d, 1


@jit
def least_on_path(sh, q, o, f, centre, r, low, high, far, out, row):
    """Position between low and high of the minimum gap; the gap is less in their middle than at both, or one of them is
    an end of the path."""
    cx, cy, cz = centre
    g, a = look(sh, q, o, f, cx, cy, cz, r, low, far, out, row)
    h, b = look(sh, q, o, f, cx, cy, cz, r, high, far, out, row)
    width = high - low
    if not (a < 0.0 and b > 0.0):
        m = 0.5 * (low + high)
        least, d = look(sh, q, o, f, cx, cy, cz, r, m, far, out, row)
        if not (least < g and least < h):
            return low if a >= 0.0 and g <= h else (high if h <= g else low)
        if d < 0.0:
            low, a = m, d
        else:
            high, b = m, d
        # a crest lies between the middle and the end whose slope is wrong: both come nearer
        for _ in range(50):
            if a < 0.0 and b > 0.0:
                break
            m = 0.5 * (low + high)
            g, d = look(sh, q, o, f, cx, cy, cz, r, m, far, out, row)
            falls = a < 0.0  # the low end is the good one
            if (d > 0.0 if falls else d < 0.0) or not g < least:
                if falls:
                    high, b = m, d
                else:
                    low, a = m, d
            else:
                least = g
                if falls:
                    low, a = m, d
                else:
                    high, b = m, d
        if not (a < 0.0 and b > 0.0):
            return low if a < 0.0 else high
    s = 0.5 * (low + high)
    side = 0
    for i in range(60):
        s = (low * b - high * a) / (b - a) if i % 4 < 3 else 0.5 * (low + high)
        g, d = look(sh, q, o, f, cx, cy, cz, r, s, far, out, row)
        if abs(d) < 1e-15 or g == FAR:
            return s
        if high - low < 1e-14 * width:
            break
        low, high, a, b, side = narrowed(low, high, a, b, side, s, d)
    # where the normal jumps, that of the side which slopes less is nearer to how the gap changes
    _, a = look(sh, q, o, f, cx, cy, cz, r, low, far, out, row)
    _, b = look(sh, q, o, f, cx, cy, cz, r, high, far, out, row)
    return low if -a < b else high


@jit
def minimum(gaps, slopes):
    """(first, last) of three samples -1, 0, 1 between which a minimum gap lies, the same where none does: where the
    slope changes its sign from sample 0 to 1, or, if it does not before either, where sample 0 is the least.  So edges
    that lie in three samples are distinguished."""
    g0, g1, g2 = gaps
    a0, a1, a2 = slopes
    if g1 == FAR:
        return 0, 0
    if a1 < 0.0 and a2 >= 0.0 and g2 < FAR:
        return 0, 1
    if g1 <= g0 and g1 < g2 and not (a0 < 0.0 and a1 >= 0.0 and g0 < FAR):
        return -1, 1
    return 0, 0


@jit
def hidden(sh, q, o, f, centre, r, interval, gaps, slopes, far, out, row):
    """(low, high) in the interval between two samples with slopes of the same sign, between which a minimum gap lies;
    the same twice where none is seen.  Where the gap changes by less than the lesser of both slopes says, a crest lies
    between, and behind it the way down to another edge."""
    cx, cy, cz = centre
    low, high = interval
    g, h = gaps
    a, b = slopes
    length = r if r > 0.0 else 1.0
    for _ in range(4):
        if g == FAR or h == FAR or not a * b > 0.0:
            break
        gain = (h - g) / ((high - low) * length)
        if not (gain < min(a, b) - 0.01 if a > 0.0 else gain > max(a, b) + 0.01):
            break
        m = 0.5 * (low + high)
        w, c = look(sh, q, o, f, cx, cy, cz, r, m, far, out, row)
        if w == FAR:
            break
        if a * c < 0.0:
            return (m, high) if a > 0.0 else (low, m)
        # the half that falls short of its slopes by more
        left = (w - g) / (0.5 * (high - low) * length) - (min(a, c) if a > 0.0 else max(a, c))
        right = (h - w) / (0.5 * (high - low) * length) - (min(c, b) if a > 0.0 else max(c, b))
        if (left < right) == (a > 0.0):
            high, h, b = m, w, c
        else:
            low, g, a = m, w, c
    return low, low


@jit
def level(sh, q, o, f, centre, r, low, high, far, out, row):
    """Position from low on towards high, before which the slope (upwards from low) does not pass 0.05; at high it
    does."""
    cx, cy, cz = centre
    sign = 1.0 if high > low else -1.0
    for _ in range(24):
        half = 0.5 * (low + high)
        g, d = look(sh, q, o, f, cx, cy, cz, r, half, far, out, row)
        if g == FAR or sign * d > 0.05:
            high = half
        else:
            low = half
    return low


@jit
def middle(tilt):
    """Share of the deepest point of what lies along something with this mean slope; the rest goes to both ends.  It is
    never left out, since its gap is that of the pair, unless all is level."""
    return max(smooth(tilt, 0.01, 0.02), DEEPEST * smooth(tilt, LEVEL, 100.0 * LEVEL))


@jit
def circle(sh, q, o, f, centre, r, part, reach, out, first, n, limit):
    """Points of the ball q on the circle of radius r about c, in the xy plane of frame f: new number of points."""
    cx, cy, cz = centre
    weight, label = part
    if not r > 0.0:
        return put(
            sh,
            (q, o),
            (cx, cy, cz),
            (0.0, 0.0, 0.0),
            (0.0, 0.0, 0.0),
            (0.0, 1.0),
            (weight, label),
            reach,
            out,
            first,
            n,
            limit,
        )
    if limit - n < ROOM:
        return n
    row = first + n
    about, half = arc_near(sh, q, o, f, (cx, cy, cz), r, reach)
    if half < 0.0:
        return n
    step = 2.0 * math.pi / CIRCLE
    far = reach + r * step
    least = FAR
    most = -FAR
    at = 0
    tilt = 1.0
    _, seen = arc_near(sh, q, o, f, (cx, cy, cz), r, far)
    if seen == math.pi:  # else part of it sees nothing, so that it does not lie flat
        for i in range(CIRCLE):
            g, _ = look(sh, q, o, f, cx, cy, cz, r, i * step, far, out, row)
            if g < least:
                least = g
                at = i
            most = max(most, g)
        if least == FAR:
            return n
        if most < FAR:
            tilt = smooth((most - least) / (2.0 * r), 0.05, 0.15)
    flat = FAR  # the deepest point of what lies flat
    if tilt < 1.0:
        best = least_on_path(sh, q, o, f, (cx, cy, cz), r, (at - 1) * step, (at + 1) * step, far, out, row)
        x, y, z, tx, ty, tz, dx, dy, dz = on_path(sh, f, cx, cy, cz, r, best)
        got, k = ball(sh, q, o, x, y, z, FAR, out, row, ROOM)
        if got == 0:
            return n
        n0, n1, n2 = out[k, N], out[k, N + 1], out[k, N + 2]
        alike = 0.0
        for i in range(1, 4):
            x, y, z, tx, ty, tz, dx, dy, dz = on_path(sh, f, cx, cy, cz, r, best + 0.5 * math.pi * i)
            got, k = ball(sh, q, o, x, y, z, FAR, out, first + n, ROOM)
            if got == 0 or limit - n < ROOM:
                continue
            c = max(out[k, N] * n0 + out[k, N + 1] * n1 + out[k, N + 2] * n2, 0.0)
            alike += c * c / 3.0
            w = weight * (1.0 - tilt) * (1.0 - 0.75 * c * c)
            n = put(
                sh, (q, o), (x, y, z), (tx, ty, tz), (dx, dy, dz), (r, 0.0), (w, label + i), reach, out, first, n, limit
            )
        x, y, z, tx, ty, tz, dx, dy, dz = on_path(sh, f, cx, cy, cz, r, best)
        w = weight * (1.0 - 0.75 * (1.0 - tilt) * alike)
        n = put(sh, (q, o), (x, y, z), (tx, ty, tz), (dx, dy, dz), (r, 0.0), (w, label), reach, out, first, n, limit)
        if not tilt > 0.0:
            return n
        flat = best
    inner, near = arc_near(sh, q, o, f, (cx, cy, cz), r, 0.0)
    # first where it may touch, by steps that do not depend on the reach, so that what touches does not either
    for zone in range(2):
        arc = near if zone == 0 else half
        if arc <= 0.0 or (zone == 1 and (near == math.pi or not reach > 0.0)):
            continue
        step = 2.0 * math.pi / CIRCLE
        begin = 0.0
        if arc < math.pi:
            step = 2.0 * arc / (CIRCLE + 1)
            begin = (inner if zone == 0 else about) - arc + step
        far = reach + r * step
        g0 = g1 = g2 = FAR
        a0 = a1 = a2 = 0.0
        done = -FAR  # what is dealt with, round the circle
        end = FAR
        for i in range(-1, CIRCLE + 1):
            g0, a0 = g1, a1
            g1, a1 = g2, a2
            g2, a2 = look(sh, q, o, f, cx, cy, cz, r, begin + i * step, far, out, first + n)
            if i < 1:
                continue
            first_of, last_of = minimum((g0, g1, g2), (a0, a1, a2))
            low, high = begin + (i - 1 + first_of) * step, begin + (i - 1 + last_of) * step
            if low == high:
                low, high = hidden(
                    sh, q, o, f, (cx, cy, cz), r, (low, low + step), (g1, g2), (a1, a2), far, out, first + n
                )
            if low == high:
                continue
            angle = least_on_path(sh, q, o, f, (cx, cy, cz), r, low, high, far, out, first + n)
            if angle <= done or angle >= end or (zone == 1 and near > 0.0 and math.cos(angle - inner) > math.cos(near)):
                continue
            x, y, z, tx, ty, tz, dx, dy, dz = on_path(sh, f, cx, cy, cz, r, angle)
            g, _ = slope(sh, q, o, x, y, z, tx, ty, tz, FAR, out, first + n)
            lo, a = level_on_path(sh, q, o, f, (cx, cy, cz), r, (angle, g), -step, angle - math.pi, far, out, first + n)
            hi, b = level_on_path(sh, q, o, f, (cx, cy, cz), r, (angle, g), step, angle + math.pi, far, out, first + n)
            if done == -FAR:
                end = lo + 2.0 * math.pi
            done = hi
            if flat < FAR and math.cos(angle - flat) > math.cos(1e-3):
                continue  # it has its share
            share = middle(2.0 * (max(a, b) - g) / (r * (hi - lo))) if hi - lo > 1e-3 else 1.0
            n = put(
                sh,
                (q, o),
                (x, y, z),
                (tx, ty, tz),
                (dx, dy, dz),
                (r, 0.0),
                (weight * tilt * share, label),
                reach,
                out,
                first,
                n,
                limit,
            )
            for way in range(2):
                x, y, z, tx, ty, tz, dx, dy, dz = on_path(sh, f, cx, cy, cz, r, lo if way == 0 else hi)
                w = 0.5 * weight * tilt * (1.0 - share)
                n = put(
                    sh,
                    (q, o),
                    (x, y, z),
                    (tx, ty, tz),
                    (dx, dy, dz),
                    (r, 0.0),
                    (w, label + 1 + way),
                    reach,
                    out,
                    first,
                    n,
                    limit,
                )
            if limit - n < ROOM:
                return n
    return n


@jit
def level_on_path(sh, q, o, f, centre, r, begin, step, to, far, out, row):
    """(position, gap) from the position ``start`` with the gap ``least`` on by steps, no farther than ``to``: as far as
    the path lies along the other, to where the slope passes 0.05, and not into a position where the gap is less."""
    cx, cy, cz = centre
    start, least = begin
    sign = 1.0 if step > 0.0 else -1.0
    low = start
    while sign * (to - low) > 1e-12 * abs(step):
        high = low + step if sign * (low + step) < sign * to else to
        g, d = look(sh, q, o, f, cx, cy, cz, r, high, far, out, row)
        if g < least - LEVEL * abs(step) * (r if r > 0.0 else 1.0):
            break
        if g == FAR or sign * d > 0.05:
            low = level(sh, q, o, f, (cx, cy, cz), r, low, high, far, out, row)
            break
        low = high
    g, _ = look(sh, q, o, f, cx, cy, cz, r, low, FAR, out, row)
    return low, g


@jit
def point(sh, s, q, o, u, weight, label, reach, out, first, n, limit):
    """Points of the rod s at the position u of its axis: its ball, or at the end of a cylinder its rim."""
    f = sh.frame[s]
    r, h = sh.par[s, 0], sh.par[s, 1]
    ex, ey, ez = turn(sh.fr.A, f, 0.0, 0.0, 1.0)
    x, y, z = sh.fr.p[f, 0] + u * ex, sh.fr.p[f, 1] + u * ey, sh.fr.p[f, 2] + u * ez
    end = 0.0
    if abs(u) >= h * (1.0 - 1e-12):
        end = 1.0 if u > 0.0 else -1.0
        if core(sh, s) == DRUM:
            sh.par[q, 0] = 0.0
            n = circle(sh, q, o, f, (x, y, z), r, (weight, label), reach, out, first, n, limit)
            sh.par[q, 0] = r
            return n
    return put(
        sh, (q, o), (x, y, z), (ex, ey, ez), (0.0, 0.0, 0.0), (0.0, end), (weight, label), reach, out, first, n, limit
    )


@jit
def line(sh, s, q, o, reach, out, first, limit):
    """Points of a capsule or cylinder s: number of points."""
    f = sh.frame[s]
    h = sh.par[s, 1]
    r = sh.par[s, 0]
    sh.par[q, 0] = r
    cx, cy, cz = sh.fr.p[f, 0], sh.fr.p[f, 1], sh.fr.p[f, 2]
    ex, ey, ez = turn(sh.fr.A, f, 0.0, 0.0, 1.0)
    n = 0
    inner, outer = 1.0, -1.0
    # first where it may touch, by steps that do not depend on the reach, so that what touches does not either
    for zone in range(2):
        if zone == 1 and not reach > 0.0:
            continue
        x, y, z, size = bounding(sh, q, o, reach if zone == 1 else 0.0)
        start, to = -h, h
        if size < math.inf:
            start, to = nearby(cx - x, cy - y, cz - z, ex, ey, ez, size)
            start, to = max(start, -h), min(to, h)
        if start > to or (zone == 1 and start == inner and to == outer):
            continue
        if zone == 0:
            inner, outer = start, to
        step = (to - start) / (LINE - 1)
        far = reach + step
        g0 = g1 = g2 = FAR
        a0 = a1 = a2 = 0.0
        done = -FAR  # what is dealt with, along the axis
        for i in range(LINE + 1):
            g0, a0 = g1, a1
            g1, a1 = g2, a2
            g2, a2 = FAR, 0.0
            if i < LINE:
                g2, a2 = look(sh, q, o, f, cx, cy, cz, 0.0, start + i * step, far, out, first + n)
            if i < 1:
                continue
            first_of, last_of = minimum((g0, g1, g2), (a0, a1, a2))
            low = start + max(i - 1 + first_of, 0) * step
            high = start + min(i - 1 + last_of, LINE - 1) * step
            if low == high:
                low, high = hidden(
                    sh, q, o, f, (cx, cy, cz), 0.0, (low, low + step), (g1, g2), (a1, a2), far, out, first + n
                )
            if low == high:
                continue
            u = least_on_path(sh, q, o, f, (cx, cy, cz), 0.0, low, high, far, out, first + n)
            if u <= done or (zone == 1 and u >= inner - 1e-9 * h and u <= outer + 1e-9 * h):
                continue
            g, _ = look(sh, q, o, f, cx, cy, cz, 0.0, u, FAR, out, first + n)
            # how far it lies along the other
            lo, a = level_on_path(sh, q, o, f, (cx, cy, cz), 0.0, (u, g), -step, -h, far, out, first + n)
            hi, b = level_on_path(sh, q, o, f, (cx, cy, cz), 0.0, (u, g), step, h, far, out, first + n)
            done = hi
            share = 1.0
            if hi - lo > 1e-3 * h:
                share = middle(2.0 * (max(a, b) - g) / (hi - lo))
            n = point(sh, s, q, o, u, share, 0.0, reach, out, first, n, limit)
            n = point(sh, s, q, o, lo, 0.5 * (1.0 - share), 4.0, reach, out, first, n, limit)
            n = point(sh, s, q, o, hi, 0.5 * (1.0 - share), 5.0, reach, out, first, n, limit)
            if limit - n < ROOM:
                return n
    return n


@jit
def contact(sh, a, b, reach, out, first, limit):
    # tori first, then the rod that has a ball
    of_a = sh.par[a, ROLLED] > 0.0 and (
        ROLL[sh.kind[a]] == RING or ROLL[sh.kind[b]] != RING or not sh.par[b, ROLLED] > 0.0
    )
    s = a if of_a else b
    o = b if of_a else a
    q = int(sh.par[s, ROLLED])
    if q <= 0 or ROLL[sh.kind[s]] == NOT_ROLLED:
        return 0
    limit = min(limit, POINTS)
    if ROLL[sh.kind[s]] == RING:
        f = sh.frame[s]
        sh.par[q, 0] = sh.par[s, 1]
        n = circle(
            sh,
            q,
            o,
            f,
            (sh.fr.p[f, 0], sh.fr.p[f, 1], sh.fr.p[f, 2]),
            sh.par[s, 0],
            (1.0, 0.0),
            reach,
            out,
            first,
            0,
            limit,
        )
    else:
        n = line(sh, s, q, o, reach, out, first, limit)
    share_out(out, first, n, 1.0)
    if not of_a:
        for k in range(first, first + n):
            exchange(out, k)
    return n
