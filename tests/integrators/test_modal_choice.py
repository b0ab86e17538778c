"""The choice of an integrator for flexible bodies, and what is reported of one that does not suit them."""

import numpy as np
import pytest

import holonom as hn
from holonom.analyses.assemble import assemble
from holonom.integrators import modal
from holonom.integrators.modal import Spectrum, begin_implicit
from holonom.system.build import System


def pendulum(modes, E=2.1e11, damping=0.0, highest=None):
    m = hn.Model()
    m.gravity = (0, -9.81, 0)
    p = m.part("bar", 1.0, (1, 1, 1), position=(0.5, 0, 0))
    m.revolute(p, m.ground, at=(0, 0, 0), axis=(0, 0, 1))
    fe = hn.flexible.beam(
        (0, 0, 0), (1, 0, 0), hn.flexible.Section.rectangle(0.02, 0.01), E=E, density=7850.0, elements=10, y=(0, 1, 0)
    )
    m.make_flexible(p, fe, modes=modes, damping=damping, highest=highest)
    return m


def first(run):
    return next(t for t in run.info["messages"] if t.startswith("integrator "))


def test_spectrum():
    system = System(pendulum(4, damping=0.02))
    f = system.model.table("FLEXIBILITY")[1].frequency
    found = modal.spectrum(system)
    assert (
        found.lowest == pytest.approx(f.min())
        and found.highest == pytest.approx(f.max())
        and found.damping == pytest.approx(0.02)
    )
    rigid = hn.Model()
    rigid.part("p", 1.0, (1, 1, 1))
    assert modal.spectrum(System(rigid)) is None


def test_the_rule():
    """Ten times the fastest motion at 1e-6; Radau's step falls with the fifth root of the error."""
    system = System(pendulum(2))
    y = assemble(system).y
    begins = lambda high, error, span=10.0: (
        begin_implicit(Spectrum(100.0, high, 0.0), system, y, span, error) is not None
    )
    assert not begins(900.0, 1e-6) and begins(1100.0, 1e-6)
    assert begins(300.0, 1e-3) and not begins(3900.0, 1e-9) and begins(4100.0, 1e-9)
    assert not begins(1e5, 1e-6, span=1e-4)  # over before it would pay
    y[10:13] = (0.0, 0.0, 1e4)  # a spin is a motion to be followed
    assert not begins(9e4, 1e-6)


def test_stiff_modes_begin_with_radau():
    run = hn.simulate(pendulum(8, damping=0.05), end=0.3, steps=5, error=1e-4)
    assert first(run).startswith("integrator RADAU5, error 0.0001: modes go up to")
    explicit = hn.simulate(pendulum(8, damping=0.05), end=0.3, steps=5, error=1e-4, switching=False)
    assert first(explicit).startswith("integrator DOP853")
    assert run.counters["steps"] < 0.4 * explicit.counters["steps"]
    short = hn.simulate(pendulum(8, damping=0.05), end=0.002, steps=1, error=1e-4, hmax=1e-5)
    assert first(short).startswith("integrator DOP853")  # steps that an explicit method can take


def test_soft_modes_stay_explicit():
    m = pendulum(4)
    f = m.table("FLEXIBILITY")[1]
    f.select(np.flatnonzero(f.frequency < 2000.0) + 1)
    run = hn.simulate(m, end=0.5, steps=5, error=1e-6)
    assert first(run).startswith("integrator DOP853")
    assert not any("switching to" in t for t in run.info["messages"])


def test_ringing_goes_back_to_the_explicit_method():
    """A high mode that rings undamped and is to be followed: Radau takes its steps, and has no advantage."""
    m = pendulum(6)
    f = m.table("FLEXIBILITY")[1]
    speed = np.zeros(f.modes)
    speed[-1] = 0.5
    f.speed = tuple(speed)
    run = hn.simulate(m, end=0.1, steps=5, error=1e-6)
    assert first(run).startswith("integrator RADAU5")
    assert any("switching to DOP853" in t for t in run.info["messages"])
    e = run.energy.total.values
    assert np.abs(e - e[0]).max() < 1e-4 * run.energy.kinetic.values.max()


def test_backward_differences_are_warned_of():
    light, damped = pendulum(2, E=1e8), pendulum(2, E=1e8, damping=0.02)
    said = lambda m, **k: [
        t for t in hn.simulate(m, end=1e-3, steps=1, error=1e-4, **k).info["messages"] if "orders above 2" in t
    ]
    assert "GSTIFF" in said(light, integrator="GSTIFF")[0] and "KMAX = 2" in said(light, integrator="GSTIFF")[0]
    assert not said(light, integrator="GSTIFF", kmax=2)
    assert not said(damped, integrator="GSTIFF")
    assert not said(light, integrator="RADAU5")
