"""What all windows of a Studio share: the project's folder, the document, the run in progress and the runs that ended.

Requests of windows are tables with ``do``; `Session.answer` carries them out one after another, so that two windows
never meet half an edit, and changes are sent to all of them.  A session knows no browser: `server` connects it with
one.
"""

from __future__ import annotations

import asyncio
import contextlib
import difflib
import hashlib
import json
import math
import secrets
import tempfile
import time as clock
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from .._summary import counted
from ..formats.robots import FORMATS as ROBOTS
from ..integrators.methods import METHODS
from ..model import Model, ModelError
from ..model.base import shown
from .answers import Answers, script
from .creation import CREATE, FIELDS, PICKED, typed
from .document import Document
from .forms import wanted_number
from .json_text import JsonText
from .live import inputs_of, parameters
from .processes import Process, answered
from .project import BEAT, FULL, Project, digest_of, read_kept, write_whole
from .project_studies import STORE, ProjectStudies, is_study_file
from .properties import blank, model_properties, outline, outlined, properties
from .scene import same_scene, scene
from .snaps import snap_points
from .start import examples, models_of
from .still import without_gravity
from .sweeps import count_of, request_of
from .vehicles import AXLES, MANOEUVRES, describe, manoeuvres, moved_vehicle

RESULTS = ".h5"
VEHICLES = (".json", ".yaml", ".yml")  # of vehicle files
ENDINGS = (".adm", ".json", ".cmd", *ROBOTS, ".yaml", ".yml", RESULTS, STORE)
READ_ONLY = (".cmd", *ROBOTS)  # models that are written as .adm
STEP_SECONDS = 300.0  # that a STEP file may take to be read
STUDY_SECONDS = 24 * 3600.0  # that a study of the parameters table may take
STUDY_LOOK = 0.5  # seconds between two counts of its runs
VEHICLE_SECONDS = 600.0  # that a vehicle may take to be built
DESIGN_SECONDS = 600.0  # that the model of a study may take to be built
ANALYSES = (
    "auto",
    "dynamics",
    "kinematics",
    "statics",
    "quasistatics",
    "initial",
    "interactive",
    "modes",
    "modes at equilibrium",
)
FREE = ("auto", "dynamics", "interactive")  # to choose an integrator
COORDINATES = ("maximal", "joint", "auto")
STILL = ("statics", "initial", "modes", "modes at equilibrium")  # without an end
TABLE_FIELDS = {"SPLINE": ("x", "y", "z"), "MATRIX": ("rows", "columns", "values")}  # fields that a table editor shows
MAX_STEPS = 1_000_000
MAX_MESSAGES = 2000
MAX_PAGES = 500_000  # bytes of pages of plots
MAX_RUNS = 500  # that are listed
MAX_ABOUT = 10_000  # bytes of what is kept about a run
MAX_SAME = 1000  # files of one name
MAX_STUDIES = 10_000  # of a project
MAX_LIVE = 500  # messages of a run that are shown as they come
MAX_WAITING = 20_000  # messages for a window that does not read
SOON = 0.03  # seconds after an edit in which windows fetch the new values, before the picture
LATER = 0.15  # seconds without an edit before the model is checked; least time between two pictures of steady edits
KEEP = 0.5  # seconds at most between an edit and the file that keeps it, also while edits go on
MAX_DIFFERENCE = 400  # lines of a comparison
MAX_SINCE = 12  # edits since a run that are named
#: upward axes of a new model
UPWARD = {
    f"{'+' if s > 0 else '-'}{a}": tuple(s * (k == n) for k in range(3)) for n, a in enumerate("xyz") for s in (1, -1)
}
EXAMPLES = Path(__file__).resolve().parents[1] / "models"


class Window:
    """One browser window: messages wait in order, of poses only the newest."""

    def __init__(self) -> None:
        self.messages: list[str] = []
        self.pose: bytes | None = None
        self.wake = asyncio.Event()
        # it did not read: its connection is ended, and a browser that wakes up begins anew with `Session.hello`
        self.lost = False

    def tell(self, message: dict[str, Any]) -> None:
        """Put a message into the queue; a window for which `MAX_WAITING` wait is lost."""
        if len(self.messages) >= MAX_WAITING:
            self.messages.clear()
            self.lost = True
        if not self.lost:
            self.messages.append(json.dumps(message, allow_nan=False, default=str, separators=(",", ":")))
        self.wake.set()

    def show(self, pose: bytes) -> None:
        """The newest pose; one that has not been sent is forgotten."""
        self.pose = pose
        self.wake.set()


