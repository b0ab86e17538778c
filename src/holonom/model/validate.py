"""Checks of a model before it is assembled: one sentence per fault, all faults of a model at once.

Only the drawing is checked: references, masses, inertias, sizes of tables, which joint a motion can drive.  What
needs numbers (assembly, rank) is the business of `analyses.assemble`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from . import implausible
from .base import ELEMENT_TYPES, Element, ModelError, ModelErrors
from .bodies import EXACT, Marker, Part, central_inertia
from .bounds import bounds
from .contact_pairs import kernel_module
from .contact_words import FRICTIONS, LAWS
from .data_files import matrix_values, spline_points
from .dummies import held, words
from .feeding import feeder_faults, sink_faults
from .flexible_statics import lacking
from .fmu import fmu_faults
from .forces import COULOMB_FRICTION, INITIAL
from .grains import faults as grain_faults
from .idle import idle, not_computed
from .joint_facts import choice, facts
from .joints import JOINT_TYPES
from .kinds import LARGEST, finite, misfits, shown
from .orientation import Frame
from .settings import IMPACT_LAWS
from .shape import kind_of, shape_of
from .shape_kinds import deferred
from .shape_kinds.meshes import mesh_path
from .states import GeneralStateEquations
from .switches import HOLDING
from .touching import Touching

if TYPE_CHECKING:
    from .model import Model

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


def validate(model: Model, rigid: bool = False) -> None:
    """Raise `ModelErrors` with one sentence per fault of the model; return when there is none.  ``rigid``: contacts are
    constraints."""
    found = faults(model, rigid)
    if found:
        raise ModelErrors(found)


def faults(model: Model, rigid: bool = False) -> list[str]:
    """One message for each fault: the element, where it was written, what is wrong, how to fix it."""
    out: list[str] = [*model.rigid.faults()]
    if model.table("CONTACT"):
        vars(model)["_touching"] = _touching(model)
        vars(model)["_rigid"] = rigid
    try:
        for text in _all_faults(model):
            text = text.replace("\n", "\\n")  # of names and words: one line a sentence
            if text not in out[-3:]:
                out.append(text)
            if len(out) >= MAX_FAULTS:
                out.append(f"more than {MAX_FAULTS} faults; the rest of the model was not checked")
                break
    finally:
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


def _all_faults(model: Model) -> Faults:
    for name, g in zip("xyz", model.gravity):
        if not finite(g) or abs(g) > LARGEST:
            yield f"ACCGRAV: gravity along {name} is {shown(g)}; give a finite number"
    grounds = [p for p in model.parts.values() if p.ground]
    for extra in grounds[1:]:
        yield f"{extra.label}: a second ground part in addition to {grounds[0].label}; only one is allowed"
    wrong = False
    for element in model:
        for _, text in misfits(element):
            wrong = True
            yield f"{element.label}: {text}"
    if wrong:  # who looks further takes numbers for numbers and texts for texts
        return
    broken: set[int] = set()  # elements whose numbers or references are useless: not checked any further
    for element in model:
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
    import numpy as np

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


# ---- contacts ------------------------------------------------------------------------------------------------------
MAX_EXPONENT = 10.0  # of a force law: nothing real is steeper


def _contact(model: Model, e: Any) -> Faults:
    """Numbers first, then geometry; what needs the shapes of pairs (a kernel for the two types) is for `cannot_run`."""
    rigid = vars(model).get("_rigid", False)
    yield from contact_slips(e, rigid)
    if not rigid:  # a constraint has no stiffness
        yield from _contact_lacks(e)
    yield from _contact_materials(model, e)
    yield from _contact_geometry(model, e)


def contact_slips(e: Any, rigid: bool = False) -> Faults:
    """What is wrong with a contact by itself, whatever it touches: its words, signs and sizes, and parameters that its
    law does not have; ``rigid``: the law does not act."""
    yield from _contact_words(e)
    yield from _contact_sizes(e)
    if not rigid:
        low, impact = e.exponent < 1, e.law_name == "IMPACT"
        if low or (impact and e.exponent > MAX_EXPONENT):
            bound = f"lie between 1 and {MAX_EXPONENT:g}" if impact else "be 1 or more"
            why = "below 1 the stiffness is infinite at first touch" if low else "nothing real is so steep"
            yield f"EXPONENT must {bound}, it is {e.exponent:g}: {why}"
        yield from _contact_parameters(e)


def _contact_words(e: Any) -> Faults:
    if e.model not in ("IMPACT", "POISSON", "USER"):
        yield f"unknown model '{e.model}'; choose IMPACT or POISSON, or give a law"
    elif e.law and e.law.upper() not in LAWS:
        yield f"there is no contact law '{e.law}'{_meant(e.law, LAWS)}; choose one of {', '.join(sorted(LAWS))}"
    if e.friction and e.friction.upper() not in (*FRICTIONS, "COULOMB", "USER"):
        yield (
            f"there is no friction model '{e.friction}'{_meant(e.friction, FRICTIONS)}; choose one of "
            f"{', '.join(sorted({'COULOMB', *FRICTIONS}))}"
        )
    if e.coulomb_friction not in COULOMB_FRICTION:
        yield f"COULOMB_FRICTION = {e.coulomb_friction} is not one of {', '.join(COULOMB_FRICTION)}"
    if e.initial not in INITIAL:
        yield f"initial = '{e.initial}' is not one of {', '.join(INITIAL)}"
    if e.impact_law and e.impact_law.upper() not in IMPACT_LAWS:
        yield f"impact_law = '{e.impact_law}' is not one of {', '.join(IMPACT_LAWS)}"


def _meant(word: str, names: Any) -> str:
    import difflib

    close = difflib.get_close_matches(word.upper(), [n.upper() for n in names], n=1)
    shown = {n.upper(): n for n in names}
    return f"; did you mean {shown[close[0]]}?" if close else ""


def _contact_sizes(e: Any) -> Faults:
    for name in (
        "stiffness",
        "damping",
        "dmax",
        "penalty",
        "mu_static",
        "mu_dynamic",
        "stiction_transition_velocity",
        "friction_transition_velocity",
        "max_stiction_deformation",
        "rolling_resistance",
        "spinning_resistance",
        "resistance_transition",
    ):
        if getattr(e, name) < 0:
            yield f"{name.upper()} must not be negative, it is {getattr(e, name):g}"
    for table in (e.parameters, e.friction_parameters):
        for name, value in table.items():
            if not isinstance(value, (int, float)) or not math.isfinite(value):
                yield f"its parameter {name} is {value}; give a finite number"
    for value in (e.restitution, *(v for n, v in e.parameters.items() if n in ("restitution", "e"))):
        if not 0 <= value <= 1:
            yield f"RESTITUTION_COEFFICIENT must lie between 0 and 1, it is {value:g}"
    if not -1 <= e.tangential_restitution <= 1:
        yield f"tangential_restitution must lie between -1 and 1, it is {e.tangential_restitution:g}"
    low, high = e.stiction_transition_velocity, e.friction_transition_velocity
    if e.friction_name == "COULOMB" and high and low > high:
        yield (
            f"STICTION_TRANSITION_VELOCITY = {low:g} exceeds FRICTION_TRANSITION_VELOCITY = {high:g}; "
            "friction is static below the first and dynamic above the second"
        )


def _contact_lacks(e: Any) -> Faults:
    if e.law_name == "IMPACT" and e.stiffness == 0:
        yield (
            "IMPACT needs STIFFNESS, a positive number; rigid contact needs none: contact = 'events' or "
            "'time-stepping' in the call, or in model.rigid"
        )
    elif e.law_name == "POISSON" and e.penalty == 0:
        yield "POISSON needs PENALTY, a positive number"


def asked_by_law(e: Any) -> tuple[str, ...]:
    """Names of the numbers that the law of a contact reads; none of a law that does not exist."""
    law = LAWS.get(e.law_name)
    return law.parameters if law is not None else ()


def _contact_parameters(e: Any) -> Faults:
    """Names of ``parameters`` and ``friction_parameters`` that the law or friction model never reads."""
    friction = e.friction_name or "COULOMB"
    by_law, by_friction = LAWS.get(e.law_name), FRICTIONS.get(friction)
    known = {
        "parameters": by_law.parameters if by_law is not None else None,
        "friction_parameters": by_friction.parameters if by_friction is not None else None,
    }
    for table, other in (("parameters", "friction_parameters"), ("friction_parameters", "parameters")):
        names = known[table]
        for word in getattr(e, table) if names is not None else ():
            if names is not None and word not in names:
                mend = (
                    f"give it in {other}"
                    if word in (known[other] or ())
                    else f"{_meant(word, names).lstrip('; ') or 'remove it'}"
                )
                what = f"law {e.law_name}" if table == "parameters" else f"friction model {friction}"
                yield f"the {what} has no parameter '{word}'; {mend}"


def _contact_materials(model: Model, e: Any) -> Faults:
    if e.materials and len(e.materials) != 2:
        yield f"it needs a material for each of its two sides, it has {len(e.materials)}"
    for material in e.materials:
        if isinstance(material, int) and material not in model.table("MATERIAL"):
            yield f"there is no MATERIAL/{material}; correct the id or add the MATERIAL"


def _contact_geometry(model: Model, e: Any) -> Faults:
    table, broken = model.table("GRAPHICS"), False
    bulk = model.table("GRAINS")
    for side, ids, grains, flex in (("IGEOM", e.igeom, e.igrains, e.iflex), ("JGEOM", e.jgeom, e.jgrains, e.jflex)):
        if not ids and not grains and flex is None:
            yield f"it names no geometry for {side}; give ids of GRAPHICS"
            broken = True
        for number in grains:
            if number not in bulk or not bulk[number].active:
                what = (
                    "is not active; activate it or deactivate the contact"
                    if number in bulk
                    else "does not exist; correct the id or add it"
                )
                yield f"{side[0]}GRAINS = {number}: GRAINS/{number} {what}"
                broken = True
        for number in ids:
            if number not in table:
                yield f"{side} = {number}: there is no GRAPHICS/{number}; correct the id or add it"
                broken = True
            elif not table[number].active:
                yield f"{side} = {number}: {table[number].label} is not active; activate it or deactivate the contact"
                broken = True
            elif table[number].type.upper() not in deferred():
                try:
                    shape_of(model, table[number])
                except ModelError as error:
                    yield f"{side} = {number} is not a shape that can touch: {error}"
                    broken = True
    for pair in e.exclude:
        missing = [n for n in pair if n not in table]
        if missing:
            yield f"it excludes GRAPHICS/{missing[0]}, which does not exist; correct the id"
    if broken or not ((e.igeom or e.igrains) and (e.jgeom or e.jgrains)):
        return
    try:
        pairs = _touching(model).pairs(e)
    except ModelError as error:
        yield str(error)
        return
    if pairs.defined or e.igrains or e.jgrains:  # grains may come later
        return
    switched = Touching.switched(model)
    if switched is not None and switched.pairs(e).defined:  # it acts when joints are off
        return
    if pairs.same_part == pairs.total or not pairs.total:
        yield "its shapes all belong to one part and can never meet; give shapes of two parts"
    elif pairs.rigid:
        yield (
            "its shapes belong to parts that are fixed to each other and can never meet; remove it, or give "
            "joined=True if they are freed later"
        )
    elif pairs.joined:
        j = pairs.joints[0]
        yield (
            f"{j.label} connects its parts, so none of its pairs is checked; remove it, or give joined=True to "
            "have it all the same"
        )
    else:
        yield "it excludes all of its pairs; leave some, or remove it"


def _touching(model: Model) -> Any:
    """Rigid groups and joints of the model as it is now, once for all contacts of one check (`faults` keeps it
    meanwhile)."""
    return vars(model).get("_touching") or Touching(model)


def contact_missing(model: Model, e: Any) -> list[str]:
    """What a contact needs and this version or this folder does not have, one sentence each; empty when it can be
    computed."""
    out = []
    for side, flex in (("IFLEX", e.iflex), ("JFLEX", e.jflex)):
        if flex is not None:
            out.append(f"{side} = {flex}: contact with flexible bodies is not computed in this version")
    if e.law_name == "USER":
        name = e.normal_routine or "CNFSUB"
        out.append(
            f"its normal force is the user routine '{name}', which is not called in this version; give a law in "
            "its place"
        )
    if e.friction_name == "USER":
        name = e.friction_routine or "CFFSUB"
        out.append(
            f"its friction force is the user routine '{name}', which is not called in this version; give a friction "
            "model instead"
        )
    kinds: dict[int, str] = {}
    bulk = model.table("GRAINS")
    for number in (*e.igrains, *e.jgrains):
        if number in bulk:
            kinds[-number] = bulk[number].shape
    for number in (*e.igeom, *e.jgeom):
        graphic = model.table("GRAPHICS").get(number)
        if graphic is None:
            continue
        try:
            if graphic.type.upper() in deferred():
                mesh_path(model, graphic)
            kinds[number] = kind_of(model, graphic)
        except ModelError as error:
            out.append(str(error))
    if not out:
        sides: list[dict[str, set[int]]] = [{}, {}]
        for found, ids, grains in zip(sides, (e.igeom, e.jgeom), (e.igrains, e.jgrains)):
            for number in (*ids, *(-g for g in grains)):
                if number in kinds:
                    found.setdefault(kinds[number], set()).add(number)
        many = lambda ids: len(ids) > 1 or min(ids) < 0  # grains are several
        met = {(a, b) for a, i in sides[0].items() for b, j in sides[1].items() if many(i | j)}
        for a, b in sorted(met):
            if not kernel_module(a, b):
                out.append(
                    f"contact of {_word(a)} with {_word(b)} is not computed in this version; give a mesh or hull in "
                    "place of one of them"
                )
    return list(dict.fromkeys(out))


def _word(kind: str) -> str:
    word = kind.lower().replace("_", " ")
    return f"{'an' if word[0] in 'aeiou' else 'a'} {word}"


MANY_PAIRS = 10_000  # of shapes of one contact: beyond, they are not compared with those of others
FIELDS = ("stiffness", "damping", "dmax", "penalty", "restitution")  # numbers of a contact that laws read
SHALLOW = 1e-9  # a part that its own weight presses in by less than this of its size is as good as rigid


def _idle_numbers(e: Any) -> Faults:
    """Numbers of another law, which datasets may carry."""
    law = e.law_name
    words = LAWS.get(law)
    if words is None:
        return
    for name in FIELDS:
        word = "RESTITUTION_COEFFICIENT" if name == "restitution" else name.upper()
        if not e.law and getattr(e, name) and name not in words.parameters:
            yield f"{word} = {getattr(e, name):g} has no influence: {law} does not read it"
    if words.exponent is not None and e.exponent not in (
        1.0,
        1.5,
        words.exponent,
    ):  # 1 and 1.5: not given, in datasets and in Python
        yield f"EXPONENT = {e.exponent:g} has no influence: that of {law} is its own"


def _solids(model: Model, numbers: Any) -> list[Any]:
    """Shapes with these ids, without those that cannot be read or are read later."""
    out = []
    for number in numbers:
        graphic = model.table("GRAPHICS").get(number)
        if graphic is None or graphic.type.upper() in deferred():
            continue
        try:
            out.append(shape_of(model, graphic))
        except ModelError:
            continue
    return out


def _moving_mass(solid: Any) -> float:
    """Mass of the body of a shape; infinite for ground and where none is given."""
    mass = getattr(solid.body, "mass", None)
    return math.inf if not mass or getattr(solid.body, "ground", False) else mass


def _absurd(model: Model, e: Any) -> Faults:
    """Stiffness that its weight alone would press through a part, or that no number can follow: wrong units, mostly."""
    g = math.hypot(*model.gravity)
    law = LAWS.get(e.law_name)
    k = e.penalty if e.law_name == "POISSON" else e.stiffness
    n = law.exponent if law is not None and law.exponent is not None else e.exponent
    if not (k > 0.0 and g > 0.0 and n >= 1.0):
        return
    sides = [_solids(model, numbers[:20]) for numbers in (e.igeom, e.jgeom)]
    # between two moving bodies the lighter one may be what rests on the other
    lightest = min((max((_moving_mass(s) for s in side), default=math.inf) for side in sides), default=math.inf)
    for solid in (*sides[0], *sides[1]):
        mass = _moving_mass(solid)
        size = float(bounds(solid)[2])
        if not mass < math.inf or not 0.0 < size < math.inf:
            continue
        weight = model.units.mass_factor * g
        depth = (mass * weight / k) ** (1.0 / n)
        unit = model.units.symbol("length")
        if (min(mass, lightest) * weight / k) ** (1.0 / n) > size:
            yield (
                f"its stiffness {k:g} is implausible for {solid.body.label}: the weight of that part alone presses its "
                f"shape in by {depth:.3g} {unit}, "
                f"and its size is {size:.3g} {unit}; check the units"
            )
            return
        if depth < SHALLOW * size:
            yield (
                f"its stiffness {k:g} is implausible for {solid.body.label}: the weight of that part presses "
                f"its shape in "
                f"by {depth:.3g} {unit} only, "
                f"and its size is {size:.3g} {unit}; check the units"
            )
            return


def _twice(model: Model, contacts: list[Any]) -> list[str]:
    """Contacts that act on one pair of shapes: their forces add up."""
    first: dict[tuple[int, int], Any] = {}
    out = []
    for e in contacts:
        if len(e.igeom) * len(e.jgeom) > MANY_PAIRS:
            continue
        pairs = [(min(a, b), max(a, b)) for a in e.igeom for b in e.jgeom]
        again = next((p for p in pairs if p in first and first[p] is not e), None)
        if again is not None:
            a, b = (model.table("GRAPHICS")[n].label if n in model.table("GRAPHICS") else str(n) for n in again)
            out.append(
                f"{e.label}: {a} and {b} are also the pair of {first[again].label}, and both forces act; delete one"
            )
        first.update({p: e for p in pairs if p not in first})
    return out


def _contact_doubts(model: Model, rigid: bool) -> list[str]:
    contacts = [e for e in model.table("CONTACT").values() if e.active]
    out = _twice(model, contacts)
    touching = _touching(model) if contacts else None
    for e in contacts:
        say = lambda text, e=e: out.append(f"{e.label}: {text}")
        for text in implausible.friction_coefficients(e.mu_static, e.mu_dynamic) if e.friction_name else ():
            say(text)
        for text in () if rigid else (*_idle_numbers(e), *_absurd(model, e)):
            say(text)
        if e.augmented_lagrangian:
            say("AUGMENTED_LAGRANGIAN_FORMULATION has no influence: the force is that of the law for the depth")
        for name, text in e.arguments:
            say(f"{name}{' = ' + text if text else ''} is kept, but has no influence")
        if e.igeom and e.jgeom and touching is not None:
            try:
                pairs = touching.pairs(e)
            except ModelError:
                continue
            if pairs.rigid or pairs.joined:
                names = ", ".join(f"{j.KIND}/{j.id}" for j in pairs.joints[:3]) or "FIXED joints"
                say(
                    f"{pairs.rigid + pairs.joined} of its {pairs.total} pairs are not checked, since {names} connect "
                    "their parts"
                )
            elif e.joined and all(
                touching.root(touching.body(a)) == touching.root(touching.body(b))
                for a in e.igeom[:50]
                for b in e.jgeom[:50]
            ):
                say("its parts are fixed to each other at present, so its force moves nothing")
    if contacts:
        for name, text in model.preferences.get("PREFERENCES", ()):
            word = name.upper()
            if word.startswith("CONTACT_GEOM"):
                known = text.upper().startswith(("PARASOLID", "DEFAULT", "RAPID"))
                why = "shapes are exact, or the meshes that are given" if known else "there is no such library"
                out.append(f"PREFERENCES: {word} = {text} has no influence: {why}")
    return out


# ---- data ----------------------------------------------------------------------------------------------------------
def _spline(model: Model, e: Any) -> Faults:
    if e.routine:
        yield (
            f"its data come from a routine (ROUTINE = {e.routine}), which is not called here; give X and Y, or a "
            "FILE of a format that is read"
        )
        return
    if e.file is not None:
        try:
            data = spline_points(model, e)
        except ModelError as error:
            yield str(error).removeprefix(f"{e.label}: ")
            return
        down = np.flatnonzero(np.diff(data.x) <= 0)
        if down.size:
            yield (
                f"x must increase, but value {down[0] + 2} of {e.file} ({data.x[down[0] + 1]:g}) follows "
                f"{data.x[down[0]]:g}; sort them and remove doubles"
            )
        return
    if len(e.x) < 2:
        yield f"it needs points to run through, it has {len(e.x)} x values"
    rows = max(1, len(e.z))
    if len(e.y) != rows:
        yield f"it needs {rows} row{'s' * (rows > 1)} of y, one for each z, it has {len(e.y)}"
    for k, row in enumerate(e.y):
        if len(row) != len(e.x):
            yield f"row {k + 1} of y has {len(row)} numbers for {len(e.x)} x values; give as many"
    for name, values in (("x", e.x), ("z", e.z)):
        for k, (a, b) in enumerate(zip(values, values[1:])):
            if not b > a:
                yield f"{name} must increase, but value {k + 2} ({b:g}) follows {a:g}; sort them and remove doubles"
                break


def _matrix(model: Model, e: Any) -> Faults:
    if e.file is not None:
        try:
            matrix_values(model, e)
        except ModelError as error:
            yield str(error).removeprefix(f"{e.label}: ")
        return
    if len(e.values) != e.rows * e.columns:
        yield f"{e.rows} rows of {e.columns} need {e.rows * e.columns} values, it has {len(e.values)}"


def _array(model: Model, e: Any) -> Faults:
    if e.kind == "IC" and e.size is not None and len(e.numbers) != e.size:
        yield f"SIZE is {e.size}, but it has {len(e.numbers)} numbers; make them agree"
    for number in e.variables:
        if number not in model.table("VARIABLE"):
            yield f"there is no VARIABLE/{number}; correct the id or add the VARIABLE"


def _state_equations(model: Model, e: Any) -> Faults:
    """Sizes of x' = A x + B u, y = C x + D u."""
    matrix = lambda number: model.table("MATRIX").get(number) if number else None
    a = matrix(e.a)
    if a is None:
        yield "it needs a matrix A; give A = id"
        return
    try:
        shape = {m.id: matrix_values(model, m).shape for k in (e.a, e.b, e.c, e.d) if (m := matrix(k)) is not None}
    except ModelError:  # a fault of the matrix
        return
    n = shape[a.id][0]
    if shape[a.id][1] != n:
        yield f"its matrix A, {a.label}, must be square, it is {n} x {shape[a.id][1]}"
        return
    inputs = _array_size(model, e.u)
    outputs = _array_size(model, e.y)
    for name, number, rows, columns in (("B", e.b, n, inputs), ("C", e.c, outputs, n), ("D", e.d, outputs, inputs)):
        m = matrix(number)
        if m is None:
            continue
        has = shape[m.id]
        if (rows is not None and has[0] != rows) or (columns is not None and has[1] != columns):
            shown = f"{rows if rows is not None else has[0]} x {columns if columns is not None else has[1]}"
            yield (
                f"its matrix {name}, {m.label}, must be {shown} to fit its states, inputs and outputs, it is "
                f"{has[0]} x {has[1]}"
            )
    for name, number in (("X", e.x), ("IC", e.ic)):
        size = _array_size(model, number)
        if size is not None and size != n:
            yield f"its array {name} has {size} values for {n} states; make them agree"


