"""The solver's process from the side of the server: started when it is needed, spoken to in messages, and gone without
harm."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..model import ModelError
from . import frames

MAX_LINE = 4000


def environment() -> dict[str, str]:
    """Of a process that imports this package."""
    package, path = str(Path(__file__).resolve().parents[2]), os.environ.get("PYTHONPATH", "")
    return {**os.environ, "PYTHONPATH": package + (os.pathsep + path if path else "")}


async def answered(module: str, request: dict[str, Any], seconds: float) -> dict[str, Any]:
    """The answer of the ``main`` of a module, which reads one request as JSON and writes one.

    Raises ModelError for an ``error`` in it, and where none comes within ``seconds``."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        f"from {module} import main; main()",
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
        env=environment(),
    )
    try:
        out, said = await asyncio.wait_for(process.communicate(json.dumps(request).encode("utf-8")), seconds)
    except TimeoutError:
        raise ModelError(f"there is no result after {seconds:g} s; try again") from None
    finally:
        if process.returncode is None:
            process.kill()
    try:
        answer = json.loads(out)
    except ValueError:
        last = said.decode("utf-8", "replace").strip().rpartition("\n")[2]
        raise ModelError(f"the process ended without a result: {last[:300]}") from None
    if "error" in answer:
        raise ModelError(answer["error"])
    return answer


class Process:
    """One process of `solver`.  ``hear``: called with each message; ``ended``: with its exit code when it has gone;
    ``heard_line``: with what it prints."""

    def __init__(
        self,
        hear: Callable[[dict[str, Any], bytes], None],
        ended: Callable[[int], None],
        heard_line: Callable[[str], None],
    ) -> None:
        self.hear, self.ended, self.heard_line = hear, ended, heard_line
        self.process: asyncio.subprocess.Process | None = None
        self._tasks: set[asyncio.Task] = set()
        self._starting = asyncio.Lock()

    @property
    def alive(self) -> bool:
        """Whether there is a process that has not ended."""
        return self.process is not None and self.process.returncode is None

    @property
    def pid(self) -> int | None:
        """Its number, None where there is none."""
        return self.process.pid if self.alive and self.process is not None else None

    async def send(self, header: dict[str, Any], blob: bytes = b"") -> None:
        """Give it a message; it is started where it is not there."""
        async with self._starting:
            if not self.alive:
                await self._start()
        assert self.process is not None and self.process.stdin is not None
        try:
            self.process.stdin.write(frames.packed(header, blob))
            await self.process.stdin.drain()
        except (BrokenPipeError, ConnectionResetError):
            pass  # its end is reported by `_read`

    async def _start(self) -> None:
        self.process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "holonom.studio.solver",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=environment(),
            limit=2**20,
        )
        for work in (self._read(self.process), self._lines(self.process)):
            task = asyncio.create_task(work)
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        try:
            while True:
                a, b = frames.HEAD.unpack(await process.stdout.readexactly(frames.HEAD.size))
                header = json.loads(await process.stdout.readexactly(a))
                blob = await process.stdout.readexactly(b) if b else b""
                self.hear(header, blob)
        except asyncio.IncompleteReadError:
            pass
        self.ended(await process.wait())

    async def _lines(self, process: asyncio.subprocess.Process) -> None:
        assert process.stderr is not None
        while True:
            try:
                line = await process.stderr.readline()
            except ValueError:  # longer than any line is
                continue
            if not line:
                return
            text = line.decode("utf-8", "replace").strip()
            if text:
                self.heard_line(text[:MAX_LINE])

    def kill(self) -> None:
        """End it at once."""
        if self.alive and self.process is not None:
            self.process.kill()

    async def close(self) -> None:
        """End it, and wait until it is gone."""
        self.kill()
        if self.process is not None:
            await self.process.wait()
        for task in list(self._tasks):
            task.cancel()
