"""A few numbers of working space on the stack of a kernel (kernels make no arrays: `_jit`)."""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np import arrayobj

from ..tables import COLUMNS

SIZE = 4800


def _stack(rows: int, columns: int):
    """Intrinsic: an array (rows, columns) of floats, or (rows,) where columns is 0, that lives as long as the function
    that asks."""
    shape = (rows, columns) if columns else (rows,)
    array = types.Array(types.float64, len(shape), "C")

    @intrinsic
    def make(typing_context):
        def generate(context, builder, signature, arguments):
            number = rows * max(columns, 1)
            memory = cgutils.alloca_once(builder, ir.DoubleType(), size=ir.Constant(ir.IntType(64), number))
            strides = [8 * columns, 8] if columns else [8]
            made = arrayobj.make_array(array)(context, builder)
            size = lambda numbers: [context.get_constant(types.intp, n) for n in numbers]
            arrayobj.populate_array(made, memory, size(shape), size(strides), context.get_constant(types.intp, 8), None)
            return made._getvalue()

        return array(), generate

    return make


scratch = _stack(SIZE, 0)
matrix = _stack(4, 4)
shares = _stack(64, 0)
box = _stack(15, 0)
planes = _stack(16, 3)
feet = _stack(16, COLUMNS)  # rows of a ball that is moved along a path: those of a place, those of its neighbours
pairs = _stack(24, COLUMNS)  # where two curves are opposite, with the longer ways out of corners in each other
places = _stack(16, 10)  # minima of the gap on a path
stretches = _stack(8, 12)  # minima of the gap of a rod, with the ends of what lies along the other shape
cuts = _stack(16, 0)  # positions of a path at the ends of the other shape
brackets = _stack(8, 6)  # parts of a path, each between two samples of three numbers
CROWD = 512  # candidates of the points of a mesh, with two columns more than a point has; of more the deepest
crowd = _stack(CROWD, COLUMNS + 2)
