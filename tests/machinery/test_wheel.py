"""A wheel with kernels: built, installed in a fresh environment, and run without compiling; no network is asked."""

import json
import os
import re
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
setuptools = pytest.importorskip("setuptools")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        int(setuptools.__version__.split(".")[0]) < 77, reason="builds without a network need setuptools 77"
    ),
]

RUN = """
import json, sys
from numba.core import event

class Count(event.Listener):
    found = []
    def on_start(self, event):
        self.found.append(event.data["dispatcher"].py_func.__qualname__)
    def on_end(self, event):
        pass

event.register("numba:compile", Count())
import holonom as hn
from holonom._shipped import shipped
from holonom.warmup import small_machine
run = hn.simulate(small_machine(), end=0.01, steps=2, progress=False)
print(json.dumps([hn.__file__, shipped().reason, Count.found, len(run.time)]))
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """With the first group of kernels, that of `holonom.warmup.small_machine` with DOP853."""
    out = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, ROOT / "tools" / "wheel.py", "--out", out, "--workers", "1", "--brief"],
        check=True,
        timeout=1500,
        capture_output=True,
    )
    (found,) = out.glob("*.whl")
    return found


def test_what_is_in_it(wheel):
    assert wheel.name.split("-")[2] == f"cp{sys.version_info[0]}{sys.version_info[1]}" and "-any" not in wheel.name
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        manifest = json.loads(archive.read("holonom/_kernels/kernels.json"))
        (record,) = (n for n in names if n.endswith("/RECORD"))
        listed = {line.split(",")[0] for line in archive.read(record).decode().splitlines()}
        (info,) = (archive.read(n).decode() for n in names if n.endswith("/WHEEL"))
    assert listed == set(names) and len(names) == len(set(names))
    assert "Root-Is-Purelib: false" in info and f"Tag: {'-'.join(wheel.stem.split('-')[2:])}" in info
    assert set(manifest["needs"]) == {"Python", "Numba", "llvmlite", "NumPy", "system"} and len(manifest["target"]) == 3
    assert sum(n.endswith(".nbc") for n in names) > 50 and not any(n.endswith(("lock", ".part", ".pyc")) for n in names)


@pytest.fixture(scope="module")
def python(wheel, tmp_path_factory):
    """A function that runs a text in an environment with the wheel and what it depends on; gives what it printed."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder / "venv", with_pip=False)
    place = {"base": str(folder / "venv"), "platbase": str(folder / "venv")}
    site = Path(sysconfig.get_path("platlib", vars=place))
    places = [p for p in sys.path if Path(p).name in ("site-packages", "dist-packages")]
    (site / "dependencies.pth").write_text("\n".join(places) + "\n")  # in place of an installation from the network
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    executable = folder / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA_", "HOLONOM_", "PYTHON"))}

    def run(text, **more):
        place = {**kept, "HOLONOM_CACHE_DIR": str(folder / "cache"), **more}
        done = subprocess.run(
            [executable, "-c", text], env=place, cwd=folder, capture_output=True, text=True, timeout=900
        )
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout

    run.folder, run.site = folder, site
    return run


def test_a_fresh_environment_compiles_nothing(python):
    file, reason, compiled, rows = json.loads(python(RUN))
    assert Path(file).is_relative_to(python.site) and rows == 3
    assert "are used, for" in reason and compiled == []
    assert not list((python.folder / "cache").rglob("*.nbc"))


def test_the_readme_runs_from_it(python):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    block = re.search(r"```python\n(.*?)```", text, re.S)[1]
    printed = python(block)
    assert float(re.search(r"-0\.\d+", printed)[0]) == pytest.approx(
        -0.5, abs=1e-4
    )  # the rod's centre, 0.5 m from the pin
    assert float(printed.split()[-1]) < 1e-4  # the scatter of the energy
    assert (python.folder / "pendulum.html").stat().st_size > 10_000