class Session:
    """The project in ``folder``; ``file``: the model to begin with (None: an empty one).  Raises ModelError for a file
    that is none."""

    def __init__(self, folder: Path, file: Path | None = None) -> None:
        self.project = Project(folder)
        self.folder = self.project.folder
        self.project.acquire()
        self.windows: set[Window] = set()
        self.console: list[dict[str, Any]] = []
        self.answers: dict[int, Answers] = {}
        self.running: dict[str, Any] | None = None
        self._made_with: dict[int, tuple[Document | None, list[Any], bool]] = {}  # of each run: document, steps, same
        self.state: dict[str, Any] = {}
        self._scene: tuple[Document | None, int, bytes] = (None, -1, b"")  # of which document and version
        self._scene_lock = asyncio.Lock()
        self._json = JsonText()
        self._study: asyncio.Future | None = None
        self.study: dict[str, Any] | None = None  # the last message about one
        self.studies = ProjectStudies(self.project, self.say)
        self.first_study = ""  # key of the study with which windows begin
        self._later: asyncio.Task | None = None  # what follows edits: pictures and a check
        self._keeping: asyncio.Task | None = None
        self._left = ""  # name of an unsaved model that was left for another one
        self._unkept = ""  # why the last try to keep the model failed
        self._tasks: set[asyncio.Task] = set()
        self._loads: dict[int, asyncio.Task] = {}
        self.solver = Process(self._heard, self._solver_ended, lambda text: self.say(text, "solver"))
        self.checker = Process(self._checked, self._checker_ended, lambda text: None)
        self._checking: Document | None = None  # the document of the check in progress
        self._check_again = self._closing = False
        if file is not None and (file.suffix.lower() == STORE or is_study_file(file)):
            self.first_study, file = self.project.named(file.resolve()), None
        self._put(Document.open(file) if file is not None else Document.new("model"))
        if file is None:
            self._resume_last()
        self._results_of_file()
        self._say_of_folder()

    def _say_of_folder(self) -> None:
        """What the user must know of the project's folder."""
        if self.project.read_only:
            self.say(
                f"the project's folder '{self.folder.name}' cannot be written: runs and unsaved models are kept in a "
                "folder of the user instead; to save models, make it writable for your user, or copy it and start the "
                "Studio in the copy",
                "warning",
            )
        if self.project.holder:
            self.say(f"{self._holder_words()}: this one is read-only; its runs have numbers of their own", "warning")

    def _holder_words(self) -> str:
        holder = self.project.holder or {}
        return f"another Studio (process {holder.get('pid')}) has this project open"

    # ---- windows ----------------------------------------------------------------------------------------------------
    def tell(self, message: dict[str, Any]) -> None:
        """Say something to all windows."""
        for window in self.windows:
            window.tell(message)

    def say(
        self, text: str, kind: str = "info", about: list[Any] | None = None, actions: list[dict[str, Any]] | None = None
    ) -> None:
        """A line of the console; names of elements in it (``JOINT/3``) become links in the browser, ``actions``
        (`advice`) buttons."""
        line = {"text": self.project.clean(text), "kind": kind, "about": about, "time": clock.time()}
        if actions:
            line["actions"] = actions
        self.console.append(line)
        del self.console[: max(0, len(self.console) - MAX_MESSAGES)]
        self.tell({"event": "message", **line})

    def hello(self) -> dict[str, Any]:
        """All that a window needs to begin."""
        document, units = self.document, self.document.model.units
        return {
            "event": "hello",
            "project": self.folder.name,
            "outline": outline(document.model),
            "model": model_properties(document.model),
            **self._file(),
            "forms": {
                n: {
                    "group": f.group,
                    "title": f.title,
                    "help": f.help,
                    "arguments": [a.to_dict(units) for a in f.arguments],
                }
                for n, f in CREATE.items()
            },
            "picked": PICKED,
            "fields": FIELDS,
            "integrators": {n: m.words for n, m in METHODS.items()},
            "analyses": ANALYSES,
            "settings": self.settings(),
            "console": self.console[-300:],
            "state": self.state,
            "running": self.running and {k: v for k, v in self.running.items() if k not in ("out", "said")},
            "runs": [a.listing() for a in self.answers.values()],
            "vehicles": shipped_vehicles(),
            "manoeuvres": MANOEUVRES,
            "examples": sorted(p.stem for p in EXAMPLES.glob("*.adm")),
            "pages": self.pages,
            "unsaved": self.unsaved(),
            "study": self.study,
            "first_study": self.first_study,
            **self._lock(),
            "read_only": self.project.read_only,
        }

    def _file(self) -> dict[str, Any]:
        d = self.document
        names = lambda k: d.steps[k].words if 0 <= k < len(d.steps) else ""
        return {
            "version": d.version,
            "file": str(d.base.relative_to(self.folder))
            if d.base and d.base.is_relative_to(self.folder)
            else (d.base.name if d.base else ""),
            "changed": d.changed,
            "undo": names(d.position - 1) if d.position else "",
            "redo": names(d.position),
            "steps": d.position,
            "stale": {str(n): words for n in self.answers if (words := self.since(n))},
        }

    def since(self, number: int) -> list[str]:
        """What has been changed in the model since a run was begun; empty: nothing."""
        document, steps, same = self._made_with.get(number, (None, [], False))
        if document is None:
            return [] if same else ["the model is not the one of this run"]
        if document is not self.document:
            return ["another model was opened"]
        now = document.steps[: document.position]
        n = next((k for k, (a, b) in enumerate(zip(steps, now)) if a is not b), min(len(steps), len(now)))
        words = [*(f"undone: {s.words}" for s in reversed(steps[n:])), *(s.words for s in now[n:])]
        return words if len(words) <= MAX_SINCE else [*words[:MAX_SINCE], f"and {len(words) - MAX_SINCE} more"]

    def settings(self) -> dict[str, Any]:
        """Settings of the next run: initially those of the script next to the dataset."""
        return dict(self._settings)

    # ---- files ------------------------------------------------------------------------------------------------------
    def path(self, text: Any, folder: Path | None = None) -> Path:
        """`Project.path`."""
        return self.project.path(text, folder)

    def own(self, name: str) -> Path:
        """`Project.own`."""
        return self.project.own(name)

    def open(self, file: Path) -> None:
        """Make the model of a file the document, with the edits of it that are not saved."""
        self._put(Document.open(file))

    def _put(self, document: Document) -> None:
        """Make a document the one of all windows, with the edits of its file that are not saved."""
        self.document, self._key = document, self.project.key(document.base)
        document.home = self.folder
        self._begin()
        if document.base is not None:
            self._recover(self._key)

    def _begin(self) -> None:
        self.console.clear()  # messages of the model before would be read as those of this one
        self._settings: dict[str, Any] = {"kind": "auto", "end": 1.0, "steps": 200}
        base = self.document.base
        script_file = base.with_suffix(".acf") if base else None
        if script_file is not None and script_file.is_file():
            from ..formats.adams import read_acf

            with contextlib.suppress(ModelError, OSError, ValueError):
                self._settings |= times_of(read_acf(self.path(str(script_file)), True))
        self.state = {}
        self.pages = self._read_pages()
        model = self.document.model
        for text in model.warnings[:50]:
            self.say(text, "warning")
        unread = self.document.unread
        for text in unread[:200]:
            self.say(text, "error")
        if unread:
            self.say(
                f"{counted(len(unread), 'error')} in {base.name if base else 'the file'}: what they name is not in the "
                "model; correct the file, or complete the model here and save it under another name",
                "error",
            )

    # ---- unsaved models ---------------------------------------------------------------------------------------------
    def _resume_last(self) -> None:
        """Open the model that was open and not saved when the last server of this project ended."""
        if self.project.holder:
            return
        for row in self.project.unsaved():
            if row["open"] and not row["elsewhere"]:
                self._recover(row["key"])
                return

    def _recover(self, key: str) -> bool:
        """Make an unsaved model the document; whether there was one.  One that cannot be read remains where it is."""
        try:
            file = self.own(key)
            if file.is_symlink() or not file.is_file():
                return False
            data = read_kept(file)
            if data is None:
                raise ModelError(f"{key} is damaged, or too large to be read")
            path, digest = data.get("path"), str(data.get("digest") or "")
            base = Path(path) if isinstance(path, str) and path else None
            inside = base is not None and base.is_relative_to(self.folder)
            if base is not None:
                base = self.path(str(base)) if inside else base
            spare = self.project.spare(digest, base.name) if base is not None and digest else None
            document, words = Document.recovered(file, base.parent if base else self.folder, spare)
        except (ModelError, OSError, ValueError, AttributeError, RecursionError) as error:
            with contextlib.suppress(OSError, ModelError):
                if key == self._key:  # new edits of this file must not overwrite it
                    self.project.set_aside(key)
            self.say(
                f"unsaved edits were not recovered: {error}; they remain in the list of recovered models", "warning"
            )
            return False
        if not (document.position or document.mark < 0):
            return False
        if base is not None and not inside:  # a copied folder: the file of another one is not touched
            document.base, document.digest, document.mark = None, "", -1
        before, self.document, self._key = self.document.base, document, key
        document.home = self.folder
        if document.base is None or document.base != before:
            self._begin()
        self.say(f"{words}; undo takes them back" if document.mark >= 0 else words, "warning")
        return True

    def unsaved(self) -> list[dict[str, Any]]:
        """Unsaved models of the project other than the one that is open (`Project.unsaved`)."""
        return [row for row in self.project.unsaved() if row["key"] != self._key]

    def _keepable(self, open_: bool = True) -> Callable[[], None] | None:
        """What writes the present state of the document to its kept file, without a look at the document itself; None:
        there is nothing unsaved."""
        d, key = self.document, self._key
        if not d.changed and not d.whole:
            return None
        data, twin = {**d.kept(), "open": open_}, self.frozen() if d.whole else None

        def write() -> None:
            if twin is not None:
                data["model"] = twin.to_dict()
            self.project.keep(key, data, d.base)

        return write

    def keep(self, open_: bool = True) -> str:
        """Put unsaved edits on disk, whole or not at all; remove the file where there are none.  Returns why that
        failed, else an empty text."""
        return self._written_down(self._keepable(open_), self._key)

    def _written_down(self, write: Callable[[], None] | None, key: str) -> str:
        try:
            if write is None:
                self.project.drop(key)
            else:
                write()
            self._unkept = ""
        except (OSError, ModelError, TypeError, ValueError) as error:
            why = getattr(error, "strerror", None) or str(error)
            text = f"unsaved edits could not be kept against a crash: {self.project.clean(why)}"
            if text != self._unkept:
                self.say(text, "warning")
            self._unkept = text
        return self._unkept

    async def _keep(self) -> str:
        write, key = self._keepable(), self._key
        return await asyncio.to_thread(self._written_down, write, key)

    async def _keep_on(self) -> None:
        """Keep what was edited, at most `KEEP` seconds after the first edit, until no edit is new."""
        version = -1
        while version != self.document.version:
            await asyncio.sleep(KEEP)
            version = self.document.version
            await self._keep()

    async def _leave(self, message: dict) -> dict | None:
        """Keep the present document before another one is opened; an answer that asks where it would be lost."""
        write, key = self._keepable(False), self._key
        problem = await asyncio.to_thread(self._written_down, write, key)
        if self._keeping is not None:
            self._keeping.cancel()
        if write is not None and problem and not message.get("lose"):
            return {
                "unsaved": f"'{self.document.model.name}' is not saved, and {problem}. Continue and lose its edits?"
            }
        self._left = self.document.model.name if write is not None and not problem else ""
        return None

    def _on_unsaved(self, message: dict) -> dict:
        return {"unsaved": self.unsaved()}

    async def _on_recover(self, message: dict) -> dict:
        """Open an unsaved model of the list."""
        self._free()
        key = self._unsaved_key(message)
        asked = await self._leave(message)
        if asked is not None:
            return asked
        if not self._recover(key):
            raise ModelError("this unsaved model could not be recovered; see the console for the reason")
        self._afresh()
        return {}

    def _on_discard(self, message: dict) -> dict:
        """Remove an unsaved model of the list."""
        self.project.writes()
        self.project.drop(self._unsaved_key(message))
        self.tell({"event": "unsaved", "unsaved": self.unsaved()})
        return {}

    def _unsaved_key(self, message: dict) -> str:
        key = message.get("key")
        if key not in [row["key"] for row in self.unsaved()]:
            raise ModelError(f"there is no unsaved model {shown(key)}")
        return str(key)

    # ---- the lock of the project ------------------------------------------------------------------------------------
    def _on_take_over(self, message: dict) -> dict:
        """Become the server that may write."""
        self.project.acquire(take=True)
        self.say("this Studio has taken over the project; the other one is read-only now", "warning")
        self._tell_lock()
        return {}

    def _tell_lock(self) -> None:
        self.tell({"event": "lock", **self._lock()})

    def _lock(self) -> dict[str, Any]:
        """Why nothing is saved at present; ``moved``: as the folder was moved, not as another server is there."""
        moved = self.project.moved
        return {"locked": moved or (self._holder_words() if self.project.holder else ""), "moved": bool(moved)}

    async def watch(self) -> None:
        """Give signs of life in the lock of the project, and say when another server takes over or ends, and when the
        folder of the project is moved."""
        moved = ""
        while True:
            await asyncio.sleep(BEAT)
            before, moved = moved, self.project.moved
            if moved != before:
                self.say(moved or "the project's folder is there again", "error" if moved else "info")
                self._tell_lock()
                if not moved:
                    await self._keep()
            if moved:
                continue
            if await asyncio.to_thread(self.project.beat):
                holder = self.project.holder
                self.say(
                    f"{self._holder_words()} and has taken over: this one is read-only now"
                    if holder
                    else "the other Studio has ended: this one writes the project now",
                    "warning",
                )
                self._tell_lock()

    # ---- requests ---------------------------------------------------------------------------------------------------
    async def answer(self, window: Window, message: Any) -> None:
        """Carry out a request and answer it: ``{"re": number, ...}``, with ``error`` where it cannot be."""
        number = message.get("n") if isinstance(message, dict) else None
        number = number if isinstance(number, (int, str)) else None
        try:
            what = message.get("do") if isinstance(message, dict) else None
            act: Callable | None = (
                getattr(self, f"_on_{what}", None) if isinstance(what, str) and what.isidentifier() else None
            )
            if act is None:
                raise ModelError(f"unknown request {shown(what)}")
            reply = act(message)
            reply = await reply if asyncio.iscoroutine(reply) else reply
            window.tell({"re": number, **(reply or {})})
        except ModelError as error:
            window.tell({"re": number, "error": self.project.clean(str(error))})
        except (KeyError, TypeError, ValueError, OverflowError, RecursionError) as error:
            window.tell({"re": number, "error": f"the request is not understood: {type(error).__name__} {error}"[:400]})
        except OSError as error:
            why = self.project.clean(error.strerror or str(error))
            window.tell({"re": number, "error": f"the project's folder: {why}"[:400]})
        except Exception as error:  # a defect of ours ends neither the window nor the others
            text = f"the Studio failed at the request {shown(message.get('do'))}: {type(error).__name__} {error}"[:400]
            self.say(text, "error")
            window.tell({"re": number, "error": text})

    def _on_hello(self, message: dict) -> dict:
        return self.hello()

    def _on_element(self, message: dict) -> dict:
        return {
            "element": properties(self.document.model, self.document.element(message.get("kind"), message.get("id")))
        }

    def _on_numbers(self, message: dict) -> dict:
        """All numbers of a table: rows of the editor show the first of them only."""
        element = self.document.element(message.get("kind"), message.get("id"))
        names = TABLE_FIELDS.get(element.KIND)
        if names is None:
            raise ModelError(f"{element.label} is not a table of numbers")
        return {"numbers": {name: getattr(element, name) for name in names}}

    def _on_blank(self, message: dict) -> dict:
        """The form of an element that is made by its fields."""
        kind = message.get("kind")
        if not isinstance(kind, str) or kind not in FIELDS:
            raise ModelError(f"{shown(kind)} cannot be created from its fields")
        return blank(self.document.model, kind)

    def _on_model(self, message: dict) -> dict:
        return {"model": model_properties(self.document.model)}

    def _on_try(self, message: dict) -> dict:
        return {
            "faults": self.document.tried(
                message.get("kind"), message.get("id"), message.get("field"), message.get("value")
            )
        }

    def _on_edit(self, message: dict) -> dict:
        step = self.document.do(message["command"])
        self._changed(step.touched, step)
        return {"made": [list(m) for m in step.made], "words": step.words, "script": step.script}

    def _on_undo(self, message: dict) -> dict:
        step = self.document.undo()
        if step is not None:
            self._changed(step.touched, step)
        return {"words": step.words if step else ""}

    def _on_redo(self, message: dict) -> dict:
        step = self.document.redo()
        if step is not None:
            self._changed(step.touched, step)
        return {"words": step.words if step else ""}

    def _changed(self, touched: set[tuple[str, int]], step: Any = None) -> None:
        model = self.document.model
        rows = [
            outlined(model._tables[k][n]) if n in model._tables.get(k, {}) else [k, n, None] for k, n in sorted(touched)
        ]
        message: dict[str, Any] = {"event": "changed", "rows": rows, **self._file()}
        if step is not None and step.values:
            message["model"] = model_properties(model)
        self.tell(message)
        self._follow_edits()
        if self._keeping is None or self._keeping.done():
            self._keeping = self._spawn(self._keep_on())

    def _follow_edits(self) -> None:
        if self._later is None or self._later.done():
            self._later = self._spawn(self._after())

    async def _after(self) -> None:
        """What follows an edit: windows fetch the picture again soon, and at intervals while edits go on; after the
        last one the model is checked."""
        state = None
        await asyncio.sleep(SOON)
        while state != (self.document, self.document.version):
            state, begun = (self.document, self.document.version), clock.monotonic()
            await self._redraw()
            await asyncio.sleep(max(LATER, clock.monotonic() - begun))  # the server has half of its time for requests
        self._spawn(self.check())

    async def _redraw(self) -> None:
        """Windows load the picture again, unless it is the same as before."""
        document, version, (of, shown_version, before) = self.document, self.document.version, self._scene
        message: dict[str, Any] = {"event": "scene", "version": version}
        if of is document and before:
            after = await self.picture()
            if self._scene[:2] == (document, version) and same_scene(before, after):
                message["same"] = shown_version  # a window that shows this version does not load the picture again
        self.tell(message)

    def _spawn(self, work: Any) -> asyncio.Task:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def _on_files(self, message: dict) -> dict:
        folder = self.path(message.get("folder") or ".")
        if not folder.is_dir():
            raise ModelError(f"{shown(message.get('folder'))} is not a folder of the project")
        rows = []
        for entry in sorted(folder.iterdir(), key=lambda p: (not p.is_dir(), p.name.lower()))[:2000]:
            if not entry.name.startswith(".") and (entry.is_dir() or entry.suffix.lower() in ENDINGS):
                rows.append([entry.name, entry.is_dir()])
        return {"folder": str(folder.relative_to(self.folder)), "files": rows}

    async def _on_parameters(self, message: dict) -> dict:
        """Numbers of the model that a table of parameters shows (`live.parameters`)."""
        return {"rows": await asyncio.to_thread(parameters, self.frozen())}

    async def _on_study(self, message: dict) -> dict:
        """Begin a `holonom.Study` of the model over one or two parameters (`sweeps`); windows hear how it goes on."""
        if self._study is not None:
            raise ModelError("a study is in progress; stop it first")
        self.project.writes()
        twin, base = self.frozen(), self.document.base
        rows = await asyncio.to_thread(parameters, twin)
        self.own("studies").mkdir(exist_ok=True)
        names = (f"studies/{n:04d}.study" for n in range(1, MAX_STUDIES))
        store = next(p for name in names if not (p := self.own(name)).exists())
        request = request_of(message, rows, self._run_settings(message.get("settings")), store)
        request |= {"path": twin.path, "folder": str(base.parent if base else self.folder)}
        request["model"] = await asyncio.to_thread(self._json.of, twin)
        self._study = asyncio.ensure_future(answered("holonom.studio.sweeps", request, STUDY_SECONDS))
        self._spawn(self._follow_study(self._study, request, store))
        return {"of": len(request["points"])}

    async def _follow_study(self, work: asyncio.Future, request: dict[str, Any], store: Path) -> None:
        """Say how many runs of a study are done, and give its table in the end; where its runs are few, their results
        become runs of the project."""
        done, all_ = -1, len(request["points"])
        state: dict[str, Any] = {
            "event": "study",
            "of": all_,
            "varied": [{k: one[k] for k in ("key", "name", "unit")} for one in request["varied"]],
            "measures": list(request["measures"]),
        }
        try:
            while not work.done():
                await asyncio.wait([work], timeout=STUDY_LOOK)
                if not work.done() and (count := await asyncio.to_thread(count_of, store)) != done:
                    done = count
                    self.study = {**state, "done": done}
                    self.tell(self.study)
            found = work.result()
            runs = {number: await self._adopted(Path(file)) for number, file in found["files"].items()}
            state |= {"figures": store.stem, "rows": found["rows"], "runs": {n: run for n, run in runs.items() if run}}
            good = sum(row["status"] == "ok" for row in found["rows"])
            self.say(f"{self.project.named(store)}: {good} of {all_} runs without an error")
        except asyncio.CancelledError:
            if self._closing:
                return
            state["error"] = f"the study was stopped after {max(done, 0)} of {all_} runs; its file keeps them"
        except ModelError as error:
            state["error"] = self.project.clean(str(error))
        self._study = None
        self.study = {**state, "ended": True}
        self.tell(self.study)

    async def _adopted(self, file: Path) -> int:
        """The number of a run of the project with the results that a study has kept; 0 where they cannot be read."""
        number, place = self.project.new_run()
        run = {"out": place / "run.h5", "number": number, "settings": {}, "script": ""}
        try:
            file.replace(run["out"])
            self.answers[number] = answers = await asyncio.to_thread(self._load, run)
        except (ModelError, OSError, ValueError):
            return 0
        self._made_with[number] = (None, [], False)  # of the model with other values
        results = await asyncio.to_thread(answers.listing)
        stale = self._file()["stale"]
        self.tell({"event": "run", "state": "fetched", "number": number, "results": results, "stale": stale})
        return number

    def _on_stop_study(self, message: dict) -> dict:
        """End the study in progress; its store keeps the runs so far."""
        if self._study is not None:
            self._study.cancel()
        return {}

    # ---- studies of the project -------------------------------------------------------------------------------------
    async def _on_studies(self, message: dict) -> dict:
        """Studies of the project's folder, and those that ship with Holonom."""
        return await asyncio.to_thread(self.studies.listing)

    async def _on_study_state(self, message: dict) -> dict:
        """How far a study is (`ProjectStudies.state`)."""
        return await asyncio.to_thread(self.studies.state, message.get("study"))

    async def _on_study_start(self, message: dict) -> dict:
        """Run a study file, or continue it; ``accept``: although code or files have changed."""
        await self.studies.start(message.get("study"), bool(message.get("accept")))
        return {}

    def _on_study_cancel(self, message: dict) -> dict:
        """End the study that this Studio runs; finished runs are kept."""
        self.studies.cancel(message.get("study"))
        return {}

    async def _on_study_model(self, message: dict) -> dict:
        """The model of a study at ``values`` of its parameters, in a new file of the project, which is opened."""
        self._free()
        self.project.writes()
        entry, values = await asyncio.to_thread(self.studies.entry, message.get("study")), message.get("values")
        if entry.definition is None or entry.fault:
            raise ModelError(entry.fault or f"'{entry.key}' has no study file, which has the model of its runs")
        if not isinstance(values, dict):
            raise ModelError(f"values of a design are {shown(values)}; give a table of names and values")
        request = {"file": str(entry.definition), "values": values, "folder": str(self.folder)}
        made = await answered("holonom.studio.study_designs", request, DESIGN_SECONDS)
        asked = await self._leave(message)
        if asked is not None:
            return asked
        stem = "".join(c if c.isalnum() or c in "-_" else "_" for c in f"{Path(entry.key).stem}_design")[:60]
        path = self._unused(stem, ".json")
        if "vehicle" in made:
            self._write_vehicle(path, made["vehicle"], Path(made["path"]).parent if made["path"] else None)
            return {"vehicle": self.project.named(path)}
        write_whole(path, made["model"].encode("utf-8"))
        self._put(await asyncio.to_thread(Document.open, path))
        self._afresh()
        text = ", ".join(f"{n} = {v:.6g}" if isinstance(v, float) else f"{n} = {v}" for n, v in values.items())
        self.say(f"design of the study {entry.key}: {text}"[:1000])
        return {"file": path.name}

    def _unused(self, stem: str, ending: str) -> Path:
        """A path in the project's folder at which there is no file."""
        numbers = (f"-{n}" if n > 1 else "" for n in range(1, MAX_SAME))
        return next(p for n in numbers if not (p := self.path(f"{stem}{n}{ending}")).exists())

    async def _on_snaps(self, message: dict) -> dict:
        """Points to which drawing snaps; ``bodies``: [kind, id] in the order that their numbers mean."""
        bodies = [(k, i) for k, i in message["bodies"] if isinstance(k, str) and isinstance(i, int)]
        index = {key: n for n, key in enumerate(bodies)}
        return {"snaps": await asyncio.to_thread(snap_points, self.frozen(), index)}

    def _on_start(self, message: dict) -> dict:
        """What the start page shows: shipped examples, and models of the project, the newest first."""
        return {"examples": examples(), "models": models_of(self.folder)}

    async def _on_open(self, message: dict) -> dict:
        self._free()
        if message.get("example"):
            name = message["example"]
            source = EXAMPLES / f"{name}.adm"
            if not isinstance(name, str) or not name.isidentifier() or not source.is_file():
                raise ModelError(f"there is no example {shown(name)}")
            for one in (source, source.with_suffix(".acf")):
                target = self.path(one.name)
                if one.is_file() and not target.exists():
                    target.write_bytes(one.read_bytes())
            path = self.folder / source.name
        else:
            path = self.path(message.get("file"))
        if path.suffix.lower() == STORE or is_study_file(path):
            return {"study": self.project.named(path)}
        if path.suffix.lower() in VEHICLES and is_vehicle(path):
            return {"vehicle": self.project.named(path)}
        document = await asyncio.to_thread(Document.open, path)
        asked = await self._leave(message)
        if asked is not None:
            return asked
        self._put(document)
        self._afresh()
        return {}

    def _vehicle_file(self, given: Any) -> str:
        """A vehicle file of the project, or the name of a shipped one.  Raises ModelError."""
        if given in shipped_vehicles():
            return str(given)
        path = self.path(given)
        if not path.is_file():
            raise ModelError(f"{shown(given)} is neither a file of the project nor one of {_words(shipped_vehicles())}")
        return str(path)

    async def _on_vehicle(self, message: dict) -> dict:
        """A model of a vehicle file that drives a manoeuvre, in a new file of the project, which is opened."""
        self._free()
        self.project.writes()
        speed, size = (_finite(typed(message.get(name) or 0.0), name) for name in ("speed", "size"))
        request = {"do": "model", "file": self._vehicle_file(message.get("file")), "speed": speed, "size": size}
        request |= {name: str(message.get(name) or "") for name in ("manoeuvre", "mode")}
        request["points"] = message.get("points") or {}
        self.say("the vehicle is built; the first time takes longer")
        built = await answered("holonom.studio.vehicles", request, VEHICLE_SECONDS)
        asked = await self._leave(message)
        if asked is not None:
            return asked
        stem = "".join(c if c.isalnum() or c in "-_" else "_" for c in str(built["name"]))[:60] or "vehicle"
        path = self._unused(stem, ".json")
        write_whole(path, built["model"].encode("utf-8"))
        self._put(await asyncio.to_thread(Document.open, path))
        self._settings |= {"end": built["end"], "steps": 500}
        self._afresh()
        loads = ", ".join(f"{name} {load:.5g}" for name, load in built["loads"].items())
        unit = self.document.model.units.symbol("force")
        self.say(f"wheel loads at rest: {loads} {unit}; markers at hardpoints have their names")
        for text in built["warnings"]:
            self.say(text, "warning")
        return {"file": path.name}

    async def _on_vehicle_page(self, message: dict) -> dict:
        """What the page of a vehicle shows first: its hardpoints, the standard manoeuvres and their drivers."""
        file = self._vehicle_file(message.get("file"))
        return {**await asyncio.to_thread(describe, file), **await asyncio.to_thread(manoeuvres)}

    def _vehicle_request(self, message: dict, do: str, names: tuple[str, ...]) -> dict[str, Any]:
        """A request to `vehicles` with the file, the hardpoints that were moved, and texts of a window."""
        request = {"do": do, "file": self._vehicle_file(message.get("file")), "points": message.get("points") or {}}
        return request | {name: str(message.get(name) or "") for name in names}

    async def _on_kc(self, message: dict) -> dict:
        """Kinematics and compliance of a vehicle file: characteristics and pictures of both axles, which the project
        keeps."""
        request = self._vehicle_request(message, "kc", ("mode",))
        found = await answered("holonom.studio.vehicles", request, VEHICLE_SECONDS)
        stem = "".join(c if c.isalnum() or c in "-_" else "_" for c in Path(request["file"]).stem)[:60]
        with contextlib.suppress(ModelError, OSError):
            self.project.writes()
            for one in found["axles"]:
                write_whole(self.path(f"{stem}_kc_{one['axle']}.svg"), one["picture"].encode("utf-8"))
            self.say(f"saved {stem}_kc_front.svg and {stem}_kc_rear.svg")
        return {"name": found["name"], "axles": found["axles"]}

    async def _on_drive(self, message: dict) -> dict:
        """A standard manoeuvre of a vehicle file: metrics and curves."""
        request = self._vehicle_request(message, "drive", ("mode", "manoeuvre", "driver"))
        speed = message.get("speed")
        request["speed"] = _finite(typed(speed), "speed") if speed not in (None, "") else ""
        request["compare"] = bool(message.get("compare"))
        return await answered("holonom.studio.vehicles", request, VEHICLE_SECONDS)

    async def _on_save_vehicle(self, message: dict) -> dict:
        """Write a vehicle file with hardpoints that were moved, and the tyre files that it names, into the project."""
        source, path = self._vehicle_file(message.get("source")), self.project.target(message.get("file"))
        if path.suffix.lower() != ".json":
            raise ModelError(f"{path.name}: a vehicle is written to a file that ends in .json")
        if path.exists() and not message.get("over"):
            return {"exists": self.project.named(path)}
        self.project.writes()
        vehicle = await asyncio.to_thread(moved_vehicle, source, message.get("points"))
        self._write_vehicle(path, vehicle.data, vehicle.path.parent if vehicle.path is not None else None)
        return {"file": self.project.named(path)}

    def _write_vehicle(self, path: Path, data: dict[str, Any], source: Path | None) -> None:
        """Write a vehicle file, and the tyre files that it names from the folder ``source``."""
        for axle in AXLES:
            tyre = data[axle].get("wheel", {}).get("tyre")
            if isinstance(tyre, str) and source is not None and (source / tyre).is_file():
                copy_to = self.path(str(path.parent / tyre))
                if not copy_to.exists():
                    copy_to.write_bytes((source / tyre).read_bytes())
        write_whole(path, json.dumps(data, indent=1).encode("utf-8"))
        self.say(f"saved {path.name}")

    async def _on_new(self, message: dict) -> dict:
        """A new model: ``name``, ``units``, and ``gravity``: its size in m/s^2 against the axis ``up`` ("+z")."""
        self._free()
        name, units = message.get("name") or "model", message.get("units") or "SI"
        document = Document.new(str(name), str(units))
        size, up = message.get("gravity"), str(message.get("up") or "+z")
        if up not in UPWARD:
            raise ModelError(f"the upward axis is {shown(up)}; choose one of {', '.join(UPWARD)}")
        if size not in (None, "", 0):
            size = _finite(typed(size), "gravity")
            si = document.model.units
            size *= si.si_time**2 / si.si_length
            document.model.gravity = tuple(-size * v if v else 0.0 for v in UPWARD[up])  # type: ignore[assignment]
            document.first_gravity = document.model.gravity
        asked = await self._leave(message)
        if asked is not None:
            return asked
        self._put(document)
        self._afresh()
        return {}

    def _free(self, study: bool = True) -> None:
        """Raise ModelError while a run is in progress, and with ``study`` while a study is: its table is that of the
        open model."""
        if self.running:
            raise ModelError("a run is in progress; stop it first")
        if study and self._study is not None:
            raise ModelError("a study is in progress; stop it first")

    def _results_of_file(self) -> None:
        """Where the document is the model of a results file: its run, as if it had ended here."""
        base = self.document.base
        if base is None or base.suffix.lower() != RESULTS:
            return
        found = self.answers[0] = self._load({"out": base, "number": 0, "settings": {}, "script": ""})
        self.say(f"{base.name}: results of '{self.document.model.name}', {len(found.run)} rows")

    def _afresh(self) -> None:
        self.answers.clear()
        self.study, self.first_study = None, ""  # of the model before
        self._results_of_file()
        if self._left:
            self.say(f"'{self._left}' is not saved; it is in the list of recovered models (File, Recovered models)")
        self._say_of_folder()
        self.tell(self.hello())
        self._follow_edits()

    async def _on_save(self, message: dict) -> dict:
        path = self.project.target(message["file"]) if message.get("file") else self.document.base
        if path is None or path.suffix.lower() in (*READ_ONLY, RESULTS):
            raise ModelError("give a name for the file, ending in .adm or .json")
        self.project.writes()
        if not path.parent.is_dir():
            raise ModelError(
                f"there is no folder {self.project.named(path.parent)}; create it, or give a file in one that exists"
            )
        digest = await asyncio.to_thread(digest_of, path)
        if digest and not message.get("over"):
            if path != self.document.base:
                return {"exists": self.project.named(path)}
            if unread := len(self.document.unread):
                return {
                    "exists": self.project.named(path),
                    "foreign": f"{counted(unread, 'statement')} of {path.name} could not be read; what they define is "
                    "not in the model",
                }
            if digest != self.document.digest:
                return {
                    "exists": self.project.named(path),
                    "foreign": f"{path.name} has been changed on disk by another program since it was opened or saved "
                    "here",
                }
        if self._keeping is not None:
            self._keeping.cancel()
        self.document.save(path)
        with contextlib.suppress(OSError, ModelError):
            self.project.drop(self._key)
        key = self.project.key(path)
        if key != self._key:  # unsaved edits of the file that was here before stay in the list
            self.project.set_aside(key)
        self._key = key
        self.say(f"saved {self.project.named(path)}")
        self.tell({"event": "changed", "rows": [], **self._file()})
        return {"file": self.project.named(path)}

    async def _on_compare(self, message: dict) -> dict:
        """Lines that differ between the model's file on disk and what would be saved: a unified difference."""
        path, d = self.document.base, self.document
        if path is None:
            raise ModelError("the model has no file yet; save it under a name")
        target = path.with_suffix(".adm") if path.suffix.lower() in READ_ONLY else path
        mine = d.text(target).splitlines()

        def other() -> list[str]:
            try:
                return Document.open(path).text(target).splitlines()
            except ModelError:  # it cannot be read as a model: as it is
                return path.read_text(encoding="utf-8", errors="replace").splitlines()

        lines = list(difflib.unified_diff(await asyncio.to_thread(other), mine, "on disk", "here", lineterm="", n=1))
        more = len(lines) - MAX_DIFFERENCE
        return {"lines": lines[:MAX_DIFFERENCE] + ([f"... and {more} more lines"] if more > 0 else [])}

    def _on_script(self, message: dict) -> dict:
        """The script of what was done; with ``file``, written there."""
        settings = self._run_settings(message["settings"]) if message.get("settings") else self.settings()
        path = self.project.target(message["file"]) if message.get("file") else None
        if path is not None and path.suffix.lower() != ".py":
            raise ModelError(f"{path.name}: a script is written to a file that ends in .py")
        text = script(self.document, settings, path.parent if path else self.folder)
        if path is not None:
            if path.exists() and not message.get("over"):
                return {"exists": self.project.named(path)}
            self.project.writes()
            try:
                write_whole(path, text.encode("utf-8"))
            except OSError as error:
                raise ModelError(f"{path.name} cannot be written: {error.strerror or error}") from None
            self.say(f"saved {path.name}")
        return {"text": text, "file": path.name if path else ""}

    def take_mesh(self, name: str, data: bytes) -> dict[str, Any]:
        """Put a mesh of a browser into the folder ``meshes`` next to the model and read it.

        Returns its ``file`` (from the folder of the model), ``size`` (3,) and number of ``triangles``; ``closed`` is
        empty, or says why it encloses no solid.  A file of this name with other content is left alone: the new one has
        a number.  Raises ModelError for other endings, and for what is not a mesh.
        """
        from ..model.mesh import READ, check_mesh, read_mesh

        name = name.replace("\\", "/").rsplit("/", 1)[-1].strip()
        stem, dot, ending = name.rpartition(".")
        if not stem or ending.lower() not in READ:
            raise ModelError(f"{shown(name)} is not a mesh; give a file that ends in {', '.join(READ)}")
        stem = "".join(c if c.isalnum() or c in " _-." else "_" for c in stem).strip(". ")[:80] or "mesh"
        self.project.writes()
        folder = self.path("meshes", self.document.folder)
        for n in range(1, MAX_SAME):
            file = folder / f"{stem}{f'-{n}' if n > 1 else ''}.{ending.lower()}"
            if not file.exists() or (file.stat().st_size == len(data) and file.read_bytes() == data):
                break
        else:
            raise ModelError(f"there are {MAX_SAME} files {stem!r} already; give the file another name")
        new = not file.exists()
        try:
            folder.mkdir(exist_ok=True)
            write_whole(self.path(str(file)), data)
        except OSError as error:
            raise ModelError(f"{file.name} cannot be written: {error.strerror or error}") from None
        try:
            points, triangles = read_mesh(file)
            closed = ""
            try:
                check_mesh(points, triangles, False)
            except ModelError as error:
                closed = self.project.clean(str(error))
        except (ModelError, OSError, ValueError) as error:
            if new:
                file.unlink(missing_ok=True)
            raise ModelError(f"{name}: {self.project.clean(str(error))}") from None
        size = np.ptp(np.asarray(points, float), axis=0)
        self.say(f"saved meshes/{file.name}: {len(triangles)} triangles")
        return {
            "file": f"meshes/{file.name}",
            "size": [float(v) for v in size],
            "triangles": len(triangles),
            "closed": closed,
        }

    async def take_step(self, name: str, data: bytes) -> dict[str, Any]:
        """Put the solids of a STEP file of a browser into the folder ``meshes`` next to the model, as STL files in
        millimetres.

        Returns ``solids``: for each its ``name``, the answer of `take_mesh`, its exact ``volume`` (mm^3); and the
        ``scale`` from millimetres to the lengths of the model.  Raises ModelError where the file cannot be read, and
        where Open CASCADE is not installed.
        """
        self.project.writes()
        stem = "".join(c if c.isalnum() or c in " _-." else "_" for c in Path(name.replace("\\", "/")).stem).strip(". ")
        with tempfile.TemporaryDirectory(prefix="holonom-step-") as folder:
            file = Path(folder) / f"given{Path(name).suffix.lower()}"
            await asyncio.to_thread(file.write_bytes, data)
            request = {"file": str(file), "folder": folder}
            try:
                found = await answered("holonom.studio.step_solids", request, STEP_SECONDS)
            except ModelError as error:
                raise ModelError(str(error).replace(file.name, name)) from None
            solids = []
            for row in found["solids"]:
                part = "".join(c if c.isalnum() or c in " _-." else "_" for c in row["name"]).strip(". ")[:40]
                mesh = (Path(folder) / row["file"]).read_bytes()
                taken = await asyncio.to_thread(self.take_mesh, f"{stem[:36] or 'step'} {part or 'solid'}.stl", mesh)
                solids.append({**taken, "name": row["name"], "volume": row["volume"]})
        return {"solids": solids, "scale": 1e-3 / self.document.model.units.si_length}

    # ---- pages of plots ---------------------------------------------------------------------------------------------
    def _pages_file(self) -> Path:
        """Where they are kept: by the path of the model in the project."""
        base = self.document.base
        if base is None or base.parent == self.folder:
            return self.own(f"{base.name if base else 'new model'}.pages.json")
        number = hashlib.sha256(self.project.named(base).encode("utf-8", "surrogateescape")).hexdigest()[:8]
        return self.own(f"{base.name}-{number}.pages.json")

    def _read_pages(self) -> list[Any]:
        """Pages of plots of this model, as they were kept; none where the file is no such."""
        try:
            file = self._pages_file()
            if file.stat().st_size <= MAX_PAGES:
                return pages_of(json.loads(file.read_text(encoding="utf-8")))
        except FileNotFoundError:
            pass
        except (OSError, ValueError, RecursionError, ModelError) as error:
            self.say(f"the pages of plots that were kept cannot be read: {error}", "warning")
        return []

    async def _on_pages(self, message: dict) -> dict:
        """Keep pages of plots with the project; other windows get them, too."""
        pages = pages_of(message.get("pages"))
        if pages != self.pages:
            text = json.dumps(pages)
            if len(text) > MAX_PAGES:
                raise ModelError("these pages of plots are too many to be kept")
            self.pages = pages
            self.tell({"event": "pages", "pages": pages})
            try:
                await asyncio.to_thread(_written, self._pages_file(), text)
            except OSError as error:
                raise ModelError(f"pages of plots cannot be kept: {error.strerror or error}") from None
        return {}

    # ---- checks -----------------------------------------------------------------------------------------------------
    def frozen(self) -> Model:
        """The model as it is now: edits replace elements, so tables of them are all that must be kept."""
        model = self.document.model
        return model._with_tables({kind: dict(table) for kind, table in model._tables.items()})

    async def check(self) -> None:
        """Count freedoms and find faults in a process of its own; of several edits the last is checked."""
        if self._checking is not None:
            self._check_again = True
            return
        self._checking, twin, version = self.document, self.frozen(), self.document.version
        try:
            data = (await asyncio.to_thread(self._json.of, twin)).encode("utf-8")
        except (ModelError, ValueError) as error:
            self._check_ended({"version": version, "faults": str(error).splitlines()})
            return
        await self.checker.send({"do": "check", "version": version, "path": twin.path}, data)

    def _checked(self, header: dict, blob: bytes) -> None:
        state = {k: v for k, v in header.items() if k not in ("event", "task")}
        if header["event"] == "failed":
            state = {"version": self.document.version, "faults": [header["text"]]}
        self._check_ended(state)

    def _checker_ended(self, code: int) -> None:
        """The process that checks has ended: an error during a check; the next edit starts another process."""
        if self._checking is not None and not self._closing:
            words = f"the check of the model ended (code {code}); the next edit checks it again"
            self._check_ended({"version": self.document.version, "faults": [words]})

    def _check_ended(self, state: dict[str, Any]) -> None:
        """The state of the model that was checked, unless another document was opened meanwhile."""
        if self._checking is self.document:
            self._state(state)
        else:
            self._check_again = True
        self._checking = None
        if self._check_again:
            self._check_again = False
            self._spawn(self.check())

    def _state(self, state: dict[str, Any]) -> None:
        for key, kind in (
            ("faults", "error"),
            ("missing", "error"),
            ("warnings", "warning"),
            ("geometry", "warning"),
            ("redundant", "warning"),
        ):
            for text in state.get(key) or ():
                if text not in (self.state.get(key) or ()) and not (
                    key == "warnings"
                    and (text in self.document.model.warnings or text in [m["text"] for m in self.console[-50:]])
                ):  # said when it arose
                    self.say(f"redundant: {text}" if key == "redundant" else text, kind)
        if state.get("opened") and state["opened"] != self.state.get("opened"):
            self.say(f"joints are open as they are drawn; assembly closes them: {state['opened']}", "warning")
        self.state = state
        self.tell({"event": "state", "state": state})

    async def picture(self) -> bytes:
        """The scene of the present model (`scene`)."""
        async with self._scene_lock:
            document, version = self.document, self.document.version
            if self._scene[:2] != (document, version):
                base = document.base
                data = await asyncio.to_thread(scene, self.frozen(), base.parent if base else self.folder, version)
                self._scene = (document, version, data)
            return self._scene[2]

    def origin(self) -> list[float]:
        """Time about which poses are sent."""
        data = self._scene[2]
        return json.loads(data[4 : 4 + int.from_bytes(data[:4], "little")])["origin"] if data else [0.0, 0.0, 0.0]

    # ---- runs -------------------------------------------------------------------------------------------------------
    def _run_settings(self, given: Any) -> dict[str, Any]:
        if not isinstance(given, dict):
            raise ModelError("the settings of a run are missing")
        kind = given.get("kind") or "auto"
        if kind not in ANALYSES:
            raise ModelError(f"unknown analysis {shown(kind)}; choose one of {', '.join(ANALYSES)}")
        out: dict[str, Any] = {"kind": kind}
        if kind not in STILL:
            for name, least in (("end", 0.0), ("steps", 1.0)):
                try:
                    value = float(given.get(name))  # type: ignore[arg-type]
                except (TypeError, ValueError):
                    unit = self.document.model.units.symbol("time") if name == "end" else ""
                    wanted = wanted_number(given.get(name), unit)
                    raise ModelError(f"{name.capitalize()} is {shown(given.get(name))}; {wanted}") from None
                if not math.isfinite(value) or value < least or (name == "end" and value == 0.0):
                    raise ModelError(f"{name.capitalize()} is {value:g}; give a positive number")
                out[name] = value
            if out["steps"] != int(out["steps"]) or out["steps"] > MAX_STEPS:
                raise ModelError(f"Steps is {out['steps']:g}; give a whole number up to {MAX_STEPS}")
            out["steps"] = int(out["steps"])
        integrator = given.get("integrator")
        if integrator:
            if integrator not in METHODS:
                raise ModelError(f"unknown integrator {shown(integrator)}; choose one of {', '.join(METHODS)}")
            if kind in FREE:
                out["integrator"] = integrator
        coordinates = given.get("coordinates")
        if coordinates:
            if coordinates not in COORDINATES:
                raise ModelError(f"unknown coordinates {shown(coordinates)}; choose one of {', '.join(COORDINATES)}")
            if kind in ("auto", "dynamics"):
                out["coordinates"] = coordinates
        if given.get("error") not in (None, "") and kind in FREE:
            try:
                out["error"] = float(given["error"])
            except (TypeError, ValueError):
                raise ModelError(f"the error is {shown(given['error'])}; {wanted_number(given['error'])}") from None
        return out

    async def _on_run(self, message: dict) -> dict:
        self._free(study=False)
        settings = self._run_settings(message.get("settings"))
        self._settings = dict(settings)
        number, place = self.project.new_run()
        out = place / "run.h5"
        twin = self.frozen()
        self._made_with[number] = (self.document, self.document.steps[: self.document.position], True)
        try:
            text = script(self.document, settings, self.folder)
        except ModelError:
            text = ""
        for text in without_gravity(twin):
            if text not in [m["text"] for m in self.console]:
                self.say(text, "warning")
        inputs, numbers = inputs_of(twin), []
        if settings["kind"] == "interactive":
            numbers = parameters(twin)
            settings["pace"] = 1.0 if message.get("pace") is None else _finite(message["pace"], "the pace")
        self.running = {
            "number": number,
            "settings": settings,
            "time": 0.0,
            "end": settings.get("end"),
            "paused": False,
            "inputs": inputs,
            "parameters": numbers,
            "out": out,
            "script": text,
            "said": set(),  # messages of the solver that came while it ran
        }
        try:
            await self.picture()
            data = (await asyncio.to_thread(self._json.of, twin)).encode("utf-8")
            self.running["digest"] = hashlib.sha256(data).hexdigest()
            header = {
                "do": "run",
                "task": number,
                "settings": settings,
                "out": str(out),
                "path": twin.path,
                "origin": self.origin(),
            }
            self.say(
                f"run {number}: {settings['kind']}"
                + (f" to {settings['end']:g}, {settings['steps']} steps" if "end" in settings else "")
            )
            self.tell(
                {
                    "event": "run",
                    "state": "begun",
                    "number": number,
                    "settings": settings,
                    "inputs": inputs,
                    "parameters": numbers,
                }
            )
            await self.solver.send(header, data)
        except (ModelError, OSError) as error:
            self.running = None
            self.tell({"event": "run", "state": "ended", "number": number, "problem": str(error)})
            raise ModelError(str(error)) from None
        return {"number": number}

    async def _on_pause(self, message: dict) -> dict:
        return await self._control("pause", paused=True)

    async def _on_resume(self, message: dict) -> dict:
        return await self._control("resume", paused=False)

    async def _on_step(self, message: dict) -> dict:
        return await self._control("step", paused=True)

    async def _on_stop(self, message: dict) -> dict:
        return await self._control("stop")

    async def _wish(self, wish: dict[str, Any]) -> dict:
        if not self.running or self.running["settings"]["kind"] != "interactive":
            raise ModelError("there is no interactive run; choose Interactive as the analysis, and run it")
        await self.solver.send(wish)
        return {}

    async def _on_input(self, message: dict) -> dict:
        """An input of the run in progress gets a value, which other windows receive too."""
        number, value = message.get("id"), _finite(message.get("value"), "the value of an input")
        if not self.running or number not in [row[0] for row in self.running["inputs"]]:
            raise ModelError(f"there is no input {shown(number)} in the run in progress")
        self.tell({"event": "input", "id": number, "value": value})
        return await self._wish({"do": "input", "id": number, "value": value})

    async def _on_parameter(self, message: dict) -> dict:
        """A number of a force in the run in progress gets a value; other windows are notified."""
        key, value = message.get("key"), _finite(message.get("value"), "the value of a parameter")
        if not self.running or key not in [row[0] for row in self.running["parameters"]]:
            raise ModelError(f"there is no parameter {shown(key)} in the run in progress")
        self.tell({"event": "input", "key": key, "value": value})
        return await self._wish({"do": "parameter", "key": key, "value": value})

    async def _on_grab(self, message: dict) -> dict:
        """A hand takes hold of a body at ``point`` (3,) of its own axes; ``at`` (3,): where the hand is, in ground."""
        body = self.document.element(message.get("kind"), message.get("id"))
        if body.KIND not in ("PART", "POINT_MASS") or getattr(body, "ground", False):
            raise ModelError(f"{body.label} does not move; drag a part or a point mass")
        point, at = ([_finite(v, "a place") for v in message[n]] for n in ("point", "at"))
        if len(point) != 3 or len(at) != 3:
            raise ModelError("a position is three numbers")
        return await self._wish({"do": "grab", "kind": body.KIND, "id": body.id, "point": point, "at": at})

    async def _on_drag(self, message: dict) -> dict:
        at = [_finite(v, "a place") for v in message["at"]]
        if len(at) != 3:
            raise ModelError("a position is three numbers")
        return await self._wish({"do": "drag", "at": at})

    async def _on_release(self, message: dict) -> dict:
        return await self._wish({"do": "release"})

    def _on_kill(self, message: dict) -> dict:
        if self.running:
            self.solver.kill()
        return {}

    async def _control(self, what: str, **state: Any) -> dict:
        if not self.running:
            raise ModelError("no run is in progress")
        self.running.update(state)
        self.tell({"event": "run", "state": what, "number": self.running["number"]})
        await self.solver.send({"do": what})
        return {}

    def _heard(self, header: dict, blob: bytes) -> None:
        """A message of the solver."""
        what, run = header["event"], self.running
        if run is None or header.get("task") != run["number"]:
            return
        if what == "started":
            run["keys"] = header["keys"]
            self.tell({"event": "run", "state": "started", "number": run["number"], "keys": header["keys"]})
        elif what == "pose":
            run["time"] = header["t"]
            end = header.get("end") or header["t"]
            head = np.array([header["t"], header["t"] / end if end else 1.0], "<f8").tobytes()
            for window in self.windows:
                window.show(head + blob)
        elif what == "progress":
            run["time"] = header["t"]
            self.tell({"event": "progress", **{k: header.get(k) for k in ("t", "h", "end")}})
        elif what == "message":
            if header["text"] not in run["said"] and len(run["said"]) < MAX_LIVE:
                run["said"].add(header["text"])
                self.say(header["text"], header["kind"])
        elif what == "advice":
            self.say(f"run {run['number']}: {header['text']}", "advice", actions=header["actions"])
        elif what in ("done", "failed"):
            self._spawn(self._ended(run, header))

    async def _ended(self, run: dict[str, Any], header: dict) -> None:
        """A run has ended: its file is opened, whatever is in it."""
        if self.running is not run:
            return
        number, problem = run["number"], self.project.clean(str(header.get("problem") or header.get("text") or ""))
        answers = None
        if run["out"].is_file():
            try:
                answers = await asyncio.to_thread(self._load, run)
            except (ModelError, OSError, ValueError) as error:
                problem = problem or self.project.clean(str(error))
        if self.running is not run:
            return
        self.running = None
        if answers is not None and any(words in problem for words in FULL.values()):
            problem += f"; the first {len(answers.run)} rows are kept, to time {answers.run.time[-1]:.6g}"
        warned = header.get("warnings", ())
        for text in warned:
            if text not in run["said"]:
                self.say(text, "warning")
        for text in header.get("messages", ()):
            if text not in warned and text not in run["said"]:
                self.say(text, "solver")
        if problem:
            for text in problem.splitlines()[:20]:
                self.say(f"run {number}: {text}", "error")
        ended: dict[str, Any] = {
            "event": "run",
            "state": "ended",
            "number": number,
            "problem": problem,
            "stopped": header.get("stopped", ""),
        }
        if answers is not None:
            self.answers[number] = answers
            about = {
                "model": self.document.model.name[:200],
                "words": f"{run['settings']['kind']}, {len(answers.run)} rows",
                "digest": run.get("digest", ""),
            }
            with contextlib.suppress(OSError):
                _written(run["out"].with_name("about.json"), json.dumps(about))
            ended["results"] = await asyncio.to_thread(answers.listing)
            for text in await asyncio.to_thread(answers.missed):
                self.say(text, "warning")
            self.say(
                f"run {number} ended: {len(answers.run)} rows in {header.get('seconds', 0.0):.2f} s; "
                f"{self.project.named(run['out'])}"
            )
        ended["stale"] = self._file()["stale"]
        self.tell(ended)

    def _load(self, run: dict[str, Any]) -> Answers:
        from ..results.files.store import load

        found = load(run["out"])
        if not len(found):
            raise ModelError("the run has no rows")
        return Answers(found, run["number"], run["out"], run["settings"], run["script"])

    def _solver_ended(self, code: int) -> None:
        run = self.running
        if run is not None:
            words = (
                f"the solver's process has ended (code {code}); the results so far are kept, and the next run "
                "starts another one"
            )
            self._spawn(self._ended(run, {"problem": words}))

    def run_of(self, number: Any) -> Answers:
        """A run that has ended.  Raises ModelError where there is none."""
        found = self.answers.get(number)
        if found is None:
            raise ModelError(f"there is no run {shown(number)} in this session")
        return found

    async def _on_peaks(self, message: dict) -> dict:
        return {"peaks": await asyncio.to_thread(self.run_of(message.get("run")).peaks)}

    async def _on_wrenches(self, message: dict) -> dict:
        time = message.get("time")
        if not isinstance(time, (int, float)) or not math.isfinite(time):
            raise ModelError(f"the time is {shown(time)}; give a number")
        return {"rows": await asyncio.to_thread(self.run_of(message.get("run")).wrenches, float(time))}

    def _on_runs(self, message: dict) -> dict:
        """Runs that lie in the project: number, when they were computed, and what is known of them."""
        found = []
        for file in sorted(self.own("runs").glob("*/run.h5"))[-MAX_RUNS:]:
            if file.parent.name.isdigit() and file.resolve().is_relative_to(self.project.home):
                about = self._about(int(file.parent.name))
                words = {k: str(about[k])[:200] for k in ("model", "words") if k in about}
                found.append({"number": int(file.parent.name), "time": file.stat().st_mtime, **words})
        return {"runs": found}

    def _about(self, number: int) -> dict[str, Any]:
        """Data kept about a run in addition to its results."""
        try:
            with self.own(f"runs/{number:04d}/about.json").open("rb") as known:
                about = json.loads(known.read(MAX_ABOUT))
        except (OSError, ValueError, RecursionError, ModelError):
            return {}
        return about if isinstance(about, dict) else {}

    async def _on_fetch(self, message: dict) -> dict:
        """Open a run that an earlier session has computed."""
        number = message.get("run")
        if not isinstance(number, int) or isinstance(number, bool) or not 0 < number < 10**9:
            raise ModelError(f"there is no run {shown(number)}")
        if number not in self.answers:
            file = self.own(f"runs/{number:04d}/run.h5")
            if not file.is_file() or (self.running and self.running["number"] == number):
                raise ModelError(f"there is no run {number} in this project")
            answers = await asyncio.to_thread(self._load, {"out": file, "number": number, "settings": {}, "script": ""})
            self.answers[number] = answers
            data = (await asyncio.to_thread(self._json.of, self.frozen())).encode("utf-8")
            digest = self._about(number).get("digest")  # runs of older versions have none
            same = digest in (None, hashlib.sha256(data).hexdigest())
            steps = self.document.steps[: self.document.position]
            self._made_with[number] = (self.document if same and digest else None, steps, same)
            self.tell(
                {
                    "event": "run",
                    "state": "fetched",
                    "number": number,
                    "results": await asyncio.to_thread(answers.listing),
                    "stale": self._file()["stale"],
                }
            )
            self.say(f"run {number} of '{answers.run.model.name}' was opened: {len(answers.run)} rows")
        return {"number": number}

    async def _on_export(self, message: dict) -> dict:
        """Write a run as a film, glTF or report into the project."""
        answers, path = self.run_of(message.get("run")), self.project.target(message.get("file"))
        if path.exists() and not message.get("over"):
            return {"exists": self.project.named(path)}
        base = self.document.base
        self.say(f"writing {path.name}")
        draft = path.with_name(f".{path.stem}.{secrets.token_hex(4)}{path.suffix}")  # whole or not at all
        try:
            for text in await asyncio.to_thread(answers.write, draft, message, base.parent if base else self.folder):
                self.say(f"{path.name}: {text}".replace(draft.name, path.name), "warning")
            draft.replace(path)
        except (OSError, ModelError) as error:
            text = (getattr(error, "strerror", None) or str(error)).replace(draft.name, path.name)
            raise ModelError(f"{path.name} was not written: {text}") from None
        finally:
            draft.unlink(missing_ok=True)
        self.say(f"saved {path.name}")
        return {"file": path.name}

    async def close(self) -> None:
        """Keep what is not saved, and end the processes."""
        self._closing = True
        for task in (self._later, self._keeping, self._study):
            if task is not None:
                task.cancel()
        self.keep()
        self.project.release()
        await asyncio.gather(self.solver.close(), self.checker.close(), self.studies.close())


