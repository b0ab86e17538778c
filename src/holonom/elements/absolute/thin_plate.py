"""Thin plate or shell: four nodes of (r, r_x, r_y), 36 coordinates, gradient-deficient (Dufva and Shabana; Dmitrochenko
and Pogorelov).

x = u a and y = v b run along two families of lines of the surface, u and v from 0 to 1 in an element, nodes at (0, 0),
(1, 0), (1, 1), (0, 1).  The position is that of Adini, Clough and Melosh: the polynomial of 1, x, y, x^2, xy, y^2, x^3,
x^2 y, x y^2, y^3, x^3 y, x y^3 that has the positions and gradients of the nodes.  Strains are Koiter's, with n the
unit normal along r_x x r_y and those of the unloaded surface taken off,

    eps_ab = r_a . r_b / 2,      kappa_ab = -r_ab . n,      V = 1/2 int h eps C eps + h^3/12 kappa C kappa dA

C is plane stress in the metric A_ab of the surface as drawn, C^abcd = E/(1 - nu^2) (nu A^ab A^cd + (1 - nu)/2 (A^ac
A^bd + A^ad A^bc)): flat elements may be rectangles or parallelograms, and curved ones whatever two families of lines
make of the surface.  3 x 3 points of Gauss.  No shear deformation; sections have no rotary inertia.

Along an edge the position is that of the neighbour, the slope across it only at the nodes (the element is not
conforming; rectangles and parallelograms pass the patch test of constant curvature and converge with the square of
their size). `conforming_plate` has the twist r_xy too, is conforming, and converges with the fourth power.

Sources: K. Dufva, A. A. Shabana, Proc. Inst. Mech. Eng. K 219 (2005) 345-355; O. N. Dmitrochenko, D. Yu. Pogorelov,
Multibody Syst. Dyn. 10 (2003) 17-43; A. Adini, R. W. Clough, report to the NSF, G 7337 (1961); W. T. Koiter, Proc.
IUTAM Symp. Thin Elastic Shells (1959) 12-33.
"""

from __future__ import annotations

import numpy as np

from .plates import ACM, CORNERS, DIM, NODES, PROPERTIES, RESULTANTS, Plate, plate_properties
from .section_kind import section_kind

__all__ = ["CORNERS", "NODES", "PROPERTIES", "RESULTANTS"]
PER_NODE = 9
SHAPES, VECTORS = 12, 5
WHAT = "a thin plate"
PLATE = Plate(WHAT, ACM, (0, 1, 1))


def properties(thickness: float, material, *, a: float = 0.0, b: float = 0.0) -> np.ndarray:
    """(10,) numbers of elements, for `rows`, `masses` and `resultants`: ``thickness``, length; ``material``: `Linear`;
    ``a``, ``b``: how much x and y grow over an element, by default (0) mean lengths of the sides as drawn, which are to
    be the same for neighbours.  Raises ModelError."""
    return plate_properties(thickness, material, a, b, 0.0, WHAT)


rows, masses, faults = PLATE.rows, PLATE.masses, PLATE.faults
weights, resultants = PLATE.weights, PLATE.resultants
forces, stiffness, energies, _ = section_kind(VECTORS, DIM, SHAPES)
