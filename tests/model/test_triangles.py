"""Areas and normals of triangles: of a tetrahedron by hand, and what falls to corners adds up."""

import numpy as np
import pytest

from holonom.model.triangles import area_vectors, at_corners


def test_tetrahedron():
    points = np.array([[0, 0, 0], [2, 0, 0], [0, 3, 0], [0, 0, 4]], float) + 1e3
    faces = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    area = area_vectors(points, faces)
    assert area == pytest.approx(np.array([[0, 0, -3], [0, -4, 0], [-6, 0, 0], [6, 4, 3]]))
    assert np.abs(area.sum(0)).max() < 1e-12  # closed
    assert at_corners(faces, np.array([3.0, 6.0, 9.0, 12.0]), 5) == pytest.approx([6, 7, 8, 9, 0])
    assert at_corners(faces[:0], area[:0], 2).shape == (2, 3)
