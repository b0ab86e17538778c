"""Geoms and meshes of an MJCF file: their masses, inertias and shapes."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ....model import ModelError
from ....model.base import close_word
from ....model.bodies import steiner
from ....model.mass_properties import hull_triangles
from ....model.mesh import read_mesh
from ....model.orientation import Frame, from_quaternion
from ....model.xml_tree import Node
from ..assembly import mesh_file
from .settings import Settings, turned_to
from .source import Classes, Styled

TYPES = ("plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf")
#: numbers of `size` that a type needs; with `fromto` one fewer
SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}
LONG = ("capsule", "cylinder", "ellipsoid", "box")  # may be given by `fromto`
#: attributes of pictures
PICTURES = ("rgba", "material", "castshadow", "user")
WATER = 1000.0  # kg/m^3, the density of a geom without one


@dataclass
class Mesh:
    """A mesh of <asset>, read when it is needed."""

    node: Node
    file: str
    scale: np.ndarray
    inertia: str
    vertex: tuple[float, ...]
    face: tuple[float, ...]
    refpos: np.ndarray
    refquat: tuple[float, ...]
    path: Path
    folder: Path
    directory: str
    known: tuple[np.ndarray, np.ndarray] | None = None

    def read(self) -> tuple[np.ndarray, np.ndarray]:
        """Points (n, 3) and triangles (m, 3) in the axes of the geom.  Raises `ModelError` for files that cannot be
        read."""
        if self.known is None:
            if self.vertex:
                points = np.array(self.vertex).reshape(-1, 3)
                faces = np.array(self.face, int).reshape(-1, 3)
            else:
                name = f"{self.directory}/{self.file}" if self.directory else self.file
                points, faces = read_mesh(mesh_file(name, self.path, self.folder))
            points = (points * self.scale - self.refpos) @ from_quaternion(self.refquat)
            if not len(faces):
                points, faces = hull_triangles(points)
            if np.prod(self.scale) < 0.0:
                faces = faces[:, ::-1]
            self.known = points, faces
        return self.known

    def moments(self) -> tuple[float, np.ndarray, np.ndarray]:
        """Volume (area of a shell), centre and inertia per unit of mass about it, as MuJoCo has them: pyramids from the
        centre of the faces, the volumes of "legacy" all positive."""
        points, faces = self.read()
        if self.inertia == "convex":
            points, faces = hull_triangles(points)
        a, b, c = (points[faces[:, k]] for k in range(3))
        normal = 0.5 * np.cross(b - a, c - a)
        area = np.linalg.norm(normal, axis=1)
        if not area.sum() > 0.0:
            raise ModelError(f"{self.node.where}: the mesh has no surface, from which no mass follows")
        top = (area[:, None] * (a + b + c) / 3.0).sum(0) / area.sum()
        if self.inertia == "shell":
            weight, corners = area, [a, b, c]
            # of a triangle: integral of r r^T = A/12 (sum of corners' products + s s^T), s the sum of corners
        else:
            weight = np.einsum("ij,ij->i", (a + b + c) / 3.0 - top, normal) / 3.0
            weight = np.abs(weight) if self.inertia == "legacy" else weight
            corners = [a, b, c, np.broadcast_to(top, a.shape)]
        volume = float(weight.sum())
        if not volume > 1e-15:
            raise ModelError(f"{self.node.where}: the volume of the mesh is {volume:.3g} m^3; correct its triangles")
        n = len(corners)
        centre = (weight[:, None] * sum(corners) / n).sum(0) / volume
        own = [p - centre for p in corners]
        total = sum(own)
        second = sum(np.einsum("i,ij,ik->jk", weight, p, p) for p in [*own, total]) / (n * (n + 1)) / volume
        return volume, centre, np.trace(second) * np.eye(3) - second


@dataclass
class Geom:
    """A shape on a body; ``frame`` in the axes of the body."""

    name: str
    node: Styled
    type: str
    frame: Frame
    size: tuple[float, ...]
    mesh: Mesh | None
    group: int
    contype: int
    conaffinity: int
    mass: float | None
    density: float
    shell: bool
    faults: list[str] = field(default_factory=list)

    def body(self) -> tuple[float, np.ndarray, np.ndarray]:
        """Mass, centre and inertia about it in the axes of the body.  Raises `ModelError` for a mesh that cannot be
        read."""
        nothing = (0.0, self.frame.origin, np.zeros((3, 3)))
        if self.type in ("plane", "hfield") or self.mass == 0.0 or (self.mass is None and self.density == 0.0):
            return nothing
        if self.mesh is not None and self.type in SIZES:
            raise ModelError(
                f"a {self.type} is not fitted to its mesh; give inertial, type='mesh', or size without mesh"
            )
        if self.type in ("mesh", "sdf"):
            if self.mesh is None:
                return nothing
            volume, centre, inertia = self.mesh.moments()
        else:
            (volume, diagonal), centre = unit_moments(self.type, self.size, self.shell), np.zeros(3)
            inertia = np.diag(diagonal)
        mass = volume * self.density if self.mass is None else self.mass
        axes = self.frame.axes
        return mass, self.frame.origin + axes @ centre, mass * axes @ inertia @ axes.T


def unit_moments(kind: str, size: tuple[float, ...], shell: bool) -> tuple[float, np.ndarray]:
    """Volume (area of a shell) and principal moments per unit of mass of a shape, sizes as in MJCF: radius and half
    lengths."""
    if kind == "sphere":
        r = size[0]
        return (
            (4 * math.pi * r * r, np.full(3, 2 / 3 * r * r))
            if shell
            else (4 / 3 * math.pi * r**3, np.full(3, 0.4 * r * r))
        )
    if kind == "ellipsoid":
        a, b, c = (s * s for s in size)
        return 4 / 3 * math.pi * math.prod(size), np.array([b + c, a + c, a + b]) / 5.0
    if kind == "box":
        pieces = _box(size, shell)
    else:
        r, h = size[0], size[1]
        pieces = _cylinder(r, h, shell)
        if kind == "capsule":
            pieces = [*pieces[:1], _caps(r, h, shell)]
    total = math.fsum(volume for volume, _ in pieces)
    return total, np.sum([volume * moments for volume, moments in pieces], axis=0) / total


def _box(size: tuple[float, ...], shell: bool) -> list[tuple[float, np.ndarray]]:
    a, b, c = size
    solid = lambda a, b, c: np.array([b * b + c * c, a * a + c * c, a * a + b * b]) / 3.0
    if not shell:
        return [(8 * a * b * c, solid(a, b, c))]
    out = []
    for k in range(3):
        plate, d = list(size), np.zeros(3)
        area = 4 * size[(k + 1) % 3] * size[(k + 2) % 3]
        plate[k], d[k] = 0.0, size[k]
        out.append((2 * area, solid(*plate) + np.diag(steiner(1.0, d))))
    return out


def _cylinder(r: float, h: float, shell: bool) -> list[tuple[float, np.ndarray]]:
    if not shell:
        return [(2 * math.pi * r * r * h, np.array([r * r / 4 + h * h / 3, r * r / 4 + h * h / 3, r * r / 2]))]
    side = (4 * math.pi * r * h, np.array([r * r / 2 + h * h / 3, r * r / 2 + h * h / 3, r * r]))
    return [side, (2 * math.pi * r * r, np.array([r * r / 4 + h * h, r * r / 4 + h * h, r * r / 2]))]


def _caps(r: float, h: float, shell: bool) -> tuple[float, np.ndarray]:
    """Two half balls at the distance h from the middle."""
    if shell:
        across = 2 / 3 * r * r + h * h + r * h
        return 4 * math.pi * r * r, np.array([across, across, 2 / 3 * r * r])
    across = 0.4 * r * r + h * h + 0.75 * r * h
    return 4 / 3 * math.pi * r**3, np.array([across, across, 0.4 * r * r])


def read_meshes(tree: Node, classes: Classes, settings: Settings, path: Path, folder: Path) -> dict[str, Mesh]:
    """The meshes of <asset>, by name."""
    meshes: dict[str, Mesh] = {}
    for asset in tree.all("asset"):
        for raw in asset.all("mesh"):
            node = classes.style(raw)
            file = (node.get("file") or "").strip()
            if settings.strippath:
                file = file.replace("\\", "/").rsplit("/", 1)[-1]
            name = node.get("name") or Path(file).stem
            if not name:
                raise ModelError(f"{node.where}: <mesh> has neither name nor file")
            list_of = lambda key, node=node: node.row(key, 1, 10_000_000)
            meshes[name] = Mesh(
                raw,
                file,
                np.array(node.numbers("scale", 3, (1.0, 1.0, 1.0))),
                node.choice("inertia", ("convex", "exact", "legacy", "shell"), "legacy"),
                list_of("vertex"),
                list_of("face"),
                np.array(node.numbers("refpos", 3, (0.0, 0.0, 0.0))),
                node.numbers("refquat", 4, (1.0, 0.0, 0.0, 0.0)),
                path,
                folder,
                settings.meshdir,
            )
    return meshes


def between(ends: np.ndarray, node: Node) -> tuple[Frame, float]:
    """Frame in the middle of two points with z from the second to the first, and their distance."""
    way = ends[:3] - ends[3:]
    length = float(np.linalg.norm(way))
    if not length > 0.0:
        raise ModelError(f"{node.where}: both ends of fromto of <{node.tag}> are the same point; give two points")
    return Frame(0.5 * (ends[:3] + ends[3:]), turned_to(way / length)), length


def read_geom(node: Styled, name: str, settings: Settings, meshes: dict[str, Mesh], offset: Frame) -> Geom:
    """Raises `ModelError` for sizes that are missing or not positive, and for meshes that are not in <asset>."""
    for word in PICTURES:
        node.get(word)
    mesh = None
    file = node.get("mesh")
    kind = node.choice("type", TYPES, "mesh" if file is not None and node.get("type") is None else "sphere")
    if file is not None:
        if file not in meshes:
            meant = close_word(file, meshes)
            raise ModelError(
                f"{node.where}: geom '{name}' has the mesh '{file}', which is not in <asset>"
                + (f"; did you mean '{meant}'?" if meant else "")
            )
        mesh = meshes[file]
    size: tuple[float, ...] = ()
    frame = settings.pose(node)
    faults = []
    if kind in SIZES and mesh is None:
        count = SIZES[kind]
        size = node.row("size", 1, 3)
        if node.get("fromto") is not None:
            if kind not in LONG:
                raise ModelError(f"{node.where}: geom '{name}' is a {kind}, which has no fromto; give pos and size")
            frame, length = between(np.array(node.numbers("fromto", 6)), node)
            across = size[:1] if count == 2 else (size[0], size[1] if len(size) > 1 else size[0])
            size = (*across, 0.5 * length)
        if len(size) < count or not all(s > 0.0 for s in size[:count]):
            raise ModelError(
                f"{node.where}: size of geom '{name}' is {node.get('size') or 'missing'}; a {kind} needs {count} "
                "positive numbers"
            )
        size = size[:count]
    elif kind in SIZES:
        faults.append(f"{node.where}: a {kind} that is fitted to a mesh is not read")
    elif kind == "plane":
        node.get("size")
    elif kind == "hfield":
        node.get("hfield")
        faults.append(f"{node.where}: height fields are not read")
    elif kind == "sdf":
        faults.append(f"{node.where}: shapes of type sdf are not read")
    elif mesh is None:
        raise ModelError(f"{node.where}: geom '{name}' is a mesh and names none; give mesh=")
    shell = node.flag("shellinertia")
    if shell and kind == "ellipsoid":
        faults.append(f"{node.where}: the inertia of an ellipsoid is that of the solid, not of its shell")
    whole = lambda word, default: int(node.number(word, default))
    return Geom(
        name, node, "mesh" if mesh is not None and kind == "sdf" else kind, offset @ frame, size, mesh,
        whole("group", 0.0), whole("contype", 1.0), whole("conaffinity", 1.0),
        node.number("mass") if node.get("mass") is not None else None, node.number("density", WATER), shell, faults,
    )  # fmt: skip
