"""Pictures of shapes in contact-shapes.md: ``python docs/make_shapes.py`` writes docs/figures/rounded_box.png and
height_field.png."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import holonom as hn
from holonom.model.shape import shape_of
from holonom.model.shape_kinds import shape_kind

FIGURES = Path(__file__).parent / "figures"
LIGHT = np.array([0.1, -0.5, 0.8]) / np.linalg.norm([0.1, -0.5, 0.8])


def rounded_boxes() -> hn.Model:
    """The same box with three radii."""
    m = hn.Model()
    for k, radius in enumerate((0.02, 0.06, 0.099)):
        m.rounded_box(m.ground, (0.5 * k, 0, 0), (0.4, 0.3, 0.2), radius)
    return m


def fields() -> hn.Model:
    """Ground with a thickness, and a sheet with two sides."""
    m = hn.Model()
    x = np.linspace(0, 2 * np.pi, 25)
    waves = 0.06 * np.sin(x)[:, None] * np.cos(0.5 * x)[None, :]
    m.height_field(m.ground, waves, 0.04, thickness=0.12)
    m.height_field(m.ground, waves, 0.04, at=(1.25, 0, 0), thickness=0.02, two_sided=True)
    return m


def draw(model: hn.Model, name: str, colors: tuple[str, ...], labels: tuple[str, ...]) -> Path:
    """All shapes of a model side by side in one picture, seen from above at an angle, each triangle shaded by its
    normal."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.collections import PolyCollection
    from matplotlib.colors import to_rgb

    elevation, azimuth = np.radians((25.0, -62.0))
    toward = np.array([np.cos(elevation) * np.cos(azimuth), np.cos(elevation) * np.sin(azimuth), np.sin(elevation)])
    across = np.array([-np.sin(azimuth), np.cos(azimuth), 0.0])
    view = np.column_stack([across, np.cross(toward, across)])
    graphics = list(model.table("GRAPHICS").values())
    figure, panels = plt.subplots(1, len(graphics), figsize=(8.0, 2.6), dpi=110)
    for k, (graphic, axes) in enumerate(zip(graphics, panels)):
        solid = shape_of(model, graphic)
        points, triangles = shape_kind(solid.kind).triangles(solid)
        corners = points[triangles]
        normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        normal /= np.maximum(np.linalg.norm(normal, axis=1), 1e-12)[:, None]
        seen = normal @ toward > 0.0
        order = np.flatnonzero(seen)[np.argsort(corners[seen].mean(axis=1) @ toward)]
        shade = 0.5 + 0.5 * np.clip(normal[order] @ LIGHT, 0, 1)
        color = shade[:, None] * np.array(to_rgb(colors[k % len(colors)]))
        axes.add_collection(PolyCollection(corners[order] @ view, facecolors=color, edgecolors=color, linewidths=0.3))
        axes.autoscale_view()
        axes.set_aspect("equal")
        axes.set_axis_off()
        axes.set_title(labels[k], y=-0.12, fontsize=9)
    figure.tight_layout()
    path = FIGURES / name
    figure.savefig(path, metadata={"Software": None})
    plt.close(figure)
    return path


if __name__ == "__main__":
    print(draw(rounded_boxes(), "rounded_box.png", ("#4b7ebd",), ("radius = 0.02", "radius = 0.06", "radius = 0.099")))
    print(
        draw(
            fields(),
            "height_field.png",
            ("#6f9a57", "#c78a3f"),
            ("thickness = 0.12", "thickness = 0.02, two_sided = True"),
        )
    )
