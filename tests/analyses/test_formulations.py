"""Formulations of flexible bodies side by side."""

import csv

import numpy as np
import pytest
from typer.testing import CliRunner

import holonom as hn
from holonom.analyses.formulations import with_formulation
from holonom.cli import app
from holonom.flexible import Section, beam


def crank(E=2.1e11, thick=0.01):
    """A rod that is turned up to 10 rad/s in 0.2 s."""
    m = hn.Model("crank")
    m.gravity = (0, 0, 0)
    rod = m.part("rod", 7850.0 * 0.02 * thick, (1, 1, 1), position=(0.5, 0, 0))
    ramp = "2*(time/0.2)**3-(time/0.2)**4"
    m.motion(
        m.revolute(rod, m.ground, at=(0, 0, 0), axis=(0, 0, 1)), f"if(time-0.2: {ramp}, 10*(time-0.1), 10*(time-0.1))"
    )
    fe = beam((0, 0, 0), (1, 0, 0), Section.rectangle(0.02, thick), E=E, density=7850.0, elements=8, y=(0, 1, 0))
    m.make_flexible(rod, fe, modes=3, damping=0.01)
    return m


@pytest.fixture(scope="module")
def found():
    return hn.flexible.compare(crank, 0.3, 30, repeats=1)


def test_rows(found):
    assert [r.name for r in found.rows] == ["rigid", "KED quasi-static", "KED", "floating"]
    assert found["rigid"].deflection == 0.0 and found["rigid"].difference == pytest.approx(1.0)
    assert found["floating"].difference < 1e-3 < found["KED"].difference < 0.1
    assert found["KED"].indicator == pytest.approx(found["KED"].difference, rel=0.2)
    w = 1.875104**2 * np.sqrt(2.1e11 * 0.02 * 0.01**3 / 12 / (7850.0 * 0.02 * 0.01)) / (2 * np.pi)
    assert found["KED"].frequency == pytest.approx(w, rel=2e-3) and found["floating"].frequency == pytest.approx(
        w, rel=2e-3
    )
    assert found["floating"].part == "rod" and len(found["floating"].course) == len(found.times) == 31
    assert all(r.cpu > 0.0 for r in found.rows)
    with pytest.raises(hn.ModelError, match="'ANCF' was not compared"):
        found["ANCF"]


def test_advice(found):
    """The one with least processor time of those that do not differ; modes beyond small deformations are nobody's."""
    from holonom.analyses.formulations import _advice

    rows = {r.name: r for r in found.rows}
    told = lambda within: _advice(found.rows, rows["floating"], within)
    assert told(1e-9).startswith("use the floating frame: KED quasi-static differs by ")
    assert "use " in found.advice and "CPU s" in told(10.0)
    soft = hn.flexible.compare(crank(2e8), 0.3, 30, formulations=("floating",), repeats=1)
    assert "beyond small deformations" in soft.advice


def test_files(found, tmp_path):
    rows = list(csv.reader(found.save(tmp_path / "a.csv").open(encoding="utf-8")))
    assert rows[0][1] == "deflection [m]" and float(rows[3][1]) == found["KED"].deflection and rows[1][5] == ""
    text = found.save(tmp_path / "a.md").read_text(encoding="utf-8")
    assert text.count("\n| ") == 5 and found.advice in text
    page = found.save(tmp_path / "a.html").read_text(encoding="utf-8")
    assert "<svg" in page and "KED quasi-static" in page and "http://localhost" not in page
    with pytest.raises(hn.ModelError, match="one of these endings"):
        found.save(tmp_path / "a.xls")
    assert str(found).splitlines()[-1] == found.advice


def test_the_model_stays_as_it_is():
    m = crank()
    before = m.to_json()
    for name in ("rigid", "KED", "KED quasi-static"):
        twin = with_formulation(m, name)
        assert m.to_json() == before != twin.to_json()
    assert not with_formulation(m, "rigid").table("ATTACHMENT")


def test_who_refuses_says_so():
    m = crank()
    m.contact(
        m.sphere(m.find("PART", "rod"), (1, 0, 0), 0.05),
        m.sphere(m.ground, (0, 3, 0), 0.05),
        stiffness=1e4,
        damping=5.0,
    )
    found = hn.flexible.compare(m, 0.01, 2, formulations=("KED", "floating"), repeats=1)
    assert found["KED"].said.startswith("did not run: CONTACT/1") and np.isnan(found["KED"].difference)
    assert "did not run" in str(found)


def test_bad_arguments():
    with pytest.raises(hn.ModelError, match="is not a model"):
        hn.flexible.compare("crank.json", 0.1)
    with pytest.raises(hn.ModelError, match="model 'none' has no flexible body"):
        hn.flexible.compare(hn.Model("none"), 0.1)
    with pytest.raises(hn.ModelError, match="no formulation 'ked' to compare; choose some of rigid, KED"):
        hn.flexible.compare(crank, 0.1, formulations=("ked",))
    with pytest.raises(hn.ModelError, match="repeats is 0"):
        hn.flexible.compare(crank, 0.1, repeats=0)
    with pytest.raises(hn.ModelError, match="within is -1"):
        hn.flexible.compare(crank, 0.1, within=-1)
    with pytest.raises(AttributeError, match="no attribute 'compair'"):
        hn.flexible.compair  # noqa: B018


def test_command_line(tmp_path):
    (tmp_path / "crank.json").write_text(crank().to_json(), encoding="utf-8")
    call = lambda *words: CliRunner().invoke(app, ["compare-formulations", str(tmp_path / "crank.json"), *words])
    done = call(
        "--end", "0.05", "--steps", "5", "--only", "KED", "--only", "floating", "--out", str(tmp_path / "c.csv")
    )
    assert done.exit_code == 0 and "largest deflection [m]" in done.stdout and (tmp_path / "c.csv").is_file()
    assert call("--end", "0.05", "--only", "KEED").exit_code == 2
    assert call("--end", "0.05", "--steps", "5", "--dt", "0.01").exit_code == 2
