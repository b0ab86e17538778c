# ruff: noqa: E501  (command files inline)
"""Command files of Adams View as View writes them: masses from density and solids against closed forms, instances,
names, positions, measures."""

import math

import numpy as np
import pytest
from _adams_data import ADAMS, COMMANDS

from _public_data import NEEDS
from holonom.formats import parse_cmd, read_cmd
from holonom.model import ModelError
from holonom.model.mass_properties import mass_of_body
from holonom.model.orientation import euler313
from holonom.model.validate import cannot_run

START = """
defaults units length = mm angle = deg force = newton mass = kg time = sec
model create model_name = m
material create material_name = .m.steel density = 7.801E-06 youngs_modulus = 2.07E+05 poissons_ratio = 0.29
part create rigid_body name_and_position part_name = .m.A location = 10, 20, 30 orientation = 90d, 0d, 0d
defaults coordinate_system default_coordinate_system = .m.A
marker create marker_name = .m.A.a location = 1, 2, 3 orientation = 0d, 0d, 0d
part create rigid_body mass_properties part_name = .m.A material_type = .m.steel
"""
RHO = 7.801e-6


def read(text):
    return parse_cmd(START + text, "c.cmd", lenient=False)


def mass(text):
    model = read(text)
    part = model.parts[2]
    return part.mass / RHO, np.array(model.markers[part.cm].qp) - (1, 2, 3), np.array(part.ip) / RHO


# ---- closed forms ------------------------------------------------------------------------------------------------
def test_box():
    volume, centre, ip = mass(
        "geometry create shape block block_name = .m.A.b corner_marker = .m.A.a diag_corner_coords = 2, -3, 4"
    )
    assert volume == pytest.approx(24) and centre == pytest.approx([1, -1.5, 2])
    assert ip == pytest.approx([24 * (9 + 16) / 12, 24 * (4 + 16) / 12, 24 * (4 + 9) / 12])


def test_cylinder_and_half_of_it():
    r, h = 3.0, 5.0
    text = (
        "geometry create shape cylinder cylinder_name = .m.A.c center_marker = .m.A.a length = 5 radius = 3 "
        "angle_extent = "
    )
    volume, centre, ip = mass(text + "360.0")
    v = math.pi * r * r * h
    assert volume == pytest.approx(v) and centre == pytest.approx([0, 0, h / 2])
    assert ip == pytest.approx([v * (3 * r * r + h * h) / 12] * 2 + [v * r * r / 2])
    volume, centre, ip = mass(text + "180.0")
    c = 4 * r / (3 * math.pi)
    assert volume == pytest.approx(v / 2) and centre == pytest.approx([0, c, h / 2])
    assert ip[:3] == pytest.approx(
        [v / 2 * (r * r / 4 + h * h / 12 - c * c), v / 2 * (3 * r * r + h * h) / 12, v / 2 * (r * r / 2 - c * c)]
    )


def test_frustum_sphere_ellipsoid_and_torus():
    a, b, h = 3.0, 1.0, 4.0
    volume, centre, ip = mass(
        "geometry create shape frustum frustum_name = .m.A.f center_marker = .m.A.a length = 4 top_radius = 1 "
        "bottom_radius = 3"
    )
    v = math.pi * h / 3 * (a * a + a * b + b * b)
    assert volume == pytest.approx(v)
    assert centre[2] == pytest.approx(h / 4 * (a * a + 2 * a * b + 3 * b * b) / (a * a + a * b + b * b))
    assert ip[2] == pytest.approx(math.pi * h / 10 * (a**5 - b**5) / (a - b))
    volume, _, ip = mass(
        "geometry create shape ellipsoid ellipsoid_name = .m.A.e center_marker = .m.A.a x_scale_factor = (2 * 2.0mm) "
        "y_scale_factor = 4 z_scale_factor = 4"
    )
    assert volume == pytest.approx(4 / 3 * math.pi * 8) and ip == pytest.approx([volume * 0.4 * 4] * 3)
    volume, _, ip = mass(
        "geometry create shape ellipsoid ellipsoid_name = .m.A.e center_marker = .m.A.a x_scale_factor = 2 "
        "y_scale_factor = 4 z_scale_factor = 6"
    )
    assert volume == pytest.approx(4 / 3 * math.pi * 6) and ip == pytest.approx(
        [volume / 5 * s for s in (4 + 9, 1 + 9, 1 + 4)]
    )
    volume, _, ip = mass(
        "geometry create shape torus torus_name = .m.A.t center_marker = .m.A.a angle_extent = 360.0 major_radius = 3 "
        "minor_radius = 1"
    )
    assert volume == pytest.approx(2 * math.pi**2 * 3)
    assert ip == pytest.approx([volume * (9 / 2 + 5 / 8)] * 2 + [volume * (9 + 3 / 4)])


