"""Cylinders and capsules along each other, crossed, and shafts in bores."""

import numpy as np
import pytest
import scene as S

from holonom.contact.shapes import pair
from holonom.contact.tables import FEATURE, GAP, WEIGHT, N, P

BEARING = ("CYLINDER", (0.5, 0.7, 1, 0))
TILTS = [(0, 0.01, 0), (0.003, -0.004, 0.2), (0.05, 0.02, 0)]


def circle(sh, i, r, z, number=20001):
    """Points of the circle at height z of shape i, in ground."""
    t = np.linspace(0, 2 * np.pi, number)
    return sh.fr.p[i] + np.stack([r * np.cos(t), r * np.sin(t), z + 0 * t], 1) @ sh.fr.A[i].reshape(3, 3).T


def to_axis(sh, i, points):
    A = sh.fr.A[i].reshape(3, 3)
    local = (points - sh.fr.p[i]) @ A
    return np.hypot(local[:, 0], local[:, 1])


@pytest.mark.parametrize("tilt", TILTS)
@pytest.mark.parametrize("half", [0.6, 2.0])
@pytest.mark.parametrize("at", [(0.02, 0.01, 0.0), (0.0, -0.02, 0.9), (0.01, 0.01, -0.2)])
def test_shaft_in_a_bore(tilt, half, at):
    kernel = pair("CYLINDER", "CYLINDER")[0]
    sh = S.scene(("CYLINDER", (0.48, half, 0, 1), at, tilt), BEARING)
    rows = S.points(kernel, sh)
    assert len(rows) == 2 and np.all(rows[:, WEIGHT] == 0.5)
    for row in rows:
        upper = row[FEATURE] >= 2
        if row[FEATURE] % 2 == 0:  # rim of the shaft against the wall
            expected = 0.5 - to_axis(sh, 1, circle(sh, 0, 0.48, half if upper else -half)).max()
        else:  # rim of the mouth against the shaft
            expected = to_axis(sh, 0, circle(sh, 1, 0.5, 0.7 if upper else -0.7)).min() - 0.48
        np.testing.assert_allclose(row[GAP], expected, atol=1e-8)
    S.check_rates(kernel, sh, tolerance=2e-5)
    S.check_invariance(kernel, sh)
    other = S.scene(BEARING, ("CYLINDER", (0.48, half, 0, 1), at, tilt))
    S.check_rates(kernel, other, tolerance=2e-5)
    for r, q in zip(rows, S.points(kernel, other), strict=True):
        np.testing.assert_allclose(q[N : N + 3], -r[N : N + 3], atol=1e-12)
        np.testing.assert_allclose(q[P : P + 3], r[P : P + 3] + r[GAP] * r[N : N + 3], atol=1e-12)


def test_ring_on_a_pin_and_what_is_out_of_reach():
    """Aligned: clearance less eccentricity at both ends; a shaft that has left the bore has no points, nor have two
    bores."""
    kernel = pair("CYLINDER", "CYLINDER")[0]
    sh = S.scene(("CYLINDER", (0.45, 0.3, 0, 1), (0.03, 0.04, 0.1)), BEARING)
    rows = S.points(kernel, sh)
    np.testing.assert_allclose(rows[:, GAP], 0, atol=1e-14)
    np.testing.assert_allclose(rows[:, P : P + 2], [[0.3, 0.4]] * 2, atol=1e-14)
    np.testing.assert_allclose(sorted(rows[:, P + 2]), [-0.2, 0.4], atol=1e-14)
    assert len(S.points(kernel, S.place(sh, 0, (0, 0, 1.1)))) == 0
    assert len(S.points(kernel, S.scene(BEARING, BEARING))) == 0
    assert len(S.points(kernel, sh, reach=-1e-3)) == 0


