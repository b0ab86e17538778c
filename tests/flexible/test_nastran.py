"""Nastran: decks written by hand in every format of fields, matrices of our own beams written as Nastran writes them,
superelements of modes."""

import numpy as np
import pytest
import scipy.linalg as la

import holonom as hn
from holonom.flexible import FiniteElements, Section, Superelement, beam, read_nastran, reduce

STEEL = {"E": 2.1e11, "density": 7850.0}


def bar(elements=4):
    return beam((0.3, 0.1, 0), (1.3, 0.6, 0.2), Section.rectangle(0.02, 0.03), elements=elements, **STEEL)


def dmig(name, A, freedoms, form=6, large=True, unit=""):
    """DMIG entries of a matrix; freedoms: (point, component) of each row."""
    A = np.asarray(A.todense()) if hasattr(A, "todense") else np.asarray(A)
    if large:
        out = [f"DMIG*   {name:<16}{0:>16}{form:>16}{2:>16}", f"*       {0:>16}"]
    else:
        out = [f"DMIG,{name},0,{form},2,0"]
    for j, (point, component) in enumerate(freedoms):
        rows = [i for i in range(j if form == 6 else 0, len(A)) if A[i, j] != 0.0]
        if not rows:
            continue
        if large:
            out.append(f"DMIG*   {name:<16}{point:>16}{component:>16}")
            out += [f"*       {freedoms[i][0]:>16}{freedoms[i][1]:>16}{A[i, j]:>16.9E}".replace("E", "D") for i in rows]
        else:
            out.append(
                f"DMIG,{name},{point},{component},,{freedoms[rows[0]][0]},{freedoms[rows[0]][1]},{float(A[rows[0], j])!r}"  # noqa: E501
            )
            out += [f",{freedoms[i][0]},{freedoms[i][1]},{float(A[i, j])!r}" for i in rows[1:]]
    return "\n".join(out) + "\n"


def grids(nodes, places, cd=""):
    return "".join(f"GRID,{n},,{x!r},{y!r},{z!r},{cd}\n" for n, (x, y, z) in zip(nodes, places.tolist()))


def six(nodes):
    return [(n, c) for n in nodes for c in range(1, 7)]


def test_beam_through_a_deck(tmp_path):
    """Free field, all digits, form 6 and 1: the same matrices, lines and frequencies."""
    fe = bar()
    lines = "".join(f"CBAR,{k + 1},1,{fe.nodes[a]},{fe.nodes[b]},0.,1.,0.\n" for k, (a, b) in enumerate(fe.lines))
    for form in (6, 1):
        deck = tmp_path / f"bar{form}.bdf"
        text = dmig("KAAX", fe.K, six(fe.nodes), form, large=False) + dmig(
            "MAAX", fe.M, six(fe.nodes), form, large=False
        )
        deck.write_text(
            "SOL 103\nCEND\nGRID = nothing yet\nBEGIN BULK\n"
            + grids(fe.nodes, fe.places)
            + lines
            + text
            + "ENDDATA\nGRID,9\n"
        )
        got = read_nastran(deck)
        assert isinstance(got, FiniteElements) and got.nodes == list(fe.nodes) and np.array_equal(got.lines, fe.lines)
        assert abs(got.K - fe.K).max() < 1e-15 * abs(fe.K).max() and abs(got.M - fe.M).max() < 1e-15 * abs(fe.M).max()
        assert reduce(got, (1, 5), 4).frequency == pytest.approx(reduce(fe, (1, 5), 4).frequency, rel=1e-9)


