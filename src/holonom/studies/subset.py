"""Subset simulation: a small failure probability as a product of larger ones (Au and Beck, 2001).

Samples move towards failure level by level; within a level they are Markov chains of the conditional sampling algorithm
(Papaioannou, Betz, Zwirglmaier and Straub, 2015), whose step adapts to an acceptance of 44 %.  It needs no derivatives,
no design point and few runs in many dimensions, and finds several regions of failure where the levels lead to them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

LEVEL = 0.1  # share of samples beyond the threshold of a level
MOST_LEVELS = 20
ACCEPTANCE = 0.44
WITHIN = 0.5  # share of samples of a level within its threshold, above which the threshold is the next smaller value
NONE = 1.96**2  # of the upper limit of a share of which there is no sample (Wilson, 1927): NONE / (n + NONE)


@dataclass(frozen=True)
class Subsets:
    """``probability`` of failure; ``variation``: its coefficient of variation; ``levels``; ``nearest``: the failed
    sample nearest to the origin (k,), or None where no sample failed; ``tied``: the largest share of samples of a level
    with the value of its threshold; ``bound``: where no sample failed, what the probability is below (95 %)."""

    probability: float
    variation: float
    levels: int
    nearest: np.ndarray | None
    tied: float = 0.0
    bound: float = 1.0


def subset_simulation(
    values: Callable[[np.ndarray], np.ndarray], k: int, count: int, rng: np.random.Generator
) -> Subsets:
    """Probability that ``values`` (n,) of standard normal points (n, k) are zero or below, with ``count`` samples a
    level.  The coefficient of variation is between that of independent and that of fully dependent levels.

    Samples of a stepped measure share values.  All within a threshold are then equally likely to start a chain, and
    where more than half of a level are, the threshold is the next smaller value."""
    U = rng.standard_normal((count, k))
    g = values(U)
    chains = np.arange(count)[:, None]  # samples by chain and step
    p, spread, tied = 1.0, 0.6, 0.0
    variations: list[float] = []
    for level in range(1, MOST_LEVELS + 1):
        order = np.argsort(g, kind="stable")
        seeds = order[: int(LEVEL * count)]
        threshold = float(g[seeds[-1]])
        if threshold > 0.0:
            tied = max(tied, float((g == threshold).mean()) if (g == threshold).sum() > 1 else 0.0)
            if float((g <= threshold).mean()) > WITHIN:
                smaller = g[g < threshold]
                if not len(smaller):  # the level cannot be divided
                    return Subsets(0.0, math.inf, level, None, tied, p * NONE / (count + NONE))
                threshold = float(smaller.max())
        last = threshold <= 0.0 or level == MOST_LEVELS
        inside = g <= (0.0 if last else threshold)
        if (within := int(inside.sum())) < len(seeds):
            seeds = seeds[:within]
        elif within > len(seeds):
            seeds = rng.choice(np.flatnonzero(inside), len(seeds), replace=False) if not last else seeds
        share = float(inside.mean())
        if share > 0.0:
            p *= share
            variations.append(math.sqrt((1.0 - share) / (share * count) * (1.0 + _correlation(inside[chains]))))
        if last:
            failed = np.flatnonzero(g <= 0.0)
            if not len(failed):
                return Subsets(0.0, math.inf, level, None, tied, p * NONE / (count + NONE))
            near = failed[np.argmin(np.linalg.norm(U[failed], axis=1))]
            d = np.array(variations)
            return Subsets(p, math.sqrt(0.5 * float(d @ d + d.sum() ** 2)), level, U[near], tied)
        U, g, spread = _conditional(values, U[seeds], g[seeds], threshold, count // len(seeds), spread, rng)
        chains = np.arange(len(g)).reshape(-1, len(seeds)).T
        count = len(g)
    raise AssertionError


def _conditional(
    values: Callable[[np.ndarray], np.ndarray],
    U: np.ndarray,
    g: np.ndarray,
    threshold: float,
    length: int,
    spread: float,
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray, float]:
    """Chains of standard normal points with values within a threshold: all states, step by step, and the spread of the
    proposals."""
    points, found = [U], [g]
    for step in range(1, length):
        width = min(spread, 1.0)
        trial = math.sqrt(1.0 - width**2) * U + width * rng.standard_normal(U.shape)
        new = values(trial)
        accepted = new <= threshold
        U, g = np.where(accepted[:, None], trial, U), np.where(accepted, new, g)
        points.append(U)
        found.append(g)
        spread = math.exp(math.log(spread) + (float(accepted.mean()) - ACCEPTANCE) / math.sqrt(step))
    return np.concatenate(points), np.concatenate(found), spread


def _correlation(inside: np.ndarray) -> float:
    """The factor gamma by which correlated chains (chains, steps) of indicators increase the variance of their mean."""
    steps = inside.shape[1]
    p = float(inside.mean())
    if steps < 2 or not 0.0 < p < 1.0:
        return 0.0
    total = 0.0
    for lag in range(1, steps):
        covariance = float((inside[:, :-lag] & inside[:, lag:]).mean()) - p * p
        total += 2.0 * (1.0 - lag / steps) * covariance / (p * (1.0 - p))
    return max(total, 0.0)
