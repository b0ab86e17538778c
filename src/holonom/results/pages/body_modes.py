"""Animated modes of a reduced body, each with its frequency: a page that opens without a network connection, or a
picture."""

from __future__ import annotations

import html
from pathlib import Path
from typing import Any

import numpy as np

from ...model import Model, ModelError
from ...model.reduced_body import ReducedBody
from .._data import RunData, Segment
from ..pictures.flexible_surface import Surface, surface
from ..run import Run
from .animation import fill, scene, template, viewer, write_page
from .report import html_table

PERIOD = 2.0  # units of time that a period takes on the page
MOST = 12  # viewers on a page: browsers give no more than some sixteen pictures by WebGL
LARGEST = 0.1  # displacement of a mode in the page, of the size of the body
TURN = 0.6  # radians, if that is less


def show_modes(
    body: ReducedBody,
    path: str | Path,
    *,
    modes: int = 6,
    title: str = "",
    renderer: str = "auto",
    frequency: str = "",
) -> Path:
    """Write the first ``modes`` mode shapes of ``body`` with their frequencies: a page (.html) or a picture (.png,
    .svg, .pdf). Colours show the displacement, or in the page the von Mises stress where it is known; amplitudes are
    arbitrary.

    ``frequency``: unit of frequencies over 2 pi (default "1/time": "Hz" where time is in seconds).  Raises `ModelError`
    for another ending and for no modes.
    """
    path = Path(path)
    if not isinstance(body, ReducedBody):
        raise ModelError(
            f"{type(body).__name__} is not a reduced body; give what holonom.flexible.reduce returns, or "
            f"flexibility.body"
        )
    if not isinstance(modes, int) or modes < 1:
        raise ModelError(f"modes = {modes!r}; request one at least")
    for text in body.faults():
        raise ModelError(f"the body cannot be shown: {text}")
    count, kind = min(modes, body.modes), path.suffix.lower()
    unit = frequency or "1/time"
    name = title or "Modes of a free body"
    try:
        if kind in (".html", ".htm"):
            return _page(body, path, min(count, MOST), name, renderer, unit)
        if kind in (".png", ".svg", ".pdf"):
            return _picture(body, path, count, name, unit)
    except OSError as error:
        raise ModelError(f"'{path}' cannot be written: {error}") from None
    raise ModelError(f"'{path}' ends in {kind or 'nothing'}; give a path that ends in .html, or in .png, .svg or .pdf")


def _one(body: ReducedBody) -> tuple[Model, Any]:
    """A model of the body alone."""
    model = Model("modes")
    model.gravity = (0.0, 0.0, 0.0)
    part = model.part("body", mass=1.0, inertia=(1, 1, 1), position=(0, 0, 0))
    element = model.make_flexible(part, body)
    model.warnings.clear()
    return model, element


def _amplitude(element: Any, s: Surface, mode: int) -> float:
    """Coordinate of a mode at which its largest displacement is LARGEST of the size of the body, or its largest turn
    TURN."""
    size = float(np.linalg.norm(np.ptp(element.points, axis=0))) or 1.0
    way = np.linalg.norm(s.shapes[:, :, mode], axis=1).max(initial=0.0)
    turn = np.linalg.norm(element.body.shapes[:, 3:, mode], axis=1).max(initial=0.0)
    return min(LARGEST * size / way if way > 0.0 else np.inf, TURN / turn if turn > 0.0 else np.inf, 1e300)


def _run(model: Model, element: Any, mode: int, frames: int = 33) -> Run:
    """A period of a mode."""
    time = np.linspace(0.0, PERIOD, frames)
    phase = 2 * np.pi * time / PERIOD
    values = np.zeros((frames, 2 * element.modes))
    part = model.table("PART")[element.part]
    centre = np.asarray(model.table("MARKER")[part.cm].qp, float)
    values[:, 2 * mode] = _amplitude(element, surface(element, centre), mode) * np.sin(phase)
    data = RunData(
        time=time,
        bodies=[part],
        body_position=np.tile(centre, (frames, 1, 1)),
        body_quaternion=np.tile([1.0, 0, 0, 0], (frames, 1, 1)),
        states=[f"FLEXIBILITY_{element.id}[{k}]" for k in range(2 * element.modes)],
        state_values=values,
        segments=[Segment("linear", 0, frames, {"mode": mode + 1})],
    )
    return Run._of_kept(model, data)


