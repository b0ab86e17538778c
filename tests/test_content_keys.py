"""The key of a compiled kernel changes with everything that is compiled into it, and with nothing else
(`holonom._content_key`)."""

import ast
import importlib
import itertools
import os
import pkgutil
import random
import re
import shutil
import statistics
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import holonom
from holonom import _content_key, _jit
from holonom._content_key import content_key, reached
from holonom.elements.bodies.rigid import rotation

SOURCES = {
    "__init__.py": "from .laws import TABLE, force\n",
    "laws.py": """
from collections import namedtuple
import numpy as np
from holonom._jit import jit, overload
Row = namedtuple("Row", "stiffness damping")
STIFFNESS = 3.0
WEIGHTS = np.array([1.0, 2.0])
NUMBERS = Row(1.0, 2.0)
def helper(x):
    return x + 1.0
@jit
def force(x):
    return STIFFNESS * helper(x) + WEIGHTS[0] + NUMBERS.damping
@jit
def energy(x):
    return 0.5 * x * x
@jit(apart=True)
def heavy(x):
    return 2.0 * x
TABLE = (energy, force)
""",
    "users.py": '''
from holonom._jit import jit, overload
from . import TABLE, laws
from . import force as through_the_package
@jit
def by_name(x):
    """Through the package's __init__."""
    return through_the_package(x)
@jit
def by_attribute(x):
    return laws.energy(x)
@jit
def by_symbol(x):
    return laws.heavy(x)
def table(x):
    raise NotImplementedError
@overload(table)
def _table(x):
    from . import laws as local
    from .laws import energy as other
    return lambda x: other(x) + local.force(x)
@jit
def by_overload(x):
    return table(x)
def law(factor, function):
    @jit
    def closed(x):
        return factor * function(x)
    return closed
soft, hard = law(1.0, laws.energy), law(2.0, laws.energy)
other = law(1.0, laws.force)
FIRST = TABLE[0]
@jit
def by_default(x, scale=laws.STIFFNESS):
    return FIRST(x) * scale
''',
}
_number = itertools.count()


@pytest.fixture
def keys_of(tmp_path, monkeypatch):
    """A function that writes the package with changes {file: [(old, new)]} and gives {name: key} of its kernels."""
    monkeypatch.syspath_prepend(tmp_path)

    def write(changes=None):
        name = f"package_of_keys{next(_number)}"
        (tmp_path / name).mkdir()
        for file, text in SOURCES.items():
            for old, new in (changes or {}).get(file, ()):
                assert old in text
                text = text.replace(old, new, 1)
            (tmp_path / name / file).write_text(text)
        found = {}
        for module in ("laws", "users"):
            items = vars(importlib.import_module(f"{name}.{module}")).items()
            found |= {
                n: content_key(k.py_func, k._options)
                for n, k in items
                if isinstance(k, _jit.Kernel) and k.__module__ == f"{name}.{module}"
            }
        return found

    return write


def changed(keys_of, **changes):
    """Names of kernels whose key is another one with these changes.  Names of packages differ, which shows only where a
    symbol is named."""
    before, after = keys_of(), keys_of({f"{file}.py": pairs for file, pairs in changes.items()})
    return {n for n in before if before[n] != after[n]} - {"by_symbol"}


FORCE = {"force", "by_name", "by_overload", "other"}
ENERGY = {"energy", "by_attribute", "soft", "hard", "by_overload", "by_default", "FIRST"}


@pytest.mark.parametrize(
    "old, new",
    [
        ('    """Through the package\'s __init__."""\n', '    """Another docstring."""\n'),
        ('    """Through the package\'s __init__."""\n', "    # a comment\n"),
        ("@jit\ndef by_attribute", "import math\n\n\ndef neighbour(x):\n    return 1.0\n\n\n@jit\ndef by_attribute"),
        ("    return laws.energy(x)", "    return laws.energy(\n        x\n    )"),
    ],
)
def test_what_is_not_compiled_changes_no_key(keys_of, old, new):
    assert changed(keys_of, users=[(old, new)]) == set()


