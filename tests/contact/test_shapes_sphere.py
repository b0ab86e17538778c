"""Spheres (and points: spheres of no radius) against every analytic shape."""

import numpy as np
import pytest
import scene as S
from scipy.optimize import minimize

from holonom.contact.shapes import pair
from holonom.contact.tables import GAP, N, P

AXES = (0.3, -0.5, 0.8)
ORIGIN = (0.2, -0.1, 0.4)

#: name: (kind, numbers, centres of the ball in the axes of the shape: one for each feature, outside and inside)
SHAPES = {
    "plane": ("PLANE", (), [(0.3, 0.2, 0.7), (0.3, 0.2, -0.1)]),
    "rectangle": ("PLANE", (0.5, 0.3), [(0.3, 0.2, 0.7), (0.3, 0.2, -0.1), (0.6, 0.1, 0.3), (0.6, -0.1, -0.2),
    (0.7, -0.5, 0.2), (0.7, 0.5, -0.2)]),
    "box": ("BOX", (0.5, 0.4, 0.3), [(0.1, 0.2, 0.8), (-0.9, 0.1, 0.2), (0.8, 0.7, 0.1), (-0.8, 0.1, -0.6),
    (0.7, -0.6, 0.8), (0.42, 0.1, 0.1)]),
    "rounded box": ("ROUNDED_BOX", (0.35, 0.25, 0.15, 0.15),
    [(0.1, 0.2, 0.8), (-0.9, 0.1, 0.1), (0.8, 0.7, 0.1), (-0.8, 0.1, -0.6), (0.7, -0.6, 0.8), (0.42, 0.1, 0.1)]),
    "cylinder": ("CYLINDER", (0.4, 0.6, 0, 1),
    [(0.5, 0.4, 0.2), (0.1, -0.2, 0.9), (0.1, 0.2, -0.9), (0.4, 0.3, 1), (0.4, -0.4, -0.9), (0.2, 0.25, 0.1),
    (0.1, 0, 0.55)]),
    "tube": ("CYLINDER", (0.4, 0.6, 0, 0), [(0.5, 0.4, 0.2), (0.1, 0.1, 0.59)]),
    "capsule": ("CAPSULE", (0.3, 0.6), [(0.5, 0.4, 0.2), (0.2, -0.2, 1.0), (0.1, 0.2, -0.9), (0.1, 0.05, 0.1)]),
    "frustum": ("FRUSTUM", (0.5, 0.2, 0.6),
    [(0.5, 0.4, 0.2), (0.1, -0.1, 0.9), (0.1, 0.2, -0.9), (0.3, 0.1, 0.9), (0.6, -0.4, -0.8), (0.2, 0.15, 0.1),
    (0.1, 0, -0.5)]),
    "cone": ("FRUSTUM", (0.5, 0.0, 0.6), [(0.5, 0.4, 0.2), (0.05, 0.1, 0.9), (0.1, 0.2, -0.9), (0.6, -0.4, -0.8),
    (0.1, 0.1, 0.1)]),
    "ellipsoid": ("ELLIPSOID", (0.5, 0.4, 0.3),
    [(0.5, 0.4, 0.2), (0.0, 0.0, 0.7), (0.9, 0.0, 0.01), (0.1, 0.2, 0.25), (0.05, 0.1, 0.2), (0.3, 0.3, 0.0)]),
    "torus": ("TORUS", (0.5, 0.2), [(0.7, 0.5, 0.2), (0.2, 0.1, 0.2), (0.4, 0.3, 0.05), (0.1, 0.1, -0.3),
    (0.5, 0.1, -0.5)]),
}  # fmt: skip


def outside(kind, q):
    """(function that is <= 0 in the shape, ...) of points in its axes: the inequalities that make it."""

    def of(p):
        x, y, z = p
        r = np.hypot(x, y)
        if kind == "PLANE":
            return [z] + ([abs(x) - q[0], abs(y) - q[1]] if q else [])
        if kind == "BOX":
            return [abs(x) - q[0], abs(y) - q[1], abs(z) - q[2]]
        if kind == "ROUNDED_BOX":
            return [np.linalg.norm(np.maximum(np.abs(p) - q[:3], 0)) - q[3]]
        if kind == "CYLINDER":
            return [r - q[0], abs(z) - q[1]]
        if kind == "CAPSULE":
            return [np.hypot(r, max(abs(z) - q[1], 0)) - q[0]]
        if kind == "FRUSTUM":
            return [r - (q[0] + (q[1] - q[0]) * (z / q[2] + 1) / 2), abs(z) - q[2]]
        if kind == "ELLIPSOID":
            return [np.linalg.norm(np.array(p) / q) - 1]
        return [np.hypot(r - q[0], z) - q[1]]

    return of


