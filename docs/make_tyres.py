"""Figures of docs/tyres.md: characteristics of a passenger tyre as tyre engineers draw them.

python docs/make_tyres.py
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import holonom as hn

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from _tyres import PASSENGER


def main():
    m = hn.Model()
    rig = hn.vehicle.TyreRig(m.tyre_pac2002(m.marker(m.part("wheel", 1.0, (1, 1, 1))), m.marker(m.ground), PASSENGER))
    figure, axes = plt.subplots(1, 3, figsize=(13, 4))
    alpha = np.linspace(-15, 15, 301)
    for load in (2000, 4000, 6000):
        f = rig.forces(load, alpha=np.radians(alpha))
        axes[0].plot(alpha, f["F_y"] / 1e3, label=f"{load / 1e3:g} kN")
        axes[1].plot(alpha, f["M_z"], label=f"{load / 1e3:g} kN")
    for slip in (0, 2, 4, 8):
        f = rig.forces(4000, kappa=np.linspace(-0.6, 0.6, 601), alpha=np.radians(slip))
        axes[2].plot(f["F_x"] / 1e3, f["F_y"] / 1e3, label=f"{slip} deg")
    axes[0].set(xlabel="slip angle (deg)", ylabel="side force (kN)", title="side force over load")
    axes[1].set(xlabel="slip angle (deg)", ylabel="aligning moment (N m)", title="aligning moment over load")
    axes[2].set(xlabel="longitudinal force (kN)", ylabel="side force (kN)", title="combined slip, 4 kN")
    for ax in axes:
        ax.grid(alpha=0.3)
        ax.legend()
    figure.tight_layout()
    path = Path(__file__).parent / "figures" / "tyres.png"
    figure.savefig(path, dpi=110)
    print(path)
    print(rig.plot([2000, 4000, 6000], path.with_name("tyre_rig.png")) and path.with_name("tyre_rig.png"))


if __name__ == "__main__":
    main()
