"""Slips of newcomers with studies: each public method and function called with wrong values answers with a sentence,
none with a message of Python, and nothing is taken silently.  `test_study_refusals` has single cases."""

import inspect
import re
import subprocess
import sys

import numpy as np
import pytest
from _models import oscillator

import holonom as hn
from holonom import ModelError
from holonom.studies import Curve, Experiment, Measure, StudyParameter
from holonom.studies.worker import LOADING

NAN, INF = float("nan"), float("inf")
#: texts of Python, NumPy, SQLite and pathlib that say nothing to who made the slip
RAW = re.compile(
    r"object is not|unhashable|not supported between|ufunc|could not convert|'NoneType'|float\(\) argument"
    r"|positional argument|keyword argument|truth value|broadcast|must be str, |expected str, bytes|Errno|null byte"
    r"|subscriptable|cannot be interpreted|out of bounds|object has no attribute|NotImplemented|^'?\w*'?$"
)
SLIPS = [None, 3.7, -1, True, "", "nonsense", [], ["f"], {}, {"q": 1}, NAN, INF, object(), b"f", (1, 2), np.zeros(3)]


def bowl(v):
    return {"f": (v["x"] - 0.3) ** 2 + v["y"] ** 2, "g": v["x"] + v["y"]}


SPACE = {"x": (0.0, 1.0), "y": (0.0, 1.0)}


def opened(tmp_path, function=bowl, space=None, name="a.study", **options):
    return hn.Study(tmp_path / name, function, SPACE if space is None else space, **({"workers": 0} | options))


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    with opened(tmp_path_factory.mktemp("slips")) as made:
        yield made


@pytest.fixture(scope="module")
def scattered(tmp_path_factory):
    space = {"x": hn.studies.Normal(0.5, 0.1), "y": hn.studies.Normal(0.5, 0.1)}
    with opened(tmp_path_factory.mktemp("slips"), space=space) as made:
        yield made


@pytest.fixture(scope="module")
def table(study):
    return study.run(hn.studies.full_factorial(2))


def refusal(call, *args, **words) -> str:
    """The sentence with which a call is refused; empty where it is not.  Fails for what is not a sentence."""
    try:
        call(*args, **words)
    except (ModelError, AttributeError, TypeError) as error:
        text = str(error)
        assert isinstance(error, ModelError), f"{args}, {words}: {error!r}"
        assert not RAW.search(text) and "\n" not in text and len(text) > 20, f"{args}, {words}: {text!r}"
        return text
    return ""


# ---- every method and function -------------------------------------------------------------------------------------
#: method -> arguments of a call that is right, an example of each argument to replace by a wrong value
RIGHT = {
    "run": {"design": [{"x": 0.5}]},
    "minimize": {
        "objective": "f",
        "subject_to": {"g": (0.1, None)},
        "method": "slsqp",
        "start": {"x": 0.5},
        "max_runs": 20,
        "tolerance": 1e-4,
        "step": 1e-4,
        "population": None,
    },
    "maximize": {"objective": "f", "method": "slsqp", "max_runs": 20},
    "minimize_robust": {
        "objective": "f",
        "scatter": {"x": 0.01},
        "sigmas": 1.0,
        "criterion": "sigma",
        "estimate": "linear",
        "count": 8,
        "verify": 0,
        "subject_to": None,
        "method": "slsqp",
        "start": None,
        "max_runs": 60,
        "tolerance": 1e-3,
        "step": 1e-3,
        "population": None,
    },
    "maximize_robust": {"objective": "f", "scatter": {"x": 0.01}, "verify": 0, "max_runs": 60},
    "allocate_tolerances": {
        "limits": {"g": (0.0, 3.0)},
        "costs": {"x": 1.0, "y": 1.0},
        "criterion": "worst_case",
        "sigmas": 3.0,
        "process": 3.0,
        "others": None,
        "at": None,
        "verify": 0,
    },
    "pareto": {
        "objectives": {"f": "min", "g": "max"},
        "subject_to": None,
        "method": "nsga2",
        "start": None,
        "max_runs": 16,
        "population": 8,
    },
    "sensitivity": {"method": "morris", "count": 4, "measures": ["f"], "second_order": False},
    "tornado": {"share": 0.9},
    "worst_case": {"measure": "f", "max_runs": 20},
    "optimize_on_surrogate": {
        "objective": "f",
        "subject_to": None,
        "maximize": False,
        "kind": "quadratic",
        "design": hn.studies.full_factorial(3),
        "rounds": 1,
        "tolerance": 1e-3,
    },
    "results": {"stage": None},
    "model": {"values": None},
}
#: wrong values that are right for an argument, or mean none
ALLOWED = {
    "objective": (),
    "design": ([],),
    "start": ({},),
    "subject_to": ({},),
    "scatter": (),
    "max_runs": (),
    "others": ({},),
    "at": ({},),
    "values": ({},),
    "measures": (["f"],),
}


