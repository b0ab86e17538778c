"""Chain drive with thousands of defined contacts of which some thirty act: four arrangements of contact, and other
engines.

    make bench CASE=chain_drive                                60, 120 and 240 links
    make bench CASE=chain_drive ARGS="60 960 --no-peers"
    make bench CASE=chain_drive ARGS="60 240 --peers"          MuJoCo and Exudyn only
    make bench CASE=chain_drive ARGS="240 --integrator HHT --error 1e-6"

Every roller may touch every seat and flank of every tooth (`holonom.machinery.chain_drive`): 162 pairs a link.  All
arrangements
(``contact_activation``) start from one state of steady running and cover the same window at the same tolerance; CPU
seconds are those of the loop of steps, the smallest of several runs that alternate, without set-up and compilation.
The differences of the sprockets' angles, of the tension in the tight strand and of the energy against the first
arrangement are printed: the arrangements make the same iterates, so that only cost differs.

The same drive from the same state in MuJoCo and, without friction and damping of the contacts, in Exudyn: CPU over ours
at equal error of the sprockets' angles.
"""

from __future__ import annotations

import argparse
import gc
import json
import math
import tempfile
import time

import numpy as np

from holonom.contact.activation import ACTIVATIONS
from holonom.contact.call import FORCES
from holonom.contact.tables import C_STORED, NEAR, POINTS
from holonom.machinery import chain_drive
from holonom.machinery.chain import sprocket_arcs

from .problems import Reader
from .run import machine, peer_python, peer_rows, versions

PITCH, ROLLER = 12.7e-3, 8.5e-3
SPEED = 48.0  # of the driver at the start, rad/s: what torque and load agree on
WARM = 0.1  # s of running before the common state
PIECE = 1.1e-3  # m, of the polygons that other engines have in place of arcs
PEER_WINDOW = 0.01
PAIRS = 41
REPEATS = {"active": 15, "idle": 5, "broad-phase": 5, "all-pairs": 2, "unknown-forces": 2}


class Drive:
    """One drive, ready to be run again and again from the same state.  ``state``: rows of bodies by name."""

    def __init__(self, links: int, idle: bool = False, state: dict | None = None, **parameters):
        from holonom.analyses.assemble import assemble
        from holonom.system.build import System

        self.links = links
        self.system = s = System(chain_drive(links, speed=SPEED, idle=idle, **parameters))
        self.names = [e.name for e in s.body_elements]
        self.y0 = assemble(s).y
        if state is not None:
            rows = self.y0[: 13 * s.nb].reshape(-1, 13)
            for k, name in enumerate(self.names):
                if name in state:
                    rows[k] = state[name]
        self.reader = Reader(s)
        self.contacts = s.contacts

    def stepper(self, integrator: str, error: float, activation: str, t0: float, window: float):
        from holonom.integrators import Options, make_integrator

        self.contacts.arrange(activation)
        stepper = make_integrator(
            integrator, self.system, Options(error=error, hmax=1e-3, extra={"contact_activation": activation})
        )
        stepper.start(t0, self.y0.copy(), t0 + window, 1e-6)
        return stepper

    def run(self, integrator: str, error: float, activation: str, t0: float, window: float, watch: bool = False):
        """(CPU seconds, stepper, samples (n, 4) at 20 times: angles of driver and driven, tension, energy)."""
        stepper = self.stepper(integrator, error, activation, t0, window)
        times = t0 + window * np.arange(1, 21) / 20 if watch else np.array([t0 + window])
        samples = []
        gc.collect()
        cpu = 0.0
        for until in times:
            clock = time.process_time()
            while stepper.t < until - 1e-13:
                stepper.step(until)
            cpu += time.process_time() - clock
            if watch:
                samples.append(self.measures(stepper))
        return cpu, stepper, np.array(samples)

    def measures(self, stepper) -> tuple[float, float, float, float]:
        s, y = self.system, stepper.y
        angles = []
        for name in ("driver", "driven"):
            q = y[13 * self.names.index(name) + 3 :][:4]
            angles.append(2.0 * math.atan2(q[3], q[0]))
        tension = 0.0
        k = self.names.index("link 1") + self.middle
        for c in s.constraints:
            if c.element.name == f"pin {k}":
                tension = float(np.linalg.norm(stepper.lam[c.rows.start : c.rows.start + 2]))
        stored = float(self.contacts.sum(stepper.t, y)[:, C_STORED].sum())
        return angles[0], angles[1], tension, self.reader.energy(y) + stored

    @property
    def middle(self) -> int:
        """Links to the middle of the tight (upper) strand."""
        rows = self.y0[: 13 * self.system.nb].reshape(-1, 13)
        first = self.names.index("link 1")
        places = rows[first : first + self.links, :2]
        goal = np.array([0.5 * (places[:, 0].min() + places[:, 0].max()), places[:, 1].max()])
        return int(np.argmin(((places - goal) ** 2).sum(axis=1)))

    def state(self, y) -> dict:
        return {name: y[13 * k : 13 * k + 13].copy() for k, name in enumerate(self.names)}


