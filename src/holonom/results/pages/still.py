"""Pictures of curves that need no script: thinned, in whole pixels, as SVG in the colours of the page around them."""

from __future__ import annotations

import html
from collections.abc import Mapping
from typing import Any

import numpy as np

CURVE_POINTS = 1500
STILL = 120  # points of a curve in a picture that is at rest
COLOURS = ("#3b82d6", "#e07b2f", "#3fa45b", "#cf4d5b", "#8a6fd1", "#2aa3a3", "#b9860f", "#c768a8")  # those of plots.js


def kept_rows(y: np.ndarray, limit: int = CURVE_POINTS) -> np.ndarray:
    """Rows of a curve that looks the same with about ``limit`` points: minimum and maximum value of each piece are
    kept."""
    n = len(y)
    if n <= limit:
        return np.arange(n)
    size = -(-2 * n // max(2, limit))
    whole = n // size * size
    filled = np.where(np.isfinite(y), y, 0.0)[:whole].reshape(-1, size)
    base = np.arange(0, whole, size)
    return np.unique(
        np.concatenate([[0], base + filled.argmin(axis=1), base + filled.argmax(axis=1), np.arange(whole, n), [n - 1]])
    )


def thin(t: np.ndarray, y: np.ndarray, limit: int = CURVE_POINTS) -> tuple[np.ndarray, np.ndarray]:
    """A curve at its `kept_rows`."""
    rows = kept_rows(y, limit)
    return t[rows], y[rows]


def still_picture(
    plot: Mapping[str, Any],
    curves: Mapping[int, tuple[np.ndarray, np.ndarray]],
    start: float,
    end: float,
    second: str,
    size: tuple[int, int] = (520, 210),
) -> str:
    """SVG of a plot in whole numbers of pixels, ``size`` without the line of names below it."""
    (width, height), left, top = size, 8, 22
    drawn = [(k, name, *curves[n]) for k, (name, n) in enumerate(plot["curves"]) if n in curves]
    change = (lambda y: np.log10(np.where(y > 0, y, np.nan))) if plot.get("log") else (lambda y: y)
    values = [change(np.asarray(y, float)) for _, _, _, y in drawn]
    finite = np.concatenate([v[np.isfinite(v)] for v in values] or [np.zeros(0)])
    if not len(finite) or not end > start:
        return ""
    low, high = float(finite.min()), float(finite.max())
    span = (high - low) or abs(high) or 1.0
    back = (lambda v: 10.0**v) if plot.get("log") else (lambda v: v)
    word = lambda v: html.escape(f"{v:.4g}".replace("-", "−"))
    out = [
        f'<svg class="still" viewBox="0 0 {width} {height + 60}" role="img" '
        f'aria-label="{html.escape(plot["title"], quote=True)}">'
    ]
    out.append(
        f'<rect x="{left}" y="{top}" width="{width - 2 * left}" height="{height - top}" fill="none" '
        'stroke="currentColor" stroke-opacity=".3"/>'
    )
    for (k, _, t, _), v in zip(drawn, values):
        x = np.round(left + (np.asarray(t, float) - start) / (end - start) * (width - 2 * left)).astype(int)
        y = np.round(height - 2 - (np.nan_to_num(v, nan=low) - low) / span * (height - top - 4)).astype(int)
        marks = (plot.get("modes") or ["line"] * (k + 1))[k] == "marks"
        good, path, on = np.isfinite(v), [], False
        for xx, yy, ok in zip(x.tolist(), y.tolist(), good.tolist()):
            if ok:
                path.append(f"M{xx} {yy}h0" if marks else f"{'L' if on else 'M'}{xx} {yy}")
            on = ok
        round_ends = ' stroke-linecap="round"' if marks else ""
        out.append(
            f'<path d="{"".join(path)}" fill="none" stroke="{COLOURS[k % len(COLOURS)]}" '
            f'stroke-width="{5 if marks else 1.6}"{round_ends}/>'
        )
    names = "".join(
        f'<tspan fill="{COLOURS[k % len(COLOURS)]}">━ </tspan><tspan>{html.escape(name)}  </tspan>'
        for k, name, _, _ in drawn
        if name
    )
    text = lambda px, py, words, more="": (
        f'<text x="{px}" y="{py}" fill="currentColor" font-size="12"{more}>{words}</text>'
    )
    out.append(text(left, 14, f"{html.escape(plot['y'])}: {word(back(low))} to {word(back(high))}"))
    out.append(
        text(left, height + 16, word(start))
        + text(width - left, height + 16, f"{word(end)} {html.escape(second)}", ' text-anchor="end"')
    )
    return "".join(out) + text(left, height + 36, names) + "</svg>"
