"""Cables in absolute nodal coordinates: derivatives by Taylor, published benchmarks, closed forms, conservation, and what cannot be."""

import numpy as np
import scipy.sparse as sp

import holonom as hn
from holonom.elements.bodies import layout
from holonom.elements.bodies.coordinates import moved
from holonom.flexible import cable
from holonom.system.build import System
from holonom.system.implicit import Implicit


def machine():
    """A damped cable between ground and a part, with forces, torques and springs on its points."""
    m = hn.Model()
    m.gravity = (0.4, -0.7, -9.81)
    c = cable(m, [(0, 0, 0), (0.5, 0.1, 0.2), (1.0, 0.0, 0.3)], EA=300.0, EI=2.0, mass=0.8, damping=0.02, elements=3, length=1.1)
    weight = m.part("weight", 1.5, (0.1, 0.2, 0.3), position=(1.2, 0, 0.3))
    m.spherical(c.first, m.ground, at=(0, 0, 0))
    m.fixed(c.last, weight, at=(1.0, 0, 0.3))
    middle = m.marker(c.at(0.37), (0.02, 0.05, -0.03))
    m.vforce(middle, m.ground, "3*TIME", "5", "-2*DX(1,2)", rm=m.marker(m.ground))
    m.vtorque(middle, weight, "1", "2", "-1.5", rm=middle)
    ends = [m.marker_at(b, (0.6, 0.1, 0.2)) for b in (c.nearest((0.5, 0.1, 0.2)), weight)]
    m.bushing(*ends, k=(30, 40, 50), kt=(1, 2, 3), c=(1, 2, 3), ct=(0.1, 0.2, 0.3))
    m.spring_damper(middle, m.marker(m.ground, (0, 0, 1)), k=20, c=1)
    return m, c


def test_taylor():
    """K and C of the iteration matrix, and gradients of rows, against differences of the residual along random directions."""
    s = System(machine()[0])
    rng = np.random.default_rng(1)
    matrix = Implicit(s)
    p, I = matrix.pattern, matrix.I
    free = layout.free(s.bodies).ravel()
    y = s.y0.copy()
    moved(s.bodies, y, 0.1 * rng.normal(size=s.bodies.moves) * free)
    layout.speeds(y, s.nb)[:] = rng.normal(size=(s.nb, 6)) * free[: 6 * s.nb].reshape(-1, 6)
    layout.coordinate_rates(y, s.bodies)[:] = rng.normal(size=s.bodies.tail) * free[6 * s.nb + 6 :]
    lam, acc = rng.normal(size=s.m), rng.normal(size=s.bodies.moves)
    n = p.inside_bodies

    def residual(y, aa=1.0, au=0.0):
        I.lam[:], I.acc[:] = lam, acc
        matrix.linearise(0.1, y.copy(), 1.0, aa, au, 1.0)
        return I.res.copy()[p.inside]

    def dense(aa, au):
        residual(y, aa, au)
        k = len(p.indices)
        return sp.csc_matrix((I.data[:k].copy(), p.indices, p.indptr), shape=(p.size, p.size)).toarray()

    A, B, D = dense(1.0, 0.0), dense(2.0, 0.0), dense(1.0, 1.0)
    K, C = 2.0 * (A - B)[:n, :n], (D - A)[:n, :n]
    h = 1e-6
    for _ in range(3):
        d = np.zeros(s.bodies.moves)
        d[p.moves[:n]] = rng.normal(size=n)
        ends = []
        for sign in (h, -h):
            z = y.copy()
            moved(s.bodies, z, sign * d)
            ends.append(residual(z))
        slope = (ends[1] - ends[0]) / (2 * h)
        assert np.abs(K @ d[p.moves[:n]] - slope[:n]).max() < 1e-7 * np.abs(slope).max()
        assert np.abs(A[n:, :n] @ d[p.moves[:n]] - slope[n:]).max() < 1e-7 * np.abs(slope[n:]).max()
        ends = []
        for sign in (h, -h):
            z = y.copy()
            layout.speeds(z, s.nb)[:] += sign * layout.body_moves(d, s.nb)
            layout.coordinate_rates(z, s.bodies)[:] += sign * d[layout.unknowns(s.nb) :]
            ends.append(residual(z))
        slope = (ends[1] - ends[0]) / (2 * h)
        assert np.abs(C @ d[p.moves[:n]] - slope[:n]).max() < 1e-7 * np.abs(slope).max()
