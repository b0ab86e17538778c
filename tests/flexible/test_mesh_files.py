"""Meshes from files and from surfaces: what they hold comes through, and files that cannot be read state this."""

import importlib.util
import subprocess
import sys

import numpy as np
import pytest

import holonom as hn
from holonom.flexible import Material, Mesh, box, cells, cylinder, mesh_files, mesh_surface, solid

meshio = pytest.importorskip("meshio")
pytest.importorskip("skfem")
gmsh = pytest.mark.skipif(importlib.util.find_spec("gmsh") is None, reason="gmsh is absent")


def volume(mesh):
    fe = solid(mesh, Material(1.0, 0.3, 1.0))
    u = np.tile([1.0, 0, 0], len(fe.nodes))
    return u @ (fe.M @ u)


@pytest.mark.parametrize(
    "kind, ending, form",
    [(k, ".vtk", "vtk") for k in ("hexahedron", "hexahedron20", "hexahedron27", "tetra", "tetra10")]
    + [("hexahedron20", e, f) for e, f in ((".msh", "gmsh"), (".vtu", "vtu"), (".inp", "abaqus"), (".bdf", "nastran"))]
    + [("tetra10", e, f) for e, f in ((".msh", "gmsh"), (".inp", "abaqus"), (".bdf", "nastran"))],
)
def test_formats(tmp_path, kind, ending, form):
    mesh = cylinder((2, 2, 0), (2, 2, 1), 1.0, 0.5, (1, 1, 8), kind)
    path = tmp_path / f"a{ending}"
    meshio.Mesh(mesh.points, mesh.cells).write(path, file_format=form)
    found = Mesh.read(path)
    assert list(found.cells) == [kind] and np.array_equal(found.cells[kind], mesh.cells[kind])
    assert found.points == pytest.approx(mesh.points, abs=1e-5)
    assert volume(found) == pytest.approx(volume(mesh), rel=1e-5)


def test_names_and_numbers(tmp_path):
    path = tmp_path / "two.inp"
    path.write_text(
        "*Node\n10, 0., 0., 0.\n20, 1., 0., 0.\n30, 0., 1., 0.\n40, 0., 0., 1.\n50, 0., 0., -1.\n*Element, type=C3D4, "
        "elset=up\n1, 10, 20, 30, 40\n"
        "*Element, type=C3D4, elset=down\n2, 10, 30, 20, 50\n*Nset, nset=base\n10, 20, 30\n"
    )
    mesh = Mesh.read(path)
    assert list(mesh.ids) == [10, 20, 30, 40, 50]
    assert mesh.group("base") == [10, 20, 30] and mesh.regions["down"]["tetra"].tolist() == [1]
    heavy = solid(mesh, {"up": Material(1.0, 0.3, 6.0), "down": Material(1.0, 0.3, 12.0)})
    u = np.tile([1.0, 0, 0], 5)
    assert u @ (heavy.M @ u) == pytest.approx(3.0)
    nodes = ["GRID,7,,0.,0.,0.", "GRID,8,,1.,0.,0.", "GRID,9,,0.,1.,0.", "GRID,11,,0.,0.,1."]
    path = tmp_path / "one.bdf"
    path.write_text("\n".join(["CEND", "BEGIN BULK", *nodes, "CTETRA,1,5,7,8,9,11", "ENDDATA", ""]))
    mesh = Mesh.read(path)
    assert list(mesh.ids) == [7, 8, 9, 11] and list(mesh.regions) == ["5"] and volume(mesh) == pytest.approx(1 / 6)


def test_physical_groups_of_gmsh(tmp_path):
    path = tmp_path / "a.msh"
    path.write_text(
        '$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n2 1 "base"\n3 2 '
        '"steel"\n$EndPhysicalNames\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n'
        "$EndNodes\n$Elements\n2\n1 2 2 1 1 1 3 2\n2 4 2 2 1 1 2 3 4\n$EndElements\n"
    )
    mesh = Mesh.read(path)
    assert mesh.group("base") == [1, 2, 3] and mesh.regions["steel"]["tetra"].tolist() == [0]
    assert volume(mesh) == pytest.approx(1 / 6)


def test_surfaces_by_angle():
    mesh = cylinder((0, 0, 0), (0, 0, 1), 1.0, 0.5, (2, 1, 24), "hexahedron20").with_surfaces()
    assert [len(mesh.groups[f"surface {k}"]) for k in (1, 2)] == [len(mesh.groups[k]) for k in ("surface", "bore")]
    assert "surface 4" in mesh.groups and "surface 5" not in mesh.groups


