"""Campbell diagrams: one linear analysis a speed of a rotor that a motion turns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ...model import Model, ModelError
from ...model.base import shown
from ...model.orientation import Frame
from ...results.campbell import Campbell, whirl
from ...results.modes import Linear
from .linearize import linearize


def campbell(
    model: Model, motion: Any, speeds: Iterable[float], rotor: Iterable[Any] | None = None, **options: Any
) -> Campbell:
    """`Campbell` of a rotor over ``speeds`` (rad per time), driven by a rotational ``motion`` of the model (the element
    or its name).

    The motion acts on a joint, or between markers, one of which is on the rotating part; its function is replaced by
    each speed in a copy of the model. The model is linearised in the frame that rotates with that part, so frequencies
    are correct for isotropic supports.

    ``rotor``: rotating parts, elements or names; default: the part of the motion and all parts connected to it by FIXED
    joints. ``options`` as for `holonom.linearize` (not ``rm``).

    Raises `ModelError` for a motion that does not rotate one part relative to another, and, with the speed, where a
    linear analysis fails.
    """
    chosen = model.find("MOTION", motion)
    values = [float(v) for v in speeds]
    if not values:
        raise ModelError("a Campbell diagram needs at least one speed")
    if not all(np.isfinite(v) for v in values):
        raise ModelError(f"speeds are {shown(values)}; give finite numbers")
    if chosen.component not in (None, "B1", "B2", "B3") or (chosen.component is None and chosen.kind != "ROTATIONAL"):
        raise chosen.error("it does not turn anything; give a rotational motion")
    holder = model.table("JOINT")[chosen.joint] if chosen.joint is not None else chosen
    ends = [model.markers[holder.i], model.markers[holder.j]]
    turns = [k for k, m in enumerate(ends) if not (m.body_kind == "PART" and model.table("PART")[m.part].ground)]
    if not turns:
        raise chosen.error("neither of its markers lies in a part that moves")
    k = turns[0]
    body = model.table(ends[k].body_kind)[ends[k].part]
    axes = model.body_frame(body).axes @ ends[k].frame.axes
    if "rm" in options:
        raise ModelError("rm is the marker of the motion here; leave it out")
    parts = _tied(model, model.body_of(ends[k])) if rotor is None else [model.find("PART", p) for p in rotor]
    at = (model.body_frame(body) @ ends[k].frame).origin
    axis = axes[:, {"B1": 0, "B2": 1}.get(chosen.component, 2)] * (1.0 if k == 0 else -1.0)
    found: list[Linear] = []
    rows: list[tuple[list[float], list[float]]] = []
    for value in values:
        twin = model.copy()
        element = twin.table("MOTION")[chosen.id]
        element.routine = None
        element.function = {"DISPLACEMENT": f"{value!r}*TIME", "VELOCITY": repr(value), "ACCELERATION": "0"}[
            element.level
        ]
        if element.level == "ACCELERATION":
            element.icvel = value
        for part in parts:
            _spin(twin, twin.table("PART")[part.id], value * axis, at)
        try:
            linear = linearize(twin, rm=ends[k].id, **options)
        except ModelError as error:
            raise ModelError(f"at {value:g}: {error}") from None
        found.append(linear)
        rows.append(whirl(linear, value, axis))

    def table(column: int) -> np.ndarray:
        out = np.full((len(rows), max((len(r[column]) for r in rows), default=0)), np.nan)
        for k, r in enumerate(rows):
            out[k, : len(r[column])] = sorted(r[column])
        return out

    return Campbell(np.array(values), table(0), table(1), found)


def _tied(model: Model, body: Any) -> list[Any]:
    """The part of ``body`` and all parts that move with it by joints that hold everything."""
    whole = lambda b: (
        model.table("PART")[model.table("FLEXIBILITY")[b.flexibility].part] if b.KIND == "ATTACHMENT" else b
    )
    out: list[Any] = []
    waiting = [whole(body)]
    pairs = [
        [whole(model.body_of(model.markers[k])) for k in (j.i, j.j)]
        for j in model.table("JOINT").values()
        if j.active and j.type == "FIXED"
    ]
    while waiting:
        part = waiting.pop()
        if part.KIND != "PART" or part.ground or part in out:
            continue
        out.append(part)
        waiting += [b for pair in pairs for a, b in (pair, pair[::-1]) if a is part]
    return out


def _spin(model: Model, part: Any, w: np.ndarray, at: np.ndarray) -> None:
    """Velocities at the start of a part that turns with w (ground axes) about a point."""
    cm = model.markers[part.cm].frame if part.cm in model.markers else Frame.identity()
    centre = part.frame @ cm
    part.vm = part.wm = None
    part.vx, part.vy, part.vz = (float(v) for v in np.cross(w, centre.origin - at))
    part.wx, part.wy, part.wz = (float(v) for v in centre.axes.T @ w)
