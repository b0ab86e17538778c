"""The same machine at other sizes: motions of similar machines are similar (lengths L, times sqrt(L/g), masses L^3)."""

import numpy as np
import pytest

import holonom as hn

METHODS = [
    {"integrator": "GSTIFF", "formulation": "I3"},
    {"integrator": "GSTIFF", "formulation": "SI2"},
    {"integrator": "HHT"},
    {"integrator": "RADAU5"},
]


def four_bar(L):
    """A four-bar of length L that falls."""
    M = 10.0 * L**3
    m = hn.Model("four-bar", units="SI")
    m.gravity = (0, -9.81, 0)
    points = {"A": (0, 0, 0), "B": (0, 0.3 * L, 0), "C": (1.0 * L, 0.6 * L, 0), "D": (0.8 * L, 0, 0)}
    middle = lambda p, q: tuple((np.array(points[p]) + np.array(points[q])) / 2)
    parts = [m.part(n, M, (M * L * L / 12,) * 3, middle(*n)) for n in ("AB", "BC", "CD")]
    for name, i, j in (
        ("A", parts[0], m.ground),
        ("B", parts[0], parts[1]),
        ("C", parts[1], parts[2]),
        ("D", parts[2], m.ground),
    ):
        m.revolute(i, j, name, at=points[name], axis=(0, 0, 1))
    return m


def turned(L, **options):
    run = hn.simulate(four_bar(L), np.sqrt(L / 9.81), 4, error=1e-6, **options)
    angle = run.joint("A").angle.values
    return angle[-1] - angle[0]


@pytest.mark.parametrize("options", METHODS, ids=lambda o: "_".join(o.values()))
def test_implicit_methods_on_machines_of_ten_micrometres(options):
    """The four-bar's matrix was called singular once: its masses are 1e-14 of its constraints."""
    assert turned(1e-5, **options) == pytest.approx(turned(1.0, integrator="DOP853"), abs=2e-4)


@pytest.mark.slow
@pytest.mark.parametrize("L", [1e-4, 1e3, 1e7])
@pytest.mark.parametrize("options", METHODS, ids=lambda o: "_".join(o.values()))
def test_implicit_methods_on_machines_of_other_sizes(L, options):
    assert turned(L, **options) == pytest.approx(turned(1.0, integrator="DOP853"), abs=2e-4)
