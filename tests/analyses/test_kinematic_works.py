"""Works of kinematic analyses against integrals that are written here, and of analyses that know none."""

import numpy as np
import pytest
from scipy.integrate import quad

import holonom as hn

A, B, W = 2.0, 0.3, 7.0  # theta = A t + B sin W t
MASS, ARM, INERTIA, G, STIFF, DAMP = 2.0, 0.5, 0.1, 9.80665, 3.0, 0.7


def theta(t):
    return A * t + B * np.sin(W * t), A + B * W * np.cos(W * t)


def driven(units: str) -> hn.Model:
    s = 1.0 if units == "SI" else 1000.0
    m = hn.Model("driven", units=units)
    m.gravity = (0, 0, -G * s)
    arm = m.part("arm", MASS, (INERTIA * s * s,) * 3, position=(ARM * s, 0, 0))
    pin = m.revolute(arm, m.ground, "pin", at=(0, 0, 0), axis=(0, -1, 0))
    m.torsion_spring(pin.i, pin.j, stiffness=STIFF * s, damping=DAMP * s)
    m.motion(pin, f"{A}*TIME+{B}*SIN({W}*TIME)")
    return m


@pytest.mark.parametrize("units", ["SI", "mm"])
def test_works_of_a_driven_pendulum(units):
    run = hn.simulate(driven(units), end=1.0, steps=5)
    assert run.segments[0].kind == "kinematics"
    lost = np.array([quad(lambda x: DAMP * theta(x)[1] ** 2, 0, t, epsabs=1e-12)[0] for t in run.time])
    q, w = theta(np.asarray(run.time))
    energy = 0.5 * (INERTIA + MASS * ARM**2) * w**2 + MASS * G * ARM * np.sin(q) + 0.5 * STIFF * q**2
    assert run.energy.dissipated.values == pytest.approx(lost, abs=1e-6)
    assert run.energy.input.values == pytest.approx(energy - energy[0] + lost, abs=1e-6)


def test_works_that_are_not_wanted_are_not_zero():
    sim = hn.Simulation(driven("SI"))
    sim.work = False
    sim.kinematics(end=1.0, steps=2)
    assert np.isnan(sim.run().energy.input).all()


def test_works_along_equilibria_are_not_known():
    """A friction slider that a force pushes over its spring: what is dissipated between two equilibria depends on a way
    that is not followed."""
    m = hn.Model("pushed")
    block = m.part("block", 1.0, (1, 1, 1))
    rail = m.translational(block, m.ground, "rail", at=(0, 0, 0), axis=(1, 0, 0))
    m.spring_damper(block.cm, m.marker_at(m.ground, (1, 0, 0)), stiffness=100.0, damping=3.0, length=1.0)
    m.vforce(block.cm, m.ground, fx="10*TIME")
    sim = hn.Simulation(m)
    sim.quasistatics(end=1.0, steps=4)
    sim.dynamics(duration=0.1, steps=2)
    run = sim.run()
    works = run.energy.input.values, run.energy.dissipated.values
    for values in works:
        assert values[0] == 0.0 and np.isnan(values[1:5]).all() and np.isfinite(values[5:]).all()
    assert run.audit().relative < 1e-3
    assert run.joint(rail).travel.values[4] == pytest.approx(0.1)


def test_works_of_a_run_that_begins_with_an_equilibrium_count_from_there():
    m = driven("SI")
    m.table("MOTION")[1].active = False
    sim = hn.Simulation(m)
    sim.statics()
    sim.dynamics(duration=0.1, steps=2)
    assert np.array_equal(np.isfinite(sim.run().energy.input.values), [True] * 4)
