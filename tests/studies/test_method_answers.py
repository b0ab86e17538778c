"""Distributions with bounds, subset simulation of stepped measures and indices of sensitivity against closed forms."""

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
