"""A mesh in colours, by Matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..flexible.cells import triangles as cut

if TYPE_CHECKING:
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection


def draw(
    T: Any,
    path: Any,
    row: int,
    displacement: Any,
    scale: float,
    ax: Any,
    label: str,
    view: Any,
    limits: Any,
    where: Any,
) -> Poly3DCollection:
    """`Temperatures.picture`."""
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    from ..results.pictures.figures import Figure

    heat = T.conduction
    points = heat.mesh.points if displacement is None else heat.mesh.points + scale * np.asarray(displacement, float)
    faces = heat._boundary
    if where is not None:
        faces = {}
        for f in heat.faces(where):
            faces[f.kind] = np.vstack([faces[f.kind], f.nodes]) if f.kind in faces else f.nodes
    triangles = cut(list(faces.values()))
    values = T.values[row][triangles].mean(1)
    figure = None
    if ax is None:
        figure = Figure(figsize=(7, 4.5), layout="constrained")
        ax = figure.add_subplot(projection="3d")
    out = Poly3DCollection(points[triangles], cmap="inferno", linewidths=0.0, antialiased=False)
    out.set_array(values)
    low, high = (float(values.min()), float(values.max())) if limits is None else limits
    out.set_clim(low, high if high > low else low + 1.0)
    ax.add_collection3d(out)
    used = points[np.unique(triangles)]
    centre, reach = 0.5 * (used.min(0) + used.max(0)), 0.5 * np.ptp(used, axis=0)
    reach = np.maximum(reach, 0.02 * reach.max())
    ax.set(
        xlim=(centre[0] - reach[0], centre[0] + reach[0]),
        ylim=(centre[1] - reach[1], centre[1] + reach[1]),
        zlim=(centre[2] - reach[2], centre[2] + reach[2]),
    )
    ax.set_box_aspect(tuple(reach))
    ax.view_init(*view)
    ax.set_axis_off()
    ax.figure.colorbar(out, ax=ax, shrink=0.7, label=label)
    if path is not None:
        ax.figure.savefig(path, dpi=120)
    return out
