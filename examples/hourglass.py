"""An hourglass: grains run through a neck between two cones at a rate that stays the same from beginning to end.

That it does not know how high the sand is above (as water would: sqrt(h)) is what makes an hourglass a clock;
Beverloo's law
(see `hopper`) gives the rate within the geometry factor of the cone.  10,000 grains as shipped, fewer in the tests.
"""

import sys

import numpy as np

import holonom as hn

DIAMETER, DENSITY, G = 0.005, 2500.0, 9.81
STIFFNESS, DAMPING, MU = 1.5e3, 0.1, 0.4
SLOPE = np.radians(35.0)  # half angle of the cones
STEP = 4e-5


def build(count: int = 10_000, neck: float = 6.0) -> hn.Model:
    """``neck``: its diameter in diameters of a grain."""
    m = hn.Model("hourglass", units="SI")
    m.gravity = (0, 0, -G)
    a = 0.5 * neck * DIAMETER
    # the cone is filled loosely (0.15 of its volume), so that grains can be placed at random
    volume = count * np.pi / 6 * DIAMETER**3 / 0.15
    height = (3 * volume * np.tan(SLOPE) ** -2 / np.pi) ** (1 / 3)
    top = a + height * np.tan(SLOPE)
    radii = 0.5 * DIAMETER * np.random.default_rng(3).uniform(0.9, 1.1, count)
    places = fill(radii, a, height)
    grains = m.grains(places, radii, "sand", density=DENSITY, color="gold")
    # of the glass: more than a grain, as what is pressed in deeper than half of it would come out on the other side
    t = 0.02
    glass = [(a, 0.0), (top, height), (top + t, height), (a + t, 0.0), (top + t, -height), (top, -height)]
    shell = m.revolution(m.ground, glass, name="glass")
    floor = m.plane(m.ground, (0, 0, -height), (0, 0, 1), name="floor", size=2 * top)
    law = dict(
        law="KELVIN_VOIGT",
        stiffness=STIFFNESS,
        damping=DAMPING,
        mu=MU,
        friction="BRISTLE",
        friction_parameters={"tangential_stiffness": 2 / 7 * STIFFNESS},
        stiction_transition_velocity=0.01,
        friction_transition_velocity=0.01,
    )
    m.contact(grains, name="grain on grain", **law)
    m.contact(grains, [shell, floor], name="glass", **law)
    return m


def fill(radii, a, height):
    """Positions in the upper cone: a box around it is filled at random and cut to the cone, the smallest high ones
    taken."""
    top = a + height * np.tan(SLOPE)
    low = 0.2 * height
    box = hn.Box((-top, -top, low), (top, top, height))
    share = 0.3  # of the box in the cone, about
    many = int(len(radii) / share)
    most = float(radii.max())
    fits = int(0.27 * box.volume / (4 / 3 * np.pi * most**3))
    places = box.random(most, min(many, fits), seed=1)
    inside = np.linalg.norm(places[:, :2], axis=1) < a + places[:, 2] * np.tan(SLOPE) - most / np.cos(SLOPE)
    places = places[inside]
    order = np.argsort(places[:, 2], kind="stable")
    if len(order) < len(radii):
        raise hn.ModelError(f"only {len(order)} of {len(radii)} grains fit into the hourglass")
    return places[order[: len(radii)]]


def main(report: str | None = None, count: int = 10_000, neck: float = 6.0, threads: int = 1) -> float:
    m = build(count, neck)
    grains = m.table("GRAINS")[1]
    mass = float(grains.masses.sum())
    law = 0.58 * 0.58 * DENSITY * np.sqrt(G) * ((neck - 1.5) * DIAMETER) ** 2.5
    end = 1.25 * mass / law
    run = hn.simulate(m, end, steps=100, integrator="SEMI_IMPLICIT_EULER", hmax=STEP, threads=threads)
    if report:
        run.report(report)
    passed = run.grains("sand").passed((0, 0, 0), (0, 0, -1))
    t = run.time
    rate = []
    for low, high in ((0.25, 0.5), (0.5, 0.75)):  # of the mass, behind the first ones, which fall from far
        use = (passed > low * mass) & (passed < high * mass)
        rate.append(np.polyfit(t[use], passed[use], 1)[0])
    print(
        f"hourglass: {count} grains, {rate[0]:.4f} kg/s and {rate[1]:.4f} kg/s in the second and the third quarter, "
        f"Beverloo {law:.4f} kg/s; "
        f"{passed[-1] / mass:.1%} have passed after {end:.2f} s"
    )
    assert abs(rate[1] / rate[0] - 1) < 0.15
    assert 0.7 < np.mean(rate) / law < 1.6
    return float(rate[0])


if __name__ == "__main__":
    main(report=sys.argv[1] if len(sys.argv) > 1 else None)
