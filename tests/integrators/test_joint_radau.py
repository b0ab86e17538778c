"""RADAU5 in joint coordinates: its order, its derivatives by differences, and the same motion as in maximal
coordinates, for trees, loops, stiff springs and states."""

import numpy as np
import pytest
from _explicit_machines import heavy_top_exact
from _machines import heavy_top
from benchmarks.ladders import ladder
from test_joint_loops import polygon, random_mechanism
from test_joint_numbering import machine, pendulum
from tests.system._closed_chains import CLOSED_BY, closed_chain

import holonom as hn
from holonom.analyses.assemble import assemble
from holonom.integrators import Options, make_integrator
from holonom.integrators.joint_radau import JointRADAU5
from holonom.recursive.kernels import move_coordinates
from holonom.recursive.tree import tree_of
from holonom.system.build import System


def stepper(m, coordinates="joint", name="RADAU5", end=1.0, **options):
    system = System(m)
    y = assemble(system).y.copy()
    out = make_integrator(name, system, Options(**options, extra={"coordinates": coordinates}))
    out.start(0.0, y, end)
    return out


def through(m, end, **options):
    out = stepper(m, end=end, **options)
    while out.t < end:
        out.step(end)
    return out


def held_pendulum(stiffness, damping):
    """Two links, a hinge and a ball joint, the last held by a spring."""
    m, tip = pendulum(1)
    bob = m.part("bob", 1.0, (0.01, 0.02, 0.02), (1.5, 0, 0))
    m.spherical(bob, tip, "ball", at=(1, 0, 0))
    m.spring_damper(
        m.marker_at(bob, (2, 0, 0)), m.marker_at(m.ground, (2, 0, 2)), stiffness=stiffness, damping=damping, length=2.0
    )
    return m


@pytest.mark.parametrize("loop", [False, True])
def test_order_five(loop):
    """Halved steps leave a thirty-second of the error, in a tree with a ball and in a closed loop."""
    m = polygon((1.0, 2.0, 1.5), (1.2, 0.2, -1.5)) if loop else held_pendulum(50.0, 1.0)
    exact = through(m, 0.5, name="DOP853", error=1e-12).y
    errors = [
        np.abs(through(m, 0.5, hmin=h, hmax=h, fixed=True, error=1e-9, newton=1e-13).y - exact).max()
        for h in (0.05, 0.025)
    ]
    assert 20.0 < errors[0] / errors[1] < 50.0


@pytest.mark.parametrize("seed", range(2))
def test_derivatives_of_a_tree(seed):
    """Analytic ones against differences of the rates, with springs, dampers and driven hinges."""
    r = np.random.default_rng(seed)
    m = hn.Model("tree")
    m.gravity = (0.5, -1.0, -9.0)
    last = m.ground
    for k in range(5):
        body = m.part(
            f"b{k}",
            float(r.uniform(0.5, 3.0)),
            tuple(r.uniform(0.1, 0.19, 3)),
            r.normal(size=3),
            euler=r.normal(size=3),
        )
        kind = ("revolute", "spherical", "universal", "cylindrical", "revolute")[(k + seed) % 5]
        pair = (body, last) if r.integers(2) else (last, body)
        joint = getattr(m, kind)(*pair, f"j{k}", at=r.normal(size=3), axis=r.normal(size=3))
        if k == 4 - seed and kind == "revolute":
            m.motion(joint, "SIN(2*TIME)")
        a, b = m.marker(body, at=0.4 * r.normal(size=3)), m.marker(m.ground, at=r.normal(size=3))
        m.spring_damper(a, b, stiffness=80.0, damping=3.0, length=0.3)
        m.bushing(a, b, (50.0, 60.0, 70.0), (3.0, 4.0, 5.0), (2.0, 3.0, 1.0), (0.3, 0.2, 0.1))
        last = body
    check_derivatives(through(m, 0.05, error=1e-6))


def check_derivatives(s):
    """Analytic derivatives of the last step against differences of the rates."""
    assert isinstance(s, JointRADAU5) and s.Q.exact[0] == 1
    assert len(s.M.loops.row) > 0 or not tree_of(s.system).rest or s.M.drives.freedom.size
    tree, Q = s.M.tree, s.Q
    free = np.flatnonzero(tree.held == 0)
    base, Jq, Jw = Q.s1.copy(), Q.Jq.copy(), Q.Jw.copy()
    t = s.t_old + s.h_done * (4.0 + np.sqrt(6.0)) / 10.0

    def rates(x):
        s.stages.x[: len(x)], s.t = x, t
        assert s.rates(0) > 0.0
        return s.stages.K[0, tree.nq : tree.nq + tree.nv].copy()

    for J, first in ((Jq, True), (Jw, False)):
        for k in free:
            sides = []
            for sign in (1.0, -1.0):
                x = base.copy()
                d = np.zeros(tree.nv)
                d[k] = sign * 1e-5
                if first:
                    move_coordinates(tree, x[: tree.nq], d)
                else:
                    x[tree.nq : tree.nq + tree.nv] += d
                sides.append(rates(x))
            slope = (sides[0] - sides[1]) / 2e-5
            np.testing.assert_allclose(J[free, k], slope[free], atol=3e-6 * max(1.0, np.abs(J).max()))


