"""The statements of an Adams dataset: for each keyword its arguments and the fields they fill.

Source: Adams Solver manual, one page per statement (JOINT statement, FIELD statement, ...).  Reader and writer
both work from these tables, so what is read is what is written.  `finish` turns values as written into fields
of the element, `spread` turns fields into values as written; statements without them have fields named like
their arguments.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ...elements.kinds import FORCES
from ...integrators.methods import METHODS
from ...model import bodies, forces, joints, outputs, states
from ...model.base import Element
from ...model.settings import FORCE, LENGTH, MASS, TIME
from ...model.shape_kinds import readers
from .arguments import Arg, ArgumentError, Flag, Grammar, suggestion

Values = dict[str, Any]


@dataclass
class Statement:
    """Grammar of one keyword, and the element class (or the settings attribute of the model) that it fills."""

    keyword: str
    grammar: Grammar
    element: type[Element] | None = None
    settings: str = ""
    finish: Callable[[Values, bool], None] | None = None  # (values, partial): change in place, raise ArgumentError
    spread: Callable[[Any, Values], None] | None = None  # (element, values to be written by field)
    extra: str = ""  # field that keeps other arguments as text
    required: tuple[str, ...] = ()
    own: tuple[str, ...] = ()  # fields of ours that Adams does not know: kept in a comment before the statement


STATEMENTS: dict[str, Statement] = {}


def _add(
    keyword: str, cls: type[Element] | None, *items: Arg | Flag, short: dict[str, str] | None = None, **more: Any
) -> None:
    grammar = Grammar(tuple(items), short or {}, generic=bool(more.get("extra")) and not more.get("settings"))
    STATEMENTS[keyword] = Statement(keyword, grammar, cls, **more)


def ids(*names: str, **more: Any) -> list[Arg]:
    return [Arg(n, "id", **more) for n in names]


def reals(*names: str) -> list[Arg]:
    return [Arg(n, "real") for n in names]


def expression(name: str = "FUNCTION", **more: Any) -> Arg:
    return Arg(name, "expr", **more)


ROUTINE = Arg("ROUTINE", "strings")
THREE = (3,)


def _routine(values: Values) -> None:
    """ROUTINE may name several routines: kept as one text, comma separated."""
    if "routine" in values:
        values["routine"] = ", ".join(values["routine"])


def _join_routine(values: Values, partial: bool) -> None:
    _routine(values)


def _split_routine(element: Any, values: Values) -> None:
    if values.get("routine"):
        values["routine"] = tuple(p.strip() for p in values["routine"].split(",") if p.strip())


def _default_routine(more: dict[str, Any]) -> dict[str, Any]:
    more.setdefault("finish", _join_routine)
    more.setdefault("spread", _split_routine)
    return more


# ---- bodies and markers --------------------------------------------------------------------------
_PLACE = (
    Arg("QG", "reals", counts=THREE),
    Arg("REULER", "reals", counts=THREE),
    Arg("ZG", "reals", counts=THREE),
    Arg("XG", "reals", counts=THREE),
)


def _exact(values: Values, partial: bool) -> None:
    if len(set(values.get("exact", ()))) != len(values.get("exact", ())):
        raise ArgumentError("EXACT names a coordinate twice; name each once")


_add(
    "PART",
    bodies.Part,
    Flag("GROUND"),
    *_PLACE,
    Arg("MASS", "real"),
    *ids("CM", "IM"),
    Arg("IP", "reals", counts=(3, 6)),
    Arg("MATERIAL", "id"),
    Arg("EXACT", "words", choices=bodies.EXACT),
    *reals("VX", "VY", "VZ", "WX", "WY", "WZ"),
    *ids("VM", "WM"),
    finish=_exact,
    own=("solid_file", "assembly_weight"),
)
_add(
    "POINT_MASS",
    bodies.PointMass,
    *_PLACE,
    Arg("MASS", "real"),
    Arg("CM", "id"),
    Arg("EXACT", "words", choices=("X", "Y", "Z")),
    *reals("VX", "VY", "VZ"),
    Arg("VM", "id"),
    finish=_exact,
    own=("assembly_weight",),
)

_BODY_KINDS = ("PART", "POINT_MASS", "FLEX_BODY", "FE_PART")


def _marker(values: Values, partial: bool) -> None:
    given = [k for k in _BODY_KINDS if k.lower() in values]
    if len(given) > 1:
        raise ArgumentError(f"{' and '.join(given)} are both given; a marker belongs to one body")
    if given:
        values["body_kind"] = given[0]
        values["part"] = values.pop(given[0].lower())
    elif not partial:
        raise ArgumentError("it belongs to no body; add PART = id")


def _marker_out(marker: bodies.Marker, values: Values) -> None:
    values.pop("part", None)
    values[marker.body_kind.lower()] = marker.part


_add(
    "MARKER",
    bodies.Marker,
    *ids(*_BODY_KINDS, always=True),
    Flag("FLOATING"),
    Arg("NODE_ID", "int"),
    Arg("NODE_LABEL", "int"),
    Arg("CURVE", "id"),
    Arg("QP", "reals", counts=THREE),
    Arg("REULER", "reals", counts=THREE),
    Arg("ZP", "reals", counts=THREE),
    Arg("XP", "reals", counts=THREE),
    Flag("USEXP"),
    finish=_marker,
    spread=_marker_out,
)

# ---- constraints ---------------------------------------------------------------------------------


def _joint(values: Values, partial: bool) -> None:
    pair = values.pop("ic", None)
    if pair is not None:
        kind = values.get("type")
        if kind not in ("REVOLUTE", "TRANSLATIONAL"):
            raise ArgumentError("IC is for REVOLUTE and TRANSLATIONAL joints; use ICTRAN or ICROT")
        values["icrot" if kind == "REVOLUTE" else "ictran"] = pair


_add(
    "JOINT",
    joints.Joint,
    *(Flag(t, "type", t, always=True) for t in joints.JOINT_TYPES),
    *ids("I", "J", always=True),
    Arg("PITCH", "real"),
    Arg("PD", "real"),
    Arg("IC", "pair", counts=(1, 2)),
    Arg("ICTRAN", "pair", counts=(1, 2)),
    Arg("ICROT", "pair", counts=(1, 2)),
    finish=_joint,
    required=("type", "i", "j"),
    own=("armature",),
)
_add(
    "JPRIM",
    joints.Primitive,
    *(Flag(t, "type", t, always=True) for t in joints.PRIMITIVE_TYPES),
    *ids("I", "J", always=True),
    required=("type", "i", "j"),
)


def _coupler(values: Values, partial: bool) -> None:
    _routine(values)
    if "types" in values:
        for word in values["types"]:
            if word[:1].upper() not in ("T", "R"):
                raise ArgumentError(f"TYPE: '{word}' is neither T nor R")
        values["types"] = tuple(w[0].upper() for w in values["types"])
    if "scales" in values and "joints" in values and len(values["scales"]) == len(values["joints"]) - 1:
        values["scales"] = (1.0, *values["scales"])


_add(
    "COUPLER",
    joints.Coupler,
    Arg("JOINTS", "ids", counts=(2, 3), always=True),
    Arg("TYPE", "words", "types", counts=(2, 3)),
    Arg("SCALES", "reals", counts=(1, 2, 3)),
    expression(),
    ROUTINE,
    finish=_coupler,
    spread=_split_routine,
    required=("joints",),
)
_add(
    "GEAR",
    joints.Gear,
    Arg("JOINTS", "ids", counts=(2,), always=True),
    Arg("CV", "id", always=True),
    required=("joints", "cv"),
)
_add(
    "PTCV",
    joints.PointCurve,
    *ids("I", always=True),
    *ids("JFLOAT"),
    *ids("RM", "CURVE", always=True),
    Arg("DISP", "reals", "ic", counts=THREE, aliases=("DISPLACEMENT_IC",)),
    Arg("VEL", "real", "velocity_ic", aliases=("VELOCITY_IC",)),
    Arg("ICM", "id"),
    required=("i", "rm", "curve"),
)
_add(
    "CVCV",
    joints.CurveCurve,
    *ids("IFLOAT", "JFLOAT"),
    *ids("IRM", "JRM", "ICURVE", "JCURVE", always=True),
    Arg("IDISP", "reals", "i_ic", counts=THREE, aliases=("IDISPLACEMENT_IC",)),
    Arg("JDISP", "reals", "j_ic", counts=THREE, aliases=("JDISPLACEMENT_IC",)),
    Arg("IVEL", "real", "i_velocity_ic", aliases=("IVELOCITY_IC",)),
    Arg("JVEL", "real", "j_velocity_ic", aliases=("JVELOCITY_IC",)),
    *ids("IICM", "JICM"),
    required=("irm", "jrm", "icurve", "jcurve"),
)
_add(
    "GCON",
    joints.GeneralConstraint,
    Arg("I", "id"),
    expression(always=True),
    ROUTINE,
    required=("function",),
    **_default_routine({}),
)
_add("UCON", joints.UserConstraint, expression(always=True), ROUTINE, required=("function",), **_default_routine({}))

_COMPONENTS = ("X", "Y", "Z", "B1", "B2", "B3")


def _motion(values: Values, partial: bool) -> None:
    _routine(values)
    component = values.get("component")
    if component and "kind" not in values:
        values["kind"] = "TRANSLATIONAL" if component in "XYZ" else "ROTATIONAL"
    elif component and values["kind"] != ("TRANSLATIONAL" if component in "XYZ" else "ROTATIONAL"):
        raise ArgumentError(f"{values['kind']} and {component} exclude each other; remove one")
    if partial:
        return
    if "joint" in values and ("i" in values or "j" in values):
        raise ArgumentError("JOINT and I, J are both given; use one of them")
    if "joint" not in values and not ("i" in values and "j" in values and component):
        raise ArgumentError("it moves nothing; give JOINT = id, or I, J and one of X Y Z B1 B2 B3")


def _motion_out(motion: joints.Motion, values: Values) -> None:
    _split_routine(motion, values)
    if motion.component:
        values.pop("kind", None)


_add(
    "MOTION",
    joints.Motion,
    Arg("JOINT", "id"),
    Arg("I", "id"),
    Arg("J", "id"),
    Flag("ROTATIONAL", "kind", "ROTATIONAL", always=True),
    Flag("TRANSLATIONAL", "kind", "TRANSLATIONAL", always=True),
    *(Flag(c, "component", c) for c in _COMPONENTS),
    Flag("DISPLACEMENT", "level", "DISPLACEMENT"),
    Flag("VELOCITY", "level", "VELOCITY"),
    Flag("ACCELERATION", "level", "ACCELERATION"),
    *reals("ICDISP", "ICVEL"),
    expression(always=True),
    ROUTINE,
    finish=_motion,
    spread=_motion_out,
)

_INPUTS = ("PRELOAD", "REACTION_FORCE", "BENDING_MOMENT", "TORSIONAL_MOMENT")


#: parameters of the LuGre formulation of FRICTION
LUGRE = tuple(name.upper() for name in joints.LUGRE)


def _friction(values: Values, partial: bool) -> None:
    words = values.get("inputs")
    if words is not None:
        values["inputs"] = _INPUTS if "ALL" in words else () if "NONE" in words else words
    effect = values.get("effect")
    if effect is not None:
        values["effect"] = "ALL" if "ALL" in effect or len(set(effect)) == 2 else effect[0]


def _friction_out(friction: joints.Friction, values: Values) -> None:
    if "inputs" in values:
        values["inputs"] = friction.inputs or ("NONE",)
    if "effect" in values:
        values["effect"] = (friction.effect,)


_add(
    "FRICTION",
    joints.Friction,
    Arg("JOINT", "id", always=True),
    *reals(
        "MU_STATIC",
        "MU_DYNAMIC",
        "STICTION_TRANSITION_VELOCITY",
        "TRANSITION_VELOCITY_COEFFICIENT",
        "MAX_STICTION_DEFORMATION",
        "PIN_RADIUS",
        "FRICTION_ARM",
        "BENDING_REACTION_ARM",
        "BALL_RADIUS",
        "REACTION_ARM",
        "INITIAL_OVERLAP",
    ),
    Arg("OVERLAP_DELTA", "word", choices=("INCREASE", "DECREASE", "CONSTANT")),
    Arg("FRICTION_FORCE_PRELOAD", "real", "force_preload"),
    Arg("FRICTION_TORQUE_PRELOAD", "real", "torque_preload"),
    *reals("MAX_FRICTION_FORCE", "MAX_FRICTION_TORQUE"),
    Arg("EFFECT", "words", choices=("ALL", "STICTION", "SLIDING")),
    Arg("INPUTS", "words", choices=("ALL", "NONE", *_INPUTS)),
    Arg("SMOOTH", "real"),
    Arg(
        "INACTIVE", "word", choices=("STATIC",), aliases=("INACTIVE_DURING",)
    ),  # as the solver, and as Adams View writes it
    Flag("I_YOKE"),
    Flag("J_YOKE"),
    Arg("YOKE", "word", choices=("I_YOKE", "J_YOKE")),
    Arg("FORMULATION", "word", choices=("ORIGINAL", "LUGRE")),
    *reals(*LUGRE),
    extra="extra",
    finish=_friction,
    spread=_friction_out,
    required=("joint",),
)

# ---- forces --------------------------------------------------------------------------------------
_KINDS = (
    Flag("TRANSLATIONAL", "kind", "TRANSLATIONAL", always=True),
    Flag("ROTATIONAL", "kind", "ROTATIONAL", always=True),
)
_add(
    "SFORCE",
    forces.SForce,
    *_KINDS,
    *ids("I", "J", always=True),
    Flag("ACTIONONLY"),
    expression(always=True),
    ROUTINE,
    required=("i", "j"),
    **_default_routine({}),
)


def _vector(keyword: str, cls: type[Element], *names: str) -> None:
    def spread(element: Any, values: Values) -> None:
        _split_routine(element, values)
        if element.function:  # USER: the components do not count
            for name in names:
                values.pop(name.lower(), None)

    def finish(values: Values, partial: bool) -> None:
        _routine(values)
        text = values.get("function")
        if text is None or partial:
            return
        if not text.upper().lstrip().startswith("USER"):
            raise ArgumentError(f"FUNCTION takes USER(...) here; give {', '.join(names)}")
        both = [n for n in names if n.lower() in values]
        if both:
            raise ArgumentError(f"{both[0]} and FUNCTION exclude each other; remove one")

    _add(
        keyword,
        cls,
        Arg("I", "id", always=True),
        *ids("JFLOAT", "RM"),
        *(expression(n, always=True) for n in names),
        expression(),
        ROUTINE,
        required=("i",),
        finish=finish,
        spread=spread,
    )


_vector("VFORCE", forces.VForce, "FX", "FY", "FZ")
_vector("VTORQUE", forces.VTorque, "TX", "TY", "TZ")
_vector("GFORCE", forces.GForce, "FX", "FY", "FZ", "TX", "TY", "TZ")


def _spring_out(spring: forces.SpringDamper, values: Values) -> None:
    if not spring.length and (spring.kind == "ROTATIONAL" or not spring.k):
        values.pop("length", None)


_add(
    "SPRINGDAMPER",
    forces.SpringDamper,
    *_KINDS,
    *ids("I", "J", always=True),
    *reals("C", "K", "FORCE"),
    Arg("LENGTH", "real", always=True),  # a spring without it is reported
    *reals("CT", "KT", "TORQUE", "ANGLE"),
    spread=_spring_out,
    required=("i", "j"),
)
_add(
    "BUSHING",
    forces.Bushing,
    *ids("I", "J", always=True),
    *(Arg(n, "reals", counts=THREE) for n in ("C", "K", "CT", "KT")),
    Arg("FORCE", "reals", counts=THREE),
    Arg("TORQUE", "reals", counts=THREE),
    required=("i", "j"),
)


def transpose(values: tuple, rows: int, columns: int) -> tuple:
    """Row order of values that are in column order (of a rows x columns matrix)."""
    return tuple(values[c * rows + r] for r in range(rows) for c in range(columns))


def _field(values: Values, partial: bool) -> None:
    _routine(values)
    for name in ("kmatrix", "cmatrix"):  # the manual: "by columns from top to bottom, then from left to right"
        if name in values:
            values[name] = transpose(values[name], 6, 6)
    if "force" in values:
        values["force"], values["torque"] = values["force"][:3], values["force"][3:]


def _field_out(element: forces.Field, values: Values) -> None:
    _split_routine(element, values)
    for name in ("kmatrix", "cmatrix"):
        if values.get(name):
            values[name] = transpose(values[name], 6, 6)
    if any(element.force) or any(element.torque):
        values["force"] = (*element.force, *element.torque)


_add(
    "FIELD",
    forces.Field,
    *ids("I", "J", always=True),
    Arg("CMATRIX", "reals", counts=(36,)),
    Arg("KMATRIX", "reals", counts=(36,)),
    Arg("CRATIO", "real"),
    Arg("FORCE", "reals", counts=(6,)),
    Arg("LENGTH", "reals", counts=(6,)),
    Arg("FORMULATION", "word", choices=("LINEAR", "NONLINEAR", "STRING")),
    expression(),
    ROUTINE,
    finish=_field,
    spread=_field_out,
    required=("i", "j"),
)


def _beam(values: Values, partial: bool) -> None:
    """CMATRIX gives 21 numbers, one triangle of the symmetric matrix by columns; kept as 36 in row order."""
    half = values.get("cmatrix")
    if half and len(half) == 21:
        full = [[0.0] * 6 for _ in range(6)]
        k = 0
        for c in range(6):
            for r in range(c, 6):
                full[r][c] = full[c][r] = half[k]
                k += 1
        values["cmatrix"] = tuple(v for row in full for v in row)


def _beam_out(beam: forces.Beam, values: Values) -> None:
    m = values.get("cmatrix")
    if m and len(m) == 36 and m == transpose(m, 6, 6):
        values["cmatrix"] = tuple(m[r * 6 + c] for c in range(6) for r in range(c, 6))


_add(
    "BEAM",
    forces.Beam,
    *ids("I", "J", always=True),
    *reals("LENGTH", "IXX", "IYY", "IZZ", "AREA", "ASY", "ASZ", "EMODULUS", "GMODULUS", "CRATIO"),
    Arg("CMATRIX", "reals", counts=(21, 36)),
    Arg("FORMULATION", "word", choices=("LINEAR", "NONLINEAR", "STRING")),
    finish=_beam,
    spread=_beam_out,
    required=("i", "j"),
)


def _contact(values: Values, partial: bool) -> None:
    for name in ("routine", "normal_routine", "friction_routine"):
        if name in values:
            values[name] = ", ".join(values[name])
    friction = values.get("coulomb_friction")
    if friction == "DYNAMICSONLY":
        values["coulomb_friction"] = "DYNAMICS_ONLY"
    if values.pop("no_friction", False):
        if friction not in (None, "OFF"):
            raise ArgumentError(f"NO_FRICTION and COULOMB_FRICTION = {friction} exclude each other; remove one")
        values["coulomb_friction"] = "OFF"
    if values.get("friction_function") and values.get("coulomb_friction", "OFF") == "OFF":
        values["coulomb_friction"], values["friction"] = "ON", "USER"
    if values.get("normal_function") or values.get("normal_routine"):
        if "model" in values:
            raise ArgumentError(f"{values['model']} and NORMAL_FUNCTION exclude each other; remove one")
        values["model"] = "USER"
    if partial:
        return
    # Adams takes every contact as written, also between parts that a joint connects
    values["joined"] = True
    for side in "ij":
        if not values.get(f"{side}geom") and values.get(f"{side}flex") is None:
            raise ArgumentError(
                f"it names no geometry for {side.upper()}GEOM; give {side.upper()}GEOM = ids of GRAPHICS"
            )


def _contact_out(contact: forces.Contact, values: Values) -> None:
    for name in ("routine", "normal_routine", "friction_routine"):
        if values.get(name):
            values[name] = tuple(p.strip() for p in values[name].split(",") if p.strip())
    if contact.friction == "USER":
        values.pop("coulomb_friction", None)


_add(
    "CONTACT",
    forces.Contact,
    Arg("TYPE", "word", choices=forces.CONTACT_TYPES),
    Arg("IGEOM", "ids"),
    Arg("JGEOM", "ids"),
    *ids("IFLEX", "JFLEX"),
    Flag("IMPACT", "model", "IMPACT", always=True),
    Flag("POISSON", "model", "POISSON", always=True),
    *reals("STIFFNESS", "DAMPING", "DMAX", "EXPONENT", "PENALTY"),
    Arg("RESTITUTION_COEFFICIENT", "real", "restitution", aliases=("RESTITUTION",)),
    expression("NORMAL_FUNCTION"),
    Arg("NORMAL_ROUTINE", "strings"),
    Flag("AUGMENTED_LAGRANGIAN_FORMULATION", "augmented_lagrangian"),
    Flag("NO_FRICTION"),
    Arg("COULOMB_FRICTION", "word", choices=("ON", "OFF", "DYNAMICS_ONLY", "DYNAMICSONLY")),
    *reals("MU_STATIC", "MU_DYNAMIC", "STICTION_TRANSITION_VELOCITY", "FRICTION_TRANSITION_VELOCITY"),
    Arg("STICTION", "bool"),
    Arg("MAX_STICTION_DEFORMATION", "real"),
    expression("FRICTION_FUNCTION"),
    Arg("FRICTION_ROUTINE", "strings"),
    expression(),
    ROUTINE,
    extra="arguments",
    own=(
        "law",
        "parameters",
        "materials",
        "friction",
        "friction_parameters",
        "rolling_resistance",
        "spinning_resistance",
        "tangential_restitution",
        "impact_law",
        "resistance_transition",
        "exclude",
        "joined",
        "initial",
        "group",
    ),
    finish=_contact,
    spread=_contact_out,
)

# ---- variables, states, data ---------------------------------------------------------------------
_add("VARIABLE", states.Variable, Arg("IC", "real"), expression(always=True), ROUTINE, **_default_routine({}))
_add(
    "DIFF",
    states.Diff,
    Arg("IC", "reals", counts=(1, 2)),
    Flag("IMPLICIT"),
    Flag("STATIC_HOLD"),
    expression(always=True),
    ROUTINE,
    **_default_routine({}),
)
_add(
    "ARRAY",
    states.Array,
    *(Flag(k, "kind", k, always=True) for k in ("IC", "X", "Y", "U")),
    Arg("SIZE", "int"),
    Arg("NUMBERS", "reals"),
    Arg("VARIABLES", "ids"),
)
_add(
    "LSE",
    states.LinearStateEquations,
    Arg("X", "id", always=True),
    *ids("U", "Y", "IC"),
    Arg("A", "id", always=True),
    *ids("B", "C", "D"),
    Flag("STATIC_HOLD"),
    required=("x", "a"),
)
_add(
    "TFSISO",
    states.TransferFunction,
    *ids("X", "U", "Y", "NUMERATOR", "DENOMINATOR", always=True),
    Flag("STATIC_HOLD"),
    required=("x", "u", "y", "numerator", "denominator"),
)


def _gse(values: Values, partial: bool) -> None:
    _routine(values)
    if "interface" in values:
        values["interface"] = tuple(values["interface"])


_add(
    "GSE",
    states.GeneralStateEquations,
    Arg("NS", "int"),
    Arg("NO", "int"),
    *ids("X", "U", "Y", "IC", "XD", "ICD"),
    Arg("ND", "int"),
    Arg("SAMPLE_PERIOD", "real"),
    Arg("SAMPLE_OFFSET", "real"),
    Flag("IMPLICIT"),
    Flag("STATIC_HOLD"),
    expression(always=True),
    ROUTINE,
    Arg("INTERFACE", "strings"),
    extra="arguments",
    finish=_gse,
    spread=_split_routine,
)


def _spline(values: Values, partial: bool) -> None:
    _routine(values)
    rows = values.get("y")
    x = values.get("x")
    if values.get("file") is not None and (rows is not None or x is not None):
        raise ArgumentError("FILE and X, Y exclude each other; remove one")
    if not partial and values.get("file") is None:
        for name in ("block", "channel"):
            if name in values:
                raise ArgumentError(f"{name.upper()} is for data of a FILE; give FILE or remove {name.upper()}")
    if rows is None:
        return
    zs = []
    ys = []
    for row in rows:
        if x is not None and len(row) == len(x) + 1:
            zs.append(row[0])
            ys.append(tuple(row[1:]))
        else:
            ys.append(tuple(row))
        if x is not None and len(ys[-1]) != len(x):
            raise ArgumentError(f"Y has {len(row)} values for {len(x)} of X; give as many (or one more, z first)")
    if zs and len(zs) != len(ys) or len(ys) > 1 and not zs:
        raise ArgumentError("each of several Y rows begins with its z value; one lacks it")
    values["y"] = tuple(ys)
    values["z"] = tuple(zs)


def _spline_out(spline: states.Spline, values: Values) -> None:
    _split_routine(spline, values)
    values.pop("z", None)
    if spline.z:
        values["y"] = [(z, *row) for z, row in zip(spline.z, spline.y)]
    elif spline.y:
        values["y"] = list(spline.y)


_add(
    "SPLINE",
    states.Spline,
    Arg("FILE", "text"),
    Arg("BLOCK", "text"),
    Arg("CHANNEL", "int"),
    ROUTINE,
    Arg("X", "reals"),
    Arg("Y", "reals", repeat=True),
    Flag("LINEAR_EXTRAPOLATE"),
    extra="arguments",
    finish=_spline,
    spread=_spline_out,
)
_add(
    "CURVE",
    states.Curve,
    Flag("OPEN", "closed", False, always=True),
    Flag("CLOSED", "closed", True),
    Arg("MATRIX", "id"),
    Flag("CURVE_POINTS", "points", "CURVE"),
    Flag("CONTROL_POINTS", "points", "CONTROL"),
    Arg("ORDER", "int"),
    *reals("MINPAR", "MAXPAR", "TENSION"),
    expression(),
    ROUTINE,
    **_default_routine({}),
)

MAX_MATRIX = 20_000_000


def _matrix(values: Values, partial: bool) -> None:
    full = values.pop("full", None)
    i, j, given = values.pop("sparse_i", None), values.pop("sparse_j", None), values.get("values")
    sparse = values.pop("sparse", False)
    if i is not None or j is not None or sparse:
        values["order"] = "SPARSE"
    elif full:
        values["order"] = full
    if partial and "rows" not in values:
        return
    if "file" in values:
        if given is not None:
            raise ArgumentError("FILE and VALUES exclude each other; remove one")
        return
    rows, columns = values.get("rows"), values.get("columns")
    if given is None and values.get("order") != "SPARSE":
        raise ArgumentError("it has no VALUES and no FILE; give one of them")
    if rows is None or columns is None or rows < 1 or columns < 1:
        raise ArgumentError("give its size: ROWS and COLUMNS, both at least 1")
    if rows * columns > MAX_MATRIX:
        raise ArgumentError(f"{rows} x {columns} is more than {MAX_MATRIX} values; read it from a FILE")
    if values.get("order") == "SPARSE":
        i, j, given = i or (), j or (), given or ()
        if not len(i) == len(j) == len(given):
            raise ArgumentError(
                f"I, J and VALUES of a SPARSE matrix differ in length: {len(i)}, {len(j)}, {len(given)}"
            )
        dense = [0.0] * (rows * columns)
        for r, c, v in zip(i, j, given):
            if not (1 <= r <= rows and 1 <= c <= columns):
                raise ArgumentError(f"position ({r}, {c}) lies outside of {rows} x {columns}")
            dense[(r - 1) * columns + c - 1] = v
        values["values"] = tuple(dense)
        return
    if len(given) != rows * columns:
        raise ArgumentError(f"VALUES has {len(given)} numbers; {rows} x {columns} needs {rows * columns}")
    if values.get("order") == "CORDER":
        values["values"] = transpose(given, rows, columns)


def _matrix_out(matrix: states.Matrix, values: Values) -> None:
    values.pop("order", None)
    if matrix.file is not None and not matrix.values:
        if matrix.order != "RORDER":
            values["sparse" if matrix.order == "SPARSE" else "full"] = (
                True if matrix.order == "SPARSE" else matrix.order
            )
        return
    if matrix.order == "SPARSE":
        kept = [k for k, v in enumerate(matrix.values) if v != 0.0 or str(v) == "-0.0"]
        values["sparse"] = True
        if kept:
            values["sparse_i"] = tuple(k // matrix.columns + 1 for k in kept)
            values["sparse_j"] = tuple(k % matrix.columns + 1 for k in kept)
        values["values"] = tuple(matrix.values[k] for k in kept)
        if not kept:
            values.pop("values")
    else:
        values["full"] = matrix.order
        values["values"] = (
            transpose(matrix.values, matrix.columns, matrix.rows) if matrix.order == "CORDER" else matrix.values
        )


_add(
    "MATRIX",
    states.Matrix,
    Arg("FULL", "word", choices=("RORDER", "CORDER")),
    Flag("SPARSE"),
    Arg("ROWS", "int"),
    Arg("COLUMNS", "int"),
    Arg("I", "ids", "sparse_i"),
    Arg("J", "ids", "sparse_j"),
    Arg("VALUES", "reals"),
    Arg("FILE", "text"),
    Arg("NAME", "text", "file_name"),
    finish=_matrix,
    spread=_matrix_out,
)
_add("STRING", states.String, Arg("STRING", "line", "text", always=True), required=("text",))
_add("PINPUT", states.PInput, Arg("VARIABLES", "ids", always=True), required=("variables",))
_add("POUTPUT", states.POutput, Arg("VARIABLES", "ids", always=True), required=("variables",))
_add("PSTATE", states.PState, Arg("VARIABLES", "ids", always=True), required=("variables",))

# ---- outputs -------------------------------------------------------------------------------------


def _sensor(values: Values, partial: bool) -> None:
    _routine(values)
    if "evaluate_routine" in values:
        values["evaluate_routine"] = ", ".join(values["evaluate_routine"])


def _sensor_out(sensor: outputs.Sensor, values: Values) -> None:
    _split_routine(sensor, values)
    if sensor.evaluate_routine:
        values["evaluate_routine"] = tuple(p.strip() for p in sensor.evaluate_routine.split(",") if p.strip())


_add(
    "SENSOR",
    outputs.Sensor,
    *reals("VALUE"),
    Arg("ERROR", "real", "tolerance"),
    *(Flag(c, "comparison", c, always=True) for c in ("EQ", "GE", "LE")),
    *(
        Flag(n, to)
        for n, to in (
            ("HALT", ""),
            ("RETURN", "returns"),
            ("PRINT", ""),
            ("RESTART", ""),
            ("CODGEN", ""),
            ("YYDUMP", ""),
            ("BISECTION", ""),
            ("ANGLE", ""),
        )
    ),
    *reals("DT", "STEPSIZE", "TIME_ERROR"),
    expression(always=True),
    ROUTINE,
    expression("EVALUATE"),
    Arg("EVALUATE_ROUTINE", "strings"),
    finish=_sensor,
    spread=_sensor_out,
)

_FUNCTIONS = tuple(f"F{k}" for k in range(1, 9))


def _request(values: Values, partial: bool) -> None:
    _routine(values)
    if "function" in values and not values["function"].upper().lstrip().startswith("USER"):
        raise ArgumentError("FUNCTION takes USER(...) here; give expressions by F1 to F8")
    functions = {n: values.pop(n.lower()) for n in _FUNCTIONS if n.lower() in values}
    if functions:
        values["functions"] = functions


def _request_out(request: outputs.Request, values: Values) -> None:
    _split_routine(request, values)
    values.pop("functions", None)
    for name, text in request.functions.items():
        values[name.lower()] = text


_add(
    "REQUEST",
    outputs.Request,
    *(Flag(k, "kind", k) for k in outputs.Request.WORDS["kind"]),
    *ids("I", "J", "RM"),
    Arg("COMMENT", "text"),
    Arg("TITLE", "text"),
    *(Arg(n, "strings") for n in ("CNAMES", "CUNITS", "CTYPES", "CLABELS")),
    Arg("RESULTS_NAME", "text"),
    *(expression(n) for n in _FUNCTIONS),
    expression(),
    ROUTINE,
    short={"C": "COMMENT", "F": "FORCE", "FUNC": "FUNCTION", "FU": "FUNCTION"},
    finish=_request,
    spread=_request_out,
)

#: those of Adams, then those of our own, which the register of shapes names
GRAPHIC_TYPES = (
    "ARC",
    "ARROW",
    "BOX",
    "CIRCLE",
    "CURVE",
    "CYLINDER",
    "ELLIPSOID",
    "EXTERNAL",
    "EXTRUSION",
    "FORCE",
    "FRUSTUM",
    "OUTLINE",
    "PLANE",
    "POINT",
    "REVOLUTION",
    "SPDP",
    "TORUS",
    "LINK",
    "PLATE",
    "FLEX_BODY",
    "SURFACE",
)
GRAPHIC_TYPES += tuple(type for type in readers() if type not in GRAPHIC_TYPES)
_GRAPHIC_ARGUMENTS = (
    "CM",
    "RM",
    "CORNER",
    "X",
    "Y",
    "Z",
    "LENGTH",
    "RADIUS",
    "RANGLE",
    "SIDES",
    "SEG",
    "TOP",
    "BOTTOM",
    "XSCALE",
    "YSCALE",
    "ZSCALE",
    "CID",
    "CRM",
    "XS",
    "YS",
    "ZS",
    "MAJOR",
    "MINOR",
    "RS",
    "RSIDES",
    "XLENGTH",
    "XMIN",
    "XMAX",
    "YMIN",
    "YMAX",
    "COILS",
    "DA",
    "DB",
    "DC",
    "DD",
    "LA",
    "LB",
    "LC",
    "LD",
    "I",
    "J",
    "ETYPE",
    "EID",
    "EMARKER",
    "FILE",
    "ELEMENT",
    "FACETING_TOLERANCE",
    "DENSITY",
    "THICKNESS",
    "WIDTH",
    "DEPTH",
    "NODE",
    "FLEX_BODY",
    "FE_PART",
    "ANGLE",
    "MATRIX",
    "SCALE",
    "PROFILE",
    "VISIBILITY",
    "COLOR",
    "CLOSED",
)
_TEXT_GRAPHIC = ("FILE", "ELEMENT")


def _graphic(values: Values, partial: bool) -> None:
    kind = values.pop("type", None)
    if "outline" in values:  # OUTLINE = ids: type and argument at once
        kind = "OUTLINE"
        points = values.pop("outline")
        values["points"] = points if isinstance(points, tuple) else (points,)
    values_in = {k: v for k, v in values.items() if k != "arguments"}
    values_in.update(dict(values.get("arguments", ())))
    values.clear()
    values["arguments"] = {k.lower(): v for k, v in values_in.items()}
    if kind:
        values["type"] = kind


def _graphic_out(graphic: outputs.Graphic, values: Values) -> None:
    for name, value in values.pop("arguments", {}).items():
        if not own_argument(name, value):
            values[name] = value
    if graphic.type == "OUTLINE" and "points" in values:
        values.pop("type", None)
        values["outline"] = values.pop("points")


def own_argument(name: str, value: Any) -> bool:
    """Whether an argument of a graphic is ours (points of a mesh or profile, INSIDE, GROUP): no dataset of Adams holds
    it."""
    if name.lower() == "points":
        return False
    nested = isinstance(value, (tuple, list)) and any(isinstance(v, (tuple, list)) for v in value)
    return nested or isinstance(value, bool) or name.upper() not in _GRAPHIC_ARGUMENTS


_add(
    "GRAPHICS",
    outputs.Graphic,
    *(Flag(t, "type", t, always=True) for t in GRAPHIC_TYPES),
    *(Arg(n, "text" if n in _TEXT_GRAPHIC else "value") for n in _GRAPHIC_ARGUMENTS),
    Arg("OUTLINE", "value"),
    short={"COR": "CORNER", "CO": "CORNER", "RAD": "RADIUS", "LEN": "LENGTH"},
    finish=_graphic,
    spread=_graphic_out,
    required=("type",),
    own=("arguments",),
)


def _material(values: Values, partial: bool) -> None:
    name = values.pop("material_name", None)
    if name is not None:
        values["arguments"] = (("NAME", name), *values.get("arguments", ()))


_add(
    "MATERIAL",
    outputs.Material,
    Arg("NAME", "text", "material_name"),
    *reals("DENSITY", "YOUNGS_MODULUS", "POISSONS_RATIO"),
    extra="arguments",
    finish=_material,
)

# ---- forces that are self-describing ----
for _keyword, _kind in FORCES.items():
    if _kind.statement:
        _add(
            _keyword,
            _kind.element,
            *(Arg(n, what, always=n.lower() in _kind.required) for n, what in _kind.statement),
            required=_kind.required,
        )

# ---- statements kept as they are written ---------------------------------------------------------
for _keyword, _class in (
    ("FLEX_BODY", bodies.FlexBody),
    ("FE_PART", bodies.FEPart),
    ("MFORCE", forces.MForce),
):
    _add(_keyword, _class, extra="arguments")

_BALANCE = (
    "a static analysis does not find the value by itself; give it by FUNCTION, or hold what it balances by a "
    "MOTION and read its force"
)
#: arguments that Adams has and that nothing here does: why, and what to write instead
for _keyword, _refused in {
    "SFORCE": {"AUTOBALANCE": _BALANCE},
    "VARIABLE": {"AUTOBALANCE": _BALANCE},
    "VFORCE": {"FXYZ": "give its components by FX, FY and FZ"},
    "VTORQUE": {"TXYZ": "give its components by TX, TY and TZ"},
    "GFORCE": {"FXYZ": "give its components by FX, FY and FZ", "TXYZ": "give its components by TX, TY and TZ"},
}.items():
    STATEMENTS[_keyword].grammar.refused.update(_refused)

#: keywords without a dataclass: would a run without the statement be wrong?
FOREIGN: dict[str, bool] = {
    "CLEARANCE": True,
    "CVSF": True,
    "EXTERNAL_SYSTEM": True,
    "FEMDATA": False,
    "FE_LOAD": True,
    "FE_NODE": False,
    "GEOMETRY": False,
    "MREQUEST": False,
    "PLANT_STATE": False,
    "PTSF": True,
    "ROAD": True,
    "SECTION": False,
    "SHELL": False,
    "SURFACE": True,
    "SYSTEM": True,
    "TIRE": True,
    "WHEEL": True,
    "MODE_SHAPE": False,
    "PLUGIN": True,
    "NONLINEAR_FE": True,
    "SUBSYSTEM": True,
    "DIFSUB": True,
    "CRANK": True,
}

#: settings kept as text in `Model.preferences`
PREFERENCES = (
    "OUTPUT",
    "RESULTS",
    "PREFERENCES",
    "DEBUG",
    "LSOLVER",
    "ENVIRONMENT",
    "LIST",
    "ADAMS_PLUGIN",
    "LANGUAGE",
    "TIRE_SETTINGS",
)

# ---- units, gravity, analyses --------------------------------------------------------------------
_UNIT_NAMES = {
    "KNEWTON": "KILONEWTON",
    "KILOPOUND_FORCE": "KPOUND_FORCE",
    "KGF": "KILOGRAM_FORCE",
    "LBF": "POUND_FORCE",
    "KG": "KILOGRAM",
    "MM": "MILLIMETER",
    "CM": "CENTIMETER",
    "KM": "KILOMETER",
    "IN": "INCH",
    "FT": "FOOT",
    "MS": "MILLISECOND",
    "MIN": "MINUTE",
    "METRE": "METER",
    "MILLIMETRE": "MILLIMETER",
    "KPOUND_MASS": "KPOUND_MASS",
}
_SYSTEMS = ("CGS", "FPS", "IPS", "MKS")


def unit(word: str, table: dict[str, float], what: str) -> str:
    word = word.strip().strip("\"'").upper()
    word = _UNIT_NAMES.get(word, word)
    if word in table:
        return word
    found = [n for n in table if n.startswith(word)]
    if len(found) == 1 and len(word) >= 2:
        return found[0]
    raise ArgumentError(
        f"unknown unit of {what} '{word[:30]}'{suggestion(word, table)}; choose one of {', '.join(table)}"
    )


def _units(values: Values, partial: bool) -> None:
    for name, table in (("force", FORCE), ("mass", MASS), ("length", LENGTH), ("time", TIME)):
        if name in values:
            values[name] = unit(values[name], table, name)
    system = values.pop("system", None)
    if system:
        full = {
            "CGS": ("DYNE", "GRAM", "CENTIMETER"),
            "MKS": ("NEWTON", "KILOGRAM", "METER"),
            "FPS": ("POUND_FORCE", "SLUG", "FOOT"),
            "IPS": ("POUND_FORCE", "POUND_MASS", "INCH"),
        }[system]
        for name, value in zip(("force", "mass", "length"), full):
            if values.setdefault(name, value) != value:
                raise ArgumentError(
                    f"SYSTEM = {system} means {name.upper()} = {value}, and {name.upper()} = {values[name]} is given; "
                    "remove one"
                )


_add(
    "UNITS",
    None,
    *(Arg(n, "word", always=True) for n in ("FORCE", "MASS", "LENGTH", "TIME")),
    Arg("UCONSF", "real"),
    Arg("SYSTEM", "word", choices=_SYSTEMS),
    settings="units",
    finish=_units,
)
_add("ACCGRAV", None, *reals("IGRAV", "JGRAV", "KGRAV"), settings="gravity", short={"GC": "KGRAV"})

#: Adams' integrators, and ours; further names and spellings that mean the same are resolved when a run begins
INTEGRATORS = (*METHODS, "HASTIFF", "SI2_GSTIFF", "RK45", "RADAU", "BDF")
_PATTERN = {"choices": ("T", "F", "TRUE", "FALSE")}


def _pattern(values: Values, partial: bool) -> None:
    words = values.get("pattern")
    if words is not None:
        values["pattern"] = tuple(w[0].upper() == "T" for w in words)


def _pattern_out(settings: Any, values: Values) -> None:
    if values.get("pattern"):
        values["pattern"] = tuple("T" if t else "F" for t in values["pattern"])


def _idle(*names: str) -> list[Arg]:
    """Arguments that Adams has and that change nothing here: kept as text."""
    return [Arg(n, "raw", to=f"idle {n}") for n in names]


def _settings(values: Values, partial: bool) -> None:
    """PATTERN to truths, idle arguments to ``extra``, DEFAULT only where there is something to reset (commands)."""
    if "pattern" in values:
        _pattern(values, partial)
    idle = [name for name in values if name.startswith("idle ")]
    if idle:
        values["extra"] = tuple((name[5:], values.pop(name)) for name in idle)
    if not partial:
        values.pop("default", None)


_add(
    "INTEGRATOR",
    None,
    *(Flag(k, "kind", k) for k in INTEGRATORS),
    *(Flag(f, "formulation", f) for f in ("I3", "SI2", "SI1", "INDEX1", "MINIMAL")),
    *reals("ERROR", "HINIT", "HMIN", "HMAX"),
    Arg("KMAX", "int"),
    Arg("MAXIT", "int"),
    Arg("CORRECTOR", "word", choices=("ORIGINAL", "MODIFIED", "ORIG_CONSTANT")),
    Arg("INTERPOLATE", "bool"),
    Arg("ADAPTIVITY", "real"),
    Arg("PATTERN", "words", **_PATTERN),
    *reals("BETA", "GAMMA", "ALPHA", "RHO"),
    Arg("GROUP", "word", choices=("SE3", "R3XSO3")),
    *(Arg(n, "reals", counts=(1, 2, 3, 4, 5)) for n in ("SCALE", "ABSOLUTE")),
    *_idle("FIXIT", "HRATIOMAX", "MAXERR"),
    Flag("DEFAULT", "default"),
    settings="integrator",
    extra="extra",
    finish=_settings,
    spread=_pattern_out,
    short={"GAM": "GAMMA", "INT": "INTERPOLATE", "INTERP": "INTERPOLATE"},
)
_add(
    "EQUILIBRIUM",
    None,
    *reals("ALIMIT", "ERROR", "IMBALANCE"),
    Arg("MAXIT", "int"),
    *reals("STABILITY", "TLIMIT"),
    Flag("DYNAMIC", "dynamic"),
    Flag("STATIC", "dynamic", False),
    *_idle(
        "PATTERN", "METHOD", "ATOL", "RTOL", "MAXITL", "ACCELERATION_ERROR", "KINETIC_ENERGY_ERROR", "GLOBAL_DAMPING"
    ),
    Flag("DEFAULT", "default"),
    settings="equilibrium",
    extra="extra",
    finish=_settings,
)
_add(
    "KINEMATICS",
    None,
    *reals("ERROR", "AERROR"),
    Arg("MAXIT", "int"),
    Arg("HMAX", "real"),
    *_idle("PATTERN", "APATTERN", "AMAXIT", "ALIMIT", "TLIMIT"),
    Flag("DEFAULT", "default"),
    settings="kinematics",
    extra="extra",
    finish=_settings,
)
_add(
    "IC",
    None,
    *reals("ERROR", "AERROR", "VERROR"),
    Arg("MAXIT", "int"),
    Arg("AMAXIT", "int"),
    *_idle("PATTERN", "APATTERN", "ALIMIT", "TLIMIT"),
    Flag("DEFAULT", "default"),
    settings="initial",
    extra="extra",
    finish=_settings,
)

#: statements without an id
SETTINGS = tuple(s.keyword for s in STATEMENTS.values() if s.settings) + PREFERENCES
KEYWORDS = tuple(dict.fromkeys((*STATEMENTS, *FOREIGN, *PREFERENCES, "END")))
#: abbreviations that several keywords share: the one that Adams' minimum abbreviation means
SHORT = {
    "MARK": "MARKER",
    "REQ": "REQUEST",
    "RES": "RESULTS",
    "OUT": "OUTPUT",
    "LIN": "LINEAR",
    "VAR": "VARIABLE",
    "GRA": "GRAPHICS",
    "GRAPH": "GRAPHICS",
    "SEN": "SENSOR",
    "MOT": "MOTION",
    "PREF": "PREFERENCES",
    "INT": "INTEGRATOR",
    "FLEX": "FLEX_BODY",
    "DIF": "DIFF",
}


def keyword(word: str) -> str | None:
    """Full keyword of a possibly abbreviated one; raises `ArgumentError` when ambiguous, None when unknown."""
    from .arguments import resolve

    return resolve(word, KEYWORDS, SHORT)
