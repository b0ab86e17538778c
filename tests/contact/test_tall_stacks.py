"""Stacks of twelve boxes and walls of fifteen bricks stand in event-driven runs."""

import numpy as np
import pytest

import holonom as hn

SIDE, BRICK = 0.1, (0.198, 0.1, 0.1)


def scene():
    m = hn.Model()
    m.gravity = (0, 0, -9.81)
    return m, m.box(m.ground, (0, 0, -0.05), (3, 2, 0.1))


def stack(count, offset):
    """Boxes on each other, each out of line by up to ``offset``."""
    m, below = scene()
    random = np.random.default_rng(1)
    for k in range(count):
        at = (*(offset * random.uniform(-1, 1, 2)), SIDE * (k + 0.5))
        part = m.part(f"b{k}", 1.0, (SIDE**2 / 6,) * 3, at)
        above = m.box(part, at, (SIDE,) * 3)
        m.contact(below, above, mu=0.5, restitution=0.0)
        below = above
    return m


def wall(long):
    """A gable: each row of bricks is half a brick aside of the one below and one brick shorter; all pairs may touch."""
    m, ground = scene()
    bricks = []
    for row in range(long):
        for k in range(long - row):
            at = (0.2 * k + 0.1 * row, 0.0, 0.1 * row + 0.05)
            part = m.part(f"b{row}{k}", 1.0, (0.002, 0.004, 0.004), at)
            bricks.append(m.box(part, at, BRICK))
    for i, brick in enumerate(bricks):
        for other in (ground, *bricks[i + 1 :]):
            m.contact(brick, other, mu=0.5, restitution=0.0)
    return m


@pytest.mark.slow
@pytest.mark.parametrize("build", [lambda: stack(12, 0.01), lambda: wall(5)], ids=["stack of 12", "wall of 15"])
def test_it_stands(build):
    run = hn.simulate(build(), 0.2, 10, contact="events", error=1e-6, referee="strict")
    at = run.data.body_position
    assert np.abs(at - at[0]).max() < 1e-6 * SIDE
    assert run.counters["steps"] < 100
