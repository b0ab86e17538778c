"""BEAM with FORMULATION = NONLINEAR: massless uniform Euler-Bernoulli beam with any rotations, from J (along its x
axis) to I.

The static equilibrium of a rod without loads between its ends, in axes of J, from s = 0 at J to s = L at I:

    r' = (1 + N_x/EA) t,    R' = R [k]x,    t = R e_x,    N = R' n,    k = (m_x/GJ, m_y/EIyy, m_z/EIzz),  (m_x, m_y,
        m_z) = R' m
    n = constant,    m = m_L + (r_L - r) x n

(Kirchhoff's rod with stretch; plane bending without stretch is Euler's elastica: Love, Mathematical Theory of
Elasticity (1927), ch. 19.) n and m_L, the force and moment that the body of I puts upon the end, are found by shooting:
r(L) and R(L) must be the position and axes of I.  The beam acts with -n and -m_L on I and with the reaction on J.  The
equilibrium that is taken is the one that follows from the last, or from the straight beam by turning and moving its end
step by step.  ASY and ASZ have no part in it: such beams do not shear. Damping is that of the linear beam: CRATIO times
its stiffness, or CMATRIX, times the velocities of I in axes of J.

Source: Adams Solver manual, BEAM statement, FORMULATION = NONLINEAR ("full nonlinear Euler-Bernoulli theory", without
equations).
"""

from __future__ import annotations

import math

import numpy as np

from ..._jit import jit
from ...model.base import ModelError
from ...model.orientation import turned

STEPS = 40  # of the fourth order along the beam
PIECES = 8  # of the beam in the search: what is stretched hard spreads what is missing in one piece beyond all bounds
SHOTS = 40  # Newton steps
HALVINGS = 12  # of one
STRAIN = 0.2  # of the axis: more is not a beam, but a root that Newton's method has run to
CLOSE = 1e-13  # of the length, and radians
SHORTEST = 1e-4  # share of its way that a step of the search may be
NEAR = 0.05  # of the length, and radians: so far from the last position its forces are a first guess
SOFT = 30.0  # stretch stiffness with which the search begins, in forces that bend the beam


@jit
def _rates(y, x, section, e, out):
    """y: r (3), R (9, row order); x: n (3), m_L (3)."""
    a0 = e[0] - y[0]
    a1 = e[1] - y[1]
    a2 = e[2] - y[2]
    m0 = x[3] + a1 * x[2] - a2 * x[1]
    m1 = x[4] + a2 * x[0] - a0 * x[2]
    m2 = x[5] + a0 * x[1] - a1 * x[0]
    stretch = 1.0 + (y[3] * x[0] + y[6] * x[1] + y[9] * x[2]) / section[0]
    k0 = (y[3] * m0 + y[6] * m1 + y[9] * m2) / section[1]
    k1 = (y[4] * m0 + y[7] * m1 + y[10] * m2) / section[2]
    k2 = (y[5] * m0 + y[8] * m1 + y[11] * m2) / section[3]
    for r in range(3):
        o = 3 + 3 * r
        out[r] = stretch * y[o]
        out[o] = y[o + 1] * k2 - y[o + 2] * k1
        out[o + 1] = y[o + 2] * k0 - y[o] * k2
        out[o + 2] = y[o] * k1 - y[o + 1] * k0


@jit
def _march(y, x, section, e, h, steps, work):
    """y (12) continues over ``steps`` of length h."""
    z = work[1]
    for _ in range(steps):
        _rates(y, x, section, e, work[2])
        for c in range(12):
            z[c] = y[c] + 0.5 * h * work[2, c]
        _rates(z, x, section, e, work[3])
        for c in range(12):
            z[c] = y[c] + 0.5 * h * work[3, c]
        _rates(z, x, section, e, work[4])
        for c in range(12):
            z[c] = y[c] + h * work[4, c]
        _rates(z, x, section, e, work[5])
        for c in range(12):
            y[c] += h / 6.0 * (work[2, c] + 2.0 * work[3, c] + 2.0 * work[4, c] + work[5, c])


