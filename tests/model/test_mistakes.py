"""The commonest mistakes of a new user, typed into the builder: each is one sentence that names the element, the
argument or value, and the fix."""

import numpy as np
import pytest

import holonom as hn
from holonom.model.base import ModelError


def machine():
    m = hn.Model("machine")
    rod, block = m.part("rod", 1.0, (1, 1, 1)), m.part("block", 1.0, (1, 1, 1), (1, 0, 0))
    hinge = m.revolute(rod, m.ground, "hinge", at=(0, 0, 0), axis=(0, 0, 1))
    return m, rod, block, hinge


#: what is typed, and what the sentence gives of it: the call with its element, the value or argument, the fix
MISTAKES = [
    (lambda m, r, b, h: m.part("p", mas=1.0), ("part 'p'", "no argument 'mas'", "did you mean 'mass'?")),
    (lambda m, r, b, h: m.part("p", -1.0), ("part 'p'", "mass is -1", "give a positive number")),
    (lambda m, r, b, h: m.part("p", "heavy"), ("part 'p'", "mass is 'heavy'", "give a finite number")),
    (lambda m, r, b, h: m.part("p", 1.0, (1, 2)), ("part 'p'", "inertia", "3 or 6 numbers or a 3x3 tensor")),
    (lambda m, r, b, h: m.part("p", 1.0, [[1, 0], [1, 0, 0]]), ("part 'p'", "inertia", "3 or 6 numbers")),
    (lambda m, r, b, h: m.part("p", 1.0, [[1, 1, 0], [0, 1, 0], [0, 0, 1]]), ("part 'p'", "inertia", "not symmetric")),
    (
        lambda m, r, b, h: m.part("p", 1.0, (1, 1, -1)),
        ("part 'p'", "inertia has a negative moment", "give positive ones"),
    ),
    (lambda m, r, b, h: m.part("p", 1.0, 3.0), ("part 'p'", "inertia", "it is 3.0")),
    (lambda m, r, b, h: m.part("p", 1.0, (1, 1, 1), (0, 1)), ("part 'p'", "position: expected three numbers, got 2")),
    (lambda m, r, b, h: m.part("p", 1.0, euler=(0, 0, 90)), ("part 'p'", "look like degrees", "numpy.radians")),
    (lambda m, r, b, h: m.part("p", 1.0, axes=2 * np.eye(3)), ("part 'p'", "axes", "rotation matrix")),
    (lambda m, r, b, h: m.part("p", 1.0, exact="XYZ"), ("part 'p'", "exact is 'XYZ'", "give a list")),
    (lambda m, r, b, h: m.part("p", density=7850), ("part 'p'", "density requires a shape", "give shape=")),
    (
        lambda m, r, b, h: m.part("p", shape=hn.shapes.box((0, 0, 0), 1)),
        ("part 'p'", "needs a density", "give density="),
    ),
    (
        lambda m, r, b, h: m.part("p", 1.0, shape=hn.shapes.box((0, 0, 0), 1), density=1),
        ("part 'p'", "mass", "leave them out"),
    ),
    (lambda m, r, b, h: m.part("p", shape="part.stp.missing", density=1), ("part 'p'", "part.stp.missing")),
    (lambda m, r, b, h: m.point_mass("p", 0.0), ("point_mass 'p'", "mass is 0", "give a positive number")),
    (lambda m, r, b, h: m.marker_at(r, (0, 0)), ("marker_at", "at: expected three numbers", "got 2")),
    (lambda m, r, b, h: m.marker(r, z=(0, 0, 0)), ("marker", "z is (0, 0, 0)", "give a vector that is not zero")),
    (
        lambda m, r, b, h: m.marker(r, z=(0, 0, 1), euler=(0, 0, 1)),
        ("marker", "more than one way", "give euler, or axes, or z and x"),
    ),
    (lambda m, r, b, h: m.revolute(r, b, "pin"), ("revolute 'pin'", "'rod'", "give at=")),
    (lambda m, r, b, h: m.revolute("rod", "block", "pin"), ("revolute 'pin'", "no MARKER named 'rod'", "give at=")),
    (
        lambda m, r, b, h: m.revolute(r, b, "pin", at=(0, 0, 0), axs=(0, 0, 1)),
        ("revolute 'pin'", "'axs'", "did you mean 'axis'?"),
    ),
    (
        lambda m, r, b, h: m.revolute(r, b, "pin", (0, 0, 0), (0, 0, 1)),
        ("revolute 'pin'", "5 values are given in order", "name the others"),
    ),
    (lambda m, r, b, h: m.revolute(r.cm, b.cm, "pin", axis=(0, 0, 1)), ("revolute 'pin'", "axis requires at=")),
    (
        lambda m, r, b, h: m.revolute(r, "blok", "pin", at=(0, 0, 0)),
        ("revolute 'pin'", "no PART named 'blok'", "did you mean 'block'?"),
    ),
    (lambda m, r, b, h: m.revolute(r), ("revolute", "j is missing", "give j=")),
    (lambda m, r, b, h: m.joint("HINGE", r, b, at=(0, 0, 0)), ("joint", "unknown type of joint 'HINGE'", "REVOLUTE")),
    (lambda m, r, b, h: m.screw(r, b, "ten", at=(0, 0, 0)), ("screw", "pitch is 'ten'", "give a finite number")),
    (lambda m, r, b, h: m.coupler([h], (1,)), ("coupler", "not 1", "give joints=[...]")),
    (lambda m, r, b, h: m.coupler([h, h], (1,)), ("coupler", "scales", "2 joints")),
    (lambda m, r, b, h: m.motion(function="TIME", name="go"), ("motion 'go'", "needs a joint", "X Y Z B1 B2 B3")),
    (lambda m, r, b, h: m.motion(h, "TIME", level="SPEED"), ("motion", "unknown level 'SPEED'", "VELOCITY")),
    (lambda m, r, b, h: m.motion(i=r.cm, j=b.cm, component=1), ("motion", "component 1", "B1")),
    (lambda m, r, b, h: m.motion("hing", "TIME"), ("motion", "no JOINT named 'hing'", "did you mean 'hinge'?")),
    (lambda m, r, b, h: m.motion(h, None), ("motion", "function is None", "give an expression")),
    (lambda m, r, b, h: m.friction(h, mu=0.1), ("friction", "'mu'", "did you mean 'mu_static'?")),
    (lambda m, r, b, h: m.sforce(r, b, "10"), ("PART/2 'rod'", "a marker is required here", "body.cm")),
    (
        lambda m, r, b, h: m.sforce(r.cm, b.cm, "10", kind="ROTATION"),
        ("sforce", "'ROTATION'", "did you mean ROTATIONAL?"),
    ),
    (lambda m, r, b, h: m.vforce(r.cm, fx=lambda c: 1.0), ("vforce", "fx is a Python function", "give function=")),
    (
        lambda m, r, b, h: m.spring_damper(r.cm, b.cm, stiffness="stiff"),
        ("spring_damper", "stiffness is 'stiff'", "give a finite number"),
    ),
    (
        lambda m, r, b, h: m.spring_damper(r.cm, b.cm, 1.0, length="short"),
        ("spring_damper", "length is 'short'", "'drawn'"),
    ),
    (
        lambda m, r, b, h: m.bushing(r.cm, b.cm, stiffness=1e5),
        ("bushing", "stiffness: expected three numbers", "100000.0"),
    ),
    (lambda m, r, b, h: m.field(r.cm, b.cm, np.eye(3)), ("field", "kmatrix: expected 6 x 6", "3x3")),
    (lambda m, r, b, h: m.beam(r.cm, b.cm, 0.0, 1, 1, 1, 1, 1, 1), ("beam", "length is 0", "give a positive number")),
    (lambda m, r, b, h: m.spline([0, 1, 2], [0, 1]), ("spline", "y is 1 x 2", "3 numbers")),
    (lambda m, r, b, h: m.spline([0, 2, 1], [0, 1, 2]), ("spline", "x must increase", "sort them")),
    (lambda m, r, b, h: m.curve([(0, 0), (1, 1)]), ("curve", "points", "rows of three numbers")),
    (lambda m, r, b, h: m.matrix([[1, 2], [3]]), ("matrix", "values", "same length")),
    (lambda m, r, b, h: m.diff("1", ic=(1, 2, 3)), ("diff", "ic holds 3 numbers", "give y(0)")),
    (lambda m, r, b, h: m.request("q", functions=["1"] * 9), ("request 'q'", "9 expressions", "make two of them")),
    (lambda m, r, b, h: m.request("q", kind="POSITION"), ("request 'q'", "'POSITION'", "DISPLACEMENT")),
    (lambda m, r, b, h: m.sensor("TIME", 1.0, ">="), ("sensor", "unknown comparison '>='", "GE")),
    (lambda m, r, b, h: m.sensor("TIME", 1.0, stop=True), ("sensor", "'stop'")),
    (lambda m, r, b, h: m.box(r, (0, 0, 0), (1, -1, 1)), ("box", "edges of a box must be positive")),
    (lambda m, r, b, h: m.sphere(r, (0, 0, 0), radus=1.0), ("sphere", "no argument 'radus'", "did you mean 'radius'?")),
    (lambda m, r, b, h: m.contact(r, b, stiffness=1e5), ("PART/2 'rod'", "no shape", "model.sphere(part, ...)")),
    (lambda m, r, b, h: m.mass_from_shapes(r, 7850), ("PART/2 'rod'", "no solid shape", "model.box(part, at, size)")),
]


