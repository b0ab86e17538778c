"""Convex shapes against each other: greatest separation over all directions, rates, manifolds."""

from types import SimpleNamespace

import numpy as np
import pytest
import scene as S
from scipy.optimize import minimize

from holonom.contact.shapes import convex, pair, plane_hull, sphere_box, sphere_hull
from holonom.contact.shapes.hull_data import pack
from holonom.contact.shapes.stand_in import refusal
from holonom.contact.tables import GAP, WEIGHT, N, P
from holonom.model.base import ModelError

CUBOID = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.4, 0.4) for z in (-0.3, 0.3)])
CLOUD = np.random.default_rng(7).normal(size=(14, 3)) * (0.5, 0.4, 0.3)


def hull(points):
    return lambda at: pack(SimpleNamespace(vertices=points), at)


def item(kind, position=None, axes=None):
    if kind == "HULL":
        return ("HULL", (), position, axes, hull(CLOUD))
    return (kind, NUMBERS[kind], position, axes)


NUMBERS = {
    "BOX": (0.5, 0.4, 0.3),
    "ROUNDED_BOX": (0.35, 0.25, 0.15, 0.15),
    "CYLINDER": (0.4, 0.6, 0, 1),
    "CAPSULE": (0.3, 0.6),
    "FRUSTUM": (0.5, 0.2, 0.6),
    "ELLIPSOID": (0.5, 0.4, 0.3),
}
SHAPE_TYPES = [*NUMBERS, "HULL"]
PAIRS = [(a, b) for i, a in enumerate(SHAPE_TYPES) for b in SHAPE_TYPES[i:]]


def extent(kind, m):
    """Support function of the shape along the directions m (n, 3) in its axes."""
    q = NUMBERS.get(kind)
    rho, z = np.hypot(m[:, 0], m[:, 1]), m[:, 2]
    if kind == "BOX":
        return np.abs(m) @ q
    if kind == "ROUNDED_BOX":
        return np.abs(m) @ q[:3] + q[3]
    if kind == "CYLINDER":
        return q[0] * rho + q[1] * np.abs(z)
    if kind == "CAPSULE":
        return q[0] + q[1] * np.abs(z)
    if kind == "FRUSTUM":
        return np.maximum(q[0] * rho - q[2] * z, q[1] * rho + q[2] * z)
    if kind == "ELLIPSOID":
        return np.linalg.norm(m * q, axis=1)
    return (m @ CLOUD.T).max(axis=1)


def separation(sh, kinds, n):
    n = np.atleast_2d(n) / np.linalg.norm(np.atleast_2d(n), axis=1)[:, None]
    A, B = sh.fr.A[0].reshape(3, 3), sh.fr.A[1].reshape(3, 3)
    return n @ (sh.fr.p[0] - sh.fr.p[1]) - extent(kinds[0], -n @ A) - extent(kinds[1], n @ B)


def scenes(a, b, number=8, seed=0):
    random = np.random.default_rng(seed + 10 * PAIRS.index((a, b)))
    for _ in range(number):
        d = random.normal(size=3)
        d *= random.uniform(0.4, 1.2) / np.linalg.norm(d)
        yield S.scene(item(a, d, random.normal(size=3)), item(b, None, random.normal(size=3)))


SPHERE = np.random.default_rng(5).normal(size=(2000, 3))


@pytest.mark.parametrize("a,b", PAIRS)
def test_gap_is_the_greatest_separation(a, b):
    for sh in scenes(a, b):
        row = S.points(convex.contact, sh, limit=1)[0]
        # its normal separates by the gap, its points lie on both surfaces, and no direction separates more
        np.testing.assert_allclose(separation(sh, (a, b), row[N : N + 3]), row[GAP], atol=1e-9)
        values = separation(sh, (a, b), SPHERE)
        starts = [*SPHERE[np.argsort(values)[-2:]], row[N : N + 3]]
        best = max(
            -minimize(
                lambda n, sh=sh: -separation(sh, (a, b), n)[0],
                x,
                method="Nelder-Mead",
                options={"xatol": 1e-9, "fatol": 1e-12, "maxiter": 2000},
            ).fun
            for x in starts
        )
        assert row[GAP] > best - 1e-8
        S.check_invariance(convex.contact, sh, tolerance=1e-9)


