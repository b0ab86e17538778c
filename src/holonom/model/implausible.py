"""Input that no machine has: what is certainly a mistake where it is written, and what probably is one.

`refuse` is called by the builder methods and raises; `doubts` goes over a whole model, so that datasets and files are
covered too, whose numbers another program accepts: there they are warnings of a check and of a run.  Both take the same
`PROBES`, one function per element type.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from .base import ModelError
from .directions import applied, turning_axes
from .joint_facts import facts
from .quantity_text import QUANTITIES, Angle
from .shape import is_shape, kind_of, shape_of

if TYPE_CHECKING:
    from .model import Model

# distance of two points, as a share of the lengths from which it is computed: the same point
COINCIDENT = 1e-9
TURN = 2.0 * math.pi  # radians: a larger free angle is taken for degrees
ROUNDED = 1e-4  # share of a turn by which one that is printed with few digits (6.2832) exceeds it
STRAIGHT = 0.5  # share of the length of a BEAM by which its end may be off as drawn
HIGH_FRICTION = 5.0  # coefficient of friction that no pair of materials has
FIT = (
    0.05,
    1.2,
)  # radius of gyration over the reach of the markers of a part: an inertia that has it only in kg m^2 is taken for one
TRIANGLE = 1e-3  # datasets are printed with few digits: so much may the largest moment exceed the sum of the others
LIGHTER = 1e-3  # difference of the mass of a part and that of its modes
LARGE = 20.0  # m: a mesh file that is larger has other units
HEAVY = 10.0  # weights of the machine: an elastic connection is not drawn with a larger force in it
SKEW, ACROSS = 5.0, 85.0  # degrees between a torque and its hinge: of a motor or torsion spring, of a vector of torque
PRINTED = 1e-5  # share of a distance by which a free length that is printed with few digits differs from it
WIDE_TYRE = 5.0  # m: no tyre has a larger radius
SUNK = 0.5  # share of the radius of a tyre: its deflection under the weight is less
FAR = 100.0  # m, and radii of gyration: a marker that is farther from the centre of mass of its part has other units
GYRATION = 30.0  # largest distances of a model: no part of it has a larger radius of gyration
SQUEEZED = 20.0  # free length of a spring over the distance of its ends: no spring is squeezed so far
OFF_AXLE = 45.0  # degrees between a wheel's y axis and its axle: more is a mistake

#: (certain, sentence)
Finding = tuple[bool, str]


def in_degrees(name: str, angle: float) -> str:
    """A sentence about an angle [rad] that seems to be in degrees, else nothing: more than a turn, or a whole number
    beyond pi, which angles in radians hardly ever are.  One whose unit was written is what it is."""
    if isinstance(angle, Angle):
        return ""
    if abs(angle) > TURN * (1.0 + ROUNDED):
        size = f"{name} is {angle:g} radians ({angle / TURN:.3g} turns)"
    elif abs(angle) > math.pi and angle == round(angle):
        size = f"{name} is {angle:g} radians"
    else:
        return ""
    return f"{size}; if it is in degrees, give {math.radians(angle):.6g}"


def _apart(model: Model, e: Any) -> np.ndarray | None:
    """Vector from marker J to marker I of an element at the design position, in axes of J; None where a marker floats
    or is missing."""
    markers = [model.markers.get(getattr(e, name)) for name in ("i", "j")]
    if any(m is None or m.floating for m in markers):
        return None
    try:
        i, j = (model.body_frame(m) @ m.frame for m in markers)  # type: ignore[union-attr]
    except (ModelError, KeyError, AttributeError):
        return None
    away = i.origin - j.origin
    lengths = [f.origin for f in (i, j)] + [m.frame.origin for m in markers]  # type: ignore[union-attr]
    if np.linalg.norm(away) <= COINCIDENT * float(np.abs(lengths).max()):
        return np.zeros(3)
    return j.axes.T @ away


def _negative(e: Any, names: tuple[str, ...]) -> Iterator[Finding]:
    for name in names:
        values = getattr(e, name)
        worst = min(values) if isinstance(values, (tuple, list)) and values else values
        if isinstance(worst, (int, float)) and worst < 0.0:
            what = "damping" if name.startswith("c") else "stiffness"
            yield (
                True,
                f"{name} is {worst:g}: a negative {what} {'puts energy in' if what == 'damping' else 'pushes away'}; "
                "give a positive number, or a force",
            )


def _spring(model: Model, e: Any) -> Iterator[Finding]:
    yield from _negative(e, ("k", "c", "kt", "ct"))
    if e.kind.upper() == "ROTATIONAL":
        if e.kt and (text := in_degrees("angle", e.angle)):
            yield False, text
        return
    ends = [model.markers.get(n) for n in (e.i, e.j)]
    if all(ends) and ends[0].part == ends[1].part and ends[0].body_kind == ends[1].body_kind:  # type: ignore[union-attr]
        yield (
            False,
            f"both of its markers belong to {model.body_of(ends[0]).label}, so it moves nothing; give one of "
            "another body",
        )
    if e.length < 0.0:
        yield (
            True,
            f"length is {e.length:g}: the free length of a spring is a distance; give zero or a positive number, and a "
            "preload by force",
        )
    away = _apart(model, e)
    push = e.k * e.length + e.force
    if away is not None and not away.any() and abs(push) > COINCIDENT * (abs(e.k) + abs(e.force)):
        yield (
            False,
            f"its markers coincide as drawn, so its force there ({push:.4g}) has no direction; move one, or use a "
            "BUSHING",
        )
    distance = 0.0 if away is None else float(np.linalg.norm(away))
    if e.k and e.length > SQUEEZED * distance > 0.0:
        length = model.units.symbol("length")
        yield (
            False,
            f"its free length is {e.length:g} {length}, and its markers are {distance:.4g} {length} apart as drawn, so "
            f"it starts with a push of {e.k * (e.length - distance) + e.force:.4g}; is it in other units?",
        )


def length_left_out(model: Any, e: Any, words: str) -> str:
    """The sentence for a translational spring whose free length was left out, which is then 0; empty where its markers
    coincide as drawn or it has a preload.  ``words``: how to give the length, with ``{}`` for that as drawn."""
    away = _apart(model, e)
    distance = 0.0 if away is None else float(np.linalg.norm(away))
    if e.kind.upper() != "TRANSLATIONAL" or not e.k or e.force or not distance > 0.0:
        return ""
    return (
        f"{e.label}: its free length is left out and is 0, and its markers are {distance:.4g} apart as drawn: it "
        f"starts with a pull of {e.k * distance:.4g}; give {words.format(f'{distance:.6g}')} if that is meant"
    )


def friction_coefficients(static: float, dynamic: float) -> Iterator[str]:
    """What is unusual of two coefficients of friction, in contacts and joints."""
    if dynamic > static > 0.0:
        yield (
            f"its dynamic coefficient of friction {dynamic:g} exceeds the static one {static:g}; they may be exchanged"
        )
    if max(static, dynamic) > HIGH_FRICTION:
        yield f"a coefficient of friction of {max(static, dynamic):g} is implausible; correct it"


def _bushing(model: Model, e: Any) -> Iterator[Finding]:
    yield from _negative(e, ("k", "c", "kt", "ct"))


def _scalar(model: Model, e: Any) -> Iterator[Finding]:
    if e.kind.upper() != "TRANSLATIONAL" or e.actiononly or (e.function or "").strip() in ("0", "0.0"):
        return
    away = _apart(model, e)
    if away is not None and not away.any():
        yield (
            False,
            "its markers coincide as drawn, so a force along their line has no direction; move one, or give "
            "kind='ROTATIONAL' for a torque",
        )


def _beam(model: Model, e: Any) -> Iterator[Finding]:
    away = _apart(model, e)
    if away is None or not e.length > 0.0:
        return
    off = float(np.linalg.norm(away - (e.length, 0.0, 0.0)))
    if away[0] < -STRAIGHT * e.length:
        yield (
            True,
            f"I lies at x = {away[0]:.4g} in axes of J, and a beam runs from J along +x of J: it starts compressed by "
            f"{off:.4g}; exchange i and j, or turn J",
        )
    elif off > STRAIGHT * e.length:
        yield (
            False,
            f"I lies {off:.4g} away from where the free beam of length {e.length:g} ends (+x of J); correct length, or "
            "the position and axes of its markers",
        )


def _field(model: Model, e: Any) -> Iterator[Finding]:
    for name, what in (("kmatrix", "stiffness"), ("cmatrix", "damping")):
        table = getattr(e, name)
        if len(table) == 36 and min(table[::7]) < 0.0:
            yield False, f"{name} has {min(table[::7]):g} on its diagonal: a negative {what}; correct its sign"


def _friction(model: Model, e: Any) -> Iterator[Finding]:
    for name in (
        "mu_static",
        "mu_dynamic",
        "pin_radius",
        "ball_radius",
        "stiction_transition_velocity",
        "max_stiction_deformation",
    ):
        value = getattr(e, name)
        if value is not None and value < 0.0:
            yield True, f"{name} is {value:g}; give zero or a positive number"
    joint = model.table("JOINT").get(e.joint)
    radius = "" if joint is None else facts(joint).friction_radius
    if joint is not None and radius and getattr(e, radius) is None and (e.mu_static or e.mu_dynamic):
        yield (
            False,
            f"{radius} is left out and is 1 {model.units.symbol('length')}, by which the friction torque of "
            f"{joint.label} is multiplied; give {radius}",
        )
    if e.effect == "ALL":  # both coefficients count
        for text in friction_coefficients(e.mu_static, e.mu_dynamic):
            yield False, text


#: size of a hydraulic cylinder -> (quantity, smallest and largest plausible value in SI units, what it may be written
#: in): a bulk modulus below 10 MPa is that of a gas, and pumps give more than 0.1 bar
HYDRAULIC = {
    "area_a": ("area", 0.0, 10.0, "mm^2"),
    "area_b": ("area", 0.0, 10.0, "mm^2"),
    "stroke": ("length", 0.0, 100.0, "mm"),
    "bulk": ("modulus", 1e7, 1e11, "bar or MPa"),
    "supply": ("modulus", 1e4, 1e9, "bar or MPa"),
}


def _hydraulic(model: Model, e: Any) -> Iterator[Finding]:
    for name, (quantity, low, high, other) in HYDRAULIC.items():
        value, dimension = getattr(e, name), QUANTITIES[quantity]
        size = value * model.units.si(quantity)
        if value and not low <= size <= high:
            own = model.units.symbol(quantity)
            also = "" if own == dimension else f", which is {size:.4g} {dimension}"
            yield False, f"{name} is {value:g} {own}{also}; is it in {other}?"
    try:
        opening = float(e.opening)
    except ValueError:
        return
    if abs(opening) > 1.0:
        yield False, f"opening is {opening:g}; it is a share, 1 fully open to push out and -1 to pull in"


PROBES: dict[str, Callable[[Model, Any], Iterator[Finding]]] = {
    "SPRINGDAMPER": _spring,
    "BUSHING": _bushing,
    "SFORCE": _scalar,
    "BEAM": _beam,
    "FIELD": _field,
    "FRICTION": _friction,
    "HYDRAULIC_CYLINDER": _hydraulic,
}


def findings(model: Any, element: Any) -> list[Finding]:
    """What the probe of an element's type says of it; nothing where the type has none."""
    probe = PROBES.get(element.KIND)
    return [] if probe is None else list(probe(model, element))


