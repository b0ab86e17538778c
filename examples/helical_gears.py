"""Helical gear pair by the contact of its teeth: involute solids with twist, 20 and 30 teeth, normal module 4 mm, helix
15 degrees.

The pinion turns once in 1.5 s, a torque on the wheel rises by STEP.  The wheel starts in the middle of the play, falls
onto the teeth and stays there.  Checked: the ratio of the angles stays that of the teeth but for the play and the
indentation; the normal force is the torque over the base radius, its axial part that of the helix, both within
friction; the indentation is that of the stiffness.
"""

import sys

import numpy as np

import holonom as hn
from holonom.machinery import helical_gears

TEETH, MODULE, HELIX, PRESSURE = (20, 30), 4.0, np.radians(15.0), np.radians(20.0)
BACKLASH, TORQUE, STIFFNESS = 0.1, 2e4, 2.89e5
END, STEPS = 0.8, 320


def build(damping: float = 50.0) -> hn.Model:
    return helical_gears(
        TEETH,
        module=MODULE,
        helix=HELIX,
        pressure_angle=PRESSURE,
        backlash=BACKLASH,
        torque=TORQUE,
        damping=damping,
        stiffness=STIFFNESS,
        touching=False,
    )


def error_of_transmission(run: hn.Run) -> np.ndarray:
    """Angle (rad) by which the wheel is behind, as the pinion sees it."""
    turned = run.request("turned").values
    return turned[:, 1] + turned[:, 2] * TEETH[1] / TEETH[0]


def main(model: hn.Model | None = None, report: str | None = None) -> float:
    run = hn.simulate(model or build(), end=END, steps=STEPS, integrator="GSTIFF", error=1e-5, hmax=1e-3)
    if report:
        run.report(report)
    late = run.time > 0.55  # three teeth at full torque
    transverse = MODULE / np.cos(HELIX)
    angle = np.arctan(np.tan(PRESSURE) / np.cos(HELIX))
    pitch = [0.5 * transverse * n for n in TEETH]
    base_helix = np.arctan(np.tan(HELIX) * np.cos(angle))
    contact = run.contact("teeth")
    normal, force = contact.normal.values[late].mean(), contact.force.values[late].mean(axis=0)
    want = TORQUE / (pitch[1] * np.cos(angle) * np.cos(base_helix))
    error = error_of_transmission(run)
    play = 0.5 * BACKLASH / pitch[0]
    depth = contact.depth.values[late]
    print(
        f"gears: normal force {normal:.1f} N, torque over base radius {want:.1f} N; axial {abs(force[2]):.1f} N of "
        f"{want * np.sin(base_helix):.1f} N"
    )
    print(
        f"gears: the wheel is behind by {1e3 * error[late].min():.4f} to {1e3 * error[late].max():.4f} mrad; half the "
        f"play is {1e3 * play:.4f} mrad"
    )
    print(
        f"gears: depth at most {1e3 * depth.max():.2f} um, {contact.points.values[late].min():.0f} to "
        f"{contact.points.values[late].max():.0f} points"
    )
    print(f"gears: {run.audit()}")
    assert abs(normal / want - 1) < 0.05
    assert abs(abs(force[2]) / (want * np.sin(base_helix)) - 1) < 0.06
    assert error.min() > -1e-6 and error.max() < play + 5e-4
    assert play < error[late].min() and np.ptp(error[late]) < 1e-4
    assert run.audit().segments[0].relative < 0.03
    return float(error[late].mean())


if __name__ == "__main__":
    main(report=sys.argv[1] if len(sys.argv) > 1 else None)
