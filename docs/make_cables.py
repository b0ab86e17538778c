"""Figure of docs/cables.md: a rope with a weight that falls, slack lines, the error of a cantilever.

python docs/make_cables.py
"""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import holonom as hn
from holonom.flexible import cable, catenary


def falling():
    m = hn.Model()
    m.gravity = (0, 0, -9.81)
    rope = cable(m, [(0, 0, 0), (1, 0, 0)], EA=1e4, EI=0.02, mass=0.2, elements=20, damping=1e-3)
    m.spherical(rope.first, m.ground, at=(0, 0, 0))
    run = hn.simulate(m, end=0.7, steps=14, kind="dynamics", integrator="RADAU5", error=1e-5)
    return run.mesh(rope).axis()


def hanging(length):
    m = hn.Model()
    m.gravity = (0, 0, -9.81)
    line = cable(m, catenary((0, 0, 0), (1, 0, 0.2), length), EA=1e5, EI=1e-3, mass=0.1, elements=32)
    m.spherical(line.first, m.ground, at=(0, 0, 0))
    m.spherical(line.last, m.ground, at=(1, 0, 0.2))
    sim = hn.Simulation(m)
    sim.statics()
    view = sim.run().mesh(line)
    return view.axis(1).values[-1], view.section("axial force").values[-1]


def cantilever(n):
    L, E, b = 2.0, 2.07e11, 0.1
    m = hn.Model()
    m.gravity = (0, 0, 0)
    c = cable(m, [(0, 0, 0), (L, 0, 0)], EA=E * b * b, EI=E * b**4 / 12, mass=78.5, elements=n)
    m.fixed(c.first, m.ground, at=(0, 0, 0))
    m.vforce(m.marker(c.last), m.ground, "0", f"{-3.0 * E * b**4 / 12 / L**2!r}*TIME", "0", rm=m.marker(m.ground))
    sim = hn.Simulation(m)
    sim.quasistatics(end=1.0, steps=4)
    tip = sim.run().part(c.last.name).position.values[-1] - [L, 0, 0]
    return np.abs(tip - [-0.508537304326, -1.207239854550, 0.0]).max()


def main():
    figure, axes = plt.subplots(1, 3, figsize=(13, 4.2))
    shape = falling()
    for k in range(len(shape)):
        axes[0].plot(shape.values[k, :, 0], shape.values[k, :, 2], color=plt.cm.viridis(k / (len(shape) - 1)))
    axes[0].set(title="a rope that falls, each 50 ms", xlabel="x (m)", ylabel="z (m)", aspect="equal")
    for length in (1.03, 1.1, 1.3, 1.6):
        places, force = hanging(length)
        axes[1].plot(places[:, 0], places[:, 2], color="0.8", lw=1, zorder=1)
        drawn = axes[1].scatter(
            *(0.5 * (places[1:] + places[:-1]))[:, [0, 2]].T, c=force, cmap="plasma", s=22, zorder=2, vmin=0.2, vmax=1.6
        )
    figure.colorbar(drawn, ax=axes[1], label="axial force (N)")
    axes[1].set(title="slack lines, 1.03 to 1.6 m", xlabel="x (m)", ylabel="z (m)")
    n = np.array([1, 2, 4, 8, 16, 32, 64])
    error = np.array([cantilever(int(k)) for k in n])
    axes[2].loglog(n, error, "o-", label="tip, F = 3 EI/L²")
    axes[2].loglog(n[2:], error[3] * (8.0 / n[2:]) ** 5, "k--", lw=1, label="order 5")
    axes[2].set(title="cantilever in large deflection", xlabel="elements", ylabel="error of the tip (m)")
    axes[2].legend()
    figure.tight_layout()
    figure.savefig(Path(__file__).parent / "figures" / "cables.png", dpi=110)


if __name__ == "__main__":
    main()
