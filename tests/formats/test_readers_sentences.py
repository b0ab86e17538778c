"""Wrong values of any kind end in one sentence that names the element, the file and the line: cases that were errors of
Python."""

import json

import numpy as np
import pytest

from holonom.cli import read_model
from holonom.expressions import ExpressionError, freeze, parse, switch_nodes
from holonom.formats import parse_adm, parse_cmd, write_adm
from holonom.formats.geometry_file import apply_geometry_file
from holonom.model import Model, ModelError
from holonom.model.base import ELEMENT_TYPES
from holonom.model.kinds import checks, misfits
from holonom.model.mesh import check_mesh
from holonom.model.orientation import Frame, axes_from
from holonom.model.settings import RigidSettings, Units
from holonom.model.shape import shape_of
from holonom.model.validate import doubts, faults
from holonom.system.build import System

BASE = """t
UNITS/FORCE=NEWTON, MASS=KILOGRAM, LENGTH=MM, TIME=SECOND
PART/1, GROUND
MARKER/1, PART=1
PART/2, MASS=1, CM=21, IP=10,10,10
MARKER/20, PART=2
MARKER/21, PART=2
PART/3, MASS=1, CM=31, IP=10,10,10
MARKER/31, PART=3
JOINT/1, REVOLUTE, I=20, J=1
JOINT/2, REVOLUTE, I=31, J=21
"""  # the next line is 12


def refusal(text: str) -> str:
    """What comes of a dataset with more lines: its faults, or the refusal to read or build it."""
    try:
        model = parse_adm(BASE + text + "\nEND\n", "m.adm")
        found = faults(model)
        if not found:
            System(model, missing="zero", initial=True)
    except ModelError as error:
        return str(error)
    return "\n".join(found)


def shape(line: str, own: str = "") -> str:
    """The same of a graphic that a contact names."""
    comment = f"!holonom_fields='{json.dumps({'arguments': json.loads(own)})}'\n" if own else ""
    return refusal(
        f"{comment}GRAPHICS/7, {line}\nGRAPHICS/8, BOX, CORNER=1, X=1, Y=1, Z=1\nCONTACT/1, IGEOM=7, JGEOM=8, IMPACT, "
        "STIFF=1"
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("FRICTION/9, JOINT=1, EFFECT = (", "m.adm:12: FRICTION/9: EFFECT: the value is missing"),
        ("PART/4, MASS=1, CM=31, IP=1,1,1, IM=0", "(m.adm:12): IM = 0: there is no MARKER/0"),
        ("PART/4, MASS=1, CM=0, IP=1,1,1", "(m.adm:12): CM = 0: there is no MARKER/0"),
        ("COUPLER/9, JOINTS=1,0, SCALES=1,1", "(m.adm:12): JOINTS = 0: there is no JOINT/0"),
        ("COUPLER/9, JOINTS=1,-2, SCALES=1,1", "m.adm:12: COUPLER/9: JOINTS: -2 is not an id"),
        ("MOTION/9, JOINT=0, FUNCTION=0", "(m.adm:12): JOINT = 0: there is no JOINT/0"),
        ("MARKER/9, PART=2, QP=1E200,0,0", "(m.adm:12): QP holds 1e+200 at position 1, larger than any machine has"),
        ("PART/4, MASS=1E300, CM=31, IP=1,1,1", "MASS is 1e+300, larger than any machine has"),
        ("MARKER/9, PART=2, XP=0,0,0, USEXP", "its axes are not defined"),
        ("MARKER/9, PART=2, XP=1,0,0, ZP=2,0,0, USEXP", "the z and x axes are parallel"),
        ("UNITS/UCONSF=0", "m.adm:12: UNITS: UCONSF must be positive, it is 0.0"),
        (
            "VFORCE/1, I=21, JFLOAT=1, RM=1, FX=1\\ FUNCTION=USER(1)",
            "m.adm:12: VFORCE/1: FX and FUNCTION exclude each other",
        ),
        (
            "VFORCE/1, I=21, JFLOAT=1, RM=1, FUNCTION=DX(21,1)",
            "m.adm:12: VFORCE/1: FUNCTION takes USER(...) here; give FX, FY, FZ",
        ),
        ("GSE/1, NS=1000000000, X=1, FUNCTION=USER(1)\nARRAY/1, X", "it has 1000000000 states"),
    ],
)
def test_statements(line, message):
    assert message in refusal(line)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        ("SIGN(TIME)", "SIGN takes 2 arguments, not 1"),
        ("DIM(SQRT(-1))", "DIM takes 2 arguments, not 1"),
        ("SIGN(BOX(1)*-IF(TIME-1:0,1,2))", "SIGN takes 2 arguments"),
        ("JOINT(1,TIME,1,0)", "the flag for I or J of JOINT must be a whole number"),
        ("JOINT(1,0,1.5,0)", "the component of JOINT must be a whole number"),
        ("PINVAL(1,9)", "has 1 variables, no component 9"),
        ("POUVAL(3,1)", "there is no POUTPUT/3"),
        ("FX()", "FX takes one to three markers, not 0"),
        ("ARYVAL(1,0)", "counted from 1, there is no 0"),
        ("ARYVAL(2,3)", "has 1 outputs of TFSISO/1"),
        ("ARYVAL(1,TIME)", "the component of ARYVAL must be a whole number"),
        ("SWITCH(1)", "unknown function 'SWITCH'"),
        ("ORIENT(TIME,1,20,1)", "the type of ORIENT must be a whole number"),
        ("DX(1E300,1)", "an id must be a whole number"),
    ],
)
def test_functions(function, message):
    blocks = (
        "PINPUT/1, VARIABLES=1\nVARIABLE/1, FUNCTION=TIME\nARRAY/1, IC, NUMBERS=1,2\nARRAY/2, Y\nARRAY/3, X\nARRAY/4, "
        "U, VARIABLES=1\n"
        "TFSISO/1, X=3, U=4, Y=2, NUMERATOR=1, DENOMINATOR=1\n"
    )
    found = refusal(f"{blocks}SFORCE/1, TRANSLATIONAL, I=21, J=1, FUNCTION={function}")
    assert message in found and "SFORCE/1" in found


