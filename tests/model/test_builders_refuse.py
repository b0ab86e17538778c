"""What a builder method refuses in the line that was written, and what it takes by name."""

import pickle

import numpy as np
import pytest

import holonom as hn
from holonom.flexible.mesh import Mesh
from holonom.model.orientation import axes_from
from holonom.model.quantity_text import QUANTITIES
from holonom.model.solids import ROUTINES


def two(units="SI"):
    m = hn.Model("pair", units=units)
    a, b = (m.part(name, 1, (1, 1, 1), position=(x, 0, 0)) for name, x in (("a", 0.0), ("b", 1.0)))
    m.sphere(a, (0, 0, 0), 0.1)
    m.sphere(b, (1, 0, 0), 0.1)
    return m, a, b


@pytest.mark.parametrize(
    "given, says",
    [
        ({"law": "nonsense"}, "no contact law 'nonsense'"),
        ({"law": "hunt-crossley", "stiffness": 1e5}, "did you mean 'HUNT_CROSSLEY'"),
        ({"friction": "colomb", "stiffness": 1e5}, "no friction model 'COLOMB'"),
        ({"initial": "soft", "stiffness": 1e5}, "initial = 'soft'"),
        ({"stiffness": -1}, "STIFFNESS must not be negative"),
        ({"stiffness": float("nan")}, "give a finite number"),
        ({"stiffness": 1e5, "damping": -4.0}, "DAMPING must not be negative"),
        ({"stiffness": 1e5, "dmax": -1}, "DMAX must not be negative"),
        ({"stiffness": 1e5, "exponent": 0.5}, "EXPONENT must lie between 1 and 10"),
        ({"stiffness": 1e5, "mu": -0.1}, "mu must not be negative"),
        ({"stiffness": 1e5, "mu": "0.3"}, "got '0.3'"),
        ({"stiffness": 1e5, "mu": ("0.3", "0.2")}, "mu must be"),
        ({"stiffness": 1e5, "restitution": 2.0}, "RESTITUTION_COEFFICIENT must lie between 0 and 1"),
        ({"law": "FLORES", "stiffness": 1e5, "restitution": -0.1}, "RESTITUTION_COEFFICIENT"),
        ({"k": 1e5}, "has no parameter 'k'"),
        ({"law": "VISCOELASTIC", "stiffness": 1e5, "g1": "0.2"}, "give a finite number"),
    ],
)
def test_contacts_that_cannot_be_are_refused_where_they_are_written(given, says):
    m, a, b = two()
    with pytest.raises(hn.ModelError, match=says):
        m.contact(a, b, **given)
    assert not m.table("CONTACT")


def test_what_a_law_lacks_is_left_to_the_check():
    m, a, b = two()
    m.contact(a, b, name="rigid")  # constraints need no stiffness
    assert any("needs STIFFNESS" in text for text in hn.check(m).faults)


@pytest.mark.parametrize("text", ["5,000 mm", "1 000 mm", "pi/4", "5*mm", "0.3", '5"'])
def test_a_text_among_numbers_is_no_number(text):
    m, a, b = two()
    with pytest.raises(hn.ModelError, match="has '"):
        m.part("c", 1, (1, 1, 1), position=(text, 0, 0))
    with pytest.raises(hn.ModelError, match="has '"):
        m.part("c", 1, (1, 1, 1), angular_velocity=(0, 0, text))
    with pytest.raises(hn.ModelError):
        m.coupler([], ("1", text))
    assert "c" not in m.parts


def test_functions_and_switches_take_no_units_that_they_cannot_convert():
    m, a, b = two()
    for text in ("1e9", "90D", "2*PI", "1.5E3*TIME"):
        m.sforce(a.cm, b.cm, text)
    with pytest.raises(hn.ModelError, match="leave the unit out"):
        m.sforce(a.cm, b.cm, "10 N", "push")
    pin = m.revolute(a, m.ground, "pin", at=(0, 0, 0), axis=(0, 0, 1))
    with pytest.raises(hn.ModelError, match="90D"):
        m.motion(pin, "90 deg")
    with pytest.raises(hn.ModelError, match="restitution is '0.5'; give a number from 0 to 1"):
        m.stop(pin, lower=-1, restitution="0.5")
    with pytest.raises(hn.ModelError, match="which is not in rad"):
        m.latch(pin, at="1 cm")
    with pytest.raises(hn.ModelError, match="N\\*m\\*rad"):
        m.torsion_spring(pin.i, pin.j, stiffness="10 N*m*rad")
    caught = m.latch(pin, at="30 deg")
    assert "0.5235987755982988" in caught.transitions[0].when[0]


