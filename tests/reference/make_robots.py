"""Writes robots_pinocchio.json and robots_mujoco.json: inverse and forward dynamics, mass matrix and derivatives of
eight robot files, fixed to ground, without damping, friction and mimics, at random states.

    python tests/reference/make_robots.py pinocchio FOLDER      in an environment with the package ``pin``
    python tests/reference/make_robots.py mujoco FOLDER         with ``mujoco``

FOLDER: that of the robot files.  Matrices are kept as products with one vector.
"""

import json
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np

FILES = (
    "panda_description/urdf/panda.urdf",
    "drake/kuka_iiwa_robot.urdf",
    "hyq_description/robots/hyq_no_sensors.urdf",
    "newton/quadruped.urdf",
    "rbdjl/atlas.urdf",
    "simple_humanoid_description/urdf/simple_humanoid.urdf",
    "parallel/robot_delta/robot.urdf",
    "drake/cassie_v2.urdf",
)
HERE = Path(__file__).resolve().parent


def plain(path):
    """The text of a robot file without shapes and without the mass of the root, which rests; hinges without limits are
    continuous."""
    root = ET.parse(path).getroot()
    moving = {joint.find("child").get("link") for joint in root.iter("joint") if joint.find("child") is not None}
    for link in root.iter("link"):
        if link.get("name") not in moving and link.find("inertial") is not None:
            link.remove(link.find("inertial"))
    for joint in root.iter("joint"):
        if joint.get("type") == "revolute" and joint.find("limit") is None:
            joint.set("type", "continuous")
    for link in root.iter("link"):
        for what in ("visual", "collision"):
            for e in link.findall(what):
                link.remove(e)
    return ET.tostring(root, encoding="unicode")


def states(names):
    """q, v, a and the vector that matrices are multiplied by, for joints in the order of their names."""
    r = np.random.default_rng(len(names))
    return [r.uniform(-0.7, 0.7, len(names)), *(r.normal(size=len(names)) for _ in range(3))]


def pinocchio(path):
    import pinocchio as pin

    model = pin.buildModelFromXML(plain(path))
    data = model.createData()
    joints = {model.names[k]: model.joints[k] for k in range(1, model.njoints)}
    names = sorted(joints)
    values, v, a, x = states(names)
    q = pin.neutral(model)
    order = [joints[n].idx_v for n in names]
    for n, value in zip(names, values):
        j = joints[n]
        q[j.idx_q : j.idx_q + j.nq] = value if j.nq == 1 else (np.cos(value), np.sin(value))
    put = lambda u: np.array([u[order.index(k)] for k in range(model.nv)])
    V, A, X = put(v), put(a), put(x)
    tau = pin.rnea(model, data, q, V, A).copy()
    H = pin.crba(model, data, q).copy()
    H = np.triu(H) + np.triu(H, 1).T
    forward = pin.aba(model, data, q, V, A).copy()
    pin.computeRNEADerivatives(model, data, q, V, A)
    of = {"inverse": tau, "mass": H @ X, "forward": forward, "dq": data.dtau_dq @ X, "dv": data.dtau_dv @ X}
    return {"joints": names} | {k: list(map(float, u[order])) for k, u in of.items()}


def mujoco(path):
    import mujoco as mj

    text = plain(path)
    inside = '<mujoco><compiler balanceinertia="false" boundmass="0" boundinertia="0"/></mujoco>'
    at = text.index(">", text.index("<robot")) + 1
    try:
        model = mj.MjModel.from_xml_string(text[:at] + inside + text[at:])
    except ValueError as error:
        return {"refused": " ".join(str(error).split()), "joints": []}
    model.dof_damping[:] = model.dof_frictionloss[:] = model.dof_armature[:] = 0.0
    model.opt.disableflags |= mj.mjtDisableBit.mjDSBL_CONSTRAINT
    data = mj.MjData(model)
    at = {mj.mj_id2name(model, mj.mjtObj.mjOBJ_JOINT, k): int(model.jnt_dofadr[k]) for k in range(model.njnt)}
    names = sorted(at)
    order = [at[n] for n in names]
    values, v, a, x = states(names)
    data.qpos[order], data.qvel[order], data.qacc[order] = values, v, a
    mj.mj_inverse(model, data)
    tau = data.qfrc_inverse[order].copy()
    X, product = np.zeros(model.nv), np.zeros(model.nv)
    X[order] = x
    mj.mj_mulM(model, data, product, X)
    data.qfrc_applied[order] = a
    mj.mj_forward(model, data)
    of = {"inverse": tau, "mass": product[order], "forward": data.qacc[order].copy()}
    return {"joints": names} | {k: list(map(float, u)) for k, u in of.items()}


if __name__ == "__main__":
    peer, folder = sys.argv[1], Path(sys.argv[2])
    out = {file: {"pinocchio": pinocchio, "mujoco": mujoco}[peer](folder / file) for file in FILES}
    (HERE / f"robots_{peer}.json").write_text(json.dumps(out, indent=0) + "\n")
    for file, found in out.items():
        print(file, len(found["joints"]))
