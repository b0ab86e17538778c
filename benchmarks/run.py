"""Speed and accuracy next to other engines, measured in one run:  python benchmarks/run.py chain [bodies ...]

Peers live in a virtual environment of their own (``.bench-venv``, made on first use), so that they never touch ours.
Each case prints versions, the machine, and one line per figure, ``chain bodies=100 exudyn_over_holonom = 9.1``.
"""

from __future__ import annotations

import importlib
import json
import os
import platform
import subprocess
import sys
import tempfile
import threading
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
VENV = ROOT / ".bench-venv"
CASES = (
    "chain",
    "work_precision",
    "scaling",
    "compile",
    "long",
    "impacts",
    "referee",
    "chain_drive",
    "track",
    "spheres",
    "rigid",
    "rigid_solvers",
    "frs5",
    "stepping",
    "flexible",
    "mixed_contact",
    "ancf",
    "vehicle",
    "derivatives",
    "studies",
    "linear_trees",
    "ladders",
    "explicit_loop",
    "robot_files",
    "coupling",
)


def peer_python(*packages: str, own: str = "") -> Path:
    """Interpreter of the peers' environment with ``packages`` installed; ``own``: an environment of this name inside
    it."""
    home = VENV / own if own else VENV
    python = home / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    stamp = home / f"installed-{'-'.join(packages)}"
    if not stamp.exists():
        print(f"setting up {', '.join(packages)} in {VENV.name} ...", flush=True)
        if not python.exists():
            venv.create(home, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "-q", *packages], check=True)
        stamp.touch()
    return python


def peer(script: str, packages: tuple[str, ...], **arguments) -> dict:
    """Run ``peers/<script>.py`` in the peers' environment; its last line of output is JSON."""
    python = peer_python(*packages)
    done = subprocess.run(
        [python, HERE / "peers" / f"{script}.py", json.dumps(arguments)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"{script} failed:\n{done.stderr[-2000:]}")
    return json.loads(done.stdout.strip().splitlines()[-1])


def _cpu_limit(seconds: float):
    """For a new process: end after so many CPU seconds, where the system can do that."""
    try:
        import resource
    except ImportError:
        return None
    return lambda: resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 5))


def peer_rows(script: str, python: Path | str, limit: float, **arguments):
    """Lines of JSON of ``peers/<script>.py`` as they come, until it ends or ``limit`` CPU seconds are over (five times
    that on the clock); a last one with "failed" when it did not end well."""
    command = [str(python), str(HERE / "peers" / f"{script}.py"), json.dumps(arguments)]
    limited_environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env=limited_environment,
            preexec_fn=_cpu_limit(limit),
        )
        alarm = threading.Timer(5 * limit, process.kill)
        alarm.start()
        try:
            for line in process.stdout or ():
                if line.startswith("{"):
                    yield json.loads(line)
            process.wait()
        finally:
            alive = alarm.is_alive()
            alarm.cancel()
            if process.poll() is None:
                process.kill()
        if process.returncode:
            errors.seek(0)
            last = (errors.read().strip().splitlines() or ["no message"])[-1][:150]
            over = not alive or process.returncode in (-9, -24)  # killed by us or by the limit of CPU time
            yield {"failed": f"more than {limit:.0f} s" if over else last}


def machine() -> str:
    name = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        name = next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    return f"{name}, {os.cpu_count()} cores, {platform.system()} {platform.release()}, load {load:.1f}"


def versions(*extra: str) -> str:
    import numba
    import numpy

    import holonom

    return ", ".join(
        [
            f"holonom {holonom.__version__}",
            f"python {platform.python_version()}",
            f"numpy {numpy.__version__}",
            f"numba {numba.__version__}",
            *extra,
        ]
    )


def main(argv: list[str]) -> int:
    if not argv or argv[0] not in CASES:
        print(f"usage: python benchmarks/run.py CASE [arguments]; cases: {', '.join(CASES)}", file=sys.stderr)
        return 2
    sys.path.insert(0, str(ROOT))
    importlib.import_module(f"benchmarks.{argv[0]}").main(argv[1:])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
