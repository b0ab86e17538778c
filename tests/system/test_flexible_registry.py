"""All joints and forces of the registers on a flexible body, in one machine that floats: derivatives, momentum,
balance of energy, rigid motions.

A soft steel-like bar has a node for each element; there a rigid part hangs on it by that joint, or pulls at it with
that force.
"""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import holonom as hn
from _iteration_matrix import AtMotion
from _line_forces import LINE_FORCES
from holonom.analyses.assemble import assemble
from holonom.elements.bodies import layout
from holonom.elements.bodies.coordinates import rotations
from holonom.elements.bodies.momentum import MOMENTUM_DATA, momentum
from holonom.elements.kinds import FORCES
from holonom.model.joints import JOINT_TYPES, PRIMITIVE_TYPES
from holonom.system.build import System

MORE = {"SCREW": {"pitch": 0.3}, "RACKPIN": {"pd": 0.4}}
ACROSS = ("UNIVERSAL", "HOOKE", "PERPENDICULAR", "RACKPIN")  # z axes of I and J stand across
EYE = np.eye(3)
K6 = np.diag([100, 90, 80, 2, 3, 4.0])


def _spring(m, i, j):
    m.spring_damper(i, j, stiffness=100.0, damping=1.0, length=0.2)


def _torsion(m, i, j):
    m.torsion_spring(i, j, stiffness=3.0, damping=0.1)


def _bushing(m, i, j):
    m.bushing(
        i,
        j,
        stiffness=(100, 120, 90),
        rotational_stiffness=(3, 4, 5),
        damping=(1, 1, 1),
        rotational_damping=(0.1, 0.1, 0.1),
    )


def _field(m, i, j):
    m.field(i, j, kmatrix=K6 + 1.0, cmatrix=0.01 * K6)


def _beam(m, i, j):
    m.beam(i, j, 0.2, 1e-4, 1e-9, 1e-9, 1e-9, 1e8, 4e7, cratio=0.01)


def _sforce(m, i, j):
    m.sforce(i, j, f"-30*(DM({i.id},{j.id})-0.2)-VR({i.id},{j.id})+SIN(3*TIME)*DX({i.id},{j.id},{j.id})")


def _vforce(m, i, j):
    m.vforce(i, j, fx=f"-20*DX({i.id},{j.id},{j.id})", fy=f"-5*WX({i.id},{j.id},{j.id})", rm=j)


def _vtorque(m, i, j):
    m.vtorque(i, j, tx=f"-2*WX({i.id},{j.id},{j.id})", tz=f"-3*DY({i.id},{j.id},{i.id})", rm=i)


def _gforce(m, i, j):
    m.gforce(
        j,
        i,
        fx=f"-20*DX({i.id},{j.id},{j.id})-VX({i.id},{j.id},{j.id})",
        fz=f"-10*VZ({i.id},{j.id},{i.id})",
        tx=f"-AX({i.id},{j.id})",
        rm=j,
    )


PAIRS = {f.__name__[1:]: f for f in (_spring, _torsion, _bushing, _field, _beam, _sforce, _vforce, _vtorque, _gforce)}
REGISTERED = {
    "MAXWELL_DAMPER": lambda m, i, j: m.maxwell_damper(i, j, series_stiffness=200.0, damping=5.0),
    **LINE_FORCES,
    "EXACT_BEAM": lambda m, i, j: m.exact_beam(
        i, j, EA=900.0, GAy=300.0, GAz=250.0, GJ=3.0, EIy=5.0, EIz=7.0, length=0.2, damping=0.1
    ),
    "MFORCE": lambda m, i, j: m.modal_force(
        m.find("PART", "bar"),
        "1+SIN(3*TIME)",
        nodes={3: (1.0, 2.0, -1.0, 0.3, 0.2, 0.1), 7: (0.0, 3.0, 1.0)},
        reaction=j,
    ),
    "NFORCE": lambda m, i, j: m.nforce([i], j, stiffness=K6 + 1, damping=0.01 * K6),
    "MODAL_DAMPING": lambda m, i, j: m.modal_damping(m.find("PART", "bar"), 0.3 * np.eye(10)),  # modes have either sign
}
#: of a wheel on a road or a rail, and of a flexible surface (tests/contact/test_surface_contact.py)
ELSEWHERE = tuple(name for name in FORCES if name.startswith("TYRE_") or name in ("WHEEL_RAIL", "SURFACE_CONTACT"))
TYPES = (*JOINT_TYPES, *PRIMITIVE_TYPES, *PAIRS, *sorted(set(FORCES) - set(ELSEWHERE)))
ELEMENTS = len(TYPES) - 1
#: moments that follow angles have an energy for turns about z of J alone
NO_ENERGY = ("torsion", "bushing", "field", "beam", "NFORCE")
#: a law with corners in its state: what it dissipates is integrated to 1e-9 of the whole and not better
ROUGH = ("HYSTERETIC_SPRING",)


