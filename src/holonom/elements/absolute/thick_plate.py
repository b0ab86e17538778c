"""Thick plate or shell: four nodes of (r, r_x, r_y, r_z), 48 coordinates, with shear.

The middle surface is that of `thin_plate` (positions and tangents of the nodes), the director d = r_z across it is
bilinear:

    r(x, y, z) = sum N_i r_i + N_i,x r_i,x + N_i,y r_i,y + z sum (bilinear)_i r_i,z

Green-Lagrange strains linear in z, those of the unloaded shell taken off, with plane stress across (C of `thin_plate`
in the metric of the surface as drawn):

    eps_ab = r_a . r_b/2,   kappa_ab = (r_a . d_b + r_b . d_a)/2,   gamma_a = r_a . d,
    V = 1/2 int h eps C eps + h^3/12 kappa C kappa + k G h gamma A^-1 gamma dA

Its cures of locking:

* shear: gamma_x is taken at three points of the two edges along x and interpolated linearly between them, gamma_y of
  those along y (assumed strains as Bathe and Dvorkin's, with edges that bend), and along an edge shear has the residual
  bending flexibility of `planar_beam`, with h^3/12 E/(1 - nu^2) per width (as MacNeal's four-node plate): tangents at
  the nodes make the deflection cubic along edges, which bilinear directors alone could not follow;
* thickness: d . d is taken at the nodes alone, where the length of the director is held by E h/(1 - nu^2) (between two
  attitudes interpolated directors are shorter);
* Poisson: plane stress, so that what cannot become thinner does not stiffen bending.

Clamp r and r_z; r_x across the edge holds the slope of the surface, which differs from the director's by shear.

Sources: A. M. Mikkola, A. A. Shabana, Multibody Syst. Dyn. 9 (2003) 283-309 (coordinates); K.-J. Bathe, E. N. Dvorkin,
Int. J. Numer. Methods Eng. 21 (1985) 367-383; P. Betsch, E. Stein, Commun. Numer. Methods Eng. 11 (1995) 899-909
(thickness at nodes); R. H. MacNeal, Comput. Struct. 8 (1978) 175-183.
"""

from __future__ import annotations

import numpy as np

from ...model.base import ModelError
from . import points
from .beams import bubble
from .materials import material as material_of
from .plates import (
    ACM,
    CORNERS,
    DIM,
    NODES,
    PROPERTIES,
    Plate,
    forces_and_moments,
    metric_stiffness,
    plate_properties,
    shape,
    sides,
)
from .plates import RESULTANTS as SURFACE_RESULTANTS
from .points import gauss, positive, strains_of
from .section_kind import section_kind
from .strains import SHEAR_X, SHEAR_Y, SHELL, THICKNESS

__all__ = ["NODES", "PROPERTIES"]
PER_NODE = 12
RESULTANTS = (*SURFACE_RESULTANTS, "shear force x", "shear force y")
SHAPES, VECTORS = 16, 5
WHAT = "a thick plate"
#: of a node (r, r_x, r_y, r_z): vectors of the surface
COLUMNS = tuple(4 * n + k for n in range(NODES) for k in range(3))
PLATE = Plate(WHAT, ACM, (0, 1, 1, 1), columns=COLUMNS)


def bilinear(u: float, v: float) -> np.ndarray:
    """(4,) of the corners."""
    return np.array([(1 - u) * (1 - v), u * (1 - v), u * v, (1 - u) * v])


def vectors(u: float, v: float, a: float, b: float) -> np.ndarray:
    """(5, 16): r_x, r_y, d, d_x, d_y of the coordinates."""
    out = np.zeros((5, 16))
    out[:2, COLUMNS] = [shape(ACM, u, v, a, b, 1, 0), shape(ACM, u, v, a, b, 0, 1)]
    out[2, 3::4] = bilinear(u, v)
    out[3, 3::4] = np.array([v - 1, 1 - v, v, -v]) / a
    out[4, 3::4] = np.array([u - 1, -u, u, 1 - u]) / b
    return out