def test_extrusion_and_revolution():
    text = (
        "geometry create shape extrusion extrusion_name = .m.A.x reference_marker = .m.A.a analytical = yes "
        "points_for_profile = {0} length_along_z_axis = 2"
    )
    points = "0.0, 0.0, -0.5 , 3.0, 0.0, -0.5 , 0.0, 6.0, -0.5 , 0.0, 0.0, -0.5"
    volume, centre, ip = mass("defaults coordinate_system default_coordinate_system = .m.A.a\n" + text.format(points))
    assert volume == pytest.approx(18) and centre == pytest.approx([1, 2, 0.5])
    assert ip[:4] == pytest.approx([18 * (36 / 18 + 4 / 12), 18 * (9 / 18 + 4 / 12), 18 * 45 / 18, -18 * 18 / 36])
    # the default system is the part here: the profile lies at other places of the marker
    assert mass(text.format(points))[1] == pytest.approx(np.array([1, 2, 0.5]) - (1, 2, 3))
    ring = "2.0, 0.0, 0.0, 3.0, 0.0, 0.0, 3.0, 0.0, 4.0, 2.0, 0.0, 4.0, 2.0, 0.0, 0.0"
    volume, centre, ip = mass(
        "geometry create shape revolution revolution_name = .m.A.r reference_marker = .m.A.a relative_to = .m.A.a "
        "angle_extent = 360.0 "
        "analytical = yes points_for_profile = " + ring
    )
    v = math.pi * 5 * 4
    assert volume == pytest.approx(v) and centre == pytest.approx([0, 0, 2])
    assert ip == pytest.approx([v * (3 * 13 + 16) / 12] * 2 + [v * 13 / 2])


def test_link():
    w, d, length = 2.0, 1.0, 10.0
    volume, centre, ip = mass(
        "marker create marker_name = .m.A.b location = 11, 2, 3\n"
        "geometry create shape link link_name = .m.A.l i_marker = .m.A.a j_marker = .m.A.b width = 2 depth = 1"
    )
    bar, half = length * w * d, math.pi * (w / 2) ** 2 / 2 * d
    c = 4 * (w / 2) / (3 * math.pi)
    assert volume == pytest.approx(bar + 2 * half) and centre == pytest.approx([5, 0, 0])
    izz = bar * (length**2 + w**2) / 12 + 2 * half * ((w / 2) ** 2 / 2 - c * c + (length / 2 + c) ** 2)
    assert ip[2] == pytest.approx(izz)
    assert ip[0] == pytest.approx(bar * (w * w + d * d) / 12 + 2 * half * ((w / 2) ** 2 / 4 + d * d / 12))


def test_plate_has_the_centre_that_adams_writes():
    """Corners, radius and width of a plate in a public command file, and the cm marker that Adams View wrote for it
    there."""
    volume, centre, ip = mass(
        "marker create marker_name = .m.A.b location = 4, 5, 3\nmarker create marker_name = .m.A.c location = 3, "
        "10, 3\n"
        "geometry create shape plate plate_name = .m.A.p marker_name = .m.A.a, .m.A.b, .m.A.c width = 1.0 radius = 1.0"
    )
    assert centre == pytest.approx([1.5651519959, 3.7896571989, 0.0], abs=1e-9)
    edges = [math.hypot(3, 3), math.hypot(1, 5), math.hypot(2, 8)]
    assert volume == pytest.approx(9 + sum(edges) + math.pi)
    assert volume == pytest.approx(read_volume_by_chance(), rel=2e-2)


def read_volume_by_chance() -> float:
    """Area of the points within a distance of 1 of the triangle, counted on a grid."""
    corners = np.array([[0.0, 0.0], [3.0, 3.0], [2.0, 8.0]])
    x, y = np.meshgrid(np.arange(-2, 6, 0.04), np.arange(-2, 10, 0.04))
    p = np.stack([x.ravel(), y.ravel()], axis=1)
    near, inside = np.full(len(p), np.inf), np.ones(len(p), bool)
    for k in range(3):
        a, b = corners[k], corners[(k + 1) % 3]
        t = np.clip((p - a) @ (b - a) / ((b - a) @ (b - a)), 0, 1)[:, None]
        near = np.minimum(near, np.linalg.norm(p - a - t * (b - a), axis=1))
        inside &= (b - a)[0] * (p - a)[:, 1] - (b - a)[1] * (p - a)[:, 0] > 0
    return float((inside | (near < 1.0)).sum()) * 0.04**2