@pytest.mark.parametrize("function", ["FX(21,1,1)", "JOINT(1,0,2,0)", "VARVAL(1)", "FRICTION(1,0,1)"])
def test_constraints_cannot_ask_for_forces_of_what_comes_after_them(function):
    found = refusal(f"VARIABLE/1, FUNCTION=FX(21,1,1)\nGCON/9, FUNCTION=DX(21,1)+{function}")
    assert "positions, velocities, states and time" in found and "(m.adm:1" in found


@pytest.mark.parametrize("name", ["SIGN", "DIM", "MOD", "STEP", "IMPACT", "BISTOP", "SWEEP", "MAX", "ABS"])
@pytest.mark.parametrize("count", [0, 1, 2, 9])
def test_functions_that_are_opened_up_have_their_arguments(name, count):
    tree = parse(f"{name}({','.join(['TIME'] * count)})")
    for work in (lambda: freeze(tree, lambda condition, jump: None), lambda: switch_nodes(tree)):
        try:
            work()
        except ExpressionError as error:
            assert f"{name} takes" in str(error)


@pytest.mark.parametrize(
    ("line", "own", "message"),
    [
        ("PLANE, RM=2, 3", "", "RM = (2, 3) is not an id of a marker"),
        ("PLANE, RM='<script> 2'", "", "RM = '<script> 2' is not an id of a marker"),
        ("SPHERE, CM=21, RADIUS=1E200", "", "RADIUS is 1e+200, larger than any shape has"),
        ("SPHERE, CM=21, RADIUS=1E-200", "", "RADIUS is 1e-200, smaller than any shape has"),
        ("EXTRUSION, CM=21, LENGTH=1", '{"profile": [[0,0],[1e200,0],[0,1]]}', "larger than any shape has"),
        ("EXTRUSION, CM=21, LENGTH=1", '{"profile": [[0,0],[1,0],[0,1]], "twist": 1e9}', "more than 100"),
        ("CURVE, CID=1, CRM=21", "", "there is no CURVE/1"),
    ],
)
def test_shapes(line, own, message):
    found = shape(line, own)
    assert message in found and "GRAPHICS/7" in found and "m.adm" in found


@pytest.mark.parametrize(
    ("vertex", "corner", "message"),
    [
        (1e200, 3, "larger than any shape has"),
        (1.0, 1e30, "triangles name vertex 1e+30 of 4"),
        (1.0, -1, "name vertex -1 of 4"),
        (1.0, "x", "rows of 3 numbers"),
    ],
)
def test_meshes_of_a_model(vertex, corner, message):
    found = parse_adm(BASE + "GRAPHICS/7, MESH, CM=21\nEND", "m.adm")
    graphic = found.table("GRAPHICS")[7]
    graphic.arguments |= {
        "vertices": ((0, 0, 0), (vertex, 0, 0), (0, 1, 0), (0, 0, 1)),
        "triangles": ((0, 2, 1), (0, 1, corner), (0, 3, 2), (1, 2, 3)),
    }
    with pytest.raises(ModelError, match=r"GRAPHICS/7.*\(m.adm:12\)") as caught:
        shape_of(found, graphic)
    assert message in str(caught.value)


def test_doubts_of_a_model_with_faults():
    model = parse_adm(BASE + "PART/77, MASS=1, CM=78, IP=1,1,1, IM=79\nEND", "m.adm", lenient=True)
    assert "CM = 78" in "\n".join(faults(model)) and doubts(model) == []


