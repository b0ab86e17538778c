"""The GPU path, run by Numba's simulator in a process of its own: equal to the processor's, and to itself to the last
bit."""

import os
import subprocess
import sys

import pytest

from holonom import ModelError
from holonom.granular import Granular, Law

SCENE = """
import numpy as np
from holonom import ModelError
from holonom.granular import Granular, Law
from holonom.granular.cuda import OnDevice

zone = dict(stiction_transition_velocity=0.1, friction_transition_velocity=0.1)
laws = {(0, 0): Law("LINEAR", stiffness=1e4, restitution=0.5, mu_static=0.4, rolling_coefficient=0.05, **zone),
        (0, 1): Law("HUNT_CROSSLEY", stiffness=1e6, damping=0.2, mu_static=0.3, spinning_resistance=1e-3, **zone),
        (1, 1): Law("HERTZ", modulus=1e7, restitution=0.7, friction="VISCOUS", tangential_damping=3.0, mu_static=0.2)}


def scene(n=12):
    rng = np.random.default_rng(0)
    g = Granular(laws, step=4e-4, gravity=(0, 0, -9.81))
    k = np.arange(n)
    at = np.stack([k % 2, k // 2 % 2, k // 4], axis=1) * 0.092 + rng.uniform(-0.002, 0.002, (n, 3)) + (-0.05, -0.05, 0.1)
    g.add(at, rng.uniform(0.045, 0.05, n), mass=0.5, material=k % 2, vel=(0, 0, -3.0))
    g.load([0], (1.0, 0, 0), (0, 0.01, 0))
    g.wall("box", velocity=(0, 0, 0.1), angular_velocity=(0, 0.2, 0)).box((-0.11, -0.11, 0), (0.11, 0.11, 3), open="top")
    g.wall("roof").triangles([(-1, -1, 0.0), (-1, 1, 0.0), (0, -1, 0.05), (0, 1, 0.05), (1, -1, 0), (1, 1, 0)],
                             [(0, 2, 3), (0, 3, 1), (2, 4, 5), (2, 5, 3)])
    return g


a, b, c = scene(), scene(), scene()
a.advance(24)
OnDevice(b).advance(24)  # not pulled: b stays as it was
d, e = OnDevice(scene()), OnDevice(scene())
d.advance(24)
e.advance(11)
e.advance(13)
d, e, builds = d.pull(), e.pull(), d.builds
assert builds > 1 and len(a.contacts().a) > 8 and (a.contacts().b < 0).any(), (builds, a.contacts())
for name in ("pos", "vel", "omega"):
    x, y, z = (getattr(g, name) for g in (a, d, e))
    assert np.abs(x - y).max() < 1e-12 * max(1.0, np.abs(x).max()), (name, np.abs(x - y).max())
    assert (y == z).all(), name
assert np.abs(a.walls[0].rotation - d.walls[0].rotation).max() < 1e-15 and d.steps == 24 and abs(d.time - a.time) < 1e-15
for text, g in (("SPRING and MINDLIN", Granular(Law(stiffness=1.0, friction="SPRING", mu_static=0.1), step=1.0)),
                ("EULER, not VERLET", Granular(laws, step=1.0, method="VERLET")),
                ("orientations", Granular(laws, step=1.0, orientation=True))):
    g.add((0, 0, 0), 1.0, mass=1.0)
    try:
        OnDevice(g)
    except ModelError as error:
        assert text in str(error), error
    else:
        raise AssertionError(text)
print("equal")
"""  # noqa: E501


def test_kernels_of_the_gpu_in_the_simulator():
    done = subprocess.run(
        [sys.executable, "-c", SCENE], capture_output=True, text=True, env={**os.environ, "NUMBA_ENABLE_CUDASIM": "1"}
    )
    assert done.returncode == 0 and done.stdout.strip() == "equal", done.stderr[-3000:]


def test_without_a_gpu_one_sentence_tells():
    from numba import cuda

    if cuda.is_available():
        pytest.skip("there is a GPU")
    from holonom.granular.cuda import OnDevice

    g = Granular(Law(stiffness=1e4), step=1e-3)
    g.add((0, 0, 0), 1.0, mass=1.0)
    with pytest.raises(ModelError, match="no CUDA device can be used here"):
        OnDevice(g)
