"""Design-time functions of Adams View: the examples that its manual prints for them, and what follows from them."""

import math

import numpy as np
import pytest

from holonom.formats import parse_cmd
from holonom.model import ModelError
from holonom.model.orientation import euler313
from holonom.model.validate import cannot_run, faults

START = """
defaults units length = mm angle = deg force = newton mass = kg time = sec
model create model_name = m
variable create variable_name = .m.four real_value = 4
variable create variable_name = .m.roll units = "angle" real_value = 10.5843604878
"""


def value(expression, more="", start=START):
    """Numbers that an expression gives, through the contents of an array."""
    model = parse_cmd(
        start + more + f"\ndata_element create array general_array array_name = .m.a numbers = ({expression})\n",
        "c.cmd",
    )
    problems = [w for w in model.warnings if "c.cmd:" in w]
    assert not problems, problems
    return model.table("ARRAY")[1].numbers


def axes(expression, more=""):
    """Axes of a marker that an expression orients."""
    model = parse_cmd(
        START + more + f"\nmarker create marker_name = .m.ground.t orientation = ({expression})\n", "c.cmd"
    )
    problems = [w for w in model.warnings if "c.cmd:" in w]
    assert not problems, problems
    return next(m for m in model.markers.values() if m.name == "t").frame.axes


def printed(*degrees):
    return euler313(*np.radians(degrees))


def at(name, location, orientation="0, 0, 0"):
    return f"\nmarker create marker_name = .m.ground.{name} location = {location} orientation = {orientation}"


@pytest.mark.parametrize(
    "expression, wanted",
    [
        ("TAN(7 * (0 - .m.four))", -0.53),
        ("SINH(-.m.four)", -27.3),
        ("EXP(.m.four)", 54.6),
        ("COS(.m.four)", 0.998),
        ("ACOS(.75)", 41.4),
        ("ABS(3*(-.89))", 2.67),
        ("AINT(-6.5)", -6),
        ("ANINT(-4.6)", -5),
        ("CEIL(10.001)", 11),
        ("FLOOR(.7)", 0),
        ("LOG(30)", 3.4),
        ("LOG10(42)", 1.62),
        ("MAG(5,3,1)", 5.91),
        ("MAX({{2,4,5},{1,8,2}})", 8),
        ("MIN({{2,4,5},{1,8,2}})", 1),
        ("MOD(45,16)", 13),
        ("NINT(4.78)", 5),
        ("SIGN(9.6, 4.5)", 9.6),
        ("SQRT(5*45)", 15),
        ("SSQ({[1, 2], [3, 4]})", 30),
        ("SUM({[1, 2], [3, 4]})", 10),
        ("NORM2({[1, 2], [3, 4]})", 5.47722),
        ("PROD({2, 3, 4})", 24),
        ("MEAN({0.1, 0.2, 0.3, 3.4})", 1.0),
        ("CENTER({1, 0, 4, 3})", 2),
        ("MINI({0.1, 0.2, 0.3, 3.3})", 1),
        ("MAXI({0.1, 0.2, 0.3, 3.3})", 4),
        ("VAL({2,0,3}, 2.2)", 2),
        ("VALI({2,0,3}, 2.2)", 1),
        ("DIM(5*4,5)", 15),
        ("DOT({1,1,0},{1,0,1})", 1),
        ("FIRST({1,2,3})", 1),
        ("ROWS({1, 2, 3})", 3),
        ("ALLM({1, 0, 1})", 0),
        ("ANYM({8, 0, 1})", 1),
        ('STOR("12")', 12),
        ('STR_LENGTH("Hello there")', 11),
        ('STR_FIND("Hello", "l")', 3),
        ("{0.5, 7}[2]", 7),
        ("IF(-2: 3, 4, 5)", 3),
        ("IF(0: 3, 4, 5)", 4),
        ("IF(2: 3, 4, 5)", 5),
        ("STEP(0.5, 0, 1, 1, 3)", 2),
    ],
)
def test_numbers_of_the_manual(expression, wanted):
    found = value(expression)
    assert len(found) == 1 and abs(found[0] - wanted) <= 0.006 * max(1.0, abs(wanted))


