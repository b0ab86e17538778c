"""Masses and other weights of all bodies, as kernels over vectors of unknowns (see `coordinates`): products with G,
sizes of rows, impulses.

Weights are tables (rows, MOVES), a row for each body, ground (zeros) behind them: inverse masses, inverse inertias, or
their like (`Bodies.metric`).
"""

from __future__ import annotations

import numpy as np

from ..._jit import jit
from . import absolute, layout
from .carrier import weighted
from .coordinates import solve_mass
from .coupled import (
    coupled_mass,
    coupled_products,
    energies_of_type,
    give_coupled,
    give_coupled_motion,
    multiply_coupled,
    respond_coupled,
    solve_coupled,
)
from .layout import MOVES, STATE, TRAVEL, TURN

SPEED = 7  # where velocities begin in the state of a body
ONE = np.uint64(1)


@jit
def carried(bodies, b):
    """Is the mass of body b one that couples coordinates?  Those have no inverse masses; in a planar mechanism two
    translations are left of others."""
    return bodies.Minv[b, 0] == 0.0 and bodies.Minv[b, 1] == 0.0 and bodies.Minv[b, 2] == 0.0


@jit
def clear_moves(z):
    for c in range(z.shape[0]):
        z[c] = 0.0


@jit
def scale_moves(weights, z):
    """z <- weights z; ground's become zero."""
    for b in range(weights.shape[0]):
        for c in range(MOVES):
            z[MOVES * b + c] *= weights[b, c]


