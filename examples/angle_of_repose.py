"""Angle of repose against friction: a tube full of grains is lifted off a plate, and the heap that is left has a slope.

The angle grows with sliding friction and more with what resists rolling (Y. C. Zhou, B. H. Xu, A. B. Yu, P. Zulli,
Powder Technology 125 (2002) 45): round grains that roll freely run apart whatever their friction, a heap of a thousand
of them is nearly flat.  The plate has a low rim, so that the lowest grains stay.
"""

import sys

import numpy as np

import holonom as hn

DIAMETER, DENSITY, G = 0.010, 2500.0, 9.81
TUBE, PLATE = 0.045, 0.085  # radii
STIFFNESS, DAMPING = 6e3, 1.0
LIFT, STEP = 0.25, 5e-5  # speed of the tube
CASES = ((0.3, 0.0), (0.6, 0.15))  # friction, arm of rolling resistance over the grain's radius


def build(mu: float = 0.6, rolling: float = 0.15, count: int = 1500) -> hn.Model:
    m = hn.Model("angle_of_repose", units="SI")
    m.gravity = (0, 0, -G)
    height = 1.9 * count * DIAMETER**3 / (np.pi * TUBE**2) + 0.03
    radii = 0.5 * DIAMETER * np.random.default_rng(1).uniform(0.9, 1.1, count)
    places = hn.Cylinder((0, 0, 0), (0, 0, height), TUBE).random(radii, seed=2)
    sand = m.grains(places, radii, "sand", density=DENSITY, color="gold")
    plate = m.cylinder(m.ground, (0, 0, -0.05), (0, 0, 0), PLATE, name="plate")
    rim = m.cylinder(m.ground, (0, 0, -0.01), (0, 0, 0.3 * DIAMETER), PLATE, inside=True, name="rim")
    tube = m.part("tube", 1.0, (1.0, 1.0, 1.0), (0, 0, 0.5 * height))
    rail = m.translational(tube, m.ground, at=(0, 0, 0), axis=(0, 0, 1))
    m.motion(rail, f"{LIFT}*max(time-0.2,0)", kind="TRANSLATIONAL")
    bore = m.cylinder(tube, (0, 0, -0.002), (0, 0, height + 0.02), TUBE, inside=True, name="bore")
    law = dict(
        law="KELVIN_VOIGT",
        stiffness=STIFFNESS,
        damping=DAMPING,
        friction="BRISTLE",
        friction_parameters={"tangential_stiffness": 2 / 7 * STIFFNESS},
        stiction_transition_velocity=0.01,
        friction_transition_velocity=0.01,
    )
    m.contact(sand, mu=mu, rolling_resistance=0.5 * rolling * DIAMETER, name="grain on grain", **law)
    m.contact(sand, [plate, rim], mu=mu, rolling_resistance=0.5 * rolling * DIAMETER, name="plate", **law)
    m.contact(sand, bore, mu=0.05, name="tube", **law)
    return m


def angle(mu: float, rolling: float, count: int, report: str | None = None) -> float:
    """Degrees."""
    m = build(mu, rolling, count)
    height = 1.9 * count * DIAMETER**3 / (np.pi * TUBE**2)
    run = hn.simulate(
        m, 0.2 + 0.7 * height / LIFT + 0.3, steps=40, integrator="SEMI_IMPLICIT_EULER", hmax=STEP, kind="dynamics"
    )
    if report:
        run.report(report)
    sand = run.grains("sand")
    p = sand.values("position")[-1].astype(float)
    on = (p[:, 2] > 0.0) & (np.linalg.norm(p[:, :2], axis=1) < PLATE)
    r = np.linalg.norm(p[on, :2], axis=1)
    # the surface: highest grain in each ring of half a diameter, a line through it between rim and top
    ring = (r / (0.5 * DIAMETER)).astype(int)
    place = np.array([(k + 0.5) * 0.5 * DIAMETER for k in range(1, ring.max())])
    top = np.array([p[on, 2][ring == k].max() for k in range(1, ring.max())])
    use = (top > 1.2 * DIAMETER) & (place > 1.5 * DIAMETER)
    found = float(np.degrees(np.arctan(-np.polyfit(place[use], top[use], 1)[0])))
    print(
        f"angle of repose: friction {mu:g}, rolling {rolling:g}: {found:.1f} degrees ({on.sum()} of {count} "
        "grains stay)"
    )
    return found


def main(report: str | None = None, count: int = 1500, cases=CASES) -> float:
    found = [
        angle(mu, rolling, count, report if k == len(cases) - 1 else None) for k, (mu, rolling) in enumerate(cases)
    ]
    assert all(b > a for a, b in zip(found, found[1:])) and found[-1] > found[0] + 10
    assert found[0] < 15 and 18 < found[-1] < 40
    return found[-1]


if __name__ == "__main__":
    main(report=sys.argv[1] if len(sys.argv) > 1 else None)
