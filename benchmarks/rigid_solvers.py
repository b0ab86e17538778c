"""Solvers of the rigid contact problem: CPU time and residual on one step of piles, walls and stacks from a cold start.

make bench CASE=rigid_solvers                    all problems, five minutes
make bench CASE=rigid_solvers ARGS="--sweeps"    Gauss-Seidel only: residual after so many sweeps, ns a contact and
sweep
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "contact"))

from rigid_scenes import boxes_on_slope, brick_wall, copy, random_balls  # noqa: E402

from holonom.contact.rigid import Settings, solve  # noqa: E402

from .run import machine, versions  # noqa: E402

PROBLEMS = {  # name: (problem, solvers that are asked)
    "box on a slope": (lambda: boxes_on_slope(0.5, 0.2), "NSGS NEWTON IPM LEMKE APGD AUTO"),
    "stack of 20 boxes": (lambda: boxes_on_slope(0.5, 0.1, 20), "NSGS NEWTON IPM LEMKE APGD AUTO"),
    "10 boxes, masses 1 to 1e4 upwards": (
        lambda: boxes_on_slope(0.5, 0.1, 10, mass=np.logspace(0, 4, 10)),
        "NSGS NEWTON IPM APGD AUTO",
    ),
    "wall of 100 bricks": (lambda: brick_wall(10, 10, 0.5), "NSGS NEWTON IPM APGD AUTO"),
    "wall of 400 bricks": (lambda: brick_wall(20, 20, 0.5), "NSGS IPM APGD AUTO"),
    "pile of 512 balls": (lambda: random_balls(8, 0.5), "NSGS NEWTON IPM APGD AUTO"),
    "pile of 512 balls, no friction": (lambda: random_balls(8, 0.0), "NSGS NEWTON IPM APGD AUTO"),
    "pile of 8000 balls": (lambda: random_balls(20, 0.5), "NSGS APGD AUTO"),
}


def measure(P, settings, runs):
    """Least CPU seconds of several runs, and the report."""
    best, report = np.inf, None
    for _ in range(runs):
        Q = copy(P)
        start = time.process_time()
        report = solve(Q, settings)
        best = min(best, time.process_time() - start)
        if best > 2:
            break
    return best, report


def main(arguments=None):
    options = argparse.ArgumentParser(prog="rigid_solvers")
    options.add_argument("--sweeps", action="store_true")
    chosen = options.parse_args(arguments)
    print(machine(), versions(), sep="; ")
    for solver in ("NSGS", "NEWTON", "IPM", "LEMKE", "APGD"):
        solve(boxes_on_slope(0.5, 0.2), Settings(solver))  # compiles
    if chosen.sweeps:
        for name in ("stack of 20 boxes", "wall of 400 bricks", "pile of 512 balls", "pile of 8000 balls"):
            P = PROBLEMS[name][0]()
            n = int(P.count[0])
            for accelerate in (False, True):
                row = []
                for sweeps in (10, 25, 50, 100, 200, 400):
                    seconds, report = measure(P, Settings("NSGS", 1e-15, sweeps, accelerate=accelerate), 3)
                    row.append(f"{report.residual:.0e}")
                    cost = 1e9 * seconds / report.iterations / n
                print(
                    f"{name} contacts={n} {'momentum' if accelerate else 'plain   '} {' '.join(row)}  {cost:.0f} ns a "
                    "contact and sweep"
                )
        return
    for name, (make, solvers) in PROBLEMS.items():
        P = make()
        for solver in solvers.split():
            seconds, report = measure(P, Settings(solver, 1e-8, 3000 if solver == "APGD" else 1000), 5)
            print(
                f"{name} contacts={int(P.count[0])} {solver:6s} {1e3 * seconds:9.2f} ms  residual "
                f"{report.residual:.0e}  "
                f"iterations {report.iterations:4d}  {report.solver if report.converged else report.message}",
                flush=True,
            )


if __name__ == "__main__":
    main()
