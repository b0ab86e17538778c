"""Plates of absolute nodal elements: surfaces that are polynomials over u and v, from 0 to 1 in an element, nodes at
(0, 0), (1, 0), (1, 1), (0, 1), and what the elements on them share (`thin_plate`, `conforming_plate`,
`thick_plate`)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from ...model.base import ModelError
from . import points
from .materials import MATERIAL, known
from .materials import material as material_of
from .points import drawn, gauss, per_element, positive, strains_of
from .strains import SURFACE

NODES, DIM = 4, 3
PROPERTIES = ("thickness", "a", "b", "shear", *MATERIAL)
RESULTANTS = ("force xx", "force yy", "force xy", "moment xx", "moment yy", "moment xy")
CORNERS = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))
#: exponents of u and v, and derivatives at the corners that coordinates are: ACM and Bogner-Fox-Schmit
ACM = ((0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2), (3, 0), (2, 1), (1, 2), (0, 3), (3, 1), (1, 3))
BFS = tuple((i, j) for i in range(4) for j in range(4))


def _powers(exponents, u: float, v: float, du: int, dv: int) -> np.ndarray:
    out = np.zeros(len(exponents))
    for n, (i, j) in enumerate(exponents):
        if du <= i and dv <= j:
            a = np.prod([i - k for k in range(du)]) if du else 1.0
            b = np.prod([j - k for k in range(dv)]) if dv else 1.0
            out[n] = a * u ** (i - du) * b * v ** (j - dv)
    return out


@cache
def _coefficients(exponents) -> np.ndarray:
    """(monomials, S) of shape functions on the unit square."""
    own = ((0, 0), (1, 0), (0, 1), (1, 1))[: len(exponents) // 4]
    return np.linalg.inv(np.array([_powers(exponents, u, v, *d) for u, v in CORNERS for d in own]))


def shape(exponents, u: float, v: float, a: float, b: float, du: int = 0, dv: int = 0) -> np.ndarray:
    """(S,) derivatives of shape functions by x (du times) and y (dv times)."""
    own = np.array([1.0, a, b, a * b][: len(exponents) // 4])
    return _powers(exponents, u, v, du, dv) @ _coefficients(exponents) * np.tile(own, 4) / (a**du * b**dv)


def surface(exponents, u: float, v: float, a: float, b: float) -> np.ndarray:
    """(5, S): r_x, r_y, r_xx, r_xy, r_yy of the coordinates."""
    return np.array([shape(exponents, u, v, a, b, *d) for d in ((1, 0), (0, 1), (2, 0), (1, 1), (0, 2))])


def metric_stiffness(t: np.ndarray, E: float, nu: float) -> np.ndarray:
    """(3, 3) plane stress for strains xx, yy, 2 xy by tangents t (2, 3) of the surface as drawn."""
    A = np.linalg.inv(t @ t.T)
    c = lambda a, b, k, l: nu * A[a, b] * A[k, l] + 0.5 * (1 - nu) * (A[a, k] * A[b, l] + A[a, l] * A[b, k])
    pairs = ((0, 0), (1, 1), (0, 1))
    return E / (1 - nu**2) * np.array([[c(*p, *r) for r in pairs] for p in pairs])


def plate_properties(thickness, material, a, b, shear, what) -> np.ndarray:
    """Properties of plates of all kinds."""
    positive(what, thickness=thickness)
    known(what, material, rubber=False)
    for name, value in (("a", a), ("b", b)):
        if not (value >= 0.0 and np.isfinite(value)):
            raise ModelError(f"{name} of {what} is {value!r}; give a positive number, or 0 for the length of its sides")
    return np.array([thickness, a, b, shear, *material.parameters])


@dataclass(frozen=True)
class Plate:
    """Elements on the surface of these ``exponents``, as the file of a kind has them (`elements.absolute`).

    ``what``: its name in messages; ``orders``: of the unit of the mesh that vectors of a node are multiplied by, 0 of
    the position, 1 of gradients, 2 of the twist r_xy; ``rule``: points of Gauss along a side; ``columns``: of its
    vectors, those of the surface, None for all."""

    what: str
    exponents: tuple[tuple[int, int], ...]
    orders: tuple[int, ...]
    rule: int = 3
    columns: tuple[int, ...] | None = None

    def scale(self, unit: float) -> np.ndarray:
        """(S,) what vectors of the nodes are multiplied by in coordinates of a mesh whose gradients have the length
        ``unit``."""
        return np.array([1.0, unit, unit * unit])[np.tile(self.orders, NODES)]

    def read(self, q0, properties, unit: float):
        """Vectors of nodes (e, S, 3) with gradients as such, properties (e, k), a and b (e,).  Raises ModelError."""
        S, step = NODES * len(self.orders), len(self.orders)
        q0 = drawn(q0, S * DIM, self.what)
        positive(self.what, unit=unit)
        p = per_element(properties, len(q0), PROPERTIES, self.what)
        first = np.where(np.arange(S) % step == 0, 1.0, unit)
        q = q0.reshape(-1, S, DIM) / (self.scale(unit) / first)[:, None] / first[:, None]
        r = q[:, ::step]
        sides = np.linalg.norm(r[:, [1, 2, 3, 0]] - r, axis=2)
        if len(q) and not sides.min() > 1e-12 * max(np.abs(q0).max(), 1e-300):
            raise ModelError(
                f"a side of element {int(sides.min(1).argmin()) + 1} of {self.what} has no length; two of its nodes "
                "lie at one place"
            )
        return (
            q,
            p,
            np.where(p[:, 1] > 0, p[:, 1], 0.5 * (sides[:, 0] + sides[:, 2])),
            np.where(p[:, 2] > 0, p[:, 2], 0.5 * (sides[:, 1] + sides[:, 3])),
        )

    def inverted(self, q, a, b) -> str:
        """Where the tangents of a surface lie along each other, or its normal turns over against that in the middle."""
        q = q if self.columns is None else q[list(self.columns)]
        middle = np.cross(*(surface(self.exponents, 0.5, 0.5, a, b)[:2] @ q))
        for u in (0.0, 0.5, 1.0):
            for v in (0.0, 0.5, 1.0):
                n = np.cross(*(surface(self.exponents, u, v, a, b)[:2] @ q))
                if not n @ middle > 1e-9 * np.linalg.norm(n) * np.linalg.norm(middle):
                    return f"at u = {u:g}, v = {v:g}"
        return ""

    def refuse_inverted(self, q, a, b, i) -> None:
        """Raises ModelError for an element as drawn that no surface has."""
        fault = self.inverted(q, a, b)
        if fault:
            raise ModelError(
                f"element {i + 1} of {self.what} is inverted {fault}: its normal turns over there; give its nodes "
                "round the element, r_x from the first to the second and r_y from the first to the fourth, or take "
                "smaller elements"
            )

    def rows(self, q0, properties, unit: float = 1.0) -> np.ndarray:
        """(e, R) data rows of thin elements, unloaded as drawn: ``q0`` (e, n) nodes round the element, r_x and r_y
        tangents of the surface by x and y, times ``unit`` (length), r_xy (zero where it is flat) times its square;
        ``properties`` (10,) or (e, 10).  Raises ModelError for elements that are inverted or have sides without
        length."""
        out = []
        for i, (q, p, a, b) in enumerate(zip(*self.read(q0, properties, unit))):
            self.refuse_inverted(q, a, b, i)
            out.append(self._row(q, a, b, p, self.scale(unit)))
        return points.stack_rows(out, self.what)

    def _row(self, q, a, b, p, scale):
        material = material_of(p[4:])
        pts: list[tuple[int, int, np.ndarray]] = []
        e0: list[float] = []
        D = np.zeros((6 * self.rule**2, 6 * self.rule**2))
        x, w = gauss(self.rule)
        for i in range(self.rule):
            for j in range(self.rule):
                B = surface(self.exponents, x[i], x[j], a, b)
                g = B @ q
                C = metric_stiffness(g[:2], material.E, material.nu) * (
                    w[i] * w[j] * a * b * np.linalg.norm(np.cross(g[0], g[1]))
                )
                o = 6 * len(pts)
                D[o : o + 3, o : o + 3] = p[0] * C
                D[o + 3 : o + 6, o + 3 : o + 6] = p[0] ** 3 / 12.0 * C
                pts.append((SURFACE, 6, B))
                e0 += list(strains_of(SURFACE, 6, g.ravel()))
        return points.row(pts, np.array(e0), D, scale, tau=material.tau)

    def masses(self, q0, properties, unit: float = 1.0) -> np.ndarray:
        """(e, n, n) consistent masses of thin elements: int rho h N^T N dA."""
        S = len(self.exponents)
        out = []
        x, w = gauss(4)
        for q, p, a, b in zip(*self.read(q0, properties, unit)):
            mass = np.zeros((S, S))
            for i in range(4):
                for j in range(4):
                    N = shape(self.exponents, x[i], x[j], a, b) / self.scale(unit)
                    area = np.linalg.norm(np.cross(*(surface(self.exponents, x[i], x[j], a, b)[:2] @ q)))
                    mass += p[8] * p[0] * w[i] * w[j] * a * b * area * np.outer(N, N)
            out.append(mass)
        return np.einsum("eij,ab->eiajb", np.reshape(out, (-1, S, S)), np.eye(DIM)).reshape(-1, DIM * S, DIM * S)

    def faults(self, q, properties, unit: float = 1.0, q0=None) -> str:
        """One sentence about the first element that is inverted at coordinates ``q`` (e, n), or "": what a solver gives
        when an element collapsed.  ``q0`` (e, n): as drawn, from which sides come that properties do not give."""
        _, _, a, b = self.read(q if q0 is None else q0, properties, unit)
        for i, one in enumerate(self.read(q, properties, unit)[0]):
            fault = self.inverted(one, a[i], b[i])
            if fault:
                return (
                    f"element {i + 1} of {self.what} is inverted {fault}; load it in smaller steps, or take smaller "
                    "elements"
                )
        return ""

    def weights(self, properties, xi, unit: float = 1.0) -> np.ndarray:
        """(3, S): position, r_x and r_y at xi = (u, v), over the vectors of a thin element with these properties, whose
        a and b are given."""
        a, b = sides(properties, "positions on")
        return np.array([shape(self.exponents, xi[0], xi[1], a, b, *d) for d in ((0, 0), (1, 0), (0, 1))]) / self.scale(
            unit
        )

    def resultants(self, properties, xi, q, unit: float = 1.0) -> np.ndarray:
        """(.., 6) forces N and moments M per length at xi = (u, v), by x and y, of thin elements that are rectangles of
        sides a and b as drawn."""
        p = np.asarray(properties, float)
        a, b = sides(p, "resultants of")
        q = np.asarray(q, float)
        scale = self.scale(unit)
        g = np.einsum(
            "as,...sd->...ad",
            surface(self.exponents, xi[0], xi[1], a, b),
            q.reshape(*q.shape[:-1], len(scale), DIM) / scale[:, None],
        )
        e = np.array([strains_of(SURFACE, 6, one) for one in g.reshape(-1, 15)]).reshape(*q.shape[:-1], 6)
        e[..., :2] -= 0.5
        return forces_and_moments(p, e)


def sides(properties, what: str) -> tuple[float, float]:
    """a and b that properties give.  Raises ModelError where they give none."""
    a, b = (float(x) for x in properties[1:3])
    if not (a > 0.0 and b > 0.0):
        raise ModelError(f"{what} a plate need its sides; give a and b in its properties")
    return a, b


def forces_and_moments(p: np.ndarray, e: np.ndarray) -> np.ndarray:
    """(.., 6) of strains e (.., 6) of a flat plate with properties p."""
    material = material_of(p[4:])
    C = metric_stiffness(np.eye(3)[:2], material.E, material.nu)
    return np.concatenate([p[0] * e[..., :3] @ C, p[0] ** 3 / 12.0 * e[..., 3:] @ C], axis=-1)
