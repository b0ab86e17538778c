"""The nearest point of a convex solid, and the flat face through which a corner has entered it."""

from __future__ import annotations

from ..._jit import jit
from ..tables import E1, UB
from ..traits import BOX, DRUM, ELLIPSOID, SEGMENT, core, margin, radii
from ._mesh import LOOKS
from ._point import diagonal, local, tangent, vector
from ._round import segment, solid_of_revolution, thicken
from .sphere_box import nearest as on_box
from .sphere_ellipsoid import nearest as on_ellipsoid


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
def entered_face(sh, a, out, k, x, y, z, m0, m1, m2, near):
    """Row k: foot of (x, y, z), inside of solid a or on its surface to ``near``, on the flat face that a corner with
    the outward direction m has come
    through: of those that look against m the one of least depth.  Returns whether there is one."""
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
    for c in range(3):
        m = m0 if c == 0 else m1 if c == 1 else m2
        h = hx if c == 0 else hy if c == 1 else hz
        w = x if c == 0 else y if c == 1 else z
        d = h + (w if m > 0.0 else -w)
        if h > 0.0 and abs(m) > LOOKS and d < depth:
            depth, face = d, c
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
