"""Writes the stubs of classes whose methods come from registers, for type checkers, editors and the reference:
`Kinds` (builder methods of `Model`), `ControlMethods` (those of `model.control`), `RunMethods` and `SimulationMethods`.

python tools/stubs.py          write them
python tools/stubs.py --check  state whether they are what would be written
"""

import ast
import inspect
import math
import subprocess
import sys
import textwrap
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "src"
HEAD = '''"""{title}.  Written by tools/stubs.py: do not edit."""

from __future__ import annotations
'''
#: module of the class -> class, what the stub gives of itself and of the class
STUBS = {
    "holonom.model.builder.kinds": (
        "Kinds",
        "Builder methods that registers put into `Model`",
        "Methods of types of elements.",
    ),
    "holonom.model.builder.control_methods": (
        "ControlMethods",
        "Builder methods that registers put into `model.control`",
        "Methods of types of blocks.",
    ),
    "holonom.analyses.session.simulation_methods": (
        "SimulationMethods",
        "Methods of `Simulation` that other modules implement",
        "Methods of the register.",
    ),
    "holonom.results.run_methods": (
        "RunMethods",
        "Methods of `Run` that other modules implement",
        "Methods of the register.",
    ),
}


def methods_of(module: str) -> dict[str, Callable]:
    """The methods that a register has put on the class of a stub."""
    import holonom  # noqa: F401  (its import fills the registers)

    cls = getattr(import_module(module), STUBS[module][0])
    return {name: f for name in sorted(vars(cls)) if name[0] != "_" and inspect.isfunction(f := getattr(cls, name))}


def _value(default) -> str:
    """A default as a stub shows it."""
    finite = isinstance(default, (bool, int, str)) or (isinstance(default, float) and math.isfinite(default))
    return repr(default) if finite or default is None or default == () else "..."


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


@cache
def _bindings(module: str) -> dict[str, str]:
    """Name -> import statement, of all that a module imports, for type checkers too, and defines itself."""
    thing = sys.modules[module]
    package = module if hasattr(thing, "__path__") else module.rpartition(".")[0]
    out: dict[str, str] = {}
    tree = ast.parse(inspect.getsource(thing))
    blocks = [tree, *(n for n in tree.body if isinstance(n, ast.If))]
    for node in (child for block in blocks for child in block.body):
        if isinstance(node, ast.ImportFrom):
            base = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            source = ".".join([*base, *([node.module] if node.module else [])])
            for alias in node.names:
                renamed = f" as {alias.asname}" if alias.asname else ""
                out[alias.asname or alias.name] = f"from {source} import {alias.name}{renamed}"
        elif isinstance(node, ast.Import):
            for alias in node.names:
                renamed = f" as {alias.asname}" if alias.asname else ""
                out[alias.asname or alias.name.partition(".")[0]] = f"import {alias.name}{renamed}"
        elif isinstance(node, ast.ClassDef):
            out[node.name] = f"from {module} import {node.name}"
        elif isinstance(node, ast.Assign):
            out |= {t.id: f"from {module} import {t.id}" for t in node.targets if isinstance(t, ast.Name)}
    return out


def _sources(functions) -> list[str]:
    """Imports of what the annotations name."""
    found = {"from typing import Any"}
    for function in functions:
        known = _bindings(inspect.unwrap(function).__module__)
        signature = inspect.signature(function)
        for kind in (*(p.annotation for p in list(signature.parameters.values())[1:]), signature.return_annotation):
            for node in ast.walk(ast.parse(kind, mode="eval")) if isinstance(kind, str) else ():
                if isinstance(node, ast.Name) and node.id in known:
                    found.add(known[node.id])
    return sorted(found)


def stub(module: str) -> str:
    """Text of the stub of a module."""
    methods = methods_of(module)
    cls, title, words = STUBS[module]
    body = "\n".join(_method(name, f) for name, f in methods.items())
    imports = "\n".join(_sources(methods.values()))
    return f'{HEAD.format(title=title)}\n{imports}\n\nclass {cls}:\n    """{words}"""\n\n{body}'


def path_of(module: str) -> Path:
    return (SOURCE / module.replace(".", "/")).with_suffix(".pyi")


def formatted(text: str, path: Path) -> str:
    """As ruff leaves it."""
    for words in (("check", "--fix", "--select", "I"), ("format",)):
        command = [sys.executable, "-m", "ruff", *words, "--quiet", "--stdin-filename", str(path), "-"]
        text = subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout
    return text


def main(words: list[str]) -> int:
    wrong = 0
    for module in STUBS:
        path = path_of(module)
        text = formatted(stub(module), path)
        if "--check" in words:
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                print(f"{path} is not what tools/stubs.py writes; run it")
                wrong = 1
            continue
        path.write_text(text, encoding="utf-8")
        print(path)
    return wrong


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
