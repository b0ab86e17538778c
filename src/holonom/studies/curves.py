"""Measured curves and the experiments in which they were taken: what a model predicts for them, and its derivatives."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from .._summary import Summary
from ..model import Model, ModelError
from ..model.base import did_you_mean, shown
from ..model.calls import explained_class
from ..model.kinds import is_number
from .lowpass import LowPass, lowpass
from .parameters import Point, Space
from .simulation import Simulated
from .smooth import derivative_name

SENSOR = ("gain", "offset", "shift")  #: fields of a curve that may be parameters
COARSE = 0.5  # share of the noise that interpolation between outputs may make before it is reported


@explained_class
@dataclass(frozen=True, repr=False)
class Curve(Summary):
    """A measured curve: ``values`` at ``times`` of a quantity of the model.

    ``of``: a history by its full name, ``"pin.angle"`` (of a vector the magnitude is taken); an output that the
    function of an experiment returns; or, with ``expression=True``, a text of the function language, ``"DZ(3,4)"``,
    whose derivatives are exact.  ``std``: standard deviation of the noise, one number or as many as times; without it
    the noise is estimated from the residuals.  ``weight``: a factor of
    the residuals on top: it changes the estimate, and intervals remain those of the noise.  The sensor reads ``gain *
    value(time - shift) + offset``; each of the three is a number or the name of a parameter, which is then identified
    with the others.  ``lowpass``: a frequency (Hz) beyond which the curve is not compared: measured and predicted
    values pass the same filter, and readings so far apart that their noise is independent are compared (`lowpass`); it
    needs equal time steps.  Without ``values`` it is a quantity that could be measured (``candidates`` of an
    `Experiment`).  Raises ModelError for curves that are invalid.
    """

    of: str
    times: Any = None
    values: Any = None
    std: Any = None
    weight: float = 1.0
    gain: float | str = 1.0
    offset: float | str = 0.0
    shift: float | str = 0.0
    expression: bool = False
    lowpass: float | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.of, str) or not self.of:
            raise ModelError(f"curve: 'of' must name a quantity, as 'pin.angle', got {shown(self.of)}")
        where = f"curve '{self.of}'"
        for word in ("times", "values", "std"):
            given = getattr(self, word)
            if given is None or word == "std" and is_number(given):
                continue
            try:
                array = np.array(given, float)
            except (TypeError, ValueError):
                raise ModelError(f"{where}: {word} must be numbers, got {shown(given)}") from None
            if array.ndim != 1 or not len(array) or not np.isfinite(array).all():
                raise ModelError(f"{where}: {word} must be a list of finite numbers, got {shown(given)}")
            object.__setattr__(self, word, array)
        if self.values is not None and (self.times is None or len(self.times) != len(self.values)):
            count = 0 if self.times is None else len(self.times)
            raise ModelError(f"{where}: {count} times and {len(self.values)} values; give as many of both")
        if self.times is not None and (np.diff(self.times) <= 0.0).any():
            raise ModelError(f"{where}: times must ascend")
        if self.std is not None:
            if np.any(np.asarray(self.std) <= 0.0) or not np.isfinite(np.asarray(self.std)).all():
                raise ModelError(f"{where}: std must be above zero, got {shown(self.std)}")
            if np.ndim(self.std) and (self.times is None or len(self.std) != len(self.times)):
                raise ModelError(f"{where}: std must be one number, or as many as times")
        if not is_number(self.weight) or not self.weight > 0.0:
            raise ModelError(f"{where}: weight must be a number above zero, got {shown(self.weight)}")
        for word in SENSOR:
            value = getattr(self, word)
            if not (isinstance(value, str) and value) and not (is_number(value) and np.isfinite(value)):
                raise ModelError(f"{where}: {word} must be a number or the name of a parameter, got {shown(value)}")
        if self.expression and self.shift != 0.0:
            raise ModelError(f"{where}: an expression has no shift; name a history, as 'pin.angle', in its place")
        if self.lowpass is not None:
            self._check_filter(where)

    def _check_filter(self, where: str) -> None:
        """Raise ModelError for a low-pass filter that the times do not allow."""
        if self.lowpass is None or not is_number(self.lowpass) or not np.isfinite(self.lowpass):
            raise ModelError(f"{where}: lowpass must be a frequency in Hz, got {shown(self.lowpass)}")
        if np.ndim(self.std):
            raise ModelError(f"{where}: std must be one number where lowpass is given")
        if self.times is None:
            return
        steps = np.diff(self.times)
        if len(steps) < 2 or np.ptp(steps) > 1e-4 * steps.mean():
            raise ModelError(f"{where}: lowpass needs samples at equal steps of time; interpolate them first")
        try:
            self._filter  # noqa: B018
        except ModelError as error:
            raise ModelError(f"{where}: {error}") from None

    @property
    def _filter(self) -> LowPass | None:
        """The filter, None without one."""
        if self.lowpass is None:
            return None
        count = len(self.times)
        return lowpass(count, float(self.times[-1] - self.times[0]) / (count - 1), float(self.lowpass))

    @property
    def count(self) -> int:
        """Number of readings that are compared."""
        return len(self.times) if self._filter is None else len(self._filter.kept)

    def readings(self, y: np.ndarray) -> np.ndarray:
        """Values at its times as they are compared: through its filter."""
        return y if self._filter is None else self._filter(y)

    @property
    def noise(self) -> float | np.ndarray | None:
        """Standard deviation of the readings, one number or as many as there are; None where it is not known."""
        return None if self.std is None else self.noise_share * self.std

    @property
    def noise_share(self) -> float:
        """Standard deviation of the noise of the readings over that of the samples."""
        return 1.0 if self._filter is None else self._filter.share

    def part(self, start: float | None = None, end: float | None = None) -> Curve:
        """The samples from ``start`` to ``end``.  Raises ModelError where there are none."""
        low, high = (-np.inf if start is None else start), (np.inf if end is None else end)
        chosen = (self.times >= low) & (self.times <= high)
        if not chosen.any():
            raise ModelError(f"curve '{self.of}': it has no samples from {low:g} to {high:g}")
        std = self.std[chosen] if np.ndim(self.std) else self.std
        values = None if self.values is None else self.values[chosen]
        return replace(self, times=self.times[chosen], values=values, std=std)

    def sensor(self, word: str, values: Mapping[str, Any]) -> float:
        """Its gain, offset or shift at values of the parameters."""
        given = getattr(self, word)
        return float(values[given]) if isinstance(given, str) else float(given)


@explained_class
@dataclass(repr=False)
class Experiment(Summary):
    """One test: a model or a function, and the curves that were measured in it.

    ``evaluate``: a `Model` with parameters (or numbers with an address), on which ``analysis`` runs (a table ``{"end":
    1.0, "steps": 200}`` of options of `simulate`; of curves that are expressions ``end``, ``integrator``, ``error``); a
    function that builds the model from values; or, without ``analysis``, a function that returns outputs by name, each
    as many values as its curve has times, or a pair (times, values) that is interpolated.  A function may return
    derivatives of its outputs too, named "d x/d k".
    ``curves``: what was measured. ``candidates``: curves without values, of quantities that could be measured.
    ``values``: constants of this experiment.  ``parameters``: names of those that its model has, by default all.
    Raises ModelError for what contradicts itself.
    """

    evaluate: Model | Callable[..., Any]
    curves: Sequence[Curve]
    analysis: Mapping[str, Any] | None = None
    values: Mapping[str, Any] = field(default_factory=dict)
    parameters: Sequence[str] | None = None
    candidates: Sequence[Curve] = ()
    name: str = ""

    def __post_init__(self) -> None:
        if isinstance(self.curves, Curve):
            self.curves = [self.curves]
        where = f"experiment '{self.name}'" if self.name else "experiment"
        for c in (*self.curves, *self.candidates):
            if not isinstance(c, Curve):
                raise ModelError(f"{where}: a curve is a Curve, got {shown(c)}")
        if not self.curves:
            raise ModelError(f"{where}: give one curve at least")
        for c in self.curves:
            if c.values is None:
                raise ModelError(f"{where}: curve '{c.of}' has no values; quantities without values are candidates")
        for c in self.candidates:
            if c.std is None:
                raise ModelError(f"{where}: candidate '{c.of}': give std, the noise that its sensor would have")
        if isinstance(self.evaluate, Model) and self.analysis is None:
            raise ModelError(f"{where}: a model needs an analysis, as {{'end': 1.0, 'steps': 200}}")
        if not isinstance(self.evaluate, Model) and not callable(self.evaluate):
            raise ModelError(f"{where}: evaluate must be a Model or a function, got {shown(self.evaluate)}")
        if self.analysis is None and any(c.expression for c in (*self.curves, *self.candidates)):
            raise ModelError(f"{where}: expressions are of a model; give its analysis")


class Outputs:
    """What one run predicts for curves: values, derivatives by time and, where they are exact, by parameters.

    ``y``, ``rate``: a list over the curves of arrays at the shifted times; ``slopes``: of each curve a table parameter
    -> array, None where differences are needed; ``coarse``: error of interpolation of each curve, root mean square."""

    def __init__(self, y: list, rate: list, slopes: list, coarse: list) -> None:
        self.y, self.rate, self.slopes, self.coarse = y, rate, slopes, coarse


class Predictor:
    """Runs an experiment at values of the parameters.  ``curves``: those to predict, with times; ``runs``: how many
    were computed.  Histories are kept for the last values, so that parameters of sensors cost no run."""

    def __init__(self, experiment: Experiment, curves: Sequence[Curve], space: Space) -> None:
        self.experiment, self.curves, self.runs = experiment, list(curves), 0
        sensors = {getattr(c, word) for c in curves for word in SENSOR if isinstance(getattr(c, word), str)}
        names = space.names if experiment.parameters is None else list(experiment.parameters)
        known = set(space.names)
        for name in (*names, *sensors):
            if name not in known:
                raise ModelError(
                    f"experiment '{experiment.name}': there is no parameter {shown(name)}"
                    f"{did_you_mean(name, sorted(known))}"
                )
        self.sensors = sensors
        self.names = [n for n in names if n not in sensors and n not in experiment.values]
        self._simulated: Simulated | None = None
        if experiment.analysis is not None:
            build = None if isinstance(experiment.evaluate, Model) else experiment.evaluate
            self._simulated = Simulated(
                {
                    "addresses": {p.name: p.address for p in space.parameters if p.address},
                    "analyses": [{"name": "run", **experiment.analysis}],
                    "measures": {},
                },
                build,
            )
            if build is None:
                self._simulated.model = experiment.evaluate  # type: ignore[assignment]
        self._known: dict[tuple, Any] = {}

    def __call__(self, values: Point, slopes: Sequence[str] = ()) -> Outputs:
        """Outputs at values; ``slopes``: names of parameters whose exact derivatives are wanted where they exist."""
        slopes = [n for n in slopes if n in self.names]
        own = {n: values[n] for n in self.names} | dict(self.experiment.values)
        key = (*own.values(), bool(slopes))
        if key not in self._known:
            if len(self._known) > 200:
                self._known.clear()
            self._known[key] = self._run(own, slopes)
            self.runs += 1
        found, derivatives = self._known[key]
        out = Outputs([], [], [], [])
        for k, c in enumerate(self.curves):
            at = c.times - c.sensor("shift", values)
            y, rate, coarse = self._sampled(found[k], at, c)
            out.y.append(c.readings(y))
            out.rate.append(c.readings(rate))
            out.coarse.append(coarse)
            table = derivatives[k]
            if table is not None:
                table = {n: c.readings(self._sampled(d, at, c)[0]) for n, d in table.items()}
            out.slopes.append(table)
        return out

    def _run(self, own: dict[str, Any], slopes: Sequence[str]) -> tuple[list, list]:
        """Of each curve its output (an array, or times and values) and derivatives by parameters or None."""
        if self._simulated is None:
            found = self.experiment.evaluate(dict(own))  # type: ignore[operator]
            if not isinstance(found, Mapping):
                raise ModelError(f"the function must return a table of outputs, got {shown(found)}")
            outputs, tables = [], []
            for c in self.curves:
                if c.of not in found:
                    raise ModelError(f"there is no output {shown(c.of)}{did_you_mean(c.of, found)}")
                outputs.append(found[c.of])
                names = {n: derivative_name(c.of, n) for n in slopes}
                held = all(n in found for n in names.values())
                tables.append({n: found[d] for n, d in names.items()} if held else None)
            return outputs, tables
        model = self._simulated.variant(own)
        outputs, tables = [None] * len(self.curves), [None] * len(self.curves)
        histories = [k for k, c in enumerate(self.curves) if not c.expression]
        if histories:
            run = self._simulated.analyses[0](model)
            t = np.asarray(run.time, float)
            for k in histories:
                series = run[self.curves[k].of]
                if not hasattr(series, "dims"):
                    raise ModelError(f"'{self.curves[k].of}' is an element; name one of its histories, as 'pin.angle'")
                y = np.asarray(series.values, float)
                outputs[k] = (t, np.linalg.norm(y, axis=1) if y.ndim == 2 else y)
        if len(histories) < len(self.curves):
            self._expressions(model, slopes, outputs, tables)
        return outputs, tables

    def _expressions(self, model: Model, slopes: Sequence[str], outputs: list, tables: list) -> None:
        """Values of expressions at the times of their curves, with derivatives: one adjoint for each sample."""
        from ..analyses.derivatives.functionals import value_at
        from ..analyses.derivatives.gradient import gradients

        assert self._simulated is not None
        given = self._simulated.analyses[0].options
        options = {k: v for k, v in given.items() if k not in ("end", "integrator", "error", "steps", "dt")}
        chosen = [k for k, c in enumerate(self.curves) if c.expression]
        wanted = [value_at(self.curves[k].of, t) for k in chosen for t in self.curves[k].times]
        by = {n: self._simulated.addresses.get(n, n) for n in slopes}
        found = iter(
            gradients(
                model,
                wanted,
                list(by.values()),
                given.get("end"),
                given.get("integrator", "DOP853"),
                given.get("error"),
                options,
            )
        )
        for k in chosen:
            mine = [next(found) for _ in self.curves[k].times]
            outputs[k] = np.array([g.value for g in mine])
            if by:
                tables[k] = {n: np.array([g[a] for g in mine]) for n, a in by.items()}

    def _sampled(self, output: Any, at: np.ndarray, c: Curve) -> tuple[np.ndarray, np.ndarray, float]:
        """Values and rates of an output at times, and the error of the interpolation."""
        if np.iscomplexobj(output[-1] if isinstance(output, tuple) else output):
            raise ModelError(f"output '{c.of}' has complex numbers; return real ones, as the magnitude")
        if not isinstance(output, tuple):
            y = np.asarray(output, float)
            if y.shape != at.shape:
                raise ModelError(
                    f"output '{c.of}' has shape {y.shape}, but its curve has {len(at)} times; return as many values, "
                    "or a pair (times, values)"
                )
            if c.shift != 0.0:
                raise ModelError(f"curve '{c.of}' has a shift; return a pair (times, values) for it")
            return y, np.zeros_like(y), 0.0
        from scipy.interpolate import PchipInterpolator

        t, y = (np.asarray(v, float) for v in output)
        slack = 1e-9 * max(t[-1] - t[0], abs(t[-1]))
        if at[0] < t[0] - slack or at[-1] > t[-1] + slack:
            raise ModelError(
                f"curve '{c.of}', shifted, is from {at[0]:g} to {at[-1]:g}, beyond the run from {t[0]:g} to {t[-1]:g}; "
                "run longer, or cut the curve with Curve.part"
            )
        at = np.clip(at, t[0], t[-1])
        line = PchipInterpolator(t, y)
        found = line(at)
        nearest = t[np.minimum(np.searchsorted(t, at - slack), len(t) - 1)]
        if len(t) < 5 or (np.abs(nearest - at) <= slack).all():
            return found, line.derivative()(at), 0.0
        kept = np.unique(np.r_[np.arange(0, len(t), 2), len(t) - 1])
        halved = PchipInterpolator(t[kept], y[kept])(at)  # twice the spacing: four times the error or more
        return found, line.derivative()(at), float(np.sqrt(np.mean((halved - found) ** 2))) / 3.0


def as_experiments(given: Any) -> list[Experiment]:
    """One or several experiments.  Raises ModelError for what is none, and for two of one name."""
    found = [given] if isinstance(given, Experiment) else list(given) if isinstance(given, Iterable) else []
    if not found or not all(isinstance(e, Experiment) for e in found):
        raise ModelError(f"identification: give an Experiment or a list of them, got {shown(given)}")
    found = [replace(e, name=e.name or f"experiment {k}") for k, e in enumerate(found, 1)]
    names = [e.name for e in found]
    if len(set(names)) < len(names):
        raise ModelError(f"two experiments are named '{max(names, key=names.count)}'; give them different names")
    return found
