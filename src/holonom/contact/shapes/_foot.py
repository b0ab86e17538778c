"""The nearest point of a convex solid."""

from __future__ import annotations

from ..._jit import jit
from ..tables import BOX, CAPSULE, CYLINDER, ELLIPSOID
from ._round import segment, solid_of_revolution, thicken
from .sphere_box import nearest as on_box
from .sphere_ellipsoid import nearest as on_ellipsoid


@jit
def foot_on(sh, a, out, k, x, y, z):
    """Row k: nearest point of the solid a to (x, y, z), in its axes."""
    kind = sh.kind[a]
    p = sh.par
    if kind == BOX:
        on_box(out, k, x, y, z, p[a, 0], p[a, 1], p[a, 2])
    elif kind == CAPSULE:
        segment(out, k, x, y, z, p[a, 1])
        thicken(out, k, p[a, 0])
    elif kind == ELLIPSOID:
        on_ellipsoid(out, k, x, y, z, p[a, 0], p[a, 1], p[a, 2])
    elif kind == CYLINDER:
        solid_of_revolution(out, k, x, y, z, p[a, 0], p[a, 0], p[a, 1])
    else:
        solid_of_revolution(out, k, x, y, z, p[a, 0], p[a, 1], p[a, 2])
