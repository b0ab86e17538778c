"""Keys of compiled kernels: a hash of what a kernel is compiled from, not of the files in which that is written.

Numba copies the code of every function that a kernel calls into it, and the value of every global that it reads.  The
key of a kernel is therefore a hash of its bytecode, constants and names, and, by following the objects that it refers
to (globals, closures, default values, attributes of modules, local imports), of the kernels, plain functions, numbers,
arrays, tuples and fields of named tuples behind them.  Docstrings, comments, line numbers and neighbours in the file do
not count; a package's ``__init__`` or a closure through which a kernel reaches another one cannot be missed, since
objects are followed and not texts.

Of a kernel that is called by its symbol (``@jit(apart=True)``, ``@jit(later=...)``) the name counts, and how it takes
its arguments: their names, order and default values, which Numba puts into the call.  Its code does not, since it is
not copied; the cache keeps the type of its result with the caller (`_kernel_cache`).  Implementations registered by
`_jit.overload` belong to the function that they implement, all of its branches.  Objects count with what they hold and
with the text of the module that defines their class, as classes do.  What `_later` keeps is of the process (what it has
deferred, where it lies) and does not count.  Modules that Python finds by a computed name while a kernel is typed
(``importlib.import_module`` within an overload or intrinsic) are not followed.
"""

from __future__ import annotations

import builtins
import dis
import enum
import functools
import hashlib
import importlib
import importlib.util
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any
from weakref import WeakKeyDictionary

from ._with_numba import load

#: function -> implementations that `_jit.overload` registered for it
overloads: WeakKeyDictionary[Any, list[FunctionType]] = WeakKeyDictionary()
#: function -> (hash of what it holds itself, functions that it refers to, in the order in which it names them)
_local: WeakKeyDictionary[FunctionType, tuple[bytes, tuple[FunctionType, ...]]] = WeakKeyDictionary()
_PACKAGE = __name__.partition(".")[0]
#: modules that keep what the process has compiled and where it lies: their text counts, what they hold does not
_OF_THE_PROCESS = {f"{_PACKAGE}._later"}
_ATTRIBUTES = {"LOAD_ATTR", "LOAD_METHOD", "IMPORT_FROM"}
_CONSTANTS = {dis.opmap[name] for name in ("LOAD_CONST", "RETURN_CONST") if name in dis.opmap}
#: what counts of objects of this package
_PLAIN = (bool, int, float, str, tuple, FunctionType)
#: attributes that every kernel of Numba's and every function of `functools` has
_OWN = {"__wrapped__", "__doc__", "__module__", "__dict__", "__weakref__"}
_TRANSPARENT = {"CACHE", "EXTENDED_ARG", "PUSH_NULL", "PRECALL", "NOP", "RESUME"}


def content_key(function: FunctionType, options: dict | None = None) -> str:
    """Hash of a function, of every function that it reaches, and of the options that it is compiled with."""
    load()  # names that wait for Numba
    digest = hashlib.sha256(repr(sorted((options or {}).items())).encode())
    number = {function: 0}
    queue = [function]
    for f in queue:  # grows
        own, reached = local_content(f)
        digest.update(own)
        for other in reached:
            if other not in number:
                number[other] = len(queue)
                queue.append(other)
            digest.update(b"%d," % number[other])
    return digest.hexdigest()[:32]


def reached(function: FunctionType) -> list[FunctionType]:
    """Every function whose content is in the key of a function, itself first."""
    load()
    seen = {function: None}
    queue = [function]
    for f in queue:
        for other in local_content(f)[1]:
            if other not in seen:
                seen[other] = None
                queue.append(other)
    return queue


def local_content(function: FunctionType) -> tuple[bytes, tuple[FunctionType, ...]]:
    """Hash of a function's own code and of the values that it reads, and the functions that it refers to."""
    found = _local.get(function)
    if found is None:
        content = _Content()
        content.function(function)
        found = _local[function] = content.digest.digest(), tuple(content.functions)
    return found


