"""No arrow runs upward between rooms, and no circle of modules is hidden by an import inside a function.

Rooms from the ground up: private files of the root (`_jit` and its like) < expressions, linalg, model < elements <
flexible < contact < granular, results < system < recursive < integrators < analyses < machinery, formats, durability,
structures, thermal < studies, gym < studio < the command line and what else is in the root.  Imports for type checkers
alone do not count.
"""

import ast
from pathlib import Path

import pytest

import holonom
from _source import outline

PACKAGE = Path(holonom.__file__).parent
FLOORS = (("expressions", "linalg", "model"), ("elements",), ("flexible",), ("contact",), ("granular", "results"),
    ("system",), ("recursive",), ("integrators",), ("analyses",),
          ("machinery", "vehicle", "durability", "structures", "rail", "thermal", "control", "formats"),
          ("studies", "gym"), ("studio",))  # fmt: skip
#: arrows that run upward all the same: why
UPWARD = {
    ("results.files.adams_files", "holonom"): "the version, for the head of a file",
    ("results.files.adams_res", "holonom"): "the version, for the head of a file",
    ("formats.fmu.description", "holonom"): "the version, for the head of a file",
    **{
        (f"studies.shipped.{name}", "holonom"): "a study that ships is a script as users write it"
        for name in ("dampers", "drop_test", "slider_crank")
    },
    (
        "studio.creation",
        "shapes",
    ): "shapes that wait for their body are a public name of the root, which rests on the drawing alone",
    (
        "flexible",
        "analyses.formulations",
    ): "formulations are compared where parts are made flexible; loaded when it is requested",
}
#: conditions of imports that count for type checkers alone
CHECKERS = ("TYPE_CHECKING", "typing.TYPE_CHECKING")
#: circles of modules: why
CIRCLES = {
    frozenset(
        {"contact.laws.bounce", "contact.laws.impact"}
    ): "IMPACT searches its damping with `bounce.solve`; one table of `bounce` is of IMPACT",
}


def modules(package: Path) -> dict[str, Path]:
    """Dotted name, without that of the package -> file."""
    out = {}
    for path in package.rglob("*.py"):
        parts = path.relative_to(package).with_suffix("").parts
        out[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return out


def statements(node: ast.AST) -> list[ast.AST]:
    """Statements and branches right below a statement: imports lie in no expression."""
    return [s for name in ("body", "orelse", "finalbody", "handlers", "cases") for s in getattr(node, name, ())]


def imports(package: Path) -> dict[str, set[str]]:
    """Module -> modules that it imports anywhere, but for those under TYPE_CHECKING."""
    files = modules(package)
    root = package.name

    def named(name: str) -> str | None:
        if name == root:
            return ""
        short = name.removeprefix(root + ".")
        return short if name.startswith(root + ".") and short in files else None

    def of(name: str, path: Path) -> set[str]:
        here = [root, *name.split(".")] if name else [root]
        here = here if path.name == "__init__.py" else here[:-1]
        found: set[str] = set()

        def walk(node):
            for child in statements(node):
                if isinstance(child, ast.If) and "TYPE_CHECKING" in (
                    getattr(child.test, "id", ""),
                    getattr(child.test, "attr", ""),
                ):
                    for other in child.orelse:
                        walk(other)
                elif isinstance(child, ast.ImportFrom):
                    base = here[: len(here) - child.level + 1] if child.level else []
                    source = ".".join([*base, *(child.module.split(".") if child.module else [])])
                    for alias in child.names:
                        target = named(f"{source}.{alias.name}")
                        target = named(source) if target is None else target
                        if target is not None:
                            found.add(target)
                elif isinstance(child, ast.Import):
                    found.update(t for alias in child.names if (t := named(alias.name)) is not None)
                else:
                    walk(child)

        walk(outline(path))
        return found - {name}

    return {name: of(name, path) for name, path in files.items()}


def circles(graph: dict[str, set[str]]) -> list[frozenset[str]]:
    """Groups of modules that all reach each other (Tarjan), without recursion of Python's own depth."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components

    names = sorted(graph)
    number = {n: k for k, n in enumerate(names)}
    arrows = [(number[a], number[b]) for a in names for b in graph[a] if b in number]
    matrix = (
        csr_matrix(([1] * len(arrows), tuple(zip(*arrows))), (len(names),) * 2)
        if arrows
        else csr_matrix((len(names),) * 2)
    )
    _, group = connected_components(matrix, connection="strong")
    found: dict[int, set[str]] = {}
    for name, g in zip(names, group):
        found.setdefault(int(g), set()).add(name)
    return [frozenset(f) for f in found.values() if len(f) > 1]


def floor(name: str) -> int:
    """Of a module: the number of its room from below."""
    room = name.split(".")[0]
    for k, rooms in enumerate(FLOORS):
        if room in rooms:
            return k
    return -1 if room.startswith("_") and not room.startswith("__") else len(FLOORS)


def upward(graph: dict[str, set[str]]) -> set[tuple[str, str]]:
    """Arrows to a higher floor, and between rooms of one floor."""
    room = lambda name: name.split(".")[0]
    inside = lambda a, b: room(a) == room(b) or floor(a) in (-1, len(FLOORS)) and floor(a) == floor(b)
    return {
        (a, b or "holonom")
        for a, targets in graph.items()
        for b in targets
        if floor(b) >= floor(a) and not inside(a, b)
    }


@pytest.fixture(scope="module")
def graph():
    return imports(PACKAGE)


def test_no_arrow_runs_upward(graph):
    found = upward(graph)
    assert found - set(UPWARD) == set()
    assert set(UPWARD) - found == set(), "no longer there: take it out of the table"


def test_no_circle(graph):
    found = set(circles({name: targets for name, targets in graph.items() if name}))
    assert found - set(CIRCLES) == set()
    assert set(CIRCLES) - found == set(), "no longer there: take it out of the table"


def test_every_room_stands_on_a_floor():
    rooms = {name.split(".")[0] for name in modules(PACKAGE) if "." in name}
    assert rooms == {room for rooms in FLOORS for room in rooms} | {
        "cli"
    }  # the command line is on top, with the files of the root


def test_finder_finds(tmp_path):
    """The finder itself, on a tree with an arrow upward, a circle behind a function, and one that only a type checker
    sees."""
    package = tmp_path / "pack"
    files = {
        "__init__.py": "from .model import a\n",
        "model/__init__.py": "",
        "model/a.py": "def f():\n    from . import b\n",
        "model/b.py": "from typing import TYPE_CHECKING\nfrom .a import f\nif TYPE_CHECKING:\n    from ..system "
        "import s\n",
        "system/__init__.py": "",
        "system/s.py": "from ..model.a import f\ndef g():\n    import pack.analyses.x\n",
        "analyses/__init__.py": "",
        "analyses/x.py": "from .. import model\n",
    }
    for name, text in files.items():
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text(text, encoding="utf-8")
    graph = imports(package)
    assert circles(graph) == [frozenset({"model.a", "model.b"})]
    assert upward(graph) == {("system.s", "analyses.x")}
    assert graph["model.b"] == {"model.a"} and "model" in graph["analyses.x"]
