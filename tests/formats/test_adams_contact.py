"""CONTACT and its geometry in Adams files: the statement, view commands, geometry files, the real models."""

from __future__ import annotations

import json

import pytest
from _adams_data import ADAMS

from _public_data import NEEDS
from holonom.formats.adams import read_adm, write_adm
from holonom.formats.adams.reader import parse_adm
from holonom.formats.adams.script import parse_acf, write_acf
from holonom.formats.adams.view_cmd import parse_cmd
from holonom.formats.geometry_file import apply_geometry_file
from holonom.model import Model, ModelError, ModelErrors
from holonom.model.commands import Activate, apply
from holonom.model.shape import shape_of
from holonom.model.validate import cannot_run, contact_missing, doubts, faults

CAMELOT = ADAMS / "adamspy" / "camelot_1_pull0_offset0.adm"
FRS5 = ADAMS / "adamspy" / "FRS5_doe_8_LAUL_analysis.adm"

HEAD = """title
PART/1, GROUND
MARKER/1, PART=1
PART/2, MASS=1, CM=2, IP=1,1,1
MARKER/2, PART=2
GRAPHICS/1, ELLIPSOID, CM=2, XSCALE=2, YSCALE=2, ZSCALE=2
GRAPHICS/2, PLANE, RM=1, XMIN=-1, XMAX=1, YMIN=-1, YMAX=1
GRAPHICS/3, BOX, CORNER=1, X=1, Y=1, Z=1
"""


def contact(text: str, more: str = ""):
    model = parse_adm(f"{HEAD}CONTACT/1, IGEOM=1, JGEOM=2, 3\n{text}\n{more}END\n")
    return model, model.table("CONTACT")[1]


def again(model: Model) -> Model:
    return parse_adm(write_adm(model))


def same(model: Model, twin: Model) -> None:
    for kind in ("CONTACT", "GRAPHICS"):
        assert list(model.table(kind).values()) == list(twin.table(kind).values())


def test_impact_with_all_of_its_friction():
    model, c = contact(
        ", TYPE=SOLID_TO_SOLID, IMPACT, STIFFNESS=1E5, DAMPING=10, DMAX=0.1, EXPONENT=2.2, COULOMB_FRICTION=ON\n"
        ", MU_STATIC=0.3, MU_DYNAMIC=0.1, STICTION_TRANSITION_VELOCITY=0.1, FRICTION_TRANSITION_VELOCITY=10"
    )
    assert (c.igeom, c.jgeom, c.type) == ((1,), (2, 3), "SOLID_TO_SOLID")
    assert (c.law_name, c.stiffness, c.damping, c.dmax, c.exponent) == ("IMPACT", 1e5, 10, 0.1, 2.2)
    assert (c.friction_name, c.mu_static, c.mu_dynamic) == ("COULOMB", 0.3, 0.1)
    assert (c.stiction_transition_velocity, c.friction_transition_velocity) == (0.1, 10)
    assert c.joined and not c.arguments
    same(model, again(model))


def test_poisson_and_its_refinement():
    model, c = contact(
        ", POISSON, PENALTY=1E5, RESTITUTION_COEFFICIENT=0.8, AUGMENTED_LAGRANGIAN_FORMULATION, NO_FRICTION"
    )
    assert (c.law_name, c.penalty, c.restitution, c.augmented_lagrangian, c.friction_name) == (
        "POISSON",
        1e5,
        0.8,
        True,
        "",
    )
    assert any("AUGMENTED_LAGRANGIAN_FORMULATION has no influence" in text for text in doubts(model))
    same(model, again(model))


def test_dynamics_only_is_written_in_two_ways():
    for word in ("DYNAMICS_ONLY", "DynamicsOnly"):
        model, c = contact(f", IMPACT, STIFFNESS=1, EXPONENT=1, COULOMB_FRICTION={word}, MU_DYNAMIC=.2")
        assert (c.coulomb_friction, c.friction_name) == ("DYNAMICS_ONLY", "COULOMB")
        same(model, again(model))


