"""Shapes of graphics: sizes and positions by hand, closed outward surfaces by the divergence theorem."""

from __future__ import annotations

import math
import struct

import numpy as np
import pytest

from holonom.model import Model, ModelError, facets, mesh
from holonom.model.polygons import ear_triangles
from holonom.results.pictures import geometry as geo


def volume(points, triangles):
    """Signed volume of a closed surface (positive: outward)."""
    a, b, c = (points[triangles[:, k]] for k in range(3))
    return float(np.sum(a * np.cross(b, c)) / 6)


def closed(points, triangles):
    """Every edge is used twice, in opposite directions, once equal points are merged."""
    _, same = np.unique(np.round(points, 9), axis=0, return_inverse=True)
    t = same.reshape(-1)[triangles]
    t = t[(t[:, 0] != t[:, 1]) & (t[:, 1] != t[:, 2]) & (t[:, 2] != t[:, 0])]
    edges = np.vstack([t[:, [0, 1]], t[:, [1, 2]], t[:, [2, 0]]])
    forward, n = np.unique(edges, axis=0, return_counts=True)
    return (n == 1).all() and set(map(tuple, forward)) == set(map(tuple, forward[:, ::-1]))


n = 96  # a polygon of 96 sides has 0.9993 of the circle's area
SOLIDS = {
    "box": (geo.box(1, 2, 3), 6.0),
    "box with negative edge": (geo.box(-1, 2, 3), 6.0),
    "cylinder": (geo.frustum(2, 2, 5, sides=n), 20 * math.pi),
    "cylinder downwards": (geo.frustum(2, 2, -5, sides=n), 20 * math.pi),
    "frustum": (geo.frustum(2, 1, 3, sides=n), 7 * math.pi),
    "wedge": (geo.frustum(1, 1, 2, math.pi / 3, sides=n), math.pi / 3),
    "ellipsoid": (geo.ellipsoid(2, 4, 6, n), 8 * math.pi),
    "torus": (geo.torus(3, 1, n), 6 * math.pi**2),
    "rod": (geo.rod(np.array([1.0, 2, 3]), np.array([4.0, 6, 3]), 0.1, sides=n), 0.05 * math.pi),
}


@pytest.mark.parametrize("name", SOLIDS)
def test_a_solid_is_closed_points_outward_and_has_its_volume(name):
    (points, triangles), expected = SOLIDS[name]
    assert closed(points, triangles)
    assert volume(points, triangles) == pytest.approx(expected, rel=6e-3)


def machine():
    """Two bars; the body frame of the first is turned and its centre of mass is not at its origin."""
    m = Model("bars", units="mm")
    a = m.part("a", mass=1, position=(100, 0, 0), axes=[[0, -1, 0], [1, 0, 0], [0, 0, 1]])
    m.markers[a.cm].qp = (10.0, 0.0, 0.0)
    b = m.part("b", mass=1, position=(300, 0, 0))
    return m, a, b


def test_shapes_are_measured_from_the_centre_of_mass_in_body_axes():
    m, a, _ = machine()
    corner = m.marker(a, (10, 5, 0), z=(0, 0, 1), x=(0, 1, 0))
    m.graphic("BOX", corner=corner, x=4, y=2, z=1)
    shape = next(s for s in geo.build_look(m).shapes if s.body == ("PART", a.id))
    # marker x is body y, marker y is body -x; the centre of mass is at (10, 0, 0) of the body
    assert np.allclose(shape.points.min(axis=0), [-2, 5, 0])
    assert np.allclose(shape.points.max(axis=0), [0, 9, 1])
    assert not shape.skeleton


