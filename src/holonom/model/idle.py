"""What a model says that changes nothing in a run: arguments that are read and kept, one sentence with the reason for
each.

Settings of the analyses tell theirs when an analysis begins (`Simulation.pass_over`); `settings_passed_over` tells them
without a run.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from .adams_output import AdamsOutput
from .joints import LUGRE

_SENSOR_DUMP = "it asks Adams for a dump of its solver"
_PLACE = "the place on the curve is where the marker is"
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

#: kind -> field that keeps, as text, arguments without a field of their own
KEPT = {"FRICTION": "extra", "GSE": "arguments", "SPLINE": "arguments", "MATERIAL": "arguments"}
#: arguments of MATERIAL that name it, and say nothing else
NAMES = ("NAME",)

#: field -> its argument, where the names differ
ARGUMENTS = {
    "ic": "DISPLACEMENT_IC",
    "file_name": "NAME",
    "i_velocity_ic": "IVELOCITY_IC",
    "j_velocity_ic": "JVELOCITY_IC",
}

#: statements of preferences that set what the solver of Adams shows or how it works inside
PASSED_OVER = ("DEBUG", "LSOLVER", "ENVIRONMENT", "LIST", "LANGUAGE", "ADAMS_PLUGIN", "TIRE_SETTINGS", "PREFERENCES")
#: statement of preferences -> why it has no influence
REASONS = {
    "LSOLVER": ": all linear equations are solved in one way here, by a sparse factorisation that pivots by size"
}
#: statement that is kept -> what it would give, and what to write instead
INSTEAD = {
    "FEMDATA": ": no file of loads or motions for finite elements is written; REQUEST and the results file have them",
    "MREQUEST": ": its outputs are not recorded; write a REQUEST for each",
}
MAX_NAMED = 3


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
    for e in model.table("BEAM").values():
        if e.active and e.formulation.upper() == "NONLINEAR" and (e.asy or e.asz):
            out.append(
                f"{e.label}: ASY and ASZ have no influence on a beam of FORMULATION = NONLINEAR, which does not shear"
            )
    for e in model.table("FRICTION").values():
        given = [n for n in LUGRE if getattr(e, n) != getattr(type(e), n)]
        if e.active and given and e.formulation.upper() != "LUGRE":
            out.append(
                f"{e.label}: {', '.join(n.upper() for n in given)} {'have' if len(given) > 1 else 'has'} no influence "
                "without FORMULATION = LUGRE"
            )
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
            if not name.upper().startswith("CONTACT_GEOM")
        ]
        if passed:
            out.append(
                f"{statement}: {', '.join(passed)} {'have' if len(passed) > 1 else 'has'} no influence and "
                f"{'were' if len(passed) > 1 else 'was'} passed over" + REASONS.get(statement, "")
            )
    return out + AdamsOutput.of(model.preferences).notes


def _argument(name: str, text: str) -> str:
    return f"{name} = {text}" if text else name


def _of(e: Any) -> list[tuple[str, str, str]]:
    """Name of an argument, its value as text (empty for a flag), and what is to be said of it."""
    out = []
    defaults = {f.name: f.default for f in dataclasses.fields(e)}
    for name, why in IDLE.get(e.KIND, {}).items():
        value = getattr(e, name)
        if e.KIND == "MARKER" and e.body_kind in ("FLEX_BODY", "FE_PART"):  # the body itself is told
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
        f"{word}: {_argument(name, text)} has no influence here and was passed over"
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