@jit
def _gap(y, at, L, out, o):
    """out[o : o + 6] <- what is missing from y to the state ``at``: position over L, and the vector of the skew part of
    R_at R'."""
    for r in range(3):
        out[o + r] = (y[r] - at[r]) / L
        a, b = (r + 1) % 3, (r + 2) % 3
        x = 0.0
        for c in range(3):
            x += at[3 + 3 * b + c] * y[3 + 3 * a + c] - at[3 + 3 * a + c] * y[3 + 3 * b + c]
        out[o + 3 + r] = -0.5 * x


@jit
def _turn_by(y, w0, w1, w2):
    """R of the state y <- exp(w) R."""
    angle = math.sqrt(w0 * w0 + w1 * w1 + w2 * w2)
    if angle < 1e-9:
        s, v = 1.0, 0.5
    else:
        s, v = math.sin(angle) / angle, (1.0 - math.cos(angle)) / (angle * angle)
    for c in range(3):
        a0, a1, a2 = y[3 + c], y[6 + c], y[9 + c]
        b0, b1, b2 = w1 * a2 - w2 * a1, w2 * a0 - w0 * a2, w0 * a1 - w1 * a0
        y[3 + c] = a0 + s * b0 + v * (w1 * b2 - w2 * b1)
        y[6 + c] = a1 + s * b1 + v * (w2 * b0 - w0 * b2)
        y[9 + c] = a2 + s * b2 + v * (w0 * b1 - w1 * b0)


@jit
def _factor(A, order):
    """A (n x n) <- its triangular factors, partial pivots; false when singular."""
    n = order.shape[0]
    for k in range(n):
        p = k
        for r in range(k + 1, n):
            if abs(A[r, k]) > abs(A[p, k]):
                p = r
        order[k] = p
        if not 1e-300 < abs(A[p, k]) < 1e300:
            return False
        if p != k:
            for c in range(n):
                A[k, c], A[p, c] = A[p, c], A[k, c]
        for r in range(k + 1, n):
            if A[r, k] != 0.0:
                A[r, k] /= A[k, k]
                f = A[r, k]
                for c in range(k + 1, n):
                    A[r, c] -= f * A[k, c]
    return True


