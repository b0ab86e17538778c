"""Lemke's method and the enumeration of modes: exact answers, and the cases without a solution or with several."""

import numpy as np
import pytest
from rigid_scenes import Scene, boxes_on_slope, copy, random_balls
from scipy.optimize import nnls

from holonom.contact.rigid import Settings, before, delassus, make_problem, modes, solve
from holonom.contact.rigid.lemke import lemke
from holonom.model.base import ModelError

TIGHT = Settings("NSGS", 1e-12, 100000)


def test_a_textbook_problem():
    """Cottle, Pang & Stone, example 4.4.7 has M of class P: the one solution by hand."""
    M, p = np.array([[1.0, 2, 0], [0, 1, 2], [2, 0, 1]]), -np.ones(3)
    x, _, outcome = lemke(M, p)
    assert outcome == "solution"
    np.testing.assert_allclose(x, 1 / 3)


@pytest.mark.parametrize("n", [3, 10, 40])
def test_random_problems_are_solved_to_the_last_digit(n):
    rng = np.random.default_rng(n)
    for _ in range(5):
        A = rng.normal(size=(n, n // 2 + 1))
        M, p = A @ A.T, A @ rng.normal(size=n // 2 + 1) + rng.uniform(0, 0.1, n)  # singular, but feasible
        x, _, outcome = lemke(M, p)
        w = M @ x + p
        assert outcome == "solution"
        assert x.min() >= 0 and w.min() > -1e-9 and np.abs(w * x).max() < 1e-9 * max(1, x.max())


def test_no_solution_is_a_ray():
    assert lemke(np.array([[0.0]]), np.array([-1.0]))[2] == "ray"
    assert lemke(np.array([[0.0, 1], [-1, 0]]), np.array([-1.0, -1.0]))[2] == "ray"


@pytest.mark.parametrize(
    "make", [lambda: boxes_on_slope(0.0, 0.2, 5), lambda: random_balls(3, 0.0), lambda: random_balls(3, 0.0, d=1)]
)
def test_without_friction_it_is_exact(make):
    P = make()
    Q = copy(P)
    solve(P, TIGHT)
    report = solve(Q, Settings("LEMKE", 1e-10))
    assert report.converged and report.message == ""
    np.testing.assert_allclose(Q.u, P.u, atol=1e-9 * np.abs(P.u).max())


@pytest.mark.parametrize("mu", [0.1, 0.4])
def test_planar_friction_is_exact(mu):
    P = boxes_on_slope(mu, 0.2, 4)
    P.Minv[:, [1, 3, 5]] = 0.0
    Q = copy(P)
    scale = np.abs(before(P)).max()
    solve(P, TIGHT)
    report = solve(Q, Settings("LEMKE", 1e-9))
    assert report.converged and report.message == ""
    np.testing.assert_allclose(Q.u, P.u, atol=1e-8 * scale)


def test_a_pyramid_says_that_it_is_one():
    s = Scene()
    s.ball(1.0, 0.5, (0, 0, 0.5), v=(0.3, 0.2, -1.0))
    s.contact(0, None, (0, 0, 0), (0, 0, 1), 0.05)
    P = s.problem()
    report = solve(P, Settings("LEMKE", 1e-8))
    assert "pyramids of 8 faces" in report.message and not report.converged
    np.testing.assert_allclose(np.linalg.norm(P.u[:2] - [0.3, 0.2]), 0.05, rtol=1e-9)  # the size is right,
    assert 1e-3 < report.residual < 0.05 * 3.5 * np.pi / 8  # the direction within a face; mobility 3.5 / m


def rod(angle, mu, qn, qt):
    """Painleve's rod: uniform, slender, half length 1, one end on the ground at an angle; normal and tangent of that
    end."""
    s, c = np.sin(angle), np.cos(angle)
    W = np.array([[1 + 3 * c * c, -3 * s * c], [-3 * s * c, 1 + 3 * s * s]])
    return modes(W, [[qn, qt]], [mu])


def test_painleve_begins_at_four_thirds():
    """With the rod sliding (tip forward: q_t < 0 here), several solutions at some angle if and only if mu > 4/3
    (Genot & Brogliato 1999)."""
    angles = np.linspace(0.01, np.pi / 2 - 0.01, 200)
    for mu, several in ((1.33, False), (1.35, True)):
        numbers = [len(rod(a, mu, 1.0, q)) for a in angles for q in (-1e3, 1e3)]
        assert min(numbers) == 1 and (max(numbers) > 1) == several
    # closing: the end always finds an impulse, by a blow that stops it if slipping is impossible
    assert all(len(rod(a, 1.5, -1.0, q)) >= 1 for a in angles for q in (-10.0, 10.0))


def test_a_slider_that_jams_has_no_solution():
    """One degree of freedom: z_t - q_t = -2 (z_n - q_n).  Slip along is against its own direction, slip back needs r_n
    < 0 for mu > 1/2."""
    W = np.array([[1.0, -2], [-2, 4]])
    assert modes(W, [[-1.0, 1.0]], [0.6]) == []
    assert [s.modes for s in modes(W, [[-1.0, 1.0]], [0.4])] == ["-"]
    s = Scene()  # the same as a problem of one step: a rod guided along (1, 0, -2) pushed to the ground by its drive
    s.body(1.0, 1.0)
    s.contact(0, None, (0, 0, 0), (0, 0, 1), 0.6, tangent=(1, 0, 0))
    P = s.problem()
    Wd = np.zeros((3, 3))
    Wd[:2, :2] = W
    q0 = np.array([[-1.0, 1.0, 0.0]])
    report = solve(P, Settings("LEMKE"), Wd=Wd, q0=q0)
    assert not report.converged and "no solution was found" in report.message
    report = solve(P, Settings("AUTO", 1e-8, 100), Wd=Wd, q0=q0)
    assert not report.converged and report.message
    P.mu[0, 0] = 0.4
    assert solve(P, Settings("LEMKE"), Wd=Wd, q0=q0).converged
    np.testing.assert_allclose(P.r[0, :2], np.array([1, 0.4]) / (1 - 0.8), rtol=1e-9)


def test_modes_of_a_box():
    P = boxes_on_slope(0.3, 0.5)
    P.Minv[:, [1, 3, 5]] = 0.0
    edge = [k for k in range(4) if P.H[k, 0, 3] > 0]  # two corners of one side
    rows = [3 * k + e for k in edge for e in (0, 1)]
    tangent = P.H[edge[0], 1, :3]
    assert abs(tangent[0]) == 1 or abs(P.H[edge[0], 2, 0]) == 1
    rows = [3 * k + e for k in edge for e in (0, 1 if abs(tangent[0]) == 1 else 2)]
    W, q = delassus(P)[np.ix_(rows, rows)], before(P).ravel()[rows].reshape(-1, 2)
    found = modes(W, q, [0.3, 0.3])
    solve(P, TIGHT)
    assert len(found) == 1 and set(found[0].modes) <= {"+", "-"}
    slide = np.abs(found[0].z[:, 1])
    np.testing.assert_allclose(slide, P.u[0], rtol=1e-8)


def test_too_many_contacts_for_modes():
    with pytest.raises(ModelError, match="9 contacts have 262144 combinations"):
        modes(np.eye(18), np.zeros((9, 2)), 0.1)


@pytest.mark.parametrize("solver", ["NSGS", "NEWTON", "IPM", "LEMKE", "APGD", "AUTO"])
def test_every_solver_finds_a_solution_that_trying_all_modes_finds(solver):
    """Random planar problems of three contacts, little to much friction, against the exhaustive answer."""
    rng = np.random.default_rng(7)
    several = 0
    for trial in range(40):
        A = rng.normal(size=(6, 8))
        W, q, mu = A @ A.T, rng.normal(size=(3, 2)) - [0.5, 0], rng.uniform(0, 1.0 if trial % 2 else 0.3, 3)
        found = modes(W, q, mu)
        assert found
        several += len(found) > 1
        Wd = np.zeros((9, 9))
        rows = [0, 1, 3, 4, 6, 7]
        Wd[np.ix_(rows, rows)] = W
        P = make_problem(3, 3, 3, np.zeros((4, 6)), np.zeros(24))
        P.count[0] = 3
        P.mu[:, 0] = mu
        report = solve(P, Settings(solver, 1e-8, 20000), Wd=Wd, q0=np.c_[q, np.zeros(3)])
        if len(found) == 1 and mu.max() < 0.3:
            assert report.converged, report
        if report.converged:
            nearest = min(np.abs(P.r[:, :2] - f.r).max() / np.abs(f.r).max(initial=1e-3) for f in found)
            assert nearest < 1e-4, (trial, nearest)


def test_without_friction_it_is_the_quadratic_program():
    """r of least |M^-1/2 (M u_free + H^T r)|, by an active set method of another house."""
    P = random_balls(3, 0.0, d=1)
    n = len(P.r)
    A = np.zeros((P.u.size, n))
    for k in range(n):
        i, j = 6 * P.body[k]
        A[i : i + 6, k] += P.H[k, 0, :6]
        A[j : j + 6, k] += P.H[k, 0, 6:]
    root = np.sqrt(P.Minv.ravel())
    mass = np.divide(1.0, root, out=np.zeros_like(root), where=root > 0)
    r, _ = nnls(root[:, None] * A, -mass * P.u)
    u = P.u + P.Minv.ravel() * (A @ r)
    assert solve(P, TIGHT).converged
    np.testing.assert_allclose(P.u, u, atol=1e-10 * np.abs(P.u).max())
