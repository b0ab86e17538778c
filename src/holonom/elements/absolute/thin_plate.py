"""Thin plate or shell: four nodes of (r, r_x, r_y), 36 coordinates, gradient-deficient (Dufva and Shabana; Dmitrochenko
and Pogorelov).

x = u a and y = v b run along two families of lines of the surface, u and v from 0 to 1 in an element, nodes at (0, 0),
(1, 0), (1, 1), (0, 1).  The position is that of Adini, Clough and Melosh: the polynomial of 1, x, y, x^2, xy, y^2, x^3,
x^2 y, x y^2, y^3, x^3 y, x y^3 that has the positions and gradients of the nodes.  Strains are Koiter's, with n the
unit normal along r_x x r_y and those of the unloaded surface taken off,

    eps_ab = r_a . r_b / 2,      kappa_ab = -r_ab . n,      V = 1/2 int h eps C eps + h^3/12 kappa C kappa dA

C is plane stress in the metric A_ab of the surface as drawn, C^abcd = E/(1 - nu^2) (nu A^ab A^cd + (1 - nu)/2 (A^ac
A^bd + A^ad A^bc)): flat elements may be rectangles or parallelograms, and curved ones whatever two families of lines
make of the surface.  3 x 3 points of Gauss.  No shear deformation; sections have no rotary inertia.

Along an edge the position is that of the neighbour, the slope across it only at the nodes (the element is not
conforming; rectangles and parallelograms pass the patch test of constant curvature and converge with the square of
their size). `conforming_plate` has the twist r_xy too, is conforming, and converges with the fourth power.

Sources: K. Dufva, A. A. Shabana, Proc. Inst. Mech. Eng. K 219 (2005) 345-355; O. N. Dmitrochenko, D. Yu. Pogorelov,
Multibody Syst. Dyn. 10 (2003) 17-43; A. Adini, R. W. Clough, report to the NSF, G 7337 (1961); W. T. Koiter, Proc.
IUTAM Symp. Thin Elastic Shells (1959) 12-33.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from ..._jit import jit
from ...model.base import ModelError
from . import points
from .entries import ENERGIES, FORCES, STIFFNESS
from .materials import MATERIAL, known
from .materials import material as material_of
from .points import drawn, gauss, per_element, positive, scales, strains_of
from .strains import SURFACE

NODES, PER_NODE = 4, 9
PROPERTIES = ("thickness", "a", "b", "shear", *MATERIAL)
RESULTANTS = ("force xx", "force yy", "force xy", "moment xx", "moment yy", "moment xy")
DIM, SHAPES, VECTORS = 3, 12, 5
WHAT = "a thin plate"
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


def properties(thickness: float, material, *, a: float = 0.0, b: float = 0.0) -> np.ndarray:
    """(10,) numbers of elements, for `rows`, `masses` and `resultants`: ``thickness``, length; ``material``: `Linear`;
    ``a``, ``b``: how much x and y grow over an element, by default (0) mean lengths of the sides as drawn, which are to
    be the same for neighbours.  Raises ModelError."""
    return plate_properties(thickness, material, a, b, 0.0, WHAT)


def plate_properties(thickness, material, a, b, shear, what) -> np.ndarray:
    """Properties of plates of all kinds."""
    positive(what, thickness=thickness)
    known(what, material, rubber=False)
    for name, value in (("a", a), ("b", b)):
        if not (value >= 0.0 and np.isfinite(value)):
            raise ModelError(f"{name} of {what} is {value!r}; give a positive number, or 0 for the length of its sides")
    return np.array([thickness, a, b, shear, *material.parameters])


def read(q0, properties, unit: float, gradients: int, what: str):
    """Vectors of nodes (e, S, 3) with gradients as such, properties (e, k), a and b (e,)."""
    S = 4 * (1 + gradients)
    q0 = drawn(q0, S * 3, what)
    positive(what, unit=unit)
    p = per_element(properties, len(q0), PROPERTIES, what)
    q = q0.reshape(-1, S, 3) / plate_scales(gradients, unit)[:, None]
    r = q[:, :: 1 + gradients]
    sides = np.linalg.norm(r[:, [1, 2, 3, 0]] - r, axis=2)
    if len(q) and not sides.min() > 1e-12 * max(np.abs(q0).max(), 1e-300):
        raise ModelError(
            f"a side of element {int(sides.min(1).argmin()) + 1} of {what} has no length; two of its nodes lie at "
            "one place"
        )
    return (
        q,
        p,
        np.where(p[:, 1] > 0, p[:, 1], 0.5 * (sides[:, 0] + sides[:, 2])),
        np.where(p[:, 2] > 0, p[:, 2], 0.5 * (sides[:, 1] + sides[:, 3])),
    )


def plate_scales(gradients: int, unit: float) -> np.ndarray:
    """As `points.scales`; second derivatives and directors are distinguished by the elements that have them."""
    return scales(4, gradients, unit)


def inverted(exponents, q, a, b) -> str:
    """Where the tangents of a surface lie along each other, or its normal turns over against that in the middle."""
    middle = np.cross(*(surface(exponents, 0.5, 0.5, a, b)[:2] @ q))
    for u in (0.0, 0.5, 1.0):
        for v in (0.0, 0.5, 1.0):
            n = np.cross(*(surface(exponents, u, v, a, b)[:2] @ q))
            if not n @ middle > 1e-9 * np.linalg.norm(n) * np.linalg.norm(middle):
                return f"at u = {u:g}, v = {v:g}"
    return ""


def sound(exponents, q, a, b, i, what) -> None:
    """Raises ModelError for an element as drawn that no surface has."""
    fault = inverted(exponents, q, a, b)
    if fault:
        raise ModelError(
            f"element {i + 1} of {what} is inverted {fault}: its normal turns over there; give its nodes round the "
            "element, r_x from the first to the second "
            "and r_y from the first to the fourth, or take smaller elements"
        )


def make(exponents, q, a, b, p, scale, rule: int = 3):
    """Row of a thin element."""
    material = material_of(p[4:])
    pts: list[tuple[int, int, np.ndarray]] = []
    e0: list[float] = []
    D = np.zeros((6 * rule**2, 6 * rule**2))
    x, w = gauss(rule)
    for i in range(rule):
        for j in range(rule):
            B = surface(exponents, x[i], x[j], a, b)
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


def mass(exponents, q, a, b, p, scale) -> np.ndarray:
    """(S, S) int rho h N^T N dA."""
    out = np.zeros((len(q), len(q)))
    x, w = gauss(4)
    for i in range(4):
        for j in range(4):
            N = shape(exponents, x[i], x[j], a, b) / scale
            area = np.linalg.norm(np.cross(*(surface(exponents, x[i], x[j], a, b)[:2] @ q)))
            out += p[8] * p[0] * w[i] * w[j] * a * b * area * np.outer(N, N)
    return out


def surface_resultants(exponents, properties, xi, q, scale) -> np.ndarray:
    """Forces per length N and moments per length M at (u, v), for elements that are rectangles of sides a and b as
    drawn."""
    p = np.asarray(properties, float)
    if not (p[1] > 0.0 and p[2] > 0.0):
        raise ModelError("resultants of a plate need its sides; give a and b in its properties")
    q = np.asarray(q, float)
    S = len(scale)
    g = np.einsum(
        "as,...sd->...ad", surface(exponents, xi[0], xi[1], p[1], p[2]), q.reshape(*q.shape[:-1], S, 3) / scale[:, None]
    )
    e = np.array([strains_of(SURFACE, 6, one) for one in g.reshape(-1, 15)]).reshape(*q.shape[:-1], 6)
    e[..., :2] -= 0.5
    material = material_of(p[4:])
    C = metric_stiffness(np.eye(3)[:2], material.E, material.nu)
    return np.concatenate([p[0] * e[..., :3] @ C, p[0] ** 3 / 12.0 * e[..., 3:] @ C], axis=-1)


def rows(q0, properties, unit: float = 1.0) -> np.ndarray:
    """(e, R) data rows of elements, unloaded as drawn: ``q0`` (e, 36) nodes round the element, r_x and r_y tangents of
    the surface by x and y, times ``unit`` (length); ``properties`` (10,) or (e, 10): see `properties`.  Raises
    ModelError for elements that are inverted or have sides without length."""
    q, p, a, b = read(q0, properties, unit, 2, WHAT)
    out = []
    for i in range(len(q)):
        sound(ACM, q[i], a[i], b[i], i, WHAT)
        out.append(make(ACM, q[i], a[i], b[i], p[i], plate_scales(2, unit)))
    return points.stack_rows(out, WHAT)


def masses(q0, properties, unit: float = 1.0) -> np.ndarray:
    """(e, 36, 36) consistent masses: int rho h N^T N dA."""
    q, p, a, b = read(q0, properties, unit, 2, WHAT)
    out = np.array([mass(ACM, q[i], a[i], b[i], p[i], plate_scales(2, unit)) for i in range(len(q))]).reshape(
        -1, SHAPES, SHAPES
    )
    return np.einsum("eij,ab->eiajb", out, np.eye(DIM)).reshape(-1, 36, 36)


def faults(q, properties, unit: float = 1.0, q0=None) -> str:
    """One sentence about the first element that is inverted at coordinates ``q`` (e, 36), or "": what a solver gives
    when an element collapsed.

    ``q0`` (e, 36): as drawn, from which sides come that properties do not give."""
    return faults_of(ACM, q, q if q0 is None else q0, properties, unit, 2, WHAT)


def faults_of(exponents, q, q0, properties, unit, gradients, what) -> str:
    """As `faults`, of all plates."""
    _, _, a, b = read(q0, properties, unit, gradients, what)
    now = read(q, properties, unit, gradients, what)[0]
    for i, one in enumerate(now):
        fault = inverted(exponents, one if len(one) == len(exponents) else one[surface_columns()], a[i], b[i])
        if fault:
            return f"element {i + 1} of {what} is inverted {fault}; load it in smaller steps, or take smaller elements"
    return ""


def surface_columns() -> list[int]:
    """Of a node (r, r_x, r_y, r_z): vectors of the surface."""
    return [4 * n + k for n in range(4) for k in range(3)]


def unity(data) -> np.ndarray:
    """(e, 12) vectors of a field that is one everywhere."""
    return np.tile([1.0, 0.0, 0.0] * 4, (len(data), 1))


def weights(properties, xi, unit: float = 1.0) -> np.ndarray:
    """(3, 12): position, r_x and r_y at xi = (u, v), over the vectors of an element with these properties, whose a and
    b are given."""
    return weights_of(ACM, properties, xi, plate_scales(2, unit))


def weights_of(exponents, properties, xi, scale) -> np.ndarray:
    """As `weights`, of all plates."""
    a, b = (float(x) for x in properties[1:3])
    if not (a > 0.0 and b > 0.0):
        raise ModelError("positions on a plate need its sides; give a and b in its properties")
    return np.array([shape(exponents, xi[0], xi[1], a, b, *d) for d in ((0, 0), (1, 0), (0, 1))]) / scale


def resultants(properties, xi, q, unit: float = 1.0) -> np.ndarray:
    """(.., 6) forces and moments per length at xi = (u, v), by x and y, of elements that are rectangles as drawn."""
    return surface_resultants(ACM, properties, xi, q, plate_scales(2, unit))


@jit(entry=FORCES)
def forces(data, e, q, qd, f):
    """f (36) <- elastic and damping forces of element e."""
    points.forces(VECTORS, DIM, SHAPES, data[e], q, qd, f)


@jit(entry=STIFFNESS)
def stiffness(data, e, q, qd, K, C):
    """K, C (36, 36) <- -df/dq, -df/dq' of element e; whether there are dampers."""
    return points.stiffness(VECTORS, DIM, SHAPES, data[e], q, qd, K, C)


@jit(entry=ENERGIES)
def energies(data, e, q, qd):
    """(strain energy, power of the dampers, not positive) of element e."""
    return points.energies(VECTORS, DIM, SHAPES, data[e], q, qd)


@jit
def stress(data, e, q, qd, strain, s):
    """strain, s (E) <- strains of element e and what is conjugate to them (`points.resultants`)."""
    points.resultants(VECTORS, DIM, SHAPES, data[e], q, qd, strain, s)
