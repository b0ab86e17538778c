"""Two shapes without a kernel of their own, by the triangle meshes that represent them (`stand_in`).

Boxes, cylinders, capsules, frustums and ellipsoids meet the mesh of the other as they are.
"""

from __future__ import annotations

from ..._jit import jit
from ..traits import HULL, core, solid
from . import mesh_mesh, solid_mesh
from ._address import mesh_of
from ._point import exchange

POINTS = 32


@jit
def tangible(sh, a):
    """Does shape a meet meshes as it is?"""
    return solid(sh, a) and core(sh, a) != HULL


@jit
def contact(sh, a, b, reach, out, first, limit):
    p = mesh_of(sh, a)
    q = mesh_of(sh, b)
    if tangible(sh, a) and q >= 0:
        return solid_mesh.contact(sh, a, q, reach, out, first, limit)
    if tangible(sh, b) and p >= 0:
        n = solid_mesh.contact(sh, b, p, reach, out, first, limit)
        for k in range(first, first + n):
            exchange(out, k)
        return n
    if p < 0 or q < 0:
        return 0
    return mesh_mesh.contact(sh, p, q, reach, out, first, limit)
