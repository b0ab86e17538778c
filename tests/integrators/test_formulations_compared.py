"""What I3, SI2 and SI1 are good for, each statement by a machine with a known answer (`benchmarks/formulations.py`)."""

from __future__ import annotations

import numpy as np
import pytest

import holonom as hn


def driven(function):
    """A cart driven along x by ``function``, with a pendulum of 0.5 m."""
    m = hn.Model("rough")
    m.gravity = (0, 0, -9.81)
    cart = m.part("cart", 1.0, (0.1,) * 3, (0, 0, 0))
    rail = m.translational(cart, m.ground, "rail", at=(0, 0, 0), axis=(1, 0, 0))
    bob = m.part("bob", 1.0, (0.1,) * 3, (0, 0, -0.5))
    m.revolute(bob, cart, "pin", at=(0, 0, 0), axis=(0, 1, 0))
    m.motion(rail, function, "drive")
    return m


def run(model, end, rows, formulation, error, **options):
    return hn.simulate(model, end, rows, integrator="GSTIFF", formulation=formulation, error=error, **options)


def taken(one):
    return int((one.history["cause"] == "").sum())


def test_si2_fails_where_the_speed_of_a_motion_jumps_and_i3_does_not():
    """0.1 ASIN(SIN(20 t)) is a triangle whose corners no condition shows: I3, which sees positions, passes them and is
    on the triangle; SI2 and SI1 see the speed jump by 4 m/s and end there, at pi/40 s."""
    rough = "0.1*ASIN(SIN(20*TIME))"
    passed = run(driven(rough), 0.5, 40, "I3", 1e-4)
    np.testing.assert_allclose(
        passed.part("cart").position.values[:, 0], 0.1 * np.arcsin(np.sin(20 * passed.time)), rtol=0, atol=1e-9
    )
    for formulation in ("SI2", "SI1"):
        with pytest.raises(hn.ModelError) as failed:
            run(driven(rough), 0.5, 40, formulation, 1e-4)
        assert failed.value.time == pytest.approx(np.pi / 40, abs=1e-5)
    taken(run(driven("0.1*SIN(20*TIME)"), 0.5, 40, "SI2", 1e-4))  # smooth: no failure


def rubbed(arm):
    """A slider on a spring; friction of 6 N, whose arm from the guide moves nothing and changes the guide's torque."""
    m = hn.Model("rubbed")
    m.gravity = (0, -9.81, 0)
    slider = m.part("slider", 1.0, (0.01,) * 3, (0, 0, 0), velocity=(2.0, 0, 0))
    m.translational(slider, m.ground, "guide", at=(0, 0, 0), axis=(1, 0, 0))
    i, j = m.marker(slider), m.marker(m.ground)
    m.spring_damper(i, m.marker(m.ground, (-1.0, 0, 0)), stiffness=100.0, damping=0.0, length=1.0)
    m.vforce(m.marker(slider, (0, arm, 0)), m.ground, f"-6*TANH(VX({i},{j})/1e-3)", "0", "0")
    return m


def test_si1_is_sensitive_to_friction():
    """The same motion with reactions that reverse: twice the steps in SI1, not one more in I3 and SI2."""
    steps = {f: [taken(run(rubbed(arm), 1.0, 10, f, 1e-5, interpolate=True)) for arm in (0.0, 10.0)] for f in FORMS}
    assert steps["I3"][0] == steps["I3"][1] and steps["SI2"][0] == steps["SI2"][1]
    assert steps["SI1"][0] == steps["SI2"][0] and steps["SI1"][1] > 1.8 * steps["SI1"][0]


FORMS = ("I3", "SI2", "SI1")


def between_walls(across):
    m = hn.Model("between walls")
    m.gravity = (0, 0, 0)
    slider = m.part("slider", 1.0, (0.01,) * 3, (0, 0, 0), velocity=(2.0, 0, 0))
    m.translational(slider, m.ground, "guide", at=(0, 0, 0), axis=(1, 0, 0))
    ball, along = m.sphere(slider, (0, 0, 0), 0.05), np.sqrt(1.0 - across**2)
    for side in (-1.0, 1.0):
        wall = m.plane(m.ground, (0.3 * side, 0, 0), (-side * along, across, 0))
        m.contact(ball, wall, stiffness=1e6, exponent=1.5, damping=0.0, joined=True)
    return m


def test_si1_is_sensitive_to_contact():
    """Of a contact that presses a slider against its guide, 70 times its share along it, SI1 follows the whole."""
    steps = {f: taken(run(between_walls(0.9999), 1.0, 5, f, 1e-5, interpolate=True)) for f in FORMS}
    assert steps["SI1"] > 1.4 * steps["SI2"]


def test_si1_is_not_solved_in_the_plane_of_a_mechanism():
    """There the reactions across the plane are no unknowns, and a slider pushed across its guide by 100 sin(200 t) N
    took 14 steps."""
    m = hn.Model("pushed")
    m.gravity = (0, 0, 0)
    slider = m.part("slider", 1.0, (1.0,) * 3, (0, 0, 0), velocity=(1.0, 0, 0))
    m.translational(m.ground, slider, at=(0, 0, 0), axis=(1, 0, 0))
    m.vforce(m.marker(slider), m.ground, fy="100*SIN(200*TIME)")
    assert taken(run(m, 0.5, 5, "SI1", 1e-4, interpolate=True)) > 100
    assert taken(run(m, 0.5, 5, "SI1", 1e-4, interpolate=True, planar=True)) < 100


def test_i3_loses_a_fast_vibration_that_si2_keeps():
    """1 mm at 100 Hz on 0.1 m at 1 Hz, at an error of 1e-3: positions do not see it, speeds do (0.63 m/s)."""
    m = hn.Model("two speeds")
    m.gravity = (0, 0, 0)
    heavy, light = m.part("slow", 1e6, (1,) * 3, (0.1, 0, 0)), m.part("fast", 1.0, (1,) * 3, (1.101, 0, 0))
    for part in (heavy, light):
        m.translational(part, m.ground, at=(0, 0, 0), axis=(1, 0, 0))
    soft, stiff = 1e6 * (2 * np.pi) ** 2, (200 * np.pi) ** 2
    m.spring_damper(m.marker(heavy), m.marker(m.ground, (-5.0, 0, 0)), stiffness=soft, damping=0.0, length=5.0)
    m.spring_damper(m.marker(light), m.marker(heavy), stiffness=stiff, damping=0.0, length=1.0)
    left = {}
    for formulation, error in (("I3", 1e-3), ("SI2", 1e-3), ("SI2", 1e-5)):
        one = run(m, 0.2, 1000, formulation, error, interpolate=True)
        late = one.time > 0.18
        x = one.part("fast").position.values[late, 0] - one.part("slow").position.values[late, 0]
        left[formulation, error] = np.ptp(x) / 2e-3
    assert left["I3", 1e-3] < 0.05 and left["SI2", 1e-3] > 0.5 and left["SI2", 1e-5] == pytest.approx(1.0, abs=0.03)
