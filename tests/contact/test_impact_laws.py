"""Impacts of touching points as complementarity problems: closed forms, conditions, energies, and the paradoxes."""

import numpy as np
import pytest

from holonom.contact.impacts import accelerate, impact, solve


def rod(tilt, inertia=12.0):
    """W of the end of a rod of unit length and mass, its tilt from the vertical; friction lies along x alone."""
    rho = -0.5 * np.array([np.sin(tilt), 0, np.cos(tilt)])
    H = np.array([[*d, *np.cross(rho, d)] for d in ((0.0, 0, 1), (1.0, 0, 0), (0.0, 1, 0))])
    return H @ np.diag([1, 1, 1, inertia, inertia, inertia]) @ H.T


def random_problem(rng, points, bodies=4):
    """Points between random bodies: W = H M^-1 H^T, some of them redundant."""
    H = rng.normal(size=(3 * points, 6 * bodies))
    if points > 2:
        H[3:6] = H[:3]
    W = H @ np.diag(rng.uniform(0.5, 2.0, 6 * bodies)) @ H.T
    w = rng.normal(size=(points, 3))
    if points > 2:
        w[1] = w[0]
    return W, w


@pytest.mark.parametrize("points", [1, 2, 4, 8])
@pytest.mark.parametrize("law", ["NEWTON", "POISSON", "ENERGY"])
def test_conditions_hold(points, law):
    rng = np.random.default_rng(points)
    for _ in range(10):
        W, w = random_problem(rng, points)
        mu, e = rng.uniform(0, 0.6, points), rng.uniform(0, 1, points)
        r, residual = impact(W, w, mu, law, e)
        after = w + (W @ r.ravel()).reshape(-1, 3)
        assert residual < 1e-10
        assert (r[:, 0] >= 0).all() and (after[:, 0] > -1e-9).all()
        assert (np.hypot(r[:, 1], r[:, 2]) <= mu * r[:, 0] + 1e-9).all()


def test_cone_and_maximum_dissipation():
    rng = np.random.default_rng(7)
    for _ in range(20):
        W, w = random_problem(rng, 5)
        mu = rng.uniform(0, 1, 5)
        r, residual = solve(W, w, mu)
        z = (W @ r.ravel()).reshape(-1, 3) + w
        assert residual < 1e-11
        assert np.abs(r[:, 0] * z[:, 0]).max() < 1e-10
        slip = np.hypot(z[:, 1], z[:, 2])
        against = (r[:, 1:] * z[:, 1:]).sum(axis=1) + mu * r[
            :, 0
        ] * slip  # friction works as much against the slip as it can
        assert np.abs(against).max() < 1e-9


def test_without_friction_all_laws_agree_for_one_point():
    W = rod(0.3)
    w = np.array([[-1.0, 0.2, 0.0]])
    goal = 1.7 / W[0, 0]
    for law in ("NEWTON", "POISSON", "ENERGY"):
        r, _ = impact(W, w, np.zeros(1), law, np.array([0.7]))
        assert r[0] == pytest.approx([goal, 0, 0], abs=1e-13)


def works(W, w, r):
    """Work of the normal force in compression and expansion, friction acting along one line: from the path of the
    normal impulse."""
    n = 200001
    v, done = np.array(w), np.zeros(2)
    step = r[0] / (n - 1)
    mu = works.mu
    for _ in range(n - 1):
        f = 0.0
        if abs(v[1]) > 2 * step * np.abs(W).max():
            f = -mu * np.sign(v[1])
        else:
            f = np.clip(-W[1, 0] / W[1, 1], -mu, mu)
        dv = W[:2, :2] @ np.array([1.0, f]) * step
        done[0 if v[0] + 0.5 * dv[0] < 0 else 1] += (v[0] + 0.5 * dv[0]) * step
        v[:2] += dv
    return done


def test_energetic_restitution_is_that_of_works():
    W, e, works.mu = rod(np.radians(20)), 0.7, 0.1
    w = np.array([-1.0, 0.3, 0.0])
    r, _ = impact(W, w[None], np.array([works.mu]), "ENERGY", np.array([e]))
    compression, expansion = works(W, w, r[0])
    assert expansion == pytest.approx(-e * e * compression, rel=1e-4)