def wrong_for(name):
    """Wrong values of an argument; None means the default."""
    for slip in SLIPS:
        if slip is None and name not in ("objective", "measure", "method"):
            continue
        if any(type(slip) is type(right) and slip == right for right in ALLOWED.get(name, ())):
            continue
        yield slip


@pytest.mark.parametrize("method", [m for m in RIGHT if m not in ("minimize_robust", "results", "model")])
def test_methods_of_a_study(study, method):
    right = RIGHT[method]
    for name in right:
        for slip in wrong_for(name):
            if _is_right(name, slip, right[name]):
                continue
            text = refusal(getattr(study, method), **{**right, name: slip})
            assert text, f"{method}({name}={slip!r}) is taken silently"


def _is_right(name, slip, right):
    """Whether a slip is a value that the argument may have."""
    if isinstance(right, bool):
        return isinstance(slip, bool)
    number = isinstance(slip, (int, float)) and not isinstance(slip, bool)
    return name in ("sigmas", "process") and number and 0 < slip < INF


@pytest.mark.parametrize("name", RIGHT["minimize_robust"])
def test_options_of_robust_optimisation(study, name):
    for slip in wrong_for(name):
        if not _is_right(name, slip, RIGHT["minimize_robust"][name]) and not (
            name == "scatter" and isinstance(slip, dict) and not slip
        ):
            text = refusal(study.minimize_robust, **{**RIGHT["minimize_robust"], name: slip})
            assert text, f"minimize_robust({name}={slip!r}) is taken silently"


def test_reliability(scattered):
    right = {
        "measure": "f",
        "low": -1.0,
        "high": None,
        "method": "form",
        "second_order": True,
        "tolerance": 1e-4,
        "checks": 4,
        "count": 20,
    }
    for name in right:
        for slip in wrong_for(name):
            number = isinstance(slip, (int, float)) and not isinstance(slip, bool) and np.isfinite(slip)
            fits = name in ("low", "high") and number and name == "low" or name == "second_order" and slip is True
            if fits or name == "checks" and slip is None:
                continue
            assert refusal(scattered.reliability, **{**right, name: slip}), f"{name}={slip!r} is taken silently"


def test_every_method_names_its_arguments(study, table, scattered):
    """An unknown keyword is refused by name; a method that does not exist by the closest one."""
    checked = 0
    for view in (
        study,
        table,
        table.rows[0],
        StudyParameter("x", 1.0),
        Measure("a.b"),
        Curve("x"),
        hn.studies.sobol(4),
        hn.studies.Normal(0, 1),
        study.space,
    ):
        for name in (n for n in dir(type(view)) if n[:1] != "_"):
            if not inspect.isfunction(inspect.getattr_static(type(view), name)):
                continue
            if name in ("close", "cancel") or (view is study and name == "stage"):
                continue
            method = getattr(view, name)
            text = refusal(method, **RIGHT.get(name, {}) if view is study else {}, not_an_argument=1)
            if "**" in str(inspect.signature(method)) and name not in RIGHT:
                continue
            assert "not_an_argument" in text, (view, name, text)
            checked += 1
    assert checked > 50
    for thing, name, meant in (
        (study, "minimise", "minimize"),
        (table, "to_cvs", "to_csv"),
        (table.rows[0], "mesure", "measures"),
    ):
        with pytest.raises(AttributeError, match=f"did you mean '{meant}'"):
            getattr(thing, name)


OUTCOMES = ("AllRunsFailed", "Cancelled", "Row", "Store", "Results", "Diagnosis", "Identification", "InertiaEstimate")


