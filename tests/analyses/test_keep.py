"""States on disk and back; rows on disk while a run goes on."""

import sys
from pathlib import Path

import numpy as np
import pytest

import holonom as hn
from holonom.analyses import recorder
from holonom.analyses.script import ScriptRunner
from holonom.formats import parse_acf, parse_adm
from holonom.results.state import read_state

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from _tiny import TINY  # noqa: E402

MODEL = TINY.replace(", RETURN", "").replace("END\n", "DIFF/1, IC=1, FUNCTION=-DIF(1)\nEND\n")


def play(text, folder, model=MODEL):
    script = parse_acf(text, str(folder / "x.acf"))
    runner = ScriptRunner(script, parse_adm(model, "tiny.adm"), progress=False, error=1e-10)
    return runner.run(), runner


def last(run):
    return run.part("PART_2").position.values[-1]


def test_save_and_reload(tmp_path):
    """To 0.3, saved, on to 0.6; a second session goes on from the file; a third goes back by itself."""
    whole, _ = play("deact/sensor\nsim/dyn, end=0.3, steps=3\nsave/system, file=a.h5\nsim/dyn, end=0.6, steps=3\n", tmp_path)
    saved = read_state(tmp_path / "a.h5")
    assert saved.time == pytest.approx(0.3) and saved.state["DIFF", 1] == pytest.approx(np.exp(-0.3), abs=1e-8)
    assert saved.disabled == {7}
    later, runner = play("reload/system, file=a.h5\nsim/dyn, end=0.6, steps=3\n", tmp_path)
    assert later.time[0] == pytest.approx(0.3) and runner.simulation.carried.disabled == {7}
    assert last(later) == pytest.approx(last(whole), abs=1e-9)
    assert later.data.state_values[-1, 0] == pytest.approx(np.exp(-0.6), abs=1e-8)
    text = "deact/sensor\nsim/dyn, end=0.3, steps=3\nsave/states, buffer=b\nsim/dyn, end=0.5, steps=2\nreload/states, buffer=b\nsim/dyn, end=0.6, steps=3\n"
    again, _ = play(text, tmp_path)
    assert last(again) == pytest.approx(last(whole), abs=1e-9)
    assert [round(s.end - s.start) for s in again.segments] == [4, 3, 4]
    assert any("saved to a.h5 at time 0.3" in m for m in whole.info["messages"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("save/system", "x.acf:1: SAVE: give FILE = name, or STATES with BUFFER = name"),
        ("reload/states, buffer=q", "x.acf:1: RELOAD: nothing was saved in BUFFER = q"),
        ("reload/system, file=none.h5", "cannot read a saved state from .*none.h5"),
        ("reload/system, file=bad.h5", "cannot read a saved state from .*bad.h5"),
    ],
)
def test_what_cannot_be_reloaded(text, message, tmp_path):
    (tmp_path / "bad.h5").write_text("no state")
    with pytest.raises(hn.ModelError, match=message):
        play(text, tmp_path)


def test_another_model_is_refused(tmp_path):
    play("save/system, file=a.h5\n", tmp_path)
    other = MODEL.replace("MARKER/21, PART=2", "MARKER/21, PART=2\nMARKER/22, PART=2")
    with pytest.raises(hn.ModelError, match="other elements of kind MARKER"):
        play("reload/system, file=a.h5\n", tmp_path, other)
    run, _ = play("reload/states, file=a.h5\nsim/dyn, end=0.1, steps=1\n", tmp_path, other)
    assert run.time[-1] == pytest.approx(0.1)


def test_rows_are_on_disk_while_the_run_goes_on(tmp_path, monkeypatch):
    """What a killed process leaves: the file is read while it is still open."""
    monkeypatch.setattr(recorder, "KEEP_SECONDS", 0.0)
    simulation = hn.Simulation(parse_adm(TINY.replace(", RETURN", ""), "tiny.adm"), progress=False)
    simulation.recorder.file = tmp_path / "run.h5"
    simulation.dynamics(end=0.1, steps=5)
    left = hn.load(tmp_path / "run.h5")
    assert left.info["complete"] is False
    np.testing.assert_array_equal(left.time, simulation.run().time)
    np.testing.assert_array_equal(left.part("PART_2").position.values, simulation.run().part("PART_2").position.values)
    simulation.recorder.close()


def test_the_kept_file_becomes_the_result(tmp_path):
    run = hn.simulate(parse_adm(TINY.replace(", RETURN", ""), "tiny.adm"), end=0.1, steps=2, keep=tmp_path / "run.h5", progress=False)
    run.save(tmp_path / "run.h5")
    back = hn.load(tmp_path / "run.h5")
    assert back.info.get("complete", True) is not False and len(back.time) == len(run.time)
