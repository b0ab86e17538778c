"""What all integrators share: the protocol of a stepper, error weights by groups, counters, Hermite dense output."""

from __future__ import annotations

import math
from collections import namedtuple
from dataclasses import dataclass

import numpy as np

from .._jit import jit
from ..elements.bodies.rigid import state_rate
from ..elements.vectors import turn_quaternion

CONVERGED, DIVERGED, SINGULAR, NOT_FINITE, INACCURATE = range(5)
CAUSES = {DIVERGED: "corrector", SINGULAR: "singular", NOT_FINITE: "not finite", INACCURATE: "error"}

StepInfo = namedtuple("StepInfo", "t_old t h order iterations rejects")
StepInfo.__doc__ = """An accepted step: times, size, order, corrector iterations (all attempts), rejects (dict by cause)."""

Weights = namedtuple("Weights", "floor group x")
Weights.__doc__ = """floor (5): floors of the scales of positions, rotations, velocities, angular velocities, and the tolerance;
group (4): weights 1/(tolerance * scale) of these; x (nx): largest |x| seen, for the weights of states."""


class IntegrationError(RuntimeError):
    """The integrator cannot go on.  t: time reached; equation: the worst equation in the words of the model, or None."""

    def __init__(self, message: str, t: float, equation: str | None = None):
        self.t = t
        self.equation = equation
        super().__init__(f"{message} at t = {t:.9g}" + (f"; the worst equation is {equation}" if equation else ""))


@dataclass
class Options:
    """Settings of an integrator; None where each integrator has its own default.

    error: tolerance of the local error, relative to the size of each group of unknowns; hinit, hmin, hmax: steps (s),
    equal hmin and hmax give a fixed step without error control; maxit: corrector iterations; corrector: "original" tests
    positions and velocities, "modified" positions only; corrector_tolerance: of the correction, relative to the scales
    (default: a fraction of ``error``); kmax: highest order (BDF); alpha: of HHT; formulation: "I3" or "SI2" (BDF);
    fresh: a new matrix every step; redundancy: pivot ratio below which a constraint row counts as redundant.
    """

    error: float = 1e-3
    hinit: float | None = None
    hmin: float | None = None
    hmax: float | None = None
    maxit: int = 10
    corrector: str = "original"
    corrector_tolerance: float | None = None
    kmax: int = 6
    alpha: float = -0.3
    formulation: str = "I3"
    fresh: bool = True
    redundancy: float = 1e-8


class Stepper:
    """One integrator at work on one system.

    ``start(t, y, h0, tend)`` puts the state on the constraints and begins; ``step(tmax)`` makes one accepted step that does
    not pass ``tmax``; ``interpolate(t, out_y, out_yd)`` gives state and rate inside it, with ``interpolate_lam``;
    ``restart(t, y)`` forgets the past (after an event).  ``t``, ``y``, ``lam``: end of the last step.
    """

    name = ""

    def __init__(self, system, options: Options | None = None):
        self.system = system
        self.options = options or Options()
        self.S, self.W = system.S, system.W
        self.t = 0.0
        self.y = np.array(system.y0)
        self.lam = np.zeros(system.m)
        self.h = 0.0
        self.tend = 0.0
        self.statistics = {"steps": 0, "iterations": 0, "matrices": 0, "dropped": 0}
        self.statistics.update({f"rejected: {c}": 0 for c in CAUSES.values()})
        self.weights = Weights(np.ones(5), np.ones(4), np.zeros(system.nx))
        self.cap = math.inf
        self.length = extent(system)

    # ---- steps ------------------------------------------------------------------------------------------------------
    def start(self, t: float, y, h0: float | None = None, tend: float | None = None) -> None:
        self.tend = t + 1.0 if tend is None else tend
        span = max(self.tend - t, 1e-12)
        o = self.options
        self.hmax = o.hmax if o.hmax is not None else math.inf
        self.hmin = o.hmin if o.hmin is not None else 1e-13 * span
        self.fixed = o.hmin is not None and o.hmin == o.hmax
        g = float(np.linalg.norm(self.S.bodies.gravity))
        L = self.length
        self.speed = max(math.sqrt(g * L), L / span)
        self.weights.floor[:] = 1e-3 * L, 0.0, 1e-3 * self.speed, 1e-3 * self.speed / L, o.error
        self.weights.x[:] = 0.0
        self._first = h0 if h0 is not None else o.hinit
        self.restart(t, y)

    def restart(self, t: float, y, h: float | None = None) -> None:
        raise NotImplementedError

    def step(self, tmax: float) -> StepInfo:
        raise NotImplementedError

    def _length_of_step(self, tmax: float) -> float:
        """Size of the next trial: the last one is stretched or halved a little so that tmax is met without a splinter."""
        left = tmax - self.t
        h = min(self.h, self.hmax, self.cap)
        if h >= left * (1 - 1e-9):
            return left
        if not self.fixed and 2 * h > left and h > 0.5 * left:
            return 0.5 * left
        return h

    def _reject(self, cause: int, rejects: dict) -> None:
        word = CAUSES[cause]
        rejects[word] = rejects.get(word, 0) + 1
        self.statistics[f"rejected: {word}"] += 1


