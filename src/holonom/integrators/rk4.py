"""RK4: the classic Runge-Kutta method of order 4 at a fixed step, cubic between the ends.

W. Kutta, Z. Math. Phys. 46 (1901) 435; Hairer, Norsett, Wanner I, sec. II.1.
"""

from __future__ import annotations

from .explicit import ExplicitStepper
from .runge_kutta import make_tableau


class RK4(ExplicitStepper):
    name = "RK4"
    tableau = make_tableau(
        4, [[], [1 / 2], [0, 1 / 2], [0, 0, 1]], [1 / 6, 1 / 3, 1 / 3, 1 / 6], [0, 1 / 2, 1 / 2, 1], like=3
    )
    stable = 2.78
