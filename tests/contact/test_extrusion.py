"""Extruded profiles against balls, points and planes."""

import numpy as np
import pytest
import scene as S
from scipy.optimize import minimize_scalar
from test_profiles import AXES, CURVES, PLACE, dense, distance, inside

from holonom.contact.shapes import pair
from holonom.contact.shapes import profile as F
from holonom.contact.tables import GAP, WEIGHT, N, P


def solid(name, h=0.5, twist=0.0):
    profile = CURVES[name] if isinstance(name, str) else name
    return ("EXTRUSION", (h, twist), PLACE, AXES, F.tables(profile))


@pytest.mark.parametrize("name", ["egg", "star", "round"])
def test_balls(name):
    """Signed distance of a prism from that of its profile; rates on sides, ends and rims."""
    kernel = pair("SPHERE", "EXTRUSION")[0]
    cloud = dense(CURVES[name], 20000)
    random = np.random.default_rng(6)
    where = set()
    for q in random.uniform(-1.3, 1.3, (40, 3)) * (1, 1, 0.6):
        flat, over = distance(q[:2], cloud), abs(q[2]) - 0.5
        flat = -flat if inside(q[:2], cloud) else flat
        want = max(flat, over) if max(flat, over) <= 0 or min(flat, over) <= 0 else np.hypot(flat, over)
        where.add((flat > 0, over > 0))
        sh = S.scene(("SPHERE", (0.1,), np.array(PLACE) + S._axes(AXES) @ q, None), solid(name))
        rows = S.points(kernel, sh)
        np.testing.assert_allclose(rows[:, GAP].min(), want - 0.1, atol=1e-6)
        S.check_rates(kernel, sh, tolerance=1e-5, which=[int(np.argmin(rows[:, GAP]))])
    assert len(where) == 4


def test_ball_on_a_twisted_side():
    """Where a point touches the helicoid the normal is the surface's: the gap does not change along the surface."""
    kernel = pair("POINT", "EXTRUSION")[0]
    tau = 0.4
    for t, z in ((0.3, 0.2), (2.0, -0.3), (4.0, 0.1)):
        row = F.segments(CURVES["egg"])[int(t)]
        p, d, _ = F.place(row, 0.3)
        place = lambda u, w, row=row: S._axes((0, 0, tau * w)) @ [*F.place(row, u)[0], w]
        along, up = (place(0.3 + 1e-6, z) - place(0.3, z)) / 1e-6, (place(0.3, z + 1e-6) - place(0.3, z)) / 1e-6
        n = np.cross(along, up)
        n /= np.linalg.norm(n)
        sh = S.scene(
            ("POINT", (), np.array(PLACE) + S._axes(AXES) @ (place(0.3, z) + 1e-7 * n), None), solid("egg", twist=tau)
        )
        rows = S.points(kernel, sh)
        np.testing.assert_allclose(rows[0, N : N + 3], S._axes(AXES) @ n, atol=1e-5)
        np.testing.assert_allclose(rows[0, GAP], 1e-7, rtol=1e-3)


BAR = np.array([(0.5, 0.2), (-0.5, 0.2), (-0.5, -0.2), (0.5, -0.2)])


def from_twisted(q, tau, h=0.5):
    """Signed distance of a point from the twisted bar: the least, over all heights, of its distance from the rectangle
    that lies there."""

    def beside(z):
        c, s = np.cos(tau * z), np.sin(tau * z)
        d = np.abs([c * q[0] + s * q[1], c * q[1] - s * q[0]]) - BAR[0]
        return np.hypot(*np.maximum(d, 0.0)) + min(d.max(), 0.0)

    level = beside(np.clip(q[2], -h, h))
    far = lambda z: np.hypot(beside(z) if level < 0.0 else max(beside(z), 0.0), z - q[2])
    heights = np.linspace(-h, h, 801)
    k = int(np.argmin([far(z) for z in heights]))
    ends = heights[max(k - 1, 0)], heights[min(k + 1, 800)]
    least = min(minimize_scalar(far, bounds=ends, method="bounded", options={"xatol": 1e-13}).fun, far(heights[k]))
    if level >= 0.0:
        return least
    over = abs(q[2]) - h
    return over if over > -least else -least


@pytest.mark.parametrize("tau", [1.5, -3.0])
def test_balls_on_twisted_sides(tau):
    """Outside and inside, on sides, helical edges, ends and rims; rates with the curvature of helicoids."""
    kernel = pair("SPHERE", "EXTRUSION")[0]
    random = np.random.default_rng(8)
    touching = 0
    for q in random.uniform(-0.75, 0.75, (50, 3)) * (1, 1, 0.8):
        want = from_twisted(q, tau) - 0.08
        sh = S.scene(("SPHERE", (0.08,), np.array(PLACE) + S._axes(AXES) @ q, None), solid(F.polyline(BAR), twist=tau))
        rows = S.points(kernel, sh)
        np.testing.assert_allclose(rows[:, GAP].min(), want, atol=1e-9)
        S.check_rates(kernel, sh, tolerance=1e-5, which=[int(np.argmin(rows[:, GAP]))])
        touching += -0.16 < want < 0.16
        for reach in (0.01, 0.2):
            near = S.points(kernel, sh, reach=reach)
            assert (len(near) > 0) == (want < reach)
            if len(near):
                np.testing.assert_allclose(near[:, GAP].min(), want, atol=1e-9)
    assert touching > 10


@pytest.mark.parametrize("name", ["egg", "star"])
def test_plane(name):
    kernel = pair("PLANE", "EXTRUSION")[0]
    flat = dense(CURVES[name], 20000)
    cloud = np.vstack([np.column_stack([flat, np.full(len(flat), z)]) for z in (-0.5, 0.5)]) @ S._axes(AXES).T + PLACE
    for turn in S.turns(5, seed=2):
        n = S._axes(turn)[:, 2]
        sh = S.scene(("PLANE", (), (0.0, 0.1, -0.2), turn), solid(name))
        rows = S.points(kernel, sh)
        np.testing.assert_allclose(rows[:, GAP].min(), ((cloud - (0.0, 0.1, -0.2)) @ n).min(), atol=1e-6)
        S.check_rates(kernel, sh, tolerance=2e-6)
    # on its side: two ends, on its end: the rim
    square = F.polyline([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)])
    upright = ("EXTRUSION", (0.4, 0.0), (0, 0, 0.39), None, F.tables(square))
    rows = S.points(kernel, S.scene(("PLANE", (), None, None), upright), reach=0.0)
    assert len(rows) == 4
    np.testing.assert_allclose(rows[:, GAP], -0.01, atol=1e-14)
    np.testing.assert_allclose(rows[:, WEIGHT].sum(), 1.0)
    np.testing.assert_allclose(np.abs(rows[:, P]), 0.5)
