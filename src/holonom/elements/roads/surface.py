"""The plane that a tyre sees of a road: of one point, averaged over its footprint, or enveloped by cams.

A road is a law (X, Y) -> h, dh/dX, dh/dY, mu over the plane of its marker, called through its address; flat roads have none.  What the tyre sees is a height w
over the point (X, Y) below it, with slopes (s_x, s_y) and a friction mu:

    POINT        the height and the slopes at (X, Y)
    PLANE        least squares over ``nx`` by ``ny`` points of a footprint ``length`` by ``width`` along and across the heading: mean and slopes
    ENVELOPING   two elliptical cams |x / a|^c + |z / b|^c = 1 with distance l_s stand on the road: w = (Z_f + Z_r) / 2 - b, slope (Z_f - Z_r) / l_s along the
                 heading, where Z = max (h(x) + b (1 - |x / a|^c)^(1/c)) over ``nx`` points of a cam; ``ny`` such pairs side by side over the width give their mean
                 and the slope across (A. J. C. Schmeitz, A Semi-Empirical Three-Dimensional Model of the Pneumatic Tyre Rolling over Arbitrarily Uneven Road
                 Surfaces, Delft (2004); Pacejka, Tire and Vehicle Dynamics (2012), 10.1.6)

Derivatives are those of dual numbers: a cam that stands on a point has those of that point.
"""

from __future__ import annotations

import math

from numba import types
from numba.extending import overload

from ..._address import DUAL, REAL, VALUES, caller, several
from ..._jit import OVERLOAD, jit
from ..duals import real, sqrt

#: the numbers of a tyre, before those of its law (from c[LAW_AT]) and of its road (from c[ROAD_AT]); addresses first, zero where there is none
(
    LAW,
    LAW_DUAL,
    ROAD,
    ROAD_DUAL,
    LAW_AT,
    ROAD_AT,
    RADIUS,
    METHOD,
    SPAN,
    CAM_A,
    CAM_B,
    CAM_ORDER,
    NX,
    NY,
    LENGTH,
    WIDTH,
    BELT,
    TURNS,
    MU,
    HEAD,
) = range(20)
POINT, PLANE, ENVELOPING = range(3)
METHODS = ("POINT", "PLANE", "ENVELOPING")

ROAD_REAL = (several(REAL, 4), (VALUES, REAL, REAL))
ROAD_DUALS = (several(DUAL, 4), (VALUES, DUAL, DUAL))
_road = caller(*ROAD_REAL)
_road_dual = caller(*ROAD_DUALS)


def ask(c, r, X, Y):
    """h, dh/dX, dh/dY, mu of the road at a place."""
    raise NotImplementedError  # a kernel's only


@overload(ask, jit_options=OVERLOAD)
def _ask(c, r, X, Y):
    if isinstance(X, types.Complex) or isinstance(Y, types.Complex):
        return lambda c, r, X, Y: _road_dual(int(c[ROAD_DUAL]), (r, X, Y))
    return lambda c, r, X, Y: _road(int(c[ROAD]), (r, X, Y))


@jit
def cam(a, b, order, x):
    """Half the height of a cam at x."""
    q = abs(x) / a
    return b * (1.0 - q**order) ** (1.0 / order) if q < 1.0 else 0.0


@jit
def stand(c, r, X, Y, gx, gy, at):
    """Where a cam with its centre at (X, Y) + at (gx, gy) touches the road: h, its slopes and mu there, and the height of the cam above."""
    n = int(c[NX])
    best = -math.inf
    where = 0.0
    for i in range(n):
        x = c[CAM_A] * (2.0 * i / (n - 1) - 1.0)
        z = ask(c, r, real(X) + real(gx) * (at + x), real(Y) + real(gy) * (at + x))[0] + cam(c[CAM_A], c[CAM_B], c[CAM_ORDER], x)
        if z > best:
            best = z
            where = x
    h, hx, hy, mu = ask(c, r, X + gx * (at + where), Y + gy * (at + where))
    return h + cam(c[CAM_A], c[CAM_B], c[CAM_ORDER], where), hx, hy, mu


@jit
def under(c, r, R0, d0, d1, d2, e0, e1, e2):
    """The plane below a wheel: its height below the centre d, the slopes of the path of its point, its slopes, mu."""
    zero = d0 * 0.0 + e2 * 0.0
    if c[ROAD] == 0.0:
        return zero, zero, zero, zero, zero, zero + c[MU]
    k = 1.0 / sqrt(1.0 - e2 * e2)
    # the lowest point of the wheel: along z - (z . e) e
    X = d0 + R0 * k * e2 * e0
    Y = d1 + R0 * k * e2 * e1
    if c[METHOD] == POINT:
        h, hx, hy, mu = ask(c, r, X, Y)
        return h + hx * (d0 - X) + hy * (d1 - Y), hx, hy, hx, hy, mu
    q = 1.0 / sqrt(e0 * e0 + e1 * e1)
    gx = q * e1
    gy = -q * e0
    w, wx, wy, along, across, grip = zero, zero, zero, zero, zero, zero
    ny = int(c[NY])
    nx = int(c[NX])
    spread_y = 0.0
    spread_x = 0.0
    for j in range(ny):
        y = c[WIDTH] * ((j + 0.5) / ny - 0.5)
        spread_y += y * y
        if c[METHOD] == PLANE:
            for i in range(nx):
                x = c[LENGTH] * ((i + 0.5) / nx - 0.5)
                h, hx, hy, mu = ask(c, r, X + gx * x - gy * y, Y + gy * x + gx * y)
                w = w + h
                wx = wx + hx
                wy = wy + hy
                along = along + x * h
                across = across + y * h
                grip = grip + mu
                spread_x += x * x
        else:
            half = 0.5 * c[SPAN]
            f, fx, fy, fm = stand(c, r, X - gy * y, Y + gx * y, gx, gy, half)
            b, bx, by, bm = stand(c, r, X - gy * y, Y + gx * y, gx, gy, -half)
            w = w + 0.5 * (f + b) - c[CAM_B]
            wx = wx + 0.5 * (fx + bx)
            wy = wy + 0.5 * (fy + by)
            along = along + (f - b)
            across = across + y * 0.5 * (f + b)
            grip = grip + 0.5 * (fm + bm)
    count = ny * nx if c[METHOD] == PLANE else ny
    along = along / spread_x if c[METHOD] == PLANE else along / (ny * c[SPAN])
    if ny > 1:
        across = across / (spread_y * (nx if c[METHOD] == PLANE else 1))
    else:
        across = across * 0.0
    w = w / count
    wx = wx / count
    wy = wy / count
    sx = along * gx - across * gy
    sy = along * gy + across * gx
    return w + sx * (d0 - X) + sy * (d1 - Y), wx, wy, sx, sy, grip / count
