"""Slider-crank with a rigid translational clearance: the slider's corners strike two guides, by time-stepping.

Parameters of Flores, Leine and Glocker, Multibody Syst. Dyn. 23 (2010) 165: crank 153 mm, rod 306 mm, slider of 100 x
50 mm between guides that are 1 mm away on either side; restitution 0.4, friction 0.01; the crank starts at 150 rad/s
and nothing drives it. Checked: speed of the crank after 5 ms (one impact, both upper corners at once), the same by
events in SciPy in tests/contact/test_rigid_slider_crank.py; a corner is never deeper in its guide than the slider moves
in a step; energy only falls.
"""

import sys

import numpy as np

import holonom as hn
from holonom.model import drawing

CRANK, ROD = 0.153, 0.306  # [m]
LENGTH, HEIGHT, CLEARANCE = 0.05, 0.025, 0.001  # half length and half height of the slider, clearance to each guide [m]
MASSES, INERTIAS = (0.038, 0.038, 0.076), (7.4e-5, 5.9e-4, 2.7e-6)  # crank, rod, slider [kg], [kg m2]
SPEED, RESTITUTION, MU, STEP = 150.0, 0.4, 0.01, 1e-4
END, STEPS = 0.2, 2000


def build() -> hn.Model:
    model = hn.Model("rigid_slider_crank", units="SI")
    model.rigid.method = "time-stepping"
    model.gravity = (0.0, -9.81, 0.0)
    ground, z = model.ground, (0, 0, 1)
    tip, pin = np.array([CRANK, 0, 0]), np.array([CRANK + ROD, 0, 0])
    velocity = np.array([0, SPEED * CRANK, 0])
    spin = (0, 0, SPEED), (0, 0, -SPEED * CRANK / ROD), (0, 0, 0)
    crank, rod, slider = (
        model.part(name, mass, (inertia,) * 3, at, velocity=v, angular_velocity=w)
        for name, mass, inertia, at, v, w in zip(
            ("crank", "rod", "slider"),
            MASSES,
            INERTIAS,
            (tip / 2, (tip + pin) / 2, pin),
            (velocity / 2, velocity / 2, 0 * velocity),
            spin,
        )
    )
    model.revolute(crank, ground, "shaft", at=(0, 0, 0), axis=z)
    model.revolute(rod, crank, "crank pin", at=tip, axis=z)
    model.revolute(slider, rod, "wrist pin", at=pin, axis=z)
    block = model.box(slider, pin, (2 * LENGTH, 2 * HEIGHT, 0.02))
    for name, side in (("upper", 1), ("lower", -1)):
        at = pin + [-CRANK, side * (HEIGHT + CLEARANCE), 0]
        guide = model.plane(ground, at, (0, -side, 0), size=(0.5, 0.05), x=(1, 0, 0))
        model.contact(block, guide, name=name, restitution=RESTITUTION, mu=MU)
    drawing.rod(model, crank, (0, 0, 0), tip, 0.006)
    drawing.rod(model, rod, tip, pin, 0.004)
    return model


def main(model: hn.Model | None = None, report: str | None = None) -> float:
    run = hn.simulate(model or build(), end=END, steps=STEPS, contact="time-stepping", step=STEP)
    if report:
        run.report(report)
    speed, height = run.part("crank").angular_velocity.values[:, 2], run.part("slider").position.values[:, 1]
    fastest = np.abs(run.part("slider").velocity.values[:, 1]).max()
    deepest = np.abs(height).max() - CLEARANCE
    energy = (run.energy.kinetic + run.energy.gravity).values
    hits = [(run.contact(name).normal.values > 0).sum() for name in ("upper", "lower")]
    print(
        f"rigid slider-crank: crank at {speed[50]:.4f} rad/s after 5 ms, between {speed.min():.1f} and "
        f"{speed.max():.1f} later; "
        f"guides press in {hits[0]} and {hits[1]} of {STEPS} steps, at most {1e6 * deepest:.1f} um deep"
    )
    assert abs(speed[50] - 85.62) < 0.1
    assert min(hits) > 20 and deepest < STEP * fastest
    assert speed.min() > 50 and speed.max() <= SPEED  # it turns on through every dead centre
    assert (
        np.diff(run.energy.dissipated.values).min() > -1e-8 * energy[0]
    )  # a contact that opens within a step gives some back
    print(f"rigid slider-crank: friction and impacts took {100 * (1 - energy[-1] / energy[0]):.1f} % of the energy")
    assert np.diff(energy).max() < 1e-3 * energy[0] and energy[-1] < energy[0]
    return float(speed[50])


if __name__ == "__main__":
    main(report=sys.argv[1] if len(sys.argv) > 1 else None)
