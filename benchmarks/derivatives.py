"""Gradients of runs: cost in runs, and errors against differences of runs and closed forms.

make bench CASE=derivatives                all machines and closed forms, some minutes
make bench CASE=derivatives ARGS="chain"   machines whose names begin so
make bench CASE=derivatives ARGS="--hht"   machines with HHT at error 1e-6: cost, sweeps of the transposed solves, error
                                           of the gradient against DOP853

Each machine: numbers that the gradient is taken by, steps of the run, CPU seconds of `simulate` (build, assembly and
run, nothing recorded) and of the whole `gradient`, their ratio, and the error of the derivative along a random
direction in all numbers against six-point differences of runs at error 1e-12; then what central differences of runs
at the same error would cost, and their error along that direction.  Each closed form: the largest relative
error of the derivatives.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from pathlib import Path

import numpy as np

import holonom as hn
from holonom._six_points import AT, WEIGHTS

from .run import ROOT, machine, versions

SIZE = 1e-4  # of the values, step of differences


def chain(n: int = 50) -> tuple[hn.Model, str]:
    """A hanging chain of ``n`` links on ball joints, with springs between every second one, from an oblique start."""
    m = hn.Model("chain")
    m.gravity = (0, 0, -9.81)
    way = np.array([0.1, 0.02, 0.0])
    links = [
        m.part(f"link{k}", 0.2 + 0.002 * k, (2e-4, 3e-4, 4e-4), position=tuple((k + 0.5) * way), velocity=(0, 0, 0))
        for k in range(n)
    ]
    for k, link in enumerate(links):
        m.spherical(link, links[k - 1] if k else m.ground, at=tuple(k * way))
        near = links[k - 2] if k > 1 else m.ground
        ends = m.marker(link, (0.0, 0.01, 0.02)), m.marker(near, (0.01, 0.0, 0.02))
        m.spring_damper(*ends, 20.0, 0.1, length=0.15)
    tip = m.marker(links[-1], (0.05, 0.0, 0.01))
    return m, f"DZ({tip})+0.1*VX({tip})"


def bushings(n: int = 20) -> tuple[hn.Model, str]:
    """Bodies in a row, held by bushings alone."""
    m = hn.Model("bushings")
    m.gravity = (0, 0.3, -9.81)
    body = m.ground
    for k in range(n):
        at = (0.1 * (k + 1), 0.0, 0.0)
        new = m.part(f"b{k}", 0.5, (1e-3, 2e-3, 3e-3), position=at)
        middle = (0.1 * k + 0.05, 0.0, 0.01)
        ends = m.marker_at(new, middle), m.marker_at(body, middle)
        m.bushing(*ends, (2e4, 3e4, 4e4), (200, 300, 400), (5, 6, 7), (0.05, 0.06, 0.07))
        body = new
    tip = m.marker(body, (0.05, 0.0, 0.01))
    return m, f"DZ({tip})+0.1*VX({tip})"


def crane() -> tuple[hn.Model, str]:
    """The shipped loader crane: 14 bodies, closed loops, motions, compliant feet."""
    sys.path.insert(0, str(Path(ROOT) / "examples"))
    import crane as shipped

    m = shipped.build()
    load = m.find("PART", "crate")
    return m, f"DX({load.cm})+DZ({load.cm})"


def sedan() -> tuple[hn.Model, str]:
    """The shipped sedan with compliant suspensions in a lane change at 20 m/s: place and heading at its end."""
    from holonom.vehicle import Vehicle

    there, back = "STEP5(TIME,0.1,0,0.5,1)-2*STEP5(TIME,0.5,0,1.1,1)", "STEP5(TIME,1.1,0,1.5,1)"
    m = Vehicle("sedan", "compliant").model(20.0, f"0.6*({there}+{back})")
    chassis = m.find("PART", "chassis")
    return m, f"DY({chassis.cm})+1000*AZ({chassis.cm})"


def arm() -> tuple[hn.Model, str]:
    """A flexible arm of 16 beam elements and 20 modes on a pin, with a load on ten springs along it."""
    m = hn.Model("arm")
    m.gravity = (0, 0, -9.81)
    part = m.part("arm", 1.0, (1, 1, 1), position=(0.5, 0, 0))
    section = hn.flexible.Section.rectangle(0.05, 0.03)
    elements = hn.flexible.beam((0, 0, 0), (1, 0, 0), section, E=2e8, density=1000.0, elements=16, y=(0, 1, 0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # mass and inertia of the part become those of the elements
        m.make_flexible(part, elements, modes=14, interfaces=[1, 17], damping=0.02)
    m.revolute(part, m.ground, at=(0, 0, 0), axis=(0, 1, 0))
    for k in range(10):
        at = (0.1 * (k + 1), 0.0, 0.0)
        m.spring_damper(m.marker_at(part, at), m.marker(m.ground, (at[0], 0.1, 0.4)), 20.0, 0.1, 0.35)
    tip = m.marker_at(part, (1.0, 0.0, 0.0))
    return m, f"DZ({tip})+0.1*VX({tip})"


MACHINES = {
    "chain of 50 with springs": (chain, 0.3),
    "20 bushings": (bushings, 0.1),
    "crane": (crane, 3.0),
    "flexible arm": (arm, 0.3),
    "sedan": (sedan, 2.0),
}


def numbers(m: hn.Model) -> list[str]:
    """Masses, principal inertias, gravity, numbers of pair forces, coefficients of tyres, damping of modes, positions
    of markers of pair forces and of joints."""
    out = ["GRAVITY"]
    for p in m.table("PART").values():
        if p is not m.ground and p.mass:
            out += [f"PART/{p.id}.MASS", f"PART/{p.id}.IP"]
    for e in m.table("SPRINGDAMPER").values():
        out += [f"SPRINGDAMPER/{e.id}.{f}" for f in ("K", "C", "LENGTH")]
    for e in m.table("BUSHING").values():
        out += [f"BUSHING/{e.id}.{f}" for f in ("K", "C", "KT", "CT")]
    for e in m.table("TYRE_PAC2002").values():
        out += [f"TYRE_PAC2002/{e.id}.COEFFICIENTS({name})" for name, v in e.coefficients.items() if v]
    out += [f"FLEXIBILITY/{e.id}.DAMPING" for e in m.table("FLEXIBILITY").values()]
    some = [e for kind in ("SPRINGDAMPER", "BUSHING", "JOINT") for e in m.table(kind).values()]
    ends = {k for e in some for k in e.ports if e.KIND != "JOINT" or e.type in ("SPHERICAL", "REVOLUTE")}
    return out + [f"MARKER/{k}.QP" for k in sorted(ends)]


def least(work, repeats: int = 3) -> tuple[float, object]:
    """Least CPU seconds, and the result."""
    best, out = np.inf, None
    for _ in range(repeats):
        start = time.process_time()
        out = work()
        best = min(best, time.process_time() - start)
    return best, out


def measure(name: str, build, end: float, names=None) -> None:
    m, text = build()
    J = hn.final(text)
    names = numbers(m) if names is None else names
    hn.gradient(m, J, names[:2], end=end)  # compiles
    run = lambda: hn.simulate(m, end=end, steps=1, integrator="DOP853", error=1e-10, planar=False)
    run()
    base, _ = least(run)
    cost, g = least(lambda: hn.gradient(m, J, names, end=end))
    rng = np.random.default_rng(0)
    value = {n: np.asarray(m.number(n).read(m), float) for n in names if not n.startswith("MARKER") or "chain" in name}
    way = {n: rng.standard_normal(v.shape) * np.abs(v) for n, v in value.items()}
    ours = sum(float(np.sum(np.asarray(g[n]) * way[n])) for n in value)

    def at(k, error=1e-12):
        moved = {n: (v + k * SIZE * way[n]).tolist() for n, v in value.items()}
        return hn.gradient(m.with_parameters(moved), J, [], end=end, error=error).value

    theirs = sum(w * at(k) for k, w in zip(AT, WEIGHTS)) / SIZE
    usual = (at(1.0, 1e-10) - at(-1.0, 1e-10)) / (2.0 * SIZE)
    print(
        f"{name}: numbers={len(g.vector)} steps={g.steps} simulate={base:.3f}s gradient={cost:.3f}s "
        f"runs={cost / base:.1f} error={abs(ours / theirs - 1):.1e}; central differences: "
        f"runs={2 * len(g.vector)} error={abs(usual / theirs - 1):.1e}",
        flush=True,
    )


def measure_hht(name: str, build, end: float) -> None:
    from holonom.integrators import adjoint_alpha_family as family

    m, text = build()
    J, names, how = hn.final(text), numbers(m), {"integrator": "HHT", "error": 1e-6}
    exact = hn.gradient(m, J, names, end=end).vector
    run = lambda: hn.simulate(m, end=end, steps=1, planar=False, formulation="I3", **how)
    run()
    base, _ = least(run)
    counts, back = [], family.back
    family.back = lambda *given: counts.append(back(*given)) or counts[-1]
    try:
        cost, g = least(lambda: hn.gradient(m, J, names, end=end, **how))
    finally:
        family.back = back
    error = np.linalg.norm(g.vector - exact) / np.linalg.norm(exact)
    print(
        f"{name}, HHT: numbers={len(g.vector)} steps={g.steps} simulate={base:.3f}s gradient={cost:.3f}s "
        f"runs={cost / base:.1f} sweeps={np.mean(counts):.1f} error={error:.1e}",
        flush=True,
    )


def pendulum(end: float, error: float) -> float:
    """theta = 2 arcsin(k sn(K - w t, k)), k = sin(angle/2), w^2 = m g l/(J + m l^2); x = l sin(theta)."""
    from scipy.special import ellipj, ellipk

    values = {"l": 0.8, "m": 2.0, "J": 0.1, "g": 9.81, "angle": 1.2}
    m = hn.Model("pendulum")
    l, w, j, a, p = (m.parameter(n, v) for n, v in values.items())
    m.gravity = (0, 0, -a)
    at = (l * p.apply(np.sin), 0.0, -l * p.apply(np.cos))
    rod = m.part("rod", mass=w, inertia=(0.1, j, 0.1), position=at)
    m.revolute(rod, m.ground, "pin", at=(0, 0, 0), axis=(0, 1, 0))

    def exact(l, m, J, g, angle):
        w, k = np.sqrt(m * g * l / (J + m * l * l)), np.sin(angle / 2)
        return l * np.sin(2 * np.arcsin(k * ellipj(ellipk(k * k) - w * end, k * k)[0]))

    return compare(m, hn.final(f"DX({rod})"), values, exact, end, error)


def oscillator(end: float, error: float) -> float:
    """x'' + 2 d w x' + w^2 x = 0 from rest at x0 - l."""
    values = {"k": 200.0, "c": 1.5, "m": 2.0, "x0": 1.3, "l": 1.0}
    model = hn.Model("oscillator")
    model.gravity = (0, 0, 0)
    k, c, w, x0, l = (model.parameter(n, v) for n, v in values.items())
    block = model.part("block", w, (0.1,) * 3, position=(x0, 0, 0))
    model.translational(block, model.ground, at=(0, 0, 0), axis=(1, 0, 0))
    model.spring_damper(model.marker_at(block, (x0, 0, 0)), model.marker(model.ground), k, c, length=l)

    def exact(k, c, m, x0, l):
        d, w = c / (2 * m), np.sqrt(k / m - (c / (2 * m)) ** 2)
        return l + (x0 - l) * np.exp(-d * end) * (np.cos(w * end) + d / w * np.sin(w * end))

    return compare(model, hn.final(f"DX({block})"), values, exact, end, error)


