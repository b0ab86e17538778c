"""Beams and plates in absolute coordinates by the formulas of their documentation, written out here with SciPy's
interpolation and NumPy: strain energy, forces with dampers, power, masses, positions, section forces.  Matrices by
differences.  Kernels run as plain Python: nothing is compiled."""

from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest
from absolute_meshes import classic_stiffness
from scipy.integrate import quad
from scipy.interpolate import CubicHermiteSpline, PchipInterpolator
from scipy.linalg import block_diag, eigh
from scipy.optimize import brentq

from holonom._jit import interpreted
from holonom.elements.absolute import (
    conforming_plate,
    lumping,
    planar_beam,
    points,
    section_laws,
    spatial_beam,
    thick_plate,
    thin_plate,
)
from holonom.elements.absolute.materials import Linear, MooneyRivlin
from holonom.elements.absolute.section_laws import Fibres, MomentCurve, Plastic

E, NU, RHO, TAU, UNIT = 100.0, 0.3, 2.0, 0.1, 0.25
MU = E / (2 * (1 + NU))
SOFT = Linear(E, NU, RHO, tau=TAU)
RUBBER = MooneyRivlin(10.0, 3.0, 500.0, RHO)
H, B, LENGTH = 0.3, 0.2, 1.9
X3, W3 = (f(np.polynomial.legendre.leggauss(3)[k]) for k, f in ((0, lambda x: (x + 1) / 2), (1, lambda w: w / 2)))


def gauss(n):
    x, w = np.polynomial.legendre.leggauss(n)
    return (x + 1) / 2, w / 2


def isotropic(E, nu, stress=None):
    """Stiffness over the strain tensors' components and engineering shears: in space, or in plane stress or strain."""
    compliance = np.eye(3) / E - nu / E * (1 - np.eye(3))
    mu = E / (2 * (1 + nu))
    if stress is None:
        return block_diag(np.linalg.inv(compliance), mu * np.eye(3))
    normal = np.linalg.inv(compliance[:2, :2]) if stress else np.linalg.inv(compliance)[:2, :2]
    return block_diag(normal, mu)


def softened(GA, EI, length):
    """Shear at three points of Gauss with two internal rotations, eliminated by the Schur complement of the whole."""
    P = np.polynomial.Polynomial
    phi = [4 * P([0, 1]) * P([1, -1]), P([0, 1]) * P([1, -1]) * P([1, -2])]
    bend = [[(p.deriv() * r.deriv()).integ()(1.0) for r in phi] for p in phi]
    left = np.hstack([np.eye(3), -np.stack([p(X3) for p in phi], 1)])
    whole = GA * length * left.T @ np.diag(W3) @ left
    whole[3:, 3:] += EI / length * np.array(bend)
    return whole[:3, :3] - whole[:3, 3:] @ np.linalg.inv(whole[3:, 3:]) @ whole[3:, :3]


def membrane(EA, EI, share):
    """The part of a stretch that is orthogonal to constants and quadratic counts by 12 EI/(EA L^2)."""
    quadratic = np.polynomial.legendre.legval(2 * X3 - 1, [0, 0, 1])
    quadratic = quadratic - share @ quadratic / share.sum()
    unit = share * quadratic / np.sqrt(share @ quadratic**2)
    return EA * np.diag(share) - EA * (1 - min(1.0, 12 * EI / (EA * share.sum() ** 2))) * np.outer(unit, unit)


def turned(GA, EI, length):
    beta = 1 / (1 + 10 * EI / (GA * length**2))
    return beta - beta**2 / 2


class Beam:
    """Interpolation of a beam; r_x by a length that differs from that of the axis."""

    def __init__(self, q, gradients):
        q = q.reshape(2, 2 + gradients, -1)
        self.axis = CubicHermiteSpline([0, LENGTH], q[:, 0], q[:, 1])
        self.q, self.across = q, q[:, 2:]

    def at(self, x, *offsets):
        """r, r_x, directors (gradients, d) and their derivatives at the distances ``offsets`` across."""
        directors = (1 - x) * self.across[0] + x * self.across[1]
        slopes = (self.across[1] - self.across[0]) / LENGTH
        y = np.array(offsets or [0.0] * len(directors))
        return self.axis(x * LENGTH) + y @ directors, self.axis(x * LENGTH, 1) + y @ slopes, directors, slopes

    def across_at(self, x):
        return (1 - x) * self.across[0] + x * self.across[1]


def green(F):
    return (F.T @ F - np.eye(F.shape[1])) / 2


def voigt(e):
    return [e[0, 0], e[1, 1], 2 * e[0, 1]] if len(e) == 2 else [*np.diag(e), 2 * e[1, 2], 2 * e[0, 2], 2 * e[0, 1]]


def mooney_rivlin(F, c10, c01, k):
    C = np.eye(3)
    C[: F.shape[1], : F.shape[1]] = F.T @ F
    J = np.sqrt(np.linalg.det(C))
    I1, I2 = np.trace(C), (np.trace(C) ** 2 - np.trace(C @ C)) / 2
    return c10 * (J ** (-2 / 3) * I1 - 3) + c01 * (J ** (-4 / 3) * I2 - 3) + k / 2 * (J - 1) ** 2


def unit(v):
    return v / np.linalg.norm(v)


def measure(drawn):
    """|r_x| at three points of Gauss, the length that they represent, and that of the axis."""
    speed = np.array([np.linalg.norm(drawn.at(x)[1]) for x in X3])
    return speed, W3 * speed * LENGTH, LENGTH * W3 @ speed


# ---- beams in a plane ------------------------------------------------------------------------------------------------
PLANES = {"xy": (0, 1), "yz": (1, 2), "zx": (2, 0), "yx": (1, 0), "zy": (2, 1), "xz": (0, 2)}


def planar_strains(q, q0, form, plane, k, stress):
    """(strains, D) of vectors (6, 3)."""
    A, I = H * B, B * H**3 / 12
    now, drawn = (Beam(np.asarray(v)[:, list(PLANES[plane])], 1) for v in (q, q0))
    speed, share, arc = measure(drawn)
    nodes = lambda b: (b.across[:, 0] ** 2).sum(1) / 2
    if form == "structural":
        GA, EI = k * MU * A, E * I

        def strains(b):
            stretch, shear, turn = [], [], []
            for x, v in zip(X3, speed):
                _, t, d, slope = b.at(x)
                t, d2 = t / v, unit(d[0])
                d1 = np.array([d2[1], -d2[0]])
                stretch.append(t @ d1 - 1 + turned(GA, EI, arc) * (t @ d2) ** 2)
                shear.append(t @ d2)
                turn.append(-d1 @ slope[0] / v / np.linalg.norm(d[0]))
            return np.array([*stretch, *shear, share @ turn / arc, *nodes(b)])

        D = block_diag(membrane(E * A, EI, share), softened(GA, EI, arc), EI * arc, 0.5 * E * A * arc * np.eye(2))
    elif form == "enhanced":
        far = H / np.sqrt(12)
        lengths = [[np.linalg.norm(drawn.at(x, y)[1]) for x in X3] for y in (far, -far)]

        def strains(b):
            fibres = [[b.at(x, y)[1] @ b.at(x, y)[1] / 2 for x in X3] for y in (far, -far)]
            axis = [b.at(x)[1] @ b.at(x)[1] / 2 / v**2 for x, v in zip(X3, speed)]
            shear = [b.at(x)[1] @ b.at(x)[2][0] / v for x, v in zip(X3, speed)]
            return np.array([*fibres[0], *fibres[1], *axis, *shear, *nodes(b)])

        between = np.stack([1 - X3, X3], 1)
        C = isotropic(E, NU, stress)[:2, :2] - E * np.eye(2)
        D = np.zeros((14, 14))
        D[:6, :6] = np.diag([0.5 * E * A * w * LENGTH / f**3 for f3 in lengths for w, f in zip(W3, f3)])
        to = np.zeros((3, 2, 14))  # E_xx and E_yy of the axis
        to[range(3), 0, range(6, 9)], to[:, 1, 12:] = 1, between
        D += np.einsum("p,pia,ij,pjb->ab", A * share, to, C, to)
        D[9:12, 9:12] = softened(k * MU * A, E * I, arc)
        D[12:, 12:] += E * A * arc * np.einsum("p,pi,pj->ij", W3, between, between)
    else:
        at = [(x, H * (y - 0.5), u * w) for x, u in zip(*gauss(5)) for y, w in zip(*gauss(3))]
        D, inverse = [], []
        for x, y, w in at:
            _, t, d, _ = drawn.at(x, y)
            X = np.stack([t, d[0]], 1)
            inverse.append(np.linalg.inv(X))
            D.append(isotropic(E, NU, stress) * w * abs(np.linalg.det(X)) * LENGTH * H * B)
        gradients = lambda b: [np.stack([b.at(x, y)[1], b.at(x, y)[2][0]], 1) @ i for (x, y, _), i in zip(at, inverse)]
        strains = lambda b: np.ravel([voigt(green(F)) for F in gradients(b)])
        D = block_diag(*D)
    return strains(now) - strains(drawn), D


