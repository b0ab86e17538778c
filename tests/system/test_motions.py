"""MOTION on joints and between markers, at displacement, velocity and acceleration level, against closed forms."""

import numpy as np
import pytest

from holonom import Model, ModelError, simulate

T = 1.2
F = "0.4*SIN(3*TIME) + 0.1*TIME**2"
f = lambda t: 0.4 * np.sin(3 * t) + 0.1 * t**2
fd = lambda t: 1.2 * np.cos(3 * t) + 0.2 * t
fdd = lambda t: -3.6 * np.sin(3 * t) + 0.2
integral = lambda t: 0.4 / 3 * (1 - np.cos(3 * t)) + 0.1 * t**3 / 3
twice = lambda t: 0.4 / 3 * (t - np.sin(3 * t) / 3) + 0.1 * t**4 / 12
LEVELS = {"DISPLACEMENT": (f, fd, fdd), "VELOCITY": (integral, f, fd), "ACCELERATION": (twice, integral, f)}


def driven(kind, level, **ic):
    m = Model("driven")
    m.gravity = (0, 0, -9.81)
    b = m.part("b", 2.0, (0.3, 0.4, 0.5))
    q = (m.revolute if kind == "ROTATIONAL" else m.translational)(b, m.ground, at=(0, 0, 0), axis=(0, 0, 1))
    m.motion(q, F, level=level, **ic)
    return m


def run_of(m):
    return simulate(m, end=T, steps=40, integrator="DOP853", error=1e-9)


@pytest.mark.parametrize("kind", ["ROTATIONAL", "TRANSLATIONAL"])
@pytest.mark.parametrize("level", LEVELS)
def test_joint_motion(kind, level):
    ic = {"icdisp": 0.0, "icvel": 0.0} if level == "ACCELERATION" else ({"icdisp": 0.0} if level == "VELOCITY" else {})
    run = run_of(driven(kind, level, **ic))
    t, b = np.asarray(run.time), run.part("b")
    x, v, a = (g(t) for g in LEVELS[level])
    if kind == "TRANSLATIONAL":
        np.testing.assert_allclose(b.position.values[:, 2], x, atol=1e-7)
        np.testing.assert_allclose(b.velocity.values[:, 2], v, atol=1e-7)
        np.testing.assert_allclose(b.acceleration.values[:, 2], a, atol=1e-7)
        reaction, exact = run.constraint("MOTION_1").force.values[:, 2], 2.0 * (a + 9.81)
    else:
        np.testing.assert_allclose(b.angular_velocity.values[:, 2], v, atol=1e-7)
        np.testing.assert_allclose(b.angular_acceleration.values[:, 2], a, atol=1e-7)
        reaction, exact = run.constraint("MOTION_1").torque.values[:, 2], 0.5 * a
    np.testing.assert_allclose(reaction, exact, atol=1e-6)


@pytest.mark.parametrize("level", ["VELOCITY", "ACCELERATION"])
def test_initial_conditions_of_a_motion(level):
    """ICDISP (and ICVEL at acceleration level) are where the integration begins."""
    more = {"icvel": 0.7} if level == "ACCELERATION" else {}
    run = run_of(driven("TRANSLATIONAL", level, icdisp=0.25, **more))
    t, b = np.asarray(run.time), run.part("b")
    x, v, _ = (g(t) for g in LEVELS[level])
    v0 = more.get("icvel", 0.0)
    np.testing.assert_allclose(b.velocity.values[:, 2], v + v0, atol=1e-7)
    np.testing.assert_allclose(b.position.values[:, 2], x + 0.25 + v0 * t, atol=1e-7)


def test_joint_initial_conditions():
    """ICTRAN and ICROT of a cylindrical joint."""
    m = Model("ic")
    b = m.part("b", 2.0, (0.3, 0.4, 0.5))
    m.joint("CYLINDRICAL", b, m.ground, at=(0, 0, 0), axis=(0, 0, 1), ictran=(0.2, 1.5), icrot=(0.3, -2.0))
    b = simulate(m, end=0.5, steps=5, integrator="DOP853").part("b")
    np.testing.assert_allclose(b.position.values[:, 2], 0.2 + 1.5 * np.linspace(0, 0.5, 6), atol=1e-8)
    np.testing.assert_allclose(b.angular_velocity.values[:, 2], -2.0, atol=1e-8)


@pytest.mark.parametrize("component", ["X", "Y", "Z", "B1", "B2", "B3"])
def test_marker_motion(component):
    """One component driven between markers while the rest is held."""
    m = Model("general")
    b = m.part("b", 2.0, (0.3, 0.4, 0.5))
    i, j = m.marker(b), m.marker(m.ground)
    for c in ("X", "Y", "Z", "B1", "B2", "B3"):
        m.motion(None, F if c == component else "0", i=i, j=j, component=c)
    run = simulate(m, end=T, steps=40)
    t, b = np.asarray(run.time), run.part("b")
    k = "XYZ".find(component)
    if k >= 0:
        np.testing.assert_allclose(b.position.values[:, k], f(t), atol=1e-9)
        np.testing.assert_allclose(b.acceleration.values[:, k], fdd(t), atol=1e-7)
    else:
        k = int(component[1]) - 1
        np.testing.assert_allclose(b.angular_velocity.values[:, k], fd(t), atol=1e-8)
        np.testing.assert_allclose(b.angular_acceleration.values[:, k], fdd(t), atol=1e-7)


def test_velocity_motion_that_jumps_is_refused_by_si2():
    """A velocity that jumps asks for an infinite force: SI2, whose error test sees velocities, stops at the jump, names the motion's part
    and keeps the results up to there."""
    m = Model("jump")
    slide = m.part("slide", 1.0, (1, 1, 1))
    m.translational(slide, m.ground, "rail", at=(0, 0, 0), axis=(0, 0, 1))
    mass = m.part("mass", 1.0, (1, 1, 1), (0, 0, 1))
    m.translational(mass, m.ground, "other", at=(0, 0, 0), axis=(0, 0, 1))
    m.spring_damper(m.marker(slide), m.marker(mass), k=10.0, c=0.1, length=1.0)
    m.motion("rail", "IF(TIME-0.5: 1, 1, 2)", "drive", level="VELOCITY", kind="TRANSLATIONAL")
    with pytest.raises(ModelError, match=r"stays above the tolerance .* at time 0\.5; .* motion of PART/. '.*' *; the last good state"):
        simulate(m, 1.0, 10, integrator="GSTIFF", formulation="SI2")
    m.find("MOTION", "drive").function = "IF(TIME-0.5: TIME, 0.5, 1-TIME)"  # a corner is no jump: travel 1/8 + 1/8
    run = simulate(m, 1.0, 10, integrator="GSTIFF", formulation="SI2")
    assert run.part("slide").position.values[-1, 2] == pytest.approx(0.25, abs=1e-5)
