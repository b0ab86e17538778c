"""Bodies whose masses couple coordinates: M, its inverse, forces and all derivatives, against Jacobians written out
independently.

What bends is a cloud of particles, whose sums the tables of modes are to be equal to.
"""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from holonom.elements.bodies import layout
from holonom.elements.bodies.carrier import make_carriers
from holonom.elements.bodies.coupled import (
    condense_coupled,
    coupled_energies,
    coupled_forces,
    coupled_mass,
    coupled_momenta,
    coupled_node_stiffness,
    coupled_power,
    coupled_stiffness,
    give_coupled,
    multiply_coupled,
    place_coupled,
    prepare_coupled,
    prepare_slopes,
    respond_coupled,
    solve_coupled,
)
from holonom.elements.bodies.modes import make_modes
from holonom.elements.bodies.tables import body_tables

N, COUNTS, AT, PTR, TAIL = 2, (2, 7), (0, 6), (0, 2, 9), 18
FIRST = layout.MOVES * (N + 1)
BODY = layout.STATE * (N + 1)


MASSES = (1, 3)  # of the coordinates, where the others are modes


def cloud(rng, n):
    """Particles of a body with n modes: masses (p,), places (p, 3) in principal axes, shapes (p, 3, n), mean-axis and
    mass-orthonormal."""
    p = 9
    m, s = rng.uniform(0.1, 0.4, p), rng.normal(size=(p, 3))
    s -= m @ s / m.sum()
    s = s @ np.linalg.eigh(sum(m[i] * (s[i] @ s[i] * np.eye(3) - np.outer(s[i], s[i])) for i in range(p)))[1]
    R = np.zeros((p, 3, 6))
    R[:, :, :3] = np.eye(3)
    for k, e in enumerate(np.eye(3)):
        R[:, :, 3 + k] = np.cross(e, s)
    basis = np.sqrt(np.repeat(m, 3))[:, None] * np.concatenate(
        [R.reshape(3 * p, 6), rng.normal(size=(3 * p, n))], axis=1
    )
    return m, s, (np.linalg.qr(basis)[0][:, 6:] / np.sqrt(np.repeat(m, 3))[:, None]).reshape(p, 3, n)


def sums(m, s, phi):
    """S and H of a cloud."""
    u = np.concatenate([s[:, :, None], phi], axis=2)
    dots = np.einsum("p,pak,pbj->kjab", m, u, u)
    S = np.trace(dots, axis1=2, axis2=3)[..., None, None] * np.eye(3) - 0.5 * (dots + dots.swapaxes(2, 3))
    return S, np.stack(
        [dots[..., 1, 2] - dots[..., 2, 1], dots[..., 2, 0] - dots[..., 0, 2], dots[..., 0, 1] - dots[..., 1, 0]],
        axis=-1,
    )


@pytest.fixture(params=(pytest.param("masses", marks=pytest.mark.slow), "modes"))
def scene(request):
    return make_scene(request.param)


