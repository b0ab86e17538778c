"""Hertz geometry against closed and published forms, rules of pairs, and the engineer's parameters against an impact
with them."""

from __future__ import annotations

import math

import pytest
from scipy.special import ellipe, ellipk

from holonom.contact import materials as M
from holonom.contact.laws import bounce as B
from holonom.contact.laws import hertz, hertz_line, impact
from holonom.model.base import ModelError
from holonom.model.outputs import Material
from holonom.model.settings import Units

INF = math.inf


def test_reduced_modulus_and_radius():
    steel = M.MATERIALS["steel"]
    assert M.reduced_modulus(steel, steel) == pytest.approx(207e9 / (2.0 * (1.0 - 0.292**2)), rel=1e-14)
    assert M.reduced_radius(0.02) == 0.02
    assert M.reduced_radius(0.02, 0.03) == pytest.approx(0.012)
    assert M.reduced_radius(0.0095, -0.01) == pytest.approx(0.0095 * 0.01 / 0.0005)
    assert M.effective_mass(2.0, 3.0) == pytest.approx(1.2) and M.effective_mass(2.0) == 2.0


def test_circles():
    """Spheres, a sphere on a plane and equal crossed cylinders touch in circles: R is the reduced radius, a^2 = R d."""
    for i, j, angle, R in (
        ((0.02, 0.02), (INF, INF), 0.0, 0.02),
        ((0.02, 0.02), (0.03, 0.03), 0.7, 0.012),
        ((0.05, INF), (0.05, INF), math.pi / 2, 0.05),
    ):
        spot = M.elliptic(i, j, angle)
        assert (
            spot.radius == pytest.approx(R, rel=1e-12)
            and spot.ratio == pytest.approx(1.0, abs=1e-7)
            and spot.spread == pytest.approx(R, rel=1e-7)
        )


ELLIPSES = [
    ((0.02, 0.02), (-0.021, INF), 0.0),
    ((0.02, 0.005), (INF, INF), 0.0),
    ((0.03, INF), (0.01, INF), 0.6),
    ((1.0, 1e-4), (INF, INF), 0.0),
]


@pytest.mark.parametrize("i, j, angle", ELLIPSES)
def test_ellipse_satisfies_johnsons_equations(i, j, angle):
    """A, B, d of Johnson (4.26) with SciPy's elliptic integrals; area moments of the pressure give the force."""
    spot = M.elliptic(i, j, angle)
    d, E = 1e-5, 1e11
    a = math.sqrt(spot.spread * d)
    b = spot.ratio * a
    m = 1.0 - spot.ratio**2
    K, Q = ellipk(m), ellipe(m)
    F = 4.0 / 3.0 * E * math.sqrt(spot.radius) * d**1.5
    p0 = spot.pressure(F, d)
    assert p0 == pytest.approx(1.5 * F / (math.pi * a * b), rel=1e-13)
    A, B_ = p0 / E * b / (m * a * a) * (K - Q), p0 / E * b / (m * a * a) * (Q * a * a / (b * b) - K)
    assert p0 / E * b * K == pytest.approx(d, rel=1e-10)
    # A + B and B - A from the radii
    total = 0.5 * sum(1.0 / r for r in (*i, *j))
    di, dj = 1 / i[0] - 1 / i[1], 1 / j[0] - 1 / j[1]
    assert A + B_ == pytest.approx(total, rel=1e-9)
    assert B_ - A == pytest.approx(0.5 * math.sqrt(di**2 + dj**2 + 2 * di * dj * math.cos(2 * angle)), rel=1e-9)


@pytest.mark.parametrize("ratio", [1.0, 2.0, 5.0, 20.0, 35.0])
def test_hamrock_and_brewe(ratio):
    """Their fit (Journal of Lubrication Technology 105 (1983) 171) of a/b = 1.0339 r^0.636 and K = 1.5277 + 0.6023 ln
    r, for k up to 10."""
    spot = M.elliptic((0.01, 0.01 * ratio))
    assert 1.0 / spot.ratio == pytest.approx(1.0339 * ratio**0.636, rel=0.035)
    assert 0.5 * math.pi * math.sqrt(spot.spread / spot.radius) == pytest.approx(
        1.5277 + 0.6023 * math.log(ratio), rel=0.03
    )


def test_surfaces_without_point_contact():
    for surfaces, words in (
        (((0.01, INF), (0.02, INF), 0.0), "line"),
        (((0.01, 0.01), (-0.01, INF), 0.0), "line or a face"),
        (((0.02, 0.02), (-0.01, INF), 0.0), "no point contact"),
    ):
        with pytest.raises(ModelError, match=words):
            M.elliptic(*surfaces)
    with pytest.raises(ModelError, match="smaller than the hollow"):
        M.reduced_radius(0.02, -0.01)


def test_rules_of_pairs():
    assert M.combine("product", 0.5, 0.4) == pytest.approx(0.2)
    assert M.combine("average", 0.5, 0.4) == pytest.approx(0.45)
    assert (M.combine("min", 0.5, 0.4), M.combine("max", 0.5, 0.4)) == (0.4, 0.5)
    assert M.combine("geometric", 0.9, 0.4) == pytest.approx(0.6)
    assert M.combine("series", 3e6, 6e6) == pytest.approx(2e6)
    table = {frozenset(("steel", "rubber")): 0.8}
    assert M.combine("min", 0.5, 0.4, ("rubber", "steel"), table) == 0.8
    for arguments, words in (
        (("mean", 1.0, 1.0), "choose one of product"),
        (("table", 1.0, 1.0, ("glass", "steel"), table), "glass and steel"),
        (("min", -0.1, 0.2), "not be negative"),
    ):
        with pytest.raises(ModelError, match=words):
            M.combine(*arguments)
    assert M.friction("aluminium", "steel") == (0.61, 0.47)
    with pytest.raises(ModelError, match="of glass on oak"):
        M.friction("glass", "oak")


