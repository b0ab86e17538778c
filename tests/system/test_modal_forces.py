"""MFORCE: distributions of forces on flexible bodies, against closed forms, forces at nodes, and sums of work."""

import numpy as np
import pytest

import holonom as hn
from _iteration_matrix import AtMotion, put_speeds
from holonom.flexible import Section, beam

E, RHO, L = 2.1e11, 7850.0, 1.0
SECTION = Section.rectangle(0.02, 0.01)
EI = E * SECTION.Iz
EYE, ZERO = np.eye(3), np.zeros(3)


def bar(E=E, elements=20, turn=EYE, at=(0, 0, 0)):
    end = np.asarray(at) + turn @ [L, 0, 0]
    return beam(at, tuple(end), SECTION, E=E, density=RHO, elements=elements, y=tuple(turn @ [0, 1, 0]))


def clamped(modes=10):
    m = hn.Model()
    m.gravity = (0, 0, 0)
    p = m.part("bar", 1.0, (1, 1, 1), position=(0.5, 0, 0))
    m.fixed(p, m.ground, at=(0, 0, 0), name="clamp")
    m.marker_at(p, (L, 0, 0), name="tip")
    return m, p, m.make_flexible(p, bar(), modes=modes)


def test_statics_of_a_cantilever():
    """Tip force, uniform load, tip moment, and the reactions of the clamp, which are those of the undeformed body."""
    q = 30.0
    line = {k: (0, -q * L / 20 / (2 if k in (1, 21) else 1), 0) for k in range(1, 22)}
    for nodes, sag, force, moment in (
        ({21: (0, -10.0, 0)}, 10.0 * L**3 / (3 * EI), 10.0, 10.0 * L),
        (line, q * L**4 / (8 * EI), q * L, q * L**2 / 2),
        ({21: (0, 0, 0, 0, 0, -7.0)}, 7.0 * L**2 / (2 * EI), 0.0, 7.0),
    ):
        m, p, _ = clamped()
        m.modal_force(p, "2*0.5", nodes=nodes)
        run = hn.simulate(m, end=0, kind="statics")
        assert run.marker("tip").position.values[-1][1] == pytest.approx(-sag, rel=2e-3)
        clamp = run.joint("clamp")
        assert np.abs(clamp.force.values[-1]) == pytest.approx(
            [0, force, 0], abs=5e-3 * max(force, 1.0)
        )  # the load turns with the frame
        assert abs(clamp.torque.values[-1][2]) == pytest.approx(moment, rel=1e-3)


def test_modal_load_and_case_act_on_modes_alone():
    """A free body: one mode under a constant force about its own frequency, closed form; nothing else moves."""
    m = hn.Model()
    m.gravity = (0, 0, 0)
    p = m.part("bar", 1.0, (1, 1, 1), position=(0.5, 0, 0))
    f = m.make_flexible(p, bar(E=1e8), modes=4, interfaces=[])
    load = np.zeros(f.modes)
    load[0] = 0.3
    m.modal_force(p, "2", load=load, name="push")
    run = hn.simulate(m, end=0.2, steps=50, integrator="RADAU5", error=1e-9)
    q = run.state(f"FLEXIBILITY_{f.id}").values[:, ::2]
    w = f.frequency[0]
    assert q[:, 0] == pytest.approx(0.6 / w**2 * (1.0 - np.cos(w * np.asarray(run.time))), abs=1e-6 * 0.6 / w**2)
    assert np.abs(q[:, 1:]).max() < 1e-12 and np.abs(run.part("bar").position.values - [0.5, 0, 0]).max() < 1e-12


def pendulum(E, force, turn=EYE, at=ZERO):
    """Hinged bar with a force in the axes of its frame at the middle: as a distribution, or as a force between
    markers."""
    m = hn.Model()
    m.gravity = tuple(turn @ [0, -9.81, 0])
    p = m.part("bar", 1.0, (1, 1, 1), position=tuple(at + turn @ [0.5, 0, 0]))
    m.revolute(p, m.ground, at=tuple(at), axis=tuple(turn @ [0, 0, 1]))
    middle = m.marker_at(p, tuple(at + turn @ [0.5, 0, 0]), name="middle")
    m.make_flexible(p, bar(E, 10, turn, at), modes=4)
    m.marker_at(p, tuple(at + turn @ [L, 0, 0]), name="tip")
    if force == "modal":
        m.modal_force(p, "3*sin(20*time)", nodes={6: tuple(turn @ [1.0, 2.0, 0])})
    elif force == "point":
        x, y, z = turn @ [3.0, 6.0, 0]
        expression = [f"{v!r}*sin(20*time)" for v in (float(x), float(y), float(z))]
        m.vforce(middle, m.ground, *expression, rm=m.find("MARKER", p.cm))
    return hn.simulate(m, end=0.4, steps=40, integrator="RADAU5", error=1e-8)


