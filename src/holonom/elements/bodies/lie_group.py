"""Steps of all bodies on their Lie group by accelerations: R3 x SO(3), where v = (r', W), or SE(3), where v = (A^T r',
W) and a step is a screw motion.

Bruls, Cardona, Arnold, Mech. Mach. Theory 48 (2012) 121.  With accelerations a0, a1 of the group at both ends of a step
h

    q1 = q0 o exp(h v0 + h^2 (b0 a0 + b1 a1) - d),      v1 = v0 + h (g0 a0 + g1 a1)

turn, slide (3 n): rotation and translation of the step in the group; the second is of use in SE(3) only.
"""

from __future__ import annotations

from ..._jit import jit
from ..vectors import cross, turn_quaternion
from .attitudes import inverse_tangent, tangent, to_body, to_ground
from .coordinates import tail_of
from .dense import copy_ground
from .layout import MOVES, STATE


@jit
def step_by_accelerations(bodies, y0, a0, a1, d, h, weights, screw, turn, slide, y, acc):
    """y <- end of the step from y0, see above; b0, b1, g0, g1: times h.  acc (true accelerations of the group) become
    those of r' and W."""
    b0, b1, g0, g1 = weights
    for i in range(bodies.n):
        k = STATE * i
        f = MOVES * i
        s = 3 * i
        for c in range(4):
            y[k + 3 + c] = y0[k + 3 + c]
        for c in range(3):
            turn[s + c] = h * (y0[k + 10 + c] + b0 * a0[f + 3 + c] + b1 * a1[f + 3 + c]) - d[f + 3 + c]
            y[k + 10 + c] = y0[k + 10 + c] + g0 * a0[f + 3 + c] + g1 * a1[f + 3 + c]
        turn_quaternion(y, k + 3, turn[s], turn[s + 1], turn[s + 2])
        if not screw:
            for c in range(3):
                y[k + c] = y0[k + c] + h * (y0[k + 7 + c] + b0 * a0[f + c] + b1 * a1[f + c]) - d[f + c]
                y[k + 7 + c] = y0[k + 7 + c] + g0 * a0[f + c] + g1 * a1[f + c]
            continue
        u0, u1, u2 = to_body(y0, k + 3, y0[k + 7], y0[k + 8], y0[k + 9])
        slide[s] = h * (u0 + b0 * a0[f] + b1 * a1[f]) - d[f]
        slide[s + 1] = h * (u1 + b0 * a0[f + 1] + b1 * a1[f + 1]) - d[f + 1]
        slide[s + 2] = h * (u2 + b0 * a0[f + 2] + b1 * a1[f + 2]) - d[f + 2]
        x0, x1, x2 = tangent(-turn[s], -turn[s + 1], -turn[s + 2], slide[s], slide[s + 1], slide[s + 2])
        x0, x1, x2 = to_ground(y0, k + 3, x0, x1, x2)
        y[k] = y0[k] + x0
        y[k + 1] = y0[k + 1] + x1
        y[k + 2] = y0[k + 2] + x2
        u0 += g0 * a0[f] + g1 * a1[f]
        u1 += g0 * a0[f + 1] + g1 * a1[f + 1]
        u2 += g0 * a0[f + 2] + g1 * a1[f + 2]
        y[k + 7], y[k + 8], y[k + 9] = to_ground(y, k + 3, u0, u1, u2)
        c0, c1, c2 = cross(y[k + 10], y[k + 11], y[k + 12], u0, u1, u2)
        acc[f], acc[f + 1], acc[f + 2] = to_ground(y, k + 3, acc[f] + c0, acc[f + 1] + c1, acc[f + 2] + c2)
    copy_ground(bodies, y0, y)
    f, q, v = tail_of(bodies)
    for i in range(bodies.tail):
        y[q + i] = y0[q + i] + h * (y0[v + i] + b0 * a0[f + i] + b1 * a1[f + i]) - d[f + i]
        y[v + i] = y0[v + i] + g0 * a0[f + i] + g1 * a1[f + i]


@jit(entry="Bodies, float64[::1], float64[::1], float64[::1]")
def screw_rates(bodies, y, acc, vd):
    """vd <- accelerations of SE(3), A^T r'' - W x A^T r' and W', from acc = (r'', W')."""
    for i in range(bodies.n):
        k = STATE * i
        f = MOVES * i
        u0, u1, u2 = to_body(y, k + 3, y[k + 7], y[k + 8], y[k + 9])
        c0, c1, c2 = cross(y[k + 10], y[k + 11], y[k + 12], u0, u1, u2)
        a0, a1, a2 = to_body(y, k + 3, acc[f], acc[f + 1], acc[f + 2])
        vd[f] = a0 - c0
        vd[f + 1] = a1 - c1
        vd[f + 2] = a2 - c2
        for c in range(3, MOVES):
            vd[f + c] = acc[f + c]
    k = tail_of(bodies)[0]
    for i in range(k, k + bodies.tail):
        vd[i] = acc[i]


