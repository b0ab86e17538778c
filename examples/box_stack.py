"""Stack of ten boxes at rest for a minute, by time-stepping: nothing creeps, sinks or drifts.

Cubes of 0.1 m and 1 kg stand on each other with the friction 0.5.  With 40 corners in contact and 60 equations of
motion the forces at single corners are not determined, their sums are: the joint under box k carries the weight of all
that stands on it.  Checked: those sums, and that no box moves by more than 10 micrometres (about one is seen) in 60 s
at steps of 10 ms.
"""

import sys

import numpy as np

import holonom as hn

SIDE, MASS, G, MU, BOXES = 0.1, 1.0, 9.81, 0.5, 10  # [m], [kg], [m/s^2]
END, STEPS = 60.0, 120
STEP = 0.01  # [s] of the time-stepping


def build(boxes: int = BOXES) -> hn.Model:
    model = hn.Model("box_stack")
    model.rigid.method = "time-stepping"
    model.gravity = (0, 0, -G)
    below = model.plane(model.ground, (0, 0, 0), (0, 0, 1), size=6 * SIDE, name="floor")
    for k in range(boxes):
        at = (0, 0, SIDE * (k + 0.5))
        box = model.box(
            model.part(f"box {k + 1}", MASS, (MASS * SIDE**2 / 6,) * 3, at), at, (SIDE,) * 3, name=f"cube {k + 1}"
        )
        model.contact(box, below, name=f"under box {k + 1}", mu=MU)
        below = box
    return model


def main(model: hn.Model | None = None, report: str | None = None) -> float:
    model = model or build()
    model.rigid.tolerance = (
        1e-7  # of the contact problem; ten times less takes twice the time and drifts ten times less
    )
    run = hn.simulate(model, END, STEPS, contact="time-stepping", step=STEP, progress=False)
    if report:
        run.report(report)
    drift = max(float(np.abs(run.part(b).position.values - run.part(b).position.values[0]).max()) for b in run.bodies)
    turned = max(float(np.abs(run.part(b).axes.values - np.eye(3)).max()) for b in run.bodies)
    weights = [float(run.contact(f"under box {k + 1}").normal.values[-1]) / (MASS * G) for k in range(BOXES)]
    off = np.abs(np.array(weights) - np.arange(BOXES, 0, -1)).max()
    depth = max(float(run.contact(c).depth.values.max()) for c in run.contacts)
    print(
        f"box stack: moved {drift:.1e} m and turned {turned:.1e} rad in {END:g} s, deepest {depth:.1e} m; weights off "
        f"by {off:.1e} of one box; "
        f"{run.counters}"
    )
    assert drift < 1e-5 and turned < 1e-4
    assert off < 1e-5
    return weights[0]


if __name__ == "__main__":
    main(report=sys.argv[1] if len(sys.argv) > 1 else None)
