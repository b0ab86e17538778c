"""What modes leave out of stresses: static shares of loads that no mode carries (residual flexibility in the recovery
of stresses).

Of a load f on the free body, with the inertia of the rigid acceleration that it makes, u is the static displacement,
and the modes carry sum_j phi_j (phi_j . f) / w_j^2 of it.  The rest follows the load at once, so stress = sum_j q_j
sigma_j + sum_l f_l sigma(u_l - modes) is that of the method of mode accelerations (Craig, Structural Dynamics (1981),
ch. 15; Dickens, Nakagawa & Wittbrodt, Computers & Structures 62 (1997) 985-998).

Loads: those of unit products W_x^2, W_y^2, W_z^2, W_x W_y, W_y W_z, W_z W_x of the spin (centrifugal), then six unit
forces and moments on each interface. Uniform gravity and rigid accelerations need none: they are in balance with what
acts on the interfaces.

Forces at the ends of beam elements are K u less the loads of the mass between them: of the acceleration g - r'' (3), of
W' (3), of the products of the spin (6) and of the q'' of the modes (`fields`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.linalg as la

if TYPE_CHECKING:
    from .finite_elements import FiniteElements

SPINS = ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0))


def _spins(fe: FiniteElements, centre) -> np.ndarray:
    """(size, 6) centrifugal accelerations -W x (W x s) of the products of the spin."""
    s = fe.places - centre
    out = np.zeros((fe.freedoms * len(s), 6))
    for k, (a, b) in enumerate(SPINS):
        ea, eb = np.eye(3)[a], np.eye(3)[b]
        away = -(np.cross(ea, np.cross(eb, s)) + np.cross(eb, np.cross(ea, s)))
        out[:, k] = np.hstack([away if a != b else 0.5 * away, np.zeros_like(away)])[:, : fe.freedoms].ravel()
    return out


def fields(fe: FiniteElements, centre, Phi) -> np.ndarray:
    """(size, 12 + n) accelerations that load the mass: unit g - r'', unit W', unit products of the spin, unit q''."""
    R = fe.rigid(centre)
    return np.hstack([R[:, :3], -R[:, 3:], _spins(fe, centre), -Phi])


def residual(
    tied: Any,
    static: Callable[[np.ndarray], np.ndarray],
    X,
    frequency,
    centre,
    ends: Sequence[tuple[np.ndarray, np.ndarray]],
) -> np.ndarray:
    """Displacements of the nodes (size, 6 + 6 i) by unit loads, without what the modes ``X`` of ``frequency`` (n,)
    carry.

    ``tied``: the body in coordinates that meet its rigid spiders; ``static``: displacements under loads on these with
    the inertia of their rigid acceleration; ``ends``: of each interface the coordinates (k,) that its motion follows
    from, and how (6, k)."""
    fe = tied.fe
    loads = np.zeros((len(tied.R), 6 + 6 * len(ends)))
    loads[:, :6] = tied.load(fe.M @ _spins(fe, centre))
    for k, (at, how) in enumerate(ends):
        loads[at, 6 + 6 * k : 12 + 6 * k] = how.T
    u = static(loads)
    u -= tied.R @ la.solve(tied.R.T @ (tied.M @ tied.R), tied.R.T @ (tied.M @ u), assume_a="pos")
    return tied.nodes(u - X @ ((X.T @ loads) / (np.asarray(frequency) ** 2)[:, None]))
