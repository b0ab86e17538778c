"""Drake: trees as a continuous plant with an error-controlled integrator; loops need its discrete plant (ball
constraints)."""

import importlib.metadata

import numpy as np
import pydrake.all as dk
from clock import least
from scene import Scene, arguments, frame, levels

a = arguments()
scene = Scene(a["scene"])
discrete = bool(scene.loops)


def build(h):
    builder = dk.DiagramBuilder()
    plant = dk.MultibodyPlant(h)
    plant.mutable_gravity_field().set_gravity_vector(list(scene.gravity))
    if h:
        plant.set_discrete_contact_approximation(dk.DiscreteContactApproximation.kSap)
    inertia = lambda b: dk.RotationalInertia(*np.maximum(scene.inertia[b], 1e-9))
    bodies = [
        plant.AddRigidBody(f"b{b}", dk.SpatialInertia.MakeFromCentralInertia(scene.mass[b], np.zeros(3), inertia(b)))
        for b in range(scene.n)
    ]
    bodies.append(plant.world_body())  # [-1]
    joints = []
    for k, parent, child in scene.tree:
        j = scene.joints[k]
        A = frame(j["axis_b"] if j["kind"] == "TRANSLATIONAL" else j["axis"])
        ends = []
        for b, name in ((parent, "p"), (child, "c")):
            X = dk.RigidTransform(dk.RotationMatrix(scene.axes[b].T @ A), scene.local(b, j["point"]))
            ends.append(plant.AddFrame(dk.FixedOffsetFrame(f"{name}{k}", bodies[b].body_frame(), X)))
        slide, spin = scene.relative(k, parent, child)
        if j["kind"] == "REVOLUTE":
            joints.append((plant.AddJoint(dk.RevoluteJoint(f"j{k}", *ends, [0, 0, 1])), spin @ A[:, 2]))
        elif j["kind"] == "TRANSLATIONAL":
            joints.append((plant.AddJoint(dk.PrismaticJoint(f"j{k}", *ends, [0, 0, 1])), slide @ A[:, 2]))
        else:
            raise SystemExit(f"no {j['kind']} joint")
    for k in scene.loops:
        j = scene.joints[k]
        p, q = (j["a"], j["b"]) if j["b"] >= 0 else (j["b"], j["a"])
        for point in [j["point"]] if scene.planar else [j["point"], j["point"] + 0.5 * j["axis"]]:
            plant.AddBallConstraint(bodies[q], scene.local(q, point), bodies[p], scene.local(p, point))
    for s in scene.springs:
        plant.AddForceElement(
            dk.LinearSpringDamper(
                bodies[s["a"]],
                scene.local(s["a"], s["p"]),
                bodies[s["b"]],
                scene.local(s["b"], s["q"]),
                s["length"],
                s["k"],
                s["c"],
            )
        )
    torque = []
    for t in scene.torques:
        at = next(i for i, (_, p, c) in enumerate(scene.tree) if c == t["body"])
        plant.AddJointActuator("torque", joints[at][0])
        torque = [t["z"] * scene.joints[scene.tree[at][0]]["axis"][2]]
    plant.Finalize()
    builder.AddSystem(plant)
    return builder.Build(), plant, bodies, joints, torque


def run(level):
    diagram, plant, bodies, joints, torque = build(level if discrete else 0.0)

    def fresh():
        s = dk.Simulator(diagram)
        c = plant.GetMyMutableContextFromRoot(s.get_mutable_context())
        if torque:
            plant.get_actuation_input_port().FixValue(c, torque)
        for joint, rate in joints:
            (joint.set_angular_rate if isinstance(joint, dk.RevoluteJoint) else joint.set_translation_rate)(
                c, float(rate)
            )
        if not discrete:
            dk.ResetIntegratorFromFlags(s, a["integrator"], 0.1)
            s.get_mutable_integrator().set_target_accuracy(level)
        s.Initialize()
        return s, c

    def go(ready):
        ready[0].AdvanceTo(scene.end)
        return ready

    energy = lambda c: plant.CalcPotentialEnergy(c) + plant.CalcKineticEnergy(c)
    cpu, (s, c) = least(fresh, go)
    change = None
    if scene.energy_wanted:
        e, ec = fresh()
        start, change = energy(ec), 0.0
        for i in range(200):
            e.AdvanceTo(scene.end * (i + 1) / 200)
            change = max(change, abs(energy(ec) - start))

    def pose(b):
        X = plant.EvalBodyPoseInWorld(c, bodies[b])
        return X.translation(), X.rotation().matrix()

    steps = int(round(scene.end / level)) if discrete else s.get_num_steps_taken()
    settings = f"discrete SAP, ball constraints, h={level:g}" if discrete else f"{a['integrator']}, {level:g}"
    return {
        "cpu": cpu,
        "steps": steps,
        "values": scene.read(pose, change),
        "settings": settings,
        "version": importlib.metadata.version("drake"),
    }


levels(a, run)
