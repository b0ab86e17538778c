"""States of all bodies inside a step, formulas over past steps, and norms of errors, by SciPy's cubics and sums of
NumPy; coordinates behind ground move as translations of a body do.  Kernels run as plain Python."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.polynomial import Polynomial
from scipy.interpolate import CubicHermiteSpline, KroghInterpolator
from scipy.spatial.transform import Rotation

from holonom._handle import view_S, view_W
from holonom._jit import interpreted
from holonom.elements.bodies import dense, errors, history, increments, layout, lie_group, mass, motion_bounds
from holonom.elements.bodies.tables import body_tables
from holonom.integrators import dense_bounds, differences, dopri5, gstiff, interpolation, radau
from holonom.integrators import runge_kutta as rk

N, TAIL, NX = 2, 3, 2
END, MOVES = 13 * (N + 1) + 2 * TAIL, 6 * (N + 1) + TAIL


def rng(seed):
    return np.random.default_rng(seed)


def tables(n, tail=0):
    r = rng(1)
    minv = np.vstack([np.ones((n, 6)), np.zeros((1, 6)), *[np.ones((1, 6))] * (tail > 0)])
    return body_tables(1 + r.random(n), 1 + r.random((n, 3)), minv, np.zeros(3), np.ones(n + 1, np.uint8), tail=tail)


def state(r, nx=0):
    y = r.normal(size=END + nx)
    for b in range(N):
        y[13 * b + 3 : 13 * b + 7] /= np.linalg.norm(y[13 * b + 3 : 13 * b + 7])
    y[26:39] = 0.0
    y[29] = 1.0
    return y


def moves(r, size=1.0, count=1):
    d = size * r.normal(size=(count, MOVES))
    d[:, 12:18] = 0.0
    return d[0] if count == 1 else d


def turns(y):
    return [Rotation.from_quat(y[13 * b + 3 : 13 * b + 7], scalar_first=True) for b in range(N)]


def with_tables(kernel, S, W, *args):
    """A kernel that takes a handle, as plain Python on the tables that are behind it."""
    plain = interpreted(kernel)
    plain.__globals__.update(view_S=lambda h: h[0], view_W=lambda h: h[1])
    plain((S, W), *args)
    plain.__globals__.update(view_S=view_S, view_W=view_W)


# ---- the tail as a body ----------------------------------------------------------------------------------------------
def as_body(v):
    """A state, displacement or list of rotations of two bodies and a tail as those of three bodies."""
    if v.shape[-1] == END:
        own = np.zeros(13)
        own[3] = 1.0 if v[29] == 1.0 else 0.0
        own[:3], own[7:10] = v[39:42], v[42:45]
        return np.concatenate([v[:26], own, v[26:39]])
    if v.shape[-1] == MOVES:
        out = np.zeros((*v.shape[:-1], 24))
        out[..., :12], out[..., 12:15], out[..., 18:] = v[..., :12], v[..., 18:], v[..., 12:18]
        return out
    return np.concatenate([v, np.zeros(3)]) if v.shape == (3 * N,) else v


def cases():
    r = rng(2)
    y0, y1, P0, P1 = state(r), state(r), state(r), state(r)
    P1[26:39] = 0.0
    a, b, c = moves(r, 0.5), moves(r, 0.5), moves(r)
    turn, slide = 0.3 * r.normal(size=(2, 3 * N))
    X, V = moves(r, 0.4, 3), moves(r, 1.0, 3)
    weights = (0.11, 0.05, 0.13, 0.17)
    new = lambda like: np.full_like(like, 0.25)
    out = {
        "rebase": (increments.rebase_increment, a, b, np.zeros(8)),
        "increment speeds": (increments.add_increment_speeds, a, b, c),
        "correct": (increments.correct_increment, b, a),
        "accelerations": (increments.increment_accelerations, a, b, y0, c, 0 * a),
        "correction": (lie_group.add_step_correction, a, y0, turn, slide, False, 0.7, b),
        "step": (lie_group.step_by_accelerations, y0, a, b, c, 0.3, weights, False, turn, slide, new(y0), b),
        "screw rates": (lie_group.screw_rates, y0, a, 0 * a),
        "cubic": (dense.hermite_bodies, y0, y1, a, b, turn, 0.3, 0.4, new(y0), 0 * a, 0 * y0),
        "stages": (dense.combine_stages, y0, X, V, 0.2, 0.5, -0.4, new(y0)),
        "formula": (history.speeds_by_formula, P0, P1, 3.0, a, True, y0, 0 * a),
        "formula again": (history.speeds_by_formula, P0, P1, 3.0, a, False, y0, 0 * a),
        "response": (mass.add_response, a, b),
    }
    return out


@pytest.mark.parametrize("name", cases())
def test_the_tail_moves_as_a_translation(name):
    kernel, *args = cases()[name]
    mine = [np.array(a) if isinstance(a, np.ndarray) else a for a in args]
    body = [as_body(a) if isinstance(a, np.ndarray) else a for a in args]
    few, more = tables(N, TAIL), tables(N + 1)
    interpreted(kernel)(few, *mine)
    interpreted(kernel)(more, *body)
    for a, b in zip(mine, body):
        if isinstance(a, np.ndarray) and a.shape != (8,):  # which is work
            np.testing.assert_allclose(as_body(a), b, rtol=1e-14, atol=1e-15)
    assert any(not np.array_equal(a, s) for a, s in zip(mine, args) if isinstance(a, np.ndarray))


def test_sizes_and_past_rates_of_the_tail():
    r = rng(3)
    table, d = tables(N, TAIL), 0.1 * moves(r)
    d[19] = -4.0
    assert interpreted(increments.size_of_moves)(table, d, 2.0) == 2.0
    d[20] = math.nan
    assert math.isnan(interpreted(increments.size_of_moves)(table, d, 2.0))
    y, yd, ref, out = state(r), r.normal(size=END), state(r), np.zeros(6)
    interpreted(history.past_rate)(table, 3, np.array([1, 18, 20]), ref, y, yd, out)
    np.testing.assert_array_equal(out, [y[8], y[42], y[44], yd[8], yd[42], yd[44]])


# ---- dense output ----------------------------------------------------------------------------------------------------
def test_cubics_inside_a_step():
    """Positions, velocities and states by SciPy; attitudes by the cubic of rotation vectors that has the angular
    velocities of both ends."""
    r, h = rng(4), 0.3
    table, y0, y1 = tables(N, TAIL), state(r, NX), state(r, NX)
    acc0, acc1, turn, f = moves(r), moves(r), 0.5 * r.normal(size=6), r.normal(size=(2, NX))
    for b, (A, v) in enumerate(zip(turns(y0), turn.reshape(2, 3))):
        y1[13 * b + 3 : 13 * b + 7] = (A * Rotation.from_rotvec(v)).as_quat(scalar_first=True)
    for s in (0.0, 0.3, 0.8, 1.0):
        y, acc, yd = y0.copy(), np.zeros(MOVES), np.zeros(END + NX)
        interpreted(interpolation.hermite)(table, NX, (y0, y1), (acc0, acc1), turn, tuple(f), h, s, y, acc, yd)
        cubic = lambda p, v, p1, v1, s=s: CubicHermiteSpline([0.0, h], [p, p1], [v, v1])(s * h)
        np.testing.assert_allclose(acc, (1 - s) * acc0 + s * acc1, atol=1e-15)
        for b, A in enumerate(turns(y0)):
            o, k = 13 * b, 6 * b
            place, speed = slice(o, o + 3), slice(o + 7, o + 13)
            at = cubic(y0[place], y0[o + 7 : o + 10], y1[place], y1[o + 7 : o + 10])
            np.testing.assert_allclose(y[place], at, atol=1e-14)
            at = cubic(y0[speed], acc0[k : k + 6], y1[speed], acc1[k : k + 6])
            np.testing.assert_allclose(y[speed], at, atol=1e-14)
            # the rate of the rotation vector at the end, by a difference of turns that the angular velocity adds
            v, W, e = turn[3 * b : 3 * b + 3], y1[o + 10 : o + 13], 1e-4
            after = [(Rotation.from_rotvec(v) * Rotation.from_rotvec(x * e * W)).as_rotvec() for x in (-2, -1, 1, 2)]
            rate = (after[0] - 8 * after[1] + 8 * after[2] - after[3]) / (12 * e)
            vector = cubic(np.zeros(3), y0[o + 10 : o + 13], v, rate)
            np.testing.assert_allclose(
                (turns(y)[b].inv() * A * Rotation.from_rotvec(vector)).magnitude(), 0, atol=1e-10
            )
            np.testing.assert_allclose(yd[o + 7 : o + 13], acc[k : k + 6])
            np.testing.assert_allclose(yd[place], y[o + 7 : o + 10])
        np.testing.assert_array_equal(y[26:39], y1[26:39])
        np.testing.assert_allclose(y[39:42], cubic(y0[39:42], y0[42:45], y1[39:42], y1[42:45]), atol=1e-14)
        np.testing.assert_allclose(y[42:45], cubic(y0[42:45], acc0[18:], y1[42:45], acc1[18:]), atol=1e-14)
        np.testing.assert_allclose(y[45:], cubic(y0[45:], f[0], y1[45:], f[1]), atol=1e-14)
        np.testing.assert_allclose(yd[45:], (1 - s) * f[0] + s * f[1])


def test_stages_inside_a_step():
    r, l = rng(5), np.array([0.2, 0.5, -0.4])
    table, y0 = tables(N, TAIL), state(r)
    X, V, y = moves(r, 0.4, 3), moves(r, 1.0, 3), state(r)
    interpreted(dense.combine_stages)(table, y0, X, V, *l, y)
    d, u = l @ X, l @ V
    for b, A in enumerate(turns(y0)):
        o, k = 13 * b, 6 * b
        np.testing.assert_allclose(y[o : o + 3], y0[o : o + 3] + d[k : k + 3], atol=1e-15)
        want = (A * Rotation.from_rotvec(d[k + 3 : k + 6])).as_matrix()
        np.testing.assert_allclose(turns(y)[b].as_matrix(), want, atol=1e-14)
        np.testing.assert_allclose(y[o + 7 : o + 13], y0[o + 7 : o + 13] + u[k : k + 6], atol=1e-15)
    np.testing.assert_allclose(y[39:], y0[39:] + np.r_[d[18:], u[18:]], atol=1e-15)


def test_velocities_by_a_formula_over_past_steps():
    """q' = P1 + a (q - P0): translations as they are, angular velocities from the vector part of 2 conj(q) q'."""
    r, a = rng(6), 3.0
    table, y0, P0, P1 = tables(N, TAIL), state(r), state(r), state(r)
    d, acc = moves(r), np.zeros(MOVES)
    for first in (True, False):
        y = y0.copy()
        if not first:  # velocities differ from the formula by less than roundoff of positions, or by more
            interpreted(history.speeds_by_formula)(table, P0, P1, a, d, True, y, acc)
            y[7] += 4e-16 * a * np.abs(y[:3]).sum()
            y[23] += 2e-15 * a
            y[8] += 1e-6
            y[24] += 1e-6
            y[42] += 4e-16 * a * abs(y[39])
            y[43] += 1e-6
        carried = y.copy()
        interpreted(history.speeds_by_formula)(table, P0, P1, a, d, first, y, acc)
        rate = P1 + a * (y0 - P0)
        want = y0.copy()
        for b in range(N):
            o, k = 13 * b, 6 * b
            want[o + 7 : o + 10] = rate[o : o + 3] - d[k : k + 3]
            q, s = y0[o + 3 : o + 7], rate[o + 3 : o + 7]
            want[o + 10 : o + 13] = 2 * (q[0] * s[1:] - s[0] * q[1:] - np.cross(q[1:], s[1:])) - d[k + 3 : k + 6]
        want[42:] = rate[39:42] - d[18:]
        np.testing.assert_allclose(y, want, atol=1e-13)
        for b in range(N):
            o = 13 * b + 7
            change = P1[o : o + 6] + a * (y[o : o + 6] - P0[o : o + 6])
            np.testing.assert_allclose(acc[6 * b : 6 * b + 6], change, atol=1e-14)
        np.testing.assert_allclose(acc[18:], P1[42:] + a * (y[42:] - P0[42:]), atol=1e-14)
        if not first:
            kept = y == carried
            assert kept[[7, 23, 42]].all() and not kept[[8, 24, 43]].any()


# ---- dense output of the integrators ---------------------------------------------------------------------------------
def test_sums_of_stages():
    """Of weights some of which are zero, four at a time."""
    r = rng(9)
    K, x = r.normal(size=(16, 5)), r.normal(size=5)
    for n in (0, 1, 3, 4, 7, 12):
        for gaps in (0.0, 0.5, 1.0):
            w, out = r.normal(size=16) * (r.random(16) >= gaps), np.full(5, np.nan)
            interpreted(rk.combine)(out, 0.7, x, K, w, n, 0.3)
            np.testing.assert_allclose(out, 0.7 * x + 0.3 * w[:n] @ K[:n], atol=1e-14)


def interpolant(T, x, ny):
    out = np.full(ny, np.nan)
    interpreted(rk.interpolate)(T, x, out)
    return out


@pytest.fixture
def whole(monkeypatch):
    """States of all bodies: none is minimal."""
    monkeypatch.setitem(interpreted(rk.prepare_dense).__globals__, "is_minimal", lambda M: False)
    monkeypatch.setitem(interpreted(rk.prepare_dense).__globals__, "length", lambda M, ny: ny)


def test_dense_output_of_explicit_methods(whole):
    """A cubic of Hermite, in time or in its root from an event on or towards one; what the upper coefficients add is
    zero at both ends, and has the slopes' bounds."""
    r, h, n = rng(10), 0.3, 2
    T = rk.make_stages(4, 3)
    tableau = rk.make_tableau(2, [[], [1]], [0.5, 0.5], [0, 1], D=[[0.3, -0.2], [0.1, 0.4], [0.0, 0.5], [-0.7]])
    P = tableau._asdict() | {"T": T, "M": None}
    for warp, t in ((0.0, 1.3), (1.0, 1.3), (-1.0, 1.3)):
        event = 1.2 if warp > 0 else 1.7
        T.warp[:] = warp, event
        T.K[:] = r.normal(size=T.K.shape)
        T.yold[:], y, rates = r.normal(size=4), r.normal(size=4), T.K[n].copy()
        root = lambda t, warp=warp, event=event: warp * math.sqrt(warp * (t - event)) if warp else t
        s0, s1 = root(t), root(t + h)
        assert interpreted(rk.span_of)(T, t, h) == pytest.approx((s0, s1 - s0))
        start = T.K[0].copy()  # by the variable of the step already; that of the end is by time
        end = rates * (2 * abs(s1) if warp else 1.0)
        cubic = CubicHermiteSpline([s0, s1], [T.yold, y], [start, end])
        for D in (np.zeros((4, 16)), tableau.D):
            interpreted(rk.prepare_dense)(None, None, SimpleNamespace(**(P | {"D": D})), y, t, h, 1e-8)
            np.testing.assert_array_equal(T.K[n], rates)
            T.K[n] = end
            upper = (s1 - s0) * D[:, :3] @ T.K[:3]
            T.K[n] = rates
            for x in (0.0, 0.2, 0.7, 1.0):
                z = x * (1 - x)
                more = upper.T @ [z * z, z * z * x, z**3, z**3 * x]
                np.testing.assert_allclose(interpolant(T, x, 4), cubic(s0 + x * (s1 - s0)) + more, atol=1e-13)
    x = np.linspace(0, 1, 20001)
    found, phi = dense_bounds.dense_slopes(), x.copy()
    assert len(found) == len(T.dense) == 7
    for k in range(7):
        assert np.abs(np.gradient(phi, x)).max() == pytest.approx(found[k], rel=2e-4)
        phi = phi * ((1 - x) if k % 2 == 0 else x)


