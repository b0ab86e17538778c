"""What nodes of carriers (`nodes`) require of these: masses on which something acts, and attachments of modes.

A node whose ``which`` is k >= 0 is the mass k of its carrier, and turns with it; one with -1 - a is the attachment a
(`modes`).
"""

from __future__ import annotations

import math

from ..._address import of_type
from ..._jit import jit
from ..vectors import cross, rotate, unrotate
from . import carrier
from .carrier import _clear, _ends, _gather, _motion, _scatter
from .layout import ACCELERATION_BOUND, BOUNDS, MOVES, SPEED_BOUND, STATE, TURN_BOUND, TURN_RATE_BOUND
from .modes import attachment_slopes, bound_attachment, load_attachment, place_attachment, prepare_attachment
from .nodes import condense_matrix, condense_rows, follow, node_of, put_point
from .rigid import rotation


@jit
def place(c, bodies, y):
    """States of nodes in y <- what follows from the coordinates of their carriers."""
    nodes = c.nodes
    A = c.A
    for k in range(nodes.which.shape[0]):
        g = nodes.carrier[k]
        o = STATE * c.body[g]
        rotation(y, o + 3, A, g)
        if nodes.which[k] < 0:
            q = STATE * (bodies.n + 1) + c.at[g]
            place_attachment(c, g, -1 - nodes.which[k], y, q, q + bodies.tail, o, STATE * nodes.body[k])
            continue
        p0, p1, p2, e0, e1, e2, w0, w1, w2, s, v = _motion(c, g, nodes.which[k], bodies, y)
        n = STATE * nodes.body[k]
        put_point(A, g, y, o, n, p0, p1, p2, v * e0, v * e1, v * e2)
        for i in range(4):
            y[n + 3 + i] = y[o + 3 + i]
        for i in range(3):
            y[n + 10 + i] = y[o + 10 + i]


@jit
def prepare(c, bodies, y, R):
    """Masses of carriers at the state y, their factors, and what nodes ask."""
    carrier.prepare(c, bodies, y, R)
    prepare_nodes(c, bodies, y)


@jit
def prepare_nodes(c, bodies, y):
    """J and bias of all nodes (`nodes`); `place` and `prepare` at the state."""
    nodes = c.nodes
    for k in range(nodes.which.shape[0]):
        g = nodes.carrier[k]
        J = nodes.J[k]
        if nodes.which[k] < 0:
            q = STATE * (bodies.n + 1) + c.at[g]
            prepare_attachment(c, g, -1 - nodes.which[k], y, q + bodies.tail, STATE * c.body[g], J, nodes.bias[k])
            continue
        p0, p1, p2, e0, e1, e2, w0, w1, w2, s, v = _motion(c, g, nodes.which[k], bodies, y)
        x0, x1, x2 = cross(w0, w1, w2, p0, p1, p2)
        b0, b1, b2 = cross(w0, w1, w2, x0 + 2.0 * v * e0, x1 + 2.0 * v * e1, x2 + 2.0 * v * e2)
        nodes.bias[k, 0], nodes.bias[k, 1], nodes.bias[k, 2] = rotate(c.A, g, b0, b1, b2)
        for a in range(3):
            J[a, a] = 1.0
            J[3 + a, 3 + a] = 1.0
            t0 = 1.0 if a == 0 else 0.0
            t1 = 1.0 if a == 1 else 0.0
            t2 = 1.0 if a == 2 else 0.0
            d0, d1, d2 = cross(t0, t1, t2, p0, p1, p2)
            J[0, 3 + a], J[1, 3 + a], J[2, 3 + a] = rotate(c.A, g, d0, d1, d2)
        j = 6 + nodes.which[k]
        J[0, j], J[1, j], J[2, j] = rotate(c.A, g, e0, e1, e2)


@jit
def prepare_slopes(c, bodies, y):
    """V of all nodes (`nodes`), which derivatives alone require."""
    nodes = c.nodes
    for k in range(nodes.which.shape[0]):
        g = nodes.carrier[k]
        V = nodes.V[k]
        if nodes.which[k] < 0:
            q = STATE * (bodies.n + 1) + c.at[g]
            attachment_slopes(c, g, -1 - nodes.which[k], y, q, q + bodies.tail, STATE * c.body[g], nodes.J[k], V)
            continue
        p0, p1, p2, e0, e1, e2, w0, w1, w2, s, v = _motion(c, g, nodes.which[k], bodies, y)
        x0, x1, x2 = cross(w0, w1, w2, p0, p1, p2)
        for a in range(3):
            t0 = 1.0 if a == 0 else 0.0
            t1 = 1.0 if a == 1 else 0.0
            t2 = 1.0 if a == 2 else 0.0
            d0, d1, d2 = cross(t0, t1, t2, x0 + v * e0, x1 + v * e1, x2 + v * e2)
            V[0, 3 + a], V[1, 3 + a], V[2, 3 + a] = rotate(c.A, g, d0, d1, d2)
        j = 6 + nodes.which[k]
        d0, d1, d2 = cross(w0, w1, w2, e0, e1, e2)
        V[0, j], V[1, j], V[2, j] = rotate(c.A, g, d0, d1, d2)