def machine(Q=EYE, at=(0.0, 0.0, 0.0), without=()):
    """Q, at: turn and move the whole."""
    P, D = (lambda *x: tuple(Q @ np.array(x, float) + at)), (lambda x: tuple(Q @ np.asarray(x, float)))
    m = hn.Model("registers")
    bar = m.part("bar", 1.0, (1, 1, 1), position=P(1, 0, 0), axes=Q)
    forces = []
    for k, kind in enumerate(TYPES):
        if kind in without:
            continue
        x = 2.0 * k / ELEMENTS
        other = m.part(kind, 1.3, (0.1, 0.12, 0.15), position=P(x, 0.3, 0.1 if k % 2 else -0.2), axes=Q)
        z = (0.2, 0.3, 1.0)
        if kind in JOINT_TYPES + PRIMITIVE_TYPES:
            zi, xi, zj, xj = (
                (z, (1, 0, -0.2), (1, 0, -0.2), (0, 1, 0)) if kind in ACROSS else (z, (1, 0, -0.2), z, (1, 0, -0.2))
            )
            i = m.marker_at(bar, P(x, 0.02, 0.01), z=D(zi), x=D(xi))
            j = m.marker_at(other, P(x, 0.02, 0.01), z=D(zj), x=D(xj))
            i, j = (i, j) if k % 2 or kind == "RACKPIN" else (j, i)
            if kind in PRIMITIVE_TYPES:
                m.primitive(kind, i, j, kind)
            else:
                m.joint(kind, i, j, kind, **MORE.get(kind, {}))
        else:
            i, j = (
                m.marker_at(b, P(x, y, 0.01), z=D(v), x=D((1, 0, 0)))
                for b, y, v in ((bar, 0.0, z), (other, 0.2, (0.3, 0.2, 1)))
            )
            forces.append((kind, i, j))
    section = hn.flexible.Section.rectangle(0.05, 0.03)
    fe = hn.flexible.beam(P(0, 0, 0), P(2, 0, 0), section, E=2e9, density=2000.0, elements=ELEMENTS, y=D((0, 1, 0)))
    m.make_flexible(bar, fe, modes=4, interfaces=[1, ELEMENTS + 1])
    for kind, i, j in forces:
        (PAIRS.get(kind) or REGISTERED[kind])(m, i, j)
    return m


def test_the_registers_are_covered():
    assert set(REGISTERED) | set(ELSEWHERE) == set(FORCES)


def started(system, size=0.3):
    """The state assembled, with velocities and modes that are random but fit the constraints."""
    from holonom.integrators.entry import VELOCITY, enter, explicit_handle

    y = assemble(system).y.copy()
    rng = np.random.default_rng(3)
    u = size * rng.normal(size=system.bodies.moves)
    layout.speeds(y, system.nb)[:] = layout.body_moves(u, system.nb)
    layout.coordinate_rates(y, system.bodies)[:] = 0.1 * u[layout.unknowns(system.nb) :]
    for _ in range(3):
        rotations(system.bodies, y, np.zeros((system.nb + 1, 9)))
        enter(explicit_handle(system), VELOCITY, y, 0.0, 0.0, 1e-10, 0, system.workspace.stages.d)
    rotations(system.bodies, y, np.zeros((system.nb + 1, 9)))
    return y


@pytest.fixture(scope="module")
def system():
    return System(machine())


def test_taylor(system):
    """K and C of the iteration matrix against differences of the residual along random directions."""
    s = system
    y = started(s)
    rng = np.random.default_rng(1)
    at = AtMotion(s, rng)
    n, inside = at.p.inside_bodies, at.p.moves[: at.p.inside_bodies]
    A, K, C = at.matrices(y)
    for _ in range(4):
        d = at.along(rng)
        slope = at.slope(y, d)
        assert np.abs(K @ d[inside] - slope[:n]).max() < 1e-7 * np.abs(slope).max()
        assert (
            np.abs((A[n + s.nx :, :n] @ d[inside]) - slope[n + s.nx :]).max() < 1e-7 * np.abs(slope[n + s.nx :]).max()
        )
        slope = at.slope_by_rate(y, d)
        assert np.abs(C @ d[inside] - slope[:n]).max() < 1e-7 * np.abs(slope).max()


def momentum_of(system, y):
    R = np.zeros((system.nb + 1, 9))
    rotations(system.bodies, y, R)
    out = np.zeros(MOMENTUM_DATA)
    momentum(system.bodies, y, R, np.zeros(system.bodies.moves), np.zeros(6), out)
    return out[:6]


