"""Slips of newcomers with results: each ends with a sentence that names the value and what to do, none with a message
of Python or NumPy, none with the results of something else."""

import inspect
import os
import re

import numpy as np
import pytest

import holonom as hn
from holonom import ModelError

NAN, INF = float("nan"), float("inf")
#: texts of Python, NumPy and pathlib that say nothing to who made the slip
RAW = re.compile(
    r"object is not|unhashable|not supported between|ufunc|could not convert|has no attribute 'data'|'NoneType'"
    r"|float\(\) argument|positional argument|keyword argument|truth value|broadcast|must be str, |expected str, bytes"
    r"|Errno|null byte|subscriptable|cannot be interpreted|out of bounds|has an empty name|^'?\w*'?$"
)


def machine() -> hn.Model:
    m = hn.Model("slips")
    m.gravity = (0, 0, -9.80665)
    rod = m.part("rod", 2.0, (0.02, 0.1, 0.1), (0.5, 0, 0))
    tip = m.marker(rod, (0.5, 0, 0), name="tip")
    hook = m.marker(m.ground, (0.9, 0, 1.0), name="hook")
    m.sphere(rod, (0.5, 0, 0), 0.1, name="ball")
    m.box(m.ground, at=(1.0, 0, -0.8), size=(2, 2, 1.0), name="table")
    m.revolute(rod, m.ground, "pin", at=(0, 0, 0), axis=(0, 1, 0))
    m.spring_damper(tip, hook, stiffness=40.0, damping=0.5, length=0.4, name="spring")
    crank = m.part("crank", 1.0, (0.01, 0.01, 0.01), (-1, 0, 0))
    m.revolute(crank, m.ground, "axle", at=(-1, 0, 0), axis=(0, 0, 1))
    m.motion("axle", "2*time", name="drive")
    m.request("reach", kind="DISPLACEMENT", i=tip, j=hook)
    m.variable("time**2", name="ramp")
    return m


@pytest.fixture(scope="module")
def run() -> hn.Run:
    return hn.simulate(machine(), 0.02, 2)


@pytest.fixture(scope="module")
def slips(run):
    return [None, 3.7, -1, True, "", "nonsense", [], ["rod"], {}, NAN, INF, object(), b"rod", (1, 2),
            machine().parts["rod"], machine(), run]  # fmt: skip


def refusal(call, *args, **words) -> str:
    """The sentence with which a call is refused; empty where it is not.  Fails for what is not a sentence."""
    try:
        call(*args, **words)
    except (ModelError, ValueError, TypeError) as error:
        text = str(error)
        assert not RAW.search(text) and "\n" not in text and len(text) > 20, f"{args}, {words}: {text!r}"
        return text
    return ""


#: methods that find an element by its name: any other value is refused
FIND = ("part", "marker", "joint", "motion", "constraint", "force", "spring", "contact", "request", "variable", "state",
        "state_of", "sink", "surface", "request_components", "named", "part_loads", "curve", "__getitem__")  # fmt: skip


@pytest.mark.parametrize("method", FIND)
def test_what_names_nothing_is_refused(run, slips, method):
    for slip in slips:
        assert refusal(getattr(run, method), slip), slip


@pytest.mark.parametrize("method", ["flexible", "grains", "mesh", "rod"])
def test_what_a_run_does_not_have_is_refused(run, slips, method):
    for slip in slips:
        assert refusal(getattr(run, method), slip), slip


def test_ids_are_whole_numbers(run):
    assert run.part(2).name == run.part("2").name == run.part(np.int64(2)).name == run.part(2.0).name == "rod"
    for strange in (2.5, True, np.float64(2.5), np.bool_(True)):
        assert re.search("not (2.5|True|np)", refusal(run.part, strange))
        assert "neither the id nor the name" in refusal(run.marker, strange)


def test_times(run, slips):
    for slip in slips:
        if slip != [] and not isinstance(slip, bool):  # no time is a run without rows
            assert refusal(run.at, slip), slip
        assert refusal(run.between, slip, slip), slip
        if slip not in (-1, True):  # the last analysis
            assert refusal(run.segment, slip), slip
    for time in (-0.1, 0.03, [0.0, 1.0], NAN):
        assert "outside this run, which goes from 0 to 0.02" in refusal(run.at, time)
    assert "no output time lies between 1 and 2" in refusal(run.between, 1.0, 2.0)
    assert "there is no segment 7" in refusal(run.segment, 7)


def test_runs_that_are_none(run, slips):
    for slip in slips[:-1]:
        assert refusal(run.compare, slip) and refusal(run.difference, slip, "rod.position"), slip
        assert refusal(hn.Run.concatenate, slip), slip
    for slip in (3, -1, NAN, object(), (1, 2), "rodd", "rod.position.q", machine().parts["rod"]):
        assert refusal(run.compare, run, slip), slip
    for slip in ("nonsense", object(), -1.0, [5.0]):
        assert refusal(run.compare, run, times=slip), slip


def test_units(run, slips):
    for slip in slips:
        assert "there is no quantity" in refusal(run.units, slip), slip
    assert "did you mean 'length'" in refusal(run.units, "lenght")


