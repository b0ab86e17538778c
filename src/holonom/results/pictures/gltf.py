"""The animated mechanism as a binary glTF file (Khronos glTF 2.0, ISO/IEC 12113), for Blender, web viewers and slides.

One node for each body, with its meshes and a track of translations and rotations; lengths in metres, y up, as the
format requires.
"""

from __future__ import annotations

import base64
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np

from ..._warnings import warn_model
from ...model import ModelError
from ...model.kinds import is_number
from .. import _rotation as rotation
from ..files.targets import file_path
from ..pages.animation import scene
from ..pages.motion import Bending, Grains, rgb

FLOAT, USHORT, UINT = 5126, 5123, 5125
MOST_GRAINS = 5000  # a node and an animation each
TYPES = {np.dtype("<f4"): FLOAT, np.dtype("<u2"): USHORT, np.dtype("<u4"): UINT}
SHAPES = {1: "SCALAR", 3: "VEC3", 4: "VEC4"}


def export_gltf(
    run: Any, path: str | Path, *, max_frames: int = 600, speed: float = 1.0, folder: str | Path | None = None
) -> Path:
    """Write the bodies of ``run`` and their motion to the GLB file ``path`` and return it.

    ``max_frames``: number of stored positions, evenly distributed over the outputs and interpolated during playback;
    ``speed``: playback speed, 1 for real time; ``folder``: folder of the meshes of EXTERNAL graphics. Flexible bodies
    are meshes whose morph targets are their modes, with the coordinates as weights (u = sum q phi), in the colours of
    the largest von Mises stress that each point has in the run (the format has no colours that change); up to
    MOST_GRAINS grains are nodes; springs are coils stretched between their ends, beams and cables are lines. Forces are
    not in the file, nor are grains beyond that number, which is reported by a warning. Raises ModelError for a path
    that is not .glb or cannot be written, and ValueError for a run with nothing to show.
    """
    path = file_path(path, "glTF is one binary file", "run.glb")
    if path.suffix.lower() != ".glb":
        raise ModelError(f"'{path.name}': glTF is written as one binary file, which ends in .glb")
    if not (is_number(speed) and np.isfinite(speed) and speed > 0):
        raise ModelError(f"speed is {speed!r}: give a number above zero")
    data = scene(run, max_frames=max_frames, folder=folder, pieces=True)
    many = sum(g["count"] for g in data["grains"])
    if many > MOST_GRAINS:
        warn_model(f"not in the glTF file: grains ({many}, of which it could hold {MOST_GRAINS})")
    units = run.model.units
    time = _rising((_numbers(data["time"], "<f8") - float(run.time[0])) * units.si_time / speed)
    film = _Film(data, time)
    for b, body in enumerate(data["bodies"]):
        film.add_body(b, body)
    bent = [Bending(f, data, _numbers) for f in data["flexible"]]
    for f, soft in zip(data["flexible"], bent):
        soft.most = max(other.top for other in bent)
        film.add_flexible(f, soft, data["bodies"][soft.body]["color"])
    for g in data["grains"] if many <= MOST_GRAINS else ():
        film.add_grains(g, Grains(g, data["frames"], _numbers))
    extent = float(data["size"])
    for s in data["springs"]:
        film.add_line(s["name"], s["i"], s["j"], _coil(s["coils"], (s.get("da") or 0.03 * extent) / 2), "#c0873c")
    for s in data["strands"]:
        for a, b in zip(s["a"], s["a"][1:]):
            film.add_line(s["name"], a, b, _coil(0, 0.0), s.get("color", "#8d7cc8"))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(film.file(run.model.name, units.si_length, _upright(data["up"])))
    except OSError as problem:
        raise ModelError(f"cannot write '{path}': {problem.strerror or problem}") from None
    return path