def refuse(model: Any, element: Any) -> None:
    """Raises `ModelError` with the first certain mistake of an element; warns of the others."""
    for certain, text in findings(model, element):
        if certain:
            raise element.error(text)
        model.warn(f"{element.label}: {text}")


def doubts(model: Model) -> list[str]:
    """What in a model is certainly or probably a mistake, one sentence each."""
    out = []
    for kind, probe in PROBES.items():
        for e in model.table(kind).values():
            if e.active:
                out += [f"{e.label}: {text}" for _, text in probe(model, e)]
    return (
        out
        + _turned(model)
        + _without_effect(model)
        + _torques_across(model)
        + _point_masses(model)
        + _drawn_open(model)
        + _tyres(model)
        + _foreign_inertia(model)
        + _foreign_lengths(model)
        + _reduced_bodies(model)
    )


def _turned(model: Model) -> list[str]:
    """Angles of parts and markers that seem to be in degrees: those that were set after the element was made, and those
    of files."""
    out = []
    for kind in ("PART", "MARKER", "POINT_MASS"):
        for e in model.table(kind).values():
            angles = getattr(e, "reuler", None)
            if not angles or not all(isinstance(a, (int, float)) for a in angles):
                continue
            plain = [a for a in angles if not isinstance(a, Angle)]
            if any(abs(a) > 2.0 * TURN or (abs(a) > math.pi and a == round(a)) for a in plain):
                text = ", ".join(f"{a:g}" for a in angles)
                out.append(
                    f"{e.label}: its angles ({text}) are in radians and look like degrees; give numpy.radians(...)"
                )
    return out


