"""Beam in space with shear and full gradients: two nodes of (r, r_x, r_y, r_z), 24 coordinates.

    r = s1 r_1 + L s2 r_1,x + s3 r_2 + L s4 r_2,x + (1 - xi) (y r_1,y + z r_1,z) + xi (y r_2,y + z r_2,z)

with the cubics of `planar_beam`.  Three formulations of its energy:

``"structural"``
    Reissner's strains of the axis with a linear law of the section (Nachbagauer, Gruber, Gerstmayr 2013).  d1 is the
        unit vector along
    r_y x r_z, d2 and d3 those along r_y and r_z, t = r_x:

        Gamma = (t . d1 - 1, t . d2, t . d3)
        kappa1 = (d3 . r_yx/|r_y| - d2 . r_zx/|r_z|)/2,    kappa2 = d1 . r_zx/|r_z|,    kappa3 = -d1 . r_yx/|r_y|
        V = 1/2 int EA Gamma1^2 + ky GA Gamma2^2 + kz GA Gamma3^2 + GJ kappa1^2 + E Iy kappa2^2 + E Iz kappa3^2

    Curvatures enter by their means; shear has the residual bending flexibility of `planar_beam` in both planes; at the
        nodes, and only there, the
    section is kept by EA L/2 of E_yy, E_zz and 2 E_yz (between two attitudes interpolated directors are shorter:
        sampled there, E_yy would lock).

``"enhanced"``
    Green-Lagrange strains of four fibres at the radii of gyration and of the axis (Gerstmayr, Matikainen, Mikkola
        2008): D0 = diag(E, E, E, ..)
    on the fibres, what Poisson's ratio adds on the axis only, shear k G of the axis, and torsion (r_z . r_yx - r_y .
        r_zx)/2 with GJ, since a
    section that stays plane has the polar moment for torsion.

``"continuum"``
    Green-Lagrange strains over a rectangle, 4 x 2 x 2 points, `Linear` or `MooneyRivlin` (shape by all points, volume
        by two of the axis).  With
    `Linear` it locks as the planar one does and twists with the polar moment: it is here for materials with a law at
        each point, and to be
    compared with.

Clamp r, r_y and r_z (the section); r_x holds the slope of the axis, which differs from the section's by shear.

Sources: A. A. Shabana, R. Y. Yakoub, ASME J. Mech. Des. 123 (2001) 606-621; K. Nachbagauer, P. Gruber, J. Gerstmayr,
ASME J. Comput. Nonlinear Dyn. 8 (2013) 021004; J. Gerstmayr, M. K. Matikainen, A. M. Mikkola, Multibody Syst. Dyn. 20
(2008) 359-384; G. Orzechowski, J. Fraczek, Nonlinear Dyn. 82 (2015) 451-464.
"""

from __future__ import annotations

import numpy as np

from ...model.base import ModelError
from . import points, section_laws
from .beams import BeamCoordinates, bent, bubble, membrane, straight, turned_by_bubble
from .materials import MATERIAL, MOONEY_RIVLIN, Linear, MooneyRivlin, known
from .materials import material as material_of
from .points import gauss, positive, strains_of
from .section_kind import section_kind
from .strains import BEAM, BEAM_FIBRES, BEAM_NODE, BEAM_SOLID

NODES, PER_NODE = 2, 12
PROPERTIES = ("A", "Iy", "Iz", "J", "ky", "kz", "y", "z", "formulation", "length", *MATERIAL)
RESULTANTS = ("axial force", "shear force y", "shear force z", "torque", "bending moment y", "bending moment z")
DIM, SHAPES, VECTORS = 3, 8, 5
WHAT = "a beam"
FORMULATIONS = ("structural", "enhanced", "continuum")
remembers, kept, law_place = points.remembers, points.kept, points.law_place


def shapes(xi: float, y: float, z: float, L: float) -> np.ndarray:
    """(8,) shape functions of r_1, r_1,x, r_1,y, r_1,z and those of node 2."""
    h = np.array([1 - 3 * xi**2 + 2 * xi**3, L * (xi - 2 * xi**2 + xi**3), 3 * xi**2 - 2 * xi**3, L * (xi**3 - xi**2)])
    return np.array([h[0], h[1], y * (1 - xi), z * (1 - xi), h[2], h[3], y * xi, z * xi])


