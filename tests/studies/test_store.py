"""The store and the runner: what is kept, what survives a kill, what a study refuses."""

import functools
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import holonom as hn
from holonom.model import ModelError
from holonom.studies.store import Row, Store, _locked

FILE = Path(__file__).with_name("_functions.py")
XY = {"x": (-1.0, 1.0), "y": (-1.0, 1.0)}


def study(path, name, parameters=None, **options):
    options = {"workers": 1, "progress": False} | options
    return hn.Study(path / "a.study", f"{FILE}:{name}", parameters or {"x": (0.0, 1.0)}, **options)


def points(*values):
    return [{"x": v} for v in values]


def test_rows_hold_what_the_function_gave(tmp_path):
    with study(tmp_path, "partly") as s:
        found = s.run(points(0.1, 0.6, 0.8, 0.95, 2.0))
        assert [r.status for r in found] == ["ok", "failed", "failed", "failed", "refused"]
        rows = found.rows
        assert rows[0].measures == {"f": 0.1} and rows[0].cpu >= 0 and rows[0].attempts == 1
        assert rows[1].message.startswith("ZeroDivisionError: division by zero (_functions.py, line ")
        assert rows[2].message == "measure 'f' is nan, which is not a finite number"
        assert rows[3].message == "the rod is too long at 0.950; shorten it" and rows[3].time == 0.25
        assert "x': 2 is outside of its bounds 0 to 1" in rows[4].message
        assert np.array_equal(found["f"], [0.1] + [np.nan] * 4, equal_nan=True)
        assert "too long" in s.status() and "at x 0.95 to 0.95" in s.status()
    again = hn.studies.load(tmp_path / "a.study")
    assert [r.lasting() for r in again] == [r.lasting() for r in rows]


def test_numbers_come_back_bit_for_bit(tmp_path):
    values = [random.Random(1).uniform(0, 1) for _ in range(50)] + [5e-324, 0.1 + 0.2, 1.0]
    with study(tmp_path, "partly", {"x": (0.0, 1.0)}) as s:
        s.run(points(*values))
    held = hn.studies.load(tmp_path / "a.study")
    assert [r.parameters["x"] for r in held] == values


def test_worker_count_changes_nothing(tmp_path):
    digests = []
    for workers in (0, 1, 2):
        folder = tmp_path / str(workers)
        folder.mkdir()
        with study(folder, "seeded", {"x": (-1.0, 1.0)}, workers=workers, seed=7) as s:
            s.run(hn.studies.latin_hypercube(12))
            digests.append(s.store.digest())
            assert any("negative" in w for r in s.results() for w in r.warnings)
    assert len(set(digests)) == 1


def test_a_finished_stage_is_read_and_not_run(tmp_path):
    with study(tmp_path, "bowl", XY) as s:
        s.run(hn.studies.sobol(8))
    with study(tmp_path, "bowl", XY) as s:
        s._pool.run = None  # nothing may be computed
        assert len(s.run(hn.studies.sobol(8))) == 8


def test_a_worker_that_dies_costs_an_attempt(tmp_path, monkeypatch):
    monkeypatch.setenv("HOLONOM_TEST_MARK", str(tmp_path / "mark"))
    with study(tmp_path, "dies_once") as s:
        found = s.run(points(0.25, 0.5)).rows
        assert [r.measures["f"] for r in found] == [0.25, 0.5] and [r.attempts for r in found] == [2, 2]
        assert "signal 9" in s.store.losses()[0][2] and len(s.store.losses()) == 2


def test_a_run_that_kills_each_worker_fails_with_a_sentence(tmp_path):
    with study(tmp_path, "dies", retries=1, workers=2) as s:
        found = s.run(points(0.25, 0.95, 0.5)).rows
        assert [r.status for r in found] == ["ok", "failed", "ok"] and "each of 2 attempts" in found[1].message


def test_time_limit(tmp_path):
    with study(tmp_path, "sleeps", time_limit=0.5) as s:
        began = time.monotonic()
        found = s.run(points(0.25, 0.75, 0.5)).rows
        assert [r.status for r in found] == ["ok", "failed", "ok"] and time.monotonic() - began < 30
        assert found[1].message == "the run exceeded its time limit of 0.5 s"