def compare(m, J, values, exact, end, error) -> float:
    """Largest relative error of the derivatives of a closed form."""
    g = hn.gradient(m, J, list(values), end=end, error=error)
    worst = 0.0
    for name, value in values.items():
        h = 2e-3 / end * value  # phases grow with time
        slope = sum(w * exact(**{**values, name: value + k * h}) for k, w in zip(AT, WEIGHTS)) / h
        worst = max(worst, abs(g[name] - slope) / max(abs(slope), abs(g.value / value)))
    return worst


def main(arguments=None):
    options = argparse.ArgumentParser(prog="derivatives")
    options.add_argument("names", nargs="*")
    options.add_argument("--hht", action="store_true")
    chosen = options.parse_args(arguments)
    print(machine(), versions(), sep="; ", flush=True)
    wanted = lambda name: not chosen.names or any(name.startswith(n) for n in chosen.names)
    for name, (build, end) in MACHINES.items():
        if wanted(name) and chosen.hht:
            measure_hht(name, build, end)
        elif wanted(name):
            measure(name, build, end)
    if chosen.hht:
        return
    for name, case, end, error in (
        ("pendulum, 3 s", pendulum, 3.0, 1e-10), ("pendulum, 100 s", pendulum, 100.0, 1e-12),
        ("oscillator, 3 s", oscillator, 3.0, 1e-10),
    ):  # fmt: skip
        if wanted(name):
            print(f"{name}: error={case(end, error):.1e} at error={error:g}", flush=True)