def test_further_stages_of_an_interpolant(whole, monkeypatch):
    """Each is built on the rates of those before it, the end's among them, and adds to the upper coefficients."""
    r, h, t, n = rng(13), 0.3, 1.3, 2
    T, seen = rk.make_stages(4, 3), []

    def stage_rate(S, W, P, s, x, out, eps):
        seen.append((s, x.copy()))
        out[:] = 2.0 * x - s

    monkeypatch.setitem(interpreted(rk.prepare_dense).__globals__, "stage_rate", stage_rate)
    AX, CX, D = r.normal(size=(2, 4)), [0.25, 0.7], r.normal(size=(4, 5))
    AX[0, 3] = 0.0
    tableau = rk.make_tableau(2, [[], [1]], [0.5, 0.5], [0, 1], AX=AX, CX=CX, D=D)
    T.K[:3], T.yold[:], y = r.normal(size=(3, 4)), r.normal(size=4), r.normal(size=4)
    T.K[3:] = 1e9  # of earlier steps
    interpreted(rk.prepare_dense)(None, None, SimpleNamespace(**tableau._asdict(), T=T, M=None), y, t, h, 1e-8)
    K = list(T.K[: n + 1])
    for k in range(2):
        s, x = seen[k]
        want = T.yold + h * AX[k, : n + 1 + k] @ np.array(K)
        assert s == pytest.approx(t + CX[k] * h)
        np.testing.assert_allclose(x, want, atol=1e-13)
        K.append(2.0 * want - s)
    np.testing.assert_allclose(T.dense[3:], h * D @ np.array(K), atol=1e-12)


