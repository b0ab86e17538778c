"""Explicit one-step methods: orders, interpolants, energy, stiffness, what is refused."""

import numpy as np
import pytest
from _explicit_machines import (
    begin,
    double_pendulum_exact,
    double_pendulum_state,
    heavy_top_exact,
    heavy_top_state,
    integrate,
    machines,
    oscillator,
    oscillator_exact,
    oscillator_state,
    spread,
    violation,
)
from scipy.integrate import DOP853 as scipy_dop853

from holonom.integrators import _dop853_table as coefficients
from holonom.integrators.rkf45 import A, B, fourth_derivative
from holonom.model import ModelError

#: method, formulation, order of the solution, order of the interpolant, step on the double pendulum (halved twice)
METHODS = [
    ("DOP853", "INDEX1", 8, 7, 0.2),
    ("DOP853", "MINIMAL", 8, 7, 0.2),
    ("DOPRI5", "INDEX1", 5, 4, 0.05),
    ("DOPRI5", "MINIMAL", 5, 4, 0.05),
    ("RKF45", "MINIMAL", 5, 4, 0.05),
    ("RKF45", "INDEX1", 5, 4, 0.05),
    ("RK4", "INDEX1", 4, 3, 0.04),
    ("EXPLICIT_EULER", "INDEX1", 1, 1, 2e-3),
    ("SEMI_IMPLICIT_EULER", "INDEX1", 1, 1, 2e-3),
    ("VELOCITY_VERLET", "INDEX1", 2, 2, 5e-3),
]
NAMES = [f"{m[0]}-{m[1]}" for m in METHODS]
each_method = pytest.mark.parametrize("name, formulation, order, dense, h", METHODS, ids=NAMES)


def converges(errors, order, near=0.25):
    """Errors of three steps, each half the one before, fall with the order: closely between the last two."""
    rates = np.log2(np.array(errors[:-1]) / errors[1:])
    assert rates[-1] > order - near and rates[0] > order - near - 0.5, f"rates {rates} of errors {errors}"


@each_method
def test_order_on_the_double_pendulum(name, formulation, order, dense, h):
    exact = double_pendulum_exact([1.0])[:, 0]
    errors = []
    for k in range(3):
        s = integrate(machines.double_pendulum(), name, 1.0, hmax=h / 2**k, fixed=True, formulation=formulation)
        assert s.statistics["steps"] == round(2**k / h)
        assert violation(s) < 1e-12 * (1e9 if order < 2 else 1e6 if order < 4 else 1e2)
        errors.append(np.abs(double_pendulum_state(s.y) - exact).max())
    converges(errors, order)
    assert errors[-1] < 5e-3


@each_method
def test_order_on_the_heavy_top(name, formulation, order, dense, h):
    """Every attitude, 150 rad/s: the rotation of the body in space is integrated."""
    exact = heavy_top_exact(0.04)
    step = {8: 8e-3, 5: 4e-3, 4: 2e-3, 2: 5e-4, 1: 5e-5}[order]
    errors = []
    for k in range(3):
        s = integrate(machines.heavy_top(), name, 0.04, hmax=step / 2**k, fixed=True, formulation=formulation)
        errors.append(np.abs((heavy_top_state(s.y) - exact) / [1, 1, 1, 5, 150, 5]).max())
    converges(errors, order, 0.4)
    assert errors[-1] < 1e-2


@each_method
def test_order_on_a_spring(name, formulation, order, dense, h):
    """100 rad/s with a damper, so forces depend on velocities."""
    exact = oscillator_exact(0.1)
    step = {8: 2e-2, 5: 5e-3, 4: 2e-3, 2: 1e-3, 1: 1e-4}[order]
    errors = []
    for k in range(3):
        s = integrate(oscillator(), name, 0.1, hmax=step / 2**k, fixed=True, formulation=formulation)
        errors.append(np.abs((oscillator_state(s.y) - exact) / [0.1, 10.0]).max())
    converges(errors, order, 0.4)
    assert errors[-1] < 2e-2


@each_method
def test_interpolant(name, formulation, order, dense, h):
    """Inside the steps the error falls with the order of the interpolant, plus one where the solution has it too."""
    errors = []
    for k in range(3):
        s = begin(machines.double_pendulum(), name, 1.0, hmax=h / 2**k, fixed=True, formulation=formulation)
        times, found = [], []
        out = np.zeros_like(s.y)
        while s.t < 1.0:
            s.step(1.0)
            for x in (0.3, 0.8):
                times.append(s.t_old + x * (s.t - s.t_old))
                s.interpolate(times[-1], out)
                found.append(double_pendulum_state(out))
        errors.append(np.abs(np.array(found).T - double_pendulum_exact(times)).max())
    converges(errors, min(dense + 1, order), 0.4)