def test_stiction_of_the_c_solver():
    model, c = contact(
        ", IMPACT, STIFFNESS=1, EXPONENT=1, COULOMB_FRICTION=ON, MU_STATIC=.3, STICTION=ON, "
        "MAX_STICTION_DEFORMATION=0.01"
    )
    assert (c.stiction, c.max_stiction_deformation) == (True, 0.01)
    same(model, again(model))


def test_user_routines_are_kept_and_refused_by_name():
    model, c = contact(
        ", NORMAL_FUNCTION=USER(1, 2.5)\\, NORMAL_ROUTINE=mylib::cnfsub, FRICTION_FUNCTION=USER(3)\\, "
        "FRICTION_ROUTINE=mylib::cffsub"
    )
    assert (c.model, c.normal_function, c.normal_routine) == ("USER", "USER(1, 2.5)", "mylib::cnfsub")
    assert (c.friction_name, c.friction_routine) == ("USER", "mylib::cffsub")
    texts = contact_missing(model, c)
    assert any("'mylib::cnfsub'" in t for t in texts) and any("'mylib::cffsub'" in t for t in texts)
    assert not faults(model)
    same(model, again(model))


def test_flexible_sides_are_kept_and_refused():
    model = parse_adm(f"{HEAD}CONTACT/1, IGEOM=1, JFLEX=7, IMPACT, STIFFNESS=1, EXPONENT=1\nEND\n")
    c = model.table("CONTACT")[1]
    assert c.jflex == 7 and contact_missing(model, c) == [
        "JFLEX = 7: contact with flexible bodies is not computed in this version"
    ]
    same(model, again(model))


def test_arguments_without_influence_are_kept_and_said():
    model, c = contact(", IMPACT, STIFFNESS=1, EXPONENT=1, GEOMETRY_ROUTINES=abc")
    assert c.arguments == (("GEOMETRY_ROUTINES", "abc"),)
    assert any("GEOMETRY_ROUTINES = abc is kept, but has no influence" in text for text in doubts(model))
    same(model, again(model))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (", IMPACT, POISSON", "exclude each other"),
        (", IMPACT, NORMAL_FUNCTION=USER(1)", "exclude each other"),
        (", IMPACT, NO_FRICTION, COULOMB_FRICTION=ON", "exclude each other"),
        (", IMPACT, COULOMB_FRICTION=MAYBE", "MAYBE"),
        (", IMPACT, TYPE=CUBE_TO_CUBE", "CUBE_TO_CUBE"),
    ],
)
def test_bad_statements(text, words):
    with pytest.raises(ModelErrors, match=words):
        contact(text)


def test_a_contact_without_a_side_is_an_error():
    with pytest.raises(ModelErrors, match="names no geometry for JGEOM"):
        parse_adm(f"{HEAD}CONTACT/1, IGEOM=1, IMPACT\nEND\n")


def test_what_adams_does_not_know_survives_in_a_comment():
    model = Model("m", units="mm")
    ball = model.part("ball", 1.0, (1, 1, 1), position=(0, 0, 5))
    a = model.capsule(ball, (0, 0, 4), (0, 0, 6), 1.0, group="it's")
    b = model.mesh(
        model.ground, ([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)])
    )
    c = model.cylinder(ball, (0, 0, 0), (0, 0, 1), 2.0, inside=True)
    model.extrusion(ball, [(0, 0), (1, 0), (1, 1)], 2.0, bulge=(0.1, 0, 0), name="gear")
    model.contact(
        [a, c],
        b,
        "flores",
        restitution=0.5,
        mu=0.1,
        friction="lugre",
        materials=("steel", "steel"),
        exclude=[(c, b)],
    )
    text = write_adm(model)
    twin = parse_adm(text)
    same(model, twin)
    assert twin.table("CONTACT")[1].joined is False
    assert all(len(line) < 100_000 for line in text.splitlines())
    with pytest.raises(ModelErrors, match="holonom_fields before it is broken"):
        parse_adm(text.replace('"law": "FLORES"', '"law": 3'))


