"""The revolute chain in Exudyn's generalised-alpha solver; prints seconds per step and the tip after the run."""

import json
import sys
import time
import warnings

warnings.filterwarnings("ignore")
sys.exudynFast = True  # no range checks: its fastest build
import exudyn as exu  # noqa: E402
import numpy as np  # noqa: E402
from exudyn.utilities import RigidBodyInertia  # noqa: E402

a = json.loads(sys.argv[1])
n, L, m, w = a["bodies"], a["length"], a["mass"], a["width"]
SC = exu.SystemContainer()
mbs = SC.AddSystem()
J = np.diag([m / 12 * 2 * w * w, m / 12 * (L * L + w * w), m / 12 * (L * L + w * w)])
inertia = RigidBodyInertia(mass=m, inertiaTensor=J)
previous = mbs.CreateGround(referencePosition=[0, 0, 0])
for k in range(n):
    body = mbs.CreateRigidBody(
        referencePosition=[(k + 0.5) * L, 0, 0],
        inertia=inertia,
        gravity=a["gravity"],
        nodeType=exu.NodeType.RotationEulerParameters,
    )
    body = body["bodyNumber"] if isinstance(body, dict) else body
    axis = [0, 1, 0] if k % 2 == 0 else [0, 0, 1]
    mbs.CreateRevoluteJoint(
        bodyNumbers=[previous, body], position=[k * L, 0, 0], axis=axis, useGlobalFrame=True, show=False
    )
    previous = body
mbs.Assemble()
best = None
for each in (False, True):  # modified Newton, and a Jacobian every step: take the faster
    s = exu.SimulationSettings()
    t = s.timeIntegration
    t.numberOfSteps = a["steps"]
    t.endTime = a["steps"] * a["h"]
    t.verboseMode = 0
    t.generalizedAlpha.spectralRadius = a["rho"]
    t.newton.useModifiedNewton = True
    t.newton.modifiedNewtonJacUpdatePerStep = each
    t.newton.relativeTolerance = a["tolerance"]
    t.adaptiveStep = False
    s.solution.file.write = False
    s.solution.sensors.active = False
    s.linearSolver.solverType = exu.LinearSolverType.EigenSparse
    s.linearSolver.reuseAnalyzedPattern = True
    s.parallel.numberOfThreads = 1
    clock = time.perf_counter()
    mbs.SolveDynamic(s, solverType=exu.DynamicSolverType.GeneralizedAlpha)
    clock = time.perf_counter() - clock
    it = mbs.sys["dynamicSolver"].it
    tip = mbs.GetObjectOutputBody(previous, exu.OutputVariableType.Position, [0.5 * L, 0, 0])
    out = {
        "seconds": clock / a["steps"],
        "newton": it.newtonStepsCount / a["steps"],
        "tip": list(map(float, tip)),
        "variant": "Jacobian every step" if each else "modified Newton",
        "version": exu.GetVersionString(),
    }
    if best is None or out["seconds"] < best["seconds"]:
        best = out
print(json.dumps(best))