@pytest.mark.parametrize(
    "expression, wanted",
    [
        ("CROSS({1,0,0}, {0,1,0})", (0, 0, 1)),
        ("NORMALIZE({3,4,5})", (0.424, 0.566, 0.707)),
        ("SERIES(1,2,3)", (1, 3, 5)),
        ("SERIES2(2, 8, 4)", (2, 4, 6, 8)),
        ('SORT({3,2,1},"a")', (1, 2, 3)),
        ("LOC_CYLINDRICAL(1,30,0)", (0.866, 0.5, 0)),
        ("LOC_SPHERICAL(10, 8D, 90D)", (9.9, 1.39, 0)),
        ("LOC_ON_LINE({{7,5,0},{15,11,0}}, 7)", (12.6, 9.2, 0)),
        ("LOC_PERPENDICULAR({{10,12,0},{14,12,0},{12,10,0}})", (10, 12, 1)),
        ("LOC_PLANE_MIRROR({2,4,0},{{10,12,0},{14,12,0},{12,10,0}})", (2, 4, 0)),
    ],
)
def test_arrays_of_the_manual(expression, wanted):
    assert np.allclose(value(expression), wanted, atol=6e-3)


def test_locations_on_and_behind_frames():
    """Manual: LOC_MIRROR({7,7,0}, marker, "xy") is (7,5,0) for a marker whose xy plane is y = 6: locations to be
    mirrored are those of the ground."""
    frames = at("p", "3, 6, 1", "0, 90, 0") + at("q", "14, 20, 0", "180, 0, 0")
    for function in ("LOC_MIRROR", "LOC_FRAME_MIRROR"):
        assert np.allclose(value(f'{function}({{7,7,0}}, .m.ground.p, "yx")', frames), (7, 5, 0))
    assert np.allclose(value("LOC_LOC({1, 2, 3}, .m.ground.p, 0)", frames), (4, 3, 3))
    assert np.allclose(value("LOC_LOC({1, 2, 3}, .m.ground.p, .m.ground.q)", frames), (10, 17, 3))
    assert np.allclose(
        value("LOC_INLINE({1, 2, 3}, .m.ground.p, .m.ground.q)", frames), np.array([10, 17, 3]) / math.sqrt(398)
    )
    assert np.allclose(value("LOC_Z_AXIS(.m.ground.p)", frames), (0, -1, 0), atol=1e-15)
    assert np.allclose(value("DX(.m.ground.q, .m.ground.p, .m.ground.q)", frames), -11)


@pytest.mark.parametrize(
    "expression, wanted",
    [
        ('ORI_ONE_AXIS({{10,16,0}, {8,16,0}}, "x")', (180, 180, 0)),
        ('ORI_ALONG_AXIS(.m.ground.p, .m.ground.q, "y")', (315, 0, 0)),
        ('ORI_ALL_AXES({{14,18,0},{10,14,0},{16,14,0}}, "xz")', (45, 90, 180)),
        ('ORI_ALIGN_AXIS_EUL({8,10,0}, "z-z")', (188, 170, 90)),
        ('ORI_ALIGN_AXIS(.m.ground.p, "z-z")', (90, 180, 0)),
        ('ORI_IN_PLANE(.m.ground.a, .m.ground.b, .m.ground.c, "z_zy")', (135, 90, 90)),
        ('ORI_FRAME_MIRROR({6,14,0}, .m.ground.p, "xz", "xz")', (174, 14, 180)),
        ('ORI_MIRROR({{10,8,0}}, .m.ground.p, "xy", "xy")', (190, 8, 180)),
        ('ORI_PLANE_MIRROR({10,8,0}, {{0,0,0},{1,0,0},{0,1,0}}, "xy")', (190, 8, 180)),
        ("ORI_GLOBAL({90, 0, 0}, .m.ground.r)", (180, 0, 0)),
        ("ORI_ORI({90, 0, 0}, .m.ground.r, 0)", (180, 0, 0)),
        ("ORI_LOCAL({90, 0, 0}, .m.ground.r)", (0, 0, 0)),
        ("ORI_RELATIVE_TO({.m.ground.r.orientation}, .m.ground.r)", (180, 0, 0)),
    ],
)
def test_orientations_of_the_manual(expression, wanted):
    frames = "".join(
        at(*f)
        for f in (
            ("p", "1, 1, 0"),
            ("q", "3, 3, 0"),
            ("a", "100, 100, 0"),
            ("b", "300, 300, 0"),
            ("c", "350, 100, 0"),
            ("r", "0, 0, 0", "90, 0, 0"),
        )
    )
    assert np.abs(axes(expression, frames) - printed(*wanted)).max() < 1e-12


