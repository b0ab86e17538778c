"""Discharge of a flat-bottomed silo through a round hole: the flow does not depend on the filling height, and grows as
Beverloo's law says.

    W = C rho_b sqrt(g) (D - k d)^(5/2),   C about 0.58, k about 1.5     (W. A. Beverloo, H. A. Leniger, J. van de
        Velde,
    Chem. Eng. Sci. 15 (1961) 260)

D: diameter of the hole, d: of the grains, rho_b: bulk density.  Glass-like beads of 10 mm settle upon a plug, which is
then taken away; the mass that has passed the hole is counted, and the bulk density is measured in the resting fill.
"""

import sys

import numpy as np

import holonom as hn

DIAMETER, SPREAD, DENSITY, G = (
    0.010,
    0.1,
    2500.0,
    9.81,
)  # grains: mean, and half the width of the sizes as a share of it
SILO = 0.10  # radius
STIFFNESS, RESTITUTION, MU = 6e3, 0.6, 0.5
STEP = 5e-5
C, K = 0.58, 1.5


def build(hole: float, count: int) -> hn.Model:
    """A silo with ``count`` grains above a plugged hole of diameter ``hole``."""
    m = hn.Model("hopper", units="SI")
    m.gravity = (0, 0, -G)
    radii = 0.5 * DIAMETER * np.random.default_rng(1).uniform(1 - SPREAD, 1 + SPREAD, count)
    height = 2.2 * count * DIAMETER**3 / (np.pi * SILO**2) + 0.05
    places = hn.Cylinder((0, 0, 0), (0, 0, height), SILO).random(radii, seed=2)
    mass = DENSITY * np.pi / 6 * DIAMETER**3
    logarithm = np.log(RESTITUTION)
    damping = -2 * logarithm * np.sqrt(0.5 * mass * STIFFNESS / (np.pi**2 + logarithm**2))
    beads = m.grains(places, radii, "beads", density=DENSITY, record=("position", "velocity", "contacts"))
    wall = m.cylinder(m.ground, (0, 0, -0.02), (0, 0, 1.2 * height), SILO, inside=True, name="wall")
    floor = m.revolution(
        m.ground, [(0.5 * hole, -0.02), (SILO + 0.01, -0.02), (SILO + 0.01, 0.0), (0.5 * hole, 0.0)], name="floor"
    )
    plug = m.plane(m.ground, (0, 0, 0), (0, 0, 1), size=1.05 * hole, name="plug")
    law = dict(
        law="KELVIN_VOIGT",
        stiffness=STIFFNESS,
        damping=damping,
        mu=MU,
        friction="BRISTLE",
        friction_parameters={"tangential_stiffness": 2 / 7 * STIFFNESS},
        stiction_transition_velocity=0.01,
        friction_transition_velocity=0.01,
    )
    m.contact(beads, name="bead on bead", **law)
    m.contact(beads, [wall, floor], name="silo", **law)
    m.contact(beads, plug, name="plug", **law)
    return m


def discharge(hole: float, count: int, settle: float, flow: float, threads: int = 1):
    """(run, flow rate, rate of the law)."""
    m = build(hole, count)
    sim = hn.Simulation(m, progress=False)
    sim.dynamics(duration=settle, steps=2, integrator="SEMI_IMPLICIT_EULER", hmax=STEP, threads=threads)
    sim.deactivate("CONTACT", "plug")
    sim.dynamics(duration=flow, steps=50, integrator="SEMI_IMPLICIT_EULER", hmax=STEP, threads=threads)
    run = sim.run()
    beads = run.grains("beads")
    top = float(np.quantile(beads.values("position")[2, :, 2], 0.8))
    fill = hn.Box((-0.06, -0.06, 0.01), (0.06, 0.06, top))
    bulk = DENSITY * float(beads.packing(fill, rows=[2])[0])
    t0 = run.time[2]
    rate = beads.flow_rate((0, 0, -0.01), (0, 0, -1), start=t0 + 0.3 * flow)
    law = C * bulk * np.sqrt(G) * (hole - K * DIAMETER) ** 2.5
    print(
        f"hopper, hole {hole / DIAMETER:.0f} d: {rate:.4f} kg/s, Beverloo {law:.4f} kg/s ({rate / law - 1:+.1%}), bulk "
        f"{bulk:.0f} kg/m^3"
    )
    return run, rate, law


def main(
    report: str | None = None, count: int = 3000, holes=(0.05, 0.07), settle: float = 0.25, flow: float = 0.6
) -> float:
    found = []
    for hole in holes:
        run, rate, law = discharge(hole, count, settle, flow)
        found.append((hole, rate, law))
        assert abs(rate / law - 1) < 0.2
    if report:
        run.report(report)
    (a, ra, _), (b, rb, _) = found[0], found[-1]
    power = np.log(rb / ra) / np.log((b - K * DIAMETER) / (a - K * DIAMETER))
    print(f"hopper: flow grows with the power {power:.2f} of D - k d; Beverloo 2.5")
    assert abs(power - 2.5) < 0.4
    return float(found[-1][1])


if __name__ == "__main__":
    main(report=sys.argv[1] if len(sys.argv) > 1 else None)
