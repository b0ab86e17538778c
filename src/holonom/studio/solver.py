"""The process that computes for the Studio:  python -m holonom.studio.solver.  It reads messages (`frames`) from
standard input and writes its own to standard output; a thread listens while it computes, so that a run can be paused,
carried on by a row, and stopped.

Numbers are those of `simulate`: rows go to the run's file, and poses are checked as they are stored, at most ``RATE``
times a second.
"""

from __future__ import annotations

import _thread
import logging
import os
import sys
import threading
import time as clock
import warnings
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import numpy as np

from . import advice, frames
from .still import without_gravity

MODES = ("modes", "modes at equilibrium")
RATE = 30.0  # pictures a second, at most
WISHES = ("input", "parameter", "grab", "drag", "release")
WAIT = 0.05  # seconds between two checks whether a pause has ended


class Messages(logging.Handler):
    """What the package logs goes to the server as messages of the run in progress."""

    def __init__(self, solver: Solver) -> None:
        super().__init__(logging.INFO)
        self.solver = solver

    def emit(self, record: logging.LogRecord) -> None:
        """Send one message."""
        self.solver.message(record.getMessage(), "warning" if record.levelno >= logging.WARNING else "solver")


class Stopped(KeyboardInterrupt):
    """The user has stopped the run."""


