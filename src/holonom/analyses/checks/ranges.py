"""Ranges of validity: every element that has one declares it here, and a run reports which it left, when first, and how
far.

`RANGES` has a function per element type, which goes over the rows of a run; what rows do not hold, the arguments of
splines, is evaluated by compiled functions when a row is stored and, where works are integrated, at every accepted step
(`Lookups`).  `UNLIMITED` names the element types that have no range, with the reason; a test compares both with all
types.  Of all ranges but those of splines, what lies between two rows is not seen.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._summary import Summary
from ...expressions import Call, ExpressionError
from ...model import ModelError
from ...model.bounds import bounds
from ...model.data_files import spline_points
from ...model.shape import is_shape, shape_of
from ...model.shape_kinds import shape_kind
from ...results.run import Run
from ...results.views.bending import folded, small_deformation_warnings
from ...system.outputs import Followed
from .crossed import passed

ROUNDOFF = 1e-9  # of a range, by which its end may be passed
MOST = 5  # sentences per element type; the others are counted
SMALL_TURN = 0.2  # rad: small-angle laws are off by about 1 % from here on (1 - cos, and the order of rotations)
MODERATE_BEND = (
    0.25  # of a BEAM of FORMULATION = STRING: the cubic terms that it leaves out are some per cent of those that it has
)
SMALL_BEND = 0.1  # deflection of a linear BEAM across, as a share of its length
THIN = 0.25  # depth of a contact as a share of the thickness of the thinner shape
CLOSE = 1e-6  # distance of two markers, as a share of the largest, below which the line between them has no direction
SPLINES = ("AKISPL", "CUBSPL")


@dataclass
class Excess(Summary):
    """Where a value left a range: ``first`` and ``worst_at`` times, ``worst`` value, ``end`` of the range that it
    passed."""

    first: float
    worst: float
    worst_at: float
    end: float

    def __str__(self) -> str:
        return (
            f"{self.worst:.4g} at time {self.worst_at:.6g} (limit {self.end:.4g}, passed first at time "
            f"{self.first:.6g})"
        )


def excess(time: np.ndarray, values: np.ndarray, low: float = -math.inf, high: float = math.inf) -> Excess | None:
    """The excess of values (nt,) over a range; None where there is none.  Values that are not finite do not count."""
    values = np.asarray(values, float)
    slack = ROUNDOFF * (
        (high - low) if math.isfinite(high - low) else max(abs(v) for v in (low, high, 0.0) if math.isfinite(v))
    )
    over = np.where(np.isfinite(values), np.maximum(values - high, low - values), -math.inf)
    out = np.flatnonzero(over > slack)
    if not len(out):
        return None
    k = int(over.argmax())
    return Excess(float(time[out[0]]), float(values[k]), float(time[k]), high if values[k] > high else low)


# ---- splines: arguments are evaluated when a row is stored -----------------------------------------------------------
class Lookups(Followed):
    """Arguments of the splines that the equations of motion and the outputs read; `look` compares them with the tables.
    Those of outputs that depend on forces or accelerations are left out."""

    def __init__(self, system: Any, calls: list[tuple[Any, str, str, float, float]]) -> None:
        self.calls = calls
        super().__init__(system, [(argument, label) for argument, label, *_ in calls])
        self.low = np.array([c[3] for c in calls])
        self.high = np.array([c[4] for c in calls])
        self.slack = ROUNDOFF * (self.high - self.low)

    @classmethod
    def of(cls, system: Any) -> Lookups | None:
        """Those of a system; None where it reads no splines, or none whose values are extrapolated."""
        motions = [(node, motion.label) for motion, node in system.motion_nodes.values()]
        moving = [*system.functions.set.lookups.items(), *_calls(motions)]
        outputs = system.workspace.outputs
        shown = [] if outputs is None else [one for one in outputs.set.lookups.items() if one not in moving]
        for calls in ([*moving, *shown], moving) if shown else (moving,):
            found = _tables(system, calls)
            try:
                lookups = cls(system, found) if found else None
            except (ExpressionError, ModelError, KeyError):  # a parameter that others know alone
                continue
            if lookups is not None:
                own = len(_tables(system, moving))
                lookups.slack[own:][~lookups.known[own:]] = np.inf
            return lookups
        return None

    def look(self, t: float, y: np.ndarray, excesses: dict[tuple[str, str], Excess]) -> None:
        """Enter what lies outside of its table at a row."""
        values = self.values(t, y)
        over = np.maximum(values - self.high, self.low - values)
        for k in np.flatnonzero(over > self.slack):
            _, label, what, low, high = self.calls[k]
            end = float(high if values[k] > high else low)
            have = excesses.setdefault((label, what), Excess(float(t), float(values[k]), float(t), end))
            if abs(values[k] - end) > abs(have.worst - have.end):
                have.worst, have.worst_at, have.end = float(values[k]), float(t), end


def _tables(system: Any, calls: list[tuple[Any, str]]) -> list[tuple[Any, str, str, float, float]]:
    """Argument, owner, table and its ends for each axis of a spline that is extrapolated."""
    found: list[tuple[Any, str, str, float, float]] = []
    for call, label in calls:
        try:
            element = system.model.find("SPLINE", int(call.args[2].value))
            data = spline_points(system.model, element)
        except (ModelError, AttributeError, IndexError, TypeError, ValueError):
            continue
        if data.extrapolation == "constant":
            continue
        for k, axis, ends in ((0, "x", data.x), (1, "z", data.z)):
            if len(ends) > 1:
                found.append((call.args[k], label, f"{element.label} at {axis}", float(min(ends)), float(max(ends))))
    return found


def _calls(nodes: list[tuple[Any, str]]) -> Iterator[tuple[Call, str]]:
    from ...expressions import walk

    for node, label in nodes:
        for part in walk(node):
            if isinstance(part, Call) and part.name in SPLINES:
                yield part, label


def extrapolated(excesses: dict[tuple[str, str], Excess]) -> Iterator[str]:
    """A message for each table that was left."""
    for (label, what), found in excesses.items():
        yield (
            f"{label} reads {what} = {found}: values beyond the table are extrapolated; extend the table, or hold "
            "its last value (an IF, or MIN and MAX)"
        )


def without_value(undefined: dict[str, tuple[float, float, int]]) -> Iterator[str]:
    """A message for each output whose function had no finite value (`Recorder.undefined`)."""
    for label, (first, value, rows) in list(undefined.items())[:MOST]:
        yield (
            f"{label}: its function is {value:g} at time {first:.6g} first, and has no finite value in {rows} "
            f"row{'s' if rows > 1 else ''}: it divides by zero, or takes a root or logarithm out of its range; "
            "bound its argument, by MAX or IF"
        )
    if len(undefined) > MOST:
        yield f"{len(undefined) - MOST} more outputs have functions without a finite value"


# ---- pairs of markers ------------------------------------------------------------------------------------------------
def _pair(run: Run, e: Any) -> tuple[np.ndarray, np.ndarray] | None:
    """Displacement (nt, 3) and rotation (nt, 3, 3) of marker I in axes of J; None where a marker was not recorded."""
    try:
        (ri, Ai), (rj, Aj) = (run.marker(getattr(e, name))._motion[:2] for name in ("i", "j"))
    except (ModelError, KeyError, AttributeError):
        return None
    return np.einsum("tba,tb->ta", Aj, ri - rj), np.einsum("tba,tbc->tac", Aj, Ai)


def _tilt(turn: np.ndarray) -> np.ndarray:
    """(nt,) second largest of the projected angles about x, y and z: one may be large."""
    angles = np.abs(
        [
            np.arctan2(turn[:, 2, 1], turn[:, 1, 1]),
            np.arctan2(turn[:, 0, 2], turn[:, 2, 2]),
            np.arctan2(turn[:, 1, 0], turn[:, 0, 0]),
        ]
    )
    return np.sort(angles, axis=0)[1]


def _small_angles(run: Run, e: Any) -> Iterator[str]:
    stiff = (any(e.kt) or any(e.ct)) if hasattr(e, "kt") else any(e.kmatrix) or any(e.cmatrix)
    found = _pair(run, e) if stiff else None
    over = None if found is None else excess(run.data.time, _tilt(found[1]), high=SMALL_TURN)
    if over is not None:
        yield (
            f"{e.label}: its markers turn about two axes by {over}, rad: its law is for small angles; use a joint, "
            "or springs about single axes"
        )


def _small_bending(run: Run, e: Any) -> Iterator[str]:
    if e.formulation.upper() == "NONLINEAR":
        return
    found = _pair(run, e)
    if found is None or not e.length > 0.0:
        return
    across = np.hypot(found[0][:, 1], found[0][:, 2]) / e.length
    string = e.formulation.upper() == "STRING"
    over = excess(run.data.time, across, high=MODERATE_BEND if string else SMALL_BEND)
    if over is not None:
        law = "for moderate turns" if string else "linear"
        yield (
            f"{e.label}: it is bent across by {over} of its length: its law is {law}; give formulation='NONLINEAR', "
            "or several beams"
        )


def _line(run: Run, e: Any) -> Iterator[str]:
    if getattr(e, "kind", "TRANSLATIONAL").upper() != "TRANSLATIONAL" or getattr(e, "actiononly", False):
        return
    found = _pair(run, e)
    if found is None:
        return
    apart = np.linalg.norm(found[0], axis=1)
    largest = float(np.nanmax(apart, initial=0.0))
    if not largest > 0.0 or apart[0] <= CLOSE * largest:  # at the start: the model reports this (`model.implausible`)
        return
    over = excess(run.data.time, apart, low=CLOSE * largest)
    if over is not None:
        yield (
            f"{e.label}: the distance of its markers is {over}: a force along their line has no direction there; "
            "move a marker, or use a BUSHING"
        )


def _spring(run: Run, e: Any) -> Iterator[str]:
    yield from _line(run, e)
    if e.kind.upper() != "ROTATIONAL" or (found := _pair(run, e)) is None:
        return
    over = excess(run.data.time, np.arccos(np.clip(found[1][:, 2, 2], -1.0, 1.0)), high=SMALL_TURN)
    if over is not None:
        yield (
            f"{e.label}: the angle [rad] between the z axes of its markers is {over}: its torque about z of J follows "
            "the angle about that axis, which is a law of energy only while both axes are parallel; use it on a hinge, "
            "or a BUSHING"
        )


# ---- tyres, roads and rails ------------------------------------------------------------------------------------------
def _load_range(e: Any) -> tuple[float, str]:
    """Largest load of a tyre, and where it comes from."""
    if e.KIND == "TYRE_TMEASY":
        return 3.5 * e.load, "3.5 times its nominal load"
    given = e.coefficients.get("FZMAX", 0.0)
    return (given, "FZMAX") if given > 0.0 else (20.0 * e.coefficients.get("FNOMIN", math.inf), "20 times FNOMIN")


def _tyre_load(run: Run, e: Any) -> Iterator[str]:
    most, what = _load_range(e)
    key = (e.KIND, e.id, e.name)
    if key not in run.data.forces or not math.isfinite(most):
        return
    try:
        up = run.marker(e.j)._motion[1][:, :, 2]
    except (ModelError, KeyError, AttributeError):
        return
    load = np.einsum("ti,ti->t", run.data.force_force[:, run.data.forces.index(key)], up)
    over = excess(run.data.time, np.abs(load), high=most)
    if over is not None:
        yield (
            f"{e.label}: its load is {over}, beyond {what}: its forces are those of that load; use the coefficients "
            "of a stronger tyre"
        )


#: of a tyre by coefficients: what its forces are for, from and to which value; beyond they are those of the bound
SLIPS = (
    ("slip angle", "ALPMIN", "ALPMAX", " [rad]"),
    ("longitudinal slip", "KPUMIN", "KPUMAX", ""),
    ("inclination", "CAMMIN", "CAMMAX", " [rad]"),
)
NEAR_BOUND = 0.02  # of a range of slips: so far they are known here from the motion of the wheel's centre


def _slips(run: Run, e: Any) -> tuple[np.ndarray, ...] | None:
    """Slip angle, longitudinal slip and inclination (nt) of a wheel from the motion of its centre over a level road.

    NaN where the tyre carries nothing or is slower than VXLOW, below which the law takes other slips; None where its
    markers were not recorded.
    """
    key = (e.KIND, e.id, e.name)
    try:
        wheel, road = (run.marker(n)._motion for n in (e.i, e.j))
    except (ModelError, KeyError, AttributeError):
        return None
    if key not in run.data.forces:
        return None
    up, axle = road[1][:, :, 2], wheel[1][:, :, 1]
    velocity = wheel[2] - road[2]
    forward = np.cross(axle, up)
    forward = forward / np.maximum(np.linalg.norm(forward, axis=1, keepdims=True), 1e-300)
    left = np.cross(up, forward)
    dot = lambda a, b: np.einsum("ti,ti->t", a, b)
    along, across = dot(velocity, forward), dot(velocity, left)
    load = np.abs(dot(run.data.force_force[:, run.data.forces.index(key)], up))
    c = e.coefficients
    flattened = load / c["VERTICAL_STIFFNESS"] if c.get("VERTICAL_STIFFNESS") else 0.0
    rolling = (e.size() - flattened / 3.0) * dot(wheel[4] - road[4], axle)  # effective radius of a radial tyre, about
    with np.errstate(divide="ignore", invalid="ignore"):
        slips = np.arctan2(across, np.abs(along)), (rolling - along) / np.abs(along)
    off = (load <= 0.0) | (np.hypot(along, across) <= c.get("VXLOW", 0.0))
    slips = (np.where(off, np.nan, slips[0]), np.where(off | (np.abs(along) <= c.get("VXLOW", 0.0)), np.nan, slips[1]))
    return *slips, np.where(load <= 0.0, np.nan, np.arcsin(np.clip(dot(axle, up), -1.0, 1.0)))


def _tyre(run: Run, e: Any) -> Iterator[str]:
    yield from _tyre_load(run, e)
    found = _slips(run, e)
    for values, (what, least, most, unit) in zip(found or (), SLIPS):
        low, high = (e.coefficients.get(name, bound) for name, bound in ((least, -math.inf), (most, math.inf)))
        slack = NEAR_BOUND * (high - low) if math.isfinite(high - low) else 0.0
        over = excess(run.data.time, values, low - slack, high + slack)
        if over is not None:
            name, end = (most, high) if over.worst > high else (least, low)
            over.end = end
            yield (
                f"{e.label}: its {what}{unit} is {over}, beyond {name} = {end:g}, to which its coefficients are "
                "valid: forces are those of that bound"
            )


def _reach(road: Any) -> tuple[float, float] | None:
    """Where along x a road by a table begins and ends."""
    if road.shape == "PROFILE":
        x = np.asarray(road.tables.get("x", ()), float).ravel()
    elif road.shape == "MESH":
        x = np.asarray(road.tables.get("points", ()), float).reshape(-1, 3)[:, 0]
    else:
        return None
    return (float(x.min()), float(x.max())) if len(x) else None


def positions_on_grid(tables: dict[str, Any], xy: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """Positions (nt, 2) in the coordinates of a GRID road: distance along its reference line and offset to the left (nt
    each); length of the line."""
    line, phi = np.column_stack([np.asarray(tables[n], float) for n in ("x", "y")]), np.asarray(tables["phi"], float)
    along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(line, axis=0), axis=1))])
    near = np.array([int(((line - p) ** 2).sum(axis=1).argmin()) for p in xy])
    off, f = xy - line[near], phi[near]
    return (
        along[near] + off[:, 0] * np.cos(f) + off[:, 1] * np.sin(f),
        off[:, 1] * np.cos(f) - off[:, 0] * np.sin(f),
        float(along[-1]),
    )


def positions_on_track(track: Any, xy: np.ndarray, metre: float = 1.0) -> np.ndarray:
    """(nt,) length along the line of a track at positions (nt, 2) in axes of its marker: that of the nearest node, and
    from there along its tangent; before the first and behind the last node along the straight line there."""
    if not track.sections:
        return xy[:, 0]
    step, nodes = track.line(metre)
    near = np.array([int(((nodes[:, :2] - p) ** 2).sum(axis=1).argmin()) for p in xy])
    off = xy - nodes[near, :2]
    return step * near + off[:, 0] * nodes[near, 4] + off[:, 1] * nodes[near, 5]


def _wheel_positions(run: Run, wheels: list[Any], marker: int) -> Iterator[tuple[Any, np.ndarray]]:
    """Wheels whose markers were recorded, and their positions (nt, 3) in axes of the marker of a road or track."""
    for e in wheels:
        try:
            (r, _), (origin, A) = (run.marker(n)._motion[:2] for n in (e.i, marker))
        except (ModelError, KeyError, AttributeError):
            continue
        yield e, np.einsum("tba,tb->ta", A, r - origin)


def _road_end(run: Run, road: Any) -> Iterator[str]:
    wheels = [
        e
        for kind, table in run.model._tables.items()
        if kind.startswith("TYRE_")
        for e in table.values()
        if e.active and getattr(e, "road", None) == road.id
    ]
    ends = _reach(road)
    for e, at in _wheel_positions(run, wheels, road.marker) if ends is not None or road.shape == "GRID" else ():
        ranges = [("x", at[:, 0], *ends)] if ends is not None else []
        if road.shape == "GRID":
            along, across, length = positions_on_grid(road.tables, at[:, :2])
            v = np.asarray(road.tables["v"], float)
            ranges = [("u", along, 0.0, length), ("v", across, float(v.min()), float(v.max()))]
        for name, values, low, high in ranges:
            over = excess(run.data.time, values, low, high)
            if over is not None:
                yield (
                    f"{e.label}: its wheel is at {name} = {over} of {road.label}, beyond the end of its table; "
                    "extend the road"
                )


def _rail_end(run: Run, track: Any) -> Iterator[str]:
    ranges = []
    if len(track.irregularities):
        end = track.first + track.spacing * (len(track.irregularities) - 1)
        ranges.append((track.first, end, "beyond its irregularities, where the rails are even; extend the table"))
    if track.sections and track.sections[-1][1]:
        text = "beyond its last section, a curve, after which the track continues straight; add a section"
        ranges.append((-math.inf, track.length(), text))
    wheels = [e for e in run.model.table("WHEEL_RAIL").values() if e.active and e.track == track.id]
    metre = 1.0 / run.model.units.si_length
    for e, at in _wheel_positions(run, wheels, track.marker) if ranges else ():
        along = positions_on_track(track, at[:, :2], metre)
        for low, high, text in ranges:
            over = excess(run.data.time, along, low, high)
            if over is not None:
                yield f"{e.label}: its wheel is at s = {over} of {track.label}, {text}"


# ---- contacts --------------------------------------------------------------------------------------------------------
def _depth(run: Run, contact: Any) -> Iterator[str]:
    through = passed(run, contact)
    if through:
        yield through
    key = next((k for k in run.data.contacts if k[0] == contact.KIND and k[1] == contact.id), None)
    if key is None or not np.size(run.data.contact_depth):
        return
    depth = run.data.contact_depth[:, run.data.contacts.index(key)]
    if not np.nanmax(depth, initial=0.0) > 0.0:
        return
    thick = math.inf
    for number in (*contact.igeom, *contact.jgeom):
        graphic = run.model.table("GRAPHICS").get(number)
        try:
            solid = shape_of(run.model, graphic) if graphic is not None and is_shape(graphic) else None
            if solid is not None and shape_kind(solid.kind).filled:
                half = bounds(solid)[1]
                thick = min(thick, 2.0 * float(half[half > 0.0].min(initial=math.inf)))
        except (ModelError, ValueError, IndexError, KeyError):
            continue
    over = excess(run.data.time, depth, high=THIN * thick) if math.isfinite(thick) else None
    if over is not None:
        yield (
            f"{contact.label}: its shapes overlap by {over}, more than a quarter of the thickness {thick:.4g} of the "
            "thinner one, where forces soon point the wrong way: "
            "raise the stiffness, or shorten the steps"
        )


# ---- friction of joints ----------------------------------------------------------------------------------------------
SMALL_SHARE = 0.1  # of the friction of a joint: less than that by an arm that was left out is not reported


def _arms(run: Run, e: Any) -> Iterator[str]:
    """Arms of friction that were left out, and are 1 in units of the model, where moments or thrust make them count."""
    joint = run.model.joints.get(e.joint)
    key = None if joint is None else (joint.KIND, joint.id, joint.name)
    if joint is None or key not in run.data.constraints or e.effect == "STICTION" and not e.mu_static:
        return
    try:
        z = run.marker(joint.j)._motion[1][:, :, 2]
    except (ModelError, KeyError, AttributeError):
        return
    k = run.data.constraints.index(key)
    force, torque = run.data.constraint_force[:, k], run.data.constraint_torque[:, k]
    thrust, torsion = (np.abs(np.einsum("ti,ti->t", v, z)) for v in (force, torque))
    lateral, bending = (np.linalg.norm(v - np.einsum("ti,ti->t", v, z)[:, None] * z, axis=1) for v in (force, torque))
    pin = 1.0 if e.pin_radius is None else e.pin_radius
    arm = lambda name: 1.0 if getattr(e, name) is None else getattr(e, name)
    parts = {
        "TRANSLATIONAL": {
            "": (lateral, "REACTION_FORCE"),
            "reaction_arm": (torsion / arm("reaction_arm"), "TORSIONAL_MOMENT"),
        },
        "REVOLUTE": {
            "": (pin * lateral, "REACTION_FORCE"),
            "friction_arm": (thrust * arm("friction_arm"), "REACTION_FORCE"),
            "bending_reaction_arm": (pin * bending / arm("bending_reaction_arm"), "BENDING_MOMENT"),
        },
    }.get(joint.type, {})
    loads = {name: values for name, (values, what) in parts.items() if what in e.inputs}
    whole = sum(loads.values(), np.zeros(len(z)))
    largest = float(np.nanmax(whole, initial=0.0))
    for name, values in loads.items():
        if not name or getattr(e, name) is not None:
            continue
        worst = int(np.nanargmax(values)) if np.isfinite(values).any() else 0
        if largest > 0.0 and values[worst] > SMALL_SHARE * largest:
            yield (
                f"{e.label}: {name} is left out and is 1 {run.model.units.symbol('length')}, and at time "
                f"{run.data.time[worst]:.6g} {values[worst] / whole[worst]:.0%} of the friction of {joint.label} comes "
                f"from it; give {name}"
            )


RANGES: dict[str, Callable[[Run, Any], Iterator[str]]] = {
    "BUSHING": _small_angles,
    "FIELD": _small_angles,
    "BEAM": _small_bending,
    "SPRINGDAMPER": _spring,
    **dict.fromkeys(
        (
            "SFORCE",
            "MAXWELL_DAMPER",
            "BURGERS_DAMPER",
            "HYSTERETIC_SPRING",
            "POWER_DAMPER",
            "HYDRAULIC_CYLINDER",
            "PNEUMATIC_CYLINDER",
        ),
        _line,
    ),
    **dict.fromkeys(("TYRE_MF6", "TYRE_PAC2002"), _tyre),
    "TYRE_TMEASY": _tyre_load,
    "ROAD": _road_end,
    "RAIL_TRACK": _rail_end,
    "CONTACT": _depth,
    "FRICTION": _arms,
}
#: forces without a range of their own, and why
UNLIMITED = {
    **dict.fromkeys(("VFORCE", "VTORQUE", "GFORCE"), "the tables that its functions read are watched"),
    "MFORCE": "the modes of its part have the range",
    "MODAL_DAMPING": "the modes of its parts have the range",
    "NFORCE": "its matrix is what the statement gives at any displacement",
    "EXACT_BEAM": "large rotations and strains are in its law",
    "SURFACE_CONTACT": "what its compliance lacks is reported by `SurfaceView.lacking`",
    "WHEEL_RAIL": "its track has the ends",
    **dict.fromkeys(
        ("TYRE_FIALA", "TYRE_PAC89", "TYRE_UA", "TYRE_BRUSH"),
        "its parameters give no largest load; its law slides as a whole beyond a slip, at any",
    ),
    "TYRE_USER": "its routine knows",
}
#: ranges that check all elements of their type at once
TOGETHER: dict[str, Callable[[Run], list[str]]] = {"FLEXIBILITY": small_deformation_warnings, "ABSOLUTE_MESH": folded}


def left(run: Run) -> list[str]:
    """One message for each element that left its range of validity in a run."""
    out: list[str] = []
    if not len(run.data.time):
        return out
    for kind, look in RANGES.items():
        own = [text for e in run.model.table(kind).values() if getattr(e, "active", True) for text in look(run, e)]
        out += own[:MOST]
        if len(own) > MOST:
            out.append(f"{kind}: {len(own) - MOST} more left their range in the same way")
    for kind, together in TOGETHER.items():
        out += together(run) if run.model.table(kind) else []
    return out
