"""Optimisers against published optima: the mechanical problems of CEC 2020, closed forms, exact derivatives, fronts."""

import math

import numpy as np
import pytest
from _cec2020 import _WIRES, CASES
from _models import as_drawn

import holonom as hn
from holonom.model import ModelError
from holonom.studies import Measure, StudyParameter
from holonom.studies.formulas import Rules
from holonom.studies.optimize import METHODS
from holonom.studies.pareto import nondominated
from holonom.studies.smooth import derivative_name

NEEDS = {"genetic": "pymoo", "particle_swarm": "pymoo", "nsga2": "pymoo", "nsga3": "pymoo",
         "cma_es": "cma", "optuna": "optuna"}  # fmt: skip


def best_of(tmp_path, number, method, **options):
    if method in NEEDS:
        pytest.importorskip(NEEDS[method])
    case = CASES[number]
    with hn.Study(tmp_path / "a.study", case, case.parameters, workers=0, seed=1, stop_after=0) as s:
        return case, s.minimize("f", subject_to=case.limits(), method=method, **options)


@pytest.mark.parametrize(
    "number, method, rel",
    [
        (15, "slsqp", 1e-6), (17, "slsqp", 1e-6), (19, "slsqp", 1e-6), (21, "slsqp", 1e-6), (29, "slsqp", 1e-6),
        (32, "slsqp", 1e-6), (23, "slsqp", 1e-6),
        (15, "feasible_directions", 1e-6), (17, "feasible_directions", 1e-5), (19, "feasible_directions", 1e-6),
        (20, "feasible_directions", 1e-6), (21, "feasible_directions", 1e-6), (32, "feasible_directions", 1e-6),
        (29, "trust_constr", 1e-6),
        (15, "pattern_search", 1e-6), (20, "dual_annealing", 1e-2),
        pytest.param(20, "cma_es", 1e-6, marks=pytest.mark.slow),
        pytest.param(20, "genetic", 1e-3, marks=pytest.mark.slow),
        pytest.param(15, "particle_swarm", 1e-5, marks=pytest.mark.slow),
        pytest.param(18, "differential_evolution", 1e-4, marks=pytest.mark.slow),
    ],
)  # fmt: skip
def test_mechanical_problems(tmp_path, number, method, rel):
    case, found = best_of(tmp_path, number, method, max_runs=8000)
    assert found.feasible and found.value == pytest.approx(case.best, rel=rel)
    assert found.failed == 0


#: problems that take a search of the whole space: stages of it, each from the best design of the one before
SEARCHES = {
    16: [dict(method="differential_evolution", max_runs=20_000), dict(method="slsqp", max_runs=2000)],
    22: [dict(method="genetic", population=200, max_runs=60_000)],
    25: [dict(method="differential_evolution", population=40, max_runs=80_000)],
    27: [dict(method="differential_evolution", population=30, max_runs=100_000)],
    30: [dict(method="differential_evolution", population=60, max_runs=20_000)],
    33: [dict(method="slsqp", tolerance=1e-14, max_runs=20_000)],
}


@pytest.mark.slow
@pytest.mark.parametrize("number", SEARCHES)
def test_problems_of_the_whole_space(tmp_path, number):
    case, start = CASES[number], None
    pytest.importorskip("pymoo")
    with hn.Study(tmp_path / "a.study", case, case.parameters, workers=0, seed=1, stop_after=0) as s:
        for options in SEARCHES[number]:
            found = s.minimize("f", subject_to=case.limits(), start=start, **options)
            start = found.parameters
    assert found.feasible and found.value == pytest.approx(case.best, rel=1e-6)


def test_wire_spring_by_enumeration():
    """The least volume for every whole number of coils and every wire, at the least diameter that meets the limits."""
    D = np.linspace(0.6, 3.0, 24_001)
    least = []
    for coils in range(1, 71):
        for d in (w for w in _WIRES if w >= 0.2):
            K, c = 11.5e6 * d**4 / (8 * coils * D**3), D / d
            stress = 8000 * ((4 * c - 1) / (4 * c - 4) + 0.615 / c) * D / (math.pi * d**3)
            met = (stress <= 189_000) & (1000 / K + 1.05 * (coils + 2) * d <= 14) & (c >= 3) & (300 / K <= 6)
            met &= 700 / K >= 1.25
            least += [math.pi**2 * D[met][:1] * d * d * (coils + 2) / 4]
    assert np.concatenate(least).min() == pytest.approx(CASES[30].best, rel=2e-4)  # of the grid
    assert CASES[30].best == pytest.approx(
        math.pi**2 * (11.5e6 * 0.283**4 / (8 * 9 * 560)) ** (1 / 3) * 0.283**2 * 11 / 4, rel=1e-8
    )


