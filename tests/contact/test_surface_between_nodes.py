"""Faces of flexible surfaces touch between their nodes, and at any speed: penalty laws, momentum and energy, and what
fits through is reported."""

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp

import holonom as hn
from holonom.contact.surfaces.spacing import divided, divisions_for, lattice, passes_between, size_of, wall_of
from holonom.flexible import Material
from holonom.integrators.stepper import IntegrationError
from holonom.model.shape import shape_of
from holonom.model.triangles import area_vectors

R, MASS, SPEED = 0.02, 0.02, 2.0


def target(m, counts, E=1e8, **more):
    """A block of 0.2 x 0.2 x 0.1 m whose upper face is at z = 0."""
    part = m.part("block", 1.0, (1, 1, 1), (0, 0, -0.05))
    mesh = hn.flexible.box((-0.1, -0.1, -0.1), (0.1, 0.1, 0.0), counts, "hexahedron")
    m.make_flexible(part, mesh, Material(E, 0.3, 1000.0), contact="z+", modes=4, **more)
    return part


def strike(counts, make, at=(0.037, 0.061), E=1e14, height=0.0, end=0.01, **more):
    """A small body flies into the upper face between its nodes: the run, and the bodies."""
    m = hn.Model()
    m.gravity = (0, 0, 0)
    block = target(m, counts, E)
    ball = m.part("ball", MASS, (1e-5, 1e-5, 1e-5), (*at, R + height))
    ball.vz = -SPEED
    m.surface_contact(block, make(m, ball), name="hit", **more)
    run = hn.simulate(m, end=end, steps=100, integrator="RADAU5", error=1e-6)
    return run, block, ball


def sphere(m, part):
    return m.sphere(part, tuple(part.frame.origin), R)


def bed(k, depth):
    """Force of a ball at a depth on a bed of springs across its surface, each along the normal of the ball, k the
    pressure over the depth."""
    if depth <= 0.0:
        return 0.0
    h = R - depth
    s = lambda x: np.hypot(h, x)
    return quad(lambda x: k * (R - s(x)) * h / s(x) * 2.0 * np.pi * x, 0.0, np.sqrt(R**2 - h**2))[0]


@pytest.mark.parametrize(
    "counts",
    [(2, 2, 1), pytest.param((3, 3, 1), marks=pytest.mark.slow), pytest.param((6, 6, 1), marks=pytest.mark.slow)],
)
def test_a_ball_between_nodes_is_on_a_bed_of_springs(counts):
    """Force and duration do not depend on the mesh; momentum and energy."""
    k = 2e9
    run, block, ball = strike(counts, sphere, stiffness=k)
    both = 1.0 / (1.0 / MASS + 1.0 / 4.0)
    rate = lambda t, y: [y[1], -bed(k, y[0]) / both]
    left = lambda t, y: y[0] + 1e-9
    left.terminal, left.direction = True, -1
    want = solve_ivp(rate, (0, 0.02), [0.0, SPEED], events=left, max_step=2e-5)
    force = np.abs(run.force("hit").force.values[:, 2])
    assert force.max() == pytest.approx(max(bed(k, d) for d in want.y[0]), rel=0.03)
    wanted = np.array([bed(k, d) for d in want.y[0]])
    long = lambda t, f: np.trapezoid(f, t) / f.max()  # as long as a constant force of this size with this impulse
    assert long(run.time, force) == pytest.approx(long(want.t, wanted), rel=0.03)
    p = run.part(ball).momentum.values + run.part(block).momentum.values
    assert np.abs(p - p[0]).max() < 1e-9 * MASS * SPEED
    assert run.part(ball).velocity.values[-1, 2] > 0.9 * SPEED
    d = run.data
    assert np.ptp(d.energy_kinetic + d.energy_elastic + d.energy_dissipated) < 1e-3 * d.energy_kinetic[0]
    assert run.surface("hit").missed == 0.0


#: small bodies that fit between the nodes
SMALL = {
    "sphere": sphere,
    "box": lambda m, p: m.box(p, tuple(p.frame.origin), (2 * R / 3**0.5,) * 3, x=(1, -1, 0), z=(1, 1, 1)),
    "capsule": lambda m, p: m.capsule(
        p, tuple(p.frame.origin - [0, R / 2, 0]), tuple(p.frame.origin + [0, R / 2, 0]), R
    ),
    "mesh": lambda m, p: m.hull(
        p, p.frame.origin + R * np.array([(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)])
    ),
}


