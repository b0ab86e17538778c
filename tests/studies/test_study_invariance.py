"""A constant in the objective, and units of parameters, change no answer: the oracles are SciPy on the function itself
with exact derivatives, and certified values of NIST."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

import holonom as hn

BOUNDS = {"x": (-3.0, 3.0), "y": (-3.0, 3.0)}
LEAST = (15 / 11, -8 / 11)  # where both derivatives of the bowl vanish: 2 (x - 1) + y = 0, 6 (y + 0.5) + x = 0
VALUE = -31 / 44


def bowl(v):
    return (v["x"] - 1.0) ** 2 + 3.0 * (v["y"] + 0.5) ** 2 + v["x"] * v["y"]


def study(tmp_path, evaluate, parameters=None, **options):
    options = {"workers": 0, "progress": False} | options
    return hn.Study(tmp_path / "s.study", evaluate, parameters or BOUNDS, **options)


@pytest.mark.parametrize("shift", [1e6, -1e6])
@pytest.mark.parametrize("method", ["slsqp", "l_bfgs_b", "trust_constr", "feasible_directions"])
def test_a_constant_in_the_objective_does_not_end_a_search(tmp_path, method, shift):
    with study(tmp_path, lambda v: {"f": bowl(v) + shift}) as s:
        found = s.minimize("f", method=method)
    assert found.converged
    assert [found.parameters[n] for n in "xy"] == pytest.approx(LEAST, abs=1e-5)
    assert found.value - shift == pytest.approx(VALUE, abs=1e-8)


@pytest.mark.parametrize("method", ["differential_evolution", "particle_swarm"])
def test_a_constant_in_the_objective_does_not_end_a_population(tmp_path, method):
    if method == "particle_swarm":
        pytest.importorskip("pymoo")
    with study(tmp_path, lambda v: {"f": bowl(v) + 1e6}) as s:
        found = s.minimize("f", method=method, max_runs=3000, tolerance=1e-6)
    assert found.value - 1e6 == pytest.approx(VALUE, abs=2e-4)


def test_a_constant_changes_neither_the_worst_case_nor_robust_designs(tmp_path):
    with study(tmp_path, lambda v: {"f": bowl(v) + 1e6}) as s:
        worst = s.worst_case("f")
        assert worst.low - 1e6 == pytest.approx(VALUE, abs=1e-8)
        assert worst.high - 1e6 == pytest.approx(49.75, abs=1e-8)  # at x = y = 3
        moved = s.minimize_robust("f", sigmas=1.0, scatter={"x": 0.1}, verify=0)
    with hn.Study(tmp_path / "t.study", lambda v: {"f": bowl(v)}, BOUNDS, workers=0, progress=False) as s:
        best = s.minimize_robust("f", sigmas=1.0, scatter={"x": 0.1}, verify=0)
    assert moved.value - 1e6 == pytest.approx(best.value, abs=1e-7)
    assert [moved.parameters[n] for n in "xy"] == pytest.approx([best.parameters[n] for n in "xy"], abs=1e-4)


def test_random_quadratics_in_other_units_and_about_another_level(tmp_path):
    rng = np.random.default_rng(5)
    for trial in range(12):
        k = int(rng.integers(2, 4))
        A = rng.normal(size=(k, k))
        H, c = A @ A.T + 0.1 * np.eye(k), 3.0 * rng.normal(size=k)
        G, h = rng.normal(size=k), float(rng.uniform(0.1, 2.0))
        units, unit = 10.0 ** rng.integers(-5, 6, k), 10.0 ** float(rng.integers(-5, 6))
        level = unit * float(rng.choice([1e4, -1e5]))
        f = lambda x, H=H, c=c: float(0.5 * x @ H @ x + c @ x)
        names = [f"p{i}" for i in range(k)]

        def run(v, f=f, G=G, names=names, units=units, unit=unit, level=level):
            x = np.array([v[n] for n in names]) / units
            return {"f": unit * f(x) + level, "g": float(G @ x)}

        exact = minimize(
            f, np.zeros(k), jac=lambda x, H=H, c=c: H @ x + c, bounds=[(-4.0, 4.0)] * k, method="SLSQP",
            constraints={"type": "ineq", "fun": lambda x, G=G, h=h: h - G @ x, "jac": lambda x, G=G: -G},
            options={"ftol": 1e-14, "maxiter": 500},
        )  # fmt: skip
        bounds = {n: (-4.0 * u, 4.0 * u) for n, u in zip(names, units)}
        with hn.Study(tmp_path / f"{trial}.study", run, bounds, workers=0, progress=False) as s:
            found = s.minimize("f", subject_to={"g": (None, h)})
        assert found.converged and found.feasible
        assert (found.value - level) / unit == pytest.approx(exact.fun, abs=1e-5 * (1.0 + abs(exact.fun)))


def cube(v):
    a, b, c = (2.0 * v[n] - 1.0 for n in "abc")
    return {"f": 3.0 * a + 4.0 * a * b * c, "g": 3.0 * a + a * b}


def test_shares_of_effects_are_of_the_measure(tmp_path):
    with study(tmp_path, cube, dict.fromkeys("abc", (0.0, 1.0))) as s:
        table = s.run(hn.studies.full_factorial(2))
        with pytest.warns(UserWarning, match="64 % of the sum of squares are in none of these terms"):
            first = table.effects("f")[0]
        assert first == ("a", pytest.approx(6.0), pytest.approx(9.0 / 25.0))  # 3^2 of 3^2 + 4^2
        shares = {term: share for term, _, share in table.effects("g")}
        assert shares["a"] == pytest.approx(0.9) and shares["a x b"] == pytest.approx(0.1)


def test_tables_keep_parameters_and_measures_named_as_their_columns(tmp_path):
    run = lambda v: {"cpu": v["status"] + 2.0 * v["run"], "time": 3.0}
    names = {"status": (0.0, 1.0), "run": (5.0, 6.0)}
    with study(tmp_path, run, names) as s:
        table = s.run(hn.studies.full_factorial(2))
        frame = table.to_dataframe()
        for name in ("status", "run", "cpu", "time"):
            assert frame[name].tolist() == table[name].tolist()
        assert frame["run of the run"].tolist() == [0, 1, 2, 3] and set(frame["status of the run"]) == {"ok"}
        path = table.to_csv(tmp_path / "runs.csv")
    with hn.Study(tmp_path / "again.study", run, names, workers=0, progress=False) as s:
        assert s.run(hn.studies.read_points(path))["cpu"].tolist() == table["cpu"].tolist()


def test_points_of_a_file_without_a_column_of_a_parameter(tmp_path):
    path = tmp_path / "points.csv"
    with study(tmp_path, lambda v: {"f": v["x"] + v["y"]}) as s:
        path.write_text("X,y\n1,2\n")
        with pytest.warns(UserWarning, match="no column 'x', so that all its points have nominal values there; its "):
            assert s.run(hn.studies.read_points(path))["f"].tolist() == [2.0]
        path.write_text(" x , y \n1, 2\n")
        assert s.run(hn.studies.read_points(path))["f"].tolist() == [3.0]
        path.write_text("x,y\n")
        with pytest.raises(hn.ModelError, match="has no points below its first line"):
            s.run(hn.studies.read_points(path))
