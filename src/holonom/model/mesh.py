"""Triangle meshes: read from files, found next to a model, and checked to be closed and to face outward."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np

from .base import ModelError
from .collada import read_collada
from .kinds import LARGEST

MAX_TRIANGLES = 400_000  # of one mesh; a report is a page to read, not a store of meshes
MAX_MESH_BYTES = 200_000_000
READ = ("stl", "obj", "ply", "off", "glb", "gltf", "dae")


def read_stl(path: str | Path) -> tuple[np.ndarray, np.ndarray]:
    """Points (n, 3), equal ones merged, and triangles (m, 3) of an STL file, binary or text.

    Raises `ModelError` with one sentence when the file is broken, or larger than MAX_TRIANGLES / MAX_MESH_BYTES.
    """
    path = Path(path)
    if path.stat().st_size > MAX_MESH_BYTES:
        raise ModelError(f"{path.name}: larger than {MAX_MESH_BYTES} bytes; reduce the mesh")
    raw = path.read_bytes()
    count = int.from_bytes(raw[80:84], "little") if len(raw) >= 84 else 0
    if len(raw) >= 84 and len(raw) == 84 + 50 * count:
        _limit(path, count)
        rows = np.frombuffer(raw, np.dtype([("n", "<f4", 3), ("v", "<f4", (3, 3)), ("a", "<u2")]), count, 84)
        points = rows["v"].reshape(-1, 3).astype(float)
    elif raw[:5].lower() == b"solid":
        words = re.findall(rb"vertex\s+(\S+)\s+(\S+)\s+(\S+)", raw)
        _limit(path, len(words) // 3)
        try:
            points = np.array(words, dtype="S32").astype(float).reshape(-1, 3)
        except ValueError as error:
            raise ModelError(f"{path.name}: not a number in an STL vertex; export the mesh again") from error
        if len(points) % 3:
            raise ModelError(f"{path.name}: the last STL facet is not complete; export the mesh again")
    else:
        raise ModelError(
            f"{path.name}: not an STL file (its length does not fit its number of facets); export it again"
        )
    if not len(points) or not np.isfinite(points).all():
        raise ModelError(f"{path.name}: the STL file holds no facets or numbers that are not finite; export it again")
    merged, index = np.unique(points, axis=0, return_inverse=True)
    return merged, index.reshape(-1, 3)


def _limit(path: Path, count: int) -> None:
    if count > MAX_TRIANGLES:
        raise ModelError(f"{path.name}: {count} triangles, more than {MAX_TRIANGLES}; reduce the mesh")


def read_mesh(path: str | Path) -> tuple[np.ndarray, np.ndarray]:
    """Points and triangles of STL, COLLADA (read here) or OBJ, PLY, OFF, glTF (read by trimesh).  Raises
    `ModelError`."""
    path = Path(path)
    kind = path.suffix.lower().lstrip(".")
    if kind == "stl":
        return read_stl(path)
    if kind not in READ:
        raise ModelError(f"{path.name}: this format is not read; export the body as STL")
    if path.stat().st_size > MAX_MESH_BYTES:
        raise ModelError(f"{path.name}: larger than {MAX_MESH_BYTES} bytes; reduce the mesh")
    if kind == "dae":
        points, triangles = read_collada(path)
        return _checked(path, points, triangles)
    try:
        import trimesh
    except ImportError as error:
        raise ModelError(f"{path.name}: needs trimesh; run: pip install holonom[report]") from error
    try:
        with path.open("rb") as stream:
            mesh: Any = trimesh.load(stream, file_type=kind, force="mesh", process=False)
        points, triangles = np.asarray(mesh.vertices, float), np.asarray(mesh.faces, int)
    except Exception as error:  # a parser of someone else on a file of someone else
        raise ModelError(f"{path.name}: the mesh cannot be read ({error}); export it again") from error
    return _checked(path, points, triangles)


def _checked(path: Path, points: np.ndarray, triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Points and triangles.  Raises `ModelError` where there are none, or too many."""
    _limit(path, len(triangles))
    if not len(triangles) or not np.isfinite(points).all():
        raise ModelError(f"{path.name}: the mesh holds no triangles or numbers that are not finite; export it again")
    return points, triangles


