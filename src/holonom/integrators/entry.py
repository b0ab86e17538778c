"""The doors through which Python requires an evaluation of the equations of motion.

Every kernel that Python calls is optimised together with everything below it; five doors cost five times that.  So
assembly, settling and linearisation share one (`enter`), the steps of all explicit methods and their dense output
another (`enter_steps`), and say by ``mode`` what they want; the tables come behind a handle, whose call costs 0.6 us
instead of fifteen.  A run in joint coordinates, or with an implicit method, compiles no steps of all bodies.
"""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from .._handle import make_handle, view_P, view_S, view_W
from .._jit import Entry, jit
from ..elements.bodies import layout
from ..elements.bodies.mass import inverse_masses, set_weights, with_weights
from ..elements.joints.rows import without_drives
from ..system.kernels import (
    evaluate_constraints,
    evaluate_frames,
    factor_schur,
    find_gap,
    position_correction,
    project_velocity,
    rate,
)
from ..system.planar import find_plane
from . import runge_kutta as rk
from ._minimal import close_at, rate_of, rebase_at

PROJECT, RATE, CONSTRAINTS, CORRECT, VELOCITY = range(5)
STEP, DENSE, MINIMAL, CLOSE, REBASE = range(5)

Explicit = namedtuple("Explicit", ("T", "M", *rk.Tableau._fields))  # type: ignore[misc]


@jit(
    entry="Handle(Tables, Work, Explicit(Stages)), int64, float64[::1], float64, float64, float64, int64, float64[::1]"
)
def enter(handle, mode, y, t, h, eps, sweeps, d):
    """Do what ``mode`` says at (t, y); four numbers return.

    PROJECT: `runge_kutta.project_state` with ``sweeps`` corrections, rates into yn: pivot, skipped, correction,
    constraint velocity.  RATE: rates at (t, ya) into K[1].  CONSTRAINTS: frames, rows and W.gap at (t, y).  CORRECT:
    factor and position correction into ``d`` with phi as it stands.  VELOCITY: factor and project velocities, then
    frames and rows.
    """
    S = view_S(handle)
    W = view_W(handle)
    P = view_P(handle)
    T = P.T
    a = 1.0
    n = 0
    b = 0.0
    c = 0.0
    if mode == PROJECT:
        a, n, b, c = rk.project_state(S, W, y, t, d, eps, sweeps, T.yn, math.inf, math.inf)
        find_gap(S, W)
    elif mode == RATE:
        a, n = rate(S, W, t, T.ya, T.K[1], eps, 1)
    elif mode == CONSTRAINTS:
        evaluate_frames(S, W, y)
        evaluate_constraints(S, W, t, y)
        find_gap(S, W)
    elif mode == CORRECT:
        a, n = factor_schur(S, W, eps, 0)
        b = position_correction(S, W, d)
    elif mode == VELOCITY:
        a, n = factor_schur(S, W, eps, 0)
        b = project_velocity(S, W, y)
        evaluate_frames(S, W, y)
        evaluate_constraints(S, W, t, y)
    return a, n, b, c


