"""Height fields against planes, meshes of the same shape, and the motion along a sine surface."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import holonom as hn
from holonom.contact.shapes.height_field import field_mesh
from holonom.model.base import ModelError
from holonom.model.bounds import bounds
from holonom.model.mesh import check_mesh, mesh_volume
from holonom.model.shape import shape_of

LAW = {"stiffness": 1e8, "exponent": 1.5, "damping": 0.0, "dmax": 1e-4}
GRID = np.random.default_rng(4).uniform(-0.05, 0.05, (7, 9))


@pytest.mark.parametrize("thickness, two_sided", [(0.0, False), (0.2, False), (0.03, True)])
def test_closed_meshes_and_their_volume(thickness, two_sided):
    dx, dy = 0.1, 0.2
    points, triangles = field_mesh(GRID, dx, dy, thickness, two_sided)
    check_mesh(points, triangles)
    mean = (
        2 * (GRID[:-1, :-1] + GRID[1:, 1:]) + GRID[1:, :-1] + GRID[:-1, 1:]
    ) / 6  # the two triangles of a cell share a diagonal
    low = GRID.min() - (thickness or np.ptp(GRID) + 0.1 * 0.8)
    expected = dx * dy * (thickness * mean.size if two_sided else (mean - low).sum())
    assert mesh_volume(points, triangles) == pytest.approx(expected)


def test_mass_and_bounds_of_ground_with_a_thickness():
    m = hn.Model()
    part = m.part("ground", shape=hn.shapes.height_field(np.zeros((3, 3)), (0.5, 1.0), thickness=0.2), density=100.0)
    assert part.mass == pytest.approx(100.0 * 1.0 * 2.0 * 0.2)
    solid = shape_of(m, m.table("GRAPHICS")[1])
    np.testing.assert_allclose(bounds(solid)[1], (0.5, 1.0, 0.1))
    with pytest.raises(ModelError, match="without a thickness"):
        m.part("none", shape=hn.shapes.height_field(np.zeros((3, 3)), 1.0), density=1.0)


def test_coordinates_place_the_grid():
    m = hn.Model()
    solid = shape_of(m, m.height_field(m.ground, np.zeros((3, 2)), ((0.0, 0.5, 1.0), (2.0, 4.0)), at=(1, 0, 0)))
    np.testing.assert_allclose(solid.frame.origin, (1.5, 3.0, 0.0))
    assert solid.par[:2] == (0.5, 2.0)


SHAPES = {
    "sphere": lambda m, b: m.sphere(b, (0.02, 0.01, 0.1), 0.1),
    "capsule": lambda m, b: m.capsule(b, (-0.08, 0.01, 0.1), (0.12, 0.01, 0.1), 0.1),
    "box": lambda m, b: m.box(b, (0.02, 0.01, 0.1), (0.3, 0.25, 0.2)),
    "rounded box": lambda m, b: m.rounded_box(b, (0.02, 0.01, 0.1), (0.3, 0.25, 0.2), 0.04),
    "hull": lambda m, b: m.hull(b, [(x, y, z) for x in (-0.13, 0.17) for y in (-0.11, 0.14) for z in (0.0, 0.2)]),
    "mesh": lambda m, b: m.mesh(b, field_mesh(np.zeros((3, 3)), 0.15, 0.12, 0.2), at=(0.02, 0.01, 0.2)),
}


def resting(shape: str, ground: str, **more):
    m = hn.Model()
    m.gravity = (0, 0, -9.81)
    b = m.part("b", 2.0, (0.02,) * 3, (0.02, 0.01, 0.1))
    SHAPES[shape](m, b)
    floor = (
        m.plane(m.ground, (0, 0, 0), (0, 0, 1))
        if ground == "plane"
        else m.height_field(m.ground, np.zeros((5, 5)), 0.4, **more)
    )
    m.contact(b, floor, restitution=0.0)
    return m


@pytest.mark.parametrize("shape", SHAPES)
def test_flat_ground_holds_what_a_plane_holds(shape):
    """Time-stepping of a body at rest: it stays where a half-space holds it."""
    m = resting(shape, "field", thickness=0.3)
    run = hn.simulate(m, 0.1, 2, contact="time-stepping", referee="strict")
    np.testing.assert_allclose(run.part("b").position.values[-1], (0.02, 0.01, 0.1), atol=2e-6)


def sliding(ground, **law):
    """A ball on a sine surface."""
    m = hn.Model()
    m.gravity = (0, 0, -9.81)
    b = m.part("ball", 1.0, (4e-3,) * 3, START, velocity=(0.0, 0.0, 0.0))
    ball = m.sphere(b, START, RADIUS)
    surface = ground(m)
    m.contact(ball, surface, **law)
    return m


RADIUS, HIGH, K = 0.1, 0.05, 2 * math.pi / 1.6
X = np.linspace(-1.2, 1.2, 241)
WAVE = np.tile(-HIGH * np.cos(K * X)[:, None], (1, 3))


def centre(x):
    """Centre of a ball that touches the wave at x."""
    slope = HIGH * K * np.sin(K * x)
    n = np.array([-slope, 1.0]) / math.hypot(slope, 1.0)
    return np.array([x, -HIGH * np.cos(K * x)]) + RADIUS * n


START = (centre(0.4)[0], 0.0, centre(0.4)[1])


def closed_form(times, inertia):
    """Motion of the centre along the parallel curve of the wave in the place s of the foot: x of the centre.
    ``inertia``: mass, and J / r^2 if it rolls."""
    h = 1e-5
    tangent = lambda s: (centre(s + h) - centre(s - h)) / (2 * h)

    def rate(t, y):
        s, v = y
        c1 = tangent(s)
        c2 = (centre(s + 1e-3) - 2 * centre(s) + centre(s - 1e-3)) / 1e-6
        return v, -(9.81 * c1[1] / inertia + (c1 @ c2) * v * v) / (c1 @ c1)

    found = solve_ivp(rate, (0, times[-1]), (0.4, 0.0), t_eval=times, rtol=1e-9, atol=1e-12)
    return np.array([centre(s)[0] for s in found.y[0]])


@pytest.mark.parametrize("mu, inertia", [(None, 1.0), ((1.0, 1.0), 1.4)])
def test_a_ball_slides_and_rolls_along_a_sine_as_its_equation_says(mu, inertia):
    field = lambda m: m.height_field(m.ground, WAVE, (0.01, 0.3), thickness=0.2)
    run = hn.simulate(sliding(field, mu=mu, **LAW), 1.0, 20, referee="strict")
    x = run.part("ball").position.values[:, 0]
    assert np.ptp(x) > 0.5
    np.testing.assert_allclose(x, closed_form(run.time, inertia), atol=4e-3)
    v = run.part("ball").velocity.values
    w = run.part("ball").angular_velocity.values
    energy = 0.5 * (v**2).sum(axis=1) + 0.5 * 4e-3 * (w**2).sum(axis=1) + 9.81 * run.part("ball").position.values[:, 2]
    assert np.abs(energy - energy[0]).max() < 2e-3 * 9.81 * 2 * HIGH


def test_a_mesh_of_the_same_triangles_is_the_same_ground():
    field = lambda m: m.height_field(m.ground, WAVE[::8], (0.08, 0.3), thickness=0.2)
    mesh = lambda m: m.mesh(m.ground, field_mesh(WAVE[::8], 0.08, 0.3, 0.2))
    runs = [hn.simulate(sliding(g, restitution=0.0), 0.2, 4, contact="time-stepping", step=1e-3) for g in (field, mesh)]
    np.testing.assert_array_equal(runs[0].part("ball").position.values, runs[1].part("ball").position.values)


@pytest.mark.parametrize("two_sided, height", [(True, -0.02), (False, -0.3)])
def test_the_other_side(two_sided, height):
    """A ball from below meets the underside of a sheet, and the flat bottom of ground."""
    m = hn.Model()
    m.gravity = (0, 0, 0)
    b = m.part("ball", 1.0, (4e-3,) * 3, (0, 0, height - 0.2), velocity=(0, 0, 1.0))
    m.contact(
        m.sphere(b, (0, 0, height - 0.2), 0.1),
        m.height_field(m.ground, np.zeros((5, 5)), 0.4, thickness=abs(height), two_sided=two_sided),
        restitution=1.0,
    )
    run = hn.simulate(m, 0.3, 30, contact="events", referee="strict")
    z, v = run.part("ball").position.values[:, 2], run.part("ball").velocity.values[:, 2]
    assert z.max() == pytest.approx(height - 0.1, abs=0.011) and v[-1] == pytest.approx(-1.0)


@pytest.mark.parametrize(
    "heights, spacing, more, text",
    [
        ([[0, 1, math.nan], [1, 2, 3]], 1.0, {}, "row 0, column 2 is nan"),
        ([[0, 1, 2]], 1.0, {}, "at least 2 x 2, they are 1 x 3"),
        ([[0, 1, 2], [0, 1, 2]], ((0, 1), (0, 1, 3)), {}, "not uniform along y: steps of 1 to 2"),
        ([[0, 1, 2], [0, 1, 2]], ((0, 1), (0, 1)), {}, "2 coordinates along y for 3 heights"),
        ([[0, 1], [0, 1]], ((1, 0), (0, 1)), {}, "do not rise"),
        ([[0, 1], [0, 1, 2]], 1.0, {}, "all of the same length"),
        ([[0, 1], [0, 1]], 0.0, {}, "dx must be positive"),
        ([[0, 1], [0, 1]], 1.0, {"two_sided": True}, "needs a thickness"),
        ([[0, 1], [0, 1]], 1.0, {"thickness": -1.0}, "must not be negative"),
    ],
)
def test_fields_that_are_refused(heights, spacing, more, text):
    m = hn.Model()
    with pytest.raises(ModelError, match=text):
        m.height_field(m.ground, heights, spacing, **more)
