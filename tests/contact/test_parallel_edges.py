"""Box against box with edges or faces exactly parallel: the points at the ends of what they share."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import holonom as hn
from holonom.analyses.assemble import assemble
from holonom.contact.tables import GAP, WEIGHT, N, P
from holonom.system.build import System

SQUARE, TIPPED = np.eye(3), Rotation.from_euler("y", 45, degrees=True).as_matrix()
ROOT = np.sqrt(2)


def points(at, axes, rigid):
    m = hn.Model("boxes")
    shapes = []
    for name, place in (("lower", (0, 0, 0)), ("upper", at)):
        body = m.part(name, 1.0, (1, 1, 1), place)
        shapes.append(m.box(body, place, (1, 1, 1), x=axes[:, 0], z=axes[:, 2]))
    m.contact(*shapes, **({} if rigid else {"stiffness": 1e5}))
    system = System(m, rigid=rigid)
    c = system.contacts
    return c.W.pts[: c.collect(0.0, assemble(system).y, 0.05)].copy()


# where the upper box is, axes of both, ends of the shared edge (x, z and two y), the gap between them
EDGES = {
    "edge to edge, apart": ((0, 0.3, ROOT + 1e-3), TIPPED, (0, ROOT / 2, -0.2, 0.5), 1e-3),
    "edge to edge, touching": ((0, 0.3, ROOT), TIPPED, (0, ROOT / 2, -0.2, 0.5), 0.0),
    "faces beside each other": ((1.0001, 0.3, 1.001), SQUARE, (0.5, 0.5, -0.2, 0.5), np.hypot(1e-4, 1e-3)),
    "corner to corner": ((1.0005, 0.0, 1.0005), SQUARE, (0.5, 0.5, -0.5, 0.5), 5e-4 * ROOT),
}


@pytest.mark.parametrize("rigid", [True, False])
@pytest.mark.parametrize("name", EDGES)
def test_parallel_edges_touch_at_both_ends(name, rigid):
    at, axes, (x, z, low, high), gap = EDGES[name]
    found = points(at, axes, rigid)
    assert len(found) == 2
    np.testing.assert_allclose(found[:, GAP], gap, atol=1e-9)
    np.testing.assert_allclose(np.sort(found[:, P + 1]), [low, high], atol=1e-9)
    np.testing.assert_allclose(found[:, [P, P + 2]], [[x, z]] * 2, atol=1.1e-3)
    assert found[:, WEIGHT].sum() == pytest.approx(1.0)


@pytest.mark.parametrize(("turned", "count"), [(0, 4), (45, 8)])
def test_faces_touch_at_the_corners_of_what_they_share(turned, count):
    m = hn.Model("faces")
    shapes = []
    for k, angle in enumerate((0, turned)):
        A = Rotation.from_euler("z", angle, degrees=True).as_matrix()
        body = m.part(f"box {k}", 1.0, (1, 1, 1), (0, 0, 1.0 * k))
        shapes.append(m.box(body, (0, 0, 1.0 * k), (1, 1, 1), x=A[:, 0], z=A[:, 2]))
    m.contact(*shapes)
    system = System(m, rigid=True)
    c = system.contacts
    found = c.W.pts[: c.collect(0.0, assemble(system).y, 0.05)]
    assert len(found) == count
    np.testing.assert_allclose(found[:, GAP], 0.0, atol=1e-12)
    np.testing.assert_allclose(np.abs(found[:, N + 2]), 1.0)


def test_a_box_that_hangs_over_by_its_whole_length_keeps_two_points():
    """An edge exactly over an edge, pressed together: neither turns about the line of the other."""
    found = points((1.0, 0.0, 1.0), SQUARE, True)
    assert len(found) == 2
    np.testing.assert_allclose(np.sort(found[:, P + 1]), [-0.5, 0.5], atol=1e-9)
