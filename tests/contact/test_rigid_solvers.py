"""Solvers of the rigid contact problem: analytic answers, agreement of solvers, and the law itself at the solution."""

import numpy as np
import pytest
from rigid_scenes import Scene, boxes_on_slope, copy, random_balls

from holonom.contact.rigid import Settings, before, delassus, make_problem, solve
from holonom.model.base import ModelError

H, G = 1e-3, 9.81
TIGHT = Settings(tolerance=1e-11, iterations=20000)


def law(P, tol):
    """Signorini and Coulomb at the solution, by their definition; velocities from impulses; `tol`: speed."""
    n = P.count[0]
    z, r, mu = P.z[:n], P.r[:n], P.mu[:n]
    size = np.abs(r).max() + 1e-300
    assert np.all(r[:, 0] >= 0) and np.all(z[:, 0] >= -tol)
    assert np.all(np.minimum(r[:, 0] / size, z[:, 0] / tol) < 1)  # closed or without impulse
    parts = [(slice(1, 3), 0), (slice(3, 4), 1), (slice(4, 6), 2)]
    for rows, m in parts[: {1: 0, 3: 1, 6: 3}[P.H.shape[1]]]:
        force, slip, bound = np.linalg.norm(r[:, rows], axis=1), np.linalg.norm(z[:, rows], axis=1), mu[:, m] * r[:, 0]
        assert np.all(force <= bound + 1e-12 * size)
        sliding = slip > 100 * tol
        np.testing.assert_allclose(force[sliding], bound[sliding], rtol=1e-6, atol=1e-9 * size)
        np.testing.assert_allclose(
            (z[:, rows] * r[:, rows]).sum(1)[sliding],
            -(force * slip)[sliding],
            rtol=1e-6,
            atol=1e-9 * size * slip.max(),
        )


@pytest.mark.parametrize("mu, angle", [(0.5, 0.2), (0.1, 0.5), (0.0, 0.5), (2.0, 0.7)])
@pytest.mark.parametrize("dense", [False, True])
def test_block_on_slope_sticks_or_slides(mu, angle, dense):
    P = boxes_on_slope(mu, angle)
    report = solve(P, TIGHT, Wd=delassus(P) if dense else None)
    assert report.converged and report.islands == 1
    slides = H * G * max(0.0, np.sin(angle) - mu * np.cos(angle))
    total = P.r.sum(0)
    np.testing.assert_allclose(total[0], H * G * np.cos(angle), rtol=1e-9)
    np.testing.assert_allclose(np.hypot(*total[1:]), H * G * np.sin(angle) - slides, atol=1e-12)
    law(P, 1e-9 * G * H)
    if dense:
        assert P.u[0] == H * G * np.sin(angle)  # velocities are the caller's
    else:
        np.testing.assert_allclose(P.u[:6], [slides, 0, 0, 0, 0, 0], atol=1e-12)


def test_body_space_and_matrix_give_the_same():
    P = random_balls(3, 0.4)
    Q = copy(P)
    W, q0 = delassus(P), before(P)
    solve(P, TIGHT)
    solve(Q, TIGHT, Wd=W, q0=q0)
    np.testing.assert_allclose(P.z, Q.z, atol=1e-12)
    np.testing.assert_allclose(P.z.ravel(), W @ P.r.ravel() + q0.ravel(), atol=1e-14)
    law(P, 1e-9 * G * H)


def test_rolling_and_spinning_resistance_of_a_ball():
    """A ball pressed to a plane: spin and rolling are stopped by r_n arm, as far as that goes."""
    m, R, w = 2.0, 0.1, 3.0
    J = 0.4 * m * R * R
    press = 0.5  # m/s towards the plane: r_n = m press
    for arm in (1e-3, 0.1):
        s = Scene(6)
        s.ball(m, R, (0, 0, R), v=(0, 0, -press), w=(0, 0, w))
        s.contact(0, None, (0, 0, 0), (0, 0, 1), 0.5, arm, arm)
        P = s.problem()
        assert solve(P, TIGHT).converged
        np.testing.assert_allclose(P.u[:6], [0, 0, 0, 0, 0, max(0.0, w - arm * m * press / J)], atol=1e-12)
    # rolling without slip at speed v: the couple r_n arm slows it; both friction and couple act
    v, arm = 0.3, 2e-3
    s = Scene(6)
    s.ball(m, R, (0, 0, R), v=(v, 0, -press), w=(0, v / R, 0))
    s.contact(0, None, (0, 0, 0), (0, 0, 1), 0.5, 0.0, arm)
    P = s.problem()
    assert solve(P, TIGHT).converged
    slower = arm * m * press / (J + m * R * R)  # rate of rolling lost, about the contact point
    np.testing.assert_allclose(P.u[:6], [v - slower * R, 0, 0, 0, v / R - slower, 0], atol=1e-12)
    law(P, 1e-9)


def test_planar_problem_has_an_inert_tangent():
    """Bodies that cannot move along y: the second tangent has no mobility and takes no impulse."""
    P = boxes_on_slope(0.3, 0.6)
    P.Minv[0, [1, 3, 5]] = 0.0
    assert solve(P, TIGHT).converged
    np.testing.assert_allclose(P.u[0], H * G * (np.sin(0.6) - 0.3 * np.cos(0.6)), rtol=1e-9)
    lateral = P.H[:, 1:, 1] * P.r[:, 1:]
    np.testing.assert_allclose(lateral.sum(1), 0.0, atol=1e-15)


