"""Rattleback (Celtic stone): half an ellipsoid whose axes of inertia are turned against those of its shape rolls on a
plane and reverses its spin.

Parameters of Kane and Levinson, "Realistic mathematical modeling of the rattleback", Int. J. Non-Linear Mech. 17 (1982)
175: semi-axes 20, 3, 2 cm, centre of mass 1 cm below the ellipsoid's centre, moments per mass 2, 16, 17 cm2, entry xy
of the tensor
-0.2 cm2.  The contact sticks (friction 10): rolling without slip.
Checked: the spin in one sense turns into rattling and returns in the other one; spun the other way it continues; where
it goes follows the equations of rolling, which SciPy integrates in tests/contact/test_rattleback.py; energy stays to
0.2 % over 6 s.
"""

import sys

import numpy as np

import holonom as hn

AXES, LOW = (0.20, 0.03, 0.02), 0.01  # semi-axes along x, y, z; centre of mass below their centre [m]
INERTIA = (2e-4, 16e-4, 17e-4, -0.2e-4)  # xx, yy, zz, xy per mass [m2]
G, FRICTION, TILT, SPIN = (
    9.80665,
    10.0,
    np.radians(2.0),
    5.0,
)  # [m/s2], [-], about the long axis at the start, about the vertical [rad/s]
STEP, END, STEPS = 2.5e-4, 6.0, 600


def build(spin: float = -SPIN) -> hn.Model:
    model = hn.Model("rattleback", units="SI")
    model.rigid.method = "time-stepping"
    model.gravity = (0.0, 0.0, -G)
    c, s = np.cos(TILT), np.sin(TILT)
    A = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    down = -A[2]  # of the plane, in axes of the stone
    axes = np.array(AXES)
    lowest = axes**2 * down / np.linalg.norm(axes * down) + [0, 0, LOW]  # from the centre of mass
    at = -A @ lowest  # the contact is at the origin
    turn = spin * A[2]
    stone = model.part(
        "stone",
        1.0,
        ((INERTIA[0], INERTIA[3], 0), (INERTIA[3], INERTIA[1], 0), (0, 0, INERTIA[2])),
        at,
        axes=A,
        velocity=A @ np.cross(turn, -lowest),
        angular_velocity=turn,
    )
    shape = model.ellipsoid(stone, at + A @ [0, 0, LOW], AXES, x=A[:, 0], z=A[:, 2])
    table = model.plane(model.ground, (0, 0, 0), (0, 0, 1), size=(1.0, 1.0))
    model.contact(shape, table, name="foot", restitution=0.0, mu=FRICTION)
    return model


def spin_of(run) -> np.ndarray:
    """Angular velocity about the vertical."""
    return run.part("stone").angular_velocity.values[:, 2]


def main(model: hn.Model | None = None, report: str | None = None) -> float:
    run = hn.simulate(model or build(), end=END, steps=STEPS, contact="time-stepping", step=STEP)
    if report:
        run.report(report)
    spin, energy = spin_of(run), (run.energy.kinetic + run.energy.gravity).values
    back = run.time[np.argmax(spin > 0)]
    other = spin_of(hn.simulate(build(SPIN), end=2.0, steps=10, contact="time-stepping", step=STEP))
    print(
        f"rattleback: {spin[0]:.2f} rad/s at the start, {spin[200]:.4f} after 2 s, turns at {back:.2f} s and comes "
        f"back with {spin.max():.2f} rad/s; "
        f"the other way {other[-1]:.3f} after 2 s; energy lost {100 * (1 - energy[-1] / energy[0]):.1f} %"
    )
    assert spin[0] == -SPIN and spin[-1] > 0.1
    assert other.min() > 0.98 * SPIN
    assert np.abs(energy / energy[0] - 1).max() < 2e-3
    return float(spin[200])


if __name__ == "__main__":
    main(report=sys.argv[1] if len(sys.argv) > 1 else None)
