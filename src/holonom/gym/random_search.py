"""A baseline for reinforcement learning: linear policies by augmented random search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ..model import ModelError
from ..model.base import shown


class Trainable(Protocol):
    """What a search needs of an environment: a part of the interface of Gymnasium."""

    action_space: Any
    observation_space: Any

    def reset(self, *, seed: int | None = None) -> tuple[np.ndarray, dict]:
        """The first observation, and a table."""

    def step(self, action: np.ndarray, /) -> tuple[np.ndarray, float, bool, bool, dict]:
        """Observation, reward, whether the episode has terminated, whether it is truncated, and a table."""


@dataclass(frozen=True)
class LinearPolicy:
    """Action of an observation s:  middle + half range * (W (s / scale)), within its limits.

    ``weights`` W (actions, observations); ``scale`` (observations,); ``middle``, ``half`` (actions,) of the range.
    """

    weights: np.ndarray
    scale: np.ndarray
    middle: np.ndarray
    half: np.ndarray

    def __call__(self, seen: np.ndarray) -> np.ndarray:
        """The action (actions,)."""
        return self.middle + self.half * np.clip(self.weights @ (np.asarray(seen, float) / self.scale), -1.0, 1.0)


@dataclass(frozen=True)
class Training:
    """``policy``; ``returns``: the mean of the sums of rewards of the episodes of each iteration; ``episodes``: how
    many were run."""

    policy: LinearPolicy
    returns: list[float]
    episodes: int


def episode(environment: Trainable, policy: LinearPolicy, seed: int, steps: int) -> tuple[float, int]:
    """Sum of the rewards of an episode of at most ``steps`` steps, and how many there were."""
    seen, _ = environment.reset(seed=seed)
    total = 0.0
    for k in range(steps):
        seen, reward, over, late, _ = environment.step(policy(seen))
        total += float(reward)
        if over or late:
            return total, k + 1
    return total, steps


def random_search(
    environment: Trainable,
    *,
    iterations: int,
    scale: float | Sequence[float] = 1.0,
    steps: int = 500,
    directions: int = 16,
    best: int = 8,
    step: float = 0.2,
    noise: float = 0.2,
    seed: int = 0,
) -> Training:
    """Train a linear policy from zero by augmented random search.

    In each iteration the policy W is tried at W + noise d and W - noise d for ``directions`` random d, both with the
    same random start; with the returns r+ and r- of the ``best`` of these and their standard deviation s

        W <- W + step / (best s) * sum (r+ - r-) d.

    ``environment``: with the interface of Gymnasium and limited actions.  ``scale``: size of each observation.
    ``steps``: longest episode.  The same ``seed`` gives the same policy.

    Raises ModelError for actions without limits and for numbers that are not positive.

    Source: Mania, Guy and Recht, Simple random search of static linear policies is competitive for reinforcement
    learning, NeurIPS 2018 (version V1-t).
    """
    space = environment.action_space
    if not (np.isfinite(space.low).all() and np.isfinite(space.high).all()):
        raise ModelError("random_search: the actions of the environment have no limits; give it some")
    counts = {"iterations": iterations, "steps": steps, "directions": directions, "best": best}
    for name, value in {**counts, "step": step, "noise": noise}.items():
        if not value > 0 or (name in counts and value != int(value)):
            raise ModelError(
                f"random_search: {name} is {shown(value)}; give a positive {'whole ' * (name in counts)}number"
            )
    if best > directions:
        raise ModelError(f"random_search: best is {best}, more than the {directions} directions; give at most as many")
    low, high = np.asarray(space.low, float), np.asarray(space.high, float)
    observed = int(np.prod(environment.observation_space.shape))
    sizes = np.broadcast_to(np.asarray(scale, float), (observed,))
    if not (sizes > 0).all():
        raise ModelError(f"random_search: scale is {shown(scale)}; give positive sizes of the observations")
    draw = np.random.default_rng(seed)
    policy = LinearPolicy(np.zeros((low.size, observed)), sizes, 0.5 * (low + high), 0.5 * (high - low))
    returns: list[float] = []
    for _ in range(iterations):
        d = draw.standard_normal((directions, low.size, observed))
        starts = draw.integers(1 << 31, size=directions)
        found = np.array(
            [
                [
                    episode(environment, _moved(policy, sign * noise * d[k]), int(starts[k]), steps)[0]
                    for sign in (1.0, -1.0)
                ]
                for k in range(directions)
            ]
        )
        chosen = np.argsort(-found.max(axis=1), kind="stable")[:best]
        spread = float(found[chosen].std()) or 1.0
        change = np.tensordot(found[chosen, 0] - found[chosen, 1], d[chosen], 1)
        policy = _moved(policy, step / (best * spread) * change)
        returns.append(float(found.mean()))
    return Training(policy, returns, 2 * directions * iterations)


def _moved(policy: LinearPolicy, change: np.ndarray) -> LinearPolicy:
    return LinearPolicy(policy.weights + change, policy.scale, policy.middle, policy.half)
