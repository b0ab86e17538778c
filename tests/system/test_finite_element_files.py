"""Matrices of other programs: frequencies to all digits that are known, interfaces on solids, and files that cannot be
read."""

from pathlib import Path

import numpy as np
import pytest

import holonom as hn
from _public_data import NEEDS
from holonom.flexible import read_abaqus, read_ansys, reduce

FE = Path(__file__).parents[3] / "shared/data/fe"


def public(name):
    if not (FE / name).exists():
        pytest.skip(f"{NEEDS}: {FE / name} is absent")
    return FE / name


#: Hz, of the matrices themselves (SciPy's eigh); the first of rotorDiscTest with a hundredth of the stiffness is
#: 104.6370132606 in Exudyn's tests
FREQUENCIES = {
    "rotor/rotorDiscTest.inp": (
        1046.370132606,
        1046.3701,
        1878.2409,
        2123.2970,
        2245.5211,
        2386.8793,
        2842.0473,
        2842.0473,
        3945.7171,
        3945.7171,
    ),
    "block/blockC3D8.inp": (
        438.77517,
        438.77517,
        555.88816,
        967.04027,
        967.04027,
        1028.0463,
        1097.3381,
        1538.4731,
        1538.4731,
        1610.0350,
    ),
    "block/blockC3D10.inp": (
        451.33334,
        452.00985,
        607.87020,
        1026.4594,
        1026.7416,
        1033.2591,
        1242.6494,
        1703.1122,
        1708.1623,
        1924.6180,
    ),
}
MASSES = {"rotor/rotorDiscTest.inp": 77.966051, "block/blockC3D8.inp": 11600.0, "block/blockC3D10.inp": 11600.0}


@pytest.mark.parametrize("file", FREQUENCIES)
def test_abaqus(file):
    fe = read_abaqus(public(f"{file}"))
    modal = reduce(fe, [], 10)
    assert modal.mass == pytest.approx(MASSES[file], rel=1e-7)
    assert modal.frequency / (2 * np.pi) == pytest.approx(FREQUENCIES[file], rel=1e-7)
    assert len(fe.lines) > 0


def test_ansys():
    f = lambda name: public(f"rotor/rotorAnsys{name}.txt")
    fe = read_ansys(
        f("NodalCoordinates"), f("StiffnessMatrixSparse"), f("MassMatrixSparse"), f("MatrixDofMappingVector")
    )
    modal = reduce(fe, [], 4)
    assert modal.frequency[0] / (2 * np.pi) == pytest.approx(104.6370105508, rel=1e-9)


def test_interfaces_of_solids_are_exact_in_statics():
    """A force on one node and what holds another: with few modes as with all of them."""
    fe = read_abaqus(public("block/blockC3D8.inp"))
    far = fe.places - fe.places.mean(0)
    a, b = int(far[:, 0].argmin()), int(far[:, 0].argmax())
    force = np.array([2e5, -3e5, 1e5])

    def moved(modal):
        q = modal.shapes[b, :3].T @ force / modal.frequency**2
        q -= modal.shapes[a, :3].T @ force / modal.frequency**2
        return modal.shapes[b, :3] @ q - modal.shapes[a, :3] @ q

    few, all_ = reduce(fe, [fe.nodes[a], fe.nodes[b]], 2), reduce(fe, [], 3 * len(fe.nodes) - 6)
    assert len(few.frequency) < 16 < len(all_.frequency)
    assert moved(few) == pytest.approx(moved(all_), rel=1e-6)


