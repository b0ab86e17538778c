"""CVCV in mechanisms: circles keep their distance, an eccentric cam drives flat and round followers."""

import numpy as np
import pytest

from holonom import Model, simulate

R, E, SPEED = 0.5, 0.2, 3.0


def ring(radius, n=121):
    t = np.linspace(0, 2 * np.pi, n)
    p = np.stack([radius * np.cos(t), radius * np.sin(t), 0 * t], 1)
    p[-1] = p[0]
    return p


def cam(follower):
    """An eccentric disc turns at SPEED; a follower slides along y above it."""
    m = Model("cam")
    m.gravity = (0, -9.81, 0)
    disc = m.part("disc", 1.0, (0.1, 0.1, 0.1), position=(0, 0, 0))
    q = m.revolute(disc, m.ground, at=(0, 0, 0), axis=(0, 0, 1))
    m.motion(q, f"{SPEED}*TIME")
    top = m.part("follower", 2.0, (0.1, 0.1, 0.1), position=(0, R, 0))
    m.translational(top, m.ground, at=(0, R, 0), axis=(0, 1, 0))
    centre = m.marker(disc, at=(E, 0, 0))
    disc_curve = m.curve(ring(R), closed=True, order=6)
    if follower == "flat":
        line = np.stack([np.linspace(-2, 2, 6), np.zeros(6), np.zeros(6)], 1)
        m.curve_on_curve(m.marker(top), m.curve(line), centre, disc_curve, i_ic=(E, 0, 0), j_ic=(0, R, 0))
    else:
        start = np.sqrt((R + 0.1) ** 2 - E**2)
        m.curve_on_curve(
            m.marker(top, at=(0, start - R, 0)), m.curve(ring(0.1), closed=True, order=6), centre, disc_curve
        )
    return m


@pytest.mark.parametrize("follower", ["flat", "round"])
def test_eccentric_cam(follower):
    run = simulate(cam(follower), end=2.0, steps=50, integrator="DOP853", error=1e-9)
    t = np.asarray(run.time)
    s, c = E * np.sin(SPEED * t), E * np.cos(SPEED * t)
    if follower == "flat":
        y, v, a = s, SPEED * c, -(SPEED**2) * s
    else:
        L = R + 0.1
        root = np.sqrt(L**2 - c**2)
        y = s + root
        f1, f2 = c * s * SPEED, SPEED**2 * (c**2 - s**2)
        v, a = SPEED * c + f1 / root, -(SPEED**2) * s + f2 / root - f1**2 / root**3
    part = run.part("follower")
    np.testing.assert_allclose(part.position.values[:, 1] - part.position.values[0, 1], y - y[0], atol=1e-6)
    np.testing.assert_allclose(part.velocity.values[:, 1], v, atol=1e-5)
    np.testing.assert_allclose(part.acceleration.values[:, 1], a, atol=1e-3)


def test_circles_keep_their_distance():
    """A disc that slides and turns on a fixed disc, in a plane: the centres stay apart by the sum of the radii, and
    without friction its own spin does not change."""
    m = Model("discs")
    m.gravity = (0, -9.81, 0)
    b = m.part("b", 1.0, (0.1, 0.1, 0.1), position=(0.3, np.sqrt(0.8**2 - 0.09), 0), angular_velocity=(0, 0, 2.0))
    m.planar(m.marker(b), m.marker(m.ground))
    m.curve_on_curve(
        m.marker(b),
        m.curve(ring(0.3), closed=True, order=6),
        m.marker(m.ground),
        m.curve(ring(0.5), closed=True, order=6),
    )
    run = simulate(m, end=1.0, steps=50, integrator="DOP853", error=1e-8)
    b = run.part("b")
    p = b.position.values
    np.testing.assert_allclose(np.hypot(p[:, 0], p[:, 1]), 0.8, atol=1e-6)
    np.testing.assert_allclose(b.angular_velocity.values[:, 2], 2.0, atol=1e-6)
    e = run.energy.total.values
    np.testing.assert_allclose(e, e[0], atol=1e-5)


@pytest.mark.parametrize("phase", [0.0, 0.3])
def test_a_cam_with_a_roller_that_turns(phase):
    """Explicit steps are long here: stages that are rejected must not leave the contact on another branch of the curves
    (once the run ended at 0.51 s)."""
    m = Model("cam and roller")
    m.gravity = (0, -9.81, 0)
    disc = m.part("disc", 1.0, (0.1, 0.1, 0.1), position=(0, 0, 0))
    m.motion(m.revolute(disc, m.ground, at=(0, 0, 0), axis=(0, 0, 1)), f"{SPEED}*TIME")
    r = 0.1
    x, y = E * np.cos(phase), E * np.sin(phase)
    start = y + np.sqrt((R + r) ** 2 - x**2)
    top = m.part("follower", 2.0, (0.1, 0.1, 0.1), position=(0, start, 0))
    roller = m.part("roller", 0.2, (1e-3, 1e-3, 1e-3), position=(0, start, 0))
    m.translational(top, m.ground, at=(0, start, 0), axis=(0, 1, 0))
    m.revolute(roller, top, at=(0, start, 0), axis=(0, 0, 1))
    m.curve_on_curve(
        m.marker(roller),
        m.curve(ring(r), closed=True, order=6),
        m.marker(disc, at=(x, y, 0)),
        m.curve(ring(R), closed=True, order=6),
    )
    run = simulate(m, end=2.0, steps=50)
    turned = SPEED * np.asarray(run.time) + phase
    height = E * np.sin(turned) + np.sqrt((R + r) ** 2 - (E * np.cos(turned)) ** 2)
    np.testing.assert_allclose(run.part("follower").position.values[:, 1], height, atol=1e-6)
    np.testing.assert_allclose(
        run.part("roller").angular_velocity.values[:, 2], 0.0, atol=1e-5
    )  # nothing turns it; error 1e-6, speeds of 0.6 rad/s