def make_scene(kind):
    """Two carriers, with two and seven coordinates; a state in which all moves; which unknowns there are."""
    rng = np.random.default_rng(3)
    k = sum(COUNTS)
    axis = rng.normal(size=(k, 3))
    axis /= np.linalg.norm(axis, axis=1)[:, None]
    mass, base, masses, modes, nodes, clouds = (
        rng.uniform(0.1, 0.5, k),
        rng.normal(size=(k, 3)),
        COUNTS,
        None,
        (),
        [None, None],
    )
    weight, J = rng.uniform(1, 2, N), rng.uniform(1, 2, (N, 3))
    if kind == "modes":
        masses = MASSES
        for b in range(N):
            own = slice(PTR[b] + masses[b], PTR[b + 1])
            mass[own], base[own], axis[own] = 1.0, 0.0, 0.0
            m, s, phi = clouds[b] = cloud(rng, COUNTS[b] - masses[b])
            weight[b], J[b] = m.sum(), (m[:, None] * ((s**2).sum(1)[:, None] - s**2)).sum(0)
        bends = [0.3 * rng.normal(size=(3, n, n)) for n in (1, 4)]
        modes = make_modes(
            [1, 4],
            masses,
            *zip(*(sums(*c) for c in clouds)),
            [clouds[0][1][2], clouds[1][1][4], clouds[1][1][5]],
            [np.vstack([clouds[b][2][i], rng.normal(size=(3, n))]) for b, i, n in ((0, 2, 1), (1, 4, 4), (1, 5, 4))],
            [None, bends[1] + bends[1].swapaxes(1, 2), None],
        )
    c = make_carriers(
        (0, 1),
        AT,
        PTR,
        masses,
        (mass, base, axis, rng.uniform(1, 2, k), rng.uniform(0.1, 0.2, k), rng.uniform(-1, 1, k)),
        nodes,
        7,
        modes,
    )
    rows = N + 1 + TAIL // layout.MOVES
    moves = layout.unknowns(N, TAIL)
    blocks = []
    for g in range(2):
        wide = layout.MOVES * (1 + -(-COUNTS[g] // layout.MOVES))
        own = np.concatenate([layout.MOVES * g + np.arange(6), FIRST + AT[g] + np.arange(wide - 6)])
        blocks.append((own[:, None] * moves + own).ravel())
    c.places[:] = np.concatenate(blocks)
    bodies = body_tables(
        weight, J, np.zeros((rows, 6)), np.array([0.3, -0.4, -9.8]), np.array([1, 1, 0], np.uint8), TAIL, c
    )
    free = layout.free(bodies).ravel()
    y = np.zeros(bodies.end)
    for b in range(N + 1):
        y[13 * b + 3] = 1.0
    y = moved(bodies, y, rng.normal(size=moves) * free, rng.normal(size=moves) * free)
    CLOUDS[:] = clouds
    return bodies, y, free, rng


CLOUDS: list = [None, None]


def attitudes(y):
    q = layout.rows(y, N + 1)[:, layout.QUATERNION]
    return Rotation.from_quat(q[:, [1, 2, 3, 0]])


def moved(bodies, y, d, du):
    """The state moved by d, its velocities changed by du: written with SciPy's rotations."""
    z = y.copy()
    turned = (attitudes(y) * Rotation.from_rotvec(layout.moves(d)[: N + 1, 3:])).as_quat()
    layout.rows(z, N)[:, layout.PLACE] += layout.moves(d)[:N, :3]
    layout.rows(z, N)[:, layout.QUATERNION] = turned[:N][:, [3, 0, 1, 2]]
    layout.speeds(z, N)[:] += layout.moves(du)[:N]
    layout.coordinates(z, bodies)[:] += d[FIRST:]
    layout.coordinate_rates(z, bodies)[:] += du[FIRST:]
    return z


def prepared(bodies, y):
    prepare_coupled(bodies, y, attitudes(y).as_matrix().reshape(-1, 9))


def points(bodies, y):
    """Of each mass and particle: its mass, velocity and J (3, moves) with x' = J u, and J' u."""
    c, A, q, v = (
        bodies.carriers,
        attitudes(y).as_matrix(),
        layout.coordinates(y, bodies),
        layout.coordinate_rates(y, bodies),
    )
    for b in range(N):
        o, w = 6 * b, layout.spins(y, N)[b]
        bodies_own = [
            (c.mass[PTR[b] + k], c.base[PTR[b] + k], k, c.axis[PTR[b] + k][:, None]) for k in range(c.masses[b])
        ]
        if CLOUDS[b] is not None:
            m, s, phi = CLOUDS[b]
            bodies_own += [(m[i], s[i], c.masses[b], phi[i]) for i in range(len(m))]
        for m, at, first, shapes in bodies_own:
            k = AT[b] + first + np.arange(shapes.shape[1])
            rho, rate = at + shapes @ q[k], shapes @ v[k]
            J = np.zeros((3, bodies.moves))
            J[:, o : o + 3] = np.eye(3)
            J[:, o + 3 : o + 6] = A[b] @ np.cross(np.eye(3), rho).T
            J[:, FIRST + k] = A[b] @ shapes
            yield m, y[13 * b : 13 * b + 3] + A[b] @ rho, J, A[b] @ np.cross(w, np.cross(w, rho) + 2.0 * rate)


def mass_matrix(bodies, y):
    """M as the sum of J^T m J."""
    M = np.zeros((bodies.moves, bodies.moves))
    for b in range(N):
        if CLOUDS[b] is None:
            M[6 * b : 6 * b + 3, 6 * b : 6 * b + 3] += bodies.mass[b] * np.eye(3)
            M[6 * b + 3 : 6 * b + 6, 6 * b + 3 : 6 * b + 6] += np.diag(bodies.J[b])
    for m, _, J, _ in points(bodies, y):
        M += m * J.T @ J
    return M


def speeds(bodies, y):
    return np.concatenate([layout.speeds(y, N + 1).ravel(), layout.coordinate_rates(y, bodies)])


def times(bodies, scale, u):
    out = np.zeros(bodies.moves, np.asarray(u).dtype)
    multiply_coupled(bodies, scale, u)
    give_coupled(bodies, out, False)
    return out


def forces(bodies, y):
    prepared(bodies, y)
    F = np.zeros(bodies.moves)
    coupled_forces(bodies, y, F)
    return F


@pytest.mark.parametrize("kind", (float, complex))
def test_mass_and_its_inverse(scene, kind):
    bodies, y, free, rng = scene
    prepared(bodies, y)
    u = (rng.normal(size=bodies.moves) + (1j * rng.normal(size=bodies.moves) if kind is complex else 0.0)) * free
    assert (
        np.abs(
            times(bodies, 2.0 if kind is float else 2.0 + 1j, u)
            - (2.0 if kind is float else 2.0 + 1j) * mass_matrix(bodies, y) @ u
        ).max()
        < 1e-13
    )
    F = times(bodies, 1.0 if kind is float else 1.0 + 0j, u)
    solve_coupled(bodies, F)
    F[:] = 0.0  # what is kept does not need it any more
    give_coupled(bodies, F, False)
    assert np.abs(F - u).max() < 1e-13


def test_an_impulse_on_one_body(scene):
    bodies, y, free, rng = scene
    prepared(bodies, y)
    f = rng.normal(size=8)
    out, right = np.zeros(bodies.moves), np.zeros(bodies.moves)
    respond_coupled(bodies, 1, f, 2, out)
    right[6:12] = f[2:]
    M = mass_matrix(bodies, y)[np.ix_(free, free)]
    assert np.abs(out[free] - np.linalg.solve(M, right[free])).max() < 1e-13


def test_forces_energy_and_momentum_are_those_of_the_points(scene):
    bodies, y, _, _ = scene
    c, F, out = bodies.carriers, forces(bodies, y), np.zeros(12)
    right, u = np.zeros(bodies.moves), speeds(bodies, y)
    kinetic, momentum, moment = 0.0, np.zeros(3), np.zeros(3)
    for b in range(N):
        w, A = layout.spins(y, N)[b], attitudes(y).as_matrix()[b]
        F[6 * b : 6 * b + 3] += bodies.mass[b] * bodies.gravity
        F[6 * b + 3 : 6 * b + 6] -= np.cross(w, bodies.J[b] * w)
        if CLOUDS[b] is None:
            p = bodies.mass[b] * layout.velocities(y, N)[b]
            right[6 * b : 6 * b + 3] += bodies.mass[b] * bodies.gravity
            right[6 * b + 3 : 6 * b + 6] -= np.cross(w, bodies.J[b] * w)
            momentum, moment = momentum + p, moment + np.cross(layout.places(y, N)[b], p) + A @ (bodies.J[b] * w)
    for m, x, J, bias in points(bodies, y):
        right += m * J.T @ (bodies.gravity - bias)
        kinetic += 0.5 * m * (J @ u) @ (J @ u)
        momentum, moment = momentum + m * J @ u, moment + m * np.cross(x, J @ u)
    for g in range(N):
        k = PTR[g] + np.arange(COUNTS[g])
        q, v = (f(y, bodies)[AT[g] : AT[g] + COUNTS[g]] for f in (layout.coordinates, layout.coordinate_rates))
        right[FIRST + AT[g] : FIRST + AT[g] + COUNTS[g]] -= c.stiffness[k] * (q - c.length[k]) + c.damping[k] * v
    assert np.abs(F - right).max() < 1e-13
    coupled_momenta(bodies, y, out)
    # without what inertia of them is in the forces, gravity is left
    F, pull, turn = forces(bodies, y), out[6:9].copy(), out[9:].copy()
    for b in range(N):
        r, f = layout.places(y, N)[b], F[6 * b : 6 * b + 3] + bodies.mass[b] * bodies.gravity
        pull, turn = pull + f, turn + np.cross(r, f) + attitudes(y).as_matrix()[b] @ F[6 * b + 3 : 6 * b + 6]
        if CLOUDS[b] is None:
            pull = pull - bodies.mass[b] * bodies.gravity
            turn = turn - np.cross(r, bodies.mass[b] * bodies.gravity)
    for m, x, _, _ in points(bodies, y):
        pull, turn = pull - m * bodies.gravity, turn - m * np.cross(x, bodies.gravity)
    assert max(np.abs(pull).max(), np.abs(turn).max()) < 1e-12
    for b in range(N):
        p = bodies.mass[b] * layout.velocities(y, N)[b]
        out[:3] += p
        out[3:6] += np.cross(layout.places(y, N)[b], p) + attitudes(y).as_matrix()[b] @ (
            bodies.J[b] * layout.spins(y, N)[b]
        )
    assert np.abs(out[:6] - np.concatenate([momentum, moment])).max() < 1e-13
    if CLOUDS[0] is not None:
        assert coupled_energies(bodies, y)[0] + layout.kinetic(bodies.mass, bodies.J, y) == pytest.approx(
            kinetic, rel=1e-14
        )


def test_derivatives_of_forces(scene):
    bodies, y, free, rng = scene
    K, C = np.zeros((2, bodies.moves**2))
    prepared(bodies, y)
    coupled_stiffness(bodies, y, K, C)
    d, none, h = rng.normal(size=bodies.moves) * free, np.zeros(bodies.moves), 1e-6
    for matrix, a, b in ((K, d, none), (C, none, d)):
        slope = (forces(bodies, moved(bodies, y, h * a, h * b)) - forces(bodies, moved(bodies, y, -h * a, -h * b))) / (
            2 * h
        )
        exact = -matrix.reshape(bodies.moves, -1) @ d
        assert np.abs(slope - exact).max() < 1e-8 * np.abs(exact).max()


def test_derivatives_of_inertia(scene):
    bodies, y, free, rng = scene
    acc, d = rng.normal(size=(2, bodies.moves)) * free
    data, h = np.zeros(bodies.moves**2), 1e-6
    prepared(bodies, y)
    coupled_mass(bodies, 0.0, 0.0, 1.0, y, acc, data)

    def inertia(z):
        prepared(bodies, z)
        return times(bodies, 1.0, acc)

    none = np.zeros(bodies.moves)
    slope = (inertia(moved(bodies, y, h * d, none)) - inertia(moved(bodies, y, -h * d, none))) / (2 * h)
    exact = data.reshape(bodies.moves, -1) @ d
    assert np.abs(slope - exact).max() < 1e-8 * np.abs(exact).max()
    data[:] = 0.0
    prepared(bodies, y)
    coupled_mass(bodies, 0.7, 0.3, 0.0, y, acc, data)
    x = 0.7 * d
    for b in range(N):
        x[6 * b + 3 : 6 * b + 6] += 0.3 * np.cross(layout.spins(y, N)[b], d[6 * b + 3 : 6 * b + 6])
    assert np.abs(data.reshape(bodies.moves, -1) @ d - mass_matrix(bodies, y) @ x).max() < 1e-13


def test_power_balance(scene):
    """d/dt (kinetic + potential energy) is what the dampers take, along the motion by M acc = F."""
    bodies, y, _, _ = scene
    F, acc = forces(bodies, y), np.zeros(bodies.moves)
    for b in range(N):
        w = layout.spins(y, N)[b]
        F[6 * b : 6 * b + 3] += bodies.mass[b] * bodies.gravity
        F[6 * b + 3 : 6 * b + 6] -= np.cross(w, bodies.J[b] * w)
    solve_coupled(bodies, F)
    give_coupled(bodies, acc, False)
    u = speeds(bodies, y)

    def energy(z):
        prepared(bodies, z)
        own = layout.kinetic(bodies.mass, bodies.J, z) - bodies.mass @ (layout.places(z, N) @ bodies.gravity)
        return own + sum(coupled_energies(bodies, z))

    h = 1e-5
    at = lambda s: moved(bodies, y, s * u + 0.5 * s * s * acc, s * acc)
    assert (energy(at(h)) - energy(at(-h))) / (2 * h) == pytest.approx(coupled_power(bodies, y), rel=1e-6)


# ---- attachments -----------------------------------------------------------------------------------------------------
BODIES = 6


@pytest.fixture
def attached():
    return make_attached()


def make_attached(slides=False):
    """A part of five modes with three attachments, or of five masses that slide with nodes at three of them, among six
    bodies and ground, in a state in which all moves."""
    rng = np.random.default_rng(8)
    n = 5
    m, s, phi = cloud(rng, n)
    bends = rng.normal(size=(3, n, n))
    shapes = [np.vstack([phi[i], rng.normal(size=(3, n))]) for i in range(3)]
    modes = make_modes([n], [0], *zip(sums(m, s, phi)), s[:3], shapes, [bends + bends.swapaxes(1, 2), None, None])
    none, one = np.zeros((n, 3)), np.ones(n)
    axis = rng.normal(size=(n, 3))
    axis /= np.linalg.norm(axis, axis=1)[:, None]
    lines = (one, none, none) if not slides else (rng.uniform(0.1, 0.5, n), rng.normal(size=(n, 3)), axis)
    c = make_carriers(
        [1],
        [6],
        [0, n],
        [n if slides else 0],
        (*lines, one, one, 0 * one),
        [(3, 0, 0), (4, 0, 2), (5, 0, 4)] if slides else [(3, 0, -1), (4, 0, -2), (5, 0, -3)],
        BODIES + 1,
        None if slides else modes,
    )
    moves = layout.unknowns(BODIES, 12)  # six coordinates of nobody before those of the part
    own = np.concatenate([6 + np.arange(6), layout.MOVES * (BODIES + 2) + np.arange(6)])
    c.places[:] = (own[:, None] * moves + own).ravel()
    bodies = body_tables(
        np.ones(BODIES),
        np.ones((BODIES, 3)),
        np.zeros((BODIES + 3, 6)),
        np.zeros(3),
        np.ones(BODIES + 1, np.uint8),
        12,
        c,
    )
    y = np.zeros(bodies.end)
    layout.rows(y, BODIES + 1)[:, 3] = 1.0
    free = np.concatenate([own[:6], own[6:-1]])
    return bodies, y, free, rng


def put(bodies, y, u, du):
    """The state y with the coordinates of body 1 and its modes moved by u, rates by du, and its nodes placed."""
    z, first = y.copy(), layout.MOVES * (BODIES + 1)
    q = z[13 + 3 : 13 + 7]
    q[:] = (Rotation.from_quat(q[[1, 2, 3, 0]]) * Rotation.from_rotvec(u[9:12])).as_quat()[[3, 0, 1, 2]]
    z[13:16] += u[6:9]
    z[13 + 7 : 26] += du[6:12]
    layout.coordinates(z, bodies)[:] += u[first:]
    layout.coordinate_rates(z, bodies)[:] += du[first:]
    place_coupled(bodies, z)
    R = Rotation.from_quat(layout.rows(z, BODIES + 1)[:, [4, 5, 6, 3]]).as_matrix().reshape(-1, 9)
    prepare_coupled(bodies, z, R)
    prepare_slopes(bodies, z)
    return z


def between(a, b):
    """Moves of a body from the state a to b: translation, and rotation in its own axes."""
    turned = Rotation.from_quat(a[[4, 5, 6, 3]]).inv() * Rotation.from_quat(b[[4, 5, 6, 3]])
    return np.concatenate([b[:3] - a[:3], turned.as_rotvec()])


def test_motion_of_attachments(attached):
    """J, V and bias of nodes against differences of what `place` says."""
    bodies, y, free, rng = attached
    nodes, h, moves = bodies.carriers.nodes, 1e-5, bodies.moves
    start = lambda: np.where(np.isin(np.arange(moves), free), rng.normal(size=moves), 0.0)
    y = put(bodies, y, 0.4 * start(), start())
    u = np.zeros(moves)
    u[6:12], u[layout.MOVES * (BODIES + 1) :] = layout.body(y, 1)[7:], layout.coordinate_rates(y, bodies)
    d, acc, zero = start(), start(), np.zeros(moves)
    J, V, bias = nodes.J.copy(), nodes.V.copy(), nodes.bias.copy()
    for k, b in enumerate(nodes.body):
        at = lambda z, b=b: layout.body(z, b).copy()
        assert np.abs(J[k] @ u[free] - at(y)[7:]).max() < 1e-13
        back, forth = at(put(bodies, y, -h * d, zero)), at(put(bodies, y, h * d, zero))
        assert np.abs(between(back, forth) / (2 * h) - J[k] @ d[free]).max() < 1e-8
        assert np.abs((forth - back)[7:] / (2 * h) - V[k] @ d[free]).max() < 1e-8
        forth, back = (at(put(bodies, y, s * u + 0.5 * s * s * acc, s * acc)) for s in (h, -h))
        assert np.abs((forth - back)[7:] / (2 * h) - J[k] @ acc[free] - bias[k]).max() < 1e-7


def test_loads_on_attachments(attached):
    """What forces on nodes do to their carrier, and its derivative."""
    bodies, y, free, rng = attached
    moves = bodies.moves
    start = lambda: np.where(np.isin(np.arange(moves), free), rng.normal(size=moves), 0.0)
    y = put(bodies, y, 0.4 * start(), start())
    loads, d, h, zero = rng.normal(size=(3, 6)), start(), 1e-6, np.zeros(moves)

    def condensed(z):
        put(bodies, z, zero, zero)
        F = np.zeros(moves)
        for b, load in zip(bodies.carriers.nodes.body, loads):
            F[6 * b : 6 * b + 6] = load
        condense_coupled(bodies, F)
        return F

    slope = (condensed(put(bodies, y, h * d, zero)) - condensed(put(bodies, y, -h * d, zero))) / (2 * h)
    K, C = np.zeros((2, moves**2))
    condensed(y)
    coupled_node_stiffness(bodies, y, K, C)
    assert not C.any()
    assert np.abs(slope + K.reshape(moves, -1) @ d).max() < 1e-8 * np.abs(slope).max()
