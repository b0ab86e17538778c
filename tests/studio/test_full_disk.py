"""A file system that is really full: rows that were written stay readable, files stay whole, and messages say why."""

import asyncio
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import holonom as hn
from holonom.studio import Session
from holonom.studio.session import Window

sys.path.insert(0, str(Path(__file__).parent))
from _open import MODELS  # noqa: E402

pytestmark = pytest.mark.slow
FULL = "the disk is full; free some space"


@pytest.fixture
def small(tmp_path):
    """A file system in memory of 1.8 MB."""
    if not hasattr(os, "geteuid") or os.geteuid() or not shutil.which("mount"):
        pytest.skip("only root mounts file systems")
    folder = tmp_path / "small"
    folder.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1800k", "tmpfs", folder], capture_output=True)
    if made.returncode:
        pytest.skip(f"no file system can be mounted here: {made.stderr.decode().strip()}")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def fill(file):
    """Take all space that is left."""
    handle = os.open(file, os.O_CREAT | os.O_WRONLY)
    try:
        for size in (65536, 4096, 1):
            while True:
                try:
                    os.write(handle, b"x" * size)
                except OSError:
                    break
    finally:
        os.close(handle)


def test_runs_models_and_scripts_on_a_full_disk(small):
    file = Path(shutil.copy(MODELS / "crane.adm", small))
    whole = file.read_bytes()

    async def work():
        session, window = Session(small, file), Window()
        session.windows.add(window)

        async def ask(do, **given):
            window.messages.clear()
            await session.answer(window, {"n": 1, "do": do, **given})
            return next(m for m in map(json.loads, window.messages) if m.get("re") == 1)

        async def ran(steps):
            answer = await ask("run", settings={"kind": "dynamics", "end": 3.0, "steps": steps})
            for _ in range(3000):
                if session.running is None:
                    return answer["number"]
                await asyncio.sleep(0.1)
            raise AssertionError("the run does not end")

        said = lambda: [m["text"] for m in session.console]
        number = await ran(2500)
        rows = len(session.answers[number].run)
        last = session.answers[number].run.time[-1]
        assert 1 <= rows < 2500
        assert (
            f"run 1: cannot write '.holonom/runs/0001/run.h5': {FULL}; the first {rows} rows are kept, to time "
            in " ".join(said())
        )
        again = hn.load(small / ".holonom" / "runs" / "0001" / "run.h5")
        assert len(again) == rows and again.time[-1] == last and not again.info["complete"]
        fill(small / "rest")
        edit = await ask("edit", command={"do": "set", "kind": "PART", "id": 15, "field": "mass", "value": "81"})
        assert "error" not in edit
        session.keep()
        assert any(FULL in text and "could not be kept" in text for text in said())
        for do, more in (
            ("save", {"over": True}),
            ("script", {"file": "m.py", "settings": {"kind": "initial"}}),
            ("export", {"run": number, "file": "a.html"}),
            ("pages", {"pages": [{"name": "a", "plots": []}]}),
        ):
            assert FULL in (await ask(do, **more))["error"], do
        assert FULL in (await ask("new", name="other"))["unsaved"]
        assert file.read_bytes() == whole and not (small / "m.py").exists() and not (small / "a.html").exists()
        (small / "rest").unlink()
        assert "error" not in await ask("save", over=True)  # space was made: everything is there
        assert hn.read_adams(file).parts[15].mass == 81.0
        await session.close()

    asyncio.run(work())
