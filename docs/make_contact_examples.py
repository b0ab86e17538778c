"""Figure of contact-examples.md: ``python docs/make_contact_examples.py`` runs the examples and writes
docs/figures/contact_examples.png."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np

import holonom as hn
from holonom.contact.laws.bounce import restitution_against_damping
from holonom.results.pictures.plots import COLOURS

ROOT = Path(__file__).resolve().parents[1]


def load(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "examples" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def plates(height, force, decay):
    e = load("ball_on_plate")
    sim = hn.Simulation(e.build())
    touch = np.sqrt(2 * e.DROP / e.G)
    sim.dynamics(end=touch - 5e-5, steps=400)
    sim.dynamics(end=touch + 5e-4, steps=500)
    sim.dynamics(end=1.0, steps=3000)
    run = sim.run()
    for n, damping in enumerate(e.DAMPINGS):
        z = run.part(f"ball {damping:g}").position.values[:, 2] - e.RADIUS
        height.plot(run.time, z, color=COLOURS[n], label=f"{damping:g} N s/mm")
        force.plot(1e3 * (run.time - touch), 1e-3 * run.contact(f"contact {damping:g}").normal.values, color=COLOURS[n])
    height.set(xlabel="time, s", ylabel="height, mm", title="ball on a plate")
    height.legend(fontsize=8)
    force.set(
        xlabel="time since the first touch, ms",
        ylabel="force, kN",
        xlim=(-0.02, 0.45),
        title="ball on a plate, first impact",
    )
    speed = np.sqrt(2 * e.G * e.DROP)
    table = restitution_against_damping((e.K, e.EXPONENT, 0.0, e.DMAX), np.geomspace(0.02, 100, 50), speed, e.M)
    decay.semilogx(table[:, 0], table[:, 1], color=COLOURS[0], label="measured")
    decay.semilogx(table[:, 0], table[:, 2], "--", color=COLOURS[1], label="Lankarani-Nikravesh")
    for damping in e.DAMPINGS[1:]:
        decay.plot(damping, np.sqrt(np.divide(*e.levels(run, damping)[1::-1])), "o", color=COLOURS[0])
    decay.set(xlabel="damping, N s/mm", ylabel="restitution", title="IMPACT, 0.5 kg at 0.99 m/s (points: runs)")
    decay.legend(fontsize=8)


def cradle(axis):
    e = load("newtons_cradle")
    run = hn.simulate(e.build(), end=e.END, steps=e.STEPS)
    for n in range(5):
        axis.plot(
            run.time,
            1e3 * (run.part(f"two, gaps {n + 1}").position.values[:, 0] - n * (2 * e.RADIUS + e.GAP)),
            color=COLOURS[n],
            label=f"ball {n + 1}",
        )
    axis.set(xlabel="time, s", ylabel="way, mm", title="Newton's cradle, two in, two out")
    axis.legend(fontsize=8)


def crank(axis):
    e = load("clearance_slider_crank")
    run = hn.simulate(e.build(), end=e.END, steps=e.STEPS)
    q = e.SPEED * run.time
    for n, c in enumerate(e.CLEARANCES):
        axis.plot(
            np.degrees(q),
            1e-3 * run.part(f"slider c {1e3 * c:g}").acceleration.values[:, 0],
            color=COLOURS[n],
            label=f"c = {1e3 * c:g} mm",
            linewidth=0.8,
        )
    axis.plot(np.degrees(q), 1e-3 * e.slider(q)[2], "k--", label="no clearance")
    axis.set(
        xlabel="crank angle, degrees",
        ylabel="acceleration of the slider, km/s2",
        title="slider-crank with clearance",
        ylim=(-60, 60),
    )
    axis.legend(fontsize=8)


def bearing(axis):
    e = load("ball_bearing")
    run = hn.simulate(e.build(), end=e.END, steps=e.STEPS)
    late = run.time > e.SETTLED
    psi = np.degrees(2 * np.pi * np.arange(e.BALLS) / e.BALLS + e.CAGE * run.time[late, None])
    found = np.array([run.contact(f"inner {n}").normal.values[late] for n in range(e.BALLS)]).T
    axis.plot((psi + 180) % 360 - 180, found, ".", color=COLOURS[0], markersize=2)
    u = -run.part("inner ring").position.values[-1, 2]
    angle = np.linspace(-180, 180, 361)
    axis.plot(
        angle,
        e.K * np.maximum(u * np.cos(np.radians(angle)) - e.CLEARANCE / 2, 0) ** 1.5,
        "--",
        color=COLOURS[1],
        label="K (u cos psi - clearance/2)^1.5",
    )
    axis.set(
        xlabel="angle from the load, degrees",
        ylabel="force, N",
        title="ball bearing, 2 kN on nine balls (points: all rows)",
    )
    axis.legend(fontsize=8)


def geneva(axis):
    e = load("geneva_wheel")
    run = hn.simulate(e.build(), end=e.END, steps=e.STEPS)
    q = e.SPEED * run.time - np.pi
    axis.plot(
        np.degrees(q), -run.part("wheel").angular_velocity.values[:, 2] / e.SPEED, color=COLOURS[0], label="wheel"
    )
    axis.plot(np.degrees(q), e.ideal(q)[1] / e.SPEED, "--", color=COLOURS[1], label="kinematics")
    axis.set(xlabel="angle of the pin, degrees", ylabel="speed ratio", title="Geneva wheel", xlim=(-90, 90))
    axis.legend(fontsize=8)


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    _, axes = plt.subplots(4, 2, figsize=(11, 15), layout="constrained")
    plates(axes[0, 0], axes[0, 1], axes[1, 0])
    for draw, axis in zip((cradle, crank, bearing, geneva), axes.flat[3:]):
        draw(axis)
    axes.flat[7].axis("off")
    for axis in axes.flat[:7]:
        axis.grid(alpha=0.3)
    plt.savefig(ROOT / "docs" / "figures" / "contact_examples.png", dpi=90)
