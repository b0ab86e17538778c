"""Gaps between two surfaces of finite elements, linear in the displacements: g = g0 + B u.

Node to surface: each node of one surface meets the nearest point of the other's facets; g = n . (x_s - sum N_c x_c)
with the normal n of that facet, whose change by motion of the nearest point is of second order.

Surface to surface (mortar): gaps are weighted with the shape functions of one surface over the overlap of the facets of
both,

    g_A = int N_A g dG / w_A,    w_A = int N_A dG,    B_A = (int N_A n . (sum_D N_D^m du_D - sum_C N_C^s du_C) dG) /
        w_A,

with g measured along the normal of the facet of the first.  Overlaps are cut exactly (in space projected onto the plane
of the facet; Puso & Laursen, Comput. Methods Appl. Mech. Eng. 193 (2004) 601-629), so that a uniform pressure passes
through meshes that do not match.  A multiplier p_A is a force; p_A / w_A is the pressure at the node.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from ..._summary import Summary
from ...model.base import ModelError
from .continuum import Continuum

WAYS = ("node-to-surface", "surface-to-surface")
BESIDE = 1e-6  # of a facet, by which a nearest point may lie outside of it
FACING = -0.05  # cosine of the normals of facets that can meet
#: points and weights on [-1, 1]
LINE = np.polynomial.legendre.leggauss(3)
#: six points of a triangle, exact to degree 4 (Dunavant, Int. J. for Numerical Methods in Engineering 21 (1985)
#: 1129-1148)
_A, _B = 0.445948490915965, 0.091576213509771
TRIANGLE = np.array(
    [
        [1 - 2 * _A, _A, _A],
        [_A, 1 - 2 * _A, _A],
        [_A, _A, 1 - 2 * _A],
        [1 - 2 * _B, _B, _B],
        [_B, 1 - 2 * _B, _B],
        [_B, _B, 1 - 2 * _B],
    ]
)
WEIGHTS = np.array([0.223381589678011] * 3 + [0.109951743655322] * 3)


@dataclass(frozen=True, eq=False)
class Pairs(Summary):
    """Gaps ``gap`` (c,) at the positions where they were made, ``rows`` (c w, d (a1 + a2)) their change with
    displacements of both bodies, in each the normal first, then the tangents (w = 1 without friction); ``nodes`` (c,)
    of the first body; ``area`` (c,) that a multiplier represents; ``way``: unit directions
    (c w, d) of the force on the first body."""

    rows: sp.csr_matrix
    gap: np.ndarray
    nodes: np.ndarray
    area: np.ndarray
    way: np.ndarray

    @property
    def width(self) -> int:
        """Rows of a gap."""
        return self.rows.shape[0] // max(len(self.gap), 1)


def facets_of(body: Continuum, own: np.ndarray) -> list[np.ndarray]:
    """Facets of which all nodes are among ``own``."""
    on = np.zeros(len(body.places), bool)
    on[own] = True
    found = [f[on[f].all(1)] for f in body.facets]
    return [f for f in found if len(f)]


def normals(x: np.ndarray, facets: np.ndarray) -> np.ndarray:
    """(f, d) outward normals, of the length or area of the facets."""
    if facets.shape[1] == 2:
        t = x[facets[:, 1]] - x[facets[:, 0]]
        return np.column_stack([t[:, 1], -t[:, 0]])
    a, b = x[facets[:, 2]] - x[facets[:, 0]], x[facets[:, -1]] - x[facets[:, 1]]
    if facets.shape[1] == 3:
        b = x[facets[:, 2]] - x[facets[:, 0]]
        a = x[facets[:, 1]] - x[facets[:, 0]]
    return 0.5 * np.cross(a, b)


def nodal(x: np.ndarray, tables: list[np.ndarray], axis: bool) -> tuple[np.ndarray, np.ndarray]:
    """Of all nodes: unit normals (a, d) of the surface, and the area (a,) around them (of a body of revolution all
    around)."""
    n, area = np.zeros_like(x), np.zeros(len(x))
    for f in tables:
        m = normals(x, f)
        size = np.linalg.norm(m, axis=1)
        k = f.shape[1]
        if axis:  # int N 2 pi r along the edge
            r = x[f, 0]
            share = 2 * np.pi * size[:, None] * (r / 3.0 + r[:, ::-1] / 6.0)
        else:
            share = np.repeat(size[:, None] / k, k, axis=1)
        for j in range(k):
            np.add.at(n, f[:, j], m)
            np.add.at(area, f[:, j], share[:, j])
    size = np.linalg.norm(n, axis=1)
    n = n / np.where(size > 0.0, size, 1.0)[:, None]
    if axis:
        on = x[:, 0] == 0.0
        n[on] = np.column_stack([np.zeros(int(on.sum())), np.sign(n[on, 1])])
    return n, area


def tangents(n: np.ndarray) -> np.ndarray:
    """(c, d - 1, d) unit vectors across normals (c, d), alike for normals that are near each other."""
    if n.shape[1] == 2:
        return np.stack([np.column_stack([-n[:, 1], n[:, 0]])], axis=1)
    e = _beside(n.sum(0))
    t = e - (n @ e)[:, None] * n
    size = np.linalg.norm(t, axis=1)
    for k in np.flatnonzero(size < 0.1):  # turned by a right angle from the others
        other = _beside(n[k])
        t[k] = other - (n[k] @ other) * n[k]
    t /= np.linalg.norm(t, axis=1)[:, None]
    return np.stack([t, np.cross(n, t)], axis=1)


def _beside(mean: np.ndarray) -> np.ndarray:
    """The axis most across a direction; of several the first, whatever their last digits."""
    return np.eye(3)[int(np.round(np.abs(mean) / max(float(np.linalg.norm(mean)), 1e-300), 2).argmin())]


def pair(
    one: Continuum,
    other: Continuum,
    x1: np.ndarray,
    x2: np.ndarray,
    own1: np.ndarray,
    own2: np.ndarray,
    way: str,
    friction: bool,
    reach: float,
) -> Pairs:
    """Pairs at positions x1, x2 of the surfaces with the nodes own1, own2, of which the gap is below ``reach``
    (length)."""
    tables1, tables2 = facets_of(one, own1), facets_of(other, own2)
    for body, tables in ((one, tables1), (other, tables2)):
        if not tables:
            raise ModelError(
                f"the nodes of '{body.name}' that are to touch make no facet of its surface; give all nodes of one "
                "facet or more"
            )
    if way == "node-to-surface":
        return _by_nodes(one, other, x1, x2, own1, tables1, tables2, friction, reach)
    for body in (one, other):
        if not body.linear:
            raise ModelError(
                f"surface-to-surface contact integrates over facets of linear cells; '{body.name}' has quadratic ones: "
                "use node-to-surface, or linear cells"
            )
    return _by_surfaces(one, other, x1, x2, tables1, tables2, friction, reach)


# ---- node to surface -------------------------------------------------------------------------------------------------
def _by_nodes(one, other, x1, x2, own, tables1, tables2, friction, reach) -> Pairs:
    d = one.dimension
    normal1, area = nodal(x1, tables1, one.form == "axisymmetric")
    if one.form == "plane":
        area = area * min(one.thickness, other.thickness)
    own = own[area[own] > 0.0]
    found: dict[int, tuple] = {}
    for f in tables2:
        n2 = normals(x2, f)
        n2 = n2 / np.linalg.norm(n2, axis=1)[:, None]
        centre = x2[f].mean(1)
        size = np.linalg.norm(x2[f] - centre[:, None], axis=2).max(1)
        for at in range(0, len(own), 256):
            some = own[at : at + 256]
            away = np.linalg.norm(x1[some][:, None] - centre[None], axis=2)
            near = away - size <= np.minimum((away + size).min(1), reach + size.max())[:, None]
            near &= normal1[some] @ n2.T < FACING
            i, j = np.nonzero(near)
            if not len(i):
                continue
            shape, inside = _nearest(x1[some[i]], x2[f[j]], n2[j])
            gap = np.einsum("pd,pd->p", n2[j], x1[some[i]] - np.einsum("pk,pkd->pd", shape, x2[f[j]]))
            good = inside & (np.abs(gap) < reach)
            for p in np.flatnonzero(good):
                node = int(some[i[p]])
                if node not in found or abs(gap[p]) < abs(found[node][0]):
                    found[node] = (gap[p], n2[j[p]], f[j[p]], shape[p])
    nodes = np.array(sorted(found), np.int64)
    count = len(nodes)
    n = np.array([found[int(k)][1] for k in nodes]).reshape(count, d)
    way = (
        n[:, None]
        if not friction
        else np.concatenate([n[:, None], tangents(n)], axis=1)
        if count
        else np.zeros((0, d, d))
    )
    w = way.shape[1]
    rows, columns, numbers = [], [], []
    first = d * len(x1)
    for i, k in enumerate(nodes):
        _, _, f, shape = found[int(k)]
        for e in range(w):
            v = way[i, e]
            rows += [i * w + e] * (d + d * len(f))
            columns += [d * int(k) + c for c in range(d)] + [first + d * int(m) + c for m in f for c in range(d)]
            numbers += [*v, *(-s * c for s in shape for c in v)]
    B = sp.csr_matrix((numbers, (rows, columns)), shape=(count * w, d * (len(x1) + len(x2))))
    return Pairs(B, np.array([found[int(k)][0] for k in nodes]), nodes, area[nodes], way.reshape(-1, d))


def _nearest(p: np.ndarray, at: np.ndarray, n: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of points (p, d) the shape functions (p, k) at their feet on facets (p, k, d) with normals, and whether these lie
    on the facets."""
    k = at.shape[1]
    if k == 2:
        t = at[:, 1] - at[:, 0]
        s = np.einsum("pd,pd->p", p - at[:, 0], t) / np.einsum("pd,pd->p", t, t)
        inside = (s >= -BESIDE) & (s <= 1 + BESIDE)
        s = np.clip(s, 0.0, 1.0)
        return np.column_stack([1 - s, s]), inside
    # in the plane of the facet
    e = _plane(at, n)
    flat, q = np.einsum("pkd,ped->pke", at - at[:, :1], e), np.einsum("pd,ped->pe", p - at[:, 0], e)
    local = _local(q, flat)
    return _shape(local, k), _inside(local, k, BESIDE)