def test_punch_beside_the_deck_and_displacement_systems(tmp_path):
    """Large fields with D exponents in a .pch; displacements in turned, cylindrical and spherical systems return in
    basic."""
    fe = bar(3)
    from holonom.flexible.nastran import Deck, _directions, _system

    systems = "CORD2R,7,,0.1,0.2,0.3,0.5,0.4,1.1,+\n+,1.,0.2,0.\nCORD2C,8,7,0.,0.,0.,0.,0.,1.\n,1.,0.,0.\nCORD2S,9,,0.,0.,0.,0.,0.,1.\n,1.,0.,0.\n"  # noqa: E501
    (tmp_path / "axes.inc").write_text(systems)
    deck = Deck()
    from holonom.flexible.nastran import read_bulk

    read_bulk(tmp_path / "axes.inc", deck)
    cds = [7, 8, 9, 0]
    turns = [_directions(_system(deck, cd), p) for cd, p in zip(cds, fe.places)]
    for T in turns:
        assert T.T @ T == pytest.approx(np.eye(3), abs=1e-14) and np.linalg.det(T) > 0.0
    # of the cylinder: radially away from the axis of system 7
    kind, origin, axes = _system(deck, 8)
    s = axes.T @ (fe.places[1] - origin)
    assert turns[1][:, 0] @ axes == pytest.approx(np.array([s[0], s[1], 0.0]) / np.hypot(*s[:2]))
    assert turns[2][:, 0] == pytest.approx(fe.places[2] / np.linalg.norm(fe.places[2]))
    T = la.block_diag(*[t for t in turns for _ in range(2)])
    text = "BEGIN BULK\nINCLUDE 'axes.inc'\n" + "".join(
        f"GRID,{n},,{x!r},{y!r},{z!r},{cd}\n" for n, (x, y, z), cd in zip(fe.nodes, fe.places.tolist(), cds)
    )
    (tmp_path / "b.bdf").write_text(text)
    K, M = (T.T @ A.toarray() @ T for A in (fe.K, fe.M))
    (tmp_path / "b.pch").write_text("$TITLE\n" + dmig("KAAX", K, six(fe.nodes)) + dmig("MAAX", M, six(fe.nodes)))
    got = read_nastran(tmp_path / "b.bdf")
    assert abs(got.K - fe.K).max() < 2e-9 * abs(fe.K).max() and abs(got.M - fe.M).max() < 2e-9 * abs(fe.M).max()


def test_fields(tmp_path):
    """A deck by hand: small fields that touch, exponents without a letter, positions in a cylinder, GRDSET, solids and
    a skin of one hexahedron."""
    deck = tmp_path / "hand.dat"
    deck.write_text(
        "$ a cube of 2 x 2 x 2\n"
        "CORD2C  5               0.0     0.0     0.0     0.0     0.0     1.0     +A\n"
        "+A      1.0     0.0     0.0\n"
        "GRDSET          5\n"
        "GRID    1               1.414214225.    -1.\n"
        "GRID    2               1.41421445.     -1.     $ at 1, 1, -1\n"
        f"GRID*   {3:<16}{'':16}{'0.':<16}{'-1.0+0':<16}\n*       {'1.D0':<16}0\n"
        "GRID,4,0,1.,-1.,1.\n"
        "GRID    5       0       -1.     -1.     -1.0\n"
    )
    from holonom.flexible.nastran import Deck, _position, _system, read_bulk

    d = Deck()
    read_bulk(deck, d)
    at = {g: _position(_system(d, int(cp or d.default[0] or 0)), x) for g, (cp, x, cd, where) in d.grids.items()}
    assert at[2] == pytest.approx([1.0, 1.0, -1.0], abs=1e-6) and at[4] == pytest.approx([1.0, -1.0, 1.0])
    assert at[1][2] == -1.0 and np.hypot(*at[1][:2]) == pytest.approx(1.41421422)
    assert at[3] == pytest.approx([0.0, 0.0, 1.0])  # R = 0
    # as EXTSEOUT punches it: a blank before the asterisk, fields of sixteen that touch
    punch = tmp_path / "punch.pch"
    punch.write_text(
        "BEGIN SUPER     111     \n"
        "CORD2R *             101                1.25            -2.5            \n"
        "*       .125            1.25            -2.5            1.125           \n"
        "*       2.25            -2.5            .125                            \n"
        "GRID   *             901             101-.002458768782937.271236428543-4\n"
        "*       -.1036                                                          \n"
        "PLOTEL      1001     901     901\nQSET1          0    2001    THRU    2004\nSPOINT      2001    THRU    2004\n"
    )
    d = Deck()
    read_bulk(punch, d)
    assert d.scalars == {2001, 2002, 2003, 2004}
    at = _position(_system(d, 101), d.grids[901][1])
    assert at == pytest.approx([1.25 - 0.00245876878293, -2.5 + 7.271236428543e-4, 0.125 - 0.1036], rel=1e-14)
    cube = tmp_path / "cube.bdf"
    corners = [(-1, -1, -1), (1, -1, -1), (1, 1, -1), (-1, 1, -1), (-1, -1, 1), (1, -1, 1), (1, 1, 1), (-1, 1, 1)]
    entries = "".join(
        f"DMIG,{n},{k},{c},,{k},{c},1.\n" for n in ("KAAX", "MAAX") for k in range(1, 9) for c in (1, 2, 3)
    )
    heads = "DMIG,KAAX,0,6,2\nDMIG,MAAX,0,6,2\n"
    cube.write_text(
        "".join(f"GRID,{k + 1},,{float(x)},{float(y)},{float(z)}\n" for k, (x, y, z) in enumerate(corners))
        + "CHEXA   1       1       1       2       3       4       5       6\n        7       8\n"
        + heads
        + entries
    )
    fe = read_nastran(cube)
    assert fe.freedoms == 3 and len(fe.lines) == 12 and len(fe.faces) == 12
    p = fe.places[fe.faces]
    normal = np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0])
    assert np.einsum("ij,ij->i", normal, p[:, 0]).sum() / 6 == pytest.approx(
        8.0
    )  # the volume: all triangles look outwards
    assert np.all(np.einsum("ij,ij->i", normal, p.mean(1)) > 0.0)


