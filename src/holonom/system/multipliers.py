"""Multipliers of redundant constraints: which of the many that balance the same forces is reported.

Where rows repeat others, the motion and G^T lam are unique but lam is not.  The kernels set the multipliers of repeated
rows to zero (a *basic* solution: joints that come first carry the load).  `basic` moves that to the rows that the
assembly has named as redundant, forces before torques as Adams does it: what is named carries nothing.  `minimum_norm`
gives instead the solution of minimum sum of (s_r lam_r)^2, with s_r = 1 for rows that give forces and s_r = 1/L for
those that give torques, L the extent of the
model: loads are then shared evenly, as between equally stiff joints, and the answer does not depend on the order of the
joints (de Jalon, Gutierrez-Lopez, Multibody Syst. Dyn. 30 (2013) 311, who also show that only a model of the stiffness
can determine the true distribution).
"""

from __future__ import annotations

import numpy as np

from .._handle import make_handle, view_S, view_W
from .._jit import jit
from ..elements.bodies.coordinates import solve_mass
from ..elements.bodies.layout import MOVES
from ..elements.bodies.mass import on_carriers
from ..elements.joints.rows import DISTANCE, DOT1, SUM, TWIST, add_GT
from ..linalg.ldl import ldl_solve

BASIC, MINIMUM_NORM, REFUSE = "basic", "minimum-norm", "refuse"
CHOICES = (BASIC, MINIMUM_NORM, REFUSE)
EXACT = 1e-9  # of the loads: so far may those of the moved reactions be off, or they are not moved
LEAST = 1e-6  # of the levers by which rows that are kept replace those that are named


def torque_rows(system) -> np.ndarray:
    """Rows (m,) whose multiplier is a torque: their equation is an angle or the product of two unit vectors."""
    rows = system.S.rows
    out = (rows.kind == DOT1) | (rows.kind == TWIST)
    turns = np.ones(system.m, bool)
    turns[rows.tr[rows.tk == DISTANCE]] = False
    return out | ((rows.kind == SUM) & turns)


def dropped_rows(system) -> np.ndarray:
    """Rows that the last factorisation of the whole system left out."""
    return np.flatnonzero(system.W.skip[system.S.ldl.place])


def null_space(system) -> np.ndarray:
    """N (m, k) with G^T N = 0, a column for each row left out, from the factor and gradients of the last evaluation."""
    dropped = dropped_rows(system)
    N = np.zeros((len(dropped), system.m))
    equations = system.workspace.equations
    if equations.handle is None:
        equations.handle = make_handle(equations.S, equations.W, ())
    _null_space(equations.handle, dropped, N, np.zeros(system.m), np.zeros(system.bodies.moves))
    return np.ascontiguousarray(N.T)


@jit(entry="Handle(Tables, Work, ()), int64[::1], float64[:, ::1], float64[::1], float64[::1]")
def _null_space(handle, dropped, N, b, z):
    """N (k, m) <- see `null_space`; b (m), z (bodies.moves): work."""
    S = view_S(handle)
    W = view_W(handle)
    rows = S.rows
    G = W.rw.G
    for k in range(dropped.shape[0]):
        v = N[k]
        v[dropped[k]] = 1.0
        for _ in range(3):  # the second and third pass bring back the digits that small pivots cost
            for c in range(z.shape[0]):
                z[c] = 0.0
            add_GT(rows, G, v, z, 1.0)
            solve_mass(S.bodies, z, z)
            for r in range(rows.m):  # G M^-1 G^T v
                s = 0.0
                for q in range(rows.rp[r], rows.rp[r + 1]):
                    o = MOVES * rows.slot_body[q]
                    t = 0.0
                    for c in range(MOVES):
                        t += G[q, c] * z[o + c]
                    s += t
                b[r] = s
            ldl_solve(S.ldl, W.Lx, W.Di, b, W.lwork)
            for q in range(dropped.shape[0]):
                b[dropped[q]] = 0.0
            for r in range(rows.m):
                v[r] -= b[r]


def basic(system) -> bool:
    """Change W.lam so that the rows that the assembly has named carry nothing; False, and nothing is changed, where
    these rows are not redundant at this position.

    Out of its plane a planar loop carries moments by forces at levers; where joints come into line the levers vanish,
    other rows repeat others than at the start, and the choice of the elimination stands."""
    named = system.workspace.named
    if not named or named == dropped_rows(system).tolist():
        return bool(named)
    N = null_space(system)
    if N.shape[1] != len(named):
        return False
    own = N[named]
    size = np.linalg.svd(own, compute_uv=False)
    if not size[-1] > LEAST * size[0]:
        return False
    lam = system.W.lam
    change = N @ np.linalg.solve(own, lam[named])
    if not _load(system, change) < EXACT * max(_load(system, lam), np.abs(change).max()):
        return False
    lam -= change
    lam[named] = 0.0
    return True


def _load(system, lam: np.ndarray) -> float:
    """Largest component of G^T lam."""
    W = system.W
    z = np.zeros(system.bodies.Minv.shape)
    np.add.at(z, system.slot_body[:-1], W.rw.G[:-1] * lam[system.slot_row[:-1]][:, None])
    return float(np.abs(on_carriers(system.bodies, z.ravel())).max(initial=0.0))


def minimum_norm(system) -> int:
    """Change W.lam to the solution of minimum norm (see the module's text); returns how many rows were redundant."""
    N = null_space(system)
    if N.shape[1]:
        scale = np.where(torque_rows(system), 1.0 / system.extent, 1.0)
        lam = system.W.lam
        share, *_ = np.linalg.lstsq(scale[:, None] * N, scale * lam, rcond=None)
        lam -= N @ share
    return N.shape[1]