#: fields of elements all of which are zero in one that does nothing
EFFECTS = {
    "SPRINGDAMPER": ("k", "c", "force", "kt", "ct", "torque"),
    "BUSHING": ("k", "c", "kt", "ct", "force", "torque"),
}


def _without_effect(model: Model) -> list[str]:
    """Springs and bushings that exert nothing: their stiffness was forgotten."""
    out = []
    for kind, fields in EFFECTS.items():
        for e in model.table(kind).values():
            if e.active and e.source is None and not any(np.any(getattr(e, name)) for name in fields):
                out.append(f"{e.label}: it has neither stiffness nor damping nor preload, so it does nothing; give one")
    return out


def reduced_body(model: Any, part: Any, body: Any) -> list[str]:
    """What looks wrong in the reduced body of a flexible part: its inertia is that of no body, it does not weigh what
    the part does, or it sags under gravity, g / w^2 of its lowest frequency, by more than its size."""
    u, out = model.units, []
    a, b, c = np.linalg.eigvalsh(body.inertia)
    if c > (a + b) * (1.0 + TRIANGLE):
        out.append(
            f"{part.label}: no body has the inertia of its modes: the largest principal moment {c:.6g} exceeds the sum "
            f"of the other two ({a:.6g} + {b:.6g}); correct inertia"
        )
    mass = body.mass / u.mass_factor
    if part.mass and abs(mass / part.mass - 1.0) > LIGHTER:
        out.append(
            f"{part.label}: its mass is {part.mass:.6g} and that of its modes {mass:.6g} {u.symbol('mass')}; give "
            "both the same"
        )
    earth = 9.80665 * u.si_time**2 / u.si_length
    sag = (float(np.linalg.norm(model.gravity)) or earth) / float(body.frequency.min()) ** 2
    size = float(np.linalg.norm(np.ptp(body.places, axis=0)))
    if sag > size > 0.0:
        length, pressure = u.symbol("length"), f"{u.symbol('force')}/{u.symbol('length')}^2"
        out.append(
            f"{part.label}: under gravity it would deflect by {sag:.3g} {length}, more than its size of {size:.3g} "
            f"{length}, where modes do not hold: is its modulus in {pressure} (steel: "
            f"{2.1e11 * u.si_length**2 / u.si_force:.3g})?"
        )
    return out


