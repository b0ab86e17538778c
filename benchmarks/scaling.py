"""Growth with size: CPU time of set-up and of a step, and memory, for chains, trees and rows of closed loops.

    make bench CASE=scaling                                    10 to 10,000 bodies, an explicit and an implicit
        integrator
    make bench CASE=scaling ARGS="tree --sizes 100 1000"

Every size runs in a process of its own.  ``exponent`` is the slope on log-log scales between neighbouring sizes: 1 is
linear. Set-up is distinguished: ``model`` (Python calls that draw it), ``system`` (numbering, tables, patterns),
``assembly``; memory is the growth of the resident set over that of a small machine of the same kind.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import subprocess
import sys
import time
import tracemalloc

import numpy as np

import holonom as hn

from .run import HERE, ROOT, machine, versions

SIZES = (10, 100, 1000, 10000)
METHODS = ("DOP853", "HHT")
STEPS = {"DOP853": 6, "HHT": 12}
LENGTH, MASS, WIDTH = 0.1, 0.5, 0.02
INERTIA = (MASS / 12 * 2 * WIDTH**2, MASS / 12 * (LENGTH**2 + WIDTH**2), MASS / 12 * (LENGTH**2 + WIDTH**2))


def chain(n: int) -> hn.Model:
    """Rods in a row, hinges about y and z in turn."""
    from .chain import chain

    return chain(n)


def tree(n: int) -> hn.Model:
    """Binary tree: each rod carries two more at its end."""
    m = hn.Model(f"tree{n}")
    m.gravity = (0.0, -3.0, -9.81)
    ends: list = [(m.ground, np.zeros(3), 0.0)]
    for k in range(n):
        parent, at, angle = ends[(k + 1) // 2] if k else ends[0]
        turned = angle + (0.4 if k % 2 else -0.4)
        along = np.array([math.cos(turned), math.sin(turned), 0.0])
        axes = np.column_stack([along, [-along[1], along[0], 0.0], [0.0, 0.0, 1.0]])
        link = m.part(f"link{k}", MASS, INERTIA, tuple(at + 0.5 * LENGTH * along), axes=axes)
        m.revolute(link, parent, at=tuple(at), axis=tuple(axes[:, 1]) if k % 3 else (0, 0, 1))
        ends.append((link, at + LENGTH * along, turned))
    return m


def loops(n: int) -> hn.Model:
    """Four-bar windows in a row, upright, each closed; every joint a hinge, so each loop has redundant rows."""
    from .problems import machines

    return machines.four_bars(max(1, (n - 1) // 2))


def bundle(n: int) -> hn.Model:
    """Four-bars side by side on one carriage that slides: closed loops that meet in one body."""
    m = hn.Model(f"bundle{n}")
    m.gravity = (0.0, -9.81, 0.0)
    carriage = m.part("carriage", 10.0, (1.0, 1.0, 1.0), (0.0, 0.0, 0.0))
    m.translational(carriage, m.ground, "rail", at=(0, 0, 0), axis=(1, 0, 0))
    for k in range(max(1, (n - 1) // 3)):
        z = 0.1 * k
        bars = []
        for name, p, q, spin in (("a", (0, 0), (0, 1), -1.0), ("b", (1, 0), (1, 1), -1.0), ("c", (0, 1), (1, 1), 0.0)):
            d = np.subtract(q, p)
            axes = np.array([[d[0], -d[1], 0.0], [d[1], d[0], 0.0], [0.0, 0.0, 1.0]])
            bars.append(
                m.part(
                    f"{name}{k}",
                    1.0,
                    (1e-3, 1 / 12, 1 / 12),
                    (*(0.5 * np.add(p, q)), z),
                    axes=axes,
                    velocity=(0.5 if spin else 1.0, 0.0, 0.0),
                    angular_velocity=(0.0, 0.0, spin),
                )
            )
        a, b, c = bars
        for i, j, at in ((a, carriage, (0, 0)), (b, carriage, (1, 0)), (c, a, (0, 1)), (b, c, (1, 1))):
            m.revolute(i, j, at=(*at, z), axis=(0, 0, 1))
    return m


FAMILIES = {"chain": chain, "tree": tree, "loops": loops, "bundle": bundle}


def resident() -> float:
    """Bytes held now."""
    try:
        with open("/proc/self/statm") as f:
            return int(f.read().split()[1]) * resource.getpagesize()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024.0


def one(family: str, n: int, method: str) -> dict:
    """Seconds of set-up by part and of a step, bytes.  Machines are drawn fitting, so steps need no assembly."""
    from holonom.integrators import Options, make_integrator
    from holonom.system.build import System

    def go(size):
        clock = time.process_time
        t = [clock()]
        model = FAMILIES[family](size)
        t.append(clock())
        system = System(model)
        t.append(clock())
        stepper = make_integrator(method, system, Options(error=1e-4, hmax=1e-3))
        stepper.start(0.0, system.y0.copy(), 10.0)
        stepper.step(10.0)
        t.append(clock())
        least = math.inf
        tracemalloc.start()
        for _ in range(STEPS[method]):
            begin = clock()
            stepper.step(10.0)
            least = min(least, clock() - begin)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return system, stepper, np.diff(t), least, peak

    go(10)  # loads kernels
    before = resident()
    system, _stepper, t, step, peak = go(n)
    return {
        "bodies": system.nb,
        "rows": system.m,
        "model": t[0],
        "system": t[1],
        "first": t[2],
        "step": step,
        "memory": resident() - before,
        "peak_in_steps": peak,
    }


def assembly(family: str, n: int) -> dict:
    """Seconds of the assembly, which finds redundant rows, too."""
    from holonom.analyses.assemble import assemble
    from holonom.system.build import System

    assemble(System(FAMILIES[family](10)))  # loads kernels
    system = System(FAMILIES[family](n))
    clock = time.process_time()
    found = assemble(system)
    return {
        "assembly": time.process_time() - clock,
        "dof": found.dof,
        "redundant": len(found.redundant.dropped) if found.redundant else 0,
    }


def apart(call: str, limit: float) -> dict:
    """``call`` of this module in a process of its own."""
    code = f"import json; from benchmarks.scaling import *; print(json.dumps({call}))"
    try:
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, timeout=limit, check=False
        )
    except subprocess.TimeoutExpired:
        return {"failed": f"more than {limit:.0f} s"}
    if done.returncode:
        return {"failed": (done.stderr.strip().splitlines() or ["no message"])[-1][:200]}
    return json.loads(done.stdout.strip().splitlines()[-1])


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="scaling")
    parser.add_argument("families", nargs="*", help=f"of {', '.join(FAMILIES)}; default all")
    parser.add_argument("--sizes", nargs="*", type=int, default=SIZES)
    parser.add_argument("--methods", nargs="*", default=METHODS)
    parser.add_argument("--limit", type=float, default=1200.0, help="seconds that one size may take")
    parser.add_argument(
        "--assembly", action=argparse.BooleanOptionalAction, default=True, help="time the assembly, too"
    )
    a = parser.parse_args(arguments)
    print(machine())
    print(versions())
    (HERE / "out").mkdir(exist_ok=True)
    for family in a.families or FAMILIES:
        for n in a.sizes if a.assembly else ():
            r = apart(f"assembly({family!r}, {n})", a.limit)
            said = (
                f"failed ({r['failed']})"
                if "failed" in r
                else f"{r['assembly']:.2f} s, {r['redundant']} redundant rows, {r['dof']} degrees of freedom"
            )
            print(f"scaling {family} bodies={n} assembly: {said}", flush=True)
            if "failed" in r:
                break
        for method in a.methods:
            last = None
            for n in a.sizes:
                r = apart(f"one({family!r}, {n}, {method!r})", a.limit)
                if "failed" in r:
                    print(f"scaling {family} {method} bodies={n}: failed ({r['failed']})", flush=True)
                    break
                with (HERE / "out" / "scaling.jsonl").open("a") as f:
                    f.write(json.dumps({"family": family, "method": method, **r}) + "\n")
                more = ""
                if last:
                    slope = lambda k, r=r, last=last: (
                        math.log(max(r[k], 1e-9) / max(last[k], 1e-9)) / math.log(r["bodies"] / last["bodies"])
                    )
                    more = f", exponent {slope('step'):.2f}, of set-up {slope('system'):.2f}"
                print(
                    f"scaling {family} {method} bodies={r['bodies']} rows={r['rows']} us_per_step = "
                    f"{1e6 * r['step']:.1f} "
                    f"({1e6 * r['step'] / r['bodies']:.2f} a body{more}; model {r['model']:.2f} s, system "
                    f"{r['system']:.2f} s, "
                    f"first step {r['first']:.2f} s, {r['memory'] / 1024 / r['bodies']:.1f} kB a body, "
                    f"allocated in steps {r['peak_in_steps'] / 1024:.1f} kB)",
                    flush=True,
                )
                last = r
