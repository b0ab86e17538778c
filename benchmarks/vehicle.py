"""Real time of whole cars: CPU seconds a simulated second, joints and bushings, on one core.

python benchmarks/run.py vehicle          a table, one line a case

PyChrono is not among the packages that pip can install (the one of that name is another), and no published real-time
factor of a comparable car was found.
"""

from __future__ import annotations

import time

from holonom.vehicle import PreviewDriver, Vehicle, lane_change, ride
from holonom.vehicle.manoeuvres import _simulate


def cases():
    """(what, simulated seconds, a call that runs it)."""
    for name in ("sedan", "coupe"):
        for mode in ("kinematic", "compliant"):
            car = Vehicle(name, mode)
            model = car.model(22.0, "0.5*STEP5(TIME,1.0,0,1.1,1)")
            yield (
                f"{name}, {mode}: steering step",
                3.0,
                lambda car=car, model=model, end=3.0: _simulate(car, "step", model, end),
            )
    car = Vehicle("sedan")
    yield (
        "sedan, kinematic: ISO 3888-1, driver 50 times a second",
        None,
        lambda: lane_change(car, PreviewDriver(), 80 / 3.6),
    )
    yield "sedan, kinematic: class C at 80 km/h", None, lambda: ride(car, grade="C", length=60.0)


def main(args: list[str] | None = None) -> None:
    """Print the table; the second run of each case is timed, its kernels compiled."""
    print("| case | simulated s | CPU s a simulated s | degrees of freedom |\n|---|---|---|---|")
    for what, _, run in cases():
        run()
        begin = time.process_time()
        d = run()
        cpu, end = time.process_time() - begin, float(d["t"][-1])
        print(f"| {what} | {end:.2f} | {cpu / end:.2f} | {d.run.info['degrees_of_freedom']} |", flush=True)


if __name__ == "__main__":
    main()
