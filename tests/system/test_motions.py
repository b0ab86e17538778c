"""MOTION on joints and between markers, at displacement, velocity and acceleration level, against closed forms."""

import numpy as np
import pytest

from holonom import Model, simulate

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


ANGLES = {"B1": "0.3*TIME + 0.2*SIN(3*TIME)", "B2": "0.9*SIN(2*TIME)", "B3": "2*TIME**2"}


def turned(angles):
    """Attitude of I in J: a turn about x, then about the new y, then about the newest z."""
    from scipy.spatial.transform import Rotation

    return Rotation.from_euler("XYZ", angles)


@pytest.mark.parametrize("integrator", ["DOP853", "GSTIFF", "HHT"])
def test_three_angles_are_a_body_123_sequence(integrator):
    """All three at once, J turning with a part of its own; attitude, angular velocity and the torque that it takes
    (Euler's equations)."""
    m = Model("sequence")
    base = m.part("base", 1.0, (1, 1, 1), euler=(0.3, 0.5, -0.7))
    b = m.part("b", 2.0, (0.3, 0.4, 0.5), euler=(0.3, 0.5, -0.7))
    m.fixed(base, m.ground, at=(0, 0, 0))
    i, j = m.marker(b), m.marker(base)
    m.primitive("ATPOINT", i, j)
    for c, text in ANGLES.items():
        m.motion(None, text, i=i, j=j, component=c)
    run = simulate(m, 1.0, 20, kind="dynamics", integrator=integrator, error=1e-9 if integrator == "DOP853" else 1e-7)
    t = np.asarray(run.time)
    angles = np.column_stack([0.3 * t + 0.2 * np.sin(3 * t), 0.9 * np.sin(2 * t), 2 * t**2])
    frame = base.frame.axes
    A = np.einsum("ij,tjk->tik", frame, turned(angles).as_matrix())
    np.testing.assert_allclose(run.part("b").axes.values, A, atol=1e-6)
    h = 1e-5
    rates = np.column_stack([0.3 + 0.6 * np.cos(3 * t), 1.8 * np.cos(2 * t), 4 * t])
    more = (turned(angles + h * rates) * turned(angles - h * rates).inv()).as_rotvec() / (2 * h)
    np.testing.assert_allclose(run.part("b").angular_velocity.values, more @ frame.T, atol=2e-5)


def test_the_second_angle_goes_past_ninety_degrees():
    m = Model("past")
    b = m.part("b", 2.0, (0.3, 0.4, 0.5))
    i, j = m.marker(b), m.marker(m.ground)
    m.joint("REVOLUTE", m.marker(b, euler=(0, -np.pi / 2, 0)), m.marker(m.ground, euler=(0, -np.pi / 2, 0)))  # about y
    m.motion(None, "4*TIME", i=i, j=j, component="B2")
    run = simulate(m, 1.0, 50, kind="dynamics")
    t = np.asarray(run.time)
    np.testing.assert_allclose(
        run.part("b").axes.values, turned(np.column_stack([0 * t, 4 * t, 0 * t])).as_matrix(), atol=1e-7
    )


def test_one_angle_leaves_the_others_free():
    """B2 alone holds sin B2 = x_j . z_i whatever the two others do."""
    m = Model("one")
    b = m.part("b", 2.0, (0.3, 0.4, 0.5), angular_velocity=(3.0, 0.0, 1.0))
    i, j = m.marker(b), m.marker(m.ground)
    m.primitive("ATPOINT", i, j)
    m.motion(None, "0.4*SIN(5*TIME)", i=i, j=j, component="B2")
    run = simulate(m, 1.0, 50)
    t = np.asarray(run.time)
    np.testing.assert_allclose(run.part("b").axes.values[:, 0, 2], np.sin(0.4 * np.sin(5 * t)), atol=1e-8)
    assert np.abs(run.part("b").axes.values[:, 1, 2]).max() > 0.5


@pytest.mark.parametrize("steps", [2, 7, 50])
@pytest.mark.parametrize("level", ["VELOCITY", "ACCELERATION"])
def test_kinematics_integrates_what_motions_leave_open(level, steps):
    """At 0 degrees of freedom kinematics is chosen; its positions do not depend on the output step."""
    m = driven("TRANSLATIONAL", level)
    run = simulate(m, T, steps)
    assert [s.kind for s in run.segments] == ["kinematics"]
    t, b = np.asarray(run.time), run.part("b")
    x, v, a = (g(t) for g in LEVELS[level])
    np.testing.assert_allclose(b.position.values[:, 2], x, atol=1e-8)
    np.testing.assert_allclose(b.velocity.values[:, 2], v, atol=1e-8)
    np.testing.assert_allclose(b.acceleration.values[:, 2], a, atol=1e-8)
    assert any("integrated to an error of" in text for text in run.info["messages"])


def test_velocity_motion_that_jumps_passes_si2():
    """A velocity that jumps requires an infinite force: the step of SI2, whose error test sees velocities, ends there,
    and what follows is reported."""
    m = Model("jump")
    slide = m.part("slide", 1.0, (1, 1, 1))
    m.translational(slide, m.ground, "rail", at=(0, 0, 0), axis=(0, 0, 1))
    mass = m.part("mass", 1.0, (1, 1, 1), (0, 0, 1))
    m.translational(mass, m.ground, "other", at=(0, 0, 0), axis=(0, 0, 1))
    m.spring_damper(m.marker(slide), m.marker(mass), stiffness=10.0, damping=0.1, length=1.0)
    m.motion("rail", "IF(TIME-0.5: 1, 1, 2)", "drive", level="VELOCITY", kind="TRANSLATIONAL")
    run = simulate(m, 1.0, 10, integrator="GSTIFF", formulation="SI2")
    assert run.part("slide").position.values[-1, 2] == pytest.approx(1.5, abs=1e-12)
    assert any("'drive' changes its velocity at once from 1 to 2" in text for text in run.info["messages"])
    m.find("MOTION", "drive").function = "IF(TIME-0.5: TIME, 0.5, 1-TIME)"  # a corner is no jump: travel 1/8 + 1/8
    run = simulate(m, 1.0, 10, integrator="GSTIFF", formulation="SI2")
    assert run.part("slide").position.values[-1, 2] == pytest.approx(0.25, abs=1e-5)
