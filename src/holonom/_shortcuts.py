"""What Numba finds again each time that it compiles a function, remembered while it compiles ours.

Of the time that a kernel takes to compile, LLVM has a third; the rest is Numba's Python.  A tenth of it goes into three
questions with few answers: which types an operator gives for numbers, how large an LLVM type is, and whether two sets
of options are equal.  The answers are Numba's own.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba import types
from numba.core.compiler import Flags
from numba.core.registry import cpu_target
from numba.core.targetconfig import TargetConfig

#: functions whose result depends on the types of their arguments alone
_OPERATORS = frozenset(
    getattr(operator, name)
    for name in "add sub mul truediv neg pos iadd isub imul itruediv eq ne lt le gt ge not_ mod floordiv".split()
)
_NUMBERS = (types.Float, types.Integer, types.Complex, types.Boolean)
_results: dict[tuple, Any] = {}
_sizes: dict[str, int] = {}


def _resolve(func: Any, args: Any, kws: Any) -> Any:
    """As ``BaseContext.resolve_function_type``, once for each operator and types of numbers."""
    context = cpu_target.typing_context
    if kws or func not in _OPERATORS or not all(isinstance(a, _NUMBERS) for a in args):
        return type(context).resolve_function_type(context, func, args, kws)
    key = context._lookup_global(func), tuple(args)  # the first changes with every implementation that is added
    if key not in _results:
        _results[key] = type(context).resolve_function_type(context, func, args, kws)
    return _results[key]


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


@contextmanager
def remembered() -> Iterator[None]:
    """While this is entered."""
    typing, target = cpu_target.typing_context, cpu_target.target_context
    typing.resolve_function_type, target.get_abi_sizeof = _resolve, _size
    Flags.__eq__, Flags.__hash__ = _equal, lambda flags: _HASH
    try:
        yield
    finally:
        del typing.resolve_function_type, target.get_abi_sizeof, Flags.__eq__, Flags.__hash__
