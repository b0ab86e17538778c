"""Forces of registered types (`elements.kinds`): one loop over all elements, whose laws are called through their
addresses.

Nothing here knows a kind: an element has any number of frames (ports), of states of its own, and of inputs that
functions give.  Another kind compiles its three laws and nothing else, and a machine without such forces compiles
nothing of this.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np
from numba import typeof, types
from numba.extending import intrinsic

from .._address import caller
from .._handle import RefType, make_handle, view_S, view_W
from .._jit import jit
from ..contact.call import INDEX, MATRIX, VECTOR
from ..elements.frames import WRENCH, add_wrench, make_frames, project_tangent, pull_back
from ..elements.measures import angle
from ..elements.vectors import cross, unrotate
from .functions import MEASURE, STATE

Ports = namedtuple(
    "Ports",
    "fr law first frame value_at value state_at input_at function turns offset wrench modal_at modal modal_load "
    "bent_at bent",
)
Ports.__doc__ = """Tables of m elements.  law (m, 4): addresses of force, energies, tangent, numbers (0: not compiled
yet, or none); first (m + 1): where the frames of each begin in ``frame``; value_at (m + 1), value; state_at (m + 1):
first state of each among all; input_at (m + 1) and ``function``: functions of its inputs; turns (m): angles are
counted; offset: of the states in y; wrench (m): its first row among the wrenches; modal_at (m + 1), modal (.., 2),
modal_load (..): forces on coordinates of modes for a first input of one: their places among unknowns, places of their
rates in y, and the forces; bent_at (m + 1), bent (.., 3): coordinates that an element sees and acts on: places among
unknowns, in y, and of their rates in y."""

PortWork = namedtuple(
    "PortWork",
    "u ref W D xd out KL CL g idx body_at body column_pos row_pos diagonal_pos input_pos input_ptr bent_ptr bent_pos "
    "fval flat flat_ptr flat_input kind islot_ptr islot all_wrenches bar wanted",
)
PortWork.__doc__ = """u: inputs of each, and behind them coordinates that it sees and their rates; ref (frames, 3): see
`elements.kinds`; W (6 frames) wrenches of all; D, KL, CL, g, idx, out: work of the largest element.

