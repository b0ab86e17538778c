"""Reduced states in the explicit kernels: those of a minimal set (`partition`) and of joint coordinates (`joint_set`).
Without one (None) these cost nothing, and what belongs to the other is not even compiled."""

from __future__ import annotations

import numpy as np
from numba import types

from .._jit import overload
from ..elements.bodies.errors import weigh_state


def is_minimal(M):
    """Whether the state is a reduced one."""


def length(M, ny):
    """Length of the state that is integrated, ``ny`` where it is that of all bodies."""


def rate_of(M, S, W, t, s, out, eps, flags):
    """`partition.minimal_rate`, `joint_set.joint_rate`"""


def whole_state(M, y):
    """y <- the whole state of the last evaluation."""


def close_at(M, S, W, t, s, eps, flags):
    """`partition.close`, `joint_set.joint_close`"""


def rebase_at(M, S, W, t, y, s, rates):
    """`partition.rebase`, `joint_set.joint_read`"""


def weigh(M, scales, y, error, T):
    """Weights of the state in the norm of errors, at the state y of all bodies; T.ya is work.  Not of minimal sets."""


def longest_step(M):
    """Longest step from the last accepted state: `joint_set.bound_turns`."""


def square_of(M, s, d, weight, n):
    """Sum of squares of weighted errors d (n) of the state s: `joint_set.square_of_errors`."""


def turned(M, before, s, h):
    """Largest turn of a step of length h as a share of what it may have: `joint_set.find_turn`."""


def _none(M) -> bool:
    return isinstance(M, types.NoneType)


def _joint(M) -> bool:
    """Is it a `joint_set.JointState`, or a reference to one?"""
    return getattr(M, "target", M).instance_class.__name__ == "JointState"


def _joint_state(M) -> bool:
    return not _none(M) and _joint(M)


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
    if _joint(M):
        from .joint_set import joint_rate

        return lambda M, S, W, t, s, out, eps, flags: joint_rate(S, W, M, t, s, out, eps, flags)
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
    if _joint(M):
        from .joint_set import joint_close

        return lambda M, S, W, t, s, eps, flags: joint_close(S, W, M, t, s)
    from .partition import close

    return lambda M, S, W, t, s, eps, flags: close(S, W, M, t, s, eps, flags)


@overload(rebase_at)
def _rebase_at(M, S, W, t, y, s, rates):
    if _none(M):
        return lambda M, S, W, t, y, s, rates: None
    if _joint(M):
        from .joint_set import joint_read

        return lambda M, S, W, t, y, s, rates: joint_read(S, W, M, y, s)
    from .partition import rebase

    return lambda M, S, W, t, y, s, rates: rebase(S.bodies, S.nx, M, t, y, s, rates)


@overload(weigh)
def _weigh(M, scales, y, error, T):
    if _none(M):
        return lambda M, scales, y, error, T: weigh_state(scales, y, error, T.weight)

    def of_joints(M, scales, y, error, T):
        weigh_state(scales, y, error, T.ya)
        for k in range(M.component.shape[0]):
            T.weight[k] = T.ya[M.component[k]] * M.share[k]
        M.group[0], M.group[1], M.group[2], M.group[3] = T.ya[0], 0.5 * T.ya[3], T.ya[7], T.ya[10]

    return of_joints if _joint(M) else None


@overload(longest_step)
def _longest_step(M):
    return (lambda M: M.longest[0]) if _joint_state(M) else (lambda M: np.inf)


@overload(square_of)
def _square_of(M, s, d, weight, n):
    if _joint_state(M):
        from .joint_set import square_of_errors

        return lambda M, s, d, weight, n: square_of_errors(M, s, d, weight)

    def plain(M, s, d, weight, n):
        total = 0.0
        for c in range(n):
            total += (d[c] * weight[c]) ** 2
        return total

    return plain


@overload(turned)
def _turned(M, before, s, h):
    if not _joint_state(M):
        return lambda M, before, s, h: 0.0
    from .joint_set import find_turn

    return lambda M, before, s, h: find_turn(M, before, s, h)
