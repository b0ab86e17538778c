"""Tyres of Adams datasets: GFORCE statements with the tyre routine of Adams, in whose position tyres of here are put.

A dataset of Adams/Tire has no statement with a tyre's numbers: a GFORCE on the wheel calls a routine of the library
abgTire, and STRING statements hold the names of the property files of tyre and road (Adams/Tire, "How to Use
Adams/Tire").  Which of the routine's parameters names which STRING is not published; here those STRINGs count that a
parameter, or a number of an ARRAY that a parameter names, names, and whose text ends in .tir (or .json), .rdf or .crg.
The older TIRE statement and WHEEL, ROAD are kept and not computed.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np

from ..model import Model
from .roads import crg_road, rdf_road
from .tyre_rig import tyre

LIBRARY = "abgtire::"
TYRES = (".tir", ".json")
ROADS = (".rdf", ".crg")


def adams_tyres(model: Model, *folders: str | Path, contact: str = "POINT") -> list[Any]:
    """Replace the GFORCEs of a dataset that call the Adams tyre routine by tyres; returns the tyres.

    ``folders``: folders of the property files named in the STRINGs (only the file name is used where a STRING names a
    database, ``mdids://...``). Marker I is at the wheel centre; of its y and z axes, the one closer to the road plane
    is the spin axis. The road is the plane of RM, or that of the road file relative to it. The GFORCEs remain in the
    model, but are inactive. Raises `ModelError` where no STRING names a tyre file, or a file is not found.

        car = hn.read_adams("car.adm")
        hn.vehicle.adams_tyres(car, "shared_car_database.cdb/tires.tbl", "shared_car_database.cdb/roads.tbl")
    """
    made, roads = [], {}
    for e in list(model.table("GFORCE").values()):
        if not e.active or not str(e.routine or "").lower().startswith(LIBRARY):
            continue
        texts = _strings(model, e)
        file = next((t for t in texts if t.lower().endswith(TYRES)), None)
        if file is None:
            raise e.error(
                f"no STRING that its parameters name holds a tyre's property file ({', '.join(TYRES)}); put "
                "hn.vehicle.tyre on its marker I yourself"
            )
        rm = model.markers[e.rm] if e.rm else None
        if rm is None:
            raise e.error("it has no RM, whose plane is the road; give one")
        wheel = _spun(model, model.markers[e.i], rm)
        surface = next((t for t in texts if t.lower().endswith(ROADS)), None)
        where: Any = rm
        if surface is not None:
            key = (surface, rm.id)
            if key not in roads:
                place = _found(e, surface, folders)
                roads[key] = (crg_road if place.suffix.lower() == ".crg" else rdf_road)(model, place, rm)
            where = roads[key]
        made.append(tyre(model, wheel, where, _found(e, file, folders), contact=contact, name=e.name))
        e.active = False
    return made


def _strings(model: Model, e: Any) -> list[str]:
    numbers = [
        int(float(v))
        for v in re.findall(r"[-+]?\d+(?:\.\d*)?", str(e.function or "")[str(e.function or "").find("(") :])
    ]
    for n in list(numbers):
        if n in model.table("ARRAY"):
            numbers += [int(v) for v in getattr(model.table("ARRAY")[n], "numbers", ()) if v == int(v)]
    return [model.table("STRING")[n].text for n in numbers if n in model.table("STRING")]


def _found(e: Any, name: str, folders: Any) -> Path:
    last = re.split(r"[\\/]", name)[-1]
    for place in (Path(name), *(Path(folder) / last for folder in folders)):
        if place.is_file():
            return place
    raise e.error(f"its file '{name}' is not in any of the folders; give the folder that contains {last}")


def _spun(model: Model, i: Any, rm: Any) -> Any:
    """Marker I, or one at its position with y along the spin axis."""
    frame, up = model._place(i), model._place(rm).axes[:, 2]
    y, z = frame.axes[:, 1], frame.axes[:, 2]
    if abs(up @ y) <= abs(up @ z) + 1e-9:
        return i
    forward = np.cross(z, up)
    return model.marker_at(model.body_of(i), tuple(frame.origin), z=tuple(np.cross(forward, z)), x=tuple(forward))
