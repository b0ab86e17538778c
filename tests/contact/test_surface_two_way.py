"""Surfaces of flexible bodies touch both ways: corners on faces of either side, edges that cross, and friction of rest
and of sliding."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import holonom as hn
from holonom.contact.surfaces import columns, surface_contact
from holonom.contact.surfaces.sharp import corner_normals, polyhedron, sharp_edges
from holonom.flexible import Material

STEEL = Material(2e9, 0.3, 1000.0)


def block(m, name, low, high, counts, contact, **more):
    """A flexible block from one corner to the other, as drawn."""
    low, high = np.array(low, float), np.array(high, float)
    part = m.part(name, 1.0, (1, 1, 1), tuple(0.5 * (low + high)))
    m.make_flexible(
        part, hn.flexible.box(tuple(low), tuple(high), counts, "hexahedron"), STEEL, contact=contact, modes=4, **more
    )
    return part


def turned(m, name, turn, lowest, at=(0.013, 0.021), size=0.04, speed=0.0):
    """A small flexible cube, turned about its middle, whose lowest corner (highest where ``lowest`` is None) is at a
    height."""
    cube = hn.flexible.box((-size / 2,) * 3, (size / 2,) * 3, (1, 1, 1), "hexahedron")
    points = Rotation.from_matrix(turn).apply(cube.points)
    points += np.array([*at, -points[:, 2].max() if lowest is None else lowest - points[:, 2].min()])
    part = m.part(name, 1.0, (1, 1, 1), tuple(points.mean(0)))
    m.make_flexible(part, hn.flexible.Mesh(points, cube.cells), STEEL, contact=lambda x: np.ones(len(x), bool), modes=2)
    part.vz = speed
    return part


ON_CORNER = Rotation.align_vectors([[0, 0, -1]], [[1, 1, 1]])[0].as_matrix()
RIDGE_X = Rotation.from_euler("x", 45, degrees=True).as_matrix()
RIDGE_Y = Rotation.from_euler("y", 45, degrees=True).as_matrix()


def fly(m, part, end=0.008):
    run = hn.simulate(m, end=end, steps=80, integrator="RADAU5", error=1e-6)
    z = run.part(part).position.values[:, 2]
    return run, z - z[0]


def sound(run, parts, first):
    """Momentum and energy as the run has them."""
    p = sum(run.part(q).momentum.values for q in parts)
    assert np.abs(p - p[0]).max() < 1e-9 * np.abs(p[0]).max()
    d = run.data
    total = d.energy_kinetic + d.energy_elastic + d.energy_dissipated
    assert np.ptp(total) < first * d.energy_kinetic[0]


@pytest.mark.parametrize("order", ["corner first", pytest.param("face first", marks=pytest.mark.slow)])
def test_a_corner_touches_a_face_between_its_points_whichever_is_first(order):
    """A cube that stands on its corner falls onto a face whose nodes are 0.1 m apart: it stops within a few hundredths
    of an edge."""
    m = hn.Model()
    m.gravity = (0, 0, 0)
    face = block(m, "face", (-0.1, -0.1, -0.1), (0.1, 0.1, 0.0), (2, 2, 1), "z+")
    cube = turned(m, "cube", ON_CORNER, 0.001, speed=-2.0)
    pair = (face, cube) if order == "face first" else (cube, face)
    m.surface_contact(*pair, name="hit", divisions=1)
    run, way = fly(m, cube)
    assert -way.min() < 0.001 + 0.1 * 0.04 and run.part(cube).velocity.values[-1, 2] > 0.5
    sound(run, (face, cube), 2e-3)
    view = run.surface("hit")
    k = int(np.abs(run.force("hit").force.values[:, 2]).argmax())
    total = run.force("hit").force.values[k]
    assert view.force.values[k].sum(0) == pytest.approx(total, rel=1e-6, abs=1e-6 * np.abs(total).max())
    assert view.onto_force.values[k].sum(0) == pytest.approx(-total, rel=1e-6, abs=1e-6 * np.abs(total).max())
    assert view.depth.values[k] > 0.0
    assert view.touching[k] == (0 if order == "face first" else 1)  # points of the first side


def test_corners_that_meet_corners_lose_no_energy():
    """Two blocks of one outline meet end on: rounding decides where their edges cross, in the corners, and no force may
    depend on that; the forces at mirrored corners stay equal."""
    m = hn.Model()
    m.gravity = (0, 0, 0)
    left = block(m, "left", (-0.041, 0, 0), (-0.001, 0.02, 0.02), (2, 1, 1), "x+", invariants="constant")
    right = block(m, "right", (0, 0, 0), (0.04, 0.02, 0.02), (2, 1, 1), "x-", invariants="constant")
    left.vx = 1.0
    m.surface_contact(left, right, name="hit")
    run = hn.simulate(m, end=0.0016, steps=40, integrator="RADAU5", error=1e-7)
    assert np.abs(run.force("hit").force.values[:, 0]).max() > 0.0
    sound(run, (left, right), 2e-5)


@pytest.mark.parametrize("at", [(0.0, 0.0), pytest.param((0.011, -0.007), marks=pytest.mark.slow)])
def test_edges_that_cross_touch(at):
    """Two cubes on their edges, which cross at right angles far from all nodes."""
    m = hn.Model()
    m.gravity = (0, 0, 0)
    lower = turned(m, "lower", RIDGE_X, None, (0.0, 0.0))
    upper = turned(m, "upper", RIDGE_Y, 0.001, at, speed=-2.0)
    m.surface_contact(lower, upper, name="hit", divisions=1)
    run, way = fly(m, upper)
    f = run.force("hit").force.values
    assert np.abs(f[:, 2]).max() > 0.0
    first = np.abs(f[int(np.flatnonzero(np.abs(f[:, 2]) > 0.0)[0])])
    assert first[:2].max() < 1e-3 * first[2]  # across both edges
    assert -way.min() < 0.001 + 0.1 * 0.04 and run.part(upper).velocity.values[-1, 2] > -1.0
    sound(run, (lower, upper), 5e-3)
    k = int(np.abs(f[:, 2]).argmax())
    view = run.surface("hit")
    assert view.force.values[k].sum(0) == pytest.approx(f[k], rel=1e-6, abs=1e-6 * np.abs(f[k]).max())
    assert view.touching.max() == 0 and view.depth.values[k] > 0.0  # no points, edges alone


@pytest.mark.parametrize(
    "how", ["corner", pytest.param("edge", marks=pytest.mark.slow), pytest.param("hull", marks=pytest.mark.slow)]
)
def test_corners_and_edges_of_rigid_shapes_touch_faces_and_edges(how):
    """The same with a rigid box, or hull, above a coarse face, and a rigid edge across a flexible one."""
    m = hn.Model()
    m.gravity = (0, 0, 0)
    size, height = 0.04, 0.001
    half = size * (3.0**0.5 if how != "edge" else 2.0**0.5) / 2.0
    ball = m.part("box", 0.1, (1e-4, 1e-4, 1e-4), (0.013, 0.021, height + half))
    ball.vz = -2.0
    turn = RIDGE_Y if how == "edge" else ON_CORNER
    if how == "hull":
        corners = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * size / 2.0
        shape = m.hull(ball, ball.frame.origin + corners @ turn.T)
    else:
        shape = m.box(ball, tuple(ball.frame.origin), (size,) * 3, x=tuple(turn[:, 0]), z=tuple(turn[:, 2]))
    if how == "edge":
        face = turned(m, "face", RIDGE_X, None, (0.013, 0.021))
    else:
        face = block(m, "face", (-0.1, -0.1, -0.1), (0.1, 0.1, 0.0), (2, 2, 1), "z+")
    m.surface_contact(face, shape, name="hit", divisions=1)
    run, way = fly(m, ball)
    apart = run.part(ball).position.values[:, 2] - run.part(face).position.values[:, 2]
    assert (apart[0] - apart).max() < height + 0.1 * size and apart[-1] > apart[-2]
    sound(run, (face, ball), 5e-3)


def test_what_does_not_touch_costs_no_points():
    """Far apart neither way places a point or a pair of edges."""
    m = hn.Model()
    m.gravity = (0, 0, 0)
    lower = turned(m, "lower", RIDGE_X, None, (0.0, 0.0))
    upper = turned(m, "upper", RIDGE_Y, 0.5, (0.0, 0.0), speed=0.1)
    e = m.surface_contact(lower, upper)
    skin = surface_contact.tables(e, SimpleNamespace(model=m))
    n = sum(b.modes for b in surface_contact.coordinates(e, m))
    here = [(part.frame.origin, np.eye(3), np.zeros(3), np.zeros(3)) for part in (lower, upper)]
    for _ in range(3):
        assert not len(skin.at(0.0, here, np.zeros(2 * n)))
    for s in (skin, skin.back, skin.edges):
        assert (s.W.count[columns.SEARCHES], s.W.count[columns.PLACED], s.W.count[columns.NEAR]) == (1, 0, 0)


def test_edges_and_corners_beyond_the_limits_are_a_warning(monkeypatch):
    """Pairs of sharp edges, and corners of a rigid shape, that are too many to be searched."""

    def touch(rigid):
        m = hn.Model()
        face = block(m, "face", (-0.1, -0.1, -0.1), (0.1, 0.1, 0.0), (2, 2, 1), "z+")
        if rigid:
            box = m.part("box", 1.0, (1, 1, 1), (0, 0, 0.1))
            m.surface_contact(face, m.box(box, (0, 0, 0.1), (0.1, 0.1, 0.1)), name="hit", divisions=24)
        else:
            other = block(m, "other", (-0.1, -0.1, 0.01), (0.1, 0.1, 0.1), (2, 2, 1), "z-")
            m.surface_contact(face, other, name="hit")
        return [text for text in m.warnings if "too many" in text]

    assert touch(True) == touch(False) == []
    monkeypatch.setattr(surface_contact, "MOST_PAIRS", 10)
    with pytest.warns(hn.ModelWarning, match="'hit'.*sharp edges.* 10 .*finer mesh"):
        assert len(touch(False)) == 1
    monkeypatch.setattr(surface_contact, "MOST_CORNERS", 7)
    with pytest.warns(hn.ModelWarning, match="'hit'.*GRAPHICS/1.*8 corners.* 7 .*fewer"):
        assert len(touch(True)) == 1


def test_sharp_edges_of_boxes():
    """Twelve edges and eight corners of a box, whatever its triangles; none of a ball."""
    m = hn.Model()
    shape = m.box(m.ground, (0, 0, 0), (1, 2, 3))
    from holonom.model.shape import shape_of

    points, triangles = polyhedron(shape_of(m, shape))
    ends, wings = sharp_edges(points, triangles)
    assert len(ends) == 12 and len(np.unique(ends)) == 8
    assert (
        np.abs(np.einsum("eij,eij->ei", wings, wings) - 1.0).max() < 1e-12
        and np.abs((wings[:, 0] * wings[:, 1]).sum(1)).max() < 1e-12
    )
    middle = points[ends].mean(1)
    assert ((wings * middle[:, None]).sum(2) < 0.0).all()  # into the faces, towards the middle
    n = corner_normals(points, triangles, np.arange(8))
    assert np.abs(n - np.sign(points) / 3.0**0.5).max() < 1e-9
    assert polyhedron(shape_of(m, m.sphere(m.ground, (0, 0, 0), 1.0))) is None


@pytest.mark.slow
@pytest.mark.parametrize("contact, height", [("compliant", 0.1), ("time-stepping", 0.01)])
def test_friction_of_rest_and_of_sliding(contact, height):
    """A block under a force that grows breaks loose at mu_static N, and then slides against mu N."""
    m = hn.Model()
    m.gravity = (0, 0, -10.0)
    # driven in all of its mass and, where friction is exact, flat: points that carry less break loose before the others
    part = block(m, "block", (-0.1, -0.1, 0.0), (0.1, 0.1, height), (1, 1, 1), "z-", damping=0.2)
    m.surface_contact(
        part, m.plane(m.ground, (0, 0, 0), (0, 0, 1)), mu=(0.5, 0.3), name="sole", damping=1e-3, transition=1e-3
    )
    weight = part.mass * 10.0
    m.modal_force(part, "time", acceleration=(10.0, 0, 0))
    more = (
        dict(contact="time-stepping", step=2e-4)
        if contact == "time-stepping"
        else dict(integrator="RADAU5", error=1e-6)
    )
    run = hn.simulate(m, end=0.7, steps=140, **more)
    t, v = run.time, run.part(part).velocity.values[:, 0]
    f = -run.force("sole").force.values[:, 0] / weight
    held = t < 0.47
    assert np.abs(v[held]).max() < 2e-3 and np.abs(f[held & (t > 0.1)] - t[held & (t > 0.1)]).max() < 0.02
    slides = t > 0.6
    assert np.abs(f[slides] - 0.3).max() < 0.02
    # from 0.5 s on with (t - 0.3) g
    want = 10.0 * (0.5 * (t**2 - 0.25) - 0.3 * (t - 0.5))
    assert np.abs(v[slides] - want[slides]).max() < 0.05 * want.max()
    assert f.max() == pytest.approx(0.5, abs=0.03)


@pytest.mark.parametrize(
    "words, sentence",
    [
        (dict(mu=(0.3, 0.5)), "the coefficient of rest comes first and is not below that of sliding"),
        (dict(mu=(0.3, 0.2, 0.1)), "give one coefficient of friction, or those of rest and of sliding"),
        (dict(two_way="no"), "two_way is 'no'; give True or False"),
    ],
)
def test_wrong_arguments(words, sentence):
    m = hn.Model()
    part = block(m, "block", (-0.1, -0.1, 0.0), (0.1, 0.1, 0.1), (1, 1, 1), "z-")
    with pytest.raises(hn.ModelError, match=sentence):
        m.surface_contact(part, m.plane(m.ground, (0, 0, 0), (0, 0, 1)), **words)


@pytest.mark.parametrize("height", [0.003, 0.06])
def test_closed_surfaces_beside_each_other_do_not_touch(height):
    """All faces of two turned blocks may touch: nodes in front of the near side of the other one do not meet its far
    side."""
    m = hn.Model()
    m.gravity = (0, 0, 0)
    turns = [Rotation.random(random_state=k).as_matrix() for k in (3, 4)]
    lower = turned(m, "lower", turns[0], None, (0.0, 0.0), 0.1)
    upper = turned(m, "upper", turns[1], height, (0.01, -0.005), 0.13)
    e = m.surface_contact(lower, upper)
    skin = surface_contact.tables(e, SimpleNamespace(model=m))
    n = sum(b.modes for b in surface_contact.coordinates(e, m))
    for way in np.linspace(0.0, 0.9 * height, 7):
        here = [
            (part.frame.origin - [0, 0, way * k], np.eye(3), np.zeros(3), np.zeros(3))
            for k, part in enumerate((lower, upper))
        ]
        assert not len(skin.at(0.0, here, np.zeros(2 * n))) and not skin.back.W.count[columns.TOUCHING]
        assert not skin.edges.W.count[columns.TOUCHING] and not skin.wrench.any()
