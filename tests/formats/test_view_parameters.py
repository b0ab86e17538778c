# ruff: noqa: E501  (command files inline)
"""Every command of a View file that is carried out: a parameter that nothing reads is reported, and those that Adams
View writes are read."""

import math

import numpy as np
import pytest

import holonom as hn
from holonom.formats import parse_cmd
from holonom.formats.adams.view_cmd import _Reader, _split
from holonom.formats.adams.view_session import without_effect
from holonom.model import ModelError

START = """
defaults units length = meter angle = deg force = newton mass = kg time = sec
model create model_name = m
marker create marker_name = .m.ground.g location = 0, 0, 0
marker create marker_name = .m.ground.h location = 1, 0, 0
floating_marker create floating_marker_name = .m.ground.f
part create rigid_body name_and_position part_name = .m.A location = 0, 0, 0
marker create marker_name = .m.A.a location = 0, 0, 0
marker create marker_name = .m.A.b location = 0, 1, 0
part create rigid_body mass_properties part_name = .m.A mass = 1 center_of_mass_marker = .m.A.a ixx = 1 iyy = 1 izz = 1
part create point_mass name_and_position point_mass_name = .m.P location = 0, 0, 0
constraint create joint revolute joint_name = .m.J i_marker_name = .m.A.a j_marker_name = .m.ground.g
constraint create joint cylindrical joint_name = .m.K i_marker_name = .m.A.b j_marker_name = .m.ground.h
data_element create variable variable_name = .m.v function = "1"
data_element create array x_state_array array_name = .m.x size = 1
data_element create array u_input_array array_name = .m.u variable_name = .m.v
data_element create array y_output_array array_name = .m.y
data_element create matrix full matrix_name = .m.M row_count = 2 column_count = 3 values = 1, 2, 3, 4, 5, 6
data_element create curve curve_name = .m.C closed = no matrix_name = .m.M
material create material_name = .m.steel density = 7800
geometry create shape ellipsoid ellipsoid_name = .m.A.ball center_marker = .m.A.a x_scale_factor = 1 y_scale_factor = 1 z_scale_factor = 1
geometry create shape block block_name = .m.ground.box corner_marker = .m.ground.g diag_corner_coords = 1, 1, 1
"""
IJ = "i_marker_name = .m.A.a j_marker_name = .m.ground.g"
TWELVE = ", ".join(["1"] * 36)
#: a command of each kind that is carried out with these parameters
COMMANDS = (
    """
model create model_name = n
defaults units length = meter
defaults model model_name = .m
defaults coordinate_system default_coordinate_system = .m.ground
defaults orient_axis_and_plane axis_and_plane_setting = z_axis_zx_plane
point create point_name = .m.A.p location = 1, 2, 3
part create rigid_body name_and_position part_name = .m.B location = 1, 2, 3
part modify rigid_body name_and_position part_name = .m.A location = 1, 2, 3
part create rigid_body mass_properties part_name = .m.A mass = 2
part modify rigid_body mass_properties part_name = .m.A mass = 2
part create rigid_body initial_velocity part_name = .m.A vx = 1
part modify rigid_body initial_velocity part_name = .m.A vx = 1
part create point_mass name_and_position point_mass_name = .m.Q location = 1, 2, 3
part modify point_mass name_and_position point_mass_name = .m.P location = 1, 2, 3
part create point_mass mass_properties point_mass_name = .m.P mass = 2
part create point_mass initial_velocity point_mass_name = .m.P vx = 2
part create equation differential_equation differential_equation_name = .m.d function = "1"
part create equation linear_state_equation linear_state_equation_name = .m.l x_state_array_name = .m.x a_state_matrix_name = .m.M
part create equation transfer_function transfer_function_name = .m.t x_state_array_name = .m.x u_input_array_name = .m.u y_output_array_name = .m.y numerator_coefficients = 1 denominator_coefficients = 1, 1
part create equation general_state_equation general_state_equation_name = .m.s state_equation_count = 1 user_function = 1
marker create marker_name = .m.A.c location = 1, 2, 3
marker modify marker_name = .m.A.a location = 1, 2, 3
floating_marker create floating_marker_name = .m.ground.e
constraint create motion_generator motion_name = .m.mo joint_name = .m.J type_of_freedom = rotational function = "time"
constraint create complex_joint coupler coupler_name = .m.co joint_name = .m.J, .m.K motion_multipliers = 2
constraint create complex_joint gear gear_name = .m.ge joint_name = .m.J, .m.K common_velocity_marker_name = .m.ground.g
constraint create higher_pair_contact point_curve point_curve_name = .m.pc i_marker_name = .m.A.a ref_marker_name = .m.ground.g curve_name = .m.C
constraint create higher_pair_contact curve_curve curve_curve_name = .m.cc i_curve_name = .m.C j_curve_name = .m.C i_ref_marker_name = .m.A.a j_ref_marker_name = .m.ground.g
constraint create general_constraint general_constraint_name = .m.gc function = "DX(.m.A.a)"
constraint create joint revolute joint_name = .m.j1 {IJ}
constraint create joint translational joint_name = .m.j1 {IJ}
constraint create joint cylindrical joint_name = .m.j1 {IJ}
constraint create joint spherical joint_name = .m.j1 {IJ}
constraint create joint planar joint_name = .m.j1 {IJ}
constraint create joint fixed joint_name = .m.j1 {IJ}
constraint create joint universal joint_name = .m.j1 {IJ}
constraint create joint hooke joint_name = .m.j1 {IJ}
constraint create joint convel joint_name = .m.j1 {IJ}
constraint create joint screw joint_name = .m.j1 pitch = 1 {IJ}
constraint create joint rackpin joint_name = .m.j1 diameter_of_pitch = 1 {IJ}
constraint modify joint revolute joint_name = .m.J {IJ}
constraint create primitive_joint at_point jprim_name = .m.p1 {IJ}
constraint create primitive_joint inline jprim_name = .m.p1 {IJ}
constraint create primitive_joint inplane jprim_name = .m.p1 {IJ}
constraint create primitive_joint orientation jprim_name = .m.p1 {IJ}
constraint create primitive_joint parallel_axis jprim_name = .m.p1 {IJ}
constraint create primitive_joint perpendicular jprim_name = .m.p1 {IJ}
force create body gravitational gravity_field_name = .m.gr y_component_gravity = -10
force create direct single_component_force single_component_force_name = .m.f1 {IJ} function = "1"
force create direct force_vector force_vector_name = .m.f2 i_marker_name = .m.A.a j_floating_marker_name = .m.ground.f x_force_function = "1"
force create direct torque_vector torque_vector_name = .m.f3 i_marker_name = .m.A.a j_floating_marker_name = .m.ground.f x_torque_function = "1"
force create direct general_force general_force_name = .m.f4 i_marker_name = .m.A.a j_floating_marker_name = .m.ground.f x_force_function = "1"
force create element_like translational_spring_damper spring_damper_name = .m.f5 {IJ} stiffness = 1
force create element_like rotational_spring_damper spring_damper_name = .m.f6 {IJ} stiffness = 1
force create element_like beam beam_name = .m.f7 {IJ} length = 1 area_of_cross_section = 1
force create element_like bushing bushing_name = .m.f8 {IJ} stiffness = 1, 1, 1
force create element_like field field_name = .m.f9 {IJ} stiffness_matrix = {TWELVE}
force create element_like friction friction_name = .m.f0 joint_name = .m.J mu_static = 0.4
executive_control create sensor sensor_name = .m.se compare = ge value = 1 error = 0.1 halt = yes function = "time"
output_control create request request_name = .m.re output_type = displacement i_marker_name = .m.A.a
contact create contact_name = .m.ct i_geometry_name = .m.A.ball j_geometry_name = .m.ground.box stiffness = 1 damping = 1 exponent = 2 dmax = 1
material create material_name = .m.iron density = 7800
material modify material_name = .m.steel density = 7800
data_element create spline spline_name = .m.sp x = 1, 2, 3, 4 y = 1, 2, 3, 4
data_element create variable variable_name = .m.w function = "1"
data_element modify variable variable_name = .m.v function = "2"
data_element create matrix full matrix_name = .m.N row_count = 1 column_count = 1 values = 1
data_element create matrix sparse matrix_name = .m.N row_count = 1 column_count = 1 row_index = 1 column_index = 1 values = 1
data_element create matrix file matrix_name = .m.N file_name = x
data_element create string string_name = .m.st string = abc
data_element create curve curve_name = .m.D closed = no matrix_name = .m.M
data_element create plant input plant_input_name = .m.pi variable_name = .m.v
data_element create plant output plant_output_name = .m.po variable_name = .m.v
data_element create array ic_array array_name = .m.ic numbers = 1, 2
data_element create array general_array array_name = .m.ic numbers = 1, 2
data_element create array x_state_array array_name = .m.x2 size = 1
data_element create array y_output_array array_name = .m.y2
data_element create array u_input_array array_name = .m.u2 variable_name = .m.v
variable create variable_name = .m.dv real_value = 1
variable set variable_name = .m.dv real_value = 1
executive_control set equilibrium_parameters error = 1e-4
executive_control set numerical_integration_parameters error_tolerance = 1e-4
geometry create shape block block_name = .m.A.g1 corner_marker = .m.A.a diag_corner_coords = 1, 2, 3
geometry create shape cylinder cylinder_name = .m.A.g1 center_marker = .m.A.a length = 1 radius = 1
geometry create shape frustum frustum_name = .m.A.g1 center_marker = .m.A.a length = 1 top_radius = 1 bottom_radius = 1
geometry create shape ellipsoid ellipsoid_name = .m.A.g1 center_marker = .m.A.a x_scale_factor = 1
geometry create shape link link_name = .m.A.g1 i_marker = .m.A.a j_marker = .m.A.b width = 1 depth = 1
geometry create shape torus torus_name = .m.A.g1 center_marker = .m.A.a major_radius = 2 minor_radius = 1
geometry create shape plate plate_name = .m.A.g1 marker_name = .m.A.a width = 1
geometry create shape extrusion extrusion_name = .m.A.g1 reference_marker = .m.A.a points_for_profile = 0, 0, 0, 1, 0, 0, 0, 1, 0 length_along_z_axis = 1
geometry create shape revolution revolution_name = .m.A.g1 reference_marker = .m.A.a points_for_profile = 1, 0, 0, 1, 0, 1, 2, 0, 1 angle_extent = 360
geometry create shape plane plane_name = .m.A.g1 ref_marker_name = .m.A.a x_minimum = 0 x_maximum = 1 y_minimum = 0 y_maximum = 1
geometry create curve circle circle_name = .m.A.g1 center_marker = .m.A.a radius = 1
geometry create curve arc arc_name = .m.A.g1 center_marker = .m.A.a radius = 1 angle_extent = 90
measure create function measure_name = .m.me function = "1"
measure create object measure_name = .m.me object = .m.A characteristic = cm_position component = x_component
measure create pt2pt measure_name = .m.me from_point = .m.A.a to_point = .m.ground.g characteristic = translational_displacement
measure create angle measure_name = .m.me first_point = .m.A.a middle_point = .m.ground.g last_point = .m.A.b
measure create point measure_name = .m.me point = .m.A.a characteristic = translational_velocity
measure create computed measure_name = .m.me text_of_expression = "1"
measure create range measure_name = .m.me of_measure_name = .m.mz
constraint create joint rigid joint_name = .m.j1 {IJ}
constraint create joint rack_and_pinion joint_name = .m.j1 diameter_of_pitch = 1 {IJ}
constraint attributes constraint_name = .m.J active = on
marker attributes marker_name = .m.A.a active = on
entity attributes entity_name = .m.A active = on
constraint delete constraint_name = .m.J
part delete part_name = .m.P
executive_control set kinematics_parameters hmax = 1
executive_control set initial_conditions_parameters error = 1e-4
executive_control set integrator_parameters gstiff error = 1e-4
simulation single_run dynamic end_time = 1 number_of_steps = 2
simulation single_run kinematic end_time = 1 number_of_steps = 2
simulation script create sim_script_name = .m.sc solver_commands = "SIMULATE/STATICS"
simulation single_run transient end_time = 1 number_of_steps = 10
part attributes part_name = .m.A active = on
""".replace("{IJ}", IJ)
    .replace("{TWELVE}", TWELVE)
    .strip()
    .splitlines()
)


