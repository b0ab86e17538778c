"""Differences between two runs, or between a run and reference curves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from .._summary import short
from ..model import ModelError
from ._interpolate import times_of
from ._names import Named, suggestion
from ._units import to_si
from .pages.notebook import of_comparison
from .quantities import Quantity, fitting
from .quantities import quantities as all_quantities
from .run import Run
from .views.outputs import STANDARD_REQUESTS

#: roundoff of a curve, as a share of the largest value of its dimension in the run: reactions that are zero come out at
#: up to 5e-11 of those that are not (measured: the guide of the shipped governor)
NOISE = 1e-10


@dataclass(frozen=True)
class Difference(Named):
    """Largest difference of one curve.

    ``difference`` = max |a - b|, at ``time``, in ``unit`` of the first run; ``rms``: root mean square over the compared
    times; ``range``: largest peak-to-peak of the quantity's components in the first run (its largest value when it is
    constant), requests of functions component by component, energies all together. ``noise``: roundoff of that
    dimension, `NOISE` times the largest value in the run; a smaller difference counts as zero. ``relative`` =
    difference / range (0 when it is noise).
    """

    name: str
    unit: str
    difference: float
    rms: float
    range: float
    time: float
    noise: float = 0.0

    @property
    def relative(self) -> float:
        """The difference over the range of the quantity; 0 where it is noise."""
        if self.difference <= self.noise:
            return 0.0
        width = max(self.range, self.noise)
        return self.difference / width if width > 0 else float("inf")


@dataclass
class Comparison(Named):
    """Differences, worst (relative) first; ``only_a`` and ``only_b``: names of curves that only one run has;
    ``uncovered``: a sentence where the runs do not begin and end at the same times, and no times were given."""

    rows: list[Difference]
    times: np.ndarray
    only_a: list[str] = field(default_factory=list)
    only_b: list[str] = field(default_factory=list)
    uncovered: str = ""

    def __post_init__(self) -> None:
        self.rows = sorted(self.rows, key=lambda r: -r.relative if r.relative == r.relative else -np.inf)

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self):
        return iter(self.rows)

    def __getitem__(self, name: str) -> Difference:
        for row in self.rows:
            if row.name.lower() == name.lower():
                return row
        raise ModelError(f"no curve named '{name}' was compared{suggestion(name.lower(), [r.name for r in self.rows])}")

    @property
    def max_relative(self) -> float:
        """Largest relative difference; NaN as soon as one curve cannot be compared, 0 for no curves."""
        values = [r.relative for r in self.rows]
        return float(np.max(values)) if values else 0.0

    def within(self, relative: float = 0.0, absolute: float = 0.0) -> bool:
        """Whether each curve satisfies ``difference <= absolute + relative * range``, or differs only by roundoff.

        False for NaN, for curves that only one run has, and where one run covers times that the other does not:
        compare chosen ``quantities`` or ``times`` to leave these out."""
        return not (self.only_a or self.only_b or self.uncovered) and all(
            r.difference <= max(absolute + relative * r.range, r.noise) for r in self.rows
        )

    def markdown(self, top: int | None = 20) -> str:
        """A table of the ``top`` worst curves (None: all)."""
        rows = self.rows if top is None else self.rows[:top]
        lines = ["| curve | unit | max difference | of range | rms | at time |", "|---|---|---:|---:|---:|---:|"]
        for r in rows:
            name = r.name.replace("|", "\\|")
            lines.append(f"| {name} | {r.unit} | {r.difference:.4g} | {r.relative:.3g} | {r.rms:.4g} | {r.time:.6g} |")
        if len(rows) < len(self.rows):
            lines.append(
                f"\n{len(self.rows) - len(rows)} more curves differ less (below {rows[-1].relative:.3g} of range)."
            )
        lines += self._alone()
        return "\n".join(lines)

    def _alone(self) -> list[str]:
        out = [f"\n{self.uncovered[:1].upper()}{self.uncovered[1:]}."] if self.uncovered else []
        for names, which in ((self.only_a, "first"), (self.only_b, "second")):
            if names:
                out.append(f"\nOnly in the {which}: " + ", ".join(names[:10]) + (", ..." if len(names) > 10 else ""))
        return out

    __str__ = markdown

    def __repr__(self) -> str:
        differ = [r for r in self.rows if not r.difference <= r.noise]
        largest = f", most {differ[0].relative:.3g} of its range ({short(differ[0].name)})" if differ else ""
        alone = "".join(
            f", {len(names)} only in the {which}"
            for names, which in ((self.only_a, "first"), (self.only_b, "second"))
            if names
        )
        alone += f", {self.uncovered}" if self.uncovered else ""
        return (
            f"<Comparison of {len(self.rows)} curves at {len(self.times)} times: {len(differ)} differ{largest}{alone}; "
            "print() shows a table>"
        )

    def _repr_html_(self) -> str:
        return of_comparison(self)

    def __rich__(self):
        from rich.table import Table

        table = Table(title=f"{len(self.rows)} curves at {len(self.times)} times")
        for head in ("curve", "unit", "max difference", "of range", "rms", "at time"):
            table.add_column(head, justify="left" if head in ("curve", "unit") else "right")
        for r in self.rows[:20]:
            table.add_row(r.name, r.unit, f"{r.difference:.4g}", f"{r.relative:.3g}", f"{r.rms:.4g}", f"{r.time:.6g}")
        return table


def compare(run_a: Run, run_b: Run, quantities=None, *, times=None) -> Comparison:
    """Curve by curve differences of ``run_b`` from ``run_a`` where both are recorded.

    ``quantities``: names such as ``"ROTOR.position"`` or ``"HINGE.*"`` (None: everything).  ``times``: where to compare
    (default: the output times of ``run_a`` inside ``run_b``; the later row where a time repeats); both runs are
    interpolated as by `Run.at`, except at their own output times. Attitudes are compared by the angle between them
    (``ROTOR.attitude``). Lengths, forces, ... are converted when the units of the models differ; requests and
    variables, whose units are only text, are not converted. Raises ModelError when the runs have no time in common.
    """
    uncovered = "" if times is not None else _uncovered(run_a, run_b)
    times, _, a, b = _common(run_a, run_b, times)
    left, right = ({q.name.lower(): q for q in _comparable(r, quantities)} for r in (a, b))
    rows, only_a = [], []
    scales = _scales(run_a, left.values(), times)
    energy = max((_range(q.values) for q in left.values() if q.dimension == "joule"), default=0.0)
    for name, q in left.items():
        other = right.get(name)
        if other is None or other.components != q.components:
            only_a.append(q.name)
            continue
        x, y = q.values, other.values
        if q.dimension not in (None, "none"):
            y = y * (to_si(run_b.model.units, q.dimension) / to_si(run_a.model.units, q.dimension))
        if q.name.endswith(".attitude"):
            x, y = np.zeros((len(times), 1)), _angle(x, y)[:, None]
            rows.append(_difference(q.name, "rad", times, x[:, 0], y[:, 0], np.pi, NOISE))
            continue
        nothing = np.isnan(x).all(), np.isnan(y).all()
        if any(nothing):
            if not all(nothing):
                only_a += [q.name] if nothing[1] else []
            continue
        kinds = _kinds(a, q)
        for k, (label, unit) in enumerate(zip(q.labels, q.units)):
            kind = kinds[k]
            if kind is None or kind == "none":
                width, noise = _range(x[:, k : k + 1]), NOISE * _size(x[:, k])
            else:
                width = (
                    energy
                    if q.dimension == "joule"
                    else _range(x[:, [n for n, other in enumerate(kinds) if other == kind]])
                )
                noise = NOISE * scales.get(kind, 0.0)
            rows.append(_difference(label, unit, times, x[:, k], y[:, k], width, noise))
    only_b = [q.name for name, q in right.items() if name not in left or left[name].components != q.components]
    return Comparison(rows, times, only_a, only_b, uncovered)


def _uncovered(run_a: Run, run_b: Run) -> str:
    """That one run covers times that the other does not, as text."""
    if not len(run_a) or not len(run_b):
        return ""
    scale = run_b.model.units.si_time / run_a.model.units.si_time
    spans = [(float(run_a.time[0]), float(run_a.time[-1])), (run_b.time[0] * scale, run_b.time[-1] * scale)]
    slack = 1e-9 * max(abs(t) for span in spans for t in span)
    if max(abs(spans[0][k] - spans[1][k]) for k in (0, 1)) <= slack:
        return ""
    (a0, a1), (b0, b1) = spans
    return f"the first run goes from {a0:.6g} to {a1:.6g}, the second from {b0:.6g} to {b1:.6g}"


def _common(run_a: Run, run_b: Run, times=None) -> tuple[np.ndarray, float, Run, Run]:
    """Times in common in the unit of the first run, that of the second over that of the first, and both runs there."""
    scale = run_b.model.units.si_time / run_a.model.units.si_time
    if times is None:
        slack = 1e-12 * max(abs(run_a.time).max(initial=0), abs(run_b.time).max(initial=0) * scale)
        times = np.unique(run_a.time)
        if len(run_b):
            times = times[(times >= run_b.time[0] * scale - slack) & (times <= run_b.time[-1] * scale + slack)]
        else:
            times = times[:0]
    times = times_of(times)
    if len(times) == 0:
        raise ModelError("these runs have no time in common")
    return times, scale, run_a.at(times), run_b.at(times / scale)


def compare_table(run: Run, time, values: Mapping[str, np.ndarray]) -> Comparison:
    """Differences of a run from reference curves, in the run's units.

    ``time`` (n,): reference times inside the run; ``values``: name -> (n,) for one curve (``"ROTOR.position.x"``,
    ``"RAMP"``) or (n, k) for all components of a quantity (``"HINGE.force"``). Ranges are those of the reference. NaN
    values of the reference are omitted. Raises ModelError on unknown names and shapes that do not fit.
    """
    time = times_of(time)
    at = run.at(time)
    found = all_quantities(at)
    by_name = {q.name.lower(): q for q in found}
    curves = {label.lower(): (q, k) for q in found for k, label in enumerate(q.labels)}
    rows = []
    for name, reference in values.items():
        reference = np.asarray(reference, float)
        key = name.lower()
        if reference.ndim == 1 and key in curves:
            q, k = curves[key]
            labels, units = q.labels[k : k + 1], q.units[k : k + 1]
            mine, reference = q.values[:, k : k + 1], reference[:, None]
        elif key in by_name:
            q = by_name[key]
            labels, units, mine = q.labels, q.units, q.values
        else:
            raise ModelError(f"no curve of this run is named '{name}'{suggestion(key, list(by_name) + list(curves))}")
        if reference.shape != mine.shape:
            raise ModelError(f"'{name}' has shape {mine.shape} at these times; its reference has {reference.shape}")
        width = _range(reference)
        for k, (label, unit) in enumerate(zip(labels, units)):
            good = ~np.isnan(reference[:, k])
            if good.any():
                rows.append(_difference(label, unit, time[good], reference[good, k], mine[good, k], width))
    return Comparison(rows, time)


def _comparable(run: Run, patterns) -> list[Quantity]:
    found = all_quantities(run)
    turned = []
    for q in found:
        if q.name.endswith(".quaternion") and q.table == "part":
            name = q.name.removesuffix("quaternion") + "attitude"
            turned.append(Quantity(name, q.owner, q.table, ("",), ("rad",), "none", q.values))
        elif not (q.name.endswith(".euler") and q.table == "part"):
            turned.append(q)
    return turned if patterns is None else fitting(turned, patterns)


def _angle(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Angle between attitudes (n, 4), accurate for small ones too."""
    sign = np.where(np.sum(p * q, axis=1, keepdims=True) < 0, -1.0, 1.0)
    return 4 * np.arctan2(np.linalg.norm(p - sign * q, axis=1), np.linalg.norm(p + sign * q, axis=1))


