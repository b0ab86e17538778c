"""What methods of studies claim, against closed forms: tolerances, optimisers, worst cases, surrogates."""

import math

import numpy as np
import pytest

import holonom as hn
from holonom.model import ModelError
from holonom.studies import Curve, Experiment, Normal, StudyParameter, identify


def opened(tmp_path, function, space, name="a.study", **options):
    return hn.Study(tmp_path / name, function, space, workers=0, stop_after=0, progress=False, **options)


# ---- tolerances -----------------------------------------------------------------------------------------------------
def test_an_allocation_that_the_sample_contradicts_is_not_feasible(tmp_path):
    """y = a b about 0 does not change with one tolerance at a time; its deviation is that of a times that of b."""
    costs = {n: {"factor": 1.0, "bounds": (0.1, 3.0)} for n in "ab"}
    with opened(tmp_path, lambda v: {"y": v["a"] * v["b"]}, {"a": 0.0, "b": 0.0}) as s:
        found = s.allocate_tolerances({"y": (-1.0, 1.0)}, costs)
        assert not found.feasible and "contradicts the allocation" in found.message and found.within < 0.8
        wide = s.allocate_tolerances({"y": (-9.0, 9.0)}, costs)
        assert wide.feasible and wide.within == 1.0


def test_a_robust_design_that_the_sample_contradicts_is_not_feasible(tmp_path):
    """g = a b about 0 as above: quadrature of one parameter at a time has a deviation of 0, the sample one of 1."""
    space = {"d": (0.0, 2.0), "a": Normal(0.0, 1.0), "b": Normal(0.0, 1.0)}
    f = lambda v: {"f": v["d"] ** 2, "g": v["a"] * v["b"] - v["d"]}
    with opened(tmp_path, f, space) as s:
        best = s.minimize_robust("f", subject_to={"g": (None, 1.0)})
        assert not best.feasible and "above the limit 1 of 'g' in the sample" in best.message
        good = s.minimize_robust("f", subject_to={"g": (None, 1.0)}, estimate="sample", count=256)
    assert good.feasible and good.parameters["d"] == pytest.approx(2.0, abs=0.4)  # 3 deviations less 1


# ---- optimisers -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("method", ["slsqp", "l_bfgs_b", "trust_constr", "feasible_directions"])
def test_a_start_without_slope(tmp_path, method):
    """A maximum, and the saddle of x y, whose axes have no slope either."""
    with opened(tmp_path, lambda v: {"f": (v["x"] ** 2 - 1) ** 2}, {"x": (-2.0, 2.0)}) as s:
        found = s.minimize("f", method=method)
        assert found.value == pytest.approx(0.0, abs=1e-8) and "the start is a maximum or a saddle" in found.message
    with opened(tmp_path, lambda v: {"f": v["x"] * v["y"]}, {"x": (-1.0, 1.0), "y": (-1.0, 2.0)}, "b.study") as s:
        found = s.minimize("f", method=method, start={"x": 0.0, "y": 0.0})
        assert found.value in (pytest.approx(-2.0, abs=1e-5), pytest.approx(-1.0, abs=1e-5))
    with opened(tmp_path, lambda v: {"f": (v["x"] - 0.5) ** 2}, {"x": (-2.0, 2.0)}, "c.study") as s:
        found = s.minimize("f", method=method, start={"x": 0.5})
        assert found.value == 0.0 and found.converged and "saddle" not in found.message


@pytest.mark.parametrize("method", ["slsqp", "l_bfgs_b", "trust_constr", "feasible_directions"])
def test_derivatives_of_functions_are_compared_with_a_difference(tmp_path, method):
    def wrong(v, sign=-1.0):
        f = (v["x"] - 1) ** 2 + 3 * (v["y"] + 1) ** 2
        return {"f": f, "d f/d x": sign * 2 * (v["x"] - 1), "d f/d y": 6 * (v["y"] + 1)}

    box = {"x": (-4.0, 4.0), "y": (-4.0, 4.0)}
    with opened(tmp_path, wrong, box) as s:
        with pytest.raises(ModelError, match=r"'d f/d x' is 4 at x = -1, y = 0, a difference gives -4; correct"):
            s.minimize("f", method=method, start={"x": -1.0, "y": 0.0})
    right = lambda v: wrong(v, 1.0)
    with opened(tmp_path, right, box, "b.study") as s:
        for start in ({"x": -1.0, "y": 0.0}, {"x": 4.0, "y": -4.0}, {"x": 1.0, "y": -1.0}):
            found = s.minimize("f", method=method, start=start)
            assert found.value == pytest.approx(0.0, abs=1e-6) and "exact derivatives" in found.message
    kink = lambda v: {"f": abs(v["x"]) + v["y"] ** 2, "d f/d x": 1.0, "d f/d y": 2 * v["y"]}  # any slope in -1 to 1
    with opened(tmp_path, kink, box, "c.study") as s:
        s.minimize("f", method=method, start={"x": 0.0, "y": 1.0}, max_runs=100)


