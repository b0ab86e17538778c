"""What is given twice, in the wrong order or in the wrong form is reported where it is given."""

import numpy as np
import pytest

import holonom as hn


def _disc(**limits):
    m = hn.Model("m")
    p = m.part("p", 2.0, (0.1, 0.15, 0.2), (0, 0, 0))
    return m, m.revolute(p, m.ground, "t", at=(0, 0, 0), axis=(0, 0, 1), **limits)


def test_a_motion_on_a_joint_with_rigid_stops_names_the_stops():
    m, joint = _disc(lower=-0.5, upper=0.5)
    m.motion(joint, "TIME")
    with pytest.raises(hn.ModelError, match=r"as SWITCH/1 't\.stop' does.*stop_stiffness"):
        hn.simulate(m, end=1)


def test_end_and_duration_are_one_too_many():
    with pytest.raises(hn.ModelError, match=r"end = 1 and duration = 0\.5"):
        hn.simulate(_disc()[0], end=1, duration=0.5)


def test_a_pattern_without_colons():
    with pytest.raises(hn.ModelError, match="as in T:F:F"):
        hn.simulate(_disc()[0], end=1, integrator="GSTIFF", pattern="TFX")


def test_a_routine_that_takes_its_call_for_the_time():
    m, joint = _disc()
    m.sforce(joint.i, joint.j, lambda t: 5 * np.sin(t), kind="ROTATIONAL")
    with pytest.raises(hn.ModelError, match=r"SFORCE/1.*call\.time"):
        hn.simulate(m, end=1)


def _car(exchanged=False, z=0.29):
    m = hn.Model("t")
    m.gravity = (0, 0, -9.81)
    w = m.part("w", 400.0, (0.6, 1, 0.6), (0, 0, z), velocity=(10, 0, 0))
    w.wy = 33.0
    markers = m.marker(w), m.marker(m.ground)
    m.fiala_tyre(
        *(markers[::-1] if exchanged else markers), radius=0.31, stiffness=2e5, damping=300.0, cslip=8e4, calpha=5e4,
        umax=1.0, umin=0.8,
    )  # fmt: skip
    return m


@pytest.mark.parametrize(
    "car, text",
    [({"exchanged": True}, "fixed to the ground; give the marker of the wheel as i"), ({"z": -0.2}, "0.2 m under the")],
)
def test_a_wheel_that_is_none(car, text):
    with pytest.warns(hn.ModelWarning, match=text):
        hn.simulate(_car(**car), end=0.001, steps=1)


def test_a_wheel_above_its_road_is_not_reported():
    assert hn.simulate(_car(), end=0.001, steps=1).info["warnings"] == []


def test_a_torsion_spring_whose_axes_part_is_reported():
    m = hn.Model("m")
    p = m.part("p", 2.0, (0.1, 0.15, 0.2), (0, 0, 0))
    m.spherical(p, m.ground, at=(0, 0, 0))
    p.wx, p.wy, p.wz = 3.0, 2.0, 1.0
    m.torsion_spring(m.marker(p), m.marker(m.ground), stiffness=1.0)
    with pytest.warns(hn.ModelWarning, match="between the z axes of its markers"):
        hn.simulate(m, end=0.5, steps=20)


def test_loads_of_a_part_with_a_sliding_mass_name_it():
    m = hn.Model("w")
    m.gravity = (0, 0, -9.81)
    t = m.part("p", 3.0, (1, 1, 1), (0, 0, -1))
    m.revolute(t, m.ground, "j", at=(0, 0, 0), axis=(0, 1, 0))
    t.wy = 2
    m.sliding_mass(t, (0, 0, -1), (1, 0, 0), mass=1.0, stiffness=20.0, damping=0.5, travel=0.1)
    with pytest.raises(hn.ModelError, match="reactions of SLIDING_MASS/1"):
        hn.simulate(m, end=0.2, steps=2).part_loads("p")
