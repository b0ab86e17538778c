"""Accelerations of two arms of three hinges that a ball joint closes, by Pinocchio: `constraintDynamics` and `lcaba`.

python make_closed_arms.py > pinocchio_closed_arms.json        pin 4.1.0
"""

import json

import numpy as np
import pinocchio as pin

r = np.random.default_rng(7)
gravity = [0.5, -1.0, -9.0]
model = pin.Model()
model.gravity.linear = np.array(gravity)
bodies, ends = [], []
for arm in range(2):
    last = 0
    for k in range(3):
        x = r.normal(size=4)
        place = pin.SE3(pin.Quaternion(*(x / np.linalg.norm(x))).matrix(), 0.5 * r.normal(size=3))
        last = model.addJoint(last, pin.JointModelRZ(), place, f"j{arm}{k}")
        mass, centre, inertia = float(r.uniform(0.5, 3)), 0.3 * r.normal(size=3), r.uniform(0.1, 0.19, 3)
        model.appendBodyToJoint(last, pin.Inertia(mass, centre, np.diag(inertia)), pin.SE3.Identity())
        bodies.append(
            {"arm": arm, "axes": place.rotation.tolist(), "origin": place.translation.tolist(), "mass": mass}
            | {"centre": centre.tolist(), "inertia": inertia.tolist()}
        )
    ends.append(last)
data = model.createData()
pin.forwardKinematics(model, data, np.zeros(6))
point = 0.5 * r.normal(size=3)
on = [data.oMi[end].actInv(point) for end in ends]


def ball():
    """Model and data of the ball joint: new ones for each call, which leave something behind in them."""
    placed = (x for end, p in zip(ends, on) for x in (end, pin.SE3(np.eye(3), p)))
    one = pin.RigidConstraintModel(pin.ContactType.CONTACT_3D, model, *placed, pin.LOCAL)
    models, datas = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    models.append(one)
    datas.append(one.createData())
    return models, datas


def rows(q):
    """Gap of the ball joint and its gradient."""
    pin.forwardKinematics(model, data, q)
    pin.computeJointJacobians(model, data, q)
    places = [data.oMi[end].act(p) for end, p in zip(ends, on)]
    J = [pin.getJointJacobian(model, data, end, pin.WORLD) for end in ends]
    travel = [j[:3] + np.cross(j[3:].T, p).T for j, p in zip(J, places)]
    return places[0] - places[1], travel[0] - travel[1]


states = []
for _ in range(3):
    q = 0.3 * r.normal(size=6)
    for _ in range(50):
        gap, G = rows(q)
        q = q - np.linalg.pinv(G) @ gap
    assert np.abs(gap).max() < 1e-14
    v, tau = r.normal(size=6), r.normal(size=6)
    v = v - np.linalg.pinv(G) @ (G @ v)
    fresh, (models, datas) = model.createData(), ball()
    pin.initConstraintDynamics(model, fresh, models, datas)
    settings = pin.ProximalSettings(1e-14, 0.0, 100)
    a = pin.constraintDynamics(model, fresh, q, v, tau, models, datas, settings).copy()
    fresh, (models, datas) = model.createData(), ball()
    pin.computeJointMinimalOrdering(model, fresh, models)
    closed = pin.lcaba(model, fresh, q, v, tau, models, datas, pin.ProximalSettings(1e-14, 1e-6, 1000)).copy()
    states.append({n: x.tolist() for n, x in zip(("q", "v", "tau", "a", "lcaba"), (q, v, tau, a, closed))})
whole = {"pinocchio": pin.__version__, "gravity": gravity, "point": point.tolist(), "bodies": bodies, "states": states}
print(json.dumps(whole))
