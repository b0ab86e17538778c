"""Static equilibrium on contacts: what nothing holds sideways rests, and contacts that are open at first are found."""

import numpy as np
import pytest

import holonom as hn


def table(height, **more):
    m = hn.Model("table")
    m.gravity = (0, 0, -9.81)
    ball = m.part("ball", 0.5, (2e-5,) * 3, (0, 0, height))
    m.contact(
        m.sphere(ball, (0, 0, height), 0.01),
        m.plane(m.ground, (0, 0, 0), (0, 0, 1)),
        stiffness=1e6,
        exponent=1.5,
        dmax=1e-4,
        **more,
    )
    return m


@pytest.mark.parametrize("height", [0.0099, 0.012])
def test_ball_rests_on_a_table(height):
    run = hn.simulate(table(height), kind="statics", progress=False)
    depth = (0.5 * 9.81 / 1e6) ** (2 / 3)
    place = run.part("ball").position.values[-1]
    assert place[2] == pytest.approx(0.01 - depth, abs=1e-12)
    assert np.abs(place[:2]).max() < 1e-12
    assert run.contact(1).normal.values[-1] == pytest.approx(0.5 * 9.81, rel=1e-9)
    assert run.contact(1).depth.values[-1] == pytest.approx(depth, rel=1e-9)


def test_heap_of_balls_rests():
    """Two balls in a bowl: each feels the other and the bowl; the sum of what the bowl carries is their weight."""
    m = hn.Model("bowl")
    m.gravity = (0, 0, -9.81)
    bowl = m.sphere(m.ground, (0, 0, 0.1), 0.1, inside=True)
    balls = []
    for k, x in enumerate((-0.021, 0.022)):
        body = m.part(f"ball{k}", 0.2, (1e-5,) * 3, (x, 0, 0.025))
        balls.append(m.sphere(body, (x, 0, 0.025), 0.02))
    m.contact(balls, [bowl], name="bowl", stiffness=1e6, exponent=1.5, dmax=1e-4)
    m.contact(balls[:1], balls[1:], name="balls", stiffness=1e6, exponent=1.5, dmax=1e-4)
    run = hn.simulate(m, kind="statics", progress=False)
    assert run.contact("bowl").force.values[-1, 2] == pytest.approx(0.4 * 9.81, rel=1e-6)
    between, below = (run.contact(name).depth.values[-1] for name in ("balls", "bowl"))
    angle = np.arcsin((0.02 - 0.5 * between) / (0.08 + below))  # of each centre about the middle of the bowl
    assert run.contact("balls").normal.values[-1] == pytest.approx(0.2 * 9.81 * np.tan(angle), rel=1e-6)