def unread(text: str) -> list[str]:
    """What is reported of a command, beyond what is reported of the model without it."""
    return [w for w in parse_cmd(START + text, "c.cmd").warnings if w not in parse_cmd(START, "c.cmd").warnings]


def test_the_start_is_read_without_a_word():
    assert parse_cmd(START, "c.cmd", lenient=False).warnings == []


@pytest.mark.parametrize("command", COMMANDS, ids=lambda c: c.split("=")[0].rsplit(" ", 2)[0])
def test_an_unknown_parameter_of_each_command_is_reported(command):
    line = START.count("\n") + 1
    before = [w for w in unread(command) if "only model" not in w]
    assert before == [], "the command itself is read whole"
    told = [w for w in unread(f"{command} zebra = 5") if w not in before]
    words = " ".join(_split(command)[0])
    assert any(
        w == f"c.cmd:{line}: {words}: parameter zebra = 5 is not read and has no influence; check its name"
        for w in told
    ), told


MODIFIED = [
    c
    for c in COMMANDS
    if "create" in _split(c)[0]
    and _Reader("c.cmd", True).meant(tuple(w.replace("create", "modify") for w in _split(c)[0]))
]


def test_an_unknown_parameter_of_each_change_is_reported():
    """Of the same command with modify in place of create, behind it."""
    assert len(MODIFIED) > 60
    for command in MODIFIED:
        change = command.replace(" create ", " modify ", 1)
        before, told = (unread(f"{command}\n{change}{more}") for more in ("", " zebra = 5"))
        words = " ".join(_split(change)[0])
        (text,) = (w for w in told if w not in before)
        assert text.split(":", 2)[2].startswith(f" {words}: parameter zebra = 5 is not read"), text


