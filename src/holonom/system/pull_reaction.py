"""Cotangents of the wrench of a constraint, which functionals, friction and functions read (kernels).

The wrench on a frame, times cotangents (Fbar, Tbar) in ground axes, is the virtual power - lam . G m of a displacement
m of one body, that which moves the frame by Fbar and turns it by Tbar.
"""

from __future__ import annotations

from .._jit import jit
from ..elements.bodies.layout import MOVES
from ..elements.jets import minus, plus, row_of, times, vector
from ..elements.joints.jets import pull_rows
from ..elements.vectors import rotate, unrotate
from .pull_frames import pull_frame


@jit
def displacement_of(S, W, constraint, point, Fbar, Tbar, move):
    """move (moves) <- the displacement m of the module's text; constraint: frames i, j, rows lo, hi.  Returns its
    body, translation and turning, with the sign of the body that moves."""
    i, j, lo, hi = constraint
    fr = S.fr
    own = j if fr.body[i] == S.bodies.n else i  # the frame of the body whose gradients count
    b = fr.body[own]
    sign = 1.0 if point == own else -1.0
    Fbar = times(sign, Fbar)
    Tbar = times(sign, Tbar)
    lever = plus(row_of(fr.s, own), minus(row_of(fr.p, point), row_of(fr.p, own)))
    shift = minus(Fbar, vector(Tbar, lever))
    turn = unrotate(W.R, b, Tbar[0], Tbar[1], Tbar[2])
    for c in range(move.shape[0]):
        move[c] = 0.0
    o = MOVES * b
    for c in range(3):
        move[o + c] = shift[c]
        move[o + 3 + c] = turn[c]
    return b, Tbar


@jit
def load_cotangent(S, W, constraint, b, move, lbar):
    """lbar -= G m of the rows of a constraint."""
    o = MOVES * b
    G = W.rw.G
    for r in range(constraint[2], constraint[3]):
        for q in range(S.rows.rp[r], S.rows.rp[r + 1]):
            if S.rows.slot_body[q] == b:
                for c in range(MOVES):
                    lbar[r] -= G[q, c] * move[o + c]


@jit
def pull_reaction(S, W, y, constraint, point, Fbar, Tbar, move, none, lbar, h, out):
    """Of Fbar . F + Tbar . T, the wrench of a constraint (frames i, j, rows lo, hi) on its frame ``point``, at the
    multipliers W.lam: lbar (m) and out += cotangents.  move (moves), h (12), W.plam: work; none (m): zeros."""
    fr = S.fr
    R = W.R
    b, Tbar = displacement_of(S, W, constraint, point, Fbar, Tbar, move)
    load_cotangent(S, W, constraint, b, move, lbar)
    for r in range(S.rows.m):
        W.plam[r] = 0.0
    f = (0.0, 0.0, 0.0)
    t = (0.0, 0.0, 0.0)
    for r in range(constraint[2], constraint[3]):
        W.plam[r] = -W.lam[r]
        for q in range(S.rows.rp[r], S.rows.rp[r + 1]):
            if S.rows.slot_body[q] == b:
                G = W.rw.G
                f = plus(f, times(-W.lam[r], (G[q, 0], G[q, 1], G[q, 2])))
                t = plus(t, times(-W.lam[r], (G[q, 3], G[q, 4], G[q, 5])))
    pull_rows(S, W, y, W.acc, move, none, none, none, W.plam, out)
    # the displacement itself, whose lever and axes turn with the body
    g = vector(Tbar, f)
    for c in range(12):
        h[c] = g[c] if c < 3 else 0.0
    pull_frame(fr, R, point, h, out)
    t = rotate(R, b, t[0], t[1], t[2])
    t = vector(t, Tbar)
    t = unrotate(R, b, t[0], t[1], t[2])
    for c in range(3):
        out.body[12 * b + c] -= g[c]
        out.body[12 * b + 3 + c] += t[c]
