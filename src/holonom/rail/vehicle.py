"""Wheelsets, bogies and vehicles on a track: parts, joints, springs and wheels on rails of the public model.

Everything is drawn where it runs: at the position s of the track, in its axes (x forward, y to the left, z up), at the
speed V, with wheels that roll freely and stand as deep in their
rails as their load presses them.  Springs carry their load as drawn.  Lengths and all other numbers are in units of the
model; defaults are those of a passenger coach in SI.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from .._summary import Summary
from ..elements.forces.rails.contact import (
    DS,
    PATCHES,
    PER_SAMPLE,
    RAIL_FIRST,
    RAIL_NODES,
    RAIL_STEP,
    SAMPLES,
    SAMPLES_AT,
    patch,
)
from ..elements.forces.rails.track import RailTrack
from ..elements.forces.rails.wheel_rail import PLACED, WATCHED, WheelRail, watch
from ..elements.frames import make_frames
from ..elements.kinds import FORCES
from ..model import Model, ModelError, drawing
from ..model.base import did_you_mean, shown
from ..model.builder.arguments import FORMER
from ..model.values import number
from .profiles import s1002

SIDES = ("LEFT", "RIGHT")
EDGE = 5.0  # points of a profile from its end that count as its end


@dataclass
class Wheelset(Summary):
    """``part``: axle with wheels; ``box``: the axleboxes as one part, hinged about the axle; ``wheels``: markers of the
    left and right wheel; ``contacts``: their WHEEL_RAIL;
    ``boxes``: markers of the left and right axlebox; ``load``: carried by both wheels; ``radius``: at which the wheels
    roll; ``s``: its track position."""

    part: Any
    box: Any
    wheels: tuple[Any, Any]
    contacts: tuple[WheelRail, WheelRail]
    boxes: tuple[Any, Any]
    load: float
    radius: float
    s: float


@dataclass
class Bogie(Summary):
    """``frame``; ``wheelsets`` (front, rear); ``primary``: bushings; ``pivots``: markers left and right of the middle,
    where the car body rests; ``load``: of the car body."""

    frame: Any
    wheelsets: tuple[Wheelset, ...]
    primary: tuple[Any, ...]
    pivots: tuple[Any, Any]
    load: float


@dataclass
class RailVehicle(Summary):
    """``model``, ``track``, ``body``, ``bogies``, ``secondary``: bushings under the body; ``wheelsets``: all, from the
    front."""

    model: Model
    track: RailTrack
    body: Any
    bogies: tuple[Bogie, ...]
    secondary: tuple[Any, ...] = ()
    wheelsets: tuple[Wheelset, ...] = field(init=False)

    def __post_init__(self):
        self.wheelsets = tuple(w for b in self.bogies for w in b.wheelsets)


def weight(model: Model) -> float:
    """Gravity's size.  Raises ModelError where there is none: wheels would not stand on rails."""
    g = math.sqrt(sum(v * v for v in model.gravity))
    if not g > 0.0:
        raise ModelError("the model has no gravity, which presses wheels on rails; set model.gravity")
    return g


def _frame(track: RailTrack, model: Model, s: float) -> tuple[np.ndarray, np.ndarray, float]:
    """Position, axes (columns t, n, u) in ground and curvature of the track at s."""
    at, axes = track.frame(s)
    marker = model.markers[track.marker]
    body = model.body_frame(model.find(marker.body_kind, marker.part))
    turn = body.axes @ marker.frame.axes
    place = body.origin + body.axes @ marker.frame.origin
    h = 1e-3 / model.units.si_length
    bend = float(np.cross(track.frame(s - h)[1][0], track.frame(s + h)[1][0])[2] / (2.0 * h))
    return place + turn @ at, turn @ axes.T, bend