def _plane(at: np.ndarray, n: np.ndarray) -> np.ndarray:
    """(p, 2, 3) axes in the planes with normals n of facets (p, k, 3)."""
    t = at[:, 1] - at[:, 0]
    t = t - np.einsum("pd,pd->p", t, n)[:, None] * n
    t = t / np.linalg.norm(t, axis=1)[:, None]
    return np.stack([t, np.cross(n, t)], axis=1)


def _shape(local: np.ndarray, k: int) -> np.ndarray:
    s, t = local.T
    if k == 3:
        return np.column_stack([1 - s - t, s, t])
    return np.column_stack([(1 - s) * (1 - t), s * (1 - t), s * t, (1 - s) * t])


def _inside(local: np.ndarray, k: int, beside: float) -> np.ndarray:
    s, t = local.T
    if k == 3:
        return (s >= -beside) & (t >= -beside) & (s + t <= 1 + beside)
    return (s >= -beside) & (t >= -beside) & (s <= 1 + beside) & (t <= 1 + beside)


def _local(q: np.ndarray, flat: np.ndarray) -> np.ndarray:
    """(p, 2) local coordinates of points q (p, 2) in triangles or quadrilaterals (p, k, 2), from 0 to 1."""
    k = flat.shape[1]
    if k == 3:
        J = np.stack([flat[:, 1] - flat[:, 0], flat[:, 2] - flat[:, 0]], axis=2)
        return np.linalg.solve(J, (q - flat[:, 0])[:, :, None])[:, :, 0]
    x = np.full((len(q), 2), 0.5)
    for _ in range(25):
        s, t = x.T
        N = _shape(x, 4)
        r = np.einsum("pk,pkd->pd", N, flat) - q
        ds = np.column_stack([-(1 - t), 1 - t, t, -t])
        dt = np.column_stack([-(1 - s), -s, s, 1 - s])
        J = np.stack([np.einsum("pk,pkd->pd", ds, flat), np.einsum("pk,pkd->pd", dt, flat)], axis=2)
        det = J[:, 0, 0] * J[:, 1, 1] - J[:, 0, 1] * J[:, 1, 0]
        det = np.where(np.abs(det) > 1e-300, det, 1e-300)
        step = (
            np.column_stack([J[:, 1, 1] * r[:, 0] - J[:, 0, 1] * r[:, 1], J[:, 0, 0] * r[:, 1] - J[:, 1, 0] * r[:, 0]])
            / det[:, None]
        )
        x = np.clip(x - step, -3.0, 4.0)
        if np.abs(step).max(initial=0.0) < 1e-13:
            break
    return x


