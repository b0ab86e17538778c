"""Warm worker processes: started once, each computes one run after another.

Which worker computes which run does not enter a result: runs are handed out in order to whichever worker is free, and
results are collected by number.  While runs are short and many wait, each worker has the next one at hand, so that it
does not wait for this process.  A run that exceeds its limit of time or memory, or whose process ends, costs its
worker, which is replaced.
"""

from __future__ import annotations

import json
import math
import os
import selectors
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from ..model import ModelError
from . import worker as worker_module

Task = tuple[int, dict[str, Any], int, str | None]  #: number, values, seed, where to keep full results
POLL = 0.25  # s between checks of limits and of cancellation
SHORT = 1.0  # s, usual duration of runs up to which a worker has the next one at hand
LIMIT = "limit"  # of a loss that another attempt would repeat


class Cancelled(ModelError):
    """The study was cancelled; finished runs are in the store."""


class _Worker:
    """One process, and the run that it has at hand."""

    def __init__(self, job: dict[str, Any]) -> None:
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115
        env = os.environ | {"PYTHONHASHSEED": "0", "PYTHONUNBUFFERED": "1"}
        for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
            env.setdefault(name, "1")  # one process per core: threads of linear algebra would wait for each other
        self.process = subprocess.Popen(
            [sys.executable, str(Path(worker_module.__file__).resolve())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            env=env,
            start_new_session=True,  # Ctrl-C goes to the study, which ends its workers
        )
        self.task: Task | None = None
        self.attempt = 1
        self.ahead: tuple[Task, int] | None = None  #: the run that it has at hand, and its attempt
        self.started = 0.0
        self.ready = False
        self._text = b""
        self.send({"path": [p or os.getcwd() for p in sys.path], "job": job})

    def send(self, what: dict[str, Any]) -> None:
        try:
            assert self.process.stdin is not None
            self.process.stdin.write((json.dumps(what, allow_nan=False) + "\n").encode())
            self.process.stdin.flush()
        except (BrokenPipeError, OSError):
            pass  # its end is seen at its output

    def begin(self, task: Task, attempt: int) -> None:
        """Hand it a run."""
        self.send({"number": task[0], "values": task[1], "seed": task[2], "keep": task[3]})
        if self.task is None:
            self.task, self.attempt, self.started = task, attempt, time.monotonic()
        else:
            self.ahead = task, attempt

    def answered(self) -> Task:
        """The run at hand has ended; the next one has begun."""
        assert self.task is not None
        task, self.task = self.task, None
        if self.ahead is not None:
            (self.task, self.attempt), self.ahead = self.ahead, None
            self.started = time.monotonic()
        return task

    def read(self) -> list[dict[str, Any]] | None:
        """Complete answers, or None where the process has ended."""
        assert self.process.stdout is not None
        part = os.read(self.process.stdout.fileno(), 1 << 16)
        if not part:
            return None
        *lines, self._text = (self._text + part).split(b"\n")
        return [json.loads(line) for line in lines if line]

    def memory(self) -> float:
        """Resident memory, bytes; 0 where the system does not report it."""
        try:
            with open(f"/proc/{self.process.pid}/statm", encoding="ascii") as file:
                return float(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        except (OSError, IndexError, ValueError):
            return 0.0

    def end(self, closed: bool = False) -> str:
        """Kill it; returns how it ended and the last line that it wrote.  ``closed``: it has closed its output, so it
        is about to end by itself."""
        try:
            code = self.process.wait(2.0 if closed else 0.0)
        except subprocess.TimeoutExpired:
            code = None
            self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            try:
                if pipe is not None:
                    pipe.close()
            except OSError:
                pass
        try:
            self.errors.seek(0)
            lines = self.errors.read()[-4000:].decode(errors="replace").split("\n")
            last = next((line.strip() for line in reversed(lines) if line.strip()), "")
            self.errors.close()
        except ValueError:
            last = ""
        how = "exit code unknown" if code is None else f"signal {-code}" if code < 0 else f"exit code {code}"
        return how + (f", '{last[:200]}'" if last else "")


def loaded(job: dict[str, Any], function: Callable[..., Any] | None) -> worker_module.Evaluator:
    """What computes the runs of a job in this process.  Raises ModelError where its function cannot be loaded."""
    try:
        return worker_module.Evaluator(job, function)
    except ModelError:
        raise
    except Exception as error:
        raise ModelError(f"the function of the study cannot be loaded: {worker_module.sentence(error)}") from error


class Pool:
    """``count`` workers for a job; 0: runs are computed in this process (``function``), without limits.

    ``time_limit``: wall-clock seconds of a run; ``memory_limit``: bytes of a worker; ``retries``: further attempts of a
    run whose process ended."""

    def __init__(
        self,
        job: dict[str, Any],
        count: int,
        *,
        function: Callable[..., Any] | None = None,
        time_limit: float | None = None,
        memory_limit: float | None = None,
        retries: int = 1,
    ) -> None:
        self.job, self.count, self.function = job, count, function
        self.time_limit, self.memory_limit, self.retries = time_limit, memory_limit, retries
        self.cancelled = False
        self._workers: list[_Worker] = []
        self._own: worker_module.Evaluator | None = None
        self._usual = math.inf  #: s, of the last runs

    def close(self) -> None:
        """End all workers."""
        for w in self._workers:
            w.end()
        self._workers.clear()

    def run(
        self,
        tasks: Iterable[Task],
        done: Callable[[Task, dict[str, Any]], None],
        lost: Callable[[Task, str], None],
    ) -> None:
        """Compute runs; ``done`` is called with each answer (fields of a `Row`) as it comes, ``lost`` with each attempt
        that a worker did not survive.  Raises `Cancelled`, and ModelError where the function cannot be loaded."""
        if self.count == 0:
            self._own = self._own or loaded(self.job, self.function)
            for task in tasks:
                if self.cancelled:
                    raise Cancelled("the study was cancelled; finished runs are in its store")
                done(task, self._own(*task[1:]) | {"attempts": 1})
            return
        waiting = deque((task, 1) for task in tasks)
        while len(self._workers) < min(self.count, len(waiting)):
            self._workers.append(_Worker(self.job))
        try:
            self._serve(waiting, done, lost)
        except BaseException:
            self.close()
            raise

    def _serve(self, waiting: deque, done: Callable, lost: Callable) -> None:
        with selectors.DefaultSelector() as selector:
            for w in self._workers:
                selector.register(w.process.stdout, selectors.EVENT_READ, w)  # type: ignore[arg-type]
                self._next(w, waiting)
            checked = time.monotonic()
            while waiting or any(w.task for w in self._workers):
                for key, _ in selector.select(POLL):
                    w = key.data
                    answers = w.read()
                    if answers is None:
                        self._replace(w, selector, waiting, done, lost, "")
                        continue
                    for found in answers:
                        if "ready" in found:
                            if not found["ready"]:
                                raise ModelError(f"the function of the study cannot be loaded: {found['message']}")
                            w.ready = True
                            w.started = time.monotonic()
                        elif w.task is not None and found.pop("number") == w.task[0]:
                            attempts, task = w.attempt, w.answered()
                            wall = found.get("wall", 0.0)
                            self._usual = min(0.9 * self._usual + 0.1 * wall, 10.0 * wall)
                            self._next(w, waiting)  # it computes on while this process writes
                            done(task, found | {"attempts": attempts})
                if self.cancelled:
                    raise Cancelled("the study was cancelled; finished runs are in its store")
                if time.monotonic() - checked >= POLL:
                    checked = time.monotonic()
                    for w in list(self._workers):
                        if reason := self._beyond(w, checked):
                            self._replace(w, selector, waiting, done, lost, reason)

    def _next(self, w: _Worker, waiting: deque) -> None:
        if w.task is None and waiting:
            w.begin(*waiting.popleft())
        if w.ready and w.ahead is None and self._usual < SHORT and len(waiting) > 2 * self.count:
            w.begin(*waiting.popleft())

    def _beyond(self, w: _Worker, at: float) -> str:
        """Which limit a worker exceeds, as a sentence, or nothing."""
        if w.task is None or not w.ready:
            return ""
        if self.time_limit is not None and at - w.started > self.time_limit:
            return f"the run exceeded its time limit of {self.time_limit:g} s"
        if self.memory_limit is not None and w.memory() > self.memory_limit:
            return f"the run exceeded its memory limit of {self.memory_limit / 2**20:.0f} MiB"
        return ""

    def _replace(self, w: _Worker, selector: Any, waiting: deque, done: Callable, lost: Callable, limit: str) -> None:
        """Another process in place of one that ended or exceeds a limit; its run is repeated or fails."""
        selector.unregister(w.process.stdout)
        how = w.end(closed=not limit)
        if not w.ready and not limit and w.task is not None and w.attempt > self.retries:
            raise ModelError(f"worker processes end before they are ready ({how}); run with workers=0 to see why")
        task, attempt = w.task, w.attempt
        if w.ahead is not None:
            waiting.appendleft(w.ahead)
        fresh = _Worker(self.job)
        self._workers[self._workers.index(w)] = fresh
        selector.register(fresh.process.stdout, selectors.EVENT_READ, fresh)  # type: ignore[arg-type]
        if task is not None:
            reason = limit or f"the worker process ended ({how})"
            lost(task, reason)
            if not limit and attempt <= self.retries:
                waiting.appendleft((task, attempt + 1))
            else:
                # how a process ended may depend on the machine: the row has the sentence, `losses` the details
                message = limit or f"the worker process ended in each of {attempt} attempts"
                done(task, {"status": "failed", "message": message, "attempts": attempt})
        self._next(fresh, waiting)