@pytest.mark.parametrize(
    "command", [c for c in COMMANDS if "create" in c.split()], ids=lambda c: c.split("=")[0].rsplit(" ", 2)[0]
)
def test_comments_and_ids_are_no_warning(command):
    reported = [w for w in unread(f'{command} comments = "a", "b"') if "only model" not in w]
    assert reported == []


def test_each_command_of_the_reader_is_met_here():
    reader = _Reader("c.cmd", True)
    tried = {h for c in COMMANDS for h in reader.meant(tuple(_split(c)[0]))}
    families = {k[:3] for k in tried}
    left = {
        k
        for k in reader.handlers
        if k not in tried
        and "modify" not in k
        and "attributes" not in k
        and "delete" not in k
        and k[:3] not in families
    }
    whole = (
        "ude",
        "assembly",
        "file",
        "geometry",
        "variable",
        "part",
        "constraint",
        "simulation",
        "executive_control",
    )
    assert {k for k in left if k[0] not in whole} == set()


def test_a_slip_of_the_hand_is_an_error_where_errors_are_wanted():
    text = (
        START + f"force create element_like translational_spring_damper spring_damper_name = .m.s {IJ} stifness = 100"
    )
    with pytest.raises(ModelError, match="parameter stifness = 100 is not read; did you mean stiffness?"):
        parse_cmd(text, "c.cmd", lenient=False)
    assert any(
        "stifness = 100 is not read; did you mean stiffness?" in w
        for w in parse_cmd(text, "c.cmd", lenient=True).warnings
    )


