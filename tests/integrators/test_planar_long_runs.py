"""Mechanisms that move in a plane, for long: what is out of it stays roundoff under multistep formulas.

Nothing out of the plane is corrected by Newton, so the prediction of a formula of order k must not be left to itself
there: its recursion lets roundoff grow as the k-th power of the number of steps.  A pendulum with GSTIFF opened its
joint after 20 s, in the plane only.
"""

import numpy as np
import pytest

import holonom as hn
from holonom.model.orientation import euler313

METHODS = [
    ("GSTIFF", "I3"),
    ("GSTIFF", "SI2"),
    ("GSTIFF", "SI1"),
    ("WSTIFF", "I3"),
    ("DSTIFF", "I3"),
    ("CONSTANT_BDF", "SI2"),
]


def pendulum(axes=None):
    m = hn.Model("pendulum")
    m.gravity = (0, 0, -9.80665)
    if axes is None:
        rod = m.part("rod", 2.0, (0.001, 0.167, 0.167), (0.5, 0, 0))
    else:
        rod = m.part("rod", 2.0, axes.T @ np.diag([0.001, 0.167, 0.167]) @ axes, (0.5, 0.3, 0), axes=axes)
    m.revolute(rod, m.ground, "pin", at=(0, 0.3 if axes is not None else 0.0, 0), axis=(0, 1, 0))
    return m


@pytest.mark.parametrize("method, formulation", METHODS)
def test_a_pendulum_for_a_minute(method, formulation):
    options = {"integrator": method, "formulation": formulation, "error": 1e-6}
    if method == "CONSTANT_BDF":
        options |= {"step": 5e-3}
    runs = [hn.simulate(pendulum(), 60.0, 200, **options, planar=flat) for flat in (True, False)]
    assert any("planes normal to the ground's y axis" in text for text in runs[0].info["messages"])
    x, q = runs[0].part("rod").position.values, runs[0].data.body_quaternion[:, 0]
    assert np.abs(x[:, 1]).max() < 1e-13 and np.abs(runs[0].part("rod").velocity.values[:, 1]).max() < 1e-12
    assert np.abs(np.linalg.norm(x, axis=1) - 0.5).max() < (1e-9 if formulation != "SI1" else 1e-6)
    assert np.abs(q[:, [1, 3]]).max() < 1e-13
    energy = runs[0].data.energy_kinetic + runs[0].data.energy_gravity
    there = runs[1].data.energy_kinetic + runs[1].data.energy_gravity
    assert np.ptp(energy) < max(2.0 * np.ptp(there), 1e-3)


def test_a_body_whose_principal_axes_lie_askew():
    """Two principal moments are equal, so any axes about the third belong to them; the position out of the plane is not
    zero."""
    axes = euler313(0.4, 0.0, 0.0)
    run = hn.simulate(pendulum(axes), 40.0, 100, integrator="GSTIFF", error=1e-6)
    x = run.part("rod").position.values
    assert np.abs(x[:, 1] - 0.3).max() < 1e-13
    assert np.abs(np.hypot(x[:, 0], x[:, 2]) - 0.5).max() < 1e-9
