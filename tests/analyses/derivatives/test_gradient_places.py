"""Gradients by numbers that enter more tables than that of their own element, against closed forms and differences."""

import math

import pytest
from test_gradient import check

import holonom as hn


def test_frequency_by_the_place_of_a_sliding_mass():
    """A rotor on a torsion spring, with a mass at r that slides along its axis: f = sqrt(k / (J + m r^2)) / 2 pi."""
    model = hn.Model("rotor")
    model.gravity = (0, 0, 0)
    J, k, mass, r = 0.3, 50.0, 0.5, 0.4
    rotor = model.part("rotor", 1.0, (0.1, 0.2, J))
    pin = model.revolute(rotor, model.ground, at=(0, 0, 0), axis=(0, 0, 1))
    model.sforce(pin.i, pin.j, f"-{k}*AZ({pin.i},{pin.j})", kind="ROTATIONAL")
    model.sliding_mass(rotor, (model.parameter("r", r), 0, 0.1), (0, 0, 1), mass=mass, stiffness=900.0)
    g = hn.gradient(model, hn.natural_frequency(1), ["r"])
    f = math.sqrt(k / (J + mass * r**2)) / (2 * math.pi)
    assert g.value == pytest.approx(f, rel=1e-9)
    assert g["r"] == pytest.approx(-f * mass * r / (J + mass * r**2), rel=1e-8)


def test_a_mass_whose_inertia_is_about_another_point():
    """The inertia about the centre of mass is that about the marker less that of the mass there."""
    model = hn.Model("pendulum")
    model.gravity = (0, 0, -9.81)
    part = model.part("bob", 2.0, (0.4, 0.5, 0.6), (0.3, 0, 0))
    part.im = model.marker(part, (0.2, 0.1, 0.0)).id
    model.revolute(part, model.ground, at=(0, 0, 0), axis=(0, 1, 0))
    check(model, hn.final(f"DZ({part.cm})"), ["PART/2.MASS"])
