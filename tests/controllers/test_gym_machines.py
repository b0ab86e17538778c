"""The environments of machines: Gymnasium's checker, equations of motion by hand, and controllers of textbooks."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import solve_continuous_are

pytest.importorskip("gymnasium", reason="needs the extra gym")
from gymnasium.utils.env_checker import check_env  # noqa: E402

import holonom as hn  # noqa: E402
from holonom.gym import machines as m  # noqa: E402

MAKERS = [hn.gym.cart_pole, hn.gym.quarter_car, hn.gym.crane, hn.gym.robot_arm]


def cart_pole(t, s, u, given):
    late = min(1.0, max(0.0, (t - 0.06) / 0.02))
    torque = given["tilt"] * (1.0 - late**2 * (3.0 - 2.0 * late))
    return swinging(s, u, torque, m.CART, m.POLE, m.HALF, m.POLE * m.HALF**2 / 3.0, 1.0)


def crane(t, s, u, given):
    return swinging(s, u, 0.0, m.TROLLEY, m.LOAD, m.ROPE, 1e-3, -1.0)


def swinging(s, u, torque, cart, mass, length, inertia, up):
    """x, v, angle, rate of a cart with a pole that stands (``up`` = 1) or hangs (-1)."""
    _, v, angle, rate = s
    both = mass * length * math.cos(angle)
    right = [u[0] + mass * length * rate**2 * math.sin(angle), torque + up * mass * m.G * length * math.sin(angle)]
    a, turning = np.linalg.solve([[cart + mass, both], [both, inertia + mass * length**2]], right)
    return [v, a, rate, turning]


def quarter_car(t, s, u, given):
    z, v, w, r = s
    force = -m.SPRING * (z - w) - m.DAMPER * (v - r) + u[0]
    return [v, force / m.BODY, r, (-force - m.TYRE * (w - road(t, given))) / m.WHEEL]


def road(t, given):
    along = min(1.0, max(0.0, m.SPEED / m.BUMP * (t - 0.2)))
    return given["bump"] * 0.5 * (1 - math.cos(2 * math.pi * along)) + given["wave"] * math.sin(given["turn"] * t)


def robot_arm(t, s, u, given):
    q, (w1, w2) = s[:2], s[2:]
    (a, b), (m1, m2) = m.LINKS, m.MASSES
    c, h = math.cos(q[1]), m2 * a * b / 2 * math.sin(q[1])
    far = m2 * b**2 / 3
    mass = [
        [m1 * a**2 / 3 + m2 * a**2 + far + m2 * a * b * c, far + m2 * a * b / 2 * c],
        [far + m2 * a * b / 2 * c, far],
    ]
    right = [u[0] + h * (2 * w1 * w2 + w2**2), u[1] - h * w1**2]
    return [w1, w2, *np.linalg.solve(mass, right)]


def of_car(s, u, t, given):
    z, v, w, r = s
    return [quarter_car(t, s, u, given)[1], v, r, z - w, w - road(t, given)]


def of_crane(s, u, t, given):
    return [s[0] - given["goal"], *s[1:], s[0]]


def of_arm(s, u, t, given):
    (a, b), (gx, gy) = m.LINKS, (given["goal x"], given["goal y"])
    x, y = (a * f(s[0]) + b * f(s[0] + s[1]) for f in (math.cos, math.sin))
    return [*s, gx, gy, x - gx, y - gy]


#: equations of motion, observations of their states, actions as shares of their limits, names of random inputs
MOTIONS = {
    "cart_pole": (cart_pole, lambda s, *_: s, 1.0, ["tilt"]),
    "quarter_car": (quarter_car, of_car, 1.0, ["bump", "wave", "turn"]),
    "crane": (crane, of_crane, 1.0, ["goal"]),
    "robot_arm": (robot_arm, of_arm, 0.3, ["goal x", "goal y"]),
}


@pytest.mark.parametrize("make", MAKERS, ids=lambda f: f.__name__)
def test_checker_of_gymnasium(make):
    env = make(0.3)
    check_env(env, skip_render_check=True)
    env.close()


@pytest.mark.parametrize("make", MAKERS, ids=lambda f: f.__name__)
def test_equations_of_motion(make):
    """Random actions against equations of motion by hand."""
    rates, observed, share, names = MOTIONS[make.__name__]
    env, draw = make(), np.random.default_rng(3)
    seen, _ = env.reset(seed=5)
    given = {name: env.simulation.output(name) for name in names}
    assert all(given.values())
    state, t, rows = np.zeros(4), 0.0, []
    for _ in range(40):
        action = share * draw.uniform(env.action_space.low, env.action_space.high)
        seen, reward, over, _, info = env.step(action)
        found = solve_ivp(rates, (t, info["time"]), state, "DOP853", rtol=1e-9, atol=1e-11, args=(action, given))
        t, state = info["time"], found.y[:, -1]
        rows.append([seen, observed(state, action, t, given)])
        assert reward <= 1.0
        if over:
            break
    rows = np.array(rows, float)
    assert len(rows) > 10
    size = np.abs(rows[:, 1]).max(axis=0)
    off = np.abs(rows[:, 0] - rows[:, 1]).max(axis=0) / size
    assert off.max() < (5e-5 if make is hn.gym.quarter_car else 2e-5), off  # the wheel hops at 11 Hz, RK4 has 2.5 ms
    env.close()


def episode(env, policy, seed):
    """Observations and rewards until the episode ends."""
    seen, _ = env.reset(seed=seed)
    rows, rewards = [seen], []
    while True:
        seen, reward, over, late, _ = env.step(policy(seen))
        rows.append(seen)
        rewards.append(reward)
        if over or late:
            return np.array(rows), np.array(rewards), over


def test_a_regulator_balances_the_pole():
    """Linear-quadratic regulator of the linear equations; without it the pole falls."""
    both, total = m.POLE * m.HALF, m.CART + m.POLE
    mass = np.linalg.inv([[total, both], [both, m.POLE * m.HALF**2 * 4 / 3]])
    a, b = np.zeros((4, 4)), np.zeros((4, 1))
    a[0, 1] = a[2, 3] = 1.0
    a[[1, 3], 2], b[[1, 3], 0] = mass @ [0, both * m.G], mass @ [1, 0]
    gains = b.T @ solve_continuous_are(a, b, np.diag([10.0, 1, 10, 1]), np.eye(1))
    env = hn.gym.cart_pole(5.0)
    rows, rewards, over = episode(env, lambda seen: -gains @ seen, 1)
    assert not over and len(rewards) == 250 and np.abs(rows[-1]).max() < 0.05 and np.abs(rows[:, 2]).max() > 1e-3
    assert episode(env, lambda seen: [0.0], 1)[2]
    env.close()


def test_a_skyhook_calms_the_car():
    """A damper between body and sky (Karnopp) has the larger return on each of three roads."""
    env = hn.gym.quarter_car()
    for seed in range(3):
        calm, passive = (episode(env, lambda seen, c=c: [-c * seen[1]], seed) for c in (2500.0, 0.0))
        assert not calm[2] and not passive[2]
        assert calm[1].sum() > passive[1].sum() + 10.0
        assert np.sqrt(np.mean(calm[0][:, 0] ** 2)) < 0.8 * np.sqrt(np.mean(passive[0][:, 0] ** 2))
    env.close()


def test_a_crane_with_damped_swing():
    """Feedback of the swing ends at the goal at rest; the same without swing feedback still swings."""
    env = hn.gym.crane()
    damped = lambda seen: [-60 * seen[0] - 250 * seen[1] + 1200 * seen[2] + 300 * seen[3]]
    rigid = lambda seen: [-60 * seen[0] - 250 * seen[1]]
    for seed in (1, 2):
        rows, rewards, over = episode(env, damped, seed)
        assert abs(rows[0, 0]) >= 1.0 and not over and rewards.max() <= 1.0
        assert abs(rows[-1, 0]) < 0.05 and np.abs(rows[-20:, 2]).max() < 0.01 and rewards[-1] > 0.99
        assert np.abs(episode(env, rigid, seed)[0][-20:, 2]).max() > 2 * np.abs(rows[-20:, 2]).max()
    env.close()


def test_the_arm_reaches_its_goal():
    """The transpose of the Jacobian pulls the tip to the goal, joints are damped."""
    env = hn.gym.robot_arm()
    (a, b), ends = m.LINKS, []

    def policy(seen):
        q, w, off = seen[:2], seen[2:4], seen[6:8]
        s, c = (np.array([f(q[0]), f(q[0] + q[1])]) for f in (np.sin, np.cos))
        jacobian = [[-a * s[0] - b * s[1], -b * s[1]], [a * c[0] + b * c[1], b * c[1]]]
        return -40.0 * np.transpose(jacobian) @ off - np.array([12.0, 5.0]) * w

    for seed in range(4):
        rows, rewards, over = episode(env, policy, seed)
        ends.append(math.hypot(*rows[-1, 6:8]))
        assert not over and len(rewards) == 200
    assert max(ends) < 0.02
    env.close()
