"""Shapes that a ball sweeps, against anything that a ball can meet: torus (a circle), capsule (a line), cylinder (a
line and two rims).

**Points.**  The gap g(s) of the ball at c(s) has the slope n . c', n the normal that the kernel of the ball gives.
Each of its local minima is a point of contact with a name of its own, found by samples and false position on n . c' = 0
to rounding, so that points are exact where those of the ball are.  Other feet that the ball has there are followed to
the minima of their own.  The samples lie where the ball can reach the bounding sphere of the other shape: a long rod in
a small ring touches both of its edges, which lie nearer to each other than samples over its whole length.  Where
the path passes an end of the other shape (of the width of a curve, or of an open curve) the gap ends: these positions
are known in closed form, and the path is searched between them.  The search goes outwards in passes (`top`) that do not
depend on the reach, and what is beyond the reach is left out at the end: a point has the same name, gap, normal and
weight whatever the reach.  The surface of a swept shape bends by R + r v along its circle (v: how far its outward
normal looks away from the axis) and by r across; a line not at all.

**Weights** are for compliant laws; constraints take points as they are.  A minimum carries the force law once, and
those that push the same way share it (`_mesh.share_out`).  It fades where it is about to vanish into a lower one: with
c the crest between both, from (c - g)/(c - g of the lower one) = 0.3 on.  A ring that lies flat carries a quarter of
the law at its deepest point and at the three quarters from it; a line, or part of a ring, that lies along something
carries half at both ends of what lies.  The weight goes over to the minima alone from a mean slope of 0.05 to 0.15 of a
ring, of 0.01 to 0.02 of a line.  A ring that is pressed all round (in a bore) has its quarters with full weight, as
places of their own. End faces of cylinders take part by their rims.

Where the middle of the ball is inside, the gap has kinks: between two faces the point is pushed across the path, along
the mean of both normals that has no part along it.  Behind an open curve what lies deeper than the radius is not found.
"""

from __future__ import annotations

import math

from ..._jit import jit
from ...elements.vectors import rotate, unrotate
from ..tables import E1, FEATURE, GAP, UA, UB, WEIGHT, N, P
from ..traits import DRUM, ENDLESS, NOT_ROLLED, PROFILED, RING, ROLL, core
from ._address import ROLLED, call
from ._curve import FREE
from ._curve import place as on_row
from ._mesh import share_out
from ._point import aligned, copied, copy_row, diagonal, exchange, make_unique, nearby, smooth, vector
from ._scratch import brackets, cuts, feet, places

POINTS = 24
ROOM = 6  # rows that the kernel of a ball may need
CIRCLE, LINE = 24, 16  # intervals between samples
SMOOTH = 0.1  # share of the change of a slope by which a smooth gap may differ from a parabola between samples
PARTS = 4  # of an interval in which there is a minimum
TURNS = 6  # halvings of an interval on whose ends the ball touches different runs of a profile
FAR = 1e300
FLAT = 1e-10  # slope that is roundoff
LEVEL = 1e-6  # slope: what is less level than this leads to another least gap
SLOPES = 0.01, 0.02  # mean slope of what lies from which, and at which, its minimum has the whole law
LIES = 0.05  # slope up to which a path lies along the other shape
BESIDE = 0.99  # square of the cosine of the angle to an edge up to which a path follows it
DEEPEST = 0.02  # least share of the deepest point
PASSES = 4  # of the search, to the gaps `top`
FADES = 0.3  # of the height of a crest over the lower minimum: below that height a minimum fades
ALONG = 1e-6  # n . t of a minimum that is none of a smooth gap
NEXT = 0.5  # n . t of another foot from which on its minimum is too far to belong to this place
#: columns of a minimum: position, gap, share (below 0: left to the ends of what lies level), gap up to which its pass
#: has seen, interval between its samples, whether it belongs to a group; of the group: ends, their share; whether the
#: path, or the other shape, ends there: before it (-1), behind it (1)
S, G, SHARE, SEEN, STEP, TAKEN, LOW, HIGH, ENDS, END = range(10)
MOST = 16  # minima of a path
CUT = 1e-12  # of a path: so far inside of an end of the other shape its ball is evaluated
ROD = 2.0  # an end of the rod itself, where the ball goes on along it


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


# ---- paths ----------------------------------------------------------------------------------------------------------
# (ball q, other shape o, frame f, centre in ground, r): the circle of radius r in the xy plane of frame f about the
# centre, by its angle; r = 0: the line along z through it, by its length
@jit
def on_path(sh, path, s):
    """Position, tangent and radial direction at s."""
    _, _, f, cx, cy, cz, r = path
    if not r > 0.0:
        tx, ty, tz = rotate(sh.fr.A, f, 0.0, 0.0, 1.0)
        return cx + s * tx, cy + s * ty, cz + s * tz, tx, ty, tz, 0.0, 0.0, 0.0
    co = math.cos(s)
    si = math.sin(s)
    dx, dy, dz = rotate(sh.fr.A, f, co, si, 0.0)
    tx, ty, tz = rotate(sh.fr.A, f, -si, co, 0.0)
    return cx + r * dx, cy + r * dy, cz + r * dz, tx, ty, tz, dx, dy, dz


@jit
def look(sh, path, s, far, work):
    """(gap, slope n . t) at s of the path; a gap of FAR where nothing is within ``far``.  work: rows for a ball."""
    x, y, z, tx, ty, tz, _, _, _ = on_path(sh, path, s)
    return slope(sh, path[0], path[1], x, y, z, tx, ty, tz, far, work, 0)


