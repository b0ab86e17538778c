"""N spheres and boxes fall into a bin and come to rest, as rigid bodies: time-stepping compared with MuJoCo.

    make bench CASE=rigid                          200 and 1000 bodies
    make bench CASE=rigid ARGS="10000 --no-peers"
    make bench CASE=rigid ARGS="100000 --kind spheres --levels 3 --no-peers"
    make bench CASE=rigid ARGS="10000 --kind boxes --penalty"      the same heap with a penalty law and an explicit
        step, its cost alone

r = 5 cm, boxes of edge 8 cm, 1000 kg/m^3, friction 0.5, no restitution, a jittered grid, 2 s (4 s for more than 300).
Both engines are requested several levels of accuracy; what
each reaches is measured in the same way from its state alone, with our shapes: the largest overlap and the mean one
over all touching points at the end, the drift of the bodies over the last half second (median, in mm), the height of
their centre.  Rest: the first time after which the root mean square of all speeds stays below 1 cm/s.  CPU seconds are
those of the whole process less its start.
"""

from __future__ import annotations

import argparse
import json
import math
import tempfile
import time

import numpy as np

import holonom as hn
from holonom.analyses.assemble import assemble
from holonom.contact.tables import GAP, POINTS
from holonom.integrators import Options, make_integrator
from holonom.system.build import System

from .run import machine, peer_python, peer_rows, versions

R, EDGE, DENSITY, MU = 0.05, 0.08, 1000.0, 0.5
STILL = 1e-2  # m/s
#: step, iterations at most, tolerance of a level of ours
LEVELS = ((4e-3, 30, 1e-3), (2e-3, 60, 1e-3), (2e-3, 300, 1e-4), (8e-3, 30, 1e-3))
#: step, time constant of the soft constraint in steps, solver, friction cone, hardness of friction against that of the
#: normal direction
THEIRS = (
    (4e-3, 2.0, "NEWTON", "PYRAMIDAL", 1),
    (4e-3, 2.0, "NEWTON", "ELLIPTIC", 10),
    (2e-3, 2.0, "NEWTON", "PYRAMIDAL", 1),
    (2e-3, 2.0, "CG", "PYRAMIDAL", 1),
)


