"""Generalized-alpha, Newmark, backward Euler, HHT: orders, groups, spectral radius at infinity, energy, redundant
loops."""

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
    unit_bodies,
)
from scipy.integrate import solve_ivp

import holonom as hn
from holonom.elements.bodies.lie_group import screw_rates
from holonom.integrators import make_integrator
from holonom.integrators.stepper import Options
from holonom.system.build import System

GROUPS = ("R3xSO3", "SE3")
FORMS = ("I3", "SI2")
TOP = (2e-3, 1e-3)
PAIR = (8e-3, 4e-3)


@pytest.fixture(scope="module")
def top():
    return reference(heavy_top(), 0.2)


@pytest.fixture(scope="module")
def pair():
    return reference(double_pendulum(), 1.0)


def orders(model, exact, kind, end, steps, **options):
    return rates([differences(integrate(model(), kind, end, h=h, **options), exact) for h in steps])[0]


@pytest.mark.parametrize("formulation", FORMS)
@pytest.mark.parametrize("group", GROUPS)
def test_generalized_alpha_is_of_second_order_in_multipliers_too(group, formulation, top, pair):
    """Bruls, Cardona, Arnold 2012: positions, velocities and multipliers, on both groups (the top turns by 0.3 rad a
    step)."""
    more = {"extra": {"rho": 0.8, "group": group}, "formulation": formulation}
    seen = orders(heavy_top, top, "GENERALIZED_ALPHA", 0.2, TOP, **more)
    assert np.all(np.abs(seen - 2) < 0.1), seen
    seen = orders(double_pendulum, pair, "GENERALIZED_ALPHA", 1.0, PAIR, **more)
    assert np.all(np.abs(seen - 2) < 0.1), seen


@pytest.mark.parametrize(
    "kind, options, order",
    [
        ("NEWMARK", {"formulation": "SI2"}, 2),
        ("NEWMARK", {"extra": {"beta": 0.3025, "gamma": 0.6}}, 1),
        ("HHT", {"formulation": "SI2"}, 2),
        ("IMPLICIT_EULER", {}, 1),
        ("IMPLICIT_EULER", {"formulation": "SI2"}, 1),
    ],
    ids=lambda v: str(v),
)
def test_orders_of_the_others(kind, options, order, pair):
    seen = orders(double_pendulum, pair, kind, 1.0, PAIR, **options)
    if kind == "NEWMARK" and order == 2:  # multipliers oscillate undamped about theirs
        seen = seen[:2]
    assert np.all(np.abs(seen - order) < 0.1), seen


@pytest.mark.parametrize("kind, order", [("NEWMARK", 2), ("GENERALIZED_ALPHA", 2), ("HHT", 2), ("IMPLICIT_EULER", 1)])
def test_orders_on_a_spring(kind, order):
    exact = reference(spring_pendulum(100.0, 1.0), 1.0)
    seen = orders(lambda: spring_pendulum(100.0, 1.0), exact, kind, 1.0, (4e-3, 2e-3))
    assert np.all(np.abs(seen - order) < 0.1), seen


def test_velocities_of_index_3_drift_off_and_those_of_si2_do_not():
    """What the stabilised form is for: the velocity constraint is met to the corrector's tolerance."""
    speed = {}
    for formulation in FORMS:
        s = integrate(heavy_top(), "GENERALIZED_ALPHA", 0.1, h=1e-3, formulation=formulation)
        q, W = s.y[3:7], s.y[10:13]
        arm = np.array([0.0, -1.0, 0.0])
        v = np.cross(W, arm)
        speed[formulation] = np.abs(s.y[7:10] + v + 2 * np.cross(q[1:], np.cross(q[1:], v) + q[0] * v)).max()
    assert speed["SI2"] < 1e-9
    assert speed["I3"] > 1e-4


