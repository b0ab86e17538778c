"""Evaluations that are simulations: a model with parameters, analyses of it, measures of their results."""

from __future__ import annotations

import inspect
import math
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..formats.model_file import read_model
from ..model import Model, ModelError
from ..model.base import did_you_mean, shown
from ..model.field_units import unit_of_field
from ..model.parameters import resolve
from ..model.quantities import Parameter
from ..model.quantity_text import same_unit
from .formulas import Rules, names_in
from .measures import Measure, as_measure
from .parameters import Space
from .smooth import derivative_name

ANALYSIS_TYPES = ("auto", "dynamics", "kinematics", "statics", "quasistatics", "initial", "linear")


class NotKept(ModelError):
    """The full results of a run could not be written."""


@dataclass(frozen=True)
class Analysis:
    """An analysis of an evaluation: ``name``, ``kind`` ("auto", "dynamics", "kinematics", "statics", "quasistatics",
    "linear") and options of `simulate`, of a linear analysis those of `linearize`."""

    name: str = "run"
    kind: str = "auto"
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.kind not in ANALYSIS_TYPES:
            raise ModelError(
                f"analysis '{self.name}': unknown kind {shown(self.kind)}{did_you_mean(self.kind, ANALYSIS_TYPES)}"
            )

    def __call__(self, model: Model, keep: str | None = None) -> Any:
        """The `Run`, whose rows go to the file ``keep``, or `Linear`.  Raises as `simulate` and `linearize`, and
        `NotKept`."""
        if self.kind == "linear":
            from ..analyses.linear.linearize import linearize

            return linearize(model, **self.options)
        from ..analyses.session.simulate import simulate

        options = dict(self.options) | ({"keep": keep} if keep else {})
        run = simulate(model, kind=self.kind, progress=False, **options)
        if why := run.info.get("not kept"):
            raise NotKept(why)
        return run

    def to_json(self) -> dict[str, Any]:
        """What a file holds of it."""
        return {"name": self.name, "kind": self.kind, **self.options}


def as_analysis(given: Any, number: int) -> Analysis:
    """An analysis from a table ``{"kind": "dynamics", "end": 1.0, "steps": 100}``, or an `Analysis`."""
    if isinstance(given, Analysis):
        return given
    if not isinstance(given, Mapping):
        raise ModelError(f"analysis {number}: give a table, as {{'end': 1.0, 'steps': 100}}, got {shown(given)}")
    options = dict(given)
    name = options.pop("name", "run" if number == 1 else f"run {number}")
    return Analysis(name, options.pop("kind", "auto"), options)


def analysis_of(name: str, measure: Measure, analyses: Sequence[Analysis]) -> str:
    """The name of the analysis whose result a measure reduces: its own, or the only one of its type.  Raises
    ModelError where that is open."""
    if measure.analysis:
        return measure.analysis
    linear = measure.mode is not None
    if measure.expression:
        analyses = [a for a in analyses if a.kind in ("auto", "dynamics")] or analyses
    fit = [a.name for a in analyses if (a.kind == "linear") == linear] or [analyses[0].name]
    if len(fit) > 1:
        raise ModelError(f"measure '{name}': it may be of {' or '.join(map(repr, fit))}; give analysis=")
    return fit[0]


def has_derivatives(measure: Measure, analysis: Analysis) -> bool:
    """Whether a measure of an analysis has exact derivatives."""
    return measure.expression or (
        measure.mode is not None and analysis.kind == "linear" and dict(analysis.options) == {"statics": True}
    )


