"""Kernels called through their addresses: so that a caller need not be compiled again for each law that it may meet.

``caller(result, arguments)`` is an intrinsic ``call(address, (arguments...))`` for use within kernels,
``referrer(result)`` one that takes the types of its arguments where it is called; ``address_of(kernel, arguments)``
compiles (or loads) a kernel for these types and gives where it lies.  A call costs a few nanoseconds and nothing is
inlined, so a law may be edited without compiling its callers.  Addresses are below 2^53, so that they may stand among
the numbers of an element.
"""

from __future__ import annotations

from numba import types
from numba.core.errors import TypingError
from numba.extending import intrinsic

from ._later import address_of, native, when_called

__all__ = ("address_of", "when_called")


def _through(result, arguments):
    """Generator of the call of a kernel of this signature: its address, and a tuple of its arguments."""

    def codegen(context, builder, signature, args):
        kind = context.call_conv.get_function_type(result, arguments)
        function = builder.inttoptr(native(builder, args[0]), kind.as_pointer())
        given = [builder.extract_value(args[1], k) for k in range(len(arguments))]
        given = [context.cast(builder, v, f, t) for v, f, t in zip(given, signature.args[1].types, arguments)]
        _, out = context.call_conv.call_function(builder, function, result, arguments, given)
        return out

    return codegen


def caller(result, arguments):
    """Intrinsic ``call(address, (arguments...))`` for kernels of one signature; ``address`` is an int64."""
    arguments = tuple(arguments)

    @intrinsic
    def call(typingctx, address, values):
        return result(address, values), _through(result, arguments)

    return call


def choosing(result, arguments, complex_arguments):
    """Intrinsic ``call(address, complex_address, (arguments...))``: of the first kernel, or of the second where one of
    the arrays is complex."""
    real, other = caller(result, arguments), caller(result, complex_arguments)

    @intrinsic
    def call(typingctx, address, complex_address, values):
        second = any(isinstance(t, types.Array) and isinstance(t.dtype, types.Complex) for t in values.types)
        signature, generate = (other if second else real)._defn(typingctx, address, values)

        def codegen(context, builder, sig, args):
            return generate(context, builder, signature, [args[1] if second else args[0], args[2]])

        return result(address, complex_address, values), codegen

    return call


@intrinsic
def of_type(typingctx, real, other, F):
    """``other`` where the array F is complex, else ``real``."""
    second = isinstance(F.dtype, types.Complex)

    def codegen(context, builder, signature, args):
        return args[1] if second else args[0]

    return (other if second else real)(real, other, F), codegen


def referrer(result):
    """Intrinsic ``call(address, (arguments...))`` for kernels that take references to tables (`_handle.RefType`), whose
    types are known only when the caller is compiled: arguments must have the types for which the kernel was compiled.
    Tuples that are not references are refused."""

    @intrinsic
    def call(typingctx, address, values):
        arguments = tuple(types.unliteral(t) for t in values.types)
        wrong = [
            t for t in arguments if isinstance(t, types.BaseTuple) or (isinstance(t, types.Array) and t.layout != "C")
        ]
        if wrong:
            raise TypingError(f"called by address with {wrong[0]}; give tables behind a handle, and contiguous arrays")

        return result(address, values), _through(result, arguments)

    return call


def compiled(function):
    """A kernel of a function that a user wrote, also of one that stands in no file."""
    from pathlib import Path

    from ._jit import Kernel, _numba, jit

    if isinstance(function, Kernel):
        return function
    if function.__module__ and Path(function.__code__.co_filename).is_file():
        return jit(function)
    kernel = _numba().njit(error_model="numpy")(function)
    kernel.inner = kernel
    return kernel


REAL = types.float64
