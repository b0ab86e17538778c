"""Answers that were wrong without a message: each is right now, or refused with the reason."""

import math

import numpy as np
import pytest

import holonom as hn
from holonom.model import ModelError
from holonom.studies import Curve, Experiment, Measure, StudyParameter, diagnose, identify, read_curve
from holonom.studies.sensitivity import elementary_effects

CUBE = {"a": (0.0, 2.0), "b": (-1.0, 1.0), "c": (0.0, 1.0)}


def opened(tmp_path, function, space, name="a.study", **options):
    return hn.Study(tmp_path / name, function, space, workers=0, stop_after=0, progress=False, **options)


def plane(v):
    return {"f": 1 + 2 * v["a"] + 3 * v["b"] - v["c"] + 4 * v["a"] * v["b"] + 5 * v["c"] ** 2}


def corner_fails(v):
    if v["a"] > 1 and v["b"] > 0 and v["c"] > 0.5:
        raise ValueError("too long")
    return plane(v)


def test_effects_of_an_incomplete_design(tmp_path):
    with opened(tmp_path, corner_fails, CUBE) as s:
        with pytest.warns(UserWarning, match="the 7 runs are not a balanced two-level design"):
            fitted = s.run(hn.studies.full_factorial(2)).effects("f")
        right = {"b": 14.0, "a x b": 8.0, "a": 4.0, "c": 4.0, "a x c": 0.0, "b x c": 0.0}
        assert {term: effect for term, effect, _ in fitted} == pytest.approx(right, abs=1e-12)
    with opened(tmp_path, plane, CUBE, "b.study") as s:
        found = {term: effect for term, effect, _ in s.run(hn.studies.full_factorial(2)).effects("f")}
        assert found["b"] == pytest.approx(14) and found["a"] == found["c"] == pytest.approx(4)
        assert found["a x b"] == pytest.approx(8) and found["a x c"] == pytest.approx(0, abs=1e-12)
        points = [{"a": a, "b": b, "c": 0.0} for a, b in ((0, -1), (0, 1), (2, -1))]
        with pytest.raises(ModelError, match="not a balanced two-level design"):
            s.run(points).effects("f")
    kinds = {"m": ["steel", "alu"], "x": (0.0, 1.0)}
    with opened(tmp_path, lambda v: {"f": 3.0 * (v["m"] == "alu") + v["x"]}, kinds, "c.study") as s:
        assert s.run(hn.studies.full_factorial(2)).effects("f")[0][:2] == ("m", pytest.approx(3.0))


TABLE = {"k": 1.0}


def from_table(v):
    return helper(v)


def helper(v):
    return {"y": TABLE["k"] * v["x"]}


def test_values_of_the_module_are_part_of_the_study(tmp_path, monkeypatch):
    with opened(tmp_path, from_table, {"x": (0.0, 1.0)}) as s:
        s.run([{"x": 1.0}])
    opened(tmp_path, from_table, {"x": (0.0, 1.0)}).close()
    monkeypatch.setitem(TABLE, "k", 2.0)
    with pytest.raises(ModelError, match="values that the function reads has changed"):
        opened(tmp_path, from_table, {"x": (0.0, 1.0)})


def test_screening_of_choices_is_over_the_whole_range(tmp_path):
    pytest.importorskip("SALib")
    space = {"m": ["steel", "alu"], "n": StudyParameter("n", 0, (0, 5), integer=True), "x": (0.0, 3.0)}
    f = lambda v: {"y": 10.0 * (v["m"] == "steel") + 2.0 * v["n"] + 4.0 * v["x"]}
    with opened(tmp_path, f, space) as s:
        found = s.sensitivity("morris", count=8)["y"]
    assert found["mu_star"] == pytest.approx([10.0, 10.0, 12.0]) and found["mu"] == pytest.approx([-10.0, 10.0, 12.0])
    assert np.abs(found["sigma"]).max() < 1e-12


def test_elementary_effects_are_those_of_salib():
    morris = pytest.importorskip("SALib.analyze.morris")
    sample = pytest.importorskip("SALib.sample.morris")
    problem = {"num_vars": 3, "names": ["a", "b", "c"], "bounds": [[0.0, 1.0]] * 3}
    X = sample.sample(problem, 12, seed=1)
    y = X[:, 0] ** 2 + X[:, 0] * X[:, 1] - 3 * X[:, 2]
    theirs, mine = morris.analyze(problem, X, y, seed=1), elementary_effects(X, y)
    for name in ("mu", "mu_star", "sigma"):
        assert np.asarray(theirs[name], float) == pytest.approx(mine[name])
    assert np.asarray(theirs["mu_star_conf"], float) == pytest.approx(mine["mu_star_conf"], rel=0.2, abs=1e-9)


