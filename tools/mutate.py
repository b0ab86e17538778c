"""Mutation test of formulas: one number, sign, term or comparison is changed at a time, and the tests must notice.

    python tools/mutate.py                                   files of src that differ from the last commit
    python tools/mutate.py src/holonom/elements/laws/*.py    these files
    python tools/mutate.py --changed main                    files that differ from a revision
    python tools/mutate.py FILE --sample 40 --seed 1         40 changes of each file drawn at random
    python tools/mutate.py FILES --total 50 --seed 1         50 changes drawn at random from all of the files
    python tools/mutate.py FILES --skip plot read            without functions whose names contain these
    python tools/mutate.py FILES --builders --total 20       functions that build models, by the tests that call them
    python tools/mutate.py FILES --constants --total 20      tables of numbers of modules, by the tests that use them

The changes: a number times 1.1, a whole number plus one (an index as well), plus and minus, times and divided by
exchanged, a term left out, the first two arguments of a call exchanged, ``min`` and ``max`` and the like exchanged, a
comparison turned around, a condition negated.  Strings, annotations, defaults of fields, messages and checks of input
(``faults``, ``raise``, ``assert``) are left alone.

A server imports the package and the tests once and forks for every change; the functions of the file get the changed
code, those tests run first that failed before, and the first failure ends a change.  Which tests belong to a file
is in ``tools/mutation.toml``, and the changes that no test can notice, with the reason.  Tests that call kernels
directly run first, with kernels as plain Python (the table ``plain``): nothing is compiled for a change that they
notice, and ``--plain`` leaves it at these.  For the other tests a change compiles the kernels that hold it and no
others, since kernels are keyed by what they contain; the compiled forms of changes go into a copy of the cache, which
is thrown away.

Functions that build models (they call ``model.part``, ``m.sforce`` and the like) are plain Python around compiled
kernels.  With ``--builders`` only these are drawn (pictures are left out), and ``tools/mutation_server.py`` runs those
fast tests of the package and rows of ``tests/test_builder_numbers.py`` that call the changed function and take at most
``--seconds`` of CPU time each.  With ``--constants`` numbers in the constants of modules are drawn (data of a vehicle,
rolled sections, coefficients of a standard), and those tests run that call a function of a file which names the
constant, or stand in a file that names it themselves.

The end: survivors with file and line, and their share.  The exit status is 1 where more than ``--most`` percent of the
changes survive without a reason.
"""

from __future__ import annotations

import argparse
import ast
import copy
import dataclasses
import fnmatch
import json
import os
import random
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "tools" / "mutation.toml"

#: functions exchanged for each other
EXCHANGED = {
    "min": "max",
    "max": "min",
    "sin": "cos",
    "cos": "sin",
    "minimum": "maximum",
    "maximum": "minimum",
    "floor": "ceil",
    "ceil": "floor",
}
TURNED = {ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq}
SWAPPED = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult}
#: methods and functions that check what is given, or put it into words
CHECKS = {"faults", "warnings", "ranges", "__repr__", "check", "describe"}


@dataclasses.dataclass(frozen=True)
class Change:
    """One change of a file: characters ``begin`` to ``end`` are replaced by ``text``."""

    path: Path
    line: int
    function: str
    begin: int
    end: int
    old: str
    text: str
    number: int = 1  # of those in its function that read alike

    def __str__(self):
        return f"{self.path.relative_to(ROOT)}:{self.line} {self.function}: {self.old} -> {self.text}"

    @property
    def name(self) -> str:
        """What names the change in the table of reasons: it does not depend on line numbers; " (2)" follows for the
        second of those in a function that read alike."""
        return f"{self.function}: {self.old} -> {self.text}" + (f" ({self.number})" if self.number > 1 else "")

    def applied(self, source: str) -> str:
        return source[: self.begin] + self.text + source[self.end :]


def _is_zero(node) -> bool:
    """Whether it is zero: the number, or the zero of a kernel's type, which has that name."""
    return isinstance(node, ast.Constant) and node.value == 0.0 or isinstance(node, ast.Name) and node.id == "zero"