def angle_error(samples, reference) -> float:
    """Largest difference of a sprocket's angle, rad."""
    d = samples[:, :2] - reference[:, :2]
    return float(np.abs((d + np.pi) % (2 * np.pi) - np.pi).max())


def split(stepper, drive: Drive) -> dict[str, float]:
    """Microseconds of single calls at the last state: contact forces, matrix of contacts, factorisation, solution."""
    from holonom.linalg.lu import lu_refactor, lu_solve
    from holonom.system.contact_entry import ask

    I, lu = stepper.I, stepper.lu.arrays
    y, t, (engine, tables, *_, derivatives) = stepper.y, stepper.t, stepper.S.contacts
    K, C, b, x = I.K.copy(), I.C.copy(), np.ones(stepper.lu.n), np.zeros(stepper.lu.n)
    none, R = np.zeros(6 * drive.system.nb + 6), drive.contacts._R

    def least(call, n):
        best = math.inf
        for _ in range(5):
            clock = time.process_time()
            for _ in range(n):
                call()
            best = min(best, (time.process_time() - clock) / n)
        return 1e6 * best

    n = 5 if stepper.lu.n > 5000 else 100
    drive.contacts.ask(FORCES, t, y)
    return {
        "contact forces": least(lambda: ask(engine, tables, FORCES, t, y, R, none, none, none), n),
        "contact matrix": least(lambda: ask(derivatives, tables, FORCES, t, y, R, none, K, C), n),
        "factor": least(lambda: lu_refactor(lu, I.data), n),
        "solve": least(lambda: lu_solve(lu, b, x), n),
    }


def steady(links: int) -> dict:
    """State of all bodies after 0.1 s."""
    drive = Drive(links)
    _, stepper, _ = drive.run("GSTIFF", 1e-5, "active", 0.0, WARM)
    return drive.state(stepper.y)


