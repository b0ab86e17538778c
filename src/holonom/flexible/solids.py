"""Finite elements of solids: linear elasticity on tetrahedra and hexahedra, linear and quadratic.

With the slopes B of the shape functions N and the isotropic law s = l tr(e) I + 2 m e, K = sum w B^T D B and M = sum w
rho N^T N over the points of the quadratures of `cells`, which are exact where edges are straight and faces of hexahedra
parallel.  Stiffness of initial stresses: Kg_ab = sum w (grad N_a . s grad N_b) I (Bathe, Finite Element Procedures
(1996), ch. 6).

Trilinear hexahedra lock in bending.  They take three incompatible modes 1 - x^2 a direction, condensed cell by cell,
with the slopes of Taylor, Beresford and Wilson (Int. J. for Numerical Methods in Engineering 10 (1976) 1211-1219),
which pass the patch test; or the mean dilatation (Hughes, ibid. 15 (1980) 1413-1418), against locking of nearly
incompatible material alone, which is what Abaqus has as C3D8.

A rise of temperature dT strains by alpha dT I: its forces are int B^T D alpha dT, and its stresses those of the
displacement less D alpha dT.

Stresses are computed at Barlow's points (one of a tetra, four of a tetra10, 2 x 2 x 2 of hexahedra), extrapolated to
the nodes of the cell and averaged over the cells that meet at a node, without weights.  Where materials meet that
average is across them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from ..model.base import ModelError, shown
from . import cells
from .finite_elements import FiniteElements

if TYPE_CHECKING:
    from .mesh import Material, Mesh

MASSES = ("consistent", "lumped")
BRICKS = ("incompatible", "dilatation", "full")
#: places of stresses xx, yy, zz, xy, yz, zx in a matrix
VOIGT = ((0, 1, 2, 0, 1, 2), (0, 1, 2, 1, 2, 0))


def solid(
    mesh: Mesh, material: Material | dict[str, Material], *, mass: str = "consistent", hexahedra: str = "incompatible"
) -> FiniteElements:
    """Finite elements of the tetrahedra and hexahedra of a mesh, with stresses at nodes and geometric stiffness.

    ``material``: one for all, or region of the mesh -> material, every cell in one of them; units consistent (mass in
    force time^2 / length);
    ``mass``: "consistent", or "lumped" (diagonal, scaled from the diagonal of the consistent one, Hinton, Rock &
    Zienkiewicz 1976); ``hexahedra``: treatment of locking of trilinear elements, "incompatible" modes, "dilatation"
    (mean dilatation, as Abaqus' C3D8) or "full" (they lock in bending). Nodes without cells, and surface or line cells,
    are omitted.

    Raises `ModelError` for a mesh without volume, for inverted cells and cells without a material, and where scikit-fem
    is not installed.

        bar = hn.flexible.solid(hn.flexible.box((0, 0, 0), (1, 0.02, 0.01), (20, 2, 1)), hn.flexible.Material(2.1e11,
            0.3, 7850.0))
    """
    for name, value, known in (("mass", mass, MASSES), ("hexahedra", hexahedra, BRICKS)):
        if not isinstance(value, str) or value not in known:
            raise ModelError(f"{name} of a solid is {shown(value)}; give {', '.join(known[:-1])} or {known[-1]}")
    if not isinstance(getattr(mesh, "cells", None), dict):
        raise ModelError(f"mesh is {shown(mesh)}; give a holonom.flexible.Mesh")
    tables = {kind: t for kind, t in mesh.cells.items() if kind in cells.SOLIDS and len(t)}
    if not tables:
        there = ", ".join(k for k, t in mesh.cells.items() if len(t)) or "nothing"
        raise ModelError(
            f"a solid needs cells with volume ({', '.join(cells.SOLIDS)}); the mesh has {there} (of surfaces: "
            "holonom.flexible.shell)"
        )
    used = np.unique(np.concatenate([t.ravel() for t in tables.values()]))
    number = np.full(len(mesh.points), -1)
    number[used] = np.arange(len(used))
    at, ids = mesh.points[used], np.asarray(mesh.ids)[used]
    cells.check_duplicates(tables, np.asarray(mesh.ids))
    blocks = []
    for kind, table in tables.items():
        cells.check(kind, mesh.points[table], np.asarray(mesh.ids)[table])
        for own, stuff in _materials(mesh, kind, len(table), material):
            blocks.append(_Block(kind, number[table[own]], at, stuff, hexahedra if kind == "hexahedron" else "full"))
    pattern = _Pattern(len(used), [b.nodes for b in blocks])
    stiffness, weight = pattern.zeros(3), pattern.zeros(1)
    for b, place in zip(blocks, pattern.of):
        for part in cells.chunks(len(b.nodes), 9 * (b.count + 3) ** 2):
            pattern.add(stiffness, place[part], b.stiffness(part))
        for part in cells.chunks(len(b.nodes), b.count**2):
            pattern.add(weight, place[part], b.mass(part, mass))
    K = pattern.matrix(stiffness)
    M = pattern.spread(weight)
    faces = cells.boundary({kind: number[t] for kind, t in tables.items()})
    return FiniteElements(
        [int(i) for i in ids],
        at,
        K,
        M,
        cells.edges(faces),
        _geometric(blocks, pattern),
        cells.triangles(faces),
        _stress(blocks, len(used)),
        expansion=_expansion(blocks, len(used)),
    )


def _materials(mesh: Mesh, kind: str, count: int, material) -> Iterator[tuple[np.ndarray, Material]]:
    """Cells of a kind, by number, and the material that they are of."""
    if not isinstance(material, dict):
        if not hasattr(material, "nu"):
            raise ModelError(f"material is {shown(material)}; give a Material, or region of the mesh -> Material")
        yield np.arange(count), material
        return
    of = np.full(count, -1)
    for k, (name, stuff) in enumerate(material.items()):
        if name not in mesh.regions:
            raise ModelError(f"the mesh has no region {shown(name)}; it has {', '.join(mesh.regions) or 'none'}")
        if not hasattr(stuff, "nu"):
            raise ModelError(f"material of region {shown(name)} is {shown(stuff)}; give a Material")
        own = np.asarray(mesh.regions[name].get(kind, ()), np.int64)
        twice = own[of[own] >= 0]
        if len(twice):
            raise ModelError(
                f"{kind} {int(twice[0])} is in two regions with a material, '{name}' and "
                f"'{list(material)[of[twice[0]]]}'"
            )
        of[own] = k
    if (of < 0).any():
        raise ModelError(
            f"{kind} {int(np.flatnonzero(of < 0)[0])} (from 0), and {int((of < 0).sum())} in all, have no material; "
            "name their regions"
        )
    for k, stuff in enumerate(material.values()):
        yield np.flatnonzero(of == k), stuff


@dataclass
class _Block:
    """Cells of one kind and material; ``nodes`` (c, k) positions in ``at``."""

    kind: str
    nodes: np.ndarray
    at: np.ndarray
    material: Material
    bricks: str

    @property
    def count(self) -> int:
        return self.nodes.shape[1]

    @property
    def lame(self) -> tuple[float, float]:
        m = self.material
        return m.E * m.nu / ((1.0 + m.nu) * (1.0 - 2.0 * m.nu)), m.E / (2.0 * (1.0 + m.nu))

    def slopes(self, part: slice, rule: cells.Rule) -> tuple[np.ndarray, np.ndarray]:
        """(c, g, k, 3) and volumes (c, g); of incompatible modes three more functions."""
        at = self.at[self.nodes[part]]
        dN, volume = cells.gradients(at, rule)
        if self.bricks != "incompatible":
            return dN, volume
        middle = cells.shapes(self.kind, np.full((1, 3), 0.5))[1][0]
        J = np.einsum("ka,cki->cia", middle, at)
        share = np.linalg.det(J)[:, None] * rule.weights / volume
        # 1 - x^2 of x = 2 X - 1 along each axis of the cell
        more = np.einsum("ga,cai->cgai", -4.0 * (2.0 * rule.places - 1.0), np.linalg.inv(J)) * share[:, :, None, None]
        return np.concatenate([dN, more], axis=2), volume

    def stiffness(self, part: slice, whole: bool = False) -> np.ndarray:
        """(c, k, 3, k, 3); ``whole``: with incompatible modes as further nodes."""
        l, m = self.lame
        dN, volume = self.slopes(part, cells.stiffness_rule(self.kind))
        c, g, k, _ = dN.shape
        B = dN.reshape(c, g, 3 * k)
        A = np.matmul((B * volume[:, :, None]).transpose(0, 2, 1), B).reshape(c, k, 3, k, 3)
        if self.bricks == "dilatation":
            mean = (B * volume[:, :, None]).sum(1).reshape(c, k, 3)
            size = volume.sum(1)
            K = (-2.0 / 3.0 * m) * A
            K += (l + 2.0 / 3.0 * m) * np.einsum("cai,cbj->caibj", mean, mean / size[:, None, None])
        else:
            K = l * A
        K += m * A.transpose(0, 1, 4, 3, 2)
        trace = m * np.einsum("caibi->cab", A)
        for i in range(3):
            K[:, :, i, :, i] += trace
        if self.bricks == "incompatible" and not whole:
            k -= 3
            Kua = K[:, :k, :, k:].reshape(c, 3 * k, 9)
            K = K[:, :k, :, :k].reshape(c, 3 * k, 3 * k) - Kua @ np.linalg.solve(
                K[:, k:, :, k:].reshape(c, 9, 9), K[:, k:, :, :k].reshape(c, 9, 3 * k)
            )
            K = K.reshape(c, k, 3, k, 3)
            if not self.count == k:
                raise AssertionError(k)
        return K

    def mass(self, part: slice, how: str) -> np.ndarray:
        """(c, k, 1, k, 1), the same along x, y and z."""
        rule = cells.mass_rule(self.kind)
        J = np.einsum("gka,cki->cgia", rule.slopes, self.at[self.nodes[part]], optimize=True)
        volume = self.material.density * np.linalg.det(J) * rule.weights
        M = np.einsum("cg,ga,gb->cab", volume, rule.values, rule.values, optimize=True)
        if how == "lumped":
            share = np.einsum("caa->ca", M)
            share = share * (volume.sum(1) / share.sum(1))[:, None]
            M = np.zeros_like(M)
            M[:, np.arange(self.count), np.arange(self.count)] = share
        return M[:, :, None, :, None]

    def stresses(self, part: slice, rule: cells.Rule, u: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Of displacements (a, 3, n) the stresses (c, g, 3, 3, n) at the points of a quadrature; slopes (c, g, k, 3)
        and volumes there."""
        l, m = self.lame
        dN, volume = self.slopes(part, rule)
        d = u[self.nodes[part]]
        if self.bricks == "incompatible":
            k, c = self.count, len(d)
            K = self.stiffness(part, whole=True)
            alpha = -np.linalg.solve(
                K[:, k:, :, k:].reshape(c, 9, 9), K[:, k:, :, :k].reshape(c, 9, 3 * k) @ d.reshape(c, 3 * k, -1)
            ).reshape(c, 3, 3, -1)
            d = np.concatenate([d, alpha], axis=1)
        c, k, _, n = d.shape
        grad = np.matmul(dN.transpose(0, 1, 3, 2), d.reshape(c, 1, k, 3 * n)).reshape(c, -1, 3, 3, n)
        trace = np.einsum("cgiin->cgn", grad)
        out = m * (grad + grad.transpose(0, 1, 3, 2, 4))
        spherical = l * trace
        if self.bricks == "dilatation":
            own = cells.stiffness_rule(self.kind)
            w = volume
            if own is not rule:
                w = self.slopes(part, own)[1]
            mean = np.einsum("cg,cgn->cn", w, trace) / w.sum(1)[:, None]
            spherical = (l + 2.0 / 3.0 * m) * mean[:, None] - 2.0 / 3.0 * m * trace
        for i in range(3):
            out[:, :, i, i] += spherical
        return out, dN[:, :, : self.count], volume

    def pressures(self, part: slice, rule: cells.Rule, rise: np.ndarray) -> np.ndarray:
        """(c, g): 3 K alpha times a rise of temperature (a,), the pressure that holds what would expand; of the mean
        dilatation its mean in each cell."""
        m = self.material
        out = m.E * m.expansion / (1.0 - 2.0 * m.nu) * (rise[self.nodes[part]] @ rule.values.T)
        if self.bricks == "dilatation":
            own = cells.stiffness_rule(self.kind)
            volume = self.slopes(part, own)[1]
            full = (
                out if own is rule else m.E * m.expansion / (1.0 - 2.0 * m.nu) * (rise[self.nodes[part]] @ own.values.T)
            )
            out = np.broadcast_to(((full * volume).sum(1) / volume.sum(1))[:, None], out.shape)
        return out

    def thermal(self, part: slice) -> np.ndarray:
        """(c, k, 3, k): forces int B^T D alpha N of the rises of temperature at nodes, those of incompatible modes
        condensed as the stiffness is."""
        rule = cells.stiffness_rule(self.kind)
        m = self.material
        dN, volume = self.slopes(part, rule)
        pushed = m.E * m.expansion / (1.0 - 2.0 * m.nu) * volume[:, :, None] * rule.values
        if self.bricks == "dilatation":
            pushed = volume[:, :, None] * (pushed.sum(1) / volume.sum(1)[:, None])[:, None]
        c, g, k, _ = dN.shape
        f = np.matmul(dN.reshape(c, g, 3 * k).transpose(0, 2, 1), pushed).reshape(c, k, 3, -1)
        if self.bricks == "incompatible":
            k = self.count
            K = self.stiffness(part, whole=True)
            inner = np.linalg.solve(K[:, k:, :, k:].reshape(c, 9, 9), f[:, k:].reshape(c, 9, k))
            f = f[:, :k] - (K[:, :k, :, k:].reshape(c, 3 * k, 9) @ inner).reshape(c, k, 3, k)
        return f

    def thermal_stresses(self, part: slice, rule: cells.Rule, rise: np.ndarray) -> np.ndarray:
        """(c, g, 3, 3, 1) at the points of a quadrature where nodes do not move: - 3 K alpha dT, and what incompatible
        modes give way."""
        out = np.zeros((*self.pressures(part, rule, rise).shape, 3, 3, 1))
        if self.bricks == "incompatible":
            l, m = self.lame
            k = self.count
            own = cells.stiffness_rule(self.kind)
            dN, volume = self.slopes(part, own)
            f = np.einsum("cgki,cg->cki", dN[:, :, k:], volume * self.pressures(part, own, rise), optimize=True)
            K = self.stiffness(part, whole=True)
            alpha = np.linalg.solve(K[:, k:, :, k:].reshape(len(f), 9, 9), f.reshape(len(f), 9, 1)).reshape(
                len(f), 3, 3
            )
            grad = np.einsum("cgki,ckj->cgij", self.slopes(part, rule)[0][:, :, k:], alpha, optimize=True)
            out[..., 0] = m * (grad + grad.transpose(0, 1, 3, 2)) + l * np.einsum("cgii->cg", grad)[
                :, :, None, None
            ] * np.eye(3)
        for i in range(3):
            out[:, :, i, i, 0] -= self.pressures(part, rule, rise)
        return out


def _expansion(blocks: list[_Block], size: int) -> Callable[..., tuple[np.ndarray, np.ndarray | None]]:
    made: list[sp.csr_matrix] = []  # forces of rises, made when they are first requested

    def forces() -> sp.csr_matrix:
        total = sp.csr_matrix((3 * size, size))
        for b in blocks:
            for part in cells.chunks(len(b.nodes), 9 * (b.count + 3) ** 2):
                f = b.thermal(part)
                rows = (3 * b.nodes[part][:, :, None] + np.arange(3))[..., None]
                where = (
                    np.broadcast_to(rows, f.shape).ravel(),
                    np.broadcast_to(b.nodes[part][:, None, None, :], f.shape).ravel(),
                )
                total = total + sp.csr_matrix((f.ravel(), where), shape=total.shape)
        return total

    def expansion(rise: np.ndarray, stressed: bool = True) -> tuple[np.ndarray, np.ndarray | None]:
        if not made:
            made.append(forces())
        load = made[0] @ rise
        if not stressed:
            return load, None
        return load, _at_nodes(blocks, size, 1, lambda b, part, rule: b.thermal_stresses(part, rule, rise))[:, :, 0]

    return expansion


def _geometric(blocks: list[_Block], pattern: _Pattern) -> Callable[[np.ndarray], sp.csc_matrix]:
    def geometric(u: np.ndarray) -> sp.csc_matrix:
        out = pattern.zeros(1)
        for b, place in zip(blocks, pattern.of):
            rule = cells.stiffness_rule(b.kind)
            for part in cells.chunks(len(b.nodes), len(rule.weights) * (9 + 6 * b.count) + 9 * (b.count + 3) ** 2):
                stress, dN, volume = b.stresses(part, rule, u.reshape(-1, 3, 1))
                c, g = volume.shape
                pulled = np.matmul(dN, stress[..., 0]) * volume[:, :, None, None]
                pulled, dN = (x.transpose(0, 2, 1, 3).reshape(c, b.count, 3 * g) for x in (pulled, dN))
                pattern.add(out, place[part], np.matmul(pulled, dN.transpose(0, 2, 1))[:, :, None, :, None])
        return pattern.spread(out)

    return geometric


def _stress(blocks: list[_Block], size: int) -> Callable[[np.ndarray], np.ndarray]:
    def stress(u: np.ndarray) -> np.ndarray:
        u = np.asarray(u, float).reshape(size, 3, -1)
        return _at_nodes(blocks, size, u.shape[2], lambda b, part, rule: b.stresses(part, rule, u)[0])

    return stress


def _at_nodes(blocks: list[_Block], size: int, n: int, found_in: Callable) -> np.ndarray:
    """(a, 6, n): stresses (c, g, 3, 3, n) of cells at Barlow's points, extrapolated and averaged at nodes."""
    out, times = np.zeros((size, 6 * n)), np.zeros(size)
    for b in blocks:
        rule = cells.stress_rule(b.kind)
        to_nodes = _powers(b.kind, cells.nodes_of(b.kind)) @ np.linalg.pinv(_powers(b.kind, rule.places))
        for part in cells.chunks(len(b.nodes), (len(rule.weights) + b.count) * 9 * n + 9 * (b.count + 3) ** 2):
            found = found_in(b, part, rule)[:, :, VOIGT[0], VOIGT[1]]
            c = len(found)
            found = np.matmul(to_nodes, found.reshape(c, -1, 6 * n))
            nodes = b.nodes[part].ravel()
            gather = sp.csr_matrix((np.ones(len(nodes)), (nodes, np.arange(len(nodes)))), shape=(size, len(nodes)))
            out += gather @ found.reshape(-1, 6 * n)
            times += np.bincount(nodes, minlength=size)
    return (out / times[:, None]).reshape(size, 6, n)


def _powers(kind: str, places: np.ndarray) -> np.ndarray:
    """(g, p): the polynomials of stresses in a cell, at places of the reference cell."""
    x, y, z = places.T
    one = np.ones_like(x)
    if kind == "tetra":
        return one[:, None]
    if kind == "tetra10":
        return np.column_stack([one, x, y, z])
    return np.column_stack([one, x, y, z, x * y, y * z, z * x, x * y * z])


class _Pattern:
    """Pairs of nodes that share a cell, in the order of columns, and for each block the positions (c, k, k) of its
    pairs."""

    def __init__(self, size: int, tables: list[np.ndarray]) -> None:
        codes = [(t[:, None, :] * size + t[:, :, None]) for t in tables]
        pairs, place = np.unique(np.concatenate([c.ravel() for c in codes]), return_inverse=True)
        self.size = size
        self.rows, self.columns = (pairs % size).astype(np.int32), (pairs // size).astype(np.int32)
        self.starts = np.searchsorted(pairs // size, np.arange(size + 1))
        ends = np.cumsum([c.size for c in codes])
        self.of = [place[e - c.size : e].reshape(c.shape).astype(np.int32) for c, e in zip(codes, ends)]

    def zeros(self, k: int) -> np.ndarray:
        """Numbers of a matrix with k x k of them a pair of nodes."""
        return np.zeros((k, k, len(self.rows)))

    def add(self, data: np.ndarray, place: np.ndarray, blocks: np.ndarray) -> None:
        """Sum blocks (c, a, i, b, j) to the pairs at ``place`` (c, a, b)."""
        where = place.ravel()
        for i in range(len(data)):
            for j in range(len(data)):
                data[i, j] += np.bincount(where, blocks[:, :, i, :, j].ravel(), len(self.rows))

    def matrix(self, data: np.ndarray) -> sp.csc_matrix:
        """(3 a, 3 a) matrix of numbers (3, 3, pairs)."""
        # columns of nodes are rows of the transpose, whose blocks are transposed
        out = sp.bsr_matrix(
            (np.ascontiguousarray(data.transpose(2, 1, 0)), self.rows, self.starts),
            shape=(3 * self.size, 3 * self.size),
        )
        return out.tocsr().T.tocsc()

    def spread(self, data: np.ndarray) -> sp.csc_matrix:
        """(3 a, 3 a) matrix of numbers (1, 1, pairs) that are the same along x, y and z; zeros are left out."""
        one = sp.csc_matrix(
            (data[0, 0], self.rows, self.starts), shape=(self.size, self.size), copy=True
        )  # as zeros are taken out
        one.eliminate_zeros()
        return sp.kron(one, sp.eye(3), format="csc")