@jit
def add_response(bodies, F, u):
    """u += M^-1 F."""
    solve_coupled(bodies, F)
    for i in range(bodies.n):
        for c in range(MOVES):
            u[MOVES * i + c] += F[MOVES * i + c] * bodies.Minv[i, c]
    k = MOVES * (bodies.n + 1)
    for i in range(bodies.tail):
        u[k + i] += F[k + i] * bodies.Minv[bodies.n + 1 + i // MOVES, i % MOVES]
    give_coupled_motion(bodies, u, True)


@jit
def add_response_of(bodies, b, g, o, u):
    """u += M^-1 g for the impulse g (MOVES numbers at g[o:]) on body b alone."""
    for c in range(MOVES):
        u[MOVES * b + c] += g[o + c] * bodies.Minv[b, c]
    respond_coupled(bodies, b, g, o, u)


@jit
def add_move_of(b, g, o, u):
    """u += the MOVES numbers at g[o:] of body b alone: an impulse among forces, a displacement among displacements."""
    for c in range(MOVES):
        u[MOVES * b + c] += g[o + c]


@jit
def row_size(rows, G, r, weights):
    """g W g^T of row r, weights W."""
    size = 0.0
    for q in range(rows.rp[r], rows.rp[r + 1]):
        b = rows.slot_body[q]
        for c in range(MOVES):
            size += G[q, c] * G[q, c] * weights[b, c]
    return size


@jit
def fill_products(bodies, ptr, slots, G, weights, dest, diag, Lx, D):
    """Lx, D <- G W G^T: products of the slots of each body (``ptr``, ``slots``), off the diagonal at ``dest`` one after
    the other, on it at ``diag``.  With the inverse masses for W what couples coordinates is to be added
    (`add_coupled_products`)."""
    for t in range(Lx.shape[0]):
        Lx[t] = 0.0
    for t in range(D.shape[0]):
        D[t] = 0.0
    t = np.uint64(0)
    plane = bodies.plane
    for b in range(plane.shape[0]):  # three coordinates a body
        c0 = plane[b, 0]
        c1 = plane[b, 1]
        c2 = plane[b, 2]
        m0 = weights[b, c0]
        m1 = weights[b, c1]
        m2 = weights[b, c2]
        for pp in range(ptr[b], ptr[b + 1]):
            p = slots[pp]
            w0 = G[p, c0] * m0
            w1 = G[p, c1] * m1
            w2 = G[p, c2] * m2
            for qq in range(ptr[b], pp):
                q = slots[qq]
                Lx[dest[t]] += w0 * G[q, c0] + w1 * G[q, c1] + w2 * G[q, c2]
                t += ONE
            D[diag[pp]] += w0 * G[p, c0] + w1 * G[p, c1] + w2 * G[p, c2]
    for b in range(plane.shape[0], bodies.n):
        m0 = weights[b, 0]
        m1 = weights[b, 1]
        m2 = weights[b, 2]
        i0 = weights[b, 3]
        i1 = weights[b, 4]
        i2 = weights[b, 5]
        for pp in range(ptr[b], ptr[b + 1]):
            p = slots[pp]
            w0 = G[p, 0] * m0
            w1 = G[p, 1] * m1
            w2 = G[p, 2] * m2
            w3 = G[p, 3] * i0
            w4 = G[p, 4] * i1
            w5 = G[p, 5] * i2
            for qq in range(ptr[b], pp):
                q = slots[qq]
                Lx[dest[t]] += w0 * G[q, 0] + w1 * G[q, 1] + w2 * G[q, 2] + w3 * G[q, 3] + w4 * G[q, 4] + w5 * G[q, 5]
                t += ONE
            D[diag[pp]] += w0 * G[p, 0] + w1 * G[p, 1] + w2 * G[p, 2] + w3 * G[p, 3] + w4 * G[p, 4] + w5 * G[p, 5]


@jit
def add_coupled_products(bodies, rows, G, dest, diag, Lx, D):
    """Lx, D += what bodies with coupled masses, of which the inverse masses are zero, are in G M^-1 G^T."""
    coupled_products(bodies, rows.slot_body, rows.body_ptr, rows.body_slots, G, dest, diag, Lx, D)


@jit(entry="Bodies, float64, float64[::1], float64[::1]")
def multiply_mass(bodies, scale, u, F):
    """F <- scale M u; zero for ground.  F may be u itself."""
    multiply_coupled(bodies, scale, u)
    for i in range(bodies.n):
        o = MOVES * i
        m = scale * bodies.mass[i]
        for c in range(3):
            F[o + c] = m * u[o + c]
        for c in range(3):
            F[o + 3 + c] = scale * bodies.J[i, c] * u[o + 3 + c]
    for c in range(MOVES * bodies.n, bodies.moves):
        F[c] = 0.0
    give_coupled(bodies, F, False)


@jit
def row_speed(rows, G, r, y):
    """G u of row r, with the velocities of the state y."""
    v = 0.0
    for q in range(rows.rp[r], rows.rp[r + 1]):
        b = rows.slot_body[q]
        for c in range(MOVES):
            v += G[q, c] * y[STATE * b + SPEED + c]
    return v


@jit
def row_times(rows, G, r, u):
    """G u of row r."""
    v = 0.0
    for q in range(rows.rp[r], rows.rp[r + 1]):
        b = rows.slot_body[q]
        for c in range(MOVES):
            v += G[q, c] * u[MOVES * b + c]
    return v


# ---- in the iteration matrix -----------------------------------------------------------------------------------------
@jit
def convect_damping(C, row, body, count, y, scale, data):
    """data += scale C [W x] in the columns of rotations: du = W x dtheta moves with the attitude.  ``row`` (count, 3):
    places of C in the three columns of the rotation of ``body`` (count,)."""
    for k in range(count):
        o = STATE * body[k] + SPEED + 3
        w0 = y[o]
        w1 = y[o + 1]
        w2 = y[o + 2]
        p0 = row[k, 0]
        p1 = row[k, 1]
        p2 = row[k, 2]
        c0 = scale * C[p0]
        c1 = scale * C[p1]
        c2 = scale * C[p2]
        data[p0] += c1 * w2 - c2 * w1
        data[p1] += c2 * w0 - c0 * w2
        data[p2] += c0 * w1 - c1 * w0


@jit
def add_mass(bodies, scale, convected, bent, y, acc, travel, turn, data):
    """data += M (scale + convected [W]) + bent d(M acc)/dq: ``travel`` (n, 3) and ``turn`` (n, 9) are the places of the
    blocks of each body.  M of rigid bodies is diagonal and the same everywhere; those whose masses couple coordinates
    have places of their own."""
    coupled_mass(bodies, scale, convected, bent, y, acc, data)
    for i in range(bodies.n):
        if carried(bodies, i):
            continue
        m = scale * bodies.mass[i]
        data[travel[i, 0]] += m
        data[travel[i, 1]] += m
        data[travel[i, 2]] += m
        if bodies.rotates[i]:
            o = STATE * i + SPEED + 3
            w0 = convected * y[o]
            w1 = convected * y[o + 1]
            w2 = convected * y[o + 2]
            j0 = scale * bodies.J[i, 0]
            j1 = scale * bodies.J[i, 1]
            j2 = scale * bodies.J[i, 2]
            data[turn[i, 0]] += j0
            data[turn[i, 1]] -= j0 * w2
            data[turn[i, 2]] += j0 * w1
            data[turn[i, 3]] += j1 * w2
            data[turn[i, 4]] += j1
            data[turn[i, 5]] -= j1 * w0
            data[turn[i, 6]] -= j2 * w1
            data[turn[i, 7]] += j2 * w0
            data[turn[i, 8]] += j2


# ---- from Python -----------------------------------------------------------------------------------------------------
def mobility(bodies) -> np.ndarray:
    """(rows, MOVES) inverse masses and moments of inertia, to be read only; zero for what no force moves."""
    return bodies.Minv


def inverse_masses(bodies) -> np.ndarray:
    """`mobility`, a copy to be changed."""
    return bodies.Minv.copy()


def masses(bodies) -> np.ndarray:
    """(n, MOVES) masses and moments of inertia; zero for what no force moves."""
    inverse = bodies.Minv[: bodies.n]
    return np.divide(1.0, inverse, out=np.zeros_like(inverse), where=inverse > 0.0)


def diagonal(bodies) -> np.ndarray:
    """(bodies.moves,) mass or moment of inertia of each coordinate, ones for ground; of coupled bodies their own,
    without what couples them."""
    out = np.ones(bodies.Minv.shape)
    out[: bodies.n, TRAVEL] = bodies.mass[:, None]
    out[: bodies.n, TURN] = bodies.J
    c = bodies.carriers
    if c is not None:
        tail = out[bodies.n + 1 :].reshape(-1)
        for at, lo, hi in zip(c.at, c.ptr, c.ptr[1:]):
            tail[at : at + hi - lo] = c.mass[lo:hi]
        if c.meshes.size:
            tail[c.meshes.start : c.meshes.start + c.meshes.size] = np.repeat(c.meshes.m[:, 0], 3)
    return out.ravel()


def kinetic(bodies, y: np.ndarray) -> float:
    """Kinetic energy of all bodies at the state y, with masses of coupled ones at their last evaluation."""
    c = bodies.carriers
    out = layout.kinetic(bodies.mass, bodies.J, y)
    if c is None:
        return out
    out += float(energies_of_type(bodies, 0, y)[0]) if len(c.body) else 0.0
    return out + (absolute.kinetic(c.meshes, bodies, y) if c.meshes.size else 0.0)


def uncoupled(bodies) -> np.ndarray:
    """`mobility`, of coupled bodies what each coordinate has by itself, without what couples them; zero for nodes."""
    if bodies.carriers is None:
        return bodies.Minv
    out, own = bodies.Minv.copy(), movable(bodies) & (bodies.Minv == 0.0)
    out[own] = 1.0 / diagonal(bodies).reshape(out.shape)[own]
    return out


def coupled_masses(bodies, R: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Of each coupled body: places of its coordinates among those of all bodies, without ground's, and its mass at the
    last evaluation (both axes of ground); R (n, 3, 3): rotations of bodies."""
    c = bodies.carriers
    out = []
    for g in range(0 if c is None else len(c.body)):
        N = MOVES + int(c.ptr[g + 1] - c.ptr[g])
        T = np.eye(N)
        T[:3, :3] = T[3:6, 3:6] = R[c.body[g]]
        M = np.diag(np.concatenate([np.zeros(MOVES), c.mass[c.ptr[g] : c.ptr[g + 1]]]))
        M[:MOVES] = c.M[c.mptr[g] : c.mptr[g] + MOVES * N].reshape(MOVES, N)
        M[MOVES:, :MOVES] = M[:MOVES, MOVES:].T
        where = np.concatenate([layout.columns(c.body[g]), MOVES * bodies.n + c.at[g] + np.arange(N - MOVES)])
        out.append((where, T @ M @ T.T))
    if c is not None and c.meshes.size:
        out.append((MOVES * bodies.n + c.meshes.start + np.arange(c.meshes.size), absolute.mass_matrix(c.meshes)))
    return out


def with_weights(bodies, weights: np.ndarray):
    """The same bodies with other weights (rows, MOVES) in place of their inverse masses; `set_weights` changes them."""
    out = bodies._replace(Minv=np.zeros_like(weights), carriers=weighted(bodies.carriers, np.zeros_like(weights)))
    set_weights(out, weights)
    return out


def set_weights(bodies, weights: np.ndarray) -> None:
    """Other weights for bodies that have some.  Coupled bodies and their nodes find theirs in the table of their
    kind."""
    bodies.Minv[:] = weights
    c = bodies.carriers
    if c is not None:
        c.weights[:] = weights
        bodies.Minv[_coupled(bodies)] = 0.0


def lengths(bodies, size: float) -> np.ndarray:
    """(rows, MOVES) metric in which ``size`` of translation counts as one rad; zero for ground."""
    out = np.zeros_like(bodies.Minv)
    out[: bodies.n, TRAVEL] = size**2
    out[: bodies.n, TURN] = 1.0
    out[bodies.n + 1 :] = size**2
    return out


def movable(bodies) -> np.ndarray:
    """(rows, MOVES) bool: what a force can move."""
    out = bodies.Minv > 0.0
    if bodies.carriers is not None:  # masses that couple coordinates are not in Minv
        out |= layout.free(bodies) & _coupled(bodies)[:, None]
    return out


def _coupled(bodies) -> np.ndarray:
    """(rows,) bool: rows of coordinates that masses couple, and of nodes."""
    c = bodies.carriers
    out = np.isin(layout.carried_by(bodies), c.body)
    if c.meshes.size:
        out[c.nodes.body[len(c.nodes.which) :]] = out[bodies.n + 1 + c.meshes.start // MOVES :] = True
    return out


def on_carriers(bodies, z: np.ndarray) -> np.ndarray:
    """Forces or gradients z (.., bodies.moves) brought from nodes to the coordinates of their carriers, at the last
    evaluation."""
    z = z.copy()
    c = bodies.carriers
    for k, b in enumerate(() if c is None else c.nodes.body):
        own, to = layout.columns(b), layout.followed(bodies, k)
        z[..., to] += z[..., own] @ c.nodes.J[k][:, : len(to)]
        z[..., own] = 0.0
    return z


def accelerations_by(bodies, body: np.ndarray, forces: np.ndarray) -> np.ndarray:
    """(bodies.moves,) M^-1 F of forces (k, MOVES) on bodies (k,), ground's among them without effect."""
    total = np.zeros_like(bodies.Minv)
    np.add.at(total, body, forces)
    out = np.zeros(bodies.moves)
    solve_mass(bodies, total.ravel(), out)
    return out
