"""Minimal sets in the explicit kernels: without a partition (None) these cost nothing and `partition` is not even
compiled."""

from __future__ import annotations

from numba import types

from .._jit import overload


def is_minimal(M):
    """Whether the state is that of a minimal set."""


def length(M, ny):
    """Length of the state that is integrated, ``ny`` without a partition."""


def rate_of(M, S, W, t, s, out, eps, flags):
    """`partition.minimal_rate`"""


def whole_state(M, y):
    """y <- the whole state of the last evaluation."""


def close_at(M, S, W, t, s, eps, flags):
    """`partition.close`"""


def rebase_at(M, bodies, nx, t, y, s, rates):
    """`partition.rebase`"""


def _none(M) -> bool:
    return isinstance(M, types.NoneType)


@overload(is_minimal)
def _is_minimal(M):
    return (lambda M: False) if _none(M) else (lambda M: True)


@overload(length)
def _length(M, ny):
    return (lambda M, ny: ny) if _none(M) else (lambda M, ny: M.size[1])


@overload(rate_of)
def _rate_of(M, S, W, t, s, out, eps, flags):
    if _none(M):
        return lambda M, S, W, t, s, out, eps, flags: (0.0, 0)
    from .partition import minimal_rate

    return lambda M, S, W, t, s, out, eps, flags: minimal_rate(S, W, M, t, s, out, eps, flags)


@overload(whole_state)
def _whole_state(M, y):
    if _none(M):
        return lambda M, y: None

    def copy(M, y):
        for c in range(y.shape[0]):
            y[c] = M.y[c]

    return copy


@overload(close_at)
def _close_at(M, S, W, t, s, eps, flags):
    if _none(M):
        return lambda M, S, W, t, s, eps, flags: (0.0, 0)
    from .partition import close

    return lambda M, S, W, t, s, eps, flags: close(S, W, M, t, s, eps, flags)


@overload(rebase_at)
def _rebase_at(M, bodies, nx, t, y, s, rates):
    if _none(M):
        return lambda M, bodies, nx, t, y, s, rates: None
    from .partition import rebase

    return lambda M, bodies, nx, t, y, s, rates: rebase(bodies, nx, M, t, y, s, rates)
