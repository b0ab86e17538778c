"""What impulses at contacts do to a mechanism: the projected inverse mass matrix and the Delassus matrix of its
contacts.

    u+ = u + P M^-1 f,      P M^-1 = M^-1 - M^-1 G^T (G M^-1 G^T)^-1 G M^-1,      W = H P M^-1 H^T

with G, its factor and the redundant rows as they are at the last evaluation of the accelerations (Acary & Brogliato
2008, ch. 10).
"""

from __future__ import annotations

from .._handle import view_S, view_W
from .._jit import jit
from ..elements.bodies.coordinates import solve_mass
from ..elements.bodies.layout import MOVES
from ..elements.bodies.mass import add_response_of, clear_moves
from ..elements.joints.rows import multiply_G
from .projection import project_rows


@jit
def _project(S, W, z, F):
    """z (bodies.moves) <- P z; the impulses of the joints are in W.plam.  F: work."""
    for r in range(S.rows.m):
        W.plam[r] = 0.0
    multiply_G(S.rows, W.rw.G, z, W.plam)
    project_rows(S, W, W.rw.G, W.plam, W.lwork, -1.0, F)
    for c in range(S.bodies.moves):
        z[c] += F[c]


@jit(entry="Handle(Tables, Work, Explicit(Stages)), float64[::1], float64[::1], float64[::1]")
def push(handle, f, du, F):
    """du <- P M^-1 f for generalised impulses f (bodies.moves).  F (bodies.moves): work."""
    S = view_S(handle)
    W = view_W(handle)
    solve_mass(S.bodies, f, du)
    if S.rows.m > 0:
        _project(S, W, du, F)


@jit(entry="Handle(Tables, Work, Explicit(Stages)), Problem, float64[:, ::1], float64[::1], float64[::1]")
def respond(handle, Q, Wd, z, F):
    """Wd (d n, d n) <- Delassus matrix of the contacts of problem Q, contact by contact.  z, F (bodies.moves): work."""
    S = view_S(handle)
    W = view_W(handle)
    n = Q.count[0]
    d = Q.H.shape[1]
    for m in range(n):
        for e in range(d):
            clear_moves(z)
            for side in range(2):
                add_response_of(S.bodies, Q.body[m, side], Q.H[m, e], MOVES * side, z)
            if S.rows.m > 0:
                _project(S, W, z, F)
            enter_column(Q, z, Wd, d * m + e)


@jit
def enter_column(Q, z, Wd, column):
    """Column of Wd <- H z of problem Q: what velocities z (bodies.moves) are at the contacts."""
    d = Q.H.shape[1]
    for k in range(Q.count[0]):
        i = MOVES * Q.body[k, 0]
        j = MOVES * Q.body[k, 1]
        for f in range(d):
            s = 0.0
            for c in range(MOVES):
                s += Q.H[k, f, c] * z[i + c] + Q.H[k, f, MOVES + c] * z[j + c]
            Wd[d * k + f, column] = s


@jit(entry="Problem, float64[::1]")
def generalised(Q, f):
    """f (bodies.moves) <- H^T r of problem Q; ground gets what acts on it."""
    d = Q.H.shape[1]
    clear_moves(f)
    for m in range(Q.count[0]):
        for side in range(2):
            o = MOVES * Q.body[m, side]
            for e in range(d):
                for c in range(MOVES):
                    f[o + c] += Q.H[m, e, MOVES * side + c] * Q.r[m, e]
