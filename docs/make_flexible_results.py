"""Figures of docs/flexible.md, "What a run shows": a bent connecting rod with its stresses, the axial force in a
turning blade, energies of modes; and the page.

python docs/make_flexible_results.py            the figure
python docs/make_flexible_results.py page       and the picture of the report (needs chromium and holonom[report])
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import holonom as hn
from holonom.results.pages.body_modes import draw
from holonom.results.pictures.flexible_surface import stresses, surface

HERE = Path(__file__).parent


def slider_crank(speed: float = 120.0) -> hn.Run:
    """Crank of 150 mm, flexible connecting rod of 450 mm, at a constant speed."""
    m = hn.Model("slider_crank")
    m.gravity = (0, -9.80665, 0)
    crank = m.part(
        "crank",
        0.3,
        (1e-4, 1e-3, 1e-3),
        position=(0.075, 0, 0),
        angular_velocity=(0, 0, speed),
        velocity=(0, 0.075 * speed, 0),
    )
    rod = m.part(
        "rod",
        1.0,
        (1, 1, 1),
        position=(0.375, 0, 0),
        angular_velocity=(0, 0, -speed / 3),
        velocity=(0, 0.075 * speed, 0),
    )
    slider = m.part("slider", 0.2, (1e-4,) * 3, position=(0.6, 0, 0))
    m.motion(m.revolute(crank, m.ground, at=(0, 0, 0), axis=(0, 0, 1)), f"{speed}*time")
    m.revolute(crank, rod, at=(0.15, 0, 0), axis=(0, 0, 1))
    m.revolute(rod, slider, at=(0.6, 0, 0), axis=(0, 0, 1))
    m.translational(slider, m.ground, at=(0.6, 0, 0), axis=(1, 0, 0))
    section = hn.flexible.Section.rectangle(0.02, 0.008)
    m.make_flexible(
        rod,
        hn.flexible.beam((0.15, 0, 0), (0.6, 0, 0), section, E=2.1e11, density=7850.0, y=(0, 1, 0)),
        modes=6,
        damping=0.01,
    )
    return hn.simulate(m, end=0.1, steps=200, integrator="RADAU5", error=1e-6)


def blade(modes: int, speed: float = 20.0) -> hn.Run:
    """A steel bar of 1 m that turns about its end."""
    m = hn.Model("blade")
    p = m.part(
        "blade", 1.0, (1, 1, 1), position=(0.5, 0, 0), velocity=(0, 0.5 * speed, 0), angular_velocity=(0, 0, speed)
    )
    m.motion(m.revolute(p, m.ground, at=(0, 0, 0), axis=(0, 0, 1)), f"{speed}*time")
    section = hn.flexible.Section.rectangle(0.02, 0.01)
    m.make_flexible(
        p, hn.flexible.beam((0, 0, 0), (1, 0, 0), section, E=2.1e11, density=7850.0, y=(0, 1, 0)), modes=modes
    )
    return hn.simulate(m, end=0.02, steps=10, integrator="RADAU5", error=1e-7)


def main(page: bool) -> None:
    run = slider_crank()
    view = run.flexible("rod")
    figure = plt.figure(figsize=(11, 3.9), layout="constrained")
    left, middle, right = figure.subfigures(1, 3, width_ratios=(1.25, 1, 1))
    spot = view.hot_spots(1)[0]
    row = int(np.argmin(np.abs(run.time - spot["time"])))
    s = surface(view.element, np.zeros(3))
    ax = left.add_subplot(projection="3d")
    scale = 100.0
    colours = stresses(view, s, np.array([row]))[0] / 1e6
    bar = draw(ax, s, scale * view.q.values[row], colours)
    ax.view_init(elev=25, azim=-70)
    left.colorbar(bar, ax=ax, orientation="horizontal", shrink=0.7, pad=0.0, label="von Mises, MPa")
    left.suptitle(f"rod at {spot['time']:.4g} s, displacements x {scale:g}", fontsize=11)

    ax = middle.subplots()
    x = np.linspace(0, 1, 21)
    exact = 7850.0 * 0.02 * 0.01 * 400.0 * (1 - x**2) / 2
    for residual, style in ((True, "-"), (False, ":")):
        N = blade(8).flexible(residual=residual).section_forces().sel(force="N").mean("time").values
        ax.plot(x, N, style, color="C0", label="8 modes and residual" if residual else "8 modes alone")
    ax.plot(x, exact, "k.", ms=4, label="rho A w^2 (L^2 - x^2) / 2")
    ax.set(xlabel="position along the blade, m", ylabel="axial force, N", title="blade at 20 rad/s")
    ax.legend(frameon=False, fontsize=9, loc="lower left", bbox_to_anchor=(0.0, 0.06))

    ax = right.subplots()
    energy = view.strain_energy
    most = np.argsort(-view.energy_share)[:3]
    for k in most:
        ax.semilogy(
            run.time,
            np.maximum(energy.values[:, k], 1e-9),
            lw=0.9,
            label=f"mode {k + 1}, {view.frequency[k] / 2 / np.pi:.0f} Hz",
        )
    ax.set(xlabel="time, s", ylabel="strain energy, J", title="rod: energy by mode", ylim=(1e-7, None))
    ax.legend(frameon=False, fontsize=9)
    path = HERE / "figures" / "flexible_results.png"
    figure.savefig(path, dpi=110)
    print(path)
    if page:
        sys.path.insert(0, str(HERE.parent / "tests" / "results"))
        from _browser import Browser

        out = Path("flexible_results.html")
        run.animate(out)
        with Browser(out, width=1000, height=560) as b:
            b.wait("document.querySelector('[data-ready]')")
            b.js(f"holonomViewers[0].setTime({float(spot['time'])})")
            b.enter("input[aria-label='Scale of displacements']", 1.0, "input")
            b.screenshot(HERE / "figures" / "flexible_animation.png")
        out.unlink()


if __name__ == "__main__":
    main("page" in sys.argv[1:])