def test_materials_of_models_and_of_the_table():
    mmks = Units.named("MMKS")
    written = Material(id=1, name="steel", youngs_modulus=2.07e5, poissons_ratio=0.292, density=7.8e-6)
    m = M.material(written, mmks)
    assert m.young == pytest.approx(207e9) and m.density == pytest.approx(7800.0)
    assert M.material("Cast_Iron").young == 100e9
    with pytest.raises(ModelError, match="no material 'unobtainium'"):
        M.material("unobtainium")
    with pytest.raises(ModelError, match="POISSONS_RATIO"):
        M.material(Material(id=2, youngs_modulus=1.0), mmks)
    with pytest.raises(ModelError, match="Poisson's ratio 0.7"):
        M.Material("odd", 1.0, 0.7, 1.0)


def test_impact_parameters_of_a_steel_ball():
    """25.4 mm ball on a steel plate at 1 m/s: depth, force and time as the elastic impact has them; the damping gives
    e."""
    r, m = 0.0127, 0.0669
    q = M.impact_parameters("steel", "steel", radius=r, mass=m, speed=1.0, restitution=0.8)
    b = B.bounce(hertz, (q.stiffness, 1.5, 0.0, 1.0, 0.0), 1.0, m)
    assert (
        b.depth == pytest.approx(q.depth, rel=1e-8)
        and b.time == pytest.approx(q.time, rel=1e-8)
        and b.force == pytest.approx(q.force, rel=1e-3)
    )
    assert B.bounce(impact, tuple(q.fields.values()), 1.0, m).restitution == pytest.approx(0.8, abs=1e-6)
    # Johnson (11.23, 11.24): depth (15 m v^2/(16 sqrt(R) E*))^(2/5), time 2.87 (m^2/(R E*^2 v))^(1/5)
    E = M.reduced_modulus(M.MATERIALS["steel"], M.MATERIALS["steel"])
    assert q.depth == pytest.approx((15.0 * m / (16.0 * math.sqrt(r) * E)) ** 0.4, rel=1e-12)
    assert q.time == pytest.approx(2.87 * (m * m / (r * E * E)) ** 0.2, rel=1e-3)
    assert "STIFFNESS" in q.text and "steel on steel" in q.text


def test_units_do_not_matter():
    """The same impact in kg, mm, N, s: every number converts."""
    si = M.impact_parameters("steel", "nylon", radius=0.01, mass=0.2, speed=2.0, restitution=0.7)
    mm = M.impact_parameters(
        "steel", "nylon", radius=10.0, mass=0.2, speed=2000.0, restitution=0.7, units=Units.named("MMKS")
    )
    for name, factor in {
        "stiffness": 1e3**-1.5,
        "damping": 1e-3,
        "dmax": 1e3,
        "depth": 1e3,
        "force": 1.0,
        "time": 1.0,
        "pressure": 1e-6,
    }.items():
        assert getattr(mm, name) == pytest.approx(factor * getattr(si, name), rel=1e-8)


def test_impact_parameters_of_cylinders_and_of_a_ball_in_a_groove():
    """The fitted power law has the depth and force of the line contact; an ellipse's radius enters a point contact."""
    q = M.impact_parameters("steel", "bronze", cylinders=(0.01, -0.0102), length=0.02, mass=0.3, speed=0.2)
    row = (math.pi * M.reduced_modulus(M.MATERIALS["steel"], M.MATERIALS["bronze"]) * 0.02, 0.0002, 0.0)
    b = B.bounce(hertz_line, row, 0.2, 0.3)
    assert b.depth == pytest.approx(q.depth, rel=1e-8)
    assert q.stiffness * q.depth**q.exponent == pytest.approx(q.force, rel=1e-12)
    assert B.bounce(impact, (q.stiffness, q.exponent, 0.0, 1.0), 0.2, 0.3).time == pytest.approx(b.time, rel=0.02)
    g = M.impact_parameters("steel", "steel", surfaces=((0.01, 0.01), (-0.0104, INF)), mass=0.03, speed=0.5)
    assert g.stiffness > 1.3 * M.impact_parameters("steel", "steel", radius=0.01, mass=0.03, speed=0.5).stiffness


@pytest.mark.parametrize(
    "given, words",
    [
        ({"radius": INF}, "faces have no Hertz contact"),
        ({"radius": 0.01, "restitution": 0.0}, "between 0"),
        ({"radius": 0.01, "mass": -1.0}, "positive effective mass"),
        ({}, "one of radius, surfaces and cylinders"),
        ({"cylinders": (0.01, 0.02)}, "length of their common line"),
        ({"cylinders": (0.01, -0.010001), "length": 0.02, "mass": 5.0, "speed": 5.0}, "beyond what line contact"),
    ],
)
def test_bad_input_of_the_helper(given, words):
    with pytest.raises(ModelError, match=words):
        M.impact_parameters("steel", "steel", **({"mass": 1.0, "speed": 1.0} | given))


def test_context_is_in_model_units():
    c = M.context("steel", "steel", Units.named("MMKS"), radius=12.0)
    assert c.modulus == pytest.approx(M.reduced_modulus(M.MATERIALS["steel"], M.MATERIALS["steel"]) * 1e-6)
    assert c.metre == pytest.approx(1000.0) and c.radius == 12.0
