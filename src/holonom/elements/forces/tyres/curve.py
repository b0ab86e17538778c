"""Load over deflection by rows: the monotone cubic through them, with its energy."""

from __future__ import annotations

import numpy as np

from ...._jit import jit
from ...duals import real


def curve_values(rows) -> list[float]:
    """How many rows; deflection, load, slope and energy of each: the monotone cubic of Fritsch and Carlson (SIAM J.
    Numer. Anal. 17 (1980) 238-246)."""
    if not rows:
        return [0.0]
    from scipy.interpolate import PchipInterpolator

    x, f = np.array(rows).T
    cubic = PchipInterpolator(x, f)
    return [float(len(x)), *np.column_stack([x, f, cubic.derivative()(x), cubic.antiderivative()(x)]).ravel()]


def curve_faults(name: str, rows):
    """What cannot be of rows of deflection and load."""
    if rows and (
        rows[0] != (0.0, 0.0) or len(rows) < 2 or any(b[0] <= a[0] or b[1] < a[1] for a, b in zip(rows, rows[1:]))
    ):
        yield f"{name} must begin with (0, 0), with deflections that rise and loads that do not fall"


@jit
def curve(c, o, x):
    """Value and integral at x > 0 of the curve whose numbers begin at c[o]; straight behind its end."""
    n = int(c[o])
    k = o + 1
    for i in range(1, n - 1):
        if real(x) > c[o + 1 + 4 * i]:
            k = o + 1 + 4 * i
    h = c[k + 4] - c[k]
    if real(x) >= c[k + 4]:
        z = x - c[k + 4]
        return c[k + 5] + c[k + 6] * z, c[k + 7] + (c[k + 5] + 0.5 * c[k + 6] * z) * z
    z = x - c[k]
    f, m = c[k + 1], c[k + 2]
    rise = (c[k + 5] - f) / h
    b = (3.0 * rise - 2.0 * m - c[k + 6]) / h
    a = (m + c[k + 6] - 2.0 * rise) / (h * h)
    return f + z * (m + z * (b + z * a)), c[k + 3] + z * (f + z * (0.5 * m + z * (b / 3.0 + z * 0.25 * a)))
