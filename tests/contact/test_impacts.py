"""Onsets and separations located inside steps: times against closed forms, energy, memories of laws, and that nothing
is missed."""

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp
from scipy.optimize import brentq

import holonom as hn
from change_detectors import detect
from holonom.analyses.contact.events import ContactEvents
from holonom.analyses.session.simulation import Simulation
from holonom.results._data import COLUMNS

G = 9.81


def ball(drop=0.05, law="", mass=0.5, radius=0.01, **more):
    m = hn.Model("ball")
    m.gravity = (0, 0, -G)
    body = m.part("ball", mass, (2e-5,) * 3, (0, 0, drop + radius))
    more = {"stiffness": 2.89e5 * 1e3**1.5, "exponent": 1.5, **more}
    if not law:
        more.setdefault("dmax", 1e-4)
    m.contact(m.sphere(body, (0, 0, drop + radius), radius), m.plane(m.ground, (0, 0, 0), (0, 0, 1)), law=law, **more)
    return m


def solve(model, end, error=1e-6, integrator="DOP853", steps=2, **options):
    return hn.simulate(model, end=end, steps=steps, integrator=integrator, error=error, progress=False, **options)


@pytest.fixture
def times(monkeypatch):
    """(time, onsets) of every change that is located."""
    found = []
    turn = ContactEvents.turn

    def note(self, t, *rest):
        before = self.counters["onsets"]
        out = turn(self, t, *rest)
        found.append((t, self.counters["onsets"] - before))
        return out

    monkeypatch.setattr(ContactEvents, "turn", note)
    return found


@pytest.mark.parametrize("error", [1e-2, 1e-6])
def test_onset_time(times, error):
    """The first onset of a drop is at sqrt(2 h / g), whatever the tolerance: flight is a parabola, which the method
    meets exactly."""
    solve(ball(0.3), 0.4, error)
    first = next(t for t, onset in times if onset)
    assert abs(first - np.sqrt(0.6 / G)) < 1e-9


def test_steps_per_impact_and_energy():
    """Ten elastic bounces: the energy stays, at the number of steps that the prototype had."""
    for error, most, loss in ((1e-3, 6.5, 1e-2), (1e-5, 8.5, 1e-4), (1e-7, 12, 2e-6), (1e-11, 100, 1e-8)):
        run = solve(ball(), 2.0, error)
        total = run.energy["total"].values
        c = run.counters
        assert c["onsets"] == c["separations"] == 10
        assert c["steps"] <= most * 10
        assert abs(total[-1] - total[0]) < loss * 0.5 * G * 0.05


def test_damping_that_bends_and_vanishes():
    """Damping that is full at a shallow depth and cuts the force off on the way out: both are foretold, hardly a step
    fails, and the height behind the bounce is that of an independent integration."""
    k, c, d0, mass = 1e8, 200.0, 2e-5, 0.5

    def rates(t, y):
        d, v = max(-y[0], 0.0), -y[1]
        x = min(d / d0, 1.0)
        return y[1], max(k * d**1.5 + c * x * x * (3 - 2 * x) * v, 0.0) / mass - G

    start = np.sqrt(2 * 0.05 / G)
    z, v = solve_ivp(rates, (0, 4e-3), (0.0, -G * start), method="DOP853", rtol=1e-12, atol=1e-15, max_step=2e-6).y[
        :, -1
    ]
    assert z > 0 and 0.4 < v / (G * start) < 0.8
    rest = 0.13 - start - 4e-3
    for error, near, most in ((1e-4, 2e-5, 15), (1e-6, 1e-6, 17), (1e-8, 1e-7, 22)):
        run = solve(ball(stiffness=k, damping=c, dmax=d0), 0.13, error)
        c_ = run.counters
        assert c_["onsets"] == 1 and c_["steps"] <= most and c_["rejected: error"] <= 5
        assert abs(run.part("ball").position.values[-1, 2] - 0.01 - (z + v * rest - 0.5 * G * rest**2)) < near * 0.05