def arrangements(
    links: int, words: list[str], integrator: str, error: float, window: float, repeats: int | None
) -> None:
    """Runs and prints."""
    head = f"chain_drive links={links}"
    state = steady(links)
    reference = None
    if "active" in words:
        _, _, reference = Drive(links, state=state).run("GSTIFF", 1e-8, "active", WARM, window, watch=True)
    drives = {word: Drive(links, state=state) for word in words}
    drives["idle"] = Drive(links, idle=True, state=state)
    cpu: dict[str, float] = {}
    first = None
    for word, drive in drives.items():
        activation = "active" if word == "idle" else word
        least, last, samples = drive.run(integrator, error, activation, WARM, window, watch=True)
        count = last.statistics
        if first is None:
            first = samples
        if word != "idle":
            apart = np.abs(samples - first).max(axis=0)
            apart[:2] = angle_error(samples, first)
            scale = np.abs(first).max(axis=0)
            print(
                f"{head} {word}: {count['steps']} steps, {count['iterations']} iterations, {count['matrices']} "
                "matrices, "
                f"{sum(v for k, v in count.items() if 'rejected' in k)} rejected; {drive.contacts.defined} defined, "
                f"{drive.contacts.W.count[NEAR]} near, {drive.contacts.W.count[POINTS]} acting; N = {last.lu.n}, "
                f"nnz(L+U) = {last.lu.fill}"
            )
            print(
                f"{head} {word}: against {words[0]}: angle {apart[0]:.1e} rad, tension {apart[2] / scale[2]:.1e}, "
                f"energy {apart[3] / scale[3]:.1e} (relative)"
            )
            if reference is not None:
                print(f"{head} {word}: error of the sprockets' angles {angle_error(samples, reference):.1e} rad")
        cpu[word] = least
        parts = split(last, drive)
        per_step = 1e6 * least / count["steps"]
        print(
            f"{head} {word}: us per call: "
            + ", ".join(f"{k} {v:.1f}" for k, v in parts.items())
            + f"; us per step {per_step:.0f}",
            flush=True,
        )
        del last
    most = max(repeats or REPEATS.get(w, 5) for w in drives)
    steps = {}
    for lap in range(most):  # in turn, so that a busy machine hits all alike
        for word, drive in drives.items():
            if lap < (repeats or REPEATS.get(word, 5)):
                used, last, _ = drive.run(integrator, error, "active" if word == "idle" else word, WARM, window)
                cpu[word] = min(cpu.get(word, math.inf), used)
                steps[word] = last.statistics["steps"]
    for word, used in cpu.items():
        print(
            f"{head} {'active, idle sprockets' if word == 'idle' else word}: cpu_per_second = {used / window:.3g}, "
            f"us_per_step = {1e6 * used / steps[word]:.0f}"
        )
    if "active" in cpu:
        for word, name in (
            ("unknown-forces", "unknown_forces"),
            ("all-pairs", "all_pairs"),
            ("broad-phase", "broad_phase"),
        ):
            if word in cpu:
                print(f"{head} {name}_over_active = {cpu[word] / cpu['active']:.3g}")

        def one(word):
            return drives[word].run(integrator, error, "active", WARM, window)[0]

        pairs = [
            (one("active"), one("idle")) for _ in range(PAIRS)
        ]  # a median of neighbours: least runs scatter more than the effect
        growth = float(np.median([idle / active for active, idle in pairs]))
        print(
            f"{head} growth_with_defined_doubled = {100 * (growth - 1):.1f} % ({steps['active']} and {steps['idle']} "
            "steps)",
            flush=True,
        )


# ---- other engines ---------------------------------------------------------------------------------------------------
def outline(teeth: int, piece: float) -> list[list[float]]:
    """Straight segments (x, y, x, y) of about this length for seats and flanks of a sprocket, as far from the arc as
    they are within it; material on their left."""
    out = []
    for points, bulge in sprocket_arcs(teeth, PITCH, ROLLER):
        a, b = points[0], points[1]
        angle = 4.0 * math.atan(bulge)
        d = b - a
        centre = 0.5 * (a + b) + 0.5 / math.tan(0.5 * angle) * np.array([-d[1], d[0]])
        pieces = max(1, round(float(np.linalg.norm(a - centre)) * abs(angle) / piece))
        half = 0.5 * angle / pieces
        r = (a - centre) * half / math.sin(half)
        turn = angle * np.arange(pieces + 1) / pieces
        c, w = np.cos(turn), np.sin(turn)
        p = centre + np.column_stack([c * r[0] - w * r[1], w * r[0] + c * r[1]])
        out += [[*p[k].tolist(), *p[k + 1].tolist()] for k in range(pieces)]
    return out


