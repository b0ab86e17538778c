"""MuJoCo: trees in joint coordinates, loops by equality constraints as hard as the step allows, RK4."""

import mujoco
import numpy as np
from clock import least
from scene import Scene, arguments, levels, quaternion

a = arguments()
scene = Scene(a["scene"])
T = mujoco.mjtJoint


def build(h):
    spec = mujoco.MjSpec()
    o = spec.option
    o.timestep, o.gravity = h, list(scene.gravity)
    o.integrator = getattr(mujoco.mjtIntegrator, "mjINT_" + a.get("integrator", "RK4").upper())
    o.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    o.solver, o.iterations, o.tolerance = mujoco.mjtSolver.mjSOL_NEWTON, 100, 1e-12
    spec.memory = 1 << 30
    made = {-1: spec.worldbody}
    velocity = []  # of the joints, in the order of the tree
    for k, parent, child in scene.tree:
        j = scene.joints[k]
        made[child] = b = made[parent].add_body(
            name=f"b{child}",
            pos=scene.local(parent, scene.place[child]),
            quat=quaternion(scene.axes[parent].T @ scene.axes[child]),
            mass=scene.mass[child],
            ipos=[0, 0, 0],
            inertia=np.maximum(scene.inertia[child], 1e-12),
            explicitinertial=True,
        )
        at = scene.local(child, j["point"])
        slide, spin = scene.relative(k, parent, child)
        damping = sum(d["c"] for d in scene.dampers if d["joint"] == k)
        if j["kind"] == "REVOLUTE":
            b.add_joint(name=f"j{k}", type=T.mjJNT_HINGE, axis=scene.turned(child, j["axis"]), pos=at)
            velocity.append((f"j{k}", [spin @ j["axis"]]))
            assert not damping
        elif j["kind"] == "TRANSLATIONAL":
            b.add_joint(name=f"j{k}", type=T.mjJNT_SLIDE, axis=scene.turned(child, j["axis_b"]), pos=at)
            velocity.append((f"j{k}", [slide @ j["axis_b"]]))
        elif j["kind"] == "SPHERICAL":
            b.add_joint(name=f"j{k}", type=T.mjJNT_BALL, pos=at)
            velocity.append((f"j{k}", scene.turned(child, spin)))
        else:  # two hinges, the parent's axis first
            first, second = (j["axis"], j["axis_b"]) if j["a"] == parent else (j["axis_b"], j["axis"])
            rates = np.linalg.lstsq(np.column_stack([first, second]), spin, rcond=None)[0]
            for name, direction, rate in (("p", first, rates[0]), ("q", second, rates[1])):
                b.add_joint(name=f"j{k}{name}", type=T.mjJNT_HINGE, axis=scene.turned(child, direction), pos=at)
                velocity.append((f"j{k}{name}", [rate]))
    for k in scene.loops:
        j = scene.joints[k]
        p, q = (j["a"], j["b"]) if j["a"] >= 0 else (j["b"], j["a"])
        hinge = j["kind"] == "REVOLUTE" and not scene.planar
        assert j["kind"] in ("REVOLUTE", "SPHERICAL") or scene.planar
        reach = np.ptp(np.array(scene.place), axis=0).max()
        points = [j["point"], j["point"] + 0.5 * reach * j["axis"]] if hinge else [j["point"]]
        if j["kind"] == "TRANSLATIONAL":
            points = [j["point"]]
        for point in points:
            data = np.zeros(mujoco.mjNEQDATA)
            data[:3] = scene.local(p, point)
            e = spec.add_equality(
                type=mujoco.mjtEq.mjEQ_CONNECT,
                objtype=mujoco.mjtObj.mjOBJ_BODY,
                name1=f"b{p}",
                name2=f"b{q}" if q >= 0 else "world",
                data=data,
            )
            e.solref[:] = [2 * h, 1]
            e.solimp[:3] = [0.9999, 0.9999, 0.001]
    for i, s in enumerate(scene.springs):
        t = spec.add_tendon(name=f"t{i}")
        for end, (body, point) in enumerate(((s["a"], s["p"]), (s["b"], s["q"]))):
            made[body].add_site(name=f"s{i}{end}", pos=scene.local(body, point))
            t.wrap_site(f"s{i}{end}")
        set_(t, "stiffness", s["k"])
        set_(t, "damping", s["c"])
        t.springlength = [s["length"]] * 2
    return spec.compile(), velocity


def set_(thing, name, value):
    """Newer versions hold polynomials here."""
    old = getattr(thing, name)
    if np.ndim(old):
        old[:] = 0
        old[0] = value
    else:
        setattr(thing, name, value)


def run(h):
    model, velocity = build(h)
    steps = int(round(scene.end / h))

    def fresh():
        d = mujoco.MjData(model)
        for name, rate in velocity:
            d.joint(name).qvel[:] = rate
        for t in scene.torques:
            d.qfrc_applied[
                model.joint(next(f"j{k}" for k, p, c in scene.tree if c == t["body"] and p == -1)).dofadr[0]
            ] = t["z"] * scene.joints[next(k for k, p, c in scene.tree if c == t["body"])]["axis"][2]
        mujoco.mj_forward(model, d)
        return d

    def go(d):
        mujoco.mj_step(model, d, nstep=steps)
        return d

    cpu, d = least(fresh, go)
    mujoco.mj_forward(model, d)
    body = lambda b: model.body(f"b{b}").id
    change = None
    if scene.energy_wanted:
        energy = lambda d: (mujoco.mj_energyPos(model, d), mujoco.mj_energyVel(model, d), d.energy.sum())[2]
        e = fresh()
        start, change = energy(e), 0.0
        for _ in range(500):
            mujoco.mj_step(model, e, nstep=max(1, steps // 500))
            mujoco.mj_forward(model, e)
            change = max(change, abs(energy(e) - start))
    if not np.isfinite(d.qpos).all() or np.any([w.number for w in d.warning]):
        raise RuntimeError("diverged")
    values = scene.read(lambda b: (d.xpos[body(b)], d.xmat[body(b)].reshape(3, 3)), change)
    return {"cpu": cpu, "steps": steps, "values": values, "settings": f"RK4, h={h:g}", "version": mujoco.__version__}


levels(a, run)
