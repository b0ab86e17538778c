"""Work against precision: error at the end against CPU seconds of the solver loop, ours and other engines'.

python benchmarks/run.py work_precision [problems ...] [--ours-only]
"""

from __future__ import annotations

import argparse
import time

from .problems import PROBLEMS, Problem, Reader, distance, named

TOLERANCES = (1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10)
REPEATS = 3


def ours(problem: Problem, integrator: str, tolerance: float, repeats: int = REPEATS, **options) -> dict:
    """CPU seconds of the loop of steps (least of ``repeats``), error, steps; set-up, assembly and compilation are not counted."""
    from holonom.analyses.assemble import assemble
    from holonom.integrators import Options, make_integrator
    from holonom.system.build import System

    system = System(problem.model())
    y0 = assemble(system).y.copy()
    reader = Reader(system)

    def fresh():
        stepper = make_integrator(integrator, system, Options(error=tolerance, **options))
        stepper.start(0.0, y0.copy(), problem.end)
        return stepper

    stepper = fresh()  # untimed: compiles, and looks at every step
    e0 = reader.energy(stepper.y)
    change = 0.0
    while stepper.t < problem.end:
        stepper.step(problem.end)
        if problem.probe[0] == "energy":
            change = max(change, abs(reader.energy(stepper.y) - e0))
    seconds = []
    for _ in range(repeats):
        stepper = fresh()
        clock = time.process_time()
        while stepper.t < problem.end:
            stepper.step(problem.end)
        seconds.append(time.process_time() - clock)
    value = change if problem.probe[0] == "energy" else reader(problem.probe, stepper.y)
    row = {"error": distance(problem, problem.probe, value), "cpu": min(seconds), "cpu_all": seconds, **stepper.statistics}
    if problem.also:
        row["also"] = distance(problem, problem.also, reader(problem.also, stepper.y))
    return row


METHODS = {
    "DOP853": ("DOP853", {}),
    "GSTIFF-SI2": ("GSTIFF", {"formulation": "SI2"}),
    "GSTIFF-I3": ("GSTIFF", {"formulation": "I3"}),
    "HHT": ("HHT", {}),
}


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="work_precision")
    parser.add_argument("problems", nargs="*", default=list(PROBLEMS))
    parser.add_argument("--ours-only", action="store_true")
    parser.add_argument("--methods", nargs="*")
    parser.add_argument("--tolerances", nargs="*", type=float, default=TOLERANCES)
    a = parser.parse_args(arguments)
    for name in a.problems:
        problem = named(name)
        for label in a.methods or (["DOP853", "GSTIFF-SI2", "GSTIFF-I3"] if problem.stiff else ["DOP853"]):
            integrator, options = METHODS[label]
            for tol in a.tolerances:
                if problem.stiff and label == "DOP853" and tol not in (1e-6, 1e-8):
                    continue
                r = ours(problem, integrator, tol, **options)
                more = f" ({r['also']:.2e} m)" if "also" in r else ""
                calls = r.get("evaluations", r.get("iterations", 0))
                print(f"{problem.name} {label} {tol:.0e}: {r['error']:.2e} {problem.unit}{more} @ {r['cpu']:.4f} s, {r['steps']} steps, "
                      f"{calls} evaluations, {1e6 * r['cpu'] / max(calls, 1):.2f} us each", flush=True)  # fmt: skip


if __name__ == "__main__":
    import sys

    main(sys.argv[1:])
