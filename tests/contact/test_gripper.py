"""A hand that lifts a ball between two fingers: friction holds it up to an acceleration known in closed form."""

import numpy as np
import pytest

import holonom as hn

MASS, MU, G, RADIUS, LIFT = 0.5, 0.6, 9.81, 0.05, 2.0  # kg, -, m/s^2, m, m/s^2


def gripper(force: float) -> hn.Model:
    """The hand rises by LIFT t^2 / 2; each finger presses with the force, N."""
    m = hn.Model("gripper")
    m.gravity = (0, 0, -G)
    hand = m.part("hand", 2.0, (0.01, 0.01, 0.01), (0, 0, 0.3))
    m.translational(hand, m.ground, "column", at=(0, 0, 0.3), axis=(0, 0, 1))
    m.motion("column", f"{LIFT / 2}*TIME**2", "lift")
    ball = m.part("ball", MASS, (0.4 * MASS * RADIUS**2,) * 3, (0, 0, 0))
    shape = m.sphere(ball, (0, 0, 0), RADIUS)
    for name, side in (("left", -1.0), ("right", 1.0)):
        x = side * (RADIUS + 0.01)
        finger = m.part(name, 0.2, (1e-4, 1e-4, 1e-4), (x, 0, 0))
        m.translational(finger, hand, f"{name} guide", at=(x, 0, 0), axis=(1, 0, 0))
        m.vforce(m.marker(finger), hand, f"{-side * force}", "0", "0")
        m.contact(shape, m.box(finger, (x, 0, 0), (0.02, 0.1, 0.1)), name=name, mu=MU, restitution=0.0)
    return m


@pytest.mark.parametrize("contact, near", [("time-stepping", 2e-6), ("events", 1e-8)])
@pytest.mark.parametrize("force, held", [(4.95, True), (4.9, False)])
def test_what_friction_holds(force, held, contact, near):
    """Held up to m (g + a) = 2 mu F, F = 4.921 N: friction is what the lift requires; else the ball falls behind with
    2 mu F / m - g."""
    given = {"step": 1e-3} if contact == "time-stepping" else {"error": 1e-8}
    run = hn.simulate(gripper(force), end=0.1, steps=10, contact=contact, progress=False, **given)
    t = np.asarray(run.time)
    height = run.part("ball").position.values[:, 2]
    up = LIFT if held else 2.0 * MU * force / MASS - G
    assert height == pytest.approx(0.5 * up * t**2, abs=near)
    for name in ("left", "right"):
        assert run.contact(name).normal.values[2:] == pytest.approx(force, rel=1e-5)
        friction = np.abs(run.contact(name).friction.values[2:])
        assert friction == pytest.approx(MASS * (G + LIFT) / 2.0 if held else MU * force, rel=1e-5)
