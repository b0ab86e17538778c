"""Thickness of walls, against what was drawn."""

import time

import numpy as np
import pytest
import trimesh

import holonom as hn
from holonom.contact.walls import WALL, outline_thickness


def _walls(add):
    m = hn.Model()
    a, b = (m.part(n, 1.0, (1.0,) * 3, (0, 0, 0)) for n in "ab")
    m.contact(add(m, a), m.sphere(b, (9, 9, 9), 0.1), stiffness=1e5)
    sim = hn.Simulation(m)
    sim.dynamics(end=1.0, steps=1)
    return sim.system.contacts.S.sh.par[0, WALL]


def _cup(t):
    mesh = trimesh.creation.revolve(
        np.array([(0, 0), (0.1, 0), (0.1, 0.1), (0.1 - t, 0.1), (0.1 - t, t), (0, t)]), sections=24
    )
    mesh.merge_vertices()
    if mesh.volume < 0:
        mesh.invert()
    return mesh


@pytest.mark.parametrize("t", [1e-3, 5e-3])
def test_of_meshes(t):
    assert _walls(lambda m, p: m.mesh(p, _cup(t))) == pytest.approx(
        t, rel=0.02
    )  # of the polygon that represents the circle
    assert _walls(lambda m, p: m.mesh(p, trimesh.creation.box((0.4, 0.3, t)))) == pytest.approx(t)
    oblique = trimesh.creation.box((0.4, 0.3, t))
    oblique.apply_transform(trimesh.transformations.rotation_matrix(0.7, (1, 2, 3)))
    assert _walls(lambda m, p: m.mesh(p, oblique)) == pytest.approx(t)
    assert _walls(lambda m, p: m.mesh(p, trimesh.creation.icosphere(3, 0.2))) == pytest.approx(0.4, rel=0.02)


def test_of_profiles():
    angle = [(0, 0), (1, 0), (1, 0.02), (0.02, 0.02), (0.02, 1), (0, 1)]
    assert _walls(lambda m, p: m.extrusion(p, angle, 2.0)) == pytest.approx(0.02)
    assert _walls(lambda m, p: m.extrusion(p, angle, 0.01)) == pytest.approx(0.01)
    tube = [(0.1, 0), (0.11, 0), (0.11, 1), (0.1, 1)]
    assert _walls(lambda m, p: m.revolution(p, tube, at=(0, 0, 0), axis=(0, 0, 1))) == pytest.approx(0.01)
    assert outline_thickness(np.array([(0, 0), (0.1, 0), (0.1, 1), (0, 1)]), True) == pytest.approx(
        0.2
    )  # through the axis
    assert _walls(lambda m, p: m.torus(p, (0, 0, 0), (0, 0, 1), 0.5, 0.1)) == pytest.approx(0.2)
    assert _walls(lambda m, p: m.box(p, (0, 0, 0), (1, 2, 3))) == 0.0  # its box says it


def test_of_outlines_of_many_points():
    """Flanks of gears have thousands of points.  A bent strip is as thick as it was drawn, and measured at once."""
    turn = np.linspace(0.3, 6.0, 4000)
    arc = np.column_stack([np.cos(turn), np.sin(turn)])
    begin = time.process_time()
    for thick, size in ((1e-2, 1.0), (0.3, 1e-4), (2e-4, 1e3)):
        strip = size * np.vstack([arc, (1.0 - thick) * arc[::-1]])
        assert outline_thickness(strip, False) == pytest.approx(size * thick, rel=1e-3)
        assert outline_thickness(strip + size * np.array([2.0, 0.0]), True) == pytest.approx(size * thick, rel=1e-3)
    assert time.process_time() - begin < 15.0  # 2 s; all pairs of rays and faces: more than 100 s
