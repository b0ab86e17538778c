"""The chain drive in MuJoCo: links as trees of hinges from their middle links both ways round, closed by equality
constraints and tendons that have the damping of the pins there; rollers as spheres, seats and flanks as thin boxes
along a polygon.  One tree has one closure; more trees have smaller dense blocks.  One line of JSON a run: CPU seconds,
steps, angles of both sprockets at 20 times.

Its contact is a soft constraint, a + d (b v + k r) = (1 - d) a0 on each point.  With a small impedance d that is a
spring and a damper and d / ((1 - d) A) of added mass (A: inverse mass of the roller), so that stiffness and damping are
given: the same law for every step. d = 0 represents the other way, as hard as the step allows: d = 0.9999, time
constant two steps.
"""

import json
import math
import sys
import time

import mujoco
import numpy as np

THICK = 4e-4  # of the boxes: less than half a tooth's tip
T, G = mujoco.mjtJoint, mujoco.mjtGeom


def turn(angle):
    return [math.cos(0.5 * angle), 0, 0, math.sin(0.5 * angle)]


def build(a, integrator, soft, h, trees=1):
    """(model, rates of its joints by name) of the scene ``a`` (see `benchmarks.chain_drive.scene`)."""
    spec = mujoco.MjSpec()
    o = spec.option
    o.timestep, o.gravity = h, [0, -a["gravity"], 0]
    o.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{integrator}")
    o.solver, o.iterations, o.tolerance = mujoco.mjtSolver.mjSOL_NEWTON, 100, 1e-10
    o.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.memory = 1 << 30
    hard = {"solref": [2 * h, 1], "solimp": [0.9999, 0.9999, 1e-3, 0.5, 2]}
    half, n = 0.5 * a["pitch"], len(a["links"])
    made, rates, path = {}, {}, {}  # path: joints from ground that turn a link

    def link(k, parent, end):
        """Link k on ``parent`` by the pin at this end of it (1: the front)."""
        place, angle, v, spin = a["links"][k]
        if parent is None:
            b = spec.worldbody.add_body(name=f"link {k}", pos=[*place, 0], quat=turn(angle))
            c, s = math.cos(angle), math.sin(angle)
            for word, axis, rate in ((f"x{k}", [c, -s, 0], v[0]), (f"y{k}", [s, c, 0], v[1])):
                b.add_joint(name=word, type=T.mjJNT_SLIDE, axis=axis)
                rates[word] = rate
            b.add_joint(name=f"link {k}", type=T.mjJNT_HINGE, axis=[0, 0, 1])
            rates[f"link {k}"] = spin
        else:
            other, before, _, slower = a["links"][parent]
            d = np.array(place) - other
            c, s = math.cos(before), math.sin(before)
            b = made[parent].add_body(
                name=f"link {k}", pos=[c * d[0] + s * d[1], -s * d[0] + c * d[1], 0], quat=turn(angle - before)
            )
            damped(
                b.add_joint(name=f"link {k}", type=T.mjJNT_HINGE, axis=[0, 0, 1], pos=[end * half, 0, 0]),
                a["joint_damping"],
            )
            rates[f"link {k}"] = spin - slower
        b.mass, b.ipos, b.inertia, b.explicitinertial = a["mass"], [0, 0, 0], [a["inertia"]] * 3, True
        b.add_geom(
            type=G.mjGEOM_SPHERE,
            size=[a["radius"], 0, 0],
            pos=[-half, 0, 0],
            contype=1,
            conaffinity=0,
            priority=1,
            condim=3 if a["friction"] else 1,
            friction=[a["friction"], 0, 0],
            **hard,
        )
        made[k] = b
        path[k] = [*path.get(parent, []), f"link {k}"]

    data = np.zeros(mujoco.mjNEQDATA)
    data[:3] = [half, 0, 0]
    ends = []
    shift = n // 2 if trees == 1 else 0  # one tree closed on the driver diverges with steps that do well elsewhere
    for tree in range(trees):
        first, last = shift + tree * n // trees, shift + (tree + 1) * n // trees - 1
        middle = (first + last) // 2
        link(middle % n, None, 0)
        for k in range(middle + 1, last + 1):
            link(k % n, (k - 1) % n, -1)
        for k in range(middle - 1, first - 1, -1):
            link(k % n, (k + 1) % n, 1)
        ends.append(last % n)
    for last in ends:
        after = (last + 1) % n
        spec.add_equality(
            type=mujoco.mjtEq.mjEQ_CONNECT,
            objtype=mujoco.mjtObj.mjOBJ_BODY,
            name1=f"link {last}",
            name2=f"link {after}",
            data=data,
            **hard,
        )
        pin = spec.add_tendon(name=f"pin {last}")
        for k, sign in ((after, 1), (last, -1)):
            for name in path[k]:
                if name not in path[last] or name not in path[after]:
                    pin.wrap_joint(name, sign)
        damped(pin, a["joint_damping"])
    for k, (x, curve) in enumerate(zip(a["sprockets"], a["curves"])):
        inertia, place, angle, _, spin = x
        b = spec.worldbody.add_body(
            name=f"sprocket {k}",
            pos=[*place, 0],
            quat=turn(angle),
            mass=1.0,
            ipos=[0, 0, 0],
            inertia=[inertia] * 3,
            explicitinertial=True,
        )
        damped(b.add_joint(name=f"sprocket {k}", type=T.mjJNT_HINGE, axis=[0, 0, 1]), a["dampers"][k])
        rates[f"sprocket {k}"] = spin
        for p in np.array(curve).reshape(-1, 2, 2):
            d = p[1] - p[0]
            size = np.linalg.norm(d)
            inward = np.array([-d[1], d[0]]) / size
            b.add_geom(
                type=G.mjGEOM_BOX,
                size=[0.5 * size, 0.5 * THICK, a["radius"]],
                contype=0,
                conaffinity=1,
                condim=1,
                pos=[*(0.5 * (p[0] + p[1]) + 0.5 * THICK * inward), 0],
                quat=turn(math.atan2(d[1], d[0])),
            )
    model = spec.compile()
    if soft:
        length = np.mean([math.hypot(c[2] - c[0], c[3] - c[1]) for curve in a["curves"] for c in curve])
        for k in range(n):
            b = model.body(f"link {k}")
            g, inverse = int(b.geomadr[0]), (1 - soft) * float(model.body_invweight0[b.id, 0])
            model.geom_solref[g] = [-a["stiffness"] * length * inverse, -a["damping"] * length * inverse]
            model.geom_solimp[g] = [soft, soft, 1e-3, 0.5, 2]
    return model, rates


