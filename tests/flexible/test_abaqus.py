"""Abaqus: surfaces of meshes, matrices by nodes and degrees of freedom, substructures, written as the keywords guide
has them."""

from pathlib import Path

import numpy as np
import pytest
import scipy.linalg as la

import holonom as hn
from _public_data import NEEDS
from holonom.flexible import FiniteElements, Section, Superelement, beam, read_abaqus, reduce

FE = Path(__file__).parents[3] / "shared/data/fe"


def volume(fe):
    p = fe.places[fe.faces]
    return (np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0]) * p[:, 0]).sum() / 6


@pytest.mark.parametrize("name", ["block/blockC3D8", "block/blockC3D10", "rotor/rotorDiscTest"])
def test_surfaces_are_closed(name):
    """Each edge of a triangle is that of one other, the other way round; what they enclose is the body (4 x 1 x 1 of
    the blocks)."""
    if not (FE / f"{name}.inp").exists():
        pytest.skip(f"{NEEDS}: {FE / name}.inp is absent")
    fe = read_abaqus(FE / f"{name}.inp")
    edges = np.concatenate([fe.faces[:, [0, 1]], fe.faces[:, [1, 2]], fe.faces[:, [2, 0]]])
    seen = {tuple(e) for e in edges.tolist()}
    assert len(seen) == len(edges) and all((b, a) in seen for a, b in seen)
    # of the rotor: density 7850 kg/m^3 and the mass of its matrix
    assert volume(fe) == pytest.approx(4.0 if "block" in name else 77.966051 / 7850.0, rel=1e-8)


CELL_TYPES = {
    "C3D4": "0 0 0  1 0 0  0 1 0  0 0 1",
    "C3D6": "0 0 0  1 0 0  0 1 0  0 0 1  1 0 1  0 1 1",
    "C3D8R": "0 0 0  1 0 0  1 1 0  0 1 0  0 0 1  1 0 1  1 1 1  0 1 1",
    "C3D20": "0 0 0  1 0 0  1 1 0  0 1 0  0 0 1  1 0 1  1 1 1  0 1 1  .5 0 0  1 .5 0  .5 1 0  0 .5 0  .5 0 1  1 .5 1  "
    ".5 1 1  0 .5 1  0 0 .5  1 0 .5  1 1 .5  0 1 .5",
    "C3D10M": "0 0 0  1 0 0  0 1 0  0 0 1  .5 0 0  .5 .5 0  0 .5 0  0 0 .5  .5 0 .5  0 .5 .5",
    "C3D15": "0 0 0  1 0 0  0 1 0  0 0 1  1 0 1  0 1 1  .5 0 0  .5 .5 0  0 .5 0  .5 0 1  .5 .5 1  0 .5 1  0 0 .5  1 0 "
    ".5  0 1 .5",
}


@pytest.mark.parametrize("kind", CELL_TYPES)
def test_one_element(tmp_path, kind):
    places = np.array(CELL_TYPES[kind].split(), float).reshape(-1, 3)
    ids = range(11, 11 + len(places))
    inp = tmp_path / "one.inp"
    rows = "".join(f"{n}, {x}, {y}, {z}\n" for n, (x, y, z) in zip(ids, places))
    words = [str(n) for n in ids]
    text = ",\n".join(", ".join(words[k : k + 10]) for k in range(0, len(words), 10))
    inp.write_text(f"*NODE\n{rows}*ELEMENT, TYPE={kind}, ELSET=A\n7, {text}\n")
    for what in ("STIF1", "MASS1"):
        (tmp_path / f"one_{what}.mtx").write_text("".join(f"{n},{c},{n},{c},1.\n" for n in ids for c in (1, 2, 3)))
    fe = read_abaqus(inp)
    assert volume(fe) == pytest.approx({"C3D4": 1 / 6, "C3D10M": 1 / 6, "C3D6": 0.5, "C3D15": 0.5}.get(kind, 1.0))
    middle = len(places) > 8 or kind == "C3D10M"
    assert {int(k) for k in np.unique(fe.faces)} == set(range(len(places))) and len(fe.lines) == (
        2 if middle else 1
    ) * {4: 6, 5: 9, 8: 12}[{"C3D4": 4, "C3D10M": 4, "C3D6": 5, "C3D15": 5}.get(kind, 8)]


def frame():
    fe = beam((0, 0, 0), (1, 0.2, 0), Section.rectangle(0.02, 0.03), E=2.1e11, density=7850.0, elements=8)
    return FiniteElements([2, 4, 6, 8, 10, 12, 14, 16, 18], fe.places, fe.K, fe.M, fe.lines)


def deck(path, fe):
    rows = "".join(f"{n}, {x}, {y}, {z}\n" for n, (x, y, z) in zip(fe.nodes, fe.places.tolist()))
    rows += "*ELEMENT, TYPE=B33\n" + "".join(
        f"{k + 1}, {fe.nodes[a]}, {fe.nodes[b]}\n" for k, (a, b) in enumerate(fe.lines)
    )
    path.write_text("*NODE\n" + rows)


