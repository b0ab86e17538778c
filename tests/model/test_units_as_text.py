"""Quantities with units as text in contacts, gravity and shapes: the numbers are those of the model's units."""

import math

import pytest

import holonom as hn
from holonom.model import ModelError
from holonom.model.contact_words import DIMENSIONS, FRICTIONS, LAWS, dimensions

#: parameters of laws and friction models that are numbers without a unit, or whose unit depends on others
NO_TEXT = {"exponent", "restitution", "mu_static", "mu_dynamic", "plasticity", "viscous_friction", "stiffness"}


def pair(units):
    """A model in these units with a ball and a plane to touch."""
    model = hn.Model(units=units)
    ball = model.part("ball", mass=1.0, inertia=(1.0, 1.0, 1.0))
    return model, model.sphere(ball, (0, 0, 0), 1.0), model.plane(model.ground, (0, 0, -1.0), (0, 0, 1))


@pytest.mark.parametrize("units", ["SI", "mm", "MMKS"])
def test_contact_parameters_are_converted_to_the_units_of_the_model(units):
    """Each value in SI as text is the number in the units of the model; a stiffness follows the exponent."""
    model, ball, plane = pair(units)
    length, force, time = model.units.si_length, model.units.si_force, model.units.si_time
    for exponent in (1.0, 1.5, 2.2):
        contact = model.contact(
            ball, plane, stiffness=f"2e5 N/m^{exponent}", exponent=exponent, damping="30 N*s/m", dmax="0.1 mm", mu=0.3,
            stiction_transition_velocity="1 mm/s", friction_transition_velocity="0.01 m/s", rolling_resistance="2 mm",
        )  # fmt: skip
        assert contact.stiffness == pytest.approx(2e5 / force * length**exponent, rel=1e-12)
        assert contact.damping == pytest.approx(30 / force * length / time, rel=1e-12)
        assert contact.dmax == pytest.approx(1e-4 / length, rel=1e-12)
        assert contact.stiction_transition_velocity == pytest.approx(1e-3 / length * time, rel=1e-12)
        assert contact.friction_transition_velocity == pytest.approx(1e-2 / length * time, rel=1e-12)
        assert contact.rolling_resistance == pytest.approx(2e-3 / length, rel=1e-12)


def test_units_follow_the_law():
    """HUNT_CROSSLEY damps by a factor of the rate of depth, POISSON has a linear penalty."""
    model, ball, plane = pair("mm")
    hunt = model.contact(ball, plane, law="HUNT_CROSSLEY", stiffness="1 kN/mm^1.5", damping="0.1 s/m")
    assert hunt.damping == pytest.approx(1e-4) and hunt.stiffness == pytest.approx(1e3)
    assert model.contact(ball, plane, law="POISSON", penalty="3 N/mm", restitution=0.5).penalty == pytest.approx(3.0)
    with pytest.raises(ModelError, match=r"damping is '3 N\*s/m', which is not in s/m"):
        model.contact(ball, plane, law="HUNT_CROSSLEY", stiffness=1.0, damping="3 N*s/m")
    with pytest.raises(ModelError, match=r"stiffness is '3 N/m', which is not in N/m\^1.5"):
        model.contact(ball, plane, stiffness="3 N/m", damping=1.0)
    each = model.contact_each(ball, plane, stiffness="1 kN/mm^1.5", damping=1.0)
    assert each[0].stiffness == pytest.approx(1e3)


def test_every_parameter_of_a_law_has_a_unit_or_none():
    """No parameter of a law or friction model is left out of the table of units by mistake."""
    for name, words in {**LAWS, **FRICTIONS}.items():
        known = dimensions(name if name in LAWS else "", 1.5)
        for parameter in words.parameters:
            assert parameter in known or parameter in NO_TEXT or parameter[:1] == "g", (name, parameter)
    assert not NO_TEXT & set(DIMENSIONS)


@pytest.mark.parametrize("units", ["SI", "mm"])
def test_gravity_takes_text(units):
    """An acceleration with its unit, also with other dimensions refused."""
    model = hn.Model(units=units)
    model.gravity = (0, 0, "-9.80665 m/s^2")
    assert model.gravity == pytest.approx((0, 0, -9.80665 / model.units.si_length))
    with pytest.raises(ModelError, match=r"gravity is '9.81 m/s', which is not in m/s\^2"):
        model.gravity = (0, 0, "9.81 m/s")
    with pytest.raises(ModelError, match="gravity"):
        model.gravity = (0, 0, "down")


def test_shapes_without_a_body_take_text():
    """A shape does not know a model: its texts are converted where a part takes it."""
    brick, can = (
        hn.shapes.box((0, 0, 0), ("10 cm", "0.2 m", "30 mm")),
        hn.shapes.cylinder((0, 0, 0), (0, 0, "1 m"), "5 mm"),
    )
    for units in ("SI", "mm"):
        model = hn.Model(units=units)
        unit, mass = model.units.si_length, model.units.si_mass
        part = model.part("brick", shape=brick, density="1000 kg/m^3")
        assert part.mass == pytest.approx(6e-4 * 1000 / mass)
        assert model.part("can", shape=can, density=1.0).mass == pytest.approx(math.pi * 25e-6 / unit**3, rel=1e-9)
    with pytest.raises(ModelError, match="size is '3 kg'"):
        hn.Model().part("wrong", shape=hn.shapes.box((0, 0, 0), ("3 kg", 1.0, 1.0)), density=1.0)
