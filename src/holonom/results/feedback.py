"""Linear systems in loops: connections, discretisation, stability margins, responses in time, root loci of a gain.

Functions of `StateSpace`, which has them as methods.  A sampled system has a sample time ``dt``; its frequency response
is H(exp(2 pi j f dt)).

Sources: G. F. Franklin, J. D. Powell, M. Workman, Digital Control of Dynamic Systems (1998), ch. 4 (discretisation);
K. J. Astrom, R. M. Murray, Feedback Systems (2021), ch. 10 (margins).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg import expm, matrix_balance
from scipy.optimize import brentq

from ..elements.control.linear import METHODS, discretize_matrices
from ..model import ModelError
from ..model.base import did_you_mean, shown
from ..model.kinds import finite
from ..model.quantity_text import same_unit
from ._names import Named

if TYPE_CHECKING:
    from .state_space import StateSpace

POINTS = 4000  # of the grid on which crossings are bracketed


def common_dt(a: StateSpace, b: StateSpace) -> float:
    """Sample time of two systems to be connected. Raises `ModelError` where one is continuous, or where sample times or
    units of time differ."""
    if not same_unit(a.time_unit, b.time_unit):
        raise ModelError(
            f"a system with time in {a.time_unit} and one with time in {b.time_unit} cannot be connected; convert one: "
            f"system.in_time_unit({a.time_unit!r})"
        )
    if abs(a.dt - b.dt) > 1e-12 * max(a.dt, b.dt):
        kind = lambda s: f"sampled with {s.dt:g}" if s.dt else "continuous"
        raise ModelError(
            f"a system that is {kind(a)} and one that is {kind(b)} cannot be connected; discretise one of them"
        )
    return a.dt


def series(first: StateSpace, second: StateSpace) -> StateSpace:
    """``second`` after ``first``: the outputs of the first are the inputs of the second."""
    dt = common_dt(first, second)
    if len(first.C) != second.B.shape[1]:
        raise ModelError(f"{len(first.C)} outputs cannot be connected to {second.B.shape[1]} inputs; select as many")
    n, m = len(first.A), len(second.A)
    A = np.block([[first.A, np.zeros((n, m))], [second.B @ first.C, second.A]])
    B = np.vstack([first.B, second.B @ first.D])
    C = np.hstack([second.D @ first.C, second.C])
    return type(first)(A, B, C, second.D @ first.D, [], list(first.inputs), list(second.outputs), first.time_unit, dt)


def static(like: StateSpace, matrix: Any) -> StateSpace:
    """The system y = ``matrix`` u with the sample time and unit of time of another."""
    D = np.atleast_2d(np.asarray(matrix, float))
    p, m = D.shape
    none = np.zeros((0, 0)), np.zeros((0, m)), np.zeros((p, 0))
    return type(like)(*none, D, time_unit=like.time_unit, dt=like.dt)


def scaled(system: StateSpace, factor: float) -> StateSpace:
    """The system with its outputs times a number."""
    s = system
    names = list(s.states), list(s.inputs), list(s.outputs)
    return type(s)(s.A, s.B, factor * s.C, factor * s.D, *names, s.time_unit, s.dt)


def parallel(a: StateSpace, b: StateSpace) -> StateSpace:
    """The sum of the outputs of two systems with common inputs."""
    dt = common_dt(a, b)
    if a.D.shape != b.D.shape:
        raise ModelError(f"systems of {a.D.shape} and {b.D.shape} outputs and inputs cannot be added; select as many")
    n, m = len(a.A), len(b.A)
    A = np.block([[a.A, np.zeros((n, m))], [np.zeros((m, n)), b.A]])
    return type(a)(
        A, np.vstack([a.B, b.B]), np.hstack([a.C, b.C]), a.D + b.D, [], list(a.inputs), list(a.outputs), a.time_unit, dt
    )


def feedback(forward: StateSpace, back: StateSpace | None = None, sign: float = -1.0) -> StateSpace:
    """The closed loop y = G (r + sign H y) of ``forward`` G and ``back`` H (1 by default).

    Raises `ModelError` for an algebraic loop without a solution (1 - sign D_G D_H is singular)."""
    if back is None:
        p = len(forward.C)
        back = static(forward, np.eye(p))
    dt = common_dt(forward, back)
    if back.D.shape != forward.D.T.shape:
        raise ModelError(
            f"a system with {forward.D.shape[0]} outputs and {forward.D.shape[1]} inputs cannot be closed by one with "
            f"{back.D.shape[0]} outputs and {back.D.shape[1]} inputs; select as many"
        )
    G, H = forward, back
    E = np.eye(len(G.D)) - sign * G.D @ H.D
    if abs(np.linalg.det(E)) < 1e-12:
        raise ModelError("the loop has no solution: its direct gain is 1; change a gain, or add a lag")
    E = np.linalg.inv(E)
    # y = E (C_G x + sign D_G C_H z + D_G r),  u = r + sign (C_H z + D_H y)
    yx, yz, yr = E @ G.C, sign * E @ G.D @ H.C, E @ G.D
    ux, uz, ur = sign * H.D @ yx, sign * (H.C + H.D @ yz), np.eye(G.D.shape[1]) + sign * H.D @ yr
    A = np.block([[G.A + G.B @ ux, G.B @ uz], [H.B @ yx, H.A + H.B @ yz]])
    B = np.vstack([G.B @ ur, H.B @ yr])
    return type(forward)(A, B, np.hstack([yx, yz]), yr, [], list(G.inputs), list(G.outputs), G.time_unit, dt)


def discretize(system: StateSpace, period: float, method: str = "zoh", prewarp: float = 0.0) -> StateSpace:
    """The sampled system: "zoh" (exact for inputs that are held) or "tustin", whose response is kept at the angular
    frequency ``prewarp``. Raises `ModelError` for a system that is sampled already, and for a ``prewarp`` that is not
    below pi/period."""
    if system.dt:
        raise ModelError(f"the system is sampled with {system.dt:g} already; discretise a continuous one")
    if not finite(period) or not period > 0.0:
        raise ModelError(f"the period is {shown(period)}; give a positive time")
    if method not in METHODS[:2]:
        raise ModelError(f"method is {shown(method)}{did_you_mean(method, METHODS[:2])}")
    return type(system)(
        *discretize_matrices(system.A, system.B, system.C, system.D, period, method, prewarp),
        list(system.states),
        list(system.inputs),
        list(system.outputs),
        system.time_unit,
        float(period),
    )


# ---- margins -------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Margins(Named):
    """Stability margins of a loop transfer function L (negative feedback).

    ``gain``: factor by which L may grow (below 1 for a loop that needs its gain: the factor by which it may fall),
    ``gain_frequency``: where its phase is -180 degrees (0 where a real pole crosses); ``phase``: degrees,
    ``phase_frequency``: where |L| is 1; ``delay``: further dead time that is borne; ``modulus``: minimum distance of L
    from -1, ``modulus_frequency`` where it is.  Frequencies in cycles per unit of time; infinite or NaN where there is
    no crossing.
    """

    gain: float
    gain_frequency: float
    phase: float
    phase_frequency: float
    delay: float
    modulus: float
    modulus_frequency: float

    @property
    def sensitivity(self) -> float:
        """Peak of the sensitivity |1/(1 + L)|."""
        return 1.0 / self.modulus if self.modulus else math.inf


def frequencies(system: StateSpace, count: int = POINTS) -> np.ndarray:
    """A grid of frequencies (cycles per unit of time) about the poles and zeros of a system, denser near resonances."""
    points = [abs(p) for p in _exponents(system, system.poles)]
    if system.D.shape[0] == system.D.shape[1]:
        points += [abs(z) for z in _exponents(system, system.zeros)]
    found = np.array([p for p in points if p > 1e-12 and np.isfinite(p)]) / (2.0 * np.pi)
    low, high = (found.min(initial=np.inf), found.max(initial=0.0)) if len(found) else (0.1, 10.0)
    top = 0.5 / system.dt if system.dt else 1e3 * high
    grid = np.geomspace(min(1e-3 * low, 0.1 * top), top, count)
    near = np.concatenate([f * (1.0 + np.linspace(-0.05, 0.05, 41)) for f in found]) if len(found) else found
    grid = np.unique(np.concatenate([grid, near]))
    return grid[grid <= top]


def _exponents(system: StateSpace, values: np.ndarray) -> np.ndarray:
    """Poles or zeros in the plane of s."""
    if not system.dt:
        return np.asarray(values)
    values = np.asarray(values, complex)
    return np.log(values[np.abs(values) > 1e-300]) / system.dt


def _integrates(loop: StateSpace) -> bool:
    """Whether a system has a pole at s = 0 (z = 1), which roundoff may have moved: its response is infinite there."""
    if not len(loop.A):
        return False
    A, _ = matrix_balance(loop.A - np.eye(len(loop.A)) if loop.dt else loop.A)
    size = np.linalg.svd(A, compute_uv=False)
    return bool(size[-1] <= 1e-13 * size[0])


def _crossings(loop: StateSpace) -> tuple[np.ndarray, np.ndarray, Any, Any]:
    """Frequencies from zero, where the loop is finite there, the response at these and at any, and the function that
    finds sign changes of values over these frequencies to roundoff."""
    at = lambda x: complex(loop.frequency_response([x])[0, 0, 0])
    f = frequencies(loop)
    if not _integrates(loop):
        f = np.concatenate([[0.0], f])
    H = loop.frequency_response(f)[:, 0, 0]

    def roots(values: np.ndarray, function: Any) -> list[float]:
        with np.errstate(invalid="ignore"):
            where = np.flatnonzero(np.signbit(values[1:]) != np.signbit(values[:-1]))
        return [brentq(function, f[k], f[k + 1], xtol=1e-14 * f[k + 1], rtol=1e-14) for k in where]

    return f, H, at, roots


def turning_points(loop: StateSpace) -> list[float]:
    """Frequencies at which the phase of a loop is -180 degrees: where its response is real and negative, which it may
    be at zero and at half of the sampling frequency, the ends of the range."""
    return _turns(loop, *_crossings(loop))


def _turns(loop: StateSpace, f: np.ndarray, H: np.ndarray, at: Any, roots: Any) -> list[float]:
    imaginary = H.imag.copy()
    ends = [0] if f[0] == 0.0 else []
    if loop.dt and abs(H[-1].imag) < 1e-9 * abs(H[-1]):
        ends.append(len(f) - 1)
    for k, near in ((0, 1), (-1, -2)):  # real by symmetry there: roundoff has no sign
        if k % len(f) in ends:
            imaginary[k] = imaginary[near]
    found = [x for x in roots(imaginary, lambda x: at(x).imag) if at(x).real < 0.0]
    return sorted([*found, *(float(f[k]) for k in ends if H[k].real < 0.0)])


def margins(loop: StateSpace) -> Margins:
    """`Margins` of a loop with one input and one output: crossings are bracketed on a grid and found to roundoff.

    Of several crossings the one that leaves least is given. Raises `ModelError` for several inputs or outputs."""
    if loop.D.shape != (1, 1):
        raise ModelError(
            f"margins are of one loop, and there are {loop.D.shape[1]} inputs and {loop.D.shape[0]} outputs; select "
            "one of each"
        )
    f, H, at, roots = _crossings(loop)
    unit = [x for x in roots(np.abs(H) - 1.0, lambda x: abs(at(x)) - 1.0) if x > 0.0]
    turn = _turns(loop, f, H, at, roots)
    angle = lambda x: (np.degrees(np.angle(at(x))) + 180.0 + 180.0) % 360.0 - 180.0
    gain, gain_f, phase, phase_f, delay = math.inf, math.nan, math.inf, math.nan, math.inf
    if turn:
        gain_f = min(turn, key=lambda x: abs(math.log(abs(at(x)))))
        gain = 1.0 / abs(at(gain_f))
    if unit:
        phase_f = min(unit, key=lambda x: abs(angle(x)))
        phase = float(angle(phase_f))
        delay = min((angle(x) % 360.0) / 360.0 / x for x in unit)
    distance = np.abs(1.0 + H)
    k = int(np.argmin(distance))
    from scipy.optimize import minimize_scalar

    best = minimize_scalar(
        lambda x: abs(1.0 + at(x)),
        bounds=(f[max(k - 1, 0)], f[min(k + 1, len(f) - 1)]),
        method="bounded",
        options={"xatol": 1e-12 * max(f[k], f[1])},
    )
    least, where = min((float(best.fun), float(best.x)), (float(distance[k]), float(f[k])))
    return Margins(
        float(gain),
        float(gain_f),
        phase,
        float(phase_f),
        float(delay),
        least,
        where,
    )


# ---- responses in time ---------------------------------------------------------------------------------------------
def step_response(system: StateSpace, times: Any, input: Any = 0) -> np.ndarray:
    """Outputs (nt, p) after a unit step of one input at time 0 from rest, at increasing ``times`` (of a sampled system:
    the value held at each time); zero before the step. Raises `ModelError` for times that decrease."""
    t = np.atleast_1d(np.asarray(times, float))
    if t.ndim != 1 or not np.isfinite(t).all() or (np.diff(t) < 0.0).any():
        raise ModelError("times must be finite numbers that do not decrease; sort them")
    i, n = system._index("inputs", input), len(system.A)
    out = np.zeros((len(t), len(system.C)))
    if system.dt:
        x, k = np.zeros(n), 0
        for row, moment in enumerate(t):
            if moment < 0.0:
                continue
            wanted = math.floor(moment / system.dt + 1e-9)
            while k < wanted:
                x, k = system.A @ x + system.B[:, i], k + 1
            out[row] = system.C @ x + system.D[:, i]
        return out
    both = np.zeros((n + 1, n + 1))
    both[:n, :n], both[:n, n] = system.A, system.B[:, i]
    state, now = np.append(np.zeros(n), 1.0), 0.0
    known: dict[float, np.ndarray] = {}
    for row, moment in enumerate(t):
        if moment < 0.0:
            continue
        h = round(moment - now, 14)
        if h not in known:
            known[h] = expm(both * h)
        state, now = known[h] @ state, moment
        out[row] = system.C @ state[:n] + system.D[:, i]
    return out


# ---- root locus of a gain ------------------------------------------------------------------------------------------
def gain_locus(loop: StateSpace, gains: Any) -> np.ndarray:
    """Poles (ng, n) of the loop closed by negative feedback of each of ``gains``, each column one pole followed."""
    from scipy.optimize import linear_sum_assignment

    rows: list[np.ndarray] = []
    for k in np.atleast_1d(np.asarray(gains, float)):
        E = np.linalg.inv(np.eye(len(loop.D)) + k * loop.D)
        poles = np.linalg.eigvals(loop.A - k * loop.B @ E @ loop.C)
        if rows:
            _, order = linear_sum_assignment(np.abs(rows[-1][:, None] - poles[None]))
            poles = poles[order]
        rows.append(poles)
    return np.array(rows).reshape(len(rows), len(loop.A))
