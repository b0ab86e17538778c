"""Decks with coordinate systems, instances and the formats of gmsh: the mesh is where the program that wrote the file
has it."""

import math
import warnings

import numpy as np
import pytest

import holonom as hn
from holonom.flexible import Mesh, box, cylinder

meshio = pytest.importorskip("meshio")

CUBE = ((0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1))


def turned(axis, angle):
    """Rotation by an angle (rad) about an axis, by Rodrigues' formula."""
    e = np.asarray(axis, float) / np.linalg.norm(axis)
    E = np.array([[0, -e[2], e[1]], [e[2], 0, -e[0]], [-e[1], e[0], 0]])
    return np.eye(3) + math.sin(angle) * E + (1 - math.cos(angle)) * E @ E


@pytest.mark.parametrize("layout", ["free", "small", "large"])
@pytest.mark.parametrize("system", ["R", "C", "S"])
@pytest.mark.parametrize("by", ["points", "grids"])
def test_nastran_grids_in_coordinate_systems(tmp_path, layout, system, by):
    """A skewed system by points (CORD2x) or by grids (CORD1x), fields in three layouts, without BEGIN BULK,
    continuations without marks."""
    A, origin = turned((1, 2, -1), 0.7), np.array([3.0, -2.0, 1.0])
    at = np.array(CUBE, float) + (1.5, 0.75, 0.5)  # off the axis
    x, y, z = at.T
    r = np.hypot(x, y)
    local = {
        "R": at,
        "C": np.column_stack([r, np.degrees(np.arctan2(y, x)), z]),
        "S": np.column_stack([np.hypot(r, z), np.degrees(np.arctan2(r, z)), np.degrees(np.arctan2(y, x))]),
    }[system]

    def card(name, *fields):
        words = [
            f"{v:.9f}"[:8]
            if isinstance(v, float) and layout == "small"
            else f"{v:.11f}"
            if isinstance(v, float)
            else str(v)
            for v in fields
        ]
        if layout == "free":
            lines = [words[k : k + 8] for k in range(0, len(words), 8)]
            return "".join(f"{name if k == 0 else ''},{','.join(own)}\n" for k, own in enumerate(lines))
        size, width = (8, 8) if layout == "small" else (4, 16)
        lines = [words[k : k + size] for k in range(0, len(words), size)]
        if layout == "large" and len(lines) % 2:
            lines.append([])
        mark = "" if layout == "small" else "*"
        return "".join(
            f"{(name + mark if k == 0 else mark or ' '):<8}" + "".join(f"{w:<{width}}" for w in own) + "\n"
            for k, own in enumerate(lines)
        )

    three = [origin, origin + 2 * A[:, 2], origin + A[:, 0] + 0.3 * A[:, 2]]
    deck = ""
    if by == "points":
        deck += card(f"CORD2{system}", 7, 0, *three[0], *three[1], *three[2])
    else:
        deck += "".join(card("GRID", 101 + k, "", *p) for k, p in enumerate(three)) + card(
            f"CORD1{system}", 7, 101, 102, 103
        )
    deck += "".join(card("GRID", k + 1, 7, *p) for k, p in enumerate(local)) + card("CHEXA", 1, 5, *range(1, 9))
    path = tmp_path / "a.bdf"
    path.write_text(deck)
    mesh = Mesh.read(path)
    own = [list(mesh.ids).index(k) for k in range(1, 9)]
    assert mesh.points[own] == pytest.approx(origin + at @ A.T, abs=3e-4 if layout == "small" else 1e-9)
    assert mesh.points[mesh.cells["hexahedron"][0]] == pytest.approx(mesh.points[own]) and list(mesh.regions) == ["5"]


def abaqus_part(nodes=CUBE, more=""):
    rows = "".join(f"{k}, {', '.join(repr(float(v)) for v in p)}\n" for k, p in enumerate(nodes, 1))
    return f"*NODE, NSET=N\n{rows}*ELEMENT, TYPE=C3D8R, ELSET=ALL\n1, 1, 2, 3, 4, 5, 6, 7, 8\n{more}"


