"""Simbody: joint coordinates, loops by constraints, Runge-Kutta-Merson or CPODES; through our driver
simbody_scene.cpp."""

import json
import subprocess

import numpy as np
from scene import Scene, arguments, frame, levels

a = arguments()
scene = Scene(a["scene"])
words = lambda v: " ".join(f"{x:.17g}" for x in np.asarray(v, float).ravel())
lines = [words([scene.end]), words(scene.gravity), str(scene.n)]
lines += [words([scene.mass[b], *np.maximum(scene.inertia[b], 1e-12)]) for b in range(scene.n)]
for k, parent, child in scene.tree:
    j = scene.joints[k]
    if j["kind"] == "UNIVERSAL":  # turns about x of the parent's frame, then about y of the child's
        x, y = (j["axis"], j["axis_b"]) if j["a"] == parent else (j["axis_b"], j["axis"])
        A = np.column_stack([x, y, np.cross(x, y)])
    else:
        A = frame(j["axis_b"] if j["kind"] == "TRANSLATIONAL" else j["axis"])
    slide, spin = scene.relative(k, parent, child)
    ends = " ".join(f"{words(scene.axes[b].T @ A)} {words(scene.local(b, j['point']))}" for b in (parent, child))
    lines.append(f"joint {j['kind']} {parent} {child} {ends} {words(A.T @ spin)} {words(A.T @ slide)}")
for k in scene.loops:
    j = scene.joints[k]
    p, q, x = j["a"], j["b"], j["point"]
    if j["kind"] == "SPHERICAL":
        lines.append(f"ball {p} {words(scene.local(p, x))} {q} {words(scene.local(q, x))}")
        continue
    assert j["kind"] == "REVOLUTE"
    if not scene.planar:
        lines.append(f"ball {p} {words(scene.local(p, x))} {q} {words(scene.local(q, x))}")
        x = x + 0.5 * j["axis"]
    lines.append(
        f"line {p} {words(scene.turned(p, j['axis']))} {words(scene.local(p, x))} {q} {words(scene.local(q, x))}"
    )
for s in scene.springs:
    lines.append(
        f"spring {s['a']} {words(scene.local(s['a'], s['p']))} {s['b']} {words(scene.local(s['b'], s['q']))} "
        + words([s["k"], s["c"], s["length"]])
    )
for t in scene.torques:
    k = next(k for k, p, c in scene.tree if c == t["body"] and p == -1)
    lines.append(f"torque {t['body']} {words([t['z'] * scene.joints[k]['axis'][2]])}")
if scene.energy_wanted:
    lines.append("energy")
lines += [f"read {b}" for b in {p["body"] for p in scene.probes}]
text = "\n".join(lines) + "\n"


def run(accuracy):
    done = subprocess.run(
        [a["driver"], a["method"], str(accuracy), "3"], input=text, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(done.stderr[-300:] or done.stdout[-300:] or f"ended with {done.returncode}")
    r = json.loads(done.stdout)

    def pose(b):
        x = np.array(r["pose"][str(b)])
        return x[:3], x[3:].reshape(3, 3)

    return {
        "cpu": r["cpu"],
        "steps": r["steps"],
        "values": scene.read(pose, r["change"]),
        "settings": f"{a['method']}, {accuracy:g}",
        "version": a["version"],
    }


levels(a, run)
