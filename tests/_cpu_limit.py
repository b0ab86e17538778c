"""A limit of CPU time for each test: one that never ends fails, and does not hold its worker.

A Python loop is left by an exception at the limit.  A kernel that loops for ever runs no Python code, so at twice the
limit the process prints where it is and ends; with xdist another worker takes its place.  CPU time of this process
counts (children have limits of their own); wall-clock time would depend on what else the machine does.
"""

from __future__ import annotations

import contextlib
import faulthandler
import resource
import signal
import sys
import time
from collections.abc import Iterator

import pytest

TICKS = -8  # clock_id of the CPU time that limits count, by ticks: (~0 << 3) | CPUCLOCK_PROF of Linux
FAST, SLOW = 400.0, 1500.0  # CPU seconds: the dearest tests with empty caches take a third of them


class TooLong(BaseException):
    """Raised in a test at its limit; no ``except Exception`` of the tested code takes it for a fault of the model."""


def spent() -> float:
    """CPU seconds of this process as its limits count them: after an hour minutes more than `time.process_time`."""
    try:
        return time.clock_gettime(TICKS)
    except OSError:
        return 1.05 * time.process_time()


@contextlib.contextmanager
def limited(seconds: float, name: str) -> Iterator[None]:
    """Within this context, Python code ends after ``seconds`` of CPU time, the process after twice as many.
    Raises TooLong."""

    def stop(number, frame):
        raise TooLong(f"{name} has used {seconds:g} s of CPU time; a test that does not end is a defect")

    before, (soft, hard) = signal.signal(signal.SIGPROF, stop), resource.getrlimit(resource.RLIMIT_CPU)
    faulthandler.register(signal.SIGXCPU, file=sys.__stderr__, all_threads=True, chain=True)
    resource.setrlimit(resource.RLIMIT_CPU, (int(spent() + 2 * seconds) + 1, hard))
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        resource.setrlimit(resource.RLIMIT_CPU, (soft, hard))
        signal.signal(signal.SIGPROF, before)


class CpuLimit:
    """Plugin: the limit around each test with its fixtures."""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item):
        with limited(SLOW if item.get_closest_marker("slow") else FAST, item.nodeid):
            return (yield)
