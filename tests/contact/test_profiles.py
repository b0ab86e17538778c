"""Plane curves: segments against the curves they represent, nearest points against dense sampling, gears and
sprockets."""

import math

import numpy as np
import pytest
import scene as S
from scipy.optimize import minimize_scalar

from holonom.contact.shapes import pair
from holonom.contact.shapes import profile as F
from holonom.contact.tables import FEATURE, GAP, UB, VB, WEIGHT, N, P
from holonom.model.base import ModelError
from holonom.model.shape import Profile, circle, reverse

PLACE = (0.2, -0.1, 0.4)
AXES = (0.3, -0.5, 0.8)
BLOB = F.spline([(1.2, 0.0), (0.7, 0.8), (-0.2, 0.6), (-1.0, 0.9), (-0.9, -0.3), (0.1, -0.7), (0.9, -0.8)])
EGG = F.spline([(1.2, 0.0), (0.7, 0.7), (-0.3, 0.8), (-1.0, 0.1), (-0.4, -0.75), (0.6, -0.75)])
ROUND = F.arcs(
    [(0.8, -0.5), (1.0, -0.3), (1.0, 0.3), (0.8, 0.5), (-0.8, 0.5), (-0.8, -0.5)],
    [math.tan(math.pi / 8), 0.05, math.tan(math.pi / 8), 0, 0.2, 0],
)
STAR = F.polyline([(1, 0), (0.3, 0.3), (0, 1), (-0.3, 0.3), (-1, 0), (-0.3, -0.3), (0, -1), (0.3, -0.3)])
CURVES = {"blob": BLOB, "egg": EGG, "round": ROUND, "star": STAR, "circle": circle(0.8)}


def curve(profile, width=0.0, place=PLACE, axes=AXES, kind="CURVE", more=()):
    t = F.tables(profile)
    return (kind, (width, *more), place, axes, t)


def at(point, z=0.0):
    """Ground place of a point of the plane of the curve."""
    return np.array(PLACE) + S._axes(AXES) @ np.array([*point, z])