class _Film:
    """Nodes of a file, whose numbers count from one (zero: the root), and their animation."""

    def __init__(self, data: dict[str, Any], time: np.ndarray) -> None:
        self.out = _Writer()
        self.motion = _numbers(data["motion"], "<f4").reshape(data["frames"], len(data["bodies"]), 7)
        self.moves = data["frames"] > 1
        self.clock = self.out.array(time.astype("<f4")[:, None], limits=True) if self.moves else -1
        self.nodes: list[dict[str, Any]] = []
        self.channels: list[dict[str, Any]] = []
        self.samplers: list[dict[str, Any]] = []
        self._shapes: dict[tuple[bytes, str], int] = {}  # meshes of springs and lines

    def _follow(self, what: str, values: np.ndarray, interpolation: str = "LINEAR") -> None:
        """The last node follows values, a row a frame."""
        self.channels.append({"sampler": len(self.samplers), "target": {"node": len(self.nodes), "path": what}})
        output = self.out.array(values.astype("<f4"))
        self.samplers.append({"input": self.clock, "output": output, "interpolation": interpolation})

    def _mesh(self, name: str, primitives: list[dict[str, Any]]) -> int:
        self.out.meshes.append({"name": name, "primitives": primitives})
        return len(self.out.meshes) - 1

    def add_body(self, b: int, body: dict[str, Any]) -> None:
        """A body with its surfaces and lines, and its motion."""
        out = self.out
        place, turn = self.motion[:, b, :3], self.motion[:, b, 3:][:, [1, 2, 3, 0]]  # scalar last
        node: dict[str, Any] = {
            "name": body["name"],
            "translation": place[0].tolist(),
            "rotation": _unit(turn[:1])[0].tolist(),
            "extras": {"kind": body["kind"], "id": body["id"]},
        }
        primitives = [_surface(out, mesh, body) for mesh in body["meshes"]]
        if body.get("lines"):
            points = _numbers(body["lines"], "<f4").reshape(-1, 3)
            at = {"POSITION": out.array(points, limits=True, target=34962)}
            primitives.append({"attributes": at, "mode": 1, "material": out.material(body["color"])})
        if primitives:
            node["mesh"] = self._mesh(body["name"], primitives)
        self.nodes.append(node)
        if self.moves and (np.ptp(self.motion[:, b], axis=0) > 0).any():
            for what, values in (("translation", place), ("rotation", _unit(turn))):
                self._follow(what, values)

    def add_flexible(self, f: dict[str, Any], soft: Bending, color: str) -> None:
        """The mesh of a flexible body, a child of its node, whose morph targets are its modes."""
        name = f"{f['name']}, bending"
        self.nodes.append({"name": name, "mesh": len(self.out.meshes), "extras": {"modes": f["modes"]}})
        self.nodes[soft.body].setdefault("children", []).append(len(self.nodes))
        self.out.meshes.append(_morphing(self.out, soft, color))
        if self.moves and len(f["modes"]):
            self._follow("weights", soft.q.reshape(-1, 1))

    def add_grains(self, g: dict[str, Any], grains: Grains) -> None:
        """A node for each grain that is there at any time; it has no size while it is not there."""
        out = self.out
        part = {"POSITION": out.array(grains.points.astype("<f4"), limits=True, target=34962)}
        index = out.array(grains.triangles.astype("<u2").reshape(-1, 1), target=34963)
        mesh = self._mesh(g["name"], [{"attributes": part, "indices": index, "material": out.material(g["color"])}])
        places, turns, there = grains.course()
        for k in range(int(g["count"])):
            if not there[:, k].any():
                continue
            size = [float(grains.sizes[k])] * 3
            first = {"translation": places[0, k].tolist(), "rotation": turns[0, k].tolist(), "scale": size}
            self.nodes.append({"name": f"{g['name']} {k + 1}", "mesh": mesh, **first})
            if self.moves and np.ptp(places[:, k], axis=0).any():
                self._follow("translation", places[:, k])
            if self.moves and np.ptp(turns[:, k], axis=0).any():
                self._follow("rotation", turns[:, k])
            if self.moves and not there[:, k].all():
                self._follow("scale", np.where(there[:, k, None], size, 0.0), "STEP")

    def add_line(self, name: str, i: list, j: list, points: np.ndarray, color: str) -> None:
        """Points along z from 0 to 1 that are stretched between two points (body, position on it)."""
        out = self.out
        ends = [
            self.motion[:, int(b), :3] + np.einsum("tij,j->ti", rotation.matrices(self.motion[:, int(b), 3:]), place)
            for b, *place in (i, j)
        ]
        turn, length = _along(ends[1] - ends[0])
        key = points.tobytes(), color
        if key not in self._shapes:
            at = {"POSITION": out.array(points.astype("<f4"), limits=True, target=34962)}
            self._shapes[key] = self._mesh("spring", [{"attributes": at, "mode": 3, "material": out.material(color)}])
        scale = np.column_stack([np.ones((len(length), 2)), length])
        first = {"translation": ends[0][0].tolist(), "rotation": turn[0].tolist(), "scale": scale[0].tolist()}
        self.nodes.append({"name": name, "mesh": self._shapes[key], **first})
        if self.moves:
            for what, values in (("translation", ends[0]), ("rotation", turn), ("scale", scale)):
                if np.ptp(values, axis=0).any():
                    self._follow(what, values)

    def file(self, name: str, length: float, upright: list[float]) -> bytes:
        """The file: a table in JSON and the numbers; ``length``: of a unit in metres."""
        out = self.out
        inner = {c for node in self.nodes for c in node.get("children", ())}
        root = {
            "name": name,
            "children": [n for n in range(1, len(self.nodes) + 1) if n not in inner],
            "scale": [length] * 3,
            "rotation": upright,
        }
        content: dict[str, Any] = {
            "asset": {"version": "2.0", "generator": "Holonom"},
            "scene": 0,
            "scenes": [{"name": name, "nodes": [0]}],
            "nodes": [root, *self.nodes],
            "accessors": out.accessors,
            "bufferViews": out.views,
            "buffers": [{"byteLength": len(out.bytes)}],
        }
        if out.meshes:
            content |= {"meshes": out.meshes, "materials": out.materials}
        if self.channels:
            content["animations"] = [{"name": "run", "channels": self.channels, "samplers": self.samplers}]
        text = json.dumps(content, separators=(",", ":"), allow_nan=False).encode()
        text += b" " * (-len(text) % 4)
        blob = bytes(out.bytes) + b"\0" * (-len(out.bytes) % 4)
        chunks = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(blob), b"BIN\0") + blob
        return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