@jit
def look_at(sh, path, s, far, work):
    """As `look`, and what the other shape calls the place that the ball is nearest to."""
    x, y, z, tx, ty, tz, _, _, _ = on_path(sh, path, s)
    n, k = ball(sh, path[0], path[1], x, y, z, far, work, 0, ROOM)
    if n == 0:
        return FAR, 0.0, 0.0
    return work[k, GAP], work[k, N] * tx + work[k, N + 1] * ty + work[k, N + 2] * tz, work[k, FEATURE]


@jit
def unit(path):
    """Length of the path by its parameter."""
    return path[6] if path[6] > 0.0 else 1.0


@jit
def behind(path, s, other):
    """How far behind s, along the path, the position ``other`` lies: round a circle from 0 on to 2 pi."""
    d = other - s
    return d - 2.0 * math.pi * math.floor(d / (2.0 * math.pi)) if path[6] > 0.0 else d


@jit
def bounding(sh, q, o, reach):
    """(centre in ground, radius) of the ball in which the centre of ball q is nearer than ``reach`` to shape o; radius
    inf: anywhere, it has no bounds or is a stand-in, whose bounds are not kept."""
    f = sh.frame[o]
    x, y, z = rotate(sh.fr.A, f, sh.centre[o, 0], sh.centre[o, 1], sh.centre[o, 2])
    size = sh.radius[o]
    r = size + sh.par[q, 0] + max(reach, 0.0) if size > 0.0 else math.inf
    return x + sh.fr.p[f, 0], y + sh.fr.p[f, 1], z + sh.fr.p[f, 2], r


@jit
def zone(sh, path, h, reach):
    """(start, end) of the part of the path where its ball may be nearer than ``reach``; start > end: none is.  h: half
    length of a line, from the centre."""
    q, o, f, cx, cy, cz, r = path
    x, y, z, far = bounding(sh, q, o, reach)
    if not r > 0.0:
        if far == math.inf:
            return -h, h
        ex, ey, ez = rotate(sh.fr.A, f, 0.0, 0.0, 1.0)
        start, end = nearby(cx - x, cy - y, cz - z, ex, ey, ez, far)
        return max(start, -h), min(end, h)
    if far == math.inf:
        return 0.0, 2.0 * math.pi
    x, y, z = unrotate(sh.fr.A, f, x - cx, y - cy, z - cz)
    rho = math.sqrt(x * x + y * y)
    cosine = 0.5 * (r * r + x * x + y * y + z * z - far * far)
    if cosine <= -r * rho:
        return 0.0, 2.0 * math.pi
    if cosine >= r * rho:
        return 1.0, -1.0
    middle_, half = math.atan2(y, x), math.acos(cosine / (r * rho))
    return middle_ - half, middle_ + half


# ---- ends of the other shape on the path ----------------------------------------------------------------------------
@jit
def crossings(sh, path, plane, start, end, marks, m):
    """Positions between ``start`` and ``end`` where the path passes a plane (point and normal in the axes of the other
    shape), sorted into ``marks``: new number of marks."""
    _, o, f, cx, cy, cz, r = path
    px, py, pz, nx, ny, nz = plane
    g = sh.frame[o]
    nx, ny, nz = rotate(sh.fr.A, g, nx, ny, nz)
    px, py, pz = rotate(sh.fr.A, g, px, py, pz)
    c = (cx - px - sh.fr.p[g, 0]) * nx + (cy - py - sh.fr.p[g, 1]) * ny + (cz - pz - sh.fr.p[g, 2]) * nz
    a, b, t = unrotate(sh.fr.A, f, nx, ny, nz)
    ring = r > 0.0
    middle_, half = 0.0, 0.0
    if ring:
        size = r * math.sqrt(a * a + b * b)
        if not abs(c) < size:
            return m
        middle_, half = math.atan2(b, a), math.acos(-c / size)
    elif t != 0.0:
        middle_ = -c / t
    else:
        return m
    for k in range(2 if ring else 1):
        s = middle_ - half if k == 0 else middle_ + half
        if ring:
            s = start + behind(path, start, s)
        if start < s < end:
            i = m
            while i > 0 and marks[i - 1] > s:
                marks[i] = marks[i - 1]
                i -= 1
            marks[i] = s
            m += 1
    return m


@jit
def cut(sh, path, start, end, marks):
    """Positions between ``start`` and ``end`` where the path passes an end of the other shape, sorted: their number."""
    o = path[1]
    column = ENDLESS[sh.kind[o]]
    if column < 0:
        return 0
    m = 0
    h = 0.5 * sh.par[o, column]
    if h > 0.0:
        m = crossings(sh, path, (0.0, 0.0, -h, 0.0, 0.0, 1.0), start, end, marks, m)
        m = crossings(sh, path, (0.0, 0.0, h, 0.0, 0.0, 1.0), start, end, marks, m)
    i = sh.first[o, 0]
    if sh.seg[i, 9] == FREE:
        x, y, u, v, _, _ = on_row(sh, i, 0.0)
        m = crossings(sh, path, (x, y, 0.0, u, v, 0.0), start, end, marks, m)
        x, y, u, v, _, _ = on_row(sh, i + sh.first[o, 1] - 1, 1.0)
        m = crossings(sh, path, (x, y, 0.0, u, v, 0.0), start, end, marks, m)
    return m