def dense(profile, number=4000):
    rows = F.segments(profile)
    t = np.linspace(0, 1, number // len(rows) + 2)
    return np.array([F.place(r, u)[0] for r in rows for u in t])


def distance(q, cloud):
    """Minimum distance of q to the chords of a closed row of points."""
    d = np.roll(cloud, -1, axis=0) - cloud
    t = np.clip(np.sum((q - cloud) * d, axis=1) / np.maximum(np.sum(d * d, axis=1), 1e-300), 0, 1)
    return np.hypot(*(cloud + t[:, None] * d - q).T).min()


def inside(q, cloud):
    """Winding number of a closed row of points about q."""
    d = cloud - q
    a = np.arctan2(d[:, 1], d[:, 0])
    return round(float(np.sum((np.roll(a, -1) - a + np.pi) % (2 * np.pi) - np.pi)) / (2 * np.pi)) == 1


# ---- builders --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", CURVES)
def test_segments_join_and_keep_the_area(name):
    rows = F.segments(CURVES[name])
    for k, row in enumerate(rows):
        after = rows[(k + 1) % len(rows)]
        p, d, _ = F.place(row, 1.0)
        np.testing.assert_allclose(p, after[1:3], atol=1e-12)
        assert row[10] == after[9]
        turn = F._angle(d, after[3:5])
        assert (abs(turn) < F.KINK) if row[10] == F.SMOOTH else ((turn > 0) == (row[10] == F.CONVEX))
        assert abs(F._angle(row[3:5], d)) <= F.TURN * 1.001
    cloud = dense(CURVES[name])
    area = 0.5 * np.sum(cloud[:, 0] * np.roll(cloud[:, 1], -1) - cloud[:, 1] * np.roll(cloud[:, 0], -1))
    assert area > 0
    back = dense(reverse(CURVES[name]))[::-1]
    np.testing.assert_allclose(
        0.5 * np.sum(back[:, 0] * np.roll(back[:, 1], -1) - back[:, 1] * np.roll(back[:, 0], -1)), area, rtol=1e-5
    )
    if name == "circle":
        np.testing.assert_allclose(area, math.pi * 0.64, rtol=1e-5)


def test_spline_is_smooth_to_the_second_order_and_goes_through_its_points():
    for name in ("blob", "egg"):
        rows = F.segments(CURVES[name])
        kappa = lambda row, t: np.linalg.det(F.place(row, t)[1:]) / np.linalg.norm(F.place(row, t)[1]) ** 3
        for k, row in enumerate(rows):
            np.testing.assert_allclose(kappa(row, 1.0), kappa(rows[(k + 1) % len(rows)], 0.0), atol=1e-9)
        cloud = dense(CURVES[name], 40000)
        for p in CURVES[name].points:
            assert np.abs(cloud - p).sum(axis=1).min() < 1e-9


def test_tree_holds_its_segments():
    rows = F.segments(F.involute_gear(1.0, 15))
    nodes = F.tree(*F.boxes(rows))
    leaves = nodes[nodes[:, 7] >= 0]
    np.testing.assert_array_equal(leaves[:, 7], np.arange(len(rows)))
    for leaf, row in zip(leaves, rows, strict=True):
        p = np.array([F.place(row, t)[0] for t in np.linspace(0, 1, 50)])
        assert (p >= leaf[:2] - 1e-12).all() and (p <= leaf[3:5] + 1e-12).all()
        np.testing.assert_allclose(p.min(axis=0), leaf[:2], atol=1e-3)
    for k, node in enumerate(nodes):  # a node holds what lies before its follower
        inner = nodes[k : int(node[6])]
        assert (inner[:, :3] >= node[:3]).all() and (inner[:, 3:6] <= node[3:6]).all()


def test_involute_flanks():
    """Points of the flanks lie on involutes of the base circle, the tooth is as thick on the pitch circle as it must
    be."""
    m, z, backlash = 2.0, 20, 0.05
    d = F.gear_data(m, z, backlash=backlash)
    rows = F.segments(F.involute_gear(m, z, backlash=backlash))
    flank = [r for r in rows if r[0] == F.LINE and r[5:9].any()]
    assert len(flank) > 100
    for row in flank:
        for t in (0.0, 0.3, 0.7, 1.0):
            p = F.place(row, t)[0]
            radius = np.hypot(*p)
            roll = math.sqrt((radius / d["base"]) ** 2 - 1)
            around = (math.atan2(p[1], p[0]) + math.pi / z) % (2 * math.pi / z) - math.pi / z
            assert abs(abs(around) - (d["half"] - roll + math.atan(roll))) * radius < 1e-9 * m
    thick = 2 * d["pitch"] * (d["half"] - math.tan(math.radians(20)) + math.radians(20))
    np.testing.assert_allclose(thick, math.pi * m / 2 - backlash, rtol=1e-12)
    radii = np.hypot(*dense(F.involute_gear(m, z), 20000).T)
    np.testing.assert_allclose([radii.min(), radii.max()], [d["root"], d["tip"]], rtol=1e-9)


@pytest.mark.parametrize("z", [8, 12, 17, 60])
def test_gears_of_few_and_many_teeth_close(z):
    rows = F.segments(F.involute_gear(1.0, z, shift=0.3 if z < 12 else 0.0))
    assert np.count_nonzero(rows[:, 9] == F.CONVEX) % z == 0 and not (rows[:, 9] == F.FREE).any()
    turn = sum(F._angle(r[3:5], F.place(r, 1.0)[1]) for r in rows) + sum(
        F._angle(F.place(r, 1.0)[1], rows[(k + 1) % len(rows)][3:5]) for k, r in enumerate(rows)
    )
    np.testing.assert_allclose(turn, 2 * math.pi, rtol=1e-9)


def test_impossible_wheels_are_refused():
    for bad in (
        lambda: F.involute_gear(1.0, 3),
        lambda: F.involute_gear(1.0, 20, shift=3.0),
        lambda: F.sprocket(12.7, 7.0, 17),
        lambda: F.sprocket(12.7, 4.2, 17, seat=3.0),
        lambda: F.sprocket(12.7, 4.2, 17, tip=60.0),
        lambda: F.spline([(0, 0), (1, math.nan)]),
        lambda: F.arcs([(0, 0), (1, 0)], [1, 2, 3]),
    ):
        with pytest.raises(ModelError):
            bad()


# ---- circle against curve --------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", CURVES)
@pytest.mark.parametrize("tree", [True, False])
def test_points_and_balls_against_curves(name, tree):
    profile = CURVES[name]
    item = curve(profile)
    if not tree:
        item[4]["node"] = np.zeros((0, 8))
        item[4]["first"] = lambda at: (at["seg"], len(item[4]["seg"]) - 1, at["node"], 0)
    kernel = pair("SPHERE", "CURVE")[0]
    cloud = dense(profile, 20000)
    random = np.random.default_rng(2)
    for q in random.uniform(-1.5, 1.5, (60, 2)):
        for r in (0.0, 0.15):
            sh = S.scene(("SPHERE", (r,), at(q, 0.3), None), item)
            rows = S.points(kernel, sh)
            least = distance(q, cloud)
            if inside(q, cloud):  # pushed out through the nearest foot, however deep it is
                assert len(rows) == 1
            signed = -least if inside(q, cloud) else least
            np.testing.assert_allclose(rows[:, GAP].min(), signed - r, atol=1e-6)
            S.check_frame(rows)
            for row in rows:  # the centre lies on the normal of the foot
                np.testing.assert_allclose(at(q, 0.3), row[P : P + 3] + (row[GAP] + r) * row[N : N + 3], atol=1e-12)


@pytest.mark.parametrize("kind", ["SPHERE", "CYLINDER"])
@pytest.mark.parametrize("name", CURVES)
def test_rates(name, kind):
    kernel = pair(kind, "CURVE")[0]
    for q in [(1.0, 0.9), (-0.1, 1.1), (-1.3, 0.2), (0.4, -1.0)]:
        pin = kind == "CYLINDER"
        sh = S.scene((kind, (0.1, 0.2, 0, 1) if pin else (0.1,), at(q, 0.3), AXES), curve(CURVES[name]))
        if not pin:
            S.check_rates(kernel, sh, tolerance=2e-6)
        else:  # motions that keep the axes parallel
            rows = S.points(kernel, sh)
            other = S.points(kernel, S.moved(sh, 0, 1e-6 * (S._axes(AXES) @ [0.6, -0.8, 0.0])))
            np.testing.assert_allclose(
                (other[:, GAP] - rows[:, GAP]) / 1e-6, rows[:, N : N + 3] @ S._axes(AXES) @ [0.6, -0.8, 0.0], atol=1e-5
            )


def test_gap_is_continuous_along_a_path_and_a_ball_in_a_groove_has_two_points():
    kernel = pair("SPHERE", "CURVE")[0]
    for name in CURVES:
        item = curve(CURVES[name])
        old = None
        for s in np.linspace(0, 2 * np.pi, 1500):
            sh = S.scene(("SPHERE", (0.1,), at((1.15 * np.cos(s), 1.05 * np.sin(s))), None), item)
            gap = S.points(kernel, sh)[:, GAP].min()
            assert old is None or abs(gap - old) < 0.01
            old = gap
    sh = S.scene(("SPHERE", (0.2,), at((0.5, 0.5)), None), curve(STAR))
    rows = S.points(kernel, sh, reach=0.3)
    assert len(rows) == 2 and rows[0, FEATURE] != rows[1, FEATURE]
    np.testing.assert_allclose(rows[0, GAP], rows[1, GAP], atol=1e-12)


def test_width_and_open_curves():
    kernel = pair("SPHERE", "CURVE")[0]
    for z, number in ((0.19, 1), (0.21, 0)):
        assert len(S.points(kernel, S.scene(("SPHERE", (0.1,), at((1.5, 0), z), None), curve(EGG, 0.4)))) == number
    line = curve(F.polyline([(-1, 0), (1, 0)], closed=False))
    for q, number in (
        ((0.9, -0.2), 1),
        ((1.1, -0.2), 0),
        ((0.0, 0.05), 1),
        ((0.0, 0.2), 0),
    ):  # material above: its left
        rows = S.points(kernel, S.scene(("SPHERE", (0.1,), at(q), None), line))
        assert len(rows) == number
        if number:
            np.testing.assert_allclose(rows[0, GAP], -q[1] - 0.1, atol=1e-12)
    pin = pair("CYLINDER", "CURVE")[0]
    rows = S.points(pin, S.scene(("CYLINDER", (0.1, 0.3, 0, 1), at((1.5, 0), 0.3), AXES), curve(EGG, 0.4)))
    np.testing.assert_allclose(
        S._axes(AXES).T @ (rows[0, P : P + 3] - np.array(PLACE)) @ [0, 0, 1], 0.1, atol=1e-12
    )  # middle of 0 to 0.2


def test_a_pin_that_tilts_touches_a_narrow_wall_where_it_passes_it():
    """The gap moves with the material of the pin at the wall, 0.7 from the pin's middle."""
    kernel = pair("CYLINDER", "CURVE")[0]
    sh = S.scene(("CYLINDER", (0.1, 1.0, 0, 1), at((1.5, 0.2), 0.7), AXES), curve(EGG, 0.4))
    (row,) = S.points(kernel, sh, reach=0.5)
    for turn in ([1.0, 0.0, 0.0], [0.3, -0.9, 0.0]):
        turn = S._axes(AXES) @ turn
        (other,) = S.points(kernel, S.moved(sh, 0, np.zeros(3), 1e-6 * turn), reach=0.5)
        arm = row[P : P + 3] + row[GAP] * row[N : N + 3] - sh.fr.p[0]
        np.testing.assert_allclose((other[GAP] - row[GAP]) / 1e-6, row[N : N + 3] @ np.cross(turn, arm), atol=1e-5)


# ---- plane against curve ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", CURVES)
def test_plane(name):
    kernel = pair("PLANE", "CURVE")[0]
    cloud = dense(CURVES[name], 40000) @ S._axes(AXES)[:, :2].T + PLACE
    for turn in S.turns(6, seed=4):
        n = S._axes(turn)[:, 2]
        if np.linalg.norm(n @ S._axes(AXES)[:, :2]) < 0.3:
            continue
        sh = S.scene(("PLANE", (), (0.0, 0.1, -0.2), turn), curve(CURVES[name]))
        rows = S.points(kernel, sh)
        heights = (cloud - (0.0, 0.1, -0.2)) @ n
        np.testing.assert_allclose(rows[:, GAP].min(), heights.min(), atol=1e-6)
        np.testing.assert_allclose((rows[:, P : P + 3] - (0.0, 0.1, -0.2)) @ n, rows[:, GAP], atol=1e-12)
        S.check_rates(kernel, sh, tolerance=2e-6)


@pytest.mark.parametrize("rounding", [0.0, 0.1])
def test_a_foot_that_levels_stands_on_both_ends(rounding):
    """Force and moment continue smoothly through level: a square and a rounded foot stand on the ends of their flat
    face."""
    kernel = pair("PLANE", "CURVE")[0]
    r, q = rounding, math.tan(math.pi / 8)
    points = [
        (-1 + r, -0.5),
        (1 - r, -0.5),
        (1, r - 0.5),
        (1, 0.5 - r),
        (1 - r, 0.5),
        (r - 1, 0.5),
        (-1, 0.5 - r),
        (-1, r - 0.5),
    ]
    foot = F.arcs(points, [0, q] * 4) if r else F.polyline([(-1, -0.5), (1, -0.5), (1, 0.5), (-1, 0.5)])
    found = []
    for tilt in (-1e-3, -1e-9, 1e-9, 1e-3, 0.5):
        axes = (
            S._axes(AXES) @ S._axes((0, 0, tilt)) @ np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])
        )  # z of the plane is y, tilted
        assert axes[:, 2] @ S._axes(AXES)[:, 1] == pytest.approx(math.cos(tilt))
        rows = S.points(kernel, S.scene(("PLANE", (), at((0.0, -0.49)), axes), curve(foot)), reach=0.0)
        arms = (rows[:, P : P + 3] - np.array(PLACE)) @ S._axes(AXES)[:, 0]
        found.append((len(rows), -rows[:, GAP].sum(), -rows[:, GAP] @ arms))
    assert [n for n, _, _ in found] == [2, 2, 2, 2, 1]
    np.testing.assert_allclose(found[1][1:], found[2][1:], atol=1e-8)
    np.testing.assert_allclose(found[1][1:], (0.02, 0.0), atol=1e-7)
    np.testing.assert_allclose(
        abs(found[3][2] - found[0][2]), 4e-3 * (1 - r) ** 2, rtol=0.01
    )  # 2 x depths that differ by 2 (1 - r) tilt


