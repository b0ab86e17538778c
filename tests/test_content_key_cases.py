"""Edits after which a kernel that was compiled before gives another result than one that is compiled anew: each must
change its key (`holonom._content_key`).  Most were stale once."""

import importlib
import sys
from types import ModuleType

import pytest

from holonom import _content_key
from holonom._content_key import content_key

HEAD = "import numba, functools, math\nimport numpy as np\nfrom holonom._jit import jit, overload\n"
USE = HEAD + "from keys_helper import f\n@jit\ndef k(x):\n    return f(x)\n"
THROUGH_MODULE = HEAD + "import keys_helper as M\nM2 = M\n@jit\ndef k({arguments}):\n    {body}\n"
LAW = HEAD + "G = 2.0\n@jit\ndef e(x):\n    return x * G\n"
TYPED = (
    HEAD
    + "def table(x):\n    pass\nclass Own:\n    value = 2.0\n    @staticmethod\n    def still():\n        return 2.0\n"
    "    def __init__(self):\n        self.numbers = [2.0]\n    def bound(self):\n        return 2.0\n"
    "def given(a, b):\n    return a + b\nown = Own()\nbound, part = own.bound, functools.partial(given, 2.0)\n"
    "@overload(table)\ndef _table(x):\n    c = {}\n    return lambda x: x * c\n@jit\ndef k(x):\n    return table(x)\n"
)
TRY = (
    HEAD + "@jit\ndef g(x):\n    if x > 2.0:\n        raise ValueError\n    return x\n@jit\ndef k(x):\n    try:\n"
    "        y = x * 2.0\n        y = g(y)\n    except Exception:\n        y = -1.0\n    return y\n"
)
JITCLASS = (
    HEAD + "from numba.experimental import jitclass\n@jitclass([('x', numba.float64)])\nclass P:\n"
    "    def __init__(self, x):\n        self.x = x\n    def f(self):\n        return self.x * 2.0\n"
    "@jit(_nrt=True)\ndef k(x):\n    return P(x).f()\n"
)
RECORDS = (
    HEAD + "A = np.array([(1.0, 2.0)], dtype=[('a', 'f8'), ('b', 'f8')])\n@jit\ndef k(x):\n    return A[0].a * x\n"
)


def symbol(option: str, old: str, new: str) -> tuple[str, str, str, str]:
    return USE, HEAD + f"@jit({option})\ndef f{old}:\n    return x\n", old, new


CASES = {
    # main module, its helper, text of one of them that is changed
    "default of an apart kernel": symbol("apart=True", "(x, y=2.0)", "(x, y=5.0)"),
    "order of its arguments": symbol("apart=True", "(x, y=2.0)", "(y, x=2.0)"),
    "further argument of it": symbol("apart=True", "(x)", "(x, y=2.0)"),
    "keyword-only default of it": symbol("apart=True", "(x, *, y=2.0)", "(x, *, y=5.0)"),
    "default of a later kernel": symbol("later='float64'", "(x, y=2.0)", "(x, y=5.0)"),
    "order of its arguments, later": symbol("later='float64'", "(x, y=2.0)", "(y, x=2.0)"),
    "further argument of it, later": symbol("later='float64'", "(x)", "(x, y=2.0)"),
    "options of a dispatcher": (
        USE, HEAD + "@numba.njit(fastmath=False)\ndef f(x):\n    return x\n", "fastmath=False", "fastmath=True",
    ),
    "module by two names": (
        THROUGH_MODULE.format(arguments="x", body="a = b = M\n    return a.e(x) + b.e(x)"), LAW, "G = 2.0", "G = 7.0",
    ),
    "module out of a tuple": (
        THROUGH_MODULE.format(arguments="x", body="a, b = M, 1.0\n    return a.e(x) * b"), LAW, "G = 2.0", "G = 7.0",
    ),
    "module as a default": (
        THROUGH_MODULE.format(arguments="x, m=M", body="return m.e(x)"), LAW, "G = 2.0", "G = 7.0",
    ),
    "module by a choice": (
        THROUGH_MODULE.format(arguments="x", body="return (M if True else M2).e(x)"), LAW, "G = 2.0", "G = 7.0",
    ),
    "what a try covers": (
        TRY, "", "        y = g(y)\n    except Exception:\n        y = -1.0\n",
        "    except Exception:\n        y = -1.0\n    else:\n        y = g(y)\n",
    ),
    "fields of records": (RECORDS, "", "[('a', 'f8'), ('b', 'f8')]", "[('b', 'f8'), ('a', 'f8')]"),
    "method of a jitclass": (JITCLASS, "", "self.x * 2.0", "self.x * 5.0"),
    "overload of a function of a library": (
        HEAD + "import keys_helper\n@jit\ndef k(x):\n    return math.hypot(x, x)\n",
        HEAD + "@overload(math.hypot)\ndef _hypot(x, y):\n    return lambda x, y: x * 2.0\n", "x * 2.0", "x * 5.0",
    ),
    "attribute of a class": (TYPED.format("Own.value"), "", "value = 2.0", "value = 5.0"),
    "static method": (TYPED.format("Own.still()"), "", "still():\n        return 2.0", "still():\n        return 5.0"),
    "bound method": (TYPED.format("bound()"), "", "(self):\n        return 2.0", "(self):\n        return 5.0"),
    "list of an object": (TYPED.format("own.numbers[0]"), "", "numbers = [2.0]", "numbers = [5.0]"),
    "argument of a partial": (TYPED.format("part(1.0)"), "", "partial(given, 2.0)", "partial(given, 5.0)"),
    "function of a partial": (TYPED.format("part(1.0)"), "", "return a + b", "return a - b"),
}  # fmt: skip


