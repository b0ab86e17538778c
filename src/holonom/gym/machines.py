"""Environments of four machines: a cart with a pole, a quarter car with an active damper, an overhead crane, a robot
arm.  Each has SI units, random starts or goals, and a reward of at most 1 for each step."""

from __future__ import annotations

import math

import numpy as np

from ..model import Model
from .environment import Environment

G = 9.81
CART, POLE, HALF = 1.0, 0.1, 0.5  # masses [kg], half the length of the pole [m]
RAIL, FALLEN = 2.4, 0.4  # [m], [rad]
BODY, WHEEL, SPRING, DAMPER, TYRE = 320.0, 42.0, 21e3, 800.0, 190e3  # [kg], [N/m], [N s/m], [N/m]
SPEED, BUMP = 8.0, 2.0  # of the car [m/s]; length of a bump [m]
TROLLEY, LOAD, ROPE = 200.0, 100.0, 5.0  # [kg], [m]
LINKS, MASSES = (1.0, 0.8), (3.0, 2.0)  # of the arm: lengths [m], masses [kg] of slender rods


def cart_pole(end: float = 10.0) -> Environment:
    """A cart on a rail (1 kg) with a pole (0.1 kg, 1 m): keep the pole upright and the cart near the middle.

    Action: force on the cart within 10 N, held for 0.02 s.  Observations: position x [m] and velocity of the cart,
    angle of the pole from the vertical [rad] and its rate.  Reward: 1 - (x / 2.4)^2.  The episode terminates beyond
    2.4 m and 0.4 rad, and is truncated at ``end`` [s].  A random torque of up to 0.3 N m disturbs the pole in the
    first 0.08 s.

    Source: Barto, Sutton and Anderson, IEEE Transactions on Systems, Man, and Cybernetics 13 (1983) 834.  Raises
    `ModelError` without the extra ``gym``.
    """
    model = Model("cart_pole", units="SI")
    model.gravity = (0, 0, -G)
    inertia = POLE * HALF**2 / 3.0
    cart = model.part("cart", CART, (1, 1, 1), (0, 0, 0))
    pole = model.part("pole", POLE, (inertia, inertia, 1e-6), (0, 0, HALF))
    model.translational(cart, model.ground, "rail", at=(0, 0, 0), axis=(1, 0, 0))
    pin = model.revolute(pole, cart, "pin", at=(0, 0, 0), axis=(0, 1, 0))
    force, tilt = model.input("force"), model.input("tilt")
    model.vforce(cart.cm, None, fx=f"VARVAL({force.id})")
    model.sforce(pin.i, pin.j, f"VARVAL({tilt.id})*STEP(TIME, 0.06, 1, 0.08, 0)", kind="ROTATIONAL")
    x, angle = f"DX({cart.cm})", f"AZ({pin.i},{pin.j})"
    outputs = _outputs(model, x=x, v=f"VX({cart.cm})", angle=angle, rate=f"WZ({pin.i},{pin.j},{pin.j})")
    return Environment(
        model,
        inputs={"force": (-10.0, 10.0)},
        outputs=outputs,
        period=0.02,
        end=end,
        reward=lambda seen, action: 1.0 - float(seen[0] / RAIL) ** 2,
        failed=lambda seen: abs(float(seen[2])) > FALLEN or abs(float(seen[0])) > RAIL,
        randomize=lambda draw: {"tilt": draw.uniform(-0.3, 0.3)},
    )


