"""What kernels of surface contacts know of Numba: tables at their address, types of the law."""

from __future__ import annotations

from numba import typeof, types
from numba.extending import intrinsic

from ..._handle import RefType, make_handle
from ..call import MATRIX, VECTOR
from ..shapes._address import no_shapes
from .columns import empty

#: types of the arguments of its law, as `system.port_kernels.LAW` has them
LAW = (VECTOR, types.int64[::1], RefType(typeof(no_shapes().fr)), MATRIX, types.float64, VECTOR, VECTOR, VECTOR, VECTOR)

HANDLE = make_handle(*empty(), ())._numba_type_


@intrinsic
def skin_at(typingctx, address):
    def codegen(context, builder, signature, args):
        return builder.inttoptr(args[0], context.get_value_type(HANDLE))

    return HANDLE(types.int64), codegen