def test_derivatives_of_a_limit_state_are_compared_with_a_difference(tmp_path):
    f = lambda v: {"g": v["a"] - 2 * v["b"], "d g/d a": 1.0, "d g/d b": 2.0}
    with opened(tmp_path, f, {"a": Normal(0.0, 1.0), "b": Normal(0.0, 1.0)}) as s:
        with pytest.raises(ModelError, match="give a slope of .* along all random parameters, differences give"):
            s.reliability("g", high=5.0)


def test_derivatives_of_curves_are_compared_with_a_difference():
    times = np.linspace(0.0, 1.0, 20)

    def curve(v, sign=1.0):
        e = np.exp(-v["k"] * times)
        return {"y": v["a"] * e, "d y/d a": e, "d y/d k": -sign * v["a"] * times * e}

    bounds = {"a": (0.0, 4.0), "k": (0.1, 9.0)}
    test = Curve("y", times, curve({"a": 2.0, "k": 3.0})["y"], std=0.1)
    found = identify(Experiment(curve, test), bounds)
    assert found.parameters == pytest.approx({"a": 2.0, "k": 3.0}, abs=1e-6)
    with pytest.raises(ModelError, match=r"'d y/d k' is 0\.\d+ in a sample at k = 4.55, a difference gives -0\.\d+;"):
        identify(Experiment(lambda v: curve(v, -1.0), test), bounds)


@pytest.mark.parametrize("method", ["slsqp", "l_bfgs_b", "feasible_directions", "differential_evolution"])
def test_optima_next_to_failed_runs(tmp_path, method):
    """x + y where x >= 1 and y >= 0.5: 1.5, which a search by derivatives cannot follow."""
    box, where = {"x": (0.0, 2.0), "y": (0.0, 2.0)}, ["x >= 1", "y >= 0.5"]
    with opened(tmp_path, lambda v: {"f": v["x"] + v["y"]}, box, where=where) as s:
        found = s.minimize("f", method=method, start={"x": 1.9, "y": 1.0}, max_runs=3000)
    assert (
        f"{found.failed} of {found.runs} runs failed, " in found.message
        and " of them: the parameters do not meet" in found.message
    )
    assert found.value == pytest.approx(1.5, abs=1e-6) or not found.converged
    if method == "differential_evolution":
        assert found.converged and found.value == pytest.approx(1.5, abs=1e-6)


def test_what_methods_cannot_do(tmp_path):
    with opened(tmp_path, lambda v: {"f": v["x"]}, {"x": (0.0, 1.0)}) as s:
        with pytest.raises(ModelError, match="'cma_es' adapts covariances, of two parameters or more"):
            s.minimize("f", method="cma_es")


def test_trust_constr_prints_no_warnings(tmp_path, recwarn):
    """Problem 22 of Hock and Schittkowski."""
    f = lambda v: {"f": (v["x"] - 2) ** 2 + (v["y"] - 1) ** 2, "g": v["x"] ** 2 - v["y"], "h": v["x"] + v["y"]}
    with opened(tmp_path, f, {"x": (-3.0, 3.0), "y": (-3.0, 3.0)}) as s:
        found = s.minimize("f", subject_to={"g": (None, 0.0), "h": (None, 2.0)}, method="trust_constr")
        assert found.converged and found.feasible and found.value == pytest.approx(1.0, abs=2e-5)
    assert not [w for w in recwarn if "scipy" in str(w.filename)]


