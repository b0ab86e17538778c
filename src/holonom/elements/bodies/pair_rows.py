"""Rows over the velocities of two bodies at a time, as problems of contact have them: speeds, impulses, and what these
change.

H (points, rows, 2 MOVES): row e of point k over the unknowns of body i, then over those of body j; u: velocities of all
bodies (`layout`); ``inverse``
(n+1, MOVES): inverse masses and moments of inertia, zeros for ground, for what rests and for what cannot turn.  All
that a problem of contact knows of masses it asks here.
"""

from __future__ import annotations

from ..._jit import jit
from .layout import MOVES


@jit
def moves(inverse, b):
    """Does an impulse move body b?"""
    o = 0.0
    for c in range(MOVES):
        o += inverse[b, c]
    return o > 0.0


@jit
def lightness(inverse, b):
    """Sum of the inverse masses of body b along the three axes."""
    return inverse[b, 0] + inverse[b, 1] + inverse[b, 2]


# ---- speeds ----------------------------------------------------------------------------------------------------------
@jit
def add_speed(H, k, e, i, j, u, z):
    """z + H[k, e] u."""
    a = MOVES * i
    b = MOVES * j
    for c in range(MOVES):
        z += H[k, e, c] * u[a + c] + H[k, e, MOVES + c] * u[b + c]
    return z


@jit
def add_speeds2(H, k, e, i, j, u, z0, z1):
    """The same of rows e and e + 1."""
    a = MOVES * i
    b = MOVES * j
    for c in range(MOVES):
        z0 += H[k, e, c] * u[a + c] + H[k, e, MOVES + c] * u[b + c]
        z1 += H[k, e + 1, c] * u[a + c] + H[k, e + 1, MOVES + c] * u[b + c]
    return z0, z1


@jit
def add_speeds3(H, k, i, j, u, z0, z1, z2):
    """The same of rows 0, 1, 2."""
    a = MOVES * i
    b = MOVES * j
    for c in range(MOVES):
        x = u[a + c]
        y = u[b + c]
        z0 += H[k, 0, c] * x + H[k, 0, MOVES + c] * y
        z1 += H[k, 1, c] * x + H[k, 1, MOVES + c] * y
        z2 += H[k, 2, c] * x + H[k, 2, MOVES + c] * y
    return z0, z1, z2


@jit
def add_sizes(H, k, e, i, j, u, z):
    """z + the sizes of all terms of H[k, e] u: what its rounding is a share of."""
    a = MOVES * i
    b = MOVES * j
    for c in range(MOVES):
        z += abs(H[k, e, c] * u[a + c]) + abs(H[k, e, MOVES + c] * u[b + c])
    return z


# ---- impulses --------------------------------------------------------------------------------------------------------
@jit
def push(inverse, H, k, e, i, j, r, u):
    """u += M^-1 H[k, e]^T r."""
    a = MOVES * i
    b = MOVES * j
    for c in range(MOVES):
        u[a + c] += inverse[i, c] * H[k, e, c] * r
        u[b + c] += inverse[j, c] * H[k, e, MOVES + c] * r


@jit
def push2(inverse, H, k, e, i, j, r0, r1, u):
    """u += M^-1 (H[k, e]^T r0 + H[k, e + 1]^T r1)."""
    a = MOVES * i
    b = MOVES * j
    for c in range(MOVES):
        u[a + c] += inverse[i, c] * (H[k, e, c] * r0 + H[k, e + 1, c] * r1)
        u[b + c] += inverse[j, c] * (H[k, e, MOVES + c] * r0 + H[k, e + 1, MOVES + c] * r1)


@jit
def push3(inverse, H, k, i, j, r0, r1, r2, u):
    """u += M^-1 H[k]^T r of the rows 0, 1, 2."""
    a = MOVES * i
    b = MOVES * j
    for c in range(MOVES):
        u[a + c] += inverse[i, c] * (H[k, 0, c] * r0 + H[k, 1, c] * r1 + H[k, 2, c] * r2)
        u[b + c] += inverse[j, c] * (H[k, 0, MOVES + c] * r0 + H[k, 1, MOVES + c] * r1 + H[k, 2, MOVES + c] * r2)


@jit
def row_product(inverse, H, k, e, f, i, j):
    """H[k, e] M^-1 H[k, f]^T."""
    v = 0.0
    for c in range(MOVES):
        v += H[k, e, c] * inverse[i, c] * H[k, f, c] + H[k, e, MOVES + c] * inverse[j, c] * H[k, f, MOVES + c]
    return v


@jit
def add_response_of_difference(bodies, b, B, G, q, u):
    """u += M^-1 (B[q] - G[q])^T for rows over the velocities of body b alone."""
    for c in range(MOVES):
        u[MOVES * b + c] += (B[q, c] - G[q, c]) * bodies.Minv[b, c]


# ---- velocities of one body ------------------------------------------------------------------------------------------
@jit
def change_in_mass(inverse, b, u, v):
    """(u - v) M (u - v) of body b: its change in the metric of the mass."""
    size = 0.0
    for c in range(MOVES):
        if inverse[b, c] > 0.0:
            size += (u[MOVES * b + c] - v[MOVES * b + c]) ** 2 / inverse[b, c]
    return size


@jit
def extrapolate_body(b, share, u, last):
    """u += share (u - last) of body b; last <- what it was."""
    for c in range(MOVES * b, MOVES * b + MOVES):
        x = u[c]
        u[c] = x + share * (x - last[c])
        last[c] = x


@jit
def take_body(inverse, u, b, own, v, m):
    """Row m of ``own`` <- the inverse masses of body b, velocities of body m in v <- those of body b in u; b < 0: zeros
    (ground)."""
    for c in range(MOVES):
        own[m, c] = inverse[b, c] if b >= 0 else 0.0
        v[MOVES * m + c] = u[MOVES * b + c] if b >= 0 else 0.0


@jit
def set_velocities(rows, u):
    """u <- ``rows`` (n+1, MOVES), those of each body."""
    for b in range(rows.shape[0]):
        for c in range(MOVES):
            u[MOVES * b + c] = rows[b, c]
