"""Studies of a Studio: of the parameters table, and those of the project."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from ..model import ModelError
from ..model.base import shown
from .document import Document
from .live import parameters
from .processes import answered
from .project import write_whole
from .sweeps import count_of, request_of

STUDY_SECONDS = 24 * 3600.0  # that a study of the parameters table may take
STUDY_LOOK = 0.5  # seconds between two counts of its runs
DESIGN_SECONDS = 600.0  # that the model of a study may take to be built
MAX_STUDIES = 10_000  # of a project


class Studies:
    """Requests on studies, as a part of `session.Session`."""

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
