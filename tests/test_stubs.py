"""Type checkers and editors see the methods that registers put on classes (`Model`, `Run`, `Simulation`)."""

import ast
import importlib.util
import inspect
from pathlib import Path

import pytest

import holonom as hn
from holonom._methods import Method, attach
from holonom.analyses.session import simulation_methods
from holonom.results import run_methods

ROOT = Path(__file__).resolve().parents[1]
TOOL = ROOT / "tools" / "stubs.py"


def load_tool():
    spec = importlib.util.spec_from_file_location("stubs", TOOL)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


STUBS = list(load_tool().STUBS)


@pytest.fixture(scope="module")
def tool():
    return load_tool()


def test_the_stubs_are_what_the_tool_writes(tool, capsys):
    assert tool.main(["--check"]) == 0, capsys.readouterr().out


@pytest.mark.parametrize("module", STUBS)
def test_the_stub_declares_every_method_with_its_words(tool, module):
    tree = ast.parse(tool.path_of(module).read_text(encoding="utf-8"))
    (body,) = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    written = {
        f.name: [a.arg for a in (*f.args.args, *f.args.kwonlyargs)][1:]
        for f in body.body
        if isinstance(f, ast.FunctionDef)
    }
    there = {
        name: [
            p.name for p in inspect.signature(f).parameters.values() if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)
        ][1:]
        for name, f in tool.methods_of(module).items()
        if f.__module__.startswith("holonom.")
    }
    assert written == there and len(there) >= 19


def test_the_check_sees_a_difference(tool, monkeypatch, capsys):
    monkeypatch.setattr(tool, "stub", lambda module: "class Types: ...\n")
    assert tool.main(["--check"]) == 1 and "tools/stubs.py" in capsys.readouterr().out


@pytest.mark.parametrize("cls, module", [(hn.Run, run_methods), (hn.Simulation, simulation_methods)])
def test_every_row_of_a_register_is_a_method_of_its_class(cls, module):
    for name in module.METHODS:
        assert callable(getattr(cls, name)) and name in dir(cls)


def test_a_method_is_loaded_when_it_is_used():
    class Thing:
        pass

    attach(Thing, {"fill": "textwrap:fill", "lost": "textwrap:nothing"}, __package__)
    row = vars(Thing)["fill"]
    assert isinstance(row, Method) and row._function is None
    import textwrap

    assert Thing.fill is textwrap.fill and Thing().fill.__wrapped__ is textwrap.fill
    with pytest.raises(AttributeError, match="nothing"):
        Thing().lost()
