"""Meshes of blocks and shafts: volumes, groups, faces that fit each other, and what cannot be."""

import numpy as np
import pytest

import holonom as hn
from holonom.flexible import Material, Mesh, box, cylinder, solid
from holonom.flexible.mesh_makers import CELL_TYPES

pytest.importorskip("skfem")


def volume_inside(fe):
    """Of the surface that it is drawn with."""
    a, b, c = fe.places[fe.faces].transpose(1, 0, 2)
    return np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0


def mass(fe):
    u = np.tile([1.0, 0, 0], len(fe.nodes))
    return u @ (fe.M @ u)


@pytest.mark.parametrize("kind", CELL_TYPES)
def test_boxes(kind):
    mesh = box((2, 1, 1), (0, 0, -1), (3, 2, 2), kind)
    fe = solid(mesh, Material(1.0, 0.3, 1.0))
    assert mass(fe) == pytest.approx(4.0) and volume_inside(fe) == pytest.approx(4.0)
    assert set(mesh.groups) == {"x-", "x+", "y-", "y+", "z-", "z+"}
    assert mesh.points[mesh.groups["z-"]][:, 2] == pytest.approx(-1.0) and np.ptp(
        mesh.points[mesh.groups["z-"]], axis=0
    ) == pytest.approx([2, 1, 0])
    # edges of the surface: each between two faces
    edges, times = np.unique(
        np.sort(fe.faces[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1), axis=0, return_counts=True
    )
    assert np.all(times == 2)
    assert mesh.nearest((2, 1, 1)) in mesh.group("x+")


@pytest.mark.parametrize("kind", CELL_TYPES)
@pytest.mark.parametrize("hollow", (0.0, 0.4))
def test_cylinders(kind, hollow):
    start, end = np.array([1.0, 2, 3]), np.array([3.0, 2, 4])
    mesh = cylinder(start, end, 1.0, hollow, (3, 2, 16), kind)
    fe = solid(mesh, Material(1.0, 0.3, 1.0))
    exact = np.pi * (1 - hollow**2) * np.sqrt(5)
    polygon = np.sin(np.pi / 8) / (np.pi / 8)
    assert mass(fe) == pytest.approx(
        exact * (1.0 if "0" in kind or "7" in kind else polygon), rel=1e-4 if "0" in kind or "7" in kind else 1e-9
    )
    axis = (end - start) / np.sqrt(5)
    along = (mesh.points - start) @ axis
    r = np.linalg.norm(mesh.points - start - along[:, None] * axis, axis=1)
    assert r[mesh.groups["surface"]] == pytest.approx(1.0) and along[mesh.groups["end"]] == pytest.approx(np.sqrt(5))
    assert ("bore" in mesh.groups) == (hollow > 0)


def test_what_cannot_be_says_so():
    for call, text in (
        (lambda: box((0, 0, 0), (1, 0, 1)), "give points apart along x, y and z"),
        (lambda: box((0, 0, 0), (1, 1, 1), (2, 2)), "give 3 whole numbers from 1"),
        (lambda: box((0, 0, 0), (1, 1, 1), (2, 2.5, 1)), "give 3 whole numbers from 1"),
        (lambda: box((0, 0, 0), (1, 1, 1), (2000, 2000, 2000)), "more than 2000000"),
        (lambda: box((0, 0, 0), (1, 1, 1), (1, 1, 1), "brick"), "cells of kind 'brick' are not made"),
        (lambda: cylinder((0, 0, 0), (0, 0, 0), 1.0), "has no volume"),
        (lambda: cylinder((0, 0, 0), (1, 0, 0), 1.0, 1.0), "has no volume"),
        (lambda: cylinder((0, 0, 0), (1, 0, 0), 1.0, 0.5, (1, 1, 2)), "too few"),
        (lambda: cylinder((0, 0), (1, 0, 0), 1.0), r"an edge of a mesh is \(0, 0\); give x, y, z"),
        (lambda: cylinder((0, 0, 0), (1, 0, 0), "thin"), "a radius of a mesh is 'thin'; give a number"),
        (lambda: Material("stiff", 0.3, 1.0), "E of a material is 'stiff'; give a number"),
        (lambda: Material(1.0, 0.5, 1.0), "nu of a material is 0.5; give a number above -1 and below 0.5"),
        (lambda: Mesh("a", {}), "points of a mesh are 'a'; give finite numbers"),
        (
            lambda: Mesh([[0, 0, 0]], {"tetra": [[0, 1, 2]]}),
            r"cells of kind tetra are .*; give node indices \(c, 4\)",
        ),
        (lambda: box((0, 0, 0), (1, 1, 1)).nearest("tip"), "a point is 'tip'; give x, y, z"),
        (lambda: Mesh([[0, 0, 0]], {}, groups={"a": [3]}), "group 'a' has nodes from 3 to 3"),
        (lambda: Mesh([[0, 0, 0]], {}, regions={"a": {"tetra": [0]}}), "region 'a' has tetra 0 to 0; there are 0"),
        (lambda: box((0, 0, 0), (1, 1, 1)).group("top"), "no group 'top'; it has x-, x"),
    ):
        with pytest.raises(hn.ModelError, match=text):
            call()
