"""Kalker's creepage coefficients as printed, and Hertz's ellipse, for tests that take nothing from the library."""

import math

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.optimize import brentq
from scipy.special import ellipe, ellipk

#: J. J. Kalker, Three-Dimensional Elastic Bodies in Rolling Contact (1990), table E3: over a / b, a along the rolling
#: direction; rows of Poisson's ratios 0, 1/4, 1/2
RATIOS = np.array([*np.arange(1, 11) / 10, *(10 / np.arange(9, 0, -1))])
LONG = (
    (2.51, 2.59, 2.68, 2.78, 2.88, 2.98, 3.09, 3.19, 3.29, 3.40, 3.51, 3.65, 3.82, 4.06, 4.37, 4.84, 5.57, 6.96, 10.7),
    (3.31, 3.37, 3.44, 3.53, 3.62, 3.72, 3.81, 3.91, 4.01, 4.12, 4.22, 4.36, 4.54, 4.78, 5.10, 5.57, 6.34, 7.78, 11.7),
    (4.85, 4.81, 4.80, 4.82, 4.83, 4.91, 4.97, 5.05, 5.12, 5.20, 5.30, 5.42, 5.58, 5.80, 6.11, 6.57, 7.34, 8.82, 12.9),
)
ACROSS = (
    LONG[0],
    (2.52, 2.63, 2.75, 2.88, 3.01, 3.14, 3.28, 3.41, 3.54, 3.67, 3.81, 3.99, 4.21, 4.50, 4.90, 5.48, 6.40, 8.14, 12.8),
    (2.53, 2.66, 2.81, 2.98, 3.14, 3.31, 3.48, 3.65, 3.82, 3.98, 4.16, 4.39, 4.67, 5.04, 5.56, 6.31, 7.51, 9.79, 16.0),
)
SPIN = (
    (
        0.334,
        0.483,
        0.607,
        0.720,
        0.827,
        0.930,
        1.03,
        1.13,
        1.23,
        1.33,
        1.44,
        1.58,
        1.76,
        2.01,
        2.35,
        2.88,
        3.79,
        5.72,
        12.2,
    ),
    (
        0.473,
        0.603,
        0.715,
        0.823,
        0.929,
        1.03,
        1.14,
        1.25,
        1.36,
        1.47,
        1.59,
        1.75,
        1.95,
        2.23,
        2.62,
        3.24,
        4.32,
        6.63,
        14.6,
    ),
    (
        0.731,
        0.809,
        0.889,
        0.977,
        1.07,
        1.18,
        1.29,
        1.40,
        1.51,
        1.63,
        1.77,
        1.94,
        2.18,
        2.50,
        2.96,
        3.70,
        5.01,
        7.89,
        18.0,
    ),
)


def coefficients(ratio, nu):
    """C11, C22, C23 at a / b: the parabola through three ratios of Poisson, cubics over the logarithm of a / b."""
    weights = (8 * (nu - 0.25) * (nu - 0.5), 16 * nu * (0.5 - nu), 8 * nu * (nu - 0.25))
    at = lambda table: float(CubicSpline(np.log(RATIOS), np.dot(weights, table))(math.log(ratio)))
    return at(LONG), at(ACROSS), at(SPIN)


def ellipse(load, along, across, young, nu):
    """Half axes along and across of the contact of two bodies of one material; curvatures along and across
    (K. L. Johnson, Contact Mechanics (1985), 4.2: e^2 = 1 - (minor / major)^2)."""
    A, B = sorted((0.5 * along, 0.5 * across))

    def quotient(e2):  # B / A
        return ((1 - e2) ** -1 * ellipe(e2) - ellipk(e2)) / (ellipk(e2) - ellipe(e2))

    e2 = brentq(lambda e2: quotient(e2) - B / A, 1e-9, 1 - 1e-9, xtol=1e-15)
    modulus, minor = young / (2 * (1 - nu**2)), math.sqrt(1 - e2)
    # A + B = 3 N E(e) / (2 pi E* major minor^2)
    major = (3 * load / (2 * math.pi * modulus * (A + B)) * ellipe(e2) / minor**2) ** (1 / 3)
    return (major, major * minor) if along <= across else (major * minor, major)
