"""Arm with six joints that welds a circular seam, driven through gears that give.

The torch follows the seam at 45 degrees.  Coordinates of the joints are the closed form of inverse kinematics of an arm
whose wrist axes meet in a point (Pieper 1968); gears are springs between drive and link, so the torch sags and lags by
what the torques twist them.  Drives that add this twist in advance, torque over stiffness with the torques of inverse
dynamics of the rigid arm, bring it back to the seam.

Checked against the closed form, against `hn.inverse_kinematics`, and against the small deflections  -J K^-1 tau.
"""

import sys

import numpy as np

import holonom as hn
from holonom.model import drawing
from holonom.model.orientation import Frame

END, STEPS = 4.0, 80
H, A, B, C = 0.4, 0.5, 0.45, 0.15  # heights: shoulder, upper arm, forearm, torch
AXES, PLACES = "zyyzyz", (0.0, H, H + A, H + A + 0.25, H + A + B, H + A + B + 0.04)
MASSES = (12.0, 9.0, 5.0, 2.0, 1.0, 0.8)
STIFFNESS = np.array([4e4, 4e4, 3e4, 8e3, 6e3, 4e3])  # N m/rad
DAMPING = 2e-3 * STIFFNESS
CENTRE, RADIUS, LEAN = np.array([0.55, 0.0, 0.2]), 0.12, np.radians(45)
TIP = np.array([0, 0, H + A + B + C])


def turn(axis: str, angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) if axis == "z" else np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])


def seam(t: float) -> Frame:
    """Frame of the tip of the torch: once around the seam, from rest to rest; z points into the corner."""
    s = np.clip(t / END, 0.0, 1.0)
    angle = 2 * np.pi * (10 * s**3 - 15 * s**4 + 6 * s**5)
    out = np.array([np.cos(angle), np.sin(angle), 0.0])
    z = -np.sin(LEAN) * out - np.cos(LEAN) * np.array([0, 0, 1.0])
    x = np.array([1.0, 0, 0]) - z[0] * z
    x /= np.linalg.norm(x)
    return Frame(CENTRE + RADIUS * out, np.column_stack([x, np.cross(z, x), z]))


def positions(frame: Frame, near: np.ndarray) -> np.ndarray:
    """(6,) angles of the joints for a frame of the tip: of the eight closed forms the one nearest to another."""
    R = frame.axes
    x, y, z = frame.origin - C * R[:, 2] - [0, 0, H]
    found = []
    for side in (1, -1):
        r, q1 = side * np.hypot(x, y), np.arctan2(side * y, side * x)
        for bend in (1, -1):
            q3 = bend * np.arccos((r * r + z * z - A * A - B * B) / (2 * A * B))
            q2 = np.arctan2(r, z) - np.arctan2(B * np.sin(q3), A + B * np.cos(q3))
            W = (turn("z", q1) @ turn("y", q2 + q3)).T @ R
            for flip in (1, -1):
                q5 = flip * np.arccos(W[2, 2])
                found.append([q1, q2, q3, np.arctan2(flip * W[1, 2], flip * W[0, 2]), q5,
                              np.arctan2(flip * W[2, 1], -flip * W[2, 0])])  # fmt: skip
    turns = np.array(found)
    turns += 2 * np.pi * np.round((near - turns) / (2 * np.pi))
    return turns[np.abs(turns - near).max(axis=1).argmin()]


