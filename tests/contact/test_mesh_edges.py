"""Bars of triangles laid across other things: edges meet where no corner is near."""

import numpy as np
import pytest
import scene as S

import holonom as hn
from holonom.contact.shapes import pair
from holonom.contact.tables import GAP, N, P

SIDES = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
FACES = np.array(
    [
        [0, 1, 3],
        [0, 3, 2],
        [4, 6, 7],
        [4, 7, 5],
        [0, 4, 5],
        [0, 5, 1],
        [2, 3, 7],
        [2, 7, 6],
        [0, 2, 6],
        [0, 6, 4],
        [1, 5, 7],
        [1, 7, 3],
    ]
)


def turned(axis, angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[1, 0, 0], [0, c, -s], [0, s, c]]) if axis == "x" else np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])


def laid_across(kind, height, lean=0.0, mu=0.3):
    """A bar along x over a fixed bar of triangles along y, both 0.2 thick; ``lean``: both stand on an edge."""
    m = hn.Model("across")
    m.gravity = (0, 0, -9.81)
    fixed = m.mesh(m.ground, (SIDES * (0.1, 1.0, 0.1) @ turned("y", lean).T, FACES))
    at, A = np.array([0.03, 0.0, height]), turned("x", lean)
    b = m.part("bar", 1.0, (0.003, 0.3, 0.3), at)
    if kind == "box":
        bar = m.box(b, at, (2.0, 0.2, 0.2), x=A[:, 0], z=A[:, 2])
    elif kind == "mesh":
        bar = m.mesh(b, (SIDES * (1.0, 0.1, 0.1) @ A.T, FACES), at=at)
    else:
        bar = (m.cylinder if kind == "cylinder" else m.capsule)(b, at - (1.0, 0, 0), at + (1.0, 0, 0), 0.1)
    m.contact(bar, fixed, stiffness=1e6, damping=1000.0, mu=mu)
    return m


@pytest.mark.parametrize("way", ["compliant", "events", "time-stepping"])
@pytest.mark.parametrize("kind", ["box", "mesh", "cylinder", "capsule"])
def test_a_bar_across_a_bar_stays_there(kind, way):
    run = hn.simulate(laid_across(kind, 0.25), 0.6, 30, contact=way)
    z = run.part("bar").position.values[:, 2]
    assert abs(z[-1] - 0.2) < 1e-3  # k d^2.2 = m g leaves 0.5 mm
    assert np.abs(run.part("bar").angular_velocity.values[-1]).max() < 1e-3


@pytest.mark.parametrize(
    "kind, deepest", [("box", 0.0), ("mesh", 0.0), ("cylinder", np.sqrt(0.02) - 0.1), ("capsule", np.sqrt(0.02) - 0.1)]
)
def test_edges_meet_where_they_cross(kind, deepest):
    """Edge on edge: gap and normal at the crossing, apart and a little inside."""
    from holonom.system.build import System

    m = laid_across(kind, 0.4, np.pi / 4)
    s = System(m)
    touch = 2.0 * np.sqrt(0.02) - deepest
    for gap in (3e-3, 1e-4, -1e-4, -3e-3):
        y = s.y0.copy()
        y[13 * s.body_index["PART", 2] + 2] = touch + gap
        n = s.contacts.collect(0.0, y, 5e-3)
        rows = s.contacts.W.pts[:n]
        k = int(np.argmin(rows[:, GAP]))
        assert rows[k, GAP] == pytest.approx(gap, abs=1e-9)
        np.testing.assert_allclose(np.abs(rows[k, N : N + 3]), (0, 0, 1), atol=1e-6)
        np.testing.assert_allclose(rows[k, P : P + 2], 0.0, atol=1e-6)


def test_rates_of_edges_on_edges():
    """The gap of a crossing and its normal move as the curvatures of two straight edges say."""
    kernel = pair("MESH", "MESH")[0]
    from test_mesh import item

    bar = lambda sides: (SIDES * sides, FACES)
    one, two = (
        item(bar((1.0, 0.1, 0.1)), (0.05, 0.02, 0.28), (np.pi / 4 + 0.1, 0.0, 0.0)),
        item(bar((0.1, 1.0, 0.1)), (0, 0, 0), (0, np.pi / 4 - 0.05, 0)),
    )
    sh = S.scene(one, two)
    rows = S.points(kernel, sh, reach=0.05)
    assert len(rows)
    S.check_rates(kernel, sh, reach=0.05, which=[int(np.argmin(rows[:, GAP]))])
