"""A flexible body in Exudyn's reduced-order floating frame; a line of JSON for each step size: CPU seconds and the
modal coordinates at the samples.

Matrices and modes come in a file, the same that our model has: nodes about the centre of mass, M, K, shapes (3 nodes,
modes).
"""

import json
import sys
import time
import warnings

warnings.filterwarnings("ignore")
sys.exudynFast = True  # no range checks: its fastest build
import exudyn as exu  # noqa: E402
import numpy as np  # noqa: E402
import scipy.sparse as sp  # noqa: E402
from exudyn.FEM import FEMinterface, ObjectFFRFreducedOrderInterface  # noqa: E402
from exudyn.utilities import (  # noqa: E402
    MarkerBodyRigid,
    MarkerSuperElementPosition,
    ObjectGround,
    ObjectJointSpherical,
    RigidBodyInertia,
    SensorNode,
)

a = json.loads(sys.argv[1])
data = np.load(a["file"])
fem = FEMinterface()
fem.nodes = {"Position": data["nodes"]}
fem.massMatrix, fem.stiffnessMatrix = (sp.csr_matrix(data[name]) for name in ("M", "K"))
fem.modeBasis = {"matrix": data["modes"], "type": "NormalModes"}
cms = ObjectFFRFreducedOrderInterface(fem)
SC = exu.SystemContainer()


def build():
    SC.Reset()
    mbs = SC.AddSystem()
    body = cms.AddObjectFFRFreducedOrder(
        mbs,
        positionRef=a["position"],
        initialVelocity=a["velocity"],
        initialAngularVelocity=a["spin"],
        stiffnessProportionalDamping=a["damping"],
        gravity=a["gravity"],
    )
    at = lambda k: mbs.AddMarker(
        MarkerSuperElementPosition(
            bodyNumber=body["oFFRFreducedOrder"], meshNodeNumbers=[a["ends"][k]], weightingFactors=[1.0]
        )
    )
    ends = [at(0), at(1)]
    if a["case"] == "rotor":
        ground = mbs.AddObject(ObjectGround())
        for k, axes in enumerate(([1, 1, 1], a["across"])):
            place = (data["nodes"][a["ends"][k]] + a["position"]).tolist()
            fixed = mbs.AddMarker(MarkerBodyRigid(bodyNumber=ground, localPosition=place))
            mbs.AddObject(ObjectJointSpherical(markerNumbers=[fixed, ends[k]], constrainedAxes=axes))
    else:
        ground = mbs.CreateGround()
        crank = mbs.CreateRigidBody(
            referencePosition=[0, 0, 0],
            initialAngularVelocity=[0, 0, a["crank_speed"]],
            inertia=RigidBodyInertia(a["crank"][0], np.diag([a["crank"][1]] * 3)),
            gravity=a["gravity"],
        )
        slider = mbs.CreateRigidBody(
            referencePosition=a["slider_at"],
            inertia=RigidBodyInertia(a["slider"][0], np.diag([a["slider"][1]] * 3)),
            gravity=a["gravity"],
        )
        mbs.CreateRevoluteJoint(bodyNumbers=[ground, crank], position=[0, 0, 0], axis=[0, 0, 1], useGlobalFrame=True)
        mbs.CreatePrismaticJoint(
            bodyNumbers=[ground, slider], position=a["slider_at"], axis=[1, 0, 0], useGlobalFrame=True
        )
        for k, (other, place) in enumerate(((crank, a["pin"]), (slider, [0, 0, 0]))):
            m = mbs.AddMarker(MarkerBodyRigid(bodyNumber=other, localPosition=place))
            mbs.AddObject(ObjectJointSpherical(markerNumbers=[m, ends[k]], constrainedAxes=[1, 1, 1]))
    sensor = mbs.AddSensor(
        SensorNode(
            nodeNumber=body["nGenericODE2"], storeInternal=True, outputVariableType=exu.OutputVariableType.Coordinates
        )
    )
    mbs.Assemble()
    return mbs, sensor


for steps in a["steps"]:
    finest = steps == a["finest"]
    for rho in (
        (1.0,) if finest else (0.9, 1.0)
    ):  # the trapezoidal rule of index 2, and generalised alpha with little damping
        for modified in (True,) if finest else (True, False):
            for dense in (True,) if finest else (True, False):
                seconds = []
                for _ in range(1 if finest else a["repeats"]):
                    mbs, sensor = build()
                    s = exu.SimulationSettings()
                    t = s.timeIntegration
                    t.numberOfSteps, t.endTime, t.verboseMode = steps, a["end"], 0
                    t.generalizedAlpha.spectralRadius = rho
                    t.generalizedAlpha.computeInitialAccelerations = True
                    t.newton.useModifiedNewton = modified
                    t.newton.relativeTolerance = 1e-8
                    t.adaptiveStep = False
                    s.solutionSettings.writeSolutionToFile = False
                    s.solutionSettings.sensorsWritePeriod = a["end"] / a["samples"]
                    s.linearSolver.solverType = (
                        exu.LinearSolverType.EigenDense if dense else exu.LinearSolverType.EigenSparse
                    )
                    s.parallel.numberOfThreads = 1
                    kind = (
                        exu.DynamicSolverType.GeneralizedAlpha if rho < 1 else exu.DynamicSolverType.TrapezoidalIndex2
                    )
                    clock = time.process_time()
                    try:
                        mbs.SolveDynamic(s, solverType=kind)
                    except Exception:
                        break
                    seconds.append(time.process_time() - clock)
                    if seconds[-1] > 0.3:
                        break
                if not seconds:
                    continue
                rows = np.array(mbs.GetSensorStoredData(sensor))
                q = rows[-a["samples"] :, 1:]
                out = {
                    "steps": steps,
                    "seconds": min(seconds),
                    "q": q.tolist(),
                    "version": exu.GetVersionString(),
                    "times": [rows[-1, 0], len(rows)],
                    "variant": f"{'alpha' if rho < 1 else 'trapezoidal'}, {'modified' if modified else 'full'}, "
                    f"{'dense' if dense else 'sparse'}",
                }
                print(json.dumps(out), flush=True)
