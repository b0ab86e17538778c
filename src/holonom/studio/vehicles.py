"""Vehicle files for the Studio, in a process of its own (`main`).

It reads one request as JSON from standard input and writes one answer as JSON to standard output: the model of a
vehicle that drives (``do``: "model"), or the kinematics and compliance of its axles ("kc").  What is wrong is an
``error``.
"""

from __future__ import annotations

import json
import math
import os
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

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


def vehicle_model(given: dict[str, Any]) -> dict[str, Any]:
    """``file``, ``mode``, ``speed`` (km/h), ``manoeuvre``, ``size``: the model as JSON, its name, ``end`` of the run,
    and the loads of the wheels."""
    from ..vehicle import Vehicle

    manoeuvre = str(given.get("manoeuvre") or "straight")
    vehicle = Vehicle(given["file"], str(given.get("mode") or "kinematic"))
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
    """``file``, ``mode``: characteristics of both axles as text, and their curves as pictures (SVG)."""
    import tempfile

    from ..vehicle import read_vehicle

    vehicle, out = read_vehicle(given["file"]), []
    with tempfile.TemporaryDirectory() as folder:
        for axle in ("front", "rear"):
            found = vehicle.kc(axle, str(given.get("mode") or "kinematic"))
            path = Path(folder) / f"{axle}.svg"
            found.plot(path, title=f"{vehicle.name}: {axle} axle")
            out.append({"axle": axle, "text": found.text(None), "picture": path.read_text(encoding="utf-8")})
    return {"name": vehicle.name, "axles": out}


def main() -> None:
    """Answer one request; what libraries print goes to standard error."""
    from ..model import ModelError

    target = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    given = json.loads(sys.stdin.read())
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            answer = {"model": vehicle_model, "kc": kc}[given["do"]](given)
        except (ModelError, ValueError, OSError) as error:
            answer = {"error": str(error)}
    answer["warnings"] = [str(w.message) for w in said if issubclass(w.category, UserWarning)][:20]
    target.write(json.dumps(answer))
    target.flush()
