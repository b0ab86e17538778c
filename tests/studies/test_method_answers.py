"""Methods of studies against closed forms, where they were wrong without a message: sensitivity, reliability,
tolerances, optimisers."""

import math

import numpy as np
import pytest
from scipy import stats

import holonom as hn
from holonom.model import ModelError
from holonom.studies import Exponential, Normal, StudyParameter, Uniform, Weibull
from holonom.studies.subset import subset_simulation


def opened(tmp_path, function, space, name="a.study", **options):
    return hn.Study(tmp_path / name, function, space, workers=0, stop_after=0, progress=False, **options)


# ---- distributions with bounds --------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "given, whole, low, high",
    [
        (Normal(1.0, 2.0), stats.norm(1.0, 2.0), -0.5, 4.0),
        (Normal(0.0, 1.0), stats.norm(), 8.0, 9.0),
        (Normal(0.0, 1.0), stats.norm(), -9.0, -8.0),
        (Exponential(2.0), stats.expon(scale=2.0), 1.0, 30.0),
        (Weibull(3.0, 1.5), stats.weibull_min(1.5, scale=3.0), 0.1, 2.0),
        (Uniform(0.0, 4.0), stats.uniform(0.0, 4.0), 1.0, 9.0),
    ],
)
def test_a_distribution_within_bounds(given, whole, low, high):
    """Density and moments by a trapezium rule over the density of SciPy; the map from the normal space both ways."""
    cut = given.within(low, high)
    x = np.linspace(low, high, 20_001)
    f = whole.pdf(x)
    mass = np.trapezoid(f, x)
    mean = np.trapezoid(f * x, x) / mass
    std = math.sqrt(np.trapezoid(f * (x - mean) ** 2, x) / mass)
    assert cut.mean == pytest.approx(mean, rel=1e-4) and cut.std == pytest.approx(std, rel=1e-3)
    for k in (2_000, 5_000, 12_000):
        part = np.trapezoid(f[: k + 1], x[: k + 1]) / mass
        assert cut.probability(x[k]) == pytest.approx(part, rel=1e-3)
    u = np.array([-7.0, -3.0, -0.5, 0.0, 1.0, 4.0])
    at = cut.from_normal(u)
    assert (at >= low).all() and (at <= high).all() and (np.diff(at) > 0).all()
    assert cut.to_normal(at[1:]) == pytest.approx(u[1:], rel=1e-6, abs=1e-6)


def test_bounds_that_cut_nothing():
    assert Uniform(0.0, 1.0).within(-1.0, 2.0) == Uniform(0.0, 1.0)
    with pytest.raises(ModelError, match="parameter 'n' is discrete, and a distribution is of continuous ones"):
        StudyParameter("n", 3, integer=True, distribution=Normal(3.0, 1.0))


def test_bounds_cut_a_distribution_in_all_methods(tmp_path):
    """y = x, x normal within (-1, 1): P(y > 0.8) by the quotient of normal probabilities."""
    truth = (stats.norm.cdf(1.0) - stats.norm.cdf(0.8)) / (stats.norm.cdf(1.0) - stats.norm.cdf(-1.0))
    x = StudyParameter("x", bounds=(-1.0, 1.0), distribution=Normal(0.0, 1.0))
    with opened(tmp_path, lambda v: {"y": v["x"]}, {"x": x}) as s:
        first = s.reliability("y", high=0.8)
        assert first.probability == pytest.approx(truth, rel=1e-6) and first.point["x"] == pytest.approx(0.8)
        assert first.second_order == pytest.approx(truth, rel=1e-6)
        found = s.reliability("y", high=0.8, method="subset", count=400)
        assert found.low < truth < found.high
        assert s.run(hn.studies.sobol(256)).probability("y", high=0.8)[0] == pytest.approx(truth, abs=0.01)


def test_bounds_cut_a_distribution_in_robust_optimisation(tmp_path):
    """f = (d - 1)^2 + d x: mean and deviation of d x are those of the truncated normal."""
    space = {"d": (-2.0, 2.0), "x": StudyParameter("x", 0.5, (0.0, 2.0), distribution=Normal(0.0, 1.0))}
    with opened(tmp_path, lambda v: {"f": (v["d"] - 1) ** 2 + v["d"] * v["x"]}, space) as s:
        best = s.minimize_robust("f", estimate="sample", count=1024, verify=0)
    x = stats.truncnorm(0.0, 2.0)
    d = best.parameters["d"]
    assert best.spread["f"].mean == pytest.approx((d - 1) ** 2 + d * x.mean(), abs=1e-3)
    assert best.spread["f"].std == pytest.approx(abs(d) * x.std(), abs=1e-3)


