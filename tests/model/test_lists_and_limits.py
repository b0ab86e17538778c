"""Parts as lists, initial angles, limits and friction of joints, gears by their ratio, what a part says of itself."""

import math

import numpy as np
import pytest

import holonom as hn


def disc(gravity=(0, 0, 0), **more):
    """A disc of 1 kg m^2 on a hinge about z."""
    m = hn.Model("disc", units="SI")
    m.gravity = gravity
    part = m.part("disc", 1.0, (1.0, 1.0, 1.0), (0, 0, 0), angular_velocity=more.pop("spin", None))
    return m, m.revolute(part, m.ground, "hinge", at=(0, 0, 0), axis=(0, 0, 1), **more)


def test_iteration_gives_elements():
    m, hinge = disc()
    assert [p.name for p in m.parts] == ["ground", "disc"] and list(m.joints) == [hinge]
    assert m.parts["DISC"] is m.parts[2] is m.parts.get("disc") and m.parts.get("none") is None
    assert "disc" in m.parts and 2 in m.parts and hinge in m.joints and "none" not in m.parts and 9 not in m.parts
    assert list(m.parts.keys()) == [1, 2] and dict(m.parts.items())[2].name == "disc" and len(m.parts) == 2
    assert repr(m.parts) == "<2 PART: 'ground', 'disc'>"
    with pytest.raises(hn.ModelError, match="did you mean 'disc'"):
        m.parts["disk"]
    with pytest.raises(hn.ModelError, match="read-only"):
        m.parts[3] = m.ground
    assert m.find("part", "Disc") is m.parts["disc"]


def test_a_part_says_what_it_is():
    m = hn.Model("m", units="SI")
    p = m.part("p", 2.0, (3.0, 4.0, 5.0, 0.1, 0.2, 0.3), (1.0, 2.0, 3.0), velocity=(1.0, 0.0, 0.0))
    assert p.position == (1.0, 2.0, 3.0) and p.velocity == (1.0, 0.0, 0.0) and p.angular_velocity == (None,) * 3
    expected = np.array([[3.0, -0.1, -0.2], [-0.1, 4.0, -0.3], [-0.2, -0.3, 5.0]])
    assert np.array_equal(p.inertia, expected)
    assert np.array_equal(m.part("q", 2.0, p.inertia).inertia, expected)  # what is read can be given


def test_initial_angle_and_results_by_name():
    m, hinge = disc(angle=0.5)
    run = hn.simulate(m, end=0.1, steps=1, progress=False)
    assert run["hinge"].angle.values == pytest.approx([0.5, 0.5])
    assert run[hinge].name == "hinge" and run["JOINT/1"].name == "hinge" and run["disc"].position.shape == (2, 3)
    assert run["hinge.angle"].values == pytest.approx([0.5, 0.5]) and run["ground"].name == "ground"
    with pytest.raises(hn.ModelError, match="did you mean 'hinge'"):
        run["hinges"]
    with pytest.raises(hn.ModelError, match="does not name a result"):
        run[3]


def test_a_name_of_several_elements_is_refused():
    m, _ = disc()
    m.revolute(m.part("other", 1.0, (1, 1, 1), (0, 0, 0)), m.ground, "disc", at=(0, 0, 0), axis=(0, 0, 1))
    run = hn.simulate(m, end=0.1, steps=1, progress=False)
    with pytest.raises(hn.ModelError, match="'PART/2' or 'JOINT/2'"):
        run["disc"]


def test_rigid_and_soft_stops():
    """Turning at 1 rad/s it meets a stop at 0.2 rad: a rigid one keeps it there, a soft one of 10^4 N m/rad gives way
    by w sqrt(J/k) = 0.01 rad and returns it with the same speed (closed form of a free oscillation)."""
    m, _ = disc(spin=(0, 0, 1.0), upper=0.2)
    run = hn.simulate(m, end=0.5, steps=50, progress=False)
    assert run["hinge"].angle.values[-1] == pytest.approx(0.2, abs=1e-6)
    m, _ = disc(spin=(0, 0, 1.0), upper=0.2, stop_stiffness=1e4)
    run = hn.simulate(m, end=0.4, steps=400, progress=False, error=1e-8)
    assert run["hinge"].angle.values.max() == pytest.approx(0.21, abs=5e-5)  # less while it begins to slide
    assert run["hinge"].angular_velocity.values[-1] == pytest.approx(-1.0, abs=1e-4)
    m, _ = disc(spin=(0, 0, -1.0), lower=-0.2, stop_stiffness=1e4)
    run = hn.simulate(m, end=0.4, steps=400, progress=False, error=1e-8)
    assert run["hinge"].angle.values.min() == pytest.approx(-0.21, abs=5e-5)  # less while it begins to slide


