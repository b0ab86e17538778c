"""No touch is missed: what checks gaps promise, the bounds they rest on, and scenes in which things went through each
other."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from fuzz._solids import floor_solid

import holonom as hn
from holonom.contact.advancement import time_until
from holonom.contact.tables import BROKEN, LIST_SPAN
from holonom.elements.bodies.motion_bounds import ACCELERATION, BOUNDS, SPEED, SPIN, SPIN_RATE
from holonom.integrators.dense_bounds import dense_slopes

G = 9.81


def test_time_until():
    """gap + rate s - C s^2 / 2 = 0: the same by numbers, and what happens at its edges."""
    for gap, rate, C in ((1.0, -2.0, 3.0), (1.0, 2.0, 3.0), (1e-9, 5.0, 10.0), (0.0, 1.0, 2.0), (1.0, 0.0, 1e-8)):
        s = time_until(gap, rate, C)
        assert s > 0.0
        assert gap + rate * s - 0.5 * C * s * s == pytest.approx(0.0, abs=1e-12 * max(gap, abs(rate) * s))
    assert time_until(1.0, -2.0, 0.0) == 0.5
    assert time_until(1.0, 2.0, 0.0) == 1e300 == time_until(1.0, 0.0, 0.0)
    assert (
        time_until(0.0, -1.0, 1.0)
        == 0.0
        == time_until(-1.0, -1.0, 0.0)
        == time_until(np.nan, np.nan, 1.0)
        == time_until(1.0, 1.0, np.inf)
    )


def test_slopes_of_the_dense_output():
    """Against sampling of  x, x (1-x), x^2 (1-x), ..."""
    x = np.linspace(0, 1, 200001)
    phi = x.copy()
    for k, slope in enumerate(dense_slopes()):
        sampled = np.abs(np.diff(phi)).max() / (x[1] - x[0])
        assert sampled <= slope <= 1.001 * sampled
        phi = phi * ((1 - x) if k % 2 == 0 else x)


def _swinging():
    """A top on a spring: speeds, spins and their rates change within every step."""
    m = hn.Model("wild")
    m.gravity = (0, 0, -G)
    part = m.part(
        "body", 2.0, (0.02, 0.05, 0.06), (0.3, 0.1, 0.2), velocity=(1.0, -2.0, 0.5), angular_velocity=(4.0, 9.0, -6.0)
    )
    m.spring_damper(m.marker_at(part, (0.4, 0.1, 0.2)), m.marker_at(m.ground, (0, 0, 1.0)), stiffness=300.0, length=0.5)
    arm = m.part("arm", 1.0, (0.01, 0.02, 0.02), (0.5, 0.5, 0.0))
    m.revolute(arm, m.ground, "pin", at=(0.3, 0.5, 0.0), axis=(0, 1, 0))
    return m


@pytest.mark.parametrize(
    "kind, options",
    [
        ("DOP853", {"coordinates": "maximal"}),
        ("DOP853", {"coordinates": "joint"}),
        ("DOPRI5", {"coordinates": "maximal"}),
        ("DOPRI5", {"coordinates": "joint"}),
        ("RKF45", {"formulation": "MINIMAL"}),
        ("RK4", {"hmax": 0.01, "coordinates": "maximal"}),
        ("RK4", {"hmax": 0.01, "coordinates": "joint"}),
        ("VELOCITY_VERLET", {"hmax": 2e-3}),
        ("ABAM", {}),
        ("GSTIFF", {}),
        ("GSTIFF", {"formulation": "SI1"}),
        ("WSTIFF", {"formulation": "SI2"}),
        ("CONSTANT_BDF", {"hmax": 0.01}),
        ("HHT", {}),
        ("RADAU5", {}),
    ],
)
def test_bounds_of_the_motion(kind, options, monkeypatch):
    """At no state of the dense output is a speed, or a difference of velocities over a time, above the bounds of its
    step."""
    seen = _watch(monkeypatch)
    hn.simulate(_swinging(), 0.4, 4, integrator=kind, error=1e-3, **options)
    assert len(seen) > 3
    assert np.median(seen) < 10.0  # bounds that say something


def _watch(monkeypatch):
    """Every step compares its bounds with what its dense output does; a list of how far bounds of accelerations are
    above that."""
    from holonom.analyses.dynamics.analysis import Dynamics

    seen = []
    plain = Dynamics._outputs

    def watched(self, until, end):
        stepper, n = self.stepper, self.system.nb
        fine = stepper.motion_bounds(bounds := np.zeros((n + 1, BOUNDS)))
        times = np.linspace(stepper.t_old, stepper.t, 42)[1:-1]
        y = np.zeros((len(times), len(stepper.y)))
        for t, row in zip(times, y):
            stepper.interpolate(t, row)
        v = y[:, : 13 * n].reshape(-1, n, 13)[:, :, 7:]
        rate = np.diff(v, axis=0) / (times[1] - times[0])
        both = [bounds.copy()]
        if not fine:
            assert stepper.motion_bounds(bounds, True)
            both.append(bounds)
        for b in both:
            for bound, of, c in ((SPEED, v, SPIN), (ACCELERATION, rate, SPIN_RATE)):
                assert (np.linalg.norm(of[:, :, :3], axis=2).max(axis=0) <= b[:n, bound] * (1 + 1e-6)).all()
                assert (np.abs(of[:, :, 3:]).max(axis=0) <= b[:n, c : c + 3] * (1 + 1e-6)).all()
            assert not b[n].any()
            seen.append(float((b[:n, ACCELERATION] / np.linalg.norm(rate[:, :, :3], axis=2).max(axis=0)).max()))
        plain(self, until, end)

    monkeypatch.setattr(Dynamics, "_outputs", watched)
    return seen


def _tree(seed):
    """A random tree of joints of all types, some of them driven, with joints that lead from the body to its parent."""
    random = np.random.default_rng(seed)
    m = hn.Model("tree", units="SI")
    m.gravity = (0, 0, -9.81)
    parts = [m.ground]
    for k in range(5):
        inertia = random.uniform(0.02, 0.03, 3)
        part = m.part(f"b{k}", random.uniform(1, 2), tuple(inertia), tuple(random.normal(size=3)))
        one, other = (part, parts[random.integers(len(parts))])[:: 1 if random.random() < 0.5 else -1]
        kind = ("revolute", "translational", "cylindrical", "spherical", "universal", "screw", "free")[
            random.integers(7)
        ]
        at = tuple(random.normal(size=3))
        axis = random.normal(size=3)
        if kind == "spherical":
            m.spherical(one, other, at=at)
        elif kind == "universal":
            m.universal(one, other, at=at, axis=tuple(axis))
        elif kind == "screw":
            m.screw(one, other, pitch=random.uniform(-1, 1), at=at, axis=tuple(axis))
        elif kind != "free":
            joint = getattr(m, kind)(one, other, at=at, axis=tuple(axis))
            if kind in ("revolute", "translational") and random.random() < 0.4:
                m.motion(joint, f"{random.uniform(0.2, 1)}*SIN({random.uniform(1, 9)}*TIME)")
        parts.append(part)
        end = m.marker_at(part, tuple(random.normal(size=3)))
        m.spring_damper(end, m.marker_at(m.ground, tuple(random.normal(size=3))), stiffness=30.0, length=0.5)
    return m


@pytest.mark.parametrize("seed", [*range(3), *(pytest.param(k, marks=pytest.mark.slow) for k in range(3, 60))])
def test_bounds_of_the_motion_of_trees(seed, monkeypatch):
    """Bodies on joints of all types, in joint coordinates."""
    seen = _watch(monkeypatch)
    hn.simulate(_tree(seed), 0.3, 4, error=1e-4, coordinates="joint")
    assert len(seen) > 1


def _under(model, kind):
    """What the ball falls on; its upper side at z = 0, as wide as 1."""
    deep = 0.001 if kind == "plate" else 0.1
    return floor_solid(kind, 0.5, deep).draw(model, model.ground, (0, 0, -0.5 * deep), np.eye(3))


@pytest.mark.parametrize("kind", ["box", "bounded plane", "cylinder", "plate", "hull", "mesh"])
@pytest.mark.parametrize("end", [3.0, 5.0, 20.0])
def test_a_fall_from_an_apex(kind, end):
    """At the apex the speed is zero and the next step is as long as the fall: a bounded shape under it was passed."""
    m = hn.Model("drop")
    m.gravity = (0, 0, -G)
    ball = m.part("ball", 1.0, (4e-3,) * 3, (0.013, 0.017, 1.1))
    m.contact(
        m.sphere(ball, (0.013, 0.017, 1.1), 0.1), _under(m, kind), stiffness=1e6, exponent=1.5, damping=50.0, dmax=1e-3
    )
    run = hn.simulate(m, end, 20)
    assert run.part("ball").position.values[:, 2].min() > 0.09
    assert run.counters["onsets"] >= 1 + (end > 2.0)


def _ping_pong(speed=10.0):
    m = hn.Model("ping-pong")
    m.gravity = (0, 0, 0)
    ball = m.part("ball", 1.0, (1e-3,) * 3, (0, 0, 0), velocity=(speed, 0, 0))
    walls = [m.sphere(m.ground, (x, 0, 0), 0.05) for x in (-0.5, 0.5)]
    m.contact(m.sphere(ball, (0, 0, 0), 0.05), walls, restitution=1.0, stiffness=1e8, exponent=1.5)
    return m


@pytest.mark.parametrize(
    "contact, options", [("events", {"hmax": 0.05}), ("events", {}), ("compliant", {"hmax": 0.05}), ("compliant", {})]
)
def test_a_ball_between_two_others_stays_there(contact, options):
    """Long free flights: looks were so far apart as a share of the step, and margins of the search grew until they were
    no numbers."""
    sim = hn.Simulation(_ping_pong())
    sim.dynamics(end=40.0, steps=800, contact=contact, error=1e-8, **options)
    run = sim.run()
    x = run.part("ball").position.values[:, 0]
    assert np.abs(x).max() < 0.4 + (1e-9 if contact == "events" else 1e-2)
    W = sim.system.contacts.W
    assert W.clock[LIST_SPAN] <= 1e4 and np.isfinite(W.hi - W.lo).all() and W.count[BROKEN] == 0
    assert not [text for text in run.info["messages"] if "fails" in text or "switching" in text]
    if contact == "events":
        assert len(run.impacts) == 500
        times = np.array([r["time"] for r in run.impacts], float)
        assert np.abs(times - (0.04 + 0.08 * np.arange(500))).max() < 1e-9


def test_a_state_that_is_no_number_ends_the_run():
    """A search among boxes that are not numbers would find nothing, silently."""
    sim = hn.Simulation(_ping_pong())
    sim.dynamics(end=0.01, steps=1, contact="compliant")
    from holonom.analyses.contact.events import ContactEvents

    events = ContactEvents(sim.system)
    y = sim.y.copy()
    y[0] = np.nan
    with pytest.raises(hn.ModelError, match="at time 0.01 the position of ball is not a finite number"):
        events._evaluate_gaps(0.01, y, 1.0)
    y[0] = 0.0
    events._evaluate_gaps(0.01, y, 1.0)


@pytest.mark.parametrize("contact", ["events", "compliant"])
def test_a_wheel_that_spins_fast_beside_a_wall(contact):
    """A shaft that turns about its own axis brings no point of its surface nearer: it costs no looks; a bar that turns
    does."""
    looks = {}
    for kind in ("shaft", "bar"):
        m = hn.Model(kind)
        m.gravity = (0, 0, 0)
        body = m.part("body", 1.0, (0.01, 0.01, 0.01), (0, 0, 0), angular_velocity=(0, 0, 1000.0))
        m.revolute(body, m.ground, "pin", at=(0, 0, 0), axis=(0, 0, 1))
        shape = (
            m.cylinder(body, (0, 0, -0.1), (0, 0, 0.1), 0.05)
            if kind == "shaft"
            else m.box(body, (0, 0, 0), (0.06, 0.06, 0.2))
        )
        m.contact(
            shape,
            m.box(m.ground, (0.1, 0, 0), (0.098, 1, 1)),
            stiffness=1e6,
            exponent=1.5,
            restitution=0.5,
            joined=True,
        )
        run = hn.simulate(m, 0.2, 10, contact=contact, integrator="DOP853")
        assert run.counters.get("onsets", 0) + run.counters.get("impacts", 0) == 0
        looks[kind] = run.counters["evaluations of gaps"]
    assert looks["shaft"] < 0.5 * looks["bar"]


@pytest.mark.parametrize("method", ["events", "compliant"])
@pytest.mark.parametrize("kind", ["box", "cylinder", "hull"])
def test_a_ball_bounces_on_a_bounded_floor(kind, method):
    """A ball that leaves the floor at the end of a step is safe after it and not before it: it passed at a later
    bounce."""
    for end, spin, mu in ((0.8, (3, 1, 2), None), (1.0, (0, 0, 0), 0.3), (4.0, (0, 0, 0), 0.3)):
        m = hn.Model("bounces")
        m.gravity = (0, 0, -G)
        ball = m.part("ball", 1.0, (4e-3,) * 3, (0, 0, 0.3), velocity=(0.1, 0.02, 0), angular_velocity=spin)
        m.contact(
            m.sphere(ball, (0, 0, 0.3), 0.1),
            _under(m, kind),
            restitution=0.6,
            mu=mu,
            stiffness=1e6,
            exponent=1.5,
            dmax=1e-3,
        )
        run = hn.simulate(m, end, 40, contact=method)
        assert run.part("ball").position.values[:, 2].min() > 0.09


@pytest.mark.parametrize("method, error", [("events", 1e-6), ("events", 1e-9), ("compliant", 1e-9)])
def test_a_tumbling_box_stays_on_a_bounded_floor(method, error):
    """While it slides on a corner the faces that meet change, and the kernel numbers its corners anew: the closed point
    must stay the same corner."""
    from scipy.spatial.transform import Rotation

    A = Rotation.from_euler("xyz", (0.5, 0.3, 0.2)).as_matrix()
    m = hn.Model("box")
    m.gravity = (0, 0, -G)
    box = m.part("box", 1.0, (0.004, 0.005, 0.006), (0.03, 0.02, 0.4), axes=A, angular_velocity=(2, -1, 3))
    shapes = (
        m.box(box, (0.03, 0.02, 0.4), (0.2, 0.15, 0.1), x=A[:, 0], z=A[:, 2]),
        m.box(m.ground, (0, 0, -0.05), (4, 4, 0.1)),
    )
    m.contact(
        *shapes,
        **(
            dict(stiffness=1e6, exponent=1.5, damping=500.0, dmax=1e-3)
            if method == "compliant"
            else dict(restitution=0.5)
        ),
    )
    run = hn.simulate(m, 1.5, 60, contact=method, error=error)
    assert run.part("box").position.values[:, 2].min() > 0.0499 - 1e-3 * (method == "compliant")


@pytest.mark.parametrize("seed", [0, 3])
def test_a_coin_that_lies_down_stays_above_the_floor(seed):
    """Where it is nearly flat its lowest point runs round the rim within one step, past three that are fixed there: the
    closed point must stay the lowest one."""
    from scipy.spatial.transform import Rotation

    r, h, mass = 0.1, 0.00505, 0.3173
    A = Rotation.random(random_state=seed).as_matrix()
    reach = lambda A: h * np.abs(A[..., 2, 2]) + r * np.hypot(A[..., 2, 0], A[..., 2, 1])
    m = hn.Model("coin")
    m.gravity = (0, 0, -G)
    x = np.array([0, 0, reach(A) + 1e-5])
    across = mass * (r * r / 4 + h * h / 3)
    coin = m.part("coin", mass, (across, across, mass * r * r / 2), tuple(x), axes=A)
    shape = m.cylinder(coin, tuple(x - h * A[:, 2]), tuple(x + h * A[:, 2]), r)
    m.contact(shape, m.plane(m.ground, (0, 0, 0), (0, 0, 1)), restitution=0.9, mu=0.6)
    run = hn.simulate(m, 0.6, 80, contact="events")
    p = run.part("coin")
    assert (p.position.values[:, 2] - reach(p.axes.values)).min() > -1e-6 * r
    energy = run.data.energy_kinetic + run.data.energy_gravity
    assert np.max(energy - np.minimum.accumulate(energy)) < 1e-6 * energy[0]


@pytest.mark.parametrize("seed", [0, 3, 9, *(pytest.param(s, marks=pytest.mark.slow) for s in (4, 6, 10, 11, 12, 13))])
def test_another_corner_comes_down_while_one_is_closed(seed):
    """A tumbling box turns about a corner on the floor until the next one hits it: the event search must not take the
    next one for that which is closed."""
    from scipy.spatial.transform import Rotation

    r = np.random.default_rng(seed)
    at, A = (0.03, 0.02, 0.35), Rotation.random(random_state=seed).as_matrix()
    m = hn.Model("box")
    m.gravity = (0, 0, -G)
    spin, speed = tuple(r.normal(size=3) * 3), (float(r.normal()), 0, 0)
    box = m.part("box", 1.0, (0.004, 0.005, 0.006), at, axes=A, angular_velocity=spin, velocity=speed)
    sides = m.box(box, at, (0.2, 0.15, 0.1), x=A[:, 0], z=A[:, 2])
    m.contact(sides, m.box(m.ground, (0, 0, -0.05), (4, 4, 0.1)), restitution=0.5, mu=(0.0, 0.3)[seed % 2])
    run = hn.simulate(m, 1.2, 60, contact="events", error=(1e-5, 1e-6, 1e-8)[seed % 3])
    assert run.part("box").position.values[:, 2].min() > 0.0499
