"""Tracked vehicle side with 630 defined contacts of which some 36 act: the four arrangements of contact.

    make bench CASE=track
    make bench CASE=track ARGS="--arrangements active,all-pairs --window 1"
    make bench CASE=track ARGS="--integrator HHT --error 1e-6"

`holonom.machinery.tracked_side` drives at constant torque; all arrangements (``contact_activation``) start from one
state at 1.5 s and cover the same window at the same tolerance.  CPU seconds are those of the loop of steps, the
smallest of several runs that alternate, without set-up and compilation.  Printed are the differences of the sprocket's
angle, of the tensioner's force and of the energy against the first arrangement, and against a run at 1e-8.  A copy with
ten balls out of reach of every shoe has twice as many contacts defined.
"""

from __future__ import annotations

import argparse
import math

import numpy as np

from holonom.contact.activation import ACTIVATIONS
from holonom.contact.tables import C_STORED, NEAR, POINTS
from holonom.machinery import tracked_side
from holonom.machinery.track import ARM, TENSIONER

from .chain_drive import Drive, split
from .problems import Reader
from .run import machine, versions

SHOES = 63
WARM = 1.5  # s of running before the common state
REPEATS = {"active": 7, "idle": 7, "broad-phase": 5, "all-pairs": 5, "unknown-forces": 2}


class Track(Drive):
    """One track, ready to be run again and again from the same state."""

    def __init__(self, idle: bool = False, state: dict | None = None):
        from holonom.analyses.assemble import assemble
        from holonom.system.build import System

        model = tracked_side(SHOES)
        if idle:
            law = model.table("CONTACT")
            plates = next(c for c in law.values() if c.name == "wheels on track").jgeom
            balls = [model.sphere(model.ground, (x, 50.0, 0.0), 0.2) for x in range(10)]
            model.contact(
                plates,
                balls,
                name="out of reach",
                stiffness=2e8,
                exponent=1.5,
                damping=2e4,
                dmax=1e-3,
                mu=0.4,
                stiction_transition_velocity=0.05,
                friction_transition_velocity=0.1,
            )
        self.system = s = System(model)
        self.names = [e.name for e in s.body_elements]
        self.y0 = assemble(s).y
        self.reader = Reader(s)
        self.anchors = [model.find("SPRINGDAMPER", "tensioner").i, model.find("SPRINGDAMPER", "tensioner").j]
        self.places = [model.markers[k].frame.origin for k in self.anchors]
        self.bars = [model.find("SPRINGDAMPER", f"torsion bar {k + 1}").torque for k in range(5)]
        self.contacts = s.contacts
        if state is not None:
            rows = self.y0[: 13 * s.nb].reshape(-1, 13)
            for k, name in enumerate(self.names):
                rows[k] = state[name]

    def measures(self, stepper) -> tuple[float, float, float, float]:
        """Angle of the sprocket, x of the hull, force of the tensioner's spring, energy."""
        y, read = stepper.y, self.reader
        stretch = np.subtract(*(read(("place", name, at), y) for name, at in zip(("carrier", "hull"), self.places)))
        out = float(np.linalg.norm(stretch)) - TENSIONER["length"] - TENSIONER["slack"]
        pull = TENSIONER["preload"] - TENSIONER["stiffness"] * out
        energy = read.energy(y) + float(self.contacts.sum(stepper.t, y)[:, C_STORED].sum())
        energy += 0.5 * TENSIONER["stiffness"] * out**2 - TENSIONER["preload"] * out
        hull = read(("angle", "hull"), y)
        for k, torque in enumerate(self.bars):
            turned = read(("angle", f"arm {k + 1}"), y) - hull
            energy += 0.5 * ARM["stiffness"] * turned**2 - torque * turned
        return read(("angle", "sprocket"), y), float(y[13 * self.names.index("hull")]), pull, energy


