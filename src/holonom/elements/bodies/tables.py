"""Tables of bodies, made outside of kernels."""

from __future__ import annotations

import numpy as np

from . import layout
from .coupled import WIDTH
from .kinds import attach
from .rigid import Bodies


def body_tables(mass, J, Minv, gravity, rotates, tail: int = 0, carriers=None) -> Bodies:
    """Tables of ``mass`` (n,), principal inertias ``J`` (n, 3), inverse masses ``Minv`` (rows, 6) and flags ``rotates``
    (n + 1,), with ``tail`` further coordinates behind ground; nothing is held in a plane, and the metric is of
    zeros."""
    n = len(mass)
    rigid = Bodies(
        n=n,
        mass=mass,
        J=J,
        Minv=Minv,
        gravity=gravity,
        rotates=rotates,
        plane=np.zeros((0, 3), np.uint32),
        metric=np.zeros_like(Minv),
        end=layout.end(n, tail),
        moves=layout.unknowns(n, tail),
        tail=tail,
        coupled=np.zeros((0, WIDTH), np.int64),
    )
    return attach(rigid, carriers)


def no_bodies() -> Bodies:
    """Tables without a body but ground, of the types of all others: for who must know types before there is a
    system."""
    return body_tables(np.zeros(0), np.zeros((0, 3)), np.zeros((1, layout.MOVES)), np.zeros(3), np.zeros(1, np.uint8))


def enter_rigid(rows: slice, masses: np.ndarray, inertias: np.ndarray, mass, J, Minv, rotates) -> None:
    """Rigid bodies of these ``masses`` (k,) and principal ``inertias`` (k, 3) into ``rows`` of the columns of
    `Bodies`."""
    mass[rows], J[rows] = masses, inertias
    Minv[rows, layout.TRAVEL] = 1.0 / mass[rows][:, None]
    Minv[rows, layout.TURN] = 1.0 / J[rows]
    rotates[rows] = 1
