"""Edits of the Studio: undone to the bit, written as Python that does the same, refused in the model's own words, kept
against a crash."""

import json
import math
import sys
from pathlib import Path

import numpy as np
import pytest

import holonom as hn
from holonom.model import ModelError
from holonom.studio.answers import script
from holonom.studio.creation import CREATE, FIELDS
from holonom.studio.document import Document
from holonom.studio.live import parameters, split
from holonom.studio.properties import blank, properties
from holonom.studio.session_pages import pages_of

sys.path.insert(0, str(Path(__file__).parent))
from _open import example  # noqa: E402

COMMANDS = (
    {"do": "set", "kind": "MOTION", "id": 2, "field": "function", "value": "STEP5(TIME,10,0,19,-0.15)"},
    {"do": "set", "kind": "SPRINGDAMPER", "id": 1, "field": "k", "value": "5e5"},
    {"do": "set", "kind": "BUSHING", "id": 1, "field": "k", "value": ["8e6", "8e6", "1.6e7"]},
    {"do": "create", "method": "part_link",
    "arguments": {"name": "flag \"pole\"", "a": ["0", "0", "3"], "b": [1, 0, 3], "radius": "0.1", "density": "7850"}},
    {"do": "create", "method": "revolute",
    "arguments": {"name": "hinge", "i": ["PART", 16], "j": ["PART", 3], "at": [0, 0, 3], "axis": [0, 1, 0]}},
    {"do": "create", "method": "motion", "arguments": {"joint": ["JOINT", 15], "function": "0.1*TIME"}},
    {"do": "rename", "kind": "PART", "id": 2, "name": "lorry"},
    {"do": "model", "field": "gravity", "value": ["0", "0", "-9.81"]},
    {"do": "settings", "group": "integrator", "field": "error", "value": "1e-7"},
    {"do": "remove", "kind": "PART", "id": 15},
)  # fmt: skip


def edited(folder):
    document = Document.open(example("crane", folder))
    for command in COMMANDS:
        document.do(json.loads(json.dumps(command)))
    return document


def test_undo_of_all_gives_the_model_back_and_redo_does_it_again(tmp_path):
    document = Document.open(example("crane", tmp_path))
    first, texts = document.model.to_json(), []
    for command in COMMANDS:
        document.do(command)
        texts.append(document.model.to_json())
    assert len(set(texts)) == len(COMMANDS)
    for text in reversed([first, *texts[:-1]]):
        document.undo()
        assert document.model.to_json() == text
    assert document.undo() is None and not document.changed
    for text in texts:
        document.redo()
        assert document.model.to_json() == text
    assert document.redo() is None
    document.undo()
    document.undo()
    document.do(
        {"do": "create", "method": "marker_at", "arguments": {"body": ["PART", 2], "at": [0, 0, 0]}}
    )  # takes the id that was free then
    assert document.redo() is None


def test_script_makes_the_same_model(tmp_path):
    document = edited(tmp_path)
    text = script(document, {"kind": "initial"}, tmp_path)
    (tmp_path / "again.py").write_text(text, encoding="utf-8")
    space = {"__name__": "script", "__file__": str(tmp_path / "again.py")}
    exec(compile(text.split("\nrun = ")[0], "again.py", "exec"), space)
    a, b = document.model.to_dict(), space["model"].to_dict()
    for data in (a, b):
        for rows in data["elements"].values():
            for row in rows:
                row.pop("source", None)
    assert a == b


@pytest.mark.parametrize("ending", [".adm", ".json"])
def test_saved_and_opened_again(tmp_path, ending):
    document = edited(tmp_path)
    document.save(tmp_path / f"other{ending}")
    assert not document.changed and document.lines() == []
    again = Document.open(tmp_path / f"other{ending}")
    for kind in ("PART", "MARKER", "JOINT", "MOTION", "SPRINGDAMPER"):
        for e in document.model.table(kind).values():
            other = again.model.table(kind)[e.id]
            assert {k: v for k, v in e.to_dict().items() if k != "source"} == {
                k: v for k, v in other.to_dict().items() if k != "source"
            }
    document.do({"do": "set", "kind": "SPRINGDAMPER", "id": 1, "field": "k", "value": "7e5"})
    assert document.lines() == ["model.find('SPRINGDAMPER', 'rope').k = 700000.0"]
    document.undo()
    document.undo()
    with pytest.raises(ModelError, match="save the model first"):
        document.lines()