def craig_bampton(fe, ends, modes):
    """The usual exchange form, by SciPy alone: degrees of freedom of the ends and fixed-interface modes."""
    K, M = fe.K.toarray(), fe.M.toarray()
    b = np.concatenate([6 * fe.nodes.index(n) + np.arange(6) for n in ends])
    i = np.setdiff1d(np.arange(len(K)), b)
    T = np.zeros((len(K), len(b) + modes))
    T[b, np.arange(len(b))] = 1.0
    T[i, : len(b)] = -la.solve(K[np.ix_(i, i)], K[np.ix_(i, b)])
    T[i, len(b) :] = la.eigh(K[np.ix_(i, i)], M[np.ix_(i, i)], subset_by_index=(0, modes - 1))[1]
    return T.T @ K @ T, T.T @ M @ T


def superelement(tmp_path, fe, modes=6, mix=None):
    ends = (fe.nodes[0], fe.nodes[-1])
    K, M = craig_bampton(fe, ends, modes)
    if mix is not None:  # other generalised coordinates, u_q = q + B u_b: K_qb is no longer zero
        T = np.eye(len(K))
        T[12:, :12] = mix
        K, M = T.T @ K @ T, T.T @ M @ T
    freedoms = six(ends) + [(1001 + k, 0) for k in range(modes)]
    deck = tmp_path / "se.pch"
    at = fe.places[[0, -1]]
    text = (
        grids(ends, at) + f"SPOINT,1001,THRU,{1000 + modes + 3}\nPLOTEL,5,{ends[0]},{ends[1]}\n"
    )  # three of them are not used
    text += (
        # loads and dampings next to, which nobody reads
        "DMIG,PAX,0,9,2,0,,,3\nDMIG,PAX,1,0,,1,1,2.\nDMIG,BAAX,0,6,4\n"
    )
    deck.write_text(
        "BEGIN SUPER=100\n" + text + dmig("KAAX", K, freedoms, large=False) + dmig("MAAX", M, freedoms, large=False)
    )
    return read_nastran(deck)


def test_superelement_is_the_body(tmp_path):
    """Mass, centre, inertia, frequencies and shapes at the grids are those of the whole mesh reduced in the same
    way."""
    fe = bar(12)
    fe = FiniteElements(list(fe.nodes), fe.places, fe.K, fe.M, fe.lines)
    whole = reduce(fe, (1, 13), 6, geometric=False)
    for mix in (None, np.random.default_rng(1).normal(size=(6, 12)) * 0.1):
        se = superelement(tmp_path, fe, mix=mix)
        assert isinstance(se, Superelement) and se.coordinates == 6 and len(se.lines) == 1
        if mix is not None:
            assert (
                np.abs(se.rigid(np.zeros(3))[12:]).max() > 0.01
            )  # rigid motions have a part in the coordinates of modes
        got = se.reduced((1, 13), 10)
        assert got.mass == pytest.approx(whole.mass, rel=1e-9) and got.centre == pytest.approx(whole.centre, rel=1e-9)
        assert got.inertia == pytest.approx(whole.inertia, rel=1e-8) and got.frequency == pytest.approx(
            whole.frequency, rel=1e-8
        )
        compliance = lambda body, at: np.einsum("ikn,jln,n->ikjl", body.shapes[at], body.shapes[at], body.frequency**-2)
        ours = compliance(got, [0, 1])
        assert ours == pytest.approx(compliance(whole, [0, 12]), rel=1e-6, abs=1e-9 * np.abs(ours).max())
        assert not got.S[1:].any() and not got.H.any() and not got.faults()
        assert len(se.reduced((1,), 3).frequency) == 3  # one interface: three modes of the rest


