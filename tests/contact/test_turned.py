"""Turned profiles: tips and poles on the axis, and cylinders that meet them feature by feature.

Oracles: a turned rectangle is a cylinder and a turned trapezoid a frustum, whose pairs have kernels of their own;
heights of tips by hand.
"""

import math

import numpy as np
import pytest
import scene as S
from scipy.spatial.transform import Rotation

import holonom as hn
from holonom.contact.shapes import pair
from holonom.contact.shapes import profile as F
from holonom.contact.tables import FEATURE, GAP, WEIGHT, N, P

TIP = F.polyline([(0, -1.0), (0.5, 0), (0, 1)])
BALL = F.arcs([(0, -1.0), (0, 1.0)], [1.0, 0.0])
TILTS = (0.0, 1e-9, 1e-5, 9e-4, 2e-3, 0.1, 0.4)


@pytest.mark.parametrize("tilt", TILTS)
@pytest.mark.parametrize("name", ["tip", "ball"])
def test_what_ends_on_the_axis_touches_a_plane_there(name, tilt):
    """Lowest height of a double cone of half-angle atan(1/2) and of a ball, at 0.99 over the plane."""
    kernel = pair("PLANE", "REVOLUTION")[0]
    for flip in (0.0, math.pi):
        item = (
            "REVOLUTION",
            (),
            (0.1, 0.2, 0.99),
            (tilt + flip, 0, 0),
            F.tables(TIP if name == "tip" else BALL, revolved=True),
        )
        rows = S.points(kernel, S.scene(("PLANE", (), None, None), item), reach=0.2)
        want = 0.99 - (math.cos(tilt) if name == "tip" else 1.0)
        assert len(rows)
        np.testing.assert_allclose(rows[:, GAP].min(), want, atol=1e-9)
        np.testing.assert_allclose(rows[:, WEIGHT].sum(), 1.0, atol=1e-12)
        np.testing.assert_allclose(rows[:, N : N + 3], [[0, 0, -1]] * len(rows), atol=1e-12)
        assert len(set(rows[:, FEATURE])) == len(rows)
        if tilt > 1e-3:
            S.check_rates(
                kernel, S.scene(("PLANE", (), None, None), item), which=[int(np.argmin(rows[:, GAP]))], tolerance=1e-5
            )


def test_a_flat_foot_has_no_point_on_the_axis():
    item = (
        "REVOLUTION",
        (),
        (0, 0, 0.99),
        None,
        F.tables(F.polyline([(0, -1.0), (0.5, -1.0), (0.3, 1), (0, 1)]), revolved=True),
    )
    rows = S.points(pair("PLANE", "REVOLUTION")[0], S.scene(("PLANE", (), None, None), item), reach=0.05)
    np.testing.assert_allclose(np.hypot(*rows[:, P : P + 2].T), 0.5, atol=1e-12)
    np.testing.assert_allclose(rows[:, WEIGHT].sum(), 1.0, atol=1e-12)


@pytest.mark.parametrize("method", ["compliant", "events", "time-stepping"])
def test_a_top_stays_on_the_floor(method):
    """Dropped on its tip with spin: it must not sink in, upright or tilted, as the tip of a cone fell through
    half-spaces before."""
    m = hn.Model(units="m")
    m.gravity = (0, 0, -9.81)
    top = m.part("top", mass=1.0, inertia=(0.05, 0.05, 0.02), position=(0, 0, 0.05), angular_velocity=(0.1, 0, 120.0))
    m.contact(
        m.revolution(top, [(0, 0), (0.3, 0.3), (0, 0.4)], at=(0, 0, 0.05)),
        m.plane(m.ground, (0, 0, 0), (0, 0, 1)),
        **({"stiffness": 1e6, "damping": 1e2} if method == "compliant" else {"restitution": 0.3}),
    )
    run = hn.simulate(m, end=1.0, steps=100, contact=method, progress=False)
    z = run.data.body_position[:, 0, 2]
    assert z.min() > -0.02 and abs(z[-1]) < 0.02


def oracle(kind, par, rod, at, turn):
    kinds = ("CYLINDER", kind)
    first, second = ("CYLINDER", rod, at, turn), (kind, par, None, None)
    rows = S.points(pair(*kinds)[0], S.scene(first, second))
    return rows[:, GAP].min() if len(rows) else np.inf


@pytest.mark.parametrize("kind", ["CYLINDER", "FRUSTUM"])
def test_cylinders_meet_turned_profiles_all_round(kind):
    """At random placements and turns, apart and a little inside: end faces, rims, mantles, edges across edges."""
    par = (0.6, 0.4, 0, 1) if kind == "CYLINDER" else (0.7, 0.3, 0.4)
    half = (
        [(0, -0.4), (0.6, -0.4), (0.6, 0.4), (0, 0.4)]
        if kind == "CYLINDER"
        else [(0, -0.4), (0.7, -0.4), (0.3, 0.4), (0, 0.4)]
    )
    kernel = pair("CYLINDER", "REVOLUTION")[0]
    tables = F.tables(F.polyline(half), revolved=True)
    rod = (0.35, 0.5, 0, 1)
    random = np.random.default_rng(3)
    apart = inside = 0
    for _ in range(60):
        turn = Rotation.random(random_state=int(random.integers(2**31))).as_rotvec()
        way = random.normal(size=3)
        way /= np.linalg.norm(way)
        low, high = 0.0, 2.0
        want = random.choice([0.1, 1e-3, -1e-3, -5e-3])
        for _ in range(40):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if oracle(kind, par, rod, middle * way, turn) < want else (low, middle)
        sh = S.rolled(("CYLINDER", rod, high * way, turn), ("REVOLUTION", (), None, None, tables), 0)
        rows = S.points(kernel, sh, reach=0.3)
        gap = rows[:, GAP].min()
        np.testing.assert_allclose(
            gap, oracle(kind, par, rod, high * way, turn), atol=1e-7 if want > 0 else 4e-2 * abs(want)
        )
        deep = rows[np.argmin(rows[:, GAP])]
        slopes = []
        for e in (-1e-6, 1e-6):
            there = S.points(
                kernel,
                S.rolled(("CYLINDER", rod, (high + e) * way, turn), ("REVOLUTION", (), None, None, tables), 0),
                reach=0.3,
            )
            slopes.append((there[:, GAP].min() - gap) / e)
        slack = (
            1e-4 if want > 0 else 0.05
        )  # inside, where a rim is about to leave a face, by the ratio of the depth to the radii
        assert min(slopes) - slack < deep[N : N + 3] @ way < max(slopes) + slack
        apart += want > 0
        inside += want < 0
    assert apart > 15 and inside > 15
