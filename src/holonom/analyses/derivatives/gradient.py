"""`gradient`: the exact derivative of a functional of a run by any number of parameters, from one adjoint.

The adjoint is the transpose of the steps of the run (`integrators.adjoint_runge_kutta`, `adjoint_radau`,
`adjoint_alpha_family`), of the projection onto the constraints, and of the assembly of the start.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np

from ..._handle import make_handle
from ...elements.bodies import layout
from ...elements.bodies.mass import inverse_masses, set_weights, with_weights
from ...elements.joints.rows import without_drives
from ...expressions import to_text
from ...integrators.adjoint import closing, pulls_of, start
from ...integrators.adjoint_alpha_family import AlphaAdjoint
from ...integrators.adjoint_radau import RadauAdjoint
from ...integrators.adjoint_runge_kutta import RungeKuttaAdjoint
from ...integrators.methods import METHODS as EVERY
from ...integrators.tape import Tape
from ...model import Model, ModelError
from ...model.base import shown
from ...model.constants import constants_of
from ...model.kinds import finite, is_number
from ...model.parameter_data import linear_uses
from ...model.parameters import resolve
from ...model.quantities import Number, Parameter
from ...model.quantity_text import converted
from ...system.build import INITIAL, System
from ...system.multipliers import null_space
from ...system.names import apart, keep_apart
from ..assemble import EPS, constraint_matrix, fresh_pivots, velocity_weights
from ..session.simulate import simulate
from ..session.simulation import Simulation
from .conditions import carriers_of, carry_conditions
from .cotangents import SLIGHT, Cotangents
from .effects import Effect, Effects, add
from .functionals import SAMPLES, Functional, located
from .passing_points import passing_points
from .positions import POSITION_ANALYSES, Positions
from .supported import check_model, check_redundant, check_system, kinks, reads_reactions
from .tangents import obstacle, tangents, worthwhile

#: methods whose steps have an adjoint, and this
METHODS = (
    dict.fromkeys(("DOP853", "DOPRI5", "RKF45", "RK4"), RungeKuttaAdjoint)
    | {"RADAU5": RadauAdjoint}
    | dict.fromkeys(("HHT", "GENERALIZED_ALPHA", "NEWMARK", "IMPLICIT_EULER"), AlphaAdjoint)
)
# kinks of functions: the error of runs that are compared, its smallest and largest value, and changes of the gradient
# that end the analysis and that are reported.  Over a stop, a contact and a spline the change to a hundred times the
# error was .8 to 8 times the true error, for .6 of the cost; that to a hundredth .8 to 1 times, for 1.6 of it
FINER, LEAST, LARGEST, UNKNOWN, DOUBTFUL = 100.0, 1e-13, 1e-4, 1e-2, 1e-6
LONGER = {"I3": 8.0}  # of methods of order 2, whose steps are twice as long
MEMORY = 256.0  # MB of states that a run keeps
WHOLE = ("GRAPHICS",)  # types of elements whose numbers mean something together alone: three half axes of a sphere
SHARED = 1e-8  # inverse weight of given initial velocities next to those that are free
BEYOND = 1e-10  # of its time: so much behind an event the last step ends that must reach it
ON = 1e-3  # of the tolerance of a sensor: a function that has reached its value is so near to it
FORGETFUL = 1e-3  # share of the value that errors of the steps may make, as the adjoint magnifies them


class Gradient:
    """The derivative of a functional by parameters.

    ``value``: of the functional; ``g["k"]``: derivative by a parameter (three for a point) or number; ``names``,
    ``vector``: all of them in the order given, points by components, in units of the functional over those of the
    parameter; ``warnings``: sentences on doubtful derivatives; ``steps``: how many the run took.
    """

    def __init__(self, value: float, parts: list[tuple[str, np.ndarray, bool]], warnings: list[str], steps: int):
        self.value = value
        self.warnings = warnings
        self.steps = steps
        self._parts = {name: (v, point) for name, v, point in parts}
        self.names = [
            f"{name}.{c}" if point else name
            for name, v, point in parts
            for c in ("xyz" if point and len(v) == 3 else range(1, len(v) + 1))
        ]
        self.vector = np.concatenate([v for _, v, _ in parts]) if parts else np.zeros(0)

    def __getitem__(self, what: Any) -> Any:
        name = what if isinstance(what, str) else what.name
        if name not in self._parts:
            raise ModelError(f"the gradient was not taken by {shown(name)}; it has {', '.join(self._parts)}")
        v, point = self._parts[name]
        return v.copy() if point else float(v[0])

    def __repr__(self) -> str:
        return f"<gradient of {self.value:.9g} by {len(self.vector)} numbers>"


def gradient(
    model: Model,
    functional: Functional,
    parameters: Any,
    *,
    end: float | None = None,
    kind: str = "auto",
    integrator: str = "DOP853",
    error: float | None = None,
    compare: bool = True,
    **options: Any,
) -> Gradient:
    """The derivative of a functional of a run from the design position to time ``end`` by parameters, exact to the
    error of the steps.  Functionals: `final`, `integral`, `value_at`, `least_squares`, `peak`, `time_of`, sums of them,
    of displacements, velocities and states; except integrals also of accelerations and reactions of joints.

    ``kind``: "dynamics", "statics" (the equilibrium at time 0), "quasistatics" or "kinematics" (to ``end``), whose
    derivatives are exact to rounding; "auto" is statics for `natural_frequency`, `damping_ratio`, `eigenvalue` and
    `frequency_response`, which are those of small motions about the equilibrium, and else dynamics.

    ``parameters``: one or several of `Parameter`, `Number`, their names or addresses, in units of the model.
    ``integrator``: DOP853, DOPRI5, RKF45, RK4, or for stiff models RADAU5 (formulation SI2), and HHT,
    GENERALIZED_ALPHA, NEWMARK, IMPLICIT_EULER of formulation I3, of order 2 or less: a run of longer steps gives the
    distance of their derivative from the true one.
    ``error``, ``options`` as for `simulate`, the error 1e-10 unless given, 1e-8 of RADAU5, 1e-6 of the others of stiff
    models.  The cost is about three runs whatever the number of parameters.
    ``memory``: MB of states that an explicit run keeps, 256 unless given; beyond that it keeps two times the root of
    the number of steps, and makes the steps between these again, for the time of one more run: the same bits.

    ``compare``: where functions may have kinks (splines, MAX, contacts, tyres) the gradient is taken again from a run
    at a larger error, and reports what that changes; False spares this cost, as of a search whose last gradient is
    compared.

    Where functions branch (IF, SIGN, ABS, MAX, MIN, DIM, IMPACT, BISTOP; explicit methods) and where a sensor ends the
    run, the derivative of the time of the event is part of it.

    Raises `ModelError` for elements without derivatives, integrators without an adjoint, events of other kinds,
    parameters by which there is no derivative, and where kinks of functions (splines, STEP, MOD) change the gradient by
    more than 1 % between two errors; IntegrationError as the run does.

        g = hn.gradient(model, hn.final("DZ(3,4)"), ["k", "PART/2.MASS"], end=2.0)
        g.value, g["k"]
    """
    if not isinstance(functional, Functional):
        raise ModelError(f"gradient needs a functional, not {shown(functional)}; as holonom.final('DX(3,4)')")
    return gradients(model, [functional], parameters, end, integrator, error, options, kind, compare=compare)[0]


def gradients(
    model: Model,
    functionals: Sequence[Functional],
    parameters: Any,
    end: Any,
    integrator: str,
    error: float | None,
    options: dict[str, Any],
    kind: str = "auto",
    mode: str = "adjoint",
    compare: bool = True,
) -> list[Gradient]:
    """The gradients of several functionals from one run, and one adjoint each or tangents, see `sensitivities`;
    arguments of `gradient`."""
    method = _method(integrator)
    if not isinstance(model, Model):
        raise ModelError(f"gradient needs a model, not {shown(model)}")
    kind = _kind(kind, functionals)
    if end is not None or kind != "statics":
        end = converted(end, "s", model.units, "end")
        if not is_number(end) or not finite(end) or end <= 0.0:
            raise ModelError(f"end is {shown(end)}; give a positive time")
        end = float(end)
    asked = asked_for(model, parameters)
    check_model(model, kind)
    if constants := _constants(model, asked):
        model = model.copy()
        keep_apart(model, constants)
    if kind != "dynamics":
        if method != "DOP853" or error is not None:
            raise ModelError(f"integrator and error have no influence on derivatives of {kind}; leave them out")
        return _of_positions(model, functionals, asked, kind, end, options)
    messages: list[str] = []
    functionals = located(functionals, lambda texts: _samples(model, texts, end, method, error, options), messages)
    take = partial(_Run, model, functionals, end, method)
    run = _to_its_end(take, error, options)
    effects = Effects(run.system)
    scratch = model.copy()
    effects.settle(_uses(scratch, [c for _, components, _ in asked for c in components]))
    wanted = [(name, [_effect(scratch, effects, c) for c in components], point) for name, components, point in asked]
    every = [e for _, parts, _ in wanted for e in parts]

    names = [name for name, some, _ in wanted for _ in some]

    def of(run: _Run, which: int, vector: np.ndarray, warnings: list[str]) -> Gradient:
        ends = np.cumsum([0, *(len(some) for _, some, _ in wanted)])
        parts = [(name, vector[a:b], point) for (name, _, point), a, b in zip(wanted, ends, ends[1:])]
        if not np.isfinite(vector).all():
            name = names[int(np.flatnonzero(~np.isfinite(vector))[0])]
            raise ModelError(
                f"the derivative by {name} is not finite: the steps magnify changes beyond all bounds, as those of "
                "explicit methods do where friction sticks; choose RADAU5, or a softer law of friction"
            )
        return Gradient(run.values[which], parts, messages + run.warnings + warnings, run.tape_times.size - 1)

    def by_adjoint(run: _Run, which: int) -> tuple[_Adjoint, Gradient]:
        cotangents = _Adjoint(run, which, every)
        vector = np.array([cotangents.times(e, name) for e, name in zip(every, names)])
        return cotangents, of(run, which, vector, cotangents.warnings)

    def of_all(run: _Run) -> list[Gradient]:
        """By an adjoint of the first functional, whose warnings count for all, and tangents or an adjoint of each."""
        cotangents, first = by_adjoint(run, 0)
        prevented = "" if mode == "adjoint" else obstacle(run, every)
        if mode == "tangent" and prevented:
            raise ModelError(f"there are no tangents of {prevented}; choose mode = 'adjoint'")
        if mode == "tangent" or (mode == "auto" and not prevented and worthwhile(run, len(functionals))):
            found = tangents(run, cotangents, every, names)
            return [of(run, k, vector, cotangents.warnings) for k, vector in enumerate(found)]
        return [first, *(by_adjoint(run, k)[1] for k in range(1, len(functionals)))]

    out = of_all(run)
    if kinked := kinks(model, functionals):
        if run.error == 0.0:
            for g in out:
                g.warnings.append(
                    f"{kinked} may have kinks, which steps of fixed length pass: compare with a run of shorter steps"
                )
        elif compare and every:
            _compare(out, run, lambda error: of_all(_to_its_end(take, error, options)), kinked)
    elif run.adjoint.formulation == "I3" and every:
        longer = {k: 2.0 * v if k in ("hmin", "hmax") and v else v for k, v in options.items()}
        coarser = _to_its_end(take, 8.0 * run.error, longer)
        for g, worse in zip(out, of_all(coarser)):
            _estimate(g, worse, method)
    return out


def _kind(kind: Any, functionals: Sequence[Functional]) -> str:
    """The analysis that functionals are of."""
    small = any(t.small is not None for f in functionals for _, t in f.terms)
    if kind == "auto":
        return "statics" if small else "dynamics"
    if kind not in ("dynamics", *POSITION_ANALYSES):
        raise ModelError(
            f"unknown kind of analysis {shown(kind)}; choose auto, dynamics, {', '.join(POSITION_ANALYSES)}"
        )
    if small and kind in ("dynamics", "kinematics"):
        raise ModelError(
            f"small motions are about a static equilibrium, not in {kind}; choose kind = 'statics' or 'quasistatics'"
        )
    return kind


def _of_positions(
    model: Model,
    functionals: Sequence[Functional],
    asked: list[tuple[str, list[tuple[Any, int]], bool]],
    kind: str,
    end: float | None,
    options: dict[str, Any],
) -> list[Gradient]:
    """Gradients of statics, quasistatics and kinematics."""
    messages: list[str] = []

    def samples(texts: list[str]) -> tuple[np.ndarray, np.ndarray]:
        if end is None:
            raise ModelError("statics has no peaks and no times; choose kind = 'quasistatics' with an end")
        return _sampled(model, texts, end=end, steps=SAMPLES, kind=kind, **options)

    functionals = located(functionals, samples, messages)
    scratch = model.copy()

    def wanted(effects: Effects) -> list[tuple[str, Effect]]:
        effects.settle(_uses(scratch, [c for _, components, _ in asked for c in components]))
        return [(name, _effect(scratch, effects, c)) for name, components, _ in asked for c in components]

    found = Positions(model, functionals, kind, end, wanted, options)
    out = []
    for functional in functionals:
        total, vector = 0.0, np.zeros(sum(len(components) for _, components, _ in asked))
        for factor, term in functional.terms:
            each = [found.of[term.small or term.expression, found.last if t is None else t] for t in term.times]
            value, slopes = term.rule(np.concatenate([values for values, _ in each]))
            total += factor * value
            vector += factor * slopes @ np.concatenate([table for _, table in each])
        if not math.isfinite(total):
            raise ModelError(f"the functional is {total}; choose one that is finite at these parameters")
        parts, at = [], 0
        for name, components, point in asked:
            parts.append((name, vector[at : at + len(components)], point))
            at += len(components)
        out.append(Gradient(total, parts, messages + found.warnings, 0))
    return out


def _sampled(model: Model, texts: list[str], **options: Any) -> tuple[np.ndarray, np.ndarray]:
    """Times and values of expressions of a run, a column each."""
    twin = model.copy()
    names = [twin.variable(text).name for text in texts]
    run = simulate(twin, progress=False, **options)
    return np.asarray(run.time), np.stack([np.asarray(run.variable(name).values) for name in names], axis=1)


def _samples(
    model: Model, texts: list[str], end: float, method: str, error: float | None, options: dict[str, Any]
) -> tuple[np.ndarray, np.ndarray]:
    """`_sampled` with the method of an adjoint."""
    adjoint = METHODS[method]
    options = {k: v for k, v in options.items() if k != "memory"}
    if EVERY[method].error is not None:
        options = {"error": adjoint.error if error is None else error, **options}
    fixed: dict[str, Any] = {"planar": False, "formulation": adjoint.formulation}
    return _sampled(model, texts, end=end, steps=SAMPLES, integrator=method, **fixed, **options)


def _estimate(out: Gradient, coarser: Gradient, method: str) -> None:
    """The error of a method of order 2, by a run of steps twice as long, whose error is four times as large."""
    size = float(np.linalg.norm(out.vector)) or 1.0
    error = float(np.linalg.norm(coarser.vector - out.vector)) / size / 3.0
    if error > DOUBTFUL:
        out.warnings.append(
            f"the steps of {method} leave an error of about {error:.1g} of the size of the gradient; for more digits "
            "give a smaller error, or use DOP853"
        )


def _compare(out: list[Gradient], run: _Run, again: Callable[[float], list[Gradient]], kinked: str) -> None:
    """The error of steps over kinks, which the error control of states does not see, by a run at a larger error, since
    its gradients cost less; where these differ much, by one at a smaller error, which decides."""
    larger, changes = min(FINER, LONGER.get(run.adjoint.formulation, FINER)) * run.error, [math.inf]
    if larger <= LARGEST:
        try:
            changes = [_change(g, other) for g, other in zip(out, again(larger))]
        except ModelError:  # its steps may be too long for the model
            pass
    word = "larger"
    if not max(changes) <= UNKNOWN:
        word = "smaller"
        changes = [_change(g, other) for g, other in zip(out, again(max(run.error / FINER, LEAST)))]
    for g, change in zip(out, changes):
        if not change <= UNKNOWN:
            raise ModelError(
                f"the gradient changes by {100 * change:.2g} % with a smaller error: the steps pass kinks of {kinked} "
                "that are not located; give a smaller error or hmax, make the function smooth, or take differences of "
                "runs"
            )
        if change > DOUBTFUL:
            g.warnings.append(
                f"the gradient changes by {change:.1g} of its size with a {word} error, since the steps pass kinks of "
                f"{kinked}"
            )


def _change(one: Gradient, other: Gradient) -> float:
    """The distance of two gradients, of the size of the second."""
    return float(np.linalg.norm(other.vector - one.vector)) / (float(np.linalg.norm(other.vector)) or 1.0)


def _method(integrator: Any) -> str:
    name = str(integrator).upper()
    if name not in METHODS:
        known = f"{name} has no adjoint" if name in EVERY else f"there is no integrator {shown(integrator)}"
        raise ModelError(f"{known}; choose {', '.join(list(METHODS)[:-1])} or {list(METHODS)[-1]}")
    return name


def asked_for(model: Model, parameters: Any) -> list[tuple[str, list[tuple[Any, int]], bool]]:
    """(name, components, whether they are several) of each parameter or number."""
    one = isinstance(parameters, (str, Parameter, Number))
    if not one and (not isinstance(parameters, Iterable) or isinstance(parameters, dict)):
        raise ModelError(f"parameters are {shown(parameters)}; give a list of parameters, names or addresses")
    out: list[tuple[str, list[tuple[Any, int]], bool]] = []
    for what in [parameters] if one else parameters:
        found = resolve(model, what)
        if isinstance(found, Parameter):
            out.append((found.name, [(found, c) for c in range(found.size)], found.size > 1))
            continue
        value = found.read(model)
        if isinstance(value, tuple):
            several = [(Number(found.kind, found.id, found.field, c + 1), 0) for c in range(len(value))]
            out.append((found.name, several, True))
        else:
            out.append((found.name, [(found, 0)], False))
    names = [name for name, _, _ in out]
    if len(set(names)) < len(names):
        raise ModelError(f"{next(n for n in names if names.count(n) > 1)} is named twice among the parameters")
    return out


def _constants(model: Model, asked: list[tuple[str, list[tuple[Any, int]], bool]]) -> list[tuple[str, int, str, int]]:
    """Constants of functions among the requested numbers, in the form of `keep_apart`."""
    out = []
    for _, components, _ in asked:
        for what, c in components:
            uses = linear_uses(model, what.name, model, check=False)[0] if isinstance(what, Parameter) else ()
            for number in [what] if isinstance(what, Number) else [u.number for u in uses if u.component == c]:
                if number.kind == "MODEL":
                    continue
                if isinstance(getattr(model.find(number.kind, number.id), number.field, None), str):
                    out.append((number.kind, number.id, number.field, int(number.index or 1) - 1))
    return out


def present(model: Model, parameters: Any) -> np.ndarray:
    """Present values of the components of parameters, in the order of a `Gradient`."""
    out: list[float] = []
    for _, components, _ in asked_for(model, parameters):
        for what, c in components:
            value = what.value if isinstance(what, Parameter) else what.read(model)
            out.append(float(value[c] if isinstance(value, tuple) else value))
    return np.array(out)


def _uses(model: Model, components: list[tuple[Any, int]]) -> list[Number]:
    """The numbers whose effects `_effect` adds up."""
    out: list[Number] = []
    for what, c in components:
        if isinstance(what, Number):
            out.append(what)
            continue
        uses = [use for use in linear_uses(model, what.name, model, check=False)[0] if use.component == c]
        if not any(use.number.kind in WHOLE for use in uses):
            out += [use.number for use in uses]
    return out


def _effect(model: Model, effects: Effects, component: tuple[Any, int]) -> Effect:
    what, c = component
    if isinstance(what, Number):
        return effects.of(what)
    out: Effect = {}
    uses = [use for use in linear_uses(model, what.name, model, check=False)[0] if use.component == c]
    if any(use.number.kind in WHOLE for use in uses):
        return effects.of_parameter(what, c)
    for use in uses:
        add(out, effects.of(use.number), use.factor)
    return out


def _turned(q: np.ndarray) -> np.ndarray:
    """Rotation matrix of a quaternion of any length."""
    a, b, c, d = q
    f = 2.0 / (q @ q)
    return np.array(
        [
            [1.0 - f * (c * c + d * d), f * (b * c - a * d), f * (b * d + a * c)],
            [f * (b * c + a * d), 1.0 - f * (b * b + d * d), f * (c * d - a * b)],
            [f * (b * d - a * c), f * (c * d + a * b), 1.0 - f * (b * b + c * c)],
        ]
    )


class _Halted(Exception):
    """A sensor has ended the run within a step; its argument is a time just behind it."""


def _to_its_end(take: Callable[..., _Run], error: float | None, options: dict[str, Any]) -> _Run:
    """A `_Run` whose last step ends where the run does; ``take`` makes one with an error and options."""
    try:
        return take(error, options)
    except _Halted as halted:
        return take(error, options, stop=halted.args[0])


def _carried(twin: Model, terms: list[Any]) -> tuple[list[str], list[Any], list[int]]:
    """Expressions of terms put among those of the equations of motion, by forces that act on nothing: what each is as
    an expression of the run, these forces, and which of them each term is."""
    here = twin.marker(twin.ground)
    carried: dict[tuple[str, bool], int] = {}  # terms of one expression share one
    texts: list[str] = []
    carriers, carrier_of = [], []
    for term in terms:
        text = term.expression
        if (k := carried.get((text, term.integral))) is None:
            carried[text, term.integral] = k = len(texts)
            if term.integral:
                state = twin.diff(text, name=f"integral of the functional {text}")
                text = f"DIF({state.id})"
            texts.append(text)
            carriers.append(twin.sforce(here, here, text, f"functional {text}", actiononly=True))
        carrier_of.append(k)
    return texts, carriers, carrier_of


def _refuse_system(system: System, method: str) -> None:
    """Raises ModelError for what has no derivative with this integrator."""
    adjoint = METHODS[method]
    if adjoint.formulation != "INDEX1" and system.bodies.tail and system.S.fn.has_acc:
        raise ModelError(
            f"accelerations in a model with flexible bodies have no derivative with {method} yet; choose DOP853, "
            "or functionals of displacements, velocities and reactions"
        )
    if adjoint.formulation != "INDEX1" and system.S.rows.level.any():
        raise ModelError(
            f"inertias of drives (armature of joints) and motions of velocities and accelerations have no "
            f"derivative with {method} yet; choose DOP853, DOPRI5, RKF45 or RK4"
        )
    if adjoint.formulation != "INDEX1" and system.contacts.on and system.contacts.rigid:
        raise ModelError(f"impacts have no derivative with {method}; choose DOP853, DOPRI5, RKF45 or RK4")


def _refuse_jumps(system: System, method: str, locates: bool) -> None:
    """Raises ModelError for functions that may jump where this run does not follow that; ``locates``: events."""
    jumps = next((s for s in system.functions.set.switches or [] if s.jump), None)
    if jumps is not None and not locates:
        raise ModelError(
            f"{jumps.label} may jump where it branches, and this run locates no events: the derivative of their "
            "times would be missing; leave events and fixed steps out, and choose DOP853 where there are contacts"
        )
    if jumps is not None and method == "NEWMARK":
        raise ModelError(
            f"{jumps.label} may jump where it branches, and NEWMARK has no numerical damping: its accelerations do "
            "not settle after the restart there; choose HHT, GENERALIZED_ALPHA or RADAU5"
        )


def _refuse_events(sim: Simulation, tape: Tape, dynamics: Any, stepper: Any) -> None:
    """Raises ModelError for events of a run through which derivatives are not known."""
    if sim.system.contacts.on and sim.system.contacts.rigid and (tape.breaks or dynamics.stepper is not stepper):
        raise ModelError(
            f"about time {tape.breaks[0] if tape.breaks else tape.times[-1]:.6g} a contact stays closed, and "
            "derivatives are known of impacts in flight alone; end before it, or give the contact a law (IMPACT)"
        )
    if tape.breaks or dynamics.stepper is not stepper:
        at = tape.breaks[0] if tape.breaks else sim.time
        raise ModelError(
            f"the run has an event at time {at:.6g} (a motion or a function that jumps), and derivatives through "
            "it are not known; end before it, or make it smooth (STEP)"
        )
    if dynamics.events.on and dynamics.events.chatter:
        label, (count, last) = next(iter(dynamics.events.chatter.items()))
        raise ModelError(
            f"a condition of {label} changed back at once, again and again ({count} times up to time {last:.6g}), "
            "and was integrated over: its events have no times; make the function smooth (TANH or STEP for SIGN)"
        )


class _Run:
    """The run with its tape, and the value of the functional with its derivatives by values of expressions."""

    def __init__(
        self,
        model: Model,
        functionals: Sequence[Functional],
        end: float,
        method: str,
        error: float | None,
        options: dict[str, Any],
        stop: float | None = None,
    ) -> None:
        """``stop``: a step ends at this time too."""
        terms = [t for f in functionals for _, t in f.terms]
        times = sorted({end if t is None else t for term in terms for t in term.times})
        if times and times[-1] > end * (1.0 + 1e-12):
            raise ModelError(f"the functional needs time {times[-1]:.6g}, and the run ends at {end:.6g}")
        twin = model.copy()
        texts, carriers, carrier_of = _carried(twin, terms)
        self.sim = sim = Simulation(twin, progress=False, referee=False)
        self.warnings: list[str] = []
        options = dict(options)
        memory = options.pop("memory", MEMORY)
        if not is_number(memory) or not memory > 0.0:
            raise ModelError(f"memory is {shown(memory)}; give a positive number of MB")
        self.adjoint = adjoint = METHODS[method]
        if str(options.get("group", "")).upper() == "SE3":
            raise ModelError("steps on SE3 have no adjoint yet; leave group out")
        fixed: dict[str, Any] = {"planar": False, "formulation": adjoint.formulation, "record": "none", "duration": end}
        for word in fixed:
            if word in options:
                raise ModelError(f"gradient takes no {word}; leave it out")
        treatment = sim.contact_method(options.get("contact"), method)
        if treatment == "time-stepping":
            raise ModelError(
                "time-stepping keeps no times of impacts, so that its derivative is wrong; choose contact = 'events', "
                "or give contacts a law"
            )
        first = System(twin, initial=INITIAL, rigid=treatment == "events")
        check_system(first)
        if first.initial_rows:
            raise ModelError(
                "initial conditions of joints or motions have no derivative yet; draw the model where it starts"
            )
        if EVERY[method].error is not None:
            options = {"error": adjoint.error if error is None else error, **options}
        conditions: list[str | None] = []
        halting: dict[int, int] = {}
        if first.functions.set.switches or twin.table("SENSOR"):
            conditions, halting = carry_conditions(twin, treatment == "events")
            if kept := apart(twin):
                of = lambda carrier: range(len(constants_of(carrier.function)))
                own = [("SFORCE", c.id, "function", k) for c in carriers_of(twin) for k in of(c)]
                keep_apart(twin, [*kept, *own])
        if adjoint is not RungeKuttaAdjoint and first.contacts.on:
            if options.get("events"):
                raise ModelError(f"onsets of contacts are not located in a gradient with {method}; leave events out")
            options["events"] = False  # its steps run through onsets, where forces have no jump
        sim.open(integrator=method, **fixed, **options)
        self.system = sim.system
        _refuse_system(sim.system, method)
        assert sim._stepping is not None  # `open` made it
        dynamics = sim._stepping.dynamics
        stepper = dynamics.stepper
        followed = adjoint is RungeKuttaAdjoint  # whose steps may end within those that were taken
        _refuse_jumps(first, method, dynamics.events.on)
        sensors = dynamics.sensors if followed else None
        tape = Tape(sim.system.contacts, dynamics.touch, 1e6 * memory, dynamics.events, sensors, not followed)
        tape.start(stepper)
        stepper.tape = tape
        found, end = self._march(texts, times, end, stop, tape, followed)
        sim.close()
        _refuse_events(sim, tape, dynamics, stepper)
        tape.settle()
        assert tape.times[-1] == sim.time  # a run whose steps were not kept would have derivative zero
        self.tape, self.stepper = tape, stepper
        self.tape_times, self.start = tape.times, tape.start_state
        if tape.whole:
            self.warnings += passing_points(sim.system, tape.times, tape.states)
        functions = self.system.S.fn.vforce.f
        elements = self.system.functions.force_elements
        function_of = lambda carrier: int(functions[next(k for k, x in enumerate(elements) if x is carrier), 0])
        holders = carriers_of(twin)
        for k, switch in enumerate(self.system.functions.set.switches or []):
            if (text := to_text(switch.condition)) in conditions:
                tape.functions[k] = function_of(holders[conditions.index(text)])
        if sim.halted:
            tape.ends = self._ending(dynamics.sensors, halting, holders, function_of)
        marks = {t: int(np.argmin(np.abs(self.tape_times - t))) for t in found}
        rows = {t: k for k, t in enumerate(found)}
        self.marked = np.full(len(self.tape_times), -1, np.int64)
        for t, k in marks.items():
            self.marked[k] = rows[t]
        #: of each functional: its value, and derivatives by values of functions at marked ends of steps
        self.values: list[float] = []
        self.weights: list[np.ndarray] = []
        columns = [function_of(carriers[k]) for k in carrier_of]
        self._weigh(functionals, found, end, carrier_of, columns)
        self.error = float(stepper.options.error or 0.0)

    def _march(
        self, texts: list[str], times: list[float], end: float, stop: float | None, tape: Any, followed: bool
    ) -> tuple[dict[float, list[float]], float]:
        """Integrate to the end, or to where a sensor ends the run: values of the expressions at times, and the end."""
        sim = self.sim
        found: dict[float, list[float]] = {}
        goals = times if times and times[-1] >= end else [*times, end]
        for t in goals if stop is None else sorted({*goals, stop}):
            while sim.time < t and not sim.halted:
                sim.advance(t)  # a sensor may return before
            if sim.halted:
                if not followed and stop is None:  # its traces are those of whole steps: the last must end there
                    at = float(sim.time) * (1.0 + BEYOND)
                    sim.close()
                    raise _Halted(at)
                end = float(sim.time)
                tape.cut(end, sim.y)
                t = end
            elif t == stop:
                continue
            found[t] = [float(sim.output(text)) for text in texts]
            if sim.halted:
                break
        return found, end

    def _weigh(
        self,
        functionals: Sequence[Functional],
        found: dict[float, list[float]],
        end: float,
        carrier_of: list[int],
        columns: list[int],
    ) -> None:
        """Values of functionals and their derivatives by values of expressions; ``columns``: the function of each
        term."""
        rows = {t: k for k, t in enumerate(found)}
        n = -1
        for functional in functionals:
            total = 0.0
            weights = np.zeros((max(len(found), 1), max(len(self.system.functions.set.functions), 1)))
            for factor, term in functional.terms:
                n += 1
                e = columns[n]
                moments = [end if t is None else t for t in term.times]
                if moments and max(moments) > end:
                    raise ModelError(
                        f"the functional needs time {max(moments):.6g}, and a sensor ends the run at {end:.6g}"
                    )
                value, slopes = term.rule(np.array([found[t][carrier_of[n]] for t in moments]))
                total += factor * value
                for t, slope in zip(moments, slopes):
                    weights[rows[t], e] += factor * slope
            if not math.isfinite(total):
                raise ModelError(f"the functional is {total}; choose one that is finite at these parameters")
            self.values.append(total)
            self.weights.append(weights)

    def _ending(self, sensors: Any, halting: dict[int, int], holders: list, function_of: Any) -> tuple[int, str]:
        """Function of the sensor that has ended the run, and its label."""
        fired = [s for s in sensors.fired if s.halt]
        known = [s for s in fired if s.id in halting]
        if len(known) != 1 or len(fired) > 1:
            raise fired[0].error(
                "it ends the run in the same instant as another sensor, or by a routine of Python: the time of the end "
                "has no derivative; leave one of them out"
            )
        if not abs(sensors.previous[sensors.sensors.index(known[0])]) <= ON * known[0].tolerance:
            raise known[0].error(
                "its function turns within the tolerance of the value, and does not reach it: the time of the end has "
                "no derivative; give another value"
            )
        if reads_reactions(self.system):
            raise known[0].error(
                "functionals of accelerations or reactions have no derivative where a sensor ends the run; use "
                "displacements and velocities, or give the run an end"
            )
        return function_of(holders[halting[known[0].id]]), known[0].label


class _Adjoint(Cotangents):
    """Cotangents of the tables of a run."""

    def __init__(self, run: _Run, which: int, effects: Sequence[Effect]) -> None:
        super().__init__(run.system, effects)
        system = self.system
        self.warnings: list[str] = []
        self.adjoint = adjoint = run.adjoint(system, run.stepper, self.wanted, self.constants, self.touching)
        yb = np.zeros(len(system.y0))
        adjoint.sweep(run.tape, run.weights[which], run.marked, yb)
        self.warnings += adjoint.warnings
        self.handle, self.P = adjoint.handle, adjoint.P
        self.start = run.start
        if reads_reactions(system) and system.m:
            closing(pulls_of(self.handle), float(run.tape_times[0]), self.start, np.zeros(system.m))
            check_redundant(system, run.weights[which], np.abs(null_space(system)) > SLIGHT)
        size = float(np.abs(yb) @ np.abs(self.start)) * run.error
        value = abs(run.values[which])
        if size > FORGETFUL * value and size > 0.0 and value:
            self.warnings.append(
                f"the motion magnifies changes of its start: errors of the steps (error = {run.error:g}) may be "
                f"{size / value:.1g} of the functional; give a smaller error or an earlier end"
            )
        if self.by_places:
            self.loops = self.find_loops(float(run.tape_times[0]))
        self.to_design(run, yb)

    def to_design(self, run: _Run, yb: np.ndarray) -> None:
        """``yb`` <- the cotangent of the state at the design position, from that of the start before its projection."""
        # constants too: of a general constraint they move the start and its velocities
        if self.by_places or len(self.constants) or any(k[0] == "y0" for k in self._keys):
            self._assembly(run, yb)
        self.yb = yb

    def _assembly(self, run: _Run, yb: np.ndarray) -> None:
        """yb <- cotangent of the state at the design position."""
        system, found = self.system, run.sim.assembly
        self.moved = max(found.moved[0] / system.extent, found.moved[1])
        if found.weights is None:
            return
        rows = without_drives(system.S.rows)
        S = system.S._replace(bodies=with_weights(system.S.bodies, inverse_masses(system.bodies)), rows=rows)
        handle = make_handle(S, system.W, self.P.pull)
        positions, velocities = found.weights
        velocities = self._given_velocities(velocities)
        t = float(run.tape_times[0])
        with fresh_pivots(system, True):
            set_weights(S.bodies, velocities)
            self.P.sg[:] = found.impulses
            start(handle, t, self.start, yb, 1e-14, True, False, True)
        forces = constraint_matrix(system).T @ found.impulses
        lengths = layout.moves(self.P.nu)[: system.nb, :3] * forces.reshape(-1, layout.MOVES)[: system.nb, :3]
        extent = -2.0 / system.extent * float(lengths.sum())
        with fresh_pivots(system, True):
            set_weights(S.bodies, positions)
            start(handle, t, self.start, yb, EPS, False, True, False)
        self._extent(extent, yb)

    def _given_velocities(self, weights: np.ndarray) -> np.ndarray:
        """Inverse weights with which velocities near the start are fitted.  Those given are held where the others can
        fit the constraints; where they cannot, a change that does not fit is shared among those given."""
        held = weights == 0.0
        if not held.any() or not self.system.m:
            return weights
        G = constraint_matrix(self.system).toarray()
        free = ~held.ravel()[: G.shape[1]]
        G /= np.maximum(np.abs(G).max(axis=1, keepdims=True), 1e-300)
        rank = np.linalg.matrix_rank
        if rank(G[:, free], tol=SLIGHT) == rank(G, tol=SLIGHT):
            return weights
        return np.where(held, SHARED * velocity_weights(self.system), weights)

    def _extent(self, cotangent: float, yb: np.ndarray) -> None:
        """Of the length by which translations weigh as much as turns where velocities are fitted: the two points that
        are farthest from each other along an axis of ground (`System.extent`)."""
        s = self.system
        used = [k for k, f in enumerate(s.frame_list) if k and (k < s.row_frames or f[0] != s.nb)]
        places = np.array([s.design(k).origin for k in used]).reshape(-1, 3)
        points = np.concatenate([layout.places(s.y0, s.nb), places])
        axis = int(np.argmax(np.ptp(points, axis=0)))
        if not float(np.ptp(points, axis=0).max()) > 1e-6 * s.gyration:
            return
        x, box = points[:, axis], float(np.ptp(points[:, axis]))
        ties = int((x > x.max() - 1e-9 * box).sum() > 1) + int((x < x.min() + 1e-9 * box).sum() > 1)
        if ties and abs(cotangent) > 1e-9 * float(np.abs(yb).max()):
            self.warnings.append(
                "initial velocities are fitted with a length of the model that two of its points determine equally; "
                "derivatives by their positions are one-sided: give initial velocities that fit the joints"
            )
        for sign, k in ((1.0, int(np.argmax(points[:, axis]))), (-1.0, int(np.argmin(points[:, axis])))):
            value = sign * cotangent
            body = k if k < s.nb else s.frame_list[used[k - s.nb]][0]
            if body < s.nb:
                layout.body(yb, body)[layout.PLACE][axis] += value
            if k < s.nb:
                continue
            frame = used[k - s.nb]
            arm = s.S.fr.sb[frame]
            q = layout.body(s.y0, body)[layout.QUATERNION]
            self.P.out.place[frame] += value * _turned(q)[axis]
            if body < s.nb:
                h = 1e-3
                for c in range(4):
                    e = h * np.eye(4)[c]
                    ahead, behind = (_turned(q + m * e)[axis] @ arm for m in (1.0, -1.0))
                    further, before = (_turned(q + m * e)[axis] @ arm for m in (2.0, -2.0))
                    slope = (8.0 * (ahead - behind) - (further - before)) / (12.0 * h)
                    layout.body(yb, body)[layout.QUATERNION][c] += value * slope
