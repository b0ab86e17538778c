"""Optimisers of studies on the mechanical problems of the CEC 2020 real-world constrained set (RC15 to RC33): value,
error against the best known one, largest violation and number of runs, next to the published success rate.

    make bench CASE=studies                                   all problems, every optimiser that is installed
    make bench CASE=studies ARGS="15 20 slsqp cma_es 20000"   some problems, some optimisers, a budget of runs

    make bench CASE=studies ARGS="reliability"                the numbered reliability problems by FORM, SORM and subset
                                                              simulation, over the probability by an integral

    make bench CASE=studies ARGS="kill 20000 50"              a study of 20,000 runs whose process is killed 50 times at
                                                              random, compared with the undisturbed one

    make bench CASE=studies ARGS="scaling 2000"               overhead of runs of 50 ms, with 1 and 2 workers, local and
                                                              of Dask, and with 100 workers of which some are slow and
                                                              some runs end their process

"polished" is differential evolution, followed by slsqp from its best design where all parameters are continuous.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import holonom as hn
from holonom.model import ModelError
from holonom.studies.optimize import METHODS

from .run import ROOT, machine, versions

sys.path.insert(0, str(ROOT / "tests" / "studies"))
from _cec2020 import CASES  # noqa: E402
from _reliability_problems import PROBLEMS  # noqa: E402

BUDGET = 10_000
SUCCESS = 1e-6  # relative error that counts as solved


def solve(case, method: str, budget: int) -> str:
    """One line of a table: what a method found."""
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        made = dict(workers=0, seed=1, stop_after=0, progress=False)
        with hn.Study(Path(folder) / "a.study", case, case.parameters, **made) as study:
            limits = case.limits()
            first = "differential_evolution" if method == "polished" else method
            try:
                found = study.minimize("f", subject_to=limits, method=first, max_runs=budget)
                runs = found.runs
                if method == "polished" and all(p.continuous for p in case.parameters):
                    better = study.minimize("f", subject_to=limits, start=found.parameters, max_runs=budget)
                    runs += better.runs
                    found = better if better.feasible >= found.feasible else found
            except ModelError as error:
                return f"{method}: {error}"
    error = (found.value - case.best) / (abs(case.best) or 1.0)
    state = "solved" if found.feasible and abs(error) <= SUCCESS else "feasible" if found.feasible else "infeasible"
    return (
        f"{method} = {found.value:.10g} error {error:.1e} violation {found.violation:.1e} runs {runs} "
        f"{time.perf_counter() - began:.1f} s {state}"
    )


def reliability() -> None:
    """Probabilities of the numbered reliability problems, over the right ones."""
    for n, problem in PROBLEMS.items():
        right = problem.independent()
        line = f"studies RP{n} probability = {right:.4g} (published {problem.published:.4g})"
        with (
            tempfile.TemporaryDirectory() as folder,
            hn.Study(Path(folder) / "a.study", problem, problem.parameters, workers=0, seed=1, progress=False) as study,
        ):
            try:
                form = study.reliability("g", low=0.0, second_order=len(problem.space) < 50)
                state = "" if form.converged else " not converged"
                line += (
                    f" FORM {form.probability / right:.3f} SORM {form.second_order / right:.3f} runs {form.runs}{state}"
                )
            except ModelError as error:
                line += f" FORM: {error}"
            subset = study.reliability("g", low=0.0, method="subset")
            low, high = subset.low / right, subset.high / right
            line += f" subset {subset.probability / right:.2f} ({low:.2f} to {high:.2f}) runs {subset.runs}"
        print(line, flush=True)


FUNCTION = """
import math


def wave(v):
    return {"f": math.sin(v["x"]) * v["y"]}
"""
SCRIPT = """
import sys

import holonom as hn

with hn.Study(sys.argv[1], "wave.py:wave", {"x": (0.0, 6.0), "y": (0.0, 1.0)}, workers=2, progress=False) as study:
    study.run(hn.studies.sobol(int(sys.argv[2])))
"""


def kill(count: int, kills: int) -> None:
    """SIGKILL at random numbers of finished runs: rows lost (finished before, missing after), and whether the store is
    equal to the undisturbed one."""
    rng = random.Random(1)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "wave.py").write_text(FUNCTION)
        (folder / "go.py").write_text(SCRIPT)

        def start(store: str) -> subprocess.Popen:
            return subprocess.Popen([sys.executable, "go.py", store, str(count)], cwd=folder)

        def finished(store: str) -> int:
            try:
                with contextlib.closing(sqlite3.connect(f"file:{folder / store}?mode=ro", uri=True)) as db:
                    return db.execute("SELECT COUNT(*) FROM runs").fetchone()[0]
            except sqlite3.Error:
                return 0

        if start("whole.study").wait():
            raise SystemExit("the undisturbed study failed")
        done, lost, early = 0, 0, 0
        for k in range(kills):
            process = start("killed.study")
            goal = done + rng.randint(1, max(1, (count - done) // (kills - k + 1)))
            while process.poll() is None and finished("killed.study") < goal:
                time.sleep(0.01)
            early += process.poll() is not None
            before = finished("killed.study")
            process.send_signal(signal.SIGKILL)
            process.wait()
            done = finished("killed.study")
            lost += max(before - done, 0)
        if start("killed.study").wait():
            raise SystemExit("the killed study could not be continued")
        equal = (
            hn.studies.load(folder / "whole.study").store.digest()
            == hn.studies.load(folder / "killed.study").store.digest()
        )
    print(f"studies kill runs {count} kills {kills - early} rows lost = {lost} equal to the last bit = {equal}")


NAPS = """
import os
import signal
import sys
import time