Places in the iteration matrix, element after element, where one of n frames and nx states has: ``body`` (6n)^2 of its
bodies, from body_at (m); ``column_pos`` nx * 6n: its bodies' rows, states' columns; ``row_pos`` nx * 6n: states' rows;
``diagonal_pos`` nx^2; all counted by body_at (m, 3); ``input_pos``: (6n + nx) for each unknown that an input depends
on, from input_ptr (inputs + 1), and then as many as there are forces on modes; ``bent_pos``, from bent_ptr (m + 1), of
nq coordinates: rows of the bodies by their columns, their rows by columns of the bodies, and themselves.  fval to
islot are those of the functions (`functions`), all_wrenches those of the system.  bar: cotangents of numbers, like
``value``; wanted: 1 where one is wanted (`port_pull`)."""

FRAMES = RefType(typeof(make_frames(np.zeros(1), np.zeros((1, 3)), np.zeros((1, 9)))))
_INTEGERS = types.int64[::1]
#: what `force` and `energies` get, and what `tangent` gets: see `elements.kinds`
LAW = (VECTOR, _INTEGERS, FRAMES, MATRIX, types.float64, VECTOR, VECTOR, VECTOR, VECTOR)
TANGENT = (*LAW[:-1], MATRIX)
#: what `numbers` gets
NUMBERS = (*LAW[:-2], VECTOR, types.uint8[::1], VECTOR)
_law = caller(types.none, LAW)
_tangent = caller(types.none, TANGENT)
_numbers = caller(types.none, NUMBERS)

#: the entry: address of the tables, mode, time, state, rates of states, rotations, forces, K, C, energies
ENTRY = (INDEX, INDEX, types.float64, VECTOR, VECTOR, MATRIX, VECTOR, VECTOR, VECTOR, VECTOR)
FORCES, ENERGIES, ACCEPT, WRENCHES = range(4)
FORCE_LAW, ENERGY_LAW, TANGENT_LAW, NUMBERS_LAW = range(4)


def empty_tables():
    """Tables and work of no element: their types are those of all."""
    z, i, u = np.zeros, lambda *n: np.zeros(n, np.int64), lambda *n: np.zeros(n, np.uint32)
    S = Ports(
        fr=make_frames(np.zeros(1), z((1, 3)), z((1, 9))),
        law=i(1, 4),
        first=i(1),
        frame=i(1),
        value_at=i(1),
        value=z(1),
        state_at=i(1),
        input_at=i(1),
        function=i(1),
        turns=i(1),
        offset=0,
        wrench=i(1),
        modal_at=i(1),
        modal=i(1, 2),
        modal_load=z(1),
        bent_at=i(1),
        bent=i(1, 3),
    )
    W = PortWork(
        u=z(1),
        ref=z((1, 3)),
        W=z(6),
        D=z((1, 1)),
        xd=z(1),
        out=z(3),
        KL=z((1, 1)),
        CL=z((1, 1)),
        g=z(12),
        idx=i(1),
        body_at=i(1, 3),
        body=u(1),
        column_pos=u(1),
        row_pos=u(1),
        diagonal_pos=u(1),
        input_pos=u(1),
        input_ptr=i(1),
        bent_ptr=i(1),
        bent_pos=u(1),
        fval=z(1),
        flat=z(1),
        flat_ptr=i(1),
        flat_input=i(1),
        kind=i(1),
        islot_ptr=i(1),
        islot=z((1, 12)),
        all_wrenches=z((1, 12)),
        bar=z(1),
        wanted=np.zeros(1, np.uint8),
    )
    return S, W


_S, _W = empty_tables()
HANDLE = make_handle(_S, _W, ())._numba_type_


@intrinsic
def _ports_at(typingctx, address):
    def codegen(context, builder, signature, args):
        return builder.inttoptr(args[0], context.get_value_type(HANDLE))

    return HANDLE(types.int64), codegen


@jit
def _seen(S, k):
    """Where in W.u the inputs of element k begin."""
    return S.input_at[k] + 2 * S.bent_at[k]


@jit
def _inputs(S, W, k, y):
    """Values of the inputs of element k, and the coordinates that it sees; functions must be current."""
    o = _seen(S, k)
    for q in range(S.input_at[k], S.input_at[k + 1]):
        W.u[o] = W.fval[S.function[q]]
        o += 1
    for part in range(1, 3):
        for q in range(S.bent_at[k], S.bent_at[k + 1]):
            W.u[o] = y[S.bent[q, part]]
            o += 1


@jit
def _ask(S, W, k, law, t, y, out):
    """A law of element k into ``out`` and its part of W.W."""
    a = S.first[k]
    b = S.first[k + 1]
    x = S.offset + S.state_at[k]
    _law(
        S.law[k, law],
        (
            S.value[S.value_at[k] : S.value_at[k + 1]],
            S.frame[a:b],
            S.fr,
            W.ref[a:b],
            t,
            W.u[_seen(S, k) : _seen(S, k + 1)],
            y[x : S.offset + S.state_at[k + 1]],
            W.W[WRENCH * a : WRENCH * b],
            out,
        ),
    )


@jit
def port_engine(address, mode, t, y, yd, R, F, K, C, energy):
    """FORCES: add the forces at (t, y) to F, rates of their states into yd; ENERGIES: add energy stored, power lost and
    power put in to energy (3), after FORCES; ACCEPT: angles of an accepted state; WRENCHES: those of the last FORCES
    among all, for each frame but the last its wrench and the reaction to it at the last.  ``address``: of a handle on
    `Ports` and `PortWork`.  Frames must be current."""
    handle = _ports_at(address)
    S = view_S(handle)
    W = view_W(handle)
    fr = S.fr
    m = S.wrench.shape[0]
    if mode == FORCES:
        for k in range(m):
            _inputs(S, W, k, y)
            _ask(S, W, k, FORCE_LAW, t, y, W.xd)
            for q in range(S.first[k], S.first[k + 1]):
                o = WRENCH * q
                add_wrench(fr, R, S.frame[q], W.W[o], W.W[o + 1], W.W[o + 2], W.W[o + 3], W.W[o + 4], W.W[o + 5], F)
            for c in range(S.state_at[k + 1] - S.state_at[k]):
                yd[S.offset + S.state_at[k] + c] = W.xd[c]
            for q in range(S.modal_at[k], S.modal_at[k + 1]):
                F[S.modal[q, 0]] += W.u[_seen(S, k)] * S.modal_load[q]
            x = S.state_at[k + 1] - S.state_at[k] - S.bent_at[k]
            for q in range(S.bent_at[k], S.bent_at[k + 1]):
                F[S.bent[q, 0]] += W.xd[x + q]
    elif mode == ENERGIES:
        for k in range(m):
            _ask(S, W, k, ENERGY_LAW, t, y, W.out)
            for c in range(3):
                energy[c] += W.out[c]
            for q in range(S.modal_at[k], S.modal_at[k + 1]):
                energy[2] += W.u[_seen(S, k)] * S.modal_load[q] * y[S.modal[q, 1]]
    elif mode == ACCEPT:
        for k in range(m):
            if S.turns[k] != 0:
                j = S.frame[S.first[k + 1] - 1]
                for q in range(S.first[k], S.first[k + 1] - 1):
                    for c in range(3):
                        W.ref[q, c] = angle(21 + c, S.frame[q], j, fr.A, W.ref[q, c])
    else:
        for k in range(m):
            j = S.frame[S.first[k + 1] - 1]
            for q in range(S.first[k + 1] - 1 - S.first[k]):
                o = WRENCH * (S.first[k] + q)
                i = S.frame[S.first[k] + q]
                f0, f1, f2 = W.W[o], W.W[o + 1], W.W[o + 2]
                m0, m1, m2 = cross(
                    fr.p[i, 0] - fr.p[j, 0], fr.p[i, 1] - fr.p[j, 1], fr.p[i, 2] - fr.p[j, 2], f0, f1, f2
                )
                out = W.all_wrenches[S.wrench[k] + q]
                for c in range(6):
                    out[c] = W.W[o + c]
                for c in range(3):
                    out[6 + c] = -W.W[o + c]
                out[9] = -W.W[o + 3] - m0
                out[10] = -W.W[o + 4] - m1
                out[11] = -W.W[o + 5] - m2
    return m


@jit
def _generalised(fr, R, f, D, row, column, g, o):
    """Column of D, a wrench on frame f from ``row`` on -> generalised force on its body, g[o : o + 6]."""
    m0, m1, m2 = cross(fr.s[f, 0], fr.s[f, 1], fr.s[f, 2], D[row, column], D[row + 1, column], D[row + 2, column])
    g[o] = D[row, column]
    g[o + 1] = D[row + 1, column]
    g[o + 2] = D[row + 2, column]
    g[o + 3], g[o + 4], g[o + 5] = unrotate(
        R, fr.body[f], m0 + D[row + 3, column], m1 + D[row + 4, column], m2 + D[row + 5, column]
    )


@jit
def _bent_stiffness(S, W, k, a, n, w, nx, first, nq, R, K, C):
    """Of the tangent of element k what is in rows or columns of the nq coordinates that it sees, whose columns begin at
    ``first``."""
    D = W.D
    g = W.g
    pos = W.bent_pos
    top = W.bent_ptr[k]
    side = top + w * nq
    for s in range(nq):
        for q in range(n):
            _generalised(S.fr, R, S.frame[a + q], D, WRENCH * q, first + s, g, 0)
            _generalised(S.fr, R, S.frame[a + q], D, WRENCH * q, first + nq + s, g, 6)
            at = top + w * s + WRENCH * q
            for c in range(6):
                K[pos[at + c]] -= g[c]
                C[pos[at + c]] -= g[6 + c]
            row = w + nx + s
            for c in range(12):
                g[c] = 0.0
            for c in range(6):
                g[12 + c] = D[row, WRENCH * q + c]
                g[18 + c] = D[row, w + WRENCH * q + c]
            pull_back(S.fr, R, S.frame[a + q], g, 12, g, 0)
            at = side + w * s + WRENCH * q
            for c in range(6):
                K[pos[at + c]] -= g[c]
                C[pos[at + c]] -= g[6 + c]
    at = side + w * nq
    for r in range(nq):
        for s in range(nq):
            K[pos[at]] -= D[w + nx + r, first + s]
            C[pos[at]] -= D[w + nx + r, first + nq + s]
            at += 1


@jit
def _tangent_of(S, W, k, t, y):
    """W.D <- tangent of the law of element k, whose frames and inputs are current."""
    a = S.first[k]
    b = S.first[k + 1]
    nx = S.state_at[k + 1] - S.state_at[k]
    nu = S.input_at[k + 1] - S.input_at[k]
    nq = S.bent_at[k + 1] - S.bent_at[k]
    w = WRENCH * (b - a)
    D = W.D
    for r in range(w + nx + nq):
        for c in range(2 * w + nx + nu + 2 * nq):
            D[r, c] = 0.0
    x = S.offset + S.state_at[k]
    _tangent(
        S.law[k, TANGENT_LAW],
        (
            S.value[S.value_at[k] : S.value_at[k + 1]],
            S.frame[a:b],
            S.fr,
            W.ref[a:b],
            t,
            W.u[_seen(S, k) : _seen(S, k + 1)],
            y[x : x + nx],
            W.W[WRENCH * a : WRENCH * b],
            D,
        ),
    )


@jit
def _numbers_of(S, W, k, t, y):
    """Add to W.bar the derivatives of W.g . (W, xd) of element k by its wanted numbers, by the law that it has for
    them."""
    a = S.first[k]
    b = S.first[k + 1]
    c = S.value_at[k]
    d = S.value_at[k + 1]
    x = S.offset + S.state_at[k]
    _numbers(
        S.law[k, NUMBERS_LAW],
        (
            S.value[c:d],
            S.frame[a:b],
            S.fr,
            W.ref[a:b],
            t,
            W.u[_seen(S, k) : _seen(S, k + 1)],
            y[x : S.offset + S.state_at[k + 1]],
            W.g,
            W.wanted[c:d],
            W.bar[c:d],
        ),
    )


@jit
def port_stiffness(address, mode, t, y, yd, R, F, K, C, energy):
    """The second entry, which only those who have a matrix compile: K -= dF/dq, C -= dF/du and the rows of the states
    at the last FORCES, which was at (t, y); gradients of functions must be current."""
    handle = _ports_at(address)
    S = view_S(handle)
    W = view_W(handle)
    fr = S.fr
    D = W.D
    for k in range(S.wrench.shape[0]):
        a = S.first[k]
        b = S.first[k + 1]
        n = b - a
        nx = S.state_at[k + 1] - S.state_at[k]
        nu = S.input_at[k + 1] - S.input_at[k]
        w = WRENCH * n
        nq = S.bent_at[k + 1] - S.bent_at[k]
        _tangent_of(S, W, k, t, y)
        for q in range(n):
            W.idx[q] = S.frame[a + q]
        for r in range(w):
            for c in range(w):
                W.KL[r, c] = 0.0
                W.CL[r, c] = 0.0
        project_tangent(fr, R, n, W.idx, W.W[WRENCH * a : WRENCH * b], D, n, W.KL, W.CL)
        at = W.body_at[k, 0]
        for r in range(w):
            for c in range(w):
                K[W.body[at]] -= W.KL[r, c]
                C[W.body[at]] -= W.CL[r, c]
                at += 1
        at = W.body_at[k, 1]
        for s in range(nx):
            for q in range(n):
                _generalised(fr, R, S.frame[a + q], D, WRENCH * q, 2 * w + s, W.g, 0)
                for c in range(6):
                    K[W.column_pos[at + w * s + WRENCH * q + c]] -= W.g[c]
                for c in range(12):
                    W.g[c] = 0.0
                for c in range(6):
                    W.g[12 + c] = D[w + s, WRENCH * q + c]
                    W.g[18 + c] = D[w + s, w + WRENCH * q + c]
                pull_back(fr, R, S.frame[a + q], W.g, 12, W.g, 0)
                for c in range(6):
                    K[W.row_pos[at + w * s + WRENCH * q + c]] -= W.g[c]
                    C[W.row_pos[at + w * s + WRENCH * q + c]] -= W.g[6 + c]
            for p in range(nx):
                K[W.diagonal_pos[W.body_at[k, 2] + nx * s + p]] -= D[w + s, 2 * w + p]
        if nq > 0:
            _bent_stiffness(S, W, k, a, n, w, nx, 2 * w + nx + nu, nq, R, K, C)
        for u in range(nu):
            column = 2 * w + nx + u
            for q in range(n):
                _generalised(fr, R, S.frame[a + q], D, WRENCH * q, column, W.g, 24 + WRENCH * q)
            for s in range(nx):
                W.g[24 + w + s] = D[w + s, column]
            height = w + nx
            for q in range(S.modal_at[k], S.modal_at[k + 1]):
                W.g[24 + height] = S.modal_load[q] if u == 0 else 0.0
                height += 1
            e = S.function[S.input_at[k] + u]
            cur = W.input_ptr[S.input_at[k] + u]
            for p in range(W.flat_ptr[e], W.flat_ptr[e + 1]):
                slope = W.flat[p]
                i = W.flat_input[p]
                if W.kind[i] == MEASURE:
                    for q in range(W.islot_ptr[i], W.islot_ptr[i + 1]):
                        for r in range(height):
                            v = slope * W.g[24 + r]
                            for z in range(6):
                                K[W.input_pos[cur]] -= v * W.islot[q, z]
                                C[W.input_pos[cur]] -= v * W.islot[q, 6 + z]
                                cur += 1
                elif W.kind[i] == STATE:
                    for r in range(height):
                        K[W.input_pos[cur]] -= slope * W.g[24 + r]
                        cur += 1
    return 0


@jit(entry="int64, int64, float64, float64[::1]")
def law_alone(address, k, t, y):
    """Wrenches of element k into W.W, and rates of its states into W.xd, of inputs that stand in W.u."""
    handle = _ports_at(address)
    W = view_W(handle)
    _ask(view_S(handle), W, k, FORCE_LAW, t, y, W.xd)


@jit(entry="int64, int64, float64, float64[::1]")
def tangent_alone(address, k, t, y):
    """W.D <- tangent of the law of element k, after `law_alone`."""
    handle = _ports_at(address)
    _tangent_of(view_S(handle), view_W(handle), k, t, y)
