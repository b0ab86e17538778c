"""Spheres that fall into an open box, by Exudyn's GeneralContact (linear penalty, search tree) with explicit Euler.

With "windows": (steps, ...) it continues from positions and velocities given, that many steps again and again, and
gives the clock of each.
"""

import json
import os
import sys
import time
import warnings

warnings.filterwarnings("ignore")
sys.exudynFast = True  # no range checks: its fastest build
import exudyn as exu  # noqa: E402
import exudyn.graphics as graphics  # noqa: E402
import numpy as np  # noqa: E402
from exudyn.utilities import InertiaSphere, MarkerBodyRigid, MarkerNodeRigid, ObjectGround  # noqa: E402

a = json.load(open(json.loads(sys.argv[1])["file"]))
places, w, r, h = np.array(a["places"]), a["box"], a["radius"], a["h"]
mbs = exu.SystemContainer().AddSystem()
gc = mbs.AddGeneralContact()
gc.SetFrictionPairings(a["mu"] * np.eye(1))
gc.SetFrictionProportionalZone(a["zone"])
gc.SetSearchTreeCellSize(a.get("cells", [20, 20, 20]))
gc.SetSearchTreeBox([-w, -w, -0.2], [w, w, 0.2 + places[:, 2].max()])
ground = mbs.AddMarker(MarkerBodyRigid(bodyNumber=mbs.AddObject(ObjectGround())))
both = dict(contactStiffness=2 * a["k"], contactDamping=2 * a["c"], frictionMaterialIndex=0)  # of two in series
side, H = 2 * w + 0.4, max(4.0, 0.5 + places[:, 2].max())
for centre, size in (
    ([0, 0, -0.1], [side, side, 0.2]),
    ([w + 0.1, 0, H / 2], [0.2, side, H]),
    ([-w - 0.1, 0, H / 2], [0.2, side, H]),
    ([0, w + 0.1, H / 2], [side, 0.2, H]),
    ([0, -w - 0.1, H / 2], [side, 0.2, H]),
):
    points, triangles = graphics.ToPointsAndTrigs(graphics.Brick(centerPoint=centre, size=size))
    gc.AddTrianglesRigidBodyBased(rigidBodyMarkerIndex=ground, pointList=points, triangleList=triangles, **both)
nodes = []
speeds = a.get("speeds", [[0.0] * 3] * len(places))
spins = a.get("spins", [[0.0] * 3] * len(places))
for p, v, o in zip(places, speeds, spins):
    made = mbs.CreateRigidBody(
        inertia=InertiaSphere(a["mass"], r),
        referencePosition=p.tolist(),
        initialVelocity=v,
        initialAngularVelocity=o,
        gravity=[0, 0, -9.81],
        nodeType=exu.NodeType.RotationRotationVector,
        returnDict=True,
    )
    nodes.append(made["nodeNumber"])
    gc.AddSphereWithMarker(mbs.AddMarker(MarkerNodeRigid(nodeNumber=made["nodeNumber"])), radius=r, **both)
mbs.Assemble()
s = exu.SimulationSettings()
t = s.timeIntegration
t.numberOfSteps, t.endTime, t.verboseMode = round(a["end"] / h), a["end"], 0
t.explicit.computeMassMatrixInversePerBody = True
t.explicit.computeEndOfStepAccelerations = False
t.reuseConstantMassMatrix = True
s.linearSolver.solverType = exu.LinearSolverType.EigenSparse
s.solution.file.write = False
s.solution.sensors.active = False
s.parallel.numberOfThreads = a.get("threads", 1)
if "windows" in a:
    windows = []
    for steps in a["windows"]:
        t.numberOfSteps, t.endTime = steps, steps * h
        wall, cpu = time.perf_counter(), time.process_time()
        mbs.SolveDynamic(s, solverType=exu.DynamicSolverType.ExplicitEuler, updateInitialValues=True)
        windows.append((steps, time.perf_counter() - wall, time.process_time() - cpu))
    print(json.dumps({"windows": windows, "version": exu.GetVersionString()}))
    sys.stdout.flush()
    os._exit(0)
clock = time.process_time()
mbs.SolveDynamic(s, solverType=exu.DynamicSolverType.ExplicitEuler)
clock = time.process_time() - clock
q = np.array([mbs.GetNodeOutput(n, exu.OutputVariableType.Position) for n in nodes])
print(
    json.dumps(
        {
            "seconds": clock,
            "steps": int(t.numberOfSteps),
            "height": float(q[:, 2].mean()),
            "version": exu.GetVersionString(),
        }
    )
)
