"""A falling cable pendulum of ANCF cable elements in Exudyn's generalised-alpha solver; prints seconds per step and the
tip after the run."""

import json
import sys
import time
import warnings

warnings.filterwarnings("ignore")
sys.exudynFast = True  # no range checks: its fastest build
import exudyn as exu  # noqa: E402
import exudyn.itemInterface as ii  # noqa: E402

a = json.loads(sys.argv[1])
n, L, plane = a["elements"], a["length"], a["plane"]
SC = exu.SystemContainer()
mbs = SC.AddSystem()
mbs.AddObject(ii.ObjectGround())
h = L / n
if plane:
    nodes = [mbs.AddNode(ii.NodePoint2DSlope1(referenceCoordinates=[k * h, 0, 1, 0])) for k in range(n + 1)]
else:
    nodes = [mbs.AddNode(ii.NodePointSlope1(referenceCoordinates=[k * h, 0, 0, 1, 0, 0])) for k in range(n + 1)]
cable = ii.ObjectANCFCable2D if plane else ii.ObjectANCFCable
gravity = [0, -9.81, 0]
for k in range(n):
    o = mbs.AddObject(
        cable(
            physicsLength=h,
            physicsMassPerLength=a["mass"],
            physicsBendingStiffness=a["EI"],
            physicsAxialStiffness=a["EA"],
            nodeNumbers=[nodes[k], nodes[k + 1]],
            useReducedOrderIntegration=0,
        )
    )
    mbs.AddLoad(
        ii.LoadMassProportional(markerNumber=mbs.AddMarker(ii.MarkerBodyMass(bodyNumber=o)), loadVector=gravity)
    )
ground = mbs.AddMarker(ii.MarkerNodeCoordinate(nodeNumber=mbs.AddNode(ii.NodePointGround()), coordinate=0))
for c in range(2 if plane else 3):
    end = mbs.AddMarker(ii.MarkerNodeCoordinate(nodeNumber=nodes[0], coordinate=c))
    mbs.AddObject(ii.CoordinateConstraint(markerNumbers=[ground, end]))
mbs.Assemble()
best = None
start = mbs.systemData.GetSystemState()
for modified in (True, False):  # take the faster
    for _ in range(a["repeats"]):
        mbs.systemData.SetSystemState(start, configuration=exu.ConfigurationType.Initial)
        s = exu.SimulationSettings()
        t = s.timeIntegration
        t.numberOfSteps = a["steps"]
        t.endTime = a["steps"] * a["h"]
        t.verboseMode = 0
        t.generalizedAlpha.spectralRadius = a["rho"]
        t.newton.useModifiedNewton = modified
        t.newton.relativeTolerance = a["tolerance"]
        t.newton.absoluteTolerance = 1e-10
        t.adaptiveStep = False
        s.solutionSettings.writeSolutionToFile = False
        s.solutionSettings.sensorsWritePeriod = 1e3
        s.linearSolverType = exu.LinearSolverType.EigenSparse
        s.parallel.numberOfThreads = 1
        clock = time.process_time()
        mbs.SolveDynamic(s)
        clock = time.process_time() - clock
        it = mbs.sys["dynamicSolver"].it
        tip = mbs.GetNodeOutput(nodes[-1], exu.OutputVariableType.Position)
        out = {
            "seconds": clock / a["steps"],
            "newton": it.newtonStepsCount / a["steps"],
            "tip": list(map(float, tip)),
            "variant": "modified Newton" if modified else "full Newton",
            "version": exu.GetVersionString(),
        }
        if best is None or out["seconds"] < best["seconds"]:
            best = out
print(json.dumps(best))
