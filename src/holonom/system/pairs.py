"""Forces between two frames (springs, bushings, fields, beams): loops over one table, made from the register
`elements.forces.pair_kinds`."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable

from .._jit import Kernel, jit
from ..elements.forces.pair_kinds import PAIR_KINDS
from ..elements.forces.relative import accept
from ..elements.frames import add_wrench, project_tangent, scatter

Pairs = namedtuple("Pairs", "t first i j ref out pos W D KL CL idx")
Pairs.__doc__ = """Rows of all kinds, one after another: kind q of `PAIR_KINDS` has ``first``[q] to ``first``[q + 1]
(kinds + 1), and its parameters t[q] (rows, columns). i, j (n,): frames; ref (n, 3): angles at the last accepted step;
out (n, 12): wrenches; pos (n, 144): places in the iteration matrix; W, D, KL, CL, idx: work."""


def over_pair_kinds(make: Callable[..., Kernel], q: int = 0) -> Kernel:
    """Kernel (x, pairs, ...) -> x that runs the loops ``make(law)`` of the types from the q-th on, each (x, pairs, t,
    a, b, ...) -> x over rows a to b."""
    # a closure is known to the cache by what it holds, kernels by their names alone: ``q`` and ``loop`` must stand in
    # each, or two would share their code
    loop = make(PAIR_KINDS[q].law)
    if q + 1 == len(PAIR_KINDS):

        @jit
        def last(x, pairs, *given):
            return loop(x, pairs, pairs.t[q], pairs.first[q], pairs.first[q + 1], *given)

        return last
    later = over_pair_kinds(make, q + 1)

    @jit
    def run(x, pairs, *given):
        return later(loop(x, pairs, pairs.t[q], pairs.first[q], pairs.first[q + 1], *given), pairs, *given)

    return run


def _adding(law) -> Kernel:
    add_all, wrench = (
        getattr(law, "add_all", None),
        law.wrench,
    )  # a kind without torques, or without forces, adds fewer numbers
    if add_all is not None:

        @jit
        def own(x, pairs, t, a, b, fr, R, F):
            add_all(t, pairs.i[a:b], pairs.j[a:b], fr, R, pairs.ref[a:b], F, pairs.out[a:b])
            return x

        return own

    @jit
    def loop(x, pairs, t, a, b, fr, R, F):
        ref = pairs.ref[a:b]
        for k in range(b - a):
            i = pairs.i[a + k]
            j = pairs.j[a + k]
            W = pairs.out[a + k]
            wrench(t, k, i, j, fr, ref, W)
            add_wrench(fr, R, i, W[0], W[1], W[2], W[3], W[4], W[5], F)
            add_wrench(fr, R, j, W[6], W[7], W[8], W[9], W[10], W[11], F)
        return x

    return loop


@jit
def _begin(pairs):
    for r in range(12):
        pairs.W[r] = 0.0
        for c in range(24):
            pairs.D[r, c] = 0.0
        for c in range(12):
            pairs.KL[r, c] = 0.0
            pairs.CL[r, c] = 0.0


@jit
def _end(pairs, k, i, j, fr, R, K, C):
    pairs.idx[0] = i
    pairs.idx[1] = j
    project_tangent(fr, R, 2, pairs.idx, pairs.W, pairs.D, 2, pairs.KL, pairs.CL)
    scatter(pairs.pos, k, 12, pairs.KL, -1.0, K)
    scatter(pairs.pos, k, 12, pairs.CL, -1.0, C)


def _stiffness(law) -> Kernel:
    tangent, add_stiffness = (
        law.tangent,
        getattr(law, "add_stiffness", None),
    )  # one of few numbers has closed forms on the bodies
    if add_stiffness is not None:

        @jit
        def own(x, pairs, t, a, b, fr, R, K, C):
            add_stiffness(t, pairs.i[a:b], pairs.j[a:b], fr, R, pairs.ref[a:b], pairs.W, pairs.pos[a:b], K, C)
            return x

        return own

    @jit
    def loop(x, pairs, t, a, b, fr, R, K, C):
        ref = pairs.ref[a:b]
        for k in range(b - a):
            i = pairs.i[a + k]
            j = pairs.j[a + k]
            _begin(pairs)
            tangent(t, k, i, j, fr, ref, pairs.W, pairs.D)
            _end(pairs, a + k, i, j, fr, R, K, C)
        return x

    return loop


def _accepting(law) -> Kernel:
    turns = law.TURNS

    @jit
    def loop(x, pairs, t, a, b, fr):
        if turns:
            accept(pairs.i[a:b], pairs.j[a:b], fr, pairs.ref[a:b])
        return x

    return loop


_add_all = over_pair_kinds(_adding)
_add_stiffness = over_pair_kinds(_stiffness)
_accept_all = over_pair_kinds(_accepting)


@jit
def pair_forces(S, W, t, y, yd):
    """W.F += springs, bushings, fields, beams."""
    _add_all(0, S.pairs, S.fr, W.R, W.F)


@jit
def pair_stiffness(S, W, t, y, K, C):
    """K -= dF/dq, C -= dF/du of all pair forces."""
    _add_stiffness(0, S.pairs, S.fr, W.R, K, C)


@jit(entry="Pairs, Frames")
def accept_turns(pairs, fr):
    """The present angles become the reference from which angles run on."""
    _accept_all(0, pairs, fr)


@jit
def accept_pairs(S, W):
    """`accept_turns` of all pair forces."""
    accept_turns(S.pairs, S.fr)
