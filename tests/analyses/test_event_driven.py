"""Event-driven rigid contact against closed forms: bounces, sliding, sticking, rolling, tipping, and the balances of
every impact."""

import importlib.util
import re
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import brentq

import holonom as hn

G = 9.81


def ball(e=0.9, height=1.0, mu=0.0, velocity=(0, 0, 0), spin=(0, 0, 0), r=0.1, **more):
    m = hn.Model("ball", units="SI")
    m.gravity = (0, 0, -G)
    b = m.part("ball", 1.0, (0.4 * r * r,) * 3, (0, 0, height + r))
    b.vx, b.vy, b.vz = velocity
    b.wx, b.wy, b.wz = spin
    m.contact(m.sphere(b, (0, 0, height + r), r), m.plane(m.ground, (0, 0, 0), (0, 0, 1)), restitution=e, mu=mu, **more)
    return m


def on_slope(angle, mu, shape=None, v=0.0, r=0.1):
    """A ball, or a box of these edges, on a plane that falls along x."""
    m = hn.Model("slope", units="SI")
    m.gravity = (G * np.sin(angle), 0, -G * np.cos(angle))
    if shape is None:
        b = m.part("body", 1.0, (0.4 * r * r,) * 3, (0, 0, r))
        s = m.sphere(b, (0, 0, r), r)
    else:
        x, y, z = shape
        b = m.part("body", 1.0, ((y * y + z * z) / 12, (x * x + z * z) / 12, (x * x + y * y) / 12), (0, 0, z / 2))
        s = m.box(b, (0, 0, z / 2), shape)
    b.vx = v
    m.contact(s, m.plane(m.ground, (0, 0, 0), (0, 0, 1)), mu=mu)
    return m


def run(model, end, steps=20, **more):
    return hn.simulate(model, end, steps, contact="events", **more)


# ---- bouncing ball ---------------------------------------------------------------------------------------------------
TIMES = 0.451523640986, 1.264266194760, 1.995734493157, 2.654055961714, 3.246545283416
SPEEDS = 3.986502226263, 3.587852003637, 3.229066803273, 2.906160122946, 2.615544110651


def test_bouncing_ball_to_its_end():
    r = run(ball(), 10.0, 100)
    np.testing.assert_allclose(r.impacts["time"][:5], TIMES, atol=2e-12)
    np.testing.assert_allclose(r.impacts["velocity_after"][:5], SPEEDS, atol=2e-12)
    assert r.counters["accumulations"] == 1
    assert abs(r.impacts["time"][-1] - 8.578949178729) < 1e-3 < 1.0  # taken as over shortly before
    k = np.searchsorted(r.time, 8.579)
    np.testing.assert_allclose(r.data.body_position[k:, 0, 2], 0.1, atol=1e-12)
    np.testing.assert_allclose(r.contact(1).normal.values[k:], G, rtol=1e-12)
    total = r.data.energy_kinetic + r.data.energy_gravity + r.data.energy_dissipated
    np.testing.assert_allclose(total, 1.1 * G, rtol=1e-12)
    assert r.impacts["energy_lost"].min() > 0.0


def test_end_of_the_series_is_told():
    sim = hn.Simulation(ball())
    sim.dynamics(end=10.0, steps=10, contact="events")
    text = next(m for m in sim.messages if "accumulate" in m)
    end = float(text.split("ends at ")[1].split()[0])
    assert abs(end - 8.578949178729) < 1e-9


@pytest.mark.parametrize(
    "integrator", [*(pytest.param(i, marks=pytest.mark.slow) for i in ("RADAU5", "HHT")), "GSTIFF"]
)
def test_bounces_with_implicit_methods(integrator):
    r = run(ball(), 3.0, integrator=integrator, error=1e-8)
    np.testing.assert_allclose(r.impacts["time"][:4], TIMES[:4], atol=1e-6)


def test_results_to_disk_and_back(tmp_path):
    r = run(ball(), 3.0)
    r.save(tmp_path / "run.h5")
    back = hn.load(tmp_path / "run.h5")
    assert np.array_equal(back.impacts, r.impacts)
    assert len(r.between(1.0, 2.2).impacts) == 2


def test_same_bits_again():
    a, b = (run(ball(mu=0.2, spin=(0, 30, 0), velocity=(1, 0, 0)), 4.0) for _ in range(2))
    assert np.array_equal(a.data.body_position, b.data.body_position) and np.array_equal(a.impacts, b.impacts)