@jit
def past(sh, path, s):
    """Does the position lie beyond the width of the other shape?"""
    o = path[1]
    column = ENDLESS[sh.kind[o]]
    if column < 0 or not sh.par[o, column] > 0.0:
        return False
    f = sh.frame[o]
    x, y, z, _, _, _, _, _, _ = on_path(sh, path, s)
    _, _, z = unrotate(sh.fr.A, f, x - sh.fr.p[f, 0], y - sh.fr.p[f, 1], z - sh.fr.p[f, 2])
    return abs(z) > 0.5 * sh.par[o, column]


# ---- minima ---------------------------------------------------------------------------------------------------------
@jit
def top(number, size):
    """The gap up to which pass ``number`` of a search finds all minima, in a scene of this size."""
    if number == 0:
        return 0.0
    return 0.1 * size * 8.0 ** (number - 1) if number < PASSES - 1 else FAR


@jit
def sinks(low, high):
    """Has the gap a local minimum between two positions (s, gap, slope)?  Where nothing is seen it is higher than
    anywhere else."""
    if low[1] == FAR and high[1] == FAR:
        return False
    falls = low[1] == FAR or low[2] < -FLAT
    rises = high[1] == FAR or high[2] > FLAT
    return (falls and (rises or high[1] >= low[1])) or (rises and low[1] >= high[1])


@jit
def narrowed(low, high, a, b, side, s, d):
    """(low, high, a, b, side) behind a check of s, between low (slope a < 0) and high (slope b > 0), that found the
    slope d: the end on the other side counts half when it stays a second time (Illinois).  side: the end that was moved
    last, -1 low, 1 high, 0 none."""
    if d < 0.0:
        return s, high, d, 0.5 * b if side == -1 else b, -1
    return low, s, 0.5 * a if side == 1 else a, d, 1


@jit
def root(sh, path, low, high, far, work):
    """(position, gap) between low and high, where the slope changes its sign from below to above 0; a gap of FAR where
    the path is not seen all along."""
    s0, _, a = low
    s1, _, b = high
    width = s1 - s0
    side = 0
    for i in range(60):
        s = (s0 * b - s1 * a) / (b - a) if i % 4 < 3 else 0.5 * (s0 + s1)
        g, d = look(sh, path, s, far, work)
        if abs(d) < 1e-15 or g == FAR:
            return s, g
        if s1 - s0 < 1e-14 * width:
            break
        s0, s1, a, b, side = narrowed(s0, s1, a, b, side, s, d)
    # where the normal jumps, that of the side which slopes less is nearer to how the gap changes
    g, a = look(sh, path, s0, far, work)
    h, b = look(sh, path, s1, far, work)
    return (s0, g) if -a < b else (s1, h)


@jit
def settle(sh, path, low, high, far, found, n, work):
    """The minima between two positions (s, gap, slope) that `sinks` knows of, into ``found``: new number of them."""
    pile = brackets()
    m = 0
    # two edges may lie nearer to each other than samples: first by parts of the interval
    part = high
    for i in range(PARTS - 1, -1, -1):
        before = low
        if i > 0:
            s = low[0] + (high[0] - low[0]) * i / PARTS
            g, d = look(sh, path, s, far, work)
            before = s, g, d
        if sinks(before, part):
            for c in range(3):
                pile[m, c], pile[m, 3 + c] = before[c], part[c]
            m += 1
        part = before
    if m == 0:
        for c in range(3):
            pile[0, c], pile[0, 3 + c] = low[c], high[c]
        m = 1
    while m > 0 and n < MOST:
        m -= 1
        low = pile[m, 0], pile[m, 1], pile[m, 2]
        high = pile[m, 3], pile[m, 4], pile[m, 5]
        width = high[0] - low[0]
        s, g = low[0], low[1]
        for _ in range(60):
            if low[1] < FAR and high[1] < FAR and low[2] < 0.0 and high[2] > 0.0:
                s, g = root(sh, path, low, high, far, work)
                if g < FAR:
                    break
            s = 0.5 * (low[0] + high[0])
            g, d = look(sh, path, s, far, work)
            half = s, g, d
            left, right = sinks(low, half), sinks(half, high)
            if left and right and m < pile.shape[0]:  # there are two
                for c in range(3):
                    pile[m, c], pile[m, 3 + c] = half[c], high[c]
                m += 1
            if not (left or right):
                if g < FAR and abs(d) <= FLAT:
                    break
                left = d >= 0.0
            if left:
                high = half
            else:
                low = half
            if high[0] - low[0] < 1e-14 * width:
                break
        if not g < FAR:
            s, g = (low[0], low[1]) if low[1] < high[1] else (high[0], high[1])
        if g < FAR:
            found[n, S], found[n, G], found[n, END] = s, g, 0.0
            n += 1
    return n


@jit
def bends(low, high, length):
    """By how much the mean slope between two positions (s, gap, slope) differs more from that of a parabola than smooth
    gaps make it."""
    gain = (high[1] - low[1]) / ((high[0] - low[0]) * length)
    return abs(gain - 0.5 * (low[2] + high[2])) - SMOOTH * abs(high[2] - low[2])


@jit
def between_runs(sh, path, low, high, names, far, work):
    """As `hidden`, between samples whose balls touch different runs of a profile (``names``): towards where one run
    follows on the other, since a third one may lie between them."""
    a, b = names
    for _ in range(TURNS):
        if a == b or low[1] == FAR or high[1] == FAR:
            break
        s = 0.5 * (low[0] + high[0])
        g, d, c = look_at(sh, path, s, far, work)
        half = s, g, d
        if sinks(low, half):
            return low, half
        if sinks(half, high):
            return half, high
        if c == a or (c != b and bends(low, half, unit(path)) < bends(half, high, unit(path))):
            low, a = half, c
        else:
            high, b = half, c
    return low, low


