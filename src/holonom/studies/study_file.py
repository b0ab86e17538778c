"""Study files: a study and its stages as YAML or JSON, for ``holonom study run study.yaml``.

study: truss.study
function: truss.py:evaluate
parameters:
  a: {bounds: [0.01, 1.0], unit: m}
  b: {bounds: [0.01, 1.0], unit: m}
stages:
  - design: latin_hypercube
    count: 64
  - minimize: weight
    subject_to: {stress: [null, 200.0]}
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..model import Model, ModelError
from ..model.base import did_you_mean, shown
from ..model.bounded_file import read_bounded
from ..model.calls import explained
from ..model.kinds import is_number, is_whole
from ..vehicle.vehicle_file import parse_json, parse_yaml, read_vehicle
from .curve_files import read_curve
from .curves import Curve
from .designs import DESIGNS, Design
from .functions import changes
from .optimize import METHODS as OPTIMISERS
from .optimize import OPTIONS as OPTIMISER
from .optimize import as_limits
from .pareto import PARETO_OPTIONS, check_objectives
from .robust import OPTIONS as ROBUST
from .sensitivity import METHODS as INDICES
from .store import Store
from .study import FAULT_OPTIONS, FIT_OPTIONS, RELIABILITY, SURROGATE, Study, known_options
from .tolerances import OPTIONS as TOLERANCES

if TYPE_CHECKING:
    from ..vehicle.vehicle_file import VehicleFile

MOST_BYTES = 10_000_000
SHIPPED = Path(__file__).parent / "shipped"
OPTIONS = (
    "seed", "workers", "runner", "time_limit", "memory_limit", "retries", "stop_after", "keep", "files", "gradients",
    "derived", "where",
)  # fmt: skip
SOURCES = ("function", "model", "vehicle")
#: stages that begin with the name of a measure
MEASURED = ("minimize", "maximize", "minimize_robust", "maximize_robust", "reliability", "worst_case", "surrogate")
KEYS = ("study", *SOURCES, "parameters", "measures", "analyses", "stages", *OPTIONS)


def _made(name: Any, options: Mapping[str, Any], folder: Path) -> Design:
    """The design of a stage."""
    if not isinstance(name, str) or name not in DESIGNS:
        raise ModelError(f"there is no design {shown(name)}{did_you_mean(name, DESIGNS)}")
    if "path" in options:
        options = {**options, "path": folder / str(options["path"])}
    return explained(DESIGNS[name], f"design '{name}'")(**options)


def _design(study: Study, name: Any, options: dict[str, Any], folder: Path) -> Any:
    return study.run(_made(name, options, folder))


def _surrogate(study: Study, name: Any, options: dict[str, Any], folder: Path) -> Any:
    if "design" in options:
        options["design"] = _made(options.pop("design"), _count(options), folder)
        options.pop("count", None)
    return study.optimize_on_surrogate(name, **options)


def _count(options: Mapping[str, Any]) -> dict[str, Any]:
    return {"count": options["count"]} if options.get("count") is not None else {}


def _curves(given: Any, folder: Path) -> list[Curve]:
    """Measured curves of a stage: output or history -> file with ``time`` and ``value``, and fields of `Curve`."""
    if not isinstance(given, Mapping) or not given:
        raise ModelError(f"give a table of curves, as {{height: {{file: drop.csv, std: 1e-4}}}}, got {shown(given)}")
    out = []
    for name, fields in given.items():
        if not isinstance(fields, Mapping) or "file" not in fields:
            raise ModelError(f"curve '{name}': give a table with file, as {{file: drop.csv, std: 1e-4}}")
        rest = dict(fields)
        path, start, end = folder / str(rest.pop("file")), rest.pop("start", None), rest.pop("end", None)
        out.append(read_curve(path, str(rest.pop("of", name)), **rest).part(start, end))
    return out


#: first key of a stage -> what runs it
STAGES: dict[str, Callable[[Study, Any, dict[str, Any], Path], Any]] = {
    "design": _design,
    "minimize": lambda s, name, options, folder: s.minimize(name, **options),
    "maximize": lambda s, name, options, folder: s.maximize(name, **options),
    "minimize_robust": lambda s, name, options, folder: s.minimize_robust(name, **options),
    "maximize_robust": lambda s, name, options, folder: s.maximize_robust(name, **options),
    "allocate_tolerances": lambda s, limits, options, folder: s.allocate_tolerances(limits, **options),
    "pareto": lambda s, goals, options, folder: s.pareto(goals, **options),
    "sensitivity": lambda s, method, options, folder: s.sensitivity(method, **options),
    "tornado": lambda s, share, options, folder: s.tornado(*(() if share is None else (share,)), **options),
    "reliability": lambda s, name, options, folder: s.reliability(name, **options),
    "worst_case": lambda s, name, options, folder: s.worst_case(name, **options),
    "surrogate": _surrogate,
    "identify": lambda s, curves, options, folder: s.identify(_curves(curves, folder), **options),
    "diagnose": lambda s, curves, options, folder: s.diagnose(_curves(curves, folder), **options),
}


_OPTIMISER = {"minimize": OPTIMISER, "maximize": OPTIMISER, "minimize_robust": ROBUST, "maximize_robust": ROBUST}
#: first key of a stage -> its other keys; those of a design are arguments of its function
STAGE_OPTIONS: dict[str, tuple[str, ...]] = {
    **_OPTIMISER,
    "allocate_tolerances": ("costs", *TOLERANCES),
    "pareto": PARETO_OPTIONS,
    "sensitivity": ("count", "measures", "second_order"),
    "tornado": (),
    "reliability": RELIABILITY,
    "worst_case": ("max_runs",),
    "surrogate": (*SURROGATE, "count"),
    "identify": ("candidates", *FIT_OPTIONS),
    "diagnose": ("faults", "candidates", *FAULT_OPTIONS),
}


def _check_stage(stage: Any, measures: Any, folder: Path) -> None:
    """Raise ModelError for a stage that would be refused after the stages before it have run."""
    (word, target), *rest = stage.items()
    options = dict(rest)
    if word == "design":
        _made(target, options, folder)
        return
    known_options(options, STAGE_OPTIONS[word], word)
    method = options.get("method")
    if word in (*_OPTIMISER, "pareto") and method is not None and method not in OPTIMISERS:
        raise ModelError(f"there is no optimiser {shown(method)}{did_you_mean(method, OPTIMISERS)}")
    as_limits(options.get("subject_to"))
    if word == "pareto":
        check_objectives(target)
    most = options.get("max_runs", 1)
    if not is_whole(most) or most < 1:
        raise ModelError(f"max_runs must be a whole number from 1, got {shown(most)}")
    if word == "sensitivity" and target not in INDICES:
        raise ModelError(f"there is no method of sensitivity {shown(target)}{did_you_mean(target, INDICES)}")
    if word == "surrogate" and "design" in options:
        _made(options["design"], _count(options), folder)
    if word in MEASURED and isinstance(measures, Mapping) and isinstance(target, str) and target not in measures:
        raise ModelError(f"there is no measure {shown(target)}{did_you_mean(target, measures)}")


def shipped_studies() -> list[tuple[str, str]]:
    """Names of the studies that ship with Holonom, and what they are about."""
    out = []
    for path in sorted(SHIPPED.glob("*.yaml")):
        lines = path.read_text(encoding="utf-8").split("\n")
        head = [line[1:].strip() for line in lines[: next(k for k, line in enumerate(lines) if line[:1] != "#")]]
        out.append((path.stem, " ".join(head)))
    return out


def definition_path(path: str | Path) -> Path:
    """The path of a study file, or of a shipped study by its name."""
    p = Path(path)
    if p.suffix or p.exists():
        return p
    names = [name for name, _ in shipped_studies()]
    if str(p) not in names:
        raise ModelError(f"'{p}' is neither a study file nor a study shipped with Holonom{did_you_mean(str(p), names)}")
    return SHIPPED / f"{p}.yaml"


def read_study_file(path: str | Path) -> dict[str, Any]:
    """The contents of a study file, .yaml, .yml or .json.  Raises ModelError for what is not one, with the key."""
    p = Path(path)
    try:
        text = read_bounded(p, MOST_BYTES, "a study file is not").decode("utf-8")
    except UnicodeDecodeError:
        raise ModelError(f"'{p}' is not text in UTF-8") from None
    if p.suffix.lower() in (".yaml", ".yml"):
        data = parse_yaml(text, p, "studies")
    elif p.suffix.lower() == ".json":
        data = parse_json(text, p)
    else:
        raise ModelError(f"'{p}' is neither .json nor .yaml; a study file has one of these endings")
    if not isinstance(data, Mapping):
        raise ModelError(f"'{p}': a study file is a table with study, function or model, parameters and stages")
    for key in data:
        if key not in KEYS:
            raise ModelError(f"'{p}': unknown key {shown(key)}{did_you_mean(key, KEYS)}")
    if sum(word in data for word in SOURCES) != 1:
        raise ModelError(
            f"'{p}': give function ('file.py:name') or model (a dataset) or vehicle (a vehicle file), one of them"
        )
    stages = data.get("stages")
    if not isinstance(stages, list) or not stages:
        raise ModelError(f"'{p}': stages must be a list, as '- design: latin_hypercube'")
    for name in ("study", *SOURCES):
        if name in data and not isinstance(data[name], str):
            what = "the name of a file" if name != "function" else "a text, as 'beam.py:beam'"
            raise ModelError(f"'{p}': {name} must be {what}, got {shown(data[name])}")
    for k, stage in enumerate(stages, 1):
        if not isinstance(stage, Mapping) or next(iter(stage), None) not in STAGES:
            raise ModelError(f"'{p}': stage {k} must begin with one of {', '.join(STAGES)}, got {shown(stage)}")
        try:
            _check_stage(stage, data.get("measures"), p.resolve().parent)
        except ModelError as error:
            raise ModelError(f"'{p}', stage {k} ({next(iter(stage))}): {error}") from None
    return dict(data)


def _source(data: Mapping[str, Any], folder: Path) -> Any:
    """What a study file evaluates."""
    if "function" in data:
        return data["function"]
    if "model" in data:
        return str(folder / str(data["model"]))
    name = str(data["vehicle"])
    return read_vehicle(folder / name if (folder / name).exists() or Path(name).suffix else name)


def _store(path: Path, data: Mapping[str, Any], current: Path | None = None) -> Path:
    """The store of a study file: next to it, or of a shipped one in the current folder."""
    folder = path.resolve().parent
    place = (current or Path.cwd()) if folder == SHIPPED else folder
    return place / str(data.get("study", path.with_suffix(".study").name))


def store_path(path: str | Path, current: Path | None = None) -> Path:
    """The store that a study file names, or of a shipped study by its name; any other path as it is.  ``current``: the
    folder in which stores of shipped studies are, by default the current one."""
    p = Path(path)
    if p.suffix.lower() not in (".yaml", ".yml", ".json") and (p.suffix or p.exists()):
        return p
    p = definition_path(p)
    return _store(p, read_study_file(p), current)


def _parameters(path: Path, data: Mapping[str, Any], tell: Callable[[str], Any]) -> dict[str, Any] | None:
    """The parameters of a study file; ``tell`` is given what a list of two numbers means."""
    parameters = data.get("parameters")
    if parameters is None:
        return None
    if not isinstance(parameters, Mapping):
        raise ModelError(f"'{path}': parameters must be a table of name and bounds, got {shown(parameters)}")
    for name, given in parameters.items():
        if isinstance(given, list) and len(given) == 2 and all(map(is_number, given)):
            low, high = sorted(given)
            tell(
                f"parameter '{name}': {shown(given)} is a list of two choices; for all numbers between them write "
                f"{{bounds: [{low}, {high}]}}, for two choices without this message {{choices: {shown(given)}}}"
            )
    return {n: {"choices": v} if isinstance(v, list) else v for n, v in parameters.items()}


def design_model(path: str | Path, values: Mapping[str, Any], accept_changes: bool = False) -> Model | VehicleFile:
    """The model, or vehicle file, of a study file at values of its parameters, as those of its best run.  Its store is
    only read, so that the study may run meanwhile.  Raises ModelError for a study that evaluates a function which
    returns measures, for values that its parameters do not take, and unless ``accept_changes`` where the code or the
    files are not those of the last runs."""
    p = definition_path(path)
    data = read_study_file(p)
    folder = p.resolve().parent
    given: dict[str, Any] = {key: data[key] for key in ("measures", "analyses", "derived", "where") if key in data}
    given |= _files(data, folder)
    with tempfile.TemporaryDirectory() as place:
        store, source = Path(place) / "design.study", _source(data, folder)
        parameters = _parameters(p, data, lambda text: None)
        with Study(store, source, parameters, folder=folder, workers=0, progress=False, **given) as study:
            point = study.space.complete(values)
            if fault := study.space.fault(point) or study.rules.fault(point):
                raise ModelError(fault)
            if not accept_changes and (what := _changed(study, _store(p, data))):
                raise ModelError(
                    f"'{p}': {what} since the runs of the study, so this would be another design than theirs; run the "
                    "study again, or give accept_changes=True (--accept-changes of the command line)"
                )
            return study.model(point)


def _files(data: Mapping[str, Any], folder: Path) -> dict[str, list[Path]]:
    """The further files of a study file, as an argument of `Study`."""
    return {"files": [folder / str(f) for f in data["files"]]} if "files" in data else {}


def _changed(study: Study, path: Path) -> str:
    """In words: how code and files of a study differ from those of the last runs of a store.  Empty where they do not,
    and where there is no store."""
    if not path.is_file():
        return ""
    with Store(path) as held:
        known, mine = held.code(), study.store.code()
    if known is None or mine is None or known[0] == mine[0]:
        return ""
    return "; ".join(changes(known[1], mine[1])) or "its definition has changed"


def run_study_file(path: str | Path, *, resume: bool = False, accept_changes: bool = False, tell: Any = print) -> None:
    """Run the stages of a study file one after the other; finished runs are taken from its store, a file next to it.
    A shipped study is named without ending ("crane"), its store is in the current folder.

    ``resume``: the store must exist.  ``tell`` is given the outcome of each stage as text.  Raises ModelError for
    wrong contents, and as `Study`."""
    p = definition_path(path)
    data = read_study_file(p)
    folder, store = p.resolve().parent, _store(p, data)
    if resume and not store.exists():
        raise ModelError(f"there is no study '{store}' to resume; start it with 'holonom study run {p}'")
    source = _source(data, folder)
    options = {key: data[key] for key in OPTIONS if key in data} | _files(data, folder)
    parameters = _parameters(p, data, tell)
    with Study(
        store,
        source,
        parameters,
        measures=data.get("measures"),
        analyses=data.get("analyses"),
        folder=folder,
        accept_changes=accept_changes,
        definition=data,
        **options,
    ) as study:
        for k, stage in enumerate(data["stages"], 1):
            (word, target), *rest = stage.items()
            try:
                found = STAGES[word](study, target, dict(rest), folder)
            except ModelError as error:
                raise ModelError(f"'{p}', stage {k} ({word}): {error}") from None
            tell(f"stage {k}, {word}:\n{found.text() if hasattr(found, 'text') else found}")
