"""Impacts: what one costs, and what is lost in it.

    make bench CASE=impacts                              all scenes, and Exudyn on the stop and the bouncing sphere
    make bench CASE=impacts ARGS="--scenes ball,cradle"    some of them
    make bench CASE=impacts ARGS="--integrators DOP853,RADAU5 --no-peers"

Each scene runs at tolerances 1e-3 ... 1e-10; its reference is our own run at 1e-12.  An error level counts as reached
at the loosest tolerance from which on every tighter one reaches it too (error: greatest difference of a position at the
end, relative to the size of the scene; for the gears that of the wheel's angle, relative to its play).  Printed: steps,
evaluations
(iterations) and rejections per impact at that tolerance, energy after ten bounces, and how many times less CPU time
than Exudyn's at equal error.
"""

from __future__ import annotations

import argparse
import math

import numpy as np

import holonom as hn
from holonom.analyses.session.simulation import Simulation
from holonom.machinery import helical_gears

from .run import machine, peer_python, peer_rows, versions

G = 9.81
HERTZ = 2.89e5 * 1e3**1.5  # N/m^1.5


def ball(damping: float = 0.0, drop: float = 0.05) -> hn.Model:
    m = hn.Model("ball")
    m.gravity = (0, 0, -G)
    body = m.part("ball", 0.5, (2e-5,) * 3, (0, 0, drop + 0.01))
    m.contact(
        m.sphere(body, (0, 0, drop + 0.01), 0.01),
        m.plane(m.ground, (0, 0, 0), (0, 0, 1)),
        stiffness=HERTZ,
        exponent=1.5,
        damping=damping,
        dmax=1e-4,
    )
    return m


def sphere() -> hn.Model:
    """The peers' e2: 1 kg, bottom 0.1 m above the plane."""
    m = hn.Model("sphere")
    m.gravity = (0, 0, -G)
    body = m.part("ball", 1.0, (1e-3,) * 3, (0, 0, 0.15))
    m.contact(
        m.sphere(body, (0, 0, 0.15), 0.05),
        m.plane(m.ground, (0, 0, 0), (0, 0, 1)),
        stiffness=HERTZ,
        exponent=1.5,
        damping=500.0,
        dmax=1e-4,
    )
    return m


def stop() -> hn.Model:
    """The peers' e1: slider-crank with a spring on the slider and a stop that it hits."""
    a, b, x0, x1 = 0.2, 0.5, 0.7, 0.65
    m = hn.Model("stop")
    m.gravity = (0, 0, 0)
    xs = math.sqrt(b * b - a * a)
    w = 20.0
    crank = m.part(
        "crank",
        1.0,
        (1e-4, a * a / 12, a * a / 12),
        (0, a / 2, 0),
        axes=_turn(math.pi / 2),
        angular_velocity=(0, 0, w),
        velocity=(-w * a / 2, 0, 0),
    )
    angle = -math.asin(a / b)
    speed = -w * a  # of both ends of the rod at this place: it does not turn
    rod = m.part(
        "rod", 1.0, (1e-4, b * b / 12, b * b / 12), (xs / 2, a / 2, 0), axes=_turn(angle), velocity=(speed, 0, 0)
    )
    slider = m.part("slider", 0.5, (1e-4,) * 3, (xs, 0, 0), velocity=(speed, 0, 0))
    m.revolute(crank, m.ground, "O", at=(0, 0, 0), axis=(0, 0, 1))
    m.revolute(rod, crank, "A", at=(0, a, 0), axis=(0, 0, 1))
    m.revolute(rod, slider, "B", at=(xs, 0, 0), axis=(0, 0, 1))
    m.translational(slider, m.ground, "guide", at=(xs, 0, 0), axis=(1, 0, 0))
    far = x0 + 1.0  # a spring of length 1 that is relaxed with the slider at x0
    m.spring_damper(
        m.marker_at(slider, (xs, 0, 0)), m.marker_at(m.ground, (far, 0, 0)), stiffness=200.0, length=far - x0
    )
    tip = m.sphere(slider, (xs - 0.01, 0, 0), 0.01)
    wall = m.plane(m.ground, (x1, 0, 0), (-1, 0, 0))
    m.contact(tip, wall, stiffness=1e7, exponent=1.5, damping=500.0, dmax=1e-4, joined=True)
    return m


def _turn(angle: float) -> np.ndarray:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])


def cradle(n: int = 5, angle: float = 0.2, gap: float = 0.0, lifted: int = 1) -> hn.Model:
    """Balls of steel side by side on bars without mass."""
    m = hn.Model("cradle")
    m.gravity = (0, 0, -G)
    r, length, mass = 0.02, 0.2, 0.26
    balls = []
    for k in range(n):
        x = k * (2 * r + gap)
        s, c = (math.sin(angle), math.cos(angle)) if k < lifted else (0.0, 1.0)
        body = m.part(f"b{k + 1}", mass, (4e-5,) * 3, (x - length * s, 0, -length * c))
        m.revolute(body, m.ground, f"J{k + 1}", at=(x, 0, 0), axis=(0, 1, 0))
        balls.append(m.sphere(body, (x - length * s, 0, -length * c), r))
    m.contact(balls, stiffness=1.0e10, exponent=1.5, dmax=1e-4)
    return m


