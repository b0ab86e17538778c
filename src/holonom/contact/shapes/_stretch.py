"""What of a rod lies along a profile that is turned about z: how far, and where its ends are.

Along the axis q(u) = c + u e the distance of a foot that is followed has the slope n . e.  From a minimum on, the rod
lies along the profile as far as the slope stays within +-`LIES`; the last face ends it where an edge does.  All lines
are (c, e) in the axes of the profile.
"""

from __future__ import annotations

import math

from ..._jit import jit
from ._curve import CONVEX, at_start, before, place
from ._revolved import second, surface
from .swept import LIES, narrowed

#: what ends it: nothing lies there; a face that slopes more, or the rod; an edge of the profile
NOWHERE, FACE, EDGE = 0, 1, 2
DOUBLINGS = 10  # of the steps in which its end is looked for
ROUND = 0.8  # of `LIES`: slope from which on what is round on both sides lies nowhere (its mean slope is past 0.02)


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
def beside(sh, b, i, line, u):
    """(row, what holds the foot, n . e) at u of the line, followed from row i on; row -1: no foot."""
    cx, cy, cz, ex, ey, ez = line
    i, kind, _, _, nr, nz, _, _, c, s, _ = surface(sh, b, i, cx + u * ex, cy + u * ey, cz + u * ez)
    return i, kind, nr * (c * ex + s * ey) + nz * ez


@jit
def walk(sh, b, i, line, u, to):
    """(row, position, what holds the foot) as far as the rod lies along the profile, from row i at u on."""
    step = (to - u) / 2.0**DOUBLINGS
    low, a, row, held = u, -LIES, i, 1
    high, f = u, -1.0
    for _ in range(DOUBLINGS + 1):
        high = low + step if abs(low + step - u) < abs(to - u) else to
        step *= 2.0
        j, kind, slope = beside(sh, b, row, line, high)
        f = abs(slope) - LIES if j >= 0 else 1.0
        if f > 0.0:
            break
        low, a, row, held = high, min(f, -1e-300), j, kind
        if high == to:
            break
    if not f > 0.0:
        return row, low, held
    side = 0
    for k in range(60):
        s = (low * f - high * a) / (f - a) if k % 4 < 3 else 0.5 * (low + high)
        if abs(high - low) < 1e-15 * abs(to - u):
            break
        j, kind, slope = beside(sh, b, row, line, s)
        d = abs(slope) - LIES if j >= 0 else 1.0
        if not d > 0.0:
            row, held = j, kind
        low, high, a, f, side = narrowed(low, high, a, f, side, s, d if d != 0.0 else -1e-300)
    return row, low, held


@jit
def outside(sh, b, i, line, u):
    """How far the point at u lies beyond the ends of both faces at the edge where row i starts: below 0 above one
    of them."""
    cx, cy, cz, ex, ey, ez = line
    x, y, z = cx + u * ex, cy + u * ey, cz + u * ez
    rho = math.sqrt(x * x + y * y)
    px, py, dx, dy, _, _ = place(sh, before(sh, b, i), 1.0)
    tx, ty = sh.seg[i, 3], sh.seg[i, 4]
    return min(
        ((rho - px) * dx + (z - py) * dy) / math.sqrt(dx * dx + dy * dy),
        -at_start(sh, i, rho, z) / math.sqrt(tx * tx + ty * ty),
    )


@jit
def leaves(sh, b, i, line, u, v):
    """Where the foot goes over from the edge at the start of row i, at u, to a face, at v."""
    low, high = v, u
    a, f = outside(sh, b, i, line, v), outside(sh, b, i, line, u)
    if not (a < 0.0 and f > 0.0):
        return u
    side = 0
    for k in range(60):
        s = (low * f - high * a) / (f - a) if k % 4 < 3 else 0.5 * (low + high)
        d = outside(sh, b, i, line, s)
        if d == 0.0 or abs(high - low) < 1e-15 * abs(u - v):
            return s
        low, high, a, f, side = narrowed(low, high, a, f, side, s, d)
    return low


@jit
def end_of(sh, b, i, kind, line, u, to):
    """(row, position, what ends it) of what lies along the profile from the foot on row i at u on towards ``to``."""
    if u == to:
        return i, u, FACE if kind == 1 else NOWHERE
    j, v, held = walk(sh, b, i, line, u, to)
    if held == 1:
        return j, v, FACE
    if held != 2:
        return j, v, NOWHERE
    if kind == 2 and j == i:
        u = 0.5 * (u + v)
        if not outside(sh, b, i, line, u) < 0.0:  # still the edge of the beginning
            return j, v, NOWHERE
    return j, leaves(sh, b, j, line, v, u), EDGE if sh.seg[j, 9] == CONVEX else FACE


@jit
def trivial(sh, b, i, kind, line, u, h):
    """Is it clear that the rod does not lie along the profile about its minimum distance on row i at u?"""
    cx, cy, cz, ex, ey, ez = line
    x, y, z = cx + u * ex, cy + u * ey, cz + u * ez
    j, kind, _, _, nr, nz, kappa, dist, c, s, rho = surface(sh, b, i, x, y, z)
    slope = nr * (c * ex + s * ey) + nz * ez
    if j < 0 or kind > 2 or abs(slope) > LIES:
        return True
    if kind == 2:
        return sh.seg[j, 9] != CONVEX or outside(sh, b, j, line, u) > LIES * dist
    bend = second(kind, nr, nz, kappa, dist, c, s, rho, ex, ey, ez)
    way = LIES / bend if bend > 0.0 else math.inf
    if not (u - way > -h and u + way < h):
        return False
    _, before_, a = beside(sh, b, j, line, u - way)
    _, behind, f = beside(sh, b, j, line, u + way)
    return before_ == 1 and behind == 1 and min(-a, f) > ROUND * LIES


@jit
def beside_edge(sh, b, i, line, u, h):
    """(place on the line within +-h, azimuth, distance) where the line is nearest to the edge at the start of row i,
    about u."""
    cx, cy, cz, ex, ey, ez = line
    R, Z = sh.seg[i, 1], sh.seg[i, 2]
    psi = math.atan2(cy + u * ey, cx + u * ex)
    t = u
    for _ in range(20):
        c, s = math.cos(psi), math.sin(psi)
        t = (R * c - cx) * ex + (R * s - cy) * ey + (Z - cz) * ez
        p, q = bent((cx, cy, cz), (ex, ey, ez), R, Z, c, s)
        if not q > 1e-9 * R * R:  # it goes round the line: any place of the edge is as near
            break
        step = min(max(p / q, -0.2), 0.2)
        psi -= step
        if abs(step) < 1e-15:
            break
    if abs(t) > h:  # the end of the rod
        t = math.copysign(h, t)
        psi = math.atan2(cy + t * ey, cx + t * ex)
    x, y, z = cx + t * ex, cy + t * ey, cz + t * ez
    return t, psi, math.sqrt((x - R * math.cos(psi)) ** 2 + (y - R * math.sin(psi)) ** 2 + (z - Z) ** 2)