def test_a_robot_file_is_opened_edited_and_saved_as_a_dataset(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(
        '<robot name="arm"><link name="base"/><link name="rod"><inertial><mass value="2"/><inertia ixx="1" iyy="1" '
        'izz="1"/></inertial></link><joint name="pin" type="continuous"><parent link="base"/><child link="rod"/>'
        '<axis xyz="0 1 0"/></joint></robot>'
    )
    document = Document.open(path)
    document.do({"do": "set", "kind": "PART", "id": 2, "field": "mass", "value": "3"})
    names: dict = {"__file__": str(tmp_path / "run.py")}
    text = script(document, {"kind": "initial"}, tmp_path)
    exec(compile(text.split("run = ")[0], "run.py", "exec"), names)
    assert "hn.read_urdf(" in text and names["model"].find("PART", "rod").mass == 3.0
    document.save(tmp_path / "arm.adm")
    assert Document.open(tmp_path / "arm.adm").model.find("PART", "rod").mass == 3.0
    with pytest.raises(ModelError, match="models are written as .json or .adm"):
        document.save(tmp_path / "other.urdf")


BAD = (
    ({"do": "set", "kind": "PART", "id": 2, "field": "mass", "value": "heavy"}, "Mass is 'heavy'; give a number"),
    ({"do": "set", "kind": "PART", "id": 2, "field": "mass", "value": "-5"}, "mass must be positive"),
    ({"do": "set", "kind": "JOINT", "id": 2, "field": "i", "value": 9999}, "there is no MARKER/9999"),
    ({"do": "set", "kind": "JOINT", "id": 2, "field": "type", "value": "REVOLVER"}, "did you mean REVOLUTE"),
    ({"do": "set", "kind": "MOTION", "id": 2, "field": "function", "value": "STEP5(TIME"}, "expected"),
    ({"do": "set", "kind": "PART", "id": 2, "field": "id", "value": 3}, "no field"),
    ({"do": "set", "kind": "PART", "id": 2, "field": "__class__", "value": 3}, "no field"),
    ({"do": "set", "kind": "PART", "id": 777, "field": "mass", "value": 3}, "there is no PART"),
    ({"do": "set", "kind": "__init__", "id": 1, "field": "mass", "value": 3}, "unknown kind"),
    ({"do": "remove", "kind": "PART", "id": 1}, "ground"),
    ({"do": "create", "method": "to_json", "arguments": {}}, "cannot be created"),
    ({"do": "create", "method": "part", "arguments": {"mass": "nan", "inertia": [1, 1, 1]}}, "give a number"),
    ({"do": "create", "method": "part_box", "arguments": {"size": ["0", "1", "1"], "at": [0, 0, 0], "density": 1}},
    "edges of a box"),
    ({"do": "create", "method": "revolute", "arguments": {"i": ["PART", 2], "j": ["PART", 99]}}, "there is no PART"),
    ({"do": "create", "method": "revolute", "arguments": {"i": ["JOINT", 2], "j": ["PART", 2]}}, "pick a PART"),
    ({"do": "model", "field": "gravity", "value": ["0", "x", "1"]}, "gravity"),
    ({"do": "model", "field": "routines", "value": {}}, "no 'routines'"),
    ({"do": "settings", "group": "integrator", "field": "error", "value": "fine"}, "give a number"),
    ({"do": "evaluate", "text": "1"}, "must be one of"),
    ("set", "must be one of"),
)  # fmt: skip


@pytest.fixture(scope="module")
def crane(tmp_path_factory):
    return Document.open(example("crane", tmp_path_factory.mktemp("crane")))


@pytest.mark.parametrize("command, words", BAD, ids=[str(k) for k in range(len(BAD))])
def test_what_is_refused_says_why_and_changes_nothing(crane, command, words):
    before = crane.model.to_json()
    with pytest.raises(ModelError, match=words):
        crane.do(command)
    assert crane.model.to_json() == before and crane.steps == []


def test_tried_says_what_an_edit_would_say(crane):
    assert crane.tried("PART", 2, "mass", "-1") and "positive" in crane.tried("PART", 2, "mass", "-1")[0]
    assert crane.tried("PART", 2, "mass", "1") == []
    assert "ends too early" in crane.tried("MOTION", 2, "function", "SIN(")[0]
    assert crane.model.find("PART", 2).mass == 11000.0


def test_names_are_texts_in_the_script(tmp_path):
    document = Document(hn.Model('x"""\nimport os'))
    document.do(
        {"do": "create", "method": "part", "arguments": {"name": "'); import os #\n", "mass": 1, "inertia": [1, 1, 1]}}
    )
    document.do({"do": "set", "kind": "PART", "id": 2, "field": "mass", "value": "2"})
    text = script(document, {"kind": "initial"}, tmp_path)
    space = {"__name__": "script", "__file__": str(tmp_path / "s.py")}
    exec(compile(text.split("\nrun = ")[0], "s.py", "exec"), space)
    assert (
        space["model"].parts[2].name == "'); import os #\n"
        and space["model"].parts[2].mass == 2.0
        and "os" not in space
    )


def test_what_is_not_saved_is_recovered(tmp_path):
    document = edited(tmp_path)
    document.undo()
    file = tmp_path / "kept.json"
    file.write_text(json.dumps(document.kept()))
    again, words = Document.recovered(file, tmp_path)
    assert again.model.to_json() == document.model.to_json() and "9 steps" in words
    again.redo()
    assert 15 not in again.model.parts
    (tmp_path / "crane.adm").write_text((tmp_path / "crane.adm").read_text().replace("11000.0", "12000.0"))
    with pytest.raises(ModelError, match="changed by another program"):
        Document.recovered(file, tmp_path)


def test_every_form_is_a_builder_method():
    model = hn.Model("m")
    for name, form in CREATE.items():
        owner = getattr(model, form.on) if form.on else model
        assert callable(getattr(owner, form.method or name)), name
        assert len({a.name for a in form.arguments}) == len(form.arguments)


def test_fields_that_only_fit_together():
    """x and y of a spline get other lengths in one step; what does not fit changes nothing; the script does the
    same."""
    document = Document.new("table")
    document.do({"do": "create", "method": "spline", "arguments": {"name": "s", "x": "0, 1, 2", "y": "0, 1, 4"}})
    old = document.model.table("SPLINE")[1]
    give = lambda **values: document.do({"do": "fields", "kind": "SPLINE", "id": 1, "values": values})
    for values, words in (
        ({"x": ["0", "1"]}, "number"),
        ({"x": ["1", "0"], "y": [["1", "2"]]}, "increas"),
        ({"x": ["a", "1"], "y": [["1", "2"]]}, "X"),
        ({"evil": 1}, "field"),
        ({}, "table of fields"),
        ({"x": ["1e999", "2e999"], "y": [["1", "2"]]}, "X"),
    ):
        with pytest.raises(ModelError, match=words):
            give(**values)
        assert document.model.table("SPLINE")[1] is old and len(document.steps) == 1
    step = give(x=["0", "0.5"], y=[["3", "4D"]])
    assert document.model.table("SPLINE")[1].y == ((3.0, math.radians(4)),)
    document.do(
        {
            "do": "create",
            "method": "curve",
            "arguments": {"name": "cam", "points": "1 0 0\n0,1,0\n-1;0;0", "closed": False},
        }
    )
    model = hn.Model("table", "SI")
    exec("\n".join(s.script for s in document.steps), {"model": model, "hn": hn})
    assert model.to_dict() == document.model.to_dict() and step.words == "x, y of SPLINE/1 's'"
    assert (
        model.table("MATRIX")[1].values == (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, -1.0, 0.0, 0.0)
        and not model.table("CURVE")[1].closed
    )
    with pytest.raises(ModelError, match="three numbers in each line"):
        document.do({"do": "create", "method": "curve", "arguments": {"points": "1 0\n2 3 4"}})
    while document.undo():
        pass
    assert not document.model.table("SPLINE") and not document.model.table("CURVE")


def blocks():
    """A block and a ball, nothing else."""
    model = hn.Model("blocks", "SI")
    model.part("block", shape=hn.shapes.box((0, 0, 0), (1.0, 1.0, 1.0)), density=1000.0)
    model.part("ball", shape=hn.shapes.sphere((3, 0, 0), 0.5), density=1000.0)
    return model


@pytest.mark.parametrize(
    "command, words",
    [
        ({"do": "move", "items": []}, "1 to"),
        ({"do": "move", "items": [["PART", 1]], "by": [1, 0, 0]}, "ground"),
        ({"do": "move", "items": [["PART", 2]], "by": [1, "x", 0]}, "three numbers"),
        ({"do": "move", "items": [["PART", 2], ["PART", 3]], "turn": [0, 0, 1]}, "about"),
        ({"do": "move", "items": [["PART", 2], ["PART", 99]], "by": [1, 0, 0]}, "there is no PART"),
        ({"do": "duplicate", "kind": "PART", "id": 1}, "one only"),
        ({"do": "mirror", "kind": "PART", "id": 2, "normal": [0, 0, 0]}, "normal"),
        ({"do": "mirror", "kind": "PART", "id": 2, "name": 3}, "text"),
        ({"do": "create", "method": "spline", "arguments": {"x": "0, 1", "y": "a, b"}}, "commas"),
        ({"do": "create", "method": "spline", "arguments": {"x": "1, 0", "y": "1, 2"}}, "increase"),
    ],
)
def test_what_is_refused_changes_nothing(command, words):
    document = Document(blocks())
    before = document.model.to_json()
    with pytest.raises(ModelError, match=words):
        document.do(command)
    assert document.model.to_json() == before


def test_moves_copies_and_mirrors_are_undone_and_written_as_a_script():
    document = Document(blocks())
    first = document.model.to_json()
    for command in (
        {"do": "move", "items": [["PART", 2], ["PART", 3]], "by": [0, 0, "1"], "turn": [0, 0, 0.5], "about": [1, 0, 0]},
        {"do": "duplicate", "kind": "PART", "id": 3, "name": "", "by": [0, 1, 0]},
        {"do": "mirror", "kind": "PART", "id": 2, "at": [0, 5, 0], "normal": [0, 1, 0], "name": "image"},
    ):
        document.do(command)
    last, twin = document.model.to_dict(), blocks()
    exec("\n".join(document.lines()), {"model": twin, "hn": hn})
    assert twin.to_dict()["elements"] == last["elements"]
    assert np.allclose(twin.find("PART", "image").frame.origin[1], 10 - twin.find("PART", "block").frame.origin[1])
    for _ in range(3):
        document.undo()
    assert document.model.to_json() == first


def slider():
    """A mass on a spring in a slider along x, pushed by an input; no gravity."""
    model = hn.Model("slider", "SI")
    block = model.part("block", shape=hn.shapes.box((0, 0, 0), (0.4, 0.3, 0.3)), density=100.0)
    model.translational(block, model.ground, "rail", at=(0, 0, 0), axis=(1, 0, 0))
    push = model.input("push", 0.0)
    i, j = model.marker_at(block, (0, 0, 0)), model.marker_at(model.ground, (-2, 0, 0))
    model.spring_damper(i, j, stiffness=200.0, damping=20.0, length=2.0, name="spring")
    model.sforce(i, j, f"VARVAL({push.id})", name="push")
    return model


def test_parameters_are_the_numbers_that_act():
    model = slider()
    model.variable("2*PI", "gain")
    model.variable("TIME", "ramp")
    block = model.find("PART", "block")
    model.bushing(block.cm, model.marker(model.ground, (0, 0, 0)), stiffness=(1.0, 2.0, 3.0), name="mount")
    found = {key: (name, value, unit) for key, name, value, unit in parameters(model)}
    assert found == {
        "VARIABLE/2": ("gain", 2 * np.pi, ""),
        "SPRINGDAMPER/1.k": ("spring k", 200.0, "N/m"),
        "SPRINGDAMPER/1.c": ("spring c", 20.0, "N*s/m"),
        "SPRINGDAMPER/1.force": ("spring force", 0.0, "N"),
        "SPRINGDAMPER/1.length": ("spring length", 2.0, "m"),
        **{f"BUSHING/1.k.{n}": (f"mount k {n + 1}", n + 1.0, "N/m") for n in range(3)},
    }
    assert [split(k) for k in ("VARIABLE/2", "BUSHING/1.k.2")] == [("VARIABLE", 2, "", None), ("BUSHING", 1, "k", 2)]


@pytest.mark.parametrize("bad", [None, 3, [3], [{"name": "a"}], [{"name": "a", "plots": [3]}], "x"])
def test_pages_of_nonsense_are_refused(bad):
    with pytest.raises(ModelError, match="pages of plots"):
        pages_of(bad)


def test_pages_hold_what_belongs_to_them_alone():
    given = [
        {
            "name": "<b>" + "x" * 100,
            "more": 1,
            "plots": [
                {
                    "curves": [{"name": "a.force", "part": "x", "evil": [1]}, {"part": "y"}, 3],
                    "state": {"change": "psd", "width": float("inf"), "log": True, "other": 2},
                }
            ],
        }
    ]
    assert pages_of(given) == [
        {
            "name": ("<b>" + "x" * 100)[:60],
            "plots": [
                {
                    "curves": [{"name": "a.force", "part": "x", "unit": ""}],
                    "x": None,
                    "state": {"change": "psd", "log": True},
                }
            ],
        }
    ]


def two_hinges():
    """Two wheels on ground, whose pitch circles touch at (0.1, 0, 0)."""
    model = hn.Model("wheels", "SI")
    joints = []
    for name, at in (("small", (0.0, 0.0, 0.0)), ("large", (0.3, 0.0, 0.0))):
        wheel = model.part(name, mass=1.0, inertia=(0.01, 0.01, 0.01), position=at)
        joints.append(model.revolute(wheel, model.ground, f"hinge {name}", at=at, axis=(0, 0, 1)))
    model.marker_at(model.ground, (0.1, 0.0, 0.0), z=(0, 1, 0), name="pitch point")
    return model, joints


def test_elements_of_other_kinds_are_made_by_their_fields():
    """A gear as the builder makes it, a sensor, a differential equation; as a script, undone, and by the Python method
    of the same name."""
    model, joints = two_hinges()
    twin, others = two_hinges()
    cv = model.find("MARKER", "pitch point").id
    built = twin.gear(*others, twin.find("MARKER", "pitch point"), name="pair")
    document, first = Document(model), model.to_json()
    document.do({"do": "add", "kind": "GEAR", "name": "pair", "values": {"joints": [j.id for j in joints], "cv": cv}})
    assert (
        vars(model.table("GEAR")[1]).items()
        >= {k: v for k, v in vars(built).items() if k not in ("_model", "source")}.items()
    )
    document.do({"do": "add", "kind": "DIFF", "name": "lag", "values": {"function": "TIME-DIF(1)"}})
    document.do(
        {
            "do": "add",
            "kind": "BEAM",
            "name": "",
            "values": {
                "i": joints[0].i,
                "j": joints[1].i,
                "length": "0.3",
                "ixx": "1e-8",
                "iyy": "5e-9",
                "izz": "5e-9",
                "area": "1e-4",
                "emodulus": "2.1e11",
                "gmodulus": "8e10",
            },
        }
    )
    again, _ = two_hinges()
    exec("\n".join(document.lines()), {"model": again, "hn": hn})
    assert again.to_dict()["elements"] == model.to_dict()["elements"]
    for _ in range(3):
        document.undo()
    assert model.to_json() == first
    for command, words in (
        ({"kind": "GEAR", "values": {"joints": [joints[0].id, 99], "cv": cv}}, "JOINT/99"),
        ({"kind": "GEAR", "values": {"joints": "x"}}, "joints|JOINTS"),
        ({"kind": "GEAR", "values": {"teeth": 3}}, "no field"),
        ({"kind": "PART", "values": {}}, "created from its fields"),
        ({"kind": "DIFF", "values": {"function": "TIME+"}}, "FUNCTION"),
        ({"kind": "SENSOR", "name": 3, "values": {}}, "text"),
    ):
        with pytest.raises(ModelError, match=words):
            document.do({"do": "add", **command})
        assert model.to_json() == first
    with pytest.raises(ModelError, match="no field 'teeth'"):
        model.element("GEAR", teeth=3)


@pytest.mark.parametrize("kind", FIELDS)
def test_a_form_of_fields_has_editors_for_what_it_needs_and_an_empty_one_is_a_sentence(kind):
    model, _ = two_hinges()
    document, first = Document(model), model.to_json()
    form = blank(model, kind)
    assert form["help"] and all(
        row["kind"] not in ("any", "shown") or row["optional"] or row["default"] is not None for row in form["rows"]
    )
    try:
        document.do({"do": "add", "kind": kind, "name": "", "values": {}})
    except ModelError as error:
        assert kind in str(error) and "\n" not in str(error)
    else:  # nothing needs to be reported of it
        document.undo()
    assert model.to_json() == first


def two_parts():
    document = Document.new("parts", "SI", (0.0, 0.0, 0.0))
    for name in ("one", "two"):
        part = {"name": name, "mass": 1, "inertia": [1, 1, 1]}
        document.do({"do": "create", "method": "part", "arguments": part})
    return document


@pytest.mark.parametrize(
    "name, words", [("x" * 201, "201 characters"), ("part\u202egnp", r"U\+202E"), ("\u2066a", "direction")]
)
def test_names_that_hide_something_are_refused(name, words):
    document = two_parts()
    part = {"name": name, "mass": 1, "inertia": [1, 1, 1]}
    renamed = {"do": "rename", "kind": "PART", "id": 2, "name": name}
    for command in (
        renamed,
        {"do": "several", "commands": [renamed]},
        {"do": "create", "method": "part", "arguments": part},
    ):
        with pytest.raises(ModelError, match=words) as caught:
            document.do(command)
        assert len(str(caught.value)) < 200


def test_a_name_that_another_element_has_is_warned_of():
    document = two_parts()
    for number in (2, 3):
        document.do({"do": "rename", "kind": "PART", "id": number, "name": "Same" if number == 2 else "same"})
    for number, other in ((2, 3), (3, 2)):
        words = properties(document.model, document.model.parts[number])["name_shared"]
        assert f"PART/{other}" in words and "means PART/2" in words
    document.do({"do": "rename", "kind": "PART", "id": 3, "name": "other"})
    assert not properties(document.model, document.model.parts[2])["name_shared"]


def test_sentences_of_what_is_typed_say_what_to_write():
    from holonom.studio.forms import wanted_number

    assert wanted_number("1,5") == "write it with a decimal point, 1.5"
    assert wanted_number(" -0,25 ") == "write it with a decimal point, -0.25"
    assert {wanted_number(raw) for raw in ("abc", "1, 2", "1,2,3", "", None, True)} == {"give a number"}


def test_fields_name_their_label_and_what_to_type():
    m = hn.Model("spring", "mm")
    block = m.part("block", shape=hn.shapes.box((0, 0, 0), (10, 10, 10)), density=1e-6)
    m.spring_damper(m.marker_at(block, (0, 0, 0)), m.marker_at(m.ground, (50, 0, 0)), stiffness=2.0)
    document = Document(m)
    said = lambda field, raw: document.tried("SPRINGDAMPER", 1, field, raw)[0]
    assert said("k", "2,5") == "Stiffness is '2,5'; write it with a decimal point, 2.5"
    assert said("length", "5 cm").startswith("Free length is '5 cm'; the Studio takes numbers in units of the model")
    assert said("length", "5 cm").endswith("in mm") and said("k", "abc") == "Stiffness is 'abc'; give a number"
    assert document.tried("PART", 2, "qg", ["1", "2,5", "0"])[0].endswith("write it with a decimal point, 2.5")
    with pytest.raises(ModelError, match="Stiffness is '1,5'; write it with a decimal point, 1.5"):
        document.do({"do": "set", "kind": "SPRINGDAMPER", "id": 1, "field": "k", "value": "1,5"})
