"""Shapes and contacts of a model: what a graphic is as a solid, the Python API, JSON, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest

from holonom.contact.tables import SHAPE_TYPES
from holonom.model import Model, ModelError
from holonom.model.mesh import check_mesh, mesh_volume
from holonom.model.shape import Profile, circle, crossing, reverse, shape_of
from holonom.model.shape_kinds import shape_kind

CUBE = (
    [(x, y, z) for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)],
    [
        (0, 1, 3),
        (0, 3, 2),
        (4, 6, 7),
        (4, 7, 5),
        (0, 4, 5),
        (0, 5, 1),
        (2, 3, 7),
        (2, 7, 6),
        (0, 2, 6),
        (0, 6, 4),
        (1, 5, 7),
        (1, 7, 3),
    ],
)


@pytest.fixture
def model() -> Model:
    m = Model("m", units="mm")
    m.part("body", 1.0, (1, 1, 1), position=(1, 2, 3), axes=[[0, -1, 0], [1, 0, 0], [0, 0, 1]])
    return m


def place(solid) -> tuple[np.ndarray, np.ndarray]:
    """Origin and axes of a solid in ground at the design position."""
    frame = solid.body.frame @ solid.frame
    return frame.origin, frame.axes


def test_the_parameters_of_each_kind_fit_its_solid(model):
    for name in SHAPE_TYPES:
        assert shape_kind(name).name == name and len(shape_kind(name).parameters) <= 13


def test_a_cylinder_starts_at_its_marker_and_is_centred(model):
    marker = model.marker_at("body", (0, 0, 5), z=(1, 0, 0))
    for length, centre in ((8.0, (4, 0, 5)), (-8.0, (-4, 0, 5))):
        solid = shape_of(model, model.graphic("CYLINDER", cm=marker.id, length=length, radius=2.0))
        assert (solid.kind, solid.par) == ("CYLINDER", (2.0, 4.0, 0.0, 1.0))
        np.testing.assert_allclose(place(solid)[0], centre, atol=1e-12)
        np.testing.assert_allclose(place(solid)[1][:, 2], (1, 0, 0), atol=1e-12)
    assert solid.body is model.find("PART", "body")


def test_a_bore_has_its_material_outside(model):
    solid = shape_of(model, model.cylinder("body", (0, 0, 0), (0, 0, 4), 3.0, inside=True))
    assert solid.par == (3.0, 2.0, 1.0, 0.0)


def test_a_box_hangs_on_its_corner_with_edges_of_any_sign(model):
    marker = model.marker_at(model.ground, (1, 1, 1))
    solid = shape_of(model, model.graphic("BOX", corner=marker.id, x=-2.0, y=4.0, z=-6.0))
    assert (solid.kind, solid.par) == ("BOX", (1.0, 2.0, 3.0))
    np.testing.assert_allclose(place(solid)[0], (0, 3, -2), atol=1e-12)


def test_a_box_of_python_is_centred_with_its_directions(model):
    solid = shape_of(model, model.box("body", (5, 6, 7), (2, 4, 6), x=(0, 1, 0)))
    np.testing.assert_allclose(place(solid)[0], (5, 6, 7), atol=1e-12)
    np.testing.assert_allclose(place(solid)[1][:, 0], (0, 1, 0), atol=1e-12)


def test_a_frustum_drawn_backwards_swaps_its_radii(model):
    marker = model.marker_at("body", (0, 0, 0))
    solid = shape_of(model, model.graphic("FRUSTUM", cm=marker.id, length=-4.0, bottom=3.0, top=1.0))
    assert (solid.kind, solid.par) == ("FRUSTUM", (1.0, 3.0, 2.0))  # the bottom, at the marker, is the upper end now
    assert shape_of(model, model.graphic("FRUSTUM", cm=marker.id, length=4.0, bottom=3.0, top=3.0)).kind == "CYLINDER"


def test_an_ellipsoid_has_diameters_and_a_round_one_is_a_sphere(model):
    marker = model.marker_at("body", (0, 0, 0))
    round_ = shape_of(model, model.graphic("ELLIPSOID", cm=marker.id, xscale=4.0, yscale=4.0, zscale=4.0))
    assert (round_.kind, round_.par) == ("SPHERE", (2.0, 0.0))
    long = shape_of(model, model.graphic("ELLIPSOID", cm=marker.id, xscale=4.0, yscale=4.0, zscale=6.0))
    assert (long.kind, long.par) == ("ELLIPSOID", (2.0, 2.0, 3.0))


def test_a_plane_is_a_half_space_and_bounds_move_its_frame_to_the_middle(model):
    solid = shape_of(model, model.plane(model.ground, (0, 0, 2), (0, 1, 0)))
    assert solid.par == (0.0, 0.0)
    np.testing.assert_allclose(place(solid)[1][:, 2], (0, 1, 0), atol=1e-12)
    marker = model.marker_at(model.ground, (0, 0, 0))
    solid = shape_of(model, model.graphic("PLANE", rm=marker.id, xmin=0.0, xmax=4.0, ymin=-1.0, ymax=5.0))
    assert solid.par == (2.0, 3.0)
    np.testing.assert_allclose(place(solid)[0], (2, 2, 0), atol=1e-12)


def test_profiles_run_with_the_material_on_their_left(model):
    square = [(0, 0), (0, 2), (2, 2), (2, 0)]  # clockwise
    for graphic in (model.extrusion("body", square, 5.0, twist=0.1), model.revolution("body", square)):
        solid = shape_of(model, graphic)
        assert solid.profile.area() == pytest.approx(4.0, rel=1e-12)
    solid = shape_of(model, model.extrusion("body", square, 5.0, twist=0.1))
    assert solid.par == (2.5, 0.1)


def test_arcs_of_profiles_by_bulge():
    full = circle(2.0)
    p = full.polyline(step=1e-3)
    np.testing.assert_allclose(np.hypot(*p.T), 2.0, rtol=1e-12)
    assert full.area() > 0 > reverse(full).area()
    drop = Profile(np.array([[0.0, 0.0], [3.0, 0.0], [1.0, 2.0]]), True, np.array([0.2, -0.1, 0.0]))
    there, back = drop.polyline(), reverse(drop).polyline()
    order = lambda q: q[np.lexsort(np.round(q, 9).T)]
    np.testing.assert_allclose(order(back), order(there), atol=1e-12)
    assert reverse(drop).area() == pytest.approx(-drop.area(), rel=1e-12)
    # a half circle to the right of the chord from (1, 0) to (-1, 0) bends downward: bulge -1
    bent = Profile(np.array([[1.0, 0.0], [-1.0, 0.0]]), False, np.array([-1.0, 0.0])).polyline(1e-2)
    np.testing.assert_allclose(bent.min(axis=0), (-1, -1), atol=1e-4)


def test_a_curve_element_becomes_a_plane_curve(model):
    t = np.linspace(0, 2 * math.pi, 13)
    curve = model.curve(np.column_stack([np.cos(t), np.sin(t), 0 * t]), closed=True)
    solid = shape_of(model, model.plane_curve("body", curve))
    assert (solid.kind, solid.profile.closed, solid.profile.order, len(solid.profile.points)) == ("CURVE", True, 4, 12)
    assert solid.profile.area() == pytest.approx(math.pi, rel=2e-3)
    lifted = model.curve(np.column_stack([np.cos(t), np.sin(t), 0.1 * np.sin(t)]), closed=True)
    with pytest.raises(ModelError, match="leaves the xy plane"):
        model.plane_curve("body", lifted)


def test_drawing_helpers_give_shapes(model):
    from holonom.model import drawing

    assert shape_of(model, drawing.ball(model, "body", (0, 0, 0), 4.0)).kind == "SPHERE"
    assert shape_of(model, drawing.rod(model, "body", (0, 0, 0), (0, 0, 1), 0.2)).kind == "CYLINDER"
    assert shape_of(model, drawing.block(model, "body", (0, 0, 0), (1, 1, 1))).kind == "BOX"


@pytest.mark.parametrize(
    ("type", "arguments", "words"),
    [
        ("SPHERE", {"radius": 0.0}, "radius must be positive"),
        ("CYLINDER", {"radius": 1.0, "length": 0.0}, "without volume"),
        ("CYLINDER", {"radius": 1.0, "length": 2.0, "rangle": 1.5}, "wedge of 85.9"),
        ("BOX", {"x": 1.0, "y": 0.0, "z": 2.0}, "one of its edges is zero"),
        ("ELLIPSOID", {"xscale": 1.0, "yscale": 0.0, "zscale": 2.0}, "without volume"),
        ("TORUS", {"major": 1.0, "minor": 2.0}, "thinner than its ring"),
        ("HULL", {"vertices": [(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)]}, "in one plane"),
        ("MESH", {"vertices": CUBE[0], "triangles": CUBE[1][1:]}, "open: 3 of its edges"),
        ("MESH", {"vertices": CUBE[0], "triangles": [t[::-1] for t in CUBE[1]]}, "inside out"),
        ("MESH", {"vertices": CUBE[0], "triangles": [CUBE[1][0][::-1], *CUBE[1][1:]]}, "disagree at 3 edges"),
        ("EXTRUSION", {"profile": [(0, 0), (1, 1), (1, 0), (0, 1)], "length": 1.0}, "crosses itself"),
        ("EXTRUSION", {"profile": [(0, 0), (1, 1), (2, 2)], "length": 1.0}, "encloses no area"),
        ("REVOLUTION", {"profile": [(-1, 0), (1, 0), (1, 1)]}, "crosses the axis"),
        ("HEIGHT_FIELD", {"heights": [(1, 2), (3,)], "dx": 1.0, "dy": 1.0}, "same length"),
        ("SPDP", {"i": 1, "j": 2}, "is a picture"),
        ("EXTERNAL", {"file": "a.xmt_txt", "element": "S1"}, "came from no file"),
        ("SPHERE", {"radius": math.nan}, "finite"),
    ],
)
def test_what_cannot_touch_is_one_clear_sentence(model, type, arguments, words):
    marker = model.marker("body")
    key = {"BOX": "corner", "EXTERNAL": "rm"}.get(type, "cm")
    graphic = model.graphic(type, "thing", **{key: marker.id}, **arguments)
    with pytest.raises(ModelError) as error:
        shape_of(model, graphic)
    text = str(error.value)
    assert words in text and "'thing'" in text and "\n" not in text


@pytest.mark.parametrize(
    ("method", "arguments", "words"),
    [
        ("mesh", {"mesh": (CUBE[0], CUBE[1][1:])}, "the mesh is open: 3 of its edges"),
        ("mesh", {"mesh": (CUBE[0], [t[::-1] for t in CUBE[1]])}, "the mesh is inside out: its triangles face inward"),
        ("mesh", {"mesh": ([(math.nan, 0, 0), *CUBE[0][1:]], CUBE[1])}, "vertex 0 of the mesh is not finite"),
        ("mesh", {"mesh": (CUBE[0], [*CUBE[1][1:], (0, 1, 30)])}, "names vertex 30, and there are 8"),
        ("mesh", {"mesh": (CUBE[0], [*CUBE[1][1:], (0, 1, -2)])}, "names vertex -2"),
        ("mesh", {"mesh": CUBE, "scale": -1.0}, "scales of a mesh must be positive"),
        ("mesh", {"mesh": "nowhere.stl"}, "nowhere.stl: No such file"),
        (
            "mesh",
            {
                "mesh": (
                    [*CUBE[0], *((x + 9, y, z) for x, y, z in CUBE[0]), *((x / 2 + 20, y, z) for x, y, z in CUBE[0])],
                    [
                        *CUBE[1],
                        *(tuple(i + 8 for i in t) for t in CUBE[1]),
                        *(tuple(i + 16 for i in t[::-1]) for t in CUBE[1]),
                    ],
                )
            },
            "a piece of the mesh (12 of its 36 triangles) is inside out and lies in no other piece",
        ),
        ("sphere", {"at": (0, 0, 0), "radius": 0.0}, "radius of a sphere must be positive"),
        ("sphere", {"at": (0, 0, 0), "radius": math.inf}, "finite"),
        (
            "plane",
            {"at": (0, 0, 0), "normal": (0, 0, 1), "size": -1.0},
            "edges of a plane must be positive, they are -1",
        ),
        ("plane", {"at": (0, 0, 0), "normal": (0, 0, 0)}, "gives no direction"),
        ("box", {"at": (0, 0, 0), "size": (1, -1, 1)}, "edges of a box must be positive, they are 1, -1, 1"),
        ("cylinder", {"a": (0, 0, 0), "b": (0, 0, 0), "radius": 1.0}, "both ends of its axis are the same point"),
        (
            "cylinder",
            {"a": (0, 0, 0), "b": (0, 0, 1), "radius": -1.0, "name": "pin"},
            "CYLINDER 'pin': its radius must be positive",
        ),
        ("cone", {"a": (0, 0, 0), "b": (0, 0, 1), "radius": 1.0, "top": -1.0}, "radii must not be negative"),
        ("ellipsoid", {"at": (0, 0, 0), "axes": (1, 0, 1)}, "semi-axes of an ellipsoid must be positive"),
        ("height_field", {"heights": [(1, 2), (3, 4)], "spacing": 0.0}, "dx must be positive"),
        ("plane_curve", {"profile": [(0, 0), (1, 1), (1, 0), (0, 1)]}, "crosses itself"),
        ("plane_curve", {"profile": [(0, 0), (1, 1), (1, 0)], "order": 0}, "ORDER = 0 is not an order of a profile"),
        ("plane_curve", {"profile": [(0, 0)]}, "at least 2 points of a profile"),
    ],
)
def test_what_the_methods_refuse_is_one_clear_sentence(model, method, arguments, words):
    with pytest.raises(ModelError) as error:
        getattr(model, method)("body", **arguments)
    assert words in str(error.value) and "\n" not in str(error.value) and "GRAPHICS/0" not in str(error.value)
    assert not model.table("GRAPHICS")


def test_pieces_of_a_mesh_may_be_cavities_and_are_turned_when_asked():
    inner = [tuple(0.25 + 0.5 * x for x in p) for p in CUBE[0]]
    back = [tuple(i + 8 for i in t[::-1]) for t in CUBE[1]]
    points, faces = check_mesh(np.array([*CUBE[0], *inner]), np.array([*CUBE[1], *back]))
    assert mesh_volume(points, faces) == pytest.approx(1.0 - 0.125, rel=1e-12)
    beside = [(x + 9, y, z) for x, y, z in inner]
    points, faces = check_mesh(np.array([*CUBE[0], *beside]), np.array([*CUBE[1], *back]), repair=True)
    assert mesh_volume(points, faces) == pytest.approx(1.125, rel=1e-12)


def test_a_bad_shape_is_refused_where_it_is_written_and_leaves_no_trace(model):
    with pytest.raises(ModelError, match="positive"):
        model.sphere("body", (0, 0, 0), -1.0, name="bad")
    assert not model.table("GRAPHICS")
    with pytest.raises(ModelError, match="no GRAPHICS named 'bad'"):
        model.find("GRAPHICS", "bad")


def test_meshes_are_merged_and_turned_when_asked():
    vertices, triangles = (np.array(a) for a in CUBE)
    soup, index = vertices[triangles].reshape(-1, 3), np.arange(36).reshape(-1, 3)
    points, faces = check_mesh(soup, index)
    assert len(points) == 8 and mesh_volume(points, faces) == pytest.approx(1.0, rel=1e-12)
    turned = index.copy()
    turned[::2] = turned[::2, ::-1]
    points, faces = check_mesh(soup, turned, repair=True)
    assert mesh_volume(points, faces) == pytest.approx(1.0, rel=1e-12)


def test_crossing_finds_a_bow_tie_only():
    assert crossing(np.array([(0, 0), (1, 1), (1, 0), (0, 1)], float))
    assert not crossing(np.array([(0, 0), (1, 0), (1, 1), (0, 1)], float))


def test_contact_takes_shapes_lists_bodies_groups_and_names(model):
    a = model.sphere("body", (1, 2, 3), 1.0, name="ball", group="balls")
    b = model.sphere("body", (2, 2, 3), 1.0, group="balls")
    floor = model.plane(model.ground, (0, 0, 0), (0, 0, 1), name="floor")
    want = ((a.id, b.id), (floor.id,))
    for i, j in ((model.find("PART", "body"), model.ground), ([a, b], floor), ("balls", "floor"), ("body", [floor.id])):
        contact = model.contact(i, j, stiffness=1e5, exponent=1.5)
        assert (contact.igeom, contact.jgeom) == want
    assert model.contact(a, floor, exclude=[(b, floor)]).exclude == ((b.id, floor.id),)
    every = model.contact("balls")
    assert every.igeom == every.jgeom == (a.id, b.id)
    with pytest.raises(ModelError, match="no shape, group of shapes or body named 'nothing'"):
        model.contact("nothing", floor)
    empty = model.part("empty", 1.0, (1, 1, 1))
    with pytest.raises(ModelError, match="no shape that could touch"):
        model.contact(empty, floor)


def test_parameters_of_contacts(model):
    a, b = model.sphere("body", (0, 0, 9), 1.0), model.plane(model.ground, (0, 0, 0), (0, 0, 1))
    plain = model.contact(a, b, stiffness=1.0)
    assert (plain.law_name, plain.friction_name, plain.coulomb_friction) == ("IMPACT", "", "OFF")
    rough = model.contact(a, b, "viscoelastic", stiffness=1.0, mu=(0.3, 0.2), g1=0.5, tau1=0.1, materials="steel")
    assert (rough.law_name, rough.friction_name, rough.mu_static, rough.mu_dynamic) == (
        "VISCOELASTIC",
        "COULOMB",
        0.3,
        0.2,
    )
    assert rough.parameters == {"g1": 0.5, "tau1": 0.1} and rough.materials == ("steel", "steel")
    sticking = model.contact(a, b, "poisson", friction="bristle", mu=0.3)
    assert (sticking.model, sticking.law, sticking.friction_name) == ("POISSON", "", "BRISTLE")
    with pytest.raises(ModelError, match="parameter hardness of a contact is 'very'; give a finite number"):
        model.contact(a, b, hardness="very")


def test_json_keeps_shapes_and_contacts(model):
    model.mesh("body", CUBE, scale=2.0)
    model.extrusion("body", [(0, 0), (1, 0), (1, 1)], 2.0, bulge=(0.1, 0, 0))
    model.height_field(model.ground, np.arange(6.0).reshape(2, 3), (1.0, 2.0))
    model.contact("body", model.ground, "viscoelastic", restitution=0.5, mu=0.1, g1=0.3, materials=("steel", 1))
    twin = Model.from_json(model.to_json())
    assert twin.table("GRAPHICS") == model.table("GRAPHICS") and twin.table("CONTACT") == model.table("CONTACT")
    for n, graphic in model.table("GRAPHICS").items():
        one, two = shape_of(model, graphic), shape_of(twin, twin.table("GRAPHICS")[n])
        assert (one.kind, one.par) == (two.kind, two.par)
        for name in ("vertices", "triangles", "heights"):
            np.testing.assert_array_equal(getattr(one, name), getattr(two, name))


@pytest.mark.parametrize("exclude", [5, [5], "body", [("body",)], ("body", "body")])
def test_what_is_excluded_must_be_pairs(model, exclude):
    """One sentence that names the contact and shows what is expected."""
    model.box("body", (0, 0, 0), (1, 1, 1))
    model.plane(model.ground, (0, 0, 0), (0, 0, 1))
    with pytest.raises(ModelError, match=r"contact 'c': exclude must be a list of pairs of shapes.*\[\(a, b\)\]"):
        model.contact("body", model.ground, name="c", exclude=exclude)


def test_a_coefficient_is_given_once_and_not_negative():
    m = Model()
    plane, ball = m.plane(m.ground, (0, 0, 0), (0, 0, 1)), m.sphere(m.part("ball", 1.0, (1, 1, 1)), (0, 0, 0), 0.1)
    with pytest.raises(ModelError, match="contact 'c': mu and mu_static give the same coefficient; give one of them"):
        m.contact(plane, ball, stiffness=1e5, mu=0.1, mu_static=0.2, name="c")
    with pytest.raises(ModelError, match="contact 'c': mu must not be negative, it is -0.1"):
        m.contact(plane, ball, stiffness=1e5, mu=(0.2, -0.1), name="c")


def test_one_coefficient_is_both_and_what_has_no_influence_is_refused():
    """As in joints; a coefficient that acts at rest only, or in motion only, is written as two numbers."""
    m = Model()
    plane, ball = m.plane(m.ground, (0, 0, 0), (0, 0, 1)), m.sphere(m.part("ball", 1.0, (1, 1, 1)), (0, 0, 0), 0.1)
    for word in ("mu_static", "mu_dynamic"):
        c = m.contact(plane, ball, stiffness=1e5, **{word: 0.3})
        assert (c.mu_static, c.mu_dynamic, c.coulomb_friction) == (0.3, 0.3, "ON")
    c = m.contact(plane, ball, stiffness=1e5, mu_static=0.3, mu_dynamic=0.0)
    assert (c.mu_static, c.mu_dynamic) == (0.3, 0.0)
    for word in ("function", "routine", "normal_routine"):
        with pytest.raises(ModelError, match=f"{word} has no influence on a contact"):
            m.contact(plane, ball, stiffness=1e5, **{word: "3"})
    with pytest.raises(ModelError, match="law and model name the same thing"):
        m.contact(plane, ball, "IMPACT", stiffness=1e5, model="POISSON")
    hinge = m.revolute(
        m.parts[2], m.ground, "h", at=(0, 0, 0), axis=(0, 0, 1), friction=dict(mu_dynamic=0.1, pin_radius=1)
    )
    (f,) = m.table("FRICTION").values()
    assert f.joint == hinge.id and f.mu_static == f.mu_dynamic == 0.1