def scene(drive: Drive, y, piece: float) -> dict:
    """Numbers of the drive at state ``y`` for other engines."""
    s = drive.system

    def row(name):
        k = drive.names.index(name)
        frame = s.body_frame(y, k)
        z = y[13 * k : 13 * k + 13]
        spin = float((frame.axes @ z[10:13])[2])
        return [frame.origin[:2].tolist(), math.atan2(frame.axes[1, 0], frame.axes[0, 0]), z[7:9].tolist(), spin]

    wheels = [[inertia, *row(word)] for inertia, word in ((5e-4, "driver"), (4e-3, "driven"))]
    turned = (math.pi, 0.0)  # the drawing's first gap sits on the other side of the driver
    curves = []
    for teeth, angle in zip((18, 36), turned):
        c, w = math.cos(angle), math.sin(angle)
        q = np.array(outline(teeth, piece)).reshape(-1, 2)
        curves.append(np.column_stack([c * q[:, 0] - w * q[:, 1], w * q[:, 0] + c * q[:, 1]]).reshape(-1, 4).tolist())
    return {
        "gravity": 9.81,
        "mass": 9e-3,
        "inertia": 1.3 / 12 * 9e-3 * (PITCH**2 + 0.012**2),
        "pitch": PITCH,
        "radius": 0.5 * ROLLER,
        "joint_damping": 1e-4,
        "links": [row(f"link {k + 1}") for k in range(drive.links)],
        "sprockets": wheels,
        "curves": curves,
        "torques": [10.0, -5.0],
        "dampers": [0.0, 0.6],
    }


def ours(links: int, state: dict, word: str, **contact):
    """(drive, angles of a converged run, [(error, CPU seconds)]) over the peers' window, printed."""
    drive = Drive(links, state=state, **contact)
    _, _, reference = drive.run("GSTIFF", 1e-10, "active", WARM, PEER_WINDOW, watch=True)
    rows = []
    for integrator, errors in (
        ("GSTIFF", (1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 3e-6, 1e-6, 1e-7, 1e-8)),
        ("RADAU5", (1e-3, 1e-4, 1e-5)),
    ):
        for asked in errors:
            _, _, samples = drive.run(integrator, asked, "active", WARM, PEER_WINDOW, watch=True)
            cpu = min(drive.run(integrator, asked, "active", WARM, PEER_WINDOW)[0] for _ in range(5))
            rows.append((angle_error(samples, reference), cpu))
            print(
                f"chain_drive links={links} ours {word}, {integrator} {asked:g}: error {rows[-1][0]:.1e} rad, "
                f"cpu_per_second {cpu / PEER_WINDOW:.3g}",
                flush=True,
            )
    return drive, reference, rows


def compare(head: str, word: str, script: str, python, drive: Drive, reference, mine, given: dict) -> None:
    """Runs a peer with its steps and prints the error of each against the first of them, its limit, and the ratio of
    CPU to the cheapest of our runs with no larger error (against our limit); at the end the range of the ratios where
    no other step of the peer is both cheaper and better.  ``mine``: rows of `ours`."""
    given = scene(drive, drive.y0, given["piece"]) | {"window": PEER_WINDOW, "stiffness": 1.3e9} | given
    limit, theirs = None, []
    with tempfile.NamedTemporaryFile("w", suffix=".json") as f:
        json.dump(given, f)
        f.flush()
        for row in peer_rows(script, python, 900.0, file=f.name):
            if "failed" in row:
                print(
                    f"{head} {word} {row.get('settings', '')} step {row.get('h', 0.0):g} s: {row['failed']}", flush=True
                )
                continue
            angles = np.array(row["angles"])
            name = f"{head} {word} {row['settings']} step {row['h']:g} s"
            if limit is None:
                limit = angles
                apart = angle_error(angles - angles[0], reference[:, :2] - reference[0, :2])
                print(
                    f"{name}, pieces of {1e3 * given['piece']:g} mm: its limit, {apart:.1e} rad from ours; "
                    f"{row['version']}",
                    flush=True,
                )
                continue
            error = angle_error(angles, limit)
            fit = [r for r in mine if r[0] <= error]
            text = ""
            if fit and not row.get("another law"):
                best = min(fit, key=lambda r: r[1])
                theirs.append((error, row["seconds"], row["seconds"] / best[1]))
                text = f"; ours {best[0]:.1e} rad, {best[1] / PEER_WINDOW:.3g}: ratio {theirs[-1][2]:.3g}"
            print(
                f"{name}: error {error:.1e} rad, cpu_per_second {row['seconds'] / PEER_WINDOW:.3g}, "
                f"{1e6 * row['seconds'] / row['steps']:.0f} us a step{text}",
                flush=True,
            )
    front = [r for r in theirs if not any(q[0] < r[0] and q[1] < r[1] for q in theirs)]
    if front:
        least, most = min(front, key=lambda r: r[2]), max(front, key=lambda r: r[2])
        print(
            f"{head} {word}_over_holonom = {least[2]:.3g} (at an error of {least[0]:.0e} rad; {most[2]:.3g} at "
            f"{most[0]:.0e})",
            flush=True,
        )


