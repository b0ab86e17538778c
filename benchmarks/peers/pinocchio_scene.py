"""Pinocchio: articulated bodies (trees only), integrated by SciPy: DOP853, or LSODA when stiff."""

import numpy as np
import pinocchio as pin
from clock import least
from scene import Scene, arguments, levels
from scipy.integrate import solve_ivp

a = arguments()
scene = Scene(a["scene"])
method = a.get("method", "DOP853")
model = pin.Model()
model.gravity.linear = scene.gravity
rotation, place, number = {-1: np.eye(3)}, {-1: np.zeros(3)}, {-1: 0}
start = []
if scene.loops:
    raise SystemExit("loops")
for k, parent, child in scene.tree:
    j = scene.joints[k]
    axis = scene.turned(child, j["axis_b"] if j["kind"] == "TRANSLATIONAL" else j["axis"])
    if j["kind"] == "REVOLUTE":
        joint = pin.JointModelRevoluteUnaligned(axis)
    elif j["kind"] == "TRANSLATIONAL":
        joint = pin.JointModelPrismaticUnaligned(axis)
    else:
        joint = pin.JointModelSpherical()
    R, p = scene.axes[child], j["point"]
    i = model.addJoint(
        number[parent], joint, pin.SE3(rotation[parent].T @ R, rotation[parent].T @ (p - place[parent])), f"j{child}"
    )
    model.appendBodyToJoint(
        i,
        pin.Inertia(scene.mass[child], R.T @ (scene.place[child] - p), np.diag(scene.inertia[child] + 1e-14)),
        pin.SE3.Identity(),
    )
    rotation[child], place[child], number[child] = R, p, i
    slide, spin = scene.relative(k, parent, child)
    start.append(
        {"REVOLUTE": [spin @ j["axis"]], "TRANSLATIONAL": [slide @ j["axis_b"]], "SPHERICAL": R.T @ spin}[j["kind"]]
    )
data = model.createData()
nq, nv = model.nq, model.nv
zero = np.zeros(nv)
spherical = nq != nv
springs = [
    (
        number[s["a"]],
        rotation[s["a"]].T @ (np.array(s["p"]) - place[s["a"]]),
        number[s["b"]],
        rotation[s["b"]].T @ (np.array(s["q"]) - place[s["b"]]),
        s["k"],
        s["c"],
        s["length"],
    )
    for s in scene.springs
]


def pulls(q, v):
    """Forces of the springs on the joints' frames."""
    pin.forwardKinematics(model, data, q, v)
    forces = pin.StdVec_Force()
    for _ in range(model.njoints):
        forces.append(pin.Force.Zero())
    for i, p, j, r, k, c, length in springs:
        A, B = data.oMi[i], data.oMi[j]
        va = A.rotation @ (data.v[i].linear + np.cross(data.v[i].angular, p))
        vb = B.rotation @ (data.v[j].linear + np.cross(data.v[j].angular, r))
        d = B.act(r) - A.act(p)
        long = np.linalg.norm(d)
        f = (k * (long - length) + c * (d @ (vb - va)) / long) * d / long
        fa, fb = A.rotation.T @ f, -B.rotation.T @ f
        forces[i] = forces[i] + pin.Force(fa, np.cross(p, fa))
        forces[j] = forces[j] + pin.Force(fb, np.cross(r, fb))
    return forces


def rate(t, y):
    q, v = y[:nq], y[nq:]
    if spherical:  # quaternion, scalar last
        q = q / np.sqrt(q @ q)
        x, w = q[:3], q[3]
        dq = 0.5 * np.concatenate([w * v + np.cross(x, v), [-x @ v]])
        return np.concatenate([dq, pin.aba(model, data, q, v, zero)])
    if springs:
        return np.concatenate([v, pin.aba(model, data, q, v, zero, pulls(q, v))])
    return np.concatenate([v, pin.aba(model, data, q, v, zero)])


def run(tolerance):
    y0 = np.concatenate([pin.neutral(model), np.concatenate(start)])
    cpu, s = least(
        lambda: None, lambda _: solve_ivp(rate, (0, scene.end), y0, method=method, rtol=tolerance, atol=tolerance)
    )
    if not s.success:
        raise RuntimeError(s.message)
    q = s.y[:nq, -1]
    pin.forwardKinematics(model, data, q / np.linalg.norm(q) if spherical else q)

    def pose(b):
        M = data.oMi[number[b]]
        return M.act(rotation[b].T @ (scene.place[b] - place[b])), M.rotation

    return {
        "cpu": cpu,
        "steps": s.t.size - 1,
        "values": scene.read(pose),
        "settings": f"ABA, SciPy {method}, {tolerance:g}",
        "version": pin.__version__,
    }


levels(a, run)