def test_dense_output_of_dormand_and_prince(whole):
    """Of y' = f(t) it is the quadrature of fourth order: exact for a cubic f, and its stages are the table's."""
    T, P = rk.make_stages(1, 3), dopri5.DOPRI5.tableau
    f = Polynomial([0.3, -1.2, 0.7, 2.1])
    h, F = 0.4, f.integ()
    for s in range(P.stages):
        T.K[s] = f(P.C[s] * h)
    T.K[P.stages] = f(h)
    y, T.yold[:] = np.array([F(h)]), F(0)
    assert h * P.B[:6] @ T.K[:6, 0] == pytest.approx(F(h), rel=1e-14)
    interpreted(rk.prepare_dense)(None, None, SimpleNamespace(**P._asdict(), T=T, M=None), y, 0.0, h, 1e-8)
    for x in (0.1, 0.5, 0.8):
        assert interpolant(T, x, 1)[0] == pytest.approx(F(x * h), rel=1e-13)


def finished(table, y, rate, out, acc, yd):
    """Quaternions of unit length, accelerations from the rates of velocities, rates that fit."""
    want = y.copy()
    for b in range(N):
        want[13 * b + 3 : 13 * b + 7] /= np.linalg.norm(want[13 * b + 3 : 13 * b + 7])
    np.testing.assert_allclose(out, want, atol=1e-13)
    np.testing.assert_allclose(acc, np.r_[rate[7:13], rate[20:26], rate[33:39], rate[42:45]], atol=1e-11)
    np.testing.assert_allclose(yd[[*range(3), *range(7, 13)]], [*want[7:10], *rate[7:13]], atol=1e-11)
    np.testing.assert_allclose(yd[39:45], [*want[42:45], *rate[42:45]], atol=1e-11)


