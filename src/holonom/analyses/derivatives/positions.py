"""Gradients of what equations of position determine: static equilibria, driven mechanisms, and small motions about an
equilibrium.

At each time that a functional needs, the equations are solved and every expression gets its adjoint there
(`integrators.adjoint_statics`; of driven mechanisms the transposed projection), so that no run is stored.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...elements.bodies import layout
from ...integrators.adjoint import closing, pulls_of, start
from ...integrators.adjoint_linear import LinearAdjoint
from ...integrators.adjoint_statics import NO_STIFFNESS, StaticAdjoint
from ...integrators.explicit import REDUNDANT
from ...linalg.lu import SingularMatrix
from ...model import Model, ModelError
from ...system.multipliers import null_space
from ..kinematics import kinematics_at
from ..session.simulation import Simulation
from ..statics.equilibrium import _Problem
from .cotangents import SLIGHT, Cotangents
from .effects import Effect, Effects
from .functionals import Functional, SmallMotion
from .small_motions import SmallMotions
from .supported import check_redundant, check_static, check_system, reads_reactions

#: kinds of analyses whose positions follow from equations at each time
POSITION_ANALYSES = ("statics", "quasistatics", "kinematics")
POLISHED = 1e-13  # last correction of an equilibrium, of the extent and of a radian
CORRECTIONS = 12  # of an equilibrium at most
ROUGH, UNSETTLED = 1e-11, 1e-9  # last corrections that are reported, and that end the analysis
TURNING = 1e-12  # speed of constraints, of the extent over the unit of time, of an equilibrium that moves

#: effects of all components on a system, and their names
Wanted = Callable[[Effects], list[tuple[str, Effect]]]


class Positions:
    """Values and derivatives of expressions at the times that functionals need.

    ``of``: expression or `SmallMotion`, time -> (values (k,), derivatives (k, components))."""

    def __init__(
        self,
        model: Model,
        functionals: Sequence[Functional],
        kind: str,
        end: float | None,
        wanted: Wanted,
        options: dict[str, Any],
    ) -> None:
        self._wanted, self.kind, self.options = wanted, kind, options
        self._system: Any = None
        self._named: list[tuple[str, Effect]] = []
        self._driven: _Driven | None = None
        terms = [t for f in functionals for _, t in f.terms]
        if any(term.integral for term in terms):
            raise ModelError(
                f"an integral over time has no derivative in {kind} yet; give a sum of value_at at the times of a "
                "quadrature"
            )
        twin = model.copy()
        here = twin.marker(twin.ground)
        texts = [t.expression for t in terms if t.small is None] + [t.small.output for t in terms if t.small]
        self._carriers = {text: twin.sforce(here, here, text, actiononly=True) for text in dict.fromkeys(texts) if text}
        self.sim = sim = Simulation(twin, progress=False, referee=False)
        sim.work = False
        last = 0.0 if end is None or kind == "statics" else end
        at: dict[float, list[Any]] = {}
        for term in terms:
            for t in term.times:
                at.setdefault(last if t is None else t, []).append(term.small or term.expression)
        self.of: dict[tuple[Any, float], tuple[np.ndarray, np.ndarray]] = {}
        self.warnings: list[str] = []
        self.last = last
        for t in sorted(at):
            if t > last * (1.0 + 1e-12):
                raise ModelError(
                    f"the functional needs time {t:.6g}, and "
                    + (
                        "statics is at time 0; use kind = 'quasistatics'"
                        if kind == "statics"
                        else f"the analysis ends at {last:.6g}"
                    )
                )
            for what, found in self._at(t, list(dict.fromkeys(at[t]))):
                self.of[what, t] = found

    def _reach(self, t: float) -> None:
        sim = self.sim
        if self.kind == "kinematics":
            kinematics_at(sim, np.array([sim.time, t][t <= sim.time :]), self.options)
        elif t > sim.time:
            sim.quasistatics(end=t, steps=1, **self.options)
        else:
            sim.statics(**self.options)

    def _at(self, t: float, asked: list[Any]) -> list[tuple[Any, tuple[np.ndarray, np.ndarray]]]:
        self._reach(t)
        sim, system = self.sim, self.sim.system
        check_system(system)
        check_static(system, self.kind)
        if self._system is not system:
            self._system, self._named, self._driven = system, self._wanted(Effects(system)), None
        named = self._named
        if self.kind == "kinematics":
            self._driven = self._driven or _Driven(system, named)
            self._driven.at(t, sim.y.copy())
            point: _Driven | _Equilibrium = self._driven
        else:
            point = _Equilibrium(system, t, sim.y, named)
            if point.left > ROUGH:
                self.warnings.append(
                    f"the equilibrium at time {t:.6g} is known to {point.left:.1g} of the extent, of a radian or of a "
                    "state: derivatives there have no more digits"
                )
        small: SmallMotions | None = None
        out: list[tuple[Any, tuple[np.ndarray, np.ndarray]]] = []
        for what in asked:
            if isinstance(what, SmallMotion):
                if small is None:
                    check_still(system)
                    small = SmallMotions(sim, point, self._wanted, self._function)
                out.append((what, small.of(what)))
                self.warnings += [w for w in small.warnings if w not in self.warnings]
            else:
                e = self._function(system, what)
                value = point.gradient(e)
                row = [point.cotangents.times(effect, name) for name, effect in named]
                out.append((what, (np.array([value]), np.array([row]))))
        return out

    def _function(self, system: Any, text: str) -> int:
        """Number of the function that is an expression."""
        elements = system.functions.force_elements
        carrier = self._carriers[text]
        k = next(k for k, x in enumerate(elements) if (x.KIND, x.id) == (carrier.KIND, carrier.id))
        return int(system.S.fn.vforce.f[k, 0])


def _weights(system: Any, e: int) -> np.ndarray:
    out = np.zeros(len(system.functions.set.functions))
    out[e] = 1.0
    return out


class _Driven:
    """A mechanism without degrees of freedom at a time, see `at`."""

    def __init__(self, system: Any, named: list[tuple[str, Effect]]) -> None:
        self.system = system
        self.cotangents = c = Cotangents(system, [e for _, e in named])
        self.adjoint = LinearAdjoint(system, c.wanted, c.constants)
        c.P, c.handle = self.adjoint.P, self.adjoint.handle

    def at(self, t: float, y: np.ndarray) -> None:
        """The mechanism is in this state."""
        self.t, self.y, self.cotangents.start = t, y, y
        self.adjoint.outputs(t, y, np.zeros(len(self.system.functions.set.functions)))
        if self.cotangents.by_places:
            self.cotangents.loops = self.cotangents.find_loops(t)

    def gradient(self, e: int) -> float:
        """The value of a function; its derivatives are in the cotangents then."""
        c, weights = self.cotangents, _weights(self.system, e)
        c.clear()
        yb = self.adjoint.outputs(self.t, self.y, weights)
        value = float(self.system.W.f.fval[e])
        _check_reactions(c, self.t, weights)
        start(pulls_of(self.adjoint.handle), self.t, self.y, yb, REDUNDANT, True, True, False)
        return value


class _Equilibrium:
    """A static equilibrium, which is made exact first; ``lam``: its multipliers, ``left``: see `_polished`."""

    def __init__(self, system: Any, t: float, y: np.ndarray, named: list[tuple[str, Effect]]) -> None:
        self.system, self.t, self.named = system, t, named
        self.y, self.lam, self.left = _polished(system, t, y)
        self.cotangents = c = Cotangents(system, [e for _, e in named])
        self.adjoint = StaticAdjoint(system, c.wanted, c.constants)
        self.renew()
        c.start = self.y
        if c.by_places:
            c.loops = c.find_loops(t)

    def renew(self) -> None:
        """Tables and work become those of the equilibrium again."""
        self.adjoint.at(self.t, self.y, self.lam)
        self.cotangents.P, self.cotangents.handle = self.adjoint.P, self.adjoint.handle

    def gradient(self, e: int) -> float:
        """The value of a function; its derivatives are in the cotangents then."""
        self.renew()
        weights = _weights(self.system, e)
        self.cotangents.clear()
        yb = np.zeros(len(self.y))
        value = float(self.adjoint.read(weights, yb)[e])
        _check_reactions(self.cotangents, self.t, weights)
        self.adjoint.back(yb)
        return value

    def carry(self, yb: np.ndarray) -> None:
        """What a cotangent of the state adds by numbers, in the cotangents."""
        self.renew()
        self.cotangents.clear()
        self.adjoint.P.rl[:] = 0.0
        self.adjoint.back(yb.copy())


def _check_reactions(c: Cotangents, t: float, weights: np.ndarray) -> None:
    system = c.system
    if reads_reactions(system) and system.m:
        closing(pulls_of(c.handle), t, c.start, np.zeros(system.m))
        check_redundant(system, weights[None], np.abs(null_space(system)) > SLIGHT)


def _polished(system: Any, t: float, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """An equilibrium to rounding, its multipliers, and the last correction, from one to the error of statics.

    Raises ModelError where corrections do not end: derivatives are those of a point at which forces balance."""
    p, y = _Problem(system), y.copy()
    p.set_multipliers(system.W.lam.copy())
    p.friction.begin(y)
    end = system.bodies.end
    scale = np.ones(p.nq + p.nx)
    left = np.inf
    try:
        for _ in range(CORRECTIONS):
            try:
                p.factor(t, y, 0.0)
            except (SingularMatrix, ValueError):
                raise ModelError(NO_STIFFNESS) from None
            step = p.solve(p.I.res)
            y = p.go(y, step)
            scale[p.nq :] = np.maximum(1.0, np.abs(y[end : end + p.nx]))
            left = float(np.abs(p.weigh(step) / scale).max(initial=0.0))
            if not left >= POLISHED:
                break
    finally:
        p.friction.end()
    if not left <= UNSETTLED:
        raise ModelError(
            f"the equilibrium at time {t:.6g} is not found to rounding: after {CORRECTIONS} corrections of Newton's "
            f"method the last one is {left:.1g} of the extent, of a radian or of a state, and a derivative there would "
            "be wrong; make forces with kinks or jumps next to the equilibrium smooth (STEP)"
        )
    layout.stop(y, system.bodies)
    return y, p.I.lam.copy(), left


def check_still(system: Any) -> None:
    """Raise `ModelError` where motions move at the equilibrium."""
    if np.abs(system.W.rw.phit[: system.m]).max(initial=0.0) > TURNING * system.extent:
        raise ModelError(
            "a motion moves the model at the equilibrium: small motions are about a state at rest; give a motion that "
            "starts from rest, as STEP"
        )
