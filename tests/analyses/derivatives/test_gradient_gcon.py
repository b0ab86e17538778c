"""Gradients of runs with general constraints (GCON), against differences of runs."""

import numpy as np
import pytest
from test_gradient import OF_PARTS, check, two

import holonom as hn


def test_a_rod_as_a_general_constraint_by_all_numbers():
    """A rod between markers, its length the constant of the function; the start is assembled anew."""
    m, a, b = two("spherical", gravity=(0.3, -0.2, -9.81))
    i, j = m.marker(b, (0.1, 0.03, 0)), m.marker(m.ground, (1.2, 0.4, 0.9))
    length = float(np.linalg.norm(np.array([1.0, 0.33, 0.1]) - (1.2, 0.4, 0.9)))
    m.constraint(f"DM({i},{j})-{length!r}")
    tip = m.marker(b, (0.12, 0, 0.01))
    names = [*OF_PARTS, f"MARKER/{tip.id}.QP", f"MARKER/{i.id}.QP", f"MARKER/{j.id}.QP", "GCON/1.FUNCTION(1)"]
    functional = hn.final(f"DX({tip})") + 0.3 * hn.final(f"WZ({tip})*DY({tip})")
    check(m, functional, names, end=0.2, tolerance=5e-8)


def test_a_general_constraint_of_turns_and_time():
    m = hn.Model("bead")
    m.gravity = (0, 0, -9.81)
    bead = m.part("bead", 0.5, (0.01, 0.02, 0.03), position=(0.4, 0, 0.08))
    other = m.part("other", 0.7, (0.02, 0.02, 0.01), position=(0.6, 0.1, 0.1))
    m.planar(bead, m.ground, at=(0, 0, 0), axis=(0, 1, 0))
    m.spherical(bead, other, at=(0.5, 0, 0.1))
    c = m.parameter("c", 0.5)
    i, j = m.marker(other, (0.05, 0, 0)), m.marker(m.ground, (0.1, 0, 0))
    m.constraint(f"DZ({bead.cm})-{c}*DX({bead.cm})**2+0.2*SIN(3*TIME)*AY({bead.cm})+0.05*DY({i},{j},{i})*TIME")
    names = ["PART/2.MASS", "PART/3.IP", "GRAVITY", f"MARKER/{i.id}.QP", f"MARKER/{j.id}.QP", "c"]
    check(m, hn.final(f"DX({bead.cm})+DZ({other.cm})"), names, end=0.3, tolerance=5e-8)


def bead(text):
    """A bead in a plane on a curve that a general constraint gives; c = 0.5, a = 2."""
    m = hn.Model("bead")
    m.gravity = (0, 0, -9.81)
    part = m.part("bead", 0.5, (0.01, 0.02, 0.03), position=(0.4, 0, 0.08))
    m.planar(part, m.ground, at=(0, 0, 0), axis=(0, 1, 0))
    c, a = m.parameter("c", 0.5), m.parameter("a", 2.0)
    m.constraint(text.format(b=part.cm, c=c, a=a))
    m.constraint(f"AY({part.cm})")
    return m, part


def test_constants_move_the_start_and_its_velocities():
    """A line z = 0.08 + c (x - 0.4) + a t turns with c about the bead: its fitted velocity is a (-c, 1) / (1 + c^2)."""
    m, part = bead("DZ({b})-0.08-{c}*(DX({b})-0.4)-{a}*TIME")
    c, a, none = 0.5, 2.0, dict(end=1e-9, integrator="RK4", step=1e-9)
    along = hn.gradient(m, hn.final(f"VX({part.cm})"), ["c", "a"], **none)
    assert along.value == pytest.approx(-c * a / (1 + c * c), rel=1e-7)
    assert along["c"] == pytest.approx(-a * (1 - c * c) / (1 + c * c) ** 2, rel=1e-7)
    assert along["a"] == pytest.approx(-c / (1 + c * c), rel=1e-7)
    up = hn.gradient(m, hn.final(f"VZ({part.cm})"), ["c"], **none)
    assert up["c"] == pytest.approx(-2 * a * c / (1 + c * c) ** 2, rel=1e-7)


def test_a_general_constraint_faster_than_its_machine():
    """The curve shakes at 3,000 rad/s by accelerations far above those of the bead: differences of runs."""
    m, part = bead("DZ({b})-{c}*DX({b})**2*(1+0.0033*{a}*(1-COS(3000*TIME)))")
    functional, options = hn.final(f"DX({part.cm})"), dict(end=0.02, integrator="DOP853", error=1e-11)

    def value(c):
        return hn.gradient(m.with_parameters({"c": c}), functional, ["c"], **options).value

    apart = [(value(0.5 + h) - value(0.5 - h)) / (2 * h) for h in (1e-3, 2e-3)]
    found = hn.gradient(m, functional, ["c"], **options)
    assert found["c"] == pytest.approx((4 * apart[0] - apart[1]) / 3, rel=1e-7)


def test_a_driven_general_constraint_in_kinematics_and_statics():
    """A slider on the line z = c x that a constraint holds, pulled by its weight against a spring: closed form."""

    def build(c, k):
        m = hn.Model("slide")
        m.gravity = (0, 0, -9.81)
        c, k = m.parameter("c", c), m.parameter("k", k)
        block = m.part("block", 2.0, (0.1, 0.2, 0.3), position=(1.0, 0, -0.5))
        m.planar(block, m.ground, at=(0, 0, 0), axis=(0, 1, 0))
        m.constraint(f"DZ({block.cm})+{c}*DX({block.cm})")
        m.constraint(f"AY({block.cm})")
        m.spring_damper(block.cm, m.marker(m.ground), k, length=1.0)
        return m, block

    m, block = build(0.5, 80.0)
    g = hn.gradient(m, hn.final(f"DX({block.cm})"), ["c", "k"], kind="statics")
    x = lambda c, k: (1.0 + 2.0 * 9.81 * np.sin(np.arctan(c)) / k) * np.cos(np.arctan(c))
    assert g.value == pytest.approx(x(0.5, 80.0), rel=1e-10)
    h = 1e-4
    assert g["c"] == pytest.approx((x(0.5 + h, 80.0) - x(0.5 - h, 80.0)) / (2 * h), rel=1e-7)
    assert g["k"] == pytest.approx((x(0.5, 80.0 + h) - x(0.5, 80.0 - h)) / (2 * h), rel=1e-6)


def test_reactions_and_velocities_of_general_constraints_are_refused():
    m, a, b = two("spherical")
    tip = m.marker(b, (0.12, 0, 0.01))
    rod = m.constraint(f"DX({tip})-1.02")
    with pytest.raises(hn.ModelError, match="reaction of a GCON"):
        hn.gradient(m, hn.final(f"GCON({rod.id},0,1,0)"), "PART/2.MASS", end=0.1)
