"""What a model states that changes nothing in a run: arguments that are read and kept, one sentence with the reason for
each.

Settings of the analyses report theirs when an analysis begins (`Simulation.pass_over`); `settings_passed_over` gives
them without a run.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterator
from typing import Any

from .adams_output import AdamsOutput
from .joints import LUGRE

_SENSOR_DUMP = "it requests a dump of its solver"
_PLACE = "the position on the curve is where the marker is"
_SPEED = "it follows from the velocities of the parts"

#: kind -> field -> why a value other than the default has no influence
IDLE: dict[str, dict[str, str]] = {
    "MARKER": dict.fromkeys(("node_id", "node_label"), "nodes belong to flexible bodies"),
    "PTCV": {"ic": _PLACE, "displacement_ic": _PLACE, "velocity_ic": _SPEED, "icm": _PLACE},
    "CVCV": {
        "i_velocity_ic": _SPEED,
        "j_velocity_ic": _SPEED,
        **dict.fromkeys(
            ("ifloat", "jfloat"),
            "the marker is not carried along with the contact; the reaction acts there all the same",
        ),
    },
    "FRICTION": {"smooth": "the force is smooth as it is"},
    "CONTACT": {"stiction": "at low speeds the force is what the coefficients and transition velocities give"},
    "CURVE": {"tension": "the curve is a spline without tension"},
    "SENSOR": {
        "print": "all output is recorded",
        "codgen": _SENSOR_DUMP,
        "yydump": _SENSOR_DUMP,
        "restart": "the integrator starts again by itself where it must",
        "bisection": "events are always searched for",
        "time_error": "events are found to rounding",
        "angle": "angles are counted on beyond a turn",
    },
}

#: fields of an element that do not count, and why
Unread = Iterator[tuple[tuple[str, ...], str]]
_FORCE_TERMS = {"TRANSLATIONAL": ("k", "c", "force", "length"), "ROTATIONAL": ("kt", "ct", "torque", "angle")}
#: fields of a FRICTION -> the types of joints in which they count (`elements.joints.friction`)
_PINS, _CROSSES, _SLIDES = ("REVOLUTE", "HOOKE", "UNIVERSAL"), ("HOOKE", "UNIVERSAL"), ("TRANSLATIONAL", "CYLINDRICAL")
_FRICTION_TERMS = {
    "pin_radius": (*_PINS, "CYLINDRICAL"),
    "friction_arm": _PINS,
    "bending_reaction_arm": _PINS,
    "ball_radius": ("SPHERICAL",),
    "reaction_arm": ("TRANSLATIONAL",),
    "initial_overlap": _SLIDES,
    "overlap_delta": _SLIDES,
    "force_preload": _SLIDES,
    "max_friction_force": _SLIDES,
    "torque_preload": (*_PINS, "CYLINDRICAL", "SPHERICAL"),
    "max_friction_torque": (*_PINS, "CYLINDRICAL", "SPHERICAL"),
    "i_yoke": _CROSSES,
    "j_yoke": _CROSSES,
    "yoke": _CROSSES,
}


def _spring(model: Any, e: Any) -> Unread:
    kind = e.kind.upper()
    for other, names in _FORCE_TERMS.items():
        if other != kind and kind in _FORCE_TERMS:
            own = ", ".join(n.upper() for n in _FORCE_TERMS[kind])
            yield names, f"on a {kind} spring; give {own}, or write {other}"


def _joint(model: Any, e: Any) -> Unread:
    for name, kind in (("pitch", "SCREW"), ("pd", "RACKPIN")):
        if e.type.upper() != kind:
            yield (name,), f"on a joint of type {e.type}; it belongs to {kind}"


def _motion(model: Any, e: Any) -> Unread:
    if e.level.upper() == "VELOCITY":  # those of a displacement are reported by the assembly
        yield ("icvel",), "at the level VELOCITY, where the function gives the velocity from the start on"
    if e.joint is not None:
        yield (
            ("component", "i", "j"),
            "with JOINT, whose free coordinate is driven; give JOINT, or I and J with X to B3",
        )


def _friction(model: Any, e: Any) -> Unread:
    joint = model.joints.get(e.joint)
    kind = joint.type.upper() if joint is not None else ""
    if any(kind in types for types in _FRICTION_TERMS.values()):
        names = tuple(n for n, types in _FRICTION_TERMS.items() if kind not in types)
        yield names, f"in a joint of type {kind}"
    if e.formulation.upper() == "LUGRE":
        names = ("stiction_transition_velocity", "transition_velocity_coefficient", "max_stiction_deformation")
        yield names, "with FORMULATION = LUGRE"
    else:
        yield LUGRE, "without FORMULATION = LUGRE"
        if e.effect == "SLIDING":
            yield ("mu_static", "transition_velocity_coefficient", "max_stiction_deformation"), "with EFFECT = SLIDING"
        elif e.effect == "STICTION":
            yield ("mu_dynamic",), "with EFFECT = STICTION"


def _field(model: Any, e: Any) -> Unread:
    if e.function is not None:
        names = ("kmatrix", "cmatrix", "cratio", "force", "torque", "length", "formulation")
        yield names, "with FUNCTION, whose routine gives the force"
    elif e.cratio is not None:
        yield ("cmatrix",), "with CRATIO, which gives the damping as a share of the stiffness; give one of them"


def _beam(model: Any, e: Any) -> Unread:
    if e.formulation.upper() == "NONLINEAR":
        yield ("asy", "asz"), "on a beam of FORMULATION = NONLINEAR, which does not shear"
    if e.cratio is not None:
        yield ("cmatrix",), "with CRATIO, which gives the damping as a share of the stiffness; give one of them"


def _contact(model: Any, e: Any) -> Unread:
    friction = ("mu_static", "mu_dynamic", "stiction_transition_velocity", "friction_transition_velocity")
    if not e.friction_name:
        yield friction, "without COULOMB_FRICTION = ON: the contact has no friction"
    elif e.coulomb_friction.upper() == "DYNAMICS_ONLY":
        yield ("mu_static",), "with COULOMB_FRICTION = DYNAMICS_ONLY"


#: kind -> which fields do not count with the type, or with other arguments, of an element; a value other than the
#: default in one of them is a warning
DECIDED: dict[str, Callable[[Any, Any], Unread]] = {
    "SPRINGDAMPER": _spring,
    "JOINT": _joint,
    "MOTION": _motion,
    "FRICTION": _friction,
    "FIELD": _field,
    "BEAM": _beam,
    "CONTACT": _contact,
}

#: kind -> field that keeps, as text, arguments without a field of their own
KEPT = {"FRICTION": "extra", "GSE": "arguments", "SPLINE": "arguments", "MATERIAL": "arguments"}
#: arguments of MATERIAL that name it, and give no information else
NAMES = ("NAME",)

#: field -> its argument, where the names differ
ARGUMENTS = {
    "ic": "DISPLACEMENT_IC",
    "file_name": "NAME",
    "force_preload": "FRICTION_FORCE_PRELOAD",
    "torque_preload": "FRICTION_TORQUE_PRELOAD",
    "i_velocity_ic": "IVELOCITY_IC",
    "j_velocity_ic": "JVELOCITY_IC",
}

#: statements of preferences that set what the solver of Adams shows or how it works inside
PASSED_OVER = ("DEBUG", "LSOLVER", "ENVIRONMENT", "LIST", "LANGUAGE", "ADAMS_PLUGIN", "TIRE_SETTINGS", "PREFERENCES")
#: arguments of statements of preferences that count
USED = {"LSOLVER": ("AUTO", "CALAHAN", "HARWELL", "UMF")}
#: statement that is kept -> what it would give, and what to write instead
INSTEAD = {
    "FEMDATA": ": no file of loads or motions for finite elements is written; REQUEST and the results file have them",
    "MREQUEST": ": its outputs are not recorded; write a REQUEST for each",
}
MAX_NAMED = 3
_READ = re.compile(r"\b(VARVAL|CONTROL)\(\s*([^,)]*?)\s*[,)]")
_WORD = re.compile(r"[A-Z_]\w*")  # of capitals


def idle(model: Any) -> list[str]:
    """Arguments of active elements and of statements of preferences that change nothing, those of a kind together."""
    said: dict[tuple[str, str, str], list[tuple[str, str]]] = {}
    for kind in (*IDLE, *(k for k in KEPT if k not in IDLE)):
        for e in model.table(kind).values():
            if e.active:
                for name, value, why in _of(e):
                    said.setdefault((kind, name, why), []).append((e.label, value))
    out = []
    for (_, name, why), found in said.items():
        values = {value for _, value in found}
        more = f" and {len(found) - MAX_NAMED} more" if len(found) > MAX_NAMED else ""
        words = _argument(name, found[0][1]) if len(values) == 1 else name
        out.append(f"{', '.join(label for label, _ in found[:MAX_NAMED])}{more}: {words} {why}")
    out += _undecided(model)
    for e in model.table("GSE").values():
        if (
            e.active
            and not e.nd
            and (e.xd is not None or e.icd is not None or e.sample_period is not None or e.sample_offset)
        ):
            out.append(
                f"{e.label}: XD, ICD and its sampling have no influence, since it has no discrete states; give ND = "
                "their number"
            )
    out += _unread_controllers(model)
    strings = [e for e in model.table("BEAM").values() if e.active and e.formulation.upper() == "STRING"]
    if strings:
        more = f" and {len(strings) - 1} more" if len(strings) > 1 else ""
        out.append(
            f"{strings[0].label}{more}: the equations of FORMULATION = STRING are not published; it is computed as the "
            "linear beam with the stretch "
            "of its axis by bending (tension stiffens it, compression buckles it); NONLINEAR has no limit of deflection"
        )
    kept = [e for e in model.table("FOREIGN").values() if e.active and not e.needed]
    for statement in dict.fromkeys(e.statement for e in kept):
        labels = [e.label for e in kept if e.statement == statement]
        more = f" and {len(labels) - MAX_NAMED} more" if len(labels) > MAX_NAMED else ""
        out.append(
            f"{', '.join(labels[:MAX_NAMED])}{more}: {statement} is kept, but has no "
            f"influence{INSTEAD.get(statement, '')}"
        )
    for statement in PASSED_OVER:
        passed = [
            _argument(name, text)
            for name, text in model.preferences.get(statement, ())
            if not name.upper().startswith("CONTACT_GEOM") and name.upper() not in USED.get(statement, ())
        ]
        if passed:
            out.append(
                f"{statement}: {', '.join(passed)} {'have' if len(passed) > 1 else 'has'} no influence and "
                f"{'are' if len(passed) > 1 else 'is'} ignored"
            )
    return out + AdamsOutput.of(model.preferences).notes


#: types of control blocks that are there to act on a machine
ACTING = ("pid", "fuzzy", "neural", "dc_motor", "ac_motor", "induction_motor")


def _unread_controllers(model: Any) -> list[str]:
    """Controllers and motors whose outputs no other element reads.  Python functions may read any: no message then."""
    blocks = [e for e in model.table("CONTROL").values() if e.active and e.type in ACTING]
    if not blocks or model.routines:
        return []
    read: set[tuple[str, str]] = set()  # ("VARVAL", id or name of a VARIABLE), ("CONTROL", those of a block)
    own = {(e.id, v) for e in model.table("CONTROL").values() for v in e.outputs}
    for e in model:
        if e.active:
            found = set(_READ.findall(" ".join(_texts(e)).upper()))
            if e.KIND == "VARIABLE":
                found -= {("CONTROL", str(block)) for block, v in own if v == e.id}
            read |= found
    words = {
        e.id: set(_WORD.findall(" ".join(map(str, e.inputs)).upper()))
        for e in model.table("CONTROL").values()
        if e.active
    }
    out = []
    for e in blocks:
        outputs = [model.table("VARIABLE")[v] for v in e.outputs]
        named = [("CONTROL", e), *(("VARVAL", v) for v in outputs)]
        users = [u for v in outputs for u in model.users(v) if u.KIND != "CONTROL"]
        names = {n.upper() for n in (e.name, *(v.name for v in outputs)) if n}  # by which inputs of blocks read it
        wired = any(names & found for number, found in words.items() if number != e.id)
        if not users and not wired and not read & {(f, text) for f, v in named for text in (str(v.id), v.name.upper())}:
            out.append(
                f"{e.label}: nothing reads its output, so it acts on nothing; write VARVAL({e.name or e.outputs[0]}) "
                "in the function of a force or a motion"
            )
    return out


def _texts(e: Any) -> Iterator[str]:
    """All texts of an element, those in lists too."""
    for value in vars(e).values():
        for text in value if isinstance(value, tuple) else (value,):
            if isinstance(text, str):
                yield text


def _undecided(model: Any) -> list[str]:
    """Numbers that do not count with the types of their elements (`DECIDED`), elements with the same ones together."""
    said: dict[tuple[str, str], list[str]] = {}
    for kind, look in DECIDED.items():
        for e in model.table(kind).values():
            for names, why in look(model, e) if e.active else ():
                given = [text for text in (_given(e, name) for name in names) if text]
                if given:
                    words = ", ".join(given[:-1]) + (" and " if given[:-1] else "") + given[-1]
                    verb = "have" if given[1:] else "has"
                    said.setdefault((kind, f"{words} {verb} no influence {why}"), []).append(e.label)
    return [
        f"{', '.join(labels[:MAX_NAMED])}{f' and {len(labels) - MAX_NAMED} more' if labels[MAX_NAMED:] else ''}: {text}"
        for (_, text), labels in said.items()
    ]


def _given(e: Any, name: str) -> str:
    """``NAME = value`` of a field that has another value than its default; empty otherwise."""
    value = getattr(e, name)
    if value in (None, (), "", False) or value == next(f.default for f in dataclasses.fields(e) if f.name == name):
        return ""
    word = ARGUMENTS.get(name, name.upper())
    if isinstance(value, tuple):
        return word
    return _argument(word, "" if value is True else f"{value:g}" if isinstance(value, float) else str(value))


def _argument(name: str, text: str) -> str:
    return f"{name} = {text}" if text else name


def _of(e: Any) -> list[tuple[str, str, str]]:
    """Name of an argument, its value as text (empty for a flag), and what is to be reported of it."""
    out = []
    defaults = {f.name: f.default for f in dataclasses.fields(e)}
    for name, why in IDLE.get(e.KIND, {}).items():
        value = getattr(e, name)
        if e.KIND == "MARKER" and e.body_kind in ("FLEX_BODY", "FE_PART"):  # the body itself is reported
            continue
        if value not in (None, (), "", False) and value != defaults[name]:
            shown = (
                ", ".join(f"{v:g}" if isinstance(v, float) else str(v) for v in value)
                if isinstance(value, tuple)
                else str(value)
            )
            out.append((ARGUMENTS.get(name, name.upper()), "" if value is True else shown, f"has no influence: {why}"))
    for name, text in getattr(e, KEPT[e.KIND]) if e.KIND in KEPT else ():
        if not (e.KIND == "MATERIAL" and name.upper() in NAMES):
            out.append((name, text, "is kept, but has no influence"))
    return out


def settings_passed_over(model: Any) -> list[str]:
    """Arguments of INTEGRATOR, EQUILIBRIUM, KINEMATICS and IC that have no influence."""
    settings = (
        ("INTEGRATOR", model.integrator),
        ("EQUILIBRIUM", model.equilibrium),
        ("KINEMATICS", model.kinematics),
        ("IC", model.initial),
    )
    return [
        f"{word}: {_argument(name, text)} has no influence here and is ignored"
        for word, s in settings
        for name, text in s.extra
    ]


def not_computed(model: Any) -> list[str]:
    """Elements with an argument without which a run would be wrong."""
    out = []
    for e in model.table("GSE").values():
        if e.active and e.implicit:
            out.append(f"{e.label}: IMPLICIT state equations are not computed in this version")
    return out
