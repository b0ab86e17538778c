"""Triangle meshes: distance against brute force over all triangles, sign against solid angles, non-convex shapes,
masses."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
import scene as S

from holonom.contact.shapes import mesh as M
from holonom.contact.shapes import pair, stand_in
from holonom.contact.shapes.height_field import field_mesh
from holonom.contact.tables import FEATURE, GAP, WEIGHT, N, P
from holonom.model.base import ModelError
from holonom.model.mesh import check_mesh

PLACE = (0.2, -0.1, 0.4)
AXES = (0.3, -0.5, 0.8)


def turned(profile, number=24):
    """Mesh of a closed profile of points (r, z), counter-clockwise, turned about z (r > 0, or r = 0 at points on the
    axis)."""
    profile = np.asarray(profile, float)
    angles = 2 * np.pi * np.arange(number) / number
    points = np.array([(r * math.cos(a), r * math.sin(a), z) for r, z in profile for a in angles])
    quads = []
    n = len(profile)
    for i in range(n):
        j = (i + 1) % n
        for k in range(number):
            m = (k + 1) % number
            a, b, c, d = i * number + k, i * number + m, j * number + m, j * number + k
            quads += [(a, b, c), (a, c, d)]
    return check_mesh(points, np.array(quads))


def torus(major=1.0, minor=0.35, number=20):
    t = 2 * np.pi * np.arange(number) / number
    return turned(np.column_stack([major + minor * np.cos(t), minor * np.sin(t)]), 2 * number)


def cup():
    """A pot with a thick wall: inner radius 0.8, outer 1, floor from -1 to -0.8."""
    return turned([(0, -1), (1, -1), (1, 1), (0.8, 1), (0.8, -0.8), (0, -0.8)])


def box(hx=0.5, hy=0.4, hz=0.3, number=1):
    """Box with its faces cut into number x number squares."""
    t = np.linspace(-1, 1, number + 1)
    points, triangles = [], []
    for axis in range(3):
        for side in (-1, 1):
            base = len(points)
            for u in t:
                for v in t:
                    p = np.zeros(3)
                    p[axis], p[(axis + 1) % 3], p[(axis + 2) % 3] = side, u, v
                    points.append(p * (hx, hy, hz))
            for i in range(number):
                for j in range(number):
                    q = [
                        base + i * (number + 1) + j,
                        base + (i + 1) * (number + 1) + j,
                        base + (i + 1) * (number + 1) + j + 1,
                        base + i * (number + 1) + j + 1,
                    ]
                    q = q if side > 0 else q[::-1]
                    triangles += [(q[0], q[1], q[2]), (q[0], q[2], q[3])]
    return check_mesh(np.array(points), np.array(triangles))


MESHES = {"torus": torus(), "cup": cup(), "box": box()}


def item(name, place=PLACE, axes=AXES):
    points, triangles = MESHES[name] if isinstance(name, str) else name
    return ("MESH", (), place, axes, M.tables(points, triangles))


def brute(points, triangles, q):
    """Signed distance of q: over all triangles by planes and edges; the sign from the solid angle (Van Oosterom and
    Strackee 1983)."""
    p = points[triangles]
    best = np.inf
    for k in range(3):
        a, d = p[:, k], p[:, (k + 1) % 3] - p[:, k]
        t = np.clip(np.einsum("ij,ij->i", q - a, d) / np.einsum("ij,ij->i", d, d), 0, 1)
        best = min(best, np.linalg.norm(a + t[:, None] * d - q, axis=1).min())
    n = np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0])
    n /= np.linalg.norm(n, axis=1)[:, None]
    h = np.einsum("ij,ij->i", q - p[:, 0], n)
    foot = q - h[:, None] * n
    within = np.ones(len(p), bool)
    for k in range(3):
        within &= np.einsum("ij,ij->i", np.cross(p[:, (k + 1) % 3] - p[:, k], foot - p[:, k]), n) >= 0
    if within.any():
        best = min(best, np.abs(h[within]).min())
    r = p - q
    size = np.linalg.norm(r, axis=2)
    top = np.einsum("ij,ij->i", r[:, 0], np.cross(r[:, 1], r[:, 2]))
    dots = [np.einsum("ij,ij->i", r[:, i], r[:, j]) * size[:, k] for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1))]
    angle = 2 * np.arctan2(top, size.prod(axis=1) + sum(dots)).sum()
    return -best if angle > 2 * np.pi else best


def ground(q):
    return np.array(PLACE) + S._axes(AXES) @ q


@pytest.mark.parametrize("name", MESHES)
def test_balls_and_points(name):
    kernel = pair("SPHERE", "MESH")[0]
    random = np.random.default_rng(1)
    inside = 0
    for q in random.uniform(-1.4, 1.4, (60, 3)) * {"torus": (1, 1, 0.5), "cup": 1, "box": 0.5}[name]:
        want = brute(*MESHES[name], q)
        inside += want < 0
        for r in (0.0, 0.2):
            sh = S.scene(("SPHERE", (r,), ground(q), (1, 0.2, 0)), item(name))
            rows = S.points(kernel, sh)
            np.testing.assert_allclose(rows[:, GAP].min(), want - r, atol=1e-12)
            S.check_frame(rows)
            for row in rows:
                np.testing.assert_allclose(ground(q), row[P : P + 3] + (row[GAP] + r) * row[N : N + 3], atol=1e-12)
            near = S.points(kernel, sh, reach=0.05)
            assert (len(near) == 0) == (want - r >= 0.05)
    assert inside >= 3


@pytest.mark.parametrize("name", MESHES)
def test_rates(name):
    kernel = pair("SPHERE", "MESH")[0]
    random = np.random.default_rng(4)
    for q in random.uniform(-1.2, 1.2, (12, 3)):
        sh = S.scene(("SPHERE", (0.1,), ground(q), (1, 0.2, 0)), item(name))
        rows = S.points(kernel, sh)
        S.check_rates(
            kernel,
            sh,
            tolerance=5e-6,
            which=[int(np.argmin(rows[:, GAP]))] if len({r[FEATURE] for r in rows}) == len(rows) else [],
        )


def test_a_ball_in_a_cup_stays_in_it():
    """On the floor, at the wall and in the corner: pushed up and inwards, never through."""
    kernel = pair("SPHERE", "MESH")[0]
    flat = lambda q: S.points(
        kernel, S.scene(("SPHERE", (0.3,), q, None), item("cup", (0, 0, 0), (0, 0, 0))), reach=0.05
    )
    floor = flat((0.1, 0.05, -0.52))
    assert len(floor) == 1
    np.testing.assert_allclose(floor[0, [N, N + 1, N + 2, GAP]], [0, 0, 1, -0.02], atol=1e-12)
    wall = flat((0.5, 0.0, 0.1))
    assert (wall[:, GAP] < 0).any() and wall[0, N] < -0.9
    corner = flat((0.49, 0.0, -0.52))
    assert len(corner) == 2 and {round(x) for x in corner[:, N + 2]} == {0, 1}
    for s in np.linspace(-0.5, -0.62, 20):  # deeper and deeper: still pushed up
        rows = flat((0.1, 0.05, s))
        assert rows[0, N + 2] > 0.999 and rows[0, GAP] < 0.01


def test_gap_is_continuous_over_the_torus():
    kernel = pair("SPHERE", "MESH")[0]
    old = None
    torus_item = item("torus")
    for s in np.linspace(0, 2 * np.pi, 700):
        q = np.array([1.3 * math.cos(s), 1.3 * math.sin(s), 0.3 * math.cos(5 * s)])
        gap = S.points(kernel, S.scene(("SPHERE", (0.1,), ground(q), None), torus_item))[:, GAP].min()
        assert old is None or abs(gap - old) < 2.5 * 2 * np.pi / 700
        old = gap
    # through the hole: free
    for z in np.linspace(-1, 1, 15):
        assert S.points(kernel, S.scene(("SPHERE", (0.4,), ground((0, 0, z)), None), torus_item))[:, GAP].min() > 0.2


def test_plane():
    kernel = pair("PLANE", "MESH")[0]
    points, triangles = MESHES["torus"]
    for turn in S.turns(4):
        n = S._axes(turn)[:, 2]
        sh = S.scene(("PLANE", (), (0.1, 0, -0.2), turn), item("torus"))
        rows = S.points(kernel, sh)
        heights = np.sort((points @ S._axes(AXES).T + PLACE - (0.1, 0, -0.2)) @ n)
        np.testing.assert_allclose(rows[:, GAP].min(), heights[0], atol=1e-12)
        assert all(np.abs(heights - g).min() < 1e-12 for g in rows[:, GAP])
        S.check_rates(kernel, sh, which=[0], reach=heights[1])
    for number in (
        1,
        4,
        12,
    ):  # a face that lies flat carries the law once, about its middle, however fine its triangles are
        sh = S.scene(("PLANE", (), None, None), item(box(0.5, 0.5, 0.5, number), (0, 0, 0.49), (0, 0, 0)))
        rows = S.points(kernel, sh, reach=0.0, limit=24)
        np.testing.assert_allclose(rows[:, WEIGHT].sum(), 1.0, rtol=1e-12)
        np.testing.assert_allclose(rows[:, GAP], -0.01, atol=1e-12)
        np.testing.assert_allclose(rows[:, WEIGHT] @ rows[:, P : P + 2], 0, atol=0.09)
    corner = S.scene(
        ("PLANE", (), None, None),
        item(box(0.5, 0.5, 0.5, 4), (0, 0, math.sqrt(0.75) - 0.01), (0.0, math.atan(math.sqrt(0.5)), 0)),
    )
    corner.fr.A[1] = (S._axes((math.atan(math.sqrt(2.0)), 0, 0)) @ S._axes((0, 0, math.pi / 4))).ravel()
    rows = S.points(kernel, corner, reach=0.0)
    np.testing.assert_allclose(rows[:, [GAP, WEIGHT]], [[-0.01, 1.0]], rtol=1e-9)


def test_mesh_against_mesh():
    kernel = pair("MESH", "MESH")[0]
    cube = box(0.5, 0.5, 0.5, 3)
    for depth, number in ((0.02, True), (-0.02, False)):
        sh = S.scene(item(cube, (0.1, 0.05, 1.0 - depth), (0, 0, 0.3)), item(cube, (0, 0, 0), (0, 0, 0)))
        rows = S.points(kernel, sh, reach=0.0)
        assert (len(rows) > 0) == number
        if number:
            up = rows[:, N + 2] > 0.999
            assert up.all() and len(up) > 12  # those of the rim that are nearer to a side do not look there
            np.testing.assert_allclose(rows[up, GAP], -depth, atol=1e-12)
            assert (rows[:, GAP] > -depth - 1e-12).all()
            assert len(set(rows[:, FEATURE])) == len(rows)
            np.testing.assert_allclose(rows[:, WEIGHT].sum(), 1.0, rtol=1e-12)
            np.testing.assert_allclose(rows[:, WEIGHT] @ rows[:, P : P + 2], (0.05, 0.025), atol=0.12)
            S.check_rates(kernel, sh, reach=0.0, normals=False, which=[int(k) for k in np.flatnonzero(up)[:3]])
    # a peg in the hole of the torus is free, next to it it touches
    peg = box(0.2, 0.2, 0.8, 6)
    assert (
        len(S.points(kernel, S.scene(item(peg, (0, 0, 0), (0, 0, 0)), item("torus", (0, 0, 0), (0, 0, 0))), reach=0.1))
        == 0
    )
    rows = S.points(kernel, S.scene(item(peg, (0.5, 0, 0), (0, 0, 0)), item("torus", (0, 0, 0), (0, 0, 0))), reach=0.0)
    assert len(rows) and (rows[:, N] < 0).all()  # pushed back into the hole
    swapped = S.points(
        kernel, S.scene(item("torus", (0, 0, 0), (0, 0, 0)), item(peg, (0.5, 0, 0), (0, 0, 0))), reach=0.0
    )
    np.testing.assert_allclose(sorted(swapped[:, GAP]), sorted(rows[:, GAP]), atol=1e-12)


def test_masses():
    m, centre, inertia = M.mass_properties(*box(0.5, 0.4, 0.3), density=2.0)
    np.testing.assert_allclose(m, 2 * 0.48, rtol=1e-14)
    np.testing.assert_allclose(centre, 0, atol=1e-15)
    np.testing.assert_allclose(
        inertia, np.diag([0.96 / 3 * (0.16 + 0.09), 0.96 / 3 * (0.25 + 0.09), 0.96 / 3 * (0.25 + 0.16)]), atol=1e-15
    )
    points, triangles = torus(1.0, 0.35, 60)
    m, centre, inertia = M.mass_properties(points + (1.0, 2.0, 3.0), triangles)
    np.testing.assert_allclose(m, 2 * math.pi**2 * 0.35**2, rtol=5e-3)
    np.testing.assert_allclose(centre, (1, 2, 3), atol=1e-12)
    np.testing.assert_allclose(inertia[2, 2], m * (1 + 0.75 * 0.35**2), rtol=5e-3)
    with pytest.raises(ModelError, match="outward"):
        M.mass_properties(points, triangles[:, ::-1])


def test_bad_meshes():
    points, triangles = MESHES["box"]
    with pytest.raises(ModelError, match="open"):
        M.tables(points, triangles[1:])
    sliver = np.vstack([points, [0.5 * (points[triangles[0, 0]] + points[triangles[0, 1]])]])
    with pytest.raises(ModelError, match="no area"):
        M.tables(sliver, np.vstack([triangles, [triangles[0, 0], triangles[0, 1], len(points)]]))


# ---- height fields and solids on meshes ------------------------------------------------------------------------------
def field(heights, dx=0.25, dy=0.25):
    return ("HEIGHT_FIELD", (dx, dy), None, None, M.tables(*field_mesh(np.asarray(heights), dx, dy)))


def test_height_field():
    """A tilted plane: distances of a plane; a closed mesh of the right volume; what is below is pushed up."""
    x, y = 0.25 * (np.arange(13) - 6), 0.25 * (np.arange(9) - 4)
    heights = 0.3 * x[:, None] - 0.1 * y[None, :] + 0.2
    points, triangles = field_mesh(heights, 0.25, 0.25)
    check_mesh(points, triangles)
    low = points[:, 2].min()
    np.testing.assert_allclose(M.mass_properties(points, triangles)[0], 3.0 * 2.0 * (0.2 - low), rtol=1e-12)
    n = np.array([-0.3, 0.1, 1.0]) / math.sqrt(1.1)
    kernel = pair("SPHERE", "HEIGHT_FIELD")[0]
    for q in ((0.1, 0.2, 0.6), (-0.4, 0.3, 0.3), (0.3, -0.2, 0.2)):
        rows = S.points(kernel, S.scene(("SPHERE", (0.2,), q, None), field(heights)), reach=1.0)
        assert len(rows) == 1
        np.testing.assert_allclose(rows[0, GAP], (np.array(q) - (0, 0, 0.2)) @ n - 0.2, atol=1e-12)
        np.testing.assert_allclose(rows[0, N : N + 3], n, atol=1e-12)


FLAT = field(np.zeros((9, 9)))
ON_FLAT = {
    "BOX": ((0.3, 0.2, 0.1), 4),
    "CYLINDER": ((0.3, 0.2, 0, 1), 2),
    "CAPSULE": ((0.2, 0.3), 2),
    "FRUSTUM": ((0.3, 0.2, 0.25), 1),
    "ELLIPSOID": ((0.3, 0.2, 0.1), 1),
}


@pytest.mark.parametrize("kind", ON_FLAT)
def test_solids_on_flat_ground(kind):
    """The same deepest gap as against a plane, the same first points when level; rates."""
    q, number = ON_FLAT[kind]
    kernel, plane = pair(kind, "HEIGHT_FIELD")[0], pair("PLANE", kind)[0]
    level = (0, 0, 0) if kind in ("BOX", "ELLIPSOID") else (math.pi / 2, 0, 0)
    for turn in [level, *S.turns(3)]:
        low = S.points(plane, S.scene(("PLANE", (), None, None), (kind, q, (0, 0, 0), turn)))[:, GAP].min()
        sh = S.scene((kind, q, (0.03, 0.04, -low - 0.01), turn), FLAT)
        rows = S.points(kernel, sh, reach=0.0)
        np.testing.assert_allclose(rows[:, GAP].min(), -0.01, atol=1e-9)
        np.testing.assert_allclose(rows[:, N : N + 3], np.tile([0, 0, 1.0], (len(rows), 1)), atol=1e-9)
        if turn == level if isinstance(turn, tuple) else False:
            assert len(rows) == number
            np.testing.assert_allclose(rows[:, WEIGHT].sum(), 1.0)
        else:
            S.check_rates(kernel, sh, reach=0.0, tolerance=5e-6, which=[int(np.argmin(rows[:, GAP]))])


def test_a_sharp_corner_pierces_a_box():
    spike = check_mesh(
        np.array([(0, 0, 0), (0.2, 0, -0.5), (-0.1, 0.17, -0.5), (-0.1, -0.17, -0.5)]),
        np.array([(0, 1, 2), (0, 2, 3), (0, 3, 1), (1, 3, 2)]),
    )
    rows = S.points(
        pair("BOX", "MESH")[0],
        S.scene(("BOX", (1, 1, 0.2), (0, 0, 0.17), None), item(spike, (0.1, 0, 0), (0, 0, 0))),
        reach=0.0,
    )
    assert len(rows) == 1
    np.testing.assert_allclose(rows[0, [GAP, N, N + 1, N + 2]], [-0.03, 0, 0, 1], atol=1e-12)
    np.testing.assert_allclose(rows[0, P : P + 3], (0.1, 0, 0), atol=1e-12)


@pytest.mark.parametrize("kind", ON_FLAT)
def test_a_smooth_mesh_on_a_solid(kind):
    """A ball of fine triangles, without any sharp corner, lies on what is flat or round: depth of its lowest corner,
    the whole law."""
    ball = stand_in.mesh(SimpleNamespace(kind="SPHERE", par=(0.1, 0.0), profile=None, heights=None))[:2]
    kernel = pair(kind, "MESH")[0]
    high = {"BOX": 0.1, "CYLINDER": 0.2, "CAPSULE": 0.5, "FRUSTUM": 0.25, "ELLIPSOID": 0.1}[kind]
    at = (0, 0, 0.1 + high - 0.01)
    rows = S.points(kernel, S.scene((kind, ON_FLAT[kind][0]), item(ball, at, (0, 0, 0))), reach=0.0)
    np.testing.assert_allclose(rows[:, GAP].min(), -0.01, atol=1e-9)
    np.testing.assert_allclose(rows[np.argmin(rows[:, GAP]), N : N + 3], (0, 0, -1), atol=1e-9)
    assert 0.9 < rows[:, WEIGHT].sum() < 1.3  # those about to leave count less in the sum than in the force
