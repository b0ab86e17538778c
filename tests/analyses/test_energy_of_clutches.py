"""Heat of slipping clutches is energy dissipated, not energy put in."""

import holonom as hn
from holonom.machinery import clutch_rig, engagement


def test_heat_of_an_engagement_is_dissipated():
    given = dict(capacity=3.0, inertias=(0.2, 0.5), speeds=(30.0, 5.0), driving=0.4, load=0.2, rise=0.1)
    heat = engagement(**given)
    run = hn.simulate(clutch_rig(**given), end=2.0 * heat.time, steps=50)
    assert abs(run.energy.dissipated[-1] / heat.heat - 1.0) < 1e-6
    # what the two outer torques have put in: what both sides have gained, and the heat; stuck they speed up together
    at_end = heat.speed + (0.4 - 0.2) / 0.7 * heat.time
    gained = 0.5 * 0.7 * at_end**2 - 0.5 * (0.2 * 30.0**2 + 0.5 * 5.0**2)
    assert abs(run.energy.input[-1] / (gained + heat.heat) - 1.0) < 1e-6


def test_a_brake_between_a_moving_slide_and_the_ground():
    m = hn.Model("slide")
    m.gravity = (0, 0, 0)
    slide = m.part("slide", 2.0, (1, 1, 1), velocity=(3.0, 0, 0))
    m.clutch(m.translational(slide, m.ground, "way", at=(0, 0, 0), axis=(1, 0, 0)), capacity=4.0)
    run = hn.simulate(m, end=2.0, steps=20)
    assert abs(run.energy.dissipated[-1] - 9.0) < 1e-7 and abs(run.energy.input[-1]) < 1e-9
