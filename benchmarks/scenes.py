"""A model of ours in plain numbers, from which the scripts of the peers build theirs.

Bodies in their principal axes, joints by position and axis at the start, a spanning tree from ground and the joints
that close loops: everything in SI and in the axes of ground, at the assembled start.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from .problems import Problem

JOINT_TYPES = ("REVOLUTE", "TRANSLATIONAL", "SPHERICAL", "UNIVERSAL")


def describe(problem: Problem) -> dict:
    """The scene of a problem.  Raises ValueError for an element that the scripts of the peers do not know."""
    from holonom.analyses.assemble import assemble
    from holonom.model.orientation import from_quaternion
    from holonom.system.build import System

    model = problem.model()
    system = System(model)
    y = assemble(system).y
    n = system.nb
    bodies = []
    for k, body in enumerate(system.body_elements):
        s = y[13 * k : 13 * k + 13]
        R = from_quaternion(s[3:7])
        inertia = system.bodies.J[k] if system.bodies.rotates[k] else np.zeros(3)
        bodies.append(
            {
                "name": body.name,
                "mass": float(system.bodies.mass[k]),
                "inertia": inertia.tolist(),
                "place": s[:3].tolist(),
                "axes": R.tolist(),
                "v": s[7:10].tolist(),
                "w": (R @ s[10:13]).tolist(),
            }
        )

    def frame(marker):
        """Body (-1: ground), position and axes of a marker."""
        f = system.frame(marker)
        body, s, A = system.frame_list[f]
        if body == n:
            return -1, s, A
        here = system.body_frame(y, body)
        return body, here.origin + here.axes @ s, here.axes @ A

    joints, springs, dampers, torques = [], [], [], []
    if problem.name == "pendulum":  # its point mass on a distance row is a massless bar on a hinge
        joints.append(
            {
                "kind": "REVOLUTE",
                "a": 0,
                "b": -1,
                "point": [0.0] * 3,
                "axis": [0.0, 0.0, 1.0],
                "axis_b": [0.0, 0.0, 1.0],
            }
        )
    else:
        for c in system.constraints:
            if getattr(c.element, "type", "") not in JOINT_TYPES:
                raise ValueError(f"{c.element.label} has no counterpart in the scenes of the peers")
            a, p, A = frame(c.element.i)
            b, _, B = frame(c.element.j)
            joints.append(
                {
                    "kind": c.element.type,
                    "a": a,
                    "b": b,
                    "point": p.tolist(),
                    "axis": A[:, 2].tolist(),
                    "axis_b": B[:, 2].tolist(),
                }
            )
    for e in model.table("SPRINGDAMPER").values():
        a, p, _ = frame(e.i)
        b, q, B = frame(e.j)
        if e.kind == "ROTATIONAL":
            if e.kt or e.torque:
                raise ValueError("only dampers turn in the scenes of the peers")
            dampers.append({"joint": next(k for k, j in enumerate(joints) if {j["a"], j["b"]} == {a, b}), "c": e.ct})
        else:
            springs.append({"a": a, "p": p.tolist(), "b": b, "q": q.tolist(), "k": e.k, "c": e.c, "length": e.length})
    for e in model.table("VTORQUE").values():
        torques.append({"body": frame(e.i)[0], "z": float(e.tz)})
    z = lambda v: abs(abs(v[2]) - 1.0) < 1e-9
    planar = all(z(j["axis"]) for j in joints if j["kind"] == "REVOLUTE") and not any(
        j["kind"] in JOINT_TYPES[2:] for j in joints
    )
    planar = (
        planar
        and all(abs(j["axis"][2]) < 1e-9 for j in joints if j["kind"] == "TRANSLATIONAL")
        and abs(model.gravity[2]) < 1e-9
    )
    index = {b["name"]: k for k, b in enumerate(bodies)}
    probes = [
        {"kind": p[0], "body": index[p[1]] if len(p) > 1 else 0, "point": list(p[2]) if len(p) > 2 else None}
        for p in (problem.probe, problem.also)
        if p
    ]
    tree, loops = span(n, joints)
    return {
        "name": problem.name,
        "end": problem.end,
        "gravity": list(map(float, model.gravity)),
        "planar": bool(planar),
        "bodies": bodies,
        "joints": joints,
        "springs": springs,
        "dampers": dampers,
        "torques": torques,
        "probes": probes,
        "tree": tree,
        "loops": loops,
    }


def span(n: int, joints: list[dict]):
    """(joint, parent, child) of a tree, nearest to ground first, spherical joints last; and the joints left over."""
    tree: list = []
    done, left = {-1}, set(range(len(joints)))
    for spherical in (False, True):
        grown = True
        while grown:
            ring = []
            for k in sorted(left):
                j = joints[k]
                if (j["kind"] == "SPHERICAL") > spherical:
                    continue
                inside = [b for b in (j["a"], j["b"]) if b in done]
                child = j["b"] if j["a"] in done else j["a"]
                if len(inside) == 1 and child not in (c for _, _, c in ring):
                    ring.append((k, inside[0], child))
            for k, _, child in ring:
                left.discard(k)
                done.add(child)
            tree += ring
            grown = bool(ring)
    assert len(tree) == n, "a body hangs on nothing"
    return tree, sorted(left)


def written(problem: Problem, folder: Path) -> Path:
    """The scene of a problem as a file."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{problem.name}.json"
    path.write_text(json.dumps(describe(problem)))
    return path