def vectors(xi: float, y: float, z: float, L: float) -> np.ndarray:
    """(5, 8): r_x, r_y, r_z, r_yx and r_zx of the coordinates."""
    h = [(6 * xi**2 - 6 * xi) / L, 1 - 4 * xi + 3 * xi**2, (6 * xi - 6 * xi**2) / L, 3 * xi**2 - 2 * xi]
    out = np.zeros((5, 8))
    out[0] = [h[0], h[1], -y / L, -z / L, h[2], h[3], y / L, z / L]
    out[1, [2, 6]] = out[2, [3, 7]] = 1 - xi, xi
    out[3, [2, 6]] = out[4, [3, 7]] = -1 / L, 1 / L
    return out


COORDINATES = BeamCoordinates(WHAT, PROPERTIES, 3, lambda xi, L: vectors(xi, 0.0, 0.0, L)[0])
arc = COORDINATES.arc


def properties(
    section, material, *, formulation: str = "structural", sides: tuple[float, float] | None = None, length: float = 0.0
) -> np.ndarray:
    """(16,) numbers of elements, for `rows`, `masses` and `resultants`.

    ``section``: with ``A``, ``Iy``, ``Iz``, ``J``, and ``ky``, ``kz`` positive (`holonom.flexible.Section` with
    shear=True); ``material``: `Linear`, or `MooneyRivlin` (formulation "continuum"); ``formulation``: "structural",
    "enhanced", "continuum"; ``sides``: of the rectangle along y and z that "continuum" integrates over; ``length``:
    what r_x is a gradient by, by default (0) that of the axis.  Raises ModelError.
    """
    if formulation not in FORMULATIONS:
        raise ModelError(f"formulation of {WHAT} is {formulation!r}; choose one of {', '.join(FORMULATIONS)}")
    known(WHAT, material, rubber=formulation == "continuum")
    for name in ("A", "Iy", "Iz", "J"):
        positive(WHAT, **{name: getattr(section, name, None)})
    if formulation == "continuum":
        if sides is None:
            raise ModelError(
                f"{WHAT} with formulation='continuum' is integrated over a rectangle; give sides=(along y, along z)"
            )
        positive(WHAT, y=sides[0], z=sides[1])
    else:
        for name in ("ky", "kz"):
            if not getattr(section, name, 0.0) > 0.0:
                raise ModelError(
                    f"{name} of the section of {WHAT} is {getattr(section, name, 0.0)!r}; this element shears: give a "
                    "coefficient, "
                    "or Section.rectangle(.., shear=True)"
                )
    if not length >= 0.0:
        raise ModelError(f"length of {WHAT} is {length!r}; give a positive number, or 0 for that of the axis")
    y, z = sides or (0.0, 0.0)
    s = section
    return np.array(
        [s.A, s.Iy, s.Iz, s.J, s.ky, s.kz, y, z, FORMULATIONS.index(formulation), length, *material.parameters], float
    )


def rows(q0, properties, unit: float = 1.0) -> np.ndarray:
    """(e, R) data rows of elements, unloaded as drawn, of one formulation.

    ``q0`` (e, 24): nodes as drawn, r_x along the axis, r_y and r_z of unit length and right-handed with it, gradients
    times ``unit`` (length); ``properties`` (16,) or (e, 16): see `properties`.  Raises ModelError for elements that are
    inverted, without length, or whose directors are not unit vectors at right angles.
    """
    q, p, L = COORDINATES.read(q0, properties, unit)
    _sound(q, L, p)
    laws = points.laws_behind(properties, PROPERTIES, WHAT, bool((p[:, 8] == 0.0).all()), section_laws.GRID)
    out = []
    for i in range(len(q)):
        material = material_of(p[i, 10:])
        make = (_structural, _enhanced, _rubber if isinstance(material, MooneyRivlin) else _continuum)[int(p[i, 8])]
        own = (laws[min(i, len(laws) - 1)],) if make is _structural else ()
        out.append(make(q[i], L[i], p[i], material, COORDINATES.scales(unit), *own))
    return points.stack_rows(out, WHAT)


