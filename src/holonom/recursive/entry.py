"""The one kernel through which Python requires evaluations of a tree, behind a handle (`_handle`)."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np

from .._handle import make_handle, view_P, view_S, view_W
from .._jit import jit
from ..contact.call import ACTIVE
from ..elements.bodies import layout
from ..elements.bodies.coordinates import rotations
from ..elements.frames import update_frame
from ..elements.joints.rows import PRESENT, add_GT
from ..system.kernels import evaluate_constraints, evaluate_forces, evaluate_frames
from . import kernels as k
from .flexible import bias_frames
from .gradients import inverse_gradients, make_gradients
from .row_gradients import make_row_gradients, pull_accelerations
from .tree import Link, Tree, tree_of

READ, PLACE, FORWARD, INVERSE, MASS, JACOBIAN, GRADIENTS, ROWS, BALANCE, CHANGES = range(10)

#: of the extent, or one less the cosine of half an angle: what joints that are closed do not leave open
MISPLACED = 1e-6

Recursion = namedtuple("Recursion", "tree work q v out gradients rows")
Recursion.__doc__ = """tree, work: see `kernels`; q (nq,), v (nv,): coordinates and rates; out (nv + 6, nv): results;
gradients: `gradients.Gradients`; rows: `row_gradients.RowGradients` of the rows over the tree."""


@jit
def place_frames(S, W, T, V, q, v):
    """State of all bodies at (q, v) and the frames that are seen; quaternions where there are contacts, which alone see
    them."""
    k.place(T, V, q, v)
    k.write_state(T, V, W.R, V.y, S.contacts[ACTIVE] != 0)
    for f in range(T.seen.shape[0]):
        update_frame(S.fr, T.seen[f], V.y, W.R)
    if T.flexible.roots.shape[0] > 0:
        bias_frames(T, S.fr)


@jit(apart=True)
def forces(S, W, T, V, t, q, v):
    """Frames, state and applied forces of the system at (t, q, v), and the wrenches p that they leave at constant
    rates."""
    place_frames(S, W, T, V, q, v)
    W.rw.clock[PRESENT] = t
    evaluate_forces(S, W, t, V.y, V.yd)
    k.set_bias(T, V, W.R, W.F)


@jit(apart=True)
def accelerate(S, W, T, V, t, q, v):
    """acc of all freedoms at (t, q, v); returns what is not positive where there is none."""
    forces(S, W, T, V, t, q, v)
    k.set_inertia(T, V)
    pivot = k.factor(T, V)
    k.outward(T, V, V.u, V.acc)
    return pivot


@jit(
    entry=(
        "Handle(Tables, Work, Recursion(Tree, TreeWork, Gradients, RowGradients)), int64, float64, int64, float64, "
        "float64, float64"
    )
)
def enter_tree(handle, mode, t, body, x0, x1, x2):
    """Do what ``mode`` says at time t and the coordinates q, v of the handle.

    READ: q, v <- those of the state y in work.  PLACE: frames and state y.  ROWS: then frames and rows of the system.
    FORWARD: acc from tau, those of bodies into W.acc.  INVERSE: tau from acc.  GRADIENTS: its derivatives.  MASS: mass
    matrix into ``out``.  JACOBIAN: of point x of ``body`` of the tree into the first six rows of ``out``.  BALANCE:
    rows, then tau from acc and its derivatives, with the multipliers W.lam of the rows acting on the bodies.  CHANGES:
    the same, and cotangents of the second derivatives of the rows over the tree.  FORWARD, INVERSE, GRADIENTS, BALANCE
    and CHANGES see the forces of the system."""
    S = view_S(handle)
    W = view_W(handle)
    P = view_P(handle)
    T = P.tree
    V = P.work
    pivot = 1.0
    if mode == READ:
        rotations(S.bodies, V.y, W.R)
        k.read_state(T, V, W.R, V.y, P.q, P.v)
    elif mode == FORWARD:
        pivot = accelerate(S, W, T, V, t, P.q, P.v)
        k.write_accelerations(T, V, W.R, 1.0, W.acc)
    elif mode == INVERSE or mode == GRADIENTS or mode >= BALANCE:
        if mode >= BALANCE:
            k.place(T, V, P.q, P.v)
            k.write_state(T, V, W.R, V.y, 1)
            evaluate_frames(S, W, V.y)
            evaluate_constraints(S, W, t, V.y)
            evaluate_forces(S, W, t, V.y, V.yd)
            add_GT(S.rows, W.rw.B, W.lam, W.F, -1.0)
            k.set_bias(T, V, W.R, W.F)
        else:
            forces(S, W, T, V, t, P.q, P.v)
        if mode != GRADIENTS:
            k.inverse(T, V, V.acc, V.tau)
        if mode == CHANGES:
            k.write_accelerations(T, V, W.R, 1.0, W.acc)
            pull_accelerations(S, W, V.y, P.rows)
        if mode != INVERSE:
            inverse_gradients(T, V, P.gradients, W.R, W.F, S.bodies.gravity, P.v, V.acc)
    else:
        k.place(T, V, P.q, P.v)
        k.write_state(T, V, W.R, V.y, 1)
        if mode == MASS:
            k.composite(T, V, P.out)
        elif mode == ROWS:
            evaluate_frames(S, W, V.y)
            evaluate_constraints(S, W, t, V.y)
        elif mode == JACOBIAN:
            k.jacobian(T, V, body, x0, x1, x2, P.out)
    return pivot


def make_recursion(system: Any, tree: Tree, matrices: bool = True):
    """Handle of a tree on a system; without ``matrices`` only to read and place."""
    work = k.make_work(tree, len(system.y0))
    work.y[:] = system.y0
    n, nv = (tree.n, tree.nv) if matrices else (0, 0)
    out = np.zeros((max(nv, 6), max(nv, 1)))
    rest = np.array([r for c in tree_of(system).rest for r in c.rows] if matrices else [], np.int64)
    return make_handle(
        system.S,
        system.W,
        Recursion(
            tree,
            work,
            np.zeros(tree.nq),
            np.zeros(tree.nv),
            out,
            make_gradients(n, nv),
            make_row_gradients(system, rest, nv),
        ),  # fmt: skip
    )


def misplaced(system: Any, y: np.ndarray) -> str:
    """Empty, or a sentence: a joint of the tree whose frames at the state y are not where its coordinates put them.

    Rows of constraints are fulfilled by axes that point in opposite directions, too; coordinates know one of these."""
    spanning = tree_of(system)
    handle = make_recursion(system, spanning.tree, matrices=False)
    P = handle.P
    P.work.y[:] = y
    for mode in (READ, PLACE):
        enter_tree(handle, mode, 0.0, 0, 0.0, 0.0, 0.0)
    link = first_apart(system, spanning.links, P.work.y, y)
    return "" if link is None else f"{link.element.label} is closed with its axes in opposite directions"


def first_apart(system: Any, links: list[Link], there: np.ndarray, here: np.ndarray) -> Link | None:
    """The first link, parents first, whose body is not at the same place in two states of all bodies."""
    one, other = (layout.rows(state, system.nb) for state in (there, here))
    gap = np.abs(one[:, layout.PLACE] - other[:, layout.PLACE]).max(axis=1, initial=0.0) / system.extent
    p, q = one[:, layout.QUATERNION], other[:, layout.QUATERNION]
    gap = np.maximum(gap, 1.0 - np.abs((p * q).sum(axis=1)) / np.linalg.norm(q, axis=1))
    return next((link for link in links if link.element is not None and gap[link.body] > MISPLACED), None)