def test_many_of_a_kind_are_one_message():
    text = START + "".join(f"marker create marker_name = .m.A.m{k} location = 0, 0, {k} zebra = 1\n" for k in range(9))
    (told,) = [w for w in parse_cmd(text, "c.cmd").warnings if "zebra" in w]
    assert told.endswith("check its name; also in lines 24, 25, 26, 27, 28, ...")


def test_what_has_no_effect_is_named_by_command():
    assert without_effect(("contact", "create"), "geometry_routines") and without_effect(
        ("force", "attributes"), "color"
    )
    assert not without_effect(("force", "create", "direct", "force_vector"), "color")


# ---- parameters that Adams View writes -------------------------------------------------------------------------------
def test_initial_conditions_of_joints():
    """Angles and rates in the unit of angles of the file, radians in the model."""
    text = (
        START + f"constraint create joint cylindrical joint_name = .m.c {IJ} translational_ic = 0.25 velocity_ic = 3 "
        "rotational_ic = 90 angular_velocity_ic = 180"
    )
    joint = parse_cmd(text, "c.cmd", lenient=False).find("JOINT", "c")
    assert joint.ictran == (0.25, 3.0) and joint.icrot == pytest.approx((math.pi / 2, math.pi))
    again = parse_cmd(
        text + "\nconstraint modify joint cylindrical joint_name = .m.c no_velocity_ic = true rotational_ic = 45",
        "c.cmd",
        lenient=False,
    )
    joint = again.find("JOINT", "c")
    assert joint.ictran == (0.25, None) and joint.icrot == pytest.approx((math.pi / 4, math.pi))


