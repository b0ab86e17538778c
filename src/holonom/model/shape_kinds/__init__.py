"""Register of the types of shapes that can touch: what the model requires of them (`ShapeKind`), one row each.

A row names the module (of the package) and the `ShapeKind` in it, which is loaded when it is first requested.  The
order is that of the numbers that kernels know the types by (`contact.tables.SHAPE_TYPES`); pair kernels are written for
the lower number first.  What contact requires of a type is a row of `contact.shape_kinds`.  A new shape is one file, in
`contact.shapes` as soon as it has kernels, and a row in both registers.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ._kind import Argument, GrainKind, ShapeKind

if TYPE_CHECKING:
    from ..shape import Reader, Solid

SHAPES: dict[str, str] = {
    "POINT": "model.shape_kinds.balls:POINT",
    "SPHERE": "model.shape_kinds.balls:SPHERE",
    "PLANE": "model.shape_kinds.flats:PLANE",
    "BOX": "model.shape_kinds.flats:BOX",
    "ROUNDED_BOX": "contact.shapes.rounded_box:SHAPE",
    "CYLINDER": "model.shape_kinds.turned:CYLINDER",
    "CAPSULE": "model.shape_kinds.turned:CAPSULE",
    "FRUSTUM": "model.shape_kinds.turned:FRUSTUM",
    "ELLIPSOID": "model.shape_kinds.balls:ELLIPSOID",
    "TORUS": "model.shape_kinds.turned:TORUS",
    "HULL": "model.shape_kinds.meshes:HULL",
    "MESH": "model.shape_kinds.meshes:MESH",
    "HEIGHT_FIELD": "contact.shapes.height_field:SHAPE",
    "CURVE": "model.shape_kinds.profiles:CURVE",
    "EXTRUSION": "model.shape_kinds.profiles:EXTRUSION",
    "REVOLUTION": "model.shape_kinds.profiles:REVOLUTION",
}

__all__ = ["SHAPES", "Argument", "GrainKind", "ShapeKind", "grain_shapes", "readers", "shape_kind", "shape_kinds"]


@cache
def shape_kind(name: str) -> ShapeKind:
    """What the model knows of a type of shape.  Raises KeyError for one that is not in the register."""
    module, _, attribute = SHAPES[name].partition(":")
    return getattr(import_module(f"{__name__.partition('.')[0]}.{module}"), attribute)


@cache
def shape_kinds() -> tuple[ShapeKind, ...]:
    """All of them, in the order of their numbers."""
    return tuple(shape_kind(name) for name in SHAPES)


@cache
def readers() -> dict[str, Callable[[Reader], Solid]]:
    """Type of GRAPHICS -> function that reads its shape."""
    return {type: reader for kind in shape_kinds() for type, reader in kind.readers.items()}


@cache
def deferred() -> dict[str, Callable[[Any], str]]:
    """Types of GRAPHICS with much data -> function that gives the type of their shape by their arguments."""
    return {type: name for kind in shape_kinds() for type, name in kind.deferred.items()}


@cache
def graphics_with(trait: str) -> tuple[str, ...]:
    """Types of GRAPHICS that the types list under "even" or "massless"."""
    return tuple(type for kind in shape_kinds() for type in getattr(kind, trait))


@cache
def carriers() -> dict[str, str]:
    """Types of GRAPHICS whose marker is named by another argument than CM -> that argument."""
    return {type: name for kind in shape_kinds() for type, name in kind.carrier.items()}


@cache
def mirrors() -> dict[str, Callable[[Any, dict[str, Any]], dict[str, Any]]]:
    """Types of GRAPHICS whose mirror image has other arguments -> function of (model, arguments) that gives those."""
    return {type: mirror for kind in shape_kinds() for type, mirror in kind.mirror.items()}


def grain_shapes() -> dict[str, GrainKind]:
    """Types of shapes that grains can have."""
    return {kind.name: kind.grain for kind in shape_kinds() if kind.grain is not None}
