"""What can be made by a form: builder methods of `Model` with the types of their arguments, and how a call of one is
written in Python."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from .. import shapes
from ..model import Model, ModelError
from ..model.base import Element, shown
from ..model.bodies import Part
from ..model.builder.arguments import FORMER
from ..model.shape_kinds import shape_kinds
from .blocks import block_forms
from .forms import Argument, Form, is_angle, typed, wanted_number

A = Argument
NAME = A("name", "name", "Name")
ENDS = (A("i", "end", "I: first part or marker", needed=True), A("j", "end", "J: second part or marker", needed=True))
PLACE = (
    A("at", "vector", "At (ground)", "length", [0.0, 0.0, 0.0]),
    A("axis", "vector", "Axis z (ground)", start=[0.0, 0.0, 1.0]),
)
POINTS = (
    A("at_i", "vector", "Point on I, where I is a part (ground)", "length"),
    A("at_j", "vector", "Point on J, where J is a part (ground)", "length"),
)
HINGED = (
    A("at", "vector", "At, where I and J are parts (ground)", "length"),
    A("axis", "vector", "Axis z (ground)", start=[0.0, 0.0, 1.0]),
)
SHAPED = (A("density", "number", "Density", "density", 7850.0, True),)
BODY = A("body", "body", "Part", needed=True)
LINE = (
    A("a", "vector", "From (ground)", "length", [0.0, 0.0, 0.0], True),
    A("b", "vector", "To (ground)", "length", [1.0, 0.0, 0.0], True),
)
RADIUS = A("radius", "number", "Radius", "length", 0.05, True)
BOX = (
    A("at", "vector", "Centre (ground)", "length", [0.0, 0.0, 0.0], True),
    A("size", "vector", "Edges", "length", [1.0, 0.1, 0.1], True),
)
CONE = (
    *LINE,
    A("radius", "number", "Radius at the base", "length", 0.1, True),
    A("top", "number", "Radius at the tip (0: a cone)", "length", 0.0),
)
TORUS = (
    A("at", "vector", "Centre (ground)", "length", [0.0, 0.0, 0.0], True),
    A("axis", "vector", "Axis (ground)", start=[0.0, 0.0, 1.0], needed=True),
    A("radius", "number", "Radius of the ring", "length", 0.2, True),
    A("tube", "number", "Radius of its section", "length", 0.03, True),
)
BULGE = A("bulge", "numbers", "Arcs: tan(angle/4) of each edge, 0 is straight")
EXTRUSION = (
    A("profile", "points2", "Profile x, y, a line each", "length", "0, 0\n0.2, 0\n0.2, 0.05\n0, 0.05", True),
    A("length", "number", "Length along the axis", "length", 0.05, True),
    A("at", "vector", "Origin of the profile (ground)", "length", [0.0, 0.0, 0.0]),
    A("axis", "vector", "Axis (ground)", start=[0.0, 0.0, 1.0]),
    A("x", "vector", "Direction of x of the profile (ground)"),
    BULGE,
)
REVOLUTION = (
    A("profile", "points2", "Profile radius, height, a line each", "length", "0, 0\n0.2, 0\n0.2, 0.05\n0, 0.05", True),
    A("at", "vector", "Origin of the profile (ground)", "length", [0.0, 0.0, 0.0]),
    A("axis", "vector", "Axis (ground)", start=[0.0, 0.0, 1.0]),
    BULGE,
)
MESH = (
    A("mesh", "mesh", "File", needed=True),
    A("scale", "number", "Scale of its lengths", start=1.0),
    A("at", "vector", "At (ground)", "length", [0.0, 0.0, 0.0]),
    A("repair", "flag", "Turn triangles that face inward"),
)


def _joint(title: str, help: str, *more: Argument) -> Form:
    return Form("Joints", title, help, (NAME, *ENDS, *more, *PLACE))


CREATE: dict[str, Form] = {
    "part": Form(
        "Bodies",
        "Part by mass and inertia",
        "A rigid body whose axes sit at its centre of mass.",
        (
            NAME,
            A("mass", "number", "Mass", "mass", 1.0, True),
            A("inertia", "vector", "Ixx, Iyy, Izz", "inertia", [0.01, 0.01, 0.01], True),
            A("position", "vector", "Centre of mass (ground)", "length", [0.0, 0.0, 0.0]),
            A("velocity", "vector", "Initial velocity", "velocity"),
            A("angular_velocity", "vector", "Initial angular velocity", "angular_velocity"),
        ),
    ),
    "part_link": Form(
        "Bodies",
        "Link (rod with round ends)",
        "A rod from point to point; mass and inertia follow from the shape.",
        (NAME, *LINE, RADIUS, *SHAPED),
        "part",
        "capsule",
    ),
    "part_box": Form(
        "Bodies",
        "Box",
        "A box along the ground axes; mass and inertia follow from the shape.",
        (NAME, *BOX, *SHAPED),
        "part",
        "box",
    ),
    "part_cylinder": Form(
        "Bodies",
        "Cylinder",
        "A cylinder from point to point; mass and inertia follow from the shape.",
        (NAME, *LINE, RADIUS, *SHAPED),
        "part",
        "cylinder",
    ),
    "part_sphere": Form(
        "Bodies",
        "Ball",
        "A ball; mass and inertia follow from the shape.",
        (NAME, A("at", "vector", "Centre (ground)", "length", [0.0, 0.0, 0.0], True), RADIUS, *SHAPED),
        "part",
        "sphere",
    ),
    "part_ellipsoid": Form(
        "Bodies",
        "Ellipsoid",
        "An ellipsoid along the ground axes; mass and inertia follow from the shape.",
        (
            NAME,
            A("at", "vector", "Centre (ground)", "length", [0.0, 0.0, 0.0], True),
            A("axes", "vector", "Semi-axes", "length", [0.2, 0.1, 0.1], True),
            *SHAPED,
        ),
        "part",
        "ellipsoid",
    ),
    "part_cone": Form(
        "Bodies",
        "Cone or frustum",
        "A cone from its base to its tip, or a frustum; mass and inertia follow from the shape.",
        (NAME, *CONE, *SHAPED),
        "part",
        "cone",
    ),
    "part_torus": Form(
        "Bodies",
        "Torus",
        "A ring with a round section; mass and inertia follow from the shape.",
        (NAME, *TORUS, *SHAPED),
        "part",
        "torus",
    ),
    "part_rounded_box": Form(
        "Bodies",
        "Rounded box",
        "A box with rounded edges and corners along the ground axes; mass and inertia follow from the shape.",
        (NAME, *BOX, A("radius", "number", "Radius of the edges", "length", 0.01, True), *SHAPED),
        "part",
        "rounded_box",
    ),
    "part_extrusion": Form(
        "Bodies",
        "Extrusion of a sketch",
        "A closed profile drawn along an axis; mass and inertia follow from the shape.",
        (NAME, *EXTRUSION, *SHAPED),
        "part",
        "extrusion",
    ),
    "part_revolution": Form(
        "Bodies",
        "Revolution of a sketch (turned part, bowl)",
        "A closed profile of radius and height turned about an axis; mass and inertia follow from the shape.",
        (NAME, *REVOLUTION, *SHAPED),
        "part",
        "revolution",
    ),
    "part_mesh": Form(
        "Bodies",
        "Mesh from a file (STL, OBJ, PLY, OFF, glTF)",
        "A closed triangle mesh; mass and inertia follow from the solid that it encloses.",
        (NAME, *MESH, *SHAPED),
        "part",
        "mesh",
    ),
    "point_mass": Form(
        "Bodies",
        "Point mass",
        "A mass with three coordinates and no rotation.",
        (
            NAME,
            A("mass", "number", "Mass", "mass", 1.0, True),
            A("position", "vector", "Position (ground)", "length", [0.0, 0.0, 0.0], True),
        ),
    ),
    "marker_at": Form(
        "Bodies",
        "Marker",
        "A point with axes on a part, given in ground at the design position.",
        (
            NAME,
            BODY,
            A("at", "vector", "At (ground)", "length", [0.0, 0.0, 0.0], True),
            A("z", "vector", "Axis z (ground)", start=[0.0, 0.0, 1.0]),
        ),
    ),
    "box": Form("Shapes", "Box on a part", "Drawn, and can touch; the mass of the part stays.", (NAME, BODY, *BOX)),
    "cylinder": Form(
        "Shapes", "Cylinder on a part", "Drawn, and can touch; the mass of the part stays.", (NAME, BODY, *LINE, RADIUS)
    ),
    "sphere": Form(
        "Shapes",
        "Ball on a part",
        "Drawn, and can touch; the mass of the part stays.",
        (NAME, BODY, A("at", "vector", "Centre (ground)", "length", [0.0, 0.0, 0.0], True), RADIUS),
    ),
    "ellipsoid": Form(
        "Shapes",
        "Ellipsoid on a part",
        "Drawn, and can touch; the mass of the part stays.",
        (
            NAME,
            BODY,
            A("at", "vector", "Centre (ground)", "length", [0.0, 0.0, 0.0], True),
            A("axes", "vector", "Semi-axes", "length", [0.2, 0.1, 0.1], True),
        ),
    ),
    "cone": Form("Shapes", "Cone on a part", "Drawn, and can touch; the mass of the part stays.", (NAME, BODY, *CONE)),
    "torus": Form(
        "Shapes", "Torus on a part", "Drawn, and can touch; the mass of the part stays.", (NAME, BODY, *TORUS)
    ),
    "plane": Form(
        "Shapes",
        "Plane on a part",
        "A floor or wall: a half-space behind the point; drawn, and can touch.",
        (
            NAME,
            BODY,
            A("at", "vector", "Point (ground)", "length", [0.0, 0.0, 0.0], True),
            A("normal", "vector", "Normal (ground)", start=[0.0, 0.0, 1.0], needed=True),
        ),
    ),
    "extrusion": Form(
        "Shapes",
        "Extrusion on a part",
        "Drawn, and can touch; the mass of the part stays.",
        (NAME, BODY, *EXTRUSION),
    ),
    "revolution": Form(
        "Shapes",
        "Revolution on a part (bowl)",
        "Drawn, and can touch; the mass of the part stays.",
        (NAME, BODY, *REVOLUTION),
    ),
    "mesh": Form(
        "Shapes",
        "Mesh on a part",
        "Drawn, and can touch; the mass of the part stays.",
        (NAME, BODY, *MESH),
    ),
    "height_field": Form(
        "Shapes",
        "Height field on a part",
        "Ground of heights over a uniform grid centred at a point; drawn, and can touch.",
        (
            NAME,
            BODY,
            A("heights", "grid", "Heights, a row along x in each line", "length", "0, 0, 0\n0, 0.1, 0\n0, 0, 0", True),
            A("spacing", "number", "Grid step", "length", 0.5, True),
            A("at", "vector", "Centre (ground)", "length", [0.0, 0.0, 0.0]),
        ),
    ),
    "revolute": _joint("Revolute", "Hinge: one rotation about z."),
    "translational": _joint("Translational", "Slider: one travel along z."),
    "cylindrical": _joint("Cylindrical", "Travel along and rotation about z."),
    "spherical": _joint("Spherical", "Ball joint: all rotations free."),
    "universal": _joint("Universal", "Cardan joint: z of both markers are the pins."),
    "hooke": _joint("Hooke", "Cardan joint: z of both markers are the shafts."),
    "planar": _joint("Planar", "Motion in the plane normal to z, rotation about z."),
    "fixed": _joint("Fixed", "Two bodies as one."),
    "screw": _joint(
        "Screw", "Travel that follows the turns.", A("pitch", "number", "Pitch (travel per turn)", "length", 0.01, True)
    ),
    "coupler": Form(
        "Joints",
        "Coupler",
        "Coordinates of two joints keep one ratio: s1 q1 + s2 q2 = 0.",
        (
            NAME,
            A("joints", "joint+joint", "Joints", needed=True),
            A("scales", "vector2", "Scales", start=[1.0, -1.0], needed=True),
        ),
    ),
    "motion": Form(
        "Motions",
        "Motion of a joint",
        "The joint's coordinate as a function of TIME.",
        (
            NAME,
            A("joint", "joint", "Joint", needed=True),
            A("function", "formula", "Function (length or rad)", start="2*PI*TIME", needed=True),
            A("kind", "|ROTATIONAL|TRANSLATIONAL", "Coordinate (where the joint has both)"),
            A("level", "DISPLACEMENT|VELOCITY|ACCELERATION", "Of"),
        ),
    ),
    "sforce": Form(
        "Forces",
        "Single force or torque",
        "Along the line from J to I (positive pushes apart), or about z of J.",
        (
            NAME,
            *ENDS,
            A("function", "formula", "Function", start="0", needed=True),
            A("kind", "TRANSLATIONAL|ROTATIONAL", "Kind"),
            *POINTS,
        ),
    ),
    "vforce": Form(
        "Forces",
        "Force vector",
        "Three components in axes of ground, or of the marker RM.",
        (
            NAME,
            A("i", "end", "On part or marker I", needed=True),
            A("at_i", "vector", "Point on I, where I is a part (ground)", "length"),
            A("fx", "formula", "Fx", "force", "0"),
            A("fy", "formula", "Fy", "force", "0"),
            A("fz", "formula", "Fz", "force", "0"),
            A("rm", "marker", "Axes of marker RM"),
        ),
    ),
    "spring_damper": Form(
        "Forces",
        "Spring and damper",
        "f = -c v - k (length - free length) + force, between two markers, or two points of parts.",
        (
            NAME,
            *ENDS,
            A("stiffness", "number", "Stiffness", "stiffness", 1000.0),
            A("damping", "number", "Damping", "damping", 0.0),
            A("length", "drawn", "Free length (a number, or drawn)", "length", "drawn"),
            A("force", "number", "Preload", "force", 0.0),
            *POINTS,
        ),
    ),
    "torsion_spring": Form(
        "Forces",
        "Torsion spring",
        "t = -ct w - kt (angle - free angle) + torque about z of J.",
        (
            NAME,
            *ENDS,
            A("stiffness", "number", "Stiffness", "torsion", 10.0),
            A("damping", "number", "Damping", "torsion_damping", 0.0),
            A("angle", "number", "Free angle", "angle", 0.0),
            *HINGED,
        ),
    ),
    "bushing": Form(
        "Forces",
        "Bushing",
        "Six linear springs and dampers in axes of J.",
        (
            NAME,
            *ENDS,
            A("stiffness", "vector", "Stiffness x, y, z", "stiffness", [1e6, 1e6, 1e6]),
            A("rotational_stiffness", "vector", "Torsion x, y, z", "torsion", [1e3, 1e3, 1e3]),
            A("damping", "vector", "Damping x, y, z", "damping", [1e3, 1e3, 1e3]),
            A("rotational_damping", "vector", "Torsional damping", "torsion_damping", [1.0, 1.0, 1.0]),
        ),
    ),
    "friction": Form(
        "Forces",
        "Joint friction",
        "Stiction and sliding from the joint's reactions.",
        (
            NAME,
            A("joint", "joint", "Joint", needed=True),
            A("mu_static", "number", "Static coefficient", start=0.2),
            A("mu_dynamic", "number", "Dynamic coefficient", start=0.15),
            A("pin_radius", "number", "Pin radius", "length", 0.01),
        ),
    ),
    "vtorque": Form(
        "Forces",
        "Torque vector",
        "Three components in axes of ground, or of the marker RM.",
        (
            NAME,
            A("i", "end", "On part or marker I", needed=True),
            A("at_i", "vector", "Point on I, where I is a part (ground)", "length"),
            A("tx", "formula", "Tx", "torque", "0"),
            A("ty", "formula", "Ty", "torque", "0"),
            A("tz", "formula", "Tz", "torque", "0"),
            A("rm", "marker", "Axes of marker RM"),
        ),
    ),
    "contact": Form(
        "Contacts",
        "Contact",
        "Between the shapes of two parts, or two shapes: f = k depth^e + damping, and friction where there is a "
        "coefficient.",
        (
            NAME,
            A("i", "shape", "First part or shape", needed=True),
            A("j", "shape", "Second part or shape", needed=True),
            A("law", "IMPACT|POISSON", "Law"),
            A("stiffness", "number", "Stiffness (force / length^exponent)", "hertz", 1e8),
            A("exponent", "number", "Exponent", start=1.5),
            A("damping", "number", "Damping (IMPACT)", "damping", 1e4),
            A("dmax", "number", "Depth of full damping (IMPACT)", "length", 1e-4),
            A("restitution", "number", "Restitution (POISSON)"),
            A("mu", "number", "Friction coefficient"),
        ),
    ),
    "variable": Form(
        "Functions",
        "Variable",
        "A quantity that others read as VARVAL(id).",
        (NAME, A("function", "formula", "Function", start="0", needed=True)),
    ),
    "input": Form(
        "Functions",
        "Input",
        "A variable whose value comes from outside: a slider during a run, or Python; others read it as VARVAL(id).",
        (A("name", "name", "Name", needed=True), A("value", "number", "Value at first", start=0.0, needed=True)),
    ),
    "spline": Form(
        "Functions",
        "Spline",
        "A curve through points; functions read AKISPL(x, 0, id, 0) or CUBSPL.",
        (
            NAME,
            A("x", "numbers", "x, rising", start="0, 1, 2", needed=True),
            A("y", "numbers", "y", start="0, 1, 4", needed=True),
        ),
    ),
    "curve": Form(
        "Functions",
        "Curve through points",
        "A B-spline in the axes of the marker that carries it, as of a cam; its points are in a table.",
        (
            NAME,
            A(
                "points",
                "points",
                "Points x, y, z, a line each",
                "length",
                "0.1, 0, 0\n0, 0.1, 0\n-0.1, 0, 0\n0, -0.1, 0",
                needed=True,
            ),
            A("closed", "flag", "Closed", start=True),
        ),
    ),
    "request": Form(
        "Functions",
        "Request",
        "Displacement, velocity, acceleration or force between two markers.",
        (
            NAME,
            A("kind", "DISPLACEMENT|VELOCITY|ACCELERATION|FORCE", "Of", needed=True),
            A("i", "marker", "I", needed=True),
            A("j", "marker", "J"),
        ),
    ),
}
for _kind in shape_kinds():  # shapes whose file has a form
    if _kind.form is not None and _kind.builder is not None:
        _title, _arguments = _kind.form
        CREATE[_kind.builder.__name__] = Form(
            "Shapes",
            _title,
            CREATE["box"].help,
            (NAME, BODY, *(A(a.name, a.kind, a.label, a.quantity or "none", a.start, True) for a in _arguments)),
        )
CREATE["fmu"] = Form(
    "Control",
    "FMU (co-simulation)",
    "A functional mock-up unit 2.0 or 3.0 that is stepped together with the model.",
    (
        NAME,
        A("path", "file", "File of the FMU, below the folder of the model", needed=True),
        A("inputs", "pairs", "Inputs: input = expression, one a line"),
        A("outputs", "texts", "Outputs, one a line; others read them as VARVAL(name.output)"),
        A("parameters", "pairs", "Parameters: parameter = value, one a line"),
        A("step", "number", "Step of communication (empty: by the error)", "time"),
        A("error", "number", "Requested error of the coupling", start=1e-4),
        A("sampled", "flag", "A digital controller with this step as its period"),
    ),
)
CREATE |= block_forms()
#: types that are made by their fields (`properties.rows`), those that no form above has: title and group of the menu
FIELDS: dict[str, tuple[str, str]] = {
    "JPRIM": ("Joint primitive (in line, in plane, parallel, ...)", "Joints"),
    "JOINT": ("Joint of any type (rack and pinion, convel, ...)", "Joints"),
    "GEAR": ("Gear", "Joints"), "PTCV": ("Point on a curve", "Joints"), "CVCV": ("Curve on a curve", "Joints"),
    "GCON": ("Constraint by a function", "Joints"),
    "GFORCE": ("Force and torque", "Forces"), "BEAM": ("Beam", "Forces"),
    "FIELD": ("Field of 36 stiffnesses", "Forces"), "NFORCE": ("Force on many markers", "Forces"),
    "MAXWELL_DAMPER": ("Damper with a spring in series", "Forces"), "POWER_DAMPER": ("Damper by a power", "Forces"),
    "BURGERS_DAMPER": ("Burgers' damper", "Forces"), "HYSTERETIC_SPRING": ("Spring with hysteresis", "Forces"),
    "HYDRAULIC_CYLINDER": ("Hydraulic cylinder", "Forces"), "PNEUMATIC_CYLINDER": ("Pneumatic cylinder", "Forces"),
    "SLIDING_MASS": ("Sliding mass", "Bodies"),
    "SENSOR": ("Sensor", "Functions"), "DIFF": ("Differential equation", "Functions"), "ARRAY": ("Array", "Functions"),
    "MATRIX": ("Matrix", "Functions"),
    "STRING": ("String", "Functions"), "LSE": ("Linear state equations", "Functions"),
    "TFSISO": ("Transfer function", "Functions"),
    "PINPUT": ("Plant inputs", "Functions"), "POUTPUT": ("Plant outputs", "Functions"),
    "PSTATE": ("Plant states", "Functions"),
}  # fmt: skip
#: types of argument -> types of elements that may are there
PICKED = {
    "body": ("PART", "POINT_MASS"),
    "marker": ("MARKER",),
    "end": ("PART", "POINT_MASS", "MARKER"),
    "joint": ("JOINT",),
    "shape": ("GRAPHICS", "PART"),
    "joint+joint": ("JOINT",),
    "loaded": (
        "JOINT",
        "JPRIM",
        "MOTION",
        "SPRINGDAMPER",
        "SFORCE",
        "VFORCE",
        "VTORQUE",
        "GFORCE",
        "BUSHING",
        "FIELD",
        "BEAM",
    ),
}


def line(model: Model, element: Element) -> str:
    """How a script finds an element: by its name where it alone has it."""
    name = element.name
    plain = bool(name.strip()) and name == name.strip() and not name.isdigit() and "." not in name
    number = model._names.get(element.KIND, {}).get(name.lower()) if plain else None
    same = (
        sum(other.name.lower() == name.lower() for other in model.table(element.KIND).values())
        if number == element.id
        else 0
    )
    return f"model.find({element.KIND!r}, {name!r})" if same == 1 else f"model.find({element.KIND!r}, {element.id})"


def build(
    model: Model, method: str, given: dict[str, Any], own: Callable[[str, int], Any], folder: Path
) -> tuple[str, Element]:
    """Make an element by a form; returns the line of Python that does the same, and the element.  ``own``: gives a copy
    of an element that may be changed; ``folder``: below which files lie.

    Raises ModelError for arguments that the form does not have, those that are missing, and as the builder method does.
    """
    form = CREATE[method]
    known = {a.name: a for a in form.arguments}
    former = FORMER.get(form.method or method, {})  # of documents that an earlier version saved
    given = {former.get(name, name): value for name, value in given.items()}
    for name in given:
        if name not in known:
            raise ModelError(f"'{form.title}' has no {shown(name)}; give {', '.join(known)}")
    values: dict[str, Any] = {}
    texts: dict[str, str] = {}
    for a in form.arguments:
        raw = given.get(a.name)
        if raw is None or (isinstance(raw, str) and not raw.strip() and a.kind != "name"):
            if a.needed:
                raise ModelError(f"{a.label} is missing; give it")
            continue
        if isinstance(raw, str) and not raw.strip():
            continue
        value, text = _value(model, a, raw, own, folder)
        if form.on and not a.needed and a.start is not None and value == a.start:
            continue  # the default of the builder
        values[a.name], texts[a.name] = value, text
    name = form.method or method
    if name == "contact":  # those of the other law
        for word in ("damping", "dmax", "exponent") if values.get("law") == "POISSON" else ("restitution",):
            values.pop(word, None), texts.pop(word, None)
    if form.shape:
        outside = [n for n in values if n in ("name", "density")]
        inside = [n for n in values if n not in outside]
        shape = getattr(shapes, form.shape)(**{n: values.pop(n) for n in inside})
        body = ", ".join(f"{n}={texts.pop(n)}" for n in inside)
        values["shape"], texts["shape"] = shape, f"hn.shapes.{form.shape}({body})"
    elif "at" not in values and "axis" in values:
        values.pop("axis"), texts.pop("axis")
    if name in (
        "revolute",
        "translational",
        "cylindrical",
        "spherical",
        "universal",
        "hooke",
        "planar",
        "fixed",
        "screw",
    ) and all(isinstance(values.get(end), Element) and values[end].KIND == "MARKER" for end in ("i", "j")):
        for word in ("at", "axis"):  # markers bring places of their own
            values.pop(word, None), texts.pop(word, None)
    if name in ACTING:
        _markers_of_points(model, values, texts)
    owner, where = (getattr(model, form.on), f"model.{form.on}") if form.on else (model, "model")
    first: list[str] = []
    listed: list[Any] = []
    if any(a.kind == "signals" for a in form.arguments):  # after the name, by position
        listed = [values.pop("name"), *values.pop("inputs", ())]
        first = [texts.pop("name"), *([inner] if (inner := texts.pop("inputs", "")[1:-1].rstrip(",")) else [])]
    element = getattr(owner, name)(*listed, **values)
    return f"{where}.{name}({', '.join([*first, *(f'{n}={t}' for n, t in texts.items())])})", element


#: builder methods of forces between two points: where an end is a part, the form gives the point
ACTING = ("sforce", "vforce", "vtorque", "spring_damper", "torsion_spring")


def _markers_of_points(model: Model, values: dict[str, Any], texts: dict[str, str]) -> None:
    """Make markers at the points of a form where an end of a force is a part; ``values`` and ``texts`` then name the
    markers.  Without a point the force acts at the part's centre of mass; raises ModelError where ground has none."""
    common, axis = values.pop("at", None), values.pop("axis", None)
    texts.pop("at", None), texts.pop("axis", None)
    for end in ("i", "j"):
        at = values.pop(f"at_{end}", common)
        texts.pop(f"at_{end}", None)
        body = values.get(end)
        if body is None or body.KIND == "MARKER":
            continue
        if at is None and isinstance(body, Part) and not body.ground and body.cm is not None:
            values[end], texts[end] = model.find("MARKER", body.cm), f"{texts[end]}.cm"
            continue
        if at is None:
            raise ModelError(
                f"{end.upper()} is {body.label}; give the point on it where the force acts, or choose a marker"
            )
        along = {} if axis is None else {"z": axis}
        made = model.marker_at(body, at, **along)
        more = "" if axis is None else f", z={axis!r}"
        texts[end] = f"model.marker_at({texts[end]}, {at!r}{more})"
        values[end] = made


