"""Studies on a Dask cluster: the store is that of one machine, whatever the workers do."""

import os
import sys
import threading
import time
from pathlib import Path

import pytest

import holonom as hn
from holonom.model import ModelError
from holonom.studies import Cancelled
from holonom.studies import cluster as cluster_module
from holonom.studies.cluster import _Batch
from holonom.studies.study_file import read_study_file

distributed = pytest.importorskip("distributed")
KilledWorker = distributed.scheduler.KilledWorker
FILE = Path(__file__).with_name("_functions.py")
XY = {"x": (-1.0, 1.0), "y": (-1.0, 1.0)}
KILLS = 8  # of worker processes of Dask


@pytest.fixture(scope="module")
def cluster():
    """Two workers in this process: what they compute is in processes of their own."""
    made = distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None, silence_logs=50
    )
    yield made
    made.close()


def study(path, name, space=None, **options):
    options = {"progress": False} | options
    return hn.Study(path, f"{FILE}:{name}", space or {"x": (-1.0, 1.0)}, **options)


def address(cluster):
    return "dask://" + cluster.scheduler_address


@pytest.mark.parametrize("workers", [1, 2])
def test_the_store_is_that_of_one_machine(tmp_path, cluster, workers):
    cluster.scale(workers)
    digests = []
    for name, where in (("local", {"workers": 0}), ("dask", {"runner": address(cluster)})):
        with study(tmp_path / f"{name}.study", "seeded", seed=7, **where) as s:
            s.run(hn.studies.latin_hypercube(8))
            best = s.minimize("f", method="pattern_search", max_runs=20)
            digests.append((s.store.digest(), best.parameters))
            assert any("negative" in w for r in s.results() for w in r.warnings)
    assert digests[0] == digests[1]
    with study(tmp_path / "dask.study", "seeded", seed=7, workers=0) as s:  # continued without a cluster
        assert len(s.run(hn.studies.latin_hypercube(8))) == 8 and s.store.digest() == digests[0][0]


def test_failures_limits_and_lost_processes(tmp_path, cluster, monkeypatch):
    """A run that fails, exceeds its time, or ends its process is what it is with local workers."""
    points = [{"x": v} for v in (0.1, 0.6, 0.95)]
    rows = {}
    for name, where in (("local", {"workers": 1}), ("dask", {"runner": address(cluster)})):
        with study(tmp_path / f"{name}1.study", "partly", {"x": (0.0, 1.0)}, **where) as s:
            found = s.run(points).rows
        with study(tmp_path / f"{name}2.study", "sleeps", {"x": (0.0, 1.0)}, time_limit=0.4, **where) as s:
            found += s.run(points[:2]).rows
        with study(tmp_path / f"{name}3.study", "dies", {"x": (0.0, 1.0)}, retries=1, **where) as s:
            found += s.run(points).rows
            assert len(s.store.losses()) == 2 and "signal 9" in s.store.losses()[0][2]
        rows[name] = [(r.status, r.message, r.measures, r.attempts) for r in found]
    assert rows["local"] == rows["dask"]
    assert [r[0] for r in rows["dask"]] == ["ok", "failed", "failed", "ok", "failed", "ok", "ok", "failed"]


def test_cancelling_ends_the_run_at_hand(tmp_path, cluster):
    with study(tmp_path / "a.study", "sleeps", {"x": (0.0, 1.0)}, runner=address(cluster)) as s:
        s._pool.client.run(time.monotonic)  # workers are there
        answered = threading.Event()
        add, s.store.add = s.store.add, lambda *row: (add(*row), answered.set())
        threading.Thread(target=lambda: answered.wait(60) and (time.sleep(0.5), s.cancel())).start()
        began = time.monotonic()
        with pytest.raises(Cancelled):
            s.run([{"x": 0.1}, {"x": 0.9}])
        assert len(s.results()) == 1
        assert len(s.run([{"x": 0.1}, {"x": 0.2}])) == 2  # its process was replaced
        assert time.monotonic() - began < 30


def test_what_is_refused(tmp_path, cluster, monkeypatch):
    for runner, text in [
        ("dask://127.0.0.1:1", "there is no Dask scheduler at '127.0.0.1:1'"),
        ("127.0.0.1:8786", "runner must be the address of a Dask scheduler, as 'dask://"),
        (3, "runner must be the address of a Dask scheduler"),
    ]:
        if "no Dask" in text:
            monkeypatch.setattr(distributed, "Client", Unreachable)
        with pytest.raises(ModelError, match=text):
            study(tmp_path / "a.study", "bowl", XY, runner=runner)
        monkeypatch.undo()
    with pytest.raises(ModelError, match="workers are those of the cluster"):
        study(tmp_path / "a.study", "bowl", XY, runner=address(cluster), workers=2)
    with pytest.raises(ModelError, match="cannot import"):
        hn.Study(tmp_path / "a.study", lambda v: v, XY, runner=address(cluster))
    with study(tmp_path / "b.study", "no_such", XY, runner=address(cluster)) as s:
        with pytest.raises(ModelError, match="no function 'no_such'"):
            s.run([{"x": 0.0, "y": 0.0}])


class Unreachable:
    def __init__(self, *_, **__):
        raise OSError("timed out")


