"""How touching bodies come to rest: impacts that follow each other without end are recognised, and ended.

A point that bounces with restitution e < 1, or a block that rocks from corner to corner (with e = 0 too), strikes
infinitely often in finite time. Three things end that, in this order.

* A geometric series (`Accumulation`): intervals of one point in constant ratio; their sum is known.
* A rebound that nothing resolves: pressed together by the acceleration a that contact forces at all other points leave,
  a point that strikes at v rises by (e v)^2 / (2 a) and is back after 2 e v / a, all further rebounds within 2 e v /
  ((1 - e) a).  Below the height that the integrator resolves there is none.  Where e = 0 it is the fall before the
  impact, v^2 / (2 a), that counts: what turns about one corner falls on another.
* A crowd (`Settling`): small events (impacts from heights below 1e3 ERROR of the size; what sticks, slips, opens) that
  come faster than things of this size move under this acceleration, sqrt(size / a), and in no series.  Each further
  crowd raises the height of rebounds that are left out: 1e-4, 1e-2, 1 ERROR of the size, and, reported, 1e2
  and 1e3 ERROR; when events still crowd then, the run ends with an error message. A time without crowd, and the height
  is that of the integrator again.

What is left out is energy of at most m a times that height.  It is taken, never given: `arrest` projects velocities
onto rest of the points that are about as slow as the one that arrives, and a projection in the metric of the masses
shortens them (Moreau, in: Nonsmooth Mechanics and Applications, Springer 1988).  All decisions are by counts and model
time; no clock enters.
"""

from __future__ import annotations

from collections import deque

import numpy as np

SERIES, STEADY, TAIL = (
    8,
    2e-3,
    1e-4,
)  # impacts of an accumulation, agreement of their ratios, time left as a share of that gone by
HEIGHTS = 0.0, 1e-4, 1e-2, 1.0, 1e2, 1e3  # of ERROR and the size: rebounds that each level leaves out
HIGHEST = 1e-3  # of the size: the largest of them, whatever ERROR
ENOUGH = 16, 16, 16, 48, 48, 96  # small events that are a crowd, by level; at the last level they end the run
CROWDED = 0.05  # of sqrt(size / acceleration): time of 16 small events below which they are a crowd
TOLD = 4  # level from which it is reported
FOLLOWED = 3  # level that leaves out what ERROR does not resolve


class Accumulation:
    """Impacts of one point: recognises intervals in geometric progression.  ``end``: the time at which they accumulate,
    or None."""

    def __init__(self) -> None:
        self.times: deque[float] = deque(maxlen=SERIES)
        self.first = 0.0
        self.count = 0
        self.end: float | None = None
        self.steady = False

    def add(self, t: float) -> bool:
        """One more impact; true when the rest of the series is so short that it may be taken as over."""
        times = self.times
        self.steady = False
        if len(times) > 1 and t - times[-1] > (times[-1] - times[-2]) * 1.02:  # slower again: another sequence
            times.clear()
            self.count = 0
        if not times:
            self.first = t
        elif t == times[-1]:
            return False
        times.append(t)
        self.count += 1
        if len(times) < SERIES:
            return False
        d = np.diff(np.array(times))
        if not (d > 0.0).all():
            return False
        ratio = d[1:] / d[:-1]
        r = float(ratio[-1])
        if not (r < 1.0 and np.ptp(ratio[-4:]) <= STEADY):
            return False
        self.steady = True
        left = float(d[-1]) * r / (1.0 - r)
        self.end = t + left
        return left <= TAIL * (t - self.first) + 4e-15 * abs(t)

    def clear(self) -> None:
        """Begin again."""
        self.times.clear()
        self.count = 0


