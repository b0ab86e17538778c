"""Drivers next to each other in the lane changes of ISO 3888: the highest speed without a cone, and how far their ways
are from a teacher's."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import Any

import numpy as np

from .._summary import Summary
from ..model import ModelError
from .drivers import Driver, checked
from .full_vehicle import Vehicle
from .manoeuvres import Drive, lane_change
from .template import number_of

START = {1: 70.0 / 3.6, 2: 40.0 / 3.6}  # m/s at which the search begins
MOST = 40  # lane changes of one driver


@dataclass
class DriverStudy(Summary):
    """``rows``: course (part of ISO 3888), driver, ``top`` [m/s]: highest speed without hitting a cone (NaN: none),
    ``beside`` [m]: largest lateral deviation of its path from the teacher's at ``speed`` [m/s], ``steer`` [rad]: its
    largest steering wheel angle there; ``drives`` (part, driver) -> `Drive` at that speed."""

    vehicle: str
    teacher: str
    step: float
    rows: list[dict[str, Any]]
    drives: dict[tuple[int, str], Drive] = field(default_factory=dict, repr=False)

    def text(self) -> str:
        """The table."""
        lines = [
            f"{self.vehicle}: lane changes without a cone, in steps of {3.6 * self.step:.3g} km/h; ways against "
            f"{self.teacher}",
            f"{'course':12} {'driver':24} {'top (km/h)':>10} {'beside (m)':>11} {'at (km/h)':>9} "
            f"{'steering wheel (deg)':>21}",
        ]
        for r in self.rows:
            top = f"{3.6 * r['top']:.1f}" if np.isfinite(r["top"]) else "none"
            lines.append(
                f"ISO 3888-{r['course']:<4} {r['driver']:24} {top:>10} {r['beside']:11.3f} {3.6 * r['speed']:9.1f} "
                f"{np.degrees(r['steer']):21.0f}"
            )
        return "\n".join(lines)

    __str__ = text

    def plot(self, path: str | FilePath) -> FilePath:
        """Paths of all drivers between the cones, and their steering wheel angles.  Raises ModelError where it
        cannot be written."""
        from ..results.pictures.figures import Figure, FigureCanvasAgg

        parts = sorted({p for p, _ in self.drives})
        figure = Figure(figsize=(12, 3.4 * len(parts)), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.subplots(len(parts), 2, squeeze=False, width_ratios=(1.6, 1))
        for (way, wheel), part in zip(axes, parts):
            course = next(d.course for (p, _), d in self.drives.items() if p == part)
            for (p, name), d in self.drives.items():
                if p == part:
                    way.plot(d["x"], d["y"], lw=1.4, label=name)
                    wheel.plot(d["t"], np.degrees(d["steer"]), lw=1.2, label=name)
            way.plot(*course.cones().T, "^", color="#e67e22", ms=5)
            speed = next(r["speed"] for r in self.rows if r["course"] == part)
            way.set(
                xlabel="x (m)",
                ylabel="y (m)",
                title=f"ISO 3888-{part} at {3.6 * speed:.1f} km/h",
                xlim=(-20, course.sections[-1][1] + 15),
            )
            wheel.set(xlabel="time (s)", ylabel="steering wheel (deg)")
            for axis in (way, wheel):
                axis.grid(alpha=0.3)
            way.legend(fontsize=8)
        try:
            figure.savefig(path, dpi=110)
        except (OSError, ValueError) as error:
            raise ModelError(f"cannot write '{path}': {error}") from None
        return FilePath(path)


def compare_drivers(
    vehicle: Vehicle,
    drivers: Mapping[str, Driver],
    *,
    parts: Sequence[int] = (1, 2),
    teacher: Driver | None = None,
    step: float = 2.5 / 3.6,
    speeds: Mapping[int, float] | None = None,
    search: bool = True,
    say: Callable[[str], None] = lambda text: None,
    **options: Any,
) -> DriverStudy:
    """Highest speed of each driver, increased in steps of ``step`` [m/s] until two consecutive runs hit a cone (a
    driver that fails at the first speed is tried at lower ones), and its path compared with the ``teacher``'s (default:
    the first driver) at ``speeds`` [m/s] of each part (default: the first speeds of the search). ``search`` False:
    paths only.

    Raises `ModelError` for an empty list of drivers, and invalid steps."""
    number_of(step, "step", positive=True)
    if not drivers:
        raise ModelError("give one driver or more, by name")
    for driver in drivers.values():
        checked(driver)
    teacher = checked(teacher if teacher is not None else next(iter(drivers.values())))
    rows, kept = [], {}
    for part in parts:
        speed = number_of((speeds or START).get(part, START.get(part, 20.0)), "speed", positive=True)
        model = lane_change(vehicle, teacher, speed, part=part, **options)
        kept[part, type(teacher).__name__] = model
        for name, driver in drivers.items():
            done = lane_change(vehicle, driver, speed, part=part, **options)
            kept[part, name] = done
            end = min(float(d["x"][-1]) for d in (model, done))
            x = np.linspace(0.0, max(end, 0.0), 400)
            beside = float(np.abs(np.interp(x, done["x"], done["y"]) - np.interp(x, model["x"], model["y"])).max())
            top = (
                _top(vehicle, driver, part, speed, bool(done.metrics["clean"]), step, options)
                if search
                else (speed if done.metrics["clean"] else np.nan)
            )
            rows.append(
                {
                    "course": part,
                    "driver": name,
                    "top": top,
                    "beside": beside,
                    "speed": speed,
                    "steer": float(done.metrics["largest_steer"]),
                }
            )
            say(f"  ISO 3888-{part} {name}: " + (f"{3.6 * top:.1f} km/h" if np.isfinite(top) else "none"))
    return DriverStudy(vehicle.file.name, type(teacher).__name__, step, rows, kept)


def _top(
    vehicle: Vehicle, driver: Driver, part: int, speed: float, clean: bool, step: float, options: dict[str, Any]
) -> float:
    """Highest clean speed, NaN: none."""
    passes = lambda v: bool(lane_change(vehicle, driver, v, part=part, **options).metrics["clean"])
    tried = 0
    while not clean and speed - step > 2.0 and tried < MOST:
        speed, tried = speed - step, tried + 1
        clean = passes(speed)
    if not clean:
        return float("nan")
    if tried:
        return speed
    misses, top = 0, speed
    while misses < 2 and tried < MOST:
        speed, tried = speed + step, tried + 1
        if passes(speed):
            top, misses = speed, 0
        else:
            misses += 1
    return top