# ---- curve against curve ---------------------------------------------------------------------------------------------
def test_circles_and_hollows():
    kernel = pair("CURVE", "CURVE")[0]
    for radius, distance, gap in ((0.5, 1.4, 0.1), (0.5, 1.25, -0.05), (0.5, 1.3, 0.0)):
        for angle in np.linspace(0.01, 6.2, 12):
            q = distance * np.array([np.cos(angle), np.sin(angle)])
            sh = S.scene(curve(circle(radius), place=at(q)), curve(circle(0.8)))
            rows = S.points(kernel, sh)
            assert len(rows) == 1
            np.testing.assert_allclose(rows[0, GAP], gap, atol=1e-12)
            np.testing.assert_allclose(rows[0, N : N + 3], S._axes(AXES) @ [*q / distance, 0], atol=1e-12)
    for offset, gap in ((0.25, 0.05), (0.32, -0.02)):  # a disc in a ring
        q = offset * np.array([np.cos(1.1), np.sin(1.1)])
        sh = S.scene(curve(circle(0.5), place=at(q)), curve(reverse(circle(0.8))))
        rows = S.points(kernel, sh)
        assert len(rows) == 1
        np.testing.assert_allclose(rows[0, GAP], gap, atol=1e-12)


@pytest.mark.parametrize(
    "names",
    [("egg", "circle"), ("egg", "egg"), ("round", "egg"), ("star", "egg"), ("blob", "round"), ("star", "round")],
)
def test_curve_against_curve(names):
    """The minimum gap is the minimum distance of two dense rows of points; all rates as the curvatures say."""
    kernel = pair("CURVE", "CURVE")[0]
    first, second = (CURVES[n] for n in names)
    p, q = dense(first, 3000), dense(second, 3000)
    found = 0
    for k, angle in enumerate(np.linspace(0.1, 6.1, 9)):
        turn = 1.3 * angle
        place = 2.3 * np.array([np.cos(angle), np.sin(angle)])
        R = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
        least = np.hypot(*((p @ R.T + place)[:, None] - q[None]).T).min()
        axes = S._axes(AXES) @ S._axes((0, 0, turn))
        sh = S.scene(curve(first, place=at(place), axes=axes), curve(second))
        rows = S.points(kernel, sh)
        if len(rows) == 0 or rows[:, GAP].min() > least + 1e-5:  # two corners: no point
            assert "star" in names or "round" in names
            continue
        found += 1
        np.testing.assert_allclose(rows[:, GAP].min(), least, atol=1e-5)
        if k % 3 == 0:
            S.check_rates(kernel, sh, tolerance=5e-6, normals=False, which=[int(np.argmin(rows[:, GAP]))])
            check_rates_in_plane(kernel, sh, int(np.argmin(rows[:, GAP])))
    assert found >= 4


