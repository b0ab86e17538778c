"""The nearest point of a convex solid, and the face that pushes a corner which lies on it or has entered it."""

from __future__ import annotations

import math

from ..._jit import jit
from ..tables import E1, GAP, UB
from ..traits import BOX, DRUM, ELLIPSOID, SEGMENT, core, margin, radii
from ._mesh import LOOKS, against
from ._point import diagonal, local, tangent, vector
from ._round import segment, solid_of_revolution, thicken
from .sphere_box import nearest as on_box
from .sphere_ellipsoid import nearest as on_ellipsoid

THROUGH = 1.75  # of the half width: what is deeper below a face has come through the opposite one


@jit
def foot_on(sh, a, out, k, x, y, z):
    """Row k: nearest point of the solid a to (x, y, z), in its axes."""
    kind = core(sh, a)
    p = sh.par
    r1, r2, h = radii(sh, a)
    if kind == BOX:
        on_box(out, k, x, y, z, p[a, 0], p[a, 1], p[a, 2])
    elif kind == SEGMENT:
        segment(out, k, x, y, z, h)
    elif kind == ELLIPSOID:
        on_ellipsoid(out, k, x, y, z, p[a, 0], p[a, 1], p[a, 2])
    else:
        solid_of_revolution(out, k, x, y, z, r1, r2, h)
    r = margin(sh, a)
    if r > 0.0:
        thicken(out, k, r)


@jit
def edge_pushed(sh, a, out, k, x, y, z, m0, m1, m2, near):
    """How far (0 to 1) solid a pushes a point (x, y, z) of a corner or edge with the outward direction m, whose nearest
    foot row k is; 0: not at all.  Row k becomes the foot through which it is pushed.  ``near``: distance within which
    it lies on the surface.

    On an edge of a the direction from the foot to a point so near is roundoff: its faces decide
    (`_mesh.meets_face`)."""
    if abs(out[k, GAP]) <= near and flat_faced(sh, a):
        if not lies_on_face(sh, a, out, k, x, y, z, m0, m1, m2, near):
            return 0.0
    return against(out, k, m0, m1, m2, 1.0)


@jit
def corner_pushed(sh, a, out, k, x, y, z, m0, m1, m2, near):
    """`edge_pushed` of a corner, which may also be nearer to another face than to the one that it came through."""
    looks = edge_pushed(sh, a, out, k, x, y, z, m0, m1, m2, near)
    if not looks > 0.0 and out[k, GAP] <= near and entered_face(sh, a, out, k, x, y, z, m0, m1, m2, near):
        looks = against(out, k, m0, m1, m2, 1.0)
    return looks


@jit
def flat_faced(sh, a):
    """Has solid a edges between its faces?"""
    kind = core(sh, a)
    return margin(sh, a) == 0.0 and (kind == BOX or kind == DRUM)


@jit
def lies_on_face(sh, a, out, k, x, y, z, m0, m1, m2, near):
    """Row k: foot of a corner with the outward direction m on the faces of a box or drum that look against it, of
    those on which it lies to ``near``; of several their mean.  Returns whether there is one."""
    p = sh.par
    r1, r2, hz = radii(sh, a)
    n0 = n1 = n2 = 0.0
    faces = 0
    gap = 0.0
    side = False
    if core(sh, a) == BOX:
        for c in range(3):
            m = m0 if c == 0 else m1 if c == 1 else m2
            w = x if c == 0 else y if c == 1 else z
            rise = (-w if m > 0.0 else w) - p[a, c]
            if abs(m) > LOOKS and abs(rise) <= near:
                s = -1.0 if m > 0.0 else 1.0
                n0, n1, n2 = n0 + (s if c == 0 else 0.0), n1 + (s if c == 1 else 0.0), n2 + (s if c == 2 else 0.0)
                gap += rise
                faces += 1
    else:
        rho = math.sqrt(x * x + y * y)
        slope = 0.5 * (r2 - r1) / hz
        size = math.sqrt(1.0 + slope * slope)
        rise = (rho - 0.5 * (r1 + r2) - slope * z) / size
        if rho > 0.0 and abs(rise) <= near:
            u, v, w = x / (rho * size), y / (rho * size), -slope / size
            if u * m0 + v * m1 + w * m2 < -LOOKS:
                n0, n1, n2, gap, faces, side = u, v, w, rise, 1, True
        rise = (-z if m2 > 0.0 else z) - hz
        if abs(m2) > LOOKS and abs(rise) <= near:
            n2 += -1.0 if m2 > 0.0 else 1.0
            gap += rise
            side = False
            faces += 1
    if faces == 0:
        return False
    size = math.sqrt(n0 * n0 + n1 * n1 + n2 * n2)
    n0, n1, n2, gap = n0 / size, n1 / size, n2 / size, gap / size
    x, y, z = x - gap * n0, y - gap * n1, z - gap * n2
    local(out, k, x, y, z, n0, n1, n2, gap, 13.0 + n0 + 3.0 * n1 + 9.0 * n2)
    if side:
        round_axis(out, k, x, y, math.sqrt(n0 * n0 + n1 * n1))
    else:
        t0, t1, t2 = tangent(n0, n1, n2)
        vector(out, k, E1, t0, t1, t2)
        diagonal(out, k, UB, 1.0, 1.0, 0.0, 0.0)
    return True


