"""What a contact law may ask of the shapes and materials of its contact: reduced modulus, curvature, length of a line.

Point contacts take the equivalent radius of the principal curvatures where the surfaces touch: spheres, planes, cylinders and
capsules on their side, a torus on its outer equator.  Cylinders with parallel axes touch along a line.  Other shapes have no curvature that
holds everywhere; then a law must be given its STIFFNESS.  All pairs of a contact must have the same curvature.
"""

from __future__ import annotations

import math
from itertools import product

import numpy as np

from ..contact import materials
from ..contact.laws import Context
from ..model import Element, Model, ModelError

INF = math.inf
PARALLEL = 1e-6  # sine of the angle between axes that count as parallel


def context(model: Model, element, sides) -> Context:
    """`laws.Context` of a CONTACT; ``sides``: the solids (`model.shape.Solid`) of I and of J.

    Raises ModelError for unknown materials, and where HERTZ or HERTZ_LINE need a curvature that differs among the pairs.
    """
    if not element.materials:
        return materials.context(units=model.units)
    i, j = (_material(model, element, m) for m in element.materials)
    found = {_round(_geometry(a, b)) for a, b in product(*(_different(side) for side in sides)) if a.body is not b.body}
    found.discard(())
    if len(found) > 1 and element.law_name in ("HERTZ", "HERTZ_LINE") and not element.stiffness:
        radii = ", ".join(f"{x:.6g}" for x in sorted(dict(f).get("radius") or dict(f)["spread"] for f in found))
        raise element.error(f"its pairs of shapes have different curvatures (radii {radii}); make a contact of each, or give STIFFNESS")
    return materials.context(i, j, model.units, **(dict(found.pop()) if len(found) == 1 else {}))


def _material(model: Model, element, which):
    if isinstance(which, str):
        named = next((m for m in model.table("MATERIAL").values() if m.name.lower() == which.lower()), which)
        try:
            return materials.material(named, model.units)
        except ModelError as error:
            raise element.error(str(error)) from None
    return materials.material(which if isinstance(which, Element) else model.find("MATERIAL", which), model.units)


def _different(solids):
    """One solid of each kind, size and body direction."""
    return list({(s.kind, s.par, s.body.id if s.kind in ("CYLINDER", "CAPSULE") else 0): s for s in solids}.values())


def _round(numbers: dict[str, float]) -> tuple[tuple[str, float], ...]:
    return tuple((name, float(f"{x:.12g}")) for name, x in numbers.items())


def _principal(solid) -> tuple[float, float] | None:
    """Principal radii where such a shape is touched, the first one across its axis, hollow ones negative; None where they vary."""
    p = solid.par
    if solid.kind == "SPHERE":
        r = -p[0] if p[1] else p[0]
        return r, r
    if solid.kind == "PLANE":
        return INF, INF
    if solid.kind == "CYLINDER":
        return (-p[0] if p[2] else p[0]), INF
    if solid.kind == "CAPSULE":
        return p[0], INF
    if solid.kind == "TORUS":
        return p[0] + p[1], p[1]
    return None


def _geometry(a, b) -> dict[str, float]:
    """Radius of a point contact, or length and spread of a line; empty where neither is known."""
    ri, rj = _principal(a), _principal(b)
    if ri is None or rj is None:
        return {}
    rods = ("CYLINDER", "CAPSULE")
    angle = 0.0
    if a.kind in rods and b.kind in rods:
        za, zb = ((s.body.frame @ s.frame).axes[:, 2] for s in (a, b))
        sine = float(np.linalg.norm(np.cross(za, zb)))
        if sine < PARALLEL:
            hollow = min(ri[0], rj[0]) < 0.0
            return {"length": 2.0 * min(a.par[1], b.par[1]), "spread": abs(ri[0] + rj[0]) if hollow else ri[0] + rj[0]}
        angle = math.asin(min(1.0, sine))
    try:
        return {"radius": materials.elliptic(ri, rj, angle).radius}
    except ModelError:  # a line, a face, or surfaces that conform
        return {}
