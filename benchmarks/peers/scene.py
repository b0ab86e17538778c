"""What the scripts of the peers share: reading a scene (see ../scenes.py), least CPU time, one line of JSON a level."""

import json
import sys
import time

import numpy as np


class Scene:
    """Bodies, joints and forces of a scene as arrays; positions in ground unless specified otherwise."""

    def __init__(self, path):
        with open(path) as f:
            self.data = d = json.load(f)
        self.n = len(d["bodies"])
        self.end, self.planar, self.gravity = d["end"], d["planar"], np.array(d["gravity"])
        self.mass = [b["mass"] for b in d["bodies"]]
        self.inertia = [np.array(b["inertia"]) for b in d["bodies"]]
        self.place = [np.array(b["place"]) for b in d["bodies"]] + [np.zeros(3)]  # [-1] is ground
        self.axes = [np.array(b["axes"]) for b in d["bodies"]] + [np.eye(3)]
        self.v = [np.array(b["v"]) for b in d["bodies"]] + [np.zeros(3)]
        self.w = [np.array(b["w"]) for b in d["bodies"]] + [np.zeros(3)]
        self.joints, self.springs, self.dampers, self.torques = d["joints"], d["springs"], d["dampers"], d["torques"]
        for j in self.joints:
            for k in ("point", "axis", "axis_b"):
                j[k] = np.array(j[k])
        self.tree, self.loops, self.probes = d["tree"], d["loops"], d["probes"]
        self.energy_wanted = self.probes[0]["kind"] == "energy"

    def local(self, body, point):
        """A point in the axes of a body, from its centre of mass."""
        return self.axes[body].T @ (np.asarray(point, float) - self.place[body])

    def turned(self, body, direction):
        return self.axes[body].T @ np.asarray(direction, float)

    def relative(self, joint, parent, child):
        """Velocity of the child against the parent at the joint, and their relative angular velocity, in ground."""
        p = self.joints[joint]["point"]
        at = lambda b: self.v[b] + np.cross(self.w[b], p - self.place[b])
        return at(child) - at(parent), self.w[child] - self.w[parent]

    def read(self, pose, change=None):
        """Values of the probes; ``pose(body)`` gives position and axes at the end, ``change`` the largest change of
        energy."""
        out = []
        for probe in self.probes:
            b = probe["body"]
            if probe["kind"] == "energy":
                out.append(float(change))
                continue
            place, axes = pose(b)
            if probe["kind"] == "angle":
                x = axes @ self.axes[b].T
                out.append(float(np.arctan2(x[1, 0], x[0, 0])))
            else:
                out.append((np.asarray(place) + axes @ self.local(b, probe["point"])).tolist())
        return out


def frame(axis):
    """Axes (columns) with z along ``axis``."""
    z = np.asarray(axis, float)
    x = np.eye(3)[np.argmin(np.abs(z))]
    x = x - z * (x @ z)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def quaternion(R):
    """Scalar first."""
    q = np.array(
        [
            1 + R[0, 0] + R[1, 1] + R[2, 2],
            1 + R[0, 0] - R[1, 1] - R[2, 2],
            1 - R[0, 0] + R[1, 1] - R[2, 2],
            1 - R[0, 0] - R[1, 1] + R[2, 2],
        ]
    )
    k = int(np.argmax(q))
    d = {
        0: (q[0], R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]),
        1: (R[2, 1] - R[1, 2], q[1], R[0, 1] + R[1, 0], R[0, 2] + R[2, 0]),
        2: (R[0, 2] - R[2, 0], R[0, 1] + R[1, 0], q[2], R[1, 2] + R[2, 1]),
        3: (R[1, 0] - R[0, 1], R[0, 2] + R[2, 0], R[1, 2] + R[2, 1], q[3]),
    }[k]
    return np.array(d) / np.linalg.norm(d)


def levels(arguments, run):
    """``run(level)`` for each level requested, one line of JSON each, until the time that one run may take is over."""
    for level in arguments["levels"]:
        clock = time.process_time()
        try:
            row = run(level)
        except Exception as error:  # an engine that gives up at one level may manage the next
            row = {
                "failed": f"{type(error).__name__}: "
                f"{str(error).strip().splitlines()[-1][:150] if str(error).strip() else ''}"
            }
        print(json.dumps({"level": level, **row}, default=float), flush=True)
        if row.get("cpu", 0.0) > arguments["longest"] or time.process_time() - clock > 4 * arguments["longest"]:
            break


def arguments():
    return json.loads(sys.argv[1])
