"""Mechanisms that move in a plane, found and solved with planar rows and three coordinates a body.

A model is planar about a ground axis e when its constraints alone keep every body in a plane normal to e:

* each body has a principal axis along e, no velocity along e and no angular velocity across it;
* some rows do not depend on the motion in the plane at all (their gradient with respect to it vanishes, here and at
  other planar configurations and velocities), and these rows together fix all coordinates out of the plane.

Such rows are met for ever and give no information about the motion in the plane, so they are left out of it, and the
inverse masses out of the plane are zero: of each body two translations and one rotation are left.  Which rows these are
is read from their gradients, so every kind of constraint may take part.  Reactions, also those out of the plane, come
from all
rows: results are evaluated with the tables of the whole.  The gain is two to three times (CLOSED_LOOPS.md, 5).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as spl

from .._jit import briefly
from ..elements.bodies import layout
from ..elements.bodies.layout import MOVES
from ..elements.bodies.rigid import move
from ..elements.joints.rows import POINT, SUM
from .equations import schur_pattern
from .kernels import GEOMETRY, MASSES, TREE, Tables, Work

# smallest singular value of unit columns that are independent: its square is far above the roundoff of O^T O
LEAST_SINGULAR = 1e-5
ITERATIONS = 4
DENSE = 10_000  # entries of a matrix that is not made sparse
TINY = 1e-11


class Plane(NamedTuple):
    """``axis``: ground axis that is normal to the plane; ``S``, ``W``: tables and work of the motion in it; ``rows``:
    of how many."""

    axis: int
    S: Tables
    W: Work
    rows: int

    def flatten(self, y, yd, W) -> None:
        """After an evaluation in space: velocities and accelerations out of the plane, which are roundoff, become zero
        in y, yd and W.acc, and so do the multipliers of rows that do not count."""
        n = len(self.S.bodies.plane)
        out = np.ones((n, MOVES), bool)
        out[np.arange(n)[:, None], self.S.bodies.plane] = False
        for a in (y, yd):
            layout.speeds(a, n)[out] = 0.0
        layout.moves(W.acc)[:n][out] = 0.0
        kept = W.lam[self.S.rows.on]
        W.lam[:] = 0.0
        W.lam[self.S.rows.on] = kept


def find_plane(system, evaluate, t: float, y: np.ndarray) -> Plane | None:
    """The plane in which a system moves, or None.

    ``evaluate(y)`` fills frames and rows at time t; (t, y) is a state that fits the constraints.
    """
    if not system.m or not system.nb or system.lagged or system.bodies.tail:
        return None
    S = system.S
    n = system.nb
    turns = S.bodies.rotates[:n] != 0
    v, w = layout.velocities(y, n), layout.spins(y, n)
    speed = max(np.abs(v).max(), 1e-300)
    spin = max(np.abs(w).max(), 1e-300)
    evaluate(y)
    axes = system.W.R[:n].reshape(n, 3, 3)
    for axis in range(3):
        normal = axes[:, axis]  # the ground axis in the axes of each body
        across = np.abs(w)
        k = np.argmax(np.abs(normal), axis=1)
        along = np.abs(normal[np.arange(n), k])
        across[np.arange(n), k] = 0.0
        if np.abs(v[:, axis]).max() > TINY * speed or across[turns].max(initial=0.0) > TINY * spin:
            continue
        if np.any(turns & (along < 1.0 - 1e-14)):
            continue
        found = _rows_of(system, evaluate, y, axis, k, turns)
        if found is not None:
            return _tables(system, axis, k, found)
    return None


def _rows_of(system, evaluate, y, axis, k, turns):
    """Rows that count in the plane, or None when the others do not hold the bodies in it; rows are current at (t,
    y)."""
    n, m = system.nb, system.m
    rows, rw = system.S.rows, system.W.rw
    body, row = system.slot_body[:-1], system.slot_row[:-1]
    inside = np.zeros((n + 1, MOVES), bool)
    inside[:n, [c for c in range(3) if c != axis]] = True
    inside[np.flatnonzero(turns), 3 + k[turns]] = True
    kept = {name: getattr(rw, name).copy() for name in rw._fields}
    gone = (rows.kind < SUM) & (rows.motion < 0)  # sums, curves and functions stay whatever they are
    outside = rw.G[:-1] * ~inside[body]
    size = np.zeros(m)
    np.maximum.at(size, row, np.abs(outside).max(axis=1))
    z = y
    try:
        for trial in range(3):
            if trial > 0:
                z = _elsewhere(system, y, axis, k, turns, trial)
                evaluate(z)
            planar = np.zeros(m)
            np.maximum.at(planar, row, np.abs(rw.G[:-1] * inside[body]).max(axis=1))
            rate = np.abs(layout.speeds(z, n)).max()
            gone &= (planar <= TINY * np.maximum(size, 1e-300)) & (
                np.abs(rw.gamma) <= TINY * size * (1.0 + rate * rate)
            )
            gone &= rw.phit == 0.0
            if not gone.any():
                return None
        # together the rows left out must fix every coordinate out of the plane
        number = np.full((n + 1, MOVES), -1, np.int64)
        free = ~inside & layout.free(system.bodies)
        number[free] = np.arange(free.sum())
        use = gone[row]
        r = np.repeat(row[use], MOVES)
        c = number[body[use]].ravel()
        v = outside[use].copy()
        v[:, :3] *= system.extent
        v = v.ravel()
        some = (c >= 0) & (v != 0.0)
        O = sp.csr_matrix((v[some], (r[some], c[some])), shape=(m, int(free.sum())))
        if not _independent_columns(O):
            return None
    finally:
        for name, value in kept.items():
            getattr(rw, name)[...] = value
        evaluate(y)
    return ~gone


def _elsewhere(system, y, axis, k, turns, trial):
    """Another planar state: bodies displaced, turned and moving in the plane, always the same for a given trial."""
    rng = np.random.default_rng(trial)
    n = system.nb
    z = y.copy()
    plane = [c for c in range(3) if c != axis]
    d = np.zeros((n, MOVES))
    d[:, plane] = 0.1 * system.extent * rng.uniform(-1, 1, (n, 2))
    layout.velocities(z, n)[:, plane] += system.extent * rng.uniform(-1, 1, (n, 2))
    d[np.arange(n), 3 + k] = 0.8 * rng.uniform(-1, 1, n) * turns
    layout.spins(z, n)[np.arange(n), k] += rng.uniform(-1, 1, n) * turns
    briefly(move, n, n, z, d.ravel())
    return z


def _independent_columns(O) -> bool:
    """Whether the sparse O (m, n) has full column rank for certain: by the smallest singular value of its unit columns,
    in large ones by inverse iteration with the factors of O^T O.  Pivots of these decide nothing: behind small ones
    the last, which should vanish, is roundoff of any size."""
    if O.shape[0] < O.shape[1]:
        return False
    length = np.sqrt(np.asarray(O.multiply(O).sum(axis=0)).ravel())
    if not np.all(length > 0.0):
        return False
    if O.shape[0] * O.shape[1] <= DENSE:
        A = O.toarray() / length
        return bool(np.linalg.svd(A, compute_uv=False).min(initial=1.0) > LEAST_SINGULAR)
    A = O @ sp.diags(1.0 / length)
    try:
        factor = spl.splu(
            (A.T @ A).tocsc(), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True}
        )
    except RuntimeError:
        return False
    if not np.all(factor.U.diagonal() > 0.0):
        return False
    x = np.random.default_rng(0).normal(size=O.shape[1])
    for _ in range(ITERATIONS):
        x = factor.solve(x / np.linalg.norm(x))
    return bool(1.0 / np.linalg.norm(x) > LEAST_SINGULAR**2)


def _tables(system, axis, k, on) -> Plane:
    S, W = system.S, system.W
    n = system.nb
    number = np.flatnonzero(on)
    keep = on[system.slot_row[:-1]]
    slots = system.body_slots[keep[system.body_slots]] if system.nslots else system.body_slots
    counts = np.bincount(system.slot_body[slots], minlength=n + 1)[: n + 1] if len(slots) else np.zeros(n + 1, np.int64)
    ptr = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    ldl, dest, diag = schur_pattern(system, system.workspace.equations, ptr, slots, number)
    place = np.full(system.m, len(number), np.uint32)
    place[number] = ldl.arrays.place
    Minv = np.zeros_like(S.bodies.Minv)
    plane = np.empty((n, 3), np.uint32)
    plane[:, :2] = [c for c in range(3) if c != axis]
    plane[:, 2] = 3 + k
    at = np.arange(n)[:, None]
    Minv[at, plane] = S.bodies.Minv[at, plane]
    u = lambda a: np.ascontiguousarray(a, dtype=np.uint32)
    rows = S.rows._replace(on=u(number), body_ptr=u(ptr), body_slots=u(slots))
    turned = np.ones(len(S.fr.turned), np.uint8)
    turned[: 0 if system.friction.elements else system.row_frames] = 0
    turned[list(system.watched_frames)] = 1
    wide = on & (rows.kind != POINT)
    for f in (rows.fi[wide], rows.fj[wide], rows.ti, rows.tj, rows.ci, rows.crm, rows.vi, rows.vj):
        turned[f] = 1
    bodies = S.bodies._replace(Minv=Minv, plane=plane)
    w = ldl.work()
    m = len(number)
    # a row that stays though its gradient in the plane is only roundoff must be known as redundant: scale of the row in
    # space
    gscale = np.zeros(m)
    for metric, scale in ((S.bodies.Minv, w.scale), (S.bodies.metric, gscale)):
        weight, inside = np.zeros((2, system.m))
        square = W.rw.G[:-1] ** 2 * metric[system.slot_body[:-1]]
        np.add.at(weight, system.slot_row[:-1], square.sum(axis=1))
        scale[ldl.arrays.place] = weight[number]
    np.add.at(inside, system.slot_row[:-1], (square * (Minv > 0.0)[system.slot_body[:-1]]).sum(axis=1))
    flat = bool(np.any(inside[number] < 1e-8 * weight[number]))
    rule = (MASSES if system.even else GEOMETRY) if flat and S.rule == TREE else S.rule
    skip = np.zeros(m + 1, np.uint8)
    skip[m] = 1
    return Plane(
        axis,
        S._replace(
            bodies=bodies,
            rows=rows,
            fr=S.fr._replace(turned=turned),
            ldl=ldl.arrays._replace(place=place),
            schur_dest=dest,
            schur_diag=diag,
            rule=rule,
        ),
        W._replace(Lx=w.Lx, D=w.D, Di=w.Di, scale=w.scale, skip=skip, lwork=np.zeros(m + 1), gscale=gscale),
        m,
    )
