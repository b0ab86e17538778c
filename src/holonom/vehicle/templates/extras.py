"""What is added to any axle: subframe, steering (rack and pinion, or Pitman arm, with a column on two universal
joints), anti-roll bar."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._summary import Summary
from ...model import ModelError
from ...model.base import did_you_mean, shown
from ..template import SIGN, number_of, numbers_of, table_of

if TYPE_CHECKING:
    from ..axle import Axle

COLUMN = ("column_lower", "column_upper", "steering_wheel")
#: hardpoints that a table of the axle's data brings
EXTRA_POINTS = {
    "subframe": {"subframe_front": "front mount of the subframe on the body", "subframe_rear": "its rear mount"},
    "steering": {
        "pinion": "the pinion on the rack, or the gear box",
        "column_lower": "lower joint of the column",
        "column_upper": "upper joint of the column",
        "steering_wheel": "centre of the steering wheel",
        "pitman_pivot": "pivot of the Pitman arm on the body",
        "pitman_end": "its joint with the centre link",
    },
    "anti_roll_bar": {
        "bar_mount": "the bar on the body",
        "bar_end": "end of the bar's arm",
        "bar_link_outer": "the bar's link on the suspension",
    },
}
PARTS = {
    "subframe": ("subframe",),
    "steering": ("rack", "pinion", "column_shaft", "steering_wheel", "pitman_arm", "centre_link"),
    "anti_roll_bar": ("bar", "bar_link"),
}
BUSHINGS = {"subframe": ("subframe_front", "subframe_rear"), "steering": (), "anti_roll_bar": ("bar_mount",)}
UP = np.array([0.0, 0.0, 1.0])
ACROSS = np.array([0.0, 1.0, 0.0])


@dataclass
class Steering(Summary):
    """``joint``: REVOLUTE whose angle is that of the steering wheel, positive to the left; ``ends``: side -> part that
    the tie rods are attached to;
    ``ratio``: travel of the rack per radian (length), or angle of the Pitman arm per radian; ``motion``: what drives
    it, where something does."""

    joint: Any
    ends: dict[str, Any]
    ratio: float
    kind: str
    rack: Any = None
    motion: Any = None
    notes: list[str] = field(default_factory=list)


def subframe(a: Axle) -> None:
    """A part between suspension and chassis: fixed (kinematic), or on four bushings with z up."""
    table_of(a.data["subframe"], f"{a.name}.subframe", ())
    points = np.array([s.at(p) for s in a.sides for p in ("subframe_front", "subframe_rear")])
    part = a.draw_part(a.label("subframe"), a.part_data("subframe"), points, 0.0, f"{a.name}.parts.subframe")
    if a.compliant:
        for s in a.sides:
            for p in ("subframe_front", "subframe_rear"):
                a.rubber(s.label(p), part, a.chassis, p, s.at(p), UP, s.side)
    else:
        a.model.fixed(part, a.chassis, a.label("subframe"), at=points.mean(axis=0))
    a.base = part


def steering(a: Axle) -> None:
    """Draw the steering; the tie rods are attached by the template."""
    if "tie_rod_inner" not in a.template.points:
        raise ModelError(
            f"{a.name}: a {a.template.name} axle has no tie rod; it cannot be steered, leave 'steering' out"
        )
    data = table_of(
        a.data["steering"],
        f"{a.name}.steering",
        ("template", "travel_per_turn", "ratio", "torsion", "damping", "phase", "axis"),
    )
    kinds = {"rack_and_pinion": _rack, "pitman": _pitman}
    word = data.get("template")
    if not isinstance(word, str) or word not in kinds:
        raise ModelError(f"{a.name}.steering: there is no template {shown(word)}{did_you_mean(str(word), kinds)}")
    kinds[word](a, data)


def _ahead(a: Axle) -> float:
    """+1 where the tie rods act in front of the wheels' centres: the rods then move to the left to steer to the
    left."""
    return 1.0 if a.left.at("tie_rod_outer")[0] > a.left.at("wheel_centre")[0] else -1.0


def _single(a: Axle, point: str) -> np.ndarray:
    return a.points["left"][point]


def _column(
    a: Axle, gear: np.ndarray, gear_axis: np.ndarray | None, gear_part: str, data: dict
) -> tuple[Any, Any, Any]:
    """Steering wheel, shaft and gear input: (joint of the steering wheel, joint of the input, input part); one joint
    where there is no column."""
    m = a.model
    given = [p for p in COLUMN if p in a.points["left"]]
    where = np.array([gear])
    if not given:
        axis = UP if gear_axis is None else gear_axis
        part = a.draw_part(a.label(gear_part), a.part_data(gear_part), where, 0.0, f"{a.name}.parts.{gear_part}")
        joint = m.revolute(part, a.base, a.label("steering wheel"), at=gear, axis=axis)
        return joint, joint, part
    if len(given) < len(COLUMN):
        missing = next(p for p in COLUMN if p not in given)
        raise ModelError(
            f"{a.name}.hardpoints: '{missing}' is missing; a column has {', '.join(COLUMN)}, or none of them"
        )
    low, high, top = (_single(a, p) for p in COLUMN)
    d_gear, d_shaft, d_top = (v / np.linalg.norm(v) for v in (low - gear, high - low, top - high))
    pinion = a.draw_part(
        a.label(gear_part), a.part_data(gear_part), np.array([gear, low]), 0.0, f"{a.name}.parts.{gear_part}"
    )
    shaft = a.draw_part(
        a.label("column shaft"), a.part_data("column_shaft"), np.array([low, high]), 0.0, f"{a.name}.parts.column_shaft"
    )
    wheel = a.draw_part(
        a.label("steering wheel"),
        a.part_data("steering_wheel"),
        np.array([high, top]),
        0.0,
        f"{a.name}.parts.steering_wheel",
    )
    joint = m.revolute(wheel, a.chassis, a.label("steering wheel"), at=top, axis=d_top)
    turn = m.revolute(pinion, a.base, a.label(gear_part), at=gear, axis=d_gear)
    bend = np.cross(d_top, d_shaft)
    if np.linalg.norm(bend) < 1e-9:
        bend = np.cross(d_top, ACROSS)
    pin = np.cross(bend, d_shaft)  # of the shaft, above
    m.hooke(
        m.marker_at(shaft, high, z=d_shaft, x=pin),
        m.marker_at(wheel, high, z=d_top, x=np.cross(bend, d_top)),
        a.label("upper column joint"),
    )
    phase = math.radians(number_of(data.get("phase", 0.0), f"{a.name}.steering.phase"))
    pin = pin / np.linalg.norm(pin)
    pin = pin * math.cos(phase) + np.cross(d_shaft, pin) * math.sin(phase)
    # below, a universal joint that slides along the shaft: its length changes as the suspension's frame moves
    m.primitive("INLINE", m.marker_at(pinion, low), m.marker_at(shaft, low, z=d_shaft), a.label("lower column joint"))
    m.primitive(
        "PERPENDICULAR",
        m.marker_at(pinion, low, z=np.cross(pin, d_gear)),
        m.marker_at(shaft, low, z=pin),
        a.label("lower column cross"),
    )
    return joint, turn, pinion


def _rack(a: Axle, data: dict) -> None:
    m = a.model
    if "travel_per_turn" not in data:
        raise ModelError(
            f"{a.name}.steering has no travel_per_turn; give the travel of the rack for one turn of the pinion"
        )
    r = (
        number_of(data["travel_per_turn"], f"{a.name}.steering.travel_per_turn", positive=True)
        / (2.0 * math.pi)
        * _ahead(a)
    )
    ends = np.array([s.at("tie_rod_inner") for s in a.sides])
    middle = ends.mean(axis=0)
    rack = a.draw_part(a.label("rack"), a.part_data("rack"), ends, 0.0, f"{a.name}.parts.rack")
    slide = m.translational(rack, a.base, a.label("rack"), at=middle, axis=ACROSS)
    gear = _single(a, "pinion") if "pinion" in a.points["left"] else middle
    joint, turn, pinion = _column(a, gear, None, "pinion", data)
    tau = number_of(data.get("damping", 0.0), f"{a.name}.steering.damping", least=0.0)
    if a.compliant and "torsion" in data:
        kt = number_of(data["torsion"], f"{a.name}.steering.torsion", positive=True)
        twist = f"(AZ({turn.i},{turn.j})-DZ({slide.i},{slide.j},{slide.j})/{r!r})"
        rate = f"(WZ({turn.i},{turn.j},{turn.j})-VZ({slide.i},{slide.j},{slide.j})/{r!r})"
        torque = f"{kt!r}*{twist}+{kt * tau!r}*{rate}"
        m.sforce(turn.i, turn.j, f"-({torque})", a.label("torsion bar"), kind="ROTATIONAL")
        m.vforce(slide.i, a.base, fz=f"({torque})/{r!r}", rm=slide.j, name=a.label("rack force"))
    else:
        m.coupler([slide, turn], (1.0, -r), ("T", "R"), a.label("pinion"))
    a.steering = Steering(joint, {"left": rack, "right": rack}, r, "rack_and_pinion", slide)


def _pitman(a: Axle, data: dict) -> None:
    m = a.model
    if "ratio" not in data:
        raise ModelError(f"{a.name}.steering has no ratio; give turns of the steering wheel per turn of the Pitman arm")
    for p, what in (("pitman_pivot", "the pivot of the Pitman arm"), ("pitman_end", "its joint with the centre link")):
        if p not in a.points["left"]:
            raise ModelError(f"{a.name}.hardpoints: '{p}' is missing, {what}")
    reach = _single(a, "pitman_end")[0] - _single(a, "pitman_pivot")[0]
    if reach == 0.0:
        raise ModelError(
            f"{a.name}.hardpoints: pitman_end lies exactly to the side of pitman_pivot; the arm must point "
            "forward or backward"
        )
    ratio = math.copysign(1.0, reach) * _ahead(a) / number_of(data["ratio"], f"{a.name}.steering.ratio", positive=True)
    up = np.array(numbers_of(data.get("axis", [0.0, 0.0, 1.0]), f"{a.name}.steering.axis", 3))
    if up[1] != 0.0 or not up[2] > 0.0:
        raise ModelError(
            f"{a.name}.steering.axis is {shown(data['axis'])}; the Pitman arm's pivot may lean only forward or "
            "backward: "
            "give [x, 0, z], z above 0"
        )
    up /= np.linalg.norm(up)
    arms = {}
    for s in a.sides:
        p, q = s.at("pitman_pivot"), s.at("pitman_end")
        arm = a.draw_part(
            s.label("pitman arm" if s.side > 0 else "idler arm"),
            a.part_data("pitman_arm"),
            np.array([p, q]),
            s.side,
            f"{a.name}.parts.pitman_arm",
        )
        arms[s.name] = (
            arm,
            m.revolute(arm, a.base, s.label("pitman pivot" if s.side > 0 else "idler pivot"), at=p, axis=up),
        )
    ends = np.array([s.at(p) for s in a.sides for p in ("pitman_end", "tie_rod_inner")])
    centre = a.draw_part(a.label("centre link"), a.part_data("centre_link"), ends, 0.0, f"{a.name}.parts.centre_link")
    m.spherical(centre, arms["left"][0], a.label("left pitman end"), at=ends[0])
    m.hooke(centre, arms["right"][0], a.label("right pitman end"), at=ends[2], axis=ACROSS, x=up)
    gear = _single(a, "pinion") if "pinion" in a.points["left"] else _single(a, "pitman_pivot") + 0.1 * abs(reach) * up
    joint, turn, _ = _column(a, gear, up, "pinion", data)
    m.coupler([arms["left"][1], turn], (1.0, -ratio), ("R", "R"), a.label("gear box"))
    a.steering = Steering(joint, {"left": centre, "right": centre}, ratio, "pitman")


def anti_roll_bar(a: Axle) -> None:
    """Two halves on one axis across the car, a torsion spring between them, a link on each side."""
    m = a.model
    data = table_of(a.data["anti_roll_bar"], f"{a.name}.anti_roll_bar", ("stiffness", "damping"))
    if "stiffness" not in data:
        raise ModelError(
            f"{a.name}.anti_roll_bar has no stiffness; give the torque per radian of twist between its ends"
        )
    kt = number_of(data["stiffness"], f"{a.name}.anti_roll_bar.stiffness", positive=True)
    tau = number_of(data.get("damping", 0.0), f"{a.name}.anti_roll_bar.damping", least=0.0)
    halves = []
    middle = np.array([s.at("bar_mount") for s in a.sides]).mean(axis=0)
    for s in a.sides:
        if s.name not in a.links:
            raise ModelError(
                f"{a.name}: template '{a.template.name}' does not state where a bar's link is attached; call "
                "side.link_bar(part)"
            )
        mount, end = s.at("bar_mount"), s.at("bar_end")
        half = a.draw_part(
            s.label("anti-roll bar"), a.part_data("bar"), np.array([middle, mount, end]), s.side, f"{a.name}.parts.bar"
        )
        if a.compliant:
            a.rubber(s.label("bar mount"), half, a.base, "bar_mount", mount, ACROSS * SIGN[s.name], s.side)
        else:
            m.revolute(half, a.base, s.label("bar mount"), at=mount, axis=ACROSS)
        part, point = a.links[s.name]
        s.link("bar_link", "bar_end", point, half, part, rubber=False)
        halves.append(half)
    i, j = (m.marker_at(half, middle, z=ACROSS) for half in halves)
    if a.compliant:
        m.revolute(i, j, a.label("bar middle"))
    m.torsion_spring(i, j, stiffness=kt, damping=kt * tau, angle="drawn", name=a.label("anti-roll bar"))