@pytest.mark.parametrize("name", [n for n in hn.studies.__all__ if n not in OUTCOMES])
def test_functions_and_classes(name, tmp_path):
    """Each refuses unknown keywords, and missing and wrong values of each argument."""
    call = getattr(hn.studies, name)
    signature = inspect.signature(call)
    assert "not_an_argument" in refusal(call, not_an_argument=1) or "**" in str(signature)
    needed = [p.name for p in signature.parameters.values() if p.default is p.empty and p.kind is not p.VAR_KEYWORD]
    if needed:
        assert "missing" in refusal(call), name
        for slip in SLIPS:
            refusal(call, *[slip] * len(needed))


def test_designs_are_checked_when_they_are_made():
    for make in (
        hn.studies.latin_hypercube,
        hn.studies.sobol,
        hn.studies.halton,
        hn.studies.random,
        hn.studies.d_optimal,
    ):
        for slip in (None, 2.5, -1, 0, True, "8", [8], NAN):
            assert "count" in refusal(make, slip), slip
    for slip in (None, 2.5, -1, 0, True, "3", [3], NAN, {"x": 2.5}):
        assert "levels" in refusal(lambda s: hn.studies.full_factorial(s), slip), slip


# ---- arguments of Study ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "words",
    [
        {"seed": "1"},
        {"seed": 1.5},
        {"workers": "2"},
        {"workers": -1},
        {"time_limit": "10 s"},
        {"memory_limit": 0},
        {"retries": 0.5},
        {"stop_after": -1},
        {"keep": "some"},
        {"keep": {"rul": "best"}},
        {"files": 3},
        {"files": "data.csv"},
        {"files": [3]},
        {"gradients": "no"},
        {"accept_changes": "no"},
        {"progress": "yes"},
        {"derived": ["a"]},
        {"derived": {"a": object()}},
        {"where": 3},
        {"where": [3]},
        {"measures": {"f": "f"}},
        {"analyses": {"end": 1.0}},
        {"sed": 1},
        {"folder": 3},
        {"definition": 3},
    ],
)
def test_options_of_a_study(tmp_path, words):
    text = refusal(opened, tmp_path, **words)
    assert text and (next(iter(words)) in text or words.keys() & {"analyses", "measures"}), text
    assert not (tmp_path / "a.study").exists()


WRONG_SPACES = [s for s in SLIPS if not isinstance(s, (dict, np.ndarray))] + [{}]
RIGHT_GIVEN = (int, float)  # a constant; a pair of numbers, and a list, are bounds and choices


@pytest.mark.parametrize("space", [*WRONG_SPACES, *({"x": s} for s in SLIPS)])
def test_parameters(tmp_path, space):
    given = space.get("x") if isinstance(space, dict) else None
    constant = type(given) in RIGHT_GIVEN and np.isfinite(given)
    if not constant and given is not SLIPS[7] and given is not SLIPS[-2]:
        assert refusal(hn.Study, tmp_path / "a.study", bowl, space, workers=0), space


def test_choices_differ(tmp_path):
    assert "twice" in refusal(StudyParameter, "n", choices=[1, 2, 1])


def test_paths_of_stores_and_tables(study, table, tmp_path):
    (tmp_path / "notes.txt").write_text("nothing\n" * 20)
    for path in (*SLIPS, tmp_path, tmp_path / "notes.txt", tmp_path / "nowhere" / "a.study", "a\0b", "folder/"):
        if isinstance(path, str) and path == "nonsense":
            continue
        assert refusal(hn.Study, path, bowl, SPACE, workers=0), path
        assert refusal(hn.studies.load, path), path
    assert sorted(p.name for p in tmp_path.iterdir()) == ["notes.txt"]  # no lock is left
    for write in (table.to_csv, table.to_html, table.to_parquet):
        for path in (*SLIPS, tmp_path):
            if not (isinstance(path, str) and path == "nonsense"):
                assert refusal(write, path), path
    assert len(table) == 4 and study.store.meta("seed") == "0"  # 3 was taken for the number of an open file


def test_columns(table):
    for slip in SLIPS:
        assert refusal(table.__getitem__, slip), slip
        for method in ("best", "statistics", "fit", "effects"):
            assert refusal(getattr(table, method), slip), (method, slip)
        assert refusal(table.probability, slip, low=0.1), slip
        if slip is not None:
            assert refusal(table.probability, "f", low=slip) or isinstance(slip, (int, float)), slip
            assert refusal(table.fit, "f", slip), slip
    assert "table.rows" in refusal(table.__getitem__, 0)


