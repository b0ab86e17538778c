"""A barrier for the threads of one step, and the atomic operations for it that Numba's CPU target lacks."""

from __future__ import annotations

import sys

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from ._jit import jit

SPINS = 2000  # checks a barrier before another thread is let run


def _pointer(context, builder, array_type, array, index):
    ary = context.make_array(array_type)(context, builder, array)
    return cgutils.get_item_pointer(context, builder, array_type, ary, [index])


@intrinsic
def fetch_add(typingctx, array, index, value):
    """array[index] += value as one act; returns the old value."""

    def codegen(context, builder, signature, args):
        return builder.atomic_rmw(
            "add", _pointer(context, builder, signature.args[0], args[0], args[1]), args[2], "seq_cst"
        )

    return types.int64(array, types.intp, types.int64), codegen


@intrinsic
def load(typingctx, array, index):
    """array[index], as other threads left it."""

    def codegen(context, builder, signature, args):
        return builder.load_atomic(_pointer(context, builder, signature.args[0], args[0], args[1]), "seq_cst", 8)

    return types.int64(array, types.intp), codegen


@intrinsic
def give_way(typingctx):
    """Lets another thread have the processor."""

    def codegen(context, builder, signature, args):
        if not sys.platform.startswith("win"):
            kind = ir.FunctionType(ir.IntType(32), [])
            builder.call(cgutils.get_or_insert_function(builder.module, kind, "sched_yield"), [])
        return context.get_dummy_value()

    return types.void(), codegen


@jit(nogil=True)
def meet(bar, T):
    """All T threads wait here for each other.  bar[0]: arrived, bar[8]: meetings so far."""
    if T == 1:
        return
    now = load(bar, 8)
    if fetch_add(bar, 0, 1) == T - 1:
        fetch_add(bar, 0, -T)
        fetch_add(bar, 8, 1)
        return
    spins = 0
    while load(bar, 8) == now:
        spins += 1
        if spins > SPINS:
            give_way()
