"""Environments for reinforcement learning: a model with inputs and outputs behind the interface of Gymnasium.

    env = holonom.gym.Environment(model, inputs={"force": (-10, 10)}, outputs=["angle", "x"], period=0.02,
                                  reward=lambda seen, action: -seen[0] ** 2, end=5.0)

Needs the extra ``gym``.  An action is held for a period; a reset goes back to a snapshot of the start, which takes
some 0.3 ms.  Processes each build an environment of their own (``gymnasium.vector.AsyncVectorEnv``).  Four machines are
included: `cart_pole`, `quarter_car`, `crane` and `robot_arm`.  `random_search` trains a linear policy as a baseline.
"""

from .environment import Environment
from .machines import cart_pole, crane, quarter_car, robot_arm
from .random_search import LinearPolicy, Training, episode, random_search

__all__ = [
    "Environment",
    "LinearPolicy",
    "Training",
    "cart_pole",
    "crane",
    "episode",
    "quarter_car",
    "random_search",
    "robot_arm",
]