def test_angles_of_orientation_functions_are_313_whatever_the_file_says():
    start = START.replace("length = mm", "length = mm orientation_type = body123") + at("r", "0, 0, 0", "30, 40, 50")
    model = parse_cmd(
        start + "\nmarker create marker_name = .m.ground.t orientation = (ORI_RELATIVE_TO({.m.ground.r.orientation}, "
        ".m.ground))",
        "c.cmd",
    )
    r, t = (next(m for m in model.markers.values() if m.name == n).frame.axes for n in "rt")
    assert np.abs(r - t).max() < 1e-12


@pytest.mark.parametrize(
    "function, wanted",
    [("AX", 0), ("AY", 0), ("AZ", 35), ("PSI", 35), ("THETA", 0), ("PHI", 0), ("YAW", 35), ("PITCH", 0), ("ROLL", 0)],
)
def test_angles_between_frames(function, wanted):
    frames = at("p", "0, 0, 0", "20, 0, 0") + at("q", "3, 3, 0", "55, 0, 0")
    assert value(f"{function}(.m.ground.q, .m.ground.p)", frames)[0] == pytest.approx(wanted, abs=1e-12)


def test_pitch_has_the_other_sign():
    """Body 3-2-1: a turn of 25 degrees about y is a pitch of -25 degrees; AY of the manual's formula is 25 degrees."""
    frames = at("p", "0, 0, 0", "90, 25, 270")
    assert value("PITCH(.m.ground.p)", frames)[0] == pytest.approx(-25) and value("AY(.m.ground.p)", frames)[
        0
    ] == pytest.approx(25)


@pytest.mark.parametrize(
    "expression, wanted",
    [
        ("TAN(.m.roll) * 12.1516361698", 2.2706),
        ("SIN(30)", 0.5),
        ("SIN(30d)", 0.5),
        ("COS(ACOS(0.25))", 0.25),
        ("ATAN2(1, 1) + 10", 55),
        ("ABS(-30d)", 30),
        ("MAX(10d, 20)", 20),
        ("30d * 2", 60),
        ("30d / 10", 3),
        ("10 / 5d", 2),
        ("SIN(ATAN(1) + 45)", 1),
        ("(30d > 20) + (30d < 40)", 2),
        ("30d ** 2", 900),
        ("10d * 10d", 100),
        ("SIN(PI * RTOD / 6)", 0.5),
    ],
)
def test_numbers_beside_angles_are_in_the_angle_unit(expression, wanted):
    assert value(expression)[0] == pytest.approx(wanted, rel=1e-4)


def test_numbers_are_radians_in_a_file_in_radians():
    start = START.replace("angle = deg", "angle = rad")
    assert value("SIN(0.5)", start=start)[0] == pytest.approx(math.sin(0.5))
    assert value("SIN(30d)", start=start)[0] == pytest.approx(0.5)
    assert value("30d + 1", start=start)[0] == pytest.approx(math.pi / 6 + 1)


def test_texts_of_formats():
    text = (
        'marker create marker_name = (eval(STR_SPRINTF(".m.ground.M_%03d_%s", {7.0, STR_CASE("ab", 1)}))) location '
        "= 1, 2, 3"
    )
    model = parse_cmd(START + text, "c.cmd")
    assert [m.name for m in model.markers.values()] == ["M_007_AB"]
    for bad in (
        'STR_SPRINTF("%d %d", {1})',
        'STR_SPRINTF("%n", {1})',
        'STR_SPRINTF("%99999d", {1})',
        "IF(1: 2, 3)",
        'LOC_MIRROR({1,2,3}, .m.ground, "xx")',
    ):
        model = parse_cmd(
            START + f"data_element create array general_array array_name = .m.a numbers = ({bad})",
            "c.cmd",
            lenient=True,
        )
        assert sum("c.cmd:" in w for w in model.warnings) == 1, bad


@pytest.mark.parametrize(
    "command",
    [
        "gravity create gravity_name = g",
        "motion create joint_motion",
        "PART/1, GROUND",
        "xyz_not_a_command",
        "forces create body_force gravity_field",
        "geometry create shape box box_name = b",
        "model create",
        "force gravity",
        "constraint joint revolute joint_name = j",
        "file command read file_name = other.cmd",
        "fil com rea file_name = other.cmd",
        "file adams_data_set read file_name = x.adm",
        "model assemble model_names = m",
        "group objects delete group_name = g",
        "group attributes group_name = g active = off",
        "ude modify instance instance_name = .m.none",
    ],
)
def test_what_is_no_command_or_reads_elsewhere_is_an_error(command):
    with pytest.raises(ModelError):
        parse_cmd(START + command, "c.cmd", lenient=False)
    told = parse_cmd(START + command, "c.cmd", lenient=True).warnings
    assert len(told) == 1 and "c.cmd:" in told[0]


