"""How much a first run compiles, counted and not timed: kernels that a run asks for, with all that is copied into them.

The counts are the same with warm and with empty caches, so the test costs a warm run.  A hundred bytes of bytecode take
some 30 ms of CPU to compile.  Where a count rises on purpose, raise the bar and say why in the commit.
"""

import os
import subprocess
import sys

import pytest

COUNT = """
from holonom._content_key import reached
from holonom._kernel_cache import KernelCache
import holonom as hn

asked, load = set(), KernelCache.load_overload

def noting(cache, *given):
    asked.add(cache._function)
    return load(cache, *given)

KernelCache.load_overload = noting
exec(MODEL)
kernels = {f for function in asked for f in reached(function) if f.__module__.startswith("holonom")}
print(len(kernels), sum(len(f.__code__.co_code) for f in kernels))
"""
#: the pendulum of the README
PENDULUM = """
model = hn.Model("pendulum", units="SI")
model.gravity = (0, 0, -9.80665)
rod = model.part("rod", mass=2.0, inertia=(0.001, 0.167, 0.167), position=(0.5, 0, 0))
model.revolute(rod, model.ground, "pin", at=(0, 0, 0), axis=(0, 1, 0))
run = hn.simulate(model, end=0.1, steps=2, progress=False)
run.part("rod").position, run.joint("pin").force, run.energy
"""
#: a ball that bounces and slides on a plane
BALL = """
from holonom.warmup import bouncing_ball
hn.simulate(bouncing_ball(), end=0.1, steps=2, progress=False)
"""


@pytest.mark.parametrize(
    ("name", "model", "most_kernels", "most_bytes"),
    [("pendulum", PENDULUM, 150, 51_300), ("ball with friction", BALL, 272, 126_700)],
)
def test_a_first_run_compiles_no_more_than_before(name, model, most_kernels, most_bytes):
    command = [sys.executable, "-c", COUNT.replace("MODEL", repr(model))]
    done = subprocess.run(command, env=dict(os.environ), capture_output=True, text=True, check=True)
    kernels, size = map(int, done.stdout.split())
    assert kernels <= most_kernels and size <= most_bytes, (name, kernels, size)