def test_memory_of_the_impact_speed():
    """Lankarani and Nikravesh: the force requires the speed of the impact.  Three bounces against an independent
    integration."""
    k, e, m = 1e8, 0.8, 0.5
    D = 0.75 * (1 - e * e)
    z, v, t = 0.05, 0.0, 0.0
    while True:
        fall = (v + np.sqrt(v * v + 2 * G * z)) / G
        if t + fall > 0.5:
            z, v = z + v * (0.5 - t) - 0.5 * G * (0.5 - t) ** 2, v - G * (0.5 - t)
            break
        t += fall
        v0 = abs(v - G * fall)
        force = lambda d, r, v0=v0: k * max(d, 0.0) ** 1.5 * (1 + D * r / v0)
        out = lambda t, y: y[0]
        out.terminal, out.direction = True, -1
        # depth scaled by the impact's own, so that tolerances mean something
        s = (1.25 * m * v0**2 / k) ** 0.4
        sol = solve_ivp(
            lambda t, y, s=s, force=force: (y[1], (G - force(s * y[0], s * y[1]) / m) / s),
            (0, 1),
            (0.0, v0 / s),
            events=out,
            method="DOP853",
            rtol=1e-13,
            atol=1e-13,
            first_step=1e-7,
        )
        t += sol.t_events[0][0]
        z, v = 0.0, -s * sol.y_events[0][0][1]
    errors = []
    for error in (1e-4, 1e-6, 1e-8, 1e-10):
        run = solve(ball(law="LANKARANI_NIKRAVESH", stiffness=k, restitution=e), 0.5, error)
        assert run.counters["onsets"] == 3
        errors.append(abs(run.part("ball").position.values[-1, 2] - 0.01 - z) / 0.05)
    assert errors[-1] < 3e-8
    assert errors[1] < 1e-3


@pytest.mark.parametrize("error", [1e-1, 1e-2, 1e-4])
@pytest.mark.parametrize("speed", [5.0, 300.0])
def test_nothing_passes_through(error, speed):
    """A pellet against a thin sheet: free flight has no error, so steps are as long as the run."""
    m = hn.Model("pellet")
    m.gravity = (0, 0, 0)
    body = m.part("pellet", 1e-3, (1e-9,) * 3, (-0.5, 0.001, 0.002), velocity=(speed, 0, 0))
    pellet = m.sphere(body, (-0.5, 0.001, 0.002), 0.002)
    m.contact(pellet, m.box(m.ground, (0, 0, 0), (0.001, 0.2, 0.2)), stiffness=3e10, exponent=1.5, dmax=1e-4)
    run = solve(m, 1.0 / speed, error, steps=1)
    assert run.counters["onsets"] == 1
    assert run.part("pellet").position.values[-1, 0] < -0.1
    assert run.part("pellet").velocity.values[-1, 0] == pytest.approx(-speed, rel=0.05)


@pytest.mark.parametrize("speed", [20.0, 300.0])
def test_nothing_passes_through_beside_a_contact_that_lasts(speed):
    """HHT locates no onsets while something rests on something; a pellet that is on this side of a sheet before a step
    and on the other behind it is found all the same."""
    m = hn.Model("pellet next to a resting ball")
    m.gravity = (0, 0, -G)
    ball = m.part("ball", 1.0, (1e-3,) * 3, (0, 0, 0.05))
    m.contact(
        m.sphere(ball, (0, 0, 0.05), 0.05),
        m.plane(m.ground, (0, 0, 0), (0, 0, 1)),
        stiffness=1e7,
        exponent=1.5,
        damping=1e3,
        dmax=1e-5,
    )
    body = m.part("pellet", 1e-3, (1e-9,) * 3, (-0.5, 1.0, 1.0), velocity=(speed, 0, 0))
    m.contact(
        m.sphere(body, (-0.5, 1.0, 1.0), 0.002),
        m.box(m.ground, (0, 1, 1), (0.001, 0.5, 0.5)),
        stiffness=3e10,
        exponent=1.5,
        dmax=1e-4,
    )
    run = solve(m, 1.0 / speed + 0.02, 1e-3, "HHT", steps=20)
    assert run.part("pellet").position.values[-1, 0] < -0.1
    assert run.part("pellet").velocity.values[-1, 0] == pytest.approx(-speed, rel=0.05)


def test_pendulum_that_swings_through():
    """At both ends of a long step the bob is at rest; between them it meets a wall on its way."""
    m = hn.Model("swing")
    m.gravity = (0, 0, -G)
    body = m.part("bob", 1.0, (1e-4,) * 3, (-0.3, 0, -0.4))
    m.revolute(body, m.ground, "pin", at=(0, 0, 0), axis=(0, 1, 0))
    bob = m.sphere(body, (-0.3, 0, -0.4), 0.01)
    m.contact(
        bob, m.box(m.ground, (0.03, 0, -0.5), (0.002, 0.1, 0.1)), stiffness=1e9, exponent=1.5, dmax=1e-4, joined=True
    )
    for error in (1e-1, 1e-3):
        run = solve(m, 0.6, error, steps=60)
        assert run.counters["onsets"] >= 1
        assert run.part("bob").position.values[:, 0].max() < 0.025


