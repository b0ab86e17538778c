"""Finite elements and sections by closed forms that are written here: Timoshenko's beam from its differential
equation, torsion of rectangles by its series, shells, superelements, spiders, what modes leave out, hanging chains,
axes of rods."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.linalg as la
import scipy.sparse as sp
from numpy.polynomial import Polynomial as P
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

import holonom as hn
from holonom.flexible import (
    Material,
    Mesh,
    Section,
    beam,
    beams,
    box,
    catenary,
    cells,
    plate,
    reduce,
    reduction,
    residual,
    shell,
    spiders,
)
from holonom.flexible.rod import _between, _carried, carried, outer_radius, without_jump
from holonom.flexible.superelement import Superelement

E, G, RHO = 2.1e11, 8.1e10, 7850.0
SECTION = Section(3e-4, 2e-8, 7e-8, 5e-8, 0.7, 0.8)


# ---- beams -----------------------------------------------------------------------------------------------------------
def bending(I, k, l):
    """Deflections and rotations (4 polynomials each) of a beam by unit displacements of its ends: E I r'' + k G A (v' -
    r) = 0, (v' - r)' = 0, so that v is a cubic and r = v' + 6 c E I/(k G A), c its highest coefficient."""
    gap = 6 * E * I / (k * G * SECTION.A) if k else 0.0
    v = lambda x: np.array([1, x, x**2, x**3])
    r = lambda x: np.array([0, 1, 2 * x, 3 * x**2 + gap])
    ends = np.linalg.inv(np.array([v(0), r(0), v(l), r(l)]))  # columns: coefficients
    deflected = [P(c) for c in ends.T]
    return deflected, [p.deriv() + gap * c[3] for p, c in zip(deflected, ends.T)]


def integral(p, l):
    return p.integ()(l) - p.integ()(0.0)


@pytest.mark.parametrize("shear", [True, False])
def test_beam_elements(shear):
    """Stiffness, mass and stress stiffness by exact integrals of the solution of the beam's equation."""
    s, l, N = SECTION, 0.37, 5e3
    if not shear:
        s = Section(s.A, s.Iy, s.Iz, s.J)
    K, M, S = np.zeros((3, 12, 12))
    pair, even = np.array([[1, -1], [-1, 1]]), np.array([[2, 1], [1, 2]]) / 6
    for at, k, m in (([0, 6], E * s.A / l, RHO * s.A * l), ([3, 9], G * s.J / l, RHO * (s.Iy + s.Iz) * l)):
        K[np.ix_(at, at)], M[np.ix_(at, at)] = k * pair, m * even
    S[np.ix_([3, 9], [3, 9])] = N * (s.Iy + s.Iz) / s.A / l * pair
    for at, sign, I, k in (([1, 5, 7, 11], 1, s.Iz, s.ky), ([2, 4, 8, 10], -1, s.Iy, s.kz)):
        v, r = bending(I, k, l)
        turn = np.array([1, sign, 1, sign])
        slim, _ = bending(I, 0.0, l)
        for a in range(4):
            for b in range(4):
                stiff = E * I * integral(r[a].deriv() * r[b].deriv(), l)
                if k:
                    stiff += k * G * s.A * integral((v[a].deriv() - r[a]) * (v[b].deriv() - r[b]), l)
                w = turn[a] * turn[b]
                K[at[a], at[b]] = w * stiff
                M[at[a], at[b]] = w * RHO * (s.A * integral(v[a] * v[b], l) + I * integral(r[a] * r[b], l))
                S[at[a], at[b]] = w * N * integral(slim[a].deriv() * slim[b].deriv(), l)
    found = (*beams.element(s, l, E, G, RHO), beams.stressed(s, l, N))
    for have, want in zip(found, (K, M, S)):
        size = np.sqrt(np.outer(np.diag(want), np.diag(want)))
        size[size == 0.0] = np.inf
        np.testing.assert_allclose(have / size, want / size, atol=1e-12)


def test_beams_in_space():
    """A bent line of elements: each its own matrix in its axes, G of Poisson's ratio, forces of sections by balance,
    the stiffness by stress of a pull."""
    y = np.array([0.1, 0.9, 0.2])
    fe = beam(
        (0, 0, 0), (0.6, 0.3, 0.9), SECTION, E=E, density=RHO, poisson=0.27, elements=2, y=y, via=[(0.5, 0.0, 0.1)]
    )
    K, M = np.zeros((2, 30, 30))
    tables = []
    for k in range(4):
        d = fe.places[k + 1] - fe.places[k]
        l = np.linalg.norm(d)
        across = np.cross(d / l, y)
        z = across / np.linalg.norm(across)
        T = np.kron(np.eye(4), np.array([d / l, np.cross(z, d / l), z]))
        own, mass = beams.element(SECTION, l, E, E / 2 / 1.27, RHO)
        at = slice(6 * k, 6 * k + 12)
        K[at, at] += T.T @ own @ T
        M[at, at] += T.T @ mass @ T
        tables.append((T, own, l))
    np.testing.assert_allclose(fe.K.toarray(), K, atol=1e-12 * np.abs(K).max())
    np.testing.assert_allclose(fe.M.toarray(), M, atol=1e-12 * np.abs(M).max())
    # held at one end, a force and a moment at the other: what sections carry
    F, C = np.array([300.0, -200.0, 500.0]), np.array([20.0, 30.0, -10.0])
    u = np.zeros(30)
    u[6:] = np.linalg.solve(K[6:, 6:], np.concatenate([np.zeros(18), F, C]))
    found = fe.sections.forces(u[:, None])[:, :, 0]
    assert fe.sections.station.tolist() == [0, 1, 2, 2, 3, 4]
    for p, triad, got in zip(fe.sections.station, fe.sections.triad, found):
        moment = C + np.cross(fe.places[4] - fe.places[p], F)
        np.testing.assert_allclose(got, [*(triad.T @ F), *(triad.T @ moment)], atol=1e-6)
    a = np.random.default_rng(1).normal(size=(30, 1))  # accelerations of the mass between nodes
    spread = fe.sections.spread(a)[0, :, 0]
    mass = beams.element(SECTION, tables[0][2], E, E / 2 / 1.27, RHO)[1]
    np.testing.assert_allclose(spread, (mass @ (tables[0][0] @ a[:12, 0]))[:6], rtol=1e-12)
    T, _, l = tables[3]
    pull = np.zeros(30)
    pull[24:27] = 1e-3 * T[0, :3]
    S = fe.geometric(pull).toarray()
    np.testing.assert_allclose(S[18:, 18:], T.T @ beams.stressed(SECTION, l, E * SECTION.A * 1e-3 / l) @ T, atol=1e-6)


# ---- sections --------------------------------------------------------------------------------------------------------
def torsion(a, b):
    """J and the shear stresses of a unit torque in the middle of the long (a) and of the short sides (b) of a
    rectangle, by the series of Prandtl's stress function (Timoshenko, Goodier, art. 94)."""
    n = np.arange(1, 400, 2)
    h = np.minimum(n * np.pi * a / 2 / b, 300.0)
    J = a * b**3 / 3 * (1 - 192 * b / np.pi**5 / a * np.sum(np.tanh(h) / n**5))
    n = np.arange(1, 200001, 2)
    h = np.minimum(n * np.pi * a / 2 / b, 300.0)
    alternate = np.where(n % 4 == 1, 1.0, -1.0)
    long = b / J * (1 - 8 / np.pi**2 * np.sum(1 / n**2 / np.cosh(h)))
    return J, long, b / J * 8 / np.pi**2 * np.sum(alternate * np.tanh(h) / n**2)


@pytest.mark.parametrize("y, z", [(0.03, 0.03), (0.05, 0.03), (0.02, 0.09)])
def test_rectangles(y, z):
    """Moments by integrals; torsion by its series (Roark's formulas are within half a percent); stresses in the middle
    of each side by each force."""
    s = Section.rectangle(y, z, shear=True)
    assert (s.A, s.Iy, s.Iz) == pytest.approx((y * z, y * z**3 / 12, z * y**3 / 12), rel=1e-14)
    assert s.ky == s.kz == pytest.approx(5 / 6)
    J, long, short = torsion(max(y, z), min(y, z))
    assert s.J == pytest.approx(J, rel=5e-3) and 1 / s.Wt == pytest.approx(long, rel=6e-3)
    on_y, on_z = (short, long) if y > z else (long, short)
    law = {tuple(np.round([2 * p / y, 2 * q / z]).astype(int)): rows for (p, q), rows in zip(s.fibres, s.law)}
    assert set(law) == {(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1)} - {(0, 0)}
    for (i, j), rows in law.items():
        np.testing.assert_allclose(rows[0], [1 / s.A, 0, 0, 0, 0.5 * j * z / s.Iy, -0.5 * i * y / s.Iz], rtol=1e-13)
        want = np.zeros((2, 3))  # xy and xz by Vy, Vz, T
        if j == 0:
            want[1] = 0, 1.5 / s.A, i * on_y
        elif i == 0:
            want[0] = 1.5 / s.A, 0, -j * on_z
        np.testing.assert_allclose(rows[1:, 1:4], want, rtol=1e-2)
        assert not rows[1:, [0, 4, 5]].any()
    if y != z:
        assert s.law[0, 2, 3] / s.law[1, 1, 3] == pytest.approx(-on_y / on_z, rel=2e-4)


@pytest.mark.parametrize("hollow", [0.0, 0.012])
def test_rounds(hollow):
    """Moments by integrals in polar coordinates; stresses on the rim, the largest by a transverse force on the neutral
    axis by Jourawski's formula."""
    R = 0.02
    s = Section.round(R, hollow, shear=True)
    area = 2 * np.pi * quad(lambda r: r, hollow, R)[0]
    second = np.pi * quad(lambda r: r**3, hollow, R)[0]
    assert (s.A, s.Iy, s.Iz, s.J) == pytest.approx((area, second, second, 2 * second), rel=1e-12)
    assert s.Wt == pytest.approx(2 * second / R) and s.ky == s.kz == pytest.approx(0.9 - 0.4 * (hollow / R) ** 2)
    assert Section.round(R, hollow).ky == 0.0
    half = 2 * quad(lambda r: r**2, hollow, R)[0]  # static moment of half the section
    across = half / second / (2 * (R - hollow))
    for (p, q), rows in zip(s.fibres, s.law):
        along = np.array([-q, p]) / R
        assert np.hypot(p, q) == pytest.approx(R)
        np.testing.assert_allclose(rows[0], [1 / area, 0, 0, 0, q / second, -p / second], atol=1e-9 / second)
        want = np.outer(along, [along[0] * across, along[1] * across, R / 2 / second])
        np.testing.assert_allclose(rows[1:, 1:4], want, atol=1e-9 * across)
    bare = Section(1e-4, 2e-9, 3e-9, 4e-9, fibres=[(0.01, 0.0), (0.006, -0.008), (0, 0)], Wt=5e-7).law
    np.testing.assert_allclose(bare[:, 1:, 3], [[0, 2e6], [1.6e6, 1.2e6], [0, 0]], rtol=1e-12)
    np.testing.assert_allclose(bare[1, 0], [1e4, 0, 0, 0, -4e6, -2e6], rtol=1e-12)


# ---- shells ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", ["quad", "triangle"])
def test_inertia_and_stress_stiffness_of_a_shell(kind):
    """Rotary inertia rho t^3/12 of each normal as well as that of the plane; N int w,x^2 of a pulled plate."""
    mesh, t = plate((0, 0, 0), (1.2, 0, 0), (0, 0.8, 0), (3, 2), kind), 0.2
    for mass in ("consistent", "lumped"):
        fe = shell(mesh, Material(E, 0.3, RHO), t, mass=mass)
        R = fe.rigid(np.array([0.6, 0.4, 0.0]))
        J = (R.T @ (fe.M @ R))[3:, 3:]
        m = RHO * t * 0.96
        if mass == "consistent":
            want = np.diag([0.8**2, 1.2**2, 0.8**2 + 1.2**2]) / 12
        else:  # of points
            share = np.asarray(fe.M.sum(axis=1)).reshape(-1, 6)[:, 0] / m
            x, y, _ = (fe.places - [0.6, 0.4, 0]).T
            want = np.diag([share @ y**2, share @ x**2, share @ (x**2 + y**2)])
            want[0, 1] = want[1, 0] = -share @ (x * y)
        want += np.diag([t**2, t**2, 0.0]) / 12
        np.testing.assert_allclose(J, m * want, atol=1e-9 * m)
    x, y, _ = fe.places.T
    pull = np.zeros((len(x), 6))
    pull[:, 0], pull[:, 1] = 1e-3 * x, -0.3e-3 * y  # N_x alone
    tilt = np.zeros((len(x), 6))
    tilt[:, 2] = 0.4 * x - 0.7 * y
    S = fe.geometric(pull.ravel())
    assert tilt.ravel() @ (S @ tilt.ravel()) == pytest.approx(E * 1e-3 * t * 0.4**2 * 0.96, rel=1e-9)
    skew = np.zeros((len(x), 6))
    skew[:, 0] = 2e-3 * y  # N_xy alone
    S = fe.geometric(skew.ravel())
    assert tilt.ravel() @ (S @ tilt.ravel()) == pytest.approx(2 * E / 2.6 * 2e-3 * t * 0.4 * -0.7 * 0.96, rel=1e-9)


def test_cells_that_face_each_other_are_turned():
    """A closed strip of quadrilaterals and triangles of both hands: top stresses as of the strip of one hand."""
    angle = np.linspace(0, 2 * np.pi, 9)[:-1]
    ring = np.column_stack([np.cos(angle), np.sin(angle), 0 * angle])
    points = np.vstack([ring, ring + [0, 0, 0.5]])
    quads = np.array([[k, (k + 1) % 8, 8 + (k + 1) % 8, 8 + k] for k in range(6)])
    triangles = np.array([t for k in (6, 7) for t in ([k, (k + 1) % 8, 8 + (k + 1) % 8], [k, 8 + (k + 1) % 8, 8 + k])])
    u = np.random.default_rng(2).normal(size=(96, 1))
    want = shell(Mesh(points, {"quad": quads, "triangle": triangles}), Material(E, 0.3, RHO), 0.02).stress(u)
    for turned in ([1, 4], [2, 3, 5]):
        mixed, other = quads.copy(), triangles.copy()
        mixed[turned] = mixed[turned][:, ::-1]
        other[1:3] = other[1:3][:, ::-1]
        fe = shell(Mesh(points, {"quad": mixed, "triangle": other}), Material(E, 0.3, RHO), 0.02)
        np.testing.assert_allclose(fe.stress(u), want, atol=1e-7 * np.abs(want).max())


# ---- reduction -------------------------------------------------------------------------------------------------------
def test_a_superelement_is_the_body_it_was_made_of():
    """A beam reduced here, by Craig and Bampton, to its ends and all its modes: frequencies, mass, centre, inertia."""
    fe = beam((0.2, 0.1, 0), (0.7, 0.6, 0.3), SECTION, E=E, density=RHO, elements=3)
    K, M = fe.K.toarray(), fe.M.toarray()
    B, inner = np.r_[0:6, 18:24], np.r_[6:18]
    Z = np.zeros((24, 24))
    Z[B, np.arange(12)] = 1.0
    Z[np.ix_(inner, np.arange(12))] = -np.linalg.solve(K[np.ix_(inner, inner)], K[np.ix_(inner, B)])
    Z[np.ix_(inner, np.arange(12, 24))] = la.eigh(K[np.ix_(inner, inner)], M[np.ix_(inner, inner)])[1]
    # in coordinates that are mixed, so that those of modes take part in rigid motions
    Z[:, :12] += Z[:, 12:] @ np.random.default_rng(3).normal(size=(12, 12))
    both = [sp.csc_matrix(Z.T @ A @ Z) for A in (K, M)]
    s = Superelement([7, 9], fe.places[[0, 3]], *both)
    assert s.coordinates == 12
    about = np.array([0.3, -0.2, 0.5])
    np.testing.assert_allclose(Z @ s.rigid(about), fe.rigid(about), atol=1e-9)
    body, whole = s.reduced([7, 9], 12), reduce(fe, [1, 4], 12)
    np.testing.assert_allclose(body.frequency, whole.frequency, rtol=1e-7)
    assert body.mass == pytest.approx(whole.mass) and body.mass == pytest.approx(s.reduced([], 12).mass)
    np.testing.assert_allclose(body.centre, whole.centre, atol=1e-10)
    np.testing.assert_allclose(body.inertia, whole.inertia, rtol=1e-9, atol=1e-12)
    for k in range(18):  # shapes of both ends, up to their sign
        have, want = body.shapes[:, :, k].ravel(), whole.shapes[[0, 3], :, k].ravel()
        np.testing.assert_allclose(have * np.sign(have @ want), want, atol=1e-5 * np.abs(want).max())
    few = s.reduced([7, 9], 12, highest=1.0, mass_factor=4.0)
    assert few.modes == 6 and few.mass == pytest.approx(4 * whole.mass)


def test_static_shapes_alone_and_all_modes_of_a_free_body():
    """No mode beside the constraint modes: Guyan's condensed matrices; more modes than there are: the whole body.
    Displacements of second order of an interface, one matrix each along x, y, z, are symmetric."""
    fe = beam((0.2, 0.1, 0), (0.7, 0.6, 0.3), SECTION, E=E, density=RHO, elements=3)
    K, M = fe.K.toarray(), fe.M.toarray()
    B, inner = np.r_[0:6, 18:24], np.r_[6:18]
    Z = np.zeros((24, 12))
    Z[B, np.arange(12)] = 1.0
    Z[inner] = -np.linalg.solve(K[np.ix_(inner, inner)], K[np.ix_(inner, B)])
    few = reduce(fe, [1, 4], 0)
    np.testing.assert_allclose(few.frequency**2, la.eigh(Z.T @ K @ Z, Z.T @ M @ Z)[0][6:], rtol=1e-7)
    whole = reduce(fe, [], 100)
    np.testing.assert_allclose(whole.frequency**2, la.eigh(K, M)[0][6:], rtol=1e-6)
    assert (few.modes, whole.modes) == (6, 18)
    tied = reduction._Tied(fe, fe.K.tocsc(), fe.M.tocsc(), few.centre)
    X = few.shapes.reshape(24, 6)
    S = np.zeros((7, 7, 3, 3))
    found = reduction._stiffen(tied, reduction._supported(tied), X, X, few.centre, [1, 4], S)
    for matrices in found.values():
        assert matrices.shape == (3, 6, 6)
        np.testing.assert_allclose(matrices, matrices.transpose(0, 2, 1), atol=1e-12 * np.abs(matrices).max())


def test_accelerations_that_load_the_mass():
    """Of a spinning, accelerated body: -(W x (W x s)), -W' x s, and those of modes."""
    fe = beam((0.2, 0.1, 0), (0.7, 0.6, 0.3), SECTION, E=E, density=RHO, elements=3)
    centre, r = np.array([0.4, 0.3, 0.1]), np.random.default_rng(4)
    Phi, W, turn, lift, q = r.normal(size=(24, 2)), *r.normal(size=(3, 3)), r.normal(size=2)
    products = [W[a] * W[b] for a, b in residual.SPINS]
    have = (residual.fields(fe, centre, Phi) @ np.concatenate([lift, turn, products, q])).reshape(-1, 6)
    s = fe.places - centre
    want = np.zeros((4, 6))
    want[:, :3] = lift - np.cross(turn, s) - np.cross(W, np.cross(W, s))
    want[:, 3:] = -turn
    np.testing.assert_allclose(have, want - (Phi @ q).reshape(-1, 6), atol=1e-13)


def test_what_modes_leave_out():
    """Residual flexibility: the sum of phi phi^T f / w^2 over the modes that were not kept."""
    fe = beam((0.2, 0.1, 0), (0.7, 0.6, 0.3), SECTION, E=E, density=RHO, elements=3)
    K, M = fe.K.toarray(), fe.M.toarray()
    centre = fe.places.mean(0)
    values, modes = la.eigh(K, M)
    w, X = np.sqrt(values[6:]), modes[:, 6:]
    tied = reduction._Tied(fe, fe.K.tocsc(), fe.M.tocsc(), centre)
    ends = [(np.r_[6:12], np.eye(6)), (np.r_[18:24], np.eye(6))]
    found = residual.residual(tied, reduction._supported(tied), X[:, :5], w[:5], centre, ends)
    loads = np.hstack([M @ residual._spins(fe, centre), np.eye(24)[:, 6:12], np.eye(24)[:, 18:24]])
    want = X[:, 5:] @ ((X[:, 5:].T @ loads) / w[5:, None] ** 2)
    np.testing.assert_allclose(found, want, atol=1e-7 * np.abs(want).max())


@pytest.mark.parametrize("kind", ["hexahedron", "hexahedron20", "hexahedron27", "tetra", "tetra10"])
def test_surface_of_a_box(kind):
    """Of 2 x 2 x 1 cells: 16 squares, or twice as many triangles, with 18 corners, and sides by Euler's V - E + F = 2;
    sides in two pieces where they have a middle."""
    faces = cells.boundary(box((0, 0, 0), (2, 2, 1), (2, 2, 1), kind).cells)
    count = 32 if kind.startswith("tetra") else 16
    sides = 18 + count - 2
    linear = kind in ("hexahedron", "tetra")
    assert sum(len(f) for f in faces) == count
    lines = cells.edges(faces)
    assert len(lines) == (1 if linear else 2) * sides and len(np.unique(lines)) == 18 + (0 if linear else sides)
    small = {"hexahedron": 2, "hexahedron20": 6, "hexahedron27": 8, "tetra": 1, "tetra10": 4}[kind]  # drawn with
    assert len(cells.triangles(faces)) == small * count


def test_spiders():
    r = np.random.default_rng(5)
    s, x = r.normal(size=(2, 5, 3))
    np.testing.assert_allclose(np.einsum("kij,kj->ki", spiders.skew(s), x), np.cross(s, x), atol=1e-15)
    motion = r.normal(size=6)
    rigid = spiders.rigid_motions(s) @ motion
    np.testing.assert_allclose(rigid[:, :3], motion[:3] + np.cross(motion[3:], s), atol=1e-15)
    np.testing.assert_allclose(rigid[:, 3:], np.tile(motion[3:], (5, 1)), atol=0.0)
    nearest = spiders.nearest_rigid(1e3 * s)
    np.testing.assert_allclose(nearest @ (spiders.rigid_motions(1e3 * s) @ motion)[:, :3].ravel(), motion, atol=1e-12)
    u = r.normal(size=15)  # least squares: what is left is at right angles to rigid motions
    left = u - (spiders.rigid_motions(1e3 * s) @ (nearest @ u))[:, :3].ravel()
    np.testing.assert_allclose(spiders.rigid_motions(s)[:, :3].reshape(-1, 6).T @ left, 0, atol=1e-12)
    assert spiders.nearest_rigid(np.outer([0.0, 1.0, 2.0], [1.0, 2.0, 0.5])) is None


# ---- chains and rods -------------------------------------------------------------------------------------------------
def test_a_hanging_chain():
    """Each piece in balance: the horizontal pull the same, the vertical one falls by its weight; even along the arc."""
    down = np.array([0.3, -1.0, 0.2])
    down /= np.linalg.norm(down)
    a, b, length = np.array([1.0, 2.0, 0.5]), np.array([2.5, 1.4, -0.2]), 2.9
    p = catenary(a, b, length, down=2.0 * down, points=2001)
    np.testing.assert_allclose([p[0], p[-1]], [a, b], atol=1e-12)
    d = np.diff(p, axis=0)
    np.testing.assert_allclose(np.linalg.norm(d, axis=1), length / 2000, rtol=1e-6)
    side = (b - a) - ((b - a) @ down) * down
    side /= np.linalg.norm(side)
    steep = (d @ down) / (
        d @ side
    )  # of the cable's tangent: its rate over the arc is one over the radius at the bottom
    np.testing.assert_allclose(np.diff(steep), np.diff(steep).mean(), rtol=1e-5)
    np.testing.assert_allclose(np.cross(side, down) @ (p - a).T, 0, atol=1e-12)


def test_axes_along_a_rod():
    """Carried on by the smallest turn; of a closed rod without a jump; half the turn between two of them."""
    t = np.linspace(0, 2 * np.pi, 13)[:-1]
    ring = np.column_stack([np.cos(t), np.sin(t), 0.3 * np.sin(2 * t)])
    along = np.roll(ring, -1, axis=0) - ring
    along /= np.linalg.norm(along, axis=1)[:, None]
    axes = carried(along, (0.0, 0.1, 1.0))
    for a, b in zip(axes, axes[1:]):
        turn = np.cross(a[:, 0], b[:, 0])
        angle = np.arctan2(np.linalg.norm(turn), a[:, 0] @ b[:, 0])
        by = Rotation.from_rotvec(angle * turn / np.linalg.norm(turn)).as_matrix()
        np.testing.assert_allclose(b, by @ a, atol=1e-12)
        np.testing.assert_allclose(
            _between(a, b),
            Rotation.from_rotvec(0.5 * angle * turn / np.linalg.norm(turn)).as_matrix() @ a,
            atol=1e-12,
        )
    closed = without_jump(axes)
    again = _carried(closed[-1], along[0])
    first = np.arctan2(again[:, 1] @ closed[0][:, 2], again[:, 1] @ closed[0][:, 1])
    steps = [_carried(a, b[:, 0]) for a, b in zip(closed, closed[1:])]
    turned = [np.arctan2(a[:, 1] @ b[:, 2], a[:, 1] @ b[:, 1]) for a, b in zip(steps, closed[1:])]
    np.testing.assert_allclose(turned, first, atol=1e-12)  # the same small twist everywhere
    assert abs(first) < np.pi / 12 and 0.0 < abs(first)
    np.testing.assert_allclose([a.T @ a for a in closed], np.tile(np.eye(3), (12, 1, 1)), atol=1e-13)
    assert outer_radius(Section.round(0.03, 0.02)) == pytest.approx(0.03)
    assert outer_radius(Section.round(0.03)) == pytest.approx(0.03)
    assert outer_radius(Section.rectangle(0.03, 0.02)) == 0.0
    assert math.isclose(hn.flexible.rayleigh(3.0, 1e-4)(100.0), 0.02)


def test_deep_catenary():
    """A chain ten times as long as its ends are apart: length 2 a sinh(w/2a), depth a (cosh(w/2a) - 1); even arcs."""
    wide, length = 0.7, 7.0
    a = 0.5 * wide / brentq(lambda x: math.sinh(x) / x - length / wide, 2.0, 6.0)
    points = catenary((0, 0, 0), (wide, 0, 0), length, points=2001)
    assert points[1000] == pytest.approx([wide / 2, 0, -a * (math.cosh(wide / (2 * a)) - 1)], abs=1e-9)
    steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
    assert steps.sum() == pytest.approx(length, rel=1e-4) and np.median(steps) == pytest.approx(length / 2000, rel=1e-6)


def test_forces_in_the_arms_of_spiders():
    """The second derivative of the work of forces on arms that turn, by SciPy's rotations."""
    r, h = np.random.default_rng(21), 1e-3
    places, at, u, load = r.normal(size=(4, 3)), r.normal(size=3), r.normal(size=24), r.normal(size=24)
    K = sp.random(24, 24, 0.4, random_state=3)
    fe = SimpleNamespace(K=K, nodes=range(4), places=places, spiders=[SimpleNamespace(nodes=(11, 13, 10), at=at)])
    tied = SimpleNamespace(
        fe=fe, of={4: np.array([6, 7, 8, 9, 2, 4])}, number={10: 0, 11: 1, 12: 2, 13: 3}, R=range(12)
    )
    f = (K @ u - load).reshape(4, 6)[[1, 3, 0], :3]
    work = lambda w: np.sum(f * Rotation.from_rotvec(w).apply(places[[1, 3, 0]] - at))
    e = h * np.eye(3)
    second = [[(work(a + b) - work(a - b) - work(b - a) + work(-a - b)) / (4 * h * h) for a in e] for b in e]
    found = reduction._Tied.arms(tied, u, load).toarray()
    own = np.ix_([9, 2, 4], [9, 2, 4])
    np.testing.assert_allclose(found[own], second, atol=1e-5 * np.abs(second).max())
    found[own] = 0.0
    assert not found.any()


def test_modes_that_make_up_the_effective_mass():
    """Of each axis the fewest, the largest first, whose shares of the effective mass reach what is requested."""
    r = np.random.default_rng(22)
    low, R, share = np.linalg.qr(r.normal(size=(9, 9)))[0], r.normal(size=(9, 6)), 0.7
    mass = (low.T @ R) ** 2 / (R**2).sum(0)
    want = set()
    for d in range(6):
        order = sorted(range(9), key=lambda k: -mass[k, d])
        while sum(mass[k, d] for k in order[:-1]) >= share:
            order.pop()
        want |= set(order)
    assert reduction._enough(low, sp.identity(9).tocsr(), R, share).tolist() == sorted(want)
