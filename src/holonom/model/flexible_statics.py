"""What the modes of flexible parts lack in statics under what is attached to them when an analysis begins.

Modes hold the static shapes of the interfaces exactly (`flexible.reduction`).  Joints, forces and contact shapes that
were put on other nodes, before or after the part was made flexible, find less: how much is required of the finite
elements, with the other joints of the part holding what they hold.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .base import ModelError
from .directions import forces_of
from .flexible import LACKING, Flexibility
from .joint_facts import facts
from .outputs import Graphic
from .shape import marker_id

AXES = "xyz"
WITHOUT_MARKERS = ("MFORCE", "MODAL_DAMPING", "SURFACE_CONTACT")  # they act on modes or on the surface


@dataclass
class Attached:
    """What acts on a flexible part: node -> a marker in use there; nodes that joints connect to ground, where no force
    acts on the part but the reaction; node -> rows that joints hold."""

    markers: dict[int, Any] = field(default_factory=dict)
    grounded: set[int] = field(default_factory=set)
    holds: dict[int, np.ndarray] = field(default_factory=dict)


def lacking(model: Any) -> list[str]:
    """One message for each flexible part whose modes lack more than `LACKING` of the static deflection under a force
    at a marker that is in use, or under the weight of the part.  Forces have the directions that those of the model may
    have (`directions.forces_of`): those of the plane in a planar mechanism."""
    bent = {e.id: e for e in model.table("FLEXIBILITY").values() if e.active and e.body is not None}
    if not bent:
        return []
    attached = {number: Attached() for number in bent}
    for e, marker in _in_use(model):
        attachment = model.table("ATTACHMENT").get(marker.part) if marker.body_kind == "ATTACHMENT" else None
        if attachment is None or attachment.flexibility not in bent:
            continue
        own, node = attached[attachment.flexibility], attachment.node
        own.markers.setdefault(node, marker)
        rows = _held(model, e, marker, bent[attachment.flexibility])
        if len(rows):
            own.holds[node] = np.vstack([own.holds.get(node, np.zeros((0, 6))), rows])
            others = [m for k in e.ports if k != marker.id and (m := model.markers.get(k)) is not None]
            if others and all(getattr(model.body_of(m), "ground", False) for m in others):
                own.grounded.add(node)
    forces = forces_of(model)
    return [text for number, own in attached.items() if (text := _lacking(model, bent[number], own, forces))]


def _in_use(model: Any) -> Any:
    """Active elements that act on markers, with these markers."""
    for e in model:
        if not e.active:
            continue
        numbers: Any = ()
        if e.KIND == "CONTACT":
            shapes = (model.table("GRAPHICS").get(k) for k in (*e.igeom, *e.jgeom))
            numbers = [_carrier(g) for g in shapes if g is not None]
        elif e.ROLE in ("constraint", "force") and e.KIND not in WITHOUT_MARKERS:
            numbers = e.ports
        for marker in (model.markers.get(k) for k in dict.fromkeys(numbers)):
            if marker is not None:
                yield e, marker


def _carrier(graphic: Graphic) -> int | None:
    try:
        return marker_id(graphic)
    except ModelError:  # a fault of validation
        return None


def _held(model: Any, e: Any, marker: Any, flexibility: Flexibility) -> np.ndarray:
    """(h, 6) rows that a constraint holds at the node of a marker, c . (displacement, rotation) = 0, axes of the
    reduced body."""
    if e.KIND not in ("JOINT", "JPRIM"):
        return np.zeros((0, 6))
    words = facts(e).holds
    for motion in model.table("MOTION").values():
        if e.KIND == "JOINT" and motion.active and motion.joint == e.id:
            words += "Z" if motion.kind.upper() == "ROTATIONAL" else "z"
    other = model.markers.get(e.j)
    if not words or other is None or other.floating:
        return np.zeros((0, 6))
    to_body = flexibility.turn.T @ model.table("PART")[flexibility.part].frame.axes.T
    node = model.body_frame(marker)
    axes = to_body @ (model.body_frame(other) @ other.frame).axes
    arm = to_body @ ((node @ marker.frame).origin - node.origin)
    rows = np.zeros((len(words), 6))
    for row, word in zip(rows, words):
        direction = axes[:, AXES.index(word.lower())]
        if word in AXES:
            row[:3], row[3:] = direction, np.cross(arm, direction)
        else:
            row[3:] = direction
    return rows


def _lacking(model: Any, flexibility: Flexibility, own: Attached, forces: np.ndarray) -> str:
    body = flexibility._own
    source = body.reduced_as or body  # in the units of its elements: shares are the same
    elements: Any = source.elements
    beside = [k for k in own.markers if k not in set(body.interfaces.tolist())]
    if not beside or not hasattr(elements, "missing"):
        return ""
    nodes = [k for k in beside if k not in own.grounded]
    frame = model.table("PART")[flexibility.part].frame
    weight = flexibility.turn.T @ frame.axes.T @ np.asarray(model.gravity, float)
    size = float(np.linalg.norm(weight))
    weight = weight / size if size > 0.0 and any(k in own.holds for k in beside) else None
    directions = flexibility.turn.T @ frame.axes.T @ forces
    kept: dict[Any, Any] = vars(source).setdefault("_missing", {})
    key = (
        tuple(nodes),
        None if weight is None else weight.tobytes(),
        directions.round(9).tobytes(),
        tuple((k, rows.tobytes()) for k, rows in sorted(own.holds.items())),
    )
    if key not in kept:
        kept[key] = elements.missing(source, nodes, own.holds, weight, directions)
    what = [f"a force at {own.markers[k].label} (node {k})" for k in nodes] + ["its own weight"]
    found = [(share, frequency, text) for text, (share, frequency) in zip(what, kept[key]) if share > LACKING]
    if not found:
        return ""
    share, frequency, text = max(found)
    frequency *= body.frequency[0] / source.frequency[0]
    part = model.table("PART")[flexibility.part]
    return (
        f"{part.label}: its modes lack {share:.2g} of the static deflection under {text}, a shape of about "
        f"{frequency:.3g} rad per time: deflections come out too small; call make_flexible after the joints and forces "
        f"of the part are added, or give interfaces={sorted(beside)}"
    )
