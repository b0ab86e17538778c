"""The discrete frictional contact problem: what one step of rigid contact requires of a solver.

    z = H u + q,   u = u_free + M^-1 H^T r,   for every contact   K_mu* contains z + mu |z_t| n,  K_mu contains r,
        orthogonal:

Signorini's condition 0 <= z_n _|_ r_n >= 0 and Coulomb's law |r_t| <= mu r_n with r_t against z_t where it slips (de
Saxce & Feng 1998; Acary & Brogliato 2008, ch. 13).  With six rows a contact also resists spin, |r_s| <= arm_s r_n
against the rate of spin, and rolling, |r_r| <= arm_r r_n against the rate of rolling.  Restitution, stabilisation and
all that is known beforehand is in q.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from ...elements.bodies.layout import MOVES, unknowns
from ...model.base import ModelError

Problem = namedtuple("Problem", "count body H q mu r Minv u z local order start scale parent bodies begin r1 u1")
Problem.__doc__ = """Arrays with room for `cap` contacts of `d` rows (1, 3 or 6) between `nb` bodies; the caller fills
the first eight.

count (1,): contacts in use;  body (cap, 2): bodies i and j, ground is nb;  H (cap, d, 12): rows of the relative
velocity over u_i and u_j, in the order normal, two tangents, spin about the normal, roll about the two tangents;  q
(cap, d): added to it; mu (cap, 3): coefficient of friction, spinning arm, rolling arm (lengths);  r (cap, d): impulses,
in as the start and out; Minv (nb+1, 6): inverse of the diagonal mass matrix, zero for ground, read by
`elements.bodies.pair_rows` alone;  u (6 (nb+1),): u_free in, velocities after the impulses out.

Made by solvers: z (cap, d): H u + q at the solution;  local (cap, LOCAL): the local Delassus blocks (see `local`);
order (cap,): contacts sorted by island;  start (cap+1,): where islands begin in it;  scale (cap,): speed of each
island, the largest |H u_free + q|, that residuals are relative to;  parent (nb+1+2 cap,): work;  bodies (nb+1,), begin
(cap+2,): moving bodies sorted by island;  r1 (cap, d), u1: r and u of the sweep before."""

LOCAL = 14  # numbers that a contact's local block is kept in


def make_problem(cap: int, d: int, nb: int, Minv, u) -> Problem:
    """An empty problem over the given `Minv` and `u`, which are shared and not copied; behind the velocities of bodies
    ``u`` may have those of modes.  Raises ModelError for sizes that do not fit."""
    if d not in (1, 3, 6):
        raise ModelError(
            f"a contact problem has 1, 3 or 6 rows a contact, not {d}: normal; with friction; with spin and rolling too"
        )
    if Minv.shape != (nb + 1, MOVES) or u.ndim != 1 or len(u) < unknowns(nb):
        raise ModelError(
            f"a contact problem of {nb} bodies needs Minv ({nb + 1}, {MOVES}) and u ({unknowns(nb)},), not "
            f"{Minv.shape} and {u.shape}"
        )
    if Minv.dtype != np.float64 or u.dtype != np.float64 or not (Minv.flags.c_contiguous and u.flags.c_contiguous):
        raise ModelError("a contact problem needs Minv and u as contiguous arrays of float64: it writes u in place")
    if Minv[nb].any():
        raise ModelError("row nb of Minv is ground and must be zero: ground does not move")
    return Problem(
        count=np.zeros(1, np.int64),
        body=np.full((cap, 2), nb, np.int64),
        H=np.zeros((cap, d, 2 * MOVES)),
        q=np.zeros((cap, d)),
        mu=np.zeros((cap, 3)),
        r=np.zeros((cap, d)),
        Minv=Minv,
        u=u,
        z=np.zeros((cap, d)),
        local=np.zeros((cap, LOCAL)),
        order=np.zeros(cap, np.int64),
        start=np.zeros(cap + 1, np.int64),
        scale=np.zeros(cap),
        parent=np.zeros(nb + 1 + 2 * cap, np.int64),
        bodies=np.zeros(nb + 1, np.int64),
        begin=np.zeros(cap + 2, np.int64),
        r1=np.zeros((cap, d)),
        u1=np.zeros_like(u),
    )