# ---- model files -----------------------------------------------------------------------------------------------------
VALUES = (None, True, -1, 1e300, 10**400, float("nan"), "x", [], [1, "x"], [[1], [2, 3]], {}, {"a": None}, [None])


def model() -> Model:
    return parse_adm(
        BASE + "SFORCE/1, TRANSLATIONAL, I=21, J=1, FUNCTION=1\nGRAPHICS/1, BOX, CORNER=20, X=1, Y=1, Z=1\nEND", "m.adm"
    )


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_any_value_at_any_place_of_a_model_file(value, tmp_path):
    """One place of the tree after another holds the value: read and checked, or refused in a sentence, never an error
    of Python."""
    ways = []

    def walk(tree, way):
        for key, inner in tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ():
            ways.append((*way, key))
            walk(inner, (*way, key))

    whole = json.loads(model().to_json())
    walk(whole, ())
    assert len(ways) > 100
    for *way, last in ways:
        tree = json.loads(model().to_json())
        node = tree
        for key in way:
            node = node[key]
        node[last] = value
        try:
            twin = Model.from_json(json.dumps(tree))
            for text in faults(twin):
                assert text and "\n" not in text
            if not faults(twin):
                write_adm(twin)
        except ModelError as error:
            assert str(error)
    path = tmp_path / "m.json"
    path.write_text(json.dumps({**whole, "gravity": value}))
    with pytest.raises(ModelError, match=f"^{path}: gravity of the model file"):
        read_model(path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"elements": {"MARKER": [{"id": 1, "part": "x"}]}}, "MARKER/1: PART is 'x'; give a whole number"),
        ({"elements": {"MARKER": [{"id": 1, "qp": [1, 2]}]}}, "MARKER/1: QP is .*; give 3 values"),
        ({"elements": {"MARKER": [{"id": 0}]}}, "ids are whole numbers from 1 on"),
        ({"elements": {"MARKER": {"id": 1}}}, "give a list"),
        ({"elements": {"WHEEL": []}}, "unknown kind of element 'WHEEL'"),
        ({"settings": {"rigid": {"theta": "x"}}}, "theta is 'x'; give a number"),
        ({"settings": {"rigid": {"beta": 1}}}, "have no 'beta'"),
        ({"settings": {"magic": {}}}, "settings 'magic', which are unknown"),
        ({"units": {"force": 3}}, "force is 3; give a text"),
        ({"units": None}, "'units' of the model file is None"),
        ({"preferences": {"OUTPUT": [1]}}, "give pairs of texts"),
        (
            {"elements": {"SWITCH": [{"id": 1, "transitions": [{"source": "a"}]}]}},
            "SWITCH/1: a transition is .*; give a table",
        ),
        ({"elements": {"JOINT": [{"id": 1, "source": ["x"]}]}}, "SOURCE is .*; give a file and a line"),
    ],
)
def test_model_files_say_what_is_wrong(change, message):
    with pytest.raises(ModelError, match=message):
        Model.from_dict({**model().to_dict(), **change})
    with pytest.raises(ModelError, match="not valid JSON at line 1"):
        Model.from_json("{")
    with pytest.raises(ModelError, match="nested too deeply"):
        Model.from_json("[" * 100_000)


def test_every_kind_of_element_has_tests_of_its_fields_and_passes_them():
    for kind in ELEMENT_TYPES.values():
        assert {name for name, _ in checks(kind)} >= {"id", "name", "active"}
        assert list(misfits(kind(id=1))) == []


def test_settings_and_units():
    assert list(RigidSettings(restitution="x").faults()) == ["rigid contact: RESTITUTION is 'x'; give a number"]
    for value in (0.0, -1.0, float("nan"), float("inf"), "x"):
        with pytest.raises(ModelError, match="UCONSF must be positive"):
            Units(uconsf=value)


# ---- positions, meshes
# --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("bad", [(1, 2), (1, 2, float("nan")), "abc", None, (1, 2, "x")])
def test_places_are_three_finite_numbers(bad):
    with pytest.raises(ModelError, match="must be three finite numbers"):
        Frame.build(bad)
    with pytest.raises(ModelError, match="must be three finite numbers"):
        Frame.build((0, 0, 0), bad if bad is not None else (1,))


def test_axes_of_very_large_and_very_small_vectors():
    for size in (1e-200, 1e-160, 1.0, 1e160, 1e200):
        assert np.allclose(axes_from(np.array([0, 0, 2]) * size, np.array([3, 0, 1]) * size), np.eye(3))
    with pytest.raises(ModelError, match="gives no direction"):
        axes_from((0, 0, float("inf")))


