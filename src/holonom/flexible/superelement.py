"""Superelements: bodies that another program has reduced already, to grids with six degrees of freedom and coordinates
of modes.

    u = (u_b, q),    K and M over both (Craig and Bampton's form: component modes in addition to the degrees of freedom
    of the boundary)

Rigid motions of the grids are known, R_b; coordinates of modes take the part in them that costs no energy, R_q =
-K_qq^-1 K_qb R_b, which is none for fixed-interface modes.  What moves inside of the body is not reported by such
matrices: mass, centre, inertia, frequencies and all that acts at the grids are exact, and the change of the moments of
inertia by the modes is not known and counts as nothing (S and H of modes are zero: no centrifugal and Coriolis forces
on modes). That is good as long as the body spins slowly compared with its first frequency.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp

from .._summary import Summary
from ..model.base import ModelError
from ..model.reduced_body import ReducedBody
from .reduction import ALIKE, EMPTY, RIGID


@dataclass(frozen=True)
class Superelement(Summary):
    """``nodes`` (a,) ids of grids, ``places`` (a, 3) length; ``K``, ``M`` (6 a + q, 6 a + q): stiffness and mass, the
    six degrees of freedom of each grid and then the q coordinates of modes, in consistent units; ``lines`` (.., 2),
    ``faces`` (.., 3): by position, by which it is drawn."""

    nodes: Sequence[int]
    places: np.ndarray
    K: sp.csc_matrix
    M: sp.csc_matrix
    lines: np.ndarray = field(default_factory=lambda: np.zeros((0, 2), np.int64))
    faces: np.ndarray = field(default_factory=lambda: np.zeros((0, 3), np.int64))

    @property
    def coordinates(self) -> int:
        """How many coordinates of modes there are."""
        return self.K.shape[0] - 6 * len(self.nodes)

    def rigid(self, about: np.ndarray) -> np.ndarray:
        """(6 a + q, 6) rigid motions: translations, and rotations about a point."""
        a = len(self.nodes)
        R = np.zeros((self.K.shape[0], 6))
        grids = R[: 6 * a].reshape(a, 6, 6)
        grids[:, :3, :3] = grids[:, 3:, 3:] = np.eye(3)
        s = self.places - about
        for k, e in enumerate(np.eye(3)):
            grids[:, :3, 3 + k] = np.cross(e, s)
        if self.coordinates:
            # least squares: what has no stiffness takes no part, and where it should the rigid motion is found to be
            # resisted
            load = self.K[6 * a :, : 6 * a] @ R[: 6 * a]
            R[6 * a :] = -la.lstsq(self.K[6 * a :, 6 * a :].toarray(), load, cond=1e-14)[0]
        return R

    def reduced(
        self,
        interfaces: Sequence[int],
        modes: int,
        *,
        highest: float | None = None,
        effective: float | None = None,
        geometric: bool = True,
        mass_factor: float = 1.0,
        touching: Sequence[int] = (),
    ) -> ReducedBody:
        """Free modes of the body whose ``interfaces`` (ids of grids; none: all) are where joints and forces act.

        ``modes``: how many modes with the interfaces held are kept, of those that the superelement has; ``highest``:
        frequency (rad per time) above which these are left out; ``mass_factor``: on the mass.  ``geometric`` has
        nothing to act on: such matrices do not give stresses.  Raises `ModelError` for ``effective`` masses, which are
        not reported, for nodes ``touching``, as it has no surface, and for matrices that are not those of a free body,
        as `reduction.reduce`.
        """
        if len(touching):
            raise ModelError(
                "a superelement has no surface that could touch; give shapes on its grids' markers, or the mesh itself"
            )
        if effective is not None:
            raise ModelError(
                "effective masses of the modes of a superelement are not reported; choose them by modes= or highest="
            )
        K, M = self.K.tocsc(), (self.M * mass_factor).tocsc()
        a = len(self.nodes)
        index = {node: k for k, node in enumerate(self.nodes)}
        missing = [n for n in interfaces if n not in index]
        if missing:
            raise ModelError(f"there is no grid {missing[0]} among its {a} grids")
        interfaces = tuple(dict.fromkeys(interfaces)) or tuple(self.nodes)
        for name, A in (("stiffness", K), ("mass", M)):
            if A.shape != (K.shape[0], K.shape[0]) or A.shape[0] < 6 * a:
                raise ModelError(
                    f"its {name} is {A.shape[0]} x {A.shape[1]}; {a} grids have {6 * a} degrees of freedom"
                )
            if not np.all(np.isfinite(A.data)):
                raise ModelError(f"its {name} has entries that are not finite")
            if abs(A - A.T).max() > ALIKE * abs(A).max():
                raise ModelError(
                    f"its {name} is not symmetric (entries differ by {abs(A - A.T).max() / abs(A).max():.2g} of the "
                    "largest)"
                )
        R = self.rigid(np.zeros(3))
        total = R.T @ (M @ R)
        mass = total[0, 0]
        if not mass > 0.0:
            raise ModelError(f"its mass is {mass:g}; it must be positive")
        centre = np.array([total[5, 1], total[3, 2], total[4, 0]]) / mass
        R = self.rigid(centre)
        inertia = (R.T @ (M @ R))[3:, 3:]
        if not np.all(np.isfinite(R.T @ (M @ R))):
            raise ModelError(
                "its nodes are too far apart for floating-point numbers; give positions in a length unit of its size"
            )
        resistance = np.abs(K @ R).max(0) / np.maximum((abs(K) @ np.abs(R)).max(0), 1e-300)
        if resistance.max() > RIGID:
            what = ("along x", "along y", "along z", "about x", "about y", "about z")[int(resistance.argmax())]
            raise ModelError(
                f"its stiffness resists a rigid motion {what}; give that of the free body, without supports"
            )
        B = np.concatenate([6 * index[n] + np.arange(6) for n in interfaces])
        inner = np.setdiff1d(np.arange(K.shape[0]), B)
        try:
            Z = _basis(K, M, B, inner, modes, highest)
            values, vectors = la.eigh(Z.T @ (K @ Z), Z.T @ (M @ Z))
        except RuntimeError:  # of the sparse factor
            raise ModelError(
                "it has a motion without stiffness that its interfaces do not hold; name more of them, or leave that "
                "freedom out"
            ) from None
        except la.LinAlgError:
            raise ModelError(
                "its mass is not positive: a motion of its grids or modes has none; leave that freedom out"
            ) from None
        order = np.argsort(values)[6:]
        if not len(order):
            raise ModelError(
                "it has no modes in addition to the rigid motions; give two grids or more, or coordinates of modes"
            )
        if not values[order[0]] > 0.0 or values[order[0]] <= EMPTY * values.max():
            raise ModelError(
                "it has a motion without stiffness in addition to the six rigid ones; it falls apart, or its mass is "
                "not "
                "positive"
            )
        Phi = Z @ vectors[:, order]
        Phi -= R @ la.solve(R.T @ (M @ R), R.T @ (M @ Phi), assume_a="pos")
        Phi *= np.sign(Phi[np.abs(Phi).argmax(0), np.arange(Phi.shape[1])])
        Phi /= np.sqrt(np.einsum("ij,ij->j", Phi, M @ Phi))
        n = Phi.shape[1]
        S, H = np.zeros((n + 1, n + 1, 3, 3)), np.zeros((n + 1, n + 1, 3))
        S[0, 0] = inertia
        return ReducedBody(
            float(mass),
            centre,
            inertia,
            np.sqrt(values[order]),
            S,
            H,
            np.array(self.nodes),
            self.places,
            Phi[: 6 * a].reshape(a, 6, n),
            np.array(interfaces, np.int64),
            lines=self.lines,
            faces=self.faces,
        )


def _basis(K, M, B: np.ndarray, inner: np.ndarray, modes: int, highest: float | None) -> np.ndarray:
    """Static shapes of the interfaces, rigid motions among them, and fixed-interface modes (size, ..); dense, as
    matrices of superelements are."""
    K, M = (A.toarray() if sp.issparse(A) else np.asarray(A) for A in (K, M))
    low = np.zeros((len(inner), 0))
    if modes and len(inner):
        values, low = la.eigh(
            K[np.ix_(inner, inner)], M[np.ix_(inner, inner)], subset_by_index=(0, min(modes, len(inner)) - 1)
        )
        low = low if highest is None else low[:, values <= highest**2]
    Z = np.zeros((K.shape[0], len(B) + low.shape[1]))
    Z[B, np.arange(len(B))] = 1.0
    if len(inner):
        try:
            Z[inner, : len(B)] = -la.solve(K[np.ix_(inner, inner)], K[np.ix_(inner, B)], assume_a="sym")
        except la.LinAlgError:
            raise ModelError(
                "it has a motion without stiffness in addition to the six rigid ones; it falls apart"
            ) from None
        Z[inner, len(B) :] = low
    return Z
