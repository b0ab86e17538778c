"""The nearest point of a convex solid."""

from __future__ import annotations

from ..._jit import jit
from ..traits import BOX, ELLIPSOID, SEGMENT, core, margin, radii
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