def planar_rubber(q, q0):
    """Shape at 5 x 3 points, volume at two of the axis."""
    now, drawn = (Beam(np.asarray(v)[:, :2], 1) for v in (q, q0))
    energy = 0.0
    for n, m, (c10, c01, k) in ((5, 3, (10.0, 3.0, 0.0)), (2, 1, (0.0, 0.0, 500.0))):
        for x, u in zip(*gauss(n)):
            for y, w in zip(*gauss(m)):
                F, X = (np.stack([b.at(x, H * (y - 0.5))[1], b.at(x)[2][0]], 1) for b in (now, drawn))
                energy += (
                    u * w * abs(np.linalg.det(X)) * LENGTH * H * B * mooney_rivlin(F @ np.linalg.inv(X), c10, c01, k)
                )
    return energy


def planar_case(plane="xy", size=0.15):
    """Vectors of a curved element as drawn, directors of unit length and not across the axis, and of a deformed one."""
    a, b = PLANES[plane]
    held = 3 - a - b
    r = np.random.default_rng(5)
    q0 = np.zeros((6, 3))
    q0[:, [a, b]] = [[0, 0], [1.02, 0.1], [-0.05, 1], [1.8, 0.2], [0.97, 0.15], [-0.2, 1]]
    q0[[2, 5]] /= np.linalg.norm(q0[[2, 5]], axis=1)[:, None]
    q, v = q0 + size * r.normal(size=(6, 3)), r.normal(size=(6, 3))
    q[:, held] = v[:, held] = 0.0
    return q0, q, v


PLANAR = {
    "structural": ("structural", 0.8, True),
    "enhanced": ("enhanced", 0.8, True),
    "enhanced, plane strain": ("enhanced", 0.8, False),
    "continuum": ("continuum", 0.8, True),
    "continuum, plane strain": ("continuum", 0.8, False),
}


def planar_properties(form, k, stress, material=SOFT, law=(), length=LENGTH):
    """Properties of elements, by the public function."""
    p = planar_beam.properties(
        H, B, material, shear=k, formulation=form, plane="stress" if stress else "strain", length=length
    )
    return np.concatenate([p, law])


def scaled(kind, vectors, per):
    """Coordinates of vectors in a mesh whose gradients have the unit `UNIT`."""
    own = [1.0, UNIT, UNIT, UNIT**2 if kind is conforming_plate else UNIT][:per]
    return (vectors * np.tile(own, kind.NODES)[:, None]).ravel()


def forces(kind, data, q, v):
    f = np.full(q.size, np.nan)
    interpreted(points.forces)(kind.VECTORS, kind.DIM, kind.SHAPES, data, q, v, f)
    return f


def energies(kind, data, q, v):
    return interpreted(points.energies)(kind.VECTORS, kind.DIM, kind.SHAPES, data, q, v)


def slope(f, x, d, h=1e-6):
    return (f(x + h * d) - f(x - h * d)) / (2 * h)


def assert_strains(kind, data, strains, q, v, per, tau=TAU, held=None):
    """Energy, forces and power of a linear law with Kelvin and Voigt's dampers; ``strains(q)``: strains and D."""
    at, moving = scaled(kind, q, per), scaled(kind, v, per)
    e, D = strains(q)
    rate = slope(lambda x: strains(x)[0], q, v)
    stored, power = energies(kind, data, at, moving)
    assert stored == pytest.approx(0.5 * e @ D @ e, rel=1e-11)
    assert power == pytest.approx(-tau * rate @ D @ rate, rel=1e-7)
    f, r = forces(kind, data, at, moving), np.random.default_rng(6)
    for _ in range(3):
        d = r.normal(size=q.shape)
        if held is not None:
            d[:, held] = 0.0
        de = slope(lambda x: strains(x)[0], q, d)
        assert f @ scaled(kind, d, per) == pytest.approx(-de @ D @ (e + tau * rate), rel=1e-6)


def assert_matrices(kind, data, q, v, per, damped=True, held=None, bound=1e-7):
    """Against differences of the forces."""
    at, moving, n = scaled(kind, q, per), scaled(kind, v, per), q.size
    K, C = np.full((2, n, n), np.nan)
    assert bool(interpreted(points.stiffness)(kind.VECTORS, kind.DIM, kind.SHAPES, data, at, moving, K, C)) == damped
    r = np.random.default_rng(7)
    for _ in range(2):
        d = r.normal(size=q.shape)
        if held is not None:
            d[:, held] = 0.0
        d = scaled(kind, d, per)
        want = -slope(lambda x: forces(kind, data, x, moving), at, d)
        np.testing.assert_allclose(K @ d, want, atol=bound * np.abs(want).max())
        want = -slope(lambda x: forces(kind, data, at, x), moving, d)
        np.testing.assert_allclose(C @ d, want, atol=1e-8 * max(np.abs(want).max(), 1.0))


@pytest.mark.parametrize(
    "name, plane",
    [*[("structural", plane) for plane in PLANES], *[(name, "xy") for name in list(PLANAR)[1:]], ("continuum", "zy")],
)
def test_planar_beams(name, plane):
    case = PLANAR[name]
    q0, q, v = planar_case(plane)
    data = planar_beam.rows(scaled(planar_beam, q0, 3), planar_properties(*case), UNIT)[0]
    form, k, stress = case
    strains = lambda x: planar_strains(x, q0, form, plane, k, stress)
    held = 3 - sum(PLANES[plane])
    assert_strains(planar_beam, data, strains, q, v, 3, held=held)
    if plane == "xy":
        assert_matrices(planar_beam, data, q, v, 3, held=held)


def test_planar_rubber():
    q0, q, v = planar_case(size=0.05)
    case = planar_properties("continuum", 0.8, False, RUBBER)
    data = planar_beam.rows(scaled(planar_beam, q0, 3), case, UNIT)[0]
    at = scaled(planar_beam, q, 3)
    stored, power = energies(planar_beam, data, at, at)
    assert stored == pytest.approx(planar_rubber(q, q0), rel=1e-11) and power == 0.0
    d = np.random.default_rng(8).normal(size=(6, 3)) * [1, 1, 0]
    want = -slope(lambda x: planar_rubber(x, q0), q, d)
    assert forces(planar_beam, data, at, 0 * at) @ scaled(planar_beam, d, 3) == pytest.approx(want, rel=1e-7)
    assert_matrices(planar_beam, data, q, v, 3, damped=False, held=2)