def properties(thickness: float, material, *, a: float = 0.0, b: float = 0.0, shear: float = 5.0 / 6.0) -> np.ndarray:
    """(10,) numbers of elements: as `thin_plate.properties`, with the coefficient ``shear`` of forces across.  Raises
    ModelError."""
    positive(WHAT, shear=shear)
    return plate_properties(thickness, material, a, b, shear, WHAT)


def rows(q0, properties, unit: float = 1.0) -> np.ndarray:
    """(e, R) data rows of elements, unloaded as drawn: ``q0`` (e, 48) nodes round the element, r_x and r_y tangents of
    the surface by x and y, r_z the unit director across it (right-handed with these), times ``unit`` (length).  Raises
    ModelError for elements that are inverted, whose directors are not of unit length or lie in the surface."""
    q, p, a, b = PLATE.read(q0, properties, unit)
    out = []
    for i in range(len(q)):
        PLATE.refuse_inverted(q[i], a[i], b[i], i)
        for n in range(4):
            d = q[i, 4 * n + 3]
            if abs(np.linalg.norm(d) - 1.0) > 1e-6:
                raise ModelError(
                    f"r_z at node {n + 1} of element {i + 1} of {WHAT} has the length {np.linalg.norm(d):g}; give a "
                    "unit vector"
                )
            normal = np.cross(*(vectors(*CORNERS[n], a[i], b[i])[:2] @ q[i]))
            if not d @ normal > 0.1 * np.linalg.norm(normal):
                raise ModelError(
                    f"r_z at node {n + 1} of element {i + 1} of {WHAT} is not across the surface on the side of r_x x "
                    "r_y; turn it"
                )
        out.append(_make(q[i], a[i], b[i], p[i], PLATE.scale(unit)))
    return points.stack_rows(out, WHAT)


def _make(q, a, b, p, scale):
    material = material_of(p[4:])
    h, k = p[0], p[3]
    E, nu, G = material.E, material.nu, material.mu
    x, w = gauss(3)
    pts, e0 = [], []
    D = np.zeros((70, 70))
    metric = np.zeros(2)  # means of A_xx and A_yy
    area = 0.0
    for i in range(3):
        for j in range(3):
            B = vectors(x[i], x[j], a, b)
            g = B @ q
            dA = w[i] * w[j] * a * b * np.linalg.norm(np.cross(g[0], g[1]))
            C = metric_stiffness(g[:2], E, nu) * dA
            o = 6 * len(pts)
            D[o : o + 3, o : o + 3] = h * C
            D[o + 3 : o + 6, o + 3 : o + 6] = h**3 / 12.0 * C
            pts.append((SHELL, 6, B))
            e0 += list(strains_of(SHELL, 6, g.ravel()))
            area += dA
            metric += dA * np.array([g[0] @ g[0], g[1] @ g[1]])
    metric /= area
    # shear along edges: gamma_x at v = 0 and 1, gamma_y at u = 0 and 1, three points each
    edges = [
        (SHEAR_X, lambda s, c: (s, c), 0.0),
        (SHEAR_X, lambda s, c: (s, c), 1.0),
        (SHEAR_Y, lambda s, c: (c, s), 0.0),
        (SHEAR_Y, lambda s, c: (c, s), 1.0),
    ]
    for kind, at, c in edges:
        for s in x:
            B = vectors(*at(s, c), a, b)
            pts.append((kind, 1, B))
            e0 += list(strains_of(kind, 1, (B @ q).ravel()))
    across = np.array([[1.0, 0.5], [0.5, 1.0]]) / 3.0  # squares of what is linear between two edges
    bend = E / (1 - nu**2) * h**3 / 12.0
    t = vectors(0.5, 0.5, a, b)[:2] @ q
    inverse = np.linalg.inv(t @ t.T)
    mean = np.sqrt(np.diag(t @ t.T) / metric)  # what is in the middle, to the mean
    inverse *= np.outer(mean, mean)
    strips = [
        np.kron(across, bubble(k * G * h, bend, s) * area / s) for s in (a * np.sqrt(metric[0]), b * np.sqrt(metric[1]))
    ]
    D[54:60, 54:60], D[60:66, 60:66] = strips[0] * inverse[0, 0], strips[1] * inverse[1, 1]
    sums = [
        one.sum(1) / np.sqrt(one.sum()) for one in strips
    ]  # of lines that are not at right angles: the product of both means, as soft as they are
    D[54:60, 60:66] = inverse[0, 1] * np.outer(sums[0], sums[1])
    D[60:66, 54:60] = D[54:60, 60:66].T
    for n in range(4):
        B = vectors(*CORNERS[n], a, b)
        pts.append((THICKNESS, 1, B))
        e0 += list(strains_of(THICKNESS, 1, (B @ q).ravel()))
        D[66 + n, 66 + n] = 0.25 * E * h / (1 - nu**2) * area
    return points.row(pts, np.array(e0), D, scale, tau=material.tau)


