"""Gradients of models with cables and beams in absolute coordinates and with rods: closed forms, differences."""

import math

import pytest
from test_gradient import check

import holonom as hn
from holonom.model.base import ModelError

FIXED = {"hmin": 0.001, "hmax": 0.001, "newton": 1e-10, "error": 1e-6}
OF_RADAU = {"hmin": 0.0025, "hmax": 0.0025, "newton": 1e-11, "error": 1e-6}


def held(m, rope, k=0):
    m.fixed(rope.first, m.ground, at=rope.places[k])
    return m.marker(rope.last)


@pytest.mark.parametrize("kind", ["cable", "planar beam", "beam", "rod"])
def test_the_tip_of_a_cantilever_by_E_and_its_section(kind):
    """F l^3 / 3 E I + F l / k G A, at deflections of 1e-6 of the length."""
    m = hn.Model("cantilever")
    m.gravity = (0, 0, 0)
    E, side = m.parameter("E", 2e9), m.parameter("side", 0.04)
    load, long, nu = 1e-3, 0.8, 0.25
    shears = kind in ("planar beam", "beam")
    ends = [(0, 0, 0), (long, 0, 0)]
    section = hn.flexible.Section.rectangle(side, side, shear=shears)
    if kind == "cable":
        beam = hn.flexible.cable(m, ends, EA=E * side**2, EI=E * side**4 / 12, mass=1.0, elements=3)
    elif kind == "rod":
        beam = hn.flexible.rod(m, ends, section, E=E, density=1000.0, nu=nu, elements=4)
        m.fixed(beam.first, m.ground, at=(0, 0, 0))
        tip = m.marker_at(beam.last, (long, 0, 0))
    else:
        plane = {"plane": "xy"} if kind == "planar beam" else {}
        beam = hn.flexible.ancf_beam(m, ends, section, E=E, nu=nu, density=1000.0, elements=3, **plane)
    if kind != "rod":
        tip = held(m, beam)
    m.vforce(tip, m.ground, fy=f"{load}", rm=m.marker(m.ground))
    g = hn.gradient(m, hn.final(f"DY({tip})"), ["E", "side", "VFORCE/1.FY(1)"], kind="statics")
    bending = load * long**3 / (3 * 2e9 * 0.04**4 / 12)
    shear = load * long * 2 * (1 + nu) / (5 / 6 * 2e9 * 0.04**2) if shears else 0.0
    rel = 1e-8 if kind != "rod" else 1e-6  # next to the square of its deflection
    assert g.value == pytest.approx(bending + shear, rel=rel)
    assert g["E"] == pytest.approx(-(bending + shear) / 2e9, rel=rel)
    assert g["side"] == pytest.approx(-(4 * bending + 2 * shear) / 0.04, rel=rel)
    assert g["VFORCE/1.FY(1)"] == pytest.approx((bending + shear) / load, rel=rel)


def test_frequencies_of_a_straight_cable():
    """Of bending as the root of EI / mass, which elements change by their share alone; of the continuum to 1e-4."""
    m = hn.Model("cantilever")
    m.gravity = (0, 0, 0)
    EI, mass = m.parameter("EI", 3.0), m.parameter("mass", 0.7)
    cable = hn.flexible.cable(m, [(0, 0, 0), (1.5, 0, 0)], EA=1e6, EI=EI, mass=mass, elements=4, plane="xy")
    held(m, cable)
    g = hn.gradient(m, hn.natural_frequency(1), ["EI", "mass"])
    exact = 1.875104068711961**2 / 1.5**2 * math.sqrt(3.0 / 0.7) / (2 * math.pi)
    assert g.value == pytest.approx(exact, rel=1e-4)
    assert g["EI"] == pytest.approx(g.value / (2 * 3.0), rel=1e-6)
    assert g["mass"] == pytest.approx(-g.value / (2 * 0.7), rel=1e-6)