@gmsh
def test_triangles_are_filled(tmp_path):
    block = box((0, 0, 0), (1, 0.5, 0.4), (2, 1, 1), "tetra")
    triangles = block.points[cells.triangles(cells.boundary(block.cells))]
    mesh = mesh_surface(triangles[:, ::-1], size=0.2)
    assert volume(mesh) == pytest.approx(0.2, rel=1e-9) and list(mesh.cells) == ["tetra10"]
    assert len(mesh.groups) == 6 and np.ptp(mesh.points[mesh.groups["surface 1"]], axis=0).min() < 1e-9
    path = tmp_path / "a.stl"
    meshio.Mesh(triangles.reshape(-1, 3) * 1e3, {"triangle": np.arange(triangles.size // 3).reshape(-1, 3)}).write(path)
    read = mesh_surface(path, size=0.2, kind="tetra", scale=1e-3)
    assert volume(read) == pytest.approx(0.2, rel=1e-6)
    with pytest.raises(hn.ModelError, match="is open: 3 edges belong to one triangle"):
        mesh_surface(triangles[1:], size=0.2)
    turned = triangles.copy()
    turned[0] = turned[0][::-1]
    with pytest.raises(hn.ModelError, match="face opposite ways"):
        mesh_surface(turned, size=0.2)
    with pytest.raises(hn.ModelError, match="would be about 1.7e.09, more than 1000000"):
        mesh_surface(triangles, size=0.001)


@gmsh
def test_drawings_are_filled(tmp_path):
    """Two blocks that touch, one with a hole, in millimetres: joined, faces and solids named."""
    path = tmp_path / "a.step"
    make = f"""
import gmsh
gmsh.initialize(readConfigFiles=False)
gmsh.option.setNumber("General.Terminal", 0)
a, b = gmsh.model.occ.addBox(0, 0, 0, 40, 30, 20), gmsh.model.occ.addCylinder(20, 15, -1, 0, 0, 22, 8)
gmsh.model.occ.cut([(3, a)], [(3, b)])
gmsh.model.occ.addBox(40, 0, 0, 20, 30, 20)
gmsh.model.occ.synchronize()
gmsh.write({str(path)!r})
"""
    subprocess.run([sys.executable, "-c", make], check=True)
    mesh = mesh_surface(path, size=0.012, scale=1e-3)
    assert volume(mesh) == pytest.approx((60 * 30 - np.pi * 64) * 20e-9, rel=2e-4)
    assert set(mesh.regions) == {"volume 1", "volume 2"} and len(mesh.groups) == 12
    holes = [
        g
        for g in mesh.groups.values()
        if np.allclose(np.hypot(*(mesh.points[g, :2] - [0.02, 0.015]).T), 0.008, rtol=1e-3)
    ]
    assert len(holes) == 1
    hn.flexible.reduce(solid(mesh, Material(2.1e11, 0.3, 7850.0)), [], 1)  # in one piece
    with pytest.raises(hn.ModelError, match=r"gmsh cannot fill '.*a.step': tetrahedra of size .* would be about"):
        mesh_surface(path, size=1e-5, scale=1e-3)
    path.write_text("no drawing")
    with pytest.raises(hn.ModelError, match="gmsh cannot fill"):
        mesh_surface(path, size=0.01)


def test_files_that_cannot_be_read(tmp_path, monkeypatch):
    path = tmp_path / "a.vtk"
    with pytest.raises(hn.ModelError, match="a.vtk' cannot be read: No such file"):
        Mesh.read(path)
    path.write_text("nothing")
    with pytest.raises(hn.ModelError, match=r"cannot be read as a mesh \(vtk\)"):
        Mesh.read(path)
    with pytest.raises(hn.ModelError, match="does not have the file ending of a mesh; use one of .msh"):
        Mesh.read(tmp_path / "a.cas")
    other = tmp_path / "a.inp"
    other.write_text("*Node\n1, 0., 0., 0.\n*INCLUDE, INPUT=/etc/passwd\n")
    with pytest.raises(hn.ModelError, match="a.inp:3: .INCLUDE references another file"):
        Mesh.read(other)
    monkeypatch.setattr(mesh_files, "SECONDS", 1e-3)
    with pytest.raises(hn.ModelError, match="cannot be read as a mesh .vtk. within 0.001 s; it may be damaged"):
        Mesh.read(path)
    empty = tmp_path / "c.bdf"
    empty.write_text("BEGIN BULK\n")
    with pytest.raises(hn.ModelError, match="has no nodes"):
        Mesh.read(empty)
    monkeypatch.undo()
    wedge = tmp_path / "b.vtk"
    points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [0, 1, 1]]
    meshio.Mesh(np.array(points, float), {"wedge": np.array([[0, 1, 2, 3, 4, 5]])}).write(wedge)
    with pytest.raises(hn.ModelError, match="has 1 cells of kind wedge, which have no elements here"):
        Mesh.read(wedge)
    for name in ("no.stl", "no.step"):
        with pytest.raises(hn.ModelError, match="there is no such file"):
            mesh_surface(tmp_path / name)
    with pytest.raises(hn.ModelError, match="size of a mesh is -1"):
        mesh_surface(np.zeros((1, 3, 3)), size=-1)
    with pytest.raises(hn.ModelError, match=r"a surface is .*; give a file of it, or triangles \(t, 3, 3\)"):
        mesh_surface(np.zeros((3, 3)))
