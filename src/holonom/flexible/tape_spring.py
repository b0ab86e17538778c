"""Tape springs: thin strips with a curved section that flattens where they are bent, so that they snap into a fold and
out of it.

Bent with the curvature k all along, the section z(y), -s/2 <= y <= s/2, of a strip of thickness t, whose radius was R
over the angle a = s/R, is a beam on an elastic foundation (its fibres pull it towards the neutral line), with D = E
t^3/12 (1 - nu^2):

    D z'''' + E t k^2 z = 0,     z'' = 1/R - nu k and z''' = 0 at the edges,
    M = int D (k + nu (z'' - 1/R)) + E t k z^2 dy

k is positive where it bends the strip to the side to which its section is curved (equal sense).  The moment rises to a
peak, at which a fold snaps in, and falls towards that of a flat strip, M = s D (k + nu/R); a long fold has the
curvature 1/R, with the moments (1 + nu) D a (opposite sense) and (1 - nu) D a (equal sense).  Bending in the equal
sense of a real strip ends before the peak, where it twists and buckles sideways, which a cable does not know.

Sources: W. Wuest, Z. angew. Math. Mech. 34 (1954) 444-445; E. H. Mansfield, Proc. R. Soc. A 334 (1973) 279-298; K. A.
Seffen, S. Pellegrino, Proc. R. Soc. A 455 (1999) 1003-1048.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..elements.absolute.section_laws import KNOTS, MomentCurve
from ..model.base import ModelError, shown
from .axis_of_mesh import is_number
from .cable import Cable, cable

CLOSE = 1e-4  # of the larger peak: how far the curve may lie from the formula between its points
REACH = 3.0  # curvature up to which the curve goes, over 1/R
SLENDER = 0.2  # thickness over the radius, from which on the strip is no thin shell


def wuest(k: Any, radius: float, angle: float, thickness: float, E: float, nu: float) -> np.ndarray:
    """Moments of a tape spring at curvatures k (see the module's text), closed form: with l = (3 (1 - nu^2))^(1/4) s
    sqrt(|k|/t)

    M = s D (k - nu/R + nu (1/R - nu k) F1 + (1/R - nu k)^2 F2/k),
    F1 = 2 (cosh l - cos l)/(l (sinh l + sin l)),   F2 = F1/4 - sinh l sin l/(sinh l + sin l)^2
    """
    k = np.asarray(k, float)
    s, D = radius * angle, E * thickness**3 / (12.0 * (1.0 - nu**2))
    size = np.maximum(np.abs(k), 1e-9 / radius * thickness / s)
    size = np.where(k < 0.0, -size, size)
    x = (3.0 * (1.0 - nu**2)) ** 0.25 * s * np.sqrt(np.abs(size) / thickness)
    e, d = np.exp(-x), np.exp(-2.0 * x)  # so that nothing grows
    under = 0.5 * (1.0 - d) + e * np.sin(x)
    F1 = 2.0 / x * (0.5 * (1.0 + d) - e * np.cos(x)) / under
    F2 = 0.25 * F1 - 0.5 * (1.0 - d) * e * np.sin(x) / under**2
    small = x < 0.02  # there F2 is a difference of equals: its series
    F1 = np.where(small, 1.0 - x**4 / 180.0, F1)
    F2 = np.where(small, x**4 / 180.0, F2)
    open_ = 1.0 / radius - nu * size
    M = s * D * (size - nu / radius + nu * open_ * F1 + open_**2 * F2 / size)
    return np.where(size == k, M, M * k / size)


def tape_spring_law(
    radius: float, angle: float, thickness: float, E: float, nu: float = 0.3, *, opens: int = 1
) -> MomentCurve:
    """The moment curve of a tape spring (`wuest`), for `cable`.

    ``radius`` of its section and ``thickness``, length; ``angle``: of its section, rad; ``E`` force/length^2;
    ``opens``: 1 where positive curvature is opposite-sense bending (with the high peak moment), -1 where negative
    curvature is. Raises `ModelError`.

        law = hn.flexible.tape_spring_law(0.0133, 1.85, 1e-4, 131e9)
    """
    for name, value in (("radius", radius), ("angle", angle), ("thickness", thickness), ("E", E)):
        if not (is_number(value) and value > 0.0):
            raise ModelError(f"{name} of a tape spring is {shown(value)}; give a positive number")
    if not (is_number(nu) and 0.0 <= nu < 0.5):
        raise ModelError(f"nu of a tape spring is {shown(nu)}; give a number from 0 to less than 0.5")
    if angle > math.pi or thickness > SLENDER * radius:
        raise ModelError(
            "a tape spring is a thin strip with an open section; give an angle up to pi and a thickness far below the "
            "radius"
        )
    if opens not in (1, -1):
        raise ModelError(
            f"opens of a tape spring is {shown(opens)}; give 1 or -1, the sign of the curvature that bends it in the "
            "opposite sense"
        )
    at = lambda k: -opens * wuest(-opens * k, radius, angle, thickness, E, nu)
    scale = thickness / (radius * angle) ** 2  # curvature at which the section begins to flatten
    top = math.asinh(REACH / radius / scale)
    count = 20
    while True:
        k = scale * np.sinh(np.linspace(-top, top, 2 * count + 1))
        k[count] = 0.0
        h = 1e-4 * np.hypot(k, scale)
        slopes = (8.0 * (at(k + h) - at(k - h)) - at(k + 2.0 * h) + at(k - 2.0 * h)) / (12.0 * h)
        M = at(k)
        M[count] = 0.0
        between = 0.5 * (k[1:] + k[:-1])
        off = np.abs(0.5 * (M[1:] + M[:-1]) + (slopes[:-1] - slopes[1:]) * np.diff(k) / 8.0 - at(between)).max()
        if off < CLOSE * np.abs(M).max() or 4 * count + 1 > KNOTS:
            return MomentCurve(tuple(zip(k.tolist(), M.tolist())), tuple(slopes.tolist()))
        count *= 2


def tape_spring(
    model: Any,
    points: Any,
    radius: float,
    angle: float,
    thickness: float,
    *,
    E: float,
    nu: float = 0.3,
    density: float,
    plane: str,
    opens: int = 1,
    elements: int = 9,
    name: str = "tape spring",
    **more: Any,
) -> Cable:
    """Add a tape spring to a model: a `cable` in a ``plane`` with the law `tape_spring_law`; ``density`` mass/length^3;
    ``more``: as of `cable`.

    A fold forms in the element with the highest load, so use elements about as long as the expected fold, its angle
    times the radius of the section: the snap-through moment does not depend on the element length, the angle over which
    the moment drops does. Raises `ModelError` as these.

        tape = hn.flexible.tape_spring(m, [(0, 0, 0), (0.2, 0, 0)], 0.0133, 1.85, 1e-4, E=131e9, density=8300.0,
            plane="xy")
    """
    law = tape_spring_law(radius, angle, thickness, E, nu, opens=opens)
    if not (is_number(density) and density > 0.0):
        raise ModelError(f"density of a tape spring is {shown(density)}; give a positive number")
    area = radius * angle * thickness
    return cable(
        model, points, EA=E * area, mass=density * area, plane=plane, elements=elements, law=law, name=name, **more
    )
