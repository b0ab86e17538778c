"""The uses of docs/derivatives.md, run as they are printed there, against oracles of their own."""

import re
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq

import holonom as hn

PAGE = (Path(__file__).parents[3] / "docs/derivatives.md").read_text()


def run(heading):
    """Names after the first block of python below a heading."""
    section = PAGE[PAGE.index(f"### {heading}") :]
    code = re.search(r"```python\n(.*?)```", section, re.DOTALL)
    names = {"hn": hn}
    exec(code[1], names)
    return names


def test_input_shaping_finds_the_shaper_of_two_impulses():
    """Half and half, half a period of the small swing apart; at 3 degrees of swing the period is 0.03 % longer."""
    shaped = run("Input shaping of a crane")["shaped"]
    assert shaped.parameters["share"] == pytest.approx(0.5, abs=1e-5)
    assert shaped.parameters["delay"] == pytest.approx(np.pi * np.sqrt(2 / 9.81), rel=5e-4)


def test_an_isochronous_pendulum():
    """Quarter periods by quadrature of the energy."""

    def quarter(start, k):
        V = lambda q: 9.81 * 0.5 * (1 - np.cos(q)) + k * q**4 / 4
        rate = lambda s: start * np.cos(s) / np.sqrt(8 * (V(start) - V(start * np.sin(s))))
        return quad(rate, 0, np.pi / 2 - 1e-9, epsabs=1e-13, epsrel=1e-12)[0]

    exact = brentq(lambda k: quarter(0.3, k) - quarter(1.2, k), 0.3, 1.5, xtol=1e-12)
    assert run("A spring that makes")["clock"].parameters["k"].value == pytest.approx(exact, rel=1e-7)


@pytest.mark.slow
def test_friction_with_intervals():
    """Estimates and deviations of the linear fit to the closed form (the curve is nearly linear in both numbers)."""
    names = run("Friction of a slider")
    times, noise, found = (names[n] for n in ("times", "noise", "found"))

    def place(mu, drag):
        c, s = drag / 2.0, mu * 9.81
        return (3.0 + s / c) * (1 - np.exp(-c * times)) / c - s / c * times

    h = 1e-5
    by_mu, by_drag = place(0.2 + h, 0.8) - place(0.2 - h, 0.8), place(0.2, 0.8 + h) - place(0.2, 0.8 - h)
    S = np.stack([by_mu, by_drag], axis=1) / (2 * h)
    fit = np.array([0.2, 0.8]) + np.linalg.lstsq(S, noise, rcond=None)[0]
    std = 0.002 * np.sqrt(np.diag(np.linalg.inv(S.T @ S)))
    for k, name in enumerate(("mu", "drag")):
        low, high = found.interval[name]
        assert 0.5 * (low + high) == pytest.approx(fit[k], abs=0.02 * std[k])
        assert high - low == pytest.approx(2 * 1.96 * std[k], rel=0.01)
    assert found.derivatives == "exact derivatives"
