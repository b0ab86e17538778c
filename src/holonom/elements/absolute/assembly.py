"""Meshes of absolute nodal elements as sparse matrices, without a model: studies of elements, statics by load steps,
frequencies.

    from holonom.elements.absolute import spatial_beam as kind
    mesh = Assembly(kind, positions, cells, kind.properties(section, material))
    q = mesh.rest(load, fixed)

Coordinates q (nodes PER_NODE,) follow node by node, as in a mesh of a model; the unloaded mesh is the one that is
drawn.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...model.base import ModelError

HALVINGS = 12  # of a load step that does not converge


class Assembly:
    """Elements of one kind (a module of this package) over nodes: ``places`` (nodes, PER_NODE) as drawn, gradients
    times
    ``unit``; ``cells`` (e, NODES): numbers of nodes from zero; ``properties`` (k,) or (e, k), as the kind makes them.
    Raises ModelError for what the kind refuses and nodes that there are not."""

    def __init__(self, kind: Any, places: Any, cells: Any, properties: Any, unit: float = 1.0):
        self.kind, self.unit = kind, unit
        places = np.asarray(places, float)
        if places.ndim != 2 or places.shape[1] != kind.PER_NODE:
            raise ModelError(f"places of {kind.WHAT} have the shape {places.shape}; give (nodes, {kind.PER_NODE})")
        cells = np.asarray(cells)
        if cells.ndim != 2 or cells.shape[1] != kind.NODES or not np.issubdtype(cells.dtype, np.integer):
            raise ModelError(
                f"cells of {kind.WHAT} have the shape {cells.shape}; give whole numbers (elements, {kind.NODES})"
            )
        if cells.size and not 0 <= cells.min() <= cells.max() < len(places):
            raise ModelError(
                f"cells of {kind.WHAT} name nodes that there are not; give numbers from 0 to {len(places) - 1}"
            )
        self.drawn = places.ravel().copy()
        self.at = (cells[:, :, None] * kind.PER_NODE + np.arange(kind.PER_NODE)).reshape(len(cells), -1)
        self.properties = np.broadcast_to(np.asarray(properties, float), (len(cells), np.shape(properties)[-1]))
        self.data = kind.rows(self.drawn[self.at], self.properties, unit)
        self.n = self.at.shape[1]
        self.rows = np.repeat(self.at, self.n, axis=1).ravel()
        self.cols = np.tile(self.at, (1, self.n)).ravel()

    def _sparse(self, values: np.ndarray) -> sp.csc_matrix:
        return sp.csc_matrix((values.ravel(), (self.rows, self.cols)), (len(self.drawn), len(self.drawn)))

    def forces(self, q: np.ndarray, rates: np.ndarray | None = None) -> np.ndarray:
        """(N,) elastic and damping forces."""
        out, f = np.zeros(len(self.drawn)), np.zeros(self.n)
        v = np.zeros_like(q) if rates is None else rates
        for e, at in enumerate(self.at):
            self.kind.forces(self.data, e, q[at], v[at], f)
            out[at] += f
        return out

    def stiffness(self, q: np.ndarray, rates: np.ndarray | None = None) -> sp.csc_matrix:
        """(N, N) minus the derivative of forces by coordinates."""
        values = np.zeros((len(self.at), self.n, self.n))
        C = np.zeros((self.n, self.n))
        v = np.zeros_like(q) if rates is None else rates
        for e, at in enumerate(self.at):
            self.kind.stiffness(self.data, e, q[at], v[at], values[e], C)
        return self._sparse(values)

    def energy(self, q: np.ndarray) -> float:
        """Strain energy."""
        z = np.zeros(self.n)
        return float(sum(self.kind.energies(self.data, e, q[at], z)[0] for e, at in enumerate(self.at)))

    def mass(self) -> sp.csc_matrix:
        """(N, N) consistent mass."""
        return self._sparse(self.kind.masses(self.drawn[self.at], self.properties, self.unit))

    def rest(
        self,
        load: np.ndarray | Callable[[np.ndarray, float], tuple[np.ndarray, Any]],
        fixed: Any,
        *,
        steps: int = 1,
        start: np.ndarray | None = None,
        tolerance: float = 1e-9,
        maxit: int = 40,
    ) -> np.ndarray:
        """(N,) coordinates at rest under a load that grows in equal steps, by Newton's method; a step that does not
        converge is halved.  Loads of what yields continue from those before.

        ``load`` (N,): forces on coordinates that keep their directions, or ``load(q, share)``: forces at the share of
        the load, from 0 to 1, and their derivative by q
        (N, N) or None; ``fixed``: numbers of coordinates that keep their values; ``tolerance``: of the last correction,
        over the size of the mesh. Raises ModelError where no equilibrium is found, with the element that is inverted
        where one is.
        """
        from scipy.sparse.linalg import splu

        q = self.drawn.copy() if start is None else np.array(start, float)
        free = np.setdiff1d(np.arange(len(q)), np.asarray(fixed, int))
        size = np.ptp(self.drawn.reshape(-1, self.kind.PER_NODE)[:, :3], axis=0).max()
        share, step, halvings = 0.0, 1.0 / steps, 0
        while share < 1.0 - 1e-12:
            goal = min(share + step, 1.0)
            found = self._newton(q, goal, load, free, tolerance * size, maxit, splu)
            if found is None:
                step *= 0.5
                halvings += 1
                if halvings > HALVINGS:
                    why = self.kind.faults(q[self.at], self.properties, self.unit, self.drawn[self.at])
                    what = f"no equilibrium of {self.kind.WHAT} was found at {goal:.4g} of the load"
                    raise ModelError(f"{what}{': ' + why if why else '; hold what is free, or give less load'}")
                continue
            q, share = found, goal
            self.accept(q)
        why = self.kind.faults(q[self.at], self.properties, self.unit, self.drawn[self.at])
        if why:
            raise ModelError(why)
        return q

    def accept(self, q: np.ndarray) -> None:
        """What elements remember (plastic bending) is brought up to these coordinates."""
        for e, at in enumerate(self.at) if hasattr(self.kind, "accept") else ():
            self.kind.accept(self.data, e, q[at])

    def _newton(self, q, share, load, free, tolerance, maxit, splu):
        q = q.copy()
        for _ in range(maxit):
            force, change = load(q, share) if callable(load) else (share * load, None)
            K = self.stiffness(q)
            if change is not None:
                K = K - sp.csc_matrix(change)
            residual = (self.forces(q) + force)[free]
            try:
                d = splu(K[free][:, free].tocsc()).solve(residual)
            except RuntimeError:  # exactly singular
                return None
            if not np.isfinite(d).all() or np.abs(d).max() > 1e6 * max(tolerance, np.abs(self.drawn).max()):
                return None
            q[free] += d
            if np.abs(d).max(initial=0.0) < tolerance:
                return q
        return None

    def frequencies(self, count: int, fixed: Any, q: np.ndarray | None = None) -> np.ndarray:
        """(count,) lowest angular frequencies about coordinates at rest, those as drawn by default, rad/time; zero for
        motions that nothing holds."""
        from scipy.linalg import eigh

        free = np.setdiff1d(np.arange(len(self.drawn)), np.asarray(fixed, int))
        K = self.stiffness(self.drawn if q is None else q)[free][:, free].toarray()
        M = self.mass()[free][:, free].toarray()
        values = eigh(0.5 * (K + K.T), M, eigvals_only=True, subset_by_index=[0, count - 1])
        return np.sqrt(np.maximum(values, 0.0))
