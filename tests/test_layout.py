"""Where the numbers of bodies lie is reported in one place: rooms that have been freed of strides stay so."""

import ast
import collections
import re
from pathlib import Path

import numpy as np
import pytest

from holonom import _jit
from holonom.contact.shape_kinds import ROWS
from holonom.elements.bodies import layout
from holonom.model.shape_kinds import SHAPES

#: rooms that know nothing of where bodies lie
FREE = ("analyses", "integrators", "contact", "granular", "system")
STRIDES = re.compile(
    r"(?<![\w.-])13 \*|\* 13\b|, 13\)|10:13\]|7:13\]|7:10\]\s*\*\*|(?<![\w.-])6 \* \(?[a-z]|reshape\(-1, "
    r"6\)|turn_quaternion"
)
#: inverse masses, and which bodies turn, are read by `elements.bodies` alone; masses too where there are kernels
INERTIA = {
    "analyses": re.compile(r"\bMinv\b|\brotates\b"),
    "integrators": re.compile(r"\bMinv\b|\brotates\b|(?<!elements\.)bodies\.(mass|J)\b"),
}
FILES = sorted(p for room in FREE for p in (_jit._PACKAGE / room).rglob("*.py"))
#: elements see frames and have matrices of 6 x 6 of their own, but no states or masses of bodies
STATES = re.compile(
    r"(?<![\w.-])13 \*|\* 13\b|, 13\)|turn_quaternion|\bMinv\b|\brotates\b|(?<!elements\.)bodies\.(mass|J)\b"
)
ELEMENTS = sorted(p for p in (_jit._PACKAGE / "elements").rglob("*.py") if p.parent.name != "bodies")


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_no_strides_of_bodies(path):
    found = [
        f"{path.name}:{n}: {line.strip()}"
        for n, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if STRIDES.search(line)
    ]
    assert not found, "say it with elements.bodies.layout: " + "; ".join(found)


@pytest.mark.parametrize("path", [p for p in FILES if p.parent.name in INERTIA], ids=lambda p: p.stem)
def test_no_inertia_of_bodies(path):
    found = [
        f"{path.name}:{n}: {line.strip()}"
        for n, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if INERTIA[path.parent.name].search(line)
    ]
    assert not found, "say it with elements.bodies.mass: " + "; ".join(found)


@pytest.mark.parametrize("path", ELEMENTS, ids=lambda p: p.stem)
def test_elements_see_frames(path):
    found = [
        f"{path.name}:{n}: {line.strip()}"
        for n, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if STATES.search(line) and not line.startswith("def turn_quaternion")
    ]
    assert not found, "say it with elements.frames or elements.bodies: " + "; ".join(found)


def test_the_pattern_finds_strides():
    for line in ("y[: 13 * n]", "x.reshape(n, 13)", "v[:, 10:13]", "d[6 * b : 6 * b + 3]", "step.reshape(-1, 6)"):
        assert STRIDES.search(line)
    assert not STRIDES.search("tolerance = 1e-13 * h; 1e-6 * L; g13 * g23")
    for line in (
        "x * S.bodies.Minv[i, c]",
        "3 if S.bodies.rotates[i] else 6",
        "s * bodies.mass[i]",
        "system.bodies.J[:, c]",
    ):
        assert INERTIA["integrators"].search(line)
    assert not INERTIA["integrators"].search("S.bodies.massless; inverse_masses(bodies)")


def test_views_are_the_state_itself():
    y = np.arange(13.0 * 3 + 2)
    assert layout.end(2) == 39 and layout.unknowns(2) == 18
    assert np.array_equal(layout.places(y, 2), [[0, 1, 2], [13, 14, 15]]) and np.array_equal(
        layout.spins(y, 2)[1], [23, 24, 25]
    )
    layout.speeds(y, 2)[:] = 0.0
    layout.body(y, 1)[layout.PLACE] = 7.0
    assert (y[7:13] == 0.0).all() and (y[13:16] == 7.0).all() and y[16] == 16.0 and y[39] == 39.0
    assert np.array_equal(layout.columns(np.array([0, 2])), [[0, 1, 2, 3, 4, 5], [12, 13, 14, 15, 16, 17]])
    d = np.zeros(18)
    layout.move(d, 1)[layout.TURN] = 1.0
    assert np.array_equal(layout.moves(d)[1], [0, 0, 0, 1, 1, 1])