class _Content:
    """Collects what one function is made of."""

    def __init__(self) -> None:
        self.digest = hashlib.sha256()
        self.functions: list[FunctionType] = []
        self._open: set[int] = set()  # objects within which it is

    def put(self, *words: object) -> None:
        for word in words:
            text = word if isinstance(word, bytes) else str(word).encode()
            self.digest.update(b"%d:" % len(text) + text)

    def function(self, f: FunctionType) -> None:
        self._defaults(f)
        closed = {}
        for name, cell in zip(f.__code__.co_freevars, f.__closure__ or ()):
            try:
                closed[name] = cell.cell_contents
            except ValueError:  # not yet filled
                self.put("empty", name)
                continue
            self.put(name)
            self.value(closed[name])
        names = f.__code__.co_varnames[: f.__code__.co_argcount]
        preset = dict(zip(reversed(names), reversed(f.__defaults__ or ()))) | (f.__kwdefaults__ or {})
        self.code(f.__code__, f.__globals__, preset | closed)
        self._implemented(f)

    def _defaults(self, f: FunctionType) -> None:
        self.value(f.__defaults__)
        self.value(sorted((f.__kwdefaults__ or {}).items()))

    def _implemented(self, f: Any) -> None:
        """Implementations that `_jit.overload` registered for a function, of ours or of a library."""
        for implementation in _implementations(f):
            self.put("overload")
            self.functions.append(implementation)

    def code(self, code: CodeType, names: dict, known: dict) -> None:
        """``names``: globals; ``known``: values of free variables and of arguments, as far as they are known."""
        self.put(code.co_code, code.co_flags, code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount)
        if code.co_exceptiontable:  # which instructions a `try` covers
            self.put("try", code.co_exceptiontable)
        self.put(*code.co_names, "|", *code.co_varnames, "|", *code.co_freevars, "|", *code.co_cellvars)
        modules = {name: value for name, value in known.items() if isinstance(value, ModuleType)}
        for label, value in _referred(code, names, modules):
            self.put(label)
            self.value(value)
        for k, constant in enumerate(code.co_consts):
            if isinstance(constant, CodeType):
                self.code(constant, names, modules)
            elif k > 0 or not _documents(code):
                self.value(constant)

    def value(self, v: Any) -> None:
        """A value that code reads."""
        kernel = getattr(type(v), "kernel_of", None)  # of `_jit.Kernel`
        if kernel is not None:
            function, options, apart = kernel(v)
            if apart:
                self.put("apart", apart, function.__module__, function.__qualname__)
                self._call(v, function)
            else:
                self.put("kernel", sorted(options.items()))
                self.functions.append(function)
        elif isinstance(v, FunctionType):
            if v.__module__ in _OF_THE_PROCESS:
                self.put("text", v.__module__, _text(v.__module__), v.__qualname__)
            elif not _library(v.__module__):
                self.put("function")
                self.functions.append(v)
            else:
                self.put("library", v.__module__, v.__qualname__)
                self._implemented(v)
        elif (
            v is None
            or v is Ellipsis
            or isinstance(v, (bool, int, float, complex, str, bytes))
            and not isinstance(v, enum.Enum)
        ):
            self.put(type(v).__name__, repr(v))
        elif isinstance(v, enum.Enum):
            self.put("enum", type(v).__module__, type(v).__qualname__, v.name, repr(v.value))
        elif isinstance(v, (tuple, list)):
            self.put(type(v).__qualname__, *getattr(v, "_fields", ()), len(v))
            for item in v:
                self.value(item)
        elif isinstance(v, (set, frozenset)):
            self.put("set", *sorted(map(repr, v)))
        elif isinstance(v, dict):
            self.put("dict", len(v))
            for key, item in v.items():
                self.value(key)
                self.value(item)
        elif isinstance(v, type):
            self.put("class", v.__module__, v.__qualname__, *getattr(v, "_fields", ()))
            if issubclass(v, enum.Enum):
                self.put(*(f"{m.name}={m.value!r}" for m in v))
            elif hasattr(v, "_fields"):
                self.value(sorted(getattr(v, "_field_defaults", {}).items()))
            elif (compiled := getattr(v, "class_type", None)) is not None:  # of numba.experimental.jitclass
                self.put("jitclass", compiled.struct)
                for parts in (compiled.jit_methods, compiled.jit_static_methods, compiled.jit_props):
                    self.value({name: parts[name] for name in sorted(parts)})
            elif not _library(v.__module__) and not issubclass(v, BaseException):
                self.put("text", _text(v.__module__))
        elif isinstance(v, ModuleType):
            self.put("module", v.__name__ if _library(v.__name__) else "")  # what is read from it counts
        elif isinstance(v, MethodType):
            self.put("method")
            self.value(v.__func__)
            self.value(v.__self__)
        elif isinstance(v, BuiltinFunctionType):
            self.put("library", getattr(v, "__module__", None), getattr(v, "__qualname__", repr(type(v))))
            self._implemented(v)
        elif isinstance(v, functools.partial):
            self.put("partial")
            for part in (v.func, v.args, v.keywords):
                self.value(part)
        else:
            self._other(v)

    def _call(self, kernel: Any, function: FunctionType) -> None:
        """How a kernel that is called by its symbol takes its arguments.  Raises TypeError where its name leads to
        another one: callers would get that."""
        code = function.__code__
        self.put(code.co_flags, code.co_posonlyargcount, code.co_kwonlyargcount)
        self.put(*code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
        self._defaults(function)
        named = getattr(sys.modules.get(function.__module__), function.__qualname__, kernel)
        if named is not kernel and getattr(named, "kernel_of", None) is not None:
            raise TypeError(
                f"two kernels of {function.__module__} are called {function.__qualname__}; one that is compiled apart "
                "or later is found by its name: give them different names"
            )

    def _other(self, v: Any) -> None:
        """Arrays, dispatchers, intrinsics and types of Numba, and whatever else."""
        kind = type(v)
        where = kind.__module__ or ""
        if where.partition(".")[0] == "numpy":
            import numpy as np

            if isinstance(v, (np.ndarray, np.generic)):
                array = np.asarray(v)
                form = array.dtype.str if array.dtype.names is None else repr(array.dtype)
                self.put("array", form, array.shape, array.tobytes() if not array.dtype.hasobject else repr(array))
            else:
                self.put("numpy", kind.__qualname__, getattr(v, "__name__", None) or str(v))
                self._implemented(v)
            return
        if "numba" in sys.modules:
            from numba.core import types

            if isinstance(v, types.Type):
                self.put("type", type_key(v))
                return
        if where.partition(".")[0] == "numba":
            for attribute in ("py_func", "_defn"):  # of a dispatcher; of an intrinsic
                function = getattr(v, attribute, None)
                if isinstance(function, FunctionType):
                    self.put(attribute, sorted(getattr(v, "targetoptions", {}).items()))
                    self.value(function)
                    return
        if isinstance(getattr(v, "__wrapped__", None), FunctionType):  # functools.cache and its like
            self.put("wrapped", kind.__qualname__)
            self.value(v.__wrapped__)
            return
        self.put("object", where, kind.__qualname__, _text(where))
        if id(v) in self._open or _library(where):
            return
        self._open.add(id(v))
        for name, item in sorted(getattr(v, "__dict__", {}).items()):
            # objects of this package also keep what the process has made: their plain values count
            if name not in _OWN and (not _ours(where) or isinstance(item, _PLAIN)):
                self.put(name)
                self.value(item)
        self._open.discard(id(v))


def _documents(code: CodeType) -> bool:
    """Is the first constant a docstring, or the place where one would be: a text or None that the code itself does not
    read?"""
    if not code.co_consts or not isinstance(code.co_consts[0], (str, type(None))):
        return False
    raw = code.co_code  # pairs of an operation and its argument, whose higher bits stand in the pair before
    reads = range(0, len(raw), 2)
    return not any(raw[k] in _CONSTANTS and not raw[k + 1] and (not k or raw[k - 2] != dis.EXTENDED_ARG) for k in reads)


def _referred(code: CodeType, names: dict, modules: dict[str, ModuleType]) -> Iterator[tuple[str, Any]]:
    """What instructions read from globals, through attributes of modules and by local imports, each once.

    ``modules``: modules that local and free variables are known to hold; those that the code binds itself are added.
    Which variable holds which module is followed as far as plain assignments go; beyond them every attribute that the
    code names counts in every module that it can reach.
    """
    seen: set[str] = set()
    reachable = {id(m): m for m in modules.values()}
    top: tuple[str, ModuleType] | None = None  # the module that the instruction before left on the stack
    last: tuple[str, ModuleType] | None = None  # what it left on the stack itself
    importing = False
    constants: list[Any] = [None, None]
    for i in dis.get_instructions(code):
        name, value, label = i.argval, _NOTHING, ""
        if i.opname in _TRANSPARENT:
            continue
        if i.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            label, value = name, names.get(name, getattr(builtins, name, _NOTHING))
        elif i.opname in ("LOAD_FAST", "LOAD_DEREF", "LOAD_CLOSURE", "LOAD_FAST_CHECK") and name in modules:
            label, value = name, modules[name]
        elif i.opname == "IMPORT_NAME":
            label, value = name, _imported(names, name, constants[0], bool(constants[1]))
        elif i.opname in _ATTRIBUTES and top is not None:
            label, value = f"{top[0]}.{name}", getattr(top[1], name, _NOTHING)
            if value is _NOTHING and i.opname == "IMPORT_FROM":
                value = _submodule(top[1], name)
        elif i.opname == "LOAD_CONST":
            constants = [constants[1], name]
        elif i.opname in ("STORE_FAST", "STORE_DEREF") and last is not None:
            modules[name] = last[1]
        if value is not _NOTHING and label not in seen:
            seen.add(label)
            yield label, value
        if isinstance(value, ModuleType):
            reachable[id(value)] = value
        last = (label, value) if isinstance(value, ModuleType) and not _library(value.__name__) else None
        # `from m import a, b` keeps m on the stack while a and b are taken from it and stored
        if i.opname != "IMPORT_FROM" and not (i.opname in ("STORE_FAST", "STORE_DEREF") and importing):
            top = last
        importing = i.opname == "IMPORT_NAME" or importing and i.opname in ("IMPORT_FROM", "STORE_FAST", "STORE_DEREF")
    queue = list(reachable.values())
    for module in queue:  # grows
        library = _library(module.__name__)
        for name in code.co_names:
            value = vars(module).get(name, _NOTHING)
            if value is _NOTHING or library and not _implementations(value):
                continue
            yield f".{name}", value
            if isinstance(value, ModuleType) and id(value) not in reachable:
                reachable[id(value)] = value
                queue.append(value)


_NOTHING = object()


def _imported(names: dict, name: str, level: int, listed: bool) -> Any:
    """The module of a local import, as the import statement binds it."""
    package = names.get("__package__") or ""
    full = importlib.util.resolve_name("." * level + name, package) if level else name
    if not level and _library(full):
        return _NOTHING  # its name counts, whether it has been loaded or not
    found = importlib.import_module(full)
    return found if listed or level else sys.modules[full.partition(".")[0]]


def _submodule(module: ModuleType, name: str) -> Any:
    try:
        return importlib.import_module(f"{module.__name__}.{name}")
    except ImportError:
        return _NOTHING


def _ours(module: str) -> bool:
    return module.partition(".")[0] == _PACKAGE


def _library(module: str | None) -> bool:
    """Is a module of Python, of a package whose version is in every key, or of one of which nothing is compiled into
    kernels?  What it holds is not followed; its names count."""
    top = (module or "").partition(".")[0]
    return top in sys.stdlib_module_names and top != "__main__" or top in ("numpy", "numba", "llvmlite", "scipy")


def _implementations(function: Any) -> list[FunctionType]:
    try:
        return overloads.get(function, [])
    except TypeError:  # nothing can refer to it weakly, so nothing has been registered for it
        return []


@cache
def _text(module: str) -> str:
    """Hash of the text of a module, for objects whose content is not known otherwise."""
    file = getattr(sys.modules.get(module), "__file__", None)
    try:
        return hashlib.sha256(Path(file).read_bytes()).hexdigest() if file else ""
    except OSError:
        return ""


_types: dict[Any, str] = {}


def type_key(kind: Any) -> str:
    """Hash of a type of Numba, of the names of the fields in it, and of the functions that it stands for: what its name
    does not give."""
    found = _types.get(kind)
    if found is None:
        digest = hashlib.sha256(repr(kind).encode())
        for part in _parts(kind):
            digest.update(part.encode())
        found = _types[kind] = digest.hexdigest()[:32]
    return found


def _parts(kind: Any) -> Iterator[str]:
    from numba.core import types

    if isinstance(kind, types.BaseTuple):
        named = getattr(kind, "instance_class", None)
        if named is not None:
            yield f"{named.__module__}.{named.__qualname__}({','.join(named._fields)})"
        yield from map(type_key, kind.types)
    elif isinstance(kind, types.Dispatcher):
        yield content_key(kind.dispatcher.py_func, kind.dispatcher.targetoptions)
    else:
        for name in ("content", "target", "dtype"):  # of a handle, of a reference, of an array
            inner = getattr(kind, name, None)
            if isinstance(inner, types.Type) and inner is not kind:
                yield type_key(inner)


def signature_key(arguments: Any) -> str:
    """Hash of the types of arguments (a tuple of types, or a signature)."""
    arguments = getattr(arguments, "args", arguments)
    return hashlib.sha256(" ".join(map(type_key, arguments)).encode()).hexdigest()[:32]
