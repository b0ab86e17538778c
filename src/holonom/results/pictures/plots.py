"""Standard figures: motions of parts, reactions, forces, requests, energy audit, solver steps.

Every function returns a ``matplotlib.figure.Figure`` drawn off screen (no pyplot state); `save_all` writes the standard
set.  Of many curves the ``top`` with the largest range are drawn and the legend states how many are not.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...model import ModelError
from ...model.base import shown
from ...model.kinds import is_number
from ..audit import audit
from ..files.export import folder_of, safe_name
from ..quantities import XYZ, quantities
from ..run import Run
from .figures import Figure, FigureCanvasAgg

#: Okabe and Ito (2008): distinguished with every kind of colour vision; the yellow is left out
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#444444")
DASHES = ("-", (0, (5, 2)), (0, (1.5, 1.5)))
GREY, REJECTED = "#888888", "#C1272D"
POINTS = 4000  # more per curve than any figure shows


def plot_parts(run: Run, parts: Sequence[Any] | None = None, quantity: str = "position", *, top: int = 7) -> Figure:
    """x, y, z of one quantity (position, velocity, acceleration, angular_velocity, angular_acceleration) of parts."""
    curves = {}
    for ref in run.data.bodies if parts is None else parts:
        view = run.part(f"{ref[0]}/{ref[1]}" if isinstance(ref, tuple) else ref)
        curves[view.name if view.name not in curves else f"{view.name} ({view.kind}/{view.id})"] = getattr(
            view, quantity
        )
    unit = next(iter(curves.values())).attrs["units"] if curves else ""
    chosen, left = _largest({name: v.values for name, v in curves.items()}, top)
    fig, axes = _figure(3, f"{quantity.replace('_', ' ')} of parts, ground axes", run)
    for k, ax in enumerate(axes):
        for n, (name, values) in enumerate(chosen.items()):
            _curve(ax, run.time, values[:, k], n, name)
        _label(ax, XYZ[k], unit)
    _side_legend(axes[0], f"+ {left} smaller" if left else None)
    return fig


def plot_reactions(run: Run, names: Sequence[Any] | None = None, *, top: int = 7) -> Figure:
    """Magnitude of force and torque of constraints on their I markers."""
    return _wrenches(run, "constraint", names, top, "reactions of constraints")


def plot_forces(run: Run, names: Sequence[Any] | None = None, *, top: int = 7) -> Figure:
    """Magnitude of force and torque of applied forces on their I markers."""
    return _wrenches(run, "force", names, top, "applied forces")


def plot_request(run: Run, reference: Any) -> Figure:
    """The components of one request, one panel for each unit; components that are always zero are omitted."""
    values = run.request(reference)
    by_unit: dict[str, list[int]] = {}
    for k, unit in enumerate(values.units.values):
        if np.any(np.nan_to_num(values.values[:, k])):
            by_unit.setdefault(str(unit), []).append(k)
    by_unit = by_unit or {"": [1]}
    title = f"request {values.name}" + (f": {values.attrs['title']}" if "title" in values.attrs else "")
    fig, axes = _figure(len(by_unit), title, run)
    for ax, (unit, columns) in zip(axes, by_unit.items()):
        for n, k in enumerate(columns):
            _curve(ax, run.time, values.values[:, k], n, str(values.component.values[k]))
        _label(ax, "value", unit)
        _side_legend(ax)
    return fig


def plot_phase(run: Run, x: str, y: str | Sequence[str]) -> Figure:
    """Curves over another curve instead of over time: ``plot_phase(run, "HINGE.angle", "HINGE.angular_velocity")``;
    names are those of `Run.curve`.

    A dot marks the start, a ring the end.  Raises ModelError for unknown names, for vectors, and for curves of ``y`` in
    different units.
    """
    names = [y] if isinstance(y, str) else list(y)
    across, up = run.curve(x), [run.curve(n) for n in names]
    for c in (across, *up):
        if c.ndim > 1:
            raise ModelError(f"'{c.name}' has components: choose one, as '{c.name}.{c.component.values[0]}'")
    units = {str(c.attrs.get("units", "")) for c in up}
    if len(units) > 1:
        raise ModelError(f"one axis cannot hold {' and '.join(sorted(units))}: draw these curves one by one")
    fig, (ax,) = _figure(1, f"{', '.join(str(c.name) for c in up)} over {across.name}"[:90], run)
    for n, c in enumerate(up):
        colour = COLOURS[n % len(COLOURS)]
        ax.plot(across.values, c.values, color=colour, lw=1.2, label=str(c.name).lstrip("_") or "?")
        ax.plot(across.values[:1], c.values[:1], "o", color=colour, ms=5)
        ax.plot(across.values[-1:], c.values[-1:], "o", mfc="none", color=colour, ms=6)
    fig.set_size_inches(7.2, 5.4)
    ax.autoscale()
    ax.set_xlim(auto=True)
    ax.relim()
    ax.autoscale_view()
    ax.set_xlabel(f"{across.name} [{_pretty(str(across.attrs.get('units', '')))}]", fontsize=9.5)
    _label(ax, str(up[0].name) if len(up) == 1 else "value", units.pop() if units else "")
    if len(up) > 1:
        _side_legend(ax)
    return fig


def plot_energy(run: Run) -> Figure:
    """Energies over time, and below them the residual of the energy audit of each dynamic analysis."""
    found, unit = audit(run), "J"
    fig, (upper, lower) = _figure(2, "energy", run, ratios=(2, 1))
    for n, name in enumerate(("kinetic", "gravity", "elastic", "dissipated", "input")):
        if name in run.energy and np.isfinite(run.energy[name]).any():
            _curve(upper, run.time, run.energy[name].values, n, name)
    upper.plot(*_thin(run.time, run.energy["total"].values), color="black", lw=1.8, label="total (stored)", zorder=3)
    _label(upper, "energy", unit)
    known = [s for s in found.segments if not np.isnan(s.max_residual)]
    for s in known:
        color = COLOURS[1] if found.conclusive else GREY
        lower.plot(*_thin(s.time, s.residual), color=color, lw=1.2)
    what = "imbalance" if any(s.works_recorded for s in known) else "drift" if found.conclusive else "change"
    _label(lower, what, unit)
    lower.axhline(0, color="black", lw=0.6)
    if known and found.conclusive:
        text = f"largest {found.relative:.2g} of the swing {max(s.scale for s in known):.3g} {_pretty(unit)}"
    elif known:
        text = "works not recorded: no verdict"
    else:
        text = "no dynamic analysis with recorded energies"
    lower.set_title(text, fontsize=8.5, loc="right", color=GREY)
    _side_legend(upper)
    return fig


def plot_steps(run: Run) -> Figure:
    """Step size (rejected steps marked by cause), order, and corrector iterations of the solver, over model time."""
    h = run.history
    fig, (upper, middle, lower) = _figure(3, "solver steps", run, ratios=(2, 1, 1))
    good = h["cause"] == ""
    ok = h[good]
    if len(ok):
        stride = slice(None, None, max(1, len(ok) // (4 * POINTS)))
        upper.plot(
            ok["time"][stride], ok["step"][stride], color=COLOURS[0], lw=0.9, drawstyle="steps-pre", label="accepted"
        )
        _counts(middle, ok["time"], ok["order"])
        _counts(lower, ok["time"], ok["iterations"])
    causes, counts = np.unique(h["cause"][~good], return_counts=True)
    order = np.argsort(-counts)
    for n, k in enumerate(order[:5]):
        bad = h[h["cause"] == causes[k]]
        marker, color = "xv^s+"[n], (REJECTED, *COLOURS[1:])[n]
        label = f"rejected: {causes[k]} ({counts[k]})"
        upper.plot(bad["time"], bad["step"], marker, color=color, ms=4, mew=1.1, ls="none", label=label)
    if len(h) and np.all(h["step"] > 0):
        upper.set_yscale("log")
    _label(upper, "step", run.units("time"))
    for ax, name in ((middle, "order"), (lower, "iterations")):
        _label(ax, name, "")
        ax.yaxis.get_major_locator().set_params(integer=True)
        low, high = ax.get_ylim()
        ax.set_ylim(min(low, 0), max(high, 1) * 1.05)
    more = int(counts[order[5:]].sum()) if len(order) > 5 else 0
    _side_legend(upper, f"+ {more} of {len(order) - 5} more causes" if more else None)
    return fig


def _is_element(run: Run, name: str) -> bool:
    try:
        run[name]
    except (ModelError, AttributeError):
        return False
    return True


def save_all(run: Run, folder, *, dpi: int = 130) -> list[Path]:
    """Write the standard figures (those that have something to show) as PNG files; returns their paths.

    Raises ModelError when the folder cannot be written, or is the name of a quantity.
    """
    if isinstance(folder, str) and "." in folder and _is_element(run, folder.rsplit(".", 1)[0]):
        name, quantity = folder.rsplit(".", 1)
        raise ModelError(
            f"plot writes the standard figures into a folder, and {folder!r} is a quantity; for its curve write "
            f"run[{name!r}].{quantity}.plot(), for the figures run.plot('figures')"
        )
    folder = folder_of(folder, "plot")
    if not is_number(dpi) or not 10 <= dpi <= 2000:
        raise ModelError(f"dpi is {shown(dpi)}; give a number from 10 to 2000")
    d = run.data
    figures: dict[str, Any] = {}
    if d.bodies:
        for what in ("position", "velocity"):
            figures[f"parts_{what}"] = lambda what=what: plot_parts(run, quantity=what)
    if d.constraints:
        figures["reactions"] = lambda: plot_reactions(run)
    if d.forces:
        figures["forces"] = lambda: plot_forces(run)
    if np.isfinite(d.energy_kinetic).any():
        figures["energy"] = lambda: plot_energy(run)
    if len(run.history):
        figures["steps"] = lambda: plot_steps(run)
    taken: set[str] = set(figures)
    for key in d.requests[:50]:
        figures[safe_name(f"request_{key[2]}", taken)] = lambda key=key: plot_request(run, f"{key[0]}/{key[1]}")
    paths = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, make in figures.items():
            path = folder / f"{name}.png"
            make().savefig(path, dpi=dpi)
            paths.append(path)
    except OSError as problem:
        raise ModelError(f"cannot write figures to '{folder}': {problem.strerror or problem}") from None
    return paths


# ---- pieces ---------------------------------------------------------------------------------------------------------
def _counts(ax, t: np.ndarray, values: np.ndarray, bins: int = 300) -> None:
    """Whole numbers per step; of many steps the mean of each stretch of time over a band from the smallest to the
    largest."""
    if len(t) <= 4 * bins:
        ax.plot(t, values, color=COLOURS[0], lw=0.9, drawstyle="steps-pre")
        return
    rows = np.unique(np.searchsorted(t, np.linspace(t[0], t[-1], bins, endpoint=False)))
    low, high = np.minimum.reduceat(values, rows), np.maximum.reduceat(values, rows)
    mean = np.add.reduceat(values, rows) / np.diff([*rows, len(values)])
    ax.fill_between(t[rows], low, high, step="post", color=COLOURS[4], alpha=0.35, lw=0, label="least to largest")
    ax.plot(t[rows], mean, color=COLOURS[0], lw=1.1, drawstyle="steps-post", label="mean")
    _side_legend(ax)


def _wrenches(run: Run, table: str, names, top: int, title: str) -> Figure:
    if names is not None:
        view = run.constraint if table == "constraint" else run.force
        keys = [view(n).key for n in names]
    else:
        keys = getattr(run.data, f"{table}s")
    sizes: dict[str, dict[str, np.ndarray]] = {"force": {}, "torque": {}}
    for q in quantities(run, attitude=False):
        name, _, what = q.name.rpartition(".")
        if q.table == table and q.owner in keys and what in sizes:
            sizes[what][name] = np.linalg.norm(q.values, axis=1)[:, None]
    fig, axes = _figure(2, f"{title}, size on the I marker", run)
    for ax, what in zip(axes, ("force", "torque")):
        chosen, left = _largest(sizes[what], top)
        for n, (name, values) in enumerate(chosen.items()):
            _curve(ax, run.time, values[:, 0], n, name)
        _label(ax, what, run.units(what))
        _side_legend(ax, f"+ {left} smaller" if left else None)
    return fig


def _largest(curves: dict[str, np.ndarray], top: int) -> tuple[dict[str, np.ndarray], int]:
    """The ``top`` curves (nt, k) of largest range, in their first order, and how many are left out."""

    def swing(values: np.ndarray) -> float:
        if not np.isfinite(values).any():
            return -1.0
        columns = values[:, np.isfinite(values).any(axis=0)]
        return float(np.max(np.nanmax(columns, axis=0) - np.nanmin(columns, axis=0)))

    if len(curves) <= top:
        return curves, 0
    best = set(sorted(curves, key=lambda name: -swing(curves[name]))[:top])
    return {name: v for name, v in curves.items() if name in best}, len(curves) - top


def _figure(rows: int, title: str, run: Run, ratios: Sequence[float] | None = None) -> tuple[Figure, list]:
    height = 1.1 + (1.75 if ratios is None else 1.6) * (rows if ratios is None else sum(ratios))
    fig = Figure(figsize=(9.6, min(max(height, 3.2), 11)), layout="constrained", facecolor="white")
    FigureCanvasAgg(fig)
    axes = fig.subplots(rows, 1, sharex=True, squeeze=False, height_ratios=ratios)[:, 0]
    fig.suptitle(f"{run.model.name}: {title}", fontsize=11, fontweight="bold", x=0.01, ha="left")
    for ax in axes:
        ax.grid(color="#DDDDDD", lw=0.6)
        ax.set_axisbelow(True)
        ax.tick_params(labelsize=8.5)
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)
        ax.ticklabel_format(axis="y", useOffset=False, scilimits=(-3, 4))
    if len(run) > 1 and run.time[-1] > run.time[0]:
        axes[-1].set_xlim(run.time[0], run.time[-1])
    axes[-1].set_xlabel(f"time [{run.units('time')}]", fontsize=9.5)
    return fig, list(axes)


def _pretty(unit: str) -> str:
    return unit.replace("*", "·").replace("^2", "²")


def _label(ax, name: str, unit: str) -> None:
    ax.set_ylabel(f"{name} [{_pretty(unit)}]" if unit else name, fontsize=9.5)
    ax.yaxis.get_offset_text().set_fontsize(8)


def _thin(t: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """At most about POINTS points that keep every peak: the minimum and the maximum of each stretch."""
    if len(t) <= POINTS:
        return t, y
    size = -(-len(t) * 2 // POINTS)
    whole = len(t) // size * size
    filled = np.where(np.isfinite(y), y, 0.0)[:whole].reshape(-1, size)
    base = np.arange(0, whole, size)
    rows = np.unique(
        np.concatenate([[0], base + filled.argmin(axis=1), base + filled.argmax(axis=1), np.arange(whole, len(t))])
    )
    return t[rows], y[rows]


def _curve(ax, t: np.ndarray, y: np.ndarray, n: int, label: str) -> None:
    style = DASHES[n // len(COLOURS) % len(DASHES)]
    x, y = _thin(t, y)
    text = label if len(label) <= 28 else f"{label[:12]}…{label[-15:]}"
    single = {"marker": "o", "ms": 4} if len(x) == 1 else {}
    ax.plot(x, y, color=COLOURS[n % len(COLOURS)], ls=style, lw=1.3, label=text.lstrip("_") or "?", **single)


def _side_legend(ax, note: str | None = None) -> None:
    """Outside, to the right, so that it hides no curve; ``note`` as its last line."""
    handles, labels = ax.get_legend_handles_labels()
    if note:
        handles.append(ax.plot([], [], ls="none")[0])
        labels.append(note)
    if labels:
        ax.legend(
            handles,
            labels,
            loc="upper left",
            bbox_to_anchor=(1.005, 1.02),
            fontsize=8,
            frameon=False,
            handlelength=1.6,
            borderaxespad=0,
        )