# ---- sliding, sticking, rolling --------------------------------------------------------------------------------------
@pytest.mark.parametrize("share", [0.9, 1.1])
def test_ball_rolls_or_slides_on_a_slope(share):
    """A ball rolls while tan < 7/2 mu, with 5/7 g sin; beyond it slides."""
    mu = 0.3
    a = np.arctan(3.5 * mu * share)
    r = run(on_slope(a, mu), 1.0)
    rolls = 5 / 7 * G * np.sin(a)
    slides = G * (np.sin(a) - mu * np.cos(a))
    assert abs(r.data.body_position[-1, 0, 0] - 0.5 * (rolls if share < 1 else slides)) < 1e-12
    assert abs(r.contact(1).normal.values[-1] - G * np.cos(a)) < 1e-12
    assert abs(r.contact(1).friction.values[-1] - (2 / 7 * G * np.sin(a) if share < 1 else mu * G * np.cos(a))) < 1e-12


@pytest.mark.parametrize("integrator", ["DOP853", "RADAU5", "HHT", "GSTIFF"])
def test_box_slides_to_rest(integrator):
    """A box on four corners (one is redundant) stops after v^2 / (2 mu g); all its energy is lost."""
    mu, v = 0.3, 2.0
    r = run(on_slope(0.0, mu, (0.4, 0.3, 0.1), v), 1.0, integrator=integrator, error=1e-6)
    near = 1e-12 if integrator in ("DOP853", "RADAU5") else 1e-6
    assert abs(r.data.body_position[-1, 0, 0] - v * v / (2 * mu * G)) < near
    assert abs(r.data.energy_dissipated[-1] - 0.5 * v * v) < near
    assert np.abs(r.data.body_velocity[-1]).max() < 1e-12
    assert r.counters["stops of slip"] == 4


@pytest.mark.parametrize("share", [0.9, 1.1])
def test_box_sticks_or_slides_on_a_slope(share):
    mu = 0.3
    a = np.arctan(mu * share)
    r = run(on_slope(a, mu, (0.4, 0.3, 0.1)), 1.0)
    goal = 0.0 if share < 1 else 0.5 * G * (np.sin(a) - mu * np.cos(a))
    assert abs(r.data.body_position[-1, 0, 0] - goal) < 1e-11
    assert np.abs(r.data.body_angular_velocity[-1]).max() < 1e-8  # integrated to 1e-6


@pytest.mark.parametrize("share", [0.95, 1.05])
def test_tall_box_tips(share):
    """A box that cannot slide tips when the slope is steeper than half its length over half its height, about its lower
    edge."""
    length, height = 0.1, 0.4
    a = np.arctan(length / height * share)
    r = run(on_slope(a, 2.0, (length, 0.3, height)), 1e-3)
    if share < 1:
        assert np.abs(r.data.body_velocity).max() < 1e-12
        assert r.contact(1).points.values[-1] == 4
    else:
        inertia = (length**2 + height**2) / 3
        moment = 0.5 * G * (height * np.sin(a) - length * np.cos(a))
        assert r.data.body_angular_acceleration[0, 0, 1] == pytest.approx(moment / inertia, rel=1e-9)
        assert r.contact(1).points.values[-1] == 2


@pytest.mark.parametrize("integrator", ["DOP853", "GSTIFF"])
def test_friction_that_repeats_a_joint(integrator):
    """A ball in a plane joint rolls on rough ground: across, friction and joint hold the same."""
    m = on_slope(np.radians(10), 0.3)
    m.joint("PLANAR", m.find("PART", "body"), m.ground, at=(0.2, 0, 0.1), axis=(0, 1, 0))
    m.table("CONTACT")[1].joined = True
    r = run(m, 1.0, integrator=integrator)
    assert abs(r.data.body_position[-1, 0, 0] - 2.5 / 7 * G * np.sin(np.radians(10))) < 1e-9
    np.testing.assert_allclose(r.contact(1).force.values[-1, 1] + r.joint(1).force.values[-1, 1], 0.0, atol=1e-9)


# ---- rolling and spinning resistance ---------------------------------------------------------------------------------
ARM = 0.004


def rolling(angle=0.0, v=0.0, spin=0.0, arm=ARM, spinning=0.0, **more):
    m = on_slope(angle, 0.5, v=v)
    b = m.find("PART", "body")
    b.wy, b.wz = v / 0.1, spin
    c = m.table("CONTACT")[1]
    c.rolling_resistance, c.spinning_resistance = arm, spinning
    for name, value in more.items():
        setattr(c, name, value)
    return m


