"""Finite elements of thin shells: flat triangles with six degrees of freedom a node.

Bending: discrete Kirchhoff triangle (Batoz, Bathe & Ho, Int. J. for Numerical Methods in Engineering 15 (1980)
1771-1812), without shear deformation. Membrane with drilling rotations: optimal triangle (Felippa, Computer Methods in
Applied Mechanics and Engineering 192 (2003) 2125-2168), whose bending in its plane is right for every aspect ratio.  A
quadrilateral is the mean of its two pairs of triangles, so it may be warped.

Mass is that of displacements linear in each triangle, and the rotary inertia rho t^3 / 12 of rotations about axes in
its plane, which gives exact rigid motions.  Stiffness of initial stresses: N_ij of the membrane on the slopes of linear
displacements.  Stresses on the top, which is where the corners go round anticlockwise, or the bottom: membrane +- t / 2
times the curvature at the corner, averaged over triangles that meet at a node, in global axes; across folds that
average is not a stress of either side.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from ..model.base import ModelError, shown
from . import cells
from .finite_elements import FiniteElements
from .solids import VOIGT

if TYPE_CHECKING:
    from .mesh import Material, Mesh

#: betas of the optimal triangle, 1 to 9
BETA = (1.0, 2.0, 1.0, 0.0, 1.0, -1.0, -1.0, -1.0, -2.0)
#: local degrees of freedom u, v, rz and w, rx, ry of the three corners
MEMBRANE = np.array([0, 1, 5, 6, 7, 11, 12, 13, 17])
BENDING = np.array([2, 3, 4, 8, 9, 10, 14, 15, 16])
#: triangles of a quadrilateral, two for each diagonal
SPLIT = np.array([[0, 1, 2], [0, 2, 3], [0, 1, 3], [1, 2, 3]])
SIDES = ("top", "bottom", "middle")
#: points of the quadrature of the curvatures: the middles of the sides
MIDDLES = np.array([[0.5, 0.0], [0.5, 0.5], [0.0, 0.5]])
CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])


def shell(mesh: Mesh, material: Material, thickness, *, mass: str = "consistent", side: str = "top") -> FiniteElements:
    """Finite elements of the triangles and quadrilaterals of a mesh, as a thin shell, with stresses at nodes and
    geometric stiffness.

    ``material``: consistent units (mass in force time^2 / length); ``thickness``: length, or region of the mesh ->
    length, every cell in one;
    ``mass``: "consistent" or "lumped"; ``side``: surface of the stresses, "top", "bottom" or "middle". Cells are
    oriented as the first of their connected region.

    Raises `ModelError` for a mesh without such cells or with quadratic ones, for cells without area, and for a
    thickness that is not positive.

        plate = hn.flexible.shell(hn.flexible.plate((0, 0, 0), (1, 0, 0), (0, 0.5, 0), (20, 10)),
            hn.flexible.Material(2.1e11, 0.3, 7850.0), 0.004)
    """
    for name, value, known in (("mass", mass, ("consistent", "lumped")), ("side", side, SIDES)):
        if not isinstance(value, str) or value not in known:
            raise ModelError(f"{name} of a shell is {shown(value)}; give {', '.join(known[:-1])} or {known[-1]}")
    if not hasattr(material, "nu"):
        raise ModelError(f"material is {shown(material)}; give a Material")
    if not isinstance(getattr(mesh, "cells", None), dict):
        raise ModelError(f"mesh is {shown(mesh)}; give a holonom.flexible.Mesh")
    curved = [k for k, t in mesh.cells.items() if k in ("triangle6", "quad8", "quad9") and len(t)]
    if curved:
        raise ModelError(
            f"a shell is of cells 'triangle' and 'quad'; the mesh has {curved[0]}: mesh it with straight ones"
        )
    tables = {k: t for k, t in mesh.cells.items() if k in ("triangle", "quad") and len(t)}
    if not tables:
        there = ", ".join(k for k, t in mesh.cells.items() if len(t)) or "nothing"
        raise ModelError(f"a shell needs cells 'triangle' or 'quad'; the mesh has {there}")
    cells.check_duplicates(tables, np.asarray(mesh.ids))
    used = np.unique(np.concatenate([t.ravel() for t in tables.values()]))
    number = np.full(len(mesh.points), -1)
    number[used] = np.arange(len(used))
    at, ids = mesh.points[used], np.asarray(mesh.ids)[used]
    thick = [_thickness(mesh, kind, len(t), thickness) for kind, t in tables.items()]
    faces = [number[t] for t in tables.values()]
    _turn(faces)
    corners, share, t = [], [], []
    for face, own in zip(faces, thick):
        split = np.array([[0, 1, 2]]) if face.shape[1] == 3 else SPLIT
        corners.append(face[:, split].reshape(-1, 3))
        share.append(np.full(len(corners[-1]), 1.0 if face.shape[1] == 3 else 0.5))
        t.append(np.repeat(own, len(split)))
    triangles = _Triangles(np.vstack(corners), at, np.concatenate(share), np.concatenate(t), material, ids)
    drawn = cells.triangles(faces)
    return FiniteElements(
        [int(i) for i in ids],
        at,
        triangles.assembled(triangles.stiffness()),
        triangles.assembled(triangles.mass(mass)),
        cells.edges(faces),
        triangles.geometric,
        drawn,
        triangles.stress({"top": 0.5, "bottom": -0.5, "middle": 0.0}[side]),
    )


def _thickness(mesh: Mesh, kind: str, count: int, given) -> np.ndarray:
    out = np.full(count, np.nan)
    for name, value in given.items() if isinstance(given, dict) else ((None, given),):
        if isinstance(value, bool) or not (isinstance(value, (int, float)) and 0.0 < value < 1e300):
            raise ModelError(
                f"thickness of a shell is {shown(value)}; give a positive number, or region of the mesh -> number"
            )
        if name is not None and name not in mesh.regions:
            raise ModelError(f"the mesh has no region {shown(name)}; it has {', '.join(mesh.regions) or 'none'}")
        own = np.arange(count) if name is None else np.asarray(mesh.regions[name].get(kind, ()), np.int64)
        if not np.all(np.isnan(out[own])):
            raise ModelError(
                f"{kind} {int(own[~np.isnan(out[own])][0])} is in two regions with a thickness; leave it in one"
            )
        out[own] = value
    if np.isnan(out).any():
        raise ModelError(
            f"{kind} {int(np.flatnonzero(np.isnan(out))[0])} (from 0), and {int(np.isnan(out).sum())} in all, have no "
            "thickness; name their regions"
        )
    return out


def _turn(faces: list[np.ndarray]) -> None:
    """Turn cells, in place, so that neighbours face the same way as the first of their piece; edges of more than two
    cells are passed over."""
    sides, first = [], 0
    for f in faces:
        k = f.shape[1]
        for j in range(k):
            sides.append(np.column_stack([f[:, j], f[:, (j + 1) % k], first + np.arange(len(f))]))
        first += len(f)
    side = np.vstack(sides)
    key = np.sort(side[:, :2], axis=1)
    order = np.lexsort(key.T)
    same = np.concatenate([[False], np.all(key[order[1:]] == key[order[:-1]], axis=1), [False]])
    pairs = np.flatnonzero(same[1:-1] & ~same[:-2] & ~same[2:])
    a, b = order[pairs], order[pairs + 1]
    against = side[a, 0] == side[b, 0]
    near: list[list[tuple[int, bool]]] = [[] for _ in range(first)]
    for p, q, turned in zip(side[a, 2].tolist(), side[b, 2].tolist(), against.tolist()):
        near[p].append((q, turned))
        near[q].append((p, turned))
    state = [-1] * first
    for start in range(first):
        if state[start] >= 0:
            continue
        state[start], todo = 0, [start]
        while todo:
            p = todo.pop()
            for q, turned in near[p]:
                if state[q] < 0:
                    state[q] = state[p] ^ int(turned)
                    todo.append(q)
    turn, first = np.array(state), 0
    for f in faces:
        own = np.flatnonzero(turn[first : first + len(f)] == 1)
        f[own] = f[own][:, ::-1]
        first += len(f)


class _Triangles:
    """Flat triangles (t, 3) of nodes at (a, 3), with their share (one, or a half of quadrilaterals) and thickness."""

    def __init__(self, corners, at, share, thickness, material: Material, ids) -> None:
        self.corners, self.share, self.t, self.material, self.size = corners, share, thickness, material, len(at)
        p = at[corners]
        a, b = p[:, 1] - p[:, 0], p[:, 2] - p[:, 0]
        normal = np.cross(a, b)
        double = np.linalg.norm(normal, axis=1)
        long = np.linalg.norm(p - np.roll(p, 1, axis=1), axis=2).max(1)
        bad = np.flatnonzero(~(double > cells.FLAT * long**2))
        if len(bad):
            raise ModelError(
                f"the cell at nodes {', '.join(str(int(k)) for k in ids[corners[bad[0]]])} has no area; fix the mesh"
            )
        z = normal / double[:, None]
        x = a / np.linalg.norm(a, axis=1)[:, None]
        self.axes = np.stack([x, np.cross(z, x), z], axis=2)  # columns
        self.area = 0.5 * double
        self.local = np.einsum("tki,tij->tkj", p - p[:, :1], self.axes)[:, :, :2]
        m = material
        self.law = (
            m.E / (1.0 - m.nu**2) * np.array([[1.0, m.nu, 0.0], [m.nu, 1.0, 0.0], [0.0, 0.0, 0.5 * (1.0 - m.nu)]])
        )
        self.turn = np.zeros((len(corners), 18, 18))  # local by global degrees of freedom
        for k in range(6):
            self.turn[:, 3 * k : 3 * k + 3, 3 * k : 3 * k + 3] = self.axes.transpose(0, 2, 1)
        x, y = self.local[:, :, 0], self.local[:, :, 1]
        d = lambda v: {f"{i + 1}{j + 1}": v[:, i] - v[:, j] for i in range(3) for j in range(3)}
        self.x, self.y = d(x), d(y)

    # ---- membrane ----------------------------------------------------------------------------------------------------
    def _pull(self) -> np.ndarray:
        """(t, 9, 3): forces of constant stresses on the membrane degrees of freedom, for one of thickness; strains are
        its transpose over the area."""
        x, y, c = self.x, self.y, 1.5
        out = np.zeros((len(self.area), 9, 3))
        for i, j, k in ((1, 2, 3), (2, 3, 1), (3, 1, 2)):
            xkj, yjk = x[f"{k}{j}"], y[f"{j}{k}"]
            xik, xji, yik, yji = x[f"{i}{k}"], x[f"{j}{i}"], y[f"{i}{k}"], y[f"{j}{i}"]
            xki, xij = -xik, -xji
            zero = np.zeros_like(xkj)
            n = 3 * (i - 1)
            out[:, n] = 0.5 * np.stack([yjk, zero, xkj], 1)
            out[:, n + 1] = 0.5 * np.stack([zero, xkj, yjk], 1)
            out[:, n + 2] = 0.5 * np.stack(
                [c / 6 * yjk * (yik - yji), c / 6 * xkj * (xki - xij), c / 3 * (xki * yik - xij * yji)], 1
            )
        return out

    def _membrane(self) -> np.ndarray:
        x, y, A = self.x, self.y, self.area
        pull = self._pull()
        K = np.einsum("tai,ij,tbj->tab", pull, self.law, pull, optimize=True) * (self.t / A)[:, None, None]
        l21, l32, l13 = (x[k] ** 2 + y[k] ** 2 for k in ("21", "32", "13"))
        lengths = np.stack([l21, l32, l13], 1)
        T = np.zeros((len(A), 3, 9))
        for k, name in enumerate(("32", "13", "21")):
            T[:, :, 3 * k] = (x[name] / (4 * A))[:, None]
            T[:, :, 3 * k + 1] = (y[name] / (4 * A))[:, None]
            T[:, k, 3 * k + 2] = 1.0
        natural = (
            np.stack(
                [
                    np.stack([y["23"] * y["13"], y["31"] * y["21"], y["12"] * y["32"]], 1),
                    np.stack([x["23"] * x["13"], x["31"] * x["21"], x["12"] * x["32"]], 1),
                    np.stack(
                        [
                            y["23"] * x["31"] + x["32"] * y["13"],
                            y["31"] * x["12"] + x["13"] * y["21"],
                            y["12"] * x["23"] + x["21"] * y["32"],
                        ],
                        1,
                    ),
                ],
                1,
            )
            * (lengths / (4 * A[:, None] ** 2))[:, None, :]
        )
        law = np.einsum("tki,kl,tlj->tij", natural, self.law, natural, optimize=True)
        b = BETA
        tables = (
            [[b[0], b[1], b[2]], [b[3], b[4], b[5]], [b[6], b[7], b[8]]],
            [[b[8], b[6], b[7]], [b[2], b[0], b[1]], [b[5], b[3], b[4]]],
            [[b[4], b[5], b[3]], [b[7], b[8], b[6]], [b[1], b[2], b[0]]],
        )
        Q = [(2.0 * A / 3.0)[:, None, None] * np.array(q) / lengths[:, :, None] for q in tables]
        high = np.zeros_like(law)
        for p, q in ((0, 1), (1, 2), (2, 0)):
            mean = 0.5 * (Q[p] + Q[q])
            high += np.einsum("tki,tkl,tlj->tij", mean, law, mean, optimize=True)
        beta0 = max(0.5 * (1.0 - 4.0 * self.material.nu**2), 0.01)
        high *= (0.75 * beta0 * A * self.t)[:, None, None]
        return K + np.einsum("tki,tkl,tlj->tij", T, high, T, optimize=True)

    # ---- bending -----------------------------------------------------------------------------------------------------
    def _curvatures(self, places: np.ndarray) -> np.ndarray:
        """(t, g, 3, 9) curvatures b_x,x, b_y,y, b_x,y + b_y,x by w, rx, ry of the corners, at positions (g, 2) of the
        reference triangle."""
        s, r = places.T
        # slopes of the quadratic shape functions: corners 1, 2, 3, then the middles 4 (23), 5 (31), 6 (12)
        l = 1.0 - s - r
        ds = np.array([1 - 4 * l, 4 * s - 1, 0 * s, 4 * r, -4 * r, 4 * (l - s)])
        dr = np.array([1 - 4 * l, 0 * s, 4 * r - 1, 4 * s, 4 * (l - r), -4 * s])
        a, b, c, d, e = ({} for _ in range(5))
        for k, name in ((4, "23"), (5, "31"), (6, "12")):
            x, y = self.x[name], self.y[name]
            l2 = x**2 + y**2
            a[k], b[k], c[k] = -x / l2, 0.75 * x * y / l2, (0.25 * x**2 - 0.5 * y**2) / l2
            d[k], e[k] = -y / l2, (0.25 * y**2 - 0.5 * x**2) / l2
        t, g = len(self.area), len(places)
        H = np.zeros((2, 2, t, g, 9))  # of b_x and b_y, along s and r
        for way, N in enumerate((ds, dr)):
            n = {k + 1: N[k][None, :] for k in range(6)}
            col = lambda v: v[:, None]
            for node, (p, q) in enumerate(((6, 5), (4, 6), (5, 4))):
                k = 3 * node
                H[0, way, :, :, k] = 1.5 * (col(a[p]) * n[p] - col(a[q]) * n[q])
                H[1, way, :, :, k] = 1.5 * (col(d[p]) * n[p] - col(d[q]) * n[q])
                H[0, way, :, :, k + 1] = col(b[p]) * n[p] + col(b[q]) * n[q]
                H[1, way, :, :, k + 2] = -H[0, way, :, :, k + 1]
                H[0, way, :, :, k + 2] = n[node + 1] - col(c[p]) * n[p] - col(c[q]) * n[q]
                H[1, way, :, :, k + 1] = -n[node + 1] + col(e[p]) * n[p] + col(e[q]) * n[q]
        x, y, A2 = self.x, self.y, 2.0 * self.area[:, None, None]
        along = lambda f: (y["31"][:, None, None] * f[0] + y["12"][:, None, None] * f[1]) / A2
        across = lambda f: -(x["31"][:, None, None] * f[0] + x["12"][:, None, None] * f[1]) / A2
        return np.stack([along(H[0]), across(H[1]), across(H[0]) + along(H[1])], axis=2)

    # ---- matrices ----------------------------------------------------------------------------------------------------
    def stiffness(self) -> np.ndarray:
        """(t, 18, 18), global degrees of freedom."""
        K = np.zeros((len(self.area), 18, 18))
        K[:, MEMBRANE[:, None], MEMBRANE] = self._membrane()
        B = self._curvatures(MIDDLES)
        K[:, BENDING[:, None], BENDING] = (
            np.einsum("tgia,ij,tgjb->tab", B, self.law, B, optimize=True)
            * (self.area / 3.0 * self.t**3 / 12.0)[:, None, None]
        )
        return self._global(K)

    def mass(self, how: str) -> np.ndarray:
        """(t, 18, 18), global degrees of freedom."""
        share = np.eye(3) / 3.0 if how == "lumped" else (np.ones((3, 3)) + np.eye(3)) / 12.0
        M = np.zeros((len(self.area), 3, 6, 3, 6))
        weight = self.material.density * self.area * self.t
        for c in range(3):
            M[:, :, c, :, c] = weight[:, None, None] * share
        for c in (3, 4):
            M[:, :, c, :, c] = (weight * self.t**2 / 12.0)[:, None, None] * share
        return self._global(M.reshape(-1, 18, 18))

    def _global(self, K: np.ndarray) -> np.ndarray:
        return np.matmul(self.turn.transpose(0, 2, 1), np.matmul(K, self.turn))

    def assembled(self, blocks: np.ndarray) -> sp.csc_matrix:
        """(6 a, 6 a) sum of blocks, quadrilaterals by their shares."""
        at = (6 * self.corners[:, :, None] + np.arange(6)).reshape(-1, 18)
        rows, columns = np.repeat(at, 18, axis=1).ravel(), np.tile(at, 18).ravel()
        return sp.csc_matrix(
            ((self.share[:, None, None] * blocks).ravel(), (rows, columns)), shape=(6 * self.size,) * 2
        )

    def geometric(self, u: np.ndarray) -> sp.csc_matrix:
        """Stiffness by the membrane stresses of displacements (6 a,)."""
        d = np.einsum("tij,tj->ti", self.turn, np.asarray(u).reshape(-1, 6)[self.corners].reshape(-1, 18))[:, MEMBRANE]
        N = np.einsum("ij,taj,ta->ti", self.law, self._pull(), d, optimize=True) * (self.t / self.area)[:, None]
        slope = np.stack(
            [
                np.stack([self.y[k] for k in ("23", "31", "12")], 1),
                np.stack([self.x[k] for k in ("32", "13", "21")], 1),
            ],
            2,
        )
        slope /= 2.0 * self.area[:, None, None]
        tensor = np.stack([np.stack([N[:, 0], N[:, 2]], 1), np.stack([N[:, 2], N[:, 1]], 1)], 1)
        pair = np.einsum("tai,tij,tbj->tab", slope, tensor, slope, optimize=True) * self.area[:, None, None]
        K = np.zeros((len(self.area), 3, 6, 3, 6))
        for c in range(3):
            K[:, :, c, :, c] = pair
        return self.assembled(K.reshape(-1, 18, 18))

    def stress(self, height: float) -> Callable[[np.ndarray], np.ndarray]:
        """At a height over the middle, as a share of the thickness: of displacements (6 a, n) the stresses (a, 6,
        n)."""

        def stress(u: np.ndarray) -> np.ndarray:
            u = np.asarray(u, float).reshape(self.size, 6, -1)
            n = u.shape[2]
            d = np.matmul(self.turn, u[self.corners].reshape(-1, 18, n))
            strain = np.einsum("tai,tan->tin", self._pull(), d[:, MEMBRANE]) / self.area[:, None, None]
            bend = np.einsum("tgia,tan->tgin", self._curvatures(CORNERS), d[:, BENDING], optimize=True)
            s = np.einsum("ij,tgjn->tgin", self.law, strain[:, None] + height * self.t[:, None, None, None] * bend)
            tensor = np.zeros((*s.shape[:2], 3, 3, n))
            tensor[:, :, 0, 0], tensor[:, :, 1, 1] = s[:, :, 0], s[:, :, 1]
            tensor[:, :, 0, 1] = tensor[:, :, 1, 0] = s[:, :, 2]
            tensor = np.einsum("tpi,tgijn,tqj->tgpqn", self.axes, tensor, self.axes, optimize=True)[
                :, :, VOIGT[0], VOIGT[1]
            ]
            nodes = self.corners.ravel()
            weight = np.repeat(self.share, 3)
            gather = sp.csr_matrix((weight, (nodes, np.arange(len(nodes)))), shape=(self.size, len(nodes)))
            out = gather @ tensor.reshape(len(nodes), -1) / np.bincount(nodes, weight, self.size)[:, None]
            return out.reshape(self.size, 6, n)

        return stress
