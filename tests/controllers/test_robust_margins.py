"""Margins of a loop over tolerances of its machine, by a study, against the closed form of a second-order loop.

A slide (mass m, viscous friction c) in a position loop of gain k has the open loop  k / (s (m s + c)), so
w_n^2 = k / m,  2 z w_n = c / m, and (Ogata, Modern Control Engineering, section 7.7)

    phase margin = atan(2 z / sqrt(sqrt(1 + 4 z^4) - 2 z^2)),

which grows with z = c / (2 sqrt(k m)).
"""

import math

import pytest
from scipy.optimize import brentq
from scipy.stats import norm

import holonom as hn
from holonom.studies import LogNormal

GAIN = 400.0


def margins(v):
    """Phase [degrees] and delay margin [s] of the linearised machine."""
    model = hn.Model("slide", units="SI")
    model.gravity = (0, 0, 0)
    slide = model.part("slide", mass=v["mass"], inertia=(1, 1, 1), position=(0, 0, 0))
    model.translational(slide, model.ground, at=(0, 0, 0), axis=(1, 0, 0))
    force = model.input("force")
    model.vforce(slide.cm, None, fx=f"VARVAL({force.id}) - {v['friction']!r}*VX({slide.cm})")
    loop = hn.linearize(model, inputs=["force"], outputs=[f"{GAIN}*DX({slide.cm})"]).state_space()
    found = loop.margins()
    return {"phase": found.phase, "delay": found.delay}


def phase(z):
    return math.degrees(math.atan(2 * z / math.sqrt(math.sqrt(1 + 4 * z**4) - 2 * z**2)))


def damping(v):
    return v["friction"] / (2 * math.sqrt(GAIN * v["mass"]))


def delay(v):
    z = damping(v)
    crossing = math.sqrt(GAIN / v["mass"]) * math.sqrt(math.sqrt(1 + 4 * z**4) - 2 * z**2)
    return math.radians(phase(z)) / crossing


@pytest.mark.parametrize("friction", [8.0, 35.0, 120.0])
def test_margins_of_the_machine(friction):
    v = {"mass": 4.0, "friction": friction}
    found = margins(v)
    assert found["phase"] == pytest.approx(phase(damping(v)), rel=1e-6)
    assert found["delay"] == pytest.approx(delay(v), rel=1e-6)


@pytest.mark.slow
def test_worst_margin_within_tolerances(tmp_path):
    """The smallest phase margin is that of the heaviest slide with the least friction."""
    with hn.Study(
        tmp_path / "a.study", margins, {"mass": (3.0, 5.0), "friction": (25.0, 45.0)}, workers=0, progress=False
    ) as study:
        worst = study.worst_case("phase", max_runs=40)
    corner = {"mass": 5.0, "friction": 25.0}
    assert worst.at_low == pytest.approx(corner) and worst.low == pytest.approx(phase(damping(corner)), rel=1e-6)
    other = {"mass": 3.0, "friction": 45.0}
    assert worst.at_high == pytest.approx(other) and worst.high == pytest.approx(phase(damping(other)), rel=1e-6)
    assert worst.low < 35.0 < 40.0 < phase(damping({"mass": 4.0, "friction": 35.0}))


@pytest.mark.slow
def test_probability_of_a_small_margin(tmp_path):
    """Lognormal mass and friction: ln z is normal, so the probability of less than 40 degrees is that of a normal
    variable, which FORM finds exactly."""
    scatter = {"mass": LogNormal(4.0, 0.4), "friction": LogNormal(35.0, 4.0)}
    with hn.Study(tmp_path / "a.study", margins, scatter, workers=0, progress=False) as study:
        found = study.reliability("phase", low=40.0)
    s = {n: math.sqrt(math.log(1 + (d / m) ** 2)) for n, m, d in (("mass", 4.0, 0.4), ("friction", 35.0, 4.0))}
    mean = math.log(35.0) - s["friction"] ** 2 / 2 - 0.5 * (math.log(4.0 * GAIN) - s["mass"] ** 2 / 2) - math.log(2.0)
    least = brentq(lambda z: phase(z) - 40.0, 0.01, 2.0)
    beta = (mean - math.log(least)) / math.hypot(s["friction"], 0.5 * s["mass"])
    assert found.beta == pytest.approx(beta, rel=1e-4)
    assert found.probability == pytest.approx(norm.sf(beta), rel=1e-3)