def _value(model: Model, a: Argument, raw: Any, own: Callable[[str, int], Any], folder: Path) -> tuple[Any, str]:
    """A value of a form as the builder takes it, and as Python writes it."""
    if a.kind in PICKED:
        many = a.kind == "joint+joint"
        found = [_element(model, a, one, own) for one in (raw if many else [raw])]
        texts = [line(model, e) for e in found]
        return (found, f"[{', '.join(texts)}]") if many else (found[0], texts[0])
    unit = model.units.symbol(a.quantity)
    if a.kind == "number":
        value = typed(raw, is_angle(unit))
        if not isinstance(value, float) or not math.isfinite(value):
            raise ModelError(f"{a.label} is {shown(raw)}; {wanted_number(raw, unit)}")
        return value, repr(value)
    if a.kind == "whole":
        value = typed(raw)
        if not isinstance(value, float) or not value.is_integer():
            raise ModelError(f"{a.label} is {shown(raw)}; give a whole number")
        return int(value), repr(int(value))
    if a.kind == "drawn":
        if isinstance(raw, str) and raw.strip().lower() == "drawn":
            return "drawn", "'drawn'"
        value = typed(raw, is_angle(unit))
        if not isinstance(value, float) or not math.isfinite(value):
            raise ModelError(f"{a.label} is {shown(raw)}; {wanted_number(raw, unit)}, or drawn")
        return value, repr(value)
    if a.kind in ("mesh", "file"):
        file = file_below(folder, raw)
        return file, f"here / {Path(str(raw).strip()).as_posix()!r}"
    if a.kind in ("texts", "signals", "pairs"):
        lines = tuple(text.strip() for text in str(raw).splitlines() if text.strip())
        if a.kind != "pairs":
            return lines, repr(lines)
        pairs = [text.partition("=") for text in lines]
        for key, equals, value in pairs:
            if not (key.strip() and equals and value.strip()):
                raise ModelError(f"{a.label}: {shown(key)}; give name = value in each line")
        table = {key.strip(): typed(value.strip()) for key, _, value in pairs}
        return table, repr(table)
    if a.kind == "data":
        try:
            data = _rows(json.loads(str(raw)))
        except (ValueError, RecursionError) as error:
            raise ModelError(f"{a.label} cannot be read ({error}); give lists, numbers and texts as JSON") from None
        return data, repr(data)
    if a.kind == "weights":
        text = str(raw).strip()
        if text and not text.strip("+-"):
            return text, repr(text)
    if a.kind == "values" and len(str(raw).strip().splitlines()) > 1:
        return _value(model, replace(a, kind="grid"), raw, own, folder)
    if a.kind in ("points2", "grid"):
        rows = [
            tuple(typed(v) for v in text.replace(",", " ").replace(";", " ").split())
            for text in str(raw).splitlines()
            if text.strip()
        ]
        width = 2 if a.kind == "points2" else len(rows[0]) if rows else 0
        if not rows or any(
            len(r) != width or not all(isinstance(v, float) and math.isfinite(v) for v in r) for r in rows
        ):
            each = "two numbers" if a.kind == "points2" else "the same number of values"
            raise ModelError(f"{a.label}: {shown(raw)}; give {each} in each line")
        return rows, repr(rows)
    if a.kind in ("numbers", "values", "weights"):
        items = raw.replace(";", ",").replace("\n", ",").split(",") if isinstance(raw, str) else raw
        turns = not unit or is_angle(unit)  # as x of a spline over an angle
        found = [typed(v, turns) for v in (items if isinstance(items, (list, tuple)) else [items]) if str(v).strip()]
        if not found or not all(isinstance(v, float) and math.isfinite(v) for v in found):
            raise ModelError(f"{a.label} is {shown(raw)}; give numbers with commas between them")
        if a.kind == "values" and len(found) == 1:
            return found[0], repr(found[0])
        return tuple(found), repr(tuple(found))
    if a.kind == "points":
        rows = [
            tuple(typed(v) for v in text.replace(",", " ").replace(";", " ").split())
            for text in str(raw).splitlines()
            if text.strip()
        ]
        if not rows or any(len(r) != 3 or not all(isinstance(v, float) and math.isfinite(v) for v in r) for r in rows):
            raise ModelError(f"{a.label}: {shown(raw)}; give three numbers in each line")
        return rows, repr(rows)
    if a.kind == "flag":
        return bool(raw), repr(bool(raw))
    if a.kind.startswith("vector"):
        n = int(a.kind[6:] or 3)
        value = tuple(typed(v, is_angle(unit)) for v in raw) if isinstance(raw, (list, tuple)) else ()
        if len(value) != n or not all(isinstance(v, float) and math.isfinite(v) for v in value):
            raise ModelError(f"{a.label} is {shown(raw)}; give {n} numbers")
        return value, repr(value)
    if not isinstance(raw, str):
        raise ModelError(f"{a.label} is {shown(raw)}; give a text")
    if a.kind == "formula":
        from ..expressions import ExpressionError, parse

        try:
            parse(raw)
        except ExpressionError as error:
            raise ModelError(f"{a.label}: {error}") from None
    elif "|" in a.kind and raw not in a.kind.split("|"):
        raise ModelError(f"{a.label} is {shown(raw)}; choose one of {', '.join(w for w in a.kind.split('|') if w)}")
    return raw, repr(raw)


def file_below(folder: Path, raw: Any) -> Path:
    """A file below the folder of the model.  Raises ModelError for other positions and for a file that does
    not exist."""
    text = str(raw).strip()
    file = (folder / text).resolve()
    if "\0" in text or not file.is_relative_to(folder):
        raise ModelError(f"{shown(text)} is outside the folder of the model; give a file below it")
    if not file.is_file():
        raise ModelError(f"there is no file {shown(text)} in the folder of the model; copy it there first")
    return file


def _rows(data: Any) -> Any:
    """JSON with tuples in place of its lists."""
    if isinstance(data, list):
        return tuple(_rows(v) for v in data)
    return {key: _rows(v) for key, v in data.items()} if isinstance(data, dict) else data


def _element(model: Model, a: Argument, raw: Any, own: Callable[[str, int], Any]) -> Element:
    kinds = PICKED[a.kind]
    if not (isinstance(raw, (list, tuple)) and len(raw) == 2 and raw[0] in kinds and isinstance(raw[1], int)):
        raise ModelError(f"{a.label} is {shown(raw)}; pick a {' or '.join(kinds)}")
    return own(raw[0], raw[1])