def model_job(
    source: Any,
    measures: Any,
    analyses: Any,
    folder: Path,
    space: Space,
    gradients: bool = False,
    formulas: Mapping[str, Any] | None = None,
) -> tuple[dict[str, Any], list[Path]]:
    """The job of a worker, as JSON can hold it, and the files that it reads.

    ``source``: a `Model`, the path of a dataset, or the target of a function that builds a model.  ``formulas``:
    derived parameters and constraints (`formulas.Rules.to_json`)."""
    if not isinstance(measures, Mapping) or not measures:
        raise ModelError("study: measures must be a table of name and Measure")
    given = [analyses] if isinstance(analyses, (Mapping, Analysis)) else analyses
    if not isinstance(given, Sequence) or isinstance(given, str) or not given:
        raise ModelError("study: give at least one analysis, as analyses={'end': 1.0, 'steps': 100}")
    made = [as_analysis(a, k) for k, a in enumerate(given, 1)]
    names = [a.name for a in made]
    if len(set(names)) < len(names):
        raise ModelError(f"study: two analyses are named '{max(names, key=names.count)}'; give them different names")
    found = {name: as_measure(name, m) for name, m in measures.items()}
    for name, m in found.items():
        if m.analysis and m.analysis not in names:
            raise ModelError(
                f"measure '{name}': there is no analysis {shown(m.analysis)}{did_you_mean(m.analysis, names)}"
            )
        analysis_of(name, m, made)
    job: dict[str, Any] = {
        "kind": "model",
        "analyses": [a.to_json() for a in made],
        "measures": {name: m.to_json() for name, m in found.items()},
        "addresses": {p.name: p.address for p in space.parameters if p.address},
        **(formulas or {}),
    }
    if gradients:
        of = {name: next(a for a in made if a.name == analysis_of(name, m, made)) for name, m in found.items()}
        if not any(has_derivatives(m, of[name]) for name, m in found.items()):
            raise ModelError(
                "study: gradients need a measure with expression=True, as Measure('DZ(3,4)', ...), or of a mode about "
                "the static equilibrium"
            )
        if fixed := [p.name for p in space.parameters if not p.continuous]:
            raise ModelError(f"study: there are no gradients by the discrete parameter '{fixed[0]}'")
        if isinstance(source, dict):
            raise ModelError("study: gradients need a Model or a dataset; a function may return its own derivatives")
        job["gradients"] = True
    files: list[Path] = []
    if isinstance(source, Model):
        keys = keys_of(source, job, space.names)
        _check_units(source, space, keys)
        job["model"] = source.to_json()
        _check_copy(source, job, space, keys)
    elif isinstance(source, (str, Path)):
        path = (folder / source).resolve()
        if not path.is_file():
            raise ModelError(f"study: there is no dataset '{path}'")
        job["dataset"], files = str(path), [path]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they are in the rows of the runs
            model = read_model(path, parameters=True)
        _check_units(model, space, keys_of(model, job, space.names))
    else:
        job["target"] = source
    return job, files


def keys_of(model: Model, job: Mapping[str, Any], names: Iterable[str]) -> dict[str, str]:
    """Name of a parameter, or of a derived one -> the parameter or number of the model whose value it is.  One that
    only formulas read has none.  Raises ModelError for a name or an address that is not in the model, and for two that
    give one number its value."""
    derived, where = job.get("derived") or {}, job.get("where") or ()
    read = {n for text in (*derived.values(), *where) for n in names_in(text)}
    out: dict[str, str] = {}
    owner: dict[str, str] = {}
    for name in (*names, *derived):
        key = job["addresses"].get(name, name)
        if key == name and name in read and name not in model.parameters:
            continue
        number = resolve(model, key).name
        if number in owner:
            raise ModelError(
                f"parameters '{owner[number]}' and '{name}' are both {number} of model '{model.name}'; leave one out"
            )
        out[name], owner[number] = key, name
    return out


def _check_units(model: Model, space: Space, keys: Mapping[str, str]) -> None:
    """Raise ModelError for a parameter whose unit is not that of the parameter or number of the model: its numbers are
    given to the model as they are."""
    for p in space.parameters:
        if not p.unit or p.name not in keys:
            continue
        found = resolve(model, keys[p.name])
        if isinstance(found, Parameter):
            own = found.unit
        elif found.kind == "MODEL":
            own = model.units.symbol("acceleration")
        else:
            own = unit_of_field(model, found.kind, found.field)
        if own and not same_unit(p.unit, own):
            raise ModelError(
                f"parameter '{p.name}': its unit is '{p.unit}', in model '{model.name}' it is '{own}'; give its "
                f"numbers in {own}"
            )


def _check_copy(model: Model, job: dict[str, Any], space: Space, keys: Mapping[str, str]) -> None:
    """Raise ModelError where the copy that workers receive answers to a parameter in another way than the model
    itself (uses of a parameter that a model file does not hold)."""
    copy = Model.from_json(job["model"])
    for p in space.parameters:
        if p.name not in keys:
            continue
        key = keys[p.name]
        value = p.bounds[1] if p.bounds is not None else p.value
        if model.with_parameters({key: value}).to_json() != copy.with_parameters({key: value}).to_json():
            raise ModelError(
                f"parameter '{p.name}': its use in model '{model.name}' cannot be kept in a file for worker processes; "
                "give a function that builds the model"
            )