@pytest.mark.parametrize(
    "command",
    [
        "view erase",
        "model display model_name = m",
        "mod att model_name = m",
        "interface dialog_box create",
        "undo begin_block",
        "plugin load plugin_name = .MDI.p",
        "geometry create shape gcontact",
        "geometry create curve polyline polyline_name = p",
        "marker attributes marker_name = .m.x",
        "color create color_name = c",
        "var dis",
        "simulation single_run reset",
        "group create group_name = g",
        "executive_control set preferences model_name = m",
    ],
)
def test_what_makes_no_element_is_passed_over(command):
    told = parse_cmd(START + command, "c.cmd", lenient=False).warnings
    assert len(told) == 1 and "is ignored" in told[0]
    assert ("sets what is not read" in told[0]) == command.startswith("executive")


def test_a_sensor_is_switched_off():
    text = (
        "executive_control create sensor sensor_name = .m.s compare = ge value = 1 error = 0.1 halt = yes function = "
        '"time"\n'
        "executive_control attributes sensor sensor_name = .m.s active = off\n"
    )
    assert parse_cmd(START + text, "c.cmd", lenient=False).table("SENSOR")[1].active is False


def test_settings_of_assembly_and_kinematics():
    text = (
        "executive_control set kinematics_parameters model_name = m error = 1e-5 aerror = 2e-5 maxit = 7 hmax = 0.5\n"
        "executive_control set initial_conditions_parameters model_name = m error = 3e-5 aerror = 4e-5 maxit = 8 "
        "amaxit = 9\n"
    )
    model = parse_cmd(START + text, "c.cmd", lenient=False)
    k, i = model.kinematics, model.initial
    assert (k.error, k.aerror, k.maxit, k.hmax, i.error, i.aerror, i.maxit, i.amaxit) == (
        1e-5,
        2e-5,
        7,
        0.5,
        3e-5,
        4e-5,
        8,
        9,
    )
    told = parse_cmd(START + "executive_control set kinematics_parameters tlimit = 1", "c.cmd").warnings
    assert len(told) == 1 and "tlimit = 1 is not read" in told[0]


def test_numbers_in_quotes():
    model = parse_cmd(
        START + 'data_element create matrix full matrix_name = .m.M row_count = "2" column_count = 1 values = 1, 2',
        "c.cmd",
        lenient=False,
    )
    assert model.table("MATRIX")[1].rows == 2


def test_shapes_of_a_combined_solid_have_its_name():
    text = (
        "part create rigid_body name_and_position part_name = .m.A location = 0, 0, 0\nmarker create marker_name = "
        ".m.A.a location = 0, 0, 0\n"
        + "".join(
            f"geometry create shape cylinder cylinder_name = .m.A.C{k} center_marker = .m.A.a length = 1 radius = {k}\n"
            for k in (1, 2)
        )
        + "geometry create shape csg csg_name = .m.A.S base_object = .m.A.C2 object = .m.A.C1 type = difference\n"
        "geometry modify shape cylinder cylinder_name = .m.A.S.C1 length = 5\n"
    )
    model = parse_cmd(START + text, "c.cmd", lenient=False)
    assert [g.arguments["length"] for g in model.table("GRAPHICS").values()] == [5, 1]


def test_a_mass_of_solids_that_are_not_read_is_told_as_such():
    """A part whose solid a contact names: one sentence on the solids, none on a mass that the file does not lack."""
    text = (
        'file parasolid read file_name = "x.xmt_txt" model_name = m\nmaterial create material_name = .m.steel density '
        "= 7.8e-6\n"
        "marker create marker_name = .m.ground.g location = 0, 0, 0\n"
        "geometry create shape block block_name = .m.ground.b corner_marker = .m.ground.g diag_corner_coords = 1, "
        "1, 1\n"
        "part create rigid_body name_and_position part_name = .m.A location = 0, 0, 0\nmarker create marker_name = "
        ".m.A.cm location = 0, 0, 0\n"
        "part create rigid_body mass_properties part_name = .m.A material_type = .m.steel\n"
        "contact create contact_name = .m.C i_geometry_name = .m.A.SOLID j_geometry_name = .m.ground.b stiffness = 1 "
        "damping = 1 exponent = 2 dmax = 1\n"
    )
    model = parse_cmd(START + text, "c.cmd", lenient=False)
    assert faults(model) == [] and any(
        "its mass follows from the solids of the file 'x.xmt_txt'" in w for w in cannot_run(model)
    )
