"""Rounded box: closed forms of mass, distance and rocking on a round edge; all three treatments of contact; refused
sizes."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scene as S
from scipy.optimize import lsq_linear
from scipy.spatial.transform import Rotation

import holonom as hn
from holonom.contact.referee.points import reference_points
from holonom.contact.referee.surfaces import surface_of
from holonom.contact.shapes import pair
from holonom.contact.shapes.rounded_box import surface_mesh
from holonom.contact.tables import GAP
from holonom.model.base import ModelError
from holonom.model.bounds import bounds
from holonom.model.mass_properties import mesh_moments, moments_of
from holonom.model.shape import shape_of

CORE, R = (0.15, 0.1, 0.05), 0.05


def solid():
    m = hn.Model()
    return shape_of(m, m.rounded_box(m.ground, (0, 0, 0), (0.4, 0.3, 0.2), R))


def test_mass_against_a_fine_mesh_and_limits():
    volume, first, second = moments_of(solid())
    points, triangles = surface_mesh(CORE, R, 90)
    meshed = mesh_moments(points, triangles)
    assert volume == pytest.approx(meshed[0], rel=1e-4)
    np.testing.assert_allclose(second, meshed[2], rtol=1e-4, atol=1e-9)
    assert not first.any()
    m = hn.Model()  # nearly a ball, nearly a box
    ball = moments_of(shape_of(m, m.rounded_box(m.ground, (0, 0, 0), 0.2, 0.1 * (1 - 1e-9))))
    assert ball[0] == pytest.approx(4 / 3 * math.pi * 0.1**3, rel=1e-6)
    np.testing.assert_allclose(np.diag(ball[2]), 4 / 15 * math.pi * 0.1**5, rtol=1e-6)
    box = moments_of(shape_of(m, m.rounded_box(m.ground, (0, 0, 0), (0.4, 0.3, 0.2), 1e-9)))
    np.testing.assert_allclose(np.diag(box[2]), 0.4 * 0.3 * 0.2 / 12 * np.square((0.4, 0.3, 0.2)), rtol=1e-6)


def test_distance_of_two_rounded_boxes_is_that_of_their_cores():
    """Least squares with bounds give the distance of the inner boxes."""
    kernel = pair("ROUNDED_BOX", "ROUNDED_BOX")[0]
    random = np.random.default_rng(2)
    for _ in range(6):
        d = random.normal(size=3)
        d *= 0.8 / np.linalg.norm(d)
        A = Rotation.random(random_state=random).as_matrix()
        sh = S.scene(("ROUNDED_BOX", (*CORE, R), d, A), ("ROUNDED_BOX", (0.2, 0.1, 0.1, 0.03)))
        gap = S.points(kernel, sh)[:, GAP].min()
        low = np.array([*CORE, 0.2, 0.1, 0.1])
        found = lsq_linear(np.hstack([A, -np.eye(3)]), -d, (-low, low), tol=1e-14)
        assert gap == pytest.approx(np.linalg.norm(found.fun) - R - 0.03, abs=1e-7)


def test_bounds_and_the_surface_of_the_referee():
    s = solid()
    centre, half, radius = bounds(s)
    np.testing.assert_allclose(half, (0.2, 0.15, 0.1))
    assert radius == pytest.approx(np.linalg.norm(CORE) + R) and not centre.any()
    surface = surface_of(s)
    assert surface.closed and 0 < surface.deviation < 0.002 * R
    corners = surface.triangles.reshape(-1, 3)
    beyond = np.linalg.norm(np.maximum(np.abs(corners) - CORE, 0), axis=1) - R
    assert np.abs(beyond).max() < 1e-9
    points = reference_points(surface).at
    assert len(points) and (np.linalg.norm(np.maximum(np.abs(points) - CORE, 0), axis=1) < R).all()


def on_floor(angle: float = 0.0, **contact):
    """A rounded box over a floor, tilted about y; and the height at which it touches."""
    m = hn.Model()
    m.gravity = (0, 0, -9.81)
    core, r = 0.1, 0.1
    height = r + core * (abs(math.sin(angle)) + math.cos(angle))
    axes = Rotation.from_rotvec((0, angle, 0)).as_matrix()
    part = m.part(
        "box", shape=hn.shapes.rounded_box((0, 0, height), 0.4, r, x=axes[:, 0], z=axes[:, 2]), density=1000.0
    )
    m.contact(part, m.plane(m.ground, (0, 0, 0), (0, 0, 1)), name="floor", **contact)
    return m, height


@pytest.mark.parametrize("method", ["compliant", "events", "time-stepping"])
def test_lies_on_its_face_in_every_treatment(method):
    law = (
        {"stiffness": 1e7, "exponent": 1.5, "damping": 1e4, "dmax": 1e-6}
        if method == "compliant"
        else {"restitution": 0.0}
    )
    m, height = on_floor(**law)
    run = hn.simulate(m, 0.3, 10, contact=method, referee="strict")
    z = run.part("box").position.values[-1, 2]
    depth = (
        (1000.0 * moments_of(shape_of(m, m.table("GRAPHICS")[1]))[0] * 9.81 / 1e7) ** (2 / 3)
        if method == "compliant"
        else 0.0
    )
    assert z == pytest.approx(height - depth, abs=2e-6)
    assert run.info["referee"]["steps"] > 0


def test_rocks_on_its_round_edge_as_energy_says():
    """Rolling on an edge: (J + m d^2) w^2 / 2 = m g (h0 - h), with d the distance of the centre from the point of
    contact below the edge's axis."""
    start = math.radians(30.0)
    m, h0 = on_floor(start, restitution=0.0, mu=(2.0, 2.0))
    run = hn.simulate(m, 0.2, 20, contact="events")
    part = run.part("box")
    w = np.linalg.norm(part.angular_velocity.values, axis=1)
    z = part.position.values[:, 2]
    volume, _, second = moments_of(shape_of(m, m.table("GRAPHICS")[1]))
    mass, J = 1000.0 * volume, 1000.0 * (second[0, 0] + second[2, 2])
    for k in range(5, 21, 5):
        # height r + c (sin + cos) = r + c sqrt(2) cos(45 deg - angle)
        turned = math.pi / 4 - math.acos(min(1.0, (z[k] - 0.1) / (0.1 * math.sqrt(2))))
        x = 0.1 * (math.cos(turned) - math.sin(turned))
        d2 = x * x + z[k] ** 2
        assert w[k] ** 2 == pytest.approx(2 * mass * 9.81 * (h0 - z[k]) / (J + mass * d2), rel=2e-3)
    assert w[-1] > 0.5


