"""Kernels declare the types with which Python calls them, so that all can be compiled without running a model."""

import ast
import importlib
import inspect
import pickle
import re
from functools import cache
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import holonom as hn
from holonom import kernel_forms, warmup
from holonom._content_key import reached
from holonom._entry_types import described, listed, split, texts
from holonom._jit import Entry, Kernel, jit
from holonom._kernel_cache import KernelCache
from holonom.elements.bodies.motion_bounds import bound_cubic

ROOT = Path(hn.__file__).parent
#: decorators of functions that are compiled, not called by Python
COMPILED = ("jit", "overload", "intrinsic", "extending", "lower")


def modules():
    kernel_forms.kernels()  # imports them
    for path in sorted(ROOT.rglob("*.py")):
        name = ".".join(path.relative_to(ROOT.parent).with_suffix("").parts).removesuffix(".__init__")
        if name not in kernel_forms._APART:
            yield importlib.import_module(name), path.read_text(encoding="utf-8")


class Calls(ast.NodeVisitor):
    """(kernel, where) of calls of kernels by plain Python functions: ``kernel(...)``, ``module.kernel(...)``,
    ``kernel.entry(...)``, and the first argument of ``small(...)``, ``choose(...)(...)``, ``self._run(...)``,
    ``Entry(...)``."""

    CARRIERS = ("small", "call", "_run", "_each", "submit", "Entry")

    def __init__(self, module):
        self.module, self.names, self.found = module, [vars(module)], []

    def resolve(self, node):
        if isinstance(node, ast.Name):
            return next((n[node.id] for n in reversed(self.names) if node.id in n), None)
        if isinstance(node, ast.Attribute):
            base = self.resolve(node.value)
            if isinstance(base, ModuleType):
                return getattr(base, node.attr, None)
            return base if isinstance(base, Kernel) and node.attr in ("entry", "outer") else None
        return None

    def visit_FunctionDef(self, node):
        if any(word in ast.unparse(d) for d in node.decorator_list for word in COMPILED):
            return
        local = dict.fromkeys(a.arg for a in (*node.args.args, *node.args.kwonlyargs))
        self.names.append(local)
        self.generic_visit(node)
        self.names.pop()

    def visit_ImportFrom(self, node):
        if len(self.names) > 1 and node.level:
            package = self.module.__package__
            base = importlib.import_module("." * node.level + (node.module or ""), package)
            for alias in node.names:
                value = getattr(base, alias.name, None)
                self.names[-1][alias.asname or alias.name] = value

    def visit_Call(self, node):
        called = [node.func]
        name = getattr(node.func, "id", getattr(node.func, "attr", None))
        if node.args and (name in self.CARRIERS or isinstance(node.func, ast.Call)):
            called.append(node.args[0])
        for each in called:
            kernel = self.resolve(each)
            if isinstance(kernel, Kernel):
                self.found.append((kernel, f"{self.module.__name__}:{node.lineno}"))
        self.generic_visit(node)


def holds_kernels(value):
    return isinstance(value, Kernel) or (
        isinstance(value, ModuleType) and any(isinstance(v, Kernel) for v in vars(value).values())
    )


@cache
def entered():
    every = list(modules())
    names = {n for m, _ in every for n, v in vars(m).items() if isinstance(v, Kernel)}
    names |= {m.__name__.rpartition(".")[2] for m, _ in every if holds_kernels(m)}
    found = []
    for module, text in every:
        local = re.findall(r"^ +from \.[\w.]* import (.*)$", text, re.MULTILINE)
        if any(map(holds_kernels, vars(module).values())) or names & set(re.findall(r"\w+", " ".join(local))):
            calls = Calls(module)
            calls.visit(ast.parse(text))
            found += calls.found
    return found


def test_every_kernel_that_python_calls_declares_the_types_of_its_arguments():
    found = entered()
    assert len({k for k, _ in found}) > 150
    assert [f"{where} calls {k.__name__}" for k, where in found if k.entered is None] == []


def test_declarations_name_types_that_are_known_one_for_each_argument():
    count = 0
    for kernel, arguments in kernel_forms.forms():
        count += 1
        assert len(arguments) == len(inspect.signature(kernel.py_func).parameters), kernel.__qualname__
        assert listed(arguments) in texts(kernel.entered), kernel.__qualname__
    assert count > 200


def test_types_that_are_found_without_a_run_are_those_of_runs():
    hn.simulate(warmup.bouncing_ball(), end=0.02, steps=2, progress=False)
    hn.simulate(warmup.bare_machine(), end=0.01, steps=2, integrator="HHT", progress=False)
    known = {}
    for kernel, arguments in kernel_forms.forms():
        known.setdefault(kernel, set()).add(arguments)
    used = 0
    for kernel, forms in known.items():
        for arguments in kernel._outer.overloads if kernel._outer is not None else ():
            if listed(arguments) in texts(kernel.entered):
                used += 1
                assert arguments in forms, kernel.__qualname__
    assert used > 30