def damped(thing, value):
    """Newer versions hold polynomials here."""
    if np.ndim(thing.damping):
        thing.damping[0] = value
    else:
        thing.damping = value


def run(a, integrator, soft, h, trees=1):
    model, rates = build(a, integrator, soft, h, trees)
    wheels = [int(model.joint(f"sprocket {k}").qposadr[0]) for k in (0, 1)]
    per = round(a["window"] / h / 20)
    assert abs(20 * per * h - a["window"]) < 1e-9, "20 outputs must fall on steps"
    least = math.inf
    for _ in range(a["repeats"]):
        d = mujoco.MjData(model)
        for name, rate in rates.items():
            d.joint(name).qvel[:] = rate
        for k, torque in enumerate(a["torques"]):
            d.qfrc_applied[model.joint(f"sprocket {k}").dofadr[0]] = torque
        angles, used = [], 0.0
        for _ in range(20):
            clock = time.process_time()
            mujoco.mj_step(model, d, nstep=per)
            used += time.process_time() - clock
            angles.append([float(d.qpos[w]) for w in wheels])
        least = min(least, used)
        if not np.isfinite(d.qpos).all() or np.any([w.number for w in d.warning]):
            return {"h": h, "failed": "diverged", "settings": f"{integrator} d={soft:g} trees={trees}"}
    return {
        "h": h,
        "seconds": least,
        "steps": 20 * per,
        "angles": angles,
        "acting": int(d.ncon),
        "another law": not soft,
        "settings": f"{integrator} d={soft:g} trees={trees}",
        "version": f"mujoco {mujoco.__version__}",
    }


if __name__ == "__main__":
    with open(json.loads(sys.argv[1])["file"]) as f:
        a = json.load(f)
    for row in a["steps"]:
        print(json.dumps(run(a, *row)), flush=True)
