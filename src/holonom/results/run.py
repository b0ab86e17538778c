"""The answer of a simulation in the words of the drawing: named histories with units."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..model import Model, ModelError
from ..model.adams_output import AdamsOutput
from ..model.base import Element
from . import _rotation as rotation
from ._data import COLUMNS, HISTORY_DTYPE, LISTS, MOMENTA, OPTIONAL, Key, RunData, Segment
from ._interpolate import cubic, interpolate, locate
from ._names import Named
from ._units import to_si
from .pages.notebook import of_run
from .refereed import referee_words
from .views.contact import ContactView
from .views.grains import GrainsView
from .views.impacts import named_impacts
from .views.joint import JointView, MotionView, PairView, SpringView
from .views.wrench import WrenchView

if TYPE_CHECKING:  # takes half a second to load: only what makes an array does
    import pandas as pd
    import xarray as xr

    from .views.flexible import FlexibleView
    from .views.mesh import MeshView
    from .views.rod import RodView
    from .views.surface import SurfaceView

__all__ = ["HISTORY_DTYPE", "MarkerView", "PartView", "Run", "RunData", "Segment", "WrenchView"]

XYZ = ("x", "y", "z")
EULER = ("psi", "theta", "phi")
#: one row for each change of a SWITCH, see `Run.switches`
SWITCH_DTYPE = np.dtype(
    [("time", "f8"), ("switch", "U64"), ("source", "U32"), ("target", "U32"), ("energy", "f8"), ("impulse", "f8")]
)
ENERGIES = ("kinetic", "gravity", "elastic")
STANDARD_REQUESTS = {
    "DISPLACEMENT": (
        ("MAG", "X", "Y", "Z", "NONE", "PSI", "THETA", "PHI"),
        ("length",) * 4 + ("none",) + ("angle",) * 3,
    ),
    "VELOCITY": (("VM", "VX", "VY", "VZ", "WM", "WX", "WY", "WZ"), ("velocity",) * 4 + ("angular_velocity",) * 4),
    "ACCELERATION": (
        ("ACCM", "ACCX", "ACCY", "ACCZ", "WDTM", "WDTX", "WDTY", "WDTZ"),
        ("acceleration",) * 4 + ("angular_acceleration",) * 4,
    ),
    "FORCE": (("FM", "FX", "FY", "FZ", "TM", "TX", "TY", "TZ"), ("force",) * 4 + ("torque",) * 4),
}
CTYPES = {
    "LENGTH": "length", "DISPLACEMENT": "length", "VELOCITY": "velocity", "ACCELERATION": "acceleration",
    "ANGLE": "angle",
    "ANGULAR_VELOCITY": "angular_velocity", "ANGULAR_ACCELERATION": "angular_acceleration",
    "ANG_VEL": "angular_velocity",
    "ANG_ACC": "angular_acceleration", "FORCE": "force", "TORQUE": "torque", "TIME": "time", "MASS": "mass",
    "ENERGY": "energy",
    "POWER": "power",
}  # fmt: skip

#: methods of `Run` that other files of this room do: name -> function of a run
TOOLS: dict[str, Callable[..., Any]] = {}


class Run(Named):
    """Histories of one simulation, by the names of the model; all in model units, angles in radians, ground axes.

    ``model``: the `Model` that ran.  ``data``: see `RunData`.  ``info``: what JSON can hold (version, integrator, wall
    time, warnings, ...).  Every history is an ``xarray.DataArray`` with a ``time`` axis and its unit in
    ``attrs["units"]``.

    Elements are named by name (case does not count), id, ``"KIND/id"`` or the element itself; unknown names raise
    `ModelError` with a suggestion.  Results of `simulate` and `load` are read-only; ``array.copy()`` gives one to write
    to.
    """

    def __init__(self, model: Model, data: RunData, info: dict[str, Any] | None = None) -> None:
        self.model = model
        self.data = data
        self.info: dict[str, Any] = dict(info or {})
        self.file: Path | None = None  #: file that holds this run, since it was saved or loaded
        self.linear: list[Any] = []  #: results of linear analyses (`holonom.results.modes.Linear`)
        self._tables = {name: _Names(name, getattr(data, name)) for name in LISTS if name != "states"}

    # ---- time and bookkeeping ---------------------------------------------------------------------------------------
    def __len__(self) -> int:
        """Number of output times."""
        return len(self.data.time)

    @property
    def time(self) -> np.ndarray:
        """Output times (nt,), never falling; a time may repeat where one analysis ends and the next begins."""
        return self.data.time

    @property
    def history(self) -> np.ndarray:
        """Solver steps as a structured array with fields time, step, order, iterations, cause, cpu (see
        HISTORY_DTYPE)."""
        return self.data.history

    @cached_property
    def impacts(self) -> np.ndarray:
        """Impulses of rigid contacts at impacts as a structured array in order of time, a row for each point: time;
        names: contact, body_i, body_j, shape_i, shape_j; place x, y, z; normal_impulse, tangential_impulse,
        velocity_before, velocity_after (of the gap: negative closes it), energy_lost; and contact_id, shape_i_id,
        shape_j_id (ids of CONTACT and GRAPHICS).  Of contacts as constraints (methods "events" and "time-stepping");
        forces of a law have no impulses."""
        return named_impacts(self.model, self.data.impacts)

    @property
    def counters(self) -> dict[str, int | float]:
        """Totals of the solver: evaluations, factorizations, rejected steps by cause, ..."""
        return self.data.counters

    @property
    def segments(self) -> list[Segment]:
        """The analyses that this run chains."""
        return self.data.segments

    @property
    def bodies(self) -> list[str]:
        """Names of the recorded bodies."""
        return [name for _, _, name in self.data.bodies]

    @property
    def constraints(self) -> list[str]:
        """Names of the joints, primitives, motions and other constraints of which this run holds results."""
        return [name for _, _, name in self.data.constraints]

    @property
    def forces(self) -> list[str]:
        """Names of the applied forces of which this run holds results."""
        return [name for _, _, name in self.data.forces]

    @property
    def contacts(self) -> list[str]:
        """Names of the contacts of which this run holds results."""
        return [name for _, _, name in self.data.contacts]

    @property
    def requests(self) -> list[str]:
        """Names of the requests of which this run holds results."""
        return [name for _, _, name in self.data.requests]

    @property
    def variables(self) -> list[str]:
        """Names of the variables of which this run holds results."""
        return [name for _, _, name in self.data.variables]

    @property
    def states(self) -> list[str]:
        """Names of the states of differential equations and control blocks that this run holds."""
        return list(self.data.states)

    def units(self, quantity: str) -> str:
        """Unit text of ``"length"``, ``"force"``, ... in this run."""
        return self.model.units.symbol(quantity)

    def __repr__(self) -> str:
        d = self.data
        lines = [f"Run of model '{self.model.name}': {len(self)} times"]
        if len(self):
            lines[0] += f", {d.time[0]:g} to {d.time[-1]:g} {self.units('time')}"
        if not self.info.get("complete", True):
            lines[0] += " (interrupted)"
        counts = [f"{len(getattr(d, name))} {name}" for name in LISTS if getattr(d, name)]
        counts += [f"{len(g)} grains" for g in self.model.table("GRAINS").values()]
        lines.append("  " + (", ".join(counts) or "nothing recorded"))
        if d.segments:
            lines.append("  analyses: " + ", ".join(f"{s.kind} ({s.end - s.start})" for s in d.segments))
        if len(d.history):
            tried, accepted = len(d.history), int(np.sum(d.history["cause"] == ""))
            lines.append(f"  solver: {accepted} steps, {tried - accepted} rejected")
        if referee_words(self):
            lines.append(f"  contact referee: {referee_words(self)}")
        for key, values in (("parts", self.bodies), ("requests", self.requests)):
            if values:
                more = f" ... and {len(values) - 8} more" if len(values) > 8 else ""
                lines.append(f"  {key}: " + ", ".join(values[:8]) + more)
        warned = self.info.get("warnings") or []
        if warned:
            first = f"  warnings: {len(warned)}, the first: " if len(warned) > 1 else "  warning: "
            lines.append(first + str(warned[0]) + (" (all are in run.info['warnings'])" if len(warned) > 1 else ""))
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return of_run(self)

    # ---- named access -----------------------------------------------------------------------------------------------
    def part(self, reference: Any) -> PartView:
        """Motion of a part or point mass (ground too, recorded or not)."""
        try:
            ground = self.model.ground
        except ModelError:
            ground = None
        if ground is not None:
            key = (ground.KIND, ground.id, ground.name)
            names = (ground.name.lower(), f"part/{ground.id}", str(ground.id))
            if reference is ground or str(reference).strip().lower() in names:
                return PartView(self, key)
        return PartView(self, self._tables["bodies"].find(reference, prefer="PART"))

    def marker(self, reference: Any) -> MarkerView:
        """Motion of any marker of the model, from its body's record."""
        if isinstance(reference, str) and reference.upper().startswith("MARKER/"):
            reference = int(reference[7:])
        return MarkerView(self, self.model.find("MARKER", reference))

    def joint(self, reference: Any) -> JointView:
        """Angle, travel, their rates, and reaction of a joint (or any constraint: see `constraint`); an id is that of a
        JOINT."""
        return JointView(self, "constraint", self._tables["constraints"].find(reference, prefer="JOINT"))

    def motion(self, reference: Any) -> MotionView:
        """What a motion drives (`value`, `rate`), its force and torque, and its power; an id is that of a MOTION."""
        return MotionView(self, "constraint", self._tables["constraints"].find(reference, prefer="MOTION"))

    def constraint(self, reference: Any) -> PairView:
        """Reaction of any constraint; give ``"COUPLER/1"`` where an id alone is ambiguous."""
        key = self._tables["constraints"].find(reference)
        return {"JOINT": JointView, "MOTION": MotionView}.get(key[0], PairView)(self, "constraint", key)

    def force(self, reference: Any) -> PairView:
        """Force and torque of an applied force; give ``"BUSHING/1"`` where an id alone is ambiguous."""
        key = self._tables["forces"].find(reference)
        return {"SPRINGDAMPER": SpringView}.get(key[0], PairView)(self, "force", key)

    def spring(self, reference: Any) -> SpringView:
        """Length or angle, its rate and its force, of a spring-damper; an id is that of a SPRINGDAMPER."""
        key = self._tables["forces"].find(reference, prefer="SPRINGDAMPER")
        if key[0] != "SPRINGDAMPER":
            raise ModelError(f"{key[0]}/{key[1]} '{key[2]}' is no spring-damper; run.force has its force and torque")
        return SpringView(self, "force", key)

    def contact(self, reference: Any) -> ContactView:
        """Force, point, depth of a contact, all its shapes together."""
        try:
            return ContactView(self, self._tables["contacts"].find(reference))
        except ModelError:
            if isinstance(reference, str) and (many := self.contacts_of(reference)):
                raise ModelError(
                    f"'{reference}' is a group of {len(many)} contacts: run.contacts_of('{reference}') has each of them"
                ) from None
            raise

    def surface(self, reference: Any) -> SurfaceView:
        """Forces and pressures at the nodes of a SURFACE_CONTACT, by the element, its name or id.  Raises `ModelError`
        where there is none."""
        from .views.surface import SurfaceView

        return SurfaceView(self, self.model.find("SURFACE_CONTACT", reference))

    def contacts_of(self, group: str) -> list[ContactView]:
        """Contacts of a group (as `Model.contact_each` makes them), in the order of the model; none where no contact
        has it."""
        return [self.contact(c) for c in self.model.contacts_of(group) if (c.KIND, c.id, c.name) in self.data.contacts]

    def grains(self, reference: Any = None) -> GrainsView:
        """Places, velocities and statistics of GRAINS; the only ones of a model need no name."""
        table = self.model.table("GRAINS")
        if reference is None:
            if len(table) != 1:
                raise ModelError(f"the model has {len(table)} elements of GRAINS; name one of them")
            reference = next(iter(table.values()))
        return GrainsView(self, self.model.find("GRAINS", reference))

    def flexible(self, reference: Any = None, *, residual: bool = True) -> FlexibleView:
        """Modes, displacements, stresses and loads of a part that bends, by the part or its FLEXIBILITY; the only one
        of a model needs no name.

        ``residual``: stresses with the static share of loads that no mode carries, see
        `results.views.flexible.FlexibleView`. Raises `ModelError` for a part that is rigid, and where the run holds no
        modes of it.
        """
        table = self.model.table("FLEXIBILITY")
        if reference is None:
            if len(table) != 1:
                raise ModelError(f"the model has {len(table)} parts that bend; name one of them")
            reference = next(iter(table.values()))
        if (
            isinstance(reference, Element)
            and reference.KIND == "FLEXIBILITY"
            or str(reference).upper().startswith("FLEXIBILITY/")
        ):
            element = self.model.find(
                "FLEXIBILITY", reference if isinstance(reference, Element) else str(reference)[12:]
            )
        else:
            try:
                part = self.model.find("PART", reference)
            except ModelError:
                names = [self.model.table("PART")[e.part].name for e in table.values()]
                raise ModelError(
                    f"no part that bends is named {reference!r}{_suggest(str(reference).lower(), names)}"
                ) from None
            element = next((e for e in table.values() if e.part == part.id), None)
            if element is None:
                raise part.error(
                    "it is rigid: it has no modes, displacements or stresses (model.make_flexible lets it bend)"
                )
        from .views.flexible import FlexibleView

        return FlexibleView(self, element, residual)

    def mesh(self, reference: Any = None) -> MeshView:
        """Axis, forces in sections and strain energy of a mesh in absolute coordinates (a cable); the only one of a
        model needs no name.

        Raises `ModelError` for a name of none, and where the run holds no coordinates of it."""
        from .views.mesh import MeshView

        table = self.model.table("ABSOLUTE_MESH")
        if reference is None:
            if len(table) != 1:
                raise ModelError(f"the model has {len(table)} meshes in absolute coordinates; name one of them")
            reference = next(iter(table.values()))
        return MeshView(self, self.model.find("ABSOLUTE_MESH", getattr(reference, "mesh", reference)))

    def rod(self, reference: Any = None) -> RodView:
        """Axis, forces and moments in sections, and stresses of a rod (`flexible.rod`) as one thing; the only one of a
        model needs no name.

        Raises `ModelError` for a name of none, and where the run holds no forces of its beams."""
        from .views.rod import RodView

        table = self.model.table("ROD")
        if reference is None:
            if len(table) != 1:
                raise ModelError(f"the model has {len(table)} rods; name one of them")
            reference = next(iter(table.values()))
        return RodView(self, self.model.find("ROD", getattr(reference, "element", reference)))

    def sink(self, reference: Any) -> xr.Dataset:
        """Number of ``grains`` and their ``mass`` that a SINK has taken out since the start, dims (time)."""
        import xarray as xr

        e = self.model.find("SINK", reference)
        names = {"grains": ("count", "none"), "mass": ("mass", "mass")}
        return xr.Dataset(
            {
                n: self._array(self.data.extra[f"sinks/{e.id}/{k}"], (), {}, q, f"{e.name}.{n}")
                for n, (k, q) in names.items()
            }
        )

    def request(self, reference: Any) -> xr.DataArray:
        """Components of a request, dims (time, component); the unit of each is in the coordinate ``units``."""
        key = self._tables["requests"].find(reference)
        names, units = self.request_components(key)
        values = self.data.request_values[:, self.data.requests.index(key)]
        element = self.model.table("REQUEST").get(key[1])
        title = (element.title or element.comment) if element is not None else ""
        coords = {"component": list(names), "units": ("component", list(units))}
        return self._array(values, ("component",), coords, None, key[2], {"title": title} if title else {})

    def request_components(self, reference: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Eight names and eight unit texts of a request's components (CNAMES, CUNITS, CTYPES where the model gives
        them)."""
        key = reference if isinstance(reference, tuple) else self._tables["requests"].find(reference)
        request = self.model.table("REQUEST").get(key[1])
        standard, quantities = STANDARD_REQUESTS.get(
            (request.kind or "").upper() if request else "", (tuple(f"F{n}" for n in range(1, 9)), ("none",) * 8)
        )
        if standard[-1] == "PHI" and AdamsOutput.of(self.model.preferences).yaw_pitch_roll:
            standard = (*standard[:5], "YAW", "PITCH", "ROLL")
        names, units = list(standard), [self.units(q) for q in quantities]
        if request is not None:
            for k, name in enumerate(request.cnames[:8]):
                names[k] = name or names[k]
            for k, name in enumerate(request.ctypes[:8]):
                units[k] = self.units(CTYPES[name.upper()]) if name and name.upper() in CTYPES else units[k]
            for k, name in enumerate(request.cunits[:8]):
                units[k] = name or units[k]
        for k, name in enumerate(names):
            if name in names[:k]:
                names[k] = f"{name}_{k + 1}"
        return tuple(names), tuple(units)

    def variable(self, reference: Any) -> xr.DataArray:
        """Value of a VARIABLE, dims (time)."""
        key = self._tables["variables"].find(reference)
        return self._array(self.data.variable_values[:, self.data.variables.index(key)], (), {}, "none", key[2])

    def state(self, label: str) -> xr.DataArray:
        """One state by its label (``"DIFF_1"``, ``"LSE_2[0]"``), dims (time); or all of one element, dims (time,
        state)."""
        labels = [s.lower() for s in self.data.states]
        asked = str(label).strip().lower()
        if asked in labels:
            k = labels.index(asked)
            return self._array(self.data.state_values[:, k], (), {}, "none", self.data.states[k])
        group = [k for k, s in enumerate(labels) if s.startswith(f"{asked}[")]
        if not group:
            raise ModelError(f"there is no state '{label}' in this run{_suggest(asked, self.data.states)}")
        coords = {"state": [self.data.states[k] for k in group]}
        return self._array(self.data.state_values[:, group], ("state",), coords, "none", str(label))

    @cached_property
    def switches(self) -> np.ndarray:
        """Changes of SWITCHes as a structured array: time, switch, source, target (its states; equal where a stop is
        met with rebound), energy (kinetic, lost in the impact), impulse (largest multiplier of the impact; 0 where
        velocities stay)."""
        return np.array([tuple(row) for row in self.info.get("switches", ())], SWITCH_DTYPE)

    def state_of(self, switch: Any) -> np.ndarray:
        """State of a SWITCH (name, id or element) at each output time (nt,); where a time repeats, before and behind
        the change."""
        element = self.model.find("SWITCH", switch)
        table = self.switches[self.switches["switch"] == element.name]
        out = np.empty(len(self.time), SWITCH_DTYPE["target"])
        out[:] = (
            table["source"][0] if len(table) else self.info.get("switch states", {}).get(str(element.id), element.first)
        )
        for row in table[table["source"] != table["target"]]:
            rows = np.flatnonzero(self.time == row["time"])  # the last of them is behind the change
            out[rows[-1] if len(rows) else np.searchsorted(self.time, row["time"]) :] = row["target"]
        return out

    @cached_property
    def energy(self) -> xr.Dataset:
        """kinetic, gravity, elastic and their sum ``total``; dissipated and input where recorded.  All in J, whatever
        units the model has, dims (time)."""
        import xarray as xr

        joule = to_si(self.model.units, "energy")

        values = {name: getattr(self.data, f"energy_{name}") for name in ENERGIES}
        values["total"] = values["kinetic"] + values["gravity"] + values["elastic"]
        for name in ("dissipated", "input"):
            value = getattr(self.data, f"energy_{name}")
            if value is not None:
                values[name] = value
        return xr.Dataset(
            {name: self._array(joule * v, (), {}, None, name, {"units": "J"}) for name, v in values.items()}
        )

    @cached_property
    def strain_energy(self) -> xr.Dataset:
        """Of each part that bends and of each mesh, by its name, dims (time), in J whatever units the model has: shares
        of ``energy.elastic``, of which the rest is in springs and the like.  `run.flexible` has it by mode.  Empty
        where nothing bends."""
        import xarray as xr

        held = {name.partition("[")[0] for name in self.states}
        from .views.mesh import recorded

        views = [self.flexible(e) for e in self.model.table("FLEXIBILITY").values() if f"FLEXIBILITY_{e.id}" in held]
        out = {v.name: v.strain_energy.sum("mode", keep_attrs=True) for v in views}
        return xr.Dataset(out | {v.name: v.strain_energy for v in recorded(self)})

    @cached_property
    def momentum(self) -> xr.Dataset:
        """Of all moving parts together, dims (time, axis): momentum, angular_momentum (about the origin of ground);
        impulse, angular_impulse received from outside since the start, and contact_impulse, contact_angular_impulse,
        the share of contacts with ground.  Empty where it is not recorded: in models without contacts, or when no works
        are integrated."""
        import xarray as xr

        values = {name: value for name in MOMENTA if (value := getattr(self.data, name)) is not None}
        return xr.Dataset({name: self._vector(v, COLUMNS[name][2], name) for name, v in values.items()})

    # ---- whole runs -------------------------------------------------------------------------------------------------
    def to_xarray(self) -> xr.Dataset:
        """Everything in one Dataset, dims time, body, axis, quaternion, constraint, force, contact, request,
        request_component, variable, state; element names are coordinates (with ``*_kind`` and ``*_id`` next to them).
        What the run has none of is left out."""
        import xarray as xr

        d = self.data
        dim = {
            "bodies": "body",
            "constraints": "constraint",
            "forces": "force",
            "contacts": "contact",
            "requests": "request",
            "variables": "variable",
            "angles": "angle_of",
            "states": "state",
        }
        coords: dict[str, Any] = {"time": self._time(), "axis": list(XYZ)}
        for name in LISTS[:-1]:
            keys = getattr(d, name)
            if not keys:
                continue
            coords[dim[name]] = np.array([k[2] for k in keys], dtype=str)
            coords[f"{dim[name]}_kind"] = (dim[name], np.array([k[0] for k in keys], dtype=str))
            coords[f"{dim[name]}_id"] = (dim[name], np.array([k[1] for k in keys], dtype=np.int64))
        if d.states:
            coords["state"] = np.array(d.states, dtype=str)
        tails = {(3,): ("axis",), (4,): ("quaternion",), (8,): ("request_component",), (): ()}
        variables: dict[str, Any] = {}
        for name, (axis, tail, quantity) in COLUMNS.items():
            value = getattr(d, name)
            if value is not None and (axis is None or getattr(d, axis)):
                dims = ("time", *((dim[axis],) if axis else ()), *tails[tail])
                variables[name] = (dims, value, {"units": self.units(quantity)})
        for name, value in d.extra.items():
            variables[name] = (("time", *(f"{name}_{k}" for k in range(1, value.ndim))), value)
        return xr.Dataset(variables, coords, {"model": self.model.name})

    def to_dataframe(self) -> pd.DataFrame:
        """A table with a row for each output time (index ``time``) and a column for each number: ``rod.position.x``,
        ``pin.force.z``, ``pin.angle``, ``energy.kinetic``, ...; units are in ``attrs["units"]`` by column.  Arrays of
        grains and contact points are not in it (`to_xarray`)."""
        import pandas as pd

        d, columns, units = self.data, {}, {}
        parts = {(3,): XYZ, (4,): ("e0", "e1", "e2", "e3"), (8,): tuple(map(str, range(1, 9))), (): ("",)}
        for array, (axis, tail, quantity) in COLUMNS.items():
            value = getattr(d, array)
            if value is None:
                continue
            group, _, what = array.partition("_")
            keys = [None] if axis is None else getattr(d, axis)
            for k, key in enumerate(keys):
                name = group if key is None else key if isinstance(key, str) else key[2]
                named = (
                    ""
                    if what == "values" and axis in ("variables", "states", "requests")
                    else "angle"
                    if what == "values"
                    else what
                )
                for c, component in enumerate(parts[tail]):
                    label = ".".join(text for text in (name, named, component) if text)
                    if label in columns and key is not None and not isinstance(key, str):
                        label = f"{key[0]}/{key[1]} {label}"
                    columns[label] = value[(slice(None), *(() if key is None else (k,)), *((c,) if tail else ()))]
                    units[label] = self.units(quantity)
        table = pd.DataFrame(columns, index=pd.Index(d.time, name="time"))
        table.attrs["units"] = units
        return table

    def at(self, time: float | Sequence[float] | np.ndarray) -> Run:
        """A run at other times (one or many) inside the recorded range.

        Positions, velocities and orientations by cubic Hermite interpolation with the recorded rates (error of fourth
        order), everything else linearly.  At a repeated time the later row answers.  Raises ModelError outside the
        range.
        """
        data = interpolate(self.data, time)
        if len(self) > 1 and not np.array_equal(data.time, self.data.time):
            self._turns_between(data)
        return Run(self.model, data, self.info)

    def _turns_between(self, data: RunData) -> None:
        """Angles over whole turns at other times: cubic with the rates of the joints."""
        left, right, s, h = locate(self.data.time, data.time)
        for k, key in enumerate(data.angles):
            try:
                view = (self.constraint if key[0] == "JOINT" else self.force)(f"{key[0]}/{key[1]}")
                rate = view._turn[1]
            except ModelError:  # a body without record
                continue
            data.angle_values[:, k] = cubic(self.data.angle_values[:, k], rate, left, right, s, h)

    def between(self, start: float, end: float) -> Run:
        """The rows with start <= time <= end, without the solver history of other times."""
        rows = np.flatnonzero((self.time >= start) & (self.time <= end))
        if len(rows) == 0:
            raise ModelError(f"no output time lies between {start:g} and {end:g}")
        return self._rows(slice(rows[0], rows[-1] + 1))

    def segment(self, index: int) -> Run:
        """The rows of one analysis of `segments`."""
        if not -len(self.segments) <= index < len(self.segments):
            raise ModelError(f"this run has {len(self.segments)} segments; there is no segment {index}")
        s = self.segments[index]
        return self._rows(slice(s.start, s.end))

    def _rows(self, rows: slice) -> Run:
        data = self.data.take(rows)
        h = self.data.history
        if len(data.time):
            data.history = h[(h["time"] >= data.time[0]) & (h["time"] <= data.time[-1])]
            h = self.data.impacts
            data.impacts = h[(h["time"] >= data.time[0]) & (h["time"] <= data.time[-1])]
        clipped = ((s, max(s.start, rows.start), min(s.end, rows.stop)) for s in self.segments)
        data.segments = [Segment(s.kind, a - rows.start, b - rows.start, s.settings) for s, a, b in clipped if b > a]
        return Run(self.model, data, self.info)

    @staticmethod
    def concatenate(runs: Iterable[Run]) -> Run:
        """One run of several in sequence (same model and columns); segments, histories and counters are joined.

        Raises ModelError when columns differ or time falls.
        """
        runs = list(runs)
        if not runs:
            raise ModelError("concatenate needs at least one run")
        datas = [r.data for r in runs]
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
        data = RunData(
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
        return Run(runs[0].model, data, {**runs[0].info, **runs[-1].info})

    # ---- doors to the other files of this room ----------------------------------------------------------------------
    # The files that take a run are above this one: `results/__init__` enters what they do in TOOLS.
    def save(self, path) -> None:
        """Write one HDF5 file; see `store.save`."""
        TOOLS["save"](self, path)

    def compare(self, other: Run, quantities=None):
        """Differences of another run from this one; see `compare.compare`."""
        return TOOLS["compare"](self, other, quantities)

    def audit(self):
        """Energy audit; see `audit.audit`."""
        return TOOLS["audit"](self)

    def momentum_audit(self):
        """Momentum audit; see `audit.momentum_audit`."""
        return TOOLS["momentum_audit"](self)

    def curve(self, name: str) -> xr.DataArray:
        """A history by its full name (``"ROTOR.position.x"``, ``"energy.kinetic"``); see `curves`, whose functions take
        it on."""
        return TOOLS["curve"](self, name)

    def difference(self, other: Run, name: str) -> xr.DataArray:
        """The curve ``name`` of this run less that of another, in units of this one; see `curves.run_difference`."""
        return TOOLS["difference"](self, other, name)

    def reactions(self, *, forces: bool = False):
        """Table of largest loads of joints (and applied forces), when and their root mean squares; see
        `reactions.reactions`."""
        return TOOLS["reactions"](self, forces=forces)

    def part_loads(self, part, axes="part", *, strict: bool = True):
        """Histories of all forces and moments on a rigid part at its hardpoints, balanced by its inertia; see
        `part_loads.part_loads`."""
        return TOOLS["part_loads"](self, part, axes, strict=strict)

    def least_distance(self, part_a, part_b, **options):
        """Least distance of two parts by their shapes over the motion, when and where; see
        `clearance.least_distance`."""
        return TOOLS["least_distance"](self, part_a, part_b, **options)

    def movie(self, path, **options):
        """The animation as a GIF or MP4 film; see `movie.write_movie`."""
        return TOOLS["movie"](self, path, **options)

    def export_gltf(self, path, **options):
        """The animated machine as a binary glTF file; see `gltf.export_gltf`."""
        return TOOLS["export_gltf"](self, path, **options)

    def export_csv(self, folder) -> list:
        """One table per element; see `export.export_csv`."""
        return TOOLS["export_csv"](self, folder)

    def plot(self, folder) -> list:
        """Standard figures as PNG files; see `plots.save_all`."""
        return TOOLS["plot"](self, folder)

    def report(self, path, **options):
        """HTML report; see `holonom.results.pages.report`."""
        return TOOLS["report"](self, path, **options)

    def animate(self, path=None, *, height: int = 520, **options):
        """3D animation in a browser page; see `holonom.results.pages.animation`.  Without a path it is shown in the
        notebook, ``height`` pixels high."""
        return TOOLS["animate"](self, path, height=height, **options)

    # ---- helpers ----------------------------------------------------------------------------------------------------
    def _time(self) -> xr.DataArray:
        import xarray as xr

        return xr.DataArray(self.data.time, dims=("time",), attrs={"units": self.units("time")})

    def _array(
        self, values, dims, coords, quantity: str | None, name: str, attrs: dict[str, Any] | None = None
    ) -> xr.DataArray:
        import xarray as xr

        attrs = dict(attrs or {})
        if quantity is not None:
            attrs["units"] = self.units(quantity)
        values = np.asarray(values).view()
        values.flags.writeable = False
        return xr.DataArray(values, {"time": self._time(), **coords}, ("time", *dims), name=name, attrs=attrs)

    def _vector(self, values: np.ndarray, quantity: str, name: str, axes: str = "ground") -> xr.DataArray:
        return self._array(values, ("axis",), {"axis": list(XYZ)}, quantity, name, {"axes": axes})

    def _body_arrays(self, key: Key) -> tuple[np.ndarray, ...]:
        """position, quaternion, velocity, acceleration, angular velocity and acceleration of one body, each (nt, 3 or
        4)."""
        d = self.data
        if key in d.bodies:
            k = d.bodies.index(key)
            return (
                d.body_position[:, k],
                d.body_quaternion[:, k],
                d.body_velocity[:, k],
                d.body_acceleration[:, k],
                d.body_angular_velocity[:, k],
                d.body_angular_acceleration[:, k],
            )
        from ..model.orientation import to_quaternion

        body = self.model.table(key[0])[key[1]]  # ground, which never moves
        frame, nt = self.model.body_frame(body), len(self)
        centre = frame.origin + frame.axes @ self._centre(body)
        zero = np.zeros((nt, 3))
        return np.tile(centre, (nt, 1)), np.tile(to_quaternion(frame.axes), (nt, 1)), zero, zero, zero, zero

    def _mass(self, key: Key) -> tuple[float, np.ndarray]:
        """Mass and inertia (3, 3) about the centre in the body's axes, in units of force: p = m v and L = J w are
        impulses."""
        from ..model.dummies import inertia_of, mass_of

        body = self.model.table(key[0])[key[1]]
        if getattr(body, "ground", False):
            raise ModelError(f"{body.label} is ground, which has no momentum; ask for that of a part")
        factor = self.model.units.mass_factor
        if key[0] != "PART":
            return body.mass * factor, np.zeros((3, 3))
        tensor, axes = inertia_of(self.model, body)
        return mass_of(self.model, body) * factor, factor * (axes @ tensor @ axes.T)

    def _centre(self, body: Any) -> np.ndarray:
        """Centre of mass (3,) in the body's axes."""
        cm = getattr(body, "cm", None)
        return np.zeros(3) if not cm else np.asarray(self.model.table("MARKER")[cm].qp, float)


