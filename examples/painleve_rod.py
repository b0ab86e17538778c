"""Painleve's rod: where sliding friction leaves no motion, or several, that is reported, with the results so far.

A uniform rod slides with its lower end on a floor.  The end gains the normal acceleration A N + c from a normal force N
and the friction mu N against its slip, m A = 1 + 3 sin(a) (sin(a) -+ mu cos(a)), a from the vertical, and c = l/2 w^2
cos(a) - g.  For mu > 4/3 there are tilts at which A < 0: then with c < 0 no force keeps the end out of the floor, and
with c > 0 there are two motions, with and without contact
(F. Genot, B. Brogliato, Eur. J. Mech. A 18 (1999) 653).  The model slides the good way; `rod` gives the others.
"""

import sys

import numpy as np

import holonom as hn
from holonom.model import drawing

LENGTH, MASS, G, MU, TILT, SPEED = 1.0, 1.0, 10.0, 2.0, np.radians(30), 3.0
END, STEPS = 0.3, 60


def rod(speed: float, spin: float = 0.0, mu: float = MU) -> hn.Model:
    """The rod leans towards +x; its lower end slides with ``speed`` along x."""
    model = hn.Model("painleve_rod", units="SI")
    model.rigid.method = "events"
    model.gravity = (0.0, 0.0, -G)
    along = np.array([np.sin(TILT), 0, np.cos(TILT)])
    inertia = MASS * LENGTH**2 / 12
    part = model.part("rod", MASS, (inertia, inertia, 1e-3 * inertia), 0.5 * LENGTH * along)
    part.vx, part.vy, part.vz = (
        float(v) for v in np.array([speed, 0, 0]) + np.cross([0, spin, 0], 0.5 * LENGTH * along)
    )
    part.wy = spin
    model.contact(
        model.point(part, (0, 0, 0)), model.plane(model.ground, (0, 0, 0), (0, 0, 1)), mu=mu, name="end on floor"
    )
    drawing.rod(model, part, (0, 0, 0), LENGTH * along, 0.01)
    return model


def build() -> hn.Model:
    return rod(SPEED)


def main(model: hn.Model | None = None) -> float:
    s, c = np.sin(TILT), np.cos(TILT)
    # a good one: N = -c / A
    run = hn.simulate(model or build(), END, STEPS, contact="events")
    normal = run.contact("end on floor").normal.values[0]
    A = (1 + 3 * s * (s + MU * c)) / MASS
    assert abs(normal - G / A) < 1e-9, (normal, G / A)
    # the other way: A < 0, and no motion
    try:
        hn.simulate(rod(-SPEED), END, STEPS, contact="events")
        raise AssertionError("a motion was found where there is none")
    except hn.ModelError as error:
        print(error)
        assert "have no solution" in str(error) and len(error.run.time) == 1
    # with enough spin: two motions
    sim = hn.Simulation(rod(-SPEED, 8.0))
    sim.dynamics(end=END, steps=STEPS, contact="events")
    text = next(m for m in sim.messages if "several solutions" in m)
    print(text)
    # less friction: nothing to be reported whatever the tilt
    sim = hn.Simulation(rod(-SPEED, mu=1.3))
    sim.dynamics(end=0.05, steps=5, contact="events")
    assert not any("solution" in m for m in sim.messages)
    return float(normal)


if __name__ == "__main__":
    print(main())
    if "--animate" in sys.argv:
        hn.simulate(build(), END, STEPS, contact="events").animate("painleve_rod.html")