def test_a_ball_is_written_as_adams_draws_it():
    model = Model("m", units="mm")
    model.sphere(model.ground, (1, 2, 3), 0.7)
    text = write_adm(model)
    assert "ELLIPSOID" in text and "XSCALE = 1.4" in text and "holonom_fields" not in text


# ---- scripts -------------------------------------------------------------------------------------------------------
def test_contacts_are_switched_by_scripts():
    script = parse_acf(
        "DEACTIVATE/CONTACT, ID=1\nACTIVATE/CONTACT, RANGE=1,5\nDEA/CONTACT\nCONTACT/1, STIFFNESS=7\nstop\n"
    )
    off, on, every, redefined = script.commands[:4]
    assert (off.kind, off.ids, off.on) == ("CONTACT", (1,), False) and on.ranges == ((1, 5),)
    model, c = contact(", IMPACT, STIFFNESS=1, EXPONENT=1")
    apply(off, model)
    assert not c.active
    apply(on, model)
    assert c.active
    apply(every, model)
    assert not c.active
    apply(redefined, model)
    assert c.stiffness == 7 and c.joined
    assert parse_acf(write_acf(script)).commands == script.commands
    with pytest.raises(ModelError, match="no CONTACT/9"):
        apply(Activate("CONTACT", (9,)), model)


# ---- view ----------------------------------------------------------------------------------------------------------
VIEW = """model create model_name = m
defaults units length = mm
marker create marker_name = .m.ground.base location = 0, 0, 0
part create rigid_body name_and_position part_name = .m.A location = 0, 0, 5
marker create marker_name = .m.A.cm location = 0, 0, 5
part create rigid_body mass_properties part_name = .m.A mass = 1 center_of_mass_marker = .m.A.cm ixx = 1 iyy = 1 izz = 1
geometry create shape ellipsoid ellipsoid_name = .m.A.ball center_marker = .m.A.cm x_scale_factor = 2 y_scale_factor = 2 z_scale_factor = 2
geometry create shape plane plane_name = .m.ground.floor ref_marker_name = .m.ground.base x_minimum = -9 x_maximum = 9 y_minimum = -9 y_maximum = 9
geometry create shape extrusion extrusion_name = .m.ground.bar reference_marker = .m.ground.base length_along_z_axis = 4 points_for_profile = 0,0,0, 2,0,0, 2,1,0
"""  # noqa: E501


def test_view_contacts_have_all_parameters():
    model = parse_cmd(
        VIEW + "contact create contact_name = .m.c1 adams_id = 4 type = solid_to_solid i_geometry_name = .m.A.ball &\n"
        " j_geometry_name = .m.ground.bar, .m.ground.floor stiffness = 1e5 damping = 10 dmax = 0.1 exponent = 2.2 &\n"
        " coulomb_friction = on mu_static = 0.3 mu_dynamic = 0.1 stiction_transition_velocity = 1 "
        "friction_transition_velocity = 10\n"
        "contact create contact_name = .m.c2 type = point_to_plane i_marker_name = .m.A.cm j_geometry_name = "
        ".m.ground.floor &\n"
        " penalty = 1e5 restitution_coefficient = 0.5 augmented_lagrangian_formulation = yes no_friction = true\n"
        "contact modify contact_name = .m.c2 mu_static = 0.5 coulomb_friction = dynamics_only\n"
    )
    one, two = model.table("CONTACT").values()
    graphics = {g.name: g.id for g in model.table("GRAPHICS").values()}
    name = lambda n: next(v for k, v in graphics.items() if k.endswith(n))
    assert (one.id, one.type, one.igeom, one.jgeom) == (
        4,
        "SOLID_TO_SOLID",
        (name("ball"),),
        (name("bar"), name("floor")),
    )
    assert (one.stiffness, one.exponent, one.friction_name, one.mu_static, one.joined) == (
        1e5,
        2.2,
        "COULOMB",
        0.3,
        True,
    )
    assert (one.stiction, one.max_stiction_deformation) == (False, 0.0)
    assert (two.law_name, two.penalty, two.restitution, two.augmented_lagrangian) == ("POISSON", 1e5, 0.5, True)
    assert (two.coulomb_friction, two.mu_static) == ("DYNAMICS_ONLY", 0.5)
    assert shape_of(model, model.table("GRAPHICS")[two.igeom[0]]).kind == "POINT"
    assert shape_of(model, model.table("GRAPHICS")[name("bar")]).par == (2.0, 0.0)
    assert shape_of(model, model.table("GRAPHICS")[name("floor")]).par == (9.0, 9.0)
    same(model, again(model))


