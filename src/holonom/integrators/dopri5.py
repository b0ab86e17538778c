"""DOPRI5: Dormand and Prince's explicit Runge-Kutta of order 5, error estimate of order 4, dense output of order 4.

Dormand and Prince, J. Comput. Appl. Math. 6 (1980) 19; interpolant of Hairer, Norsett, Wanner I, sec. II.6, without an
evaluation of its own.
"""

from __future__ import annotations

from .explicit import ExplicitStepper
from .runge_kutta import make_tableau

A = [
    [],
    [1 / 5],
    [3 / 40, 9 / 40],
    [44 / 45, -56 / 15, 32 / 9],
    [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729],
    [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656],
]
B = [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84]
C = [0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1]
E = [71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40]
D = [
    -12715105075 / 11282082432,
    0,
    87487479700 / 32700410799,
    -10690763975 / 1880347072,
    701980252875 / 199316789632,
    -1453857185 / 822651844,
    69997945 / 29380423,
]


class DOPRI5(ExplicitStepper):
    name = "DOPRI5"
    tableau = make_tableau(5, A, B, C, E, D=[D], like=5, fsal=1)
    stable = 3.25  # Hairer-Wanner II, IV.2
