"""Joint friction: closed forms of sticking, sliding and spinning down; passivity; derivatives."""

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from _matrix_kernels import friction_forces, friction_stiffness
from holonom import Model, simulate
from holonom.elements.joints import friction as law
from holonom.model.joint_facts import having
from holonom.model.joints import Friction, Joint

G = 9.81


def incline(angle, mu_s=0.5, mu_d=0.3, **more):
    """A block of 2 kg on a slope falling along +x; its joint slides along the slope."""
    m = Model("incline", units="SI")
    m.gravity = (0, 0, -G)
    block = m.part("block", mass=2.0, inertia=(0.1, 0.1, 0.1))
    down = (math.cos(angle), 0.0, -math.sin(angle))
    joint = m.translational(block, m.ground, at=(0, 0, 0), axis=down)
    m.friction(
        joint, mu_static=mu_s, mu_dynamic=mu_d, stiction_transition_velocity=0.01, max_stiction_deformation=1e-3, **more
    )
    return m, np.array(down)


def test_block_holds_below_the_static_angle():
    m, down = incline(math.atan(0.45))
    run = simulate(m, end=2.0, steps=40)
    x = run.part("block").position.values @ down
    assert abs(x[-1]) < 1e-3
    np.testing.assert_allclose(x[20:], x[-1], atol=1e-7)  # it does not creep
    force = run.force("FRICTION_1").force.values[-1]
    np.testing.assert_allclose(force, -2.0 * G * math.sin(math.atan(0.45)) * down, rtol=1e-4, atol=1e-4)


def test_block_slides_above_it():
    a = math.atan(0.6)
    m, down = incline(a)
    run = simulate(m, end=1.0, steps=50, error=1e-8)
    v = run.part("block").velocity.values @ down
    t = np.asarray(run.time)
    exact = G * (math.sin(a) - 0.3 * math.cos(a))
    late = v > 0.02
    assert late.sum() > 40
    np.testing.assert_allclose(np.diff(v[late]) / np.diff(t[late]), exact, rtol=1e-6)
    np.testing.assert_allclose(run.part("block").acceleration.values[-1] @ down, exact, rtol=1e-9)


def journal(**more):
    m = Model("journal", units="SI")
    m.gravity = (0, 0, 0)
    rotor = m.part("rotor", mass=1.0, inertia=(0.3, 0.3, 0.5), angular_velocity=(0, 0, 10.0))
    joint = m.revolute(rotor, m.ground, at=(0, 0, 0), axis=(0, 0, 1))
    m.friction(joint, mu_static=1.0, mu_dynamic=1.0, stiction_transition_velocity=1e-3, torque_preload=2.0, **more)
    return m


@pytest.mark.parametrize("effect", ["ALL", "SLIDING"])
def test_journal_spins_down(effect):
    """w = w0 - T t / J until it stands; then it holds."""
    run = simulate(journal(inputs=("PRELOAD",), effect=effect), end=3.0, steps=300)
    w = run.part("rotor").angular_velocity.values[:, 2]
    np.testing.assert_allclose(w, np.maximum(0.0, 10.0 - 4.0 * np.asarray(run.time)), atol=2e-3)


def test_bearing_load_adds_a_torque():
    """A rotor hung in its bearing: T = mu Rp m g."""
    m = journal(inputs=("REACTION_FORCE",), pin_radius=0.05, effect="SLIDING")
    m.gravity = (0, -G, 0)
    run = simulate(m, end=1.0, steps=50)
    np.testing.assert_allclose(run.part("rotor").angular_velocity.values[-1, 2], 10.0 - 0.05 * G / 0.5, rtol=1e-6)


