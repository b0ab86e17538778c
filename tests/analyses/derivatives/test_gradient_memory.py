"""Gradients of long runs from checkpoints: the same bits as from all states, in a small part of their memory."""

import numpy as np
import pytest
from test_gradient import two

import holonom as hn
from holonom.integrators.adjoint_runge_kutta import RungeKuttaAdjoint
from holonom.integrators.explicit import ExplicitStepper

STEPS = {"end": 1.6, "integrator": "RK4", "hmax": 1e-3}


def spinning():
    """Two parts of which one makes many turns on a torsion spring that counts them."""
    m, a, b = two("revolute", gravity=(0, 0, -2.0))
    joint = m.find("JOINT", "joint")
    b.wz = 60.0
    m.torsion_spring(joint.i, joint.j, 0.02, 0.001)
    m.diff(f"-2*DIF(1)+AZ({joint.i},{joint.j})", ic=0.1, id=1)
    functional = hn.final(f"DX({b.cm})") + 0.1 * hn.value_at("DIF(1)", 0.9) + hn.integral(f"VM({a.cm})**2")
    return m, functional, ["PART/2.MASS", "PART/3.IP", "SPRINGDAMPER/1.K", "SPRINGDAMPER/2.KT", "DIFF/1.IC"]


@pytest.fixture
def tapes(monkeypatch):
    """The tapes of the adjoints that are made."""
    kept, sweep = [], RungeKuttaAdjoint.sweep

    def keep(self, tape, *given):
        kept.append(tape)
        sweep(self, tape, *given)

    monkeypatch.setattr(RungeKuttaAdjoint, "sweep", keep)
    return kept


def test_checkpoints_give_the_same_bits_in_little_memory(tapes):
    m, functional, names = spinning()
    every = hn.gradient(m, functional, names, **STEPS)
    few = hn.gradient(m, functional, names, **STEPS, memory=0.02)
    assert every.steps == few.steps == 1600
    whole, thin = tapes
    assert whole.whole and not thin.whole
    assert few.value == every.value
    np.testing.assert_array_equal(few.vector, every.vector)
    assert np.abs(every.vector).min() > 0.0
    # two times the root of the number of steps, each a state and its rates, and two numbers a step
    assert len(thin._marks) < 2.2 * np.sqrt(1600)
    assert thin.bytes < 0.12 * whole.bytes


def test_steps_that_end_elsewhere_when_they_are_made_again_are_no_gradient(monkeypatch):
    m, functional, names = spinning()
    repeat = ExplicitStepper.repeat
    monkeypatch.setattr(ExplicitStepper, "repeat", lambda self, *given: repeat(self, *given) * (1.0 + 4e-16))
    with pytest.raises(hn.ModelError, match="end elsewhere when they are made again"):
        hn.gradient(m, functional, names, **STEPS, memory=0.02)


def test_memory_is_a_positive_number():
    m, functional, names = spinning()
    with pytest.raises(hn.ModelError, match="memory is 0; give a positive number of MB"):
        hn.gradient(m, functional, names, **STEPS, memory=0)