def test_iterates_of_feasible_directions_are_feasible_and_descend(tmp_path):
    """A search that is stopped after any iteration leaves a design that can be used."""
    case, before = CASES[20], 1e9
    with hn.Study(tmp_path / "a.study", case, case.parameters, workers=0) as s:
        options = dict(method="feasible_directions", start={"x1": 0.9, "x2": 0.9})
        for most in (20, 40, 80):
            found = s.minimize("f", subject_to=case.limits(), max_runs=most, **options)
            assert found.feasible and not found.converged and "stopped after" in found.message
            assert case.best < found.value < before
            before = found.value
        outside = s.minimize("f", subject_to={"f": (None, 100.0), **case.limits()}, method="feasible_directions")
        assert not outside.feasible and "no direction reduces the violated constraints" in outside.message


def rosenbrock(v):
    """f and its derivatives; r1, r2: residuals of which it is the sum of squares; least value 0 at (1, 1)."""
    x, y = v["x"], v["y"]
    return {
        "f": 100 * (y - x * x) ** 2 + (1 - x) ** 2, "d f/d x": -400 * x * (y - x * x) - 2 * (1 - x),
        "d f/d y": 200 * (y - x * x), "r1": 10 * (y - x * x), "r2": 1 - x,
    }  # fmt: skip


@pytest.mark.parametrize("method", ["l_bfgs_b", "slsqp", "feasible_directions", "trust_constr"])
def test_derivatives_that_a_function_returns(tmp_path, method):
    space = {"x": (-2.0, 2.0), "y": (-1.0, 3.0)}
    with hn.Study(tmp_path / "a.study", rosenbrock, space, workers=0) as s:
        found = s.minimize("f", method=method, start={"x": -1.2, "y": 1.0}, tolerance=1e-12)
    assert found.value < 1e-6 and "exact derivatives" in found.message
    plain = lambda v: {"f": rosenbrock(v)["f"]}
    with hn.Study(tmp_path / "b.study", plain, space, workers=0) as s:
        other = s.minimize("f", method=method, start={"x": -1.2, "y": 1.0}, tolerance=1e-12)
    assert "central differences of step 1e-05" in other.message and (other.runs > found.runs or method[0] == "f")


def test_least_squares(tmp_path):
    with hn.Study(tmp_path / "a.study", rosenbrock, {"x": (-2.0, 2.0), "y": (-1.0, 3.0)}, workers=0) as s:
        found = s.minimize(["r1", "r2"], method="least_squares", start={"x": -1.2, "y": 1.0})
        assert found.converged and found.value < 1e-20 and found.parameters["x"] == pytest.approx(1.0)
        for text, objective, options in [
            ("has no constraints, and 'r2' is one", ["r1"], {"method": "least_squares", "subject_to": {"r2": 0.0}}),
            ("no equality constraints", "f", {"method": "feasible_directions", "subject_to": {"r1": 0.0}}),
            ("has one objective", ["r1", "r2"], {"method": "slsqp"}),
            ("use Study.pareto", "f", {"method": "nsga2"}),
        ]:
            with pytest.raises(ModelError, match=text):
                s.minimize(objective, **options)


@pytest.mark.parametrize("unit", [1e-6, 1e6])
def test_least_squares_does_not_depend_on_units(tmp_path, unit):
    """x^2 y = 0.32 and exp(y) = e^0.5 have the solution x = 0.8, y = 0.5; a run with x below 0.3 fails."""

    def residuals(v, unit):
        if v["x"] < 0.3:
            raise ValueError("no equilibrium")
        return {"a": unit * (v["x"] ** 2 * v["y"] - 0.32), "b": unit * (math.exp(v["y"]) - math.exp(0.5))}

    found = []
    for k in (1.0, unit):
        space = {"x": (0.0, 2.0), "y": (0.0, 4.0)}
        with hn.Study(tmp_path / f"{k}.study", lambda v, k=k: residuals(v, k), space, workers=0) as s:
            found.append(s.minimize(["a", "b"], method="least_squares", start={"x": 1.9, "y": 3.0}))
    assert all(f.converged and f.parameters == pytest.approx({"x": 0.8, "y": 0.5}, rel=1e-6) for f in found)
    assert found[0].parameters == pytest.approx(found[1].parameters, rel=1e-6) and found[0].runs == found[1].runs


