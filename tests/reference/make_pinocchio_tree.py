"""Writes pinocchio_tree.json: accelerations, efforts and the mass matrix of a random tree by Pinocchio.

Run in an environment with the package ``pin``:  python tests/reference/make_pinocchio_tree.py
"""

import json
from pathlib import Path

import numpy as np
import pinocchio as pin

TYPES = ("REVOLUTE", "TRANSLATIONAL", "SPHERICAL", "FLOATING")
GRAVITY = (1.0, -2.0, -9.0)
JOINTS = {
    "REVOLUTE": pin.JointModelRZ,
    "TRANSLATIONAL": pin.JointModelPZ,
    "SPHERICAL": pin.JointModelSpherical,
    "FLOATING": pin.JointModelFreeFlyer,
}


def grow(r, count, floating):
    """Model, numbers of its bodies, q, v, a; one body in ``floating`` floats, none at 0."""
    model = pin.Model()
    model.gravity.linear = np.array(GRAVITY)
    bodies, q, v, a = [], [], [], []
    branch = [0]  # parents on the present branch: crba of Pinocchio wants subtrees that are contiguous
    for k in range(count):
        kind = "FLOATING" if floating and k % floating == 0 else TYPES[int(r.integers(3))]
        branch = branch[:1] if kind == "FLOATING" else branch[: max(len(branch) - int(r.integers(2)), 1)]
        parent = branch[-1]
        branch.append(k + 1)
        place = pin.SE3.Random() if kind != "FLOATING" else pin.SE3.Identity()
        place.translation = 0.3 * place.translation if kind != "FLOATING" else place.translation
        joint = model.addJoint(parent, JOINTS[kind](), place, f"j{k}")
        com = 0.4 * r.normal(size=3) if kind != "FLOATING" else np.zeros(3)
        if kind == "FLOATING":
            inertia = np.diag(r.uniform(1.0, 1.9, 3))
        else:
            A = np.linalg.qr(r.normal(size=(3, 3)))[0]
            inertia = A @ np.diag(r.uniform(0.2, 0.38, 3)) @ A.T
        mass = float(r.uniform(0.5, 3.0))
        model.appendBodyToJoint(joint, pin.Inertia(mass, com, inertia), pin.SE3.Identity())
        e = r.normal(size=4)
        e /= np.linalg.norm(e)
        theirs, own = [e[1], e[2], e[3], e[0]], list(e)
        n = {"REVOLUTE": 1, "TRANSLATIONAL": 1, "SPHERICAL": 3, "FLOATING": 6}[kind]
        vk, ak, x = r.normal(size=n), r.normal(size=n), r.normal(size=3)
        qk = [float(x[0])] if n == 1 else theirs if n == 3 else [*x, *theirs]
        mine = qk if n == 1 else own if n == 3 else [*x, *own]
        vm, am = vk, ak
        if n == 6:  # local velocities -> those in the axes of ground
            R = pin.Quaternion(np.array(theirs)).toRotationMatrix()
            vm = np.concatenate([R @ vk[:3], vk[3:]])
            am = np.concatenate([R @ (ak[:3] + np.cross(vk[3:], vk[:3])), ak[3:]])
        q += qk
        v += list(vk)
        a += list(ak)
        bodies.append(
            {
                "type": kind,
                "parent": parent,
                "placement": place.homogeneous.tolist(),
                "com": com.tolist(),
                "inertia": inertia.tolist(),
                "mass": mass,
                "q": list(map(float, mine)),
                "v": vm.tolist(),
                "a": am.tolist(),
            }
        )
    return model, bodies, *map(np.array, (q, v, a))


def derivatives():
    """Derivatives of dynamics, momentum of all bodies and a frame with many freedoms, of a tree on a fixed base."""
    model, bodies, q, v, a = grow(np.random.default_rng(9), 12, 0)
    data = model.createData()
    tau = 0.1 * a
    out = {"bodies": bodies, "effort": tau.tolist()}
    for name, matrix in zip(("rnea_q", "rnea_v"), pin.computeRNEADerivatives(model, data, q, v, a)):
        out[name] = np.array(matrix).tolist()
    for name, matrix in zip(("aba_q", "aba_v", "aba_tau"), pin.computeABADerivatives(model, data, q, v, tau)):
        matrix = np.array(matrix)
        out[name] = (np.triu(matrix) + np.triu(matrix, 1).T if name == "aba_tau" else matrix).tolist()
    pin.ccrba(model, data, q, v)
    out |= {"momentum": data.hg.vector.tolist(), "momentum_matrix": data.Ag.tolist(), "com": data.com[0].tolist()}
    aligned = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
    last = max(range(model.njoints), key=lambda j: sum(model.joints[i].nv for i in list(model.supports[j])[1:]))
    pin.computeJointJacobiansTimeVariation(model, data, q, v)
    J = pin.getJointJacobian(model, data, last, aligned)
    out |= {
        "body": last - 1,
        "jacobian": J.tolist(),
        "rate": pin.getJointJacobianTimeVariation(model, data, last, aligned).tolist(),
    }
    H = pin.crba(model, data, q)
    H = np.triu(H) + np.triu(H, 1).T
    out["inertia"] = np.linalg.inv(J @ np.linalg.solve(H, J.T)).tolist()
    return out


def main():
    model, bodies, q, v, a = grow(np.random.default_rng(8), 14, 7)
    data = model.createData()
    aba = pin.aba(model, data, q, v, np.zeros(model.nv)).copy()
    rnea = pin.rnea(model, data, q, v, a).copy()
    H = pin.crba(model, data, q).copy()
    H = np.triu(H) + np.triu(H, 1).T
    B, k = np.eye(model.nv), 0
    for b in bodies:
        n = len(b["v"])
        if n == 6:
            w, x, y, z = b["q"][3:]
            R = pin.Quaternion(w, x, y, z).toRotationMatrix()
            B[k : k + 3, k : k + 3] = R
            aba[k : k + 3] = R @ (aba[k : k + 3] + np.cross(v[k + 3 : k + 6], v[k : k + 3]))
        k += n
    out = {
        "script": "tests/reference/make_pinocchio_tree.py",
        "version": pin.__version__,
        "gravity": GRAVITY,
        "bodies": bodies,
        "aba": aba.tolist(),
        "rnea": (B @ rnea).tolist(),
        "crba": (B @ H @ B.T).tolist(),
        "fixed": derivatives(),
    }
    Path(__file__).with_name("pinocchio_tree.json").write_text(json.dumps(out) + "\n", encoding="utf-8")


if __name__ == "__main__":
    np.random.seed(8)
    pin.seed(8)
    main()
