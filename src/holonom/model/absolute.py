"""Meshes of elements in absolute nodal coordinates, and their points on which markers may lie."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from .base import Element, ModelError, shown
from .orientation import Frame

NOWHERE = 1e-12  # share of the size of a mesh below which two nodes of an element lie at the same point
MOST = 1_000_000  # coordinates of one mesh
AXES = ("x", "xy", "yz", "zx", "y+z")  # what axes of points follow


@dataclass
class AbsoluteMesh(Element):
    """A body whose coordinates are places of nodes in ground and gradients there (`elements.absolute`): large
    displacements and deformations.

    ``element``: kind of all its elements; ``width``: coordinates of a node, vectors of three; ``places`` (nodes
    width,): coordinates as drawn, gradients times ``unit``, a length; ``rates``: the same of their rates at the start,
    none for zeros; ``cells`` (e nodes,): numbers of the nodes of each element, from zero;
    ``properties`` (e numbers,): of each element, in the order of its kind; ``held``: ground axes (0, 1, 2) along which
    nothing moves, those across a plane;
    ``radius``: of the round section that pictures show, length, none for what is not drawn; ``law``: numbers of a law
    of its sections
    (`elements.absolute.section_laws`), behind the properties of each element; ``lumped``: its mass is a diagonal
    (`elements.absolute.lumping`), for explicit steps.  Mass units of the model.
    """

    KIND: ClassVar[str] = "ABSOLUTE_MESH"

    element: str = "cable"
    width: int = 6
    places: tuple[float, ...] = ()
    rates: tuple[float, ...] = ()
    cells: tuple[int, ...] = ()
    properties: tuple[float, ...] = ()
    unit: float = 1.0
    held: tuple[int, ...] = ()
    radius: float = 0.0
    law: tuple[float, ...] = ()
    lumped: bool = False

    @property
    def nodes(self) -> int:
        """How many nodes it has."""
        return len(self.places) // self.width

    def element_parameters(self, nodes: int) -> np.ndarray:
        """(e, ..) properties and law of each element, of so many ``nodes``."""
        own = np.array(self.properties, float).reshape(len(self.cells) // nodes, -1)
        return np.hstack([own, np.tile(np.array(self.law, float), (len(own), 1))])

    def vectors(self, q: Any = None) -> np.ndarray:
        """(.., nodes, width / 3, 3) of coordinates q (.., nodes width), those as drawn by default."""
        q = np.asarray(self.places if q is None else q, float)
        return q.reshape(*q.shape[:-1], self.nodes, self.width // 3, 3)

    def faults(self, model: Any) -> Iterator[str]:
        if self.width < 3 or self.width % 3:
            yield f"a node has {self.width} coordinates; give a multiple of three"
            return
        if not self.places or len(self.places) % self.width or len(self.places) > MOST:
            yield f"it has {len(self.places)} coordinates; give {self.width} a node, at most {MOST}"
            return
        if not self.unit > 0.0:
            yield f"its unit of length is {shown(self.unit)}; give a positive length"
            return
        if len(self.rates) not in (0, len(self.places)):
            yield (f"rates has {len(self.rates)} numbers; its {len(self.places)} coordinates require as many, or none")
        if not np.all(np.isfinite([*self.places, *self.rates, *self.properties, *self.law])):
            yield "one of its numbers is not finite; check places, rates, properties and law"
            return
        if any(h not in (0, 1, 2) for h in self.held) or len(set(self.held)) > 2:
            yield f"held is {shown(self.held)}; give at most two of the ground axes 0, 1, 2"
        if not self.cells or min(self.cells) < 0 or max(self.cells) >= self.nodes:
            yield f"its elements name nodes that there are not; give numbers from 0 to {self.nodes - 1}"
        elif len(set(self.cells)) < self.nodes:
            k = min(set(range(self.nodes)) - set(self.cells))
            yield f"node {k} belongs to no element and has no mass; leave it out"
        if not any(e.mesh == self.id for e in model.table("MESH_POINT").values()):
            yield "it has no point on which anything could act; give one (MESH_POINT)"


@dataclass
class MeshPoint(Element):
    """Point of a mesh on which markers may lie (body_kind "MESH_POINT"): its origin is the point, its own axes follow
    gradients there.

    ``first``: node with which its window begins; or ``vectors``: numbers of the vectors of its window in the mesh, from
    zero; ``place``, ``slope``, ``side``: how its position and two gradients follow from the vectors of the window,
    ``normal`` (3,): what is added to the second gradient, in ground.  ``axes``: "x": x lies along the gradient
    ``slope`` and the axes follow it by the smallest turn from the drawing; "xy", "yz", "zx": the first of these axes
    lies along ``slope``, the second one in the plane of ``slope`` and ``side`` on the side of the latter; "y+z": y and
    z lie symmetrically to both.
    """

    KIND: ClassVar[str] = "MESH_POINT"
    REFERENCES: ClassVar[dict[str, str]] = {"mesh": "ABSOLUTE_MESH"}
    mass: ClassVar[float] = 0.0  # it has none of its own: that of the mesh counts with the mesh

    mesh: int | None = None
    first: int = 0
    place: tuple[float, ...] = ()
    slope: tuple[float, ...] = ()
    vectors: tuple[int, ...] = ()
    side: tuple[float, ...] = ()
    normal: tuple[float, ...] = (0.0, 0.0, 0.0)
    axes: str = "x"

    @property
    def twistless(self) -> bool:
        """Has its section no angle about the axis?"""
        return self.axes == "x"

    def vector_indices(self, mesh: AbsoluteMesh) -> tuple[int, ...]:
        """Of the vectors of its window in its mesh."""
        begin = mesh.width // 3 * self.first
        return self.vectors or tuple(range(begin, begin + len(self.place)))

    def is_gradient(self, mesh: AbsoluteMesh) -> bool:
        """Is its "position" a gradient of the mesh, that something holds, and no position?"""
        per = mesh.width // 3
        return abs(sum(w for n, w in zip(self.vector_indices(mesh), self.place, strict=False) if n % per == 0)) < 0.5

    def window(self, model: Any, q: Any = None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Position and gradients ``slope`` and ``side`` (.., 3) for coordinates q of the mesh, those as drawn by
        default."""
        mesh = model.table("ABSOLUTE_MESH")[self.mesh]
        vectors = mesh.vectors(q)
        flat = vectors.reshape(*vectors.shape[:-3], -1, 3)[..., list(self.vector_indices(mesh)), :]
        sum_ = lambda weights: np.einsum("i,...ij->...j", weights, flat) if weights else np.zeros((*flat.shape[:-2], 3))
        return sum_(self.place), sum_(self.slope), sum_(self.side) + np.array(self.normal, float)

    def frame_in(self, model: Any) -> Frame:
        """Where it is drawn.  Raises `ModelError` where it has no direction."""
        place, t, w = self.window(model)
        size = float(np.linalg.norm(t))
        if not size > 0.0:
            raise self.error("the axis of its mesh has no direction there; draw the nodes next to it at two positions")
        t = t / size
        if self.axes == "x":
            side = np.eye(3)[int(np.abs(t).argmin())]
            side = side - (side @ t) * t
            side /= np.linalg.norm(side)
            return Frame(place, np.column_stack([t, side, np.cross(t, side)]))
        third = np.cross(t, w)
        if not np.linalg.norm(third) > NOWHERE * np.linalg.norm(w):
            raise self.error(
                "the section of its mesh has no attitude there: two gradients lie along each other; turn one of them"
            )
        third /= np.linalg.norm(third)
        second = np.cross(third, t)
        if "+" in self.axes:
            half = 0.5 * (np.arctan2(w @ second, w @ t) - 0.5 * np.pi)
            t, second = np.cos(half) * t + np.sin(half) * second, np.cos(half) * second - np.sin(half) * t
        own = np.empty((3, 3))
        for k, a in enumerate((t, second, third)):
            own[:, ("xyz".index(self.axes[0]) + k) % 3] = a
        return Frame(place, own)

    def faults(self, model: Any) -> Iterator[str]:
        mesh = model.table("ABSOLUTE_MESH").get(self.mesh)
        if mesh is None:
            yield "it belongs to no ABSOLUTE_MESH; give mesh = its id"
            return
        if self.active != mesh.active:
            yield (
                f"{mesh.label} is{'' if mesh.active else ' not'} active and it is{'' if self.active else ' not'}; "
                "make both the same"
            )
        if mesh.width < 3 or mesh.width % 3 or len(mesh.places) % mesh.width:  # reported there
            return
        if self.axes not in AXES:
            yield f"axes is {shown(self.axes)}; choose one of {', '.join(AXES)}"
            return
        count, there = len(self.place), mesh.width // 3 * mesh.nodes
        numbers = self.vector_indices(mesh)
        fits = (
            count
            and len(numbers) == len(self.slope) == count
            and len(self.side) in (0, count)
            and len(self.normal) == 3
        )
        if not fits or min(numbers) < 0 or max(numbers) >= there or len(set(numbers)) < count:
            yield (
                f"its window of {count} vectors from node {self.first} on is not in {mesh.label}; give weights of "
                "vectors that there are"
            )
            return
        try:
            self.frame_in(model)
        except ModelError as error:
            yield str(error)
