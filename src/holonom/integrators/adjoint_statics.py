"""Transposed equations of static equilibrium: from cotangents of positions, states and multipliers to those of numbers.

At rest R(q, x, lam; p) = (G^T lam - F, - x', phi) = 0. With A = dR/d(q, x, lam) and a cotangent g of these,

    A^T mu = g,      cotangent of numbers  =  g_p - mu . dR/dp

A^T mu and dR/dp come from pulls, exact whatever the matrix of statics lacks; its factors, transposed, serve as the
preconditioner of a stationary iteration, as in `adjoint_alpha_family`.
"""

from __future__ import annotations

import numpy as np

from .._handle import make_handle, view_P, view_S, view_W
from .._jit import jit
from ..elements.bodies.pull import to_increments
from ..elements.joints.rows import multiply_G
from ..linalg.lu import SingularMatrix, lu_solve_transposed
from ..model import ModelError
from ..system.implicit import REDUNDANT, assemble, decide_rows, residual, stiffness
from ..system.pull import clear, pull_balance, pull_laws, pull_values, to_state
from ..system.pull_outputs import read_outputs, reads_laws
from .adjoint_alpha_family import SWEEPS, AlphaAdjoint, solved

_HANDLE = "Handle(Tables, Work, Adjoint(Iteration, LUArrays, Cotangents, ContactPull, Pull))"
#: of an equilibrium whose matrix is singular
NO_STIFFNESS = (
    "the equilibrium has no stiffness in some direction, so that it has no derivative; hold that direction by a spring "
    "or a joint"
)


@jit(entry=f"{_HANDLE}, float64, float64[::1], float64[::1]")
def prepare(handle, t, y, lam):
    """The matrix of statics at a state at rest with multipliers lam."""
    S = view_S(handle)
    W = view_W(handle)
    P = view_P(handle)
    I = P.I
    for c in range(I.acc.shape[0]):
        I.acc[c] = 0.0
    for r in range(lam.shape[0]):
        I.lam[r] = lam[r]
    residual(S, W, I, t, y, 0.0, 1.0, 1.0, 1.0)
    if P.search:
        decide_rows(S, W, I, REDUNDANT)
    stiffness(S, W, I, t, y)
    assemble(S, W, I, I.data, y, P.search, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0)


@jit(entry=f"{_HANDLE}, float64, float64[::1], float64[::1], float64[::1]")
def read(handle, t, y, weights, yb):
    """Values of all functions at the state of `prepare`, in W.f.fval; yb, P.rl += cotangents of their sum with
    ``weights``."""
    S = view_S(handle)
    W = view_W(handle)
    P = view_P(handle)
    clear(P.out.body)
    if S.fn.has_force > 0 or S.fn.has_acc > 0:
        read_outputs(S, W, P.pull, t, y, weights, yb)
        if reads_laws(P.pull):
            pull_laws(S, W, P.pull, t, y, yb)
        for r in range(P.rl.shape[0]):
            P.rl[r] += P.lbar[r]
    else:
        pull_values(S, W, P.pull, t, y, weights, yb)
    to_state(S, P.pull, y, yb)


@jit(entry=f"{_HANDLE}, float64, float64[::1], float64[::1], int64")
def back(handle, t, y, yb, sweeps):
    """Cotangents yb of the state and P.rl of multipliers -> those of numbers, in P.  Returns the number of sweeps, 0
    where ``sweeps`` are not enough."""
    S = view_S(handle)
    W = view_W(handle)
    P = view_P(handle)
    im = P.I.im
    bodies = S.bodies
    end = bodies.end
    m = S.rows.m
    for c in range(3):
        P.most[c] = 0.0
    for it in range(sweeps):
        to_increments(bodies, y, yb, P.z)
        for q in range(im.inside.shape[0]):
            j = im.inside[q]
            if j < im.nq:
                P.rhs[q] = P.z[im.moves[j]]
            elif j < im.nq + im.nx:
                P.rhs[q] = yb[end + j - im.nq]
            else:
                P.rhs[q] = P.rl[j - im.nq - im.nx]
        lu_solve_transposed(P.lu, P.rhs, P.rhs)
        clear(P.dyb)
        finite, small = solved(S, W, P, 1.0, 1.0)
        if not finite:
            return 0
        pull_balance(S, W, P.pull, t, y, P.kb, P.dyb)
        for c in range(yb.shape[0]):
            yb[c] += P.dyb[c]
        if m > 0:
            multiply_G(S.rows, W.rw.G, P.nu, P.sg)
            for q in range(m):
                P.rl[q] -= P.sg[q] - P.lbar[q]
                if P.search and W.skip[S.ldl.place[q]]:
                    P.rl[q] = 0.0
        if small:
            return it + 1
    return 0


class StaticAdjoint(AlphaAdjoint):
    """Adjoint of one equilibrium at a time; ``handle``, ``P``: see `adjoint.pull_arrays`."""

    def __init__(self, system, wanted, constants):
        super().__init__(system, None, wanted, constants)

    def at(self, t, y, lam):
        """At the equilibrium y with multipliers lam.  Raises ModelError where it has no stiffness in some direction."""
        self.t, self.y = float(t), y
        prepare(self.handle, self.t, y, lam)
        lu = self._implicit.lu
        try:
            lu.factor(self.P.I.data)
        except (SingularMatrix, ValueError):
            raise ModelError(NO_STIFFNESS) from None
        if lu.arrays is not self.P.lu:
            self.P = self.P._replace(lu=lu.arrays)
            self.handle = make_handle(self._implicit.S, self.system.W, self.P)

    def read(self, weights, yb):
        """`read` at this equilibrium; returns the values of all functions."""
        self.P.rl[:] = 0.0
        read(self.handle, self.t, self.y, weights, yb)
        return self.system.W.f.fval.copy()

    def back(self, yb):
        """Cotangents of numbers, added to those of P, from yb and what `read` found of multipliers.  Raises ModelError
        where the equations are not solved."""
        if not back(self.handle, self.t, self.y, np.ascontiguousarray(yb), SWEEPS):
            raise ModelError(
                "the transposed equations of the equilibrium are not solved by its stiffness matrix; make the model "
                "stiffer there, or take differences of equilibria"
            )
