"""Transposed derivatives of forces of registered types (`port_kernels`): from the virtual displacement of their frames
to those, to their states, inputs and numbers.

Of the power v . W of the wrenches W in the virtual displacement v of the frames and of the coordinates that it acts on,
and of rates of states with the cotangents k, the tangent D of the law gives D^T (v, k); numbers have differences of the
law alone, or what the law itself has for them (`elements.kinds.ForceKind.numbers`).
"""

from __future__ import annotations

from numba import types

from .._handle import view_S, view_W
from .._jit import jit
from ..contact.call import INDEX, MATRIX, VECTOR
from ..elements.differences import bent, four_points, step_of
from ..elements.frames import WRENCH
from ..elements.jets import Cotangents, minus, row_of, vector
from .port_kernels import FORCE_LAW, NUMBERS_LAW, _ask, _inputs, _numbers_of, _ports_at, _tangent_of
from .pull_frames import any_of, pull_frame, pull_lever, virtual_of

#: the entry: address of the tables, time, state, cotangents of its rates, those of the state, virtual displacement,
#: cotangents of all wrenches of the system (none: of the power in the virtual displacement and of the rates),
#: cotangents of functions, rotations, cotangents of bodies, of positions and of directions of frames
ENTRY = (INDEX, types.float64, *(VECTOR,) * 4, MATRIX, VECTOR, MATRIX, VECTOR, MATRIX, MATRIX)


@jit
def _power(S, W, k):
    """v . W + k . x' of element k, with (v, k) in W.g; forces on coordinates follow the rates."""
    a = WRENCH * S.first[k]
    w = WRENCH * (S.first[k + 1] - S.first[k])
    out = 0.0
    for r in range(w):
        out += W.g[r] * W.W[a + r]
    for s in range(S.state_at[k + 1] - S.state_at[k] + S.bent_at[k + 1] - S.bent_at[k]):
        out += W.g[w + s] * W.xd[s]
    return out


@jit
def _size(S, W, k):
    """Sum of the sizes of the terms of `_power`."""
    a = WRENCH * S.first[k]
    w = WRENCH * (S.first[k + 1] - S.first[k])
    out = 0.0
    for r in range(w):
        out += abs(W.g[r] * W.W[a + r])
    for s in range(S.state_at[k + 1] - S.state_at[k] + S.bent_at[k + 1] - S.bent_at[k]):
        out += abs(W.g[w + s] * W.xd[s])
    return out


@jit
def _with(S, W, k, t, y, c, value):
    """The power with another value of number c."""
    S.value[c] = value
    _ask(S, W, k, FORCE_LAW, t, y, W.xd)
    return _power(S, W, k)


@jit
def _pull_numbers(S, W, k, t, y):
    """Differences of four points, exact to their fifth order; of two where the power has no curvature along a number,
    and one value where it has no influence: most time of a gradient by coefficients of tyres goes here.  The law has
    been evaluated."""
    base = _power(S, W, k)
    size = _size(S, W, k)
    for c in range(S.value_at[k], S.value_at[k + 1]):
        if W.wanted[c] == 0:
            continue
        kept = S.value[c]
        h = step_of(kept)
        ahead = _with(S, W, k, t, y, c, kept + h)
        if ahead != base:
            behind = _with(S, W, k, t, y, c, kept - h)
            x = 0.5 * (ahead - behind)
            if bent(ahead, base, behind, size):
                far = _with(S, W, k, t, y, c, kept + 2.0 * h)
                x = four_points(ahead, behind, far, _with(S, W, k, t, y, c, kept - 2.0 * h))
            W.bar[c] += x / h
        S.value[c] = kept


