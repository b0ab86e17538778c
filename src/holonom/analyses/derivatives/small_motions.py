"""Eigenvalues of small motions about an equilibrium, frequency responses, and their derivatives."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from ...elements.bodies import layout
from ...integrators.adjoint_linear import LinearAdjoint
from ...linalg.eigen import eigenvalues_of_states
from ...model import ModelError
from ...model.states import Diff
from ..session.inputs import Inputs
from ..session.recorder import Recorder
from .cotangents import Cotangents
from .effects import Effects
from .functionals import SmallMotion

APART = 1e-6  # share of an eigenvalue by which another must differ
STEP = 2e-3  # of differences along a mode, of the extent and of a radian
LARGEST = 3000  # numbers of a state whose matrix is made
AGREE = 1e-6  # share of a derivative by which two steps of differences may differ


class SmallMotions:
    """Of one equilibrium, ``point``.  ``wanted``: effects on a system with their names; ``function``: number of the
    function that is an expression."""

    def __init__(self, sim: Any, point: Any, wanted: Any, function: Callable[[Any, str], int]) -> None:
        self.sim, self.point, self._wanted, self._function = sim, point, wanted, function
        self.warnings: list[str] = []
        self._bases: dict[Any, _Base] = {}
        if len(point.y) > LARGEST:
            raise ModelError(
                f"the state has {len(point.y)} numbers; derivatives of eigenvalues and responses are for models of up "
                f"to {LARGEST}"
            )

    def of(self, what: SmallMotion) -> tuple[np.ndarray, np.ndarray]:
        """Real and imaginary part of an eigenvalue or a response, with their derivatives (2, components)."""
        return self._response(what) if what.input is not None else self._eigenvalue(what.mode)

    def _base(self, input: Any) -> _Base:
        if input not in self._bases:
            self._bases[input] = _Base(self.sim, self.point, self._wanted, input)
        return self._bases[input]

    def _eigenvalue(self, number: int) -> tuple[np.ndarray, np.ndarray]:
        base = self._base(None)
        value, v, w = base.mode(number)
        pairs = [(w.real, v.real), (-w.imag, v.imag)], [(w.real, v.imag), (w.imag, v.real)]
        return np.array([value.real, value.imag]), np.array([self._along(base, some, None) for some in pairs])

    def _response(self, what: SmallMotion) -> tuple[np.ndarray, np.ndarray]:
        base = self._base(what.input)
        weights = np.zeros(len(base.system.functions.set.functions))
        weights[self._function(base.system, what.output)] = 1.0
        H, x, z = base.response(weights, what.frequency)
        pairs = [(z.real, x.real), (-z.imag, x.imag)], [(z.real, x.imag), (z.imag, x.real)]
        # values count along the first of each
        return np.array([H.real, H.imag]), np.array([self._along(base, some, weights) for some in pairs])

    def _along(self, base: _Base, pairs: Any, weights: np.ndarray | None) -> np.ndarray:
        """Derivatives of sum w . J v by all components, the equilibrium following."""
        found = []
        for part in (1.0, 0.5):
            yb = np.zeros(len(base.y))
            base.cotangents.clear()
            for k, (w, v) in enumerate(pairs):
                if (size := base.size(v)) > 0.0:
                    base.adjoint.along(
                        base.t, base.y, v, w, np.zeros(0) if k or weights is None else weights, part * STEP / size, yb
                    )
            direct = np.array([base.cotangents.times(e, name) for name, e in base.named])
            self.point.carry(base.to_point(yb))
            followed = np.array([self.point.cotangents.times(e, name) for name, e in self.point.named])
            found.append(direct + followed)
        change = np.abs(found[1] - found[0]).max(initial=0.0)
        if change > AGREE * np.abs(found[1]).max(initial=0.0):
            self.warnings.append(
                f"derivatives of small motions change by {change:.1g} between two steps of differences along the mode: "
                "a function has a kink next to the equilibrium"
            )
        return found[1]


class _Base:
    """Matrices of the equations at the equilibrium, with one input as a state, or with none."""

    def __init__(self, sim: Any, point: Any, wanted: Any, input: Any) -> None:
        self.t, self.input = point.t, -1
        if input is None:
            self.system, self.y, self.named = point.system, point.y, point.named
        else:
            self.system, self.y, self.input = _with_input(sim, point, input)
            self.named = wanted(Effects(self.system))
        states = list(self.system.functions.states)
        own = [states.index(key) for key in point.system.functions.states]
        end = self.system.bodies.end
        self._places = np.concatenate([np.arange(end), end + np.array(own, int)])
        self.y[self._places] = point.y
        self.cotangents = c = Cotangents(self.system, [e for _, e in self.named])
        self.adjoint = LinearAdjoint(self.system, c.wanted, c.constants)
        c.P, c.handle, c.start = self.adjoint.P, self.adjoint.handle, self.y
        self.J = self.adjoint.jacobian(self.t, self.y)
        self._modes: Any = None

    def to_point(self, yb: np.ndarray) -> np.ndarray:
        """A cotangent of the state of this system as that of the equilibrium."""
        return yb[self._places]

    def size(self, v: np.ndarray) -> float:
        """A direction in units of the extent, of radians and of the states."""
        s, n = self.system, self.system.nb
        body = np.abs(layout.rows(v, n))
        x = np.abs(v[s.bodies.end :]) / np.maximum(np.abs(self.y[s.bodies.end :]), 1.0)
        parts = body[:, layout.PLACE].max(initial=0.0) / s.extent, 2.0 * body[:, layout.QUATERNION].max(initial=0.0)
        return float(max(*parts, x.max(initial=0.0))) or float(np.abs(v).max(initial=0.0))

    def mode(self, number: int) -> tuple[complex, np.ndarray, np.ndarray]:
        """Eigenvalue, right and left eigenvector with w . v = 1.  Raises ModelError where it has no derivative."""
        if self._modes is None:
            T = self.adjoint.tangent(self.t, self.y)
            self._modes = T, eigenvalues_of_states(T.T @ self.J @ T)
        T, found = self._modes
        chosen = np.flatnonzero(found.values.imag >= 0.0)
        rigid = len(found.chains)
        if not 1 <= number <= rigid + len(chosen):
            raise ModelError(f"there is no mode {number}; the linear analysis has {rigid + len(chosen)}")
        if number <= rigid:
            raise ModelError(f"mode {number} has eigenvalue zero and no derivative; choose one from {rigid + 1} on")
        k = int(chosen[number - rigid - 1])
        value = complex(found.values[k])
        apart = np.abs(np.delete(found.values, k) - value)
        if apart.min(initial=np.inf) <= APART * abs(value):
            equal = [j + rigid + 1 for j, q in enumerate(chosen) if abs(found.values[q] - value) <= APART * abs(value)]
            words = f"modes {', '.join(map(str, equal))} have" if len(equal) > 1 else f"mode {number} has twice"
            raise ModelError(
                f"{words} the same eigenvalue {value:.6g}: a repeated eigenvalue splits when a parameter changes and "
                "has no derivative; make them differ, or take differences of linear analyses"
            )
        A = T.T @ self.J @ T
        b = np.linalg.svd(A.T - value * np.eye(len(A)))[2][-1].conj()
        N = np.linalg.svd(T, full_matrices=True)[0][:, T.shape[1] :]
        w = T @ b.astype(complex)
        if N.shape[1]:
            back = self.J.T @ w
            w = w - N @ np.linalg.solve(N.T @ self.J.T @ N - value * np.eye(N.shape[1]), N.T @ back)
        v = T @ found.vectors[:, k]
        return value, v, w / (w @ v)

    def response(self, weights: np.ndarray, frequency: float) -> tuple[complex, np.ndarray, np.ndarray]:
        """H, the state x per unit of the input, and the adjoint state z."""
        c = self.adjoint.outputs(self.t, self.y, weights)
        self.cotangents.clear()
        k, rest = self.input, np.delete(np.arange(len(self.y)), self.input)
        M = 2j * np.pi * frequency * np.eye(len(rest)) - self.J[np.ix_(rest, rest)]
        x, z = np.zeros((2, len(self.y)), complex)
        try:
            x[rest], z[rest] = np.linalg.solve(M, self.J[rest, k]), np.linalg.solve(M.T, c[rest].astype(complex))
        except np.linalg.LinAlgError:
            raise ModelError(f"the response at frequency {frequency:.6g} is infinite; choose another one") from None
        x[k] = 1.0
        return complex(c @ x), x, z


def _with_input(sim: Any, point: Any, input: Any) -> tuple[Any, np.ndarray, int]:
    """A system in which a state that is at rest is added to a VARIABLE, its state, and the place of that state."""
    model = sim.model.copy()
    sim.inputs.bake(model, sim.time)
    own = model.find("VARIABLE", input)
    if getattr(own, "routine", None):
        raise own.error("an input of a response must be a function, not a routine")
    added = model.add(Diff(name=f"{own.name}_input", function="0", static_hold=True))
    own.function, own.input = f"({own.function})+DIF({added.id})", False
    twin = copy.copy(sim)
    twin.model, twin.recorder, twin.messages = model, Recorder(model), []
    twin._prepared, twin._stepping, twin.inputs = None, None, Inputs(model)
    twin.carried = copy.copy(sim.carried)
    twin.carried.state, twin.carried.angles = dict(sim.carried.state), dict(sim.carried.angles)
    with sim.systems.aside(sim.system):
        system = twin.prepare("linear")
    states = list(system.functions.states)
    at = next(k for k, key in enumerate(states) if key[:2] == ("DIFF", added.id))
    return system, twin.y.copy(), system.bodies.end + at
