"""Work against precision: error at the end against CPU seconds of the solver loop, ours and other engines'.

    make bench CASE=work_precision                                 everything, then figures and docs/work-precision.md
    make bench CASE=work_precision ARGS="andrews chain100 --quick"     two problems, few levels
    python benchmarks/run.py work_precision b a2 --ours-only --methods DOP853     problems by the peers' short names,
        too

Every row measured goes to ``benchmarks/out/work_precision.jsonl`` at once; what is there is not measured again
unless ``--again`` reports this (or the file is removed), so that a run can be cut off and taken up.  ``--report`` only
draws and writes.

CPU seconds are those of the process in the loop of steps, least of several samples, each of as many repeats as the
clock can resolve
(`peers.clock`): no set-up, assembly, compilation or
output.  Ours is driven step by step from Python, as `holonom.simulate` does it.  Peers run single-threaded at settings
that served them best in a search (`ENGINES`), several levels each, each built from the same numbers
(`scenes.describe`).
"""

from __future__ import annotations

import argparse
import json
import math
import os
import shutil
import subprocess
import time
from pathlib import Path

from .peers.clock import least
from .problems import PROBLEMS, Problem, Reader, distance, named
from .run import HERE, machine, peer_python, peer_rows, versions

OUT = HERE / "out"
ROWS = OUT / "work_precision.jsonl"
TOLERANCES = (1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12)
LOW_ORDER = (1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8)
HIGH_ORDER = ("DOP853", "RADAU5", "ABAM", "DOPRI5", "RKF45")
SPATIAL = "DOP853 spatial"  # planar machines in six coordinates a body, for comparison
JOINT = "DOP853 joint"  # in joint coordinates
FIXED = ("RK4", "VELOCITY_VERLET", "CONSTANT_BDF SI2")  # of the methods of one step size; Euler's are left out


def methods() -> dict[str, tuple[str, dict]]:
    """Label -> integrator and options, of all error-controlled ones that this version has, and a few of fixed step."""
    from holonom.integrators import INTEGRATORS
    from holonom.integrators.selection import METHODS

    out: dict[str, tuple[str, dict]] = {}
    for name in sorted(INTEGRATORS, key=lambda n: (n not in HIGH_ORDER, n)):
        formulations = METHODS[name].formulations
        stiff = len(formulations) > 1 and METHODS[name].stiff
        for formulation in formulations if stiff else (None,):
            label = f"{name} {formulation}" if formulation else name
            if (METHODS[name].error is None or name == "CONSTANT_BDF") and label not in FIXED:
                continue
            out[label] = (name, {"formulation": formulation} if formulation else {})
        if name == "DOP853":
            out[SPATIAL] = (name, {"extra": {"planar": False}})
            out[JOINT] = (name, {"extra": {"coordinates": "joint"}})
    return out


def levels_of(label: str, integrator: str, problem: Problem) -> tuple[float, ...]:
    """Tolerances, or step sizes of a method with fixed steps."""
    if label in FIXED:
        return tuple(COARSEST.get(problem.name, (1e-2, 1e-2, 0))[0] * f for f in FINER)
    return TOLERANCES if integrator in HIGH_ORDER else LOW_ORDER


