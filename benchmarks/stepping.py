"""What a call of the stepping interface costs: CPU time of `advance`, `step`, `set_input`, `output`, snapshots, on the
pendulum of the README.

    make bench CASE=stepping

Kernels alone are the same steps made by the integrator's compiled entry in a loop of its own; what is left is Python.
Least of several repetitions.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import holonom as hn
from holonom.integrators.entry import STEP, enter_steps
from holonom.integrators.explicit import REDUNDANT

from .run import machine, versions

CALLS, REPETITIONS, STEP_SIZE = 20_000, 5, 1e-3


def pendulum() -> hn.Model:
    model = hn.Model("pendulum", units="SI")
    model.gravity = (0, 0, -9.80665)
    rod = model.part("rod", mass=2.0, inertia=(0.001, 0.167, 0.167), position=(0.5, 0, 0))
    pin = model.revolute(rod, model.ground, "pin", at=(0, 0, 0), axis=(0, 1, 0))
    model.sforce(pin.i, pin.j, f"VARVAL({model.input('torque').id})", kind="ROTATIONAL")
    return model


def bare() -> hn.Model:
    """The same without the torque."""
    model = pendulum()
    for kind in ("SFORCE", "VARIABLE"):
        model.table(kind).clear()
    return model


def opened(model: hn.Model, **options) -> hn.Simulation:
    sim = hn.Simulation(model)
    sim.open(**{"integrator": "RK4", "step": STEP_SIZE, "record": "none", **options})
    return sim


def least(call: Callable[[int], object], calls: int = CALLS) -> float:
    """CPU microseconds a call; ``call`` gets its number, which continues from repetition to repetition."""
    best, n = float("inf"), 0
    for _ in range(REPETITIONS):
        begin = time.process_time()
        for k in range(n, n + calls):
            call(k)
        best = min(best, (time.process_time() - begin) / calls)
        n += calls
    return 1e6 * best


def kernels(model: hn.Model) -> float:
    """The steps of `advance`, by the compiled entry alone."""
    sim = opened(model)
    sim.advance(STEP_SIZE)
    stepper = sim._stepping.dynamics.stepper
    T = stepper.stages

    def one(k: int) -> None:
        T.K[0] = T.K[stepper.tableau.stages]
        enter_steps(stepper.handle, STEP, stepper.y, k * STEP_SIZE, STEP_SIZE, REDUNDANT, 0, T.d)

    return least(one)


def main(arguments: list[str] | None = None) -> None:
    print(machine())
    print(versions())
    for words, make in (("README pendulum", bare), ("with an input torque", pendulum)):
        inside = kernels(make())
        sim = opened(make())
        all_of_it = least(lambda k, sim=sim: sim.advance((k + 1) * STEP_SIZE))
        print(
            f"{words}: RK4, advance by one step {all_of_it:.1f} us, kernels {inside:.1f} us, Python "
            f"{all_of_it - inside:.1f} us"
        )
        for label, options in (
            ("rows recorded", {"record": "advance"}),
            ("DOP853", {"integrator": "DOP853", "step": None}),
            ("GSTIFF", {"integrator": "GSTIFF", "step": None}),
        ):
            sim = opened(make(), **options)
            print(f"    {label}: {least(lambda k, sim=sim: sim.advance((k + 1) * STEP_SIZE), 1000):.0f} us")
    sim = opened(pendulum())

    def controlled(k: int) -> None:
        sim.set_input("torque", 0.1 * (k % 2))
        sim.advance((k + 1) * STEP_SIZE)

    print(f"set_input and advance: {least(controlled):.1f} us")
    print(
        "output of a joint's angle "
        f"{least(lambda k: (setattr(sim._stepping, 'fresh', False), sim.output('pin'))):.1f} us, "
        f"of an expression {least(lambda k: sim.output('WY(2)')):.1f} us"
    )
    snapshot = sim.snapshot()
    print(
        f"snapshot {least(lambda k: sim.snapshot(), 300):.0f} us, restore "
        f"{least(lambda k: sim.restore(snapshot), 300):.0f} us"
    )


if __name__ == "__main__":
    main()
