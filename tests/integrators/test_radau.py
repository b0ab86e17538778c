"""RADAU5: tables, orders of positions, velocities and multipliers, stiff limit, redundant loops, motions and states,
dense output."""

import numpy as np
import pytest
from _machines import (
    bricard,
    differences,
    double_pendulum,
    energy,
    heavy_top,
    integrate,
    oscillator,
    rates,
    reference,
    spring_pendulum,
)

from change_detectors import detect
from holonom.integrators import make_integrator, radau
from holonom.integrators.radau import RADAU5
from holonom.integrators.stepper import IntegrationError, Options
from holonom.model import Model
from holonom.system.build import System


def test_tables_are_those_of_radau_iia():
    A = np.linalg.inv(radau._AI)
    for q in range(1, 4):  # C(3): the stages integrate quadratics; B(5) follows from the last row and Radau's nodes
        assert np.allclose(A @ radau._C ** (q - 1), radau._C**q / q, atol=1e-14)
    for q in range(1, 6):
        assert A[2] @ radau._C ** (q - 1) == pytest.approx(1 / q, abs=1e-14)
    assert np.allclose(radau._TR @ radau._AI, radau.MU_REAL * radau._TR, atol=1e-13)
    assert np.allclose(radau._TC @ radau._AI, radau.MU_COMPLEX * radau._TC, atol=1e-13)
    z = np.array([0.3, -1.1, 0.7])
    w = np.array([radau._TR @ z, (radau._TC @ z).real, (radau._TC @ z).imag])
    assert np.allclose(radau._T @ w, z, atol=1e-14)


@pytest.mark.parametrize(
    "model, end, steps",
    [(double_pendulum, 1.0, (0.1, 0.05, 0.025)), (lambda: heavy_top(20.0), 0.5, (0.02, 0.01, 0.005))],
    ids=["double pendulum", "heavy top"],
)
def test_orders(model, end, steps):
    """Order 2s - 1 = 5 for positions and for the velocities of the stabilised form, s = 3 for multipliers (Hairer and
    Wanner II, theorem VII.4.5 and table VII.4.1)."""
    exact = reference(model(), end)
    seen = rates([differences(integrate(model(), "RADAU5", end, h=h), exact) for h in steps])
    assert np.all(np.abs(seen[:, :2] - 5) < 0.25), seen
    assert np.all(np.abs(seen[:, 2] - 3) < 0.25), seen


def test_order_on_a_spring():
    exact = reference(spring_pendulum(1e3, 10.0), 1.0)
    seen = rates(
        [differences(integrate(spring_pendulum(1e3, 10.0), "RADAU5", 1.0, h=h), exact) for h in (0.02, 0.01, 0.005)]
    )
    assert np.all(np.abs(seen - 5) < 0.1), seen


def test_steps_do_not_feel_a_stiff_spring():
    """A spring of 1e8 N/m at 20 % of critical damping: time constants of 5e-4 s and oscillations of 0.6 ms."""
    k, c = 1e8, 4e3
    stiff = integrate(spring_pendulum(k, c), "RADAU5", 2.0, error=1e-6)
    exact = integrate(spring_pendulum(k, c), "DOP853", 2.0, error=1e-10)
    assert np.abs(stiff.y[:3] - exact.y[:3]).max() < 2e-5
    detect("stiff spring, RADAU5: steps over those of DOP853", stiff.statistics["steps"] / exact.statistics["steps"])


def test_damping_at_infinity():
    """L-stable: what a step far too long for an undamped mode leaves of it falls with 1/(w h)^2."""
    left = []
    for w in (1e3, 1e4):
        s = integrate(oscillator(w * w, stretch=1e-6), "RADAU5", 0.1, h=0.1, error=1e-3)
        left.append(abs(s.y[0] - 1.0) / 1e-6)
    assert left[0] < 1e-2
    assert left[1] < 0.02 * left[0]


def test_errors_follow_the_tolerance():
    exact = reference(double_pendulum(), 1.0)
    errors = [differences(integrate(double_pendulum(), "RADAU5", 1.0, error=e), exact)[:2] for e in (1e-4, 1e-6, 1e-8)]
    assert np.all(np.array(errors) < 10 * np.array([[1e-4], [1e-6], [1e-8]]) * [1.0, 5.0]), errors
    assert np.all(np.log10(np.array(errors[:-1]) / errors[1:]) > 1.2), errors


def test_bricard_runs_through_with_its_redundant_row():
    """The row that is redundant changes on the way; energy and both types of constraints stay."""
    drift, open_ = [], []
    start = []

    def watch(s):
        start.append(energy(s)) if not start else None
        drift.append(abs(energy(s) - start[0]))
        open_.append(np.abs(s.W.rw.phi).max())  # rows are current at the end of the step

    s = integrate(bricard(), "RADAU5", 4.0, watch, error=1e-8)
    assert s.skipped == 1
    assert max(drift) < 1e-6
    assert max(open_) < 1e-9
    z = s.W.z  # constraint velocities at the end
    z[:] = 0.0
    z[:-6] = s.y[: 13 * s.system.nb].reshape(-1, 13)[:, 7:].ravel()
    G, rows = s.W.rw.G, s.S.rows
    speed = [
        sum(G[q] @ z[6 * rows.slot_body[q] : 6 * rows.slot_body[q] + 6] for q in range(rows.rp[r], rows.rp[r + 1]))
        for r in range(rows.m)
    ]
    assert np.abs(speed).max() < 1e-8