def check_rates_in_plane(kernel, sh, k, eps=1e-6):
    """`check_rates` for motions in the plane of the curves."""
    from holonom.contact import kinematics

    rows = S.points(kernel, sh)
    A = np.zeros((4, 4))
    axes = S._axes(AXES)
    for body in (0, 1):
        for d, turn in ((axes[:, 0], 0 * axes[:, 0]), (axes[:, 1], 0 * axes[:, 0]), (0 * axes[:, 0], axes[:, 2])):
            other = [
                min(
                    S.points(kernel, S.moved(sh, body, e * d, e * turn)),
                    key=lambda r: np.abs(r[P : P + 3] - rows[k, P : P + 3]).sum(),
                )
                for e in (eps, -eps)
            ]
            rate = (other[0] - other[1]) / (2 * eps)
            assert kinematics.prepare(rows, k, A)
            pb = rows[k, P : P + 3]
            pa = pb + rows[k, GAP] * rows[k, N : N + 3]
            motion = [np.zeros(3)] * 4
            motion[2 * body], motion[2 * body + 1] = d + np.cross(turn, (pb if body else pa) - sh.fr.p[body]), turn
            want = np.array(kinematics.point_rates(rows, k, A, *map(tuple, motion)))
            np.testing.assert_allclose(np.concatenate([rate[[GAP]], rate[N : N + 3], rate[P : P + 3]]), want, atol=2e-5)