@jit
def _from_rows(S, W, k, wrenches, R, h, out):
    """g <- cotangents of the wrenches of element k on its frames, from those of its rows among all wrenches: the second
    half of a row is the opposite at the last frame, by a lever whose cotangent goes to
    ``out``.  h (12): work."""
    fr = S.fr
    g = W.g
    a = S.first[k]
    n = S.first[k + 1] - a
    j = S.frame[a + n - 1]
    for c in range(WRENCH * n):
        g[c] = 0.0
    for q in range(max(n - 1, 1)):
        v = wrenches[S.wrench[k] + q]
        for c in range(6):
            g[WRENCH * q + c] = v[c]
        if n == 1:
            continue
        i = S.frame[a + q]
        o = WRENCH * (a + q)
        d = minus(row_of(fr.p, i), row_of(fr.p, j))
        F = W.W[o], W.W[o + 1], W.W[o + 2]
        T = v[9], v[10], v[11]
        lever = vector(T, d)
        for c in range(3):
            g[WRENCH * q + c] -= v[6 + c] + lever[c]
            g[WRENCH * q + 3 + c] -= v[9 + c]
        lever = vector(F, T)
        for c in range(12):
            h[c] = 0.0
        for side in range(2):
            for c in range(3):
                h[c] = -lever[c] if side == 0 else lever[c]
            pull_frame(fr, R, i if side == 0 else j, h, out)


@jit
def port_pull(address, t, y, kb, yb, nu, wrenches, fbar, R, body, place, turn):
    """The entry, see `ENTRY`.  Frames and functions must be current.  Returns the number of elements."""
    handle = _ports_at(address)
    S = view_S(handle)
    W = view_W(handle)
    fr = S.fr
    out = Cotangents(body, place, turn)
    g = W.g
    m = S.wrench.shape[0]
    of_wrenches = wrenches.shape[0] > 0
    for k in range(m):
        _inputs(S, W, k, y)
        _ask(S, W, k, FORCE_LAW, t, y, W.xd)
        a = S.first[k]
        b = S.first[k + 1]
        n = b - a
        nx = S.state_at[k + 1] - S.state_at[k]
        nu_inputs = S.input_at[k + 1] - S.input_at[k]
        first = S.bent_at[k]
        nq = S.bent_at[k + 1] - first
        w = WRENCH * n
        rows = w + nx + nq
        x = S.offset + S.state_at[k]
        h = g[rows : rows + 12]
        if of_wrenches:
            _from_rows(S, W, k, wrenches, R, h, out)
            if not any_of(g[:w]):
                continue
        else:
            for q in range(n):
                v, turned = virtual_of(fr, R, S.frame[a + q], nu)
                for c in range(3):
                    g[WRENCH * q + c] = v[c]
                    g[WRENCH * q + 3 + c] = turned[c]
        for s in range(nx):
            g[w + s] = 0.0 if of_wrenches else kb[x + s]
        for q in range(nq):
            g[w + nx + q] = 0.0 if of_wrenches else nu[S.bent[first + q, 0]]
        if S.law[k, NUMBERS_LAW] != 0:
            _numbers_of(S, W, k, t, y)
        else:
            _pull_numbers(S, W, k, t, y)
            _ask(S, W, k, FORCE_LAW, t, y, W.xd)
        _tangent_of(S, W, k, t, y)
        D = W.D
        for q in range(n):
            for c in range(12):
                column = WRENCH * q + c if c < 6 else w + WRENCH * q + c - 6
                total = 0.0
                for r in range(rows):
                    total += g[r] * D[r, column]
                h[c] = total
            f = S.frame[a + q]
            pull_frame(fr, R, f, h, out)
            if of_wrenches:
                continue
            o = WRENCH * (a + q)
            turned = g[WRENCH * q + 3], g[WRENCH * q + 4], g[WRENCH * q + 5]
            force = W.W[o], W.W[o + 1], W.W[o + 2]
            torque = W.W[o + 3], W.W[o + 4], W.W[o + 5]
            pull_lever(fr, R, f, turned, force, torque, out)
        for s in range(nx):
            for r in range(rows):
                yb[x + s] += g[r] * D[r, 2 * w + s]
        for u in range(nu_inputs):
            total = 0.0
            for r in range(rows):
                total += g[r] * D[r, 2 * w + nx + u]
            fbar[S.function[S.input_at[k] + u]] += total
        for q in range(S.modal_at[k], S.modal_at[k] if of_wrenches else S.modal_at[k + 1]):
            fbar[S.function[S.input_at[k]]] += nu[S.modal[q, 0]] * S.modal_load[q]
        for q in range(nq):
            for part in range(2):
                total = 0.0
                for r in range(rows):
                    total += g[r] * D[r, 2 * w + nx + nu_inputs + part * nq + q]
                yb[S.bent[first + q, 1 + part]] += total
    return m