@pytest.mark.parametrize(
    ("E", "close"), [(2.1e9, 1e-2), pytest.param(2.1e11, 1e-4, marks=pytest.mark.slow)], ids=["soft", "stiff"]
)
def test_a_load_on_a_node_is_a_force_at_it(E, close):
    """The same motion but for what moves the arm of the force, of first order in the deflection."""
    tips = [pendulum(E, kind).marker("tip").position.values for kind in (None, "modal", "point")]
    effect = np.abs(tips[1] - tips[0]).max()
    assert effect > 0.05 and np.abs(tips[1] - tips[2]).max() < close * effect


def test_turned_and_far_away():
    from scipy.spatial.transform import Rotation

    turn, at = Rotation.from_rotvec([0.4, -0.9, 0.7]).as_matrix(), np.array([300.0, -200.0, 50.0])
    here, there = pendulum(2.1e10, "modal"), pendulum(2.1e10, "modal", turn, at)
    tips = here.marker("tip").position.values, (there.marker("tip").position.values - at) @ turn
    assert np.abs(tips[0] - tips[1]).max() < 1e-7


def test_work_is_put_in_from_outside():
    """Energy of the machine = work of the motions and forces of functions, which the audit counts."""
    run = pendulum(2.1e10, "modal")
    total = np.asarray(run.energy.total.values)
    put_in = np.asarray(run.data.energy_input)
    assert np.ptp(total) > 0.1 and np.abs(total - total[0] - put_in + put_in[0]).max() < 1e-5 * np.ptp(total)


def controlled(reaction=False):
    """A hinged bar between two parts: its load hangs on the position and speed of its tip, on another part, and on a
    state."""
    m = hn.Model()
    m.gravity = (0.5, -9.81, 1.0)
    p = m.part("bar", 1.0, (1, 1, 1), position=(0.5, 0, 0))
    q = m.part("block", 3.0, (0.2, 0.3, 0.4), position=(0.3, 0.8, -0.1))
    m.spherical(p, m.ground, at=(0, 0, 0))
    m.spring_damper(m.marker_at(q, (0.3, 0.8, 0.1)), m.marker_at(p, (L, 0, 0)), stiffness=30.0, damping=0.4, length=0.5)
    m.make_flexible(p, bar(1e9, 6), modes=3, damping=0.02)
    tip, other = m.marker_at(p, (L, 0, 0), name="tip"), m.marker(q, (0.1, 0, 0), name="other")
    x = m.diff(f"DX({tip},{other}) - DIF(1)", ic=0.3)
    text = f"20*DX({tip}) + 3*VY({tip})*DZ({tip},{other}) - 5*DIF({x}) + sin(3*time)"
    m.modal_force(
        p,
        text,
        nodes={7: (0, 5.0, 1.0, 0.3, 0, 0), 3: (1.0, 0, -4.0)},
        reaction=other if reaction else None,
        name="push",
    )
    return m


@pytest.mark.parametrize("reaction", (False, True))
def test_the_matrix_is_the_derivative(reaction):
    """K and C of the iteration matrix against central differences of the residual at a random motion."""

    from holonom.analyses.assemble import assemble
    from holonom.elements.bodies import layout
    from holonom.system.build import System

    s = System(controlled(reaction))
    y = assemble(s).y.copy()
    rng = np.random.default_rng(1)
    layout.coordinates(y, s.bodies)[:] = 0.02 * rng.normal(size=s.bodies.tail)
    u = layout.all_speeds(y, s.bodies) + 0.3 * rng.normal(size=s.bodies.moves)
    put_speeds(s, y, u)
    at = AtMotion(s, rng)
    n = at.p.inside_bodies
    A, K, C = at.matrices(y)
    stiffness, damping = at.columns(y, at.slope), at.columns(y, at.slope_by_rate)
    assert np.abs(K - stiffness[:n]).max() < 1e-7 * np.abs(stiffness).max()
    assert np.abs(C - damping[:n]).max() < 1e-7 * np.abs(damping).max()
    # and by the state
    state = layout.end(s.nb, s.bodies.tail)
    h = 1e-6
    ahead, behind = y.copy(), y.copy()
    ahead[state] += h
    behind[state] -= h
    by_state = (at.residual(behind) - at.residual(ahead)) / (2 * h)
    assert np.abs(by_state[:n]).max() > 1.0 and np.abs(A[:n, n] - by_state[:n]).max() < 1e-7 * np.abs(by_state).max()


