"""A worker process of a study: reads one line of JSON per run, answers with one line.

Run as a file, ``python worker.py``, so that it loads nothing but the function of the study and what that imports.  The
first line is the job (`functions.Target` or a model with its analyses), the following ones are runs.  What the function
prints goes to standard error: standard output belongs to the protocol.
"""

from __future__ import annotations

import difflib
import errno
import importlib
import importlib.util
import inspect
import json
import math
import os
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Mapping
from typing import Any

UNKEPT = "unkept"  # status of a run whose files could not be written: it is no row, and is computed again
MOST_WARNINGS = 20
LONGEST = 2000  # characters of a message
LOADING = "holonom_study_is_loading"  # in a worker, while it imports the function
WORKER = "holonom_study_worker"  # in a worker: Ctrl-C goes to the study, so an interrupt is an error of the function


def load(target: Mapping[str, Any]) -> Callable[..., Any]:
    """The function that ``file`` or ``module`` and ``name`` mean.  Raises NotLoaded, and what the file
    raises."""
    if target.get("file"):
        path = target["file"]
        folder = os.path.dirname(path)
        if folder not in sys.path:
            sys.path.insert(0, folder)
        label = "holonom_study_" + os.path.splitext(os.path.basename(path))[0]
        spec = importlib.util.spec_from_file_location(label, path)
        if spec is None or spec.loader is None:
            raise ImportError(f"'{path}' is not a Python file")
        module = importlib.util.module_from_spec(spec)
        sys.modules[label] = module
        spec.loader.exec_module(module)
    else:
        module = importlib.import_module(target["module"])
    found: Any = module
    for part in target["name"].split("."):
        if not hasattr(found, part):
            close = difflib.get_close_matches(part, [n for n in vars(module) if n[:1] != "_"], n=1)
            where = os.path.basename(target["file"]) if target.get("file") else target["module"]
            hint = f"; did you mean '{close[0]}'?" if close else ""
            raise NotLoaded(f"{where} has no function '{target['name']}'{hint}")
        found = getattr(found, part)
    if not callable(found):
        raise NotLoaded(f"'{target['name']}' is not a function, but a {type(found).__name__}")
    return found


def _arguments(function: Callable[..., Any], kind: str) -> Mapping[str, inspect.Parameter]:
    """Arguments of the function of a study.  Raises NotLoaded for one that cannot be called with a dictionary of
    values, and ``seed`` and ``keep`` where it has them."""
    try:
        signature = inspect.signature(function)
    except ValueError:  # of a function in C, which does not state it
        return {}
    known = signature.parameters
    if kind == "model" and not known:  # a function that builds the model without parameters
        return known
    try:
        signature.bind({}, **{n: None for n in ("seed", "keep") if n in known and n != next(iter(known))})
    except TypeError:
        raise NotLoaded(
            "the function of a study takes one argument, the dictionary of values (seed and keep are optional): "
            f"def {getattr(function, '__name__', 'function')}(values), not {signature}"
        ) from None
    return known


def _same_values(function: Callable[..., Any], expected: Mapping[str, str]) -> None:
    """Raise NotLoaded where a function reads other values of its module than in the session of the study."""
    from holonom.studies.functions import values_read

    own = values_read(function)
    other = sorted(n for n, v in expected.items() if own.get(n) != v)
    if other:
        raise NotLoaded(
            f"in a worker process {', '.join(other[:3])} of the module of '{function.__name__}' differ from the "
            "session that runs the study (they depend on the command line, on files, or were changed after import); "
            "give such values as parameters, or run with workers=0"
        )


class Evaluator:
    """What a job computes: a call returns the fields of a `Row` that depend on the parameters.

    ``function``: given in place of one that is loaded, for runs in this process."""

    def __init__(self, job: Mapping[str, Any], function: Callable[..., Any] | None = None) -> None:
        self.kind = job["kind"]
        self.function = function
        if job.get("target") and function is None:
            self.function = load(job["target"])
            if job.get("read"):
                _same_values(self.function, job["read"])
        known = _arguments(self.function, job["kind"]) if self.function is not None else {}
        self.seeded, self.keeps = "seed" in known, "keep" in known
        self.simulated: Any = None
        if self.kind == "model":
            from holonom.studies.simulation import Simulated

            self.simulated = Simulated(job, self.function)
        elif self.kind == "vehicle":
            from holonom.studies.vehicles import VehicleMeasured

            self.simulated = VehicleMeasured(job)

    def __call__(self, values: dict[str, Any], seed: int, keep: str | None = None) -> dict[str, Any]:
        """Status, sentence and time of a failure, measures, energy error, warnings, CPU and wall seconds.  ``keep``:
        the path of files with full results, without analysis and ending."""
        out: dict[str, Any] = {"status": "ok", "message": "", "time": None, "measures": {}, "energy_error": None}
        cpu, wall = time.process_time(), time.perf_counter()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                if self.simulated is not None:
                    measures, out["energy_error"] = self.simulated(values, keep)
                    out["measures"] = checked(measures)
                else:
                    given: dict[str, Any] = {"seed": seed} if self.seeded else {}
                    if self.keeps:
                        given["keep"] = f"{keep}.h5" if keep else None
                    elif keep:
                        raise NotKept("the function has no argument keep; write it as def function(values, keep)")
                    out["measures"] = checked(self.function(dict(values), **given))  # type: ignore[misc]
            except BaseException as error:  # noqa: BLE001  a study goes on, whatever its function raises
                if isinstance(error, KeyboardInterrupt) and not hasattr(sys.modules["__main__"], WORKER):
                    raise
                status = UNKEPT if disk_full(error) else "failed"
                out |= {"status": status, "message": sentence(error), "measures": {}, "energy_error": None}
                at = getattr(error, "time", None)
                if isinstance(at, (int, float)) and math.isfinite(at):
                    out["time"] = float(at)
        out["warnings"] = list(dict.fromkeys(text_of(w.message)[:LONGEST] for w in caught))[:MOST_WARNINGS]
        out["cpu"], out["wall"] = time.process_time() - cpu, time.perf_counter() - wall
        return out