def test_polygons_touch_with_corners():
    kernel = pair("CURVE", "CURVE")[0]
    square = F.polyline([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)])
    for depth in (-0.1, 0.05, 0.1):
        axes = S._axes(AXES) @ S._axes((0, 0, math.pi / 4 + 0.1))
        low = -math.cos(0.1) * math.sqrt(0.5)
        sh = S.scene(curve(square, place=at((0.1, 0.5 - depth - low)), axes=axes), curve(square))
        rows = S.points(kernel, sh, reach=0.2)
        assert len(rows) == 1
        np.testing.assert_allclose(rows[0, GAP], -depth, atol=1e-12)
        np.testing.assert_allclose(rows[0, N : N + 3], S._axes(AXES)[:, 1], atol=1e-12)


def test_involute_pair_runs_with_constant_ratio():
    """Both wheels turned by the ratio: every flank in contact keeps its gap, on the line of action, at every angle."""
    m, z1, z2, backlash = 2.0, 17, 30, 0.08
    gears = [F.tables(F.involute_gear(m, z, backlash=backlash)) for z in (z1, z2)]
    distance = 0.5 * m * (z1 + z2)
    kernel = pair("CURVE", "CURVE")[0]
    seen = set()
    for angle in np.linspace(0.0, 2 * math.pi / z1, 41):
        # a tooth of the second wheel on the line of centres when a gap of the first is there, moved to the right flanks
        # by half the play
        sh = S.scene(
            ("CURVE", (), None, (0, 0, angle), gears[0]),
            ("CURVE", (), (distance, 0, 0), (0, 0, math.pi - angle * z1 / z2 + math.pi / z2), gears[1]),
        )
        rows = S.points(kernel, sh, reach=0.3 * m)
        c = math.cos(math.radians(20))
        lines = [r for r in rows if abs(abs(r[N]) - math.sin(math.radians(20))) < 1e-7]
        assert 2 <= len(lines) <= 4  # a contact ratio between 1 and 2, both flanks
        for r in lines:
            assert abs(r[GAP] - backlash * c) < 1e-9 * m
        seen.add(len(lines))
        assert min(rows[:, GAP]) > backlash * c - 1e-9 * m  # nothing else approaches
    assert len(seen) > 1


