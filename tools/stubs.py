"""Writes `model/builder/kinds.pyi`: the builder methods that registers put into `Model`, for type checkers and editors.

python tools/stubs.py          write it
python tools/stubs.py --check  say whether it is what would be written
"""

import ast
import inspect
import subprocess
import sys
import textwrap
from pathlib import Path

HEAD = '''"""Builder methods that registers put into `Model`.  Written by tools/stubs.py: do not edit."""

from __future__ import annotations
'''


def _value(default) -> str:
    """A default as a stub shows it."""
    return repr(default) if isinstance(default, (bool, int, float, str)) or default is None or default == () else "..."


def _parameter(p: inspect.Parameter) -> str:
    star = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
    kind = p.annotation if isinstance(p.annotation, str) else "Any"
    return f"{star}{p.name}: {kind}" + ("" if p.default is p.empty else f" = {_value(p.default)}")


def _method(name: str, function) -> str:
    signature = inspect.signature(function)
    words, starred = ["self"], False
    for p in list(signature.parameters.values())[1:]:
        if p.kind is p.KEYWORD_ONLY and not starred:
            words.append("*")
            starred = True
        starred = starred or p.kind is p.VAR_POSITIONAL
        words.append(_parameter(p))
    back = signature.return_annotation if isinstance(signature.return_annotation, str) else "Any"
    first = textwrap.fill(
        inspect.getdoc(function).partition("\n\n")[0] + '"""',
        110,
        initial_indent=" " * 8 + '"""',
        subsequent_indent=" " * 8,
    )
    return f"    def {name}({', '.join(words)}) -> {back}:\n{first}\n"


def _sources(functions) -> list[str]:
    """Imports of the classes that the annotations name."""
    found: dict[str, set[str]] = {"typing": {"Any"}}
    for function in functions:
        room = inspect.unwrap(function).__globals__
        signature = inspect.signature(function)
        for kind in (*(p.annotation for p in signature.parameters.values()), signature.return_annotation):
            for node in ast.walk(ast.parse(kind, mode="eval")) if isinstance(kind, str) else ():
                thing = room.get(node.id) if isinstance(node, ast.Name) else None
                if inspect.isclass(thing) and thing.__module__ != "builtins":
                    found.setdefault(thing.__module__, set()).add(thing.__name__)
    return [f"from {module} import {', '.join(sorted(names))}" for module, names in sorted(found.items())]


def stub() -> str:
    """Text of the stub."""
    import holonom  # noqa: F401  (its import fills the registers)
    from holonom.model.builder import Kinds

    methods = {name: f for name, f in sorted(vars(Kinds).items()) if name[0] != "_" and inspect.isfunction(f)}
    body = "\n".join(_method(name, f) for name, f in methods.items())
    return (
        HEAD
        + "\n"
        + "\n".join(_sources(methods.values()))
        + '\n\nclass Kinds:\n    """Methods of kinds of elements."""\n\n'
        + body
    )


def formatted(text: str, path: Path) -> str:
    """As ruff leaves it."""
    for words in (("check", "--fix", "--select", "I"), ("format",)):
        command = [sys.executable, "-m", "ruff", *words, "--quiet", "--stdin-filename", str(path), "-"]
        text = subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout
    return text


def main(words: list[str]) -> int:
    path = Path(__file__).resolve().parents[1] / "src" / "holonom" / "model" / "builder" / "kinds.pyi"
    text = formatted(stub(), path)
    if "--check" in words:
        same = path.exists() and path.read_text(encoding="utf-8") == text
        if not same:
            print(f"{path} is not what tools/stubs.py writes; run it")
        return 0 if same else 1
    path.write_text(text, encoding="utf-8")
    print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
