"""Magic formulas: the sine and the cosine of Pacejka, of numbers and dual numbers."""

from __future__ import annotations

from ...._jit import jit
from ...duals import atan, cos, sin


@jit
def magic(D, C, B, E, k):
    """D sin(C atan(B k - E (B k - atan(B k))))"""
    x = B * k
    return D * sin(C * atan(x - E * (x - atan(x))))


@jit
def bell(C, B, E, k):
    """cos(C atan(B k - E (B k - atan(B k))))"""
    x = B * k
    return cos(C * atan(x - E * (x - atan(x))))
