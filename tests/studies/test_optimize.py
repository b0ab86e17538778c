"""Optimisers on problems whose solutions are known, and a kill in the midst of one."""

import math
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from test_store import FILE, _count

import holonom as hn
from holonom.model import ModelError


def three_bar_truss(v):
    """Weight and stresses of the three-bar truss (Nowcki, 1974; RC20 of CEC 2020): least weight 263.89584338."""
    a, b = v["a"], v["b"]
    r = math.sqrt(2.0)
    return {
        "weight": (2 * r * a + b) * 100.0,
        "g1": (r * a + b) / (r * a * a + 2 * a * b) * 2.0 - 2.0,
        "g2": b / (r * a * a + 2 * a * b) * 2.0 - 2.0,
        "g3": 2.0 / (a + r * b) - 2.0,
    }


TRUSS = {"a": (0.01, 1.0), "b": (0.01, 1.0)}
LIMITS = {"g1": (None, 0.0), "g2": (None, 0.0), "g3": (None, 0.0)}


def gear_train(v):
    """Gear ratio 1/6.931 from four numbers of teeth (Sandgren, 1990; RC31): 2.700857e-12."""
    return {"error": (1 / 6.931 - v["p"] * v["q"] / (v["r"] * v["s"])) ** 2}


@pytest.mark.parametrize("method", ["slsqp", "differential_evolution"])
def test_three_bar_truss(tmp_path, method):
    with hn.Study(tmp_path / "a.study", three_bar_truss, TRUSS, workers=0) as s:
        found = s.minimize("weight", subject_to=LIMITS, method=method, max_runs=6000)
    assert found.converged and found.feasible and found.value == pytest.approx(263.89584338, rel=1e-6)
    assert found.violation <= 1e-8 * 1.0 and found.failed == 0
    assert found.parameters["a"] == pytest.approx(0.788675, abs=1e-3)


def test_whole_numbers(tmp_path):
    teeth = hn.studies.StudyParameter
    space = [teeth(n, bounds=(12, 60), integer=True) for n in "pqrs"]
    with hn.Study(tmp_path / "a.study", gear_train, space, workers=0, seed=1) as s:
        found = s.minimize("error", method="differential_evolution", max_runs=6000, tolerance=1e-6)
    assert found.value < 1e-8 and all(isinstance(v, int) for v in found.parameters.values())


def test_largest_value_under_an_equality(tmp_path):
    f = lambda v: {"f": v["x"] * v["y"], "sum": v["x"] + v["y"]}
    with hn.Study(tmp_path / "a.study", f, {"x": (0.0, 2.0), "y": (0.0, 2.0)}, workers=0) as s:
        found = s.maximize("f", subject_to={"sum": 2.0}, start={"x": 0.2, "y": 0.5})
        assert found.feasible and found.value == pytest.approx(1.0, abs=1e-7)
        least = s.minimize("f", subject_to={"sum": (5.0, None)}, max_runs=200)
        assert not least.feasible and "no point meets all constraints" in least.message


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e4])
def test_an_objective_that_is_zero_at_the_start(tmp_path, scale):
    with hn.Study(tmp_path / "a.study", lambda v: {"d": scale * v["x"]}, {"x": (-1.0, 1.0)}, workers=0) as s:
        assert s.maximize("d").parameters["x"] == pytest.approx(1.0)
        assert s.minimize("d").parameters["x"] == pytest.approx(-1.0)


def test_runs_that_fail_are_worst(tmp_path):
    def f(v):
        if v["x"] > 1.2:
            raise ModelError("too long")
        return {"f": v["x"] * (3.0 - v["y"])}

    with hn.Study(tmp_path / "a.study", f, {"x": (0.0, 2.0), "y": (0.0, 2.0)}, workers=0) as s:
        found = s.maximize("f", method="differential_evolution", max_runs=4000, tolerance=1e-7)
        assert found.value == pytest.approx(3.6, rel=1e-5) and found.failed > 0