@pytest.mark.parametrize("a,b", PAIRS)
def test_rates_of_the_nearest_point(a, b):
    for sh in scenes(a, b, 6, seed=500):
        rows = S.points(pair(a, b)[0], sh)
        if pair(a, b)[0] is convex.contact and len(rows) == 1:  # else it is one of the corners of a manifold
            S.check_rates(convex.contact, sh, tolerance=2e-5)


@pytest.mark.parametrize(
    "a,b",
    [
        ("BOX", "BOX"),
        ("BOX", "CAPSULE"),
        ("BOX", "HULL"),
        ("BOX", "CYLINDER"),
        ("BOX", "ROUNDED_BOX"),
        ("ROUNDED_BOX", "ROUNDED_BOX"),
        ("ROUNDED_BOX", "CAPSULE"),
        ("ROUNDED_BOX", "HULL"),
    ],
)
@pytest.mark.parametrize("turn", [(0.01, -0.02, 0.4), (0.05, 0.03, -0.9)])
def test_rates_of_manifolds(a, b, turn):
    """Corners over a face, edges over edges, corners under a face: all exact."""
    shapes = {
        "BOX": ("BOX", (0.5, 0.4, 0.3)),
        "ROUNDED_BOX": ("ROUNDED_BOX", (0.35, 0.25, 0.15, 0.15)),
        "CAPSULE": ("CAPSULE", (0.2, 0.6)),
        "CYLINDER": ("CYLINDER", (0.2, 0.6, 0, 1)),
        "HULL": ("HULL", (), None, None, hull(CUBOID)),
    }
    lying = S._axes((0, np.pi / 2, 0)) if b in ("CAPSULE", "CYLINDER") else np.eye(3)
    height = {"CAPSULE": 0.49, "CYLINDER": 0.49}.get(b, 0.58)
    first = (*shapes[a], None, None, None)[:2]
    second = (*shapes[b], None, None, None)[:5]
    sh = S.scene((*first, (0.0, 0.0, 0.0), None), (*second[:2], (0.2, 0.15, height), S._axes(turn) @ lying, second[4]))
    kernel = pair(a, b)[0]
    rows = S.points(kernel, sh)
    assert len(rows) >= 2
    np.testing.assert_allclose(rows[:, WEIGHT].sum(), 1, atol=1e-12)
    S.check_rates(kernel, sh, tolerance=2e-5)
    S.check_invariance(kernel, sh, tolerance=1e-10)


def test_a_box_slides_off_a_box_without_jumps():
    """Force and torque of w.d while a face, slightly tilted, is pushed over the rim of another and turned: continuous,
    weights sum to 1."""
    kernel = pair("BOX", "BOX")[0]
    last = None
    for s in np.linspace(0, 0.9, 600):
        sh = S.scene(("BOX", (0.5, 0.4, 0.3), (s, 0.5 * s, 0.58), (0.001, 0.002, 1.2 * s)), ("BOX", (0.5, 0.4, 0.3)))
        rows = S.points(kernel, sh)
        np.testing.assert_allclose(rows[:, WEIGHT].sum(), 1, atol=1e-12)
        force = -(rows[:, WEIGHT] * np.minimum(rows[:, GAP], 0))[:, None] * rows[:, N : N + 3]
        now = np.concatenate([force.sum(0), np.cross(rows[:, P : P + 3], force).sum(0)])
        if last is not None:
            assert np.abs(now - last).max() < 3e-4
        last = now


