"""Figures of rigid-examples.md: ``python docs/make_rigid_examples.py [name ...]`` writes docs/figures/rigid_NAME.png."""

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


def run_of(ex, steps: int | None = None):
    return hn.simulate(ex.build(), end=ex.END, steps=steps or ex.STEPS, contact="time-stepping", step=ex.STEP)


def save(fig, name: str) -> None:
    fig.savefig(HERE / "figures" / f"rigid_{name}.png", dpi=80)


def slider_crank() -> None:
    ex = example("rigid_slider_crank")
    run = run_of(ex)
    fig, axes = plt.subplot_mosaic([["a", "a"], ["b", "c"]], figsize=(10, 6), layout="constrained", height_ratios=(0.9, 1))
    a = axes["a"]
    crank, rod, slider = (run.part(n) for n in ("crank", "rod", "slider"))
    for row, shade in ((12, 0.25), (24, 0.45), (36, 1.0)):
        ends = [view.position.values[row, :2] + s * view.axes.values[row][:2, 0] for view, s in ((crank, ex.CRANK / 2), (rod, ex.ROD / 2))]
        a.plot(*np.array([[0, 0], ends[0], ends[1]]).T, "o-", color="tab:blue", alpha=shade, lw=3)
        x, y = slider.position.values[row, :2]
        a.add_patch(plt.Rectangle((x - ex.LENGTH, y - ex.HEIGHT), 2 * ex.LENGTH, 2 * ex.HEIGHT, fc="tab:orange", ec="0.3", alpha=shade))
    for s in (1, -1):
        edge = s * (ex.HEIGHT + ex.CLEARANCE)
        a.fill_between([0.25, 0.55], edge, edge + s * 0.01, color="0.6")
    a.set(
        aspect="equal",
        xlim=(-0.05, 0.55),
        ylim=(-0.06, 0.17),
        title=f"after {1e3 * run.time[12]:.1f}, {1e3 * run.time[24]:.1f} and {1e3 * run.time[36]:.1f} ms",
    )
    y = 1e3 * slider.position.values[:, 1]
    for key, part in (("b", run.time <= 0.02), ("c", run.time >= 0)):
        axes[key].plot(1e3 * run.time[part], y[part], lw=0.9)
        axes[key].set(xlabel="ms", ylabel="height of the slider, mm", ylim=(-1.1, 1.1))
        axes[key].grid(alpha=0.3)
    axes["b"].set(title="the guides are at 1 and -1 mm")
    twin = axes["c"].twinx()
    twin.plot(1e3 * run.time, crank.angular_velocity.values[:, 2], color="tab:red", lw=0.9)
    twin.set(ylabel="crank, rad/s", ylim=(0, 160))
    save(fig, "slider_crank")


def woodpecker() -> None:
    ex = example("woodpecker")
    run = run_of(ex)
    fig, axes = plt.subplots(1, 3, figsize=(11, 4.5), layout="constrained", width_ratios=(0.6, 1, 1))
    sleeve, bird, tilt, rows = run.part("sleeve"), run.part("bird"), ex.angles(run), ex.pecks(run)
    a, mm = axes[0], 1e3
    a.fill_betweenx([-200, 60], -mm * ex.POLE, mm * ex.POLE, color="0.7")
    for row in (0, rows[1] - 500, rows[3]):
        place = lambda part, points, row=row: mm * (part.position.values[row] + np.array(points) @ part.axes.values[row].T)[:, [0, 2]]
        for s in (1, -1):
            a.plot(*place(sleeve, [(s * ex.SLEEVE, 0, -ex.HALF), (s * ex.SLEEVE, 0, ex.HALF)]).T, color="tab:red", lw=3)
        a.plot(*np.vstack([place(sleeve, [(ex.SLEEVE, 0, 0), (ex.ARM, 0, 0)]), place(bird, [(0, 0, 0)])]).T, "o-", color="0.3", ms=3)
        beak = (-ex.BEAK[0], 0, ex.BEAK[1])
        a.plot(*place(bird, [(-0.004, 0, -0.02), (0, 0, 0.015), beak]).T, color="tab:blue", lw=3)
    a.set(aspect="equal", xlim=(-8, 36), ylim=(-85, 32), xlabel="mm", ylabel="mm")
    axes[1].plot(run.time, mm * sleeve.position.values[:, 2])
    axes[1].plot(run.time[rows], mm * sleeve.position.values[rows, 2], "v", color="k", label="pecks")
    axes[1].set(xlabel="s", ylabel="height of the sleeve, mm")
    axes[1].legend()
    axes[2].plot(tilt[:, 1], -bird.angular_velocity.values[:, 1], lw=0.8)
    axes[2].set(xlabel="angle of the bird, rad", ylabel="its rate, rad/s", title="limit cycle")
    for axis in axes[1:]:
        axis.grid(alpha=0.3)
    save(fig, "woodpecker")


FIGURES = {f.__name__: f for f in (slider_crank, woodpecker)}

if __name__ == "__main__":
    for name in sys.argv[1:] or FIGURES:
        FIGURES[name]()
