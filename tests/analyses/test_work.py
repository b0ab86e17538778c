"""The energy audit of driven and damped machines: E(t) - E(0) = work put in - work lost, integrated apart from the
motion."""

import numpy as np
import pytest

import holonom as hn


def driven():
    """Crank turned by a motion, a spring-damper and a function force on the slider."""
    m = hn.Model()
    m.gravity = (0, -9.81, 0)
    crank = m.part("crank", 0.5, (0.01, 0.01, 0.01), position=(0.1, 0, 0))
    rod = m.part("rod", 1.0, (0.02, 0.02, 0.02), position=(0.45, 0, 0))
    slider = m.part("slider", 2.0, (0.01, 0.01, 0.01), position=(0.7, 0, 0))
    pin = m.revolute(crank, m.ground, "pin", at=(0, 0, 0), axis=(0, 0, 1))
    m.revolute(rod, crank, at=(0.2, 0, 0), axis=(0, 0, 1))
    m.revolute(slider, rod, at=(0.7, 0, 0), axis=(0, 0, 1))
    m.translational(slider, m.ground, "guide", at=(0.7, 0, 0), axis=(1, 0, 0))
    m.motion(pin, "3*TIME+0.2*SIN(5*TIME)")
    wall = m.marker(m.ground, (1.5, 0, 0))
    m.spring_damper(slider.cm, wall, stiffness=200, damping=15, length=0.7)
    m.vforce(slider.cm, None, f"20*SIN(4*TIME)-3*VX({slider.cm})", "0", "0")
    return m


@pytest.mark.parametrize("integrator, error, bound", [("DOP853", 1e-8, 1e-6), ("GSTIFF", 1e-6, 1e-3)])
def test_energy_and_work_balance(integrator, error, bound):
    run = hn.simulate(driven(), end=2.0, steps=20, kind="dynamics", integrator=integrator, error=error)
    audit = run.audit()
    assert audit.conclusive and not audit.conservative
    assert audit.segments[0].scale > 1.0
    assert audit.segments[0].relative < bound
    assert np.all(np.diff(run.data.energy_dissipated) > 0)


def test_works_can_be_left_out():
    simulation = hn.Simulation(driven())
    simulation.work = False
    simulation.dynamics(end=0.5, steps=2)
    assert np.isnan(simulation.run().data.energy_input).all()