def test_reaction_feeds_back():
    """An overhung rod: the reaction depends on the friction through the motion; the stage solves both."""
    m = Model("pendulum", units="SI")
    m.gravity = (0, -G, 0)
    rod = m.part("rod", mass=3.0, position=(0.4, 0, 0), inertia=(0.01, 0.2, 0.2))
    joint = m.revolute(rod, m.ground, at=(0, 0, 0), axis=(0, 0, 1))
    m.friction(
        joint,
        mu_static=0.4,
        mu_dynamic=0.4,
        stiction_transition_velocity=1e-3,
        pin_radius=0.1,
        effect="SLIDING",
        inputs=("REACTION_FORCE",),
    )
    run = simulate(m, end=0.5, steps=20, error=1e-9, integrator="DOP853")
    rod = run.part("rod")
    k = 15
    a, al = rod.acceleration.values[k], rod.angular_acceleration.values[k, 2]
    reaction = 3.0 * (a - np.array([0, -G, 0]))
    r = rod.position.values[k]
    torque = -0.4 * 0.1 * np.linalg.norm(reaction) * np.sign(rod.angular_velocity.values[k, 2])
    lever = np.cross(-r, reaction)[2]
    np.testing.assert_allclose(0.2 * al, lever + torque, rtol=1e-9)


@pytest.mark.parametrize("joint", having("friction"))
def test_friction_only_dissipates(joint):
    """Energy after a shove through every regime: it only falls, up to what the bristles hold (2e-4 J)."""
    m = Model(joint.lower(), units="SI")
    m.gravity = (0, 0, 0)
    b = m.part("b", mass=1.0, inertia=(0.1, 0.12, 0.15))
    if joint in ("HOOKE", "UNIVERSAL"):
        i = m.marker(b, z=(1, 0, 0), x=(0, 1, 0))
        j = (
            m.marker(m.ground, z=(0, 1, 0), x=(0, 0, 1))
            if joint == "UNIVERSAL"
            else m.marker(m.ground, z=(1, 0, 0), x=(0, 1, 0))
        )
        q = m.joint(joint, i, j)
    else:
        q = m.joint(joint, b, m.ground, at=(0, 0, 0), axis=(0, 0, 1))
    if joint in ("TRANSLATIONAL", "CYLINDRICAL"):
        b.vz = 0.3
    if joint in ("REVOLUTE", "CYLINDRICAL"):
        b.wz = 1.0
    elif joint != "TRANSLATIONAL":
        b.wx, b.wy = 0.5, 0.7
    m.friction(
        q,
        mu_static=0.5,
        mu_dynamic=0.3,
        stiction_transition_velocity=0.05,
        max_stiction_deformation=1e-3,
        force_preload=0.4,
        torque_preload=0.2,
        pin_radius=0.5,
        ball_radius=0.5,
    )
    run = simulate(m, end=4.0, steps=200, integrator="DOP853")
    e = run.energy.kinetic.values
    assert e[-1] < 0.9 * e[0]
    assert np.diff(e).max() < 2e-4


def test_unsupported_joint_is_named():
    m = Model("planar", units="SI")
    q = m.planar(m.part("b", mass=1.0, inertia=(1, 1, 1)), m.ground, at=(0, 0, 0))
    m.friction(q)
    with pytest.raises(ValueError, match="planar"):
        simulate(m, end=1.0)


# ---- derivatives -----------------------------------------------------------------------------------------------------
LUGRE = dict(
    formulation="LUGRE",
    bristle_stiffness_coefficient=20.0,
    damping_coefficient=0.3,
    viscous_friction_coefficient=0.1,
    velocity_threshold_stribeck=0.2,
)
ROW, BRISTLES = (
    np.array(
        [
            law.row(
                Friction(mu_static=0.5, mu_dynamic=0.3, stiction_transition_velocity=0.2, **more),
                Joint(type="SPHERICAL"),
            )
        ]
    )
    for more in ({}, LUGRE)
)


