"""Formulas of bodies against matrices, exponentials and differences: attitudes, inertia, points of bodies, momentum,
steps on the group, and their transposed derivatives.  Kernels run as plain Python."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.linalg import expm, logm
from scipy.spatial.transform import Rotation
from scipy.special import bernoulli

from holonom._jit import interpreted
from holonom.elements.bodies import (
    at_point,
    attitudes,
    coordinates,
    gyroscopic,
    increment_pull,
    increments,
    lie_group,
    lie_group_pull,
    mass,
    momentum,
    nodes,
    pull,
    rigid,
)
from holonom.elements.bodies.tables import body_tables

N = 2
MASSES, INERTIAS, GRAVITY = (
    np.array([1.7, 0.6]),
    np.array([[1.3, 0.7, 2.1], [0.4, 0.9, 0.8]]),
    np.array([0.3, -9.0, 2.0]),
)
MINV = np.vstack([np.column_stack([np.repeat(1 / MASSES[:, None], 3, 1), 1 / INERTIAS]), np.zeros(6)])


def rng(seed=0):
    return np.random.default_rng(seed)


@pytest.fixture
def bodies():
    return body_tables(MASSES, INERTIAS, MINV, GRAVITY, np.array([1, 1, 0], np.uint8))


def hat(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def state(r):
    y = r.normal(size=13 * (N + 1))
    for b in range(N + 1):
        q = y[13 * b + 3 : 13 * b + 7]
        q /= np.linalg.norm(q)
    y[26:] = 0.0
    y[29] = 1.0
    return y


def turns(y):
    return np.array(
        [Rotation.from_quat(y[13 * b + 3 : 13 * b + 7], scalar_first=True).as_matrix() for b in range(N + 1)]
    )


def moved(y, d):
    """d (18): dr, rotations in body axes; by SciPy."""
    z = y.copy()
    for b in range(N):
        z[13 * b : 13 * b + 3] += d[6 * b : 6 * b + 3]
        q = Rotation.from_quat(y[13 * b + 3 : 13 * b + 7], scalar_first=True) * Rotation.from_rotvec(
            d[6 * b + 3 : 6 * b + 6]
        )
        q = q.as_quat(scalar_first=True)
        z[13 * b + 3 : 13 * b + 7] = q * np.sign(q @ y[13 * b + 3 : 13 * b + 7])
    return z


def changed(y, u):
    z = y.copy()
    for b in range(N):
        z[13 * b + 7 : 13 * b + 13] += u[6 * b : 6 * b + 6]
    return z


def slope(f, h=1e-5):
    return (np.asarray(f(h)) - np.asarray(f(-h))) / (2 * h)


# ---- attitudes -------------------------------------------------------------------------------------------------------
def right_jacobian(a):
    """The sum of (-[a])^k / (k + 1)!."""
    out, term = np.eye(3), np.eye(3)
    for k in range(1, 60):
        term = -term @ hat(a) / (k + 1)
        out = out + term
    return out


@pytest.mark.parametrize("size", [1e-6, 0.03, 0.0999, 0.1001, 0.7, 2.6])
def test_tangents(size):
    """On both sides of the change from series to closed forms."""
    r = rng(1)
    for _ in range(5):
        a, b, d = r.normal(size=(3, 3))
        a *= size / np.linalg.norm(a)
        T = right_jacobian(a)
        inverse = np.linalg.inv(T)
        close = dict(rtol=0, atol=4e-15)
        np.testing.assert_allclose(interpreted(attitudes.tangent)(*a, *d), T @ d, **close)
        np.testing.assert_allclose(interpreted(attitudes.tangent_wide)(*a, *d), T @ d, **close)
        np.testing.assert_allclose(interpreted(attitudes.inverse_tangent)(*a, *d), inverse @ d, rtol=0, atol=2e-14)
        h = 1e-3  # the rate by a difference of sixth order
        at = lambda s, a=a, b=b, d=d: np.linalg.inv(right_jacobian(a + s * b)) @ d
        rate = sum(c * (at(k * h) - at(-k * h)) for k, c in ((1, 0.75), (2, -0.15), (3, 1 / 60))) / h
        np.testing.assert_allclose(interpreted(attitudes.inverse_tangent_rate)(*a, *b, *d), rate, rtol=0, atol=1e-10)
        if size < 0.1:  # of its series beyond rounding of the difference: in longer arms, where it is linear in d and b
            x = 1e4 * d
            want = 1e4 * np.array(interpreted(attitudes.inverse_tangent_rate)(*a, *b, *d))
            np.testing.assert_allclose(interpreted(attitudes.inverse_tangent_rate)(*a, *b, *x), want, rtol=1e-13)
        both = (Rotation.from_rotvec(a).inv() * Rotation.from_rotvec(b)).as_rotvec()
        np.testing.assert_allclose(interpreted(attitudes.turn_between)(np.zeros(8), *a, *b), both, atol=1e-14)
        near = a + 1e-5 * d  # nearly the same turn: the series of the arc tangent
        both = (Rotation.from_rotvec(a).inv() * Rotation.from_rotvec(near)).as_rotvec()
        np.testing.assert_allclose(
            interpreted(attitudes.turn_between)(np.zeros(8), *a, *near), both, rtol=0, atol=2e-15
        )
        q = Rotation.from_rotvec(b)
        Y = np.concatenate([[9.0], q.as_quat(scalar_first=True)])
        np.testing.assert_allclose(interpreted(attitudes.to_ground)(Y, 1, *d), q.apply(d), atol=1e-14)
        np.testing.assert_allclose(interpreted(attitudes.to_body)(Y, 1, *d), q.inv().apply(d), atol=1e-14)


def test_series_of_tangents_to_their_last_terms():
    """At |a| = 0.0999, where the last terms are largest, and a d across it: coefficients of a x d and a x (a x d)."""
    a, d = np.array([0.0999, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])
    s = 0.0999**2
    f = lambda x: sum((-s) ** k / math.factorial(2 * k + x) for k in range(12))
    series = {
        attitudes.tangent: (-f(2), f(3)),
        attitudes.tangent_wide: (-f(2), f(3)),
        attitudes.inverse_tangent: (0.5, (1 - 0.5 * 0.0999 / math.tan(0.5 * 0.0999)) / s),
    }
    for kernel, (one, two) in series.items():
        x, y, z = interpreted(kernel)(*a, *d)
        assert x == 0.0 and z / 0.0999 == pytest.approx(one, rel=4e-16 if one != 0.5 else 1e-15)
        assert (1.0 - y) / s == pytest.approx(two, rel=1e-13)
    # the rate of the inverse for a change b along a: -(f + s f') 2 |a| |b|, f the sum of |B_2k| s^(k - 1)/(2k)!
    weights = [abs(bernoulli(2 * k)[2 * k]) / math.factorial(2 * k) for k in range(1, 12)]
    want = sum((k + 1) * c * s**k for k, c in enumerate(weights))
    found = interpreted(attitudes.inverse_tangent_rate)(*a, 1.0, 0.0, 0.0, *d)
    assert found[1] / (-2 * 0.0999) == pytest.approx(want, rel=2e-15)
    b, c, db, dc = interpreted(increment_pull._slopes_of_tangent)(s)
    assert (b, c) == pytest.approx((f(2), f(3)), rel=4e-16)
    slopes = [sum(2 * k * (-1) ** k * s ** (k - 1) / math.factorial(2 * k + x) for k in range(1, 12)) for x in (2, 3)]
    assert (db, dc) == pytest.approx(slopes, rel=1e-14)
    for x in (0.3, 2.2):  # the closed forms
        s = x * x
        b, c, db, dc = interpreted(increment_pull._slopes_of_tangent)(s)
        b1, c1 = (1 - math.cos(x)) / s, (x - math.sin(x)) / x**3
        want = b1, c1, (math.sin(x) / s - 2 * b1 / x) / x, ((1 - math.cos(x)) / x**3 - 3 * c1 / x) / x
        assert (b, c, db, dc) == pytest.approx(want, rel=1e-12)


# ---- rigid bodies ----------------------------------------------------------------------------------------------------
def test_inertia_gravity_and_energies(bodies):
    r = rng(2)
    y = state(r)
    F, R, rate = np.ones(18), np.zeros((3, 9)), np.zeros(39)
    interpreted(rigid.inertial_and_gravity)(bodies, y, F)
    kinetic = heights = 0.0
    for b in range(N):
        W, v = y[13 * b + 10 : 13 * b + 13], y[13 * b + 7 : 13 * b + 10]
        np.testing.assert_allclose(F[6 * b : 6 * b + 3], MASSES[b] * GRAVITY, atol=1e-14)
        np.testing.assert_allclose(F[6 * b + 3 : 6 * b + 6], -np.cross(W, INERTIAS[b] * W), atol=1e-14)
        kinetic += 0.5 * MASSES[b] * v @ v + 0.5 * INERTIAS[b] @ W**2
        heights -= MASSES[b] * GRAVITY @ y[13 * b : 13 * b + 3]
        interpreted(rigid.rotation)(y, 13 * b + 3, R, b)
    assert not F[12:].any()
    np.testing.assert_allclose(R[:2].reshape(2, 3, 3), turns(y)[:2], atol=1e-15)
    assert interpreted(rigid.kinetic_energy)(bodies, y) == pytest.approx(kinetic, rel=1e-14)
    assert interpreted(rigid.gravity_energy)(bodies, y) == pytest.approx(heights, rel=1e-13)
    C, place, du = np.zeros(18), np.arange(18).reshape(2, 9), r.normal(size=12)
    interpreted(rigid.gyroscopic_damping)(bodies, y, place, C)

    def at(h):
        out = np.zeros(18)
        interpreted(rigid.inertial_and_gravity)(bodies, changed(y, h * du), out)
        return -np.concatenate([out[3:6], out[9:12]])

    want = np.concatenate([C[9 * b : 9 * b + 9].reshape(3, 3) @ du[6 * b + 3 : 6 * b + 6] for b in range(N)])
    np.testing.assert_allclose(want, slope(at), atol=1e-9)
    acc = r.normal(size=18)
    interpreted(rigid.state_rate)(N, y, acc, rate)
    u = np.concatenate([y[13 * b + 7 : 13 * b + 13] for b in range(N)] + [np.zeros(6)])
    np.testing.assert_allclose(rate, slope(lambda h: changed(moved(y, h * u), h * acc)), atol=1e-9)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_what_is_kept_in_a_plane(axis):
    """A motion in the plane stays; what leads out of it to first order is taken away."""
    r = rng(3)
    normal = r.integers(3)
    plane = np.array([[*(c for c in range(3) if c != normal), 3 + axis]] * N, np.uint8)
    table = SimpleNamespace(plane=plane)
    first = state(r)
    d, out = np.zeros(18), np.zeros(18)
    for b in range(N):
        for c in range(3):
            (out if c == normal else d)[6 * b + c] = r.normal()
            (d if c == axis else out)[6 * b + 3 + c] = r.normal()
    y = moved(first, d)
    for b in range(N):
        y[13 * b + 7 + normal] = 0.0
        y[[13 * b + 10 + c for c in range(3) if c != axis]] = 0.0
    for part in (0.0, 1e-5):
        z = moved(y, part * out)
        interpreted(rigid.keep_in_plane)(table, first, z)
        for b in range(N):  # quaternions by their direction, which is what the kernel keeps
            q = z[13 * b + 3 : 13 * b + 7]
            q *= np.sign(q @ y[13 * b + 3 : 13 * b + 7]) / np.linalg.norm(q)
        np.testing.assert_allclose(z, y, atol=1e-13 + 20 * part**2)
    z = changed(y, out)
    interpreted(rigid.keep_in_plane)(table, first, z)
    np.testing.assert_allclose(z, y, atol=1e-14)


def test_momentum_and_what_changes_it(bodies):
    r = rng(4)
    y, F, ground, out = state(r), r.normal(size=18), r.normal(size=6), np.full(18, np.nan)
    A = turns(y)
    interpreted(momentum.momentum)(bodies, y, A.reshape(3, 9), F, ground, out)
    p, L, f, T = np.zeros((4, 3))
    for b in range(N):
        c, v, W = y[13 * b : 13 * b + 3], y[13 * b + 7 : 13 * b + 10], y[13 * b + 10 : 13 * b + 13]
        p += MASSES[b] * v
        L += np.cross(c, MASSES[b] * v) + A[b] @ (INERTIAS[b] * W)
        f += F[6 * b : 6 * b + 3]
        T += np.cross(c, F[6 * b : 6 * b + 3]) + A[b] @ (F[6 * b + 3 : 6 * b + 6] + np.cross(W, INERTIAS[b] * W))
    np.testing.assert_allclose(out, [*p, *L, *f, *T, *-ground], atol=1e-13)


def test_a_step_of_bodies_that_turn_by_themselves(bodies):
    """The implicit midpoint rule at its fixed point; energies of the torques of inertia."""
    r = rng(5)
    u, lasting, h = r.normal(size=(3, 6)), r.normal(size=(3, 6)), 0.1
    J, acc = np.vstack([INERTIAS, np.zeros(3)]), np.zeros((3, 6))
    for _ in range(6):
        interpreted(gyroscopic.midpoint)(J, u, lasting, h, acc)
    assert not acc[2].any() and not acc[:, :3].any()
    for b in range(N):
        p = u[b, 3:] + 0.5 * h * (acc[b, 3:] + lasting[b, 3:])
        np.testing.assert_allclose(INERTIAS[b] * acc[b, 3:], np.cross(INERTIAS[b] * p, p), atol=1e-14)
    ends = []
    for times in (1, 6):  # one call leaves an error of (h w / 2)^3 of the accelerations
        ends.append(np.zeros((3, 6)))
        for _ in range(times):
            interpreted(gyroscopic.midpoint)(J, u, lasting, 0.02, ends[-1])
    assert 0.0 < np.abs(ends[0] - ends[1]).max() < 3e-5
    before, start, now = r.normal(size=18), np.zeros(18), r.normal(size=18)
    for b in range(N):
        o = 6 * b + 3
        interpreted(gyroscopic.turn_by_mean)(J, b, before, now, h, start)
        w = 0.5 * (before + now)[o : o + 3]
        np.testing.assert_allclose(
            INERTIAS[b] * (start - before)[o : o + 3] / h, np.cross(INERTIAS[b] * w, w), atol=1e-13
        )
        assert interpreted(gyroscopic.work)(J, b, before, start, now) == pytest.approx(0.0, abs=1e-15)
        grown = 0.5 * INERTIAS[b] @ (now[o : o + 3] ** 2 - before[o : o + 3] ** 2)
        assert interpreted(gyroscopic.work)(J, b, before, now, now) == pytest.approx(grown, rel=1e-13)


# ---- points of bodies ------------------------------------------------------------------------------------------------
def test_points_of_bodies(bodies):
    r = rng(6)
    y = state(r)
    A = turns(y)
    R = A.reshape(3, 9)
    point, f, t, d = r.normal(size=(4, 3))
    for b in range(N):
        o = 13 * b
        s = np.array(interpreted(at_point.lever)(bodies, y, b, *point))
        np.testing.assert_allclose(s, point - y[o : o + 3], atol=1e-15)
        np.testing.assert_array_equal(interpreted(at_point.place)(bodies, y, b), y[o : o + 3])
        np.testing.assert_array_equal(interpreted(at_point.centre_velocity)(bodies, y, b), y[o + 7 : o + 10])
        W = y[o + 10 : o + 13]
        assert [interpreted(at_point.spin)(bodies, y, b, c) for c in range(3)] == W.tolist()
        w = np.array(interpreted(at_point.angular_velocity)(bodies, R, y, b))
        np.testing.assert_allclose(w, A[b] @ W, atol=1e-14)
        v = np.array(interpreted(at_point.velocity_at)(bodies, y, b, *w, *s))
        np.testing.assert_allclose(v, y[o + 7 : o + 10] + np.cross(w, s), atol=1e-14)
        F = r.normal(size=18)
        before = F.copy()
        interpreted(at_point.add_force_at)(bodies, R, b, tuple(s), tuple(f), tuple(t), F)
        pulls = np.concatenate([f, A[b].T @ (np.cross(s, f) + t)])
        want = np.zeros(18)
        want[6 * b : 6 * b + 6] = pulls
        np.testing.assert_allclose(F - before, want, atol=1e-14)
        m = np.cross(s, f) + t
        parts = [interpreted(at_point.force_component)(bodies, R, b, c, *f, *m) for c in range(6)]
        np.testing.assert_allclose(parts, pulls, atol=1e-14)
        for e in range(6):
            motion = np.array(interpreted(at_point.unit_motion)(bodies, R, b, e))
            want = (
                np.concatenate([np.eye(3)[e], np.zeros(3)]) if e < 3 else np.concatenate([np.zeros(3), A[b][:, e - 3]])
            )
            np.testing.assert_allclose(motion, want, atol=1e-15)
        H = np.full((2, 2, 14), 7.0)
        interpreted(at_point.enter_velocity_row)(bodies, R, b, -1.0, tuple(s), tuple(d), H, 1, 0, 3)
        row = np.concatenate([d, A[b].T @ np.cross(s, d)])
        np.testing.assert_allclose(H[1, 0, 3:9], -row, atol=1e-14)
        interpreted(at_point.enter_turning_row)(bodies, R, b, 2.5, *d, H, 0, 1, 4)
        np.testing.assert_allclose(H[0, 1, 4:10], [0, 0, 0, *(2.5 * A[b].T @ d)], atol=1e-14)
        assert (H[0, 0] == 7.0).all() and (H[1, 1] == 7.0).all() and H[1, 0, 9] == 7.0 and H[0, 1, 10] == 7.0
        total = interpreted(at_point.add_mobility)(bodies, R, b, *s, *(d / np.linalg.norm(d)), 0.4)
        row /= np.linalg.norm(d)
        assert total == pytest.approx(0.4 + row**2 @ MINV[b], rel=1e-13)
        carried = bodies._replace(Minv=np.zeros((3, 6)))
        assert interpreted(at_point.add_mobility)(carried, R, b, *s, *(d / np.linalg.norm(d)), 0.4) == pytest.approx(
            total
        )
        step, q = r.normal(size=18), np.zeros(4)
        place = interpreted(at_point.displaced)(bodies, y, step, 0.3, b, q)
        want = moved(y, 0.3 * step)
        np.testing.assert_allclose(place, want[o : o + 3], atol=1e-14)
        np.testing.assert_allclose(q * np.sign(q @ want[o + 3 : o + 7]), want[o + 3 : o + 7], atol=1e-14)
        np.testing.assert_array_equal(interpreted(at_point.travel)(bodies, step, b), step[6 * b : 6 * b + 3])
        np.testing.assert_array_equal(interpreted(at_point.turn)(bodies, step, b), step[6 * b + 3 : 6 * b + 6])


# ---- masses ----------------------------------------------------------------------------------------------------------
def test_weights_of_rows(bodies):
    """Rows of two or three slots on random bodies, ground among them, against dense matrices."""
    r = rng(7)
    slot_body, rp = np.array([0, 1, 1, 2, 0, 1, 0]), np.array([0, 2, 4, 7])
    rows = SimpleNamespace(slot_body=slot_body, rp=rp)
    G, y, u = r.normal(size=(7, 6)), state(r), r.normal(size=18)
    u[12:] = 0.0
    dense = np.zeros((3, 18))
    for k in range(3):
        for q in range(rp[k], rp[k + 1]):
            dense[k, 6 * slot_body[q] : 6 * slot_body[q] + 6] += G[q]
    weights = r.uniform(0.5, 2.0, (3, 6))
    for k in range(3):
        alone = sum(G[q] ** 2 @ weights[slot_body[q]] for q in range(rp[k], rp[k + 1]))
        assert interpreted(mass.row_size)(rows, G, k, weights) == pytest.approx(alone)
        assert interpreted(mass.row_times)(rows, G, k, u) == pytest.approx(dense[k] @ u)
        speeds = np.concatenate([y[13 * b + 7 : 13 * b + 13] for b in range(3)])
        assert interpreted(mass.row_speed)(rows, G, k, y) == pytest.approx(dense[k] @ speeds)
    z = np.ones(18)
    interpreted(mass.scale_moves)(weights, z)
    np.testing.assert_array_equal(z, weights.ravel())
    interpreted(mass.clear_moves)(z)
    assert not z.any()
    F, out = r.normal(size=18), r.normal(size=18)
    before = out.copy()
    interpreted(mass.add_response)(bodies, F, out)
    np.testing.assert_allclose(out - before, F * MINV.ravel(), atol=1e-14)
    g, out = r.normal(size=9), np.zeros(18)
    interpreted(mass.add_response_of)(bodies, 1, g, 2, out)
    interpreted(mass.add_move_of)(0, g, 3, out)
    np.testing.assert_allclose(out, [*g[3:9], *(g[2:8] * MINV[1]), *np.zeros(6)], atol=1e-14)
    # products of the slots of each body, in space and in a plane
    slots = np.array([q for b in range(2) for q in range(7) if slot_body[q] == b])
    ptr = np.array([0, 3, 6])
    pairs = [
        (p, q) for b in range(2) for k, p in enumerate(slots[ptr[b] : ptr[b + 1]]) for q in slots[ptr[b] : ptr[b] + k]
    ]
    for plane in (np.zeros((0, 3), np.uint8), np.array([[0, 2, 4], [1, 2, 3]], np.uint8)):
        table = bodies._replace(plane=plane)
        Lx, D = np.ones(len(pairs)), np.ones(len(slots))
        interpreted(mass.fill_products)(
            table, ptr, slots, G, weights, np.arange(len(pairs)), np.arange(len(slots)), Lx, D
        )
        kept = np.ones((2, 6)) if not len(plane) else np.array([[c in row for c in range(6)] for row in plane], float)
        product = lambda p, q, kept=kept: G[p] * kept[slot_body[p]] @ (weights[slot_body[p]] * G[q])
        np.testing.assert_allclose(Lx, [product(p, q) for p, q in pairs], atol=1e-13)
        np.testing.assert_allclose(D, [product(p, p) for p in slots], atol=1e-13)


def test_masses_in_the_iteration_matrix(bodies):
    """M (s + c [W]) of each body, and C [W x] in the columns of rotations."""
    r = rng(8)
    y = state(r)
    data, travel, turn = np.ones(24), np.array([[0, 1, 2], [3, 4, 5]]), 6 + np.arange(18).reshape(2, 9)
    interpreted(mass.add_mass)(bodies, 1.3, 0.7, 0.0, y, np.zeros(18), travel, turn, data)
    np.testing.assert_allclose(data[:6], 1 + np.repeat(1.3 * MASSES, 3))
    for b in range(N):
        W = y[13 * b + 10 : 13 * b + 13]
        want = 1.3 * np.diag(INERTIAS[b]) @ (np.eye(3) + 0.7 * hat(W))
        np.testing.assert_allclose(data[turn[b]].reshape(3, 3) - 1, want, atol=1e-14)
    C, data = r.normal(size=6), np.zeros(6)
    interpreted(mass.convect_damping)(C, np.array([[0, 1, 2], [3, 4, 5]]), np.array([1, 0]), 2, y, 0.6, data)
    want = np.concatenate(
        [0.6 * C[3 * k : 3 * k + 3] @ hat(y[13 * b + 10 : 13 * b + 13]) for k, b in enumerate((1, 0))]
    )
    np.testing.assert_allclose(data, want, atol=1e-14)


def test_matrices_of_nodes_on_their_carriers():
    """Rows and columns of two nodes, which follow two and three coordinates: J^T K J + J^T C V and J^T C J."""
    r = rng(16)
    table = nodes.make_nodes(4, [1, 3], [0, 0], [0, 0], [2, 3], 3)
    table.J[:], table.V[:] = r.normal(size=(2, 2, 6, 3))
    own = [[15, 16], [17, 18, 19]]  # coordinates, behind three of others and twelve of the nodes
    T, V = np.eye(20), np.zeros((20, 20))
    for k in range(2):
        at = 3 + 6 * k + np.arange(6)
        T[at, at] = 0.0
        T[np.ix_(at, own[k])], V[np.ix_(at, own[k])] = table.J[k, :, : len(own[k])], table.V[k, :, : len(own[k])]
    code = lambda i: i - 3 if 3 <= i < 15 else -1
    goes = lambda i: own[(i - 3) // 6] if 3 <= i < 15 else [i]
    entries = [(i, j) for j in range(20) for i in range(20) if code(i) >= 0 or code(j) >= 0]
    targets = [[20 * a + b for a in goes(i) for b in goes(j)] for i, j in entries]
    table = table._replace(
        src=np.array([20 * i + j for i, j in entries]),
        row=np.array([code(i) for i, _ in entries]),
        col=np.array([code(j) for _, j in entries]),
        at=np.cumsum([0, *(len(t) for t in targets[:-1])]),
        target=np.concatenate(targets),
    )
    K, C, G = r.normal(size=(3, 20, 20))
    stiff, damped, rows = K.ravel().copy(), C.ravel().copy(), G.ravel().copy()
    interpreted(nodes.condense_matrix)(table, stiff, damped)
    interpreted(nodes.condense_rows)(table, rows)
    np.testing.assert_allclose(stiff.reshape(20, 20), T.T @ K @ T + T.T @ C @ V, atol=1e-12)
    np.testing.assert_allclose(damped.reshape(20, 20), T.T @ C @ T, atol=1e-12)
    np.testing.assert_allclose(rows.reshape(20, 20), T.T @ G @ T, atol=1e-12)
    for stiff, damped in ((K, 0 * C), (0 * K, C), (K * (r.random((20, 20)) < 0.5), C * (r.random((20, 20)) < 0.5))):
        k, c = stiff.ravel().copy(), damped.ravel().copy()  # with entries of one matrix alone
        interpreted(nodes.condense_matrix)(table, k, c)
        np.testing.assert_allclose(k.reshape(20, 20), T.T @ stiff @ T + T.T @ damped @ V, atol=1e-12)
        np.testing.assert_allclose(c.reshape(20, 20), T.T @ damped @ T, atol=1e-12)


def test_points_of_nodes():
    """Position and velocity of a point that moves in the axes of a body: r + A p, v + A (w x p + d)."""
    r = rng(17)
    y, A = r.normal(size=60), r.normal(size=(3, 9))
    A[2] = Rotation.random(random_state=r).as_matrix().ravel()
    p, d = r.normal(size=(2, 3))
    z = y.copy()
    interpreted(nodes.put_point)(A, 2, z, 13, 39, *p, *d)
    turn = A[2].reshape(3, 3)
    want = y.copy()
    want[39:42] = y[13:16] + turn @ p
    want[46:49] = y[20:23] + turn @ (np.cross(y[23:26], p) + d)
    np.testing.assert_allclose(z, want, atol=1e-14)


def test_coordinates_of_the_tail():
    """Further coordinates behind ground, as flexible bodies have them: each move of a state moves them as numbers, and
    their unknowns are behind those of ground."""
    r, tail = rng(18), 8  # more than a row of inverse masses
    minv = np.vstack([MINV, r.random((2, 6))])
    table = body_tables(MASSES, INERTIAS, minv, GRAVITY, np.array([1, 1, 0], np.uint8), tail=tail)
    y, d, u = np.concatenate([state(r), r.normal(size=2 * tail)]), *r.normal(size=(2, 18 + tail))
    d[12:18] = u[12:18] = 0.0
    q, v, own = y[39:47].copy(), y[47:].copy(), slice(18, 26)
    run = lambda kernel, *args: interpreted(getattr(coordinates, kernel))(table, *args)

    def after(kernel, *args, at=-1):
        args = [x.copy() if isinstance(x, np.ndarray) else x for x in args]
        run(kernel, *args)
        return args[at]

    assert coordinates.tail_of.py_func(table) == (18, 39, 47)
    out = after("speeds_of", y, np.zeros(26))
    np.testing.assert_array_equal(out, np.r_[y[7:13], y[20:26], y[33:39], v])
    out = after("put_speeds", u, y)
    np.testing.assert_array_equal(out[39:], np.r_[q, u[own]])
    out = after("add_speeds", 0.7, u, y)
    np.testing.assert_allclose(out[39:], np.r_[q, v + 0.7 * u[own]], rtol=1e-15)
    rate = r.normal(size=55)
    out = after("kick", 0.2, rate, y)
    np.testing.assert_allclose(out[39:], np.r_[q, v + 0.2 * rate[47:]], rtol=1e-15)
    out = after("rates", y, u, np.full(55, np.nan))
    np.testing.assert_array_equal(out[39:], np.r_[v, u[own]])
    np.testing.assert_array_equal(out[:3], y[7:10])
    np.testing.assert_array_equal(out[20:26], u[6:12])
    out = after("solve_mass", u, np.full(26, np.nan))
    np.testing.assert_allclose(out, np.r_[u[:18] * minv[:3].ravel(), u[own] * minv[3:].ravel()[:tail]], rtol=1e-15)
    out = after("retract", y, d, at=0)
    np.testing.assert_allclose(out, np.r_[moved(y, d)[:39], q + d[own], v], atol=1e-14)
    z = y.copy()
    coordinates.moved(table, z, d)
    np.testing.assert_allclose(z, out, atol=1e-14)
    new = np.concatenate([state(r), r.normal(size=16)])
    out = after("place_at", y, d, new)
    np.testing.assert_allclose(out[:3], moved(y, d)[:3])
    np.testing.assert_allclose(out[7:13], new[7:13])
    np.testing.assert_allclose(out[39:], np.r_[q + d[own], new[47:]])
    out = after("state_at", y, d, u, new)
    np.testing.assert_allclose(out[:26], changed(moved(y, d), u)[:26], atol=1e-14)
    np.testing.assert_allclose(out[39:], np.r_[q + d[own], v + u[own]])
    out = after("retract_with_speeds", d, 0.3, y)
    np.testing.assert_allclose(out[39:], np.r_[q + d[own], v + 0.3 * d[own]])
    out = after("speeds_moved", y, d, u, 0.3, np.full(26, np.nan))
    np.testing.assert_allclose(out[own], 0.3 * d[own] + u[own])


# ---- transposed derivatives ------------------------------------------------------------------------------------------
def test_cotangents_of_states(bodies):
    r = rng(9)
    y = state(r)
    long = y.copy()
    long[3:7] *= 1.7  # a quaternion of any length
    body, yb, dy = r.normal(size=24), np.zeros(39), r.normal(size=39)
    interpreted(pull.from_increments)(N, long, body, yb)
    want = 0.0
    for b in range(N):
        q, dq = long[13 * b + 3 : 13 * b + 7], dy[13 * b + 3 : 13 * b + 7]
        eta = 2 * (q[0] * dq[1:] - q[1:] * dq[0] - np.cross(q[1:], dq[1:])) / (q @ q)
        part = np.concatenate([dy[13 * b : 13 * b + 3], eta, dy[13 * b + 7 : 13 * b + 13]])
        want += body[12 * b : 12 * b + 12] @ part
    assert yb @ dy == pytest.approx(want, rel=1e-12)
    kb, yb, ends = r.normal(size=39), np.zeros(39), []
    kb[26:] = 0.0
    interpreted(pull.pull_kinematics)(bodies, y, kb, yb)
    for sign in (0.5, -0.5):
        rate = np.zeros(39)
        interpreted(rigid.state_rate)(N, y + sign * dy, np.zeros(18), rate)
        ends.append(rate)
    assert yb @ dy == pytest.approx(kb @ (ends[0] - ends[1]), rel=1e-12)
    z, d = np.zeros(18), r.normal(size=18)
    interpreted(pull.to_increments)(bodies, y, kb, z)
    d[12:] = 0.0
    assert z @ d == pytest.approx(kb @ slope(lambda h: moved(y, h * d)), rel=1e-8)
    unit = kb.copy()
    interpreted(pull.keep_length)(N, y, unit)
    normal = lambda x: np.concatenate(
        [np.concatenate([b[:3], b[3:7] / np.linalg.norm(b[3:7]), b[7:]]) for b in x.reshape(3, 13)]
    )
    dy[26:] = 0.0
    assert unit @ dy == pytest.approx(kb @ slope(lambda h: normal(y + h * dy)), rel=1e-8)


def test_cotangents_of_inertia(bodies):
    """Of - nu . (M a + W x J W - m g)."""
    r = rng(10)
    y, acc, nu = state(r), r.normal(size=18), r.normal(size=18)
    out = SimpleNamespace(body=np.zeros(36))
    P = SimpleNamespace(out=out, mass=np.zeros(N), gravity=np.zeros(3), J=np.zeros((N, 3, 3)))
    interpreted(pull.pull_bodies)(bodies, y, acc, nu, P)
    dm, dg, dJ, du = r.normal(size=N), r.normal(size=3), r.normal(size=(N, 3, 3)), r.normal(size=12)

    def worth(h):
        total = 0.0
        for b in range(N):
            W = y[13 * b + 10 : 13 * b + 13] + h * du[6 * b + 3 : 6 * b + 6]
            J = np.diag(INERTIAS[b]) + h * dJ[b]
            m, a, n = MASSES[b] + h * dm[b], acc[6 * b : 6 * b + 6], nu[6 * b : 6 * b + 6]
            total -= n[:3] @ (m * (a[:3] - GRAVITY - h * dg)) + n[3:] @ (J @ a[3:] + np.cross(W, J @ W))
        return total

    turning = sum(out.body[12 * b + 9 : 12 * b + 12] @ du[6 * b + 3 : 6 * b + 6] for b in range(N))
    want = P.mass @ dm + P.gravity @ dg + (P.J * dJ).sum() + turning
    assert want == pytest.approx(slope(worth), rel=1e-8)


def test_cotangents_of_increments(bodies):
    """The transposed derivatives of `state_at`, of velocities from rates of increments, of corrections."""
    r = rng(11)
    y0, x, v, yb = state(r), 0.6 * r.normal(size=18), r.normal(size=18), r.normal(size=39)
    yb[26:] = 0.0
    dx, dv, d0, du0 = r.normal(size=(4, 18))

    def end(start, x, v):
        y = start.copy()
        interpreted(coordinates.state_at)(bodies, start, x, v, y)
        return y

    y = end(y0, x, v)
    xb, vb, z, y0b = np.zeros(18), np.zeros(18), np.zeros(18), np.zeros(39)
    interpreted(increment_pull.pull_state_at)(bodies, y, x, yb, z, xb, vb)
    assert xb[:12] @ dx[:12] + vb[:12] @ dv[:12] == pytest.approx(
        yb @ slope(lambda h: end(y0, x + h * dx, v + h * dv)), rel=1e-7
    )
    interpreted(increment_pull.pull_start_of_increments)(bodies, x, yb, np.zeros(4), y0b)
    at = lambda h: changed(moved(y0, h * d0), h * du0)
    assert y0b @ slope(at) == pytest.approx(yb @ slope(lambda h: end(at(h), x, v)), rel=1e-7)
    xd, rho, xb, xdb = r.normal(size=18), r.normal(size=18), np.zeros(18), np.zeros(18)
    interpreted(increment_pull.pull_increment_speeds)(bodies, x, xd, rho, xb, xdb)

    def speeds(h):
        u = np.zeros(18)
        interpreted(increments.add_increment_speeds)(bodies, x + h * dx, xd + h * dv, u)
        return rho[:12] @ u[:12]

    assert xb[:12] @ dx[:12] + xdb[:12] @ dv[:12] == pytest.approx(slope(speeds), rel=1e-7)
    c, d = np.zeros(18), r.normal(size=18)
    interpreted(increment_pull.turn_cotangents_of_increments)(bodies, x, rho, c)

    def corrected(h):
        out = x.copy()
        interpreted(increments.correct_increment)(bodies, h * d, out)
        return rho[:12] @ out[:12]

    assert c[:12] @ d[:12] == pytest.approx(slope(corrected), rel=1e-9)


def test_increments_of_minimal_sets(bodies):
    """Gradients and second derivatives with respect to increments; sizes."""
    r = rng(12)
    z, rate, acc, y = 0.8 * r.normal(size=18), r.normal(size=18), r.normal(size=18), state(r)
    z[12:] = rate[12:] = acc[12:] = 0.0
    G, out, body = r.normal(size=(3, 6)), np.zeros((3, 6)), np.array([1, 0, 1])
    interpreted(increments.increment_gradients)(body, G, z, out)
    u = np.zeros(18)
    interpreted(increments.add_increment_speeds)(bodies, z, rate, u)
    for s, b in enumerate(body):
        assert out[s] @ rate[6 * b : 6 * b + 6] == pytest.approx(G[s] @ u[6 * b : 6 * b + 6])
    for b in range(N):  # y holds the velocities that belong to the rates
        y[13 * b + 7 : 13 * b + 13] = u[6 * b : 6 * b + 6]
    second = np.zeros(18)
    interpreted(increments.increment_accelerations)(bodies, z, rate, y, acc, second)

    def velocities(h):
        w = np.zeros(18)
        interpreted(increments.add_increment_speeds)(bodies, z + h * rate, rate + h * second, w)
        return w[:12]

    np.testing.assert_allclose(slope(velocities), acc[:12], atol=1e-8)
    size = interpreted(increments.size_of_moves)
    d = np.zeros(18)
    d[1], d[10] = -3.0, 0.4
    assert size(bodies, d, 2.0) == 1.5 and size(bodies, d, 30.0) == 0.4
    d[4] = math.nan
    assert math.isnan(size(bodies, d, 2.0))
    d[:] = 0.0
    d[9:12] = 0.2, -0.3, 0.6
    assert interpreted(increments.largest_turn)(bodies, d) == pytest.approx(0.7)
    assert interpreted(increments.turns_within)(bodies, d, 0.71) and not interpreted(increments.turns_within)(
        bodies, d, 0.69
    )
    y[10:13], y[23:26] = (0.1, 0.2, -0.2), (0.2, 0.6, 0.9)
    assert interpreted(increments.largest_spin)(y, 2) == pytest.approx(1.1)
    assert interpreted(increments.largest_spin)(y, 1) == pytest.approx(0.3)


# ---- steps on the group ----------------------------------------------------------------------------------------------
def screw_matrix(y, b):
    out = np.eye(4)
    out[:3, :3], out[:3, 3] = turns(y)[b], y[13 * b : 13 * b + 3]
    return out


@pytest.mark.parametrize("screw", [False, True])
def test_steps_on_the_group(bodies, screw):
    """By exponentials of SO(3) and of SE(3)."""
    r = rng(13)
    y0, a0, a1, d = state(r), r.normal(size=18), r.normal(size=18), 0.1 * r.normal(size=18)
    h, weights = 0.3, (0.11, 0.05, 0.13, 0.17)
    b0, b1, g0, g1 = weights
    turn, slide, y, acc = np.zeros(6), np.zeros(6), y0.copy(), a1.copy()
    interpreted(lie_group.step_by_accelerations)(bodies, y0, a0, a1, d, h, weights, screw, turn, slide, y, acc)
    A0, A1 = turns(y0), turns(y)
    for b in range(N):
        s, o = slice(6 * b, 6 * b + 6), 13 * b
        v0 = y0[o + 7 : o + 13].copy()
        if screw:
            v0[:3] = A0[b].T @ v0[:3]
        step = h * (v0 + b0 * a0[s] + b1 * a1[s]) - d[s]
        v1 = v0 + g0 * a0[s] + g1 * a1[s]
        np.testing.assert_allclose(turn[3 * b : 3 * b + 3], step[3:], atol=1e-14)
        np.testing.assert_allclose(y[o + 10 : o + 13], v1[3:], atol=1e-14)
        if not screw:
            np.testing.assert_allclose(y[o : o + 3], y0[o : o + 3] + step[:3], atol=1e-14)
            np.testing.assert_allclose(A1[b], A0[b] @ Rotation.from_rotvec(step[3:]).as_matrix(), atol=1e-14)
            np.testing.assert_allclose(y[o + 7 : o + 10], v1[:3], atol=1e-14)
            continue
        motion = np.zeros((4, 4))
        motion[:3, :3], motion[:3, 3] = hat(step[3:]), step[:3]
        np.testing.assert_allclose(screw_matrix(y, b), screw_matrix(y0, b) @ expm(motion), atol=1e-14)
        np.testing.assert_allclose(y[o + 7 : o + 10], A1[b] @ v1[:3], atol=1e-13)
        np.testing.assert_allclose(acc[s][:3], A1[b] @ (a1[s][:3] + np.cross(v1[3:], v1[:3])), atol=1e-13)
        back = d.copy()
        interpreted(lie_group.to_screw)(bodies, y, back)
        np.testing.assert_allclose(back[s][:3], A1[b].T @ d[s][:3], atol=1e-14)


def test_mass_of_screws_in_the_iteration_matrix(bodies):
    """What M r'', r'' = A (V' + W x V), changes by beyond aa M dr, over aa, where velocities and accelerations change
    by au and aa times the change of the step."""
    r, aa, au = rng(20), 3.0, 1.4
    y, acc, turn, slide = state(r), r.normal(size=18), 0.4 * r.normal(size=6), 0.4 * r.normal(size=6)
    data, block = np.zeros(60), r.permutation(60)[:36].reshape(N, 18)
    interpreted(lie_group.widen_mass)(bodies, y, acc, turn, slide, aa, au, block, data)
    want, A = np.zeros(60), turns(y)
    for b in range(N):
        V, W = A[b].T @ y[13 * b + 7 : 13 * b + 10], y[13 * b + 10 : 13 * b + 13]
        now = A[b].T @ acc[6 * b : 6 * b + 3]
        for c in range(6):
            d, step = np.zeros(18), np.zeros(18)
            d[6 * b + c] = 1.0
            interpreted(lie_group.add_step_correction)(bodies, d, y, turn, slide, True, 1.0, step)
            s, t = step[6 * b : 6 * b + 3], step[6 * b + 3 : 6 * b + 6]
            change = aa * s + au * (np.cross(t, V) + np.cross(W, s)) + np.cross(d[6 * b + 3 : 6 * b + 6], now)
            column = MASSES[b] * (A[b] @ change / aa - d[6 * b : 6 * b + 3])
            want[block[b, [c, 6 + c, 12 + c]]] += column
    np.testing.assert_allclose(data, want, atol=1e-13)


def test_corrections_of_screws(bodies):
    """The change of the logarithm of a step in SE(3) when its end is displaced, by SciPy: right to first order in the
    step, so that half the step leaves a quarter of the error."""
    r = rng(19)
    y, motion, d = state(r), r.normal(size=(N, 6)), r.normal(size=18)
    ends, left = turns(y), []
    for size in (0.02, 0.01):
        step, a1 = size * motion, np.zeros(18)
        turn, slide = step[:, 3:].ravel().copy(), step[:, :3].ravel().copy()
        interpreted(lie_group.add_step_correction)(bodies, d, y, turn, slide, True, 0.7, a1)
        for b in range(N):
            own = np.zeros((4, 4))
            own[:3, :3], own[:3, 3] = hat(step[b, 3:]), step[b, :3]
            start = screw_matrix(y, b) @ expm(-own)

            def logarithm(h, b=b, start=start):
                end = np.eye(4)
                end[:3, :3] = ends[b] @ Rotation.from_rotvec(h * d[6 * b + 3 : 6 * b + 6]).as_matrix()
                end[:3, 3] = y[13 * b : 13 * b + 3] + h * d[6 * b : 6 * b + 3]
                x = np.real(logm(np.linalg.solve(start, end)))
                return np.array([*x[:3, 3], x[2, 1], x[0, 2], x[1, 0]])

            left.append(a1[6 * b : 6 * b + 6] - 0.7 * slope(logarithm))
    off = np.abs(left).max(1).reshape(2, N)
    assert off.max() < 2e-3 and off[0] == pytest.approx(4 * off[1], rel=0.1)


def test_cotangents_of_steps(bodies):
    """The transposed derivative of a step of R3 x SO(3) with respect to its start and to accelerations of its ends."""
    r = rng(14)
    y0, a0, a1, yb = state(r), r.normal(size=18), r.normal(size=18), r.normal(size=39)
    yb[26:] = 0.0
    h, w, zero = 0.3, (0.11, 0.05, 0.13, 0.17), np.zeros(18)
    scaled = tuple(h * x for x in w)

    def end(start, a0, a1):
        y, acc = start.copy(), a1.copy()
        interpreted(lie_group.step_by_accelerations)(
            bodies, start, a0, a1, zero, h, scaled, False, np.zeros(6), np.zeros(6), y, acc
        )
        return y

    y1 = end(y0, a0, a1)
    z, turn, ab, start = np.zeros(18), np.zeros(3), np.zeros(18), yb.copy()
    interpreted(lie_group_pull.pull_start_of_step)(bodies, y0, y1, a0, a1, h, w, start, z, turn, np.zeros(4), ab)
    d0, du, da = r.normal(size=(3, 18))
    at = lambda s: changed(moved(y0, s * d0), s * du)
    assert start @ slope(at) == pytest.approx(yb @ slope(lambda s: end(at(s), a0, a1)), rel=1e-7)
    assert ab[:12] @ da[:12] == pytest.approx(yb @ slope(lambda s: end(y0, a0 + s * da, a1)), rel=1e-7)
    pulled = np.zeros(18)
    interpreted(lie_group_pull.pull_accelerations)(bodies, y0, y1, a0, a1, h, w, yb, z, turn, pulled)
    assert pulled[:12] @ da[:12] == pytest.approx(yb @ slope(lambda s: end(y0, a0, a1 + s * da)), rel=1e-7)
    c, turns_of_step = np.zeros(18), np.zeros(6)
    end(y0, a0, a1)
    for b in range(N):
        turns_of_step[3 * b : 3 * b + 3] = h * (y0[13 * b + 10 : 13 * b + 13])
        turns_of_step[3 * b : 3 * b + 3] += h * h * (w[0] * a0 + w[1] * a1)[6 * b + 3 : 6 * b + 6]
    interpreted(lie_group_pull.turn_cotangents)(bodies, y0, a0, a1, h, w, pulled, c, turn)
    corrected = np.zeros(18)
    interpreted(lie_group.add_step_correction)(bodies, da, y1, turns_of_step, turns_of_step, False, 1.0, corrected)
    assert c[:12] @ da[:12] == pytest.approx(pulled[:12] @ corrected[:12], rel=1e-12)
    k = np.ones(39)
    interpreted(lie_group_pull.as_rates)(bodies, a0, a1, k)
    want = np.zeros(39)
    for b in range(N):
        want[13 * b + 7 : 13 * b + 13] = (a0 + a1)[6 * b : 6 * b + 6]
    np.testing.assert_array_equal(k, want)


def test_changes_of_states(bodies):
    r = rng(15)
    y, d, rest = state(r), 0.3 * r.normal(size=18), r.normal(size=18)
    d[12:] = 0.0
    u = np.zeros(18)
    interpreted(coordinates.speeds_moved)(bodies, y, d, rest, 0.7, u)
    z = y.copy()
    interpreted(coordinates.retract_with_speeds)(bodies, d, 0.7, z)
    np.testing.assert_allclose(z[:3], moved(y, d)[:3])
    np.testing.assert_allclose(turns(z), turns(moved(y, d)), atol=1e-14)
    for b in range(N):
        s, W = slice(6 * b, 6 * b + 6), y[13 * b + 10 : 13 * b + 13]
        more = np.concatenate([np.zeros(3), 0.5 * np.cross(W, d[s][3:])])
        np.testing.assert_allclose(u[s], 0.7 * d[s] + more + rest[s], atol=1e-14)
        np.testing.assert_allclose(
            z[13 * b + 7 : 13 * b + 13] - y[13 * b + 7 : 13 * b + 13], 0.7 * d[s] + more, atol=1e-14
        )
    z, rate = y.copy(), r.normal(size=39)
    interpreted(coordinates.kick)(bodies, 0.2, rate, z)
    for b in range(N):
        np.testing.assert_allclose((z - y)[13 * b + 7 : 13 * b + 13], 0.2 * rate[13 * b + 7 : 13 * b + 13], atol=1e-15)
    assert np.array_equal(z[:7], y[:7])
    z = y.copy()
    coordinates.moved(bodies, z, d)
    np.testing.assert_allclose(z, moved(y, d), atol=1e-14)
