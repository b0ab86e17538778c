"""Meshes of quadrilaterals for bodies of revolution and in the plane."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ...model.base import ModelError, shown
from ..mesh import Mesh


def grid(
    x: Sequence[float],
    y: Sequence[float],
    place: Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]] | None = None,
) -> Mesh:
    """Quadrilaterals between lines at ``x`` and ``y`` (rising, length), of which ``place(x, y)`` makes others (both (m,
    n), returns two of these).

    Node i n + j lies at x[i], y[j].  Groups: its sides "x-", "x+", "y-", "y+".  Raises `ModelError` for fewer than two
    lines and for lines that do not rise.
    """
    lines = []
    for name, value in (("x", x), ("y", y)):
        try:
            v = np.asarray(value, float)
        except (TypeError, ValueError):
            v = np.zeros(0)
        if v.ndim != 1 or len(v) < 2 or not np.all(np.isfinite(v)) or not np.all(np.diff(v) > 0.0):
            raise ModelError(f"lines of a grid at {name} = {shown(value)}; give two or more rising numbers")
        lines.append(v)
    X, Y = np.meshgrid(*lines, indexing="ij")
    if place is not None:
        X, Y = (np.asarray(v, float) for v in place(X, Y))
    m, n = len(lines[0]), len(lines[1])
    number = np.arange(m * n).reshape(m, n)
    quads = np.stack([number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:]], axis=-1).reshape(-1, 4)
    groups = {"x-": number[0], "x+": number[-1], "y-": number[:, 0], "y+": number[:, -1]}
    return Mesh(np.column_stack([X.ravel(), Y.ravel(), np.zeros(m * n)]), {"quad": quads}, groups=groups)


def graded(first: float, length: float, ratio: float = 1.3, largest: float | None = None, even: int = 1) -> np.ndarray:
    """Lines from 0 to ``length``, of which ``even`` steps have the size ``first`` and each further one is ``ratio``
    times longer up to ``largest``; the last steps are shared out so that they end there.  Raises `ModelError` for
    invalid dimensions."""
    for name, v in (("first", first), ("length", length), ("ratio", ratio)):
        if not isinstance(v, (int, float, np.number)) or isinstance(v, bool) or not np.isfinite(v) or v <= 0.0:
            raise ModelError(f"{name} of graded lines is {shown(v)}; give a positive number")
    if not first < length or ratio < 1.0:
        raise ModelError(
            f"graded lines begin with {first:g} of {length:g} and grow by {ratio:g}; give a shorter first step, and a "
            "ratio from 1 on"
        )
    largest = length if largest is None else largest
    steps = []
    h = float(first)
    while sum(steps) < length * (1 - 1e-9):
        if len(steps) >= even:
            h = min(h * ratio, largest)
        steps.append(h)
    at = np.cumsum([0.0, *steps])
    over = at[-1] - length
    k = min(even, len(steps) - 1)  # even steps stay, the rest is shortened alike
    if len(steps) > k and at[-1] > at[k]:
        at[k:] = at[k] + (at[k:] - at[k]) * (length - at[k]) / (at[-1] - at[k])
    assert over >= -1e-9 * length
    at[-1] = length
    return at


def bar(
    radius: float,
    length: float,
    across: Sequence[float],
    along: Sequence[float],
    end: float | None = None,
    up: bool = True,
) -> Mesh:
    """Meridian of a round bar whose end is at the origin: flat, or a spherical cap of the radius ``end`` (length, at
    least that of the bar).

    ``across``: radii of the lines, from 0 to ``radius``; ``along``: distances from the end, from 0 to ``length``;
    ``up``: the bar lies at z >= 0, otherwise at z <= 0.  Groups: "axis", "end", "back", "side".  The first node is the
    tip.  Raises `ModelError` for lines that do not fit and for a cap that is too sharp.
    """
    r, s = np.asarray(across, float), np.asarray(along, float)
    for name, v, whole in (("across", r, radius), ("along", s, length)):
        if (
            v.ndim != 1
            or len(v) < 2
            or v[0] != 0.0
            or abs(v[-1] - whole) > 1e-9 * whole
            or not np.all(np.diff(v) > 0.0)
        ):
            raise ModelError(f"lines {name} a bar are {shown(v.tolist())}; give rising numbers from 0 to {whole:g}")
    if end is not None and not end >= radius * (1 - 1e-12):
        raise ModelError(
            f"a spherical end of radius {end:g} is sharper than a bar of radius {radius:g}; give a radius of at "
            "least that"
        )
    sag = np.zeros_like(r) if end is None else end - np.sqrt(np.maximum(end**2 - r**2, 0.0))
    deep = 2.0 * sag.max()
    if deep > length:
        raise ModelError(f"a spherical end of radius {end:g} needs a bar of length {deep:g} or more; it has {length:g}")

    def place(R, S):
        share = np.maximum(0.0, 1.0 - S / deep) if deep > 0.0 else 0.0
        return R, np.interp(R, r, sag) * share + S

    made = grid(r, s, place)
    points, quads = made.points, made.cells["quad"]
    if not up:
        points = points * np.array([1.0, -1.0, 1.0])
        quads = quads[:, ::-1]
    names = {"x-": "axis", "x+": "side", "y-": "end", "y+": "back"}
    return Mesh(points, {"quad": quads}, groups={names[k]: v for k, v in made.groups.items()})
