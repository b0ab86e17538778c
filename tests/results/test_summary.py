"""What consoles and notebooks show of results: short whatever they hold."""

import dataclasses
import importlib
import inspect
import pkgutil

import numpy as np
import pytest

import holonom
from holonom._summary import Summary, short, summary
from holonom.model.base import Element

LIMIT = 600
#: packages whose public dataclasses are answers to users
PACKAGES = ("analyses", "results", "durability", "thermal", "rail", "structures", "vehicle", "flexible", "machinery")
#: they are inside of computations and never returned
INSIDE = {"Assembly", "Course", "Cut", "End", "Loss", "WallOn", "SolverGrains", "StateSpace"}


def results():
    """Public dataclasses of these packages."""
    for package in PACKAGES:
        top = importlib.import_module(f"holonom.{package}")
        for found in pkgutil.walk_packages(top.__path__, f"{top.__name__}."):
            module = importlib.import_module(found.name)
            for name, cls in vars(module).items():
                if (
                    inspect.isclass(cls)
                    and cls.__module__ == module.__name__
                    and name[0] != "_"
                    and dataclasses.is_dataclass(cls)
                    and not issubclass(cls, Element)
                    and name not in INSIDE
                ):
                    yield cls


def test_every_result_is_short_whatever_it_holds():
    """Each field is filled with 10,000 numbers, with 300 texts, and with a text of 5,000 characters."""
    assert len({c for c in results()}) > 80
    big = (np.arange(30000.0).reshape(-1, 3), ["part of a machine"] * 300, "x" * 5000, {k: "y" * 50 for k in range(99)})
    for cls in results():
        if not issubclass(cls, Summary):  # of its own making: checked with real ones below
            assert getattr(cls.__repr__, "__wrapped__", None) is None, f"{cls.__name__} has a long repr"
            continue
        if cls.__repr__ is not Summary._summary:
            continue
        for value in big:
            thing = object.__new__(cls)
            for f in dataclasses.fields(cls):
                try:
                    object.__setattr__(thing, f.name, value)
                except AttributeError:  # a property of the same name
                    pass
            text = summary(thing)
            assert len(text) < LIMIT and "\n" not in text, (cls, len(text))
            assert text.startswith(cls.__name__)


def test_values():
    assert short(0.1) == "0.1" and short(np.float32(2.5)) == "2.5" and short(np.int64(3)) == "3"
    assert short("it's") == '"it\'s"' and len(short("x" * 1000)) < 90
    assert short(np.zeros((4, 3))) == "<4 x 3 array>" and short(np.array([1.5, 2.0])) == "[1.5, 2]"
    assert short([1, 2]) == "[1, 2]" and short(()) == "()" and short([0] * 100) == "[100 of int]"
    assert short({}) == "{}" and short(dict.fromkeys(range(7))) == "{7 items}"


@pytest.fixture(scope="module")
def run():
    """A chain of many parts with long names, so that nothing is short by chance; at rest, for its first times only."""
    model = holonom.Model("a machine with a name of some length", units="SI")
    model.gravity = (0, 0, -9.80665)
    last = model.ground
    for k in range(12):
        part = model.part(f"link number {k} of the long chain", 1.0, (0.01, 0.01, 0.01), (0.2 * k + 0.1, 0, 0))
        model.revolute(last, part, f"hinge number {k} of the long chain", at=(0.2 * k, 0, 0), axis=(0, 1, 0))
        last = part
    return holonom.simulate(model, end=1e-3, steps=2, progress=False)


def answers(run):
    yield run
    yield run.audit()
    yield run.momentum_audit()
    yield run.compare(run)
    yield holonom.check(run.model)
    yield run.reactions()
    yield run.model
    yield run.part("link number 0 of the long chain")
    yield run.joint("hinge number 0 of the long chain")
    yield run.time


def test_answers_of_a_real_run(run, tmp_path):
    for thing in answers(run):
        assert len(repr(thing)) < LIMIT, f"{type(thing).__name__}: {len(repr(thing))} characters"
        if type(thing).__module__.startswith("holonom"):
            page = thing._repr_html_()
            assert "<script" not in page and "&lt;holonom" not in page
    told = repr(holonom.check(run.model))
    assert told.startswith("<Check of model 'a machine") and "it can run" in told and "12 degrees of freedom" in told
    assert "0 differ" in repr(run.compare(run))


def test_text_of_others_is_escaped():
    @dataclasses.dataclass
    class Answer(Summary):
        name: str = "<script>alert(1)</script>"

    assert "<script" not in Answer()._repr_html_()


def test_a_film_shows_itself(run, tmp_path):
    pytest.importorskip("PIL")
    film = run.movie(tmp_path / "new" / "folder" / "chain.gif", fps=5, size=(64, 64))
    assert film.is_file() and film == tmp_path / "new" / "folder" / "chain.gif"
    assert film._repr_html_().startswith('<img alt="Film chain.gif" src="data:image/gif;base64,')
    film.unlink()
    assert "<p>" in film._repr_html_()
