import os
import signal
import subprocess
import sys

import h5py
import numpy as np
import pytest
from _fabricated_run import model, run

from holonom.model import Model, ModelError
from holonom.results import HISTORY_DTYPE, Run, RunData, RunWriter, Segment, load
from holonom.results._data import COLUMNS, LISTS


def same(a: Run, b: Run) -> None:
    assert a.model.to_dict() == b.model.to_dict()
    np.testing.assert_array_equal(a.time, b.time)
    for name in COLUMNS:
        x, y = getattr(a.data, name), getattr(b.data, name)
        assert (x is None) == (y is None), name
        if x is not None:
            assert x.dtype == y.dtype and x.tobytes() == y.tobytes(), name
    for name in (*LISTS, "counters", "segments"):
        assert getattr(a.data, name) == getattr(b.data, name), name
    for side in ("constraint_i", "constraint_j", "force_i", "force_j", "history"):
        np.testing.assert_array_equal(getattr(a.data, side), getattr(b.data, side))
    for name, value in a.data.extra.items():
        np.testing.assert_array_equal(value, b.data.extra[name])
    assert a.info == b.info


def test_round_trip_is_exact(tmp_path):
    a = run()
    a.data.body_acceleration[3, 1] = [np.nan, np.inf, -0.0]
    a.data.history["cause"][2] = "Größe"
    a.save(tmp_path / "run.h5")
    same(a, load(tmp_path / "run.h5"))
    assert os.listdir(tmp_path) == ["run.h5"]


def test_units_are_in_the_file(tmp_path):
    run(3).save(tmp_path / "run.h5")
    with h5py.File(tmp_path / "run.h5") as f:
        assert (
            f["arrays/body_position"].attrs["units"] == b"mm"
            and f["arrays/constraint_torque"].attrs["units"] == b"N*mm"
        )
        assert f["time"].attrs["units"] == b"s" and f.attrs["format"] == b"holonom-run-1"


def test_empty_runs_and_runs_without_columns(tmp_path):
    for k, data in enumerate(
        (RunData(time=[]), RunData(time=[0.0, 1.0]), RunData(time=[], bodies=[("PART", 2, "ROTOR")]))
    ):
        r = Run(Model("empty"), data, {"complete": True})
        r.save(tmp_path / f"{k}.h5")
        same(r, load(tmp_path / f"{k}.h5"))


def test_rows_appended_in_blocks_give_the_same_file(tmp_path):
    a = run(101)
    with RunWriter(tmp_path / "w.h5", a.model, a.data, {"version": "0.1.0"}, rows=16) as w:
        for k in range(0, 101, 5):
            rows = a.data.take(slice(k, k + 5))
            rows.history = a.data.history if k == 50 else np.zeros(0, HISTORY_DTYPE)
            w.append(rows)
        w.close(counters=a.counters, segments=a.segments, info=a.info)
    same(a, load(tmp_path / "w.h5"))
    with pytest.raises(ModelError, match="closed"):
        w.append(a.data)


def test_an_exception_leaves_the_rows_so_far(tmp_path):
    a = run(40)
    with pytest.raises(KeyboardInterrupt):
        with RunWriter(tmp_path / "w.h5", a.model, a.data) as w:
            w.segments = [Segment("dynamics", 0, 40)]
            w.append(a.data.take(slice(0, 25)))
            raise KeyboardInterrupt
    b = load(tmp_path / "w.h5")
    assert len(b) == 25 and b.info["complete"] is False and "(interrupted)" in repr(b)
    assert b.segments == [Segment("dynamics", 0, 25)]
    np.testing.assert_array_equal(b.data.body_position, a.data.body_position[:25])


