"""Rows of every joint in random states off the constraint: values by rotation matrices; gradient, second derivative,
stiffness and cotangents against finite differences.  Kernels run as plain Python: nothing is compiled."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from holonom import Model
from holonom._jit import interpreted
from holonom.elements import jets
from holonom.elements.bodies.rigid import move
from holonom.elements.frames import make_displaced
from holonom.elements.joints import JOINTS, curves, rows
from holonom.elements.joints.jets import pull_rows
from holonom.elements.joints.stiffness import add_row_stiffness
from holonom.integrators.entry import CONSTRAINTS, enter, explicit_handle
from holonom.system.build import System
from holonom.system.kernels import evaluate_frames

MORE = {"SCREW": {"pitch": 0.3}, "RACKPIN": {"pd": 0.4}}
PRIMITIVES = ("ATPOINT", "INLINE", "INPLANE", "ORIENTATION", "PARALLEL_AXES", "PERPENDICULAR")


def bodies(r):
    m = Model("rows")
    parts = [m.part(f"p{k}", 1.0, (1.0, 1.2, 1.4), position=r.normal(size=3), euler=r.normal(size=3)) for k in range(2)]
    return m, parts


def markers(m, parts, r):
    return [m.marker(p, at=r.normal(size=3), euler=r.normal(size=3)) for p in parts]


def joint(kind, r):
    m, parts = bodies(r)
    i, j = markers(m, parts, r)
    if kind in PRIMITIVES:
        m.primitive(kind, i, j)
    else:
        m.joint(kind, i, j, **MORE.get(kind, {}))
    return m


def motion(component, r):
    m, parts = bodies(r)
    i, j = markers(m, parts, r)
    m.motion(None, "0.3 + 0.2*TIME + SIN(TIME)", i=i, j=j, component=component)
    return m


def coupled(r):
    m, (a, b) = bodies(r)
    i, j = markers(m, (a, b), r)
    k, g = m.marker(a, at=r.normal(size=3)), m.marker(m.ground)
    m.coupler([m.cylindrical(i, j), m.revolute(k, g)], [0.7, -0.4], ["T", "R"])
    return m


def general(r):
    m, parts = bodies(r)
    i, j = markers(m, parts, r)
    m.constraint(f"DX({i.id},{j.id},{j.id})*DM({i.id},{j.id}) - SIN(AZ({i.id},{j.id})) - 0.2*TIME**2", i=i)
    return m


def ring(a, b, n=81):
    t = np.linspace(0, 2 * np.pi, n)
    p = np.stack([a * np.cos(t), b * np.sin(t), 0 * t], 1)
    p[-1] = p[0]
    return p


def on_curve(r):
    """On a ring that leaves its plane."""
    m, parts = bodies(r)
    points = ring(1.0, 0.7)
    points[:, 2] = 0.3 * np.sin(np.linspace(0, 4 * np.pi, len(points)))
    points[-1] = points[0]
    curve = m.curve(points, closed=True, order=6)
    rm = m.marker(parts[1], at=r.normal(size=3), euler=r.normal(size=3))
    frame = m.body_of(rm).frame @ rm.frame
    m.point_on_curve(m.marker_at(parts[0], frame.origin + frame.axes @ [1.0, 0.0, 0.0]), rm, curve)
    return m


def curve_pair(r, tilt=0.4):
    """Two ellipses that touch, the second leaning about the common tangent."""
    m, parts = bodies(r)
    ci, cj = (m.curve(ring(a, b), closed=True, order=6) for a, b in ((0.8, 0.5), (1.3, 0.9)))
    jrm = m.marker(parts[1], at=r.normal(size=3), euler=r.normal(size=3))
    J = m.body_of(jrm).frame @ jrm.frame
    p = lambda u, a, b: (np.array([a * np.cos(u), b * np.sin(u), 0]), np.array([-a * np.sin(u), b * np.cos(u), 0]))
    pj, tj = p(0.7, 1.3, 0.9)
    pi, ti = p(2.0, 0.8, 0.5)
    tj, ti = tj / np.linalg.norm(tj), ti / np.linalg.norm(ti)
    z = np.array([0, 0, 1.0])
    nj, ni = np.cross(z, tj), np.cross(z, ti)
    tw = -tj
    nw = -nj * math.cos(tilt) + z * math.sin(tilt)
    A = J.axes @ np.stack([tw, nw, np.cross(tw, nw)], 1) @ np.stack([ti, ni, z], 1).T
    irm = m.marker_at(parts[0], J.origin + J.axes @ pj - A @ pi, axes=A)
    m.curve_on_curve(irm, ci, jrm, cj, i_ic=tuple(pi), j_ic=tuple(pj))
    return m


MODELS = {k: (lambda r, k=k: joint(k, r)) for k in (*JOINTS, *(p for p in PRIMITIVES if p not in JOINTS))}
MODELS |= {f"motion {c}": (lambda r, c=c: motion(c, r)) for c in ("X", "Y", "Z", "B1", "B2", "B3")}
MODELS |= {"coupler": coupled, "GCON": general, "PTCV": on_curve, "CVCV": curve_pair}


def evaluate(s, t, y):
    S, W = s.S, s.W
    if W.rw.motion.size:  # f, f', f'' of the function of `motion`
        W.rw.motion[0] = 0.3 + 0.2 * t + math.sin(t), 0.2 + math.cos(t), -math.sin(t)
    interpreted(evaluate_frames)(S, W, y)
    interpreted(rows.evaluate_rows)(S.rows, W.rw, S.fr, W.R)
    if len(S.rows.cr) or len(S.rows.vr):
        for kernel in (curves.evaluate_curve_rows, curves.evaluate_curve_pairs):
            interpreted(kernel)(S.rows, W.rw, S.curves, S.fr, W.R)
    if (S.rows.kind == rows.FUNCTION).any():  # general constraints, by the compiled kernel
        enter(explicit_handle(s), CONSTRAINTS, y, t, 0.0, 1e-8, 0, s.workspace.equations.stages.d)
    G = np.zeros((s.m, 12))
    for q, (row, body) in enumerate(zip(s.slot_row[:-1], s.slot_body[:-1])):
        if body < 2:
            G[row, 6 * body : 6 * body + 6] += W.rw.G[q]
    return W.rw.phi.copy(), G, W.rw.phit.copy(), W.rw.gamma.copy()


def moved_state(y, d):
    z, full = y.copy(), np.zeros(18)
    full[:12] = d
    interpreted(move)(2, z, full)
    return z


def put_speeds(y, u):
    for b in range(2):
        y[13 * b + 7 : 13 * b + 13] = u[6 * b : 6 * b + 6]


def on_the_other_branch(s, t, y):
    """The second angle of B2 past 90 degrees: 180 degrees less the first."""
    evaluate(s, t, y)
    s.W.rw.angle_ref[:, 0] = np.pi - s.W.rw.angle
    evaluate(s, t, y)


def in_a_random_state(name, r):
    """System and moving state; angles of the last accepted step are those of this state."""
    name, far = name.removesuffix(" far"), name.endswith(" far")
    s = System(MODELS[name](r))
    y = s.y0.copy()
    u = r.normal(size=12)
    if name in ("PTCV", "CVCV"):  # their second derivatives hold on the constraint
        phi, G, _, _ = evaluate(s, 0.3, y)
        assert np.abs(phi).max() < 1e-6
        u -= np.linalg.pinv(G) @ (G @ u)
    put_speeds(y, u)
    if far:
        on_the_other_branch(s, 0.3, y)
    evaluate(s, 0.3, y)
    s.W.rw.angle_ref[:, 0] = s.W.rw.angle
    return s, y, u


@pytest.mark.parametrize("name", [*MODELS, "motion B2 far"])
def test_gradient_and_gamma(name):
    s, y, u = in_a_random_state(name, np.random.default_rng(7))
    t, h = 0.3, 1e-5
    moved = lambda d, dt=0.0: evaluate(s, t + dt, moved_state(y, d))
    phi, G, phit, gamma = evaluate(s, t, y)
    D = np.array([(moved(d)[0] - moved(-d)[0]) / (2 * h) for d in h * np.eye(12)]).T
    np.testing.assert_allclose(G, D, atol=2e-7 * max(1, np.abs(G).max()))
    rate = lambda dt: (lambda v: v[1] @ u + v[2])(moved(dt * u, dt))
    np.testing.assert_allclose((moved(h * u, h)[0] - moved(-h * u, -h)[0]) / (2 * h), G @ u + phit, atol=1e-7)
    np.testing.assert_allclose(gamma, -(rate(h) - rate(-h)) / (2 * h), atol=2e-6 * max(1, np.abs(gamma).max()))
    z, lam, out, F = r_normal(18), r_normal(s.m), np.full(s.m, np.nan), np.ones(18)
    interpreted(rows.multiply_G)(s.S.rows, s.W.rw.G, z, out)
    interpreted(rows.add_GT)(s.S.rows, s.W.rw.G, lam, F, -0.7)
    whole = np.zeros((s.m, 18))
    for q, (row, body) in enumerate(zip(s.slot_row[:-1], s.slot_body[:-1])):
        whole[row, 6 * body : 6 * body + 6] += s.W.rw.G[q]
    np.testing.assert_allclose(out, whole @ z, atol=1e-13)
    np.testing.assert_allclose(F[:12], 1.0 - 0.7 * (whole.T @ lam)[:12], atol=1e-13)


def test_gradient_of_curves_that_do_not_touch():
    """Off the constraint too the rows of two curves have exact gradients: Newton's method needs them there."""
    s, y, _ = in_a_random_state("CVCV", np.random.default_rng(7))
    y = moved_state(y, 0.03 * r_normal(12))
    G, h = evaluate(s, 0.3, y)[1], 1e-5
    at = lambda d: evaluate(s, 0.3, moved_state(y, d))[0]
    D = np.array([(at(d) - at(-d)) / (2 * h) for d in h * np.eye(12)]).T
    np.testing.assert_allclose(G, D, atol=2e-7 * np.abs(G).max())


