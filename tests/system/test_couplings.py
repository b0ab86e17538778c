"""Gears, couplers, screws, racks, shaft joints, general and user constraints against closed forms."""

import numpy as np
import pytest

from holonom import Model, ModelError, Simulation, simulate

run_of = lambda m, end=1.0, **more: simulate(m, end=end, steps=40, integrator="DOP853", error=1e-9, **more)
ISO = (0.1, 0.1, 0.1)
wz = lambda run, name: run.part(name).angular_velocity.values[:, 2]


def shafts(n, axes=None):
    m = Model("shafts")
    parts = [m.part(f"s{k}", 1.0, ISO, position=(k, 0, 0)) for k in range(n)]
    joints = [m.revolute(p, m.ground, at=(k, 0, 0), axis=(axes or [(0, 0, 1)] * n)[k]) for k, p in enumerate(parts)]
    return m, parts, joints


def test_couplers():
    """Two: q0 = 3 q1.  Three: q0 + q1 = q2."""
    m, _, q = shafts(2)
    m.coupler(q, [1.0, -3.0])
    m.motion(q[0], "TIME**2")
    run = run_of(m)
    np.testing.assert_allclose(3 * wz(run, "s1"), 2 * np.asarray(run.time), atol=1e-9)
    m, _, q = shafts(3)
    m.coupler(q, [1.0, 1.0, -1.0])
    m.motion(q[0], "TIME**2")
    m.motion(q[1], "SIN(TIME)")
    run = run_of(m)
    t = np.asarray(run.time)
    np.testing.assert_allclose(wz(run, "s2"), 2 * t + np.cos(t), atol=1e-9)


def test_gear():
    """Pitch radii 0.4 and 0.6: w1 = -w0 * 0.4/0.6."""
    m, _, q = shafts(2)
    cv = m.marker(m.ground, at=(0.4, 0, 0), z=(0, 1, 0))
    m.gear(q[0], q[1], cv)
    m.motion(q[0], "TIME**2")
    run = run_of(m)
    np.testing.assert_allclose(wz(run, "s1"), -2 * np.asarray(run.time) * 0.4 / 0.6, atol=1e-9)


def test_screw():
    """A nut let continue a vertical screw: m_eff = m + J (2 pi / p)^2."""
    m = Model("screw")
    m.gravity = (0, 0, -9.81)
    b = m.part("b", 2.0, (0.1, 0.1, 0.05))
    m.screw(b, m.ground, 0.5, at=(0, 0, 0), axis=(0, 0, 1))
    run = run_of(m)
    k = 2 * np.pi / 0.5
    a = -9.81 * 2.0 / (2.0 + 0.05 * k**2)
    t = np.asarray(run.time)
    np.testing.assert_allclose(run.part("b").position.values[:, 2], 0.5 * a * t**2, atol=1e-8)
    np.testing.assert_allclose(wz(run, "b"), k * a * t, atol=1e-7)


def test_rack_and_pinion():
    m = Model("rack")
    p, r = m.part("pinion", 1.0, ISO), m.part("rack", 1.0, ISO, position=(0, -0.2, 0))
    q = m.revolute(p, m.ground, at=(0, 0, 0), axis=(0, 0, 1))
    m.translational(r, m.ground, at=(0, -0.2, 0), axis=(1, 0, 0))
    m.rack_and_pinion(m.marker(p, z=(0, 0, 1), x=(1, 0, 0)), m.marker(r, z=(1, 0, 0)), 0.4)
    m.motion(q, "TIME**2")
    run = run_of(m)
    np.testing.assert_allclose(
        np.abs(run.part("rack").velocity.values[:, 0]), 0.2 * 2 * np.asarray(run.time), atol=1e-8
    )


def bent(kind, beta=0.5):
    """Two shafts at an angle in the xz plane, the first driven at 4 rad/s."""
    m = Model("bent")
    d1, d2 = np.array([0, 0, 1.0]), np.array([np.sin(beta), 0, np.cos(beta)])
    a, b = m.part("a", 1.0, ISO, position=(0, 0, -1)), m.part("b", 1.0, ISO, position=tuple(d2))
    q = m.revolute(a, m.ground, at=(0, 0, -1), axis=tuple(d1))
    m.cylindrical(b, m.ground, at=tuple(d2), axis=tuple(d2))
    y = (0, 1, 0)
    if kind == "UNIVERSAL":
        m.universal(m.marker_at(a, (0, 0, 0), z=(1, 0, 0)), m.marker_at(b, (0, 0, 0), z=y))
    else:
        x2 = tuple(np.cross(y, d2))
        i, j = m.marker_at(a, (0, 0, 0), z=tuple(d1), x=(1, 0, 0)), m.marker_at(b, (0, 0, 0), z=tuple(d2), x=x2)
        m.joint(kind, i, j)
    m.motion(q, "4*TIME")
    run = run_of(m)
    return 4 * np.asarray(run.time), run.part("b").angular_velocity.values @ d2, beta


