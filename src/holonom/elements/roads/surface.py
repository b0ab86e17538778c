"""The plane that a tyre sees of a road: of one point, averaged over its footprint, or enveloped by cams.

A road is a law (X, Y) -> h, dh/dX, dh/dY, mu over the plane of its marker, called through its address; flat roads have
none.  What the tyre sees is a height w over the point (X, Y) below it, with slopes (s_x, s_y) and a friction mu:

    POINT        the height and the slopes at (X, Y)
    PLANE        least squares over ``nx`` by ``ny`` points of a footprint ``length`` by ``width`` along and across the
        heading: mean and slopes
    ENVELOPING   two elliptical cams |x / a|^c + |z / b|^c = 1 with distance l_s stand on the road: w = (Z_f + Z_r) / 2
        - b, slope (Z_f - Z_r) / l_s along the
                 heading, where Z = max (h(x) + b (1 - |x / a|^c)^(1/c)) over the cam, sought from ``nx`` points of it
                     on; ``ny`` such pairs side by side over the
                 width give their mean and the slope across (A. J. C. Schmeitz, A Semi-Empirical Three-Dimensional Model
                     of the Pneumatic Tyre Rolling over
                 Arbitrarily Uneven Road Surfaces, Delft (2004); Pacejka, Tire and Vehicle Dynamics (2012), 10.1.6)

Derivatives are those of dual numbers.  A cam touches where the slopes of road and cam cancel, or at an edge; it goes up
by the slope of the cam there, which an edge has too.
"""

from __future__ import annotations

import math

from ..._jit import jit, overload
from ..._with_numba import Signature, with_numba
from ..duals import SEED, real, slope, sqrt

LEVELS = 8  # times that the touching point of a cam is sought four times nearer
ENDS = 0.98  # of a cam's half length: beyond, it is as good as upright
#: the numbers of a tyre, before those of its law (from c[LAW_AT]) and of its road (from c[ROAD_AT]); addresses first,
#: zero where there is none
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

ROAD_REAL = Signature("4 * float64", "float64[::1], float64, float64")
ROAD_DUALS = Signature("4 * complex128", "float64[::1], complex128, complex128")


@with_numba
def _calls():
    global types, _road, _road_dual
    from numba import types

    from ..._address import caller

    _road, _road_dual = caller(*ROAD_REAL), caller(*ROAD_DUALS)


def ask(c, r, X, Y):
    """h, dh/dX, dh/dY, mu of the road at a position."""
    raise NotImplementedError  # a kernel's only


@overload(ask)
def _ask(c, r, X, Y):
    if isinstance(X, types.Complex) or isinstance(Y, types.Complex):
        return lambda c, r, X, Y: _road_dual(int(c[ROAD_DUAL]), (r, X, Y))
    return lambda c, r, X, Y: _road(int(c[ROAD]), (r, X, Y))


@jit
def cam(c, x):
    """Half the height of a cam at x."""
    q = abs(x) / c[CAM_A]
    return c[CAM_B] * (1.0 - q ** c[CAM_ORDER]) ** (1.0 / c[CAM_ORDER]) if q < 1.0 else 0.0


@jit
def cam_slope(c, x):
    """Its slope at x, and the slope of that; inside of its ends."""
    n = c[CAM_ORDER]
    q = max(abs(x) / c[CAM_A], 1e-9)
    left = 1.0 - q**n
    side = 1.0 if x >= 0.0 else -1.0
    first = -side * c[CAM_B] / c[CAM_A] * q ** (n - 1.0) * left ** (1.0 / n - 1.0)
    second = -c[CAM_B] / c[CAM_A] ** 2 * (n - 1.0) * q ** (n - 2.0) * left ** (1.0 / n - 2.0)
    return first, second


@jit
def climb(c, r, X, Y, gx, gy, where, best, step):
    """The highest position near ``where``, which stands at ``best``, within ``step``; and how high it is."""
    for _ in range(LEVELS):
        step *= 0.25
        middle = where
        for i in range(-3, 4):
            x = middle + i * step
            if i != 0 and abs(x) < c[CAM_A]:
                z = ask(c, r, X + gx * x, Y + gy * x)[0] + cam(c, x)
                if z > best:
                    best, where = z, x
    return where, best


@jit(apart=True)
def touching(c, r, X, Y, gx, gy):
    """Where along it a cam with its centre at (X, Y), heading g, touches the road: near those of ``nx`` points where it
    would stand higher than at both neighbours."""
    n = int(c[NX])
    step = 2.0 * c[CAM_A] / (n - 1)
    best, where = -math.inf, 0.0
    before, here = -math.inf, ask(c, r, X - gx * c[CAM_A], Y - gy * c[CAM_A])[0] + cam(c, -c[CAM_A])
    for i in range(n):
        x = i * step - c[CAM_A]
        after = -math.inf
        if i < n - 1:
            after = ask(c, r, X + gx * (x + step), Y + gy * (x + step))[0] + cam(c, x + step)
        if here >= before and here >= after:
            at, high = climb(c, r, X, Y, gx, gy, x, here, step)
            if high > best:
                best, where = high, at
        before, here = here, after
    step *= 0.25**LEVELS
    if abs(where) < ENDS * c[CAM_A]:
        # between the neighbours the slopes of road and cam cancel
        low, high = where - step, where + step
        o, f, g, _ = ask(c, r, X + gx * low, Y + gy * low)
        below = f * gx + g * gy + cam_slope(c, low)[0]
        o, f, g, _ = ask(c, r, X + gx * high, Y + gy * high)
        above = f * gx + g * gy + cam_slope(c, high)[0]
        if below > 0.0 > above:
            where = low + 2.0 * step * below / (below - above)
    return where


@jit
def bent(along, turned):
    """A dual slope of a cam that rolls over a curved road: of springs in series, one that goes with the cam and one
    that stays on the road."""
    a, b = slope(along), slope(turned)
    return complex(real(turned), SEED * (a * b / (a + b) if a + b != 0.0 else 0.0))


def series(along, turned):
    """`bent` of dual slopes; of numbers the second."""
    raise NotImplementedError  # a kernel's only


@overload(series)
def _series(along, turned):
    if isinstance(turned, types.Complex):
        return lambda along, turned: bent(along, turned)
    return lambda along, turned: turned


@jit
def stand(c, r, X, Y, gx, gy, at):
    """How high a cam with its centre at (X, Y) + at (gx, gy) is above the road's zero, with its own half height;
    the slopes of that by (X, Y), and mu where it touches.  Its derivatives are those of a cam that rolls on: it keeps
    its point of the road along the heading."""
    x, y = X + gx * at, Y + gy * at
    where = touching(c, r, real(x), real(y), real(gx), real(gy))
    h, hx, hy, mu = ask(c, r, x + gx * where, y + gy * where)
    if abs(where) >= ENDS * c[CAM_A]:
        return h + cam(c, where), hx, hy, mu
    first, second = cam_slope(c, where)
    # how far the cam moves along its heading while the point stays, and its slope after that
    moved = (x - real(x)) * gx + (y - real(y)) * gy
    along = hx * gx + hy * gy
    turned = -first + second * moved
    rise = series(along, turned)
    across = hy * gx - hx * gy
    stays = h - along * moved - real(first) * moved
    return stays + cam(c, where), rise * gx - across * gy, rise * gy + across * gx, mu


@jit(apart=True)
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