def r_normal(n):
    return np.random.default_rng(n).normal(size=n)


def frames_of(s, y):
    """Origins and axes of all frames, by SciPy."""
    fr, turns = s.S.fr, [Rotation.from_quat(y[13 * b + 3 : 13 * b + 7], scalar_first=True) for b in range(2)]
    turns.append(Rotation.identity())
    centres = [*y[:26].reshape(2, 13)[:, :3], np.zeros(3)]
    p = np.array([centres[b] + turns[b].apply(x) for b, x in zip(fr.body, fr.sb)])
    return p, np.array([turns[b].as_matrix() @ A.reshape(3, 3) for b, A in zip(fr.body, fr.Ab)])


@pytest.mark.parametrize("name", [n for n in [*MODELS, "motion B2 far"] if n not in ("GCON", "PTCV", "CVCV")])
def test_values(name):
    """The equations of the table in `rows`, by matrices; functions of time in each of their levels."""
    s, y, _ = in_a_random_state(name, np.random.default_rng(8))
    R, rw = s.S.rows, s.W.rw
    p, A = frames_of(s, y)
    phi, G, phit, gamma = evaluate(s, 0.3, y)
    turned = {
        rows.ANGLE: lambda i, j: math.atan2(A[i][:, 0] @ A[j][:, 1], A[i][:, 0] @ A[j][:, 0]),
        rows.DISTANCE: lambda i, j: (p[i] - p[j]) @ A[j][:, 2],
        rows.ELEVATION: lambda i, j: math.asin(A[j][:, 0] @ A[i][:, 2]),
    }
    terms = np.array([turned[k](i, j) for k, i, j in zip(R.tk, R.ti, R.tj)])
    if name.endswith("far"):
        terms = np.pi - terms
    np.testing.assert_allclose(rw.angle, terms, atol=1e-12)
    equations = {
        rows.POINT: lambda i, j, a, b: (p[i] - p[j])[a],
        rows.DOT1: lambda i, j, a, b: A[i][:, a] @ A[j][:, b],
        rows.DOT2: lambda i, j, a, b: (p[i] - p[j]) @ A[j][:, b],
        rows.TWIST: lambda i, j, a, b: A[i][:, 0] @ A[j][:, 1] - A[i][:, 1] @ A[j][:, 0],
    }
    for r in range(s.m):
        if R.kind[r] == rows.SUM:
            want = R.ts[R.tr == r] @ terms[R.tr == r]
        else:
            want = equations[R.kind[r]](R.fi[r], R.fj[r], R.a[r], R.b[r])
        f = rw.motion[R.motion[r]].copy() if R.motion[r] >= 0 else np.zeros(3)
        assert phi[r] == pytest.approx(want - f[0], abs=1e-12) and phit[r] == -f[1]
        if R.motion[r] >= 0:  # the function is the velocity, then the acceleration
            for level, free, push in ((1, -f[0], f[1]), (2, 0.0, f[0])):
                R.level[r] = level
                other = evaluate(s, 0.3, y)
                assert other[0][r] == 0.0 and other[2][r] == free
                assert other[3][r] == pytest.approx(gamma[r] - f[2] + push, abs=1e-12)
    if len(R.tk) and not name.endswith("far"):  # an angle of several turns is the one nearest to where it is expected
        turning = R.tk != rows.DISTANCE
        rw.angle_ref[turning, 0] = terms[turning] + 2.5
        rw.angle_ref[turning, 1], rw.clock[:] = 4.0, (0.1, 0.0)
        evaluate(s, 0.1 + np.pi, y)
        rw.clock[rows.PRESENT] = 0.1 + np.pi
        evaluate(s, 0.3, y)
        want = terms + 2 * np.pi * np.round((2.5 + 4.0 * np.pi) / (2 * np.pi)) * turning
        if R.tk[0] == rows.ELEVATION:  # the nearer of both branches
            want = 5 * np.pi - terms if abs(5 * np.pi - 2 * terms - 2.5 - 4 * np.pi) < np.pi / 2 else want
        np.testing.assert_allclose(rw.angle, want, atol=1e-12)


