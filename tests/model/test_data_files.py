"""SPLINE FILE and MATRIX FILE: what a file holds is what a run takes; faults are one sentence.  The files are written
here."""

import struct

import numpy as np
import pytest
from scipy.linalg import expm

import holonom
from holonom.formats import parse_adm, read_adm, write_adm
from holonom.model import ModelError
from holonom.model import data_files as df
from holonom.model.validate import faults

HEAD = """a file of numbers
UNITS/FORCE=NEWTON, MASS=KILOGRAM, LENGTH=METER, TIME=SECOND
PART/1, GROUND
MARKER/10, PART=1
PART/2, MASS=2, CM=20, IP=1,1,1
MARKER/20, PART=2
"""
SLIDER = HEAD + "JOINT/1, TRANSLATIONAL, I=20, J=10\nREQUEST/1, F2=DZ(20,10,10)\n"


def rpc(
    path,
    channels,
    dt=0.01,
    frame=8,
    group=16,
    kind="SHORT_INTEGER",
    form="BINARY",
    full_scale=32768,
    scale=0.001,
    cut=0,
    **more,
):
    """Write channels (lists of numbers) as MTS does: records of 128 bytes, then groups of PTS_PER_GROUP points of each
    channel."""
    count = len(channels[0])
    frames = -(-count // frame)
    head = {
        "FORMAT": form,
        "NUM_HEADER_BLOCKS": 0,
        "NUM_PARAMS": 0,
        "FILE_TYPE": "TIME_HISTORY",
        "DATA_TYPE": kind,
        "DELTA_T": dt,
        "CHANNELS": len(channels),
        "PTS_PER_FRAME": frame,
        "PTS_PER_GROUP": group,
        "FRAMES": frames,
        "INT_FULL_SCALE": full_scale,
        **{f"SCALE.CHAN_{k + 1}": scale * (k + 1) for k in range(len(channels))},
        **more,
    }
    head = {k: v for k, v in head.items() if v is not None}
    head["NUM_HEADER_BLOCKS"], head["NUM_PARAMS"] = -(-len(head) // 4), len(head)
    raw = b"".join(struct.pack("32s96s", k.encode(), str(v).encode()) for k, v in head.items())
    raw += bytes(512 * head["NUM_HEADER_BLOCKS"] - len(raw))
    end, letter = (">" if "BIG" in form else "<"), ("h" if kind == "SHORT_INTEGER" else "f")
    for at in range(0, frames * frame, group):
        for signal in channels:
            row = [*signal, *[0] * (frames * frame + group)][at : at + group]
            raw += struct.pack(f"{end}{group}{letter}", *row)
    path.write_bytes(raw[: len(raw) - cut])


def dataset(folder, statements, head=HEAD):
    (folder / "m.adm").write_text(head + statements + "\nEND\n")
    return read_adm(folder / "m.adm")


def points(folder, statements, number=1):
    model = dataset(folder, statements)
    return df.spline_points(model, model.table("SPLINE")[number])


# ---- RPC III ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("form", ["BINARY", "BINARY_IEEE_LITTLE_END", "BINARY_IEEE_BIG_END"])
@pytest.mark.parametrize("kind", ["SHORT_INTEGER", "FLOATING_POINT"])
def test_channels_of_a_time_history(tmp_path, form, kind):
    signals = [
        [(7 * k + 13 * c) % 101 - 50 for k in range(40)] for c in range(3)
    ]  # 40 points: groups of 16, the last not full
    rpc(tmp_path / "road.rpc", signals, form=form, kind=kind)
    for c in range(3):
        data = points(tmp_path, f"SPLINE/1, FILE=road.rpc, CHANNEL={c + 1}")
        factor = 0.001 * (c + 1) if kind == "SHORT_INTEGER" else 1.0
        assert np.allclose(data.y[0], np.array(signals[c]) * factor, rtol=1e-6, atol=0)
        assert np.allclose(data.x, 0.01 * np.arange(40)) and data.extrapolation == "constant" and data.z == ()
    assert points(tmp_path, "SPLINE/1, FILE=road.rpc, CHANNEL=1, LINEAR_EXTRAPOLATE").extrapolation == "linear"


def test_whole_numbers_of_another_full_scale(tmp_path):
    """INT_FULL_SCALE is the whole number of full scale; 32768 where the header does not say."""
    rpc(tmp_path / "a.rpc", [[1, 2, 3, 4, 5, 6, 7, 8]], full_scale=16384)
    rpc(tmp_path / "b.rpc", [[1, 2, 3, 4, 5, 6, 7, 8]], full_scale=None)
    y = [points(tmp_path, f"SPLINE/1, FILE={n}.rpc, CHANNEL=1").y[0] for n in "ab"]
    assert np.allclose(2 * y[0], y[1]) and y[1][0] == 0.001


def test_a_run_follows_a_time_history(tmp_path):
    """A slider that a history moves is where its points are; beyond the last it stays there, as Adams has it for
    histories."""
    t = 0.05 * np.arange(40)
    counts = np.round(1000 * np.sin(2 * t)).astype(int).tolist()
    rpc(tmp_path / "road.rsp", [[0] * 40, counts], dt=0.05, scale=0.0005)
    model = dataset(
        tmp_path,
        "SPLINE/3, FILE=road.rsp, CHANNEL=2\nMOTION/1, JOINT=1, TRANSLATIONAL, FUNCTION=INTERP(TIME, 1, 3)",
        SLIDER,
    )
    assert faults(model) == []
    z = column(holonom.simulate(model, end=2.5, steps=50))
    assert np.allclose(z[:40], np.array(counts) * 0.001, atol=1e-9)
    assert np.allclose(z[41:], counts[-1] * 0.001, atol=1e-9)


def column(run):
    return run.request(1).values[:, 1]


@pytest.mark.parametrize(
    "statement, text",
    [
        (
            "SPLINE/1, FILE=road.rpc",
            "CHANNEL is missing, which names the signal of an RPC III file (road.rpc); add CHANNEL = 1 or more",
        ),
        (
            "SPLINE/1, FILE=road.rpc, CHANNEL=3",
            "CHANNEL = 3, and the RPC III file road.rpc has channels 1 to 2; correct it",
        ),
        (
            "SPLINE/1, FILE=road.rpc, CHANNEL=1, BLOCK=b",
            "BLOCK = b names a block of a table, and road.rpc is an RPC III file; remove it",
        ),
        ("SPLINE/1, FILE=cut.rpc, CHANNEL=1", "the RPC III file cut.rpc ends within its data; it may be cut off"),
        (
            "SPLINE/1, FILE=ascii.rpc, CHANNEL=1",
            "the RPC III file ascii.rpc is of FORMAT ASCII, which is not read; write it as BINARY",
        ),
        ("SPLINE/1, FILE=long.rpc, CHANNEL=1", "DATA_TYPE = DOUBLE; SHORT_INTEGER and FLOATING_POINT are read"),
        ("SPLINE/1, FILE=huge.rpc, CHANNEL=1", "points, more than 2000000; cut out what is needed"),
        (
            "SPLINE/1, FILE=dt.rpc, CHANNEL=1",
            "the header of the RPC III file dt.rpc has DELTA_T = nan; write the file again",
        ),
        ("SPLINE/1, FILE=none.rpc, CHANNEL=1", "none.rpc; copy it there"),
        ("SPLINE/1, FILE=../road.rpc, CHANNEL=1", "../road.rpc is searched for next to the model only; copy it there"),
        (
            "SPLINE/1, FILE=x.dac",
            "x.dac is neither an RPC III file nor a table of text; a DAC or MATSAVE file is not read, convert it",
        ),
        (
            "SPLINE/1, FILE=t.csv, ROUTINE=lib::read",
            "its data come from a routine (ROUTINE = lib::read), which is not called here",
        ),
    ],
)
def test_faults_of_histories(tmp_path, statement, text):
    eight = [1, 2, 3, 4, 5, 6, 7, 8]
    rpc(tmp_path / "road.rpc", [eight, eight])
    rpc(tmp_path / "cut.rpc", [eight], cut=25)
    rpc(tmp_path / "ascii.rpc", [eight], form="ASCII")
    rpc(tmp_path / "long.rpc", [eight], DATA_TYPE="DOUBLE")
    rpc(tmp_path / "huge.rpc", [eight], FRAMES=10**9)
    rpc(tmp_path / "dt.rpc", [eight], dt="nan")
    (tmp_path / "x.dac").write_bytes(bytes(600))
    found = faults(dataset(tmp_path, statement))
    assert (
        len(found) == 1
        and text in found[0]
        and found[0].startswith("SPLINE/1 'SPLINE_1' (")
        and found[0].count("SPLINE/1") == 1
    )
    assert "m.adm:7" in found[0]


# ---- tables ----------------------------------------------------------------------------------------------------------
TEXTS = {
    "plain": "0 1\n1 2\n2 5\n3 10\n",
    "commas": "# of a test\ntime, force\n\n0,1\n1,2\n2,5.0D+00\n3, 1.0E1\n",
    "semicolons": "t;F\n0;1\n1;2\n2;5,0\n3;10,0\n",
    "tabs": "! note\n0\t1\n1\t2\n2\t5\n3\t10\n",
}


@pytest.mark.parametrize("name", TEXTS)
def test_tables_of_text(tmp_path, name):
    (tmp_path / "t.csv").write_text(TEXTS[name])
    data = points(tmp_path, "SPLINE/1, FILE=t.csv")
    assert list(data.x) == [0, 1, 2, 3] and list(data.y[0]) == [1, 2, 5, 10] and data.extrapolation == "parabolic"


BLOCKS = """$-------------------------------------MDI_HEADER
[MDI_HEADER]
 FILE_TYPE = 'spr'
[UNITS]
 LENGTH = 'mm'
[CURVE]
{ disp  force }
-10  -100
  0     0
 10   100
 20   250
[OTHER]
 (LEFT)
{ disp force }
0 0
1 1
2 4
3 9
 (RIGHT)
0 0
1 2
2 8
3 18
"""


def test_blocks_and_columns(tmp_path):
    (tmp_path / "p.spr").write_text(BLOCKS)
    assert list(points(tmp_path, "SPLINE/1, FILE=p.spr, BLOCK=curve").y[0]) == [-100, 0, 100, 250]
    assert list(points(tmp_path, "SPLINE/1, FILE=p.spr, BLOCK=RIGHT").y[0]) == [0, 2, 8, 18]
    (tmp_path / "w.txt").write_text("0 1 5\n1 2 6\n2 3 7\n3 4 9\n")
    assert list(points(tmp_path, "SPLINE/1, FILE=w.txt, CHANNEL=2").y[0]) == [5, 6, 7, 9]


@pytest.mark.parametrize(
    "text, more, told",
    [
        ("0 1 5\n1 2 6\n2 3 7\n3 4 9\n", "", "t.txt has 2 columns behind x; name one by CHANNEL = 1 to 2"),
        ("0 1 5\n1 2 6\n2 3 7\n3 4 9\n", ", CHANNEL=3", "CHANNEL = 3, and t.txt has 2 columns behind x; correct it"),
        ("0 1\n1\n2 3\n3 4\n", "", "t.txt, line 2: 1 numbers in a table of 2 columns; correct it"),
        (
            "0 1\n1 x\n2 3\n3 4\n",
            "",
            "t.txt, line 2: '1 x' is not a row of numbers; correct it, or mark a comment by #",
        ),
        ("0\n1\n2\n3\n", "", "t.txt has one column only; a spline needs x and y in each row"),
        ("words\n", "", "t.txt holds no row of numbers; give a table of x and y, or an RPC III file"),
        ("", "", "t.txt holds no row of numbers"),
        (
            "0 1\n1 2\n1 3\n3 4\n",
            "",
            "x must increase, but value 3 of t.txt (1) follows 1; sort them and remove doubles",
        ),
        (BLOCKS, "", "t.txt has 3 tables (CURVE, LEFT of OTHER, RIGHT of OTHER); name one by BLOCK"),
        (BLOCKS, ", BLOCK=UNITS", "t.txt has no BLOCK = UNITS with numbers; it has CURVE, OTHER, LEFT, OTHER, RIGHT"),
        ("0 1\n", ", BLOCK=b", "t.txt has no BLOCK = b with numbers; it has no blocks"),
    ],
)
def test_faults_of_tables(tmp_path, text, more, told):
    (tmp_path / "t.txt").write_text(text)
    found = faults(dataset(tmp_path, f"SPLINE/1, FILE=t.txt{more}"))
    assert len(found) == 1 and told in found[0] and found[0].count("SPLINE/1") == 1


def test_a_file_larger_than_allowed(tmp_path, monkeypatch):
    (tmp_path / "t.txt").write_text("0 1\n1 2\n2 3\n3 4\n")
    monkeypatch.setattr(df, "MAX_BYTES", 10)
    assert (
        "t.txt has 16 bytes, more than 10; cut out what is needed"
        in faults(dataset(tmp_path, "SPLINE/1, FILE=t.txt"))[0]
    )


def test_a_file_that_changes_is_read_again(tmp_path):
    (tmp_path / "t.txt").write_text("0 1\n1 2\n2 3\n3 4\n")
    model = dataset(tmp_path, "SPLINE/1, FILE=t.txt")
    assert df.spline_points(model, model.table("SPLINE")[1]).y[0][3] == 4
    (tmp_path / "t.txt").write_text("0 1\n1 2\n2 3\n3 54\n")
    assert df.spline_points(model, model.table("SPLINE")[1]).y[0][3] == 54


def test_what_excludes_each_other():
    for text, told in (
        ("SPLINE/1, FILE=a, X=1,2,3,4, Y=1,2,3,4", "FILE and X, Y exclude each other; remove one"),
        ("SPLINE/1, BLOCK=b, X=1,2,3,4, Y=1,2,3,4", "BLOCK is for data of a FILE; give FILE or remove BLOCK"),
        (
            "MATRIX/1, FILE=a, ROWS=1, COLUMNS=1, FULL=RORDER, VALUES=1",
            "FILE and VALUES exclude each other; remove one",
        ),
    ):
        with pytest.raises(ModelError, match=told):
            parse_adm(HEAD + text + "\nEND\n")


def test_the_dataset_is_written_back_with_its_files(tmp_path):
    text = "SPLINE/1, FILE=a.rpc, BLOCK=b 1, CHANNEL=4\nMATRIX/1, FILE=m.dat, NAME=trf"
    model = parse_adm(HEAD + text + "\nEND\n")
    back = parse_adm(write_adm(model))
    assert back.table("SPLINE") == model.table("SPLINE") and back.table("MATRIX") == model.table("MATRIX")
    assert (back.table("SPLINE")[1].block, back.table("SPLINE")[1].channel, back.table("MATRIX")[1].file_name) == (
        "b 1",
        4,
        "trf",
    )


# ---- matrices --------------------------------------------------------------------------------------------------------
#: the two full matrices of the manual's example, and a sparse one
ADAMSMAT = """ADAMSMAT   Floating platform example
   3
TRF  VALK  STL
TRF  FULL RORDER 4 2 8 ( 8F8.5 )
 1.36400 0.00000 0.00000 0.00000-3.54600 4.00800 0.00000 0.79900
VALK FULL CORDER 3 3 9 ( 3F6.3 )
 1.970 0.000-3.440
 0.000 4.510 6.020
-3.440 6.020 9.060
STL  SPARSE 4 5 3 (2(2I3,E10.3))
  1  2 1.500E+00  4  5-2.000E+00
  3  1 7.000E-01
"""


def matrix(folder, more="", text=ADAMSMAT):
    (folder / "prob.dat").write_text(text)
    model = dataset(folder, f"MATRIX/1, FILE=prob.dat{more}")
    return df.matrix_values(model, model.table("MATRIX")[1])


def test_matrices_of_the_manual(tmp_path):
    assert matrix(tmp_path, ", NAME=trf").tolist() == [[1.364, 0], [0, 0], [-3.546, 4.008], [0, 0.799]]
    assert matrix(tmp_path, ", NAME=VALK").tolist() == [[1.97, 0, -3.44], [0, 4.51, 6.02], [-3.44, 6.02, 9.06]]
    stl = np.zeros((4, 5))
    stl[0, 1], stl[3, 4], stl[2, 0] = 1.5, -2, 0.7
    assert np.allclose(matrix(tmp_path, ", NAME=STL"), stl)
    one = (
        "ADAMSMAT2\n1\nA\nA FULL CORDER 2 3 6 (1P3E12.4)\n  1.0000E+00  2.0000D+00  3.0000E+00\n  4.0000E+00  "
        "5.0000E+00  6.0000E+00\n"
    )
    assert matrix(tmp_path, text=one).tolist() == [[1, 3, 5], [2, 4, 6]]
    assert (
        matrix(tmp_path, text=one.replace("1P3E12.4", "3(F12.4)").replace("  6.0000E+00", "       60000"))[1, 2] == 6
    )  # F12.4 puts the point


def test_state_matrices_are_read_back(tmp_path):
    """What LINEAR/STATEMAT writes in the FSAVE layout, with and without the header that Adams requires."""
    from holonom.results.state_space import StateSpace

    A, B, C, D = np.array([[0, 1.25], [-4, -0.5]]), np.array([[0], [1 / 3]]), np.array([[1.0, 0]]), np.array([[0.0]])
    system = StateSpace(A, B, C, D, ["x", "v"], ["u"], ["y"])
    system.save(tmp_path / "s.dat", "MATRIXX")
    text = (tmp_path / "s.dat").read_text()
    for begin in ("", "MATRIXx state matrices\n"):
        assert np.array_equal(matrix(tmp_path, ", NAME=A", begin + text), A) and np.array_equal(
            matrix(tmp_path, ", NAME=b", begin + text), B
        )


@pytest.mark.parametrize(
    "text, more, told",
    [
        (ADAMSMAT, "", "prob.dat holds 3 matrices (TRF, VALK, STL); give NAME = one of them"),
        (ADAMSMAT, ", NAME=X", "prob.dat has no matrix NAME = X; it has TRF, VALK, STL"),
        (ADAMSMAT, ", NAME=TRF, ROWS=2", "TRF of prob.dat is 4 x 2, not 2 x 0; correct it"),
        ("adamsmat\n", "", "prob.dat: its first line is 'adamsmat'; it must begin with ADAMSMAT, ADAMSMAT2 or MATRIXx"),
        ("", "", "it must begin with ADAMSMAT"),
        (ADAMSMAT[:180], "", "prob.dat: "),
        (ADAMSMAT.replace("4 2 8", "4 2 7"), "", "prob.dat: line 4: 7 values for 4 x 2; give 8"),
        (ADAMSMAT.replace("8F8.5", "8Z8.5"), "", "line 4: the format ( 8Z8.5 ) is not understood"),
        (ADAMSMAT.replace("8F8.5", "P8F8.5"), "", "line 4: the format ( P8F8.5 ) is not understood"),
        (ADAMSMAT.replace("4.51", "4,51"), "", "line 8: '4,510' is not a number where the format puts one"),
        (
            ADAMSMAT.replace("2(2I3,E10.3)", "2I3,2E10.3"),
            "",
            "the format of a SPARSE matrix must be of row, column and value in turn",
        ),
        (ADAMSMAT.replace("  4  5-2", "  4  6-2"), "", "line 10: position (4, 6) lies outside of 4 x 5"),
        ("ADAMSMAT\n1\nA\nA FULL RORDER 1 1 1 (" + "9" * 5000 + "X,F8.1)\n 1.0\n", "", "line 4: the format"),
        (
            "ADAMSMAT\n1\nA\nA FULL RORDER 99999 99999 1 (F8.1)\n",
            "",
            "line 4: 99999 x 99999 is more than 20000000 values",
        ),
        (
            "ADAMSMAT\n1\nA\nA FULL RORDER 1 1 1 (9999(9999(9999F8.1)))\n 1.0\n",
            "",
            "line 4: the format (9999(9999(9999F8.1))) is not understood",
        ),
    ],
)
def test_faults_of_matrices(tmp_path, text, more, told):
    (tmp_path / "prob.dat").write_text(text)
    found = faults(dataset(tmp_path, f"MATRIX/1, FILE=prob.dat{more}"))
    assert len(found) == 1 and told in found[0] and found[0].count("MATRIX/1") == 1


def test_state_equations_with_a_matrix_of_a_file(tmp_path):
    """x' = A x from a file runs to exp(A t) x0."""
    A = np.array([[-0.5, 2.0], [-2.0, -0.25]])
    rows = "\n".join("".join(f"{v:24.16E}" for v in row) for row in A)
    (tmp_path / "a.dat").write_text(f"ADAMSMAT\n1\nA\nA FULL RORDER 2 2 4 (2E24.16)\n{rows}\n")
    text = (
        "MATRIX/1, FILE=a.dat\nARRAY/1, X, SIZE=2\nARRAY/2, IC, SIZE=2, NUMBERS=1,3\nLSE/1, X=1, A=1, "
        "IC=2\nREQUEST/1, F2=ARYVAL(1,1)\n"
    )
    model = dataset(tmp_path, text + "INTEGRATOR/GSTIFF, ERROR=1E-8", HEAD + "JOINT/1, FIXED, I=20, J=10\n")
    assert faults(model) == []
    run = holonom.simulate(model, end=1.0, steps=10)
    assert abs(column(run)[-1] - (expm(A) @ [1, 3])[0]) < 1e-6


def test_a_matrix_of_the_wrong_size_is_told_at_the_state_equations(tmp_path):
    (tmp_path / "prob.dat").write_text(ADAMSMAT)
    found = faults(dataset(tmp_path, "MATRIX/1, FILE=prob.dat, NAME=TRF\nARRAY/1, X, SIZE=2\nLSE/1, X=1, A=1"))
    assert len(found) == 1 and "must be square, it is 4 x 2" in found[0]