KILLED = """
import os, signal, sys
sys.path.insert(0, {tests!r})
from _fabricated_run import run
from holonom.results import RunWriter
a = run(1000)
w = RunWriter({path!r}, a.model, a.data, {{"integrator": "BDF"}}, rows=50)
for k in range(0, 900, 10):
    w.append(a.data.take(slice(k, k + 10)))
w._waiting.append(a.data.take(slice(900, 905)))
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_a_killed_process_leaves_a_readable_file(tmp_path):
    path = str(tmp_path / "killed.h5")
    code = KILLED.format(tests=os.path.dirname(__file__), path=path)
    done = subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    assert done.returncode == -signal.SIGKILL
    b = load(path)
    assert len(b) == 900 and b.info == {"integrator": "BDF", "complete": False}
    np.testing.assert_array_equal(b.data.constraint_force, run(1000).data.constraint_force[:900])


def test_rows_with_other_columns_are_refused(tmp_path):
    a, m = run(5), model()
    with RunWriter(tmp_path / "w.h5", m, a.data) as w:
        with pytest.raises(ModelError, match="their bodies differ"):
            w.append(RunData(time=[0.0]))


def test_files_that_are_not_ours(tmp_path):
    with pytest.raises(ModelError, match="there is no file"):
        load(tmp_path / "none.h5")
    (tmp_path / "text.h5").write_text("hello")
    with pytest.raises(ModelError, match="not an HDF5 file"):
        load(tmp_path / "text.h5")
    with h5py.File(tmp_path / "other.h5", "w") as f:
        f["x"] = 1
    with pytest.raises(ModelError, match="not ours"):
        load(tmp_path / "other.h5")
    with h5py.File(tmp_path / "new.h5", "w") as f:
        f.attrs["format"] = np.bytes_("holonom-run-7")
    with h5py.File(tmp_path / "heap.h5", "w") as f:
        f.attrs["format"] = "holonom-run-1"  # variable length: not how we write it
    with pytest.raises(ModelError, match="not ours"):
        load(tmp_path / "heap.h5")
    with pytest.raises(ModelError, match="holonom-run-7"):
        load(tmp_path / "new.h5")


def test_truncated_and_corrupted_files_raise_or_read_but_never_crash(tmp_path):
    run(200).save(tmp_path / "run.h5")
    whole = (tmp_path / "run.h5").read_bytes()
    for share in (0.05, 0.3, 0.6, 0.9, 0.999):
        (tmp_path / "cut.h5").write_bytes(whole[: int(share * len(whole))])
        with pytest.raises(ModelError, match="cut off|not an HDF5"):
            load(tmp_path / "cut.h5")
    rng = np.random.default_rng(3)
    refused = 0
    for _ in range(60):
        noisy = bytearray(whole)
        for k in rng.integers(0, len(whole), 20):
            noisy[k] = int(rng.integers(256))
        (tmp_path / "noisy.h5").write_bytes(noisy)
        try:
            load(tmp_path / "noisy.h5")
        except ModelError:
            refused += 1
    assert refused > 5


@pytest.mark.parametrize("harm", ["external", "soft", "huge", "object", "segments", "shape"])
def test_hostile_files_are_refused(tmp_path, harm):
    path = tmp_path / "run.h5"
    run(20).save(path)
    with h5py.File(path, "r+") as f:
        if harm in ("external", "soft"):
            del f["arrays/body_position"]
            f["arrays/body_position"] = (
                h5py.ExternalLink("/etc/passwd", "x") if harm == "external" else h5py.SoftLink("/time")
            )
        elif harm == "huge":
            f["time"].resize(10**13, axis=0)
        elif harm == "object":
            del f["time"]
            f.create_dataset("time", data=np.array(["a"], dtype=h5py.string_dtype()))
        elif harm == "segments":
            del f["tail"]
            text = b'{"counters": {}, "segments": [["dynamics", -5, 3, {}]], "info": {}}'
            f["tail"] = np.frombuffer(text, np.uint8)
        else:
            del f["arrays/body_position"]
            f["arrays/body_position"] = np.zeros((20, 7, 3))
    with pytest.raises(ModelError):
        load(path)