def nap(v):
    time.sleep(0.05)
    return {"f": v["x"] * v["x"]}


def unlucky(v):
    if hasattr(sys.modules["__main__"], "holonom_study_worker"):
        dice = os.urandom(1)[0]
        if dice < 3:
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(4.0 if dice < 6 else 0.05)
    return {"f": v["x"] * v["x"]}
"""


NODE = 25  # threads of a node of the simulated cluster, each with a process for its runs
#: nodes in one process would sample their stacks and memory each 10 and 100 ms
QUIET = {
    "distributed.worker.profile.enabled": False,
    "distributed.worker.memory.monitor-interval": "10s",
    "distributed.admin.system-monitor.interval": "10s",
}


def scaling(count: int, most: int = 100) -> None:
    """Elapsed time of runs of 50 ms over the ideal one, without the start of the workers, and whether the stores are
    equal to the last bit; then ``most`` workers on nodes of 25, some of whose runs take 80 times as long or end.
    """
    import dask
    import distributed

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "naps.py").write_text(NAPS)
        digests: dict[str, set[str]] = {}

        def measure(label: str, function: str, runs: int, side: int, **where) -> None:
            target = f"{folder / 'naps.py'}:{function}"
            store = folder / f"{label.replace(' ', '_')}.study"
            with hn.Study(store, target, {"x": (0.0, 1.0)}, progress=False, retries=20, **where) as study:
                began = time.perf_counter()
                study.run(hn.studies.random(max(8, 4 * side)))  # its workers are warm
                start = time.perf_counter() - began
                began, cpu = time.perf_counter(), sum(os.times()[:2])
                study.run(hn.studies.random(runs))
                wall = time.perf_counter() - began
                used = (sum(os.times()[:2]) - cpu) / runs
                digests.setdefault(function, set()).add(study.store.digest())
                losses, repeated = len(study.store.losses()), getattr(study._pool, "repeated", 0)
            ideal = sum(row.wall for row in hn.studies.load(store, 2)) / side
            print(
                f"studies scaling {label} start {start:.2f} s, runs {runs} wall {wall:.2f} s over ideal = "
                f"{wall / ideal:.4f} main process {1e3 * used:.2f} ms of CPU a run, processes lost {losses}, second "
                f"starts {repeated}",
                flush=True,
            )

        for n in (1, 2):
            measure(f"local {n}", "nap", count, n, workers=n)
        for n, runs, function in ((1, count, "nap"), (2, count, "nap"), (most, 4 * count, "unlucky")):
            with (
                dask.config.set(QUIET),
                distributed.LocalCluster(
                    n_workers=-(-n // NODE),
                    threads_per_worker=min(n, NODE),
                    processes=False,
                    dashboard_address=None,
                    silence_logs=50,
                ) as cluster,
            ):
                measure(f"dask {n} {function}", function, runs, n, runner="dask://" + cluster.scheduler_address)
        measure("here", "unlucky", 4 * count, most, workers=0)
        equal = all(len(found) == 1 for found in digests.values())
    print(f"studies scaling equal = {equal}")


def main(arguments: list[str]) -> None:
    """Numbers below 100 name problems, larger ones the budget, words optimisers; "reliability", "kill" and "scaling"
    differ."""
    if arguments[:1] == ["scaling"]:
        print(versions(), machine(), sep="\n")
        scaling(*map(int, arguments[1:] or ("2000",)))
        return
    if arguments[:1] == ["kill"]:
        print(versions(), machine(), sep="\n")
        kill(*map(int, arguments[1:] or ("20000", "50")))
        return
    if arguments == ["reliability"]:
        print(versions(), machine(), sep="\n")
        reliability()
        return
    numbers = [int(a) for a in arguments if a.isdigit()]
    problems = [n for n in numbers if n < 100] or list(CASES)
    budget = next((n for n in numbers if n >= 100), BUDGET)
    every = [name for name, m in METHODS.items() if m.objectives == "one" and m.constraints != "none"]
    methods = [a for a in arguments if not a.isdigit()] or [*every, "polished"]
    print(versions(), machine(), sep="\n")
    for n in problems:
        case = CASES[n]
        print(f"studies RC{n} {case.function.__name__} best = {case.best:.10g} published success {case.success} %")
        for method in methods:
            print(f"studies RC{n} {solve(case, method, budget)}", flush=True)