def build(times: np.ndarray | None = None, drives: np.ndarray | None = None, start: np.ndarray | None = None):
    """The arm as drawn with the angles ``start`` (6,), upright by default.  ``drives`` (k, 6): angles of the drives at
    ``times`` (k,); without them the joints have no gears, and with neither they are those of the seam."""
    if times is None and start is None:
        times, drives, _ = planned()
        start = drives[0]
    angles = np.zeros(6) if start is None else start
    model = hn.Model("welding_arm", units="SI")
    model.gravity = (0, 0, -9.81)
    parent, place, R = model.ground, np.zeros(3), np.eye(3)
    lengths = np.diff([*PLACES, TIP[2]])
    for k, (axis, length, mass, angle) in enumerate(zip(AXES, lengths, MASSES, angles)):
        pivot = R @ ((0, 0, 1.0) if axis == "z" else (0, 1.0, 0))
        R = R @ turn(axis, angle)
        end = place + length * R[:, 2]
        across = mass * (max(length, 0.08) ** 2 / 12 + 0.002)
        link = model.part(f"link {k}", mass, (across, across, 0.003 * mass), (place + end) / 2, axes=R)
        drawing.rod(model, link, place, end, 0.06 - 0.008 * k, 0.05 - 0.008 * k)
        if axis == "y":
            drawing.rod(model, parent, place - 0.08 * pivot, place + 0.08 * pivot, 0.05)
        pin = model.revolute(link, parent, f"joint {k}", at=place, axis=pivot)
        if times is not None and drives is not None:
            curve = model.spline(times, drives[:, k] - angle, name=f"drive {k}")
            twist = f"(AZ({pin.i},{pin.j})-CUBSPL(TIME,0,{curve.id},0))"
            rate = f"(WZ({pin.i},{pin.j},{pin.j})-CUBSPL(TIME,0,{curve.id},1))"
            gear = f"-{float(STIFFNESS[k])!r}*{twist}-{float(DAMPING[k])!r}*{rate}"
            model.sforce(pin.i, pin.j, gear, f"gear {k}", kind="ROTATIONAL")
        parent, place = link, end
    model.marker_at(parent, place, axes=R, name="tip")
    drawing.ring(model, model.ground, CENTRE, (0, 0, 1), RADIUS, 0.004)
    return model


def planned(count: int = 401) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Times, angles of the joints on the seam, and the torques of inverse dynamics there."""
    times = np.linspace(0.0, END, count)
    q, near = [], np.array([0.0, 1.0, 1.0, 0.0, 1.0, 0.0])
    for t in times:
        near = positions(seam(t), near)
        q.append(near)
    angles = np.array(q)
    rates = np.gradient(angles, times, axis=0, edge_order=2)
    torques = hn.inverse_dynamics(build(start=np.zeros(6)), angles, rates, np.gradient(rates, times, axis=0))
    return times, angles, torques


def weld(times: np.ndarray, drives: np.ndarray, start: np.ndarray):
    """Run with these drives, from the equilibrium near the angles ``start``."""
    sim = hn.Simulation(build(times, drives, start), progress=False)
    sim.statics(coordinates="joint")
    sim.dynamics(end=END, steps=STEPS, integrator="RADAU5", error=1e-6, coordinates="joint")
    return sim.run()


def main(model: hn.Model | None = None, report: str | None = None) -> float:
    times, angles, torques = planned()
    rigid = build(start=np.zeros(6))
    joints, tip = hn.JointCoordinates(rigid), rigid.markers["tip"]
    found = hn.inverse_kinematics(rigid, [(tip, seam(1.3))], start=positions(seam(1.3), angles[130]) + 0.05)
    apart = np.abs(found.q - positions(seam(1.3), angles[130])).max()
    plain = weld(times, angles, angles[0])
    ahead = weld(times, angles + torques / STIFFNESS, angles[0])
    if report:
        ahead.report(report)
    off = [
        np.array([x - seam(t).origin for t, x in zip(run.time, run.marker("tip").position.values)])
        for run in (plain, ahead)
    ]
    bent = -np.array([
        joints.jacobian(tip, angles[k])[:3] @ (torques[k] / STIFFNESS)
        for k in np.rint(plain.time / END * (len(times) - 1)).astype(int)
    ])  # fmt: skip
    largest, left = (np.linalg.norm(x, axis=1).max() for x in off)
    wrong = np.linalg.norm(off[0] - bent, axis=1).max() / largest
    print(
        f"welding arm: the torch leaves the seam by {1e3 * largest:.2f} mm, small deflections give the same within "
        f"{100 * wrong:.1f} %; with drives ahead by torque over stiffness by {1e3 * left:.3f} mm"
    )
    assert apart < 1e-8
    assert wrong < 0.05
    assert left < 0.05 * largest
    return float(largest)


if __name__ == "__main__":
    main(report=sys.argv[1] if len(sys.argv) > 1 else None)
