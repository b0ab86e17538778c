"""Positions and velocities of a model in the coordinates of its joints, of a tree or of the spanning tree of loops."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..elements.bodies import layout
from ..elements.joints.composition import SLIDE
from ..model import Model, ModelError
from ..model.orientation import Frame, from_quaternion
from ..system.build import System
from .entry import GRADIENTS, JACOBIAN, PLACE, READ, ROWS, enter_tree, first_apart, make_recursion
from .kernels import coordinate_rates, move_coordinates
from .tree import carried_bodies, named, names, tree_of


@dataclass(frozen=True)
class BodyMotions:
    """How the bodies of a tree move, in its order (n bodies), at coordinates q and rates v.

    ``axes`` (n, 3, 3), ``origins`` (n, 3): frames of the parts in ground; ``jacobians`` (n, 6, nv): J v is the velocity
    of the origin (first three rows) and the angular velocity, in ground axes; ``bias`` (n, 6): (dJ/dt) v, accelerations
    without v'; ``spins`` (n, 3): angular velocities."""

    axes: np.ndarray
    origins: np.ndarray
    jacobians: np.ndarray
    bias: np.ndarray
    spins: np.ndarray


class JointKinematics:
    """A model of rigid bodies in the coordinates of its joints: q (nq,), rates v (nv,), positions and Jacobians.

    ``links``: bodies of the spanning tree, parents first; ``rest``: constraints that its joints do not fulfil by
    themselves (loops, couplers, motions); ``turns`` (nv,): freedoms that are angles.
    Raises ModelError where bodies are flexible."""

    def __init__(self, model: Model, system: Any = None):
        self.model = model
        self.system = system = System(model) if system is None else system
        spanning = tree_of(system)
        links, self.rest = spanning.links, spanning.rest
        if len(system.tail) or layout.has_nodes(system.bodies):
            what = named(self.rest) or "a flexible body"
            raise ModelError(
                f"{what}: joint coordinates carry rigid bodies in a tree of joints; use hn.simulate, which does not "
                "need a tree"
            )
        self._tree = tree = spanning.tree
        self._handle = make_recursion(system, tree)
        self._at = {link.body: k for k, link in enumerate(links)}
        self._owner = np.repeat(np.arange(tree.n), np.diff(tree.first))
        self._carried = carried_bodies(tree)
        self._enter = enter_tree.entry(self._handle, READ, 0.0, 0, 0.0, 0.0, 0.0)
        self.coordinates, self.freedoms = names(system, links)
        self.links = links
        self.turns = np.ones(tree.nv, bool)
        self.turns[tree.freedom[tree.kind == SLIDE]] = False
        self.q, self.v = self._read(system.y0)

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return int(self._tree.nq)

    @property
    def nv(self) -> int:
        """Number of freedoms."""
        return int(self._tree.nv)

    def __repr__(self) -> str:
        return f"{self.model.name}: {self.nv} freedoms in a tree of {self._tree.n} bodies: {', '.join(self.freedoms)}"

    # ---- between the numberings --------------------------------------------------------------------------------------
    def from_state(self, y: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """Coordinates q (nq,) and rates v (nv,) of a state of the bodies, as `System.y0` has it.

        Raises ModelError where the joints of the tree are open at this state, or closed with their axes in opposite
        directions."""
        q, v = self._read(y)
        link = first_apart(self.system, self.links, self.state(q, v), np.asarray(y, float))
        if link is not None:
            raise ModelError(
                f"{link.element.label}: its coordinates do not describe this state, at which it is open, or closed "
                "with its axes in opposite directions; give a state of an assembled model, with both axes the same way"
            )
        return q, v

    def _read(self, y: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """Coordinates and rates nearest to a state, whose joints may be open."""
        P = self._handle.P
        P.work.y[:] = y
        P.q[:] = 0.0
        self._enter(self._handle, READ, 0.0, 0, 0.0, 0.0, 0.0)
        return P.q.copy(), P.v.copy()

    def state(self, q: ArrayLike, v: ArrayLike | None = None) -> np.ndarray:
        """State (ny,) of the bodies at coordinates q (nq,) and rates v (nv,), zero by default."""
        self._set(q, v)
        self._enter(self._handle, PLACE, 0.0, 0, 0.0, 0.0, 0.0)
        return self._handle.P.work.y.copy()

    def moved(self, q: ArrayLike, d: ArrayLike) -> np.ndarray:
        """Coordinates (nq,) after displacements d (nv,): quaternions are turned about the axes of their rates."""
        out = self._vector("q", q, self.nq).copy()
        move_coordinates(self._tree, out, self._vector("d", d, self.nv))
        return out

    def rates(self, q: ArrayLike, v: ArrayLike) -> np.ndarray:
        """q' (nq,) = N(q) v."""
        out = np.zeros(self.nq)
        coordinate_rates(self._tree, self._vector("q", q, self.nq), self._vector("v", v, self.nv), out)
        return out

    def frame(self, marker: Any, q: ArrayLike) -> Frame:
        """Origin (3,) and axes (3, 3) of a marker in ground, at coordinates q."""
        body, place = self._place(marker)
        state = layout.body(self.state(q), body)
        return Frame(np.array(state[layout.PLACE]), from_quaternion(state[layout.QUATERNION])) @ place

    def jacobian(self, marker: Any, q: ArrayLike) -> np.ndarray:
        """J (6, nv) of a marker: J v is its velocity (first three rows) and its angular velocity, in ground axes."""
        body, _ = self._place(marker)
        origin = self.frame(marker, q).origin
        if body == self.system.nb:
            return np.zeros((6, self.nv))
        self._enter(self._handle, JACOBIAN, 0.0, self._at[body], *map(float, origin))
        return self._handle.P.out[:6, : self.nv].copy()

    def body_motions(self, q: ArrayLike, v: ArrayLike) -> BodyMotions:
        """Frames, Jacobians and accelerations without v' of all bodies: see `BodyMotions`."""
        state = layout.rows(self.state(q, v), self.system.nb)[np.asarray(self._tree.body)]
        local = [self.system.local[b] for b in np.asarray(self._tree.body)]
        axes = np.array([from_quaternion(s[layout.QUATERNION]) @ p.axes.T for s, p in zip(state, local)])
        origins = np.array([s[layout.PLACE] - R @ p.origin for s, R, p in zip(state, axes, local)])
        P, n = self._handle.P, self._tree.n
        P.work.acc[:] = 0.0
        self._enter(self._handle, GRADIENTS, 0.0, 0, 0.0, 0.0, 0.0)
        N = P.gradients
        turn, turned = N.S[:, :3], N.rate[:, :3]
        J, bias = np.zeros((n, 6, self.nv)), np.zeros((n, 6))
        for i in range(n):
            arm = origins[i] - P.work.x[0]
            speed = N.V[i, 3:] + np.cross(N.V[i, :3], arm)
            linear = N.rate[:, 3:] + np.cross(turned, arm) + np.cross(turn, speed)
            carried = self._carried[i][:, None]
            J[i] = np.where(carried, np.hstack([N.S[:, 3:] + np.cross(turn, arm), turn]), 0.0).T
            bias[i] = np.where(carried, np.hstack([linear, turned]), 0.0).T @ P.v
        return BodyMotions(axes, origins, J, bias, N.V[:n, :3].copy())

    def gaps(self, q: ArrayLike, time: float = 0.0, motions: bool = True) -> tuple[np.ndarray, np.ndarray]:
        """Of the equations of positions that the tree does not fulfil by itself: values (k,), zero where they are
        fulfilled, and gradients (k, nv) with respect to displacements; without those of MOTIONs where ``motions`` is
        false."""
        closing = [c for c in self.rest if motions or c.element.KIND != "MOTION"]
        rows = [r for c in closing for r in c.rows if self.system.S.rows.level[r] == 0]
        return self.row_gaps(q, time, np.array(rows, np.int64))

    def row_gaps(self, q: ArrayLike, time: float, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Values (k,) and gradients (k, nv) with respect to displacements of these rows (k,) of the system."""
        if not len(rows):
            return np.zeros(0), np.zeros((0, self.nv))
        self._set(q, None)
        self._enter(self._handle, ROWS, time, 0, 0.0, 0.0, 0.0)
        system = self.system
        order = np.asarray(self._tree.body)
        R = system.W.R[order].reshape(self._tree.n, 3, 3)
        _, travel, turn = self._motions()
        B = np.zeros((system.nb + 1, layout.MOVES, self.nv))
        B[order, layout.TRAVEL] = travel.transpose(0, 2, 1)
        B[order, layout.TURN] = np.einsum("nji,nkj->nik", R, turn)
        G = np.zeros((system.m, self.nv))
        np.add.at(
            G,
            system.slot_row[:-1],
            np.einsum("sc,sck->sk", system.W.rw.G[:-1], B[system.slot_body[:-1]]),
        )
        return system.W.rw.phi[rows].copy(), G[rows]

    # ---- pieces ------------------------------------------------------------------------------------------------------
    def _place(self, marker: Any) -> tuple[int, Frame]:
        """Body of a marker, and where it lies in its principal axes."""
        body, local = self.system.body_of(marker), self.system.local[self.system.body_of(marker)]
        at = marker.frame
        return body, Frame(local.axes.T @ (at.origin - local.origin), local.axes.T @ at.axes)

    def _motions(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Of each body of the tree, as it was placed last: its centre of mass (n, 3), and for unit rates of the
        freedoms its velocity and the angular velocity (n, nv, 3), in ground axes."""
        W = self._handle.P.work
        places = layout.rows(W.y, self.system.nb)[np.asarray(self._tree.body)][:, layout.PLACE]
        turn, at = W.S[:, :3], W.x[self._owner]
        travel = W.S[:, 3:] + np.cross(turn, places[:, None] - at)
        carried = self._carried[:, :, None]
        return places, np.where(carried, travel, 0.0), np.where(carried, turn, 0.0)

    def _set(self, q: ArrayLike, v: ArrayLike | None) -> None:
        P = self._handle.P
        self._put("q", q, P.q)
        if v is None:
            P.v.fill(0.0)
        else:
            self._put("v", v, P.v)

    def _put(self, name: str, value: ArrayLike, out: np.ndarray) -> None:
        """out <- value, checked; faster than `_vector` where it has the type already."""
        fits = type(value) is np.ndarray and value.shape == out.shape and value.dtype == out.dtype
        out[:] = value if fits and np.isfinite(value).all() else self._vector(name, value, len(out))

    def _vector(self, name: str, value: ArrayLike, size: int) -> np.ndarray:
        out = np.ascontiguousarray(value, float)
        if out.shape != (size,) or not np.isfinite(out).all():
            wrong = f"shape {out.shape}" if out.shape != (size,) else "a value that is not finite"
            listed = self.coordinates if name == "q" else self.freedoms
            raise ModelError(
                f"{name} has {wrong}; give {size} finite numbers, one for each of {', '.join(listed[:6])}"
                + (", ..." if len(listed) > 6 else "")
            )
        return out
