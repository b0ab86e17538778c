"""Optimisers without derivatives: evolution, swarms, patterns, annealing.

Constraints follow the rules of Deb (2000): a feasible design is better than an infeasible one, of two infeasible ones
the one of less violation.  Whole numbers and choices are cells of the unit cube, failed runs are worst.

"differential_evolution" is DE/rand/1/bin (Storn and Price, 1997). Genetic algorithm, particle swarm, NSGA-II (Deb et
al., 2002) and NSGA-III (Deb and Jain, 2014) are those of pymoo, the covariance matrix adaptation that of Hansen's
cma, dual annealing (Xiang et al., 1997) that of SciPy, the tree-structured Parzen estimator (Bergstra et al., 2011;
Watanabe, 2023) that of optuna.
"""

from __future__ import annotations

import importlib
import math
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from ..model import ModelError

if TYPE_CHECKING:
    from .optimize import Problem

TURNS = 4  # turned axes that are tried at an edge before shorter steps
PATIENCE = 30  # generations without a better design after which a search ends
WORST = 1e30  # of a failed run


def library(package: str, module: str, use: str, extra: str = "studies") -> Any:
    """A module of an optional package.  Raises ModelError that says how it is installed."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ModelError(f"{use} needs the package {package} ({error}); pip install holonom[{extra}]") from None


class _Patience:
    """Counts generations without a better design."""

    def __init__(self, problem: Problem, tolerance: float, most: int = PATIENCE) -> None:
        self.problem, self.tolerance, self.most, self.count = problem, tolerance, most, 0
        self.before: tuple[float, float] | None = None
        self.spread = math.inf  #: of the objective when progress was judged first

    def over(self) -> bool:
        """Whether there was no progress for too long; called once a generation."""
        best = self.problem.best
        now = None if best is None else best[:2]
        before = self.before
        if before is None:
            self.spread = self.problem.spread()
        if now is not None and (
            before is None
            or now[0] < before[0]
            or (
                now[0] == before[0]
                and before[1] - now[1] > self.tolerance * max(min(abs(before[1]), self.spread), 1e-12)
            )
        ):
            self.count, self.before = 0, now
        else:
            self.count += 1
        return self.count >= self.most

    def message(self, generations: str = "generations") -> tuple[bool, str]:
        """What a search returns that has ended."""
        good = self.problem.feasible
        return good, f"{'converged' if good else 'not converged'}: no better design in {self.most} {generations}"


def differential_evolution(problem: Problem, x0: np.ndarray, options: Mapping[str, Any]) -> tuple[bool, str]:
    """DE/rand/1/bin with dithered weights."""
    k = len(x0)
    size = options["population"] or max(20, 10 * k)
    rng = np.random.default_rng([problem.study.seed, 0xDE])
    slices = np.array([rng.permutation(size) for _ in range(k)]).T
    X = (slices + rng.random((size, k))) / size
    X[0] = x0
    mine = [problem.rank(row) for row in problem.rows(X)]
    spread = problem.spread()
    while True:
        F = 0.5 + 0.4 * rng.random(size)[:, None]
        donors = np.array([rng.choice(size - 1, 3, replace=False) for _ in range(size)])
        donors += donors >= np.arange(size)[:, None]
        a, b, c = X[donors.T]
        mutant = a + F * (b - c)
        # back into the cube, between the bound and the parent
        mutant = np.where(mutant < 0, 0.5 * X, np.where(mutant > 1, 0.5 * (1 + X), mutant))
        cross = rng.random((size, k)) < 0.9
        cross[np.arange(size), rng.integers(0, k, size)] = True
        trial = np.where(cross, mutant, X)
        theirs = [problem.rank(row) for row in problem.rows(trial)]
        for i in range(size):
            if theirs[i] <= mine[i]:
                X[i], mine[i] = trial[i], theirs[i]
        values = [f for v, f in mine if v == 0.0]
        least = min(values, default=0.0)
        if len(values) == size and max(values) - least <= options["tolerance"] * max(1e-12, min(abs(least), spread)):
            return True, "converged: all of the population have the same objective within the tolerance"


def pymoo_problem(problem: Problem, k: int) -> Any:
    """The problem as pymoo sees it: objectives to be minimised, constraints met where <= 0."""
    base = library("pymoo", "pymoo.core.problem", "this optimiser").Problem

    class Cube(base):  # type: ignore[misc, valid-type]
        def __init__(self) -> None:
            super().__init__(
                n_var=k, n_obj=len(problem.objectives), n_ieq_constr=problem.excess_count, xl=np.zeros(k), xu=np.ones(k)
            )

        def _evaluate(self, X: np.ndarray, out: dict[str, Any], *_: Any, **__: Any) -> None:
            rows = problem.rows(np.clip(np.atleast_2d(X), 0.0, 1.0))
            out["F"] = np.array([problem.values(r) if r.ok else [WORST] * len(problem.objectives) for r in rows])
            if problem.excess_count:
                out["G"] = np.array([problem.excesses(r) if r.ok else [WORST] * problem.excess_count for r in rows])

    return Cube()


def _ready(problem: Problem, k: int, algorithm: Any) -> Any:
    """An algorithm of pymoo that runs until it is stopped."""
    never = library("pymoo", "pymoo.core.termination", "this optimiser").NoTermination()
    return algorithm.setup(pymoo_problem(problem, k), termination=never, seed=problem.study.seed % 2**31, verbose=False)


def _first(problem: Problem, x0: np.ndarray, size: int) -> np.ndarray:
    """A first population: a Latin hypercube and the start."""
    rng = np.random.default_rng([problem.study.seed, 0xF1])
    slices = np.array([rng.permutation(size) for _ in x0]).T
    X = (slices + rng.random((size, len(x0)))) / size
    X[0] = x0
    return X


def genetic(problem: Problem, x0: np.ndarray, options: Mapping[str, Any]) -> tuple[bool, str]:
    """Genetic algorithm with simulated binary crossover and polynomial mutation."""
    module = library("pymoo", "pymoo.algorithms.soo.nonconvex.ga", "the genetic algorithm")
    size = options["population"] or max(50, 10 * len(x0))
    return _generations(problem, x0, options, module.GA(pop_size=size, sampling=_first(problem, x0, size)))


def particle_swarm(problem: Problem, x0: np.ndarray, options: Mapping[str, Any]) -> tuple[bool, str]:
    """Particle swarm with adaptive coefficients."""
    module = library("pymoo", "pymoo.algorithms.soo.nonconvex.pso", "the particle swarm")
    size = options["population"] or max(25, 5 * len(x0))
    return _generations(problem, x0, options, module.PSO(pop_size=size, sampling=_first(problem, x0, size)))


def _generations(problem: Problem, x0: np.ndarray, options: Mapping[str, Any], algorithm: Any) -> tuple[bool, str]:
    ready = _ready(problem, len(x0), algorithm)
    patience = _Patience(problem, options["tolerance"])
    while ready.has_next() and not patience.over():
        ready.next()
    return patience.message()


def pattern_search(problem: Problem, x0: np.ndarray, options: Mapping[str, Any]) -> tuple[bool, str]:
    """Pattern search (Hooke and Jeeves, 1961) from the start.  All steps along the coordinates are one batch; then the
    sum of those that are better, and further steps along the way that the search has taken.

    Where limits or failed runs end these steps, the coordinates may lead nowhere along the edge: steps along turned
    axes, other ones each time (as of mesh adaptive direct search: Audet and Dennis, 2006), come before shorter ones."""
    x = np.clip(x0, 0.0, 1.0)
    mine = problem.rank(problem.rows(x[None])[0])
    rng = np.random.default_rng(problem.study.seed)
    size, finest = 0.25, 1e-9
    turns, at_edge = len(x) > 1 and any(p.continuous for p in problem.space.parameters), False

    def best_of(X: np.ndarray) -> tuple[tuple[float, float], np.ndarray, list[tuple[float, float]]]:
        X = np.clip(X, 0.0, 1.0)
        ranks = [problem.rank(row) for row in problem.rows(X)]
        k = min(range(len(X)), key=lambda i: ranks[i])
        return ranks[k], X[k], ranks

    k = len(x)
    while size > finest:
        steps = size * np.vstack([np.eye(k), -np.eye(k)])
        rank, point, ranks = best_of(x + steps)
        at_edge = not rank < mine and any(r[0] > mine[0] for r in ranks)
        if at_edge and turns:
            for _ in range(TURNS):
                axes = np.linalg.qr(rng.standard_normal((k, k)))[0]
                steps = size * np.vstack([axes, -axes])
                rank, point, ranks = best_of(x + steps)
                if rank < mine:
                    break
        good = [
            steps[i] if ranks[i] <= ranks[i + k] else steps[i + k]
            for i in range(k)
            if min(ranks[i], ranks[i + k]) < mine
        ]
        if not good:
            size *= 0.5
            continue
        way = point - x
        mine, x, before = rank, point, x
        if len(good) > 1:
            rank, point, _ = best_of((before + np.sum(good, axis=0))[None])
            if rank < mine:
                way, mine, x = point - before, rank, point
        rank, point, _ = best_of(x + np.outer([1.0, 2.0, 4.0], way))
        if rank < mine:
            mine, x = rank, point
    met = problem.feasible
    message = f"{'converged' if met else 'not converged'}: the pattern has shrunk to {finest:g} of the ranges"
    if at_edge and turns:
        message += " at an edge of limits or failed runs, and may end short of the optimum; start another method there"
    return met, message


@contextmanager
def _without_log_files() -> Iterator[None]:
    """The augmented Lagrangian of cma writes a folder ``outcmaes`` into the working directory, whatever its options."""
    from cma import constraints_handler, logger

    before, constraints_handler._Logger = constraints_handler._Logger, logger.LoggerDummy
    try:
        yield
    finally:
        constraints_handler._Logger = before


def cma_es(problem: Problem, x0: np.ndarray, options: Mapping[str, Any]) -> tuple[bool, str]:
    """Covariance matrix adaptation; constraints by an augmented Lagrangian (Atamna, Auger and Hansen, 2017)."""
    with warnings.catch_warnings():  # of packages that cma would use for plots
        warnings.simplefilter("ignore")
        cma = library("cma", "cma", "CMA-ES")
    settings: dict[str, Any] = {
        "bounds": [0.0, 1.0],
        "seed": problem.study.seed % 2**31 + 1,
        "verbose": -9,
        "maxfevals": np.inf,
        "tolfun": 0.0,
        "tolfunhist": 0.0,
        "tolflatfitness": PATIENCE,
        "tolx": 1e-10,
        "tolstagnation": 0,
    }
    if options["population"]:
        settings["popsize"] = options["population"]
    search = cma.CMAEvolutionStrategy(np.clip(x0, 1e-6, 1.0 - 1e-6), 0.25, settings)
    row = lambda x: problem.rows(np.clip(np.asarray(x, float), 0.0, 1.0)[None])[0]
    cost = lambda x: problem.value(r) if (r := row(x)).ok else WORST
    judge: Callable[[Any], float] = cost
    if problem.limits:
        excess = lambda x: problem.excesses(r) if (r := row(x)).ok else [1e3] * problem.excess_count
        with warnings.catch_warnings():  # of a package for its records of convergence
            warnings.simplefilter("ignore")
            judge = cma.ConstrainedFitnessAL(cost, excess)
    patience = _Patience(problem, options["tolerance"], 10 * PATIENCE)
    with _without_log_files():
        while not search.stop() and not patience.over():
            X = search.ask()
            problem.rows(np.clip(np.array(X), 0.0, 1.0))  # one batch; the calls below are answered from memory
            search.tell(X, [judge(x) for x in X])
            if problem.limits:
                judge.update(search)  # type: ignore[attr-defined]
    if patience.count >= patience.most:
        return patience.message()
    good = problem.feasible
    return good, f"{'converged' if good else 'not converged'}: {', '.join(search.stop())} of CMA-ES"


def dual_annealing(problem: Problem, x0: np.ndarray, options: Mapping[str, Any]) -> tuple[bool, str]:
    """Generalised simulated annealing; constraints by a penalty above the worst feasible objective."""
    import inspect

    from scipy.optimize import dual_annealing as anneal

    highest = -math.inf

    def cost(x: np.ndarray) -> float:
        nonlocal highest
        row = problem.rows(np.clip(x, 0.0, 1.0)[None])[0]
        violation, value = problem.rank(row)
        if not row.ok:
            return WORST
        highest = max(highest, value)
        return value if violation == 0.0 else max(value, highest) + abs(highest) * violation + violation

    word = "rng" if "rng" in inspect.signature(anneal).parameters else "seed"
    found = anneal(
        cost,
        [(0.0, 1.0)] * len(x0),
        x0=x0,
        maxiter=10 * PATIENCE,
        no_local_search=True,
        **{word: np.random.default_rng([problem.study.seed, 0xDA])},
    )
    good = problem.feasible
    return (
        good,
        f"{'converged' if good else 'not converged'}: the annealing has cooled down after {found.nit} iterations",
    )


@contextmanager
def _silent_optuna(optuna: Any) -> Iterator[None]:
    """Without the lines that optuna writes about each study, and warnings on what is experimental there."""
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        optuna.logging.set_verbosity(before)


def parzen(problem: Problem, x0: np.ndarray, options: Mapping[str, Any]) -> tuple[bool, str]:
    """Tree-structured Parzen estimator of optuna, for expensive runs: batches of ``population`` designs (8) where good
    ones are dense and bad ones are not.  Choices and whole numbers are its own types; failed runs are left out."""
    optuna = library("optuna", "optuna", "this optimiser", extra="optuna")
    size, parameters = options["population"] or 8, problem.space.parameters

    def proposed(trial: Any) -> np.ndarray:
        shares = []
        for p in parameters:
            if p.choices is not None:
                shares.append(p.share(p.choices[trial.suggest_categorical(p.name, range(len(p.choices)))]))
            elif p.integer and p.bounds is not None:
                shares.append(p.share(trial.suggest_int(p.name, int(p.bounds[0]), int(p.bounds[1]))))
            else:
                shares.append(trial.suggest_float(p.name, 0.0, 1.0))
        return np.array(shares)

    start = {}
    for p, s in zip(parameters, x0):
        value = p.at(s)
        start[p.name] = p.choices.index(value) if p.choices is not None else int(value) if p.integer else float(s)
    with _silent_optuna(optuna):
        sampler = optuna.samplers.TPESampler(seed=problem.study.seed % 2**32, multivariate=True)
        search = optuna.create_study(direction="minimize", sampler=sampler)
        search.enqueue_trial(start)
        patience = _Patience(problem, options["tolerance"])
        while not patience.over():
            trials = [search.ask() for _ in range(size)]
            rows = problem.rows(np.array([proposed(trial) for trial in trials]))
            for trial, row in zip(trials, rows):
                if not row.ok:
                    search.tell(trial, state=optuna.trial.TrialState.FAIL)
                    continue
                for k, excess in enumerate(problem.excesses(row)):
                    trial.set_constraint(str(k), excess)
                search.tell(trial, problem.value(row))
    return patience.message(f"batches of {size}")


def nsga2(problem: Problem, x0: np.ndarray, options: Mapping[str, Any]) -> tuple[bool, str]:
    """NSGA-II, until the budget of runs is spent."""
    module = library("pymoo", "pymoo.algorithms.moo.nsga2", "NSGA-II")
    size = options["population"] or 100
    return _to_the_end(problem, x0, module.NSGA2(pop_size=size, sampling=_first(problem, x0, size)))


def nsga3(problem: Problem, x0: np.ndarray, options: Mapping[str, Any]) -> tuple[bool, str]:
    """NSGA-III with directions of Das and Dennis, as many as fit into the population."""
    module = library("pymoo", "pymoo.algorithms.moo.nsga3", "NSGA-III")
    directions = library("pymoo", "pymoo.util.ref_dirs", "NSGA-III").get_reference_directions
    size, count = options["population"] or 100, len(problem.objectives)
    parts = 1
    while math.comb(parts + count, count - 1) <= size:
        parts += 1
    return _to_the_end(
        problem,
        x0,
        module.NSGA3(
            ref_dirs=directions("das-dennis", count, n_partitions=parts),
            pop_size=size,
            sampling=_first(problem, x0, size),
        ),
    )


def _to_the_end(problem: Problem, x0: np.ndarray, algorithm: Any) -> tuple[bool, str]:
    ready = _ready(problem, len(x0), algorithm)
    size = algorithm.pop_size
    generations = max(problem.most // size, 1)
    for _ in range(generations):
        ready.next()
    return True, f"{generations} generations of {size}"
