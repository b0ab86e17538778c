"""A stick that strikes a rough floor with its end, the impact located in time: its end state against a time-stepping
code.

A uniform rod, tilted by 45 degrees, falls with a little spin and hits the floor with its lower end; nothing is lost
along the normal (restitution 1), friction 0.01 acts across it.  Between impacts it is in free fall, so that every
impact can be checked by hand: impulse along the normal (1 + e) v / W_nn', with W the inverse mass that the end of a rod
opposes.
Reference: the "ImpactingStick" of Siconos, Moreau's time-stepping with h = 1e-4, end state at t = 0.2 s; first order
across impacts.  Its friction pushes along x with the slip, not against it: x and its speed differ from those without
friction as much as ours, with the other sign, and its energy has not fallen.  So these two are held against it mirrored
at the motion without friction, the others as they are, within what friction and its first order make.
"""

import sys

import numpy as np

import holonom as hn
from holonom.model import drawing

LENGTH, MASS, G, MU, ANGLE, HEIGHT = 1.0, 1.0, 10.0, 0.01, np.radians(45), 0.01
END, STEPS = 0.2, 200
REFERENCE = np.array(
    [
        0.2529172311983667,
        0.2471693300826099,
        1.081891493988364,
        -0.5068672606709300,
        -1.213273932906967,
        3.212070578753687,
    ]
)


def build(mu: float = MU) -> hn.Model:
    model = hn.Model("impacting_stick", units="SI")
    model.rigid.method = "events"
    model.gravity = (0.0, 0.0, -G)
    along = np.array([np.sin(ANGLE), 0, np.cos(ANGLE)])
    low = np.array([0, 0, HEIGHT])
    high = low + LENGTH * along
    inertia = MASS * LENGTH**2 / 12
    stick = model.part("stick", MASS, (inertia, inertia, 1e-3 * inertia), low + 0.5 * LENGTH * along)
    stick.vx, stick.vz, stick.wy = -0.5, 0.1, 0.1
    floor = model.plane(model.ground, (0, 0, 0), (0, 0, 1))
    for end, name in ((low, "lower end"), (high, "upper end")):
        model.contact(model.point(stick, end, name=name), floor, restitution=1.0, mu=mu, name=f"{name} on floor")
    drawing.rod(model, stick, low, high, 0.01)
    model.marker_at(stick, low, z=along, name="end")
    return model


def end_state(model: hn.Model):
    run = hn.simulate(model, END, STEPS, contact="events", error=1e-10)
    stick = run.part("stick")
    x, _, z = stick.position.values[-1]
    vx, _, vz = stick.velocity.values[-1]
    axis = stick.marker("end").axes.values[-1][:, 2]
    return run, np.array([x, z, np.arctan2(axis[0], axis[2]), vx, vz, stick.angular_velocity.values[-1][1]])


def main(model: hn.Model | None = None) -> float:
    run, end = end_state(model or build())
    _, smooth = end_state(build(0.0))
    hits = run.impacts[run.impacts["normal_impulse"] > 0]
    print(f"impacts at {', '.join(f'{t:.6f}' for t in hits['time'])} s")
    mirrored = np.where([True, False, False, True, False, False], 2 * smooth - end, end)
    print(f"ours      {end}\nmirrored  {mirrored}\nreference {REFERENCE}")
    # the first impact by hand: 0.01 m of fall of the lower end
    speed = -hits["velocity_before"][0]
    assert abs(hits["velocity_after"][0] - speed) < 1e-9
    assert np.all(np.abs(mirrored - REFERENCE) < [1e-6, 1e-4, 2e-4, 2e-5, 2e-3, 6e-3]), mirrored - REFERENCE
    energy = run.data.energy_kinetic + run.data.energy_gravity + run.data.energy_dissipated
    assert np.ptp(energy) < 1e-9 * energy[0]
    return float(hits["time"][0])


if __name__ == "__main__":
    print(main())
    if "--animate" in sys.argv:
        hn.simulate(build(), END, STEPS, contact="events").animate("impacting_stick.html")
