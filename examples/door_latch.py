"""A door that falls into its latch, is released again and runs against its stop: elements that switch during one
analysis.

The door swings shut, presses its seal (a spring over the last degrees) and is caught at 0 degrees: the catch is a
constraint from then on, the speed that is left is lost as in a plastic impact.  After 2 s the catch is released, the
seal pushes the door open, and it meets the stop at 70 degrees with a coefficient of restitution of 0.3.

Checked against closed forms, with J the inertia about the hinge, k and a the stiffness of the seal and the angle where
it begins:
  speed at the catch     J w^2 / 2 = J w0^2 / 2 - k a^2 / 2,  after (60 deg - a) / w0 + asin(a n / w0) / n,  n = sqrt(k
      / J)
  torque on the catch    k a
  speed behind the seal  a n,  reached pi / (2 n) after the release; the stop at 70 degrees is met (70 deg - a) / (a n)
      later.
"""

import sys

import numpy as np

import holonom as hn
from holonom.model import drawing

MASS, WIDTH, HEIGHT = 30.0, 0.9, 2.0
J = MASS * WIDTH**2 / 3
START, SPEED = np.radians(60.0), 1.6
SEAL, STIFFNESS = np.radians(6.0), 900.0
STOP, RESTITUTION = np.radians(70.0), 0.3
RELEASE, END, STEPS = 2.0, 5.0, 500


def build() -> hn.Model:
    m = hn.Model("door_latch")
    centre = 0.5 * WIDTH * np.array([np.cos(START), np.sin(START), 0.0])
    c, s = np.cos(START), np.sin(START)
    inertia = MASS / 12 * np.array([HEIGHT**2, WIDTH**2 + HEIGHT**2, WIDTH**2])
    door = m.part(
        "door",
        MASS,
        inertia,
        position=centre,
        axes=[[c, -s, 0], [s, c, 0], [0, 0, 1]],
        velocity=(SPEED * centre[1], -SPEED * centre[0], 0),
        angular_velocity=(0, 0, -SPEED),
    )
    i = m.marker_at(door, (0, 0, 0), z=(0, 0, 1), x=(c, s, 0))
    j = m.marker_at(m.ground, (0, 0, 0), z=(0, 0, 1), x=(1, 0, 0))
    hinge = m.revolute(i, j, "hinge")
    angle = f"AZ({i.id},{j.id})"
    m.sforce(i, j, f"IF({angle}-{SEAL}: {STIFFNESS}*({SEAL}-{angle}), 0, 0)", "seal", kind="ROTATIONAL")
    m.latch(hinge, at=0.0, release=RELEASE, name="latch")
    m.stop(hinge, upper=STOP, restitution=RESTITUTION, name="strap")
    m.variable(angle, name="angle")
    drawing.block(m, door, centre, (WIDTH, 0.04, HEIGHT), x=(c, s, 0), z=(0, 0, 1))
    drawing.block(m, m.ground, (-0.06, 0, 0), (0.1, 0.1, HEIGHT), color="grey")
    drawing.block(m, m.ground, (WIDTH + 0.06, 0, 0), (0.1, 0.1, HEIGHT), color="grey")
    return m


def main(model: hn.Model | None = None) -> float:
    run = hn.simulate(model or build(), END, STEPS, error=1e-9)
    table = run.switches
    n = np.sqrt(STIFFNESS / J)
    caught = (START - SEAL) / SPEED + np.arcsin(SEAL * n / SPEED) / n
    met = RELEASE + 0.5 * np.pi / n + (STOP - SEAL) / (SEAL * n)
    assert list(table["switch"][:3]) == ["latch", "latch", "strap"]
    assert np.allclose(table["time"][:3], [caught, RELEASE, met], rtol=0, atol=1e-7), (table["time"], caught, met)
    lost = 0.5 * J * SPEED**2 - 0.5 * STIFFNESS * SEAL**2
    assert abs(table["energy"][0] - lost) < 1e-6 * lost
    bounce = 0.5 * STIFFNESS * SEAL**2 * (1 - RESTITUTION**2)
    assert abs(table["energy"][2] - bounce) < 1e-6 * bounce
    held = (run.time > caught + 1e-3) & (run.time < RELEASE)
    torque = run.motion("latch.catch").torque.values[held][:, 2]
    assert np.allclose(torque, -STIFFNESS * SEAL, rtol=1e-8)
    print(f"caught at {caught:.4f} s with {lost:.2f} J, held with {STIFFNESS * SEAL:.1f} N m, at the stop {met:.4f} s")
    return float(table["time"][2])


if __name__ == "__main__":
    sys.exit(not main())