def _reduced_bodies(model: Model) -> list[str]:
    """`reduced_body` of the flexible parts of a model, in whatever file their modes stand; what the builder said of a
    part is not reported again."""
    out = []
    for e in model.table("FLEXIBILITY").values():
        part = model.table("PART").get(e.part)
        if e.active and e.body is not None and part is not None and not e.body.faults():
            said = {w.split(" it would deflect")[0] for w in model.warnings}
            out += [t for t in reduced_body(model, part, e.body) if t.split(" it would deflect")[0] not in said]
    return out


def _torques_across(model: Model) -> list[str]:
    """Torques whose axis is not that of the only hinge about which they could turn something.

    The power of a torque T between bodies A and B is T . (w_A - w_B).  Where a joint of one axis h connects them this
    is T . h times the speed of the joint; else, with A and B hinged to ground, that of both hinges counts.
    """
    ground = next((p for p in model.parts.values() if p.ground), None)
    soft = {e.part for e in model.table("FLEXIBILITY").values() if e.active}
    out = []
    for kind in ("SFORCE", "SPRINGDAMPER", "VTORQUE"):
        for e in model.table(kind).values():
            found = applied(model, e) if e.active else None
            if (
                found is None
                or len(found[1]) != 1
                or (kind == "SFORCE" and (e.function or "0").strip() in ("0", "0.0"))
            ):
                continue
            reaction = None if getattr(e, "actiononly", False) else getattr(e, "j", None) or getattr(e, "jfloat", None)
            markers = [model.markers.get(n) for n in (e.i, reaction) if n]
            bodies = [model.body_of(m) for m in markers if m is not None]
            if not bodies or any(b.KIND != "PART" or b.id in soft for b in bodies):
                continue
            pairs = [(bodies[0], bodies[1])] if len(bodies) > 1 else []
            hinges = [hinge for pair in pairs for hinge in turning_axes(model, *pair)]
            if not hinges:
                each = [turning_axes(model, b, ground) for b in bodies if not getattr(b, "ground", False)]
                if not each or not all(each):  # between two markers of ground it turns nothing
                    continue
                hinges = [hinge for some in each for hinge in some]
            share, joint = max(((abs(float(found[1][0] @ axis)), j) for j, axis in hinges), key=lambda row: row[0])
            off = math.degrees(math.acos(min(share, 1.0)))
            if off > (ACROSS if kind == "VTORQUE" else SKEW):
                about = model.markers.get(e.rm if kind == "VTORQUE" else e.j)
                axis = "its axis" if kind == "VTORQUE" else f"z of {about.label}" if about is not None else "z"
                effect = "it turns nothing" if share < 1e-6 else f"only {share:.3g} of it acts"
                out.append(
                    f"{e.label}: its torque is about {axis}, {off:.0f} degrees from the axis of {joint.label}, about "
                    f"which alone its bodies can turn, so {effect}; turn the marker so that the two axes are parallel"
                )
    return out


