"""Two bodies pressed together: the forces of their gaps at rest.

    0 <= p  _|_  g0 - closing + W p >= 0,    W = B K^-1 B^T,

with K of what is held, or, of a body that floats, with the inertia of the rigid acceleration that the forces make
against them (its position is that of its centre of mass).  Friction is left out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..._summary import Summary
from ...model.base import ModelError, shown
from .contact import Contact
from .coordinates import inertia_relief

WIDER = 2.0  # how many closings a gap may be open that counts at first


@dataclass(frozen=True, eq=False)
class Pressed(Summary):
    """Bodies at rest under a contact.

    ``closing``: length by which they were moved together; ``force``: sum of the normal forces; ``nodes`` (k,) of the
    first body at which gaps are shut, with ``forces`` (k,), ``pressure`` (k,) and ``places`` (k, d); ``u``:
    displacements (a, d) of both, next to that move; ``energy``: elastic.
    """

    contact: Contact
    closing: float
    force: float
    nodes: np.ndarray
    forces: np.ndarray
    pressure: np.ndarray
    places: np.ndarray
    u: tuple[np.ndarray, np.ndarray]
    energy: float

    @property
    def extent(self) -> float:
        """Largest distance of a shut node from the centre of the forces, along the surface: a radius, or half a
        width."""
        way = self.contact.pairs.way[0]
        axis = self.contact.one.form == "axisymmetric"
        centre = np.array([0.0, 0.0]) if axis else self.forces @ self.places / self.forces.sum()
        away = self.places - centre
        if axis:
            return float(self.places[:, 0].max())
        return float(np.linalg.norm(away - (away @ way)[:, None] * way, axis=1).max())

    def __repr__(self) -> str:
        return (
            f"<pressed by {self.closing:.6g}: force {self.force:.6g}, {len(self.nodes)} gaps shut, largest pressure "
            f"{self.pressure.max(initial=0.0):.6g}>"
        )


class Press:
    """Compliance of the gaps of a contact, kept between loads: `by` a closing, `with_force` a force."""

    def __init__(self, contact: Contact) -> None:
        if contact.friction > 0.0:
            raise ModelError("bodies are pressed together without friction; give a contact with friction=0")
        self.contact = contact
        p = contact.pairs
        d = contact.one.dimension
        self.cut = d * len(contact.one.places)
        self.B = p.rows
        self.static: tuple[Callable, Callable] = (inertia_relief(contact.one), inertia_relief(contact.other))
        self.known = np.zeros(0, np.int64)
        self.U = np.zeros((p.rows.shape[1], 0))
        #: change of the gaps for a unit of closing along the normal where the bodies are nearest
        self.along = -p.way[int(p.gap.argmin())]
        self.rate = -np.asarray(self.B[:, : self.cut] @ np.tile(self.along, len(contact.one.places))).ravel()

    def _take(self, rows: np.ndarray) -> None:
        new = np.setdiff1d(rows, self.known)
        if not len(new):
            return
        loads = self.B[new].toarray().T
        U = np.vstack([self.static[0](loads[: self.cut]), self.static[1](loads[self.cut :])])
        self.known, self.U = np.concatenate([self.known, new]), np.hstack([self.U, U])

    def by(self, closing: float) -> Pressed:
        """Pressed together by a length.  Raises `ModelError` for a value that is not a positive length, and where gaps
        do not converge."""
        if (
            isinstance(closing, bool)
            or not isinstance(closing, (int, float, np.number))
            or not (0.0 < closing < np.inf)
        ):
            raise ModelError(f"closing of two bodies is {shown(closing)}; give a positive length")
        from .complementarity import solve

        g = self.contact.pairs.gap - closing * self.rate
        some = np.flatnonzero(g < WIDER * closing)
        for _ in range(20):
            self._take(some)
            place = np.argsort(self.known)[np.searchsorted(np.sort(self.known), some)]
            U = self.U[:, place]
            W = np.ascontiguousarray(self.B[some] @ U)
            W = 0.5 * (W + W.T)
            m = len(some)
            p = np.zeros(m)
            solve(W, np.concatenate([g[some], np.zeros(4)]), p, np.zeros(m, bool), np.zeros((m, m)), 0.0, 1, m)
            u = U @ p
            open_ = g + self.B @ u
            open_[some] = 0.0
            missed = np.flatnonzero(open_ < 0.0)
            if not len(missed):
                break
            some = np.union1d(some, missed)
        else:
            raise ModelError(
                f"gaps of '{self.contact.one.name}' on '{self.contact.other.name}' do not converge; refine the "
                "surface, "
                "or press less"
            )
        on = p > 0.0
        nodes = self.contact.pairs.nodes[some[on]]
        d = self.contact.one.dimension
        return Pressed(
            self.contact,
            float(closing),
            float(p.sum()),
            nodes,
            p[on],
            p[on] / self.contact.pairs.area[some[on]],
            self.contact.one.places[nodes],
            (u[: self.cut].reshape(-1, d), u[self.cut :].reshape(-1, d)),
            0.5 * float(p @ W @ p),
        )

    def with_(self, value: Callable[[Pressed], float], wanted: float, guess: float) -> Pressed:
        """The closing at which a rising number of the state is ``wanted``."""
        low, high, x = 0.0, np.inf, guess
        f_low = 0.0
        state = self.by(x)
        for _ in range(60):
            f = value(state)
            if abs(f - wanted) < 1e-6 * wanted:
                return state
            if f < wanted:
                low, f_low = x, f
            else:
                high, f_high = x, f
            if not np.isfinite(high):
                x = 2.0 * x
            else:
                share = (wanted - f_low) / (f_high - f_low)
                x = low + (high - low) * min(max(share, 0.1), 0.9)
            state = self.by(x)
        return state

    def with_force(self, force: float) -> Pressed:
        """Pressed together by a force.  Raises `ModelError` as `by`."""
        if isinstance(force, bool) or not isinstance(force, (int, float, np.number)) or not (0.0 < force < np.inf):
            raise ModelError(f"the force that presses is {shown(force)}; give a positive number")
        return self.with_(lambda s: s.force, float(force), self.small())

    def with_energy(self, energy: float) -> Pressed:
        """Pressed together until the bodies hold an elastic energy."""
        return self.with_(lambda s: s.energy, float(energy), self.small())

    def small(self) -> float:
        """A closing that shuts some gaps: the smallest gap and a little of the spread of the others."""
        g = np.sort(self.contact.pairs.gap)
        size = float(np.ptp(self.contact.one.places, axis=0).max())
        return float(max(g[0], 0.0) + max(g[min(3, len(g) - 1)] - g[0], 1e-6 * size))


def press(contact: Contact, *, closing: float | None = None, force: float | None = None) -> Pressed:
    """Two bodies at rest, moved together by ``closing`` (length, along the normal where they are nearest) or pressed by
    ``force``.

    Bodies are held by `Continuum.hold`; one that floats is pressed against its own inertia.  Raises `ModelError` for
    none or both of these, for friction, and for invalid values.
    """
    if (closing is None) == (force is None):
        raise ModelError("two bodies are pressed by a closing or by a force; give one of them")
    made = Press(contact)
    return made.by(closing) if closing is not None else made.with_force(force)