@jit
def hidden(sh, path, low, high, far, work):
    """(low, high) between two neighbouring samples (s, gap, slope), such that `sinks` knows of a minimum between them;
    else the same twice.  Where the gap does not change as both slopes say an edge lies between, or a crest, and behind
    it the way down to another edge."""
    length = unit(path)
    for _ in range(4):
        if low[1] == FAR or high[1] == FAR or not bends(low, high, length) > 0.01:
            break
        s = 0.5 * (low[0] + high[0])
        g, d = look(sh, path, s, far, work)
        if g == FAR:
            break
        half = s, g, d
        if sinks(low, half):
            return low, half
        if sinks(half, high):
            return half, high
        if bends(low, half, length) > bends(half, high, length):
            high = half
        else:
            low = half
    return low, low


@jit
def beyond(low, high, length, most):
    """Is the gap between two positions (s, gap, slope) surely more than ``most``?  It changes no faster than the
    path."""
    way = (high[0] - low[0]) * length
    if low[1] < FAR and high[1] < FAR:
        return 0.5 * (low[1] + high[1] - way) > most
    return min(low[1], high[1]) - way > most


@jit
def same(sh, path, s, g, far, found, k, work):
    """Is the minimum at s the one in row k?  Between two there is a crest."""
    length = unit(path)
    d = found[k, S] - s
    if path[6] > 0.0:
        d -= 2.0 * math.pi * math.floor(d / (2.0 * math.pi) + 0.5)
    if abs(d) < 1e-6 * found[k, STEP]:
        return True
    noise = 1e-12 * (abs(g) + sh.par[path[0], 0] + abs(d) * length)
    if abs(found[k, G] - g) > noise:
        return False
    for i in range(1, 4):
        h, _ = look(sh, path, s + 0.25 * i * d, far, work)
        if h > max(g, found[k, G]) + noise:
            return False
    return True


@jit
def explore(sh, path, part, most, found, n, work):
    """Minima with gaps below ``most`` on a part of the path (start, end, intervals, whether the path, or the other
    shape, ends where that starts, and where it ends): new number of minima."""
    start, end, count, begins, ends = part
    known = n
    length = unit(path)
    step = (end - start) / count
    far = min(most + step * length, FAR)
    whole = path[6] > 0.0 and end - start >= 2.0 * math.pi
    first = 0
    g, d, before = look_at(sh, path, start, far, work)
    if whole:  # from where it is not level
        while first < count and g < FAR and abs(d) <= FLAT:
            first += 1
            g, d, before = look_at(sh, path, start + first * step, far, work)
        if first == count:
            if n < MOST and n == 0:
                found[0, S], found[0, G], found[0, SEEN], found[0, STEP], found[0, END] = start, g, far, step, 0.0
                n = 1
            return n
    low = start + first * step, g, d
    last = low
    if begins and n < MOST and g < FAR and d >= -FLAT:
        if d > FLAT:
            found[n, S], found[n, G], found[n, END] = start, g, -1.0
            n += 1
        else:
            low = start, g, -2.0 * FLAT  # level from there on: it may rise
    for i in range(first + 1, first + count + 1):
        if n >= MOST:
            break
        s = end if i == count else start + i * step
        g, d, name = look_at(sh, path, s, far, work)
        if ends and i == count and g < FAR and abs(d) <= FLAT:
            d = 2.0 * FLAT
        high = s, g, d
        if g < FAR and abs(d) <= FLAT:
            drop = last[1] - g if last[1] < FAR else 0.0
            rest = LEVEL * (s - last[0]) * length
            level, last = last, high
            if drop > rest:  # a lower face, as level as the one before it: it may rise
                low = s, g, -2.0 * FLAT
            if not drop < -rest:
                continue
            if low[2] < -FLAT or low[1] == FAR:
                low = level[0], level[1], -2.0 * FLAT
            high = s, g, 2.0 * FLAT  # a higher one
        fresh = not beyond(low, high, length, most)
        for k in range(known):
            fresh = fresh and not 0.0 <= behind(path, low[0], found[k, S]) <= s - low[0]
        if fresh:
            if sinks(low, high):
                n = settle(sh, path, low, high, far, found, n, work)
            elif last[0] == low[0]:
                a, b = hidden(sh, path, low, high, far, work)
                if not a[0] < b[0] and name != before and PROFILED[sh.kind[path[1]]]:
                    a, b = between_runs(sh, path, low, high, (before, name), far, work)
                if a[0] < b[0]:
                    n = settle(sh, path, a, b, far, found, n, work)
        low = high
        last = high
        before = name
    if ends and low[0] == end and low[1] < FAR and low[2] < -FLAT and n < MOST:
        found[n, S], found[n, G], found[n, END] = end, low[1], 1.0
        n += 1
    kept = known
    for k in range(known, n):
        s, g = found[k, S], found[k, G]
        new = g < most
        for j in range(kept):
            new = new and not same(sh, path, s, g, far, found, j, work)
        if new:
            found[kept, S], found[kept, G], found[kept, SEEN], found[kept, STEP] = s, g, far, step
            found[kept, END] = found[k, END]
            kept += 1
    return kept