def test_sum_of_two_solids_and_a_marker_of_its_own_axes():
    """Two equal spheres: as a dumb-bell, with the axes of the cm marker that the file has, and the material's density
    as it is at the end."""
    model = read(
        "marker create marker_name = .m.A.cm location = 1, 2, 3 orientation = 30d, 0d, 0d\nmarker create marker_name = "
        ".m.A.b location = 1, 12, 3\n"
        "geometry create shape ellipsoid ellipsoid_name = .m.A.e1 center_marker = .m.A.a x_scale = 4 y_scale = 4 "
        "z_scale = 4\n"
        "geometry create shape ellipsoid ellipsoid_name = .m.A.e2 center_marker = .m.A.b x_scale = 4 y_scale = 4 "
        "z_scale = 4\n"
        "material modify material_name = .m.steel density = (2700.0(kg/meter**3))\n"
    )
    part = model.parts[2]
    m = 2.7e-6 * 4 / 3 * math.pi * 8
    assert part.mass == pytest.approx(2 * m)
    cm = model.markers[part.cm]
    assert cm.name == "cm" and cm.qp == pytest.approx((1, 7, 3)) and math.degrees(cm.reuler[0]) == pytest.approx(30)
    along, across = 2 * m * 1.6, 2 * m * (1.6 + 25)
    c, s = math.cos(math.radians(30)), math.sin(math.radians(30))
    expected = (across * c * c + along * s * s, across * s * s + along * c * c, across, (across - along) * s * c, 0, 0)
    assert np.abs(part.ip) == pytest.approx(np.abs(expected), rel=1e-9)
    centre = mass_of_body(model, part, 2.7e-6)
    assert centre.about(np.eye(3))[:3] == pytest.approx((across, along, across))


def test_mass_is_told_where_it_cannot_follow():
    block = "geometry create shape block block_name = .m.A.b corner_marker = .m.A.a diag_corner_coords = 2, 3, 4\n"
    with pytest.raises(
        ModelError,
        match="c.cmd:8: part mass_properties: the mass of A follows from its density and its solids, and it has none; "
        "give mass",
    ):
        read("")
    with pytest.raises(ModelError, match="the material steel of A has no density; give it one, or give the mass"):
        parse_cmd(START.replace("density = 7.801E-06", "") + block, "c.cmd", lenient=False)
    unread = read('file parasolid read file_name = "x.xmt_txt" model_name = .m')
    text = (
        "its mass follows from the solids of the file 'x.xmt_txt', which is not read; give its mass, centre of mass "
        "and moments of inertia"
    )
    assert unread.parts[2].mass is None and any(text in line for line in cannot_run(unread))
    assert read(block + "part modify rigid_body mass_properties part_name = .m.A density = 1.0").parts[
        2
    ].mass == pytest.approx(24)
    given = read(block + "part modify rigid_body mass_properties part_name = .m.A mass = 7.5").parts[2]
    assert given.mass == 7.5 and given.ip == ()
    holed = read(
        block + "geometry create feature hole hole_name = .m.A.b.HOLE_1 center = 1, 1, 1 radius = 0.5 depth = 0.0"
    )
    assert any(
        "c.cmd:10: the holes, blends and unions on A are ignored; its mass is that of its plain shapes" in w
        for w in holed.warnings
    )


# ---- instances that View builds ----------------------------------------------------------------------------------
TWO = START.replace("material_type = .m.steel", "mass = 2.0 center_of_mass_marker = .m.A.a ixx = 1 iyy = 1 izz = 1") + (
    "marker create marker_name = .m.ground.g relative_to = .m location = 10, 20, 0 orientation = 10d, 0d, 0d\n"
)


def instance(name, definition, values, sides=(".m.A.a", ".m.ground.g")):
    text = (
        f"ude create instance instance_name = .m.{name} definition_name = {definition} location = 0.0, 0.0, 0.0 "
        "orientation = 0.0, 0.0, 0.0\n"
    )
    for key, value in {
        "i_marker": f"object_value = ({sides[0]})",
        "j_marker": f"object_value = {sides[1]}",
        **values,
    }.items():
        text += f"variable modify variable_name = .m.{name}.{key} {value}\n"
    return text + f"ude modify instance instance_name = .m.{name}\n"


