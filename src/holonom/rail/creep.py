"""Hertz's ellipse and creep forces by themselves: for curves, studies and checks.  The equations are in
`holonom.elements.forces.rails.ellipse` and `creep`."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..elements.forces.rails.creep import LAWS
from ..elements.forces.rails.ellipse import LAST, NODES, ellipse_table, kalker
from ..model import ModelError
from ..model.values import number, word_of


class Ellipse(NamedTuple):
    """Half axes ``a`` (along the rolling direction) and ``b``, approach ``depth``, pressure at the middle
    ``pressure``."""

    a: float
    b: float
    depth: float
    pressure: float


def hertz(load: float, curvature_x: float, curvature_y: float, young: float = 210e9, poisson: float = 0.27) -> Ellipse:
    """`Ellipse` of two bodies of the same material under the normal ``load``; ``curvature_x``, ``curvature_y``:
    sums of both bodies' curvatures (1 / length) along the
    rolling direction and across it.  Consistent units.  Raises `ModelError` for numbers that are not
    positive."""
    for what, value in (("load", load), ("curvature_x", curvature_x), ("curvature_y", curvature_y), ("young", young)):
        if not number(value, what) > 0.0:
            raise ModelError(f"{what} is {value:g}; give a positive number")
    if not 0.0 <= poisson <= 0.5:
        raise ModelError(f"poisson is {poisson:g}; give a number from 0 to 0.5")
    x = math.log(curvature_y / curvature_x)
    if abs(x) > LAST:
        raise ModelError(
            f"curvatures of {curvature_x:g} and {curvature_y:g} make an ellipse as thin as a line; their ratio is to "
            f"be below {math.exp(LAST):.0f}"
        )
    from scipy.interpolate import CubicHermiteSpline

    table = ellipse_table(float(poisson))
    nodes = np.linspace(-LAST, LAST, NODES)
    alpha, beta, zeta = (
        math.exp(float(CubicHermiteSpline(nodes, table[:, 2 * j], table[:, 2 * j + 1])(x))) for j in range(3)
    )
    hard = 2.0 * math.pi / 3.0 * young / (2.0 * (1.0 - poisson**2))
    total = 0.5 * (curvature_x + curvature_y)
    size = (load / (hard * total)) ** (1.0 / 3.0)
    a, b = alpha * size, beta * size
    return Ellipse(a, b, zeta * (load / hard) ** (2.0 / 3.0) * total ** (1.0 / 3.0), 1.5 * load / (math.pi * a * b))


def creep_forces(
    law: str,
    load: float,
    mu: float,
    a: float,
    b: float,
    xi: Any = 0.0,
    eta: Any = 0.0,
    phi: Any = 0.0,
    *,
    young: float = 210e9,
    poisson: float = 0.27,
    reduction=(1.0, 1.0),
    elements: int = 20,
) -> np.ndarray:
    """F_x, F_y, M_z (..., 3) on the wheel by a law (LINEAR, JOHNSON_VERMEULEN, SHEN_HEDRICK_ELKINS, POLACH, FASTSIM) in
    the ellipse (a, b) under ``load``, for creepages ``xi``,
    ``eta`` and spin ``phi`` (1 / length), arrays that fit together; ``reduction``: k_A, k_S of POLACH; ``elements``: n
    of FASTSIM.  Raises `ModelError` for unknown laws and
    sizes that are not positive."""
    kernel = LAWS[word_of(law, "law", tuple(LAWS))]
    for what, value in (("load", load), ("mu", mu), ("a", a), ("b", b), ("young", young)):
        if not number(value, what) > 0.0:
            raise ModelError(f"{what} is {value:g}; give a positive number")
    c = np.array([young / (2.0 * (1.0 + poisson)), *reduction, float(elements)])
    coefficients = [float(v) for v in kalker(a / b, poisson)]
    x, y, z = np.broadcast_arrays(*(np.asarray(v, float) for v in (xi, eta, phi)))
    found = [
        kernel(c, (float(load), float(mu), float(a), float(b), *coefficients, float(p), float(q), float(r)))
        for p, q, r in zip(x.ravel(), y.ravel(), z.ravel())
    ]
    return np.array(found).reshape(*x.shape, 3)


__all__ = ["Ellipse", "creep_forces", "hertz", "kalker"]