# ---- what was taken silently ----------------------------------------------------------------------------------------
def test_a_measure_is_not_named_as_a_parameter(tmp_path):
    with opened(tmp_path, lambda v: {"x": 2 * v["x"]}) as s:
        assert "measure 'x' has the name of a parameter" in refusal(s.run, [{"x": 0.5}])
        assert len(s.results()) == 0
    run = {"end": 0.1, "steps": 2}
    text = refusal(
        opened,
        tmp_path,
        oscillator,
        {"stiffness": (20.0, 200.0), "damping": (0.5, 4.0)},
        "b.study",
        analyses=run,
        measures={"damping": Measure("guide.travel")},
    )
    assert "measure 'damping' has the name of a parameter" in text


def test_names_of_measures_are_texts(tmp_path):
    with opened(tmp_path, lambda v: {3: 1.0}) as s:
        assert "name of a measure must be a text" in s.run([{"x": 0.5}]).rows[0].message


@pytest.mark.parametrize("other", ["def f(v): return {'y': 5 * v['x']}", "def f(v): return {'y': abs(2 * v['x'])}"])
def test_code_without_source_counts_with_its_constants(tmp_path, other):
    """As typed at the prompt of Python, where there is no source."""
    first, second, again = {}, {}, {}
    exec("def f(v): return {'y': 2 * v['x']}", first)
    exec(other, second)
    exec("def f(v): return {'y': 2 * v['x']}", again)
    for held in (first, second, again):
        held["f"].__module__ = "__prompt__"
    with opened(tmp_path, first["f"], {"x": (0.0, 1.0)}) as s:
        s.run([{"x": 0.5}])
    assert "function has changed" in refusal(opened, tmp_path, second["f"], {"x": (0.0, 1.0)})
    opened(tmp_path, again["f"], {"x": (0.0, 1.0)}).close()


def test_helpers_of_a_notebook_count(tmp_path):
    cells = {"__name__": "__prompt__"}
    exec("class Law:\n  def __call__(self, x): return 2 * x\n", cells)
    exec("def force(x): return Law()(x)\ndef f(v): return {'y': force(v['x'])}", cells)
    with opened(tmp_path, cells["f"], {"x": (0.0, 1.0)}) as s:
        s.run([{"x": 0.5}])
    opened(tmp_path, cells["f"], {"x": (0.0, 1.0)}).close()
    exec("class Law:\n  def __call__(self, x): return 3 * x", cells)
    assert "values that the function holds" in refusal(opened, tmp_path, cells["f"], {"x": (0.0, 1.0)})


def test_a_function_that_does_not_fit(tmp_path):
    for function in (lambda: {"f": 1.0}, lambda a, b: {"f": 1.0}):
        with opened(tmp_path, function, name=f"{id(function)}.study") as s:
            assert "takes one argument, the dictionary of values" in refusal(s.run, [{"x": 0.5}])
    (tmp_path / "beam.py").write_text("def beam(v):\n    return {'f': v['x']}\nsize = 3\n")
    for name, text in (("bem", "did you mean 'beam'?"), ("size", "is not a function, but a int")):
        with opened(tmp_path, f"{tmp_path}/beam.py:{name}", name=f"{name}.study") as s:
            assert text in refusal(s.run, [{"x": 0.5}])


def test_a_worker_that_starts_the_study_again(tmp_path, monkeypatch):
    monkeypatch.setattr(sys.modules["__main__"], LOADING, True, raising=False)
    assert "put the study under if __name__ == '__main__':" in refusal(opened, tmp_path)


@pytest.mark.slow
def test_a_script_without_the_guard_of_its_main_part(tmp_path):
    script = tmp_path / "sweep.py"
    script.write_text(
        "import holonom as hn\ndef f(v): return {'y': v['x']}\n"
        "with hn.Study('a.study', f, {'x': (0, 1)}, workers=1) as s:\n    s.run(hn.studies.full_factorial(2))\n"
    )
    done = subprocess.run([sys.executable, script.name], cwd=tmp_path, capture_output=True, text=True)
    assert "put the study under if __name__ == '__main__':" in done.stderr


def test_the_file_of_an_open_study_is_gone(tmp_path):
    with opened(tmp_path) as s:
        s.run([{"x": 0.5}])
        (tmp_path / "a.study").unlink()
        assert "was removed or replaced" in refusal(s.run, [{"x": 0.6}])
    assert "the study is closed" in refusal(s.__enter__)


