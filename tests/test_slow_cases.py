"""The register of cases that are slow because a cheaper one stays."""

import _slow_cases
from _slow_cases import is_slow, stale

ROWS = {"a/test_b.py::test_c": {"fast": ["1"], "because": "one stays"}, "test_d.py::test_e": {"fast": []}}


def test_cases_that_stay_are_fast():
    names = ("a/test_b.py::test_c[1]", "a/test_b.py::test_c[2[3]]", "a/test_b.py::test_other", "test_d.py::test_e")
    assert [is_slow(f"tests/{name}", ROWS) for name in names] == [False, True, False, True]


def test_rows_that_are_out_of_date_are_reported():
    whole = ["tests/a/test_b.py::test_c[1]", "tests/a/test_b.py::test_c[2]", "tests/test_d.py::test_e"]
    assert stale(whole, ROWS) == stale(["tests/test_f.py::test_g"], ROWS) == []
    (case,) = stale(whole[1:], ROWS)
    assert "names case '1' of a/test_b.py::test_c, which does not exist" in case
    (test,) = stale([*whole[:2], "tests/test_d.py::test_h"], ROWS)
    assert "names test_d.py::test_e" in test


def test_every_row_gives_its_reason():
    rows = _slow_cases.table()
    assert rows
    for name, row in rows.items():
        assert set(row) == {"fast", "because"} and len(row["because"]) > 10, name
