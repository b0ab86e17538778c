"""Indices of sensitivity against closed forms: Ishigami, g-function, linear functions, the flood model."""

import math

import numpy as np
import pytest

import holonom as hn
from holonom.model import ModelError
from holonom.studies import StudyParameter, Uniform

PI = math.pi
A, B = 7.0, 0.1


def ishigami(v):
    """Ishigami and Homma (1990), x uniform in -pi to pi."""
    x, y, z = v["x"], v["y"], v["z"]
    return {"f": math.sin(x) + A * math.sin(y) ** 2 + B * z**4 * math.sin(x)}


V1, V2 = 0.5 * (1 + B * PI**4 / 5) ** 2, A**2 / 8
V13 = B**2 * PI**8 * (1 / 18 - 1 / 50)
V = V1 + V2 + V13
CUBE = {n: (-PI, PI) for n in "xyz"}
WEIGHTS = [0.0, 1.0, 4.5, 9.0, 99.0]


def g_function(v):
    """Saltelli and Sobol (1995): product of (|4 x - 2| + a) / (1 + a)."""
    return {"f": math.prod((abs(4 * x - 2) + a) / (1 + a) for x, a in zip(v.values(), WEIGHTS))}


def opened(tmp_path, function, space, seed=0):
    return hn.Study(tmp_path / "a.study", function, space, workers=0, seed=seed)


def test_sobol_of_ishigami(tmp_path):
    pytest.importorskip("SALib")
    with opened(tmp_path, ishigami, CUBE) as s:
        found = s.sensitivity("sobol", count=1024, second_order=True)
    assert found.runs == 1024 * 8 and [n for n, _ in found.ranking("f")] == ["x", "y", "z"]
    f = found["f"]
    assert np.abs(f["first"] - np.array([V1, V2, 0]) / V).max() < 0.03
    assert np.abs(f["total"] - np.array([V1 + V13, V2, V13]) / V).max() < 0.03
    assert (np.abs(f["first"] - np.array([V1, V2, 0]) / V) < 1.5 * f["first_interval"] + 1e-9).all()
    assert found.second["f"][0, 2] == pytest.approx(V13 / V, abs=0.06)
    assert "first" in found.text() and "total_interval" in found.text()


def test_sobol_and_fast_of_the_g_function(tmp_path):
    pytest.importorskip("SALib")
    parts = np.array([1 / (3 * (1 + a) ** 2) for a in WEIGHTS])
    total = np.prod(1 + parts) - 1
    first = parts / total
    totals = [p * np.prod(1 + np.delete(parts, k)) / total for k, p in enumerate(parts)]
    with opened(tmp_path, g_function, {f"x{k}": (0.0, 1.0) for k in range(5)}) as s:
        sobol, fast = s.sensitivity("sobol", count=512), s.sensitivity("fast", count=400)
    assert np.abs(sobol["f"]["first"] - first).max() < 0.06 and np.abs(sobol["f"]["total"] - totals).max() < 0.06
    assert np.abs(fast["f"]["first"] - first).max() < 0.06


def test_screening_of_a_linear_function(tmp_path):
    """Elementary effects over the whole range are the coefficients times the ranges, without scatter."""
    pytest.importorskip("SALib")
    space = {"a": (0.0, 1.0), "b": (-2.0, 2.0), "c": StudyParameter("c", distribution=Uniform(0.0, 3.0)), "d": 5.0}
    with opened(tmp_path, lambda v: {"f": 3 * v["a"] - v["b"] + 0.1 * v["c"] + v["d"]}, space) as s:
        found = s.sensitivity("morris", count=8)
        assert found.parameters == ["a", "b", "c"] and found.runs == 8 * 4
        assert found["f"]["mu_star"] == pytest.approx([3.0, 4.0, 0.3], rel=0.1)
        assert found["f"]["mu"][:2] == pytest.approx([3.0, -4.0], rel=1e-9)
        assert np.abs(found["f"]["sigma"][:2]).max() < 1e-9
        assert [n for n, _ in found.ranking("f")] == ["b", "a", "c"]


def test_dgsm_of_ishigami(tmp_path):
    pytest.importorskip("SALib")
    with opened(tmp_path, ishigami, CUBE) as s:
        found = s.sensitivity("dgsm", count=600)["f"]
    squares = np.array([0.5 * (1 + 2 * B * PI**4 / 5 + B**2 * PI**8 / 9), A**2 / 2, 8 * B**2 * PI**6 / 7])
    assert found["derivative"] == pytest.approx(squares * (2 * PI) ** 2, rel=0.15)
    totals = np.array([V1 + V13, V2, V13]) / V
    assert (found["bound"] > totals - 0.05).all()  # total <= derivative / (pi^2 V)


def test_pawn_orders_parameters(tmp_path):
    pytest.importorskip("SALib")
    with opened(tmp_path, lambda v: {"f": 10 * v["x"] + 2 * v["y"] + 0.0 * v["z"]}, CUBE) as s:
        found = s.sensitivity("pawn", count=1000)
    assert [n for n, _ in found.ranking("f")] == ["x", "y", "z"]
    assert found["f"]["median"][0] > 0.4 and found["f"]["median"][2] < 0.2


def test_tornado_and_pareto_chart_of_effects(tmp_path):
    space = {"a": (0.0, 1.0), "b": (-2.0, 2.0), "c": StudyParameter("c", distribution=Uniform(0.0, 1.0))}
    with opened(tmp_path, lambda v: {"f": 3 * v["a"] - v["b"] + 0.1 * v["c"] + 2 * v["a"] * v["b"]}, space) as s:
        t = s.tornado()
        assert t.nominal["f"] == pytest.approx(1.55)
        rows = {r[0]: r[1:] for r in t.bars["f"]}
        assert [r[0] for r in t.bars["f"]] == ["a", "c", "b"] and rows["a"] == pytest.approx((0.0, 1.0, 0.05, 3.05))
        assert rows["c"] == pytest.approx((0.05, 0.95, 1.505, 1.595))
        assert "nominal 1.55" in t.text()
        rows = [{"a": a, "b": b} for a in (0.0, 1.0) for b in (-2.0, 2.0)]
        effects = s.run(rows).effects("f")
    # 3 a - b + 2 a b in a = 0.5 + A / 2, b = 2 B: constant + 1.5 A + 2 A B, so effects 3 and 4; b has none
    assert [e[0] for e in effects] == ["a x b", "a", "b"]
    assert [e[1] for e in effects] == pytest.approx([4.0, 3.0, 0.0], abs=1e-12)
    assert effects[0][2] == pytest.approx(16 / 25)


def test_what_sensitivity_refuses(tmp_path):
    pytest.importorskip("SALib")

    def partly(v):
        if v["x"] > 3.0:
            raise ModelError("too long")
        return ishigami(v)

    with opened(tmp_path, partly, CUBE) as s:
        for text, method, options in [
            ("no method of sensitivity 'sobl'; did you mean 'sobol'", "sobl", {}),
            ("must be a power of two, got 100", "sobol", {"count": 100}),
            ("'fast' has no second order", "fast", {"second_order": True}),
            (r"runs failed \(too long\), and 'sobol' needs all of them", "sobol", {"count": 64}),
            ("no measure 'g'", "pawn", {"measures": ["g"]}),
        ]:
            with pytest.raises(ModelError, match=text):
                s.sensitivity(method, **options)
        assert len(s.sensitivity("pawn", count=300)["f"]["median"]) == 3
