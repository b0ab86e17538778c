"""Python processes that begin with Numba loaded and warm: forks of one that has done so and nothing else.

Tests of the cache start some fifty processes of a few milliseconds of work; Numba takes each a CPU second to load.  A
fork is a process as any other: with an environment, memory, descriptors and locks of its own, and none of the package
loaded.
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager

#: the process that forks: it answers each message (code and environment; descriptors of output, errors and status)
#: with the number of a process
SERVER = """
import atexit, json, os, select, signal, socket, sys, traceback
import numba
numba.njit(lambda x: x + 1)(1)
link = socket.socket(fileno=int(sys.argv[1]))
before = list(sys.path)
while True:
    ready = select.select([link], [], [], 1.0)[0]
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass
    if not ready:
        continue
    message, given, _, _ = socket.recv_fds(link, 1 << 20, 3)
    if not message:
        break
    process = os.fork()
    if process:
        link.send(str(process).encode())
        for number in given:
            os.close(number)
        continue
    code = 1
    try:
        link.close()
        said = json.loads(message)
        os.dup2(given[0], 1)
        os.dup2(given[1], 2)
        os.environ.clear()
        os.environ.update(said["environment"])
        sys.path[:] = ["", *said["environment"].get("PYTHONPATH", "").split(os.pathsep), *before[1:]]
        sys.argv[:] = ["-c"]
        exec(compile(said["code"], "<string>", "exec"), {"__name__": "__main__"})
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os.write(given[2], str(code).encode())
        os._exit(code)
"""


class Process:
    """A fork, with the part of `subprocess.Popen` that tests use; ``errors``: what it wrote there, where it is kept."""

    def __init__(self, pid, out, errors, status) -> None:
        self.pid, self._errors, self._status = pid, errors, status
        self.stdout = None if out is None else os.fdopen(out, encoding="utf-8")
        self.returncode: int | None = None

    def wait(self, timeout: float = 300.0) -> int:
        if self.returncode is None:
            assert select.select([self._status], [], [], timeout)[0], f"process {self.pid} has not ended"
            self.returncode = int(os.read(self._status, 16) or -signal.SIGKILL)
            os.close(self._status)
        return self.returncode

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)

    def communicate(self, timeout: float = 300.0) -> tuple[str, str]:
        out, end = "", time.monotonic() + timeout
        while True:
            assert select.select([self.stdout], [], [], max(0.0, end - time.monotonic()))[0], "no output any more"
            part = self.stdout.read()
            if not part:
                break
            out += part
        self.stdout.close()
        self.wait(timeout)
        errors = ""
        if self._errors is not None:
            self._errors.seek(0)
            errors = self._errors.read().decode()
            self._errors.close()
        return out, errors


class Forks:
    """Starts processes, the first of which loads Numba."""

    def __init__(self) -> None:
        self._link: socket.socket | None = None
        self._server: subprocess.Popen | None = None

    def _begin(self) -> socket.socket:
        self._link, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        kept = {k: v for k, v in os.environ.items() if not k.startswith("NUMBA_")}
        command = [sys.executable, "-c", SERVER, str(theirs.fileno())]
        self._server = subprocess.Popen(command, env=kept, pass_fds=[theirs.fileno()])
        theirs.close()
        return self._link

    def start(self, code: str, environment: dict[str, str], screen: int | None = None, errors: bool = False) -> Process:
        """A process that runs ``code``; its output goes to ``screen``, errors too, or else into a pipe.

        ``errors``: what it writes to standard error is kept for `Process.communicate`.
        """
        assert not any(k.startswith("NUMBA_") for k in environment), "Numba reads these when it is loaded"
        link = self._link or self._begin()
        out, into = (None, screen) if screen is not None else os.pipe()
        kept = tempfile.TemporaryFile() if errors else None
        status, ended = os.pipe()
        wrong = screen if screen is not None else kept.fileno() if kept is not None else 2
        message = json.dumps({"code": code, "environment": environment}).encode()
        socket.send_fds(link, [message], [into, wrong, ended])
        os.close(ended)
        if screen is None:
            os.close(into)
        return Process(int(link.recv(64)), out, kept, status)

    def close(self) -> None:
        if self._link is not None:
            self._link.close()
            self._server.wait(60)
            self._link = self._server = None


FORKS = Forks()


@contextmanager
def forks():
    """`FORKS` until the end of a file of tests, so that its CPU seconds count."""
    try:
        yield FORKS
    finally:
        FORKS.close()
