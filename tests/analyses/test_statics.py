"""Static equilibrium against closed forms."""

import numpy as np
import pytest

import holonom as hn


def test_mass_on_a_spring_hangs_at_m_g_over_k():
    m = hn.Model()
    m.gravity = (0, 0, -9.81)
    p = m.part("mass", 2.0, (1, 1, 1), position=(0, 0, -1.0))
    top = m.marker(m.ground, (0, 0, 0))
    m.translational(p, m.ground, at=(0, 0, -1), axis=(0, 0, 1))
    m.spring_damper(p.cm, top, stiffness=100, length=1.0, damping=1)
    run = hn.simulate(m, kind="statics")
    assert run.part("mass").position.values[0, 2] == pytest.approx(-1 - 2 * 9.81 / 100, abs=1e-9)


def test_double_pendulum_finds_the_stable_equilibrium_from_the_horizontal():
    m = hn.Model()
    m.gravity = (0, -10, 0)
    a = m.part("a", 1.0, (1, 1, 1), position=(0.5, 0, 0))
    b = m.part("b", 1.0, (1, 1, 1), position=(1.5, 0, 0))
    m.revolute(a, m.ground, "J1", at=(0, 0, 0), axis=(0, 0, 1))
    m.revolute(b, a, "J2", at=(1, 0, 0), axis=(0, 0, 1))
    m.sforce(a.cm, b.cm, "0")
    run = hn.simulate(m, kind="statics")
    np.testing.assert_allclose(run.part("b").position.values[0], [0, -1.5, 0], atol=1e-8)
    np.testing.assert_allclose(run.joint("J1").force.values[0], [0, 20, 0], atol=1e-7)


def test_lever_on_a_torsion_spring_balances():
    m = hn.Model()
    m.gravity = (0, -10, 0)
    a = m.part("a", 1.0, (1, 1, 1), position=(0.5, 0, 0))
    j = m.revolute(a, m.ground, at=(0, 0, 0), axis=(0, 0, 1))
    m.torsion_spring(j.i, j.j, stiffness=20, damping=1)
    x = hn.simulate(m, kind="statics").part("a").position.values[0]
    theta = np.arctan2(x[1], x[0])
    assert 20 * theta + 0.5 * 10 * np.cos(theta) == pytest.approx(0.0, abs=1e-7)


def test_quasistatics_follows_a_slow_load():
    m = hn.Model()
    p = m.part("mass", 2.0, (1, 1, 1), position=(0, 0, 0))
    m.translational(p, m.ground, at=(0, 0, 0), axis=(0, 0, 1))
    top = m.marker(m.ground, (0, 0, 3))
    m.spring_damper(p.cm, top, stiffness=50, length=3.0, damping=1)
    m.vforce(p.cm, None, "0", "0", "10*TIME")
    run = hn.simulate(m, end=2.0, steps=4, kind="quasistatics")
    np.testing.assert_allclose(run.part("mass").position.values[:, 2], 10 * run.time / 50, atol=1e-8)


def test_a_machine_without_equilibrium_says_which_body_finds_no_balance():
    m = hn.Model()
    p = m.part("sled", 2.0, (1, 1, 1), position=(0, 0, 0))
    m.translational(p, m.ground, at=(0, 0, 0), axis=(0, 0, 1))
    m.vforce(p.cm, None, "0", "0", "10")
    with pytest.raises(hn.ModelError, match="sled"):
        hn.simulate(m, kind="statics", maxit=20)


def truss(height, load):
    """Von Mises' truss: a mass guided up and down between two inclined springs, and a dead load on it."""
    m = hn.Model()
    p = m.part("apex", 1.0, (1, 1, 1), position=(0, 0, height))
    m.translational(p, m.ground, at=(0, 0, height), axis=(0, 0, 1))
    for x in (-1.0, 1.0):
        m.spring_damper(
            p.cm, m.marker(m.ground, (x, 0, 0)), stiffness=1000.0, length=float(np.hypot(1.0, height)), damping=1
        )
    m.vforce(p.cm, None, "0", "0", f"{-load}")
    return m


def truss_force(z, height):
    """Upward force of the springs at height z."""
    length = np.hypot(1.0, z)
    return -2 * 1000.0 * (length - np.hypot(1.0, height)) * z / length


def test_snap_through():
    """Beyond the limit load there is no equilibrium but the one with the apex below: found, and on the right branch."""
    height = 0.3
    z = np.linspace(-1, height, 20001)
    limit = truss_force(z, height)[z > 0].max()
    load = 1.2 * limit
    below = z[z < -height][np.argmin(np.abs(truss_force(z[z < -height], height) - load))]
    found = hn.simulate(truss(height, load), kind="statics").part("apex").position.values[0, 2]
    assert found == pytest.approx(below, abs=1e-4)
    assert truss_force(found, height) == pytest.approx(load, rel=1e-6)
    shallow = hn.simulate(truss(height, 0.5 * limit), kind="statics").part("apex").position.values[0, 2]
    assert 0 < shallow < height and truss_force(shallow, height) == pytest.approx(0.5 * limit, rel=1e-6)


