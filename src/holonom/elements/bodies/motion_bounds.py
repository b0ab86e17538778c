"""Bounds of speed and acceleration of all bodies over the last step, for those who search for contacts inside it.

``out`` (nb + 1, BOUNDS), a row a body, ground last (zeros): `SPEED`, `ACCELERATION` bound |v| and |dv/dt|, the three
from `SPIN` and those from `SPIN_RATE` the components of w and dw/dt in the principal axes of the body, `TURN` and
`TURN_RATE` their lengths, v and w the velocities of the dense output.  They follow from its form:

- a cubic through velocities v0, v1 and accelerations a0, a1 at both ends has as derivative a quadratic whose control
  points (Bernstein's form) are a0, 3 (v1 - v0)/h - a0 - a1, a1: it lies in their convex hull, so its length is at most
  the largest of theirs;
- a sum v = v_e + sum_k Z_k p_k(t) has |dv/dt| <= sum_k |Z_k| max |p_k'|;
- where the dense output of an explicit method has not been made yet, the accelerations at its stages are samples of it;
  twice the largest is taken, and what that leaves in doubt is decided by the dense output;
- steps in the root of time, and those on minimal sets, are sampled: twice the largest slope of the velocities between a
  few states.

|v| <= |v1| + h max |dv/dt|, and so for each component of w.
"""

from __future__ import annotations

import math

from ..._jit import jit
from .coupled import bound_nodes, note_cubic, note_series, note_stages
from .layout import ACCELERATION_BOUND, BOUNDS, MOVES, SPEED_BOUND, STATE, TURN_BOUND, TURN_RATE_BOUND

SPEED, ACCELERATION, SPIN, SPIN_RATE, TURN, TURN_RATE = (
    SPEED_BOUND,
    ACCELERATION_BOUND,
    2,
    5,
    TURN_BOUND,
    TURN_RATE_BOUND,
)
SPEEDS = 7  # where velocities begin in the state of a body
NOISE = 1e-6  # of the largest component of a body's angular acceleration: the others count for as much at least


@jit(entry="Bodies, float64[::1], float64, float64[:, ::1]")
def finish_bounds(bodies, y1, h, out):
    """Speeds, lengths, the row of ground and those of nodes, from bounds of the accelerations over a step of size h
    that ends at y1."""
    for c in range(BOUNDS):
        out[bodies.n, c] = 0.0
    for i in range(bodies.n):
        o = STATE * i + SPEEDS
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
    bound_nodes(bodies, y1, h, out)


@jit(entry="Bodies, float64[::1], float64[::1], float64[::1], float64[::1], float64, float64[:, ::1]")
def bound_cubic(bodies, y0, y1, a0, a1, h, out):
    """Velocities that are a cubic over the step between the states y0 and y1 with accelerations a0, a1 at its ends."""
    for i in range(bodies.n):
        first = middle = last = 0.0
        for c in range(MOVES):
            o = STATE * i + SPEEDS + c
            a = a0[MOVES * i + c]
            b = a1[MOVES * i + c]
            d = 3.0 * (y1[o] - y0[o]) / h - a - b
            if c < 3:
                first += a * a
                middle += d * d
                last += b * b
            else:
                out[i, SPIN_RATE + c - 3] = max(abs(a), abs(d), abs(b))
        out[i, ACCELERATION] = math.sqrt(max(first, middle, last))
    note_cubic(bodies, y0, y1, a0, a1, h)
    finish_bounds(bodies, y1, h, out)


@jit(entry="Bodies, float64[:, ::1], int64, int64, float64[::1], float64[::1], float64, float64[:, ::1]")
def bound_series(bodies, Z, first, count, slope, y1, h, out):
    """Velocities that are a sum of rows ``first`` .. of Z (.., ny), each times a function whose rate is at most
    slope[k]."""
    for i in range(bodies.n):
        o = STATE * i + SPEEDS
        a = b = c = d = 0.0
        for k in range(count):
            z = Z[first + k]
            a += slope[k] * math.sqrt(z[o] ** 2 + z[o + 1] ** 2 + z[o + 2] ** 2)
            b += slope[k] * abs(z[o + 3])
            c += slope[k] * abs(z[o + 4])
            d += slope[k] * abs(z[o + 5])
        out[i, ACCELERATION] = a
        out[i, SPIN_RATE], out[i, SPIN_RATE + 1], out[i, SPIN_RATE + 2] = b, c, d
    note_series(bodies, Z, first, count, slope)
    finish_bounds(bodies, y1, h, out)


@jit(entry="Bodies, float64[:, ::1], int64, float64[::1], float64, float64, float64[:, ::1]")
def bound_stages(bodies, K, stages, y1, h, factor, out):
    """Rates at stages (rows of K): ``factor`` times the largest."""
    for i in range(bodies.n):
        o = STATE * i + SPEEDS
        a = b = c = d = 0.0
        for s in range(stages):
            z = K[s]
            a = max(a, z[o] ** 2 + z[o + 1] ** 2 + z[o + 2] ** 2)
            b = max(b, abs(z[o + 3]))
            c = max(c, abs(z[o + 4]))
            d = max(d, abs(z[o + 5]))
        out[i, ACCELERATION] = factor * math.sqrt(a)
        out[i, SPIN_RATE], out[i, SPIN_RATE + 1], out[i, SPIN_RATE + 2] = factor * b, factor * c, factor * d
    note_stages(bodies, K, stages, factor)
    finish_bounds(bodies, y1, h, out)


@jit(entry="Bodies, float64[:, ::1], float64[::1], float64, float64, float64[:, ::1]")
def bound_changes(bodies, y, y1, h, scale, out):
    """States (rows of y) along a step of size h that ends at y1: ``scale`` times the largest changes of the velocities
    from one to the next."""
    for i in range(bodies.n):
        out[i, ACCELERATION] = out[i, SPIN_RATE] = out[i, SPIN_RATE + 1] = out[i, SPIN_RATE + 2] = 0.0
        for k in range(1, y.shape[0]):
            travel = 0.0
            for c in range(MOVES):
                o = STATE * i + SPEEDS + c
                change = y[k, o] - y[k - 1, o]
                if c < 3:
                    travel += change * change
                    continue
                q = SPIN_RATE + c - 3
                size = abs(change)
                if size > out[i, q] or size != size:  # no number stays
                    out[i, q] = size
            if travel > out[i, ACCELERATION] or travel != travel:
                out[i, ACCELERATION] = travel
        out[i, ACCELERATION] = math.sqrt(out[i, ACCELERATION]) * scale
        for c in range(3):
            out[i, SPIN_RATE + c] *= scale
    finish_bounds(bodies, y1, h, out)


@jit(entry="float64[:, ::1], float64[:, ::1], float64, float64")
def grown(new, old, rate, speed):
    """Is any bound of ``new`` above ``rate`` times (accelerations) or ``speed`` times (speeds) that of ``old``?  True
    for a value that is not a number."""
    for i in range(new.shape[0]):
        for c in range(TURN):
            if not (new[i, c] <= (rate if c == ACCELERATION or c >= SPIN_RATE else speed) * old[i, c]):
                return True
    return False
