"""``holonom study``: status, show, export."""

import csv

import pytest
from test_store import points, study
from typer.testing import CliRunner

from holonom.cli import app


def call(*words, code=0):
    result = CliRunner().invoke(app, ["study", *map(str, words)])
    assert result.exit_code == code, result.output + result.stderr
    return result


@pytest.fixture
def file(tmp_path):
    with study(tmp_path, "partly") as s:
        s.run(points(0.1, 0.3, 0.95))
    return tmp_path / "a.study"


def test_status_show_export(file, tmp_path):
    status = call("status", file).output
    assert "stage 1, table: 1 failed, 2 ok; finished" in status and "1 x the rod is too long at 0.950" in status
    assert "0.3" in call("show", file).output and "and 2 more runs" in call("show", file, "--rows", 1).output
    assert "x = 0.3\n" in call("show", file, "--best", "f", "--largest").output
    call("export", file, tmp_path / "a.csv")
    with open(tmp_path / "a.csv", newline="", encoding="utf-8") as f:
        rows = list(csv.DictReader(f))
    assert [float(r["x"]) for r in rows] == [0.1, 0.3, 0.95] and rows[2]["status"] == "failed"


def test_bad_input(file, tmp_path):
    assert "there is no study" in call("status", tmp_path / "b.study", code=2).stderr
    assert "did you mean 'f'" in call("show", file, "--best", "ff", code=2).stderr
    assert "must be .csv, .parquet or .html" in call("export", file, tmp_path / "a.txt", code=2).stderr