@pytest.mark.parametrize("kind", CLOSED_BY)
def test_derivatives_of_loops(kind):
    """Every joint that may close a loop: what its forces and the acceleration that it requires change by."""
    check_derivatives(through(closed_chain(kind), 0.05, error=1e-6))


def test_derivatives_of_an_overconstrained_loop():
    """Rows that repeat others, as of a planar four-bar in space."""
    m = polygon((1.0, 2.0, 1.5), (1.2, 0.2, -1.5), spin=2.0)
    m.joints[1].armature = 0.3
    check_derivatives(through(m, 0.05, error=1e-6))


def test_derivatives_with_couplers_motions_and_drives():
    """Angles, distances and elevations as rows, motions of positions and velocities, drives of joints that close."""
    m = closed_chain("revolute", armature=0.7)
    m.motion(m.joints["closing"], "0.3*TIME**2", level="VELOCITY")
    check_derivatives(through(m, 0.05, error=1e-6))
    m = closed_chain("inplane")
    ends = [m.marker(m.parts[name]) for name in ("b01", "b11")]
    m.motion(i=ends[0], j=ends[1], component="B2", function="SIN(TIME)", level="ACCELERATION")
    m.joint("CONVEL", m.parts["b00"], m.ground, "even", at=(0.3, 0.2, 0.1), axis=(0, 0, 1))
    check_derivatives(through(m, 0.05, error=1e-6))
    m = hn.Model("coupled")
    m.gravity = (0, 0, -9.81)
    bodies = [m.part(f"w{k}", 1.0, (0.1, 0.2, 0.12), (k + 0.1, 0, 0.3)) for k in range(4)]
    pins = [m.revolute(w, m.ground, f"p{k}", at=(k, 0, 0), axis=(0, 1, 0.2 * k)) for k, w in enumerate(bodies[:2])]
    m.coupler(pins, [1.0, -2.0])
    bodies[0].wy = 1.0
    held = m.cylindrical(bodies[2], bodies[0], "slide", at=(2, 0, 0), axis=(1, 0, 1))
    m.spring_damper(m.marker_at(bodies[2], (2, 1, 0)), m.marker_at(m.ground, (2, 2, 0)), stiffness=40.0, length=0.3)
    m.motion(held, "0.3*TIME+0.1", level="VELOCITY", kind="TRANSLATIONAL")
    m.joint("SCREW", bodies[3], bodies[1], "screw", at=(3, 0, 0), axis=(0, 0, 1), pitch=0.2)
    m.primitive("INPLANE", bodies[3], m.ground, "floor", at=(3, 0.3, 0.2), axis=(0, 1, 1))
    check_derivatives(through(m, 0.05, error=1e-6))


def agree(m, tolerance, end=0.5, error=1e-9, columns=("",), **options):
    """Both numberings agree in the ``columns`` whose names begin so."""
    runs = [
        hn.simulate(m, end=end, steps=5, error=error, integrator="RADAU5", progress=False, coordinates=c, **options)
        for c in ("maximal", "joint")
    ]
    assert any(text.startswith("joint coordinates: requested") for text in runs[1].info["messages"])
    a, b = (vars(run.data) for run in runs)
    for name, x in a.items():
        if isinstance(x, np.ndarray) and x.dtype.kind == "f" and name.startswith(columns) and "solver" not in name:
            scale = max(1.0, np.nanmax(np.abs(x), initial=0.0))
            assert np.nanmax(np.abs(x - b[name]), initial=0.0) < tolerance * scale, name
    return runs


@pytest.mark.parametrize("seed", range(1))
def test_trees_and_loops_move_as_all_bodies_do(seed):
    """Positions, velocities, reactions, states, energies."""
    agree(machine(seed), 1e-6)
    agree(random_mechanism(seed), 1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10, 40))
def test_many_trees_and_loops(seed):
    agree(machine(seed, 3 + seed % 6, seed % 2 == 0), 1e-5)
    agree(random_mechanism(seed), 1e-4)


