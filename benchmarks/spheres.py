"""N spheres fall into an open box and settle: microseconds per step, explicit and implicit, and growth with N.

    make bench CASE=spheres                          1000 and 5000 spheres explicit, 100 to 1000 implicit, Exudyn; then
        the grains
    make bench CASE=spheres ARGS="200 --no-peers"
    make bench CASE=spheres ARGS="--grains 1000,10000,100000"      the grains alone, on one thread and on two, Exudyn
        next to them
    make bench CASE=spheres ARGS="--settle 100000"                 until all rest: how long, and whether the box carries
        their weight

The peers' problem (`shared/peers`, g1000): r = 5 cm, 1000 kg/m^3, linear penalty 1e5 N/m, 5 N s/m, friction 0.3, a
jittered grid, 1 s.
Explicit: semi-implicit Euler at 0.2 ms on both sides, one thread, the whole second.  Implicit: GSTIFF at 1e-3 over 10
ms of the heap.

Grains (`holonom.granular`): the whole second on one thread by CPU time, then the heap on one thread and on two: CPU of
the busiest thread (the clock is reported next to it), least of many short runs, plus the share of making lists; Exudyn
continues from the same heap, with the best of several numbers of cells of its search tree.
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
    nx, a = (10 if n <= 1000 else 20 if n <= 10_000 else 46), 0.11
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
    law = dict(
        stiffness=K,
        exponent=1.0,
        damping=C,
        dmax=1e-7,
        mu=MU,
        stiction_transition_velocity=ZONE,
        friction_transition_velocity=ZONE,
    )
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
    print(
        f"spheres n={n} explicit_us_per_step = {1e6 * clock / steps:.0f} (heap {settled:.0f}; {count[NEAR]} near, "
        f"{count[POINTS]} acting, "
        f"a search every {steps / max(1, count[BUILDS]):.0f} steps, mean height {z:.4f} m)",
        flush=True,
    )
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
    print(
        f"spheres n={n} implicit_us_per_step = {1e6 * clock / now['steps']:.0f} ({now['steps']} steps, "
        f"{now['iterations'] / now['steps']:.1f} "
        f"iterations a step, {rejected} rejected, {system.contacts.W.count[POINTS]} acting, nnz(L+U) = "
        f"{stepper.lu.fill}, "
        f"{1e6 * clock / now['steps'] / n:.1f} us a sphere)",
        flush=True,
    )


def grains(n: int, threads: int = 1):
    from holonom.granular import Granular, Law

    class Timed(Granular):
        """Keeps the CPU time of each thread: where other work shares the processors, the busiest thread gives what the
        clock cannot."""

        def _each(self, kernel, state, *rest):
            self.used = getattr(self, "used", [0.0] * self.threads)

            def timed(state, t, T, *rest):
                clock = time.thread_time()
                done = kernel(state, t, T, *rest)
                self.used[t] += time.thread_time() - clock
                return done

            return super()._each(timed, state, *rest)

    places, w = grid(n)
    law = Law(
        stiffness=K,
        damping=C,
        dmax=1e-7,
        mu_static=MU,
        stiction_transition_velocity=ZONE,
        friction_transition_velocity=ZONE,
    )
    g = Timed(law, step=H, gravity=(0, 0, -9.81), threads=threads)
    g.add(places, R, mass=MASS)
    g.wall("box").box((-w, -w, 0), (w, w, 1), open="top")
    return g


def heap_of_grains(n: int):
    """Prints the whole second; returns the heap."""
    g = grains(n)
    g.advance(1)
    clock, steps = time.process_time(), round(END / H) - 1
    g.advance(steps)
    clock = time.process_time() - clock
    touching = len(g.contacts().a)
    print(
        f"spheres n={n} grains_us_per_step = {1e6 * clock / steps:.1f} ({1e9 * clock / steps / n:.0f} ns a sphere; at "
        "the end "
        f"{touching / n:.2f} contacts a sphere, mean height {g.pos[:, 2].mean():.4f} m; lists every "
        f"{steps / g.builds:.0f} steps; "
        f"{g.memory / n:.0f} bytes a sphere)",
        flush=True,
    )
    return g


def least(n: int, heap, threads: int) -> float:
    """Microseconds a step of the heap, CPU of the busiest thread, least of many short runs; prints them, and the
    clock."""
    g = grains(n, threads)
    g.set(pos=heap.pos, vel=heap.vel, omega=heap.omega)
    chunk = max(1, 20_000 // n)
    g.advance(chunk)
    clock = cpu = lists = math.inf
    start, until = g.builds, time.perf_counter() + 20.0
    while time.perf_counter() < until or g.steps < 40 * chunk:
        before, wall, builds = list(g.used), time.perf_counter(), g.builds
        g.advance(chunk)
        if g.builds == builds:
            clock = min(clock, (time.perf_counter() - wall) / chunk)
            cpu = min(cpu, max(b - a for a, b in zip(before, g.used)) / chunk)
    every = (g.steps - chunk) / max(1, g.builds - start)
    for _ in range(10):
        g.set(vel=g.vel)  # lists are outdated by every change from outside
        began = time.thread_time()
        g._ready()
        lists = min(lists, time.thread_time() - began)
    total = cpu + lists / every
    print(
        f"spheres n={n} threads={threads} grains_heap_us_per_step = {1e6 * total:.1f} ({1e6 * cpu:.1f} and "
        f"{1e6 * lists:.0f} for lists every "
        f"{every:.0f} steps; {1e6 * clock:.1f} by the clock)",
        flush=True,
    )
    return 1e6 * total


def exudyn_heap(n: int, heap, threads: int, cells: int) -> tuple[float, float]:
    """Microseconds a step by the clock and of CPU, least of several runs."""
    _, w = grid(n)
    few, runs = max(2, 20_000 // n), 6
    state = {
        "places": heap.pos.tolist(),
        "speeds": heap.vel.tolist(),
        "spins": heap.omega.tolist(),
        "box": w,
        "radius": R,
        "mass": MASS,
        "k": K,
        "c": C,
        "mu": MU,
        "zone": ZONE,
        "h": H,
        "end": END,
        "threads": threads,
        "cells": [cells] * 3,
        "windows": [few] * runs,
    }
    with tempfile.NamedTemporaryFile("w", suffix=".json") as f:
        json.dump(state, f)
        f.flush()
        windows = peer("exudyn_spheres", ("exudyn", "numpy"), file=f.name)["windows"]
    return min(1e6 * wall / k for k, wall, _ in windows), min(1e6 * cpu / k for k, _, cpu in windows)


def run_to_rest(n: int, threads: int, most: float = 6.0) -> None:
    """Until the mean kinetic energy is 1e-8 of m g R; then the forces on the walls against the weight, and the stress
    at the floor."""
    from holonom.granular import Granular, Law
    from holonom.granular.statistics import coordination, packing_fraction, stress

    places, w = grid(n)
    # springs of friction are damped, rolling and spinning resisted a little: without that a few balls swing and spin
    # for ever
    law = Law(
        "LINEAR",
        stiffness=K,
        restitution=0.4,
        friction="SPRING",
        mu_static=MU,
        tangential_damping=20.0,
        rolling_coefficient=0.01,
        spinning_resistance=1e-4,
    )
    g = Granular(law, step=H, gravity=(0, 0, -9.81), threads=threads)
    g.add(places, R, mass=MASS)
    floor, sides = (
        g.wall("floor").plane((0, 0, 0), (0, 0, 1)),
        g.wall("sides").box((-w, -w, 0), (w, w, 1), open="top bottom"),
    )
    cpu, clock, scale, mean = time.process_time(), time.perf_counter(), MASS * 9.81 * R, math.inf
    while g.time < most and not mean < 1e-8:
        g.advance(round(0.25 / H))
        e = g.energy()
        mean = (e.kinetic + e.rotational) / n / scale
        print(
            f"  t = {g.time:.2f} s: kinetic energy {mean:.2e} of m g R, {time.process_time() - cpu:.0f} s of CPU",
            flush=True,
        )
    print(
        f"spheres n={n} threads={threads} settle_seconds = {time.process_time() - cpu:.0f} of CPU "
        f"({time.perf_counter() - clock:.0f} by the clock; "
        f"{g.steps} steps, kinetic energy {mean:.1e} of m g R, greatest speed "
        f"{np.linalg.norm(g.vel, axis=1).max():.1e} m/s)"
    )
    weight, area, top = n * MASS * 9.81, 4 * w * w, float(np.quantile(g.pos[:, 2], 0.99))
    lowest = stress(g, (-w, -w, 0), (w, w, 0.5 * R))[2, 2]
    print(
        f"spheres n={n} settle_force_over_weight = {-(floor.force + sides.force)[2] / weight:.6f} (floor "
        f"{-floor.force[2] / weight:.4f}, friction on "
        "the sides the rest; stress zz at the floor times its area over the floor's force "
        f"{lowest * area / -floor.force[2]:.6f})"
    )
    parts = []
    for k in range(
        4
    ):  # what a layer carries on average: the weight above it and half its own, less what the sides took
        low, high = 0.25 * k * top, 0.25 * (k + 1) * top
        above = float(MASS * 9.81 * np.clip((g.pos[:, 2] - low) / (high - low), 0.0, 1.0).sum())
        s = stress(g, (-w, -w, low), (w, w, high))
        parts.append(f"{s[2, 2] * area / above:.3f} ({0.5 * (s[0, 0] + s[1, 1]) / s[2, 2]:.2f})")
    number = coordination(g)
    inner = packing_fraction(g, (-w + 4 * R, -w + 4 * R, 4 * R), (w - 4 * R, w - 4 * R, 0.8 * top))
    print(
        f"spheres n={n} settle_coordination = {number.mean():.2f} (without rattlers {number[number > 1].mean():.2f}; "
        f"packing fraction {inner:.3f}; "
        "stress zz in quarters from below over the weight it stands under, and sideways over upright: "
        f"{', '.join(parts)})",
        flush=True,
    )


def grains_beside_exudyn(sizes: list[int], peers: bool) -> None:
    clock = {}
    for n in sizes:
        heap = heap_of_grains(n)
        ours = {threads: least(n, heap, threads) for threads in (1, 2)}
        clock[n] = ours[1]
        print(f"spheres n={n} grains_two_threads_gain = {ours[1] / ours[2]:.2f}", flush=True)
        if not peers:
            continue
        found = {cells: exudyn_heap(n, heap, 1, cells) for cells in ((10, 20, 40) if n <= 10_000 else (20, 40))}
        cells = min(found, key=lambda k: found[k][1])
        print(
            f"spheres n={n} exudyn_heap_us_per_step = {found[cells][1]:.0f} of CPU ({found[cells][0]:.0f} by the "
            f"clock; {cells} cells a side, "
            f"others {', '.join(f'{k}: {v[1]:.0f}' for k, v in found.items() if k != cells)})",
            flush=True,
        )
        two = exudyn_heap(n, heap, 2, cells)
        print(f"spheres n={n} exudyn_two_threads_us_per_step = {two[0]:.0f} by the clock ({two[1]:.0f} of CPU)")
        print(f"spheres n={n} exudyn_over_grains = {found[cells][1] / ours[1]:.1f}", flush=True)
    for a, b in zip(sizes, sizes[1:]):
        print(f"spheres grains growth exponent_{a}_{b} = {math.log(clock[b] / clock[a]) / math.log(b / a):.2f}")


def main(arguments: list[str]) -> None:
    p = argparse.ArgumentParser(prog="spheres")
    p.add_argument("spheres", nargs="*", type=int)
    p.add_argument("--implicit", default="100,300,1000")
    p.add_argument("--grains", help="sizes of the heaps of grains; given alone, nothing else runs")
    p.add_argument("--settle", help="sizes of heaps that come to rest; given alone, nothing else runs")
    p.add_argument("--threads", type=int, default=1, help="of --settle")
    p.add_argument("--no-peers", action="store_true")
    a = p.parse_args(arguments)
    print(f"{machine()}; {versions()}")
    if a.settle:
        for n in a.settle.split(","):
            run_to_rest(int(n), a.threads)
        return
    grained = [int(x) for x in (a.grains or "1000,10000").split(",") if x]
    if a.grains and not a.spheres:
        grains_beside_exudyn(grained, not a.no_peers)
        return
    sizes = a.spheres or [1000, 5000]
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
                json.dump(
                    {
                        "places": places.tolist(),
                        "box": w,
                        "radius": R,
                        "mass": MASS,
                        "k": K,
                        "c": C,
                        "mu": MU,
                        "zone": ZONE,
                        "h": H,
                        "end": END,
                    },
                    f,
                )
                f.flush()
                theirs = peer("exudyn_spheres", ("exudyn", "numpy"), file=f.name)
            print(
                f"spheres n={n} exudyn_us_per_step = {1e6 * theirs['seconds'] / theirs['steps']:.0f} (mean height "
                f"{theirs['height']:.4f} m, "
                f"{theirs['version']})"
            )
            print(f"spheres n={n} exudyn_over_holonom = {theirs['seconds'] / used[n]:.2f}", flush=True)
    if len(sizes) > 1:
        few, many = sizes[0], sizes[-1]
        print(f"spheres growth exponent_{few}_{many} = {math.log(used[many] / used[few]) / math.log(many / few):.2f}")
    if a.grains or not a.spheres:
        grains_beside_exudyn(grained, not a.no_peers)
