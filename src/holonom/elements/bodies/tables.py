"""Tables of bodies, made outside of kernels."""

from __future__ import annotations

import numpy as np

from . import layout
from .rigid import Bodies


def no_bodies() -> Bodies:
    """Tables without a body but ground, of the types of all others: for who must know types before there is a system."""
    Minv = np.zeros((1, layout.MOVES))
    return Bodies(n=0, mass=np.zeros(0), J=np.zeros((0, 3)), Minv=Minv, gravity=np.zeros(3), rotates=np.zeros(1, np.uint8),
                  plane=np.zeros((0, 3), np.uint32), metric=np.zeros_like(Minv), end=layout.end(0), moves=layout.unknowns(0),
                  tail=0, carriers=None)  # fmt: skip


def enter_rigid(rows: slice, masses: np.ndarray, inertias: np.ndarray, mass, J, Minv, rotates) -> None:
    """Rigid bodies of these ``masses`` (k,) and principal ``inertias`` (k, 3) into ``rows`` of the columns of `Bodies`."""
    mass[rows], J[rows] = masses, inertias
    Minv[rows, layout.TRAVEL] = 1.0 / mass[rows][:, None]
    Minv[rows, layout.TURN] = 1.0 / J[rows]
    rotates[rows] = 1