@jit
def round_axis(out, k, x, y, across):
    """Tangent and curvature of row k, whose foot (x, y) is on a mantle; across: part of its normal across the axis."""
    rho = math.sqrt(x * x + y * y)
    vector(out, k, E1, -y / rho, x / rho, 0.0)
    diagonal(out, k, UB, rho, 1.0, across, 0.0)


@jit
def on_mantle(out, k, point, normal, gap):
    """Row k: foot of a point on the mantle of a drum, at the signed distance ``gap``."""
    n0, n1, n2 = normal
    x, y, z = point[0] - gap * n0, point[1] - gap * n1, point[2] - gap * n2
    local(out, k, x, y, z, n0, n1, n2, gap, 13.0)
    round_axis(out, k, x, y, math.sqrt(n0 * n0 + n1 * n1))


@jit
def entered_face(sh, a, out, k, x, y, z, m0, m1, m2, near):
    """Row k: foot of (x, y, z), inside of solid a or on its surface to ``near``, on the face that a corner with the
    outward direction m has come through: of those that look against m the one of minimum depth.  Returns whether there
    is one."""
    kind = core(sh, a)
    p = sh.par
    r1, r2, hz = radii(sh, a)
    if margin(sh, a) > 0.0:  # rounded off
        return False
    if kind == BOX:
        hx, hy, hz = p[a, 0], p[a, 1], p[a, 2]
        if abs(x) > hx + near or abs(y) > hy + near:
            return False
    elif kind == DRUM:
        hx, hy = 0.0, 0.0
        r = 0.5 * (r1 + r2) + 0.5 * (r2 - r1) * z / hz
        if x * x + y * y > (r + near) ** 2:
            return False
    else:
        return False
    if abs(z) > hz + near:
        return False
    depth = 1e300
    face = -1
    rho = math.sqrt(x * x + y * y)
    for c in range(3):
        m = m0 if c == 0 else m1 if c == 1 else m2
        h = hx if c == 0 else hy if c == 1 else hz
        w = x if c == 0 else y if c == 1 else z
        d = h + (w if m > 0.0 else -w)
        if kind == DRUM and not rho <= (r1 if m2 > 0.0 else r2) + near:
            continue  # the end of a cone is not over it
        if h > 0.0 and abs(m) > LOOKS and d < min(depth, THROUGH * h):
            depth, face = d, c
    if kind == DRUM and rho > 0.0:
        slope = 0.5 * (r2 - r1) / hz
        size = math.sqrt(1.0 + slope * slope)
        u, v, w = x / (rho * size), y / (rho * size), -slope / size
        d = (r - rho) / size
        if u * m0 + v * m1 + w * m2 < -LOOKS and d < depth:
            on_mantle(out, k, (x, y, z), (u, v, w), -d)
            return True
    if face < 0:
        return False
    n0 = n1 = n2 = 0.0
    if face == 0:
        n0 = -1.0 if m0 > 0.0 else 1.0
        x = n0 * hx
    elif face == 1:
        n1 = -1.0 if m1 > 0.0 else 1.0
        y = n1 * hy
    else:
        n2 = -1.0 if m2 > 0.0 else 1.0
        z = n2 * hz
    local(out, k, x, y, z, n0, n1, n2, -depth, 13.0 + n0 + 3.0 * n1 + 9.0 * n2)
    t0, t1, t2 = tangent(n0, n1, n2)
    vector(out, k, E1, t0, t1, t2)
    diagonal(out, k, UB, 1.0, 1.0, 0.0, 0.0)
    return True


@jit
def shallower_faces(sh, a, x, y, z, depth):
    """How many faces of a box or drum the point inside lies less deep below than ``depth``."""
    r1, r2, hz = radii(sh, a)
    n = 0
    if core(sh, a) == DRUM:
        slope = 0.5 * (r2 - r1) / hz
        rho = math.sqrt(x * x + y * y)
        n += (0.5 * (r1 + r2) + slope * z - rho) / math.sqrt(1.0 + slope * slope) < depth
    else:
        hx, hy, hz = sh.par[a, 0], sh.par[a, 1], sh.par[a, 2]
        n += (hx - x < depth) + (hx + x < depth) + (hy - y < depth) + (hy + y < depth)
    return n + (hz - z < depth) + (hz + z < depth)
