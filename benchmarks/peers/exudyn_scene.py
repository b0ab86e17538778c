"""Exudyn: redundant coordinates, implicit trapezoidal rule (index 2) or generalised alpha; planar bodies in the
plane."""

import sys
import warnings

import numpy as np

warnings.filterwarnings("ignore")
sys.exudynFast = True  # no range checks: its fastest build
import exudyn as exu  # noqa: E402
from clock import least  # noqa: E402
from exudyn.utilities import (  # noqa: E402
    CoordinateConstraint,
    DistanceConstraint,
    LoadMassProportional,
    LoadTorqueVector,
    MarkerBodyMass,
    MarkerBodyPosition,
    MarkerBodyRigid,
    MarkerNodeCoordinate,
    MassPoint2D,
    NodePoint2D,
    NodePointGround,
    NodeRigidBody2D,
    ObjectConnectorSpringDamper,
    ObjectGround,
    RevoluteJoint2D,
    RigidBody2D,
    RigidBodyInertia,
    SensorNode,
)
from scene import Scene, arguments, levels  # noqa: E402

a = arguments()
scene = Scene(a["scene"])
OUT = exu.OutputVariableType
container = exu.SystemContainer()
exu.config.printToConsole = False


def planar(mbs):
    """In the plane: three coordinates a body."""
    ground = mbs.AddObject(ObjectGround())
    angle = lambda b: np.arctan2(scene.axes[b][1, 0], scene.axes[b][0, 0])
    flat = lambda b: abs(scene.axes[b][2, 2] - 1.0) < 1e-9
    nodes, objects = [], []
    gravity = list(scene.gravity)
    point = scene.n == 1 and not scene.inertia[0].any()
    for b in range(scene.n):
        about_z = float(scene.inertia[b] @ (scene.axes[b][2] ** 2))
        if point:
            node = mbs.AddNode(NodePoint2D(referenceCoordinates=list(scene.place[b][:2])))
            objects.append(mbs.AddObject(MassPoint2D(nodeNumber=node, physicsMass=scene.mass[b])))
        else:
            node = mbs.AddNode(
                NodeRigidBody2D(
                    referenceCoordinates=[*scene.place[b][:2], angle(b) if flat(b) else 0.0],
                    initialVelocities=[*scene.v[b][:2], scene.w[b][2]],
                )
            )
            objects.append(
                mbs.AddObject(RigidBody2D(nodeNumber=node, physicsMass=scene.mass[b], physicsInertia=about_z))
            )
        nodes.append(node)
        if any(gravity):
            mbs.AddLoad(
                LoadMassProportional(
                    markerNumber=mbs.AddMarker(MarkerBodyMass(bodyNumber=objects[b])), loadVector=gravity
                )
            )

    def local(b, p):
        c, s = (np.cos(angle(b)), np.sin(angle(b))) if flat(b) else (1.0, 0.0)
        d = np.asarray(p) - scene.place[b]
        return [c * d[0] + s * d[1], -s * d[0] + c * d[1], 0.0]

    def marker(b, p):
        if b < 0:
            return mbs.AddMarker(MarkerBodyPosition(bodyNumber=ground, localPosition=list(p)))
        return mbs.AddMarker(MarkerBodyPosition(bodyNumber=objects[b], localPosition=local(b, p)))

    for j in scene.joints:
        if point:
            mbs.AddObject(
                DistanceConstraint(
                    markerNumbers=[marker(-1, j["point"]), mbs.AddMarker(MarkerBodyPosition(bodyNumber=objects[0]))],
                    distance=1.0,
                )
            )
        elif j["kind"] == "REVOLUTE":
            mbs.AddObject(RevoluteJoint2D(markerNumbers=[marker(j["a"], j["point"]), marker(j["b"], j["point"])]))
        else:  # along x of ground
            b = max(j["a"], j["b"])
            assert min(j["a"], j["b"]) == -1 and abs(abs(j["axis_b"][0]) - 1.0) < 1e-12
            held = mbs.AddMarker(MarkerNodeCoordinate(nodeNumber=mbs.AddNode(NodePointGround()), coordinate=0))
            for c in (1, 2):
                free = mbs.AddMarker(MarkerNodeCoordinate(nodeNumber=nodes[b], coordinate=c))
                mbs.AddObject(CoordinateConstraint(markerNumbers=[held, free]))
    for s in scene.springs:
        mbs.AddObject(
            ObjectConnectorSpringDamper(
                markerNumbers=[marker(s["a"], s["p"]), marker(s["b"], s["q"])],
                referenceLength=s["length"],
                stiffness=s["k"],
                damping=s["c"],
            )
        )
    for t in scene.torques:
        turn = mbs.AddMarker(MarkerBodyRigid(bodyNumber=objects[t["body"]]))
        mbs.AddLoad(LoadTorqueVector(markerNumber=turn, loadVector=[0, 0, t["z"]]))

    def pose(b):
        p = np.array(mbs.GetNodeOutput(nodes[b], OUT.Position))
        if point:
            d = p - 0.0
            turn = np.arctan2(d[1], d[0]) - np.arctan2(scene.place[b][1], scene.place[b][0])
        else:
            turn = mbs.GetNodeOutput(nodes[b], OUT.Coordinates)[2]
        c, s = np.cos(turn), np.sin(turn)
        return p, np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]]) @ scene.axes[b]

    return pose, nodes