def _array_size(model: Model, number: int | None) -> int | None:
    array = model.table("ARRAY").get(number) if number else None
    if array is None:
        return None
    if array.kind == "U":
        return len(array.variables)
    return len(array.numbers) if array.kind == "IC" and array.numbers else array.size


def _transfer_function(model: Model, e: Any) -> Faults:
    arrays = model.table("ARRAY")
    for name in ("numerator", "denominator"):
        array = arrays.get(getattr(e, name))
        if array is None:
            yield f"it names no array for its {name}; give {name.upper()} = id"
        elif not array.numbers or not any(array.numbers):
            yield f"its {name} {array.label} holds no number other than zero"
    top, bottom = arrays.get(e.numerator), arrays.get(e.denominator)
    if top is not None and bottom is not None and len(top.numbers) > len(bottom.numbers):
        yield (
            "its numerator has a higher degree than its denominator, so the output would hold derivatives of the input"
        )


def _diff(model: Model, e: Any) -> Faults:
    if len(e.ic) not in (1, 2):
        yield f"IC takes y(0) and at most y'(0), not {len(e.ic)} numbers"


def _sensor(model: Model, e: Any) -> Faults:
    if not e.tolerance > 0:
        yield f"ERROR must be positive, it is {e.tolerance:g}"
    if e.dt is not None and not e.dt > 0:
        yield f"DT must be positive, it is {e.dt:g}"


