"""CURVE by a routine: a bead on an ellipse, against the same curve given by points, from the builder and from a
dataset."""

import numpy as np
import pytest

import holonom as hn
from holonom.formats.adams import parse_adm


def ellipse(call):
    return 0.5 * np.cos(call.alpha), 0.3 * np.sin(call.alpha), 0.0


def bead(by_routine):
    m = hn.Model("bead", units="SI")
    m.gravity = (0.0, -9.81, 0.0)
    b = m.part("bead", 1.0, (0.01, 0.01, 0.01), (0.5, 0, 0))
    if by_routine:
        curve = m.curve(ellipse, closed=True, lower=0.0, upper=2 * np.pi, name="way")
    else:
        a = np.linspace(0.0, 2 * np.pi, 241)
        curve = m.curve(np.column_stack([0.5 * np.cos(a), 0.3 * np.sin(a), 0 * a]), closed=True, order=6, name="way")
    m.point_on_curve(b.cm, m.marker_at(m.ground, (0, 0, 0)), curve)
    return m


def test_a_routine_gives_the_curve_that_its_points_give():
    runs = [
        hn.simulate(bead(way), end=1.0, steps=20, integrator="DOP853").part("bead").position.values
        for way in (True, False)
    ]
    x, y = runs[0][:, 0], runs[0][:, 1]
    assert np.abs((x / 0.5) ** 2 + (y / 0.3) ** 2 - 1.0).max() < 1e-9
    assert y.min() < -0.29 and np.abs(runs[0] - runs[1]).max() < 1e-7
    twin = parse_adm(hn.write_adams(bead(True)), "bead.adm")
    assert twin.table("CURVE")[1].maxpar == pytest.approx(2 * np.pi)
    with pytest.raises(hn.ModelError, match="CURVE/1.*not registered"):
        hn.simulate(twin, end=0.1, steps=1)
    twin.register("CURVE", ellipse)
    again = hn.simulate(twin, end=1.0, steps=20, integrator="DOP853").part("bead").position.values
    assert np.abs(again - runs[0]).max() < 1e-9