class Simulated:
    """Measures of a model at values of its parameters; made in a worker from a job."""

    def __init__(self, job: Mapping[str, Any], build: Callable[..., Any] | None) -> None:
        self.build = build
        self.job = job
        self.addresses = job["addresses"]
        self.keys: dict[str, str] = {}  # of the model, once there are values
        self.names: list[str] = []  # of the parameters that are not derived, once there are values
        self.rules = Rules([], None, None)
        self.gradients = bool(job.get("gradients"))
        self.analyses = [as_analysis(a, k) for k, a in enumerate(job["analyses"], 1)]
        self.measures: dict[str, Measure] = {name: as_measure(name, m) for name, m in job["measures"].items()}
        self.model: Model | None = None
        if job.get("model"):
            self.model = Model.from_json(job["model"])
        elif job.get("dataset"):
            self.model = read_model(Path(job["dataset"]), parameters=True)
        elif build is not None and not inspect.signature(build).parameters:
            self.model = _a_model(build())

    def variant(self, values: Mapping[str, Any]) -> Model:
        """The model at values of the parameters."""
        if self.model is not None:
            if not self.keys:
                derived = self.job.get("derived") or {}
                self.names = [n for n in values if n not in derived]
                self.keys = keys_of(self.model, self.job, self.names)
                self.rules = Rules(self.names, derived, None)
            return self.model.with_parameters({key: values[n] for n, key in self.keys.items()})
        assert self.build is not None
        return _a_model(self.build(dict(values)))

    def __call__(self, values: Mapping[str, Any], keep: str | None = None) -> tuple[dict[str, float], float | None]:
        """Measures and energy error.  ``keep``: the path of files with full results, without analysis and ending.
        Raises ModelError, which names the analysis or the measure."""
        model = self.variant(values)
        results, error = {}, None
        of = {name: analysis_of(name, m, self.analyses) for name, m in self.measures.items()}
        named = {a.name: a for a in self.analyses}
        exact = {
            name
            for name, m in self.measures.items()
            if m.expression or (self.gradients and has_derivatives(m, named[of[name]]))
        }
        simulated = {of[name] for name in self.measures if name not in exact}
        for a in self.analyses:
            if a.name in simulated or a.name not in of.values():
                results[a.name] = a(model, f"{keep}-{_file_name(a.name)}.h5" if keep else None)
                error = _worse(error, results[a.name])
        out: dict[str, float] = {}
        for name, m in self.measures.items():
            try:
                if name in exact:
                    out |= self._functional(name, m, named[of[name]], model, values)
                else:
                    out[name] = m(results[of[name]])
            except ModelError as fault:
                raise ModelError(f"measure '{name}': {fault}") from None
        return out, error

    def _functional(
        self, name: str, m: Measure, analysis: Analysis, model: Model, values: Mapping[str, Any]
    ) -> dict[str, float]:
        """Value of an expression or of a mode, and its derivatives where the study has gradients."""
        from ..analyses.derivatives.gradient import gradient

        options = {k: v for k, v in analysis.options.items() if k in ("end", "integrator", "error", "options")}
        if analysis.kind in ("statics", "quasistatics", "kinematics"):
            options["kind"] = analysis.kind
        by = self.keys if self.gradients else {}
        g = gradient(model, m.functional(), list(by.values()), **options)
        out = {name: m.scale * g.value}
        if by:  # with the chain rule through derived values
            slopes = self.rules.slopes(values, self.names)
            total = sum((float(g[address]) * slopes[n] for n, address in by.items()), np.zeros(len(self.names)))
            out |= {derivative_name(name, n): m.scale * float(d) for n, d in zip(self.names, total)}
        return out


def _file_name(name: str) -> str:
    """The name of an analysis as part of a file's name."""
    return "".join(c if c.isalnum() or c in " _.+" else "_" for c in name)


def _worse(error: float | None, result: Any) -> float | None:
    """The larger of an energy error and that of a run: largest residual over largest swing, where it means
    something."""
    if not hasattr(result, "audit"):
        return error
    found = result.audit()
    value = found.relative if found.segments and found.conclusive else math.nan
    return error if not math.isfinite(value) else max(float(value), error or 0.0)


def _a_model(found: Any) -> Model:
    if not isinstance(found, Model):
        raise ModelError(f"the function of the study must return a Model, since measures are given; got {shown(found)}")
    return found