def _switch(model: Model, e: Any) -> Faults:
    """States, the elements that they name, transitions between them."""
    if len(e.states) < 2 or len(set(e.states)) < len(e.states):
        yield "it needs two or more states with names of their own"
        return
    if len(e.on) != len(e.states):
        yield f"ON needs the elements that act in each of its {len(e.states)} states, it has {len(e.on)} lists"
        return
    if e.initial and e.initial not in e.states:
        yield f"its initial state '{e.initial}' is not one of {', '.join(e.states)}"
    for kind, number in dict.fromkeys((*e.elements, *e.hold, *e.resisting)):
        if kind not in ELEMENT_TYPES or not ELEMENT_TYPES[kind].SWITCHABLE:
            able = ", ".join(name for name, cls in ELEMENT_TYPES.items() if cls.SWITCHABLE)
            yield f"{kind}/{number} cannot be switched; choose elements of kind {able}"
        elif number not in model.table(kind):
            yield f"it switches {kind}/{number}, which does not exist; correct the id or add the {kind}"
        elif kind == "PART" and model.parts[number].ground:
            yield f"{model.parts[number].label} is ground and cannot be switched"
        else:
            other = next(
                (s for s in model.table("SWITCH").values() if s.active and s is not e and (kind, number) in s.elements),
                None,
            )
            if other is not None and other.id < e.id:
                yield f"{model.table(kind)[number].label} is switched by {other.label} too; let one of them do it"
    for kind, number in e.hold:
        if kind not in HOLDING:
            yield f"{kind}/{number} cannot hold what it finds; choose a JOINT, JPRIM or MOTION"
        elif (kind, number) not in e.elements:
            yield f"HOLD names {kind}/{number}, which none of its states turns on"
    for t in e.transitions:
        for state in (t.source, t.target):
            if state not in e.states:
                yield f"a transition names the state '{state}', which is not one of {', '.join(e.states)}"
        if not t.when:
            yield f"its transition from {t.source} to {t.target} has no condition; give WHEN"
        if not 0.0 <= t.restitution <= 1.0:
            yield f"its coefficient of restitution is {t.restitution:g}; give a number from 0 (no rebound) to 1"


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
    "CONTACT": _contact,
    "GRAINS": _grains,
    "FEEDER": feeder_faults,
    "SINK": sink_faults,
    "FMU": fmu_faults,
    "SPLINE": _spline,
    "MATRIX": _matrix,
    "ARRAY": _array,
    "LSE": _state_equations,
    "TFSISO": _transfer_function,
    "DIFF": _diff,
    "SENSOR": _sensor,
    "SWITCH": _switch,
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
        + _contact_doubts(model, rigid)
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