@jit
def minima(sh, path, h, size, reach, found, work):
    """All local minima of the gap on the path with gaps below ``reach``, and some others, into ``found``: their
    number."""
    n = 0
    line = path[6] == 0.0
    count = LINE if line else CIRCLE
    inner = CUT * (2.0 * h if line else 2.0 * math.pi)
    marks = cuts()
    for number in range(PASSES):
        if number > 0 and not reach > top(number - 1, size):
            break
        most = top(number, size)
        start, end = zone(sh, path, h, most)
        if not start < end:
            continue
        begins, ends = line and start == -h, line and end == h
        m = cut(sh, path, start, end, marks)
        if m == 0:
            n = explore(sh, path, (start, end, count, begins, ends), most, found, n, work)
            continue
        first = 0
        if not line and end - start >= 2.0 * math.pi:  # round from the first end on
            start, end, begins, ends, first = marks[0], marks[0] + 2.0 * math.pi, True, True, 1
        low = start
        for k in range(first, m + 1):
            high = marks[k] if k < m else end
            if not past(sh, path, 0.5 * (low + high)):
                a, b = begins or k > first, ends or k < m
                p, q = low + (inner if k > 0 else 0.0), high - (inner if first > 0 or k < m else 0.0)
                pieces = max(PARTS, int(math.ceil(count * (high - low) / (end - start))))
                if p < q:
                    n = explore(sh, path, (p, q, pieces, a, b), most, found, n, work)
            low = high
    return n


# ---- weights --------------------------------------------------------------------------------------------------------
@jit
def fading(sh, path, found, n, k, work):
    """Weight of minimum k, from 0 where it vanishes into a lower one next to it to 1, by how high the crest between
    both is over it."""
    g = found[k, G]
    least = 1.0
    for side in range(2):
        sign = 2.0 * side - 1.0
        other = -1
        way = FAR
        for j in range(n):
            if not found[j, G] < g:
                continue
            d = behind(path, found[k, S], found[j, S]) if side == 1 else behind(path, found[j, S], found[k, S])
            if 0.0 < d < way:
                other, way = j, d
        if other < 0:
            continue
        lower = found[other, G]
        far = max(found[k, SEEN], found[other, SEEN])
        low, high = 0.0, way
        share = 0.0
        for i in range(27):
            u = 0.25 * (1 + i) * way if i < 3 else 0.5 * (low + high)  # a few places show that most are high enough
            c, d = look(sh, path, found[k, S] + sign * u, far, work)
            share = max(share, 1.0 if c == FAR else (c - g) / (c - lower) if c > g else 0.0)
            if share >= FADES:
                break
            if i >= 3:
                if sign * d > 0.0:
                    low = u
                else:
                    high = u
        least = min(least, smooth(share, 0.0, FADES))
    return least


@jit
def lies(sh, path, begin, step, to, far, work):
    """(position, gap) from the position ``start`` with the gap ``least`` on by steps, no farther than ``to``: as far as
    the path lies along the other, to where the slope passes +-`LIES`, and not into a position where the gap is less."""
    start, least = begin
    sign = 1.0 if step > 0.0 else -1.0
    length = unit(path)
    low, gap, a = start, least, -LIES
    while sign * (to - low) > 1e-12 * abs(step):
        high = low + step if sign * (low + step) < sign * to else to
        g, d = look(sh, path, high, far, work)
        if g < least - LEVEL * abs(step) * length:
            break
        b = abs(d) - LIES
        if g < FAR and not b > 0.0:
            if not abs(g - gap) > LIES * length * abs(high - low):
                low, gap, a = high, g, b
                continue
            for _ in range(40):  # it slopes more between both: to such a position
                s = 0.5 * (low + high)
                c, d = look(sh, path, s, far, work)
                if c == FAR or abs(d) > LIES:
                    high, g, b = s, c, abs(d) - LIES
                    break
                if abs(c - gap) > LIES * length * abs(s - low):
                    high, g = s, c
                else:
                    low, gap, a = s, c, abs(d) - LIES
            if g < FAR and not b > 0.0:
                break
        side = 0
        for i in range(24):
            if g == FAR or i % 4 == 3:
                s = 0.5 * (low + high)
            else:
                s = (low * b - high * a) / (b - a)
            if sign * (high - low) < 1e-9 * abs(step):
                break
            c, d = look(sh, path, s, far, work)
            if c == FAR:
                high, g = s, c
                continue
            d = abs(d) - LIES
            if g == FAR and d > 0.0:
                high, g, b = s, c, d
                continue
            if not d > 0.0:
                gap = c
            low, high, a, b, side = narrowed(low, high, a, b, side, s, d if d != 0.0 else -1e-300)
            g = min(g, c)
        break
    return low, gap


@jit
def pinned(sh, path, s, work):
    """(whether the ball at s touches an edge or corner of the other shape that the path goes over, its gap, slope, and
    name)."""
    x, y, z, tx, ty, tz, _, _, _ = on_path(sh, path, s)
    n, k = ball(sh, path[0], path[1], x, y, z, FAR, work, 0, ROOM)
    if n == 0:
        return False, FAR, 0.0, 0.0
    g, name = work[k, GAP], work[k, FEATURE]
    a, b, c = work[k, E1], work[k, E1 + 1], work[k, E1 + 2]
    u, v, w = work[k, N], work[k, N + 1], work[k, N + 2]
    d = u * tx + v * ty + w * tz
    e1 = a * tx + b * ty + c * tz
    e2 = (v * c - w * b) * tx + (w * a - u * c) * ty + (u * b - v * a) * tz
    p, q, r = work[k, UB], work[k, UB + 1], work[k, UB + 2]
    if p * r - q * q > 1e-12 * (p + r) ** 2:
        return False, g, d, name
    x, y = p * e1 + q * e2, q * e1 + r * e2  # none across an edge
    return x * x + y * y <= BESIDE * (p + r) ** 2, g, d, name


