"""N spheres fall into an open box and settle: microseconds per step, explicit and implicit, and growth with N.

    make bench CASE=spheres                          1000 and 5000 spheres explicit, 100 to 1000 implicit, Exudyn
    make bench CASE=spheres ARGS="200 --no-peers"

The peers' problem (`shared/peers`, g1000): r = 5 cm, 1000 kg/m^3, linear penalty 1e5 N/m, 5 N s/m, friction 0.3, a jittered grid, 1 s.
Explicit: semi-implicit Euler at 0.2 ms on both sides, one thread, the whole second.  Implicit: GSTIFF at 1e-3 over 10 ms of the heap.
"""

from __future__ import annotations

import argparse
import json
import math
import tempfile
import time

import numpy as np

import holonom as hn
from holonom.contact.tables import BUILDS, NEAR, POINTS

from .run import machine, peer, versions

R, DENSITY, K, C, MU, ZONE = 0.05, 1000.0, 1e5, 5.0, 0.3, 1e-3
MASS = DENSITY * 4 / 3 * math.pi * R**3
H, END = 2e-4, 1.0


def grid(n: int):
    """Centres (n, 3) and half the width of the box."""
    nx, a = (10 if n <= 1000 else 20), 0.11
    k = np.arange(n)
    at = np.stack([(k % nx - (nx - 1) / 2) * a, ((k // nx) % nx - (nx - 1) / 2) * a, 0.1 + (k // nx**2) * a], axis=1)
    return at + np.random.default_rng(1).uniform(-0.004, 0.004, at.shape), nx * a / 2


def heap(n: int) -> hn.Model:
    places, w = grid(n)
    m = hn.Model(f"{n} spheres", units="SI")
    m.gravity = (0, 0, -9.81)
    inertia = (0.4 * MASS * R * R,) * 3
    balls = []
    for k, p in enumerate(places):
        body = m.part(f"ball {k + 1}", MASS, inertia, tuple(p))
        balls.append(m.sphere(body, tuple(p), R))
    walls = [m.plane(m.ground, (0, 0, 0), (0, 0, 1))]
    for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        walls.append(m.plane(m.ground, (w * x, w * y, 0), (-x, -y, 0)))
    law = dict(stiffness=K, exponent=1.0, damping=C, dmax=1e-7, mu=MU, stiction_transition_velocity=ZONE, friction_transition_velocity=ZONE)
    m.contact(balls, balls, name="balls", **law)
    m.contact(balls, walls, name="box", **law)
    return m


def ready(n: int, integrator: str, y=None, t0: float = 0.0, **options):
    from holonom.analyses.assemble import assemble
    from holonom.integrators import Options, make_integrator
    from holonom.system.build import System

    system = System(heap(n))
    stepper = make_integrator(integrator, system, Options(**options))
    stepper.start(t0, assemble(system).y if y is None else y.copy(), END)
    return system, stepper


def explicit(n: int) -> np.ndarray:
    """Prints; returns the state at the end."""
    system, stepper = ready(n, "SEMI_IMPLICIT_EULER", error=1e-3, hmax=H, hmin=H, fixed=True)
    stepper.step(END)
    steps, clock = 1, time.process_time()
    marks = []
    while stepper.t < END - 1e-12:
        stepper.step(END)
        steps += 1
        if steps % 100 == 0:
            marks.append(time.process_time())
    clock = time.process_time() - clock
    count = system.contacts.W.count
    z = stepper.y[: 13 * n].reshape(-1, 13)[:, 2].mean()
    settled = 1e4 * float(np.median(np.diff(marks[-12:])))  # of 100 steps: least disturbed at the end
    print(f"spheres n={n} explicit_us_per_step = {1e6 * clock / steps:.0f} (heap {settled:.0f}; {count[NEAR]} near, {count[POINTS]} acting, "
          f"a search every {steps / max(1, count[BUILDS]):.0f} steps, mean height {z:.4f} m)", flush=True)  # fmt: skip
    return stepper.y.copy(), clock


def implicit(n: int, y: np.ndarray) -> None:
    window = 0.01
    system, stepper = ready(n, "GSTIFF", y, 1.0, error=1e-3, hinit=1e-5, hmax=1e-3)
    stepper.step(1.0 + window)
    before, clock = dict(stepper.statistics), time.process_time()
    while stepper.t < 1.0 + window - 1e-12:
        stepper.step(1.0 + window)
    clock = time.process_time() - clock
    now = {k: stepper.statistics[k] - before[k] for k in before}
    rejected = sum(v for k, v in now.items() if "rejected" in k)
    print(f"spheres n={n} implicit_us_per_step = {1e6 * clock / now['steps']:.0f} ({now['steps']} steps, {now['iterations'] / now['steps']:.1f} "
          f"iterations a step, {rejected} rejected, {system.contacts.W.count[POINTS]} acting, nnz(L+U) = {stepper.lu.fill}, "
          f"{1e6 * clock / now['steps'] / n:.1f} us a sphere)", flush=True)  # fmt: skip


def main(arguments: list[str]) -> None:
    p = argparse.ArgumentParser(prog="spheres")
    p.add_argument("spheres", nargs="*", type=int)
    p.add_argument("--implicit", default="100,300,1000")
    p.add_argument("--no-peers", action="store_true")
    a = p.parse_args(arguments)
    sizes = a.spheres or [1000, 5000]
    print(f"{machine()}; {versions()}")
    used = {}
    few = [int(x) for x in a.implicit.split(",") if x]
    for n in sorted({*sizes, *few}):
        y, used[n] = explicit(n)
        if n in few:
            implicit(n, y)
    for n in sizes:
        if not a.no_peers:
            places, w = grid(n)
            with tempfile.NamedTemporaryFile("w", suffix=".json") as f:
                json.dump({"places": places.tolist(), "box": w, "radius": R, "mass": MASS, "k": K, "c": C, "mu": MU, "zone": ZONE, "h": H,
                           "end": END}, f)  # fmt: skip
                f.flush()
                theirs = peer("exudyn_spheres", ("exudyn", "numpy"), file=f.name)
            print(f"spheres n={n} exudyn_us_per_step = {1e6 * theirs['seconds'] / theirs['steps']:.0f} (mean height {theirs['height']:.4f} m, "
                  f"{theirs['version']})")  # fmt: skip
            print(f"spheres n={n} exudyn_over_holonom = {theirs['seconds'] / used[n]:.2f}", flush=True)
    if len(sizes) > 1:
        a, b = sizes[0], sizes[-1]
        print(f"spheres growth exponent_{a}_{b} = {math.log(used[b] / used[a]) / math.log(b / a):.2f}")
