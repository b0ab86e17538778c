"""Surrogates against polynomials, refits without a run or a term, and published optima."""

import math

import numpy as np
import pytest

import holonom as hn
from holonom.model import ModelError
from holonom.studies import StudyParameter
from holonom.studies.surrogate import Kriging, _between_slopes, _matern, _of_slopes

SPACE = {"a": (0.0, 2.0), "b": (-1.0, 1.0)}


def polynomial(v):
    a, b = v["a"] - 1.0, v["b"]
    return {"f": 3.0 + 2.0 * a - b + 0.5 * a * b + 4.0 * b * b}


def noisy(v, seed):
    return {"f": polynomial(v)["f"] + 0.3 * np.random.default_rng(seed).standard_normal()}


def branin(v):
    """Least value 0.397887 (Dixon and Szego, 1978)."""
    x, y = v["x"], v["y"]
    f = (y - 5.1 / (4 * math.pi**2) * x * x + 5 / math.pi * x - 6) ** 2
    return {"f": f + 10 * (1 - 1 / (8 * math.pi)) * math.cos(x) + 10, "sum": x + y}


def table(tmp_path, function, space, design):
    with hn.Study(tmp_path / "a.study", function, space, workers=0) as study:
        study.run(design)
    return hn.studies.load(tmp_path / "a.study")


def test_response_surface_of_a_polynomial(tmp_path):
    rows = table(tmp_path, polynomial, SPACE, hn.studies.central_composite("faced", centers=2))
    found = rows.fit("f", "quadratic")
    names = ["1", "a", "b", "a x b", "a^2", "b^2"]
    assert [t.name for t in found.terms] == names
    assert [t.coefficient for t in found.terms] == pytest.approx([3, 2, -1, 0.5, 0, 4], abs=1e-12)
    assert found.r2 == pytest.approx(1.0) == found.q2 and found({"a": 1.7, "b": 0.3}) == pytest.approx(
        polynomial({"a": 1.7, "b": 0.3})["f"]
    )


def test_analysis_of_variance(tmp_path):
    """The sum of squares of a term is what the residuals grow by without it, t^2 is F; left out runs by refits."""
    found = table(tmp_path, noisy, SPACE, hn.studies.latin_hypercube(24)).fit("f", "quadratic")
    x = 2 * found.X - 1
    A = np.column_stack([np.ones(24), x, x[:, 0] * x[:, 1], x**2])
    rest = lambda M, y: float(np.linalg.lstsq(M, y, rcond=None)[1][0])
    full = rest(A, found.y)
    for k, term in enumerate(found.terms):
        grown = rest(np.delete(A, k, 1), found.y) - full
        assert term.squares == pytest.approx(grown, rel=1e-8)
        assert term.t**2 == pytest.approx(grown / (full / 18), rel=1e-8)
    assert found.r2 == pytest.approx(1 - full / ((found.y - found.y.mean()) ** 2).sum())
    for k in range(24):
        c = np.linalg.lstsq(np.delete(A, k, 0), np.delete(found.y, k), rcond=None)[0]
        assert found.left_out()[k] == pytest.approx(A[k] @ c, rel=1e-8)
    assert found.std == pytest.approx(0.3, rel=0.4) and "R2" in found.text()


def test_radial_basis_reproduces_planes(tmp_path):
    f = lambda v: {"f": 2 * v["a"] - 3 * v["b"] + 1}
    found = table(tmp_path, f, SPACE, hn.studies.halton(20)).fit("f", "rbf")
    assert found({"a": 0.3, "b": 0.4}) == pytest.approx(0.4) and found.q2 == pytest.approx(1.0)


def test_kriging(tmp_path):
    f = lambda v: {"f": math.sin(3 * v["a"]) + 0.2 * v["b"]}
    found = table(tmp_path, f, SPACE, hn.studies.sobol(32)).fit("f")
    assert found.values(found.X) == pytest.approx(found.y, abs=1e-3)  # it passes through the runs
    assert found.lengths[0] < found.lengths[1] and found.q2 > 0.99
    point = {"a": 0.37, "b": 0.11}
    assert found(point) == pytest.approx(f(point)["f"], abs=0.02) and 0 < found.std(point) < 0.1
    left = found.left_out()
    for k in (0, 7, 31):  # the same lengths without a run
        X, z = np.delete(found.X, k, 0), np.delete(found.y, k)
        R = _matern(X, X, found.lengths) + found.noise * np.eye(31)
        one = np.linalg.solve(R, np.ones(31))
        trend = one @ z / one.sum()
        r = _matern(found.X[k : k + 1], X, found.lengths)[0]
        assert left[k] == pytest.approx(trend + r @ np.linalg.solve(R, z - trend), abs=1e-6)
    assert isinstance(found, Kriging) and "kriging surrogate of 'f' from 32 runs" in repr(found)


