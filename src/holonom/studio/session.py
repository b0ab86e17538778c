"""What all windows of a Studio share: the project's folder, the document, the run in progress and the runs that ended.

Requests of windows are tables with ``do``; `Session.answer` carries them out one after another, so that two windows
never meet half an edit, and changes are sent to all of them.  A session knows no browser: `server` connects it with
one.
"""

from __future__ import annotations

import asyncio
import contextlib
import difflib
import json
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
from .forms import finite_number
from .json_text import JsonText
from .processes import Process, answered
from .project import Project, digest_of, write_whole
from .project_studies import STORE, ProjectStudies, is_study_file
from .properties import blank, model_properties, outline, outlined, properties
from .scene import same_scene, scene
from .session_pages import Pages
from .session_runs import ANALYSES, Runs, times_of
from .session_studies import Studies
from .session_unsaved import Unsaved
from .session_vehicles import Vehicles, is_vehicle, shipped_vehicles
from .snaps import snap_points
from .start import examples, models_of
from .vehicles import MANOEUVRES

RESULTS = ".h5"
VEHICLES = (".json", ".yaml", ".yml")  # of vehicle files
ENDINGS = (".adm", ".json", ".cmd", *ROBOTS, ".yaml", ".yml", RESULTS, STORE)
READ_ONLY = (".cmd", *ROBOTS)  # models that are written as .adm
STEP_SECONDS = 300.0  # that a STEP file may take to be read
TABLE_FIELDS = {"SPLINE": ("x", "y", "z"), "MATRIX": ("rows", "columns", "values")}  # fields that a table editor shows
MAX_MESSAGES = 2000
MAX_SAME = 1000  # files of one name
MAX_WAITING = 20_000  # messages for a window that does not read
SOON = 0.03  # seconds after an edit in which windows fetch the new values, before the picture
LATER = 0.15  # seconds without an edit before the model is checked; least time between two pictures of steady edits
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


class Session(Unsaved, Studies, Vehicles, Pages, Runs):
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

    async def _on_new(self, message: dict) -> dict:
        """A new model: ``name``, ``units``, and ``gravity``: its size in m/s^2 against the axis ``up`` ("+z")."""
        self._free()
        name, units = message.get("name") or "model", message.get("units") or "SI"
        document = Document.new(str(name), str(units))
        size, up = message.get("gravity"), str(message.get("up") or "+z")
        if up not in UPWARD:
            raise ModelError(f"the upward axis is {shown(up)}; choose one of {', '.join(UPWARD)}")
        if size not in (None, "", 0):
            size = finite_number(typed(size), "gravity")
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

    async def close(self) -> None:
        """Keep what is not saved, and end the processes."""
        self._closing = True
        for task in (self._later, self._keeping, self._study):
            if task is not None:
                task.cancel()
        self.keep()
        self.project.release()
        await asyncio.gather(self.solver.close(), self.checker.close(), self.studies.close())