@pytest.mark.parametrize("soft", [{}, {"stop_stiffness": 1e4}])
def test_stops_beyond_half_a_turn(soft):
    """Angles count over whole turns: from 0 at 2 rad/s to a stop at 4 rad."""
    m, _ = disc(spin=(0, 0, 2.0), upper=4.0, **soft)
    reach = hn.simulate(m, end=2.5, steps=250, progress=False)["hinge"].angle.values.max()
    assert reach == pytest.approx(4.0 + (0.02 if soft else 0.0), abs=3e-3)  # rows 0.01 s apart: 0.0025 of the way


def test_soft_stops_of_a_slider():
    """A mass of 1 kg at 1 m/s meets 10^4 N/m at 0.1 m: 0.01 m further it turns back."""
    m = hn.Model("slider", units="SI")
    p = m.part("p", 1.0, (1, 1, 1), (0, 0, 0), velocity=(1.0, 0, 0))
    m.translational(p, m.ground, "guide", at=(0, 0, 0), axis=(1, 0, 0), upper=0.1, stop_stiffness=1e4)
    run = hn.simulate(m, end=0.2, steps=200, progress=False, error=1e-8)
    assert run["guide"].travel.values.max() == pytest.approx(0.11, abs=5e-5)  # less while it begins to slide


def test_friction_of_a_joint():
    m, hinge = disc(friction={"mu_static": 0.2, "mu_dynamic": 0.1, "pin_radius": 0.01})
    (made,) = m.table("FRICTION").values()
    assert (made.joint, made.mu_static, made.mu_dynamic, made.pin_radius) == (hinge.id, 0.2, 0.1, 0.01)
    m = hn.Model()
    part = m.part("slider", 1.0, (1, 1, 1))
    m.translational(part, m.ground, at=(0, 0, 0), axis=(1, 0, 0), friction=(0.2, 0.1))
    (made,) = m.table("FRICTION").values()
    assert (made.mu_static, made.mu_dynamic) == (0.2, 0.1)


@pytest.mark.parametrize(
    "arguments, words",
    [
        ({"stop_stiffness": 1.0}, "belong to stops; give lower= or upper="),
        ({"lower": 1.0, "upper": 0.5}, "must lie below"),
        ({"lower": 1.0, "upper": 0.5, "stop_stiffness": 1.0}, "not below upper"),
        ({"upper": 0.5, "stop_stiffness": -1.0}, "give a positive stiffness"),
        ({"angle": 0.5, "icrot": (0.5,)}, "give angle alone"),
    ],
)
def test_limits_that_cannot_be(arguments, words):
    with pytest.raises(hn.ModelError, match=words):
        disc(**arguments)


def test_gear_by_ratio():
    """Speeds of 1 and -0.5 rad/s fit a ratio of -2 and stay."""
    m, one = disc()
    other = m.part("other", 1.0, (1, 1, 1), (3.0, 0, 0), angular_velocity=(0, 0, -0.5))
    m.parts["disc"].wz = 1.0
    two = m.revolute(other, m.ground, "two", at=(3.0, 0, 0), axis=(0, 0, 1))
    m.gear(one, two, ratio=-2.0)
    run = hn.simulate(m, end=1.0, steps=2, progress=False)
    assert run["hinge"].angle.values[-1] == pytest.approx(1.0) and run["two"].angle.values[-1] == pytest.approx(-0.5)
    with pytest.raises(hn.ModelError, match="give cv= or ratio="):
        m.gear(one, two)
    with pytest.raises(hn.ModelError, match="ratio is 0"):
        m.gear(one, two, ratio=0.0)


def test_an_unknown_option_comes_first():
    m, _ = disc()
    with pytest.raises(hn.ModelError, match="unknown option 'tend' of a simulation; did you mean end"):
        hn.simulate(m, tend=5.0)


@pytest.mark.parametrize("units, metre", [("SI", 1.0), ("mm", 1000.0)])
def test_friction_of_a_joint_does_not_depend_on_the_units(units, metre):
    """A block of 1 kg on a rail with mu = 0.3 sticks below mu m g = 2.942 N and follows Coulomb's law above:
    x = (F - mu m g) t^2 / 2 m."""
    found = {}
    for force in (2.9, 5.0):
        m = hn.Model("block", units=units)
        m.gravity = (0, 0, -9.80665 * metre)
        block = m.part("block", 1.0, (metre**2,) * 3)
        m.translational(block, m.ground, "rail", at=(0, 0, 0), axis=(1, 0, 0), friction=0.3)
        m.sforce(m.marker_at(block, (0, 0, 0)), m.marker_at(m.ground, (-metre, 0, 0)), force)
        found[force] = float(hn.simulate(m, end="1 s", steps=4).part("block").position[-1, 0]) / metre
    assert abs(found[2.9]) < 2e-5
    assert found[5.0] == pytest.approx(0.5 * (5.0 - 0.3 * 9.80665), abs=5e-5)  # less while it begins to slide


