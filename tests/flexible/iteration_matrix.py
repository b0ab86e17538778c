"""Derivatives of the iteration matrix by differences, and momenta of meshes, for tests."""

import numpy as np
import scipy.sparse as sp

from holonom.elements.bodies import layout
from holonom.elements.bodies.coordinates import moved, rotations
from holonom.elements.bodies.momentum import momentum
from holonom.system.build import System
from holonom.system.implicit import Implicit


def check(model, seed=1, tolerance=1e-7, far=0.02):
    """K, C and gradients of rows against differences of the residual along random directions, off the drawing by ``far`` and moving."""
    s = System(model)
    rng = np.random.default_rng(seed)
    matrix = Implicit(s)
    p, I = matrix.pattern, matrix.I
    free = layout.free(s.bodies).ravel()
    y = s.y0.copy()
    moved(s.bodies, y, far * rng.normal(size=s.bodies.moves) * free)
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
        assert np.abs(K @ d[p.moves[:n]] - slope[:n]).max() < tolerance * np.abs(slope).max()
        assert np.abs(A[n:, :n] @ d[p.moves[:n]] - slope[n:]).max() < tolerance * max(np.abs(slope[n:]).max(), 1.0)
        ends = []
        for sign in (h, -h):
            z = y.copy()
            layout.speeds(z, s.nb)[:] += sign * layout.body_moves(d, s.nb)
            layout.coordinate_rates(z, s.bodies)[:] += sign * d[layout.unknowns(s.nb) :]
            ends.append(residual(z))
        slope = (ends[1] - ends[0]) / (2 * h)
        assert np.abs(C @ d[p.moves[:n]] - slope[:n]).max() < tolerance * np.abs(slope).max()


def momenta(sim, run):
    """(nt, 6) momentum and moment of momentum about the origin of a model of one mesh."""
    s = sim.system
    out = []
    for row in run.state("ABSOLUTE_MESH_1").values:
        y, R, one = s.y0.copy(), np.zeros((s.nb + 1, 9)), np.zeros(18)
        count = len(row) // 2
        layout.coordinates(y, s.bodies)[:count], layout.coordinate_rates(y, s.bodies)[:count] = row[::2], row[1::2]
        rotations(s.bodies, y, R)
        momentum(s.bodies, y, R, np.zeros(s.bodies.moves), np.zeros(6), one)
        out.append(one[:6].copy())
    return np.array(out)
