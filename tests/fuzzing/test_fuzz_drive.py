"""The driver of the generators: cases that raise, print, end, die, hang or are dear are findings, and the next one
follows."""

import itertools
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

HOME = Path(__file__).resolve().parents[2]

TOYS = {
    "toy_mixed": """
import os, sys
from fuzz import Finding
LIMIT, SLICE = 0.3, 1
def attempt(seed):
    if seed == 1: raise Finding("a wrong answer")
    if seed == 2: return 1 / 0
    if seed == 3: sys.exit(0)
    if seed == 4: os._exit(0)
    if seed == 5: os.kill(os.getpid(), 11)
    if seed == 6: print('{"seed": 99}', flush=True); os.write(1, b'[1]\\n{"x": 2}\\nnoise\\n')
    if seed == 8:
        import time
        start = time.process_time()
        while time.process_time() < start + 0.32: pass  # little: as wall time on loaded cores below ten limits
    return "odd" if seed % 2 else None
""",
    "toy_hangs": """
import os, time
LIMIT, SLICE = 0.1, 1
def attempt(seed):
    if seed == 1:
        while True: os.write(1, b"still here\\n"); time.sleep(0.2)
""",
    "toy_unloadable": "import nothing_of_that_name\n",
    "toy_good": "LIMIT, SLICE = 5.0, 1\ndef attempt(seed): return 'ran'\n",
}


def drive(folder, *arguments):
    for name, text in TOYS.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    environment = {**os.environ, "FUZZ_PATH": str(folder)}
    out = subprocess.run(
        [sys.executable, "-m", "fuzz", *arguments],
        cwd=HOME,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    return out.returncode, out.stdout, out.stderr


def test_every_kind_of_failure_is_a_finding(tmp_path):
    summary = tmp_path / "out.json"
    code, out, _ = drive(
        tmp_path, "--only", "toy_mixed, toy_good", "--count", "10", "--seconds", "60", "--json", str(summary)
    )
    told = json.loads(summary.read_text(encoding="utf-8"))
    mixed, good = told["generators"]
    found = dict(mixed["findings"])
    assert (
        code == 1
        and mixed["cases"] == 10
        and mixed["words"] == {"fine": 2, "odd": 2}
        and sorted(found) == [1, 2, 3, 4, 5, 8]
    )
    assert (
        found[1] == "a wrong answer" and found[2].startswith("ZeroDivisionError") and found[3].startswith("SystemExit")
    )
    assert "ended with exit status 0" in found[4] and "killed by SIGSEGV" in found[5] and "0.3 allowed" in found[8]
    assert good == {"name": "toy_good", "cases": 10, "words": {"ran": 10}, "findings": [], "longest": good["longest"]}
    assert told["failed"] == 6 and told["cases"] == 20 and "20 cases of 2 generators, 6 failed" in out
    assert "python -m fuzz toy_mixed 5" in out


def test_what_is_fine_ends_with_zero_and_begins_where_it_is_told(tmp_path):
    code, out, _ = drive(tmp_path, "--only", "toy_mixed", "--first", "9", "--count", "2")
    assert code == 0 and "toy_mixed: 2 cases (1 fine, 1 odd), 0 findings" in out
    code, out, _ = drive(tmp_path, "toy_good", "3")
    assert code == 0 and out.strip() == "ran"
    code, _, errors = drive(tmp_path, "toy_mixed", "2")
    assert code == 1 and "ZeroDivisionError" in errors and "Traceback" in errors


def test_a_hanging_case_is_left_behind(tmp_path, monkeypatch):
    """Even one that continues printing."""
    sys.path.insert(0, str(HOME))
    from fuzz import _drive

    monkeypatch.setattr(_drive, "COMPILE", 3.0)
    monkeypatch.setenv("FUZZ_PATH", str(tmp_path))
    (tmp_path / "toy_hangs.py").write_text(TOYS["toy_hangs"], encoding="utf-8")
    report = _drive.one_generator("toy_hangs", 60.0, 0, 4)
    assert (
        report["cases"] == 4
        and report["findings"] == [(1, "hangs: nothing after 1 s")]
        and report["words"] == {"fine": 3}
    )


@pytest.mark.parametrize("each, cases", [(0.3, []), (0.1, [1])])
def test_a_case_that_gets_on_does_not_hang_however_slow_its_core_is(tmp_path, monkeypatch, each, cases):
    """Its second case takes three times as long by the clock as a process may wait, on ``each`` of its limit of CPU at
    every look."""
    sys.path.insert(0, str(HOME))
    from fuzz import _drive

    monkeypatch.setattr(_drive, "PATIENCE", 1.0)
    monkeypatch.setattr(_drive._Worker, "cpu", lambda self: each * next(looks))
    monkeypatch.setenv("FUZZ_PATH", str(tmp_path))
    looks = itertools.count()
    lines = ["import time", "LIMIT, SLICE = 1.0, 2", "def attempt(seed):", "    time.sleep(3.0 * seed)"]
    (tmp_path / "toy_slow.py").write_text("\n".join(lines) + "\n", encoding="utf-8")
    report = _drive.one_generator("toy_slow", 60.0, 0, 2)
    assert report["cases"] == 2 and [seed for seed, _ in report["findings"]] == cases


def test_a_generator_that_cannot_be_loaded_is_given_up(tmp_path):
    code, out, _ = drive(tmp_path, "--only", "toy_unloadable", "--seconds", "60")
    assert code == 1 and "3 findings" in out and "No module named 'nothing_of_that_name'" in out


def test_unknown_generators_are_refused(tmp_path):
    code, _, errors = drive(tmp_path, "--only", "toy_bad")
    assert code == 2 and "no generator is called 'toy_bad'" in errors and "toy_good" in errors