def _page(body: ReducedBody, path: Path, count: int, name: str, renderer: str, unit: str) -> Path:
    model, element = _one(body)
    rows = [(k + 1, float(w / (2 * np.pi)), float(w)) for k, w in enumerate(body.frequency)]
    sections = [
        (
            "Frequencies",
            html_table(
                ("Mode", f"Frequency ({unit})", "rad/time"),
                rows,
                "Modes of the free body, mass-orthonormal, rigid motions left out.",
            ),
        )
    ]
    for k in range(count):
        data = scene(_run(model, element, k))
        show = viewer(data, renderer=renderer, ident=f"holonom-mode-{k + 1}")
        if k:  # the code of the viewer is on the page already
            show = show[: show.index("</script>") + len("</script>")]
        show = show.replace("data-holonom-viewer", 'data-holonom-viewer data-wheel="focus"', 1)
        words = (
            f"{body.frequency[k] / (2 * np.pi):.6g} {unit}; shown with a period of {PERIOD:g} and its amplitude "
            "enlarged"
        )
        sections.append((f"Mode {k + 1}", f"<p class=note>{html.escape(words)}</p>{show}"))
    ident = lambda heading: heading.lower().replace(" ", "-")
    text = "\n".join(
        f'<section id="{ident(h)}"><h2>{html.escape(h)}</h2>\n{content}\n</section>' for h, content in sections
    )
    lead = f"{len(body.nodes)} nodes, {body.modes} modes, mass {body.mass:.6g} in force time²/length"
    page = fill(
        template("report.html"),
        title=html.escape(name),
        style=template("viewer.css") + template("report.css"),
        lead=f"<p class=lead>{html.escape(lead)}</p>",
        links="".join(f'<a href="#{ident(h)}">{html.escape(h)}</a>' for h, _ in sections),
        body=text,
        data="",
        foot="Holonom",
    )
    return write_page(path, page)


def _picture(body: ReducedBody, path: Path, count: int, name: str, unit: str) -> Path:
    from ..pictures.figures import Figure

    _, element = _one(body)
    s = surface(element, np.zeros(3))
    columns = min(count, 3)
    rows = -(-count // columns)
    figure = Figure(figsize=(4.2 * columns, 3.4 * rows), layout="constrained")
    for k in range(count):
        ax = figure.add_subplot(rows, columns, k + 1, projection="3d")
        q = np.zeros(element.modes)
        q[k] = _amplitude(element, s, k)
        draw(ax, s, q, np.linalg.norm(s.shapes @ q, axis=1))
        ax.set_title(f"mode {k + 1}: {body.frequency[k] / (2 * np.pi):.5g} {unit}", fontsize=10, parse_math=False)
    figure.suptitle(name, parse_math=False)
    figure.savefig(path, dpi=110)
    return path


def draw(ax: Any, s: Surface, q: np.ndarray, values: np.ndarray, top: float | None = None, ghost: bool = True) -> Any:
    """A bent surface on a 3D axes of Matplotlib, with colours by ``values`` (v,) from 0 to ``top``; returns what a
    colour bar takes."""
    from mpl_toolkits.mplot3d.art3d import Line3DCollection, Poly3DCollection

    from ..pictures.figures import Normalize, ScalarMappable, colormaps

    at = s.displaced(np.asarray(q, float))
    scale = ScalarMappable(Normalize(0.0, top or float(np.nanmax(values, initial=0.0)) or 1.0), colormaps["turbo"])
    values = np.nan_to_num(values)
    if len(s.triangles):
        faces = Poly3DCollection(
            at[s.triangles],
            facecolors=scale.to_rgba(values[s.triangles].mean(axis=1)),
            linewidths=0.2,
            edgecolors=(0, 0, 0, 0.25),
        )
        ax.add_collection3d(faces)
        if ghost:
            ax.add_collection3d(
                Poly3DCollection(s.points[s.triangles], facecolors=(0.5, 0.55, 0.6, 0.06), linewidths=0)
            )
    else:
        ax.add_collection3d(
            Line3DCollection(at[s.lines], colors=scale.to_rgba(values[s.lines].mean(axis=1)), linewidths=2)
        )
        if ghost:
            ax.add_collection3d(Line3DCollection(s.points[s.lines], colors=(0.5, 0.55, 0.6, 0.5), linewidths=0.8))
    both = np.vstack([at, s.points])
    middle, half = 0.5 * (both.min(0) + both.max(0)), 0.5 * float(np.ptp(both, axis=0).max()) or 1.0
    span = np.maximum(np.ptp(both, axis=0) / (2 * half), 0.3)
    for c, name in enumerate("xyz"):
        getattr(ax, f"set_{name}lim")(middle[c] - half * span[c], middle[c] + half * span[c])
    ax.set_box_aspect(span, zoom=1.1)
    ax.set_axis_off()
    return scale
