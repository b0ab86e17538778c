"""HHT and GSTIFF: rates, benchmark numbers, redundant loops, every attitude, multipliers at tiny steps, failures
told."""

import numpy as np
import pytest

from holonom.elements.bodies.rigid import gravity_energy, kinetic_energy
from holonom.integrators.dstiff import DSTIFF
from holonom.integrators.gstiff import GSTIFF, coefficients
from holonom.integrators.hht import HHT
from holonom.integrators.stepper import IntegrationError, Options
from holonom.integrators.wstiff import WSTIFF
from holonom.model import Model
from holonom.system.build import System

METHODS = [
    (HHT, {}),
    (GSTIFF, {"formulation": "I3"}),
    (GSTIFF, {"formulation": "SI2"}),
    (WSTIFF, {"formulation": "SI1"}),
    (DSTIFF, {"formulation": "SI2"}),
]
NAMES = ["HHT", "I3", "SI2", "W SI1", "D SI2"]
each_method = pytest.mark.parametrize("kind, more", METHODS, ids=NAMES)


def double_pendulum():
    m = Model()
    m.gravity = (0, -10, 0)
    a, b = m.part("a", 1.0, (1, 1, 1), position=(0.5, 0, 0)), m.part("b", 1.0, (1, 1, 1), position=(1.5, 0, 0))
    m.revolute(a, m.ground, at=(0, 0, 0), axis=(0, 0, 1))
    m.revolute(b, a, at=(1, 0, 0), axis=(0, 0, 1))
    return m


DOUBLE = np.array([-2.227202839966, -1.489687701108])  # BENCHMARKS.md, case 7, t = 1


def angles(y):
    return np.array([2 * np.arctan2(y[13 * k + 6], y[13 * k + 3]) for k in range(2)])


def pendulum():  # BENCHMARKS.md, case 3; the bob's inertia moves the period by 5e-7
    m = Model()
    m.gravity = (0, -9.81, 0)
    p = m.part("bob", 1.0, (1e-6, 1e-6, 1e-6), position=(-1, 0, 0))
    m.revolute(p, m.ground, at=(0, 0, 0), axis=(0, 0, 1))
    return m


def heavy_top():  # BENCHMARKS.md, case 6
    m = Model()
    m.gravity = (0, 0, -9.81)
    W = (0, 150, -4.61538)
    p = m.part(
        "top", 15.0, (0.234375, 0.46875, 0.234375), position=(0, 1, 0), velocity=(4.61538, 0, 0), angular_velocity=W
    )
    m.spherical(p, m.ground, at=(0, 0, 0))
    return m


def four_bars():  # BENCHMARKS.md, case 4: two loops, six redundant rows
    m = Model()
    m.gravity = (0, -9.81, 0)
    up, flat = (1 / 12, 1 / 1200, 1 / 12), (1 / 1200, 1 / 12, 1 / 12)
    rods = [
        m.part(f"rod{k}", 1.0, up, position=(k, 0.5, 0), velocity=(0.5, 0, 0), angular_velocity=(0, 0, -1))
        for k in range(3)
    ]
    for k, rod in enumerate(rods):
        m.revolute(rod, m.ground, at=(k, 0, 0), axis=(0, 0, 1))
    for k in range(2):
        link = m.part(f"link{k}", 1.0, flat, position=(k + 0.5, 1, 0), velocity=(1, 0, 0))
        m.revolute(link, rods[k], at=(k, 1, 0), axis=(0, 0, 1))
        m.revolute(link, rods[k + 1], at=(k + 1, 1, 0), axis=(0, 0, 1))
    return m


def integrate(model, kind, end, watch=None, **options):
    system = System(model)
    stepper = kind(system, Options(**options))
    stepper.start(0.0, system.y0.copy(), end)
    while stepper.t < end:
        stepper.step(end)
        if watch:
            watch(stepper)
    return stepper


def energy(stepper):
    return kinetic_energy(stepper.S.bodies, stepper.y) + gravity_energy(stepper.S.bodies, stepper.y)


@pytest.mark.parametrize("alpha", [0.0, -0.1, -0.3])
def test_hht_is_of_second_order(alpha):
    errors = []
    for h in (4e-3, 2e-3, 1e-3):
        s = integrate(double_pendulum(), HHT, 1.0, hmin=h, hmax=h, alpha=alpha, newton=1e-11)
        errors.append(np.abs(angles(s.y) - DOUBLE).max())
    rates = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.all(np.abs(rates - 2) < 0.1), rates


