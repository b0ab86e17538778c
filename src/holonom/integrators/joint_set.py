"""Joint coordinates in the explicit methods: the state is (q, v, x), coordinates and rates of the joints of a tree
(`recursive`) and states of differential equations.

Every stage lies on the constraints by itself, so there is no projection and no drift.  Outside of the steps the state
is that of all bodies, as with every method: outputs, events, contacts and reactions do not see which numbering
integrates.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np

from .._jit import jit
from ..elements.bodies import layout
from ..elements.joints.composition import BALL, SLIDE
from ..elements.joints.rows import PRESENT
from ..recursive.entry import accelerate
from ..recursive.kernels import (
    coordinate_rates,
    make_work,
    place,
    read_state,
    unit_quaternions,
    write_accelerations,
    write_state,
)
from ..recursive.tree import Link, make_tree, spanning_tree
from ..recursive.tree import refusal as no_tree
from ..system.contact_entry import accept_contacts
from ..system.kernels import accept_angles, evaluate_constraints, evaluate_frames
from ..system.part_calls import accept_references
from .methods import NUMBERINGS
from .partition import ACCEPT

MAXIMAL, JOINT, _ = NUMBERINGS

JointState = namedtuple("JointState", "tree work size y count")
JointState.__doc__ = """tree, work: see `recursive.kernels`; size (2) int64: coordinates q, length of the state; y (ny):
state of all bodies at the last evaluation, that of the work; count (4) int64: zeros, there is nothing to close."""


@jit
def place_state(S, M, s):
    """States of differential equations from s into the state of all bodies."""
    for k in range(S.nx):
        M.y[S.bodies.end + k] = s[M.tree.nq + M.tree.nv + k]


@jit(apart=True)
def joint_rate(S, W, M, t, s, out, eps, flags):
    """out <- s' at (t, s); with ACCEPT in ``flags`` what is continuous over steps goes on from here.  Returns what is
    not positive where a freedom moves no mass, and zero redundant rows."""
    T = M.tree
    V = M.work
    nq = T.nq
    end = nq + T.nv
    if flags & ACCEPT:
        unit_quaternions(T, s)
    place_state(S, M, s)
    pivot = accelerate(S, W, T, V, t, s[:nq], s[nq:end])
    if not (pivot > 0.0):
        return pivot, 0
    coordinate_rates(T, s, s[nq:end], out)
    total = 0.0
    for k in range(T.nv):
        out[nq + k] = V.acc[k]
        total += 0.0 * V.acc[k]
    for k in range(S.nx):
        out[end + k] = V.yd[S.bodies.end + k]
        total += 0.0 * out[end + k]
    if not (total == 0.0):
        return total, 0
    if flags & ACCEPT:
        write_accelerations(T, V, W.R, W.acc)
        if S.rows.tr.shape[0] > 0:  # angles of rows go on over turns
            evaluate_constraints(S, W, t, M.y)
        W.rw.clock[PRESENT] = t
        accept_angles(W)
        accept_references(S, W)
        accept_contacts(S, W, t, M.y)
    return pivot, 0


@jit(apart=True)
def joint_close(S, W, M, t, s):
    """State of all bodies and frames at (t, s)."""
    T = M.tree
    unit_quaternions(T, s)
    place(T, M.work, s[: T.nq], s[T.nq : T.nq + T.nv])
    write_state(T, M.work, W.R, M.y)
    place_state(S, M, s)
    evaluate_frames(S, W, M.y)
    return 1.0, 0


@jit(apart=True)
def joint_read(S, W, M, y, s):
    """s <- joint coordinates, rates and states of the state y, at which frames are current; angles go on from what s
    has there."""
    T = M.tree
    for c in range(y.shape[0]):
        M.y[c] = y[c]
    read_state(T, M.work, W.R, M.y, s[: T.nq], s[T.nq : T.nq + T.nv])
    for k in range(S.nx):
        s[T.nq + T.nv + k] = y[S.bodies.end + k]


def numbering(system: Any, asked: str) -> tuple[bool, str]:
    """Whether an explicit method integrates joint coordinates, and the reason as text, empty for the default.

    ``asked``: one of `NUMBERINGS`.  What a tree does not carry runs in maximal coordinates."""
    if asked == MAXIMAL:
        return False, ""
    why = no_tree(system)
    if why:
        return False, f"maximal coordinates: {why}"
    reason = "requested" if asked == JOINT else "the joints form a tree"
    return True, f"joint coordinates: {reason}"


class JointSet:
    """The reduced state of a system whose joints form a tree (protocol: `partition.Partition`)."""

    def __init__(self, system: Any):
        self.links: list[Link] = spanning_tree(system)[0]
        tree = make_tree(system, self.links)
        ny = len(system.y0)
        work = make_work(tree.n, tree.nv, ny)
        size = np.array([tree.nq, tree.nq + tree.nv + system.nx], np.int64)
        self.arrays = JointState(tree, work, size, work.y, np.zeros(4, np.int64))
        self.system = system

    @property
    def positions(self) -> int:
        """How many of the state are coordinates, which do not indicate stiffness."""
        return int(self.arrays.size[0])

    @property
    def size(self) -> int:
        """Length of the state."""
        return int(self.arrays.size[1])

    def weighed(self) -> tuple[np.ndarray, np.ndarray]:
        """Of each of the state the component of all bodies' state whose weight it has, and a factor on that: an angle
        counts as twice the component of a quaternion."""
        tree, system = self.arrays.tree, self.system
        q, v, half = np.zeros(tree.nq, np.int64), np.zeros(tree.nv, np.int64), np.ones(tree.nq)
        for i, link in enumerate(self.links):
            at = layout.STATE * link.body
            for o in range(tree.step[i], tree.step[i + 1]):
                c, k, slides, ball = tree.coordinate[o], tree.freedom[o], tree.kind[o] == SLIDE, tree.kind[o] == BALL
                q[c : c + (4 if ball else 1)] = at + (layout.PLACE if slides else layout.QUATERNION).start
                v[k : k + (3 if ball else 1)] = at + (layout.VELOCITY if slides else layout.SPIN).start
                half[c] = 1.0 if slides or ball else 0.5
        places = np.concatenate([q, v, system.bodies.end + np.arange(system.nx)])
        return places, np.concatenate([half, np.ones(len(places) - len(half))])
