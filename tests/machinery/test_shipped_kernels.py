"""Kernels that came with an installation are used where they fit and only there; what is reported while kernels are
compiled."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from _bare import BARE
from _forked import FORKS, forks
from holonom import _compiling, _shipped

ROOT = Path(__file__).parents[2]
SOURCE = """
from holonom._jit import jit

@jit
def twice(x):
    return x + x

@jit(apart=True)
def cube(x):
    return x * x * x

@jit
def both(x):
    return cube(twice(x))

def misses():
    return sum(sum(d.stats.cache_misses.values()) for k in (twice, cube, both) for d in (k.inner, k._outer) if d)
"""
RUN = (
    "from kernels_of_test import *\nfrom holonom._shipped import shipped\nprint(both(1.5), misses(), "
    "shipped().folder is not None)"
)


@pytest.fixture(scope="module", autouse=True)
def _forks():
    with forks():
        yield


def python(folder, text, cache, **more):
    """What a Python process prints that finds shipped kernels in ``folder / "shipped"`` and caches in ``cache``."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA_", "HOLONOM_"))}
    place = {
        **kept,
        "HOLONOM_CACHE_DIR": str(folder / cache),
        "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT / "src")]),
        **more,
    }
    first = f"import pathlib, holonom._shipped as s; s.FOLDER = pathlib.Path({str(folder / 'shipped')!r})\n"
    if any(name.startswith("NUMBA_") for name in more):
        command = [sys.executable, "-c", BARE + first + text]
        done = subprocess.run(command, env=place, capture_output=True, text=True, timeout=300)
        said, errors = done.stdout, done.stderr
    else:
        done = FORKS.start(BARE + first + text, place, errors=True)
        said, errors = done.communicate()
    assert done.returncode == 0, errors
    assert errors == ""
    return said.split()


