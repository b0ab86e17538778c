"""Numbers of studies against closed forms, in any units, and what a search claims of them."""

import math

import numpy as np
import pytest

import holonom as hn

SQUARE = {"x": (-2.0, 2.0), "y": (-2.0, 2.0)}


def opened(tmp_path, function, space, name="a.study", **options):
    return hn.Study(tmp_path / name, function, space, workers=0, stop_after=0, progress=False, **options)


# ---- limits ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("unit", [1e-9, 1.0, 1e9])
def test_limits_are_kept_in_all_units(tmp_path, unit):
    """The least x + y in the unit circle is -sqrt(2), whatever the unit of the radius and whether zero is the limit."""
    f = lambda v: {"f": v["x"] + v["y"], "g": unit * (v["x"] ** 2 + v["y"] ** 2), "h": unit * (math.hypot(*v.values()) - 1)}
    limits = {"slsqp": {"g": unit}, "feasible_directions": {"h": (None, 0.0)}, "trust_constr": {"g": (None, unit)}}
    for method, limit in limits.items():
        with opened(tmp_path, f, SQUARE, f"{method}.study") as s:
            found = s.minimize("f", subject_to=limit, method=method, start={"x": 0.5, "y": -0.3})
        assert found.feasible and found.converged and found.value == pytest.approx(-math.sqrt(2), abs=1e-5), method
        assert found.violation <= 1e-7 * unit


@pytest.mark.parametrize("unit", [1e-9, 1e9])
def test_runs_beyond_a_limit_of_small_units_are_not_feasible(tmp_path, unit):
    with opened(tmp_path, lambda v: {"f": v["x"], "g": unit * v["x"]}, {"x": (0.0, 3.0), "y": (0.0, 1.0)}) as s:
        found = s.minimize("f", subject_to={"g": (4.0 * unit, None)})
        assert not found.feasible and "no point meets all constraints" in found.message
        evolved = s.minimize("f", subject_to={"g": (2.0 * unit, None)}, method="differential_evolution", max_runs=400)
    assert evolved.feasible and evolved.parameters["x"] >= 2.0 - 1e-7


@pytest.mark.parametrize("rule", ["subject_to", "where"])
def test_pattern_search_follows_edges(tmp_path, rule):
    """x^2 + y^2 with x + y >= 1 is least at (0.5, 0.5); all steps along the axes from (1, 0) are worse or beyond."""
    f = lambda v: {"f": v["x"] ** 2 + v["y"] ** 2, "g": v["x"] + v["y"]}
    options = {"where": ["x + y >= 1"]} if rule == "where" else {}
    limits = {"subject_to": {"g": (1.0, None)}} if rule == "subject_to" else {}
    with opened(tmp_path, f, SQUARE, **options) as s:
        found = s.minimize("f", method="pattern_search", start={"x": 1.0, "y": 0.0}, **limits)
    assert found.feasible and found.value == pytest.approx(0.5, rel=0.02)
    assert "edge of limits" in found.message
