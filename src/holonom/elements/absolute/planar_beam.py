"""Planar beam with shear and full gradients (Omar and Shabana): two nodes of (r, r_x, r_y) in a plane across an axis of
ground.

With x = xi L along and y across,

    r = s1 r_1 + L s2 r_1,x + y (1 - xi) r_1,y + s3 r_2 + L s4 r_2,x + y xi r_2,y,
    s1 = 1 - 3 xi^2 + 2 xi^3,  s2 = xi - 2 xi^2 + xi^3,  s3 = 3 xi^2 - 2 xi^3,  s4 = xi^3 - xi^2

Three formulations of its energy:

``"continuum"``
    Green-Lagrange strains E = (F^T F - 1)/2 and Lame's constants over the volume, integrated exactly (5 x 3 points):
    V = 1/2 int lambda (Exx + Eyy)^2 + 2 mu (Exx^2 + Eyy^2 + 2 Exy^2).  Forces are -(K1 + K2 + K3) q
    (Omar, Shabana 2001).  It locks: r is linear in y, so that fibres that a bent beam stretches cannot become thinner
    (Poisson: 1/(1 - nu^2) too stiff in plane stress however fine the mesh), and directors that are interpolated between
    two attitudes are shorter in the middle, which E_yy resists.

``"enhanced"``
    The same material with its cure (Gerstmayr, Matikainen, Mikkola 2008): D = D0 + Dnu, where D0 = diag(E, E, k G) acts
        on fibres and Dnu, what
    Poisson's ratio adds, on the axis only; E_yy is taken at the nodes and interpolated, and shear of the axis has the
        residual bending
    flexibility below.

``"structural"``
    Reissner's strains of the axis with a linear law (Nachbagauer et al. 2011): with t = r_x, d2 = r_y/|r_y| and d1
        across it

        Gamma1 = t . d1 - 1,   Gamma2 = t . d2,   kappa = -d1 . r_yx/|r_y|   (the rate at which d2 turns)
        V = 1/2 int EA Gamma1^2 + k GA Gamma2^2 + EI kappa^2

    and a stiffness EA L/2 of E_yy at each node.  kappa enters by its mean, which is the difference of attitudes over
        the length.  A section of layers yields by the means
    of stretch and curvature (`points`).

Residual bending flexibility: r_y, linear along x, has a constant curvature, so a moment that changes along the element
would make it converge with L^2, and directors between two attitudes turn unevenly, which shear would resist. Internal
rotations b1 phi1 + b2 phi2 next to it, phi1 = 4 xi (1 - xi), phi2 = xi (1 - xi) (1 - 2 xi), make curvature linear, then
quadratic; shear is what is left, Gamma2 - phi b. With their energy of bending EI/L int (phi' b)^2 / 2 the amplitudes b
are eliminated, which softens shear to

    k GA L (W - W phi (phi^T W phi + EI/(k GA L^2) R)^-1 phi^T W),      R = int phi'^T phi' dxi,   W: weights of three
        points of Gauss

and the section, turned by b = beta Gamma2, beta = 1/(1 + 10 EI/(k GA L^2)), is stretched by Gamma1 + Gamma2 b - b^2/2
(structural formulation).

Small deflections under loads at nodes are then exact with one element, thin or thick.  (MacNeal 1978 does this for the
constant shear of a two-node beam.)

Of the stretch at three points what is quadratic along the element counts by 12 EI/(EA L^2) (`membrane`), or a cubic
axis could not bend far without being stretched: four elements in any slenderness bend to 6e-5.

Clamp r and r_y (the section); r_x holds the slope of the axis, which differs from the section's by shear.

Sources: M. A. Omar, A. A. Shabana, J. Sound Vib. 243 (2001) 565-576; J. Gerstmayr, M. K. Matikainen, A. M. Mikkola,
Multibody Syst. Dyn. 20 (2008) 359-384; K. Nachbagauer, A. S. Pechstein, H. Irschik, J. Gerstmayr, Multibody Syst. Dyn.
26 (2011) 245-263; R. H. MacNeal, Comput. Struct. 8 (1978) 175-183.
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
from .strains import AXIS, FIBRES, NODE, SOLID

NODES, PER_NODE = 2, 9
PROPERTIES = ("height", "width", "shear", "formulation", "stress", "length", *MATERIAL)
RESULTANTS = ("axial force", "shear force", "bending moment", "stretch", "shear", "curvature")
DIM, SHAPES, VECTORS = 3, 6, 3
WHAT = "a planar beam"
FORMULATIONS = ("structural", "enhanced", "continuum")
remembers, kept, law_place = points.remembers, points.kept, points.law_place


def shapes(xi: float, y: float, L: float) -> np.ndarray:
    """(6,) shape functions of r_1, r_1,x, r_1,y, r_2, r_2,x, r_2,y."""
    return np.array(
        [
            1 - 3 * xi**2 + 2 * xi**3,
            L * (xi - 2 * xi**2 + xi**3),
            y * (1 - xi),
            3 * xi**2 - 2 * xi**3,
            L * (xi**3 - xi**2),
            y * xi,
        ]
    )


def vectors(xi: float, y: float, L: float) -> np.ndarray:
    """(3, 6): r_x, r_y and r_yx of the coordinates."""
    slope = [
        (6 * xi**2 - 6 * xi) / L,
        1 - 4 * xi + 3 * xi**2,
        -y / L,
        (6 * xi - 6 * xi**2) / L,
        3 * xi**2 - 2 * xi,
        y / L,
    ]
    return np.array([slope, [0, 0, 1 - xi, 0, 0, xi], [0, 0, -1 / L, 0, 0, 1 / L]])


def axis_kind(normal: np.ndarray) -> int:
    """Kind of strains of an axis whose r_x x r_y is ``normal``, along an axis of ground."""
    k = int(np.abs(normal).argmax())
    return AXIS + k + (0 if normal[k] > 0.0 else 3)


COORDINATES = BeamCoordinates(WHAT, PROPERTIES, 2, lambda xi, L: vectors(xi, 0.0, L)[0])
arc = COORDINATES.arc


def properties(
    height: float,
    width: float,
    material,
    *,
    shear: float | None = None,
    formulation: str = "structural",
    plane: str = "stress",
    length: float = 0.0,
) -> np.ndarray:
    """(12,) numbers of elements, for `rows`, `masses` and `resultants`.

    ``height``, ``width``: sides of the section, in the plane and across it, length; ``material``: `Linear`, or
    `MooneyRivlin` (formulation "continuum", plane strain); ``shear``: shear coefficient, by default 10 (1 + nu)/(12 +
    11 nu) (Cowper 1966); ``formulation``: "structural", "enhanced", "continuum"; ``plane``: "stress" or "strain", for
    formulations that use Lame's constants; ``length``: what r_x is a gradient by, by default (0) that of the axis.
    Raises ModelError.
    """
    positive(WHAT, height=height, width=width)
    if formulation not in FORMULATIONS:
        raise ModelError(f"formulation of {WHAT} is {formulation!r}; choose one of {', '.join(FORMULATIONS)}")
    if plane not in ("stress", "strain"):
        raise ModelError(f"plane of {WHAT} is {plane!r}; choose stress or strain")
    known(WHAT, material, rubber=formulation == "continuum")
    if isinstance(material, MooneyRivlin) and plane != "strain":
        raise ModelError(f"a MooneyRivlin material in {WHAT} needs plane='strain'")
    if shear is not None:
        positive(WHAT, shear=shear)
    if not length >= 0.0:
        raise ModelError(f"length of {WHAT} is {length!r}; give a positive number, or 0 for that of the axis")
    k = 10.0 * (1.0 + material.nu) / (12.0 + 11.0 * material.nu) if shear is None else shear
    return np.array(
        [height, width, k, FORMULATIONS.index(formulation), plane == "stress", length, *material.parameters]
    )


def rows(q0, properties, unit: float = 1.0) -> np.ndarray:
    """(e, R) data rows of elements, unloaded as drawn, of one formulation.

    ``q0`` (e, 18): nodes as drawn in a plane across an axis of ground, r_x along the axis, r_y across it and of unit
    length (to its left, seen from one side, in all elements), gradients times ``unit`` (length); ``properties`` (12,)
    or (e, 12): see `properties`.  Raises ModelError for elements that are inverted, without length, or whose directors
    are not of unit length.
    """
    q, p, L = COORDINATES.read(q0, properties, unit)
    _sound(q, L, p[:, 0])
    laws = points.laws_behind(properties, PROPERTIES, WHAT, bool((p[:, 3] == 0.0).all()), section_laws.FIBRES)
    out = []
    for i in range(len(q)):
        material = material_of(p[i, 6:])
        rubber = isinstance(material, MooneyRivlin)
        make = (_structural, _enhanced, _rubber if rubber else _continuum)[int(p[i, 3])]
        own = (laws[min(i, len(laws) - 1)],) if make is _structural else ()
        out.append(make(q[i], L[i], p[i, 0], p[i, 1], material, p[i, 2], bool(p[i, 4]), COORDINATES.scales(unit), *own))
    return points.stack_rows(out, WHAT)


def _sound(q0, L, heights) -> None:
    if len(q0):
        normals = np.cross(q0[:, [1, 4]], q0[:, [2, 5]]).reshape(-1, 3)
        k = int(np.abs(normals.sum(0)).argmax())
        extent = np.ptp(q0[:, [0, 3]], axis=(0, 1)).max()
        off = max(np.ptp(q0[:, [0, 3], k]) / extent, np.abs(q0[:, [1, 2, 4, 5], k]).max())
        if not off <= 1e-9:
            raise ModelError(
                f"{WHAT} does not lie in a plane across an axis of ground; draw it in one, or take beams in space "
                "(spatial_beam)"
            )
        if len(np.unique(np.sign(normals[:, k]))) > 1:
            raise ModelError(
                f"r_y of {WHAT} is to the left of r_x at some nodes and to its right at others; turn it there"
            )
    for i, (q, one, height) in enumerate(zip(q0, L, heights, strict=True)):
        for node in (0, 1):
            if abs(np.linalg.norm(q[3 * node + 2]) - 1.0) > 1e-6:
                raise ModelError(
                    f"r_y at node {node + 1} of element {i + 1} of {WHAT} has the length "
                    f"{np.linalg.norm(q[3 * node + 2]):g}; give a unit vector"
                )
        for xi in np.linspace(0.0, 1.0, 5):
            for y in (-height / 2, height / 2):
                t, d, _ = vectors(xi, y, one) @ q
                if not np.cross(t, d) @ np.cross(q[1], q[2]) > 0.0:
                    raise ModelError(
                        f"element {i + 1} of {WHAT} is inverted at xi = {xi:g}, y = {y:g}: r_y has gone to the other "
                        "side of r_x there; "
                        "turn the nodes round, or take shorter elements or a lower section where the axis is curved"
                    )


def faults(q, properties, unit: float = 1.0, q0=None) -> str:
    """One sentence about the first element that is inverted at coordinates ``q`` (e, 18), or "": what a solver gives
    when an element collapsed.

    ``q0`` (e, 18): as drawn, from which lengths come that properties do not give."""
    now = COORDINATES.vectors(q, unit)
    _, p, L = COORDINATES.read(q if q0 is None else q0, properties, unit)
    for i, one in enumerate(now):
        middle = np.cross(*(vectors(0.5, 0.0, L[i]) @ one)[:2])
        for xi in np.linspace(0.0, 1.0, 5):
            for y in (-p[i, 0] / 2, p[i, 0] / 2):
                t, d, _ = vectors(xi, y, L[i]) @ one
                if not np.cross(t, d) @ middle > 0.0:
                    return (
                        f"element {i + 1} of {WHAT} is inverted at xi = {xi:g}, y = {y:g}; load it in smaller "
                        "steps, or take shorter elements"
                    )
    return ""


def _structural(q, L, h, b, material, k, stress, scale, law):
    A, I = h * b, b * h**3 / 12.0
    x, w = gauss(3)
    speed = [float(np.linalg.norm((vectors(one, 0.0, L) @ q)[0])) for one in x]
    arc = float(L * (w @ speed))
    pts, e0 = [], []
    kind = axis_kind(np.cross(q[1], q[2]))
    for one, v in zip(x, speed, strict=True):
        B = vectors(one, 0.0, L)
        B[[0, 2]] /= v  # by the length of the axis as drawn
        pts.append((kind, 4, B))
        e0 += list(strains_of(kind, 4, (B @ q).ravel()))
    for one in (0.0, 1.0):
        pts.append((NODE, 1, vectors(one, 0.0, L)))
        e0 += list(strains_of(NODE, 1, (pts[-1][2] @ q).ravel()))
    D = np.zeros((14, 14))
    share = w * speed * L
    turned = turned_by_bubble(k * material.mu * A, material.E * I, arc)
    stretch = membrane(material.E * A, material.E * I, share, arc)
    D[0:12:4, 0:12:4], D[0:12:4, 3:12:4], D[3:12:4, 0:12:4], D[3:12:4, 3:12:4] = (
        stretch,
        turned * stretch,
        turned * stretch,
        turned**2 * stretch,
    )
    D[1:12:4, 1:12:4] = bubble(k * material.mu * A, material.E * I, arc)
    D[2:12:4, 2:12:4] = material.E * I / arc * np.outer(share, share)
    D[[12, 13], [12, 13]] = 0.5 * material.E * A * arc
    P = np.zeros((2, 14))
    P[0, 0:12:4], P[0, 3:12:4], P[1, 2:12:4] = share / arc, turned * share / arc, share / arc
    block = points.yielding(P, arc, (material.E * A, material.E * I), law)
    return points.row(pts, np.array(e0), D, scale, tau=material.tau, block=block)


def _enhanced(q, L, h, b, material, k, stress, scale):
    A, far = h * b, h / np.sqrt(12.0)  # two fibres of half the area at the radius of gyration
    E = material.E
    x, w = gauss(3)
    pts, e0 = [], []
    D = np.zeros((14, 14))
    across = material.plane(stress) - np.diag([E, E, material.mu])
    arc = 0.0
    shear = []
    for p, one in enumerate(x):
        B = vectors(one, 0.0, L)
        B[2] *= far
        g = B @ q
        v = float(np.linalg.norm(g[0]))
        arc += w[p] * v * L
        fibre = [np.linalg.norm(g[0] + g[2]), np.linalg.norm(g[0] - g[2])]
        D[4 * p, 4 * p], D[4 * p + 1, 4 * p + 1] = (0.5 * E * A * w[p] * L / f**3 for f in fibre)
        at = [4 * p + 3, 12, 13]  # E_xx of the axis, E_yy at the nodes
        T = np.array([[1 / v**2, 0.0, 0.0], [0.0, 1.0 - one, one]])
        D[np.ix_(at, at)] += T.T @ across[:2, :2] @ T * A * w[p] * v * L
        shear.append(1.0 / v)
        pts.append((FIBRES, 4, B))
        e0 += list(strains_of(FIBRES, 4, g.ravel()))
    for one in (0.0, 1.0):
        pts.append((NODE, 1, vectors(one, 0.0, L)))
        e0 += list(strains_of(NODE, 1, (pts[-1][2] @ q).ravel()))
    D[2:12:4, 2:12:4] = bubble(k * material.mu * A, E * A * far**2, arc) * np.outer(shear, shear)
    D[12:, 12:] += E * A * arc / 6.0 * np.array([[2.0, 1.0], [1.0, 2.0]])
    return points.row(pts, np.array(e0), D, scale, tau=material.tau)


def _solid(q, L, h, xi, y):
    """(B, volume share) of r_X and r_Y by the axes as drawn."""
    V = vectors(xi, y, L)
    X = (V @ q)[:2]  # X_x, X_y
    across = axis_kind(np.cross(q[1], q[2])) - AXIS
    X = np.delete(X, across % 3, axis=1)
    B = np.zeros((VECTORS, SHAPES))
    B[:2] = np.linalg.inv(X) @ V[:2]
    return B, float(abs(np.linalg.det(X)))


def _continuum(q, L, h, b, material, k, stress, scale):
    x, wx = gauss(5)
    y, wy = gauss(3)
    pts, blocks = [], []
    D = material.plane(stress)
    for i in range(5):
        for j in range(3):
            B, det = _solid(q, L, h, x[i], h * (y[j] - 0.5))
            pts.append((SOLID, 3, B))
            blocks.append(D * (wx[i] * wy[j] * det * L * h * b))
    whole = np.zeros((45, 45))
    for p, one in enumerate(blocks):
        whole[3 * p : 3 * p + 3, 3 * p : 3 * p + 3] = one
    return points.row(pts, np.zeros(45), whole, scale, tau=material.tau)


def _rubber(q, L, h, b, material, k, stress, scale):
    """Shape at 5 x 3 points, volume at two points of the axis (selective integration)."""
    pts = []
    x, wx = gauss(5)
    y, wy = gauss(3)
    for i in range(5):
        for j in range(3):
            B, det = _solid(q, L, h, x[i], h * (y[j] - 0.5))
            pts.append((SOLID, 3, B, (material.c10, material.c01, 0.0, wx[i] * wy[j] * det * L * h * b)))
    x, wx = gauss(2)
    for i in range(2):
        B, det = _solid(q, L, h, x[i], 0.0)
        pts.append((SOLID, 3, B, (0.0, 0.0, material.k, wx[i] * det * L * h * b)))
    return points.row(pts, np.zeros(51), np.zeros((51, 51)), scale, law=MOONEY_RIVLIN)


def masses(q0, properties, unit: float = 1.0) -> np.ndarray:
    """(e, 18, 18) consistent masses: int rho N^T N over the volume as drawn."""
    q, p, L = COORDINATES.read(q0, properties, unit)
    x, wx = gauss(5)
    y, wy = gauss(3)
    out = np.zeros((len(q), SHAPES, SHAPES))
    for i, one in enumerate(q):
        height, width = p[i, :2]
        for a, u in zip(x, wx, strict=True):
            for c, v in zip(y, wy, strict=True):
                N = shapes(a, height * (c - 0.5), L[i]) / COORDINATES.scales(unit)
                det = np.linalg.norm(np.cross(*(vectors(a, height * (c - 0.5), L[i]) @ one)[:2]))
                out[i] += p[i, 10] * height * width * L[i] * u * v * det * np.outer(N, N)
    return np.einsum("eij,ab->eiajb", out, np.eye(DIM)).reshape(-1, 18, 18)


def weights(properties, xi: float, unit: float = 1.0) -> np.ndarray:
    """(3, 6): position, r_x and r_y at xi on the axis, over the vectors of an element with these properties, whose
    length is given."""
    L = COORDINATES.length(properties)
    return np.vstack([shapes(xi, 0.0, L), vectors(xi, 0.0, L)[:2]]) / COORDINATES.scales(unit)


def resultants(properties, xi: float, q, unit: float = 1.0) -> np.ndarray:
    """(.., 6) axial force, shear force, bending moment, stretch Gamma1, shear Gamma2 and curvature at xi, of elements
    that are straight as drawn.

    Of the formulations with internal rotations as their energy has them: shear without what these turn, moments linear
    along the element; stretch as the straight line that fits best.  Of "continuum" shear and curvature are means, with
    its stiffness in bending, which locks."""
    p = np.asarray(properties, float)
    vectors_of = np.asarray(q, float).reshape(*np.shape(q)[:-1], SHAPES, DIM) / COORDINATES.scales(unit)[:, None]
    g = np.einsum("pas,...sd->...pad", [vectors(x, 0.0, float(p[5])) for x in gauss(3)[0]], vectors_of)
    normal = np.cross(g[..., 0, :], g[..., 1, :]).reshape(-1, 3).sum(0)
    e = np.array([strains_of(axis_kind(normal), 4, one) for one in g.reshape(-1, 9)]).reshape(*g.shape[:-2], 4)
    material = material_of(p[6 : len(PROPERTIES)])
    A, I = p[0] * p[1], p[1] * p[0] ** 3 / 12.0
    EA, GA, EI = material.E * A, p[2] * material.mu * A, material.E * I
    curvature = e[..., 2] @ gauss(3)[1]
    if FORMULATIONS[int(p[3])] == "continuum":
        GA = material.mu * A
        EI *= material.plane(bool(p[4]))[0, 0] / material.E if isinstance(material, Linear) else 1.0
        stretch, shear = straight(e[..., 0], xi), e[..., 1] @ gauss(3)[1]
    else:
        stretch = straight(e[..., 0] + turned_by_bubble(GA, EI, p[5]) * e[..., 3], xi)
        shear, more = bent(GA, EI, p[5], e[..., 1], xi)
        curvature = curvature + more
    strain = np.stack([stretch, shear, curvature], axis=-1)
    force = strain * [EA, GA, EI]
    if len(law := p[len(PROPERTIES) :]):
        w = gauss(3)[1]
        mean = np.stack([(e[..., 0] + turned_by_bubble(GA, EI, p[5]) * e[..., 3]) @ w, e[..., 2] @ w], axis=-1)
        force[..., [0, 2]] += points.retraced(law, mean, np.array([EA, EI]))
    return np.concatenate([force, strain], axis=-1)


forces, stiffness, energies, accept = section_kind(VECTORS, DIM, SHAPES)