class _Names:
    """Finds a column by name, id, KIND/id or element."""

    def __init__(self, what: str, keys: list[Key]) -> None:
        self.what = what
        self.keys = keys
        self.by_kind_id = {(k.upper(), i): (k, i, n) for k, i, n in keys}
        self.by_name: dict[str, list[Key]] = {}
        for key in keys:
            self.by_name.setdefault(key[2].lower(), []).append(key)

    def find(self, reference: Any, prefer: str | None = None) -> Key:
        if isinstance(reference, Element):
            reference = f"{reference.KIND}/{reference.id}"
        if isinstance(reference, str) and not reference.strip().isdigit():
            text = reference.strip()
            kind, _, number = text.rpartition("/")
            if kind and number.isdigit() and (kind.upper(), int(number)) in self.by_kind_id:
                return self.by_kind_id[kind.upper(), int(number)]
            found = self.by_name.get(text.lower()) or self.by_name.get(text.lower().rsplit(".", 1)[-1]) or []
            shown = f"named '{reference}'"
            suggestion = _suggest(text.lower(), [k[2] for k in self.keys])
        else:
            try:
                wanted = int(reference)
            except (TypeError, ValueError):
                raise ModelError(f"give a name, an id, 'KIND/id' or an element, not {reference!r}") from None
            found = [k for k in self.keys if k[1] == wanted]
            shown = f"with id {wanted}"
            suggestion = _suggest("", [f"{k[0]}/{k[1]}" for k in self.keys])
        if prefer and any(k[0] == prefer for k in found):
            found = [k for k in found if k[0] == prefer]
        if not found:
            raise ModelError(f"none of the {self.what} of this run is {shown}{suggestion}")
        if len(found) > 1:
            raise ModelError(
                f"several {self.what} are {shown}: say which, as '"
                + "' or '".join(f"{k[0]}/{k[1]}" for k in found)
                + "'"
            )
        return found[0]


