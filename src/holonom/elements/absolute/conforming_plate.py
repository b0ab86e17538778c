"""Thin plate or shell, conforming: four nodes of (r, r_x, r_y, r_xy), 48 coordinates, the bicubic of Bogner, Fox and
Schmit.

All of `thin_plate` (strains, material, parametrisation), with the sixteen products of cubics in x and y for the
position, so that the surface and its tangents are continuous across edges (on meshes of two families of lines): the
energy of bending is that of a surface, deflections converge with the fourth power of the size of elements.  The price
is the twist r_xy as a coordinate, a gradient of second order (times the square of the mesh's ``unit``).  4 x 4 points
of Gauss.

Source: F. K. Bogner, R. L. Fox, L. A. Schmit, Proc. Conf. Matrix Methods in Structural Mechanics, AFFDL-TR-66-80 (1966)
397-444.
"""

from __future__ import annotations

import numpy as np

from .plates import BFS, DIM, NODES, PROPERTIES, RESULTANTS, Plate, plate_properties
from .section_kind import section_kind

__all__ = ["NODES", "PROPERTIES", "RESULTANTS"]
PER_NODE = 12
SHAPES, VECTORS = 16, 5
WHAT = "a conforming plate"
PLATE = Plate(WHAT, BFS, (0, 1, 1, 2), rule=4)


def properties(thickness: float, material, *, a: float = 0.0, b: float = 0.0) -> np.ndarray:
    """(10,) numbers of elements, as `thin_plate.properties`."""
    return plate_properties(thickness, material, a, b, 0.0, WHAT)


rows, masses, faults = PLATE.rows, PLATE.masses, PLATE.faults
weights, resultants = PLATE.weights, PLATE.resultants
forces, stiffness, energies, _ = section_kind(VECTORS, DIM, SHAPES)
