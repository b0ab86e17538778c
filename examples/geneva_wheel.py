"""Geneva wheel of four slots: pin in slots and locking disc in hollows, by contact of plane curves (lines and arcs).

The crank turns steadily; the pin drives the wheel a quarter turn in each turn of the crank, the disc holds it while the
pin is out. Checked against kinematics: with the pin at angle q from the line of centres towards the wheel, the wheel
stands at
    tan b = a sin q/(C - a cos q)      for |q| < 45 degrees (C = a sqrt 2), and still outside;
its greatest speed is 1/(sqrt 2 - 1) = 2.414 of the crank's.  It differs by the play of 0.02 mm over the pin's lever,
and by more at the slot's mouth, where the pin is not yet between its walls.
"""

import sys

import numpy as np

import holonom as hn
from holonom.model import drawing

A, PIN, PLAY, LOCK, WIDTH = 30.0, 3.0, 0.02, 24.0, 6.0  # [mm] crank, pin's radius, play, radius of the hollows, width
C = A * np.sqrt(2)
SPEED = 2 * np.pi  # [rad/s]
END, STEPS = 1.0, 500


def wheel_profile():
    """Points and bulges, counter-clockwise: four hollows and four slots."""
    w = PIN + PLAY
    bottom = C - A - PIN - 1.0
    end = LOCK / np.sqrt(2)
    along, across = np.array([1, 1]) / np.sqrt(2), np.array([-1, 1]) / np.sqrt(2)
    quarter = [
        (C - end, -end),
        (C - end, end),
        A * along - w * across,
        bottom * along - w * across,
        bottom * along + w * across,
        A * along + w * across,
    ]
    turn = lambda k: np.array([[np.cos(k), -np.sin(k)], [np.sin(k), np.cos(k)]])
    points = [turn(k * np.pi / 2) @ np.asarray(p, float) for k in range(4) for p in quarter]
    return points, [-np.tan(np.pi / 8), 0, 0, 0, 0, 0] * 4


def disc_profile():
    """Locking disc about the origin, the pin along x: cut away where the wheel turns."""
    r, cut = LOCK - PLAY, A + 1.0  # the corners of the wheel stand out to A + 0.6
    q = np.arccos((r**2 + C**2 - cut**2) / (2 * r * C))
    a = np.arcsin(r * np.sin(q) / cut)
    points = [(r * np.cos(q), r * np.sin(q)), (r * np.cos(q), -r * np.sin(q))]
    return points, [np.tan((2 * np.pi - 2 * q) / 4), -np.tan(a / 2)]


def build() -> hn.Model:
    model = hn.Model("geneva_wheel", units="mm")
    model.integrator.kind, model.integrator.error = "DOP853", 1e-7
    ground, z, place = model.ground, (0, 0, 1), np.array([C, 0, 0])
    wheel = model.part("wheel", 0.05, (15, 15, 25), (0, 0, 0))
    crank = model.part("crank", 0.1, (20, 20, 40), place, angular_velocity=(0, 0, SPEED))
    model.revolute(wheel, ground, "wheel axle", at=(0, 0, 0), axis=z)
    axle = model.revolute(crank, ground, "crank axle", at=place, axis=z)
    model.motion(axle, f"{SPEED!r}*TIME", "drive")
    points, bulge = wheel_profile()
    low = (0, 0, -WIDTH / 2)
    model.extrusion(wheel, points, WIDTH, at=low, bulge=bulge, name="wheel's picture")
    slots = model.plane_curve(wheel, points, bulge=bulge, width=WIDTH, name="slots")
    points, bulge = disc_profile()
    model.extrusion(crank, points, WIDTH, at=place + low, bulge=bulge, name="disc's picture")
    disc = model.plane_curve(crank, points, at=place, bulge=bulge, width=WIDTH, name="disc")
    pin = model.cylinder(crank, place + [A, 0, -WIDTH], place + [A, 0, WIDTH], PIN, name="pin")
    law = {"stiffness": 1e4, "exponent": 1.5, "damping": 1.0, "dmax": 0.005}
    model.contact(pin, slots, name="pin in slot", **law)
    model.contact(disc, slots, name="disc in hollow", **law)
    model.torsion_spring(
        model.marker_at(wheel, (0, 0, 0)), model.marker_at(ground, (0, 0, 0)), damping=2.0, name="drag"
    )
    drawing.block(model, crank, place + [A / 2, 0, 1.2 * WIDTH], (A, 6, 4))
    drawing.pin(model, wheel, (0, 0, 0), z, 5, 3 * WIDTH)
    drawing.block(model, ground, (C / 2, 0, -2 * WIDTH), (1.6 * C, 20, 4))
    return model


def ideal(q):
    """Angle and rate of the wheel; q: angle of the pin from the line of centres, towards the wheel."""
    inside = np.abs(q) < np.pi / 4
    b = np.where(inside, np.arctan2(A * np.sin(q), C - A * np.cos(q)), np.sign(q) * np.pi / 4)
    rate = np.where(inside, A * (C * np.cos(q) - A) / (C**2 + A**2 - 2 * C * A * np.cos(q)), 0.0)
    return b, rate * SPEED


def main(model: hn.Model | None = None, report: str | None = None) -> float:
    run = hn.simulate(model or build(), end=END, steps=STEPS)
    if report:
        run.report(report)
    q = SPEED * run.time - np.pi
    b, rate = ideal(q)
    axes = run.part("wheel").axes.values
    angle = np.unwrap(np.arctan2(axes[:, 1, 0], axes[:, 0, 0]))
    off = angle + b + np.pi / 4
    w = -run.part("wheel").angular_velocity.values[:, 2]
    turning, held = np.abs(q) < np.pi / 4, np.abs(q) > 0.3 * np.pi
    rms = float(np.sqrt(np.mean((w - rate)[turning] ** 2)) / SPEED)
    centre = np.abs(q) < 0.3
    ratio = float(np.polyfit(q[centre], w[centre] / SPEED, 4)[-1])
    print(
        f"geneva: wheel off its kinematic angle by {np.abs(off[turning]).max():.2e} turning, "
        f"{np.abs(off[held]).max():.2e} held; "
        f"ratio at the middle {ratio:.4f} of {1 / (np.sqrt(2) - 1):.4f}, rms {rms:.1e} around the curve; a turn moves "
        f"it {np.degrees(-angle[-1]):.3f} deg"
    )
    assert np.abs(off[turning]).max() < 0.01 and rms < 0.1
    assert np.abs(off[held]).max() < 2 * PLAY / LOCK + 1e-3
    assert abs(ratio * (np.sqrt(2) - 1) - 1) < 1e-2
    assert abs(-angle[-1] - np.pi / 2) < 1e-3
    print(f"geneva: {run.audit()}")
    assert run.audit().ok(1e-5)
    assert (np.diff(run.energy["dissipated"].values) > -1e-9).all()
    return ratio


if __name__ == "__main__":
    main(report=sys.argv[1] if len(sys.argv) > 1 else None)