def test_least_squares_from_a_bound(tmp_path):
    """A start at the lower bound does not end there: residuals of noise, of which a little is explained."""
    function = lambda v: {"r1": 15.0, "r2": 3000.0 * (v["x"] - 0.003)}
    with hn.Study(tmp_path / "a.study", function, {"x": (0.0, 1.0)}, workers=0) as s:
        found = s.minimize(["r1", "r2"], method="least_squares", start={"x": 0.0}, tolerance=1e-6)
        assert found.parameters["x"] == pytest.approx(0.003, rel=1e-4)


def test_exact_gradients_of_a_model(tmp_path):
    """Mass 2 kg on a spring k, x(0) = 0.1 from rest: x(t) = 0.1 cos(t sqrt(k / 2)), 0 at 0.3 for k = 2 (pi / 0.6)^2."""
    model = as_drawn()
    mass = model.find("PART", "mass")
    measures = {"x": Measure(f"DX({mass.cm})", "last", expression=True)}
    made = dict(measures=measures, analyses={"end": 0.3}, workers=0, gradients=True)
    with hn.Study(tmp_path / "a.study", model, **made) as s:
        row = s.run([{"stiffness": 50.0}]).rows[0]
        w = math.sqrt(25.0)
        assert row.measures["x"] == pytest.approx(0.1 * math.cos(0.3 * w), abs=1e-8)
        slope = -0.1 * math.sin(0.3 * w) * 0.3 / (2.0 * math.sqrt(2.0 * 50.0))
        assert row.measures[derivative_name("x", "stiffness")] == pytest.approx(slope, rel=1e-6)
        found = s.minimize(["x"], method="least_squares")
    assert found.parameters["stiffness"] == pytest.approx(2.0 * (math.pi / 0.6) ** 2, rel=1e-6)
    assert "exact derivatives" in found.message and found.runs < 20
    with pytest.raises(ModelError, match="gradients need a measure with expression=True"):
        hn.Study(tmp_path / "b.study", model, measures={"x": "guide.travel"}, analyses={"end": 0.5}, workers=0,
                 gradients=True)  # fmt: skip


def test_exact_gradients_of_statics_and_modes(tmp_path):
    """Mass 2 kg on a spring k under 3 N: displacement 3/k, frequency sqrt(k / 2) / 2 pi."""
    model = as_drawn()
    mass = model.find("PART", "mass")
    model.vforce(mass.cm, model.ground, fx="3", rm=model.marker(model.ground))
    measures = {
        "x": Measure(f"DX({mass.cm})", analysis="rest", expression=True),
        **{of: Measure(of, mode=1) for of in ("undamped_frequency", "damped_frequency", "damping_ratio")},
    }
    analyses = [{"name": "rest", "kind": "statics"}, {"kind": "linear", "statics": True}]
    made = dict(measures=measures, analyses=analyses, workers=0, gradients=True)
    with hn.Study(tmp_path / "a.study", model, **made) as s:
        row = s.run([{"stiffness": 50.0}]).rows[0].measures
        assert row["x"] == pytest.approx(0.06, rel=1e-12)
        assert row[derivative_name("x", "stiffness")] == pytest.approx(-3.0 / 50.0**2, rel=1e-10)
        for of in ("undamped_frequency", "damped_frequency"):
            assert row[of] == pytest.approx(5.0 / (2.0 * math.pi), rel=1e-10)
            assert row[derivative_name(of, "stiffness")] == pytest.approx(row[of] / 100.0, rel=1e-9)


