"""Margins and figures of steps that a grid of frequencies or times would miss, and arithmetic of linear systems,
against closed forms, poles of closed loops and python-control."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq

import holonom as hn
from holonom.control import ultimate_point
from holonom.model import ModelError

TF = hn.StateSpace.from_transfer_function


# ---- margins -------------------------------------------------------------------------------------------------------
def test_phase_of_180_degrees_at_frequency_zero():
    for num, den in (([2.0], [1, 0.5, -1.0]), ([2.0, 2.0], [1, 0, -1.0]), ([-2.0], [1, 1]), ([-2.0], [1.0])):
        found = TF(num, den).margins()  # L(0) = -2
        assert found.gain == pytest.approx(0.5, abs=1e-14) and found.gain_frequency == 0.0
    sampled = TF([2.0], [1, 0.5, -1.0]).discretize(0.05).margins()  # z = 1
    assert sampled.gain == pytest.approx(0.5, abs=1e-12) and sampled.gain_frequency == 0.0
    assert TF([-1.0], [1, 0]).margins().gain == math.inf  # infinite at zero: unstable for every gain
    double = TF([-2.0, -1.0], np.polymul([1, 1], [1, 0, 0]))  # of rounded matrices, as a linearised machine has them
    Q = np.linalg.qr(np.random.default_rng(2).normal(size=(3, 3)))[0]
    turned = hn.StateSpace(Q @ double.A @ Q.T, Q @ double.B, double.C @ Q.T, double.D)
    for loop in (turned, turned.discretize(0.01)):
        assert loop.margins().gain_frequency != 0.0
    near = TF([-0.9], [1, 1]).margins()  # the point nearest to -1 is L(0) = -0.9
    assert near.modulus == pytest.approx(0.1, abs=1e-12) and near.modulus_frequency < 1e-6


def test_gain_margins_of_python_control():
    control = pytest.importorskip("control", reason="needs the extra control")
    for num, den in (([2.0], [1, 0.5, -1.0]), ([2.0, 2.0], [1, 0, -1.0]), ([-2.0], [1, 1]), ([3.0], [1, 3, 3, 1])):
        assert TF(num, den).margins().gain == pytest.approx(control.margin(control.tf(num, den))[0], rel=1e-9)


def _random_loop(rng):
    n = int(rng.integers(1, 5))
    poles, left = [], n
    while left:
        pair = left > 1 and rng.random() < 0.5
        p = complex(rng.normal(-0.7, 1.0), rng.uniform(0.2, 3.0)) if pair else complex(rng.normal(-0.7, 1.0))
        poles += [p, p.conjugate()] if pair else [p]
        left -= 2 if pair else 1
    num = rng.normal(size=int(rng.integers(1, n + 1)))
    return TF(num, np.real(np.poly(poles)))


def test_gain_margin_is_where_the_closed_loop_changes():
    rng = np.random.default_rng(44)
    finite = zeros = 0
    for case in range(200):
        loop = _random_loop(rng)
        if case % 3 == 0:
            loop = loop.discretize(0.2)
        found = loop.margins()
        size = (lambda p: np.log(np.abs(p)) / 0.2) if loop.dt else np.real  # real part of a pole
        unstable = lambda k, loop=loop, size=size: int((size(loop.gain_locus([k])[0]) > 0.0).sum())
        end = found.gain if math.isfinite(found.gain) else 30.0
        finite += math.isfinite(found.gain)
        if math.isfinite(found.gain):
            zeros += found.gain_frequency == 0.0
            poles = loop.gain_locus([end])[0]
            s = 2j * np.pi * found.gain_frequency
            assert abs(poles - (np.exp(s * loop.dt) if loop.dt else s)).min() < 1e-6, case
        # nothing changes between the gain 1 and the margin, nor as near to 1 on its other side
        for e in (0.999, -0.999, 0.5, -0.5):
            assert unstable(end**e) == unstable(1.0), (case, e, found)
    assert finite > 80 and zeros > 15


def test_ultimate_gain_is_one_of_an_oscillation():
    gain, period = ultimate_point(TF([-2.0, 2.0, 0.0, 0.1], np.poly([-1, -1, -1, -1])) * 1.0)
    poles = TF([-2.0, 2.0, 0.0, 0.1], np.poly([-1] * 4)).gain_locus([gain])[0]
    assert abs(poles - 2j * np.pi / period).min() < 1e-7
    with pytest.raises(ModelError, match="no ultimate gain"):
        ultimate_point(TF([-2.0], [1, 1]))  # a real pole crosses: no oscillation


# ---- figures of a step ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize("z, w", [(0.6, 1.0), (0.1, 40.0), (5e-3, 1.0), (5e-4, 1e-3)])
def test_step_of_second_order(z, w):
    found = TF([w * w], [1, 2 * z * w, w * w]).step_figures()
    d = math.sqrt(1 - z * z)
    y = lambda t: 1 - math.exp(-z * t) * (math.cos(d * t) + z / d * math.sin(d * t))  # in w t
    rise = brentq(lambda t: y(t) - 0.9, 0, math.pi / d) - brentq(lambda t: y(t) - 0.1, 0, math.pi / d)
    k = math.ceil(-math.log(0.02) * d / (math.pi * z)) - 1  # number of the last extreme out of the band
    sign = 1.0 if k % 2 else -1.0
    settled = brentq(lambda t: sign * (y(t) - 1) - 0.02, k * math.pi / d, (k + 1) * math.pi / d)
    assert found.overshoot == pytest.approx(math.exp(-math.pi * z / d), rel=1e-9)
    assert found.peak_time == pytest.approx(math.pi / (d * w), rel=1e-9)
    assert found.rise == pytest.approx(rise / w, rel=1e-9)
    assert found.settling == pytest.approx(settled / w, rel=1e-9)


def test_step_of_fast_and_slow_parts():
    """A resonance of 1000 rad/s, damping 0.1, and 1 % with a time constant of 10,000 s, on a dense grid."""
    found = (TF([1.0], [1e-6, 2e-4, 1]) + TF([0.01], [10000.0, 1])).step_figures()
    w, z, d = 1000.0, 0.1, math.sqrt(0.99)

    def y(t):
        fast = 1 - math.exp(-z * w * t) * (math.cos(d * w * t) + z / d * math.sin(d * w * t))
        return fast - 0.01 * math.expm1(-t / 1e4)

    peak = math.pi / (d * w)  # the slow part moves it by 1e-12 s
    assert found.final == pytest.approx(1.01, rel=1e-12)
    assert found.peak_time == pytest.approx(peak, rel=1e-6)
    assert found.overshoot == pytest.approx(y(peak) / 1.01 - 1, rel=1e-9)
    rise = brentq(lambda t: y(t) - 0.909, 0, peak) - brentq(lambda t: y(t) - 0.101, 0, peak)
    assert found.rise == pytest.approx(rise, rel=1e-9)
    t = np.arange(0.0, 0.1, 1e-6)
    last = int(np.flatnonzero(np.abs([y(x) / 1.01 - 1 for x in t]) > 0.02)[-1])
    assert abs(found.settling - t[last]) < 1.1e-6
    slow = (TF([0.1], [1e-3, 1]) + TF([0.9], [1e4, 1])).step_figures()  # 0.9 at 1e4 ln 9, to 2 % at 1e4 ln 45
    reached = brentq(lambda t: 0.1 * (1 - math.exp(-t / 1e-3)) + 0.9 * (1 - math.exp(-t / 1e4)) - 0.1, 0, 1.0)
    assert slow.rise == pytest.approx(1e4 * math.log(9) - reached, rel=1e-9) and math.isnan(slow.peak_time)
    assert slow.settling == pytest.approx(1e4 * math.log(45), rel=1e-9) and slow.overshoot == 0.0


def test_step_of_equal_poles_and_of_direct_gain():
    cubic = TF([1], [1, 3, 3, 1]).step_figures()  # 1 - exp(-t) (1 + t + t^2/2)
    y = lambda t: 1 - math.exp(-t) * (1 + t + t * t / 2)
    at = lambda level: brentq(lambda t: y(t) - level, 0, 20)
    assert cubic.rise == pytest.approx(at(0.9) - at(0.1), rel=1e-9)
    assert cubic.settling == pytest.approx(at(0.98), rel=1e-9)
    assert cubic.overshoot == 0.0 and math.isnan(cubic.peak_time)
    lead = TF([5, 1], [1, 1]).step_figures()  # 1 + 4 exp(-t)
    assert (lead.rise, lead.peak_time) == (0.0, 0.0) and lead.overshoot == pytest.approx(4.0, rel=1e-12)
    assert lead.settling == pytest.approx(math.log(200), rel=1e-9)
    other = TF([-1, 1], [1, 2, 1]).step_figures()  # first the other way: 1 - exp(-t) (1 + 2 t)
    y = lambda t: 1 - math.exp(-t) * (1 + 2 * t)
    level = lambda v: brentq(lambda t: y(t) - v, 0.5, 30)
    assert other.rise == pytest.approx(level(0.9) - level(0.1), rel=1e-9)
    assert other.settling == pytest.approx(level(0.98), rel=1e-9)
    static = TF([2.0], [1.0]).step_figures()
    assert (static.final, static.rise, static.settling) == (2.0, 0.0, 0.0)
    assert math.isnan(TF([1, 0], [1, 1]).step_figures().rise)  # a final value of zero has no shares


def test_step_at_samples():
    found = TF([0.1], [1, -0.9], dt=0.1).step_figures()  # 1 - 0.9^k
    first = lambda level: math.ceil(math.log(1 - level) / math.log(0.9) - 1e-9)
    assert found.rise == pytest.approx(0.1 * (first(0.9) - first(0.1)))
    assert found.settling == pytest.approx(0.1 * first(0.98)) and found.overshoot == 0.0
    resonance = TF([1.0], [1, 0.2, 1]).discretize(0.3)
    y = resonance.step_response(0.3 * np.arange(300))[:, 0]
    found = resonance.step_figures()
    assert found.overshoot == pytest.approx(y.max() - 1, rel=1e-9)
    assert found.peak_time == pytest.approx(0.3 * y.argmax())
    assert found.settling == pytest.approx(0.3 * (np.flatnonzero(abs(y - 1) > 0.02)[-1] + 1))
    dead = TF([1.0], [1, 0, 0], dt=0.1).step_figures()  # two samples later
    assert (dead.settling, dead.rise) == (0.2, 0.0)


def test_before_the_step_there_is_nothing():
    for system in (TF([1.0], [1, 1]), TF([1.0], [1, 1]).discretize(0.5)):
        assert np.allclose(system.step_response([-1.0, 0.0, 1.0])[:, 0], [0.0, 0.0, 1 - math.exp(-1)], atol=1e-14)
        with pytest.raises(ModelError, match="do not decrease"):
            system.step_response([1.0, 0.5])


# ---- arithmetic and units ------------------------------------------------------------------------------------------
def test_arithmetic_with_numbers_and_matrices():
    G, H = TF([1, 3], [1, 2, 5]), TF([2, 1], [1, 4])
    s = np.array([0.3j, 0.2 + 1j, 5.0])
    g, h = (system.response(s)[:, 0, 0] for system in (G, H))
    for made, wanted in (
        (2 * G, 2 * g),
        (G * 2, 2 * g),
        (np.float64(2) * G, 2 * g),
        (G / 4, g / 4),
        (-G, -g),
        (G - H, g - h),
        (G - G, 0 * g),
        (G + 1, g + 1),
        (1 - G, 1 - g),
        (G - 0.5, g - 0.5),
        (sum([G, H]), g + h),
        (G.feedback(2), g / (1 + 2 * g)),
    ):
        assert abs(made.response(s)[:, 0, 0] - wanted).max() < 1e-13
    assert (2 * G).outputs == G.outputs
    rng = np.random.default_rng(1)
    A, B, C, K = -np.eye(3) + 0.1 * rng.normal(size=(3, 3)), *(rng.normal(size=k) for k in ((3, 2), (2, 3), (2, 2)))
    plant = hn.StateSpace(A, B, C, np.zeros((2, 2)))
    r = plant.response(s)
    assert abs((K * plant).response(s) - K @ r).max() < 1e-13 and abs((plant * K).response(s) - r @ K).max() < 1e-13
    for wrong in (
        lambda: plant + 1,
        lambda: G / H,
        lambda: G / 0,
        lambda: G * "2",
        lambda: G * math.nan,
        lambda: 1 / G,
    ):
        with pytest.raises((ModelError, TypeError), match="give|unsupported"):
            wrong()


def test_units_of_time_are_not_mixed(tmp_path):
    a = TF([1.0], [100.0, 1.0], time_unit="ms")  # a lag of 100 ms
    b = TF([1.0], [1.0, 1.0])  # of 1 s
    for wrong in (lambda: a * b, lambda: b * a, lambda: a + b, lambda: a - b, lambda: a.feedback(b)):
        with pytest.raises(ModelError, match="time in (ms|s) and one with time in (s|ms) cannot be connected"):
            wrong()
    c = a.in_time_unit("s")
    assert c.poles[0] == pytest.approx(-10.0) and sorted((c * b).poles.real) == pytest.approx([-10.0, -1.0])
    f = np.array([0.1, 1.0, 7.0])  # Hz
    assert abs(a.frequency_response(f * 1e-3) - c.frequency_response(f)).max() < 1e-14
    held = a.discretize(5.0)
    assert held.in_time_unit("s").dt == pytest.approx(0.005) and held.in_time_unit("s").poles == held.poles
    assert (2 * a).time_unit == (a + 1).time_unit == a.feedback().time_unit == a.select().time_unit == "ms"
    a.save(tmp_path / "a.npz")
    assert hn.StateSpace.load(tmp_path / "a.npz").time_unit == "ms"
    with pytest.raises(ModelError, match="no unit of time"):
        a.in_time_unit("mm")
    pytest.importorskip("control", reason="needs the extra control")
    assert hn.StateSpace.from_control(a.to_control()).time_unit == "ms"
    assert hn.StateSpace.from_control(b.to_control()).time_unit == "s"
    assert hn.StateSpace.from_control(a.to_control(), "s").time_unit == "s"


def test_tustin_is_prewarped_below_half_of_the_sampling_frequency():
    G = TF([3.0], [2.0, 1.0])
    for w in (0.5, 31.4):
        held = G.discretize(0.1, "tustin", prewarp=w).response([np.exp(0.1j * w)])[0, 0, 0]
        assert held == pytest.approx(G.response([1j * w])[0, 0, 0], rel=1e-9)
    for w in (math.pi / 0.1, 40.0, 70.0, -1.0, math.nan):
        with pytest.raises(ModelError, match="prewarp is"):
            G.discretize(0.1, "tustin", prewarp=w)
    with pytest.raises(ModelError, match="prewarp has no effect"):
        G.discretize(0.1, "zoh", prewarp=3.0)
    c = hn.Model("x", units="SI").control
    with pytest.raises(ModelError, match="prewarp is 40.*below pi/period = 31.4"):
        c.transfer_function("y", 1.0, numerator=[3], denominator=[2, 1], sample_time=0.1, method="tustin", prewarp=40)
    with pytest.raises(ModelError, match="frequency is 40.*notch"):
        c.notch("z", 1.0, frequency=40.0, sample_time=0.1)