def test_abaqus_instances_are_placed(tmp_path):
    """Two parts, three instances: translated, turned about an axis off the origin, and both; sets by part and by
    instance."""
    path = tmp_path / "a.inp"
    path.write_text(
        f"*HEADING\n1, 2, 3 words\n*PART, NAME=P\n{abaqus_part()}*NSET, NSET=Base, GENERATE\n1, 4, 1\n*END PART\n"
        f"*PART, NAME=Q\n{abaqus_part(np.array(CUBE) * 2.0)}*END PART\n*ASSEMBLY, NAME=A\n"
        "*INSTANCE, NAME=P-1, PART=p\n*END INSTANCE\n"
        "*INSTANCE, NAME=P-2, PART=P\n1., 2., 3.\n1., 2., 3., 2., 4., 5., 30.\n*END INSTANCE\n"
        "*INSTANCE, NAME=Q-1, PART=Q\n0., 10., 0.\n*END INSTANCE\n"
        "*NSET, NSET=tip, INSTANCE=P-2\n7, 8\n*END ASSEMBLY\n*STEP\n*END STEP\n"
    )
    mesh = Mesh.read(path)
    a = np.array([1.0, 2.0, 3.0])
    second = (
        a + np.array(CUBE, float) @ turned((1, 2, 2), math.pi / 6).T
    )  # the translation comes first: its corner lies on the axis
    assert mesh.points == pytest.approx(np.vstack([CUBE, second, np.array(CUBE) * 2.0 + (0, 10, 0)]), abs=1e-12)
    assert len(mesh.cells["hexahedron"]) == 3 and list(mesh.ids) == list(range(1, 25))
    assert mesh.group("P-2.Base") == [9, 10, 11, 12] and len(mesh.group("Base")) == 8 and mesh.group("tip") == [15, 16]
    assert mesh.regions["Q-1"]["hexahedron"].tolist() == [2] and mesh.regions["ALL"]["hexahedron"].tolist() == [0, 1, 2]


def test_abaqus_local_systems(tmp_path):
    """*SYSTEM by one, two and three points until the next one; cylindrical nodes in it."""
    A = turned((0, 0, 1), 0.5)
    b = A[:, 0] * 3.0
    B = np.column_stack([(0, 1, 0), (0, 0, 1), (1, 0, 0)])
    blocks = [
        ("", np.zeros(3), np.eye(3)),
        ("*SYSTEM\n1., 2., 3.\n", np.array([1.0, 2, 3]), np.eye(3)),
        (f"*SYSTEM\n1., 0., 0., {float(1 + b[0])!r}, {float(b[1])!r}, 5.\n", np.array([1.0, 0, 0]), A),
        ("*SYSTEM\n0., 0., 4., 0., 7., 4.\n0., 1., 9.\n", np.array([0, 0, 4.0]), B),
        ("*SYSTEM\n", np.zeros(3), np.eye(3)),
    ]
    text, want = "", []
    for k, (system, origin, axes) in enumerate(blocks):
        text += f"{system}*NODE\n{2 * k + 1}, 1., 2., 3.\n*NODE, SYSTEM=C\n{2 * k + 2}, 2., 30., 5.\n"
        want += [origin + axes @ (1, 2, 3), origin + axes @ (math.sqrt(3), 1, 5)]
    path = tmp_path / "a.inp"
    path.write_text(text + "*ELEMENT, TYPE=S4R\n1, 1, 2, 3, 4\n")
    assert Mesh.read(path).points == pytest.approx(np.array(want), abs=1e-12)


@pytest.mark.parametrize(
    "text, says",
    [
        ("*NODE, SYSTEM=S\n1, 1., 2., 3.\n", "SYSTEM=S, which is not interpreted"),
        ("*NODE\n1, 0., 0., 0.\n*NGEN\n1, 11, 1\n", "NGEN is not interpreted"),
        ("*NODE, INPUT=nodes.inp\n", "NODE references another file"),
        (
            "*PART, NAME=P\n*END PART\n*ASSEMBLY, NAME=A\n*INSTANCE, NAME=I, PART=R\n*END INSTANCE\n",
            "references part R",
        ),
        (
            "*PART, NAME=P\n*END PART\n*ASSEMBLY, NAME=A\n*INSTANCE, NAME=I, INSTANCE=R\n*END INSTANCE\n",
            "without PART=",
        ),
        ("*NODE\n1, 0., 0., zero\n", "a.inp:2: '1, 0., 0., zero' is not a valid node"),
        ("*NODE\n1, 0., 0., 0.\n1, 0., 0., 1.\n", "there is a node 1 already"),
        ("*NODE\n1, 0., 0., 0.\n*ELEMENT, TYPE=C3D8\n1, 1, 1, 1\n", "has 3 nodes instead of 8"),
        ("*NODE\n1, 0., 0., 0.\n*ELEMENT, TYPE=B31\n1, 1, 9\n", "element 1 references node 9"),
        ("*NODE\n1, 0., 0., 0.\n*ELEMENT, TYPE=XYZ1\n1, 1\n", "element type XYZ1 is not known"),
        ("*SYSTEM\n0., 0., 0., 1., 0., 0.\n2., 0., 0.\n", "lie on a line"),
        (
            f"*PART, NAME=P\n{abaqus_part()}*END PART\n*PART, NAME=Q\n{abaqus_part()}*END PART\n",
            "2 parts without instances",
        ),
    ],
)
def test_abaqus_files_that_are_refused(tmp_path, text, says):
    path = tmp_path / "a.inp"
    path.write_text(text)
    with pytest.raises(hn.ModelError, match=says):
        Mesh.read(path)


