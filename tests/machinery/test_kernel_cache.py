"""Processes that share a folder of compiled kernels: none compiles what another is compiling, none loses or mixes up
forms."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from _bare import BARE
from _forked import FORKS, forks
from holonom._kernel_cache import KernelCache, _lock_file, _packed, _try_lock, _unpacked

SOURCE = """
import sys, time
from collections import namedtuple
from holonom._jit import jit

@jit
def twice(x):
    return x + x

@jit
def tail(p):
    return twice(p.a) - p.b

P = namedtuple("P", "a b")
VALUES = {"int": 3, "float": 2.5, "complex": 1j}

def misses():
    found = [d for k in (twice, tail) for d in (k.inner, k.outer)]
    return sum(sum(d.stats.cache_misses.values()) for d in found)
"""


@pytest.fixture(scope="module", autouse=True)
def _forks():
    with forks():
        yield


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "kernels_of_test.py").write_text(SOURCE)
    (tmp_path / "another_of_test.py").write_text('from collections import namedtuple\nP = namedtuple("P", "b a")\n')
    return tmp_path


def start(folder, text):
    """A Python process that runs ``text`` next to the module of kernels, with the cache in the folder."""
    place = {**os.environ, "HOLONOM_CACHE_DIR": str(folder / "cache")}
    place["PYTHONPATH"] = os.pathsep.join(
        [str(folder), str(Path(__file__).parents[2] / "src"), place.get("PYTHONPATH", "")]
    )
    return FORKS.start(BARE + "from kernels_of_test import *\n" + text, place)


def answer(process):
    out, _ = process.communicate(timeout=300)
    assert process.returncode == 0
    return out.split()


def forms(folder):
    return sorted(p.name for p in (folder / "cache").rglob("*.nbc"))


def test_forms_saved_by_two_processes_are_all_kept(folder):
    """With an index of forms that each process rewrites, one of them is lost (or is the other's code under this one's
    name)."""
    text = "for k in {}: twice(VALUES[k])\nprint(misses())"
    both = [start(folder, text.format(order)) for order in (["int", "float", "complex"], ["complex", "float", "int"])]
    compiled = [int(*answer(p)) for p in both]
    assert sum(compiled) == 3  # each once, whoever came first
    assert len(forms(folder)) == 3
    assert answer(start(folder, "print(twice(3), twice(2.5), twice(1j), misses())")) == ["6", "5.0", "2j", "0"]


def test_types_of_one_name_are_told_apart(folder):
    text = "import another_of_test as other\nprint(tail(P(1, 5)), tail(other.P(1, 5)), misses())"
    # two tails and one twice; Numba names both tuples P(int64 x 2)
    assert answer(start(folder, text)) == ["-3", "9", "3"]
    assert answer(start(folder, text)) == ["-3", "9", "0"]


def test_damaged_files_are_compiled_again(folder):
    assert answer(start(folder, "print(twice(3), misses())")) == ["6", "1"]
    (file,) = (folder / "cache").rglob("*.nbc")
    whole = file.read_bytes()
    for damage in (b"", whole[: len(whole) // 2]):
        file.write_bytes(damage)
        assert answer(start(folder, "print(twice(3), misses())")) == ["6", "1"]
        assert len(file.read_bytes()) == len(whole)


DAMAGE = {
    "a flipped bit": lambda whole, k: whole[:k] + bytes([whole[k] ^ 16]) + whole[k + 1 :],
    "zeros": lambda whole, k: whole[:k] + bytes(len(whole) - k),
    "a lost byte": lambda whole, k: whole[:k] + whole[k + 1 :],
    "cut off": lambda whole, k: whole[:k],
    "more": lambda whole, k: whole + b"more",
    "a text": lambda whole, k: b"nothing of a kernel",
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_damage_of_any_byte_is_seen(kind):
    whole = _packed(bytes(range(256)) * 4)
    assert _unpacked(whole) == bytes(range(256)) * 4
    assert all(_unpacked(DAMAGE[kind](whole, k)) is None for k in range(len(whole) - 1))


def test_code_that_a_disk_changed_is_never_run(folder):
    """A bit of the code, which unpickles as before, and which LLVM refuses or, worse, takes."""
    assert answer(start(folder, "print(twice(3), misses())")) == ["6", "1"]
    (file,) = (folder / "cache").rglob("*.nbc")
    whole = file.read_bytes()
    file.write_bytes(DAMAGE["a flipped bit"](whole, 3 * len(whole) // 4))
    assert answer(start(folder, "print(twice(3), misses())")) == ["6", "1"]
    assert answer(start(folder, "print(twice(3), misses())")) == ["6", "0"]


def test_whole_files_that_llvm_refuses_are_compiled_again(folder):
    assert answer(start(folder, "print(twice(3), misses())")) == ["6", "1"]
    text = """
from numba.core.compiler import CompileResult
rebuild, tried = CompileResult._rebuild, []
def refuse(*data):
    tried.append(1)
    if len(tried) == 1:
        raise RuntimeError("LLVM bitcode parsing error")
    return rebuild(*data)
CompileResult._rebuild = refuse
print(twice(3), misses(), len(tried))
"""
    assert answer(start(folder, text)) == ["6", "1", "1"]
    assert answer(start(folder, "print(twice(3), misses())")) == ["6", "0"]


WAIT = """
from holonom._kernel_cache import KernelCache
lock = KernelCache._lock
def tell(self, path):
    print("waits", flush=True)
    lock(self, path)
    print("goes on", flush=True)
