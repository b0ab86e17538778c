"""Functions that a study evaluates: how another process finds them, and a fingerprint of their code."""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.util
import inspect
import os
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ..model import ModelError
from ..model.base import shown

#: part of a fingerprint that only a study has which is given the function itself, not its name
READ = "values that the function reads"


def target_of(function: Callable[..., Any] | str, folder: Path | None = None) -> dict[str, Any] | None:
    """Where another process finds a function: ``{"file" or "module", "name"}``; None where it cannot (a lambda, a
    function within a function, one of a notebook cell).

    A text is ``"file.py:function"``, relative to ``folder``, or ``"package.module:function"``.  Raises ModelError for a
    text that means neither."""
    if isinstance(function, str):
        place, _, name = function.rpartition(":")
        if not place or not name.isidentifier():
            raise ModelError(f"{shown(function)} does not name a function; write 'file.py:function'")
        if place.endswith(".py"):
            path = (Path(folder or ".") / place).resolve()
            if not path.is_file():
                raise ModelError(f"there is no file '{path}', which {shown(function)} names")
            return {"file": str(path), "name": name}
        return {"module": place, "name": name}
    if not callable(function):
        raise ModelError(f"a study evaluates a function, got {shown(function)}; give one, or 'file.py:function'")
    name, module = getattr(function, "__qualname__", ""), getattr(function, "__module__", "")
    if not name or "<" in name or not module:
        return None
    if not _found_by(name, module, function):
        return None
    if module == "__main__":
        file = getattr(sys.modules["__main__"], "__file__", None)
        return {"file": str(Path(file).resolve()), "name": name} if file and file.endswith(".py") else None
    try:
        found = importlib.util.find_spec(module)
    except (ImportError, ValueError):
        found = None
    file = getattr(sys.modules.get(module), "__file__", None)
    if found is None or found.origin is None:
        return {"file": str(Path(file).resolve()), "name": name} if file and file.endswith(".py") else None
    return {"module": module, "name": name}


def _found_by(name: str, module: str, function: Any) -> bool:
    """Whether a name in a module means this function; one of text that was executed has the name of another."""
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return found is function


def file_of(target: dict[str, Any]) -> Path | None:
    """The Python file of a target.  Raises ModelError for a module that does not exist."""
    if target.get("file"):
        return Path(target["file"])
    try:
        found = importlib.util.find_spec(target["module"])
    except (ImportError, ValueError):
        found = None
    if found is None:
        raise ModelError(f"there is no module '{target['module']}'; write 'file.py:function' for a function of a file")
    return Path(found.origin) if found.origin and found.origin.endswith(".py") else None


def fingerprint(target: dict[str, Any] | None, function: Any = None, files: tuple[Path, ...] = ()) -> dict[str, str]:
    """Hashes of what a run depends on: name -> hash of the file of the function and of files next to it that it
    imports (without comments and docstrings), of further ``files`` (their bytes), of Holonom, NumPy and SciPy."""
    out: dict[str, str] = {}
    start = file_of(target) if target else None
    if start is not None and not _ours(start):
        for path in _with_imports(start):
            out[f"file {path.name}"] = _hash(_code(path))
    elif target is None and function is not None:
        out["function"] = _hash(_code_of(function))
        if values := _held(function):
            out["values that the function holds"] = _hash(values)
    if target is not None and function is not None and (values := _read(function)):
        out[READ] = _hash(values)
    for path in files:
        out[f"file {Path(path).name}"] = hashlib.sha256(Path(path).read_bytes()).hexdigest()[:16]
    import numpy
    import scipy

    return out | {"holonom": _own_code(), "numpy": numpy.__version__, "scipy": scipy.__version__}


def _read(function: Any, seen: frozenset[int] = frozenset()) -> str:
    """Plain values of its module that a function names, and those that functions of its module name which it calls: a
    number of the command line, a table that the session has changed."""
    while isinstance(function, functools.partial):
        function = function.func
    code = getattr(function, "__code__", None)
    if code is None or id(function) in seen:
        return ""
    seen |= {id(function)}
    held = {n: function.__globals__[n] for n in _names_in(code) if n in function.__globals__}
    plain = {n: v for n, v in held.items() if _plain(v)}
    others = [v for v in held.values() if _written_with(v, function) and hasattr(v, "__code__")]
    return (_shown(plain) if plain else "") + "".join(_read(other, seen) for other in others)


def values_read(function: Any, seen: frozenset[int] = frozenset()) -> dict[str, str]:
    """Hashes of the plain values of its module that a function and those of its module that it calls name: a number of
    the command line, the contents of a file that was read at import."""
    while isinstance(function, functools.partial):
        function = function.func
    code = getattr(function, "__code__", None)
    if code is None or id(function) in seen:
        return {}
    held = {n: function.__globals__[n] for n in _names_in(code) if n in function.__globals__}
    out = {n: _hash(_shown(v)) for n, v in held.items() if _plain(v) and not n.startswith("__")}
    for other in held.values():
        if _written_with(other, function) and hasattr(other, "__code__"):
            out |= values_read(other, seen | {id(function)})
    return out


def _code_of(function: Any) -> str:
    while isinstance(function, functools.partial):
        function = function.func
    if not hasattr(function, "__code__") and not hasattr(function, "__func__"):
        function = type(function)  # an object that is called
    try:
        return inspect.getsource(function)
    except (OSError, TypeError):
        return _compiled(getattr(function, "__code__", None))