def quarter_car(end: float = 3.0) -> Environment:
    """A quarter car (body 320 kg, wheel 42 kg) with an active damper at 8 m/s on a road: calm the body.

    Action: force within 2 kN next to spring and damper, which pushes body and wheel apart, held for 0.01 s.
    Observations: acceleration and velocity of the body, velocity of the wheel, deflection of the suspension
    (positive: extended) and of the tyre, from static equilibrium [m].  Reward: 1 - (acceleration / 3 m/s^2)^2 -
    (deflection / 0.1 m)^2 - (deflection of the tyre / 0.03 m)^2.  The episode terminates where the suspension moves
    by more than 0.12 m, and is truncated at ``end`` [s].  Height of the bump (2 m long; 0.03 to 0.06 m), amplitude
    (up to 5 mm) and length (4 to 12 m) of the waves are random.

    Source of the model: Hrovat, Automatica 33 (1997) 1781.  Raises `ModelError` without the extra ``gym``.
    """
    model = Model("quarter_car", units="SI")
    model.gravity = (0, 0, 0)  # motion about static equilibrium
    body = model.part("body", BODY, (60, 60, 60), (0, 0, 0.8))
    wheel = model.part("wheel", WHEEL, (1, 2, 1), (0, 0, 0.3))
    for part in (body, wheel):
        model.translational(part, model.ground, f"guide of {part.name}", at=part.position, axis=(0, 0, 1))
    force, bump, wave, turn = (model.input(name) for name in ("force", "bump", "wave", "turn"))
    on_bump = f"MAX(0, MIN(1, {SPEED / BUMP!r}*(TIME - 0.2)))"
    road = (
        f"VARVAL({bump.id})*0.5*(1 - COS({2.0 * math.pi!r}*{on_bump})) + VARVAL({wave.id})*SIN(VARVAL({turn.id})*TIME)"
    )
    travel = f"DZ({body.cm},{wheel.cm}) - 0.5"
    tyre = f"DZ({wheel.cm}) - 0.3 - ({road})"
    rate = f"(VZ({body.cm}) - VZ({wheel.cm}))"
    model.vforce(body.cm, wheel, fz=f"-{SPRING!r}*({travel}) - {DAMPER!r}*{rate} + VARVAL({force.id})")
    model.vforce(wheel.cm, None, fz=f"-{TYRE!r}*({tyre})")
    speeds = {"velocity": f"VZ({body.cm})", "wheel velocity": f"VZ({wheel.cm})"}
    outputs = _outputs(model, acceleration=f"ACCZ({body.cm})", **speeds, travel=travel, tyre=tyre)
    return Environment(
        model,
        inputs={"force": (-2000.0, 2000.0)},
        outputs=outputs,
        period=0.01,
        end=end,
        reward=lambda seen, action: 1.0 - float(np.sum((seen[[0, 3, 4]] / np.array([3.0, 0.1, 0.03])) ** 2)),
        failed=lambda seen: abs(float(seen[3])) > 0.12,
        randomize=lambda draw: {
            "bump": draw.uniform(0.03, 0.06),
            "wave": draw.uniform(0.0, 0.005),
            "turn": 2.0 * math.pi * SPEED / draw.uniform(4.0, 12.0),
        },
    )


def crane(end: float = 20.0) -> Environment:
    """An overhead crane: move a load (100 kg), on a rope of 5 m at a trolley (200 kg), to a goal without swing.

    Action: force on the trolley within 400 N, held for 0.1 s.  Observations: distance of the trolley from the goal
    [m], its velocity, angle of the rope from the vertical [rad] (positive: the load is ahead in x) and its rate.
    Reward: 1 / (1 + (distance of the load)^2 + (its velocity)^2), horizontally, in m and m/s.  The episode
    terminates where the trolley is more than 10 m from the start or the rope turns by more than 1 rad, and is
    truncated at ``end`` [s].  The goal is random, 1 to 5 m to either side.

    Source: Abdel-Rahman, Nayfeh and Masoud, Journal of Vibration and Control 9 (2003) 863 (the rope as a massless
    rod). Raises `ModelError` without the extra ``gym``.
    """
    model = Model("crane", units="SI")
    model.gravity = (0, 0, -G)
    trolley = model.part("trolley", TROLLEY, (10, 10, 10), (0, 0, 0))
    load = model.part("load", LOAD, (1e-3, 1e-3, 1e-3), (0, 0, -ROPE))
    model.translational(trolley, model.ground, "rail", at=(0, 0, 0), axis=(1, 0, 0))
    rope = model.revolute(load, trolley, "rope", at=(0, 0, 0), axis=(0, -1, 0))
    force, goal = model.input("force"), model.input("goal")
    model.vforce(trolley.cm, None, fx=f"VARVAL({force.id})")
    outputs = _outputs(
        model,
        offset=f"DX({trolley.cm}) - VARVAL({goal.id})",
        velocity=f"VX({trolley.cm})",
        angle=f"AZ({rope.i},{rope.j})",
        rate=f"WZ({rope.i},{rope.j},{rope.j})",
        place=f"DX({trolley.cm})",
    )

    def reward(seen: np.ndarray, action: np.ndarray) -> float:
        offset, velocity, angle, rate = (float(v) for v in seen[:4])
        far = offset + ROPE * math.sin(angle)
        return 1.0 / (1.0 + far**2 + (velocity + ROPE * rate * math.cos(angle)) ** 2)

    return Environment(
        model,
        inputs={"force": (-400.0, 400.0)},
        outputs=outputs,
        period=0.1,
        end=end,
        reward=reward,
        failed=lambda seen: abs(float(seen[4])) > 10.0 or abs(float(seen[2])) > 1.0,
        randomize=lambda draw: {"goal": draw.choice([-1.0, 1.0]) * draw.uniform(1.0, 5.0)},
    )


