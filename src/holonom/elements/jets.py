"""Cotangents of points and vectors fixed in bodies, with their time derivatives, brought to the bodies (kernels).

A vector x fixed in a body with angular velocity w, angular acceleration al and virtual turning m (ground axes) has the
*jet*

    x' = w x x,    x'' = al x x + w x x',    x^ = m x x            (x^: its change in the virtual displacement)

and a point p = r + s the same of s, with r', r'', r^ of the centre added.  Given the cotangents c0, c1, c2, ch of
(x, x', x'', x^), those of the body are

    turn (dtheta, ground)  x x c0 + x' x c1 + x'' x c2 + x^ x ch
    spin (dw, ground)      x x c1 + x' x c2 + x x (c2 x w)

at given accelerations and virtual displacements in body axes, and that of x where it is fixed (of the position or the
direction of a marker)

    c0 + c1 x w + c2 x al + (c2 x w) x w + ch x m .

Vectors are tuples of three numbers.
"""

from __future__ import annotations

from collections import namedtuple

from .._jit import jit
from .bodies.layout import MOVES, STATE
from .vectors import cross, rotate, unrotate

Cotangents = namedtuple("Cotangents", "body place turn")
Cotangents.__doc__ = """body (12 (nb + 1)): of each body (dr, dtheta in body axes, dr', dW); place (nf, 3): of the
position of each frame in its body, in body axes; turn (nf, 3): of a rotation of each frame in its body, in body axes.
All are added to."""

SPEED, SPIN = 7, 10  # where velocities and angular velocities begin in the state of a body


@jit
def vector(a, b):
    """a x b of tuples."""
    return cross(a[0], a[1], a[2], b[0], b[1], b[2])


@jit
def plus(a, b):
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@jit
def minus(a, b):
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@jit
def times(s, a):
    return s * a[0], s * a[1], s * a[2]


@jit
def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@jit
def axis_of(A, f, k):
    """Axis k of frame f."""
    return A[f, k], A[f, 3 + k], A[f, 6 + k]


@jit
def row_of(p, f):
    return p[f, 0], p[f, 1], p[f, 2]


@jit
def turning(R, b, y, acc, nu):
    """Angular velocity, angular acceleration and virtual turning of a body in ground axes."""
    o = STATE * b + SPIN
    q = MOVES * b + 3
    return (
        rotate(R, b, y[o], y[o + 1], y[o + 2]),
        rotate(R, b, acc[q], acc[q + 1], acc[q + 2]),
        rotate(R, b, nu[q], nu[q + 1], nu[q + 2]),
    )


@jit
def jet_of(x, w, al, m):
    """x', x'', x^ of a vector fixed in a body."""
    first = vector(w, x)
    return first, plus(vector(al, x), vector(w, first)), vector(m, x)


@jit
def pull_vector(R, b, x, motion, c0, c1, c2, ch, body):
    """Add cotangents of a jet to those of the body; returns the cotangent of the vector itself, ground axes."""
    w, al, m = motion
    first, second, virtual = jet_of(x, w, al, m)
    turn = plus(plus(vector(x, c0), vector(first, c1)), plus(vector(second, c2), vector(virtual, ch)))
    cw = vector(c2, w)
    spin = plus(plus(vector(x, c1), vector(first, c2)), vector(x, cw))
    t0, t1, t2 = unrotate(R, b, turn[0], turn[1], turn[2])
    s0, s1, s2 = unrotate(R, b, spin[0], spin[1], spin[2])
    o = 12 * b
    body[o + 3] += t0
    body[o + 4] += t1
    body[o + 5] += t2
    body[o + 9] += s0
    body[o + 10] += s1
    body[o + 11] += s2
    return plus(plus(plus(c0, vector(c1, w)), plus(vector(c2, al), vector(cw, w))), vector(ch, m))


@jit
def pull_axis(fr, R, f, x, motion, c0, c1, c2, ch, out):
    """`pull_vector` of an axis of a frame; its rotation in the body follows."""
    b = fr.body[f]
    own = vector(x, pull_vector(R, b, x, motion, c0, c1, c2, ch, out.body))
    t0, t1, t2 = unrotate(R, b, own[0], own[1], own[2])
    out.turn[f, 0] += t0
    out.turn[f, 1] += t1
    out.turn[f, 2] += t2


@jit
def pull_point(fr, R, f, motion, c0, c1, c2, ch, out):
    """Cotangents of (p, p', p'', p^) of the origin of a frame."""
    b = fr.body[f]
    o = 12 * b
    for c in range(3):
        out.body[o + c] += c0[c]
        out.body[o + 6 + c] += c1[c]
    own = pull_vector(R, b, row_of(fr.s, f), motion, c0, c1, c2, ch, out.body)
    t0, t1, t2 = unrotate(R, b, own[0], own[1], own[2])
    out.place[f, 0] += t0
    out.place[f, 1] += t1
    out.place[f, 2] += t2


@jit
def point_jet(fr, f, motion, y, acc, nu):
    """p, p', p'', p^ of the origin of a frame."""
    b = fr.body[f]
    first, second, virtual = jet_of(row_of(fr.s, f), motion[0], motion[1], motion[2])
    o = STATE * b + SPEED
    q = MOVES * b
    return (
        row_of(fr.p, f),
        plus(first, (y[o], y[o + 1], y[o + 2])),
        plus(second, (acc[q], acc[q + 1], acc[q + 2])),
        plus(virtual, (nu[q], nu[q + 1], nu[q + 2])),
    )


@jit
def product_jet(a, b):
    """Jet of a . b from those of two vectors."""
    return (
        dot(a[0], b[0]),
        dot(a[1], b[0]) + dot(a[0], b[1]),
        dot(a[2], b[0]) + 2.0 * dot(a[1], b[1]) + dot(a[0], b[2]),
        dot(a[3], b[0]) + dot(a[0], b[3]),
    )


@jit
def product_cotangents(b, c0, c1, c2, ch):
    """Cotangents of the jet of a from those of a . b."""
    return (
        plus(plus(times(c0, b[0]), times(c1, b[1])), plus(times(c2, b[2]), times(ch, b[3]))),
        plus(times(c1, b[0]), times(2.0 * c2, b[1])),
        times(c2, b[0]),
        times(ch, b[0]),
    )
