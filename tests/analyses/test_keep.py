"""States on disk and back; rows on disk while a run continues."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import holonom as hn
from holonom.analyses.session import recorder
from holonom.analyses.session.script import ScriptRunner
from holonom.formats import parse_acf, parse_adm
from holonom.results.files.state import read_state

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
    """To 0.3, saved, on to 0.6; a second session continues from the file; a third returns by itself."""
    whole, _ = play(
        "deact/sensor\nsim/dyn, end=0.3, steps=3\nsave/system, file=a.h5\nsim/dyn, end=0.6, steps=3\n", tmp_path
    )
    saved = read_state(tmp_path / "a.h5")
    assert saved.time == pytest.approx(0.3) and saved.state["DIFF", 1] == pytest.approx(np.exp(-0.3), abs=1e-8)
    assert saved.disabled == {7}
    later, runner = play("reload/system, file=a.h5\nsim/dyn, end=0.6, steps=3\n", tmp_path)
    assert later.time[0] == pytest.approx(0.3) and runner.simulation.carried.disabled == {7}
    assert last(later) == pytest.approx(last(whole), abs=1e-9)
    assert later.data.state_values[-1, 0] == pytest.approx(np.exp(-0.6), abs=1e-8)
    text = (
        "deact/sensor\nsim/dyn, end=0.3, steps=3\nsave/states, buffer=b\nsim/dyn, end=0.5, steps=2\nreload/states, "
        "buffer=b\nsim/dyn, end=0.6, steps=3\n"
    )
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
    run = hn.simulate(
        parse_adm(TINY.replace(", RETURN", ""), "tiny.adm"), end=0.1, steps=2, keep=tmp_path / "run.h5", progress=False
    )
    run.save(tmp_path / "run.h5")
    back = hn.load(tmp_path / "run.h5")
    assert back.info.get("complete", True) is not False and len(back.time) == len(run.time)


def test_the_kept_file_of_a_run_that_ends_holds_all_of_it(tmp_path):
    """Without a further save, whatever the number of rows, and marked complete."""
    for steps in (10, 300):
        path = tmp_path / f"{steps}.h5"
        run = hn.simulate(
            parse_adm(TINY.replace(", RETURN", ""), "tiny.adm"), end=0.1, steps=steps, keep=path, progress=False
        )
        kept = hn.load(path)
        assert len(kept.time) == len(run.time) == steps + 1
        assert (
            kept.info["complete"] is True
            and run.info["complete"] is True
            and kept.info["messages"] == run.info["messages"]
        )
        assert kept.compare(run).within(relative=1e-15)
        assert run.file == kept.file == path


def test_the_kept_file_of_a_script_holds_all_of_it(tmp_path):
    script = parse_acf("sim/dyn, end=0.1, steps=3\nsim/dyn, end=0.2, steps=3\n", str(tmp_path / "x.acf"))
    run = ScriptRunner(script, parse_adm(MODEL, "tiny.adm"), progress=False, keep=tmp_path / "run.h5").run()
    kept = hn.load(tmp_path / "run.h5")
    assert kept.info["complete"] is True and np.array_equal(kept.time, run.time)


def test_a_file_that_cannot_be_kept_is_refused_before_the_run(tmp_path):
    for bad in (tmp_path / "none" / "run.h5", tmp_path):
        with pytest.raises(hn.ModelError, match="keep = "):
            hn.simulate(parse_adm(TINY, "tiny.adm"), end=0.1, steps=2, keep=bad)


def test_a_run_that_is_stopped_is_not_complete(tmp_path):
    def stop(t, row):
        if t > 0.05:
            raise KeyboardInterrupt

    run = hn.simulate(
        parse_adm(TINY, "tiny.adm"), end=0.1, steps=10, keep=tmp_path / "run.h5", follow=stop, progress=False
    )
    assert run.info["stopped"] and run.info["complete"] is False and "(interrupted)" in repr(run)
    assert hn.load(tmp_path / "run.h5").info["complete"] is False


FULL = """
import resource, sys
import holonom as hn
from holonom.analyses import recorder
from holonom.formats import parse_adm
recorder.KEEP_SECONDS = 0.0
limit, path = int(sys.argv[1]), sys.argv[2]
model = parse_adm(open(sys.argv[3]).read(), "tiny.adm")
hn.simulate(model, end=0.1, steps=2, progress=False)
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
run = hn.simulate(model, end=0.2, steps=500, keep=path, progress=False)
print(len(run), len(run.info["warnings"]))
try:
    run.save(path + ".other")
except hn.ModelError as error:
    print(error)
"""


@pytest.mark.parametrize(("limit", "some"), [(60_000, True), (3_000, False)])
def test_a_full_disk_is_a_warning_and_the_rows_before_are_kept(limit, some, tmp_path):
    """The limit of a file's size gives the errors of a full disk."""
    pytest.importorskip("resource")
    (tmp_path / "tiny.adm").write_text(TINY.replace(", RETURN", ""))
    path = tmp_path / "run.h5"
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(limit), str(path), str(tmp_path / "tiny.adm")],
        capture_output=True,
        text=True,
        env=env,
    )
    assert done.returncode == 0 and "Traceback" not in done.stderr, done.stderr[-2000:]
    rows, *said = done.stdout.splitlines()
    assert rows == "502 2" and "cannot write" in said[0]
    assert done.stderr.count("ModelWarning: rows are no longer written to disk from time") == 1
    assert done.stderr.count("ModelWarning: the run is not kept: cannot write") == 1
    assert not path.with_name("run.h5.other").exists()
    if some:
        kept = hn.load(path)
        assert 1 < len(kept.time) < 502 and kept.info["complete"] is False
        assert np.isfinite(kept.part("PART_2").position.values).all()
    else:
        assert not path.exists()  # rather than an empty one