def robot_arm(end: float = 4.0) -> Environment:
    """A robot arm of two links in a horizontal plane: move its tip to a goal.

    Links: slender rods of 1 m and 0.8 m, 3 kg and 2 kg.  Actions: torques of the shoulder (within 20 N m) and of
    the elbow (within 10 N m), held for 0.02 s.  Observations: angles and rates of both joints, position of the
    goal, and the tip's position from it (x, y) [m].  Reward: 1 - distance of the tip [m] - 0.1 (sum of squared
    torques, as shares of their limits).  The episode is truncated at ``end`` [s].  The goal is random, 0.5 to 1.6 m
    from the shoulder.

    Source: Spong, Hutchinson and Vidyasagar, Robot Modeling and Control (2006), section 7.3.  Raises `ModelError`
    without the extra ``gym``.
    """
    model = Model("robot_arm", units="SI")
    model.gravity = (0, 0, 0)
    held, x, joints = model.ground, 0.0, []
    for name, length, mass in zip(("shoulder", "elbow"), LINKS, MASSES):
        inertia = mass * length**2 / 12.0
        link = model.part(f"{name} link", mass, (1e-4, inertia, inertia), (x + length / 2.0, 0, 0))
        joint = model.revolute(link, held, name, at=(x, 0, 0), axis=(0, 0, 1))
        torque = model.input(f"{name} torque")
        model.sforce(joint.i, joint.j, f"VARVAL({torque.id})", kind="ROTATIONAL")
        joints.append(joint)
        held, x = link, x + length
    tip = model.marker(held, (LINKS[1] / 2.0, 0, 0))
    goals = [model.input(f"goal {c}") for c in "xy"]
    a, b = joints
    outputs = _outputs(
        model,
        shoulder_angle=f"AZ({a.i},{a.j})",
        elbow_angle=f"AZ({b.i},{b.j})",
        shoulder_rate=f"WZ({a.i},{a.j},{a.j})",
        elbow_rate=f"WZ({b.i},{b.j},{b.j})",
        goal_x=f"VARVAL({goals[0].id})",
        goal_y=f"VARVAL({goals[1].id})",
        off_x=f"DX({tip.id}) - VARVAL({goals[0].id})",
        off_y=f"DY({tip.id}) - VARVAL({goals[1].id})",
    )
    limits = np.array([20.0, 10.0])

    def goal(draw: np.random.Generator) -> dict[str, float]:
        radius, angle = draw.uniform(0.5, 1.6), draw.uniform(-math.pi, math.pi)
        return {"goal x": radius * math.cos(angle), "goal y": radius * math.sin(angle)}

    return Environment(
        model,
        inputs={"shoulder torque": (-20.0, 20.0), "elbow torque": (-10.0, 10.0)},
        outputs=outputs,
        period=0.02,
        end=end,
        reward=lambda seen, action: 1.0 - math.hypot(seen[6], seen[7]) - 0.1 * float(np.sum((action / limits) ** 2)),
        randomize=goal,
    )


def _outputs(model: Model, **texts: str) -> list[str]:
    """VARIABLEs with these expressions; their names."""
    for name, text in texts.items():
        model.variable(text, name)
    return list(texts)