def _corners(p):
    """y and z where the section ends, about."""
    y, z = (0.5 * p[6], 0.5 * p[7]) if p[6] > 0.0 else np.sqrt(3.0 * np.array([p[2], p[1]]) / p[0])
    return [(y, z), (y, -z), (-y, z), (-y, -z)]


def _sound(q, L, p) -> None:
    for i in range(len(q)):
        for node in (0, 1):
            a, b = q[i, 4 * node + 2 : 4 * node + 4]
            if max(abs(np.linalg.norm(a) - 1.0), abs(np.linalg.norm(b) - 1.0), abs(a @ b)) > 1e-6:
                raise ModelError(
                    f"r_y and r_z at node {node + 1} of element {i + 1} of {WHAT} are not unit vectors at right "
                    "angles; make them so"
                )
        fault = _inverted(q[i], L[i], p[i])
        if fault:
            raise ModelError(
                f"element {i + 1} of {WHAT} is inverted {fault}: r_x, r_y, r_z are not right-handed there; "
                "turn the nodes round, or take shorter elements or a smaller section where the axis is curved"
            )


def _inverted(q, L, p) -> str:
    for xi in np.linspace(0.0, 1.0, 5):
        for y, z in _corners(p):
            if not np.linalg.det((vectors(xi, y, z, L) @ q)[:3]) > 0.0:
                return f"at xi = {xi:g}, y = {y:g}, z = {z:g}"
    return ""


def faults(q, properties, unit: float = 1.0, q0=None) -> str:
    """One sentence about the first element that is inverted at coordinates ``q`` (e, 24), or "": what a solver gives
    when an element collapsed.

    ``q0`` (e, 24): as drawn, from which lengths come that properties do not give."""
    now = COORDINATES.vectors(q, unit)
    _, p, L = COORDINATES.read(q if q0 is None else q0, properties, unit)
    for i, one in enumerate(now):
        fault = _inverted(one, L[i], p[i])
        if fault:
            return f"element {i + 1} of {WHAT} is inverted {fault}; load it in smaller steps, or take shorter elements"
    return ""


def _nodes(q, L, pts, e0) -> None:
    for one in (0.0, 1.0):
        pts.append((BEAM_NODE, 3, vectors(one, 0.0, 0.0, L)))
        e0 += list(strains_of(BEAM_NODE, 3, (pts[-1][2] @ q).ravel()))


def _structural(q, L, p, material, scale, law):
    A, Iy, Iz, J, ky, kz = p[:6]
    E, G = material.E, material.mu
    x, w = gauss(3)
    pts, e0, speed = [], [], []
    for one in x:
        B = vectors(one, 0.0, 0.0, L)
        speed.append(float(np.linalg.norm((B @ q)[0])))
        B[[0, 3, 4]] /= speed[-1]  # by the length of the axis as drawn
        pts.append((BEAM, 8, B))
        e0 += list(strains_of(BEAM, 8, (B @ q).ravel()))
    _nodes(q, L, pts, e0)
    share = w * speed * L
    arc = share.sum()
    D = np.zeros((30, 30))
    turned = np.array([1.0, turned_by_bubble(ky * G * A, E * Iz, arc), turned_by_bubble(kz * G * A, E * Iy, arc)])
    stretch = membrane(E * A, E * max(Iy, Iz), share, arc)
    for i, a in enumerate((0, 6, 7)):
        for j, b in enumerate((0, 6, 7)):
            D[a:24:8, b:24:8] = turned[i] * turned[j] * stretch
    D[1:24:8, 1:24:8] = bubble(ky * G * A, E * Iz, arc)
    D[2:24:8, 2:24:8] = bubble(kz * G * A, E * Iy, arc)
    for k, stiff in ((3, G * J), (4, E * Iy), (5, E * Iz)):
        D[k:24:8, k:24:8] = stiff / arc * np.outer(share, share)
    D[range(24, 30), range(24, 30)] = 0.5 * E * A * arc
    P = np.zeros((3, 30))
    for i, a in enumerate((0, 6, 7)):
        P[0, a:24:8] = turned[i] * share / arc
    P[1, 4:24:8] = P[2, 5:24:8] = share / arc
    block = points.yielding(P, arc, (E * A, E * Iy, E * Iz), law)
    return points.row(pts, np.array(e0), D, scale, tau=material.tau, block=block)


