"""The one door through which Python asks for an evaluation of the equations of motion.

Every kernel that Python calls is optimised together with everything below it; five doors cost five times that.  So
assembly, settling, explicit steps and dense output share one, and say by ``mode`` what they want; the tables come behind a
handle, whose call costs 0.6 us instead of fifteen.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from .._jit import jit
from ..system.handle import make_handle, view_P, view_S, view_W
from ..system.kernels import evaluate_constraints, evaluate_frames, factor_schur, position_correction, project_velocity, rate
from ..system.planar import find_plane
from . import _dop853_table as table
from . import dop853 as rk

SETTLE, STEP, DENSE, RATE, CONSTRAINTS, CORRECT, VELOCITY = range(7)

Explicit = namedtuple("Explicit", "T A B C E3 E5 A_extra C_extra D")


@jit
def enter(handle, mode, y, t, h, eps, sweeps, d):
    """Do what ``mode`` says at (t, y); four numbers come back.

    SETTLE: `dop853.settle` with ``sweeps`` corrections, rates into yn: pivot, skipped, correction, constraint velocity.
    STEP, DENSE: `dop853.step`, `dop853.prepare_dense`.  RATE: rates at (t, ya) into K[1].
    CONSTRAINTS: frames and rows at (t, y).  CORRECT: factor and position correction into ``d`` with phi as it stands.
    VELOCITY: factor and project velocities, then frames and rows.
    """
    P = view_P(handle)
    return _enter(view_S(handle), view_W(handle), P, mode, y, t, h, eps, sweeps, d)


@jit
def _enter(S, W, P, mode, y, t, h, eps, sweeps, d):
    T = P.T
    a = 1.0
    n = 0
    b = 0.0
    c = 0.0
    if mode == SETTLE:
        a, n, b, c = rk.settle(S, W, y, t, d, eps, sweeps, T.yn)
    elif mode == STEP:
        a, b, n, c = rk.step(S, W, T, y, t, h, eps, P.A, P.B, P.C, P.E3, P.E5)
    elif mode == DENSE:
        rk.prepare_dense(S, W, T, y, t, h, eps, P.A_extra, P.C_extra, P.D)
    elif mode == RATE:
        a, n = rate(S, W, t, T.ya, T.K[1], eps, 1)
    elif mode == CONSTRAINTS:
        evaluate_frames(S, W, y)
        evaluate_constraints(S, W, t, y)
    elif mode == CORRECT:
        a, n = factor_schur(S, W, eps, 0)
        b = position_correction(S, W, d)
    elif mode == VELOCITY:
        a, n = factor_schur(S, W, eps, 0)
        b = project_velocity(S, W, y)
        evaluate_frames(S, W, y)
        evaluate_constraints(S, W, t, y)
    return a, n, b, c


def explicit_handle(system):
    """Handle of a system with the work arrays of the explicit integrator, made once."""
    if getattr(system, "explicit_handle", None) is None:
        stages = rk.make_stages(len(system.y0), 6 * system.nb + 6)
        system.stages = stages
        parts = Explicit(stages, table.A, table.B, table.C, table.E3, table.E5, table.A_EXTRA, table.C_EXTRA, table.D)
        system.explicit_handle = make_handle(system.S, system.W, parts)
    return system.explicit_handle


def stepping_handle(system, t: float, y: np.ndarray, planar: bool = True):
    """Handle with which the motion from (t, y) is integrated: that of the plane when the mechanism moves in one."""
    handle = explicit_handle(system)
    if not planar:
        return handle
    if not hasattr(system, "plane"):
        system.plane = find_plane(system, lambda z: enter(handle, CONSTRAINTS, z, t, 0.0, 1e-8, 0, system.stages.d), t, y)
        if system.plane is not None:
            system.planar_handle = make_handle(system.plane.S, system.plane.W, handle.P)
    return handle if system.plane is None else system.planar_handle


def settle(system, y, t, sweeps, yd=None, handle=None):
    """`dop853.settle` of a system; returns pivot ratio, skipped rows, last correction, constraint velocity found."""
    handle = handle or explicit_handle(system)
    out = enter(handle, SETTLE, y, t, 0.0, 1e-8, sweeps, system.stages.d)
    if yd is not None:
        yd[:] = system.stages.yn
    return out
