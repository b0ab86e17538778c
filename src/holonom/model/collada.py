"""Triangles of a COLLADA file (.dae, Khronos specification 1.4.1 and 1.5): the meshes of its scene in metres.

Positions alone are read: triangles, polylist and polygons of each geometry, put where the nodes of the scene have it.
``up_axis`` has no influence, as in ROS, whose robot files rotate a mesh themselves.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from .base import ModelError
from .orientation import turned

DEEPEST = 100  # nodes within nodes


def read_collada(path: str | Path) -> tuple[np.ndarray, np.ndarray]:
    """Points (n, 3) in metres and triangles (m, 3).  Raises `ModelError` with one sentence where the file is broken."""
    path = Path(path)
    raw = path.read_bytes()
    if b"<!DOCTYPE" in raw or b"<!ENTITY" in raw:
        raise ModelError(f"{path.name}: a COLLADA file with a document type is not read; export the mesh again")
    try:
        root = ElementTree.fromstring(raw)
        return _Document(root).triangles()
    except (ElementTree.ParseError, ValueError, IndexError, KeyError, RecursionError) as error:
        raise ModelError(f"{path.name}: the COLLADA file is broken ({error}); export the mesh again") from error


class _Document:
    def __init__(self, root: ElementTree.Element):
        for e in root.iter():  # names without their namespace
            if isinstance(e.tag, str):
                e.tag = e.tag.rpartition("}")[2]
        self.root = root
        self.named = {e.get("id"): e for e in root.iter() if e.get("id")}
        unit = root.find("asset/unit")
        self.metre = float(unit.get("meter", "1")) if unit is not None else 1.0
        if not 0.0 < self.metre < math.inf:
            raise ValueError(f"its unit is {self.metre} m")

    def of(self, reference: str | None) -> ElementTree.Element:
        """The element of a reference #id."""
        if not reference or not reference.startswith("#") or reference[1:] not in self.named:
            raise ValueError(f"'{reference}' is not in the file")
        return self.named[reference[1:]]

    def triangles(self) -> tuple[np.ndarray, np.ndarray]:
        """Those of the scene, or of all geometries where there is none."""
        scene = self.root.find("scene/instance_visual_scene")
        found: list[tuple[np.ndarray, np.ndarray]] = []
        if scene is not None:
            for node in self.of(scene.get("url")).findall("node"):
                self.node(node, np.eye(4), found, 0)
        else:
            for geometry in self.root.findall("library_geometries/geometry"):
                found += self.geometry(geometry, np.eye(4))
        points = np.concatenate([p for p, _ in found]) if found else np.zeros((0, 3))
        starts = np.cumsum([0, *(len(p) for p, _ in found)])
        faces = [f + at for (_, f), at in zip(found, starts)]
        return self.metre * points, np.concatenate(faces) if faces else np.zeros((0, 3), int)

    def node(self, node: ElementTree.Element, T: np.ndarray, found: list, depth: int) -> None:
        if depth > DEEPEST:
            raise ValueError("nodes contain each other")
        for e in node:
            if e.tag in ("matrix", "translate", "rotate", "scale"):
                T = T @ _transformation(e)
            elif e.tag == "node":
                self.node(e, T, found, depth + 1)
            elif e.tag == "instance_node":
                self.node(self.of(e.get("url")), T, found, depth + 1)
            elif e.tag == "instance_geometry":
                found += self.geometry(self.of(e.get("url")), T)
            elif e.tag == "instance_controller":
                skin = self.of(e.get("url")).find("skin")
                if skin is not None:
                    found += self.geometry(self.of(skin.get("source")), T)

    def geometry(self, geometry: ElementTree.Element, T: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """(points, triangles) of each group of faces."""
        mesh = geometry.find("mesh")
        for faces in () if mesh is None else mesh:
            if faces.tag in ("triangles", "polylist", "polygons"):
                points, corners = self.corners(faces)
                triangles = [
                    (p[0], p[k], p[k + 1]) for p in corners for k in range(1, len(p) - 1)
                ]  # fans: faces of CAD and Blender are convex
                yield points @ T[:3, :3].T + T[:3, 3], np.array(triangles, int).reshape(-1, 3)

    def corners(self, faces: ElementTree.Element) -> tuple[np.ndarray, list[np.ndarray]]:
        """Points, and of each face the numbers of its corners."""
        inputs = faces.findall("input")
        stride = 1 + max(int(i.get("offset", "0")) for i in inputs)
        vertex = next(i for i in inputs if i.get("semantic") == "VERTEX")
        position = next(i for i in self.of(vertex.get("source")) if i.get("semantic") == "POSITION")
        points = self.source(self.of(position.get("source")))
        lists = [np.array((p.text or "").split(), int) for p in faces.findall("p")]
        at = int(vertex.get("offset", "0"))
        if faces.tag == "polygons":
            corners = [p[at::stride] for p in lists]
        else:
            flat = (np.concatenate(lists) if lists else np.zeros(0, int))[at::stride]
            count = faces.find("vcount")
            sizes = np.full(len(flat) // 3, 3) if count is None else np.array((count.text or "").split(), int)
            if sizes.sum() != len(flat):
                raise ValueError("the corners of its faces are incomplete")
            corners = np.split(flat, np.cumsum(sizes)[:-1]) if len(sizes) else []
        if any(len(p) and not 0 <= p.min() <= p.max() < len(points) for p in corners):
            raise ValueError("a face has a point that is not there")
        return points, corners

    def source(self, source: ElementTree.Element) -> np.ndarray:
        """(n, 3) numbers of a source."""
        accessor = source.find("technique_common/accessor")
        if accessor is None:
            raise ValueError("a source of points has no accessor")
        values = np.array((self.of(accessor.get("source")).text or "").split(), float)
        stride, offset = int(accessor.get("stride", "1")), int(accessor.get("offset", "0"))
        count = int(accessor.get("count", "0"))
        if stride < 3 or offset + stride * count > len(values):
            raise ValueError("a source of points is too short")
        return values[offset : offset + stride * count].reshape(-1, stride)[:, :3]


def _transformation(e: ElementTree.Element) -> np.ndarray:
    """(4, 4) matrix of an element of a node."""
    values = np.array((e.text or "").split(), float)
    T = np.eye(4)
    if len(values) != {"matrix": 16, "translate": 3, "rotate": 4, "scale": 3}[e.tag]:
        raise ValueError(f"<{e.tag}> has {len(values)} numbers")
    if e.tag == "matrix":
        return values.reshape(4, 4)
    if e.tag == "translate":
        T[:3, 3] = values
    elif e.tag == "scale":
        T[:3, :3] = np.diag(values)
    else:
        size = np.linalg.norm(values[:3])
        if size > 0.0:
            T[:3, :3] = turned(values[:3] / size, math.radians(values[3]))
    return T
