"""The central difference of six points: its error is of sixth order in the step."""

from __future__ import annotations

#: points, in steps, and weights; exact for polynomials of degree 6
AT = (-3, -2, -1, 1, 2, 3)
WEIGHTS = (-1 / 60, 9 / 60, -45 / 60, 45 / 60, -9 / 60, 1 / 60)
