"""Rows of balls hit at one end, by time-stepping: touching balls under one simultaneous law, and balls with gaps, one
impact after the other.

A simultaneous law with restitution e = 1 lets contacts that touch but do not approach stay closed: of n equal balls in
touch the first returns with  2/n - 1  and all others leave together with  2/n  of its speed.  Momentum and energy
agree, Newton's cradle does not: in it waves run through the balls.  Gaps, however small, give the cradle: one in, one
out.  Checked to 1e-12 of the speed, and with gaps also for unequal balls,

    v_{k+1} = (1 + e) m_k/(m_k + m_{k+1}) v_k.
"""

import sys

import numpy as np

import holonom as hn

RADIUS, MASS, SPEED, BALLS = 0.02, 0.2, 1.0, 5  # [m], [kg], [m/s]
GAP = 0.01  # [m]: longer than what a ball moves in a step
E = 0.9  # of the row of unequal balls
END, STEPS = 0.15, 150
STEP = 1e-3  # [s]
ROWS = {
    "touching": (0.0, 1.0, 1.0),
    "gaps": (GAP, 1.0, 1.0),
    "growing": (GAP, E, 1.5),
}  # gap, restitution, ratio of masses


def build() -> hn.Model:
    model = hn.Model("impact_row")
    model.rigid.method = "time-stepping"
    for row, (name, (gap, e, ratio)) in enumerate(ROWS.items()):
        before = None
        for k in range(BALLS):
            at = ((2 * RADIUS + gap) * k - (GAP - gap if k == 0 else 0.0), 0.1 * row, 0)
            mass = MASS * ratio**k
            body = model.part(
                f"{name} {k + 1}", mass, (0.4 * mass * RADIUS**2,) * 3, at, velocity=(SPEED if k == 0 else 0, 0, 0)
            )
            ball = model.sphere(body, at, RADIUS, name=f"{name} ball {k + 1}")
            if before is not None:
                model.contact(before, ball, name=f"{name} {k} on {k + 1}", restitution=e)
            before = ball
    return model


def ideal(name: str) -> np.ndarray:
    """Speeds at the end over that of the first ball."""
    gap, e, ratio = ROWS[name]
    if gap == 0.0:
        return np.array([2 / BALLS - 1] + [2 / BALLS] * (BALLS - 1))
    v, out = 1.0, []
    for _ in range(BALLS - 1):
        out.append(v * (1 - e * ratio) / (1 + ratio))
        v *= (1 + e) / (1 + ratio)
    return np.array([*out, v])


def main(model: hn.Model | None = None, report: str | None = None) -> float:
    model = model or build()
    model.rigid.tolerance = 1e-14
    run = hn.simulate(model, END, STEPS, contact="time-stepping", step=STEP, progress=False)
    if report:
        run.report(report)
    for name in ROWS:
        v = np.array([run.part(f"{name} {k + 1}").velocity.values[-1, 0] for k in range(BALLS)]) / SPEED
        off = np.abs(v - ideal(name)).max()
        print(f"impact row, {name}: {np.array2string(v, precision=4, suppress_small=True)}, off by {off:.1e}")
        assert off < 1e-12
    last = float(run.part("growing 5").velocity.values[-1, 0])
    energy = run.energy.kinetic.values
    assert (np.diff(energy) < 1e-12 * energy[0]).all()
    momentum = sum(
        MASS * ROWS[n][2] ** k * run.part(f"{n} {k + 1}").velocity.values for n in ROWS for k in range(BALLS)
    )
    assert np.abs(momentum - momentum[0]).max() < 1e-12
    return last


if __name__ == "__main__":
    main(report=sys.argv[1] if len(sys.argv) > 1 else None)