#: joints that let a body swing about the axis z of J, and those that let it swing about a point
_ABOUT_AXIS, _ABOUT_POINT = (
    ("REVOLUTE", "CYLINDRICAL", "SCREW", "INLINE"),
    ("SPHERICAL", "UNIVERSAL", "HOOKE", "CONVEL", "ATPOINT"),
)


def _point_masses(model: Model) -> list[str]:
    """Joints of point masses that need a body that turns: a point mass keeps its orientation (POINT_MASS, Adams Solver
    manual)."""
    out = []
    for e in (*model.table("JOINT").values(), *model.table("JPRIM").values()) if model.table("POINT_MASS") else ():
        markers = [model.markers.get(e.i), model.markers.get(e.j)]
        for own, other in (markers, markers[::-1]) if e.active else ():
            if own is None or other is None or own.body_kind != "POINT_MASS":
                continue
            mass = model.table("POINT_MASS").get(own.part)
            cm = model.markers.get(mass.cm) if mass is not None else None
            if mass is None or cm is None:
                continue
            arm = np.asarray(cm.qp) - np.asarray(own.qp)
            scale = float(np.abs([cm.qp, own.qp]).max())
            if e.type in _ABOUT_AXIS:
                z = own.frame.axes[:, 2]
                arm = arm - (arm @ z) * z
            reach = float(np.linalg.norm(arm))
            kind = f"{e.label} ({e.type})"
            if e.type in (*_ABOUT_AXIS, *_ABOUT_POINT) and reach > COINCIDENT * scale:
                out.append(
                    f"{kind}: {mass.label} lies {reach:.4g} {model.units.symbol('length')} from it and cannot swing "
                    "about it: a point mass has no rotation; make it a part with an inertia, or keep "
                    "its distance by a GCON"
                )
            elif facts(e).keeps and (other.body_kind != "PART" or not model.parts[other.part].ground):
                body = model.parts[other.part] if other.body_kind == "PART" else other
                what = "" if facts(e).keeps == "all" else "the z axis of "
                out.append(
                    f"{kind}: {mass.label} is a point mass, which has no rotation, so the joint keeps {what}"
                    f"{body.label} from turning; use a spherical joint, or make it a part with an inertia"
                )
    return out


