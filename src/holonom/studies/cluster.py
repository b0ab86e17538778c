"""Runs of a study on a Dask cluster, by the interface of `pool.Pool`.

A worker of Dask computes nothing itself: each of its threads has a `pool.Pool` of one process, the same as on one
machine, with the same limits of time and memory and the same retries.  A run that ends its process does not end the
worker of Dask.  What Dask itself repeats (a worker that is lost with its node) costs no attempt.

A task of Dask costs several milliseconds of its scheduler.  Short runs are therefore sent several at a time, up to
`TOGETHER` seconds of them, which is also what is computed again where a worker is lost.

Answers are collected by number, so neither the number of workers nor their order enters the store.  When nothing waits,
a run that takes far longer than the others is started a second time on another worker, and the first answer counts:
runs are functions of their parameters and seed.
"""

from __future__ import annotations

import os
import queue
import statistics
import sys
import threading
import time
import uuid
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._warnings import warn_model
from ..model import ModelError
from ..model.base import shown
from .functions import changes, fingerprint
from .pool import POLL, Cancelled, Pool, Task
from .population import library

if TYPE_CHECKING:
    from distributed import Client, Future

AHEAD = 2.0  # tasks that are handed out for each thread: the next is there when one ends
TOGETHER, MOST_TOGETHER = 0.5, 256  # s of runs in one task of Dask, and runs
LAST = 201  # runs, and tasks, of which the usual duration is taken
ALONE = 0  # attempt of a run that was lost together with others
SLOW = 3.0  # times the median duration after which an idle thread repeats a run
LONELY = 30.0  # s without any worker after which a warning is issued
IDLE = 60.0  # s after which a process without runs ends
PREFIX = "dask://"
LOST = "its Dask worker was lost"


#: fields of a `Row`, and reasons of attempts that the process did not survive
Answer = tuple[dict[str, Any], list[str]]

PARSED = 5  # attempts to read Python files
#: threads that read Python files at the same time disturb each other in CPython 3.11 (SystemError of `ast.parse`)
PARSING = threading.Lock()


class NodeError(ModelError):
    """A worker of Dask cannot compute the runs of a study."""


