"""Figures of docs/rail.md: contact geometry, creep forces, a coach through a curve.

python docs/make_rail.py
"""

import subprocess
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import holonom as hn

FIGURES = Path(__file__).parent / "figures"


def creep():
    """Five laws over the longitudinal creepage, without spin, and over the lateral one with spin."""
    figure, axes = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained", sharey=True)
    N, mu = 8e4, 0.3
    e = hn.rail.hertz(N, 1 / 0.46, 1 / 0.3)
    x = np.linspace(0, 8e-3, 81)
    for law in ("LINEAR", "JOHNSON_VERMEULEN", "SHEN_HEDRICK_ELKINS", "POLACH", "FASTSIM"):
        word = law.replace("_", " ").title() if law != "FASTSIM" else law
        plain = hn.rail.creep_forces(law, N, mu, e.a, e.b, x, elements=40)
        spun = hn.rail.creep_forces(law, N, mu, e.a, e.b, 0.0, 2 * x - 8e-3, 0.5, elements=40)
        axes[0].plot(1e3 * x, -plain[:, 0] / (mu * N), label=word)
        axes[1].plot(1e3 * (2 * x - 8e-3), -spun[:, 1] / (mu * N), label=word)
    axes[0].set(xlabel="longitudinal creepage, 1e-3", ylabel="force / (mu N)", ylim=(-1.2, 1.3), title="no spin")
    axes[1].set(xlabel="lateral creepage, 1e-3", title="spin 0.5 / m")
    axes[0].legend()
    for a in axes:
        a.grid(alpha=0.3)
    figure.savefig(FIGURES / "rail_creep.png", dpi=110)


def main():
    hn.rail.contact_geometry().plot(FIGURES / "rail_geometry.png", "S1002 on 60E1, 1435 mm, 1 : 40")
    creep()
    subprocess.run(
        [
            sys.executable,
            "-m",
            "holonom",
            "rail",
            "coach",
            "--radius",
            "600",
            "--cant",
            "100",
            "--plot",
            str(FIGURES / "rail_coach.png"),
        ],
        check=True,
    )


if __name__ == "__main__":
    main()
