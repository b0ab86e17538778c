"""Regions of space: boxes, cylinders and half-spaces, for filling with grains, for feeders and for sinks.

Lengths in model units, ground axes.  A region is plain data (`to_data`, `region`), so that elements can hold it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from .base import ModelError
from .orientation import axes_from

Vector = tuple[float, float, float]
TRIES, ROUND = (
    50,
    2000,
)  # rounds of trials without a new ball after which a random packing counts as full; trials of the last rounds


def _three(value: Any, what: str) -> Vector:
    try:
        out = tuple(float(x) for x in value)
    except (TypeError, ValueError):
        raise ModelError(f"{what} must be three numbers, not {value!r}") from None
    if len(out) != 3 or not all(math.isfinite(x) for x in out):
        raise ModelError(f"{what} must be three finite numbers, not {value!r}")
    return out  # type: ignore[return-value]


class Region:
    """Base of boxes and cylinders: `grid` and `random` give positions (n, 3) of spheres of given radii that lie
    inside."""

    KIND = ""

    def contains(self, points: np.ndarray, inset: Any = 0.0) -> np.ndarray:
        """Which of ``points`` (n, 3) lie inside, by at least ``inset``."""
        raise NotImplementedError

    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Lowest and highest corner of its bounding box."""
        raise NotImplementedError

    @property
    def volume(self) -> float:
        """Length^3 in model units."""
        raise NotImplementedError

    def to_data(self) -> tuple:
        """(kind, numbers...) as `region` takes it."""
        raise NotImplementedError

    def grid(
        self, radius: float, spacing: float = 1.05, count: int | None = None, jitter: float = 0.0, seed: int = 0
    ) -> np.ndarray:
        """Positions (n, 3) of spheres of ``radius`` on a cubic grid, layer by layer from below, ``spacing`` diameters
        apart.

        ``count``: their number (None: all that fit); ``jitter``: each is moved by up to this fraction of the free
        distance between spheres. Raises `ModelError` when fewer than ``count`` fit.
        """
        r = float(radius)
        if not r > 0.0 or not spacing >= 1.0:
            raise ModelError(
                f"a grid needs a positive radius and a spacing of 1 diameter or more, it has {radius:g} and "
                f"{spacing:g}; correct them"
            )
        low, high = self.bounds()
        a = 2.0 * r * spacing
        number = np.floor((high - low - 2.0 * r) / a * (1 + 1e-12) + 1e-9).astype(int) + 1
        if (high - low < 2.0 * r * (1 - 1e-12)).any():
            number[:] = 0
        first = 0.5 * (low + high) - 0.5 * a * (number - 1)
        first[2] = low[2] + r
        z, y, x = np.meshgrid(*(np.arange(n) for n in number[::-1]), indexing="ij")
        out = first + a * np.stack([x.ravel(), y.ravel(), z.ravel()], axis=1)
        out = out[self.contains(out, r * (1 - 1e-9))]
        if count is not None:
            if len(out) < count:
                raise ModelError(
                    f"only {len(out)} of {count} balls of radius {r:g} fit on the grid; give a larger region or fewer "
                    "of them"
                )
            out = out[:count]
        if jitter:
            move = np.random.default_rng(seed).uniform(-1.0, 1.0, out.shape) * (0.5 * jitter * (a - 2.0 * r))
            out = np.where(self.contains(out + move, r * (1 - 1e-9))[:, None], out + move, out)
        return out

    def random(self, radius: Any, count: int | None = None, seed: int = 0, gap: float = 0.0) -> np.ndarray:
        """Positions (n, 3) of spheres that do not overlap, added one after the other at random (random sequential
        addition).

        ``radius``: one number with ``count``, or one for each sphere; large ones are placed first, the result is in the
        order of ``radius``. ``gap``: minimum distance between surfaces. About 0.3 of the volume can be filled, 0.38 is
        the limit for equal spheres (J. Feder, J. Theor. Biol. 87 (1980) 237). Raises ModelError when they do not fit.
        """
        r = np.asarray(radius, float)
        r = np.full(1 if count is None else int(count), float(r)) if r.ndim == 0 else r.reshape(-1)
        if count is not None and len(r) != count:
            raise ModelError(f"{len(r)} radii were given for {count} balls; give one number, or one for each")
        if not (r > 0.0).all():
            raise ModelError(f"radii must be positive, the smallest is {r.min():g}")
        fill = float((4 / 3 * np.pi * r**3).sum()) / self.volume
        if fill > 0.45:
            raise ModelError(
                f"the balls would fill {fill:.2f} of the region, and a random packing ends at about 0.38; give a "
                "larger region, or a grid"
            )
        return _sequential(self, r, seed, float(gap))


