"""Motions: functions of time only, with their exact first and second derivatives."""

from __future__ import annotations

from .._jit import jit
from ..expressions.machine import jet


@jit
def motion_values(S, W, t):
    """Values, rates and second derivatives of all motions at time t."""
    x = W.inputs
    x[0, 0] = t
    for k in range(W.rw.motion.shape[0]):
        f, fd, fdd = jet(S.motions, k, x[0], x[1], x[2], W.stack)
        W.rw.motion[k, 0] = f
        W.rw.motion[k, 1] = fd
        W.rw.motion[k, 2] = fdd
