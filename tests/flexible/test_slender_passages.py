"""Slender bodies that touch between their nodes: capsules follow the curve, and axes that pass through each other are
reported."""

import numpy as np
import pytest

import holonom as hn
from holonom.analyses.checks.crossed import crossings
from holonom.flexible import Section
from holonom.flexible.along import MOST_PIECES, follows


def test_capsules_follow_a_curve():
    """n capsules along the tangents in their middles are off an arc by turn length / (8 n^2) at their ends."""
    for spacing, size in ((0.1, 0.05), (0.3, 0.01), (1.0, 0.02)):
        n = follows(spacing, size)
        turn, radius = 0.5, spacing / 0.5
        half = 0.5 * turn / n
        off = radius * (np.hypot(1.0, np.tan(half)) - 1.0)  # of the end of a tangent from the arc
        assert n == MOST_PIECES or off < 0.31 * size
        assert n == 1 or turn * spacing / (8.0 * (n - 1) ** 2) > 0.3 * size
    assert follows(1.0, 1e-9) == MOST_PIECES


@pytest.mark.parametrize("seed", range(5))
def test_passages_of_straight_axes(seed):
    """Lines that move through each other at random: time and place of the passage are those of a closed form; none
    where one ends before the other."""
    rng = np.random.default_rng(seed)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    angle = rng.uniform(0.3, 2.8)
    a = np.linspace([-1, 0, 0], [1, 0, 0], 5)
    b = np.linspace([-1, 0, 0], [1, 0, 0], 4) @ np.array(
        [[np.cos(angle), np.sin(angle), 0], [-np.sin(angle), np.cos(angle), 0], [0, 0, 1]]
    )
    shift = rng.uniform(-0.2, 0.2, 3) * [1, 1, 0]
    height = np.linspace(0.4, -0.5, 8)
    moving = np.stack([b + shift + [0, 0, h] for h in height]) @ turn.T
    still = np.stack([a] * len(height)) @ turn.T
    k, x, at = crossings(still, moving)
    assert height[k] + x * (height[k + 1] - height[k]) == pytest.approx(0.0, abs=1e-8)
    # on the x axis, where the line through `shift` crosses it
    want = turn @ np.array([shift[0] - shift[1] / np.tan(angle), 0.0, 0.0])
    assert at == pytest.approx(want, abs=1e-7)
    assert crossings(still, moving + turn @ np.array([3.0, 0.0, 0.0])) is None
    assert crossings(still[:4], moving[:4]) is None


def crossed(speed, EA, elements=4):
    m = hn.Model()
    m.gravity = (0, 0, 0)
    words = dict(EI=1e-3, mass=0.1, radius=0.005, elements=elements)
    low = hn.flexible.cable(m, [(-0.5, 0, 0), (0.5, 0, 0)], EA=EA, name="low", **words)
    high = hn.flexible.cable(
        m, [(0.02, -0.5, 0.02), (0.02, 0.5, 0.02)], EA=EA, velocity=(0, 0, -speed), name="high", **words
    )
    high.touch(low, name="hit")
    run = hn.simulate(m, end=0.06 / speed, steps=60, referee=speed < 5.0)
    return m, run, low, high


def test_cables_touch_where_they_cross_between_their_nodes():
    """Elements fifty radii long, hit in the middle between nodes: as deep as the contact gives way, with momentum; the
    curves stay on their sides."""
    m, run, low, high = crossed(1.0, 2000.0)
    z = run.mesh(high).axis(8).values, run.mesh(low).axis(8).values
    assert crossings(*z) is None and run.contact("hit").force.values[:, 2].any()
    d = run.data
    total = d.energy_kinetic + d.energy_elastic + d.energy_dissipated
    assert np.ptp(total) < 1e-3 * d.energy_kinetic[0]
    assert not [w for w in run.info["warnings"] if "passed through" in w]


def test_cables_that_pass_are_reported():
    """A contact that is too soft for the speed: the run states when and where."""
    m, run, low, high = crossed(10.0, 20.0)
    text = [w for w in run.info["warnings"] if "the axes of two of its bodies have passed through each other" in w]
    assert len(text) == 1 and "raise the stiffness" in text[0]


def test_long_elements_are_reported():
    m = hn.Model()
    section = Section.round(0.002)
    a = hn.flexible.rod(m, [(0, 0, 0), (1, 0, 0)], section, E=1e9, density=1000.0, elements=4, name="a")
    b = hn.flexible.rod(m, [(0.5, -0.5, 0.1), (0.5, 0.5, 0.1)], section, E=1e9, density=1000.0, elements=4, name="b")
    with pytest.warns(
        hn.ModelWarning, match="its surface is straight over 0.25 between two points, long for radii of 0.004"
    ):
        a.touch(b)
