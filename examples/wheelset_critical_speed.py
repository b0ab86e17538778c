"""A wheelset on springs: the speed at which it begins to hunt, by eigenvalues, and how its swing grows in time.

A cone of 1 : 20 on rails with heads of 300 mm, 10 t axle load, led by a frame that runs straight.  An independent
linear model (tests/rail) has 110.7 m/s.
"""

import numpy as np

import holonom as hn
from holonom.model import drawing


def build(speed=100.0, y=0.0):
    """The wheelset at a speed, `y` next to the middle."""
    model = hn.Model("guided wheelset")
    model.gravity = (0, 0, -9.81)
    track = model.rail_track(rail=hn.rail.round_head(0.3))
    axle = hn.rail.wheelset(
        model,
        track,
        load=1e5,
        speed=speed,
        y=y,
        profile=hn.rail.cone(0.05),
        law="LINEAR",
        mass=1250.0,
        inertia=(700, 250, 700),
        radius=0.45,
        box_mass=1.0,
        box_inertia=(0.5,) * 3,
    )
    height = model.body_frame(axle.part).origin[2]
    frame = model.part("frame", 1000.0, (100, 100, 100), (0, 0, height), velocity=(speed, 0, 0))
    model.motion(model.translational(frame, model.ground, at=(0, 0, height), axis=(1, 0, 0)), f"{speed}*time")
    for box, side in zip(axle.boxes, (1, -1)):
        above = model.marker_at(frame, (0, side, height), axes=np.eye(3))
        model.bushing(
            box, above, stiffness=(0.8e6, 0.5e6, 1e5), damping=(0, 0, 1e4), force=(0, 0, -0.5 * (1e5 - 1251 * 9.81))
        )
    drawing.block(model, frame, (0, 0, height + 0.6), (1.2, 2.2, 0.1))
    hn.rail.draw_track(model, track, -2.0, 20.0)
    return model


def main():
    found = hn.rail.critical_speed(lambda v: build(v), 100.0, 120.0, points=2, slowest=2.0, tolerance=2e-3)
    print(
        f"critical speed {found.critical:.1f} m/s, {found.frequency[found.speed.searchsorted(found.critical)]:.2f} Hz"
    )
    assert abs(found.critical - 110.7) < 0.6
    run = hn.simulate(build(118.0, 1e-4), end=1.5, steps=300, integrator="RADAU5", error=1e-6)
    rate = hn.rail.growth_rate(run.time[20:], run.data.body_position[20:, 0, 1])
    wanted = hn.rail.least_damped(build(118.0), slowest=2.0).real
    print(f"at 118 m/s the swing grows by {rate:.3f} 1/s, the eigenvalue says {wanted:.3f} 1/s")
    assert abs(rate - wanted) < 0.05


if __name__ == "__main__":
    main()
