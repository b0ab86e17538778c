"""A controller learned by trial: a cart keeps its pole upright by a policy that a policy-gradient method finds.

The policy is a force drawn from a normal distribution about a linear function of what is observed.  Its weights follow
the natural gradient of the expected return (REINFORCE: Williams, Machine Learning 8 (1992) 229; natural: Kakade, NIPS
14 (2001) 1531), with a quadratic function of state and time as baseline.  The environment is
`holonom.gym.Environment` (needs the extra ``gym``).  Without training the pole falls within two seconds; the trained
policy, without noise, keeps it up for 10 s from starts that it has not seen.
"""

import numpy as np

import holonom as hn

PERIOD, EPISODE = 0.02, 250  # [s], steps
BATCHES, BATCH, RATE = 40, 20, 1.0  # updates, episodes of each, length of an update
NOISE, DISCOUNT = 5.0, 0.98  # deviation of forces [N], of the reward of the next step
SCALE = np.array([1.0, 1.0, 0.1, 1.0])  # of x [m], v [m/s], angle [rad], rate [rad/s]


def build() -> hn.Model:
    """A cart on a rail with a pole that stands; ``push`` is the force, ``tilt`` a torque that disturbs the start."""
    model = hn.Model("cart_pole", units="SI")
    model.gravity = (0, 0, -9.81)
    cart = model.part("cart", 1.0, (1, 1, 1), (0, 0, 0))
    pole = model.part("pole", 0.1, (0.0084, 0.0084, 1e-6), (0, 0, 0.5))
    model.translational(cart, model.ground, "rail", at=(0, 0, 0), axis=(1, 0, 0))
    pin = model.revolute(pole, cart, "pin", at=(0, 0, 0), axis=(0, 1, 0))
    push, tilt = model.input("push"), model.input("tilt")
    model.vforce(cart.cm, None, fx=f"VARVAL({push.id})")
    model.sforce(pin.i, pin.j, f"VARVAL({tilt.id})*STEP(TIME, 0.06, 1, 0.08, 0)", kind="ROTATIONAL")
    for name, text in (
        ("x", f"DX({cart.cm})"),
        ("v", f"VX({cart.cm})"),
        ("angle", f"AZ({pin.i},{pin.j})"),
        ("rate", f"WZ({pin.i},{pin.j},{pin.j})"),
    ):
        model.variable(text, name)
    return model


def environment(steps: int = EPISODE) -> hn.gym.Environment:
    """One point for each step with the pole up and the cart on its rail."""
    return hn.gym.Environment(
        build(),
        inputs={"push": (-10.0, 10.0)},
        outputs=["x", "v", "angle", "rate"],
        period=PERIOD,
        end=steps * PERIOD,
        reward=lambda seen, action: 1.0 - 0.1 * seen[0] ** 2,
        failed=lambda seen: abs(seen[2]) > 0.3 or abs(seen[0]) > 2.4,
        randomize=lambda draw: {"tilt": draw.uniform(-0.3, 0.3)},
    )


def episode(env: hn.gym.Environment, weights: np.ndarray, draw: np.random.Generator | None, seed: int) -> tuple:
    """Observations (n, 4), noise (n,) and rewards (n,) of one episode; without ``draw`` there is no noise."""
    seen, _ = env.reset(seed=seed)
    rows, noises, rewards = [], [], []
    while True:
        state = seen / SCALE
        noise = 0.0 if draw is None else float(draw.normal())
        seen, reward, over, late, _ = env.step([float(weights @ state) + NOISE * noise])
        rows.append(state)
        noises.append(noise)
        rewards.append(reward)
        if over or late:
            return np.array(rows), np.array(noises), np.array(rewards)


def to_go(rewards: np.ndarray) -> np.ndarray:
    """Discounted sum of the rewards from each step on."""
    out, rest = np.zeros(len(rewards)), 0.0
    for k in reversed(range(len(rewards))):
        out[k] = rest = rewards[k] + DISCOUNT * rest
    return out


def features(states: np.ndarray) -> np.ndarray:
    """Constant, time, squares and products, of which the baseline is a linear function."""
    t = np.arange(len(states)) / EPISODE
    products = [states[:, i] * states[:, j] for i in range(4) for j in range(i, 4)]
    return np.column_stack([np.ones(len(states)), t, t * t, states, *products])


def train(batches: int = BATCHES, seed: int = 0) -> tuple[np.ndarray, list[float]]:
    """Weights of the policy, and the mean length of the episodes of each batch."""
    env, draw, weights, lengths = environment(), np.random.default_rng(seed), np.zeros(4), []
    for batch in range(batches):
        runs = [episode(env, weights, draw, seed=1000 + batch * BATCH + k) for k in range(BATCH)]
        lengths.append(float(np.mean([len(rewards) for *_, rewards in runs])))
        states, noises = (np.concatenate([run[k] for run in runs]) for k in (0, 1))
        known = np.vstack([features(run[0]) for run in runs])
        returns = np.concatenate([to_go(rewards) for *_, rewards in runs])
        advantage = returns - known @ np.linalg.lstsq(known, returns, rcond=None)[0]
        fisher = states.T @ states + 1e-3 * len(states) * np.eye(4)
        way = np.linalg.solve(fisher, (advantage * noises) @ states)
        weights = weights + RATE * np.sqrt(1.0 - batch / batches) * way / (np.linalg.norm(way) + 1e-9)
        if lengths[-1] > 0.98 * EPISODE:
            break
    env.close()
    return weights, lengths


def main() -> dict[str, float]:
    """Train; lengths of untrained and trained episodes in steps."""
    weights, lengths = train()
    env = environment(500)
    untrained = [len(episode(env, np.zeros(4), None, seed=k)[0]) for k in range(5)]
    trained = [len(episode(env, weights, None, seed=k)[0]) for k in range(5)]
    env.close()
    print(f"{len(lengths)} batches; episodes of {lengths[0]:.0f} to {lengths[-1]:.0f} steps; weights {weights}")
    assert max(untrained) < 120 and min(trained) == 500
    return {"batches": len(lengths), "untrained": float(np.mean(untrained)), "trained": float(np.mean(trained))}


if __name__ == "__main__":
    main()