def test_joints_with_data():
    """A screw goes its pitch a turn; a pinion rolls half its diameter a radian."""
    for kind, travel in (("SCREW", 0.3 / (2 * np.pi)), ("RACKPIN", 0.5 * 0.4)):
        s = System(joint(kind, np.random.default_rng(3)))
        terms = dict(zip(s.S.rows.tk.tolist(), s.S.rows.ts))
        assert abs(terms[rows.ANGLE] / terms[rows.DISTANCE]) == pytest.approx(travel, rel=1e-14), kind


def places(a, b, m):
    """Where the blocks of bodies a and b stand in a matrix of three bodies, (m, 144)."""
    q = np.r_[6 * a : 6 * a + 6, 6 * b : 6 * b + 6]
    return np.tile((18 * q[:, None] + q).ravel(), (m, 1))


@pytest.mark.parametrize("name", [n for n in [*MODELS, "motion B2 far"] if n != "GCON"])
def test_stiffness(name):
    """d(G^T lam)/dq by differences of G."""
    s, y, _ = in_a_random_state(name, np.random.default_rng(9))
    S, W, R = s.S, s.W, s.S.rows
    lam, K, body = r_normal(s.m), np.zeros(18 * 18), S.fr.body
    zeros = np.zeros
    work = SimpleNamespace(
        M9=zeros(9), W=zeros(12), D=zeros((12, 24)), KL=zeros((12, 12)), CL=zeros((12, 12)), idx=zeros(2, int)
    )
    turns = np.arange(36).reshape(4, 3, 3)
    kmap, rmap = zeros((s.m, 36), int), zeros((s.m, 144), int)
    for r in range(s.m):
        i, j = body[R.fi[r]], body[R.fj[r]]
        rmap[r] = places(i, j, 1)
        q = 6 * np.array([[i, i], [i, j], [j, i], [j, j]])[:, :, None] + 3 + np.arange(3)
        kmap[r, turns] = 18 * q[:, 0, :, None] + q[:, 1, None, :]
    tmap = np.array([places(body[i], body[j], 1)[0] for i, j in zip(R.ti, R.tj)], int)
    if name == "PTCV":
        y = moved_state(y, 0.02 * r_normal(12))
        evaluate(s, 0.3, y)
        table = R._replace(cpos=places(0, 1, 1))
        work = make_displaced(S.fr, 3, len(W.rw.G))
        interpreted(curves.add_curve_stiffness)(table, W.rw, S.curves, S.fr, W.R, lam, K, work)
    elif name == "CVCV":
        y = moved_state(y, 0.002 * r_normal(12))
        before = evaluate(s, 0.3, y)
        table = R._replace(vpos=places(0, 1, 1))
        work = make_displaced(S.fr, 3, len(W.rw.G))
        left = [x.copy() for x in (W.rw.phi, W.rw.gamma, W.rw.G, W.rw.vpar)]
        interpreted(curves.add_pair_stiffness)(table, W.rw, S.curves, S.fr, W.R, lam, K, work)
        for old, new in zip(left, (W.rw.phi, W.rw.gamma, W.rw.G, W.rw.vpar)):
            np.testing.assert_array_equal(old, new)
        for old, new in zip(before, evaluate(s, 0.3, y)):
            np.testing.assert_allclose(old, new, atol=1e-11)
    else:
        evaluate(s, 0.3, y)
        interpreted(add_row_stiffness)(R, S.fr, W.R, lam, W.rw.angle, kmap, rmap, tmap, K, work)
    K = K.reshape(18, 18)[:12, :12]
    pull = lambda d: evaluate(s, 0.3, moved_state(y, d))[1].T @ lam
    h = 1e-5
    D = np.array([(pull(d) - pull(-d)) / (2 * h) for d in h * np.eye(12)]).T
    bound = 1e-5 if name == "CVCV" else 1e-8
    np.testing.assert_allclose(K, D, atol=bound * max(1, np.abs(D).max()))


