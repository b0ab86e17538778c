"""Meshes of tetrahedra inside of closed surfaces and drawings, by gmsh, which is run as a program of its own
(`gmsh_script`)."""

from __future__ import annotations

import importlib.util
import math
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from ..model.base import ModelError, shown
from . import cells
from .mesh import Mesh

DRAWINGS = (".step", ".stp", ".iges", ".igs", ".brep")
MOST = 1_000_000  # tetrahedra
SAME = 1e-7  # distance of points that are one, as a share of the size of the surface
SECONDS = 600.0


def mesh_surface(
    surface,
    size: float | None = None,
    kind: str = "tetra10",
    *,
    scale: float = 1.0,
    angle: float = math.radians(40.0),
    seconds: float = SECONDS,
) -> Mesh:
    """Tetrahedral mesh of a closed triangle surface, or of a CAD file, by gmsh (extra ``mesh``).

    ``surface``: a file of triangles (.stl, .obj, .ply, .off), triangles (t, 3, 3) (length), or a CAD file (.step, .stp,
    .iges, .brep), which gmsh reads in millimetres; several solids are joined where they touch. ``size``: of the
    tetrahedra, in the unit of the result (default: 5 % of the diagonal); ``kind``: "tetra10" or "tetra";
    ``scale``: factor from lengths of the file to those of the result;
    ``angle``: between triangles, rad, above which an edge is kept; ``seconds``: time limit.

    Groups of nodes "surface 1", ...: of each face of the CAD model, or smooth region of the triangles; regions "volume
    1", ...: of each solid. Raises `ModelError` for a surface that is open or that gmsh cannot mesh, for too many
    tetrahedra, and where gmsh is not installed.

        link = hn.flexible.mesh_surface("link.stl", size=0.004, scale=1e-3)
    """
    if kind not in ("tetra", "tetra10"):
        raise ModelError(f"cells of kind {shown(kind)} are not available inside a surface; give tetra10 or tetra")
    for name, value in (
        ("size", 1.0 if size is None else size),
        ("scale", scale),
        ("angle", angle),
        ("seconds", seconds),
    ):
        if not (isinstance(value, (int, float)) and math.isfinite(value) and value > 0.0):
            raise ModelError(f"{name} of a mesh is {shown(value)}; give a positive number")
    task: dict = {
        "size": 0.0 if size is None else size,
        "order": 1 if kind == "tetra" else 2,
        "scale": scale,
        "angle": angle,
        "most": MOST,
    }
    if isinstance(surface, (str, Path)):
        what = f"'{surface}'"
        if not Path(surface).is_file():
            raise ModelError(f"{what} cannot be read: there is no such file")
    else:
        what = "the surface"
    if isinstance(surface, (str, Path)) and Path(surface).suffix.lower() in DRAWINGS:
        task["path"] = str(Path(surface).resolve())
    else:
        points, triangles = _surface(surface, what)
        a, b, c = points[triangles].transpose(1, 0, 2)
        volume = np.einsum("ij,ij->", a - points[0], np.cross(b - points[0], c - points[0])) / 6.0
        wide = np.linalg.norm(np.ptp(points, axis=0))
        count = 8.5 * abs(volume) / (wide / 20.0 if size is None else size / scale) ** 3
        if count > MOST:
            raise ModelError(
                f"tetrahedra of size {size:g} in {what} would be about {count:.2g}, more than {MOST}; give a "
                "larger size"
            )
        task |= {"points": points, "triangles": triangles if volume > 0.0 else triangles[:, ::-1]}
    if importlib.util.find_spec("gmsh") is None:
        raise ModelError("meshes inside of surfaces need gmsh; install holonom[mesh]")
    with tempfile.TemporaryDirectory() as folder:
        given, made = Path(folder) / "task.npz", Path(folder) / "mesh.npz"
        np.savez(given, **task)
        script = Path(__file__).with_name("gmsh_script.py")
        try:
            done = subprocess.run(
                [sys.executable, "-P", str(script), str(given), str(made)],
                capture_output=True,
                text=True,
                timeout=seconds,
            )
        except subprocess.TimeoutExpired:
            raise ModelError(
                f"gmsh has not filled {what} within {seconds:g} s; give a larger size, or more seconds"
            ) from None
        if done.returncode or not made.exists():
            text = done.stderr.strip().splitlines()
            raise ModelError(
                f"gmsh cannot fill {what}: {text[-1][:200] if text else f'it ended with status {done.returncode}'}"
            )
        with np.load(made, allow_pickle=False) as file:
            found = {name: file[name] for name in file.files}
    table = found[kind]
    used = np.unique(table)
    number = np.full(len(found["points"]), -1)
    number[used] = np.arange(len(used))
    own = lambda nodes: number[nodes][number[nodes] >= 0]
    made = Mesh(
        found["points"][used],
        {kind: number[table]},
        groups={name[6:]: own(nodes) for name, nodes in found.items() if name.startswith("group ")},
        regions={name[7:]: {kind: numbers} for name, numbers in found.items() if name.startswith("region ")},
    )
    return made if "path" in task else made.with_surfaces(angle)


def _surface(surface, what: str) -> tuple[np.ndarray, np.ndarray]:
    """Points, each once, and triangles of a closed surface."""
    if isinstance(surface, (str, Path)):
        mesh = Mesh.read(surface)
        faces = [t for k, t in mesh.cells.items() if k in ("triangle", "quad") and len(t)]
        points, triangles = mesh.points, cells.triangles(faces)
    else:
        try:
            corners = np.asarray(surface, float)
        except (TypeError, ValueError):
            corners = np.zeros(0)
        if corners.ndim != 3 or corners.shape[1:] != (3, 3) or not np.all(np.isfinite(corners)):
            raise ModelError(f"a surface is {shown(surface)}; give a file of it, or triangles (t, 3, 3)")
        points, triangles = corners.reshape(-1, 3), np.arange(3 * len(corners)).reshape(-1, 3)
    if not len(triangles):
        raise ModelError(f"{what} has no triangles")
    step = SAME * max(float(np.ptp(points, axis=0).max()), 1e-300)
    _, first, own = np.unique(np.round((points - points.min(0)) / step), axis=0, return_index=True, return_inverse=True)
    points, triangles = points[first], own.ravel()[triangles]
    flat = (
        (triangles[:, 0] == triangles[:, 1])
        | (triangles[:, 1] == triangles[:, 2])
        | (triangles[:, 2] == triangles[:, 0])
    )
    triangles = triangles[~flat]
    directed = triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2)
    _, times = np.unique(np.sort(directed, axis=1), axis=0, return_counts=True)
    if np.any(times == 1):
        raise ModelError(
            f"{what} is open: {int((times == 1).sum())} edges belong to one triangle; close it before it is meshed"
        )
    if np.any(times > 2) or len(np.unique(directed, axis=0)) < len(directed):
        raise ModelError(
            f"{what} is not a surface of one solid: edges belong to more than two triangles, or triangles next to each "
            "other face opposite ways"
        )
    return points, triangles
