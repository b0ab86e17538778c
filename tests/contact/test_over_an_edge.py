"""A body that slides over the edge of a table and tips, without friction: nothing is lost, and what of the table lies
beyond the body changes nothing.

The faces lean on each other by ever more while the edge of the table stays along the face of the body: the force acts
where these overlap, also while one description of the contact gives way to the next, and ends where the body's last
corner has passed.
"""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from fuzz._solids import box_mesh

import holonom as hn

SIZES, ROUND, SPEED, YAW = (0.421, 0.726, 0.5), 0.062, 1.5, 0.3
MASS, INERTIA = 150.0, (9.0, 6.0, 9.0)
CORNERS = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])


def run(table, body, low, high, length=1.0):
    """Table that ends at x = 0, from y = ``low`` to ``high``; state of the body at the end and its energies.

    ``length``: by which the scene is scaled (times by its root); results are scaled back."""
    m = hn.Model("edge")
    m.gravity = (0, 0, -9.81)
    centre = length * np.array([-0.5, 0.5 * (low + high), -0.25])
    half = length * np.array([0.5, 0.5 * (high - low), 0.25])
    root = np.sqrt(length)
    if table == "box":
        floor = m.box(m.ground, centre, 2.0 * half)
    elif table == "hull":
        floor = m.hull(m.ground, centre + half * CORNERS)
    else:
        corners, triangles = box_mesh(half)
        floor = m.mesh(m.ground, (centre + corners, triangles))
    at, drawn = length * np.array([-0.4, 0, 0.25]), {"x": (np.cos(YAW), np.sin(YAW), 0), "z": (0, 0, 1)}
    part = m.part("b", MASS, tuple(length**2 * np.array(INERTIA)), tuple(at), velocity=(SPEED * root, 0, 0))
    sizes = length * np.array(SIZES)
    if body == "rounded":
        shape = m.rounded_box(part, at, sizes, ROUND * length, **drawn)
    else:
        shape = m.box(part, at, sizes, **drawn)
    m.contact(shape, floor, restitution=0.0)
    out = hn.simulate(m, root, 20, contact="events", integrator="DOP853", error=1e-8)
    b = out.part("b")
    state = [b.position.values[-1] / length, b.velocity.values[-1] / root, b.angular_velocity.values[-1] * root]
    return np.concatenate(state), out.energy.total.values / length


@pytest.mark.parametrize("body", ["sharp", "rounded"])
def test_what_lies_beyond_the_body_changes_nothing(body):
    """The table's width does not, nor how it is described; the energy stays."""
    state, energy = run("box", body, -1.0, 1.0)
    assert np.abs(energy - energy[0]).max() < 1e-6 * 0.5 * MASS * SPEED**2
    assert state[7] > 1.0  # it has tipped
    for table, low, high in (("hull", -1.0, 1.0), ("box", -0.5, 0.9), ("mesh", -2.0, 0.6)):
        other, _ = run(table, body, low, high)
        assert other == pytest.approx(state, abs=2e-6), (table, low, high)


def test_a_large_body_slides_over_an_edge_as_a_small_one():
    """Froude's law: where all is 1000 times as large, steps over the whole run are possible while the body slides."""
    state, _ = run("box", "rounded", -1.0, 1.0)
    for table in ("box", "mesh"):
        large, energy = run(table, "rounded", -1.0, 1.0, 1000.0)
        assert large == pytest.approx(state, abs=2e-6)
        assert np.abs(energy - energy[0]).max() < 1e-6 * 0.5 * MASS * SPEED**2