def test_view_contacts_without_geometry_are_errors():
    with pytest.raises(ModelErrors, match="names no geometry for its J side"):
        parse_cmd(
            VIEW + "contact create contact_name = .m.c1 i_geometry_name = .m.A.ball stiffness = 1\n", lenient=False
        )


# ---- geometry files ------------------------------------------------------------------------------------------------
def external() -> Model:
    return parse_adm(
        HEAD + "GRAPHICS/7, EXTERNAL, RM=2, FILE=a.xmt_txt, ELEMENT=S1\nGRAPHICS/8, EXTERNAL, RM=2, FILE=a.xmt_txt, "
        "ELEMENT=S2\n"
        "CONTACT/1, IGEOM=7, 8, JGEOM=2, IMPACT, STIFFNESS=1, EXPONENT=1\nEND\n",
        "beside/model.adm",
    )


def test_shapes_stand_in_for_missing_geometry(tmp_path):
    model = external()
    assert sum("GRAPHICS/7" in text for text in cannot_run(model)) == 1
    (tmp_path / "tetra.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
    (tmp_path / "g.toml").write_text(
        '"S*" = { type = "SPHERE", radius = 3.0, at = [1, 0, 0] }\nS2 = { mesh = "tetra.obj", scale = 2 }\n'
    )
    pytest.importorskip("trimesh", reason="trimesh is not installed")
    done = apply_geometry_file(model, tmp_path / "g.toml")
    assert sorted(g.id for g in done) == [7, 8]
    ball, tetra = (shape_of(model, model.table("GRAPHICS")[n]) for n in (7, 8))
    assert (ball.kind, ball.par, tuple(ball.frame.origin)) == ("SPHERE", (3.0, 0.0), (1.0, 0.0, 0.0))
    assert tetra.kind == "MESH" and tetra.vertices.max() == 2.0
    assert not any("GRAPHICS/7" in text or "GRAPHICS/8" in text for text in cannot_run(model))
    same(model, again(model))


def test_geometry_files_as_json(tmp_path):
    model = external()
    (tmp_path / "g.json").write_text(json.dumps({"7": {"type": "BOX", "x": 1, "y": 2, "z": 3, "euler": [90, 0, 0]}}))
    apply_geometry_file(model, tmp_path / "g.json")
    box = shape_of(model, model.table("GRAPHICS")[7])
    assert (box.kind, box.par) == ("BOX", (0.5, 1.0, 1.5)) and abs(box.frame.axes[1, 0] - 1) < 1e-12


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("S3 = 'x.stl'", "no GRAPHICS named 'S3'"),
        ("S1 = 'x.stl'", "No such file"),
        ("S1 = 3", "a mesh file or a table"),
        ("S1 = { radius = 1 }", "no type"),
        ("S1 = { type = 'SPHERE', radius = -1 }", "must be positive"),
        ("S1 = { type = 'SPHERE', mesh = 'a.stl' }", "both mesh and type"),
        ("S1 = ", "not TOML"),
        ("", "names no geometry"),
    ],
)
def test_bad_geometry_files(tmp_path, text, words):
    (tmp_path / "g.toml").write_text(text)
    model = external()
    before = [(g.type, dict(g.arguments)) for g in model.table("GRAPHICS").values()]
    with pytest.raises(ModelError, match=words):
        apply_geometry_file(model, tmp_path / "g.toml")
    assert before == [(g.type, dict(g.arguments)) for g in model.table("GRAPHICS").values()]


