"""Equilibria that follow inputs, and how each answers to them: derivatives of positions and reactions, from the matrix
that statics itself factors.

At an equilibrium  F(q, p) = G^T lam,  phi(q, p) = 0  with inputs p (forces and motions that read them) small changes
obey

    [ K   G^T ] [ dq   ]   [ dF/dp    ]
    [ G   0   ] [ dlam ] = [ -dphi/dp ] dp ,        K = d(G^T lam - F)/dq,

the tangent stiffness with its geometric part (that of general constraints, GCON and UCON, is left out as in all of
Holonom's matrices).  One factorisation serves all inputs.  The right sides are differences of the residual over p,
which are exact where functions are linear in their inputs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...elements.bodies import layout
from ...linalg.lu import SingularMatrix
from ...model import ModelError
from ...model.base import Element
from ...results import _rotation as rotation
from .equilibrium import _balance, _newton, _Problem


class StaticSensitivity:
    """Derivatives at one equilibrium; ``inputs``: names, in the order of the last axis of what the methods return.

    Positions and axes are those of the equilibrium, ground axes, model units and radians, per unit of the input.
    """

    def __init__(self, simulation: Any, inputs: list[str], moves: np.ndarray, multipliers: np.ndarray, lam: np.ndarray):
        self.inputs = inputs
        self._model, self._system = simulation.model, simulation.system
        n = self._system.nb
        body = layout.rows(simulation.y, n)
        self._R = rotation.matrices(body[:, layout.QUATERNION])
        self._places = body[:, layout.PLACE].copy()
        self._moves, self._multipliers, self._lam = moves, multipliers, lam
        self._own = [frame.axes for frame in self._system.local[: self._system.parts]]

    def place(self, marker: Any) -> tuple[np.ndarray, np.ndarray]:
        """Origin (3,) and axes (3, 3), columns, of a marker in ground.  Raises ModelError for a marker that there is
        not."""
        m = self._model.find("MARKER", marker)
        k = self._system.body_index.get((m.body_kind, m.part), self._system.nb)
        frame = m.frame
        if k >= len(self._own):
            body = self._model.body_frame(self._model.body_of(m))
            return body.origin + body.axes @ frame.origin, body.axes @ frame.axes
        local = self._system.local[k]
        A = self._R[k] @ local.axes.T  # of the part's own axes
        return self._places[k] + A @ (frame.origin - local.origin), A @ frame.axes

    def of(self, marker: Any) -> np.ndarray:
        """(6, inputs): translation of the origin of a marker and rotation of its body, ground axes."""
        m = self._model.find("MARKER", marker)
        k = self._system.body_index.get((m.body_kind, m.part), self._system.nb)
        out = np.zeros((6, len(self.inputs)))
        if k < len(self._own):
            d = self._moves[:, k]
            turn = self._R[k] @ d[:, 3:].T
            arm = self.place(m)[0] - self._places[k]
            out[:3] = d[:, :3].T + np.cross(turn.T, arm).T
            out[3:] = turn
        return out

    def length(self, i: Any, j: Any) -> np.ndarray:
        """(inputs,): the distance of two markers.  Raises ModelError where they lie at the same point."""
        d = self.place(i)[0] - self.place(j)[0]
        size = float(np.linalg.norm(d))
        if not size > 0.0:
            raise ModelError("the two markers coincide: their distance has no derivative")
        return (d / size) @ (self.of(i)[:3] - self.of(j)[:3])

    def multiplier(self, constraint: Element) -> np.ndarray:
        """(rows, inputs): multipliers of a joint, motion or constraint, for a motion its force (torque) on I along the
        coordinate.

        Raises ModelError for an element that is not a constraint of this system."""
        for c in self._system.constraints:
            if c.element is constraint:
                return self._multipliers[:, list(c.rows)].T
        raise ModelError(f"{constraint.label} is not a constraint that acts")

    def reaction(self, constraint: Element) -> np.ndarray:
        """(rows,) multipliers themselves, with the signs of `multiplier`.  Raises ModelError as `multiplier` does."""
        for c in self._system.constraints:
            if c.element is constraint:
                return -self._lam[list(c.rows)]
        raise ModelError(f"{constraint.label} is not a constraint that acts")


class StaticPath:
    """Static equilibria of one simulation that follow its inputs, each from the last; nothing is recorded.

    ``inputs``: VARIABLEs of `Model.input`, with respect to which `sensitivity` differentiates.  All are set to their
    values at once, so that the system reads them.  Raises ModelError for inputs that there are not, and for models that
    cannot be assembled.
    """

    def __init__(self, simulation: Any, inputs: list[Any]):
        self.simulation = simulation
        self.variables = [simulation.inputs.find(one) for one in inputs]
        courses = simulation.inputs.courses
        for n in self.variables:
            if not courses[n].given:
                simulation.set_input(n, courses[n].value)
        self.system = simulation.prepare("statics")
        self._problem = _Problem(self.system)
        self._kept: tuple[np.ndarray, np.ndarray] | None = None

    def solve(self, values: Any) -> None:
        """The equilibrium at values of the inputs (one each, their units); the simulation then is there.

        Newton's method from the last equilibrium, all of `Simulation.statics` where that fails.  Raises ModelError
        where there is none."""
        sim, p, s = self.simulation, self._problem, self.system
        for n, v in zip(self.variables, values):
            c = sim.inputs.courses[n]
            c.value = c.target = float(v)
            sim.inputs.put_one(s, n)
        if self._kept is not None:
            p.set_multipliers(self._kept[1])
        start = sim.y.copy()
        p.friction.begin(start)
        states = slice(s.bodies.end, None)
        try:
            y, _, _ = _newton(p, sim.time, start, states, 25, 0.2 * s.extent, 0.3, 1e-4, 1e-4, 0.0)
            if y is None:
                p.set_multipliers(np.zeros(s.m) if self._kept is None else self._kept[1])
                y = _balance(p, sim.time, start, sim.model.equilibrium, lambda text: None, {}).y
            p.friction.limit_deformations(y)
        finally:
            p.friction.end()
        sim.leave(sim.time, y)
        self._kept = y.copy(), s.W.lam.copy()

    def sensitivity(self) -> StaticSensitivity:
        """Derivatives at the present equilibrium.  Raises ModelError before `solve`, and where some direction has no
        stiffness."""
        if self._kept is None:
            raise ModelError("there is no equilibrium yet; call solve first")
        sim, p, s = self.simulation, self._problem, self.system
        y, lam0 = self._kept
        right = []
        p.set_multipliers(lam0)
        p.friction.begin(y.copy())
        try:
            for n in self.variables:
                c = sim.inputs.courses[n]
                kept = c.value
                h = 1e-3 * max(abs(kept), 1.0)
                sides = []
                for sign in (1.0, -1.0):
                    c.value = kept + sign * h
                    sim.inputs.put_one(s, n)
                    p.linearise(sim.time, y, 0.0)
                    sides.append(p.I.res.copy())
                c.value = kept
                sim.inputs.put_one(s, n)
                right.append((sides[0] - sides[1]) / (2.0 * h))
            try:
                p.factor(sim.time, y, 0.0)
            except (SingularMatrix, ValueError):
                raise ModelError(
                    "the equilibrium has no stiffness in some direction: the response to the inputs is not "
                    "defined there"
                ) from None
            moves = np.zeros((len(self.variables), s.bodies.moves))
            lam = np.zeros((len(self.variables), s.m))
            for k, rhs in enumerate(right):
                sol = p.solve(rhs)
                moves[k, p.columns] = sol[: p.nq]
                lam[k] = -sol[p.nq + p.nx :]
        finally:
            p.friction.end()
        names = [sim.model.table("VARIABLE")[n].name for n in self.variables]
        return StaticSensitivity(sim, names, moves.reshape(len(self.variables), -1, layout.MOVES), lam, lam0.copy())


def static_sensitivity(simulation: Any, inputs: list[Any]) -> StaticSensitivity:
    """Derivative of the equilibrium near the present state of a simulation with respect to inputs of its model, at
    their present values.

    ``inputs``: VARIABLEs of `Model.input` (names, ids or themselves).  Forces and motions that read them answer; others
    do not.  Raises ModelError as `StaticPath` does.

        sim = hn.Simulation(model)
        d = static_sensitivity(sim, ["push"])
        d.of(tip)[:, 0]                     # how marker tip moves and turns per newton
    """
    path = StaticPath(simulation, inputs)
    path.solve([simulation.inputs.courses[n].value for n in path.variables])
    return path.sensitivity()
