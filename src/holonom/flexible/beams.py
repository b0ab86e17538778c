"""Finite elements of straight beams with constant sections: Euler-Bernoulli and Timoshenko, in space, with consistent
mass.

Stiffness, mass with rotary inertia and geometric stiffness of the axial force after Przemieniecki, Theory of Matrix
Structural Analysis (1968), ch. 5, 11 and 15.  With F = 12 E I / (k G A l^2) the share of shear (zero: Euler-Bernoulli),
the shape functions of a plane of bending are those of Przemieniecki's eq. 5.116 and are integrated by quadrature, which
is exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..model.base import ModelError, shown
from ..model.values import number, vector, whole
from .ancf_part import ancf_part
from .finite_elements import FiniteElements, Sections
from .section import Section

STRAIGHT = 1e-12  # of the cosine between stretches of a beam that has no corners
MOST_ELEMENTS = 20_000  # of a stretch
FEW = 8  # elements in absolute coordinates, whose deflections converge with the fourth power
GAUSS = np.polynomial.legendre.leggauss(5)


def beam(
    start,
    end,
    section: Section,
    *,
    E: float,
    density: float,
    poisson: float = 0.3,
    elements: int = 20,
    y=None,
    via: Sequence = (),
) -> FiniteElements:
    """Beam from ``start`` to ``end`` (and through the points ``via`` between them), divided into equal elements.

    ``E``: modulus of elasticity, force / length^2; ``density``: mass / length^3 in units with force = mass length /
    time^2 (kg, m, N: kg/m^3);
    ``poisson``: for the shear modulus; ``elements``: number per straight segment; ``y``: a direction close to the y
    axis of the section (default: the global axis most nearly perpendicular to the beam). Nodes are numbered from 1, in
    order. Raises `ModelError` for a beam without length and for invalid values.
    """
    if not isinstance(section, Section):
        raise ModelError(
            f"section is {shown(section)}; give a holonom.flexible.Section, as Section.rectangle(0.02, 0.01)"
        )
    between = via if isinstance(via, (list, tuple, np.ndarray)) else [via]
    points = [
        np.array(vector(p, what))
        for p, what in ((start, "start"), *((p, "a point of via") for p in between), (end, "end"))
    ]
    y = None if y is None else np.array(vector(y, "y"))
    if not 1 <= whole(elements, "elements") <= MOST_ELEMENTS:
        raise ModelError(f"elements is {elements}; give a number from 1 to {MOST_ELEMENTS}")
    for name, value in (("E", E), ("density", density)):
        if not number(value, name) > 0.0:
            raise ModelError(f"{name} is {shown(value)}; give a positive number")
    if not -1.0 < number(poisson, "poisson") <= 0.5:
        raise ModelError(f"poisson is {shown(poisson)}; it lies between -1 and 0.5")
    places = [points[0]]
    for p, q in zip(points, points[1:]):
        if not np.linalg.norm(q - p) > 0.0:
            raise ModelError("two points of the beam are the same; give points apart")
        places += [p + (q - p) * (k / elements) for k in range(1, elements + 1)]
    at = np.array(places)
    G = E / (2.0 * (1.0 + poisson))
    pieces = []
    for k in range(len(at) - 1):
        axes, length = _axes(at[k + 1] - at[k], y)
        K, M = element(section, length, E, G, density)
        T = np.kron(np.eye(4), axes.T)
        pieces.append((k, T.T @ K @ T, T.T @ M @ T, T, length))
    size = 6 * len(at)
    assembled = lambda blocks: _assemble(size, [k for k, *_ in pieces], blocks)
    sections = _sections(section, [(T @ K @ T.T, T @ M @ T.T, T) for _, K, M, T, _ in pieces])

    def geometric(u: np.ndarray) -> sp.csc_matrix:
        blocks = []
        for k, _, _, T, length in pieces:
            d = T @ u[6 * k : 6 * k + 12]
            force = E * section.A * (d[6] - d[0]) / length
            blocks.append(T.T @ stressed(section, length, force) @ T)
        return assembled(blocks)

    lines = np.column_stack([np.arange(len(at) - 1), np.arange(1, len(at))])
    return FiniteElements(
        range(1, len(at) + 1),
        at,
        assembled([p[1] for p in pieces]),
        assembled([p[2] for p in pieces]),
        lines,
        geometric,
        sections=sections,
        absolute=_absolute(points, section, E, density, poisson, len(at) - 1, y),
    )


def _absolute(
    points: list[np.ndarray], section: Section, E: float, density: float, poisson: float, elements: int, y: Any
):
    """(model, part) -> the part as such a beam in absolute coordinates; None of one with corners."""
    along = [(b - a) / np.linalg.norm(b - a) for a, b in zip(points, points[1:])]
    if any(t @ along[0] < 1.0 - STRAIGHT for t in along):
        return None  # the axis of a mesh is smooth
    sheared = replace(section, ky=section.ky or 1.0, kz=section.kz or 1.0)

    def make(model: Any, part: Any):
        ends, nu = [points[0], points[-1]], min(poisson, 0.499)
        return ancf_part(model, part, ends, sheared, E=E, density=density, nu=nu, y=y, elements=min(elements, FEW))

    return make


def _sections(section: Section, pieces: list[tuple[np.ndarray, np.ndarray, np.ndarray]]) -> Sections:
    """Forces of sections at nodes: those at the ends of the elements, K u less the loads spread over the element, the
    mean of both sides where the beam goes straight on."""
    station, triads, ends = [], [], []  # ends: (element, side) that a station takes the mean of
    for e, (*_, T) in enumerate(pieces):
        axes = T[:3, :3].T
        for side in (0, 1):
            if side == 0 and ends and np.allclose(axes, triads[-1], atol=1e-9):
                ends[-1].append((e, 0))
                continue
            station.append(e + side)
            triads.append(axes)
            ends.append([(e, side)])

    def at_stations(u: np.ndarray, which: int) -> np.ndarray:
        out, at_ends = np.zeros((len(station), 6, u.shape[1])), {}
        for e, piece in enumerate(pieces):
            f = piece[which] @ (piece[2] @ u[6 * e : 6 * e + 12])
            at_ends[e] = (-f[:6], f[6:])
        for p, sides in enumerate(ends):
            out[p] = sum(at_ends[e][side] for e, side in sides) / len(sides)
        return out

    law = section.law
    p, k = len(station), len(law)
    return Sections(
        np.array(station, np.int64),
        np.array(triads),
        np.broadcast_to(np.reshape(section.fibres, (-1, 2)), (p, k, 2)).copy(),
        np.broadcast_to(law, (p, k, 3, 6)).copy(),
        lambda u: at_stations(u, 0),
        lambda b: -at_stations(b, 1),
    )


def _axes(along: np.ndarray, y) -> tuple[np.ndarray, float]:
    length = float(np.linalg.norm(along))
    x = along / length
    near = np.eye(3)[int(np.abs(x).argmin())] if y is None else np.asarray(y, float)
    side = near - (near @ x) * x
    if not np.linalg.norm(side) > 1e-9 * np.linalg.norm(near):
        raise ModelError("y of a beam points along it; give a direction across")
    side /= np.linalg.norm(side)
    return np.column_stack([x, side, np.cross(x, side)]), length


def _assemble(size: int, first: list[int], blocks: list[np.ndarray]) -> sp.csc_matrix:
    at = np.array([6 * k + np.arange(12) for k in first])
    rows, cols = np.repeat(at, 12, axis=1).ravel(), np.tile(at, 12).ravel()
    return sp.csc_matrix((np.array(blocks).ravel(), (rows, cols)), shape=(size, size))


def _bending(x: float, l: float, F: float) -> tuple[np.ndarray, ...]:
    """At x in 0..1: deflection and rotation of the section by (v1, r1, v2, r2), and their derivatives along the
    beam."""
    c = 1.0 / (1.0 + F)
    v = c * np.array(
        [
            1 - 3 * x**2 + 2 * x**3 + F * (1 - x),
            l * (x - 2 * x**2 + x**3 + F * (x - x**2) / 2),
            3 * x**2 - 2 * x**3 + F * x,
            l * (-(x**2) + x**3 - F * (x - x**2) / 2),
        ]
    )
    dv = (
        c
        * np.array(
            [
                -6 * x + 6 * x**2 - F,
                l * (1 - 4 * x + 3 * x**2 + F * (1 - 2 * x) / 2),
                6 * x - 6 * x**2 + F,
                l * (-2 * x + 3 * x**2 - F * (1 - 2 * x) / 2),
            ]
        )
        / l
    )
    r = (
        c
        * np.array(
            [
                -6 * x + 6 * x**2,
                l * (1 - 4 * x + 3 * x**2 + F * (1 - x)),
                6 * x - 6 * x**2,
                l * (-2 * x + 3 * x**2 + F * x),
            ]
        )
        / l
    )
    dr = c * np.array([-6 + 12 * x, l * (-4 + 6 * x - F), 6 - 12 * x, l * (-2 + 6 * x + F)]) / l**2
    return v, dv, r, dr


#: degrees of freedom of bending along y (about z) and along z (about y, whose rotation has the other sign)
PLANES = (((1, 5, 7, 11), 1.0), ((2, 4, 8, 10), -1.0))


def element(s: Section, l: float, E: float, G: float, rho: float) -> tuple[np.ndarray, np.ndarray]:
    """Stiffness and consistent mass (12, 12) of an element of length l along its x axis."""
    K, M = np.zeros((12, 12)), np.zeros((12, 12))
    pair = np.array([[1.0, -1.0], [-1.0, 1.0]])
    even = np.array([[2.0, 1.0], [1.0, 2.0]]) / 6.0
    K[np.ix_([0, 6], [0, 6])] = E * s.A / l * pair
    M[np.ix_([0, 6], [0, 6])] = rho * s.A * l * even
    K[np.ix_([3, 9], [3, 9])] = G * s.J / l * pair
    M[np.ix_([3, 9], [3, 9])] = rho * (s.Iy + s.Iz) * l * even
    for (at, sign), I, k in zip(PLANES, (s.Iz, s.Iy), (s.ky, s.kz)):
        F = 12.0 * E * I / (k * G * s.A * l**2) if k else 0.0
        turn = np.array([1.0, sign, 1.0, sign])
        Ke, Me = np.zeros((4, 4)), np.zeros((4, 4))
        for x, weight in zip(*GAUSS):
            v, dv, r, dr = _bending(0.5 * (1.0 + x), l, F)
            w = 0.5 * weight * l
            Ke += w * E * I * np.outer(dr, dr)
            if k:
                Ke += w * k * G * s.A * np.outer(dv - r, dv - r)
            Me += w * rho * (s.A * np.outer(v, v) + I * np.outer(r, r))
        K[np.ix_(at, at)] = Ke * np.outer(turn, turn)
        M[np.ix_(at, at)] = Me * np.outer(turn, turn)
    return K, M


def stressed(s: Section, l: float, force: float) -> np.ndarray:
    """Stiffness (12, 12) of an element by its axial force: N of v'^2 + w'^2 and, of the twist, N (Iy + Iz) / A."""
    K = np.zeros((12, 12))
    for at, sign in PLANES:
        turn = np.array([1.0, sign, 1.0, sign])
        Ke = np.zeros((4, 4))
        for x, weight in zip(*GAUSS):
            dv = _bending(0.5 * (1.0 + x), l, 0.0)[1]
            Ke += 0.5 * weight * l * force * np.outer(dv, dv)
        K[np.ix_(at, at)] = Ke * np.outer(turn, turn)
    K[np.ix_([3, 9], [3, 9])] = force * (s.Iy + s.Iz) / (s.A * l) * np.array([[1.0, -1.0], [-1.0, 1.0]])
    return K
