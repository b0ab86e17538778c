"""The process of an FMU as its owner sees it: requests with a time limit, and a sentence for whatever goes wrong.

The archive is unpacked into a folder of its own, which goes with the process.
"""

from __future__ import annotations

import json
import math
import os
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..._warnings import WarningText
from ...model import ModelError
from ...model.fmu.archive import Archive
from ...model.fmu.description import FmuDescription

WORKER = Path(__file__).with_name("worker.py")
CLOSING = 1.0  # seconds that an FMU has to end
MOST_TEXTS = 200  # different messages of a run
QUIET = ("ok", "warning")  # of an FMU that reports no fault


class FmuFailed(ModelError):
    """An FMU did not do what was requested.  ``rejected``: it can do another step; ``terminated``: it ends the run."""

    def __init__(self, text: str, rejected: bool = False, terminated: bool = False) -> None:
        super().__init__(text)
        self.rejected, self.terminated = rejected, terminated


class FmuProcess:
    """One instance of an FMU in a process of its own.  ``limit``: seconds that one call may take; ``log``: categories
    of its log that are reported too.  Raises `ModelError` for an archive that cannot be unpacked and `FmuFailed` where
    the FMU cannot be instantiated."""

    def __init__(self, description: FmuDescription, label: str, limit: float, log: Sequence[str] = ()) -> None:
        self.description, self.label, self.limit = description, label, limit
        self.messages: list[str] = []  # of the FMU during the present request
        self._log: dict[tuple[str, str, str], int] = {}  # status, category, text -> how often, not reported yet
        self._omitted = 0
        self._doing = ""
        folder = Path(tempfile.mkdtemp(prefix="holonom-fmu-"))
        try:
            with Archive(description.path) as archive:
                archive.unpack(folder, f"binaries/{description.folder}", "resources")
            (folder / "resources").mkdir(exist_ok=True)
            read, self._write = os.pipe()
            self._read, write = os.pipe()
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", str(WORKER), str(read), str(write)],
                pass_fds=(read, write),
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl+C is for us
            )
            os.close(read)
            os.close(write)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        os.set_blocking(self._write, False)
        self._input, self._output = select.poll(), select.poll()
        self._input.register(self._read, select.POLLIN)
        self._output.register(self._write, select.POLLOUT)
        self._end = weakref.finalize(self, _end, self._process, self._read, self._write, folder)
        try:
            self.ask(
                "make",
                version=description.version,
                exchange=description.exchange,
                states=description.state_count,
                indicators=description.indicators,
                library=str(folder / description.binary),
                name=label,
                token=description.token,
                resources=f"{folder / 'resources'}{os.sep}",
                resources_uri=(folder / "resources").as_uri(),
                log=list(log),
            )
        except FmuFailed as error:
            self._end()
            tool = "; it needs the program that has exported it" if description.needs_tool else ""
            raise FmuFailed(f"{error}{tool}") from None

    def ask(self, do: str, during: str = "", **words: Any) -> Any:
        """The answer to a request; ``during``: when, for messages.  Raises `FmuFailed`."""
        if not self._end.alive:
            raise FmuFailed(f"{self.label}: its process has ended; begin the simulation again")
        self._doing = f"{CALLS.get(do, do)}{during}"
        data = json.dumps({"do": do, **words}).encode()
        until = time.monotonic() + self.limit
        self._send(struct.pack("<I", len(data)) + data, until)
        reply = json.loads(self._receive(struct.unpack("<I", self._receive(4, until))[0], until))
        self._note(reply)
        if "fault" in reply:
            raise self._fault(*reply["fault"])
        return reply.get("value")

    def numbers(self, flags: int, given: Sequence[float], during: str) -> Sequence[float]:
        """What `worker.Exchange.evaluate` gives for time, states and inputs, without texts in between.  Raises
        `FmuFailed`."""
        if not self._end.alive:
            raise FmuFailed(f"{self.label}: its process has ended; begin the simulation again")
        self._doing = during
        until = time.monotonic() + self.limit
        n = len(given)
        self._send(struct.pack(f"<I2B6x{n}d", 8 + 8 * n, 1, flags, *given), until)
        reply = self._receive(struct.unpack("<I", self._receive(4, until))[0], until)
        if reply[:1] == b"{":
            text = json.loads(reply)
            self._note(text)
            raise self._fault(*text["fault"])
        return struct.unpack(f"<{len(reply) // 8}d", reply[1:])

    def _note(self, reply: dict[str, Any]) -> None:
        """What the FMU has said during a request."""
        said = [tuple(one) for one in reply.get("messages", ())]
        self.messages = [text for status, _, text in said if status not in QUIET]
        for one in said:
            if one in self._log or len(self._log) < MOST_TEXTS:
                self._log[one] = self._log.get(one, 0) + 1
            else:
                self._omitted += 1

    def report(self) -> list[str]:
        """What the FMU has said since the last report, each text once; warnings of it are warnings."""
        out: list[str] = []
        for (status, category, text), count in self._log.items():
            often = f" ({count} times)" if count > 1 else ""
            line = f"{self.label} reports{'' if status == 'ok' else f' ({status})'} {category}: {text}{often}"
            out.append(WarningText(line) if status == "warning" else line)
        if self._omitted:
            out.append(f"{self.label}: {self._omitted} further messages are left out")
        self._log, self._omitted = {}, 0
        return out

    def close(self) -> None:
        """End the instance, its process and its folder."""
        if self._end.alive:
            self.limit = min(self.limit, CLOSING)
            try:
                self.ask("end")
            except FmuFailed:
                pass  # it is ended all the same
            self._end()

    # ---- what goes wrong --------------------------------------------------------------------------------------------
    def _send(self, data: bytes, until: float) -> None:
        view = memoryview(data)
        try:
            while view:
                self._wait(self._output, until)
                view = view[os.write(self._write, view) :]
        except BrokenPipeError:
            raise self._gone() from None

    def _wait(self, pipe: select.poll, until: float) -> None:
        left = until - time.monotonic()
        if left <= 0.0 or not pipe.poll(math.ceil(1e3 * left)):
            self._end()
            raise FmuFailed(
                f"{self.label}: {self._doing} did not end within its time limit of {self.limit:g} s, and its process "
                "was ended; fix the FMU, or give a larger time_limit"
            )

    def _receive(self, count: int, until: float) -> bytes:
        data = b""
        while len(data) < count:
            self._wait(self._input, until)
            piece = os.read(self._read, count - len(data))
            if not piece:
                raise self._gone()
            data += piece
        return data

    def _gone(self) -> FmuFailed:
        """The process is no longer there."""
        try:
            code = self._process.wait(CLOSING)
        except subprocess.TimeoutExpired:
            code = 0
        self._end()
        how = f"by signal {signal.Signals(-code).name}" if code < 0 else f"with exit code {code}"
        return FmuFailed(f"{self.label}: its process ended {how} during {self._doing}; this is a fault of the FMU")

    def _fault(self, function: str, status: str) -> FmuFailed:
        said = f": {'; '.join(self.messages[-3:])}" if self.messages else ""
        if function == "terminates":
            return FmuFailed(f"{self.label}: it requested the end of the run during {self._doing}{said}", False, True)
        if function == "stalls":
            return FmuFailed(
                f"{self.label}: its states cannot be integrated during {self._doing}: the steps became too small, or "
                f"it switches again and again{said}; use its co-simulation (kind='cs') if it has one"
            )
        if self._doing.startswith(CALLS["make"]):
            return FmuFailed(f"{self.label}: the FMU cannot be instantiated ({function}){said}")
        return FmuFailed(
            f"{self.label}: {function} returned '{status}' during {self._doing}{said}", status == "discard"
        )


#: requests in messages
CALLS = {
    "make": "its instantiation",
    "enter": "its initialisation",
    "leave": "its initialisation",
    "values": "an exchange of values",
    "step": "a step",
    "end": "its end",
    "wire": "its initialisation",
    "at_event": "an event",
    "complete": "the end of a step",
    "now": "an event",
}


def _end(process: subprocess.Popen, read: int, write: int, folder: Path) -> None:
    """The process, its pipes and its folder go."""
    os.close(write)
    os.close(read)
    if process.poll() is None:
        process.kill()
    process.wait()
    shutil.rmtree(folder, ignore_errors=True)