@pytest.mark.parametrize(
    "integrator", ["DOP853", *(pytest.param(i, marks=pytest.mark.slow) for i in ("RADAU5", "HHT", "GSTIFF"))]
)
def test_rolling_ball_comes_to_rest(integrator):
    """Torque arm N against rolling: I w' = F r - arm N, m v' = -F, so v' = -arm g / (7/5 r); at rest after v / |v'|,
    all energy lost."""
    v = 0.5
    r = run(rolling(v=v), 3.0, 60, integrator=integrator, error=1e-8)
    near = 1e-13 if integrator in ("DOP853", "RADAU5") else 1e-7
    slower = ARM * G / (1.4 * 0.1)
    t = np.minimum(r.time, v / slower)
    np.testing.assert_allclose(r.data.body_position[:, 0, 0], v * t - 0.5 * slower * t * t, atol=near)
    assert abs(r.data.energy_dissipated[-1] - 0.7 * v * v) < near
    assert np.abs(r.data.body_velocity[-1]).max() < 1e-12 and r.counters["stops of rolling"] == 1
    rolls = r.time < v / slower
    np.testing.assert_allclose(
        r.contact(1).torque.values[rolls, 1], -ARM * G, rtol=1e-6 if integrator == "HHT" else 1e-9
    )
    assert np.abs(r.contact(1).torque.values[~rolls]).max() < 1e-6


@pytest.mark.parametrize("share", [0.9, 1.1])
def test_ball_with_rolling_resistance_on_a_slope(share):
    """It stays while tan(slope) < arm / r; beyond it rolls with (g sin - arm / r g cos) / (7/5)."""
    a = np.arctan(share * ARM / 0.1)
    r = run(rolling(a), 1.0)
    goal = 0.0 if share < 1 else 0.5 * G * (np.sin(a) - ARM / 0.1 * np.cos(a)) / 1.4
    assert abs(r.data.body_position[-1, 0, 0] - goal) < 1e-14
    if share < 1:
        np.testing.assert_allclose(r.contact(1).torque.values[:, 1], -0.1 * G * np.sin(a), rtol=1e-12)


def test_spinning_ball_comes_to_rest():
    arm, w = 0.01, 30.0
    r = run(rolling(spin=w, arm=0.0, spinning=arm), 2.0)
    end = 0.4 * 0.01 * w / (arm * G)
    assert r.counters["stops of spin"] == 1
    np.testing.assert_allclose(r.data.body_angular_velocity[:, 0, 2], w * np.maximum(1 - r.time / end, 0), atol=1e-13)


@pytest.mark.parametrize("law", ["NEWTON", "POISSON", "ENERGY"])
def test_impacts_take_up_roll_and_spin(law):
    """An impact takes up roll and spin within arm times its impulse; the balances hold to rest."""
    m = rolling(0.0, 1.0, 5.0, spinning=0.01, restitution=0.5, impact_law=law)
    m.find("PART", "body").vz = 2.0
    r = run(m, 4.0, 40)
    total = r.data.energy_kinetic + r.data.energy_gravity + r.data.energy_dissipated
    assert np.ptp(total) < 1e-11 * total[0]
    assert r.impacts["energy_lost"].min() > 0.0
    # after the first bounce: sticking impact, roll v' = v - arm J / (7/5 r)
    J = 1.5 * 2.0
    k = np.searchsorted(r.time, r.impacts["time"][0] + 1e-9)
    assert r.data.body_velocity[k, 0, 0] == pytest.approx(1.0 - ARM * J / (1.4 * 0.1), abs=1e-12)
    assert r.data.body_angular_velocity[k, 0, 2] == pytest.approx(max(5.0 - 0.01 * J / 0.004, 0.0), abs=1e-12)


def test_rolling_resistance_agrees_with_time_stepping():
    """A ball with spin rolls through a bowl: rates turn with the normal."""
    m = hn.Model("bowl", units="SI")
    m.gravity = (0, 0, -G)
    at = np.array([0.3, 0, 1 - np.sqrt(0.9**2 - 0.3**2)])
    b = m.part("ball", 1.0, (0.004,) * 3, at)
    b.vy, b.wz = 0.6, 8.0
    m.contact(
        m.sphere(b, at, 0.1),
        m.sphere(m.ground, (0, 0, 1), 1.0, inside=True),
        mu=0.6,
        rolling_resistance=0.002,
        spinning_resistance=0.001,
    )
    r = run(m, 0.8, 20)
    other = [hn.simulate(m, 0.8, 20, contact="time-stepping", step=h).data for h in (4e-4, 2e-4)]
    for name in ("body_position", "body_angular_velocity"):
        far = [np.abs(getattr(o, name) - getattr(r.data, name)).max() for o in other]
        assert (
            far[1] < 0.75 * far[0] and far[1] < 2e-3 * np.abs(getattr(r.data, name)).max()
        )  # their difference falls with the step


