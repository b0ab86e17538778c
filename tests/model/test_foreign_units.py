"""Numbers in other units than those of the model: degrees in functions and robot files, millimetres in metres."""

import warnings

import pytest

import holonom as hn
from holonom.analyses.checks.degrees import prescribed_in_degrees
from holonom.model.validate import doubts


def pendulum(inertia=(0.01, 0.1, 0.1), position=(0.5, 0.0, 0.0), **joint):
    m = hn.Model("m")
    m.gravity = (0, 0, -9.81)
    a = m.part("a", 2.0, inertia, position)
    return m, m.revolute(a, m.ground, "pin", at=(0, 0, 0), axis=(0, 1, 0), **joint)


def said(m, text):
    return [line for line in (*m.warnings, *doubts(m), *prescribed_in_degrees(m)) if text in line]


@pytest.mark.parametrize(
    "function",
    ["STEP(TIME,0,0,1,90)", "90*SIN(2*PI*TIME)", "-45*COS(TIME)/1", "IF(TIME-1: 0, 0, 180)", "SHF(TIME,0,30,1,0,0)"],
)
def test_degrees_as_amplitude_of_a_motion(function):
    m, pin = pendulum()
    m.motion(pin, function)
    (text,) = said(m, "if it is in degrees")
    assert "the amplitude of its function is" in text


@pytest.mark.parametrize(
    "function",
    [
        "STEP(TIME,0,0,1,90D)",
        "90*DTOR*SIN(TIME)",
        "STEP(TIME,0,0,1,90)*DTOR",
        "90*TIME",
        "STEP(TIME,0,0,1,4*PI)",
        "SIN(90*TIME)",
    ],
)
def test_amplitudes_in_radians(function):
    m, pin = pendulum()
    m.motion(pin, function)
    assert not said(m, "degrees")


def test_only_angles_are_taken_for_degrees():
    m, pin = pendulum()
    m.motion(pin, "STEP(TIME,0,0,1,90)", level="VELOCITY")
    assert not said(m, "degrees")
    m = hn.Model("m")
    a = m.part("a", 2.0, (1, 1, 1), (0.5, 0, 0))
    m.motion(m.translational(a, m.ground, at=(0, 0, 0), axis=(1, 0, 0)), "STEP(TIME,0,0,1,90)")
    assert not said(m, "degrees")


def test_a_constant_in_degrees_is_reported_once():
    m, pin = pendulum()
    m.motion(pin, 90)
    assert len(set(said(m, "if it is in degrees"))) == 1


def test_radius_of_friction_larger_than_the_model():
    (text,) = said(pendulum(friction=dict(mu_static=0.2, pin_radius=20))[0], "pin_radius is 20 m")
    assert "if it is in mm, give 0.02" in text
    assert not said(pendulum(friction=dict(mu_static=0.2, pin_radius=0.02))[0], "pin_radius")


def test_radius_of_gyration_larger_than_the_model():
    assert said(pendulum(inertia=(1000, 167000, 167000))[0], "radius of gyration is 289 m")

    assert not said(pendulum()[0], "gyration")


def test_markers_far_from_their_part():
    (text,) = said(pendulum(position=(500, 0, 0))[0], "500 m from its centre of mass")
    assert "multiply them by 0.001" in text
    assert not said(pendulum(position=(60, 0, 0))[0], "centre of mass")  # Foucault's pendulum


def test_negative_free_length_is_refused():
    m, _ = pendulum()
    with pytest.raises(hn.ModelError, match="length is -1: the free length of a spring is a distance"):
        m.spring_damper(m.parts["a"].cm, m.marker_at(m.ground, (0, 0, 1)), stiffness=1.0, length=-1.0)


@pytest.mark.parametrize(("length", "said"), [(50.0, True), (2.0, False), (0.0, False)])
def test_free_length_in_other_units(length, said):
    m, _ = pendulum()
    ends = m.parts["a"].cm, m.marker_at(m.ground, (0, 0, 1))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        m.spring_damper(*ends, stiffness=1.0, length=length)
        hn.check(m)
    assert any(f"its free length is {length:g} m, and its markers are" in str(w.message) for w in caught) is said


ROBOT = """<robot name="r"><link name="base"/><link name="arm"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="sh" type="continuous"><parent link="base"/><child link="arm"/><origin xyz="0 0 1" rpy="0 {} 0"/>
<axis xyz="0 1 0"/></joint></robot>"""
POSE = """<sdf version="1.9"><model name="r"><link name="arm"><pose{}>0 0 1 0 90 0</pose><inertial><mass>1</mass>
</inertial></link></model></sdf>"""


@pytest.mark.parametrize("angle, count", [("90", 1), ("1.5708", 0), ("6.2832", 0)])
def test_rpy_in_degrees(tmp_path, angle, count):
    path = tmp_path / "a.urdf"
    path.write_text(ROBOT.format(angle))
    assert len(said(hn.read_urdf(path), "an angle is 90 radians")) == count


@pytest.mark.parametrize("flag, count", [("", 1), (' degrees="true"', 0)])
def test_pose_in_degrees(tmp_path, flag, count):
    path = tmp_path / "a.sdf"
    path.write_text(POSE.format(flag))
    assert len(said(hn.read_sdf(path), "an angle is 90 radians")) == count


def test_check_reports_them():
    m, pin = pendulum()
    m.motion(pin, "90*SIN(TIME)")
    with pytest.warns(hn.ModelWarning):
        answer = hn.check(m, assemble=False)
    assert any("the amplitude of its function is 90 radians" in text for text in answer.warnings)