def test_friction_of_a_joint_itself_is_reported_where_it_acts():
    text = (
        START
        + f"constraint create joint revolute joint_name = .m.c {IJ} friction_enabled = {{}} delta_v = 0.1 mu_dyn_rot = "
        "0.3 outer_radius = 2"
    )
    assert parse_cmd(text.format("no"), "c.cmd", lenient=False).warnings == []
    with pytest.raises(
        ModelError, match="friction_enabled = yes: the friction that a joint has by itself is not computed"
    ):
        parse_cmd(text.format("yes"), "c.cmd", lenient=False)


def test_settings_of_the_integrator():
    text = (
        START
        + "executive_control set numerical_integration_parameters integrator_type = GSTIFF error_tolerance = 1e-5 "
        "hmax_time_step = 0.01 kmax_integrator_order = 4"
    )
    settings = parse_cmd(text, "c.cmd", lenient=False).integrator
    assert (settings.kind, settings.error, settings.hmax, settings.kmax) == ("GSTIFF", 1e-5, 0.01, 4)


@pytest.mark.parametrize(
    "create, modify, kind, name, expected",
    [
        (
            "force create element_like bushing bushing_name = .m.e {IJ} stiffness = 0,0,0 tstiffness = 0,0,0",
            "force modify element_like bushing bushing_name = .m.e stiffness = 1,2,3 tstiffness = "
            "(8.0(newton*meter/deg)),0,0",
            "BUSHING",
            "e",
            {"k": (1, 2, 3), "kt": (8 * 180 / math.pi, 0, 0)},
        ),
        (
            "force create element_like translational_spring_damper spring_damper_name = .m.e {IJ} stiffness = 1 "
            "damping = 2",
            "force modify element_like translational_spring_damper spring_damper_name = .m.e stiffness = 5",
            "SPRINGDAMPER",
            "e",
            {"k": 5, "c": 2},
        ),
        (
            "force create element_like rotational_spring_damper spring_damper_name = .m.e {IJ} stiffness = 1",
            "force modify element_like rotational_spring_damper spring_damper_name = .m.e displacement_at_preload = 90",
            "SPRINGDAMPER",
            "e",
            {"kt": 180 / math.pi, "angle": math.pi / 2},
        ),
        (
            "force create element_like beam beam_name = .m.e {IJ} length = 1 ixx = 2",
            "force modify element_like beam beam_name = .m.e length = 3",
            "BEAM",
            "e",
            {"length": 3, "ixx": 2},
        ),
        (
            "force create direct single_component_force single_component_force_name = .m.e {IJ} type_of_freedom = "
            'translational function = "1"',
            "force modify direct single_component_force single_component_force_name = .m.e action_only = on "
            'j_marker_name = .m.ground.h function = "2"',
            "SFORCE",
            "e",
            {"actiononly": True, "j": 2, "function": "2"},
        ),
        (
            "constraint create motion_generator motion_name = .m.e joint_name = .m.J type_of_freedom = rotational "
            'function = "1"',
            "constraint modify motion_generator motion_name = .m.e time_derivative = velocity "
            'rotational_displacement_ic = 180 function = "2"',
            "MOTION",
            "e",
            {"level": "VELOCITY", "icdisp": math.pi, "function": "2"},
        ),
        (
            "constraint create complex_joint coupler coupler_name = .m.e joint_name = .m.J, .m.K "
            "motion_multipliers = 2",
            "constraint modify complex_joint coupler coupler_name = .m.e motion_multipliers = 3",
            "COUPLER",
            "e",
            {"scales": (1, 3)},
        ),
        (
            "data_element create array ic_array array_name = .m.e numbers = 1, 2",
            "data_element modify array ic_array array_name = .m.e numbers = 3, 4, 5",
            "ARRAY",
            "e",
            {"numbers": (3, 4, 5)},
        ),
        (
            "data_element create spline spline_name = .m.e x = 1, 2, 3, 4 y = 1, 2, 3, 4",
            "data_element modify spline spline_name = .m.e y = 4, 3, 2, 1",
            "SPLINE",
            "e",
            {"x": (1, 2, 3, 4), "y": ((4, 3, 2, 1),)},
        ),
        (
            "force create element_like bushing bushing_name = .m.e {IJ} stiffness = 1,1,1",
            "force modify element_like bushing bushing_name = .m.e new_bushing_name = .m.n damping = 2,2,2",
            "BUSHING",
            "n",
            {"c": (2, 2, 2)},
        ),
    ],
)
def test_modify_changes_what_it_gives(create, modify, kind, name, expected):
    model = parse_cmd(START + create.replace("{IJ}", IJ) + "\n" + modify, "c.cmd", lenient=False)
    element = model.find(kind, name)
    for field, value in expected.items():
        assert getattr(element, field) == (pytest.approx(value) if isinstance(value, float) else value), field