@pytest.mark.parametrize("name", [n if n == "box" else pytest.param(n, marks=pytest.mark.slow) for n in SMALL])
def test_what_fits_between_nodes_is_thrown_back(name):
    """A rubber block whose nodes are 0.1 m apart: a body of 40 mm does not pass its face."""
    run, block, ball = strike((2, 2, 1), SMALL[name], E=1e8, height=0.002, end=0.02)
    z = run.part(ball).position.values[:, 2]
    assert z.min() > 0.2 * R and run.part(ball).velocity.values[-1, 2] > 0.2 * SPEED
    p = run.part(ball).momentum.values + run.part(block).momentum.values
    assert np.abs(p - p[0]).max() < 1e-9 * MASS * SPEED


@pytest.mark.parametrize("speed", [2.0, pytest.param(30.0, marks=pytest.mark.slow)])
def test_a_small_block_that_bends_does_not_pass_between_nodes(speed):
    """Against a coarser one, whichever of them has the points; momentum and energy (RADAU5 loses up to 1 % where points
    come under a sharp edge)."""
    for first in ("large", "small"):
        m = hn.Model()
        m.gravity = (0, 0, 0)
        parts = {"large": target(m, (2, 2, 1), E=1e9)}
        parts["small"] = part = m.part("small", 1.0, (1, 1, 1), (0.037, 0.061, 0.021))
        mesh = hn.flexible.box((0.022, 0.046, 0.006), (0.052, 0.076, 0.036), (1, 1, 1), "hexahedron")
        m.make_flexible(part, mesh, Material(1e9, 0.3, 1000.0), contact="z-", modes=4)
        part.vz = -speed
        m.surface_contact(parts[first], parts["small" if first == "large" else "large"], name="hit")
        run = hn.simulate(m, end=0.03 / speed, steps=30, integrator="RADAU5", error=1e-5)
        assert run.part(part).velocity.values[-1, 2] > 0.0 and run.part(part).position.values[:, 2].min() > 0.01
        p = sum(run.part(q).momentum.values for q in parts.values())
        assert np.abs(p - p[0]).max() < 1e-8 * np.abs(p[0]).max()
        d = run.data
        assert (
            np.ptp(d.energy_kinetic + d.energy_elastic + d.energy_dissipated) < 2e-2 * d.energy_kinetic[0]
        )  # points pass under its sharp edges


@pytest.mark.parametrize(
    "integrator",
    ["DOP853", pytest.param("RADAU5", marks=pytest.mark.slow), pytest.param("HHT", marks=pytest.mark.slow)],
)
@pytest.mark.parametrize("speed", [30.0])
def test_a_fast_block_does_not_pass_a_thin_plate(integrator, speed):
    """A block that flies 50 mm at 30 m/s onto a plate of 2 mm; its steps are as long as the flight."""
    m = hn.Model()
    m.gravity = (0, 0, 0)
    block = m.part("block", 1.0, (1, 1, 1), (0, 0, 0.1))
    mesh = hn.flexible.box((-0.1, -0.1, 0.05), (0.1, 0.1, 0.15), (2, 2, 1), "hexahedron")
    m.make_flexible(block, mesh, Material(1e9, 0.3, 1000.0), contact="z-", modes=4)
    block.vz = -speed
    plate = m.box(m.ground, (0, 0, -0.001), (1, 1, 0.002))
    m.surface_contact(block, plate, name="hit")
    try:
        run = hn.simulate(m, end=0.006, steps=6, integrator=integrator, error=1e-4)
    except hn.ModelError as error:
        assert "thick and would come out on the other side; raise its stiffness" in str(error)
        return
    assert run.data.body_position[-1, 0, 2] > 0.05 and run.part(block).velocity.values[-1, 2] > 0.0