def _gravity(model: Model) -> float:
    """Gravity in m/s^2, Earth's where there is none: what a load weighs."""
    unit = model.units.si_length / model.units.si_time**2
    return math.sqrt(sum(g * g for g in model.gravity)) * unit or 9.80665


def _drawn_open(model: Model) -> list[str]:
    """Elastic connections whose markers are so far apart as drawn that they pull with many weights of the machine."""
    mass = sum(p.mass or 0.0 for kind in ("PART", "POINT_MASS") for p in model.table(kind).values() if p.active)
    weight = mass * model.units.si_mass * _gravity(model) / model.units.si_force
    out = []
    for e in (*model.table("BUSHING").values(), *model.table("FIELD").values()) if weight > 0.0 else ():
        k, free = (e.k, (0.0,) * 3) if e.KIND == "BUSHING" else (e.kmatrix[::7][:3], e.length[:3])
        away = _apart(model, e) if e.active and len(k) == 3 else None
        if away is None or not away.any():
            continue
        stretch = away - np.asarray(free)
        off = float(np.linalg.norm(stretch))
        if off <= PRINTED * float(np.linalg.norm(away)):
            continue
        force = float(np.linalg.norm(np.multiply(k, stretch) - np.asarray(e.force)))
        if force > HEAVY * weight:
            length, unit = model.units.symbol("length"), model.units.symbol("force")
            out.append(
                f"{e.label}: its markers are {off:.4g} {length} {'off its free length' if any(free) else 'apart'} as "
                "drawn, so it starts with a "
                f"force of {force:.4g} {unit}, {force / weight:.3g} times the weight of the machine; put both markers "
                "at one point, or give the preload that balances it"
            )
    return out


def _groups(model: Model) -> dict[tuple[str, int], tuple[str, int]]:
    """The group of each moving body, by one of its members: those that joints and forces other than tyres hold
    together."""
    group = {
        (kind, b.id): (kind, b.id)
        for kind in ("PART", "POINT_MASS")
        for b in model.table(kind).values()
        if not getattr(b, "ground", False)
    }

    def root(key: tuple[str, int]) -> tuple[str, int]:
        while group[key] != key:
            group[key] = key = group[group[key]]
        return key

    for e in model:
        if e.ROLE in ("constraint", "force") and e.active and not e.KIND.startswith("TYRE_"):
            markers = [model.markers[n] for n in e.ports if n in model.markers]
            bodies = [key for m in markers if (key := (m.body_kind, m.part)) in group]
            for other in bodies[1:]:
                group[root(bodies[0])] = root(other)
    return {key: root(key) for key in group}


def _tyres(model: Model) -> list[str]:
    """Tyres whose radius or stiffness is that of other units, that lack coefficients, and whose marker does not have y
    along the axle."""
    tables: dict[str, dict[int, Any]] = model._tables
    tyres = [
        (e, wheel)
        for kind, rows in tables.items()
        if kind.startswith("TYRE_")
        for e in rows.values()
        if e.active and (wheel := model.markers.get(e.i)) is not None
    ]
    if not tyres:
        return []
    groups: dict[tuple[str, int], Any] = _groups(model)
    mass: dict[Any, float] = {}
    count: dict[Any, int] = {}
    group: Any
    for key, group in groups.items():
        mass[group] = mass.get(group, 0.0) + (model.table(key[0])[key[1]].mass or 0.0)
    for _, wheel in tyres:
        group = groups.get((wheel.body_kind, wheel.part))
        count[group] = count.get(group, 0) + 1
    u, out = model.units, []
    length = u.symbol("length")
    for e, wheel in tyres:
        group = groups.get((wheel.body_kind, wheel.part))
        radius, stiffness = e.size(), e.upright_stiffness()
        if radius * u.si_length > WIDE_TYRE:
            metres = "" if length == "m" else f", {radius * u.si_length:.4g} m"
            out.append(
                f"{e.label}: its radius is {radius:g} {length}{metres}, larger than that of any tyre; give it in "
                f"{length}"
            )
        load = mass.get(group, 0.0) * u.si_mass * _gravity(model) / u.si_force / count[group]
        if stiffness > 0.0 and radius * u.si_length <= WIDE_TYRE and load > SUNK * radius * stiffness:
            force = u.symbol("force")
            out.append(
                f"{e.label}: under its share {load:.4g} {force} of the weight it sinks by {load / stiffness:.4g} "
                f"{length}, {load / stiffness / radius:.3g} of its radius; give its vertical stiffness, "
                f"{stiffness:g}, in {force}/{length}"
            )
        if lacking := e.lacking():
            out.append(f"{e.label}: {lacking}")
        out += _axle(model, e, wheel)
        out += _under_the_road(model, e, wheel, radius)
    return out