# ---- subset simulation of stepped measures --------------------------------------------------------------------------
@pytest.mark.parametrize(
    "limit_state, k, truth",
    [
        (lambda U: 2.5 - np.floor(U[:, 0]), 1, stats.norm.sf(3.0)),
        (lambda U: 0.5 - (U[:, 0] > 2.5), 1, stats.norm.sf(2.5)),
        (lambda U: 3.5 - np.maximum(U[:, 0], 1.5), 1, stats.norm.sf(3.5)),
        (lambda U: 6.5 - np.floor(U[:, 0] ** 2 + U[:, 1] ** 2) / 2, 2, math.exp(-6.5)),
    ],
)
def test_subsets_of_stepped_measures(limit_state, k, truth):
    """The intervals contain the exact probability, and the mean of 16 estimates is near it."""
    found = [subset_simulation(limit_state, k, 500, np.random.default_rng(seed)) for seed in range(16)]
    inside = [
        f.bound > truth if f.nearest is None else abs(math.log(f.probability / truth)) < 1.96 * f.variation
        for f in found
    ]
    assert sum(inside) >= 14
    assert np.mean([f.probability for f in found]) == pytest.approx(truth, rel=0.35)


def test_stepped_measures_are_reported(tmp_path):
    with opened(tmp_path, lambda v: {"g": math.floor(v["x"])}, {"x": Normal(0.0, 1.0)}) as s:
        found = s.reliability("g", high=2.5, method="subset", count=500)
        assert found.low < stats.norm.sf(3.0) < found.high and "the measure is stepped" in found.message
        none = s.reliability("g", high=40.5, method="subset", count=100)
        assert not none.converged and none.probability == 0.0
    with opened(tmp_path, lambda v: {"g": 1.0 * (v["x"] > 6.0)}, {"x": Normal(0.0, 1.0)}, "b.study") as s:
        none = s.reliability("g", high=0.5, method="subset", count=200)
        assert not none.converged and none.runs == 200 and 0.01 < none.high < 0.03 and "larger count" in none.message


# ---- sensitivity ----------------------------------------------------------------------------------------------------
def test_screening_of_a_linear_measure(tmp_path):
    """y is linear, so that each effect over the whole range is exact, mu_star of k is above that of n, sigma is 0."""
    pytest.importorskip("SALib")
    for steps in (1, 2, 3, 6):
        space = {"n": StudyParameter("n", 0, (0, steps), integer=True), "k": (0.0, 1.0), "one": ["only"]}
        with opened(tmp_path, lambda v: {"y": 10 * v["n"] + 12 * v["k"]}, space, f"{steps}.study") as s:
            found = s.sensitivity("morris", count=6)["y"]
        assert found["mu_star"] == pytest.approx([10.0 * steps, 12.0, 0.0]) and np.abs(found["sigma"]).max() < 1e-9
    cut = {"a": StudyParameter("a", bounds=(0.5, 4.0), distribution=Uniform(0.0, 1.0)), "b": Uniform(0.0, 2.0)}
    with opened(tmp_path, lambda v: {"y": v["a"] + v["b"]}, cut, "cut.study") as s:
        assert s.sensitivity("morris", count=6)["y"]["mu_star"] == pytest.approx([0.5, 2.0])


def test_interval_of_the_bound_of_derivatives(tmp_path):
    """By resampling the closed derivative of the Ishigami function (x: mean square pi-dependent, 0.1 z^4 + 1)."""
    pytest.importorskip("SALib")
    ishigami = lambda v: {"f": math.sin(v["x"]) + 7 * math.sin(v["y"]) ** 2 + 0.1 * v["z"] ** 4 * math.sin(v["x"])}
    with opened(tmp_path, ishigami, dict.fromkeys("xyz", (-math.pi, math.pi)), seed=0) as s:
        found = s.sensitivity("dgsm", count=256)["f"]
    rng = np.random.default_rng(1)
    x, y, z = rng.uniform(-math.pi, math.pi, (3, 20_000))
    squares = np.array([np.cos(x) * (1 + 0.1 * z**4), 7 * np.sin(2 * y), 0.4 * z**3 * np.sin(x)]) ** 2
    variance = 3.5**2 * 2 / 4 + 0.1 * math.pi**4 / 5 + 0.01 * math.pi**8 / 18 + 0.5  # of Ishigami: 13.8446
    factor = (2 * math.pi) ** 2 / math.pi**2 / variance
    assert found["bound"] == pytest.approx(factor * squares.mean(axis=1), rel=0.15)
    half = 1.96 * factor * squares.std(axis=1) / math.sqrt(256)
    assert found["bound_interval"] == pytest.approx(half, rel=0.3)


