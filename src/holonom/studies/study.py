"""A study: parameters, a function or a model, a store, and stages in it (designs, optimisations, ...).

A stage is a method that requests batches of runs in a fixed order.  Run ``n`` of a stage is the n-th that its method
requested.  To resume, the method runs again from its beginning: runs that the store has are answered from it, the
others are computed.  A method is a deterministic function of its options, its seed and the answers, so it takes the
same decisions, and a study that was killed ends as one that was not, to the last bit.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..formats.model_file import MODEL_FILES, read_model
from ..model import Model, ModelError
from ..model.base import did_you_mean, shown
from ..model.calls import Guided, explained
from ..model.kinds import is_number, is_whole
from ..results.files.targets import named_path
from .cluster import DaskPool
from .formulas import Rules
from .functions import READ, changes, fingerprint, target_of, values_read
from .keeping import Keeper, as_keep
from .live import LiveTable
from .live import wanted as shown_live
from .parameters import Point, Space, StudyParameter, plain
from .pool import Pool, loaded
from .reasons import reason
from .results import Results
from .store import FAILED, OK, REFUSED, Row, Store, digest
from .vehicles import is_vehicle, vehicle_job
from .worker import LOADING, UNKEPT

if TYPE_CHECKING:
    from distributed import Client

    from ..vehicle.vehicle_file import VehicleFile
    from .diagnosis import Diagnosis
    from .identification import Identification
    from .optimize import Optimum
    from .pareto import Front
    from .reliability import Reliability, SampledReliability, WorstCase
    from .robust import RobustOptimum
    from .sensitivity import Sensitivity, Tornado
    from .surrogate import Verified
    from .tolerances import Allocation

CHUNK = 1000  # runs of a design that are handed out at once: memory does not grow with the design
MOST_SEED = 2**63 - 1
RELIABILITY = ("low", "high", "method", "second_order", "tolerance", "checks", "count")
SURROGATE = ("subject_to", "maximize", "design", "kind", "rounds", "tolerance")
FIT_OPTIONS = ("start", "starts", "level", "derivatives", "step", "tolerance", "max_steps")
FAULT_OPTIONS = ("most", "level", "derivatives", "step", "tolerance", "max_steps")


class AllRunsFailed(ModelError):
    """A stage stopped because none of its first runs succeeded."""


class Study(Guided):
    """Runs of a function or a model over parameters, kept in a file.

    ``store``: the file, ``"suspension.study"``; one that exists is continued.  ``evaluate``: a function that takes a
    dictionary of values and returns a dictionary of measures (numbers); with an argument ``seed`` it is given the seed
    of its run.  It is a function of a file or module, or its name, ``"file.py:function"``: worker processes import it.
    With ``measures`` (name -> `Measure`) it returns a `Model` instead, on which ``analyses`` run, each a table
    ``{"kind": "dynamics", "end": 1.0, "steps": 100}`` of options of `simulate` (kind "linear": of `linearize`).  Then
    ``evaluate`` may be a `Model` or the path of a model file (.adm, .cmd, .json, .urdf, ...) too, whose parameters and
    numbers `Model.with_parameters` sets, or a `vehicle.VehicleFile`, whose addresses are paths of its file
    ("front.hardpoints.tie_rod_inner.2"), with measures of axles and manoeuvres (`vehicles.vehicle_job`).

    ``gradients``: measures with ``expression=True`` have exact derivatives (three runs each), which optimisers use;
    they are total ones, through derived parameters.  A function may return its own, as measures named "d f/d x".

    ``parameters``: name -> (low, high), [choices], a number, a distribution or a `StudyParameter`; of a model by
    default its own parameters that have bounds. ``derived``: name -> formula of parameters, ``{"c": "2 * sqrt(k *
    m)"}``, given to the function or the model like a parameter. ``where``: constraints between parameters, ``["a + b
    <= 1"]``; points that do not meet them are refused before they run. ``seed``: of all random numbers. ``workers``:
    processes, by default one for each processor; 0: runs in this process, needed for functions that another process
    cannot import. ``runner``: "dask://host:8786" (or a `distributed.Client`): a Dask cluster computes the runs
    (`cluster`). ``time_limit``: wall-clock seconds of a run; ``memory_limit``: bytes of a worker; ``retries``:
    further attempts of a run whose process died. ``stop_after``: a stage none of whose first runs succeeds stops
    after that many. ``keep``: which runs keep their full results in the folder "NAME.study.runs": "all", "failed",
    "none", or a table ``{"rule": "best", "measure": "load", "count": 5, "size": 1e9}`` (`keeping.Keep`); a function
    with an argument ``keep`` is given the path of its file, or None. ``files``: further files that the function reads,
    whose changes count. ``accept_changes``:
    continue although code or files differ from those of the runs in the store. ``progress``: a table of runs, rate,
    ranges of measures and failures while runs are computed; by default in a terminal and in a notebook.

    Raises ModelError for what contradicts itself, for a store of another study or version, and where code has changed.

        study = hn.Study("pendulum.study", swing, {"length": (0.25, 1.0)}, workers=2)
        table = study.run(hn.studies.latin_hypercube(64))
    """

    #: of one whose arguments are refused there is nothing to close
    _store: Store | None = None
    _pool: Pool | DaskPool | None = None

    @partial(explained, name="Study", bound=True)
    def __init__(
        self,
        store: str | os.PathLike,
        evaluate: Callable[..., Any] | Model | str | os.PathLike,
        parameters: Mapping[str, Any] | Iterable[Any] | Space | None = None,
        *,
        measures: Mapping[str, Any] | None = None,
        analyses: Any = None,
        gradients: bool = False,
        derived: Mapping[str, str] | None = None,
        where: Sequence[str] | None = None,
        seed: int = 0,
        workers: int | None = None,
        runner: str | Client | None = None,
        time_limit: float | None = None,
        memory_limit: float | None = None,
        retries: int = 2,
        stop_after: int = 20,
        keep: Any = "none",
        files: Sequence[str | os.PathLike] = (),
        accept_changes: bool = False,
        progress: bool | None = None,
        definition: Mapping[str, Any] | None = None,
        folder: str | os.PathLike | None = None,
    ) -> None:
        if getattr(sys.modules.get("__main__"), LOADING, False):
            raise ModelError(
                "a worker process imports this script for its function, and the script starts the study again; "
                "put the study under if __name__ == '__main__':"
            )
        if parameters is None:
            parameters = _own_parameters(evaluate)
        self.space = parameters if isinstance(parameters, Space) else Space(parameters)
        self.rules = Rules(self.space.names, derived, where)
        if not is_whole(seed) or not 0 <= seed <= MOST_SEED:
            raise ModelError(f"study: seed must be a whole number from 0, got {shown(seed)}")
        for word, value in (("time_limit", time_limit), ("memory_limit", memory_limit)):
            if value is not None and not (is_number(value) and value > 0):
                raise ModelError(f"study: {word} must be a number above zero, got {shown(value)}")
        for word, table in (("definition", definition), ("measures", measures)):
            if table is not None and not isinstance(table, Mapping):
                raise ModelError(f"study: {word} must be a table, got {shown(table)}")
        for word, value in (("workers", workers), ("retries", retries), ("stop_after", stop_after)):
            if value is not None and not (is_whole(value) and value >= 0):
                raise ModelError(f"study: {word} must be a whole number from 0, got {shown(value)}")
        self.seed, self.stop_after = int(seed), int(stop_after)
        self.keep = as_keep(keep)
        if progress not in (True, False, None):
            raise ModelError(f"study: progress is {shown(progress)}; choose True, False or None")
        self.progress = shown_live(progress)
        function = evaluate if callable(evaluate) else None
        model = isinstance(evaluate, Model) or _is_dataset(evaluate) or is_vehicle(evaluate)
        target = None if model else target_of(evaluate, Path(folder) if folder else None)  # type: ignore[arg-type]
        source = evaluate if model else target
        self.job, extra = _job(source, measures, analyses, Path(folder or "."), self.space, self.rules, bool(gradients))
        self.job |= self.rules.to_json()
        self.rules.distinct(self.job.get("measures") or ())
        if runner is not None and workers is not None:
            raise ModelError("study: workers are those of the cluster where runner is given; give one of both")
        if workers is None:
            workers = os.cpu_count() or 1
        for word, value in (("time_limit", time_limit), ("memory_limit", memory_limit)):
            if value is not None and runner is None and workers == 0:
                raise ModelError(
                    f"study: {word} ends the worker process of a run, and with workers=0 there is none; give "
                    "workers=1 or more, or leave it out"
                )
        if workers and target is None and not model:
            raise ModelError(
                f"study: worker processes cannot import {shown(getattr(evaluate, '__qualname__', evaluate))}; "
                "put it into a file, or run with workers=0"
            )
        if isinstance(files, (str, os.PathLike)) or not isinstance(files, Iterable):
            raise ModelError(f"study: files is {shown(files)}; give a list of paths, as ['data.csv']")
        for path in files:
            named_path(path, "study: files are paths", "data.csv")
        paths = tuple(Path(f) for f in (*extra, *files))
        for path in paths:
            if not path.is_file():
                raise ModelError(f"study: there is no file '{path}'")
        known = self.job.get("measures")
        if known and self.keep.measure and self.keep.measure not in known:
            wanted = self.keep.measure
            raise ModelError(f"keep: there is no measure {shown(wanted)}{did_you_mean(wanted, known)}")
        parts = fingerprint(target, function, paths) | _definition(self.job)
        self._limits: dict[str, Any] = {"time_limit": time_limit, "memory_limit": memory_limit, "retries": int(retries)}
        self._store = Store(store, write=True)
        try:
            self._begin(parts, accept_changes, definition)
        except BaseException:
            self.close()
            raise
        # not a part of the definition: what the function reads of its module here, which workers compare with theirs
        job = self.job | ({"read": read} if target and function is not None and (read := values_read(function)) else {})
        if runner is None:
            self._pool = Pool(job, int(workers), function=function, **self._limits)
            return
        try:
            own = fingerprint(target, None, paths)
            self._pool = DaskPool(job, runner, parts=own, files=paths, function=function, **self._limits)
        except BaseException:
            self.close()
            raise

    def _begin(self, parts: dict[str, str], accept: bool, definition: Mapping[str, Any] | None) -> None:
        """Compare the definition and the code with those of the store, or write them there."""
        store = self.store
        mine = json.dumps(self.space.to_json())
        held = store.meta("parameters")
        code = digest(parts)
        if held is None:
            store.set_meta("parameters", mine)
            store.set_meta("seed", str(self.seed))
            store.set_meta("definition", json.dumps(definition or {}))
        elif held != mine:
            raise ModelError(
                f"'{store.path}' holds a study of other parameters: {_difference(json.loads(held), json.loads(mine))}; "
                "give another store"
            )
        elif store.meta("seed") != str(self.seed):
            raise ModelError(
                f"'{store.path}' holds a study with seed {store.meta('seed')}, not {self.seed}; give another store"
            )
        known = store.code()
        if known is not None and (READ in known[1]) != (READ in parts):
            # the function was given in one session, its name in the other: what both have is compared
            common = [{k: v for k, v in p.items() if k != READ} for p in (known[1], parts)]
            if common[0] == common[1]:
                self.code = known[0]
                return
        if known is not None and known[0] != code:
            what = "; ".join(changes(known[1], parts)) or "its definition has changed"
            if not accept:
                raise ModelError(
                    f"'{store.path}' holds runs of other code: {what}; give another store, or accept_changes=True "
                    "(--accept-changes of the command line) to continue with runs of both"
                )
            store.accept(code, parts, what)
        elif known is None:
            store.accept(code, parts, "")
        self.code = code

    # ---- the file ---------------------------------------------------------------------------------------------------
    @property
    def store(self) -> Store:
        """The open file.  Raises ModelError after `close`."""
        if self._store is None:
            raise ModelError("the study is closed; open it again with the same arguments")
        return self._store

    @property
    def path(self) -> Path:
        """Path of the file."""
        return self.store.path

    def close(self) -> None:
        """End the worker processes and release the file."""
        if self._pool is not None:
            self._pool.close()
        if self._store is not None:
            self._store.close()
            self._store = None

    def __enter__(self) -> Study:
        if self._store is None:
            raise ModelError("the study is closed; open it again with the same arguments")
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    def cancel(self) -> None:
        """End the stage that runs (from another thread) with `pool.Cancelled`; finished runs are kept."""
        if self._pool is not None:
            self._pool.cancelled = True

    def results(self, stage: int | None = None) -> Results:
        """All finished runs, or those of a stage, as a table."""
        return Results(self.store, self.space, stage)

    def model(self, values: Mapping[str, Any] | None = None) -> Model | VehicleFile:
        """The model, or vehicle file, at values of the parameters, by default nominal ones, as the best design of an
        optimiser, ``study.model(found.parameters)``.  Raises ModelError where the study has none."""
        if self.job["kind"] == "function":
            raise ModelError("the study evaluates a function that returns measures; it has no model")
        assert self._pool is not None
        simulated = loaded(self.job, self._pool.function).simulated
        return simulated.variant(self.rules.extended(self.space.complete(values or {})))

    def status(self) -> str:
        """Stages and their runs, failures with their sentences, as text."""
        return Results(self.store, self.space).status()

    # ---- stages -----------------------------------------------------------------------------------------------------
    def stage(self, name: str, options: Mapping[str, Any]) -> Stage:
        """A stage of the store: one of the same name and options is continued, else a new one begins."""
        assert self._pool is not None
        options = dict(options)
        key = digest([name, options])
        self._pool.cancelled = False
        return Stage(self, self.store.stage(key, name, options), key, name)

    def run(self, design: Any) -> Results:
        """Run all points of a design (`designs`): a `Design`, or a list of points, each a dictionary of values (nominal
        ones where it has none).  Returns their table, failed runs with their sentences.  Raises `AllRunsFailed` where
        none of the first runs succeeds."""
        from .designs import Design, as_design

        made = design if isinstance(design, Design) else as_design(design)
        points = made.points(self.space, self.seed)
        stage = self.stage(made.name, made.options)
        for _ in stage.each(points):
            pass
        stage.conclude({"runs": len(points)})
        return self.results(stage.number)

    def sensitivity(self, method: str = "sobol", **options: Any) -> Sensitivity:
        """Indices of sensitivity of the measures by the parameters: see `sensitivity.sensitivity`."""
        from .sensitivity import sensitivity

        known_options(options, ("count", "measures", "second_order"), "sensitivity")
        return sensitivity(self, method, **options)

    def optimize_on_surrogate(self, objective: str, **options: Any) -> Verified:
        """Optimise on surrogates and verify on the model, in turns: see `surrogate.optimize_on_surrogate`."""
        from .surrogate import optimize_on_surrogate

        known_options(options, SURROGATE, "optimize_on_surrogate")
        return optimize_on_surrogate(self, objective, **options)

    def tornado(self, share: float = 0.9) -> Tornado:
        """Measures with one parameter at a time at its ends: see `sensitivity.tornado`."""
        from .sensitivity import tornado

        return tornado(self, share)

    def reliability(self, measure: str, **options: Any) -> Reliability | SampledReliability:
        """Probability that a measure is beyond a limit, by FORM and SORM, or by subset simulation: see
        `reliability.reliability`."""
        from .reliability import reliability

        known_options(options, RELIABILITY, "reliability")
        return reliability(self, measure, **options)

    def worst_case(self, measure: str, max_runs: int = 1000) -> WorstCase:
        """The extremes of a measure within the bounds: see `reliability.worst_case`."""
        from .reliability import worst_case

        return worst_case(self, measure, max_runs=max_runs)

    def minimize(self, objective: str | Sequence[str], **options: Any) -> Optimum:
        """The least value of a measure, under constraints: see `optimize.optimize`."""
        from .optimize import OPTIONS, optimize

        known_options(options, OPTIONS, "optimiser")
        return optimize(self, objective, **options)

    def minimize_robust(self, objective: str, **options: Any) -> RobustOptimum:
        """The design with the least mean plus sigmas, or worst case, of a measure: see `robust.optimize_robust`."""
        from .robust import OPTIONS, optimize_robust

        known_options(options, OPTIONS, "robust optimisation")
        return optimize_robust(self, objective, **options)

    def maximize_robust(self, objective: str, **options: Any) -> RobustOptimum:
        """The design with the largest mean minus sigmas, or worst case, of a measure: see `robust.optimize_robust`."""
        from .robust import OPTIONS, optimize_robust

        known_options(options, OPTIONS, "robust optimisation")
        return optimize_robust(self, objective, maximize=True, **options)

    def allocate_tolerances(self, limits: Mapping[str, Any], costs: Mapping[str, Any], **options: Any) -> Allocation:
        """The cheapest tolerances with which measures stay within limits: see `tolerances.allocate_tolerances`."""
        from .tolerances import OPTIONS, allocate_tolerances

        known_options(options, OPTIONS, "tolerance allocation")
        return allocate_tolerances(self, limits, costs, **options)

    def pareto(self, objectives: Mapping[str, str], **options: Any) -> Front:
        """The designs of which none is better in all objectives, {"mass": "min", "range": "max"}: see
        `pareto.pareto`."""
        from .pareto import PARETO_OPTIONS, pareto

        known_options(options, PARETO_OPTIONS, "pareto")
        return pareto(self, objectives, **options)

    def identify(self, curves: Any, *, candidates: Sequence[Any] = (), **options: Any) -> Identification:
        """Parameters of this study from measured curves (a `Curve` or a list of them), as `identification.identify`.

        The function of the study returns the outputs that the curves name; of a model the first analysis runs.  Runs
        are computed in this process and are not kept; the file holds the outcome.  Raises ModelError as `identify`."""
        from .identification import identify

        known_options(options, FIT_OPTIONS, "identification")
        experiment = self._experiment(curves, candidates)
        found = identify(experiment, self.space, **options)
        self._conclude("identification", experiment, options, found.parameters, found.text())
        return found

    def diagnose(
        self, curves: Any, *, faults: Sequence[str] | None = None, candidates: Sequence[Any] = (), **options: Any
    ) -> Diagnosis:
        """The faults that explain measured curves, as `diagnosis.diagnose`.  ``faults``: names of parameters, whose
        nominal values are the healthy ones, by default all that vary; the others are further unknowns.  Otherwise as
        `identify`."""
        from .diagnosis import diagnose

        known_options(options, FAULT_OPTIONS, "diagnosis")
        experiment = self._experiment(curves, candidates)
        varied = {p.name: p for p in self.space.parameters if p.varies}
        names = list(varied) if faults is None else list(faults)
        for name in names:
            if name not in varied:
                raise ModelError(
                    f"diagnosis: there is no parameter {shown(name)} with bounds{did_you_mean(name, varied)}"
                )
        others = {p.name: p for p in self.space.parameters if p.name not in names}
        found = diagnose(experiment, {n: varied[n] for n in names}, others, **options)
        self._conclude("diagnosis", experiment, options | {"faults": names}, found.best.sizes, found.text())
        return found

    def _experiment(self, curves: Any, candidates: Sequence[Any]) -> Any:
        """Curves with what the study evaluates."""
        from .curves import Experiment

        assert self._pool is not None
        if self.rules.to_json():
            raise ModelError("identification has no derived parameters and no constraints between parameters")
        if self.job["kind"] == "vehicle":
            raise ModelError("identification needs a model or a function that returns curves, not a vehicle file")
        made = loaded(self.job, self._pool.function)
        if self.job["kind"] == "function":
            assert made.function is not None
            return Experiment(made.function, curves, candidates=candidates)
        analysis = {k: v for k, v in self.job["analyses"][0].items() if k != "name"}
        source = made.simulated.model if made.simulated.model is not None else made.simulated.build
        return Experiment(source, curves, analysis, candidates=candidates)

    def _conclude(
        self, name: str, experiment: Any, options: Mapping[str, Any], parameters: Mapping[str, float], text: str
    ) -> None:
        """Keep the outcome of a fit as a stage of the file."""
        measured = [[c.of, digest([c.times.tolist(), c.values.tolist()])] for c in experiment.curves]
        stage = self.stage(name, {"curves": measured, **options})
        stage.conclude({"parameters": {n: plain(v) for n, v in parameters.items()}, "message": text})

    def maximize(self, objective: str, **options: Any) -> Optimum:
        """The largest value of a measure, under constraints: see `optimize.optimize`."""
        from .optimize import OPTIONS, optimize

        known_options(options, OPTIONS, "optimiser")
        return optimize(self, objective, maximize=True, **options)


class Stage:
    """One stage of a study while its method runs."""

    def __init__(self, study: Study, number: int, key: str, name: str = "") -> None:
        self.study, self.number, self.key = study, number, key
        self.position = 0  #: runs that the method has requested
        self.succeeded = 0
        self.failures: dict[str, tuple[int, str]] = {}  #: reason -> runs, sentence of the first
        self._live = LiveTable(study.progress, name)
        self.planned = 0  #: runs that the method is known to request, where more than so far
        self._keeper = Keeper(study.keep, study.path, number)
        self._keeper.begin(study.store.rows(number))

    def seed_of(self, number: int) -> int:
        """Seed of a run: a function of study, stage and number alone."""
        words = [self.study.seed, int(self.key[:8], 16), number]
        return int(np.random.SeedSequence(words).generate_state(1, np.uint64)[0] >> np.uint64(1))

    def evaluate(self, points: Sequence[Mapping[str, Any]], beyond: Collection[str] = ()) -> list[Row]:
        """The next runs of this stage, in the order of ``points``: from the store, or computed.  ``beyond``: parameters
        whose values may be outside of their bounds, since they scatter about one within.

        Raises ModelError where the store has runs of other parameters at these numbers, `AllRunsFailed` and
        `pool.Cancelled`."""
        study, store = self.study, self.study.store
        assert study._pool is not None
        first = self.position
        self.position += len(points)
        wanted: list[Point] = [study.space.complete(p) for p in points]
        rows = {row.number: row for row in store.rows(self.number, first, first + len(wanted))}
        for number, row in rows.items():
            if row.parameters != wanted[number - first]:
                raise ModelError(
                    f"run {number} of the store '{store.path}' has {_values(row.parameters)}, but the method requests "
                    f"{_values(wanted[number - first])}: another version of a library, or another machine; give "
                    "another store"
                )
            self._count(row)
        tasks = []
        for k, point in enumerate(wanted):
            number = first + k
            if number in rows:
                continue
            if fault := study.space.fault(point, beyond) or study.rules.fault(point):
                rows[number] = self._keep(Row(number, point, message=fault, status=REFUSED, attempts=0), None)
            else:
                tasks.append((number, study.rules.extended(point), self.seed_of(number), self._keeper.stem(number)))

        def done(task: Any, found: dict[str, Any]) -> None:
            measures = found.get("measures") or {}
            point = wanted[task[0] - first]
            study.rules.distinct(measures, [name for name, value in measures.items() if point.get(name) == value])
            if found["status"] == UNKEPT:
                self._keeper.forget(task[0])
                raise ModelError(
                    f"run {task[0]} cannot write its files: {found['message']}; finished runs are kept, run the study "
                    "again when this is fixed"
                )
            rows[task[0]] = self._keep(Row(task[0], wanted[task[0] - first], seed=task[2]), found)

        if tasks:
            study._pool.run(tasks, done, lambda task, reason: store.add_loss(self.number, task[0], reason))
        return [rows[first + k] for k in range(len(wanted))]

    def each(self, points: Sequence[Mapping[str, Any]]) -> Iterator[Row]:
        """`evaluate` in parts, one row after the other: memory does not grow with the number of points."""
        self.planned = self.position + len(points)
        self.study.store.plan(self.number, self.planned)
        for first in range(0, len(points), CHUNK):
            yield from self.evaluate(points[first : first + CHUNK])

    def _keep(self, row: Row, found: dict[str, Any] | None) -> Row:
        """Append a run that has just ended."""
        row.code = self.study.code
        for key, value in (found or {}).items():
            setattr(row, key, value)
        self.study.store.add(self.number, row)
        self._keeper.settle(row)
        self._count(row)
        self._live.show(self, row.measures, max(self.planned, self.position))
        return row

    def _count(self, row: Row) -> None:
        """Raise `AllRunsFailed` where no run succeeds."""
        if row.status == OK:
            self.succeeded += 1
            return
        assert row.status in (FAILED, REFUSED)
        key = reason(row.message)
        count, sentence = self.failures.get(key, (0, row.message))
        self.failures[key] = count + 1, sentence
        failed = sum(count for count, _ in self.failures.values())
        if self.study.stop_after and not self.succeeded and failed >= self.study.stop_after:
            count, sentence = self.commonest()
            raise AllRunsFailed(
                f"none of the first {failed} runs succeeded; {count} of them: {sentence}. Correct this and start again "
                "with another store, or set stop_after=0"
            )

    def commonest(self) -> tuple[int, str]:
        """The commonest reason why runs failed: how many, and the sentence of the first; (0, "") where none did."""
        return max(self.failures.values(), key=lambda found: found[0], default=(0, ""))

    def conclude(self, outcome: Mapping[str, Any]) -> None:
        """Write what the method concluded; the stage is finished."""
        self._live.end(self)
        self.study.store.conclude(self.number, {k: plain(v) for k, v in outcome.items()})


def _is_dataset(evaluate: Any) -> bool:
    return isinstance(evaluate, (str, os.PathLike)) and str(evaluate).lower().endswith(MODEL_FILES)


def _own_parameters(evaluate: Any) -> dict[str, Any]:
    """Parameters of a model that have bounds; of an Adams View command file its design variables."""
    if _is_dataset(evaluate) and str(evaluate).lower().endswith(".cmd"):
        evaluate = read_model(Path(evaluate), parameters=True)
    if not isinstance(evaluate, Model):
        raise ModelError("study: give parameters={'name': (low, high)}")
    out = {}
    for name, p in evaluate.parameters.items():
        if p.size == 1 and p.low is not None and p.high is not None:
            out[name] = StudyParameter(name, p.value, (float(p.low), float(p.high)), p.unit)
    if not out:
        raise ModelError(f"study: model '{evaluate.name}' has no parameter with bounds; give low and high to its own")
    return out


def _job(
    source: Any, measures: Any, analyses: Any, folder: Path, space: Space, rules: Rules, gradients: bool
) -> tuple[dict[str, Any], list[Path]]:
    """What a worker computes, as JSON can hold it; and the files that it reads."""
    if is_vehicle(source):
        return vehicle_job(source, measures, analyses, space)
    if measures is not None:
        from .simulation import model_job

        return model_job(source, measures, analyses, folder, space, gradients, rules.to_json())
    if gradients:
        raise ModelError("study: gradients are of measures of a model; a function may return derivatives, 'd f/d x'")
    if analyses is not None:
        raise ModelError("study: analyses need measures of their results; give measures={'name': Measure(...)}")
    if source is not None and not isinstance(source, dict):
        raise ModelError("study: a model needs measures of its results; give measures={'name': Measure(...)}")
    return {"kind": "function", "target": source}, []


#: keys of a job by what a message about their change calls them
PARTS = {
    "target": "the name of the function",
    "model": "the model",
    "dataset": "the name of the model file",
    "vehicle": "the vehicle",
    "analyses": "the list of analyses",
    "measures": "the table of measures",
    "addresses": "the table of addresses",
    "gradients": "the argument gradients",
    "derived": "the table of derived parameters",
    "where": "the list of constraints between parameters (where)",
}


def _definition(job: Mapping[str, Any]) -> dict[str, str]:
    """Hashes of what a study evaluates, by names for messages."""
    return {PARTS.get(k, f"the {k} of the study"): digest(v) for k, v in _without_paths(job).items()}


def _without_paths(job: Mapping[str, Any]) -> dict[str, Any]:
    """A job without the folders of this machine: a study may move."""
    out = dict(job)
    target = dict(out.get("target") or {})
    if target.get("file"):
        target["file"] = Path(target["file"]).name
    out.pop("folder", None)
    return out | {"target": target} | ({"dataset": Path(out["dataset"]).name} if out.get("dataset") else {})


def _values(point: Mapping[str, Any]) -> str:
    """Values in a message, with all digits."""
    return ", ".join(f"{k} = {v!r}" for k, v in list(point.items())[:4]) + (" ..." if len(point) > 4 else "")


def _difference(held: list[dict[str, Any]], mine: list[dict[str, Any]]) -> str:
    """What differs between two lists of parameters, in words."""
    old, new = ({p["name"]: p for p in rows} for rows in (held, mine))
    out = [f"'{n}' is only in the store" for n in old if n not in new]
    out += [f"'{n}' is not in the store" for n in new if n not in old]
    for name in old:
        if name in new:
            keys = [k for k in {**old[name], **new[name]} if old[name].get(k) != new[name].get(k)]
            out += [f"{k} of '{name}' was {shown(old[name].get(k))}" for k in keys]
    return ", ".join(out) or "in another order"


def known_options(given: Mapping[str, Any], known: Iterable[str], where: str) -> None:
    """Raise ModelError for an option that a method does not have."""
    known = list(known)
    for key in given:
        if key not in known:
            raise ModelError(f"{where}: there is no option {shown(key)}{did_you_mean(key, known)}")
