"""Kernels of elements whose energy is one of strains at points (`points`): beams and plates."""

from __future__ import annotations

from typing import NamedTuple

from ..._jit import Kernel, jit
from . import points
from .entries import ACCEPT, ENERGIES, FORCES, STIFFNESS


class SectionKind(NamedTuple):
    """What the file of such an element calls ``forces``, ``stiffness``, ``energies`` and, where its sections may yield,
    ``accept`` (`elements.absolute`)."""

    forces: Kernel
    stiffness: Kernel
    energies: Kernel
    accept: Kernel


def section_kind(vectors: int, dim: int, shapes: int) -> SectionKind:
    """Kernels of elements with ``vectors`` vectors at a point, of ``dim`` numbers each, over ``shapes`` shape
    functions: n = dim shapes coordinates."""

    @jit(entry=FORCES)
    def forces(data, e, q, qd, f):
        """f (n) <- elastic and damping forces of element e."""
        points.forces(vectors, dim, shapes, data[e], q, qd, f)

    @jit(entry=STIFFNESS)
    def stiffness(data, e, q, qd, K, C):
        """K, C (n, n) <- -df/dq, -df/dq' of element e; whether there are dampers."""
        return points.stiffness(vectors, dim, shapes, data[e], q, qd, K, C)

    @jit(entry=ENERGIES)
    def energies(data, e, q, qd):
        """(strain energy, power of the dampers, not positive) of element e."""
        return points.energies(vectors, dim, shapes, data[e], q, qd)

    @jit(entry=ACCEPT)
    def accept(data, e, q):
        """What element e remembers is brought up to the coordinates q (n)."""
        points.accept(vectors, dim, shapes, data[e], q)

    return SectionKind(forces, stiffness, energies, accept)
