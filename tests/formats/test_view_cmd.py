# ruff: noqa: E501  (datasets inline)
"""Adams View command files: the public ones, each kind of element, expressions, loops, errors."""

import math

import numpy as np
import pytest
from _adams_data import ADAMS, COMMANDS, plain

from _public_data import NEEDS
from holonom.formats import parse_acf, parse_adm, parse_cmd, read_adm, read_cmd, write_adm
from holonom.model import ModelError

START = "model create model_name = m\ndefaults units length = mm force = newton mass = kg time = sec angle = deg\n"
TWO = START + (
    "part create rigid_body name_and_position part_name = .m.A location = 1, 2, 3 orientation = 90d, 0d, 0d\n"
    "marker create marker_name = .m.A.i location = 1, 2, 3\nmarker create marker_name = .m.ground.j location = 0, "
    "0, 0\n"
    "marker create marker_name = .m.ground.k location = 5, 0, 0\n"
)


DAMAGED = ("lsp_demo.cmd", "test.cmd")  # test files of an editor: commands with mistakes on purpose


def read(text, **more):
    model = parse_cmd(text, "c.cmd", **more)
    assert plain(parse_adm(write_adm(model), "c")) == plain(model)
    return model


@pytest.mark.skipif(not COMMANDS, reason=f"{NEEDS}: {ADAMS} is absent")
@pytest.mark.parametrize("path", COMMANDS, ids=lambda p: p.name)
def test_public_command_files(path):
    model = read_cmd(path, lenient=path.name in DAMAGED)
    assert plain(parse_adm(write_adm(model), str(path), lenient=True)) == plain(model)
    counts = {k: len(model.table(k)) for k in ("PART", "POINT_MASS", "JOINT", "BEAM", "SPRINGDAMPER", "MOTION")}
    expected = {
        "cam_follower.cmd": (3, 0, 2, 0, 0, 0), "chain.cmd": (1, 8, 1, 0, 7, 0), "four_bar.cmd": (4, 0, 4, 0, 0, 1),
        "pendulum_fixed.cmd": (2, 0, 1, 0, 1, 0), "wind_turbine.cmd": (27, 0, 5, 21, 0, 1),
        "generic_model.cmd": (3, 0, 2, 0, 0, 1),
        "test_analysis_with_spikes.cmd": (3, 0, 2, 0, 0, 1), "test_measures_final.cmd": (3, 0, 2, 0, 0, 0),
        "lsp_demo.cmd": (2, 0, 0, 0, 0, 0),
        "test.cmd": (1, 0, 0, 0, 0, 0),
    }  # fmt: skip
    assert tuple(counts.values()) == expected[path.name]
    for text in model.scripts.values():
        assert len(parse_acf(text)) > 0


@pytest.mark.skipif(not COMMANDS, reason=f"{NEEDS}: {ADAMS} is absent")
def test_a_command_file_and_its_dataset_agree():
    ours = read_cmd(ADAMS / "adamspy/test_analysis_with_spikes.cmd")
    theirs = read_adm(ADAMS / "adamspy/test_analysis_with_spikes.adm")
    assert set(ours.markers.keys()) == set(theirs.markers.keys())
    assert set(ours.parts.keys()) == set(theirs.parts.keys())
    for number, marker in theirs.markers.items():
        frame = ours.body_of(ours.markers[number]).frame @ ours.markers[number].frame
        other = theirs.body_of(marker).frame @ marker.frame
        assert np.allclose(frame.origin, other.origin, atol=1e-8) and np.allclose(frame.axes, other.axes, atol=1e-8)
    for kind in ("JOINT", "JPRIM"):
        for number, joint in theirs.table(kind).items():
            mine = ours.table(kind)[number]
            assert (mine.type, mine.i, mine.j, mine.name) == (joint.type, joint.i, joint.j, joint.name)
    assert ours.table("MOTION")[1].function == theirs.table("MOTION")[1].function == "30.0d * time"
    assert ours.table("SFORCE")[1].function.replace(" ", "") == theirs.table("SFORCE")[1].function.replace(" ", "")
    assert ours.table("MATERIAL")[1].density == pytest.approx(0.2818290049, rel=1e-9)