def test_slips_that_gave_another_answer_are_refused():
    m = hn.Model("m")
    p = m.part("p", 1, (1, 1, 1))
    for text in ("2 Hz", "60 min^-1"):
        with pytest.raises(hn.ModelError, match="give rpm, rev/s or rad/s"):
            m.part("q", 1, (1, 1, 1), angular_velocity=(0, 0, text))
    with pytest.raises(hn.ModelError, match=r"there is no unit 'kNm'; write kN\*m"):
        m.torsion_spring(m.marker(p), m.marker(m.ground), stiffness="10 kNm/rad")
    one, two = (m.revolute(p, m.ground, at=(x, 0, 0), axis=(0, 0, 1)) for x in (0, 1))
    with pytest.raises(hn.ModelError, match="or ratio=1"):
        m.gear(one, two, 1)
    with pytest.raises(hn.ModelError, match="position cannot be set; set qg"):
        p.position = (1, 2, 3)
    with pytest.raises(hn.ModelError, match="set it afterwards, as model.gravity"):
        hn.Model("x", gravity=(0, 0, -9.8))
    with pytest.raises(hn.ModelError, match="did you mean 'units'"):
        hn.Model("x", unit="mm")
    with pytest.raises(hn.ModelError, match="end is 'soon'; give a number"):
        hn.simulate(m, end="soon")
    m.units = "mm"
    assert m.units == hn.Units.named("mm")


def test_a_part_in_a_function_is_its_centre_of_mass():
    m = hn.Model("m")
    m.gravity = (0, 0, -9.81)
    m.part("first", 1, (1, 1, 1))
    rod = m.part("rod", 1, (1, 1, 1), position=(0, 0, 2))
    m.request("height", functions=[f"DZ({rod})"])
    run = hn.simulate(m, end=0.5, steps=5)
    assert float(run["height"].values[-1, 1]) == pytest.approx(2 - 0.5 * 9.81 * 0.25, abs=1e-9)
    with pytest.raises(hn.ModelError, match="give a marker of it"):
        f"DZ({rod},{m.ground})"


def test_sentences_for_newcomers():
    m = hn.Model("door")
    p = m.part("leaf", 1, (1, 1, 1))
    at = {"at": (0, 0, 0), "axis": (0, 0, 1)}
    for words, text in (
        ({"friction": 0.3}, "needs pin_radius; give it, as friction=dict"),
        ({"friction": (0.1, 0.2, 0.3)}, "give a coefficient, or"),
        ({"upper": 0.5, "stop_damping": 100}, "give stop_stiffness="),
        ({"angle": "200 deg"}, "within half a turn, give -2.79253"),
        ({"limits": (0, 1)}, "choose from .*angle, lower, upper, stop_stiffness"),
    ):
        with pytest.raises(hn.ModelError, match=text):
            m.revolute(p, m.ground, **at, **words)
    hinge = m.revolute(p, m.ground, "hinge", **at, friction={"mu_static": 0.1, "pin_radius": 0.01})
    (friction,) = m.table("FRICTION").values()
    assert (friction.mu_static, friction.mu_dynamic) == (0.1, 0.1)
    m.stop(hinge, lower="-90 deg", upper=0.1)
    assert f"({-math.pi / 2!r})" in str(list(m.table("SWITCH").values()))
    assert repr(m) == "<Model 'door': 2 parts, 1 joint, 2 motions, 3 markers; m, kg, s>"
    for name, text in (("bodies", "write model.parts"), ("hinge", "write model.revolute"), ("revolut", "'revolute'")):
        with pytest.raises(AttributeError, match=text):
            getattr(m, name)
    with pytest.raises(hn.ModelError, match="read the file first, as holonom.read_adams"):
        hn.simulate("pendulum.adm", end=1)
    with pytest.warns(hn.ModelWarning, match="both of its markers belong to PART/2 'leaf'"):
        m.spring_damper(m.marker(p, (0, 0, 0)), m.marker(p, (1, 0, 0)), stiffness=10.0)
        hn.check(m)