def test_abaqus_matrices_of_several_instances_are_refused(tmp_path):
    path = tmp_path / "a.inp"
    path.write_text(
        f"*PART, NAME=P\n{abaqus_part()}*END PART\n*ASSEMBLY, NAME=A\n*INSTANCE, NAME=I, PART=P\n*END INSTANCE\n"
        "*INSTANCE, NAME=J, PART=P\n2., 0., 0.\n*END INSTANCE\n*END ASSEMBLY\n"
    )
    with pytest.raises(hn.ModelError, match="has 2 instances"):
        hn.flexible.read_abaqus(path)


@pytest.mark.parametrize("version, binary", [(v, b) for v in ("2.2", "4.0", "4.1") for b in (False, True)])
@pytest.mark.parametrize("kind", ["tetra10", "hexahedron20", "hexahedron27", "tetra"])
def test_gmsh_formats(tmp_path, version, binary, kind):
    """Text and binary files of meshio's own writers, read by ours."""
    mesh = cylinder((2, 2, 0), (2, 2, 1), 1.0, 0.5, (1, 1, 8), kind)
    path = tmp_path / "a.msh"
    meshio.gmsh.write(path, meshio.Mesh(mesh.points, mesh.cells), fmt_version=version, binary=binary)
    found = Mesh.read(path)
    assert np.array_equal(found.cells[kind], mesh.cells[kind]) and found.points == pytest.approx(mesh.points, abs=1e-12)


ENTITIES = {
    "4.1": "0 0 1 2\n7 0 0 0 1 1 1 1 5 0\n1 0 0 0 1 1 1 2 6 8 0\n2 0 0 0 1 1 1 0 0\n",
    "4.0": "0 0 1 2\n7 0 0 0 1 1 1 1 5 0\n1 0 0 0 1 1 1 2 6 8 0\n2 0 0 0 1 1 1 0 0\n",
}