def test_places_are_relative_to_the_default_system():
    model = read(
        TWO + "marker create marker_name = .m.A.p location = 1, 0, 0 relative_to = .m.A\n"
        "defaults coordinate_system default_coordinate_system = .m.A\nmarker create marker_name = .m.A.q location = 0, "
        "1, 0\n"
        "marker create marker_name = .m.A.r location = (LOC_RELATIVE_TO({0, 0, 0}, .m.ground.k))\n"
        "marker create marker_name = .m.A.s location = 0,0,0 orientation = (ORI_RELATIVE_TO({0, 90, 0}, .m.ground))"
    )
    find = lambda n: model.find("MARKER", n).qp
    assert model.parts[2].qg == (1, 2, 3) and model.parts[2].reuler == (math.pi / 2, 0, 0)
    assert (
        find("i") == pytest.approx((0, 0, 0))
        and find("p") == pytest.approx((1, 0, 0))
        and find("q") == pytest.approx((0, 1, 0))
    )
    assert find("r") == pytest.approx((-2, -4, -3))
    assert np.allclose((model.parts[2].frame.axes @ model.find("MARKER", "s").axes)[:, 2], (0, -1, 0))


def test_elements():
    model = read(
        TWO
        + """
part modify rigid_body mass_properties part_name = .m.A mass = 2 center_of_mass_marker = .m.A.i ixx = 1 iyy = 2 izz = 3 izx = .5
part create rigid_body initial_velocity part_name = .m.A vx = 1 wz = 2
constraint create joint revolute joint_name = .m.J1 adams_id = 7 i_marker_name = .m.A.i j_marker_name = .m.ground.j &
   rotational_ic = 10
constraint create joint translational joint_name = J2 i_part_name = A j_part_name = ground location = 0,0,0 orientation = 0,0,0
constraint create primitive_joint parallel_axis jprim_name = P1 i_marker_name = .m.A.i j_marker_name = .m.ground.j
constraint create motion_generator motion_name = M1 joint_name = .m.J1 type_of_freedom = rotational time_derivative = velocity function = "30d*time"
constraint create motion_generator motion_name = M2 i_marker_name = .m.A.i j_marker_name = .m.ground.j axis = b2 function = "1"
constraint create complex_joint coupler coupler_name = C1 joint_name = .m.J1, .m.J2 type_of_freedom = rotational, translational multiplication_factors = 2
force create direct single_component_force single_component_force_name = .m.F i_marker_name = .m.A.i j_marker_name = .m.ground.j &
   function = "-3*(DM(.m.A.i, .m.ground.j)", "  - 2) + STEP(time, .5, 0, 1, 1)"
floating_marker create floating_marker_name = .m.ground.fl
force create direct general_force general_force_name = G i_marker_name = .m.A.i j_floating_marker_name = .m.ground.fl ref_marker_name = .m.A.i &
   x_force_function = "1" z_torque_function = "VARVAL(.m.v1)"
data_element create variable variable_name = .m.v1 initial_condition = 3 function = "time"
force create element_like rotational_spring_damper spring_damper_name = S i_marker_name = .m.A.i j_marker_name = .m.ground.j &
   stiffness = 1 damping = 2 displacement_at_preload = 90
force create element_like bushing bushing_name = B i_marker_name = .m.A.i j_marker_name = .m.ground.j stiffness = 1,2,3 damping = 1,1,1 &
   tstiffness = 0,0,1 tdamping = 0,0,0
data_element create spline spline_name = .m.sp x = 1,2,3,4 y = 1,4,9,16 linear_extrapolate = yes
data_element create matrix full matrix_name = .m.mx row_count = 2 column_count = 2 values = 1,2,3,4 input_order = by_row
data_element create array x_state_array array_name = .m.x
data_element create array u_input_array array_name = .m.u variable_name = .m.v1
data_element create array y_output_array array_name = .m.y
part create equation transfer_function transfer_function_name = .m.tf x_state_array_name = .m.x u_input_array_name = .m.u &
   y_output_array_name = .m.y numerator_coefficients = 1 denominator_coefficients = 1, 2
part create equation differential_equation differential_equation_name = .m.d initial_condition = 1 function = "-DIF(.m.d)"
geometry create shape cylinder cylinder_name = .m.A.cyl center_marker = .m.A.i length = 3 radius = 1 angle_extent = 360
geometry create shape block block_name = .m.ground.box corner_marker = .m.ground.j diag_corner_coords = 1, 2, 3
contact create contact_name = .m.con i_geometry_name = .m.A.cyl j_geometry_name = .m.ground.box stiffness = 1e5 damping = 10 dmax = .1 exponent = 2.2
force create body gravitational gravity_field_name = g y_component_gravity = -9806.65
""",
        lenient=False,
    )
    part = model.parts[2]
    assert part.ip == (1, 2, 3, 0, 0.5, 0) and part.mass == 2 and part.vx == 1
    assert part.wz == math.radians(2)  # degrees per second in a file whose angles are in degrees
    joint = model.joints[7]
    assert joint.icrot == (math.radians(10), None) and model.find("JOINT", "J2").type == "TRANSLATIONAL"
    assert model.find("MOTION", "M1").level == "VELOCITY" and model.find("MOTION", "M2").component == "B2"
    i, j = joint.i, joint.j
    assert model.find("SFORCE", "F").function == f"-3*(DM({i}, {j}) - 2) + STEP(time, .5, 0, 1, 1)"
    assert model.find("GFORCE", "G").tz == "VARVAL(1)" and model.find("DIFF", "d").function == "-DIF(1)"
    spring = model.find("SPRINGDAMPER", "S")
    assert spring.angle == math.pi / 2 and spring.kt == pytest.approx(180 / math.pi)
    assert model.find("COUPLER", "C1").scales == (1, 2) and model.find("TFSISO", "tf").denominator == 5
    assert model.table("GRAPHICS")[1].arguments["rangle"] == 2 * math.pi and model.table("CONTACT")[1].jgeom == (2,)
    assert model.gravity == (0, -9806.65, 0)