class Settling:
    """Counts small events; ``level``: how much is left out at present.  ``error`` of the integrator, ``size`` of the
    shapes, ``finest``: height that the integrator resolves; ``acceleration`` of gravity."""

    def __init__(self, error: float, size: float, acceleration: float = 0.0):
        self.size = size
        self.heights = [min(share * error, HIGHEST) * size for share in HEIGHTS]
        self.finest = 0.0
        self.level = 0
        self.impatient = False  # the first crowd is one too many
        self.acceleration = acceleration  # that presses the point that struck last; of gravity before
        self._times: deque[float] = deque(maxlen=max(ENOUGH))

    @property
    def height(self) -> float:
        """Rebounds lower than this are left out."""
        return max(self.finest, self.heights[self.level])

    @property
    def largest(self) -> float:
        """The same at the highest level."""
        return max(self.finest, self.heights[-1])

    @property
    def natural(self) -> float:
        """Time in which something of this size moves by as much under the present acceleration."""
        return float(np.sqrt(self.size / self.acceleration)) if self.acceleration > 0.0 else np.inf

    @property
    def slow(self) -> float:
        """Speed that counts as rest at the present level, zero at the first."""
        return self.speed(self.level) if self.level else 0.0

    def speed(self, level: int) -> float:
        """Speed of a fall from the height that a level leaves out."""
        return float(np.sqrt(2.0 * self.acceleration * max(self.finest, self.heights[level])))

    def add(self, t: float, speed: float, acceleration: float, steady: bool) -> int | None:
        """An event at time t: closing ``speed`` of an impact (0 for another event), ``acceleration`` that presses there
        (0: unknown), ``steady``: its series is known.  Returns the new level where it rises; one beyond the last where
        no level helps, or none is to be tried (``impatient``)."""
        if acceleration > 0.0:
            self.acceleration = acceleration
        a = self.acceleration
        if not a > 0.0 or steady or speed * speed > 2.0 * a * self.largest:
            return None
        times = self._times
        natural = self.natural
        if times and t - times[-1] > natural:
            self.level = 0
            times.clear()
        times.append(t)
        enough = ENOUGH[0 if self.impatient else self.level]
        if len(times) < enough:
            return None
        if t - times[-enough] > CROWDED * natural * enough / ENOUGH[0]:
            if t - times[-ENOUGH[0]] > natural:
                self.level = 0
            return None
        times.clear()
        times.append(t)
        if self.impatient:
            return len(ENOUGH)
        self.level += 1
        if self.level < len(ENOUGH):
            return self.level
        self.level -= 1
        return len(ENOUGH)


def island(W: np.ndarray, start: np.ndarray, d: int) -> np.ndarray:
    """Which of k points (k,) hang together with those of ``start`` (k,) through their Delassus matrix (dk, dk)."""
    k = len(start)
    near = np.abs(W.reshape(k, d, k, d)).max(axis=(1, 3))
    own = np.sqrt(np.outer(near.diagonal(), near.diagonal()))
    linked = near > 1e-12 * own
    seen = start.copy()
    while True:
        more = seen | linked[seen].any(axis=0)
        if (more == seen).all():
            return seen
        seen = more


def arrest(
    W: np.ndarray, w: np.ndarray, mu: np.ndarray, across: list[slice], slow: float, some: np.ndarray
) -> np.ndarray:
    """Impulses (k, d) that bring to rest those of the points ``some`` (k,) that are no faster than ``slow``, across the
    normal those with friction.

    W (dk, dk) the Delassus matrix, w (k, d) velocities, mu (k, groups) friction.  Points next to them that this would
    draw into each other come to rest too, so that none closes faster than before.
    """
    k, d = w.shape
    held = some & (np.abs(w[:, 0]) <= slow)
    before = np.minimum(w[:, 0], 0.0)
    r = np.zeros(k * d)
    for _ in range(k + 1):
        stop = np.zeros((k, d), bool)
        stop[:, 0] = held
        for g, s in enumerate(across):
            stop[:, s] = (held & (mu[:, g] > 0.0) & (np.linalg.norm(w[:, s], axis=1) <= slow))[:, None]
        rows = np.flatnonzero(stop.ravel())
        r[:] = 0.0
        if not len(rows):
            break
        r[rows] = np.linalg.lstsq(W[np.ix_(rows, rows)], -w.ravel()[rows], rcond=1e-10)[0]
        after = w[:, 0] + (W @ r).reshape(k, d)[:, 0]
        drawn = ~held & (after < before - 1e-9 * slow)
        if not drawn.any():
            break
        held = held | drawn
    return r.reshape(k, d)