# ---- motions and functions next to contact, by any integrator
# ---------------------------------------------------------
OTHERS = [
    ("GSTIFF", "SI2"),
    ("WSTIFF", "I3"),
    ("WSTIFF", "SI2"),
    ("CONSTANT_BDF", None),
    ("HHT", None),
    ("GENERALIZED_ALPHA", None),
]
METHODS = [
    ("DOP853", None),
    ("GSTIFF", "I3"),
    ("RADAU5", None),
    *(pytest.param(m, marks=pytest.mark.slow) for m in OTHERS),
]


def clearance():
    path = Path(__file__).parents[2] / "examples" / "rigid_slider_crank.py"
    spec = importlib.util.spec_from_file_location("rigid_slider_crank", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.build()


def by(method):
    return {"integrator": method[0], **({"formulation": method[1]} if method[1] else {})}


def on_table(motion, axis, speed=0.0, mu=0.3):
    """A block on a table that a motion drives along ``axis``."""
    m = hn.Model("table", units="SI")
    m.gravity = (0, 0, -G)
    table = m.part("table", 1.0, (0.1,) * 3, (0, 0, 0), velocity=speed * np.array(axis))
    m.motion(m.translational(table, m.ground, "guide", at=(0, 0, 0), axis=axis), motion)
    block = m.part("block", 1.0, (0.01,) * 3, (0, 0, 0.1), velocity=speed * np.array(axis))
    m.contact(m.box(block, (0, 0, 0.1), (0.2, 0.2, 0.1)), m.plane(table, (0, 0, 0.05), (0, 0, 1)), mu=mu)
    return m


@pytest.mark.parametrize("method", METHODS)
def test_block_leaves_a_table_that_swings_up_and_down(method):
    """It leaves where A w^2 sin(w t) = g and flies a parabola until it meets the table again."""
    A, w = 0.1, 12.0
    error = 1e-8 if method[0] == "DOP853" else 1e-6
    r = run(on_table(f"{A}*SIN({w}*TIME)", (0, 0, 1), A * w), 0.4, 200, error=error, **by(method))
    leaves = np.arcsin(G / (A * w * w)) / w
    t = r.time
    flight = A * np.sin(w * leaves) + A * w * np.cos(w * leaves) * (t - leaves) - 0.5 * G * (t - leaves) ** 2
    meets = brentq(
        lambda x: (
            A * (np.sin(w * leaves) + w * np.cos(w * leaves) * (x - leaves) - np.sin(w * x))
            - 0.5 * G * (x - leaves) ** 2
        ),
        leaves + 0.05,
        leaves + 1.0,
    )
    near = 1e-9 if method[0] == "DOP853" else 3e-6
    assert r.impacts["time"][0] == pytest.approx(meets, abs=near)
    found = r.data.body_position[:, 1, 2] - 0.1
    np.testing.assert_allclose(found, np.where((t < leaves) | (t > meets), A * np.sin(w * t), flight), atol=near)
    assert (r.contact(1).points.values[(t < leaves - 1e-9) | (t > meets + 1e-6)] == 4).all() and r.counters[
        "lift-offs"
    ] == 4


def stick_and_slip(A, w, mu, t):
    """Place of a block at times t on a table at A (1 - cos w t): sticks while the table's acceleration allows, slides
    with mu g until it has its speed."""
    place, speed, acceleration = (
        (lambda x: A * (1 - np.cos(w * x))),
        (lambda x: A * w * np.sin(w * x)),
        (lambda x: A * w * w * np.cos(w * x)),
    )
    now = x = v = 0.0
    sticks = False
    out = np.zeros_like(t)
    while now < t[-1]:
        fine = np.linspace(now, now + 2 * np.pi / w, 20001)[1:]
        if sticks:
            over = np.abs(acceleration(fine)) - mu * G
            k = np.flatnonzero((over[1:] > 0) & (over[:-1] <= 0))[0]
            end = brentq(lambda q: abs(acceleration(q)) - mu * G, fine[k], fine[k + 1], xtol=1e-15)
            here = (t >= now) & (t <= end)
            out[here] = x + place(t[here]) - place(now)
            x += place(end) - place(now)
            sticks = False
        else:
            slip = v - speed(now)
            s = -np.sign(slip) if abs(slip) > 1e-12 else np.sign(acceleration(now))
            gap = lambda q, s=s, v=v, now=now: -s * (v + s * mu * G * (q - now) - speed(q))
            rest = gap(fine[5:])
            k = np.flatnonzero((rest[1:] <= 0) & (rest[:-1] > 0))[0] + 5
            end = brentq(gap, fine[k], fine[k + 1], xtol=1e-15)
            here = (t >= now) & (t <= end)
            out[here] = x + v * (t[here] - now) + 0.5 * s * mu * G * (t[here] - now) ** 2
            x += v * (end - now) + 0.5 * s * mu * G * (end - now) ** 2
            sticks = abs(acceleration(end)) < mu * G
        now, v = end, speed(end)
    return out


@pytest.mark.parametrize("method", METHODS)
def test_block_sticks_and_slips_on_a_table_that_shakes(method):
    A, w = 0.05, 8.0
    r = run(on_table(f"{A}*(1-COS({w}*TIME))", (1, 0, 0)), 2.0, 100, error=1e-6, **by(method))
    np.testing.assert_allclose(
        r.data.body_position[:, 1, 0], stick_and_slip(A, w, 0.3, r.time), atol=5e-6
    )  # five times ERROR
    assert r.counters["stops of slip"] >= 4 * 5


@pytest.mark.parametrize("method", METHODS)
def test_ball_bounces_under_a_function_force(method):
    """An expression draws it to the ground like a spring: impacts at odd quarters of the period, speeds halved by
    each."""
    m = hn.Model("spring", units="SI")
    m.gravity = (0, 0, 0)
    b = m.part("ball", 1.0, (0.004,) * 3, (0, 0, 1.1))
    m.contact(m.sphere(b, (0, 0, 1.1), 0.1), m.plane(m.ground, (0, 0, 0), (0, 0, 1)), restitution=0.5)
    low = m.marker_at(m.ground, (0, 0, 0.1))
    m.vforce(b.cm, m.ground, fz=f"-4*DZ({b.cm},{low.id})", rm=low)
    r = run(m, 4.2, 42, error=1e-7, **by(method))
    np.testing.assert_allclose(r.impacts["time"], np.array([0.25, 0.75, 1.25]) * np.pi, atol=5e-4)
    np.testing.assert_allclose(r.impacts["velocity_before"], [-2, -1, -0.5], atol=2e-4)


@pytest.mark.parametrize("method", ["DOP853", "GSTIFF", pytest.param("HHT", marks=pytest.mark.slow)])
@pytest.mark.parametrize("own", [0.0, 0.5])
def test_functions_of_contact_forces(own, method):
    """A ball is pulled off the floor by a function of time; a slider is driven by a tenth of the contact's force, of
    which ``own`` lifts the ball too."""
    m = ball(0.0, 0.0)
    p = m.part("slider", 1.0, (0.01,) * 3, (2, 0, 0))
    m.translational(p, m.ground, at=(2, 0, 0), axis=(1, 0, 0))
    low = m.marker_at(m.ground, (2, 0, 0))
    force = f"CONTACT(1,0,4,{low.id})"
    m.vforce(p.cm, m.ground, fx=f"0.1*{force}", rm=low)
    m.vforce(m.find("PART", "ball").cm, m.ground, fz=f"5*SIN(3*TIME)+{own}*{force}", rm=low)
    r = run(m, 1.0, 10, integrator=method, error=1e-8)
    t = r.time
    np.testing.assert_allclose(r.contact(1).normal.values, (G - 5 * np.sin(3 * t)) / (1 + own), rtol=1e-11)
    goal = 2 + 0.1 / (1 + own) * (0.5 * G * t * t - 5 * (t / 3 - np.sin(3 * t) / 9))
    np.testing.assert_allclose(r.data.body_position[:, 1, 0], goal, atol=2e-8 if method == "DOP853" else 4e-5)


@pytest.mark.parametrize("method", METHODS)
def test_slider_crank_with_clearance(method):
    """Crank speeds of the example with guides by events: against a run to 1e-10 before the motion forgets its past."""
    r = run(clearance(), 0.02, 20, error=1e-6, **by(method))
    speed = r.part("crank").angular_velocity.values[:, 2]
    np.testing.assert_allclose(
        speed[[5, 20]], [85.6382, 71.6818], rtol=1.2e-3 if method[0] in ("HHT", "GENERALIZED_ALPHA") else 5e-4
    )
    assert r.counters["accumulations"] > 0 and len(r.impacts) < 100


# ---- words -----------------------------------------------------------------------------------------------------------
def test_parts_inside_each_other_are_refused():
    with pytest.raises(hn.ModelError, match="overlap, which rigid contact cannot have: ball and .* by 0.01"):
        run(ball(height=-0.01), 0.1)


@pytest.mark.parametrize("contact", ["events", "time-stepping"])
@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"e": 1.2}, "RESTITUTION_COEFFICIENT must lie between 0 and 1, it is 1.2"),
        ({"mu": -0.1}, "mu must not be negative, it is -0.1"),
        ({"rolling_resistance": -1.0}, "ROLLING_RESISTANCE must not be negative, it is -1"),
    ],
)
def test_bad_numbers_are_refused(wrong, words, contact):
    with pytest.raises(hn.ModelError, match=words):
        hn.simulate(ball(**wrong), 0.1, 10, contact=contact, **({"step": 1e-3} if contact == "time-stepping" else {}))


