"""Moreau-Jean time-stepping against closed forms: bounces, sliding, impacts through joints."""

import numpy as np
import pytest

import holonom as hn
from holonom.contact.call import ENGINE_TABLES

G = 9.81


def ball(e=0.9, height=1.0, radius=0.1, mu=0.0, **motion):
    m = hn.Model("ball")
    m.gravity = (0, 0, -G)
    body = m.part("ball", 1.0, (0.4 * radius**2,) * 3, (0, 0, height + radius), **motion)
    m.contact(
        m.sphere(body, (0, 0, height + radius), radius), m.plane(m.ground, (0, 0, 0), (0, 0, 1)), restitution=e, mu=mu
    )
    return m


def block(mu, angle=0.0, velocity=(0, 0, 0), e=0.0):
    """A block on a plane that is tilted by an angle, in the axes of the plane."""
    m = hn.Model("block")
    m.gravity = (G * np.sin(angle), 0, -G * np.cos(angle))
    body = m.part("block", 2.0, (2 / 12 * (0.2**2 + 0.1**2),) * 3, (0, 0, 0.05), velocity=velocity)
    m.contact(m.box(body, (0, 0, 0.05), (0.2, 0.2, 0.1)), m.plane(m.ground, (0, 0, 0), (0, 0, 1)), restitution=e, mu=mu)
    return m


def run(model, end, step, steps=50, **more):
    return hn.simulate(model, end, steps, contact="time-stepping", step=step, progress=False, **more)


def test_bounces_converge_with_order_one_to_the_closed_form():
    """Height of the ball between its second and third impact (BENCHMARKS 19)."""
    e, t = 0.9, 1.6
    first, second = 0.451523640986, 1.264266194760
    speed = G * first * e * e
    exact = speed * (t - second) - 0.5 * G * (t - second) ** 2
    errors = []
    for h in (4e-3, 2e-3, 1e-3, 5e-4):
        z = run(ball(e), t, h).part("ball").position.values[-1, 2] - 0.1
        errors.append(abs(z - exact))
    assert errors[-1] < 4e-3
    assert errors[-1] < errors[0] / 3


def test_accumulation_is_passed_and_the_ball_rests():
    r = run(ball(0.5), 3.0, 1e-3)
    z, v = r.part("ball").position.values[-1, 2], r.part("ball").velocity.values[-1]
    assert abs(z - 0.1) < 1e-6
    assert abs(v).max() < 1e-9
    assert r.contact("CONTACT_1").normal.values[-1] == pytest.approx(G, rel=1e-9)


def test_free_flight_is_exact_for_constant_gravity():
    z = run(ball(height=10.0), 1.0, 0.05).part("ball").position.values[-1, 2]
    assert z == pytest.approx(10.1 - 0.5 * G, abs=1e-12)


@pytest.mark.parametrize("mu", [0.2, 0.5])
def test_a_block_slides_as_far_as_coulomb_says(mu):
    v = 1.0
    x = run(block(mu, velocity=(v, 0, 0)), 2.0, 1e-3).part("block").position.values[-1, 0]
    assert x == pytest.approx(v * v / (2 * mu * G), rel=2e-3)


def test_a_block_sticks_below_the_angle_of_friction_and_slides_above():
    mu = 0.5
    angle = np.arctan(mu)
    still = run(block(mu, 0.98 * angle), 1.0, 1e-2).part("block").position.values[-1]
    assert abs(still[0]) < 1e-9
    moved = run(block(mu, 1.1 * angle), 1.0, 1e-3).part("block").position.values[-1, 0]
    a = G * (np.sin(1.1 * angle) - mu * np.cos(1.1 * angle))
    assert moved == pytest.approx(0.5 * a, rel=5e-3)