def _suggest(word: str, names: Sequence[str]) -> str:
    import difflib

    lower = {n.lower(): n for n in names}
    close = difflib.get_close_matches(word, list(lower), n=1)
    if close:
        return f"; did you mean '{lower[close[0]]}'?"
    if not names:
        return "; it recorded none"
    return "; it has " + ", ".join(list(names)[:6]) + (", ..." if len(names) > 6 else "")


class PartView(Named):
    """Motion of one body: histories of its centre of mass and of its attitude, in ground axes."""

    def __init__(self, run: Run, key: Key) -> None:
        self.run, self.key = run, key
        self.kind, self.id, self.name = key

    def __repr__(self) -> str:
        return f"<{self.kind}/{self.id} '{self.name}': {len(self.run)} times>"

    def _arrays(self) -> tuple[np.ndarray, ...]:
        return self.run._body_arrays(self.key)

    @property
    def position(self) -> xr.DataArray:
        """Centre of mass, dims (time, axis), length."""
        return self.run._vector(self._arrays()[0], "length", f"{self.name}.position")

    @property
    def quaternion(self) -> xr.DataArray:
        """Unit quaternion from body axes to ground, scalar first, dims (time, quaternion)."""
        coords = {"quaternion": ["e0", "e1", "e2", "e3"]}
        return self.run._array(self._arrays()[1], ("quaternion",), coords, "none", f"{self.name}.quaternion")

    @property
    def velocity(self) -> xr.DataArray:
        """Of the centre of mass, dims (time, axis)."""
        return self.run._vector(self._arrays()[2], "velocity", f"{self.name}.velocity")

    @property
    def acceleration(self) -> xr.DataArray:
        """Of the centre of mass, dims (time, axis)."""
        return self.run._vector(self._arrays()[3], "acceleration", f"{self.name}.acceleration")

    @property
    def angular_velocity(self) -> xr.DataArray:
        """Dims (time, axis), radians per time, ground axes."""
        return self.run._vector(self._arrays()[4], "angular_velocity", f"{self.name}.angular_velocity")

    @property
    def angular_acceleration(self) -> xr.DataArray:
        """Dims (time, axis), radians per time squared, ground axes."""
        return self.run._vector(self._arrays()[5], "angular_acceleration", f"{self.name}.angular_acceleration")

    @property
    def axes(self) -> xr.DataArray:
        """Rotation matrix from body axes to ground, dims (time, axis, body_axis)."""
        coords = {"axis": list(XYZ), "body_axis": list(XYZ)}
        values = rotation.matrices(self._arrays()[1])
        return self.run._array(values, ("axis", "body_axis"), coords, "none", f"{self.name}.axes")

    @property
    def euler(self) -> xr.DataArray:
        """Body 3-1-3 angles psi, theta, phi in radians, dims (time, angle); see `_rotation.euler313` for their
        ranges."""
        values = rotation.euler313(rotation.matrices(self._arrays()[1]))
        return self.run._array(values, ("angle",), {"angle": list(EULER)}, "angle", f"{self.name}.euler")

    @property
    def euler_rates(self) -> xr.DataArray:
        """Time derivatives of psi, theta, phi, dims (time, angle), radians per time; NaN where theta is 0 or pi and
        they have no value."""
        values = rotation.euler313_rates(rotation.matrices(self._arrays()[1]), self._arrays()[4])
        return self.run._array(
            values, ("angle",), {"angle": list(EULER)}, "angular_velocity", f"{self.name}.euler_rates"
        )

    @property
    def momentum(self) -> xr.DataArray:
        """m v, dims (time, axis), in force times time."""
        values = self.run._mass(self.key)[0] * self._arrays()[2]
        return self.run._vector(values, "momentum", f"{self.name}.momentum")

    @property
    def angular_momentum(self) -> xr.DataArray:
        """J w about the centre of mass (and what modes add), dims (time, axis), in torque times time; zero for point
        masses."""
        return self.run._vector(self._spin(), "angular_momentum", f"{self.name}.angular_momentum")

    @property
    def euler_momenta(self) -> xr.DataArray:
        """dT/dpsi', dT/dtheta', dT/dphi' of the kinetic energy T, dims (time, angle): the angular momenta that the
        Adams theory has as unknowns, components of J w along ground's z, the line of nodes and the part's z."""
        values = rotation.along_euler_axes(rotation.matrices(self._arrays()[1]), self._spin())
        return self.run._array(
            values, ("angle",), {"angle": list(EULER)}, "angular_momentum", f"{self.name}.euler_momenta"
        )

    def _spin(self) -> np.ndarray:
        """J w (nt, 3) in ground axes; of a part that bends with the inertia of its bent body and the momentum of its
        modes."""
        bends = (
            e
            for e in self.run.model.table("FLEXIBILITY").values()
            if e.active and (self.kind, self.id) == ("PART", e.part)
        )
        for e in bends:
            if any(name.startswith(f"FLEXIBILITY_{e.id}[") for name in self.run.states):
                return self.run.flexible(e).angular_momentum()
        m = rotation.matrices(self._arrays()[1])
        return np.einsum("tij,jk,tlk,tl->ti", m, self.run._mass(self.key)[1], m, self._arrays()[4], optimize=True)

    @property
    def origin(self) -> xr.DataArray:
        """Origin of the body coordinate system, dims (time, axis), length."""
        r, q = self._arrays()[:2]
        centre = self.run._centre(self.run.model.table(self.kind)[self.id])
        return self.run._vector(r - rotation.matrices(q) @ centre, "length", f"{self.name}.origin")

    def marker(self, reference: Any) -> MarkerView:
        """Motion of a marker of this body.  Raises ModelError when the marker sits on another."""
        view = self.run.marker(reference)
        if (view.body[0], view.body[1]) != (self.kind, self.id):
            raise ModelError(
                f"{view.element.label} sits on {view.body[0]}/{view.body[1]}, not on {self.kind}/{self.id} "
                f"'{self.name}'"
            )
        return view