def test_endless_events_are_stepped_over():
    """More events within a thousandth of the analysis than the settings allow: time-stepping takes over for a while,
    and a message reports this."""
    m = ball(0.9, 1e-4)
    m.rigid.most_events = 5
    r = hn.simulate(m, 100.0, 100, contact="events")
    assert r.time[-1] == 100.0 and r.part("ball").position.values[-1, 2] == pytest.approx(0.1, abs=1e-9)
    (first, *_) = (text for text in r.info["messages"] if "taken by time-stepping" in text)
    assert re.search(
        "there were 5 events of contact within .*: an infinite sequence .* at steps of .* until .* and events are "
        "located again",
        first,
    )
    assert r.data.energy_dissipated[-1] == pytest.approx(G * 1e-4, rel=2e-2)  # of order one there


def test_integrators_without_constraints_are_refused():
    with pytest.raises(hn.ModelError, match="ABAM on independent coordinates cannot take contacts as constraints"):
        run(ball(), 0.1, integrator="ABAM")


# ---- impacts ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("law", ["NEWTON", "POISSON", "ENERGY"])
@pytest.mark.parametrize("mu", [0.1, 1.0])
def test_spinning_ball_bounces(mu, law):
    """The floor takes up slip u by min(mu J, 2/7 u), J the normal impulse: sliding all the time, or rolling away."""
    v, w, e, r = 1.0, -20.0, 0.8, 0.1
    out = run(ball(e, 0.5, mu, (v, 0, 0), (0, w, 0), r, impact_law=law), 0.4)
    J = (1 + e) * np.sqrt(2 * G * 0.5)
    t = min(mu * J, 2 / 7 * (v - w * r))
    assert out.data.body_velocity[-1, 0, 0] == pytest.approx(v - t, abs=1e-10)
    assert out.data.body_angular_velocity[-1, 0, 1] == pytest.approx(w + t * r / (0.4 * r * r), abs=1e-10)
    assert out.impacts["tangential_impulse"][0] == pytest.approx(t, abs=1e-10)
    energy = out.data.energy_kinetic + out.data.energy_gravity + out.data.energy_dissipated
    assert np.ptp(energy) < 1e-12 * energy[0]