@pytest.mark.parametrize("typed, words", MISTAKES, ids=[w[0] + ": " + w[1] for _, w in MISTAKES])
def test_each_mistake_is_one_sentence(typed, words):
    m, rod, block, hinge = machine()
    before = m.to_json()
    with pytest.raises(ModelError) as caught:
        typed(m, rod, block, hinge)
    text = str(caught.value)
    assert all(w in text for w in words), text
    assert "\n" not in text and len(text) < 320
    assert m.to_json() == before, "a call that is refused leaves the model as it was"
    assert caught.value.__cause__ is None


def test_contact_arguments_that_slip():
    m, rod, block, _ = machine()
    m.sphere(rod, (0, 0, 0), 0.1)
    m.sphere(block, (1, 0, 0), 0.1)
    with pytest.raises(
        ModelError, match="contact 'c': the law IMPACT has no parameter 'stifness', .* did you mean 'stiffness'"
    ):
        m.contact(rod, block, name="c", stifness=1e5)
    assert m.contact(rod, block, "HUNT_CROSSLEY", stiffness=1e5, exponent=1.5, minimum_impact_speed=0.3)


def test_unions_of_builder_calls_stay_whole_after_an_error():
    """The call after one that failed is answered under its own name."""
    m, rod, block, _ = machine()
    for _ in range(2):
        with pytest.raises(ModelError, match="^fixed 'weld': "):
            m.fixed(rod, block, "weld")