def swinging(kind="cable", **words):
    """A cable or beam on a ball joint, a weight on its end, a spring, a force that turns with a point within it."""
    m = hn.Model("m")
    m.gravity = (0.3, -0.2, -9.81)
    E = m.parameter("E", 1e5)
    damping, density = m.parameter("damping", 2e-3), m.parameter("density", 900.0)
    ends = [(0, 0, 0), (0.5, 0.05, 0.02), (1, 0, 0.1)]
    if kind == "cable":
        stiff = {"EA": E * 0.001, "EI": E * 3e-7, "mass": density * 0.0004}
        rope = hn.flexible.cable(m, ends, elements=2, damping=damping, **stiff, **words)
    else:
        section = hn.flexible.Section.rectangle(0.05, 0.03, shear=True)
        rope = hn.flexible.ancf_beam(m, ends, section, E=E, density=density, damping=damping, elements=2, **words)
    load = m.part("load", 0.3, (0.001, 0.0012, 0.0015), position=(1.0, 0.0, 0.0))
    m.spherical(rope.first, m.ground, "pin", at=(0, 0, 0))
    m.fixed(rope.last, load, "hook", at=(1, 0, 0.1))
    m.spring_damper(m.marker(load, (0.01, 0.02, 0)), m.marker(m.ground, (1.2, 0.2, 0.3)), 20.0, 0.1, 0.3)
    middle = m.marker(rope.at(0.3), (0.01, 0.02, 0.03))
    m.vforce(middle, m.ground, fy=f"-1.5*DY({middle})-0.2*VY({middle})+0.4*SIN(7*TIME)", rm=middle)
    return m, rope, load, middle


NUMBERS = ["E", "damping", "density", "GRAVITY", "PART/2.MASS", "PART/2.IP", "SPRINGDAMPER/1.K", "VFORCE/1.FY(1)"]


def of_motion(load, middle):
    tip = load.cm
    return (
        hn.final(f"DX({tip})+0.3*VZ({tip})") + hn.integral(f"DZ({middle})**2") + 0.1 * hn.value_at(f"WX({tip})", 0.03)
    )


@pytest.mark.parametrize("kind", ["cable", "beam"])
def test_a_swing_by_its_numbers(kind):
    m, rope, load, middle = swinging(kind)
    numbers = [*NUMBERS, f"MARKER/{middle.id}.QP"]
    check(m, of_motion(load, middle), numbers, 0.06, 1e-7, error=1e-11)


@pytest.mark.parametrize("integrator, options", [("RADAU5", OF_RADAU), ("HHT", FIXED)])
def test_implicit_methods(integrator, options):
    m, rope, load, middle = swinging("beam")
    check(m, of_motion(load, middle), NUMBERS, 0.06, 1e-7, integrator=integrator, size=3e-4, **options)


def test_reactions_and_accelerations():
    m, rope, load, middle = swinging()
    check(m, hn.final(f"ACCY({middle})+JOINT(1,0,4,0)"), NUMBERS, 0.04, 1e-6, error=1e-11)


def test_what_is_refused():
    m = hn.Model("m")
    E = m.parameter("E", 1e5)
    with pytest.raises(ModelError, match="cable: points takes no parameter"):
        hn.flexible.cable(m, [(0, 0, 0), (E, 0, 0)], EA=1.0, EI=1.0, mass=1.0)
    rope = hn.flexible.cable(m, [(0, 0, 0), (1, 0, 0)], EA=E, EI=1.0, mass=1.0, radius=0.1)
    with pytest.raises(ModelError, match="its surface would not follow other values of E"):
        rope.surface()
    m = hn.Model("m")
    law = hn.flexible.Plastic.bilinear(1.0, 0.5)
    rope = hn.flexible.cable(m, [(0, 0, 0), (1, 0, 0)], EA=1.0, mass=1.0, law=law, plane="xy", elements=1)
    with pytest.raises(ModelError, match="remembers what they have been through"):
        hn.gradient(m, hn.final(f"DX({m.marker(rope.last)})"), "GRAVITY(1)", end=0.1)


def test_the_direction_of_a_mesh_as_drawn_has_no_derivative_yet():
    m = hn.Model("m")
    rope = hn.flexible.cable(m, [(0, 0, 0), (1, 0, 0)], EA=1.0, EI=1.0, mass=1.0, elements=1)
    tip = m.marker(rope.last)
    with pytest.raises(ModelError, match="it enters points of meshes"):
        hn.gradient(m, hn.final(f"DX({tip})"), f"ABSOLUTE_MESH/{rope.mesh.id}.PLACES(5)", end=0.1)