def extent(system) -> float:
    """Length scale L: the largest side of the box around all frames and bodies at the design position (1 for a point)."""
    n, fr = system.nb, system.S.fr
    bodies = np.reshape(system.y0[: 13 * n + 13], (-1, 13))
    q, u = bodies[fr.body, 3], bodies[fr.body, 4:7]
    turned = fr.sb + 2 * np.cross(u, np.cross(u, fr.sb) + q[:, None] * fr.sb)
    points = np.concatenate([bodies[:n, :3], bodies[fr.body, :3] + turned])
    L = float(np.max(np.ptp(points, axis=0))) if len(points) else 0.0
    return L if L > 0 else 1.0


# ---- kernels ------------------------------------------------------------------------------------------------------------
@jit
def weigh(n, y, w):
    """Weights of the groups: largest of each over all bodies, plus its floor."""
    r = 0.0
    v = 0.0
    o = 0.0
    for i in range(n):
        b = 13 * i
        for c in range(3):
            r = max(r, abs(y[b + c]))
            v = max(v, abs(y[b + 7 + c]))
            o = max(o, abs(y[b + 10 + c]))
    tol = w.floor[4]
    w.group[0] = 1.0 / (tol * (r + w.floor[0]))
    w.group[1] = 1.0 / tol
    w.group[2] = 1.0 / (tol * (v + w.floor[2]))
    w.group[3] = 1.0 / (tol * (o + w.floor[3]))
    for k in range(w.x.shape[0]):
        w.x[k] = max(w.x[k], abs(y[13 * n + 13 + k]))


@jit
def inverse_tangent(a0, a1, a2, d0, d1, d2):
    """Change of the rotation vector a when q = q0 exp(a) is turned by the small d in its own axes (series to 2nd order)."""
    c0 = a1 * d2 - a2 * d1
    c1 = a2 * d0 - a0 * d2
    c2 = a0 * d1 - a1 * d0
    e0 = a1 * c2 - a2 * c1
    e1 = a2 * c0 - a0 * c2
    e2 = a0 * c1 - a1 * c0
    s = a0 * a0 + a1 * a1 + a2 * a2
    if s < 1e-2:
        f = 1.0 / 12.0 + s / 720.0 + s * s / 30240.0
    else:
        x = 0.5 * math.sqrt(s)
        f = (1.0 - x / math.tan(x)) / s
    return d0 + 0.5 * c0 + f * e0, d1 + 0.5 * c1 + f * e1, d2 + 0.5 * c2 + f * e2


@jit
def hermite(n, nx, y0, y1, acc0, acc1, turn, f0, f1, h, s, y, acc, yd):
    """State at fraction ``s`` of a step from y0 to y1 with accelerations at both ends: cubic in positions and velocities.

    turn (3 n): rotation vectors from y0 to y1.  acc gets the linear interpolation, yd the rates that belong to y and acc.
    """
    a = s * s * (3 - 2 * s)
    b = s * (1 - s) * (1 - s)
    d = s * s * (s - 1)
    for c in range(6 * n):
        acc[c] = (1 - s) * acc0[c] + s * acc1[c]
    for i in range(n):
        o = 13 * i
        for c in range(3):
            y[o + c] = (1 - a) * y0[o + c] + a * y1[o + c] + h * (b * y0[o + 7 + c] + d * y1[o + 7 + c])
        for c in range(6):
            y[o + 7 + c] = (1 - a) * y0[o + 7 + c] + a * y1[o + 7 + c] + h * (b * acc0[6 * i + c] + d * acc1[6 * i + c])
        t0 = turn[3 * i]
        t1 = turn[3 * i + 1]
        t2 = turn[3 * i + 2]
        e0, e1, e2 = inverse_tangent(t0, t1, t2, y1[o + 10], y1[o + 11], y1[o + 12])
        for c in range(4):
            y[o + 3 + c] = y0[o + 3 + c]
        turn_quaternion(
            y, o + 3,
            a * t0 + h * (b * y0[o + 10] + d * e0),
            a * t1 + h * (b * y0[o + 11] + d * e1),
            a * t2 + h * (b * y0[o + 12] + d * e2),
        )  # fmt: skip
    state_rate(n, y, acc, yd)
    o = 13 * n + 13
    for k in range(nx):
        y[o + k] = (1 - a) * y0[o + k] + a * y1[o + k] + h * (b * f0[k] + d * f1[k])
        yd[o + k] = (1 - s) * f0[k] + s * f1[k]
