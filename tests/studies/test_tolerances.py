"""Tolerance allocation against the closed form by a Lagrange multiplier, and against independent samples."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq

import holonom as hn
from holonom.model import ModelError
from holonom.studies import StudyParameter

#: a stack of five lengths: sensitivity, factor and power of its cost
CHAIN = {
    "a": (-1.0, 0.05, 0.5), "b": (1.0, 0.2, 1.0), "c": (2.0, 0.03, 1.0), "d": (-1.0, 0.7, 0.7), "e": (0.5, 0.1, 2.0),
}  # fmt: skip


def gap(v):
    return {"gap": 1.0 + sum(s * (v[n] - 10.0) for n, (s, _, _) in CHAIN.items())}


def opened(tmp_path, function, space, name="a"):
    return hn.Study(tmp_path / f"{name}.study", function, space, workers=0)


def by_multiplier(power, budget):
    """Tolerances with k B / t^(k + 1) = lambda p s^p t^(p - 1) and sum (s t)^p = budget^p."""

    def at(log):
        price = math.exp(log) * power
        return {n: (k * B / (price * abs(s) ** power)) ** (1 / (k + power)) for n, (s, B, k) in CHAIN.items()}

    used = lambda log: sum((abs(CHAIN[n][0]) * t) ** power for n, t in at(log).items()) - budget**power
    return at(brentq(used, -30, 60, xtol=1e-13))


@pytest.mark.parametrize(
    "criterion, power, sigmas", [("statistical", 2, 3.0), ("worst_case", 1, 3.0), ("statistical", 2, 4.5)]
)
def test_a_stack_of_lengths(tmp_path, criterion, power, sigmas):
    space = {n: StudyParameter(n, 10.0) for n in CHAIN}
    costs = {n: {"factor": B, "power": k} for n, (_, B, k) in CHAIN.items()}
    with opened(tmp_path, gap, space) as s:
        found = s.allocate_tolerances({"gap": (0.7, 1.4)}, costs, criterion=criterion, sigmas=sigmas)
        again = s.allocate_tolerances({"gap": (0.7, 1.4)}, costs, criterion=criterion, sigmas=sigmas)
        assert len(s.results()) == found.runs
    right = by_multiplier(power, 0.3 if power == 1 else 0.3 * 3 / sigmas)
    assert found.tolerances == pytest.approx(right, rel=1e-5) and again.tolerances == found.tolerances
    assert found.cost == pytest.approx(sum(B / right[n] ** k for n, (_, B, k) in CHAIN.items()), rel=1e-6)
    assert found.feasible and found.message == "the limit of 'gap' below is active"
    assert found.spread["gap"].low == pytest.approx(0.7, abs=1e-5)
    assert sum(found.shares["gap"].values()) == pytest.approx(1.0)
    assert found.within == 1.0 or (power == 2 and found.within > 0.98)


def crank(v):  # position of a slider by crank, rod and offset
    r, l, e = v["r"], v["l"], v["e"]
    return {"x": r * math.cos(1.0) + math.sqrt(l**2 - (r * math.sin(1.0) - e) ** 2), "y": r * r}


def test_a_curved_measure_and_given_tolerances(tmp_path):
    """Slider position with two limited measures; an independent sample has the requested standard deviation."""
    space = {"r": StudyParameter("r", 1.0), "l": StudyParameter("l", 1.2), "e": StudyParameter("e", 0.3)}
    limits = {"x": (1.55, 1.75), "y": (0.9, None)}
    with opened(tmp_path, crank, space) as s:
        costs = {"r": 1.0, "l": {"factor": 2.0, "bounds": (0.001, 0.02)}}
        found = s.allocate_tolerances(limits, costs, others={"e": 0.06})
    assert found.feasible and found.tolerances["l"] == pytest.approx(0.02)
    assert "'l' has its widest tolerance 0.02" in found.message and set(found.tolerances) == {"r", "l"}
    rng = np.random.default_rng(1)
    t = found.tolerances | {"e": 0.06}
    draws = {n: p.value + t[n] / 3 * rng.standard_normal(200_000) for n, p in space.items()}
    r, l, e = draws["r"], draws["l"], draws["e"]
    x, y = r * np.cos(1.0) + np.sqrt(l**2 - (r * np.sin(1.0) - e) ** 2), r * r
    for name, values in (("x", x), ("y", y)):
        assert values.std() == pytest.approx(found.spread[name].std, rel=0.01)
        assert values.mean() == pytest.approx(found.spread[name].mean, abs=2e-4)
    tight = min((x.mean() - 1.55) / x.std(), (1.75 - x.mean()) / x.std(), (y.mean() - 0.9) / y.std())
    assert tight == pytest.approx(3.0, rel=0.01)


def test_worst_cases_that_are_not_at_single_ends(tmp_path):
    """A product about zero does not change with one deviation at a time: the corners of the sample show it."""
    space = {"a": StudyParameter("a", 0.0), "b": StudyParameter("b", 0.0)}
    costs = {n: {"factor": 1.0, "bounds": (0.01, 1.0)} for n in "ab"}
    with opened(tmp_path, lambda v: {"f": v["a"] * v["b"]}, space) as s:
        found = s.allocate_tolerances({"f": (-0.5, 0.5)}, costs, criterion="worst_case")
    assert not found.feasible and "beyond its worst cases" in found.message and found.within < 1.0


def test_limits_that_no_tolerances_meet(tmp_path):
    space = {"a": StudyParameter("a", 10.0), "b": StudyParameter("b", 10.0)}
    f = lambda v: {"f": v["a"] + v["b"]}
    costs = {n: {"factor": 1.0, "bounds": (0.1, 1.0)} for n in "ab"}
    with opened(tmp_path, f, space) as s:
        found = s.allocate_tolerances({"f": (19.9, 20.1)}, costs, criterion="worst_case")
        assert not found.feasible and found.tolerances == pytest.approx({"a": 0.1, "b": 0.1})
        assert "even these tolerances do not meet the limit of 'f' below, 'f' above" in found.message
        for text, limits, prices, options in [
            ("nominal value 20 of 'f' is not within its limits 21 to 22", {"f": (21, 22)}, {"a": 1}, {}),
            ("no measure 'g'", {"g": (21, 22)}, {"a": 1}, {}),
            ("there is no parameter 'c'", {"f": (19, 22)}, {"c": 1}, {}),
            ("factor must be a number above zero, got 0", {"f": (19, 22)}, {"a": 0}, {}),
            ("unknown key 'powers'; did you mean 'power'", {"f": (19, 22)}, {"a": {"factor": 1, "powers": 1}}, {}),
            ("bounds must be two tolerances", {"f": (19, 22)}, {"a": {"factor": 1, "bounds": (0, 1)}}, {}),
            ("it has a cost and a given tolerance", {"f": (19, 22)}, {"a": 1}, {"others": {"a": 1}}),
            ("the given tolerances exceed the limits", {"f": (19.9, 20.1)}, {"a": 1}, {"others": {"b": 3}}),
            ("no criterion 'rss'", {"f": (19, 22)}, {"a": 1}, {"criterion": "rss"}),
            ("give limits", {}, {"a": 1}, {}),
            ("no option 'sigma'; did you mean 'sigmas'", {"f": (19, 22)}, {"a": 1}, {"sigma": 3}),
        ]:
            with pytest.raises(ModelError, match=text):
                s.allocate_tolerances(limits, prices, **options)
    with opened(tmp_path, lambda v: {"f": v["a"]}, space, "b") as s:
        with pytest.raises(ModelError, match="tolerance of 'b': no measure changes with it"):
            s.allocate_tolerances({"f": (9, 11)}, {"a": 1, "b": 1})
