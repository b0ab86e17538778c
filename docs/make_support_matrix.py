"""Writes docs/support-matrix.md: ``python docs/make_support_matrix.py``.

What is read comes from the reader's tables and what functions exist from the expression compiler; this file adds only
what runs.  A statement, joint or function silently here is an error, so the page cannot go stale
(tests/test_docs.py).
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

from holonom.analyses.derivatives.supported import gradients
from holonom.elements.joints import JOINTS as COMPOSED
from holonom.elements.kinds import FORCES
from holonom.expressions import CONSTANTS, FUNCTIONS, MEASURES, NOT_COMPUTED
from holonom.formats.adams import grammar
from holonom.formats.adams.script import _WORDS
from holonom.model.base import ELEMENT_TYPES
from holonom.model.joint_facts import having
from holonom.model.joints import JOINT_TYPES, PRIMITIVE_TYPES

YES, PART, NO, KEPT = "yes", "in part", "no", "-"

#: statement -> (runs, notes)
STATEMENTS = {
    "PART": (YES, "rigid; centre-of-mass and inertia markers, initial velocities, EXACT (of angles all three or none)"),
    "POINT_MASS": (YES, "three coordinates, no tiny inertia"),
    "MARKER": (
        YES,
        "floating markers as in Adams, also in DX, DY, DZ and DM; on flexible bodies by NODE_ID",
    ),
    "JOINT": (YES, "all types, see below; initial conditions ICTRAN, ICROT"),
    "JPRIM": (YES, "all types, see below"),
    "COUPLER": (PART, "two or three joints by SCALES; not by user routine"),
    "GEAR": (YES, "revolute, translational, cylindrical joints with a common-velocity marker"),
    "PTCV": (YES, "curves by MATRIX; reaction normal to the curve"),
    "CVCV": (YES, "curves by MATRIX"),
    "GCON": (
        YES,
        "positions, velocities, states (DIF, ARYVAL) whose rates depend on neither forces nor accelerations, and time; "
        "not of forces or accelerations, as Adams promises a solution of Pfaffian forms only: the reaction acts along "
        "the derivatives by positions or velocities, and a function of forces has none; its reaction by GCON(id, "
        "jflag, comp, rm) as that of joints",
    ),
    "UCON": (YES, "Python function; its reaction, on the first marker that it measures, by UCON(id, jflag, comp, rm)"),
    "MOTION": (YES, "on joints and between markers; displacement, velocity, acceleration"),
    "FRICTION": (
        PART,
        "the joint types of the table of joints; others are refused by name; FORMULATION = ORIGINAL (creep by a "
        "custom bristle model) and LUGRE",
    ),
    "SFORCE": (YES, "expression or Python function; AUTOBALANCE is refused"),
    "VFORCE": (YES, "expression or Python function; FXYZ is refused"),
    "VTORQUE": (YES, "expression or Python function; TXYZ is refused"),
    "GFORCE": (YES, "expression or Python function; FXYZ and TXYZ are refused"),
    "SPRINGDAMPER": (YES, "translational and rotational"),
    "BUSHING": (YES, ""),
    "FIELD": (YES, "linear with CMATRIX or CRATIO, or Python function"),
    "BEAM": (
        PART,
        "FORMULATION=LINEAR (Timoshenko) and NONLINEAR (Euler-Bernoulli, any rotations; in dynamics: static analyses "
        "often end with an error) "
        "with CRATIO or CMATRIX; STRING as the linear beam with the stretch of its axis by bending (Adams' equations "
        "are not published)",
    ),
    "CONTACT": (
        PART,
        "IMPACT, POISSON and additional laws, Coulomb friction; see contact.md; not by user routine, not on flexible "
        "bodies",
    ),
    "VARIABLE": (YES, "algebraic loops are solved; AUTOBALANCE is refused"),
    "DIFF": (YES, "explicit and IMPLICIT"),
    "ARRAY": (YES, "IC, X, U, Y"),
    "LSE": (YES, ""),
    "TFSISO": (YES, "controllable canonical form"),
    "GSE": (
        YES,
        "continuous and sampled states (ND, SAMPLE_PERIOD, SAMPLE_OFFSET); Python functions; 16 states and outputs "
        "at most",
    ),
    "SPLINE": (
        YES,
        "one and two variables, X/Y/Z in the dataset; FILE next to it: RPC III time histories by CHANNEL (first point "
        "at time zero, the last value "
        "is kept unless LINEAR_EXTRAPOLATE), tables of text by BLOCK and CHANNEL (the column after x); not DAC, not "
        "by SPLINE_READ routine",
    ),
    "CURVE": (YES, "through or controlled by MATRIX points, open or closed, or Python function"),
    "MATRIX": (
        YES,
        "FULL and SPARSE; FILE next to the dataset: ADAMSMAT, ADAMSMAT2 and the FSAVE layout of MATRIXx, by NAME; not "
        "MATSAVE",
    ),
    "STRING": (YES, "kept for routines"),
    "PINPUT": (YES, "inputs of linear analyses, and of simulations that are stepped; PINVAL reads it"),
    "POUTPUT": (YES, "outputs of linear analyses; POUVAL reads it"),
    "PSTATE": (YES, "coordinates of linear analyses"),
    "SENSOR": (
        YES,
        "HALT, RETURN, PRINT, DT, STEPSIZE, EVALUATE; located where the function reaches the value, in dynamic, "
        "kinematic and quasi-static analyses",
    ),
    "REQUEST": (YES, "standard types, F1..F8, Python function by FUNCTION=USER"),
    "GRAPHICS": (YES, "drawn in reports and animations; shapes of contacts"),
    "MATERIAL": (PART, "for contacts whose law takes materials; masses of parts are not computed from it"),
    "FLEX_BODY": (
        PART,
        "with modes in an HDF5 file of Holonom (from matrices of Nastran, Abaqus, Ansys); MNF, a closed format, is not "
        "read, only kept; not nonlinear, CRATIO not "
        "of time; see flexible.md",
    ),
    "FE_PART": (NO, "read and kept"),
    "NFORCE": (YES, "any number of markers, exact derivatives; a compliance matrix from Python"),
    "MFORCE": (PART, "load cases by CASE_INDEX and SCALE, reaction on JFLOAT; not by user routine; see flexible.md"),
    "UNITS": (YES, "every unit name of Adams; UCONSF"),
    "ACCGRAV": (YES, ""),
    "INTEGRATOR": (YES, "all of Adams and further ones, see integrators below; unknown names are an error"),
    "EQUILIBRIUM": (YES, "see analyses"),
    "KINEMATICS": (YES, ""),
    "IC": (PART, "ERROR, VERROR, AERROR, MAXIT, AMAXIT have no effect, which is reported"),
}

#: joint -> (equations, friction); one equation more where it depends on the joint's data
JOINTS = {
    name: (len(COMPOSED[name].equations) + (COMPOSED[name].setup is not None), name in having("friction"))
    for name in (*JOINT_TYPES, *PRIMITIVE_TYPES)
}

#: elements that datasets have no statement for -> (where they stay, notes)
OWN = {
    "SWITCH": (
        "JSON; a dataset refuses it",
        "stops, latches, locks, clutches, joints that break, custom states; see switching.md",
    ),
    "SLIDING_MASS": (
        "JSON; a dataset refuses it",
        "mass on a line in a part, one coordinate; joints, forces and contacts act on it; not in rigid contact; see "
        "models.md",
    ),
    "FLEXIBILITY": (
        "JSON; FLEX_BODY and an HDF5 file next to the dataset",
        "modes of a part in a floating frame, or KED; not in rigid contact; see flexible.md",
    ),
    "ATTACHMENT": (
        "JSON; NODE_ID of markers in a dataset",
        "node of a flexible part; joints, forces and contacts act on it; see flexible.md",
    ),
    "ABSOLUTE_MESH": (
        "JSON; a dataset refuses it",
        "cable, beam or plate of elements in absolute nodal coordinates, large displacements and deformations; see "
        "cables.md and absolute-elements.md",
    ),
    "MESH_POINT": (
        "JSON; a dataset refuses it",
        "point of such a mesh; joints, forces and contacts act on it; see cables.md",
    ),
    "ROD": (
        "JSON; a dataset refuses it",
        "the parts and exact beams that form a rod, for its results and pictures; see rods.md",
    ),
    "RAIL_TRACK": (
        "JSON; a dataset refuses it",
        "line of a track with curves, cant and irregularities, for wheels on rails; see rail.md",
    ),
    "ROAD": (
        "JSON; a dataset refuses it",
        "heights, friction and belts for tyres: shapes, profiles, meshes, grids; OpenCRG and road files of Adams; see "
        "roads.md",
    ),
    "GRAINS": (
        "JSON; a dataset refuses it",
        "bodies in bulk: spheres and other shapes, with contacts to parts; see grains.md",
    ),
    "FEEDER": ("JSON; a dataset refuses it", "creates grains during a run"),
    "SINK": ("JSON; a dataset refuses it", "removes grains and counts them"),
    "CONTROL": ("JSON; a dataset refuses it", "blocks of controllers, continuous or sampled; see control.md"),
    "FMU": (
        "JSON; a dataset refuses it",
        "FMU 2.0 or 3.0: co-simulation next to the model, model exchange within its integrator; see fmi.md",
    ),
    "model.rigid": (
        "JSON; a comment of the dataset",
        "rigid contact for all analyses; `--contact`, `--restitution` of the command line",
    ),
    "CONTACT": (
        "a comment before the statement",
        "fields that Adams does not have: laws, friction models, impact law, resistance to rolling",
    ),
}

OWN |= {
    k: ("JSON; a dataset refuses it", kind.element.__doc__.split(": ", 1)[1].split("\n")[0])
    for k, kind in FORCES.items()
    if not kind.statement and k not in STATEMENTS
}

#: statements and settings that are no element of their own -> their derivatives of runs (`hn.gradient`)
GRADIENTS = {
    "ACCGRAV": YES,
    "FLEX_BODY": f"with its modes {gradients('FLEXIBILITY')}",
    "EQUILIBRIUM": YES,
    "KINEMATICS": "in part: without states",
    "INTEGRATOR": "see integrators",
    "model.rigid": "in part: impacts without friction, one at a time",
}


def derivatives(name: str) -> str:
    """What `gradient` does with a statement, element or setting: from the list by which it refuses kinds."""
    return GRADIENTS.get(name) or (gradients(name) if name in ELEMENT_TYPES else KEPT)


#: measures that parse but are not computed yet
NOT_YET = set(NOT_COMPUTED)

ANALYSES = (
    ("assembly of positions, velocities, accelerations", "yes", 'constrained minimum; exact flags; `kind="initial"`'),
    ("redundant constraints", "yes", "found by rank, named, re-evaluated during the run"),
    ("kinematics", "yes", "zero degrees of freedom; chosen automatically"),
    ("dynamics", "yes", "see integrators"),
    (
        "dynamics with rigid contact",
        "yes",
        'contact="events" or "time-stepping"; see rigid-contact.md; not of flexible bodies',
    ),
    (
        "dynamics with SWITCHes",
        "yes",
        "with contact of any treatment; not with the dedicated solver of grains; see switching.md",
    ),
    (
        "dynamics of grains",
        "yes",
        "the dedicated solver where possible (spheres, explicit), otherwise the general equations; see grains.md",
    ),
    (
        "statics, quasi-statics",
        "yes" if find_spec("holonom.analyses.statics.equilibrium") else "no",
        "Newton with damping, dynamic relaxation, arc length; names unconstrained parts",
    ),
    (
        "statics with rigid contact",
        "yes",
        "gaps, normal forces and friction cones; motions must be at rest; see rigid-contact.md",
    ),
    (
        "scripts (.acf)",
        "yes",
        "simulate, settings, activate, redefine, sensors; CONTROL, SYSTEM and FILE/COMMAND are reported and ignored",
    ),
    ("linearisation (LINEAR/...)", "yes", "EIGENSOL, STATEMAT, MKB; see linear.md; EXPORT is reported and ignored"),
)


def _table(head, rows) -> list[str]:
    return [
        "| " + " | ".join(head) + " |",
        "|" + "---|" * len(head),
        *("| " + " | ".join(map(str, r)) + " |" for r in rows),
        "",
    ]


def _checked(names, words: dict, what: str) -> None:
    names = set(names)
    if missing := names - set(words):
        raise SystemExit(
            f"docs/make_support_matrix.py gives no information about the {what} {', '.join(sorted(missing))}"
        )
    if gone := set(words) - names:
        raise SystemExit(
            f"docs/make_support_matrix.py speaks of the {what} {', '.join(sorted(gone))}, which do not exist"
        )


def view_commands() -> list[str]:
    """Commands of Adams View that have a handler."""
    from holonom.formats.adams.view_cmd import _Reader

    return list(_Reader("", True).command_handlers())


def page() -> str:
    """The page as text."""
    from holonom.analyses.derivatives.gradient import METHODS as ADJOINTS
    from holonom.integrators import INTEGRATORS
    from holonom.integrators.selection import METHODS

    _checked(grammar.STATEMENTS, STATEMENTS, "statements")
    if gone := NOT_YET - set(MEASURES):
        raise SystemExit(f"measures that do not exist: {gone}")
    out = [
        "# Support matrix",
        "",
        "<!-- Written by docs/make_support_matrix.py from the tables of the reader; a test compares. -->",
        "",
    ]
    out += [
        "## Statements of a dataset (.adm)",
        "",
        'Each is read, validated, and written back. "In part": the note states which part. Gradients: derivatives of '
        "runs by `hn.gradient` and `hn.sensitivities`; what has none is refused by its name, see "
        "[derivatives](derivatives.md#what-has-derivatives).",
        "",
    ]
    out += _table(
        ("statement", "runs", "gradients", "notes"),
        ((f"`{k}`", STATEMENTS[k][0], derivatives(k), STATEMENTS[k][1]) for k in grammar.STATEMENTS),
    )
    out += [
        "Kept verbatim and written back, not interpreted; those marked * prevent a run (or are left "
        "out with "
        "`--missing zero`):",
        "",
        ", ".join(f"`{k}`" + ("*" if needed else "") for k, needed in grammar.FOREIGN.items()) + ".",
        "",
        "`RESULTS` and `OUTPUT` request files, see [results](results.md). Preferences without influence on results, "
        "which are reported: "
        + ", ".join(f"`{k}`" for k in grammar.PREFERENCES if k not in ("RESULTS", "OUTPUT", "LSOLVER"))
        + ". `LSOLVER` chooses how the [linear equations](integrators.md#linear-solvers) are solved.",
        "",
        "An argument that is read but has no effect causes a warning of `holonom check` and of the run "
        "(`model/idle.py` has the table).",
        "",
        "Any other keyword is an error with file and line, or a warning with `--lenient`.",
        "",
    ]
    _checked(
        [k for k in ELEMENT_TYPES if k not in grammar.STATEMENTS and k != "FOREIGN"],
        {k: 1 for k in OWN if k in ELEMENT_TYPES and k != "CONTACT"},
        "elements",
    )
    out += ["## Elements and settings beyond Adams", ""]
    out += _table(
        ("element", "kept in", "gradients", "notes"),
        ((f"`{k}`", kept, derivatives(k), words) for k, (kept, words) in OWN.items()),
    )
    out += ["## Joints and primitives", ""]
    out += _table(
        ("type", "equations", "runs", "friction"),
        ((f"`{k}`", n, YES, YES if f else NO) for k, (n, f) in JOINTS.items()),
    )
    out += [
        "## Functions",
        "",
        "All run in compiled code with exact derivatives: " + ", ".join(f"`{f}`" for f in sorted(FUNCTIONS)) + ".",
        "",
        "Also `IF(x: a, b, c)`, numbers with D for degrees, and the constants "
        + ", ".join(f"`{c}`" for c in sorted(CONSTANTS))
        + ".",
        "",
        "Measures (request shorthands included): " + ", ".join(f"`{m}`" for m in sorted(MEASURES - NOT_YET)) + ".",
        "",
        "`INVPSD` is a sum of sines whose r.m.s. value is that of the density; the phases follow from the seed, but "
        "are not those of Adams, "
        "whose generator is not published.",
        "",
        "Only in `CRATIO` of a `FLEX_BODY`, which they describe mode by mode: "
        + ", ".join(f"`{m}`" for m in sorted(NOT_YET))
        + ".",
        "",
    ]
    out += ["## Analyses", ""] + _table(("analysis", "runs", "notes"), ANALYSES)
    out += ["## Integrators", ""] + _table(
        ("name", "method", "formulations", "gradients"),
        (
            (k, m.words, ", ".join(m.formulations), YES if k in ADJOINTS else NO)
            for k, m in METHODS.items()
            if k in INTEGRATORS
        ),
    )
    commands = [
        w for w in _WORDS if w not in grammar.STATEMENTS and w not in grammar.FOREIGN and w not in grammar.PREFERENCES
    ]
    out += [
        "## Commands of a script (.acf)",
        "",
        "Read: "
        + ", ".join(f"`{w}`" for w in commands)
        + ", and every statement above given again to redefine it. `SAVE` and "
        "`RELOAD` write and read a state file in Holonom's format (SYSTEM or STATES, FILE or BUFFER).",
        "",
    ]
    out += [
        "## Commands of Adams View (.cmd)",
        "",
        "Each is read with the parameters that the command reference gives; a parameter that is not read is reported. "
        "Commands with the same leading words "
        "are listed by their last word.",
        "",
    ]
    families: dict[str, list[str]] = {}
    for words in sorted(view_commands()):
        head, _, last = words.rpartition(" ")
        families.setdefault(head, []).append(last)
    out += _table(("command", "last word"), ((f"`{k}`", ", ".join(f"`{w}`" for w in v)) for k, v in families.items()))
    out += ["## Other formats", ""]
    out += _table(
        ("format", "read", "written", "notes"),
        (
            ("Adams dataset `.adm`", YES, YES, "reads back to the same model"),
            ("Adams script `.acf`", YES, YES, ""),
            (
                "Adams View `.cmd`",
                YES,
                NO,
                "commands above; masses from density and solids, expressions that follow variables; no solids of "
                "CAD files",
            ),
            ("Holonom `.json`", YES, YES, "complete"),
            ("reduced bodies `.h5`", YES, YES, "modes of a flexible part; see flexible.md"),
            (
                "finite elements: Abaqus `.inp`, `.mtx`, Nastran `.bdf`, `.pch`, `.op4`, Ansys `.mmf`",
                YES,
                NO,
                "meshes, matrices, superelements; see flexible.md",
            ),
            ("results `.h5`", YES, YES, "see results.md"),
            ("Adams results `.res` (XRF)", YES, YES, "see results.md"),
            ("Adams requests `.req`", YES, YES, "see results.md"),
            ("tables `.csv`, `.tab`, `.out`, messages `.msg`", NO, YES, "see results.md"),
        ),
    )
    return "\n".join(out).rstrip() + "\n"


if __name__ == "__main__":
    target = Path(__file__).with_name("support-matrix.md")
    target.write_text(page(), encoding="utf-8")
    sys.stdout.write(f"{target}\n")
