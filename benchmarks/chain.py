"""Revolute chain, axes alternating between y and z: implicit steps in maximal coordinates, ours and Exudyn's.

Equal step (1 ms), equal numerical damping (spectral radius 0.9), Newton tolerance 1e-8 on both sides; the tip's
distance from a DOP853 solution at 1e-9 is printed so that no result is fast by being wrong.
"""

from __future__ import annotations

import statistics
import time

import numpy as np

import holonom as hn

from .run import machine, peer, versions

LENGTH, MASS, WIDTH = 0.1, 0.5, 0.02
GRAVITY = (0.0, -3.0, -9.81)
H, RHO, TOLERANCE = 1e-3, 0.9, 1e-8
STEPS = {10: 1000, 100: 300, 1000: 60}
REPEATS = 5


def chain(n: int) -> hn.Model:
    m = hn.Model(f"chain{n}")
    m.gravity = GRAVITY
    inertia = (MASS / 12 * 2 * WIDTH**2, MASS / 12 * (LENGTH**2 + WIDTH**2), MASS / 12 * (LENGTH**2 + WIDTH**2))
    previous = m.ground
    for k in range(n):
        link = m.part(f"link{k}", MASS, inertia, ((k + 0.5) * LENGTH, 0, 0))
        m.revolute(link, previous, at=(k * LENGTH, 0, 0), axis=(0, 1, 0) if k % 2 == 0 else (0, 0, 1))
        previous = link
    return m


def tip(system, y) -> np.ndarray:
    frame = system.body_frame(y, system.nb - 1)
    return frame.origin + frame.axes @ np.array([0.5 * LENGTH, 0, 0])


def ours(n: int, steps: int):
    """Seconds per step and the tip; set-up and compilation are not counted."""
    from holonom.analyses.assemble import assemble
    from holonom.integrators import Options, make_integrator
    from holonom.system.build import System

    system = System(chain(n))
    y = assemble(system).y
    alpha = -(1 - RHO) / (1 + RHO)
    stepper = make_integrator(
        "HHT", system, Options(error=1e-3, hmax=H, hmin=H, fixed=True, newton=TOLERANCE, alpha=alpha)
    )
    end = (steps + 5) * H
    stepper.start(0.0, y, end)
    for _ in range(5):
        stepper.step(end)
    before = dict(stepper.statistics)
    clock = time.perf_counter()
    for _ in range(steps):
        stepper.step(end)
    clock = time.perf_counter() - clock
    newton = (stepper.statistics["iterations"] - before["iterations"]) / steps
    return clock / steps, newton, tip(system, stepper.y), stepper.t


def reference(n: int, end: float) -> np.ndarray:
    run = hn.simulate(chain(n), end=end, steps=1, kind="dynamics", integrator="DOP853", error=1e-9)
    part = run.part(f"link{n - 1}")
    from holonom.model.orientation import from_quaternion

    return part.position.values[-1] + from_quaternion(part.quaternion.values[-1]) @ np.array([0.5 * LENGTH, 0, 0])


def main(arguments: list[str]) -> None:
    sizes = [int(a) for a in arguments] or [10, 100, 1000]
    print(machine())
    per_step = {}
    for n in sizes:
        steps = STEPS.get(n, max(30, 60000 // n))
        mine, theirs = [], []
        for _ in range(REPEATS):
            mine.append(ours(n, steps))
            theirs.append(
                peer(
                    "exudyn_chain",
                    ("exudyn", "numpy"),
                    bodies=n,
                    length=LENGTH,
                    mass=MASS,
                    width=WIDTH,
                    gravity=list(GRAVITY),
                    h=H,
                    steps=steps,
                    rho=RHO,
                    tolerance=TOLERANCE,
                )
            )
        if n == sizes[0]:
            print(versions(f"exudyn {theirs[0]['version']}"))
        a = statistics.median(r[0] for r in mine)
        b = statistics.median(r["seconds"] for r in theirs)
        per_step[n] = a
        error = np.linalg.norm(mine[0][2] - reference(n, mine[0][3]))
        other = np.linalg.norm(np.array(theirs[0]["tip"]) - reference(n, steps * H))
        print(
            f"chain bodies={n} holonom_us_per_step = {1e6 * a:.1f} (newton {mine[0][1]:.2f}, tip error {error:.1e} m)"
        )
        print(
            f"chain bodies={n} exudyn_us_per_step = {1e6 * b:.1f} (newton {theirs[0]['newton']:.2f}, "
            f"{theirs[0]['variant']}, tip error {other:.1e} m)"
        )
        print(f"chain bodies={n} exudyn_over_holonom = {b / a:.1f}", flush=True)
    if 100 in per_step and 1000 in per_step:
        print(f"chain growth_100_to_1000 = {per_step[1000] / per_step[100]:.1f}")
