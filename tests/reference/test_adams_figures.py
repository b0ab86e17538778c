"""Every kind of joint against values that Adams printed, from files of this repository alone.

``tests/data/adams_joints``: datasets of our own for the problems whose result curves Project Chrono publishes, and of
those curves each fiftieth row (`figures.txt`).  Joints that Adams' problems do not have replace those that they
have: the same motion, the same forces.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy.special import ellipj, ellipk

import holonom as hn
from holonom.model.joints import JOINT_TYPES, PRIMITIVE_TYPES
from holonom.results import _rotation as rotation

FOLDER = Path(__file__).resolve().parents[1] / "data" / "adams_joints"
MOTION = ("Pos", "Vel", "Acc", "Quat", "Avel", "Aacc")
ALL = (*MOTION, "Rforce", "Rtorque")
# dataset: problem of Adams, quantities that are the same
CASES = {
    "revolute": ("Revolute_Case01", ALL),
    "cylindrical_fall": ("Cylindrical_Case01", ALL),
    "cylindrical_swing": ("Cylindrical_Case02", ALL),
    "translational_fall": ("Prismatic_Case01", ALL),
    "translational_slope": ("Prismatic_Case02", ALL),
    "spherical": ("Spherical_Case01", ALL),
    "hooke_y": ("Universal_Case01", ALL),
    "hooke_x": ("Universal_Case02", ALL),
    "distance_centre": ("Distance_Case01", ALL),
    "distance_end": ("Distance_Case03", ALL),
    "spring": ("TranSpring_Case02", ALL),
    "torsion_spring": ("RotSpring_Case02", ALL),
    "actuator_up": ("LinActuator_Case01", (*MOTION, "RforceA", "RforceP")),
    "actuator_slope": ("LinActuator_Case02", (*MOTION, "RforceA", "RforceP")),
    "crank_and_ball": ("RevSpherical_Case01", (*MOTION, "Rforce_Body1")),
    "crank_and_ball_slope": ("RevSpherical_Case02", (*MOTION, "Rforce_Body1")),
    "swing_by_primitives": ("Revolute_Case01", (*MOTION, "Rforce")),
    "swing_by_planar": ("Revolute_Case01", (*MOTION, "Rforce")),
    "swing_by_universal": ("Revolute_Case01", (*MOTION, "Rforce")),
    "swing_by_convel": ("Revolute_Case01", (*MOTION, "Rforce")),
    "swing_by_perpendicular": ("Revolute_Case01", (*MOTION, "Rforce")),
    "swing_of_two_halves": ("Revolute_Case01", (*MOTION, "Rforce")),
    "fall_by_primitives": ("Prismatic_Case01", MOTION),
    "fall_by_planes": ("Prismatic_Case01", MOTION),
    "lift_by_screw": ("LinActuator_Case01", ("Pos", "Vel", "Acc", "RforceA")),
    "lift_by_rack": ("LinActuator_Case01", (*MOTION, "RforceA")),
    "lift_by_coupler": ("LinActuator_Case01", (*MOTION, "RforceA")),
    "lift_by_gear": ("LinActuator_Case01", (*MOTION, "RforceA")),
}
# absolute bar, and bar relative to the range: half a printed digit is added
BARS = {
    "Pos": (1e-5, 0.0),
    "Vel": (1e-4, 0.0),
    "Acc": (0.0, 1e-3),
    "Quat": (1e-5, 0.0),
    "Avel": (1e-4, 0.0),
    "Aacc": (0.0, 1e-3),
}
ZERO = 1e-9 * 9.80665 * 2.0  # of weight times length: nothing, where the figure is zero but for rounding
LATE = 2e-6  # s: at 5 s crank_and_ball_slope passes a peak of 290 rad/s2, where a microsecond counts
PENDULUM = (
    "spherical",
    "hooke_y",
    "hooke_x",
)  # whose curves carry an error of the integration: see test_ball_and_hooke_swing_as_the_closed_form


@cache
def figures() -> dict[tuple[str, str], tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """(problem, quantity): times, values, half a unit of the last digit printed."""
    rows: dict[tuple[str, str], list[list[str]]] = {}
    for line in (FOLDER / "figures.txt").read_text().splitlines():
        if not line.startswith("#"):
            case, quantity, *words = line.split()
            rows.setdefault((case, quantity), []).append(words)
    out = {}
    for key, table in rows.items():
        mantissas = [
            w.upper().split("E")[0].lstrip("+-").replace(".", "").rstrip("0") for row in table for w in row[1:]
        ]
        digits = max(6, *map(len, mantissas))  # some tables were printed with 6, some with 7
        exponents = np.array([[int(w.upper().split("E")[1]) for w in row[1:]] for row in table])
        values = np.array(table, float)
        out[key] = values[:, 0], values[:, 1:], 0.5 * 10.0 ** (exponents - (digits - 1))
    return out


@cache
def run(name: str):
    return hn.simulate(hn.read_adams(FOLDER / f"{name}.adm"), end=5.0, dt=0.5, kind="dynamics", error=1e-10)


def ours(name: str, quantity: str) -> np.ndarray:
    """Values in ground axes; reactions as they act on ground, forces of drives as they act on the plate."""
    r = run(name)
    part = r.part("PART/2")
    if quantity in MOTION:
        if quantity == "Quat":  # of the centre's marker
            q = part.quaternion.values
            cm = r.model.markers[20].frame.axes
            return rotation.product(q, quaternion(cm)[None])
        history = {
            "Pos": "position",
            "Vel": "velocity",
            "Acc": "acceleration",
            "Avel": "angular_velocity",
            "Aacc": "angular_acceleration",
        }
        return getattr(part, history[quantity]).values
    if name == "spring":
        wrench = r.force("SPRINGDAMPER/1")
        return wrench.force.values if quantity == "Rforce" else wrench.torque.values
    if name == "torsion_spring" and quantity == "Rtorque":  # published with that of the spring
        return r.joint(1).torque.values + r.force("SFORCE/1").torque.values
    if quantity.startswith("Rforce_"):  # of both constraints; their I is on the bar
        return -(r.constraint("JPRIM/1").force.values + r.constraint("GCON/1").force.values)
    if quantity == "RforceA":
        return DRIVES.get(name, lambda r: r.motion("MOTION/1").force.values)(r)
    if quantity == "RforceP":
        return -r.joint(1).force.values
    found = [
        k for k in ("JOINT/1", "JPRIM/1", "JPRIM/2", "GCON/1") if any(f"{a}/{b}" == k for a, b, _ in r.data.constraints)
    ]
    if name == "swing_of_two_halves":
        found = ["JOINT/1"]
    views = [r.constraint(k) for k in found]
    return sum(v.force.values if quantity == "Rforce" else v.torque.values for v in views)


DRIVES = {
    "lift_by_screw": lambda r: r.joint(1).force.values,
    "lift_by_rack": lambda r: -r.joint(3).force.values,  # I is the pinion's
    "lift_by_coupler": lambda r: r.constraint("COUPLER/1").force.values,
    "lift_by_gear": lambda r: r.constraint("GEAR/1").force.values,
}


def quaternion(axes: np.ndarray) -> np.ndarray:
    from holonom.model.orientation import to_quaternion

    return to_quaternion(axes)


def bar(problem: str, quantity: str) -> np.ndarray:
    _, values, half = figures()[problem, quantity]
    absolute, relative = BARS.get(quantity, (0.0, 1e-3))
    span = np.ptp(np.vstack([values, np.zeros(values.shape[1])]), axis=0).max()
    late = LATE * np.abs(figures()[problem, "Aacc"][1]) if quantity == "Avel" else 0.0
    return absolute + max(relative * span, ZERO) + half + late


def difference(name: str, quantity: str) -> np.ndarray:
    times, values, _ = figures()[CASES[name][0], quantity]
    found = ours(name, quantity)
    assert np.allclose(times, run(name).time, atol=1e-12)
    if quantity == "Quat":  # Euler parameters mean the same with both signs
        found = found * np.sign((found * values).sum(axis=1, keepdims=True))
    return np.abs(found - values)


@pytest.mark.parametrize("name, quantity", [(n, q) for n, (_, qs) in CASES.items() if n not in PENDULUM for q in qs])
def test_printed_values(name, quantity):
    excess = difference(name, quantity) - bar(CASES[name][0], quantity)
    assert excess.max() <= 0.0, f"row {excess.max(axis=1).argmax()}: {excess.max()}"


def swing(t: np.ndarray) -> np.ndarray:
    """Height of the centre (m = 1, at 2 m, J = 0.1) of the bar let go from the horizontal, by elliptic functions."""
    w = np.sqrt(9.80665 * 2.0 / (0.1 + 4.0))
    k = np.sqrt(0.5)
    return -2.0 * np.cos(2.0 * np.arcsin(k * ellipj(ellipk(0.5) - w * t, 0.5)[0]))


@pytest.mark.parametrize("name", PENDULUM)
def test_ball_and_hooke_swing_as_the_closed_form(name):
    """Adams' figures of these agree to the bars at 0.5 s, and drift from the closed form by up to 8e-4 m; ours keeps to
    it."""
    problem = CASES[name][0]
    for quantity in ALL:
        assert (difference(name, quantity)[:2] <= bar(problem, quantity)[:2]).all(), quantity
    exact = swing(run(name).time)
    assert np.abs(run(name).part("PART/2").position.values[:, 2] - exact).max() < 1e-7
    drift = np.abs(figures()[problem, "Pos"][1][:, 2] - exact).max()
    assert 5e-5 < drift < 1e-3
    assert difference(name, "Pos")[:, 2].max() < 1.01 * drift + 1e-5  # what is left between us is that


def test_every_kind_of_joint_is_among_them():
    used = {e.type for name in CASES for kind in ("JOINT", "JPRIM") for e in run(name).model.table(kind).values()}
    assert used == {*JOINT_TYPES, *PRIMITIVE_TYPES}
