"""Roads of formulas: flat, plank and pothole, sine, chirp, drum.

PLANK    height between start and start + length, rising over ``bevel`` at both ends (a pothole: height < 0), between
``right`` and ``left`` (y) SINE     amplitude sin(2 pi (x - start) / wavelength) from start to end
CHIRP    amplitude sin(phi), wavelength from ``wavelength`` to ``wavelength_end`` in a straight line from start to end:
phi = 2 pi int dx / lambda(x) DRUM     sqrt(radius^2 - x^2) - radius, the crown of a drum below the marker
"""

from __future__ import annotations

import math

from ..._jit import jit
from ..duals import along, clip, cos, real, sin, sqrt
from .friction import SHAPE, friction


@jit
def log(x):
    r = real(x)
    return along(x, math.log(r), 1.0 / r)


@jit(entry="float64[::1], float64, float64")
def flat(r, X, Y):
    zero = X * 0.0 + Y * 0.0
    return zero, zero, zero, friction(r, X, Y)


@jit
def ramp(x, low, high, bevel):
    """Share of the height and its slope."""
    zero = x * 0.0
    t = real(x)
    if t <= low or t >= high:
        return zero, zero
    if t < low + bevel:
        return (x - low) / bevel, zero + 1.0 / bevel
    if t > high - bevel:
        return (high - x) / bevel, zero - 1.0 / bevel
    return zero + 1.0, zero


@jit(entry="float64[::1], float64, float64")
def plank(r, X, Y):
    """start, end, height, bevel, right, left"""
    o = int(r[SHAPE])
    s, d = ramp(X, r[o], r[o + 1], r[o + 3])
    zero = X * 0.0 + Y * 0.0
    if not r[o + 4] <= real(Y) <= r[o + 5]:
        return zero, zero, zero, friction(r, X, Y)
    return r[o + 2] * s + zero, r[o + 2] * d + zero, zero, friction(r, X, Y)


@jit(entry="float64[::1], float64, float64")
def sine(r, X, Y):
    """start, end, amplitude, wavelength, phase"""
    o = int(r[SHAPE])
    zero = X * 0.0 + Y * 0.0
    k = 2.0 * math.pi / r[o + 3]
    x = clip(X, r[o], r[o + 1])
    p = k * (x - r[o]) + r[o + 4]
    slope = r[o + 2] * k * cos(p) if r[o] < real(X) < r[o + 1] else zero
    return r[o + 2] * sin(p) + zero, slope + zero, zero, friction(r, X, Y)


@jit(entry="float64[::1], float64, float64")
def chirp(r, X, Y):
    """start, end, amplitude, amplitude at the end, wavelength, wavelength at the end"""
    o = int(r[SHAPE])
    zero = X * 0.0 + Y * 0.0
    span = r[o + 1] - r[o]
    x = clip(X, r[o], r[o + 1]) - r[o]
    rate = (r[o + 5] - r[o + 4]) / span
    grow = (r[o + 3] - r[o + 2]) / span
    length = r[o + 4] + rate * x
    size = r[o + 2] + grow * x
    p = 2.0 * math.pi * (x / r[o + 4] if abs(rate) < 1e-12 else log(length / r[o + 4]) / rate)
    slope = grow * sin(p) + size * cos(p) * (2.0 * math.pi / length) if r[o] < real(X) < r[o + 1] else zero
    return size * sin(p) + zero, slope + zero, zero, friction(r, X, Y)


@jit(entry="float64[::1], float64, float64")
def drum(r, X, Y):
    """radius"""
    o = int(r[SHAPE])
    most = 0.9 * r[o]
    zero = X * 0.0 + Y * 0.0
    x = clip(X, -most, most)
    q = sqrt(r[o] * r[o] - x * x)
    slope = -x / q if abs(real(X)) < most else zero
    return q - r[o] + zero, slope + zero, zero, friction(r, X, Y)
