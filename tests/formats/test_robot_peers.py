"""Eight robot files against Pinocchio 4.1.0 and MuJoCo 4.0.0 at random states: efforts, accelerations, mass matrix
and derivatives, as recorded by `tests/reference/make_robots.py`."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from test_urdf import NEEDS, ROBOTS, quietly

import holonom as hn

HERE = Path(__file__).resolve().parents[1] / "reference"
sys.path.insert(0, str(HERE))
from make_robots import FILES, states  # noqa: E402

RECORDED = {peer: json.loads((HERE / f"robots_{peer}.json").read_text()) for peer in ("pinocchio", "mujoco")}


def coordinates(file):
    """The robot without dampers, friction and mimics, and the numbers of its freedoms by name of joint."""
    model = quietly(ROBOTS / file, shapes="none")
    for kind in ("SPRINGDAMPER", "BUSHING", "FRICTION", "COUPLER", "GCON", "SWITCH", "MOTION"):
        for element in model.table(kind).values():
            element.active = False
    joints = hn.JointCoordinates(model)
    return joints, {name.rsplit(".", 1)[0]: k for k, name in enumerate(joints.freedoms)}


#: MuJoCo refuses inertias that no body has, as those of the feet of HyQ
BOTH = [(peer, file) for peer in RECORDED for file in FILES if "refused" not in RECORDED[peer][file]]


@pytest.mark.parametrize("peer, file", BOTH)
def test_dynamics_as_peers(file, peer):
    if not (ROBOTS / file).exists():
        pytest.skip(f"{NEEDS}: {ROBOTS / file} is absent")
    want = RECORDED[peer][file]
    joints, number = coordinates(file)
    assert sorted(number) == want["joints"]
    order = [number[name] for name in want["joints"]]
    q, v, a, x = (np.zeros(joints.nv) for _ in range(4))
    for mine, theirs in zip((q, v, a, x), states(order)):
        mine[order] = theirs
    dq, dv = joints.inverse_dynamics_derivatives(q, v, a)
    found = {
        "inverse": joints.inverse_dynamics(q, v, a),
        "mass": joints.mass_matrix(q) @ x,
        "forward": joints.forward_dynamics(q, v, a),
        "dq": dq @ x,
        "dv": dv @ x,
    }
    worst = {}
    for name, values in found.items():
        if name in want:
            theirs = np.array(want[name])
            worst[name] = np.abs(values[order] - theirs).max() / np.abs(theirs).max()
    print(file, peer, {k: f"{w:.0e}" for k, w in worst.items()})
    assert max(worst.values()) < 1e-11, worst