@pytest.fixture
def load(tmp_path, monkeypatch):
    """A function that imports a kernel anew from the texts of a module and of its helper."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    names = "keys_main", "keys_helper"

    def forget():
        for name in names:
            sys.modules.pop(name, None)
        _content_key._text.cache_clear()

    def write(*texts) -> ModuleType:
        forget()
        for name, text in zip(names, texts):
            (tmp_path / f"{name}.py").write_text(text)
        importlib.invalidate_caches()
        return importlib.import_module(names[0])

    registered = dict(_content_key.overloads)
    yield write
    forget()
    _content_key.overloads.clear()
    _content_key.overloads.update(registered)


def key(module: ModuleType) -> str:
    return content_key(module.k.py_func, module.k._options)


@pytest.mark.parametrize("name", CASES)
def test_an_edit_changes_the_key(load, name):
    main, helper, old, new = CASES[name]
    assert old in main + helper and old != new
    before = load(main, helper)
    first = key(before)
    if name.startswith("overload"):
        _content_key.overloads.pop(sys.modules["math"].hypot)
    assert key(load(main.replace(old, new), helper.replace(old, new))) != first


@pytest.mark.parametrize("name", CASES)
def test_no_edit_keeps_it(load, name):
    main, helper, _, _ = CASES[name]
    first = key(load(main, helper))
    if name.startswith("overload"):
        _content_key.overloads.pop(sys.modules["math"].hypot)
    comment = "# another line\n" if "class Own" not in main else ""
    assert key(load(comment + main, comment + helper)) == first


def test_code_of_what_is_called_by_symbol_is_not_in_the_key(load):
    helper = HEAD + "@jit(apart=True)\ndef f(x):\n    return x * 2.0\n"
    assert key(load(USE, helper)) == key(load(USE, helper.replace("2.0", "5.0")))


@pytest.mark.parametrize("option", ["apart=True", "later='float64'"])
def test_two_kernels_of_one_name_are_refused_where_the_name_is_their_symbol(load, option):
    module = load(
        USE.replace("import f", "import g as f"),
        HEAD + f"@jit({option})\ndef f(x):\n    return x\ng = f\n@jit({option})\ndef f(x):\n    return 2.0 * x\n",
    )
    with pytest.raises(TypeError, match="two kernels of keys_helper are called f"):
        key(module)


def test_a_cache_in_a_place_of_everyone_belongs_to_the_user(tmp_path):
    """What is read from a cache is run: a folder that others could have made or may write is not taken."""
    from holonom._jit import _writable

    assert _writable(tmp_path / "new", shared=True)
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o700
    (tmp_path / "new").chmod(0o777)
    assert not _writable(tmp_path / "new", shared=True) and _writable(tmp_path / "new")
    (tmp_path / "new").chmod(0o700)
    (tmp_path / "link").symlink_to(tmp_path / "new")
    assert not _writable(tmp_path / "link", shared=True)


def test_what_a_killed_process_left_is_removed(tmp_path):
    import os
    from pathlib import Path

    import numba

    from holonom._kernel_cache import ABANDONED, KernelCache

    def twice(x):
        return x + x

    folder = tmp_path / "kept"
    folder.mkdir()
    old, new = folder / "twice.0.nbc.0.part", folder / "twice.0.nbc.1.part"
    for path in (old, new):
        path.touch()
    os.utime(old, (0.0, old.stat().st_mtime - ABANDONED - 1.0))
    KernelCache(twice, tmp_path, Path("kept")).attach(numba.njit(cache=False)(twice))(3)
    assert not old.exists() and new.exists() and list(folder.glob("*.nbc"))