@jit
def add_bias(c, bodies, yd):
    """Rates of velocities of nodes in yd, J u' so far, += their bias; `prepare` at the state."""
    for k in range(c.nodes.body.shape[0]):
        o = STATE * c.nodes.body[k] + 7
        for i in range(MOVES):
            yd[o + i] += c.nodes.bias[k, i]


@jit
def add_acceleration(c, bodies, body, ab):
    """ab[k] += bias of translation of the node body[k]; `prepare` at the state."""
    if c.nodes.body.shape[0] == 0:
        return
    for k in range(body.shape[0]):
        node = node_of(c.nodes, body[k])
        if node >= 0:
            for i in range(3):
                ab[k, i] += c.nodes.bias[node, i]


@jit
def leave_nodes_out(c, bodies, weights):
    """weights (n, ..) <- zero for nodes."""
    for k in range(c.nodes.body.shape[0]):
        for i in range(weights.shape[1]):
            weights[c.nodes.body[k], i] = 0.0


@jit
def lead_nodes(c, bodies, u):
    """u of nodes <- J u of their carriers."""
    for g in range(c.body.shape[0] if c.nodes.body.shape[0] > 0 else 0):
        z = of_type(c.kept, c.complex_kept, u)[g]
        follow(c.nodes, g, _gather(c, g, bodies, u, z), z, u, False)


@jit
def clear_nodes(c, bodies, d):
    """d of nodes <- zero."""
    for k in range(c.nodes.body.shape[0]):
        for i in range(MOVES):
            d[MOVES * c.nodes.body[k] + i] = 0.0


# ---- bounds of the motion of nodes over a step -----------------------------------------------------------------------
@jit
def note_cubic(c, bodies, y0, y1, a0, a1, h):
    """c.rates <- bounds of s'', velocities a cubic between both ends."""
    k = MOVES * (bodies.n + 1)
    v = STATE * (bodies.n + 1) + bodies.tail
    for i in range(bodies.tail):
        a = a0[k + i]
        b = a1[k + i]
        c.rates[i] = max(abs(a), abs(b), abs(3.0 * (y1[v + i] - y0[v + i]) / h - a - b))


@jit
def note_series(c, bodies, Z, first, count, slope):
    """c.rates <- bounds of s'', velocities a sum of rows of Z."""
    v = STATE * (bodies.n + 1) + bodies.tail
    for i in range(bodies.tail):
        c.rates[i] = 0.0
        for k in range(count):
            c.rates[i] += slope[k] * abs(Z[first + k, v + i])


@jit
def note_stages(c, bodies, K, stages, factor):
    """c.rates <- bounds of s'', from rates at stages."""
    v = STATE * (bodies.n + 1) + bodies.tail
    for i in range(bodies.tail):
        c.rates[i] = 0.0
        for s in range(stages):
            c.rates[i] = max(c.rates[i], factor * abs(K[s, v + i]))


@jit
def bound_nodes(c, bodies, y1, h, out):
    """Rows of nodes in ``out``: |v| <= |r'| + |W| |rho| + |s'|, |a| <= |r''| + (|W'| + W^2) |rho| + 2 |W| |s'| + |s''|
    with bounds of all of these over the step of size h that ends at y1."""
    nodes = c.nodes
    for k in range(nodes.which.shape[0]):
        g = nodes.carrier[k]
        lo = c.ptr[g] + nodes.which[k]
        i = c.at[g] + nodes.which[k]
        q = STATE * (bodies.n + 1) + i
        b = c.body[g]
        if nodes.which[k] < 0:
            i = c.at[g]
            q = STATE * (bodies.n + 1) + i
            way, speed, acceleration, turning, turning_rate = bound_attachment(
                c, g, -1 - nodes.which[k], y1, q, q + bodies.tail, i, h
            )
            turn = out[b, TURN_BOUND]
            for j in range(BOUNDS):
                out[nodes.body[k], j] = out[b, j]
            out[nodes.body[k], SPEED_BOUND] += turn * way + speed
            out[nodes.body[k], ACCELERATION_BOUND] += (
                (out[b, TURN_RATE_BOUND] + turn * turn) * way + 2.0 * turn * speed + acceleration
            )
            out[nodes.body[k], TURN_BOUND] += turning
            # N <= 1 and |d(T psi')/dt| <= |psi''| + |psi'|^2 / 2
            out[nodes.body[k], TURN_RATE_BOUND] += turning_rate + 0.5 * turning * turning + turn * turning
            continue
        speed = abs(y1[q + bodies.tail]) + h * c.rates[i]
        way = abs(y1[q]) + h * speed + math.sqrt(c.base[lo, 0] ** 2 + c.base[lo, 1] ** 2 + c.base[lo, 2] ** 2)
        turn = out[b, TURN_BOUND]
        for j in range(BOUNDS):
            out[nodes.body[k], j] = out[b, j]
        out[nodes.body[k], SPEED_BOUND] += turn * way + speed
        out[nodes.body[k], ACCELERATION_BOUND] += (
            (out[b, TURN_RATE_BOUND] + turn * turn) * way + 2.0 * turn * speed + c.rates[i]
        )


