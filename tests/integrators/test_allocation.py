"""After the first steps nothing is allocated per body: what a step holds at its peak is the same for small and large
models."""

from __future__ import annotations

import tracemalloc

import pytest

import holonom as hn
from holonom.analyses.assemble import assemble
from holonom.integrators import Options, make_integrator
from holonom.system.build import System

STEPS = 50
WARM = 150  # Python's own caches and the orders of the method fill meanwhile


def chain(bodies: int) -> hn.Model:
    model = hn.Model(f"chain{bodies}")
    model.gravity = (0.0, 0.0, -9.81)
    before = model.ground
    for k in range(bodies):
        link = model.part(f"link{k}", 1.0, (0.01, 0.02, 0.02), (k + 0.5, 0.0, 0.0))
        model.revolute(link, before, at=(k, 0.0, 0.0), axis=(0.0, 1.0, 0.0))
        before = link
    return model


def peak(bodies: int, integrator: str) -> int:
    """Bytes that fifty steps hold at most above what was held before them."""
    system = System(chain(bodies))
    stepper = make_integrator(integrator, system, Options(error=1e-4, hmax=1e-3))
    stepper.start(0.0, assemble(system).y, 10.0)
    for _ in range(WARM):
        stepper.step(10.0)
    tracemalloc.start()
    try:
        held = tracemalloc.get_traced_memory()[0]
        for _ in range(STEPS):
            stepper.step(10.0)
        return tracemalloc.get_traced_memory()[1] - held
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("integrator", ["DOP853", "GSTIFF", "HHT"])
def test_steps_allocate_nothing_per_body(integrator):
    """190 bodies more are 19,760 bytes of state alone: one array of the state's length, once, would be seen."""
    assert peak(200, integrator) - peak(10, integrator) < 4096