# ---- types of shapes are known by two registers alone: nothing else asks a shape for the name of its type ------------
#: what may name types: the registers, and the files that their rows name
REGISTERS = {"model/shape_kinds/__init__.py", "contact/shape_kinds/__init__.py", "model/contact_pairs.py"}
OWN = {f"{row.split(':')[0].replace('.', '/')}.py" for row in [*SHAPES.values(), *(r.parts for r in ROWS.values())]}
#: files (or words in them) that are those of shapes and mean something else there
OTHER_THINGS = {
    "model/solids.py": "the builder methods of shapes",
    "formats/": "statements and commands of other programs",
    "elements/": "types of rows of joints, of springs",
    "expressions/": "references of functions to CURVE elements",
    "granular/": "walls of the engine of spheres",
    "results/views/": "elements of the model",
    "analyses/assemble.py": "rows of joints",
    "analyses/checks/equations.py": "rows of joints",
    "analyses/checks/ranges.py:MESH": "roads",
    "analyses/statics/friction.py": "friction in joints",
    "system/implicit.py": "rows of joints",
    "system/planar.py": "rows of joints",
    "system/contact_stand_ins.py:MESH": "what represents a shape",
    "model/region.py": "regions of space",
}
CORE_OR_ROLL = {"core", "rolls"}  # attributes that hold other keywords


def names_asked(tree: ast.AST) -> list[tuple[int, str]]:
    """(line, word) of every comparison with the name of a type or of the number of a type, and of every case of a match
    and key of a table."""
    found = []
    texts = lambda node: [c.value for c in ast.walk(node) if isinstance(c, ast.Constant) and c.value in SHAPES]
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            if {n.attr for s in sides for n in ast.walk(s) if isinstance(n, ast.Attribute)} & CORE_OR_ROLL:
                continue
            found += [(node.lineno, word) for side in sides if not isinstance(side, ast.Call) for word in texts(side)]
            if any(isinstance(s, ast.Subscript) and ast.unparse(s.value) in ("sh.kind", "S.sh.kind") for s in sides):
                found.append((node.lineno, "a number"))
        elif isinstance(node, ast.match_case):
            found += [(node.pattern.lineno, word) for word in texts(node.pattern)]
        elif isinstance(node, ast.Dict):
            keys = [word for key in node.keys if key is not None for word in texts(key)]
            found += [(node.lineno, word) for word in keys] if len(keys) > 1 else []
    return found


def places() -> list[str]:
    out = []
    perhaps = re.compile(rf"""(["'])(?:{"|".join(SHAPES)})\1|sh\.kind""")
    for path in sorted(_jit._PACKAGE.rglob("*.py")):
        name = path.relative_to(_jit._PACKAGE).as_posix()
        if name in REGISTERS | OWN or name.startswith(tuple(OTHER_THINGS)):
            continue
        source = path.read_text(encoding="utf-8")
        if not perhaps.search(source):  # spares the parser most files
            continue
        for line, word in names_asked(ast.parse(source)):
            if not any(f"{name}:{word}".startswith(other) for other in OTHER_THINGS):
                out.append(f"{name}:{line} requires {word}")
    return out


def test_the_scan_for_types_of_shapes_sees_questions():
    asked = lambda text: [word for _, word in names_asked(ast.parse(text))]
    assert asked('if solid.kind == "TORUS": pass') == ["TORUS"]
    assert asked('x = solid.kind in ("BOX", "HULL")') == ["BOX", "HULL"]
    assert asked("if sh.kind[a] == CAPSULE: pass") == ["a number"]
    assert asked('{"BOX": 1, "SPHERE": 2}[kind]') == ["BOX", "SPHERE"]
    assert asked('model.add(Solid("BOX", ()))') == []


def test_nothing_asks_for_the_name_of_a_type_of_shapes():
    assert not places()


def test_names_of_test_files_are_unique():
    """pytest imports test files by their base name: of two with the same name in one process the second is not run."""
    count = collections.Counter(p.name for p in Path(__file__).parent.rglob("test_*.py"))
    assert [name for name, k in count.items() if k > 1] == []
