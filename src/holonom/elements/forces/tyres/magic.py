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
def ellipse(fx, fy, sx, sy, ox, oy, Kx, Ky, Dx, Dy):
    """G_x and G_y, by which combined slip reduces the forces of pure slip, of a friction ellipse:

        G_x = 1 / sqrt(1 + (F_x / s_x o_y / D_y)^2),   G_y = 1 / sqrt(1 + (F_y / s_y o_x / D_x)^2)

    F_x, F_y: forces of pure slip without vertical shifts, s_x, s_y: the slips with which these vanish (F / s is K at
    no slip), D_x, D_y: their maxima; o_x, o_y: the slips with which the whole forces vanish, vertical shifts among
    them. Where one of them is zero the other force is that of pure slip.

    Adams/Tire ("Using the PAC2002 Tire Model", friction ellipse) and Chrono (`ChPac02Tire`) divide by o in place of
    s.  Without vertical shifts both are the same.  With them F / o is infinite at o = 0, and the force there has a
    notch whose width is that of the other slip; here it is smooth."""
    one = Dx * 0.0 + 1.0
    if real(Dx) == 0.0 or real(Dy) == 0.0:
        return one, one
    x = fx / sx if abs(real(sx)) > 1e-9 else Kx
    y = fy / sy if abs(real(sy)) > 1e-9 else Ky
    lean = x * oy / Dy
    bend = y * ox / Dx
    return 1.0 / sqrt(1.0 + lean * lean), 1.0 / sqrt(1.0 + bend * bend)
