"""Rope on a drum: closed form, both models against it, units of the damping of contact, commands, bad input."""

import numpy as np
import pytest
from typer.testing import CliRunner

import holonom as hn
from holonom.cli import app
from holonom.flexible import Section, rod
from holonom.machinery import rope_on_drum, tension_ratio
from holonom.machinery.drum import END, pulls


def test_the_closed_form_solves_its_equation():
    """dT/d(angle) = mu R/(R + r) T, integrated by steps of a millionth of a turn."""
    mu, R, r, angle = 0.37, 0.1, 0.004, 2.2
    steps = 200_000
    assert tension_ratio(mu, angle, R, r) == pytest.approx((1 + mu * R / (R + r) * angle / steps) ** steps, rel=1e-5)
    assert tension_ratio(0.0, 3.0) == 1.0
    with pytest.raises(hn.ModelError, match="friction of a rope on a drum is -0.1; give a number from 0 on"):
        tension_ratio(-0.1, 1.0)
    with pytest.raises(hn.ModelError, match="radius of a rope on a drum is 0; give a positive number"):
        tension_ratio(0.1, 1.0, 0)


@pytest.mark.parametrize("words, given", [
    ("the model of a rope is 'chain'; give rod or cable", {"model": "chain"}), ("nodes on half a turn of a rope are 3", {"nodes": 3}),
    ("turns of a rope on a drum is 0", {"turns": 0}), ("friction of a rope on a drum is nan", {"friction": float("nan")}),
])  # fmt: skip
def test_what_cannot_be(words, given):
    with pytest.raises(hn.ModelError, match=words):
        rope_on_drum(**given)


def test_the_damping_of_a_contact_is_the_same_in_all_units():
    """Of one rope drawn in metres and in millimetres: N s/mm is a thousandth of N s/m."""
    found = []
    for units, f in (("SI", 1.0), ("mm", 1e3)):
        m = hn.Model(units=units)
        rope = rod(m, [(0, 0, 0), (f, 0, 0)], Section.round(0.005 * f), E=1e8 / f**2, density=1200.0 / f**3, elements=10)
        touch = rope.touch(m.plane(m.ground, (0, 0, -0.01 * f), (0, 0, 1)), mu=0.3)
        assert touch.stiffness * f == pytest.approx(1e8 * np.pi * 0.005**2 / 0.1)
        found.append(touch.damping * f)
    assert found[1] == pytest.approx(found[0], rel=1e-12)
    assert found[0] == pytest.approx(np.sqrt(1e8 * np.pi * 0.005**2 / 0.1 * 1200 * np.pi * 0.005**2 * 0.1))


@pytest.mark.slow
@pytest.mark.parametrize("model, friction, turns", [("rod", 0.2, 0.5), ("rod", 0.3, 1.0), ("cable", 0.3, 0.5)])
def test_euler_and_eytelwein(model, friction, turns):
    run = hn.simulate(rope_on_drum(friction, turns, model=model), end=END * turns, steps=60, error=1e-4)
    load, pull = pulls(run)
    assert load == pytest.approx(10.0, rel=5e-3)
    assert pull / load == pytest.approx(tension_ratio(friction, 2 * np.pi * turns, 0.1, 0.001), rel=1e-2)


@pytest.mark.slow
def test_the_commands(tmp_path):
    page = tmp_path / "rope.html"
    told = CliRunner().invoke(app, ["flexible", "rope", "--friction", "0.3", "--turns", "0.5", "--report", str(page)])
    assert told.exit_code == 0 and "2.5425" in told.output and page.stat().st_size > 100_000
    ratio, want = map(float, told.output.splitlines()[1].split()[4:6])
    assert ratio == pytest.approx(want, rel=0.01)
    told = CliRunner().invoke(app, ["flexible", "belt", "--model", "cable", "--report", str(tmp_path / "belt.html")])
    assert told.exit_code == 0 and "creep" in told.output
    moments = [line.split() for line in told.output.splitlines() if "N m" in line]
    assert all(float(line[-4]) == pytest.approx(4.0, rel=0.02) for line in moments) and len(moments) == 2