def _sequential(where: Region, radii: np.ndarray, seed: int, gap: float) -> np.ndarray:
    from scipy.spatial import cKDTree

    rng = np.random.default_rng(seed)
    low, high = where.bounds()
    rest = np.argsort(-radii, kind="stable")  # large ones first: later they would find no position
    n, most = len(rest), float(radii.max())
    out, done = np.zeros((n, 3)), np.zeros(0, int)
    idle = 0
    while len(rest):
        # many trials at a time; those that meet a ball that is there, or an earlier trial, are lost and come again
        batch = rest[: max(64, min(len(done), 20_000))]
        if len(rest) < ROUND:
            batch = np.resize(rest, ROUND)  # the last ones are tried at several positions
        r = radii[batch]
        inset = r[:, None] + 0.5 * gap
        trial = low + inset + rng.random((len(batch), 3)) * np.maximum(high - low - 2 * inset, 0.0)
        good = where.contains(trial, r)
        if len(done):
            there = out[done]
            near = cKDTree(there).query_ball_point(trial, r + most + gap, return_sorted=False)
            count = np.fromiter((len(x) for x in near), int, len(batch))
            if count.any():
                i = np.repeat(np.arange(len(batch)), count)
                j = np.concatenate([np.asarray(x, int) for x in near if len(x)])
                hit = ((trial[i] - there[j]) ** 2).sum(axis=1) < (r[i] + radii[done[j]] + gap) ** 2
                good[i[hit]] = False
        index = np.flatnonzero(good)
        if len(index) > 1:
            pairs = index[cKDTree(trial[index]).query_pairs(2 * float(r.max()) + gap, output_type="ndarray")]
            if len(pairs):
                i, j = pairs.min(axis=1), pairs.max(axis=1)
                hit = ((trial[i] - trial[j]) ** 2).sum(axis=1) < (r[i] + r[j] + gap) ** 2
                good[j[hit]] = False
        found, which = np.unique(batch[good], return_index=True)
        out[found] = trial[good][which]
        done = np.concatenate([done, found])
        rest = rest[~np.isin(rest, found)]
        idle = 0 if len(found) else idle + 1
        if idle > TRIES:
            raise ModelError(
                f"only {len(done)} of {n} balls found a position at random; give a larger region, fewer balls, or a "
                f"grid"
            )
    return out


@dataclass(frozen=True)
class Box(Region):
    """Box with edges along the ground axes, from corner ``low`` to corner ``high``."""

    low: Vector
    high: Vector
    KIND = "BOX"

    def __post_init__(self) -> None:
        object.__setattr__(self, "low", _three(self.low, "the lowest corner of a box"))
        object.__setattr__(self, "high", _three(self.high, "the highest corner of a box"))
        if not all(a < b for a, b in zip(self.low, self.high)):
            raise ModelError(
                f"a box goes from its lowest to its highest corner, these are {self.low} and {self.high}; exchange them"
            )

    def contains(self, points: np.ndarray, inset: Any = 0.0) -> np.ndarray:
        p, d = np.asarray(points, float), np.asarray(inset, float).reshape(-1, 1)
        return ((p >= np.array(self.low) + d) & (p <= np.array(self.high) - d)).all(axis=1)

    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        return np.array(self.low), np.array(self.high)

    @property
    def volume(self) -> float:
        """Length^3 in model units."""
        return float(np.prod(np.array(self.high) - np.array(self.low)))

    def to_data(self) -> tuple:
        return (self.KIND, self.low, self.high)


@dataclass(frozen=True)
class Cylinder(Region):
    """Cylinder of ``radius`` about the line from point ``a`` to point ``b``."""

    a: Vector
    b: Vector
    radius: float
    KIND = "CYLINDER"

    def __post_init__(self) -> None:
        object.__setattr__(self, "a", _three(self.a, "the first end of a cylinder"))
        object.__setattr__(self, "b", _three(self.b, "the second end of a cylinder"))
        object.__setattr__(self, "radius", float(self.radius))
        if not self.radius > 0.0 or self.a == self.b:
            raise ModelError("a cylinder needs a positive radius and two ends that differ")

    def contains(self, points: np.ndarray, inset: Any = 0.0) -> np.ndarray:
        a, b = np.array(self.a), np.array(self.b)
        length = float(np.linalg.norm(b - a))
        z = (b - a) / length
        p = np.asarray(points, float) - a
        along = p @ z
        across = np.linalg.norm(p - along[:, None] * z, axis=1)
        return (along >= inset) & (along <= length - np.asarray(inset)) & (across <= self.radius - np.asarray(inset))

    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        a, b = np.array(self.a), np.array(self.b)
        z = (b - a) / np.linalg.norm(b - a)
        e = self.radius * np.sqrt(np.maximum(1.0 - z * z, 0.0))
        return np.minimum(a, b) - e, np.maximum(a, b) + e

    @property
    def volume(self) -> float:
        """Length^3 in model units."""
        return math.pi * self.radius**2 * float(np.linalg.norm(np.array(self.b) - np.array(self.a)))

    def to_data(self) -> tuple:
        return (self.KIND, self.a, self.b, self.radius)


@dataclass(frozen=True)
class HalfSpace(Region):
    """Half-space behind the plane through ``at``, on the side opposite to ``normal``."""

    at: Vector
    normal: Vector
    KIND = "HALF_SPACE"

    def __post_init__(self) -> None:
        object.__setattr__(self, "at", _three(self.at, "the point of a plane"))
        normal = _three(self.normal, "the normal of a plane")
        object.__setattr__(self, "normal", tuple(axes_from(normal)[:, 2].tolist()))

    def contains(self, points: np.ndarray, inset: Any = 0.0) -> np.ndarray:
        return (np.asarray(points, float) - np.array(self.at)) @ np.array(self.normal) <= -np.asarray(inset)

    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        raise ModelError("a half-space has no end and cannot be filled; give a box or a cylinder")

    @property
    def volume(self) -> float:
        """Length^3 in model units."""
        return math.inf

    def to_data(self) -> tuple:
        return (self.KIND, self.at, self.normal)


REGIONS: dict[str, Any] = {"BOX": Box, "CYLINDER": Cylinder, "HALF_SPACE": HalfSpace}


def region(data: Any) -> Region:
    """A region of what `Region.to_data` gives (or of itself).  Raises ModelError."""
    if isinstance(data, Region):
        return data
    try:
        kind, *numbers = data
        return REGIONS[str(kind).upper()](*numbers)
    except (TypeError, ValueError, KeyError):
        raise ModelError(f"{data!r} is not a region; give a Box, a Cylinder or a HalfSpace") from None
