"""Runs generators in processes of their own, so that a case that hangs or kills its process is a finding and the next one follows."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
import time
from pathlib import Path

HOME = Path(__file__).resolve().parents[1]
#: a case has hung when it takes this many times its limit of CPU by the clock (processes share cores, kernels are compiled first)
PATIENCE = 10.0
COMPILE = 300.0  # seconds by the clock that the first case of a process may take more: kernels are compiled


def one_generator(name: str, seconds: float, first: int = 0, count: int | None = None) -> dict:
    """Run one generator from a seed on; returns its counts and its findings ``[(seed, sentence)]``.

    The limit of the time is looked at between cases.  A process that dies or hangs is replaced, from the next seed on.
    """
    from . import generator

    limit = generator(name).LIMIT
    seed, done, words, findings, longest = first, 0, {}, [], 0.0
    end = time.monotonic() + seconds
    while time.monotonic() < end and (count is None or done < count):
        left = "-" if count is None else str(count - done)
        worker = subprocess.Popen(
            [sys.executable, "-m", "fuzz._worker", name, str(seed), str(end - time.monotonic()), left],
            cwd=HOME,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        lines: queue.Queue = queue.Queue()
        threading.Thread(target=lambda w=worker, q=lines: [*map(q.put, w.stdout), q.put(None)], daemon=True).start()
        patience, ended = PATIENCE * limit + COMPILE, False
        while not ended:
            try:
                line = lines.get(timeout=patience)
            except queue.Empty:
                worker.kill()
                findings.append((seed, f"hangs: nothing after {patience:.0f} s"))
                seed, done, ended = seed + 1, done + 1, True
                continue
            if line is None:
                worker.wait()
                if worker.returncode:
                    findings.append((seed, f"its process died (exit status {worker.returncode})"))
                    seed, done = seed + 1, done + 1
                ended = True
                continue
            try:
                told = json.loads(line)
            except ValueError:  # something that the case itself printed
                continue
            patience = PATIENCE * limit
            if told["finding"]:
                findings.append((told["seed"], told["finding"]))
            else:
                words[told["word"]] = words.get(told["word"], 0) + 1
            longest = max(longest, told["cpu"])
            seed, done = told["seed"] + 1, done + 1
    return {"name": name, "cases": done, "words": words, "findings": findings, "longest": longest}


def tell(report: dict) -> str:
    """One report in words."""
    words = ", ".join(f"{n} {w}" for w, n in sorted(report["words"].items()))
    lines = [
        f"{report['name']}: {report['cases']} cases ({words}), {len(report['findings'])} findings, dearest {report['longest']:.2f} s CPU"
    ]
    lines += [f"  python -m fuzz {report['name']} {seed}   {' '.join(sentence.split())[:300]}" for seed, sentence in report["findings"]]
    return "\n".join(lines)


def campaign(chosen: list[str], seconds: float, first: int = 0, count: int | None = None) -> int:
    """Run generators one after another, each with its share of the time; prints counts and failing seeds, returns how many failed."""
    failed = 0
    for name in chosen:
        report = one_generator(name, seconds / len(chosen), first, count)
        print(tell(report), flush=True)
        failed += len(report["findings"])
    return failed