def test_what_changed_is_stated(tmp_path):
    opened(tmp_path).close()
    for words, text in (
        ({"where": ["x < 0.5"]}, "constraints between parameters"),
        ({"derived": {"z": "2 * x"}}, "derived parameters"),
    ):
        assert text in refusal(opened, tmp_path, **words)


def test_failed_runs_are_stated(tmp_path):
    def cliff(v):
        if v["x"] > 0.6:
            raise ValueError("no solution")
        return {"f": v["x"]}

    with opened(tmp_path, cliff, {"x": (0.0, 1.0)}) as s:
        found = s.worst_case("f", max_runs=30)
        assert "runs failed" in found.message and found.runs > 2
        table = s.run(hn.studies.full_factorial(5))
        with pytest.warns(hn.ModelWarning, match="2 of 5 runs have no value"):
            table.probability("f", low=0.1)


def test_a_study_keeps_what_it_was_given(tmp_path):
    """Later changes of the model, the tables and the lists that a study was given do not reach its runs."""
    model = hn.Model("oscillator")
    k = model.parameter("stiffness", 50.0, bounds=(20.0, 200.0))
    mass = model.part("mass", 2.0, (1.0, 1.0, 1.0), position=(0.1, 0, 0))
    guide = model.translational(mass, model.ground, "guide", at=(0.1, 0, 0), axis=(1, 0, 0))
    model.spring_damper(guide.i, model.marker(model.ground, (1.0, 0, 0)), k, 2.0, length=1.0)
    analysis, measures = {"end": 0.2, "steps": 4}, {"x": "guide.travel"}
    space, where = {"stiffness": (20.0, 100.0)}, ["stiffness < 90"]
    options = {"analyses": analysis, "measures": measures, "where": where}
    with opened(tmp_path, model, space, **options) as s:
        before = s.run([{"stiffness": 20.0}]).rows[0].measures
        mass.mass, model.name = 20.0, "changed"
        analysis["end"], measures["x"], space["stiffness"] = 0.1, "guide.speed", (1.0, 2.0)
        where[0] = "stiffness < 1"
        points = [{"stiffness": 20.0}, {"stiffness": 30.0}]
        rows = s.run(points).rows
        points[1]["stiffness"] = 40.0
        assert rows[0].measures == before and rows[1].ok and s.model().parts["mass"].mass == 2.0
        assert [r.parameters["stiffness"] for r in s.results(2)] == [20.0, 30.0]
    text = refusal(
        opened,
        tmp_path,
        model,
        {"stiffness": (20.0, 100.0)},
        analyses={"end": 0.2, "steps": 4},
        measures={"x": "guide.travel"},
        where=["stiffness < 90"],
    )
    assert "the model has changed" in text


def test_the_file_of_a_model_changes_while_its_study_is_open(tmp_path):
    """A study of a dataset computes no run of another version of it."""
    model = hn.Model("falling")
    model.part("stone", 2.0, (1.0, 1.0, 1.0))
    model.gravity = (0, 0, -10.0)
    path = tmp_path / "stone.json"
    path.write_text(model.to_json())
    words = {"measures": {"z": Measure("stone.position.z")}, "analyses": {"end": 0.1, "steps": 1}}
    with opened(tmp_path, path, {"PART/2.MASS": (1.0, 2.0)}, **words) as s:
        first = s.run([{"PART/2.MASS": 1.0}]).rows[0].measures
        model.gravity = (0, 0, -1.0)
        path.write_text(model.to_json())
        again = refusal(s.run, [{"PART/2.MASS": 1.5}])
        assert "stone.json" in again and "changed" in again or s.results().rows[-1].measures == first


# ---- units ----------------------------------------------------------------------------------------------------------
def test_units_of_parameters_are_those_of_the_model(tmp_path):
    model = hn.Model("oscillator")
    k = model.parameter("stiffness", 50.0, bounds=(20.0, 200.0), unit="N/m")
    mass = model.part("mass", 2.0, (1.0, 1.0, 1.0), position=(0.1, 0, 0))
    guide = model.translational(mass, model.ground, "guide", at=(0.1, 0, 0), axis=(1, 0, 0))
    model.spring_damper(guide.i, model.marker(model.ground, (1.0, 0, 0)), k, 2.0, length=1.0)
    words = {"analyses": {"end": 0.1, "steps": 1}, "measures": {"x": "guide.travel"}}
    other = {"stiffness": StudyParameter("stiffness", 50.0, (20.0, 200.0), "N/mm")}
    assert "its unit is 'N/mm'" in refusal(opened, tmp_path, model, other, **words)
    same = {"stiffness": StudyParameter("stiffness", 50.0, (20.0, 200.0), "kg/s^2")}
    opened(tmp_path, model, same, **words).close()


