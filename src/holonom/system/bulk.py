"""Grains of a model as bodies of its system: rows of the state, of the tables of bodies and of shapes, all at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..elements.bodies import layout
from ..elements.bodies.layout import PLACE, QUATERNION, SPIN, VELOCITY
from ..elements.bodies.tables import enter_rigid
from ..model.base import Element
from ..model.grains import Grains
from ..model.orientation import Frame, to_quaternion
from ..model.shape_kinds import shape_kind


@dataclass
class GrainBodies:
    """Grains of one element in a system: ``slots`` (n,) their rows in the element, bodies ``first`` .. ``first +
    n``."""

    element: Grains
    slots: np.ndarray
    first: int

    def __len__(self) -> int:
        return len(self.slots)

    @property
    def rows(self) -> slice:
        """Of bodies."""
        return slice(self.first, self.first + len(self.slots))

    def state(self, y: np.ndarray) -> np.ndarray:
        """(n, STATE) view of the state."""
        return layout.rows(y, self.first + len(self.slots))[self.first :]


class Grain:
    """One grain in the words of messages, where a part would stand."""

    KIND = "GRAINS"
    ground = False

    def __init__(self, element: Grains, slot: int) -> None:
        self.element, self.slot = element, slot
        self.id = element.id
        self.mass = float(element.masses[slot])

    @property
    def name(self) -> str:
        return f"grain {self.slot} of {self.element.name}"

    @property
    def label(self) -> str:
        return f"{self.element.label}, grain {self.slot}"


class BodyElements(list):
    """Elements of the moving bodies in order; those of grains are made when they are requested by number, and never
    iterated over."""

    def __init__(self, elements: list[Element], bulk: list[GrainBodies]) -> None:
        super().__init__(elements)
        self.bulk = bulk

    def __getitem__(self, k: Any) -> Any:
        if isinstance(k, (int, np.integer)) and k >= len(self):
            for g in self.bulk:
                if k < g.first + len(g):
                    return Grain(g.element, int(g.slots[int(k) - g.first]))
        return super().__getitem__(k)


def number_grains(model: Any, first: int) -> list[GrainBodies]:
    """Active grains of a model that exist, behind ``first`` other bodies."""
    out = []
    for e in model.table("GRAINS").values():
        if e.active:
            out.append(GrainBodies(e, np.flatnonzero(e.exists), first))
            first += len(out[-1])
    return out


def principal(element: Grains) -> Frame:
    """Principal axes in the axes of a grain's shape; the centre of mass is its origin."""
    return Frame(np.zeros(3), element.axes)


def enter_bodies(g: GrainBodies, factor: float, mass, J, Minv, rotates, y) -> None:
    """Rows of the tables of bodies and of the state, at the positions and velocities of the drawing."""
    e, s, rows = g.element, g.slots, g.rows
    enter_rigid(rows, e.masses[s] * factor, e.inertias()[s] * factor, mass, J, Minv, rotates)
    z = g.state(y)
    z[:, PLACE] = e.positions[s]
    q = e.orientations[s] if len(e.orientations) else np.array([[1.0, 0.0, 0.0, 0.0]])
    z[:, QUATERNION] = q if np.array_equal(e.axes, np.eye(3)) else multiply(q, to_quaternion(e.axes))
    if len(e.velocities):
        z[:, VELOCITY] = e.velocities[s]
    if len(e.spins):
        z[:, SPIN] = turn_back(z[:, QUATERNION], e.spins[s])


