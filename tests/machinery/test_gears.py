"""Helical gears by tooth contact: they run 10 s at every damping, and no tooth goes through another."""

import math

import numpy as np
import pytest

import holonom as hn
from holonom.machinery import helical_gears
from holonom.machinery.gear_mesh import GearPair

RADIUS = 0.5 * 4.0 / math.cos(math.radians(15)) * 20


def behind(run):
    turned = run.request("turned").values
    return turned[:, 1] + turned[:, 2] * 30 / 20


@pytest.mark.slow
@pytest.mark.parametrize("damping, integrator", [(5.0, "RADAU5"), (50.0, "GSTIFF")])
def test_ten_seconds(damping, integrator):
    run = hn.simulate(
        helical_gears(damping=damping, touching=False),
        end=10.0,
        steps=4000,
        integrator=integrator,
        error=1e-5,
        hmax=1e-3,
    )
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
    run = hn.simulate(
        helical_gears(damping=damping, touching=False), end=0.4, steps=400, integrator="RADAU5", error=1e-5, hmax=1e-3
    )
    error = behind(run)
    assert error.min() > -1e-6 and error.max() < 0.5 * 0.1 / RADIUS + 5e-4
    assert run.contact("teeth").depth.values.max() < 0.02
    assert run.audit().ok(0.01)


@pytest.mark.slow
def test_clatter_that_a_method_follows_badly_is_told():
    """GSTIFF at this error makes energy out of impacts: the teeth go further apart than they can, and the run says that
    its velocities are inaccurate."""
    run = hn.simulate(
        helical_gears(damping=5.0, touching=False), end=0.6, steps=240, integrator="GSTIFF", error=1e-5, hmax=1e-3
    )
    assert behind(run).max() > 0.5 * 0.1 / RADIUS + 5e-4
    assert any("are inaccurate" in text for text in run.info["warnings"]) and not run.audit().ok(0.01)


@pytest.mark.parametrize("touching", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_start_is_where_it_is_asked(touching):
    """Teeth touch, or stand in the middle of the play; contact and ratio are those of the drawing."""
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


@pytest.mark.parametrize(
    "teeth, shift", [((20, 60), (0.0, 0.0)), ((20, 60), (0.3, 0.3)), ((25, 80), (0.0, 0.4)), ((21, 60), (0.0, 0.0))]
)
def test_contact_ratio_of_internal_pairs(teeth, shift):
    """ISO 21771: (sqrt(ra1^2 - rb1^2) - sqrt(ra2^2 - rb2^2) + a sin(alpha_w)) / p_b; tips that reach below the pinion's
    base circle end there."""
    z1, z2 = teeth
    pair = GearPair(module=1.0, teeth=teeth, internal=True, shift=shift)
    angle = np.radians(20.0)
    inv = lambda x: np.tan(x) - x
    wanted = inv(angle) + 2.0 * np.tan(angle) * (shift[1] - shift[0]) / (z2 - z1)
    low, high = 0.01, 1.2
    for _ in range(80):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if inv(middle) < wanted else (low, middle)
    r = np.array(teeth) / 2.0
    base = r * np.cos(angle)
    tips = r[0] + 1.0 + shift[0], r[1] - 1.0 + shift[1]
    distance = (base[1] - base[0]) / np.cos(low)
    start = np.sqrt(tips[1] ** 2 - base[1] ** 2) - distance * np.sin(low)
    ratio = (np.sqrt(tips[0] ** 2 - base[0] ** 2) - max(start, 0.0)) / (np.pi * np.cos(angle))
    assert pair.contact_ratio == pytest.approx(ratio, rel=1e-9)