def _enhanced(q, L, p, material, scale):
    A, Iy, Iz, J, ky, kz = p[:6]
    E, G = material.E, material.mu
    fy, fz = np.sqrt(Iz / A), np.sqrt(Iy / A)  # four fibres of a quarter of the area at the radii of gyration
    x, w = gauss(3)
    pts, e0 = [], []
    D = np.zeros((33, 33))
    across = material.solid()[:3, :3] - E * np.eye(3)
    speed = []
    for k, one in enumerate(x):
        B = vectors(one, 0.0, 0.0, L)
        B[3] *= fy
        B[4] *= fz
        g = B @ q
        v = float(np.linalg.norm(g[0]))
        speed.append(v)
        for n, (a, b) in enumerate(((1, 1), (1, -1), (-1, 1), (-1, -1))):
            D[9 * k + n, 9 * k + n] = 0.25 * E * A * w[k] * L / np.linalg.norm(g[0] + a * g[3] + b * g[4]) ** 3
        at = [9 * k + 4, 27, 30, 28, 31]  # E_xx of the axis, E_yy and E_zz at the nodes
        M = np.zeros((3, 5))
        M[0, 0] = 1.0 / v**2
        M[1, 1:3] = M[2, 3:5] = 1.0 - one, one
        D[np.ix_(at, at)] += M.T @ across @ M * A * w[k] * v * L
        pts.append((BEAM_FIBRES, 9, B))
        e0 += list(strains_of(BEAM_FIBRES, 9, g.ravel()))
    _nodes(q, L, pts, e0)
    share = w * speed * L
    arc = share.sum()
    D[5:27:9, 5:27:9] = bubble(ky * G * A, E * Iz, arc) / np.outer(speed, speed)
    D[6:27:9, 6:27:9] = bubble(kz * G * A, E * Iy, arc) / np.outer(speed, speed)
    twist = np.zeros(33)
    twist[7:27:9], twist[8:27:9] = 0.5 / fy * w * L, -0.5 / fz * w * L
    D += G * J / arc * np.outer(twist, twist)
    for k in (27, 28):
        D[np.ix_([k, k + 3], [k, k + 3])] += E * A * arc / 6.0 * np.array([[2.0, 1.0], [1.0, 2.0]])
    D[[29, 32], [29, 32]] = 0.5 * G * A * arc
    return points.row(pts, np.array(e0), D, scale, tau=material.tau)


def _solid(q, L, xi, y, z):
    V = vectors(xi, y, z, L)
    X = (V @ q)[:3]
    B = np.zeros((VECTORS, SHAPES))
    B[:3] = np.linalg.inv(X) @ V[:3]
    return B, float(np.linalg.det(X))


def _volume(q, L, p):
    """(B, volume) of 4 x 2 x 2 points."""
    for a, u in zip(*gauss(4), strict=True):
        for b, v in zip(*gauss(2), strict=True):
            for c, w in zip(*gauss(2), strict=True):
                B, det = _solid(q, L, a, p[6] * (b - 0.5), p[7] * (c - 0.5))
                yield B, u * v * w * det * L * p[6] * p[7]


def _continuum(q, L, p, material, scale):
    D, pts, n = np.zeros((96, 96)), [], 0
    for B, volume in _volume(q, L, p):
        pts.append((BEAM_SOLID, 6, B))
        D[n : n + 6, n : n + 6] = material.solid() * volume
        n += 6
    return points.row(pts, np.zeros(96), D, scale, tau=material.tau)


def _rubber(q, L, p, material, scale):
    """Shape at all points, volume at two of the axis (selective integration)."""
    pts = [(BEAM_SOLID, 6, B, (material.c10, material.c01, 0.0, volume)) for B, volume in _volume(q, L, p)]
    for a, u in zip(*gauss(2), strict=True):
        B, det = _solid(q, L, a, 0.0, 0.0)
        pts.append((BEAM_SOLID, 6, B, (0.0, 0.0, material.k, u * det * L * p[6] * p[7])))
    return points.row(pts, np.zeros(108), np.zeros((108, 108)), scale, law=MOONEY_RIVLIN)


