"""Bodies whose masses couple coordinates: M, its inverse, forces and all derivatives, against Jacobians written out independently."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from holonom.elements.bodies import carrier, layout
from holonom.elements.bodies.carrier import make_carriers
from holonom.elements.bodies.tables import body_tables

N, COUNTS, AT, PTR, TAIL = 2, (2, 7), (0, 6), (0, 2, 9), 18
FIRST = layout.MOVES * (N + 1)
BODY = layout.STATE * (N + 1)


@pytest.fixture
def scene():
    """Two carriers, with two and seven masses; a state in which all moves; which unknowns there are."""
    rng = np.random.default_rng(3)
    k = sum(COUNTS)
    axis = rng.normal(size=(k, 3))
    axis /= np.linalg.norm(axis, axis=1)[:, None]
    c = make_carriers((0, 1), AT, PTR, rng.uniform(0.1, 0.5, k), rng.normal(size=(k, 3)), axis, rng.uniform(1, 2, k), rng.uniform(0.1, 0.2, k),
                      rng.uniform(-1, 1, k))  # fmt: skip
    rows = N + 1 + TAIL // layout.MOVES
    moves = layout.unknowns(N, TAIL)
    blocks = []
    for g in range(2):
        wide = layout.MOVES * (1 + -(-COUNTS[g] // layout.MOVES))
        own = np.concatenate([layout.MOVES * g + np.arange(6), FIRST + AT[g] + np.arange(wide - 6)])
        blocks.append((own[:, None] * moves + own).ravel())
    c.places[:] = np.concatenate(blocks)
    bodies = body_tables(rng.uniform(1, 2, N), rng.uniform(1, 2, (N, 3)), np.zeros((rows, 6)), np.array([0.3, -0.4, -9.8]),
                         np.array([1, 1, 0], np.uint8), TAIL, c)  # fmt: skip
    free = layout.free(bodies).ravel()
    y = np.zeros(bodies.end)
    for b in range(N + 1):
        y[13 * b + 3] = 1.0
    y = moved(bodies, y, rng.normal(size=moves) * free, rng.normal(size=moves) * free)
    return bodies, y, free, rng


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
    carrier.prepare(bodies.carriers, bodies, y, attitudes(y).as_matrix().reshape(-1, 9))


def mass_matrix(bodies, y):
    """M as the sum of J^T m J."""
    M = np.zeros((bodies.moves, bodies.moves))
    c, A = bodies.carriers, attitudes(y).as_matrix()
    for b in range(N):
        o = 6 * b
        M[o : o + 3, o : o + 3] += bodies.mass[b] * np.eye(3)
        M[o + 3 : o + 6, o + 3 : o + 6] += np.diag(bodies.J[b])
        for k in range(COUNTS[b]):
            i = PTR[b] + k
            rho = c.base[i] + c.axis[i] * layout.coordinates(y, bodies)[AT[b] + k]
            J = np.zeros((3, bodies.moves))
            J[:, o : o + 3] = np.eye(3)
            J[:, o + 3 : o + 6] = A[b] @ np.cross(np.eye(3), rho).T
            J[:, FIRST + AT[b] + k] = A[b] @ c.axis[i]
            M += c.mass[i] * J.T @ J
    return M


def times(bodies, scale, u):
    out = np.zeros(bodies.moves, np.asarray(u).dtype)
    carrier.multiply(bodies.carriers, bodies, scale, u)
    carrier.give(bodies.carriers, bodies, out, False)
    return out


def forces(bodies, y):
    prepared(bodies, y)
    F = np.zeros(bodies.moves)
    carrier.forces(bodies.carriers, bodies, y, F)
    return F


@pytest.mark.parametrize("kind", (float, complex))
def test_mass_and_its_inverse(scene, kind):
    bodies, y, free, rng = scene
    prepared(bodies, y)
    u = (rng.normal(size=bodies.moves) + (1j * rng.normal(size=bodies.moves) if kind is complex else 0.0)) * free
    assert (
        np.abs(
            times(bodies, 2.0 if kind is float else 2.0 + 1j, u) - (2.0 if kind is float else 2.0 + 1j) * mass_matrix(bodies, y) @ u
        ).max()
        < 1e-13
    )
    F = times(bodies, 1.0 if kind is float else 1.0 + 0j, u)
    carrier.solve(bodies.carriers, bodies, F)
    F[:] = 0.0  # what is kept does not need it any more
    carrier.give(bodies.carriers, bodies, F, False)
    assert np.abs(F - u).max() < 1e-13


def test_an_impulse_on_one_body(scene):
    bodies, y, free, rng = scene
    prepared(bodies, y)
    f = rng.normal(size=8)
    out, right = np.zeros(bodies.moves), np.zeros(bodies.moves)
    carrier.respond_one(bodies.carriers, bodies, 1, f, 2, out)
    right[6:12] = f[2:]
    M = mass_matrix(bodies, y)[np.ix_(free, free)]
    assert np.abs(out[free] - np.linalg.solve(M, right[free])).max() < 1e-13


def test_derivatives_of_forces(scene):
    bodies, y, free, rng = scene
    K, C = np.zeros((2, bodies.moves**2))
    prepared(bodies, y)
    carrier.stiffness(bodies.carriers, bodies, y, K, C)
    d, none, h = rng.normal(size=bodies.moves) * free, np.zeros(bodies.moves), 1e-6
    for matrix, a, b in ((K, d, none), (C, none, d)):
        slope = (forces(bodies, moved(bodies, y, h * a, h * b)) - forces(bodies, moved(bodies, y, -h * a, -h * b))) / (2 * h)
        exact = -matrix.reshape(bodies.moves, -1) @ d
        assert np.abs(slope - exact).max() < 1e-8 * np.abs(exact).max()


def test_derivatives_of_inertia(scene):
    bodies, y, free, rng = scene
    acc, d = rng.normal(size=(2, bodies.moves)) * free
    data, h = np.zeros(bodies.moves**2), 1e-6
    prepared(bodies, y)
    carrier.mass_entries(bodies.carriers, bodies, 0.0, 0.0, 1.0, y, acc, data)

    def inertia(z):
        prepared(bodies, z)
        return times(bodies, 1.0, acc)

    none = np.zeros(bodies.moves)
    slope = (inertia(moved(bodies, y, h * d, none)) - inertia(moved(bodies, y, -h * d, none))) / (2 * h)
    exact = data.reshape(bodies.moves, -1) @ d
    assert np.abs(slope - exact).max() < 1e-8 * np.abs(exact).max()
    data[:] = 0.0
    prepared(bodies, y)
    carrier.mass_entries(bodies.carriers, bodies, 0.7, 0.3, 0.0, y, acc, data)
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
    carrier.solve(bodies.carriers, bodies, F)
    carrier.give(bodies.carriers, bodies, acc, False)
    u = np.concatenate([layout.speeds(y, N + 1).ravel(), layout.coordinate_rates(y, bodies)])

    def energy(z):
        prepared(bodies, z)
        own = layout.kinetic(bodies.mass, bodies.J, z) - bodies.mass @ (layout.places(z, N) @ bodies.gravity)
        return own + sum(carrier.energies(bodies.carriers, bodies, z))

    h = 1e-5
    at = lambda s: moved(bodies, y, s * u + 0.5 * s * s * acc, s * acc)
    assert (energy(at(h)) - energy(at(-h))) / (2 * h) == pytest.approx(carrier.damped(bodies.carriers, bodies, y), rel=1e-6)
