"""Laws from measured curves: the numbers that made a curve return from it, and the law in a model gives the curve
again."""

from __future__ import annotations

import numpy as np
import pytest

import holonom as hn
from holonom.contact import fits

T = np.geomspace(1e-3, 10.0, 60)
SHARES, TIMES = (0.3, 0.25), (0.02, 1.0)


def relaxed(t, k=2e4, depth=1e-3):
    return k * depth**1.5 * (1.0 - sum(g * (1.0 - np.exp(-t / tau)) for g, tau in zip(SHARES, TIMES)))


def test_a_series_comes_back_from_its_curve():
    fit = fits.prony(T, relaxed(T), depth=1e-3)
    assert fit.stiffness == pytest.approx(2e4, rel=1e-6)
    assert fit.shares == pytest.approx(SHARES, rel=1e-5) and fit.times == pytest.approx(TIMES, rel=1e-5)
    assert fit.error < 1e-8
    given = fits.prony(T, relaxed(T), depth=1e-3, times=(1.0, 0.02, 0.3))
    assert given.shares == pytest.approx(SHARES, rel=1e-6) and given.times == (0.02, 1.0)  # the third has no share


def test_a_noisy_curve_is_met_within_its_noise():
    noise = 0.01 * np.random.default_rng(3).normal(size=len(T))
    fit = fits.prony(T, relaxed(T) * (1 + noise), depth=1e-3)
    np.testing.assert_allclose(fit.relaxation(T), relaxed(T) / relaxed(0.0), atol=0.02)
    assert 0.0 < 1.0 - sum(fit.shares) < 0.6


def test_a_power_of_time_becomes_four_branches():
    """A creep of (1 + t)^-0.2 over four decades, which no exponential is."""
    fit = fits.prony(T, (1.0 + T / 0.01) ** -0.2, depth=1.0, exponent=1.0)
    assert len(fit.shares) == 4 and fit.error < 0.01


def test_the_fitted_law_relaxes_in_a_model_as_the_curve():
    """A ball is pressed 1 mm into a plane within 0.1 ms and held there."""
    m = hn.Model("press")
    ball = m.part("ball", 1.0, (1e-3,) * 3, (0, 0, 0.05))
    m.translational(ball, m.ground, "guide", at=(0, 0, 0.05), axis=(0, 0, 1))
    m.motion("guide", "-1E-3*STEP(TIME,0,0,1E-4,1)", "press", kind="TRANSLATIONAL")
    free = m.part("weight", 1.0, (1e-3,) * 3, (1, 0, 0))  # so that the analysis is dynamic
    m.translational(free, m.ground, "other", at=(1, 0, 0), axis=(0, 0, 1))
    fit = fits.prony(T, relaxed(T), depth=1e-3)
    m.contact(
        m.sphere(ball, (0, 0, 0.05), 0.05),
        m.plane(m.ground, (0, 0, 0), (0, 0, 1)),
        name="touch",
        joined=True,
        **fit.fields,
    )
    run = hn.simulate(m, 0.5, 50, integrator="GSTIFF", error=1e-6, hmax=1e-3)
    force = np.abs(run.contact("touch").force.values[1:, 2])
    np.testing.assert_allclose(force, relaxed(run.time[1:] - 5e-5), rtol=2e-3)


def test_a_power_law_comes_back_and_what_is_none_is_refused():
    d = np.linspace(0.0, 2e-3, 30)
    fit = fits.stiffness(d, 5e7 * d**1.8)
    assert (fit.stiffness, fit.exponent) == pytest.approx((5e7, 1.8), rel=1e-6)
    assert fit.fields == {"stiffness": fit.stiffness, "exponent": fit.exponent}
    with pytest.raises(
        hn.ModelError,
        match=r"the best power law, exponent .*, is off by 0\.\d+ of the largest force; fit the range of depths",
    ):
        fits.stiffness(d, np.where(d < 1e-3, d, 20 * d - 19e-3))
    with pytest.raises(hn.ModelError, match="count the depth from the first touch"):
        fits.stiffness(d - 1e-3, 1e3 * d)


@pytest.mark.parametrize(
    "time, force, more, words",
    [
        (T[::-1], relaxed(T), {}, "must rise; point 2 does not"),
        (T, relaxed(T)[:-1], {}, "two lists of one length"),
        (T, -relaxed(T), {}, "its force must be positive"),
        (T, T, {}, "or a curve that falls"),
        (T, relaxed(T), {"times": (1, 2, 3, 4, 5)}, "1 to 4 positive numbers"),
        (T, np.full_like(T, np.nan), {}, "is not a number"),
    ],
)
def test_bad_curves_are_sentences(time, force, more, words):
    with pytest.raises(hn.ModelError, match=words):
        fits.prony(time, force, depth=1e-3, **more)