def test_action_is_reaction(system):
    """Forces, and reactions of joints, change neither momentum nor angular momentum of the whole: rates at a random
    motion."""
    from holonom.integrators.entry import RATE, enter, explicit_handle

    s = system
    y, stages = started(s), s.workspace.stages
    stages.ya[:] = y
    enter(explicit_handle(s), RATE, y, 0.0, 0.0, 1e-10, 1, stages.d)
    yd = stages.K[1].copy()
    h = 1e-6
    gain = (momentum_of(s, y + h * yd) - momentum_of(s, y - h * yd)) / (2 * h)
    moving = np.abs(yd[: 13 * s.nb].reshape(-1, 13)[:, 7:10] * np.asarray(s.bodies.mass)[: s.nb, None]).sum()
    assert moving > 10.0
    assert np.abs(gain).max() < 1e-8 * moving


def test_balance_of_energy_and_momentum():
    """A run of the whole: energy, with what is lost and put in, and momentum."""
    m = machine(without=(*NO_ENERGY, *ROUGH))
    m.table("FLEXIBILITY")[1].speed = tuple(0.05 * np.cos(np.arange(m.table("FLEXIBILITY")[1].modes)))
    sim = hn.Simulation(m)
    sim.dynamics(end=0.002, steps=1, integrator="DOP853", error=1e-11)
    before = momentum_of(sim.system, sim.y.copy())
    sim.dynamics(end=0.02, steps=4, integrator="DOP853", error=1e-11)
    after = momentum_of(sim.system, sim.y.copy())
    assert np.abs(after - before).max() < 1e-10
    d = sim.run().data
    energy = d.energy_kinetic + d.energy_gravity + d.energy_elastic - d.energy_input + d.energy_dissipated
    assert np.ptp(energy) < 1e-10


def test_rigid_motions_change_nothing():
    """The machine turned and a hundred metres away."""
    Q, at = Rotation.random(random_state=4).as_matrix(), np.array([100.0, -50.0, 30.0])
    runs = []
    for turn, way in ((EYE, np.zeros(3)), (Q, at)):
        m = machine(turn, way)
        runs.append(hn.simulate(m, end=0.02, steps=2, integrator="DOP853", error=1e-11))
    a, b = runs
    for kind in ("bar", *TYPES):
        x, z = (r.part(kind).position.values[-1] for r in runs)
        assert np.abs(Q @ x + at - z).max() < 1e-9, kind
    q, p = (r.state("FLEXIBILITY_1").values[-1] for r in runs)
    # a square section's planes are distinguished: signs of modes are those of the same shapes
    assert np.abs(np.abs(q) - np.abs(p)).max() < 1e-8 * np.abs(q).max()


# ---- between rigid and bent ------------------------------------------------------------------------------------------
def pendulum(bent=None, beside=False, E=2.1e11):
    """A rigid pendulum, or one that bends; ``beside``: a bar that floats elsewhere and has nothing to do with it."""
    m = hn.Model()
    m.gravity = (0, -9.81, 0)
    fe = hn.flexible.beam(
        (0, 0, 0), (1, 0, 0), hn.flexible.Section.rectangle(0.02, 0.01), E=E, density=7850.0, elements=6, y=(0, 1, 0)
    )
    rod = m.part("rod", 1.57, (2.6e-5, 0.13084, 0.13085), position=(0.5, 0, 0))
    m.revolute(rod, m.ground, at=(0, 0, 0), axis=(0, 0, 1))
    if bent:
        m.make_flexible(rod, fe, modes=2)
    if beside:
        other = m.part("other", 1.57, (1, 1, 1), position=(0.5, 0, 0), angular_velocity=(1, 2, 3))
        m.make_flexible(other, fe, modes=2)
    return m


def test_a_part_that_bends_elsewhere_changes_no_digit():
    """One fixed step after the other: the rigid pendulum is the same to roundoff, whether something else bends or
    not."""
    a, b = (hn.simulate(pendulum(beside=b), end=0.02, steps=2, integrator="RK4", hmax=1e-5) for b in (False, True))
    for name in ("position", "velocity", "angular_velocity"):
        x, z = (np.asarray(getattr(r.part("rod"), name)) for r in (a, b))
        assert np.abs(x - z).max() < 1e-13 * max(1.0, np.abs(x).max())


def test_stiff_is_rigid():
    """The motion of a flexible body tends to that of the rigid one as E grows: the difference falls as 1/E."""
    m = pendulum(bent=True, E=1e14)
    twin = pendulum()
    rod = m.find("PART", "rod")
    twin.find("PART", "rod").mass, twin.find("PART", "rod").ip = rod.mass, rod.ip
    exact = hn.simulate(twin, end=0.15, steps=2, integrator="RADAU5", error=1e-10).part("rod").position.values[-1]
    far = []
    for E in (1e11, 1e14):
        run = hn.simulate(pendulum(bent=True, E=E), end=0.15, steps=2, integrator="RADAU5", error=1e-10)
        far.append(np.abs(run.part("rod").position.values[-1] - exact).max())
    assert far[0] > 1e-7 and far[1] < 1e-2 * far[0]