def test_springs():
    model = parse_cmd(
        TWO
        + "variable create variable_name = .m.rate real_value = 3.0\n"
        + instance(
            "S",
            ".MDI.Forces.spring",
            {
                "stiffness_mode": 'string_value = "linear"',
                "stiffness_coefficient": "real_value = (10(newton/cm))",
                "stiffness_spline": "object_value = (NONE)",
                "damping_coefficient": "real_value = (2.5E-002(newton-sec/mm))",
                "free_length_mode": 'string_value = "Design_Length"',
                "free_length": "real_value = 1.0",
                "preload": "real_value = (.m.A.mass * 9806.65 * 1.0E-03)",
            },
        )
        + instance(
            "S2",
            ".MDI.Forces.spring",
            {
                "stiffness_coefficient": "real_value = (.m.rate(newton/mm))",
                "damping_mode": 'string_value = "none"',
                "free_length_mode": 'string_value = "Constant_Value"',
                "free_length": "real_value = 7.0",
            },
        )
        + instance(
            "T",
            ".mdi.forces.torsion_spring",
            {
                "stiffness_coefficient": "real_value = (10(newton-mm/deg))",
                "damping_coefficient": "real_value = (3.0(newton-mm-sec/rad))",
                "free_angle_mode": 'string_value = "Design_Angle"',
            },
        )
        + "ude attributes instance_name = .m.S2 active = off\n",
        "c.cmd",
        lenient=False,
    )
    s, s2, t = model.table("SPRINGDAMPER").values()
    assert (s.k, s.c, s.force) == pytest.approx((1.0, 0.025, 2 * 9.80665)) and s.name == "S"
    assert s.length == pytest.approx(math.dist((10 - 2, 20 + 1, 33), (10, 20, 0)))
    assert (s2.k, s2.c, s2.length, s2.active) == (3.0, 0.0, 7.0, False)
    assert (t.kind, t.kt, t.ct) == ("ROTATIONAL", pytest.approx(10 * 180 / math.pi), pytest.approx(3.0))
    assert math.degrees(t.angle) == pytest.approx(80)


def test_general_motion():
    values = {f"{a}_type": "integer_value = 0" for a in ("t1", "t2", "t3", "r1", "r2", "r3")}
    values |= {
        "t2_type": "integer_value = 1",
        "r3_type": "integer_value = 2",
        "t2_func": 'string_value = "5.0*time"',
        "r3_func": 'string_value = "30d*time"',
        "r3_ic_disp": "real_value = 90.0",
    }
    model = parse_cmd(TWO + instance("G", ".MDI.Constraints.general_motion", values), "c.cmd", lenient=False)
    y, z = model.table("MOTION").values()
    assert (y.component, y.level, y.function, y.name) == ("Y", "DISPLACEMENT", "5.0*time", "G_t2")
    assert (z.component, z.kind, z.level, z.function, z.icdisp) == (
        "B3",
        "ROTATIONAL",
        "VELOCITY",
        "30d*time",
        pytest.approx(math.pi / 2),
    )


def test_instances_that_are_not_read_are_told():
    model = parse_cmd(
        TWO + instance("C", ".cables.system", {}) + instance("P", ".controls.controls_plant", {}),
        "c.cmd",
        lenient=False,
    )
    assert any(
        ".m.C is an instance of .cables.system, which is not read; its elements are missing" in w
        for w in model.warnings
    )
    assert not any("controls_plant" in w for w in model.warnings)
    spline = {"stiffness_mode": 'string_value = "spline"'}
    with pytest.raises(ModelError, match="the stiffness of .m.S is of the mode spline; only linear and none are read"):
        parse_cmd(TWO + instance("S", ".mdi.forces.spring", spline), "c.cmd", lenient=False)
    with pytest.raises(ModelError, match=".m.S has no i_marker; give it by"):
        parse_cmd(TWO + instance("S", ".mdi.forces.spring", {}, sides=("NONE", ".m.ground.g")), "c.cmd", lenient=False)


# ---- names, quotes, positions
# -----------------------------------------------------------------------------------------
def test_names_in_quotes_and_another_ground():
    model = parse_cmd(
        """
model create model_name = ."Latch Design"
part modify rigid_body name_and_position part_name = ground new_part_name = "Base; plate 1"
defaults coordinate_system default_coordinate_system = ."Latch Design"."Base; plate 1"
marker create marker_name = ."Latch Design"."Base; plate 1".g location = 1, 0, 0
part create rigid_body name_and_position part_name = ."Latch Design".ground adams_id = 1 location = 5, 0, 0
part create rigid_body mass_properties part_name = ."Latch Design".ground mass = 1.0 center_of_mass_marker = ."Latch Design"."Base; plate 1".g
marker create marker_name = ."Latch Design".ground.h location = 0, 0, 0 relative_to = ."Latch Design".ground
data_element create variable variable_name = ."Latch Design".v function = ""
data_element modify variable variable_name = ."Latch Design".v &
   function = "DX(.\\"Latch Design\\".ground.h,
               .\\"Latch Design\\".\\"Base; plate 1\\".g)", " + 1" comments = "a ! b", "it's"
simulation script create sim_script_name = ."Latch Design".Last_Sim commands = &
   "simulation single_run transient type=auto_select initial_static=yes end_time=0.5 number_of_steps=50 model_name=.\\"Latch Design\\"", &
   "simulation single_run transient type=auto_select initial_static=no end_time=1.0 step_size=1.0E-02 model_name=.\\"Latch Design\\""
""",
        "c.cmd",
        lenient=False,
    )
    assert model.name == "Latch Design" and model.ground.name == "Base; plate 1"
    body = next(p for p in model.parts.values() if not p.ground)
    assert body.mass == 1.0 and body.name == "ground"
    g, h = model.markers.values()
    assert (g.part, h.part) == (model.ground.id, body.id) and h.qp == (0, 0, 0)
    assert model.table("VARIABLE")[1].function == f"DX({h.id}, {g.id}) + 1"
    assert model.scripts["Last_Sim"].splitlines() == [
        "SIMULATE/STATICS",
        "SIMULATE/TRANSIENT, END=0.5, STEPS=50",
        "SIMULATE/TRANSIENT, END=1.0, DTOUT=0.01",
    ]


