"""Vehicle files for the Studio, in a process of its own (`main`).

It reads one request as JSON from standard input and writes one answer as JSON to standard output: the model of a
vehicle that drives (``do``: "model"), the kinematics and compliance of its axles ("kc"), or a standard manoeuvre with
its metrics ("drive").  What is wrong is an ``error``.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .one_request import answer_one

AXLES = ("front", "rear")
CHANGED = 1e-3  # of a characteristic: what differs by less is "as before"
START = 1.0  # seconds of driving straight before a manoeuvre
RISE = 0.2  # seconds in which the steering wheel turns, or the brake is pressed
NEAR = 1e-6  # of a metre: a marker at a hardpoint
#: manoeuvre -> label of its size, usual size, seconds of the run
MANOEUVRES = {
    "straight": ("", 0.0, 3.0),
    "steering step": ("Angle of the steering wheel (degrees)", 30.0, 5.0),
    "sine steering": ("Angle of the steering wheel (degrees)", 30.0, 6.0),
    "braking": ("Brake (0 to 1)", 0.3, 4.0),
}
FREQUENCY = 0.5  # Hz of the sine


def controls(manoeuvre: str, size: float, second: float) -> Any:
    """Steering and brake of a manoeuvre as expressions; ``second``: one second in units of time of the model.  Raises
    ModelError for an unknown manoeuvre."""
    from ..model import ModelError
    from ..model.base import did_you_mean, shown
    from ..vehicle.controls import Controls

    begin, end = START * second, (START + RISE) * second
    if manoeuvre == "straight":
        return Controls()
    if manoeuvre == "steering step":
        return Controls(f"STEP(TIME,{begin!r},0,{end!r},{math.radians(size)!r})")
    if manoeuvre == "sine steering":
        turn = 2.0 * math.pi * FREQUENCY / second
        wave = f"{math.radians(size)!r}*SIN({turn!r}*(TIME-{begin!r}))"
        return Controls(f"IF(TIME-{begin!r}:0,0,{wave})")
    if manoeuvre == "braking":
        return Controls(hold=True, until=START, brake=f"STEP(TIME,{begin!r},0,{end!r},{size!r})")
    raise ModelError(f"unknown manoeuvre {shown(manoeuvre)}{did_you_mean(manoeuvre, MANOEUVRES)}")


def describe(file: str) -> dict[str, Any]:
    """What the page of a vehicle shows before anything is computed: ``name``, ``length`` (unit of the hardpoints),
    ``axles``: axle -> hardpoint -> (x, y, z).  Raises ModelError as `read_vehicle`."""
    from ..vehicle import read_vehicle

    vehicle = read_vehicle(file)
    axles = {which: vehicle.axle_data(which)["hardpoints"] for which in AXLES}
    return {"name": vehicle.name, "length": vehicle.units.symbol("length"), "axles": axles}


def manoeuvres() -> dict[str, Any]:
    """The standard manoeuvres: ``ways``: name -> usual speed (km/h; None: it follows from others), and ``drivers`` of
    the lane change."""
    from ..vehicle.command import DRIVERS, MANOEUVRES

    return {"ways": {name: speed for name, (_, speed) in MANOEUVRES.items()}, "drivers": list(DRIVERS)}


def moved_vehicle(file: str, points: Any) -> Any:
    """A vehicle file with other hardpoints.  ``points``: "front.tie_rod_inner" -> (x, y, z), length of the file.

    Raises ModelError for hardpoints that the vehicle does not have, and for coordinates that are not numbers."""
    from ..model import ModelError
    from ..model.base import did_you_mean, shown
    from ..vehicle import read_vehicle

    vehicle = read_vehicle(file)
    known = [f"{which}.{name}" for which in AXLES for name in vehicle.axle_data(which)["hardpoints"]]
    changes = {}
    for path, at in (points or {}).items():
        if path not in known:
            raise ModelError(f"there is no hardpoint {shown(path)}{did_you_mean(str(path), known)}")
        number = lambda v: type(v) in (int, float) and math.isfinite(v)
        if not (isinstance(at, list) and len(at) == 3 and all(map(number, at))):
            raise ModelError(f"hardpoint {path} is {shown(at)}; give three numbers")
        axle, _, name = path.partition(".")
        changes[f"{axle}.hardpoints.{name}"] = [float(v) for v in at]
    return vehicle.changed(changes)


def vehicle_model(given: dict[str, Any]) -> dict[str, Any]:
    """``file``, ``points`` (`moved_vehicle`), ``mode``, ``speed`` (km/h), ``manoeuvre``, ``size``: the model as JSON,
    its name, ``end`` of the run, and the loads of the wheels."""
    from ..vehicle import Vehicle

    manoeuvre = str(given.get("manoeuvre") or "straight")
    vehicle = Vehicle(moved_vehicle(given["file"], given.get("points")), str(given.get("mode") or "kinematic"))
    steering = controls(manoeuvre, float(given.get("size") or 0.0), vehicle.second)
    model = vehicle.model(float(given.get("speed") or 0.0) / 3.6, steering)
    model.name = f"{vehicle.file.name} {manoeuvre}"
    name_hardpoints(vehicle, model)
    return {
        "model": model.to_json(),
        "name": model.name,
        "end": MANOEUVRES[manoeuvre][2] * vehicle.second,
        "loads": {name: float(load) for name, load in vehicle.loads.items()},
    }


def name_hardpoints(vehicle: Any, model: Any) -> None:
    """Markers that lie at hardpoints of the drawn vehicle get their names, as "front left tie_rod_outer, knuckle"."""
    drawn, _, axles, _ = vehicle._draw(model.name)  # its markers have the numbers of those of the model
    near = NEAR * vehicle.metre
    points = [
        (f"{which} {side} {name}", np.asarray(p, float))
        for which, axle in axles.items()
        for side, table in axle.points.items()
        for name, p in table.items()
    ]
    places = np.array([p for _, p in points]).reshape(-1, 3)
    for number, marker in drawn.markers.items():
        body = drawn.body_of(marker)
        if getattr(body, "ground", False) or number not in model.markers:
            continue
        at = (drawn.body_frame(body) @ marker.frame).origin
        far = np.linalg.norm(places - at, axis=1)
        if len(far) and far.min() < near:
            owner = model.body_of(model.markers[number]).name
            name = f"{points[int(far.argmin())][0]}, {owner}"
            if name not in {m.name for m in model.markers.values()}:
                model.rename(model.markers[number], name)


def kc(given: dict[str, Any]) -> dict[str, Any]:
    """``file``, ``points`` (`moved_vehicle`), ``mode``: characteristics of both axles as ``rows``: name, unit, values
    (left and right, or one), and those ``before`` where hardpoints were moved; and their curves as a ``picture`` (SVG),
    those before dashed."""
    from ..vehicle import read_vehicle
    from ..vehicle.characteristics import TABLE
    from ..vehicle.kc_words import unit_of

    first, mode, out = read_vehicle(given["file"]), str(given.get("mode") or "kinematic"), []
    points = given.get("points") or {}
    vehicle = moved_vehicle(given["file"], points)
    for axle in AXLES:
        found, before = vehicle.kc(axle, mode), first.kc(axle, mode) if points else None
        rows = []
        for name, values in found.design.items():
            scale, unit = unit_of(TABLE[name].unit, found.units)
            numbers = lambda v: [float(x) for x in np.atleast_1d(v) * scale]  # noqa: B023
            row: dict[str, Any] = {"name": name, "unit": unit, "values": numbers(values)}
            if before is not None:
                row["before"] = numbers(before.design[name])
                largest = np.abs(row["before"]).max()
                row["changed"] = bool(np.abs(np.subtract(row["before"], row["values"])).max() > CHANGED * largest)
            if not np.isnan(row["values"]).all():
                rows.append(row)
        if before is not None:
            before.name = f"{axle}, as in the file"
        picture = svg_of(found.plot(None, *([before] if before is not None else []), title=f"{vehicle.name}: {axle}"))
        out.append({"axle": axle, "rows": rows, "text": found.text(before), "picture": picture})
    return {"name": vehicle.name, "axles": out}


def drive(given: dict[str, Any]) -> dict[str, Any]:
    """``file``, ``points`` (`moved_vehicle`), ``mode``, ``manoeuvre``, ``speed`` (km/h, "": that of the standard),
    ``driver`` of the lane change, ``compare``: ``metrics`` of a standard manoeuvre as rows: name, unit, value, and the
    one ``before`` hardpoints were moved; its ``picture`` (SVG), and why it ``stopped`` early."""
    from ..model import ModelError
    from ..model.base import did_you_mean, shown
    from ..vehicle import Vehicle, read_vehicle
    from ..vehicle.command import MANOEUVRES, driver_named
    from ..vehicle.metric_units import with_unit

    name, mode, points = given.get("manoeuvre"), str(given.get("mode") or "kinematic"), given.get("points") or {}
    if name not in MANOEUVRES:
        raise ModelError(f"there is no manoeuvre {shown(name)}{did_you_mean(str(name), MANOEUVRES)}")
    function, usual = MANOEUVRES[name]
    options: dict[str, Any] = {}
    if usual is not None:
        options["speed"] = float(given.get("speed") or usual) / 3.6
    if name == "lane-change":
        options["driver"] = driver_named(str(given.get("driver") or "preview"))
    done = function(Vehicle(moved_vehicle(given["file"], points), mode), **options)
    before = None
    if points and given.get("compare"):
        before = function(Vehicle(read_vehicle(given["file"]), mode), **options).metrics
    value = lambda table, key: float(table[key]) if key in table and math.isfinite(table[key]) else None
    metrics = [
        {"name": with_unit(key), "value": value(done.metrics, key), "before": value(before, key) if before else None}
        for key in done.metrics
    ]
    return {"name": done.name, "metrics": metrics, "picture": svg_of(done.plot()), "stopped": done.stopped}


def svg_of(figure: Any) -> str:
    """A figure as an SVG picture."""
    import io

    buffer = io.StringIO()
    figure.savefig(buffer, format="svg")
    return buffer.getvalue()


def main() -> None:
    """Answer one request."""
    answer_one(lambda given: {"model": vehicle_model, "kc": kc, "drive": drive}[given["do"]](given))