def _inside(c: np.ndarray) -> tuple[float, float]:
    """Lateral positions in the track between which the profile of the rail holds what a wheel does on it."""
    return c[RAIL_FIRST] + EDGE * c[RAIL_STEP], c[RAIL_FIRST] + c[RAIL_STEP] * (c[RAIL_NODES] - 1.0 - EDGE)


def standing(model: Model, contact: WheelRail, place: float, load: float, roll: float = 0.0) -> tuple[float, float]:
    """Height of a wheel's centre over the plane of the rails' tops and the radius at which it rolls, where it carries
    ``load`` at the lateral ``place`` in a straight track."""
    c = np.array(FORCES["WHEEL_RAIL"].values(contact, model), float)
    e1, e2 = math.cos(roll), math.sin(roll)

    def found(z):
        lift, deepest = 0.0, (-1.0, 0.0, 0.0)
        for part in range(int(c[PATCHES])):
            p = patch(c, part, (place, z), (0.0, e1, e2), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
            lift += p[2]
            if p[8] > deepest[0]:
                deepest = p[8], p[21], place + p[10]
        return lift, deepest[1], deepest[2]

    size = contact.radius
    low, high = size * 0.95, size * 1.05
    if not found(high)[0] < load < found(low)[0]:
        raise ModelError(
            f"{contact.label}: {place:g} off the middle of the track its wheel does not stand on its rail; check "
            "the spacing of the wheels, the gauge, the profiles"
        )
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if found(middle)[0] < load else (middle, high)
    height = 0.5 * (low + high)
    _, rolling, touched = found(height)
    first, last = _inside(c)
    if not first < touched < last:
        raise ModelError(
            f"{contact.label}: {place:g} off the middle of the track its wheel touches at the edge of the rail's "
            "profile; give a wider one"
        )
    return height, rolling


def wheelset(
    model: Model,
    track: RailTrack,
    *,
    load: float,
    speed: float = 0.0,
    s: float = 0.0,
    y: float = 0.0,
    yaw: float = 0.0,
    mass: float = 1813.0,
    inertia=(1120.0, 112.0, 1120.0),
    radius: float = 0.46,
    profile: Any = None,
    spacing: float = 1.5,
    box_mass: float = 200.0,
    box_inertia=(100.0, 5.0, 100.0),
    box_spread: float = 2.0,
    name: str = "wheelset",
    **contact: Any,
) -> Wheelset:
    """A wheelset at ``s`` of a track, moved by ``y`` and turned by ``yaw``, rolling at ``speed``; ``load``: force that
    both wheels carry, its own weight included.

    ``inertia``: about x, y (the axle), z; ``radius`` and ``profile`` (default S1002) of its wheels, whose profiles lie
    ``spacing`` apart; ``box_mass``,
    ``box_inertia``: of both axleboxes
    together, which are ``box_spread`` apart; ``contact``: arguments of ``model.wheel_rail`` (law, mu ...).  Raises
    `ModelError` for invalid dimensions and wheels off their rails.
    """
    given = {"load": load, "speed": speed, "s": s, "y": y, "yaw": yaw, "spacing": spacing, "box_spread": box_spread}
    load, speed, s, y, yaw, spacing, box_spread = (number(v, w) for w, v in given.items())
    if not load > 0.0:
        raise ModelError(f"load is {load:g}; give the force that both wheels carry")
    for word, value in (("spacing", spacing), ("box_spread", box_spread)):
        if not value > 0.0:
            raise ModelError(f"{word} is {value:g}; give a positive length")
    shape = s1002() if profile is None else profile
    place, axes, bend = _frame(track, model, s)
    # the same wheels on straight rails, to know how they stand
    half = 0.5 * spacing
    probe = Model("probe", units=model.units)
    twin = probe.add(_copy(track, probe))
    trial = probe.part("w", 1.0, (1, 1, 1), (0, 0, 0))
    elements = [probe.wheel_rail(trial.cm, twin, side=side, radius=radius, profile=shape, **contact) for side in SIDES]
    roll = 0.0
    for _ in range(4 if y else 1):
        (left, rolling), (right, other) = (
            standing(probe, e, y + sign * half * math.cos(roll), 0.5 * load, roll)
            for e, sign in zip(elements, (1.0, -1.0))
        )
        height, rolling = 0.5 * (left + right), 0.5 * (rolling + other)
        roll = math.asin((left - right) / spacing)
    lean = np.array([[1.0, 0.0, 0.0], [0.0, math.cos(roll), -math.sin(roll)], [0.0, math.sin(roll), math.cos(roll)]])
    turn = np.array([[math.cos(yaw), -math.sin(yaw), 0.0], [math.sin(yaw), math.cos(yaw), 0.0], [0.0, 0.0, 1.0]])
    own = axes @ turn @ lean
    centre = place + axes @ [0.0, y, height]
    rate = bend * speed
    omega = speed / rolling
    part = model.part(
        name,
        mass,
        tuple(inertia),
        tuple(centre),
        axes=own,
        velocity=tuple(speed * axes[:, 0]),
        angular_velocity=(0.0, omega, rate),
    )
    box = model.part(
        f"{name} boxes",
        box_mass,
        tuple(box_inertia),
        tuple(centre),
        axes=own,
        velocity=tuple(speed * axes[:, 0]),
        angular_velocity=(0.0, 0.0, rate),
    )
    model.revolute(part, box, f"{name} bearing", at=tuple(centre), axis=tuple(own[:, 1]), x=tuple(own[:, 0]))
    wheels = tuple(
        model.marker(part, (0.0, sign * half, 0.0), name=f"{name} {side.lower()}")
        for side, sign in zip(SIDES, (1.0, -1.0))
    )
    boxes = tuple(
        model.marker(box, (0.0, sign * 0.5 * box_spread, 0.0), name=f"{name} box {side.lower()}")
        for side, sign in zip(SIDES, (1.0, -1.0))
    )
    contacts = tuple(
        model.wheel_rail(
            marker, track, side=side, radius=radius, profile=shape, name=f"{name} {side.lower()}", **contact
        )
        for marker, side in zip(wheels, SIDES)
    )
    _draw_wheelset(model, part, box, centre, own, contacts[0], half, box_spread)
    return Wheelset(part, box, wheels, contacts, boxes, load, rolling, s)


def _draw_wheelset(
    model: Model,
    part: Any,
    box: Any,
    centre: np.ndarray,
    own: np.ndarray,
    contact: WheelRail,
    half: float,
    spread: float,
) -> None:
    rows = np.asarray(contact.profile, float)
    low, high = rows[:, 0].min(), rows[:, 0].max()
    flange = rows[:, 1].max()
    across = own[:, 1]
    r = contact.radius
    end = max(0.5 * spread, half + high) + 0.1 * r
    drawing.rod(model, part, tuple(centre - end * across), tuple(centre + end * across), 0.18 * r)
    for sign in (1.0, -1.0):
        drawing.pin(
            model, part, tuple(centre + sign * (half + 0.5 * (low + high)) * across), tuple(across), r, high - low
        )
        if flange > 0.01 * r:  # as wide as what is larger than half of it
            wide = np.ptp(rows[rows[:, 1] > 0.5 * flange, 0])
            drawing.pin(
                model, part, tuple(centre + sign * (half + low + 0.5 * wide) * across), tuple(across), r + flange, wide
            )
        drawing.block(
            model,
            box,
            tuple(centre + sign * 0.5 * spread * across),
            (0.6 * r, 0.3 * r, 0.6 * r),
            x=tuple(own[:, 0]),
            z=tuple(own[:, 2]),
        )


def draw_track(model: Model, track: RailTrack, start: float, end: float, every: float | None = None) -> None:
    """Draw the rails from s = ``start`` to ``end`` in pieces of length ``every`` (default 2.5 m, one piece for a
    straight track): graphics only."""
    if not start < end:
        raise ModelError(f"start is {start:g} and end {end:g}; the end comes behind the start")
    step = (end - start if not track.sections else 2.5 / model.units.si_length) if every is None else every
    count = max(int(math.ceil((end - start) / step)), 1)
    if not step > 0.0 or count > 20000:
        raise ModelError(f"every is {step:g}, which makes {count} pieces; give a length that makes up to 20000")
    places = np.linspace(start, end, count + 1)
    rows = np.asarray(track.rail, float)
    wide, high = np.ptp(rows[:, 0]), 0.1 * track.gauge
    frames = [_frame(track, model, float(s)) for s in places]
    body = model.find(model.markers[track.marker].body_kind, model.markers[track.marker].part)
    for sign in (1.0, -1.0):
        points = [at + axes @ [0.0, sign * 0.5 * track.spread, -0.5 * high] for at, axes, _ in frames]
        for (a, b), (_, axes, _) in zip(zip(points[:-1], points[1:]), frames):
            drawing.beam(model, body, tuple(a), tuple(b), wide, high, up=tuple(axes[:, 2]))


def _copy(track: RailTrack, model: Model) -> RailTrack:
    """The same rails, straight and smooth, in another model."""
    return replace(track, id=0, marker=model.marker(model.ground).id, sections=(), irregularities=(), spacing=0.0)


#: a spring of the data, by the symbols of drawings
SPRING = {"k": (0.0, 0.0, 0.0), "kt": (0.0, 0.0, 0.0), "c": (0.0, 0.0, 0.0), "ct": (0.0, 0.0, 0.0)}


def bushing_words(spring: dict[str, Any]) -> dict[str, Any]:
    """Arguments of `Model.bushing` of a spring of the data."""
    return {FORMER["bushing"].get(symbol, symbol): value for symbol, value in spring.items()}


#: a passenger coach with two bogies, SI: masses, inertias (x, y, z), heights of centres over the rails, lengths,
#: bushings of each axlebox (primary) and on each side of a bogie
#: (secondary), x y z.  Of the size of vehicle 1 of the Manchester benchmarks (Iwnicki, Vehicle System Dynamics Suppl.
#: 31 (1999)); dampers without springs in series, no bump stops
COACH: dict[str, Any] = {
    "body": {"mass": 32000.0, "inertia": (56800.0, 1.97e6, 1.97e6), "height": 1.8},
    "frame": {"mass": 2615.0, "inertia": (1722.0, 1476.0, 3067.0), "height": 0.6},
    "wheelset": {
        "mass": 1613.0,
        "inertia": (1020.0, 107.0, 1020.0),
        "radius": 0.46,
        "box_mass": 200.0,
        "box_inertia": (100.0, 5.0, 100.0),
        "box_spread": 2.0,
    },
    "pivots": 19.0,
    "wheelbase": 2.56,
    "primary": {"k": (31.391e6, 3.884e6, 1.22e6), "c": (15e3, 2e3, 4e3)},
    "secondary": {
        "k": (160e3, 160e3, 430e3),
        "kt": (10.5e3, 10.5e3, 0.0),
        "c": (25e3, 32e3, 20e3),
        "height": 0.925,
        "spread": 2.0,
    },
    "traction": {"k": (5e6, 0.0, 0.0), "c": (25e3, 0.0, 0.0)},
    "roll_bar": 940e3,
}


def _checked(given: dict[str, Any] | None, known: dict[str, Any], what: str) -> dict[str, Any]:
    out = dict(known)
    for word, value in (given or {}).items():
        if word not in known:
            raise ModelError(f"{what} has no {shown(word)}{did_you_mean(word, known, '; it has ' + ', '.join(known))}")
        out[word] = {**known[word], **value} if isinstance(known[word], dict) and isinstance(value, dict) else value
    return out


def bogie(
    model: Model,
    track: RailTrack,
    *,
    load: float,
    speed: float = 0.0,
    s: float = 0.0,
    y: float = 0.0,
    yaw: float = 0.0,
    data: dict[str, Any] | None = None,
    name: str = "bogie",
    **contact: Any,
) -> Bogie:
    """Two wheelsets in a frame at ``s`` (its middle) of a track; ``load``: force of the car body on it.  ``data``:
    changes of `COACH` (``frame``, ``wheelset``, ``wheelbase``,
    ``primary``, ``secondary``); ``y``: lateral place of all; ``yaw``: of its wheelsets; ``contact``: arguments of
    ``model.wheel_rail``.  Raises `ModelError` as `wheelset`."""
    d = _checked(data, COACH, "a vehicle")
    g = weight(model)
    frame, wheel, primary = d["frame"], d["wheelset"], d["primary"]
    each = 0.5 * (load + frame["mass"] * g) + (wheel["mass"] + wheel["box_mass"]) * g
    sets = tuple(
        wheelset(
            model,
            track,
            load=each,
            speed=speed,
            s=s + sign * 0.5 * d["wheelbase"],
            y=y,
            yaw=yaw,
            name=f"{name} {word}",
            **wheel,
            **contact,
        )
        for word, sign in (("front", 1.0), ("rear", -1.0))
    )
    place, axes, bend = _frame(track, model, s)
    centre = place + axes @ [0.0, y, frame["height"]]
    part = model.part(
        f"{name} frame",
        frame["mass"],
        tuple(frame["inertia"]),
        tuple(centre),
        axes=axes,
        velocity=tuple(speed * axes[:, 0]),
        angular_velocity=(0.0, 0.0, bend * speed),
    )
    carried = 0.25 * (load + frame["mass"] * g)
    springs = []
    for w in sets:
        for side, marker in zip(SIDES, w.boxes):
            where = model.body_frame(w.box).origin + model.body_frame(w.box).axes @ marker.frame.origin
            other = model.marker_at(part, tuple(where), axes=axes)
            given = {**SPRING, **primary}
            springs.append(
                model.bushing(
                    marker,
                    other,
                    **bushing_words(given),
                    force=(0.0, 0.0, -carried),
                    name=f"{part.name} {w.part.name} {side.lower()} primary",
                )
            )
    over = d["secondary"]
    pivots = tuple(
        model.marker_at(
            part,
            tuple(place + axes @ [0.0, y + sign * 0.5 * over["spread"], over["height"]]),
            axes=axes,
            name=f"{name} pivot {side.lower()}",
        )
        for side, sign in zip(SIDES, (1.0, -1.0))
    )
    for sign in (1.0, -1.0):  # two beams along, one across
        ends = [
            tuple(centre + axes @ [f * 0.5 * d["wheelbase"], sign * 0.5 * wheel["box_spread"], 0.0])
            for f in (1.15, -1.15)
        ]
        drawing.beam(model, part, *ends, 0.08 * d["wheelbase"], 0.06 * d["wheelbase"], up=tuple(axes[:, 2]))
    ends = [tuple(centre + axes @ [0.0, sign * 0.5 * wheel["box_spread"], 0.0]) for sign in (1.0, -1.0)]
    drawing.beam(model, part, *ends, 0.16 * d["wheelbase"], 0.06 * d["wheelbase"], up=tuple(axes[:, 2]))
    return Bogie(part, sets, tuple(springs), pivots, load)


def rail_vehicle(
    model: Model,
    track: RailTrack,
    *,
    speed: float = 0.0,
    s: float = 0.0,
    y: float = 0.0,
    data: dict[str, Any] | None = None,
    name: str = "coach",
    **contact: Any,
) -> RailVehicle:
    """A car body on two bogies, its middle at ``s`` of a track, running at ``speed``; ``data``: changes of `COACH`, as
    {"body": {"mass": 40000.0}, "pivots": 18.0};
    ``contact``: arguments of ``model.wheel_rail``.  Raises `ModelError` for unknown keywords and invalid dimensions.

        coach = hn.rail.rail_vehicle(model, track, speed=40.0, s=30.0, mu=0.35)
    """
    d = _checked(data, COACH, "a vehicle")
    g = weight(model)
    body, over = d["body"], d["secondary"]
    place, axes, bend = _frame(track, model, s)
    part = model.part(
        f"{name} body",
        body["mass"],
        tuple(body["inertia"]),
        tuple(place + axes @ [0.0, y, body["height"]]),
        axes=axes,
        velocity=tuple(speed * axes[:, 0]),
        angular_velocity=(0.0, 0.0, bend * speed),
    )
    floor = over["height"] + 0.1 * (body["height"] - over["height"])
    size = (1.35 * d["pivots"], 1.4 * over["spread"], 2.4 * (body["height"] - floor))
    drawing.block(
        model,
        part,
        tuple(place + axes @ [0.0, y, floor + 0.5 * size[2]]),
        size,
        x=tuple(axes[:, 0]),
        z=tuple(axes[:, 2]),
    )
    bogies, springs = [], []
    for word, sign in (("front", 1.0), ("rear", -1.0)):
        b = bogie(
            model,
            track,
            load=0.5 * body["mass"] * g,
            speed=speed,
            s=s + sign * 0.5 * d["pivots"],
            y=y,
            data=data,
            name=f"{name} {word} bogie",
            **contact,
        )
        bogies.append(b)
        frame = model.body_frame(b.frame)
        for side, pivot in zip(SIDES, b.pivots):
            where = frame.origin + frame.axes @ pivot.frame.origin
            above = model.marker_at(part, tuple(where), axes=frame.axes)
            given = {**SPRING, **{k: over[k] for k in SPRING if k in over}}
            springs.append(
                model.bushing(
                    above,
                    pivot,
                    **bushing_words(given),
                    force=(0.0, 0.0, 0.25 * body["mass"] * g),
                    name=f"{name} {word} {side.lower()} secondary",
                )
            )
        middle = tuple(frame.origin + frame.axes @ [0.0, 0.0, over["height"] - d["frame"]["height"]])
        pair = model.marker_at(part, middle, axes=frame.axes), model.marker_at(b.frame, middle, axes=frame.axes)
        springs.append(
            model.bushing(
                *pair,
                **bushing_words({**SPRING, **d["traction"], "kt": (d["roll_bar"], 0.0, 0.0)}),
                name=f"{name} {word} traction and roll bar",
            )
        )
    return RailVehicle(model, track, part, tuple(bogies), tuple(springs))


# ---- what wheels did -------------------------------------------------------------------------------------------------
def wheel_history(run: Any, contact: WheelRail | str) -> dict[str, Any]:
    """Results of a wheel at the output times: ``time``, ``s``, ``lateral`` and ``height`` (of its
    centre in the track), ``roll``, ``yaw`` (of its axle), ``speed``, ``Y``
    and ``Q`` (lateral force, positive to the left, and vertical force of the rail on the wheel in axes of the track),
    ``quotient`` (Y / Q, positive where the flange pushes the wheel away from its rail), and of each patch (nt, 2:
    tread, flange) ``depth``, ``normal``, ``x``, ``y``, ``z`` (from the wheel's centre), ``angle``, ``a``, ``b``,
    ``xi``, ``eta``, ``phi``, ``fx``, ``fy``, ``mz``, ``radius``; and ``left``: a message for each profile whose end
    was in contact (there is no load beyond the end), and for loss of contact.
    ``contact``: the element or its name.

        front = hn.rail.wheel_history(run, "coach front bogie front left")
    """
    model = run.model
    if isinstance(contact, str):
        found = [e for e in model.table("WHEEL_RAIL").values() if contact in (e.name, e.label)]
        if not found:
            names = ", ".join(e.name or e.label for e in model.table("WHEEL_RAIL").values()) or "none"
            raise ModelError(f"there is no wheel on a rail {shown(contact)}; there are {names}")
        contact = found[0]
    c = np.array(FORCES["WHEEL_RAIL"].values(contact, model), float)
    motion = [run.marker(model.markers[k])._motion for k in contact.ports]
    time = np.asarray(run.time, float)
    fr = make_frames(np.zeros(2), np.zeros((2, 3)), np.zeros((2, 9)))
    out = np.zeros((len(time), len(PLACED) + 2 * len(WATCHED)))
    f = np.arange(2)
    for t in range(len(time)):
        for k in range(2):
            fr.p[k], fr.A[k], fr.v[k], fr.w[k] = (
                motion[k][0][t],
                motion[k][1][t].ravel(),
                motion[k][2][t],
                motion[k][4][t],
            )
        watch(c, f, fr, out[t])
    table: dict[str, np.ndarray] = {"time": time}
    for k, word in enumerate(PLACED):
        table[word] = out[:, k]
    sign = -1.0 if contact.side == "LEFT" else 1.0  # the flange of a left wheel is pushed to the right
    with np.errstate(divide="ignore", invalid="ignore"):
        table["quotient"] = np.where(table["Q"] > 0.0, sign * table["Y"] / table["Q"], np.inf)
    for k, word in enumerate(WATCHED):
        table[word] = out[:, [len(PLACED) + k, len(PLACED) + len(WATCHED) + k]]
    table["left"] = _left(contact, c, table, model.units.symbol("time"))
    return table


def _left(contact: WheelRail, c: np.ndarray, table: dict[str, Any], second: str) -> list[str]:
    """Sentences of `wheel_history` about what the profiles do not hold."""
    bears = table["normal"] > 0.0
    points = c[int(c[SAMPLES_AT]) :][: PER_SAMPLE * int(c[SAMPLES])].reshape(-1, PER_SAMPLE)[:, 0]
    axle = np.stack([-np.sin(table["yaw"]), np.cos(table["yaw"]), np.sin(table["roll"])], axis=1)
    on_wheel = np.einsum("ni,npi->np", axle, np.stack([table["x"], table["y"], table["z"]], axis=2))
    on_rail = table["lateral"][:, None] + table["y"]
    ends = points.min() + EDGE * c[DS], points.max() - EDGE * c[DS]
    out = []
    for what, place, (low, high) in (("the wheel's", on_wheel, ends), ("the rail's", on_rail, _inside(c))):
        at = (bears & ((place <= low) | (place >= high))).any(axis=1)
        if at.any():
            out.append(
                f"{contact.label} touched an end of {what} profile, first at {table['time'][at.argmax()]:.6g} "
                f"{second}: give a wider one"
            )
    lifted = ~bears.any(axis=1)
    if lifted.any():
        out.append(
            f"{contact.label} carried no load at {lifted.sum()} of {len(lifted)} times, first at "
            f"{table['time'][lifted.argmax()]:.6g} {second}"
        )
    return out


def nadal(angle: float, mu: float) -> float:
    """Limit of Y / Q for flange climbing, for a flange ``angle`` (rad) and friction ``mu``: (tan(angle) - mu) / (1
    + mu tan(angle)) (Nadal 1896)."""
    t = math.tan(angle)
    return (t - mu) / (1.0 + mu * t)


def prudhomme(load: float, factor: float = 1.0) -> float:
    """Largest lateral force of a wheelset on the track in newtons: ``factor`` (10 kN + load / 3), ``load`` of the axle
    in newtons (Prud'homme 1967, EN 14363; 0.85 for freight)."""
    return factor * (10e3 + load / 3.0)


def axle_force(run: Any, axle: Wheelset) -> np.ndarray:
    """Sum of both lateral forces of the rails on a wheelset (nt,), positive to the left: the quantity limited by
    Prud'homme's formula."""
    return sum(wheel_history(run, c)["Y"] for c in axle.contacts)