@pytest.mark.parametrize("k", [1, 2, 5])
def test_dense_output_of_multistep_methods(k):
    """A polynomial of degree k through every number of the state: by its scaled derivatives (Nordsieck), and by its
    values at past times, uneven ones (modified divided differences)."""
    r, table, h, back = rng(11), tables(N, TAIL), 0.3, -0.12
    p = [Polynomial(c) for c in r.normal(size=(END, k + 1))]
    y, rate = (np.array([q.deriv(d)(back) if d else q(back) for q in p]) for d in (0, 1))
    Z = np.zeros((8, END))
    for j in range(k + 1):
        Z[j] = [h**j * (q.deriv(j) if j else q)(0.0) / math.factorial(j) for q in p]
    out, acc, yd = np.zeros(END), np.zeros(MOVES), np.zeros(END)
    H = SimpleNamespace(Z=Z, bodies=table)
    with_tables(gstiff.evaluate_history, H, None, k, h, back / h, out, acc, yd)
    finished(table, y, rate, out, acc, yd)
    times = -np.cumsum([0.0, 0.2, 0.35, 0.1, 0.25, 0.3])[: k + 1]
    values = np.array([[q(t) for q in p] for t in times])
    np.testing.assert_allclose(KroghInterpolator(times, values)(back), y, atol=1e-10)
    table_of = values.copy()  # divided differences over the newest times
    Z, psi = np.zeros((9, END)), np.zeros(10)
    psi[1 : k + 1] = -times[1:]
    for j in range(k + 1):
        Z[j] = table_of[0] * np.prod(psi[1 : j + 1])
        table_of = (table_of[:-1] - table_of[1:]) / (times[: k - j] - times[j + 1 :])[:, None] if j < k else table_of
    H = SimpleNamespace(Z=Z, psi=psi, bodies=table)
    with_tables(differences.evaluate_history, H, None, k, back, out, acc, yd)
    finished(table, y, rate, out, acc, yd)


