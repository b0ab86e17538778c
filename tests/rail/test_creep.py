"""Hertz's ellipse, Kalker's table, creep laws: integrals, the printed table, limits, an independent FASTSIM,
CONTACT."""

import math

import _kalker
import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq

from holonom.elements.forces.rails.ellipse import C33, LAST, NODES, ellipse_table
from holonom.model import ModelError
from holonom.rail import creep_forces, hertz, kalker

LAWS = ("LINEAR", "JOHNSON_VERMEULEN", "SHEN_HEDRICK_ELKINS", "POLACH", "FASTSIM")


@pytest.mark.parametrize("cx, cy", [(2.2, 3.3), (2.2, 0.4), (1.0, 80.0), (2.0, 2.0)])
def test_ellipse_by_integrals(cx, cy):
    """Hertz's equations with the integrals of the potential done by quadrature (Love): no elliptic functions."""
    E, nu, N = 210e9, 0.27, 6e4
    found = hertz(N, cx, cy, E, nu)

    def whole(f):
        """Integral over t from 0 to infinity of f(t) / sqrt(t), t = tan^2."""
        g = lambda x: 2.0 * f(math.tan(x) ** 2) / math.cos(x) ** 2
        return quad(g, 0.0, 0.5 * math.pi, epsabs=0.0, epsrel=1e-10)[0]

    def ratio(k):  # b/a -> B/A
        return whole(lambda t: (1 + t) ** -0.5 * (k * k + t) ** -1.5) / whole(
            lambda t: (1 + t) ** -1.5 * (k * k + t) ** -0.5
        )

    k = brentq(lambda k: math.log(ratio(k) / (cy / cx)), 0.02, 50.0, xtol=1e-9)
    assert found.b / found.a == pytest.approx(k, rel=1e-5)
    # A and the approach: potentials of the pressure (3 N / 2 pi a b) sqrt(1 - ...)
    a = found.a
    modulus = E / (2 * (1 - nu**2))
    A = 3 * N / (4 * math.pi * modulus) / a**3 * whole(lambda t: (1 + t) ** -1.5 * (k * k + t) ** -0.5)
    depth = 3 * N / (4 * math.pi * modulus) / a * whole(lambda t: ((1 + t) * (k * k + t)) ** -0.5)
    assert pytest.approx(0.5 * cx, rel=1e-5) == A
    assert found.depth == pytest.approx(depth, rel=1e-5)
    assert found.pressure == pytest.approx(1.5 * N / (math.pi * found.a * found.b), rel=1e-12)


def test_kalker_is_the_printed_table():
    """Kalker (1990), table E3, transcribed a second time (`_kalker.py`), and smooth between."""
    for j, nu in enumerate((0.0, 0.25, 0.5)):
        found = kalker(_kalker.RATIOS, nu)
        for row, table in zip(found, (_kalker.LONG, _kalker.ACROSS, _kalker.SPIN)):
            assert np.abs(row / np.array(table[j]) - 1.0).max() < 1e-12
        assert np.abs(found[3] / C33[:, j] - 1.0).max() < 1e-12
    smooth = kalker(np.geomspace(0.03, 30, 400), 0.28)
    assert np.abs(np.diff(np.log(smooth), 2, axis=1)).max() < 5e-3  # no kink, also where asymptotes take over


@pytest.mark.parametrize("ratio, nu", [(0.3, 0.25), (1.0, 0.0), (1.0, 0.25), (1.0, 0.5), (2.5, 0.25), (1.3, 0.27)])
def test_kalker_by_brute_force(ratio, nu):
    """All four coefficients against complete adhesion on the half space, which comes to them from above; without a
    table."""
    off = _kalker.adhesion(ratio, nu) / kalker(ratio, nu) - 1.0
    assert (off > 0.005).all() and (off < 0.035).all()