def test_shaft_joints():
    """Constant velocity: equal spin.  One cross: w2/w1 = cos b / (1 - sin^2 b sin^2 theta), theta from where the
    driving arm is perpendicular to the plane of the shafts; here it starts in the plane."""
    _, w, _ = bent("CONVEL")
    np.testing.assert_allclose(w, 4.0, atol=1e-7)
    for kind in ("HOOKE", "UNIVERSAL"):
        theta, w, beta = bent(kind)
        np.testing.assert_allclose(w, 4 * np.cos(beta) / (1 - (np.sin(beta) * np.cos(theta)) ** 2), atol=1e-6)


def test_knife_edge():
    """A knife edge on a slope (GCON on velocities): Neimark and Fufaev's cycloid, x = g' / (2 w^2) sin^2 wt, y
    drifts."""
    m = Model("knife")
    g, w = 2.0, 3.0
    m.gravity = (g, 0, 0)
    b = m.part("b", 1.0, ISO, angular_velocity=(0, 0, w))
    m.planar(m.marker(b), m.marker(m.ground))
    i = m.marker(b)
    m.constraint(f"VY({i.id},0,{i.id})", i=i)
    run = run_of(m, end=2.0)
    t = np.asarray(run.time)
    p = run.part("b").position.values
    np.testing.assert_allclose(p[:, 0], g / (2 * w**2) * np.sin(w * t) ** 2, atol=1e-7)
    np.testing.assert_allclose(p[:, 1], g / (2 * w**2) * (w * t - 0.5 * np.sin(2 * w * t)), atol=1e-7)


def test_rolling_wheel():
    """An upright wheel of mass 2 rolls down a slope without slip (GCON): a = g / (1 + J / m r^2)."""
    m = Model("wheel")
    m.gravity = (3.0, 0, 0)
    b = m.part("b", 2.0, (0.1, 0.1, 0.16))
    i = m.marker(b)
    m.planar(i, m.marker(m.ground))
    m.constraint(f"VX({i.id}) - 0.4*WZ({i.id})", i=i)
    run = run_of(m)
    a = 3.0 / (1 + 0.16 / (2.0 * 0.16))
    np.testing.assert_allclose(run.part("b").velocity.values[:, 0], a * np.asarray(run.time), atol=1e-8)


def test_user_constraint():
    """A pendulum whose rod is a Python function (UCON) swings like one with a GCON."""

    def build(user):
        m = Model("pendulum")
        m.gravity = (0, -9.81, 0)
        b = m.part("b", 1.0, ISO, position=(1.0, 0, 0))
        i = m.marker(b)
        m.planar(i, m.marker(m.ground))
        if user:
            m.user_constraint(lambda call: call.measure("DM", i.id) - call.parameters[0], [1.0])
        else:
            m.constraint(f"DM({i.id}) - 1", i=i)
        return run_of(m)

    a, b = build(True).part("b"), build(False).part("b")
    np.testing.assert_allclose(a.position.values, b.position.values, atol=1e-5)
    np.testing.assert_allclose(a.acceleration.values, b.acceleration.values, atol=1e-3)


def test_a_constraint_may_follow_inputs_and_courses():
    """x = v(t) where v is a variable over time, plus an input that is set while the simulation is stepped."""
    m = Model("led")
    p = m.part("p", 1.0, ISO)
    m.translational(p, m.ground, at=(0, 0, 0), axis=(1, 0, 0))
    u, v = m.input("u"), m.variable("0.1*SIN(TIME)", "v")
    m.constraint(f"DX({p.cm})-VARVAL({v})-VARVAL({u})")
    run = simulate(m, end=1.0, steps=4)
    assert run.part("p").position.values[:, 0] == pytest.approx(0.1 * np.sin(run.time), abs=1e-9)
    sim = Simulation(m)
    sim.open(integrator="HHT")
    sim.set_input("u", 0.25)
    sim.advance(0.05)
    assert sim.run().part("p").position.values[-1, 0] == pytest.approx(0.25 + 0.1 * np.sin(0.05), abs=1e-9)
    m = Model("of nothing")
    p = m.part("p", 1.0, ISO)
    v = m.variable("TIME", "v")
    m.constraint(f"VARVAL({v})-1")
    with pytest.raises(ModelError, match="measures no moving marker"):
        simulate(m, end=1.0, steps=4)