def test_dense_output_of_radau():
    """The polynomials through the start and three stages, and through the stages alone for multipliers."""
    r, h, c = rng(12), 0.3, np.array([(4 - math.sqrt(6)) / 10, (4 + math.sqrt(6)) / 10, 1.0])
    table, y0, y, acc, yd = tables(N, TAIL), state(r, NX), state(r, NX), np.zeros(MOVES), np.zeros(END + NX)
    X, V, Z = moves(r, 0.3, 3), moves(r, 1.0, 3), r.normal(size=(3, NX))
    for x in (0.0, 0.15, 0.8, 1.3):
        whole = lambda stages, d=0, x=x: KroghInterpolator([0, *c], np.vstack([0 * stages[0], stages])).derivatives(x)[
            d
        ]
        Q = SimpleNamespace(yold=y0, HX=X, HV=V, HZ=Z)
        interpreted(radau.collocation)(table, NX, Q, h, x, y, acc, yd)
        np.testing.assert_allclose(y[:3], y0[:3] + whole(X)[:3], atol=1e-13)
        np.testing.assert_allclose(y[20:26], y0[20:26] + whole(V)[6:12], atol=1e-13)
        np.testing.assert_allclose(y[39:45], y0[39:45] + np.r_[whole(X)[18:], whole(V)[18:]], atol=1e-13)
        np.testing.assert_allclose(y[45:], y0[45:] + whole(Z), atol=1e-13)
        np.testing.assert_allclose(acc, whole(V, 1) / h, atol=1e-12)
        np.testing.assert_allclose(yd[45:], whole(Z, 1) / h, atol=1e-12)
        np.testing.assert_allclose(yd[7:13], acc[:6], atol=1e-14)
        lam = KroghInterpolator(c, np.eye(3))(x)
        np.testing.assert_allclose(interpreted(radau._multiplier_weights)(x), lam, atol=1e-13)


