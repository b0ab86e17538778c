"""Peaks, times of crossings, tables of sensitivities and minima, against closed forms of an oscillator."""

import numpy as np
import pytest
from test_gradient import SIX

import holonom as hn

VALUES = {"k": 200.0, "c": 1.5, "m": 2.0, "x0": 0.3}


def oscillator(**changed):
    """m u'' + c u' + k u = 0 from rest at x0; DX is 1 + u."""
    model = hn.Model("oscillator")
    model.gravity = (0, 0, 0)
    k, c, m, x0 = (model.parameter(n, v, bounds=(0.1 * v, 10 * v)) for n, v in {**VALUES, **changed}.items())
    block = model.part("block", m, (0.1,) * 3, position=(x0 + 1.0, 0, 0))
    model.translational(block, model.ground, at=(0, 0, 0), axis=(1, 0, 0))
    model.spring_damper(model.marker_at(block, (x0 + 1.0, 0, 0)), model.marker(model.ground), k, c, length=1.0)
    return model, f"DX({block.cm})-1"


def exact(t, k, c, m, x0):
    d, w = c / (2 * m), np.sqrt(k / m - (c / (2 * m)) ** 2)
    return x0 * np.exp(-d * t) * (np.cos(w * t) + d / w * np.sin(w * t))


def trough(k, c, m, x0):
    """The first minimum, half a period after the start."""
    return exact(np.pi / np.sqrt(k / m - (c / (2 * m)) ** 2), k, c, m, x0)


def crossing(n):
    def time(k, c, m, x0):
        d, w = c / (2 * m), np.sqrt(k / m - (c / (2 * m)) ** 2)
        return (np.arctan2(d, w) + np.pi / 2 + (n - 1) * np.pi) / w

    return time


def slope(function, name):
    h = 1e-3 * VALUES[name]
    return sum(w * function(**{**VALUES, name: VALUES[name] + k * h}) for k, w in SIX.items()) / h


@pytest.mark.parametrize("which, function", [("peak", trough), (1, crossing(1)), (3, crossing(3))])
def test_peaks_and_times(which, function):
    model, u = oscillator()
    functional = hn.peak(u, minimum=True) if which == "peak" else hn.time_of(u, which)
    g = hn.gradient(model, functional, list(VALUES), end=2.0)
    assert g.value == pytest.approx(function(**VALUES), rel=1e-9)
    size = max(abs(slope(function, n) * v) for n, v in VALUES.items())
    for name, value in VALUES.items():
        assert g[name] * value == pytest.approx(slope(function, name) * value, abs=1e-8 * size), name
    twice = hn.gradient(model, functional.apply(lambda x: x * x, lambda x: 2 * x), ["k"], end=2.0)
    assert twice["k"] == pytest.approx(2 * g.value * g["k"], rel=1e-9)


def test_a_peak_at_the_start_and_peaks_of_one_height():
    model, u = oscillator()
    g = hn.gradient(model, hn.peak(u), ["x0", "k"], end=1.0)
    assert g.value == pytest.approx(0.3) and g["x0"] == pytest.approx(1.0) and g["k"] == pytest.approx(0.0, abs=1e-12)
    model, u = oscillator(c=1e-12)
    assert any("peaks of equal height" in w for w in hn.gradient(model, hn.peak(u, True), ["k"], end=1.5).warnings)


def test_times_that_do_not_exist_are_refused():
    model, u = oscillator()
    with pytest.raises(hn.ModelError, match="is zero 3 times in the run, and crossing is 4"):
        hn.gradient(model, hn.time_of(u, 4), ["k"], end=1.0)
    with pytest.raises(hn.ModelError, match="crossing is 0"):
        hn.time_of(u, 0)


def test_a_table_of_sensitivities_is_that_of_gradients():
    model, u = oscillator()
    wanted = {"final": hn.final(u), "work": hn.integral(f"({u})**2"), "trough": hn.peak(u, minimum=True)}
    s = hn.sensitivities(model, wanted, list(VALUES), end=1.0)
    assert s.functionals == list(wanted) and s.names == list(VALUES)
    for name, functional in wanted.items():
        g = hn.gradient(model, functional, list(VALUES), end=1.0)
        assert s.values[name] == pytest.approx(g.value, rel=1e-8)
        np.testing.assert_allclose(s[name].vector, g.vector, rtol=1e-6)
    values = np.array(list(VALUES.values()))
    np.testing.assert_allclose(s.relative[1], s.matrix[1] * values / s.values["work"])
    assert str(s).splitlines()[2].startswith("k")
    one = hn.sensitivities(model, u, ["k"], end=1.0)
    assert one.functionals == [u] and one.matrix.shape == (1, 1)


def test_stiffness_and_damping_are_identified_from_a_curve():
    model, u = oscillator(k=150.0, c=3.0)
    times = np.linspace(0.05, 1.0, 20)
    fit = hn.least_squares(u, times, exact(times, **VALUES))
    best = hn.minimize(fit, ["k", "c"], model=model, end=1.0, tolerance=1e-14)
    assert best.converged and best.runs < 40
    assert best.parameters["k"] == pytest.approx(200.0, rel=1e-5) and best.parameters["c"] == pytest.approx(
        1.5, rel=1e-4
    )
    assert best.model.parameters["k"].value == best.parameters["k"] and model.parameters["k"].value == 150.0


def test_the_least_damping_within_a_limit():
    model, u = oscillator(c=4.0)
    c = model.parameters["c"]
    best = hn.minimize(
        hn.final(f"{c}"), "c", model=model, end=0.5, subject_to=[(hn.peak(u, minimum=True), -0.25, None)]
    )
    assert best.feasible and best.converged
    assert best.constraints[0] == pytest.approx(-0.25, abs=1e-7)
    assert trough(**{**VALUES, "c": best.parameters["c"]}) == pytest.approx(-0.25, abs=1e-7)


def test_bounds_and_wrong_input_of_minima():
    model, u = oscillator()
    best = hn.minimize(hn.final(f"{model.parameters['k']}"), "k", model=model, end=0.1)
    assert best.parameters["k"] == 20.0
    J = hn.final(u)
    for words, sentence in (
        ({"method": "BFGS"}, "choose one of L-BFGS-B, SLSQP"),
        ({"method": "L-BFGS-B", "subject_to": [(J, 0, 1)]}, "takes no constraints"),
        ({"subject_to": [(J, 2, 1)]}, "allow nothing"),
        ({"subject_to": {"a": 1}}, "give a list of"),
        ({"subject_to": [J]}, "give \\(functional, lowest, highest\\)"),
    ):
        with pytest.raises(hn.ModelError, match=sentence):
            hn.minimize(J, "k", model=model, end=0.1, **words)
    with pytest.raises(hn.ModelError, match="no parameters are given"):
        hn.minimize(J, [], model=model, end=0.1)
    few = hn.minimize(J, ["k", "c"], model=model, end=0.5, max_runs=2)
    assert not few.converged and "increase max_runs" in few.message