def box(n: int = 10) -> hn.Model:
    """Balls that fly about in a box without losses."""
    m = hn.Model("box")
    m.gravity = (0, 0, -G)
    rng = np.random.default_rng(3)
    side, r = 0.2, 0.02
    balls = []
    for k in range(n):
        at = np.array([0.04 + 0.055 * (k % 3), 0.04 + 0.055 * (k // 3 % 3), 0.04 + 0.06 * (k // 9)]) + rng.uniform(
            -0.004, 0.004, 3
        )
        body = m.part(f"b{k}", 0.1, (1.6e-5,) * 3, at, velocity=tuple(rng.uniform(-1, 1, 3)))
        balls.append(m.sphere(body, at, r))
    walls = [
        m.plane(m.ground, p, z)
        for p, z in (
            ((0, 0, 0), (0, 0, 1)),
            ((0, 0, 0), (1, 0, 0)),
            ((side, 0, 0), (-1, 0, 0)),
            ((0, 0, 0), (0, 1, 0)),
            ((0, side, 0), (0, -1, 0)),
        )
    ]
    m.contact(balls, stiffness=1e8, exponent=1.5, dmax=1e-4)
    m.contact(balls, walls, stiffness=1e8, exponent=1.5, dmax=1e-4)
    return m


def clearance() -> hn.Model:
    """Slider-crank of Flores et al. with clearance 0.5 mm between rod and slider, 5000 rpm (parameters: BENCHMARKS
    29)."""
    m = hn.Model("clearance")
    m.gravity = (0, 0, 0)
    a, b, R, c = 0.05, 0.12, 0.01, 0.0005
    w = 5000 * math.pi / 30
    sigma = (1 - 0.3**2) / 207e9
    K = 4 / (3 * 2 * sigma) * math.sqrt(R * (R - c) / c)
    crank = m.part("crank", 0.3, (1e-4,) * 3, (a / 2, 0, 0), velocity=(0, w * a / 2, 0), angular_velocity=(0, 0, w))
    rod = m.part(
        "rod", 0.21, (2.5e-4,) * 3, (a + b / 2, 0, 0), velocity=(0, w * a / 2, 0), angular_velocity=(0, 0, -w * a / b)
    )
    slider = m.part("slider", 0.14, (1e-4,) * 3, (a + b, 0, 0))
    pin = m.revolute(crank, m.ground, "O", at=(0, 0, 0), axis=(0, 0, 1))
    m.revolute(rod, crank, "A", at=(a, 0, 0), axis=(0, 0, 1))
    m.translational(slider, m.ground, "guide", at=(a + b, 0, 0), axis=(1, 0, 0))
    m.motion(pin, f"{w} * TIME")
    journal = m.sphere(rod, (a + b, 0, 0), R - c)
    bearing = m.sphere(slider, (a + b, 0, 0), R, inside=True)
    m.contact(journal, bearing, law="LANKARANI_NIKRAVESH", stiffness=K, restitution=0.9)
    return m


def gears() -> hn.Model:
    """Helical gears whose wheel lies in the middle of its play and is thrown from flank to flank: load by STEP within 5
    ms, friction as in the example, little damping."""
    return helical_gears(touching=False, rise=(0.0, 0.005), damping=0.5)


def turned(run) -> np.ndarray:
    """Angle of the wheel: where gears are."""
    return run.request("turned").values[-1:, 2]


#: name: (model, end, scale of the error, what is checked instead of the positions of the bodies)
SCENES = {
    "ball c=0": (lambda: ball(0.0), 2.0, 0.05),
    "ball c=0.5": (lambda: ball(500.0), 2.0, 0.05),
    "ball c=5": (lambda: ball(5e3), 2.0, 0.05),
    "ball c=50": (lambda: ball(5e4), 2.0, 0.05),
    "sphere": (sphere, 1.0, 0.1),
    "stop": (stop, 1.0, 0.2),
    "cradle": (cradle, 1.0, 0.04),
    "box": (box, 0.3, 0.2),
    "clearance": (clearance, 6e-3, 0.05),
    "gears": (gears, 0.02, 0.1 / 62.1, turned),
}
TOLERANCES = [10.0 ** (-k / 2) for k in range(6, 21)]
LEVELS = (1e-3, 1e-5, 1e-7)
GOALS = {1e-3: 13, 1e-5: 14, 1e-7: 27}


def solve(name: str, integrator: str | None, error: float, repeat: int = 1, works: bool = True, **options) -> dict:
    """One run: positions at the end, counters, CPU seconds of the analysis (least of ``repeat``), relative change of
    the energy.
    ``works``: integrate the work of dampers for the energy audit, which the engines next to us do not."""
    make, end, _, *look = SCENES[name]
    cpu = math.inf
    for _ in range(repeat):
        simulation = Simulation(make(), progress=False)
        simulation.work = works
        simulation.dynamics(end=end, steps=1, integrator=integrator, error=error, **options)
        run = simulation.run()
        cpu = min(cpu, run.counters["cpu seconds"])
    total = run.energy["total"].values
    motion = run.energy["kinetic"].values.max() + run.energy["gravity"].values.max()
    x = look[0](run) if look else run.data.body_position[-1].ravel()
    return {"x": x, "cpu": cpu, "counters": run.counters, "energy": (total[-1] - total[0]) / motion}


def scan(name: str, integrator: str, reference: np.ndarray, **options) -> list[dict]:
    """Runs at all tolerances with their errors."""
    out = []
    for tolerance in TOLERANCES:
        try:
            row = solve(name, integrator, tolerance, **options)
        except hn.ModelError as error:
            row = {"failed": str(error)}
        row["tolerance"] = tolerance
        row["error"] = float(np.abs(row["x"] - reference).max() / SCENES[name][2]) if "x" in row else math.inf
        out.append(row)
    return out


def at_level(rows: list[dict], level: float) -> dict | None:
    """The loosest run from which on every tighter one is within the level."""
    found = None
    for row in reversed(rows):
        if not row["error"] <= level:
            break
        found = row
    return found


def figures(row: dict, onsets: float) -> dict[str, float]:
    c = row["counters"]
    n = max(onsets, 1)
    rejected = {k.removeprefix("rejected: "): v for k, v in c.items() if k.startswith("rejected: ") and v}
    work = c.get("evaluations", 0) or c.get("iterations", 0)
    return {"steps": c["steps"] / n, "work": work / n, "rejected": sum(rejected.values()) / n, "causes": rejected}


#: scene: body and component that Exudyn is requested, its steps
PEERS = {"sphere": (0, 2, (2e-5, 5e-6, 1e-6)), "stop": (2, 0, (1e-4, 2e-5, 4e-6))}


def peers() -> None:
    """CPU of Exudyn over ours at equal error of one position, the better of our integrators."""
    python = peer_python("exudyn", "numpy")
    for name, (body, component, steps) in PEERS.items():
        where = 3 * body + component
        x = solve(name, "DOP853", 1e-12)["x"][where]
        ours = [
            (abs(row["x"][where] - x), row["cpu"])
            for row in (solve(name, "DOP853", tolerance, 5, False) for tolerance in TOLERANCES)
        ]
        for row in peer_rows(
            "exudyn_impacts", python, 120.0, scene=name, steps=list(steps), end=SCENES[name][1], repeat=2
        ):
            if "failed" in row:
                print(f"impacts scene={name} exudyn failed: {row['failed']}")
                continue
            error = abs(row["value"] - x)
            good = None
            for e, cpu in reversed(ours):
                if e > error:
                    break
                good = cpu
            ratio = f"{row['cpu'] / good:.1f}" if good else "we do not reach it"
            print(
                f"impacts scene={name} error={error:.1e} m exudyn_ms = {1e3 * row['cpu']:.1f} (h = {row['h']:g})  "
                "holonom_ms = "
                f"{1e3 * (good or math.nan):.2f}  exudyn_over_holonom = {ratio}",
                flush=True,
            )


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="make bench CASE=impacts")
    parser.add_argument("--scenes", default="")
    parser.add_argument("--integrators", default="DOP853,RADAU5")
    parser.add_argument("--no-peers", action="store_true")
    a = parser.parse_args(argv)
    words = [w.strip() for w in a.scenes.split(",") if w.strip()]
    names = [n for n in SCENES if not words or any(n.startswith(w) for w in words)]
    print(f"# {versions()}; {machine()}")
    for name in names:
        solve(name, "DOP853", 1e-3)  # compile
        best = solve(name, "DOP853", 1e-12)
        onsets = best["counters"]["onsets"]
        check = solve(name, "DOP853", 1e-11)
        doubt = float(np.abs(check["x"] - best["x"]).max() / SCENES[name][2])
        print(
            f"impacts scene={name.replace(' ', '_')} onsets = {onsets:.0f}  energy_change = {best['energy']:.1e}  "
            f"reference_doubt = {doubt:.1e}",
            flush=True,
        )
        for integrator in a.integrators.split(","):
            solve(name, integrator, 1e-3)
            rows = scan(name, integrator, best["x"])
            for level in LEVELS:
                row = at_level(rows, level)
                head = f"impacts scene={name.replace(' ', '_')} integrator={integrator} error={level:g}"
                if row is None:
                    print(f"{head} not reached (best {min(r['error'] for r in rows):.1e})", flush=True)
                    continue
                f = figures(row, onsets)
                causes = ", ".join(f"{k} {v:.0f}" for k, v in f["causes"].items())
                print(
                    f"{head} tolerance = {row['tolerance']:.1e}  steps_per_impact = {f['steps']:.1f}  "
                    f"evaluations_per_impact = {f['work']:.0f}  "
                    f"rejections_per_impact = {f['rejected']:.1f}  cpu_ms = {1e3 * row['cpu']:.2f}  energy_change = "
                    f"{row['energy']:.1e}" + (f"  ({causes})" if causes else ""),
                    flush=True,
                )
    if not a.no_peers and any(n in PEERS for n in names):
        peers()
    return 0