@pytest.mark.parametrize("version", ["4.0", "4.1", "2.2"])
def test_gmsh_files_with_all_elements_saved(tmp_path, version):
    """Elements of entities without a physical group next to one with two of them (SaveAll)."""
    corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, -1)]
    names = '$PhysicalNames\n3\n2 5 "base plate"\n3 6 "steel"\n3 8 "all"\n$EndPhysicalNames\n'
    nodes = "".join(f"{k} {x} {y} {z}\n" for k, (x, y, z) in zip((10, 20, 30, 40, 50), corners))
    if version == "2.2":
        body = (
            f"$Nodes\n5\n{nodes}$EndNodes\n$Elements\n4\n1 2 2 5 7 10 20 30\n2 4 2 6 1 10 20 30 40\n3 4 2 8 1 10 20 "
            "30 40\n4 4 2 0 2 10 30 20 50\n$EndElements\n"
        )
    else:
        new = version == "4.1"
        nodes = "10\n20\n30\n40\n50\n" + "".join(f"{x} {y} {z}\n" for x, y, z in corners) if new else nodes
        heads = ["2 7 2 1", "3 1 4 1", "3 2 4 1"] if new else ["7 2 2 1", "1 3 4 1", "2 3 4 1"]
        body = f"$Entities\n{ENTITIES[version]}$EndEntities\n$Nodes\n{'1 5 10 50' if new else '1 5'}\n{'3 1' if new else '1 3'} 0 5\n{nodes}$EndNodes\n"  # noqa: E501
        body += (
            f"$Elements\n{'3 3 1 3' if new else '3 3'}\n{heads[0]}\n1 10 20 30\n{heads[1]}\n2 10 20 30 "
            f"40\n{heads[2]}\n3 10 30 20 50\n$EndElements\n"
        )
    path = tmp_path / "a.msh"
    path.write_text(f"$MeshFormat\n{version} 0 8\n$EndMeshFormat\n{names}{body}")
    mesh = Mesh.read(path)
    assert mesh.cells["tetra"].tolist() == [[0, 1, 2, 3], [0, 2, 1, 4]] and list(mesh.ids) == [10, 20, 30, 40, 50]
    assert mesh.group("base plate") == [10, 20, 30]
    assert mesh.regions["steel"]["tetra"].tolist() == mesh.regions["all"]["tetra"].tolist() == [0]
    for cut in (100, len(body) // 2 + 120, len(body)):  # damaged files are refused in a sentence
        path.write_text(f"$MeshFormat\n{version} 0 8\n$EndMeshFormat\n{names}{body}"[:cut])
        with pytest.raises(hn.ModelError, match="a.msh"):
            Mesh.read(path)


def test_gmsh_files_that_are_refused(tmp_path):
    path = tmp_path / "a.msh"
    for text, says in (
        ("$MeshFormat\n1 0 8\n$EndMeshFormat\n", "is not a mesh of gmsh in format"),
        ("words", "is not a mesh of gmsh in format"),
        ("$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n$EndNodes\n", "has no section .Elements"),
        (
            "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n99999999999 1\n$EndNodes\n$Elements\n0\n$EndElements\n",
            "may be damaged",
        ),
    ):
        path.write_text(text)
        with pytest.raises(hn.ModelError, match=says):
            Mesh.read(path)


def test_middle_nodes_of_nastran_bricks(tmp_path):
    """CHEXA lists the middles of vertical edges before those of the top."""
    mesh = box((0, 0, 0), (1, 2, 3), (1, 1, 1), "hexahedron20")
    nodes = mesh.cells["hexahedron20"][0]
    nastran = [*nodes[:12], *nodes[16:], *nodes[12:16]]
    path = tmp_path / "a.bdf"
    grids = "".join(f"GRID,{k + 1},,{x!r},{y!r},{z!r}\n" for k, (x, y, z) in enumerate(mesh.points.tolist()))
    words = [str(k + 1) for k in nastran]
    path.write_text(f"{grids}CHEXA,1,1,{','.join(words[:6])},\n,{','.join(words[6:14])},\n,{','.join(words[14:])}\n")
    assert np.array_equal(Mesh.read(path).cells["hexahedron20"], mesh.cells["hexahedron20"])
    path.write_text(f"{grids}CTETRA,1,1,1,2,3,4,5\n")
    with pytest.raises(hn.ModelError, match="some of its middle nodes only"):
        Mesh.read(path)


def test_masses_and_ties_are_missed(tmp_path):
    """What a deck holds besides solids and shells is a warning: its mass and stiffness are not in the mesh."""
    grids = "".join(f"GRID,{k},,{float(x)},{float(y)},{float(z)}\n" for k, (x, y, z) in enumerate(CUBE, 1))
    plain = f"{grids}CHEXA,1,1,1,2,3,4,5,6,\n,7,8\nPLOTEL,7,1,2\n"
    path = tmp_path / "a.bdf"
    for more, says in (
        ("", ""),
        ("CONM2,2,1,,5.\nCONM2,3,2,,5.\nRBE2,4,1,123456,2,3\nCBAR,5,1,1,2\n", "1 CBAR, 2 CONM2, 1 RBE2 are left out"),
    ):
        path.write_text(plain + more)
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            Mesh.read(path)
        assert [says in str(w.message) for w in found] == [True] * bool(says)
    path = tmp_path / "a.inp"
    for more, says in (
        ("", ""),
        (
            "*ELEMENT, TYPE=MASS\n9, 1\n*ELEMENT, TYPE=B31\n8, 1, 2\n*MPC\nBEAM, 1, 2\n",
            "1 *MPC, 1 B31, 1 MASS are left out",
        ),
    ):
        path.write_text(abaqus_part() + more)
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            Mesh.read(path)
        assert [says in str(w.message) for w in found] == [True] * bool(says)
