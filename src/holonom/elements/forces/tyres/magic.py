"""Magic formulas: the sine and the cosine of Pacejka, of numbers and dual numbers."""

from __future__ import annotations

from ...._jit import jit
from ...duals import atan, cos, real, sin, sqrt


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


@jit
def ellipse(fx, fy, sx, sy, Kx, Ky, Dx, Dy):
    """F_x and F_y of combined slips by a friction ellipse, of those of pure slip without vertical shifts: with slips
    s_x, s_y that vanish with them,

        F_x / sqrt(1 + (F_x s_y / (s_x D_y))^2),   F_y / sqrt(1 + (F_y s_x / (s_y D_x))^2)

    D_x, D_y: greatest forces, K_x, K_y: slip stiffnesses, which are F / s at no slip (Adams/Tire, "Using the PAC2002
    Tire Model", friction ellipse)."""
    if real(Dx) == 0.0 or real(Dy) == 0.0:
        return fx, fy
    x = fx / sx if abs(real(sx)) > 1e-9 else Kx
    y = fy / sy if abs(real(sy)) > 1e-9 else Ky
    lean = x * sy / Dy
    bend = y * sx / Dx
    return fx / sqrt(1.0 + lean * lean), fy / sqrt(1.0 + bend * bend)