def double_pendulum(law, mu=0.5, e=0.5, q=(20.0, 30.0), w=(-0.1, -0.2)):
    """Two rods of length and mass 1, tilted by q from the vertical and turning at w, whose end is about to strike rough
    ground."""
    m = hn.Model("double pendulum", units="SI")
    m.gravity = (0, 0, 0)
    at, velocity, before = np.zeros(3), np.zeros(3), m.ground
    for k in range(2):
        down, across = (
            np.array([np.sin(x), 0, -np.cos(x)]) for x in (np.radians(q[k]), np.radians(q[k]) + 0.5 * np.pi)
        )
        rod = m.part(
            f"rod {k + 1}",
            1.0,
            (1 / 12,) * 3,
            at + 0.5 * down,
            velocity=velocity + 0.5 * w[k] * across,
            angular_velocity=(0, -w[k], 0),
        )
        m.revolute(rod, before, at=at, axis=(0, 1, 0))
        at, velocity, before = at + down, velocity + w[k] * across, rod
    r = 1e-5
    floor = m.plane(m.ground, at - [0, 0, r + 1e-6], (0, 0, 1))
    m.contact(m.sphere(rod, at, r), floor, restitution=e, mu=mu, impact_law=law)
    return m


@pytest.mark.parametrize("law", ["NEWTON", "POISSON", "ENERGY"])
def test_impacts_that_gain_energy_are_told(law):
    """The double pendulum of T. R. Kane and D. A. Levinson (Dynamics, 1985): with restitution of velocities its end
    sticks and the impact gains energy; q' behind it is J^-1 (0, -e v_n), J of the end.  By the other laws it loses."""
    sim = hn.Simulation(double_pendulum(law))
    sim.dynamics(end=1e-4, steps=10, contact="events", error=1e-10)
    r = sim.run()
    told = [text for text in sim.messages if "Kane's paradox" in text]
    lost = r.impacts["energy_lost"].sum()
    if law != "NEWTON":
        assert lost > 0.0 and not told
        return
    assert len(told) == 1 and "impact with friction gains energy" in told[0]
    ends = r.data.body_position[0]
    down = [2 * ends[0], 2 * (ends[1] - 2 * ends[0])]  # about the place of the impact: it is 1e-6 away
    J = np.array([[-d[2] for d in down], [d[0] for d in down]])
    w = np.array([-0.1, -0.2])
    M = np.array([[4 / 3, 0.5 * down[0] @ down[1]], [0.5 * down[0] @ down[1], 1 / 3]])
    behind = np.linalg.solve(J, [0.0, -0.5 * (J @ w)[1]])
    assert -lost == pytest.approx(0.5 * behind @ M @ behind - 0.5 * w @ M @ w, rel=1e-3)
    assert 0.5 * behind @ M @ behind > 1.5 * 0.5 * w @ M @ w


