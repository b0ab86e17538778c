"""Cables in absolute coordinates by the formulas of their documentation, written out here over Gauss points: shapes,
masses, strain energy, forces with dampers, power, resultants; matrices by differences.  Kernels run as plain Python."""

import numpy as np
import pytest
from scipy.interpolate import CubicHermiteSpline

from holonom._jit import interpreted
from holonom.elements.absolute import cable, planar_cable
from holonom.elements.absolute.lumping import unity

EA, EI, MASS, TAU, L, E0, UNIT = 300.0, 2.0, 0.8, 0.02, 0.7, 0.03, 0.25
#: kind, axis that is held (none in space)
CASES = {"space": (cable, None), "x": (planar_cable, 0), "y": (planar_cable, 1), "z": (planar_cable, 2)}
every = pytest.mark.parametrize("name", CASES)


def element(name, damped=True):
    """Row of data, and coordinates and rates of a bent, stretched, moving element."""
    kind, held = CASES[name]
    p = np.array([[EA, EI, MASS, TAU if damped else 0.0, L, E0, *([] if held is None else [float(held)])]])
    r = np.random.default_rng(3)
    q = np.array([[0, 0, 0], [UNIT, 0, 0], [L, 0, 0], [UNIT, 0, 0]]) + 0.1 * r.normal(size=(4, 3))
    v = r.normal(size=(4, 3))
    if held is not None:
        q, v = np.roll(q, held - 2, axis=1), np.roll(v, held - 2, axis=1)
        q[:, held] = v[:, held] = 0.0
    return kind, p, kind.rows(q.reshape(1, 12), p, UNIT), q.ravel(), v.ravel()


def along(q, points):
    """r', r'' (points, 3) by the unloaded length, by SciPy's cubic, and the weights of Gauss points."""
    x, w = np.polynomial.legendre.leggauss(points)
    ends = q.reshape(4, 3)
    spline = CubicHermiteSpline([0.0, L], ends[[0, 2]], ends[[1, 3]] / UNIT)
    at = 0.5 * L * (x + 1)
    return spline(at, 1), spline(at, 2), 0.5 * L * w


def strains(q):
    a, _, w = along(q, 5)
    return np.linalg.norm(a, axis=1) - 1.0 - E0, w


def curvatures(q):
    """k (3 points, 3), t' of the unit tangent t."""
    a, c, w = along(q, 3)
    s = np.linalg.norm(a, axis=1)[:, None]
    t = a / s
    return (c - (c * t).sum(1)[:, None] * t) / s, w, t


def energy(q):
    e, w = strains(q)
    k, u, _ = curvatures(q)
    return 0.5 * EA * w @ e**2 + 0.5 * EI * u @ (k**2).sum(1)


def slope(f, q, d, h=1e-6):
    return (f(q + h * d) - f(q - h * d)) / (2 * h)


def rates(q, v):
    """Rates of the strains, and those of the curvatures across the axis."""
    k_rate = slope(lambda x: curvatures(x)[0], q, v)
    t = curvatures(q)[2]
    return slope(lambda x: strains(x)[0], q, v), k_rate - (k_rate * t).sum(1)[:, None] * t


def work(q, v, d):
    """Of the forces on a displacement d: - int EA (e + tau e') de + EI (k + tau P k') dk."""
    (e, w), (k, u, _), (e1, k1) = strains(q), curvatures(q), rates(q, v)
    de, dk = slope(lambda x: strains(x)[0], q, d), slope(lambda x: curvatures(x)[0], q, d)
    return -EA * w @ ((e + TAU * e1) * de) - EI * u @ ((k + TAU * k1) * dk).sum(1)


def forces(kind, data, q, v):
    f = np.full(12, np.nan)
    interpreted(kind.forces)(data, 0, q, v, f)
    return f


