"""Requests, variables, states of equations and states of switches of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...model import ModelError
from ...model.adams_output import AdamsOutput
from ...model.base import shown
from .._data import SWITCH_DTYPE
from .._names import suggestion

if TYPE_CHECKING:
    import xarray as xr

    from ..run import Run

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


def request(run: Run, reference: Any) -> xr.DataArray:
    """Components of a request, dims (time, component); the unit of each is in the coordinate ``units``."""
    key = run._find("requests", reference)
    names, units = run.request_components(key)
    values = run.data.request_values[:, run.data.requests.index(key)]
    element = run.model.table("REQUEST").get(key[1])
    title = (element.title or element.comment) if element is not None else ""
    coords = {"component": list(names), "units": ("component", list(units))}
    return run._array(values, ("component",), coords, None, key[2], {"title": title} if title else {})


def request_components(run: Run, reference: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Eight names and eight unit texts of a request's components (CNAMES, CUNITS, CTYPES where the model gives
    them)."""
    key = reference if reference in run.data.requests else run._find("requests", reference)
    request = run.model.table("REQUEST").get(key[1])
    standard, quantities = STANDARD_REQUESTS.get(
        (request.kind or "").upper() if request else "", (tuple(f"F{n}" for n in range(1, 9)), ("none",) * 8)
    )
    if standard[-1] == "PHI" and AdamsOutput.of(run.model.preferences).yaw_pitch_roll:
        standard = (*standard[:5], "YAW", "PITCH", "ROLL")
    names, units = list(standard), [run.units(q) for q in quantities]
    if request is not None:
        for k, name in enumerate(request.cnames[:8]):
            names[k] = name or names[k]
        for k, name in enumerate(request.ctypes[:8]):
            units[k] = run.units(CTYPES[name.upper()]) if name and name.upper() in CTYPES else units[k]
        for k, name in enumerate(request.cunits[:8]):
            units[k] = name or units[k]
    for k, name in enumerate(names):
        if name in names[:k]:
            names[k] = f"{name}_{k + 1}"
    return tuple(names), tuple(units)


def variable(run: Run, reference: Any) -> xr.DataArray:
    """Value of a VARIABLE, dims (time)."""
    key = run._find("variables", reference)
    return run._array(run.data.variable_values[:, run.data.variables.index(key)], (), {}, "none", key[2])


def state(run: Run, label: str) -> xr.DataArray:
    """One state by its label (``"DIFF_1"``, ``"LSE_2[0]"``), dims (time); or all of one element, dims (time,
    state)."""
    labels = [s.lower() for s in run.data.states]
    asked = str(label).strip().lower()
    if asked in labels:
        k = labels.index(asked)
        return run._array(run.data.state_values[:, k], (), {}, "none", run.data.states[k])
    group = [k for k, s in enumerate(labels) if s.startswith(f"{asked}[")]
    if not group:
        raise ModelError(f"there is no state {shown(label)} in this run{suggestion(asked, run.data.states)}")
    coords = {"state": [run.data.states[k] for k in group]}
    return run._array(run.data.state_values[:, group], ("state",), coords, "none", str(label))


def state_of(run: Run, switch: Any) -> np.ndarray:
    """State of a SWITCH (name, id or element) at each output time (nt,); where a time repeats, before and after the
    change."""
    element = run.model.find("SWITCH", switch)
    table = run.switches[run.switches["switch"] == element.name]
    out = np.empty(len(run.time), SWITCH_DTYPE["target"])
    out[:] = table["source"][0] if len(table) else run.info.get("switch states", {}).get(str(element.id), element.first)
    for row in table[table["source"] != table["target"]]:
        rows = np.flatnonzero(run.time == row["time"])  # the last of them is behind the change
        out[rows[-1] if len(rows) else np.searchsorted(run.time, row["time"]) :] = row["target"]
    return out
