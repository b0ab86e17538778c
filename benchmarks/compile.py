"""Compile budget from an empty cache: seconds and size of ``holonom warmup``, and of the first demo.

    make bench CASE=compile                     both
    make bench CASE=compile ARGS="demo"         one of them

Prints how many kernels and lines of kernels the sources have, wall and CPU seconds of each cold command and of the same
again, warm, and the size of the cache left behind.
"""

from __future__ import annotations

import ast
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from .run import ROOT, machine, versions

SOURCE = ROOT / "src" / "holonom"


def kernels() -> tuple[int, int]:
    """Functions under ``@jit`` and their lines of code, without docstrings, comments and blank lines."""
    count = lines = 0
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.FunctionDef):
                continue
            names = {
                d.func.id if isinstance(d, ast.Call) and isinstance(d.func, ast.Name) else getattr(d, "id", "")
                for d in node.decorator_list
            }
            if names & {"jit", "overload"}:
                body = node.body[1:] if ast.get_docstring(node) and len(node.body) > 1 else node.body
                count += 1
                lines += len({n.lineno for part in body for n in ast.walk(part) if hasattr(n, "lineno")})
    return count, lines


def timed(command: list[str], cache: Path) -> tuple[float, float]:
    """Wall and CPU seconds of a command with this cache.  Raises SystemExit when it fails."""
    place = {
        **os.environ,
        "HOLONOM_CACHE_DIR": str(cache),
        "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]),
    }
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    clock = time.perf_counter()
    done = subprocess.run(command, env=place, cwd=cache, capture_output=True, text=True, check=False)
    clock = time.perf_counter() - clock
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{(done.stderr or done.stdout)[-1500:]}")
    return clock, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(arguments: list[str]) -> None:
    print(machine())
    print(versions())
    count, lines = kernels()
    print(f"compile kernels = {count} ({lines} lines)")
    run = [sys.executable, "-m", "holonom"]
    for name, command in (("demo", [*run, "demo", "--out", "demo-out"]), ("warmup", [*run, "warmup"])):
        if arguments and name not in arguments:
            continue
        with tempfile.TemporaryDirectory() as folder:
            cache = Path(folder)
            wall, cpu = timed(command, cache)
            files = list(cache.rglob("*.nbc"))
            size = sum(f.stat().st_size for f in files)
            again, warm = timed(command, cache)
            print(
                f"compile {name} cold_cpu_s = {cpu:.1f} (wall {wall:.1f} s, {1e3 * cpu / lines:.1f} ms a kernel line)"
            )
            print(f"compile {name} cache_MB = {size / 1e6:.1f} ({len(files)} files)")
            print(f"compile {name} warm_cpu_s = {warm:.1f} (wall {again:.1f} s)", flush=True)
