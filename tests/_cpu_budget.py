"""CPU seconds of the tests by folder, against the budgets of `cpu_budgets.toml`.

CPU time, child processes included, does not depend on what else the machine does; wall-clock time does.  Only a run of
the whole fast suite fails, and only where a folder takes more than twice its budget: kernels that other folders have
compiled, or have not, decide where compilation is counted.

The dearest tests are listed too, each with the part of its CPU seconds in which its own process compiled;
``HOLONOM_CPU_LIST=FILE`` writes all tests of a run to a file.
"""

from __future__ import annotations

import os
import sys
import time
import tomllib
from pathlib import Path

FILE = Path(__file__).with_name("cpu_budgets.toml")
TIMES = 2.0  # a folder may take this many times its budget before the run fails
FILES = "files"  # the tests that lie in no folder
DEAREST = 20  # tests that the summary of a whole run lists
LIST = "HOLONOM_CPU_LIST"


def budgets() -> dict[str, float]:
    """CPU seconds by folder."""
    return {name: float(x) for name, x in tomllib.loads(FILE.read_text(encoding="utf-8"))["cpu_seconds"].items()}


def cpu() -> float:
    """CPU seconds of this process and of the children that have ended."""
    t = os.times()
    return time.process_time() + t.children_user + t.children_system


def folder_of(nodeid: str) -> str:
    """Folder of a test below ``tests``."""
    parts = nodeid.partition("::")[0].split("/")
    parts = parts[parts.index("tests") + 1 :] if "tests" in parts else parts
    return parts[0] if len(parts) > 1 else FILES


def whole(config) -> bool:
    """Whether all fast tests run: no file, name or mark has been chosen but "not slow"."""
    chosen = any(getattr(config.option, name, None) for name in ("keyword", "lf", "deselect", "collectonly"))
    paths = [str(config.rootpath / p) for p in config.getini("testpaths")]
    given = [str(Path(config.invocation_params.dir, a)) for a in config.args]
    return not chosen and config.option.markexpr == "not slow" and (given == paths or set(given) == set(paths))


def beyond(spent: dict[str, float], allowed: dict[str, float]) -> list[str]:
    """A sentence for each folder that takes more than ``TIMES`` its budget, or has none."""
    out = []
    for name, seconds in sorted(spent.items()):
        if name not in allowed:
            out.append(f"tests/{name} took {seconds:.0f} CPU s and has no budget; give it one in {FILE.name}")
        elif seconds > TIMES * allowed[name]:
            out.append(
                f"tests/{name} took {seconds:.0f} CPU s, more than {TIMES:g} times its budget of {allowed[name]:g}; "
                f"make its tests cheaper, mark long ones slow, or change {FILE.name}"
            )
    return out


class Compiling:
    """CPU seconds that this process has spent in Numba's compiler; Numba is not loaded to find out."""

    def __init__(self) -> None:
        self.spent, self._depth, self._since, self._heard = 0.0, 0, 0.0, False

    def listen(self) -> None:
        if self._heard or "numba.core.event" not in sys.modules:
            return
        event = sys.modules["numba.core.event"]
        listener = type("Listener", (event.Listener,), {"on_start": self._start, "on_end": self._end})
        event.register("numba:compile", listener())
        self._heard = True

    def _start(self, _) -> None:
        if self._depth == 0:
            self._since = time.process_time()
        self._depth += 1

    def _end(self, _) -> None:
        self._depth -= 1
        if self._depth == 0:
            self.spent += time.process_time() - self._since


class CpuBudget:
    """Plugin: measures each phase where it runs, adds up where reports arrive (with xdist in the main process)."""

    def __init__(self, config) -> None:
        self.spent: dict[str, float] = {}
        self.tests: dict[str, tuple[float, float]] = {}  # CPU seconds and those of compilation
        self.mark, self.compiled = cpu(), 0.0
        self.compiling = Compiling()
        self.config = config

    def pytest_runtest_logstart(self, nodeid, location) -> None:
        self.compiling.listen()
        self.mark, self.compiled = cpu(), self.compiling.spent

    def measured(self, report):
        """The report of a phase with its CPU seconds; attributes of reports travel from workers."""
        now, compiled = cpu(), self.compiling.spent
        report.cpu_seconds, self.mark = now - self.mark, now
        report.compile_seconds, self.compiled = compiled - self.compiled, compiled
        return report

    def pytest_runtest_logreport(self, report) -> None:
        name, seconds = folder_of(report.nodeid), getattr(report, "cpu_seconds", 0.0)
        self.spent[name] = self.spent.get(name, 0.0) + seconds
        before = self.tests.get(report.nodeid, (0.0, 0.0))
        self.tests[report.nodeid] = before[0] + seconds, before[1] + getattr(report, "compile_seconds", 0.0)

    def dearest(self, most: int | None = None) -> list[str]:
        """Tests by falling CPU seconds, each with those of compilation."""
        rows = sorted(self.tests.items(), key=lambda row: -row[1][0])[:most]
        return [f"{seconds:7.2f} {compiled:7.2f}  {test}" for test, (seconds, compiled) in rows]

    def pytest_sessionfinish(self, session) -> None:
        file = os.environ.get(LIST)
        if file and not hasattr(session.config, "workerinput"):
            Path(file).write_text("\n".join(self.dearest()) + "\n", encoding="utf-8")

    def failures(self) -> list[str]:
        return beyond(self.spent, budgets()) if whole(self.config) else []

    def lines(self) -> list[str]:
        """What the summary says."""
        if not self.spent:
            return []
        allowed, total = budgets(), sum(self.spent.values())
        if not whole(self.config):
            parts = (f"{name} {seconds:.0f}" for name, seconds in sorted(self.spent.items()))
            return [f"CPU seconds: {', '.join(parts)}" + (f"; together {total:.0f}" if len(self.spent) > 1 else "")]
        width = max(map(len, self.spent))
        rows = [
            f"  {name:<{width}} {seconds:7.0f} of {allowed.get(name, float('nan')):5.0f}"
            for name, seconds in sorted(self.spent.items(), key=lambda row: -row[1])
        ]
        return [
            "CPU seconds by folder, with budgets:",
            *rows,
            f"  together {total:.0f} of {sum(allowed.values()):.0f}",
            f"dearest tests: CPU seconds, of which compilation in their own process (all with {LIST}=FILE)",
            *self.dearest(DEAREST),
        ]