def test_kanes_paradox():
    """Restitution of velocities with friction can give energy (T. R. Kane, 1984); that of impulses or of energy does
    not."""
    mu, e = np.array([0.6]), np.array([0.9])
    gained = {"NEWTON": -np.inf, "ENERGY": -np.inf}
    for tilt in np.radians(np.linspace(-60, 60, 25)):
        W = rod(tilt)
        for slip in (-0.4, -0.1, 0.1, 0.4):
            w = np.array([[-1.0, slip, 0.0]])
            for law in gained:
                r, _ = impact(W, w, mu, law, e)
                after = w + (W @ r.ravel()).reshape(-1, 3)
                gained[law] = max(gained[law], 0.5 * float(r[0] @ (w[0] + after[0])))
    assert gained["NEWTON"] > 1e-3
    assert gained["ENERGY"] < 1e-12


def test_three_balls_in_touch():
    """At once, not one after the other: (1, 0, 0) becomes (-1, 2, 2)/3 by all laws."""
    W = np.zeros((6, 6))
    W[0, 0] = W[3, 3] = 2.0
    W[0, 3] = W[3, 0] = -1.0
    w = np.zeros((2, 3))
    w[0, 0] = -1.0
    for law in ("NEWTON", "POISSON"):
        r, _ = impact(W, w, np.zeros(2), law, np.ones(2))
        assert r[:, 0] == pytest.approx([4 / 3, 2 / 3], abs=1e-13)


@pytest.mark.parametrize(
    ("mu", "c", "solutions", "normal"),
    [(1.2, -10.0, 1, None), (2.0, -10.0, 0, None), (2.0, 5.0, 2, 0.0), (2.0, 0.0, 1, 0.0)],
)
def test_painleve(mu, c, solutions, normal):
    """The end of a rod that slides towards its lean: A N + c >= 0, N >= 0, with A < 0 for mu = 2."""
    tilt = np.radians(30)
    W = rod(tilt)
    found = accelerate(W, np.array([[c, 0.0, 0.0]]), np.array([mu]), np.array([[-1.0, 0.0]]))
    A = 1 + 3 * np.sin(tilt) * (np.sin(tilt) - mu * np.cos(tilt))
    assert (A < 0) == (mu > 1.5)
    assert found.solutions == solutions
    if solutions == 1 and c < 0:
        assert found.r[0, 0] == pytest.approx(-c / A)
    if normal is not None:
        assert found.r[0, 0] == normal


def mechanism(rng, points, arms):
    """W of contacts between six random bodies of which joints hold some rows: H P H^T, P = M^-1 - M^-1 G^T (G M^-1
    G^T)^-1 G M^-1."""
    d = 6 if arms else 3
    M = np.diag(1.0 / rng.uniform(0.3, 3.0, 36))
    G, H = rng.normal(size=(int(rng.integers(0, 15)), 36)), rng.normal(size=(d * points, 36))
    P = M - M @ G.T @ np.linalg.solve(G @ M @ G.T, G @ M) if len(G) else M
    W = H @ P @ H.T
    return 0.5 * (W + W.T), (H @ P @ rng.normal(size=36)).reshape(points, d)


@pytest.mark.parametrize("arms", [False, True])
@pytest.mark.parametrize(("law", "rough"), [("NEWTON", False), ("POISSON", True), ("POISSON", False), ("ENERGY", True)])
def test_energy_never_grows(law, rough, arms):
    """Random impacts of several points of mechanisms, restitution up to 1: 2 E changes by r . (w + w').

    NEWTON with one restitution and no friction (J. J. Moreau, 1988), POISSON with one restitution (Pfeiffer, Glocker
    1996, 8.4), ENERGY with any: among these are some for which no coefficients give each point its work."""
    rng = np.random.default_rng(77)
    for _ in range(80):
        points = int(rng.integers(1, 7))
        W, w = mechanism(rng, points, arms)
        e = rng.uniform(0, 1, points) if law == "ENERGY" else np.full(points, rng.uniform(0, 1))
        mu = np.column_stack([rng.uniform(0, 1, (points, 1)), rng.uniform(0, 0.3, (points, 2)) * arms]) * rough
        r, residual = impact(W, w, mu, law, e)
        after = w + (W @ r.ravel()).reshape(w.shape)
        gained, size = 0.5 * float((r * (w + after)).sum()), float((np.abs(r) * np.abs(w)).sum()) or 1.0
        assert residual < 1e-9
        assert gained <= 1e-9 * size, (law, points, gained / size)
        across = [slice(1, 3), slice(3, 4), slice(4, 6)][: 3 if arms else 1]
        for g, s in enumerate(across):
            assert (np.linalg.norm(r[:, s], axis=1) <= mu[:, g] * r[:, 0] + 1e-9).all()
