"""Addresses of kernels, and kernels that are compiled when they are called first.

``address_of(kernel, arguments, result)`` compiles (or loads) a kernel for these types and gives where it lies.

``when_called(kernel, arguments, result)`` gives an address without compiling: a negative number, an index into
`_deferred`.  Code that calls it passes it to `RESOLVE`, which compiles the kernel at the first call and reads an array
from then on.  So operations that a model has and no analysis calls are never compiled.

`call_later` does the same for kernels that others call by name (``@jit(later=...)``).
"""

from __future__ import annotations

import ctypes
import os
import pickle
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import llvmlite.binding as llvm
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils, typing
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import cpu_target
from numba.core.serialize import dumps

_KEPT: dict = {}  # compiled code must outlive its address


def address_of(kernel, arguments, result=None) -> int:
    """Address of a kernel (`_jit.Kernel`) compiled for these argument types.  ``result``: the type that its result has,
    or can be made to.  Raises TypeError where it cannot."""
    arguments = tuple(arguments)
    key = kernel, arguments, result
    if key not in _KEPT:
        dispatcher = kernel.inner
        dispatcher.compile(arguments if result is None else result(*arguments))
        found = dispatcher.overloads[arguments]
        if result is not None and found.signature.return_type != result:
            raise TypeError(f"{kernel.py_func.__name__} gives {found.signature.return_type}; {result} is wanted")
        address = found.library.get_pointer_to_function(found.fndesc.llvm_func_name)
        if not 0 < address < 1 << 53:
            raise AssertionError(f"{kernel.py_func.__name__} has no address that a number holds")
        _KEPT[key] = found, int(address)
    return _KEPT[key][1]


#: native function (address or deferred one) -> address, by this name in compiled code
RESOLVE = "holonom_resolve"
_eager = False  # compile everything at once (`eager`)
_deferred: list[tuple] = [()]  # kernel, types of arguments and result of each deferred address; none is zero
_numbers: dict[tuple, int] = {}
_FOUND = np.zeros(1 << 14, np.int64)  # their addresses, zero until they are called


@contextmanager
def eager() -> Iterator[None]:
    """Compile at once what is deferred elsewhere: for those who compile on stock (`warmup`)."""
    global _eager
    before, _eager = _eager, True
    try:
        yield
    finally:
        _eager = before


def when_called(kernel, arguments, result=None) -> int:
    """Address of a kernel for these argument types that is compiled when it is called first: negative until then.
    A kernel that cannot be compiled stops the process at that call, so laws of users have `address_of`."""
    key = kernel, tuple(arguments), result
    if key in _KEPT or _eager:
        return address_of(*key)
    if key not in _numbers:
        if len(_deferred) == len(_FOUND):
            return address_of(*key)
        _numbers[key] = len(_deferred)
        _deferred.append(key)
    return -_numbers[key]


def _surely(make, *given) -> int:
    """An address that is made within a kernel, where nothing can be raised: what interrupts (a key, a signal of a time
    limit) is put off until Python goes on; a kernel that cannot be compiled stops the process."""
    put_off = None
    while True:
        try:
            address = make(*given)
            break
        except BaseException as failure:
            if put_off is not None:
                traceback.print_exc()
                os.abort()
            put_off = type(failure)
    if put_off is not None:
        raised = ctypes.c_ulong(threading.get_ident()), ctypes.py_object(put_off)
        threading.Timer(0.05, ctypes.pythonapi.PyThreadState_SetAsyncExc, raised).start()
    return address


@ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)
def _compile_deferred(number: int) -> int:
    """Compile a deferred kernel from within the kernel that calls it."""
    _FOUND[number] = _surely(lambda: address_of(*_deferred[number]))
    return int(_FOUND[number])