# ---- ours ------------------------------------------------------------------------------------------------------------
class Ours:
    """A problem of ours, compiled to numbers once."""

    def __init__(self, problem: Problem):
        from holonom.analyses.assemble import assemble
        from holonom.system.build import System

        self.problem = problem
        self.system = System(problem.model())
        self.y0 = assemble(self.system).y.copy()
        self.reader = Reader(self.system)

    def fresh(self, integrator: str, tolerance: float, options: dict, fixed: bool = False):
        from holonom.integrators import Options, make_integrator

        how = (
            {"error": 1e-6, "hinit": tolerance, "hmin": tolerance, "hmax": tolerance, "fixed": True}
            if fixed
            else {"error": tolerance}
        )
        stepper = make_integrator(integrator, self.system, Options(**how, **options))
        stepper.start(0.0, self.y0.copy(), self.problem.end)
        return stepper

    def measure(self, integrator: str, tolerance: float, options: dict, limit: float, fixed: bool = False) -> dict:
        """Error and least CPU seconds; a first run, which compiles and checks every step, is not timed."""
        problem, end = self.problem, self.problem.end
        stepper = self.fresh(integrator, tolerance, options, fixed)
        watched = problem.probe[0] == "energy"
        e0 = self.reader.energy(stepper.y)
        change = 0.0
        stepper.step(end)
        clock = time.process_time()
        while stepper.t < end:
            stepper.step(end)
            if watched:
                change = max(change, abs(self.reader.energy(stepper.y) - e0))
            if time.process_time() - clock > limit:
                return {"failed": f"more than {limit:.0f} s"}

        def go(stepper):
            while stepper.t < end:
                stepper.step(end)
            return stepper

        # steppers share the work of their system, so that each is made when its turn comes
        cpu, stepper = least(lambda: self.fresh(integrator, tolerance, options, fixed), go, most=12, ahead=False)
        value = change if watched else self.reader(problem.probe, stepper.y)
        row = {"error": distance(problem, problem.probe, value), "cpu": cpu, **stepper.statistics}
        if problem.also:
            row["also"] = distance(problem, problem.also, self.reader(problem.also, stepper.y))
        return row


# ---- peers -----------------------------------------------------------------------------------------------------------
FINER = (1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01)
#: coarsest useful step of the engines with fixed steps, found by search: MuJoCo, Exudyn, Drake's discrete plant
COARSEST = {"pendulum": (2e-2, 1e-2, 0), "four_bars": (4e-3, 1e-2, 5e-3), "andrews": (3e-5, 2e-4, 5e-5),
    "bricard": (1e-2, 5e-3, 5e-3),
            "governor": (1e-4, 1e-2, 0), "governor_soft": (5e-3, 1e-2, 0), "heavy_top": (1e-3, 2e-3, 0),
            "double_pendulum": (2e-2, 1e-2, 0),
            "fourbar1": (5e-3, 5e-3, 5e-3), "slider_crank": (2e-3, 2e-3, 1e-3), "chain10": (2e-3, 2e-3, 0),
            "chain100": (2e-3, 2e-3, 0),
            "chain1000": (2e-3, 1e-2, 0)}  # fmt: skip
#: what an engine cannot do, as text
CANNOT = {
    ("pinocchio", "chain1000"): "its memory grows with the cube of the joints (1.7 GB at 300)",
    ("mujoco", "chain1000"): "its matrix of 1000 coupled joints is full: hours",
    ("drake", "chain1000"): "minutes at its loosest accuracy",
}
PACKAGES = ("exudyn", "mujoco", "pin", "scikit-sundae", "scipy", "numba")


def engines(problem: Problem, loops: bool) -> list[tuple[str, dict, tuple]]:
    """(engine, arguments of its script, levels) for a problem."""
    mujoco, exudyn, drake = (tuple(h * f for f in FINER) for h in COARSEST.get(problem.name, (1e-2, 1e-2, 1e-2)))
    tens = lambda a, b: tuple(10.0**-k for k in range(a, b + 1))
    out: list[tuple[str, dict, tuple]] = [("mujoco", {}, mujoco)]
    out.append(("exudyn", {"solver": "trapezoidal", "modified": True}, exudyn))
    if problem.name == "four_bars":  # singular positions want damping and a fresh Jacobian
        out[-1] = ("exudyn", {"solver": "generalised alpha", "modified": False}, exudyn)
    out.append(("simbody", {"method": "merson"}, tens(3, 9)))
    if problem.stiff:
        out.append(("simbody", {"method": "cpodes"}, tens(3, 7)))
    if loops:
        out.append(("drake", {}, drake))
    else:
        out.append(("pinocchio", {"method": "LSODA" if problem.stiff else "DOP853"}, tens(3, 11)))
        out.append(("drake", {"integrator": "runge_kutta3"}, tens(2, 7)))
        if problem.stiff:
            out.append(("drake", {"integrator": "radau3"}, tens(2, 4)))
    if problem.name in ("andrews", "pendulum"):
        out.append(("ida", {}, tens(3, 11)))
    return out


