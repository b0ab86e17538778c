"""Ends of joints between the components of a co-simulation: what a component takes and gives at a marker.

A component takes the wrench at the marker in ground axes, and gives its position, velocity, angular velocity and the
directions of its x and y axes, in ground axes too.  `add_end` makes these numbers inputs and VARIABLEs of a model;
in an FMU they are variables by the names `TAKEN` and `GIVEN` behind the name of the end, as ``hook.fx``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...model import Model

ACCELERATIONS = ("ACCX", "ACCY", "ACCZ", "WDTX", "WDTY", "WDTZ")
#: the wrench, and its quantities
TAKEN = ("fx", "fy", "fz", "tx", "ty", "tz")
FORCES = ("force",) * 3 + ("torque",) * 3
#: position, velocity, angular velocity, directions of the x and y axes, and their quantities
GIVEN = ("x", "y", "z", "vx", "vy", "vz", "wx", "wy", "wz", "xx", "xy", "xz", "yx", "yy", "yz")
MOTIONS = ("length",) * 3 + ("velocity",) * 3 + ("angular_velocity",) * 3 + ("none",) * 6
OUTPUTS = len(GIVEN)
#: of what is not given: an end that keeps its directions
STILL = np.array([0.0] * 9 + [1.0, 0.0, 0.0, 0.0, 1.0, 0.0])
ABSENT = -1


@dataclass
class End:
    """One end of a joint: the ``side`` (component) that it belongs to, the numbers of its ``inputs`` (6) and
    ``outputs`` (15) in this side, `ABSENT` for those that it does not have, and the VARIABLEs that are its
    ``accelerations``, None where they are not known."""

    side: int
    inputs: np.ndarray
    outputs: np.ndarray
    accelerations: list[Any] | None

    def read(self, values: np.ndarray) -> np.ndarray:
        """`GIVEN` (15,), of the outputs of its side."""
        found, there = STILL.copy(), self.outputs != ABSENT
        found[there] = values[self.outputs[there]]
        return found

    def write(self, motion: np.ndarray, values: np.ndarray) -> None:
        """`GIVEN` (15,) into the outputs of its side."""
        there = self.outputs != ABSENT
        values[self.outputs[there]] = motion[there]

    def act(self, wrench: np.ndarray, inputs: np.ndarray) -> None:
        """Add a wrench (6,) to the inputs of its side."""
        there = self.inputs != ABSENT
        inputs[self.inputs[there]] += wrench[there]


def add_end(
    model: Model, marker_id: int, taken: Sequence[str], given: Sequence[str], accelerations: Sequence[str] = ()
) -> tuple[list[int], list[Any], list[Any]]:
    """Make inputs (ids), VARIABLEs of motions and of accelerations of an end of a model, with these names."""
    marker = model.markers[marker_id]
    body, frame = model.find(marker.body_kind, marker.part), marker.frame
    tips = [model.marker(body, frame.origin + axis) for axis in frame.axes.T[:2]]
    inputs = [model.input(name).id for name in taken]
    fx, fy, fz, tx, ty, tz = (f"VARVAL({v})" for v in inputs)
    model.vforce(marker, None, fx, fy, fz)
    model.vtorque(marker, None, tx, ty, tz)
    texts = [f"{f}({marker_id})" for f in ("DX", "DY", "DZ", "VX", "VY", "VZ", "WX", "WY", "WZ")]
    texts += [f"{f}({t.id},{marker_id})" for t in tips for f in ("DX", "DY", "DZ")]
    outputs = [model.variable(text, name) for text, name in zip(texts, given)]
    second = [model.variable(f"{f}({marker_id})", name) for f, name in zip(ACCELERATIONS, accelerations)]
    return inputs, outputs, second


def end_names(end: str, other: Mapping[str, str] | None = None) -> tuple[list[str], list[str]]:
    """Names of the inputs and outputs of an end of an FMU: those of `TAKEN` and `GIVEN` behind the name of the end, or
    what ``other`` has for them."""
    known = other or {}
    return tuple([known.get(n, f"{end}.{n}") for n in names] for names in (TAKEN, GIVEN))  # type: ignore[return-value]
