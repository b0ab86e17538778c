"""The bogie of Cooperrider whose critical speed is published; coefficients of other theories; commands that refuse
before they run."""

import numpy as np
import pytest
from typer.testing import CliRunner

import holonom as hn
from holonom.cli import app
from holonom.model import ModelError
from holonom.rail import cone, cooperrider, growth_rate, least_damped, round_head
from holonom.rail.cooperrider_bogie import PUBLISHED, critical_of_equations, equations


def test_published_critical_speed():
    """68.66 m/s: the printed equations in NumPy to what data in three digits allow; wheels on rails, which roll and
    weigh too, swing alike and change sign within 2 %."""
    assert critical_of_equations() == pytest.approx(PUBLISHED, rel=5e-4)
    model, _ = cooperrider(0.99 * PUBLISHED)
    below = least_damped(model, 1.0, 6.0)
    values = np.linalg.eigvals(equations(0.99 * PUBLISHED))
    hunting = values[np.argmax(np.where(values.imag > 1.0, values.real, -np.inf))]
    assert (
        below.imag == pytest.approx(hunting.imag, rel=0.01)
        and below.real == pytest.approx(hunting.real, abs=0.12)
        and below.real < 0.0
    )
    assert least_damped(cooperrider(1.02 * PUBLISHED)[0], 1.0, 6.0).real > 0.0


@pytest.mark.slow
@pytest.mark.parametrize("speed", [64.0, 75.0])
def test_it_swings_so_in_time(speed):
    model, bogie = cooperrider(speed, y=2e-4)
    run = hn.simulate(model, end=2.5, steps=500, integrator="RADAU5", error=1e-6)
    late = run.time > 0.5
    swing = run.part(bogie.wheelsets[1].part.name).position.values[:, 1]
    assert growth_rate(run.time[late], swing[late]) == pytest.approx(least_damped(model, 1.0, 6.0).real, abs=0.1)


def test_coefficients_are_refused():
    m = hn.Model("rails")
    track = m.rail_track(rail=round_head(0.3))
    axle = m.part("axle", 1000.0, (1.0,) * 3, (0, 0, 0.46))
    for wrong in ((1.0, 2.0, 3.0), (0.0, 1.0, 1.0, 1.0), (1.0, 1.0, -1.0, 0.0)):
        with pytest.raises(ModelError, match="coefficients is .*give C_11, C_22, C_23, C_33"):
            m.wheel_rail(axle.cm, track, side="LEFT", radius=0.46, profile=cone(0.05), coefficients=wrong)


@pytest.mark.parametrize(
    "words, sentence",
    [
        (["curve", "--factor", "0"], "--factor is 0; give a positive number"),
        (["curve", "--loads", "nowhere/body.csv"], "there is no folder 'nowhere'"),
        (["curve", "--plot", "curve.xyz"], "ends with no kind of picture"),
        (["coach", "--plot", "nowhere/coach.png"], "there is no folder 'nowhere'"),
        (["conicity", "--csv", "."], "is a folder; give a file"),
    ],
)
def test_refused_before_the_run(words, sentence):
    out = CliRunner().invoke(app, ["rail", *words])
    assert out.exit_code == 2 and sentence in " ".join(out.output.split())
