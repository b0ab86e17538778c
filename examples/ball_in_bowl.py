"""A ball on a turntable and a ball in a spinning bowl: both roll without slip, by time-stepping.

On a table that turns with W a solid ball runs in circles with 2/7 W, wherever the table's axis is (Earnshaw 1844).  In
a bowl of radius R turning about the vertical the equations of rolling are integrated by SciPy in
tests/contact/test_ball_in_bowl.py; a ball that turns with the bowl at the height where cos(angle) = g / (W^2 (R - a))
stays there.
Checked: period and radius of the circle; the ball that turns with the bowl keeps its position; another one stays above
the bottom.
"""

import sys

import numpy as np

import holonom as hn
from holonom.model import drawing

RADIUS, MASS, G = 0.02, 0.1, 9.81  # of the balls [m], [kg]
TURN, RUN, AWAY = 2 * np.pi, 0.3, 0.25  # of the table [rad/s], speed of its ball [m/s], from the axis [m]
BOWL, SPIN, APART = 0.25, 8.0, 1.0  # radius [m], turning [rad/s], where it stands [m]
STILL = np.arccos(G / (SPIN**2 * (BOWL - RADIUS)))  # of the ball that turns with the bowl, from the bottom
OTHER, KICK = 0.6, 0.5  # angle of the second ball, its speed around [m/s]
STEP, END, STEPS = 1e-3, 3.5, 1750


def rolling(v, surface, normal):
    """Spin without slip of a ball with velocity v, whose point at -RADIUS normal moves with the surface; none about the
    normal."""
    return np.cross(normal, v - surface) / RADIUS


def bowl_start(angle: float, speed: float):
    """Position from the bowl's centre and velocity of a ball that runs round at an angle from the bottom."""
    e = np.array([np.sin(angle), 0, -np.cos(angle)])
    return (BOWL - RADIUS) * e, np.array([0, speed, 0]), e


def build() -> hn.Model:
    model = hn.Model("ball_in_bowl", units="SI")
    model.rigid.method = "time-stepping"
    model.gravity = (0.0, 0.0, -G)
    ground, z = model.ground, np.array([0, 0, 1.0])
    inertia = (0.4 * MASS * RADIUS**2,) * 3

    table = model.part("table", 1.0, (0.1, 0.1, 0.1), (0, 0, -0.02), angular_velocity=TURN * z)
    hinge = model.revolute(table, ground, "axle", at=(0, 0, 0), axis=z)
    model.motion(hinge, f"{TURN!r}*TIME", "turning")
    top = model.cylinder(table, (0, 0, -0.04), (0, 0, 0), 0.6)
    at, v = np.array([AWAY, 0, RADIUS]), np.array([0, RUN, 0])
    runner = model.part("runner", MASS, inertia, at, velocity=v, angular_velocity=rolling(v, TURN * np.cross(z, at), z))
    model.contact(model.sphere(runner, at, RADIUS), top, name="table", mu=0.8)

    centre = np.array([APART, 0, BOWL])
    bowl = model.part("bowl", 1.0, (0.1, 0.1, 0.1), centre, angular_velocity=SPIN * z)
    hinge = model.revolute(bowl, ground, "stem", at=centre, axis=z)
    model.motion(hinge, f"{SPIN!r}*TIME", "spinning")
    wall = model.sphere(bowl, centre, BOWL, inside=True)
    drawing.block(model, ground, (0.5 * APART, 0, -0.06), (2.2, 1.3, 0.02))
    drawing.ring(model, bowl, centre, z, BOWL, 4e-3)
    drawing.ring(model, bowl, centre, (1, 0, 0), BOWL, 2e-3)
    for name, angle, speed in (("still", STILL, SPIN * (BOWL - RADIUS) * np.sin(STILL)), ("second", OTHER, KICK)):
        at, v, e = bowl_start(angle, speed)
        spin = rolling(v, SPIN * np.cross(z, BOWL * e), -e) + (SPIN * (z @ e) * e if name == "still" else 0.0)
        ball = model.part(name, MASS, inertia, centre + at, velocity=v, angular_velocity=spin)
        model.contact(model.sphere(ball, centre + at, RADIUS), wall, name=f"wall {name}", mu=2.0)
    return model


def main(model: hn.Model | None = None, report: str | None = None) -> float:
    run = hn.simulate(model or build(), end=END, steps=STEPS, contact="time-stepping", step=STEP)
    if report:
        run.report(report)
    place = run.part("runner").position.values
    rate = 2 / 7 * TURN
    centre = np.array([AWAY - RUN / rate, 0])
    q = np.unwrap(np.arctan2(*(place[:, :2] - centre).T[::-1]))
    radius = np.linalg.norm(place[:, :2] - centre, axis=1)
    found = q[-1] / run.time[-1] / TURN
    still = run.part("still").position.values
    angle = np.arctan2(np.hypot(still[:, 0] - APART, still[:, 1]), BOWL - still[:, 2])
    second = run.part("second").position.values[:, 2] - RADIUS
    print(
        f"ball on a turntable: turns with {found:.6f} of the table's speed (2/7 = {2 / 7:.6f}), radius "
        f"{radius.min():.5f} to {radius.max():.5f} m "
        f"(closed form {RUN / rate:.5f}); ball in a bowl: {np.degrees(angle[-1]):.3f} degrees up (closed form "
        f"{np.degrees(STILL):.3f}), "
        f"the second one {1e3 * second.min():.1f} to {1e3 * second.max():.1f} mm above the bottom"
    )
    assert abs(found / (2 / 7) - 1) < 1e-3 and np.abs(radius / (RUN / rate) - 1).max() < 0.01
    assert np.abs(angle[run.time < 1.0] - STILL).max() < 0.02
    assert second.min() > 0
    return float(found)


if __name__ == "__main__":
    main(report=sys.argv[1] if len(sys.argv) > 1 else None)