def test_substitute_in_python_keeps_the_old_one_when_the_new_is_bad():
    model = external()
    with pytest.raises(ModelError, match="without volume"):
        model.substitute("S1", {"type": "CYLINDER", "radius": 1.0, "length": 0.0})
    assert model.table("GRAPHICS")[7].type == "EXTERNAL"
    model.substitute("s*", lambda g: {"type": "SPHERE", "radius": float(g.id)})
    assert [shape_of(model, model.table("GRAPHICS")[n]).par[0] for n in (7, 8)] == [7.0, 8.0]


# ---- the real models -----------------------------------------------------------------------------------------------
@pytest.mark.skipif(not CAMELOT.is_file(), reason=f"{NEEDS}: the real Adams models are not here")
@pytest.mark.parametrize(("path", "contacts", "missing"), [(CAMELOT, 10, 6), (FRS5, 110, 43)])
def test_real_models_with_contact_run_through_reader_writer_and_checks(path, contacts, missing):
    model = read_adm(path)
    assert len(model.table("CONTACT")) == contacts and not faults(model)
    texts = {t for c in model.table("CONTACT").values() for t in contact_missing(model, c) if "GRAPHICS/" in t}
    assert len(texts) == missing and all("xmt_txt is in a format that is not read" in t for t in texts)
    twin = parse_adm(write_adm(model), str(path))
    same(model, twin)
    replaced = model.substitute("*", lambda g: {"type": "SPHERE", "radius": 0.5} if g.type == "EXTERNAL" else None)
    assert len(replaced) >= missing
    assert not any("GRAPHICS/" in t for c in model.table("CONTACT").values() for t in contact_missing(model, c))
    same(model, parse_adm(write_adm(model), str(path)))


def test_check_of_the_command_line_lists_contacts_and_takes_a_geometry_file(tmp_path):
    from typer.testing import CliRunner

    from holonom.cli import app

    (tmp_path / "m.adm").write_text(
        HEAD
        + "GRAPHICS/7, EXTERNAL, RM=2, FILE=a.xmt_txt, ELEMENT=S1\nCONTACT/1, IGEOM=7, JGEOM=2, IMPACT, STIFFNESS=1, "
        "EXPONENT=1\nEND\n"
    )
    (tmp_path / "g.toml").write_text('S1 = { type = "SPHERE", radius = 3.0 }\n')
    command = ["check", str(tmp_path / "m.adm"), "--no-assembly"]
    without, given = (
        CliRunner().invoke(app, command),
        CliRunner().invoke(app, [*command, "--geometry", str(tmp_path / "g.toml")]),
    )
    assert (
        without.exit_code == 2
        and "MESH - PLANE: 1" in without.output
        and "xmt_txt is in a format that is not read" in without.output
    )
    assert given.exit_code == 0 and "contacts: 1 (1 active), 1 defined pairs; PLANE - SPHERE: 1" in given.output


def test_rigid_settings_survive_in_a_comment():
    m = Model("x")
    b = m.part("b", 1.0, (1, 1, 1), position=(0, 0, 1))
    m.contact(
        m.sphere(b, (0, 0, 1), 0.1),
        m.plane(m.ground, (0, 0, 0), (0, 0, 1)),
        impact_law="ENERGY",
        tangential_restitution=0.2,
    )
    assert "holonom_rigid" not in write_adm(m)
    m.rigid.method, m.rigid.theta, m.rigid.penetration = "time-stepping", 1.0, 1e-5
    text = write_adm(m)
    again = parse_adm(text)
    assert again.rigid == m.rigid
    contact = again.table("CONTACT")[1]
    assert (contact.impact_law, contact.tangential_restitution) == ("ENERGY", 0.2)
    for old, new in (
        ('"theta": 1.0', '"theta": 3'),
        ('"method"', '"methode"'),
        ("holonom_rigid='{", "holonom_rigid='"),
    ):
        with pytest.raises(ModelErrors, match="dataset:3: the comment holonom_rigid is broken"):
            parse_adm(text.replace(old, new))