def target():
    """That of wheels where this processor can run it, else the smallest one."""
    name, features = _shipped.TARGETS.get(_shipped.machine(), ("generic", ""))
    return (
        (name, features) if {f[1:] for f in features.split(",") if f} <= _shipped.host_features() else ("generic", "")
    )


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A folder with a module of kernels and these compiled as for a wheel."""
    folder = tmp_path_factory.mktemp("built")
    (folder / "kernels_of_test.py").write_text(SOURCE)
    name, features = target()
    text = (
        "import json\nfrom kernels_of_test import *\nboth(1.5)\nfrom numba.core.registry import cpu_target\n"
        "print(json.dumps({'needs': s.needs(), 'target': cpu_target.target_context.codegen().magic_tuple()}))"
    )
    said = python(
        folder, text, "shipped", HOLONOM_SHIPPED_KERNELS="0", NUMBA_CPU_NAME=name, NUMBA_CPU_FEATURES=features
    )
    (folder / "shipped" / "lock").unlink()
    (folder / "shipped" / _shipped.MANIFEST).write_text(" ".join(said))
    return folder


@pytest.fixture
def folder(built, tmp_path):
    return Path(shutil.copytree(built, tmp_path / "mine"))


def kept(folder, cache="cache"):
    return sorted(p.name.split("-")[0] for p in (folder / cache).rglob("*.nbc"))


def test_kernels_that_fit_are_loaded_and_the_cache_stays_empty(folder):
    before = {p: p.read_bytes() for p in (folder / "shipped").rglob("*") if p.is_file()}
    assert python(folder, RUN, "cache") == ["27.0", "0", "True"]
    assert kept(folder) == []
    assert {p: p.read_bytes() for p in (folder / "shipped").rglob("*") if p.is_file()} == before


def test_they_serve_where_nothing_can_be_written(folder):
    nothing = "import holonom._jit as j; j._writable = lambda path, shared=False: False\n"
    assert python(folder, nothing + RUN, "cache") == ["27.0", "0", "True"]


def test_native_ones_can_be_asked_for(folder):
    assert python(folder, RUN, "cache", HOLONOM_SHIPPED_KERNELS="0") == ["27.0", "3", "False"]
    assert kept(folder) == ["both", "cube", "twice"]


def test_native_ones_of_the_cache_come_first(folder):
    python(folder, RUN, "cache", HOLONOM_SHIPPED_KERNELS="0")
    for path in (folder / "shipped").rglob("*.nbc"):
        path.unlink()
    assert python(folder, RUN, "cache") == ["27.0", "0", "True"]


def change(folder, **more):
    path = folder / "shipped" / _shipped.MANIFEST
    manifest = json.loads(path.read_text())
    for key, value in more.items():
        if key == "target":
            manifest["target"] = value
        else:
            assert key in manifest["needs"]
            manifest["needs"][key] = value
    path.write_text(json.dumps(manifest))


@pytest.mark.parametrize("name", ["Numba", "llvmlite", "Python", "NumPy", "system"])
def test_other_versions_are_not_loaded(folder, name):
    change(folder, **{name: "0.1"})
    found = _shipped.look(folder / "shipped")
    assert found.folder is None and found.target is None
    assert f"are for {name} 0.1, here is {name} {_shipped.needs()[name]}" in found.reason


def test_a_misfit_is_compiled(folder):
    change(folder, Numba="0.1")
    assert python(folder, RUN, "cache") == ["27.0", "3", "False"]
    assert python(folder, RUN, "cache") == ["27.0", "0", "False"]


def test_a_processor_without_the_instructions_compiles(folder, monkeypatch):
    triple = json.loads((folder / "shipped" / _shipped.MANIFEST).read_text())["target"][0]
    change(folder, target=[triple, "x86-64-v3", "+avx2,+fma,+sse4.2"])
    monkeypatch.setattr(_shipped, "host_features", lambda: {"sse4.2", "fma", "avx2", "avx512f"})
    assert _shipped.look(folder / "shipped").folder == folder / "shipped"
    monkeypatch.setattr(_shipped, "host_features", lambda: {"sse4.2", "sse2"})
    assert _shipped.look(folder / "shipped").reason.endswith(
        "want a processor with avx2, fma, which this one does not have"
    )
    old = "s.host_features = lambda: {'sse2'}\n"
    assert python(folder, old + RUN, "cache") == ["27.0", "3", "False"]


@pytest.mark.parametrize(
    "damage", [lambda whole: whole[: len(whole) // 2], lambda whole: b"", lambda whole: whole[:-9] + b"x" + whole[-8:]]
)
def test_damaged_files_are_compiled_and_left(folder, damage):
    (file,) = (p for p in (folder / "shipped").rglob("*.nbc") if p.name.startswith("cube"))
    file.write_bytes(damage(file.read_bytes()))
    damaged = file.read_bytes()
    assert python(folder, RUN, "cache") in (
        ["27.0", "1", "True"],
        ["27.0", "2", "True"],
    )  # with a caller that cannot be resolved
    assert "cube" in kept(folder) and file.read_bytes() == damaged


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"needs": 3, "target": [1]}', '{"needs": {}, "target": ["a"]}', "\0"]
)
def test_a_manifest_that_cannot_be_read(tmp_path, text):
    assert "none came" in _shipped.look(tmp_path).reason
    (tmp_path / _shipped.MANIFEST).write_text(text)
    assert "cannot be read" in _shipped.look(tmp_path).reason


def test_the_code_is_that_of_the_target_not_of_this_processor(folder):
    """The same function compiled natively has another key, so neither is taken for the other."""
    import llvmlite.binding

    if target()[0] == llvmlite.binding.get_host_cpu_name():
        pytest.skip("this processor is the one that wheels are built for")
    python(folder, RUN, "cache", HOLONOM_SHIPPED_KERNELS="0")
    names = lambda place: {p.name for p in (folder / place).rglob("*.nbc")}
    assert len(names("cache")) == len(names("shipped")) == 3 and not names("cache") & names("shipped")


# ---- what is reported
# ----------------------------------------------------------------------------------------------------
NOTICE = """
import holonom._compiling as c
c.PATIENCE = c.EACH = 0.0
{}
from kernels_of_test import *
both(1.5)
print("printed by the program", flush=True)
"""


def screen(folder, more="", cache="cache"):
    """What a terminal gets from a process whose standard output and error lie there."""
    pty = pytest.importorskip("pty")
    master, slave = pty.openpty()
    place = {
        **os.environ,
        "HOLONOM_CACHE_DIR": str(folder / cache),
        "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT / "src")]),
    }
    process = FORKS.start(BARE + NOTICE.format(more), place, screen=slave)
    os.close(slave)
    out = b""
    try:
        while part := os.read(master, 4096):
            out += part
    except OSError:  # the other end is closed
        pass
    os.close(master)
    assert process.wait(timeout=300) == 0
    return out.decode().removesuffix("\x1b[0m")  # Numba has colorama reset the terminal where that is installed


def test_a_terminal_gets_a_count_that_is_wiped(folder):
    text = screen(folder)
    said, *counts, last = text.split("\r")
    assert said.startswith("holonom: compiling kernels that this kind of model needs (once for this version, kept in ")
    assert any("2 kernels compiled, " in count for count in counts)
    assert last.lstrip("\n") == "" and counts[-1] == "\x1b[Kprinted by the program"  # on a line of its own
    assert screen(folder).replace("\r", "") == "printed by the program\n"  # found on disk


def test_nothing_is_said_without_a_terminal_but_a_line_in_the_log_of_a_command(folder):
    place = {
        **os.environ,
        "HOLONOM_CACHE_DIR": str(folder / "cache"),
        "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT / "src")]),
    }
    run = lambda more: FORKS.start(BARE + NOTICE.format(more), place, errors=True).communicate()[1]
    assert run("") == ""
    for path in (folder / "cache").rglob("*.nbc"):
        path.unlink()
    lines = run("c.notice.log = True").splitlines()
    assert len(lines) == 1 and lines[0].startswith("holonom: compiling kernels")


def test_who_wants_no_progress_gets_none(folder):
    assert screen(folder, "c.notice.wanted = False").replace("\r", "") == "printed by the program\n"


def test_truth_about_once(monkeypatch, tmp_path):
    import holonom._jit

    monkeypatch.setattr(holonom._jit, "cache_root", lambda: None)
    assert "in every session, as no folder can be written" in _compiling.announcement()
    monkeypatch.setattr(holonom._jit, "cache_root", lambda: tmp_path)
    assert f"once for this version, kept in {tmp_path}" in _compiling.announcement()
    monkeypatch.setattr(_shipped, "FOLDER", tmp_path)
    monkeypatch.setattr(
        _shipped,
        "shipped",
        lambda: _shipped.Shipped(None, None, "those shipped with this installation are for Numba 0.1"),
    )
    assert _compiling.announcement().endswith("; those shipped with this installation are for Numba 0.1)")


class Event:
    def __init__(self, ours=True):
        from holonom._kernel_cache import KernelCache

        cache = KernelCache(target, None, Path("any")) if ours else None
        self.data = {"dispatcher": type("Dispatcher", (), {"_cache": cache})()}


def test_a_notebook_gets_one_line_a_cell(monkeypatch):
    shown = []

    class Shell:
        execution_count = 1

    class Handle:
        def __init__(self, k):
            self.k = k

        def update(self, bundle, raw):
            shown[self.k] = bundle["text/plain"]

    def display(bundle, raw, display_id):
        shown.append(bundle["text/plain"])
        return Handle(len(shown) - 1)

    monkeypatch.setattr(_compiling, "notebook", lambda: display)
    monkeypatch.setitem(sys.modules, "IPython", type("IPython", (), {"get_ipython": staticmethod(Shell)}))
    monkeypatch.setattr(_compiling, "PATIENCE", 0.0)
    monkeypatch.setattr(_compiling, "EACH", 0.0)
    notice = _compiling.Notice()
    notice.on_start(Event(ours=False))  # of another package
    notice.on_end(Event(ours=False))
    assert shown == []
    for _ in range(2):
        notice.on_start(Event())
        notice.on_start(Event(ours=False))  # a function of Numba's that ours calls
        notice.on_end(Event(ours=False))
        notice.on_end(Event())
    assert len(shown) == 1 and shown[0].startswith("compiling kernels") and shown[0].endswith("2 kernels compiled, 0 s")
    Shell.execution_count = 2
    notice.on_start(Event())
    notice.on_end(Event())
    assert len(shown) == 2 and shown[1].endswith("3 kernels compiled, 0 s")


def test_a_bar_that_is_up_shows_the_count(monkeypatch):
    monkeypatch.setattr(_compiling, "PATIENCE", 0.0)
    monkeypatch.setattr(_compiling, "EACH", 0.0)
    notice, put = _compiling.Notice(), []
    with notice.showing(put.append):
        notice.on_start(Event())
        notice.on_end(Event())
    assert put[-2:] == ["1 kernel compiled, 0 s", ""]
    notice.on_start(Event())
    notice.on_end(Event())
    assert len(put) == 3
