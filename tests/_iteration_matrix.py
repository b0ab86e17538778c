"""Derivatives of the iteration matrix by differences, and momenta of meshes, for tests."""

import numpy as np
import scipy.sparse as sp

from holonom.elements.bodies import layout
from holonom.elements.bodies.coordinates import moved, rotations
from holonom.elements.bodies.momentum import momentum
from holonom.system.build import System
from holonom.system.implicit import Implicit


class AtMotion:
    """The implicit equations of a system at one motion, with random multipliers and accelerations: its matrices, and
    the residual to take differences of.

    ``A`` = M + K with the rows below, ``K``, ``C`` (inside, inside)."""

    def __init__(self, s, rng):
        self.s, self.matrix = s, Implicit(s)
        self.p = self.matrix.pattern
        self.lam, self.acc = rng.normal(size=s.m), rng.normal(size=s.bodies.moves)

    def residual(self, y, aa=1.0, au=0.0):
        I = self.matrix.I
        I.lam[:], I.acc[:] = self.lam, self.acc
        self.matrix.linearise(0.1, y.copy(), 1.0, aa, au, 1.0)
        return I.res.copy()[self.p.inside]

    def dense(self, y, aa, au):
        self.residual(y, aa, au)
        p = self.p
        return sp.csc_matrix(
            (self.matrix.I.data[: len(p.indices)].copy(), p.indices, p.indptr), shape=(p.size, p.size)
        ).toarray()

    def matrices(self, y):
        """(A, K, C)."""
        n = self.p.inside_bodies
        A, B, D = self.dense(y, 1.0, 0.0), self.dense(y, 2.0, 0.0), self.dense(y, 1.0, 1.0)  # M + K, M + K/2, M + K + C
        return A, 2.0 * (A - B)[:n, :n], (D - A)[:n, :n]

    def slope(self, y, d, h=1e-6):
        """Difference of minus the residual along a displacement ``d`` (moves,)."""
        ends = []
        for sign in (-h, h):
            z = y.copy()
            moved(self.s.bodies, z, sign * d)
            ends.append(self.residual(z))
        return (ends[0] - ends[1]) / (2 * h)

    def slope_by_rate(self, y, d, h=1e-6):
        """The same along a change ``d`` of the speeds."""
        u = layout.all_speeds(y, self.s.bodies)
        ends = []
        for sign in (-h, h):
            z = y.copy()
            put_speeds(self.s, z, u + sign * d)
            ends.append(self.residual(z))
        return (ends[0] - ends[1]) / (2 * h)

    def along(self, rng):
        """A random direction inside."""
        d = np.zeros(self.s.bodies.moves)
        d[self.p.moves[: self.p.inside_bodies]] = rng.normal(size=self.p.inside_bodies)
        return d

    def columns(self, y, slope):
        """``slope`` for each coordinate inside: (size, inside)."""
        return np.column_stack([slope(y, d) for d in np.eye(self.s.bodies.moves)[self.p.moves[: self.p.inside_bodies]]])


def put_speeds(s, y, u):
    layout.speeds(y, s.nb)[:] = layout.body_moves(u, s.nb)
    layout.coordinate_rates(y, s.bodies)[:] = u[layout.unknowns(s.nb) :]


def check(model, seed=1, tolerance=1e-7, far=0.02):
    """K, C and gradients of rows against differences of the residual along random directions, off the drawing by
    ``far`` and moving."""
    s = System(model)
    rng = np.random.default_rng(seed)
    free = layout.free(s.bodies).ravel()
    y = s.y0.copy()
    moved(s.bodies, y, far * rng.normal(size=s.bodies.moves) * free)
    layout.speeds(y, s.nb)[:] = rng.normal(size=(s.nb, 6)) * free[: 6 * s.nb].reshape(-1, 6)
    layout.coordinate_rates(y, s.bodies)[:] = rng.normal(size=s.bodies.tail) * free[6 * s.nb + 6 :]
    at = AtMotion(s, rng)
    n, inside = at.p.inside_bodies, at.p.moves[: at.p.inside_bodies]
    A, K, C = at.matrices(y)
    for _ in range(3):
        d = at.along(rng)
        slope = at.slope(y, d)
        assert np.abs(K @ d[inside] - slope[:n]).max() < tolerance * np.abs(slope).max()
        assert np.abs(A[n:, :n] @ d[inside] - slope[n:]).max() < tolerance * max(np.abs(slope[n:]).max(), 1.0)
        slope = at.slope_by_rate(y, d)
        assert np.abs(C @ d[inside] - slope[:n]).max() < tolerance * np.abs(slope).max()


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