def _under_the_road(model: Model, e: Any, wheel: Any, radius: float) -> list[str]:
    """Whether the centre of a wheel is drawn under the plane of its road, and whether wheel and road are exchanged."""
    road = model.markers.get(e.j)
    if getattr(model.body_of(wheel), "ground", False):
        return [
            f"{e.label}: its wheel, {wheel.label}, is fixed to the ground; give the marker of the wheel as i, that of "
            "the road as j"
        ]
    if road is None or getattr(e, "road", None) or not radius > 0.0:  # the height of a road with a shape is its own
        return []
    try:
        wheel_frame, road_frame = (model.body_frame(m) @ m.frame for m in (wheel, road))
    except (ModelError, KeyError, AttributeError):
        return []
    height = float((wheel_frame.origin - road_frame.origin) @ road_frame.axes[:, 2])
    if height > 0.0:
        return []
    length = model.units.symbol("length")
    return [
        f"{e.label}: the centre of its wheel is drawn {-height:.4g} {length} under the road of {road.label}, so that "
        f"it begins with a deflection of {radius - height:.4g} {length} at a radius of {radius:g} {length}; draw the "
        "wheel above the plane z = 0 of that marker, whose z axis is up"
    ]


def _axle(model: Model, e: Any, wheel: Any) -> list[str]:
    """Whether y of the marker of a tyre lies along none of the axes about which its wheel turns."""
    axes = []
    try:
        y = (model.body_frame(wheel) @ wheel.frame).axes[:, 1]
        for joint in model.table("JOINT").values():
            if joint.active and joint.type in ("REVOLUTE", "CYLINDRICAL", "PLANAR"):
                markers = [model.markers[n] for n in (joint.i, joint.j)]
                if any((m.body_kind, m.part) == (wheel.body_kind, wheel.part) for m in markers):
                    axes.append((joint, abs(float(y @ (model.body_frame(markers[1]) @ markers[1].frame).axes[:, 2]))))
    except (ModelError, KeyError, AttributeError):
        return []
    if not axes or max(along for _, along in axes) > math.cos(math.radians(OFF_AXLE)):
        return []
    joint, along = max(axes, key=lambda row: row[1])
    return [
        f"{e.label}: y of its {wheel.label} is the axis about which the wheel turns, and that of {joint.label} is "
        f"{math.degrees(math.acos(min(along, 1.0))):.0f} degrees from it; turn the marker, y along the axle to the "
        "left of forward travel"
    ]


def _foreign_inertia(model: Model) -> list[str]:
    """Parts of a model in millimetres whose inertia fits their size only if it is in kg m^2."""
    unit = model.units.si_length
    if unit > 0.0101:  # the two differ by too little to be distinguished
        return []
    reach, parts = _reach(model), model.table("PART")
    out = []
    for p in parts.values():
        if p.ground or not p.mass or len(p.ip) < 3 or not reach.get(p.id):
            continue
        gyration = math.sqrt(max(max(p.ip[:3]), 0.0) / p.mass)
        if FIT[0] * reach[p.id] < gyration / unit < FIT[1] * reach[p.id]:
            length = model.units.symbol("length")
            out.append(
                f"{p.label}: its radius of gyration is {gyration:.3g} {length} and its markers reach {reach[p.id]:.3g} "
                f"{length} from its centre of mass: its inertia "
                f"seems to be in kg*m^2; give it in {model.units.symbol('mass')}*{length}^2 (times {1 / unit**2:g})"
            )
    return out