def simbody_driver() -> tuple[str, str] | None:
    """Path of our compiled driver and version of the library, or None."""
    source, program = HERE / "peers" / "simbody_scene.cpp", OUT / "simbody"
    include = Path("/usr/include/simbody")
    if not include.is_dir() or not shutil.which("g++"):
        print("simbody: not here (apt install libsimbody-dev g++), not measured")
        return None
    if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
        command = [
            "g++",
            "-O2",
            "-w",
            "-std=c++17",
            f"-I{include}",
            source,
            "-o",
            program,
            "-lSimTKsimbody",
            "-lSimTKmath",
            "-lSimTKcommon",
        ]
        subprocess.run(command, check=True)
    try:
        version = subprocess.run(
            ["dpkg-query", "-W", "-f", "${Version}", "libsimbody-dev"], capture_output=True, text=True, check=True
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        version = "?"
    return str(program), version


def measure_peers(problem: Problem, wanted, have: set, quick: bool, longest: float, add) -> None:
    from .scenes import written

    scene = written(problem, OUT / "scenes")
    loops = bool(json.loads(scene.read_text())["loops"])
    driver = simbody_driver() if not wanted or "simbody" in wanted else None
    for engine, arguments, levels in engines(problem, loops):
        if wanted and engine not in wanted or engine == "simbody" and not driver:
            continue
        if (engine, problem.name) in CANNOT:
            print(f"{problem.name} {engine}: {CANNOT[engine, problem.name]}; not measured")
            continue
        variant = " ".join(str(v) for v in arguments.values())
        levels = tuple(x for x in levels if (problem.name, engine, variant, x) not in have)
        if quick:
            levels = levels[1::2]
        if not levels:
            continue
        python = peer_python("drake", own="drake") if engine == "drake" else peer_python(*PACKAGES)
        extra = {"driver": driver[0], "version": driver[1]} if engine == "simbody" and driver else {}
        for r in peer_rows(
            f"{engine}_scene",
            python,
            12 * longest + 60,
            scene=str(scene),
            levels=levels,
            longest=longest,
            **arguments,
            **extra,
        ):
            row = {"problem": problem.name, "who": engine, "variant": variant, "level": r.pop("level", None)}
            values = r.pop("values", None)
            if values is not None:
                r["error"] = distance(problem, problem.probe, values[0])
                if problem.also:
                    r["also"] = distance(problem, problem.also, values[1])
                if not math.isfinite(r["error"]):
                    r = {"failed": "diverged"}
            add({**row, **r})


# ---- rows ------------------------------------------------------------------------------------------------------------
def read_rows(path: Path = ROWS) -> list[dict]:
    """All rows, the last of each kind."""
    rows: dict = {}
    if path.exists():
        for line in path.read_text().splitlines():
            r = json.loads(line)
            rows[r["problem"], r["who"], r["variant"], r["level"]] = r
    return list(rows.values())


def row_text(r: dict, unit: str) -> str:
    head = f"work_precision {r['problem']} {r['who']} {r['variant']}".rstrip()
    level = f" at {r['level']:g}" if r["level"] is not None else ""
    if "failed" in r:
        return f"{head}{level}: failed ({r['failed']})"
    more = f" ({r['also']:.2e} m)" if "also" in r else ""
    steps = f", {r['steps']} steps" if r.get("steps") else ""
    calls = r.get("evaluations") or r.get("iterations")
    each = (
        f", {calls} {'evaluations' if 'evaluations' in r else 'iterations'}, {1e6 * r['cpu'] / calls:.2f} us each"
        if calls
        else ""
    )
    return f"{head}{level}: error {r['error']:.2e} {unit}{more} @ {r['cpu']:.5f} s{steps}{each}"


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(
        prog="work_precision", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("problems", nargs="*", help=f"of {', '.join(PROBLEMS)}; default all")
    parser.add_argument(
        "--quick",
        action="store_true",
        help="every second level, short limits, no slow methods; nothing is written to docs",
    )
    parser.add_argument("--ours-only", action="store_true")
    parser.add_argument("--peers-only", action="store_true")
    parser.add_argument("--methods", nargs="*", help="labels of ours, such as DOP853 or 'GSTIFF SI2'")
    parser.add_argument("--engines", nargs="*", help="of mujoco exudyn simbody pinocchio drake ida")
    parser.add_argument("--tolerances", nargs="*", type=float, help="of ours")
    parser.add_argument("--again", action="store_true", help="measure again what the file of rows has")
    parser.add_argument("--rows", type=Path, default=ROWS, help="file of rows")
    parser.add_argument("--longest", type=float, default=10.0, help="CPU seconds after which no tighter level is tried")
    parser.add_argument("--report", action="store_true", help="measure nothing, draw and write docs")
    a = parser.parse_args(arguments)
    problems = [named(p) for p in a.problems] or list(PROBLEMS.values())
    a.rows.parent.mkdir(parents=True, exist_ok=True)
    path = a.rows if not a.quick else a.rows.with_name("work_precision_quick.jsonl")
    print(machine())
    print(versions())
    if not shutil.which("mbdyn"):
        print("mbdyn: no executable on this machine, not measured")
    longest = min(a.longest, 2.0) if a.quick else a.longest
    if not a.report:
        have = set() if a.again else {(r["problem"], r["who"], r["variant"], r["level"]) for r in read_rows(path)}
        stamp = {"load": round(os.getloadavg()[0], 1), "machine": machine().split(",")[0]}
        for problem in problems:
            measure(problem, a, have, longest, path, stamp)
    from .work_precision_report import report

    report(read_rows(path), problems, write=not a.quick and not a.problems)


def measure(problem: Problem, a, have: set, longest: float, path: Path, stamp: dict) -> None:
    def add(row):
        with path.open("a") as f:
            f.write(json.dumps({**row, **stamp}, default=float) + "\n")
        print(row_text(row, problem.unit), flush=True)

    if not a.peers_only:
        ours = None
        for label, (integrator, options) in methods().items():
            if a.methods and label not in a.methods and integrator not in a.methods:
                continue
            if a.quick and not a.methods and label not in ("DOP853", "RADAU5", "GSTIFF SI2"):
                continue
            high = integrator in HIGH_ORDER
            tolerances = a.tolerances or levels_of(label, integrator, problem)
            for tolerance in tolerances[1::2] if a.quick and not a.tolerances else tolerances:
                key = (problem.name, "holonom", label, tolerance)
                if key in have:
                    continue
                ours = ours or Ours(problem)
                if label == SPATIAL:
                    ours.fresh("DOP853", tolerance, {})
                    if getattr(ours.system, "plane", None) is None or ours.system.nb == 1:
                        break  # not planar, or nothing to gain: the same as DOP853
                try:
                    row = ours.measure(
                        integrator, tolerance, options, longest if high else 0.5 * longest, label in FIXED
                    )
                except Exception as error:  # a method that gives up is a result, too
                    row = {"failed": str(error).split("\n")[0][:200]}
                add({"problem": problem.name, "who": "holonom", "variant": label, "level": tolerance, **row})
                if row.get("failed", "").startswith("more than"):
                    break
    if not a.ours_only:
        measure_peers(problem, a.engines, have, a.quick, longest, add)
