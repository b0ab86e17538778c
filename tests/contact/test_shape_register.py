"""Types of shapes are known by two registers alone: nothing else asks a shape for the name of its type."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest

import holonom
import holonom as hn
from holonom.contact.shape_kinds import CORES, ROLLS, ROWS, contact_parts
from holonom.contact.tables import KINDS
from holonom.model.contact_pairs import PAIRS, kernel_module
from holonom.model.shape import shape_of
from holonom.model.shape_kinds import SHAPES, readers, shape_kind

PACKAGE = Path(holonom.__file__).parent
#: what may name types: the registers, and the files that their rows name
REGISTERS = {"model/shape_kinds/__init__.py", "contact/shape_kinds/__init__.py", "model/contact_pairs.py"}
OWN = {f"{row.split(':')[0].replace('.', '/')}.py" for row in [*SHAPES.values(), *(r.parts for r in ROWS.values())]}
#: files (or words in them) that are those of shapes and mean something else there
OTHER_THINGS = {
    "model/solids.py": "the builder methods of shapes",
    "formats/": "statements and commands of other programs",
    "elements/": "kinds of rows of joints, of springs",
    "expressions/": "references of functions to CURVE elements",
    "granular/": "walls of the engine of spheres",
    "results/views/": "elements of the model",
    "analyses/assemble.py": "rows of joints",
    "analyses/checks/equations.py": "rows of joints",
    "analyses/checks/ranges.py:MESH": "roads",
    "analyses/statics/friction.py": "friction in joints",
    "system/implicit.py": "rows of joints",
    "system/planar.py": "rows of joints",
    "system/contact_stand_ins.py:MESH": "what stands for a shape",
    "model/region.py": "regions of space",
}
CORE_OR_ROLL = {"core", "rolls"}  # attributes that hold other words


def names_asked(tree: ast.AST) -> list[tuple[int, str]]:
    """(line, word) of every comparison with the name of a type or of the number of a type, and of every case of a match and key of a table."""
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
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).as_posix()
        if name in REGISTERS | OWN:
            continue
        for line, word in names_asked(ast.parse(path.read_text(encoding="utf-8"))):
            if not any(f"{name}:{word}".startswith(other) for other in OTHER_THINGS):
                out.append(f"{name}:{line} asks for {word}")
    return out


def test_the_scan_sees_questions():
    asked = lambda text: [word for _, word in names_asked(ast.parse(text))]
    assert asked('if solid.kind == "TORUS": pass') == ["TORUS"]
    assert asked('x = solid.kind in ("BOX", "HULL")') == ["BOX", "HULL"]
    assert asked("if sh.kind[a] == CAPSULE: pass") == ["a number"]
    assert asked('{"BOX": 1, "SPHERE": 2}[kind]') == ["BOX", "SPHERE"]
    assert asked('model.add(Solid("BOX", ()))') == []


def test_nothing_asks_for_the_name_of_a_type():
    assert not places()


def test_every_shape_has_a_row_in_both_registers():
    assert tuple(SHAPES) == tuple(ROWS) == KINDS
    for name in SHAPES:
        kind, row = shape_kind(name), ROWS[name]
        assert kind.name == name and contact_parts(name).surface
        assert row.core in CORES and row.rolls in ROLLS
        columns = [c for c in (row.margin, *row.radii, row.inside, row.caps, row.endless, row.twist) if c >= 0]
        assert all(c < len(kind.parameters) for c in columns), name
        assert kind.lengths <= len(kind.parameters)
        assert bool(row.mesh) == (kind.meets_as == "MESH") and set(row.holds) <= set(SHAPES)
    assert all(type == type.upper() for type in readers())


def test_pairs_follow_from_the_type_whose_kernels_serve():
    for a in SHAPES:
        for b in SHAPES:
            assert kernel_module(a, b) == kernel_module(b, a)
            missing = not kernel_module(a, b)
            assert missing == ({a, b} in ({"POINT"}, {"PLANE"}))
    assert all(list(SHAPES).index(a) <= list(SHAPES).index(b) for a, b in PAIRS)


@pytest.mark.parametrize("make", ["rounded_box", "height_field"])
def test_a_shape_of_a_file_of_its_own_has_everything(make):
    """Builder, form for a part, JSON, picture, mass: from the rows alone."""
    arguments = {
        "rounded_box": {"at": (0.1, 0.2, 0.3), "size": (0.4, 0.3, 0.2), "radius": 0.05},
        "height_field": {"heights": [[0.0, 0.1, 0.0], [0.1, 0.2, 0.1]], "spacing": 0.2, "at": (0.1, 0.2, 0.3), "thickness": 0.05},
    }[make]
    m = hn.Model()
    part = m.part("part", shape=getattr(hn.shapes, make)(**arguments), density=1000.0)
    solid = shape_of(m, m.table("GRAPHICS")[1])
    assert part.mass == pytest.approx(1000.0 * shape_kind(solid.kind).volume(solid))
    again = hn.Model.from_json(m.to_json())
    other = shape_of(again, again.table("GRAPHICS")[1])
    assert other.par == solid.par and other.kind == solid.kind
    np.testing.assert_array_equal(other.frame.origin, solid.frame.origin)
    from holonom.results.pictures.geometry import build_look

    look = build_look(again)
    assert not look.missing and any(s.triangles is not None and len(s.triangles) for s in look.shapes)
    assert hn.shapes.Shape and make in hn.shapes.NAMES