def test_a_node_with_other_code_is_refused(tmp_path, cluster):
    file = tmp_path / "f.py"
    file.write_text("def f(v):\n    return {'f': v['x']}\n")
    with hn.Study(tmp_path / "a.study", f"{file}:f", {"x": (0, 1)}, runner=address(cluster), progress=False) as s:
        file.write_text("def f(v):\n    return {'f': 2 * v['x']}\n")  # as if the node had another copy
        with pytest.raises(ModelError, match="file f.py has changed; its machine needs the same files"):
            s.run([{"x": 0.5}])


def test_files_are_read_again_where_threads_disturbed_each_other(tmp_path, cluster, monkeypatch):
    """SystemError of `ast.parse` in CPython 3.11 while another thread of the worker imports a module."""
    read, faults = cluster_module.fingerprint, [SystemError("AST constructor recursion depth mismatch")] * 2

    def disturbed(*args, **words):
        if words and faults:  # of a node
            raise faults.pop()
        return read(*args, **words)

    monkeypatch.setattr(cluster_module, "fingerprint", disturbed)
    with study(tmp_path / "a.study", "bowl", XY, runner=address(cluster)) as s:
        assert len(s.run(hn.studies.sobol(4))) == 4 and not faults


def test_a_client_and_a_study_file(tmp_path, cluster):
    (tmp_path / "a.json").write_text(
        '{"function": "f.py:f", "runner": "dask://h:1", "parameters": {"x": {"bounds": [0, 1]}}, '
        '"stages": [{"tornado": null}]}'
    )
    assert read_study_file(tmp_path / "a.json")["runner"] == "dask://h:1"
    with distributed.Client(cluster) as client:
        with study(tmp_path / "a.study", "bowl", XY, runner=client) as s:
            assert len(s.run(hn.studies.sobol(4))) == 4
        assert client.status == "running"  # it is not ours to close


@pytest.mark.slow
def test_workers_that_are_killed_lose_nothing(tmp_path):
    """Processes of Dask that are killed one after the other while a study runs.  (Stragglers are started again in
    `test_many_workers_with_stragglers_and_losses`: here that is luck.)"""
    import signal

    made = distributed.LocalCluster(n_workers=3, threads_per_worker=2, dashboard_address=None, silence_logs=50)
    with made, distributed.Client(made) as client:
        stop = threading.Event()

        def killer():
            for _ in range(KILLS):
                if stop.wait(1.5):
                    return
                pids = list(client.run(os.getpid, on_error="ignore").values())
                if pids and not stop.is_set():
                    os.kill(pids[0], signal.SIGKILL)

        with study(tmp_path / "a.study", "straggling", XY, runner=client, seed=3) as s:
            thread = threading.Thread(target=killer)
            thread.start()
            try:
                s.run(hn.studies.sobol(512))
            finally:
                stop.set()
                thread.join()
            digest = s.store.digest()
    with study(tmp_path / "b.study", "straggling", XY, workers=0, seed=3) as s:
        s.run(hn.studies.sobol(512))
        assert s.store.digest() == digest


def test_short_runs_are_sent_together(tmp_path, cluster, monkeypatch):
    """Tasks of Dask are far fewer than runs, and the store is that of one machine.  Of a task that is lost each run is
    sent again, alone, and none of them is charged with it."""
    sent = []
    submit = _Batch._submit

    def counted(self, tasks, attempt):
        sent.append(len(tasks))
        submit(self, tasks, attempt)

    monkeypatch.setattr(_Batch, "_submit", counted)
    answer, lose = _Batch._answer, [True]

    def lossy(self, future):
        tasks, attempt, _ = self.running.get(future, ((), 0, 0.0))
        if len(tasks) < 2 or not lose:
            return answer(self, future)
        lose.clear()
        del self.running[future]
        self._failed(tasks, attempt, KilledWorker("task", "worker", 3))

    monkeypatch.setattr(_Batch, "_answer", lossy)
    with study(tmp_path / "a.study", "bowl", XY, runner=address(cluster), seed=3, retries=0) as s:
        s.run(hn.studies.random(400))
        digest = s.store.digest()
    with study(tmp_path / "b.study", "bowl", XY, workers=0, seed=3) as s:
        s.run(hn.studies.random(400))
        assert s.store.digest() == digest
    lost = max(sent)
    assert not lose and lost > 10 and 400 <= sum(sent) <= 400 + lost and len(sent) < 200 + lost


@pytest.mark.slow
def test_many_workers_with_stragglers_and_losses(tmp_path):
    """Twenty workers, of which some runs take 80 times as long or end their process: the store is as of one machine."""
    import dask

    sys.path.insert(0, str(Path(__file__).parents[2]))
    try:
        from benchmarks.studies import NAPS, QUIET
    finally:
        del sys.path[0]
    (tmp_path / "naps.py").write_text(NAPS)
    target, digests = f"{tmp_path / 'naps.py'}:unlucky", []
    with dask.config.set(QUIET), distributed.LocalCluster(
        # threads of this process, whose memory counts for each of them: they would pause for ever
        n_workers=20, threads_per_worker=1, processes=False, memory_limit=None, dashboard_address=None, silence_logs=50
    ) as made:  # fmt: skip
        for name, where in (("a", {"runner": address(made)}), ("b", {"workers": 0})):
            where |= {"progress": False, "retries": 20}
            with hn.Study(tmp_path / f"{name}.study", target, {"x": (0.0, 1.0)}, **where) as s:
                s.run(hn.studies.random(1000))
                digests.append(s.store.digest())
                if name == "a":
                    assert len(s.store.losses()) > 0 and s._pool.repeated > 0
    assert digests[0] == digests[1]