@pytest.mark.parametrize("step", [2e-4, 4e-6])
def test_constraints_do_not_pass_a_thin_plate(step):
    """Steps of 6 mm are refused, those of 0.1 mm (and what modes may add) touch."""
    m = hn.Model()
    m.gravity = (0, 0, 0)
    block = m.part("block", 1.0, (1, 1, 1), (0, 0, 0.1))
    mesh = hn.flexible.box((-0.1, -0.1, 0.05), (0.1, 0.1, 0.15), (2, 2, 1), "hexahedron")
    m.make_flexible(block, mesh, Material(1e9, 0.3, 1000.0), contact="z-", modes=4)
    block.vz = -30.0
    m.surface_contact(block, m.box(m.ground, (0, 0, -0.001), (1, 1, 0.002)), name="hit")
    run = lambda: hn.simulate(m, end=0.003, steps=3, contact="time-stepping", step=step)
    if step > 1e-4:
        with pytest.raises(
            IntegrationError, match="more than the 0.001 within which they are watched; a STEP of 1.*e-05 is safe"
        ):
            run()
    else:
        assert run().data.body_position[-1, 0, 2] > 0.045


def test_what_passes_between_points_is_reported():
    """By a warning of the model, and by what the run has missed."""
    m = hn.Model()
    m.gravity = (0, 0, 0)
    block = target(m, (2, 2, 1))
    ball = m.part("ball", MASS, (1e-5, 1e-5, 1e-5), (0.037, 0.061, R + 0.001))
    ball.vz = -SPEED
    m.surface_contact(block, sphere(m, ball), name="hit", divisions=1)
    assert "'hit': its points are up to 0.1414 apart, and GRAPHICS/1 'GRAPHICS_1' fits between them" in m.warnings[-1]
    run = hn.simulate(m, end=0.01, steps=10, referee=False)
    assert run.surface("hit").missed == pytest.approx(0.019, rel=0.1) and not run.force("hit").force.values.any()


def test_a_shape_that_would_be_passed_ends_the_run():
    m = hn.Model()
    m.gravity = (0, 0, 0)
    block = m.part("block", 1.0, (1, 1, 1), (0, 0, 0.06))
    mesh = hn.flexible.box((-0.1, -0.1, 0.01), (0.1, 0.1, 0.11), (2, 2, 1), "hexahedron")
    m.make_flexible(block, mesh, Material(1e9, 0.3, 1000.0), contact="z-", modes=4)
    block.vz = -30.0
    m.surface_contact(block, m.box(m.ground, (0, 0, -0.001), (1, 1, 0.002)), stiffness=1e6)
    with pytest.raises(
        hn.ModelError,
        match="deep in a shape that is 0.002 thick and would come out on the other side; raise its stiffness of 1e",
    ):
        hn.simulate(m, end=0.006, steps=6)


def test_triangles_are_divided():
    """Shares add to one, areas to the whole; points on common sides are one."""
    counts, small = lattice(3)
    assert len(counts) == 10 and len(small) == 9 and (counts.sum(1) == 3).all()
    corners = np.array([[0, 1, 2], [2, 1, 3]])
    places = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0.5)], float)
    corner, share, small = divided(corners, 4)
    assert len(corner) == 2 * 15 - 5 and share.sum(1) == pytest.approx(np.ones(25))
    at = np.einsum("kc,kcx->kx", share, places[corner])
    whole = area_vectors(places, corners)
    assert area_vectors(at, small).reshape(2, 16, 3).sum(1) == pytest.approx(whole)


def test_sizes_and_walls_of_shapes():
    m = hn.Model()
    solid = lambda g: shape_of(m, g)
    ball, floor = solid(m.sphere(m.ground, (0, 0, 0), 0.01)), solid(m.plane(m.ground, (0, 0, 0), (0, 0, 1)))
    sheet = solid(m.box(m.ground, (0, 0, 0), (1, 1, 0.002)))
    assert size_of(ball) == 0.01 and size_of(floor) == np.inf and size_of(sheet) == 0.5
    assert (
        divisions_for([np.inf], 0.1, 8) == 1
        and divisions_for([0.01], 0.017, 8) == 5
        and divisions_for([0.5], 0.1, 8) == 1
    )
    assert (
        divisions_for([0.01], 0.005, 8) == 1
        and divisions_for([0.01], 10.0, 8) == 24
        and divisions_for([0.01], 0.1, 5000) == 2
    )
    assert (
        passes_between([ball], 0.1, 1) is ball
        and passes_between([ball], 0.1, 12) is None
        and passes_between([sheet], 0.1, 1) is sheet
    )
    import trimesh

    tube = trimesh.creation.annulus(0.09, 0.1, 0.2)
    wall = wall_of(solid(m.mesh(m.ground, tube)))
    assert 0.002 < wall <= 0.0051
    assert wall_of(sheet) == 0.001 and wall_of(floor) == np.inf
