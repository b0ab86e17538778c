"""Runs of a Studio: their settings, what windows ask of them, and what the solver reports."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import math
import secrets
from typing import Any

import numpy as np

from ..integrators.methods import METHODS, NUMBERINGS
from ..model import ModelError
from ..model.base import shown
from .answers import Answers, script
from .forms import finite_number, wanted_number
from .live import inputs_of, parameters
from .project import FULL, write_text
from .still import without_gravity

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
STILL = ("statics", "initial", "modes", "modes at equilibrium")  # without an end
MAX_STEPS = 1_000_000
MAX_RUNS = 500  # that are listed
MAX_ABOUT = 10_000  # bytes of what is kept about a run
MAX_LIVE = 500  # messages of a run that are shown as they come


class Runs:
    """Requests on runs, as a part of `session.Session`."""

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
            if coordinates not in NUMBERINGS:
                raise ModelError(f"unknown coordinates {shown(coordinates)}; choose one of {', '.join(NUMBERINGS)}")
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
            settings["pace"] = 1.0 if message.get("pace") is None else finite_number(message["pace"], "the pace")
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
        number, value = message.get("id"), finite_number(message.get("value"), "the value of an input")
        if not self.running or number not in [row[0] for row in self.running["inputs"]]:
            raise ModelError(f"there is no input {shown(number)} in the run in progress")
        self.tell({"event": "input", "id": number, "value": value})
        return await self._wish({"do": "input", "id": number, "value": value})

    async def _on_parameter(self, message: dict) -> dict:
        """A number of a force in the run in progress gets a value; other windows are notified."""
        key, value = message.get("key"), finite_number(message.get("value"), "the value of a parameter")
        if not self.running or key not in [row[0] for row in self.running["parameters"]]:
            raise ModelError(f"there is no parameter {shown(key)} in the run in progress")
        self.tell({"event": "input", "key": key, "value": value})
        return await self._wish({"do": "parameter", "key": key, "value": value})

    async def _on_grab(self, message: dict) -> dict:
        """A hand takes hold of a body at ``point`` (3,) of its own axes; ``at`` (3,): where the hand is, in ground."""
        body = self.document.element(message.get("kind"), message.get("id"))
        if body.KIND not in ("PART", "POINT_MASS") or getattr(body, "ground", False):
            raise ModelError(f"{body.label} does not move; drag a part or a point mass")
        point, at = ([finite_number(v, "a place") for v in message[n]] for n in ("point", "at"))
        if len(point) != 3 or len(at) != 3:
            raise ModelError("a position is three numbers")
        return await self._wish({"do": "grab", "kind": body.KIND, "id": body.id, "point": point, "at": at})

    async def _on_drag(self, message: dict) -> dict:
        at = [finite_number(v, "a place") for v in message["at"]]
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
                write_text(run["out"].with_name("about.json"), json.dumps(about))
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