@pytest.mark.parametrize(
    "old, new, expected",
    [
        ("STIFFNESS = 3.0", "STIFFNESS = 3.5", FORCE | {"by_default"}),
        ("[1.0, 2.0]", "[1.5, 2.0]", FORCE),
        ("Row(1.0, 2.0)", "Row(1.0, 2.5)", FORCE),
        ('"stiffness damping"', '"damping stiffness"', FORCE),
        ("x + 1.0", "x - 1.0", FORCE),
        ("0.5 * x * x", "0.5 * x + x", ENERGY),
        ("0.5 * x * x", "0.25 * x * x", ENERGY),
        ("2.0 * x\n", "3.0 * x\n", {"heavy"}),  # callers hold its symbol
        ("def energy(x):", "def energy(x, y=2.0):", ENERGY),
        ("@jit\ndef energy", "@jit(fastmath=True)\ndef energy", ENERGY),
        ("(energy, force)", "(force, energy)", {"FIRST", "by_default"}),
    ],
)
def test_a_change_changes_the_keys_of_what_inlines_it(keys_of, old, new, expected):
    kernels = set(keys_of())
    assert changed(keys_of, laws=[(old, new)]) & kernels == expected & kernels


def test_closures_of_one_function_have_their_own_keys(keys_of):
    keys = keys_of()
    assert len({keys["soft"], keys["hard"], keys["other"]}) == 3


def test_an_implementation_of_an_overload_is_in_the_key(keys_of):
    assert changed(keys_of, users=[("other(x) + local", "other(x) - local")]) == {"by_overload"}