@jit
def clipped(sh, path, end, centre, work):
    """(position, gap) where what lies along the other shape ends: at the edge that its ball goes round at ``end``, the
    (position, gap) where that slopes by `LIES`; as far as the face before it slopes less.  centre: of what lies."""
    s, gap = end
    held, g, d, name = pinned(sh, path, s, work)
    if not held or not g < FAR:
        return s, gap
    here, _, _, other = pinned(sh, path, centre, work)
    if here and other == name:  # all of it is one edge
        return s, gap
    low, high, g = s, centre, gap
    for _ in range(50):
        if abs(high - low) < 1e-13 * abs(centre - s):
            break
        u = 0.5 * (low + high)
        held, h, e, other = pinned(sh, path, u, work)
        if held and other == name:
            low, g, d = u, h, e
        else:
            high = u
    share = smooth(LIES - abs(d), 0.0, 0.6 * LIES)
    u = s + share * (low - s)
    if share < 1.0:
        g, d = look(sh, path, u, FAR, work)
    return u, g


@jit
def middle(least, low, high, length):
    """Share of the minima of what lies along something, by the gaps of the least and of the nearer and the farther end;
    the rest goes to both ends.  Where the least is nearer than both ends it is never left out unless all is level,
    since its gap is that of the pair; where it is an end it has no more than the other end has."""
    tilt = 2.0 * (high - least) / length
    share = smooth(tilt, SLOPES[0], SLOPES[1])
    if low > least:
        share = max(
            share, DEEPEST * smooth(tilt, LEVEL, 100.0 * LEVEL) * smooth((low - least) / (high - least), 0.0, 0.3)
        )
    return share


@jit
def weigh(sh, path, h, short, found, n, work):
    """Shares of n minima and of the ends of what lies level about them: each group about its lowest one, in the row of
    that.  h: half length of a line; ``short``: what is no longer lies nowhere."""
    length = unit(path)
    for k in range(n):
        found[k, TAKEN] = 0.0
        found[k, ENDS] = 0.0
        found[k, SHARE] = fading(sh, path, found, n, k, work) if n > 1 else 1.0
    for _ in range(n):
        k = -1
        for j in range(n):
            if found[j, TAKEN] == 0.0 and (k < 0 or found[j, G] < found[k, G]):
                k = j
        if k < 0:
            break
        s, g, far, step = found[k, S], found[k, G], found[k, SEEN], found[k, STEP]
        back_to, on_to = (s - math.pi, s + math.pi) if path[6] > 0.0 else (-h, h)
        low, a = lies(sh, path, (s, g), -step, back_to, far, work)
        high, b = lies(sh, path, (s, g), step, on_to, far, work)
        share = 1.0
        if high - low > short and max(a, b) < FAR:
            centre = 0.5 * (low + high)
            low, a = clipped(sh, path, (low, a), centre, work)
            high, b = clipped(sh, path, (high, b), centre, work)
            share = middle(g, min(a, b), max(a, b), length * (high - low))
        found[k, LOW], found[k, HIGH], found[k, ENDS] = low, high, 0.5 * (1.0 - share)
        for j in range(n):
            if j == k or (found[j, TAKEN] == 0.0 and 0.0 <= behind(path, low, found[j, S]) < high - low):
                found[j, TAKEN] = 1.0
                found[j, SHARE] = found[j, SHARE] * share if share > 0.0 else -1.0


# ---- rows -----------------------------------------------------------------------------------------------------------
@jit
def bend(sh, path, s, end, out, k):
    """Curvature of the swept shape at row k.  end: 1, -1: at the end of a line, where the ball continues along it or
    against it."""
    _, _, _, tx, ty, tz, dx, dy, dz = on_path(sh, path, s)
    r, ring = sh.par[path[0], 0], path[6]
    if ring > 0.0:
        v = -(out[k, N] * dx + out[k, N + 1] * dy + out[k, N + 2] * dz)
        aligned(out, k, UA, tx, ty, tz, ring + r * v, r, v, 1.0)
    elif end != 0.0:
        diagonal(out, k, UA, r, r, 1.0, 1.0)
    else:
        aligned(out, k, UA, tx, ty, tz, 1.0, r, 0.0, 1.0)


@jit
def ball_at(sh, path, s, reach, work, row):
    """`ball` at s of the path, into the rows from ``row`` on."""
    x, y, z, _, _, _, _, _, _ = on_path(sh, path, s)
    return ball(sh, path[0], path[1], x, y, z, reach, work, row, ROOM)


@jit
def slant(sh, path, s, work, k):
    """n . t of row k of the ball at s."""
    _, _, _, tx, ty, tz, _, _, _ = on_path(sh, path, s)
    return work[k, N] * tx + work[k, N + 1] * ty + work[k, N + 2] * tz


