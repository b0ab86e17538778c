"""Static equilibrium in joint coordinates: closed forms, the equations of all bodies, and its stiffness by
differences."""

import math

import numpy as np
import pytest

import holonom as hn
from holonom.analyses.statics.joint_equilibrium import JointEquilibrium
from holonom.system.build import System

JOINT = "statics: joint coordinates: requested"


def settled(m, coordinates="joint"):
    sim = hn.Simulation(m, progress=False)
    sim.statics(coordinates=coordinates)
    return sim.run()


def rods(n, length, closed=True):
    """Rods of equal weight from the origin, hinged to each other about y; closed: the last one to ground too."""
    m = hn.Model("rods")
    m.gravity = (0, 0, -9.81)
    last, x = m.ground, np.zeros(3)
    for k in range(n):
        angle = (1.0 if k < n // 2 else -1.0) if closed else 0.0
        way = length * np.array([math.cos(angle), 0.0, math.sin(angle)])
        axes = np.column_stack([way / length, [0, 1, 0], np.cross(way / length, [0, 1, 0])])
        rod = m.part(f"rod{k}", 0.5, (1e-4, 1e-3, 1e-3), x + way / 2, axes=axes)
        m.revolute(rod, last, f"pin{k}", at=x, axis=(0, 1, 0) if closed or k % 2 == 0 else (0.3, 1, 0))
        x, last = x + way, rod
    if closed:
        m.revolute(last, m.ground, "end", at=x, axis=(0, 1, 0))
    return m


def test_rods_hang_between_two_pins_as_the_polygon_of_their_weights():
    """The horizontal force H is the same in all pins, the vertical one changes by the weight of each rod, and moments
    about the upper pin of a rod give the slope of rod k:  (V_k + V_k+1)/2 = H tan a_k.  They begin standing up."""
    n, length, weight = 10, 0.5, 0.5 * 9.81
    run = settled(rods(n, length))
    assert JOINT in run.info["messages"]
    H, _, V = run.joint("pin0").force.values[0]
    ends = [V - k * weight for k in range(n + 1)]
    slopes = [math.atan2((a + b) / 2, H) for a, b in zip(ends, ends[1:])]
    ways = length * np.array([(math.cos(a), math.sin(a)) for a in slopes])
    span = 2 * (n // 2) * length * math.cos(1.0)
    there = np.array([run.part(f"rod{k}").position.values[0, [0, 2]] for k in range(n)])
    sign = 1.0 if there[n // 2, 1] * ways[0, 1] > 0 else -1.0
    assert there[n // 2, 1] < 0.0
    np.testing.assert_allclose(sign * np.sum(ways, axis=0), [sign * span * np.sign(ways[0, 0]), 0.0], atol=1e-9)
    assert abs(np.sum(ways, axis=0)[0]) == pytest.approx(span, rel=1e-10)
    middle = np.cumsum(ways, axis=0) - ways / 2
    np.testing.assert_allclose(there, middle * np.sign(middle[-1, 0]), atol=1e-9)


def test_a_long_chain_takes_few_iterations():
    m = rods(40, 0.1, closed=False)
    run = settled(m)
    assert run.data.counters["static iterations"] <= 16
    there = np.array([run.part(f"rod{k}").position.values[0] for k in range(40)])
    np.testing.assert_allclose(there[:, 2], -0.1 * (np.arange(40) + 0.5), atol=1e-9)
    assert run.joint("pin0").force.values[0, 2] == pytest.approx(40 * 0.5 * 9.81, rel=1e-12)


def random_mechanism(seed):
    """A tree that springs hold, some of it closed by a ball joint, with a driven hinge."""
    r = np.random.default_rng(seed)
    m = hn.Model(f"held {seed}")
    m.gravity = (0.5, -1.0, -9.0)
    bodies = [m.ground]
    for k in range(5):
        body = m.part(
            f"b{k}",
            mass=float(r.uniform(0.5, 3.0)),
            inertia=tuple(r.uniform(0.1, 0.19, 3)),
            position=r.normal(size=3),
            euler=r.normal(size=3),
        )
        kind = ("revolute", "universal", "spherical", "translational", "cylindrical")[int(r.integers(5))]
        pair = (body, bodies[max(int(r.integers(len(bodies))), len(bodies) - 2)])
        getattr(m, kind)(*(pair if r.integers(2) else pair[::-1]), f"j{k}", at=r.normal(size=3), axis=r.normal(size=3))
        for _ in range(2):
            at = 0.5 * r.normal(size=3)
            m.spring_damper(
                m.marker(body, at=at),
                m.marker_at(m.ground, at + body.frame.origin + r.normal(size=3)),
                stiffness=float(r.uniform(40.0, 90.0)),
                damping=1.0,
                length=0.3,
            )
        bodies.append(body)
    if seed % 2:
        m.spherical(bodies[-1], bodies[-3], "closing", at=r.normal(size=3))
    driven = m.part("wheel", 1.0, (0.1, 0.1, 0.1), (0, 0, 2))
    turn = m.revolute(driven, m.ground, "turn", at=(0, 0, 2), axis=(0, 1, 0))
    m.motion(turn, "0.4")
    m.spring_damper(m.marker(driven, at=(0.3, 0, 0)), m.marker(bodies[-1]), stiffness=20.0, damping=0.1, length=0.5)
    return m


@pytest.mark.parametrize("seed", range(4))
def test_random_mechanisms_rest_as_all_bodies_do(seed):
    """Positions and reactions; and Newton's method of all bodies, from this equilibrium, does not move them."""
    m = random_mechanism(seed)
    run = settled(m)
    assert JOINT in run.info["messages"], run.info["messages"]
    sim = hn.Simulation(m, progress=False)
    sim.statics(coordinates="joint")
    there = sim.y.copy()
    sim.statics()
    np.testing.assert_allclose(sim.y, there, atol=1e-9)
    other = settled(m, "maximal")
    for k in range(5):
        a, b = (x.part(f"b{k}").position.values[0] for x in (run, other))
        np.testing.assert_allclose(a, b, atol=1e-8)
    for name in ("j0", "j4", "turn"):
        a, b = (x.joint(name).force.values[0] for x in (run, other))
        np.testing.assert_allclose(a, b, atol=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_stiffness_is_the_derivative_of_the_forces(seed):
    """With multipliers of the rows over the tree, at random coordinates."""
    r = np.random.default_rng(seed)
    search = JointEquilibrium(System(random_mechanism(seed)))
    joints = search.joints
    q, _ = joints.from_state(joints.system.y0)
    q = joints.moved(q, 0.3 * r.normal(size=joints.nv))
    multipliers = np.zeros(joints.system.m)
    multipliers[search.rows] = 5.0 * r.normal(size=len(search.rows))
    _, K = joints.balance(q, multipliers, 0.0)
    h = 1e-5
    for d in np.eye(joints.nv):
        there, back = (joints.balance(joints.moved(q, s * h * d), multipliers, 0.0)[0] for s in (1.0, -1.0))
        np.testing.assert_allclose((back - there) / (2 * h), K @ d, atol=2e-7 * np.abs(K).max())


def test_standing_up_is_left_for_hanging_and_turns_are_counted():
    m = hn.Model("upright")
    m.gravity = (0, 0, -9.81)
    arm = m.part("arm", 1.0, (0.1, 0.1, 0.1), (0, 0, 0.5))
    pin = m.revolute(arm, m.ground, "pin", at=(0, 0, 0), axis=(0, 1, 0))
    m.torsion_spring(pin.i, pin.j, stiffness=1e-3, damping=0.1)
    run = settled(m)
    assert run.part("arm").position.values[0, 2] == pytest.approx(-0.5, abs=1e-6)
    wound = hn.Model("wound")
    wheel = wound.part("wheel", 1.0, (0.1, 0.1, 0.1))
    axle = wound.revolute(wheel, wound.ground, "axle", at=(0, 0, 0), axis=(0, 0, 1))
    wound.torsion_spring(axle.i, axle.j, stiffness=2.0, damping=0.1, angle=9.0)
    run = settled(wound)
    assert run.joint("axle").angle.values[0] == pytest.approx(9.0, abs=1e-9)


def test_forces_without_a_potential():
    """A force that follows its part: K is not symmetric.  Two rods pushed along the second: the closed form is that of
    moments about both pins."""
    m = hn.Model("pushed")
    a = m.part("a", 1.0, (0.1, 0.1, 0.1), (0.5, 0, 0))
    b = m.part("b", 1.0, (0.1, 0.1, 0.1), (1.5, 0, 0))
    one = m.revolute(a, m.ground, "one", at=(0, 0, 0), axis=(0, 0, 1))
    two = m.revolute(b, a, "two", at=(1, 0, 0), axis=(0, 0, 1))
    for pin in (one, two):
        m.torsion_spring(pin.i, pin.j, stiffness=2.0, damping=0.1)
    tip = m.marker_at(b, (2, 0, 0))
    m.vforce(tip, None, fx="-0.6", fy="0.3", rm=tip)
    run = settled(m)
    alpha, beta = run.joint("one").angle.values[0], run.joint("two").angle.values[0]
    assert JOINT in run.info["messages"]
    assert 2.0 * beta == pytest.approx(0.3, abs=1e-9)
    moment = 0.3 + 0.3 * math.cos(beta) - 0.6 * math.sin(beta)
    assert 2.0 * alpha == pytest.approx(moment, abs=1e-9)


def test_what_is_not_carried_rests_in_maximal_coordinates():
    m = rods(2, 0.5, closed=False)
    ball, floor = (
        m.sphere(m.part("ball", 1.0, (0.1, 0.1, 0.1), (3, 0, 1)), (3, 0, 1), 0.1),
        m.plane(m.ground, (0, 0, 0), (0, 0, 1)),
    )
    m.contact(ball, floor, "impact", stiffness=1e5, damping=10.0)
    assert "statics: maximal coordinates: contacts act" in settled(m).info["messages"]
    m = rods(2, 0.5, closed=False)
    m.diff("1.0 - 2.0*DIF(1)", name="lag")
    said = settled(m, "auto").info["messages"]
    assert "statics: maximal coordinates: there are states of differential equations" in said
    with pytest.raises(hn.ModelError, match="COORDINATES = minimal is not one of maximal, joint, auto"):
        settled(m, "minimal")
    assert "statics: joint coordinates: 2 freedoms" in settled(rods(2, 0.5, closed=False), "auto").info["messages"]
    flying = hn.Model("flying")
    flying.gravity = (0, 0, -9.81)
    flying.part("stone", 1.0, (0.1, 0.1, 0.1))
    with pytest.raises(hn.ModelError, match="nothing holds"):
        settled(flying)


def test_a_sequence_states_its_coordinates_once():
    m = hn.Model("slow")
    arm = m.part("arm", 1.0, (0.1, 0.1, 0.1), (0.5, 0, 0))
    pin = m.revolute(arm, m.ground, "pin", at=(0, 0, 0), axis=(0, 1, 0))
    m.torsion_spring(pin.i, pin.j, stiffness=2.0, damping=0.1)
    m.sforce(pin.i, pin.j, "2.0*TIME", kind="ROTATIONAL")
    sim = hn.Simulation(m, progress=False)
    sim.quasistatics(end=10.0, steps=5, coordinates="joint")
    np.testing.assert_allclose(sim.run().joint("pin").angle.values, sim.run().time, atol=1e-9)
    assert sum(text == JOINT for text in sim.run().info["messages"]) == 1