def test_sprocket():
    pitch, r, z = 12.7, 4.255, 17
    wheel = F.sprocket(pitch, r, z)
    rp = F.pitch_radius(pitch, z)
    t = F.tables(wheel)
    kernel = pair("CYLINDER", "CURVE")[0]
    clearance = 0.505 * 2 * r - r
    for k in range(z):
        a = 2 * math.pi * k / z
        for e in (0.0, -clearance):
            place = (rp + e) * np.array([math.cos(a), math.sin(a), 0])
            rows = S.points(
                kernel, S.scene(("CYLINDER", (r, 5, 0, 1), place, None), ("CURVE", (), None, None, t)), reach=0.5
            )
            if e:
                assert len(rows) == 1  # in the seat
                np.testing.assert_allclose(rows[0, GAP], 0.0, atol=1e-12)
                np.testing.assert_allclose(rows[0, [UB, VB]], [1, -1 / (1.01 * r)], rtol=1e-12)
            assert rows[:, GAP].min() > -1e-9
    # neighbours in their seats are a pitch apart
    np.testing.assert_allclose(2 * rp * math.sin(math.pi / z), pitch, rtol=1e-14)
    # a roller climbs out of a gap without a jump
    last = None
    for s in np.linspace(0, 2 * math.pi / z, 300):
        q = (rp + 3.0) * np.array([math.cos(s), math.sin(s), 0])
        gap = S.points(kernel, S.scene(("CYLINDER", (r, 5, 0, 1), q, None), ("CURVE", (), None, None, t)), reach=20)[
            :, GAP
        ].min()
        assert last is None or abs(gap - last) < (rp + 3) * 2 * math.pi / z / 299 * 1.01
        last = gap
    # one tooth as a shape of its own: the same point
    one = F.Profile(wheel.points[1:4], False, wheel.bulge[1:4])
    u = F.tables(one)
    q = (rp + 0.3) * np.array([math.cos(0.03), math.sin(0.03), 0])
    whole = S.points(kernel, S.scene(("CYLINDER", (r, 5, 0, 1), q, None), ("CURVE", (), None, None, t)), reach=0.5)
    part = S.points(kernel, S.scene(("CYLINDER", (r, 5, 0, 1), q, None), ("CURVE", (), None, None, u)), reach=0.5)
    np.testing.assert_allclose(part[:, GAP].min(), whole[:, GAP].min(), atol=1e-12)


def test_profiles_go_through_a_model():
    """A gear in a model returns from JSON with the same segments."""
    import holonom as hn

    model = hn.Model()
    gear = F.involute_gear(2.0, 18)
    g = model.extrusion(model.ground, gear, 10.0)
    again = type(model).from_json(model.to_json()) if hasattr(model, "to_json") else model
    from holonom.model.shape import shape_of

    solid = shape_of(again, again.find("GRAPHICS", g.id))
    np.testing.assert_array_equal(F.segments(solid.profile), F.segments(gear))
    assert isinstance(solid.profile, Profile)