def test_superelement_in_a_model(tmp_path):
    """A pendulum of it swings as the one of the mesh does, slowly compared with its first frequency."""
    fe = beam((0, 0, 0), (1, 0, 0), Section.rectangle(0.02, 0.01), E=1e9, density=7850.0, elements=10, y=(0, 1, 0))
    fe = FiniteElements(list(fe.nodes), fe.places, fe.K, fe.M, fe.lines)
    tips = []
    for elements in (fe, superelement(tmp_path, fe, 4)):
        m = hn.Model()
        m.gravity = (0, -9.81, 0)
        p = m.part("rod", 1.57, (1, 1, 1), position=(0.5, 0, 0))
        m.revolute(p, m.ground, at=(0, 0, 0), axis=(0, 0, 1))
        m.marker_at(p, (1, 0, 0), name="tip")
        m.make_flexible(p, elements, modes=4, interfaces=(1, 11), geometric=False)
        tips.append(hn.simulate(m, end=0.4, steps=40, integrator="RADAU5", error=1e-7).marker("tip").position.values)
    bend = np.abs(tips[0] - tips[1]).max()
    assert bend < 1e-3 and np.ptp(tips[0][:, 1]) > 0.5


def test_a_superelement_that_spins_fast_is_told(tmp_path):
    fe = beam((0, 0, 0), (1, 0, 0), Section.rectangle(0.02, 0.01), E=1e9, density=7850.0, elements=6)
    fe = FiniteElements(list(fe.nodes), fe.places, fe.K, fe.M, fe.lines)
    se = superelement(tmp_path, fe, 3)
    first = se.reduced((), 3).frequency[0]
    for share, told in ((0.02, False), (0.5, True)):
        m = hn.Model()
        p = m.part("rod", 1.57, (1, 1, 1), position=(0.5, 0, 0), angular_velocity=(0, 0, share * first))
        m.make_flexible(p, se, modes=3, interfaces=(1, 7))
        warnings = hn.simulate(m, end=1e-3, steps=1, integrator="RADAU5").info["warnings"]
        assert any("spins with 50 % of its first frequency" in w for w in warnings) == told