def peers(links: int, state: dict) -> None:
    """MuJoCo on the drive as it is, Exudyn on it without friction and damping at the teeth (see what its script gives
    of both)."""
    head = f"chain_drive links={links}"
    drive, reference, mine = ours(links, state, "as it is")
    python = peer_python("exudyn", "mujoco", "pin", "scikit-sundae", "scipy", "numba")
    trees = max(1, links // 10)  # the cheapest of 1, 2, 4, 6, 8, 12 at 60 links and 1, 4, 8, 16, 24, 40 at 240
    rows = [
        ("RK4", 0.02, 2e-5, trees),
        ("IMPLICITFAST", 0.1, 1e-4, trees),
        ("IMPLICITFAST", 0.02, 5e-5, trees),
        ("IMPLICITFAST", 0.02, 2e-5, trees),
        ("RK4", 0.02, 1.25e-4, trees),
        ("RK4", 0.02, 1e-4, trees),
        ("RK4", 0.02, 5e-5, trees),
        ("IMPLICITFAST", 0.02, 2e-5, 1),
        ("IMPLICITFAST", 0, 1e-4, 1),
        ("IMPLICITFAST", 0, 2e-5, 1),
    ]
    given = {"friction": 0.1, "damping": 4e4, "repeats": 3, "piece": PIECE, "steps": rows}
    fine = given | {"repeats": 1, "piece": PIECE / 4, "steps": [("RK4", 0.02, 5e-5, trees)]}
    for answer in (fine, given):
        compare(head, "mujoco", "mujoco_chain_drive", python, drive, reference, mine, answer)
    drive, reference, mine = ours(links, state, "free of friction and damping at the teeth", mu=None, damping=0.0)
    given = {"piece": PIECE, "steps": [1e-6, 5e-5, 2e-5, 5e-6, 2e-6]}
    compare(head, "exudyn", "exudyn_chain_drive", peer_python("exudyn", "numpy"), drive, reference, mine, given)


def main(arguments: list[str]) -> None:
    p = argparse.ArgumentParser(prog="chain_drive")
    p.add_argument("links", nargs="*", type=int, default=None)
    p.add_argument("--arrangements", default=",".join(ACTIVATIONS))
    p.add_argument("--integrator", default="GSTIFF")
    p.add_argument("--error", type=float, default=1e-5)
    p.add_argument("--window", type=float, default=0.02)
    p.add_argument("--repeats", type=int)
    p.add_argument("--no-peers", action="store_true")
    p.add_argument("--peers", action="store_true", help="nothing but the peers")
    a = p.parse_args(arguments)
    words = a.arrangements.split(",")
    print(f"{machine()}; {versions()}; {a.integrator}, error {a.error:g}, window {a.window:g} s")
    for links in a.links or [60, 120, 240]:
        if not a.peers:
            arrangements(links, words, a.integrator, a.error, a.window, a.repeats)
        if not a.no_peers:
            peers(links, steady(links))
