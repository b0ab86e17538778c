"""A cable that falls, hinged at one end, as elements in absolute nodal coordinates: implicit steps, ours and Exudyn's,
in a plane and in space.

Section and material of Gerstmayr and Shabana's falling cable.  Equal step (1 ms), equal numerical damping (generalised
alpha, spectral radius 0.8), equal elements and quadrature, Newton matrices held on both sides (Exudyn: the better of
full and modified Newton, its build without range checks, one thread).  CPU time a step, the smallest of some repeats,
both sides in turn; the tips are compared with a run of an eighth of the step, so that no result is fast by being wrong.
From about 1000 elements on the first steps must be small: the acceleration at the start is concentrated in the element
next to the hinge; ours begin with steps of h/64 (not counted), Exudyn begins as it does.  With 10,000 elements neither
side takes steps of 1 ms (Newton diverges on both), and Exudyn none at the tight
tolerance: both take steps of 62.5 us at the loose one.

    make bench CASE=ancf ARGS="10 100 1000 10000"
    make bench CASE=ancf ARGS=wave

``wave``: a free bar of a cable, struck at one end by a pulse of force; its other end, against d'Alembert, by explicit
steps with diagonal and consistent mass, and by implicit ones.
"""

from __future__ import annotations

import time

import numpy as np

import holonom as hn

from .run import machine, peer, versions

LENGTH, EA, MASS = 1.0, 40.0, 8e-3
EI = 1.6e6 * np.pi * (2 * np.sqrt(1e-6 / np.pi) * 5) ** 4 / 64
H, RHO = 1e-3, 0.8
STIFF = 4e4  # EA of the bar that is struck
#: tolerances of Newton, ours and Exudyn's, which are not the same measure: tight, and loose ones that add a tenth to
#: the error of the step at most
TOLERANCES = {"tight": (1e-7, 1e-8), "loose": (1e-5, 1e-5)}
STEPS = {10: 500, 100: 200, 1000: 40, 10_000: 48}
FINER = {10_000: H / 16}  # steps where H is too long
EASY = 300  # elements up to which the first step needs no care
FINE, AHEAD = 64, 4  # how many times smaller the first steps are, and over how many of the large ones
BEGINS = {10_000: (4, 32)}  # the same
REPEATS = 3


def ours(n: int, steps: int, plane: bool, h: float = H, tolerance: float = 1e-7):
    """CPU seconds a step, iterations and matrices a step, and the tip; set-up and compilation are not counted."""
    from holonom.analyses.assemble import assemble
    from holonom.elements.bodies import layout
    from holonom.integrators import Options, make_integrator
    from holonom.system.build import System

    m = hn.Model()
    m.gravity = (0, -9.81, 0)
    c = hn.flexible.cable(
        m, [(0, 0, 0), (LENGTH, 0, 0)], EA=EA, EI=EI, mass=MASS, elements=n, plane="xy" if plane else None
    )
    m.spherical(c.first, m.ground, at=(0, 0, 0))
    system = System(m)
    t, y = 0.0, assemble(system).y
    fine, ahead = BEGINS.get(n, (FINE, AHEAD))
    end = (steps + ahead + 1) * h

    def stepper(h):
        options = Options(
            error=1e-3, hmax=h, hmin=h, fixed=True, newton=tolerance, jacobian="modified", extra={"rho": RHO}
        )
        made = make_integrator("GENERALIZED_ALPHA", system, options)
        made.start(t, y, end)
        return made

    if n > EASY:
        small = stepper(h / fine)
        for _ in range(ahead * fine):
            small.step(end)
        t, y = small.t, small.y.copy()
    made = stepper(h)
    made.step(end)
    before = dict(made.statistics)
    count = steps - 1 - (ahead if n > EASY else 0)
    clock = time.process_time()
    for _ in range(count):
        made.step(end)
    clock = (time.process_time() - clock) / count
    per = {k: (made.statistics[k] - before.get(k, 0)) / count for k in ("iterations", "matrices")}
    return clock, per, layout.coordinates(made.y, system.bodies)[6 * n : 6 * n + 3].copy()


PULSE, FAR = 0.25, 1.35  # length of the pulse and of the run, over the time of the wave along the bar


