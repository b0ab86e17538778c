"""Volume of a shape, and signed distances of points to it, in Python."""

from __future__ import annotations

import numpy as np

from ..._jit import jit
from ..._with_numba import with_numba
from ...model.base import ModelError
from ...model.shape_kinds import shape_kind
from ..tables import COLUMNS, GAP, PARAMETERS, SHAPE_TYPES, Shapes
from . import pack, pair


@with_numba
def _calls():
    global view_S, call
    from ..._handle import view_S
    from ._address import call


POOLS = {"vert": (3, float), "tri": (3, np.int64), "node": (8, float), "link": (4, np.int64), "seg": (12, float)}


def volume(solid) -> float:
    """Volume of a `model.shape.Solid`; infinite for planes, curves without end and hollow shapes; 0 for points and open
    curves."""
    return shape_kind(solid.kind).volume(solid)


@jit(entry="int64, Handle(Shapes, (), ()), float64, float64[:, ::1]")
def _points(address, shapes, far, rows):
    """Contact points of shapes 0 and 1 into ``rows``; how many."""
    return call(address, (view_S(shapes), 0, 1, far, rows, 0, rows.shape[0]))


def signed_distances(solid, points) -> np.ndarray:
    """Signed distances (n,) of points (n, 3) in the shape's own axes, negative inside; infinite where nothing of the
    shape faces a point.

    Raises `ModelError` where points cannot meet a shape of this kind."""
    from ..._address import address_of
    from ..._handle import make_handle
    from ...elements.frames import make_frames
    from ._address import PAIR_ARGUMENTS

    found = pair("POINT", solid.kind)
    if found is None:
        raise ModelError(f"no distance is known between a point and a shape of kind {solid.kind}")
    kernel, most, _ = found
    first, added = pack(solid, dict.fromkeys(POOLS, 0))
    pools = {name: np.ascontiguousarray(added.get(name, np.zeros((0, k), t)), t) for name, (k, t) in POOLS.items()}
    par = np.zeros((2, PARAMETERS))
    par[1, : len(solid.par)] = solid.par
    start = np.zeros((2, 4), np.int64)
    start[1, : len(first)] = first
    fr = make_frames(np.zeros(2), np.zeros((2, 3)), np.tile(np.eye(3).ravel(), (2, 1)))
    fr.A[:] = np.eye(3).ravel()
    kinds = np.array([0, SHAPE_TYPES.index(solid.kind)], np.int64)
    sh = Shapes(
        fr,
        kinds,
        np.arange(2),
        par,
        start,
        **pools,
        radius=np.full(2, np.inf),
        centre=np.zeros((2, 3)),
        half=np.full((2, 3), np.inf),
        arm=np.zeros(2),
    )
    address, shapes = address_of(kernel, PAIR_ARGUMENTS), make_handle(sh, (), ())
    rows = np.zeros((max(most, 1), COLUMNS))
    out = np.full(len(points), np.inf)
    for k, p in enumerate(np.asarray(points, float)):
        fr.p[0] = p
        n = _points(address, shapes, np.inf, rows)
        if n:
            out[k] = rows[:n, GAP].min()
    return out