def test_remove_and_rename_take_names():
    m, a, b = two()
    m.rename("a", "tower")
    assert m.find("PART", "tower") is a
    m.revolute(b, m.ground, "b", at=(1, 0, 0), axis=(0, 0, 1))
    with pytest.raises(hn.ModelError, match="several elements are named 'b'"):
        m.remove("b", with_users=True)
    m.remove("PART/3", with_users=True)
    assert not m.joints
    with pytest.raises(hn.ModelError, match="did you mean 'tower'"):
        m.remove("towre")
    with pytest.raises(hn.ModelError, match="is not an element"):
        m.remove(3)


def test_fields_with_another_name_than_their_argument_are_named():
    m, a, b = two()
    for name, field in (("position", "qg"), ("velocity", "vx, vy and vz"), ("inertia", "ip")):
        with pytest.raises(hn.ModelError, match=f"set {field}"):
            setattr(a, name, (0, 0, 0))
    spring = m.spring_damper(a.cm, b.cm, stiffness=10.0, length=1.0)
    with pytest.raises(hn.ModelError, match="set k "):
        spring.stiffness = 20.0


def test_units_that_were_meant_are_named():
    with pytest.warns(hn.ModelWarning, match="give units='mm'"):
        hn.Model("mm")
    with pytest.raises(hn.ModelError, match="holonom.Units"):
        hn.Model("x", units="mm-t-s")
    m = hn.Model("block", units="mm")
    block = m.part("block")
    m.box(block, (0, 0, 0), (10, 10, 10))
    with pytest.warns(hn.ModelWarning, match="7.85 kg/m\\^3\\) is that of no solid"):  # tonne / mm^3 in a model in kg
        m.mass_from_shapes(block, density=7.85e-9)


def test_results_of_an_element_of_another_model_are_refused():
    (m, a, _), (_, c, _) = two(), two()
    run = hn.simulate(m, end=0.01, steps=1)
    assert run.part(a).position.shape == (2, 3)
    for view in (run.part, run.__getitem__):
        with pytest.raises(hn.ModelError, match="belongs to another model"):
            view(c)
    copy = pickle.loads(pickle.dumps(run))  # as a run that comes from another process
    assert copy.part(a).position.shape == (2, 3)
    c.name = "other"
    with pytest.raises(hn.ModelError, match="belongs to another model"):
        copy.part(c)
    twin = hn.Model.from_json(m.to_json())
    assert hn.simulate(twin, end=0.01, steps=1).part(a).position.shape == (2, 3)


def test_one_table_of_dimensions():
    units = hn.Units("POUND_FORCE", "SLUG", "INCH", "MILLISECOND")
    inch, pound, slug, ms = 0.0254, 4.4482216152605, 14.593902937206365, 1e-3
    assert units.symbol("damping") == "lbf*ms/in" and units.si("damping") == pytest.approx(pound * ms / inch)
    assert units.symbol("hertz") == "lbf/in^1.5" and units.si("hertz") == pytest.approx(pound / inch**1.5)
    assert units.symbol("inertia") == "slug*in^2" and units.si("inertia") == pytest.approx(slug * inch**2)
    assert units.symbol("angular_momentum") == "lbf*in*ms" and units.symbol("none") == ""
    assert all(hn.Units().si(name) == 1.0 for name in QUANTITIES)


@pytest.mark.parametrize("units", ["SI", "mm", "CGS", "IPS"])
def test_a_radius_of_friction_that_is_left_out_is_warned_of_in_all_units(units):
    m = hn.Model("pin", units=units)
    a = m.part("a", 1, (1, 1, 1))
    pin = m.revolute(a, m.ground, "pin", at=(0, 0, 0), axis=(0, 0, 1))
    ball = m.spherical(m.part("b", 1, (1, 1, 1)), m.ground, "ball", at=(1, 0, 0))
    length = m.units.symbol("length")
    for joint, radius in ((pin, "pin_radius"), (ball, "ball_radius")):
        with pytest.warns(hn.ModelWarning, match=f"{radius} is left out and is 1 {length}"):
            m.friction(joint, mu_static=0.2, mu_dynamic=0.2)
    with pytest.raises(hn.ModelError, match="needs pin_radius"):
        m.revolute(a, m.ground, "other", at=(0, 0, 0), axis=(0, 0, 1), friction=0.1)


def test_a_dataset_without_pin_radius_is_warned_of(tmp_path, recwarn):
    text = (
        "title\nUNITS/FORCE=NEWTON,MASS=KILOGRAM,LENGTH=MILLIMETER,TIME=SECOND\nPART/1,GROUND\nMARKER/1,PART=1\n"
        "PART/2,MASS=1,CM=3,IP=1000,1000,1000\nMARKER/2,PART=2\nMARKER/3,PART=2,QP=100,0,0\n"
        "JOINT/1,REVOLUTE,I=2,J=1\nFRICTION/1,JOINT=1,MU_STATIC=0.2,MU_DYNAMIC=0.1{}\nEND\n"
    )
    for given, warned in (("", True), (",PIN_RADIUS=1.0", False)):
        path = tmp_path / "pin.adm"
        path.write_text(text.format(given))
        warnings = hn.check(hn.read_adams(path)).warnings
        assert any("pin_radius is left out and is 1 mm" in w for w in warnings) == warned


