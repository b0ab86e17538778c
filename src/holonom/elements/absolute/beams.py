"""What beams of absolute nodal elements share: how coordinates are read, and the internal rotations and the membrane
that keep cubic axes from locking (`planar_beam`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...model.base import ModelError
from .points import drawn, gauss, per_element, positive, scales


@dataclass(frozen=True)
class BeamCoordinates:
    """How the coordinates of a beam of two nodes are read.

    ``what``: its name in messages; ``names``: of its properties, "length" among them; ``gradients``: of a node, the
    first along the axis; ``slope(xi, L) -> (S,)``: r_x on the axis over the vectors of an element of the length L."""

    what: str
    names: tuple[str, ...]
    gradients: int
    slope: Callable[[float, float], np.ndarray]

    def scales(self, unit: float) -> np.ndarray:
        """(S,) what vectors of nodes are multiplied by (`points.scales`)."""
        return scales(2, self.gradients, unit)

    def vectors(self, q, unit: float) -> np.ndarray:
        """(e, S, 3) vectors of nodes with gradients as such, of coordinates (e, n).  Raises ModelError."""
        S = 2 * (1 + self.gradients)
        return drawn(q, 3 * S, self.what).reshape(-1, S, 3) / self.scales(unit)[:, None]

    def arc(self, q: np.ndarray) -> np.ndarray:
        """(e,) lengths of axes as drawn, of vectors (e, S, 3), with r_x of unit length at nodes."""
        L = np.linalg.norm(q[:, 1 + self.gradients] - q[:, 0], axis=1)
        for _ in range(20):
            new = np.zeros(len(L))
            for a, b in zip(*gauss(5), strict=True):
                N = np.array([self.slope(a, one) for one in L]).reshape(-1, q.shape[1])
                new += b * L * np.linalg.norm(np.einsum("es,esd->ed", N, q), axis=1)
            done = np.abs(new - L).max(initial=0.0) <= 1e-14 * np.abs(L).max(initial=0.0)
            L = new
            if done:
                break
        return L

    def read(self, q0, properties, unit: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Vectors (e, S, 3), properties (e, k) and lengths (e,) of elements as drawn.  Raises ModelError."""
        q0 = drawn(q0, 6 * (1 + self.gradients), self.what)
        positive(self.what, unit=unit)
        p = np.asarray(properties, float)[..., : len(self.names)]
        p = per_element(p, len(q0), self.names, self.what)
        q = self.vectors(q0, unit)
        chord = np.linalg.norm(q[:, 1 + self.gradients] - q[:, 0], axis=1)
        if len(q) and not chord.min() > 1e-12 * max(np.abs(q0).max(), 1e-300):
            raise ModelError(
                f"element {int(chord.argmin()) + 1} of {self.what} has no length; its nodes lie at the same point"
            )
        length = p[:, self.names.index("length")]
        return q, p, np.where(length > 0.0, length, self.arc(q))

    def length(self, properties) -> float:
        """The length that properties give.  Raises ModelError where they give none."""
        L = float(properties[self.names.index("length")])
        if not L > 0.0:
            raise ModelError(f"positions on {self.what} need its length; give length in its properties")
        return L


def bubble(GA: float, EI: float, length: float) -> np.ndarray:
    """(3, 3) stiffness of shear strains at three points of Gauss, with two internal rotations eliminated."""
    x, w = gauss(3)
    phi = np.stack([4.0 * x * (1.0 - x), x * (1.0 - x) * (1.0 - 2.0 * x)], axis=1)
    bend = np.diag([16.0 / 3.0, 0.2])  # int of squares of their derivatives
    inner = phi.T * w @ phi + EI / (GA * length**2) * bend
    return GA * length * (np.diag(w) - (w[:, None] * phi) @ np.linalg.solve(inner, phi.T * w))


def membrane(EA: float, EI: float, share: np.ndarray, length: float) -> np.ndarray:
    """(3, 3) stiffness of stretches at three points of Gauss that represent ``share`` (3,) of the length.

    What is quadratic in them resists bending of an axis that is cubic and keeps its length at two points as well; it
    counts by 12 EI/(EA L^2), at most one."""
    x, _ = gauss(3)
    quadratic = share * (6.0 * x**2 - 6.0 * x + 1.0)
    whole = np.diag(share)
    quadratic = quadratic - share * (quadratic.sum() / share.sum())
    least = min(1.0, 12.0 * EI / (EA * length**2))
    p = quadratic / share
    return EA * (whole - (1.0 - least) * np.outer(quadratic, quadratic) / (p @ quadratic))


def turned_by_bubble(GA: float, EI: float, length: float) -> float:
    """2 (beta - beta^2/2) of the share beta of a shear strain that is a rotation of the section by the first internal
    mode.

    With the section turned by b = beta Gamma2 the stretch is Gamma1 + Gamma2 b - b^2/2; without that, an axis that
    bends inside of an element would be stretched."""
    beta = 1.0 / (1.0 + 10.0 * EI / (GA * length**2))
    return 2.0 * beta - beta**2


def straight(values: np.ndarray, xi: float) -> np.ndarray:
    """(..) at xi of the straight line that fits best through values (.., 3) at points of Gauss."""
    x, w = gauss(3)
    return values @ (w * (1.0 + 3.0 * (2.0 * x - 1.0) * (2.0 * xi - 1.0)))


def bent(GA: float, EI: float, length: float, shears: np.ndarray, xi: float) -> tuple[np.ndarray, np.ndarray]:
    """Shear strain and curvature at xi compared with the mean one, of strains t . d2 (.., 3) at points of Gauss: the
    section turns by internal rotations (`bubble`), without which the cubic axis of a bent beam would be taken for shear
    and moments would be constant along the element."""
    x, w = gauss(3)
    phi = np.stack([4.0 * x * (1.0 - x), x * (1.0 - x) * (1.0 - 2.0 * x)], axis=1)
    inner = phi.T * w @ phi + EI / (GA * length**2) * np.diag([16.0 / 3.0, 0.2])
    turns = shears @ np.linalg.solve(inner, phi.T * w).T
    slope = np.array([4.0 - 8.0 * xi, 1.0 - 6.0 * xi + 6.0 * xi**2])
    return straight(shears - turns @ phi.T, xi), turns @ slope / length