def grid(n: int):
    """Centres (n, 3) and half the width of the bin."""
    nx = 6 if n <= 300 else 10 if n <= 2000 else 20 if n <= 20_000 else 46
    a = 0.125
    k = np.arange(n)
    at = np.stack([(k % nx - (nx - 1) / 2) * a, ((k // nx) % nx - (nx - 1) / 2) * a, 0.1 + (k // nx**2) * a], axis=1)
    return at + np.random.default_rng(1).uniform(-4e-3, 4e-3, at.shape), nx * a / 2


def scene(n: int, kind: str, end: float | None = None) -> dict:
    """Positions and shapes: in a mixed heap spheres and boxes take turns.  Balls roll off a heap of 1000 for 3 s."""
    end = end or (2.0 if n <= 300 else 4.0)
    at, width = grid(n)
    box = np.arange(n) % 2 == 1 if kind == "mixed" else np.full(n, kind == "boxes")
    return {
        "at": at.tolist(),
        "box": box.tolist(),
        "width": width,
        "radius": R,
        "edge": EDGE,
        "density": DENSITY,
        "mu": MU,
        "end": end,
    }


def heap(s: dict) -> hn.Model:
    at, box = np.array(s["at"]), np.array(s["box"])
    m = hn.Model("heap")
    m.gravity = (0, 0, -9.81)
    m.rigid.theta = 1.0
    grains = []
    if (~box).any():
        grains.append(m.grains(at[~box], R, "balls", density=DENSITY))
    if box.any():
        grains.append(m.grains(at[box], shape="BOX", dimensions=(EDGE,) * 3, name="boxes", density=DENSITY))
    w = s["width"]
    walls = [m.plane(m.ground, (0, 0, 0), (0, 0, 1))]
    walls += [m.plane(m.ground, (w * x, w * y, 0), (-x, -y, 0)) for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1))]
    for k, g in enumerate(grains):
        for other in grains[k:]:
            m.contact(g, other, mu=MU)
        m.contact(g, walls, mu=MU)
    return m


class Judge:
    """Overlaps of a state, measured with our shapes whoever made it."""

    def __init__(self, s: dict):
        self.system = System(heap(s), rigid=True)
        box = np.array(s["box"])
        self.order = np.concatenate([np.flatnonzero(~box), np.flatnonzero(box)])

    def overlap(self, position: np.ndarray, quaternion: np.ndarray) -> tuple[float, float]:
        y = self.system.y0.copy()
        n = len(position)
        state = y[: 13 * n].reshape(-1, 13)
        state[:, :3], state[:, 3:7] = position[self.order], quaternion[self.order]
        count = self.system.contacts.collect(0.0, y, 1e-4)
        depth = np.maximum(-self.system.contacts.W.pts[:count, GAP], 0.0)
        return float(depth.max(initial=0.0)), float(depth.mean()) if count else 0.0


def tell(who: str, level: str, n: int, row: dict, judge: Judge) -> None:
    if row["before"] is None or not np.isfinite(row["position"]).all():
        print(f"rigid n={n} {who} {level}: diverged, {row['note']}", flush=True)
        return
    deepest, mean = judge.overlap(np.array(row["position"]), np.array(row["quaternion"]))
    times, speed = np.array(row["times"]), np.array(row["speed"])
    above = np.flatnonzero(speed > STILL)
    rest = times[above[-1] + 1] if len(above) and above[-1] + 1 < len(times) else math.inf if len(above) else 0.0
    drift = np.median(np.linalg.norm(np.array(row["position"]) - np.array(row["before"]), axis=1))
    height = np.array(row["position"])[:, 2].mean()
    print(
        f"rigid n={n} {who} {level}: cpu = {row['cpu']:.2f} s, us_per_step = {1e6 * row['cpu'] / row['steps']:.0f}, "
        f"rest at {rest:.2f} s, overlap "
        f"{1e3 * deepest:.4f} (mean {1e3 * mean:.5f}) mm, drift {1e3 * drift:.4f} mm, height {height:.4f} m, "
        f"{row['note']}",
        flush=True,
    )


def ours(s: dict, step: float, iterations: int, tolerance: float, threads: int = 1) -> dict:
    m = heap(s)
    m.rigid.threads = threads
    m.rigid.iterations, m.rigid.tolerance, m.rigid.solver = iterations, tolerance, "NSGS"
    system = System(m, rigid=True)
    stepper = make_integrator("MOREAU_JEAN", system, Options(hmax=step, fixed=True))
    n, end = system.nb, s["end"]
    stepper.start(0.0, assemble(system).y, end)
    judge_order = np.argsort(np.concatenate([np.flatnonzero(~np.array(s["box"])), np.flatnonzero(np.array(s["box"]))]))
    state = lambda: stepper.y[: 13 * n].reshape(-1, 13)[judge_order]
    times, speed, before = [], [], None
    begin = time.process_time()
    while stepper.t < end - 1e-9:
        stepper.step(end)
        times.append(stepper.t)
        speed.append(float(np.sqrt((stepper.y[: 13 * n].reshape(-1, 13)[:, 7:10] ** 2).sum(axis=1).mean())))
        if before is None and stepper.t >= end - 0.5:
            before = state()[:, :3].tolist()
    cpu = time.process_time() - begin
    st = stepper.statistics
    note = (
        f"{st['contact iterations'] / st['steps']:.0f} iterations a step, residual at most "
        f"{st['largest contact residual']:.1e}"
    )
    return {
        "cpu": cpu,
        "steps": st["steps"],
        "times": times,
        "speed": speed,
        "before": before,
        "position": state()[:, :3].tolist(),
        "quaternion": state()[:, 3:7].tolist(),
        "note": note,
    }


def penalty(s: dict) -> None:
    """The heap with a linear penalty (1e5 N/m, 20 N s/m), semi-implicit Euler at 0.5 ms: cost of a step as the heap
    fills."""
    m = heap(s)
    for c in m.table("CONTACT").values():
        c.stiffness, c.exponent, c.damping, c.dmax = 1e5, 1.0, 20.0, 1e-7
        c.mu_static = c.mu_dynamic = MU
        c.stiction_transition_velocity = c.friction_transition_velocity = 1e-2
    system = System(m)
    stepper = make_integrator("SEMI_IMPLICIT_EULER", system, Options(error=1e-3, hmax=5e-4, hmin=5e-4, fixed=True))
    stepper.start(0.0, assemble(system).y, s["end"])
    begin, steps = time.process_time(), 0
    while stepper.t < s["end"] - 1e-9:
        stepper.step(s["end"])
        steps += 1
        if steps % 400 == 0:
            now = time.process_time()
            velocity = stepper.y[: 13 * system.nb].reshape(-1, 13)[:, 7:10]
            print(
                f"rigid n={system.nb} penalty t={stepper.t:.2f}: us_per_step = {1e6 * (now - begin) / 400:.0f}, "
                f"{int(system.contacts.W.count[POINTS])} points, "
                f"speed {np.sqrt((velocity**2).sum(axis=1).mean()):.3g} m/s",
                flush=True,
            )
            begin = now


def main(arguments: list[str]) -> None:
    p = argparse.ArgumentParser(prog="rigid")
    p.add_argument("bodies", nargs="*", type=int)
    p.add_argument("--kind", choices=("spheres", "boxes", "mixed"), default="mixed")
    p.add_argument("--no-peers", action="store_true")
    p.add_argument("--penalty", action="store_true", help="with a penalty law instead")
    p.add_argument("--threads", type=int, default=1, help="of ours; no figure but the CPU seconds depends on them")
    p.add_argument("--levels", default="0,1,2", help="of ours that are run")
    p.add_argument("--theirs", default="0,1,2,3", help="levels of the peer that are run")
    p.add_argument("--end", type=float, help="seconds; 2 up to 300 bodies, 4 beyond")
    p.add_argument("--limit", type=float, default=300.0, help="CPU seconds of a run of a peer")
    a = p.parse_args(arguments)
    print(f"{machine()}; {versions()}")
    if a.penalty:
        for n in a.bodies or [1000]:
            penalty(scene(n, a.kind, a.end or 1.0))
        return
    ours(scene(60, a.kind, 1.0), *LEVELS[0], a.threads)  # compiles
    for n in a.bodies or [200, 1000]:
        s = scene(n, a.kind, a.end)
        judge = Judge(s)
        for step, iterations, tolerance in [LEVELS[int(k)] for k in a.levels.split(",")]:
            row = ours(s, step, iterations, tolerance, a.threads)
            tell("holonom", f"h={step:g} iterations<={iterations} tolerance={tolerance:g}", n, row, judge)
        if a.no_peers:
            continue
        python = peer_python("mujoco", "numpy")
        for step, soft, solver, cone, ratio in [THEIRS[int(k)] for k in a.theirs.split(",")]:
            with tempfile.NamedTemporaryFile("w", suffix=".json") as f:
                json.dump({**s, "step": step, "soft": soft, "solver": solver, "cone": cone, "ratio": ratio}, f)
                f.flush()
                for row in peer_rows("mujoco_rigid", python, a.limit, file=f.name):
                    if "failed" in row:
                        print(f"rigid n={n} mujoco h={step:g} {solver} {cone}: {row['failed']}", flush=True)
                    else:
                        tell("mujoco", f"h={step:g} {solver} {cone} impratio={ratio}", n, row, judge)
