"""The chain drive in Exudyn: planar rigid links, revolute joints, rollers as circles against each sprocket's outline (its
ObjectContactCurveCircles).  One line of JSON a run: CPU seconds, counts, angles of both sprockets at 20 times."""

import json
import sys
import time
import warnings

warnings.filterwarnings("ignore")
sys.exudynFast = True  # no range checks: its fastest build
import exudyn as exu  # noqa: E402
import numpy as np  # noqa: E402
from exudyn.utilities import (  # noqa: E402
    MarkerBodyRigid,
    NodeGenericData,
    ObjectContactCurveCircles,
    RevoluteJoint2D,
    RigidBodyInertia,
    SensorNode,
    Torque,
    TorsionalSpringDamper,
)


def build(a):
    """(system, sensors) of the scene ``a`` (see `benchmarks.chain_drive.scene`)."""
    SC = exu.SystemContainer()
    mbs = SC.AddSystem()
    ground = mbs.CreateGround()
    gravity = [0, -a["gravity"], 0]

    def body(mass, inertia, place, angle, velocity, spin):
        c, s = np.cos(angle), np.sin(angle)
        return mbs.CreateRigidBody(
            referencePosition=[*place, 0], referenceRotationMatrix=np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]]),
            initialVelocity=[*velocity, 0], initialAngularVelocity=[0, 0, spin], gravity=gravity,
            inertia=RigidBodyInertia(mass=mass, inertiaTensor=np.diag([inertia] * 3)), create2D=True,
        )  # fmt: skip

    marker = lambda b, p=(0, 0): mbs.AddMarker(MarkerBodyRigid(bodyNumber=b, localPosition=[*p, 0]))
    links = [body(a["mass"], a["inertia"], *x) for x in a["links"]]
    half = 0.5 * a["pitch"]
    fore, aft = [marker(b, (half, 0)) for b in links], [marker(b, (-half, 0)) for b in links]
    for k in range(len(links)):
        pair = [fore[k], aft[(k + 1) % len(links)]]
        mbs.AddObject(RevoluteJoint2D(markerNumbers=pair))
        if a["joint_damping"]:
            mbs.AddObject(TorsionalSpringDamper(markerNumbers=pair, damping=a["joint_damping"]))
    sensors = []
    for k, (x, curve) in enumerate(zip(a["sprockets"], a["curves"])):
        b = body(1.0, *x)
        m = marker(b)
        base = mbs.AddMarker(MarkerBodyRigid(bodyNumber=ground, localPosition=[*x[1], 0]))
        mbs.AddObject(RevoluteJoint2D(markerNumbers=[base, m]))
        mbs.AddLoad(Torque(markerNumber=m, loadVector=[0, 0, a["torques"][k]]))
        if a["dampers"][k]:
            mbs.AddObject(TorsionalSpringDamper(markerNumbers=[base, m], damping=a["dampers"][k]))
        n = len(curve)
        data = mbs.AddNode(NodeGenericData(initialCoordinates=[-1, 0, 0] * n, numberOfDataCoordinates=3 * n))
        mbs.AddObject(ObjectContactCurveCircles(
            markerNumbers=[m, *aft], nodeNumber=data, circlesRadii=[a["radius"]] * len(links),
            segmentsData=exu.MatrixContainer(np.array(curve)), contactStiffness=a["stiffness"], contactDamping=a["damping"],
            dynamicFriction=a["friction"], frictionProportionalZone=a["zone"], contactModel=a["model"],
        ))  # fmt: skip
        node = mbs.GetObject(b)["nodeNumber"]
        sensors.append(
            mbs.AddSensor(SensorNode(nodeNumber=node, storeInternal=True, outputVariableType=exu.OutputVariableType.Coordinates))
        )
    mbs.Assemble()
    return mbs, sensors


def run(a, h, full):
    """One run with step h; ``full``: a Jacobian at every step."""
    mbs, sensors = build(a)
    s = exu.SimulationSettings()
    t = s.timeIntegration
    t.numberOfSteps = max(20, round(a["window"] / h))
    t.endTime = a["window"]
    t.verboseMode = 0
    t.generalizedAlpha.spectralRadius = a["rho"]
    t.newton.useModifiedNewton = True
    t.newton.modifiedNewtonJacUpdatePerStep = full
    t.discontinuous.iterationTolerance = a.get("discontinuous", 1e-3)
    t.adaptiveStep = False
    s.solution.file.write = False
    s.solution.sensors.writePeriod = a["window"] / 20
    s.linearSolver.solverType = exu.LinearSolverType.EigenSparse
    s.linearSolver.reuseAnalyzedPattern = True
    s.parallel.numberOfThreads = 1
    clock = time.process_time()
    try:
        mbs.SolveDynamic(s, solverType=exu.DynamicSolverType.GeneralizedAlpha)
    except Exception as error:
        return {"h": h, "full": full, "failed": str(error).strip().splitlines()[-1][:120], "at": float(mbs.systemData.GetTime())}
    clock = time.process_time() - clock
    it = mbs.sys["dynamicSolver"].it
    angles = np.column_stack([mbs.GetSensorStoredData(q)[1:, 3] for q in sensors])
    speed = [float(mbs.systemData.GetODE2Coordinates_t()[-3 * k - 1]) for k in (1, 0)]
    return {"h": h, "full": full, "seconds": clock, "steps": int(t.numberOfSteps), "newton": int(it.newtonStepsCount),
            "jacobians": int(it.newtonJacobiCount), "angles": angles[-20:].tolist(), "speed": speed,
            "version": exu.GetVersionString()}  # fmt: skip


if __name__ == "__main__":
    with open(json.loads(sys.argv[1])["file"]) as f:
        a = json.load(f)
    for h in a["steps"]:
        for full in a.get("full", [False]):
            print(json.dumps(run(a, h, full)), flush=True)
