"""Checks of a model before it is assembled: one sentence per fault, all faults of a model at once.

Only the drawing is checked: references, masses, inertias, sizes of tables, which joint a motion can drive.  What
needs numbers (assembly, rank) is the business of `analyses.assemble`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from . import implausible
from .base import Element, ModelError, ModelErrors
from .bodies import EXACT, Marker, Part, central_inertia
from .dummies import held, words
from .feeding import feeder_faults, sink_faults
from .flexible_statics import lacking
from .fmu import fmu_faults
from .grains import faults as grain_faults
from .idle import idle, not_computed
from .joint_facts import choice, facts
from .joints import JOINT_TYPES
from .kinds import LARGEST, finite, misfits, shown
from .orientation import Frame
from .states import GeneralStateEquations

if TYPE_CHECKING:
    from .model import Model
from .contact_faults import _touching, contact_doubts, contact_faults, contact_missing
from .data_faults import (
    array_faults,
    diff_faults,
    matrix_faults,
    sensor_faults,
    spline_faults,
    state_equation_faults,
    switch_faults,
    transfer_function_faults,
)

MAX_FAULTS = 200
ONE_AXIS = (
    # two moments this small compared with the third: a body that is meant to be felt about one axis only (a doubt)
    5e-3
)
MATRIX_FIELDS = ("kmatrix", "cmatrix")
Faults = Iterator[str]
#: fields that are limits and thresholds, for which a number without end may stand
LIMITS = {
    "FRICTION": ("max_friction_force", "max_friction_torque"),
    "SENSOR": ("value", "tolerance", "dt", "stepsize", "time_error"),
    "FEEDER": ("stop",),
    "MATERIAL": ("density", "youngs_modulus", "poissons_ratio"),
}
#: references whose 0 means ground
GROUND_BY_ZERO = {
    ("VFORCE", "rm"),
    ("VTORQUE", "rm"),
    ("GFORCE", "rm"),
    ("REQUEST", "i"),
    ("REQUEST", "j"),
    ("REQUEST", "rm"),
}


def validate(model: Model, rigid: bool = False, known: Container[int] = ()) -> None:
    """Raise `ModelErrors` with one sentence per fault of the model; return when there is none.  ``rigid``: contacts are
    constraints; ``known``: ``id()`` of elements whose own values were checked before and have not changed."""
    found = faults(model, rigid, known)
    if found:
        raise ModelErrors(found)


def faults(model: Model, rigid: bool = False, known: Container[int] = ()) -> list[str]:
    """One message for each fault: the element, where it was written, what is wrong, how to fix it; see `validate`."""
    out: list[str] = [*model.rigid.faults()]
    if model.table("CONTACT"):
        vars(model)["_touching"] = _touching(model)
        vars(model)["_rigid"] = rigid
    try:
        vars(model)["_switched"] = {}
        for text in _all_faults(model, known):
            text = text.replace("\n", "\\n")  # of names and words: one line a sentence
            if text not in out[-3:]:
                out.append(text)
            if len(out) >= MAX_FAULTS:
                out.append(f"more than {MAX_FAULTS} faults; the rest of the model was not checked")
                break
    finally:
        vars(model).pop("_switched", None)
        vars(model).pop("_touching", None)
        vars(model).pop("_rigid", None)
    return out


def faults_of(model: Model, element: Element) -> list[str]:
    """One message for each fault of one element of a model, without those of others; of an editor that asks while
    somebody types.  Raises nothing."""
    found = [text for _, text in misfits(element)]
    if not found and element.active and element.KIND not in ("FOREIGN", "GRAPHICS"):
        found = list(_own(model, element))
        if not found and element.KIND != "CONTACT":  # whose shapes are compared with those of all others
            try:
                found = list(CHECKS.get(element.KIND, _own_faults)(model, element))
            except ModelError as error:
                found = [str(error)]
    return [text.replace("\n", "\\n") for text in found]


def _all_faults(model: Model, known: Container[int] = ()) -> Faults:
    for name, g in zip("xyz", model.gravity):
        if not finite(g) or abs(g) > LARGEST:
            yield f"ACCGRAV: gravity along {name} is {shown(g)}; give a finite number"
    grounds = [p for p in model.parts.values() if p.ground]
    for extra in grounds[1:]:
        yield f"{extra.label}: a second ground part in addition to {grounds[0].label}; only one is allowed"
    wrong = False
    unknown = [element for element in model if id(element) not in known]
    for element in unknown:
        for _, text in misfits(element):
            wrong = True
            yield f"{element.label}: {text}"
    if wrong:  # who looks further takes numbers for numbers and texts for texts
        return
    broken: set[int] = set()  # elements whose numbers or references are useless: not checked any further
    for element in unknown:
        if not element.active or element.KIND in ("FOREIGN", "GRAPHICS"):
            continue
        for text in _own(model, element):
            broken.add(id(element))
            yield f"{element.label}: {text}"
    for element in model:
        check = CHECKS.get(element.KIND, _own_faults)
        if element.active and id(element) not in broken:
            try:
                for text in check(model, element):
                    yield f"{element.label}: {text}"
            except ModelError as error:  # of another element, on which this one rests, and whose own fault is reported
                if not broken:
                    yield f"{element.label}: {error}"
    yield from _driven_twice(model)


def _own_faults(model: Model, e: Any) -> Faults:
    """What an element says of itself, where it is self-describing (`elements.kinds`)."""
    if e.ROLE == "force" and "jfloat" not in e.REFERENCES:
        yield from _placed(model, e, e.ports)
    yield from e.faults(model)


def _placed(model: Model, e: Any, markers: Any) -> Faults:
    for number in markers:
        if number in model.markers and model.markers[number].floating:
            yield f"MARKER/{number} is a floating marker; give one with a position of its own"


# ---- every element -------------------------------------------------------------------------------------------------
def _own(model: Model, e: Element) -> Faults:
    """Numbers are finite and of a size that can be computed with, and references lead somewhere."""
    yield from e.strange_words()
    limits = LIMITS.get(e.KIND, ())
    for name, value in vars(e).items():
        if type(value) is float:
            if not math.isfinite(value):
                yield f"{name.upper()} is {value}; give a finite number"
            elif abs(value) > LARGEST and name not in limits:
                yield f"{name.upper()} is {value:g}, larger than any machine has; give at most {LARGEST:g}"
        elif type(value) is tuple and value:
            place = _not_finite(value)
            if place and not math.isfinite(place[1]):
                yield f"{name.upper()} holds {place[1]} at position {place[0]}; give finite numbers"
            elif place:
                yield (
                    f"{name.upper()} holds {place[1]:g} at position {place[0]}, larger than any machine has; give at "
                    f"most {LARGEST:g}"
                )
    for name, kind in e.REFERENCES.items():
        value = getattr(e, name)
        first = type(e).__dataclass_fields__[name].default
        table = model.table(kind)
        for number in value if isinstance(value, tuple) else (value,):
            if number is None or number in table or (number == 0 and (e.KIND, name) in GROUND_BY_ZERO):
                continue
            if number == 0 and first == 0:
                yield f"it names no {kind} for {name.upper()}; give {name.upper()} = id"
            else:
                yield f"{name.upper()} = {number}: there is no {kind}/{number}; correct the id or add the {kind}"
    if isinstance(e, Marker) and e.part not in model.table(e.body_kind):
        yield f"its body {e.body_kind}/{e.part} does not exist; correct the id or add the {e.body_kind}"


def _not_finite(values: tuple, offset: int = 0) -> tuple[int, float] | None:
    """(position counted from 1, value) of the first number that is not finite or too large, also in rows of rows."""
    for k, v in enumerate(values):
        if type(v) is float:
            if not abs(v) <= LARGEST:
                return offset + k + 1, v
        elif type(v) is tuple:
            found = _not_finite(v, offset)
            if found:
                return found
            offset += len(v) - 1
    return None


# ---- bodies --------------------------------------------------------------------------------------------------------
def _part(model: Model, part: Part) -> Faults:
    if part.ground:
        return
    yield from _mass(model, part)
    unknown = [c for c in part.exact if c not in EXACT]
    if unknown:
        yield f"EXACT = {unknown[0]} is not a coordinate; choose from {', '.join(EXACT)}"
    if part.im is not None and model.markers[part.im].part != part.id:
        yield f"its inertia marker {model.markers[part.im].label} lies on another part; give a marker of this part"
    elif part.mass is not None and part.mass > 0:
        yield from _inertia(model, part)
    yield from _axes(part)


def _mass(model: Model, body: Any) -> Faults:
    weights, count = body.assembly_weight, 4 if body.KIND == "PART" else 3
    if weights and (len(weights) != count or not all(0.0 < w < math.inf for w in weights)):
        yield (
            f"assembly_weight is {shown(weights)}; give {count} positive numbers, of X, Y, Z"
            + (" and the attitude" if count == 4 else "")
        )
    dummy = body.KIND == "PART" and not body.mass and held(model, body)  # a negative mass is none
    unread: Any = getattr(body, "solid_file", None)
    if body.mass is None and unread:  # it follows from solids that are not read: `cannot_run` reports it
        return
    if body.mass is None and not dummy:
        yield "it has no mass, and no joint holds it; give MASS = a positive number"
    elif body.mass is not None and not body.mass > 0 and not dummy:
        yield f"its mass must be positive, it is {body.mass:g}; give MASS = a positive number"
    if body.cm is None:
        if body.KIND == "PART" and body.mass is not None and not dummy:
            yield "it has mass and no centre-of-mass marker; give CM = id of a marker of this part"
    elif (model.markers[body.cm].body_kind, model.markers[body.cm].part) != (body.KIND, body.id):
        yield f"its centre-of-mass marker {model.markers[body.cm].label} lies on another body; give a marker of its own"


def _sliding(model: Model, element: Any) -> Faults:
    if element.mass is None or not element.mass > 0:
        yield "its mass must be positive; give mass = a positive number"
    for what in ("stiffness", "damping"):
        if getattr(element, what) < 0:
            yield f"its {what} is {getattr(element, what):g}; give zero or a positive number"
    marker = model.markers.get(element.marker)
    if marker is None:
        yield "it has no marker whose z axis is its line; give marker = id of a marker of the part"
        return
    if marker.floating or marker.body_kind != "PART" or model.parts[marker.part].ground:
        yield f"its marker {marker.label} must lie on a part that moves"
    elif element.active and not model.parts[marker.part].active:
        yield f"its part {model.parts[marker.part].label} is not active; deactivate both or neither"


def _inertia(model: Model, part: Part) -> Faults:
    if not part.ip or not any(part.ip):
        if not held(model, part):
            yield "it has mass but no inertia, and no joint holds it; give IP = Ixx, Iyy, Izz, or make it a POINT_MASS"
        return
    if len(part.ip) not in (3, 6):
        yield f"IP must be 3 or 6 numbers, not {len(part.ip)}"
        return
    a, b, c = principal_moments(model, part)
    if a <= 0:
        what = "negative" if a < 0 else "zero"
        if a < -1e-9 * c:
            yield (
                f"its inertia is impossible: a principal moment is {what} ({a:.6g}); correct IP (moments about CM, "
                "products positive)"
            )
        else:
            yield (
                f"it has no inertia about one of its axes (principal moments {a:.4g}, {b:.4g}, {c:.4g}); give a "
                "small positive moment"
            )


def principal_moments(model: Model, part: Part) -> tuple[float, float, float]:
    """Principal moments of inertia about the centre of mass, ascending, in model units."""
    ip = (*part.ip, *[0.0] * (6 - len(part.ip)))
    if not any(ip[3:]) and part.im is None:
        low, middle, high = sorted(ip[:3])
        return low, middle, high

    tensor = central_inertia(model, part)[0]
    if tensor.dtype != float or not np.isfinite(tensor).all():
        raise ModelError("its inertia overflows with the positions of CM and IM; check the units")
    low, middle, high = np.linalg.eigvalsh(tensor)
    return float(low), float(middle), float(high)


def _axes(body: Any) -> Faults:
    """Points that are to give directions do so."""
    points = (
        getattr(body, "zp", None) or getattr(body, "zg", None),
        getattr(body, "xp", None) or getattr(body, "xg", None),
    )
    if body.reuler is None and any(points):
        origin = body.qp if hasattr(body, "qp") else body.qg
        zero = [p for p in points if p and math.dist(p, origin) == 0]
        try:
            if zero:
                raise ModelError("a point that gives a direction lies on the origin; move it")
            Frame.build(origin, None, *points, getattr(body, "usexp", False))  # raises for parallel axes
        except ModelError as error:
            yield f"its axes are not defined: {error}"


def _grains(model: Model, e: Any) -> Faults:
    fed = any(f.active and f.grains == e.id for f in model.table("FEEDER").values())
    yield from grain_faults(e, fed)


def _marker(model: Model, marker: Marker) -> Faults:
    if not marker.floating:
        yield from _axes(marker)


# ---- constraints ---------------------------------------------------------------------------------------------------
def _body(model: Model, marker: int) -> tuple[str, int] | None:
    m = model.markers.get(marker)
    return (m.body_kind, m.part) if m is not None else None


def _two_parts(model: Model, e: Any) -> Faults:
    if e.i and e.j and _body(model, e.i) == _body(model, e.j):
        kind, number = _body(model, e.i) or ("PART", 0)
        yield f"both its markers, {e.i} and {e.j}, lie on {kind}/{number}; connect two bodies"
    for name in ("i", "j"):
        marker = model.markers.get(getattr(e, name))
        if marker is not None and marker.floating:
            yield f"{name.upper()} = {marker.id} is a floating marker; give one with a position of its own"


def _joint(model: Model, e: Any) -> Faults:
    if e.type == "SCREW" and not e.pitch:
        yield "a screw needs PITCH, its travel per turn, other than zero"
    if e.type == "RACKPIN" and not e.pd:
        yield "a rack-and-pinion needs PD, the pitch diameter, other than zero"
    if e.armature is not None and not (math.isfinite(e.armature) and e.armature >= 0.0):
        yield f"its armature is {e.armature:g}; give zero or a positive inertia"
    if e.armature and not facts(e).armature:
        yield f"it has an armature, which is the inertia of {choice('armature')} joints; leave it out"
    yield from _two_parts(model, e)


def _primitive(model: Model, e: Any) -> Faults:
    yield from _two_parts(model, e)


def _active_joint(model: Model, number: int) -> Faults:
    joint = model.joints[number]
    if not joint.active:
        yield f"it needs {joint.label}, which is not active; deactivate both or neither"


def _motion(model: Model, e: Any) -> Faults:
    if e.joint is not None:
        yield from _active_joint(model, e.joint)
        joint = model.joints[e.joint]
        if joint.type in JOINT_TYPES and e.kind not in facts(joint).driven:
            word = "distance" if e.kind == "TRANSLATIONAL" else "angle"
            yield f"{joint.label} is {joint.type} and has no free {word} to drive; choose another joint or kind"
    elif not (e.i and e.j):
        yield "it drives nothing: give a joint, or markers I and J and a component"
    else:
        yield from _two_parts(model, e)


def _held_twice(model: Model, motion: Any, other: Any, what: str) -> str:
    """The sentence on two motions of one coordinate; those that SWITCHes made are named by the SWITCH."""
    switches = {
        m.id: s
        for m in (motion, other)
        for s in model.table("SWITCH").values()
        if ("MOTION", m.id) in {r for refs in s.on for r in refs}
    }
    if not switches:
        return f"{motion.label}: it drives {what}, which {other.label} drives already; remove or deactivate one of them"
    one, two = (switches.get(m.id, m).label for m in (motion, other))
    return (
        f"{one}: it holds or drives {what}, as {two} does; rigid stops, locks, latches and clutches hold a coordinate "
        "that no motion may drive: remove one of them, or give a stop a stop_stiffness"
    )


def _driven_twice(model: Model) -> Faults:
    """Two motions on one coordinate leave it nothing to be solved for: they agree by luck or contradict each other."""
    seen: dict[tuple, Any] = {}
    for motion in model.table("MOTION").values():
        if not motion.active:
            continue
        if motion.joint is not None:
            key: tuple = ("JOINT", motion.joint, motion.kind)
            what = f"the {'travel' if motion.kind == 'TRANSLATIONAL' else 'rotation'} of JOINT/{motion.joint}"
        else:
            key = (motion.i, motion.j, motion.component)
            what = f"{motion.component} between markers {motion.i} and {motion.j}"
        if key in seen:
            yield _held_twice(model, motion, seen[key], what)
        seen.setdefault(key, motion)


def _coupler(model: Model, e: Any) -> Faults:
    if len(e.joints) not in (2, 3):
        yield f"a coupler connects two or three joints, not {len(e.joints)}"
        return
    if len(set(e.joints)) < len(e.joints):
        yield "it names the same joint twice; couple different joints"
    if not (e.function or e.routine):
        if len(e.scales) != len(e.joints):
            yield f"it needs one scale for each of its {len(e.joints)} joints, it has {len(e.scales)}"
        elif not all(e.scales):
            yield "a scale is zero, so that joint is not coupled; give numbers other than zero"
    if e.types and len(e.types) != len(e.joints):
        yield f"TYPE needs one letter, T or R, for each of its {len(e.joints)} joints"
        return
    for number, type_ in zip(e.joints, e.types or ("",) * 3):
        yield from _active_joint(model, number)
        joint = model.joints[number]
        if not facts(joint).coupled:
            yield f"{joint.label} is {joint.type}; couple {choice('coupled')} joints"
        elif type_[:1].upper() == "T" and "travel" not in facts(joint).freedoms:
            yield f"{joint.label} is {joint.type} and has no travel; give R for its TYPE"


def _gear(model: Model, e: Any) -> Faults:
    if len(e.joints) != 2:
        yield f"a gear connects two joints, not {len(e.joints)}"
        return
    if e.joints[0] == e.joints[1]:
        yield "it names the same joint twice; connect two joints"
        return
    carrier = _body(model, e.cv)
    for number in e.joints:
        yield from _active_joint(model, number)
        joint = model.joints[number]
        if not facts(joint).geared:
            yield f"{joint.label} is {joint.type}; connect {choice('geared')} joints"
        elif carrier not in (_body(model, joint.i), _body(model, joint.j)):
            yield (
                f"its CV marker {e.cv} must lie on the carrier, the part that {joint.label} shares with the other joint"
            )


def _point_curve(model: Model, e: Any) -> Faults:
    if not e.rm:
        yield "it names no marker that carries the curve; give RM = id"
    if not e.curve:
        yield "it names no curve; give CURVE = id"


def _friction(model: Model, e: Any) -> Faults:
    yield from _active_joint(model, e.joint)
    joint = model.joints.get(e.joint)
    arm = facts(joint).friction_arm if joint is not None else ""
    if arm and getattr(e, arm) is not None and not getattr(e, arm) > 0:
        yield f"{arm.upper()} must be positive, it is {getattr(e, arm):g}: moments are divided by it"
    if e.formulation.upper() not in ("ORIGINAL", "LUGRE"):
        yield f"FORMULATION is {e.formulation}; choose ORIGINAL or LUGRE"
    yield from e.lugre_faults()


# ---- forces --------------------------------------------------------------------------------------------------------
def _pair_force(model: Model, e: Any) -> Faults:
    for name in ("i", "j"):
        marker = model.markers.get(getattr(e, name))
        if marker is not None and marker.floating:
            yield f"{name.upper()} = {marker.id} is a floating marker; give one with a position of its own"
    for name in MATRIX_FIELDS:
        values = getattr(e, name, ())
        if values and len(values) != 36:
            yield f"{name.upper()} needs 36 numbers, it has {len(values)}"
    for name in ("cratio", "asy", "asz"):
        if (value := getattr(e, name, None)) is not None and value < 0.0:
            yield f"{name.upper()} must not be negative, it is {value:g}"


def _field(model: Model, e: Any) -> Faults:
    yield from _pair_force(model, e)
    if len(e.length) != 6:
        yield f"LENGTH needs 6 numbers, it has {len(e.length)}"
    yield from _formulation(e)


def _beam(model: Model, e: Any) -> Faults:
    yield from _pair_force(model, e)
    nonlinear = e.formulation.upper() == "NONLINEAR"
    for name in ("length", "area", "emodulus", *(("gmodulus", "ixx", "iyy", "izz") if nonlinear else ())):
        if not getattr(e, name) > 0:
            yield f"{name.upper()} must be positive, it is {getattr(e, name):g}"
    if e.formulation.upper() not in ("STRING", "NONLINEAR"):
        yield from _formulation(e)


def _formulation(e: Any) -> Faults:
    """The equations of STRING and NONLINEAR fields are not published, and those of LINEAR would be other forces."""
    if e.formulation.upper() != "LINEAR":
        yield f"FORMULATION = {e.formulation} is not computed in this version; write LINEAR where small deflections do"


CHECKS: dict[str, Callable[[Model, Any], Faults]] = {
    "PART": _part,
    "POINT_MASS": _mass,
    "SLIDING_MASS": _sliding,
    "MARKER": _marker,
    "JOINT": _joint,
    "JPRIM": _primitive,
    "MOTION": _motion,
    "COUPLER": _coupler,
    "GEAR": _gear,
    "PTCV": _point_curve,
    "FRICTION": _friction,
    "SFORCE": _pair_force,
    "SPRINGDAMPER": _pair_force,
    "BUSHING": _pair_force,
    "FIELD": _field,
    "BEAM": _beam,
    "CONTACT": contact_faults,
    "GRAINS": _grains,
    "FEEDER": feeder_faults,
    "SINK": sink_faults,
    "FMU": fmu_faults,
    "SPLINE": spline_faults,
    "MATRIX": matrix_faults,
    "ARRAY": array_faults,
    "LSE": state_equation_faults,
    "TFSISO": transfer_function_faults,
    "DIFF": diff_faults,
    "SENSOR": sensor_faults,
    "SWITCH": switch_faults,
}


def doubts(model: Model, rigid: bool = False) -> list[str]:
    """What is allowed but looks wrong, one sentence each: goes with the warnings of a run.  ``rigid``: contacts were
    constraints."""
    out = []
    for part in model.parts.values():
        if part.active and not part.ground and len(part.ip) in (3, 6):
            try:
                a, b, c = principal_moments(model, part)
            except ModelError:  # a fault
                continue
            if a > 0 and c > (a + b) * (
                1 + implausible.TRIANGLE
            ):  # as Adams, which runs it: the equations hold for any positive moments
                mend = (
                    "it is assumed to be meant for rotation about one axis"
                    if b <= ONE_AXIS * c
                    else "check IP; the run uses it as it is"
                )
                out.append(
                    f"{part.label}: no body has such an inertia: the largest principal moment {c:.6g} exceeds the sum "
                    "of the other two "
                    f"({a:.6g} + {b:.6g}); {mend}"
                )
        if 0 < len(angles := {"PSI", "THETA", "PHI"} & set(part.exact)) < 3:
            out.append(
                f"{part.label}: EXACT of {', '.join(sorted(angles))} alone has no influence: an attitude is kept as a "
                "whole; name PSI, THETA and PHI"
            )
    out += [text for text in (words(model, part) for part in model.parts.values()) if text]
    return (
        out
        + [text for text in implausible.doubts(model) if text not in model.warnings]
        + _gravity_doubts(model)
        + _twin_names(model)
        + contact_doubts(model, rigid)
        + _frame_doubts(model)
        + lacking(model)
        + idle(model)
    )


def _frame_doubts(model: Model) -> list[str]:
    """Joints and forces on the frame of a flexible body: it floats, no point of the part is held there."""
    bent = {e.part: e for e in model.table("FLEXIBILITY").values() if e.active}
    out = []
    for e in model if bent else ():
        for number in (
            e.ports
            if e.active
            and e.ROLE in ("constraint", "force")
            and e.KIND not in ("MFORCE", "MODAL_DAMPING", "SURFACE_CONTACT")
            else ()
        ):
            marker = model.markers.get(number)
            if marker is not None and marker.body_kind == "PART" and marker.part in bent and not marker.floating:
                out.append(
                    f"{e.label} acts on {marker.label}, which moves with the floating frame of "
                    f"{bent[marker.part].label} and with no node; "
                    "put a marker on the part after it was made flexible"
                )
    return out


#: gravity of the Earth as it is written in m, cm, mm, inches and feet per second squared
EARTH = (9.80665, 980.665, 9806.65, 386.089, 32.1740)
CLOSE_TO_EARTH = 0.01


def _gravity_doubts(model: Model) -> list[str]:
    """Gravity whose number is that of the Earth in units other than those of the model."""
    size, unit = math.hypot(*model.gravity), model.units.si_length / model.units.si_time**2
    earth = 9.80665 / unit
    near = lambda value: abs(size - value) <= CLOSE_TO_EARTH * value
    if near(earth) or not any(map(near, EARTH)):
        return []
    acceleration = model.units.symbol("acceleration")
    in_si = "" if abs(unit - 1.0) < 1e-12 else f", which is {size * unit:.4g} m/s^2"
    return [
        f"ACCGRAV: gravity is {size:g} {acceleration}{in_si}; on Earth it is {earth:.6g} "
        f"{acceleration}: correct it, or the units of the model"
    ]


def _twin_names(model: Model) -> list[str]:
    """Names that two elements of a kind share, of those that Python made: a name finds the first of them only."""
    out: list[str] = []
    seen: dict[tuple[str, str], Element] = {}
    for e in model:
        if e.source is None and e.name:
            first = seen.setdefault((e.KIND, e.name.lower()), e)
            if first is not e and e.KIND != "MARKER":
                out.append(
                    f"{e.label}: {first.KIND}/{first.id} has this name too; a model finds only that one by the name, "
                    "and results of a body refuse it; give another name"
                )
    return out[:20]


# ---- what is missing -----------------------------------------------------------------------------------------------
#: what replaces a statement that is kept and not computed
_TYRE = (
    "its syntax is not published; put a tyre of a .tir file on the wheel by hn.vehicle.tyre, or write it as the "
    "GFORCE of abgTire, which hn.vehicle.adams_tyres reads"
)
_SURFACE = (
    "its surface is that of a compiled routine or a Parasolid file; write the equation of the surface as the FUNCTION "
    "of a GCON, as DZ(I,J,J) - 0.1*DX(I,J,J)**2, or give shapes and a CONTACT"
)
MENDS = {
    "TIRE": _TYRE,
    "WHEEL": _TYRE,
    "ROAD": "give a tyre its road by model.road or hn.vehicle.rdf_road",
    **dict.fromkeys(("PTSF", "CVSF", "SURFACE"), _SURFACE),
}


def cannot_run(model: Model) -> list[str]:
    """Elements that are read and kept but that this version cannot run, one message for each."""
    out = []
    for kind, why in (
        (
            "FLEX_BODY",
            "its modes are in a file of Adams, a closed format, and so it is not computed in this version; reduce the "
            "body from matrices of Nastran, Abaqus "
            "or Ansys (holonom.flexible) and give read_adams(path, flexible={id: 'body.h5'})",
        ),
        ("FE_PART", "beams of finite elements are not computed in this version"),
    ):
        for e in model.table(kind).values():
            if e.active:
                out.append(f"{e.label}: {why}")
    for e in model.parts.values():
        if e.active and e.solid_file and not e.mass:
            out.append(
                f"{e.label}: its mass follows from the solids of the file '{e.solid_file}', which is not read; "
                "give its mass, centre of mass and moments of inertia"
            )
    for e in model.table("MFORCE").values():
        if e.active and e.flexibility is None:
            out.append(
                f"{e.label}: it is not computed in this version without modes of its flexible body; give "
                f"read_adams(path, flexible={{id: 'body.h5'}})"
            )
    for e in model.table("CONTACT").values():
        if e.active:
            for text in contact_missing(model, e):
                line = text if text.startswith("GRAPHICS/") else f"{e.label}: {text}"
                if line not in out:  # a shape that many contacts need is missing once
                    out.append(line)
    for e in model.table("FRICTION").values():
        joint = model.joints.get(e.joint)
        if e.active and joint is not None and not facts(joint).friction:
            out.append(
                f"{e.label}: friction of a {joint.type.lower()} joint ({joint.label}) is not computed in this version"
            )
    for e in model.table("FOREIGN").values():
        if e.active and getattr(e, "needed", False):
            mend = MENDS.get(getattr(e, "statement", ""), "")
            out.append(f"{e.label}: it is not computed in this version" + (f"; {mend}" if mend else ""))
    return out + not_computed(model) + missing_routines(model)


def routine_names(element: Element, routine: str | None) -> list[str]:
    """Names under which a user routine of an element may be registered, best first; '*' is the catch-all."""
    first = [routine, routine.split("::")[-1]] if routine else []
    return [*first, f"{element.KIND}/{element.id}", element.name, element.KIND, "*"]


def part_names(gse: Any, part: str) -> list[str]:
    """Names under which the routine of a GSE for its discrete states (UPDATE) or its sampling period (SAMP) may be
    registered, best first; '*' is the catch-all."""
    place = {"UPDATE": 2, "SAMP": 3}[part]
    named = gse.interface[place] if len(gse.interface) > place else ""
    return [*dict.fromkeys(n for n in (named, named.split("::")[-1], f"GSE_{part}/{gse.id}", f"GSE_{part}", "*") if n)]


def samples_itself(gse: Any) -> bool:
    """Does a routine give the sampling period of a GSE?"""
    return len(gse.interface) > 3 and bool(gse.interface[3]) and gse.sample_period is None


def missing_routines(model: Model) -> list[str]:
    """One message for each user routine that an active element calls and that is not registered."""
    out = []
    for e in model.table("GSE").values():
        for part in (("UPDATE", "SAMP") if samples_itself(e) else ("UPDATE",)) if e.active and e.nd else ():
            names = part_names(e, part)
            if not any(n in model.routines for n in names):
                what = "discrete states at every sample" if part == "UPDATE" else "time until the next sample"
                out.append(
                    f"{e.label}: user routine '{names[0]}', which gives its {what}, is not registered; give it with "
                    f"model.register({names[0]!r}, function)"
                )
    for e in model:
        routine = getattr(e, "routine", None)
        if (
            not e.active
            or e.KIND in ("CONTACT", "COUPLER")
            or (isinstance(e, GeneralStateEquations) and e.nd and not e.ns and not e.no)
        ):
            continue
        for text, name in (
            (getattr(e, "function", None), routine),
            (getattr(e, "evaluate", None), getattr(e, "evaluate_routine", None)),
        ):
            user = isinstance(text, str) and text.lstrip().upper().startswith("USER")
            if (name or user) and not any(n in model.routines for n in routine_names(e, name)):
                parameters = text.strip()[4:].strip(" ()\n") if user and text else ""
                shown, given = routine_names(e, name)[0], ", ".join(p.strip() for p in parameters.split(","))
                out.append(
                    f"{e.label}: user routine '{shown}' with parameters [{given}] is not registered; "
                    f"give it with model.register({shown!r}, function)"
                )
    return out
