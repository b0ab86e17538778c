"""What users ask of a model in joint coordinates: inverse and forward dynamics, mass matrix, bias, Jacobians."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..elements.bodies import layout
from ..model import Model, ModelError
from ..model.orientation import Frame, from_quaternion
from ..system.build import System
from .entry import FORWARD, INVERSE, JACOBIAN, MASS, PLACE, READ, enter_tree, make_recursion
from .kernels import coordinate_rates
from .tree import make_tree, named, names, spanning_tree


class JointCoordinates:
    """A model whose joints form a tree, in the coordinates of its joints.

    Equations of motion  H(q) v' + h(q, v, t) = tau,  q' = N(q) v: q (nq,) angles in radians, distances in model units
    and unit quaternions (scalar first) of spherical joints and of bodies that no joint holds; v (nv,) their rates, of
    quaternions the angular velocity of the joint in the axes of its frame I; tau efforts (force or torque) that act
    along v from outside.  h holds the forces of the model too: gravity, springs, functions, contacts.

    ``coordinates`` (nq), ``freedoms`` (nv): names, such as ``pin.angle``; ``q``, ``v``: values at the design position
    and velocities of the model.  Costs O(bodies) each, but for the mass matrix.

    Raises ModelError where the joints close loops or something else than joints constrains the model.
    """

    def __init__(self, model: Model):
        self.model = model
        self.system = system = System(model)
        links, rest = spanning_tree(system)
        if rest or len(system.tail) or layout.has_nodes(system.bodies):
            what = named(rest) or "a flexible body"
            raise ModelError(
                f"{what}: joint coordinates carry rigid bodies in a tree of joints, without loops, couplers and "
                "motions; remove it, or use hn.simulate, which does not need a tree"
            )
        if system.lagged:
            raise ModelError(
                f"forces depend on reactions or accelerations ({system.lagged_words()}), which the equations of a tree "
                "do not have; remove them, or use hn.simulate"
            )
        self._tree = make_tree(system, links)
        self._handle = make_recursion(system, self._tree)
        self._at = {link.body: k for k, link in enumerate(links)}
        self.coordinates, self.freedoms = names(system, links)
        self.q, self.v = self.from_state(system.y0)

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
        """Coordinates q (nq,) and rates v (nv,) of a state of the bodies, as `System.y0` has it."""
        P = self._handle.P
        P.work.y[:] = y
        P.q[:] = 0.0
        enter_tree(self._handle, READ, 0.0, 0, 0.0, 0.0, 0.0)
        return P.q.copy(), P.v.copy()

    def state(self, q: ArrayLike, v: ArrayLike | None = None) -> np.ndarray:
        """State (ny,) of the bodies at coordinates q (nq,) and rates v (nv,), zero by default."""
        self._set(q, v)
        enter_tree(self._handle, PLACE, 0.0, 0, 0.0, 0.0, 0.0)
        return self._handle.P.work.y.copy()

    def rates(self, q: ArrayLike, v: ArrayLike) -> np.ndarray:
        """q' (nq,) = N(q) v."""
        out = np.zeros(self.nq)
        coordinate_rates(self._tree, self._vector("q", q, self.nq), self._vector("v", v, self.nv), out)
        return out

    # ---- dynamics ----------------------------------------------------------------------------------------------------
    def forward_dynamics(
        self, q: ArrayLike, v: ArrayLike, effort: ArrayLike | None = None, time: float = 0.0
    ) -> np.ndarray:
        """Accelerations v' (nv,) for efforts (nv,), zero by default: the articulated-body recursion (Featherstone,
        Rigid Body Dynamics Algorithms (2008), 7.2), in O(bodies)."""
        self._set(q, v)
        W = self._handle.P.work
        W.tau[:] = 0.0 if effort is None else self._vector("effort", effort, self.nv)
        if not enter_tree(self._handle, FORWARD, time, 0, 0.0, 0.0, 0.0) > 0.0:
            k = int(np.flatnonzero(~np.isfinite(W.r))[-1]) if not np.isfinite(W.r).all() else 0
            raise ModelError(
                f"{self.freedoms[k]} moves no mass at these coordinates; give the bodies behind it a mass and an "
                "inertia about its axis"
            )
        return W.acc.copy()

    def inverse_dynamics(
        self, q: ArrayLike, v: ArrayLike, acceleration: ArrayLike, time: float | ArrayLike = 0.0
    ) -> np.ndarray:
        """Efforts tau (nv,) that the accelerations v' (nv,) require: the recursive Newton-Euler algorithm (Luh, Walker,
        Paul, J. Dyn. Sys. Meas. Control 102 (1980) 69), in O(bodies).

        Rows q (k, nq), v and acceleration (k, nv), and times (k,) or one time, give efforts (k, nv)."""
        q, v, acceleration = (np.asarray(a, float) for a in (q, v, acceleration))
        if q.ndim == 1:
            return self._inverse(q, v, acceleration, float(np.asarray(time, float)))
        if not len(q) == len(v) == len(acceleration):
            raise ModelError(
                f"q, v and acceleration have {len(q)}, {len(v)} and {len(acceleration)} rows; give as many of each"
            )
        times = np.broadcast_to(np.asarray(time, float), len(q))
        out = [self._inverse(*row, float(t)) for row, t in zip(zip(q, v, acceleration), times)]
        return np.array(out).reshape(len(q), self.nv)

    def _inverse(self, q: np.ndarray, v: np.ndarray, acceleration: np.ndarray, time: float) -> np.ndarray:
        self._set(q, v)
        W = self._handle.P.work
        W.acc[:] = self._vector("acceleration", acceleration, self.nv)
        enter_tree(self._handle, INVERSE, time, 0, 0.0, 0.0, 0.0)
        return W.tau.copy()

    def bias(self, q: ArrayLike, v: ArrayLike, time: float = 0.0) -> np.ndarray:
        """h (nv,): efforts that no acceleration requires; Coriolis and centrifugal terms less the forces of the
        model."""
        return self.inverse_dynamics(q, v, np.zeros(self.nv), time)

    def mass_matrix(self, q: ArrayLike) -> np.ndarray:
        """H (nv, nv), symmetric and positive definite: the composite-body algorithm (Featherstone 2008, 6.2)."""
        self._set(q, None)
        enter_tree(self._handle, MASS, 0.0, 0, 0.0, 0.0, 0.0)
        return self._handle.P.out[: self.nv, : self.nv].copy()

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
        enter_tree(self._handle, JACOBIAN, 0.0, self._at[body], *map(float, origin))
        return self._handle.P.out[:6, : self.nv].copy()

    # ---- pieces ------------------------------------------------------------------------------------------------------
    def _place(self, marker: Any) -> tuple[int, Frame]:
        """Body of a marker, and where it lies in its principal axes."""
        body, local = self.system.body_of(marker), self.system.local[self.system.body_of(marker)]
        at = marker.frame
        return body, Frame(local.axes.T @ (at.origin - local.origin), local.axes.T @ at.axes)

    def _set(self, q: ArrayLike, v: ArrayLike | None) -> None:
        P = self._handle.P
        P.q[:] = self._vector("q", q, self.nq)
        P.v[:] = 0.0 if v is None else self._vector("v", v, self.nv)

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


def inverse_dynamics(
    model: Model, q: ArrayLike, v: ArrayLike, acceleration: ArrayLike, time: float | ArrayLike = 0.0
) -> np.ndarray:
    """Efforts (nv,) or (k, nv) along the joint coordinates that a motion of the model requires, with the forces of the
    model acting: `JointCoordinates.inverse_dynamics` of a model whose joints form a tree.

    ``q`` (nq,) coordinates, ``v`` (nv,) rates, ``acceleration`` (nv,), in the order of
    `JointCoordinates.coordinates` and ``freedoms``, or k rows of each.  Raises ModelError where the joints close loops.
    """
    return JointCoordinates(model).inverse_dynamics(q, v, acceleration, time)