def test_a_quote_that_is_closed_nowhere_is_an_error_of_its_command_alone():
    model = parse_cmd(
        TWO
        + 'variable create variable_name = .m.x string_value = "one\nmarker create marker_name = .m.A.z location = 0, '
        "0, 0\n",
        "c.cmd",
        lenient=True,
    )
    assert any("c.cmd:10: variable: a quote is not closed" in w for w in model.warnings)
    assert "z" in [m.name for m in model.markers.values()]


def test_points_and_turned_markers():
    model = parse_cmd(
        TWO
        + """
defaults coordinate_system default_coordinate_system = .m.ground
point create point_name = .m.ground.P1 location = 100, 0, 0
point create point_name = .m.ground.P2 location = 100, 0, 50
marker create marker_name = .m.ground.x1 location = (LOC_RELATIVE_TO({1, 2, 3}, .m.ground.P1)) orientation = (ORI_ALONG_AXIS(.m.ground.P1, .m.ground.P2, "X"))
marker create marker_name = .m.ground.x2 location = 100, 0, 0 along_axis_orientation = .m.ground.P1, .m.ground.P2
marker create marker_name = .m.ground.x3 location = 0, 0, 0 along_axis_orientation = .m.ground.P1
marker create marker_name = .m.ground.x4 location = 0, 0, 0 in_plane_orientation = 0, 0, 0, .m.ground.P1, 0, 5, 0
marker create marker_name = .m.ground.x5 location = 0, 0, 0 orientation = (LOC_RELATIVE_TO({30, 0, 0}, .m.ground))
point create point_name = .m.ground.P3 location = 0, 1, 1
point modify point_name = .m.ground.P3 location = 1, 1, 1
marker create marker_name = .m.ground.x6 location = (.m.ground.P3.loc_x + 1), 0, 0
""",
        "c.cmd",
        lenient=False,
    )
    by = {m.name: m for m in model.markers.values()}
    axes = {name: euler313(*(m.reuler or (0, 0, 0))) for name, m in by.items()}
    assert by["x1"].qp == pytest.approx((101, 2, 3)) and axes["x1"][:, 0] == pytest.approx([0, 0, 1], abs=1e-12)
    assert axes["x2"][:, 2] == pytest.approx([0, 0, 1], abs=1e-12)
    assert axes["x3"][:, 2] == pytest.approx([1, 0, 0], abs=1e-12)
    assert axes["x4"] == pytest.approx(np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0]]), abs=1e-12)
    assert math.degrees(by["x5"].reuler[0]) == pytest.approx(30) and by["x6"].qp == (2, 0, 0)


@pytest.mark.parametrize(
    "setting", [f"{a}_axis_{p}_plane" for a, p in zip("xxyyzz", ("xy", "zx", "xy", "yz", "zx", "yz"))]
)
def test_axis_and_plane_settings(setting):
    model = parse_cmd(
        TWO
        + f"""
defaults coordinate_system default_coordinate_system = .m.ground
defaults orient_axis_and_plane axis_and_plane_setting = {setting}
marker create marker_name = .m.ground.x location = 1, 1, 1 in_plane_orientation = 1, 3, 1, 5, 4, 1
""",
        "c.cmd",
        lenient=False,
    )
    axes = euler313(*(list(model.markers.values())[-1].reuler or (0, 0, 0)))
    first, other = "xyz".index(setting[0]), "xyz".index(setting[7:9].replace(setting[0], ""))
    assert axes[:, first] == pytest.approx([0, 1, 0], abs=1e-12) and axes[:, other] == pytest.approx(
        [1, 0, 0], abs=1e-12
    )
    assert np.linalg.det(axes) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("kind", "angles"), [("space123", (10, 20, 30)), ("body123", (30, 20, 10)), ("body321", (-5, 40, 7))]
)
def test_types_of_orientation(kind, angles):
    from scipy.spatial.transform import Rotation

    model = parse_cmd(
        TWO
        + f"""
defaults units orientation_type = {kind}
defaults coordinate_system default_coordinate_system = .m.ground
marker create marker_name = .m.ground.x location = 0, 0, 0 orientation = {angles[0]}, {angles[1]}d, {angles[2]}
""",
        "c.cmd",
        lenient=False,
    )
    letters = "".join("xyz"[int(c) - 1] for c in kind[-3:])
    expected = Rotation.from_euler(
        letters.upper() if kind.startswith("body") else letters, angles, degrees=True
    ).as_matrix()
    assert euler313(*list(model.markers.values())[-1].reuler) == pytest.approx(expected, abs=1e-12)


