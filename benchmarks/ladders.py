"""Rope ladders of many coupled loops in joint and in maximal coordinates: cost of an evaluation, and which of them
``coordinates="auto"`` chooses.

    make bench CASE=ladders                    3 to 100 cells, and 200 in maximal coordinates
    make bench CASE=ladders ARGS="3 10"

A cell is two rods and a rung that hang on the rung above: universal joints at the top of the rods, spherical ones at
their feet, one of which closes a loop of three equations.  All loops share the rungs above them, so that the equations
over the tree are one full matrix.  The ladder swings from rest, pulled aside by gravity; DOP853 at error 1e-8.
"""

from __future__ import annotations

import sys
import time

import numpy as np

import holonom as hn
from holonom.analyses.assemble import assemble
from holonom.integrators import Options, make_integrator
from holonom.integrators.numbering import numbering
from holonom.system.build import System

from .run import machine, versions

CELLS = (3, 5, 10, 30, 100, 200)
MOST = 100  # cells in joint coordinates: the cost grows with their cube
STEPS, BLOCKS, LONG = 20, 15, 0.5  # steps of a block, blocks of which the quickest counts, until they last so long, s
END = 1e3
PITCH, WIDTH = 0.3, 0.4  # m


def ladder(cells: int) -> hn.Model:
    model = hn.Model(f"ladder of {cells}")
    model.gravity = (2.0, 3.0, -9.0)
    above = model.ground
    for k in range(cells):
        top, foot = -PITCH * k, -PITCH * (k + 1)
        rung = model.part(f"rung{k}", 0.5, (0.007, 0.0005, 0.007), (0, 0, foot))
        for side, y in (("left", -WIDTH / 2), ("right", WIDTH / 2)):
            rod = model.part(f"{side}{k}", 0.2, (0.0016, 0.0016, 0.0002), (0, y, (top + foot) / 2))
            model.universal(rod, above, f"{side} top {k}", at=(0, y, top), axis=(1, 0, 0))
            model.spherical(rung, rod, f"{side} foot {k}", at=(0, y, foot))
        above = rung
    return model


def measured(cells: int, coordinates: str) -> tuple[float, float, float]:
    """CPU microseconds of an evaluation, the change of the energy [J], and the time reached [s]."""
    system = System(ladder(cells))
    y = assemble(system).y.copy()
    stepper = make_integrator("DOP853", system, Options(error=1e-8, extra={"coordinates": coordinates}))
    stepper.start(0.0, y.copy(), END)
    stepper.step(END)  # compiled, and not counted
    least, spent = np.inf, 0.0
    for _ in range(BLOCKS):
        before, begin = stepper.statistics["evaluations"], time.process_time()
        for _ in range(STEPS if cells <= 10 else 2):
            stepper.step(END)
        took = time.process_time() - begin
        least, spent = min(least, took / (stepper.statistics["evaluations"] - before)), spent + took
        if spent > LONG:
            break
    return 1e6 * least, energy(system, stepper.y) - energy(system, y), stepper.t


def energy(system: System, y: np.ndarray) -> float:
    """Kinetic and potential energy of rigid bodies, J."""
    rows, mass = y.reshape(-1)[: 13 * system.nb].reshape(-1, 13), system.bodies.mass[: system.nb]
    moments = system.bodies.J[: system.nb]
    kinetic = 0.5 * (mass @ (rows[:, 7:10] ** 2).sum(axis=1) + (moments * rows[:, 10:13] ** 2).sum())
    return float(kinetic - mass @ rows[:, :3] @ np.asarray(system.bodies.gravity))


def main(arguments: list[str]) -> None:
    print(machine(), versions("holonom", "numpy"))
    for cells in [int(a) for a in arguments] or CELLS:
        system = System(ladder(cells))
        assemble(system)
        joint, reason = numbering(system, "auto")
        found = {c: measured(cells, c) for c in ("joint", "maximal") if c == "maximal" or cells <= MOST}
        texts = [f"{c}={us:.3g} us (energy {drift:.1e} J in {t:.2f} s)" for c, (us, drift, t) in found.items()]
        ratio = f" joint/maximal={found['joint'][0] / found['maximal'][0]:.2f}" if "joint" in found else ""
        print(
            f"ladders cells={cells} {' '.join(texts)}{ratio} auto={'joint' if joint else 'maximal'}: {reason}",
            flush=True,
        )


if __name__ == "__main__":
    main(sys.argv[1:])
