"""Figure of switching.md: ``python docs/make_switching_figures.py`` writes docs/figures/switching.png."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import holonom as hn

HERE = Path(__file__).resolve().parent


def example(name: str):
    spec = importlib.util.spec_from_file_location(name, HERE.parent / "examples" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main() -> None:
    fig, (a, b) = plt.subplots(1, 2, figsize=(11, 3.6), layout="constrained")
    ex = example("door_latch")
    run = hn.simulate(ex.build(), ex.END, ex.STEPS)
    a.plot(run.time, np.degrees(run.variable("angle").values), "k")
    a.axhline(70, color="C3", lw=1)
    a.text(0.05, 71, "stop", color="C3")
    caught = run.state_of("latch") == "caught"
    a.fill_between(run.time, -2, 75, where=caught, color="C0", alpha=0.15, lw=0)
    a.text(1.2, 35, "caught", color="C0")
    a.set(xlabel="time [s]", ylabel="angle of the door [deg]", ylim=(-2, 76), title="door, latch, stop with e = 0.3")
    ex = example("clutch_driveline")
    run = hn.simulate(ex.build(), ex.END, ex.STEPS)
    for name, color in (("engine", "k"), ("shaft", "C0")):
        b.plot(run.time, run.part(name).angular_velocity.values[:, 0], color, label=name)
    stuck = run.state_of("clutch") == "stuck"
    b.fill_between(run.time, 0, 700, where=stuck, color="C2", alpha=0.15, lw=0, label="clutch holds")
    b.set(
        xlabel="time [s]",
        ylabel="speed [rad/s]",
        ylim=(0, 700),
        title="pulling away; slips again under a surge of torque",
    )
    b.legend(loc="lower right")
    fig.savefig(HERE / "figures" / "switching.png", dpi=80)


if __name__ == "__main__":
    main()
