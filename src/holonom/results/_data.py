"""The plain arrays of a run, as recorded by an analysis row by row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._summary import Summary
from ..model import ModelError

#: replaces an array that was not recorded until `RunData` fills it with NaN
ABSENT: Any = None

#: kind, id, name of the element that a column belongs to
Key = tuple[str, int, str]

#: one row for each step that the solver tried; ``cause`` is empty when the step was accepted, else states why it was
# not
HISTORY_FIELDS = ("time", "step", "order", "iterations", "cause", "cpu")
#: components of a displacement of a part, as modes have them
AXES = ("x", "y", "z", "rx", "ry", "rz")
HISTORY_DTYPE = np.dtype(
    [("time", "f8"), ("step", "f8"), ("order", "i4"), ("iterations", "i4"), ("cause", "U24"), ("cpu", "f8")]
)

XYZ = ("x", "y", "z")
EULER = ("psi", "theta", "phi")
ENERGIES = ("kinetic", "gravity", "elastic")

#: one row for each change of a SWITCH, see `Run.switches`
SWITCH_DTYPE = np.dtype(
    [("time", "f8"), ("switch", "U64"), ("source", "U32"), ("target", "U32"), ("energy", "f8"), ("impulse", "f8")]
)

#: one row for each impulse of a rigid contact at a point: id of the CONTACT, ids of the graphics of its I and J side
#: (of grains: below zero, see `model.grains.SLOTS`), position, impulse along the normal and across it, normal velocity
#: before and after (negative: closing), energy lost there
IMPACT_DTYPE = np.dtype(
    [
        ("time", "f8"),
        ("contact", "i8"),
        ("shape_i", "i8"),
        ("shape_j", "i8"),
        ("x", "f8"),
        ("y", "f8"),
        ("z", "f8"),
        ("normal_impulse", "f8"),
        ("tangential_impulse", "f8"),
        ("velocity_before", "f8"),
        ("velocity_after", "f8"),
        ("energy_lost", "f8"),
    ]
)

#: one row for each constraint, force and contact whose largest loads were followed along the steps of the solver: the
#: force on I in ground axes at the time when it was largest, the torque likewise, and of contacts where the force acted
PEAK_DTYPE = np.dtype(
    [
        ("kind", "U24"),
        ("id", "i8"),
        ("force", "f8", 3),
        ("force_time", "f8"),
        ("torque", "f8", 3),
        ("torque_time", "f8"),
        ("point", "f8", 3),
    ]
)

#: arrays of `RunData`: name -> (list that gives the second axis or None, trailing shape, quantity as in Units.symbol)
COLUMNS: dict[str, tuple[str | None, tuple[int, ...], str]] = {
    "body_position": ("bodies", (3,), "length"),
    "body_quaternion": ("bodies", (4,), "none"),
    "body_velocity": ("bodies", (3,), "velocity"),
    "body_acceleration": ("bodies", (3,), "acceleration"),
    "body_angular_velocity": ("bodies", (3,), "angular_velocity"),
    "body_angular_acceleration": ("bodies", (3,), "angular_acceleration"),
    "constraint_force": ("constraints", (3,), "force"),
    "constraint_torque": ("constraints", (3,), "torque"),
    "force_force": ("forces", (3,), "force"),
    "force_torque": ("forces", (3,), "torque"),
    "contact_force": ("contacts", (3,), "force"),
    "contact_torque": ("contacts", (3,), "torque"),
    "contact_point": ("contacts", (3,), "length"),
    "contact_normal": ("contacts", (), "force"),
    "contact_friction": ("contacts", (), "force"),
    "contact_depth": ("contacts", (), "length"),
    "contact_rate": ("contacts", (), "velocity"),
    "contact_points": ("contacts", (), "none"),
    "request_values": ("requests", (8,), "none"),
    "variable_values": ("variables", (), "none"),
    "angle_values": ("angles", (), "angle"),
    "state_values": ("states", (), "none"),
    "energy_kinetic": (None, (), "energy"),
    "energy_gravity": (None, (), "energy"),
    "energy_elastic": (None, (), "energy"),
    "energy_dissipated": (None, (), "energy"),
    "energy_input": (None, (), "energy"),
    "momentum": (None, (3,), "momentum"),
    "angular_momentum": (None, (3,), "angular_momentum"),
    "impulse": (None, (3,), "momentum"),
    "angular_impulse": (None, (3,), "angular_momentum"),
    "contact_impulse": (None, (3,), "momentum"),
    "contact_angular_impulse": (None, (3,), "angular_momentum"),
}

#: what the moving parts have, what they received from outside since the start, and what of it contacts with ground gave
MOMENTA = ("momentum", "angular_momentum", "impulse", "angular_impulse", "contact_impulse", "contact_angular_impulse")
#: works and momenta that may be absent altogether (None), as a run that does not integrate them does not know them
OPTIONAL = ("energy_dissipated", "energy_input", *MOMENTA)

#: lists of keys (and of state labels) that name the second axes
LISTS = ("bodies", "constraints", "forces", "contacts", "requests", "variables", "angles", "states")


@dataclass
class Segment(Summary):
    """One analysis in a run: rows ``start`` to ``end`` (end excluded) came from an analysis of ``kind``."""

    kind: str
    start: int
    end: int
    settings: dict[str, Any] = field(default_factory=dict)


@dataclass
class RunData(Summary):
    """Arrays of one run, model units, radians, components in ground axes; nt rows in time order (times may repeat).

    ``bodies``: (kind, id, name) of PART and POINT_MASS; ground may be left out.  ``body_position`` (nt, nb, 3): centre
    of mass (marker ``cm``; the body's own origin where it has none).  ``body_quaternion`` (nt, nb, 4): from the body
    coordinate system to ground, scalar first.  ``body_velocity``, ``body_acceleration`` (nt, nb, 3) of the same point,
    ``body_angular_velocity``, ``body_angular_acceleration`` (nt, nb, 3).

    ``constraints``: JOINT, JPRIM, MOTION, COUPLER, GEAR, PTCV, CVCV, GCON, UCON; ``constraint_force``,
    ``constraint_torque`` (nt, nc, 3) act on the I marker at its origin; ``constraint_i``, ``constraint_j``: marker ids
    (0 where there is none).  ``forces``, ``force_force``, ``force_torque`` (nt, nf, 3), ``force_i``, ``force_j`` alike.

    ``contacts``: CONTACT; ``contact_force`` on its I side (nt, nc, 3), ``contact_torque`` about ``contact_point`` (the
    mean of its points, by normal force), ``contact_normal`` and ``contact_friction`` (nt, nc) sums of sizes,
    ``contact_depth`` the largest, ``contact_rate`` the rate of that depth, ``contact_points`` how many points act.

    ``angles``: joints and torsion springs that turn about z of their J marker; ``angle_values`` (nt, na): the angle
    over whole turns, as it was counted at the steps of the solver.

    ``request_values`` (nt, nr, 8); ``variables`` and ``variable_values`` (nt, nv); ``states``: labels such as
    ``DIFF_1`` or ``LSE_2[0]``, and ``state_values`` (nt, ns).  ``energy_*`` (nt,): kinetic, gravity and elastic energy;
    ``energy_dissipated`` and ``energy_input`` are work integrals since the start (None or NaN when not recorded).
    ``momentum`` and ``angular_momentum`` (nt, 3) of all moving parts, the latter about the origin of ground;
    ``impulse`` and
    ``angular_impulse``: what they received from outside since the start (gravity, ground, forces without reaction),
    ``contact_impulse`` and ``contact_angular_impulse``: the share of contacts with ground.  In models with contacts.

    ``impacts``: see `IMPACT_DTYPE`, of event-driven rigid contact.  ``peaks``: see `PEAK_DTYPE`, between rows, too;
    empty where steps were not followed (as of stretches of a run).
    ``history``: see `HISTORY_DTYPE`; ``counters``: name -> number; ``segments``: see `Segment`.  ``extra``: further
    arrays with nt rows (``marker/ID`` (nt, 3): place of a floating marker; ``wrench/KIND/ID/MARKER`` (nt, 6): force and
    torque on a marker about its origin, of an element that acts on several, see `sides`; ``surface/ID`` (nt, k, 17):
    points of a flexible surface on which something acts, and what (`contact.surfaces.columns`), NaN behind the last,
    where contacts are constraints).  An array left None is filled with NaN ("not recorded"); zero columns need no array
    at all.  Raises ModelError where a shape does not fit.
    """

    time: np.ndarray
    bodies: list[Key] = field(default_factory=list)
    body_position: np.ndarray = ABSENT
    body_quaternion: np.ndarray = ABSENT
    body_velocity: np.ndarray = ABSENT
    body_acceleration: np.ndarray = ABSENT
    body_angular_velocity: np.ndarray = ABSENT
    body_angular_acceleration: np.ndarray = ABSENT
    constraints: list[Key] = field(default_factory=list)
    constraint_i: np.ndarray = ABSENT
    constraint_j: np.ndarray = ABSENT
    constraint_force: np.ndarray = ABSENT
    constraint_torque: np.ndarray = ABSENT
    forces: list[Key] = field(default_factory=list)
    force_i: np.ndarray = ABSENT
    force_j: np.ndarray = ABSENT
    force_force: np.ndarray = ABSENT
    force_torque: np.ndarray = ABSENT
    contacts: list[Key] = field(default_factory=list)
    contact_force: np.ndarray = ABSENT
    contact_torque: np.ndarray = ABSENT
    contact_point: np.ndarray = ABSENT
    contact_normal: np.ndarray = ABSENT
    contact_friction: np.ndarray = ABSENT
    contact_depth: np.ndarray = ABSENT
    contact_rate: np.ndarray = ABSENT
    contact_points: np.ndarray = ABSENT
    requests: list[Key] = field(default_factory=list)
    request_values: np.ndarray = ABSENT
    variables: list[Key] = field(default_factory=list)
    variable_values: np.ndarray = ABSENT
    angles: list[Key] = field(default_factory=list)
    angle_values: np.ndarray = ABSENT
    states: list[str] = field(default_factory=list)
    state_values: np.ndarray = ABSENT
    energy_kinetic: np.ndarray = ABSENT
    energy_gravity: np.ndarray = ABSENT
    energy_elastic: np.ndarray = ABSENT
    energy_dissipated: np.ndarray | None = None
    energy_input: np.ndarray | None = None
    momentum: np.ndarray | None = None
    angular_momentum: np.ndarray | None = None
    impulse: np.ndarray | None = None
    angular_impulse: np.ndarray | None = None
    contact_impulse: np.ndarray | None = None
    contact_angular_impulse: np.ndarray | None = None
    history: np.ndarray = ABSENT
    impacts: np.ndarray = ABSENT
    peaks: np.ndarray = ABSENT
    counters: dict[str, int | float] = field(default_factory=dict)
    segments: list[Segment] = field(default_factory=list)
    extra: dict[str, np.ndarray] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.time = np.ascontiguousarray(self.time, float)
        if self.time.ndim != 1:
            raise ModelError(f"RunData.time must have one axis, not shape {self.time.shape}")
        for name in LISTS:
            setattr(self, name, [_key(k, name) for k in getattr(self, name)])
        for name in COLUMNS:
            setattr(self, name, self._checked(name, getattr(self, name)))
        for side in ("constraint_i", "constraint_j", "force_i", "force_j"):
            n = len(self.constraints if side.startswith("constraint") else self.forces)
            ids = getattr(self, side)
            ids = np.zeros(n, np.int64) if ids is None else np.asarray([i or 0 for i in ids], np.int64)
            if ids.shape != (n,):
                raise ModelError(f"RunData.{side} must have shape ({n},), not {ids.shape}")
            setattr(self, side, ids)
        self.history = np.zeros(0, HISTORY_DTYPE) if self.history is None else self.history
        if self.history.dtype.names is None or self.history.ndim != 1:
            raise ModelError("RunData.history must be a structured array with one axis; see HISTORY_DTYPE")
        self.impacts = np.zeros(0, IMPACT_DTYPE) if self.impacts is None else np.asarray(self.impacts, IMPACT_DTYPE)
        self.peaks = np.zeros(0, PEAK_DTYPE) if self.peaks is None else np.asarray(self.peaks, PEAK_DTYPE)
        if not self.segments and len(self.time):
            self.segments = [Segment("dynamics", 0, len(self.time))]
        for name, value in self.extra.items():
            self.extra[name] = value = np.asarray(value)
            if value.ndim < 1 or len(value) != len(self.time):
                raise ModelError(f"RunData.extra['{name}'] must have {len(self.time)} rows, not shape {value.shape}")

    def freeze(self) -> RunData:
        """Make all arrays read-only: views of those that were given, which stay as they are for their owner.  Returns
        itself."""

        def read_only(value: np.ndarray) -> np.ndarray:
            value = value.view()
            value.flags.writeable = False
            return value

        for name in ("time", "history", "impacts", "peaks", *COLUMNS):
            if getattr(self, name) is not None:
                setattr(self, name, read_only(getattr(self, name)))
        self.extra = {name: read_only(value) for name, value in self.extra.items()}
        return self

    def shape(self, name: str) -> tuple[int, ...]:
        """Shape that array ``name`` must have."""
        axis, tail, _ = COLUMNS[name]
        return (len(self.time), *(() if axis is None else (len(getattr(self, axis)),)), *tail)

    def _checked(self, name: str, value: Any) -> np.ndarray | None:
        shape = self.shape(name)
        if value is None:
            return None if name in OPTIONAL else np.full(shape, np.nan)
        value = np.ascontiguousarray(value, float)
        if value.shape != shape:
            raise ModelError(f"RunData.{name} must have shape {shape}, not {value.shape}")
        return value

    def take(self, rows: slice | np.ndarray) -> RunData:
        """The same columns at some rows; history, counters and segments are left out."""
        names = [n for n in COLUMNS if getattr(self, n) is not None]
        return RunData(
            time=self.time[rows],
            **{name: getattr(self, name) for name in LISTS},
            **{s: getattr(self, s) for s in ("constraint_i", "constraint_j", "force_i", "force_j")},
            **{name: getattr(self, name)[rows] for name in names},
            extra={name: value[rows] for name, value in self.extra.items()},
        )


def _key(key: Any, axis: str) -> Any:
    if axis == "states":
        return str(key)
    if isinstance(key, str) and axis == "variables":
        return ("VARIABLE", 0, key)
    if hasattr(key, "KIND"):
        return (key.KIND, int(key.id), str(key.name))
    kind, number, name = key
    return (str(kind), int(number), str(name))


def joined(datas: Sequence[RunData]) -> RunData:
    """Rows of several runs of the same columns in sequence; segments, histories and counters are joined.

    Raises ModelError when columns differ or time falls.
    """
    first = datas[0]
    for other in datas[1:]:
        for name in LISTS:
            if getattr(other, name) != getattr(first, name):
                raise ModelError(f"these runs cannot be joined: their {name} differ")
    for a, b in zip(datas, datas[1:]):
        if len(a.time) and len(b.time) and b.time[0] < a.time[-1]:
            raise ModelError(f"these runs cannot be joined: time falls from {a.time[-1]:g} to {b.time[0]:g}")
    arrays: dict[str, Any] = {}
    for name in COLUMNS:
        values = [getattr(d, name) for d in datas]
        if name in OPTIONAL:
            if all(v is None for v in values):
                continue
            values = [np.full(d.shape(name), np.nan) if v is None else v for d, v in zip(datas, values)]
        arrays[name] = np.concatenate(values)
    starts = np.cumsum([0, *(len(d.time) for d in datas)])
    counters: dict[str, int | float] = {}
    for d in datas:
        for name, value in d.counters.items():
            counters[name] = counters.get(name, 0) + value
    shared = set.intersection(*(set(d.extra) for d in datas))
    return RunData(
        time=np.concatenate([d.time for d in datas]),
        **{name: getattr(first, name) for name in LISTS},
        **{s: getattr(first, s) for s in ("constraint_i", "constraint_j", "force_i", "force_j")},
        **arrays,
        history=np.concatenate([d.history for d in datas]),
        impacts=np.concatenate([d.impacts for d in datas]),
        counters=counters,
        segments=[
            Segment(s.kind, int(s.start + o), int(s.end + o), s.settings)
            for d, o in zip(datas, starts)
            for s in d.segments
        ],
        extra={name: np.concatenate([d.extra[name] for d in datas]) for name in sorted(shared)},
    )