def apart(samples: np.ndarray, reference: np.ndarray) -> tuple[float, float, float]:
    """Largest differences: angle in rad, force and energy relative."""
    d = np.abs(samples - reference)
    turn = (samples[:, 0] - reference[:, 0] + math.pi) % (2 * math.pi) - math.pi
    scale = np.abs(reference).max(axis=0)
    return float(np.abs(turn).max()), float(d[:, 2].max() / scale[2]), float(d[:, 3].max() / scale[3])


def main(arguments: list[str]) -> None:
    p = argparse.ArgumentParser(prog="track")
    p.add_argument("--arrangements", default=",".join(ACTIVATIONS))
    p.add_argument("--integrator", default="GSTIFF")
    p.add_argument("--error", type=float, default=1e-5)
    p.add_argument("--window", type=float, default=0.2)
    p.add_argument("--repeats", type=int)
    a = p.parse_args(arguments)
    words = a.arrangements.split(",")
    print(f"{machine()}; {versions()}; {a.integrator}, error {a.error:g}, window {a.window:g} s")
    head = f"track shoes={SHOES}"
    warm = Track()
    _, stepper, _ = warm.run("GSTIFF", 1e-5, "active", 0.0, WARM)
    state = warm.state(stepper.y)
    _, _, reference = Track(state=state).run("GSTIFF", 1e-8, "active", WARM, a.window, watch=True)
    tracks = {word: Track(state=state) for word in words}
    tracks["idle"] = Track(idle=True, state=state)
    cpu: dict[str, float] = {}
    steps: dict[str, int] = {}
    first = None
    for word, track in tracks.items():
        used, last, samples = track.run(
            a.integrator, a.error, "active" if word == "idle" else word, WARM, a.window, watch=True
        )
        first = samples if first is None else first
        count = last.statistics
        print(
            f"{head} {word}: {count['steps']} steps, {count['iterations']} iterations, {count['matrices']} matrices, "
            f"{sum(v for k, v in count.items() if 'rejected' in k)} rejected; {track.contacts.defined} defined, "
            f"{track.contacts.W.count[NEAR]} near, {track.contacts.W.count[POINTS]} acting; N = {last.lu.n}, "
            f"nnz(L+U) = {last.lu.fill}"
        )
        for name, other in ((words[0], first), ("a run at 1e-8", reference)):
            turn, pull, energy = apart(samples, other)
            print(
                f"{head} {word}: against {name}: sprocket {turn:.1e} rad, tension {pull:.1e}, energy {energy:.1e} "
                "(relative)"
            )
        parts = split(last, track)
        print(
            f"{head} {word}: us per call: "
            + ", ".join(f"{k} {v:.1f}" for k, v in parts.items())
            + f"; us per step {1e6 * used / count['steps']:.0f}",
            flush=True,
        )
        cpu[word], steps[word] = used, count["steps"]
        del last
    repeats = {word: a.repeats or REPEATS.get(word, 5) for word in tracks}
    for lap in range(max(repeats.values())):  # in turn, so that a busy machine hits all alike
        for word, track in tracks.items():
            if lap < repeats[word]:
                used, last, _ = track.run(a.integrator, a.error, "active" if word == "idle" else word, WARM, a.window)
                if used / last.statistics["steps"] < cpu[word] / steps[word]:
                    cpu[word], steps[word] = used, last.statistics["steps"]
    for word, used in cpu.items():
        name = "active, twice as many defined" if word == "idle" else word
        print(f"{head} {name}: cpu_per_second = {used / a.window:.3g}, us_per_step = {1e6 * used / steps[word]:.0f}")
    if "active" in cpu:
        for word, name in (
            ("unknown-forces", "unknown_forces"),
            ("all-pairs", "all_pairs"),
            ("broad-phase", "broad_phase"),
        ):
            if word in cpu:
                print(f"{head} {name}_over_active = {cpu[word] / cpu['active']:.3g}")
        growth = (cpu["idle"] / steps["idle"]) / (cpu["active"] / steps["active"]) - 1.0
        print(f"{head} growth_with_defined_doubled = {100 * growth:.1f} %", flush=True)