class _Writer:
    """Numbers in one buffer, each array on a multiple of four bytes."""

    def __init__(self) -> None:
        self.bytes = bytearray()
        self.views: list[dict[str, Any]] = []
        self.accessors: list[dict[str, Any]] = []
        self.meshes: list[dict[str, Any]] = []
        self.materials: list[dict[str, Any]] = []
        self._known: dict[str, int] = {}

    def array(self, values: np.ndarray, *, limits: bool = False, target: int = 0) -> int:
        """Number of the accessor of an array (n, 1, 3 or 4)."""
        values = np.ascontiguousarray(values, values.dtype if values.dtype in TYPES else "<f4")
        view: dict[str, Any] = {"buffer": 0, "byteOffset": len(self.bytes), "byteLength": values.nbytes}
        if target:
            view["target"] = target
        self.views.append(view)
        self.bytes += values.tobytes()
        self.bytes += b"\0" * (-len(self.bytes) % 4)
        accessor: dict[str, Any] = {
            "bufferView": len(self.views) - 1,
            "componentType": TYPES[values.dtype],
            "count": len(values),
            "type": SHAPES[values.shape[1]],
        }
        if limits:
            accessor |= {"min": values.min(axis=0).tolist(), "max": values.max(axis=0).tolist()}
        self.accessors.append(accessor)
        return len(self.accessors) - 1

    def material(self, color: str, opacity: float = 1.0) -> int:
        """Number of the material of a colour; glTF wants it linear (IEC 61966-2-1)."""
        key = f"{color}{opacity}"
        if key not in self._known:
            linear = _linear(rgb(color) / 255.0).tolist()
            material: dict[str, Any] = {
                "pbrMetallicRoughness": {
                    "baseColorFactor": [*linear, opacity],
                    "metallicFactor": 0.1,
                    "roughnessFactor": 0.7,
                },
                "doubleSided": True,
            }
            if opacity < 1:
                material["alphaMode"] = "BLEND"
            self._known[key] = len(self.materials)
            self.materials.append(material)
        return self._known[key]