def test_minimize_agrees_on_a_cubic():
    """The foot on a cubic against SciPy's bounded minimum."""
    rows = F.segments(EGG)
    q = np.array([0.9, 0.9])
    best = min(
        minimize_scalar(
            lambda t, r=r: np.hypot(*(F.place(r, t)[0] - q)), bounds=(0, 1), method="bounded", options={"xatol": 1e-12}
        ).fun
        for r in rows
    )
    got = S.points(pair("POINT", "CURVE")[0], S.scene(("POINT", (), at(q), None), curve(EGG)))[:, GAP].min()
    np.testing.assert_allclose(got, best, atol=1e-10)


# ---- helical gears ---------------------------------------------------------------------------------------------------
def helical(angle, z1=17, z2=30, width=10.0, beta=math.pi / 12, backlash=0.08, shift=0.0, axes=None):
    """A pair of helical gears: normal module 2, helix angle beta, wheel to the right of the pinion."""
    m = 2.0 / math.cos(beta)
    alpha = math.atan(math.tan(math.radians(20)) / math.cos(beta))
    gears = [F.tables(F.involute_gear(m, z, alpha, backlash=backlash)) for z in (z1, z2)]
    t1 = math.tan(beta) / (0.5 * m * z1)
    sh = S.scene(
        ("EXTRUSION", (width, t1), (0, 0, shift), (0, 0, angle), gears[0]),
        (
            "EXTRUSION",
            (width, -t1 * z1 / z2),
            (0.5 * m * (z1 + z2), 0, 0),
            (0, 0, math.pi - angle * z1 / z2 + math.pi / z2),
            gears[1],
        ),
    )
    return sh, m, alpha, t1 * 0.5 * m * z1 * math.cos(alpha)  # the last: tangent of the base helix angle


@pytest.mark.parametrize("part", [0.5, *(pytest.param(x, marks=pytest.mark.slow) for x in (0.0, 1.0))])
def test_helical_gears_mesh_with_constant_ratio_and_push_along_their_axes(part):
    """At a part of the pitch."""
    kernel = pair("EXTRUSION", "EXTRUSION")[0]
    for angle in (part * 2 * math.pi / 17,):
        sh, m, alpha, tan_base = helical(angle)
        rows = S.points(kernel, sh, reach=0.3, limit=36)
        cos_base = 1 / math.hypot(1, tan_base)
        S.check_frame(rows)
        lines = [r for r in rows if abs(abs(r[N]) - math.sin(alpha) * cos_base) < 1e-6]
        assert 18 <= len(lines) <= 36 and len({r[FEATURE] for r in rows}) == len(rows)
        for r in lines:
            assert abs(r[GAP] - 0.08 * math.cos(alpha) * cos_base) < 1e-8
            np.testing.assert_allclose(abs(r[N + 2]), tan_base * cos_base, atol=1e-7)
            np.testing.assert_allclose(r[WEIGHT], 1 / 9, rtol=1e-12)
        # the pinion turned or moved along its axis: gap by the velocity of its material points
        for d, turn in (((0, 0, 1e-5), (0, 0, 0)), ((0, 0, 0), (0, 0, 1e-6)), ((0, 1e-5, 0), (0, 0, 0))):
            other = {r[FEATURE]: r for r in S.points(kernel, S.moved(sh, 0, d, turn), reach=0.3, limit=36)}
            for r in lines:
                if r[FEATURE] in other and abs(other[r[FEATURE]][N] - r[N]) < 1e-3:
                    p = r[P : P + 3] + r[GAP] * r[N : N + 3]
                    want = r[N : N + 3] @ (np.array(d) + np.cross(turn, p))
                    np.testing.assert_allclose(other[r[FEATURE]][GAP] - r[GAP], want, atol=2e-3 * abs(want) + 1e-9)


def test_slices_follow_what_the_wheels_share():
    kernel = pair("EXTRUSION", "EXTRUSION")[0]
    for shift, share in ((0.0, 1.0), (5.0, 0.75), (-15.0, 0.25), (20.5, 0.0)):
        rows = S.points(kernel, helical(0.1, shift=shift)[0], reach=0.3, limit=36)
        assert (len(rows) > 0) == (share > 0)
        np.testing.assert_allclose(rows[:, WEIGHT] * 9, share, atol=1e-12)