def test_every_type_of_the_dataset_is_drawn():
    m, a, b = machine()
    p, q = m.marker(a, (0, 0, 0)), m.marker(b, (0, 0, 0))
    m.graphic("CYLINDER", cm=p, length=3, radius=1, sides=3, angle="90D")
    m.graphic("FRUSTUM", cm=p, length=3, top=1, bottom=2)
    m.graphic("ELLIPSOID", cm=p, xscale=1, yscale=2, zscale=3)
    m.graphic("TORUS", cm=p, radius=3)
    m.graphic("CIRCLE", cm=p, radius=3, seg=12)
    m.graphic("ARC", cm=p, radius=3, rangle=1.0)
    m.graphic("OUTLINE", points=(p.id, m.marker(a, (5, 0, 0)).id))
    m.graphic("OUTLINE", points=(p.id, q.id))
    m.graphic("SPDP", i=p.id, j=q.id, coils=5, da=3)
    m.graphic("PLANE", rm=p, xmin=-1, xmax=1, ymin=-2, ymax=2)
    m.graphic("POINT", rm=p)
    curve = m.curve([[0, 0, 0], [1, 1, 0], [2, 0, 0], [3, 1, 0]])
    m.graphic("CURVE", cid=curve.id, crm=q.id)
    force = m.sforce(p, q, function="1") if hasattr(m, "sforce") else None
    m.graphic("FORCE", etype="SFORCE", eid=force.id if force else 1, emarker=p.id)
    look = geo.build_look(m)
    assert look.missing == []
    assert len(look.springs) == 1 and len(look.strands) == 1 and len(look.arrows) == 1
    assert len([s for s in look.shapes if not s.skeleton]) == 10
    half = next(
        s
        for s in look.shapes
        if s.triangles is not None and volume(s.points, s.triangles) == pytest.approx(3 * math.pi / 4, rel=0.02)
    )
    assert half is not None


def test_a_curve_goes_through_its_points_and_a_closed_one_closes():
    m = Model("curve")
    points = np.array([[0, 0, 0], [1, 1, 0], [2, 0, 0], [1, -1, 0.0]])
    open_curve = geo.curve_points(m, m.curve(points))
    for p in points:
        assert np.linalg.norm(open_curve - p, axis=1).min() < 0.02
    for control in (False, True):
        ring = geo.curve_points(m, m.curve(points, closed=True, control=control))
        assert np.allclose(ring[0], ring[-1])


def test_bad_graphics_become_sentences_and_never_raise():
    m, a, _ = machine()
    p = m.marker(a, (0, 0, 0))
    m.graphic("BOX", corner=99, x=1, y=1, z=1)
    m.graphic("CYLINDER", cm=p, length=1)
    m.graphic("CYLINDER", cm=p, length="x", radius=1)
    m.graphic("ELLIPSOID", cm=p, xscale=float("nan"), yscale=1, zscale=1)
    m.graphic("EXTERNAL", rm=p, file="a.stl")
    m.graphic("HELIX", cm=p)
    look = geo.build_look(m)
    assert len(look.missing) == 6
    assert "MARKER/99" in look.missing[0] and "'radius'" in look.missing[1]
    assert all(t.startswith("GRAPHICS/") and t.endswith(".") for t in look.missing)


def test_bodies_without_graphics_get_a_skeleton_to_their_joints():
    m, a, b = machine()
    m.joint("REVOLUTE", m.marker(a, (60, 0, 0)), m.marker(b, (-40, 0, 0)))
    look = geo.build_look(m)
    bones = [s for s in look.shapes if s.body == ("PART", b.id)]
    assert bones and all(s.skeleton for s in bones)
    assert np.concatenate([s.points for s in bones])[:, 0].min() == pytest.approx(-40, abs=1)


def test_size_of_a_single_free_body_comes_from_its_inertia():
    m = Model("free")
    m.part("p", mass=2.0, inertia=(0.02, 0.02, 0.02))
    assert geo.build_look(m).size == pytest.approx(0.4)
    assert geo.build_look(Model("nothing")).size == 1.0


# ---- meshes ---------------------------------------------------------------------------------------------------------
def stl(path, triangles):
    rows = b"".join(struct.pack("<12fH", *([0.0] * 3), *np.ravel(t), 0) for t in triangles)
    path.write_bytes(b"any 80 bytes".ljust(80) + struct.pack("<I", len(triangles)) + rows)


