"""A system is a value, a run has a workspace."""

import numpy as np
import pytest

import holonom as hn
from holonom.integrators.entry import CONSTRAINTS, CORRECT, enter, explicit_handle, weighted_handle
from holonom.system.build import System


def pendulum():
    m = hn.Model(units="SI")
    m.gravity = (0.0, 0.0, -9.81)
    rod = m.part(mass=2.0, inertia=(0.1, 0.2, 0.3), position=(0.5, 0, 0))
    m.revolute(rod, m.ground, at=(0, 0, 0), axis=(0, 1, 0))
    return m


def test_no_attribute_of_a_system_can_be_set():
    system = System(pendulum())
    for name in ("nb", "contacts", "S", "rows", "outputs", "something_new"):
        with pytest.raises(AttributeError, match=f"System.{name} cannot be set: a system is a value; .* workspace"):
            setattr(system, name, None)
    with pytest.raises(AttributeError, match="cannot be deleted"):
        del system.bodies


def test_analyses_set_no_attribute_of_a_system():
    """What is there after a run was there before it."""
    sim = hn.Simulation(pendulum(), progress=False)
    sim.prepare()
    system = sim.system
    before = dict(vars(system))
    sim.statics()
    sim.dynamics(end=0.1, steps=2)
    sim.linearize()
    assert sim.system is system
    after = vars(system)
    assert set(after) == set(before)
    assert all(after[name] is value for name, value in before.items())


def test_weights_are_an_argument_of_a_projection():
    """With weights of rotations alone a body that is out of its joint is turned to it as far as it goes, and the masses
    stay what they are."""
    system = System(pendulum())
    Minv = system.bodies.Minv.copy()
    y = system.y0.copy()
    y[2] += 1e-3
    d = np.zeros(system.bodies.moves)
    weights = np.zeros_like(Minv)
    weights[0, 3:] = 1.0
    enter(explicit_handle(system), CONSTRAINTS, y, 0.0, 0.0, 1e-9, 0, d)
    enter(weighted_handle(system, weights), CORRECT, y, 0.0, 0.0, 1e-9, 0, d)
    assert np.all(d[:3] == 0.0) and abs(d[3:6]).max() > 1e-4
    system.W.scale[:] = 0.0
    enter(explicit_handle(system), CORRECT, y, 0.0, 0.0, 1e-9, 0, d)
    assert abs(d[2]) > 1e-4
    assert np.array_equal(system.bodies.Minv, Minv)
