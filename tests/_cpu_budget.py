"""CPU seconds of the tests by folder, against the budgets of `cpu_budgets.toml`.

CPU time, child processes included, does not depend on what else the machine does; wall-clock time does.  Only a run of
the whole fast suite fails, and only where a folder takes more than twice its budget: kernels that other folders have
compiled, or have not, decide where compilation is counted.
"""

from __future__ import annotations

import os
import time
import tomllib
from pathlib import Path

FILE = Path(__file__).with_name("cpu_budgets.toml")
TIMES = 2.0  # a folder may take this many times its budget before the run fails
FILES = "files"  # the tests that lie in no folder


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


class CpuBudget:
    """Plugin: measures each phase where it runs, adds up where reports arrive (with xdist in the main process)."""

    def __init__(self, config) -> None:
        self.spent: dict[str, float] = {}
        self.mark = cpu()
        self.config = config

    def pytest_runtest_logstart(self, nodeid, location) -> None:
        self.mark = cpu()

    def measured(self, report):
        """The report of a phase with its CPU seconds; attributes of reports travel from workers."""
        now = cpu()
        report.cpu_seconds, self.mark = now - self.mark, now
        return report

    def pytest_runtest_logreport(self, report) -> None:
        name = folder_of(report.nodeid)
        self.spent[name] = self.spent.get(name, 0.0) + getattr(report, "cpu_seconds", 0.0)

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
        return ["CPU seconds by folder, with budgets:", *rows, f"  together {total:.0f} of {sum(allowed.values()):.0f}"]
