"""The result of a simulation: histories with units, by the names of the model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .._summary import counted
from ..model import Model, ModelError
from ..model.base import Element, shown
from ._data import (
    COLUMNS,
    ENERGIES,
    HISTORY_DTYPE,
    LISTS,
    MOMENTA,
    SWITCH_DTYPE,
    XYZ,
    Key,
    RunData,
    Segment,
    joined,
)
from ._interpolate import cubic, interpolate, locate
from ._names import Keys
from ._units import to_si
from .pages.notebook import of_run
from .refereed import referee_words
from .run_methods import RunMethods
from .views.impacts import named_impacts

if TYPE_CHECKING:  # takes half a second to load: only what makes an array does
    import xarray as xr

__all__ = ["HISTORY_DTYPE", "Run", "RunData", "Segment"]


class Run(RunMethods):
    """Histories of one simulation, by the names of the model; all in model units, angles in radians, ground axes.

    ``model``: the run's own copy of the simulated `Model`, as it was at the start of the run (of the last analysis of a
    `Simulation`): later changes of the model do not change the run. ``data``: see `RunData`. ``info``: JSON data
    (version, integrator, wall time, warnings, ...). Every history is an ``xarray.DataArray`` with a ``time`` axis and
    its unit in ``attrs["units"]``.

    Elements are given by name (not case-sensitive), id, ``"KIND/id"`` or as the element itself; unknown names raise
    `ModelError` with a suggestion. Results of `simulate` and `load` are read-only; use ``array.copy()`` to modify one.
    """

    def __init__(self, model: Model, data: RunData, info: dict[str, Any] | None = None) -> None:
        self._begin(model.copy(), data, info)

    @classmethod
    def _of_kept(cls, model: Model, data: RunData, info: dict[str, Any] | None = None) -> Run:
        """A run with a model that nobody else changes, which is not copied."""
        run = cls.__new__(cls)
        run._begin(model, data, info)
        return run

    def _begin(self, model: Model, data: RunData, info: dict[str, Any] | None) -> None:
        self.model = model
        self.data = data
        self.info: dict[str, Any] = dict(info or {})
        self.file: Path | None = None  #: file that holds this run, since it was saved or loaded
        self.linear: list[Any] = []  #: results of linear analyses (`holonom.results.modes.Linear`)
        self._keys = {name: Keys(name, getattr(data, name)) for name in LISTS if name != "states"}

    # ---- time and bookkeeping ---------------------------------------------------------------------------------------
    def __len__(self) -> int:
        """Number of output times."""
        return len(self.data.time)

    @property
    def time(self) -> np.ndarray:
        """Output times (nt,), non-decreasing; a time may repeat where one analysis ends and the next begins."""
        return self.data.time

    @property
    def history(self) -> np.ndarray:
        """Solver steps as a structured array with fields time, step, order, iterations, cause, cpu (see
        HISTORY_DTYPE)."""
        return self.data.history

    @cached_property
    def impacts(self) -> np.ndarray:
        """Impulses of rigid contacts at impacts as a structured array in order of time, a row for each point: time;
        names: contact, body_i, body_j, shape_i, shape_j; position x, y, z; normal_impulse, tangential_impulse,
        velocity_before, velocity_after (of the gap: negative closes it), energy_lost; and contact_id, shape_i_id,
        shape_j_id (ids of CONTACT and GRAPHICS). For contacts as constraints (methods "events" and "time-stepping");
        contact force laws have no impulses."""
        return named_impacts(self.model, self.data.impacts)

    @property
    def counters(self) -> dict[str, int | float]:
        """Totals of the solver: evaluations, factorizations, rejected steps by cause, ..."""
        return self.data.counters

    @property
    def segments(self) -> list[Segment]:
        """The consecutive analyses of this run."""
        return self.data.segments

    @property
    def bodies(self) -> list[str]:
        """Names of the recorded bodies."""
        return [name for _, _, name in self.data.bodies]

    @property
    def constraints(self) -> list[str]:
        """Names of the joints, primitives, motions and other constraints with results in this run."""
        return [name for _, _, name in self.data.constraints]

    @property
    def forces(self) -> list[str]:
        """Names of the applied forces with results in this run."""
        return [name for _, _, name in self.data.forces]

    @property
    def contacts(self) -> list[str]:
        """Names of the contacts with results in this run."""
        return [name for _, _, name in self.data.contacts]

    @property
    def requests(self) -> list[str]:
        """Names of the requests with results in this run."""
        return [name for _, _, name in self.data.requests]

    @property
    def variables(self) -> list[str]:
        """Names of the variables with results in this run."""
        return [name for _, _, name in self.data.variables]

    @property
    def states(self) -> list[str]:
        """Names of the states of differential equations and control blocks with results in this run."""
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
        one = lambda name: f"{name[:-3]}y" if name.endswith("ies") else name.removesuffix("s")
        counts = [counted(len(getattr(d, name)), one(name)) for name in LISTS if getattr(d, name)]
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
    @cached_property
    def switches(self) -> np.ndarray:
        """Changes of SWITCHes as a structured array: time, switch, source, target (its states; equal for an impact on a
        stop with rebound), energy (kinetic energy lost in the impact), impulse (largest multiplier of the impact; 0
        where velocities are continuous)."""
        return np.array([tuple(row) for row in self.info.get("switches", ())], SWITCH_DTYPE)

    @cached_property
    def energy(self) -> xr.Dataset:
        """kinetic, gravity, elastic and their sum ``total``; dissipated and input where recorded. All in J, regardless
        of the units of the model, dims (time)."""
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
        """Strain energy of each flexible body and each mesh, by name, dims (time), in J regardless of the units of the
        model: its part of ``energy.elastic``; the rest is in springs and similar elements. `run.flexible` gives it by
        mode. Empty without flexible bodies."""
        import xarray as xr

        held = {name.partition("[")[0] for name in self.states}
        from .views.mesh import recorded

        views = [self.flexible(e) for e in self.model.table("FLEXIBILITY").values() if f"FLEXIBILITY_{e.id}" in held]
        out = {v.name: v.strain_energy.sum("mode", keep_attrs=True) for v in views}
        return xr.Dataset(out | {v.name: v.strain_energy for v in recorded(self)})

    @cached_property
    def momentum(self) -> xr.Dataset:
        """Total of all moving parts, dims (time, axis): momentum, angular_momentum (about the origin of ground);
        impulse, angular_impulse of external forces since the start, and contact_impulse, contact_angular_impulse, the
        contribution of contacts with ground. Empty where it is not recorded: in models without contacts, or when no
        works are integrated."""
        import xarray as xr

        values = {name: value for name in MOMENTA if (value := getattr(self.data, name)) is not None}
        return xr.Dataset({name: self._vector(v, COLUMNS[name][2], name) for name, v in values.items()})

    # ---- whole runs -------------------------------------------------------------------------------------------------
    def at(self, time: float | Sequence[float] | np.ndarray) -> Run:
        """A run at other times (one or many) inside the recorded range.

        Positions, velocities and orientations by cubic Hermite interpolation with the recorded rates (error of fourth
        order), everything else linearly. At a repeated time the later row is used. Raises `ModelError` outside the
        range.
        """
        data = interpolate(self.data, time)
        if len(self) > 1 and not np.array_equal(data.time, self.data.time):
            self._turns_between(data)
        return Run._of_kept(self.model, data, self.info)

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
        if len(data.time) == len(self.data.time):
            data.peaks = self.data.peaks
        return Run._of_kept(self.model, data, self.info)

    @staticmethod
    def concatenate(runs: Iterable[Run]) -> Run:
        """One run from several consecutive runs (same model and columns); segments, histories and counters are joined.

        Raises ModelError when columns differ or time falls.
        """
        if isinstance(runs, Run | str) or not hasattr(runs, "__iter__"):
            raise ModelError(f"concatenate needs a list of runs, got {shown(runs)}")
        runs = list(runs)
        if not runs:
            raise ModelError("concatenate needs at least one run")
        for one in runs:
            if not isinstance(one, Run):
                raise ModelError(f"concatenate needs a list of runs, and {shown(one)} is not a run")
        data = joined([r.data for r in runs])
        return Run._of_kept(runs[0].model, data, {**runs[0].info, **runs[-1].info})

    def __getitem__(self, reference: Any) -> Any:
        """Results of one element by its name, id with kind (``"JOINT/3"``) or itself: ``run["pin"].force``; or one
        history by its full name: ``run["pin.force.x"]``.  Raises `ModelError` for names of none and of several."""
        return self.named(reference)

    # ---- helpers ----------------------------------------------------------------------------------------------------
    def _find(self, table: str, reference: Any, prefer: str | None = None) -> Key:
        """The column of ``table`` ("bodies", "forces", ...) that a name, id, KIND/id or element means."""
        if isinstance(reference, Element):
            reference = self.model.meant(reference)
        return self._keys[table].find(reference, prefer)

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

    def _body(self, key: Key) -> Any:
        """The body of a key in the model.  Raises ModelError where ``run.model`` was changed and does not have it."""
        found = self.model.table(key[0]).get(key[1])
        if found is None:
            raise ModelError(
                f"{key[0]}/{key[1]} '{key[2]}' was removed from run.model, which has no mass of it any more"
            )
        return found

    def _mass(self, key: Key) -> tuple[float, np.ndarray]:
        """Mass and inertia (3, 3) about the centre in the body's axes, in units of force: p = m v and L = J w are
        impulses."""
        from ..model.dummies import inertia_of, mass_of

        body = self._body(key)
        if getattr(body, "ground", False):
            raise ModelError(f"{body.label} is ground, which has no momentum; request that of a part")
        factor = self.model.units.mass_factor
        if key[0] != "PART":
            return body.mass * factor, np.zeros((3, 3))
        tensor, axes = inertia_of(self.model, body)
        return mass_of(self.model, body) * factor, factor * (axes @ tensor @ axes.T)

    def _centre(self, body: Any) -> np.ndarray:
        """Centre of mass (3,) in the body's axes."""
        cm = getattr(body, "cm", None)
        return np.zeros(3) if not cm else np.asarray(self.model.table("MARKER")[cm].qp, float)
