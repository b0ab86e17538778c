"""Stewart platform: six legs of given length move a plate through space.

Each leg is a tube on a universal joint and a rod that slides in it and ends in a ball joint at the plate.  The lengths
follow from the motion of the plate that is wanted, by the closed form of inverse kinematics,
    l_k = |p + R b_k - a_k|,
and drive the sliders; the simulation solves the other direction, which has no closed form, for five closed loops.

Checked against the wanted motion, and the forces in the legs against the balance of the plate, J^T f = w with the
wrench w of its inertia and weight, which holds for legs without mass (theirs is a thousandth).
"""

import sys

import numpy as np
from scipy.spatial.transform import Rotation

import holonom as hn
from holonom.model import drawing

END, STEPS = 2.0, 90  # not at the knots of the splines
BASE, PLATE, SPREAD, HEIGHT = 0.6, 0.35, np.radians(14), 0.75
MASS, INERTIA = 40.0, (1.4, 1.4, 2.6)
LEG = 0.02  # mass of half a leg
PITCHES = 400  # intervals of the splines


def pose(t: float) -> tuple[np.ndarray, np.ndarray]:
    """Centre and axes of the plate: from rest, once around a figure of eight while it tilts and turns."""
    w = np.pi
    rise, sway = 1.0 - np.cos(w * t), np.sin(w * t) - 0.5 * np.sin(2 * w * t)
    turn = Rotation.from_rotvec([0.12 * sway, 0.1 * rise, 0.15 * sway])
    return np.array([0.06 * sway, 0.05 * rise, HEIGHT + 0.04 * rise]), turn.as_matrix()


def ring(radius: float, first: float, spread: float) -> np.ndarray:
    """(6, 3) points in pairs around three directions, in the order of the legs."""
    angles = np.concatenate([first + k * 2 * np.pi / 3 + spread * np.array([-1, 1]) for k in range(3)])
    return radius * np.column_stack([np.cos(angles), np.sin(angles), np.zeros(6)])


FEET = ring(BASE, 0.0, SPREAD)
HEADS = ring(PLATE, 0.0, np.pi / 3 - SPREAD)


def lengths(t: float) -> np.ndarray:
    """(6,) of the legs: the inverse kinematics."""
    p, R = pose(t)
    return np.linalg.norm(p + HEADS @ R.T - FEET, axis=1)


def build() -> hn.Model:
    model = hn.Model("stewart_platform", units="SI")
    model.gravity = (0, 0, -9.81)
    ground, (p, R) = model.ground, pose(0.0)
    plate = model.part("plate", MASS, INERTIA, p)
    drawing.ring(model, plate, p, (0, 0, 1), PLATE, 0.025)
    drawing.ring(model, ground, (0, 0, 0), (0, 0, 1), BASE, 0.03)
    times = np.linspace(0.0, END, PITCHES + 1)
    table = np.array([lengths(t) for t in times])
    for k, (foot, head) in enumerate(zip(FEET, p + HEADS @ R.T)):
        way = (head - foot) / np.linalg.norm(head - foot)
        side = np.cross((0, 0, 1), way)
        side /= np.linalg.norm(side)
        axes = np.column_stack([side, np.cross(way, side), way])
        half = np.linalg.norm(head - foot) / 2
        slim = (LEG * half**2 / 12, LEG * half**2 / 12, 1e-6)
        tube = model.part(f"tube {k}", LEG, slim, foot + 0.5 * half * way, axes=axes)
        rod = model.part(f"rod {k}", LEG, slim, head - 0.5 * half * way, axes=axes)
        drawing.rod(model, tube, foot, foot + 1.1 * half * way, 0.022)
        drawing.rod(model, rod, head - 1.2 * half * way, head, 0.012)
        model.universal(tube, ground, f"foot {k}", at=foot, axis=side, x=np.cross(way, side))
        slider = model.translational(rod, tube, f"leg {k}", at=foot, axis=way)
        model.spherical(plate, rod, f"head {k}", at=head)
        curve = model.spline(times, table[:, k] - table[0, k], name=f"length {k}")
        model.motion(slider, f"CUBSPL(TIME,0,{curve.id},0)", f"drive {k}")
    return model


def wrench(t: float) -> tuple[np.ndarray, np.ndarray]:
    """Force and torque about its centre that the wanted motion of the plate requires of the legs (differences)."""
    h = 1e-4
    p, R = zip(*(pose(t + s * h) for s in (-1.0, 0.0, 1.0)))
    acceleration = (p[0] - 2 * p[1] + p[2]) / h**2
    spin = lambda a, b: Rotation.from_matrix(b @ a.T).as_rotvec() / h  # over half a step
    before, after = spin(R[0], R[1]), spin(R[1], R[2])
    w, rate = (before + after) / 2, (after - before) / h
    J = R[1] @ np.diag(INERTIA) @ R[1].T
    return MASS * (acceleration + [0, 0, 9.81]), J @ rate + np.cross(w, J @ w)


def main(model: hn.Model | None = None, report: str | None = None) -> float:
    run = hn.simulate(model or build(), end=END, steps=STEPS, error=1e-8, coordinates="joint")
    if report:
        run.report(report)
    plate = run.part("plate")
    wanted = [pose(t) for t in run.time]
    off = max(np.linalg.norm(x - p) for x, (p, _) in zip(plate.position.values, wanted))
    tilt = max(
        np.linalg.norm(Rotation.from_matrix(A @ R.T).as_rotvec()) for A, (_, R) in zip(plate.axes.values, wanted)
    )
    pushes = np.array([np.linalg.norm(run.joint(f"head {k}").force.values, axis=1) for k in range(6)]).T
    worst = 0.0
    for t, push in zip(run.time[5:-5:10], pushes[5:-5:10]):
        p, R = pose(t)
        arms = HEADS @ R.T
        ways = (p + arms - FEET) / lengths(t)[:, None]
        balance = np.linalg.solve(np.vstack([ways.T, np.cross(arms, ways).T]), np.concatenate(wrench(t)))
        worst = max(worst, float(np.abs(np.abs(balance) - push).max() / np.abs(balance).max()))
    print(
        f"stewart platform: legs of {min(map(min, map(lengths, run.time))):.3f} to "
        f"{max(map(max, map(lengths, run.time))):.3f} m; the plate is within {off:.1e} m and {tilt:.1e} rad of the "
        f"wanted motion; forces up to {pushes.max():.1f} N, within {100 * worst:.2f} % of the balance of the plate"
    )
    assert off < 1e-7 and tilt < 1e-6
    assert worst < 5e-3
    return float(pushes.max())


if __name__ == "__main__":
    main(report=sys.argv[1] if len(sys.argv) > 1 else None)