def test_variables_expressions_and_blocks():
    model = read(
        START
        + """
variable set variable_name = .m.DV_1 real_value = 4.0
var set var = n integer_value = (eval(2 + 1))
for variable_name = i start_value = 1 end_value = (n)
  part create rigid_body name_and_position part_name = (eval(".m.P_" // RTOI(i))) location = (DV_1 * i), (.m.DV_1/2), (2inch)
  if condition = (i == 2 || !(i < 3))
    marker create marker_name = (eval(".m.P_" // RTOI(i) // ".cm")) location = (MAX(1, i)**2), (-SQRT(16)), (SIN(30d))
  else
    marker create marker_name = (".m.P_" // RTOI(i) // ".other") location = 0, 0, 0
  end
end
""",
        lenient=False,
    )
    assert [p.qg for p in model.parts.values()][1:] == [(4, 2, 50.8), (8, 2, 50.8), (12, 2, 50.8)]
    assert [m.name for m in model.markers.values()] == ["other", "cm", "cm"]
    assert model.markers[2].qp == pytest.approx((4 - 8, -4 - 2, 0.5 - 50.8))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("marker create marker_name = .m.B.x location = 0,0,0", "c.cmd:7: marker create: there is no part 'b'"),
        ("marker create marker_name = .m.A.i location = 0,0,0", "exists already"),
        ("marker create marker_name = .m.A.z location = 0,0", "location takes three numbers, got 2"),
        ("marker create marker_name = .m.A.z location = (1/0),0,0", "has no value"),
        ("marker create marker_name = .m.A.z location = (nope),0,0", "there is no variable 'nope'"),
        (
            "constraint create joint revolute joint_name = j i_marker_name = .m.A.ii j_marker_name = .m.ground.j",
            "there is no MARKER '.m.A.ii'",
        ),
        ("constraint create joint revolut joint_name = j", "i_marker_name is missing"),
        ("constraint create joint wobbly joint_name = j", "this kind of element is not read"),
        ('constraint create joint revolute joint_name = ("a"', "a parenthesis is not closed"),
        (
            "force create direct single_component_force single_component_force_name = f i_marker_name = .m.A.i "
            "j_marker_name = .m.ground.j "
            'function = "DX(.m.A.nope)"',
            "which is not an object of the model",
        ),
        (
            "force create direct single_component_force single_component_force_name = f i_marker_name = .m.A.i "
            "j_marker_name = .m.ground.j "
            'function = "1 +"',
            "ends too early",
        ),
        ("end", "it closes no block"),
        ("for variable_name = i", "its 'end' is missing"),
        ("if condition = (1 +)\nend", "')' is not expected"),
    ],
)
def test_errors_and_lenient_warnings(text, message):
    with pytest.raises(ModelError) as caught:
        parse_cmd(TWO + text, "c.cmd", lenient=False)
    assert message in str(caught.value)
    assert any(message in w for w in parse_cmd(TWO + text, "c.cmd", lenient=True).warnings)


