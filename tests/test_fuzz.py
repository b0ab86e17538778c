"""Damaged datasets through reading, validation, building and assembly: a `ModelError` or an answer, in bounded time.

Nothing else may come out: no other exception, no hang.  The damage is seeded, so a failure names the case that repeats
it.
"""

import sys
import time
from pathlib import Path

import pytest

from holonom.analyses.checks.check import check
from holonom.formats import parse_adm
from holonom.model import Model, ModelError
from holonom.model.validate import faults

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parent / "formats"))
from _mutations import mutate  # noqa: E402

from _tiny import TINY  # noqa: E402

BOUND = 20.0  # seconds; each takes some ten milliseconds, machines under load vary

LOOP = """four-bar with a driver
UNITS/FORCE=NEWTON, MASS=KILOGRAM, LENGTH=MM, TIME=SECOND
PART/1, GROUND
MARKER/1, PART=1
MARKER/2, PART=1, QP=300,0,0
PART/2, MASS=1, CM=21, IP=10,10,10, QG=0,50,0
MARKER/20, PART=2, QP=0,-50,0
MARKER/21, PART=2
MARKER/22, PART=2, QP=0,50,0
PART/3, MASS=2, CM=31, IP=10,20,20, QG=150,100,0, EXACT=Z
MARKER/30, PART=3, QP=-150,0,0
MARKER/31, PART=3
MARKER/32, PART=3, QP=150,0,0
PART/4, MASS=1, CM=41, IP=10,10,10, QG=300,50,0, REULER=90D,0,0
MARKER/40, PART=4, QP=50,0,0
MARKER/41, PART=4
MARKER/42, PART=4, QP=-50,0,0
JOINT/1, REVOLUTE, I=20, J=1
JOINT/2, REVOLUTE, I=30, J=22
JOINT/3, REVOLUTE, I=40, J=32
JOINT/4, REVOLUTE, I=42, J=2
MOTION/1, JOINT=1, ROTATION, FUNCTION=360D*TIME
SPLINE/1, X=0,1,2,3,4, Y=0,1,4,9,16
VARIABLE/1, FUNCTION=AKISPL(TIME, 0, 1) + VARVAL(2)
VARIABLE/2, FUNCTION=DX(31, 1)/10
DIFF/1, FUNCTION=-DIF(1) + VARVAL(1), IC=1
SFORCE/1, TRANSLATIONAL, I=31, J=1, FUNCTION=-STEP(TIME, 0, 0, 1, 5)*VARVAL(2)
SPRINGDAMPER/1, TRANSLATIONAL, I=32, J=1, K=1, C=0.1, LENGTH=300
BUSHING/1, I=41, J=2, K=1,1,1, KT=1,1,1
REQUEST/1, FORCE, I=20, J=1
SENSOR/1, FUNCTION=TIME, GE, VALUE=1, HALT
ACCGRAV/JGRAV=-9806.65
END
"""
DATASETS = [TINY, LOOP]


def attempt(work):
    start = time.process_time()
    try:
        return work()
    except ModelError as error:
        assert str(error).strip()
        return None
    finally:
        assert time.process_time() - start < BOUND


def survives(seed: int, assemble: bool) -> bool:
    """Whether the damaged dataset of this seed could still be read."""
    text = mutate(DATASETS[seed % len(DATASETS)], seed)
    model = attempt(lambda: parse_adm(text, "damaged.adm", bool(seed % 3)))
    if model is None:
        return False
    for sentence in attempt(lambda: faults(model)):
        assert sentence.strip() and "\n" not in sentence.strip()
    twin = attempt(lambda: Model.from_json(model.to_json()))
    assert twin is not None and faults(twin) == faults(model)
    answer = check(model, assemble=assemble)  # raises nothing: faults are in the answer
    assert str(answer)
    return True


@pytest.mark.parametrize("part", range(4))
def test_damaged_datasets_validate(part):
    assert sum(survives(seed, False) for seed in range(part * 200, part * 200 + 200)) > 20


def test_damaged_datasets_assemble():
    assert sum(survives(seed, True) for seed in range(10_000, 10_150)) > 20


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
def test_many_damaged_datasets_assemble(part):
    assert sum(survives(seed, True) for seed in range(20_000 + part * 300, 20_300 + part * 300)) > 40


def test_real_datasets_cut_short(shared_data):
    """Any prefix of a real dataset is read or refused with sentences."""
    for name in ("generic_model", "test_analysis_with_spikes"):
        text = (shared_data / "adams" / "adamspy" / f"{name}.adm").read_text(encoding="latin-1")
        for k in range(0, len(text), max(1, len(text) // 25)):
            model = attempt(lambda text=text[:k], name=name: parse_adm(text, name))
            if model is not None:
                attempt(lambda model=model: faults(model))


@pytest.mark.parametrize(
    "line",
    [
        "VARIABLE/3, FUNCTION=VARVAL(3)",
        "VARIABLE/3, FUNCTION=VARVAL(4)\nVARIABLE/4, FUNCTION=VARVAL(3)",
        "MOTION/5, JOINT=1, ROTATION, FUNCTION=VARVAL(3)\nVARIABLE/3, FUNCTION=VARVAL(3)+1",
        "VARIABLE/3, FUNCTION=1/0",
        "SFORCE/9, TRANSLATIONAL, I=21, J=1, FUNCTION=EXP(1E9)",
        "SFORCE/9, TRANSLATIONAL, I=21, J=1, FUNCTION=1E308*1E308",
        "SFORCE/9, TRANSLATIONAL, I=21, J=1, FUNCTION=FX(21,1,1)",
        "SFORCE/9, TRANSLATIONAL, I=21, J=21, FUNCTION=1",
        "SFORCE/9, TRANSLATIONAL, I=1, J=1, FUNCTION=DM(1,1)",
        "SPRINGDAMPER/9, TRANSLATIONAL, I=1, J=1, K=1",
        "DIFF/9, FUNCTION=DIF1(9)+1, IC=0",
        "CURVE/9, OPEN, MATRIX=9, CURVE_POINTS",
        "MATRIX/9, FULL, RORDER, ROWS=1, COLUMNS=3, VALUES=1,2,3",
        "JOINT/9, FIXED, I=21, J=1",
        "PART/9, MASS=1",
        "PART/9, MASS=1, CM=90, IP=1,1,1\nMARKER/90, PART=9",
        "MARKER/90, PART=9",
        "MARKER/90, PART=2, ZP=0,0,0",
        "MARKER/90, PART=2, QP=1,1,1, ZP=1,1,1",
        "ARRAY/9, U, VARIABLES=77",
        "SENSOR/9, FUNCTION=1/0, GE, VALUE=1",
        "GCON/9, FUNCTION=DX(21,1)-1",
        "GCON/9, FUNCTION=1",
        "COUPLER/9, JOINTS=1,1, SCALES=1,1",
        "GEAR/9, JOINTS=1,1, CV=1",
    ],
)
def test_odd_statements(line):
    text = TINY.replace("ACCGRAV", line + "\nACCGRAV")
    model = attempt(lambda: parse_adm(text, "odd.adm"))
    if model is not None:
        assert str(check(model))
