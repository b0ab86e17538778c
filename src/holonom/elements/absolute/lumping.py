"""Diagonal masses of elements in absolute nodal coordinates, and how long a step of explicit methods is stable with
them.

An element keeps the diagonal of its consistent mass, scaled so that its whole mass moves with its places:

    m_i <- m_ii (u^T m u) / sum of m_jj over positions j,     u: a field that is one everywhere

(E. Hinton, T. Rock, O. C. Zienkiewicz, Earthquake Eng. Struct. Dyn. 4 (1976) 245-249).  Momentum is exact; the inertia
against turning and frequencies are off with the square of the length of an element.  Of a cable, cubic along its axis,
with elements of the length h and wave number k, as for waves on an endless one, frequencies are lower by the share

    (k h)^2 0.0128  (5.8e-3 at ten elements a wave, of stretching and of bending; consistent: 1e-6 and 1e-4; nearer free
        ends up to twice as much)

while the highest of an element falls from 13.04 c/h to 3.61 c/h (stretching; c = sqrt(EA/m)).

No frequency of a mesh is above the highest of its elements alone (B. M. Irons, 1970; T. J. R. Hughes, The Finite
Element Method, 1987, 9.1): central differences are stable up to steps of 2 over it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._jit import interpreted
from . import ABSOLUTE_ELEMENTS, NAMES

FEW = 8  # elements that differ, of which the stiffness is had in plain Python sooner than compiled
DIGITS = 9  # to which elements are alike


def unity(kind: Any, count: int = 1) -> np.ndarray:
    """(count, S) weights of the vectors of elements of a kind in a field that is one everywhere: of positions one, of
    gradients zero."""
    return np.tile(np.eye(kind.PER_NODE // 3)[0], (count, kind.NODES))


def lumped(masses: np.ndarray, unity: np.ndarray) -> np.ndarray:
    """(e, n, n) diagonal masses of elements with the consistent ones ``masses`` (e, n, n); ``unity`` (e, n / 3):
    see `unity`."""
    diagonal = np.einsum("eii->ei", masses)
    u = np.repeat(unity, 3, axis=1)
    whole = np.einsum("ei,eij,ej->e", u, masses, u)
    scale = whole / (diagonal * (u != 0.0)).sum(axis=1)
    out = np.zeros_like(masses)
    np.einsum("eii->ei", out)[:] = scale[:, None] * diagonal
    return out


def highest_frequency(mesh: Any, factor: float) -> float:
    """The highest angular frequency of any element of an ABSOLUTE_MESH alone, as drawn, rad/time; ``factor``: its mass
    unit in force time^2 / length."""
    kind = ABSOLUTE_ELEMENTS[NAMES.index(mesh.element)]
    n = kind.NODES * kind.PER_NODE
    q0 = (
        np.array(mesh.places, float)
        .reshape(-1, mesh.width)[np.array(mesh.cells).reshape(-1, kind.NODES)]
        .reshape(-1, n)
    )
    properties = mesh.element_parameters(kind.NODES)
    data = kind.rows(q0, properties, mesh.unit)
    masses = factor * kind.masses(q0, properties, mesh.unit)
    masses = lumped(masses, unity(kind, len(data))) if mesh.lumped else masses
    # elements that are drawn alike, wherever they lie, have one frequency
    places = unity(kind, len(data))[:, :, None] != 0.0
    vectors = q0.reshape(len(q0), -1, 3)
    vectors = vectors - places * vectors[:, :1]
    alike = np.einsum("eia,eja->eij", vectors, vectors).reshape(len(q0), -1)
    size = np.abs(alike).max(initial=1e-300)
    keys = np.column_stack(
        [np.round(alike / size, DIGITS), np.asarray(properties, float), np.einsum("eii->ei", masses)]
    )
    first = np.unique(keys, axis=0, return_index=True)[1]
    stiffness = interpreted(kind.stiffness) if len(first) <= FEW and n <= 18 else kind.stiffness
    most, K, C, rest = 0.0, np.zeros((n, n)), np.zeros((n, n)), np.zeros(n)
    for e in first:
        stiffness(data, int(e), q0[e], rest, K, C)
        root = np.linalg.inv(np.linalg.cholesky(masses[e]))
        most = max(most, float(np.linalg.eigvalsh(root @ (0.5 * (K + K.T)) @ root.T)[-1]))
    return float(np.sqrt(most))
