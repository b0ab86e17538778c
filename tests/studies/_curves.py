"""Closed forms for tests of identification."""

import numpy as np


def released(v, t):
    """x and speed of a mass m on a spring k with damping c, released from x0 at rest."""
    m, k, c, x0 = v["m"], v["k"], v["c"], v.get("x0", 0.1)
    d = c / (2 * m)
    w = np.sqrt(k / m - d * d)
    e = np.exp(-d * t)
    return x0 * e * (np.cos(w * t) + d / w * np.sin(w * t)), -x0 * e * (k / m) / w * np.sin(w * t)


def derivatives(f, v, names, h=1e-30):
    """Columns of derivatives by complex steps, exact to rounding."""
    return np.column_stack([f({**v, n: v[n] + 1j * h}).imag / h for n in names])
