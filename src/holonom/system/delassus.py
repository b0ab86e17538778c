"""What impulses at contacts do to a mechanism: the projected inverse mass matrix and the Delassus matrix of its contacts.

    u+ = u + P M^-1 f,      P M^-1 = M^-1 - M^-1 G^T (G M^-1 G^T)^-1 G M^-1,      W = H P M^-1 H^T

with G, its factor and the redundant rows as they are at the last evaluation of the accelerations (Acary & Brogliato 2008, ch. 10).
"""

from __future__ import annotations

from .._handle import view_S, view_W
from .._jit import jit
from ..elements.joints.rows import add_GT, multiply_G
from ..linalg.ldl import ldl_solve


@jit
def _project(S, W, z, F):
    """z (6 nb + 6) <- P z; the impulses of the joints are in W.plam.  F: work."""
    n = S.bodies.n
    for r in range(S.rows.m):
        W.plam[r] = 0.0
    multiply_G(S.rows, W.rw.G, z, W.plam)
    ldl_solve(S.ldl, W.Lx, W.Di, W.plam, W.lwork)
    for c in range(6 * n + 6):
        F[c] = 0.0
    add_GT(S.rows, W.rw.G, W.plam, F, -1.0)
    for i in range(n):
        for c in range(6):
            z[6 * i + c] += F[6 * i + c] * S.bodies.Minv[i, c]


@jit
def push(handle, f, du, F):
    """du <- P M^-1 f for generalised impulses f (6 nb + 6).  F (6 nb + 6): work."""
    S = view_S(handle)
    W = view_W(handle)
    n = S.bodies.n
    for i in range(n):
        for c in range(6):
            du[6 * i + c] = f[6 * i + c] * S.bodies.Minv[i, c]
    for c in range(6 * n, 6 * n + 6):
        du[c] = 0.0
    if S.rows.m > 0:
        _project(S, W, du, F)


@jit
def respond(handle, Q, Wd, z, F):
    """Wd (d n, d n) <- Delassus matrix of the contacts of problem Q, contact by contact.  z, F (6 nb + 6): work."""
    S = view_S(handle)
    W = view_W(handle)
    n = Q.count[0]
    d = Q.H.shape[1]
    for m in range(n):
        for e in range(d):
            for c in range(z.shape[0]):
                z[c] = 0.0
            for side in range(2):
                b = Q.body[m, side]
                for c in range(6):
                    z[6 * b + c] += Q.H[m, e, 6 * side + c] * S.bodies.Minv[b, c]
            if S.rows.m > 0:
                _project(S, W, z, F)
            enter_column(Q, z, Wd, d * m + e)


@jit
def enter_column(Q, z, Wd, column):
    """Column of Wd <- H z of problem Q: what velocities z (6 nb + 6) are at the contacts."""
    d = Q.H.shape[1]
    for k in range(Q.count[0]):
        i = 6 * Q.body[k, 0]
        j = 6 * Q.body[k, 1]
        for f in range(d):
            s = 0.0
            for c in range(6):
                s += Q.H[k, f, c] * z[i + c] + Q.H[k, f, 6 + c] * z[j + c]
            Wd[d * k + f, column] = s


@jit
def generalised(Q, f):
    """f (6 nb + 6) <- H^T r of problem Q; ground gets what acts on it."""
    d = Q.H.shape[1]
    for c in range(f.shape[0]):
        f[c] = 0.0
    for m in range(Q.count[0]):
        for side in range(2):
            o = 6 * Q.body[m, side]
            for e in range(d):
                for c in range(6):
                    f[o + c] += Q.H[m, e, 6 * side + c] * Q.r[m, e]