def _is_typing(node) -> bool:
    """Whether a sum only gives a number its type: x * 0.0 + y * 0.0."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return all(_is_zero(side) or _is_typing(side) for side in (node.left, node.right))
    return (
        isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) and (_is_zero(node.left) or _is_zero(node.right))
    )


def _variants(node):
    """Changed copies of one node."""
    if isinstance(node, ast.Constant) and type(node.value) is float and node.value != 0.0:
        yield ast.Constant(node.value * 1.1 if abs(node.value) < 1e300 else -node.value)
    elif isinstance(node, ast.Constant) and type(node.value) is int:
        yield ast.Constant(node.value + 1)
    elif isinstance(node, ast.BinOp):
        if any(_is_zero(side) for side in (node.left, node.right)) and isinstance(node.op, ast.Mult):
            return  # x * 0.0 only gives a zero of the type of x
        sides = node.left, node.right
        typing = [_is_zero(side) or _is_typing(side) for side in sides]
        if isinstance(node.op, ast.Add) and any(typing):  # x + zero only gives x the type of zero
            if not all(typing):
                yield sides[typing.index(True)]
                if typing[0]:
                    yield ast.BinOp(node.left, ast.Sub(), node.right)
            return
        if type(node.op) in SWAPPED:
            yield ast.BinOp(node.left, SWAPPED[type(node.op)](), node.right)
        if isinstance(node.op, ast.Add | ast.Sub):
            yield node.left
            yield node.right if isinstance(node.op, ast.Add) else ast.UnaryOp(ast.USub(), node.right)
        if isinstance(node.op, ast.Pow):
            yield node.left
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.Not):
        if not isinstance(node.operand, ast.Constant):
            yield node.operand
    elif isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in TURNED:
        yield ast.Compare(node.left, [TURNED[type(node.ops[0])]()], node.comparators)
    elif isinstance(node, ast.BoolOp):
        yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
    elif isinstance(node, ast.Call):
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        if name in EXCHANGED:
            other = copy.deepcopy(node)
            if isinstance(other.func, ast.Name):
                other.func.id = EXCHANGED[name]
            else:
                other.func.attr = EXCHANGED[name]
            yield other
        symmetric = name in ("min", "max", "minimum", "maximum", "hypot", "dist", "dot", "isinstance", "range", "zip")
        plain = len(node.args) >= 2 and not any(isinstance(a, ast.Starred) for a in node.args[:2])
        if plain and not symmetric and ast.dump(node.args[0]) != ast.dump(node.args[1]):
            yield ast.Call(node.func, [node.args[1], node.args[0], *node.args[2:]], node.keywords)
    elif isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add | ast.Sub):
        yield ast.AugAssign(node.target, ast.Sub() if isinstance(node.op, ast.Add) else ast.Add(), node.value)


class _Sites(ast.NodeVisitor):
    """Nodes of functions that can be changed, with the function that holds them."""

    def __init__(self):
        self.found: list[tuple[str, ast.AST]] = []
        self.functions: list[str] = []

    def visit_ClassDef(self, node):
        self.functions.append(node.name)
        for item in node.body:
            if isinstance(item, ast.FunctionDef):
                self.visit(item)
        self.functions.pop()

    def visit_FunctionDef(self, node):
        if node.name in CHECKS or node.name.endswith("_faults"):
            return
        self.functions.append(node.name)
        for statement in node.body:
            if not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)):
                self.visit(statement)
        self.functions.pop()

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Raise(self, node):
        pass

    visit_Assert = visit_JoinedStr = visit_Import = visit_ImportFrom = visit_Raise

    def visit_AnnAssign(self, node):
        if node.value is not None:
            self.visit(node.value)

    def visit_If(self, node):
        """A condition whose branch only raises is a check of input."""
        if not (len(node.body) == 1 and isinstance(node.body[0], ast.Raise)):
            self.visit(node.test)
        for statement in node.body + node.orelse:
            self.visit(statement)

    def generic_visit(self, node):
        if self.functions:
            self.found.append((".".join(self.functions), node))
        super().generic_visit(node)


def changes_of(path: Path) -> list[Change]:
    """All changes of the functions of a file, in the order of their positions."""
    visitor = _Sites()
    visitor.visit(ast.parse(path.read_text()))
    return _written(path, visitor.found)


def _written(path: Path, found: list[tuple[str, ast.AST]]) -> list[Change]:
    """Changes of nodes, in the order of their positions."""
    source = path.read_text()
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    lines = source.splitlines(keepends=True)

    def place(line, column):  # columns of the syntax tree are bytes
        return starts[line - 1] + len(lines[line - 1].encode()[:column].decode())

    out = []
    for function, node in found:
        for variant in _variants(node):
            begin, end = place(node.lineno, node.col_offset), place(node.end_lineno, node.end_col_offset)
            old, text = source[begin:end], ast.unparse(variant)
            if isinstance(node, ast.expr) and not isinstance(variant, ast.Constant | ast.Name | ast.Call):
                text = f"({text})"
            if " ".join(old.split()) != text:
                out.append(Change(path, node.lineno, function, begin, end, " ".join(old.split()), text))
    seen: dict[str, int] = {}
    numbered = []
    for change in sorted(out, key=lambda c: (c.begin, c.end, c.text)):
        seen[change.name] = seen.get(change.name, 0) + 1
        numbered.append(dataclasses.replace(change, number=seen[change.name]))
    return numbered


def builder_names() -> set[str]:
    """Methods of a model that make elements."""
    files = sorted((ROOT / "src/holonom/model/builder").glob("*.py"))
    trees = (ast.parse(f.read_text()) for f in files)
    classes = (c for tree in trees for c in tree.body if isinstance(c, ast.ClassDef))
    return {f.name for c in classes for f in c.body if isinstance(f, ast.FunctionDef) and not f.name.startswith("_")}


def builders_of(path: Path) -> set[str]:
    """Functions of a file that make elements of a model, by their qualified names: calls of ``model.part(...)`` and the
    like on a name or attribute called m, model or probe."""
    makes, found = builder_names(), set()

    def visit(node, names):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.ClassDef):
                visit(child, [*names, child.name])
                continue
            if names and isinstance(child, ast.Call) and isinstance(child.func, ast.Attribute):
                on = child.func.value
                word = on.id if isinstance(on, ast.Name) else getattr(on, "attr", "")
                if child.func.attr in makes and word in ("m", "model", "probe"):
                    found.add(".".join(names))
            visit(child, names)

    visit(ast.parse(path.read_text()), [])
    return found


def constants_of(path: Path) -> list[Change]:
    """Changes of numbers in the constants of a module; ``function`` is its name.  Limits of size, and columns
    and headings of printed tables, are left alone."""
    found = []
    for statement in ast.parse(path.read_text()).body:
        names = constants_in(statement)
        if names and not re.search("MOST|HEAD|COLUMNS|ROWS", names[0]):
            visitor = _Sites()
            visitor.functions.append(names[0])
            visitor.visit(statement.value)
            found += visitor.found
    return _written(path, found)


def constants_in(statement: ast.stmt) -> list[str]:
    """Names that a statement of a module gives values to."""
    if isinstance(statement, ast.AnnAssign):
        targets = [statement.target] if statement.value is not None else []
    else:
        targets = statement.targets if isinstance(statement, ast.Assign) else []
    names = [n for t in targets for n in (t.elts if isinstance(t, ast.Tuple) else [t])]
    return [n.id for n in names if isinstance(n, ast.Name)]


def files_with(name: str) -> list[Path]:
    """Files of the package of src that name a constant."""
    return [f for f in sorted((ROOT / "src/holonom").rglob("*.py")) if re.search(rf"\b{name}\b", f.read_text())]


def tests_with(name: str) -> list[Path]:
    """Files of tests that name a constant, and that which looks all of them up."""
    files = sorted((ROOT / "tests").rglob("test_*.py"))
    return [f for f in files if f.name == "test_constants.py" or re.search(rf"\b{name}\b", f.read_text())]


def lines_of_pictures(path: Path) -> set[int]:
    """Lines of calls that only draw: of ``drawing``, and those with a colour; and of values that only these take."""
    out: set[int] = set()
    lines = lambda node: range(node.lineno, (node.end_lineno or node.lineno) + 1)
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            on = getattr(node.func, "value", None)
            if getattr(on, "id", "") == "drawing" or any(k.arg == "color" for k in node.keywords):
                out.update(lines(node))
    for function in (n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)):
        names = [n for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
        assigned = [n for n in ast.walk(function) if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name)]
        for one in reversed(assigned):  # what makes another value comes before it
            used = [n.lineno for n in names if n.id == one.targets[0].id]
            if used and out.issuperset(used):
                out.update(lines(one))
    return out


def tests_of_builders(path: Path) -> list[str]:
    """Test files that use the package of a file, and the table of numbers of builders."""
    package = path.relative_to(ROOT / "src/holonom").parts[0]
    uses = re.compile(rf"holonom\.{package}\b|from holonom import .*\b{package}\b|hn\.{package}\.")
    folder = ROOT / "tests" / package
    files = [f for f in sorted(folder.glob("test_*.py")) if uses.search(f.read_text())]
    return ["tests/test_builder_numbers.py", *(f.relative_to(ROOT).as_posix() for f in files)]


class BuilderBench:
    """A server of `mutation_server` for files of one package."""

    def __init__(self, files: list[Path], tests: list[str], most: float, traces: Path | None = None):
        read, write = os.pipe()
        module = lambda f: ".".join(f.relative_to(ROOT / "src").with_suffix("").parts).removesuffix(".__init__")
        job = {"root": str(ROOT), "tests": tests, "modules": [module(f) for f in files], "most": most}
        job["traces"] = str(traces.resolve()) if traces else ""
        environment = os.environ | {
            "PYTHONPATH": str(ROOT / "src"),
            "OPENBLAS_NUM_THREADS": "1",
            "MUTATION_ANSWERS": str(write),
        }
        self.server = subprocess.Popen(
            [sys.executable, str(ROOT / "tools/mutation_server.py"), json.dumps(job)],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            pass_fds=[write],
        )
        os.close(write)
        self.answers = os.fdopen(read)
        self.first = json.loads(self.answers.readline())

    def notices(self, change: Change) -> dict:
        """Whether a test notices, which one, and how many there are."""
        source = change.path.read_text()
        job = {"path": str(change.path), "function": change.function, "source": change.applied(source)}
        if "." not in change.function and change in constants_of(change.path):
            job["files"] = [str(f) for f in files_with(change.function)]
            job["named"] = [str(f) for f in tests_with(change.function)]
        self.server.stdin.write(json.dumps(job) + "\n")
        self.server.stdin.flush()
        answer = json.loads(self.answers.readline())
        if "lost" in answer:
            raise RuntimeError(answer["lost"])
        return answer

    def close(self):
        self.server.stdin.close()
        self.server.wait()


def mutate_builders(files: list[Path], options) -> list[dict]:
    """Changes drawn from functions that build models, or from constants; a row a file."""
    every = []
    for path in files:
        if options.constants:
            known = constants_of(path)
            every += [c for c in known if options.only in c.name and not any(w in c.function for w in options.skip)]
            continue
        makes, pictures = builders_of(path), lines_of_pictures(path)
        known = [c for c in changes_of(path) if c.function in makes and options.only in c.name]
        known = [c for c in known if c.line not in pictures]
        every += [c for c in known if not any(word in c.function for word in options.skip)]
    if options.total and len(every) > options.total:
        drawn = random.Random(options.seed).sample(every, options.total)
        every_drawn = sorted(drawn, key=lambda c: (str(c.path), c.begin))
    else:
        every_drawn = every
    kind = "constants" if options.constants else "builders"
    print(f"{len(every_drawn)} of {len(every)} changes of {kind}", flush=True)
    if options.list:
        print(*every_drawn, sep="\n")
        return []
    tests = options.tests or sorted({t for f in files for t in tests_of_builders(f)})
    if options.constants and not options.tests:
        tests = ["tests/test_constants.py", "tests/test_builder_tables.py", *tests]
    bench = BuilderBench(files, tests, options.seconds, options.traces)
    print("{used} of {tests} tests, {seconds:.0f} CPU s".format(**bench.first), flush=True)
    rows = []
    try:
        for path in dict.fromkeys(c.path for c in every_drawn):
            reasons, own = reasons_of(path), [c for c in every_drawn if c.path == path]
            row = {"file": path.relative_to(ROOT).as_posix(), "tests": tests, "tried": len(own)}
            explained = lambda c, reasons=reasons: c.name in reasons or options.constants and c.function in reasons
            row |= {"explained": [str(c) for c in own if explained(c)], "survivors": []}
            for change in own:
                if explained(change):
                    continue
                found = bench.notices(change)
                if not found["noticed"]:
                    row["survivors"].append(str(change))
                    print(f"  survives  {change} [{found['of']} tests call it]", flush=True)
                elif options.verbose:
                    print(f"  noticed   {change} [{found['by']}]", flush=True)
            rows.append(row)
    finally:
        bench.close()
    return rows


def _table() -> dict:
    return tomllib.loads(TABLE.read_text())


def tests_of(path: Path) -> list[str]:
    """Test files that belong to a file of src, from the table: the last pattern that fits counts."""
    relative, found = path.relative_to(ROOT).as_posix(), []
    for pattern, tests in _table()["tests"].items():
        if fnmatch.fnmatch(relative, pattern):
            found = tests
    return found


def plain_tests(tests: list[str]) -> dict[str, str]:
    """Those of the test files that run with kernels as plain Python, and which of their tests do (pytest's -k)."""
    table = _table().get("plain", {})
    return {t: table[t] for t in tests if t in table}


def reasons_of(path: Path) -> dict[str, str]:
    """Changes that no test can notice, with the reason; the name of a constant stands for all of its changes."""
    return _table().get("equal", {}).get(path.relative_to(ROOT).as_posix(), {})


#: what a server does: it imports the package and the tests once, and forks for every change
_SERVER = '''
import importlib, json, os, sys, types
import pytest

def functions(code, name=""):
    """Code objects of functions by their qualified names."""
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield constant.co_qualname, constant
            yield from functions(constant)

def put(module, path, source):
    """Give the functions of a module the code of another source; they stay the same objects for their importers."""
    codes = dict(functions(compile(source, path, "exec")))
    def visit(owner):
        for value in list(vars(owner).values()):
            value = getattr(value, "py_func", value)
            value = getattr(value, "__func__", value) if not isinstance(value, property) else value.fget
            value = getattr(value, "__wrapped__", value)
            if isinstance(value, types.FunctionType) and value.__module__ == module.__name__:
                code = codes.get(value.__code__.co_qualname)
                if code is not None and code.co_freevars == value.__code__.co_freevars:
                    value.__code__ = code
            elif isinstance(value, type) and value.__module__ == module.__name__:
                visit(value)
    visit(module)

arguments, plain = json.loads(sys.argv[1])
if plain:
    from holonom import _jit
    _jit.Kernel.__call__ = lambda kernel, *args: _jit.interpreted(kernel)(*args)
    _jit.Kernel.entry = lambda kernel, *args: _jit.interpreted(kernel)
sys.stdout.flush()
quiet = os.open(os.devnull, os.O_WRONLY)
kept = os.dup(1)
os.dup2(quiet, 1)
pytest.main([*arguments, "--collect-only", "-q"])
os.dup2(kept, 1)
sys.stdout.write("ready\\n")
sys.stdout.flush()
for line in sys.stdin:
    job = json.loads(line)
    child = os.fork()
    if child == 0:
        os.setsid()
        out = os.open(job["out"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(out, 1)
        os.dup2(out, 2)
        put(importlib.import_module(job["module"]), job["path"], job["source"])
        status = int(pytest.main([*arguments, *job["options"]]))
        sys.stdout.flush()
        os._exit(status)
    sys.stdout.write(f"{child}\\n")
    sys.stdout.flush()
    _, status = os.waitpid(child, 0)
    sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\\n")
    sys.stdout.flush()
'''


class Workshop:
    """A process that has imported the tests of a file and forks for every change; its compiled forms go into a copy of
    the cache.  ``plain``: kernels run as plain Python; ``choice``: which tests run (pytest's -k)."""

    def __init__(self, tests: list[str], plain: bool = False, choice: str = ""):
        self.folder = Path(tempfile.mkdtemp(prefix="mutate"))
        cache = self.folder / "cache"
        kept = Path(
            os.environ.get("HOLONOM_CACHE_DIR")
            or Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "holonom"
        )
        if plain:  # nothing is compiled
            cache.mkdir()
        elif kept.is_dir() and subprocess.run(["cp", "-al", str(kept), str(cache)], capture_output=True).returncode:
            shutil.copytree(kept, cache, dirs_exist_ok=True)
        environment = os.environ | {
            "PYTHONPATH": str(ROOT / "src"),
            "HOLONOM_CACHE_DIR": str(cache),
            "OPENBLAS_NUM_THREADS": "1",
        }
        options = [
            "-q",
            "-m",
            "not slow",
            "--tb=line",
            "--no-header",
            "--ff",
            "-o",
            f"cache_dir={self.folder / 'last'}",
            *(["-k", choice] if choice else []),
        ]
        self.server = subprocess.Popen(
            [sys.executable, "-c", _SERVER, json.dumps([[*options, *tests], plain])],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        if self._line() != "ready":
            raise SystemExit(f"the tests {' '.join(tests)} cannot be collected; run them with pytest")

    def _line(self, limit: float | None = None) -> str | None:
        """The next line of the server, None when there is none in time."""
        if limit is not None and not select.select([self.server.stdout], [], [], limit)[0]:
            return None
        return self.server.stdout.readline().strip()

    def close(self):
        self.server.stdin.close()
        self.server.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, path: Path, source: str, limit: float, options=()) -> tuple[bool, float, str]:
        """Whether the tests pass with this source of a file, seconds, and the end of their output."""
        out = self.folder / "out"
        job = {
            "path": str(path),
            "module": ".".join(path.relative_to(ROOT / "src").with_suffix("").parts).removesuffix(".__init__"),
            "source": source,
            "out": str(out),
            "options": list(options),
        }
        begin = time.perf_counter()
        self.server.stdin.write(json.dumps(job) + "\n")
        self.server.stdin.flush()
        child = int(self._line())
        status = self._line(limit)
        if status is None:
            os.killpg(child, 9)
            self._line()
            return False, time.perf_counter() - begin, f"not done after {limit:.0f} s"
        return status == "0", time.perf_counter() - begin, out.read_text(errors="replace")[-2000:]


def _changed_since(revision: str) -> list[Path]:
    out = subprocess.run(
        ["git", "diff", "--name-only", "--diff-filter=d", revision, "--", "src"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    return [ROOT / name for name in out.stdout.split() if name.endswith(".py")]


class Bench:
    """Workshops of a list of test files, which have passed without any change; files of the same tests share it.
    ``plain``: only those that run with kernels as plain Python, if any; ``seconds``: the most that one may take."""

    def __init__(self, tests: list[str], path: Path, plain: bool = False, seconds: float = 300.0):
        direct = plain_tests(tests)
        whole = [t for t, choice in direct.items() if not choice]
        self.shops = [Workshop(whole, True)] if whole else []
        self.shops += [Workshop([t], True, choice) for t, choice in direct.items() if choice]
        if not (direct and plain):
            self.shops.append(Workshop(tests))
        self.limits: list[float] = []
        self.took: list[str] = []
        for shop in self.shops:
            passes, taken, last = shop.run(path, path.read_text(), seconds * 4)
            if not passes:
                raise SystemExit(f"{' '.join(tests)}: they fail without any change:\n{last}")
            self.limits.append(min(seconds, 4 * taken + 30))
            self.took.append(f"{taken:.1f} s")

    def notices(self, path: Path, source: str) -> bool:
        """Whether a test fails with this source of a file."""
        return any(not shop.run(path, source, limit, ["-x"])[0] for shop, limit in zip(self.shops, self.limits))

    def close(self):
        for shop in self.shops:
            shop.close()


def drawn(files: list[Path], options) -> dict[Path, list[Change]]:
    """The changes that are tried, by file."""
    out = {}
    for path in files:
        out[path] = [
            c
            for c in changes_of(path)
            if options.only in c.name and not any(word in c.function for word in options.skip)
        ]
        if options.sample and len(out[path]) > options.sample:
            some = random.Random(options.seed).sample(out[path], options.sample)
            out[path] = sorted(some, key=lambda c: c.begin)
    every = [(path, k) for path, changes in out.items() for k in range(len(changes)) if tests_of(path)]
    if options.total and len(every) > options.total:
        kept = set(random.Random(options.seed).sample(every, options.total))
        out = {path: [c for k, c in enumerate(changes) if (path, k) in kept] for path, changes in out.items()}
    return out


def mutate(path: Path, changes: list[Change], benches: dict, options) -> dict:
    """Try changes of one file; a row of the report."""
    relative = path.relative_to(ROOT).as_posix()
    tests = options.tests or tests_of(path)
    row = {"file": relative, "tests": tests, "possible": len(changes_of(path)), "tried": len(changes)}
    if not tests:
        print(f"{relative}: no tests belong to it in {TABLE.name}; add a row", flush=True)
    if not tests or not changes:
        return {**row, "tried": 0, "explained": [], "survivors": []}
    bench = benches.get(tuple(tests))
    if bench is None:
        bench = benches[tuple(tests)] = Bench(tests, path, options.plain, options.seconds)
    print(
        f"{relative}: {len(changes)} of {row['possible']} changes; its tests take {' and '.join(bench.took)}",
        flush=True,
    )
    reasons, survivors, explained = reasons_of(path), [], []
    for change in changes:
        if change.name in reasons:
            explained.append(str(change))
        elif not bench.notices(path, change.applied(path.read_text())):
            survivors.append(str(change))
            print(f"  survives  {change}", flush=True)
        elif options.verbose:
            print(f"  noticed   {change}", flush=True)
    return {**row, "explained": explained, "survivors": survivors}


def main(arguments=None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("files", nargs="*", type=Path, help="files of src; those that differ from a revision without")
    parser.add_argument("--changed", default="HEAD", help="revision that files are compared with")
    parser.add_argument("--tests", nargs="*", help="test files, in place of those of the table")
    parser.add_argument("--only", default="", help="changes whose function or text contains this")
    parser.add_argument("--skip", nargs="*", default=[], help="not of functions whose names contain one of these")
    parser.add_argument("--sample", type=int, default=0, help="at most so many changes of a file, drawn at random")
    parser.add_argument("--total", type=int, default=0, help="at most so many changes of all files, drawn at random")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=300.0, help="the most that the tests of one change may take")
    parser.add_argument("--most", type=float, default=5.0, help="percent of survivors that pass")
    parser.add_argument("--json", type=Path, help="write the rows of the report")
    parser.add_argument("--plain", action="store_true", help="only tests that run with kernels as plain Python, if any")
    parser.add_argument("--builders", action="store_true", help="only functions that build models")
    parser.add_argument(
        "--traces", type=Path, help="keep which functions tests call in this file, or take it from there"
    )
    parser.add_argument("--constants", action="store_true", help="only constants of modules, as with --builders")
    parser.add_argument("--list", action="store_true", help="only list the changes")
    parser.add_argument("--verbose", action="store_true", help="print changes that are noticed as well")
    options = parser.parse_args(arguments)
    files = [f.resolve() for f in options.files] or _changed_since(options.changed)
    together = options.builders or options.constants
    if options.list and not together:
        for path in files:
            print(*changes_of(path), sep="\n")
        return 0
    benches: dict[tuple[str, ...], Bench] = {}
    try:
        rows = (
            mutate_builders(files, options)
            if together
            else [mutate(path, changes, benches, options) for path, changes in drawn(files, options).items()]
        )
    finally:
        for bench in benches.values():
            bench.close()
    tried = sum(r["tried"] for r in rows)
    left = [s for r in rows for s in r["survivors"]]
    share = 100.0 * len(left) / tried if tried else 0.0
    print(*(f"survivor: {s}" for s in left), sep="\n")
    print(f"{tried} changes in {len(rows)} files, {len(left)} survive: {share:.1f} %")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))
    return int(share > options.most)


if __name__ == "__main__":
    sys.exit(main())
