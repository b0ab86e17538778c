"""Figure of docs/structures.md: a building of six storeys with and without dampers, loops of dampers, a response
spectrum.

python docs/make_structures.py
"""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import holonom as hn


def loop(builder, **parameters):
    """Stretch and force of a damper that is driven, in mm and kN."""
    m = hn.Model("rig")
    m.gravity = (0, 0, 0)
    part = m.part("slide", 1.0, (1, 1, 1), position=(1, 0, 0))
    m.motion(
        m.translational(part, m.ground, at=(1, 0, 0), axis=(1, 0, 0)), "0.02*SIN(2*PI*TIME)*STEP(TIME, 0, 0.3, 4, 1)"
    )
    e = getattr(m, builder)(m.marker(part), m.marker(m.ground), **parameters)
    run = hn.simulate(m, end=5.0, steps=500, integrator="RADAU5", error=1e-6)
    return 1e3 * (run.part("slide").position.values[:, 0] - 1), -1e-3 * run.force(f"{e.KIND}/{e.id}").force.values[:, 0]


def main():
    t = np.arange(0, 20, 0.01)
    rng = np.random.default_rng(4)
    noise = np.convolve(rng.normal(size=len(t)), np.exp(-np.arange(30) / 10.0), "same")
    quake = hn.structures.GroundMotion(0.9 * noise * np.exp(-(((t - 5) / 3) ** 2)), 0.01, "noise")
    figure, axes = plt.subplots(1, 3, figsize=(13.5, 4.2))
    for placed, label in (((), "no dampers"), ((1, 2, 3), "in storeys 1 to 3"), ((1, 2, 3, 4, 5, 6), "in all storeys")):
        frame = hn.structures.shear_building([1e5] * 6, [1.2e8] * 6, quake, damping=0.02)
        for storey in placed:
            frame.add_damper(storey, "power_damper", damping=1.0e6, exponent=0.5)
        run = hn.simulate(frame.model, end=18.0, dt=0.02, integrator="RADAU5", error=1e-5)
        axes[0].plot(run.time, 1e3 * frame.results(run)["displacement"][:, -1], lw=1, label=label)
    axes[0].set(title="roof of six storeys, power dampers a = 0.5", xlabel="time (s)", ylabel="displacement (mm)")
    for builder, parameters in (
        ("power_damper", dict(c=2e5, exponent=0.3)),
        ("burgers_damper", dict(k_maxwell=8e6, c_maxwell=4e6, k_kelvin=8e6, c_kelvin=1e6)),
        ("hysteretic_spring", dict(k=2e7, yield_force=1e5, hardening=0.02, knee=8)),
    ):
        axes[1].plot(*loop(builder, **parameters), lw=1, label=builder)
    axes[1].set(title="loops, amplitude growing to 20 mm at 1 Hz", xlabel="stretch (mm)", ylabel="force (kN)")
    periods = np.linspace(0.05, 3.0, 120)
    for damping in (0.02, 0.05, 0.1):
        axes[2].plot(
            periods,
            hn.structures.response_spectrum(quake, periods, damping)["acceleration"],
            label=f"{100 * damping:g} %",
        )
    axes[2].set(title="response spectrum", xlabel="period (s)", ylabel="acceleration (m/s^2)")
    for ax in axes:
        ax.grid(alpha=0.3)
        ax.legend()
    figure.tight_layout()
    path = Path(__file__).parent / "figures" / "structures.png"
    figure.savefig(path, dpi=110)
    print(path)


if __name__ == "__main__":
    main()
