"""DOP853: Dormand and Prince's explicit Runge-Kutta of order 8, error estimators of orders 5 and 3, dense output of
order 7.

Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, sec. II.5-6 and II.10; table from their dop853.f.
The default for models that are not stiff.
"""

from __future__ import annotations

from . import _dop853_table as t
from .explicit import ExplicitStepper
from .runge_kutta import make_tableau

TABLE = make_tableau(8, t.A, t.B, t.C, t.E5, t.E3, t.A_EXTRA, t.C_EXTRA, t.D, like=11)


class DOP853(ExplicitStepper):
    name = "DOP853"
    quadrature = 5
    tableau = TABLE
    stable = 6.1  # Hairer-Wanner II, IV.2