def test_screw_motions_meet_the_velocity_constraint_by_themselves():
    """Bruls, Cardona, Arnold 2012, sec. 6: on SE(3) the tip of the top is held by positions alone."""
    ends = [
        integrate(heavy_top(), "GENERALIZED_ALPHA", 0.1, h=1e-3, formulation=f, extra={"group": "SE3"}).y for f in FORMS
    ]
    assert np.abs(ends[0] - ends[1]).max() < 1e-7


def amplification(kind, w, steps, **options):
    """Spectral radius of steps of 1 s on x'' = -w^2 x, from the recurrence that the displacements obey."""
    stretch = 0.3 / (w * w)
    x = [stretch]
    integrate(
        oscillator(w * w, stretch=stretch),
        kind,
        float(steps),
        lambda s: x.append(s.y[0] - 1.0),
        h=1.0,
        error=1e-3,
        **options,
    )
    x = np.array(x[1:]) / stretch
    before = np.stack([x[:-3], x[1:-2], x[2:-1]])
    U, size, V = np.linalg.svd(before, full_matrices=False)
    n = max(1, int((size > 1e-6 * size[0]).sum()))  # methods without a third root give two
    step = U[:, :n].T @ np.stack([x[1:-2], x[2:-1], x[3:]]) @ V[:n].T / size[:n]
    return np.abs(np.linalg.eigvals(step)).max()


@pytest.mark.parametrize("rho", [0.0, 0.5, 0.8, 1.0])
def test_spectral_radius_at_infinity_is_rho(rho):
    """Chung and Hulbert 1993: a step far too long for a mode leaves rho of it; here w h = 1000."""
    seen = amplification("GENERALIZED_ALPHA", 1e3, 9, extra={"rho": rho})
    assert seen == pytest.approx(rho, abs=0.02)


@pytest.mark.parametrize(
    "kind, options, expected",
    [
        ("NEWMARK", {}, 1.0),
        ("HHT", {"alpha": -0.3}, 0.7 / 1.3),
        ("HHT", {"alpha": 0.0}, 1.0),
        ("NEWMARK", {"extra": {"gamma": 1.0}}, 1 / 3),
        ("IMPLICIT_EULER", {}, 0.0),
    ],
    ids=str,
)
def test_spectral_radius_of_the_others(kind, options, expected):
    """Hughes, The Finite Element Method (1987), 9.1 and 9.3; HHT keeps (1 + alpha)/(1 - alpha)."""
    assert amplification(kind, 1e3, 9, **options) == pytest.approx(expected, abs=0.02)


def test_energy_without_damping_and_with_it():
    """rho = 1 keeps the energy of a linear oscillator for ever, rho < 1 takes from a fast one at every step and hardly
    any from a slow one."""

    def audit(w, h, rho):
        stretch = 1e-2
        e = []

        def watch(s):
            e.append(0.5 * s.y[7] ** 2 + 0.5 * w * w * (s.y[0] - 1.0) ** 2)

        integrate(oscillator(w * w, stretch=stretch), "GENERALIZED_ALPHA", 100 * h, watch, h=h, extra={"rho": rho})
        return np.array(e) / (0.5 * (w * stretch) ** 2)

    kept = audit(2 * np.pi, 0.05, 1.0)
    assert np.abs(kept - 1.0).max() < 1e-9
    slow = audit(2 * np.pi, 0.01, 0.6)
    assert 0.99 < slow[-1] < 1.0
    fast = audit(2 * np.pi, 0.5, 0.6)
    assert np.all(np.diff(fast[2:]) < 0.0)
    assert (fast[-1] / fast[49]) ** (1 / 50) == pytest.approx(textbook_radius(np.pi, 0.6) ** 2, abs=2e-3)


def textbook_radius(wh, rho):
    """Spectral radius of Chung and Hulbert's amplification matrix of (x, h x', h^2 a)."""
    am, af = (2 * rho - 1) / (rho + 1), rho / (rho + 1)
    gamma = 0.5 - am + af
    beta = 0.25 * (1 - am + af) ** 2
    after = np.array([[1, 0, -beta], [0, 1, -gamma], [(1 - af) * wh**2, 0, 1 - am]])
    before = np.array([[1, 1, 0.5 - beta], [0, 1, 1 - gamma], [-af * wh**2, 0, -am]])
    return np.abs(np.linalg.eigvals(np.linalg.solve(after, before))).max()