KernelCache._lock = tell
print(twice(3), misses())
"""


def first_form(folder):
    """Name and key folder of the form that ``twice(3)`` compiles; the cache is empty afterwards."""
    answer(start(folder, "twice(3)"))
    (file,) = (folder / "cache").rglob("*.nbc")
    code = file.read_bytes()
    file.unlink()
    return file, code


def test_a_process_waits_for_another_that_compiles_the_same(folder):
    file, code = first_form(folder)
    mine = KernelCache(first_form, folder / "cache", Path("any"))
    mine._lock(file)
    assert mine._held
    other = start(folder, WAIT)
    assert other.stdout.readline() == "waits\n"
    time.sleep(0.2)
    file.write_bytes(code)  # as if it had been compiled here
    mine._release(0)
    assert answer(other) == ["goes", "on", "6", "0"]


def test_a_killed_process_leaves_no_lock(folder):
    file, _ = first_form(folder)
    hold = (
        "from holonom._kernel_cache import KernelCache\nfrom pathlib import Path\n"
        f"c = KernelCache(misses, Path({str(folder / 'cache')!r}), Path('any'))\n"
        f"c._lock(Path({str(file)!r}))\nprint('has it', flush=True)\ntime.sleep(600)"
    )
    holder = start(folder, hold)
    assert holder.stdout.readline() == "has it\n"
    mine = KernelCache(first_form, folder / "cache", Path("any"))
    assert not _try_lock(_lock_file(folder / "cache"), mine._place(file))
    holder.kill()
    holder.wait()
    assert _try_lock(_lock_file(folder / "cache"), mine._place(file))


def test_a_process_that_compiled_ends_without_warnings(folder):
    text = "import kernels_of_test as k\nk.twice(3)"
    environment = os.environ | {"HOLONOM_CACHE_DIR": str(folder / "cache"), "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-W", "always::ResourceWarning", "-c", text],
        cwd=folder, env=environment, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")


def test_a_lock_that_never_ends_costs_patience_only(folder):
    file, _ = first_form(folder)
    mine = KernelCache(first_form, folder / "cache", Path("any"))
    mine._lock(file)
    text = "import holonom._kernel_cache as c\nc.PATIENCE = 0.3\nprint(twice(3), misses())"
    assert answer(start(folder, text)) == ["6", "1"]
    mine._release(0)


def test_a_kernel_that_does_not_compile_lets_its_lock_go(folder):
    text = """
from holonom._kernel_cache import KernelCache
for _ in range(2):
    try:
        tail(3)
    except Exception as failure:
        print(type(failure).__name__, len(tail.outer._cache._held))
"""
    assert answer(start(folder, text)) == ["TypingError", "0"] * 2


APART = """
from holonom._jit import jit

@jit(apart=True)
def low(x, s):
    y = x
    for k in range(3):
        y = y * x + s
    return y

@jit
def middle(x):
    return low(x, 1.0) + low(x + 1.0, 2.0)

@jit(apart=True)
def high(x):
    return middle(x) + low(x, 0.0)

@jit
def top(x):
    return high(x) - middle(2.0 * x)

def misses():
    return sum(sum(k.inner.stats.cache_misses.values()) + (sum(k._outer.stats.cache_misses.values()) if k._outer else 0)
               for k in (low, middle, high, top))
"""


def plain(x):
    def low(x, s):
        return ((x * x + s) * x + s) * x + s

    def middle(x):
        return low(x, 1.0) + low(x + 1.0, 2.0)

    return middle(x) + low(x, 0.0) - middle(2.0 * x)


@pytest.fixture
def apart(tmp_path):
    (tmp_path / "kernels_of_test.py").write_text(APART)
    return tmp_path


@pytest.mark.parametrize(
    "losses",
    [(["high"], ["low", "middle"]), pytest.param((["low"], ["high", "top"]), marks=pytest.mark.slow)],
    ids=["first", "others"],
)
def test_kernels_kept_apart_are_called_not_copied(apart, losses):
    text = "print(top(1.5), misses())"
    value, count = answer(start(apart, text))
    assert float(value) == plain(1.5) and count == "4"
    assert answer(start(apart, text)) == [value, "0"]
    code = {p.name.split("-")[0]: p.read_bytes() for p in (apart / "cache").rglob("*.nbc")}
    assert set(code) == {"low", "middle", "high", "top"}
    # whoever comes later calls the same symbol, also where the one between is lost
    for lost in losses:
        for path in (apart / "cache").rglob("*.nbc"):
            if path.name.split("-")[0] in lost:
                path.unlink()
        assert answer(start(apart, text))[0] == value


def test_symbols_of_another_process_are_resolved(apart):
    """The number in a symbol gives how many functions a process had seen: another order of first calls, another
    symbol."""
    for text in (
        "low(1.0, 2.0); high(1.0); print(top(1.5))",
        "top(1.5); print(top(1.5))",
        "middle(1.0); print(top(1.5))",
    ):
        assert [float(v) for v in answer(start(apart, text))] == [plain(1.5)]
        for path in (apart / "cache").rglob("inner/low*.nbc"):
            path.unlink()


def test_callers_of_a_kernel_apart_follow_its_edits(apart):
    """They are not compiled again, unless it gives another type than they were compiled for."""
    text = "print(top(1.5), misses())"
    value, _ = answer(start(apart, text))
    (apart / "kernels_of_test.py").write_text(APART.replace("* x + s", "* x + s + 0.0"))
    assert answer(start(apart, text)) == [value, "1"]
    (apart / "kernels_of_test.py").write_text(APART.replace("* x + s", "* x + s + 0j"))
    other, count = answer(start(apart, text))
    assert complex(other) == complex(float(value)) and int(count) > 1


def test_a_kernel_apart_has_a_name():
    from holonom._jit import jit

    with pytest.raises(ValueError, match="found by its name"):

        @jit(apart=True)
        def hidden(x):
            return x