def test_matrices_by_nodes_and_freedoms(tmp_path):
    """FORMAT=MATRIX INPUT of a frame with six degrees of freedom a node: both triangles, or one."""
    fe = frame()
    deck(tmp_path / "frame.inp", fe)
    for triangle in (False, True):
        for what, A in (("STIF1", fe.K), ("MASS1", fe.M)):
            A = A.tocoo()
            keep = A.row >= A.col if triangle else np.full(A.nnz, True)
            table = zip(A.row[keep], A.col[keep], A.data[keep])
            lines = [
                f"{fe.nodes[r // 6]},{r % 6 + 1}, {fe.nodes[c // 6]},{c % 6 + 1}, {float(v)!r}" for r, c, v in table
            ]
            (tmp_path / f"frame_{what}.mtx").write_text("\n".join(lines) + "\n")
        got = read_abaqus(tmp_path / "frame.inp")
        assert got.freedoms == 6 and len(got.lines) == 8
        for ours, theirs in ((got.K, fe.K), (got.M, fe.M)):
            assert abs(ours - theirs).max() < 1e-15 * abs(theirs).max()
    (tmp_path / "frame_MASS1.mtx").write_text("3,1,3,1,2.\n")
    with pytest.raises(hn.ModelError, match="freedom 1 of node 3; the input file has no such node"):
        read_abaqus(tmp_path / "frame.inp")


def substructure(path, ends, K, M, modes, parts=("STIFFNESS", "MASS")):
    """As *SUBSTRUCTURE MATRIX OUTPUT, OUTPUT FILE=USER DEFINED writes it: four numbers a line, lower triangle by rows;
    modes six to a node of its own."""
    extra = [1001 + k for k in range(-(-modes // 6))]
    out = [
        "**",
        "** GENERATION OF SUBSTRUCTURE",
        f"*USER ELEMENT, NODES= {len(ends) + len(extra)}, LINEAR",
        "** ELEMENT NODES",
    ]
    out += ["** " + ", ".join(str(n) for n in [*ends, *extra]), "1, 2, 3, 4, 5, 6"]
    if modes % 6:
        out.append(f"{len(ends) + len(extra)}, " + ", ".join(str(k + 1) for k in range(modes % 6)))
    for what, A in (("STIFFNESS", K), ("MASS", M)):
        if what not in parts:
            continue
        out.append(f"*MATRIX,TYPE={what}")
        for i in range(len(A)):
            row = [f"{float(v)!r}" for v in A[i, : i + 1]]
            out += [
                ", ".join(row[k : k + 4]) + (" ," if len(row[k : k + 4]) < 4 else "") for k in range(0, len(row), 4)
            ]
    path.write_text("\n".join(out) + "\n")


def test_substructure(tmp_path):
    """Retained ends and eight modes of a frame: mass and frequencies are those of the mesh that was reduced in the same
    way."""
    fe = frame()
    deck(tmp_path / "frame.inp", fe)
    K, M = fe.K.toarray(), fe.M.toarray()
    ends, b = (2, 18), np.r_[0:6, 48:54]
    i = np.setdiff1d(np.arange(54), b)
    T = np.zeros((54, 20))
    T[b, np.arange(12)] = 1.0
    T[i, :12] = -la.solve(K[np.ix_(i, i)], K[np.ix_(i, b)])
    T[i, 12:] = la.eigh(K[np.ix_(i, i)], M[np.ix_(i, i)], subset_by_index=(0, 7))[1]
    substructure(tmp_path / "z1.mtx", ends, T.T @ K @ T, T.T @ M @ T, 8)
    se = read_abaqus(tmp_path / "frame.inp", tmp_path / "z1.mtx")
    assert isinstance(se, Superelement) and se.coordinates == 8
    whole, got = reduce(fe, ends, 8, geometric=False), se.reduced(ends, 8)
    assert got.mass == pytest.approx(whole.mass) and got.inertia == pytest.approx(whole.inertia)
    assert got.frequency == pytest.approx(whole.frequency, rel=1e-7)
    # two files, one for each matrix
    substructure(tmp_path / "k.mtx", ends, T.T @ K @ T, T.T @ M @ T, 8, ("STIFFNESS",))
    substructure(tmp_path / "m.mtx", ends, T.T @ K @ T, T.T @ M @ T, 8, ("MASS",))
    assert abs(read_abaqus(tmp_path / "frame.inp", tmp_path / "k.mtx", tmp_path / "m.mtx").M - se.M).max() == 0.0
    with pytest.raises(hn.ModelError, match="has no .MATRIX, TYPE=MASS"):
        read_abaqus(tmp_path / "frame.inp", tmp_path / "k.mtx")
    text = (tmp_path / "z1.mtx").read_text()
    for old, new, says in (
        ("1, 2, 3, 4, 5, 6", "1, 2, 3", "has 210 numbers; 11 degrees of freedom require 66"),
        ("** ELEMENT NODES", "** NODES", "does not give its nodes"),
        ("** 2, 18", "** 3, 5", "none of its nodes is in the input file"),
        ("*MATRIX,TYPE=MASS", "*MATRIX,TYPE=MASS\nx, y", "z1.mtx:.*'x, y' is not a line"),
    ):
        (tmp_path / "z1.mtx").write_text(text.replace(old, new, 1))
        with pytest.raises(hn.ModelError, match=says):
            read_abaqus(tmp_path / "frame.inp", tmp_path / "z1.mtx")
