"""How far what rolls along a line may go in one step, so that nothing it rolls over is passed unseen."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

NOWHERE = np.zeros(0)


def passing(system: Any, k: int, y: np.ndarray) -> tuple[float, float, float, float]:
    """Position along x of the last frame of element number ``k`` of `PortForces` at which its first one is, speed along
    it, speed over its plane, and the acceleration by which these may grow: gravity."""
    (p, _, v, _), (origin, axes, _, _) = system.ports.pose(k, 0, y), system.ports.pose(k, -1, y)
    along, across = float(axes[:, 0] @ v), float(axes[:, 1] @ v)
    return (
        float(axes[:, 0] @ (p - origin)),
        along,
        math.hypot(along, across),
        float(np.linalg.norm(system.bodies.gravity)),
    )


def time_to_pass(
    moving: tuple[float, float, float, float],
    reach: float,
    least: float,
    edges: np.ndarray = NOWHERE,
    waves: tuple[float, float, float] | None = None,
) -> float:
    """Time in which what is `passing` and touches to ``reach`` ahead and behind comes to the next of the ``edges`` (n,
    rising), or half way to the one after; and in which it passes the length of ``waves`` (from, to, length) where it is
    among them, or comes to them.  No length counts as less than ``least`` or more than ``reach`` where it is there;
    infinite where nothing lies ahead."""
    x, along, speed, grows = moving
    ways = []
    if len(edges):
        way = 1.0 if along >= 0.0 else -1.0
        ahead = (
            edges[np.searchsorted(edges, x - reach) :] - x
            if way > 0.0
            else x - edges[: np.searchsorted(edges, x + reach, "right")][::-1]
        )
        if len(ahead):
            if ahead[0] > reach:
                ways.append((ahead[0] - reach, abs(along)))
            else:
                ways.append((0.5 * (ahead[1] - ahead[0]) if len(ahead) > 1 else reach, speed))
    if waves is not None:
        low, high, length = waves
        if x < low - reach or x > high + reach:
            toward = along if x < low else -along
            ways += [(max(low - x, x - high) - reach, toward)] if toward > 0.0 else []
        else:
            ways.append((length, speed))
    times = [math.inf]
    for length, v in ways:
        length = max(length, least) if length > reach else min(max(length, least), reach)
        root = math.sqrt(v * v + 2.0 * grows * length)
        times.append(2.0 * length / (v + root) if root > 0.0 else math.inf)
    return min(times)