class Solver:
    """Answers to messages: ``check`` and ``run`` are done one after another, the others act on the run in progress."""

    def __init__(self, source: Any, target: Any) -> None:
        self.source, self.target = source, target
        self.tasks: SimpleQueue = SimpleQueue()
        self.wishes: SimpleQueue = SimpleQueue()  # of a hand, see `live`
        self.lock = threading.Lock()
        self.paused = self.stop = self.running = False
        self.rows_left = 0  # that a paused run may still make
        self.task: Any = None  # number of the run in progress

    def say(self, header: dict[str, Any], blob: bytes = b"") -> None:
        """One message to the server."""
        with self.lock:
            self.target.write(frames.packed(header, blob))
            self.target.flush()

    def listen(self) -> None:
        """Messages from the server, until it goes away; then this process ends, too."""
        while (message := frames.read(self.source)) is not None:
            what = message[0].get("do")
            if what in ("run", "check"):
                self.tasks.put(message)
            elif what == "pause":
                self.paused, self.rows_left = True, 0
            elif what == "step":
                self.paused, self.rows_left = True, 1
            elif what == "resume":
                self.paused = False
            elif what in WISHES:
                self.wishes.put(message[0])
            elif what == "stop" and self.running:
                self.stop = True
                _thread.interrupt_main()
        os._exit(0)

    def work(self) -> None:
        """Tasks as they come."""
        while True:
            try:
                header, blob = self.tasks.get(timeout=3600.0)
                if header["do"] == "check":
                    self.check(header, blob)
                else:
                    self.run(header, blob)
            except KeyboardInterrupt:  # a stop that came when nothing ran any more
                continue
            except Exception as error:
                if type(error).__name__ == "Empty":
                    continue
                self.say(
                    {"event": "failed", "task": header.get("task"), "text": f"{type(error).__name__}: {error}"[:2000]}
                )

    # ---- tasks ------------------------------------------------------------------------------------------------------
    def check(self, header: dict[str, Any], blob: bytes) -> None:
        """What `analyses.checks.check` says of a model."""
        from ..analyses.checks.check import check
        from ..model import ModelError

        answer: dict[str, Any] = {"event": "checked", "task": header.get("task"), "version": header.get("version")}
        try:
            model = model_of(header, blob)
            found = check(model)
        except ModelError as error:
            self.say({**answer, "faults": str(error).splitlines()})
            return
        self.say(
            {
                **answer,
                "faults": found.faults[:200],
                "missing": found.missing[:50],
                "warnings": [*found.warnings[:50], *without_gravity(model)],
                "geometry": found.geometry[:50],
                "degrees_of_freedom": found.degrees_of_freedom,
                "bodies": found.bodies,
                "equations": found.equations,
                "redundant": [text.rpartition(" [in Adams ")[0] for text in found.redundant_by_joint],
                "moved": found.moved,
                "opened": found.opened,
            }
        )

    def run(self, header: dict[str, Any], blob: bytes) -> None:
        """`simulate`, a run that a hand acts on (`live`), or modes, with poses and progress."""
        from .._warnings import model_warnings_to
        from ..integrators.stepper import IntegrationError
        from ..model import ModelError

        task, settings = header.get("task"), dict(header["settings"])
        out = Path(header["out"])
        begun, answer = clock.monotonic(), {"event": "done", "task": task}
        self.stop = self.paused = False
        problem: BaseException | None = None
        result: Any = None
        try:
            model = model_of(header, blob)
            origin, end = np.asarray(header.get("origin") or (0.0, 0.0, 0.0), float), settings.get("end")
            self.model, self.pace = model, advice.Pace(end)
            if faster := advice.grains(model, settings) if settings["kind"] in advice.FREE else []:
                text = "the granular solver can run the grains of this model, many times faster"
                self.say({"event": "advice", "task": task, "text": text, "actions": faster})
            bodies = (
                [e for e in model.parts.values() if not e.ground]
                + list(model.table("POINT_MASS").values())
                + model.nodes()
            )
            self.say({"event": "started", "task": task, "keys": [[e.KIND, e.id] for e in bodies]})
            last = 0.0

            def follow(t: float, row: dict[str, Any]) -> None:
                nonlocal last
                now = clock.monotonic()
                if now - last >= 1.0 / RATE or self.paused:
                    last = now
                    self.pose(task, t, end, row, origin)
                while self.paused and not self.stop:
                    if self.rows_left:
                        self.rows_left -= 1
                        break
                    clock.sleep(WAIT)
                if self.stop:
                    raise Stopped

            def progress(t: float, h: float) -> None:
                if self.stop:  # the interruption came where Python drops exceptions, such as in a destructor
                    raise KeyboardInterrupt
                self.say({"event": "progress", "task": task, "t": t, "h": h, "end": end})
                self.warn_of_length(task, t, settings)

            self.running, self.task = True, task
            with model_warnings_to(lambda text: self.message(text, "warning")):
                result = self.computed(model, settings, out, follow, progress)
        except (ModelError, IntegrationError) as error:
            problem, result = error, getattr(error, "run", None)
        except KeyboardInterrupt:
            problem = ModelError("stopped before there were results")
        except (ValueError, MemoryError, ArithmeticError) as error:
            problem = ModelError(f"{type(error).__name__}: {error}")
        finally:
            self.running, self.task = False, None
        if result is not None and len(result):
            if problem is not None:
                result.info["failed"] = str(problem)
            if result.file != out:
                try:
                    result.save(out)
                except ModelError as error:  # as on a full disk: rows that were written before remain
                    problem = problem or error
            answer |= {
                "rows": len(result),
                "messages": result.info.get("messages", [])[:200],
                "warnings": result.info.get("warnings", [])[:100],
                "stopped": str(result.info.get("stopped") or ""),
                "last": float(result.time[-1]),
            }
        self.say(
            {**answer, "problem": str(problem) if problem is not None else "", "seconds": clock.monotonic() - begun}
        )

    def message(self, text: str, kind: str = "solver") -> None:
        """A message of the run in progress, as it comes."""
        if self.task is not None:
            self.say({"event": "message", "task": self.task, "text": text[:4000], "kind": kind})

    def warn_of_length(self, task: Any, t: float, settings: dict[str, Any]) -> None:
        """Once, where the run will take long: how long, and what may make it shorter."""
        left = self.pace.update(t, clock.monotonic())
        if left is None:
            return
        unit, end = self.model.units.symbol("time"), settings["end"]
        text = f"the run is at {t:.4g} of {end:g} {unit}, and about {advice.duration(left)} are left"
        self.say({"event": "advice", "task": task, "text": text, "actions": advice.actions(self.model, settings)})

    def computed(self, model: Any, settings: dict[str, Any], out: Path, follow: Any, progress: Any = False) -> Any:
        """The `Run` of what the settings require."""
        from ..analyses.session.simulate import simulate

        kind = settings["kind"]
        if kind == "interactive":
            from .live import Live

            while not self.wishes.empty():
                self.wishes.get()
            live = Live(model, self.wishes, follow, out)
            live.report = lambda text: print(text, file=sys.stderr, flush=True)
            return live.run(**{k: v for k, v in settings.items() if k != "kind"})
        if kind not in MODES:
            return simulate(model, **settings, keep=out, follow=follow, progress=progress)
        from ..analyses.session.simulation import Simulation

        sim = Simulation(model, progress=progress)
        sim.work = False
        sim.recorder.follow = follow
        if kind == "modes":
            sim.initial()
        else:
            sim.statics()
        sim.linearize()
        return sim.run()

    def pose(self, task: Any, t: float, end: Any, row: dict[str, Any], origin: np.ndarray) -> None:
        """Positions and quaternions of all bodies at a row, as 32-bit numbers about the origin of the picture."""
        poses = np.concatenate([row["body_position"] - origin, row["body_quaternion"]], axis=1)
        self.say({"event": "pose", "task": task, "t": t, "end": end}, np.ascontiguousarray(poses, "<f4").tobytes())


def model_of(header: dict[str, Any], blob: bytes) -> Any:
    """The model of a message, which lies where its file lies."""
    from ..elements import kinds  # noqa: F401  (types of forces that register themselves)
    from ..model import Model

    model = Model.from_json(blob.decode("utf-8"))
    model.path = header.get("path")
    return model


def main() -> None:
    """Serve the process at the other end of standard input and output; what libraries print goes to standard error."""
    target = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    from .._compiling import notice
    from .._warnings import LOG, ModelWarning

    notice.log = True
    warnings.simplefilter("ignore", ModelWarning)  # they are in the answers
    solver = Solver(sys.stdin.buffer, target)
    LOG.setLevel(logging.INFO)
    LOG.propagate = False
    LOG.addHandler(Messages(solver))
    threading.Thread(target=solver.listen, daemon=True).start()
    from ..analyses.session import simulate  # noqa: F401  (what takes long to load is loaded before it is requested)

    solver.work()


if __name__ == "__main__":
    main()
