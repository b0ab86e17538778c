"""Woodpecker toy: a sleeve that jams and slips on a pole, a bird on a spring that pecks it, by time-stepping.

Parameters of Ch. Glocker, "Dynamik von Starrkörpersystemen mit Reibung und Stössen" (1995), and of Leine, Glocker and
van Campen, "Nonlinear dynamics of the woodpecker toy" (ASME DETC 2001): sleeve and bird of 0.3 and 4.5 g, a torsion
spring between them, 0.6 mm of play of the sleeve, friction 0.3, restitution 0.5 of the beak and none of the sleeve.
The bird swings, its beak strikes the pole, the sleeve comes free for a moment and drops.
Checked: after some swings the motion repeats: period, descent in a period, one peck in each.  The published equations
are those of small angles; `scale` shrinks play and weight together, which leaves the period and makes them exact
(tests/contact/test_woodpecker.py).
"""

import sys

import numpy as np

import holonom as hn
from holonom.model import drawing

POLE, SLEEVE, HALF = 2.5e-3, 3.1e-3, 5.8e-3  # radius of the pole, inner radius and half height of the sleeve [m]
ARM, NECK = 0.010, 0.015  # from the pole's axis to the spring, from there to the bird [m]
BEAK = 0.0201, 0.02  # beak before and above the bird's centre [m]
MASSES, INERTIAS = (0.3e-3, 4.5e-3), (5e-9, 7e-7)  # sleeve, bird [kg], [kg m2]
SPRING, G, MU, PECK = 0.0056, 9.81, 0.3, 0.5  # [N m/rad], [m/s2], friction, restitution of the beak
START = -0.1036, -0.2788, -0.3411, 0.0, -7.4583  # angles of sleeve and bird, their height's rate, rates of the angles
STEP, END, STEPS = 1e-4, 0.7, 7000


def build(scale: float = 1.0) -> hn.Model:
    """``scale`` multiplies play, distance of the beak, weight and the start: the smaller, the smaller all angles."""
    model = hn.Model("woodpecker", units="SI")
    model.rigid.method = "time-stepping"
    model.gravity = (0.0, 0.0, -G * scale)
    ground, y = model.ground, np.array([0, 1.0, 0])
    tilt, swing, drop, rate, swing_rate = scale * np.array(START)
    turned = lambda angle: np.array(
        [[np.cos(angle), 0, -np.sin(angle)], [0, 1, 0], [np.sin(angle), 0, np.cos(angle)]]
    )  # from x to z
    A, B = turned(tilt), turned(swing)
    pivot = A @ [ARM, 0, 0]
    centre = pivot + B @ [NECK, 0, 0]
    speed = np.array([0, 0, drop]) + rate * np.cross(-y, pivot)
    sleeve = model.part(
        "sleeve", MASSES[0], (INERTIAS[0],) * 3, axes=A, velocity=(0, 0, drop), angular_velocity=-rate * y
    )
    bird = model.part(
        "bird",
        MASSES[1],
        (INERTIAS[1],) * 3,
        centre,
        axes=B,
        velocity=speed + swing_rate * np.cross(-y, centre - pivot),
        angular_velocity=-swing_rate * y,
    )
    model.primitive("INLINE", sleeve, ground, "axis", at=(0, 0, 0), axis=(0, 0, 1))
    model.primitive("PARALLEL_AXES", sleeve, ground, "plane", at=(0, 0, 0), axis=y)
    model.revolute(bird, sleeve, "pivot", at=pivot, axis=y)
    place = [
        model.marker_at(b, pivot, axes=np.column_stack([F[:, 2], F[:, 0], F[:, 1]]))
        for b, F in ((bird, B), (sleeve, A))
    ]
    model.torsion_spring(*place, stiffness=SPRING, name="spring")
    # the pole as two planes: one for the sleeve's inner edges, one for the beak
    play, gap = scale * (SLEEVE - POLE), scale * (ARM + NECK - BEAK[0] - POLE)
    wall = model.plane(ground, (SLEEVE - play, 0, 0), (1, 0, 0), size=(2.0, 0.02), x=(0, 0, 1))
    tip = np.array([-BEAK[0], 0, BEAK[1]])
    bark = model.plane(ground, (ARM + NECK - BEAK[0] - gap, 0, 0), (1, 0, 0), size=(2.0, 0.02), x=(0, 0, 1))
    edges = model.box(sleeve, A @ [SLEEVE + 5e-4, 0, 0], (1e-3, 2e-3, 2 * HALF), x=A[:, 0], z=A[:, 2], name="sleeve")
    beak = model.cone(bird, centre + B @ (tip + [6e-3, 0, 0]), centre + B @ tip, 1.5e-3, name="beak")
    model.contact(edges, wall, name="sleeve", restitution=0.0, mu=MU)
    model.contact(beak, bark, name="beak", restitution=PECK, mu=MU)
    model.rigid.penetration = 1e-6 * play
    drawing.rod(model, bird, pivot, centre, 5e-4)
    drawing.ball(model, bird, centre, 0.012)
    drawing.rod(model, sleeve, A @ [SLEEVE, 0, 0], pivot, 5e-4)
    drawing.rod(model, bird, centre, centre + B @ (tip + [6e-3, 0, 0]), 5e-3, 3e-3)
    return model


def angles(run) -> np.ndarray:
    """Angles of sleeve and bird (rows, 2), positive from x to z."""
    axes = [run.part(name).axes.values[:, :, 0] for name in ("sleeve", "bird")]
    return np.array([np.arctan2(a[:, 2], a[:, 0]) for a in axes]).T


def pecks(run) -> np.ndarray:
    """Rows at which the beak strikes."""
    pressed = run.contact("beak").normal.values > 0
    return np.flatnonzero(pressed[1:] & ~pressed[:-1]) + 1


def main(model: hn.Model | None = None, report: str | None = None) -> float:
    model = model or build()
    model.rigid.penetration = 1e-6 * (SLEEVE - POLE)  # a dataset does not hold it
    run = hn.simulate(model, end=END, steps=STEPS, contact="time-stepping", step=STEP)
    if report:
        run.report(report)
    rows, height = pecks(run), run.part("sleeve").position.values[:, 2]
    periods, drops = np.diff(run.time[rows]), -np.diff(height[rows])
    taken = np.diff(run.energy.dissipated.values[rows])
    weight = sum(MASSES) * G
    still = np.abs(run.part("sleeve").velocity.values[rows[-2] : rows[-1], 2]) < 1e-4
    print(
        f"woodpecker: {len(rows)} pecks, {1e3 * periods[-1]:.1f} ms apart, {1e3 * drops[-1]:.2f} mm down in each; the "
        "sleeve stands "
        f"{100 * still.mean():.0f} % of the time; contacts take {1e6 * taken[-1]:.1f} uJ, weight gives "
        f"{1e6 * weight * drops[-1]:.1f} uJ"
    )
    assert len(rows) == 5
    # a limit cycle; pecks are reported by whole steps
    assert np.ptp(periods[1:]) < 3.5 * STEP and np.ptp(drops[1:]) < 3e-4
    assert abs(periods[1:].mean() - 0.1308) < 2e-4 and abs(drops[1:].mean() - 0.01455) < 1e-4
    assert (
        abs(taken[1:].mean() / (weight * drops[1:].mean()) - 1) < 5e-3
    )  # what it gives up in height goes into friction and impacts
    assert 0.2 < still.mean() < 0.8
    return float(periods[1:].mean())


if __name__ == "__main__":
    main(report=sys.argv[1] if len(sys.argv) > 1 else None)
