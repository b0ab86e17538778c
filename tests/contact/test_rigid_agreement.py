"""All solvers of the rigid contact problem give the same velocities, on easy and on hard problems."""

import numpy as np
import pytest
from rigid_scenes import boxes_on_slope, brick_wall, copy, pairs_of_balls, random_balls

from holonom.contact.rigid import Settings, before, delassus, solve
from holonom.contact.rigid.apgd import project

SCENES = {  # velocities follow uniquely; impulses need not.  (Not so for a pile wedged between walls that slips,
    # nor for a row of balls: with singular matrices the law itself has many solutions.)
    "box that sticks": lambda: boxes_on_slope(0.5, 0.2),
    "box that slides": lambda: boxes_on_slope(0.1, 0.2),
    "box without friction": lambda: boxes_on_slope(0.0, 0.2),
    "pile": lambda: random_balls(3, 0.5),
    "pairs, little friction": lambda: pairs_of_balls(20, 0.1),
    "pairs": lambda: pairs_of_balls(20, 0.3, seed=1),
    "pile, no friction": lambda: random_balls(3, 0.0, seed=3),
    "stack": lambda: boxes_on_slope(0.5, 0.1, 5),
}
HARD = {
    "20 boxes": lambda: boxes_on_slope(0.5, 0.1, 20),
    "20 boxes that slide as one": lambda: boxes_on_slope(0.05, 0.1, 20),
    "a tenth to ten below": lambda: boxes_on_slope(0.3, 0.1, 3, mass=[1.0, 1e-2, 1e2]),
    "masses 1 to 1e2 on each other": lambda: boxes_on_slope(0.5, 0.1, 10, mass=np.logspace(0, 2, 10)),
    "masses 1 to 1e4 on each other": lambda: boxes_on_slope(0.5, 0.1, 10, mass=np.logspace(0, 4, 10)),
    "masses 1e4 to 1 on each other": lambda: boxes_on_slope(0.5, 0.1, 10, mass=np.logspace(4, 0, 10)),
}


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("solver", ["NEWTON", "IPM"])
def test_agrees_with_gauss_seidel(solver, name):
    P = SCENES[name]()
    Q, D = copy(P), copy(P)
    scale = np.abs(before(P)).max()
    assert solve(P, Settings("NSGS", 1e-12, 100000)).converged
    report = solve(Q, Settings(solver, 1e-11, 1000))
    assert report.converged and solver in report.solver, report
    np.testing.assert_allclose(Q.u, P.u, atol=1e-8 * scale)
    np.testing.assert_allclose(Q.z, P.z, atol=1e-8 * scale)
    np.testing.assert_allclose(delassus(Q) @ (Q.r - P.r).ravel(), 0.0, atol=1e-8 * scale)
    assert solve(D, Settings(solver, 1e-11, 1000), Wd=delassus(D)).converged
    np.testing.assert_allclose(D.z, P.z, atol=1e-8 * scale)


@pytest.mark.parametrize(
    "name", ["box that sticks", "box that slides", "box without friction", "pile", "pairs", "pile, no friction"]
)
def test_projected_gradients_find_coulombs_law(name):
    """Not the associated law that their inner problem has: a slider would lift off at mu times its speed."""
    P = SCENES[name]()
    Q, D = copy(P), copy(P)
    scale = np.abs(before(P)).max()
    assert solve(P, Settings("NSGS", 1e-12, 100000)).converged
    assert solve(Q, Settings("APGD", 1e-9, 5000)).converged
    np.testing.assert_allclose(Q.u, P.u, atol=1e-6 * scale)
    assert solve(D, Settings("APGD", 1e-9, 5000), Wd=delassus(D)).converged
    np.testing.assert_allclose(D.z, P.z, atol=1e-6 * scale)


def test_projection_on_cones():
    """The nearest point: the rest is in the polar cone and orthogonal to the point."""
    rng = np.random.default_rng(0)
    x, arms = rng.normal(size=(500, 6)), rng.uniform(0, 2, (500, 3))
    arms[:50] = 0
    p = project(x, arms)
    sizes = np.stack([np.linalg.norm(p[:, a:b], axis=1) for a, b in ((1, 3), (3, 4), (4, 6))], 1)
    assert np.all(sizes <= arms * p[:, :1] + 1e-12)
    rest = x - p
    np.testing.assert_allclose((rest * p).sum(1), 0.0, atol=1e-12)
    polar = np.stack([np.linalg.norm(rest[:, a:b], axis=1) for a, b in ((1, 3), (3, 4), (4, 6))], 1)
    assert np.all(rest[:, 0] + (arms * polar).sum(1) <= 1e-10)


@pytest.mark.parametrize("name", HARD)
def test_auto_solves_what_gauss_seidel_alone_does_not(name):
    P = HARD[name]()
    report = solve(P, Settings("AUTO", 1e-9, 1000))
    assert report.converged, report


@pytest.mark.parametrize("solver", ["NSGS", "NEWTON", "AUTO"])
def test_rolling_pile(solver):
    P = random_balls(3, 0.4, d=6, spin=0.02, roll=0.01)
    Q = copy(P)
    scale = np.abs(before(P)).max()
    assert solve(P, Settings("NSGS", 1e-12, 100000)).converged
    assert solve(Q, Settings(solver, 1e-10, 1000), Wd=delassus(Q)).converged
    np.testing.assert_allclose(Q.z, P.z, atol=1e-8 * scale)


def test_momentum_and_its_restart_pay():
    """Convergence per sweep: at 200 sweeps of 512 balls the residual falls at least a hundred times below that of plain
    sweeps."""
    P = random_balls(8, 0.5)
    Q = copy(P)
    plain = solve(P, Settings("NSGS", 1e-14, 200, accelerate=False)).residual
    assert solve(Q, Settings("NSGS", 1e-14, 200)).residual < 0.01 * plain


@pytest.mark.parametrize("mu", [0.0, 0.5])
def test_momentum_never_blows_up(mu):
    """Momentum alone diverges on a wall of bricks; guarded it stays ahead of plain sweeps all the way."""
    for sweeps in (50, 200):
        P = brick_wall(20, 20, mu)
        Q = copy(P)
        plain = solve(P, Settings("NSGS", 1e-14, sweeps, accelerate=False)).residual
        assert solve(Q, Settings("NSGS", 1e-14, sweeps)).residual < 0.5 * plain


def test_momentum_on_a_matrix_is_the_same():
    P = brick_wall(5, 6, 0.5)
    Q = copy(P)
    for R, W in ((P, None), (Q, delassus(Q))):
        solve(R, Settings("NSGS", 1e-14, 60), Wd=W)
    np.testing.assert_allclose(Q.r, P.r, atol=1e-9 * P.r.max())