# ---- norms -----------------------------------------------------------------------------------------------------------
def grouped(table, y, first=None):
    """Largest coordinate, velocity, angular velocity of each body and of the tail."""
    own = y[:26].reshape(2, 13)
    place = own[:, :3] if first is None else own[:, :3] - first
    return [np.abs(x).max(1) for x in (place, own[:, 7:10], own[:, 10:])]


def some_weights(r, each):
    w = errors.make_weights(tables(N, TAIL), NX, np.zeros, np.ones)
    w.floor[:4] = 0.1, 0.3, 0.2, 0.4
    w.floor[5:9], w.floor[9], w.floor[11] = r.uniform(1e-3, 5e-3, 4), 0.05, each
    w.first[:] = r.normal(size=(N, 3))
    w.x[:] = 0.3, 0.0
    return w


@pytest.mark.parametrize("each", [0.0, 1.0])
@pytest.mark.parametrize("largest", [0, 39, 42])
def test_weights(each, largest):
    """1/(tolerance (size + floor)): over all bodies and the tail, or of each body, measured from where it began."""
    r, table = rng(7), tables(N, TAIL)
    y, w = state(r, NX), some_weights(r, each)
    y[largest] = -5.0
    interpreted(errors.weigh)(table, y, w)
    place, speed, spin = grouped(table, y)
    sizes = max(*place, *np.abs(y[39:42])), max(*speed, *np.abs(y[42:45])), max(spin)
    tol, floor = w.floor[5:9], w.floor[:4]
    group = 1 / (tol * (np.array([sizes[0], 1.0, sizes[1], sizes[2]]) + floor))
    own = np.tile(group, (N, 1))
    if each:
        place, speed, spin = grouped(table, y, w.first)
        for k, size in ((0, place), (2, speed), (3, spin)):
            own[:, k] = 1 / (tol[k] * (size + floor[k]))
        group[2:] = own[:, 2:].max(0)
    np.testing.assert_allclose(w.body, own, rtol=1e-14)
    np.testing.assert_allclose(w.group, group, rtol=1e-14)
    np.testing.assert_allclose(w.x, np.maximum([0.3, 0.0], np.abs(y[45:]) + 0.05))
    scales = errors.StateScales(floor, r.random(5) + 0.5, np.array([0.3, 0.0]), np.array([0.7]), np.zeros(4))
    out = np.full(END + NX, np.nan)
    with_tables(errors.weigh_state, table, scales, y, 1e-3, out)
    g = 1 / (1e-3 * scales.factor[:4] * (np.array([sizes[0], 1.0, sizes[1], sizes[2]]) + floor))
    want = np.tile([*[g[0]] * 3, *[2 * g[1]] * 4, *[g[2]] * 3, *[g[3]] * 3], (3, 1))
    want[2] = 0.0
    states = 1 / (1e-3 * scales.factor[4] * (np.maximum([0.3, 0.0], np.abs(y[45:])) + 0.7))
    np.testing.assert_allclose(out, np.r_[want.ravel(), [g[0]] * 3, [g[2]] * 3, states], rtol=1e-14)
    assert errors.tell_fast(table, out) == 2 * (12 + TAIL) and out.sum() == 12 + TAIL + NX
    assert (out[[7, 12, 20, 25]] == 1.0).all() and (out[42:] == 1.0).all()
    assert interpreted(errors.components)(table) == 12 + TAIL