def test_what_optimisers_refuse(tmp_path):
    with hn.Study(tmp_path / "a.study", three_bar_truss, TRUSS | {"c": hn.studies.Normal(0, 1)}, workers=0) as s:
        with pytest.raises(ModelError, match="'c' has no bounds"):
            s.minimize("weight")
    with hn.Study(tmp_path / "b.study", three_bar_truss, TRUSS, workers=0) as s:
        for text, name, options in [
            ("no measure 'wight'; did you mean 'weight'", "wight", {}),
            ("no optimiser 'sqp'; did you mean 'slsqp'", "weight", {"method": "sqp"}),
            ("allows nothing", "weight", {"subject_to": {"g1": (1, 0)}}),
            ("a limit must be a number", "weight", {"subject_to": {"g1": ("a", 0)}}),
            ("does not cover the first batch", "weight", {"method": "differential_evolution", "max_runs": 5}),
        ]:
            with pytest.raises(ModelError, match=text):
                s.minimize(name, **options)


@pytest.mark.slow
def test_an_optimiser_that_is_killed_takes_the_same_decisions(tmp_path):
    command = lambda name: [sys.executable, str(FILE), str(tmp_path / name), "differential_evolution"]
    env = os.environ | {"PYTHONPATH": str(Path(hn.__file__).parents[1])}
    whole = subprocess.run(command("whole.study"), capture_output=True, text=True, env=env, check=True)
    dice = random.Random(2)
    for _ in range(2):
        killed = subprocess.run(
            [*command("killed.study"), str(dice.randint(20, 120))], stdout=subprocess.DEVNULL, env=env
        )
        assert killed.returncode == -signal.SIGKILL
    assert 0 < _count(tmp_path / "killed.study") < 390
    last = subprocess.run(command("killed.study"), capture_output=True, text=True, env=env, check=True)
    assert last.stdout == whole.stdout and len(whole.stdout.strip()) == 64


def waves(v):
    """Minima at each period, the least at x = 0.7, y = -0.3; no run at x > 0.9."""
    if v["x"] > 0.9:
        raise ValueError("beyond the stop")
    x, y = v["x"] - 0.7, v["y"] + 0.3
    return {"f": 2.0 - math.cos(9 * x) - math.cos(9 * y) + x * x + y * y, "x2": v["x"] ** 2}


def test_several_starts_and_the_best_of_earlier_stages(tmp_path):
    space = {"x": (-1.0, 1.0), "y": (-1.0, 1.0)}
    start = {"x": -0.8, "y": 0.6}
    options = dict(start=start, max_runs=1500)
    with hn.Study(tmp_path / "a.study", waves, space, workers=0, progress=False) as s:
        with pytest.raises(ModelError, match="needs a run of an earlier stage that succeeded"):
            s.minimize("f", start="best", max_runs=10)
    with hn.Study(tmp_path / "b.study", waves, space, workers=0, progress=False) as s:
        one = s.minimize("f", **options)
        many = s.minimize("f", starts=16, **options)
        limited = s.minimize("f", subject_to={"x2": (None, 0.36)}, start="best", max_runs=200)
        for text, more in [
            ("starts must be a whole number from 1", {"starts": 0}),
            ("searches the whole space from one start", {"starts": 3, "method": "differential_evolution"}),
            ("a table of values or 'best', got 'bset'", {"start": "bset"}),
        ]:
            with pytest.raises(ModelError, match=text):
                s.minimize("f", **more)
        with pytest.raises(ModelError, match="start must be a mapping"):
            s.pareto({"f": "min", "x2": "min"}, start="best", method="nsga2", max_runs=100)
        digest = s.store.digest()
    assert one.value > 0.5 and "starts" not in one.message
    assert many.value < 1e-8 and many.converged and "the best of 16 starts" in many.message and many.runs <= 1500
    first = limited.parameters
    rows = [row for k in (1, 2) for row in hn.studies.load(tmp_path / "b.study", k) if row.ok]
    begin = min((row for row in rows if row.measures["x2"] <= 0.36 + 1e-8), key=lambda row: row.measures["f"])
    assert next(iter(hn.studies.load(tmp_path / "b.study", 3))).parameters == begin.parameters
    assert limited.feasible and limited.value <= begin.measures["f"]
    with hn.Study(tmp_path / "b.study", waves, space, workers=0, progress=False) as s:  # continued: the same decisions
        assert s.minimize("f", **options).parameters == one.parameters
        assert s.minimize("f", starts=16, **options).parameters == many.parameters
        assert s.minimize("f", subject_to={"x2": (None, 0.36)}, start="best", max_runs=200).parameters == first
        assert s.store.digest() == digest