def _provide_resolve() -> Any:
    """Make `RESOLVE` known to all code that is loaded from now on; the library that holds it."""
    module = ir.Module(RESOLVE)
    module.triple = llvm.get_process_triple()
    i64 = ir.IntType(64)
    function = ir.Function(module, ir.FunctionType(i64, [i64]), RESOLVE)
    start, missing = function.append_basic_block(), function.append_basic_block()
    builder = ir.IRBuilder(start)
    number = builder.neg(function.args[0])
    found = builder.load(builder.gep(builder.inttoptr(i64(_FOUND.ctypes.data), i64.as_pointer()), [number]))
    with builder.if_then(builder.icmp_signed("!=", found, i64(0))):
        builder.ret(found)
    builder.branch(missing)
    builder.position_at_end(missing)
    callback = ctypes.cast(_compile_deferred, ctypes.c_void_p).value
    builder.ret(builder.call(builder.inttoptr(i64(callback), function.function_type.as_pointer()), [number]))
    library = cpu_target.target_context.codegen().create_library(RESOLVE)
    with global_compiler_lock:
        library.add_llvm_module(llvm.parse_assembly(str(module)))
        library.finalize()
    llvm.add_symbol(RESOLVE, library.get_pointer_to_function(RESOLVE))
    return library


_library = _provide_resolve()
_BYTES = ir.IntType(8).as_pointer()


#: native function (pickled kernel, its size) -> address
FIND = "holonom_find"


def _of_form(form: tuple) -> int:
    module, name, result, arguments = form
    return address_of(getattr(import_module(module), name), arguments, result)


@ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64)
def _compile_later(place: int, size: int) -> int:
    """Compile a kernel of which code that is called has only the name and the types of its arguments."""
    return _surely(lambda: _of_form(pickle.loads(ctypes.string_at(place, size))))


llvm.add_symbol(FIND, ctypes.cast(_compile_later, ctypes.c_void_p).value)
_RESULTS = {"none": types.none} | {n: getattr(types, n) for n in ("float64", "int64", "boolean")}


def call_later(kernel, dispatcher, result):
    """Have the dispatcher (`_jit.Kernel.inner`) of a kernel compile nothing for those who call it: they have its name
    and the types of the arguments, and the address once they have called it.  ``result``: name of its type, or a tuple
    of names."""
    result = _RESULTS[result] if isinstance(result, str) else types.Tuple([_RESULTS[name] for name in result])
    function = dispatcher.py_func
    calls: dict[tuple, Any] = {}

    def get_call_template(args, kws):
        pysig, args = dispatcher._compiler.fold_argument_types(args, kws)
        signature = typing.signature(result, *map(types.unliteral, args))
        if _eager and signature.args not in dispatcher.overloads:
            address_of(kernel, signature.args, result)
        template = typing.make_concrete_template(f"Later({function.__name__})", function.__name__, [signature])
        return template, pysig, args, {}

    def get_overload(arguments):
        arguments = tuple(getattr(arguments, "args", arguments))
        if arguments not in calls:
            calls[arguments] = object()
            form = dumps((function.__module__, function.__qualname__, result, arguments))

            def codegen(context, builder, signature, args):
                i64 = ir.IntType(64)
                kept = cgutils.add_global_variable(builder.module, i64, f"later.{function.__name__}")
                kept.linkage, kept.initializer = "internal", i64(0)
                before, address = builder.block, builder.load(kept)
                with builder.if_then(builder.icmp_signed("==", address, i64(0)), likely=False):
                    name = builder.bitcast(
                        cgutils.global_constant(builder, "later", cgutils.make_bytearray(form)), _BYTES
                    )
                    find = cgutils.get_or_insert_function(builder.module, ir.FunctionType(i64, [_BYTES, i64]), FIND)
                    found, behind = builder.call(find, [name, i64(len(form))]), builder.block
                    builder.store(found, kept)
                place = builder.phi(i64)
                place.add_incoming(address, before)
                place.add_incoming(found, behind)
                kind = context.call_conv.get_function_type(result, arguments)
                callee = builder.inttoptr(place, kind.as_pointer())
                _, out = context.call_conv.call_function(builder, callee, result, arguments, args)
                return out

            cpu_target.target_context.insert_func_defn([(codegen, calls[arguments], arguments)])
        return calls[arguments]

    dispatcher.get_call_template, dispatcher.get_overload = get_call_template, get_overload
    return dispatcher


def native(builder, address):
    """An address that can be called: that of a deferred kernel is requested."""
    i64 = ir.IntType(64)
    before = builder.block
    with builder.if_then(builder.icmp_signed("<", address, i64(0)), likely=False):
        resolve = cgutils.get_or_insert_function(builder.module, ir.FunctionType(i64, [i64]), RESOLVE)
        found = builder.call(resolve, [address])
        behind = builder.block
    out = builder.phi(i64)
    out.add_incoming(address, before)
    out.add_incoming(found, behind)
    return out