def multiply(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Products of quaternions (n, 4), scalar first."""
    a, b, c, d = np.moveaxis(p, -1, 0)
    e, f, g, h = np.moveaxis(q, -1, 0)
    return np.stack(
        np.broadcast_arrays(
            a * e - b * f - c * g - d * h,
            a * f + b * e + c * h - d * g,
            a * g - b * h + c * e + d * f,
            a * h + b * g - c * f + d * e,
        ),
        axis=-1,
    )


def turn(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Vectors (n, 3) in the axes of quaternions (n, 4), of any length but zero, as vectors in ground."""
    s = 2.0 / (q * q).sum(axis=-1, keepdims=True)
    u = q[..., 1:]
    t = np.cross(u, v)
    return v + s * (q[..., :1] * t + np.cross(u, t))


def turn_back(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """The inverse of `turn`."""
    return turn(q * np.array([1.0, -1.0, -1.0, -1.0]), v)


# ---- shapes --------------------------------------------------------------------------------------------------------
class GrainShapes:
    """Shapes of the grains of one element: rows ``first`` .. of the table of shapes."""

    def __init__(self, bodies: GrainBodies, first: int) -> None:
        self.bodies = bodies
        self.element = bodies.element
        self.first = first
        self.solid = self.element.solid()

    def __len__(self) -> int:
        return len(self.bodies)

    @property
    def rows(self) -> np.ndarray:
        return np.arange(self.first, self.first + len(self))

    @property
    def sizes(self) -> np.ndarray:
        return self.element.sizes[self.bodies.slots]

    def radii(self) -> np.ndarray:
        """Radii of the balls around the shapes, as `model.bounds` has them."""
        from ..model.bounds import bounds

        return bounds(self.solid)[2] * self.sizes

    def ends(self) -> list[Any]:
        """A solid of the smallest and one of the largest size, on bodies of their own."""
        some = sorted({float(self.sizes.min()), float(self.sizes.max())}) if len(self) else [1.0]
        slots = self.bodies.slots
        return [self.element.solid(s, Grain(self.element, int(slots[0]))) for s in some]

    def frames(self) -> tuple[np.ndarray, np.ndarray]:
        """Position (n, 3) and axes (n, 9) of the shapes in the principal axes of their bodies."""
        n = len(self)
        return np.zeros((n, 3)), np.tile(np.ascontiguousarray(self.element.axes.T).ravel(), (n, 1))

    def enter(self, sh: Any, frame: int, sizes: dict[str, int], pools: dict[str, list[np.ndarray]]) -> None:
        """Rows of the table; ``frame``: number of the first of their frames; ``sizes``, ``pools``: of the pools, which
        grow."""
        from ..contact.tables import SHAPE_TYPES
        from ..model.bounds import bounds

        a, b = self.first, self.first + len(self)
        scale = self.sizes
        sh.kind[a:b] = SHAPE_TYPES.index(self.solid.kind)
        sh.frame[a:b] = frame + np.arange(b - a)
        par = np.array(self.solid.par)
        sh.par[a:b, : len(par)] = par
        lengths = shape_kind(self.solid.kind).lengths
        sh.par[a:b, :lengths] = par[:lengths] * scale[:, None]
        centre, half, radius = bounds(self.solid)
        sh.centre[a:b], sh.half[a:b], sh.radius[a:b] = centre * scale[:, None], half * scale[:, None], radius * scale
        if self.element.of_points:
            self._hulls(sh, a, b, sizes, pools)

    def _hulls(self, sh: Any, a: int, b: int, sizes: dict[str, int], pools: dict[str, list[np.ndarray]]) -> None:
        """One set of corners and faces for each size that occurs."""
        from ..contact.shapes import pack

        values, which = np.unique(self.sizes, return_inverse=True)
        first, rows = pack(self.solid, dict.fromkeys(sizes, 0))
        m = len(values)
        count = {name: len(rows[name]) for name in rows}
        shift = np.arange(m)
        vert = (values[:, None, None] * rows["vert"]).reshape(-1, 3)
        node = np.tile(rows["node"], (m, 1, 1))
        faces = first[3]
        node[:, :faces, 3] *= values[:, None]
        node[:, :faces, 4] += sizes["link"] + count["link"] * shift[:, None]
        link = np.tile(rows["link"], (m, 1, 1))
        link[:, :, 0] += sizes["vert"] + count["vert"] * shift[:, None]
        start = np.zeros((m, 4), np.int64) + np.array(first)
        start[:, 0] = sizes["vert"] + count["vert"] * shift
        start[:, 2] = sizes["node"] + count["node"] * shift
        sh.first[a:b] = start[which.reshape(-1)]
        for name, table in (("vert", vert), ("node", node.reshape(-1, 8)), ("link", link.reshape(-1, 4))):
            pools[name].append(table)
            sizes[name] += len(table)


def attitude(element: Grains, q: np.ndarray) -> np.ndarray:
    """Quaternions (n, 4) of the axes of the shapes, scalar >= 0, of those of the principal axes."""
    axes = element.axes
    if not np.array_equal(axes, np.eye(3)):
        q = multiply(q, to_quaternion(axes.T))
    q = q / np.linalg.norm(q, axis=-1, keepdims=True)
    return np.where(q[..., :1] < 0, -q, q)


#: shape of a row of what results keep
WIDTHS: dict[str, tuple[int, ...]] = {
    "position": (3,),
    "velocity": (3,),
    "spin": (3,),
    "quaternion": (4,),
    "contacts": (),
    "stress": (6,),
}


def grain_record(name: str, g: GrainBodies, y: np.ndarray, touching: Any = None) -> np.ndarray:
    """What results keep of grains at a state: "position", "velocity", "spin" (ground axes), "quaternion" of the shape;
    and, out of ``touching`` (numbers of points and moments of forces of all bodies), "contacts" and "stress" (xx, yy,
    zz, xy, xz, yz)."""
    z = g.state(y)
    if name == "position":
        return z[:, PLACE]
    if name == "velocity":
        return z[:, VELOCITY]
    if name == "spin":
        return turn(z[:, QUATERNION], z[:, SPIN])
    if name == "quaternion":
        return attitude(g.element, z[:, QUATERNION])
    return touching[0 if name == "contacts" else 1][g.rows]