def test_what_creates_nothing_is_listed():
    model = parse_cmd(TWO + "view erase\nxy_plot curve create curve = a\nview erase\n")
    assert any("'view erase' creates no model element and is ignored (line 7, 9)" in w for w in model.warnings)
    with pytest.raises(ModelError, match="no command creates a model"):
        parse_cmd("view erase")


def test_endless_loops_end():
    endless = "while condition = (1)\nvariable set variable_name = a real_value = 1\nend\n"
    model = parse_cmd(TWO + endless, lenient=True)
    assert any("commands were executed" in w for w in model.warnings)


def test_data_of_files():
    model = read(
        TWO
        + 'data_element create spline spline_name = .m.sp file_name = "road.rpc" channel = 3 linear_extrapolate = yes\n'
        'data_element create spline spline_name = .m.sq file_name = "p.spr" block_name = "CURVE"\n'
        'data_element create matrix file matrix_name = .m.mx file_name = "prob.dat" name_of_matrix_in_file = "trf"\n'
    )
    sp, sq = model.table("SPLINE").values()
    assert (sp.file, sp.channel, sp.block, sp.linear_extrapolate) == ("road.rpc", 3, None, True)
    assert (sq.file, sq.channel, sq.block) == ("p.spr", None, "CURVE")
    assert [(m.file, m.file_name) for m in model.table("MATRIX").values()] == [("prob.dat", "trf")]


def test_abbreviated_words_create_and_modify():
    model = read(
        TWO
        + "data_element cre spline spline_name = .m.sp x = 0, 1 y = 2, 3\n"
        + "data_element mod spline spline_name = .m.sp y = 4, 5\n"
        + "data_element cre array general_array array_name = .m.start numbers = 1, 2\n"
        + "executive_control cre sensor sensor_name = .m.stop value = 2 function = time\n"
    )
    (spline,), (array,), (sensor,) = (model.table(kind).values() for kind in ("SPLINE", "ARRAY", "SENSOR"))
    assert (spline.x, spline.y) == ((0.0, 1.0), ((4.0, 5.0),))
    assert (array.kind, array.numbers) == ("IC", (1.0, 2.0))
    assert (sensor.value, sensor.function) == (2.0, "time")


@pytest.mark.parametrize(
    "text, message",
    [
        (
            "force create element_like translational_spring_damper spring_damper_name = .m.s i_marker_name = .m.A.i "
            "j_marker_name = .m.ground.j stiffness = 2\n"
            "force modify element_like rotational_spring_damper spring_damper_name = .m.s stiffness = 3\n",
            "s is of kind translational; delete it and create another one",
        ),
        (
            "data_element create array x_state_array array_name = .m.x\n"
            "data_element modify array u_input_array array_name = .m.x\n",
            "x is of kind x; delete it and create another one",
        ),
    ],
)
def test_a_command_of_another_type_changes_nothing(text, message):
    with pytest.raises(ModelError, match=message):
        parse_cmd(TWO + text, "c.cmd")