@pytest.mark.parametrize("formulation", ["I3", "SI2"])
@pytest.mark.parametrize("order", [1, 2])
def test_gstiff_converges_with_its_order(formulation, order):
    errors = []
    for h in (4e-3, 2e-3, 1e-3):
        s = integrate(double_pendulum(), GSTIFF, 1.0, hmin=h, hmax=h, kmax=order, formulation=formulation, newton=1e-11)
        assert s.order == order
        errors.append(np.abs(angles(s.y) - DOUBLE).max())
    rates = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.all(np.abs(rates - order) < 0.25), rates


@pytest.mark.parametrize("formulation", ["I3", "SI2"])
def test_higher_orders_need_fewer_steps(formulation):
    steps = []
    for order in (2, 3, 4, 6):
        s = integrate(double_pendulum(), GSTIFF, 1.0, error=1e-7, kmax=order, formulation=formulation)
        assert np.abs(angles(s.y) - DOUBLE).max() < 1e-3
        steps.append(s.statistics["steps"])
    assert np.all(np.diff(steps) < 0), steps


def test_coefficients_are_those_of_the_bdf():
    l = coefficients()
    assert np.allclose(l[1, :2], [1, 1])
    assert np.allclose(l[2, :3], [2 / 3, 1, 1 / 3])
    assert np.allclose(l[3, :4], [6 / 11, 1, 6 / 11, 1 / 11])
    for k in range(1, 7):
        assert l[k, 0] == pytest.approx(1 / sum(1 / i for i in range(1, k + 1)))


@each_method
def test_double_pendulum_error_falls_with_the_tolerance(kind, more):
    errors = []
    for tolerance in (1e-4, 1e-6):
        s = integrate(double_pendulum(), kind, 1.0, error=tolerance, **more)
        errors.append(np.abs(angles(s.y) - DOUBLE).max())
    assert errors[1] < 0.1 * errors[0]
    assert errors[1] < (1e-3 if kind is HHT else 5e-5)


@each_method
def test_pendulum(kind, more):
    s = integrate(pendulum(), kind, 1.0, error=1e-7 if kind is HHT else 1e-8, **more)
    assert np.allclose(s.y[:2], (0.986291751132, -0.165010853126), atol=1e-3 if kind is HHT else 1e-5)


@each_method
def test_heavy_top(kind, more):
    s = integrate(heavy_top(), kind, 0.2, error=1e-7 if kind is HHT else 1e-8, **more)
    assert np.allclose(s.y[:3], (0.605550561377, 0.598957681795, -0.523983027430), atol=1e-4 if kind is HHT else 2e-6)


@each_method
def test_redundant_four_bars_keep_their_energy(kind, more):
    drift = []
    start = 1.5 + 3.5 * 9.81
    s = integrate(four_bars(), kind, 2.0, lambda s: drift.append(abs(energy(s) - start)), error=1e-7, **more)
    assert s.skipped == 6
    assert max(drift) < (2e-2 if kind is HHT else 1e-3)
    rod0 = s.y[:2] * 2
    assert np.allclose(rod0, (0.057815795768, 0.998327267863), atol=1e-3)


@each_method
def test_a_tumbling_body_has_no_singular_attitude(kind, more):
    m = Model()
    m.gravity = (0, 0, 0)
    J = np.array([1.0, 2.0, 3.0])
    m.part("box", 1.0, tuple(J), position=(0, 0, 0), angular_velocity=(0.01, 3.0, 0.01))
    s0, moment, norm = [], [], []

    def watch(s):
        q, W = s.y[3:7], s.y[10:13]
        u = J * W
        s0.append(q.copy())
        norm.append(abs(q @ q - 1))
        moment.append(u + 2 * np.cross(q[1:], np.cross(q[1:], u) + q[0] * u))

    integrate(m, kind, 10.0, watch, error=1e-6, **more)
    spread = np.ptp(np.array(s0), axis=0)
    assert np.all(spread[2:3] > 1.9) and np.all(spread > 0.9)  # turned over several times
    assert max(norm) < 1e-14
    assert np.abs(np.array(moment) - moment[0]).max() < (0.05 if kind is HHT else 2e-3)


def test_si2_multipliers_stay_clean_where_those_of_i3_degrade():
    noise = {}
    for formulation in ("I3", "SI2"):
        system = System(double_pendulum())
        s = GSTIFF(system, Options(error=1e-8, formulation="SI2"))
        s.start(0.0, system.y0.copy(), 1.0)
        while s.t < 0.5:
            s.step(0.5)
        system = System(double_pendulum())
        late = GSTIFF(system, Options(error=1e-4, formulation=formulation, hmax=1e-7, fixed=True, newton=1e-12, kmax=2))
        late.start(0.5, s.y.copy(), 1.0)
        exact = late.lam.copy()
        worst = 0.0
        for _ in range(20):
            late.step(1.0)
            worst = max(worst, np.abs(late.lam - exact).max() / np.abs(exact).max())
        noise[formulation] = worst
    assert noise["SI2"] < 1e-5
    assert noise["I3"] > 100 * noise["SI2"]


