"""The two linear solvers on shipped models, side by side: pivots held from the first matrix of a pattern, and pivots
by threshold.  GSTIFF at 1e-4 over the same time; a table with one line for each model and solver.

    python benchmarks/linear_solvers.py [MODEL ...]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import holonom as hn
from holonom.machinery import chain_drive

#: model -> end time (model units); those of `holonom.models`, and a chain drive of 62 bodies
MODELS = {"slider_crank": 1.0, "four_bar": 1.0, "gear_train": 1.0, "crane": 2.0, "ball_bearing": 0.01, "chain": 0.004}
SOLVERS = ("fixed", "threshold", "auto")
HEAD = f"{'model':16}{'solver':>11}{'steps':>7}{'matrices':>9}{'pivots':>8}{'CPU s':>8}{'us a matrix':>12}  outcome"


def build(name: str) -> hn.Model:
    if name == "chain":
        return chain_drive(60, speed=49.5)
    return hn.read_adams(str(Path(hn.__file__).parent / "models" / f"{name}.adm"))


def factor_times(model: hn.Model, solver: str, repeats: int = 30) -> float:
    """Microseconds of the factorisation of one matrix, the first of the model: numbers alone where pivots are held,
    with the choice of pivots where they are chosen for each matrix.  nan where the solver refuses the model."""
    import time

    from holonom.analyses.assemble import assemble
    from holonom.integrators import Options, make_integrator
    from holonom.linalg.lu import lu_refactor
    from holonom.system.build import System

    system = System(model)
    y = assemble(system).y
    try:
        stepper = make_integrator("GSTIFF", system, Options(error=1e-4, extra={"linear_solver": solver}))
        stepper.start(0.0, y, 1.0, 1e-6)
    except hn.ModelError:
        return float("nan")
    stepper.step(1e-5)
    lu, data = stepper.lu, stepper.I.data
    lu_refactor(lu.arrays, data)
    best = np.inf
    for _ in range(repeats):
        began = time.process_time()
        if solver == "threshold":
            lu._repivot(data)
        lu_refactor(lu.arrays, data)
        best = min(best, time.process_time() - began)
    return 1e6 * best


def row(name: str, solver: str) -> dict:
    model = build(name)
    found = {"model": name, "solver": solver, "each": factor_times(model, solver)}
    try:
        options = {"integrator": "GSTIFF", "error": 1e-4, "linear_solver": solver}
        hn.simulate(build(name), 1e-3 * MODELS[name], 1, **options)  # compiles
        run = hn.simulate(model, MODELS[name], 20, **options)
        found |= {key: run.counters.get(key, np.nan) for key in ("steps", "matrices", "pivots", "cpu seconds")}
        found["outcome"] = "ran"
    except hn.ModelError as error:
        found |= {"steps": 0, "matrices": 0, "pivots": 0, "cpu seconds": 0.0, "outcome": str(error)[:90]}
    return found


def main(names: list[str]) -> None:
    print(HEAD)
    for name in names or MODELS:
        for solver in SOLVERS:
            r = row(name, solver)
            print(
                f"{r['model']:16}{r['solver']:>11}{r['steps']:7.0f}{r['matrices']:9.0f}{r['pivots']:8.0f}"
                f"{r['cpu seconds']:8.2f}{r['each']:12.1f}  {r['outcome']}",
                flush=True,
            )


if __name__ == "__main__":
    main(sys.argv[1:])
