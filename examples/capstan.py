"""Rope over a fixed drum: the pull that holds a load, after Euler and Eytelwein.

A rope of 2 mm lies half round a drum of 100 mm radius, loaded with 10 N at one end and drawn over it at the other one.
Friction acts at the radius R of the drum, the tension at R + r of the axis of the rope: the ratio of both tensions is
exp(mu beta R / (R + r)).
"""

import numpy as np

import holonom as hn

MU, RADIUS, THICK, LOAD = 0.3, 0.1, 0.001, 10.0  # -, m, m, N
END, STEPS = 0.06, 24
NODES = 12  # on the half circle


def build() -> hn.Model:
    """The rope, its drum and what pulls at its ends."""
    m = hn.Model("capstan")
    m.gravity = (0, 0, 0)
    R = RADIUS + THICK
    step = R * np.pi / NODES
    arc = [(R * np.cos(a), R * np.sin(a), 0.0) for a in np.linspace(0, np.pi, NODES + 1)]
    points = [(R, -step * k, 0.0) for k in (3, 2, 1)] + arc + [(-R, -step * k, 0.0) for k in (1, 2, 3, 4)]
    section = hn.flexible.Section.round(THICK)
    rope = hn.flexible.rod(
        m, points, section, E=2e9, density=2000.0, damping=1e-3, bending=0.01, straight=True, tension=LOAD, name="rope"
    )
    drum = m.cylinder(m.ground, (0, 0, -0.03), (0, 0, 0.03), RADIUS, color="STEEL_BLUE")
    rope.touch(drum, mu=MU, name="on the drum")
    m.vforce(rope.first.cm, m.ground, "0", f"-{LOAD}", "0", rm=m.marker(m.ground), name="load")
    slide = m.translational(rope.last, m.ground, at=points[-1], axis=(0, -1, 0))
    m.motion(slide, f"0.05*TIME*STEP(TIME,0,0,{END / 5},1)", name="pull")
    return m


def main() -> float:
    run = hn.simulate(build(), end=END, steps=STEPS, error=1e-4)
    beams = [name for name in run.forces if name.startswith("rope.")]
    pull = [np.linalg.norm(run.force(name).force.values[-6:], axis=1).mean() for name in (beams[0], beams[-1])]
    ratio = pull[1] / pull[0]
    theory = np.exp(MU * np.pi * RADIUS / (RADIUS + THICK))
    print(f"ratio of the tensions {ratio:.4f}, Euler and Eytelwein {theory:.4f}")
    assert abs(ratio / theory - 1) < 0.01
    return float(ratio)


if __name__ == "__main__":
    main()
