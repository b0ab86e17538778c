"""What ``holonom vehicle ...`` does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from ..model import ModelError
from ..model.base import shown
from .kc import SWEEPS
from .vehicle_file import VehicleFile, read_vehicle


def moved(vehicle: VehicleFile, moves: Sequence[str]) -> VehicleFile:
    """The vehicle with hardpoints moved: "front.tie_rod_inner=0,0,5" in units of the file.  Raises ModelError for what is no such text."""
    for text in moves:
        where, _, by = text.partition("=")
        axle, _, point = where.partition(".")
        try:
            step = [float(v) for v in by.split(",")]
        except ValueError:
            step = []
        if not point or len(step) != 3:
            raise ModelError(f"--move {shown(text)}: give AXLE.POINT=DX,DY,DZ, as front.tie_rod_inner=0,0,5")
        vehicle = vehicle.moved(axle.strip(), point.strip(), step)
    return vehicle


def kc(file: str, axles: Sequence[str], mode: str, moves: Sequence[str], compare: str | None, plot: Path | None, csv: Path | None, matrix: bool,
       say: Callable[[str], None]) -> None:  # fmt: skip
    """Characteristics of axles, their page of curves and tables.  Raises ModelError as `read_vehicle` and `KC` do."""
    given = read_vehicle(file)
    vehicle = moved(given, moves)
    say(vehicle.text())
    for axle in axles:
        found = vehicle.kc(axle, mode)
        say(found.text())
        if matrix:
            say(
                "  compliance matrix, wheels' centres left and right (x y z, turns about x y z; units of the file, radians), pads at constant load"
            )
            for row in found.compliance():
                say("  " + " ".join(f"{v:11.3e}" for v in np.where(np.abs(row) < 1e-18, 0.0, row)))
        if plot is not None:
            others = []
            if compare is not None or moves:
                other = (read_vehicle(compare) if compare is not None else given).kc(axle, mode)
                other.name = f"{axle}, {compare if compare is not None else 'as in the file'}"
                others.append(other)
            path = plot.with_name(f"{plot.stem}_{axle}{plot.suffix or '.png'}")
            found.plot(path, *others, title=f"{vehicle.name}: {axle} axle, {found.rig.axle.template.name.replace('_', ' ')}")
            say(f"curves: {path}")
        if csv is not None:
            try:
                csv.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise ModelError(f"cannot make the folder '{csv}': {error.strerror}") from None
            for kind in SWEEPS:
                if kind != "steer" or found.rig.axle.steering is not None:
                    getattr(found, kind).to_csv(csv / f"{axle}_{kind}.csv")
            say(f"tables: {csv}")
