"""What a contact law may require of the shapes and materials of its contact: reduced modulus, curvature, length of a
line.

Point contacts take the equivalent radius of the principal curvatures where the surfaces touch: spheres, planes,
cylinders and capsules on their side, a torus on its outer equator.  Cylinders with parallel axes touch along a line.
Other shapes have no constant curvature; then a law must be given its STIFFNESS.  All pairs of a contact
must have the same curvature.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np

from ..contact import materials
from ..contact.laws import Context
from ..contact.shape_kinds import ROWS, contact_parts
from ..model import Element, Model, ModelError

INF = math.inf
PARALLEL = 1e-6  # sine of the angle between axes that count as parallel


def context(model: Model, element, sides, meet: Callable[[Any, Any], bool] | None = None) -> Context:
    """`laws.Context` of a CONTACT; ``sides``: the solids (`model.shape.Solid`) of I and of J; ``meet(a, b)``: may two
    of them ever touch?

    Solids of one body never do, and of a list that stands on both sides each meets the others.  Where the pairs that
    may meet have no one curvature, ``why`` of the context states which one has none.  Raises ModelError for unknown
    materials, and where HERTZ or HERTZ_LINE need a curvature that differs among the pairs.
    """
    if not element.materials:
        return materials.context(units=model.units)
    i, j = (_material(model, element, m) for m in element.materials)
    law = element.law_name
    found: dict[tuple, tuple[Any, Any]] = {}
    for pair in meeting(sides[0], sides[1], meet or (lambda a, b: True), element.exclude, _direction):
        found.setdefault(_round(_geometry(*pair)[0]), pair)
    wanted = {"HERTZ": "radius", "HERTZ_LINE": "spread"}.get(law) if not element.stiffness else None
    lacks = next((pair for numbers, pair in found.items() if wanted not in dict(numbers)), None) if wanted else None
    if lacks is not None:
        a, b = lacks
        why = f"{_name(a)} and {_name(b)}: {_geometry(a, b)[1]}"
        if len(found) > 1:
            raise element.error(
                f"{law} does not suit all of its pairs of shapes: {why}; make a contact of those, or give STIFFNESS"
            )
        return materials.context(i, j, model.units, why=why, **dict(next(iter(found))))
    if wanted and len(found) > 1:
        radii = ", ".join(f"{x:.6g}" for x in sorted(dict(f)[wanted] for f in found))
        raise element.error(
            f"its pairs of shapes have different curvatures (radii {radii}); make a contact of each, or give STIFFNESS"
        )
    why = "" if found else "it has no pair of shapes yet"
    return materials.context(i, j, model.units, why=why, **(dict(next(iter(found))) if len(found) == 1 else {}))


def _material(model: Model, element, which: Any):
    if isinstance(which, str):
        named = next((m for m in model.table("MATERIAL").values() if m.name.lower() == which.lower()), which)
        try:
            return materials.material(named, model.units)
        except ModelError as error:
            raise element.error(str(error)) from None
    written: Any = which if isinstance(which, Element) else model.find("MATERIAL", which)
    return materials.material(written, model.units)


def meeting(
    first, second, meet: Callable[[Any, Any], bool], exclude=(), key: Callable[[Any], Any] = lambda s: ()
) -> Iterator[tuple[Any, Any]]:
    """A pair of solids that may meet for every two types, sizes and ``key`` of such: of each of them only one of a body
    is checked, and those that ``exclude`` names, so that lists of many alike cost little."""
    named = {g for pair in exclude for g in pair}
    sides: list[dict[tuple, dict[tuple, Any]]] = []
    for solids in (first, second):
        sides.append({})
        for s in solids:
            number = s.graphic.id if s.graphic.id in named else 0
            sides[-1].setdefault((s.kind, s.par, key(s)), {}).setdefault((s.body.KIND, s.body.id, number), s)
    for p, q in product(*(side.values() for side in sides)):
        pair = next(((a, b) for a in p.values() for b in q.values() if a.body is not b.body and meet(a, b)), None)
        if pair is not None:
            yield pair


def _direction(solid) -> tuple:
    """Of a rod in ground, either way."""
    z = _axis(solid)
    return () if z is None else tuple(np.round(z if tuple(z) > (0.0, 0.0, 0.0) else -z, 9) + 0.0)


def _axis(solid) -> np.ndarray | None:
    """Direction of a rod in ground, at the design position; None of other shapes and of grains, which lie any way."""
    if ROWS[solid.kind].rolls != "rod" or solid.body.KIND == "GRAINS":
        return None
    return (solid.body.frame @ solid.frame).axes[:, 2]


def _name(solid) -> str:
    return (
        f"a grain of {getattr(solid.body, 'element', solid.body).name}"
        if solid.body.KIND == "GRAINS"
        else solid.graphic.label
    )


def _a(kind: str) -> str:
    return f"{'an' if kind[0] in 'AEIOU' else 'a'} {kind}"


def _round(numbers: dict[str, float]) -> tuple[tuple[str, float], ...]:
    return tuple((name, float(f"{x:.12g}")) for name, x in numbers.items())


def _principal(solid) -> tuple[float, float] | None:
    """Principal radii where such a shape is touched, the first one across its axis, hollow ones negative; None where
    they vary."""
    return contact_parts(solid.kind).curvature(solid)


def _geometry(a, b) -> tuple[dict[str, float], str]:
    """Radius of a point contact, or length and spread of a line; neither where it is not known, and why."""
    ri, rj = _principal(a), _principal(b)
    if ri is None or rj is None:
        return {}, f"{_a((a if ri is None else b).kind)} has no constant curvature"
    angle = 0.0
    if ROWS[a.kind].rolls == ROWS[b.kind].rolls == "rod":
        za, zb = _axis(a), _axis(b)
        if za is None or zb is None:
            return {}, "rods one of which is a grain cross each other at any angle"
        sine = float(np.linalg.norm(np.cross(za, zb)))
        if sine < PARALLEL:
            hollow = min(ri[0], rj[0]) < 0.0
            spread = abs(ri[0] + rj[0]) if hollow else ri[0] + rj[0]
            return {
                "length": 2.0 * min(a.par[1], b.par[1]),
                "spread": spread,
            }, "they touch along a line: choose HERTZ_LINE"
        angle = math.asin(min(1.0, sine))
    try:
        return {"radius": materials.elliptic(ri, rj, angle).radius}, "they touch in a point: choose HERTZ"
    except ModelError as error:  # a line, a face, or surfaces that conform
        return {}, "face against face is not a Hertz contact" if ROWS[a.kind].half_space and ROWS[
            b.kind
        ].half_space else str(error)