def test_optimum_on_the_surrogate_is_run_on_the_model(tmp_path):
    space = {"x": (-5.0, 10.0), "y": (0.0, 15.0)}
    with hn.Study(tmp_path / "a.study", branin, space, workers=0, seed=2) as s:
        found = s.optimize_on_surrogate("f", design=hn.studies.latin_hypercube(30), rounds=8, tolerance=1e-4)
        digest = s.store.digest()
    assert found.value == pytest.approx(0.397887, abs=0.02) and found.runs <= 38
    assert found.value == branin(found.parameters)["f"] and found.feasible
    with hn.Study(tmp_path / "a.study", branin, space, workers=0, seed=2) as s:
        again = s.optimize_on_surrogate("f", design=hn.studies.latin_hypercube(30), rounds=8, tolerance=1e-4)
        assert again.parameters == found.parameters and s.store.digest() == digest


def test_constraint_on_a_surrogate(tmp_path):
    f = lambda v: {"f": v["a"] + v["b"], "g": v["a"] * v["a"] + v["b"] * v["b"]}
    space = {"a": (-2.0, 2.0), "b": (-2.0, 2.0), "c": 1.0}
    with hn.Study(tmp_path / "a.study", f, space, workers=0) as s:
        design = hn.studies.latin_hypercube(16)
        found = s.optimize_on_surrogate("f", subject_to={"g": (None, 2.0)}, maximize=True, design=design,
                                        kind="quadratic")  # fmt: skip
    assert found.converged and found.value == pytest.approx(2.0, abs=1e-4)


def test_what_surrogates_refuse(tmp_path):
    rows = table(tmp_path, polynomial, SPACE, hn.studies.full_factorial(2))
    for text, measure, kind in [
        ("no surrogate 'krigin'; did you mean 'kriging'", "f", "krigin"),
        ("no run has a measure 'g'", "g", "rbf"),
        ("6 terms need more than 6 runs that tell them apart, got 4", "f", "quadratic"),
        ("2 parameters need 5 runs or more, got 4", "f", "rbf"),
    ]:
        with pytest.raises(ModelError, match=text):
            rows.fit(measure, kind)


def hills(v):
    """A function of two parameters, one on a logarithmic range, with its derivatives."""
    a, b = v["a"], v["b"]
    f = math.sin(3.0 * a) * math.log(b) + 0.3 * a * b
    return {"f": f, "d f/d a": 3.0 * math.cos(3.0 * a) * math.log(b) + 0.3 * b,
            "d f/d b": math.sin(3.0 * a) / b + 0.3 * a}  # fmt: skip


def test_kriging_with_derivatives(tmp_path):
    """The surrogate has the values and the derivatives of the runs, and predicts others better than without; runs that
    are left out are predicted as by a surrogate of the others with the same lengths."""
    space = {"a": (-1.0, 1.0), "b": StudyParameter("b", bounds=(1.0, 5.0), log=True)}
    with hn.Study(tmp_path / "a.study", hills, space, workers=0, seed=3) as s:
        table = s.run(hn.studies.latin_hypercube(12))
        found = table.fit("f")
        assert found.slopes is not None and "12 runs and their derivatives" in repr(found)
        plain = Kriging(found.space, "f", found.X, found.y)
        for row in table.rows[:4]:
            p = row.parameters
            assert found(p) == pytest.approx(row.measures["f"], abs=2e-4)
            for name, h in (("a", 1e-4), ("b", 1e-4)):
                slope = (found(p | {name: p[name] + h}) - found(p | {name: p[name] - h})) / (2 * h)
                assert slope == pytest.approx(row.measures[f"d f/d {name}"], abs=5e-3)
            assert found.std(p) < 1e-2
    rng = np.random.default_rng(0)
    points = [{"a": a, "b": b} for a, b in zip(rng.uniform(-1, 1, 200), rng.uniform(1, 5, 200))]
    errors = [np.array([surface(p) - hills(p)["f"] for p in points]) for surface in (found, plain)]
    assert errors[0].std() < 0.35 * errors[1].std() and found.rmse < plain.rmse
    i = 5
    rest = np.delete(np.arange(12), i)
    other = Kriging.__new__(Kriging)
    other.space, other.X, other.y, other.slopes, other.count = (
        found.space,
        found.X[rest],
        found.y[rest],
        found.slopes[rest],
        11,
    )
    other._mean, other._size = found._mean, found._size
    other._z = np.concatenate([(other.y - other._mean) / other._size, other.slopes.ravel() / other._size])
    other._ones = np.concatenate([np.ones(11), np.zeros(22)])
    other.lengths = found.lengths
    other._prepare(np.append(np.log(found.lengths), np.log10(found.noise)))
    assert other.values(found.X[i])[0] == pytest.approx(found.left_out()[i], abs=1e-6)


def test_correlations_of_derivatives_are_those_of_the_function():
    """By differences of the Matern function."""
    rng, lengths, h = np.random.default_rng(1), np.array([0.4, 1.1]), 1e-5
    A, B = rng.random((2, 4, 2))
    for k, e in enumerate(np.eye(2) * h):
        slope = (_matern(A, B + e, lengths) - _matern(A, B - e, lengths)) / (2 * h)
        assert np.abs(_of_slopes(A, B, lengths)[:, k::2] - slope).max() < 1e-8
        both = (_of_slopes(A + e, A, lengths) - _of_slopes(A - e, A, lengths)) / (2 * h)
        assert np.abs(_between_slopes(A, lengths)[k::2] - both).max() < 2e-4  # r = 0 has a bend of third order