def test_stacked():
    """Box on box and coin on coin: the whole law, at the overlap's corners."""
    rows = S.points(pair("BOX", "BOX")[0], S.scene(("BOX", (0.5, 0.4, 0.3), (0.2, 0, 0.59)), ("BOX", (0.5, 0.4, 0.3))))
    np.testing.assert_allclose(rows[:, GAP], -0.01, atol=1e-14)
    np.testing.assert_allclose(rows[:, WEIGHT], 0.25)
    np.testing.assert_allclose(rows[:, N : N + 3], [[0, 0, 1]] * 4, atol=1e-14)
    np.testing.assert_allclose(
        sorted(map(tuple, rows[:, P : P + 2].round(12))), [(-0.3, -0.4), (-0.3, 0.4), (0.5, -0.4), (0.5, 0.4)]
    )
    coins = S.scene(("CYLINDER", (0.3, 0.1, 0, 1), (0.02, 0, 0.199)), ("CYLINDER", (0.3, 0.1, 0, 1)))
    rows = S.points(pair("CYLINDER", "CYLINDER")[0], coins)
    np.testing.assert_allclose(rows[:, GAP], -0.001, atol=1e-14)
    np.testing.assert_allclose(rows[:, WEIGHT].sum(), 1)
    middle = (rows[:, WEIGHT][:, None] * rows[:, P : P + 2]).sum(0)
    np.testing.assert_allclose(middle, [0.01, 0], atol=2e-3)


def test_hull_of_a_box_is_a_box():
    data = ("HULL", (), (0.1, 0.2, 0.3), (0.3, 0.2, 0.5), hull(np.concatenate([CUBOID, 0.5 * CUBOID])))
    box = ("BOX", (0.5, 0.4, 0.3), (0.1, 0.2, 0.3), (0.3, 0.2, 0.5))
    for at in np.random.default_rng(2).uniform(-1, 1, (30, 3)):
        ball = ("SPHERE", (0.2,), at)
        r, q = (S.points(k, S.scene(ball, x))[0] for k, x in ((sphere_hull.contact, data), (sphere_box.contact, box)))
        np.testing.assert_allclose(r[: GAP + 1], q[: GAP + 1], atol=1e-12)
        S.check_rates(sphere_hull.contact, S.scene(ball, data))
    plane = ("PLANE", ())
    r, q = (S.points(k, S.scene(plane, x)) for k, x in ((plane_hull.contact, data), (pair("PLANE", "BOX")[0], box)))
    np.testing.assert_allclose(np.sort(r[:, GAP]), np.sort(q[:, GAP]), atol=1e-14)
    np.testing.assert_allclose(r[:, WEIGHT], 0.25)


def test_a_flat_hull_is_refused():
    with pytest.raises(ModelError, match="lie in a plane"):
        pack(SimpleNamespace(vertices=np.random.default_rng(0).normal(size=(9, 3)) * (1, 1, 0)), {})


def test_nothing_beyond_reach_and_no_bores():
    sh = S.scene(("BOX", (0.5, 0.4, 0.3), (3, 0, 0)), ("BOX", (0.5, 0.4, 0.3)))
    assert len(S.points(convex.contact, sh, reach=1.9)) == 0 and len(S.points(convex.contact, sh, reach=2.1)) == 4
    assert len(S.points(convex.contact, S.scene(("ELLIPSOID", (0.5, 0.4, 0.3)), ("CYLINDER", (0.4, 0.6, 1, 0))))) == 0


def test_in_hollow_shapes():
    """Corners and ends in a hollow ball and in a bore: each as far from the wall as it is from the centre, or from the
    axis."""
    turn = (0.3, -0.2, 0.5)
    for inner in (("BOX", (0.5, 0.4, 0.3)), ("HULL", (), None, None, hull(CUBOID))):
        inner = (*inner[:2], (0.05, 0.1, -0.1), turn, (*inner, None, None, None)[4])
        corners = CUBOID @ S._axes(turn).T + inner[2]
        ball = S.scene(("SPHERE", (0.8, 1)), inner)
        kernel = pair("SPHERE", inner[0])[0]
        rows = S.points(kernel, ball)
        np.testing.assert_allclose(np.sort(rows[:, GAP]), np.sort(0.8 - np.linalg.norm(corners, axis=1)), atol=1e-12)
        S.check_rates(kernel, ball)
        S.check_invariance(kernel, ball)
        can = ("CYLINDER", (0.8, 0.7, 1, 1))
        order = (inner, can) if inner[0] == "BOX" else (can, inner)
        sh = S.scene(*order)
        rows = S.points(convex.contact, sh)
        walls = np.concatenate([0.8 - np.hypot(corners[:, 0], corners[:, 1]), 0.7 - corners[:, 2], 0.7 + corners[:, 2]])
        np.testing.assert_allclose(np.sort(rows[:, GAP]), np.sort(walls), atol=1e-12)
        S.check_rates(convex.contact, sh)
    sh = S.scene(("SPHERE", (0.8, 1)), ("CAPSULE", (0.2, 0.4), (0.1, 0.1, 0), turn))
    rows = S.points(pair("SPHERE", "CAPSULE")[0], sh)
    ends = sh.fr.p[1] + np.array([[-0.4], [0.4]]) * sh.fr.A[1].reshape(3, 3)[:, 2]
    np.testing.assert_allclose(rows[:, GAP], 0.6 - np.linalg.norm(ends, axis=1), atol=1e-12)
    S.check_rates(pair("SPHERE", "CAPSULE")[0], sh)


