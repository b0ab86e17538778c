"""Functions of numbers and of dual numbers: a law that is written with them gives its derivatives exactly, without a
second law for these.

A dual number x + h d is a complex one whose imaginary part is tiny (`SEED` times the derivative): products of
derivatives vanish next to the real part, so that sums, products and quotients are those of complex numbers, and the
functions here are f(x) + h f'(x) d.  Branches and signs are those of the real part.
(Martins, Sturdza, Alonso, ACM Trans. Math. Softw. 29 (2003) 245-262: complex steps.)
"""

from __future__ import annotations

import math

from .._jit import jit, overload
from .._with_numba import with_numba

SEED = 1e-40


@with_numba
def _types():
    global types
    from numba import types


def real(x):
    """Its value, without the derivative."""
    return x.real if isinstance(x, complex) else x


def slope(x):
    """Its derivative."""
    return x.imag / SEED if isinstance(x, complex) else 0.0


def along(x, f, d):
    """The function of x with value f and derivative d there."""
    return complex(f, d * x.imag) if isinstance(x, complex) else f


@overload(real)
def _real(x):
    if isinstance(x, types.Complex):
        return lambda x: x.real
    return lambda x: x


@overload(slope)
def _slope(x):
    if isinstance(x, types.Complex):
        return lambda x: x.imag / SEED
    return lambda x: 0.0


@overload(along)
def _along(x, f, d):
    if isinstance(x, types.Complex):
        return lambda x, f, d: complex(f, d * x.imag)
    return lambda x, f, d: f


@jit
def sin(x):
    return along(x, math.sin(real(x)), math.cos(real(x)))


@jit
def cos(x):
    return along(x, math.cos(real(x)), -math.sin(real(x)))


@jit
def tan(x):
    t = math.tan(real(x))
    return along(x, t, 1.0 + t * t)


@jit
def atan(x):
    r = real(x)
    return along(x, math.atan(r), 1.0 / (1.0 + r * r))


@jit
def asin(x):
    r = real(x)
    return along(x, math.asin(r), 1.0 / math.sqrt(1.0 - r * r))


@jit
def exp(x):
    e = math.exp(real(x))
    return along(x, e, e)


@jit
def sqrt(x):
    """The root; of zero with derivative zero: the square of a dual zero is one within roundoff."""
    r = real(x)
    if -SEED < r <= 0.0:
        return x * 0.0
    s = math.sqrt(r)
    return along(x, s, 0.5 / s)


@jit
def sign(x):
    """1, -1, or 0 of zero: a number."""
    r = real(x)
    return 1.0 if r > 0.0 else (-1.0 if r < 0.0 else 0.0)


@jit
def size(x):
    """|x|"""
    return x * sign(x)


@jit
def clip(x, low, high):
    """x within bounds, which are numbers; constant beyond."""
    r = real(x)
    if r < low:
        return x * 0.0 + low
    if r > high:
        return x * 0.0 + high
    return x