def test_all_failing_stops_with_the_commonest_sentence(tmp_path):
    with study(tmp_path, "never", stop_after=5) as s:
        for _ in range(2):  # in the second pass from the store
            with pytest.raises(hn.studies.AllRunsFailed, match="none of the first 5 runs.*the loop cannot be closed"):
                s.run(hn.studies.sobol(32))
        assert s.store.count() <= 6


def test_rows_are_never_changed(tmp_path):
    with study(tmp_path, "bowl", XY) as s:
        s.run(points(0.5))
    db = sqlite3.connect(tmp_path / "a.study")
    for statement in ("UPDATE runs SET measures = '{}'", "DELETE FROM runs"):
        with pytest.raises(sqlite3.DatabaseError, match="never changed"):
            db.execute(statement)


def test_disk_full_keeps_finished_runs(tmp_path):
    with study(tmp_path, "bowl", XY) as s:
        pages = s.store._db.execute("PRAGMA page_count").fetchone()[0]
        s.store._db.execute(f"PRAGMA max_page_count={pages + 3}")
        with pytest.raises(ModelError, match="full; finished runs are kept"):
            s.run(hn.studies.sobol(256))
        kept = s.store.count()
        assert 0 < kept < 256
    with study(tmp_path, "bowl", XY) as s:
        assert len(s.run(hn.studies.sobol(256))) == 256


# ---- refusals --------------------------------------------------------------------------------------------------------
def test_what_a_study_refuses(tmp_path):
    def refused(text, *arguments, **options):
        with pytest.raises(ModelError, match=text):
            hn.Study(tmp_path / "b.study", *arguments, **options)

    refused("cannot import.*workers=0", lambda v: v, {"x": (0, 1)}, workers=1)
    refused("no file", f"{tmp_path}/no.py:f", {"x": (0, 1)})
    refused("no module 'no_such_module'", "no_such_module:f", {"x": (0, 1)})
    refused("does not name a function", "bowl", {"x": (0, 1)})
    refused("at least one parameter", f"{FILE}:bowl", {})
    refused("bounds 1 to 0 are empty", f"{FILE}:bowl", {"x": (1, 0)})
    refused("did you mean 'bounds'", f"{FILE}:bowl", {"x": {"bound": (0, 1)}})
    refused("seed must be a whole number", f"{FILE}:bowl", XY, seed=-1)
    refused("progress is 'foo'; choose True, False or None", f"{FILE}:bowl", XY, progress="foo")
    (tmp_path / "c.study").write_text("not a database, but a text that is long enough to be one")
    with pytest.raises(ModelError, match="is not a store of a study"):
        hn.Study(tmp_path / "c.study", f"{FILE}:bowl", XY)
    with pytest.raises(ModelError, match="there is no study"):
        hn.studies.load(tmp_path / "none.study")
    with study(tmp_path, "no_such_function") as s, pytest.raises(ModelError, match="no function 'no_such_function'"):
        s.run(points(0.5))
    with study(tmp_path, "no_such_function") as s, pytest.raises(ModelError, match="no parameter 'z'; did you|choose"):
        s.run([{"z": 1}])


def test_one_writer_and_many_readers(tmp_path):
    with study(tmp_path, "bowl", XY) as s:
        s.run(points(0.5))
        with pytest.raises(ModelError, match=r"is open in this process already; .* study.close\(\)"):
            study(tmp_path, "bowl", XY)
        assert len(hn.studies.load(tmp_path / "a.study")) == 1
    lock = _locked(tmp_path / "a.study")  # as another process has it
    with pytest.raises(ModelError, match="is running in another process"):
        study(tmp_path, "bowl", XY)
    lock.close()


def test_changed_code_is_refused_with_what_changed(tmp_path):
    file = tmp_path / "f.py"
    (tmp_path / "helper.py").write_text("factor = 2.0\n")
    file.write_text("from helper import factor\ndef f(v):\n    return {'f': factor * v['x']}\n")
    make = lambda **o: hn.Study(tmp_path / "a.study", f"{file}:f", {"x": (0, 1)}, workers=0, **o)
    with make() as s:
        s.run(points(0.5))
    file.write_text(
        'from helper import factor\ndef f(v):  # a comment\n    """Text."""\n    return {\'f\': factor * v["x"]}\n'
    )
    make().close()
    (tmp_path / "helper.py").write_text("factor = 3.0\n")
    with pytest.raises(ModelError, match="runs of other code: file helper.py has changed"):
        make()
    with make(accept_changes=True) as s:
        s.run(points(0.25))
        assert len({r.code for r in s.results()}) == 2
    with pytest.raises(ModelError, match="other parameters: .*bounds of 'x' was"):
        hn.Study(tmp_path / "a.study", f"{file}:f", {"x": (0, 2)}, workers=0)
    with pytest.raises(ModelError, match="with seed 0, not 1"):
        hn.Study(tmp_path / "a.study", f"{file}:f", {"x": (0, 1)}, workers=0, seed=1)


