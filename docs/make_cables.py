"""Figures of docs/cables.md: a rope with a weight that falls, slack lines, the error of a cantilever; stresses of beams
and plates in the animation.

python docs/make_cables.py            the figure
python docs/make_cables.py page       the picture of the animation (needs chromium and holonom[report])
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import holonom as hn
from holonom.flexible import Section, ancf_beam, ancf_plate, cable, catenary

HERE = Path(__file__).parent


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


def skins():
    """Three beams, a plate and a shell, clamped, under forces at their ends."""
    m = hn.Model("skins")
    m.gravity = (0, 0, 0)
    given = {"E": 2e9, "density": 1000.0}

    def pull(point, *force):
        m.vforce(m.marker(point), m.ground, *(f"{f}*TIME" for f in force), rm=m.marker(m.ground))

    flat, r = Section.rectangle(0.02, 0.04, shear=True), 0.015
    bar = Section(np.pi * r**2, np.pi * r**4 / 4, np.pi * r**4 / 4, np.pi * r**4 / 2, 0.886, 0.886)
    for points, section, force, more in (
        ([(0, 0, 0), (0.6, 0, 0)], flat, (0, 40, 0), {"plane": "xy", "elements": 6}),
        ([(0, 0, 0.2), (0.3, 0, 0.2), (0.6, 0, 0.2)], flat, (0, 30, 20), {"y": (0, 1, 0), "elements": 6}),
        ([(0, 0, 0.4), (0.3, 0.1, 0.4), (0.6, 0, 0.4)], bar, (0, 30, 10), {}),
    ):
        beam = ancf_beam(m, points, section, **given, **more)
        m.fixed(beam.first, m.ground, at=points[0])
        pull(beam.last, *force)
    plate = ancf_plate(m, [(0, 0.5, 0), (0.6, 0.5, 0), (0.6, 0.9, 0), (0, 0.9, 0)], 0.01, elements=(6, 4), **given)
    arc = [[(0.5 * np.sin(a), y, 0.5 - 0.5 * np.cos(a)) for y in (1.1, 1.3, 1.5)] for a in np.linspace(0, np.pi / 2, 9)]
    shell = ancf_plate(m, arc, 0.01, elements=(6, 3), formulation="thick", **given)
    for body, force in ((plate, (0, 0, 4)), (shell, (3, 0, 1))):
        body.clamp("u0")
        for point in body.edge("u1"):
            pull(point, *force)
    sim = hn.Simulation(m)
    sim.quasistatics(end=1.0, steps=4)
    return sim.run()


def page():
    out = Path("skins.html")
    skins().animate(out)
    picture(out)
    out.unlink()


def picture(path):
    """Of the animation at its end."""
    sys.path.insert(0, str(HERE.parent / "tests" / "results"))
    from _browser import Browser

    with Browser(path, width=1000, height=560) as b:
        b.wait("document.querySelector('[data-ready]')")
        b.tick("Applied forces")
        b.js("holonomViewers[0].setTime(1.0)")
        b.screenshot(HERE / "figures" / "cables_skins.png")


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
    figure.savefig(HERE / "figures" / "cables.png", dpi=110)


if __name__ == "__main__":
    page() if "page" in sys.argv[1:] else main()
