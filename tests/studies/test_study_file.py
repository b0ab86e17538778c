"""Study files on the command line, derived parameters and constraints between parameters."""

import json
import re

import pytest
from typer.testing import CliRunner

import holonom as hn
from holonom.cli import app
from holonom.model import ModelError
from holonom.studies.formulas import Formula
from holonom.studies.study_file import read_study_file

FUNCTION = """
def beam(v):
    return {"mass": v["b"] * v["h"], "stress": 6.0 / (v["b"] * v["h"] ** 2), "area": v["area"]}
"""
STUDY = """
study: beam.study
function: beam.py:beam
workers: 0
parameters:
  b: {bounds: [0.1, 2.0], unit: m}
  h: {bounds: [0.1, 2.0], unit: m}
derived: {area: b * h}
where: [h <= 8 * b]
stages:
  - design: full_factorial
    levels: 2
  - tornado:
  - minimize: mass
    subject_to: {stress: [null, 6.0], h - 4*b: [null, 0]}
    start: {b: 1.0, h: 1.5}
"""


def call(*words, code=0):
    result = CliRunner().invoke(app, ["study", *map(str, words)])
    assert result.exit_code == code, result.output + result.stderr
    return result


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "beam.py").write_text(FUNCTION)
    (tmp_path / "study.yaml").write_text(STUDY)
    return tmp_path


def test_run_and_resume(folder):
    pytest.importorskip("yaml")
    assert "there is no study" in call("resume", folder / "study.yaml", code=2).stderr
    first = call("run", folder / "study.yaml").output
    assert "stage 1, design" in first and "stage 2, tornado" in first and "stage 3, minimize" in first
    assert re.search(r"feasible, value \d.*\n  b = 0\.\d+\n  h = ", first) and "  stress = 6" in first
    held = hn.studies.load(folder / "beam.study")
    assert "the parameters do not meet h <= 8 * b" in held.failures() and len(held.failed) == 2
    row = next(r for r in held if r.ok)
    assert row.measures["area"] == row.parameters["b"] * row.parameters["h"] and "area" not in row.parameters
    best = held.store.outcome(3)  # h = 4 b and 6 / (b h^2) = 6: b = 16 ** (-1/3)
    assert best["measures"]["mass"] == pytest.approx(4 * 16 ** (-2 / 3), rel=1e-6) and best["feasible"]
    digest = held.store.digest()
    assert call("resume", folder / "study.yaml").output == first
    assert hn.studies.load(folder / "beam.study").store.digest() == digest


def test_json_needs_no_package(folder):
    data = {"function": "beam.py:beam", "workers": 0, "parameters": {"b": [0.5, 1.0], "h": {"bounds": [0.5, 1.0]}},
            "derived": {"area": "b*h"}, "stages": [{"design": "full_factorial"}]}  # fmt: skip
    (folder / "plain.json").write_text(json.dumps(data))
    output = " ".join(call("run", folder / "plain.json").output.split())
    assert "parameter 'b': [0.5, 1.0] is a list of two choices" in output and "write {bounds: [0.5, 1.0]}" in output
    assert "parameter 'h'" not in output
    assert len(hn.studies.load(folder / "plain.study")) == 4  # a list is choices, as in Python


@pytest.mark.parametrize(
    "change, text",
    [
        (("workers", "worker"), "unknown key 'worker'; did you mean 'workers'"),
        (("function:", "model: a.adm\nfunction:"), "give function .* or model"),
        (("design: full", "designs: full"), "stage 1 must begin with one of design"),
        (("full_factorial", "full_factoral"), "no design 'full_factoral'; did you mean 'full_factorial'"),
        (("levels", "level"), "stage 1 .*no argument 'level'; did you mean 'levels'"),
        (("minimize: mass", "minimize: mas"), "no measure 'mas'; did you mean 'mass'"),
        (("b * h}", "b * g}"), "derived parameter 'area': there is no parameter 'g'"),
        (("h <= 8 * b", "h + b"), "must be a comparison"),
        (("area: b", "b: b"), "'b' is a parameter already"),
    ],
)
def test_wrong_contents(folder, change, text):
    pytest.importorskip("yaml")
    (folder / "study.yaml").write_text(STUDY.replace(*change))
    result = call("run", folder / "study.yaml", code=2)
    assert re.search(text, " ".join(result.stderr.split())), result.stderr


def test_files_that_are_none(tmp_path):
    (tmp_path / "a.txt").write_text("")
    with pytest.raises(ModelError, match="neither .json nor .yaml"):
        read_study_file(tmp_path / "a.txt")
    (tmp_path / "a.json").write_text("[1]")
    with pytest.raises(ModelError, match="a study file is a table"):
        read_study_file(tmp_path / "a.json")


def test_formulas():
    f = Formula("2 * sqrt(k * m) + max(a, 0)**2 - pi", ["k", "m", "a"], "c")
    assert f({"k": 4.0, "m": 9.0, "a": 3.0}) == pytest.approx(12 + 9 - 3.141592653589793)
    chain = Formula("0 < a <= 1", ["a"], "where", comparison=True)
    assert chain({"a": 1.0}) and not chain({"a": 0.0})
    for text in ("__import__('os')", "a.b", "a[0]", "lambda: 1", "a if a else a", "'x'", "f(a", "[a]", "a(1)", "True"):
        with pytest.raises(ModelError, match="is not a formula|no function|no parameter"):
            Formula(text, ["a"], "c")
    with pytest.raises(ModelError, match=r"c: sqrt\(a\) has no value"):
        Formula("sqrt(a)", ["a"], "c")({"a": -1.0})
    with pytest.raises(ModelError, match=r"c: a\*\*1e9 has no value"):
        Formula("a**1e9", ["a"], "c")({"a": 10.0})
