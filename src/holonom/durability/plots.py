"""Pictures: rainflow matrix, cumulative spectrum, S-N curve with cycles, loops at a notch, life on a mesh.

Each returns a ``matplotlib.figure.Figure`` drawn off screen, to be saved with ``savefig``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..model.base import ModelError
from ._words import word
from .counting import Cycles, Matrix
from .curves import SNCurve
from .mean_stress import MeanStress
from .strain_life import StrainLife

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from .fields import Life

#: Okabe and Ito (2008), as in the plots of results
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#444444")


def _figure(width: float = 6.4, height: float = 4.4) -> Any:
    from ..results.pictures.figures import Figure, FigureCanvasAgg

    fig = Figure(figsize=(width, height), layout="constrained", facecolor="white")
    FigureCanvasAgg(fig)
    return fig


def _axes(fig: Any, title: str) -> Any:
    ax = fig.subplots()
    ax.grid(color="#DDDDDD", lw=0.6)
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    if title:
        ax.set_title(title, fontsize=10.5, loc="left")
    return ax


def plot_matrix(matrix: Matrix | Cycles, *, unit: str = "", title: str = "") -> Figure:
    """Heat map of a rainflow matrix (of cycles: from and to, 32 classes), counts on a logarithmic scale."""
    from ..results.pictures.figures import LogNorm

    m = matrix.from_to() if isinstance(matrix, Cycles) else matrix
    fig = _figure()
    ax = _axes(fig, title)
    ax.grid(False)
    counts = np.ma.masked_less_equal(m.counts, 0.0)
    if not counts.count():
        raise ModelError("this matrix has no cycles to draw")
    low = float(counts.min())
    mesh = ax.pcolormesh(
        m.columns, m.rows, counts, cmap="viridis", norm=LogNorm(low, max(float(counts.max()), 2.0 * low))
    )
    bracket = f" [{unit}]" if unit else ""
    ax.set(xlabel=m.column_name + bracket, ylabel=m.row_name + bracket)
    fig.colorbar(mesh, ax=ax, label="cycles")
    return fig


def plot_spectrum(cycles: Cycles | Mapping[str, Cycles], *, unit: str = "", title: str = "") -> Figure:
    """Cumulative spectrum: range over the number of cycles that are as large or larger; of one load or several by
    name."""
    several = {"": cycles} if isinstance(cycles, Cycles) else dict(cycles)
    fig = _figure()
    ax = _axes(fig, title)
    for n, (name, c) in enumerate(several.items()):
        ranges, count = c.exceedance()
        ax.step(
            np.append(count[:1] if len(count) else [], count),
            np.append(ranges[:1], ranges),
            where="pre",
            color=COLOURS[n % len(COLOURS)],
            lw=1.5,
            label=name,
        )
    ax.set(xscale="log", xlabel="cycles of this range or a larger one", ylabel="range" + (f" [{unit}]" if unit else ""))
    ax.set_ylim(bottom=0.0)
    if len(several) > 1:
        ax.legend(frameon=False, fontsize=9)
    return fig


def plot_curve(
    curve: SNCurve,
    cycles: Cycles | None = None,
    *,
    mean: MeanStress | None = None,
    unit: str = "",
    title: str = "",
    repeats: float = 1.0,
) -> Figure:
    """S-N curve, and the ranges or amplitudes of cycles (corrected for their means) as steps over how often they are
    reached or passed in ``repeats`` passes."""
    fig = _figure()
    ax = _axes(fig, title or curve.name)
    n = [curve.cycles[0] / 1e3, *curve.cycles, curve.cycles[-1] * 1e2]
    stress = curve.strength(np.array(n))
    ax.plot(n, stress, color=COLOURS[0], lw=1.8, label="curve")
    ax.plot(curve.cycles, curve.stress, "o", color=COLOURS[0], ms=4)
    if cycles is not None and len(cycles):
        amplitude = cycles.amplitude
        if mean is not None:
            curve.mean_table(mean)
            amplitude = mean.equivalent(amplitude, cycles.mean, curve.ratio if curve.ratio is not None else -1.0)
        size = (2.0 if curve.kind == "range" else 1.0) * amplitude
        order = np.argsort(-size)
        count = np.cumsum(cycles.count[order]) * repeats
        ax.step(
            np.append(min(0.5, count[0]), count),
            np.append(size[order][0], size[order]),
            where="pre",
            color=COLOURS[1],
            lw=1.5,
            label="cycles, cumulative",
        )
        lowest = max(size[size > 0.0].min(initial=np.inf), stress.min() / 20.0)
        ax.set_ylim(bottom=min(stress.min() / 2.0, lowest))
    ax.set(
        xscale="log",
        yscale="log",
        xlabel="cycles",
        ylabel=f"{curve.kind} of the stress" + (f" [{unit}]" if unit else ""),
    )
    ax.legend(frameon=False, fontsize=9)
    return fig


def plot_loops(
    material: StrainLife, elastic: Any, residue: str = "repeat", *, unit: str = "", title: str = ""
) -> Figure:
    """Loops of stress over strain at a notch under a history of the elastic stress, and the cyclic curve."""
    loops = material.path(elastic, residue)
    fig = _figure()
    ax = _axes(fig, title)
    top = max(np.abs(loops.stress_low).max(initial=0.0), np.abs(loops.stress_high).max(initial=0.0))
    s = np.linspace(-top, top, 200)
    ax.plot(100.0 * material.strain(s), s, "--", color="#888888", lw=1.0, label="cyclic curve")
    for k in range(len(loops)):
        swing = loops.stress_high[k] - loops.stress_low[k]
        d = np.linspace(0.0, swing, 60)
        e = 2.0 * material.strain(0.5 * d)
        ax.plot(100.0 * (loops.strain_low[k] + e), loops.stress_low[k] + d, color=COLOURS[0], lw=1.1)
        if loops.count[k] == 1.0:
            ax.plot(100.0 * (loops.strain_high[k] - e), loops.stress_high[k] - d, color=COLOURS[0], lw=1.1)
    ax.set(xlabel="strain [%]", ylabel="stress" + (f" [{unit}]" if unit else ""))
    ax.legend(frameon=False, fontsize=9)
    return fig


def plot_life(
    life: Life,
    what: str = "life",
    *,
    title: str = "",
    unit: str = "passes",
    spots: int = 1,
    elevation: float = 25.0,
    azimuth: float = -60.0,
) -> Figure:
    """Faces of a mesh coloured by "life" or "damage" (logarithmic scale), or by "swing" (stress range), with the worst
    nodes marked.

    ``elevation``, ``azimuth``: view direction, degrees. Faces with infinite life are grey.  Raises `ModelError` where
    the nodes have no positions.
    """
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    from ..results.pictures.figures import LogNorm, Normalize, ScalarMappable

    word("quantity", what, ("life", "damage", "swing"))
    if life.points is None:
        raise ModelError("the nodes have no positions; give a ModalStress with points and faces")
    values = np.asarray(getattr(life, what), float)
    points = np.asarray(life.points, float)
    fig = _figure(7.2, 5.0)
    ax = fig.add_subplot(projection="3d")
    good = np.isfinite(values) & (values > 0.0)
    if not good.any():
        low, high = 0.5, 1.0
    else:
        low, high = float(values[good].min()), float(values[good].max())
    if what == "swing":
        norm: Any = Normalize(0.0, high)
    else:
        if what == "life":  # what lives a million times longer than the worst is as good as for ever
            high = min(high, 1e6 * low)
        else:
            low = max(low, 1e-6 * high)
        norm = LogNorm(low, high if high > low else 2.0 * low)
    colours = "turbo_r" if what == "life" else "turbo"
    from ..results.pictures.figures import matplotlib

    palette = matplotlib.colormaps[colours]

    def shade(v: np.ndarray) -> np.ndarray:
        out = palette(norm(np.clip(np.where(np.isfinite(v), v, high), low if what != "swing" else 0.0, high)))
        none = ~np.isfinite(v) if what == "life" else v <= 0.0
        out[none] = (0.85, 0.85, 0.85, 1.0)
        return out

    if len(life.faces):
        corners = values[life.faces]
        worst = corners.min(axis=1) if what == "life" else corners.max(axis=1)
        bodies = Poly3DCollection(
            points[life.faces], facecolors=shade(worst), edgecolors=(0, 0, 0, 0.15), linewidths=0.3
        )
        ax.add_collection3d(bodies)
    else:
        ax.scatter(*points.T, c=shade(values), s=12)
    for spot in life.hot_spots(spots):
        p = points[int(np.flatnonzero(life.nodes == spot["node"])[0])]
        ax.plot(*p[:, None], "o", mfc="none", mec="black", ms=9, mew=1.4, zorder=10)
        ax.text(*p, f"  {spot['node']}", fontsize=9, zorder=10)
    low_, high_ = points.min(axis=0), points.max(axis=0)
    size = np.maximum(high_ - low_, 1e-3 * (high_ - low_).max())
    ax.set(xlim=(low_[0], low_[0] + size[0]), ylim=(low_[1], low_[1] + size[1]), zlim=(low_[2], low_[2] + size[2]))
    ax.set_proj_type("ortho")
    ax.set_box_aspect(size / size.max(), zoom=1.0)
    ax.view_init(elevation, azimuth)
    ax.set_axis_off()
    ax.set_title(title or f"{what}, {life.method.replace('_', ' ')}", fontsize=10.5, loc="left")
    label = {"life": f"life [{unit}]", "damage": "damage a pass", "swing": "range of the stress"}[what]
    fig.colorbar(ScalarMappable(norm, palette), ax=ax, label=label, shrink=0.7)
    return fig