def _range(x: np.ndarray) -> float:
    finite = np.where(np.isfinite(x), x, np.nan)
    if np.isnan(finite).all():
        return 0.0
    columns = finite[:, ~np.isnan(finite).all(axis=0)]
    swing = float(np.max(np.nanmax(columns, axis=0) - np.nanmin(columns, axis=0)))
    return swing if swing > 0 else float(np.nanmax(np.abs(columns)))


def _size(x: np.ndarray) -> float:
    return float(np.max(np.abs(x), where=np.isfinite(x), initial=0.0))


def _kinds(run: Run, q: Quantity) -> list[str | None]:
    """Dimension of each component of a quantity, None where it is not known; of requests by their units, where these
    are of a standard kind."""
    if q.table != "request":
        return [q.dimension] * len(q.components)
    request = run.model.table("REQUEST").get(q.owner[1]) if q.owner else None
    kind = (request.kind or "").upper() if request is not None else ""
    return list(STANDARD_REQUESTS[kind][1]) if kind in STANDARD_REQUESTS else [None] * len(q.components)


def _scales(run: Run, found: Iterable[Quantity], times: np.ndarray) -> dict[str, float]:
    """Largest value of each dimension in a run; where nothing turns or moves, what its length and its time make of
    it."""
    out: dict[str, float] = {"angle": 1.0}
    for q in found:
        if q.dimension not in (None, "none") and not q.name.endswith(".attitude"):
            out[q.dimension] = max(out.get(q.dimension, 0.0), _size(q.values))
    span = float(times[-1] - times[0])
    length, force = out.get("length", 0.0), out.get("force", 0.0)
    least = {"torque": force * length}
    if span > 0:
        least |= {
            "velocity": length / span,
            "acceleration": length / span**2,
            "angular_velocity": 1 / span,
            "angular_acceleration": 1 / span**2,
        }
        least["watt"] = force * length / span * to_si(run.model.units, "power")
    return out | {name: max(value, out.get(name, 0.0)) for name, value in least.items()}


def _difference(name: str, unit: str, times, x, y, width: float, noise: float = 0.0) -> Difference:
    gap = np.abs(x - y)
    gap[np.isnan(x) & np.isnan(y)] = 0.0
    worst = int(np.argmax(np.where(np.isnan(gap), np.inf, gap)))
    return Difference(name, unit, float(gap[worst]), float(np.sqrt(np.mean(gap**2))), width, float(times[worst]), noise)