def pendulum(e):
    """A rod, hinged at its end, falls from the horizontal against a wall below the hinge."""
    m = hn.Model("pendulum")
    m.gravity = (0, 0, -G)
    rod = m.part("rod", 3.0, (3 / 12, 3 / 12, 1e-3), (0.5, 0, 0), axes=np.array([[0, 0, 1.0], [0, 1, 0], [-1, 0, 0]]))
    m.revolute(m.ground, rod, at=(0, 0, 0), axis=(0, 1, 0))
    tip = m.sphere(rod, (1.0, 0, 0), 0.05)
    m.contact(tip, m.plane(m.ground, (-0.05, 0, 0), (1, 0, 0)), restitution=e, joined=True)
    return m


def test_an_impact_goes_through_the_joint():
    """Energy behind the impact is e^2 of that before; the joint takes its share of the impulse."""
    e = 0.6
    r = run(pendulum(e), 1.2, 2e-4, steps=600)
    kinetic = r.energy.kinetic.values
    top = int(np.argmax(kinetic))
    before = 3.0 * G * 0.5  # the centre has fallen half a metre
    assert kinetic[top] == pytest.approx(before, rel=5e-3)
    assert kinetic[top + 3 : top + 12].max() == pytest.approx(e * e * before, rel=2e-2)
    x = r.part("rod").position.values
    assert np.abs(np.linalg.norm(x, axis=1) - 0.5).max() < 1e-9


def test_energy_lost_is_told():
    r = run(ball(0.5), 1.0, 1e-3)
    e = r.energy
    total = e.kinetic + e.gravity + e.dissipated
    assert np.ptp(total.values) < 2e-3 * G


def test_reruns_are_equal_bit_by_bit():
    a, b = (run(block(0.3, velocity=(1.0, 0.3, 0)), 0.5, 1e-3).part("block").position.values for _ in range(2))
    assert (a == b).all()


def test_words_that_do_not_fit():
    with pytest.raises(hn.ModelError, match="unknown treatment 'rigid'"):
        hn.simulate(ball(), 0.1, contact="rigid")
    with pytest.raises(hn.ModelError, match="integrator of its own"):
        hn.simulate(ball(), 0.1, contact="time-stepping", integrator="GSTIFF")
    with pytest.raises(hn.ModelError, match="RESTITUTION_COEFFICIENT must lie between 0 and 1"):
        run(ball(e=1.2), 0.1, 1e-3)
    with pytest.raises(hn.ModelError, match="mu must not be negative"):
        run(ball(mu=-0.1), 0.1, 1e-3)


def test_what_does_not_bounce_does_not_overlap_at_theta_one():
    """A ball that lands without restitution arrives at the surface, no step is in it."""
    m = ball(0.0, height=0.37)
    m.rigid.theta = 1.0
    z = run(m, 1.0, 3e-3, steps=333).part("ball").position.values[:, 2] - 0.1
    assert z.min() > -2e-7
    assert abs(z[-1]) < 2e-7


def test_a_pile_comes_to_rest():
    """Twenty balls in a bin: speeds die out, weights are carried, overlaps are those that are allowed."""
    rng = np.random.default_rng(3)
    m = hn.Model("bin")
    m.gravity = (0, 0, -G)
    balls, mass, radius = [], 0.5, 0.05
    for k in range(20):
        at = np.array([0.11 * (k % 3 - 1), 0.11 * (k // 3 % 2 - 0.5), 0.06 + 0.11 * (k // 6)]) + rng.uniform(
            -3e-3, 3e-3, 3
        )
        body = m.part(f"ball {k}", mass, (0.4 * mass * radius**2,) * 3, tuple(at))
        balls.append(m.sphere(body, tuple(at), radius))
    floor = m.plane(m.ground, (0, 0, 0), (0, 0, 1))
    walls = [m.plane(m.ground, (-0.2 * x, -0.2 * y, 0), (x, y, 0)) for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1))]
    m.contact(balls, mu=0.4, name="balls")
    m.contact(balls, walls, mu=0.4, name="walls")
    m.contact(balls, floor, mu=0.4, name="floor", rolling_resistance=0.002)
    m.rigid.theta = 1.0
    r = run(m, 3.0, 2e-3)
    assert np.abs(r.data.body_velocity[-1]).max() < 1e-4
    lifted = r.contact("floor").force.values[-1, 2] + r.contact("walls").force.values[-1, 2]
    assert lifted == pytest.approx(20 * mass * G, rel=1e-4)
    assert r.contact("balls").depth.values[-1] < 1e-6


