"""Figures of machinery.md: ``python docs/make_machinery_figures.py [name ...]`` writes docs/figures/NAME.png."""

from __future__ import annotations

import importlib.util
import sys
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


def outline(run, part: str, points: np.ndarray, row: int) -> np.ndarray:
    """Points (n, 2) of the axes of a body in ground, seen along z."""
    view = run.part(part)
    return view.position.values[row, :2] + points @ view.axes.values[row][:2, :2].T


def chain_drive() -> None:
    from holonom.machinery.chain import sprocket_outline
    from holonom.model.shape import Profile

    ex = example("chain_drive")
    run = hn.simulate(ex.build(), end=0.1, steps=800, integrator="GSTIFF", error=1e-5)
    fig, axes = plt.subplot_mosaic([["a", "a"], ["b", "c"]], figsize=(11, 7), layout="constrained", height_ratios=(1.3, 1))
    a, row, mm = axes["a"], -1, 1e3
    for part, teeth in zip(("driver", "driven"), ex.TEETH):
        points, bulge = sprocket_outline(teeth, ex.PITCH, 8.5e-3)
        turned = np.pi if part == "driver" else 0.0
        c, s = np.cos(turned), np.sin(turned)
        a.fill(*(mm * outline(run, part, Profile(points, True, bulge).polyline(0.02) @ [[c, s], [-s, c]], row).T), "0.8", ec="0.3", lw=0.8)
    for k in range(ex.LINKS):
        ends = mm * outline(run, f"link {k + 1}", np.array([[-0.5, 0], [0.5, 0]]) * ex.PITCH, row)
        a.plot(*ends.T, color=("tab:blue", "tab:cyan")[k % 2], lw=2)
        a.add_patch(plt.Circle(ends[0], 4.25, fc="white", ec="0.2", lw=0.8, zorder=3))
    a.set(aspect="equal", xlabel="mm", title=f"{ex.LINKS} links at {run.time[row]:.3g} s: 9,720 contacts defined, 27 acting")
    speed = run.request("speeds").values
    axes["b"].plot(run.time, speed[:, 1], label="driver")
    axes["b"].plot(run.time, 2 * speed[:, 2], label="driven, times 2")
    axes["b"].set(xlabel="s", ylabel="rad/s", title="speeds: teeth come 142 times a second", ylim=(45, 54))
    for above, name in ((True, "tight strand"), (False, "slack strand")):
        axes["c"].plot(run.time, ex.tension(run, above), label=name)
    axes["c"].axhline(ex.TORQUE / (0.5 * ex.PITCH / np.sin(np.pi / ex.TEETH[0])), color="k", ls=":", label="torque / radius")
    axes["c"].set(xlabel="s", ylabel="N", title="tension", ylim=(0, 450))
    for key in "bc":
        axes[key].grid(alpha=0.3)
        axes[key].legend()
    fig.savefig(HERE / "figures" / "chain_drive.png", dpi=90)


FIGURES = {f.__name__: f for f in (chain_drive,)}

if __name__ == "__main__":
    for name in sys.argv[1:] or FIGURES:
        FIGURES[name]()
