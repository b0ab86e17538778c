"""Derivatives of eigenvalues and of frequency responses from directional derivatives of pulls.

With y' = f(y; p) the index-1 equations in all numbers of the state and J = f_y, an eigenvalue with J v = l v and
w^T J = l w^T changes by  w^T (dJ) v / w^T v  (Lancaster, Numer. Math. 6 (1964) 377), and a response H = c^T x at
s = i omega, where J has the input among its states and x = (s - J)^-1 b, 1 there, z = (s - J)^-T c, by

    dH = z^T (dJ) x + (dc)^T x.

w^T J(y, p) v is the derivative of w^T f(y + e v; p) by e, so its cotangents by y and p are those of w^T f, the pulls,
differentiated along v: by differences of six points, exact to their seventh order.  That the constraints are satisfied
along v only to first order does not matter, since eigenvalues are those of f as it is defined around them.
"""

from __future__ import annotations

import numpy as np

from .._handle import make_handle, view_P, view_S, view_W
from .._jit import jit
from .._six_points import AT, WEIGHTS
from ..elements.bodies import layout
from ..system.kernels import evaluate_constraints, evaluate_frames, rate
from ..system.pull import Pull, clear, pull, pull_constraints, pull_values, to_state
from ..system.pull_outputs import pull_outputs
from .adjoint_runge_kutta import RungeKuttaAdjoint
from .explicit import REDUNDANT
from .rk4 import RK4

_HANDLE = "Handle(Tables, Work, Adjoint(Variable, Cotangents, ContactPull, Pull))"


@jit(entry=f"{_HANDLE}, float64, float64[::1], float64[::1], float64[::1], float64[::1], int64")
def transposed(handle, t, y, kb, weights, yb, mode):
    """yb += cotangents of kb . f(y) and of values of functions with ``weights``, where there are any; those of numbers
    are added to P.  ``mode``: 0 decides which rows are redundant, 1 keeps what was decided."""
    S = view_S(handle)
    W = view_W(handle)
    P = view_P(handle)
    rate(S, W, t, y, P.Z, REDUNDANT, mode)
    pull(S, W, P.pull, t, y, kb, yb)
    if weights.shape[0] == 0:
        return
    if S.fn.has_force > 0 or S.fn.has_acc > 0:
        clear(P.Z)
        pull_outputs(S, W, P.pull, t, y, weights, P.Z, yb)
    else:
        clear(P.out.body)
        pull_values(S, W, P.pull, t, y, weights, yb)
        to_state(S, P.pull, y, yb)


@jit(entry=f"{_HANDLE}, float64, float64[::1], float64[::1], float64[::1], float64[::1]")
def normal(handle, t, y, positions, velocities, yb):
    """yb += cotangents of rows with weights of their values and of their rates."""
    S = view_S(handle)
    W = view_W(handle)
    P = view_P(handle)
    evaluate_frames(S, W, y)
    evaluate_constraints(S, W, t, y)
    clear(P.out.body)
    pull_constraints(S, W, P.pull, t, y, P.nu, positions, velocities, P.none, P.none)
    to_state(S, P.pull, y, yb)


class LinearAdjoint(RungeKuttaAdjoint):
    """Pulls of the equations of small motions about a state."""

    def __init__(self, system, wanted, constants):
        super().__init__(system, RK4, wanted, constants)
        self._none = np.zeros(0)

    @classmethod
    def beside(cls, adjoint):
        """Of the state at hand of another adjoint, with the cotangents of numbers of that."""
        P = adjoint.P
        out = cls(adjoint.system, P.wanted, P.constants)
        out.P = out.P._replace(**{name: getattr(P, name) for name in (*Pull._fields, "pull")})
        out.handle = make_handle(adjoint.system.S, adjoint.system.W, out.P)
        return out

    def jacobian(self, t, y):
        """J (ny, ny), exact to rounding."""
        J = np.zeros((len(y), len(y)))
        for k in range(len(y)):
            kb = np.zeros(len(y))
            kb[k] = 1.0
            transposed(self.handle, t, y, kb, self._none, J[k], 0)
        return J

    def outputs(self, t, y, weights):
        """Cotangent of values of functions with weights."""
        yb = np.zeros(len(y))
        transposed(self.handle, t, y, np.zeros(len(y)), weights, yb, 0)
        return yb

    def tangent(self, t, y):
        """T (ny, k), orthonormal directions along which positions and velocities satisfy the constraints."""
        system, ny = self.system, len(y)
        rows = []
        for k in range(system.m):
            one = np.zeros(system.m)
            one[k] = 1.0
            for weights in ((one, np.zeros(system.m)), (np.zeros(system.m), one)):
                rows.append(np.zeros(ny))
                normal(self.handle, t, y, *weights, rows[-1])
        for b in range(system.nb):
            rows.append(np.zeros(ny))
            layout.body(rows[-1], b)[layout.QUATERNION] = layout.body(y, b)[layout.QUATERNION]
        first, tail = layout.end(system.nb), system.bodies.tail
        held = np.zeros(ny, bool)
        for b in [*layout.nodes(system.bodies), system.nb]:
            layout.body(held, b)[:] = True
        unused = np.setdiff1d(np.arange(tail), system.coordinates) if tail else np.zeros(0, np.int64)
        if tail:  # what a mesh in a plane does not move
            meshes = system.bodies.carriers.meshes
            unused = np.union1d(unused, meshes.start + np.flatnonzero(meshes.held))
        held[first + unused] = held[first + tail + unused] = True
        N = np.vstack([np.array(rows).reshape(-1, ny), np.eye(ny)[held]])
        N /= np.maximum(np.linalg.norm(N, axis=1, keepdims=True), 1e-300)
        _, s, Vt = np.linalg.svd(N, full_matrices=True)
        return Vt[int((s > 1e-9 * s.max(initial=1e-300)).sum()) :].T

    def along(self, t, y, v, w, weights, step, yb):
        """yb += cotangents of d/de (w . f + weights . values) at y + e v; those of numbers are added to P."""
        for k, weight in zip(AT, WEIGHTS):
            f = weight / step
            transposed(self.handle, t, y + k * step * v, f * w, f * weights, yb, 1)
