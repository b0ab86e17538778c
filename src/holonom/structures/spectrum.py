"""Response of an oscillator to a shaken ground, exact for accelerations that are straight between their points, and
response spectra.

    u'' + 2 zeta w u' + w^2 u = -a(t)

Each step is the exact solution for a linear load (N. C. Nigam, P. C. Jennings, Bull. Seism. Soc. Am. 59 (1969)
909-922), as a recursion with constant matrices.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import expm

from .._jit import jit
from ..model import ModelError
from ..model.base import shown
from .ground_motion import GroundMotion


@jit(
    entry=(
        "float64[:, ::1], const float64[::1], float64[:, ::1]",
        "float64[:, ::1], float64[::1], float64[:, ::1]",
    )
)
def _march(P, a, out):
    u = 0.0
    v = 0.0
    for k in range(1, a.shape[0]):
        x = P[0, 0] * u + P[0, 1] * v + P[0, 2] * a[k - 1] + P[0, 3] * a[k]
        v = P[1, 0] * u + P[1, 1] * v + P[1, 2] * a[k - 1] + P[1, 3] * a[k]
        u = x
        out[k, 0] = u
        out[k, 1] = v


def _step(period: float, damping: float, h: float) -> np.ndarray:
    """(2, 4): u and v at the end of a step by u, v at its start and the accelerations at both."""
    w = 2.0 * np.pi / period
    # u, v, a, and its slope: a linear system whose exponential is the step
    A = np.array([[0, 1, 0, 0], [-w * w, -2 * damping * w, -1, 0], [0, 0, 0, 1], [0, 0, 0, 0.0]])
    E = expm(h * A)
    return np.column_stack([E[:2, :2], E[:2, 2] - E[:2, 3] / h, E[:2, 3] / h])


def response(motion: GroundMotion, period: float, damping: float = 0.05, *, divide: int = 1) -> np.ndarray:
    """(n, 3) displacement, velocity (relative to the ground) and absolute acceleration of an oscillator at the times of
    the record: m, m/s, m/s^2.

    ``period`` s; ``damping``: ratio from 0 to below 1; ``divide``: number of response steps per step of the record, for
    peaks between its points. Raises `ModelError` for invalid values.
    """
    if not (np.isfinite(period) and period > 0.0):
        raise ModelError(f"period is {shown(period)}; give a positive time")
    if not 0.0 <= damping < 1.0:
        raise ModelError(f"damping is {shown(damping)}; give a ratio from 0 to below 1")
    if divide < 1 or divide != int(divide):
        raise ModelError(f"divide is {shown(divide)}; give a whole number from 1 on")
    a, h = motion.acceleration, motion.dt
    if divide > 1:
        fine = np.arange((len(a) - 1) * divide + 1) / divide
        a, h = np.interp(fine, np.arange(len(a)), a), h / divide
    out = np.zeros((len(a), 3))
    _march(_step(period, damping, h), np.ascontiguousarray(a), out)
    w = 2.0 * np.pi / period
    out[:, 2] = -(w * w * out[:, 0] + 2.0 * damping * w * out[:, 1])
    return out


def response_spectrum(motion: GroundMotion, periods, damping: float = 0.05) -> dict[str, np.ndarray]:
    """Peaks over ``periods`` (s): ``displacement`` (m), ``velocity`` (relative, m/s), ``acceleration`` (absolute,
    m/s^2), ``pseudo_velocity`` w D and ``pseudo_acceleration`` w^2 D.

    Peaks between the points of a record are found by steps of at most a twentieth of the period.  Raises `ModelError`
    as `response`.
    """
    periods = np.atleast_1d(np.asarray(periods, float))
    peaks = np.array(
        [
            np.abs(response(motion, T, damping, divide=max(1, int(np.ceil(20.0 * motion.dt / T))))).max(axis=0)
            for T in periods
        ]
    )
    w = 2.0 * np.pi / periods
    return {
        "period": periods,
        "displacement": peaks[:, 0],
        "velocity": peaks[:, 1],
        "acceleration": peaks[:, 2],
        "pseudo_velocity": w * peaks[:, 0],
        "pseudo_acceleration": w * w * peaks[:, 0],
    }