# ---- elements -------------------------------------------------------------------------------------------------------
JOINTS = TWO + (
    "constraint create joint cylindrical joint_name = .m.J1 i_marker_name = .m.A.a j_marker_name = .m.ground.g\n"
    "constraint create joint translational joint_name = .m.J2 i_marker_name = .m.A.a j_marker_name = .m.ground.g\n"
)


def test_friction_coupler_and_sensor():
    model = parse_cmd(
        JOINTS
        + """
force create element_like friction friction_name = .m.F joint_name = .m.J2 mu_static = 0.44 mu_dynamic = 0.4 reaction_arm = 2.0 initial_overlap = 900.0 &
   formulation = original transition_velocity_coefficient = 1.5 friction_force_preload = 3.0 overlap_delta = increase effect = sliding preload = on &
   reaction_force = on torsional_moment = off bending_moment = off inactive_during_static = on
force attributes force_name = .m.F active = off
constraint create complex_joint coupler coupler_name = .m.C joint_name = .m.J1, .m.J2 type_of_freedom = rot_trans motion_multipliers = 2.0, -0.5
constraint attributes constraint_name = .m.C active = off
measure create object measure_name = .m.turn from_first = no object = .m.J1 characteristic = ax_ay_az_projection_angles component = z_component
measure create point measure_name = .m.speed point = .m.A.a characteristic = translational_velocity component = y_component coordinate_rframe = .m.ground.g
measure create pt2pt measure_name = .m.gap from_point = .m.ground.g to_point = .m.A.a characteristic = translational_displacement component = mag_component
measure create function measure_name = .m.both function = ".m.gap * 2 + ", ".m.speed"
executive_control create sensor sensor_name = .m.S compare = ge angular_value = 90.0 angular_error = 0.1 halt = on return = off function = ""
executive_control modify sensor sensor_name = .m.S function = ".m.turn"
executive_control modify sensor sensor_name = .m.S evaluate = "TIME*2"
data_element create variable variable_name = .m.v function = ".m.both"
data_element create variable variable_name = .m.w function = "VARVAL(v) + time*DX(A.a, ground.g) - .m.four"
variable create variable_name = .m.four real_value = 4.5
output_control create request request_name = .m.R f2 = "VARVAL(.m.v)" f3 = "time"
output_control create request request_name = .m.R2 i_marker_name = .m.A.a j_marker_name = .m.ground.g output_type = displacement
""",
        "c.cmd",
        lenient=False,
    )
    f = model.table("FRICTION")[1]
    assert (f.joint, f.mu_static, f.mu_dynamic, f.reaction_arm, f.initial_overlap, f.force_preload) == (
        2,
        0.44,
        0.4,
        2.0,
        900.0,
        3.0,
    )
    assert (f.overlap_delta, f.effect, f.inputs, f.inactive, f.active) == (
        "INCREASE",
        "SLIDING",
        ("PRELOAD", "REACTION_FORCE"),
        "STATIC",
        False,
    )
    c = model.table("COUPLER")[1]
    assert (c.joints, c.types, c.scales, c.active) == ((1, 2), ("R", "T"), (2.0, -0.5), False)
    s = model.table("SENSOR")[1]
    assert (s.comparison, s.halt, s.returns, s.function) == ("GE", True, False, "(AZ(1,2))")
    assert (s.value, s.tolerance) == pytest.approx((math.pi / 2, math.radians(0.1)))
    assert s.evaluate == "TIME*2"
    assert model.table("VARIABLE")[1].function == "((DM(1,2)) * 2 + (VY(1,0,2,0)))"
    assert model.table("VARIABLE")[2].function == "VARVAL(1) + time*DX(1, 2) - 4.5"
    r, r2 = model.table("REQUEST").values()
    assert (r.functions, r.kind, r2.kind, r2.i, r2.j) == ({"F2": "VARVAL(1)", "F3": "time"}, None, "DISPLACEMENT", 1, 2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "force create element_like friction friction_name = .m.F joint_name = .m.J2 formulation = dahl",
            "formulation = dahl is not one of original, lugre",
        ),
        (
            "constraint create complex_joint coupler coupler_name = .m.C joint_name = .m.J1, .m.J2 type_of_freedom = "
            "rot motion_multipliers = 1, 1",
            "type_of_freedom has 1 words for 2 joints",
        ),
        ("defaults units orientation_type = body333", "unknown type of orientation 'body333'"),
        ("marker create marker_name = .m.A.z location = (1(newton-furlong)), 0, 0", "unknown unit 'furlong'"),
        (
            "measure create range measure_name = .m.r type = average\ndata_element create variable variable_name = "
            '.m.v function = ".m.r"',
            "a measure of the type 'range' has no value in a function",
        ),
        (
            'measure create function measure_name = .m.r function = ".m.r"\ndata_element create variable variable_name '
            '= .m.v function = ".m.r"',
            "it uses measures of measures deeper than 30, or one of itself",
        ),
        ("part modify rigid_body name_and_position part_name = .m.A new_part_name = ground", "ground exists already"),
    ],
)
def test_sentences(text, message):
    with pytest.raises(ModelError) as caught:
        parse_cmd(JOINTS + text, "c.cmd", lenient=False)
    assert message in str(caught.value)


