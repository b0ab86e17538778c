# ruff: noqa: E501  (datasets inline)
"""Damaged files: nothing but `ModelError`, in bounded time; and what is still read is written back the same."""

import time

import pytest
from _adams_data import plain
from _mutations import mutate
from hypothesis import given, settings
from hypothesis import strategies as st
from test_adams_script import parse_acf, write_acf
from test_adm_statements import BASE, CURVES, JOINTS, built
from test_view_cmd import TWO

from holonom.formats import parse_adm, parse_cmd, write_adm
from holonom.model import ModelError

DATASETS = [
    BASE
    + JOINTS
    + "MOTION/1, JOINT=1, FUNC=90D*TIME\nCOUPLER/1, JOINTS=1,2, TYPE=R:T, SCALES=-2\nFRICTION/1, JOINT=1, "
    "MU_STATIC=.4, BRISTLE=3\nEND",
    BASE
    + CURVES
    + "PTCV/1, I=20, JFLOAT=11, RM=10, CURVE=5, DISP=1,2,3\nSPLINE/1, X=1,2,3,4, Y=0, 1,2,3,4, Y=10, 5,6,7,8\nTIRE/1, "
    "FILE=a b\nEND",
    BASE + "GFORCE/1, I=20, JFLOAT=11, FX=1\\ FY=2*TIME\\FZ=IF(TIME-1:\n, 1, 2,\n, 3)\\ TX=0\\ TY=0\\ TZ=5\nREQUEST/1, "
    'F2=DX(20)\\F3=1\\, CNAMES="a", b\n'
    "STRING/1, STRING = a, b = c\nGRAPHICS/1, CYLINDER, CM=20, LENGTH=2, FILE=x y\nMATRIX/2, SPARSE, ROWS=2, "
    "COLUMNS=2, I=1,2, J=2,1, VALUES=5,-7\nEND",
    "t\n!  adams_view_name='x'\nUNITS/FORCE=NEWTON, LENGTH=MM\nINTEGRATOR/GSTIFF, ERROR=1.0D-4, PATTERN=T:F\n"
    + BASE.split("\n", 1)[1]
    + "OUTPUT/REQSAVE\nEND",
    write_adm(built()),
]
SCRIPT = (
    "a\nb\nint/hht, err=1E-7\nVARIABLE/1, FUNC= -step5(time,0,0,2,20*PI) &\n +1\nsim/dyn, end=2, dtout=.1\n"
    "DEACTIVATE/JOINT, ID=1, RANGE=3,9\nLINEAR/EIGENSOL, COORDS=1, 2\nstop\n"
)
COMMANDS = TWO + (
    'for variable_name = i start_value = 1 end_value = 3\nmarker create marker_name = (eval(".m.A.x" // RTOI(i))) '
    "location = (i*2), 0, (1inch)\nend\n"
    "constraint create joint revolute joint_name = .m.J1 i_marker_name = .m.A.i j_marker_name = .m.ground.j\n"
    "force create direct single_component_force single_component_force_name = f i_marker_name = .m.A.i j_marker_name = "
    ".m.ground.j &\n"
    ' function = "DX(.m.A.i)", "+1"\n'
)
BOUND = 10.0  # seconds; each takes a few milliseconds, machines under load vary


def attempt(read, text, lenient):
    start = time.process_time()
    try:
        return read(text, "x", lenient)
    except ModelError as error:
        assert str(error)
        return None
    finally:
        assert time.process_time() - start < BOUND


@pytest.mark.parametrize("part", range(6))
def test_damaged_datasets(part):
    survived = 0
    for seed in range(part * 250, part * 250 + 250):
        text = mutate(DATASETS[seed % len(DATASETS)], seed)
        lenient = bool(seed % 2)
        model = attempt(parse_adm, text, lenient)
        if model is not None:
            survived += 1
            assert plain(parse_adm(write_adm(model), "x", lenient)) == plain(model), seed
    assert survived > 10


def test_damaged_scripts():
    for seed in range(600):
        script = attempt(parse_acf, mutate(SCRIPT, seed), bool(seed % 2))
        if script is not None:
            assert parse_acf(write_acf(script)).commands == script.commands, seed


@pytest.mark.parametrize(
    "seeds", [range(200), pytest.param(range(200, 600), marks=pytest.mark.slow)], ids=["few", "more"]
)
def test_damaged_command_files(seeds):
    for seed in seeds:
        attempt(parse_cmd, mutate(COMMANDS, seed), bool(seed % 2))


@pytest.mark.parametrize("read", [parse_adm, parse_acf, parse_cmd])
@settings(max_examples=60, deadline=None)
@given(
    text=st.one_of(
        st.text(max_size=300),
        st.text(alphabet="PARTJOIN/=,&\\!\"'() \n123.:D{}", max_size=400),
        st.binary(max_size=200),
    )
)
def test_noise(read, text):
    if isinstance(text, bytes) and read is not parse_adm:
        text = text.decode("latin-1")
    attempt(read, text, True)


@pytest.mark.parametrize(
    "text",
    [
        "VARIABLE/1, FUNCTION=" + "\n, + 1" * 20_000,
        "PART/3, EXACT=" + "X:" * 40_000,
        "ARRAY/1, NUMBERS=" + "1,\n," * 30_000,
        "STRING/1, STRING=" + " a" * 49_000,
        "REQUEST/1, COMMENT=" + ",A" * 49_000,
        "MATRIX/1, A" + "," * 90_000,
        "VARIABLE/1, FUNCTION=" + "IF(" * 20_000,
        "TIRE/1, A=" + "(,'" * 30_000,
        "VARIABLE/1, FUNCTION=1" + " " * 90_000 + "x",
        "JOINT/1" + ", I" * 30_000,
        "!" + "adams_view_name='" * 5_000,
        ", " * 40_000,
        "PART/3" + "\n&" * 30_000,
        "GRAPHICS/1, FILE=" + ",A" * 49_000,
        "X" * 99_000,
        "X=" * 40_000,
        "PART/3" + "\n, MASS=1" * 20_000,
        "VARIABLE/1, FUNCTION=" + "a" * 99_000,
    ],
    ids=lambda t: t[:24],
)
def test_no_slow_texts(text):
    attempt(parse_adm, BASE + text + "\nEND", False)
    attempt(parse_acf, text, False)
    attempt(parse_cmd, START_MODEL + text.replace("/", " "), True)


START_MODEL = "model create model_name = m\n"