def hinged_rods():
    """Two rods with a hinge between them fall on rough ground, turning."""
    m = hn.Model("rods", units="SI")
    m.gravity = (0, 0, -G)
    rods = [
        m.part(f"rod {k}", 1.0 + k, (0.1, 0.1, 0.02), (k - 0.5, 0, 0.7 + 0.2 * k), velocity=(1, 0.3, 0))
        for k in range(2)
    ]
    m.spherical(*rods, at=(0, 0, 0.8))
    floor = m.plane(m.ground, (0, 0, 0), (0, 0, 1))
    for k, x in enumerate((-1.0, 0.0, 1.0)):
        m.contact(
            m.sphere(rods[x > 0], (x, 0.01 * k, 0.6 + 0.2 * k), 0.05),
            floor,
            restitution=0.4,
            mu=0.3,
            rolling_resistance=0.01,
        )
    return m


def billiards():
    """A ball with spin strikes a rack of six on a rough cloth."""
    m = hn.Model("break", units="SI")
    m.gravity = (0, 0, -G)
    r, mass = 0.026, 0.17
    places = [(-0.2, 0.001)] + [
        ((2 * r + 1e-5) * 0.866025 * i, (2 * r + 1e-5) * (j - 0.5 * i)) for i in range(3) for j in range(i + 1)
    ]
    balls = []
    for k, (x, y) in enumerate(places):
        b = m.part(f"ball {k}", mass, (0.4 * mass * r * r,) * 3, (x, y, r))
        balls.append(m.sphere(b, (x, y, r), r))
        if k == 0:
            b.vx, b.wy, b.wz = 3.0, 10.0, 20.0
    m.contact(balls, restitution=0.95, mu=0.06)
    m.contact(
        balls,
        m.plane(m.ground, (0, 0, 0), (0, 0, 1)),
        restitution=0.5,
        mu=0.2,
        rolling_resistance=1e-4,
        spinning_resistance=1e-4,
    )
    return m


@pytest.mark.parametrize("build", [hinged_rods, billiards])
@pytest.mark.parametrize("law", ["POISSON", "ENERGY"])
def test_each_impact_keeps_momentum_and_loses_energy(build, law, monkeypatch):
    """What bodies gain in an impact (linear, angular about a point of ground) is what ground gives, to 1e-12."""
    from holonom.analyses.contact.rigid_contact import RigidContact

    steps = []
    take = RigidContact._impact

    def watched(self, *arguments):
        impulse, work = self.recorder.impulse.copy(), self.recorder.work[1]
        out = take(self, *arguments)
        steps.append((self.recorder.impulse - impulse, self.recorder.work[1] - work))
        return out

    monkeypatch.setattr(RigidContact, "_impact", watched)
    m = build()
    m.rigid.impact_law = law
    r = run(m, 0.6)
    assert len(steps) > 1
    for impulse, lost in steps:
        size = max(np.abs(r.impacts["normal_impulse"]).max(), 1e-3)
        assert np.abs(impulse[:6] - impulse[6:]).max() < 1e-12 * size
        assert lost > -1e-13
    total = r.data.energy_kinetic + r.data.energy_gravity + r.data.energy_dissipated
    assert np.ptp(total) < 1e-6 * total[0]


@pytest.mark.parametrize(("gap", "speeds"), [(0.0, (-1 / 3, 2 / 3, 2 / 3)), (1e-6, (0, 0, 1))])
def test_balls_in_a_row(gap, speeds):
    """Touching balls are hit at once, balls with gaps one after the other; momentum stays to roundoff."""
    m = hn.Model("row", units="SI")
    m.gravity = (0, 0, 0)
    shapes = []
    for k in range(3):
        x = k * (0.2 + gap) - (0.1 if k == 0 else 0.0)
        b = m.part(f"b{k}", 1.0, (0.004,) * 3, (x, 0, 0))
        b.vx = 1.0 if k == 0 else 0.0
        shapes.append(m.sphere(b, (x, 0, 0), 0.1))
    for a, b in zip(shapes, shapes[1:]):
        m.contact(a, b, restitution=1.0)
    r = run(m, 0.5)
    np.testing.assert_allclose(r.data.body_velocity[-1, :, 0], speeds, atol=1e-12)
    np.testing.assert_allclose(r.data.momentum[:, 0], 1.0, rtol=1e-12)


