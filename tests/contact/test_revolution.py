"""Profiles turned about an axis: balls, and rods in the groove of a pulley, against sampled distances; rates and
continuity."""

import math

import numpy as np
import pytest
import scene as S
from scipy.optimize import minimize
from test_profiles import AXES, PLACE, dense, distance, inside

from holonom.contact.shapes import pair
from holonom.contact.shapes import profile as F
from holonom.contact.tables import GAP, N, P

#: a pulley of outer radius 60 with a round groove of radius 15 about the circle of radius 55, and a solid pear that
#: ends on the axis
PULLEY = F.arcs([(20, -25), (60, -25), (60, -14), (60, 14), (60, 25), (20, 25)], [0, 0, -0.55, 0, 0, 0])
VEE = F.polyline([(2, -2), (6, -2), (4.5, 0), (6, 2), (2, 2)])
PEAR = F.arcs([(0, -1), (0.8, -0.6), (0.5, 0.5), (0, 1)], [0.2, -0.1, 0.3, 0])
SHAPES = {"pulley": (PULLEY, 60.0), "vee": (VEE, 6.0), "pear": (PEAR, 1.0)}


def solid(name):
    return ("REVOLUTION", (), PLACE, AXES, F.tables(SHAPES[name][0], revolved=True))


def half_plane(p):
    q = S._axes(AXES).T @ (np.asarray(p) - PLACE)
    return np.array([math.hypot(q[0], q[1]), q[2]])


def signed(name, p, cloud):
    q = half_plane(p)
    d = distance(q, cloud)
    return -d if inside(q, cloud) else d


@pytest.mark.parametrize("name", SHAPES)
def test_balls(name):
    profile, size = SHAPES[name]
    kernel = pair("SPHERE", "REVOLUTION")[0]
    loop = dense(profile, 40000)
    rows = F.segments(profile, revolved=True)  # what lies on the axis is not a surface
    open_ = np.array([F.place(r, t)[0] for r in rows for t in np.linspace(0, 1, 3000)])
    random = np.random.default_rng(5)
    for _ in range(25):
        q = random.uniform(-1.2, 1.2, 3) * size
        centre = np.array(PLACE) + S._axes(AXES) @ q
        flat = np.array([math.hypot(q[0], q[1]), q[2]])
        for r in (0.0, 0.1 * size):
            sh = S.scene(("SPHERE", (r,), centre, None), solid(name))
            got = S.points(kernel, sh)
            within = inside(flat, loop)
            least = np.hypot(*(open_ - flat).T).min()
            np.testing.assert_allclose(got[:, GAP].min(), (-least if within else least) - r, atol=2e-4 * size)
            if not within:
                S.check_rates(kernel, sh, tolerance=5e-6)


def test_ball_on_the_axis_end():
    kernel = pair("SPHERE", "REVOLUTION")[0]
    for x in (0.0, 1e-9, 1e-3):
        sh = S.scene(("SPHERE", (0.2,), np.array(PLACE) + S._axes(AXES) @ [x, 0, 1.3], None), solid("pear"))
        rows = S.points(kernel, sh, reach=0.3)
        assert len(rows) == 1
        np.testing.assert_allclose(rows[0, GAP], 0.1, atol=1e-5 + x)


def least(name, sh, r):
    """Least signed distance of a rod by minimising over its axis from many starts."""
    cloud = dense(SHAPES[name][0], 3000)
    A, c, h = sh.fr.A[0].reshape(3, 3), sh.fr.p[0], sh.par[0, 1]
    u = np.linspace(-h, h, 161)
    best = min(signed(name, c + A[:, 2] * x, cloud) for x in u)
    start = min(u, key=lambda x: signed(name, c + A[:, 2] * x, cloud))
    fine = minimize(
        lambda x: signed(name, c + A[:, 2] * np.clip(x[0], -h, h), cloud),
        [start],
        method="Nelder-Mead",
        options={"xatol": 1e-9, "fatol": 1e-12},
    )
    return min(best, fine.fun) - r, abs(np.clip(fine.x[0], -h, h)) < h * 0.999


@pytest.mark.parametrize("kind", ["CAPSULE", "CYLINDER"])
@pytest.mark.parametrize("name", ["pulley", "vee"])
def test_rods(name, kind):
    size = SHAPES[name][1]
    kernel = pair(kind, "REVOLUTION")[0]
    r, h = (10.0, 20.0) if name == "pulley" else (0.5, 2.0)
    random = np.random.default_rng(8)
    middle = rates = 0
    for _ in range(14):
        angle = random.uniform(0, 2 * np.pi)
        radius = size * random.uniform(0.95, 1.2)
        centre = (radius * math.cos(angle), radius * math.sin(angle), size * random.uniform(-0.1, 0.1))
        # axis nearly along the circle: z axis of the rod turned to the tangent, then a little askew
        A = np.column_stack([[0, 0, 1], [math.cos(angle), math.sin(angle), 0], [-math.sin(angle), math.cos(angle), 0]])
        A = S._axes(random.uniform(-0.3, 0.3, 3)) @ A
        item = (
            kind,
            (r, h, 0, 1) if kind == "CYLINDER" else (r, h),
            np.array(PLACE) + S._axes(AXES) @ centre,
            S._axes(AXES) @ A,
        )
        sh = S.rolled(item, solid(name), 0)
        want, inner = least(name, sh, r)
        rows = S.points(kernel, sh)
        if want < -r or not len(rows):
            continue
        if inner or kind == "CAPSULE":
            np.testing.assert_allclose(rows[:, GAP].min(), want, atol=1e-4 * size)
            middle += inner
        else:
            assert rows[:, GAP].min() >= want - 1e-4 * size
        S.check_frame(rows)
        deepest = int(np.argmin(rows[:, GAP]))
        p = rows[deepest, P : P + 3] + rows[deepest, GAP] * rows[deepest, N : N + 3] - sh.fr.p[0]
        around = np.cross(sh.fr.A[0].reshape(3, 3)[:, 2], p)
        if abs(rows[deepest, N : N + 3] @ around) > 1e-7 * r:
            continue  # the deepest point of a rim in the edge between two faces: held by no normal of its own
        S.check_rates(kernel, sh, tolerance=2e-5 * size, which=[deepest])
        rates += 1
    assert middle > 3 and rates > 9