def test_contact_with_solids_of_a_file_is_missing():
    shapes = (
        "geometry create shape block block_name = .m.ground.B corner_marker = .m.ground.g diag_corner_coords = 10, "
        "10, 1\n"
        "geometry create shape link link_name = .m.A.L i_marker = .m.A.a j_marker = .m.A.b width = 2 depth = 1\n"
    )
    more = "marker create marker_name = .m.A.b location = 5, 2, 3\n" + shapes
    contact = (
        "contact create contact_name = .m.{0} i_geometry_name = {1} j_geometry_name = .m.ground.B stiffness = "
        "1.0E+05 damping = 10.0 exponent = 2.2 dmax = 0.1\n"
    )
    foreign = 'file parasolid read file_name = "x.xmt_txt" model_name = .m\n'
    model = parse_cmd(
        TWO + more + foreign + contact.format("C1", ".m.A.L, .m.A.SOLID1") + contact.format("C2", ".m.A.SOLID1"),
        "c.cmd",
        lenient=False,
    )
    one, two = model.table("CONTACT").values()
    assert [model.table("GRAPHICS")[k].type for k in one.igeom] == ["LINK", "EXTERNAL"] and two.igeom == one.igeom[1:]
    (missing,) = [text for text in cannot_run(model) if "x.xmt_txt" in text]
    assert missing.startswith("GRAPHICS/") and "solid1" in missing
    with pytest.raises(ModelError, match="there is no GRAPHICS '.m.A.SOLID1'"):
        parse_cmd(TWO + more + contact.format("C2", ".m.A.SOLID1"), "c.cmd", lenient=False)


@pytest.mark.skipif(not COMMANDS, reason=f"{NEEDS}: {ADAMS} is absent")
def test_a_public_four_bar_of_links():
    """Mass of a link of 6 x 0.5 x 0.25 inches of steel in pounds; centre and axes are those that Adams View wrote."""
    model = read_cmd(next(p for p in COMMANDS if p.name == "generic_model.cmd"), lenient=False)
    crank, coupler = model.parts[2], model.parts[3]
    pound_per_cubic_inch = 7801 * 0.0254**3 / 0.45359237
    assert crank.mass == pytest.approx(pound_per_cubic_inch * 0.25 * (6 * 0.5 + math.pi * 0.25**2), rel=1e-6)
    assert model.markers[crank.cm].qp == (0, 3, 0) and model.markers[coupler.cm].qp == (6, 3, 0)
    assert len(crank.ip) == 3 and len(coupler.ip) == 3 and crank.ip[0] > crank.ip[1] > crank.ip[2] > 0