# ---- study files ----------------------------------------------------------------------------------------------------
HEAD = (
    "study: a.study\nfunction: bowl.py:bowl\nworkers: 0\n"
    "parameters:\n  x: {bounds: [0.0, 1.0]}\n  y: {bounds: [0, 1e0]}\n"
)
GOOD = HEAD + "stages:\n  - design: full_factorial\n    levels: 2\n"


def file_run(tmp_path, text):
    from holonom.studies.study_file import run_study_file

    (tmp_path / "bowl.py").write_text("def bowl(v):\n    return {'f': v['x'] + v['y'], 'g': v['x']}\n")
    (tmp_path / "s.yaml").write_text(text)
    told = []
    run_study_file(tmp_path / "s.yaml", tell=told.append)
    return told


def test_study_files(tmp_path):
    pytest.importorskip("yaml")
    assert len(file_run(tmp_path, GOOD)) == 1  # 1e0 is a number
    for text, says in (
        (GOOD + "workers: 1\n", "'workers' is given twice"),
        (GOOD.replace("bounds: [0.0, 1.0]", "unit: m, unit: mm, bounds: [0, 1]"), "'unit' is given twice"),
        (GOOD.replace("a.study", "3"), "study must be the name of a file"),
        (GOOD.replace("bowl.py:bowl", "3"), "function must be a text"),
        (GOOD.replace("levels", "level"), "there is no argument 'level'; did you mean 'levels'"),
        (GOOD.replace("levels: 2", "levels: two"), "levels"),
        (GOOD.replace("full_factorial\n    levels: 2", "sobol"), "count is missing"),
    ):
        (tmp_path / "a.study").unlink(missing_ok=True)
        assert says in (found := refusal(file_run, tmp_path, text)), (says, found)
        assert not (tmp_path / "a.study").exists(), says


@pytest.mark.parametrize(
    "stage, says",
    [
        ("minimize: f\n    methd: slsqp", "there is no option 'methd'; did you mean 'method'"),
        ("minimize: f\n    method: bfgs", "there is no optimiser 'bfgs'"),
        ("tornado:\n    foo: 1", "there is no option 'foo'"),
        ("sensitivity: morrs", "there is no method of sensitivity 'morrs'; did you mean 'morris'"),
        ("reliability: f\n    lo: 0", "there is no option 'lo'"),
        ("worst_case: f\n    max: 3", "there is no option 'max'"),
        ("design: sobl\n    count: 4", "did you mean 'sobol'"),
        ("surrogate: f\n    design: sobl", "did you mean 'sobol'"),
    ],
)
def test_wrong_stages_are_found_before_the_first_run(tmp_path, stage, says):
    pytest.importorskip("yaml")
    assert says in (found := refusal(file_run, tmp_path, GOOD + "  - " + stage + "\n")), found
    assert "stage 2" in found and not (tmp_path / "a.study").exists()


# ---- identification -------------------------------------------------------------------------------------------------
TIMES = np.linspace(0.0, 1.0, 5)


def test_identification(tmp_path):
    curve = Curve("x", TIMES, 2 * TIMES, std=0.1)
    test = Experiment(lambda v: {"x": v["a"] * TIMES}, curve)
    bounds = {"a": (0.0, 5.0)}
    for name, words in {
        "experiments": {"experiments": 3},
        "parameters": {"parameters": 3},
        "start": {"start": 3},
        "starts": {"starts": 0},
        "level": {"level": 2.0},
        "derivatives": {"derivatives": "x"},
        "step": {"step": "a"},
        "tolerance": {"tolerance": -1},
        "max_steps": {"max_steps": 0},
    }.items():
        right = {"experiments": test, "parameters": bounds}
        assert refusal(hn.studies.identify, **{**right, **words}), name
    with opened(tmp_path, lambda v: {"x": v["a"] * TIMES}, bounds) as s:
        for slip in SLIPS:
            assert refusal(s.identify, slip), slip
            assert refusal(s.diagnose, slip), slip
            if slip is not None and not isinstance(slip, list):
                assert refusal(s.diagnose, curve, faults=slip), slip