@pytest.mark.parametrize("kind", ["CAPSULE", "CYLINDER"])
def test_a_rope_segment_runs_over_the_pulley_without_jumps(kind):
    """A rod that comes in straight, is laid into the groove and turns with the pulley: the gap never jumps."""
    kernel = pair(kind, "REVOLUTION")[0]
    ground = dense(PULLEY, 4000)[:, 0][np.hypot(dense(PULLEY, 4000)[:, 1], dense(PULLEY, 4000)[:, 0] - 52).argmin()]
    item = solid("pulley")
    old, deepest = None, []
    for y in np.linspace(-90, 90, 721):
        A = np.column_stack([[0, 0, 1], [1, 0, 0], [0, 1, 0]])
        A = S._axes((0, 0, 0.02)) @ S._axes((0.01, 0, 0)) @ A
        place = np.array(PLACE) + S._axes(AXES) @ [ground + 10 - 0.2, y, 0.4]
        sh = S.rolled(
            (kind, (10.0, 20.0, 0, 1) if kind == "CYLINDER" else (10.0, 20.0), place, S._axes(AXES) @ A), item, 0
        )
        rows = S.points(kernel, sh, reach=40.0)
        gap = rows[:, GAP].min()
        assert old is None or abs(gap - old) < 0.26 or (gap > 4 and kind == "CYLINDER")  # a rim has one point only
        old = gap
        deepest.append(gap)
    assert min(deepest) < 0
    best = int(np.argmin(deepest))
    assert 200 < best < 520


def test_rod_in_a_vee_touches_both_walls():
    kernel = pair("CAPSULE", "REVOLUTION")[0]
    A = np.column_stack([[0, 0, 1], [1, 0, 0], [0, 1, 0]])
    sh = S.scene(
        ("CAPSULE", (0.5, 1.0), np.array(PLACE) + S._axes(AXES) @ [5.2, 0, 0], S._axes(AXES) @ A), solid("vee")
    )
    rows = S.points(kernel, sh, reach=0.3)
    assert len(rows) == 2
    np.testing.assert_allclose(rows[0, GAP], rows[1, GAP], atol=1e-12)
    side = 1.5 / 2.5  # sine of half of the groove's angle
    np.testing.assert_allclose(rows[:, GAP], 0.7 * 2.0 / 2.5 - 0.5, atol=1e-12)
    np.testing.assert_allclose(sorted(rows[:, N : N + 3] @ S._axes(AXES)[:, 2]), [-side, side], atol=1e-12)
    assert np.isfinite(rows[:, P]).all()


@pytest.mark.parametrize("name", ["vee", "pear"])
def test_plane(name):
    kernel = pair("PLANE", "REVOLUTION")[0]
    flat = dense(SHAPES[name][0], 4000)
    u = np.linspace(0, 2 * np.pi, 721)
    cloud = np.array(
        [flat[:, :1] * np.cos(a) * [1, 0, 0] + flat[:, :1] * np.sin(a) * [0, 1, 0] + flat[:, 1:] * [0, 0, 1] for a in u]
    )
    cloud = cloud.reshape(-1, 3) @ S._axes(AXES).T + PLACE
    for turn in S.turns(5, seed=3):
        n = S._axes(turn)[:, 2]
        sh = S.scene(("PLANE", (), (0.0, 0.1, -0.2), turn), solid(name))
        rows = S.points(kernel, sh)
        np.testing.assert_allclose(rows[:, GAP].min(), ((cloud - (0.0, 0.1, -0.2)) @ n).min(), atol=2e-4)
        S.check_rates(kernel, sh, tolerance=1e-5)
    upright = ("REVOLUTION", (), (0, 0, 1.99), None, F.tables(VEE, revolved=True))
    rows = S.points(kernel, S.scene(("PLANE", (), None, None), upright), reach=0.0)
    assert len(rows) == 8  # the inner and the outer rim of the foot
    np.testing.assert_allclose(rows[:, GAP], -0.01, atol=1e-14)
    np.testing.assert_allclose(rows[:, P : P + 3].sum(axis=0), (0, 0, -0.08), atol=1e-12)
