"""Explicit steps in maximal and joint coordinates, one by one from Python and all in one kernel (`explicit_loop`).

    make bench CASE=explicit_loop                                  small machines and chains
    make bench CASE=explicit_loop ARGS="andrews chain100"

DOP853 at error 1e-8; CPU seconds of the loop of steps, least of several samples taken in turn.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .peers.clock import least
from .problems import distance, named
from .run import machine, versions
from .work_precision import Ours

PROBLEMS = (
    "double_pendulum",
    "heavy_top",
    "pendulum",
    "andrews",
    "fourbar1",
    "slider_crank",
    "bricard",
    "governor_soft",
    "chain10",
    "chain100",
)
ERROR, ORDER = 1e-8, 8
COORDINATES = ("maximal", "joint")


def one_by_one(stepper, end: float):
    while stepper.t < end:
        stepper.step(end)
    return stepper


def in_one_kernel(stepper, end: float):
    while stepper.t < end:
        stepper.advance(end, False)
    return stepper


def error_of(ours: Ours, y) -> float:
    """Error of a state at the end: of the probe of the problem, or the change of energy."""
    probe = ours.problem.probe
    energy = ours.reader.energy
    return distance(ours.problem, probe, energy(y) - energy(ours.y0) if probe[0] == "energy" else ours.reader(probe, y))


def measured(ours: Ours, coordinates: str, way: Callable) -> tuple[float, Any]:
    """CPU seconds of the loop of steps, and the integrator at its end."""
    end = ours.problem.end
    fresh = lambda: ours.fresh("DOP853", ERROR, {"extra": {"coordinates": coordinates}})
    way(fresh(), end)
    return least(fresh, lambda stepper: way(stepper, end), most=12, ahead=False)


def main(arguments: list[str]) -> None:
    print(machine(), versions())
    for name in arguments or PROBLEMS:
        ours = Ours(named(name))
        cpu, errors = {}, {}
        for coordinates in COORDINATES:
            states = []
            for way in (one_by_one, in_one_kernel):
                seconds, stepper = measured(ours, coordinates, way)
                cpu[coordinates, way] = seconds
                states.append(stepper.y.copy())
                steps = stepper.statistics["steps"]
                print(
                    f"explicit_loop {name} {coordinates} {way.__name__}: {seconds:.6f} s, {steps} steps, "
                    f"{1e6 * seconds / steps:.2f} us a step"
                )
            errors[coordinates] = max(error_of(ours, states[1]), 1e-15)
            same = bool((states[0] == states[1]).all())
            print(f"explicit_loop {name} {coordinates}: error {errors[coordinates]:.1e}, the same states: {same}")
        closer = (errors["joint"] / errors["maximal"]) ** (1.0 / ORDER)
        for way in (one_by_one, in_one_kernel):
            ratio = cpu["joint", way] / cpu["maximal", way]
            equal = closer * ratio
            print(
                f"explicit_loop {name} {way.__name__} joint_over_maximal = {ratio:.2f}, at equal error {equal:.2f}",
                flush=True,
            )