# ---- what the builder offers ---------------------------------------------------------------------------------------
def test_mass_of_shapes_against_closed_forms():
    m = hn.Model()
    bar = m.part("bar", shape=hn.shapes.box((1, 2, 3), (1.0, 0.1, 0.2)), density=7850.0)
    assert bar.mass == pytest.approx(157.0, rel=1e-13) and bar.qg == pytest.approx((1, 2, 3), abs=1e-14)
    a, b, c = 1.0, 0.1, 0.2
    assert bar.ip[:3] == pytest.approx(
        [157 / 12 * (b * b + c * c), 157 / 12 * (a * a + c * c), 157 / 12 * (a * a + b * b)], rel=1e-12
    )
    assert m.find("MARKER", bar.cm).qp == (0.0, 0.0, 0.0)
    ends = [hn.shapes.sphere((x, 0, 0), 0.1) for x in (0.0, 1.0)]
    bell = m.part("bell", shape=[*ends, hn.shapes.cylinder((0.1, 0, 0), (0.9, 0, 0), 0.02)], density=1000.0)
    ball, rod = 1000 * 4 / 3 * np.pi * 0.1**3, 1000 * np.pi * 0.02**2 * 0.8
    assert bell.mass == pytest.approx(2 * ball + rod, rel=1e-12) and bell.qg == pytest.approx((0.5, 0, 0), abs=1e-12)
    assert bell.ip[0] == pytest.approx(2 * 0.4 * ball * 0.01 + 0.5 * rod * 0.02**2, rel=1e-12)
    assert bell.ip[1] == pytest.approx(2 * ball * (0.004 + 0.25) + rod * (0.02**2 / 4 + 0.8**2 / 12), rel=1e-12)


