"""Cases of tests that run among the slow ones because a cheaper test of the same kind stays in the fast run: read from
`slow_cases.toml`, which names for each what stays and what the fast run then cannot find."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from pathlib import Path

import pytest

FILE = Path(__file__).with_name("slow_cases.toml")


def table() -> dict[str, dict]:
    """``folder/file.py::test`` -> ``fast``: the cases that stay, ``because``: why that is enough."""
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


def parts(nodeid: str) -> tuple[str, str]:
    """Test without its case, below ``tests``, and the case."""
    test, bracket, case = nodeid.removeprefix("tests/").partition("[")
    return test, case[:-1] if bracket else ""


def is_slow(nodeid: str, rows: dict[str, dict]) -> bool:
    test, case = parts(nodeid)
    return test in rows and case not in rows[test]["fast"]


def stale(nodeids: Iterable[str], rows: dict[str, dict]) -> list[str]:
    """A sentence for each row whose test, or a case of it, is not there though its file has been collected whole."""
    seen: dict[str, set[str]] = {}
    for nodeid in nodeids:
        test, case = parts(nodeid)
        seen.setdefault(test, set()).add(case)
    files = {test.partition("::")[0] for test in seen}
    out = []
    for test, row in rows.items():
        if test.partition("::")[0] in files:
            gone = [f"'{case}'" for case in row["fast"] if case not in seen.get(test, ())]
            if test not in seen or gone:
                what = f"case {gone[0]} of {test}" if gone and test in seen else test
                out.append(f"{FILE.name} names {what}, which does not exist; correct the row")
    return out


def mark(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark as slow what the table says; raises UsageError for rows that are out of date."""
    rows = table()
    whole = not any("::" in a for a in config.args) and not any(
        getattr(config.option, name, None) for name in ("lf", "deselect")
    )
    wrong = stale((i.nodeid for i in items), rows) if whole else []
    if wrong:
        raise pytest.UsageError("\n".join(wrong))
    for item in items:
        if is_slow(item.nodeid, rows):
            item.add_marker(pytest.mark.slow)