def masses(q0, properties, unit: float = 1.0) -> np.ndarray:
    """(e, 24, 24) consistent masses with the section's A, Iy and Iz: int rho N^T N."""
    q, p, L = COORDINATES.read(q0, properties, unit)
    out = np.zeros((len(q), SHAPES, SHAPES))
    for i in range(len(q)):
        A, Iy, Iz = p[i, :3]
        fy, fz = np.sqrt(Iz / A), np.sqrt(Iy / A)
        for a, u in zip(*gauss(5), strict=True):
            for y, z in ((fy, fz), (fy, -fz), (-fy, fz), (-fy, -fz)):
                N = shapes(a, y, z, L[i]) / COORDINATES.scales(unit)
                det = np.linalg.det((vectors(a, y, z, L[i]) @ q[i])[:3])
                out[i] += 0.25 * p[i, 14] * A * L[i] * u * det * np.outer(N, N)
    return np.einsum("eij,ab->eiajb", out, np.eye(DIM)).reshape(-1, 24, 24)


def weights(properties, xi: float, unit: float = 1.0) -> np.ndarray:
    """(4, 8): position, r_x, r_y and r_z at xi on the axis, over the vectors of an element with these properties, whose
    length is given."""
    L = COORDINATES.length(properties)
    return np.vstack([shapes(xi, 0.0, 0.0, L), vectors(xi, 0.0, 0.0, L)[:3]]) / COORDINATES.scales(unit)


def resultants(properties, xi: float, q, unit: float = 1.0) -> np.ndarray:
    """(.., 6) axial force, shear forces along d2 and d3, torque, bending moments about d2 and d3 at xi, of elements
    that are straight as drawn; as `planar_beam.resultants`."""
    p = np.asarray(properties, float)
    q = np.asarray(q, float)
    x, w = gauss(3)
    g = np.einsum(
        "pas,...sd->...pad",
        [vectors(one, 0.0, 0.0, float(p[9])) for one in x],
        q.reshape(*q.shape[:-1], SHAPES, DIM) / COORDINATES.scales(unit)[:, None],
    )
    e = np.array([strains_of(BEAM, 8, one) for one in g.reshape(-1, 15)]).reshape(*g.shape[:-2], 8)
    material = material_of(p[10 : len(PROPERTIES)])
    E, G, L = material.E, material.mu, p[9]
    A, Iy, Iz, J, ky, kz = p[:6]
    stiff = np.array([E * A, ky * G * A, kz * G * A, G * J, E * Iy, E * Iz])
    twist, about_y, about_z = (e[..., k] @ w for k in (3, 4, 5))
    if FORMULATIONS[int(p[8])] == "continuum":
        stiff[1:4] = G * A, G * A, G * (Iy + Iz)
        stiff[4:] *= material.solid()[0, 0] / E if isinstance(material, Linear) else 1.0
        stretch, along_y, along_z = straight(e[..., 0], xi), e[..., 1] @ w, e[..., 2] @ w
    else:
        turned = turned_by_bubble(stiff[1], stiff[5], L), turned_by_bubble(stiff[2], stiff[4], L)
        stretch = straight(e[..., 0] + turned[0] * e[..., 6] + turned[1] * e[..., 7], xi)
        along_y, more = bent(stiff[1], stiff[5], L, e[..., 1], xi)
        about_z = about_z + more
        along_z, more = bent(stiff[2], stiff[4], L, e[..., 2], xi)
        about_y = about_y - more  # a turn about y moves x against z
    force = np.stack([stretch, along_y, along_z, twist, about_y, about_z], axis=-1) * stiff
    if len(law := p[len(PROPERTIES) :]):
        mean = np.stack(
            [(e[..., 0] + turned[0] * e[..., 6] + turned[1] * e[..., 7]) @ w, e[..., 4] @ w, e[..., 5] @ w], axis=-1
        )
        force[..., [0, 4, 5]] += points.retraced(law, mean, stiff[[0, 4, 5]])
    return force


forces, stiffness, energies, accept = section_kind(VECTORS, DIM, SHAPES)