@jit
def to_screw(bodies, y, d):
    """Translations of d, in ground axes, become those of SE(3), in body axes."""
    for i in range(bodies.n):
        b = MOVES * i
        d[b], d[b + 1], d[b + 2] = to_body(y, STATE * i + 3, d[b], d[b + 1], d[b + 2])


@jit
def add_step_correction(bodies, d, y, turn, slide, screw, f, a1):
    """a1 += f times the change of the step in the group when its end y is moved by the small d; of a screw to first
    order beyond the rotation: v + t x v/2 + u x d/2."""
    for i in range(bodies.n):
        b = MOVES * i
        r0 = d[b]
        r1 = d[b + 1]
        r2 = d[b + 2]
        d0 = d[b + 3]
        d1 = d[b + 4]
        d2 = d[b + 5]
        t0 = turn[3 * i]
        t1 = turn[3 * i + 1]
        t2 = turn[3 * i + 2]
        w0, w1, w2 = inverse_tangent(t0, t1, t2, d0, d1, d2)
        if screw:
            r0, r1, r2 = to_body(y, STATE * i + 3, r0, r1, r2)
            r0, r1, r2 = inverse_tangent(t0, t1, t2, r0, r1, r2)
            c0, c1, c2 = cross(slide[3 * i], slide[3 * i + 1], slide[3 * i + 2], d0, d1, d2)
            r0 += 0.5 * c0
            r1 += 0.5 * c1
            r2 += 0.5 * c2
        a1[b] += f * r0
        a1[b + 1] += f * r1
        a1[b + 2] += f * r2
        a1[b + 3] += f * w0
        a1[b + 4] += f * w1
        a1[b + 5] += f * w2
    k = tail_of(bodies)[0]
    for i in range(k, k + bodies.tail):
        a1[i] += f * d[i]


@jit
def widen_mass(bodies, y, acc, turn, slide, aa, au, block, data):
    """data += what M r'' of SE(3), r'' = A (V' + W x V), has over that of R3 x SO(3), in units of aa; ``block`` (n,
    18): places of the rows of dr of each body, three by six.  Accelerations change by aa, velocities by au times a
    change of the step."""
    for i in range(bodies.n):
        k = STATE * i + 3
        s = 3 * i
        u0, u1, u2 = to_body(y, k, y[k + 4], y[k + 5], y[k + 6])
        a0, a1, a2 = to_body(y, k, acc[MOVES * i], acc[MOVES * i + 1], acc[MOVES * i + 2])
        for c in range(MOVES if bodies.rotates[i] else 3):
            e0 = 1.0 if c % 3 == 0 else 0.0
            e1 = 1.0 if c % 3 == 1 else 0.0
            e2 = 1.0 if c % 3 == 2 else 0.0
            if c < 3:
                x0, x1, x2 = to_body(y, k, e0, e1, e2)
                n0, n1, n2 = inverse_tangent(turn[s], turn[s + 1], turn[s + 2], x0, x1, x2)
                b0, b1, b2 = cross(y[k + 7], y[k + 8], y[k + 9], n0, n1, n2)
                n0 = aa * n0 + au * b0
                n1 = aa * n1 + au * b1
                n2 = aa * n2 + au * b2
            else:
                x0, x1, x2 = cross(slide[s], slide[s + 1], slide[s + 2], e0, e1, e2)
                b0, b1, b2 = cross(y[k + 7], y[k + 8], y[k + 9], x0, x1, x2)
                n0 = 0.5 * (aa * x0 + au * b0)
                n1 = 0.5 * (aa * x1 + au * b1)
                n2 = 0.5 * (aa * x2 + au * b2)
                x0, x1, x2 = inverse_tangent(turn[s], turn[s + 1], turn[s + 2], e0, e1, e2)
                b0, b1, b2 = cross(x0, x1, x2, u0, u1, u2)
                x0, x1, x2 = cross(e0, e1, e2, a0, a1, a2)
                n0 += au * b0 + x0
                n1 += au * b1 + x1
                n2 += au * b2 + x2
            n0, n1, n2 = to_ground(y, k, n0, n1, n2)
            f = bodies.mass[i] / aa
            data[block[i, c]] += f * n0
            data[block[i, 6 + c]] += f * n1
            data[block[i, 12 + c]] += f * n2
            if c < 3:
                data[block[i, 7 * c]] -= bodies.mass[i]