class MarkerView(Named):
    """Motion of one marker, from the record of the body that carries it; ground axes.

    A floating marker named by a force sits at that force's I marker (with its own body's axes and angular velocity);
    its velocity is that of the body's point which is there at the time.  Where curve constraints move it, the analysis
    may record its place as ``extra["marker/ID"]`` (nt, 3), ground.
    """

    def __init__(self, run: Run, element: Any) -> None:
        self.run, self.element = run, element
        self.name = element.name
        body = run.model.body_of(element)
        self.body: Key = (body.KIND, body.id, body.name)
        if self.body not in run.data.bodies and not getattr(body, "ground", False):
            raise element.error(f"this run has no record of its body {body.label}")

    def __repr__(self) -> str:
        return f"<MARKER/{self.element.id} '{self.name}' on {self.body[2]}: {len(self.run)} times>"

    @cached_property
    def _carrier(self) -> MarkerView | None:
        """The marker at whose origin a floating marker sits."""
        if not self.element.floating:
            return None
        for kind in ("VFORCE", "VTORQUE", "GFORCE", "PTCV"):
            for force in self.run.model.table(kind).values():
                if force.jfloat == self.element.id and force.i:
                    return self.run.marker(force.i)
        raise self.element.error("it floats and nothing in this run places it, so it has no position")

    @cached_property
    def _motion(self) -> tuple[np.ndarray, ...]:
        """position, axes, velocity, acceleration, angular velocity, angular acceleration."""
        r, q, v, a, w, alpha = self.run._body_arrays(self.body)
        m = rotation.matrices(q)
        placed = self.run.data.extra.get(f"marker/{self.element.id}") if self.element.floating else None
        if placed is not None:
            s = placed - r
        elif self._carrier is not None:
            s = self._carrier._motion[0] - r
        else:
            body = self.run.model.table(self.body[0])[self.body[1]]
            s = m @ (np.asarray(self.element.qp, float) - self.run._centre(body))
        ws = np.cross(w, s)
        return r + s, m @ self.element.axes, v + ws, a + np.cross(alpha, s) + np.cross(w, ws), w, alpha

    @property
    def position(self) -> xr.DataArray:
        """Origin of the marker, dims (time, axis), length."""
        return self.run._vector(self._motion[0], "length", f"{self.name}.position")

    @property
    def axes(self) -> xr.DataArray:
        """Rotation matrix from marker axes to ground, dims (time, axis, marker_axis): columns are the marker's axes."""
        coords = {"axis": list(XYZ), "marker_axis": list(XYZ)}
        return self.run._array(self._motion[1], ("axis", "marker_axis"), coords, "none", f"{self.name}.axes")

    @property
    def euler(self) -> xr.DataArray:
        """Body 3-1-3 angles of the marker in ground, radians, dims (time, angle)."""
        values = rotation.euler313(self._motion[1])
        return self.run._array(values, ("angle",), {"angle": ["psi", "theta", "phi"]}, "angle", f"{self.name}.euler")

    @property
    def velocity(self) -> xr.DataArray:
        """Of the body's point at the marker, dims (time, axis)."""
        return self.run._vector(self._motion[2], "velocity", f"{self.name}.velocity")

    @property
    def acceleration(self) -> xr.DataArray:
        """Of the body's point at the marker, dims (time, axis)."""
        return self.run._vector(self._motion[3], "acceleration", f"{self.name}.acceleration")

    @property
    def angular_velocity(self) -> xr.DataArray:
        """Dims (time, axis), radians per time."""
        return self.run._vector(self._motion[4], "angular_velocity", f"{self.name}.angular_velocity")

    @property
    def angular_acceleration(self) -> xr.DataArray:
        """Dims (time, axis), radians per time squared."""
        return self.run._vector(self._motion[5], "angular_acceleration", f"{self.name}.angular_acceleration")
