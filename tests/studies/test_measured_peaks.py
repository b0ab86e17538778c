"""Largest loads of measures are those along the steps of the solver, whatever the number of output rows."""

import math
import warnings

import pytest

import holonom as hn
from holonom.studies import Measure

STEPS = (40, 45)


def ball(steps):
    model = hn.Model("ball", "SI")
    model.gravity = (0, 0, -9.81)
    ball = model.part("ball", shape=hn.shapes.sphere((0, 0, 0.3), 0.1), density=100.0)
    model.plane(model.ground, (0, 0, 0), (0, 0, 1), size=1.0)
    model.contact(ball, model.ground, "IMPACT", "touch", stiffness=1e5, damping=0.0, dmax=1e-3, exponent=1.0)
    return hn.simulate(model, end=0.3, steps=steps)


@pytest.fixture(scope="module")
def runs():
    return [ball(steps) for steps in STEPS]


def said(measure, run):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        value = measure(run)
    return value, " ".join(str(w.message) for w in caught)


@pytest.mark.parametrize("reduce", ["peak", "max", "range"])
def test_the_peak_of_an_impact_does_not_depend_on_output_rows(runs, reduce):
    """Oracle: v = sqrt(2 g h), F = m g + sqrt((m g)^2 + k m v^2) of a mass on a linear spring."""
    mass, g, k = 100.0 * 4 / 3 * math.pi * 0.1**3, 9.81, 1e5
    weight = mass * g
    exact = weight + math.sqrt(weight**2 + k * mass * 2 * g * 0.2)
    for run in runs:
        value, words = said(Measure("touch.force", reduce, scale=2.0), run)
        assert value == pytest.approx(2 * exact, rel=2e-2) and not words
        assert value == 2 * run.reactions(contacts=True)["touch"]["peak_force"]


def test_the_time_of_a_peak_is_that_of_a_step_and_the_least_of_rows(runs):
    for run in runs:
        time = run.reactions(contacts=True)["touch"]["force_time"]
        assert Measure("touch.force", "time of peak")(run) == time
        assert Measure("CONTACT/1.force", "time of max", start=0.1)(run) == time
        assert said(Measure("touch.force", "min"), run) == (0.0, "")


def test_components_other_quantities_and_windows_without_the_peak_warn(runs):
    for run in runs:
        row = run.reactions(contacts=True)["touch"]
        for measure in (
            Measure("touch.force.z", "max"),
            Measure("touch.normal", "peak"),
            Measure("touch.force", "peak", end=0.1),
        ):
            value, words = said(measure, run)
            assert value <= row["row_force"] < row["peak_force"] / 1.05
            assert "that of the output rows" in words and f"{row['peak_force']:.6g} N" in words
