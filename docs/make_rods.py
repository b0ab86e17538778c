"""Figure of docs/rods.md: a rod rolled up by a moment, the Princeton beam, a hose that falls.

python docs/make_rods.py
"""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import holonom as hn
from holonom.flexible import Section, rod

#: tip of the Princeton beam under 8.896 N at angles (degrees): Reissner's beam, solved as a two-point problem
PRINCETON = {0: (-0.01071276479, 0.0), 15: (-0.010643581, 0.042192449), 30: (-0.010207614, 0.079547377),
    45: (-0.008979197, 0.109113115),
             60: (-0.006742044, 0.129957859), 75: (-0.003621979, 0.14221817), 90: (0.0, 0.1462523572)}  # fmt: skip


def loaded(L, section, n, E, nu, force, moment, steps):
    m = hn.Model()
    m.gravity = (0, 0, 0)
    r = rod(m, [(0, 0, 0), (L, 0, 0)], section, E=E, nu=nu, density=7850.0, elements=n, y=(0, 1, 0))
    m.fixed(r.first, m.ground, at=(0, 0, 0))
    m.gforce(r.last.cm, m.ground, *(f"{v!r}*TIME" for v in (*force, *moment)), rm=m.marker(m.ground))
    sim = hn.Simulation(m)
    sim.quasistatics(end=1.0, steps=steps)
    run = sim.run()
    return np.array([run.part(p.name).position.values for p in r.parts])  # (nodes, times, 3)


def main():
    figure, axes = plt.subplots(1, 3, figsize=(13, 4.2))
    section = Section.rectangle(0.02, 0.01)
    places = loaded(
        10.0, section, 30, 2.1e11, 0.3, (0.0, 0.0, 0.0), (0.0, 0.0, 2 * np.pi * 2.1e11 * section.Iz / 10), 8
    )
    for k in range(places.shape[1]):
        axes[0].plot(places[:, k, 0], places[:, k, 1], color=plt.cm.viridis(k / 8))
    axes[0].set(title="tip moment from 0 to 2 pi EI/L", xlabel="x (m)", ylabel="y (m)", aspect="equal")

    h, w = 12.3777e-3, 3.2024e-3
    Iy, Iz = h * w**3 / 12, w * h**3 / 12
    section = Section(h * w, Iy, Iz, 0.198 * (Iy + Iz), ky=1.0, kz=1.0)
    angles = np.arange(0, 91, 7.5)
    tips = []
    for beta in angles:
        a = np.radians(beta)
        tips.append(
            loaded(
                0.508,
                section,
                16,
                71.7e9,
                0.31,
                (0.0, float(-8.896 * np.cos(a)), float(8.896 * np.sin(a))),
                (0.0, 0.0, 0.0),
                4,
            )[-1, -1]
        )
    tips = np.array(tips)
    axes[1].plot(angles, -100 * tips[:, 1], label="along y")
    axes[1].plot(angles, 100 * tips[:, 2], label="along z")
    axes[1].plot(
        list(PRINCETON), [-100 * v[0] for v in PRINCETON.values()], "ko", ms=4, label="Reissner, two-point problem"
    )
    axes[1].plot(list(PRINCETON), [100 * v[1] for v in PRINCETON.values()], "ko", ms=4)
    axes[1].set(title="Princeton beam, 8.896 N, 16 elements", xlabel="angle of the load (deg)", ylabel="tip (cm)")
    axes[1].legend()

    m = hn.Model()
    m.gravity = (0, 0, -9.81)
    r = rod(
        m, [(0, 0, 0), (1, 0, 0)], Section.round(0.01), E=5e6, density=1200.0, elements=24, damping=1e-3, y=(0, 1, 0)
    )
    m.spherical(r.first, m.ground, at=(0, 0, 0))
    run = hn.simulate(m, end=0.6, steps=9, integrator="RADAU5", error=1e-5)
    for k in range(10):
        p = np.array([run.part(q.name).position.values[k] for q in r.parts])
        axes[2].plot(p[:, 0], p[:, 2], color=plt.cm.plasma(k / 10))
    axes[2].set(title="hose, hung at one end, let go: every 67 ms", xlabel="x (m)", ylabel="z (m)", aspect="equal")
    for ax in axes:
        ax.grid(alpha=0.3)
    figure.tight_layout()
    path = Path(__file__).parent / "figures" / "rods.png"
    figure.savefig(path, dpi=110)
    print(path)


if __name__ == "__main__":
    main()
