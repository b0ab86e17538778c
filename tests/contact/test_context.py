"""What the builder gives laws about the shapes and materials of a contact."""

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


@pytest.mark.parametrize(
    "first, second, radius",
    [
        (ball, flat, 10.0),
        (ball, lambda m, body: m.sphere(body, (0, 0, 0), 12, inside=True), 60.0),
        (ball, lambda m, body: m.sphere(body, (0, 0, -5), 5), 10 / 3),
        (ball, bore, M.elliptic((10, 10), (-12, math.inf)).radius),
        (ring, flat, M.elliptic((10, 3), (math.inf, math.inf)).radius),
    ],
)
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


@pytest.mark.parametrize(
    "second, words",
    [
        (lambda m, body: m.box(body, (0, 0, -5), (9, 9, 9)), "HERTZ needs a curved surface"),
    ],
)
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


def each_with_each(shapes, **parameters):
    """Parameter row of a contact of a list of shapes with itself."""
    m = hn.Model("list", units="mm")
    made = shapes(m)
    m.contact(made, **{"law": "HERTZ", "materials": "steel", **parameters})
    return System(m).contacts.S.p[0]


def row_of(kind, n=3):
    def make(m):
        parts = [m.part(f"b{k}", 1.0, (1, 1, 1), (30 * k, 0, 0)) for k in range(n)]
        if kind == "sphere":
            return [m.sphere(b, (30 * k, 0, 0), 10) for k, b in enumerate(parts)]
        if kind == "torus":
            return [m.torus(b, (30 * k, 0, 0), (0, 1, 0), 7, 3) for k, b in enumerate(parts)]
        if kind == "crossed":
            return [
                m.cylinder(b, (30 * k, -5 * (k % 2), -5 * (1 - k % 2)), (30 * k, 5 * (k % 2), 5 * (1 - k % 2)), 10)
                for k, b in enumerate(parts)
            ]
        rod = m.cylinder if kind == "cylinder" else m.capsule
        return [rod(b, (30 * k, -5, 0), (30 * k, 5, 0), 10) for k, b in enumerate(parts)]

    return make


@pytest.mark.parametrize("kind, radius", [("sphere", 5.0), ("torus", M.elliptic((10, 3), (10, 3)).radius)])
def test_a_list_of_one_shape_with_itself(kind, radius):
    """Each with each needs two bodies for a pair, where one shape represents all that are like it."""
    modulus = M.reduced_modulus(STEEL, STEEL) * 1e-6
    for n in (2, 3):
        assert each_with_each(row_of(kind, n))[0] == pytest.approx(4 / 3 * modulus * math.sqrt(radius), rel=1e-10)


@pytest.mark.parametrize("kind", ["cylinder", "capsule"])
def test_a_list_of_parallel_rods_with_itself(kind):
    row = each_with_each(row_of(kind), law="HERTZ_LINE")
    assert row[:2] == pytest.approx([math.pi * M.reduced_modulus(STEEL, STEEL) * 1e-6 * 10.0, 20.0])
    with pytest.raises(ModelError, match="they touch along a line: choose HERTZ_LINE"):
        each_with_each(row_of(kind))


def test_rods_of_one_part_that_point_elsewhere_are_looked_at():
    """Parallel ones are a line, crossed ones a point: no law suits both, whichever of them comes first."""
    for law in ("HERTZ", "HERTZ_LINE"):
        with pytest.raises(
            ModelError, match=f"{law} does not suit all of its pairs of shapes: .* they touch (along a line|in a point)"
        ):
            each_with_each(row_of("crossed"), law=law)

    def frame(m):  # one part carries both directions
        cross, other = m.part("cross", 1.0, (1, 1, 1)), m.part("other", 1.0, (1, 1, 1), (40, 0, 0))
        return [
            m.cylinder(cross, (0, -5, 0), (0, 5, 0), 10),
            m.cylinder(cross, (0, 0, -5), (0, 0, 5), 10),
            m.cylinder(other, (40, -5, 0), (40, 5, 0), 10),
        ]

    with pytest.raises(ModelError, match="HERTZ_LINE does not suit all"):
        each_with_each(frame, law="HERTZ_LINE")


def test_a_shape_without_a_curvature_among_others_is_named():
    """The curvature of the other pairs is not used for it."""

    def mixed(m):
        return [
            *row_of("sphere", 2)(m),
            m.ellipsoid(m.part("egg", 1.0, (1, 1, 1), (0, 90, 0)), (0, 90, 0), (9, 8, 7), name="egg_shape"),
        ]

    with pytest.raises(
        ModelError,
        match="HERTZ does not suit all .*egg_shape.*: an ELLIPSOID has no constant curvature; make a",
    ):
        each_with_each(mixed)
    assert each_with_each(mixed, stiffness=7.0)[0] == 7.0


def test_only_pairs_that_may_meet_are_looked_at():
    """Not those of joined parts, nor those excluded, nor those of one part."""

    def arm(m):
        a, b, c = (m.part(f"p{k}", 1.0, (1, 1, 1), (40 * k, 0, 0)) for k in range(3))
        m.revolute(a, b, at=(20, 0, 0), axis=(0, 0, 1))
        return [m.sphere(a, (0, 0, 0), 10), m.sphere(b, (40, 0, 0), 12), m.sphere(c, (80, 0, 0), 10)]

    modulus = M.reduced_modulus(STEEL, STEEL) * 1e-6
    m = hn.Model("arm", units="mm")
    x, y, z = arm(m)
    contact = m.contact([x, y, z], law="HERTZ", materials="steel", exclude=[(y, z)])
    assert System(m).contacts.S.p[0, 0] == pytest.approx(4 / 3 * modulus * math.sqrt(5.0), rel=1e-10)
    contact.joined = True
    with pytest.raises(ModelError, match="different curvatures"):
        System(m)


def test_equal_hollows_in_a_list_are_refused():
    def hollows(m):
        ball = row_of("sphere", 1)(m)[0]
        return [
            ball,
            *(m.sphere(m.part(f"h{k}", 1.0, (1, 1, 1), (0, 0, k)), (0, 0, k), 20, inside=True) for k in range(2)),
        ]

    with pytest.raises(ModelError, match="two shapes that are both hollow"):
        each_with_each(hollows, stiffness=1.0)

    def fixed(m):  # of one part they never meet
        cage = m.part("cage", 1.0, (1, 1, 1))
        return [row_of("sphere", 1)(m)[0], *(m.sphere(cage, (0, 0, k), 20, inside=True) for k in range(2))]

    assert each_with_each(fixed)[0] > 0