def disk_full(error: BaseException) -> bool:
    """Whether a run ended because its files could not be written, which its parameters did not cause."""
    full = isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)
    return full or type(error).__name__ == "NotKept"


class NotKept(ValueError):
    """The function of a study that keeps full results does not write any."""


class NotLoaded(ValueError):
    """The function of a study does not exist, or cannot be called by it."""


class MeasureError(ValueError):
    """Measures that are missing or not finite."""


def checked(found: Any) -> dict[str, float]:
    """Measures as finite numbers.  Raises MeasureError that names the one that is not."""
    if not isinstance(found, Mapping):
        raise MeasureError(f"the function must return a dictionary of measures, got {type(found).__name__}")
    if not found:
        raise MeasureError("the function returned no measures; return a dictionary of name and number")
    out = {}
    for name, value in found.items():
        if not isinstance(name, str) or not name:
            raise MeasureError(f"the name of a measure must be a text, got {name!r}")
        if name != text_of(name):
            raise MeasureError(f"the name of a measure must be a text that UTF-8 can hold, got {name!r}")
        try:
            if isinstance(value, (str, bytes)) or type(value).__name__ in ("bool", "bool_"):
                raise TypeError  # float takes them, but they are no quantities
            number = float(value)
        except (TypeError, ValueError):
            raise MeasureError(f"measure '{name}' must be a number, got {type(value).__name__}") from None
        except OverflowError:
            raise MeasureError(f"measure '{name}' is too large for a number of the file") from None
        if not math.isfinite(number):
            raise MeasureError(f"measure '{name}' is {number}, which is not a finite number")
        out[name] = number
    return out


def text_of(said: Any) -> str:
    """What an error or a warning says, as a text that a file can hold, whatever its class does."""
    try:
        text = str(said)
    except Exception as error:  # noqa: BLE001  of a class whose __str__ fails
        text = f"its text cannot be made: {type(error).__name__}"
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def sentence(error: BaseException) -> str:
    """An error as a text: that of Holonom's errors as it is, of others with type and line."""
    text = text_of(error).strip()
    names = {c.__name__ for c in type(error).__mro__}
    if isinstance(error, MemoryError):
        return "there is not enough memory for this run"
    if text and names & {"ModelError", "MeasureError", "NotLoaded", "NotKept"}:
        return text[:LONGEST]
    frames = traceback.extract_tb(error.__traceback__)
    where = f" ({os.path.basename(frames[-1].filename)}, line {frames[-1].lineno})" if frames else ""
    return (f"{type(error).__name__}: {text}" if text else type(error).__name__)[:LONGEST] + where


def end_with_parent() -> None:
    """Ask the system to end this process with the one that started it (Linux); elsewhere the end of standard input
    does, after the run at hand."""
    if sys.platform.startswith("linux"):
        import ctypes
        import signal

        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def main() -> None:
    """The loop of a worker."""
    end_with_parent()
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def answer(found: dict[str, Any]) -> None:
        answers.write(json.dumps(found, ensure_ascii=False, allow_nan=False) + "\n")
        answers.flush()

    setattr(sys.modules["__main__"], WORKER, True)
    lines = iter(sys.stdin.buffer.readline, b"")
    start = json.loads(next(lines))
    sys.path[:] = start["path"]
    try:
        sys.modules["__main__"].__dict__[LOADING] = True  # a script that starts the study again is refused (`Study`)
        evaluate = Evaluator(start["job"])
        del sys.modules["__main__"].__dict__[LOADING]
    except BaseException as error:  # noqa: BLE001
        answer({"ready": False, "message": sentence(error)})
        return
    answer({"ready": True})
    for line in lines:
        task = json.loads(line)
        found = evaluate(task["values"], task["seed"], task.get("keep"))
        answer(found | {"number": task["number"]})


if __name__ == "__main__":
    try:
        main()
    except (BrokenPipeError, StopIteration, KeyboardInterrupt):
        os._exit(0)  # the study has ended
