"""Plane against a cylinder: a frustum of equal radii.  A bore has nothing that a plane could touch."""

from __future__ import annotations

from ..._jit import jit
from .plane_frustum import frustum

POINTS = 7


@jit
def contact(sh, a, b, reach, out, first, limit):
    if sh.par[b, 2] != 0.0:
        return 0
    return frustum(sh, a, b, sh.par[b, 0], sh.par[b, 0], sh.par[b, 1], reach, out, first, limit)
