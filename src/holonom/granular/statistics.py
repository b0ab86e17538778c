"""Statistics of grains: coordination number, stress, granular temperature, packing fraction in a box, flow through a
plane.

Boxes are two corners, low and high (3 each); without them the bounds of all spheres, surfaces included.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..model.base import ModelError
from .grains import Granular

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(24)


def _box(g: Granular, low, high) -> tuple[np.ndarray, np.ndarray]:
    if g.count == 0:
        raise ModelError("grains: there is no sphere to measure")
    pos, r = g.pos, g.radius[:, None]
    low = (pos - r).min(axis=0) if low is None else np.asarray(low, float)
    high = (pos + r).max(axis=0) if high is None else np.asarray(high, float)
    if low.shape != (3,) or high.shape != (3,) or not (low < high).all():
        raise ModelError("grains: a box is two corners of three numbers, the low one below the high one on all axes")
    return low, high


def coordination(g: Granular, walls: bool = True) -> np.ndarray:
    """Number of contacts of each sphere (in the order of ids), those on walls counted or not; its mean is the
    coordination number."""
    c, ids = g.contacts(), g.ids
    number = np.zeros(len(ids), np.int64)
    pair = c.b >= 0
    np.add.at(number, np.searchsorted(ids, c.a if walls else c.a[pair]), 1)
    np.add.at(number, np.searchsorted(ids, c.b[pair]), 1)
    return number


def _share(start: np.ndarray, end: np.ndarray, low, high) -> np.ndarray:
    """Part of each line from start to end that lies in the box."""
    d = end - start
    with np.errstate(divide="ignore", invalid="ignore"):
        a, b = (low - start) / d, (high - start) / d
    enter, leave = np.minimum(a, b), np.maximum(a, b)
    flat = d == 0.0
    within = (start >= low) & (start <= high)
    enter = np.where(flat, np.where(within, 0.0, 1.0), enter)
    leave = np.where(flat, np.where(within, 1.0, 0.0), leave)
    return np.maximum(0.0, np.minimum(leave.min(axis=1), 1.0) - np.maximum(enter.max(axis=1), 0.0))


def stress(g: Granular, low=None, high=None, kinetic: bool = True) -> np.ndarray:
    """Stress (3, 3) in a box, force/area, compression positive.

    Love and Weber: 1/V sum of f (x) l over the contacts, f the force on a, l from b's centre (or the point on a wall)
    to a's; a contact counts with the part of its branch l that lies in the box.  ``kinetic``: plus 1/V sum of m dv (x)
    dv of the spheres whose centres are in it, dv against their mean velocity.  Source: Weber, Bull. liaison P. et Ch.
    20 (1966); Luding, J. Phys. Condens. Matter 17 (2005) S2623.
    """
    low, high = _box(g, low, high)
    c, ids, pos = g.contacts(), g.ids, g.pos
    end = pos[np.searchsorted(ids, c.a)]
    start = np.where((c.b >= 0)[:, None], pos[np.searchsorted(ids, np.maximum(c.b, 0)) % max(1, len(ids))], c.point)
    total = np.einsum("k,ki,kj->ij", _share(start, end, low, high), c.force, end - start)
    if kinetic:
        within = ((pos >= low) & (pos < high)).all(axis=1)
        m, v = g.mass[within], g.vel[within]
        if len(m):
            v = v - (m @ v) / m.sum()
            total = total + np.einsum("k,ki,kj->ij", m, v, v)
    return total / np.prod(high - low)


def temperature(g: Granular, low=None, high=None) -> float:
    """Granular temperature: a third of the mean square of the velocity against the mean one, by mass; (length/time)^2.

    Of the spheres whose centres are in the box; 0 where there is none.
    """
    low, high = _box(g, low, high)
    pos = g.pos
    within = ((pos >= low) & (pos < high)).all(axis=1)
    m, v = g.mass[within], g.vel[within]
    if not len(m):
        return 0.0
    v = v - (m @ v) / m.sum()
    return float(m @ (v**2).sum(axis=1) / m.sum() / 3.0)


def _volume_within(pos: np.ndarray, r: np.ndarray, low, high) -> np.ndarray:
    """Volume of each sphere that lies in the box: chords along x, summed by Gauss over y and z between the faces."""
    limit = np.clip(np.array([low[2] - pos[:, 2], high[2] - pos[:, 2]]) / r, -1.0, 1.0)
    th = np.arcsin(limit)  # z = r sin(theta): smooth at the poles
    half, middle = 0.5 * (th[1] - th[0]), 0.5 * (th[1] + th[0])
    volume = np.zeros(len(r))
    for x, w in zip(_NODES, _WEIGHTS):
        t = middle + half * x
        radius = r * np.cos(t)  # of the circle at this height
        safe = np.maximum(radius, 1e-300)
        ph = np.arcsin(np.clip(np.array([low[1] - pos[:, 1], high[1] - pos[:, 1]]) / safe, -1.0, 1.0))
        ha, mi = 0.5 * (ph[1] - ph[0]), 0.5 * (ph[1] + ph[0])
        area = np.zeros(len(r))
        for y, u in zip(_NODES, _WEIGHTS):
            p = mi + ha * y
            chord = radius * np.cos(p)
            a, b = np.maximum(pos[:, 0] - chord, low[0]), np.minimum(pos[:, 0] + chord, high[0])
            area += u * ha * radius * np.cos(p) * np.maximum(0.0, b - a)
        volume += w * half * r * np.cos(t) * area
    return volume


def packing_fraction(g: Granular, low=None, high=None) -> float:
    """Part of a box that spheres fill; those that the faces cut count with what lies within (to about 1e-3 of one
    sphere).  Overlaps count twice."""
    low, high = _box(g, low, high)
    pos, r = g.pos, g.radius
    inside = ((pos - r[:, None] >= low) & (pos + r[:, None] <= high)).all(axis=1)
    cut = ~inside & ((pos + r[:, None] > low) & (pos - r[:, None] < high)).all(axis=1)
    volume = 4.0 / 3.0 * np.pi * float((r[inside] ** 3).sum())
    if cut.any():
        volume += float(_volume_within(pos[cut], r[cut], low, high).sum())
    return volume / float(np.prod(high - low))


class Flow(NamedTuple):
    """What went through a gate along its normal (against it counts negative): ``number``, ``mass``, ``time``; rates per
    time."""

    number: int
    mass: float
    time: float

    @property
    def rate(self) -> float:
        return self.mass / self.time if self.time > 0.0 else 0.0


class Gate:
    """Counts the spheres whose centres go through a plane, or a round opening in it.

    Call `update` often enough that none comes and goes between two calls, and before spheres are removed; it returns
    the flow since the last call, and ``total`` holds the flow since the beginning.
    """

    def __init__(self, g: Granular, point, normal, radius: float = np.inf) -> None:
        self._g, self._point = g, np.asarray(point, float)
        n = np.asarray(normal, float)
        if self._point.shape != (3,) or n.shape != (3,) or not np.linalg.norm(n) > 0.0 or not radius > 0.0:
            raise ModelError("grains: a gate needs a point, a normal with a length, and a positive radius")
        self._normal, self._radius = n / np.linalg.norm(n), float(radius)
        self.total = Flow(0, 0.0, 0.0)
        self._look()

    def _look(self) -> None:
        self._ids, self._pos, self._time = self._g.ids, self._g.pos, self._g.time

    def update(self) -> Flow:
        """The flow since the last call."""
        ids, pos, time = self._ids, self._pos, self._time
        self._look()
        both, a, b = np.intersect1d(ids, self._ids, assume_unique=True, return_indices=True)
        da, db = (pos[a] - self._point) @ self._normal, (self._pos[b] - self._point) @ self._normal
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.where(da != db, da / (da - db), 0.0)[:, None]
        at = pos[a] + t * (self._pos[b] - pos[a]) - self._point
        at -= (at @ self._normal)[:, None] * self._normal
        through = np.where((np.linalg.norm(at, axis=1) <= self._radius), (db >= 0.0).astype(int) - (da >= 0.0), 0)
        flow = Flow(int(through.sum()), float(through @ self._g.mass[b]), self._time - time)
        self.total = Flow(*(x + y for x, y in zip(self.total, flow)))
        return flow