def test_tumbling_keeps_its_momentum():
    m = Model()
    m.gravity = (0, 0, 0)
    J = np.array([1.0, 2.0, 3.0])
    m.part("box", 1.0, tuple(J), position=(0, 0, 0), angular_velocity=(0.01, 3.0, 0.01))
    moment, attitude = [], []

    def watch(s):
        q, u = s.y[3:7], J * s.y[10:13]
        attitude.append(q.copy())
        moment.append(u + 2 * np.cross(q[1:], np.cross(q[1:], u) + q[0] * u))

    integrate(m, "RADAU5", 10.0, watch, error=1e-8)
    assert np.all(np.ptp(np.array(attitude), axis=0) > 0.9)  # no attitude is singular
    assert np.abs(np.array(moment) - moment[0]).max() < 1e-6


@pytest.mark.parametrize(
    "level, function", [("DISPLACEMENT", "0.5*TIME**2"), ("VELOCITY", "TIME"), ("ACCELERATION", "1.0")]
)
def test_driven_joint(level, function):
    m = Model()
    m.gravity = (0, -9.81, 0)
    a = m.part("a", 1.0, (0.1, 0.1, 0.1), position=(0.5, 0, 0))
    joint = m.revolute(a, m.ground, at=(0, 0, 0), axis=(0, 0, 1))
    m.motion(joint, function, level=level)
    s = integrate(m, "RADAU5", 0.5, error=1e-10)
    assert 2 * np.arctan2(s.y[6], s.y[3]) == pytest.approx(0.125, abs=1e-8)
    assert s.y[12] == pytest.approx(0.5, abs=1e-8)
    torque = (0.1 + 0.25) * 1.0 + 0.5 * 9.81 * np.cos(0.125)
    assert abs(s.lam[-1]) == pytest.approx(torque, rel=1e-5)


def test_states_and_the_motion_that_they_drive():
    """x' = -50 x + 50 sin t (stiff against the output), a body pushed by x: both have closed forms."""
    m = Model()
    m.gravity = (0, 0, 0)
    p = m.part("mass", 2.0, (1, 1, 1), position=(0, 0, 0))
    x = m.diff("-50*DIF(1) + 50*SIN(TIME)", ic=0.0)
    m.vforce(m.marker(p), m.ground, fx=f"DIF({x.id})")
    a = 50.0

    def state(t):
        return a / (a * a + 1) * (a * np.sin(t) - np.cos(t) + np.exp(-a * t))

    def place(t):  # twice the integral of x/2 from rest
        f = lambda t: a / (a * a + 1) * (-a * np.sin(t) + np.cos(t) + np.exp(-a * t) / a**2)
        g = a / (a * a + 1) * (-a - 1 / a)
        return 0.5 * (f(t) - f(0) - g * t)

    errors = []
    for e in (1e-5, 1e-8):
        s = integrate(m, "RADAU5", 2.0, error=e)
        errors.append(max(abs(s.y[26] - state(2.0)), abs(s.y[0] - place(2.0))))
    assert errors[0] < 1e-4 and errors[1] < 1e-7, errors


def test_dense_output():
    """Cubic between the stages: errors of order 4 inside, exact at both ends; rates are the slopes, multipliers
    quadratic."""
    errors = []
    for h in (0.05, 0.025):
        s = integrate(double_pendulum(), "RADAU5", 0.5, h=h)
        y, yd, z = s.y.copy(), np.zeros_like(s.y), np.zeros_like(s.y)
        s.interpolate(s.t, y, yd)
        assert np.allclose(y, s.y, atol=1e-14)
        s.interpolate(s.t_old, y, yd)
        assert np.allclose(y, s.Q.yold, atol=1e-14)
        middle, d = s.t_old + 0.4 * h, 1e-5 * h
        s.interpolate(middle + d, z)
        s.interpolate(middle - d, y)
        slope = (z - y) / (2 * d)
        s.interpolate(middle, y, yd)
        assert np.allclose(slope[7:13], yd[7:13], atol=1e-6) and np.allclose(slope[:7], yd[:7], atol=1e-3)
        exact, lam = reference(double_pendulum(), middle)
        errors.append([np.abs(y[:26] - exact[:26]).max(), np.abs(s.interpolate_lam(middle) - lam).max()])
    seen = rates(errors)[0]
    assert seen[0] > 3.5 and seen[1] > 2.5, (seen, errors)
    assert errors[1][0] < 1e-5


def test_it_is_chosen_by_name_and_refuses_other_forms():
    system = System(double_pendulum())
    assert isinstance(make_integrator("radau5", system, Options(formulation="SI2")), RADAU5)
    with pytest.raises(ValueError, match="formulation"):
        RADAU5(system, Options(formulation="I3"))
    s = RADAU5(system, Options(error=1e-6, hmin=0.5, hmax=2.0))
    s.start(0.0, system.y0.copy(), 5.0, 1.0)
    with pytest.raises(IntegrationError, match="time .*HMAX"):
        while s.t < 5:
            s.step(5.0)