TRIANGLES = np.array([[[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 0, 1], [0, 1, 1], [1, 0, 1]]], float)
TEXT = (
    "solid s\n"
    + "".join(
        "facet normal 0 0 1\nouter loop\n"
        + "".join("vertex {:g} {:g} {:g}\n".format(*v) for v in t)
        + "endloop\nendfacet\n"
        for t in TRIANGLES
    )
    + "endsolid s\n"
)


def test_stl_binary_and_text_say_the_same(tmp_path):
    stl(tmp_path / "b.stl", TRIANGLES)
    (tmp_path / "t.stl").write_text(TEXT)
    for name in ("b.stl", "t.stl"):
        points, triangles = mesh.read_mesh(tmp_path / name)
        assert np.allclose(points[triangles], TRIANGLES)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"solid",
        b"x" * 83,
        b"x" * 200,
        b"solid s\nvertex 1 2 3\n",
        b"solid s\nvertex a b c\n" * 3,
        b"\0" * 80 + struct.pack("<I", 2**32 - 1),
        b"\0" * 80 + struct.pack("<I", 1) + struct.pack("<12fH", *[math.nan] * 12, 0),
    ],
)
def test_broken_stl_is_an_error_with_a_sentence(tmp_path, content):
    (tmp_path / "bad.stl").write_bytes(content)
    with pytest.raises(ModelError, match="bad.stl"):
        mesh.read_stl(tmp_path / "bad.stl")


def test_too_many_triangles_are_refused(tmp_path, monkeypatch):
    stl(tmp_path / "b.stl", TRIANGLES)
    monkeypatch.setattr(mesh, "MAX_TRIANGLES", 1)
    with pytest.raises(ModelError, match="2 triangles"):
        mesh.read_stl(tmp_path / "b.stl")


def external(folder, **arguments):
    m, a, _ = machine()
    m.graphic("EXTERNAL", rm=m.marker(a, (0, 0, 0)).id, **arguments)
    look = geo.build_look(m, folder)
    return [s for s in look.shapes if not s.skeleton], look.missing


def test_external_meshes_are_looked_for_in_the_folder_of_the_model_only(tmp_path):
    inside = tmp_path / "model"
    inside.mkdir()
    stl(tmp_path / "secret.stl", TRIANGLES)
    stl(inside / "part.stl", TRIANGLES)
    for path in ("part.stl", "C:\\cad\\part.stl", "../elsewhere/part.stl"):
        assert len(external(inside, file=path)[0]) == 1
    for path in ("../secret.stl", str(tmp_path / "secret.stl"), "\\\\server\\share\\secret.stl", "..", ""):
        shapes, missing = external(inside, file=path)
        assert not shapes and len(missing) == 1


def test_a_parasolid_file_asks_for_an_stl_and_uses_it_when_there(tmp_path):
    shapes, missing = external(tmp_path, file="all.xmt_txt", element="SOLID5")
    assert not shapes and "all_SOLID5.stl" in missing[0]
    stl(tmp_path / "all_SOLID5.stl", TRIANGLES)
    assert len(external(tmp_path, file="all.xmt_txt", element="SOLID5")[0]) == 1


