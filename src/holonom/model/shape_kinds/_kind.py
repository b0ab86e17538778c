"""What the model requires of a type of shape: `ShapeKind`, one for each type that can touch.

The functions take a `model.shape.Solid` of the type; lengths are those of the model's units, in the axes of the shape.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base import ModelError

if TYPE_CHECKING:
    from ..shape import Reader, Solid

Bounds = tuple[np.ndarray, np.ndarray, float]
Moments = tuple[float, np.ndarray, np.ndarray]
Mesh = tuple[np.ndarray, np.ndarray]
#: a point in the axes of a shape, and what it is: "end", "corner", "centre", "middle"
Feature = tuple[tuple[float, float, float], str]


def _solid_material(solid: Solid) -> bool:
    return False


def _edged(solid: Solid) -> float:
    return 0.0


def _no_mass(solid: Solid, angle: float | None) -> Moments:
    raise solid.graphic.error(f"no mass follows from a shape of kind {solid.kind}; give the mass")


def _no_features(solid: Solid) -> list[Feature]:
    return []


def _no_surface(solid: Solid) -> Mesh:
    raise ModelError(f"a shape of kind {solid.kind} has no surface")


@dataclass(frozen=True)
class Argument:
    """An argument of a builder method in a form: its name, what it takes (as forms of Studio call it), label, quantity
    of its unit, and first value."""

    name: str
    kind: str
    label: str
    quantity: str = ""
    start: Any = None


@dataclass(frozen=True)
class GrainKind:
    """A type of shape as the shape of grains (`model.grains.Grains`): of its dimensions at scale 1."""

    #: names of the dimensions
    dimensions: tuple[str, ...]
    #: dimensions -> parameters of the solid
    parameters: Callable[[tuple[float, ...]], tuple[float, ...]]
    #: dimensions -> (volume, principal moments of inertia (3,) about the centre of mass at density 1); None: from the
    #: points of a hull
    body: Callable[[tuple[float, ...]], tuple[float, np.ndarray]] | None
    #: dimensions -> radius of the ball about the centre; None: from the points of a hull
    reach: Callable[[tuple[float, ...]], float] | None = None
    #: the size of a grain is a radius, not a scale
    by_radius: bool = False
    #: what is wrong with dimensions that are all positive: a sentence, or nothing
    fault: Callable[[tuple[float, ...]], str] = lambda d: ""


@dataclass(frozen=True)
class ShapeKind:
    """A type of shape that can touch."""

    #: as `Solid.kind` has it
    name: str
    #: names of `Solid.par`; the first ``lengths`` of them scale with the shape
    parameters: tuple[str, ...]
    #: centre (3,) and half sides (3,) of the bounding box, radius of the sphere about the same centre; infinite where
    #: there is no end
    bounds: Callable[[Solid], Bounds]
    #: volume; infinite where the material has no end, 0 of points and open curves
    volume: Callable[[Solid], float]
    #: types of GRAPHICS that draw it (or may: an ellipsoid of equal axes is a sphere) -> the solid of such a graphic
    readers: Mapping[str, Callable[[Reader], Solid]] = field(default_factory=dict)
    #: types whose data are large: the name of the kind by the arguments (names in lower case) alone
    deferred: Mapping[str, Callable[[Mapping[str, Any]], str]] = field(default_factory=dict)
    #: types that look the same when the y axis of their marker is turned round
    even: tuple[str, ...] = ()
    #: of those, what else must change in the arguments (which name the markers of the image) so that the shape is the
    #: mirror image
    mirror: Mapping[str, Callable[[Any, dict[str, Any]], dict[str, Any]]] = field(default_factory=dict)
    #: types whose marker is named by another argument than CM -> that argument
    carrier: Mapping[str, str] = field(default_factory=dict)
    #: types that carry no mass
    massless: tuple[str, ...] = ()
    #: volume, integral of r (3,), integral of r r^T (3, 3); of the wedge of an angle from the x axis where that is
    #: given
    moments: Callable[[Solid, float | None], Moments] = _no_mass
    #: points and triangles of a picture
    triangles: Callable[[Solid], Mesh] = _no_surface
    #: points to which drawing snaps
    features: Callable[[Solid], list[Feature]] = _no_features
    #: polylines (n, 3) that are drawn in place of triangles; None: triangles
    lines: Callable[[Solid], list[np.ndarray] | None] = lambda solid: None
    #: pictures are shaded by triangle, not smoothly
    flat: bool = False
    lengths: int = 0
    #: the type whose pair kernels serve it, where that is another one
    kernels_of: str = ""
    #: bounded by its surface, with material inside: not so points, planes, curves, and ground over a grid
    body: bool = True
    #: has no extent: two of them never touch
    sizeless: bool = False
    #: the material lies outside
    hollow: Callable[[Solid], bool] = _solid_material
    #: how sentences call a hollow one
    hollow_name: str = ""
    #: the bounding box is as wide as the shape: nowhere is it thinner
    wide: bool = False
    #: twice the smallest half side of the bounding box is the thickness by which depths of contacts are judged
    filled: bool = False
    #: radius of a round shape on which an axis can lie, 0 of shapes with edges
    roundness: Callable[[Solid], float] = _edged
    #: as the shape of grains; None: grains are of other shapes
    grain: GrainKind | None = None
    #: builder method of `Model`, where the file of the shape has it
    builder: Callable[..., Any] | None = None
    #: title and arguments of the form that makes one on a part; None: there is none
    form: tuple[str, tuple[Argument, ...]] | None = None

    @property
    def meets_as(self) -> str:
        """The type whose pair kernels serve it."""
        return self.kernels_of or self.name


def box_features(*half: float) -> list[Feature]:
    """Centre and corners of a box centred in its frame."""
    corners = ((x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0))
    named: list[Feature] = [((a * half[0], b * half[1], c * half[2]), "corner") for a, b, c in corners]
    return [((0.0, 0.0, 0.0), "centre"), *named]


def axis_features(half: float) -> list[Feature]:
    """Both ends and the middle of an axis of a half length along z."""
    return [((0.0, 0.0, -half), "end"), ((0.0, 0.0, half), "end"), ((0.0, 0.0, 0.0), "middle")]


def box_bounds(*half: float) -> Bounds:
    """Bounds of a shape centred in its frame."""
    sides = np.array(half, float)
    return np.zeros(3), sides, float(np.linalg.norm(sides))
