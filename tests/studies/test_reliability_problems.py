"""The numbered reliability problems: published probabilities against independent integrals, FORM and SORM where there
is one region of failure, subset simulation on all."""

import math

import numpy as np
import pytest
from _reliability_problems import PROBLEMS
from scipy.stats import norm

import holonom as hn
from holonom.model import ModelError
from holonom.studies import Normal
from holonom.studies.subset import subset_simulation


def opened(tmp_path, function, space, name="a"):
    return hn.Study(tmp_path / f"{name}.study", function, space, workers=0, seed=1)


@pytest.mark.parametrize("number", PROBLEMS)
def test_published_probabilities(number):
    """The problem is the published one: an integral of it, or a large sample, gives the published probability."""
    problem = PROBLEMS[number]
    assert problem.independent() == pytest.approx(problem.published, rel=0.12 if problem.published < 1e-3 else 0.06)


@pytest.mark.parametrize(
    "number, first, second",
    [(8, 0.2, 0.08), (14, 0.1, 0.1), (22, 0.5, 0.02), (38, 0.03, 0.02), (60, 0.03, 0.03), (91, 0.02, 0.02),
     (107, 0.02, 0.02), (110, 0.02, 0.02)],
)  # fmt: skip
def test_one_region_by_form_and_sorm(tmp_path, number, first, second):
    problem = PROBLEMS[number]
    with opened(tmp_path, problem, problem.parameters) as s:
        found = s.reliability("g", low=0.0)
    assert found.converged and found.probability == pytest.approx(problem.published, rel=first)
    assert found.second_order == pytest.approx(problem.published, rel=second) and not found.warnings


@pytest.mark.parametrize(
    "number", [n if n in (53, 57, 89) else pytest.param(n, marks=pytest.mark.slow) for n in PROBLEMS]
)
def test_subset_simulation(tmp_path, number):
    problem = PROBLEMS[number]
    with opened(tmp_path, problem, problem.parameters) as s:
        found = s.reliability("g", low=0.0, method="subset")
        if number == 53:  # the second is answered from the store
            assert s.reliability("g", low=0.0, method="subset") == found and len(s.results()) == found.runs
    assert found.converged and found.low < problem.independent() < found.high and found.high < 15 * found.low + 0.1
    assert found.beta == pytest.approx(norm.isf(found.probability))
    assert problem(found.point)["g"] <= 0.0


@pytest.mark.parametrize(
    "number, text",
    [(89, "several design points"), (63, "contradicts the probability"), (53, "curvature changes the probability")],
)
def test_far_off_is_reported(tmp_path, number, text):
    """A search that converges to a wrong probability: another region nearer, a mean in a narrow bend, a kinked sine."""
    problem = PROBLEMS[number]
    with opened(tmp_path, problem, problem.parameters) as s:
        found = s.reliability("g", low=0.0, second_order=number != 63)  # of 100 parameters 20,000 runs
        silent = s.reliability("g", low=0.0, checks=0, second_order=False)
    off = silent.probability / problem.published
    assert silent.converged and not silent.warnings and not 0.5 < off < 2.0
    assert found.converged and text in found.message and any(text in w for w in found.warnings)
    assert "compare with method='subset'" in found.message
    assert math.isnan(found.second_order) or 0.0 <= found.second_order <= 1.0
    if number == 89:  # two points at equal distances: half the probability
        assert found.probability == pytest.approx(problem.published / 2, rel=0.1)


def test_intervals_of_subset_simulation():
    """200 seeds of a plane at a distance of 3.5 in five dimensions: the 95 % interval, and the mean without bias."""
    plane = lambda U: 3.5 - U.sum(axis=1) / math.sqrt(5)
    right = norm.sf(3.5)
    found = [subset_simulation(plane, 5, 500, np.random.default_rng(seed)) for seed in range(200)]
    inside = [f.probability * math.exp(-1.96 * f.variation) < right < f.probability * math.exp(1.96 * f.variation)
              for f in found]  # fmt: skip
    p = np.array([f.probability for f in found])
    assert np.mean(inside) > 0.93 and abs(p.mean() / right - 1) < 3 * p.std() / right / math.sqrt(200)


def test_a_limit_that_is_never_reached(tmp_path):
    with opened(tmp_path, lambda v: {"g": 1.0 + v["x"] ** 2}, {"x": Normal(0, 1)}) as s:
        found = s.reliability("g", low=0.0, method="subset", count=100)
        assert not found.converged and found.probability == 0.0 and found.beta == math.inf
        # g is rounded to 1 where |x| < 1.05e-8, with a probability of 8.4e-9, which no level can divide
        assert 0.0 < found.high < 8.4e-9
        assert "no sample fails within 11 levels" in found.message
        for text, options in [
            ("no method 'subsets'; did you mean 'subset'", {"method": "subsets"}),
            ("count must be a whole number from 100, got 10", {"method": "subset", "count": 10}),
        ]:
            with pytest.raises(ModelError, match=text):
                s.reliability("g", low=0.0, **options)
        with pytest.raises(ModelError, match="does not change .* use method='subset'"):
            s.reliability("g", low=0.0)
