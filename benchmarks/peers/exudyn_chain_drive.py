"""The chain drive in Exudyn: planar rigid links, revolute joints, rollers as circles against each sprocket's outline
(its ObjectContactCurveCircles), without friction and contact damping.  One line of JSON a run: CPU seconds, counts,
angles of both sprockets at 20 times.

Two faults of the contact in Exudyn 1.13.6 shape the model.  It takes the first circle's Jacobian for all circles, so
that circles off their bodies' reference points get another link's moments and the chain spins up; here every body is a
roller, with half of the mass of the links on both sides, and the rest of a link's inertia (negative for this slender
one) about it: the same equations of motion.  And the velocity of the curve under a circle lacks the arm from the
curve's marker, so that contact damping brakes a turning wheel.
"""

import json
import sys
import time
import warnings

warnings.filterwarnings("ignore")
sys.exudynFast = True  # no range checks: its fastest build
import exudyn as exu  # noqa: E402

exu.special.exceptions.parameterRangeChecks = False  # it would refuse the inertia of the rollers
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
            referencePosition=[*place, 0],
            referenceRotationMatrix=np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]]),
            initialVelocity=[*velocity, 0],
            initialAngularVelocity=[0, 0, spin],
            gravity=gravity,
            inertia=RigidBodyInertia(mass=mass, inertiaTensor=np.diag([inertia] * 3)),
            create2D=True,
        )

    marker = lambda b, p=(0, 0): mbs.AddMarker(MarkerBodyRigid(bodyNumber=b, localPosition=[*p, 0]))
    half = 0.5 * a["pitch"]
    links = []
    for p, angle, v, spin in a["links"]:
        d = half * np.array([np.cos(angle), np.sin(angle)])
        b = body(a["mass"], a["inertia"], p - d, angle, [v[0] + spin * d[1], v[1] - spin * d[0]], spin)
        mbs.SetObjectParameter(b, "physicsInertia", a["inertia"] - a["mass"] * half**2)
        links.append(b)
    fore, aft = [marker(b, (2 * half, 0)) for b in links], [marker(b) for b in links]
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
        mbs.AddObject(
            ObjectContactCurveCircles(
                markerNumbers=[m, *aft],
                nodeNumber=data,
                circlesRadii=[a["radius"]] * len(links),
                segmentsData=exu.MatrixContainer(np.array(curve)),
                contactStiffness=a["stiffness"],
                contactDamping=0.0,
            )
        )
        node = mbs.GetObject(b)["nodeNumber"]
        sensors.append(
            mbs.AddSensor(
                SensorNode(nodeNumber=node, storeInternal=True, outputVariableType=exu.OutputVariableType.Coordinates)
            )
        )
    mbs.Assemble()
    return mbs, sensors


def run(a, h):
    """One run with step h: generalised alpha, modified Newton (it is faster here than a Jacobian at every step)."""
    mbs, sensors = build(a)
    s = exu.SimulationSettings()
    t = s.timeIntegration
    t.numberOfSteps = round(a["window"] / h)
    t.endTime = a["window"]
    t.verboseMode = 0
    t.generalizedAlpha.spectralRadius = 0.9
    t.newton.useModifiedNewton = True
    t.adaptiveStep = False
    s.solution.file.write = False
    s.solution.sensors.writePeriod = a["window"] / 20
    s.linearSolver.solverType = exu.LinearSolverType.EigenSparse
    s.linearSolver.reuseAnalyzedPattern = True
    s.parallel.numberOfThreads = 1
    answer = {"h": h, "settings": "generalised alpha", "version": f"exudyn {exu.config.Version()}"}
    clock = time.process_time()
    try:
        mbs.SolveDynamic(s, solverType=exu.DynamicSolverType.GeneralizedAlpha)
    except Exception as error:
        return answer | {"failed": str(error).strip().splitlines()[-1][:120]}
    clock = time.process_time() - clock
    angles = np.column_stack([mbs.GetSensorStoredData(q)[1:, 3] for q in sensors])
    return answer | {"seconds": clock, "steps": int(t.numberOfSteps), "angles": angles[-20:].tolist()}


def faults():
    """Two rollers 10 mm deep in straight pieces of a free wheel's curve (stiffness 100 N/m^2, pieces of 1 m: 1 N
    each)."""

    def accelerations(angles, arm, spin, damping):
        mbs = exu.SystemContainer().AddSystem()
        unit = RigidBodyInertia(mass=1.0, inertiaTensor=np.eye(3))
        wheel = mbs.CreateRigidBody(inertia=unit, initialAngularVelocity=[0, 0, spin], create2D=True)
        markers = [mbs.AddMarker(MarkerBodyRigid(bodyNumber=wheel))]
        for k, angle in enumerate(angles):
            c, s = np.cos(angle), np.sin(angle)
            x, y = 1 + 2 * k - arm * c, 0.09 - arm * s
            b = mbs.CreateRigidBody(
                inertia=unit,
                referencePosition=[x, y, 0],
                referenceRotationMatrix=[[c, -s, 0], [s, c, 0], [0, 0, 1]],
                initialVelocity=[-spin * y, spin * x, 0],
                initialAngularVelocity=[0, 0, spin],
                create2D=True,
            )
            markers.append(mbs.AddMarker(MarkerBodyRigid(bodyNumber=b, localPosition=[arm, 0, 0])))
        data = mbs.AddNode(NodeGenericData(initialCoordinates=[-1, 0, 0] * 2, numberOfDataCoordinates=6))
        mbs.AddObject(
            ObjectContactCurveCircles(
                markerNumbers=markers,
                nodeNumber=data,
                circlesRadii=[0.1, 0.1],
                contactStiffness=100.0,
                segmentsData=exu.MatrixContainer(np.array([[1.5, 0, 0.5, 0], [3.5, 0, 2.5, 0]])),
                contactDamping=damping,
            )
        )
        mbs.Assemble()
        s = exu.SimulationSettings()
        s.timeIntegration.numberOfSteps, s.timeIntegration.endTime, s.timeIntegration.verboseMode = 2, 1e-4, 0
        s.solution.file.write = False
        mbs.SolveDynamic(s)
        return mbs.systemData.GetODE2Coordinates_tt().reshape(-1, 3)[1:]

    got, angles = accelerations((0.3, 1.2), 0.5, 0.0, 0.0), (0.3, 1.2)
    for k in range(2):
        print(
            f"moment of 1 N on roller {k + 1}, 0.5 m from its body's point: {got[k, 2]:.4f} N m, should be "
            f"{0.5 * np.cos(angles[k]):.4f}"
        )
    got = accelerations((0.0, 0.0), 0.0, 2.0, 10.0)
    for k in range(2):
        print(f"all turn as one body, damping 10 N s/m^2: force on roller {k + 1}: {got[k, 1]:.2f} N, should be 1.00")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(faults())
    with open(json.loads(sys.argv[1])["file"]) as f:
        a = json.load(f)
    for h in a["steps"]:
        print(json.dumps(run(a, h)), flush=True)
