"""Types of arguments of the kernels that contacts call through their addresses.

`address_of` compiles (or loads) a kernel for these types; `caller` makes what calls it from within kernels.  A call costs a few
nanoseconds; nothing is inlined, so a law may be edited without compiling its callers.
"""

from __future__ import annotations

from numba import types

from .._address import caller

__all__ = ["caller"]

_KEPT: dict = {}  # compiled code must outlive its address


def address_of(kernel, arguments) -> int:
    """Address of a kernel (`_jit.Kernel`) compiled for these argument types."""
    dispatcher = kernel.inner
    arguments = tuple(arguments)
    dispatcher.compile(arguments)
    found = dispatcher.overloads[arguments]
    address = found.library.get_pointer_to_function(found.fndesc.llvm_func_name)
    if not address:
        raise AssertionError(f"{kernel.py_func.__name__} has no address")
    _KEPT[kernel, arguments] = found
    return int(address)


VECTOR = types.float64[::1]
MATRIX = types.float64[:, ::1]
INDEX = types.int64

#: entries of the engine: address of its tables, mode, time, state, rotations, forces, K, C -> number of points that act
ENGINE_ARGUMENTS = (INDEX, INDEX, types.float64, VECTOR, MATRIX, VECTOR, VECTOR, VECTOR)
FORCES, ACCEPT, GAPS, SUMS, SEARCH, COLLECT = range(6)
#: what ``S.contacts`` of the equations of motion holds (int64): addresses of entries and of their tables, zero where there are none
ENGINE, ENGINE_TABLES, ACTIVE, ACTIVE_TABLES, DERIVATIVES = range(5)
ADDRESSES = 5

#: the entry of `unilateral`: address of its tables, mode, time, state, rotations, a span of time -> what the mode counts
ACTIVE_ARGUMENTS = (INDEX, INDEX, types.float64, VECTOR, MATRIX, types.float64)
ROWS, SLIDE, POINTS_ONLY, EVENTS, LIST, FILL, PUBLISH = range(7)
