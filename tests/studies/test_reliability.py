"""FORM, SORM, samples and worst cases against closed forms and integrals of one variable.

Numbered problems are those of the black-box reliability challenge (Rozsas and Slobbe, TNO, 2019)."""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import minimize_scalar
from scipy.stats import norm

import holonom as hn
from holonom.model import ModelError
from holonom.studies import LogNormal, Normal, StudyParameter, Uniform

STANDARD = {"x": Normal(0, 1), "y": Normal(0, 1)}


def opened(tmp_path, function, space):
    return hn.Study(tmp_path / "a.study", function, space, workers=0)


def test_strength_minus_load(tmp_path):
    """Normal strength and load: beta = (200 - 100) / hypot(20, 30), exactly; importances are the shares of variance."""
    space = {"r": Normal(200, 20), "s": Normal(100, 30), "c": 1.0}
    with opened(tmp_path, lambda v: {"margin": v["c"] * (v["r"] - v["s"])}, space) as s:
        found = s.reliability("margin", low=0.0)
        assert found.converged and found.beta == pytest.approx(100 / math.hypot(20, 30), rel=1e-6)
        assert found.probability == pytest.approx(norm.sf(found.beta)) == pytest.approx(found.second_order, rel=1e-4)
        assert found.importance == pytest.approx({"r": 400 / 1300, "s": 900 / 1300}, rel=1e-6)
        assert found.point["r"] == pytest.approx(found.point["s"], rel=1e-5)
        assert s.reliability("margin", high=0.0).beta == pytest.approx(-found.beta, rel=1e-6)


def test_runs_that_fail_far_from_the_design_point(tmp_path):
    """Checks leave them out."""

    def margin(v):
        if v["r"] > 210.0:
            raise ValueError("too strong for the press")
        return {"margin": v["r"] - v["s"]}

    with opened(tmp_path, margin, {"r": Normal(200, 20), "s": Normal(100, 30)}) as s:
        found = s.reliability("margin", low=0.0)
    assert found.converged and not found.warnings and found.beta == pytest.approx(100 / math.hypot(20, 30), rel=1e-6)


def test_product_of_lognormals(tmp_path):
    """ln(a b) is normal, so FORM is exact."""
    a, b = (math.sqrt(math.log1p(v**2)) for v in (0.2, 0.1))
    with opened(tmp_path, lambda v: {"f": v["a"] * v["b"]}, {"a": LogNormal(40, 8), "b": LogNormal(50, 5)}) as s:
        found = s.reliability("f", low=1000.0)
    mean = math.log(40) - a * a / 2 + math.log(50) - b * b / 2
    assert found.beta == pytest.approx((mean - math.log(1000)) / math.hypot(a, b), rel=1e-5)
    assert found.second_order == pytest.approx(found.probability, rel=1e-3)


def rp22(v):
    x, y = v["x"], v["y"]
    return {"g": 2.5 - (x + y) / math.sqrt(2) + 0.1 * (x - y) ** 2}


def test_curved_limit_state(tmp_path):
    """RP22, published 4.16e-3: with u = (x + y) / sqrt 2 and v = (x - y) / sqrt 2 an integral over v."""
    exact = quad(lambda v: norm.pdf(v) * norm.sf(2.5 + 0.2 * v * v), -10, 10)[0]
    assert exact == pytest.approx(4.16e-3, rel=0.02)
    with opened(tmp_path, rp22, STANDARD) as s:
        found = s.reliability("g", low=0.0)
        assert found.beta == pytest.approx(2.5, rel=1e-5) and found.probability == pytest.approx(6.21e-3, rel=1e-3)
        assert found.second_order == pytest.approx(exact, rel=0.03)
        p, low, high = s.run(hn.studies.sobol(4096)).probability("g", low=0.0)
        assert low < exact < high and p == pytest.approx(exact, rel=0.25)


def test_product_of_normals(tmp_path):
    """RP28: x y below 146.14, published 1.46e-7; an integral over y.  Two design points lie beside a saddle of the
    distance, where the plain iteration ends."""
    exact = quad(lambda y: norm.pdf(y, 0.0104, 0.00156) * norm.cdf(146.14 / y, 78064.4, 11709.7), 1e-4, 0.02,
                 points=[0.002, 0.005], limit=500)[0]  # fmt: skip
    assert exact == pytest.approx(1.46e-7, rel=0.02)
    space = {"x": Normal(78064.4, 11709.7), "y": Normal(0.0104, 0.00156)}
    with opened(tmp_path, lambda v: {"g": v["x"] * v["y"] - 146.14}, space) as s:
        found = s.reliability("g", low=0.0, checks=0)
        other = s.reliability("g", low=0.0)
    nearest = minimize_scalar(lambda u: math.hypot(u, (0.18 / (1 + 0.15 * u) - 1) / 0.15), bounds=(-5.4, -4.5)).fun
    assert 146.14 / 78064.4 / 0.0104 == pytest.approx(0.18, rel=1e-4)
    assert found.converged and found.beta == pytest.approx(nearest, rel=1e-3)
    assert other.beta == pytest.approx(nearest, rel=1e-3)
    assert "a second design point, as near" in found.message and "several design points" in other.message
    assert 2 * found.second_order == pytest.approx(exact, rel=0.3)


