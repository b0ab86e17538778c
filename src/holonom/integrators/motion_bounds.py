"""Bounds of speed and acceleration of all bodies over the last step, for those who look for contacts inside it.

``out`` (nb + 1, BOUNDS), a row a body, ground last (zeros): `SPEED`, `ACCELERATION` bound |v| and |dv/dt|, the three from `SPIN` and those from
`SPIN_RATE` the components of w and dw/dt in the principal axes of the body, `TURN` and `TURN_RATE` their lengths, v and w the velocities of the dense
output.  They follow from its form:

- a cubic through velocities v0, v1 and accelerations a0, a1 at both ends has as derivative a quadratic whose control points (Bernstein's
  form) are a0, 3 (v1 - v0)/h - a0 - a1, a1: it lies in their convex hull, so its length is at most the largest of theirs;
- a sum v = v_e + sum_k Z_k p_k(t) has |dv/dt| <= sum_k |Z_k| max |p_k'|;
- where the dense output of an explicit method has not been made yet, the accelerations at its stages are samples of it; twice
  the largest is taken, and what that leaves in doubt is decided by the dense output;
- steps in the root of time, and those on minimal sets, are sampled: twice the largest slope of the velocities between `SAMPLED` states.

|v| <= |v1| + h max |dv/dt|, and so for each component of w.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .._jit import jit

SPEED, ACCELERATION, SPIN, SPIN_RATE, TURN, TURN_RATE = 0, 1, 2, 5, 8, 9
BOUNDS = 10
SAMPLED = 5
DOUBT = 2.0  # of samples: the largest between them may be so many times the largest of them
NOISE = 1e-6  # of the largest component of a body's angular acceleration: the others count for as much at least


@jit
def _finish(n, y1, h, out):
    for c in range(BOUNDS):
        out[n, c] = 0.0
    for i in range(n):
        o = 13 * i + 7
        b = out[i]
        b[SPEED] = math.sqrt(y1[o] ** 2 + y1[o + 1] ** 2 + y1[o + 2] ** 2) + h * b[ACCELERATION]
        most = NOISE * max(b[SPIN_RATE], b[SPIN_RATE + 1], b[SPIN_RATE + 2])
        for c in range(3):
            b[SPIN_RATE + c] = max(b[SPIN_RATE + c], most)
            b[SPIN + c] = abs(y1[o + 3 + c]) + h * b[SPIN_RATE + c]
        for c in range(TURN):
            if not b[c] < 1e300:  # no number bounds nothing
                b[c] = math.inf
        b[TURN] = math.sqrt(b[SPIN] ** 2 + b[SPIN + 1] ** 2 + b[SPIN + 2] ** 2)
        b[TURN_RATE] = math.sqrt(b[SPIN_RATE] ** 2 + b[SPIN_RATE + 1] ** 2 + b[SPIN_RATE + 2] ** 2)


@jit
def bound_cubic(n, y0, y1, a0, a1, h, out):
    """Velocities that are a cubic over the step from y0 to y1 (13 a body) with accelerations a0, a1 (6 a body) at its ends."""
    for i in range(n):
        first = middle = last = 0.0
        for c in range(6):
            o = 13 * i + 7 + c
            a = a0[6 * i + c]
            b = a1[6 * i + c]
            d = 3.0 * (y1[o] - y0[o]) / h - a - b
            if c < 3:
                first += a * a
                middle += d * d
                last += b * b
            else:
                out[i, SPIN_RATE + c - 3] = max(abs(a), abs(d), abs(b))
        out[i, ACCELERATION] = math.sqrt(max(first, middle, last))
    _finish(n, y1, h, out)


@jit
def bound_series(n, Z, first, count, slope, y1, h, out):
    """Velocities that are a sum of rows ``first`` .. of Z (.., 13 a body), each times a function whose rate is at most slope[k]."""
    for i in range(n):
        o = 13 * i + 7
        a = b = c = d = 0.0
        for k in range(count):
            z = Z[first + k]
            a += slope[k] * math.sqrt(z[o] ** 2 + z[o + 1] ** 2 + z[o + 2] ** 2)
            b += slope[k] * abs(z[o + 3])
            c += slope[k] * abs(z[o + 4])
            d += slope[k] * abs(z[o + 5])
        out[i, ACCELERATION] = a
        out[i, SPIN_RATE], out[i, SPIN_RATE + 1], out[i, SPIN_RATE + 2] = b, c, d
    _finish(n, y1, h, out)


@jit
def bound_stages(n, K, stages, y1, h, factor, out):
    """Rates at stages (rows of K, 13 a body): ``factor`` times the largest."""
    for i in range(n):
        o = 13 * i + 7
        a = b = c = d = 0.0
        for s in range(stages):
            z = K[s]
            a = max(a, z[o] ** 2 + z[o + 1] ** 2 + z[o + 2] ** 2)
            b = max(b, abs(z[o + 3]))
            c = max(c, abs(z[o + 4]))
            d = max(d, abs(z[o + 5]))
        out[i, ACCELERATION] = factor * math.sqrt(a)
        out[i, SPIN_RATE], out[i, SPIN_RATE + 1], out[i, SPIN_RATE + 2] = factor * b, factor * c, factor * d
    _finish(n, y1, h, out)


@jit
def grown(new, old, rate, speed):
    """Is any bound of ``new`` above ``rate`` times (accelerations) or ``speed`` times (speeds) that of ``old``?  True for what is no number."""
    for i in range(new.shape[0]):
        for c in range(TURN):
            if not (new[i, c] <= (rate if c == ACCELERATION or c >= SPIN_RATE else speed) * old[i, c]):
                return True
    return False


def dense_slopes() -> np.ndarray:
    """max |phi_k'| over (0, 1) of the functions x, x (1-x), x^2 (1-x), x^2 (1-x)^2, ... of `runge_kutta.interpolate`."""
    x, both = np.polynomial.Polynomial([0.0, 1.0]), [np.polynomial.Polynomial([1.0, -1.0]), np.polynomial.Polynomial([0.0, 1.0])]
    phi, out = x, []
    for k in range(7):
        slope = phi.deriv()
        places = [0.0, 1.0, *(r.real for r in slope.deriv().roots() if abs(r.imag) < 1e-9 and 0.0 < r.real < 1.0)]
        out.append(max(abs(slope(p)) for p in places) * (1.0 + 1e-9))
        phi = phi * both[k % 2]
    return np.array(out)


def bound_samples(stepper: Any, out: np.ndarray) -> None:
    """Any stepper: from states inside its last step."""
    n, h = stepper.system.nb, stepper.h_done
    times = stepper.t_old + h * np.linspace(0.0, 1.0, SAMPLED)
    y = np.zeros((SAMPLED, len(stepper.y)))
    for t, row in zip(times, y):
        stepper.interpolate(t if t < stepper.t else stepper.t, row)
    v = y[:, : 13 * n].reshape(SAMPLED, n, 13)[:, :, 7:]
    slopes = np.diff(v, axis=0) * (DOUBT * (SAMPLED - 1) / h)
    out[:n, ACCELERATION] = np.linalg.norm(slopes[:, :, :3], axis=2).max(axis=0)
    out[:n, SPIN_RATE:TURN] = np.abs(slopes[:, :, 3:]).max(axis=0)
    _finish(n, stepper.y, h, out)
