"""ABAM: order by order, variable order, re-expressed past, stiffness."""

import numpy as np
import pytest
from _explicit_machines import (
    andrews_error,
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

import holonom as hn
from change_detectors import detect
from holonom.integrators.abam import GAMMA
from holonom.model import ModelError


@pytest.mark.parametrize("order", range(1, 9))
def test_fixed_orders(order):
    """The corrector of order k + 1 gives the solution: errors fall with h^(k+1)."""
    exact = double_pendulum_exact([1.0])[:, 0]
    h = {7: 0.04, 8: 0.04}.get(order, 0.02)
    errors = []
    for k in range(3):
        s = integrate(machines.double_pendulum(), "ABAM", 1.0, hmax=h / 2**k, fixed=True, kmax=order, error=1e-11)
        errors.append(np.abs(double_pendulum_state(s.y) - exact).max())
    rates = np.log2(np.array(errors[:-1]) / errors[1:])
    assert rates.min() > order and rates.max() > order + 1 - 0.45, f"rates {rates} of errors {errors}"


def test_coefficients_of_adams_and_moulton():
    assert np.allclose(GAMMA[:7], [1, 1 / 2, 1 / 12, 1 / 24, 19 / 720, 3 / 160, 863 / 60480], rtol=1e-15)


@pytest.mark.parametrize("highest", [2, 5, 12])
def test_highest_order_is_kept(highest):
    orders = []
    s = integrate(machines.double_pendulum(), "ABAM", 1.0, lambda s: orders.append(s._k), error=1e-10, kmax=highest)
    assert max(orders) == highest  # it is reached, and not passed
    assert np.abs(double_pendulum_state(s.y) - double_pendulum_exact([1.0])[:, 0]).max() < 1e-8


def test_error_and_energy_follow_the_tolerance():
    exact = double_pendulum_exact([1.0])[:, 0]
    errors, losses = [], []
    for tolerance in (1e-5, 1e-7, 1e-9):
        s, loss = spread(machines.double_pendulum(), "ABAM", 1.0, error=tolerance)
        errors.append(np.abs(double_pendulum_state(s.y) - exact).max())
        losses.append(loss)
        assert violation(s) < 1e-2 * tolerance
    for coarse, fine in zip(errors[:-1] + losses[:-1], errors[1:] + losses[1:]):
        assert fine < coarse / 10
    assert errors[-1] < 1e-7


def test_andrews():
    errors = []
    for tolerance in (1e-6, 1e-8, 1e-10):
        s = integrate(machines.andrews(), "ABAM", 0.03, error=tolerance)
        errors.append(andrews_error(s.y))
    assert errors[0] < 1e-3
    assert errors[1] < 1e-5
    assert errors[2] < 1e-7
    detect("Andrews, ABAM: rejected or partitions", max(s.statistics["rejected: error"], s.statistics["partitions"]))


def test_heavy_top_turns_many_times():
    """Rotation vectors get a new reference every radian; the order survives."""
    s = integrate(machines.heavy_top(), "ABAM", 0.5, error=1e-9)
    assert np.abs(heavy_top_state(s.y) - heavy_top_exact(0.5))[:3].max() < 1e-5
    assert s.order >= 6
    detect("heavy top, ABAM: steps", s.statistics["steps"])


def test_spring():
    s = integrate(oscillator(), "ABAM", 0.1, error=1e-9)
    assert np.abs((oscillator_state(s.y) - oscillator_exact(0.1)) / [0.1, 10.0]).max() < 1e-6


def test_interpolant():
    worst = []
    for tolerance in (1e-6, 1e-9):
        s = begin(machines.double_pendulum(), "ABAM", 1.0, error=tolerance)
        times, found = [], []
        out = np.zeros_like(s.y)
        while s.t < 1.0:
            s.step(1.0)
            for x in (0.2, 0.7):
                times.append(s.t_old + x * (s.t - s.t_old))
                s.interpolate(times[-1], out)
                found.append(double_pendulum_state(out))
        worst.append(np.abs(np.array(found).T - double_pendulum_exact(times)).max())
    assert worst[0] < 1e-4
    assert worst[1] < 1e-7


def test_begins_anew():
    """After a restart in the middle the run continues as accurately."""
    s = begin(machines.double_pendulum(), "ABAM", 1.0, error=1e-9)
    while s.t < 0.4:
        s.step(0.4)
    s.restart(1e-3)
    while s.t < 1.0:
        s.step(1.0)
    assert np.abs(double_pendulum_state(s.y) - double_pendulum_exact([1.0])[:, 0]).max() < 1e-7


def test_stiffness_is_seen():
    s = begin(oscillator(1e4, 1e4), "ABAM", 1.0, error=1e-5)
    while not s.stiff and s.t < 0.2:
        s.step(1.0)
    assert s.stiff
    assert not integrate(oscillator(), "ABAM", 0.2, error=1e-6).stiff


def test_bad_order():
    with pytest.raises(ModelError, match="KMAX of ABAM is 13; it must lie between 1 and 12"):
        begin(machines.double_pendulum(), "ABAM", 1.0, kmax=13)


def test_steps_in_an_impact_follow_the_error_test():
    """A ball of Hertz' law without losses: F = k d^1.5 lasts for 2.9433 d/v with d = (5 m v^2 / 4 k)^(2/5), and leaves
    as fast as it came.  The error test sees velocities, so an impact needs no steps on its own account: 2,000 and more
    at ERROR 1e-9."""
    mass, stiffness, drop = 1.0, 1e7, 0.1
    m = hn.Model("ball")
    m.gravity = (0, 0, -9.81)
    body = m.part("ball", mass, (0.01,) * 3, (0, 0, drop + 0.05))
    m.contact(
        m.sphere(body, (0, 0, drop + 0.05), 0.05),
        m.plane(m.ground, (0, 0, 0), (0, 0, 1)),
        stiffness=stiffness,
        exponent=1.5,
        damping=0.0,
        dmax=1e-4,
    )
    speed = np.sqrt(2 * 9.81 * drop)
    deep = (5 * mass * speed**2 / (4 * stiffness)) ** 0.4
    lasts = 2.9432751 * deep / speed
    fall = speed / 9.81
    for error, most in ((1e-6, 3e-4), (1e-9, 1e-6)):
        run = hn.simulate(m, fall + lasts + 0.5 * fall, 2, integrator="ABAM", error=error)
        z, v = (float(q.values[-1, 2]) for q in (run.part("ball").position, run.part("ball").velocity))
        # gravity acts in the contact too: it is passed a little later, by a share of g lasts / v
        assert v == pytest.approx(0.5 * speed, rel=2 * 9.81 * lasts / speed)
        energy = mass * (9.81 * (z - 0.05) + 0.5 * v**2)
        assert energy == pytest.approx(mass * 9.81 * drop, rel=most)
        assert run.counters["steps"] < 400