def _reach(model: Model) -> dict[int, float]:
    """Largest distance of a marker of each part from its centre of mass."""
    reach: dict[int, float] = {}
    parts = model.table("PART")
    centre = {p.id: np.asarray(cm.qp) for p in parts.values() if (cm := model.markers.get(p.cm)) is not None}
    for m in model.markers.values():
        if m.body_kind == "PART" and m.part in centre and not m.floating:
            reach[m.part] = max(reach.get(m.part, 0.0), float(np.linalg.norm(np.asarray(m.qp) - centre[m.part])))
    return reach


def _foreign_lengths(model: Model) -> list[str]:
    """Lengths and radii of gyration that do not fit the extent of the model: they are those of other units, as
    millimetres in a model in metres."""
    u, reach = model.units, _reach(model)
    length, out = u.symbol("length"), []
    moving = [p for p in model.parts.values() if not p.ground and p.active]
    centres = np.array([p.qg for p in moving], float).reshape(-1, 3)
    spread = float(np.linalg.norm(np.ptp(centres, axis=0))) if len(moving) else 0.0
    extent, unit = max([spread, _shape_size(model), *reach.values()]), u.si_length
    soft = {e.part for e in model.table("FLEXIBILITY").values()}
    gyrations = {p.id: math.sqrt(max(*p.ip[:3], 0.0) / p.mass) for p in moving if p.mass and len(p.ip) >= 3}
    for p in moving:
        gyration = gyrations.get(p.id, 0.0)
        if gyration > GYRATION * extent > 0.0:
            out.append(
                f"{p.label}: its radius of gyration is {gyration:.3g} {length}, and the largest distance in the model "
                f"is {extent:.3g} {length}; give inertia in {u.symbol('mass')}*{length}^2 (is it in mm?)"
            )
        far = reach.get(p.id, 0.0)
        if far * unit > FAR and far > FAR * gyration > 0.0 and p.id not in soft:
            out.append(
                f"{p.label}: a marker is {far:.4g} {length} from its centre of mass, {far / gyration:.3g} times its "
                f"radius of gyration; if these lengths are in mm, multiply them by {1e-3 / unit:g}"
            )
    largest = max([extent, *gyrations.values()])
    for e in model.table("FRICTION").values():
        joint = model.table("JOINT").get(e.joint)
        name = "" if joint is None else facts(joint).friction_radius
        radius = getattr(e, name) if name else None
        if radius is not None and e.active and radius > largest > 0.0:
            out.append(
                f"{e.label}: {name} is {radius:g} {length}, larger than the whole model ({largest:.3g} {length}); if "
                f"it is in mm, give {radius * 1e-3 / unit:g}"
            )
    return out


#: shapes whose parameters are their lengths
_SIMPLE = ("SPHERE", "BOX", "CYLINDER", "CAPSULE", "FRUSTUM", "ELLIPSOID", "TORUS", "PLANE", "POINT")


def _shape_size(model: Model) -> float:
    """Largest length of the shapes of a model; infinite where one is not simple, so that nothing is concluded."""
    size = 0.0
    for g in model.table("GRAPHICS").values():
        if is_shape(g):
            try:
                if kind_of(model, g) not in _SIMPLE:
                    return math.inf
                size = max(size, *(abs(v) for v in shape_of(model, g).par), 0.0)
            except (ModelError, KeyError, AttributeError):  # a fault
                return math.inf
    return size


def large_mesh(model: Model, path: Any, size: np.ndarray) -> None:
    """Warn where a mesh of a file, which holds no unit, is larger than machines are: its numbers are those of another
    unit."""
    metres = size * model.units.si_length
    if metres.max(initial=0.0) > LARGE:
        across, scale = " x ".join(f"{v:.4g}" for v in size), 1e-3 / model.units.si_length
        model.warn(
            f"'{path}' is {across} {model.units.symbol('length')} in size; if its numbers are millimetres, give "
            f"scale={scale:g}"
        )
