"""Cotangents of frames, and of the virtual displacement of frames, to bodies and to positions and directions of
markers (kernels)."""

from __future__ import annotations

from .._jit import jit
from ..elements.bodies.layout import MOVES
from ..elements.frames import pull_back
from ..elements.jets import plus, row_of, vector
from ..elements.vectors import rotate, unrotate


@jit
def any_of(x):
    """Whether a number of an array is not zero."""
    for c in range(x.shape[0]):
        if x[c] != 0.0:
            return True
    return False


@jit
def pull_frame(fr, R, f, h, out):
    """Covector h (12: dp, dtheta, dv, dw) on a frame, to its body and to its place and direction there."""
    pull_back(fr, R, f, h, 0, out.body, 12 * fr.body[f])
    b = fr.body[f]
    c = plus((h[0], h[1], h[2]), vector((h[6], h[7], h[8]), row_of(fr.w, f)))
    p0, p1, p2 = unrotate(R, b, c[0], c[1], c[2])
    t0, t1, t2 = unrotate(R, b, h[3], h[4], h[5])
    out.place[f, 0] += p0
    out.place[f, 1] += p1
    out.place[f, 2] += p2
    out.turn[f, 0] += t0
    out.turn[f, 1] += t1
    out.turn[f, 2] += t2


@jit
def virtual_turn(R, b, nu):
    o = MOVES * b + 3
    return rotate(R, b, nu[o], nu[o + 1], nu[o + 2])


@jit
def virtual_of(fr, R, f, nu):
    """Virtual displacement and turning of a frame, ground axes."""
    b = fr.body[f]
    m = virtual_turn(R, b, nu)
    o = MOVES * b
    return plus((nu[o], nu[o + 1], nu[o + 2]), vector(m, row_of(fr.s, f))), m


@jit
def pull_lever(fr, R, f, m, F, T, out):
    """What the turning of the body adds through the virtual displacement of a frame with force F and torque T."""
    b = fr.body[f]
    s = row_of(fr.s, f)
    turn = plus(vector(vector(m, s), F), vector(m, T))
    t0, t1, t2 = unrotate(R, b, turn[0], turn[1], turn[2])
    o = 12 * b + 3
    out.body[o] += t0
    out.body[o + 1] += t1
    out.body[o + 2] += t2
    c = vector(F, m)
    p0, p1, p2 = unrotate(R, b, c[0], c[1], c[2])
    out.place[f, 0] += p0
    out.place[f, 1] += p1
    out.place[f, 2] += p2
