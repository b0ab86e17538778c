"""Ready-made faults: a crack by quadrature of another stress intensity factor, orders of bearing defects by the table
of the bearing data centre of Case Western Reserve University, both found again by `diagnose`."""

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp

import holonom as hn
from holonom.model import ModelError
from holonom.studies import Curve, Experiment, diagnose


@pytest.mark.parametrize("depth", [0.0, 0.05, 0.2, 0.4, 0.6])
def test_stiffness_of_a_cracked_rod(depth):
    """Rotation of the crack by Castigliano, U = integral of (1 - nu^2) K^2/E b da, with Tada's factor in tangents; it
    differs from the polynomial by up to 2.3 %, K^2 by twice that."""

    def F(s):
        x = np.pi * s / 2
        return np.sqrt(np.tan(x) / x) * (0.923 + 0.199 * (1 - np.sin(x)) ** 4) / np.cos(x)

    E, b, h, L, nu = 2.1e11, 0.02, 0.01, 0.3, 0.3
    k = E * b * h**3 / 12 / L
    K = lambda a: 6.0 / (b * h**2) * np.sqrt(np.pi * a) * F(a / h)  # of a moment of 1
    turn = 2 * b * (1 - nu**2) / E * quad(lambda a: K(a) ** 2, 1e-12, depth * h)[0] if depth else 0.0
    found = hn.studies.cracked(k, depth, height=h, length=L, poisson=nu)
    assert 1 / found - 1 / k == pytest.approx(turn, rel=0.046) and found <= k


def test_orders_of_bearing_defects():
    """SKF 6205-2RS: multiples of the running speed in the documentation of the data; the rings add up to the balls."""
    d, D = 0.3126, 1.537
    orders = {place: hn.studies.defect_order(place, 9, d / D) for place in ("outer", "inner", "ball")}
    assert orders == pytest.approx({"inner": 5.4152, "outer": 3.5848, "ball": 4.7135}, rel=1e-4)
    assert orders["outer"] + orders["inner"] == pytest.approx(9.0)


def rotor():
    """A rotor of 5 kg on a spring, with defects of both rings and a crack in the shaft as candidates."""
    model = hn.Model("rotor", units="SI")
    crack = model.parameter("crack", 0.0, bounds=(0.0, 0.5))
    mass = model.part("mass", 5.0, (1.0, 1.0, 1.0), position=(0.1, 0, 0))
    guide = model.translational(mass, model.ground, "guide", at=(0.1, 0, 0), axis=(1, 0, 0))
    anchor = model.marker(model.ground, (1.0, 0, 0))
    k = hn.studies.cracked(2e4, crack, height=0.02, length=0.2)
    model.spring_damper(guide.i, anchor, k, 60.0, length=0.9, force=0.0)
    model.vforce(guide.i, fx="10*COS(50*TIME)")
    for place in ("outer", "inner"):
        size = model.parameter(place, 0.0, bounds=(0.0, 50.0))
        order = hn.studies.defect_order(place, 9, 0.3126 / 1.537)
        model.sforce(guide.i, anchor, hn.studies.defect_force(size, "50*TIME", order))
    return model


def speed(crack, outer, t):
    """By SciPy."""
    k, w = hn.studies.cracked(2e4, crack, height=0.02, length=0.2), 50 * 4.5 * (1 - 0.3126 / 1.537)
    push = lambda t: 10 * np.cos(50 * t) - outer * np.exp(40 * (np.cos(w * t) - 1))
    rate = lambda t, s: [s[1], (push(t) - k * s[0] - 60 * s[1]) / 5]
    return solve_ivp(rate, (0, t[-1]), [0, 0], t_eval=t, rtol=1e-10, atol=1e-13, max_step=2e-3).y[1]


@pytest.mark.slow
@pytest.mark.parametrize("planted", [{"crack": 0.3}, {"outer": 12.0}, {"crack": 0.2, "outer": 8.0}])
def test_planted_faults_are_named(planted):
    """With 1 % noise the right ones, sizes within four standard deviations."""
    t = np.linspace(0.0, 1.0, 201)
    truth = {"crack": 0.0, "outer": 0.0} | planted
    x = speed(truth["crack"], truth["outer"], t)
    std = 0.01 * float(x.std())
    seen = Curve("guide.speed", t, x + std * np.random.default_rng(5).standard_normal(201), std=std)
    faults = {"crack": (0.0, 0.0, 0.5), "outer": (0.0, 0.0, 50.0), "inner": (0.0, 0.0, 50.0)}
    found = diagnose(Experiment(rotor(), seen, {"end": 1.0, "steps": 200}), faults).best
    assert set(found.faults) == set(planted)
    for name, size in planted.items():
        low, high = found.interval[name]
        assert abs(found.sizes[name] - size) < 2 * (high - low)


def test_what_is_refused():
    for make, text in [
        (lambda: hn.studies.cracked(1.0, 0.7, height=0.01, length=0.1), "depth must be from 0 to 0.6"),
        (lambda: hn.studies.cracked(1.0, 0.1, height=0.0, length=0.1), "height must be a positive number"),
        (lambda: hn.studies.cracked(1.0, "deep", height=0.1, length=0.1), "depth must be a number or a parameter"),
        (lambda: hn.studies.defect_order("cage", 9, 0.2), "place must be one of outer, inner, ball"),
        (lambda: hn.studies.defect_order("outer", 9, 1.2), "ratio must be a number between 0 and 1"),
        (lambda: hn.studies.defect_force(1.0, "TIME", 0.0), "order must be a positive number"),
    ]:
        with pytest.raises(ModelError, match=text):
            make()