def test_derivative_measures(tmp_path):
    """The interval of the bound is that of the mean squared derivative times the same constant."""
    pytest.importorskip("SALib")
    ishigami = lambda v: {"f": math.sin(v["x"]) + 7 * math.sin(v["y"]) ** 2 + 0.1 * v["z"] ** 4 * math.sin(v["x"])}
    with opened(tmp_path, ishigami, dict.fromkeys("xyz", (-math.pi, math.pi))) as s:
        found = s.sensitivity("dgsm", count=256)["f"]
    ratio = found["bound"] / found["derivative"]
    assert found["bound_interval"] == pytest.approx(ratio * found["derivative_interval"])
    assert (found["bound_interval"] < found["bound"]).all()
    for space, text in [
        ({"x": (0, 1), "m": ["a", "b"]}, "'dgsm' needs derivatives, and 'm' is discrete"),
        ({"x": hn.studies.Normal(0, 1)}, "the distribution of 'x' has no ends"),
    ]:
        with opened(tmp_path, lambda v: {"f": 1.0}, space, f"{len(text)}.study") as s:
            with pytest.raises(ModelError, match=text):
                s.sensitivity("dgsm", count=8)


T = np.linspace(0.0, 1.0, 40)


def line(v):
    return {"y": v["a"] + v["b"] * T, "z": v["a"] - v["b"] * T}


def test_weights_do_not_narrow_intervals():
    """The scatter of 40 estimates is the standard deviation that is stated, with weights as without."""
    rng, bounds = np.random.default_rng(4), {"a": (-5.0, 5.0), "b": (-5.0, 5.0)}
    clean = line({"a": 1.0, "b": 2.0})
    for weights in ((1.0, 1.0), (3.0, 3.0), (5.0, 1.0)):
        values = []
        for _ in range(40):
            curves = [
                Curve(n, T, clean[n] + 0.1 * rng.standard_normal(40), std=0.1, weight=w) for n, w in zip("yz", weights)
            ]
            found = identify(Experiment(line, curves), bounds)
            values.append(list(found.parameters.values()))
        assert np.std(values, axis=0) == pytest.approx(list(found.std.values()), rel=0.35)
        assert 0.75 < found.misfit < 1.25
    with pytest.raises(ModelError, match="curves with a weight have no likelihood"):
        found.profile("a")
    with pytest.raises(ModelError, match="has a weight, with which likelihoods are none"):
        diagnose(Experiment(line, curves), {"a": (1.0, 0.0, 2.0), "b": (2.0, 1.0, 3.0)})


class History:
    """A run as a measure sees it: x = t^2 in coarse rows."""

    time = np.linspace(0.0, 2.0, 5)

    def __getitem__(self, name):
        return type("Found", (), {"dims": ("time",), "values": 3.0 * self.time})


def test_windows_of_measures():
    assert Measure("a.b", "integral", start=0.6, end=0.9)(History()) == pytest.approx(1.5 * (0.81 - 0.36))
    assert Measure("a.b", "mean", start=0.3, end=1.7)(History()) == pytest.approx(3.0)
    assert Measure("a.b", "max", end=1.1)(History()) == pytest.approx(3.3)
    for word, at in (("end", 5.0), ("start", -1.0)):
        with pytest.raises(ModelError, match=f"{word} {at:g} is beyond the run from 0 to 2"):
            Measure("a.b", "max", **{word: at})(History())


def test_worst_cases_between_the_corners(tmp_path):
    hill = lambda v: {"f": -((v["n"] - 3) ** 2)}
    with opened(tmp_path, hill, {"n": StudyParameter("n", 0, (0, 10), integer=True)}) as s:
        found = s.worst_case("f")
        assert (found.low, found.high) == (-49.0, 0.0) and "all 11 designs" in found.message and found.runs == 11
    with opened(tmp_path, lambda v: {"f": math.sin(7 * v["x"])}, {"x": (-1.0, 1.0)}, "b.study") as s:
        found = s.worst_case("f")
        assert (found.low, found.high) == (pytest.approx(-1.0), pytest.approx(1.0))
        assert "not monotonic" in str(found) and "x = " in str(found)
    mixed = {"x": (-1.0, 1.0), "m": ["a", "b"]}
    with opened(tmp_path, lambda v: {"f": v["x"] ** 2 + (v["m"] == "b")}, mixed, "c.study") as s:
        found = s.worst_case("f", max_runs=400)
        assert found.low == pytest.approx(0.0, abs=1e-3) and found.high == pytest.approx(2.0)