def test_mass_of_a_mesh_and_of_shapes_drawn_later():
    corners = np.array([(x, y, z) for x in (0, 2) for y in (0, 1) for z in (0, 1)], float)
    m = hn.Model()
    hull = m.part("hull", shape=hn.shapes.hull(corners), density=3.0)
    assert hull.mass == pytest.approx(6.0) and hull.qg == pytest.approx((1, 0.5, 0.5))
    later = m.part("later", 1.0)
    m.box(later, (0, 0, 1), (2, 1, 1))
    m.mass_from_shapes(later, 3.0)
    assert (
        later.mass == pytest.approx(6.0)
        and later.qg == (0, 0, 0)
        and m.find("MARKER", later.cm).qp == pytest.approx((0, 0, 1))
    )
    assert later.ip[:3] == pytest.approx(hull.ip[:3])


def test_a_part_whose_shape_has_no_mass_leaves_nothing_behind():
    m = hn.Model()
    with pytest.raises(ModelError, match="part 'p': .*half-space|part 'p'|no mass"):
        m.part(
            "p",
            shape=[hn.shapes.box((0, 0, 0), 1.0), hn.shapes.cylinder((0, 0, 0), (0, 0, 1), 0.1, inside=True)],
            density=1.0,
        )
    assert len(m.parts) == 1 and not m.table("GRAPHICS") and not m.table("MARKER")


def test_a_turned_bar_swings_as_a_physical_pendulum_does():
    """Period of small swings of a bar about its end: 2 pi sqrt(I / (m g d)), I = m (L^2 + h^2) / 12 + m L^2 / 4."""
    m = hn.Model()
    m.gravity = (0, 0, -9.80665)
    d = np.array([np.sin(0.01), 0, -np.cos(0.01)])
    bar = m.part("bar", shape=hn.shapes.box(0.5 * d, (1.0, 0.05, 0.05), x=d, z=(0, 1, 0)), density=7850.0)
    m.revolute(bar, m.ground, "pivot", at=(0, 0, 0), axis=(0, 1, 0))
    inertia = (1 + 0.05**2) / 12 + 0.25
    period = 2 * np.pi * np.sqrt(inertia / (9.80665 * 0.5)) * (1 + 0.01**2 / 16)
    run = hn.simulate(m, period, 8, error=1e-10)
    angle = run.joint("pivot").angle.values
    assert angle[-1] - angle[0] == pytest.approx(0.0, abs=2e-9) and np.ptp(angle) == pytest.approx(0.02, rel=1e-4)