def test_worst_case_of_many_whole_numbers(tmp_path):
    """A peak between the corners of 5001 values, which are too many to run all."""
    n = StudyParameter("n", 0, (0, 5000), integer=True)
    with opened(tmp_path, lambda v: {"f": -abs(v["n"] - 3333.0)}, {"n": n}) as s:
        found = s.worst_case("f", max_runs=600)
    assert (found.low, found.high) == (
        -3333.0,
        pytest.approx(0.0, abs=3.0),
    ) and "high is not at a corner" in found.message


# ---- surrogates -----------------------------------------------------------------------------------------------------
def branin(v):
    x, y = v["x"], v["y"]
    f = (y - 5.1 / (4 * math.pi**2) * x * x + 5 / math.pi * x - 6) ** 2
    return {"f": f + 10 * (1 - 1 / (8 * math.pi)) * math.cos(x) + 10}


@pytest.mark.slow  # 2 CPU s
def test_the_largest_value_by_surrogates(tmp_path):
    """The maximum of the Branin function is at the corner (-5, 0): 308.129."""
    with opened(tmp_path, branin, {"x": (-5.0, 10.0), "y": (0.0, 15.0)}) as s:
        best = s.optimize_on_surrogate("f", maximize=True)
        assert best.value == pytest.approx(308.129, abs=0.01) and (best.parameters["x"], best.parameters["y"]) == (
            -5,
            0,
        )
        local = s.optimize_on_surrogate("f", kind="quadratic", rounds=2, tolerance=0.5)
        assert "a better point elsewhere is possible" in local.message or not local.converged
        none = s.optimize_on_surrogate("f", subject_to={"f": (1000.0, None)}, rounds=1)
        assert not none.feasible and "no run meets all constraints, the least violation is" in none.message


@pytest.mark.parametrize("method", ["slsqp", "l_bfgs_b", "feasible_directions", "trust_constr"])
@pytest.mark.parametrize("bound", [2e3, 2e4])
def test_bounds_far_wider_than_the_valley(tmp_path, method, bound):
    """Rosenbrock's valley, whose minimum of 0 is 1 from the start, within bounds so wide that the first step of
    differences is 0.04 and 0.4: a claim of convergence at 5 of 24 was one of these differences."""

    def valley(v):
        return {"f": 100 * (v["y"] - v["x"] ** 2) ** 2 + (1 - v["x"]) ** 2}

    with opened(tmp_path, valley, {"x": (-bound, bound), "y": (-bound, bound)}) as s:
        found = s.minimize("f", method=method, start={"x": -1.2, "y": 1.0}, max_runs=1500)
    assert found.value < 1e-4 or not found.converged
    if method != "trust_constr":
        assert found.converged and "step 1e-05" not in found.message


def rough(*place):
    """A number between -0.5 and 0.5 that looks random from place to place, but is smooth over distances of 1e-6 and
    less."""
    return math.sin(sum(12.9898 * (k + 1) * x for k, x in enumerate(place))) * 43758.5453 % 1.0 - 0.5


@pytest.mark.parametrize(
    "method, objective, constraint, start",
    [
        ("slsqp", lambda x, y: 1e-3 * rough(x, y), lambda x, y: 0.0, None),
        ("trust_constr", lambda x, y: 0.0, lambda x, y: 2e-3 * rough(x, y), 3.0),
        ("slsqp", lambda x, y: 0.0, lambda x, y: 0.0, 3.0),
    ],
)
def test_numbers_that_scatter_by_less_than_ends_a_search(tmp_path, method, objective, constraint, start):
    """The point next to (1, 2) with x + y <= 2, at a square distance of 1/2; with scatter searches ended at 0.88, 0.64
    and 1.0, and claimed to have converged."""

    def rated(v):
        x, y = v["x"], v["y"]
        return {"f": (x - 1) ** 2 + (y - 2) ** 2 + objective(x, y), "c": x + y + constraint(x, y)}

    begin = None if start is None else {"x": start, "y": start}
    with opened(tmp_path, rated, {"x": (-3.0, 3.0), "y": (-3.0, 3.0)}) as s:
        found = s.minimize("f", subject_to={"c": (None, 2.0)}, method=method, start=begin)
    smooth = objective(1.0, 1.0) == constraint(1.0, 1.0) == 0.0
    assert found.converged == smooth
    assert found.value == pytest.approx(0.5, abs=1e-6) if smooth else "scatter" in found.message
