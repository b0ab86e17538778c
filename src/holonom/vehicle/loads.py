"""The strength engineer's load cases of a vehicle: at rest, braking and cornering at 1 g, a pothole, a kerb; loads of
every part at its hardpoints."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import Any

import numpy as np

from .._summary import Summary
from ..model import ModelError
from ..model.base import did_you_mean, shown
from ..results.views.part_loads import PartLoads
from .controls import Controls
from .full_vehicle import Vehicle
from .manoeuvres import START, Drive, _simulate, slow_ramp
from .ride import kerb, pothole
from .template import number_of

RATE = 200.0  # outputs a second


def _rest(vehicle: Vehicle, g: float) -> Drive:
    return _simulate(vehicle, f"{vehicle.file.name}: rolling straight at 36 km/h", vehicle.model(10.0), 1.0, RATE)


def _braking(vehicle: Vehicle, g: float) -> Drive:
    """The pedal that makes ``g`` of the weight at the wheels, if they hold, from 72 km/h, over 0.2 s."""
    if "torque" not in vehicle.file.brakes:
        raise ModelError(
            f"{vehicle.file.name}: brakes has no torque; give that of all four at full pedal, or leave braking out"
        )
    file, u = vehicle.file, vehicle.units
    force = g * file.mass.mass * file.g * u.si_mass * u.si_length / u.si_time**2 / u.si_force
    pedal = (
        force
        * 0.5
        * (vehicle.radii["front"] + vehicle.radii["rear"])
        / number_of(file.brakes["torque"], "brakes.torque", positive=True)
    )
    T = vehicle.second
    text = f"{min(pedal, 1.0)!r}*STEP(TIME,{START * T!r},0,{(START + 0.2) * T!r},1)"
    name = f"{file.name}: braking at {g:g} g from 72 km/h"
    return _simulate(
        vehicle, name, vehicle.model(20.0, Controls(hold=False, brake=text)), START + 0.8 * 20.0 / (9.81 * g), RATE
    )


def _cornering(vehicle: Vehicle, g: float) -> Drive:
    """To the left at 80 km/h, the steering wheel turned slowly; kept up to ``g``, or to the most that the tyres
    hold."""
    d = slow_ramp(vehicle)
    ay = np.abs(d["ay"]) / 9.80665
    k = int(np.argmax(ay >= g)) if (ay >= g).any() else int(ay.argmax())
    end = float(np.asarray(d.run.time)[min(k, len(ay) - 1)])
    rows = slice(0, k + 1)
    return Drive(
        f"{vehicle.file.name}: cornering at {ay[k]:.2f} g",
        d.run.between(float(d.run.time[0]), end),
        {n: v[rows] for n, v in d.signals.items()},
    )


#: name -> function of (vehicle, share of the weight)
CASES: dict[str, Callable[[Vehicle, float], Drive]] = {
    "rest": _rest,
    "braking": _braking,
    "cornering": _cornering,
    "pothole": lambda vehicle, g: pothole(vehicle),
    "kerb": lambda vehicle, g: kerb(vehicle),
}


@dataclass
class LoadCases(Summary):
    """``drives``: case -> `Drive`; loads of parts by `loads`, in axes of the parts and units of the vehicle's file."""

    vehicle: str
    drives: dict[str, Drive]
    _kept: dict[tuple[str, str], PartLoads] = field(default_factory=dict, repr=False)

    @property
    def parts(self) -> list[str]:
        """Names of all moving parts."""
        run = next(iter(self.drives.values())).run
        return [name for kind, _, name in run.data.bodies if kind == "PART"]

    def loads(self, case: str, part: str) -> PartLoads:
        """Of one part in one case, balanced by its inertia; see `holonom.results.views.part_loads`. Raises
        `ModelError` for unknown names."""
        if case not in self.drives:
            raise ModelError(f"there is no case {shown(case)}{did_you_mean(case, self.drives)}")
        if (case, part) not in self._kept:
            self._kept[case, part] = self.drives[case].run.part_loads(part, strict=False)
        return self._kept[case, part]

    def table(self, part: str) -> list[dict[str, Any]]:
        """Rows of a part: element, hardpoint, and for each case the largest force and moment there with their times."""
        rows: dict[str, dict[str, Any]] = {}
        for case in self.drives:
            found = self.loads(case, part)
            for k, name in enumerate(found.names):
                row = rows.setdefault(name, {"element": name, "hardpoint": found.markers[k]})
                force, moment = (np.linalg.norm(v[:, k], axis=1) for v in (found.forces, found.moments))
                row[case] = {
                    "force": float(force.max()),
                    "force_time": float(found.time[force.argmax()]),
                    "moment": float(moment.max()),
                    "moment_time": float(found.time[moment.argmax()]),
                    "vector": found.forces[int(force.argmax()), k],
                }
        return list(rows.values())

    def text(self, parts: Sequence[str] | None = None) -> str:
        """Largest forces at the hardpoints of parts, one column per case."""
        run = next(iter(self.drives.values())).run
        lines = [f"{self.vehicle}: largest forces at hardpoints ({run.units('force')})"]
        for case, d in self.drives.items():
            g = [float(np.abs(d[w]).max()) / 9.80665 for w in ("ax", "ay")]
            lines.append(
                f"  {case:10s} {d.name}, {g[0]:.2f} g along, {g[1]:.2f} g across"
                + (f"; {d.stopped}" if d.stopped else "")
            )
        for part in self.parts if parts is None else parts:
            rows = [r for r in self.table(part) if any(r[c]["force"] > 0.0 for c in self.drives if c in r)]
            wide = max([len(r["element"]) for r in rows] + [len(part)])
            short = [self.loads(c, part) for c in self.drives]
            worst = max(max(f.residual.max() / f.scale, f.moment_residual.max() / f.moment_scale) for f in short)
            lines.append(f"{part:{wide + 2}}" + "".join(f"{c:>11}" for c in self.drives))
            lines += [
                f"  {r['element']:{wide}}"
                + "".join(f"{r[c]['force']:11.5g}" if c in r else f"{'-':>11}" for c in self.drives)
                for r in rows
            ]
            if not all(f.balanced for f in short):
                lines.append(f"  {100 * worst:.2g} % of the balance with inertia is missing")
        return "\n".join(lines)

    __str__ = text

    def export(
        self, folder: str | FilePath, parts: Sequence[str] | None = None, *, nastran: bool = True
    ) -> list[FilePath]:
        """PART_CASE.csv (histories), PART_CASE_extremes.csv and PART_CASE.bdf (the times of the largest loads) of
        parts; returns the paths.

        Raises ModelError where they cannot be written."""
        folder = FilePath(folder)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ModelError(f"cannot make the folder '{folder}': {error.strerror}") from None
        out = []
        for part in self.parts if parts is None else parts:
            plain = re.sub(r"[^\w-]+", "_", part)
            for k, case in enumerate(self.drives):
                found = self.loads(case, part)
                out += found.to_csv(folder / f"{plain}_{case}.csv")
                if nastran:
                    out.append(found.nastran(folder / f"{plain}_{case}.bdf", first=1 + 100 * k))
        return out


def load_cases(vehicle: Vehicle, cases: Sequence[str] | None = None, *, g: float = 1.0) -> LoadCases:
    """Drive the load cases of a vehicle: "rest", "braking" and "cornering" at ``g`` of the weight (a target that the
    tyres do not reach is reported), "pothole" (60 mm deep at 40 km/h) and "kerb" (80 mm at 20 km/h). Raises ModelError
    for other keywords."""
    number_of(g, "g", positive=True)
    words = list(CASES) if cases is None else list(cases)
    for word in words:
        if word not in CASES:
            raise ModelError(f"there is no load case {shown(word)}{did_you_mean(str(word), CASES)}")
    if not words:
        raise ModelError(f"give one load case or more, of {', '.join(CASES)}")
    return LoadCases(vehicle.file.name, {word: CASES[word](vehicle, g) for word in words})
