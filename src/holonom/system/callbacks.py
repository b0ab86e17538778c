"""User routines: Python functions called from kernels through the address of one C callback.

A kernel cannot hold a Python function, and an exception inside a callback is swallowed; so each system has one ctypes
callback that finds the routine by number, keeps the first exception, and returns a status that kernels pass on.
"""

from __future__ import annotations

import ctypes

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from .._jit import jit

SIGNATURE = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p)


@intrinsic
def _call(typingctx, address, index, pointer):
    signature = types.int64(types.int64, types.int64, types.uintp)

    def codegen(context, builder, sig, args):
        i64 = ir.IntType(64)
        kind = ir.FunctionType(i64, [i64, i64])
        function = builder.inttoptr(args[0], kind.as_pointer())
        return builder.call(function, [args[1], builder.zext(args[2], i64) if args[2].type.width < 64 else args[2]])

    _ = cgutils
    return signature, codegen


@jit
def call_user(address, index, buffer):
    """Call user routine ``index``: reads buffer[16:], writes buffer[:16]; 0 when all went well."""
    return _call(address, index, buffer.ctypes.data)


class Callbacks:
    """The routines of one system: ``add(function, inputs)`` with ``function(values) -> up to 16 numbers``."""

    def __init__(self) -> None:
        self.functions: list = []
        self.sizes: list[int] = []
        self.error: tuple[int, BaseException] | None = None
        self._callback = SIGNATURE(self._dispatch)
        self.address = ctypes.cast(self._callback, ctypes.c_void_p).value

    def add(self, function, size: int) -> int:
        self.functions.append(function)
        self.sizes.append(size)
        return len(self.functions) - 1

    def _dispatch(self, index: int, pointer: int) -> int:
        try:
            n = self.sizes[index]
            buffer = np.ctypeslib.as_array((ctypes.c_double * (16 + n)).from_address(pointer))
            result = np.atleast_1d(np.asarray(self.functions[index](buffer[16:].copy()), float))
            if not np.all(np.isfinite(result)):
                raise ValueError("the routine returned a value that is not finite")
            buffer[: len(result)] = result
            return 0
        except BaseException as error:  # noqa: BLE001  (reported after the kernel returns)
            if self.error is None:
                self.error = (index, error)
            return 1
