"""Types of the arguments with which Python calls kernels, as kernels declare them: ``@jit(entry="float64[::1]")``.

A declaration is one text for each form, several in a tuple.  Types are written as Numba writes them (``float64``,
``int64``, ``boolean``, ``float64[:, ::1]``), read-only arrays as ``const float64[::1]``, tuples as ``(int64, float64)``
or ``3 * float64``.  Tuples of tables have the name of their class: ``Problem``, ``complex LUArrays`` where arrays are
complex.  ``Handle(S, W, P)`` is a handle (`_handle`), with the tuples that P holds behind its name:
``Handle(Tables, Work, Explicit(Stages))``.  So a field more in a table changes no declaration; what the names stand
for is found from values (`kernel_forms`).

Python code of the package may give a whole number where another number is declared, and arrays that are read-only or
not contiguous, for which a form of their own is compiled.  Everything else raises TypeError in our tests before
anything is compiled, so that what a wheel brings along is what runs call (`guard`).
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable
from typing import Any

#: modules between a kernel and who calls it
_BETWEEN = {__name__, f"{__package__}._jit", f"{__package__}._kernel_cache"}


def texts(declared: str | tuple[str, ...] | None) -> tuple[str, ...]:
    """The forms of a declaration."""
    return () if declared is None else (declared,) if isinstance(declared, str) else tuple(declared)


def described(kind: Any) -> str:
    """A type of Numba as declarations write it."""
    from numba.core import types

    from ._handle import HandleType

    if isinstance(kind, HandleType):
        S, W, P = kind.content.types
        held = [described(t) for t in getattr(P, "types", ()) if isinstance(t, types.BaseNamedTuple)]
        return f"Handle({described(S)}, {described(W)}, {described(P)}{'(' + ', '.join(held) + ')' if held else ''})"
    if isinstance(kind, types.BaseNamedTuple):
        numbers = {getattr(t, "dtype", None) for t in kind.types}
        return f"{'complex ' if types.complex128 in numbers else ''}{kind.instance_class.__name__}"
    if isinstance(kind, types.UniTuple) and kind.count > 1:
        return f"{kind.count} * {described(kind.dtype)}"
    if isinstance(kind, types.BaseTuple):
        return f"({', '.join(map(described, kind.types))})"
    if isinstance(kind, types.Array):
        dims = [":"] * kind.ndim
        if kind.layout == "C":
            dims[-1] = "::1"
        elif kind.layout == "F":
            dims[0] = "::1"
        return f"{'' if kind.mutable else 'const '}{kind.dtype}[{', '.join(dims)}]"
    return "boolean" if kind == types.boolean else str(kind)


def listed(arguments: Any) -> str:
    """Types of arguments as one text."""
    return ", ".join(map(described, arguments))


def split(text: str) -> list[str]:
    """The types in a list of them."""
    out, depth, begin = [], 0, 0
    for k, c in enumerate(text):
        depth += (c in "([") - (c in ")]")
        if c == "," and depth == 0:
            out.append(text[begin:k].strip())
            begin = k + 1
    return [*out, text[begin:].strip()] if text[begin:].strip() else out


def parsed(text: str, named: Callable[[str], Any]) -> Any:
    """The type of Numba that a text means; ``named`` gives those of tuples and handles by their text."""
    from numba.core import types

    count, star, of = text.partition(" * ")
    if star and count.isdigit():
        return types.UniTuple(parsed(of, named), int(count))
    if text.startswith("("):
        return types.BaseTuple.from_types([parsed(t, named) for t in split(text[1:-1])])
    const = text.startswith("const ")
    name, bracket, dims = text.removeprefix("const ").partition("[")
    number = types.boolean if name == "bool" else getattr(types, name, None)
    if isinstance(number, types.Type):
        if not bracket:
            return number
        layout = "C" if dims.endswith("::1]") else "F" if dims.startswith("::1") else "A"
        return types.Array(number, dims.count(",") + 1, layout, readonly=const)
    return named(text)


def _loose(text: str) -> str:
    """A declaration without what may differ in arrays: their order in memory, and whether they can be written."""
    return text.replace("const ", "").replace("::1", ":")


_WHOLE = ("int64", "uint64", "int32", "uint32", "boolean")


def _converts(given: str, wanted: str) -> bool:
    """May a number of one type be given for another?"""
    return (
        given == wanted
        or given in _WHOLE
        and wanted in ("int64", "float64", "complex128")
        or (given == "float64" and wanted == "complex128")
    )


def _caller() -> str:
    """Module of the Python code that calls the kernel at hand."""
    frame = sys._getframe(1)
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        if name not in _BETWEEN and not name.startswith("numba."):
            return name
        frame = frame.f_back
    return ""


def guard(kernel: Any, dispatcher: Any) -> Any:
    """Have the form of a kernel for Python compile what it declares; returns the dispatcher.  Other types are an error
    where HOLONOM_DECLARED_KERNELS is set, as in our tests; for users they cost a compilation and a logged warning.
    Who is not of this package (a test, a law of a user) may call it with any types."""
    compile_form, declared = dispatcher.compile, texts(kernel.entered)
    name = f"{kernel.py_func.__module__}.{kernel.py_func.__qualname__}"

    def compile_declared(sig: Any) -> Any:
        arguments = tuple(getattr(sig, "args", sig))
        text = listed(arguments)
        if text in declared or _loose(text) in map(_loose, declared) or not _caller().startswith(f"{__package__}."):
            return compile_form(sig)
        given = split(text)
        for form in declared:
            wanted = split(form)
            if len(wanted) == len(given) and all(map(_converts, given, wanted)):
                return compile_form(tuple(map(_numbers(arguments), range(len(wanted)), wanted)))
        declares = f"declares ({') or ('.join(declared)})" if declared else "declares no types of arguments"
        message = f'Python calls {name} with ({text}); it {declares}: write @jit(entry="...")'
        if os.environ.get("HOLONOM_DECLARED_KERNELS"):
            raise TypeError(message)
        logging.getLogger(__package__).warning(message)
        return compile_form(sig)

    dispatcher.compile = compile_declared
    return dispatcher


def _numbers(arguments: tuple) -> Callable[[int, str], Any]:
    """Types of arguments with those numbers converted that are declared otherwise."""
    from numba.core import types

    return lambda k, wanted: (
        getattr(types, wanted) if isinstance(arguments[k], types.Number | types.Boolean) else (arguments[k])
    )