def cradle(n=5, lifted=1):
    m = hn.Model("cradle")
    m.gravity = (0, 0, 0)
    balls = []
    for k in range(n):
        body = m.part(
            f"b{k}",
            0.1,
            (1e-5,) * 3,
            (0.04 * k - (0.01 if k < lifted else 0.0), 0, 0),
            velocity=(1.0 if k < lifted else 0.0, 0, 0),
        )
        balls.append(m.sphere(body, (0.04 * k - (0.01 if k < lifted else 0.0), 0, 0), 0.02))
    m.contact(balls, stiffness=1e9, exponent=1.5, dmax=1e-4)
    return m


def chain(n, lifted):
    """Velocities of the row behind the shock."""
    k, mass = 1e9, 0.1
    x0 = 0.04 * np.arange(n) - np.where(np.arange(n) < lifted, 0.01, 0.0)
    v0 = np.where(np.arange(n) < lifted, 1.0, 0.0)

    def rates(t, y):
        f = k * np.maximum(0.04 - np.diff(y[:n]), 0.0) ** 1.5
        a = np.zeros(n)
        a[:-1] -= f
        a[1:] += f
        return np.concatenate([y[n:], a / mass])

    sol = solve_ivp(rates, (0, 0.02), np.concatenate([x0, v0]), rtol=1e-11, atol=1e-14, max_step=4e-6)
    return sol.y[n:, -1]


@pytest.mark.parametrize("lifted", [1, 2])
def test_row_of_balls(lifted):
    """Balls in a row that touch: velocities of all five after the shock against an independent integration of the
    chain."""
    run = solve(cradle(5, lifted), 0.02, 1e-9)
    got = np.array([run.part(f"b{i}").velocity.values[-1, 0] for i in range(5)])
    np.testing.assert_allclose(got, chain(5, lifted), atol=2e-6)
    assert got.sum() == pytest.approx(lifted, abs=1e-12)  # momentum
    assert (got**2).sum() == pytest.approx(lifted, abs=1e-6)  # energy


def test_row_at_loose_tolerance():
    run = solve(cradle(), 0.02, 1e-3)
    got = np.array([run.part(f"b{i}").velocity.values[-1, 0] for i in range(5)])
    np.testing.assert_allclose(got, chain(5, 1), atol=1e-2)


@pytest.mark.parametrize(
    "scene",
    [
        lambda: solve(cradle(), 0.02, 1e-5, steps=20),
        lambda: box_of_balls(1e-4),
        lambda: solve(ball(law="VISCOELASTIC", stiffness=1e9, g1=0.4, tau1=2e-4), 0.5, 1e-6, "HHT", steps=20),
    ],
)
def test_deterministic_to_the_bit(scene):
    """Twice in one process, with other runs in between: every number that is recorded, and every counter but the CPU
    time."""
    first = scene()
    solve(ball(drop=0.01, damping=100.0), 0.1)
    again = scene()
    for name in COLUMNS:
        a, b = getattr(first.data, name), getattr(again.data, name)
        assert (a is None and b is None) or np.array_equal(a, b, equal_nan=True), name
    counted = lambda run: {name: x for name, x in run.counters.items() if "cpu" not in name}
    assert counted(first) == counted(again)
    assert [t for t in first.info["messages"]] == [t for t in again.info["messages"]]


def test_ball_that_comes_to_rest():
    """Overdamped: the bounces die out, the ball lies at the depth where the spring carries it, and location stops by
    itself."""
    run = solve(ball(damping=5e4), 2.0, 1e-6)
    deep = (0.5 * G / (2.89e5 * 1e3**1.5)) ** (1 / 1.5)
    assert run.part("ball").position.values[-1, 2] - 0.01 == pytest.approx(-deep, rel=1e-2)
    detect("ball comes to rest: onsets", run.counters["onsets"])


def test_locks_are_gone_afterwards():
    """Analyses that follow see all contacts."""
    sim = Simulation(ball(drop=0.001), progress=False)
    sim.dynamics(end=0.005, steps=2, integrator="DOP853")
    W = sim.system.contacts.W
    assert not W.lock.any()
    assert not W.count[6]