# ---- surface to surface ----------------------------------------------------------------------------------------------
def _by_surfaces(one, other, x1, x2, tables1, tables2, friction, reach) -> Pairs:
    d = one.dimension
    pieces = _overlaps_2d if d == 2 else _overlaps_3d
    round_ = one.form == "axisymmetric"
    thick = min(one.thickness, other.thickness) if one.form == "plane" else 1.0
    weight, gap = np.zeros(len(x1)), np.zeros(len(x1))
    rows, columns, numbers = [], [], []
    first = d * len(x1)
    w = d if friction else 1
    for f1 in tables1:
        n1 = normals(x1, f1)
        n1 = n1 / np.linalg.norm(n1, axis=1)[:, None]
        across = tangents(-n1) if friction else None
        for f2 in tables2:
            n2 = normals(x2, f2)
            n2 = n2 / np.linalg.norm(n2, axis=1)[:, None]
            c1, c2 = x1[f1].mean(1), x2[f2].mean(1)
            s1, s2 = (np.linalg.norm(x[f] - c[:, None], axis=2).max(1) for x, f, c in ((x1, f1, c1), (x2, f2, c2)))
            near = np.linalg.norm(c1[:, None] - c2[None], axis=2) <= s1[:, None] + s2[None] + reach
            near &= n1 @ n2.T < FACING
            for i, j in np.argwhere(near):
                for shape1, shape2, dG in pieces(x1[f1[i]], x2[f2[j]], n1[i]):
                    place = shape1 @ x1[f1[i]]
                    dG = dG * (2 * np.pi * place[0] if round_ else thick)
                    g = float(n1[i] @ (shape2 @ x2[f2[j]] - place))
                    v = -n1[i][None]
                    if friction:
                        v = np.concatenate([v, across[i]], axis=0)
                    for A, N in zip(f1[i], shape1):
                        weight[A] += N * dG
                        gap[A] += N * dG * g
                        for e in range(w):
                            at = [
                                *(N * dG * s * c for s in shape1 for c in v[e]),
                                *(-N * dG * s * c for s in shape2 for c in v[e]),
                            ]
                            rows += [int(A) * w + e] * len(at)
                            columns += [d * int(m) + c for m in f1[i] for c in range(d)] + [
                                first + d * int(m) + c for m in f2[j] for c in range(d)
                            ]
                            numbers += at
    nodes = np.flatnonzero(weight > 1e-9 * weight.max(initial=0.0))
    B = sp.csr_matrix((numbers, (rows, columns)), shape=(len(x1) * w, d * (len(x1) + len(x2))))
    B = B[(nodes[:, None] * w + np.arange(w)).ravel()]
    scale = np.repeat(1.0 / np.maximum(weight[nodes], 1e-300), w)
    B = (sp.diags(scale) @ B).tocsr()
    gap = gap[nodes] / weight[nodes]
    keep = np.abs(gap) < reach
    B = B[(np.flatnonzero(keep)[:, None] * w + np.arange(w)).ravel()]
    nodes, gap = nodes[keep], gap[keep]
    total = sp.kron(np.ones((len(x1), 1)), sp.eye(d)).tocsr()
    return Pairs(B, gap, nodes, weight[nodes], np.asarray((B[:, :first] @ total).todense()).reshape(-1, d))