@jit
def condense(c, bodies, F):
    """Forces on nodes become forces on their carriers; they are kept for `load_nodes`."""
    nodes = c.nodes
    for k in range(nodes.which.shape[0]):
        for i in range(MOVES):
            nodes.F[k, i] = F[MOVES * nodes.body[k] + i]
            F[MOVES * nodes.body[k] + i] = 0.0
        g = nodes.carrier[k]
        lo, count = _ends(c, g)
        o = MOVES * c.body[g]
        q = MOVES * (bodies.n + 1) + c.at[g]
        for j in range(6 + count):
            v = 0.0
            for i in range(MOVES):
                v += nodes.J[k, i, j] * nodes.F[k, i]
            if j < 6:
                F[o + j] += v
            else:
                F[q + j - 6] += v


@jit
def condense_entries(c, bodies, K, C):
    """K, C of nodes brought to coordinates of their carriers; `prepare_slopes` at the state."""
    condense_matrix(c.nodes, K, C)


@jit
def load_nodes(c, bodies, y, K):
    """K -= H (`nodes`) under the forces that `condense` kept; `prepare_slopes` at y."""
    nodes = c.nodes
    for k in range(nodes.which.shape[0]):
        g = nodes.carrier[k]
        N = 6 + c.ptr[g + 1] - c.ptr[g]
        H = nodes.H
        _clear(H, N)
        if nodes.which[k] < 0:
            load_attachment(c, g, -1 - nodes.which[k], nodes.F[k], H)
            _scatter(c, g, N, H, -1.0, K)
            continue
        p0, p1, p2, e0, e1, e2, w0, w1, w2, s, v = _motion(c, g, nodes.which[k], bodies, y)
        f0, f1, f2 = unrotate(c.A, g, nodes.F[k, 0], nodes.F[k, 1], nodes.F[k, 2])
        row = 6 + nodes.which[k]
        for a in range(3):
            t0 = 1.0 if a == 0 else 0.0
            t1 = 1.0 if a == 1 else 0.0
            t2 = 1.0 if a == 2 else 0.0
            d0, d1, d2 = cross(f0, f1, f2, t0, t1, t2)
            H[3, 3 + a], H[4, 3 + a], H[5, 3 + a] = cross(p0, p1, p2, d0, d1, d2)
            H[row, 3 + a] = e0 * d0 + e1 * d1 + e2 * d2
        H[3, row], H[4, row], H[5, row] = cross(e0, e1, e2, f0, f1, f2)
        _scatter(c, g, N, H, -1.0, K)


@jit
def gradients(c, bodies, data):
    """Gradients with respect to nodes in the iteration matrix brought to coordinates of their carriers."""
    condense_rows(c.nodes, data)


# ---- rotational bias: frames know of that of translation only --------------------------------------------------------
@jit
def turn_rows(c, bodies, slot_row, slot_body, G, gamma):
    """gamma -= G_turn b_turn: rows G u' = gamma over nodes, u' = J u'_carrier + b, of which frames carry the part of
    translation."""
    if c.modes.place.shape[0] == 0 and c.meshes.size == 0:
        return
    for q in range(slot_row.shape[0]):
        k = node_of(c.nodes, slot_body[q])
        if k >= 0:
            for i in range(3, MOVES):
                gamma[slot_row[q]] -= G[q, i] * c.nodes.bias[k, i]


@jit
def turn_frames(c, bodies, R, fr):
    """Accelerations of frames on nodes += what their rotational bias makes."""
    if c.modes.place.shape[0] == 0 and c.meshes.size == 0:
        return
    for k in range(fr.body.shape[0]):
        node = node_of(c.nodes, fr.body[k])
        if node >= 0:
            b = c.nodes.bias[node]
            x0, x1, x2 = rotate(R, fr.body[k], b[3], b[4], b[5])
            fr.al[k, 0] += x0
            fr.al[k, 1] += x1
            fr.al[k, 2] += x2
            x0, x1, x2 = cross(x0, x1, x2, fr.s[k, 0], fr.s[k, 1], fr.s[k, 2])
            fr.a[k, 0] += x0
            fr.a[k, 1] += x1
            fr.a[k, 2] += x2
