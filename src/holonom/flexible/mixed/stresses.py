"""Stresses of plane bodies and bodies of revolution from their displacements.

In each quadrilateral at its middle, where bilinear elements are best (J. Barlow, Int. J. Numer. Methods Engrg. 10
(1976) 243); at nodes the mean of the quadrilaterals around, weighted by their areas.
"""

from __future__ import annotations

import numpy as np

from ...model.base import ModelError
from .continuum import Continuum


def stresses(body: Continuum, displacements: np.ndarray) -> np.ndarray:
    """(.., a, 4) stresses rr, zz, rz, hoop at nodes (of a plane body xx, yy, xy, zz), force / length^2, by
    displacements (.., a, 2), length.

    Raises `ModelError` for bodies in space, whose elements are those of `flexible.solid`.
    """
    if body.cells is None or body.material is None:
        raise ModelError(
            f"stresses of '{body.name}' are not known here: it is not made of quadrilaterals (axisymmetric or plane)"
        )
    t, x = body.cells, body.places[body.cells]
    u = np.asarray(displacements, float)[..., t, :]
    slopes = 0.25 * np.array(
        [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]
    )  # of the shape functions, at the middle
    J = np.einsum("ki,ekj->eji", slopes, x)
    B = np.einsum("ki,eij->ekj", slopes, np.linalg.inv(J))
    grad = np.einsum("...eki,ekj->...eij", u, B)
    E, nu = body.material.E, body.material.nu
    mu, lam = E / (2.0 * (1.0 + nu)), E * nu / ((1.0 + nu) * (1.0 - 2.0 * nu))
    rr, zz, rz = grad[..., 0, 0], grad[..., 1, 1], grad[..., 0, 1] + grad[..., 1, 0]
    if body.form == "axisymmetric":
        hoop = u[..., 0].mean(-1) / x[:, :, 0].mean(1)
    elif body.state == "stress":
        hoop = -lam / (lam + 2.0 * mu) * (rr + zz)
    else:
        hoop = np.zeros_like(rr)
    trace = lam * (rr + zz + hoop)
    middle = np.stack([trace + 2.0 * mu * rr, trace + 2.0 * mu * zz, mu * rz, trace + 2.0 * mu * hoop], axis=-1)
    area = np.linalg.det(J)
    weight = np.bincount(t.ravel(), np.repeat(area, 4), len(body.places))
    out = np.zeros((*middle.shape[:-2], len(body.places), 4))
    for k in range(4):
        np.add.at(out, (..., t[:, k], slice(None)), middle * area[:, None])
    return out / weight[:, None]


def von_mises(stress: np.ndarray) -> np.ndarray:
    """Of stresses (.., 4): rr, zz, rz, hoop."""
    a, b, s, c = np.moveaxis(stress, -1, 0)
    return np.sqrt(0.5 * ((a - b) ** 2 + (b - c) ** 2 + (c - a) ** 2) + 3.0 * s**2)