@each_method
def test_dense_output_is_continuous_and_meets_the_constraints(kind, more):
    system = System(double_pendulum())
    s = kind(system, Options(error=1e-7, **more))
    s.start(0.0, system.y0.copy(), 1.0)
    before, y, yd, z = system.y0.copy(), np.zeros_like(system.y0), np.zeros_like(system.y0), np.zeros_like(system.y0)
    while s.t < 0.6:
        s.step(1.0)
        s.interpolate(s.t_old, y, yd)
        assert np.allclose(y[:26], before[:26], atol=2e-5)
        s.interpolate(s.t, y, yd)
        assert np.allclose(y[:26], s.y[:26], atol=1e-12)
        before = s.y.copy()
        middle, e = 0.5 * (s.t_old + s.t), 1e-4 * s.h_done
        s.interpolate(middle, y, yd)
        assert np.linalg.norm(y[:2]) == pytest.approx(0.5, abs=1e-4)
        assert np.linalg.norm(y[3:7]) == pytest.approx(1.0, abs=1e-14)
        s.interpolate(middle + e, y, z)
        fast = y.copy()
        s.interpolate(middle - e, y, z)
        slope = (fast - y) / (2 * e)
        assert np.allclose(slope[:26], yd[:26], atol=2e-3 * max(1.0, np.abs(yd).max()))
    assert s.interpolate_lam(s.t) == pytest.approx(s.lam)


@each_method
def test_driven_joint_follows_its_motion(kind, more):
    for level, function, wanted in ((0, "0.5*TIME**2", 0.125), (1, "TIME", 0.125), (2, "1.0", 0.125)):
        m = Model()
        m.gravity = (0, -9.81, 0)
        a = m.part("a", 1.0, (0.1, 0.1, 0.1), position=(0.5, 0, 0))
        r = m.revolute(a, m.ground, at=(0, 0, 0), axis=(0, 0, 1))
        m.motion(r, function, level=("DISPLACEMENT", "VELOCITY", "ACCELERATION")[level])
        s = integrate(m, kind, 0.5, error=1e-6, **more)
        assert angles(np.concatenate([s.y[:13], s.y[:13]]))[0] == pytest.approx(wanted, abs=2e-3 if level else 1e-6), (
            level
        )


def test_failure_names_the_time_and_a_remedy():
    system = System(double_pendulum())
    s = GSTIFF(system, Options(error=1e-6, hmin=0.2, hmax=0.5))
    s.start(0.0, system.y0.copy(), 5.0, 0.5)
    with pytest.raises(
        IntegrationError,
        match=r"the local error .* at time 0; .* motion of PART/3 .*last good state.* try \(1\) a looser ERROR, or a "
        r"smaller HMIN",
    ):
        while s.t < 5:
            s.step(5.0)


def test_wrong_options_are_refused():
    system = System(double_pendulum())
    with pytest.raises(ValueError, match="ALPHA"):
        HHT(system, Options(alpha=-0.5))
    with pytest.raises(ValueError, match="formulation"):
        GSTIFF(system, Options(formulation="I2"))


@each_method
def test_a_matrix_of_a_trial_that_is_not_finite_cuts_the_step(kind, more):
    """A trial that ran away leaves an infinite matrix and small pivots: a smaller step is tried, and the motion is as
    without."""
    ends = []
    for broken in (False, True):
        system = System(double_pendulum())
        stepper = kind(system, Options(error=1e-6, extra=dict(more)))
        stepper.start(0.0, system.y0.copy(), 0.3)
        real, count = stepper._try, [0]

        def trial(h, stepper=stepper, real=real, count=count):
            count[0] += 1
            if count[0] != 3:
                return real(h)
            stepper.I.data[:] = np.inf
            return 1, 4, 1, 1.0, 0, 1e-12, 0  # DIVERGED, with a small pivot

        if broken:
            stepper._try = trial
        rejected = []
        while stepper.t < 0.3:
            rejected += stepper.step(0.3).rejected
        ends.append(stepper.y.copy())
        assert ("not a number" in [r[-1] for r in rejected]) == broken
    assert ends[1] == pytest.approx(ends[0], abs=3e-4)  # other steps: both have errors of 1e-4 in velocities