def test_other_meshes_by_trimesh(tmp_path):
    pytest.importorskip("trimesh", reason="trimesh is not installed")
    (tmp_path / "t.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    points, triangles = mesh.read_mesh(tmp_path / "t.obj")
    assert points.shape == (3, 3) and len(triangles) == 1
    (tmp_path / "bad.ply").write_text("nothing")
    with pytest.raises(ModelError, match="bad.ply"):
        mesh.read_mesh(tmp_path / "bad.ply")


# ---- shapes of contacts ---------------------------------------------------------------------------------------------
def test_profiles_are_cut_into_triangles_of_their_area():
    t = np.linspace(0, 2 * math.pi, 60, endpoint=False)
    star = (1 + 0.4 * np.cos(7 * t))[:, None] * np.column_stack([np.cos(t), np.sin(t)])
    for polygon in (star, np.array([(0, 0), (4, 0), (4, 3), (3, 3), (3, 1), (1, 1), (1, 3), (0, 3)], float)):
        area = 0.5 * (polygon[:, 0] @ np.roll(polygon[:, 1], -1) - polygon[:, 1] @ np.roll(polygon[:, 0], -1))
        a, b, c = (polygon[ear_triangles(polygon)[:, k]] for k in range(3))
        each = 0.5 * ((b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0])
        assert (each > -1e-15).all() and each.sum() == pytest.approx(area, rel=1e-12)
        assert volume(*facets.extruded(polygon, 0.75)) == pytest.approx(1.5 * area, rel=1e-12)
    area = math.pi * (
        1 + 0.5 * 0.4**2
    )  # of the star's curve; its 60 sides are short, so facets of the twist lose little
    assert volume(*facets.extruded(star, 0.75, twist=0.5)) == pytest.approx(1.5 * area, rel=5e-2)


def test_turned_profiles_and_capsules_have_the_volume_of_pappus():
    square = np.array([(2.0, 0.0), (3.0, 0.0), (3.0, 1.0), (2.0, 1.0)])
    assert volume(*facets.revolved(square, 400)) == pytest.approx(2 * math.pi * 2.5, rel=1e-4)
    assert volume(*facets.capsule(0.5, 2.0, 200)) == pytest.approx(
        math.pi * 0.25 * 4 + 4 / 3 * math.pi * 0.125, rel=1e-3
    )


def test_every_solid_is_drawn_where_it_touches():
    """The box around what is drawn is that of the solid, at its position on a body whose centre of mass lies
    elsewhere."""
    m = Model("m", units="SI")
    body = m.part("b", 1.0, (1, 1, 1), position=(1, 2, 3), axes=[[0, -1, 0], [1, 0, 0], [0, 0, 1]])
    body.cm = m.marker(body, (0.5, 0, 0)).id
    at = np.array([4.0, 5.0, 6.0])
    made = {
        "sphere": (m.sphere(body, at, 1.0), (1, 1, 1)),
        "box": (m.box(body, at, (2, 4, 6)), (1, 2, 3)),
        "capsule": (m.capsule(body, at - [0, 0, 1], at + [0, 0, 1], 0.5), (0.5, 0.5, 1.5)),
        "cone": (m.cone(body, at - [0, 1, 0], at + [0, 1, 0], 0.5), (0.5, 1, 0.5)),
        "ellipsoid": (m.ellipsoid(body, at, (1, 2, 3)), (1, 2, 3)),
        "hull": (m.hull(body, [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], at=at), (1, 1, 1)),
        "extrusion": (m.extrusion(body, [(-1, -1), (1, -1), (1, 1), (-1, 1)], 2.0, at=at - [0, 0, 1]), (1, 1, 1)),
        "height field": (m.height_field(body, [(-1, 1), (1, -1)], (2, 4), at=at), (1, 2, 1)),
        "bore": (m.cylinder(body, at - [0, 0, 1], at + [0, 0, 1], 0.5, inside=True), (0.5, 0.5, 1)),
        "hollow": (m.sphere(body, at, 2.0, inside=True), (2, 2, 2)),
        "curve": (m.plane_curve(body, [(-1, -2), (1, -2), (1, 2), (-1, 2)], at=at, width=1.0), (1, 2, 0.5)),
    }
    look = geo.build_look(m)
    assert not look.missing
    origin, axes = look.placement["PART", body.id]
    for name, (graphic, half) in made.items():
        points = np.vstack([origin + s.points @ axes.T for s in look.shapes if s.name == graphic.name])
        np.testing.assert_allclose(points.min(axis=0), at - half, atol=1e-2, err_msg=name)
        np.testing.assert_allclose(points.max(axis=0), at + half, atol=1e-2, err_msg=name)