def shipped_vehicles() -> list[str]:
    """Names of the vehicle files that come with the package."""
    return sorted(p.stem for p in (EXAMPLES.parent / "vehicle" / "data").glob("*.json"))


def _words(names: list[str]) -> str:
    return ", ".join(names)


def is_vehicle(path: Path) -> bool:
    """Whether a file is a vehicle file: not a model, with axles.  No other judgement: its reader has the sentences."""
    if path.suffix.lower() != ".json":
        return True
    try:
        data = json.loads(path.read_bytes()[: 16 * 2**20])
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(data, dict) and "format" not in data and {"front", "rear", "chassis"} <= data.keys()


def times_of(commands: Any) -> dict[str, Any]:
    """End and number of output steps of one run over the time of all SIMULATE commands of a script, with the output
    interval of the longest; empty where none has an end.  As in Adams, a command that ends before its first DTOUT has
    an output at its end."""
    time, longest, interval = 0.0, 0.0, None
    for command in commands:
        if type(command).__name__ != "Simulate":
            continue
        end = command.end if command.end is not None else time + command.duration if command.duration else None
        if end is None or not end > time:
            continue
        if end - time > longest:
            longest = end - time
            interval = command.dtout or (longest / command.steps if command.steps else None)
        time = float(end)
    if not time:
        return {}
    steps = round(time / interval) if interval else 200
    return {"end": time, "steps": int(min(MAX_STEPS, max(1, steps)))}


