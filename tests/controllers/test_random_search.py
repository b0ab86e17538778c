"""Augmented random search: the optimal gain of a scalar system, the cart-pole, calls that are refused."""

from types import SimpleNamespace

import numpy as np
import pytest

import holonom as hn
from holonom.gym import random_search


class Scalar:
    """x <- A x + u, reward - x^2 - R u^2: the optimal gain is that of the scalar Riccati equation."""

    A, R, LIMIT = 1.2, 0.5, 4.0
    observation_space = SimpleNamespace(shape=(1,))

    def __init__(self, limit=LIMIT):
        self.action_space = SimpleNamespace(low=np.array([-limit]), high=np.array([limit]))

    def reset(self, *, seed=None):
        self.x = np.random.default_rng(seed).uniform(-1.0, 1.0)
        return np.array([self.x]), {}

    def step(self, action):
        reward = -(self.x**2) - self.R * float(action[0]) ** 2
        self.x = self.A * self.x + float(action[0])
        return np.array([self.x]), reward, False, False, {}


def test_optimal_gain():
    """The mean of the weights over the last part of a search is the gain of dynamic programming,
    P = 1 + A^2 P R / (R + P), u = - A P / (R + P) x."""
    p = 1.0
    for _ in range(200):
        p = 1.0 + Scalar.A**2 * p * Scalar.R / (Scalar.R + p)
    gain = Scalar.A * p / (Scalar.R + p)
    options = {"steps": 20, "directions": 8, "best": 8, "step": 0.02, "noise": 0.02}
    found = random_search(Scalar(), iterations=60, seed=1, **options)
    again = random_search(Scalar(), iterations=60, seed=1, **options)
    assert found.policy.weights.tolist() == again.policy.weights.tolist() and found.episodes == 960
    assert -found.policy.weights[0, 0] * Scalar.LIMIT == pytest.approx(gain, abs=0.08)
    assert found.returns[-1] > found.returns[0]


def test_refused():
    for given, text in (
        ({"iterations": 0}, "iterations is 0; give a positive whole number"),
        ({"iterations": 1, "steps": 2.5}, "steps is 2.5; give a positive whole number"),
        ({"iterations": 1, "noise": -1.0}, "noise is -1.0; give a positive number"),
        ({"iterations": 1, "best": 20}, "best is 20, more than the 16 directions"),
        ({"iterations": 1, "scale": 0.0}, "scale is 0.0; give positive sizes"),
    ):
        with pytest.raises(hn.ModelError, match=text):
            random_search(Scalar(), **given)
    with pytest.raises(hn.ModelError, match="the actions of the environment have no limits"):
        random_search(Scalar(np.inf), iterations=1)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_cart_pole_is_learned(seed):
    """After 160 episodes the pole stays upright for 20 s (1,000 steps) from all starts that are tried."""
    pytest.importorskip("gymnasium", reason="needs the extra gym")
    environment = hn.gym.cart_pole(end=20.0)
    found = random_search(environment, iterations=5, scale=(1.0, 1.0, 0.1, 1.0), seed=seed)
    lengths = [hn.gym.episode(environment, found.policy, 100 + k, 1000) for k in range(8)]
    assert [n for _, n in lengths] == [1000] * 8
    assert min(total for total, _ in lengths) > 950.0
    environment.close()
