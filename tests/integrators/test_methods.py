"""The table of methods and the classes that it names say the same, and all of them keep the protocol of steppers."""

from importlib import import_module

import numpy as np
import pytest
from _machines import double_pendulum

import holonom.integrators
from holonom.elements.bodies import layout
from holonom.elements.bodies.motion_bounds import ACCELERATION, BOUNDS, SPEED
from holonom.integrators import make_integrator
from holonom.integrators.methods import IMPACTS, METHODS
from holonom.integrators.newton import ImplicitStepper
from holonom.integrators.stepper import Options, Stepper
from holonom.system.build import System


@pytest.mark.parametrize("name", METHODS)
def test_classes_keep_the_protocol(name):
    method = METHODS[name]
    cls = getattr(import_module(f".{method.home[0]}", holonom.integrators.__name__), method.home[1])
    assert issubclass(cls, Stepper) and not cls.__abstractmethods__
    assert cls.name == name
    assert issubclass(cls, ImplicitStepper) == method.stiff
    assert not (method.accelerations and method.multistep)


def test_abilities():
    assert (
        METHODS["RADAU5"].sees_velocities(None)
        and METHODS["GSTIFF"].sees_velocities("si2")
        and METHODS["GSTIFF"].sees_velocities("SI1")
    )
    assert not any(METHODS[k].sees_velocities(None) for k in ("GSTIFF", "HHT", "DOP853", "ABAM", "MOREAU_JEAN"))
    costly = {k for k, m in METHODS.items() if m.costly_restart}
    assert costly == {k for k, m in METHODS.items() if m.stiff} - {IMPACTS} | {"ABAM"}
    assert METHODS["RKF45"].formulation(None) == "MINIMAL" and METHODS["RKF45"].formulation("index1") == "INDEX1"


@pytest.mark.parametrize("name", ["DOP853", "GSTIFF", "HHT", "GENERALIZED_ALPHA", "RADAU5", "RK4"])
def test_what_analyses_read_of_a_step(name):
    system = System(double_pendulum())
    stepper = make_integrator(name, system, Options(error=1e-6, hmax=1e-3 if METHODS[name].error is None else None))
    y = system.y0.copy()
    stepper.start(0.0, y, 1.0)
    assert stepper.h_done == 0.0 and stepper.t_old == stepper.t == 0.0 and stepper.messages == []
    for _ in range(5):
        step = stepper.step(1.0)
    assert (
        stepper.y is y
        and (stepper.t_old, stepper.t) == (step.t_old, step.t)
        and stepper.h_done == pytest.approx(step.t - step.t_old)
    )
    S, W = stepper.tables
    assert S.bodies.n == system.nb and W.lam.shape == (system.m,)
    assert 0.0 < stepper.pivot_ratio <= 1.0
    inside, bounds = np.zeros_like(y), np.zeros((system.nb + 1, BOUNDS))
    stepper.interpolate(0.5 * (stepper.t_old + stepper.t), inside)
    ground = slice(layout.STATE * system.nb, layout.STATE * (system.nb + 1))
    for state in (y, inside):
        assert np.array_equal(state[ground], system.y0[ground])
    finest = stepper.motion_bounds(bounds)
    assert finest or stepper.motion_bounds(bounds, True) in (True, False)
    assert (
        bounds[: system.nb, SPEED]
        >= np.linalg.norm(inside[: 13 * system.nb].reshape(-1, 13)[:, 7:10], axis=1) * (1 - 1e-9)
    ).all()
    assert (bounds[: system.nb, ACCELERATION] > 0.0).all() and (bounds[system.nb] == 0.0).all()
