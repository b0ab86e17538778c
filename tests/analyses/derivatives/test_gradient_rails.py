"""Gradients of wheels on rails: the depth of Hertz' contact, and runs of a wheelset against differences of runs."""

import pytest
from test_gradient import SIX, check

import holonom as hn

OF_RADAU = {"hmin": 0.002, "hmax": 0.002, "newton": 1e-11, "error": 1e-6}


def wheel(mass):
    """A wheel that slides up and down over the left rail, pressed upon it by its weight."""
    m = hn.Model("wheel")
    m.gravity = (0, 0, -9.81)
    track = m.rail_track(rail=hn.rail.round_head(0.3))
    part = m.part("wheel", mass, (100.0, 50.0, 100.0), position=(0, 0.75, 0.46))
    m.translational(part, m.ground, at=(0, 0.75, 0.46), axis=(0, 0, 1))
    m.wheel_rail(part.cm, track, side="LEFT", radius=0.46, profile=hn.rail.cone(0.05), poisson=0.28)
    return m, hn.final(f"DZ({part.cm})")


def test_the_depth_of_a_wheel_at_rest_by_its_load_and_modulus():
    """Hertz: weight = k E/(1 - nu^2) d^(3/2), with one shape of the ellipse at any load of a cone on a round head."""
    m, height = wheel(4000.0)
    g = hn.gradient(m, height, ["PART/2.MASS", "WHEEL_RAIL/1.YOUNG", "WHEEL_RAIL/1.POISSON"], kind="statics")
    m, height = wheel(8 * 4000.0)
    depth = (g.value - hn.gradient(m, height, [], kind="statics").value) / 3.0  # it grows four times as deep
    assert 5e-5 < depth < 3e-4
    by_mass = -4000.0 * g["PART/2.MASS"]
    assert by_mass == pytest.approx(2 / 3 * depth, rel=3e-6)  # the points that share the load lie along a curve
    assert g["WHEEL_RAIL/1.YOUNG"] == pytest.approx(by_mass / 210e9, rel=1e-9)
    assert g["WHEEL_RAIL/1.POISSON"] == pytest.approx(by_mass * 2 * 0.28 / (1 - 0.28**2), rel=1e-9)
    near = sum(w * hn.gradient(*wheel(4000.0 * (1 + 0.01 * k)), [], kind="statics").value for k, w in SIX.items())
    assert by_mass == pytest.approx(-near / 0.01, rel=1e-8)


def wheelset(**contact):
    m = hn.Model("wheelset")
    m.gravity = (0, 0, -9.81)
    track = m.rail_track(rail=hn.rail.round_head(0.3))
    axle = hn.rail.wheelset(
        m, track, load=8e4, speed=10.0, y=0.001, yaw=1e-3, profile=hn.rail.cone(0.05), mass=8e4 / 9.81 - 200, **contact
    )
    body = axle.box.cm
    return m, hn.final(f"1e3*DY({body})+1e2*YAW({body})") + hn.integral(f"1e6*DY({body})**2")


NUMBERS = ["PART/2.MASS", "PART/2.IP", "GRAVITY(3)", "WHEEL_RAIL/1.MU", "WHEEL_RAIL/2.YOUNG", "WHEEL_RAIL/1.DAMPING",
           "WHEEL_RAIL/2.POISSON"]  # fmt: skip


@pytest.mark.parametrize("law", ["POLACH", "SHEN_HEDRICK_ELKINS", "FASTSIM"])
def test_a_wheelset_by_its_numbers(law):
    m, functional = wheelset(law=law)
    check(m, functional, NUMBERS, 0.06, 2e-6, integrator="RADAU5", size=1e-4, compare=False, **OF_RADAU)


def test_a_wheelset_by_the_place_of_a_wheel():
    m, functional = wheelset()
    numbers = [f"MARKER/{m.find('WHEEL_RAIL', 1).i}.QP"]
    check(m, functional, numbers, 0.03, 1e-5, integrator="RADAU5", size=1e-5, compare=False, **OF_RADAU)
