"""Areas and normals of triangles: of a tetrahedron by hand, and what falls to corners adds up.  Polygons as triangles:
each point inside lies in one of them, each point outside in none."""

import numpy as np
import pytest

from holonom.contact.referee import surfaces
from holonom.contact.shapes.profile import involute_gear
from holonom.model import polygons
from holonom.model.shape import Profile
from holonom.model.triangles import area_vectors, at_corners


def test_tetrahedron():
    points = np.array([[0, 0, 0], [2, 0, 0], [0, 3, 0], [0, 0, 4]], float) + 1e3
    faces = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    area = area_vectors(points, faces)
    assert area == pytest.approx(np.array([[0, 0, -3], [0, -4, 0], [-6, 0, 0], [6, 4, 3]]))
    assert np.abs(area.sum(0)).max() < 1e-12  # closed
    assert at_corners(faces, np.array([3.0, 6.0, 9.0, 12.0]), 5) == pytest.approx([6, 7, 8, 9, 0])
    assert at_corners(faces[:0], area[:0], 2).shape == (2, 3)


def _inside(polygon, points):
    """Even-odd rule, by the sides that a ray along x crosses."""
    a, b = polygon, np.roll(polygon, -1, axis=0)
    y = points[:, 1:2]
    over = (a[:, 1] > y) != (b[:, 1] > y)
    with np.errstate(divide="ignore", invalid="ignore"):
        x = a[:, 0] + (y - a[:, 1]) / (b[:, 1] - a[:, 1]) * (b[:, 0] - a[:, 0])
    return (over & (points[:, :1] < x)).sum(axis=1) % 2 == 1


def _star(count=240):
    angle = 2.0 * np.pi * np.arange(count) / count
    radius = np.where(np.arange(count) % 2, 0.2, 1.0) + 0.1 * np.sin(7.0 * angle)
    return radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])


def _comb(teeth=30):
    """Long thin teeth, whose sides Delaunay's triangulation does not have."""
    rows = [(teeth, -1.0), (teeth, 0.0)]
    for k in reversed(range(teeth)):
        rows += [(k + 0.95, 0.0), (k + 0.5, 40.0), (k + 0.05, 0.0)]
    return np.array([*rows, (0.0, 0.0), (0.0, -1.0)])


@pytest.mark.parametrize("polygon", [_star(), _comb(), np.array([(0, 0), (1, 0), (2, 0), (2, 1), (0, 1.0)])])
def test_triangles_of_a_polygon_cover_it_once(polygon):
    found = polygon[polygons.polygon_triangles(polygon)]
    low, high = polygon.min(axis=0), polygon.max(axis=0)
    points = np.random.default_rng(1).uniform(low - 0.1, high + 0.1, (2000, 2))
    side = lambda k: (
        (found[:, k - 2, 0] - found[:, k, 0]) * (points[:, None, 1] - found[:, k, 1])
        - (found[:, k - 2, 1] - found[:, k, 1]) * (points[:, None, 0] - found[:, k, 0])
    )
    covered = ((side(0) > 0.0) & (side(1) > 0.0) & (side(2) > 0.0)).sum(axis=1)
    assert (covered == _inside(polygon, points)).all()


def test_helical_gears_are_chords_by_their_turn_and_no_ears_are_cut(monkeypatch):
    def never(polygon):
        raise AssertionError("ears of thousands of points take minutes")

    monkeypatch.setattr(polygons, "ear_triangles", never)
    profile = involute_gear(4.0, 30, np.radians(20.0), backlash=0.05)
    points, _ = surfaces._chords(profile)
    assert len(points) < 10 * len(profile.points)
    assert len(polygons.polygon_triangles(points)) == len(points) - 2


def test_chords_of_a_cubic_turn_by_no_more_than_their_step():
    handles = np.zeros((3, 4))
    handles[0] = (0.0, -1.2, 0.4, -0.9)
    handles[1] = (0.6, 0.9, 0.9, -0.3)  # with a turning point
    profile = Profile(np.array([(0.0, 0.0), (3.0, 0.0), (1.0, 2.0)]), True, np.zeros(3), handles=handles)
    for step in np.radians([10.0, 2.0]):
        chords = profile.polyline(step, 1000)
        t = np.linspace(0.0, 1.0, 4001)[:, None]
        for k, (a, b) in enumerate(((profile.points[0], profile.points[1]), (profile.points[1], profile.points[2]))):
            c1, c2 = a + handles[k, :2], b + handles[k, 2:]
            curve = (1 - t) ** 3 * a + 3 * t * (1 - t) ** 2 * c1 + 3 * t * t * (1 - t) * c2 + t**3 * b
            ends = np.roll(chords, -1, axis=0)
            along = ends - chords
            share = ((curve[:, None] - chords) * along).sum(axis=2) / (along**2).sum(axis=1)
            away = np.linalg.norm(curve[:, None] - chords - np.clip(share, 0, 1)[..., None] * along, axis=2).min(axis=1)
            # a chord that turns by the step is away by its length times tan(step / 4) / 2; cubics turn unevenly
            assert away.max() < 4.0 * np.linalg.norm(along, axis=1).max() * np.tan(step / 4.0) / 2.0
        assert len(chords) < 2 + 6.0 * np.pi / step