def test_rotor_between_bearings():
    """The solid rotor, one end in a ball joint, the other on its axis: frequencies of the mesh with these five degrees
    of freedom held."""
    from scipy.linalg import eigh

    fe = read_abaqus(public("rotor/rotorDiscTest.inp"))
    s = fe.places - fe.places.mean(0)
    axis = int(np.ptp(s, axis=0).argmax())
    across = np.delete(np.arange(3), axis)
    shaft = np.flatnonzero(np.linalg.norm(s[:, across], axis=1) < 1e-6 * np.ptp(s))
    a, b = int(shaft[np.argmin(s[shaft, axis])]), int(shaft[np.argmax(s[shaft, axis])])
    m = hn.Model()
    p = m.part("rotor", 78.0, (1, 1, 1), position=tuple(fe.places.mean(0)))
    m.spherical(p, m.ground, at=tuple(fe.places[a]))
    m.primitive("INLINE", p, m.ground, at=tuple(fe.places[b]), axis=tuple(np.eye(3)[axis]))
    m.make_flexible(p, fe, modes=12)
    w = np.sort(np.abs(hn.linearize(m).eigenvalues.imag))[::2]
    free = np.setdiff1d(np.arange(3 * len(fe.nodes)), [*(3 * a + np.arange(3)), *(3 * b + across)])
    K, M = (A.toarray()[np.ix_(free, free)] for A in (fe.K, fe.M))
    exact = np.sqrt(np.maximum(eigh(K, M, eigvals_only=True, subset_by_index=(0, 4)), 0.0))
    assert w[0] < 1e-3 * exact[1] and w[1:4] == pytest.approx(exact[1:4], rel=1e-3)


def test_rotation_of_a_node_of_a_solid():
    fe = read_abaqus(public("block/blockC3D8.inp"))
    at, how = fe.motion(5)
    u = np.cross([0.1, 0.2, 0.3], fe.places)
    assert how @ u.ravel()[at] == pytest.approx([*u[5], 0.1, 0.2, 0.3])


def test_files_that_cannot_be_read(tmp_path):
    inp, K, M = tmp_path / "a.inp", tmp_path / "aSTIF1.mtx", tmp_path / "aMASS1.mtx"
    with pytest.raises(hn.ModelError, match="cannot be read"):
        read_abaqus(inp)
    inp.write_text("*Node\n1, 0., 0., 0.\n2, 1., 0.\n*Element, type=C3D4\n1, 1, 2,\n1, 2\n")
    with pytest.raises(hn.ModelError, match="there is no matrix a_STIF1.mtx"):
        read_abaqus(inp)
    K.write_text("1 1 2.0\n7 7 1.0\n")
    M.write_text("1 1 one\n")
    with pytest.raises(hn.ModelError, match="has entry 7, the nodes have 6 degrees of freedom"):
        read_abaqus(inp)
    K.write_text("1 1 2.0\n")
    with pytest.raises(hn.ModelError, match="no lines of row, column, value"):
        read_abaqus(inp)
    inp.write_text("*Node\n1, x, 0., 0.\n")
    with pytest.raises(hn.ModelError, match=r"a.inp:2: '1, x, 0., 0.' is not a valid node"):
        read_abaqus(inp)
    inp.write_text("*Heading\n")
    with pytest.raises(hn.ModelError, match=r"has no \*NODE"):
        read_abaqus(inp)
    table = tmp_path / "nodes.txt"
    table.write_text("node x y z\n1 0 0 0\n1 0 0 1\n")
    with pytest.raises(hn.ModelError, match="nodes.txt:3: node 1 is there already"):
        read_ansys(table, K, M)
    table.write_text("1 0 0 0\n")
    with pytest.raises(hn.ModelError, match="not a Matrix Market file"):
        read_ansys(table, K, M)
    head = "%%MatrixMarket matrix coordinate real general\n"
    for text, says in (
        (head + "3 3 1\n1 4 2.0\n", "entries outside of its 3 rows"),
        (head + "3 3 2\n1 1 2.0\n", "it says 3 3 2 and has 1 lines"),
        (head + "3 3\n1 1 2.0\n", "it says 3 3 and has 1 lines"),
        (head.replace("real", "complex") + "3 3 1\n1 1 2.0 0.0\n", "it is complex general; write a real"),
        (head + "2 2 1\n1 1 2.0\n", "is 2 x 2; 1 nodes have three degrees of freedom each"),
    ):
        K.write_text(text)
        M.write_text(head + "3 3 1\n1 1 1.0\n")
        with pytest.raises(hn.ModelError, match=says):
            read_ansys(table, K, M)