def _overlaps_2d(a: np.ndarray, b: np.ndarray, n: np.ndarray):
    """Points of a quadrature over the part of an edge a that lies across from an edge b: shape functions on both,
    length."""
    t = a[1] - a[0]
    length = float(np.linalg.norm(t))
    s = (b - a[0]) @ t / length**2  # of the ends of b along a
    low, high = max(0.0, min(s)), min(1.0, max(s))
    if high - low < 1e-9 or abs(s[1] - s[0]) < 1e-12:
        return
    for x, w in zip(*LINE):
        p = 0.5 * (low + high) + 0.5 * (high - low) * x
        q = (p - s[0]) / (s[1] - s[0])
        yield np.array([1 - p, p]), np.array([1 - q, q]), 0.5 * w * (high - low) * length


def _overlaps_3d(a: np.ndarray, b: np.ndarray, n: np.ndarray):
    """The same of two faces, projected onto the plane of the first."""
    e = _plane(a[None], n[None])[0]
    p, q = (a - a[0]) @ e.T, (b - a[0]) @ e.T
    if _area(q) < 0.0:
        q = q[::-1]
        turned = True
    else:
        turned = False
    cut = _clip(p, q)
    if len(cut) < 3 or _area(cut) < 1e-10 * _area(p):
        return
    middle = cut.mean(0)
    points, weights = [], []
    for k in range(len(cut)):
        corner = np.array([middle, cut[k], cut[(k + 1) % len(cut)]])
        area = _area(corner)
        points.append(TRIANGLE @ corner)
        weights.append(WEIGHTS * area)
    x, w = np.vstack(points), np.concatenate(weights)
    # slopes of a face that is not flat enter by the ratio of its area to that of its projection, which is one for the
    # first face
    one = _shape(_local(x, np.broadcast_to(p, (len(x), *p.shape))), len(p))
    two = _shape(_local(x, np.broadcast_to(q, (len(x), *q.shape))), len(q))
    if turned:
        two = two[:, ::-1]
    yield from zip(one, two, w)


def _area(p: np.ndarray) -> float:
    x, y = p.T
    return 0.5 * float(x @ np.roll(y, -1) - y @ np.roll(x, -1))


def _clip(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """The common part of two convex polygons that run counterclockwise (Sutherland & Hodgman)."""
    out = list(p)
    for k in range(len(q)):
        a, b = q[k], q[(k + 1) % len(q)]
        side = lambda v, a=a, b=b: (b[0] - a[0]) * (v[1] - a[1]) - (b[1] - a[1]) * (v[0] - a[0])
        found = []
        for i, v in enumerate(out):
            u = out[i - 1]
            su, sv = side(u), side(v)
            if (su >= 0.0) != (sv >= 0.0):
                found.append(u + (v - u) * (su / (su - sv)))
            if sv >= 0.0:
                found.append(v)
        out = found
        if len(out) < 3:
            break
    return np.array(out).reshape(-1, 2)
