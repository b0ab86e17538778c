"""Pictures of the scenes in rigid-examples.md: ``python docs/make_rigid_scenes.py [name ...]`` writes docs/figures/rigid_NAME.png."""

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
from holonom.results.geometry import build_look

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


SCENES = {"statics": statics}

if __name__ == "__main__":
    for each in sys.argv[1:] or SCENES:
        SCENES[each]()
