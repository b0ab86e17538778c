"""Slips that are typical of datasets written by hand: each gets one sentence that names the fix."""

import pytest

import holonom
from holonom.formats import parse_adm
from holonom.model import ModelError
from holonom.model.validate import faults

HEAD = """by hand
UNITS/FORCE=NEWTON, MASS=KILOGRAM, LENGTH=METER, TIME=SECOND
PART/1, GROUND
MARKER/10, PART=1
MARKER/11, PART=1, FLOATING
PART/2, MASS=2, CM=20, IP=1,1,1
MARKER/20, PART=2
JOINT/1, TRANSLATIONAL, I=20, J=10
"""


@pytest.mark.parametrize(
    "statement, told",
    [
        (
            "JOINT/2, HINGE, I=20, J=10",
            "unknown argument 'HINGE'; remove it, or use a type that there is: REVOLUTE, TRANSLATIONAL",
        ),
        (
            "JOINT/2, I=20, J=10, TYPE=REVOLUTE",
            "unknown argument 'TYPE'; write the type as a keyword of its own, one of REVOLUTE",
        ),
        ("UNITS/MKS", "unknown argument 'MKS'; write SYSTEM = MKS"),
        ("REQUEST/1, FUNC=TIME", "FUNCTION takes USER(...) here; give expressions by F1 to F8"),
        ("# a comment", "'# a comment' is not a statement; a comment begins with !"),
        ("// a comment", "'// a comment' is not a statement; a comment begins with !"),
        ("SIMULATE/DYNAMICS, END=1", "unknown statement; it is a command: write it in a command script (.acf)"),
        ("INTEGRATOR/VALUES=3", "unknown argument 'VALUES'; remove it, or use one of"),
    ],
)
def test_errors(statement, told):
    with pytest.raises(ModelError) as caught:
        parse_adm(HEAD + statement + "\nEND\n", "t.adm")
    assert told in str(caught.value) and str(caught.value).startswith("t.adm:9: ") and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "statement, told",
    [
        ("SFORCE/1, TRANS, I=20, J=10", "SFORCE/1: it has no FUNCTION, which is taken as 0; add it"),
        ("VARIABLE/1, IC=3", "VARIABLE/1: it has no FUNCTION, which is taken as 0; add it"),
        ("VFORCE/1, I=20, JFLOAT=11, RM=10", "VFORCE/1: none of its components is given; all are taken as 0"),
        (
            "SFORCE/1, I=20, J=10, FUNCTION=1",
            "SFORCE/1: neither TRANSLATIONAL nor ROTATIONAL is given; it is taken as TRANSLATIONAL",
        ),
        (
            "MARKER/21, PART=2, REULER=0,90,0",
            "MARKER/21: REULER holds 90, in radians, which is more than a turn; write 90D where degrees are meant",
        ),
        ("MARKER/21, PART=2, REULER=0,90D,6.2831853", ""),
        ("DIF/1, IC=1, FUNCTION=-DIF(1)", ""),
    ],
)
def test_doubts(statement, told):
    model = parse_adm(HEAD + statement + "\nEND\n", "t.adm")
    assert model.warnings == ([f"t.adm:9: {told}"] if told else [])


def test_a_motion_of_the_wrong_kind_is_no_motion_of_the_right_kind():
    wrong = parse_adm(HEAD + "MOTION/1, JOINT=1, ROTATIONAL, FUNCTION=TIME\nEND\n", "t.adm")
    assert len(faults(wrong)) == 1 and "MOTION/1" in faults(wrong)[0]
    unsaid = parse_adm(HEAD + "MOTION/1, JOINT=1, FUNCTION=TIME\nEND\n", "t.adm")
    assert faults(unsaid) == [] and unsaid.table("MOTION")[1].kind == "TRANSLATIONAL"


@pytest.mark.parametrize(
    "statement, told",
    [
        ("VARIABLE/1, FUNCTION=DIF(2)", "FUNCTION: there is no DIFF/2; correct the id, or add the DIFF, at column 1"),
        ("VARIABLE/1, FUNCTION=10*SIN(T)", "unknown name 'T' at column 8; did you mean TIME?"),
    ],
)
def test_functions(statement, told):
    answer = holonom.check(parse_adm(HEAD + statement + "\nEND\n", "t.adm"))
    assert len(answer.faults) == 1 and told in answer.faults[0]