def test_a_stiff_machine_takes_long_steps():
    """A bushing of 1e7 N/m and 1e5 N s/m: accuracy, not stability, chooses the step; both numberings agree in what
    is not a force over that stiffness."""
    m = polygon((1.0, 2.0, 1.5), (1.2, 0.2, -1.5))
    rod = m.parts["rod1"]
    weight = m.part("weight", 0.5, (1e-3, 1e-3, 1e-3), rod.frame.origin)
    on = m.marker_at(weight, rod.frame.origin), m.marker_at(rod, rod.frame.origin)
    m.bushing(*on, (1e7,) * 3, (1e4,) * 3, (1e5,) * 3, (100.0,) * 3)
    columns = ("body_position", "body_quaternion", "body_velocity", "joint")
    _, b = agree(m, 1e-5, error=1e-8, columns=columns)
    assert b.data.counters["steps"] < 1000  # stability would allow an explicit method 25,000


@pytest.mark.parametrize("kind", ["revolute", "inplane"])
def test_loops_are_as_accurate_as_in_maximal_coordinates(kind):
    m = closed_chain(kind)
    exact = through(m, 0.5, name="DOP853", error=1e-12, coordinates="maximal").y
    for error in (1e-4, 1e-6, 1e-8):
        joint, whole = (through(m, 0.5, error=error, coordinates=c) for c in ("joint", "maximal"))
        wrong = [np.abs(s.y - exact).max() for s in (joint, whole)]
        assert wrong[0] < max(wrong[1], 1e-10)
        assert joint.statistics["steps"] < 1.3 * whole.statistics["steps"]
        assert joint.statistics["evaluations"] < 10 * joint.statistics["matrices"]  # by differences 20 more


def test_what_is_chosen():
    m, _ = pendulum(3)
    run = hn.simulate(m, end=0.1, steps=2, integrator="RADAU5", coordinates="auto", progress=False)
    assert "joint coordinates: the joints form a tree" in run.info["messages"]
    m, _ = pendulum(40)
    run = hn.simulate(m, end=0.01, steps=2, integrator="RADAU5", coordinates="auto", progress=False)
    assert "maximal coordinates: full matrices of 40 freedoms and states cost more in a plane" in run.info["messages"]
    for cells, reason in (
        (1, "joint coordinates: few equations close loops"),
        (2, "maximal coordinates: full matrices of 14"),
    ):
        run = hn.simulate(ladder(cells), end=0.01, steps=2, integrator="RADAU5", coordinates="auto", progress=False)
        assert any(text.startswith(reason) for text in run.info["messages"])


def test_many_turns_a_bouncing_ball_and_a_sensor():
    """Turns are counted over long steps; contacts of forces, with derivatives by differences."""
    m, tip = pendulum()
    ball = m.part("ball", 0.2, (1e-3, 1e-3, 1e-3), (3.0, 0, -1.0))
    m.spherical(ball, tip, at=(2.0, 0, 0))
    spinner = m.part("spinner", 1.0, (0.1, 0.1, 0.1), (0, 5, 0), angular_velocity=(0, 0, 40.0))
    m.revolute(spinner, m.ground, "spin", at=(0, 5, 0), axis=(0, 0, 1))
    floor = m.plane(m.ground, (0, 0, -2.2), (0, 0, 1))
    m.contact(floor, m.sphere(ball, (3.0, 0, -1.0), 0.1), "impact", stiffness=1e4, damping=10.0, exponent=1.5)
    _, b = agree(m, 1e-4, end=1.0, error=1e-8)
    assert b.joint("spin").angle.values[-1] == pytest.approx(40.0, rel=1e-9)


def test_it_continues_where_stability_limits_explicit_steps():
    """A damper of 1e4 N s/m: DOP853 leaves it to RADAU5, which goes on in joint coordinates."""
    m = held_pendulum(1e4, 1e4)
    options = {"end": 3.0, "steps": 6, "error": 1e-6, "progress": False}
    run = hn.simulate(m, coordinates="joint", **options)
    assert any("RADAU5" in text and "stiff" in text for text in run.info["messages"])
    same = hn.simulate(m, **options)
    np.testing.assert_allclose(run.part("bob").position.values, same.part("bob").position.values, atol=1e-4)


def test_a_heavy_top_is_as_accurate_as_with_all_bodies():
    """The error test is that of all bodies: against Euler's equations, integrated by themselves.  With weights by
    joint coordinates the error was 2.6 times that of maximal coordinates, now 0.25."""
    errors = {}
    for coordinates in ("maximal", "joint"):
        run = hn.simulate(
            heavy_top(), end=0.5, steps=1, integrator="RADAU5", error=1e-6, coordinates=coordinates, progress=False
        )
        errors[coordinates] = np.abs(run.data.body_position[-1, 0] - heavy_top_exact(0.5)[:3]).max()
    assert errors["joint"] < 1.5 * errors["maximal"] < 1e-4
