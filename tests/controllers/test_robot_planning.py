"""Trajectories, paths, the quickest motion along a path and controllers of robots, against closed forms and toppra."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import holonom as hn
from holonom import Model, ModelError
from holonom.control import (
    ComputedTorque,
    GravityCompensation,
    HybridControl,
    Impedance,
    arc,
    follow_path,
    joint_path,
    line,
    quintic,
    spline,
    time_optimal,
    trapezoid,
)
from holonom.model.orientation import Frame, turned


def arm(damping=0.0):
    """Two links in the vertical plane, 1 kg and 0.5 m each."""
    m = Model("arm")
    m.gravity = (0, 0, -9.81)
    parent, markers = m.ground, []
    for k in range(2):
        link = m.part(f"link{k}", 1.0, (0.02, 0.02, 0.001), (0, 0, 0.25 + 0.5 * k))
        joint = m.revolute(link, parent, f"j{k}", at=(0, 0, 0.5 * k), axis=(0, 1, 0))
        markers.append((joint.i, joint.j))
        if damping:
            m.sforce(joint.i, joint.j, f"-{damping}*WZ({joint.i},{joint.j},{joint.j})", kind="ROTATIONAL")
        parent = link
    return m, m.marker_at(parent, (0, 0, 1.0)), markers


def test_trapezoid_is_the_quickest_within_its_limits():
    long = trapezoid([0.0, 1.0], [3.0, 0.0], speed=[1.0, 2.0], acceleration=[2.0, 4.0])
    assert long.duration == pytest.approx(3.0 / 1.0 + 1.0 / 2.0)
    short = trapezoid(0.0, 0.1, speed=1.0, acceleration=2.0)
    assert short.duration == pytest.approx(2.0 * np.sqrt(0.1 / 2.0))  # bang and bang
    t, q, v, a = long.sample(2001)
    assert np.abs(v).max(axis=0) == pytest.approx([1.0, 1.0 / 3.0])
    assert np.abs(a).max(axis=0) == pytest.approx([2.0, 2.0 / 3.0])
    assert q[0] == pytest.approx([0.0, 1.0]) and q[-1] == pytest.approx([3.0, 0.0])
    assert np.abs(np.gradient(q, t, axis=0) - v)[1:-1].max() < 2e-3
    assert long(9.0)[0] == pytest.approx([3.0, 0.0]) and not long(9.0)[1].any()
    assert trapezoid(1.0, 1.0, speed=1.0, acceleration=1.0).duration == 0.0


def test_polynomials_pass_their_points():
    one = quintic([0.0, 2.0], [0.0, 4.0])
    x = np.linspace(0.0, 1.0, 11)
    q, v, a = one(4.0 * x)
    assert q[:, 0] == pytest.approx(2.0 * (10 * x**3 - 15 * x**4 + 6 * x**5))
    assert v[:, 0] == pytest.approx(2.0 * (30 * x**2 - 60 * x**3 + 30 * x**4) / 4.0)
    assert a[:, 0] == pytest.approx(2.0 * (60 * x - 180 * x**2 + 120 * x**3) / 16.0)
    points, times = np.random.default_rng(1).normal(size=(5, 3)), [0.0, 0.5, 1.5, 1.75, 3.0]
    for make in (quintic, spline):
        motion = make(points, times)
        q, v, a = motion(times)
        assert np.abs(q - points).max() < 1e-12
        assert np.abs(v[[0, -1]]).max() < 1e-12 and np.abs(a[[0, -1]]).max() < 1e-11
    jerk = [spline(points, times)(1.5 + h)[2] - spline(points, times)(1.5)[2] for h in (1e-6, -1e-6)]
    assert np.abs(jerk[0] + jerk[1]).max() < 1e-8  # continuous jerk


def test_lines_and_arcs_of_a_frame():
    a, b = Frame(np.zeros(3), np.eye(3)), Frame(np.array([1.0, 2, 3]), turned(np.array([0, 0, 1.0]), 1.0))
    path = line(a, b)
    assert path(0.25).origin == pytest.approx([0.25, 0.5, 0.75])
    assert path(0.25).axes == pytest.approx(turned(np.array([0, 0, 1.0]), 0.25))
    path = arc(Frame(np.array([2.0, 0, 1]), np.eye(3)), (1.0, 1.0, 1.0), (1.0, -1.0, 1.0))  # about (1, 0, 1)
    points = np.array([path(s).origin for s in np.linspace(0, 1, 9)])
    assert np.linalg.norm(points - [1, 0, 1], axis=1) == pytest.approx(np.ones(9))
    assert points[-1] == pytest.approx([1, -1, 1]) and points[3] == pytest.approx(
        [1 - np.sin(np.pi / 16), *points[3, 1:]]
    )
    with pytest.raises(ModelError, match="on one straight line"):
        arc(a, (1, 0, 0), (2, 0, 0))


def test_joints_follow_a_path():
    m, tip, _ = arm()
    start = Frame(np.array([0.5, 0.0, 0.5]), np.eye(3))
    path = line(start, Frame(np.array([0.7, 0.0, 0.2]), np.eye(3)))
    point = lambda s: path(s).origin
    q = follow_path(m, tip, point, count=11, start=[0.5, 1.0])
    joints = hn.JointCoordinates(m)
    for s, one in zip(np.linspace(0, 1, 11), q):
        assert joints.frame(tip, one).origin == pytest.approx(point(s), abs=1e-9)
    with pytest.raises(ModelError, match="cannot follow the path at s = "):
        follow_path(m, tip, lambda s: np.array([0.5 + s, 0.0, 0.5]), count=11, start=[0.5, 1.0])


def test_quickest_motion_against_closed_forms_and_toppra():
    straight = joint_path([[0.0], [3.0]])
    assert time_optimal(straight, acceleration=2.0).duration == pytest.approx(2.0 * np.sqrt(1.5), rel=1e-9)
    assert time_optimal(straight, speed=1.0, acceleration=2.0).duration == pytest.approx(3.5, rel=2e-3)
    # toppra 0.6.10, discretisation by interpolation, cubic spline through the same points on the same grid
    path = joint_path(np.random.default_rng(4).normal(size=(5, 7)))
    assert time_optimal(path, acceleration=4.0).duration == pytest.approx(6.0110395, rel=1e-5)
    found = time_optimal(path, speed=1.5, acceleration=4.0)
    assert found.duration == pytest.approx(8.9814549, rel=1e-5)
    _, q, v, a = found.trajectory.sample(500)
    assert np.abs(v).max() < 1.5 * 1.005 and np.abs(a).max() < 4.0 * 1.05
    assert q[-1] == pytest.approx(path(1.0)[0])


@pytest.mark.parametrize("damping", [0.0, 3.0])
def test_quickest_motion_within_efforts(damping):
    m, _, _ = arm(damping)
    joints = hn.JointCoordinates(m)
    path = joint_path([[0.0, 0.0], [0.6, 1.0], [1.2, 0.5]])
    found = time_optimal(path, effort=[30.0, 8.0], joints=joints)
    t = found.times[:-1] + 0.5 * np.diff(found.times)
    used = np.abs(found.efforts(t)) / [30.0, 8.0]
    assert used.max() < 1.02
    assert np.quantile(used.max(axis=1), 0.1) > 0.97  # one limit is always used
    assert time_optimal(path, effort=[60.0, 16.0], joints=joints).duration < found.duration
    with pytest.raises(ModelError, match="the limits cannot be met at s = "):
        time_optimal(path, effort=[3.0, 8.0], joints=joints)  # too weak for the weight


def test_computed_torque_gives_its_error_equation():
    m, _, _ = arm()
    joints = hn.JointCoordinates(m)
    motion = quintic([[0.0, 0.0], [1.0, -0.5]], [0.0, 1.0])
    control = ComputedTorque(joints, motion, kp=100.0, kd=20.0)
    q, v = np.array([0.2, 0.3]), np.array([-1.0, 0.5])
    aim, rate, acceleration = motion(0.4)
    got = joints.forward_dynamics(q, v, control(0.4, q, v))
    assert got == pytest.approx(acceleration + 20.0 * (rate - v) + 100.0 * (aim - q), abs=1e-9)


def test_simulation_under_computed_torque_stays_on_the_trajectory():
    """Sampled every millisecond: the error is that of the sampling, and from an error at the start it dies out as
    (1 + 20 t) exp(-20 t)."""
    m, _, markers = arm()
    inputs = []
    for k, (i, j) in enumerate(markers):
        inputs.append(m.input(f"torque{k}"))
        m.sforce(i, j, f"VARVAL({inputs[k].id})", kind="ROTATIONAL")
    plan, _, _ = arm()
    motion = quintic([[0.1, 0.0], [1.1, -0.5]], [0.0, 1.0])
    control = ComputedTorque(hn.JointCoordinates(plan), motion, kp=400.0, kd=40.0)
    sim = hn.Simulation(m)
    sim.open(integrator="RK4", step=1e-3)
    ask = [f(i, j) for i, j in markers for f in (lambda i, j: f"AZ({i},{j})", lambda i, j: f"WZ({i},{j},{j})")]
    errors = []
    for k in range(1000):
        now = sim.output(ask)
        q, v = np.array(now[0::2]), np.array(now[1::2])
        errors.append(motion(1e-3 * k)[0] - q)
        for name, effort in zip(("torque0", "torque1"), control(1e-3 * k, q, v)):
            sim.set_input(name, effort)
        sim.advance((k + 1) * 1e-3)
    errors = np.array(errors)
    t = 1e-3 * np.arange(1000)
    assert np.abs(errors[:, 0] - 0.1 * (1 + 20 * t) * np.exp(-20 * t)).max() < 3e-3
    assert np.abs(errors[-1]).max() < 1e-3


def test_weight_is_carried_and_springs_of_the_tip_are_met():
    m, tip, _ = arm(damping=0.5)
    joints = hn.JointCoordinates(m)
    rest = GravityCompensation(joints, aim=[0.8, 0.4], kp=50.0, kd=10.0)
    end = solve_ivp(
        lambda t, x: np.concatenate([x[2:], joints.forward_dynamics(x[:2], x[2:], rest(t, x[:2], x[2:]))]),
        (0, 6), np.zeros(4), rtol=1e-9, atol=1e-9,
    ).y[:, -1]  # fmt: skip
    assert end == pytest.approx([0.8, 0.4, 0.0, 0.0], abs=1e-5)
    q = np.array([0.5, 0.9])
    place, J = joints.frame(tip, q).origin, joints.jacobian(tip, q)[:3]
    soft = Impedance(joints, tip, aim=place + [0.01, 0, 0], stiffness=(1000.0, 0, 500.0), damping=(20.0, 0, 20.0))
    assert soft(0.0, q, np.zeros(2)) - joints.bias(q, np.zeros(2)) == pytest.approx(J.T @ [10.0, 0, 0])


def many_links(count):
    """Links of 1 kg and 0.5 m in the vertical plane."""
    m = Model("many links")
    m.gravity = (0, 0, -9.81)
    parent = m.ground
    for k in range(count):
        link = m.part(f"link{k}", 1.0, (0.02, 0.02, 0.001), (0, 0, 0.25 + 0.5 * k))
        m.revolute(link, parent, f"j{k}", at=(0, 0, 0.5 * k), axis=(0, 1, 0))
        parent = link
    return hn.JointCoordinates(m), m.marker_at(parent, (0, 0, 0.5 * count))


@pytest.mark.parametrize("links", [2, 3])
def test_hybrid_control_draws_on_an_elastic_wall(links):
    """Against the closed forms of two oscillators with critical damping, whatever the arm does."""
    joints, tip = many_links(links)
    axes = np.array([[0.8, 0, 0.6], [0, 1, 0], [-0.6, 0, 0.8]])
    along, normal = axes[:, 2], axes[:, 0]
    begin = np.array([0.5, 1.2, -0.4][:links])
    touch = joints.frame(tip, begin).origin
    stiffness, w, u, wanted = 2000.0, 8.0, 12.0, 25.0
    off = 0.01  # m from the path at the start
    path = lambda t: (
        touch + along * (0.05 * np.sin(2.0 * t) - off),
        along * 0.1 * np.cos(2.0 * t),
        along * -0.2 * np.sin(2.0 * t),
    )
    control = HybridControl(
        joints, tip, path, force=wanted * normal, pressed=[True, False, False], axes=axes,
        kp=w * w, kd=2.0 * w, kf=u * u / stiffness, kv=2.0 * u, rest=3.0,
    )  # fmt: skip
    pressing = lambda q: stiffness * normal @ (joints.frame(tip, q).origin - touch) * normal

    def rates(t, x):
        q, v = x[:links], x[links:]
        f = pressing(q)
        effort = control(t, q, v, f) - joints.jacobian(tip, q)[:3].T @ f  # the wall pushes back
        return np.concatenate([v, joints.forward_dynamics(q, v, effort)])

    start = np.concatenate([begin, np.zeros(links)])
    times = np.linspace(0.0, 0.5, 6)
    found = solve_ivp(rates, (0, 0.5), start, t_eval=times, method="DOP853", rtol=1e-10, atol=1e-12).y.T
    for t, x in zip(times, found):
        q = x[:links]
        error = along @ (path(t)[0] - joints.frame(tip, q).origin)
        assert error == pytest.approx((-off + (0.1 - w * off) * t) * np.exp(-w * t), abs=1e-8)
        assert wanted - normal @ pressing(q) == pytest.approx(wanted * (1.0 + u * t) * np.exp(-u * t), abs=1e-5)
    if links == 3:  # motions that leave the tip where it is are damped, across those that move it
        q, v = found[-1, :3], found[-1, 3:]
        still = np.linalg.svd(joints.jacobian(tip, q)[[0, 2]])[2][2] @ joints.mass_matrix(q)
        assert abs(still @ v) > 1e-4
        assert still @ rates(0.5, found[-1])[3:] == pytest.approx(-3.0 * still @ v, rel=1e-9)
    assert control(0.2, begin, np.zeros(links)) == pytest.approx(
        HybridControl(
            joints, tip, path, lambda t: wanted * normal, (True, False, False), w * w, 2 * w, u * u / stiffness, 2 * u,
            axes, 3.0,
        )(0.2, begin, np.zeros(links))
    )  # fmt: skip


def test_hybrid_control_says_what_to_give():
    joints, tip = many_links(2)
    given = dict(
        joints=joints, marker=tip, path=None, force=np.zeros(3), pressed=[True, False, False], kp=1, kd=1, kf=1, kv=1
    )
    for wrong, match in (
        ({"kf": -1.0}, "kf must be"),
        ({"rest": -1.0}, "rest must be"),
        ({"axes": np.ones((3, 3))}, "axes must be three unit vectors"),
        ({"pressed": [1.0, 0.0, 0.0]}, "True or False for each of three axes"),
    ):
        with pytest.raises(ModelError, match=match):
            HybridControl(**(given | wrong))


def test_errors_say_what_to_give():
    path = joint_path([[0.0, 0.0], [1.0, 1.0]])
    m, _, _ = arm()
    for call, match in (
        (lambda: trapezoid(0.0, 1.0, speed=0.0, acceleration=1.0), "speed must be positive"),
        (lambda: quintic([0.0, 1.0], [0.0]), "as many times"),
        (lambda: quintic([0.0, 1.0], [0.5, 1.0]), "begin at zero"),
        (lambda: joint_path([[0.0], [0.0]]), "same point twice"),
        (lambda: time_optimal(path), "give a limit"),
        (lambda: time_optimal(path, effort=1.0), "needs joints"),
        (lambda: time_optimal(path, speed=-1.0), "must be positive"),
        (
            lambda: ComputedTorque(hn.JointCoordinates(m), trapezoid([0, 0], [1, 1], 1, 1), kp=-1.0, kd=1.0),
            "kp must be",
        ),
    ):
        with pytest.raises(ModelError, match=match):
            call()