def test_planar_masses_and_positions():
    """Mass over the volume as drawn, by the interpolation of each vector alone; positions and gradients on the axis."""
    q0, _, _ = planar_case()
    p = planar_properties("structural", 0.8, True)
    want, drawn = np.zeros((6, 6)), Beam(q0[:, :2], 1)
    units = [Beam(np.outer(one, [1.0, 0.0]), 1) for one in np.eye(6)]
    for x, u in zip(*gauss(5)):
        for y, w in zip(*gauss(3)):
            y = H * (y - 0.5)
            N = np.array([one.at(x, y)[0][0] for one in units])
            area = abs(np.linalg.det([drawn.at(x, y)[1], drawn.at(x)[2][0]]))
            want += RHO * H * B * LENGTH * u * w * area * np.outer(N, N)
    scale = np.outer(*[np.tile([1, UNIT, UNIT], 2)] * 2)
    found = planar_beam.masses(scaled(planar_beam, q0, 3), p, UNIT)[0]
    np.testing.assert_allclose(found, np.kron(want / scale, np.eye(3)), atol=1e-14)
    found = planar_beam.weights(p, 0.3, UNIT) * np.tile([1, UNIT, UNIT], 2)
    np.testing.assert_allclose(found[0], [one.at(0.3)[0][0] for one in units], atol=1e-15)
    np.testing.assert_allclose(found[1], [one.at(0.3)[1][0] for one in units], atol=1e-15)
    np.testing.assert_allclose(found[2], [one.at(0.3)[2][0][0] for one in units], atol=1e-15)
    whole = lumping.unity(planar_beam)[0]
    assert whole.tolist() == [1, 0, 0, 1, 0, 0]
    same = planar_properties("structural", 0.8, True, length=0.0)  # by the length of the axis, an arc
    angle, R = 0.6, 2.0
    arc = [[0, 0], [1, 0], [0, 1], [R * np.sin(angle), R * (1 - np.cos(angle))]]
    arc = np.array([*arc, [np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    q = np.hstack([arc, np.zeros((6, 1))])

    def excess(L):
        axis = CubicHermiteSpline([0, L], arc[[0, 3]], arc[[1, 4]])
        return quad(lambda x: np.linalg.norm(axis(x, 1)), 0, L, epsabs=1e-13)[0] - L

    assert planar_beam.arc(q[None])[0] == pytest.approx(brentq(excess, 1.1, 1.3, xtol=1e-14), rel=1e-8)
    assert planar_beam.arc(q[None])[0] == pytest.approx(R * angle, rel=3e-4)
    p[5] = planar_beam.arc(q[None])[0]
    np.testing.assert_array_equal(planar_beam.masses(q.ravel(), same), planar_beam.masses(q.ravel(), p))


def straight_case(nodes):
    """A straight element along x as drawn, of unit gradients, and a deformed one near it."""
    per = nodes // 2
    q0 = np.zeros((nodes, 3))
    q0[per, 0] = LENGTH
    for k in range(1, per):
        q0[k, k - 1] = q0[per + k, k - 1] = 1.0
    noise = 0.1 * np.random.default_rng(9).normal(size=q0.shape)
    if nodes == 6:
        noise[:, 2] = 0.0
    return q0, q0 + noise


def fitted(values, xi):
    """At xi of the straight line of least squares, by the weights of Gauss."""
    line = np.polynomial.legendre.legfit(2 * X3 - 1, values, 1, w=np.sqrt(W3))
    return np.polynomial.legendre.legval(2 * xi - 1, line)


def bending(GA, EI, shears, xi):
    """Shear strain, and curvature above its mean, of the internal rotations b1 phi1 + b2 phi2 of least energy."""
    phi = [lambda x: 4 * x * (1 - x), lambda x: x * (1 - x) * (1 - 2 * x)]
    x, w = gauss(6)
    slopes = np.stack([slope(f, x, 1.0, 1e-5) for f in phi], 1)
    rows = np.vstack([np.sqrt(GA * LENGTH * W3)[:, None] * np.stack([f(X3) for f in phi], 1),
                      np.sqrt(EI / LENGTH * w)[:, None] * slopes])  # fmt: skip
    b = np.linalg.lstsq(rows, np.r_[np.sqrt(GA * LENGTH * W3) * shears, np.zeros(6)], rcond=None)[0]
    left = shears - b[0] * phi[0](X3) - b[1] * phi[1](X3)
    return fitted(left, xi), sum(a * slope(f, xi, 1.0, 1e-5) for a, f in zip(b, phi)) / LENGTH


YIELDING = Fibres(Plastic(((0.02, 1.0), (0.05, 1.6)), 6.0), (-0.3, -0.1, 0.1, 0.2), (0.7, 1.3, 0.8, 1.3))


def axis_strains(q):
    """t . d1 - 1, t . d2 and curvature at three points of Gauss of a planar beam along x."""
    out = []
    for x in X3:
        _, t, d, bend = Beam(q[:, :2], 1).at(x)
        d2 = unit(d[0])
        d1 = np.array([d2[1], -d2[0]])
        out.append([t @ d1 - 1, t @ d2, -d1 @ bend[0] / np.linalg.norm(d[0])])
    return np.array(out).T


@pytest.mark.parametrize("form", planar_beam.FORMULATIONS)
def test_planar_section_forces(form):
    _, q = straight_case(6)
    A, I = H * B, B * H**3 / 12
    along, across, turn = axis_strains(q)
    for stress in (True, False):
        p = planar_properties(form, 0.8, stress)
        for xi in (0.0, 0.3, 1.0):
            if form == "continuum":
                GA, EI = MU * A, isotropic(E, NU, stress)[0, 0] * I
                want = fitted(along, xi), W3 @ across, W3 @ turn
            else:
                GA, EI = 0.8 * MU * A, E * I
                shear, more = bending(GA, EI, across, xi)
                want = fitted(along + turned(GA, EI, LENGTH) * across**2, xi), shear, W3 @ turn + more
            found = planar_beam.resultants(p, xi, np.stack([scaled(planar_beam, q, 3)] * 2), UNIT)
            np.testing.assert_allclose(found, [[E * A * want[0], GA * want[1], EI * want[2], *want]] * 2, rtol=1e-8)
    mirrored = q * [1, -1, 1]  # seen from behind: r_y to the other side
    found = planar_beam.resultants(p, 1.0, scaled(planar_beam, mirrored, 3), UNIT)
    np.testing.assert_allclose(found, [E * A * want[0], GA * want[1], EI * want[2], *want], rtol=1e-8)


def layers(law, path):
    """(N, M) of layers after strains (e, k) of the axis one after the other, by sliding springs of each."""
    stiff, most = [], []
    corners = np.vstack([[0, 0], law.law.points])
    slopes = [*(np.diff(corners[:, 1]) / np.diff(corners[:, 0])), law.law.stiffness]
    stiff = -np.diff(slopes)
    most = stiff * corners[1:, 0]
    y, A, slid = np.array(law.places), np.array(law.areas), np.zeros((len(law.places), len(stiff)))
    for e, k in path:
        force = np.clip(stiff * ((e - y * k)[:, None] - slid), -most, most)
        slid = (e - y * k)[:, None] - force / stiff
        stress = slopes[-1] * (e - y * k) + force.sum(1)
    return A @ stress, -(A * y) @ stress


def test_planar_beams_that_yield(monkeypatch):
    """By the means of stretch and curvature: energy and forces on a first loading, and what is left after it."""
    q0, q, v = planar_case(size=0.02)
    A, I = H * B, B * H**3 / 12
    p = planar_properties("structural", 0.8, True, law=YIELDING.parameters)
    data = planar_beam.rows(scaled(planar_beam, q0, 3), p, UNIT)[0]
    drawn = Beam(q0[:, :2], 1)
    _, share, arc = measure(drawn)

    def means(x):
        e, D = planar_strains(x, q0, "structural", "xy", 0.8, True)
        return share @ e[:3] / arc, e[6]

    def work(d, path):
        e, D = planar_strains(path[-1], q0, "structural", "xy", 0.8, True)
        de = slope(lambda x: planar_strains(x, q0, "structural", "xy", 0.8, True)[0], path[-1], d)
        X, dX = np.array(means(path[-1])), slope(lambda x: np.array(means(x)), path[-1], d)
        own = np.array(layers(YIELDING, [means(x) for x in path]))
        return -de @ D @ e - arc * dX @ (own - np.array([E * A, E * I]) * X)

    zero = np.zeros(18)
    back = 0.5 * (q + q0)
    for path in ((q,), (q, back)):
        at = scaled(planar_beam, path[-1], 3)
        assert np.abs(means(q)).max() > 0.02
        f = forces(planar_beam, data, at, zero)
        for seed in range(3):
            d = np.random.default_rng(seed).normal(size=(6, 3)) * [1, 1, 0]
            assert f @ scaled(planar_beam, d, 3) == pytest.approx(work(d, path), rel=1e-6)
        assert_matrices(planar_beam, data, path[-1], v, 3, held=2)
        moving = scaled(planar_beam, v, 3)
        interpreted(points.accept)(planar_beam.VECTORS, 3, 6, data, at)
        place, slid = planar_beam.law_place(data), planar_beam.kept(data[None])[0]
        assert planar_beam.remembers(data[None]) and len(slid) == 8 and np.abs(slid).max() > 0.0
        assert data[place : place + len(YIELDING.parameters)].tolist() == list(YIELDING.parameters)
        now, ahead = (energies(planar_beam, data, at + x * moving, moving) for x in (0.0, 1e-7))
        pull = forces(planar_beam, data, at, moving)
        assert (ahead[0] - now[0]) / 1e-7 - now[1] == pytest.approx(-pull @ moving, rel=1e-4)
    for kernel in ("section_forces", "section_remembers"):
        monkeypatch.setattr(points, kernel, interpreted(getattr(section_laws, kernel)))
    straight_q0, straight_q = straight_case(6)
    path = [straight_q, 0.4 * straight_q + 0.6 * straight_q0]
    bare = planar_beam.resultants(p[: -len(YIELDING.parameters)], 0.4, [scaled(planar_beam, x, 3) for x in path], UNIT)
    found = planar_beam.resultants(p, 0.4, [scaled(planar_beam, x, 3) for x in path], UNIT)
    mean = []
    for x in path:
        along, across, turn = axis_strains(x)
        mean.append((W3 @ (along + turned(0.8 * MU * A, E * I, LENGTH) * across**2), W3 @ turn))
    for k in range(2):
        N, M = layers(YIELDING, mean[: k + 1])
        want = N - E * A * mean[k][0], M - E * I * mean[k][1]
        np.testing.assert_allclose((found - bare)[k, [0, 2]], want, rtol=1e-9)


def test_classic_matrices():
    """-(K1 + K2 + K3) q is the force of the continuum, by its energy."""
    q0, q = straight_case(6)
    for plane in ("stress", "strain"):
        K = sum(classic_stiffness(q.ravel(), LENGTH, H, B, SOFT, plane))

        def energy(x, plane=plane):
            e, D = planar_strains(x.reshape(6, 3), q0, "continuum", "xy", 0.8, plane == "stress")
            return 0.5 * e @ D @ e

        for d in np.random.default_rng(14).normal(size=(3, 6, 3)) * [1, 1, 0]:
            assert (K @ q.ravel()) @ d.ravel() == pytest.approx(slope(energy, q.ravel(), d.ravel()), rel=1e-7)


@pytest.mark.parametrize("slender", [0.02, 0.3])
def test_one_element_is_exact(slender):
    """A cantilever under a load at its tip, by the stiffness as drawn: F L^3/3EI + F L/kGA, thick or thin."""
    h = slender * LENGTH
    for kind, nodes in ((planar_beam, 6), (spatial_beam, 8)):
        q0, _ = straight_case(nodes)
        section = SimpleNamespace(A=h * B, Iy=h * B**3 / 12, Iz=B * h**3 / 12, J=0.01, ky=0.8, kz=0.7)
        for form in ("structural", "enhanced"):
            if kind is planar_beam:
                p = kind.properties(h, B, Linear(E, NU), shear=0.8, formulation=form)
            else:
                p = kind.properties(section, Linear(E, NU), formulation=form)
            data, n = kind.rows(q0.ravel(), p)[0], 3 * nodes
            K, C = np.zeros((2, n, n))
            interpreted(points.stiffness)(kind.VECTORS, kind.DIM, kind.SHAPES, data, q0.ravel(), np.zeros(n), K, C)
            held = np.zeros((nodes, 3), bool)
            held[[0, *range(2, nodes // 2)]] = True
            held[:, 2] |= kind is planar_beam
            free = np.flatnonzero(~held.ravel())
            tip = n // 2
            for axis, I, k in ((1, section.Iz, 0.8), (2, section.Iy, 0.7))[: nodes // 2 - 2]:
                load = np.zeros(n)
                load[tip + axis] = 1.0
                w = np.linalg.solve(K[np.ix_(free, free)], load[free])[list(free).index(tip + axis)]
                assert w == pytest.approx(LENGTH**3 / (3 * E * I) + LENGTH / (k * MU * h * B), rel=1e-9)


# ---- beams in space --------------------------------------------------------------------------------------------------
SECTION = SimpleNamespace(A=0.06, Iy=3e-4, Iz=5e-4, J=2e-4, ky=0.8, kz=0.7)
SIDES = (0.32, 0.21)
GJ = MU * SECTION.J
SPATIAL = ("structural", "enhanced", "continuum")


def spatial_case(size=0.15):
    """A curved and twisted element as drawn, and a deformed one."""
    r = np.random.default_rng(11)
    q0 = straight_case(8)[0]
    q0 += 0.12 * r.normal(size=q0.shape)
    for node in (0, 4):
        q0[node + 2] = unit(q0[node + 2])
        q0[node + 3] = unit(q0[node + 3] - q0[node + 3] @ q0[node + 2] * q0[node + 2])
    return q0, q0 + size * r.normal(size=q0.shape), r.normal(size=q0.shape)


def spatial_properties(form, material=SOFT, law=(), length=LENGTH):
    p = spatial_beam.properties(SECTION, material, formulation=form, sides=SIDES, length=length)
    return np.concatenate([p, law])


def reissner(beam, x, v=1.0):
    """t . d1 - 1, t . d2, t . d3 and kappa1 to kappa3 of an axis in space, lengths as drawn v times those of x."""
    _, t, (ry, rz), (ryx, rzx) = beam.at(x)
    t, ryx, rzx = t / v, ryx / v, rzx / v
    d1, d2, d3 = unit(np.cross(ry, rz)), unit(ry), unit(rz)
    y, z = np.linalg.norm(ry), np.linalg.norm(rz)
    return np.array([t @ d1 - 1, t @ d2, t @ d3,
                     (d3 @ ryx / y - d2 @ rzx / z) / 2, d1 @ rzx / z, -d1 @ ryx / y])  # fmt: skip


def spatial_strains(q, q0, form):
    """(strains, D) of vectors (8, 3); own order."""
    s = SECTION
    now, drawn = Beam(np.asarray(q), 2), Beam(q0, 2)
    speed, share, arc = measure(drawn)
    GAy, GAz, EIy, EIz = s.ky * MU * s.A, s.kz * MU * s.A, E * s.Iy, E * s.Iz
    nodes = lambda b: [[y @ y / 2, z @ z / 2, y @ z] for y, z in b.across]
    if form == "structural":

        def strains(b):
            e = np.array([reissner(b, x, v) for x, v in zip(X3, speed)]).T
            stretch = e[0] + turned(GAy, EIz, arc) * e[1] ** 2 + turned(GAz, EIy, arc) * e[2] ** 2
            return np.array([*stretch, *e[1], *e[2], *(e[3:] @ share / arc), *np.ravel(nodes(b))])

        D = block_diag(
            membrane(E * s.A, E * max(s.Iy, s.Iz), share), softened(GAy, EIz, arc), softened(GAz, EIy, arc),
            arc * np.diag([GJ, EIy, EIz]), 0.5 * E * s.A * arc * np.eye(6),
        )  # fmt: skip
    elif form == "enhanced":
        y, z = np.sqrt(s.Iz / s.A), np.sqrt(s.Iy / s.A)
        fibres = [(y, z), (y, -z), (-y, z), (-y, -z)]
        stiff = [
            0.25 * E * s.A * w * LENGTH / np.linalg.norm(drawn.at(x, *f)[1]) ** 3
            for f in fibres
            for x, w in zip(X3, W3)
        ]

        def strains(b):
            out = [b.at(x, *f)[1] @ b.at(x, *f)[1] / 2 for f in fibres for x in X3]
            out += [b.at(x)[1] @ b.at(x)[1] / 2 / v**2 for x, v in zip(X3, speed)]
            out += [b.at(x)[1] @ b.at(x)[2][k] / v for k in (0, 1) for x, v in zip(X3, speed)]
            twist = 0.0
            for x, w in zip(X3, W3):
                _, _, (ry, rz), (ryx, rzx) = b.at(x)
                twist += w * LENGTH * (rz @ ryx - ry @ rzx) / 2
            return np.array([*out, twist / arc, *np.ravel(nodes(b))])

        between = np.stack([1 - X3, X3], 1)
        D = np.zeros((28, 28))
        D[:12, :12] = np.diag(stiff)
        to = np.zeros((3, 3, 28))  # E_xx, E_yy and E_zz of the axis
        to[range(3), 0, range(12, 15)], to[:, 1, 22::3], to[:, 2, 23::3] = 1, between, between
        D += np.einsum("p,pia,ij,pjb->ab", s.A * share, to, isotropic(E, NU)[:3, :3] - E * np.eye(3), to)
        D[15:18, 15:18], D[18:21, 18:21] = softened(GAy, EIz, arc), softened(GAz, EIy, arc)
        D[21, 21] = GJ * arc
        for k in (22, 23):
            D[k::3, k::3] += E * s.A * arc * np.einsum("p,pi,pj->ij", W3, between, between)
        D[24::3, 24::3] += 0.5 * MU * s.A * arc * np.eye(2)
    else:
        at, inverse, D = [], [], []
        for x, y, z, w in solid_points(4, 2):
            X = np.stack([drawn.at(x, y, z)[1], *drawn.across_at(x)], 1)
            at.append((x, y, z))
            inverse.append(np.linalg.inv(X))
            D.append(isotropic(E, NU) * w * np.linalg.det(X))
        gradients = lambda b: [np.stack([b.at(*one)[1], *b.across_at(one[0])], 1) @ i for one, i in zip(at, inverse)]
        strains = lambda b: np.ravel([voigt(green(F)) for F in gradients(b)])
        D = block_diag(*D)
    return strains(now) - strains(drawn), D


def solid_points(n, m):
    """Points of a beam with sides along y and z, and what of the volume they represent."""
    for x, u in zip(*gauss(n)):
        for y, v in zip(*gauss(m)):
            for z, w in zip(*gauss(m)):
                yield x, SIDES[0] * (y - 0.5), SIDES[1] * (z - 0.5), u * v * w * LENGTH * SIDES[0] * SIDES[1]


def spatial_rubber(q, q0):
    now, drawn, energy = Beam(np.asarray(q), 2), Beam(q0, 2), 0.0
    for n, m, law in ((4, 2, (10.0, 3.0, 0.0)), (2, 1, (0.0, 0.0, 500.0))):
        for x, y, z, w in solid_points(n, m):
            F, X = (np.stack([b.at(x, y, z)[1], *b.across_at(x)], 1) for b in (now, drawn))
            energy += w * np.linalg.det(X) * mooney_rivlin(F @ np.linalg.inv(X), *law)
    return energy


@pytest.mark.parametrize("form", SPATIAL)
def test_spatial_beams(form):
    q0, q, v = spatial_case()
    data = spatial_beam.rows(scaled(spatial_beam, q0, 4), spatial_properties(form), UNIT)[0]
    assert_strains(spatial_beam, data, lambda x: spatial_strains(x, q0, form), q, v, 4)
    if form != "continuum":
        assert_matrices(spatial_beam, data, q, v, 4)


def test_spatial_rubber():
    q0, q, _ = spatial_case(0.05)
    data = spatial_beam.rows(scaled(spatial_beam, q0, 4), spatial_properties("continuum", RUBBER), UNIT)[0]
    at = scaled(spatial_beam, q, 4)
    assert energies(spatial_beam, data, at, at)[0] == pytest.approx(spatial_rubber(q, q0), rel=1e-11)
    d = np.random.default_rng(8).normal(size=(8, 3))
    want = -slope(lambda x: spatial_rubber(x, q0), q, d)
    assert forces(spatial_beam, data, at, 0 * at) @ scaled(spatial_beam, d, 4) == pytest.approx(want, rel=1e-7)


def test_spatial_masses_and_positions():
    """Mass of the section's A, Iy and Iz, and of a straight element also by its closed integrals."""
    s, p, scale = SECTION, spatial_properties("structural"), np.tile([1, UNIT, UNIT, UNIT], 2)
    units = [Beam(np.outer(one, [1.0, 0.0, 0.0]), 2) for one in np.eye(8)]
    for q0 in (spatial_case()[0], straight_case(8)[0]):
        want, drawn = np.zeros((8, 8)), Beam(q0, 2)
        for x, u in zip(*gauss(5)):
            for y in np.array([-1, 1]) * np.sqrt(s.Iz / s.A):
                for z in np.array([-1, 1]) * np.sqrt(s.Iy / s.A):
                    N = np.array([one.at(x, y, z)[0][0] for one in units])
                    volume = np.linalg.det([drawn.at(x, y, z)[1], *drawn.across_at(x)])
                    want += RHO * s.A / 4 * LENGTH * u * volume * np.outer(N, N)
        found = spatial_beam.masses(scaled(spatial_beam, q0, 4), p, UNIT)[0]
        np.testing.assert_allclose(found, np.kron(want / np.outer(scale, scale), np.eye(3)), atol=1e-14)
    linear = np.array([[1, 0.5], [0.5, 1]]) / 3
    np.testing.assert_allclose(want[2::4, 2::4], RHO * s.Iz * LENGTH * linear, atol=1e-15)
    np.testing.assert_allclose(want[3::4, 3::4], RHO * s.Iy * LENGTH * linear, atol=1e-15)
    assert want[0, 0] == pytest.approx(RHO * s.A * LENGTH * 13 / 35)
    found = spatial_beam.weights(p, 0.3, UNIT) * scale
    rows = [[one.at(0.3)[0][0], one.at(0.3)[1][0], *one.at(0.3)[2][:, 0]] for one in units]
    np.testing.assert_allclose(found, np.transpose(rows), atol=1e-15)
    assert lumping.unity(spatial_beam)[0].tolist() == [1, 0, 0, 0, 1, 0, 0, 0]
    q0 = spatial_case()[0]

    def excess(L):
        axis = CubicHermiteSpline([0, L], q0[[0, 4]], q0[[1, 5]])
        return quad(lambda x: np.linalg.norm(axis(x, 1)), 0, L, epsabs=1e-13)[0] - L

    assert spatial_beam.arc(q0[None])[0] == pytest.approx(brentq(excess, 1.0, 3.0, xtol=1e-14), rel=1e-6)


def section_forces(form, q, xi):
    """Axial force, shear forces, torque, bending moments by their strains at xi."""
    s, e = SECTION, np.array([reissner(Beam(q, 2), x) for x in X3]).T
    twist, about_y, about_z = e[3:] @ W3
    if form == "continuum":
        bend = isotropic(E, NU)[0, 0]
        return np.array([E * s.A * fitted(e[0], xi), MU * s.A * W3 @ e[1], MU * s.A * W3 @ e[2],
                         MU * (s.Iy + s.Iz) * twist, bend * s.Iy * about_y, bend * s.Iz * about_z])  # fmt: skip
    GAy, GAz, EIy, EIz = s.ky * MU * s.A, s.kz * MU * s.A, E * s.Iy, E * s.Iz
    shear_y, more_z = bending(GAy, EIz, e[1], xi)
    shear_z, more_y = bending(GAz, EIy, e[2], xi)
    stretch = e[0] + turned(GAy, EIz, LENGTH) * e[1] ** 2 + turned(GAz, EIy, LENGTH) * e[2] ** 2
    return np.array([E * s.A * fitted(stretch, xi), GAy * shear_y, GAz * shear_z,
                     GJ * twist, EIy * (about_y - more_y), EIz * (about_z + more_z)])  # fmt: skip


@pytest.mark.parametrize("form", SPATIAL)
def test_spatial_section_forces(form):
    _, q = straight_case(8)
    p = spatial_properties(form)
    for xi in (0.0, 0.3, 1.0):
        want = section_forces(form, q, xi)
        found = spatial_beam.resultants(p, xi, np.stack([scaled(spatial_beam, q, 4)] * 2), UNIT)
        np.testing.assert_allclose(found, [want] * 2, rtol=1e-8)


def test_spatial_beams_that_yield(monkeypatch):
    """Axial force and bending about both axes by the means of stretch and curvatures, with the forces that fibres
    have one by one."""
    s, law = SECTION, Fibres.grid(0.4, 0.3, Plastic(((0.02, 1.0), (0.05, 1.6)), 6.0), (3, 2))
    q0, q, v = spatial_case(0.03)
    p = spatial_properties("structural", law=law.parameters)
    data = spatial_beam.rows(scaled(spatial_beam, q0, 4), p, UNIT)[0]
    _, share, arc = measure(Beam(q0, 2))
    y, z, A = (np.array(x) for x in (law.places, law.heights, law.areas))
    single = Fibres(law.law, (-1.0, 1.0), (1.0, 1.0))

    def own(path):
        """N, M_y, M_z after means (e, k_y, k_z) one after the other."""
        strains = [e + z * ky - y * kz for e, ky, kz in path]
        stress = np.array([layers(single, [(one[k], 0.0) for one in strains])[0] / 2 for k in range(len(y))])
        return np.array([A @ stress, A * z @ stress, -(A * y) @ stress])

    def means(x):
        e = spatial_strains(x, q0, "structural")[0]
        return np.array([share @ e[:3] / arc, e[10], e[11]])

    def work(d, path):
        e, D = spatial_strains(path[-1], q0, "structural")
        de = slope(lambda x: spatial_strains(x, q0, "structural")[0], path[-1], d)
        dX = slope(means, path[-1], d)
        stiff = np.array([E * s.A, E * s.Iy, E * s.Iz])
        return -de @ D @ e - arc * dX @ (own([means(x) for x in path]) - stiff * means(path[-1]))

    zero, moving = np.zeros(24), scaled(spatial_beam, v, 4)
    for path in ((q,), (q, 0.5 * (q + q0))):
        at = scaled(spatial_beam, path[-1], 4)
        f = forces(spatial_beam, data, at, zero)
        for seed in range(2):
            d = np.random.default_rng(seed).normal(size=(8, 3))
            assert f @ scaled(spatial_beam, d, 4) == pytest.approx(work(d, path), rel=1e-6)
        if len(path) == 1:
            assert_matrices(spatial_beam, data, q, v, 4)
        interpreted(points.accept)(spatial_beam.VECTORS, 3, 8, data, at)
        now, ahead = (energies(spatial_beam, data, at + x * moving, moving) for x in (0.0, 1e-7))
        pull = forces(spatial_beam, data, at, moving)
        assert (ahead[0] - now[0]) / 1e-7 - now[1] == pytest.approx(-pull @ moving, rel=1e-4)
    for kernel in ("section_forces", "section_remembers"):
        monkeypatch.setattr(points, kernel, interpreted(getattr(section_laws, kernel)))
    straight_q0, straight_q = straight_case(8)
    path = [straight_q, 0.4 * straight_q + 0.6 * straight_q0]
    found = spatial_beam.resultants(p, 0.4, [scaled(spatial_beam, x, 4) for x in path], UNIT)
    mean = []
    for x in path:
        e = np.array([reissner(Beam(x, 2), one) for one in X3]).T
        turn = turned(s.ky * MU * s.A, E * s.Iz, LENGTH), turned(s.kz * MU * s.A, E * s.Iy, LENGTH)
        mean.append([W3 @ (e[0] + turn[0] * e[1] ** 2 + turn[1] * e[2] ** 2), *(e[4:] @ W3)])
    for k in range(2):
        want = section_forces("structural", path[k], 0.4)
        want[[0, 4, 5]] += own(mean[: k + 1]) - np.array([E * s.A, E * s.Iy, E * s.Iz]) * mean[k]
        np.testing.assert_allclose(found[k], want, rtol=1e-8)


# ---- plates ----------------------------------------------------------------------------------------------------------
THICKNESS, SIDE_A, SIDE_B = 0.11, 1.2, 0.8
CORNERS = ((0, 0), (1, 0), (1, 1), (0, 1))
ADINI = [(0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2), (3, 0), (2, 1), (1, 2), (0, 3), (3, 1), (1, 3)]
PLATES = {"thin": (thin_plate, 3), "conforming": (conforming_plate, 4), "thick": (thick_plate, 4)}
polynomial = np.polynomial.polynomial


def derived(c, i, j):
    """Coefficients (4, 4) of a polynomial in x and y, derived i and j times, in the same room."""
    out = np.zeros((4, 4))
    c = polynomial.polyder(polynomial.polyder(c, i, axis=0), j, axis=1)
    out[: c.shape[0], : c.shape[1]] = c
    return out


@cache
def surface_shapes(conforming):
    """(S, 4, 4) coefficients in x and y of shape functions of positions and gradients (and twists) of corners."""
    if conforming:
        out = []
        for cx, cy in CORNERS:
            for dx, dy in ((0, 0), (1, 0), (0, 1), (1, 1)):
                line = []
                for c, d, side in ((cx, dx, SIDE_A), (cy, dy, SIDE_B)):
                    ends = np.zeros((2, 2))
                    ends[d, c] = 1.0
                    line.append(CubicHermiteSpline([0, side], *ends).c[::-1, 0])
                out.append(np.outer(*line))
        return np.array(out)
    terms = np.zeros((12, 4, 4))
    terms[range(12), [i for i, _ in ADINI], [j for _, j in ADINI]] = 1.0
    rows = [
        [polynomial.polyval2d(cx * SIDE_A, cy * SIDE_B, derived(t, *d)) for t in terms]
        for cx, cy in CORNERS
        for d in ((0, 0), (1, 0), (0, 1))
    ]
    return np.einsum("ts,tij->sij", np.linalg.inv(rows), terms)


@cache
def surface_weights(conforming, u, v, i, j):
    """(S,) derivatives of the shape functions."""
    shapes = surface_shapes(conforming)
    return np.array([polynomial.polyval2d(u * SIDE_A, v * SIDE_B, derived(c, i, j)) for c in shapes])


class Surface:
    """Interpolation of a plate: ``at(u, v, i, j)`` derivatives of the position, ``director(u, v)`` and its two
    derivatives."""

    def __init__(self, kind, q):
        self.q, self.own = q, q
        if kind is thick_plate:
            self.own, self.d = q.reshape(4, 4, -1)[:, :3].reshape(12, -1), q.reshape(4, 4, -1)[:, 3]
        self.conforming = kind is conforming_plate

    def at(self, u, v, i=0, j=0):
        return surface_weights(self.conforming, u, v, i, j) @ self.own

    def director(self, u, v):
        d1, d2, d3, d4 = self.d
        low, high = d1 + u * (d2 - d1), d4 + u * (d3 - d4)
        slope_x = ((1 - v) * (d2 - d1) + v * (d3 - d4)) / SIDE_A
        return low + v * (high - low), slope_x, (high - low) / SIDE_B

    def area(self, u, v):
        return np.linalg.norm(np.cross(self.at(u, v, 1, 0), self.at(u, v, 0, 1))) * SIDE_A * SIDE_B


def plane_stress(t):
    """Over xx, yy, 2 xy by tangents t (2, 3), by way of strains in axes at right angles."""
    e = np.array([unit(t[0]), unit(t[1] - t[1] @ unit(t[0]) * unit(t[0]))])
    back = np.linalg.inv(t @ e.T)
    bases = [np.array([[1.0, 0], [0, 0]]), np.array([[0, 0], [0, 1.0]]), np.array([[0, 0.5], [0.5, 0]])]
    M = np.transpose([voigt(back @ one @ back.T) for one in bases])
    return M.T @ isotropic(E, NU, True) @ M


def plate_case(kind, per, size=0.1):
    """A curved element as drawn, x and y that grow by less than its sides, and a deformed one."""
    r = np.random.default_rng(12)
    q0 = np.zeros((4, per, 3))
    q0[:, 0] = [[1.3 * u, 0.9 * v, 0.05 * u * v] for u, v in CORNERS]
    q0[:, 1], q0[:, 2] = [1.3 / SIDE_A, 0, 0], [0, 0.9 / SIDE_B, 0]
    q0 += 0.06 * r.normal(size=q0.shape)
    if kind is thick_plate:
        q0[:, 3] = [unit([0.1 * x, 0.1 * y, 1.0]) for x, y in r.normal(size=(4, 2))]
    q0 = q0.reshape(-1, 3)
    return q0, q0 + size * r.normal(size=q0.shape), r.normal(size=q0.shape)


def plate_strains(kind, q, q0):
    """(strains, D) of vectors of nodes; own order."""
    now, drawn, h = Surface(kind, q), Surface(kind, q0), THICKNESS
    rule = gauss(4 if kind is conforming_plate else 3)
    grid = [(u, v, w * x) for u, w in zip(*rule) for v, x in zip(*rule)]
    tangents = lambda s, u, v: np.array([s.at(u, v, 1, 0), s.at(u, v, 0, 1)])
    D = []
    for u, v, w in grid:
        C = plane_stress(tangents(drawn, u, v)) * w * drawn.area(u, v)
        D += [h * C, h**3 / 12 * C]

    def strains(s):
        out = []
        for u, v, _ in grid:
            t = tangents(s, u, v)
            if kind is thick_plate:
                _, dx, dy = s.director(u, v)
                bend = np.array([[t[0] @ dx, t[0] @ dy], [t[1] @ dx, t[1] @ dy]])
                bend = (bend + bend.T) / 2
            else:
                n = unit(np.cross(*t))
                xx, xy, yy = (-(s.at(u, v, *d) @ n) for d in ((2, 0), (1, 1), (0, 2)))
                bend = np.array([[xx, xy], [xy, yy]])
            out += [*voigt(t @ t.T / 2), *voigt(bend)]
        if kind is thick_plate:
            for c in (0.0, 1.0):
                out += [s.at(x, c, 1, 0) @ s.director(x, c)[0] for x in X3]
            for c in (0.0, 1.0):
                out += [s.at(c, x, 0, 1) @ s.director(c, x)[0] for x in X3]
            out += [d @ d / 2 for d in s.d]
        return np.array(out)

    if kind is thick_plate:
        area = sum(w * drawn.area(u, v) for u, v, w in grid)
        mean = sum(w * drawn.area(u, v) * (tangents(drawn, u, v) ** 2).sum(1) for u, v, w in grid) / area
        t = tangents(drawn, 0.5, 0.5)
        share = np.sqrt((t**2).sum(1) / mean)  # of the middle in the mean
        inverse = np.linalg.inv(t @ t.T) * np.outer(share, share)
        across = np.array([[1, 0.5], [0.5, 1]]) / 3
        strips = []
        for side in np.sqrt(mean) * [SIDE_A, SIDE_B]:
            soft = softened(5 / 6 * MU * h, E / (1 - NU**2) * h**3 / 12, side)
            strips.append(np.kron(across, soft) * area / side)
        shear = block_diag(strips[0] * inverse[0, 0], strips[1] * inverse[1, 1])
        one, two = (s.sum(1) / np.sqrt(s.sum()) for s in strips)
        shear[:6, 6:] = inverse[0, 1] * np.outer(one, two)
        shear[6:, :6] = shear[:6, 6:].T
        D += [shear, E * h / (1 - NU**2) * area / 4 * np.eye(4)]
    return strains(now) - strains(drawn), block_diag(*D)


def plate_properties(kind):
    return kind.properties(THICKNESS, SOFT, a=SIDE_A, b=SIDE_B)


@pytest.mark.parametrize("name", PLATES)
def test_plates(name):
    kind, per = PLATES[name]
    q0, q, v = plate_case(kind, per)
    data = kind.rows(scaled(kind, q0, per), plate_properties(kind), UNIT)[0]
    assert_strains(kind, data, lambda x: plate_strains(kind, x, q0), q, v, per)
    if name == "thin":
        assert_matrices(kind, data, q, v, per)


@pytest.mark.parametrize("name", PLATES)
def test_masses_and_positions_of_plates(name):
    """Mass of the thickness, of thick plates with the rotary inertia of directors; sides as drawn by default."""
    kind, per = PLATES[name]
    q0, p = plate_case(kind, per)[0], plate_properties(kind)
    drawn, S = Surface(kind, q0), 4 * per
    units, want = [Surface(kind, np.outer(one, [1.0, 0, 0])) for one in np.eye(S)], np.zeros((S, S))
    for u, w in zip(*gauss(4)):
        for v, x in zip(*gauss(4)):
            N = np.array([one.at(u, v)[0] for one in units])
            own = THICKNESS * np.outer(N, N)
            if kind is thick_plate:
                d = np.array([one.director(u, v)[0][0] for one in units])
                own += THICKNESS**3 / 12 * np.outer(d, d)
            want += RHO * w * x * drawn.area(u, v) * own
    scale = scaled(kind, np.tile(np.ones((S, 1)), 3), per)[::3]
    found = kind.masses(scaled(kind, q0, per), p, UNIT)[0]
    np.testing.assert_allclose(found, np.kron(want / np.outer(scale, scale), np.eye(3)), atol=1e-14)
    rows = [[one.at(0.3, 0.6)[0], one.at(0.3, 0.6, 1, 0)[0], one.at(0.3, 0.6, 0, 1)[0]] for one in units]
    if kind is thick_plate:
        rows = [[*row, one.director(0.3, 0.6)[0][0]] for row, one in zip(rows, units)]
    np.testing.assert_allclose(kind.weights(p, (0.3, 0.6), UNIT) * scale, np.transpose(rows), atol=1e-13)
    assert lumping.unity(kind)[0].tolist() == [1.0, *[0.0] * (per - 1)] * 4
    r = q0[::per]
    sides = [np.linalg.norm(r[i] - r[j]) for i, j in ((0, 1), (2, 3), (1, 2), (3, 0))]
    given = kind.properties(THICKNESS, SOFT, a=np.mean(sides[:2]), b=np.mean(sides[2:]))
    default = kind.properties(THICKNESS, SOFT)
    np.testing.assert_allclose(kind.masses(q0.ravel(), default), kind.masses(q0.ravel(), given), rtol=1e-14)


@pytest.mark.parametrize("name", PLATES)
def test_section_forces_of_plates(name):
    """Of rectangles: N = h C eps, M = h^3/12 C kappa; shear forces across by edges with their internal rotations."""
    kind, per = PLATES[name]
    r, h = np.random.default_rng(13), THICKNESS
    q0 = np.zeros((4, per, 3))
    q0[:, 0, :2] = np.array(CORNERS) * [SIDE_A, SIDE_B]
    q0[:, 1, 0] = q0[:, 2, 1] = 1.0
    if kind is thick_plate:
        q0[:, 3, 2] = 1.0
    q = (q0 + 0.1 * r.normal(size=q0.shape)).reshape(-1, 3)
    s, u, v = Surface(kind, q), 0.3, 0.6
    t = np.array([s.at(u, v, 1, 0), s.at(u, v, 0, 1)])
    if kind is thick_plate:
        _, dx, dy = s.director(u, v)
        bend = [t[0] @ dx, t[1] @ dy, t[0] @ dy + t[1] @ dx]
    else:
        n = unit(np.cross(*t))
        bend = [-(s.at(u, v, *d) @ n) * f for d, f in (((2, 0), 1), ((0, 2), 1), ((1, 1), 2))]
    C = isotropic(E, NU, True)
    want = [*(h * C @ voigt(green(t.T))), *(h**3 / 12 * C @ bend)]
    if kind is thick_plate:
        for k, side in enumerate((SIDE_A, SIDE_B)):
            soft = softened(5 / 6 * MU * h, E / (1 - NU**2) * h**3 / 12, side).sum(0) / side
            edges = []
            for c in (0.0, 1.0):
                at = [(x, c) if k == 0 else (c, x) for x in X3]
                edges.append(soft @ [s.at(*one, 1 - k, k) @ s.director(*one)[0] for one in at])
            share = v if k == 0 else u
            want.append((1 - share) * edges[0] + share * edges[1])
    found = kind.resultants(plate_properties(kind), (u, v), np.stack([scaled(kind, q, per)] * 2), UNIT)
    np.testing.assert_allclose(found, [want] * 2, rtol=1e-9)


# ---- diagonal masses, materials, sections ----------------------------------------------------------------------------
def test_diagonal_masses(monkeypatch):
    """The diagonal, so that a motion of the whole has its mass; the highest frequency of an element by its strains."""
    q0 = straight_case(6)[0]
    p = planar_properties("structural", 0.8, True)
    M = planar_beam.masses(scaled(planar_beam, q0, 3), p, UNIT)
    found = lumping.lumped(M, np.array([[1.0, 0, 0, 1, 0, 0]]))[0]
    one = np.array([1.0, 0, 0, 1, 0, 0])
    scalar = M[0, ::3, ::3]
    want = np.diag(scalar) * (one @ scalar @ one) / (scalar[0, 0] + scalar[3, 3])
    np.testing.assert_allclose(found, np.diag(np.repeat(want, 3)), rtol=1e-14)
    monkeypatch.setattr(points, "stiffness", interpreted(points.stiffness))
    e = lambda x: planar_strains(x.reshape(6, 3), q0, "structural", "xy", 0.8, True)[0]
    G = np.array([slope(e, q0.ravel(), d) for d in np.eye(18)]).T
    K = G.T @ planar_strains(q0, q0, "structural", "xy", 0.8, True)[1] @ G
    scale = scaled(planar_beam, np.ones((6, 3)), 3)
    for lump, masses in ((False, M[0]), (True, found)):
        mesh = SimpleNamespace(element="planar_beam", places=scaled(planar_beam, q0, 3), width=9, cells=[0, 1],
                               element_parameters=lambda n: p[None], unit=UNIT, lumped=lump)  # fmt: skip
        most = eigh(K / np.outer(scale, scale), 2.5 * masses, eigvals_only=True)[-1]
        assert lumping.highest_frequency(mesh, 2.5) == pytest.approx(np.sqrt(most), rel=1e-7)


def test_materials():
    """Lame's constants by tension and shear; rubber by its small strains."""
    C = SOFT.solid()
    np.testing.assert_allclose(C, isotropic(E, NU), atol=1e-12)
    for stress in (True, False):
        np.testing.assert_allclose(SOFT.plane(stress), isotropic(E, NU, stress), atol=1e-12)
    h = 1e-4

    def energy(e):
        F = np.linalg.cholesky(np.eye(3) + 2 * np.array(e)).T
        return mooney_rivlin(F, RUBBER.c10, RUBBER.c01, RUBBER.k)

    shear = h * np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]])
    volume = h * np.eye(3)
    assert RUBBER.mu == pytest.approx((energy(shear) + energy(-shear)) / (4 * h**2), rel=1e-5)
    bulk = (energy(volume) + energy(-volume)) / (9 * h**2)
    assert bulk == pytest.approx(RUBBER.k, rel=1e-5)
    C = isotropic(RUBBER.E, RUBBER.nu)
    assert C[:3, :3].sum() / 9 == pytest.approx(RUBBER.k) and C[3, 3] == pytest.approx(RUBBER.mu)


STEPS = Plastic(((0.02, 1.0), (0.05, 1.6)), 6.0)


def test_sections_of_layers():
    """Areas and second moments of rectangles, discs and tubes; chords of a disc by quadrature."""
    bar = Fibres.rectangle(0.3, 0.2, STEPS, 3)
    assert (sum(bar.areas), np.dot(bar.areas, np.square(bar.places))) == pytest.approx((0.06, 0.3 * 0.2**3 / 12))
    assert (bar.EA, bar.EI) == pytest.approx((50 * 0.06, 50 * 0.3 * 0.2**3 / 12))
    assert bar.yields == pytest.approx(0.02 / (0.1 * np.sqrt(0.6)))
    grid = Fibres.grid(0.3, 0.2, STEPS, (3, 4))
    A, y, z = (np.array(x) for x in (grid.areas, grid.places, grid.heights))
    moments = A.sum(), A @ y**2, A @ z**2, A @ (y**2 * z**2)
    assert moments == pytest.approx((0.06, 0.2 * 0.3**3 / 12, 0.3 * 0.2**3 / 12, 0.3**3 / 12 * 0.2**3 / 12))
    for hole in (0.0, 0.4):
        tube = Fibres.round(0.5, STEPS, hole, 7)
        A, y = np.array(tube.areas), np.array(tube.places)
        assert A.sum() == pytest.approx(np.pi * (0.25 - hole**2))
        assert A @ y**2 == pytest.approx(np.pi / 4 * (0.5**4 - hole**4))
        edges = -0.5 * np.cos(np.linspace(0, np.pi, 8))
        chord = lambda s, k, hole=hole: s**k * 2 * (np.sqrt(0.25 - s**2) - np.sqrt(max(hole**2 - s**2, 0.0)))
        parts = [
            [quad(chord, a, b, args=(k,), points=[-hole, 0, hole])[0] for k in (0, 1)] for a, b in zip(edges, edges[1:])
        ]
        np.testing.assert_allclose(A, [a for a, _ in parts], rtol=1e-6)
        centre = np.array([b / a for a, b in parts])
        np.testing.assert_allclose(y, centre * y[-1] / centre[-1], atol=1e-7)
        disc = Fibres.disc(0.5, STEPS, hole, (3, 8))
        A, y, z = (np.array(x) for x in (disc.areas, disc.places, disc.heights))
        assert A.sum() == pytest.approx(np.pi * (0.25 - hole**2)) and A @ (y * z) == pytest.approx(0.0, abs=1e-15)
        assert A @ y**2 == pytest.approx(np.pi / 4 * (0.5**4 - hole**4)) and A @ z**2 == pytest.approx(A @ y**2)
        fourth = np.pi / 3 * (0.5**6 - hole**6)  # int (y^2 + z^2)^2 dA
        assert A @ (y**2 + z**2) ** 2 == pytest.approx(fourth)


def test_work_of_a_law_is_stored_or_lost():
    """Along a path of curvatures: int M dk by a fine sum of sliding springs, the stored part by unloading them."""
    ends, step = (0.0, 0.08, -0.06, 0.0), 1e-4
    law, path = STEPS, np.concatenate([np.arange(a, b, step * np.sign(b - a)) for a, b in zip(ends, ends[1:])])
    row = np.concatenate([law.parameters, np.zeros(section_laws.states(law.parameters))])
    at, names = len(law.parameters), ("moment", "energy", "remember")
    moment, energy, remember = (interpreted(getattr(section_laws, name)) for name in names)
    single, lost, work = Fibres(law, (-1.0, 1.0), (1.0, 1.0)), 0.0, 0.0
    for k, (a, b) in enumerate(zip(path, path[1:])):
        work += 0.5 * (moment(row, 0, at, a)[0] + moment(row, 0, at, b)[0]) * (b - a)
        stored, power = energy(row, 0, at, b, b - a)
        lost -= power
        if k % 200 == 199:
            M = layers(single, [(x, 0.0) for x in path[: k + 2]])[0] / 2
            assert moment(row, 0, at, b)[0] == pytest.approx(M, rel=1e-12)
            assert stored + lost == pytest.approx(work, abs=7e-4) and (work > 0.01 or k < 200)
        remember(row, 0, at, b)
    copy = row.copy()
    section_laws.harden(copy, 0)
    assert moment(copy, 0, at, 0.3)[1] == pytest.approx(law.EI)
    curve = MomentCurve(((-3.0, -2.0), (-1.0, -4.0), (0.0, 0.0), (0.5, 3.0), (1.0, 1.0), (2.0, 1.2)))
    row = np.array(curve.parameters)
    smooth = PchipInterpolator(*np.transpose(curve.points))
    for k in (-2.2, -0.4, 0.2, 0.7, 1.9):
        assert moment(row, 0, 0, k) == pytest.approx((float(smooth(k)), float(smooth(k, 1))))
        assert energy(row, 0, 0, k, 1.0) == pytest.approx((float(smooth.integrate(0.0, k)), 0.0), rel=1e-12)
    for k, end in ((-4.0, -3.0), (3.0, 2.0)):
        line = smooth(end) + smooth(end, 1) * (k - end)
        assert moment(row, 0, 0, k) == pytest.approx((float(line), float(smooth(end, 1))))
        want = smooth.integrate(0.0, end) + 0.5 * (smooth(end) + line) * (k - end)
        assert energy(row, 0, 0, k, 1.0)[0] == pytest.approx(want, rel=1e-12)