@jit
def across(sh, path, s, seen, out, k, work):
    """Row k, the deepest of the ball at s, where the slope of the gap jumps from below to above 0: the way out across
    the path, between the normals on both sides.  Elsewhere it stays as it is."""
    r = sh.par[path[0], 0]
    small = 1e-7 * (r + path[6]) / unit(path)
    got, i = ball_at(sh, path, s - small, seen, work, ROOM)
    if got == 0:
        return
    a = slant(sh, path, s - small, work, i)
    n0, n1, n2 = work[i, N], work[i, N + 1], work[i, N + 2]
    got, i = ball_at(sh, path, s + small, seen, work, ROOM)
    if got == 0:
        return
    b = slant(sh, path, s + small, work, i)
    m0, m1, m2 = work[i, N], work[i, N + 1], work[i, N + 2]
    if not (a < -ALONG and b > ALONG):
        return
    share = b / (b - a)
    u, v, w = share * n0 + (1.0 - share) * m0, share * n1 + (1.0 - share) * m1, share * n2 + (1.0 - share) * m2
    far = math.sqrt(u * u + v * v + w * w)
    e0, e1, e2 = n1 * m2 - n2 * m1, n2 * m0 - n0 * m2, n0 * m1 - n1 * m0
    size = math.sqrt(e0 * e0 + e1 * e1 + e2 * e2)
    if not far > 1e-3 or not size > ALONG:
        return
    x, y, z, _, _, _, _, _, _ = on_path(sh, path, s)
    deep = (out[k, GAP] + r) / far  # of the middle
    u, v, w = u / far, v / far, w / far
    vector(out, k, P, x - deep * u, y - deep * v, z - deep * w)
    vector(out, k, N, u, v, w)
    out[k, GAP] = deep - r
    vector(out, k, E1, e0 / size, e1 / size, e2 / size)
    diagonal(out, k, UB, 1.0, 0.0, 0.0, 1.0)


@jit
def foot_of(sh, path, s, feature, reach, work):
    """(row, n . t) of the foot that is called ``feature`` of the ball at s; row -1: it has none."""
    got, _ = ball_at(sh, path, s, reach, work, ROOM)
    for k in range(ROOM, ROOM + got):
        if work[k, FEATURE] == feature:
            return k, slant(sh, path, s, work, k)
    return -1, 0.0


@jit
def followed(sh, path, s, along, feature, step, reach, work):
    """(row, position) of the minimum of another foot of the ball at s, whose slope there is ``along``, no farther than
    a step; row -1: it has none."""
    at, d = s, along
    u = s - math.copysign(1e-3 * step, along)
    for _ in range(20):
        k, e = foot_of(sh, path, u, feature, reach, work)
        if k < 0:
            return -1, u
        if abs(e) < 1e-13 or abs(u - at) < 1e-14 * step:
            return k, u
        bent = (e - d) / (u - at)
        if not bent > 0.0:
            return -1, u
        at, d = u, e
        u -= e / bent
        if abs(u - s) > step:
            return -1, u
    return -1, u


@jit
def put(sh, path, place, share, out, first, n, limit, work):
    """Rows of the ball at a place with a share (weight, label): new number of rows.

    place: position, gap up to which it is seen, interval between samples (0: it is not a minimum, and other feet stay
    where they are), and whether the path (+-`ROD`) or the other shape (+-1) ends before (-) or behind it (+; 0: neither
    does)."""
    s, seen, step, end = place
    weight, label = share
    if limit - n < ROOM:
        return n
    r = sh.par[path[0], 0]
    got, best = ball_at(sh, path, s, seen, work, 0)
    for k in range(got):
        along = slant(sh, path, s, work, k)
        at, way, row = s, end if abs(end) == ROD else 0.0, k
        if k != best and work[k, GAP] != work[best, GAP]:
            if step > 0.0 and abs(along) > ALONG and not end * along < 0.0:
                if abs(along) > NEXT:
                    continue
                row, at = followed(sh, path, s, along, work[k, FEATURE], step, seen, work)
                way = 0.0
                if row < 0:
                    continue
            elif abs(along) > 0.1 if end == 0.0 else math.copysign(along, end * along) > 0.1:
                continue  # nearer elsewhere on the path
        new = first + n
        copied(out, new, work, row)
        if k == best and step > 0.0 and end == 0.0 and abs(along) > ALONG and r > 0.0:
            across(sh, path, s, seen, out, new, work)
        bend(sh, path, at, way, out, new)
        twin = -1
        for j in range(first, new):
            d = (
                abs(out[j, P] - out[new, P])
                + abs(out[j, P + 1] - out[new, P + 1])
                + abs(out[j, P + 2] - out[new, P + 2])
            )
            cosine = out[j, N] * out[new, N] + out[j, N + 1] * out[new, N + 1] + out[j, N + 2] * out[new, N + 2]
            if d < 1e-7 * (r + path[6]) and cosine > 0.999999:
                twin = j
        if twin >= 0:
            if step == 0.0:
                out[twin, WEIGHT] += weight
            continue
        out[new, WEIGHT] = weight
        out[new, FEATURE] = 100.0 * out[new, FEATURE] + label
        n += 1
        make_unique(out, first, n, new)
    return n


@jit
def flatness(sh, path, s, g, work):
    """0 where the ring lies flat on the other shape, 1 where it stands or lies on part of itself; its minimum gap g is
    at s."""
    most = g
    r = path[6]
    for i in range(CIRCLE):
        h, _ = look(sh, path, s + math.pi * (1.0 + 2.0 * i / CIRCLE), max(g + 0.3 * r, 0.0), work)
        if not h < g + 0.3 * r:
            return 1.0
        most = max(most, h)
    return smooth((most - g) / (2.0 * r), 0.05, 0.15)