class Node:
    """What one worker of Dask has of one study: a pool of one process for each of its threads.

    ``parts``: hashes of code and files (`functions.fingerprint`), which must be those of the study."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self.settings = settings
        self.pools: dict[int, Pool] = {}
        self.used: dict[int, float] = {}
        self.lock = threading.Lock()
        self.busy: set[int] = set()
        self.closed = False
        threading.Thread(target=self._reap, daemon=True).start()

    def compute(self, tasks: Sequence[Task]) -> list[Answer]:
        """Answers to runs, in their order."""
        self._check()
        me = threading.get_ident()
        with self.lock:
            pool = self.pools.get(me)
            if pool is None:
                pool = self.pools[me] = Pool(self.settings["job"], 1, **self.settings["limits"])
            pool.cancelled = False
            self.busy.add(me)
        found: dict[int, dict[str, Any]] = {}
        losses: dict[int, list[str]] = {}
        try:
            pool.run(
                tasks,
                lambda task, answer: found.update({task[0]: answer}),
                lambda task, reason: losses.setdefault(task[0], []).append(reason),
            )
        finally:
            with self.lock:
                self.busy.discard(me)
                self.used[me] = time.monotonic()
        return [(found[task[0]], losses.get(task[0], [])) for task in tasks]

    def cancel(self) -> None:
        """End the runs at hand."""
        with self.lock:
            for me in self.busy:
                self.pools[me].cancelled = True

    def close(self) -> None:
        """End all processes."""
        self.closed = True
        self.cancel()
        with self.lock:
            for me, pool in self.pools.items():
                if me not in self.busy:
                    pool.close()

    def _check(self) -> None:
        """Raise NodeError where code, files or versions differ from those of the study."""
        with PARSING:
            name = self.settings["name"]
            if name not in FAULTS:
                sys.path += [p for p in self.settings["path"] if p not in sys.path and os.path.isdir(p)]
                FAULTS[name] = self._difference()
            if fault := FAULTS[name]:
                raise NodeError(fault)

    def _difference(self) -> str:
        for _ in range(PARSED):
            try:
                mine = fingerprint(self.settings["target"], files=tuple(map(Path, self.settings["files"])))
                return "; ".join(changes(self.settings["parts"], mine))
            except (ModelError, OSError) as error:
                return str(error)
            except SystemError:  # threads of Dask import modules meanwhile
                time.sleep(0.1)
        return f"its Python files could not be read in {PARSED} attempts"

    def _reap(self) -> None:
        """End processes that have nothing to do: of a study that went on elsewhere, or was killed."""
        while not self.closed:
            time.sleep(IDLE / 6)
            now = time.monotonic()
            with self.lock:
                for me, at in list(self.used.items()):
                    if me not in self.busy and now - at > IDLE and me in self.pools:
                        self.pools.pop(me).close()


#: what differs in this process from the study of a name: nothing, or a sentence
FAULTS: dict[str, str] = {}
#: nodes of this process by the name of their study and the address of their worker
NODES: dict[tuple[str, str], Node] = {}


def compute_runs(name: str, tasks: Sequence[Task]) -> tuple[list[Answer], str]:
    """`Node.compute` on a worker, and its address: what Dask calls."""
    from distributed import get_worker

    address = str(get_worker().address)
    return NODES[name, address].compute(tasks), address


def cancel_node(name: str) -> None:
    """`Node.cancel` of all nodes of this process for a study: what Dask calls."""
    for (study, _), node in list(NODES.items()):
        if study == name:
            node.cancel()


def join(key: tuple[str, str], settings: dict[str, Any]) -> None:
    """A worker takes part in a study."""
    NODES[key] = Node(settings)


def leave(key: tuple[str, str]) -> None:
    """The worker or the study ends."""
    node = NODES.pop(key, None)
    if node is not None:
        node.close()
    if not any(name == key[0] for name, _ in list(NODES)):
        FAULTS.pop(key[0], None)


def _plugin(name: str, settings: dict[str, Any]) -> Any:
    """A plugin that gives each worker, those that join later too, its node."""
    from distributed import WorkerPlugin

    class StudyNode(WorkerPlugin):  # sent by value: what it uses of this module are functions, sent by name
        """Its node lives as long as the worker and the study."""

        name: str

        def setup(self, worker: Any) -> None:
            """The worker joins."""
            self.key = (name, str(worker.address))
            join(self.key, settings)

        def teardown(self, worker: Any) -> None:
            """The worker or the study ends."""
            leave(self.key)

    StudyNode.name = name
    return StudyNode()


def connected(runner: str | Client) -> tuple[Client, bool]:
    """A client of a cluster, and whether it was made here: from ``"dask://host:8786"``, ``"dask://scheduler.json"`` (a
    scheduler file) or a `distributed.Client`.  Raises ModelError where there is no scheduler."""
    distributed = library("distributed", "distributed", "a Dask cluster", extra="cluster")
    if isinstance(runner, distributed.Client):
        return runner, False
    if not isinstance(runner, str) or not runner.startswith(PREFIX) or len(runner) == len(PREFIX):
        raise ModelError(
            f"study: runner must be the address of a Dask scheduler, as 'dask://192.168.0.5:8786', got {shown(runner)}"
        )
    place = runner[len(PREFIX) :]
    try:
        if place.endswith(".json"):
            return distributed.Client(scheduler_file=place, timeout=10), True
        return distributed.Client(place if "://" in place else f"tcp://{place}", timeout=10, set_as_default=False), True
    except (OSError, ValueError, TypeError) as error:
        raise ModelError(
            f"study: there is no Dask scheduler at '{place}' ({type(error).__name__}); start one with "
            "'dask scheduler', and check the address"
        ) from None


class DaskPool:
    """The pool of a study whose runs are computed by a Dask cluster.

    ``parts``: hashes of code and ``files``, compared on each worker.  Other arguments are those of `pool.Pool`."""

    def __init__(
        self,
        job: dict[str, Any],
        runner: str | Client,
        *,
        parts: dict[str, str],
        files: Sequence[Path] = (),
        function: Callable[..., Any] | None = None,
        time_limit: float | None = None,
        memory_limit: float | None = None,
        retries: int = 1,
    ) -> None:
        self.job, self.function, self.retries = job, function, retries
        self.cancelled = False
        self.repeated = 0  #: runs that were started a second time, since their worker was slow
        self.client, self._own = connected(runner)
        self._closed = False
        self.name = f"holonom-study-{uuid.uuid4().hex}"
        settings = {
            "name": self.name,
            "job": job,
            "limits": {"time_limit": time_limit, "memory_limit": memory_limit, "retries": retries},
            "parts": parts,
            "target": job.get("target"),
            "files": [str(Path(f).resolve()) for f in files],
            "path": [os.path.abspath(p) for p in sys.path],
        }
        self.client.register_plugin(_plugin(self.name, settings))

    def close(self) -> None:
        """End the processes of this study on the cluster, and the connection to it."""
        if self._closed:
            return
        self._closed, client = True, self.client
        try:
            if client.status == "running":
                client.unregister_worker_plugin(self.name)
        except (OSError, TimeoutError, ValueError):
            pass  # the scheduler has gone; its workers end processes that idle
        if self._own:
            client.close(timeout=5)

    def run(
        self,
        tasks: Iterable[Task],
        done: Callable[[Task, dict[str, Any]], None],
        lost: Callable[[Task, str], None],
    ) -> None:
        """As `Pool.run`.  Raises ModelError where the scheduler is lost, and where workers have other code."""
        if self.cancelled:
            raise Cancelled("the study was cancelled; finished runs are in its store")
        batch = _Batch(self, deque((_absolute(task), 1) for task in tasks), done, lost)
        try:
            batch.serve()
        finally:
            if batch.drop():
                self.client.run(cancel_node, self.name, on_error="ignore")


def _absolute(task: Task) -> Task:
    number, values, seed, keep = task
    return number, values, seed, os.path.abspath(keep) if keep else None


class _Batch:
    """Runs that are on their way through the cluster."""

    def __init__(self, pool: DaskPool, waiting: deque, done: Callable, lost: Callable) -> None:
        self.pool, self.waiting, self.done, self.lost = pool, waiting, done, lost
        self.client = pool.client
        self.running: dict[Future, tuple[list[Task], int, float]] = {}  #: runs, attempt, when they were sent
        self.answered: set[int] = set()
        self.durations: deque[float] = deque(maxlen=LAST)  #: of tasks of Dask, from sending to answer
        self.walls: deque[float] = deque(maxlen=LAST)  #: of runs alone
        self.ends: queue.SimpleQueue[Future] = queue.SimpleQueue()
        self.threads, self._looked, self._lonely = 0, -1.0, time.monotonic()

    def serve(self) -> None:
        """Until all are answered."""
        while self.waiting or self.running:
            self._look()
            while self.waiting and len(self.running) < max(1.0, AHEAD * self.threads):
                self._submit(*self._next())
            try:
                self._answer(self.ends.get(timeout=POLL))
                while True:
                    self._answer(self.ends.get_nowait())
            except queue.Empty:
                pass
            if self.pool.cancelled:
                raise Cancelled("the study was cancelled; finished runs are in its store")
            if not self.waiting:
                self._repeat_slow()
                if self.running and not any(self._open(tasks) for tasks, _, _ in self.running.values()):
                    return  # what is left are second starts of runs that were answered

    def _open(self, tasks: Sequence[Task]) -> list[Task]:
        """Those without an answer."""
        return [task for task in tasks if task[0] not in self.answered]

    def _next(self) -> tuple[list[Task], int]:
        """Runs that are sent together: as many as take `TOGETHER` s, less where few are left for all threads.  Repeated
        ones, and those with files, are sent alone."""
        task, attempt = self.waiting.popleft()
        made = [task]
        if attempt == 1 and task[3] is None and len(self.walls) > 2:
            most = TOGETHER / max(statistics.fmean(self.walls), 1e-9)
            most = min(most, MOST_TOGETHER, len(self.waiting) / max(AHEAD * self.threads, 1.0))
            while len(made) < most and self.waiting[0][1] == 1 and self.waiting[0][0][3] is None:
                made.append(self.waiting.popleft()[0])
        return made, attempt

    def drop(self) -> bool:
        """Give up what is on its way; whether there was anything."""
        found = bool(self.running) and self.client.status == "running"
        if found:
            self.client.cancel(list(self.running))
        self.running.clear()
        return found

    def _look(self) -> None:
        """Number of threads of the cluster, at most once a second."""
        now = time.monotonic()
        if now - self._looked < 1.0:
            return
        self._looked = now
        if self.client.status != "running":
            raise ModelError(
                "the connection to the Dask scheduler was lost; finished runs are kept, run the study again when it is "
                "back"
            )
        self.threads = sum(self.client.nthreads().values())
        if self.threads:
            self._lonely = now
        elif now - self._lonely > LONELY:
            self._lonely = float("inf")
            warn_model("the Dask cluster has no workers; runs wait until one joins")

    def _submit(self, tasks: list[Task], attempt: int) -> None:
        key = f"{self.pool.name}-{tasks[0][0]}-{uuid.uuid4().hex[:8]}"
        future = self.client.submit(compute_runs, self.pool.name, tasks, key=key, pure=False, priority=-tasks[0][0])
        self.running[future] = (tasks, attempt, time.monotonic())
        future.add_done_callback(self.ends.put)

    def _answer(self, future: Future) -> None:
        if future not in self.running:
            return
        tasks, attempt, began = self.running.pop(future)
        if future.status == "finished":
            answers, address = future.result()
            self.durations.append(time.monotonic() - began)
            for task, (found, losses) in zip(tasks, answers):
                if task[0] not in self.answered:
                    for reason in losses:
                        self.lost(task, f"{reason} on {address}")
                    self.walls.append(found.get("wall", TOGETHER))
                    self.answered.add(task[0])
                    self.done(task, found)
            return
        if tasks := self._open(tasks):
            error = future.exception() if future.status == "error" else None
            self._failed(tasks, attempt, error)

    def _failed(self, tasks: list[Task], attempt: int, error: BaseException | None) -> None:
        """Dask has no answer: its worker was lost several times, or cannot compute.  Of several runs any may be the one
        that ends workers: they are sent again, each alone, which is no attempt of theirs."""
        if isinstance(error, NodeError):
            raise ModelError(
                f"a Dask worker cannot compute the runs of this study: {error}; its machine needs the same files "
                "at the same paths and the same versions"
            )
        if isinstance(error, ModelError):
            raise error
        if type(error).__name__ not in ("KilledWorker", "KeyError") and error is not None:
            raise ModelError(f"a Dask worker cannot compute the runs of this study: {type(error).__name__}: {error}")
        if error is None and self.client.status != "running":
            self._looked = -1.0
            self._look()
        if len(tasks) > 1:
            self.waiting.extendleft((task, ALONE) for task in reversed(tasks))
            return
        task = tasks[0]
        self.lost(task, LOST)
        if attempt <= self.pool.retries:
            self.waiting.appendleft((task, attempt + 1))
            return
        self.answered.add(task[0])
        message = f"the worker process ended in each of {attempt} attempts"
        self.done(task, {"status": "failed", "message": message, "attempts": attempt})

    def _repeat_slow(self) -> None:
        """A second start of the runs that take longest, each alone, where threads are idle."""
        if len(self.running) >= self.threads or len(self.durations) < 3:
            return
        limit = max(SLOW * statistics.median(self.durations), 4 * POLL)
        now = time.monotonic()
        counts = Counter(task[0] for tasks, _, _ in self.running.values() for task in tasks)
        late = [
            (began, task, attempt)
            for tasks, attempt, began in self.running.values()
            for task in self._open(tasks)
            if now - began > limit and counts[task[0]] == 1 and task[3] is None
        ]
        for _, task, attempt in sorted(late, key=lambda item: item[0])[: self.threads - len(self.running)]:
            self.pool.repeated += 1
            self._submit([task], attempt)