@every
def test_forces_and_energies(name):
    kind, _, data, q, v = element(name)
    r = np.random.default_rng(4)
    stored, power = interpreted(kind.energies)(data, 0, q, v)[:2]
    assert stored == pytest.approx(energy(q), rel=1e-12)
    (_, w), (_, u, _), (e1, k1) = strains(q), curvatures(q), rates(q, v)
    assert power == pytest.approx(-TAU * (EA * w @ e1**2 + EI * u @ (k1**2).sum(1)), rel=1e-7)
    f, still = forces(kind, data, q, v), forces(kind, data, q, 0 * v)
    for _ in range(3):
        d = r.normal(size=12) * (q != 0.0) if CASES[name][1] is not None else r.normal(size=12)
        assert f @ d == pytest.approx(work(q, v, d), rel=1e-6)
        assert still @ d == pytest.approx(-slope(energy, q, d), rel=1e-6)
    _, _, bare, _, _ = element(name, damped=False)
    np.testing.assert_allclose(forces(kind, bare, q, v), still, atol=1e-12)
    assert interpreted(kind.energies)(bare, 0, q, v)[1] == 0.0


@every
@pytest.mark.parametrize("damped", [True, False])
def test_matrices(name, damped):
    kind, _, data, q, v = element(name, damped)
    K, C = np.full((12, 12), np.nan), np.full((12, 12), np.nan)
    assert bool(interpreted(kind.stiffness)(data, 0, q, v, K, C)) == damped
    want = np.array([-slope(lambda x: forces(kind, data, x, v), q, d) for d in np.eye(12)]).T
    np.testing.assert_allclose(K, want, atol=1e-6 * np.abs(want).max())
    if damped:
        want = np.array([-slope(lambda x: forces(kind, data, q, x), v, d) for d in np.eye(12)]).T
        np.testing.assert_allclose(C, want, atol=1e-8 * np.abs(want).max())


def test_shapes_and_masses():
    """Cubics with unit values and slopes at the ends; the mass their exact integral."""
    x = np.array([0.0, 0.31, 0.77, 1.0])
    n, d, b = cable.shapes(x, L, UNIT)
    x9, w9 = np.polynomial.legendre.leggauss(9)
    fine = []
    for k in range(4):
        ends = np.zeros((2, 2))
        ends[k % 2, k // 2] = 1.0 if k % 2 == 0 else 1 / UNIT
        spline = CubicHermiteSpline([0.0, L], *ends)
        for have, nu in ((n, 0), (d, 1), (b, 2)):
            np.testing.assert_allclose(have[k], spline(L * x, nu), atol=1e-12)
        fine.append(spline(0.5 * L * (x9 + 1)))
    exact = MASS * 0.5 * L * np.einsum("ig,jg,g->ij", fine, fine, w9)
    p = element("space")[1]
    np.testing.assert_allclose(cable.masses(None, p, UNIT)[0], np.kron(exact, np.eye(3)), atol=1e-14)
    np.testing.assert_allclose(cable.weights(p[0], 0.31, UNIT), [n[:, 1], d[:, 1]], atol=1e-15)
    one = np.kron(unity(cable)[0], [1.0, 0, 0])
    assert one @ cable.masses(None, p, UNIT)[0] @ one == pytest.approx(MASS * L)


@every
def test_resultants(name):
    """The axial force of the straight line that fits the strain best over the element, the moment of the curvature."""
    kind, p, _, q, _ = element(name)
    a, c, _ = along(q, 5)
    x, w = np.polynomial.legendre.leggauss(5)
    line = np.polynomial.legendre.legfit(x, np.linalg.norm(a, axis=1) - 1.0, 1, w=np.sqrt(w))
    for xi in (0.0, 0.4, 1.0):
        ends = q.reshape(4, 3)
        spline = CubicHermiteSpline([0.0, L], ends[[0, 2]], ends[[1, 3]] / UNIT)
        a, c = spline(xi * L, 1), spline(xi * L, 2)
        k = np.cross(a, c) / (a @ a)
        k = np.linalg.norm(k) if CASES[name][1] is None else k[CASES[name][1]]
        e = np.polynomial.legendre.legval(2 * xi - 1, line)
        found = kind.resultants(p[0], xi, q[None], UNIT)[0]
        np.testing.assert_allclose(found[:4], [EA * (e - E0), EI * k, e, k], rtol=1e-10)
