"""What contact requires of a type of shape in Python: `ContactParts`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...model.base import ModelError

if TYPE_CHECKING:
    from ...model.shape import Solid
    from ..referee.surfaces import Surface

Mesh = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Fineness:
    """How fine a mesh is that represents a shape: ``deviation`` from its surface, ``edge`` longest edge on what is
    round; ``width`` of curves without end.  All are lengths.  ``cut``: long straight edges are cut too."""

    deviation: float
    edge: float
    width: float = 0.0
    cut: bool = True


def _none(solid: Solid, fineness: Fineness) -> tuple[np.ndarray, np.ndarray, float]:
    raise ModelError(f"a shape of kind {solid.kind} has no mesh that could represent it")


def _no_distance(solid: Solid) -> str:
    return ""


@dataclass(frozen=True)
class ContactParts:
    """Functions of a type of shape.  ``solid``: `model.shape.Solid` of that type; lengths are those of the model's
    units, in the axes of the shape."""

    #: the surface as the referee sees it
    surface: Callable[[Solid, Any], Surface]
    #: thickness where it is thinnest, from the rows of its pools; 0: twice the smallest half side of the box
    wall: Callable[[Solid, dict[str, np.ndarray]], float] = lambda solid, pools: 0.0
    #: principal radii where it is touched, the first one across its axis, hollow ones negative; None where they vary
    curvature: Callable[[Solid], tuple[float, float] | None] = lambda solid: None
    #: corners, triangles and deviation of a closed mesh, whose long edges are cut by who asks where ``refine`` reports
    # this
    mesh: Callable[[Solid, Fineness], tuple[np.ndarray, np.ndarray, float]] = _none
    #: the mesh may be refined (it is not the shape's own)
    refine: bool = True
    #: corners and triangles of its plane faces, whose sharp edges and corners surfaces of flexible bodies search for;
    #: None: it has none
    plane_faces: Callable[[Solid], Mesh] | None = None
    #: size by which the fineness of that mesh is measured, where it is not the radius of the sphere around the shape
    size: Callable[[Solid], float] | None = None
    #: distance of the points by which it is given, where that is less than its box
    spacing: Callable[[Solid], float] | None = None
    #: calls of `granular.Wall` that make it, (method, arguments ...); None: left to the general engine
    grain_walls: Callable[[Solid], list[tuple] | None] = lambda solid: None
    #: why it has no distance from others: a sentence, or nothing when it has one
    no_distance: Callable[[Solid], str] = _no_distance

    @property
    def has_mesh(self) -> bool:
        """Whether a mesh can represent it."""
        return self.mesh is not _none
