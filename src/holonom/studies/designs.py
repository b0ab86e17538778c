"""Designs of experiments: which points of the parameters are run.

Designs with levels are matrices of -1, 0, 1 (lowest, middle, highest value of each parameter); samples are points of
the unit cube.  Latin hypercubes, Sobol and Halton sequences are SciPy's (`scipy.stats.qmc`).  Others are written here,
since they are a few lines each: two-level designs by generators, Plackett-Burman designs from their cyclic first rows
(Plackett and Burman, Biometrika 33, 1946), Box-Behnken (Technometrics 2, 1960), central composite designs (Box and
Wilson, 1951), and D-optimal ones by exchange of points (Fedorov, 1972).
"""

from __future__ import annotations

import csv
import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from .._warnings import warn_model
from ..model import ModelError
from ..model.base import shown
from ..model.calls import explained_class
from ..model.kinds import is_whole
from .parameters import Point, Space

MOST_POINTS = 1_000_000
CANDIDATES = 2048  # points of a grid among which D-optimal designs choose


@explained_class
@dataclass(frozen=True)
class Design:
    """A design that is laid out when the parameters are known: ``name``, ``options`` and ``points(space, seed)``."""

    name: str
    options: dict[str, Any]
    make: Callable[[Space, int], Sequence[Point]] = field(repr=False, compare=False)

    def points(self, space: Space, seed: int = 0) -> Sequence[Point]:
        """Its points, in the order in which they run.  Raises ModelError for parameters that it cannot vary."""
        points = self.make(space, seed)
        if not len(points):
            raise ModelError(f"design '{self.name}' has no points")
        if len(points) > MOST_POINTS:
            raise ModelError(
                f"design '{self.name}' has {len(points)} points, more than {MOST_POINTS}; take fewer levels"
            )
        return points


def as_design(points: Any) -> Design:
    """A design of given points, each a dictionary of values."""
    if isinstance(points, Mapping) or not isinstance(points, Sequence) or isinstance(points, (str, bytes)):
        raise ModelError(f"a design is one of holonom.studies, or a list of points, got {shown(points)}")
    for p in points:
        if not isinstance(p, Mapping):
            raise ModelError(f"a point of a design is a dictionary of values, got {shown(p)}")
    kept = [dict(p) for p in points]
    return Design("table", {"points": kept}, lambda space, seed: [space.complete(p) for p in kept])


def read_points(path: str | Path) -> Design:
    """Points of a CSV file whose first line has names of parameters; other columns are ignored.  A parameter that has
    no column is nominal in all points, which a warning reports.  Raises ModelError for a file that cannot be read or
    has no points, and for values that are not numbers."""
    try:
        with open(path, newline="", encoding="utf-8-sig") as file:
            reader = csv.DictReader(file)
            first = reader.fieldnames = [name.strip() for name in reader.fieldnames or ()]
            lines = list(reader)
    except (OSError, UnicodeDecodeError) as error:
        raise ModelError(f"cannot read '{path}': {getattr(error, 'strerror', None) or error}") from None

    if len(set(first)) < len(first):
        raise ModelError(f"'{path}': column {shown(next(n for n in first if first.count(n) > 1))} is given twice")
    for k, line in enumerate(lines):
        if None in line or None in line.values():
            raise ModelError(f"'{path}': row {k + 1} has not as many cells as the first line, {len(first)}")

    def make(space: Space, seed: int) -> list[Point]:
        if not set(space.names) & set(first):
            raise ModelError(
                f"'{path}' has no column of a parameter; its first line must have {', '.join(space.names)}"
            )
        if not lines:
            raise ModelError(f"'{path}' has no points below its first line")
        if missing := [p.name for p in space.parameters if p.varies and p.name not in first]:
            others = ", ".join(shown(n) for n in first if n not in space.names)
            warn_model(
                f"'{path}' has no column {', '.join(map(shown, missing))}, so that all its points have nominal values "
                f"there{f'; its other columns are {others}' if others else ''}"
            )
        return [
            space.complete({n: _number(line[n], space[n].choices, path) for n in space.names if n in line})
            for line in lines
        ]

    return Design("table", {"points": lines}, make)


def _number(text: str, choices: tuple[Any, ...] | None, path: Any) -> Any:
    for choice in choices or ():
        if str(choice) == text:
            return choice
    try:
        return float(text)
    except (TypeError, ValueError):
        raise ModelError(f"'{path}': {shown(text)} is not a number") from None


