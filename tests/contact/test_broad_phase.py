"""Search of near pairs: none that touch is missed while everything moves, spins and changes its speed."""

import numpy as np

import holonom as hn
from holonom.contact.call import FORCES
from holonom.contact.tables import BUILDS, NEAR, POINTS, SINCE
from holonom.system.build import System


def test_a_crowd_of_balls_is_never_missed():
    rng = np.random.default_rng(3)
    n = 40
    radii = 0.02 + 0.08 * rng.random(n)
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
    for step in range(400):
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
    assert touched > 400
    assert c.W.count[BUILDS] < 250  # and a list serves more than one step
    assert c.W.count[NEAR] < n * (n - 1) // 2
