"""Roller chain on sprockets of 18 and 36 teeth: 60 links, each roller against every seat and flank of every tooth.

9,720 contacts are defined and some 27 act.  Checked in steady running, started near it: what the strands pull more on
one side of a sprocket than on the other is its torque over the radius of the pitch circle; the slack strand keeps at
least the centrifugal tension m' v^2; the mean ratio of speeds is that of the teeth; and speeds ripple at the frequency
at which teeth come and at twice that (polygon action).
"""

import sys

import numpy as np

import holonom as hn
from holonom.machinery import chain_drive

LINKS, TEETH, PITCH, MASS = 60, (18, 36), 12.7e-3, 9e-3
TORQUE, LOAD = 10.0, (5.0, 0.6)
END, STEPS = 0.12, 480
FROM = 0.05  # s: steady from here on


def build() -> hn.Model:
    return chain_drive(LINKS, TEETH, pitch=PITCH, mass=MASS, torque=TORQUE, load=LOAD, speed=49.5)


def tension(run: hn.Run, above: bool) -> np.ndarray:
    """Mean force in the pins of the upper or the lower strand over time."""
    far = run.part("driven").position.values[0, 0]
    place = np.array([run.part(f"link {k + 1}").position.values for k in range(LINKS)])
    pull = np.array([np.linalg.norm(run.constraint(f"pin {k + 1}").force.values[:, :2], axis=1) for k in range(LINKS)])
    x, y = place[..., 0], place[..., 1]
    free = (x > 0.04) & (x < far - 0.05) & ((y > 0) == above)
    return (pull * free).sum(axis=0) / free.sum(axis=0)


def main(model: hn.Model | None = None, report: str | None = None) -> float:
    model = model or build()
    defined = sum(len(c.igeom) * len(c.jgeom) for c in model.table("CONTACT").values())
    run = hn.simulate(model, end=END, steps=STEPS, integrator="GSTIFF", error=3e-6)
    if report:
        run.report(report)
    steady = run.time >= FROM
    radius = [0.5 * PITCH / np.sin(np.pi / n) for n in TEETH]
    speed = run.request("speeds").values[steady, 1:3]
    acting = sum(run.contact(f"{s} teeth").points.values[steady] for s in ("driver", "driven"))
    tight, slack = (tension(run, above)[steady].mean() for above in (True, False))
    braking = LOAD[0] + LOAD[1] * speed[:, 1].mean()
    centrifugal = MASS / PITCH * (speed[:, 0].mean() * radius[0]) ** 2
    ratio = speed[:, 0].mean() / speed[:, 1].mean()
    # ripple of the driver: amplitudes at multiples of the frequency of teeth, slow changes taken off
    teeth = speed[:, 0].mean() * TEETH[0] / (2 * np.pi)
    t = run.time[steady] - run.time[steady].mean()
    wave = (speed[:, 0] - np.polyval(np.polyfit(t, speed[:, 0], 3), t)) * 2 * np.hanning(len(t))
    lines = {f: 2 * abs(np.mean(wave * np.exp(-2j * np.pi * f * teeth * t))) for f in (1, 1.5, 2, 2.5)}
    print(f"chain drive: {defined} contacts defined, {acting.mean():.1f} act")
    print(
        f"chain drive: tight strand {tight:.1f} N, slack {slack:.2f} N; torque over radius {TORQUE / radius[0]:.1f} N"
    )
    print(f"chain drive: difference over that of the driven sprocket {(tight - slack) / (braking / radius[1]):.4f}")
    print(f"chain drive: centrifugal tension {centrifugal:.2f} N, ratio of speeds {ratio:.4f}")
    print(
        f"chain drive: {teeth:.0f} teeth a second; ripple of the driver at 1, 1.5, 2, 2.5 times that: "
        + ", ".join(f"{a:.3f}" for a in lines.values())
        + " rad/s"
    )
    print(f"chain drive: {run.audit()}")
    assert defined == LINKS * sum(TEETH) * 3 and 15 < acting.mean() < 45
    assert abs((tight - slack) * radius[0] / TORQUE - 1) < 0.01
    assert abs((tight - slack) * radius[1] / braking - 1) < 0.01
    assert centrifugal < slack < 20 * centrifugal
    assert abs(ratio - TEETH[1] / TEETH[0]) < 0.01
    assert min(lines[1], lines[2]) > 3 * max(lines[1.5], lines[2.5])
    assert run.audit().segments[0].relative < 0.01
    return float(tight - slack)


if __name__ == "__main__":
    main(report=sys.argv[1] if len(sys.argv) > 1 else None)