def _levels(name: str, options: dict[str, Any], coded: Callable[[Space, int], np.ndarray]) -> Design:
    """A design of coded levels -1 to 1."""

    def points(space: Space, seed: int) -> list[Point]:
        varied = space.varied
        return [varied.point(0.5 * (row + 1.0)) for row in coded(varied, seed)]

    return Design(name, options, points)


def _whole(word: str, value: Any, least: int) -> int:
    if not is_whole(value) or value < least:
        raise ModelError(f"design: {word} must be a whole number from {least}, got {shown(value)}")
    return int(value)


def full_factorial(levels: int | Mapping[str, int] = 2) -> Design:
    """All combinations: ``levels`` of each parameter, equally spaced from lowest to highest value, or by name; of
    choices all, or the first ``levels[name]``."""

    for name, count in levels.items() if isinstance(levels, Mapping) else (("", levels),):
        _whole(f"levels of '{name}'" if name else "levels", count, 1)

    def make(space: Space, seed: int) -> list[Point]:
        axes = []
        if isinstance(levels, Mapping):
            space.complete(levels)  # refuses names that do not exist
        varied = space.varied
        for p in varied.parameters:
            count = levels.get(p.name, 2) if isinstance(levels, Mapping) else levels
            if p.choices is not None:
                axes.append(list(p.choices))
            else:
                values = [p.at(s) for s in (np.linspace(0.0, 1.0, count) if count > 1 else [0.5])]
                axes.append(list(dict.fromkeys(values)))
        if (total := math.prod(len(a) for a in axes)) > MOST_POINTS:
            raise ModelError(f"a full factorial of {total} points exceeds {MOST_POINTS}; take fewer levels")
        return [dict(zip(varied.names, values)) for values in itertools.product(*axes)]

    return Design("full factorial", {"levels": levels}, make)


def two_level(k: int) -> np.ndarray:
    """All 2^k combinations of -1 and 1 in standard (Yates) order, (2^k, k)."""
    rows = np.arange(2**k)
    return np.array([[1.0 if (r >> c) & 1 else -1.0 for c in range(k)] for r in rows])


def fractional(generators: str) -> np.ndarray:
    """Columns by generators: letters are basic factors, ``"a b c abc"`` and ``"a b -ab"``; (2^basic, columns)."""
    words = generators.lower().split()
    if not words:
        raise ModelError("fractional factorial: give a generator for each parameter, as 'a b c abc'")
    basic = sorted({c for w in words for c in w.lstrip("+-")})
    for w in words:
        if not w.lstrip("+-").isalpha():
            raise ModelError(f"fractional factorial: {shown(w)} is not a generator; write letters, as 'a b c abc'")
    base = two_level(len(basic))
    columns = []
    for w in words:
        sign = -1.0 if w.startswith("-") else 1.0
        columns.append(sign * np.prod([base[:, basic.index(c)] for c in w.lstrip("+-")], axis=0))
    return np.array(columns).T


def fractional_factorial(generators: str) -> Design:
    """A two-level design by ``generators``, one word a parameter: ``"a b c abc"`` has four parameters in eight runs."""

    def coded(space: Space, seed: int) -> np.ndarray:
        matrix = fractional(generators)
        if matrix.shape[1] != len(space):
            raise ModelError(
                f"fractional factorial: {matrix.shape[1]} generators for {len(space)} parameters; give one word each"
            )
        for k, name in enumerate(space.names):
            if abs(matrix[:, k].sum()) == len(matrix):
                raise ModelError(f"fractional factorial: '{name}' never changes; a letter twice in a word cancels out")
            for j, other in enumerate(space.names[:k]):
                if abs(matrix[:, j] @ matrix[:, k]) == len(matrix):
                    raise ModelError(
                        f"fractional factorial: '{other}' and '{name}' always change together; give each a word of "
                        "its own"
                    )
        return matrix

    return _levels("fractional factorial", {"generators": generators}, coded)


#: runs -> first row of the cyclic part (Plackett and Burman, 1946)
_PLACKETT_BURMAN = {
    12: "++-+++---+-",
    20: "++--++++-+-+----++-",
    24: "+++++-+-++--++--+-+----",
}


