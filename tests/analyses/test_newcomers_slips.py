"""What a newcomer writes and no program should pass over in silence: free lengths left out, gravity of other units,
point masses that should swing, sensors that hold from the start on, outputs without a value, friction exchanged."""

import math
import warnings

import numpy as np
import pytest

import holonom as hn
from holonom.formats import parse_adm, parse_cmd, write_adm

HEAD = """slips
UNITS/FORCE=NEWTON, MASS=KILOGRAM, LENGTH=METER, TIME=SECOND
PART/1, GROUND
MARKER/10, PART=1
PART/2, MASS=2, CM=20, IP=1,1,1, QG=0.3,0,0.4
MARKER/20, PART=2
"""
VIEW = """model create model_name = m
defaults units length = mm angle = deg force = newton mass = kg time = sec
part create rigid_body name_and_position part_name = .m.ground ground_part = yes
marker create marker_name = .m.ground.g location = 0, 0, 0
part create rigid_body name_and_position part_name = .m.A location = 300, 0, 400
marker create marker_name = .m.A.a location = 300, 0, 400 orientation = {turn}d, 0d, 0d
part create rigid_body mass_properties part_name = .m.A mass = 1 center_of_mass_marker = .m.A.a ixx = 1 iyy = 1 izz = 1
force create element_like {kind}_spring_damper spring_damper_name = .m.s i_marker_name = .m.A.a j_marker_name = .m.ground.g stiffness = 2{more}
"""  # noqa: E501


def told(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = call()
    return result, [str(w.message) for w in caught]


# ---- free lengths ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("more, length", [("", 500.0), (" displacement_at_preload = 0", 0.0), (" preload = 5", 500.0)])
def test_a_spring_of_view_has_its_length_as_drawn(more, length):
    m, _ = told(lambda: parse_cmd(VIEW.format(kind="translational", turn=0, more=more), "t.cmd"))
    assert m.find("SPRINGDAMPER", "s").length == pytest.approx(length, abs=1e-9)


@pytest.mark.parametrize(
    "turn, more, angle", [(0, "", 0.0), (30, "", 30.0), (30, " displacement_at_preload = 10", 10.0)]
)
def test_a_torsion_spring_of_view_has_its_angle_as_drawn(turn, more, angle):
    m, texts = told(lambda: parse_cmd(VIEW.format(kind="rotational", turn=turn, more=more), "t.cmd"))
    assert math.degrees(m.find("SPRINGDAMPER", "s").angle) == pytest.approx(angle, abs=1e-9)
    assert any("as drawn, 30 degrees" in t for t in texts) == (angle == 30.0)


@pytest.mark.parametrize(
    "arguments, warned",
    [
        ("TRANSLATIONAL, K=100", True),
        ("TRANSLATIONAL, K=100, LENGTH=0", False),
        ("TRANSLATIONAL, K=100, FORCE=9", False),
        ("TRANSLATIONAL, C=100", False),
        ("ROTATIONAL, KT=100", False),
    ],
)
def test_a_length_left_out_of_a_dataset_is_a_warning_that_rewriting_does_not_lose(arguments, warned):
    text = HEAD + f"SPRINGDAMPER/1, I=20, J=10, {arguments}\nEND\n"
    m, texts = told(lambda: parse_adm(text, "t.adm"))
    assert any("0.5 apart as drawn: it starts with a pull of 50; give LENGTH = 0.5" in t for t in texts) == warned
    again, texts = told(lambda: parse_adm(write_adm(m), "t.adm"))
    assert again.find("SPRINGDAMPER", 1).length == 0.0 and not any("left out" in t for t in texts)


# ---- gravity and friction --------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "units, gravity, warned",
    [
        ("SI", 9.80665, False),
        ("SI", 9806.65, True),
        ("SI", 386.09, True),
        ("SI", 1.62, False),
        ("MMKS", 9806.65, False),
        ("MMKS", 9.81, True),
        ("MMKS", 980.7, True),
        ("MMKS", 1620.0, False),
    ],
)
def test_gravity_of_other_units(units, gravity, warned):
    m = hn.Model(units=units)
    m.gravity = (0, -gravity, 0)
    assert any("ACCGRAV" in t and "on Earth it is" in t for t in hn.check(m).warnings) == warned


@pytest.mark.parametrize(
    "words, says",
    [
        ({"mu_static": 0.1, "mu_dynamic": 0.3}, "dynamic coefficient of friction 0.3 exceeds the static one 0.1"),
        ({"mu_static": 30.0, "mu_dynamic": 0.3}, "a coefficient of friction of 30 is implausible"),
        ({"mu_static": 0.3, "mu_dynamic": 0.3}, ""),
    ],
)
def test_unusual_friction_of_joints_is_warned_of_as_that_of_contacts(words, says):
    m = hn.Model()
    p = m.part("p", 1.0, (1, 1, 1))
    _, texts = told(lambda: m.friction(m.revolute(p, m.ground, at=(0, 0, 0), axis=(0, 0, 1)), pin_radius=0.01, **words))
    assert any(says in t for t in texts) if says else not texts


