"""Geneva wheel with rigid contact, by time-stepping: the same drawing as geneva_wheel, without stiffness or damping.

Pin and slots, disc and hollows are plane curves; the crank is driven, so its contacts see a wall that moves.  Checked
against kinematics: angle of a turn, angle while turning and while held (within the play of 0.02 mm over the lever at
hand), ratio 1/(sqrt 2 - 1) = 2.4142 in the middle, and depths below the play.
"""

import importlib.util
import sys
from pathlib import Path

import numpy as np

import holonom as hn

spec = importlib.util.spec_from_file_location("geneva_wheel", Path(__file__).with_name("geneva_wheel.py"))
compliant = importlib.util.module_from_spec(spec)
spec.loader.exec_module(compliant)

END, STEPS = 1.0, 500
STEP = 5e-4  # [s] of the time-stepping


def build() -> hn.Model:
    model = compliant.build()
    model.name = "rigid_geneva"
    return model


def main(model: hn.Model | None = None, report: str | None = None) -> float:
    run = hn.simulate(model or build(), END, STEPS, contact="time-stepping", step=STEP, progress=False)
    if report:
        run.report(report)
    q = compliant.SPEED * run.time - np.pi
    b, _ = compliant.ideal(q)
    axes = run.part("wheel").axes.values
    angle = np.unwrap(np.arctan2(axes[:, 1, 0], axes[:, 0, 0]))
    off = np.abs(angle + b + np.pi / 4)
    turning, held = np.abs(q) < np.pi / 4, np.abs(q) > 0.3 * np.pi
    ratio = -run.part("wheel").angular_velocity.values[np.argmin(np.abs(q)), 2] / compliant.SPEED
    depth = max(float(run.contact(c).depth.values.max()) for c in run.contacts)
    print(
        f"rigid geneva: off its kinematic angle by {off[turning].max():.2e} rad turning, {off[held].max():.2e} held; "
        f"ratio {ratio:.4f}; "
        f"a turn moves it {np.degrees(-angle[-1]):.3f} deg; deepest {depth:.1e} mm"
    )
    assert off[turning].max() < 2.5e-3
    assert off[held].max() < compliant.PLAY / compliant.LOCK + 1e-4
    assert abs(ratio * (np.sqrt(2) - 1) - 1) < 5e-4
    assert abs(-angle[-1] - np.pi / 2) < 1e-3
    assert depth < compliant.PLAY
    return float(ratio)


if __name__ == "__main__":
    main(report=sys.argv[1] if len(sys.argv) > 1 else None)