@pytest.mark.parametrize("table", [ROW, BRISTLES], ids=["original", "lugre"])
@pytest.mark.parametrize("speed", [0.05, 0.22, 1.0])
@pytest.mark.parametrize("stretch", [0.4, 1.1])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_law_tangent(n, stretch, speed, table):
    r = np.random.default_rng(n)
    v, b = r.normal(size=3), r.normal(size=3)
    v *= speed / np.linalg.norm(v[:n])
    b *= stretch / np.linalg.norm(b[:n]) * np.sign(v[:n] @ b[:n])
    mats = np.zeros((4, 3, 3))
    law.law_tangent(table, 0, n, True, v, b, *mats)

    def values(dv, db):
        mu, rate = np.zeros(3), np.zeros(3)
        law.law(table, 0, n, True, v + dv, b + db, mu, rate)
        return np.concatenate([mu[:n], rate[:n]])

    h = 1e-6
    for c in range(n):
        e = np.zeros(3)
        e[c] = h
        z = np.zeros(3)
        np.testing.assert_allclose(
            (values(e, z) - values(-e, z)) / (2 * h),
            np.concatenate([mats[0, :n, c], mats[2, :n, c]]),
            rtol=1e-4,
            atol=1e-5,
        )
        np.testing.assert_allclose(
            (values(z, e) - values(z, -e)) / (2 * h),
            np.concatenate([mats[1, :n, c], mats[3, :n, c]]),
            rtol=1e-4,
            atol=1e-5,
        )


@pytest.mark.parametrize("joint", having("friction"))
@pytest.mark.parametrize("effect", ["ALL", "SLIDING"])
def test_system_tangent(joint, effect):
    """K and C against central differences of the forces and rates, in a random state of two free bodies, constant
    load."""
    from holonom.elements.bodies.rigid import move
    from holonom.integrators.entry import CONSTRAINTS, enter, explicit_handle
    from holonom.system.build import System

    r = np.random.default_rng(5)
    m = Model("tangent", units="SI")
    parts = [m.part(f"p{k}", mass=1.0, inertia=(1, 2, 3), position=r.normal(size=3)) for k in range(2)]
    i = m.marker(parts[0], at=r.normal(size=3), z=r.normal(size=3))
    j = m.marker(parts[1], at=r.normal(size=3), z=r.normal(size=3))
    q = m.joint(joint, i, j)
    m.friction(
        q,
        mu_static=0.5,
        mu_dynamic=0.3,
        stiction_transition_velocity=2.0,
        max_stiction_deformation=0.5,
        force_preload=0.7,
        torque_preload=0.9,
        pin_radius=0.3,
        inputs=("PRELOAD",),
        effect=effect,
    )
    s = System(m)
    S, W = s.S, s.W
    y = s.y0.copy()
    y[:26] += 0.3 * r.normal(size=26)
    for b in range(2):
        y[13 * b + 3 : 13 * b + 7] = Rotation.random(random_state=r).as_quat(scalar_first=True)
    y[39:] = 0.3 * r.normal(size=s.nx)
    nq, nx = 12, s.nx
    ft = S.friction
    at = lambda rows, cols: (np.asarray(rows)[:, None] * 100 + np.asarray(cols)[None, :]).ravel()
    both = np.arange(12)
    x = 12 + np.arange(3)
    ft.pos[0] = at(both, both)
    ft.col[0] = np.concatenate([at(both, [x[c]]) for c in range(3)])
    ft.row[0] = np.concatenate([at([x[c]], both) for c in range(3)])
    ft.diag[0] = at(x, x)
    K, C = np.zeros(100 * 100), np.zeros(100 * 100)

    def values(dq, du, dx):
        z, yd = y.copy(), np.zeros_like(y)
        d = np.zeros(18)
        d[:12] = dq
        move(2, z, d)
        for b in range(2):
            z[13 * b + 7 : 13 * b + 13] += du[6 * b : 6 * b + 6]
        z[39:] += dx
        handle = explicit_handle(s)
        enter(handle, CONSTRAINTS, z, 0.0, 0.0, 1e-8, 0, s.workspace.equations.stages.d)
        W.F[:] = 0.0
        friction_forces(S, W, 0.0, z, yd)
        return np.concatenate([W.F[:12], yd[39:]])

    z12, zx = np.zeros(12), np.zeros(nx)
    values(z12, z12, zx)
    friction_stiffness(S, W, 0.0, y, K, C)
    K, C = K.reshape(100, 100)[: nq + nx, : nq + nx], C.reshape(100, 100)[: nq + nx, :nq]
    h = 1e-6
    e = np.eye(12) * h
    KQ = np.array([(values(d, z12, zx) - values(-d, z12, zx)) / (2 * h) for d in e]).T
    CU = np.array([(values(z12, d, zx) - values(z12, -d, zx)) / (2 * h) for d in e]).T
    np.testing.assert_allclose(C, -CU, atol=1e-7)
    np.testing.assert_allclose(K[:, :12], -KQ, atol=1e-7)
    if nx:
        KX = np.array([(values(z12, z12, d) - values(z12, z12, -d)) / (2 * h) for d in np.eye(nx) * h]).T
        np.testing.assert_allclose(K[:, 12:], -KX, atol=1e-7)


