"""Pictures of the scenes in rigid-examples.md: ``python docs/make_rigid_scenes.py [name ...]`` writes
docs/figures/rigid_NAME.png."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from mpl_toolkits.mplot3d.art3d import Poly3DCollection

import holonom as hn
from holonom.results.pictures.geometry import build_look

HERE = Path(__file__).resolve().parent


def example(name: str):
    spec = importlib.util.spec_from_file_location(name, HERE.parent / "examples" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def paint(axis, run, row: int, colours, view=(18, -65), skip=(), zoom=1.3) -> None:
    """The shapes of the model's bodies at a row of the run; ``colours``: of a body by its name."""
    light = np.array([0.4, -0.7, 0.8]) / np.linalg.norm([0.4, -0.7, 0.8])
    faces, shades = [], []
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    look = build_look(run.model)
    for shape in look.shapes:
        name = look.bodies.get(shape.body, "")
        if name not in run.bodies or name in skip:
            continue
        part = run.part(name)
        A, p = part.axes.values[row], part.position.values[row]
        vertices = np.asarray(shape.points, float) @ A.T + p
        low, high = np.minimum(low, vertices.min(0)), np.maximum(high, vertices.max(0))
        triangles = vertices[np.asarray(shape.triangles)]
        normal = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
        normal /= np.maximum(np.linalg.norm(normal, axis=1), 1e-30)[:, None]
        faces += list(triangles)
        base = np.array(matplotlib.colors.to_rgb(colours(name)))
        shades += [tuple(np.clip(base * (0.65 + 0.35 * s), 0, 1)) for s in normal @ light]
    axis.add_collection3d(Poly3DCollection(faces, facecolors=shades, edgecolors=shades, linewidths=0.2))
    axis.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), zlim=(min(low[2], 0), high[2]))
    axis.set_box_aspect(np.maximum(high - low, 1e-3), zoom=zoom)
    axis.view_init(*view)
    axis.set_axis_off()


def save(fig, name: str) -> None:
    fig.savefig(HERE / "figures" / f"rigid_{name}.png", dpi=80)


def statics() -> None:
    fig = plt.figure(figsize=(9, 4))
    for k, (name, colour) in enumerate(
        (("card_house", lambda n: "#f3e9d2" if "lying" in n else "#d8a48f"), ("box_stack", lambda n: "#c9a26d"))
    ):
        ex = example(name)
        run = hn.simulate(ex.build(), 0.1, 2, contact="time-stepping", step=ex.STEP)
        paint(fig.add_subplot(1, 2, k + 1, projection="3d"), run, -1, colour, (12, -70))
    save(fig, "statics")


def dominoes() -> None:
    ex = example("dominoes")
    model = ex.build()
    model.rigid.solver = "NSGS"
    run = hn.simulate(model, 0.45, 450, contact="time-stepping", step=ex.STEP)
    fig = plt.figure(figsize=(10, 3.6), layout="constrained")
    grid = fig.add_gridspec(1, 2, width_ratios=(1.5, 1))
    shade = plt.get_cmap("viridis")
    paint(
        fig.add_subplot(grid[0], projection="3d"),
        run,
        -1,
        lambda n: shade(int(n.split()[1]) / 22)[:3],
        (20, -60),
        zoom=1.15,
    )
    axis = fig.add_subplot(grid[1])
    spacing = np.linspace(0.014, 0.042, 15)
    half = ex.DOMINOES // 2
    theory = []
    for p in spacing:
        with np.errstate(invalid="ignore"):
            t = ex.ideal(p)
        theory.append((ex.DOMINOES - 2 - half) * p / (t[-2] - t[half]))
    axis.plot(1e3 * spacing, theory, label="theory, no friction between them")
    for p in (ex.PITCH, *ex.PITCHES):
        row = ex.build(p)
        row.rigid.solver = "NSGS"
        end = round(float(ex.ideal(p)[-1]) + 0.02, 3)
        axis.plot(
            1e3 * p,
            ex.speeds(hn.simulate(row, end, round(end / ex.STEP), contact="time-stepping", step=ex.STEP), p)[0],
            "o",
            color="C1",
        )
    axis.set(xlabel="spacing, mm", ylabel="speed of the wave, m/s", title="points: time-stepping")
    axis.grid(alpha=0.3)
    axis.legend(fontsize=8)
    save(fig, "dominoes")


def billiards() -> None:
    ex = example("billiards")
    run = ex.step_through(ex.build(), ex.END)
    fig, axes = plt.subplots(1, 2, figsize=(10, 2.9), layout="constrained")
    shade = plt.get_cmap("tab20")
    for axis, row in zip(axes, (0, -1)):
        axis.add_patch(
            plt.Rectangle((-ex.LENGTH / 2, -ex.BREADTH / 2), ex.LENGTH, ex.BREADTH, fc="#2e7d4f", ec="#5d4037", lw=5)
        )
        for k, name in enumerate(run.bodies):
            x = run.part(name).position.values
            axis.plot(*x[: row if row else 1, :2].T, color="w", lw=0.5, alpha=0.6)
            axis.add_patch(plt.Circle(x[row, :2], ex.RADIUS, color="w" if k == 0 else shade(k % 20), zorder=3))
        axis.set(aspect="equal", xlim=(-1.35, 1.35), ylim=(-0.7, 0.7), title=f"{run.time[row]:.1f} s")
        axis.set_axis_off()
    save(fig, "billiards")


SCENES = {"statics": statics, "dominoes": dominoes, "billiards": billiards}

if __name__ == "__main__":
    for each in sys.argv[1:] or SCENES:
        SCENES[each]()