def test_optimisers_do_not_claim_what_they_did_not_reach(tmp_path):
    square = lambda v: {"f": (v["x"] - 2) ** 2 + (v["y"] - 1) ** 2, "g": v["x"] ** 2 - v["y"], "h": v["x"] + v["y"]}
    box = {"x": (-3.0, 3.0), "y": (-3.0, 3.0)}
    with opened(tmp_path, square, box) as s:  # problem 22 of Hock and Schittkowski: 1
        found = s.minimize("f", subject_to={"g": (None, 0.0), "h": (None, 2.0)}, method="trust_constr")
        assert found.value == pytest.approx(1.0, abs=1e-5) or not found.converged
        with pytest.raises(ModelError, match="'pattern_search' has no equality constraints"):
            s.minimize("f", subject_to={"g": 0.0}, method="pattern_search")
        none = s.minimize("f", subject_to={"h": (10.0, None)})
        assert not none.feasible and "the least violation is 4" in none.message and none.violation == pytest.approx(4.0)


def test_what_is_left_out_is_named(tmp_path):
    space = {"m": ["a", "b"], "x": (0.0, 1.0)}
    with opened(tmp_path, lambda v: {"f": v["x"]}, space) as s:
        assert s.tornado().left_out == ["m"] and "choices have no ends: m" in s.tornado().text()
        table = s.run([{"x": k / 30} for k in range(31)])
        with pytest.raises(ModelError, match="low 12 is above high 8"):
            table.probability("f", low=12, high=8)
    with opened(tmp_path, corner_fails, CUBE, "b.study") as s:
        assert (
            "more runs, 1 of them failed"
            in s.run([*({"a": k / 30} for k in range(30)), {"a": 2, "b": 1, "c": 1}]).text()
        )
    with pytest.raises(ModelError, match="its distribution is nowhere within its bounds 100 to 110"):
        StudyParameter("a", bounds=(100, 110), distribution=hn.studies.Normal(0, 1))


def test_tables_with_further_cells(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("t,y\n0,1,5\n1,2,5\n")
    with pytest.raises(ModelError, match="row 2: 3 cells, but the first line has 2; decimal commas need another"):
        read_curve(path, "x")
    path.write_text("t,y,y\n0,1,5\n1,2,5\n")
    with pytest.raises(ModelError, match="has several columns 'y'; give the number of one, from 0"):
        read_curve(path, "x", value="y")


def test_tolerances_that_swing(tmp_path):
    """y = x^2 of normal x has the mean s^2 and the deviation sqrt(2) s^2: s^2 (1 + 3 sqrt(2)) = 1 for s = t / 3."""
    with opened(tmp_path, lambda v: {"y": v["x"] ** 2}, {"x": 0.0}) as s:
        costs = {"x": {"factor": 1.0, "bounds": (0.1, 100.0)}}
        found = s.allocate_tolerances({"y": (None, 1.0)}, costs, verify=0)
    assert found.tolerances["x"] == pytest.approx(3.0 / math.sqrt(1.0 + 3.0 * math.sqrt(2.0)), rel=1e-3)
    assert found.feasible and "still change" not in found.message


def test_values_that_a_worker_reads_differently(tmp_path, monkeypatch):
    """A number of the command line, which a worker process does not have, and a table that was changed after import."""
    (tmp_path / "from_command_line.py").write_text(
        "import sys\n\nK = float(sys.argv[1]) if len(sys.argv) == 2 else 1.0\nSIZES = [1.0]\n\n\n"
        "def right(v):\n    return {'y': v['x']}\n\n\ndef scaled(v):\n    return {'y': helper(v)}\n\n\n"
        "def helper(v):\n    return K * SIZES[0] * v['x']\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr("sys.argv", ["study.py", "3.0"])
    import from_command_line as module

    def one(function, name, workers):
        with hn.Study(tmp_path / name, function, {"x": (0.0, 1.0)}, workers=workers, progress=False) as s:
            return s.run([{"x": 0.5}])["y"].tolist()

    assert one(module.scaled, "a.study", 0) == [1.5] and one(module.right, "b.study", 1) == [0.5]
    with pytest.raises(ModelError, match="in a worker process K of the module of 'scaled' differ"):
        one(module.scaled, "c.study", 1)
    monkeypatch.setattr(module, "K", 1.0)
    assert one(module.scaled, "d.study", 1) == [0.5]
    module.SIZES[0] = 2.0
    with pytest.raises(ModelError, match="SIZES of the module"):
        one(module.scaled, "e.study", 1)
