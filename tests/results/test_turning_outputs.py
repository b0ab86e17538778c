"""Angles of joints are measured by kernels of their own where a model requests nothing else; the numbers are those of
the expression machine."""

import numpy as np
import pytest

import holonom as hn
from holonom.system import outputs


def machine(request):
    """A double pendulum that turns over, on two revolute joints of unlike axes and a spherical one."""
    m = hn.Model("turner")
    m.gravity = (0.0, -9.81, 0.0)
    upper = m.part(
        "upper", 1.0, (0.01, 0.1, 0.1), (0.5, 0.0, 0.0), angular_velocity=(0.0, 0.0, 14.0), velocity=(0.0, 7.0, 0.0)
    )
    lower = m.part(
        "lower", 1.0, (0.01, 0.1, 0.1), (1.5, 0.0, 0.0), angular_velocity=(3.0, 0.0, 14.0), velocity=(0.0, 21.0, 0.0)
    )
    m.revolute(upper, m.ground, "pin", at=(0, 0, 0), axis=(0, 0, 1))
    m.revolute(lower, upper, "roll", at=(1, 0, 0), axis=(1, 0, 0))
    if request:
        m.request(kind="DISPLACEMENT", i=m.marker(lower), j=m.marker(m.ground))
    return m


@pytest.fixture
def simple(monkeypatch):
    """Whether outputs were found to be angles alone, of each system that is built."""
    used = []
    choose = outputs.Outputs._choose
    monkeypatch.setattr(outputs.Outputs, "_choose", lambda self: (choose(self), used.append(self._simple)))
    return used


@pytest.mark.parametrize("options", [{}, {"integrator": "GSTIFF", "formulation": "SI2", "error": 1e-5}])
def test_angles_are_the_same_to_the_bit(simple, options):
    alone, beside = (
        hn.simulate(machine(request), end=2.0, steps=40, progress=False, **options) for request in (False, True)
    )
    assert simple == [True] * (len(simple) // 2) + [False] * (len(simple) // 2) and simple
    for joint in ("pin", "roll"):
        a, b = (run.joint(joint).angle.values for run in (alone, beside))
        assert np.array_equal(a, b)
    assert alone.joint("pin").angle.values[-1] > 2.5 * np.pi  # whole turns are counted
    assert np.array_equal(alone.energy.total.values, beside.energy.total.values)


@pytest.mark.parametrize(
    "add", [lambda m: None, lambda m: m.variable("TIME**2"), lambda m: m.request(functions=["TIME"])]
)
def test_what_asks_for_expressions(simple, add):
    m = machine(False)
    hn.simulate(m, kind="initial", progress=False)
    asked = add(m) is not None
    del simple[:]
    hn.simulate(m, kind="initial", progress=False)
    assert simple and set(simple) == {not asked}
