"""User routines: Python functions called from kernels through the address of one C callback.

A kernel cannot hold a Python function, and an exception inside a callback is swallowed; so each system has one ctypes
callback that finds the routine by number, keeps the first exception, and returns a status that kernels pass on.
"""

from __future__ import annotations

import ctypes
from math import isfinite

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
    """The routines of one system: ``add(function, inputs)`` with ``function(values) -> list of up to 16 numbers``."""

    def __init__(self) -> None:
        self.functions: list = []
        self.views: list = []
        self.last: list = []  # what each was asked last, and its answer
        self.error: tuple[int, BaseException] | None = None
        self._callback = SIGNATURE(self._dispatch)
        self.address = ctypes.cast(self._callback, ctypes.c_void_p).value

    def add(self, function, size: int) -> int:
        self.functions.append(function)
        self.last.append(None)
        self.views.append(ctypes.c_double * (16 + size))
        return len(self.functions) - 1

    def changed(self) -> bool:
        """Does a routine answer otherwise now to what it was asked last?  What it fails at is reported when it is asked
        the next time."""
        for function, last in zip(self.functions, self.last):
            if last is not None:
                try:
                    if [float(x) for x in function(last[0])] != [float(x) for x in last[1]]:
                        return True
                except Exception:  # noqa: S112
                    continue
        return False

    def _dispatch(self, index: int, pointer: int) -> int:
        try:
            buffer = self.views[index].from_address(pointer)  # plain numbers: arrays of NumPy take three times longer
            asked = buffer[16:]
            result = self.functions[index](asked)
            self.last[index] = asked, result
            for k, x in enumerate(result):
                x = float(x)
                if not isfinite(x):
                    raise ValueError("the routine returned a value that is not finite")
                buffer[k] = x
            return 0
        except BaseException as error:  # noqa: BLE001  (reported after the kernel returns)
            if self.error is None:
                self.error = (index, error)
            return 1
