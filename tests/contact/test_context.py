"""What the builder tells laws about the shapes and materials of a contact."""

import math

import numpy as np
import pytest

import holonom as hn
from holonom.contact import materials as M
from holonom.model import ModelError
from holonom.model.shape import shape_of
from holonom.system.build import System
from holonom.system.contact_context import context

STEEL, BRASS = M.MATERIALS["steel"], M.MATERIALS["brass"]
MODULUS = M.reduced_modulus(STEEL, BRASS) * 1e-6  # N/mm^2


def scene(first, second, **parameters):
    """Parameter row of a contact of two shapes; ``first`` and ``second`` make them."""
    m = hn.Model("pair", units="mm")
    m.contact(first(m, m.part("ball", 1.0, (1, 1, 1), (0, 0, 10))), second(m, m.ground), **parameters)
    return System(m).contacts.S.p[0]


ball = lambda m, body: m.sphere(body, (0, 0, 10), 10)
flat = lambda m, body: m.plane(body, (0, 0, 0), (0, 0, 1))
bore = lambda m, body: m.cylinder(body, (-20, 0, 0), (20, 0, 0), 12, inside=True)
ring = lambda m, body: m.torus(body, (0, 0, 10), (0, 1, 0), 7, 3)


@pytest.mark.parametrize("first, second, radius", [
    (ball, flat, 10.0),
    (ball, lambda m, body: m.sphere(body, (0, 0, 0), 12, inside=True), 60.0),
    (ball, lambda m, body: m.sphere(body, (0, 0, -5), 5), 10 / 3),
    (ball, bore, M.elliptic((10, 10), (-12, math.inf)).radius),
    (ring, flat, M.elliptic((10, 3), (math.inf, math.inf)).radius),
])  # fmt: skip
def test_hertz_from_materials(first, second, radius):
    row = scene(first, second, law="HERTZ", materials=("steel", "brass"))
    assert row[0] == pytest.approx(4 / 3 * MODULUS * math.sqrt(radius), rel=1e-10)
    assert row[1] == 1.5


def test_materials_of_the_model_come_first():
    m = hn.Model("own", units="mm")
    m.add(hn.model.outputs.Material(name="steel", density=7.8e-6, youngs_modulus=1e5, poissons_ratio=0.0))
    body = m.part("ball", 1.0, (1, 1, 1), (0, 0, 10))
    m.contact(ball(m, body), flat(m, m.ground), law="HERTZ", materials="steel")
    assert System(m).contacts.S.p[0, 0] == pytest.approx(4 / 3 * 5e4 * math.sqrt(10))


def test_units_of_default_speeds():
    """1 mm/s, in millimetres."""
    row = scene(ball, flat, law="POISSON", penalty=1e3, restitution=0.5)
    assert row[2] == pytest.approx(1.0)


def test_curvatures_that_differ_are_named():
    m = hn.Model("two", units="mm")
    body = m.part("balls", 1.0, (1, 1, 1), (0, 0, 10))
    balls = [m.sphere(body, (30 * k, 0, 10 + k), 10 + k) for k in range(2)]
    with pytest.raises(ModelError, match="different curvatures .radii 10, 11."):
        m.contact(balls, flat(m, m.ground), law="HERTZ", materials="steel", name="both")
        System(m)
    m.table("CONTACT")[1].stiffness = 1e5
    assert System(m).contacts.S.p[0, 0] == 1e5


@pytest.mark.parametrize("second, words", [
    (lambda m, body: m.box(body, (0, 0, -5), (9, 9, 9)), "HERTZ needs a curved surface"),
])  # fmt: skip
def test_no_curvature(second, words):
    with pytest.raises(ModelError, match=words):
        scene(ball, second, law="HERTZ", materials="steel")


def test_unknown_material():
    with pytest.raises(ModelError, match="no material 'cheese'"):
        scene(ball, flat, law="HERTZ", materials="cheese")


def rods(axis, hollow):
    """What is known of a cylinder along y (on a part with axes of its own) against another one along ``axis``."""
    m = hn.Model("rods", units="mm")
    pin = m.part("pin", 1.0, (1, 1, 1), (0, 0, 10), axes=[[0, 0, 1], [1, 0, 0], [0, 1, 0]])
    end = 20 * np.array(axis)
    a, b = m.cylinder(pin, (0, -5, 10), (0, 5, 10), 10), m.cylinder(m.ground, -end, end, 20, inside=hollow)
    e = m.contact(a, b, law="HERTZ_LINE", materials="steel")
    return context(m, e, ([shape_of(m, a)], [shape_of(m, b)]))


def test_parallel_and_crossed_cylinders():
    """Axes are compared in ground, wherever the bodies' own axes point."""
    found = rods((0, 1, 0), True)
    assert (found.length, found.spread) == pytest.approx((10.0, 10.0))
    assert np.isclose(found.modulus, M.reduced_modulus(STEEL, STEEL) * 1e-6)
    assert rods((0, -1, 0), False).spread == pytest.approx(30.0)
    crossed = rods((1, 0, 0), False)
    assert crossed.spread is None
    assert crossed.radius == pytest.approx(M.elliptic((10, math.inf), (20, math.inf), math.pi / 2).radius)