def sprung(k, c, gap=0.0, e=0.0):
    """A mass of 2 kg on a foot of 1 kg; the foot stands on the floor or falls on it."""
    m = hn.Model("sprung")
    m.gravity = (0, 0, -G)
    J = (0.01,) * 3
    foot = m.part("foot", 1.0, J, (0, 0, 0.1 + gap))
    top = m.part("top", 2.0, J, (0, 0, 1.1 + gap))
    for body, z in ((foot, 0.1), (top, 1.1)):
        m.translational(m.ground, body, at=(0, 0, z + gap), axis=(0, 0, 1))
    m.spring_damper(foot.cm, top.cm, k, c, length=1.0)
    m.contact(
        m.sphere(foot, (0, 0, 0.1 + gap), 0.1), m.plane(m.ground, (0, 0, 0), (0, 0, 1)), restitution=e, joined=True
    )
    return m


def test_stiff_springs_do_not_bound_the_step():
    """A spring whose period is a tenth of the step: the mass sinks to its equilibrium, the floor carries both."""
    m = sprung(1e8, 2e4)
    m.rigid.theta = 1.0
    r = run(m, 1.0, 5e-3)
    assert r.part("top").position.values[-1, 2] == pytest.approx(1.1 - 2 * G / 1e8, abs=1e-9)
    assert r.contact("CONTACT_1").normal.values[-1] == pytest.approx(3 * G, rel=1e-6)


def test_linearly_implicit_steps_are_of_order_two():
    """The foot stays on the floor, the mass swings on its spring: q = -(m g / k)(1 - cos w t)."""
    k, t = 4e3, 0.4
    w = np.sqrt(k / 2)
    exact = 1.1 - 2 * G / k * (1 - np.cos(w * t))
    errors = [abs(run(sprung(k, 0.0), t, h).part("top").position.values[-1, 2] - exact) for h in (4e-3, 2e-3, 1e-3)]
    rates = np.log2(np.array(errors[:-1]) / errors[1:])
    assert rates == pytest.approx([2, 2], abs=0.15)


def test_impacts_are_noted():
    """Each bounce gives (1 + e) m v, and leaves with e times the speed."""
    e = 0.7
    rows = run(ball(e), 1.3, 1e-3).impacts
    assert len(rows) == 2
    assert rows["velocity_after"] == pytest.approx(-e * rows["velocity_before"], rel=1e-9)
    assert rows["normal_impulse"] == pytest.approx(
        -(1 + e) * rows["velocity_before"], rel=1e-2
    )  # the step's gravity is in it
    assert rows["velocity_before"][0] == pytest.approx(-np.sqrt(2 * G), rel=3e-3)
    assert (rows["contact_id"] == 1).all()


def tower(sleep):
    """Four boxes on each other; a ball falls on them after 1.4 s."""
    m = hn.Model("tower")
    m.gravity = (0, 0, -G)
    boxes = []
    for k in range(4):
        body = m.part(f"box {k}", 1.0, (0.1**2 / 6,) * 3, (0, 0, 0.05 + 0.1 * k))
        boxes.append(m.box(body, (0, 0, 0.05 + 0.1 * k), (0.1, 0.1, 0.1)))
    ball = m.part("ball", 1.0, (0.4 * 0.05**2,) * 3, (0.02, 0, 10.0))
    m.contact(boxes + [m.sphere(ball, (0.02, 0, 10.0), 0.05)], mu=0.5, name="bodies")
    m.contact(boxes, m.plane(m.ground, (0, 0, 0), (0, 0, 1)), mu=0.5, name="floor")
    m.rigid.sleep = sleep
    return m