def _surface(out: _Writer, mesh: dict[str, Any], body: dict[str, Any]) -> dict[str, Any]:
    points = _numbers(mesh["p"], "<f4").reshape(-1, 3)
    index = _numbers(mesh["t"], "<u4" if mesh["wide"] else "<u2")
    material = out.material(mesh.get("color") or body["color"], 0.5 if mesh.get("plane") else 1.0)
    return {
        "attributes": {"POSITION": out.array(points, limits=True, target=34962)},
        "indices": out.array(index[:, None], target=34963),
        "material": material,
    }


def _morphing(out: _Writer, soft: Bending, color: str) -> dict[str, Any]:
    """A mesh with a target for each mode: how its points move for a coordinate of one."""
    primitive: dict[str, Any] = {
        "attributes": {"POSITION": out.array(soft.rest.astype("<f4"), limits=True, target=34962)},
        "material": out.material(color if soft.codes is None else "#ffffff"),
        "targets": [{"POSITION": out.array(shape.astype("<f4"), limits=True, target=34962)} for shape in soft.phi],
    }
    if soft.codes is not None:
        primitive["attributes"]["COLOR_0"] = out.array(_linear(soft.worst() / 255.0).astype("<f4"), target=34962)
    index, mode = (soft.triangles, 4) if len(soft.triangles) else (soft.lines, 1)
    primitive |= {"indices": out.array(index.astype("<u2").reshape(-1, 1), target=34963), "mode": mode}
    mesh: dict[str, Any] = {"name": "bending", "primitives": [primitive]}
    if len(soft.phi):
        mesh["weights"] = soft.q[0].tolist()
    return mesh


def _linear(srgb: np.ndarray) -> np.ndarray:
    """Shares of light of colours from 0 to 1 as a screen takes them (IEC 61966-2-1)."""
    return np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)


def _coil(turns: int, radius: float) -> np.ndarray:
    """A line (n, 3) from the origin to (0, 0, 1), in its middle with ``turns`` coils; the node stretches it along z."""
    if not turns:
        return np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    s = np.linspace(0.0, 1.0, 12 * int(turns) + 1)
    w = 2.0 * np.pi * turns * s
    inner = np.column_stack([radius * np.cos(w), radius * np.sin(w), 0.12 + 0.76 * s])
    return np.concatenate([[[0.0, 0.0, 0.0], [0.0, 0.0, 0.12]], inner, [[0.0, 0.0, 0.88], [0.0, 0.0, 1.0]]])


def _along(ways: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Quaternions (nt, 4), scalar last and without jumps of sign, that take z along ``ways`` (nt, 3), and their lengths
    (nt,)."""
    length = np.linalg.norm(ways, axis=1)
    d = np.where(length[:, None] > 0.0, ways / np.where(length > 0.0, length, 1.0)[:, None], [0.0, 0.0, 1.0])
    q = np.column_stack([-d[:, 1], d[:, 0], np.zeros(len(d)), 1.0 + d[:, 2]])
    q[d[:, 2] < -0.999999] = [1.0, 0.0, 0.0, 0.0]
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    q[1:] *= np.cumprod(np.where((q[1:] * q[:-1]).sum(axis=1) < 0.0, -1.0, 1.0))[:, None]
    return q, length


def _numbers(text: str, dtype: str) -> np.ndarray:
    return np.frombuffer(base64.b64decode(text), dtype)


def _unit(q: np.ndarray) -> np.ndarray:
    return (q / np.linalg.norm(q, axis=1, keepdims=True)).astype("<f4")


def _rising(time: np.ndarray) -> np.ndarray:
    """Key times must rise in 32 bits: a repeated one is moved by the smallest step."""
    out = time.astype("<f4")
    for k in range(1, len(out)):
        if out[k] <= out[k - 1]:
            out[k] = np.nextafter(out[k - 1], np.float32(np.inf))
    return out


def _upright(up: list[float]) -> list[float]:
    """Quaternion, scalar last, that turns the axis ``up`` to y."""
    k = int(np.argmax(np.abs(up)))
    half, sign = np.sqrt(0.5), float(np.sign(up[k]))
    if k == 1:
        return [0.0, 0.0, 0.0, 1.0] if sign > 0 else [1.0, 0.0, 0.0, 0.0]
    return [-sign * half, 0.0, 0.0, half] if k == 2 else [0.0, 0.0, sign * half, half]