def test_another_format_is_refused(tmp_path):
    Store(tmp_path / "a.study", write=True).close()
    db = sqlite3.connect(tmp_path / "a.study")
    db.execute("DROP TRIGGER meta_UPDATE")
    db.execute("UPDATE meta SET value = '7' WHERE key = 'format'")
    db.commit()
    with pytest.raises(ModelError, match="format 7, this version of Holonom reads format 1"):
        hn.studies.load(tmp_path / "a.study")


def test_a_store_whose_runs_are_of_other_points_is_refused(tmp_path):
    with study(tmp_path, "bowl", XY) as s:
        stage = s.stage("x", {})
        s.store.add(stage.number, Row(0, {"x": 0.125, "y": 0.0}))
        with pytest.raises(ModelError, match="run 0 of the store .* has x = 0.125"):
            stage.evaluate([{"x": 0.5, "y": 0.0}])


# ---- killed at any moment --------------------------------------------------------------------------------------------
@pytest.mark.parametrize("kills", [1, pytest.param(3, marks=pytest.mark.slow)])
@pytest.mark.parametrize("method", ["design"])
def test_a_study_that_is_killed_ends_as_the_undisturbed_one(tmp_path, method, kills):
    command = lambda name: [sys.executable, str(FILE), str(tmp_path / name), method]
    env = os.environ | {"PYTHONPATH": str(Path(hn.__file__).parents[1])}
    whole = subprocess.run(command("whole.study"), capture_output=True, text=True, env=env, check=True)
    dice, counts = random.Random(5), []
    for _ in range(kills):
        killed = subprocess.run(
            [*command("killed.study"), str(dice.randint(1, 60))], stdout=subprocess.DEVNULL, env=env
        )
        assert killed.returncode == -signal.SIGKILL
        counts.append(_count(tmp_path / "killed.study"))
    assert counts == sorted(set(counts)) and 0 < counts[0] and counts[-1] < 256
    last = subprocess.run(command("killed.study"), capture_output=True, text=True, env=env, check=True)
    assert last.stdout == whole.stdout and len(whole.stdout.strip()) == 64


def _count(path):
    try:
        return Store(path).count()
    except (ModelError, sqlite3.Error):
        return 0


def test_memory_does_not_grow_with_runs(tmp_path):
    """Rows are not held: a table of all runs reads them from the file."""
    with study(tmp_path, "bowl", XY, workers=0) as s:
        found = s.run(hn.studies.random(3000))
        assert len(found) == 3000 and found.store is s.store
        assert json.loads(json.dumps(next(iter(found)).lasting()))["status"] == "ok"


def test_values_that_a_function_brings_are_part_of_the_study(tmp_path):
    """Arguments of a partial function, variables of a closure, defaults and fields: runs with others are not reused."""

    class Line:
        def __init__(self, c):
            self.c = c

        def __call__(self, v):
            return {"y": self.c * v["x"]}

        def at(self, v):
            return {"y": self.c * v["x"]}

    def line(v, c=1.0):
        return {"y": c * v["x"]}

    def closed(c):
        return lambda v: {"y": c * v["x"]}

    makers = [lambda c: functools.partial(line, c=c), closed, Line, lambda c: Line(c).at]
    for k, make in enumerate(makers):
        path = tmp_path / f"{k}.study"
        for c, fails in ((3.0, False), (3.0, False), (5.0, True)):
            try:
                with hn.Study(path, make(c), {"x": (0.0, 1.0)}, workers=0) as study:
                    (row,) = study.run([{"x": 1.0}])
                    assert not fails and row.measures["y"] == c
            except ModelError as error:
                assert fails and "values that the function holds has changed" in str(error)