def test_keys_do_not_depend_on_the_order_of_sets(tmp_path):
    text = (
        "from holonom.system import implicit\nfrom holonom._content_key import "
        "content_key\nprint(content_key(implicit.stiffness.py_func))"
    )
    run = lambda seed: (
        subprocess.run(
            [sys.executable, "-c", text],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
    )
    assert run("1") == run("2")


@cache
def all_kernels():
    """Every kernel that is an attribute of its module, by name."""
    found = {}
    for module in pkgutil.walk_packages(holonom.__path__, "holonom."):
        if module.name.endswith(("__main__", "_script")):
            continue
        for name, value in vars(importlib.import_module(module.name)).items():
            if isinstance(value, _jit.Kernel) and value.__module__ == module.name:
                found[f"{module.name}.{name}"] = value
    return found


def test_elements_of_meshes_are_in_the_keys_of_the_loops_over_them(monkeypatch):
    """Stale once, when a package stood between."""
    from holonom.elements.absolute import cable
    from holonom.elements.bodies import absolute

    every = {(q, law): loop for q, loops in enumerate(absolute._LOOPS) for law, loop in enumerate(loops)}
    loops = {n: k for n, k in every.items() if cable.energies.py_func in reached(k.py_func)}
    assert len(loops) == 1
    before = {n: content_key(k.py_func) for n, k in loops.items()}
    code = cable.energies.py_func.__code__
    edited = tuple(1.5 * c if isinstance(c, float) else c for c in code.co_consts) + (1000.0,)
    monkeypatch.setattr(cable.energies.py_func, "__code__", code.replace(co_consts=edited))
    monkeypatch.setattr(_content_key, "_local", type(_content_key._local)())
    assert all(content_key(k.py_func) != before[n] for n, k in loops.items())


def test_an_edit_compiles_few_kernels():
    """Mean number of kernels whose key holds a kernel; 97 when keys were those of files."""
    kernels = all_kernels()
    holders = dict.fromkeys((k.py_func for k in kernels.values()), 0)
    for kernel in kernels.values():
        for f in reached(kernel.py_func):
            holders[f] = holders.get(f, 0) + 1
    assert len(kernels) > 1000
    assert statistics.mean(holders[k.py_func] for k in kernels.values()) < 9.0


def test_every_overload_is_known_to_the_keys():
    """One that is registered with Numba alone would not be in any key."""
    root = Path(_jit.__file__).parent
    text = {p: p.read_text(encoding="utf-8") for p in root.rglob("*.py") if p.name != "_jit.py"}
    assert [
        p for p, t in text.items() if re.search(r"numba.extending import [^\n]*overload|numba.extending.overload", t)
    ] == []


LINKED = """
import sys
from holonom._content_key import reached
from holonom import _jit
import holonom as hn
made = []
compiled = _jit._compile
def remember(function, folder, apart=False, **options):
    made.append((function, compiled(function, folder, apart, **options)))
    return made[-1][1]
_jit._compile = remember
{model}
owner, lacking, count = {{}}, [], 0
for function, dispatcher in made:
    for result in dispatcher.overloads.values():
        owner[result.library] = function
for function, dispatcher in made:
    known = set(reached(function))
    for result in dispatcher.overloads.values():
        todo, seen = list(result.library._linking_libraries), set()
        while todo:
            library = todo.pop()
            if library in seen:
                continue
            seen.add(library)
            callee = owner.get(library)
            if "_get_module_for_linking" in vars(library):
                continue  # its symbol is called
            todo += getattr(library, "_linking_libraries", ())
            if callee is not None:
                count += 1
                if callee not in known:
                    lacking.append((function.__qualname__, callee.__qualname__))
print(count, lacking)
"""
PENDULUM = """
m = hn.Model("pendulum")
rod = m.part("rod", mass=2.0, inertia=(0.1, 0.2, 0.2), position=(0.5, 0, 0))
m.revolute(rod, m.ground, at=(0, 0, 0), axis=(0, 1, 0))
hn.simulate(m, end=0.1, steps=5)
"""
CONTACT = """
m = hn.Model("ball")
m.gravity = (0, 0, -9.81)
ball = m.part("ball", 1.0, (4e-3,) * 3, (0, 0, 0.11), velocity=(1.0, 0.2, 0))
m.contact(m.sphere(ball, (0, 0, 0.11), 0.1), m.box(m.ground, (0, 0, -0.05), (10, 4, 0.1)), stiffness=1e5, damping=10.0, mu=0.3)
hn.simulate(m, 0.1, 5)
"""  # noqa: E501


@pytest.mark.slow
@pytest.mark.parametrize("model", [PENDULUM, CONTACT], ids=["pendulum", "contact"])
def test_all_that_numba_links_is_in_the_key(model, tmp_path):
    """Numba's own record of whose code it copied, in a run with an empty cache."""
    place = {**os.environ, "HOLONOM_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", LINKED.format(model=model)], env=place, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    count, lacking = done.stdout.strip().splitlines()[-1].split(" ", 1)
    assert int(count) > 100 and lacking == "[]"


SABOTAGE = """
import sys
import numpy as np
import holonom as hn
{model}
run = hn.simulate(m, end=0.1, steps=5)
print(*(float.hex(float(x)) for b in ["rod"] for x in np.ravel(run.part(b).position)))
"""


@pytest.mark.slow
def test_a_warm_cache_gives_what_a_fresh_one_gives(tmp_path):
    """Constants of random kernels are edited in a copy of the source; what was compiled before must not be used where
    it is not what would be compiled."""
    source = Path(
        shutil.copytree(
            Path(_jit.__file__).parent, tmp_path / "src" / "holonom", ignore=shutil.ignore_patterns("__pycache__")
        )
    ).parent

    def result(cache):
        place = {
            **os.environ,
            "HOLONOM_CACHE_DIR": str(tmp_path / cache),
            "PYTHONPATH": str(source),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        done = subprocess.run(
            [sys.executable, "-c", SABOTAGE.format(model=PENDULUM)], env=place, capture_output=True, text=True
        )
        return done.stdout if done.returncode == 0 else done.stderr.strip().splitlines()[-1]

    def constants(kernel):
        """File, text and constants of a kernel in the copy."""
        file = source / Path(kernel.py_func.__code__.co_filename).relative_to(Path(_jit.__file__).parents[1])
        text = file.read_text(encoding="utf-8")
        tree = next(
            n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.FunctionDef) and n.name == kernel.__name__
        )
        numbers = [
            n
            for n in ast.walk(tree)
            if isinstance(n, ast.Constant) and isinstance(n.value, float) and n.lineno == n.end_lineno
        ]
        return file, text, numbers

    whole = result("warm")
    names = sorted({p.name.split("-")[0] for p in (tmp_path / "warm").rglob("*.nbc")})
    used = [k for n, k in sorted(all_kernels().items()) if n.rpartition(".")[2] in names]
    used = [k for k in used if constants(k)[2]]
    draw, differ = random.Random(35), 0
    wanted = int(os.environ.get("HOLONOM_SABOTAGES", "4"))
    for _ in range(wanted + 1):
        if _ == wanted and differ:
            break
        # last, where the run has felt none: the 2 of a rotation matrix
        kernel = draw.choice(used) if _ < wanted else rotation
        file, text, numbers = constants(kernel)
        lines = text.splitlines()
        number = draw.choice(numbers)
        line = lines[number.lineno - 1]
        lines[number.lineno - 1] = (
            line[: number.col_offset] + repr(1.25 * number.value + 0.125) + line[number.end_col_offset :]
        )
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        warm, fresh = result("warm"), result(f"fresh{_}")
        assert warm == fresh, kernel.py_func
        differ += fresh != whole
        file.write_text(text, encoding="utf-8")
    assert differ


def test_keys_do_not_depend_on_where_the_package_is(tmp_path):
    """A wheel is compiled in one folder and used in another, that of installed packages."""
    text = """
import sys, sysconfig
from holonom import _jit
from holonom._content_key import content_key
from holonom.system import implicit
from holonom.integrators import dop853, radau
from holonom.contact import engine
kernels = [k for m in (implicit, radau, engine) for k in vars(m).values() if isinstance(k, _jit.Kernel)]
print(*(content_key(k.py_func, k._options) for k in kernels))
"""
    site = tmp_path / "lib" / "site-packages"
    shutil.copytree(Path(_jit.__file__).parent, site / "holonom", ignore=shutil.ignore_patterns("__pycache__"))
    found = {
        subprocess.run(
            [sys.executable, "-c", text],
            env={**os.environ, "PYTHONPATH": str(p)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for p in (site, Path(_jit.__file__).parents[1])
    }
    assert len(found) == 1 and len(found.pop().split()) > 20


def test_keys_do_not_follow_what_the_process_has_compiled(monkeypatch):
    """Types of tables are found by Python code that hands out addresses; what was registered before is not in them."""
    from holonom import _later
    from holonom.contact.unilateral import active

    def key():
        monkeypatch.setattr(_content_key, "_local", type(_content_key._local)())
        return content_key(active.py_func)

    before = key()
    assert _later.when_called not in reached(active.py_func)
    monkeypatch.setattr(_later, "_deferred", [*_later._deferred, (active, (), None)])
    monkeypatch.setattr(_later, "_FOUND", _later._FOUND + 1)
    assert key() == before


#: prints a digest of every form that works in this order ask the cache for
ASKED = """
import hashlib, sys
from holonom._kernel_cache import KernelCache
asked, find = set(), KernelCache._find

def noting(cache, folder, key):
    digest = hashlib.sha256(repr(key).encode()).hexdigest()[:16]
    asked.add(f"{cache._function.__module__}.{cache._function.__qualname__} {cache._folder.name} {digest}")
    return find(cache, folder, key)

KernelCache._find = noting
import holonom as hn
from holonom import warmup

def run(model, **options):
    hn.simulate(model, end=0.01, steps=1, progress=False, **options)

def pendulum():
    run(warmup.bare_machine())

def ball():
    run(warmup.bouncing_ball())

def implicit():
    run(warmup.small_machine(), integrator="GSTIFF")

def rigid():
    model = hn.Model("box", units="SI")
    model.gravity = (0, 0, -9.81)
    box = model.part("box", 1.0, (0.1, 0.1, 0.1), (0, 0, 0.1))
    model.contact(model.box(box, (0, 0, 0.1), (0.2, 0.2, 0.2)), model.plane(model.ground, (0, 0, 0), (0, 0, 1)),
                  mu=0.3)
    run(model, contact="events")

def solvers():
    import scipy.optimize, scipy.sparse.linalg

for name in sys.argv[1:]:
    globals()[name]()
print("\\n".join(sorted(asked)))
"""


@pytest.mark.slow
def test_forms_do_not_follow_what_ran_before():
    """A model asks the cache for the same forms first and last in a process, after other models and libraries."""

    def asked(*works):
        command = [sys.executable, "-W", "ignore", "-c", ASKED, *works]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr[-2000:]
        return set(done.stdout.splitlines())

    works = ["pendulum", "ball", "rigid", "implicit"]
    together = asked("solvers", *works)
    assert len(together) > 80
    assert asked(*reversed(works)) ^ together == set()
    for work in works:
        assert asked(work) - together == set(), work
