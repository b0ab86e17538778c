"""``holonom study``: status, show, export, model."""

import csv
import json

import pytest
from test_store import points, study
from typer.testing import CliRunner

import holonom as hn
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


def test_the_design_that_a_study_found_is_written(tmp_path):
    """By the last stage, and by the best run of a measure; before a stage has found one, and of a function, there is
    none."""
    model = hn.Model("oscillator", units="SI")
    stiffness = model.parameter("stiffness", 50.0, bounds=(20.0, 200.0), unit="N/m")
    mass = model.part("mass", 2.0, (1.0, 1.0, 1.0), position=(0.1, 0, 0))
    guide = model.translational(mass, model.ground, "guide", at=(0.1, 0, 0), axis=(1, 0, 0))
    model.spring_damper(guide.i, model.marker(model.ground, (1.0, 0, 0)), stiffness, 2.0, length=1.0, name="spring")
    (tmp_path / "machine.json").write_text(model.to_json())
    definition = {
        "model": "machine.json",
        "parameters": {"stiffness": {"bounds": [20.0, 200.0], "unit": "N/m"}},
        "analyses": {"kind": "linear"},
        "measures": {"f": {"of": "undamped_frequency", "mode": 1}},
        "workers": 0,
        "stages": [{"design": "full_factorial", "levels": 3}],
    }
    file, out = tmp_path / "tune.json", tmp_path / "best.json"
    file.write_text(json.dumps(definition))
    call("run", file)
    assert "has found a design; name a measure with --best" in call("model", file, out, code=2).stderr
    call("model", file, out, "--best", "f", "--largest")
    assert hn.Model.from_json(out.read_text()).parameters["stiffness"].value == 200.0
    file.write_text(json.dumps(definition | {"stages": [*definition["stages"], {"minimize": "f"}]}))
    call("run", file)
    call("model", file, tmp_path / "best.adm")
    assert hn.read_adams(tmp_path / "best.adm").find("SPRINGDAMPER", "spring").k == pytest.approx(20.0, rel=1e-6)
    assert "written as .json or .adm" in call("model", file, tmp_path / "best.txt", code=2).stderr
    machine = tmp_path / "machine.json"
    machine.write_text(machine.read_text() + "\n")  # its runs are of another file
    told = call("model", file, out, code=2).stderr
    assert "machine.json" in told and "since the runs of the study" in told and "--accept-changes" in told
    call("model", file, out, "--accept-changes")


def test_bad_input(file, tmp_path):
    assert "there is no study" in call("status", tmp_path / "b.study", code=2).stderr
    assert "did you mean 'f'" in call("show", file, "--best", "ff", code=2).stderr
    assert "must be .csv, .parquet or .html" in call("export", file, tmp_path / "a.txt", code=2).stderr