def spatial(mbs):
    """Six coordinates a body, Euler parameters."""
    ground = mbs.AddObject(ObjectGround())
    objects = []
    for b in range(scene.n):
        inertia = RigidBodyInertia(mass=scene.mass[b], inertiaTensor=np.diag(scene.inertia[b]))
        d = mbs.CreateRigidBody(
            inertia=inertia,
            referencePosition=list(scene.place[b]),
            referenceRotationMatrix=scene.axes[b],
            initialVelocity=list(scene.v[b]),
            initialAngularVelocity=list(scene.w[b]),
            gravity=list(scene.gravity),
            nodeType=exu.NodeType.RotationEulerParameters,
            returnDict=True,
        )
        objects.append(d["bodyNumber"])
    objects.append(ground)  # [-1]
    for j in scene.joints:
        pair = {
            "bodyNumbers": [objects[j["b"]], objects[j["a"]]],
            "position": list(j["point"]),
            "useGlobalFrame": True,
            "show": False,
        }
        if j["kind"] == "REVOLUTE":
            mbs.CreateRevoluteJoint(axis=list(j["axis"]), **pair)
        elif j["kind"] == "TRANSLATIONAL":
            mbs.CreatePrismaticJoint(axis=list(j["axis_b"]), **pair)
        elif j["kind"] == "SPHERICAL":
            pair.pop("useGlobalFrame")
            mbs.CreateSphericalJoint(
                bodyNumbers=pair["bodyNumbers"], position=list(j["point"]), useGlobalFrame=True, show=False
            )
        else:
            raise RuntimeError(f"no {j['kind']} joint")
    for s in scene.springs:
        mbs.CreateSpringDamper(
            bodyNumbers=[objects[s["a"]], objects[s["b"]]],
            localPosition0=list(scene.local(s["a"], s["p"])),
            localPosition1=list(scene.local(s["b"], s["q"])),
            stiffness=s["k"],
            damping=s["c"],
            referenceLength=s["length"],
        )

    def pose(b):
        out = lambda v: np.array(mbs.GetObjectOutputBody(objects[b], v, [0, 0, 0], exu.ConfigurationType.Current))
        return out(OUT.Position), out(OUT.RotationMatrix).reshape(3, 3)

    return pose, []


def run(h):
    settings = exu.SimulationSettings()
    t = settings.timeIntegration
    steps = int(round(scene.end / h))
    t.numberOfSteps, t.endTime, t.verboseMode = steps, scene.end, 0
    solver = a["solver"]
    t.generalizedAlpha.spectralRadius = 0.8 if scene.planar else 0.9
    t.newton.useModifiedNewton = a["modified"]
    if scene.energy_wanted:
        t.newton.relativeTolerance = 1e-6
    t.generalizedAlpha.computeInitialAccelerations = solver == "trapezoidal"
    t.adaptiveStep = False
    settings.solutionSettings.writeSolutionToFile = False
    settings.solutionSettings.sensorsWritePeriod = scene.end / 500
    settings.parallel.numberOfThreads = 1
    dense = 5 < scene.n < 10 or bool(scene.loops) and scene.n < 10
    settings.linearSolver.solverType = exu.LinearSolverType.EigenDense if dense else exu.LinearSolverType.EigenSparse
    if scene.loops and not scene.planar:
        settings.linearSolver.ignoreSingularJacobian = True  # redundant rows
    kind = (
        exu.DynamicSolverType.TrapezoidalIndex2 if solver == "trapezoidal" else exu.DynamicSolverType.GeneralizedAlpha
    )

    def fresh(watched=False):
        container.Reset()
        mbs = container.AddSystem()
        pose, nodes = (planar if scene.planar else spatial)(mbs)
        sensors = (
            [
                [
                    mbs.AddSensor(SensorNode(nodeNumber=n, storeInternal=True, outputVariableType=o))
                    for o in (OUT.Position, OUT.Velocity, OUT.AngularVelocity)
                ]
                for n in nodes
            ]
            if watched
            else []
        )
        mbs.Assemble()
        return mbs, pose, sensors

    def go(ready):
        ready[0].SolveDynamic(settings, solverType=kind)
        return ready

    cpu, (_, pose, _) = least(fresh, go)
    change = None
    places = scene.read(pose, 0.0)
    if scene.energy_wanted:
        mbs, pose, sensors = go(fresh(True))
        total = 0.0
        for b, row in enumerate(sensors):
            p, v, w = (mbs.GetSensorStoredData(s)[:, 1:] for s in row)
            about_z = float(scene.inertia[b] @ (scene.axes[b][2] ** 2))
            total = (
                total
                + 0.5 * scene.mass[b] * (v**2).sum(1)
                + 0.5 * about_z * w[:, 2] ** 2
                - scene.mass[b] * p @ scene.gravity
            )
        change = float(np.abs(total - total[0]).max())
        places = scene.read(pose, change)
    newton = "modified Newton" if a["modified"] else "full Newton"
    return {
        "cpu": cpu,
        "steps": steps,
        "values": places,
        "settings": f"{solver}, {newton}, h={h:g}",
        "version": exu.GetVersionString(),
    }


levels(a, run)