# ---- point masses ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "kind, at, says",
    [
        ("revolute", (0, 0, 0), "'bob' lies 1 m from it and cannot swing"),
        ("revolute", (1, 0, 5), ""),
        ("cylindrical", (0, 0, 0), "cannot swing"),
        ("spherical", (0, 0, 0), "'bob' lies 1 m from it and cannot swing"),
        ("spherical", (1, 0, 0), ""),
        ("universal", (0, 0, 0), "cannot swing"),
        ("translational", (0, 0, 0), ""),
        ("fixed", (0, 0, 0), ""),
    ],
)
@pytest.mark.parametrize("exchanged", [False, True])
def test_a_point_mass_that_should_swing_is_warned_of(kind, at, says, exchanged):
    m = hn.Model()
    ends = [m.point_mass("bob", 1.0, (1, 0, 0)), m.ground]
    axis = {} if kind in ("spherical", "fixed") else {"axis": (0, 0, 1)}
    getattr(m, kind)(*(ends[::-1] if exchanged else ends), at=at, **axis)
    texts = [t for t in hn.check(m).warnings if "point mass" in t]
    assert len(texts) == bool(says) and all(says in t for t in texts)


@pytest.mark.parametrize(
    "kind, says", [("fixed", "keeps PART/2 'link' from"), ("revolute", "the z axis of PART/2"), ("spherical", "")]
)
def test_a_point_mass_that_keeps_a_part_from_turning_is_warned_of(kind, says):
    m = hn.Model()
    link = m.part("link", 1.0, (1, 1, 1))
    m.spherical(link, m.ground, at=(-1, 0, 0))
    bob = m.point_mass("bob", 1.0, (1, 0, 0))
    getattr(m, kind)(bob, link, at=(1, 0, 0), **({"axis": (0, 0, 1)} if kind == "revolute" else {}))
    texts = [t for t in hn.check(m).warnings if "point mass" in t]
    assert len(texts) == bool(says) and all(says in t for t in texts)


# ---- sensors and outputs: one model for all --------------------------------------------------------------------------
def falling():
    m = hn.Model()
    m.gravity = (0, 0, -10.0)
    return m, m.part("p", 1.0, (1, 1, 1))


@pytest.mark.parametrize(
    "comparison, value, says",
    [
        ("GE", -0.5, "GE -0.5, holds at time 0 already, where its function is 0: .*give LE where"),
        ("LE", 0.5, "LE 0.5, holds at time 0 already.*give GE where"),
        ("EQ", 0.0, "EQ 0, holds at time 0 already"),
        ("LE", -0.5, ""),
    ],
)
@pytest.mark.parametrize("kind", ["dynamics", "kinematics"])
def test_a_sensor_that_holds_from_the_start_on_is_warned_of(comparison, value, says, kind):
    m, p = falling()
    if kind == "kinematics":
        m.motion(m.translational(p, m.ground, at=(0, 0, 0), axis=(0, 0, 1)), "-TIME")
    m.sensor(f"DZ({p.cm})", value, comparison, halt=True, name="s")
    text = "" if not says else says
    if text:
        with pytest.warns(hn.ModelWarning, match=text):
            hn.simulate(m, end=0.4, steps=2, kind=kind)
    else:
        assert not [t for t in told(lambda: hn.simulate(m, end=0.4, steps=2, kind=kind))[1] if "holds at" in t]


def test_a_sensor_that_has_fired_waits_in_silence():
    m, p = falling()
    m.sensor(f"DZ({p.cm})", -0.2, "LE", returns=True, name="s")
    sim = hn.Simulation(m)
    sim.dynamics(end=0.4, steps=2)
    assert sim.time == pytest.approx(0.2, abs=1e-3)
    _, texts = told(lambda: sim.dynamics(end=0.4, steps=2))
    assert not [t for t in texts if "holds at" in t]


@pytest.mark.parametrize("function", ["SQRT(0.15-TIME)", "1/(TIME-0.2)", "LOG(TIME-0.15)"])
def test_an_output_without_a_value_is_a_warning_with_its_first_time(function):
    m, p = falling()
    m.variable(function, name="v")
    m.variable("TIME", name="sound")
    m.request("r", functions=["TIME", function])
    run, _ = told(lambda: hn.simulate(m, end=0.4, steps=4))
    values = run.variable("v").values
    first = run.time[np.flatnonzero(~np.isfinite(values))[0]]
    count = int((~np.isfinite(values)).sum())
    found = [t for t in run.info["warnings"] if "has no finite value in" in t]
    assert len(found) == 2 and "'v': its function is" in found[0] and "'r': F" in found[1]
    for text in found:
        assert f"at time {first:.6g} first" in text and f"in {count} row" in text


def test_a_variable_that_is_switched_off_is_not_one_without_a_value():
    m, _ = falling()
    v = m.variable("TIME", name="v")
    sim = hn.Simulation(m)
    sim.dynamics(end=0.1, steps=1)
    sim.deactivate(v)
    sim.dynamics(end=0.2, steps=1)
    assert not [t for t in sim.run().info["warnings"] if "finite" in t]