@pytest.mark.parametrize("nu", [0.0, 0.1, 0.27, 0.5])
def test_kalker_of_slender_ellipses(nu):
    """Kalker's asymptotes below and above his table, g the smaller over the larger half axis; held from 1:100 on."""
    for g in (0.01, 0.02, 0.04):
        across = [
            math.pi**2 / 4 / (1 - nu),
            math.pi**2 / 4,
            math.pi * math.sqrt(g) / 3 / (1 - nu) * (1 + nu * (math.log(16 / g) - 5)),
        ]
        assert kalker(g, nu)[:3] == pytest.approx(across, rel=1e-9)
        size, q = math.log(16 / g**2), 3 - math.log(4)
        s, w = size - 2 * nu, (1 - nu) * size + 2 * nu
        along = [
            2 * math.pi / (s * g) * (1 + q / s),
            2 * math.pi / (w * g) * (1 + (1 - nu) * q / w),
            2 * math.pi / (3 * g**1.5) / ((1 - nu) * size - 2 + 4 * nu),
        ]
        assert kalker(1 / g, nu)[:3] == pytest.approx(along, rel=1e-9)
    assert (kalker(1e-4, nu) == kalker(0.01, nu)).all() and (kalker(1e4, nu) == kalker(100.0, nu)).all()


def test_slopes_of_the_table_of_ellipses():
    """Every second column is the slope of the one before over ln(B / A), by differences of second order."""
    table = ellipse_table(0.27)
    x = np.linspace(-LAST, LAST, NODES)
    for k in range(0, table.shape[1], 2):
        off = np.sort(np.abs(np.gradient(table[:, k], x) - table[:, k + 1])[2:-2])
        assert off[:-8].max() < 0.03 * np.abs(table[:, k + 1]).max(), k  # eight nodes at the corners, axes of 1:100


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("a, b", [(6e-3, 4e-3), (3e-3, 7e-3)])
def test_limits(law, a, b):
    """Kalker's linear theory for small creepages, mu N along the sliding for large ones; odd; spin pushes across."""
    N, mu, E, nu = 8e4, 0.3, 210e9, 0.27
    given = dict(young=E, poisson=nu, elements=60)
    G = E / (2 * (1 + nu))
    c11, c22, c23, c33 = kalker(a / b, nu)
    e = 1e-8
    assert creep_forces(law, N, mu, a, b, e, 0, 0, **given)[0] == pytest.approx(-G * a * b * c11 * e, rel=2e-3)
    assert creep_forces(law, N, mu, a, b, 0, e, 0, **given)[1] == pytest.approx(-G * a * b * c22 * e, rel=2e-3)
    if law != "JOHNSON_VERMEULEN":
        spin = creep_forces(law, N, mu, a, b, 0, 0, 1e-5, **given)
        assert spin[1] == pytest.approx(-G * (a * b) ** 1.5 * c23 * 1e-5, rel=5e-3)
        if law != "FASTSIM":
            assert spin[2] == pytest.approx(-G * (a * b) ** 2 * c33 * 1e-5, rel=1e-3)
    if law != "LINEAR":
        f = creep_forces(law, N, mu, a, b, 0.3, 0.4, 0, **given)
        assert np.hypot(*f[:2]) == pytest.approx(mu * N, rel=1e-2)
        along = 1.0 if law == "POLACH" else c22 / c11  # the others have the direction of the linear force
        assert f[1] / f[0] == pytest.approx(4 / 3 * along, rel=5e-3)
        few = creep_forces(law, N, mu, a, b, np.linspace(0, 0.02, 9), np.linspace(0, 0.01, 9), 0.3, **given)
        assert (np.hypot(few[:, 0], few[:, 1]) <= mu * N * (1 + 1e-9)).all()
    there = creep_forces(law, N, mu, a, b, 1e-3, 2e-3, 0.2, **given)
    back = creep_forces(law, N, mu, a, b, -1e-3, -2e-3, -0.2, **given)
    assert there == pytest.approx(-back, rel=1e-9)