def _finite(value: Any, what: str) -> float:
    """A number of a message.  Raises ModelError for what is none."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise ModelError(f"{what} is {shown(value)}; {wanted_number(value)}")
    return float(value)


def pages_of(data: Any) -> list[dict[str, Any]]:
    """Pages of plots as a browser or a file gives them, with what belongs to them alone.  Raises ModelError for what
    are none."""
    text = lambda v, most=200: v[:most] if isinstance(v, str) else ""
    curve = lambda c: {k: text(c.get(k)) for k in ("name", "part", "unit")} if isinstance(c, dict) else None

    def plot(p: Any) -> dict[str, Any]:
        given = p.get("state") if isinstance(p.get("state"), dict) else {}
        state: dict[str, Any] = {k: text(given[k], 20) for k in ("change", "filter") if k in given}
        state |= {
            k: given[k]
            for k in ("width", "reference", "log")
            if isinstance(given.get(k), (int, float)) and math.isfinite(given[k])
        }
        return {
            "curves": [c for c in map(curve, p.get("curves") or ()) if c and c["name"]][:24],
            "x": curve(p.get("x")),
            "state": state,
        }

    try:
        pages = [{"name": text(p["name"], 60), "plots": [plot(one) for one in p["plots"][:12]]} for p in data[:20]]
    except (TypeError, KeyError, AttributeError, ValueError):
        raise ModelError("pages of plots are a list of tables with 'name' and 'plots'") from None
    return pages


def _written(file: Path, text: str) -> None:
    """Put a text into a file of the Studio, whole or not at all."""
    file.parent.mkdir(exist_ok=True)
    write_whole(file, text.encode("utf-8"))