def test_the_least_count_of_fast(tmp_path):
    with opened(tmp_path, lambda v: {"y": v["a"]}, {"a": (0.0, 1.0)}) as s:
        with pytest.raises(ModelError, match="'fast' needs a count of 65 or more, got 64"):
            s.sensitivity("fast", count=64)


def test_effects_of_a_plackett_burman_design(tmp_path):
    """Interactions overlap with all main effects there: a linear measure has none."""
    names = "abcdefgh"
    f = lambda v: {"y": sum((k + 1) * v[n] for k, n in enumerate(names))}
    with opened(tmp_path, f, dict.fromkeys(names, (0.0, 1.0))) as s:
        found = {term: effect for term, effect, _ in s.run(hn.studies.plackett_burman()).effects("y")}
    assert found == pytest.approx({n: k + 1.0 for k, n in enumerate(names)})


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


@pytest.mark.parametrize("method", ["slsqp", "l_bfgs_b", "feasible_directions", "differential_evolution"])
def test_optima_next_to_failed_runs(tmp_path, method):
    """x + y where x >= 1 and y >= 0.5: 1.5, which a search by derivatives cannot follow."""
    box, where = {"x": (0.0, 2.0), "y": (0.0, 2.0)}, ["x >= 1", "y >= 0.5"]
    with opened(tmp_path, lambda v: {"f": v["x"] + v["y"]}, box, where=where) as s:
        found = s.minimize("f", method=method, start={"x": 1.9, "y": 1.0}, max_runs=3000)
    assert f"{found.failed} of {found.runs} runs failed, most of them: " in found.message
    assert found.value == pytest.approx(1.5, abs=1e-6) or not found.converged
    if method == "differential_evolution":
        assert found.converged and found.value == pytest.approx(1.5, abs=1e-6)


def test_what_methods_cannot_do(tmp_path):
    with opened(tmp_path, lambda v: {"f": v["x"]}, {"x": (0.0, 1.0)}) as s:
        with pytest.raises(ModelError, match="'cma_es' adapts covariances, of two parameters or more"):
            s.minimize("f", method="cma_es")


def test_trust_constr_says_nothing_on_the_screen(tmp_path, recwarn):
    """Problem 22 of Hock and Schittkowski."""
    f = lambda v: {"f": (v["x"] - 2) ** 2 + (v["y"] - 1) ** 2, "g": v["x"] ** 2 - v["y"], "h": v["x"] + v["y"]}
    with opened(tmp_path, f, {"x": (-3.0, 3.0), "y": (-3.0, 3.0)}) as s:
        s.minimize("f", subject_to={"g": (None, 0.0), "h": (None, 2.0)}, method="trust_constr")
    assert not [w for w in recwarn if "scipy" in str(w.filename)]


def test_worst_case_of_many_whole_numbers(tmp_path):
    """A peak between the corners of 5001 values, which are too many to run all."""
    n = StudyParameter("n", 0, (0, 5000), integer=True)
    with opened(tmp_path, lambda v: {"f": -abs(v["n"] - 3333.0)}, {"n": n}) as s:
        found = s.worst_case("f", max_runs=600)
    assert (found.low, found.high) == (-3333.0, pytest.approx(0.0, abs=3.0)) and "high is not at a corner" in found.message


# ---- surrogates -----------------------------------------------------------------------------------------------------
def branin(v):
    x, y = v["x"], v["y"]
    f = (y - 5.1 / (4 * math.pi**2) * x * x + 5 / math.pi * x - 6) ** 2
    return {"f": f + 10 * (1 - 1 / (8 * math.pi)) * math.cos(x) + 10}


def test_the_largest_value_by_surrogates(tmp_path):
    """The maximum of the Branin function is at the corner (-5, 0): 308.129."""
    with opened(tmp_path, branin, {"x": (-5.0, 10.0), "y": (0.0, 15.0)}) as s:
        best = s.optimize_on_surrogate("f", maximize=True)
        assert best.value == pytest.approx(308.129, abs=0.01) and (best.parameters["x"], best.parameters["y"]) == (-5, 0)
        local = s.optimize_on_surrogate("f", kind="quadratic", rounds=2, tolerance=0.5)
        assert "a better point elsewhere is possible" in local.message or not local.converged
        none = s.optimize_on_surrogate("f", subject_to={"f": (1000.0, None)}, rounds=1)
        assert not none.feasible and "no run meets all constraints, the least violation is" in none.message