def entry(declared, function="def f(x, n):\n    return x + n"):
    """A kernel of this package, and a function of it that calls it."""
    scope = {"__name__": "holonom.some_module"}
    exec(f"{function}\ndef enter(*args):\n    return f(*args)", scope)  # noqa: S102  a module of the package
    scope["f"] = jit(scope["f"], entry=declared)
    return scope["f"], scope["enter"]


@pytest.mark.parametrize("declared", ["float64, int64", ("int64, int64", "float64, int64")])
def test_a_call_with_declared_types_and_with_whole_numbers(declared):
    _, enter = entry(declared)
    assert enter(0.5, 2) == 2.5
    assert enter(0.5, True) == 1.5
    assert enter(np.float64(0.5), np.uint32(2)) == 2.5


def test_a_whole_number_for_a_number_needs_no_form():
    kernel, enter = entry("float64, int64")
    assert enter(3, 2) == 5.0
    assert [listed(t) for t in kernel.outer.overloads] == ["float64, int64"]


def test_a_call_with_other_types_is_an_error_that_states_both():
    _, enter = entry("float64, int64")
    with pytest.raises(TypeError, match=r"some_module\.f with \(float64, float64\); it declares \(float64, int"):
        enter(0.5, 0.5)
    with pytest.raises(TypeError, match=r"with \(float64\[::1\], int64\)"):
        enter(np.zeros(2), 1)


def test_users_get_a_form_for_other_types_and_a_logged_warning(monkeypatch, caplog):
    monkeypatch.delenv("HOLONOM_DECLARED_KERNELS")
    for declared in ("float64, int64", None):
        _, enter = entry(declared)
        caplog.clear()
        assert enter(0.5, 0.25) == 0.75
        assert "some_module.f with (float64, float64); it declares" in caplog.text


def test_a_kernel_without_a_declaration_is_not_called_by_the_package():
    kernel, enter = entry(None)
    with pytest.raises(TypeError, match="it declares no types of arguments"):
        enter(0.5, 2)
    assert kernel(0.5, 2) == 2.5  # a test is not of the package


def test_arrays_that_cannot_be_written_have_a_form_of_their_own():
    kernel, enter = entry("float64[::1], int64", "def f(x, n):\n    return x[n]")
    x = np.arange(4.0)
    x.flags.writeable = False
    assert enter(x, 1) == 1.0 and enter(np.arange(8.0)[::2], 1) == 2.0
    assert {described(t[0]) for t in kernel.outer.overloads} == {"const float64[::1]", "float64[:]"}


def test_an_entry_goes_to_the_form_of_its_first_call_and_notices_arrays_of_another_form():
    kernel, _ = entry("float64[::1], float64", "def f(x, a):\n    return a * x[1]")
    held = Entry(kernel)
    assert held.call(np.arange(4.0), 0.5) == 0.5
    assert held.call(np.arange(3.0), 2) == 2.0 and held.call(np.arange(3.0), np.float64(0.25)) == 0.25
    for other in (np.arange(8.0)[::2], np.arange(4), np.zeros((2, 2))):
        with pytest.raises(AssertionError, match="another form"):
            held.call(other, 1.0)
    assert len(kernel.outer.overloads) == 1
    assert pickle.loads(pickle.dumps(Entry(bound_cubic)))._kernel is bound_cubic


def test_lists_of_types_are_split_at_their_own_commas():
    assert split("(int64, 2 * float64[:, ::1]), Handle(A, B, C(D)), float64") == [
        "(int64, 2 * float64[:, ::1])",
        "Handle(A, B, C(D))",
        "float64",
    ]


def test_keys_do_not_follow_libraries():
    """What has been loaded must not enter a key, or each process compiles for itself."""
    for kernel, *_ in kernel_forms.addressed():
        foreign = {f.__module__ for f in reached(kernel.py_func) if not f.__module__.startswith("holonom.")}
        assert not foreign, (kernel.__qualname__, foreign)


METHODS = (
    ("DOP853", None),
    ("ABAM", None),
    ("RKF45", None),
    ("VELOCITY_VERLET", None),
    ("GSTIFF", "I3"),
    ("GSTIFF", "SI2"),
    ("WSTIFF", "SI1"),
    ("DSTIFF", "SI2"),
    ("HHT", None),
    ("RADAU5", None),
)


@pytest.mark.slow
@pytest.mark.parametrize("model", [warmup.small_machine, warmup.bouncing_ball])
@pytest.mark.parametrize(("integrator", "formulation"), METHODS)
def test_runs_ask_for_nothing_else(monkeypatch, model, integrator, formulation):
    known = {k.py_func for k, _ in kernel_forms.forms()} | {k.py_func for k, *_ in kernel_forms.addressed()}
    asked, load = [], KernelCache.load_overload

    def noting(cache, sig, context):
        found = load(cache, sig, context)
        if cache._folder.name == "outer":
            asked.append(cache._function)
        return found

    monkeypatch.setattr(KernelCache, "load_overload", noting)
    warmup._dynamics(model, integrator, formulation)
    assert set(asked) <= known
