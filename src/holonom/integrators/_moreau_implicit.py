"""Forces at the end of the step for `moreau_jean`: one linearisation a step, so that stiff springs and dampers do not
bound it.

    (M + h theta C + h^2 theta^2 K) a + G^T lam = F(q, u, x, t),      G a = gamma,      u+ = u + h a + impulses,

at the middle of the step (linearly implicit; for theta = 1/2 of order 2, for theta = 1 stiff motions die out).
Impulses of contacts meet the same matrix instead of M (Acary & Brogliato 2008, 10.2.2), so that a stiff spring gives
way as it does within the step.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from .._handle import make_handle, view_P, view_S, view_W
from .._jit import jit
from ..elements.bodies.coordinates import gather, spread
from ..elements.bodies.coupled import condense_coupled
from ..elements.bodies.layout import MOVES
from ..elements.bodies.mass import add_move_of
from ..system.delassus import enter_column
from ..system.implicit import Implicit, assemble, decide_rows, solve, stiffness
from ..system.kernels import evaluate_constraints, evaluate_forces, evaluate_frames

Parts = namedtuple("Parts", "I lu")


@jit(
    entry=(
        "Handle(Tables, Work, Parts(Iteration, LUArrays)), float64, float64[::1], float64, float64, float64, boolean"
    )
)
def _prepare(handle, t, y, h, theta, eps, tree):
    """Matrix and right-hand side at (t, y); returns the number of redundant rows."""
    S = view_S(handle)
    W = view_W(handle)
    I = view_P(handle).I
    evaluate_frames(S, W, y)
    evaluate_constraints(S, W, t, y)
    dropped = 0
    if not tree:
        _, dropped = decide_rows(S, W, I, eps)
    for r in range(S.rows.m):
        W.lam[r] = I.lam[r]
    evaluate_forces(S, W, t, y, I.yd)
    condense_coupled(S.bodies, W.F)
    gather(I.im.moves, W.F, I.res)
    g = h * theta
    for k in range(I.im.nx):
        I.res[I.im.nq + k] = I.yd[S.bodies.end + k] / g
    for r in range(S.rows.m):
        I.res[I.im.nq + I.im.nx + r] = W.rw.gamma[r]
    stiffness(S, W, I, t, y)
    assemble(S, W, I, I.data, y, dropped > 0, 1.0, 1.0 / (g * g), 1.0 / g, 1.0 / g, 0.0, 0.0)
    return dropped


@jit(entry="Handle(Tables, Work, Parts(Iteration, LUArrays)), int64, float64[::1], float64[::1], float64")
def _accelerate(handle, drop, acc, rates, g):
    """acc (bodies.moves), rates (nx) and I.lam from the matrix and right-hand side of `_prepare`."""
    P = view_P(handle)
    I = P.I
    S = view_S(handle)
    solve(S, view_W(handle), I, P.lu, drop > 0, True)
    spread(I.im.moves, I.sol, acc)
    for k in range(I.im.nx):
        rates[k] = I.sol[I.im.nq + k] * g
    for r in range(S.rows.m):
        I.lam[r] = I.sol[I.im.nq + I.im.nx + r]


@jit(entry="Handle(Tables, Work, Parts(Iteration, LUArrays)), int64, float64[::1], float64[::1]")
def _push(handle, drop, f, du):
    """du <- what generalised impulses f (bodies.moves) do; those on nodes go over to their carriers."""
    P = view_P(handle)
    I = P.I
    S = view_S(handle)
    for k in range(I.res.shape[0]):
        I.res[k] = 0.0
    condense_coupled(S.bodies, f)
    gather(I.im.moves, f, I.res)
    solve(S, view_W(handle), I, P.lu, drop > 0, False)
    spread(I.im.moves, I.sol, du)


@jit(
    entry=(
        "Handle(Tables, Work, Parts(Iteration, LUArrays)), int64, Problem, float64[:, ::1], float64[::1], float64[::1]"
    )
)
def _respond(handle, drop, Q, Wd, f, z):
    """Wd (d n, d n) <- Delassus matrix of the contacts of problem Q.  f, z (bodies.moves): work."""
    d = Q.H.shape[1]
    for m in range(Q.count[0]):
        for e in range(d):
            for c in range(f.shape[0]):
                f[c] = 0.0
            for side in range(2):
                add_move_of(Q.body[m, side], Q.H[m, e], MOVES * side, f)
            _push(handle, drop, f, z)
            enter_column(Q, z, Wd, d * m + e)


@jit(entry="Handle(Tables, Work, Parts(Iteration, LUArrays)), int64, float64[:, ::1], float64[:, ::1]")
def _answer(handle, drop, H, Z):
    """Rows (r, bodies.moves) of H brought from nodes to their carriers, and Z (r, bodies.moves) <- what impulses of 1
    along each do."""
    for r in range(H.shape[0]):
        _push(handle, drop, H[r], Z[r])


class LinearlyImplicit:
    """The matrix of a system and what it answers."""

    def __init__(self, system, theta: float, redundant: float):
        self.system, self.theta, self.redundant = system, theta, redundant
        self.implicit = Implicit(system)
        self.I, self.lu = self.implicit.I, self.implicit.lu
        self.handle = None
        self.drop = 0
        moves = system.bodies.moves
        self._f, self._z = np.zeros(moves), np.zeros(moves)

    def _at(self):
        """Handle on the present arrays; those of the factorisation are there after the first one."""
        arrays = self.lu.arrays
        if self.handle is None or self.handle.P.lu is not arrays:
            self.handle = make_handle(self.implicit.S, self.implicit.W, Parts(self.I, arrays))
        return self.handle

    def accelerations(self, t: float, y: np.ndarray, h: float, acc: np.ndarray, rates: np.ndarray) -> None:
        """acc (bodies.moves), rates (nx) of a step of size h whose forces are taken at (t, y).  Raises SingularMatrix,
        NotFinite."""
        self.drop = _prepare(self._at(), t, y, h, self.theta, self.redundant, self.implicit.tree)
        self.lu.factor(self.I.data)
        _accelerate(self._at(), self.drop, acc, rates, h * self.theta)

    def push(self, f: np.ndarray, du: np.ndarray) -> None:
        _push(self._at(), self.drop, f, du)

    def answer(self, H: np.ndarray, Z: np.ndarray) -> None:
        """Z (r, bodies.moves) <- what impulses of 1 along the rows H do, which are brought to coordinates that have no
        others to follow."""
        _answer(self._at(), self.drop, H, Z)

    def respond(self, Q, Wd: np.ndarray) -> None:
        _respond(self._at(), self.drop, Q, Wd, self._f, self._z)
