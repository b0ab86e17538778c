"""Measures: one number from a history of a run, or from a linear analysis."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .._warnings import warn_model
from ..model import ModelError
from ..model.base import did_you_mean, shown
from ..model.calls import explained_class
from ..model.kinds import is_number, is_whole
from ..results.curves import find
from ..results.quantities import quantities
from ..results.views.reactions import MISSED, RELEVANT, missed_peak, step_peak

if TYPE_CHECKING:
    from ..analyses.derivatives.functionals import Functional

Series = tuple[np.ndarray, np.ndarray]


def _integral(t: np.ndarray, y: np.ndarray) -> float:
    return float(np.trapezoid(y, t)) if hasattr(np, "trapezoid") else float(np.trapz(y, t))  # type: ignore[attr-defined]


def _over_time(t: np.ndarray, y: np.ndarray) -> float:
    return _integral(t, y) / (t[-1] - t[0]) if t[-1] > t[0] else float(np.mean(y))


def _deviation(t: np.ndarray, y: np.ndarray) -> float:
    return math.sqrt(max(_over_time(t, (y - _over_time(t, y)) ** 2), 0.0))


ROUNDING = 1e-12  # of the largest force (torque) of a run: what is smaller is left by the solver
UNEQUAL = 1.5  # longest over shortest period of a history with one frequency


def _frequency(t: np.ndarray, y: np.ndarray) -> float:
    """Frequency of an oscillation, decaying or not: the number of periods between its first and last maximum, one for
    each time that it is above its mean, located by parabolas.  Raises ModelError where there are fewer than two."""
    above = np.concatenate([[False], y > _over_time(t, y), [False]])
    edges = np.flatnonzero(above[1:] != above[:-1])
    times = []
    for first, end in zip(edges[::2], edges[1::2]):
        k = int(first + np.argmax(y[first:end]))
        if 0 < k < len(y) - 1:
            left, right = (y[k] - y[k - 1]) / (t[k] - t[k - 1]), (y[k + 1] - y[k]) / (t[k + 1] - t[k])
            low, high = 0.5 * (t[k - 1] + t[k]), 0.5 * (t[k] + t[k + 1])
            times.append(float(low + (high - low) * left / (left - right) if left > right else t[k]))
    if len(times) < 2:
        raise ModelError(
            "it does not oscillate about its mean: it has fewer than two maxima above it; run longer than two periods, "
            "or give start and end where it drifts less"
        )
    periods = np.diff(times)
    if periods.max() > UNEQUAL * periods.min():
        warn_model(
            f"the periods of an oscillation whose frequency is a measure are between {periods.min():.4g} and "
            f"{periods.max():.4g}: it has several frequencies, and the measure is the number of maxima over their time"
        )
    return (len(times) - 1) / (times[-1] - times[0])


def _crossings(t: np.ndarray, y: np.ndarray, direction: int) -> list[float]:
    """Times at which y crosses zero, by linear interpolation; direction 1 (upwards), -1, or 0 (both)."""
    out = []
    for k in range(len(y) - 1):
        a, b = y[k], y[k + 1]
        up, down = a < 0 <= b, a > 0 >= b
        if (up and direction >= 0) or (down and direction <= 0):
            out.append(float(t[k] + (t[k + 1] - t[k]) * (a / (a - b))))
    return out


#: reduction -> function of times and values
REDUCTIONS: dict[str, Callable[[np.ndarray, np.ndarray], float]] = {
    "last": lambda t, y: y[-1],
    "first": lambda t, y: y[0],
    "min": lambda t, y: np.min(y),
    "max": lambda t, y: np.max(y),
    "peak": lambda t, y: np.max(np.abs(y)),
    "range": lambda t, y: np.max(y) - np.min(y),
    "mean": _over_time,
    "rms": lambda t, y: math.sqrt(_over_time(t, y * y)),
    "std": _deviation,
    "integral": _integral,
    "time of min": lambda t, y: t[int(np.argmin(y))],
    "time of max": lambda t, y: t[int(np.argmax(y))],
    "time of peak": lambda t, y: t[int(np.argmax(np.abs(y)))],
    "frequency": _frequency,
}
#: stresses of a flexible body, at a node or of all
STRESS = re.compile(r"(?P<body>.+?)(\.(?P<node>\d+))?\.(von_mises|stress\.(?P<component>xx|yy|zz|xy|yz|zx))")


def _stress(run: Any, body: str, node: str | None, component: str | None) -> np.ndarray:
    """History of a stress of a flexible body: a component at a node, or the von Mises stress there or of all nodes.
    Raises ModelError where it has none."""
    view = run.flexible(body)
    at = None if node is None else int(node)
    if component is None:
        y = np.asarray(view.von_mises(at).values, float)
        return y.max(axis=1) if y.ndim == 2 else y
    if at is None:
        raise ModelError(f"a component of stress is that of a node; write '{body}.12.stress.{component}'")
    y = np.asarray(view.stress(at).sel(component=component).values, float)
    if y.ndim == 1:
        return y
    # of a beam: the fibre of the node at which the component is largest
    return y[:, int(np.abs(y).max(axis=0).argmax())]


#: reductions that the steps of the solver between two output rows can change
EXTREMES = ("min", "max", "peak", "range", "time of min", "time of max", "time of peak")
#: reductions with an argument
WITH = {"at": "at", "time of crossing": "level", "distance to curve": "curve", "damage": "sn", "life": "sn"}
FUNCTIONALS = ("last", "at", "integral", "distance to curve")
LINEAR = ("damped_frequency", "undamped_frequency", "damping_ratio", "time_constant")


@explained_class
@dataclass(frozen=True)
class Measure:
    """One number of an evaluation.

    ``of``: a history by its full name, as ``run["pin.force.x"]``, or of a vector, of which the magnitude is taken
    (``"pin.force"``); of a linear analysis "damped_frequency", "undamped_frequency", "damping_ratio" or "time_constant"
    of ``mode`` (from 1).  ``reduce``: see `REDUCTIONS`; "at" the time ``at``; "time of crossing" of ``level``, the
    first one, upwards or downwards; "distance to curve": root mean square difference from ``curve`` [[times],
    [values]].  Means are over time, by trapezia.  The largest force and torque of a joint, motion, force or contact
    (``"pin.force"``, ``"pin.torque"``) and its time are those along the steps of the solver, as in `Run.reactions`; of
    components and other quantities they are those of the output rows.

    "damage" and "life" (in passes of the history) count the cycles of ``factor`` times the history, a stress, by
    `durability.rainflow` and judge them by the S-N curve ``sn``: "60,2e6,5" (stress, cycles, slope), "ec3=80" or
    "iiw=90".  Stresses of a flexible body are "link.von_mises" (the largest of all nodes), "link.12.von_mises" and
    "link.12.stress.xx" of node 12.  ``start``, ``end``: the part of the history that
    counts.  ``analysis``: the name of one of several.  ``scale``: a factor; ``unit``: text for tables.

    ``expression``: ``of`` is a text of the function language, ``"DZ(3,4)"``, of which "last", "at", "integral" and
    "distance to curve" are functionals (`holonom.gradient`).  They have exact derivatives, which a study with
    ``gradients=True`` adds to the measures as "d tip/d k"; numbers of a ``mode`` have them where the linear analysis is
    about the static equilibrium, ``{"kind": "linear", "statics": True}``.
    """

    of: str
    reduce: str = "last"
    analysis: str = ""
    mode: int | None = None
    at: float | None = None
    level: float | None = None
    curve: Sequence[Sequence[float]] | None = None
    sn: str | None = None
    factor: float = 1.0
    start: float | None = None
    end: float | None = None
    scale: float = 1.0
    unit: str = ""
    expression: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.of, str) or not self.of:
            raise ModelError(f"measure: 'of' must be the name of a history, got {shown(self.of)}")
        known = [*REDUCTIONS, *WITH]
        if self.reduce not in known:
            raise ModelError(
                f"measure of '{self.of}': unknown reduction {shown(self.reduce)}{did_you_mean(self.reduce, known)}"
            )
        for word in dict.fromkeys(WITH.values()):
            users = [reduction for reduction, needed in WITH.items() if needed == word]
            if (self.reduce in users) != (getattr(self, word) is not None):
                only = f"{word} is used by {' and '.join(map(repr, users))} only"
                text = f"'{self.reduce}' needs {word}" if self.reduce in users else only
                raise ModelError(f"measure of '{self.of}': {text}")
        if self.sn is not None:
            self._check_sn()
        if self.factor != 1.0 and self.sn is None:
            raise ModelError(f"measure of '{self.of}': factor is used by 'damage' and 'life' only; use scale")
        if self.curve is not None:
            self._check_curve()
        for word in ("at", "level", "start", "end", "scale", "factor"):
            value = getattr(self, word)
            if value is not None and not (is_number(value) and math.isfinite(value)):
                raise ModelError(f"measure of '{self.of}': {word} must be a number, got {shown(value)}")
        for word in ("scale", "factor"):
            if getattr(self, word) == 0.0:
                raise ModelError(f"measure of '{self.of}': {word} is 0, so that the measure is 0 too; give another one")
        if self.start is not None and self.end is not None and self.start > self.end:
            raise ModelError(f"measure of '{self.of}': start {self.start:g} is after end {self.end:g}; exchange them")
        if self.expression and (self.reduce not in FUNCTIONALS or self.start is not None or self.end is not None):
            raise ModelError(
                f"measure of '{self.of}': of an expression {', '.join(FUNCTIONALS)} are functionals, over the whole run"
            )
        if (
            (self.of in LINEAR) != (self.mode is not None)
            or self.mode is not None
            and not (is_whole(self.mode) and self.mode >= 1)
        ):
            raise ModelError(f"measure of '{self.of}': mode must be a whole number from 1 for {', '.join(LINEAR)}")

    def functional(self) -> Functional:
        """The functional of an expression or of a mode about the static equilibrium, without the scale."""
        from ..analyses.derivatives.functionals import (
            damping_ratio,
            eigenvalue,
            final,
            integral,
            least_squares,
            natural_frequency,
            value_at,
        )

        if self.mode is not None:
            if self.of == "undamped_frequency":
                return natural_frequency(self.mode)
            if self.of == "damping_ratio":
                return damping_ratio(self.mode)
            if self.of == "damped_frequency":
                return eigenvalue(self.mode, "imaginary") / (2.0 * math.pi)
            return eigenvalue(self.mode).apply(lambda x: -1.0 / x, lambda x: 1.0 / x**2)
        if self.reduce == "last":
            return final(self.of)
        if self.reduce == "at":
            return value_at(self.of, self.at)  # type: ignore[arg-type]
        if self.reduce == "integral":
            return integral(self.of)
        times, data = np.asarray(self.curve, float)
        squares = least_squares(self.of, times, data, np.full(len(times), 1.0 / len(times)))
        return squares.apply(math.sqrt, lambda v: 0.5 / math.sqrt(v) if v > 0.0 else 0.0)

    def _check_sn(self) -> None:
        from ..durability.command import curve_of

        if not isinstance(self.sn, str):
            raise ModelError(f"measure of '{self.of}': sn must be a text, as '60,2e6,5' or 'ec3=80'")
        try:
            curve_of(self.sn, None, "sn")
        except ModelError as error:
            raise ModelError(f"measure of '{self.of}': {error}") from None

    def _check_curve(self) -> None:
        try:
            rows = np.asarray(self.curve, float)
        except (TypeError, ValueError):
            rows = np.zeros(0)
        if rows.ndim != 2 or len(rows) != 2 or not rows.shape[1] or not np.isfinite(rows).all():
            raise ModelError(f"measure of '{self.of}': curve must be [[times], [values]], as many values as times")
        if rows.shape[1] < 2:
            raise ModelError(
                f"measure of '{self.of}': curve has one time; give two or more, or reduce='at' with at={rows[0, 0]:g}"
            )
        if not (np.diff(rows[0]) > 0).all():
            raise ModelError(f"measure of '{self.of}': times of the curve must ascend")

    def __call__(self, result: Any) -> float:
        """Its value of a `Run` or `Linear`.  Raises ModelError where the result does not have it."""
        try:
            return float(self.scale * (self._linear(result) if self.mode is not None else self._reduced(result)))
        except ModelError as error:
            raise ModelError(f"{self.reduce} of '{self.of}': {error}" if self.mode is None else str(error)) from None

    def _linear(self, result: Any) -> float:
        modes = getattr(result, "modes", None)
        if modes is None:
            raise ModelError(f"'{self.of}' is of a linear analysis; give the name of one as analysis")
        if self.mode > len(modes):  # type: ignore[operator]
            raise ModelError(f"the linear analysis has {len(modes)} modes; there is no mode {self.mode}")
        return float(getattr(modes[self.mode - 1], self.of))  # type: ignore[operator]

    def _reduced(self, run: Any) -> float:
        if not hasattr(run, "time") or hasattr(run, "modes"):
            raise ModelError(
                "a linear analysis has no histories; give mode= for a number of a mode, as "
                "Measure('damped_frequency', mode=1), or the name of another analysis"
            )
        t = np.asarray(run.time, float)
        if stress := STRESS.fullmatch(self.of):
            y = _stress(run, **stress.groupdict())
            return self._damaged(run, t, y) if self.sn is not None else self.reduced(t, y)
        found = run[self.of]
        if not hasattr(found, "dims"):
            raise ModelError("it is an element; name one of its histories, as 'pin.force.x'")
        y = np.asarray(found.values, float)
        if self.sn is not None:
            return self._damaged(run, t, y)
        sizes = np.linalg.norm(y, axis=1) if y.ndim == 2 else y
        if self.reduce in EXTREMES and hasattr(run, "data") and len(run.data.peaks):
            t, sizes = self._along_steps(run, found, t, sizes)
        return self.reduced(t, sizes)

    def _damaged(self, run: Any, t: np.ndarray, y: np.ndarray) -> float:
        """Damage of one pass of a stress history, or passes until it is 1."""
        from ..durability import damage
        from ..durability.command import curve_of

        if y.ndim > 1 or self.of.endswith(".von_mises"):
            raise ModelError("a magnitude has no sign, so that its cycles are not those of the load; name a component")
        total = damage(y[self._within(t)], curve_of(self.sn, run.model.units, "sn"), factor=self.factor).total  # type: ignore[arg-type]
        if self.reduce == "damage":
            return float(total)
        if total == 0.0:
            raise ModelError("the cycles do no damage, so that the life is not limited; use 'damage'")
        return float(1.0 / total)

    def _along_steps(self, run: Any, found: Any, t: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The history of a load with its peak along the steps of the solver as a further sample.  Issues a ModelWarning
        where that peak lies between output rows and is none of this history: of a component, or outside of start and
        end."""
        units = found.attrs.get("units")
        what = next((w for w in ("force", "torque") if units == run.units(w)), None)
        if what is None:
            return t, y
        quantity, component = find(quantities(run, attitude=False), self.of)
        owner = quantity.owner
        peak = step_peak(run, owner, what) if owner is not None else None
        if owner is None or peak is None:  # of no element, or not followed along the steps
            return t, y
        size, time = peak
        largest = max(float(np.linalg.norm(p)) for p in run.data.peaks[what])
        if 0.0 < size < ROUNDING * largest:
            warn_model(
                f"{self.reduce} of '{self.of}' is rounding: {what}s of {owner[0]}/{owner[1]} do not exceed {size:.2g} "
                f"{units}, and another {what} of the run is {largest:.3g} {units}"
            )
        whole = component is None and quantity.name.endswith(f".{what}")
        if whole and self._within(t).any() and self._within(np.array([time])).all():
            if size > np.max(y):
                k = int(np.searchsorted(t, time))
                t, y = np.insert(t, k, time), np.insert(y, k, size)
            return t, y
        if whole and self.reduce in ("min", "time of min"):
            return t, y
        seen = float(run.reactions(forces=True, contacts=True)["/".join(map(str, owner[:2]))][f"row_{what}"])
        if size > (1.0 + MISSED) * seen and size > RELEVANT * largest:
            warn_model(
                f"{self.reduce} of '{self.of}' is that of the output rows, but "
                f"{missed_peak(run, owner, what, size, time, seen)}: give the analysis more steps"
            )
        return t, y

    def reduced(self, t: np.ndarray, y: np.ndarray) -> float:
        """The reduction of values y (n,) over times, or another ascending quantity, t (n,), without the scale.  Raises
        ModelError where it has none."""
        if self.reduce == "distance to curve":
            return self._distance(t, y)
        t, y = self._window(t, y)
        if not len(t):
            raise ModelError("the run has no output between start and end")
        return float(self._value(t, y))

    def _window(self, t: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The history between start and end, with its values there by interpolation.  Raises ModelError for an end
        beyond the run."""
        if self.start is None and self.end is None or not len(t):
            return t, y
        slack = 1e-9 * (t[-1] - t[0])
        for word, at in (("start", self.start), ("end", self.end)):
            if at is not None and not t[0] - slack <= at <= t[-1] + slack:
                raise ModelError(
                    f"{word} {at:g} is beyond the run from {t[0]:g} to {t[-1]:g}; run longer, or leave it out"
                )
        low, high = (t[0] if self.start is None else self.start), (t[-1] if self.end is None else self.end)
        inner = (t > low + slack) & (t < high - slack)
        ends = [low] if high - low <= slack else [low, high]
        times = np.concatenate([ends[:1], t[inner], ends[1:]])
        return times, np.concatenate([np.interp(ends[:1], t, y), y[inner], np.interp(ends[1:], t, y)])

    def _within(self, t: np.ndarray) -> np.ndarray:
        """Which times are between start and end."""
        return (t >= (-math.inf if self.start is None else self.start)) & (
            t <= (math.inf if self.end is None else self.end)
        )

    def _distance(self, t: np.ndarray, y: np.ndarray) -> float:
        """Root mean square difference from the curve at its times.  Raises ModelError for a curve beyond the run."""
        x, values = np.asarray(self.curve, float)
        part = self._within(x)
        x, values = x[part], values[part]
        if not len(x):
            raise ModelError("the curve has no time between start and end")
        slack = 1e-9 * (t[-1] - t[0])
        if x[0] < t[0] - slack or x[-1] > t[-1] + slack:
            raise ModelError(
                f"the curve from {x[0]:g} to {x[-1]:g} extends beyond the run from {t[0]:g} to {t[-1]:g}; "
                "run longer, or give start and end"
            )
        return math.sqrt(float(np.mean((np.interp(x, t, y) - values) ** 2)))

    def _value(self, t: np.ndarray, y: np.ndarray) -> float:
        if self.reduce == "at":
            if not t[0] <= self.at <= t[-1]:  # type: ignore[operator]
                raise ModelError(f"the run from {t[0]:g} to {t[-1]:g} does not reach the time {self.at:g}")
            return float(np.interp(self.at, t, y))  # type: ignore[arg-type]
        if self.reduce == "time of crossing":
            times = _crossings(t, y - self.level, 0)
            if not times:
                raise ModelError(f"it does not cross {self.level:g}; it is between {y.min():.6g} and {y.max():.6g}")
            return times[0]
        return float(REDUCTIONS[self.reduce](t, y))

    def to_json(self) -> dict[str, Any]:
        """What a file holds of it."""
        out = {k: getattr(self, k) for k, f in self.__dataclass_fields__.items() if getattr(self, k) != f.default}
        return {k: [list(map(float, row)) for row in v] if k == "curve" else v for k, v in out.items()}


def as_measure(name: str, given: Any) -> Measure:
    """A measure from a table of arguments, a text (the last value of a history), or a `Measure`."""
    if isinstance(given, Measure):
        return given
    if isinstance(given, str):
        return Measure(given)
    if not isinstance(given, Mapping):
        raise ModelError(f"measure '{name}': give a Measure, or a table with 'of' and 'reduce', got {shown(given)}")
    known = list(Measure.__dataclass_fields__)
    for key in given:
        if key not in known:
            raise ModelError(f"measure '{name}': unknown key {shown(key)}{did_you_mean(key, known)}")
    if "of" not in given:
        raise ModelError(f"measure '{name}': 'of' is missing; name a history, as 'pin.force.x'")
    return Measure(**given)
