"""Type checkers and editors see the builder methods that registers put into `Model`."""

import ast
import importlib.util
import inspect
from pathlib import Path

import pytest

import holonom as hn
from holonom.model.builder import Kinds

ROOT = Path(__file__).resolve().parents[1]
TOOL = ROOT / "tools" / "stubs.py"


@pytest.fixture(scope="module")
def tool():
    spec = importlib.util.spec_from_file_location("stubs", TOOL)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_stub_is_what_the_tool_writes(tool, capsys):
    assert tool.main(["--check"]) == 0, capsys.readouterr().out


def test_the_stub_declares_every_method_with_its_words():
    path = Path(hn.__file__).parent / "model" / "builder" / "kinds.pyi"
    (body,) = [node for node in ast.parse(path.read_text(encoding="utf-8")).body if isinstance(node, ast.ClassDef)]
    written = {
        f.name: [a.arg for a in (*f.args.args, *f.args.kwonlyargs)][1:]
        for f in body.body
        if isinstance(f, ast.FunctionDef)
    }
    there = {
        name: [p.name for p in inspect.signature(f).parameters.values() if p.kind is not p.VAR_KEYWORD][1:]
        for name, f in vars(Kinds).items()
        if name[0] != "_" and inspect.isfunction(f) and f.__module__.startswith("holonom.")
    }
    assert written == there and len(there) >= 19


def test_the_check_sees_a_difference(tool, monkeypatch, capsys):
    monkeypatch.setattr(tool, "stub", lambda: "class Kinds: ...\n")
    assert tool.main(["--check"]) == 1 and "tools/stubs.py" in capsys.readouterr().out