def test_norms():
    """Sums of squares of errors times weights; the largest share, and whose it is: -2 and less in the tail."""
    r, table = rng(8), tables(N, TAIL)
    w = some_weights(r, 1.0)
    w.group[:], w.body[:] = r.uniform(0.5, 2, 4), r.uniform(0.5, 2, (N, 4))
    norm = lambda name, *args: interpreted(getattr(errors, name))(table, *args)
    for largest in (1, 9, 18, 19):
        d, u = moves(r), moves(r)
        d[largest], u[largest] = 9.0, 9.0
        bodies_of = lambda x: x[:12].reshape(2, 2, 3)
        where = largest // 6 if largest < 12 else -2 - (largest - 18)
        for g in (0, 2):
            for speed in (0.0, 0.7):
                square = w.body[:, [g, g + 1]] ** 2 + speed**2 * w.body[:, [2, 3]] ** 2
                own = (square[:, :, None] * bodies_of(d) ** 2).sum((1, 2))
                tail = (w.group[g] ** 2 + speed**2 * w.group[2] ** 2) * d[18:] ** 2
                at = np.r_[np.ones(4), d]
                found = norm("norm_of_moves", w, at, 4, g, speed, 0.3, 0.1)
                assert found == pytest.approx((0.3 + own.sum() + tail.sum(), max(*own, *tail), where))
        v = r.normal(size=END)
        v[largest if largest < 6 else 0] = 9.0
        for velocities in (False, True):
            body = w.body[:, [0, 1]] ** 2
            own = (body[:, :, None] * bodies_of(d) ** 2).sum((1, 2))
            tail = (w.group[0] * d[18:]) ** 2
            same = (w.group[:2, None] ** 2 * bodies_of(d) ** 2).sum((1, 2))
            places = v[:26].reshape(2, 13)
            share = w.body[:, 0] ** 2 * (places[:, :3] ** 2).sum(1)
            share += 4 * w.body[:, 1] ** 2 * (places[:, 3:7] ** 2).sum(1)
            end = (w.group[0] * v[39:42]) ** 2
            alike = tail.copy()
            if velocities:
                own += (w.body[:, 2:, None] ** 2 * bodies_of(u) ** 2).sum((1, 2))
                tail += (w.group[2] * u[18:]) ** 2
                same += (w.group[2:, None] ** 2 * bodies_of(u) ** 2).sum((1, 2))
                alike = tail
                share += w.body[:, 2] ** 2 * (places[:, 7:10] ** 2).sum(1)
                share += w.body[:, 3] ** 2 * (places[:, 10:] ** 2).sum(1)
                end += (w.group[2] * v[42:45]) ** 2
            found = norm("norm_of_errors", w, d, u, velocities, 0.3, 0.1)
            assert found == pytest.approx((0.3 + own.sum() + tail.sum(), max(*own, *tail)))
            found = norm("norm_by_groups", w.group, d, u, velocities, 0.3, 0.1)
            assert found == pytest.approx((0.3 + same.sum() + alike.sum(), max(*same, *alike), where))
            found = norm("norm_of_state", w, v, velocities, 0.3, 0.1)
            assert found == pytest.approx((0.3 + share.sum() + end.sum(), max(*share, *end)))
    for name, args in (("norm_of_moves", (w, d, 0, 0, 0.0)), ("norm_by_groups", (w.group, d, u, True))):
        assert norm(name, *args, 0.0, 1e9)[2] == -1
        x = d.copy()
        x[4] = math.nan
        args = tuple(x if a is d else a for a in args)
        assert norm(name, *args, 0.0, 0.0)[2] != -1
    mean = interpreted(errors.mean_of)
    assert mean(8.0, 3.0, 2, w) == math.sqrt(3.0)
    w.floor[11] = 0.0
    assert mean(8.0, 3.0, 2, w) == 2.0 and mean(8.0, 3.0, 0, w) == math.sqrt(8.0)
    assert layout.unknowns(N, TAIL) == MOVES


