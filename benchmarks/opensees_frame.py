"""The six-storey steel frame compared with OpenSees: periods, displacements, drifts and base shear under a record, and
what each takes.

    pip install openseespy                      (or openseespylinux; it needs libblas and liblapack of the system)
    python -m benchmarks.opensees_frame elcentro.csv:g

Both have the same nodes, masses, beams (Euler and Bernoulli) and Rayleigh damping of 2 % in modes 1 and 2.  OpenSees
steps by Newmark's average acceleration with steps of 1 ms and linear geometry; ours is simulated (RADAU5, beams that
know that they turn) and superposed (each mode exact).
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np

import holonom as hn
from holonom.structures.command import records_of
from holonom.structures.frame import SECTIONS


def opensees() -> Any:
    """The module, by either of its names.  Raises ImportError."""
    try:
        import openseespy.opensees as ops
    except (ImportError, RuntimeError):
        import openseespylinux.opensees as ops
    return ops


def theirs(frame: Any, motion: Any, end: float, step: float = 1e-3) -> dict[str, Any]:
    """The frame in OpenSees: ``w`` (6,), ``time``, ``displacement`` (t, storeys) of the floors' means, ``base_shear``
    (t,): of inertia, ``cpu``."""
    ops = opensees()
    began = time.process_time()
    ops.wipe()
    ops.model("basic", "-ndm", 2, "-ndf", 3)
    first, count = frame.bays + 1, len(frame.places)
    for k, (x, _, z) in enumerate(frame.places):
        ops.node(k + 1, float(x), float(z))
        if k < first:
            ops.fix(k + 1, 1, 1, 1)
        else:
            ops.mass(k + 1, *(float(frame.M[3 * k + j, 3 * k + j]) for j in range(3)))
    ops.geomTransf("Linear", 1)
    column, girder = SECTIONS["HEB400"], SECTIONS["IPE500"]
    for n, (a, b) in enumerate(frame.members):
        section = column if abs(frame.places[a, 0] - frame.places[b, 0]) < 1e-9 else girder
        ops.element("elasticBeamColumn", n + 1, a + 1, b + 1, section.A, 2.1e11, section.Iy, 1)
    w = np.sqrt(ops.eigen("-fullGenLapack", 6))
    ratio = frame.damping
    ops.rayleigh(2 * ratio * w[0] * w[1] / (w[0] + w[1]), 0.0, 2 * ratio / (w[0] + w[1]), 0.0)
    ops.timeSeries("Path", 1, "-dt", motion.dt, "-values", *map(float, motion.acceleration))
    ops.pattern("UniformExcitation", 1, 1, "-accel", 1)
    ops.constraints("Plain"), ops.numberer("RCM"), ops.system("BandGeneral"), ops.algorithm("Linear")
    ops.integrator("Newmark", 0.5, 0.25), ops.analysis("Transient")
    steps = round(end / step)
    out = np.zeros((steps + 1, frame.storeys))
    shear = np.zeros(steps + 1)
    for n in range(1, steps + 1):
        if ops.analyze(1, step):
            raise RuntimeError(f"OpenSees stopped at {ops.getTime():g} s")
        across = np.array([ops.nodeDisp(k + 1, 1) for k in range(first, count)]).reshape(frame.storeys, first)
        out[n] = across.mean(axis=1)
        ground = np.interp(n * step, motion.time, motion.acceleration)
        shear[n] = -sum(frame.M[3 * k, 3 * k] * (ops.nodeAccel(k + 1, 1) + ground) for k in range(first, count))
    return {
        "w": w,
        "time": step * np.arange(steps + 1),
        "displacement": out,
        "base_shear": shear,
        "cpu": time.process_time() - began,
    }


def compare(record: str, end: float = 10.0, scale: float = 1.0) -> list[tuple[str, float, float, float]]:
    """Rows (what, OpenSees, ours, largest difference over the largest)."""
    (motion,) = records_of([record], None)
    motion = motion.scaled(scale)
    frame = hn.structures.steel_frame(6, 2, motion, damping=0.02, rayleigh=(1, 2))
    other = theirs(frame, motion, end)
    rows = [
        (f"period {k + 1}, s", 2 * np.pi / a, 2 * np.pi / b, abs(a / b - 1))
        for k, (a, b) in enumerate(zip(other["w"], frame.modes()[0]))
    ]
    exact = frame.superposition()
    every = round(motion.dt / (other["time"][1] - other["time"][0]))
    for word, found, at in (("superposed", exact, exact["time"]), ("simulated", None, None)):
        if found is None:
            began = time.process_time()
            run = hn.simulate(frame.model, end, dt=motion.dt, integrator="RADAU5", error=1e-6)
            print(f"CPU s: OpenSees {other['cpu']:.2f} (steps of 1 ms), ours {time.process_time() - began:.2f}")
            found, at = frame.results(run), run.time
        n = min(len(other["time"][::every]), int(np.sum(np.asarray(at) <= end * (1 + 1e-12))))
        for what, f in (
            ("roof, mm", lambda u: 1e3 * u[:, -1]),
            ("drift of storey 2, mm", lambda u: 1e3 * (u[:, 1] - u[:, 0])),
        ):
            a, b = f(other["displacement"][::every][:n]), f(found["displacement"][:n])
            rows.append((f"{what}, {word}", np.abs(a).max(), np.abs(b).max(), np.abs(a - b).max() / np.abs(a).max()))
        if "base_shear" in found:
            a, b = 1e-3 * other["base_shear"][::every][:n], 1e-3 * found["base_shear"][:n]
            rows.append(
                (f"base shear, kN, {word}", np.abs(a).max(), np.abs(b).max(), np.abs(a - b).max() / np.abs(a).max())
            )
    return rows


if __name__ == "__main__":
    print(f"{'':36}{'OpenSees':>12}{'Holonom':>12}{'difference':>12}")
    for what, a, b, d in compare(sys.argv[1], *map(float, sys.argv[2:])):
        print(f"{what:36}{a:12.5f}{b:12.5f}{d:12.1e}")
