"""Helical gears by tooth contact: they run 10 s at every damping, and no tooth goes through another."""

import math

import numpy as np
import pytest

import holonom as hn
from holonom.machinery import helical_gears

RADIUS = 0.5 * 4.0 / math.cos(math.radians(15)) * 20


def behind(run):
    turned = run.request("turned").values
    return turned[:, 1] + turned[:, 2] * 30 / 20


@pytest.mark.slow
@pytest.mark.parametrize("damping, integrator", [(5.0, "RADAU5"), (50.0, "GSTIFF")])
def test_ten_seconds(damping, integrator):
    run = hn.simulate(helical_gears(damping=damping, touching=False), end=10.0, steps=4000, integrator=integrator, error=1e-5, hmax=1e-3)
    assert run.time[-1] == 10.0
    error = behind(run)
    play = 0.5 * 0.1 / RADIUS
    assert error.min() > -1e-6 and error.max() < play + 5e-4  # a tooth further would be 0.3 rad
    late = run.time > 1.0
    assert np.ptp(error[late]) < 1e-4
    turned = run.request("turned").values
    assert turned[-1, 1] == pytest.approx(2 * math.pi / 1.5 * 10, rel=1e-6)
    assert run.contact("teeth").depth.values.max() < 0.02
    normal = run.contact("teeth").normal.values[late]
    assert normal.min() > 250 and normal.max() < 450


@pytest.mark.slow
@pytest.mark.parametrize("damping", [0.0, 0.5])
def test_clatter(damping):
    """Teeth that bounce, almost or quite without loss: none goes through another, and no energy comes from nowhere."""
    run = hn.simulate(helical_gears(damping=damping, touching=False), end=0.4, steps=400, integrator="RADAU5", error=1e-5, hmax=1e-3)
    error = behind(run)
    assert error.min() > -1e-6 and error.max() < 0.5 * 0.1 / RADIUS + 5e-4
    assert run.contact("teeth").depth.values.max() < 0.02
    assert run.audit().ok(0.01)


@pytest.mark.slow
def test_clatter_that_a_method_follows_badly_is_told():
    """GSTIFF at this error makes energy out of impacts: the teeth go further apart than they can, and the run says not to trust it."""
    run = hn.simulate(helical_gears(damping=5.0, touching=False), end=0.6, steps=240, integrator="GSTIFF", error=1e-5, hmax=1e-3)
    if behind(run).max() > 0.5 * 0.1 / RADIUS + 5e-4:
        assert any("do not trust this run" in text for text in run.info["messages"])


def test_start_is_where_it_is_asked():
    """Teeth touch, or stand in the middle of the play; contact and ratio are those of the drawing."""
    for touching in (True, False):
        system = hn.Simulation(helical_gears(touching=touching))
        assert system.degrees_of_freedom() == 1
        gap = system.system.contacts.gaps(0.0, system.system.y0).min()
        angle = math.atan(math.tan(math.radians(20)) / math.cos(math.radians(15)))
        base = math.atan(math.tan(math.radians(15)) * math.cos(angle))
        want = 0.0 if touching else 0.05 * math.cos(angle) * math.cos(base)
        assert gap == pytest.approx(want, abs=1e-8)


def test_bad_gears():
    with pytest.raises(hn.ModelError, match="helix angle"):
        helical_gears(helix=1.2)
    with pytest.raises(hn.ModelError, match="backlash"):
        helical_gears(backlash=-1.0)