def plackett_burman_matrix(k: int) -> np.ndarray:
    """A two-level design of the next multiple of four runs above ``k`` (4 to 24), orthogonal columns."""
    runs = 4 * (k // 4 + 1)
    if runs > 24:
        raise ModelError(f"Plackett-Burman designs are written here for at most 23 parameters, got {k}")
    if runs in (4, 8, 16):  # Hadamard matrices by doubling
        from scipy.linalg import hadamard

        return -hadamard(runs)[:, 1 : k + 1].astype(float)
    row = np.array([1.0 if c == "+" else -1.0 for c in _PLACKETT_BURMAN[runs]])
    matrix = np.vstack([np.roll(row, shift) for shift in range(runs - 1)] + [-np.ones(runs - 1)])
    return matrix[:, :k]


def plackett_burman() -> Design:
    """Main effects of up to 23 parameters in the least number of runs (a multiple of four)."""
    return _levels("Plackett-Burman", {}, lambda space, seed: plackett_burman_matrix(len(space)))


#: factors -> blocks of three that change together: each factor in as many, each pair in one at least
_BLOCKS = {
    6: ((0, 1, 3), (1, 2, 4), (2, 3, 5), (0, 3, 4), (1, 4, 5), (0, 2, 5)),
    7: ((3, 4, 5), (0, 5, 6), (1, 4, 6), (0, 1, 3), (2, 3, 6), (0, 2, 4), (1, 2, 5)),
}


def box_behnken_matrix(k: int, centers: int = 3) -> np.ndarray:
    """Corners of blocks of factors, the others in the middle, and ``centers`` points in the middle: blocks of two, and
    of three for 6 and 7 factors (48 and 56 points: Box and Behnken, 1960, table 1)."""
    if k < 3:
        raise ModelError(f"a Box-Behnken design needs three parameters or more, got {k}")
    rows = []
    for block in _BLOCKS.get(k) or itertools.combinations(range(k), 2):
        for corner in itertools.product((-1.0, 1.0), repeat=len(block)):
            row = np.zeros(k)
            row[list(block)] = corner
            rows.append(row)
    return np.array(rows + [np.zeros(k)] * centers)


def box_behnken(centers: int = 1) -> Design:
    """Three levels for a quadratic surface without corners: middles of edges and ``centers`` middle points."""
    _whole("centers", centers, 0)
    return _levels("Box-Behnken", {"centers": centers}, lambda space, seed: box_behnken_matrix(len(space), centers))


def central_composite(face: str = "inscribed", centers: int = 1) -> Design:
    """Corners, points on the axes and ``centers`` middle points, for a quadratic surface.

    ``face``: "inscribed" (axis points at the bounds, corners inside by 2^(k/4): rotatable) or "faced" (both at the
    bounds)."""
    _whole("centers", centers, 0)
    if face not in ("inscribed", "faced"):
        raise ModelError(f"central composite: face is 'inscribed' or 'faced', got {shown(face)}")

    def coded(space: Space, seed: int) -> np.ndarray:
        k = len(space)
        if k > 12:
            raise ModelError(f"a central composite design of {k} parameters has {2**k} corners; use d_optimal")
        alpha = 2.0 ** (k / 4.0) if face == "inscribed" else 1.0
        axis = np.vstack([s * row for row in np.eye(k) for s in (-1.0, 1.0)])
        return np.vstack([two_level(k) / alpha, axis, np.zeros((centers, k))])

    return _levels("central composite", {"face": face, "centers": centers}, coded)


def _sampled(name: str, count: int, make: Callable[[int, int], np.ndarray], **options: Any) -> Design:
    """A sample of the unit cube: shares of the bounds, or probabilities where a parameter has a distribution."""
    _whole("count", count, 1)

    def points(space: Space, seed: int) -> list[Point]:
        varied = space.varied
        rows = make(len(varied), seed)
        return [space.drawn_point(dict(zip(varied.names, map(float, row))), 0.5 / count) for row in rows]

    return Design(name, {"count": count, **options}, points)


def latin_hypercube(count: int) -> Design:
    """``count`` points, one in each of as many slices of every parameter (McKay, Beckman and Conover, 1979)."""
    return _sampled("Latin hypercube", count, lambda k, seed: _sequence("LatinHypercube", k, seed).random(count))


def sobol(count: int) -> Design:
    """The first ``count`` points of a scrambled Sobol sequence; powers of two are balanced."""

    return _sampled("Sobol sequence", count, lambda k, seed: sobol_shares(count, k, seed))


def sobol_shares(count: int, k: int, seed: int) -> np.ndarray:
    """The first ``count`` points (count, k) of a scrambled Sobol sequence in the unit cube."""
    return _sequence("Sobol", k, seed).random_base2(max(0, math.ceil(math.log2(count))))[:count]


def halton(count: int) -> Design:
    """The first ``count`` points of a scrambled Halton sequence."""
    return _sampled("Halton sequence", count, lambda k, seed: _sequence("Halton", k, seed).random(count))


def random(count: int) -> Design:
    """``count`` independent points, uniform between the bounds."""
    return _sampled("random", count, lambda k, seed: _rng(seed).random((count, k)))


def _rng(seed: int) -> np.random.Generator:
    return np.random.default_rng([seed, 0x0D0E])


def _sequence(name: str, k: int, seed: int) -> Any:
    """A sampler of SciPy, whose argument for the generator was called ``seed`` before version 1.15."""
    import inspect

    from scipy.stats import qmc

    sampler = getattr(qmc, name)
    word = "rng" if "rng" in inspect.signature(sampler).parameters else "seed"
    return sampler(k, **{word: _rng(seed)})


def quadratic_terms(x: np.ndarray, kind: str = "quadratic") -> np.ndarray:
    """Regressors (n, terms) of coded points: 1, x_i; with "interaction" x_i x_j; with "quadratic" also x_i^2."""
    k = x.shape[1]
    columns = [np.ones(len(x)), *x.T]
    if kind in ("interaction", "quadratic"):
        columns += [x[:, i] * x[:, j] for i, j in itertools.combinations(range(k), 2)]
    if kind == "quadratic":
        columns += [x[:, i] ** 2 for i in range(k)]
    return np.array(columns).T


def d_optimal(count: int, terms: str = "quadratic") -> Design:
    """``count`` points of the three-level grid (of 2,048 random ones of it in many parameters) for which det(X^T X) of
    the regressors ``terms`` ("linear", "interaction", "quadratic") is largest, by exchange of points (Fedorov) from
    12 random designs, the best of them.  In many parameters that is not the very largest one: for main effects alone
    `plackett_burman` is."""
    _whole("count", count, 1)
    if terms not in ("linear", "interaction", "quadratic"):
        raise ModelError(f"d_optimal: terms are 'linear', 'interaction' or 'quadratic', got {shown(terms)}")

    def coded(space: Space, seed: int) -> np.ndarray:
        k = len(space)
        rng = _rng(seed)
        # of terms without squares the determinant is convex along each parameter: an optimum is at corners
        levels = (-1.0, 0.0, 1.0) if terms == "quadratic" else (-1.0, 1.0)
        if len(levels) ** k <= CANDIDATES:
            grid = np.array(list(itertools.product(levels, repeat=k)))
        else:
            grid = rng.choice(levels, (CANDIDATES, k))
        X = quadratic_terms(grid, terms)
        if count < X.shape[1]:
            raise ModelError(f"d_optimal: {terms} terms of {k} parameters need {X.shape[1]} runs or more, got {count}")
        return grid[d_optimal_rows(X, count, rng)]

    return _levels("D-optimal", {"count": count, "terms": terms}, coded)


def d_optimal_rows(X: np.ndarray, count: int, rng: np.random.Generator, starts: int = 12) -> np.ndarray:
    """Rows of candidates X (n, terms) for which det(X^T X) is largest, repeats allowed: Fedorov's exchanges from
    ``starts`` random designs."""
    best, top = None, -math.inf
    for _ in range(starts):
        rows = rng.integers(0, len(X), count)
        for _ in range(200):
            inverse = np.linalg.inv(X[rows].T @ X[rows] + 1e-9 * np.eye(X.shape[1]))
            d = np.einsum("ij,jk,ik->i", X, inverse, X)
            cross = X[rows] @ inverse @ X.T
            gain = d[None, :] - (d[None, :] * d[rows][:, None] - cross**2) - d[rows][:, None]
            out, into = np.unravel_index(int(np.argmax(gain)), gain.shape)
            if gain[out, into] <= 1e-9:
                break
            rows[out] = into
        sign, log = np.linalg.slogdet(X[rows].T @ X[rows])
        value = log if sign > 0 else -math.inf
        if best is None or value > top:
            best, top = np.sort(rows), value
    assert best is not None
    return best


#: name in a study file -> design
DESIGNS: dict[str, Callable[..., Design]] = {
    "full_factorial": full_factorial,
    "fractional_factorial": fractional_factorial,
    "plackett_burman": plackett_burman,
    "box_behnken": box_behnken,
    "central_composite": central_composite,
    "latin_hypercube": latin_hypercube,
    "sobol": sobol,
    "halton": halton,
    "random": random,
    "d_optimal": d_optimal,
    "table": read_points,
}