def locate(file: str, element: str, folder: Path) -> Path:
    """The mesh of an EXTERNAL graphic: always a plain file in the model's own folder, whatever path the dataset wrote.

    A path from a foreign dataset is never followed: it could point anywhere, also to a network share.
    """
    name = re.split(r"[\\/]", file.strip().strip("'\""))[-1]
    stem = name.rsplit(".", 1)[0]
    clean = lambda text: re.sub(r"[^\w.\- ]", "_", text)
    tries = ([f"{stem}_{clean(element)}.stl", f"{clean(element)}.stl"] if element else []) + [name]
    if not element:
        tries.append(f"{stem}.stl")
    readable = [t for t in tries if t.lower().endswith(tuple(f".{k}" for k in READ))]
    for text in readable:
        if (folder / text).is_file():
            return folder / text
    if name in readable:
        raise ModelError(f"there is no file {name} in the folder of the model; copy it there")
    want = tries[0] if element else f"{stem}.stl"
    raise ModelError(f"{name} is in a format that is not read; export it as {want} into the folder of the model")


# ---- checks ---------------------------------------------------------------------------------------------------------
def check_mesh(points: np.ndarray, triangles: np.ndarray, repair: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Points and triangles with equal points merged and empty triangles left out, when they bound a volume.

    Raises `ModelError` for a mesh that is open (an edge with one triangle), whose triangles disagree about what is
    outside, or that faces inward; with ``repair`` the last two are turned over.
    """
    try:
        points = np.asarray(points, float).reshape(-1, 3)
        corners = np.asarray(triangles, float).reshape(-1, 3)
        if not ((np.abs(corners) < 2**53) & (corners == np.floor(corners))).all():
            raise ValueError
        triangles = np.asarray(triangles).reshape(-1, 3).astype(np.int64)
    except (TypeError, ValueError, OverflowError):
        raise ModelError(
            "a mesh is rows of three numbers and triangles of three whole numbers; correct its tables"
        ) from None
    if not np.isfinite(points).all():
        raise ModelError(
            f"vertex {int(np.flatnonzero(~np.isfinite(points).all(axis=1))[0])} of the mesh is not finite; give finite "
            "numbers"
        )
    if triangles.size and (triangles.min() < 0 or triangles.max() >= len(points)):
        wrong = triangles.min() if triangles.min() < 0 else triangles.max()
        raise ModelError(f"a triangle of the mesh names vertex {wrong}, and there are {len(points)}; count from 0")
    if points.size and not np.abs(points).max() <= LARGEST:
        raise ModelError(f"a vertex of the mesh lies farther away than any machine reaches; give at most {LARGEST:g}")
    points, index = np.unique(points, axis=0, return_inverse=True)
    triangles = index.reshape(-1)[triangles]
    a, b, c = triangles.T
    triangles = triangles[(a != b) & (b != c) & (c != a)]
    if len(triangles) < 4:
        raise ModelError(f"the mesh has {len(triangles)} triangles; a closed one needs four")
    used, index = np.unique(triangles, return_inverse=True)
    points, triangles = points[used], index.reshape(-1, 3)
    if repair:
        triangles = _turn_alike(triangles)
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    low, high = edges.min(axis=1), edges.max(axis=1)
    _, edge, shared = np.unique(low * len(points) + high, return_inverse=True, return_counts=True)
    if (shared % 2).any():
        open_ = int((shared % 2).sum())
        raise ModelError(
            f"the mesh is open: {open_} of its edges {'has' if open_ == 1 else 'have'} a triangle on one side only; "
            "close it"
        )
    net = np.bincount(edge.reshape(-1), weights=np.where(edges[:, 0] == low, 1.0, -1.0))
    if net.any():
        bad = int(np.count_nonzero(net))
        raise ModelError(
            f"triangles of the mesh disagree at {bad} edges about what is outside; turn them alike, or give repair=True"
        )
    triangles = _pieces(points, triangles, repair)
    volume = mesh_volume(points, triangles)
    size = float(np.ptp(points, axis=0).max())
    if not abs(volume) > 1e-12 * size**3:
        raise ModelError("the mesh encloses no volume; a shape without volume cannot touch")
    if volume < 0:
        if not repair:
            raise ModelError(
                f"the mesh is inside out: its triangles face inward (volume {volume:.4g}); turn them over, or give "
                "repair=True"
            )
        triangles = triangles[:, ::-1].copy()
    return points, triangles


def _pieces(points: np.ndarray, triangles: np.ndarray, repair: bool) -> np.ndarray:
    """Triangles of a mesh of several closed pieces: one that faces inward lies within another (a cavity), or is turned,
    or an error."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    n = len(points)
    i, j = triangles[:, [0, 1]].ravel(), triangles[:, [1, 2]].ravel()
    count, label = connected_components(coo_matrix((np.ones(len(i)), (i, j)), shape=(n, n)), directed=False)
    if count == 1:
        return triangles
    piece = label[triangles[:, 0]]
    p, q, r = (points[triangles[:, k]] - points.mean(axis=0) for k in range(3))
    volume = np.bincount(piece, weights=np.einsum("ij,ij->i", p, np.cross(q, r)), minlength=count) / 6.0
    low, high = np.full((count, 3), np.inf), np.full((count, 3), -np.inf)
    np.minimum.at(low, label, points)
    np.maximum.at(high, label, points)
    out = triangles
    for k in np.flatnonzero(volume < 0.0):
        around = (low < low[k]).all(axis=1) & (high > high[k]).all(axis=1) & (volume > 0.0)
        if around.any() or (volume < 0.0).all():  # all inward: said of the whole mesh
            continue
        if not repair:
            raise ModelError(
                f"a piece of the mesh ({int((piece == k).sum())} of its {len(triangles)} triangles) is inside out and "
                "lies in no other piece; turn it "
                "over, or give repair=True"
            )
        out = out.copy()
        out[piece == k] = out[piece == k, ::-1]
    return out


def mesh_volume(points: np.ndarray, triangles: np.ndarray) -> float:
    """Volume inside a closed mesh, positive when its triangles run counter-clockwise seen from outside."""
    p, q, r = (points[triangles[:, k]] - points.mean(axis=0) for k in range(3))
    return float(np.einsum("ij,ij->", p, np.cross(q, r))) / 6.0


def _turn_alike(triangles: np.ndarray) -> np.ndarray:
    """Triangles turned so that neighbours over an edge of two agree, each piece as its first triangle."""
    out = triangles.copy()
    at: dict[tuple[int, int], list[int]] = {}
    for k, t in enumerate(out.tolist()):
        for u, v in ((t[0], t[1]), (t[1], t[2]), (t[2], t[0])):
            at.setdefault((min(u, v), max(u, v)), []).append(k)
    done = np.zeros(len(out), bool)
    for first in range(len(out)):
        if done[first]:
            continue
        done[first] = True
        stack = [first]
        while stack:
            k = stack.pop()
            t = out[k].tolist()
            for u, v in ((t[0], t[1]), (t[1], t[2]), (t[2], t[0])):
                pair = at[min(u, v), max(u, v)]
                if len(pair) != 2:
                    continue
                other = pair[0] if pair[1] == k else pair[1]
                if done[other]:
                    continue
                o = out[other].tolist()
                if (u, v) in ((o[0], o[1]), (o[1], o[2]), (o[2], o[0])):
                    out[other] = out[other, ::-1]
                done[other] = True
                stack.append(other)
    return out