def test_op4(tmp_path):
    """Dense and sparse ASCII matrices of all grids in the order of their ids, then scalar points."""
    fe = bar(2)
    n = fe.K.shape[0]
    (tmp_path / "g.bdf").write_text(grids(fe.nodes, fe.places))

    def write(name, A, how):
        A = A.toarray()
        rows = -n if how == "big" else n
        out = [f"{n:8d}{rows:8d}{6:8d}{2:8d}{name:8s}1P,3E23.16"]
        for j in range(n):
            at = np.flatnonzero(A[:, j])
            if how == "dense":
                strings = [np.arange(at[0], at[-1] + 1)]
                out.append(f"{j + 1:8d}{at[0] + 1:8d}{2 * len(strings[0]):8d}")
            else:
                strings = np.split(at, np.flatnonzero(np.diff(at) > 1) + 1)
                out.append(f"{j + 1:8d}{0:8d}{sum(2 * len(s) + 1 + (how == 'big') for s in strings):8d}")
            for s in strings:
                if how == "big":
                    out.append(f"{2 * len(s) + 1:8d}{s[0] + 1:8d}")
                elif how == "sparse":
                    out.append(f"{s[0] + 1 + 65536 * (2 * len(s) + 1):8d}")
                text = [f"{v:23.16E}" for v in A[s, j]]
                out += ["".join(text[k : k + 3]) for k in range(0, len(text), 3)]
        (tmp_path / f"{name}.op4").write_text("\n".join([*out, f"{n + 1:8d}{1:8d}{1:8d}", f"{1.0:23.16E}"]) + "\n")

    for how in ("dense", "sparse", "big"):
        write("K", fe.K, how)
        write("M", fe.M, how)
        got = read_nastran(tmp_path / "g.bdf", tmp_path / "K.op4", tmp_path / "M.op4")
        assert abs(got.K - fe.K).max() < 1e-14 * abs(fe.K).max() and abs(got.M - fe.M).max() < 1e-14 * abs(fe.M).max()
    text = (tmp_path / "K.op4").read_text()
    (tmp_path / "K.op4").write_text(text[: len(text) // 2])
    with pytest.raises(hn.ModelError, match="cut off"):
        read_nastran(tmp_path / "g.bdf", tmp_path / "K.op4", tmp_path / "M.op4")
    (tmp_path / "K.op4").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(hn.ModelError, match="binary OP4"):
        read_nastran(tmp_path / "g.bdf", tmp_path / "K.op4", tmp_path / "M.op4")


HEADS = "DMIG,KAAX,0,6,2\nDMIG,MAAX,0,6,2\n"


@pytest.mark.parametrize(
    "text, says",
    [
        ("GRID,1,,0.,0.,zero\n", r"a.bdf:1: GRID 1, 0., 0., zero: 'zero' is not a number; correct the entry"),
        ("GRID,1\n", "no DMIG matrix KAAX for the stiffness, but no DMIG at all"),
        ("GRID,1\nGRID,1,,1.,0.,0.\n", "there is a point 1 already"),
        ("DMIG,KAAX,1,1,,1,1,2.\n", "before the entry with 0"),
        ("DMIG,KAAX,0,9,2\nDMIG,KAAX,1,1,,1,1,2.\n", "a.bdf:1: DMIG KAAX is not a valid stiffness: it has the form 9"),
        ("DMIG,KAAX,0,6,4\n", "it is complex"),
        ("DMIG,KAAX,0,6,2\n", "no DMIG matrix MAAX for the mass, but KAAX"),
        (HEADS + "DMIG,KAAX,1,1,,1,1,2.\n", "freedom of point 1, which is neither a GRID nor an SPOINT"),
        ("GRID,1\n" + HEADS + "DMIG,KAAX,1,1,,1,1,2.\n", r"GRID 1 has the degrees of freedom \[1\]"),
        ("GRID,1\n" + HEADS + "DMIG,KAAX,1,0,,1,0,2.\n", "name GRID 1 without a component|freedom of point 1"),
        ("GRID,1,4\n" + HEADS + "".join(f"DMIG,KAAX,1,{c},,1,{c},2.\n" for c in (1, 2, 3)), "no coordinate system 4"),
        (
            "CORD2R,4,4,0.,0.,0.,0.,0.,1.\n,1.,0.,0.\nGRID,1,4\n"
            + HEADS
            + "".join(f"DMIG,KAAX,1,{c},,1,{c},2.\n" for c in (1, 2, 3)),
            "defined by itself",
        ),
        (
            "CORD2R,4,0,0.,0.,0.,0.,0.,1.\n,0.,0.,2.\nGRID,1,4\n"
            + HEADS
            + "".join(f"DMIG,KAAX,1,{c},,1,{c},2.\n" for c in (1, 2, 3)),
            "lie on a line",
        ),
        ("CTETRA,1,1,1,2,3\n", "it needs 4 grids"),
        ("INCLUDE 'a.bdf'\n", "include each other"),
        ("INCLUDE 'no.inc'\n", "no.inc' cannot be read"),
        ("SPOINT,9,THRU,2\n", "do not rise"),
    ],
)
def test_decks_that_cannot_be_read(tmp_path, text, says):
    (tmp_path / "a.bdf").write_text(text)
    with pytest.raises(hn.ModelError, match=says):
        read_nastran(tmp_path / "a.bdf")


def test_superelements_that_cannot_be(tmp_path):
    fe = bar(6)
    fe = FiniteElements(list(fe.nodes), fe.places, fe.K, fe.M, fe.lines)
    se = superelement(tmp_path, fe, 3)
    from dataclasses import replace

    with pytest.raises(hn.ModelError, match="there is no grid 4 among its 2 grids"):
        se.reduced((4,), 3)
    K = se.K.tolil()
    K[0, 0] *= 2.0
    with pytest.raises(hn.ModelError, match="resists a rigid motion along x"):
        replace(se, K=K.tocsc()).reduced((1, 7), 3)
    M = se.M.tolil()
    M[14, :] = 0.0
    M[:, 14] = 0.0
    with pytest.raises(hn.ModelError, match="its mass is not positive"):
        replace(se, M=M.tocsc()).reduced((1, 7), 3)
    K = se.K.tolil()
    K[14, :] = 0.0
    K[:, 14] = 0.0
    with pytest.raises(hn.ModelError, match="motion without stiffness"):
        replace(se, K=K.tocsc()).reduced((1, 7), 3)
    assert len(se.reduced((1, 7), 3, highest=1.0).frequency) == 6  # static shapes of both grids stay
    with pytest.raises(hn.ModelError, match="no modes in addition to the rigid motions"):
        se.reduced((1,), 3, highest=1.0)
    with pytest.raises(hn.ModelError, match="not symmetric"):
        K = se.K.tolil()
        K[0, 6] *= 2.0
        replace(se, K=K.tocsc()).reduced((1, 7), 3)
