"""Studies in the project's folder: which there are, how far they are, their figures, and the one that this Studio runs.

A study is named by its key: its study file (``beam.yaml``), the file of its runs where there is no study file
(``swing.study``), or the name of one that ships with Holonom (``crane``).  It is followed by the file of its runs,
whichever process writes it.  A study file is run as ``holonom study run`` runs it, in a process of its own.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..model import ModelError
from ..model.base import shown
from .processes import environment
from .project import OWN, Project

if TYPE_CHECKING:
    from ..studies.following import Following

DEFINITIONS = (".yaml", ".yml", ".json")
STORE = ".study"
MAX_DEPTH = 3  # folders below the project
MAX_SEEN = 5000  # entries of folders that are searched
MAX_LISTED = 200
MAX_DEFINITION = 1_000_000  # bytes of a study file
STAGES = re.compile(r"""^["']?stages["']?\s*:""", re.MULTILINE)  # of a study file in YAML
LINES, LONGEST = 200, 2000  # of what a study prints that are shown, and characters of one
END = 15.0  # s that a study may take to end when it is asked to


@dataclass(frozen=True)
class Entry:
    """A study: its ``key``, ``store``, and what it is run from, a file or the name of a shipped one (None: nothing)."""

    key: str
    store: Path
    definition: Path | str | None = None
    source: str = ""  #: what its study file evaluates
    model: bool = False  #: whether that has a model, or a vehicle
    fault: str = ""


class ProjectStudies:
    """Studies of a project.  ``say``: a line of the console, and its kind."""

    def __init__(self, project: Project, say: Callable[[str, str], None]) -> None:
        self.project, self.say = project, say
        self.running = ""  #: key of the study that this Studio runs
        self.lines: dict[str, deque[str]] = {}  #: by key: what the study printed
        self.ends: dict[str, str] = {}  #: by key: how it ended
        self._process: asyncio.subprocess.Process | None = None
        self._work: asyncio.Task | None = None
        self._followed: dict[Path, Following] = {}
        self._looking = threading.Lock()  # several windows may follow one study
        self._known: dict[str, tuple[tuple[int, int], Entry]] = {}  #: by key: time and size of its file

    # ---- which there are --------------------------------------------------------------------------------------------
    def entries(self) -> list[Entry]:
        """Studies of the project's folder and of its sweeps, without those that ship with Holonom."""
        definitions, stores = self._found()
        out = []
        for path in definitions:
            entry = self._defined(path.relative_to(self.project.folder).as_posix(), path)
            if entry.store in stores:
                stores.remove(entry.store)
            out.append(entry)
        with contextlib.suppress(ModelError):
            stores += sorted(self.project.own("studies").glob(f"*{STORE}"))
        return out + [Entry(self.project.named(path), path) for path in stores]

    def _defined(self, key: str, definition: Path | str) -> Entry:
        """The study of a study file, or of the name of a shipped one."""
        try:
            about = Path(definition).stat() if isinstance(definition, Path) else None
        except OSError:
            about = None
        stamp = (about.st_mtime_ns, about.st_size) if about else (0, 0)
        known = self._known.get(key)
        if known is None or known[0] != stamp:
            known = self._known[key] = (stamp, self._read(key, definition))
        return known[1]

    def _read(self, key: str, definition: Path | str) -> Entry:
        from ..studies.study_file import SOURCES, definition_path, read_study_file, store_path

        try:
            data = read_study_file(definition_path(definition))
            store = self.project.path(str(store_path(definition, self.project.folder)))
            word = next(word for word in SOURCES if word in data)
            return Entry(key, store, definition, f"{word} {data[word]}", word != "function" or "measures" in data)
        except ModelError as error:
            return Entry(key, self.project.folder / key, definition, fault=self.project.clean(str(error)))

    def _found(self) -> tuple[list[Path], list[Path]]:
        """Study files and files of runs below the project's folder."""
        definitions, stores, seen, waiting = [], [], 0, [(self.project.folder, 0)]
        while waiting and seen < MAX_SEEN:
            place, depth = waiting.pop(0)
            try:
                entries = sorted(os.scandir(place), key=lambda e: e.name)
            except OSError:
                continue
            for entry in entries:
                seen += 1
                if entry.name.startswith(".") or entry.is_symlink():
                    continue
                path = Path(entry.path)
                if entry.is_dir(follow_symlinks=False):
                    if depth < MAX_DEPTH:
                        waiting.append((path, depth + 1))
                elif path.suffix.lower() == STORE:
                    stores.append(path)
                elif is_study_file(path):
                    definitions.append(path)
        return definitions[:MAX_LISTED], stores[:MAX_LISTED]

    def listing(self) -> dict[str, Any]:
        """What the list of studies shows: ``studies``, the newest first, and ``shipped`` ones."""
        from ..studies.store import writer

        rows: list[dict[str, Any]] = []
        for entry in self.entries():
            began = entry.store.is_file() and not entry.fault
            time = entry.store.stat().st_mtime if began else 0.0
            state = "ready"
            if began:
                state = "running" if writer(entry.store) is not None else "begun"
            rows.append(
                {
                    "key": entry.key,
                    "state": "running" if entry.key == self.running else state,
                    "time": time,
                    "fault": entry.fault,
                    "own": entry.key.startswith(f"{OWN}/"),
                }
            )
        rows.sort(key=lambda row: (row["state"] != "running", row["own"], -row["time"], row["key"]))
        return {"studies": rows[:MAX_LISTED], "shipped": shipped()}

    def entry(self, key: Any) -> Entry:
        """The study of a key.  Raises ModelError where there is none."""
        if not isinstance(key, str):
            raise ModelError(f"there is no study {shown(key)} in the project")
        found = None
        if key in [name for name, _ in shipped()]:
            found = self._defined(key, key)
        elif key.startswith(f"{OWN}/") and key.endswith(STORE):
            found = Entry(key, self.project.own(key.removeprefix(f"{OWN}/")))
        elif key:
            path = self.project.path(key)
            if is_study_file(path):
                found = self._defined(key, path)
            elif path.suffix.lower() == STORE:
                by = [e for e in self.entries() if e.store == path and e.definition is not None]
                found = by[0] if by else Entry(key, path)
        if found is None or (found.definition is None and not found.store.is_file()):
            raise ModelError(f"there is no study {shown(key)} in the project")
        return found

    # ---- how far one is ---------------------------------------------------------------------------------------------
    def state(self, key: Any) -> dict[str, Any]:
        """The state of a study (`studies.following.Following.look`) with what this Studio knows of it."""
        from ..studies.following import Following

        entry = self.entry(key)
        about: dict[str, Any] = {
            "key": entry.key,
            "here": entry.key == self.running,
            "fault": entry.fault,
            "runs": entry.definition is not None,
            "source": entry.source,
            "model": entry.model,
            "store": self.project.named(entry.store),
            "lines": list(self.lines.get(entry.key, ())),
            "end": self.ends.get(entry.key, ""),
        }
        if entry.fault or not entry.store.is_file():
            return about
        following = self._followed.setdefault(entry.store, Following(entry.store))
        try:
            with self._looking:
                found = following.look()
        except ModelError as error:  # it is being made
            return about if about["here"] else {**about, "fault": self.project.clean(str(error))}
        if found.get("last_loss"):
            found["last_loss"] = self.project.clean(found["last_loss"])
        for one in found["failures"]:
            one |= {name: self.project.clean(one[name]) for name in ("text", "example")}
        return {**about, "state": found}

    def figures(self, key: Any) -> dict[str, Any]:
        """Figures of a study: ``html``, its ``style``, the ``designs`` of runs by their attribute, ``runs``.  Raises
        ModelError where it has not begun."""
        from ..studies.page import page_body, page_style
        from ..studies.results import Results
        from ..studies.store import Store

        with Store(self.entry(key).store) as held:
            count = held.count()
            html, designs = page_body(Results(held))
        return {"html": html, "style": page_style(), "designs": designs, "runs": count}

    def page(self, key: Any) -> str:
        """The page of a study with its figures, which needs no network.  Raises ModelError where it has not begun."""
        from ..studies.page import page_text
        from ..studies.results import Results
        from ..studies.store import Store

        with Store(self.entry(key).store) as held:
            return page_text(Results(held))

    # ---- the one that runs here -------------------------------------------------------------------------------------
    async def start(self, key: Any, accept: bool = False) -> None:
        """Run a study file, or continue it.  Raises ModelError where one runs already, here or elsewhere, and for what
        has no study file."""
        from ..studies.store import writer
        from ..studies.study_file import definition_path, read_study_file

        if self.running:
            raise ModelError(f"the study '{self.running}' is running; stop it first")
        entry = await asyncio.to_thread(self.entry, key)
        if entry.fault:
            raise ModelError(entry.fault)
        if entry.definition is None:
            raise ModelError(f"'{entry.key}' has no study file; run the script that made it again to continue it")
        if writer(entry.store) is not None:
            raise ModelError(f"the study '{entry.key}' is running in another process")
        self.project.writes()
        await asyncio.to_thread(read_study_file, definition_path(entry.definition))
        if self.running:  # another window was faster
            raise ModelError(f"the study '{self.running}' is running; stop it first")
        command = ["-m", "holonom", "study", "run", str(entry.definition), *(["--accept-changes"] if accept else [])]
        self.running, self.lines[entry.key], self.ends[entry.key] = entry.key, deque(maxlen=LINES), ""
        try:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                *command,
                cwd=self.project.folder,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT,
                env={**environment(), "PYTHONUNBUFFERED": "1", "NO_COLOR": "1"},
                start_new_session=True,  # Ctrl-C of the terminal goes to the Studio, which ends it
                limit=2**20,
            )
        except OSError as error:
            self.running = ""
            raise ModelError(f"the study cannot be started: {error.strerror or error}") from None
        self.say(f"study {entry.key}: begun", "info")
        self._work = asyncio.get_running_loop().create_task(self._follow(entry.key, self._process))

    async def _follow(self, key: str, process: asyncio.subprocess.Process) -> None:
        """Read what a study prints until it ends."""
        assert process.stdout is not None
        while True:
            try:
                line = await process.stdout.readline()
            except ValueError:  # longer than any line is
                continue
            if not line:
                break
            text = self.project.clean(line.decode("utf-8", "replace").rstrip())
            if text:
                self.lines[key].append(text[:LONGEST])
        code = await process.wait()
        self.running, self._process = "", None
        last = next((line for line in reversed(self.lines[key]) if "error:" in line), "")
        kind = "info"
        if self.ends[key] == "stopping":
            self.ends[key] = "stopped; finished runs are kept, and Continue goes on with them"
        elif code:
            self.ends[key], kind = last.partition("error:")[2].strip() or f"its process ended with code {code}", "error"
        else:
            self.ends[key] = "finished"
        self.say(f"study {key}: {self.ends[key]}", kind)

    def cancel(self, key: Any) -> None:
        """Ask the study that this Studio runs to end; finished runs are kept.  Raises ModelError for another one."""
        if not self.running or key != self.running or self._process is None:
            raise ModelError(f"the study {shown(key)} is not run by this Studio")
        self.ends[self.running] = "stopping"
        self._end(self._process, signal.SIGINT)
        asyncio.get_running_loop().call_later(END, self._end, self._process, signal.SIGKILL)

    @staticmethod
    def _end(process: asyncio.subprocess.Process, how: signal.Signals) -> None:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError, ValueError):
                process.send_signal(how) if os.name != "nt" else process.terminate()

    async def close(self) -> None:
        """End the study in progress, and wait until it is gone."""
        if self._process is None or self._work is None:
            return
        process = self._process
        self.ends[self.running] = "stopping"
        self._end(process, signal.SIGINT)
        try:
            await asyncio.wait_for(asyncio.shield(self._work), END)
        except TimeoutError:
            process.kill()
            await process.wait()


@cache
def shipped() -> list[tuple[str, str]]:
    """Names of the studies that ship with Holonom, and what they are about."""
    from ..studies.study_file import shipped_studies

    return shipped_studies()


def is_study_file(path: Path) -> bool:
    """Whether a file is taken for a study file: a table with stages.  Its reader judges the rest."""
    if path.suffix.lower() not in DEFINITIONS:
        return False
    try:
        if path.stat().st_size > MAX_DEFINITION:
            return False
        text = path.read_text(encoding="utf-8")
        if path.suffix.lower() != ".json":
            return STAGES.search(text) is not None
        data = json.loads(text) if '"stages"' in text else None
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(data, dict) and isinstance(data.get("stages"), list) and "format" not in data
