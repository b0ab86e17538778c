"""Evaluations of vehicle files: kinematics and compliance of axles and metrics of manoeuvres as measures."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..model import ModelError
from ..model.base import did_you_mean, shown
from .measures import Measure, as_measure
from .parameters import Space

SIDES = {"left": 0, "right": 1}
AXLES = ("front", "rear")


def vehicle_job(vehicle: Any, measures: Any, analyses: Any, space: Space) -> tuple[dict[str, Any], list[Path]]:
    """The job of a worker, as JSON can hold it.  ``vehicle``: a `VehicleFile`.

    ``analyses``: sweeps {"name": "bump", "axle": "front", "sweep": "parallel", "x": [...]} with ``mode``, and
    manoeuvres {"name": "step", "manoeuvre": "steer-step", "speed": 27.8} with their options.  ``measures``: of a sweep
    or manoeuvre by its name, "bump.toe.left" or "step.yaw_rate_gain"; of an axle at its design position
    "front.bump_steer.left".
    Raises ModelError for what contradicts itself."""
    from ..vehicle.kc import SWEEPS

    given = [analyses] if isinstance(analyses, Mapping) else list(analyses or ())
    known = [*AXLES]
    for a in given:
        if not isinstance(a, Mapping) or not isinstance(a.get("name"), str) or ("sweep" in a) == ("manoeuvre" in a):
            raise ModelError(
                f"study: an analysis of a vehicle is a table with name and sweep or manoeuvre, got {shown(a)}"
            )
        if a["name"] in known or "." in a["name"]:
            raise ModelError(f"study: two analyses are named {shown(a['name'])}, or it is an axle; use another name")
        known.append(a["name"])
        if "sweep" in a and a["sweep"] not in SWEEPS:
            raise ModelError(f"analysis '{a['name']}': no sweep {shown(a['sweep'])}{did_you_mean(a['sweep'], SWEEPS)}")
        if "sweep" in a and a.get("axle") not in AXLES:
            raise ModelError(f"analysis '{a['name']}': axle must be front or rear, got {shown(a.get('axle'))}")
        if "manoeuvre" in a:
            _manoeuvre(a)
    if not isinstance(measures, Mapping) or not measures:
        raise ModelError("study: measures must be a table of name and Measure")
    found = {name: as_measure(name, m) for name, m in measures.items()}
    for name, m in found.items():
        first = m.of.partition(".")[0]
        if first not in known or "." not in m.of:
            raise ModelError(
                f"measure '{name}': '{m.of}' begins with none of {', '.join(known)}{did_you_mean(first, known)}"
            )
    folder = str(vehicle.path.parent.resolve()) if vehicle.path else ""
    job = {
        "kind": "vehicle",
        "vehicle": vehicle.data,
        "folder": folder,
        "analyses": [dict(a) for a in given],
        "measures": {name: m.to_json() for name, m in found.items()},
        "addresses": {p.name: p.address or p.name for p in space.parameters},
    }
    return job, [vehicle.path] if vehicle.path else []


def _manoeuvre(analysis: Mapping[str, Any]) -> Any:
    from ..vehicle.command import MANOEUVRES

    name = analysis["manoeuvre"]
    if name not in MANOEUVRES:
        raise ModelError(f"analysis '{analysis['name']}': no manoeuvre {shown(name)}{did_you_mean(name, MANOEUVRES)}")
    return MANOEUVRES[name][0]


class VehicleMeasured:
    """Measures of a vehicle at values of its parameters; made in a worker from a job."""

    def __init__(self, job: Mapping[str, Any]) -> None:
        from ..vehicle.vehicle_file import VehicleFile

        self.file = VehicleFile(job["vehicle"], Path(job["folder"]) / "vehicle.json" if job["folder"] else None)
        self.analyses = {a["name"]: a for a in job["analyses"]}
        self.measures: dict[str, Measure] = {name: as_measure(name, m) for name, m in job["measures"].items()}
        self.addresses = job["addresses"]

    def variant(self, values: Mapping[str, Any]) -> Any:
        """The vehicle file at values of the parameters."""
        return self.file.changed({self.addresses[n]: v for n, v in values.items() if n in self.addresses})

    def __call__(self, values: Mapping[str, Any], keep: str | None = None) -> tuple[dict[str, float], float | None]:
        """Measures, and no energy error.  Raises ModelError, which names the measure."""
        vehicle = self.variant(values)
        known: dict[str, Any] = {}
        out = {}
        for name, m in self.measures.items():
            first, _, rest = m.of.partition(".")
            try:
                if first not in known:
                    known[first] = self._result(vehicle, first)
                out[name] = m.scale * self._value(m, known[first], rest)
            except ModelError as error:
                raise ModelError(f"measure '{name}': {error}") from None
        return out, None

    def _result(self, vehicle: Any, name: str) -> Any:
        if name in AXLES:
            return vehicle.kc(name)
        analysis = self.analyses[name]
        options = {k: v for k, v in analysis.items() if k not in ("name", "axle", "sweep", "manoeuvre", "mode")}
        mode = {"mode": analysis["mode"]} if "mode" in analysis else {}
        if "sweep" in analysis:
            kc, kind = vehicle.kc(analysis["axle"], **mode), analysis["sweep"]
            return kc.sweep(kind, options["x"]) if "x" in options else getattr(kc, kind)
        from ..vehicle.full_vehicle import Vehicle

        return _manoeuvre(analysis)(Vehicle(vehicle, **mode), **options)

    def _value(self, m: Measure, found: Any, rest: str) -> float:
        if hasattr(found, "metrics"):
            if rest not in found.metrics:
                raise ModelError(f"there is no metric {shown(rest)}{did_you_mean(rest, found.metrics)}")
            return float(found.metrics[rest])
        name, _, side = rest.partition(".")
        if side and side not in SIDES:
            raise ModelError(f"'{m.of}': a side is left or right, got {shown(side)}")
        if hasattr(found, "design"):
            if name not in found.design:
                raise ModelError(f"there is no characteristic {shown(name)}{did_you_mean(name, found.design)}")
            return float(np.ravel(found.design[name])[SIDES[side] if side else 0])
        y = np.asarray(found[name], float)
        return m.reduced(np.asarray(found.x, float), y[:, SIDES[side] if side else 0] if y.ndim == 2 else y)


def is_vehicle(source: Any) -> bool:
    """Whether an evaluation is that of a vehicle file."""
    from ..vehicle.vehicle_file import VehicleFile

    return isinstance(source, VehicleFile)
