"""Writes docs/figures/control_loop.png: ``python docs/make_control.py``."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import holonom as hn

FIGURES = Path(__file__).parent / "figures"


def loop() -> hn.StateSpace:
    """A mass of 2 kg on a line under a sampled PID."""
    model = hn.Model("axis", units="SI")
    model.gravity = (0, 0, 0)
    slide = model.part("slide", mass=2.0, inertia=(1, 1, 1))
    model.translational(slide, model.ground, "rail", at=(0, 0, 0), axis=(1, 0, 0))
    model.control.function("position", f"DX({slide.cm})")
    words = dict(kp=400.0, ki=300.0, kd=40.0, sample_time=0.01)
    model.control.pid("servo", reference=0.0, measurement="position", **words)
    model.vforce(slide.cm, None, fx="VARVAL(servo)")
    return hn.sampled_loop(model, open_at="servo")


def main() -> None:
    found = loop()
    figure, axes = plt.subplots(2, 3, figsize=(13, 7.5), layout="constrained")
    found.plot_bode(axes=axes[:, 0])
    found.plot_nyquist(axes=axes[0, 1])
    found.plot_nichols(axes=axes[1, 1])
    found.plot_root_locus(np.linspace(0.0, 3.0, 400), axes=axes[0, 2])
    found.feedback().plot_step(np.linspace(0.0, 1.5, 400), axes=axes[1, 2])
    figure.savefig(FIGURES / "control_loop.png", dpi=80)


if __name__ == "__main__":
    main()