def test_overlap_at_the_start_is_told():
    m = ball()
    m.gravity = (0, 0, 0)
    m.parts[2].qg = (0, 0, 0.0095)
    run = solve(m, 1e-3)
    assert any("ball and ground (CONTACT/1" in w and "by 0.0005 m" in w for w in run.info["messages"])


def test_overlap_is_resolved_by_mass():
    """Two balls that overlap by 4 mm, one three times heavier, next to a wall: moved apart along the line of centres by
    3 : 1."""
    m = hn.Model("pair")
    m.gravity = (0, 0, 0)
    light, heavy = m.part("light", 1.0, (1, 1, 1), (0, 0, 0)), m.part("heavy", 3.0, (1, 1, 1), (0.036, 0, 0))
    m.contact(
        m.sphere(light, (0, 0, 0), 0.02),
        m.sphere(heavy, (0.036, 0, 0), 0.02),
        stiffness=1e6,
        dmax=1e-4,
        initial="resolve",
    )
    run = solve(m, 0.1, steps=1)
    np.testing.assert_allclose(run.part("light").position.values[0], (-0.003, 0, 0), atol=1e-9)
    np.testing.assert_allclose(run.part("heavy").position.values[-1], (0.037, 0, 0), atol=1e-9)
    assert run.counters["onsets"] == 0


def test_overlap_that_cannot_be_resolved():
    m = hn.Model("clamped")
    m.gravity = (0, 0, 0)
    body = m.part("ball", 1.0, (1, 1, 1), (0, 0, 0))
    shape = m.sphere(body, (0, 0, 0), 0.02)
    m.contact(
        shape,
        [m.plane(m.ground, (0, 0, -0.019), (0, 0, 1)), m.plane(m.ground, (0, 0, 0.019), (0, 0, -1))],
        stiffness=1e6,
        dmax=1e-4,
        initial="resolve",
    )
    with pytest.raises(hn.ModelError, match=r"cannot be moved apart.*ball and ground"):
        solve(m, 0.1)


def test_momentum_at_changes():
    run = solve(cradle(), 0.02, 1e-6)
    assert run.counters["largest jump of momentum"] < 1e-12


def test_methods_with_a_history_resolve_the_impact():
    """HHT tests positions: at a loose tolerance the whole depth is less than the error allowed.  Bounces with damping
    lose energy."""
    exact = solve(ball(damping=500.0), 0.8, 1e-9, steps=40)
    for error, most in ((1e-3, 3e-3), (1e-5, 1e-4)):  # 2.2e-3 and 7.1e-5 seen
        run = solve(ball(damping=500.0), 0.8, error, "HHT", steps=40)
        assert np.abs(run.part("ball").position.values[:, 2] - exact.part("ball").position.values[:, 2]).max() < most
        assert run.counters["onsets"] == exact.counters["onsets"]