def test_energy_with_a_reaction():
    """Explicit and implicit methods agree; what the load puts in is the work on both bodies; momentum of the two free
    bodies is kept."""
    m = controlled(True)
    runs = [
        hn.simulate(m, end=0.3, steps=6, integrator=i, error=e)
        for i, e in (("RADAU5", 1e-9), ("DOP853", 1e-9), ("GSTIFF", 1e-7))
    ]
    tips = [r.marker("tip").position.values[-1] for r in runs]
    assert np.abs(tips[0] - tips[1]).max() < 1e-7 and np.abs(tips[0] - tips[2]).max() < 1e-4
    free = controlled(True)
    free.gravity = (0, 0, 0)
    for joint in list(free.joints.values()):
        joint.active = False
    run = hn.simulate(free, end=0.3, steps=6, integrator="DOP853", error=1e-10)
    parts = [run.part(n) for n in ("bar", "block")]
    masses = [e.mass for e in free.parts.values() if not e.ground]
    momentum = sum(mass * np.asarray(p.velocity.values) for mass, p in zip(masses, parts))
    assert np.abs(momentum).max() < 1e-8 * max(np.abs(p.velocity.values).max() for p in parts)
    turning = run.data.angular_momentum if hasattr(run.data, "angular_momentum") else None
    if turning is not None:
        assert np.ptp(np.asarray(turning), axis=0).max() < 1e-7


def test_a_load_that_moves_over_a_beam():
    """Constant force at constant speed over a simply supported beam without damping (Fryba, Vibration of Solids and
    Structures under Moving Loads
    (1999), ch. 1): with a = v pi / (w_1 L),  w(x, t) = 2 P L^3 / (pi^4 EI) sum_n sin(n pi x / L) (sin(n pi v t / L) -
    a/n sin(w_n t)) / (n^2 (n^2 - a^2))."""
    P, v = 100.0, 20.0
    section = Section.rectangle(0.01, 0.02)  # y, z
    m = hn.Model()
    m.gravity = (0, 0, 0)
    p = m.part("beam", 1.0, (1, 1, 1), position=(0.5, 0, 0))
    m.revolute(p, m.ground, at=(0, 0, 0), axis=(0, 0, 1))
    m.primitive("INLINE", p, m.ground, at=(L, 0, 0), axis=(1, 0, 0))
    m.make_flexible(p, beam((0, 0, 0), (L, 0, 0), section, E=E, density=RHO, elements=20, y=(0, 1, 0)), modes=6)
    m.marker_at(p, (0.5 * L, 0, 0), name="middle")
    loads = m.moving_force(p, range(1, 22), f"{v}*time", (0, -P, 0), name="wheel")
    assert len(loads) == 21 and loads[3].name == "wheel.4"
    run = hn.simulate(m, end=1.2 * L / v, steps=60, integrator="RADAU5", error=1e-6)
    t = np.asarray(run.time)
    sag = -run.marker("middle").position.values[:, 1]
    stiffness = E * section.Iz
    w = lambda n: (n * np.pi / L) ** 2 * np.sqrt(stiffness / (RHO * section.A))
    a = v * np.pi / (w(1) * L)
    n = np.arange(1, 30)[:, None]
    exact = (
        2
        * P
        * L**3
        / (np.pi**4 * stiffness)
        * np.sin(n * np.pi / 2)
        / (n**2 * (n**2 - a**2))
        * (np.sin(n * np.pi * v * t / L) - a / n * np.sin(w(n) * t))
    ).sum(0)
    on = t <= L / v
    assert 0.2 < a < 0.9 and np.abs(sag - exact)[on].max() < 5e-3 * exact[on].max()
    # and free of the load it continues ringing as it left it
    assert np.abs(sag[~on]).max() > 0.1 * exact[on].max()
    with pytest.raises(hn.ModelError, match="less than two nodes"):
        m.moving_force(p, [3], "time", (0, 1, 0))
    with pytest.raises(hn.ModelError, match="it has no node 99"):
        m.moving_force(p, [3, 99], "time", (0, 1, 0))
    with pytest.raises(hn.ModelError, match="nodes 3 and 3 lie at the same point"):
        m.moving_force(p, [3, 3], "time", (0, 1, 0))
