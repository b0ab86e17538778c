"""Pair kernels that call other pair kernels through their addresses, so that a model compiles only those that it uses.

The builder gives a shape that needs it stand-ins: rows of the table of shapes behind those of the user (`stand_in`).
``par[a, MESHED]`` is the row of its triangle mesh, ``par[a, ROLLED]`` that of a ball in a frame of its own that is
moved along the shape; 0: none.  A mesh carries in its first row of ``link`` the address of `as_meshes`; a ball has
``first`` = (row of ``link``, ...) where the addresses of the kernels of balls with all types lie in column 0, and that
of `swept` in column 1.
"""

from __future__ import annotations

import numpy as np
from numba import typeof, types

from ..._address import caller
from ..._handle import RefType
from ..._jit import jit
from ...elements.frames import make_frames
from ..call import INDEX, MATRIX
from ..tables import PARAMETERS, Shapes
from ..traits import TRIANGLES

MESHED, ROLLED = PARAMETERS - 1, PARAMETERS - 2


def no_shapes(n: int = 0) -> Shapes:
    """A table of n shapes of the right types, without pools."""
    z = np.zeros
    i = lambda *shape: np.zeros(shape, np.int64)
    return Shapes(
        make_frames(i(n), z((n, 3)), z((n, 9))),
        i(n),
        i(n),
        z((n, PARAMETERS)),
        i(n, 4),
        z((1, 3)),
        i(1, 3),
        z((1, 8)),
        i(1, 4),
        z((1, 12)),
        z(n),
        z((n, 3)),
        z((n, 3)),
        z(n),
    )


PAIR_ARGUMENTS = (RefType(typeof(no_shapes())), INDEX, INDEX, types.float64, MATRIX, INDEX, INDEX)
call = caller(INDEX, PAIR_ARGUMENTS)


@jit
def mesh_of(sh, a):
    """Row of the mesh of shape a, -1: it has none."""
    if TRIANGLES[sh.kind[a]]:
        return a
    m = int(sh.par[a, MESHED])
    return m if m > 0 else -1


@jit
def by_meshes(sh, a, b, reach, out, first, limit):
    """The pair as meshes, where one of them has a stand-in; else no points."""
    m = int(sh.par[a, MESHED])
    if m <= 0:
        m = int(sh.par[b, MESHED])
    if m <= 0:
        return 0
    return call(sh.link[sh.first[m, 3], 3], (sh, a, b, reach, out, first, limit))


@jit
def by_balls(sh, a, b, reach, out, first, limit):
    """The pair by balls along a or b, where one of them has a stand-in; else no points."""
    q = int(sh.par[a, ROLLED])
    if q <= 0:
        q = int(sh.par[b, ROLLED])
    if q <= 0:
        return 0
    return call(sh.link[sh.first[q, 0], 1], (sh, a, b, reach, out, first, limit))