@pytest.mark.parametrize(
    "name, formulation", [("DOP853", "INDEX1"), ("DOPRI5", "INDEX1"), ("DOPRI5", "MINIMAL"), ("RKF45", "MINIMAL")]
)
def test_error_and_energy_follow_the_tolerance(name, formulation):
    exact = double_pendulum_exact([1.0])[:, 0]
    errors, losses = [], []
    for tolerance in (1e-5, 1e-7, 1e-9):
        s, loss = spread(machines.double_pendulum(), name, 1.0, error=tolerance, formulation=formulation)
        errors.append(np.abs(double_pendulum_state(s.y) - exact).max())
        losses.append(loss)
    for coarse, fine in zip(errors[:-1] + losses[:-1], errors[1:] + losses[1:]):
        assert fine < coarse / 10
    assert errors[-1] < 1e-7
    assert losses[-1] < 1e-7


def test_symplectic_methods_keep_the_energy_within_bounds():
    """200 periods of an oscillator at h w = 0.2: no drift, where explicit Euler explodes; bounds of the modified
    energy."""
    w, h = 100.0, 2e-3
    end = 200 * 2 * np.pi / w

    def course(name, end, h):
        seen = []
        total = lambda s: seen.append(0.5 * s.y[7] ** 2 + 0.5 * w * w * (s.y[0] - 1.0) ** 2)
        integrate(oscillator(w * w, 0.0), name, end, total, hmax=h, fixed=True)
        return np.array(seen) / (0.5 * w * w * 0.1**2) - 1.0

    for name, bound in (
        ("SEMI_IMPLICIT_EULER", 0.5 * w * h / (1 - 0.5 * w * h)),
        ("VELOCITY_VERLET", 0.25 * (w * h) ** 2),
    ):
        error = course(name, end, h)
        n = len(error) // 10
        assert np.abs(error).max() < 1.01 * bound
        assert np.abs(error[-n:]).max() == pytest.approx(np.abs(error[:n]).max(), rel=0.02)
    assert course("EXPLICIT_EULER", 20 * 2 * np.pi / w, h)[-1] > 1e3


def test_tables():
    assert np.array_equal(coefficients.B, scipy_dop853.B)
    assert np.array_equal(coefficients.A, scipy_dop853.A[:12, :12])
    d = fourth_derivative(A, B)
    c = np.array([sum(row) for row in [*A, B]])
    assert np.abs([d.sum(), d @ c, d @ c**2, d @ c**3 - 0.25]).max() < 1e-13


@pytest.mark.parametrize("name", ["DOP853", "DOPRI5", "RKF45"])
def test_stiffness_is_seen(name):
    """A damper of 1e4 1/s: after the transient stability limits the step, which stays near the boundary of the
    method."""
    model = oscillator(1e4, 1e4)
    s = begin(model, name, 1.0, error=1e-5)
    while not s.stiff and s.t < 1.0:
        s.step(1.0)
    assert s.stiff
    assert 0.5 < s.h_done * 1e4 / s.stable < 2.0
    calm = integrate(oscillator(1e4, 20.0), name, 0.2, error=1e-6)
    assert not calm.stiff


@pytest.mark.parametrize("name", ["RK4", "EXPLICIT_EULER", "SEMI_IMPLICIT_EULER", "VELOCITY_VERLET"])
def test_simple_methods_ask_for_a_step(name):
    with pytest.raises(ModelError, match=f"{name} has no error estimate and needs a fixed step: give its size as HMAX"):
        begin(machines.double_pendulum(), name, 1.0)


def test_unknown_formulation():
    with pytest.raises(ModelError, match="VELOCITY_VERLET has no formulation 'MINIMAL'; choose INDEX1"):
        begin(machines.double_pendulum(), "VELOCITY_VERLET", 1.0, hmax=1e-3, formulation="MINIMAL")


def test_a_fixed_step_that_explodes_says_so():
    with pytest.raises(ModelError, match=r"the fixed step of 1 fails \(not a number\) at time"):
        integrate(oscillator(1e8, 1e5), "RK4", 1e4, hmax=1.0, fixed=True)
