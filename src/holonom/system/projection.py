"""What rows of constraints do to velocities, with the factor of G M^-1 G^T at hand: the pieces of all projections.

(G M^-1 G^T) mu = b,      z = f M^-1 G^T mu
"""

from __future__ import annotations

from .._jit import jit
from ..elements.bodies.coordinates import solve_mass, speeds_of
from ..elements.bodies.mass import clear_moves
from ..elements.joints.rows import add_GT, multiply_G
from ..linalg.ldl import ldl_solve


@jit
def impulse_motion(S, G, lam, factor, z):
    """z (bodies.moves) <- factor M^-1 G^T lam; G (slots, MOVES): gradients of the rows or how they act."""
    clear_moves(z)
    add_GT(S.rows, G, lam, z, factor)
    solve_mass(S.bodies, z, z)


@jit
def project_rows(S, W, G, b, work, factor, z):
    """b (m) <- mu, z <- factor M^-1 G^T mu, see above; G must be the one of the factor, work (m)."""
    ldl_solve(S.ldl, W.Lx, W.Di, b, work)
    impulse_motion(S, G, b, factor, z)


@jit
def keep_gradients(W):
    """W.G2 <- the present gradients of the rows: those of a factor that serves on."""
    for q in range(W.G2.shape[0]):
        for c in range(W.G2.shape[1]):
            W.G2[q, c] = W.rw.G[q, c]


@jit(apart=True)
def stabilise(S, W, y, a, factor, z):
    """SI2: z <- factor M^-1 G^T mu, with mu in W.lam so that velocities u - M^-1 G^T mu of y fit, G u + phit = 0, once
    the correction G dq = -phi, du = a dq is made.  Without that forecast a a phi, roundoff over h^2, would be in the
    multipliers.

    Rows are current, factor and gradients W.G2 those of the prediction.
    """
    speeds_of(S.bodies, y, z)
    multiply_G(S.rows, W.rw.G, z, W.lam)
    for r in range(S.rows.m):
        W.lam[r] += W.rw.phit[r] - a * W.rw.phi[r]
        if S.rows.level[r] != 0:  # velocity and acceleration motions are met by the positions' own equation
            W.lam[r] = 0.0
    project_rows(S, W, W.G2, W.lam, W.lwork, factor, z)