@jit(
    entry=(
        "Handle(Tables, Work, Explicit(Stages)), int64, float64[::1], float64, float64, float64, int64, float64[::1]",
        "Handle(Tables, Work, Explicit(Stages, JointState)), int64, float64[::1], float64, float64, float64, "
        "int64, float64[::1]",
        "Handle(Tables, Work, Explicit(Stages, Minimal)), int64, float64[::1], float64, float64, float64, "
        "int64, float64[::1]",
    )
)
def enter_steps(handle, mode, y, t, h, eps, sweeps, d):
    """Do what ``mode`` says with the stages of an explicit method; four numbers return.

    STEP, DENSE: `runge_kutta.step`, `prepare_dense` from (t, y).
    MINIMAL: rates at the reduced state y (`_minimal.rate_of`), into ``d``, with ``sweeps`` as flags: pivot,
    skipped.
    CLOSE: whole state of a reduced one.  REBASE: `partition.rebase` or `joint_set.joint_read` to the whole state y, at
    which frames are current; x and K[0] follow.
    """
    S = view_S(handle)
    W = view_W(handle)
    P = view_P(handle)
    a = 1.0
    n = 0
    b = 0.0
    c = 0.0
    if mode == STEP:
        a, b, n, c = rk.step(S, W, P, y, t, h, eps)
    elif mode == DENSE:
        rk.prepare_dense(S, W, P, y, t, h, eps)
    elif mode == MINIMAL:
        a, n = rate_of(P.M, S, W, t, y, d, eps, sweeps)
    elif mode == CLOSE:
        a, n = close_at(P.M, S, W, t, y, eps, sweeps)
    elif mode == REBASE:
        rebase_at(P.M, S, W, t, y, P.T.x, P.T.K[0])
    return a, n, b, c


def make_explicit(system, tableau, tables=None, minimal=None):
    """Handle and work arrays of one explicit method on a system.

    ``tables``: S and W, where not those of the system itself (`stepping_tables`); ``minimal``: arrays of a `Partition`
    or `JointSet`.
    """
    stages = rk.make_stages(len(system.y0), system.bodies.moves)
    S, W = tables or (system.S, system.W)
    return make_handle(S, W, Explicit(stages, minimal, *tableau)), stages


def explicit_handle(system):
    """Handle of a system with work arrays for assembly and settling, made once."""
    equations = system.workspace.equations
    if equations.explicit is None:
        equations.explicit, equations.stages = make_explicit(system, rk.EULER)
        equations.enter = Entry(enter)
    return equations.explicit


def weighted_handle(system, weights):
    """The handle of `explicit_handle` with ``weights`` (nb + 1, 6) in place of the inverse masses, for CORRECT and
    VELOCITY; they hold until it is requested again."""
    equations = system.workspace.equations
    explicit_handle(system)
    if equations.weighted is None:
        S = equations.S._replace(bodies=with_weights(equations.S.bodies, inverse_masses(system.bodies)))
        S = S._replace(rows=without_drives(S.rows))
        equations.weighted = S.bodies, make_handle(S, equations.W, Explicit(equations.stages, None, *rk.EULER))
    bodies, handle = equations.weighted
    set_weights(bodies, weights)
    return handle


def stepping_tables(system, t: float, y: np.ndarray | None, planar: bool = True):
    """S and W with which the motion from (t, y) is integrated: those of the plane when the mechanism moves in one."""
    if not planar or y is None:
        return system.S, system.W
    run = system.workspace
    if not run.plane_sought:
        handle = explicit_handle(system)
        run.plane = find_plane(system, lambda z: enter(handle, CONSTRAINTS, z, t, 0.0, 1e-8, 0, run.stages.d), t, y)
        run.plane_sought = True
    return (system.S, system.W) if run.plane is None else (run.plane.S, run.plane.W)


def rest(system, y, t):
    """Accelerations, reactions and forces at y while nothing moves, driven parts neither; ``y`` lies on the constraints
    and is stopped."""
    handle = explicit_handle(system)
    layout.stop(y, system.bodies)
    stages = system.workspace.equations.stages
    stages.ya[:] = y
    enter(handle, RATE, y, t, 0.0, 1e-8, 0, stages.d)


def project_state(system, y, t, sweeps, yd=None):
    """`runge_kutta.project_state` of a system; returns pivot ratio, skipped rows, last correction, constraint velocity
    found."""
    handle = explicit_handle(system)
    equations = system.workspace.equations
    out = equations.enter.call(handle, PROJECT, y, t, 0.0, 1e-8, sweeps, equations.stages.d)
    if yd is not None:
        yd[:] = equations.stages.yn
        layout.ground(yd, system.nb)[:] = 0.0  # nothing is evaluated of it
    return out
