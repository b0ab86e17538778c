"""Long runs: do constraints and energy drift?

    make bench CASE=long                      36,000 s of a free body, a pendulum's loop and a heavy top; about 10
        minutes
    make bench CASE=long ARGS="--scale 0.01"    a hundredth of it

``free``: an unequal body that tumbles with nothing on it (energy, angular momentum and the length of its quaternion are
constant); ``top``: a heavy top at a gentle spin, on a spherical joint (energy, momentum about the vertical, distance
from the joint); ``loop``: a closed four-bar that swings (energy, closure).  Errors are the largest over all steps,
relative to the kinetic energy at the start (or the energy it exchanges), to the momentum, and to lengths of one metre.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import holonom as hn

from .run import machine, versions


def free() -> tuple[hn.Model, float]:
    """One turn a second, near the middle axis of inertia: it flips for ever."""
    m = hn.Model("free")
    m.part("body", 2.0, (0.1, 0.2, 0.3), (0.0, 0.0, 0.0), angular_velocity=(0.05, 2 * np.pi, 0.02))
    return m, 1.0


def top() -> tuple[hn.Model, float]:
    m = hn.Model("top")
    m.gravity = (0.0, 0.0, -9.81)
    w = np.array([0.3, 20.0, -1.0])
    body = m.part(
        "top",
        1.0,
        (0.02, 0.05, 0.02),
        (0.0, 0.3, 0.0),
        velocity=tuple(np.cross(w, (0, 0.3, 0))),
        angular_velocity=tuple(w),
    )
    m.spherical(body, m.ground, "tip", at=(0, 0, 0), axis=(0, 0, 1))
    return m, 2 * np.pi / 20.0


def loop() -> tuple[hn.Model, float]:
    """Four-bar of unequal bars, released from the side; every joint a hinge, so three rows are redundant."""
    m = hn.Model("loop")
    m.gravity = (0.0, -9.81, 0.0)
    corners = [np.array(p, float) for p in ((0, 0), (-0.5, -0.6), (0.9, -0.9), (1.2, 0))]
    before = m.ground
    for k in range(3):
        p, q = corners[k], corners[k + 1]
        d = q - p
        length = np.linalg.norm(d)
        c, s = d / length
        inertia = length**2 / 12
        rod = m.part(
            f"rod{k}",
            1.0,
            (1e-3, inertia, inertia),
            (*(0.5 * (p + q)), 0.0),
            axes=np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]]),
        )
        m.revolute(rod, before, f"pin{k}", at=(*p, 0.0), axis=(0, 0, 1))
        before = rod
    m.revolute(before, m.ground, "pin3", at=(*corners[3], 0.0), axis=(0, 0, 1))
    return m, 2.0


CASES = {"free": free, "top": top, "loop": loop}


def run(name: str, end: float, integrator: str, tolerance: float) -> None:
    from holonom.analyses.assemble import assemble
    from holonom.integrators import Options, make_integrator
    from holonom.integrators.entry import CONSTRAINTS, enter, explicit_handle
    from holonom.model.orientation import from_quaternion
    from holonom.system.build import System

    from .problems import Reader

    model, period = CASES[name]()
    system = System(model)
    reader = Reader(system)
    y = assemble(system).y
    stepper = make_integrator(integrator, system, Options(error=tolerance))
    stepper.start(0.0, y, end)
    y0 = stepper.y.copy()
    spin0 = momentum(system, y0, from_quaternion)
    e0 = reader.energy(y0)
    exchange = kinetic = reader.energy(y0) + reader.mass @ (
        y0[: 13 * system.nb].reshape(-1, 13)[:, :3] @ reader.gravity
    )
    drift = {"energy": 0.0, "momentum": 0.0, "constraints": 0.0, "quaternion": 0.0}
    handle = explicit_handle(system)
    d = np.zeros(6 * system.nb + 6)
    clock = time.process_time()
    looking = 0.0
    while stepper.t < end:
        stepper.step(end)
        if stepper.statistics["steps"] % 10 == 0 or stepper.t >= end:
            mark = time.process_time()
            y = stepper.y
            b = y[: 13 * system.nb].reshape(-1, 13)
            drift["energy"] = max(drift["energy"], abs(reader.energy(y) - e0))
            exchange = max(exchange, reader.energy(y) + reader.mass @ (b[:, :3] @ reader.gravity))
            drift["quaternion"] = max(drift["quaternion"], float(np.abs((b[:, 3:7] ** 2).sum(axis=1) - 1.0).max()))
            spin = momentum(system, y, from_quaternion)
            if name == "free":
                drift["momentum"] = max(drift["momentum"], float(np.abs(spin - spin0).max()))
            elif name == "top":
                drift["momentum"] = max(drift["momentum"], abs(spin[2] - spin0[2]))
            if system.m:
                enter(handle, CONSTRAINTS, y, stepper.t, 0.0, 1e-8, 0, d)
                drift["constraints"] = max(drift["constraints"], float(np.abs(system.W.rw.phi[: system.m]).max()))
            looking += time.process_time() - mark
    cpu = time.process_time() - clock - looking
    big = max(kinetic, exchange)
    words = [f"energy {drift['energy'] / big:.1e}", f"quaternion {drift['quaternion']:.1e}"]
    if name != "loop":
        words.append(f"momentum {drift['momentum'] / np.linalg.norm(spin0):.1e}")
    if system.m:
        words.append(f"constraints {drift['constraints']:.1e}")
    print(
        f"long {name} {integrator} {tolerance:.0e}: {end:.0f} s ({end / period:.0f} periods), "
        f"{stepper.statistics['steps']} steps, {cpu:.1f} CPU s, "
        f"largest drift: {', '.join(words)}",
        flush=True,
    )


def momentum(system, y, rotation) -> np.ndarray:
    """Angular momentum about the origin, in ground."""
    total = np.zeros(3)
    for k in range(system.nb):
        s = y[13 * k : 13 * k + 13]
        total += system.bodies.mass[k] * np.cross(s[:3], s[7:10]) + rotation(s[3:7]) @ (system.bodies.J[k] * s[10:13])
    return total


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="long")
    parser.add_argument("cases", nargs="*", help=f"of {', '.join(CASES)}; default all")
    parser.add_argument("--scale", type=float, default=1.0, help="share of 36,000 s")
    parser.add_argument("--methods", nargs="*", default=["DOP853"])
    parser.add_argument("--tolerances", nargs="*", type=float, default=[1e-6, 1e-9])
    a = parser.parse_args(arguments)
    print(machine())
    print(versions())
    for name in a.cases or CASES:
        for method in a.methods:
            for tolerance in a.tolerances:
                run(name, 36000.0 * a.scale, method, tolerance)