@pytest.mark.parametrize("name", [n for n in [*MODELS, "motion B2 far"] if n not in ("GCON", "PTCV", "CVCV")])
def test_cotangents(name):
    """q0 phi + q1 phi' + q2 phi'' + l G nu, at given accelerations and virtual displacements, against differences over
    places, speeds, and the places and axes of markers in their bodies."""
    r = np.random.default_rng(10)
    s, y, _ = in_a_random_state(name, r)
    S, W = s.S, s.W
    q0, q1, q2, l = weights = r.normal(size=(4, s.m))
    acc, nu, d, du = np.zeros(18), np.zeros(18), r.normal(size=12), r.normal(size=12)
    acc[:12], nu[:12] = r.normal(size=(2, 12))

    def worth(z):
        phi, G, phit, gamma = evaluate(s, 0.3, z)
        u = np.concatenate([z[7:13], z[20:26]])
        return q0 @ phi + q1 @ (G @ u + phit) + q2 @ (G @ acc[:12] - gamma) + l @ (G @ nu[:12])

    worth(y)
    n = len(S.fr.body)
    out = jets.Cotangents(np.zeros(36), np.zeros((n, 3)), np.zeros((n, 3)))
    interpreted(pull_rows)(S, W, y, acc, nu, *weights, out)
    alone = jets.Cotangents(np.zeros(36), np.zeros((n, 3)), np.zeros((n, 3)))
    for k in range(4):  # the sum of each weight alone
        interpreted(pull_rows)(S, W, y, acc, nu, *(np.eye(4)[k][:, None] * weights), alone)
    for one, whole in zip(alone, out):
        np.testing.assert_allclose(one, whole, atol=1e-12 * max(1.0, np.abs(out.body).max()))
    body = out.body.reshape(3, 2, 6)[:2]
    h = 1e-5

    def at(h):
        z = moved_state(y, h * d)
        put_speeds(z, np.concatenate([y[7:13], y[20:26]]) + h * du)
        return worth(z)

    slope = (at(h) - at(-h)) / (2 * h)
    size = max(1.0, np.abs(body).max())
    assert body[:, 0].ravel() @ d + body[:, 1].ravel() @ du == pytest.approx(slope, abs=1e-7 * size)
    sb, Ab, ends = S.fr.sb.copy(), S.fr.Ab.copy(), []
    shift, turn = r.normal(size=(2, n, 3))
    for sign in (h, -h):
        S.fr.sb[:] = sb + sign * shift
        turned = Rotation.from_rotvec(sign * turn).as_matrix() @ Ab.reshape(n, 3, 3)
        S.fr.Ab[:] = turned.reshape(n, 9)
        ends.append(worth(y))
    slope = (ends[0] - ends[1]) / (2 * h)
    assert (out.place * shift + out.turn * turn).sum() == pytest.approx(slope, abs=1e-7 * size)
