"""The ellipse in which a wheel and a rail touch, and Kalker's coefficients of it, over one number: x = ln(B / A).

Near the point of contact the gap between the bodies is A x^2 + B y^2, x along the rolling direction.  With the complete
elliptic integrals K(e), E(e) of the modulus e^2 = 1 - (b/a)^2, a >= b (Johnson, Contact Mechanics (1985), 4.26; E' = E
/ (2 (1 - nu^2)) for two bodies of one material)

    B/A = [(a/b)^2 E - K] / (K - E),       a = alpha c,  b = beta c,     c^3 = 3 N / (2 pi E' (A + B)),    alpha^3 =
        (a/b)^2 E,
    delta = zeta (3 N / (2 pi E'))^(2/3) (A + B)^(1/3),    zeta = K / alpha

and with the axes exchanged for B < A.  Kalker's creepage and spin coefficients C_11, C_22, C_23, C_33 depend on a/b and
Poisson's ratio: table of Kalker, On the rolling contact of two elastic bodies in the presence of dry friction (1967),
as table E.3 of Three-Dimensional Elastic Bodies in Rolling Contact
(1990) prints it, for a/b and b/a = 0.1 to 1 and nu = 0, 1/4, 1/2.  Between its lines ln C is a cubic spline of ln(a/b),
and 1/C a parabola of nu; beyond them stand his
asymptotes (C_33: a power of a/b).
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

#: lines a/b = 0.1, 0.2, ... 1 and b/a = 0.9, ... 0.1; columns nu = 0, 1/4, 1/2 of each coefficient
RATIOS = np.array(
    [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, *(1.0 / np.array([0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1]))]
)
POISSON = (0.0, 0.25, 0.5)
C11 = np.array(
    [
        (2.51, 3.31, 4.85),
        (2.59, 3.37, 4.81),
        (2.68, 3.44, 4.80),
        (2.78, 3.53, 4.82),
        (2.88, 3.62, 4.83),
        (2.98, 3.72, 4.91),
        (3.09, 3.81, 4.97),
        (3.19, 3.91, 5.05),
        (3.29, 4.01, 5.12),
        (3.40, 4.12, 5.20),
        (3.51, 4.22, 5.30),
        (3.65, 4.36, 5.42),
        (3.82, 4.54, 5.58),
        (4.06, 4.78, 5.80),
        (4.37, 5.10, 6.11),
        (4.84, 5.57, 6.57),
        (5.57, 6.34, 7.34),
        (6.96, 7.78, 8.82),
        (10.7, 11.7, 12.9),
    ]
)
C22 = np.array(
    [
        (2.51, 2.52, 2.53),
        (2.59, 2.63, 2.66),
        (2.68, 2.75, 2.81),
        (2.78, 2.88, 2.98),
        (2.88, 3.01, 3.14),
        (2.98, 3.14, 3.31),
        (3.09, 3.28, 3.48),
        (3.19, 3.41, 3.65),
        (3.29, 3.54, 3.82),
        (3.40, 3.67, 3.98),
        (3.51, 3.81, 4.16),
        (3.65, 3.99, 4.39),
        (3.82, 4.21, 4.67),
        (4.06, 4.50, 5.04),
        (4.37, 4.90, 5.56),
        (4.84, 5.48, 6.31),
        (5.57, 6.40, 7.51),
        (6.96, 8.14, 9.79),
        (10.7, 12.8, 16.0),
    ]
)
C23 = np.array(
    [
        (0.334, 0.473, 0.731),
        (0.483, 0.603, 0.809),
        (0.607, 0.715, 0.889),
        (0.720, 0.823, 0.977),
        (0.827, 0.929, 1.07),
        (0.930, 1.03, 1.18),
        (1.03, 1.14, 1.29),
        (1.13, 1.25, 1.40),
        (1.23, 1.36, 1.51),
        (1.33, 1.47, 1.63),
        (1.44, 1.59, 1.77),
        (1.58, 1.75, 1.94),
        (1.76, 1.95, 2.18),
        (2.01, 2.23, 2.50),
        (2.35, 2.62, 2.96),
        (2.88, 3.24, 3.70),
        (3.79, 4.32, 5.01),
        (5.72, 6.63, 7.89),
        (12.2, 14.6, 18.0),
    ]
)
C33 = np.array(
    [
        (6.42, 8.28, 11.7),
        (3.46, 4.27, 5.66),
        (2.49, 2.96, 3.72),
        (2.02, 2.32, 2.77),
        (1.74, 1.93, 2.22),
        (1.56, 1.68, 1.86),
        (1.43, 1.50, 1.60),
        (1.34, 1.37, 1.42),
        (1.27, 1.27, 1.27),
        (1.21, 1.19, 1.16),
        (1.16, 1.11, 1.06),
        (1.10, 1.04, 0.954),
        (1.05, 0.965, 0.852),
        (1.01, 0.892, 0.751),
        (0.958, 0.819, 0.650),
        (0.912, 0.747, 0.549),
        (0.868, 0.674, 0.446),
        (0.828, 0.601, 0.341),
        (0.795, 0.526, 0.228),
    ]
)

COLUMNS = 7  # ln alpha, ln beta, ln zeta, ln C11, ln C22, ln C23, ln C33
LAST = 9.2  # of |ln(B / A)|
NODES = 93
STEP = 2.0 * LAST / (NODES - 1)


def _at_poisson(table: np.ndarray, nu: float) -> np.ndarray:
    weights = [(nu - 0.25) * (nu - 0.5) * 8.0, -nu * (nu - 0.5) * 16.0, nu * (nu - 0.25) * 8.0]
    return np.asarray(1.0 / sum(w / table[:, k] for k, w in enumerate(weights)))


def _asymptotes(g: np.ndarray, nu: float, long: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """C_11, C_22, C_23 of slender ellipses, g the ratio of the smaller half axis to the larger one; ``long``: along the
    rolling direction."""
    if not long:
        return (
            np.full_like(g, math.pi**2 / (4.0 * (1.0 - nu))),
            np.full_like(g, math.pi**2 / 4.0),
            math.pi * np.sqrt(g) / (3.0 * (1.0 - nu)) * (1.0 + nu * (np.log(16.0 / g) - 5.0)),
        )
    size = np.log(16.0 / g**2)
    s, w, q = size - 2.0 * nu, (1.0 - nu) * size + 2.0 * nu, 3.0 - math.log(4.0)
    return (
        2.0 * math.pi / (s * g) * (1.0 + q / s),
        2.0 * math.pi / (g * w) * (1.0 + (1.0 - nu) * q / w),
        2.0 * math.pi / (3.0 * g**1.5 * ((1.0 - nu) * size - 2.0 + 4.0 * nu)),
    )


@lru_cache(maxsize=16)
def _kalker_splines(nu: float):
    from scipy.interpolate import CubicSpline

    g = np.array([0.01, 0.02, 0.04])
    short, long = _asymptotes(g, nu, False), _asymptotes(g[::-1], nu, True)
    x = np.log(np.concatenate([g, RATIOS, 1.0 / g[::-1]]))
    out = []
    for k, table in enumerate((C11, C22, C23)):
        out.append(CubicSpline(x, np.log(np.concatenate([short[k], _at_poisson(table, nu), long[k]]))))
    c = np.log(_at_poisson(C33, nu))
    y = np.log(RATIOS)
    ends = [
        c[0] + (c[1] - c[0]) / (y[1] - y[0]) * (x[:3] - y[0]),
        c,
        c[-1] + (c[-1] - c[-2]) / (y[-1] - y[-2]) * (x[-3:] - y[-1]),
    ]
    return (*out, CubicSpline(x, np.concatenate(ends)))


def kalker(ratio, nu: float = 0.27) -> np.ndarray:
    """C_11, C_22, C_23, C_33 (4, ...) of ellipses with a/b = ``ratio``, a along the rolling direction, for Poisson's
    ratio ``nu`` (0 to 1/2)."""
    x = np.clip(np.log(np.asarray(ratio, float)), math.log(0.01), math.log(100.0))
    return np.exp(np.array([s(x) for s in _kalker_splines(float(nu))]))


@lru_cache(maxsize=16)
def ellipse_table(nu: float) -> np.ndarray:
    """What `ellipse` reads: (NODES, 2 COLUMNS) values and slopes of the columns over x = ln(B / A), evenly from -`LAST`
    to `LAST`."""
    from scipy.interpolate import CubicSpline
    from scipy.special import ellipe, ellipkm1

    logs = np.linspace(0.0, 9.0, 1201)[1:]  # of a/b
    k = np.exp(-logs)
    K, E = ellipkm1(k * k), ellipe(1.0 - k * k)
    x = np.log((E / k**2 - K) / (K - E))
    alpha = (E / k**2) ** (1.0 / 3.0)
    round_ = (math.pi / 2.0) ** (1.0 / 3.0)
    x = np.concatenate([[0.0], x])
    long = np.log(np.concatenate([[round_], alpha]))
    short = np.log(np.concatenate([[round_], k * alpha]))
    zeta = np.log(np.concatenate([[math.pi / 2.0 / round_], K / alpha]))
    both = np.concatenate([-x[:0:-1], x])
    # B > A: the gap closes slower along x, the ellipse is long there
    columns = [
        np.concatenate([short[:0:-1], long]),
        np.concatenate([long[:0:-1], short]),
        np.concatenate([zeta[:0:-1], zeta]),
    ]
    nodes = np.linspace(-LAST, LAST, NODES)
    out = np.zeros((NODES, 2 * COLUMNS))
    for j, y in enumerate(columns):
        spline = CubicSpline(both, y)
        out[:, 2 * j], out[:, 2 * j + 1] = spline(nodes), spline(nodes, 1)
    ratio = out[:, 0] - out[:, 2]
    steepness = out[:, 1] - out[:, 3]
    inside = np.abs(ratio) < math.log(100.0)
    for j, spline in enumerate(_kalker_splines(float(nu))):
        at = np.clip(ratio, -math.log(100.0), math.log(100.0))
        out[:, 6 + 2 * j], out[:, 7 + 2 * j] = spline(at), np.where(inside, spline(at, 1) * steepness, 0.0)
    out.flags.writeable = False
    return out