def test_energy_of_a_pendulum_does_not_drift_at_rho_1():
    start, drift = 0.0, []
    integrate(
        double_pendulum(),
        "GENERALIZED_ALPHA",
        20.0,
        lambda s: drift.append(abs(energy(s) - start)),
        h=5e-3,
        extra={"rho": 1.0},
        formulation="SI2",
    )
    half = len(drift) // 2
    assert max(drift[half:]) < 1.5 * max(drift[:half])
    assert max(drift) < 0.005


@pytest.mark.parametrize(
    "kind, options",
    [("GENERALIZED_ALPHA", {"extra": {"group": g}, "formulation": f}) for g in GROUPS for f in FORMS]
    + [("NEWMARK", {"formulation": "SI2"}), ("IMPLICIT_EULER", {})],
    ids=str,
)
def test_bricard_with_error_control(kind, options):
    """The redundant row changes on the way; a tenth of the tolerance gives a better energy, at its worst in the run."""
    change = []
    for error in (1e-4, 1e-5):
        kept = []
        s = integrate(bricard(), kind, 2.0, lambda s, kept=kept: kept.append(energy(s)), error=error, **options)
        assert s.skipped == 1
        start = System(bricard())
        change.append(np.abs(np.array(kept) - energy(_At(s, start.y0))).max())
    assert change[1] < 0.7 * change[0]
    assert change[1] < (1.0 if kind == "IMPLICIT_EULER" else 0.05)


@pytest.mark.parametrize("kind", ["HHT", "GENERALIZED_ALPHA", "NEWMARK"])
def test_steps_that_change_keep_the_order(kind):
    """Steps of 0.7 and 1.3 times a size in turn: the error falls with its square, with its first power where
    algorithmic accelerations stay where the step before has them."""

    def swing():
        m = hn.Model("swing", units="SI")
        m.gravity = (0, 0, -9.81)
        bob = m.part("bob", 1.0, (0.1, 0.1, 0.1), position=(1, 0, 0))
        m.revolute(bob, m.ground, at=(0, 0, 0), axis=(0, 1, 0))
        m.variable(f"DX({bob.cm})", "x")
        m.diff(f"VX({bob.cm})-3*DIF(1)", ic=0.2)
        m.variable("DIF(1)", "follower")
        return m

    def ends(sizes, **options):
        sim = hn.Simulation(swing())
        sim.open(record="none", duration=1.2, **options)
        t = 0.0
        for size in sizes:
            t += size
            sim.advance(t)
        out = np.array([sim.output("x"), sim.output("follower")])
        sim.close()
        return out

    exact = ends([1.2], integrator="DOP853", error=1e-12)
    off = [
        np.abs(ends(np.tile([0.7, 1.3], n) * 0.6 / n, integrator=kind, step=0.1, formulation="SI2") - exact)
        for n in (30, 60, 120)
    ]
    assert (np.log2(off[0] / off[1]) > 1.9).all() and (np.log2(off[1] / off[2]) > 1.9).all()


class _At:
    def __init__(self, stepper, y):
        self.S, self.y = stepper.S, y


@pytest.mark.parametrize("kind", ["GENERALIZED_ALPHA", "NEWMARK", "IMPLICIT_EULER"])
def test_error_control_keeps_the_tolerance_in_sight(kind, pair):
    order = 1 if kind == "IMPLICIT_EULER" else 2
    errors = [
        differences(integrate(double_pendulum(), kind, 1.0, error=e, formulation="SI2"), pair)[0] for e in (1e-4, 1e-6)
    ]
    assert errors[0] < 0.1 * (10 if order == 1 else 1)
    assert errors[1] < errors[0] * 100 ** (-0.8 * order / (order + 1))