def box_of_balls(error):
    """Eight balls thrown into a box: 16 planes and pairs of balls, friction, damping."""
    m = hn.Model("box")
    m.gravity = (0, 0, -G)
    rng = np.random.default_rng(1)
    balls = []
    for k in range(8):
        at = (0.03 * (k % 2) - 0.015, 0.03 * (k // 2 % 2) - 0.015, 0.03 * (k // 4) + 0.02)
        body = m.part(
            f"b{k}", 0.05, (2e-6,) * 3, at, velocity=rng.uniform(-0.5, 0.5, 3), angular_velocity=rng.uniform(-5, 5, 3)
        )
        balls.append(m.sphere(body, at, 0.012))
    walls = [
        m.plane(m.ground, (-0.04 * x, -0.04 * y, 0), (x, y, z))
        for x, y, z in ((0, 0, 1), (1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0))
    ]
    for j in (None, walls):
        m.contact(balls, j, stiffness=1e8, exponent=1.5, damping=20.0, dmax=1e-4, mu=0.2)
    return solve(m, 0.15, error, steps=30)


def test_momentum_is_what_comes_from_outside():
    """Linear and angular momentum of all parts against the impulses of gravity and walls, within each interval between
    changes of contact: forces between balls cancel, friction included, to roundoff; the rest follows the tolerance."""
    rough, fine = (box_of_balls(e) for e in (1e-4, 1e-7))
    assert fine.counters["onsets"] > 20
    audits = [r.momentum_audit() for r in (rough, fine)]
    assert audits[1].ok(1e-4) and audits[1].relative < 0.2 * audits[0].relative
    assert audits[1].at_changes < 2e-4
    assert fine.audit().ok(1e-4) and (np.diff(fine.energy["dissipated"].values) >= 0.0).all()
    got = fine.momentum
    weight = np.outer(fine.time, (0.0, 0.0, -8 * 0.05 * G))
    assert got["impulse"].values == pytest.approx(weight + got["contact_impulse"].values, abs=1e-14)
    p = sum(0.05 * fine.part(f"b{k}").velocity.values for k in range(8))
    L = sum(
        0.05 * np.cross(fine.part(f"b{k}").position.values, fine.part(f"b{k}").velocity.values)
        + 2e-6 * fine.part(f"b{k}").angular_velocity.values
        for k in range(8)
    )
    assert got["momentum"].values == pytest.approx(p, abs=1e-15) and got["angular_momentum"].values == pytest.approx(
        L, abs=1e-16
    )
    assert "momentum audit: dynamics" in str(audits[1]) and audits[1].segments[0].contact_impulse[2] > 0.3


def test_impulses_need_no_contact_of_their_own_with_ground(tmp_path):
    """A pendulum with a stop: its pin gives impulses too; what contacts give is distinguished, and a row of balls in
    the air gets none."""
    m = hn.Model("swing")
    m.gravity = (0, 0, -G)
    body = m.part("bob", 1.0, (1e-4,) * 3, (0.3, 0, -0.4))
    m.revolute(body, m.ground, "pin", at=(0, 0, 0), axis=(0, 1, 0))
    bob = m.sphere(body, (0.3, 0, -0.4), 0.05)
    m.contact(bob, m.plane(m.ground, (-0.05, 0, 0), (1, 0, 0)), stiffness=1e7, exponent=1.5, dmax=1e-4, joined=True)
    run = solve(m, 0.6, 1e-9, steps=60)
    assert run.counters["onsets"] == 1
    assert run.momentum_audit().ok(1e-6)
    push = run.momentum["contact_impulse"].values[-1]
    assert push[0] > 1.0 and abs(push[1:]).max() < 1e-12
    # only the stop has a moment about the pin besides the weight
    assert run.momentum["contact_angular_impulse"].values[-1, 1] < -0.4
    run.save(tmp_path / "swing.h5")
    assert str(hn.load(tmp_path / "swing.h5").momentum_audit()) == str(run.momentum_audit())
    free = solve(cradle(), 0.02, 1e-6)
    assert np.abs(free.momentum["impulse"].values).max() < 1e-16 and free.momentum_audit().ok(1e-13)


def test_a_step_too_long_for_the_contact_is_told():
    """The force of KELVIN_VOIGT jumps at the onset: at a loose tolerance one step crosses too much of it."""
    run = solve(ball(law="KELVIN_VOIGT", stiffness=1e7, damping=3000.0, exponent=1.0), 0.6, 3e-3)
    assert any("out of balance" in text and "smaller ERROR" in text for text in run.info["messages"])
    assert run.momentum_audit().at_changes > 0.01
    fine = solve(ball(law="KELVIN_VOIGT", stiffness=1e7, damping=3000.0, exponent=1.0), 0.6, 1e-7)
    assert not any("out of balance" in text for text in fine.info["messages"]) and fine.audit().ok(2e-5)


@pytest.mark.parametrize(
    ("method", "near"),
    [(("GSTIFF", "I3"), (0.03, 2e-3)), (("GSTIFF", "SI2"), (0.03, 3e-3)), (("HHT", None), (0.04, 2e-3))],
)
def test_methods_that_lose_much_at_a_restart(method, near):
    """Three elastic bounces against the closed form at 1e-3 and 1e-5: the step in an impact follows the tolerance,
    order 1 is left at once."""
    k, mass, drop, end = 2.89e5 * 1e3**1.5, 0.5, 0.05, 0.65
    v = np.sqrt(2 * G * drop)
    rest = lambda x: v * v + 2 * G * x - 0.8 * k * x**2.5 / mass
    deep = brentq(rest, 1e-6, 1e-2, xtol=1e-18)
    lasts = 4 * deep * quad(lambda u: u / np.sqrt(max(rest(deep * (1 - u * u)), 1e-300)), 0, 1, epsrel=1e-11)[0]
    t = (end - v / G - lasts) % (2 * v / G + lasts)
    height = v * t - 0.5 * G * t * t
    kind, formulation = method
    for error, most in zip((1e-3, 1e-5), near):
        run = solve(ball(), end, error, kind, formulation=formulation)
        assert run.counters["onsets"] == 3
        assert abs(run.part("ball").position.values[-1, 2] - 0.01 - height) < most * drop