def test_in_a_bore_and_a_hollow_ball_its_corners_touch():
    q = (0.2, 0.1, 0.1, 0.05)
    rows = S.points(pair("SPHERE", "ROUNDED_BOX")[0], S.scene(("SPHERE", (0.5, 1)), ("ROUNDED_BOX", q)), reach=1.0)
    np.testing.assert_allclose(rows[:, GAP], 0.5 - 0.05 - math.sqrt(0.06), atol=1e-14)
    kernel, _, swapped = pair("ROUNDED_BOX", "CYLINDER")
    assert not swapped
    rows = S.points(kernel, S.scene(("ROUNDED_BOX", q), ("CYLINDER", (0.5, 1.0, 1, 0))), reach=1.0)
    np.testing.assert_allclose(rows[:, GAP], 0.5 - 0.05 - math.sqrt(0.05), atol=1e-14)
    S.check_rates(
        kernel,
        S.scene(("ROUNDED_BOX", q, (0.02, 0.01, 0.1), (0.3, 0.2, 0.1)), ("CYLINDER", (0.5, 1.0, 1, 0))),
        tolerance=2e-5,
    )


@pytest.mark.parametrize(
    "size, radius, text",
    [
        ((0.4, 0.3, 0.2), 0.1, "radius 0.1 must be less than half of its shortest edge, 0.1"),
        ((0.4, 0.3, 0.2), 0.0, "radius must be positive"),
        ((0.4, -0.3, 0.2), 0.01, "edge y must be positive"),
        ((0.4, 0.3, 0.2), "thick", "three edges and a radius"),
    ],
)
def test_sizes_that_are_refused(size, radius, text):
    m = hn.Model()
    with pytest.raises(ModelError, match=text):
        m.rounded_box(m.ground, (0, 0, 0), size, radius)


def test_as_the_shape_of_grains():
    m = hn.Model()
    g = m.grains([(0, 0, 0)], shape="ROUNDED_BOX", dimensions=(0.4, 0.3, 0.2, 0.05), density=1000.0)
    part = m.part("one", shape=hn.shapes.rounded_box((1, 0, 0), (0.4, 0.3, 0.2), 0.05), density=1000.0)
    assert g.masses[0] == pytest.approx(part.mass)
    np.testing.assert_allclose(g.inertias()[0], part.ip[:3])
    with pytest.raises(ModelError, match="less than half of its shortest edge"):
        m.grains([(0, 0, 0)], shape="ROUNDED_BOX", dimensions=(0.4, 0.3, 0.2, 0.15), density=1000.0)
