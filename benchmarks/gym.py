"""Steps per second of environments on one core, next to those of MuJoCo (needs the packages gymnasium and mujoco).

    make bench CASE=gym

Pendulum, cart with a pole, arm of two joints: `holonom.gym` with RK4 and four steps in an action, with its observations
and rewards, against the MJCF of the same machine stepped by MuJoCo through the same interface (RK4, four steps in an
action, observations as arrays).  CPU time of the process; each environment is run in turn, best of five.
"""

from __future__ import annotations

import sys
import time

import numpy as np

import holonom as hn

STEPS, ROUNDS = 2000, 5

MJCF = {
    "pendulum": """<mujoco><option timestep="0.005" integrator="RK4"/><worldbody><body>
<joint name="pin" type="hinge" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 -1" size="0.02" mass="1"/></body>
</worldbody><actuator><motor joint="pin"/></actuator></mujoco>""",
    "cart with a pole": """<mujoco><option timestep="0.005" integrator="RK4"/><worldbody><body>
<joint name="rail" type="slide" axis="1 0 0"/><geom type="box" size="0.1 0.1 0.1" mass="1" contype="0"/><body>
<joint name="pin" type="hinge" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 1" size="0.02" mass="0.1"
contype="0"/></body></body></worldbody><actuator><motor joint="rail"/></actuator></mujoco>""",
    "arm of two joints": """<mujoco><option timestep="0.005" integrator="RK4" gravity="0 0 0"/><worldbody><body>
<joint name="shoulder" type="hinge" axis="0 0 1"/><geom type="capsule" fromto="0 0 0 1 0 0" size="0.02" mass="3"
contype="0"/><body pos="1 0 0"><joint name="elbow" type="hinge" axis="0 0 1"/><geom type="capsule"
fromto="0 0 0 0.8 0 0" size="0.02" mass="2" contype="0"/></body></body></worldbody>
<actuator><motor joint="shoulder"/><motor joint="elbow"/></actuator></mujoco>""",
}


class Peer:
    """A machine of MuJoCo: an action is held for four steps; positions and velocities are observed."""

    def __init__(self, text: str) -> None:
        import mujoco

        self._mj = mujoco
        self.model = mujoco.MjModel.from_xml_string(text)
        self.data = mujoco.MjData(self.model)
        self.size = self.model.nu

    def reset(self) -> None:
        """Back to the start."""
        self._mj.mj_resetData(self.model, self.data)

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict]:
        """One action."""
        self.data.ctrl[:] = action
        self._mj.mj_step(self.model, self.data, nstep=4)
        seen = np.concatenate([self.data.qpos, self.data.qvel])
        return seen, -float(np.square(seen).sum()), False, False, {}


def pendulum() -> hn.gym.Environment:
    """A rod on a pin."""
    model = hn.Model("pendulum", units="SI")
    model.gravity = (0, 0, -9.81)
    rod = model.part("rod", 1.0, (1 / 12, 1 / 12, 1e-4), (0, 0, -0.5))
    pin = model.revolute(rod, model.ground, "pin", at=(0, 0, 0), axis=(0, 1, 0))
    torque = model.input("torque")
    model.sforce(pin.i, pin.j, f"VARVAL({torque.id})", kind="ROTATIONAL")
    model.variable(f"AZ({pin.i},{pin.j})", "angle")
    model.variable(f"WZ({pin.i},{pin.j},{pin.j})", "rate")
    return hn.gym.Environment(
        model,
        inputs={"torque": (-1.0, 1.0)},
        outputs=["angle", "rate"],
        period=0.02,
        reward=lambda seen, action: -float(np.square(seen).sum()),
    )


OURS = {"pendulum": pendulum, "cart with a pole": hn.gym.cart_pole, "arm of two joints": hn.gym.robot_arm}


def speed(env, size: int) -> float:
    """Steps per second of CPU time, best of `ROUNDS`."""
    actions = np.random.default_rng(0).uniform(-0.1, 0.1, (STEPS, size))
    best = 0.0
    for _ in range(ROUNDS):
        env.reset()
        env.step(actions[0])
        began = time.process_time()
        for action in actions:
            env.step(action)
        best = max(best, STEPS / (time.process_time() - began))
    return best


def resets(env) -> float:
    """Microseconds of CPU time of a reset."""
    best = np.inf
    for _ in range(ROUNDS):
        began = time.process_time()
        for seed in range(50):
            env.reset(seed=seed)
        best = min(best, (time.process_time() - began) / 50 * 1e6)
    return best


def main(arguments: list[str]) -> None:
    """The table."""
    print("| machine | Holonom, steps/s | MuJoCo, steps/s | ratio | reset, us |\n|---|---|---|---|---|")
    for name in arguments or list(OURS):
        env = OURS[name]()
        ours = speed(env, env.action_space.shape[0])
        try:
            peer = Peer(MJCF[name])
            theirs = speed(peer, peer.size)
        except ImportError:
            theirs = float("nan")
        print(f"| {name} | {ours:,.0f} | {theirs:,.0f} | {theirs / ours:.1f} | {resets(env):,.0f} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
