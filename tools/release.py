"""Build what is published and prove that it installs: ``make release``, or ``python tools/release.py [--brief]``.

The sdist, the plain wheel (built from the sdist) and the wheel with kernels of this platform go to ``dist/``.  Each is
checked by twine and check-wheel-contents and installed in an empty environment, whose path holds no compiler; there the
code of the README and ``holonom demo`` run with an empty kernel cache.  The last lines are a table of times and sizes.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))
import wheel as platform_wheel

ROOT = platform_wheel.ROOT
COMPILERS = ("cc", "gcc", "g++", "clang", "c++", "ld", "gfortran")


def said(command: list, **more) -> str:
    """Standard output of a command; its whole output and the end of the run where it fails."""
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, **more)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))} failed:\n{done.stdout}\n{done.stderr}")
    return done.stdout


def built(out: Path) -> list[Path]:
    """sdist and plain wheel, the wheel from the unpacked sdist, so that the sdist is known to be complete."""
    with tempfile.TemporaryDirectory(prefix="holonom-release-") as folder:
        copy = platform_wheel.copy_sources(ROOT, Path(folder) / "source")
        said([sys.executable, "-m", "build", "--no-isolation", "--outdir", out, copy], cwd=folder)
    return [*out.glob("*.tar.gz"), *out.glob("*.whl")]


def checked(files: list[Path]) -> None:
    """Metadata and contents.  Kernels are data with names of their own, so contents are checked for the plain wheel."""
    said([sys.executable, "-m", "twine", "check", "--strict", *files])
    wheels = [f for f in files if f.name.endswith("-none-any.whl")]
    said([sys.executable, "-m", "check_wheel_contents", "--ignore", "W002", *wheels])


class Environment:
    """An empty virtual environment with nothing else on its path."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        said([sys.executable, "-m", "venv", folder / "venv"])
        self.bin = folder / "venv" / "bin"
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA_", "HOLONOM_", "PYTHON", "VIRTUAL"))}
        self.place = {**kept, "PATH": str(self.bin), "HOLONOM_CACHE_DIR": str(folder / "cache"), "HOME": str(folder)}
        found = [c for c in COMPILERS if shutil.which(c, path=self.place["PATH"])]
        assert not found, found

    def run(self, *command) -> tuple[str, tuple[float, float]]:
        """Output of a program of the environment; its seconds, and those of CPU."""
        begin, before = time.perf_counter(), os.times()
        text = said([self.bin / command[0], *command[1:]], cwd=self.folder, env=self.place)
        after = os.times()
        cpu = after.children_user + after.children_system - before.children_user - before.children_system
        return text, (time.perf_counter() - begin, cpu)

    def size(self) -> float:
        """MB on the disk of what is installed."""
        (site,) = (self.folder / "venv" / "lib").glob("python*/site-packages")
        return sum(p.stat().st_size for p in site.rglob("*") if p.is_file()) / 1e6


def tried(file: Path, extras: str) -> dict[str, Any]:
    """Install a file in an empty environment, run the README and the demo there; what it took."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", readme, re.S)
    (printed,) = re.findall(r"```text\n(.*?)```", readme, re.S)
    with tempfile.TemporaryDirectory(prefix="holonom-tried-") as folder:
        env = Environment(Path(folder))
        bare = env.size()
        _, seconds = env.run("python", "-m", "pip", "install", "--disable-pip-version-check", f"{file}[{extras}]")
        row: dict[str, Any] = {"file": file.name, "install": seconds, "size": env.size() - bare}
        (env.folder / "readme.py").write_text(code, encoding="utf-8")
        text, row["readme"] = env.run("python", "readme.py")
        if text.split()[:-1] != printed.split()[:-1]:  # the last word is the round-off of the energy
            raise SystemExit(f"{file.name}: the README printed\n{text}\nand not\n{printed}")
        _, row["readme_again"] = env.run("python", "readme.py")
        _, row["demo"] = env.run("holonom", "demo", "--out", "demo")
        _, row["demo_again"] = env.run("holonom", "demo", "--out", "demo2")
        if not (env.folder / "demo" / "report.html").is_file():
            raise SystemExit(f"{file.name}: the demo wrote no report")
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "dist")
    parser.add_argument("--workers", type=int, default=min(2, os.cpu_count() or 1), help="processes that compile")
    parser.add_argument("--brief", action="store_true", help="only the first kernels in the wheel of the platform")
    parser.add_argument("--extras", default="report", help="extras that are installed (all: every one)")
    given = parser.parse_args()
    shutil.rmtree(given.out, ignore_errors=True)
    given.out.mkdir(parents=True)
    files = built(given.out)
    with tempfile.TemporaryDirectory(prefix="holonom-wheel-") as folder:
        files.append(platform_wheel.with_kernels(Path(folder), given.out, given.workers, given.brief))
    checked(files)
    rows = []
    for file in files:
        rows.append(tried(file, given.extras))
        print(json.dumps(rows[-1]), flush=True)
    (given.out / "release.json").write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    print("seconds, and of these CPU in brackets; 'again': with the kernels of the first time")
    print("| file | MB | install | installed, MB | README | again | demo | again |\n|---|---|---|---|---|---|---|---|")
    for file, row in zip(files, rows):
        times = [
            f"{row[k][0]:.1f} ({row[k][1]:.1f})" for k in ("install", "readme", "readme_again", "demo", "demo_again")
        ]
        size = f"{file.stat().st_size / 1e6:.1f}"
        print(f"| {file.name} | {size} | {times[0]} | {row['size']:.0f} | {' | '.join(times[1:])} |")


if __name__ == "__main__":
    main()