def test_clearances(run, slips):
    for slip in slips:
        assert refusal(run.clearance, slip, slip) and refusal(run.clearance, "rod", slip), slip
        if slip is not None and slip != 3.7:
            assert "faceting" in refusal(run.clearance, "rod", "ground", faceting=slip), slip


WRITERS = {
    "save": "run.h5", "export_csv": "tables", "plot": "figures", "report": "page.html", "animate": "page.html",
    "movie": "film.gif", "export_gltf": "film.glb",
}  # fmt: skip


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("x")
    for name in ("folder", *(f"folder{e}" for e in (".h5", ".html", ".gif", ".glb"))):
        (tmp_path / name).mkdir()
    return tmp_path


@pytest.mark.parametrize("method", WRITERS)
def test_paths(run, place, method):
    """What is no path, what cannot be written, and the name of another type of file, before anything is computed."""
    write, good = getattr(run, method), WRITERS[method]
    ending = os.path.splitext(good)[1]
    paths = [
        3,
        3.7,
        True,
        "",
        " ",
        "a\0b",
        [],
        ["x"],
        {},
        NAN,
        object(),
        b"run.h5",
        run,
        machine(),
        "notes.txt",
        "x.csv",
    ]
    if ending:
        paths += [f"folder{ending}", place / f"folder{ending}", "folder/", "x.adm", "x.png", "x.json"]
        paths += ["noending"] if method != "save" else []
    if method != "animate":
        paths.append(None)  # which shows the animation in a notebook
    for path in paths:
        assert refusal(write, path), path
    assert sorted(os.listdir(place)) == ["file", *sorted(n for n in os.listdir(place) if n.startswith("folder"))]


@pytest.mark.parametrize("method", ["save", "export_csv", "export_gltf"])
def test_places_that_cannot_be_written(run, place, method):
    write, good = getattr(run, method), WRITERS[method]
    for path in (f"file/{good}", f"/dev/null/{good}", "x" * 300 + good):
        assert "cannot write" in refusal(write, path).lower(), path


@pytest.mark.parametrize(
    ("method", "words"),
    [
        ("report", {"max_frames": 0}), ("report", {"max_frames": "all"}), ("report", {"max_frames": 2.5}),
        ("report", {"follow": "rodd"}), ("report", {"more": 3}), ("report", {"more": ["text"]}),
        ("report", {"others": 3}), ("report", {"others": {"b": "run.h5"}}), ("report", {"others": ["run.h5"]}),
        ("report", {"renderer": "webgl"}), ("report", {"renderer": None}), ("report", {"animation": "no"}),
        ("report", {"titel": "x"}), ("animate", {"height": "tall"}), ("animate", {"height": 0}),
        ("animate", {"max_frames": 0}), ("animate", {"follow": 7}), ("animate", {"colour": "force"}),
        ("movie", {"fps": 0}), ("movie", {"fps": "fast"}), ("movie", {"speed": None}), ("movie", {"speed": -1}),
        ("movie", {"size": 3}), ("movie", {"size": (0, 0)}), ("movie", {"size": ("a", "b")}),
        ("movie", {"azimuth": "left"}), ("movie", {"elevation": NAN}), ("movie", {"arrows": "velocities"}),
        ("movie", {"dark": "no"}), ("export_gltf", {"max_frames": 0}), ("export_gltf", {"max_frames": "all"}),
        ("export_gltf", {"speed": 0}), ("export_gltf", {"speed": "x"}), ("export_gltf", {"speed": (1, 2)}),
        ("plot", {"dpi": 0}), ("plot", {"dpi": "high"}), ("save", {"format": "csv"}), ("export_csv", {"sep": ";"}),
    ],
)  # fmt: skip
def test_options_of_writers(run, place, method, words):
    text = refusal(getattr(run, method), None if words.keys() & {"height"} else WRITERS[method], **words)
    assert text and next(iter(words)) in text
    assert not [n for n in os.listdir(place) if not n.startswith(("f", "film"))]


def test_files_that_are_none(place, slips):
    (place / "page.html").write_text("<html>")
    for path in (*(s for s in slips), "nowhere.h5", "page.html", "folder", "file/run.h5", "a\0b"):
        assert refusal(hn.load, path), path


def test_each_method_names_its_arguments(run):
    """An unknown keyword is refused by name in all methods of results."""
    model = machine()
    checked = 0
    views = [
        run, run.part("rod"), run.marker("tip"), run.joint("pin"), run.motion("drive"), run.spring("spring"),
        run.reactions(), run.audit(), run.compare(run), run.clearance("rod", "ground"), hn.linearize(model),
    ]  # fmt: skip
    for view in views:
        for name in (n for n in dir(type(view)) if n[:1] != "_"):
            method = inspect.getattr_static(type(view), name)
            if isinstance(method, property) or type(method).__name__ == "cached_property":
                continue
            method = getattr(view, name)
            if callable(method) and "**" not in str(inspect.signature(method)):  # those go to another function
                text = refusal(method, not_an_argument=1)
                assert "not_an_argument" in text, (view, name, text)
                checked += 1
    assert checked > 60