# ---- statics ---------------------------------------------------------------------------------------------------------
def on_a_spring(at, **more):
    """1 kg that slides up and down, pressed sideways with 50 N, on a spring of 100 N/m whose free length is 1: at rest
    at 0.9 without friction."""
    m = Model("spring", units="SI")
    m.gravity = (0.0, 50.0, -10.0)
    block = m.part("block", 1.0, (1, 1, 1), (0, 0, at))
    joint = m.translational(m.marker(block), m.marker(m.ground))
    m.spring_damper(joint.i, joint.j, stiffness=100.0, damping=0.0, length=1.0)
    m.friction(joint, mu_static=0.3, mu_dynamic=0.2, max_stiction_deformation=1e-4, **more)
    return m


@pytest.mark.parametrize("at, rest", [(0.95, 0.95), (0.9, 0.9), (0.8, 0.8), (0.5, 0.75), (1.4, 1.05)])
def test_friction_in_statics_holds_or_gives_its_limit(at, rest):
    """Stuck where less than 15 N would move it; else it slides to where spring and weight leave 15 N."""
    run = simulate(on_a_spring(at), kind="statics")
    assert run.part("block").position.values[-1, 2] == pytest.approx(rest, abs=1e-4)
    force = run.force("FRICTION_1").force.values[-1][2]
    assert force == pytest.approx(10.0 - 100.0 * (1.0 - run.part("block").position.values[-1, 2]), abs=1e-3)
    assert abs(force) <= 15.0 + 1e-3


def test_friction_that_is_inactive_in_statics():
    m = on_a_spring(0.95, inactive="STATIC")
    assert simulate(m, kind="statics").part("block").position.values[-1, 2] == pytest.approx(0.9, abs=1e-9)
    run = simulate(m, 0.05, 5)  # and acts in dynamics
    assert run.part("block").position.values[-1, 2] == pytest.approx(0.95, abs=1e-3)


def test_quasistatics_and_dynamics_go_on_from_a_state_that_sticks():
    """What statics leaves is at rest in dynamics, and a hinge that a torque turns slowly goes where the torque
    exceeds what holds it."""
    from holonom import Simulation

    sim = Simulation(on_a_spring(0.5))
    sim.statics()
    sim.dynamics(duration=0.5, steps=10)
    run = sim.run()
    np.testing.assert_allclose(run.part("block").position.values[:, 2], 0.75, atol=2e-4)
    m = Model("hinge", units="SI")
    rotor = m.part("rotor", 1.0, (1, 1, 1))
    joint = m.revolute(rotor, m.ground, at=(0, 0, 0), axis=(0, 0, 1))
    m.friction(joint, mu_static=1.0, mu_dynamic=1.0, torque_preload=2.0, max_stiction_deformation=1e-4)
    m.sforce(joint.i, joint.j, f"6*TIME - 4*AZ({joint.i},{joint.j})", kind="ROTATIONAL")
    run = simulate(m, 1.0, 10, kind="quasistatics")
    t = np.asarray(run.time)
    angle = run.marker(joint.i).axes.values[:, 1, 0]
    np.testing.assert_allclose(np.arcsin(angle), np.maximum(6 * t - 2.0, 0.0) / 4.0, atol=1e-3)
