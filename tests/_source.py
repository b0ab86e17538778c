"""What several tests read from the whole source, which takes seconds to parse: parsed once in a process."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

#: fields of statements that hold statements
_BODIES = ("body", "orelse", "finalbody", "handlers", "cases")


def _prune(node: ast.AST) -> bool:
    """Leave of the statements below one imports, functions, classes and what holds such; whether any is left."""
    found = False
    for field in _BODIES:
        below = getattr(node, field, None)
        if isinstance(below, list):
            kept = [s for s in below if _prune(s) or isinstance(s, _NAMED)]
            found = found or bool(kept)
            setattr(node, field, kept)
    return found


_NAMED = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@cache
def outline(path: Path) -> ast.Module:
    """The tree of a file with its imports, functions and classes alone, wherever they stand; read it, and change
    nothing."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    _prune(tree)
    return tree
