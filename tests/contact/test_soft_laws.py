"""A compliant law that is softer than a wall is thick is reported before the body is in it, with the depth and the
stiffness that is enough."""

import re

import numpy as np
import pytest

import holonom as hn

MASS, WALL, R = 2.0, 2e-3, 0.05


def scene(speed, stiffness, exponent=1.5, height=0.3, gravity=0.0, **more):
    m = hn.Model("soft")
    m.gravity = (0, 0, -gravity)
    ball = m.part("ball", MASS, (2e-3,) * 3, (0, 0, height), velocity=(0, 0, -speed))
    plate = m.box(m.ground, (0, 0, -0.5 * WALL), (1, 1, WALL))
    m.contact(m.sphere(ball, (0, 0, height), R), plate, stiffness=stiffness, exponent=exponent, damping=0.0, **more)
    return m


def run(m, end=0.3):
    r = hn.simulate(m, end, 60, referee=False)
    return r, [text for text in r.info["messages"] if "may pass through" in text]


@pytest.mark.parametrize("exponent", [1.0, 1.5])
def test_the_depth_of_an_impact_to_come_is_reported_with_the_stiffness_that_is_enough(exponent):
    speed, k = 5.0, 1e6
    _, told = run(scene(speed, k, exponent))
    (text,) = told
    assert not text.startswith("at time")  # before the run
    depth = ((exponent + 1.0) * 0.5 * MASS * speed**2 / k) ** (1.0 / (exponent + 1.0))
    assert float(re.search(r"at a depth of ([\d.e+-]+)", text)[1]) == pytest.approx(depth, rel=1e-3)
    enough = float(re.search(r"a stiffness ([\d.e+-]+) times", text)[1])
    r, told = run(scene(speed, 1.01 * k * enough, exponent))
    assert not told
    assert r.part("ball").velocity.values[-1, 2] == pytest.approx(speed, rel=1e-3)
    assert r.part("ball").position.values[:, 2].min() > R - 0.251 * WALL


def test_an_impact_after_a_fall_is_reported_at_its_onset():
    """No speed at the start: 4.5 J fall on a plate whose law stores 0.4 J within half of it."""
    height, g = R + 0.2294, 9.81
    _, told = run(scene(0.0, 1e6, height=height, gravity=g))
    (text,) = told
    assert float(re.match(r"at time ([\d.]+) ", text)[1]) == pytest.approx(np.sqrt(2.0 * (height - R) / g), rel=1e-4)
    assert float(re.search(r"at ([\d.]+) m/s", text)[1]) == pytest.approx(np.sqrt(2.0 * g * (height - R)), rel=1e-3)


def test_what_is_stiff_enough_or_moves_away_is_not_reported():
    assert not run(scene(0.1, 1e9))[1]
    assert not run(scene(-5.0, 1e6))[1]
