"""Corrector pieces shared by the implicit integrators: convergence test, first matrix, new pivots."""

from __future__ import annotations

import math

from .._jit import jit
from ..linalg.lu import SingularMatrix
from ..system.implicit import Implicit, assemble, decide_rows, residual, stiffness
from .stepper import IntegrationError


@jit
def correction_norm(S, I, w, speed, angular):
    """Weighted RMS of the correction I.sol over positions, rotations and states; with ``speed`` > 0 also of the velocities
    that it implies (du = speed * dq).  Returns the norm and the unknown that contributes most."""
    n = S.bodies.n
    g0 = w.group[0] ** 2 + (speed * w.group[2]) ** 2
    g1 = w.group[1] ** 2 + (angular * w.group[3]) ** 2
    tol = w.floor[4]
    total = 0.0
    most = -1.0
    where = 0
    for i in range(n):
        o = S.im.at[i]
        v = g0 * (I.sol[o] ** 2 + I.sol[o + 1] ** 2 + I.sol[o + 2] ** 2)
        if S.bodies.rotates[i]:
            v += g1 * (I.sol[o + 3] ** 2 + I.sol[o + 4] ** 2 + I.sol[o + 5] ** 2)
        total += v
        if not (v <= most):
            most = v
            where = i
    where = 6 * where
    for k in range(S.im.nx):
        v = (I.sol[S.im.nq + k] / (tol * (1.0 + w.x[k]))) ** 2
        total += v
        if not (v <= most):
            most = v
            where = 6 * n + k
    return math.sqrt(total / max(1, 6 * n + S.im.nx)), where


@jit
def converged(norm, old, it):
    """Is the error left after this correction below 1?  Linear contraction at the rate seen; a first correction counts
    only when it is tiny.  Returns 1 yes, 0 go on, -1 diverged (never before the third correction), -2 not finite."""
    if not (norm < 1e30):
        return -2
    if norm < 1e-10:
        return 1
    if it == 0:
        return 1 if norm < 1e-3 else 0
    rate = norm / old
    if rate < 0.9 and norm * rate / (1.0 - rate) < 1.0:
        return 1
    if it > 1 and rate > 2.0:
        return -1
    return 0


class Corrector:
    """The iteration matrix of one system: chooses pivots, chooses them anew when they have gone bad."""

    def __init__(self, system):
        self.implicit = Implicit(system)
        self.S, self.W, self.I = self.implicit.S, self.implicit.W, self.implicit.I
        self.lu = self.implicit.lu
        self.arrays = None

    def first(self, t, y, eps, cm, aa, au, ax, ba=0.0, bu=0.0) -> None:
        """Pivots from the matrix at (t, y)."""
        S, W, I = self.S, self.W, self.I
        residual(S, W, I, t, y, cm, aa, au, ax)
        drop = not self.implicit.tree
        if drop:
            decide_rows(S, W, I, eps)
        stiffness(S, W, I, t, y)
        assemble(S, W, I, y, drop, cm, aa, au, ax, ba, bu)
        self.pivot(t)

    def pivot(self, t) -> None:
        """New pivots for the present data.  Raises IntegrationError that names the equation when none help."""
        try:
            self.lu.factor(self.I.data)
        except SingularMatrix as error:
            raise IntegrationError("the iteration matrix is singular", t, self.implicit.equation_words(error.index)) from None
        except ValueError:
            raise IntegrationError("the iteration matrix is not finite", t) from None
        self.arrays = self.lu.arrays

    def words(self, where: int) -> str:
        """Name of the body or state that `correction_norm` blames."""
        system = self.implicit.system
        n = system.nb
        if where < 6 * n:
            return f"the motion of {system.body_elements[where // 6].label}"
        return f"state {where - 6 * n}"