@jit
def circle(sh, q, o, f, centre, r, part, reach, out, first, n, limit):
    """Points of the ball q on the circle of radius r about c, in the xy plane of frame f, with gaps below ``reach`` and
    others: new number of points.  part: weight and label of all of them."""
    cx, cy, cz = centre
    weight, label = part
    work = feet()
    path = (q, o, f, cx, cy, cz, r)
    if not r > 0.0:
        return put(sh, path, (0.0, reach, 0.0, ROD), (weight, label), out, first, n, limit, work)
    found = places()
    count = minima(sh, path, 0.0, r + sh.par[q, 0], reach, found, work)
    if count == 0:
        return n
    weigh(sh, path, 0.0, 1e-3, found, count, work)
    best = 0
    for k in range(count):
        if found[k, G] < found[best, G]:
            best = k
    s = found[best, S]
    upright = flatness(sh, path, s, found[best, G], work)
    flat = 1.0 - upright
    w1 = w2 = w3 = 0.0
    if flat > 0.0:
        got, k = ball_at(sh, path, s, FAR, work, 0)
        n0, n1, n2 = work[k, N], work[k, N + 1], work[k, N + 2]
        alike = 0.0
        for i in range(1, 4):
            got, k = ball_at(sh, path, s + 0.5 * math.pi * i, FAR, work, 0)
            c = max(work[k, N] * n0 + work[k, N + 1] * n1 + work[k, N + 2] * n2, 0.0) if got > 0 else 0.0
            alike += c * c / 3.0
            w = weight * flat * (1.0 - 0.75 * c * c)
            w1, w2, w3 = (w, w2, w3) if i == 1 else ((w1, w, w3) if i == 2 else (w1, w2, w))
        found[best, SHARE] = 1.0 - 0.75 * flat * alike
        found[best, ENDS] = 0.0
    for k in range(count):
        share = found[k, SHARE] * (1.0 if k == best else upright)
        if share >= 0.0:
            place = found[k, S], found[k, SEEN], found[k, STEP], found[k, END]
            n = put(sh, path, place, (weight * share, label), out, first, n, limit, work)
    if flat > 0.0:
        for i in range(1, 4):
            place = s + 0.5 * math.pi * i, FAR, 0.0, 0.0
            w = w1 if i == 1 else (w2 if i == 2 else w3)
            n = put(sh, path, place, (w, label + i), out, first, n, limit, work)
    for k in range(count):
        w = weight * upright * found[k, ENDS]
        for way in range(2):
            if w > 0.0:
                place = found[k, LOW] if way == 0 else found[k, HIGH], FAR, 0.0, 0.0
                n = put(sh, path, place, (w, label + 4.0 + way), out, first, n, limit, work)
    return n


@jit
def point(sh, s, path, place, share, reach, out, first, n, limit, work):
    """Points of the rod s at a place of its axis (as in `put`): its ball, or at the end of a cylinder its rim."""
    u, seen, step, end = place
    r, h = sh.par[s, 0], sh.par[s, 1]
    if abs(u) >= h * (1.0 - 1e-12):
        end = ROD if u > 0.0 else -ROD
        if core(sh, s) == DRUM:
            q, o = path[0], path[1]
            x, y, z, _, _, _, _, _, _ = on_path(sh, path, u)
            sh.par[q, 0] = 0.0
            n = circle(sh, q, o, path[2], (x, y, z), r, share, reach, out, first, n, limit)
            sh.par[q, 0] = r
            return n
    return put(sh, path, (u, seen, step, end), share, out, first, n, limit, work)


@jit
def line(sh, s, q, o, reach, out, first, limit):
    """Points of a capsule or cylinder s with gaps below ``reach`` and others: number of points."""
    f = sh.frame[s]
    r, h = sh.par[s, 0], sh.par[s, 1]
    sh.par[q, 0] = r
    path = (q, o, f, sh.fr.p[f, 0], sh.fr.p[f, 1], sh.fr.p[f, 2], 0.0)
    work = feet()
    found = places()
    count = minima(sh, path, h, r + (sh.radius[o] if sh.radius[o] > 0.0 else h), reach, found, work)
    weigh(sh, path, h, 1e-3 * h, found, count, work)
    n = 0
    for k in range(count):
        if found[k, SHARE] >= 0.0:
            place = found[k, S], found[k, SEEN], found[k, STEP], found[k, END]
            n = point(sh, s, path, place, (found[k, SHARE], 0.0), reach, out, first, n, limit, work)
    for k in range(count):
        for way in range(2):
            if found[k, ENDS] > 0.0:
                place = found[k, LOW] if way == 0 else found[k, HIGH], FAR, 0.0, 0.0
                label = 10.0 + 10.0 * way
                n = point(sh, s, path, place, (found[k, ENDS], label), reach, out, first, n, limit, work)
    return n


@jit
def within(out, first, n, reach):
    """The rows whose gap is below ``reach``: their number."""
    kept = 0
    for k in range(first, first + n):
        if out[k, GAP] < reach:
            if k != first + kept:
                copy_row(out, first + kept, k)
            kept += 1
    return kept


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
        c = sh.fr.p[f, 0], sh.fr.p[f, 1], sh.fr.p[f, 2]
        n = circle(sh, q, o, f, c, sh.par[s, 0], (1.0, 0.0), reach, out, first, 0, limit)
    else:
        n = line(sh, s, q, o, reach, out, first, limit)
    n = within(out, first, n, reach)
    share_out(out, first, n, 1.0)
    if not of_a:
        for k in range(first, first + n):
            exchange(out, k)
    return n