def test_the_path_of_arc_length_turns_at_limit_points():
    """The third route alone, on the truss: s goes up to the limit load, back, and up again to where the apex hangs
    below."""
    from holonom.analyses.statics import equilibrium as statics

    simulation = hn.Simulation(truss(0.3, 30.0))
    system = simulation.prepare("statics")
    limit = truss_force(np.linspace(0, 0.3, 2001), 0.3).max()
    assert limit < 30.0
    problem = statics._Problem(system)
    path = []
    original = statics._correct

    def watched(*args):
        point = original(*args)
        if point is not None:
            path.append((args[3] + point[1], point[0][2]))
        return point

    statics._correct = watched
    try:
        y, steps = statics.follow(problem, 0.0, simulation.y.copy(), 100)
    finally:
        statics._correct = original
    s = np.array(path)[:, 0]
    assert (np.diff(s) < 0).any() and s[-1] == pytest.approx(1.0)
    assert max(s[: np.argmax(np.diff(s) < 0) + 1]) == pytest.approx(limit / 30.0, abs=0.05)
    for value, z in path:  # every point is an equilibrium of the load s * 30
        assert truss_force(z, 0.3) == pytest.approx(30.0 * value, abs=1e-4)
    assert truss_force(y[2], 0.3) == pytest.approx(30.0, rel=1e-6) and y[2] < -0.3


def test_inverted_pendulum_on_a_weak_spring_falls_to_where_it_holds():
    m = hn.Model()
    m.gravity = (0, -10, 0)
    theta0 = 0.02  # from upright
    a = m.part("a", 1.0, (1, 1, 1), position=(np.sin(theta0), np.cos(theta0), 0))
    j = m.revolute(a, m.ground, at=(0, 0, 0), axis=(0, 0, 1))
    m.torsion_spring(j.i, j.j, stiffness=5.0, damping=1)
    run = hn.simulate(m, kind="statics")
    assert any("the equilibrium found is unstable" in text for text in run.info["messages"])
    x = run.part("a").position.values[0]
    theta = np.arctan2(x[0], x[1])
    assert abs(theta) > 1.0  # not the upright one, which is unstable: 5 < m g l = 10
    assert abs(5.0 * (theta - theta0)) == pytest.approx(abs(10.0 * np.sin(theta)), abs=1e-6)


def test_nothing_holds_a_free_body():
    m = hn.Model()
    m.gravity = (0, 0, -9.81)
    m.part("stone", 2.0, (1, 1, 1), position=(0, 0, 1.0))
    held = m.part("lamp", 1.0, (1, 1, 1), position=(1, 0, 0))
    m.fixed(held, m.ground, at=(1, 0, 0))
    with pytest.raises(
        hn.ModelError,
        match=r"nothing holds PART/2 'stone' against moving along the ground's -z axis.*\(1\).*\(2\).*\(3\)",
    ):
        hn.simulate(m, kind="statics", maxit=10)


def test_nothing_holds_a_wheel_that_is_driven():
    m = hn.Model()
    wheel = m.part("wheel", 2.0, (1, 1, 1))
    j = m.revolute(wheel, m.ground, at=(0, 0, 0), axis=(0, 0, 1))
    m.sforce(j.i, j.j, "3", kind="ROTATIONAL")
    with pytest.raises(hn.ModelError, match="nothing holds PART/2 'wheel' against turning about its -?z axis"):
        hn.simulate(m, kind="statics", maxit=10)


def test_dampers_add_nothing_to_equilibria_of_driven_machines():
    """A slide is driven at 0.1 m/s and pulls another by a spring of 100 N/m with a damper of 600 N s/m against a spring
    of 4 N/m: both carry the same."""
    m = hn.Model("slides")
    m.gravity = (0, 0, 0)
    parts = [m.part(name, 1.0, (1, 1, 1), (x, 0, 0)) for x, name in enumerate(("driven", "pulled"))]
    rails = [m.translational(p, m.ground, at=(x, 0, 0), axis=(1, 0, 0)) for x, p in enumerate(parts)]
    m.motion(rails[0], "0.1*TIME", name="drive")
    m.spring_damper(m.marker(parts[1]), m.marker(parts[0]), stiffness=100.0, damping=600.0, length=1.0, name="link")
    m.spring_damper(
        m.marker(parts[1]), m.marker_at(m.ground, (2, 0, 0)), stiffness=4.0, damping=0.0, length=1.0, name="back"
    )
    sim = hn.Simulation(m)
    sim.quasistatics(end=1.0, steps=4)
    run = sim.run()
    series = 0.1 * run.time * 4.0 * 100.0 / 104.0
    for name in ("link", "back"):
        assert np.abs(run.spring(name).force.values[:, 0]) == pytest.approx(series, abs=1e-9)
    assert np.abs(run.motion("drive").force.values[:, 0]) == pytest.approx(series, abs=1e-9)
    sim.dynamics(end=1.1, steps=10)  # which begins with the speed of the drive
    assert sim.run().part("driven").velocity.values[-1, 0] == pytest.approx(0.1)


@pytest.mark.parametrize(("k", "force"), [(50.0, 5.0), (200.0, 5.0), (200.0, 30.0), (1e6, 30.0)])
def test_forces_that_cancel_to_roundoff(k, force):
    """A preload against the stiffness of its own spring: at the equilibrium, x = force / k, no force is left to compare
    others with."""
    model = hn.Model("preload", units="SI")
    body = model.part("block", mass=2.0, inertia=(1, 1, 1), position=(0.1, 0, 0))
    model.translational(body, model.ground, "slide", at=(0.1, 0, 0), axis=(1, 0, 0))
    model.spring_damper(body.cm, model.marker(model.ground, (-1, 0, 0)), stiffness=k, length=1.0, force=force)
    sim = hn.Simulation(model)
    sim.statics()
    assert sim.state["block"].position[0] == pytest.approx(force / k, rel=1e-12)