def test_exact_gradients_through_derived_parameters(tmp_path):
    """x(t) = 0.1 cos(t sqrt(k / m)): with m = 1 + k / 50 by a formula, and with k = 2 w^2 of a w in formulas only."""
    model = as_drawn()
    mass = model.find("PART", "mass")
    measures = {"x": Measure(f"DX({mass.cm})", "last", expression=True)}
    made = dict(measures=measures, analyses={"end": 0.3}, workers=0, gradients=True)
    heavy = {f"PART/{mass.id}.MASS": "1 + stiffness / 50"}
    with hn.Study(tmp_path / "a.study", model, {"stiffness": (20.0, 200.0)}, derived=heavy, **made) as s:
        row = s.run([{"stiffness": 80.0}]).rows[0]
    w, dw = math.sqrt(80.0 / 2.6), 0.5 / math.sqrt(80.0 / 2.6) / 2.6**2  # of w^2 = k / (1 + k / 50)
    assert row.measures["x"] == pytest.approx(0.1 * math.cos(0.3 * w), abs=1e-8)
    assert row.measures[derivative_name("x", "stiffness")] == pytest.approx(-0.03 * math.sin(0.3 * w) * dw, rel=1e-6)
    with hn.Study(tmp_path / "b.study", model, {"w": (3.0, 10.0)}, derived={"stiffness": "2 * w**2"}, **made) as s:
        row = s.run([{"w": 5.0}]).rows[0]
        assert row.measures[derivative_name("x", "w")] == pytest.approx(-0.03 * math.sin(1.5), rel=1e-6)
        found = s.minimize(["x"], method="least_squares")
    assert found.parameters["w"] == pytest.approx(math.pi / 0.6, rel=1e-6)
    assert "exact derivatives" in found.message and found.runs < 10


FORMULAS = [
    "a + b - a*b/(a + 2)",
    "-a**b + b**3 + 2**a",
    "sqrt(a*b) + exp(-a) + log(b) + log(a, 3 + b) + log10(a + b)",
    "sin(a) + cos(a*b) + tan(b)",
    "asin(a/4) + acos(b/4) + atan(a*b) + atan2(a, b) + hypot(a, b, 2)",
    "min(a, b, 3) + max(a**2, b) + abs(a - 3) + floor(a) + ceil(b)",
    "(7*a) % b + a % 0.4",
    "+2*pi",
]


@pytest.mark.parametrize("text", FORMULAS)
def test_derivatives_of_formulas(text):
    """Errors of a tangent fall with the square of the step; derived values of derived values, by the chain rule."""
    rules = Rules(["a", "b"], {"f": text, "g": "f**2 + a"}, None)
    at = np.array([1.3, 0.7])
    value = lambda x: np.array([rules.extended({"a": x[0], "b": x[1]})[n] for n in "fg"])
    slopes = rules.slopes(rules.extended({"a": 1.3, "b": 0.7}), ["a", "b"])
    J, way = np.array([slopes["f"], slopes["g"]]), np.array([0.6, -0.8])
    errors = [np.abs(value(at + h * way) - value(at) - h * J @ way) for h in (1e-3, 1e-4)]
    assert np.all(errors[1] <= 0.011 * errors[0] + 1e-13) and np.all(errors[0] < 1e-3)


def test_formulas_without_a_derivative():
    for text, at in (("sqrt(a)", 0.0), ("(a - 2)**a", 1.0)):
        with pytest.raises(ModelError, match="derived parameter 'f'.* has no (derivative|value)"):
            Rules(["a"], {"f": text}, None).slopes({"a": at}, ["a"])
    assert Rules(["a", "b"], {"f": "b + sqrt(a)"}, None).slopes({"a": 0.0, "b": 1.0}, ["b"])["f"] == 1.0


def zdt1(v):
    """Front f2 = 1 - sqrt(f1), f1 from 0 to 1 (Zitzler, Deb and Thiele, 2000)."""
    x = list(v.values())
    g = 1.0 + 9.0 * sum(x[1:]) / (len(x) - 1)
    return {"f1": x[0], "f2": g * (1.0 - math.sqrt(x[0] / g)), "ratio": sum(x[1:])}


@pytest.mark.parametrize("method", ["nsga2", "nsga3"])
def test_pareto_front(tmp_path, method):
    pytest.importorskip("pymoo")
    space = {f"x{k}": (0.0, 1.0) for k in range(4)}
    with hn.Study(tmp_path / "a.study", zdt1, space, workers=0) as s:
        front = s.pareto({"f1": "min", "f2": "min"}, method=method, max_runs=3000, population=40)
        f1, f2 = front.values.T
        assert len(front.rows) > 20 and (np.diff(f1) > 0).all() and (np.diff(f2) < 0).all()
        assert np.abs(f2 - (1 - np.sqrt(f1))).max() < 0.1
        # of the whole front: 1 - 1/3 + 0.1 * 1.1 + 0.1 = 0.8767
        assert front.hypervolume((1.1, 1.1)) == pytest.approx(2.0 / 3.0 + 0.21, abs=0.02)
        assert 0.1 < front.knee().measures["f1"] < 0.5
        with pytest.raises(ModelError, match="the goal of 'f1' is 'min' or 'max'"):
            s.pareto({"f1": "least", "f2": "min"})


