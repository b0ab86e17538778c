"""A body that slides over the edge of a table and tips, without friction: nothing is lost, and what of the table lies
beyond the body changes nothing.

The faces lean on each other by ever more while the edge of the table stays along the face of the body: the force acts
where these overlap, also while one description of the contact gives way to the next, and ends where the body's last
corner has passed.
"""

import numpy as np
import pytest

import holonom as hn

SIZES, ROUND, SPEED, YAW = (0.421, 0.726, 0.5), 0.062, 1.5, 0.3
MASS, INERTIA = 150.0, (9.0, 6.0, 9.0)
CORNERS = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])


def run(table, body, low, high):
    """Table that ends at x = 0, from y = ``low`` to ``high``; state of the body at the end and its energies."""
    m = hn.Model("edge")
    m.gravity = (0, 0, -9.81)
    centre, half = np.array([-0.5, 0.5 * (low + high), -0.25]), np.array([0.5, 0.5 * (high - low), 0.25])
    if table == "box":
        floor = m.box(m.ground, centre, 2.0 * half)
    else:
        floor = m.hull(m.ground, centre + half * CORNERS)
    at, x = (-0.4, 0, 0.25), (np.cos(YAW), np.sin(YAW), 0)
    part = m.part("b", MASS, INERTIA, at, velocity=(SPEED, 0, 0))
    drawn = {"x": x, "z": (0, 0, 1)}
    shape = m.rounded_box(part, at, SIZES, ROUND, **drawn) if body == "rounded" else m.box(part, at, SIZES, **drawn)
    m.contact(shape, floor, restitution=0.0)
    out = hn.simulate(m, 1.0, 20, contact="events", integrator="DOP853", error=1e-8)
    b = out.part("b")
    state = np.concatenate([q.values[-1] for q in (b.position, b.velocity, b.angular_velocity)])
    return state, out.energy.total.values


@pytest.mark.parametrize("body", ["sharp", "rounded"])
def test_what_lies_beyond_the_body_changes_nothing(body):
    """The table's width does not, nor how it is described; the energy stays."""
    state, energy = run("box", body, -1.0, 1.0)
    assert np.abs(energy - energy[0]).max() < 1e-6 * 0.5 * MASS * SPEED**2
    assert state[7] > 1.0  # it has tipped
    for table, low, high in (("hull", -1.0, 1.0), ("box", -0.5, 0.9), ("hull", -2.0, 0.6)):
        other, _ = run(table, body, low, high)
        assert other == pytest.approx(state, abs=2e-6), (table, low, high)
