"""Which elements have derivatives of runs, which have no influence on a run, and which are refused.

Every kind of element stands in exactly one of the tables (a test compares them with the register), so that a new one
is refused by its name until it has derivatives.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...contact.tables import RIGID_COLUMNS
from ...elements.bodies.absolute import remembering
from ...elements.joints.rows import FUNCTION
from ...model import ModelError
from ...model.base import ELEMENT_TYPES
from ...system.fmu_functions import FmuRoutine
from ...system.functions import FORCE, MEASURE
from .own_forces import check_tangents, is_own, own_kinds

#: with derivatives, also by their numbers
SUPPORTED = frozenset(
    "PART POINT_MASS MARKER JOINT JPRIM MOTION COUPLER GEAR SPRINGDAMPER BUSHING FIELD BEAM SFORCE VFORCE VTORQUE "
    "GCON GFORCE VARIABLE DIFF SPLINE ARRAY MATRIX LSE TFSISO FRICTION MAXWELL_DAMPER BURGERS_DAMPER POWER_DAMPER "
    "HYSTERETIC_SPRING HYDRAULIC_CYLINDER PNEUMATIC_CYLINDER NFORCE EXACT_BEAM ROAD TYRE_BRUSH TYRE_FIALA "
    "TYRE_MF6 TYRE_PAC2002 "
    "TYRE_PAC89 TYRE_TMEASY TYRE_UA TYRE_USER CONTACT CONTROL FMU SENSOR FLEXIBILITY ATTACHMENT SLIDING_MASS "
    "MFORCE MODAL_DAMPING PTCV CVCV ABSOLUTE_MESH MESH_POINT "
    "WHEEL_RAIL RAIL_TRACK SURFACE_CONTACT".split()
)
#: of these, laws whose derivatives may jump
KINKED_KINDS = frozenset(
    "CONTACT CONTROL CVCV FMU FRICTION HYSTERETIC_SPRING PNEUMATIC_CYLINDER PTCV TYRE_BRUSH TYRE_FIALA TYRE_MF6 "
    "TYRE_PAC2002 TYRE_PAC89 "
    "TYRE_TMEASY TYRE_UA TYRE_USER WHEEL_RAIL "
    "SURFACE_CONTACT".split()
)
#: of control blocks in continuous time, the types without jumps
BLOCKS = frozenset(
    "gain sum transfer_function state_space integrator pid saturation dead_zone lookup function dc_motor ac_motor "
    "induction_motor neural".split()
)
#: of these and of `SILENT`, what has derivatives or has none: the rest of a kind is refused by the checks below
PARTLY = {
    "ABSOLUTE_MESH": "not with laws of sections that yield, not by its directions as drawn",
    "CONTACT": "laws and friction that remember nothing; rigid ones: impacts without friction",
    "CONTROL": f"blocks of the types {', '.join(sorted(BLOCKS))} in continuous time",
    "CURVE": "not by its points",
    "FLEXIBILITY": "not of the formulation KED, not by what changes its modes",
    "FMU": "model exchange within the integrator, without events",
    "FRICTION": "not in statics",
    "GCON": "of positions and time, without flexible bodies",
    "JOINT": "an armature with explicit methods only",
    "MOTION": "of velocities and accelerations with explicit methods only",
    "SENSOR": "HALT; one that only cuts steps with explicit methods; not SENVAL",
    "SURFACE_CONTACT": "not by its own numbers",
}
#: without influence on the motion
SILENT = frozenset("REQUEST GRAPHICS MATERIAL STRING PINPUT POUTPUT PSTATE CURVE ROD".split())
#: functions of the language whose derivatives may jump
KINKED = re.compile(
    r"\b(ABS|AINT|AKISPL|ANINT|BISTOP|CUBSPL|CURVE|DIM|HAVSIN|IF|IMPACT|INT|INTERP|MAX|MIN|MOD|NINT|SIGN|STEP)\s*\(",
    re.IGNORECASE,
)


def status(kind: str) -> str:
    """ "supported", "silent" or "refused" of a kind of element; "supported" too for types of force from outside, whose
    tangents are examined before they are used (`own_forces`).  Raises KeyError for a kind that there is not."""
    ELEMENT_TYPES[kind]
    return "supported" if kind in SUPPORTED or is_own(kind) else "silent" if kind in SILENT else "refused"


def gradients(kind: str) -> str:
    """Words for tables on the derivatives of a kind of element: "yes", "in part: ...", "no", or that it has no
    influence on a run.  Raises KeyError for a kind that there is not."""
    found = status(kind)
    if kind in PARTLY:
        return f"in part: {PARTLY[kind]}"
    return {"supported": "yes", "silent": "no influence", "refused": "no"}[found]


def check_model(model: Any, kind_of_analysis: str = "dynamics") -> None:
    """Raise `ModelError` for the first active element that has no derivative in an analysis."""
    for element in model.table("FMU").values():
        if element.active and element.solver != "model":
            raise element.error(
                "a run with FMUs that have solvers of their own has no derivative; give kind='me', or take differences "
                "of runs"
            )
    for kind in ELEMENT_TYPES:
        if status(kind) != "refused":
            continue
        for element in model.table(kind).values():
            if element.active:
                raise element.error(
                    f"a run with {kind} elements has no derivative yet; deactivate it, or take differences of runs "
                    "(docs/derivatives.md lists the elements that have one)"
                )
    for block in model.table("CONTROL").values():
        if block.active and kind_of_analysis != "dynamics":
            raise block.error(
                f"control blocks have no derivative in {kind_of_analysis} yet; deactivate it, or choose dynamics"
            )
        if block.active and block.sampled:
            raise block.error("blocks that act at samples have no derivative of a run yet; leave sample_time out")
        if block.active and block.type not in BLOCKS:
            raise block.error(
                f"a block of type {block.type} has no derivative of a run yet; those of types "
                f"{', '.join(sorted(BLOCKS))} have one"
            )
    for motion in model.table("MOTION").values():
        level = getattr(motion, "level", "DISPLACEMENT")
        if motion.active and level != "DISPLACEMENT" and kind_of_analysis != "dynamics":
            raise motion.error(
                f"a motion of {level} has no derivative in {kind_of_analysis} yet; give the displacement as function"
            )

    for joint in model.joints.values():
        if joint.active and joint.armature and kind_of_analysis != "dynamics":
            raise joint.error(
                f"the inertia of its drive has no derivative in {kind_of_analysis} yet; leave its armature out"
            )


def kinks(model: Any, functionals: Any) -> str:
    """Names of functions in the expressions of a model and of functionals, and types of elements, whose derivatives may
    jump: "" of none."""
    found = {name.upper() for text in _texts(model, functionals) for name in KINKED.findall(text)}
    found |= {kind for kind in (*KINKED_KINDS, *own_kinds()) if any(e.active for e in model.table(kind).values())}
    found |= {"laws of sections" for e in model.table("ABSOLUTE_MESH").values() if e.active and e.law}
    return ", ".join(sorted(found))


def _texts(model: Any, functionals: Any) -> Iterator[str]:
    yield from (term.expression for f in functionals for _, term in f.terms)
    for kind in sorted({*SUPPORTED, *own_kinds()}):
        for element in model.table(kind).values():
            for f in dataclasses.fields(element):
                value = getattr(element, f.name)
                if f.name not in ("name", "source"):
                    yield from (v for v in (value if isinstance(value, tuple) else (value,)) if isinstance(v, str))


def check_system(system: Any) -> None:
    """Raise `ModelError` for equations that have no derivative."""
    S, model = system.S, system.model
    kinds, fn = np.asarray(S.rows.kind), S.fn
    for r in np.flatnonzero(kinds == FUNCTION):
        if S.rows.level[r] or len(fn.gcon_x):
            raise ModelError(
                f"{system.row_words(int(r))}: constraints of velocities and of states have no derivative of a run yet"
            )
    if any(not isinstance(f, FmuRoutine) for f in system.functions.set.callbacks.functions):
        raise ModelError("a run with routines of Python has no derivative; write their functions as expressions")
    for element in system.functions.fmus.elements:
        states = system.functions.fmus.descriptions[element.id].states
        if element.inputs and any(v.start is None or v.initial == "approx" for v in states):
            raise element.error(
                "its states at the start may depend on its inputs (its file gives no exact start values for them), so "
                "that a run has no derivative; take differences of runs"
            )
    check_tangents(system)
    _check_lagged(system)
    _check_contacts(system)
    _check_flexible(system)
    if len(system.functions.set.delays):
        raise ModelError("a run with DELAY has no derivative")
    for key in system.functions.set._input_index:
        if key[0] == "SENVAL":
            raise model.find("SENSOR", key[1]).error(
                "what a sensor keeps (SENVAL) acts on the motion, and has no derivative of a run yet; leave it out of "
                "functions"
            )


def check_static(system: Any, kind: str) -> None:
    """Raise `ModelError` for equations that have no derivative in statics or kinematics."""
    if kind == "kinematics":
        if system.nx:
            raise ModelError("kinematics with states (DIFF, friction, controls) has no derivative yet; choose dynamics")
        return
    if system.friction.elements:
        raise system.friction.elements[0].error(
            "friction at rest depends on the way to the equilibrium and has no derivative in statics; deactivate it"
        )
    if system.contacts.on:
        raise system.contacts.elements[0].error("contacts have no derivative in statics yet; use a spring in its place")
    model = system.model
    for kind_of in ("DIFF", "LSE", "TFSISO"):
        for element in model.table(kind_of).values():
            if element.active and element.static_hold:
                raise element.error("a state that statics holds (STATIC_HOLD) has no derivative in statics yet")


def _check_contacts(system: Any) -> None:
    """Raise `ModelError` for contacts whose law or friction remembers what was."""
    contacts = system.contacts
    if not contacts.on:
        return
    for element, sides in zip(contacts.elements, contacts.sides):
        if contacts.rigid:
            if contacts._constraint(element)[1:] != [0.0] * (len(RIGID_COLUMNS) - 1):
                raise element.error(
                    "impacts with friction have no derivative of a run yet, those with restitution alone have; leave "
                    "friction out, or give it a law, as IMPACT"
                )
            continue
        if contacts._law(element, sides, contacts._excluded())[2]:
            raise element.error(
                f"its law {element.law_name} or its friction {element.friction_name or 'NONE'} remembers earlier "
                "states and has no derivative of a run yet; IMPACT, HUNT_CROSSLEY and smooth friction have one"
            )


def _check_flexible(system: Any) -> None:
    """Raise `ModelError` for flexible bodies whose equations have no derivative."""
    if not system.bodies.tail:
        return
    model = system.model
    for body in model.table("FLEXIBILITY").values():
        if body.active and body.formulation != "floating":
            raise body.error("the formulation KED has no derivative of a run yet; choose formulation = 'floating'")
    if remembering(system.bodies):
        mesh = next(e for e in model.table("ABSOLUTE_MESH").values() if e.active and e.law)
        raise mesh.error(
            "the law of its sections remembers what they have been through and has no derivative of a run yet; give a "
            "MomentCurve, which is elastic"
        )
    for constraint in model.table("GCON").values():
        if constraint.active:
            raise constraint.error(
                "general constraints have no derivative yet in a model with flexible bodies or sliding masses; use "
                "joints or forces"
            )
    if system.contacts.on and system.contacts.rigid:
        raise system.contacts.elements[0].error(
            "impacts in a model with flexible bodies or sliding masses have no derivative yet; give it a law (IMPACT)"
        )


def reads_reactions(system: Any) -> bool:
    """Whether any function reads reactions or accelerations."""
    return bool(system.S.fn.has_force or system.S.fn.has_acc)


def _check_lagged(system: Any) -> None:
    """Raise `ModelError` where reactions or accelerations act back on the motion, or where a function reads forces that
    have no derivative."""
    fn, inputs, body = system.S.fn, system.functions.set.inputs, system.S.fr.body
    vf = fn.vforce
    acting = [e for k in range(len(vf.i)) if body[vf.i[k]] < system.nb or vf.react[k] >= 0 for e in vf.f[k] if e >= 0]
    for e in (*acting, *fn.diff_f):
        for k in fn.flat[fn.flat_ptr[e] : fn.flat_ptr[e + 1]]:
            if inputs[k].kind == FORCE or (inputs[k].kind == MEASURE and inputs[k].level == 2):
                raise ModelError(
                    f"a force, a state or an integral uses {inputs[k].label}: reactions and accelerations that act "
                    "back on the motion have no derivative of a run yet; use displacements and velocities there"
                )
    for item in inputs:
        for at, _, _ in item.sources if item.kind == FORCE else ():
            if reason := no_derivative_of(system, at):
                raise ModelError(f"{item.label} is {reason}")


def no_derivative_of(system: Any, wrench: int) -> str:
    """Why a wrench of a system has no derivative; "" where it has."""
    constraints, functions, fn = system.constraints, system.functions, system.S.fn
    element = functions.wrench_elements[wrench]
    if element.KIND == "GCON":
        return "the reaction of a GCON, which has no derivative yet; read that of a joint"
    if element.KIND in ("FRICTION", "CONTACT"):
        return (
            f"a force of {element.label}, which has no derivative of a run yet: write the law as an expression of "
            "displacements and velocities"
        )
    k = wrench - len(constraints)
    for e in fn.vforce.f[k] if 0 <= k < len(functions.function_force_elements) else ():
        for at in fn.flat[fn.flat_ptr[e] : fn.flat_ptr[e + 1]] if e >= 0 else ():
            read = functions.set.inputs[at]
            if read.kind == FORCE or (read.kind == MEASURE and read.level == 2):
                return f"the force of {element.label}, whose function uses {read.label}; it has no derivative yet"
    return ""


def check_redundant(system: Any, weights: np.ndarray, null: np.ndarray) -> None:
    """Raise `ModelError` where a functional reads the reaction of a redundant constraint; ``weights`` (samples,
    functions) of values, ``null`` (m, k): see `system.multipliers.null_space`."""
    fn, inputs = system.S.fn, system.functions.set.inputs
    for e in np.flatnonzero(weights.any(axis=0)):
        for k in fn.flat[fn.flat_ptr[e] : fn.flat_ptr[e + 1]]:
            for at, _, _ in inputs[k].sources if inputs[k].kind == FORCE else ():
                if at >= len(system.constraints):  # a force with a law
                    continue
                c = system.constraints[at]
                if null[c.rows.start : c.rows.stop].any():
                    raise ModelError(
                        f"{inputs[k].label} has no derivative: the reaction of {c.element.label} is not determined, "
                        "since constraints repeat each other there; replace a joint by one with fewer rows"
                    )