def scenes(radius=0.25):
    for name, (kind, q, centres) in SHAPES.items():
        for i, c in enumerate(centres):
            A = S._axes(AXES)
            yield (
                name,
                i,
                S.scene(("SPHERE", (radius,), np.array(ORIGIN) + A @ c, (1.0, 0.2, -0.3)), (kind, q, ORIGIN, AXES)),
            )


@pytest.mark.parametrize("name", SHAPES)
def test_points_rates_and_invariance(name):
    kind, q, centres = SHAPES[name]
    kernel = pair("SPHERE", kind)[0]
    for n, _, sh in scenes():
        if n == name:
            assert len(S.points(kernel, sh)) == 1
            S.check_rates(kernel, sh, tolerance=2e-6 if name == "ellipsoid" else 1e-7)
            S.check_invariance(kernel, sh)
            gap = S.points(kernel, sh)[0, GAP]
            assert len(S.points(kernel, sh, reach=gap)) == 0 and len(S.points(kernel, sh, reach=gap + 1e-9)) == 1


@pytest.mark.parametrize("name", [n for n in SHAPES if n != "tube"])
def test_gap_is_the_least_distance(name):
    """Outside: minimised over the shape's inequalities; inside: the foot lies on the surface, and no point of it is
    nearer (sampled)."""
    kind, q, centres = SHAPES[name]
    kernel = pair("POINT", kind)[0]
    of = outside(kind, q)
    A = S._axes(AXES)
    random = np.random.default_rng(3)
    for c in map(np.array, centres):
        sh = S.scene(("POINT", (), np.array(ORIGIN) + A @ c), (kind, q, ORIGIN, AXES))
        row = S.points(kernel, sh)[0]
        foot = A.T @ (row[P : P + 3] - ORIGIN)
        normal = A.T @ row[N : N + 3]
        np.testing.assert_allclose(c, foot + row[GAP] * normal, atol=1e-14)
        np.testing.assert_allclose(max(of(foot)), 0, atol=1e-12)
        assert max(of(foot + 1e-6 * normal)) > 0
        inside = max(of(c)) < 0
        assert inside == (row[GAP] < 0)
        if not inside:
            best = np.inf
            for start in (foot + 0.02 * random.normal(size=3), 0.2 * random.normal(size=3) + (0.5, 0, 0)):
                found = minimize(
                    lambda p, c=c: (p - c) @ (p - c),
                    start,
                    method="SLSQP",
                    tol=1e-14,
                    options={"maxiter": 300},
                    constraints={"type": "ineq", "fun": lambda p: -np.array(of(p))},
                )
                if max(of(found.x)) < 1e-7:
                    best = min(best, np.sqrt(found.fun))
            np.testing.assert_allclose(best, row[GAP], atol=2e-6)
        elif kind != "PLANE":
            ball = random.normal(size=(2000, 3))
            ball *= (0.999 * abs(row[GAP]) / np.linalg.norm(ball, axis=1))[:, None]
            assert all(max(of(c + d)) < 0 for d in ball)


@pytest.mark.parametrize("paths", [range(3), pytest.param(range(3, 20), marks=pytest.mark.slow)], ids=["few", "more"])
@pytest.mark.parametrize("name", SHAPES)
def test_gap_is_continuous(name, paths):
    """Along straight paths outside the gap never changes faster than the centre moves (inside too, but across the
    plane's rim)."""
    kind, q, centres = SHAPES[name]
    if name == "tube":
        return
    kernel = pair("POINT", kind)[0]
    sh = S.scene(("POINT", ()), (kind, q))
    for path in paths:
        start, end = np.random.default_rng([5, path]).uniform(-1.2, 1.2, (2, 3))
        if name == "rectangle":
            start[2], end[2] = abs(start[2]), abs(end[2])
        gaps = []
        for p in np.linspace(start, end, 400):
            sh.fr.p[0] = p
            gaps.append(S.points(kernel, sh)[0, GAP])
        assert np.abs(np.diff(gaps)).max() <= np.linalg.norm(end - start) / 399 * (1 + 1e-9)