def _code_of_class(cls: type) -> str:
    """The source of a class; without one the code of its methods."""
    try:
        return inspect.getsource(cls)
    except (OSError, TypeError):
        held = {
            n: _compiled(getattr(m, "__code__", None)) or (repr(m) if _plain(m) else "") for n, m in vars(cls).items()
        }
        return f"{cls.__qualname__}{held}"


def _compiled(code: Any) -> str:
    """Compiled code as text, where there is no source (typed at a prompt): its instructions, constants and names."""
    if not hasattr(code, "co_code"):
        return ""
    constants = [
        _compiled(c) if hasattr(c, "co_code") else repr(sorted(map(repr, c)) if isinstance(c, frozenset) else c)
        for c in code.co_consts
    ]
    return f"{code.co_code.hex()}{constants}{code.co_names}{code.co_varnames}{code.co_freevars}"


def _held(function: Any, seen: frozenset[int] = frozenset()) -> str:
    """Values that a function brings with it: arguments of a `functools.partial`, defaults, variables of a closure,
    fields of the object of a method, and globals that it names, with the functions and classes of its own module among
    them.  ``seen``: functions that were compared already."""
    if id(function) in seen:
        return ""
    seen |= {id(function)}
    if isinstance(function, functools.partial):
        return _held(function.func, seen) + _shown(function.args) + _shown(function.keywords)
    owner = getattr(function, "__self__", None if hasattr(function, "__code__") else function)
    inner = getattr(function, "__func__", function)
    if not hasattr(inner, "__code__"):
        inner = vars(type(function)).get("__call__", function)
    out = "" if owner is None else _shown(getattr(owner, "__dict__", {}))
    code = getattr(inner, "__code__", None)
    if code is None:
        return out
    out += _shown(inner.__defaults__ or ()) + _shown(inner.__kwdefaults__ or {})
    cells = {n: c.cell_contents for n, c in zip(code.co_freevars, inner.__closure__ or ()) if _is_full(c)}
    names = {n: inner.__globals__[n] for n in _names_in(code) if n in inner.__globals__}
    held = {n: v for n, v in names.items() if _plain(v) or _written_with(v, inner)}
    return out + _shown(cells, seen=seen) + _shown(held, seen=seen)


def _names_in(code: Any) -> list[str]:
    """Names that compiled code reads, with the functions within it."""
    out = list(code.co_names)
    for constant in code.co_consts:
        if hasattr(constant, "co_code"):
            out += _names_in(constant)
    return sorted(set(out))


def _written_with(value: Any, function: Any) -> bool:
    """Whether a function or class was written next to another function, in the same notebook or script."""
    return callable(value) and getattr(value, "__module__", None) == function.__module__


def _is_full(cell: Any) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True


def _plain(value: Any) -> bool:
    return isinstance(value, (bool, int, float, str, bytes, tuple, list, dict, np.ndarray, np.generic))


def _shown(value: Any, depth: int = 8, seen: frozenset[int] = frozenset()) -> str:
    """A text that is equal for equal plain values; of other objects the type alone, since an address would differ."""
    if depth == 0 or not (_plain(value) or value is None):
        if callable(value) and hasattr(value, "__code__"):
            return _code_of(value) + (_held(value, seen) if depth > 4 else "")
        if isinstance(value, type):
            return _code_of_class(value)
        return f"<{type(value).__qualname__}>"
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{value.shape}{hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()}"
    if isinstance(value, dict):
        rows = sorted(value.items(), key=lambda row: str(row[0]))
        return "{" + ",".join(f"{k!r}:{_shown(v, depth - 1, seen)}" for k, v in rows) + "}"
    if isinstance(value, (tuple, list)):
        return "[" + ",".join(_shown(v, depth - 1, seen) for v in value) + "]"
    return repr(value)


def changes(old: dict[str, str], new: dict[str, str]) -> list[str]:
    """What differs between two fingerprints, in words."""
    out = [f"{name} has changed" for name in old if name in new and old[name] != new[name]]
    out += [f"{name} is no longer used" for name in old if name not in new]
    return out + [f"{name} is new" for name in new if name not in old]


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _code(path: Path) -> str:
    """The syntax tree of a file as text, without docstrings: comments and layout do not count."""
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except SyntaxError as error:
        raise ModelError(f"'{path}', line {error.lineno}: {error.msg}") from None
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr):
            if isinstance(body[0].value, ast.Constant) and isinstance(body[0].value.value, str):
                del body[0]
    return ast.dump(tree)


def _with_imports(start: Path) -> list[Path]:
    """A file and those of its folder that it imports, in order of names."""
    found: dict[Path, None] = {}
    queue = [start]
    for path in queue:  # grows
        if path in found:
            continue
        found[path] = None
        try:
            tree = ast.parse(path.read_text(encoding="utf-8"))
        except SyntaxError:
            continue
        for node in ast.walk(tree):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                names = [node.module] if node.module else [a.name for a in node.names]
            for name in names:
                other = path.parent / (name.replace(".", os.sep) + ".py")
                if other.is_file():
                    queue.append(other)
    return sorted(found)


def _ours(path: Path) -> bool:
    return Path(__file__).resolve().parents[1] in path.resolve().parents


@cache
def _own_code() -> str:
    """Hash of the source of Holonom that can change a result."""
    total = hashlib.sha256()
    root = Path(__file__).resolve().parents[1]
    for path in sorted(root.rglob("*.py")):
        if path.parent.name not in ("cli", "studio", "pages", "pictures"):
            total.update(path.read_bytes())
    return total.hexdigest()[:16]