def test_an_angle_with_its_unit_is_no_angle_in_degrees(recwarn):
    m = hn.Model("spring")
    a = m.part("a", 1, (1, 1, 1))
    pin = m.revolute(a, m.ground, "pin", at=(0, 0, 0), axis=(0, 0, 1), lower="-3 turn", upper="720 deg")
    m.revolute(
        m.part("b", 1, (1, 1, 1)), m.ground, at=(1, 0, 0), axis=(0, 0, 1), upper="2 turn", stop_stiffness="5 N*m/rad"
    )
    m.torsion_spring(pin.i, pin.j, stiffness=1.0, angle="2 turn")
    assert not [w for w in recwarn if issubclass(w.category, hn.ModelWarning)]
    m.to_json()
    with pytest.warns(hn.ModelWarning, match="if it is in degrees"):
        m.torsion_spring(pin.i, pin.j, stiffness=1.0, angle=90)


def test_a_part_without_shapes_is_named_as_such():
    m = hn.Model("bare")
    a = m.part("bare", 1, (1, 1, 1))
    m.plane(m.ground, (0, 0, 0), (0, 0, 1))
    for side in (a, "bare"):
        with pytest.raises(hn.ModelError, match="PART/2 'bare': it has no shape"):
            m.contact(side, m.ground, stiffness=1e5)


@pytest.mark.parametrize("name", ROUTINES)
@pytest.mark.parametrize("value", ["USER(1,2)", "3", lambda call: 0.0])
def test_routines_of_a_contact_are_refused(name, value):
    m = hn.Model("m")
    ball = m.part("ball", 1.0, (1, 1, 1), position=(0, 0, 1))
    m.sphere(ball, (0, 0, 1), 0.5)
    m.plane(m.ground, (0, 0, 0), (0, 0, 1))
    with pytest.raises(hn.ModelError, match=name):
        m.contact(ball, m.ground, stiffness=1e5, **{name: value})
    assert not m.table("CONTACT")


@pytest.mark.parametrize("units", ["SI", "mm"])
@pytest.mark.parametrize("limits", [(0.3, 0.5), (None, -0.2), (-0.5, 0.5)])
@pytest.mark.parametrize("kind", ["revolute", "translational"])
def test_soft_stops_that_push_from_the_start(kind, limits, units, recwarn):
    m = hn.Model("m", units=units)
    size = 1.0 if units == "SI" else 1000.0
    at, axis = (0.3 * size, 0, 0), np.array([1.0, 2.0, 2.0]) / 3.0
    body = m.part("body", 1.0, (1, 1, 1), position=at)
    start = 0.7
    s = 1.0 if kind == "revolute" else size
    lower, upper = (None if v is None else (v + start) * s for v in limits)
    if kind == "revolute":
        i = m.marker_at(body, at, axes=axes_from(axis, None))
        j = m.marker_at(m.ground, at, axes=rotated(axis, -start) @ axes_from(axis, None))
    else:
        axes = axes_from(axis, None)
        i = m.marker_at(body, at, axes=axes)
        j = m.marker_at(m.ground, np.array(at) - start * s * axis, axes=axes)
    getattr(m, kind)(i, j, "q", lower=lower, upper=upper, stop_stiffness=100.0)
    said = [str(w.message) for w in recwarn if "beyond" in str(w.message)]
    if limits == (-0.5, 0.5):
        assert not said
    else:
        (text,) = said
        word, depth = ("lower", 0.3) if limits[0] else ("upper", 0.2)
        assert f"starts at {start * s:.4g}, {depth * s:.4g} " in text and f"beyond {word} = " in text
        assert f"pushes with {100.0 * depth * s:.4g} " in text


def rotated(axis, angle):
    """Rotation matrix (Rodrigues)."""
    K = np.cross(np.eye(3), axis)
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def test_meshes_without_elements_are_refused(tmp_path):
    for name, text in {
        "one.bdf": "BEGIN BULK\nGRID,1,,0.,0.,0.\nENDDATA\n",
        "bars.bdf": "BEGIN BULK\nGRID,1,,0.,0.,0.\nGRID,2,,1.,0.,0.\nCBAR,1,1,1,2,0.,1.,0.\nENDDATA\n",
        "nodes.inp": "*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n",
        "nodes.msh": "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n1\n1 0 0 0\n$EndNodes\n"
        "$Elements\n0\n$EndElements\n",
    }.items():
        (tmp_path / name).write_text(text)
        with pytest.raises(hn.ModelError, match="no cells"):
            Mesh.read(tmp_path / name)