def masses(q0, properties, unit: float = 1.0) -> np.ndarray:
    """(e, 48, 48) consistent masses: int rho (h N^T N + h^3/12 B^T B) dA, with the rotary inertia of directors."""
    q, p, a, b = PLATE.read(q0, properties, unit)
    scale = PLATE.scale(unit)
    out = np.zeros((len(q), SHAPES, SHAPES))
    x, w = gauss(4)
    for e in range(len(q)):
        for i in range(4):
            for j in range(4):
                N, d = np.zeros(SHAPES), np.zeros(SHAPES)
                N[list(COLUMNS)] = shape(ACM, x[i], x[j], a[e], b[e])
                d[3::4] = bilinear(x[i], x[j])
                area = (
                    w[i] * w[j] * a[e] * b[e] * np.linalg.norm(np.cross(*(vectors(x[i], x[j], a[e], b[e])[:2] @ q[e])))
                )
                out[e] += (
                    p[e, 8]
                    * area
                    * (p[e, 0] * np.outer(N, N) + p[e, 0] ** 3 / 12.0 * np.outer(d, d))
                    / np.outer(scale, scale)
                )
    return np.einsum("eij,ab->eiajb", out, np.eye(DIM)).reshape(-1, 48, 48)


faults = PLATE.faults


def weights(properties, xi, unit: float = 1.0) -> np.ndarray:
    """(4, 16): position, r_x, r_y and r_z at xi = (u, v), over the vectors of an element with these properties, whose a
    and b are given."""
    a, b = sides(properties, "positions on")
    place = np.zeros(SHAPES)
    place[list(COLUMNS)] = shape(ACM, xi[0], xi[1], a, b)
    return np.vstack([place, vectors(xi[0], xi[1], a, b)[:3]]) / PLATE.scale(unit)


def resultants(properties, xi, q, unit: float = 1.0) -> np.ndarray:
    """(.., 8) forces, moments and shear forces across per length at xi = (u, v), by x and y, of elements that are
    rectangles as drawn, directors at right angles."""
    p = np.asarray(properties, float)
    sides(p, "resultants of")
    q = np.asarray(q, float)
    v = q.reshape(*q.shape[:-1], SHAPES, 3) / PLATE.scale(unit)[:, None]
    g = np.einsum("as,...sd->...ad", vectors(xi[0], xi[1], p[1], p[2]), v)
    e = np.array([strains_of(SHELL, 6, one) for one in g.reshape(-1, 15)]).reshape(*q.shape[:-1], 6)
    e[..., :2] -= 0.5
    material = material_of(p[4:])
    bend = material.E / (1 - material.nu**2) * p[0] ** 3 / 12.0
    shear = np.zeros((*q.shape[:-1], 2))  # conjugate to the mean of the shear strain along edges
    for k, at in ((0, lambda s, c: (s, c)), (1, lambda s, c: (c, s))):
        soft = bubble(p[3] * material.mu * p[0], bend, p[1 + k]).sum(0) / p[1 + k]
        for c, share in ((0.0, 1.0 - xi[1 - k]), (1.0, xi[1 - k])):
            for s, weight in zip(gauss(3)[0], soft, strict=True):
                t, d = np.moveaxis(np.einsum("as,...sd->...ad", vectors(*at(s, c), p[1], p[2])[[k, 2]], v), -2, 0)
                shear[..., k] += share * weight * (t * d).sum(-1)
    return np.concatenate([forces_and_moments(p, e), shear], axis=-1)


forces, stiffness, energies, _ = section_kind(VECTORS, DIM, SHAPES)