def test_sphere_against_sphere():
    kernel = pair("SPHERE", "SPHERE")[0]
    sh = S.scene(("SPHERE", (0.3,), (0.2, 0.5, 0.4)), ("SPHERE", (0.5,), (-0.1, 0.1, 0.2)))
    row = S.points(kernel, sh)[0]
    d = sh.fr.p[0] - sh.fr.p[1]
    np.testing.assert_allclose(row[GAP], np.linalg.norm(d) - 0.8, atol=1e-15)
    np.testing.assert_allclose(row[N : N + 3], d / np.linalg.norm(d), atol=1e-15)
    np.testing.assert_allclose(row[P : P + 3], sh.fr.p[1] + 0.5 * d / np.linalg.norm(d), atol=1e-15)
    S.check_rates(kernel, sh)
    S.check_invariance(kernel, sh)


def test_ball_in_a_hollow_ball():
    kernel = pair("SPHERE", "SPHERE")[0]
    sh = S.scene(("SPHERE", (0.3,), (0.1, 0.05, -0.1)), ("SPHERE", (0.5, 1), (0, 0, 0)))
    row = S.points(kernel, sh)[0]
    np.testing.assert_allclose(row[GAP], 0.2 - 0.15, atol=1e-15)
    S.check_rates(kernel, sh)
    other = S.scene(("SPHERE", (0.5, 1), (0, 0, 0)), ("SPHERE", (0.3,), (0.1, 0.05, -0.1)))
    back = S.points(kernel, other)[0]
    np.testing.assert_allclose(back[N : N + 3], -row[N : N + 3], atol=1e-14)
    np.testing.assert_allclose(back[P : P + 3], row[P : P + 3] + row[GAP] * row[N : N + 3], atol=1e-14)
    S.check_rates(kernel, other)


def test_ball_in_bores_and_cans():
    kernel = pair("SPHERE", "CYLINDER")[0]
    A = S._axes(AXES)
    at = lambda c: np.array(ORIGIN) + A @ c
    bore = ("CYLINDER", (0.5, 0.8, 1, 0), ORIGIN, AXES)
    can = ("CYLINDER", (0.5, 0.8, 1, 1), ORIGIN, AXES)
    sh = S.scene(("SPHERE", (0.2,), at((0.2, 0.1, 0.5))), bore)
    np.testing.assert_allclose(S.points(kernel, sh)[0, GAP], 0.3 - np.hypot(0.2, 0.1), atol=1e-14)
    S.check_rates(kernel, sh)
    S.check_invariance(kernel, sh)
    mouth = S.place(sh, 0, at((0.2, 0.3, 0.9)))
    np.testing.assert_allclose(
        S.points(kernel, mouth)[0, GAP], np.hypot(0.5 - np.hypot(0.2, 0.3), 0.1) - 0.2, atol=1e-14
    )
    S.check_rates(kernel, mouth)
    assert len(S.points(kernel, S.place(sh, 0, at((0.7, 0, 0.9))))) == 0
    corner = S.scene(("SPHERE", (0.2,), at((0.25, 0.1, 0.65))), can)
    rows = S.points(kernel, corner, reach=0.2)
    np.testing.assert_allclose(rows[:, GAP], [0.3 - np.hypot(0.25, 0.1), -0.05], atol=1e-14)
    S.check_rates(kernel, corner)
    assert len(S.points(kernel, corner, reach=0.2, limit=1)) == 1


def test_a_ball_next_to_the_middle_plane_of_an_ellipsoid():
    """Inside, near the plane across the shortest axis: the depth is continuous up to the plane, where there are two
    feet (from 1e-17 to 1e-14 of the size off it, it was wrong by up to a quarter)."""
    kernel, size = pair("SPHERE", "ELLIPSOID")[0], np.array([0.98, 0.5, 0.55])
    turned = np.linspace(0.0, np.pi, 401)[:, None]
    round_ = np.linspace(0.0, 2.0 * np.pi, 801)
    surface = np.stack([np.sin(turned) * np.cos(round_), np.sin(turned) * np.sin(round_), np.cos(turned) + 0 * round_])
    for axes in ((0, 1, 2), (1, 0, 2), (2, 0, 1)):  # where the shortest one lies
        sizes = size[list(axes)]
        for off in (0.0, *(10.0**-k * f for k in range(13, 19) for f in (1.0, -3.0))):
            at = np.array([0.37, off, 0.04])[list(axes)]
            rows = S.points(kernel, S.scene(("SPHERE", (0.1,), at, None), ("ELLIPSOID", sizes, None, None)))
            least = np.linalg.norm(surface.reshape(3, -1).T * sizes - at, axis=1).min()
            np.testing.assert_allclose(rows[:, GAP], [-least - 0.1], atol=5e-5)