def test_springs_as_drawn():
    m, rod, block, _ = machine()
    spring = m.spring_damper(
        m.marker_at(rod, (0, 0.3, 0)), m.marker_at(block, (0.4, 0, 0)), stiffness=10.0, length="drawn"
    )
    assert spring.length == pytest.approx(0.5, rel=1e-14)
    i, j = m.marker(rod, z=(0, 0, 1), x=(np.cos(0.3), np.sin(0.3), 0)), m.marker(m.ground)
    assert m.torsion_spring(i, j, stiffness=1.0, angle="drawn").angle == pytest.approx(0.3, rel=1e-14)


def test_markers_and_bodies_mix():
    m, rod, block, hinge = machine()
    eye = m.marker_at(block, (1, 2, 3), z=(1, 0, 0))
    joint = m.cylindrical(rod, eye, "mixed")
    other = m.find("MARKER", joint.i)
    assert (
        other.part == rod.id and other.qp == pytest.approx((1, 2, 3)) and other.axes[:, 2] == pytest.approx((1, 0, 0))
    )
    assert f"DX({eye},{hinge.i})" == f"DX({eye.id},{hinge.i})"


def test_a_universal_joint_between_bodies_is_assembled_as_drawn():
    m = hn.Model()
    shaft = m.part("shaft", 1.0, (1, 1, 1), (0, 0, 0.5))
    m.universal(shaft, m.ground, "cross", at=(0, 0, 0), axis=(1, 0, 0), x=(0, 1, 0))
    found = hn.check(m)
    assert found.ok and found.degrees_of_freedom == 2 and max(found.moved) < 1e-15


def test_a_model_that_is_drawn_open_says_by_how_much_and_what_moved():
    m, rod, block, _ = machine()
    m.revolute(m.marker_at(rod, (0.5, 0, 0)), m.marker_at(block, (0.5, 0.3, 0)), "pin")
    found = hn.check(m)
    assert "the model was drawn open: JOINT/2 'pin' by 0.3 m; the assembly moved PART/3 'block' by" in found.opened
    assert found.opened in str(found)
    run = hn.simulate(m, 0.01, 2)
    assert found.opened in run.info["messages"]
    m, rod, block, _ = machine()
    m.revolute(rod, block, "pin", at=(0.5, 0, 0), axis=(0, 0, 1))
    assert not hn.check(m).opened


def test_an_overlap_at_the_start_says_the_energy_that_it_holds():
    """IMPACT with exponent 1.5: k d^2.5 / 2.5."""
    m = hn.Model(units="mm")
    ball = m.part("ball", 1.0, (40, 40, 40), (0, 0, 8))
    m.sphere(ball, (0, 0, 8), 10.0)
    m.plane(m.ground, (0, 0, 0), (0, 0, 1))
    m.contact(ball, m.ground, stiffness=1e4)
    found = hn.check(m)
    assert any(
        "overlap at the start: ball and ground" in w and f"begin with {1e4 * 2**2.5 / 2.5:.4g} N*mm" in w
        for w in found.warnings
    ), found


def test_a_density_of_metres_in_a_model_of_millimetres_is_told():
    m = hn.Model(units="mm")
    m.part("bar", shape=hn.shapes.box((0, 0, 0), (100, 10, 10)), density=7850.0)
    (text,) = hn.check(m).warnings[:1]
    assert (
        text == "PART/2 'bar': the density 7850 kg/mm^3 (7.85e+12 kg/m^3) is that of no solid; steel has 7.85e-06 "
        "kg/mm^3"
    )
    steel = hn.Model(units="mm").part("bar", shape=hn.shapes.box((0, 0, 0), (100, 10, 10)), density=7.85e-6)
    assert steel.mass == pytest.approx(0.0785)
    m = hn.Model()
    m.part("bar", shape=hn.shapes.box((0, 0, 0), 1.0), density=7.85e-6)
    assert "steel has 7850 kg/m^3" in m.warnings[0]
    fine = hn.Model()
    fine.part("foam", shape=hn.shapes.box((0, 0, 0), 1.0), density=20.0)
    assert not fine.warnings
