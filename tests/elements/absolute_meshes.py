"""Meshes of absolute nodal elements and loads on them, for tests."""

import numpy as np
import scipy.sparse as sp

from holonom.elements.absolute import planar_beam, points
from holonom.elements.absolute.assembly import Assembly


def line(kind, n, length):
    """Positions and cells of a straight beam along x."""
    q = np.zeros((n + 1, kind.PER_NODE))
    q[:, 0] = np.linspace(0, length, n + 1)
    q[:, 3] = q[:, 7] = 1.0
    if kind.PER_NODE == 12:
        q[:, 11] = 1.0
    return q, np.stack([np.arange(n), np.arange(1, n + 1)], axis=1)


def clamp(kind, n):
    """Coordinates of node 0 of a beam of n elements that hold its section; of a plane beam all across its plane too."""
    if kind.PER_NODE == 12:
        return [0, 1, 2, 6, 7, 8, 9, 10, 11]
    return sorted({0, 1, 6, 7} | {9 * k + j for k in range(n + 1) for j in (2, 5, 8)})


def cantilever(kind, n, length, properties, force, steps=1):
    """Displacement of the tip under a force."""
    places, cells = line(kind, n, length)
    mesh = Assembly(kind, places, cells, properties)
    load = np.zeros(places.size)
    load[kind.PER_NODE * n :][:3] = force
    q = mesh.rest(load, clamp(kind, n), steps=steps)
    return (q - mesh.drawn)[kind.PER_NODE * n :][:3]


def turning(kind, node, moment):
    """Load of a moment about the z axis of ground on a node, by its vector across (r_y of beams, r_x of plates along
    x)."""
    along = 3 if kind.NODES == 4 else 6

    def load(q, share):
        o = kind.PER_NODE * node + along
        v, z = q[o : o + 3], np.array([0.0, 0.0, 1.0])
        across = np.cross(z, v)
        out = np.zeros(len(q))
        out[o : o + 3] = share * moment * across / (v @ v)
        turn = np.cross(z, np.eye(3)).T
        change = sp.lil_matrix((len(q), len(q)))
        change[o : o + 3, o : o + 3] = share * moment * (turn / (v @ v) - 2 * np.outer(across, v) / (v @ v) ** 2)
        return out, change

    return load


def sheet(kind, x, y, along=(1.0, 0.0), across=(0.0, 1.0)):
    """Positions and cells of a flat plate over lines x and y along two directions; node(i, j)."""
    x, y, a, b = (np.asarray(v, float) for v in (x, y, along, across))
    nx, ny = len(x), len(y)
    q = np.zeros((nx * ny, kind.PER_NODE))
    q[:, :2] = (x[:, None, None] * a + y[None, :, None] * b).reshape(-1, 2)
    q[:, 3:5], q[:, 6:8] = a, b
    if "thick" in kind.WHAT:
        q[:, 11] = 1.0
    node = lambda i, j: i * ny + j
    cells = [
        [node(i, j), node(i + 1, j), node(i + 1, j + 1), node(i, j + 1)] for i in range(nx - 1) for j in range(ny - 1)
    ]
    return q, np.array(cells), node


def of(kind, nodes, which):
    """Numbers of coordinates ``which`` of nodes."""
    return [kind.PER_NODE * k + c for k in nodes for c in which]


def classic_stiffness(q, length, height, width, material, plane="stress"):
    """K1, K2, K3 (18, 18) at coordinates q of an element that is straight as drawn: elastic forces are -(K1 + K2 + K3)
    q.

    With B_x, B_y: r_x = B_x q, r_y = B_y q, S_ab = B_a^T B_b,

        K1 = (lambda + 2 mu) int Exx S_xx + Eyy S_yy,    K2 = lambda int Exx S_yy + Eyy S_xx,    K3 = mu int 2 Exy (S_xy
            + S_yx)

    (Omar, Shabana 2001; in plane stress lambda is 2 lambda mu/(lambda + 2 mu).)
    """
    q = np.asarray(q, float)
    D = material.plane(plane == "stress")
    K = np.zeros((3, 18, 18))
    x, wx = points.gauss(5)
    y, wy = points.gauss(3)
    for a, u in zip(x, wx, strict=True):
        for c, v in zip(y, wy, strict=True):
            V = planar_beam.vectors(a, height * (c - 0.5), length)
            Bx, By = (np.kron(one[None], np.eye(3)) for one in V[:2])
            rx, ry = Bx @ q, By @ q
            w = u * v * length * height * width
            xx, yy, xy = 0.5 * (rx @ rx - 1.0), 0.5 * (ry @ ry - 1.0), rx @ ry
            K[0] += w * D[0, 0] * (xx * Bx.T @ Bx + yy * By.T @ By)
            K[1] += w * D[0, 1] * (xx * By.T @ By + yy * Bx.T @ Bx)
            K[2] += w * D[2, 2] * xy * (Bx.T @ By + By.T @ Bx)
    return K[0], K[1], K[2]
