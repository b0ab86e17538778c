"""Small structured meshes for the tests of heat: boxes and tubes of every kind of cell."""

import numpy as np

from holonom.flexible import Mesh
from holonom.thermal import cells

#: hexahedron -> six tetrahedra around its diagonal 0-6
TETRAHEDRA = ((0, 1, 2, 6), (0, 2, 3, 6), (0, 3, 7, 6), (0, 7, 4, 6), (0, 4, 5, 6), (0, 5, 1, 6))


def grid(counts, kind="hexahedron", place=lambda x: x, periodic=False):
    """Cells of a unit cube cut into ``counts``, mapped by ``place``; groups x-, x+, y-, ... ; ``periodic``: y closes on itself."""
    nx, ny, nz = counts
    at = lambda i, j, k: (i * (ny + 1) + j) * (nz + 1) + k
    i, j, k = (a.ravel() for a in np.meshgrid(range(nx), range(ny), range(nz), indexing="ij"))
    corners = np.array([[at(i + a, j + b, k + c) for a, b, c in cells._CUBE[3]]])[0].T
    unit = np.stack(np.meshgrid(*(np.linspace(0, 1, n + 1) for n in counts), indexing="ij"), -1).reshape(-1, 3)
    base = cells.family(kind)
    if base == "tetra":
        corners = corners[:, np.array(TETRAHEDRA)].reshape(-1, 4)
    # places of all nodes of the cells in the unit cube; those that agree are one node
    N = cells.shapes(base, cells.reference(kind))[0]
    x = np.einsum("ki,cij->ckj", N, unit[corners])
    if periodic:
        x[:, :, 1] = np.where(np.abs(x[:, :, 1] - 1.0) < 1e-12, 0.0, x[:, :, 1])
    points, nodes = np.unique(np.round(x.reshape(-1, 3), 12), axis=0, return_inverse=True)
    groups = {f"{'xyz'[a]}{s}": np.flatnonzero(np.abs(points[:, a] - v) < 1e-9) for a in range(3) for s, v in (("-", 0.0), ("+", 1.0))}
    return Mesh(place(points), {kind: nodes.reshape(len(x), -1)}, (), groups)


def box(size, counts, kind="hexahedron", origin=(0, 0, 0)):
    return grid(counts, kind, lambda x: np.asarray(origin) + x * size)


def tube(inner, outer, length, counts, kind="hexahedron20", origin=(0, 0, 0)):
    """Along z: radial, around, along; groups x- (bore), x+ (outside), z-, z+."""

    def place(x):
        r, a = inner + (outer - inner) * x[:, 0], 2 * np.pi * x[:, 1]
        return np.asarray(origin) + np.stack([r * np.cos(a), r * np.sin(a), length * x[:, 2]], 1)

    return grid(counts, kind, place, periodic=True)
