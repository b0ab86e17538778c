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


def adhesion(ratio, nu, cells=22):
    """C11, C22, C23, C33 by brute force: complete adhesion on the half space, without any table.

    Constant tractions on the cells whose centres lie in the ellipse, displacements by Cerruti's solution integrated
    over each cell in closed form; over one cell along the rolling direction they change as the creepage says, and ahead
    of the leading edge there is no traction (Kalker (1990), 4).  Coefficients for the area that the cells have; C23 is
    the mean of the force of the spin and the moment of the lateral creepage, which are equal.  From above, 1 to 3.5 %
    with 22 cells.
    """
    a, b = math.sqrt(ratio), 1 / math.sqrt(ratio)  # ab = 1, G = 1
    dx, dy = 2 * a / cells, 2 * b / cells
    middle = (np.arange(cells) + 0.5) / cells * 2 - 1
    X, Y = np.meshgrid(middle, middle, indexing="ij")
    keep = X**2 + Y**2 < 1
    x, y = X[keep] * a, Y[keep] * b
    n = len(x)

    def displacements(ahead):
        """Of both bodies together at points ``ahead`` of the middles, of unit tractions."""
        total = np.zeros((4, n, n))  # integrals of 1/R, x^2/R^3, y^2/R^3, xy/R^3
        for sx in (1, -1):
            for sy in (1, -1):
                u, v = x[:, None] + ahead - x + 0.5 * sx * dx, y[:, None] - y + 0.5 * sy * dy
                R = np.hypot(u, v)
                one, other = v * np.log(u + R), u * np.log(v + R)
                total += sx * sy * np.array([one + other, one, other, -R])
        rows = [(1 - nu) * total[0] + nu * total[1], nu * total[3], (1 - nu) * total[0] + nu * total[2]]
        return np.block([[rows[0], rows[1]], [rows[1], rows[2]]]) / math.pi

    one, none = np.ones(n), np.zeros(n)
    slips = np.array([[*one, *none], [*none, *one], [*-y, *(x + 0.5 * dx)]]).T * dx
    p = np.linalg.solve(displacements(0.0) - displacements(dx), slips)
    area = dx * dy
    force = lambda k: area * np.array([p[:n, k].sum(), p[n:, k].sum(), (x * p[n:, k] - y * p[:n, k]).sum()])
    found = force(0)[0], force(1)[1], 0.5 * (force(2)[1] - force(1)[2]), force(2)[2]
    return np.array(found) / (n * area / math.pi) ** np.array([1.0, 1.0, 1.5, 2.0])


def arm(head, width, slope, inclination, gauge=1.435):
    """Half the distance of the points at which cones of ``slope`` touch rails whose heads are arcs: each rail is turned
    inward by its inclination about the top of its head, and half the gauge is at its inner edge."""
    i, edge = math.atan(inclination), math.sqrt(head**2 - 0.25 * width**2) - head
    middle = 0.5 * width * math.cos(i) + edge * math.sin(i) + head * math.sin(i)  # of the arc, from the inner edge
    return 0.5 * gauge + middle - head * math.sin(math.atan(slope))


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
