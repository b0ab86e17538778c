# ruff: noqa: F403, F405  (Exudyn's own way of import)
"""Exudyn: a slider-crank that hits a stop, a ball that bounces; steps of one size (implicit trapezoidal), symbolic user
functions.

Argument: JSON {"scene": "stop" | "sphere", "steps": [h, ...], "end": s, "repeat": n}.  Output: a line of JSON per step
size.
"""

import json
import math
import sys
import time

import exudyn as exu
import numpy as np
from exudyn.utilities import *

exu.config.printToConsole = False
STOP = {"K": 1e7, "c": 500.0, "d": 1e-4}
SPHERE = {"K": 2.89e5 * 1e3**1.5, "c": 500.0, "d": 1e-4}


def law(x, v, p):
    """IMPACT as a symbolic function."""
    S = exu.symbolic
    deep = S.IfThenElse(x > 0.0, x, S.Real(1e-30))
    ramp = S.IfThenElse(x > p["d"], S.Real(1.0), (deep / p["d"]) * (deep / p["d"]) * (3.0 - 2.0 * deep / p["d"]))
    f = p["K"] * deep * S.sqrt(deep) + p["c"] * ramp * v
    return S.IfThenElse(x > 0.0, S.IfThenElse(f > 0.0, f, S.Real(0.0)), S.Real(0.0))


def symbolic(m, o, function):
    m.SetObjectParameter(
        o, "springForceUserFunction", CreateSymbolicUserFunction(m, function, "springForceUserFunction", o)
    )


def sphere(m):
    node = m.AddNode(Node1D(referenceCoordinates=[0.1]))
    m.AddObject(Mass1D(nodeNumber=node, physicsMass=1.0))
    mc = m.AddMarker(MarkerNodeCoordinate(nodeNumber=node, coordinate=0))
    mg = m.AddMarker(MarkerNodeCoordinate(nodeNumber=m.AddNode(NodePointGround()), coordinate=0))
    m.AddLoad(LoadCoordinate(markerNumber=mc, load=-9.81))
    o = m.AddObject(CoordinateSpringDamper(markerNumbers=[mg, mc]))
    # Exudyn reads the name of each argument
    symbolic(
        m,
        o,
        lambda mbs, t, itemNumber, displacement, velocity, stiffness, damping, offset: (
            -1.0 * law(-0.1 - displacement, -1.0 * velocity, SPHERE)
        ),
    )
    return lambda: 0.15 + float(np.ravel(m.GetNodeOutput(node, exu.OutputVariableType.Coordinates))[0])


def stop(m):
    a, b = 0.2, 0.5
    xs = math.sqrt(b * b - a * a)
    ground = m.AddObject(ObjectGround())
    nodes, objects = [], []
    for mass, inertia, x, y, angle, v, w in (
        (1.0, a * a / 12, 0.0, a / 2, math.pi / 2, -2.0, 20.0),
        (1.0, b * b / 12, xs / 2, a / 2, -math.asin(a / b), -4.0, 0.0),
        (0.5, 1e-3, xs, 0.0, 0.0, -4.0, 0.0),
    ):
        node = m.AddNode(NodeRigidBody2D(referenceCoordinates=[x, y, angle], initialVelocities=[v, 0, w]))
        nodes.append(node)
        objects.append(m.AddObject(RigidBody2D(nodeNumber=node, physicsMass=mass, physicsInertia=inertia)))
    at = lambda k, x: m.AddMarker(MarkerBodyPosition(bodyNumber=objects[k], localPosition=[x, 0, 0]))
    m.AddObject(RevoluteJoint2D(markerNumbers=[m.AddMarker(MarkerBodyRigid(bodyNumber=ground)), at(0, -a / 2)]))
    m.AddObject(RevoluteJoint2D(markerNumbers=[at(0, a / 2), at(1, -b / 2)]))
    m.AddObject(RevoluteJoint2D(markerNumbers=[at(1, b / 2), at(2, 0.0)]))
    mg = m.AddMarker(MarkerNodeCoordinate(nodeNumber=m.AddNode(NodePointGround()), coordinate=0))
    mc = [m.AddMarker(MarkerNodeCoordinate(nodeNumber=nodes[2], coordinate=i)) for i in range(3)]
    for i in (1, 2):
        m.AddObject(CoordinateConstraint(markerNumbers=[mg, mc[i]]))
    m.AddObject(CoordinateSpringDamper(markerNumbers=[mg, mc[0]], stiffness=200.0, offset=0.7 - xs))
    o = m.AddObject(CoordinateSpringDamper(markerNumbers=[mg, mc[0]], offset=0.65 - xs))
    symbolic(
        m,
        o,
        lambda mbs, t, itemNumber, displacement, velocity, stiffness, damping, offset: law(
            displacement - offset, velocity, STOP
        ),
    )
    return lambda: float(m.GetNodeOutput(nodes[2], exu.OutputVariableType.Position)[0])


def main() -> None:
    given = json.loads(sys.argv[1])
    for h in given["steps"]:
        best = math.inf
        for _ in range(given.get("repeat", 2)):
            container = exu.SystemContainer()
            m = container.AddSystem()
            value = {"stop": stop, "sphere": sphere}[given["scene"]](m)
            m.Assemble()
            s = exu.SimulationSettings()
            t = s.timeIntegration
            t.numberOfSteps = round(given["end"] / h)
            t.endTime = given["end"]
            t.generalizedAlpha.computeInitialAccelerations = True
            t.newton.useModifiedNewton = True
            s.solutionSettings.writeSolutionToFile = False
            s.solutionSettings.sensorsWritePeriod = 1.0
            t.verboseMode = 0
            s.linearSolver.solverType = exu.LinearSolverType.EigenDense
            begin = time.process_time()
            m.SolveDynamic(s, solverType=exu.DynamicSolverType.TrapezoidalIndex2)
            best = min(best, time.process_time() - begin)
        print(
            json.dumps(
                {
                    "h": h,
                    "value": value(),
                    "cpu": best,
                    "version": exu.config.Version() if hasattr(exu, "config") else exu.__version__,
                }
            ),
            flush=True,
        )


main()
