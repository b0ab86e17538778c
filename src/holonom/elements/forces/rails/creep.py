"""Creep forces of a rolling wheel: the force of the rail on the wheel in the plane of contact, of the creepages and the
spin.

x points along the rolling direction, z out of the rail into the wheel, y completes them.  With the velocity v of the
wheel's surface next to the rail's at the point of
contact, its turning w and the rolling speed V

    xi = v_x / V,    eta = v_y / V,    phi = w_z / V        (1 / length)

All laws give F_x, F_y and the moment M_z about the normal from (N, mu, a, b, xi, eta, phi) and Kalker's coefficients
(`ellipse`), G the shear modulus.

LINEAR (Kalker 1967)     F_x = -G a b C_11 xi,    F_y = -G a b (C_22 eta + sqrt(a b) C_23 phi),    M_z = G (a b)^(3/2)
C_23 eta - G (a b)^2 C_33 phi JOHNSON_VERMEULEN        LINEAR without spin, times (1 - t/3 + t^2/27) where t = |F| / (mu
N) < 3, of the length mu N beyond
                         (Vermeulen, Johnson, J. Appl. Mech. 31 (1964) 338, with Kalker's coefficients)
SHEN_HEDRICK_ELKINS      the same with spin (8th IAVSD Symposium (1983) 591)
POLACH                   (Vehicle System Dynamics Suppl. 33 (1999) 728; reduction k_A, k_S: Wear 258 (2005) 992)
FASTSIM                  (Kalker, Vehicle System Dynamics 11 (1982) 1), three flexibilities, bound of a parabola, n x n
elements

Each is written for numbers and dual numbers.  ``c``: G, k_A, k_S, n.
"""

from __future__ import annotations

import math

from ...._jit import jit
from ...._with_numba import Signature
from ...duals import atan, exp, real, sqrt

SHEAR, K_A, K_S, COUNT = range(4)
#: N, mu, a, b, C11, C22, C23, C33, xi, eta, phi
CREEP_REAL = Signature("3 * float64", "float64[::1], 11 * float64")
CREEP_DUALS = Signature("3 * complex128", "float64[::1], 11 * complex128")


@jit(entry="float64[::1], 11 * float64")
def linear(c, s):
    N, mu, a, b, c11, c22, c23, c33, xi, eta, phi = s
    g = c[SHEAR] * a * b
    r = sqrt(a * b)
    return -g * c11 * xi, -g * (c22 * eta + r * c23 * phi), g * r * c23 * eta - g * r * r * c33 * phi


@jit
def cubic(t):
    """What is left of a force t mu N of the linear theory, next to itself."""
    if real(t) < 3.0:
        return 1.0 - t / 3.0 + t * t / 27.0
    return 1.0 / t


@jit(entry="float64[::1], 11 * float64")
def shen_hedrick_elkins(c, s):
    fx, fy, mz = linear(c, s)
    k = cubic(sqrt(fx * fx + fy * fy) / (s[0] * s[1]))
    return k * fx, k * fy, k * mz


@jit(entry="float64[::1], 11 * float64")
def johnson_vermeulen(c, s):
    N, mu, a, b, c11, c22, c23, c33, xi, eta, phi = s
    g = c[SHEAR] * a * b
    fx = -g * c11 * xi
    fy = -g * c22 * eta
    k = cubic(sqrt(fx * fx + fy * fy) / (N * mu))
    return k * fx, k * fy, fx * 0.0


@jit(entry="float64[::1], 11 * float64")
def polach(c, s):
    N, mu, a, b, c11, c22, c23, c33, xi, eta, phi = s
    grip = N * mu
    side = eta + phi * a
    if abs(real(side)) <= abs(real(eta)):
        side = eta
    total = sqrt(xi * xi + side * side)
    if real(total) == 0.0:
        return linear(c, s)
    # the stiffness of the direction in which it slips, spin counted as lateral slip, so that it has a limit where the
    # wheel rolls freely
    cx = c11 * xi
    cy = c22 * side
    stiff = sqrt(cx * cx + cy * cy) / total
    eps = 0.25 * c[SHEAR] * math.pi * a * b * stiff * total / grip
    ea = c[K_A] * eps
    f = 2.0 * grip / math.pi * (ea / (1.0 + ea * ea) + atan(c[K_S] * eps)) / total
    form = 1.0 + 6.3 * (1.0 - exp(-a / b))
    e = 8.0 / 3.0 * b * sqrt(a * b) * c[SHEAR] * c23 / grip * side / form
    if real(e) < 0.0:
        e = -e
    d = (e * e - 1.0) / (e * e + 1.0)
    h = 2.0 * e / (e * e + 1.0)  # sqrt(1 - d^2)
    k = e * (d * d * d / 3.0 - d * d / 2.0 + 1.0 / 6.0) - h * h * h / 3.0
    spin = 9.0 / 16.0 * a * grip * k * form / total
    r = sqrt(a * b)
    g = c[SHEAR] * a * b
    # the moment: of the linear theory, fading as the patch slides
    fade = f / (g * c22)
    if real(fade) > 1.0:
        fade = fade * 0.0 + 1.0
    return -f * xi, -f * eta + spin * phi, fade * (g * r * c23 * eta - g * r * r * c33 * phi)


@jit(entry="float64[::1], 11 * float64")
def fastsim(c, s):
    N, mu, a, b, c11, c22, c23, c33, xi, eta, phi = s
    n = int(c[COUNT])
    g = c[SHEAR]
    l1 = 8.0 * a / (3.0 * g * c11)
    l2 = 8.0 * a / (3.0 * g * c22)
    l3 = math.pi * a * sqrt(a / b) / (4.0 * g * c23)
    top = 2.0 * mu * N / (math.pi * a * b)
    dy = 2.0 * b / n
    fx = N * 0.0
    fy = N * 0.0
    mz = N * 0.0
    for j in range(n):
        v = -1.0 + (2.0 * j + 1.0) / n  # of b
        y = v * b
        half = a * math.sqrt(1.0 - v * v)
        dx = 2.0 * half / n
        px = N * 0.0
        py = N * 0.0
        wx = xi / l1 - phi * y / l3
        for i in range(n):
            x = half * (1.0 - (2.0 * i + 1.0) / n)
            # from the middle of the last element to the middle of this one; half an element from the edge
            d = 0.5 * dx if i == 0 else dx
            xm = x + 0.5 * d
            px -= d * wx
            py -= d * (eta / l2 + phi * xm / l3)
            u = (2.0 * i + 1.0) / n - 1.0
            bound = top * (1.0 - v * v) * (1.0 - u * u)
            p = sqrt(px * px + py * py)
            if real(p) > real(bound):
                q = bound / p
                px *= q
                py *= q
            area = dx * dy
            fx += px * area
            fy += py * area
            mz += (x * py - y * px) * area
    return fx, fy, mz


LAWS = {
    "LINEAR": linear,
    "JOHNSON_VERMEULEN": johnson_vermeulen,
    "SHEN_HEDRICK_ELKINS": shen_hedrick_elkins,
    "POLACH": polach,
    "FASTSIM": fastsim,
}