def test_delete():
    text = (
        START
        + f"force create element_like bushing bushing_name = .m.e {IJ} stiffness = 1,1,1\nforce delete force_name "
        "= .m.e"
    )
    assert not parse_cmd(text, "c.cmd", lenient=False).table("BUSHING")
    with pytest.raises(ModelError, match="A is not deleted, since CONTACT|A is not deleted, since JOINT"):
        parse_cmd(START + "part delete part_name = .m.A", "c.cmd", lenient=False)


@pytest.mark.parametrize(
    "system, place, expected",
    [
        ("cartesian", "1, 2, 3", (1, 2, 3)),
        ("cylindrical", "2, 90, 5", (0, 2, 5)),
        ("cylindrical", "2, (pi*1r), 5", (-2, 0, 5)),
        ("spherical", "10, 8, 90", (10 * math.cos(math.radians(8)), 10 * math.sin(math.radians(8)), 0)),
        ("spherical", "2, 0, 0", (0, 0, 2)),
    ],
)
def test_coordinates_of_places(system, place, expected):
    """Spherical as in the example of LOC_SPHERICAL in the manual: (10, 8D, 90D) is (9.9, 1.39, 0)."""
    text = (
        START
        + f"defaults units coordinate_system_type = {system}\nmarker create marker_name = .m.A.n location = {place}"
    )
    assert parse_cmd(text, "c.cmd", lenient=False).find("MARKER", "n").qp == pytest.approx(expected, abs=1e-12)


def placed(expression: str, more: str = "") -> np.ndarray:
    text = (
        START + "part create rigid_body name_and_position part_name = .m.B location = 0, 5, 0 orientation = 0, 0, 0\n"
    )
    text += (
        "marker create marker_name = .m.ground.u location = 1, 5, 0 orientation = 90, 0, 0\nmarker create "
        "marker_name = .m.ground.w location = 3, 5, 0\n"
    )
    model = parse_cmd(
        text + f"marker create marker_name = .m.B.n {expression} relative_to = .m.B\n" + more, "c.cmd", lenient=False
    )
    marker = model.find("MARKER", "n")
    return model.body_frame(model.body_of(marker)) @ marker.frame


@pytest.mark.parametrize(
    "expression, expected",
    [
        ("(LOC_RELATIVE_TO({0,0,0}, .m.ground.u)/2 + LOC_RELATIVE_TO({0,0,0}, .m.ground.w)/2)", (2, 5, 0)),
        ("(LOC_RELATIVE_TO({0,0,0}, .m.ground.u) + {0, 0, 1})", (1, 5, 1)),
        ("(2*LOC_RELATIVE_TO({0,0,0}, .m.ground.u))", (2, 10, 0)),
        ("({1, 0, 0})", (1, 5, 0)),  # no function of places: in the axes of relative_to
        ("((DX(.m.ground.w, .m.ground.u)), 0, 0)", (2, 5, 0)),
    ],
)
def test_sums_of_places_stay_in_ground(expression, expected):
    location = expression if "LOC" in expression or "{" in expression else "(DX(.m.ground.w, .m.ground.u)), 0, 0"
    assert placed(f"location = {location}").origin == pytest.approx(expected, abs=1e-12)