def test_impact_through_a_joint():
    """The tip of a pendulum on a pivot strikes a ball: e = 1, speeds from the inverse masses that the joint leaves
    (1/J' = l^2/I about the pivot)."""
    m = hn.Model("bat", units="SI")
    m.gravity = (0, 0, 0)
    length, mass, other = 1.0, 3.0, 0.5
    inertia = mass * length**2 / 12
    bat = m.part("bat", mass, (inertia, inertia, 1e-3), (0, 0, -length / 2))
    bat.wy = -2.0
    bat.vx = 1.0
    m.revolute(bat, m.ground, at=(0, 0, 0), axis=(0, 1, 0))
    b = m.part("ball", other, (0.002,) * 3, (0.35, 0, -length))
    m.contact(m.sphere(bat, (0, 0, -length), 0.1), m.sphere(b, (0.35, 0, -length), 0.1), restitution=1.0)
    r = run(m, 0.5)
    # along the normal of the impact, from the row of it
    row = r.impacts[0]
    n = np.array([r.part("ball").position.values[0][0] - row["x"], 0, -length - row["z"]])
    n /= np.linalg.norm(n)
    lever = np.array([row["x"], 0, row["z"]])
    arm = np.cross(lever, n)[1]
    total = 1 / other + arm**2 / (mass * length**2 / 3)
    assert row["normal_impulse"] == pytest.approx(-2 * row["velocity_before"] / total, rel=1e-9)
    assert np.ptp(r.data.energy_kinetic) < 1e-9 * r.data.energy_kinetic[0]


def test_ball_leaves_a_dome():
    """A particle-like ball that slides from the top of a smooth sphere leaves it at cos = 2/3."""
    m = hn.Model("dome", units="SI")
    m.gravity = (0, 0, -G)
    R, r = 1.0, 0.05
    start = np.radians(5)
    at = (R + r) * np.array([np.sin(start), 0, np.cos(start)])
    b = m.part("ball", 1.0, (0.001,) * 3, at)
    m.contact(m.sphere(b, at, r), m.sphere(m.ground, (0, 0, 0), R), restitution=0.0)
    sim = hn.Simulation(m)
    sim.dynamics(end=1.2, steps=240, contact="events", error=1e-9)
    out = sim.run()
    assert out.counters["lift-offs"] == 1
    k = int(np.argmax(out.contact(1).points.values == 0))
    p = out.data.body_position[k - 1 : k + 1, 0]
    angle = np.arctan2(p[:, 0], p[:, 2])
    leaves = np.arccos(2 / 3 * np.cos(start))
    assert angle[0] <= leaves <= angle[1]


def test_a_run_that_is_heavy_names_the_method_for_it(monkeypatch):
    """Once, whatever follows, and the run is the same; a single ball is never told."""
    monkeypatch.setattr("holonom.analyses.contact.rigid_contact.HEAVY", 20)
    m = hn.Model("tower", units="SI")
    m.gravity = (0, 0, -G)
    floor = m.plane(m.ground, (0, 0, 0), (0, 0, 1))
    below = floor
    for k in range(3):
        p = m.part(f"die {k}", 1.0, (1e-2,) * 3, (0, 0, 0.1 + 0.21 * k))
        die = m.box(p, (0, 0, 0.1 + 0.21 * k), (0.2, 0.2, 0.2))
        m.contact(die, below, restitution=0.3, mu=0.4)
        below = die
    told = [text for text in run(m, 1.0).info["messages"] if "time-stepping costs far less" in text]
    assert len(told) == 1 and "the points closed at each, come to 20" in told[0]
    assert not [text for text in run(ball(), 1.0).info["messages"] if "time-stepping" in text]


def test_a_run_whose_contacts_are_all_switched_off_is_a_free_fall():
    m = hn.Model("off")
    m.gravity = (0, 0, -9.81)
    ball = m.part("ball", 1.0, (4e-3,) * 3, (0, 0, 0.3))
    contact = m.contact(m.sphere(ball, (0, 0, 0.3), 0.1), m.plane(m.ground, (0, 0, 0), (0, 0, 1)), restitution=0.6)
    contact.active = False
    with pytest.warns(hn.ModelWarning, match="all contacts are switched off"):
        run = hn.simulate(m, 0.5, 10, contact="events")
    assert run.part("ball").position.values[-1, 2] == pytest.approx(0.3 - 0.5 * 9.81 * 0.25, rel=1e-9)