def test_what_rests_sleeps_and_is_woken():
    awake, asleep = (run(tower(s), 2.5, 2e-3, steps=250) for s in (False, True))
    assert asleep.counters["bodies put to sleep"] >= 4
    k = int(np.searchsorted(awake.time, 1.2))  # before the ball comes
    assert np.abs(asleep.data.body_position[k] - awake.data.body_position[k])[:4].max() < 1e-7
    assert (asleep.data.body_velocity[k][:4] == 0.0).all()
    assert asleep.contact("floor").normal.values[k] == pytest.approx(4 * G, rel=1e-6)
    floor = asleep.contact("floor").normal.values
    assert floor[-1] == pytest.approx(5 * G, rel=1e-4)  # the ball has come, woken them, and lies on top
    assert asleep.impacts["velocity_before"].min() == pytest.approx(-np.sqrt(2 * G * 9.55), rel=3e-3)


def test_another_impact_law_is_told():
    m = ball(0.5)
    m.contacts_of("")[0].impact_law = "POISSON"
    assert any("takes restitution as NEWTON's" in text for text in run(m, 0.01, 1e-3).info["messages"])


def test_lists_that_are_full_are_searched_with_narrower_margins():
    """Margins that grow with speed must not end a run: bodies that fly fast through a crowd have many neighbours."""
    from holonom.analyses.assemble import assemble
    from holonom.contact.tables import NEAR
    from holonom.system.build import System

    m = hn.Model("crowd")
    balls = []
    for k in range(200):
        at = (0.11 * (k % 6), 0.11 * (k // 6 % 6), 0.11 * (k // 36))
        body = m.part(f"ball {k}", 1.0, (1e-3,) * 3, at, velocity=(0, 0, 50.0 * (-1) ** k))
        balls.append(m.sphere(body, at, 0.05))
    m.contact(balls)
    system = System(m, rigid=True)
    y = assemble(system).y
    c = system.contacts
    c.W.clock[1] = 1.0  # a list that should serve a second
    c.W = c.W._replace(near=c.W.near[:1500].copy(), key=c.W.key[:1500].copy())
    c.handle = type(c.handle)(c.S, c.W, ())
    c.addresses[ENGINE_TABLES] = c.handle.address
    c.search(0.0, y)
    assert 0 < c.W.count[NEAR] < 1500
    assert c.collect(0.0, y, 0.02) == sum(
        np.linalg.norm(np.subtract(p.qg, q.qg)) < 0.12
        for k, p in enumerate(list(m.parts.values())[1:])
        for q in list(m.parts.values())[k + 2 :]
    )


def test_an_impact_in_a_step_cut_short_is_no_lasting_force():
    """A body comes down on a plane while another one hangs on it by a hinge, in a step that was cut to 1e-6 s: what the
    hinge passed on in it is an impulse, and the next whole step does not repeat it as a force."""
    m = hn.Model("hinged")
    m.gravity = (0, 0, -9.81)
    foot = m.part("foot", 1.0, (0.01,) * 3, (0, 0, 0.2))
    arm = m.part("arm", 1.0, (0.01,) * 3, (0.3, 0, 0.2))
    m.revolute(foot, arm, at=(0.1, 0, 0.2), axis=(0, 1, 0))
    m.contact(m.sphere(foot, (0, 0, 0.2), 0.1), m.plane(m.ground, (0, 0, 0), (0, 0, 1)), restitution=0.0)
    sim = hn.Simulation(m, progress=False)
    sim.open(contact="time-stepping", step=1e-3)
    t = np.sqrt(0.2 / 9.81) - 5e-6
    sim.advance(t)
    for _ in range(20):
        if abs(sim.y[9]) < 1e-3:  # the foot stands
            break
        t += 1e-6
        sim.advance(t)
    sim.advance(t + 1e-3)
    v, w = sim.y[:26].reshape(2, 13)[:, 7:10], sim.y[:26].reshape(2, 13)[:, 10:]
    assert abs(v[0]).max() < 0.01
    assert 0.5 * (v**2).sum() + 0.005 * (w**2).sum() < 2 * 9.81 * 0.1