@pytest.mark.parametrize(
    "triangles", [[[0, 1, 1.5]], [[0, 1, float("nan")]], [["a", "b", "c"]], [[0, 1], [2]], [[0, 1, 10**30]]]
)
def test_meshes_are_tables_of_numbers(triangles):
    with pytest.raises(ModelError, match="rows of three numbers|names vertex"):
        check_mesh(np.eye(3), triangles)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('b = { type = "SPHERE", radius = 1, at = [1, 2] }', "the place of a shape must be three finite numbers"),
        ('b = { type = "SPHERE", radius = 1, euler = [1, 2] }', "the angles of a shape must be three finite numbers"),
        ('b = { type = "SPHERE", radius = 1, at = "x" }', "the place of a shape must be three finite numbers"),
        ('b = { type = "SPHERE", radius = [1] }', "is not a number"),
    ],
)
def test_geometry_files(text, message, tmp_path):
    found = parse_adm(BASE + "!adams_view_name='b'\nGRAPHICS/1, BOX, CORNER=20, X=1, Y=1, Z=1\nEND", "m.adm")
    path = tmp_path / "g.toml"
    path.write_text(text)
    with pytest.raises(ModelError, match=message):
        apply_geometry_file(found, path)


# ---- command files: bounded time, and sentences ----------------------------------------------------------------------
START = "model create model_name = m\nvariable set variable_name = n integer_value = 3\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("while condition = (1)\nend", "more than 1000 commands were executed"),
        ("for variable_name = i start_value = 1 end_value = 1E300\nend", "more than 1000 commands were executed"),
        (
            "for variable_name = i start_value=1 end_value=1E5\nfor variable_name = j start_value=1 "
            "end_value=1E5\nend\nend",
            "more than 1000 commands",
        ),
        ("while condition = (1)\nwhile condition = (1)\ncontinue\nend\nend", "more than 1000 commands"),
        (
            'variable set variable_name = s string_value = "ab"\nwhile condition = (1)\nvariable set variable_name = s '
            "string_value = (eval(s // s))\nend",
            "a text grows to more than",
        ),
        (
            "while condition = (1)\nvariable set variable_name = n integer_value = (n * n)\nend",
            "the value is not finite",
        ),
        ("variable set variable_name = a real_value = (9**9**9)", "the exponent 3.8742e+08 is too large"),
        (
            "variable set variable_name = a real_value = ({{{1,2},{3,4}},{{1,2},{3,4}}})",
            "nested deeper than rows and columns",
        ),
        (
            "for variable_name = i start_value = 1 end_value = 900\nvariable set variable_name = x real_value = ("
            + "1+" * 300
            + "1)\nend",
            "characters of repeated commands were executed",
        ),
        ("variable set variable_name = a real_value = (RTOI())", "RTOI takes 1 value, not 0"),
        ("variable set variable_name = a real_value = (SQRT(-1))", "SQRT(-1) is not defined"),
        ("variable set variable_name = a real_value = (SIN({1,2}))", "'1, 2' is not a number"),
        ("variable set variable_name = a real_value = ({1,2}[7])", "there is no value [7] of the array"),
        ('part create rigid_body name_and_position part_name = .m.A location = ({1,"x",2})', "'x' is not a number"),
        (
            "part create rigid_body name_and_position part_name = .m.A location = 1E200, 0, 0",
            "farther away than any machine reaches",
        ),
    ],
)
def test_command_files_are_bounded(text, message, monkeypatch):
    from holonom.formats.adams import view_cmd

    monkeypatch.setattr(view_cmd, "MAX_COMMANDS", 1000)
    monkeypatch.setattr(view_cmd, "MAX_REPEATED", 300_000)
    with pytest.raises(ModelError) as caught:
        parse_cmd(START + text, "c.cmd", lenient=False)
    assert message in str(caught.value)
    assert all(line.startswith("c.cmd:") for line in caught.value.errors)


def test_many_problems_of_a_command_file_are_not_all_told():
    text = START + "marker create marker_name = .m.nothing.x location = 0,0,0\n" * 3000
    found = parse_cmd(text, "c.cmd", lenient=True).warnings
    assert 1000 < len(found) < 1010 and "more than 1000 problems" in found[1000]


def test_routines_of_sensors_come_back_whole():
    text = "SENSOR/1, FUNCTION=TIME, GE, VALUE=1, EVALUATE=USER(1), EVALUATE_ROUTINE=lib::sub, other\nEND"
    found = parse_adm(BASE + text, "m.adm")
    assert parse_adm(write_adm(found)).table("SENSOR")[1].evaluate_routine == "lib::sub, other"


def test_halves_of_characters_are_no_text():
    with pytest.raises(ModelError, match="NAME is .*; give a text"):
        Model.from_json(model().to_json().replace("JOINT_1", chr(92) + "ud800"))
