"""Spheres and boxes in a bin in MuJoCo (see `benchmarks.rigid`).  Its contact is soft: as hard as requested, down to a
time constant of two steps."""

import json
import sys
import time

import mujoco
import numpy as np

with open(json.loads(sys.argv[1])["file"], encoding="utf-8") as f:
    a = json.load(f)
h = a["step"]
spec = mujoco.MjSpec()
o = spec.option
o.timestep, o.gravity, o.integrator = h, [0, 0, -9.81], mujoco.mjtIntegrator.mjINT_IMPLICITFAST
o.solver = getattr(mujoco.mjtSolver, f"mjSOL_{a['solver']}")
o.cone = getattr(mujoco.mjtCone, f"mjCONE_{a['cone']}")
o.iterations, o.tolerance = 100, 1e-8
o.impratio = a["ratio"]  # above 1 friction is harder than the normal direction, as its manual advises against slip
spec.memory = 4 << 30
more = {"solref": [a["soft"] * h, 1], "solimp": [0.99, 0.9999, 1e-3, 0.5, 2], "friction": [a["mu"], 0, 0], "condim": 3}
w = a["width"]
half = 0.5**0.5
for turn, at in (
    ([1, 0, 0, 0], [0, 0, 0]),
    ([half, 0, half, 0], [-w, 0, 0]),
    ([half, 0, -half, 0], [w, 0, 0]),
    ([half, -half, 0, 0], [0, -w, 0]),
    ([half, half, 0, 0], [0, w, 0]),
):
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[5, 5, 1], pos=at, quat=turn, **more)
for at, box in zip(a["at"], a["box"]):
    b = spec.worldbody.add_body(pos=at)
    b.add_freejoint()
    if box:
        b.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[a["edge"] / 2] * 3, density=a["density"], **more)
    else:
        b.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[a["radius"], 0, 0], density=a["density"], **more)
model = spec.compile()
data = mujoco.MjData(model)
n = len(a["at"])
times, speed, before = [], [], None
steps = round(a["end"] / h)
begin = time.process_time()
iterations = 0
for _ in range(steps):
    mujoco.mj_step(model, data)
    times.append(data.time)
    speed.append(float(np.sqrt((data.qvel.reshape(n, 6)[:, :3] ** 2).sum(axis=1).mean())))
    iterations += int(data.solver_niter.sum())
    if before is None and data.time >= a["end"] - 0.5:
        before = data.qpos.reshape(n, 7)[:, :3].tolist()
cpu = time.process_time() - begin
q = data.qpos.reshape(n, 7)
print(
    json.dumps(
        {
            "cpu": cpu,
            "steps": steps,
            "times": times,
            "speed": speed,
            "before": before,
            "position": q[:, :3].tolist(),
            "quaternion": q[:, 3:].tolist(),
            "note": f"{iterations / steps:.1f} iterations a step, {data.ncon} contacts, mujoco {mujoco.__version__}",
        }
    )
)
