"""Time-stepping keeps order two in rolling and sliding whatever presses the contact: gravity, a centrifuge, or nothing
but the way round a drum."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import holonom as hn

G, R, r = 9.81, 0.5, 0.05
A = R - r


def drum(gravity, at, e=0.0, mu=5.0, axis=(0, 0, 1), **motion):
    """A ball in a drum about an axis through the origin."""
    m = hn.Model("drum")
    m.gravity = gravity
    ball = m.part("ball", 1.0, (0.4 * r * r,) * 3, at, **motion)
    ends = 5.0 * np.array(axis)
    m.contact(m.sphere(ball, at, r), m.cylinder(m.ground, -ends, ends, R, inside=True), mu=mu, restitution=e)
    return m


def run(model, end, step, steps=10):
    return hn.simulate(model, end, steps, contact="time-stepping", step=step, progress=False)


def rates(errors):
    return np.log2(np.array(errors[:-1]) / errors[1:])


@pytest.mark.parametrize("load", [0.1, 1.0, 10.0, 100.0])
@pytest.mark.parametrize("e", [0.0, 0.5])
def test_rolling_round_a_drum_without_gravity(load, e):
    """The ball rolls on with its speed; the wall presses with ``load`` g."""
    w = np.sqrt(load * G / A)
    turn, errors = 1.7, []
    for n in (100, 200, 400):
        ball = run(
            drum((0, 0, 0), (A, 0, 0), e, velocity=(0, A * w, 0), angular_velocity=(0, 0, -A * w / r)),
            turn / w,
            turn / w / n,
        )
        x = ball.part("ball").position.values[-1]
        errors.append(abs(np.arctan2(x[1], x[0]) - turn))
        energy = ball.energy.kinetic.values
        assert np.diff(energy).max() < 1e-9 * energy[0] and energy[-1] > (1 - 20 / n**2) * energy[0]
        assert abs(ball.contact("CONTACT_1").normal.values[-1] / (w * w * A) - 1) < 30 / n**2 + 1e-6
    assert errors[-1] < 1e-4 and rates(errors).min() > 1.8


@pytest.mark.parametrize("gravity", [0.1, 1.0, 10.0])
def test_rolling_in_a_lying_drum_is_a_pendulum(gravity):
    """(7/5) (R - r) phi'' = -g sin phi."""
    g, phi = gravity * G, 1.2
    period = 2 * np.pi * np.sqrt(1.4 * A / g)
    exact = solve_ivp(
        lambda t, x: (x[1], -g / (1.4 * A) * np.sin(x[0])), (0, 1.3 * period), (phi, 0), "DOP853", rtol=1e-12
    ).y[0, -1]
    errors = []
    for n in (100, 200, 400):
        m = drum((0, 0, -g), (A * np.sin(phi), 0, -A * np.cos(phi)), axis=(0, 1, 0))
        x = run(m, 1.3 * period, period / n).part("ball").position.values[-1]
        errors.append(abs(np.arctan2(x[0], -x[2]) - exact))
    assert errors[-1] < 2e-4 and rates(errors).min() > 1.8


@pytest.mark.parametrize("load", [1.0, 30.0])
def test_sliding_round_a_drum_without_gravity(load):
    """What slides without rolling (spin held by its inertia) loses speed by mu v^2/(R - r):  v = v0 / (1 + mu v0 t/(R -
    r))."""
    mu, v, errors = 0.3, np.sqrt(load * G * A), []
    t = 1.2 * A / v
    exact = np.log1p(mu * v * t / A) / mu
    for n in (100, 200, 400):
        m = hn.Model("slider")
        m.gravity = (0, 0, 0)
        ball = m.part("ball", 1.0, (1e6,) * 3, (A, 0, 0), velocity=(0, v, 0))
        m.contact(m.sphere(ball, (A, 0, 0), r), m.cylinder(m.ground, (0, 0, -5), (0, 0, 5), R, inside=True), mu=mu)
        x = run(m, t, t / n).part("ball").position.values[-1]
        errors.append(abs(np.arctan2(x[1], x[0]) - exact))
    assert errors[-1] < 1e-4 and rates(errors).min() > 1.8


def test_rolling_in_a_drum_that_turns_faster_and_faster():
    """A motion speeds the drum up: in the axes of ground the ball's way is that of the belt under it, a phi'' = (2/7) R
    alpha at no gravity."""
    alpha, w, errors, t = 40.0, 6.0, [], 0.4
    exact = w * t + R * alpha / (7 * A) * t * t  # angle of the ball
    for n in (100, 200, 400):
        m = hn.Model("drum")
        m.gravity = (0, 0, 0)
        spin = -A * w / r
        ball = m.part("ball", 1.0, (0.4 * r * r,) * 3, (A, 0, 0), velocity=(0, A * w, 0), angular_velocity=(0, 0, spin))
        wall = m.part("wall", 1.0, (1.0,) * 3)
        joint = m.revolute(wall, m.ground, at=(0, 0, 0), axis=(0, 0, 1))
        m.motion(joint, f"{0.5 * alpha}*time**2")
        m.contact(m.sphere(ball, (A, 0, 0), r), m.cylinder(wall, (0, 0, -5), (0, 0, 5), R, inside=True), mu=5.0)
        x = run(m, t, t / n).part("ball").position.values[-1]
        errors.append(abs((np.arctan2(x[1], x[0]) - exact + np.pi) % (2 * np.pi) - np.pi))
    assert errors[-1] < 3e-4 and rates(errors).min() > 1.8


def test_a_ball_that_lands_spinning_rolls_with_its_own_radius():
    """Friction acts at the ball's surface, not between it and the plane: what it leaves of a landing with spin is v =
    (2/7) r w to rounding, at any step."""
    for h in (5e-3, 1e-3):
        m = hn.Model("landing")
        m.gravity = (0, 0, -G)
        ball = m.part("ball", 1.0, (0.4 * 0.01,) * 3, (0, 0, 0.153), angular_velocity=(0, 30.0, 0))
        m.contact(m.sphere(ball, (0, 0, 0.153), 0.1), m.plane(m.ground, (0, 0, 0), (0, 0, 1)), restitution=0.5, mu=2.0)
        part = run(m, 1.0, h).part("ball")
        v, w = part.velocity.values[-1], part.angular_velocity.values[-1]
        assert v[0] == pytest.approx(2 / 7 * 0.1 * 30.0, rel=1e-9)
        assert v[0] == pytest.approx(0.1 * w[1], rel=1e-9)


def test_a_problem_of_rounding_has_no_residual():
    """A ball that rolls on with 100 m/s and is pressed by nothing: speeds at the point are rounding, and so is what is
    left of them."""
    m = hn.Model("rolling")
    m.gravity = (0, 0, 0)
    ball = m.part(
        "ball", 1.0, (0.4 * 0.01,) * 3, (0, 0, 0.1), velocity=(100.0, 30.0, 0), angular_velocity=(-300.0, 1000.0, 0)
    )
    m.contact(m.sphere(ball, (0, 0, 0.1), 0.1), m.plane(m.ground, (0, 0, 0), (0.1, 0.2, 0.97)), mu=0.5)
    m.rigid.solver = "NSGS"
    found = run(m, 1.0, 1e-2)
    assert found.counters["steps whose contacts did not converge"] == 0
    assert found.counters["largest contact residual"] < 1e-6


def test_forces_of_rows_are_means_since_the_row_before():
    """A ball bounces between two rows: the area under the force is the impulse; at rest it is the weight."""
    m = hn.Model("bounces")
    m.gravity = (0, 0, -G)
    ball = m.part("ball", 2.0, (0.01,) * 3, (0, 0, 0.6), velocity=(0.5, 0, 0))
    m.contact(m.sphere(ball, (0, 0, 0.6), 0.1), m.plane(m.ground, (0, 0, 0), (0, 0, 1)), restitution=0.6, mu=0.2)
    found = run(m, 4.0, 1e-3, 37)
    v, force = found.part("ball").velocity.values, found.contact("CONTACT_1").force.values
    gained = 2.0 * np.diff(v, axis=0)
    given = force[1:] * np.diff(found.time)[:, None] - [0, 0, 2 * G] * np.diff(found.time)[:, None]
    assert np.abs(gained - given).max() < 1e-9
    assert found.contact("CONTACT_1").normal.values[-1] == pytest.approx(2 * G, rel=1e-9)


def test_an_overlap_of_rounding_is_not_told():
    for z, told in ((0.1 - 1e-17, False), (0.1 - 1e-13, False), (0.1 - 1e-9, True)):
        m = hn.Model("ball")
        m.gravity = (0, 0, -G)
        ball = m.part("ball", 1.0, (0.01,) * 3, (0.3, 0.7, z))
        m.contact(m.sphere(ball, (0.3, 0.7, z), 0.1), m.plane(m.ground, (0, 0, 0), (0, 0, 1)))
        assert any("overlap" in text for text in run(m, 0.01, 1e-3).info["messages"]) == told
