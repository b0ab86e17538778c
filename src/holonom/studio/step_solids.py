"""Solids of STEP files as closed triangle meshes, in a process of its own (`main`): a reader of CAD files is foreign
code, and a file at which it fails ends nothing but that process.

It reads one request as JSON from standard input (``file``, ``folder``) and writes one answer as JSON to standard
output: each solid as an STL file in the folder.  Needs Open CASCADE (extra ``cad``).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from .one_request import answer_one

ENDINGS = (".step", ".stp")
MISSING = "STEP files need Open CASCADE, which is not installed; run: pip install 'holonom[cad]', or export STL files"
DEVIATION = 1e-3  # of triangles from the surface, as a share of the size of a solid
ANGLE = 0.25  # rad between neighbouring triangles of a curved surface
SAME = 1e-9  # distance of points that are one, as a share of the size of a solid
MOST_SOLIDS = 500


def read_step_solids(path: Path) -> list[tuple[str, np.ndarray, np.ndarray, float]]:
    """Name, points (n, 3), triangles (m, 3) and exact volume of each solid of a STEP file, in millimetres (the unit of
    the file is converted).  Raises ModelError where Open CASCADE is not installed or cannot read the file."""
    from ..model import ModelError

    try:
        from OCP.BRepGProp import BRepGProp
        from OCP.GProp import GProp_GProps
        from OCP.STEPCAFControl import STEPCAFControl_Reader
        from OCP.TCollection import TCollection_ExtendedString
        from OCP.TDocStd import TDocStd_Document
        from OCP.TopAbs import TopAbs_ShapeEnum
        from OCP.TopExp import TopExp_Explorer
        from OCP.XCAFDoc import XCAFDoc_DocumentTool
    except ImportError:
        raise ModelError(MISSING) from None

    document, reader = TDocStd_Document(TCollection_ExtendedString("step")), STEPCAFControl_Reader()
    reader.SetNameMode(True)
    if int(reader.ReadFile(str(path))) != 1 or not reader.Transfer(document):
        raise ModelError(f"{path.name} is not a STEP file that can be read; export it again as AP203 or AP214")
    tool = XCAFDoc_DocumentTool.ShapeTool_s(document.Main())
    found: list[tuple[str, Any]] = []
    _collect(tool, [label for label in _children(tool.Label()) if tool.IsFree_s(label)], None, "", found)
    solids = []
    for name, shape in found:
        explorer = TopExp_Explorer(shape, TopAbs_ShapeEnum.TopAbs_SOLID)
        while explorer.More():
            solids.append((name, explorer.Current()))
            explorer.Next()
    if not solids:
        raise ModelError(f"{path.name} has no solids; export closed bodies, not surfaces")
    if len(solids) > MOST_SOLIDS:
        raise ModelError(f"{path.name} has {len(solids)} solids, more than {MOST_SOLIDS}; export fewer parts")
    out = []
    for number, (name, solid) in enumerate(solids, 1):
        volume = GProp_GProps()
        BRepGProp.VolumeProperties_s(solid, volume)
        points, triangles = _triangles(solid)
        out.append((name or f"solid {number}", points, triangles, float(volume.Mass())))
    return out


def _children(label: Any) -> list[Any]:
    from OCP.TDF import TDF_ChildIterator

    found, iterator = [], TDF_ChildIterator(label)
    while iterator.More():
        found.append(iterator.Value())
        iterator.Next()
    return found


def _collect(tool: Any, labels: list[Any], place: Any, above: str, found: list[tuple[str, Any]]) -> None:
    """Shapes of an assembly at their positions, with the names of their labels."""
    from OCP.TDataStd import TDataStd_Name
    from OCP.TDF import TDF_Label

    for label in labels:
        name, text = TDataStd_Name(), above
        if label.FindAttribute(TDataStd_Name.GetID_s(), name):
            text = name.Get().ToExtString() or above
        own = tool.GetLocation_s(label)
        at = own if place is None else place.Multiplied(own)
        referred = TDF_Label()
        if tool.IsReference_s(label) and tool.GetReferredShape_s(label, referred):
            _collect(tool, [referred], at, text, found)
        elif tool.IsAssembly_s(label):
            _collect(tool, [part for part in _children(label) if tool.IsComponent_s(part)], at, text, found)
        else:
            shape = tool.GetShape_s(label)
            found.append((text, shape if place is None else shape.Moved(place)))


def _triangles(solid: Any) -> tuple[np.ndarray, np.ndarray]:
    """Points and triangles of a solid, which face outward; points of faces that meet are one."""
    from OCP.Bnd import Bnd_Box
    from OCP.BRep import BRep_Tool
    from OCP.BRepBndLib import BRepBndLib
    from OCP.BRepMesh import BRepMesh_IncrementalMesh
    from OCP.TopAbs import TopAbs_Orientation, TopAbs_ShapeEnum
    from OCP.TopExp import TopExp_Explorer
    from OCP.TopLoc import TopLoc_Location
    from OCP.TopoDS import TopoDS

    box = Bnd_Box()
    BRepBndLib.Add_s(solid, box)
    size = float(np.sqrt(box.SquareExtent()))
    BRepMesh_IncrementalMesh(solid, DEVIATION * size, False, ANGLE, False)
    points: list[tuple[float, float, float]] = []
    triangles: list[tuple[int, int, int]] = []
    explorer = TopExp_Explorer(solid, TopAbs_ShapeEnum.TopAbs_FACE)
    while explorer.More():
        face, place = TopoDS.Face(explorer.Current()), TopLoc_Location()
        mesh = BRep_Tool.Triangulation_s(face, place)
        explorer.Next()
        if mesh is None:
            continue
        first, turn = len(points) - 1, place.Transformation()
        for k in range(1, mesh.NbNodes() + 1):
            p = mesh.Node(k).Transformed(turn)
            points.append((p.X(), p.Y(), p.Z()))
        inward = face.Orientation() == TopAbs_Orientation.TopAbs_REVERSED
        for k in range(1, mesh.NbTriangles() + 1):
            a, b, c = (first + mesh.Triangle(k).Value(n) for n in (1, 2, 3))
            triangles.append((a, c, b) if inward else (a, b, c))
    at, corners = np.array(points).reshape(-1, 3), np.array(triangles, int).reshape(-1, 3)
    _, kept, index = np.unique(np.round(at / (SAME * size)), axis=0, return_index=True, return_inverse=True)
    corners = index.reshape(-1)[corners]
    whole = (corners[:, 0] != corners[:, 1]) & (corners[:, 1] != corners[:, 2]) & (corners[:, 2] != corners[:, 0])
    return at[kept], corners[whole]


def write_stl(path: Path, points: np.ndarray, triangles: np.ndarray) -> None:
    """A binary STL file."""
    corners = points[triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    rows = np.zeros(len(triangles), np.dtype([("n", "<f4", 3), ("v", "<f4", (3, 3)), ("a", "<u2")]))
    rows["n"], rows["v"] = normals / np.where(length > 0.0, length, 1.0), corners
    path.write_bytes(bytes(80) + np.uint32(len(triangles)).tobytes() + rows.tobytes())


def solids(given: dict[str, Any]) -> dict[str, Any]:
    """The solids of the STEP file ``file`` as STL files in ``folder``: rows of name, file, size, triangles, volume."""
    from ..model import ModelError
    from ..model.mesh import MAX_TRIANGLES

    path, folder, rows = Path(given["file"]), Path(given["folder"]), []
    for number, (name, points, triangles, volume) in enumerate(read_step_solids(path), 1):
        if len(triangles) > MAX_TRIANGLES:
            raise ModelError(f"'{name}' has {len(triangles)} triangles, more than {MAX_TRIANGLES}; simplify it")
        file = folder / f"{number}.stl"
        write_stl(file, points, triangles)
        size = [float(v) for v in np.ptp(points, axis=0)]
        rows.append({"name": name, "file": file.name, "size": size, "triangles": len(triangles), "volume": volume})
    return {"solids": rows}


def main() -> None:
    """Answer one request."""
    answer_one(solids)
