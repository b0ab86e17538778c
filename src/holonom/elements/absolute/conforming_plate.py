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

from ..._jit import jit
from . import points, thin_plate
from .entries import ENERGIES, FORCES, STIFFNESS
from .thin_plate import (
    BFS,
    DIM,
    PROPERTIES,
    RESULTANTS,
    VECTORS,
    faults_of,
    make,
    mass,
    plate_properties,
    sound,
    surface_resultants,
    weights_of,
)

__all__ = ["PROPERTIES", "RESULTANTS"]
NODES, PER_NODE = 4, 12
SHAPES = 16
WHAT = "a conforming plate"


def properties(thickness: float, material, *, a: float = 0.0, b: float = 0.0) -> np.ndarray:
    """(10,) numbers of elements, as `thin_plate.properties`."""
    return plate_properties(thickness, material, a, b, 0.0, WHAT)


def scale(unit: float) -> np.ndarray:
    """(16,) what vectors of the nodes are multiplied by: r_x and r_y by the unit, r_xy by its square."""
    return np.tile([1.0, unit, unit, unit * unit], 4)


def _read(q0, properties, unit):
    own = scale(unit) / thin_plate.plate_scales(3, unit)
    q0 = points.drawn(q0, NODES * PER_NODE, WHAT).reshape(-1, SHAPES, DIM) / own[:, None]
    return thin_plate.read(q0.reshape(len(q0), -1), properties, unit, 3, WHAT)


def rows(q0, properties, unit: float = 1.0) -> np.ndarray:
    """(e, R) data rows of elements, unloaded as drawn: ``q0`` (e, 48) nodes round the element, as `thin_plate.rows`
    with the twist r_xy (zero where it is flat). Raises ModelError for elements that are inverted or have sides without
    length."""
    q, p, a, b = _read(q0, properties, unit)
    out = []
    for i in range(len(q)):
        sound(BFS, q[i], a[i], b[i], i, WHAT)
        out.append(make(BFS, q[i], a[i], b[i], p[i], scale(unit), 4))
    return points.stack_rows(out, WHAT)


def masses(q0, properties, unit: float = 1.0) -> np.ndarray:
    """(e, 48, 48) consistent masses: int rho h N^T N dA."""
    q, p, a, b = _read(q0, properties, unit)
    out = np.array([mass(BFS, q[i], a[i], b[i], p[i], scale(unit)) for i in range(len(q))]).reshape(-1, SHAPES, SHAPES)
    return np.einsum("eij,ab->eiajb", out, np.eye(DIM)).reshape(-1, 48, 48)


def faults(q, properties, unit: float = 1.0, q0=None) -> str:
    """One sentence about the first element that is inverted at coordinates ``q`` (e, 48), or "" (as
    `thin_plate.faults`)."""
    own = scale(unit) / thin_plate.plate_scales(3, unit)
    plain = lambda x: (points.drawn(x, NODES * PER_NODE, WHAT).reshape(-1, SHAPES, DIM) / own[:, None]).reshape(
        -1, NODES * PER_NODE
    )
    return faults_of(BFS, plain(q), plain(q if q0 is None else q0), properties, unit, 3, WHAT)


def unity(data) -> np.ndarray:
    """(e, 16) vectors of a field that is one everywhere."""
    return np.tile([1.0, 0.0, 0.0, 0.0] * 4, (len(data), 1))


def weights(properties, xi, unit: float = 1.0) -> np.ndarray:
    """(3, 16): position, r_x and r_y at xi = (u, v), over the vectors of an element with these properties, whose a and
    b are given."""
    return weights_of(BFS, properties, xi, scale(unit))


def resultants(properties, xi, q, unit: float = 1.0) -> np.ndarray:
    """(.., 6) forces and moments per length at xi = (u, v), by x and y, of elements that are rectangles as drawn."""
    return surface_resultants(BFS, properties, xi, q, scale(unit))


@jit(entry=FORCES)
def forces(data, e, q, qd, f):
    """f (48) <- elastic and damping forces of element e."""
    points.forces(VECTORS, DIM, SHAPES, data[e], q, qd, f)


@jit(entry=STIFFNESS)
def stiffness(data, e, q, qd, K, C):
    """K, C (48, 48) <- -df/dq, -df/dq' of element e; whether there are dampers."""
    return points.stiffness(VECTORS, DIM, SHAPES, data[e], q, qd, K, C)


@jit(entry=ENERGIES)
def energies(data, e, q, qd):
    """(strain energy, power of the dampers, not positive) of element e."""
    return points.energies(VECTORS, DIM, SHAPES, data[e], q, qd)


@jit
def stress(data, e, q, qd, strain, s):
    """strain, s (E) <- strains of element e and what is conjugate to them (`points.resultants`)."""
    points.resultants(VECTORS, DIM, SHAPES, data[e], q, qd, strain, s)
