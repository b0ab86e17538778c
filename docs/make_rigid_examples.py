"""Figures of rigid-examples.md: ``python docs/make_rigid_examples.py [name ...]`` writes
docs/figures/rigid_NAME.png."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import LineCollection, PolyCollection

import holonom as hn
from holonom.results.pictures.geometry import build_look

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
    fig, axes = plt.subplot_mosaic(
        [["a", "a"], ["b", "c"]], figsize=(10, 6), layout="constrained", height_ratios=(0.9, 1)
    )
    a = axes["a"]
    crank, rod, slider = (run.part(n) for n in ("crank", "rod", "slider"))
    for row, shade in ((12, 0.25), (24, 0.45), (36, 1.0)):
        ends = [
            view.position.values[row, :2] + s * view.axes.values[row][:2, 0]
            for view, s in ((crank, ex.CRANK / 2), (rod, ex.ROD / 2))
        ]
        a.plot(*np.array([[0, 0], ends[0], ends[1]]).T, "o-", color="tab:blue", alpha=shade, lw=3)
        x, y = slider.position.values[row, :2]
        a.add_patch(
            plt.Rectangle(
                (x - ex.LENGTH, y - ex.HEIGHT), 2 * ex.LENGTH, 2 * ex.HEIGHT, fc="tab:orange", ec="0.3", alpha=shade
            )
        )
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
        place = lambda part, points, row=row: (
            mm * (part.position.values[row] + np.array(points) @ part.axes.values[row].T)[:, [0, 2]]
        )
        for s in (1, -1):
            a.plot(*place(sleeve, [(s * ex.SLEEVE, 0, -ex.HALF), (s * ex.SLEEVE, 0, ex.HALF)]).T, color="tab:red", lw=3)
        a.plot(
            *np.vstack([place(sleeve, [(ex.SLEEVE, 0, 0), (ex.ARM, 0, 0)]), place(bird, [(0, 0, 0)])]).T,
            "o-",
            color="0.3",
            ms=3,
        )
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


def rattleback() -> None:
    ex = example("rattleback")
    fig, (a, b) = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained", width_ratios=(1.4, 1))
    for spin, colour, name in ((-ex.SPIN, "tab:red", "turns back"), (ex.SPIN, "tab:blue", "the other way")):
        run = hn.simulate(ex.build(spin), end=ex.END, steps=1200, contact="time-stepping", step=ex.STEP)
        a.plot(run.time, ex.spin_of(run), color=colour, lw=1, label=name)
        if spin < 0:
            tip = run.part("stone").axes.values[:, 2, 0]
            b.plot(run.time, np.degrees(np.arcsin(tip)), color=colour, lw=0.6)
    a.axhline(0, color="0.5", lw=0.8)
    a.set(xlabel="s", ylabel="spin about the vertical, rad/s")
    a.legend()
    b.set(xlabel="s", ylabel="pitch of the long axis, degrees", title="rattling of the one that turns back")
    for axis in (a, b):
        axis.grid(alpha=0.3)
    save(fig, "rattleback")


def ball_in_bowl() -> None:
    ex = example("ball_in_bowl")
    run = run_of(ex)
    fig, axes = plt.subplots(1, 3, figsize=(11, 3.8), layout="constrained")
    a, b, c = axes
    place = run.part("runner").position.values
    rate = 2 / 7 * ex.TURN
    a.add_patch(plt.Circle((0, 0), 0.6, fc="0.93", ec="0.5"))
    a.add_patch(plt.Circle((ex.AWAY - ex.RUN / rate, 0), ex.RUN / rate, fill=False, ec="tab:orange", lw=4, alpha=0.5))
    a.plot(place[:, 0], place[:, 1], lw=1)
    a.add_patch(plt.Circle(place[-1, :2], ex.RADIUS, color="tab:blue"))
    a.set(aspect="equal", xlim=(-0.65, 0.65), ylim=(-0.65, 0.65), title="turntable from above; wide: 2/7 of its speed")
    b.add_patch(plt.Circle((0, 0), ex.BOWL, fc="0.93", ec="0.5"))
    for name, colour in (("still", "tab:green"), ("second", "tab:red")):
        x = run.part(name).position.values - [ex.APART, 0, 0]
        b.plot(x[:, 0], x[:, 1], lw=0.8, color=colour)
        b.add_patch(plt.Circle(x[-1, :2], ex.RADIUS, color=colour))
        up = np.degrees(np.arctan2(np.hypot(x[:, 0], x[:, 1]), ex.BOWL - x[:, 2]))
        c.plot(run.time, up, color=colour, label="turns with the bowl" if name == "still" else "runs through it")
    b.set(aspect="equal", xlim=(-0.27, 0.27), ylim=(-0.27, 0.27), title="bowl from above")
    c.axhline(np.degrees(ex.STILL), color="0.5", ls="--", lw=0.8)
    c.set(xlabel="s", ylabel="degrees up from the bottom", title="dashed: cos = g / (W$^2$ (R - a))")
    c.grid(alpha=0.3)
    c.legend()
    save(fig, "ball_in_bowl")


def geneva() -> None:
    ex = example("rigid_geneva")
    run = run_of(ex)
    look = build_look(run.model)
    fig, axes = plt.subplots(1, 4, figsize=(13, 3.6), layout="constrained", width_ratios=(1, 1, 1, 1.3))
    q = ex.compliant.SPEED * run.time - np.pi
    for axis, at in zip(axes, (-0.5 * np.pi, -0.2 * np.pi, 0.0)):
        row = int(np.argmin(np.abs(q - at)))
        for shape in look.shapes:
            name = look.bodies.get(shape.body, "")
            if name in run.bodies:
                part = run.part(name)
                corners = (np.asarray(shape.points, float) @ part.axes.values[row].T + part.position.values[row])[:, :2]
                colour = "tab:orange" if name == "wheel" else "tab:blue"
                if shape.triangles is None:
                    axis.add_collection(LineCollection(corners.reshape(-1, 2, 2), colors=colour, linewidths=1.2))
                else:
                    axis.add_collection(
                        PolyCollection(corners[shape.triangles], facecolors=colour, edgecolors=colour, linewidths=0.1)
                    )
        axis.autoscale()
        axis.set(aspect="equal", title=f"crank at {np.degrees(q[row]):.0f} degrees")
        axis.set_axis_off()
    x, y = ([v for axis in axes[:3] for v in get(axis)] for get in (plt.Axes.get_xlim, plt.Axes.get_ylim))
    for axis in axes[:3]:
        axis.set(xlim=(min(x), max(x)), ylim=(min(y), max(y)))
    b, _ = ex.compliant.ideal(q)
    turn = run.part("wheel").axes.values
    angle = np.unwrap(np.arctan2(turn[:, 1, 0], turn[:, 0, 0]))
    axes[3].plot(np.degrees(q), 1e3 * (angle + b + np.pi / 4), lw=0.9)
    axes[3].set(xlabel="crank, degrees", ylabel="wheel off its kinematic angle, mrad")
    axes[3].grid(alpha=0.3)
    save(fig, "geneva")


def impact_row() -> None:
    ex = example("impact_row")
    model = ex.build()
    model.rigid.tolerance = 1e-14
    run = hn.simulate(model, ex.END, ex.STEPS, contact="time-stepping", step=ex.STEP)
    fig, axes = plt.subplots(1, 3, figsize=(11, 3.4), layout="constrained", sharey=True)
    titles = {
        "touching": "touching, e = 1",
        "gaps": "gaps of 10 mm, e = 1",
        "growing": "gaps, each 1.5 times the last, e = 0.9",
    }
    for axis, name in zip(axes, ex.ROWS):
        for k in range(ex.BALLS):
            axis.plot(1e3 * run.time, run.part(f"{name} {k + 1}").velocity.values[:, 0], label=f"ball {k + 1}")
            axis.plot(1e3 * run.time[-1], ex.ideal(name)[k], "k_", ms=12)
        axis.set(xlabel="ms", title=titles[name])
        axis.grid(alpha=0.3)
    axes[0].set(ylabel="speed, m/s")
    axes[0].legend(fontsize=8)
    save(fig, "impact_row")


FIGURES = {f.__name__: f for f in (slider_crank, woodpecker, rattleback, ball_in_bowl, geneva, impact_row)}

if __name__ == "__main__":
    for name in sys.argv[1:] or FIGURES:
        FIGURES[name]()
