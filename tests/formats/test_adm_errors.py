# ruff: noqa: E501  (datasets inline)
"""Bad datasets: each error states where, what and how to fix; all errors of a file come together."""

import pytest
from test_adm_statements import BASE

from holonom.formats import parse_adm, read_adm
from holonom.formats.adams import lexer
from holonom.model import ModelError, ModelErrors

CASES = [
    ("JIONT/1, FIXED, I=20, J=10", "JIONT/1: unknown statement; did you mean JOINT?"),
    ("QQQQ/1", "QQQQ/1: unknown statement; correct the keyword"),
    ("V/1, FUNCTION=1", "the keyword 'V' abbreviates VFORCE, VTORQUE, VARIABLE; write more letters"),
    ("JOINT/1, FIXD, I=20, J=10", "JOINT/1: unknown argument 'FIXD'; did you mean FIXED?"),
    ("JOINT/1, FIXED, I=20, J=10, QZQZ=3", "unknown argument 'QZQZ'; remove it, or use one of"),
    ("JOINT/1, FIXED, I=20", "JOINT/1: J is missing; add it"),
    ("JOINT/1, I=20, J=10", "JOINT/1: its type is missing; add it"),
    ("JOINT/, FIXED, I=20, J=10", "JOINT: it has no id; write JOINT/1"),
    ("JOINT/0, FIXED, I=20, J=10", "it has no id"),
    ("JOINT/1, FIXED, I=2x, J=10", "I: '2x' is not a whole number"),
    ("JOINT/1, FIXED, I=-20, J=10", "I: -20 is not an id"),
    ("JOINT/1, FIXED, I=20, J=99", "J = 99: there is no MARKER/99; correct the id or add the statement"),
    ("JOINT/1, FIXED, I=20, J=111", "there is no MARKER/111; did you mean 11?"),
    ("JOINT/1, FIXED, REVOLUTE, I=20, J=10", "FIXED and REVOLUTE exclude each other"),
    ("JOINT/1, FIXED, I=20, I=21, J=10", "I is given twice; remove one"),
    ("JOINT/1, FIXED, I=20 J=10", "is not a whole number"),
    ("JOINT/1, SPHERICAL, I=20, J=10, IC=1", "IC is for REVOLUTE and TRANSLATIONAL joints; use ICTRAN or ICROT"),
    ("MARKER/20, PART=1", "MARKER/20: this id is taken already (line 6)"),
    ("MARKER/50, QP=1,2,3", "it belongs to no body; add PART = id"),
    ("MARKER/50, PART=1, POINT_MASS=1", "a marker belongs to one body"),
    ("MARKER/50, PART=1, QP=1,2", "QP: takes 3 values, got 2"),
    ("MARKER/50, PART=1, QP=1,2,3x", "QP: '3x' is not a number; write it as"),
    ("MARKER/50, PART=1, QP=1,2,1E999", "is too large a number"),
    ("MARKER/50, PART=7", "its body PART/7 does not exist"),
    ("VARIABLE/1, FUNCTION=SIN(TIME", "FUNCTION: 1 parenthesis is not closed"),
    ("VARIABLE/1, FUNCTION=1+", "the expression ends too early at column 3; correct the expression '1+'"),
    ("VARIABLE/1, FUNCTION=", "FUNCTION: the expression is missing"),
    ("VARIABLE/1, FUNCTION=(1, IC=2", "a parenthesis is not closed before '='"),
    ("VARIABLE/1, FUNCTION=1, 2", "a comma outside of parentheses"),
    ("VARIABLE/1, FUNCTION=TIME)", "a closing parenthesis has no opening one"),
    ("VARIABLE/1, FUNCTION=" + "(" * 300 + "1" + ")" * 300, "parentheses are nested deeper than 200"),
    ('VARIABLE/1, FUNCTION="abc', "a quote is not closed"),
    ("VARIABLE/1, FUNCTION", "argument FUNCTION needs a value; write FUNCTION = ..."),
    ("SFORCE/1, I=20, J=10, ACTIONONLY=1", "argument ACTIONONLY takes no value"),
    ("MATRIX/1, FULL=RORDER, ROWS=2, COLUMNS=2, VALUES=1,2,3", "VALUES has 3 numbers; 2 x 2 needs 4"),
    ("MATRIX/1, SPARSE, ROWS=2, COLUMNS=2, I=3, J=1, VALUES=1", "position (3, 1) lies outside of 2 x 2"),
    ("MATRIX/1, SPARSE, ROWS=2, COLUMNS=2, I=1, J=1,2, VALUES=1", "differ in length: 1, 2, 1"),
    ("MATRIX/1, SPARSE, ROWS=99999999, COLUMNS=99999999", "is more than 20000000 values"),
    ("MATRIX/1, ROWS=2", "it has no VALUES and no FILE"),
    ("SPLINE/1, X=1,2,3, Y=1,2", "Y has 2 values for 3 of X"),
    ("SPLINE/1, X=1,2, Y=1,2, Y=3,4", "each of several Y rows begins with its z value"),
    ("FIELD/1, I=20, J=10, KMATRIX=1,2,3", "KMATRIX: takes 36 values, got 3"),
    ("PART/3, EXACT=X:Q", "EXACT: 'Q' is not one of X, Y, Z, PSI, THETA, PHI"),
    ("PART/3, EXACT=X:X", "EXACT names a coordinate twice"),
    ("PART/3, IP=1,2", "IP: takes 3 or 6 values, got 2"),
    ("PART/3, GROUND", "a second GROUND part"),
    ("PART/1234567890123456789012", "this id has 22 digits"),
    ("UNITS/FORCE=NEWTN", "unknown unit of force 'NEWTN'; did you mean NEWTON?"),
    ("MOTION/1, FUNCTION=1", "it moves nothing; give JOINT = id, or I, J and one of"),
    ("MOTION/1, JOINT=1, I=20, J=10, X, FUNCTION=1", "JOINT and I, J are both given"),
    ("INTEGRATOR/GSTIFF, WSTIFF", "GSTIFF and WSTIFF exclude each other"),
    ("INTEGRATOR/PATTERN=T:X", "PATTERN: 'X' is not one of T, F, TRUE, FALSE"),
    ("INTEGRATOR/INTERPOLATE=MAYBE", "INTERPOLATE: 'MAYBE' is neither ON nor OFF"),
    ("COUPLER/1, JOINTS=1", "JOINTS: takes 2 or 3 values, got 1"),
    ("COUPLER/1, JOINTS=1,2, TYPE=R:Q", "TYPE: 'Q' is neither T nor R"),
    ("hello there", "'hello there' is not a statement; write KEYWORD/id, arguments"),
    ("PART/4\n!x\n, MASS = = 3", "MASS"),
]


