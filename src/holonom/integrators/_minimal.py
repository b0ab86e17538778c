"""Reduced states in the explicit kernels: those of a minimal set (`partition`) and of joint coordinates (`joint_set`).
Without one (None) these cost nothing, and what belongs to the other is not even compiled."""

from __future__ import annotations

import numpy as np
from numba import types

from .._jit import overload
from ..elements.bodies.errors import weigh_state
from .reduced import GROWN, GROWTH_OF_TURNS


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


def growth(M):
    """How many times as long as the step before a step may be."""


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

    return of_joints if _joint(M) else None


@overload(longest_step)
def _longest_step(M):
    return (lambda M: M.longest[0]) if _joint_state(M) else (lambda M: np.inf)


@overload(growth)
def _growth(M):
    return (lambda M: GROWTH_OF_TURNS) if _joint_state(M) else (lambda M: GROWN)