def test_what_a_hollow_cannot_hold():
    solid = lambda kind, *par: SimpleNamespace(kind=kind, par=(*par, 0, 0, 0, 0))
    assert "PLANE in a bore" in refusal(solid("PLANE"), solid("CYLINDER", 1, 1, 1))
    assert "both hollow" in refusal(solid("SPHERE", 1, 1), solid("SPHERE", 2, 1))
    assert not refusal(solid("SPHERE", 1, 1), solid("BOX", 1, 1, 1)) and not refusal(
        solid("CYLINDER", 1, 1), solid("FRUSTUM", 1, 1, 1)
    )


@pytest.mark.parametrize("a,b", PAIRS)
def test_aligned_places_give_numbers(a, b):
    """Concentric, flush, corner on corner, edge on edge: always at least one sound point."""
    kernel = pair(a, b)[0]
    for at in np.stack(np.meshgrid(*[(0, 0.5, 1.0, -1.0)] * 3), -1).reshape(-1, 3):
        for turn in ((0, 0, 0), (np.pi / 2, 0, 0)):
            rows = S.points(kernel, S.scene(item(a, at, turn), item(b)))
            assert len(rows)
            S.check_frame(rows)


@pytest.mark.parametrize("top", [0.2, 0.0, 0.499])
def test_a_cone_beside_an_edge_is_pushed_across_it(top):
    """A cone on its side above a box's edge, its generator in line with it: the normal is across both, whatever the
    cone is turned about its axis and the box about its edge, and the gap that by which it was lifted."""
    low, half = 0.5, 0.6
    size = np.hypot(2 * half, low - top)
    across, along = (
        np.array([2 * half, 0, low - top]) / size,
        np.array([top - low, 0, 2 * half]) / size,
    )  # of the side at angle 0
    down = (
        np.column_stack([[0, 0, -1.0], [1.0, 0, 0], [0, -1.0, 0]])
        @ np.column_stack([across, along, np.cross(across, along)]).T
    )
    random = np.random.default_rng(3)
    for lift in (1e-2, 1e-3, 1e-4, -1e-3, -1e-2):
        for _ in range(12):
            roll, x, turned = random.uniform(-0.6, 0.6), random.uniform(-1.2, 1.2), random.uniform(-3, 3)
            axes = S._axes((np.pi / 4 + roll, 0, 0))
            at = np.array([x, 0, lift]) - down @ [0.5 * (low + top), 0, 0]
            cone = ("FRUSTUM", (low, top, half), at, down @ S._axes((0, 0, turned)))
            for swap in (False, True):  # down is about the generator at angle 0, the cone turned about its own axis
                box = ("BOX", (2.0, 0.5, 0.5), -axes @ np.array([0, 0.5, 0.5]), axes)
                rows = S.points(pair("FRUSTUM", "BOX")[0], S.scene(*((box, cone) if swap else (cone, box))))
                np.testing.assert_allclose(rows[:, GAP], lift, atol=1e-9)
                np.testing.assert_allclose(rows[:, N], 0, atol=1e-8)  # along the edge
                np.testing.assert_allclose(rows[:, N + 1], 0, atol=1e-6)  # round it
                assert rows[:, WEIGHT].sum() == pytest.approx(1.0)