def test_accelerations_of_the_group():
    """A body at rest in a turning frame: r'' = W x (W x r), A^T r'' - W x A^T r' = 0."""
    rng = np.random.default_rng(1)
    y, acc, out = np.zeros(26), np.zeros(12), np.zeros(12)
    q = rng.normal(size=4)
    y[3:7], y[16] = q / np.linalg.norm(q), 1.0
    a, u = y[3], y[4:7]
    turn = lambda v: v + 2 * np.cross(u, np.cross(u, v) + a * v)
    W, arm = rng.normal(size=3), rng.normal(size=3)
    y[10:13] = W
    y[7:10] = turn(np.cross(W, arm))
    acc[:3] = turn(np.cross(W, np.cross(W, arm)))
    screw_rates(unit_bodies(1), y, acc, out)
    assert np.abs(out[:3]).max() < 1e-14


@pytest.mark.parametrize(
    "kind, options, word",
    [
        ("GENERALIZED_ALPHA", {"extra": {"rho": 1.5}}, "RHO"),
        ("GENERALIZED_ALPHA", {"extra": {"group": "SO3"}}, "GROUP"),
        ("GENERALIZED_ALPHA", {"formulation": "SI1"}, "formulation"),
        ("NEWMARK", {"extra": {"gamma": 0.3}}, "GAMMA"),
        ("NEWMARK", {"extra": {"beta": 0.0}}, "BETA"),
    ],
    ids=str,
)
def test_impossible_parameters_are_refused(kind, options, word):
    with pytest.raises(ValueError, match=word):
        make_integrator(kind, System(double_pendulum()), Options(**options))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["GENERALIZED_ALPHA", "HHT"])
def test_a_matrix_that_is_kept_does_not_hide_what_comes_on(kind):
    """A pendulum on a spring runs into a stop a thousand times as stiff, and into a force that comes on at once: the
    motion with matrices that are kept is that of a new matrix at each step, within the tolerance of the corrector."""
    ends, iterations = [], []
    for jacobian in ("step", "modified"):
        m = spring_pendulum(400.0, 0.5)
        p = m.marker(next(iter(p for p in m.parts.values() if not p.ground)))
        base = m.marker(m.ground)
        m.vforce(
            p,
            m.ground,
            f"-IF(DX({p.id})-0.2: -4E5*(DX({p.id})-0.2), 0, 0)",
            "30*STEP(TIME,0.2,0,0.2001,1)",
            "0",
            rm=base,
        )
        s = integrate(m, kind, 0.6, hmin=1e-4, hmax=1e-4, fixed=True, newton=1e-8, error=1e-3, jacobian=jacobian)
        ends.append(s.y.copy())
        iterations.append(s.statistics["iterations"] / s.statistics["steps"])
        hit = s.y
    assert hit is not None and ends[1] == pytest.approx(ends[0], abs=2e-4 * np.abs(ends[0]).max())
    assert iterations[1] < 2.5


def test_newmark_does_not_stall_on_its_own_multipliers():
    """A pendulum for a second with the defaults: at index 3 the steps shrank without end after half of it."""
    model = hn.Model(units="SI")
    bob = model.part("bob", mass=2.0, inertia=(0.01, 0.01, 0.01), position=(1.0, 0, 0))
    model.revolute(bob, model.ground, at=(0, 0, 0), axis=(0, 1, 0))
    model.gravity = (0, 0, -9.81)
    place = hn.simulate(model, end=1.0, steps=1, integrator="NEWMARK").part("bob").position.values[-1]
    swing = solve_ivp(lambda t, y: (y[1], 2 * 9.81 * np.cos(y[0]) / 2.01), (0, 1), (0, 0), rtol=1e-10, atol=1e-10)
    angle = swing.y[0, -1]
    assert place == pytest.approx((np.cos(angle), 0, -np.sin(angle)), abs=2e-3)