@pytest.mark.parametrize("kind", ["CYLINDER", "CAPSULE"])
@pytest.mark.parametrize("turn", [(0, 0.002, 0), (0.05, 0.01, 0), (0.08, 0.02, 0), (0.5, 1.0, 0.2)])
@pytest.mark.parametrize("at", [(0.52, 0.01, 0.3), (0.0, -0.54, -0.1)])
def test_sides(kind, turn, at):
    kernel = pair(kind, kind)[0]
    sh = S.scene((kind, (0.3, 0.8, 0, 1), at, turn), (kind, (0.25, 0.7, 0, 1)))
    rows = S.points(kernel, sh)
    np.testing.assert_allclose(rows[:, WEIGHT].sum(), 1, atol=1e-14)
    # the deepest is as deep as the axes are near, less the ends of nearly parallel cylinders, where the rims are cut
    # square
    s, t = np.meshgrid(np.linspace(-0.8, 0.8, 801), np.linspace(-0.7, 0.7, 701))
    a = at + s[..., None] * S._axes(turn)[:, 2]
    nearest = np.linalg.norm(a - t[..., None] * np.array([0, 0, 1.0]), axis=-1).min() - 0.55
    np.testing.assert_allclose(rows[:, GAP].min(), nearest, atol=2e-3 if np.linalg.norm(turn) < 0.2 else 5e-6)
    S.check_rates(kernel, sh, tolerance=2e-5)
    S.check_invariance(kernel, sh)


def test_parallel_cylinders_share_their_line():
    for kind in ("CYLINDER", "CAPSULE"):
        sh = S.scene((kind, (0.3, 0.8, 0, 1), (0.5, 0, 0.4)), (kind, (0.25, 0.7, 0, 1)))
        rows = S.points(pair(kind, kind)[0], sh)
        np.testing.assert_allclose(rows[:, GAP], -0.05, atol=1e-14)
        np.testing.assert_allclose(rows[:, WEIGHT], 0.5)
        np.testing.assert_allclose(sorted(rows[:, P + 2]), [-0.4, 0.7], atol=1e-14)


@pytest.mark.parametrize("kind", ["CYLINDER", "CAPSULE"])
def test_weights_and_depth_change_gently_with_the_angle(kind):
    """Turning one rod across the other: the force w.d and its torque have no jumps while the lines give way to a
    point."""
    kernel = pair(kind, kind)[0]
    last = None
    for angle in np.linspace(0.0005, 0.4, 400):
        sh = S.scene((kind, (0.3, 0.8, 0, 1), (0.0, 0.5, 0.1), (0, angle, 0)), (kind, (0.25, 0.7, 0, 1)))
        rows = S.points(kernel, sh)
        force = -(rows[:, WEIGHT] * np.minimum(rows[:, GAP], 0))[:, None] * rows[:, N : N + 3]
        now = np.concatenate([force.sum(0), np.cross(rows[:, P : P + 3], force).sum(0)])
        if last is not None:
            assert np.abs(now - last).max() < 2e-3
        last = now


def test_capsule_in_a_bore_and_against_a_cylinder():
    kernel = pair("CYLINDER", "CAPSULE")[0]
    sh = S.scene(BEARING, ("CAPSULE", (0.45, 0.4), (0.03, 0.02, 0.1), (0.01, 0.02, 0)))
    S.check_rates(kernel, sh, tolerance=2e-5)
    S.check_invariance(kernel, sh)
    ends = sh.fr.p[1] + np.array([[-0.4], [0.4]]) * sh.fr.A[1].reshape(3, 3)[:, 2]
    np.testing.assert_allclose(S.points(kernel, sh)[:, GAP], 0.05 - np.hypot(ends[:, 0], ends[:, 1]), atol=1e-12)
    for turn in ((0.001, 0, 0), (1.0, 0.5, 0)):
        sh = S.scene(("CYLINDER", (0.3, 0.8, 0, 1), (0.05, 0.52, 0.15), turn), ("CAPSULE", (0.25, 0.7)))
        S.check_rates(kernel, sh, tolerance=2e-5)
        S.check_invariance(kernel, sh)
