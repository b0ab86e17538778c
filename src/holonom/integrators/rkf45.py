"""RKF45: Fehlberg's explicit Runge-Kutta pair of orders 5 and 4; the solution of order 5 is carried on.

E. Fehlberg, NASA TR R-315 (1969).  On a minimal set by default.  The interpolant of order 4 is found here from the
order
conditions: between the ends the cubic through both lacks h^4 y''''/24 x^2 (1 - x)^2, and the seven rates of a step
contain that fourth derivative (Hairer, Norsett, Wanner I, sec. II.6, on continuous extensions).
"""

from __future__ import annotations

import numpy as np

from .explicit import ExplicitStepper
from .runge_kutta import make_tableau

A = [
    [],
    [1 / 4],
    [3 / 32, 9 / 32],
    [1932 / 2197, -7200 / 2197, 7296 / 2197],
    [439 / 216, -8, 3680 / 513, -845 / 4104],
    [-8 / 27, 2, -3544 / 2565, 1859 / 4104, -11 / 40],
]
B = [16 / 135, 0, 6656 / 12825, 28561 / 56430, -9 / 50, 2 / 55]
C = [0, 1 / 4, 3 / 8, 12 / 13, 1, 1 / 2]
E = [1 / 360, 0, -128 / 4275, -2197 / 75240, 1 / 50, 2 / 55]


def fourth_derivative(A, B) -> np.ndarray:
    """d with sum d_i k_i = h^3 y''''/24 + O(h^4) over the stages and the rate at the end, the shortest such d."""
    n = len(B)
    a = np.zeros((n + 1, n + 1))
    for i, row in enumerate([*A, B]):
        a[i, : len(row)] = row
    one, c = np.ones(n + 1), a.sum(axis=1)
    conditions = np.array([one, c, c * c, a @ c, c**3, c * (a @ c), a @ c**2, a @ (a @ c)])
    wanted = np.array([0, 0, 0, 0, 1 / 4, 1 / 8, 1 / 12, 1 / 24])
    return np.linalg.lstsq(conditions, wanted, rcond=None)[0]


class RKF45(ExplicitStepper):
    name = "RKF45"
    tableau = make_tableau(5, A, B, C, E, D=[fourth_derivative(A, B)], like=4)
    stable = 3.7
    formulations = ("MINIMAL", "INDEX1")
