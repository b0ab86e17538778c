"""Loads in proportion to accelerations, in a machine where a light part between joints carries a force of its own."""

import math

import pytest

import holonom as hn


def test_a_light_link_under_load_takes_no_digits_from_accelerations():
    """m x'' = sin(u t) - a x'': the force of 3 N on a link of 1e-10 kg goes into ground, but applied forces alone would
    give the link 3e10 m/s^2.  Where the search for accelerations ended by that number, it was wrong by 1e-4, and the
    noise made steps as small as 1e-5 s."""
    mass, added, rate = 1.0, 1e-3, 20.0
    model = hn.Model("light link", "SI")
    link = model.part("link", 1e-10, (1e-12, 1e-12, 1e-12))
    block = model.part("block", mass, (1.0, 1.0, 1.0))
    model.translational(link, model.ground, "rail", at=(0, 0, 0), axis=(0, 1, 0))
    model.translational(block, link, "slide", at=(0, 0, 0), axis=(1, 0, 0))
    at = model.marker_at(block, (0, 0, 0))
    model.vforce(model.marker_at(link, (0, 0, 0)), None, fx="3.0", name="load")
    model.vforce(at, None, fx=f"SIN({rate}*TIME)-{added}*ACCX({at.id})", name="drive")
    run = hn.simulate(model, end=0.5, steps=1, error=1e-10, integrator="DOP853", progress=False)
    exact = (0.5 * rate - math.sin(0.5 * rate)) / (mass + added) / rate**2
    assert run.part("block").position[-1, 0] == pytest.approx(exact, abs=1e-11)
    assert run.counters["steps"] < 60
