"""A manoeuvre over a grid of its numbers and of changes of the vehicle: a table of metrics, and its plot."""

from __future__ import annotations

import csv
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .._summary import Summary
from ..model import ModelError
from ..model.base import did_you_mean, shown
from .axle import KINEMATIC
from .full_vehicle import Vehicle
from .manoeuvres import Drive, save
from .metric_units import unit_of, with_unit
from .vehicle_file import VehicleFile, read_vehicle

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST = 1000


@dataclass
class VehicleStudy(Summary):
    """Result of a study. ``names``: of the varied quantities; ``points``: their values, one tuple per run; ``rows``:
    metrics of each run (SI), empty where it failed; ``errors``: a message for each run, "" for a successful one;
    ``drives``: kept where requested."""

    name: str
    names: tuple[str, ...]
    points: list[tuple[Any, ...]]
    rows: list[dict[str, float]]
    errors: list[str]
    drives: list[Drive | None]

    @property
    def metrics(self) -> list[str]:
        """Names of all metrics, in the order of the runs."""
        return list(dict.fromkeys(k for row in self.rows for k in row))

    def __getitem__(self, metric: str) -> np.ndarray:
        """A metric of all runs (n,), NaN where a run has none.  Raises ModelError for one that no run has."""
        if metric not in self.metrics:
            raise ModelError(f"there is no metric {shown(metric)}{did_you_mean(metric, self.metrics)}")
        return np.array([row.get(metric, np.nan) for row in self.rows])

    def text(self, *metrics: str) -> str:
        """The table, one run a line; of some metrics, or all."""
        wanted = list(metrics) or self.metrics
        columns = [self[m] for m in wanted]
        units = [f"{m} ({unit_of(m)})" if _known(m) else m for m in wanted]
        lines = [self.name, "  " + "  ".join([*self.names, *units])]
        for k, point in enumerate(self.points):
            cells = [_word(v) for v in point] + [f"{c[k]:.6g}" for c in columns]
            lines.append("  " + "  ".join(cells) + (f"  {self.errors[k]}" if self.errors[k] else ""))
        return "\n".join(lines)

    def to_csv(self, path: str | Path) -> Path:
        """The table as a file.  Raises ModelError where it cannot be written."""
        try:
            with open(path, "w", newline="", encoding="utf-8") as file:
                out = csv.writer(file)
                out.writerow([*self.names, *self.metrics, "error"])
                for point, row, error in zip(self.points, self.rows, self.errors):
                    out.writerow(
                        [*(_word(v) for v in point), *(repr(row[m]) if m in row else "" for m in self.metrics), error]
                    )
        except OSError as error:
            raise ModelError(f"cannot write '{path}': {error.strerror}") from None
        return Path(path)

    def plot(self, *metrics: str, path: str | Path | None = None) -> Figure:
        """Metrics over the first varied quantity, with a line for each value of the others; writes it to ``path`` and
        returns the figure."""
        from ..results.pictures.figures import Figure

        wanted = list(metrics) or self.metrics[:6]
        figure = Figure(figsize=(4.6 * min(len(wanted), 3), 3.6 * -(-len(wanted) // 3)))
        first = [p[0] for p in self.points]
        number = all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in first)
        levels = list(dict.fromkeys(_word(v) for v in first))
        for k, metric in enumerate(wanted):
            ax = figure.add_subplot(-(-len(wanted) // 3), min(len(wanted), 3), k + 1)
            y = self[metric]
            for rest in dict.fromkeys(tuple(map(_word, p[1:])) for p in self.points):
                mine = [n for n, p in enumerate(self.points) if tuple(map(_word, p[1:])) == rest]
                x = [first[n] if number else levels.index(_word(first[n])) for n in mine]
                label = ", ".join(f"{n} {v}" for n, v in zip(self.names[1:], rest))
                ax.plot(x, y[mine], marker="o", markersize=4, linewidth=1.3, label=label or None)
            if not number:
                ax.set_xticks(range(len(levels)), levels)
            ax.set(xlabel=self.names[0], ylabel=with_unit(metric))
            ax.grid(alpha=0.3)
            if len(self.names) > 1:
                ax.legend(fontsize=7)
        figure.suptitle(self.name)
        figure.tight_layout()
        return save(figure, path)


def _known(metric: str) -> bool:
    """Whether a metric has a unit."""
    try:
        return bool(unit_of(metric))
    except KeyError:
        return False


def _word(value: Any) -> str:
    return f"{value:g}" if isinstance(value, (int, float)) and not isinstance(value, bool) else str(value)


def study(
    file: VehicleFile | str | Path,
    manoeuvre: Callable[..., Drive],
    parameters: Mapping[str, Sequence[Any]] | None = None,
    changes: Mapping[str, Sequence[Any]] | None = None,
    *,
    mode: str = KINEMATIC,
    keep: bool = False,
    **given: Any,
) -> VehicleStudy:
    """A manoeuvre at all combinations of ``parameters`` (its arguments -> values) and ``changes`` of the vehicle file
    (paths of `VehicleFile.changed` -> values).

    ``given``: further arguments of the manoeuvre; ``keep``: keep the drives. A run that fails (a `ModelError`) is a
    row with the error message. Raises `ModelError` where nothing varies, a list of values is empty, or the grid has
    more than a thousand points.

        found = hn.vehicle.study("sedan", hn.vehicle.steer_step, {"speed": [20.0, 30.0]}, {"front.spring.rate": [20.0,
            25.0, 30.0]}, ay=3.0)
    """
    v = file if isinstance(file, VehicleFile) else read_vehicle(file)
    axes = {
        **{k: ("set", x) for k, x in (parameters or {}).items()},
        **{k: ("change", x) for k, x in (changes or {}).items()},
    }
    if not axes:
        raise ModelError(
            "a study needs something that varies; give parameters of the manoeuvre, or changes of the vehicle"
        )
    for name, (_, values) in axes.items():
        if isinstance(values, (str, bytes)) or not isinstance(values, (Sequence, np.ndarray)) or not len(values):
            raise ModelError(f"{name} is {shown(values)}; give a list of values")
    grid = [np.asarray(x).tolist() if isinstance(x, np.ndarray) else list(x) for _, x in axes.values()]
    count = int(np.prod([len(x) for x in grid]))
    if count > MOST:
        raise ModelError(f"the grid has {count} points; give {MOST} at most")
    names = tuple(axes)
    out = VehicleStudy(
        f"{v.name}: {getattr(manoeuvre, '__name__', 'manoeuvre').replace('_', ' ')}", names, [], [], [], []
    )
    cars: dict[str, Vehicle] = {}
    for point in itertools.product(*grid):
        sets = {n: x for n, x in zip(names, point) if axes[n][0] == "set"}
        moved = {n: x for n, x in zip(names, point) if axes[n][0] == "change"}
        row: dict[str, float] = {}
        said, drive = "", None
        try:
            key = repr(sorted(moved.items(), key=lambda p: p[0]))
            if key not in cars:
                cars[key] = Vehicle(v.changed(moved), mode)
            drive = manoeuvre(cars[key], **{**given, **sets})
            row, said = dict(drive.metrics), drive.stopped
        except ModelError as error:
            said = str(error)
        out.points.append(point)
        out.rows.append(row)
        out.errors.append(said)
        out.drives.append(drive if keep else None)
    return out
