"""Laws that remember, by every kind of step and among grains, against an ODE of our own: looks inside steps must not be
remembered."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import holonom as hn

MASS, K, SHARE, TAU, RADIUS = 1000.0 * 4.0 / 3.0 * np.pi * 0.05**3, 1e4, 0.5, 0.1, 0.05
TIMES = np.linspace(0.0, 0.5, 11)
LAW = {"law": "VISCOELASTIC", "stiffness": K, "exponent": 1.5, "parameters": {"g1": SHARE, "tau1": TAU}}


@cache
def depths() -> np.ndarray:
    """A ball let go where it touches: z'' = -g + F/m, F = K ((1 - g1) d^1.5 + g1 h), h' = (d^1.5)' - h/tau."""

    def rates(_, s):
        z, v, h = s
        d = max(-z, 0.0)
        return [v, -9.81 + max(0.0, SHARE * h + (1 - SHARE) * K * d**1.5) / MASS, -1.5 * K * np.sqrt(d) * v - h / TAU]

    return solve_ivp(rates, (0, 0.5), [0, 0, 0], t_eval=TIMES, method="Radau", rtol=1e-10, atol=1e-12).y[0]


def ball(grains: bool) -> hn.Model:
    m = hn.Model("ball")
    m.gravity = (0, 0, -9.81)
    floor = m.plane(m.ground, (0, 0, 0), (0, 0, 1))
    if grains:
        m.contact(
            m.grains(np.array([[0, 0, RADIUS], [0.3, 0, RADIUS]]), [RADIUS] * 2, "balls", density=1000.0), floor, **LAW
        )
    else:
        part = m.part("ball", MASS, (1e-3,) * 3, (0, 0, RADIUS))
        m.contact(m.sphere(part, (0, 0, RADIUS), RADIUS), floor, **LAW)
    return m


STEPS = [
    ({"integrator": "DOP853", "error": 1e-8}, 1e-6),
    ({"integrator": "DOP853", "error": 1e-8, "events": False}, 1e-6),
    ({"integrator": "RK4", "hmax": 1e-3}, 1e-6),
    ({"integrator": "SEMI_IMPLICIT_EULER", "hmax": 1e-5}, 3e-6),
    ({"integrator": "HHT", "error": 1e-7, "events": False, "units": "off"}, 1e-5),
]


@pytest.mark.parametrize(
    "options, bar", STEPS, ids=lambda o: "-".join(map(str, o.values())) if isinstance(o, dict) else ""
)
def test_creep_of_a_part(options, bar):
    run = hn.simulate(ball(False), 0.5, 10, **options)
    assert np.abs(run.part("ball").position.values[:, 2] - RADIUS - depths()).max() < bar


@pytest.mark.parametrize("options, bar", [(STEPS[0][0], 5e-6), STEPS[3]], ids=["DOP853", "SEMI_IMPLICIT_EULER"])
def test_creep_among_grains(options, bar):
    """By the general equations (DOP853) and by the granular solver, which keeps the states of the law in addition to
    those of friction."""
    run = hn.simulate(ball(True), 0.5, 10, **options)
    z = run.grains("balls").values("position")[:, :, 2]
    assert np.abs(z - RADIUS - depths()[:, None]).max() < bar
    assert not any("its law VISCOELASTIC" in text for text in run.info["messages"])