def test_cubic_by_hand():
    """Half way: t = 1 leaves 1 - 1/3 + 1/27."""
    N, mu, a, b, E, nu = 5e4, 0.25, 5e-3, 5e-3, 200e9, 0.25
    xi = mu * N / (E / (2 * 1.25) * a * b * 4.12)
    f = creep_forces("JOHNSON_VERMEULEN", N, mu, a, b, xi, young=E, poisson=nu)
    assert f[0] == pytest.approx(-mu * N * 19 / 27, rel=1e-9)


def by_hand(N, mu, a, b, xi, eta, phi, G, nu, n):
    """FASTSIM as Kalker printed it, strip by strip."""
    c11, c22, c23, _ = kalker(a / b, nu)
    l1, l2, l3 = 8 * a / (3 * G * c11), 8 * a / (3 * G * c22), math.pi * a * math.sqrt(a / b) / (4 * G * c23)
    f = np.zeros(2)
    for y in (np.arange(n) + 0.5) / n * 2 * b - b:
        half = a * math.sqrt(1 - (y / b) ** 2)
        d = 2 * half / n
        p = np.zeros(2)
        for x in half - (np.arange(n) + 0.5) * d:
            p -= d * np.array([xi / l1 - phi * y / l3, eta / l2 + phi * x / l3])
            bound = 2 * mu * N / (math.pi * a * b) * (1 - (x / a) ** 2 - (y / b) ** 2)
            size = np.hypot(*p)
            p *= min(1.0, bound / size) if size else 1.0
            f += p * d * 2 * b / n
    return f


def test_fastsim_against_another():
    """One written plainly, whose error falls with 1/n: extrapolated from 60 and 120 elements."""
    G, nu = 82e9, 0.28
    given = (8e4, 0.3, 6e-3, 4e-3, 4e-4, 6e-4, 0.3)
    exact = 2 * by_hand(*given, G, nu, 120) - by_hand(*given, G, nu, 60)
    found = creep_forces("FASTSIM", *given, young=2 * G * (1 + nu), poisson=nu, elements=40)
    assert found[:2] == pytest.approx(exact, rel=0.01)


def test_contact_of_vollebregt():
    """Ellipse 8 x 4 mm, 82 kN, mu 0.3, lateral creepage and spin against each other: CONTACT's complete theory prints
    F_y = -0.6074 mu N.  FASTSIM is within 7 %, as it is known to be; Polach within 10 %."""
    G, nu = 82e9, 0.28
    given = (82000.0, 0.3, 8e-3, 4e-3, 0.0, -6.25e-4, 0.625)
    for law, tolerance in (("FASTSIM", 0.07), ("POLACH", 0.1)):
        f = creep_forces(law, *given, young=2 * G * (1 + nu), poisson=nu, elements=60)
        assert f[1] / (0.3 * 82000.0) == pytest.approx(-0.6074, rel=tolerance)


def test_polach_between():
    """Without spin Polach and FASTSIM lie within 6 % of mu N of each other all the way."""
    xi = np.linspace(1e-5, 1e-2, 25)
    a = creep_forces("POLACH", 8e4, 0.3, 6e-3, 4e-3, xi, 0.5 * xi)
    b = creep_forces("FASTSIM", 8e4, 0.3, 6e-3, 4e-3, xi, 0.5 * xi, elements=40)
    assert np.abs(a[:, :2] - b[:, :2]).max() < 0.06 * 0.3 * 8e4


def test_refused():
    with pytest.raises(ModelError, match="unknown law 'POLACK'"):
        creep_forces("POLACK", 1e4, 0.3, 5e-3, 5e-3)
    with pytest.raises(ModelError, match="a is 0"):
        creep_forces("POLACH", 1e4, 0.3, 0.0, 5e-3)
    with pytest.raises(ModelError, match="curvature_y is -1"):
        hertz(1e4, 2.0, -1.0)
