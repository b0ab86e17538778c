"""A whole run as one Dataset or one table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._data import COLUMNS, LISTS, XYZ

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

    from .run import Run


def to_xarray(run: Run) -> xr.Dataset:
    """Everything in one Dataset, dims time, body, axis, quaternion, constraint, force, contact, request,
    request_component, variable, state; element names are coordinates (with ``*_kind`` and ``*_id`` next to them).
    Quantities that the run does not have are omitted."""
    import xarray as xr

    d = run.data
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
    coords: dict[str, Any] = {"time": run._time(), "axis": list(XYZ)}
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
            variables[name] = (dims, value, {"units": run.units(quantity)})
    for name, value in d.extra.items():
        variables[name] = (("time", *(f"{name}_{k}" for k in range(1, value.ndim))), value)
    return xr.Dataset(variables, coords, {"model": run.model.name})


def to_dataframe(run: Run) -> pd.DataFrame:
    """A table with a row for each output time (index ``time``) and a column for each number: ``rod.position.x``,
    ``pin.force.z``, ``pin.angle``, ``energy.kinetic``, ...; units are in ``attrs["units"]`` by column.  Arrays of
    grains and contact points are not in it (`to_xarray`)."""
    import pandas as pd

    d, columns, units = run.data, {}, {}
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
                units[label] = run.units(quantity)
    table = pd.DataFrame(columns, index=pd.Index(d.time, name="time"))
    table.attrs["units"] = units
    return table