def test_wedge_between_two_walls():
    """A ball in a frictionless groove of half angle a carries m g / (2 sin a) on each side."""
    a = np.radians(35)
    s = Scene(1)
    s.ball(1.0, 0.5, (0, 0, 0), v=(0, 0, -G * H))
    for side in (-1, 1):
        n = np.array([side * np.cos(a), 0, np.sin(a)])
        s.contact(0, None, -0.5 * n, n)
    P = s.problem()
    assert solve(P, TIGHT).converged
    np.testing.assert_allclose(P.r[:, 0], G * H / (2 * np.sin(a)), rtol=1e-9)


def test_hundreds_of_contacts_in_excess():
    """A box on 400 points: the load is split somehow, the box stands, and the sum is its weight."""
    s = Scene()
    s.box(3.0, (1, 1, 1), (0, 0, 0.5), v=(0, 0, -G * H))
    for x in np.linspace(-0.5, 0.5, 20):
        for y in np.linspace(-0.5, 0.5, 20):
            s.contact(0, None, (x, y, 0), (0, 0, 1), 0.5)
    P = s.problem()
    assert solve(P, TIGHT).converged
    np.testing.assert_allclose(P.u[:6], 0, atol=1e-12)
    np.testing.assert_allclose(P.r[:, 0].sum(), 3 * G * H, rtol=1e-9)


def test_islands_do_not_join_through_ground():
    s = Scene()
    for k in range(5):
        s.ball(1.0, 0.5, (3 * k, 0, 0.5), v=(0.1 * k, 0, -(10.0**-k)))
        s.contact(k, None, (3 * k, 0, 0), (0, 0, 1), 0.2)
    s.contact(1, 3, (6, 0, 0), (1, 0, 0), 0.2)
    P = s.problem()
    report = solve(P, TIGHT)
    assert report.islands == 4 and report.converged
    law(P, 1e-10)
    np.testing.assert_allclose(P.r[4, 0], 1e-4, rtol=1e-12)  # its own tolerance, not that of the fast ones


def test_warm_start_and_determinism():
    P = random_balls(4, 0.5)
    free = P.u.copy()
    first = solve(P, TIGHT)
    Q = copy(P)
    P.u[:] = free
    again = solve(P, TIGHT)
    assert again.iterations <= 2 < first.iterations
    np.testing.assert_allclose(P.u, Q.u, atol=1e-12)
    A, B = random_balls(4, 0.5), random_balls(4, 0.5)
    solve(A, TIGHT), solve(B, TIGHT)
    assert A.r.tobytes() == B.r.tobytes() and A.u.tobytes() == B.u.tobytes()


@pytest.mark.parametrize("solver", ["NSGS", "AUTO"])
def test_a_thousand_sweeps_leave_momentum_alone(solver):
    """What bodies get and what ground takes are opposite to the last digits, however often velocities were brought up
    to date."""
    P = random_balls(8, 0.5, h=1.0)
    n, free = P.count[0], P.u.reshape(-1, 6)[:-1].copy()
    solve(P, Settings(solver, tolerance=1e-18, iterations=1000))
    mass = 1.0 / P.Minv[:-1]
    gained = mass[:, :3] * (P.u.reshape(-1, 6)[:-1] - free)[:, :3]
    force = np.einsum("kec,ke->kc", P.H[:n, :, :3], P.r[:n]) * (P.body[:n, 1] == len(free))[:, None]
    assert (P.body[:n, 0] < len(free)).all()
    np.testing.assert_allclose(gained.sum(0), force.sum(0), rtol=0, atol=1e-13 * np.abs(gained).max())
    expected = free.copy()  # and each velocity is that of its impulses
    for side in (0, 1):
        inside = P.body[:n, side] < len(free)
        np.add.at(
            expected,
            P.body[:n, side][inside],
            np.einsum("kec,ke->kc", P.H[:n, :, 6 * side : 6 * side + 6], P.r[:n])[inside]
            * P.Minv[P.body[:n, side][inside]],
        )
    np.testing.assert_allclose(P.u.reshape(-1, 6)[:-1], expected, rtol=0, atol=1e-13 * np.abs(gained).max())


def test_nothing_to_do():
    P = make_problem(3, 3, 1, np.zeros((2, 6)), np.zeros(12))
    assert solve(P).converged
    P.count[0] = 2  # two fixed bodies: no impulse can act
    P.r[:] = 1.0
    assert solve(P).islands == 1 and not P.r[:2].any()


def test_what_is_not_a_number_is_no_solution():
    P = boxes_on_slope(0.5, 0.2, 2)
    P.u[3] = np.nan
    for solver in ("NSGS", "NEWTON", "IPM", "LEMKE", "APGD", "AUTO"):
        assert not solve(copy(P), Settings(solver, 1e-8, 50)).converged


def test_where_nothing_moves_there_is_no_impulse():
    P = boxes_on_slope(0.5, 0.2)
    P.u[:] = 0.0
    P.r[:] = 1.0  # of a step with gravity
    assert solve(P, TIGHT).iterations == 1 and not P.r.any() and not P.u.any()


def test_bad_input_gets_one_sentence():
    with pytest.raises(ModelError, match="1, 3 or 6 rows"):
        make_problem(3, 2, 1, np.zeros((2, 6)), np.zeros(12))
    with pytest.raises(ModelError, match="ground and must be zero"):
        make_problem(3, 3, 1, np.ones((2, 6)), np.zeros(12))
    P = boxes_on_slope(0.5, 0.2)
    with pytest.raises(ModelError, match="there is no contact solver JACOBI"):
        solve(P, Settings(solver="JACOBI"))
    with pytest.raises(ModelError, match=r"is \(12, 12\), not"):
        solve(P, Wd=np.eye(3))
