"""Robust optimisation against closed forms, integrals and a published reliability-based optimum."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize, minimize_scalar
from scipy.stats import norm

import holonom as hn
from holonom.model import ModelError
from holonom.studies import LogNormal, Normal, StudyParameter, Uniform

NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(60)
WEIGHTS = WEIGHTS / WEIGHTS.sum()


def opened(tmp_path, function, space, name="a", **options):
    return hn.Study(tmp_path / f"{name}.study", function, space, workers=0, **options)


def noisy(v):
    return {"f": (v["x"] - 2) ** 2 + 0.5 * v["x"] * v["z"], "d f/d x": 2 * (v["x"] - 2) + 0.5 * v["z"]}


@pytest.mark.parametrize("estimate, rel", [("quadrature", 1e-6), ("linear", 1e-6), ("sample", 0.01)])
def test_mean_plus_sigmas_of_a_noise_parameter(tmp_path, estimate, rel):
    """(x - 2)^2 + z x / 2, z standard normal: mean + k x / 2 is least at x = 2 - k / 4."""
    space = {"x": (0.0, 5.0), "z": Normal(0, 1)}
    with opened(tmp_path, noisy, space) as s:
        found = s.minimize_robust("f", sigmas=2.0, estimate=estimate, count=256)
        again = s.minimize_robust("f", sigmas=2.0, estimate=estimate, count=256)
        assert len(s.results()) == found.runs  # the second is answered from the store
    assert again.parameters == found.parameters and again.value == found.value
    assert found.converged and "exact derivatives" in found.message
    assert found.parameters["x"] == pytest.approx(1.5, rel=rel) and found.value == pytest.approx(1.75, rel=rel)
    assert found.parameters["z"] == 0.0 and found.spread["f"].nominal == pytest.approx(0.25, rel=10 * rel)
    assert found.spread["f"].mean == pytest.approx(0.25, abs=rel)
    assert found.spread["f"].std == pytest.approx(0.75, rel=rel)
    assert found.sample["f"].std == pytest.approx(0.75, rel=0.05)


def steep(v):  # the tolerance of x becomes a deviation of the cube of x
    return {"f": (v["x"] ** 2 - 4) ** 2 / 8 + v["x"], "g": v["x"] ** 3}


def moments(f, x, std):
    y = f(x + std * NODES)
    mean = WEIGHTS @ y
    return mean, math.sqrt(WEIGHTS @ (y - mean) ** 2)


@pytest.mark.parametrize("method", ["slsqp", "differential_evolution"])
def test_deviations_of_the_design(tmp_path, method):
    """Polynomials of degree four of one deviation: five Gauss points are exact; the reference has 60."""
    f = lambda x: (x**2 - 4) ** 2 / 8 + x
    robust = lambda x: moments(f, x, 0.2)[0] + 3 * moments(f, x, 0.2)[1]
    best = minimize_scalar(robust, bounds=(0.5, 3.0), method="bounded", options={"xatol": 1e-12})
    with opened(tmp_path, steep, {"x": (0.5, 3.0)}) as s:
        found = s.minimize_robust("f", scatter={"x": 0.2}, method=method, start={"x": 1.2}, max_runs=5000)
    assert found.value == pytest.approx(best.fun, rel=1e-7) and found.parameters["x"] == pytest.approx(best.x, rel=1e-3)
    assert found.feasible and found.failed == 0


def test_limits_hold_with_sigmas(tmp_path):
    """g = x^3 of mean - 3 std at 1: at the solution the limit is active; nominal bounds may be left by the scatter."""
    with opened(tmp_path, steep, {"x": (0.5, 1.6)}) as s:
        found = s.maximize_robust("g", scatter={"x": 0.1}, subject_to={"g": (None, 4.0)}, estimate="quadrature")
        assert not s.results().failed
    mean, std = moments(lambda x: x**3, found.parameters["x"], 0.1)
    assert mean + 3 * std == pytest.approx(4.0, rel=1e-6) and found.spread["g"].high == pytest.approx(4.0, rel=1e-6)
    assert found.value == pytest.approx(mean - 3 * std, rel=1e-6)
    with opened(tmp_path, steep, {"x": (0.5, 1.6)}, "b") as s:
        at_end = s.maximize_robust("g", scatter={"x": 0.1})
        assert at_end.parameters["x"] == pytest.approx(1.6) and max(s.results()["x"]) > 1.7


def test_a_flat_optimum_wins_over_a_sharp_one(tmp_path):
    f = lambda x: -np.exp(-(((x - 1) / 0.1) ** 2)) - 0.8 * np.exp(-((x - 3) ** 2))
    with opened(tmp_path, lambda v: {"f": f(v["x"])}, {"x": (0.0, 4.0)}, seed=3) as s:
        plain = s.minimize("f", start={"x": 1.05})
        found = s.minimize_robust(
            "f", scatter={"x": 0.2}, sigmas=1.0, estimate="sample", count=64, method="differential_evolution",
            population=10, max_runs=20_000, tolerance=1e-4,
        )  # fmt: skip
    assert plain.parameters["x"] == pytest.approx(1.0, abs=1e-3)
    best = minimize_scalar(lambda x: sum(moments(f, x, 0.2)), bounds=(2, 4), method="bounded").x
    assert found.parameters["x"] == pytest.approx(best, abs=0.05)


@pytest.mark.parametrize("estimate", ["corners", "linear"])
def test_worst_case_of_tolerances(tmp_path, estimate):
    """A lever a / b within limits: the extremes of a ratio are at the corners of the tolerances."""
    f = lambda v: {"ratio": v["a"] / v["b"], "cost": (v["a"] - 1) ** 2 + (v["b"] - 1) ** 2}
    tolerances = {"a": Uniform(-0.1, 0.1), "b": Uniform(-0.02, 0.05)}
    with opened(tmp_path, f, {"a": (1.0, 4.0), "b": (0.5, 2.0)}) as s:
        found = s.minimize_robust(
            "cost", criterion="worst_case", scatter=tolerances, estimate=estimate, subject_to={"ratio": (1.5, None)},
            start={"a": 3.0},
        )  # fmt: skip
    a, b = found.parameters["a"], found.parameters["b"]
    worst = (a - 0.1) / (b + 0.05)
    assert found.converged and found.feasible
    assert worst == pytest.approx(1.5, rel=1e-6 if estimate == "corners" else 0.02)
    if estimate == "corners":
        assert found.spread["ratio"].low == pytest.approx(worst) and "sample" not in found.message
        corners = [(a + da, b + db) for da in (-0.1, 0.1) for db in (-0.02, 0.05)]
        assert found.value == pytest.approx(max((x - 1) ** 2 + (y - 1) ** 2 for x, y in corners))


def youn(v):
    x, y = v["x"], v["y"]
    return {
        "cost": x + y, "g1": x * x * y / 20 - 1, "g2": (x + y - 5) ** 2 / 30 + (x - y - 12) ** 2 / 120 - 1,
        "g3": 80 / (x * x + 8 * y + 5) - 1,
    }  # fmt: skip


def test_reliability_based_optimum(tmp_path):
    """The mathematical problem of Youn and Choi (2004), deviations 0.3, index 3: published 6.7257 at (3.4391, 3.2866);
    the distance of each active limit state by another optimiser is 3 deviations."""
    space = {"x": StudyParameter("x", 5.0, (0.0, 10.0)), "y": StudyParameter("y", 5.0, (0.0, 10.0))}
    limits = {"g1": (0.0, None), "g2": (0.0, None), "g3": (0.0, None)}
    with opened(tmp_path, youn, space) as s:
        found = s.minimize_robust(
            "cost", criterion="reliability", sigmas=3.0, scatter={"x": 0.3, "y": 0.3}, subject_to=limits
        )
    assert found.converged and found.feasible and "central differences" in found.message
    assert found.value == pytest.approx(6.7257, abs=2e-4)
    assert found.parameters == pytest.approx({"x": 3.4391, "y": 3.2866}, abs=2e-3)
    at = lambda u: youn({n: found.parameters[n] + 0.3 * v for n, v in zip("xy", u)})
    for name, beta in (("g1", 3.0), ("g2", 3.0)):
        on = {"type": "eq", "fun": lambda u, name=name: at(u)[name]}
        nearest = [minimize(lambda u: u @ u, start, constraints=on) for start in ([-1, -1], [1, -1], [-1, 1])]
        assert math.sqrt(min(n.fun for n in nearest if n.success)) == pytest.approx(beta, abs=1e-3)
    rng = np.random.default_rng(0)
    values = at(rng.standard_normal((2, 1_000_000)))
    assert (values["g1"] < 0).mean() == pytest.approx(norm.sf(3.0), rel=0.3)  # first order
    assert (values["g3"] < 0).mean() < 1e-5


def test_reliability_of_lognormal_noise(tmp_path):
    """Section w against a lognormal load: w = load at -ln: the index is linear in ln, so the closed form is exact."""
    space = {"w": StudyParameter("w", 60.0, (1.0, 200.0)), "load": LogNormal(40, 8)}
    with opened(tmp_path, lambda v: {"w": v["w"], "margin": v["w"] / v["load"]}, space) as s:
        found = s.minimize_robust("w", criterion="reliability", sigmas=2.5, subject_to={"margin": (1.0, None)})
    s2 = math.log1p(0.2**2)
    assert found.parameters["w"] == pytest.approx(40 * math.exp(-s2 / 2 + 2.5 * math.sqrt(s2)), rel=1e-6)


def test_estimates_that_a_sample_contradicts(tmp_path):
    flat = lambda v: {"f": v["x"] ** 2}
    with opened(tmp_path, flat, {"x": (-1.0, 1.0)}) as s:
        found = s.minimize_robust("f", scatter={"x": 0.1}, estimate="linear", start={"x": 0.3})
        assert "the standard deviation of 'f' is" in found.message and "use estimate='sample'" in found.message
        assert "sample" not in s.minimize_robust("f", scatter={"x": 0.1}, start={"x": 0.3}).message
        best = s.minimize_robust("f", criterion="worst_case", scatter={"x": 0.1}, start={"x": 0.3})
        assert "'" not in best.message and best.parameters["x"] == pytest.approx(0.0, abs=1e-6)
    product = lambda v: {"f": v["x"] * v["y"]}
    with opened(tmp_path, product, {"x": (0.0, 1.0), "y": (0.0, 1.0)}, "b") as s:
        found = s.minimize_robust("f", scatter={"x": 0.1, "y": 0.1}, estimate="quadrature", start={"x": 0.1, "y": 0.1})
        assert "by the estimate 'quadrature'" in found.message
    hidden = lambda v: {"f": math.cos(v["x"]) + 0.01 * v["x"]}  # largest within its tolerance, not at an end
    with opened(tmp_path, hidden, {"x": (-0.2, 0.1)}, "c") as s:
        found = s.minimize_robust("f", criterion="worst_case", scatter={"x": Uniform(-0.4, 0.4)}, verify=64)
        assert "its extremes are not at corners" in found.message


def test_designs_whose_scatter_fails(tmp_path):
    """The best nominal design is at the edge of what runs: the robust one keeps away from it."""

    def edge(v):
        if v["x"] > 1.0:
            raise ValueError("too long")
        return {"f": -v["x"]}

    with opened(tmp_path, edge, {"x": (0.0, 2.0)}, stop_after=0, seed=1) as s:
        found = s.minimize_robust(
            "f", criterion="worst_case", scatter={"x": Uniform(-0.1, 0.1)}, method="differential_evolution",
            start={"x": 0.2}, max_runs=3000,
        )  # fmt: skip
    assert found.parameters["x"] == pytest.approx(0.9, abs=1e-3) and found.failed > 0


@pytest.mark.parametrize(
    "options, text",
    [
        ({}, "nothing scatters: give scatter="),
        ({"scatter": {"y": 1.0}}, "scatter: there is no parameter 'y'"),
        ({"scatter": {"x": -1.0}}, "scatter of 'x': the standard deviation must be above zero, got -1"),
        ({"scatter": {"n": 0.1}}, "scatter of 'n': the parameter is discrete"),
        ({"scatter": 3}, "scatter must be a mapping"),
        ({"scatter": {"x": 0.1}, "criterion": "sigmas"}, "no criterion 'sigmas'; did you mean 'sigma'"),
        ({"scatter": {"x": 0.1}, "estimate": "corners"}, "criterion 'sigma' has no estimate 'corners'"),
        ({"scatter": {"x": 0.1}, "sigmas": 0}, "sigmas must be a number between 0 and 40, got 0"),
        ({"scatter": {"x": 0.1}, "count": 1}, "count must be a whole number from 4, got 1"),
        ({"scatter": {"x": 0.1}, "subject_to": {"f": 1.0}}, "'f' scatters and cannot equal a number"),
        ({"scatter": {"x": 0.1}, "method": "nsga2"}, "'nsga2' does not minimise one objective"),
        ({"scatter": {"x": 0.1}, "method": "slsqp"}, "parameter 'n' is discrete"),
        ({"scatter": {"x": 0.1}, "runs": 3}, "robust optimisation: there is no option 'runs'"),
    ],
)
def test_what_it_refuses(tmp_path, options, text):
    space = {"x": (0.0, 1.0), "n": [1, 2]}
    with opened(tmp_path, lambda v: {"f": v["x"]}, space) as s:
        with pytest.raises(ModelError, match=text):
            s.minimize_robust("f", **options)
        with pytest.raises(ModelError, match="no measure 'g'; did you mean 'f'|no measure 'g'"):
            s.minimize_robust("g", scatter={"x": 0.1}, method="differential_evolution")
    with opened(tmp_path, lambda v: {"f": v["x"]}, {"x": Normal(0, 1)}, "b") as s:
        with pytest.raises(ModelError, match="no parameter of the design varies"):
            s.minimize_robust("f")


def bowl(v):
    x, y, z = v["x"], v["y"], v["z"]
    out = {"f": (x - 1) ** 2 * (1 + 0.2 * z) + (y - 0.5 * x) ** 2 + 0.1 * y**3 * z, "g": x + y + 0.1 * x * z}
    slopes = {
        "d f/d x": 2 * (x - 1) * (1 + 0.2 * z) - (y - 0.5 * x), "d f/d y": 2 * (y - 0.5 * x) + 0.3 * y * y * z,
        "d f/d z": 0.2 * (x - 1) ** 2 + 0.1 * y**3, "d g/d x": 1 + 0.1 * z, "d g/d y": 1.0, "d g/d z": 0.1 * x,
    }  # fmt: skip
    return out | (slopes if v["exact"] else {})


@pytest.mark.parametrize(
    "criterion, estimate",
    [("sigma", "quadrature"), ("sigma", "sample"), ("sigma", "linear"), ("worst_case", "corners"),
     ("worst_case", "linear"), ("reliability", None)],
)  # fmt: skip
def test_exact_derivatives_and_differences_agree(tmp_path, criterion, estimate):
    found = []
    for exact in (0.0, 1.0):
        space = {"x": (0.5, 3.0), "y": (0.5, 3.0), "z": hn.studies.Gumbel(0.5, 1.0), "exact": exact}
        with opened(tmp_path, bowl, space, f"b{exact:g}") as s:
            made = s.minimize_robust(
                "f", criterion=criterion, estimate=estimate, scatter={"x": Uniform(-0.1, 0.2)}, sigmas=2.0,
                subject_to={"g": (2.5, None)}, start={"x": 2.5, "y": 2.5},
            )  # fmt: skip
        found.append(made)
    plain, exact = found
    assert exact.value == pytest.approx(plain.value, rel=1e-6) and exact.runs < plain.runs
    assert exact.parameters["x"] == pytest.approx(plain.parameters["x"], abs=1e-3)
    assert plain.feasible and exact.feasible
