"""What Numba finds again each time that it compiles a function, remembered while it compiles ours.

Of the time that a kernel takes to compile, LLVM has a third; the rest is Numba's Python.  A quarter of it goes into
questions with few answers: which type a function of Numba gives for types of arguments, how large an LLVM type is,
whether two sets of options are equal, whether implementations have been registered since the last function; and into
lifetimes of variables that are found after each of twenty passes and read after the last.  The answers are Numba's own.

What nobody reads is not made: reports of passes and locks to which nobody listens, the source with the types of its
variables, and rewrites of expressions of arrays in kernels that make no arrays.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from numba.core import config, event, ir, transforms, types
from numba.core.compiler import Flags
from numba.core.imputils import RegistryLoader
from numba.core.postproc import PostProcessor, VariableLifetime
from numba.core.registry import cpu_target
from numba.core.targetconfig import TargetConfig
from numba.core.typed_passes import AnnotateTypes, NopythonRewrites
from numba.core.types.functions import BaseFunction
from numba.core.typing.templates import RegistryLoader as TypingLoader

_results: dict[tuple[int, ...], Any] = {}
_attributes: dict[tuple[int, str], Any] = {}
_sizes: dict[str, int] = {}
_call_type, _process, _list_vars = BaseFunction.get_call_type, PostProcessor.run, ir.Inst._rec_list_vars


def _result(function: BaseFunction, context: Any, args: tuple, kws: dict) -> Any:
    """As ``BaseFunction.get_call_type``, once for each function and types: a function to which an implementation is
    added is another one, and types that are equal are one object with one number."""
    try:
        key = function._code, *(a._code for a in args)
    except AttributeError:  # an index that is a number
        return _call_type(function, context, args, kws)
    if kws or context is not cpu_target.typing_context:
        return _call_type(function, context, args, kws)
    found = _results.get(key)
    if found is None:
        found = _results[key] = _call_type(function, context, args, kws)
    return found


def _attribute(typ: Any, name: str) -> Any:
    """As ``BaseContext.resolve_getattr``, once for each type and name; what a module has may change."""
    context = cpu_target.typing_context
    key = typ._code, name
    found = _attributes.get(key)
    if found is None:
        found = type(context).resolve_getattr(context, typ, name)
        if found is not None and not isinstance(typ, types.Module):
            _attributes[key] = found
    return found


def _size(kind: Any) -> int:
    """As ``BaseContext.get_abi_sizeof``, which has LLVM read a module for each answer."""
    context = cpu_target.target_context
    name = str(kind)
    if "%" in name:  # of a named structure, which need not be the same everywhere
        return type(context).get_abi_sizeof(context, kind)
    if name not in _sizes:
        _sizes[name] = type(context).get_abi_sizeof(context, kind)
    return _sizes[name]


def _equal(one: TargetConfig, other: object) -> bool:
    """As ``TargetConfig.__eq__``, without a dictionary of sixty options where both have been given the same."""
    if isinstance(other, TargetConfig) and type(one) is type(other) and one._values == other._values:
        return True
    return TargetConfig.__eq__(one, other)


_HASH = hash(Flags())  # the same for all: Numba hashes the names of the options


def _registered() -> int:
    """How much has been registered with Numba; nothing is ever removed."""
    return sum(
        len(getattr(registry, items))
        for context, loader in ((cpu_target.target_context, RegistryLoader), (cpu_target.typing_context, TypingLoader))
        for registry in context._registries
        for items in loader.registry_items
    )


def _refreshed() -> Any:
    """``BaseContext.refresh`` that does nothing where nothing has been registered since it did last."""
    context, seen = cpu_target.target_context, -1

    def refresh() -> None:
        nonlocal seen
        if _registered() != seen:
            type(context).refresh(context)
            seen = _registered()

    return refresh


def _put_lifetimes(processor: PostProcessor, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
    """As ``PostProcessor.run``; lifetimes of variables are found where a pass reads them.  Which variables a block
    begins with is read by generators and in object mode alone."""
    code = processor.func_ir
    if code.is_generator:
        return _process(processor, emit_dels, extend_lifetimes)
    code.blocks = transforms.canonicalize_cfg(code.blocks)
    code.variable_lifetime = VariableLifetime(code.blocks)
    code.generator_info = None
    if emit_dels:
        processor._insert_var_dels(extend_lifetimes=extend_lifetimes)


def _collect(values: Iterable, found: list) -> None:
    for value in values:
        kind = type(value)
        if kind is ir.Var:
            found.append(value)
        elif kind is tuple or kind is list:
            _collect(value, found)
        elif kind is dict:
            _collect(value.values(), found)
        elif isinstance(value, ir.Inst):
            found += value.list_vars()


def _variables(instruction: Any, value: Any) -> list:
    """As ``Inst._rec_list_vars``: all variables in an instruction, in their order, in one list."""
    found: list = []
    _collect((value,), found)
    return found


_start_event, _end_event, _trigger_event = event.start_event, event.end_event, event.trigger_event
_annotate, _rewrite = AnnotateTypes.run_pass, NopythonRewrites.run_pass


def _started(kind: str, data: Any = None) -> None:
    """As ``event.start_event``, where somebody listens."""
    if event._registered.get(kind):
        _start_event(kind, data)


def _ended(kind: str, data: Any = None, exc_details: Any = None) -> None:
    """As ``event.end_event``, where somebody listens."""
    if event._registered.get(kind):
        _end_event(kind, data, exc_details)


def _triggered(kind: str, data: Any = None) -> AbstractContextManager:
    """As ``event.trigger_event``, where somebody listens."""
    return _trigger_event(kind, data) if event._registered.get(kind) else nullcontext()


def _annotated(annotation: AnnotateTypes, state: Any) -> bool:
    """As ``AnnotateTypes.run_pass``, where Numba has been set to show the types of variables."""
    if config.ANNOTATE or config.HTML:
        return _annotate(annotation, state)
    state.type_annotation = "types of variables are not kept"
    return False


def _rewritten(rewrites: NopythonRewrites, state: Any) -> bool:
    """As ``NopythonRewrites.run_pass``: of its rewrites those of expressions of arrays and of lists of constants make
    arrays, others are of texts as indices."""
    texts = (types.UnicodeType, types.StringLiteral)
    if state.flags.nrt or any(isinstance(t, texts) for t in state.typemap.values()):
        return _rewrite(rewrites, state)
    return False


@contextmanager
def remembered() -> Iterator[None]:
    """While this is entered."""
    typing, target = cpu_target.typing_context, cpu_target.target_context
    typing.resolve_getattr, target.get_abi_sizeof, target.refresh = _attribute, _size, _refreshed()
    BaseFunction.get_call_type, PostProcessor.run, ir.Inst._rec_list_vars = _result, _put_lifetimes, _variables
    Flags.__eq__, Flags.__hash__ = _equal, lambda flags: _HASH
    event.start_event, event.end_event, event.trigger_event = _started, _ended, _triggered
    AnnotateTypes.run_pass, NopythonRewrites.run_pass = _annotated, _rewritten
    try:
        yield
    finally:
        del typing.resolve_getattr, target.get_abi_sizeof, target.refresh, Flags.__eq__, Flags.__hash__
        BaseFunction.get_call_type, PostProcessor.run, ir.Inst._rec_list_vars = _call_type, _process, _list_vars
        event.start_event, event.end_event, event.trigger_event = _start_event, _end_event, _trigger_event
        AnnotateTypes.run_pass, NopythonRewrites.run_pass = _annotate, _rewrite
