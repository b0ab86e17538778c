"""Runs generators in processes of their own, so that a case that hangs or kills its process is a finding and the next
one follows."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

HOME = Path(__file__).resolve().parents[1]
#: a case has hung when it has taken this many times its limit of CPU, or waits: when it has not used `ALIVE` of it in
#: this many times the limit by the clock (processes share cores, kernels are compiled first)
PATIENCE = 10.0
SPENT, ALIVE = 2.0, 0.2
COMPILE = 300.0  # seconds by the clock that the first case of a process may take more: kernels are compiled
DEAD = 3  # processes in a row that die before their first case: the generator itself is broken


def one_generator(name: str, seconds: float, first: int = 0, count: int | None = None) -> dict:
    """Run one generator from a seed on; returns its counts and its findings ``[(seed, sentence)]``.

    The limit of the time is checked between cases.  A process that dies, ends or hangs is replaced, from the next
    seed on; one that cannot even load its generator is given up after `DEAD` tries.  Nothing of the generator is loaded
    here.
    """
    report: dict = {"name": name, "cases": 0, "words": {}, "findings": [], "longest": 0.0}
    end, seed, dead = time.monotonic() + seconds, first, 0

    def finding(words: str) -> int:
        report["findings"].append((seed, words))
        report["cases"] += 1
        return seed + 1

    while time.monotonic() < end and (count is None or report["cases"] < count):
        limit, over, told = 0.0, False, None
        with _Worker(name, seed, end - time.monotonic(), count if count is None else count - report["cases"]) as worker:
            deadline, used, begun = time.monotonic() + COMPILE, 0.0, 0.0
            while not over:
                try:
                    line = worker.lines.get(timeout=max(deadline - time.monotonic(), 0.001))
                except queue.Empty:
                    before, now = used, worker.cpu()
                    if 0.0 < limit and now - begun < SPENT * limit + (COMPILE if told is None else 0.0):
                        used = now
                        if now - before > ALIVE * limit:  # it gets on, on a core that others use
                            deadline = time.monotonic() + PATIENCE * limit
                            continue
                    waited = PATIENCE * limit + (COMPILE if told is None else 0.0)
                    seed, over = finding(f"hangs: nothing after {waited:.0f} s"), True
                    continue
                if line is None:
                    seed, over = finding(worker.last_words()), True
                    continue
                try:
                    said = json.loads(line)
                    what = set(said)
                except (ValueError, TypeError):  # something that the case itself printed
                    continue
                if what == {"limit"}:
                    limit = said["limit"]
                    deadline = time.monotonic() + PATIENCE * limit + COMPILE
                elif what == {"over"}:
                    over, dead = True, 0
                elif what == {"seed", "finding", "word", "cpu"}:
                    told = said["seed"]
                    deadline, dead = time.monotonic() + PATIENCE * limit, 0
                    used = begun = worker.cpu()
                    if said["finding"]:
                        report["findings"].append((told, said["finding"]))
                    else:
                        report["words"][said["word"]] = report["words"].get(said["word"], 0) + 1
                    report["longest"] = max(report["longest"], said["cpu"])
                    seed, report["cases"] = told + 1, report["cases"] + 1
        dead += limit == 0.0
        if dead >= DEAD:
            break
    return report


class _Worker:
    """A process of its own session, so that what a case has started ends with it."""

    def __init__(self, name: str, seed: int, seconds: float, count: int | None) -> None:
        command = [
            sys.executable,
            "-m",
            "fuzz._worker",
            name,
            str(seed),
            str(seconds),
            "-" if count is None else str(count),
        ]
        self.errors: list[str] = []
        self.lines: queue.Queue = queue.Queue()
        self.process = subprocess.Popen(
            command,
            cwd=HOME,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        self.readers = [threading.Thread(target=read, daemon=True) for read in (self._read, self._keep)]
        for reader in self.readers:
            reader.start()

    def _read(self) -> None:
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def _keep(self) -> None:
        """The last lines of what it complains of."""
        for line in self.process.stderr:
            self.errors = [*self.errors[-9:], line.strip()]

    def cpu(self) -> float:
        """CPU seconds that it has used, 0 where the system does not say."""
        try:
            fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        except (OSError, IndexError):
            return 0.0
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def last_words(self) -> str:
        code = self.process.wait()
        self.readers[1].join(1.0)
        how = f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with exit status {code}"
        why = next((line for line in reversed(self.errors) if line), "")
        return f"its process {how}" + (f": {why[:200]}" if why else "")

    def __enter__(self) -> _Worker:
        return self

    def __exit__(self, *_) -> None:
        try:
            if hasattr(os, "killpg"):
                os.killpg(self.process.pid, signal.SIGKILL)
            else:
                self.process.kill()
        except ProcessLookupError:
            pass
        self.process.wait()


def tell(report: dict) -> str:
    """One report as text."""
    words = ", ".join(f"{n} {w}" for w, n in sorted(report["words"].items()))
    lines = [
        f"{report['name']}: {report['cases']} cases ({words}), {len(report['findings'])} findings, dearest "
        f"{report['longest']:.2f} s CPU"
    ]
    lines += [
        f"  python -m fuzz {report['name']} {seed}   {' '.join(sentence.split())[:300]}"
        for seed, sentence in report["findings"]
    ]
    return "\n".join(lines)


def campaign(
    chosen: list[str], seconds: float, first: int = 0, count: int | None = None, json_file: str | None = None
) -> int:
    """Run generators one after another, each with its share of the time that is left; prints counts and failing seeds,
    and writes them to ``json_file``, after each.  Returns how many cases failed; a generator that has run none counts
    as one."""
    failed, reports, end = 0, [], time.monotonic() + seconds
    for k, name in enumerate(chosen):
        report = one_generator(name, max(end - time.monotonic(), 0.0) / (len(chosen) - k), first, count)
        print(tell(report), flush=True)
        failed += len(report["findings"]) or report["cases"] == 0
        reports.append(report)
        if json_file:
            text = json.dumps(
                {"cases": sum(r["cases"] for r in reports), "failed": failed, "generators": reports}, indent=1
            )
            Path(json_file).write_text(text + "\n", encoding="utf-8")
    print(f"{sum(r['cases'] for r in reports)} cases of {len(reports)} generators, {failed} failed", flush=True)
    return failed
