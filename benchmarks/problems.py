"""Problems of the work-precision diagrams: the model, the end, and the error of an end state against an independent
reference.

Models come from ``tests/reference/machines.py``; reference figures and where they come from stand in
``references.json``, which ``python benchmarks/references.py`` makes anew.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests" / "reference"))

import machines  # noqa: E402

REFERENCES = json.loads((HERE / "references.json").read_text())


@dataclass(frozen=True)
class Problem:
    """``probe``: (kind, part, point): "point" is the position at the end of a point of the part, given as it lies at
    the start; "angle" a turn about z counted from the start, modulo a turn; "energy" the largest change of energy, over
    all steps taken.
    """

    name: str
    title: str
    model: Callable
    end: float
    probe: tuple
    unit: str
    stiff: bool = False  # methods for stiff problems are the natural ones here
    also: tuple = field(default=())  # a second probe, reported compared with the first


def _fourbar1():
    """With velocities that fit to the last digit: the assembly, which weighs them, then has nothing to share out."""
    model = machines.fourbar1()
    b1, b2, b3 = (next(p for p in model.parts.values() if p.name == name) for name in ("b1", "b2", "b3"))
    w = 5.235987755982989
    b1.vx, b1.vy, b1.vz = (float(x) for x in np.cross((w, 0.0, 0.0), (0.0, 0.25, 0.05)))
    b2.vx, b2.vy, b2.vz = -0.02 * w, 0.0, 0.0
    b3.vx, b3.vy, b3.vz = -0.01 * w, -0.05 * w, 0.25 * w
    b3.wx, b3.wy, b3.wz = (float(x) for x in b3.frame.axes.T @ np.array([0.0, 0.5 * w, 0.1 * w]))
    return model


def _governor_spin(k, c):
    return lambda: machines.governor(k, c, spin=0.32 * np.pi)


PROBLEMS = {
    p.name: p
    for p in (
        Problem(
            "pendulum",
            "Pendulum, a point mass on a rod, 10 s",
            machines.pendulum,
            10.0,
            ("point", "bob", (-1.0, 0.0, 0.0)),
            "m",
        ),
        Problem(
            "four_bars",
            "Forty four-bar windows in a row, 10 s",
            lambda: machines.four_bars(40),
            10.0,
            ("energy",),
            "J",
            also=("point", "up0", (0.0, 1.0, 0.0)),
        ),
        Problem("andrews", "Andrews' squeezing mechanism, 0.03 s", machines.andrews, 0.03, ("angle", "K1"), "rad"),
        Problem(
            "bricard",
            "Bricard's mechanism, one redundant row, 10 s",
            machines.bricard,
            10.0,
            ("point", "rod3", (1.0, -1.0, 1.0)),
            "m",
        ),
        Problem(
            "governor",
            "Flyball governor, stiff springs, 10 s",
            _governor_spin(8e5, 4e4),
            10.0,
            ("point", "slider", (0.0, 0.0, 0.5)),
            "m",
            stiff=True,
        ),
        Problem(
            "governor_soft",
            "Flyball governor, soft springs, 10 s",
            _governor_spin(4e3, 2e2),
            10.0,
            ("point", "slider", (0.0, 0.0, 0.5)),
            "m",
        ),
        Problem("heavy_top", "Heavy top, 2 s", machines.heavy_top, 2.0, ("point", "top", (0.0, 1.0, 0.0)), "m"),
        Problem(
            "double_pendulum",
            "Double pendulum, 3 s",
            machines.double_pendulum,
            3.0,
            ("point", "lower", (2.0, 0.0, 0.0)),
            "m",
        ),
        Problem(
            "fourbar1",
            "Spatial four-bar of the Modelica library, 5 s",
            _fourbar1,
            5.0,
            ("point", "b1", (0.0, 0.5, 0.1)),
            "m",
        ),
        Problem(
            "slider_crank",
            "Slider-crank under constant torque, 3 s",
            machines.slider_crank,
            3.0,
            ("point", "crank", (0.1, 0.0, 0.0)),
            "m",
        ),
        Problem(
            "chain10",
            "Chain of 10 rods, 2 s",
            lambda: machines.chain(10),
            2.0,
            ("point", "link10", (1.0, 0.0, 0.0)),
            "m",
        ),
        Problem(
            "chain100",
            "Chain of 100 rods, 2 s",
            lambda: machines.chain(100),
            2.0,
            ("point", "link100", (10.0, 0.0, 0.0)),
            "m",
        ),
        Problem(
            "chain1000",
            "Chain of 1000 rods, 2 s",
            lambda: machines.chain(1000),
            2.0,
            ("point", "link1000", (100.0, 0.0, 0.0)),
            "m",
        ),
    )
}
#: short names of the problems as the scripts of the peers have them
SHORT = {"a1": "pendulum", "a2": "four_bars", "b": "andrews", "c": "bricard", "d": "governor", "d2": "governor_soft",
    "top": "heavy_top",
         "f10": "chain10", "f100": "chain100", "f1000": "chain1000"}  # fmt: skip


def named(name: str) -> Problem:
    key = SHORT.get(name, name)
    if key not in PROBLEMS:
        raise SystemExit(f"no problem '{name}'; there are {', '.join(PROBLEMS)}")
    return PROBLEMS[key]


def distance(problem: Problem, probe: tuple, value) -> float:
    """Error of what a probe gave: distance of points, difference of angles modulo a turn, size of an energy change."""
    if probe[0] == "energy":
        return float(abs(value))
    exact = REFERENCES[problem.name]["value"]
    if probe[0] == "angle":
        return float(abs((value - exact + np.pi) % (2 * np.pi) - np.pi))
    return float(np.linalg.norm(np.asarray(value, float) - exact))


class Reader:
    """Reads probes from the state vector of our `System`."""

    def __init__(self, system):
        self.system = system
        self.index = {body.name: k for k, body in enumerate(system.body_elements)}
        b = system.bodies
        self.mass, self.J, self.gravity = np.array(b.mass), np.array(b.J), np.array(b.gravity)
        self.start = system.y_bodies.copy()

    def energy(self, y) -> float:
        """Kinetic energy and that of gravity; problems with springs have no energy probe."""
        s = y[: 13 * len(self.mass)].reshape(-1, 13)
        kinetic = 0.5 * (self.mass @ (s[:, 7:10] ** 2).sum(axis=1) + (self.J * s[:, 10:13] ** 2).sum())
        return float(kinetic - self.mass @ (s[:, :3] @ self.gravity))

    def __call__(self, probe: tuple, y):
        k = self.index[probe[1]]
        now = self.system.body_frame(y, k)
        then = self.system.body_frame(self.start, k)
        if probe[0] == "angle":
            x = now.axes @ then.axes.T
            return float(np.arctan2(x[1, 0], x[0, 0]))
        return now.origin + now.axes @ (then.axes.T @ (np.asarray(probe[2]) - then.origin))