def test_bounds_from_states_along_a_step():
    """The largest changes of velocities from state to state, bit by bit as NumPy has them; a number that is none bounds
    nothing."""
    r, h, scale = rng(17), 0.3, 26.0
    bodies = tables(N)
    y = r.normal(size=(5, 13 * (N + 1)))
    y[2:, 7:10] *= 3.0
    out = np.full((N + 1, motion_bounds.BOUNDS), np.nan)
    interpreted(motion_bounds.bound_changes)(bodies, y, y[-1], h, scale, out)
    v = y.reshape(5, N + 1, 13)[:, :N, 7:]
    change = np.abs(np.diff(v, axis=0))
    travel = np.sqrt((change[:, :, :3] ** 2).sum(axis=2).max(axis=0)) * scale
    np.testing.assert_array_equal(out[:N, motion_bounds.ACCELERATION], travel)
    np.testing.assert_array_equal(out[:N, 5:8], change[:, :, 3:].max(axis=0) * scale)
    np.testing.assert_allclose(out[:N, 0], np.linalg.norm(y[-1].reshape(-1, 13)[:N, 7:10], axis=1) + h * travel)
    np.testing.assert_array_equal(out[N], 0.0)
    for place in (13 + 8, 13 + 11):
        z = y.copy()
        z[1, place] = np.nan
        interpreted(motion_bounds.bound_changes)(bodies, z, z[-1], h, scale, out)
        assert np.isinf(out[1, :8]).any() and np.isfinite(out[0]).all()