def test_plastic_frame(tmp_path):
    """x1 + 2 x2 + 2 x3 + x4 - 5 x5 - 5 x6 of lognormals: beta 2.348 (Der Kiureghian, Lin and Hwang, 1987)."""
    moments = [(120, 12)] * 4 + [(50, 15), (40, 12)]
    weights = (1, 2, 2, 1, -5, -5)
    space = {f"x{k}": LogNormal(*m) for k, m in enumerate(moments)}
    with opened(tmp_path, lambda v: {"g": sum(w * x for w, x in zip(weights, v.values()))}, space) as s:
        found = s.reliability("g", low=0.0)
    assert found.converged and found.beta == pytest.approx(2.348, abs=1e-3)
    rng = np.random.default_rng(0)
    s2 = [math.log1p((std / mean) ** 2) for mean, std in moments]
    made = [rng.lognormal(math.log(m) - 0.5 * v, math.sqrt(v), 1_000_000) for (m, _), v in zip(moments, s2)]
    assert found.second_order == pytest.approx(float((np.dot(weights, made) < 0).mean()), rel=0.05)


def test_exact_derivatives_are_used(tmp_path):
    f = lambda v: {"g": v["r"] ** 2 - v["s"], "d g/d r": 2 * v["r"], "d g/d s": -1.0}
    space = {"r": Normal(10, 1), "s": Normal(50, 5)}
    with opened(tmp_path, f, space) as s:
        found = s.reliability("g", low=0.0, second_order=False)
    with hn.Study(tmp_path / "b.study", lambda v: {"g": f(v)["g"]}, space, workers=0) as s:
        other = s.reliability("g", low=0.0, second_order=False)
    assert found.beta == pytest.approx(other.beta, rel=1e-6) and found.runs < other.runs


def test_statistics_of_a_sample(tmp_path):
    with opened(tmp_path, lambda v: {"f": v["x"] + 2 * v["y"]}, {"x": Normal(1, 3), "y": Normal(2, 2)}) as s:
        found = s.run(hn.studies.sobol(2048)).statistics("f")
    assert found.mean == pytest.approx(5.0, abs=0.02) and found.std == pytest.approx(5.0, rel=0.01)
    assert found.quantiles[0.95] == pytest.approx(5.0 + 5.0 * norm.ppf(0.95), rel=0.01) and found.failed == 0


def test_wilson_interval():
    """The example of Brown, Cai and DasGupta (2001): 0 of 10 is 0 to 0.2775."""
    from holonom.studies.reliability import probability

    assert probability(np.zeros(10), None, 1.0) == pytest.approx((0.0, 0.0, 0.2775), abs=1e-4)


def test_worst_case(tmp_path):
    f = lambda v: {"f": v["a"] * v["b"] - (v["b"] - 0.2) ** 2}
    with opened(tmp_path, f, {"a": (-1.0, 1.0), "b": (-1.0, 1.0)}) as s:
        found = s.worst_case("f")
    # at a = 1: b - (b - 0.2)^2 is largest at b = 0.7; at a = 1, b = -1 least
    assert found.high == pytest.approx(0.45, abs=1e-8) and found.low == pytest.approx(-2.44)
    assert found.at_high == pytest.approx({"a": 1.0, "b": 0.7}, abs=1e-4)


def test_what_reliability_refuses(tmp_path):
    with opened(tmp_path, rp22, STANDARD) as s:
        for text, options in [
            ("give low or high, one of them", {}),
            ("give low or high, one of them", {"low": 0.0, "high": 1.0}),
            ("checks must be a whole number from 0, got -1", {"low": 0.0, "checks": -1}),
            ("low must be a number, got 'a'", {"low": "a"}),
        ]:
            with pytest.raises(ModelError, match=text):
                s.reliability("g", **options)
        with pytest.raises(ModelError, match="no measure 'h'"):
            s.reliability("h", low=0.0)
    with hn.Study(tmp_path / "b.study", rp22, {"x": (0.0, 1.0), "y": (0.0, 1.0)}, workers=0) as s:
        with pytest.raises(ModelError, match="no parameter has a distribution"):
            s.reliability("g", low=0.0)
    constant = {"x": StudyParameter("x", distribution=Uniform(0, 1))}
    with hn.Study(tmp_path / "c.study", lambda v: {"g": 1.0}, constant, workers=0) as s:
        with pytest.raises(ModelError, match="'g' does not change with the random parameters at x = 0.5"):
            s.reliability("g", low=0.0)
