"""Spiders: many nodes of a body tied to one interface node, rigidly (RBE2) or with their mean motion (RBE3).

Rigid: the nodes move as one rigid body, u_s = u + r x (x_s - x), which makes the body stiffer there.  Distributing: the
interface node moves as the rigid motion nearest to what the nodes do, in least squares with equal weights, and spreads
forces and moments over them accordingly; it adds no stiffness.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.linalg as la

from .._summary import Summary
from ..model.base import ModelError, shown

SPIDER_TYPES = ("rigid", "distributing")


@dataclass(frozen=True)
class Spider(Summary):
    """What ties nodes to one interface node: ``nodes`` their ids; ``at`` its position, length (None: their middle);
    ``kind`` "rigid" or "distributing"; ``id`` of the interface node (0: the next free one)."""

    nodes: tuple[int, ...]
    at: tuple[float, float, float] | None = None
    kind: str = "rigid"
    id: int = 0


def spider(nodes: Sequence[int], at=None, kind: str = "rigid", id: int = 0) -> Spider:
    """Spider over nodes, for `FiniteElements.tied` and for ``interfaces`` of `Model.make_flexible`.

    ``nodes``: ids (`Mesh.group` gives those of a group); ``at``: position of the interface node, length (default: the
    mean of the nodes); ``kind``: "rigid" or "distributing"; ``id``: of the interface node (default: the next free
    one). Raises `ModelError` for invalid values.

        shaft = hn.flexible.spider(mesh.group("bore"), at=(0, 0, 0.1))
    """
    if not isinstance(kind, str) or kind not in SPIDER_TYPES:
        raise ModelError(f"kind of a spider is {shown(kind)}; give {' or '.join(SPIDER_TYPES)}")
    try:
        whole = [int(k) for k in nodes]
        good = len(whole) > 0 and all(k == n for k, n in zip(whole, nodes))
    except (TypeError, ValueError):
        good = False
    if not good:
        raise ModelError(f"nodes of a spider are {shown(nodes)}; give ids of nodes, one or more")
    place = None
    if at is not None:
        try:
            place = np.asarray(at, float)
        except (TypeError, ValueError):
            place = np.zeros(0)
        if place.shape != (3,) or not np.all(np.isfinite(place)):
            raise ModelError(f"at of a spider is {shown(at)}; give x, y, z")
    if not isinstance(id, int) or id < 0:
        raise ModelError(f"id of a spider is {shown(id)}; give a positive whole number")
    return Spider(tuple(dict.fromkeys(whole)), None if place is None else tuple(float(v) for v in place), kind, id)


def skew(s: np.ndarray) -> np.ndarray:
    """(.., 3, 3) matrices of the cross products s x, of vectors (.., 3)."""
    out = np.zeros((*s.shape, 3))
    out[..., 0, 1], out[..., 0, 2], out[..., 1, 2] = -s[..., 2], s[..., 1], -s[..., 0]
    out[..., 1, 0], out[..., 2, 0], out[..., 2, 1] = s[..., 2], -s[..., 1], s[..., 0]
    return out


def rigid_motions(s: np.ndarray) -> np.ndarray:
    """(a, 6, 6) displacements and rotations of points s (a, 3) by translations, and by rotations about the origin."""
    R = np.zeros((len(s), 6, 6))
    R[:, :3, :3] = R[:, 3:, 3:] = np.eye(3)
    R[:, :3, 3:] = -skew(s)
    return R


def nearest_rigid(s: np.ndarray) -> np.ndarray | None:
    """(6, 3 k): the rigid motion, at the origin, nearest to displacements of points s (k, 3), in least squares; None
    where they do not give it."""
    size = np.linalg.norm(s, axis=1).max(initial=0.0) or 1.0
    R = rigid_motions(s)[:, :3].reshape(-1, 6)
    inverse, rank = la.pinv(R / ([1.0] * 3 + [size] * 3), rtol=1e-9, return_rank=True)
    return inverse / np.array([1.0] * 3 + [size] * 3)[:, None] if rank == 6 else None