def struck(n: int, method: str, step: float | None = None, error: float = 1e-3, lumped: bool = False):
    """CPU seconds and the error of the displacement of the far end, of the largest one; ``step``: of the longest stable
    one, or of the time of an element."""
    speed = np.sqrt(STIFF / MASS)
    m = hn.Model()
    m.gravity = (0, 0, 0)
    bar = hn.flexible.cable(
        m, [(0, 0, 0), (LENGTH, 0, 0)], EA=STIFF, EI=1e-6, mass=MASS, elements=n, plane="xy", lumped=lumped
    )
    end, pulse = float(FAR * LENGTH / speed), float(PULSE * LENGTH / speed)
    m.vforce(
        m.marker(bar.first),
        m.ground,
        f"SIN({float(np.pi) / pulse!r}*TIME)**2*STEP(TIME,{pulse!r},1,{pulse * (1 + 1e-9)!r},0)",
        "0",
        "0",
        rm=m.marker(m.ground),
    )
    point = bar.last.name
    sim = hn.Simulation(m)
    given = (
        {"error": error}
        if step is None
        else {"hmax": step * (bar.longest_step if method == "VELOCITY_VERLET" else LENGTH / n / speed)}
    )
    if step is not None and method != "VELOCITY_VERLET":
        given |= {"hmin": given["hmax"], "hinit": given["hmax"], "error": error}
    best = np.inf
    for _ in range(2):  # the first compiles
        sim = hn.Simulation(m)
        clock = time.process_time()
        sim.dynamics(end=end, steps=40, integrator=method, **given)
        best = min(best, time.process_time() - clock)
    run = sim.run()
    u, t = run.part(point).position.values[:, 0] - LENGTH, run.time
    s = np.clip(t - LENGTH / speed, 0.0, pulse)
    exact = 2.0 * speed / STIFF * (0.5 * s - 0.25 * pulse / np.pi * np.sin(2.0 * np.pi * s / pulse))
    return best, float(np.abs(u - exact).max() / exact.max())


def wave() -> None:
    print(machine())
    print(versions())
    for n in (25, 50, 100, 200):
        for words, method, given in (
            ("explicit, diagonal mass", "VELOCITY_VERLET", {"step": 0.9, "lumped": True}),
            ("explicit, consistent mass", "VELOCITY_VERLET", {"step": 0.9}),
            ("generalised alpha, half an element a step", "GENERALIZED_ALPHA", {"step": 0.5}),
            ("HHT at error 1e-4", "HHT", {"error": 1e-4}),
            ("DOP853 at error 1e-4", "DOP853", {"error": 1e-4}),
        ):
            seconds, error = struck(n, method, **given)
            print(f"ancf wave elements={n} {words}: cpu_ms = {1e3 * seconds:.1f}, error = {error:.1e}", flush=True)


def main(arguments: list[str]) -> None:
    if arguments == ["wave"]:
        wave()
        return
    sizes = [int(a) for a in arguments] or [10, 100, 1000]
    print(machine())
    per_step = {}
    for n in sizes:
        steps, h = STEPS.get(n, max(10, 20_000 // n)), FINER.get(n, H)
        for plane in (True, False):
            exact = ours(n, 8 * steps, plane, h / 8)[2]
            for word, (tolerance, other) in TOLERANCES.items():
                if n in FINER and word == "tight":
                    continue
                where, mine, theirs = f"{'plane' if plane else 'space'} {word}", [], []
                for _ in range(REPEATS):
                    mine.append(ours(n, steps, plane, h, tolerance))
                    theirs.append(
                        peer(
                            "exudyn_ancf",
                            ("exudyn", "numpy"),
                            elements=n,
                            length=LENGTH,
                            plane=plane,
                            mass=MASS,
                            EA=EA,
                            EI=EI,
                            steps=steps,
                            h=h,
                            rho=RHO,
                            tolerance=other,
                            repeats=5 if n < 100 else 2,
                        )
                    )
                if n == sizes[0] and plane and word == ("loose" if n in FINER else "tight"):
                    print(versions(f"exudyn {theirs[0]['version']}"))
                a, b = min(mine, key=lambda r: r[0]), min(theirs, key=lambda r: r["seconds"])
                per_step[n, plane] = a[0]
                errors = [float(np.linalg.norm(np.array(tip) - exact)) for tip in (a[2], b["tip"])]
                print(
                    f"ancf elements={n} {where} holonom_us_per_step = {1e6 * a[0]:.1f} ({1e6 * a[0] / n:.2f} an "
                    f"element; iterations {a[1]['iterations']:.2f}, "
                    f"matrices {a[1]['matrices']:.2f}; tip error {errors[0]:.1e} m)"
                )
                print(
                    f"ancf elements={n} {where} exudyn_us_per_step = {1e6 * b['seconds']:.1f} "
                    f"(newton {b['newton']:.2f}, {b['variant']}, tip error {errors[1]:.1e} m)"
                )
                print(f"ancf elements={n} {where} exudyn_over_holonom = {b['seconds'] / a[0]:.1f}", flush=True)
    for plane in (True, False):
        for few, many in ((100, 1000), (1000, 10_000)):
            if {(few, plane), (many, plane)} <= set(per_step):
                print(
                    f"ancf {'plane' if plane else 'space'} growth_{few}_to_{many} = "
                    f"{per_step[many, plane] / per_step[few, plane]:.1f}"
                )