def test_distance_along_an_axis_of_a_third_object():
    """u is turned by 90 degrees about z: what is 2 along x of ground is -2 along its y."""
    frame = placed(
        "location = (DX(.m.ground.w, .m.ground.u, .m.ground.u)), (DY(.m.ground.w, .m.ground.u, .m.ground.u)), 0"
    )
    assert frame.origin == pytest.approx((0, 3, 0), abs=1e-12)


@pytest.mark.parametrize("setting", ["zx", "z-x", "xy", "x-z", "y+x", "xx", "z-z"])
def test_one_axis_as_an_axis_of_a_frame(setting):
    axes = placed(f'orientation = (ORI_ALIGN_AXIS(.m.ground.u, "{setting}"))').axes
    frame = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    expected = frame[:, "xyz".index(setting[-1])] * (-1 if "-" in setting else 1)
    assert axes[:, "xyz".index(setting[0])] == pytest.approx(expected, abs=1e-12) and np.linalg.det(
        axes
    ) == pytest.approx(1)


def test_all_axes_of_a_plane():
    """The example of the manual: 45, 90, 180."""
    axes = placed('orientation = (ORI_ALL_AXES({{14,18,0},{10,14,0},{16,14,0}}, "xz"))').axes
    r = math.sqrt(0.5)
    assert axes == pytest.approx(np.array([[-r, 0, r], [-r, 0, -r], [0, -1, 0]]), abs=1e-12)


def test_units_behind_brackets():
    text = (
        START
        + f"force create element_like translational_spring_damper spring_damper_name = .m.s {IJ} stiffness = ((2 + "
        "3)(newton/mm)) damping = (4(newton*sec/mm))"
    )
    spring = parse_cmd(text, "c.cmd", lenient=False).find("SPRINGDAMPER", "s")
    assert (spring.k, spring.c) == pytest.approx((5000, 4000))


def test_angles_of_a_function_are_not_computed_with():
    text = START + "marker create marker_name = .m.A.n orientation = (ORI_RELATIVE_TO({0,0,0}, .m.ground.g) + {0,0,90})"
    with pytest.raises(ModelError, match="the angles of an ORI_ function cannot be computed with"):
        parse_cmd(text, "c.cmd", lenient=False)


def test_getenv_is_empty():
    model = parse_cmd(
        START + 'variable create variable_name = .m.path string_value = (GETENV("HOME"))', "c.cmd", lenient=False
    )
    assert [w for w in model.warnings if "GETENV" in w] == ["c.cmd: GETENV(HOME) is taken as empty"]


def test_planar_parts_are_refused():
    with pytest.raises(ModelError, match="planar = yes is not read"):
        parse_cmd(
            START + "part create rigid_body name_and_position part_name = .m.B location = 0, 0, 0 planar = yes",
            "c.cmd",
            lenient=False,
        )


@pytest.mark.parametrize(
    "command",
    [
        "part copy part_name = .m.A new_part_name = .m.B",
        "part merge rigid_body part_name = .m.A into_part = .m.B",
        "move translation part_name = .m.A c1 = 1",
        "undo backward",
        "marker copy marker_name = .m.A.a new_marker_name = .m.A.z",
    ],
)
def test_commands_that_change_elements_are_not_passed_over(command):
    with pytest.raises(ModelError, match="it changes elements and is not read"):
        parse_cmd(START + command, "c.cmd", lenient=False)


def test_an_initial_displacement_and_velocity_are_those_of_the_run():
    """A joint with translational_ic = 0.25 and velocity_ic = 3 along z."""
    text = START.replace(
        "constraint create joint revolute joint_name = .m.J",
        "constraint create joint translational joint_name = .m.J translational_ic = 0.25 velocity_ic = 3",
    )
    text = "\n".join(line for line in text.splitlines() if ".m.K" not in line and "point_mass" not in line)
    run = hn.simulate(parse_cmd(text, "c.cmd", lenient=False), end=0.1, steps=1)
    part = run.part("A")
    assert part.position.values[0, 2] == pytest.approx(0.25) and part.velocity.values[0, 2] == pytest.approx(3.0)