@pytest.mark.parametrize(("text", "message"), CASES)
def test_messages_name_file_line_and_mend(text, message):
    with pytest.raises(ModelErrors) as caught:
        parse_adm(BASE + text + "\nEND\n", "m.adm")
    assert message in str(caught.value)
    assert all(line.startswith("m.adm:") for line in caught.value.errors)
    assert caught.value.errors[0].startswith(("m.adm:8: ", "m.adm:10: "))
    assert str(caught.value) == "\n".join(caught.value.errors)


def test_the_line_is_that_of_the_argument():
    with pytest.raises(ModelErrors, match=r"m.adm:12: MARKER/50: QP: '3x' is not a number"):
        parse_adm(BASE + "!\nMARKER/50\n! comment\n, PART = 1\n, QP = 1, 2, 3x\nEND", "m.adm")


def test_all_errors_come_together():
    with pytest.raises(ModelErrors) as caught:
        parse_adm(BASE + "JIONT/1\nMARKER/50, PART=1, QP=1,2, REULER=x,y,z\nVARIABLE/1, FUNCTION=)\nEND", "m.adm")
    assert [int(e.split(":")[1]) for e in caught.value.errors] == [8, 9, 9, 10]


def test_many_errors_stop_early():
    with pytest.raises(ModelErrors) as caught:
        parse_adm(BASE + "JIONT/1\n" * 5000, "m.adm")
    assert len(caught.value.errors) < 210


def test_lenient_reading_warns():
    text = BASE + "JIONT/1, A=3\nJOINT/1, FIXED, I=20, J=10, WOBBLE=2\nJOINT/2, FIXED, I=20, J=77\nEND"
    model = parse_adm(text, "m.adm", lenient=True)
    assert model.joints[1].type == "FIXED" and len(model.warnings) == 3
    assert model.table("FOREIGN")[1].statement == "JIONT" and not model.table("FOREIGN")[1].needed
    with pytest.raises(ModelErrors):  # what is wrong stays wrong
        parse_adm(BASE + "JOINT/1, FIXED, I=x, J=10\nEND", lenient=True)


def test_warnings():
    assert "does not end with END" in parse_adm(BASE).warnings[0]
    assert "is behind END" in parse_adm(BASE + "END\nPART/7\n").warnings[0]
    assert "GROUND" in parse_adm("t\nPART/2, MASS=1\nEND").warnings[0]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("", "no statement"),
        ("title only", "no statement"),
        (b"\x00\x01\x02\x03" * 9, "not a text file"),
        ("t\n, PART=1\nEND", "continues a statement, but none is open"),
    ],
)
def test_what_is_no_dataset(data, message):
    with pytest.raises(ModelError, match=message):
        parse_adm(data, "m.adm")


def test_limits(tmp_path, monkeypatch):
    with pytest.raises(ModelError, match="cannot be read"):
        read_adm(tmp_path / "absent.adm")
    with pytest.raises(ModelError, match="more than 100000; break it"):
        parse_adm(BASE + "VARIABLE/1, FUNCTION=1" + "+1" * 60_000 + "\nEND")
    path = tmp_path / "a.adm"
    path.write_text(BASE)
    monkeypatch.setattr(lexer, "MAX_BYTES", 10)
    with pytest.raises(ModelError, match="more than the limit of 10"):
        read_adm(path)
    monkeypatch.setattr(lexer, "MAX_STATEMENTS", 3)
    with pytest.raises(ModelError, match="more than 3 statements"):
        parse_adm(BASE)
    monkeypatch.setattr(lexer, "MAX_CONTINUATION", 3)
    with pytest.raises(ModelError, match="more than 3 lines"):
        parse_adm("t\nPART/1\n" + ", MASS=1\n" * 5)
