"""Search of near pairs: none that touch is missed while everything moves, spins and changes its speed."""

import numpy as np
import pytest

import holonom as hn
from holonom.contact.call import FORCES
from holonom.contact.tables import BUILDS, GRIDS, NEAR, POINTS, SINCE
from holonom.system.build import System


@pytest.mark.parametrize(
    ("n", "radius", "steps", "grid"),
    [(40, 0.06, 400, False), pytest.param(1500, 0.018, 40, True, marks=pytest.mark.slow)],
)
def test_a_crowd_of_balls_is_never_missed(n, radius, steps, grid):
    rng = np.random.default_rng(3)
    radii = radius * (0.33 + 1.33 * rng.random(n))
    if grid:
        radii[[5, 700]] = 0.2, 0.15  # far above the mean: held against all others
    m = hn.Model("crowd")
    balls, parts = [], []
    for k in range(n):
        p = tuple(rng.random(3))
        part = m.part(f"ball {k}", 1.0, (1e-3,) * 3, p)
        parts.append(part)
        balls.append(m.sphere(part, p, float(radii[k])))
    m.contact(balls, balls, stiffness=1e5, exponent=1.5, damping=0.0)
    system = System(m)
    c, y = system.contacts, system.y0.copy()
    rows = y[: 13 * n].reshape(-1, 13)
    c.search(0.0, y)
    t = touched = 0
    for step in range(steps):
        if step % 40 == 0:
            rows[:, 7:10] = rng.normal(size=(n, 3))
            rows[:, 10:13] = 100.0 * rng.normal(size=(n, 3))
        t += 1e-3
        rows[:, :3] += 1e-3 * rows[:, 7:10]
        rows[:, 7:10] *= np.where((rows[:, :3] < 0.0) | (rows[:, :3] > 1.0), -1.0, 1.0)
        points = c.ask(FORCES, t, y)
        c.W.count[SINCE] += 1  # as an accepted step
        apart = np.linalg.norm(rows[:, None, :3] - rows[None, :, :3], axis=2) - radii[:, None] - radii[None, :]
        assert points == c.W.count[POINTS] == (apart[np.triu_indices(n, 1)] < 0.0).sum()
        touched += points
    assert touched > steps
    assert (c.W.count[GRIDS] > 0) == grid
    assert c.W.count[BUILDS] < 0.65 * steps  # and a list serves more than one step
    assert c.W.count[NEAR] < n * (n - 1) // 2


def test_bodies_that_may_touch_are_counted_without_a_walk_over_pairs():
    """Counts by kind and body against a walk over all pairs: joints exclude, one part never meets itself."""
    m = hn.Model("mixed")
    parts = [m.part(f"part {k}", 1.0, (1e-3,) * 3, (0.3 * k, 0, 0)) for k in range(6)]
    for p, q in ((0, 1), (2, 3)):
        m.revolute(parts[p], parts[q], at=(0.3 * p, 0, 0), axis=(0, 0, 1))
    balls = [m.sphere(parts[k], (0.3 * k, 0.01 * j, 0), 0.01) for k in (0, 1, 2, 4) for j in range(2)]
    boxes = [m.box(parts[k], (0.3 * k, 0, 0.1), (0.1, 0.1, 0.1)) for k in (1, 3, 3)]
    m.contact(balls, balls, stiffness=1e5, exponent=1.5)
    m.contact(balls, boxes, stiffness=1e5, exponent=1.5)
    c = System(m).contacts
    at, joined = c.body, {frozenset((0, 1)), frozenset((2, 3))}
    pairs = [{frozenset((int(at[a]), int(at[b]))) for a in i for b in j} for i, j in c.sides]
    every = {p for found in pairs for p in found if len(p) == 2 and p not in joined}
    assert {frozenset(p) for p in c.body_pairs.tolist()} == every
    assert set(c.touched.tolist()) == set().union(*every)
    meet = lambda a, b: at[a] != at[b] and frozenset((int(at[a]), int(at[b]))) not in joined
    (i, _), (k, j) = c.sides
    assert c.defined == sum(meet(a, b) for a in i for b in i if a < b) + sum(meet(a, b) for a in k for b in j)