def test_expressions_follow_what_is_changed_later():
    """As Adams View keeps them: points by design variables, markers by points, sizes by variables; what was computed by
    eval stays."""
    model = parse_cmd(
        TWO
        + """
defaults coordinate_system default_coordinate_system = .m.ground
variable create variable_name = .m.DV_1 real_value = 1.0
variable create variable_name = .m.DV_2 real_value = (2 * .m.DV_1)
point create point_name = .m.ground.P location = 0, 0, 0
marker create marker_name = .m.ground.follows location = (LOC_RELATIVE_TO({0, 0, 0}, .m.ground.P))
marker create marker_name = .m.A.other location = (LOC_RELATIVE_TO({0, 0, 0}, .m.ground.P)) relative_to = .m.A
marker create marker_name = .m.ground.stays location = (eval(.m.DV_1)), 0, 0
geometry create shape cylinder cylinder_name = .m.A.c center_marker = .m.A.a length = (.m.DV_2) radius = (5mm)
force create element_like translational_spring_damper spring_damper_name = .m.S i_marker_name = .m.A.a j_marker_name = .m.ground.g stiffness = (.m.DV_1)
for variable_name = i start_value = 1 end_value = 3
  marker create marker_name = (eval(".m.ground.n_" // RTOI(i))) location = (i), 0, 0
end
point modify point_name = .m.ground.P location = (.m.DV_1), (.m.DV_2), 0
variable modify variable_name = .m.DV_1 real_value = 10.0
""",
        "c.cmd",
        lenient=False,
    )
    by = {m.name: m for m in model.markers.values()}
    assert by["follows"].qp == (10, 20, 0) and by["stays"].qp == (1, 0, 0) and by["n_3"].qp == (3, 0, 0)
    assert by["other"].qp == pytest.approx((20 - 20, -(10 - 10), -30))
    assert next(iter(model.table("GRAPHICS").values())).arguments["length"] == 20
    assert any(
        "force create element_like translational_spring_damper: .m.dv_1 is changed later; it keeps the value" in w
        for w in model.warnings
    )


@pytest.mark.parametrize(
    ("to", "angles"), [((0.8, -0.3, 0), (339.4439547804, 0, 0)), ((-5, -5, 0), (225, 180, 0)), ((0, 6, 0), (90, 0, 0))]
)
def test_along_an_x_axis_as_view_turns_it(to, angles):
    """Directions and angles of the first two are of link markers in public command files."""
    model = parse_cmd(
        TWO
        + f"""
defaults coordinate_system default_coordinate_system = .m.ground
point create point_name = .m.ground.P location = 0, 0, 0
point create point_name = .m.ground.Q location = {to[0]}, {to[1]}, {to[2]}
marker create marker_name = .m.ground.x location = 0, 0, 0 orientation = (ORI_ALONG_AXIS(.m.ground.P, .m.ground.Q, "X"))
""",
        "c.cmd",
        lenient=False,
    )
    found = euler313(*(list(model.markers.values())[-1].reuler or (0, 0, 0)))
    assert found == pytest.approx(euler313(*np.radians(angles)), abs=1e-9)


def test_expressions_follow_points_until_they_are_given_anew():
    model = parse_cmd(
        TWO
        + """
defaults coordinate_system default_coordinate_system = .m.ground
variable create variable_name = .m.DV real_value = 1.0
point create point_name = .m.ground.P location = (.m.DV), 0, 0
marker create marker_name = .m.ground.follows location = (LOC_RELATIVE_TO({0, 0, 0}, .m.ground.P))
marker create marker_name = .m.ground.freed location = (LOC_RELATIVE_TO({0, 0, 0}, .m.ground.P)) orientation = (10d * .m.DV), 0, 0
marker modify marker_name = .m.ground.freed location = 7, 7, 7
variable modify variable_name = .m.DV real_value = 3.0
marker create marker_name = .m.ground.reader location = (.m.DV), 0, 0
""",
        "c.cmd",
        lenient=False,
    )
    by = {m.name: m for m in model.markers.values()}
    assert by["follows"].qp == (3, 0, 0) and by["freed"].qp == (7, 7, 7) and by["reader"].qp == (3, 0, 0)
    assert math.degrees(by["freed"].reuler[0]) == pytest.approx(30)
    later = parse_cmd(
        TWO
        + """
defaults coordinate_system default_coordinate_system = .m.ground
point create point_name = .m.ground.P location = 1, 0, 0
marker create marker_name = .m.ground.follows location = (LOC_RELATIVE_TO({0, 0, 0}, .m.ground.P))
point modify point_name = .m.ground.P location = 4, 5, 6
""",
        "c.cmd",
        lenient=False,
    )
    assert list(later.markers.values())[-1].qp == (4, 5, 6)


def test_the_marker_cm_is_the_centre_of_mass():
    text = (
        "part create rigid_body name_and_position part_name = .m.B location = 0, 0, 0\nmarker create marker_name = "
        ".m.B.cm relative_to = .m.B location = 1, 1, 1\n"
    )
    model = parse_cmd(
        TWO + text + "part create rigid_body mass_properties part_name = .m.B mass = 2 ixx = 1 iyy = 1 izz = 1\n",
        "c.cmd",
        lenient=False,
    )
    assert model.markers[model.parts[3].cm].qp == (1, 1, 1)