@jit
def _correction(A, order, b, size):
    """b <- A^-1 b; returns the sum of squares, forces and moments measured by those of the beam (``size``), positions
    by its length."""
    n = order.shape[0]
    for k in range(n):
        p = order[k]
        b[k], b[p] = b[p], b[k]
    for k in range(n):
        for c in range(k):
            b[k] -= A[k, c] * b[c]
    total = 0.0
    for k in range(n - 1, -1, -1):
        for c in range(k + 1, n):
            b[k] -= A[k, c] * b[c]
        b[k] /= A[k, k]
        if not abs(b[k]) < 1e150:
            return math.inf
        z = b[k] / size[k // 3] if k < 6 else b[k]
        total += z * z
    return total


@jit
def _missing(x, nodes, section, L, e, work, res):
    """Gaps of all pieces into res; returns the largest, infinity where one is not a number."""
    pieces = nodes.shape[0] - 1
    y = work[0]
    most = 0.0
    for k in range(pieces):
        for c in range(12):
            y[c] = nodes[k, c]
        _march(y, x, section, e, L / STEPS, STEPS // pieces, work)
        _gap(y, nodes[k + 1], L, res, 6 * k)
        for c in range(6):
            if not abs(res[6 * k + c]) < 1e300:  # max would pass over what is not a number
                return math.inf
            most = max(most, abs(res[6 * k + c]))
    return most


@jit
def _move(x, nodes, L, d, share):
    """Unknowns less ``share`` of d: forces, then position (over L) and turn of each inner node."""
    for k in range(6):
        x[k] -= share * d[k]
    for k in range(1, nodes.shape[0] - 1):
        for c in range(3):
            nodes[k, c] -= share * L * d[6 * k + c]
        _turn_by(nodes[k], -share * d[6 * k + 3], -share * d[6 * k + 4], -share * d[6 * k + 5])


@jit(
    apart=True,
    entry=(
        "float64[::1], float64[:, ::1], float64[::1], float64, float64[::1], float64[::1], float64[:, ::1], "
        "float64[:, ::1], int64[::1], float64[::1], float64[::1], float64[:, ::1]"
    ),
)
def equilibrium(x, nodes, section, L, e, size, work, A, order, res, other, kept):
    """Newton's method for x and the inner nodes (multiple shooting; one piece: plain shooting).

    nodes (pieces + 1, 12): first that of J, last that of I; ``size`` (2,): a force and a moment of the beam.  Steps are
    halved until the next correction by the same matrix is smaller (Deuflhard's natural test: stretch is stiff, and what
    is missing at the end states little about how far the forces are).  Returns what is missing.
    """
    pieces = nodes.shape[0] - 1
    least = math.inf
    y = work[0]
    g = work[6]
    for _ in range(SHOTS):
        off = _missing(x, nodes, section, L, e, work, res)
        if off == math.inf:
            return off
        if off < CLOSE or (off < 1e-9 and off > 0.5 * least):  # roundoff
            return off
        least = min(least, off)
        for r in range(6 * pieces):
            for c in range(6 * pieces):
                A[r, c] = 0.0
        for k in range(pieces):
            for j in range(12):  # forces and moments, then the state with which the piece begins
                if j >= 6 and k == 0:
                    break
                for c in range(12):
                    y[c] = nodes[k, c]
                d = 1e-6
                if j < 6:
                    d *= size[j // 3]
                    x[j] += d
                elif j < 9:
                    y[j - 6] += d * L
                else:
                    _turn_by(y, d if j == 9 else 0.0, d if j == 10 else 0.0, d if j == 11 else 0.0)
                _march(y, x, section, e, L / STEPS, STEPS // pieces, work)
                if j < 6:
                    x[j] -= d
                _gap(y, nodes[k + 1], L, g, 0)
                column = j if j < 6 else 6 * k + j - 6
                for c in range(6):
                    A[6 * k + c, column] = (g[c] - res[6 * k + c]) / d
            if k + 1 < pieces:
                for c in range(3):
                    A[6 * k + c, 6 * (k + 1) + c] = -1.0
                    A[6 * k + 3 + c, 6 * (k + 1) + 3 + c] = -1.0
        if not _factor(A, order):
            return math.inf
        before = _correction(A, order, res, size)
        if before == math.inf:
            return before
        for k in range(pieces + 1):
            for c in range(12):
                kept[k, c] = nodes[k, c]
        for c in range(6):
            kept[pieces + 1, c] = x[c]
        share = 1.0
        for _ in range(HALVINGS):
            _move(x, nodes, L, res, share)
            now = _missing(x, nodes, section, L, e, work, other)
            if now < 1e-9 or (now < math.inf and _correction(A, order, other, size) < before):
                break
            share *= 0.5
            for k in range(pieces + 1):
                for c in range(12):
                    nodes[k, c] = kept[k, c]
            for c in range(6):
                x[c] = kept[pieces + 1, c]
    return least


class NonlinearBeam:
    """The six components of force and torque on I in axes of J, from the 16 numbers that `measures` lists (the first is
    time)."""

    def __init__(self, beam, damping):
        E, L = beam.emodulus, beam.length
        self.beam, self.L = beam, L
        self.section = np.array([E * beam.area, beam.gmodulus * beam.ixx, E * beam.iyy, E * beam.izz])
        self.damping = np.array(damping, float).reshape(6, 6)
        bend = max(self.section[2:])
        self.size = np.array([bend / L**2, bend / L])
        self.name = "the nonlinear beam"
        self.inputs: list[int] = []  # numbers of the inputs of a set of functions
        self.outputs = 6
        self.x = np.zeros(6)
        self.last: tuple[np.ndarray, np.ndarray] | None = None  # position and axes of I
        self.work = np.zeros((7, 12))
        self._rooms = {
            n: (
                np.zeros((6 * n, 6 * n)),
                np.zeros(6 * n, np.int64),
                np.zeros(6 * n),
                np.zeros(6 * n),
                np.zeros((n + 2, 12)),
            )
            for n in (1, PIECES)
        }

    def _straight(self, pieces: int) -> np.ndarray:
        nodes = np.zeros((pieces + 1, 12))
        nodes[:, 0] = np.linspace(0.0, self.L, pieces + 1)
        nodes[:, 3:] = np.eye(3).ravel()
        return nodes

    def _solve(self, e, Q, x, nodes, section=None) -> bool:
        own = section is None
        nodes[-1, :3], nodes[-1, 3:] = e, Q
        room = self._rooms[len(nodes) - 1]
        off = equilibrium(x, nodes, self.section if own else section, self.L, e, self.size, self.work, *room)
        return bool(off < 1e-8 and not (own and float(np.abs(x[:3]).max()) > STRAIN * self.section[0]))

    def __call__(self, values):
        v = np.asarray(values, float)
        e, u = v[1:4].copy(), v[10:16]
        a, b = (v[4:7] - e) / self.L, (v[7:10] - e) / self.L
        Q = np.column_stack([a, b, np.cross(a, b)]).ravel()
        x = self.x.copy()
        near = (
            self.last is not None
            and max(np.abs(e - self.last[0]).max() / self.L, np.abs(Q - self.last[1]).max()) < NEAR
        )
        if not (near and self._solve(e, Q, x, self._straight(1))):
            x = self._search(e, Q)
        self.x, self.last = x.copy(), (e, Q)
        return [float(-f) for f in x + self.damping @ u]

    def _search(self, e, Q) -> np.ndarray:
        """From the straight beam: first one that stretches easily is led and turned step by step, then it is
        stiffened."""
        axis, angle = _turn(Q.reshape(3, 3))
        start = np.array([self.L, 0.0, 0.0])
        soft = self.section.copy()
        soft[0] = min(soft[0], SOFT * self.size[0])

        def led(to, x, nodes):
            way = e if to == 1.0 else start + to * (e - start) * (to, 1.0, 1.0)  # bending shortens with its square
            return self._solve(
                np.ascontiguousarray(way), Q if to == 1.0 else turned(axis, to * angle).ravel(), x, nodes, soft
            )

        def stiffened(to, x, nodes):
            section = soft.copy()
            section[0] = soft[0] * (self.section[0] / soft[0]) ** to
            return self._solve(e, Q, x, nodes, None if to == 1.0 else section)

        x, nodes = np.zeros(6), self._straight(PIECES)
        for way in (led, stiffened):
            at, step = 0.0, 0.25
            while at < 1.0:
                to = min(1.0, at + step)
                trial, places = x.copy(), nodes.copy()
                if way(to, trial, places):
                    x, nodes, at, step = trial, places, to, 2.0 * step
                    continue
                step *= 0.5
                if step < SHORTEST:
                    raise ModelError(
                        f"{self.beam.label}: no equilibrium of the nonlinear beam is found with I at ({e[0]:.6g}, "
                        f"{e[1]:.6g}, {e[2]:.6g}) in axes "
                        f"of J, turned by {math.degrees(angle):.4g} degrees; divide it into shorter beams, or bring "
                        "loads on slowly in a dynamic analysis"
                    )
        return x


def _turn(Q: np.ndarray) -> tuple[np.ndarray, float]:
    from scipy.spatial.transform import Rotation

    w = Rotation.from_matrix(Q).as_rotvec()
    angle = float(np.linalg.norm(w))
    return (w / angle if angle > 0.0 else np.array([1.0, 0.0, 0.0])), angle