def test_nondominated_rows():
    F = np.array([[1, 3], [2, 2], [3, 1], [2, 3], [3, 3], [2, 2]])
    assert nondominated(F).tolist() == [True, True, True, False, False, True]
    rng = np.random.default_rng(0)
    F = rng.random((60, 3))
    slow = [not any((G <= f).all() and (G < f).any() for G in F) for f in F]
    assert nondominated(F).tolist() == slow


def test_a_package_that_is_missing_is_named(tmp_path, monkeypatch):
    from holonom.studies import population

    monkeypatch.setattr(population.importlib, "import_module", _missing)
    with hn.Study(tmp_path / "a.study", rosenbrock, {"x": (-2.0, 2.0), "y": (-1.0, 3.0)}, workers=0) as s:
        with pytest.raises(ModelError, match=r"CMA-ES needs the package cma .*pip install holonom\[studies\]"):
            s.minimize("f", method="cma_es")


def _missing(name):
    raise ImportError(f"No module named '{name}'")


@pytest.mark.parametrize("method", [n for n, m in METHODS.items() if m.objectives == "one"])
def test_every_optimiser_takes_the_same_decisions_when_it_is_continued(tmp_path, method):
    if method in NEEDS:
        pytest.importorskip(NEEDS[method])
    case, found = CASES[20], []
    limits = case.limits() if METHODS[method].constraints != "none" else None
    for name in ("a.study", "a.study", "b.study"):  # the second is answered from the first
        with hn.Study(tmp_path / name, case, case.parameters, workers=0, seed=5) as s:
            best = s.minimize("f", subject_to=limits, method=method, max_runs=150)
            found.append((s.store.digest(), best.parameters, len(s.results())))
            assert best.runs == len(s.results())
    assert found[0] == found[1] == found[2]


def test_optuna_with_choices_whole_numbers_and_failures(tmp_path):
    """Least of (x - 0.3)^2 + (n - 4)^2 + [kind] over x + n <= 4.8 where half of a kind fails: 0 at 0.3, 4, "b"."""
    pytest.importorskip("optuna")

    def f(v):
        if v["kind"] == "c":
            raise ValueError("no such steel")
        extra = {"a": 0.5, "b": 0.0}[v["kind"]]
        return {"f": (v["x"] - 0.3) ** 2 + (v["n"] - 4) ** 2 + extra, "g": v["x"] + v["n"]}

    space = {
        "x": (0.0, 1.0),
        "n": StudyParameter("n", 2, (0, 9), integer=True),
        "kind": StudyParameter("kind", "a", choices=("a", "b", "c")),
    }
    with hn.Study(tmp_path / "a.study", f, space, workers=0, seed=2, stop_after=0) as s:
        found = s.minimize("f", subject_to={"g": (None, 4.8)}, method="optuna", max_runs=240)
        assert found.parameters["n"] == 4 and found.parameters["kind"] == "b" and found.feasible
        assert found.value < 1e-3 and 0 < found.failed < 120
        first = s.results().rows[0].parameters
        assert first == {"x": 0.5, "n": 2, "kind": "a"}  # the start


def test_cma_es_with_constraints_writes_no_folder_of_its_own(tmp_path, monkeypatch):
    pytest.importorskip("cma")
    monkeypatch.chdir(tmp_path)
    measures = lambda v: {"f": (v["x"] - 3.0) ** 2 + v["y"] ** 2, "g": v["x"] + v["y"]}
    with hn.Study(tmp_path / "s.study", measures, {"x": (0.0, 5.0), "y": (-2.0, 2.0)}, workers=0, progress=False) as s:
        found = s.minimize("f", subject_to={"g": (None, 2.0)}, method="cma_es", max_runs=600, tolerance=1e-6)
    assert found.parameters["x"] == pytest.approx(2.5, abs=0.02) and found.parameters["y"] == pytest.approx(
        -0.5, abs=0.02
    )
    assert not (tmp_path / "outcmaes").exists()
