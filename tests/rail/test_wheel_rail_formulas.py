"""A wheel on a rail by the equations of its documentation, written out with NumPy over all points of both profiles: the
line of the track, outline, depth, ellipse, creepages, creep laws, wrench, energy, derivatives.  Kernels run as plain
Python."""

import math
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.interpolate import CubicHermiteSpline
from scipy.spatial.transform import Rotation

import holonom as hn
from holonom._jit import interpreted
from holonom.elements.forces.rails import contact, line, wheel_rail
from holonom.elements.forces.rails import creep as laws
from holonom.elements.forces.rails.ellipse import LAST, NODES, ellipse_table
from holonom.rail import cone, curve, kalker, round_head, s1002, uic60

sys.path.insert(0, str(Path(__file__).parents[1] / "elements"))
from moving_frames import moved, perturbed, random_frames  # noqa: E402

YOUNG, NU = 210e9, 0.27
GIVEN = dict(mu=0.31, mu_share=0.4, mu_rate=0.7, damping=1.5, slow=0.2, smoothing=6e-6, samples=5e-4)


def rubbed(c, *s):
    """The creep law of the kernels, in place of its address."""
    n = int(c[contact.CREEP_AT])
    return interpreted(laws.johnson_vermeulen)(c[n : n + 4], s)


@pytest.fixture(params=[("LEFT", s1002, uic60), ("RIGHT", s1002, uic60), ("LEFT", lambda: cone(0.05), None)])
def wheel(request, monkeypatch):
    """Numbers of a wheel on a curved, canted, rough track."""
    side, profile, rail = request.param
    monkeypatch.setattr("holonom._address.address_of", lambda *a: 0)
    m = hn.Model("wheel")
    rough = 1e-3 * np.random.default_rng(1).normal(size=(40, 4))
    track = m.rail_track(
        rail=rail() if rail else round_head(0.3),
        sections=curve(300.0, straight=3.0, transition=4.0, length=20.0, cant=0.1, out=0.0),
        irregularities=rough, spacing=0.7, first=1.0,
    )  # fmt: skip
    e = m.wheel_rail(
        m.part("w", 1.0, (1, 1, 1), (0, 0, 0)).cm, track, side=side, radius=0.46, profile=profile(), law="LINEAR",
        **GIVEN,
    )  # fmt: skip
    c = np.array(wheel_rail.values(e, m))
    for kernel in (contact.patch, contact.wrench):
        interpreted(kernel)
    interpreted(contact.patch).__globals__["creep_wrench"] = rubbed
    return c, track, rough, side


def table(c, at, count, per):
    return c[int(c[at]) :][: int(c[count]) * per].reshape(-1, per)


def rail_of(c):
    rows = table(c, contact.RAIL_AT, contact.RAIL_NODES, 3)
    y = c[contact.RAIL_FIRST] + c[contact.RAIL_STEP] * np.arange(len(rows))
    return y, CubicHermiteSpline(y, rows[:, 0], rows[:, 1]), rows[:, 2]


def silhouette(e, h, R, slope):
    """Points where circles of radius R at h along e have a surface parallel to x, below the centre: by solving for the
    angle on each circle."""
    x = np.array([1.0, 0, 0])
    u = x - e[0] * e
    u /= np.linalg.norm(u)
    w = np.cross(e, u)
    # normal of the surface: radial - slope e; parallel to x: (cos u + sin w) . x = slope e . x
    ca = slope * e[0] / (u @ x)
    both = [h[:, None] * e + R[:, None] * (ca[:, None] * u + s * np.sqrt(1 - ca**2)[:, None] * w) for s in (1.0, -1.0)]
    return np.where((both[0][:, 2] < both[1][:, 2])[:, None], both[0], both[1])


def touching(c, part, d, e):
    """Depth, point, slope, curvatures, radius of a patch: sums over all points."""
    rows, (y, z, bend), eps = table(c, contact.SAMPLES_AT, contact.SAMPLES, 5), rail_of(c), c[contact.EPS]
    p = silhouette(e, *rows[:, :3].T)
    at = d[0] + p[:, 1]
    on = (at >= y[0]) & (at < y[-1])
    slope = z(at, 1)
    over = np.where(on, (z(at) - d[1] - p[:, 2]) / np.sqrt(1 + slope**2), -1.0)
    share = rows[:, 4] if part else 1 - rows[:, 4]
    most = over[share > 1e-6].max()
    w = share * np.exp(np.clip((over - most) / eps, -700, 0))
    mean = lambda v: (w @ v) / w.sum()
    depth = most + eps * math.log(w.sum() * GIVEN["samples"] / math.sqrt(2 * math.pi * eps * 0.3))
    return depth, mean(p), mean(slope), mean(np.interp(at, y, bend) + rows[:, 3]), mean(rows[:, 1])


def axle(yaw, roll):
    return Rotation.from_euler("zx", [yaw, roll]).as_matrix()[:, 1]


def places(c, side):
    """Places of the wheel's centre over its rail, with axles, of which some touch with both patches."""
    sign = 1.0 if side == "LEFT" else -1.0
    for lateral, yaw, roll, deep in (
        (0.0, 0.002, 0.001, 2e-4),
        (-0.0062, 0.01, -0.002, 3e-4),
        (0.003, -0.03, 0.0, 1e-4),
    ):
        d = np.array([sign * (0.75 + lateral), 0.0])
        e = axle(sign * yaw, sign * roll)
        parts = range(int(c[contact.PATCHES]))
        for _ in range(2):
            d[1] += max(touching(c, part, d, e)[0] for part in parts) - deep
        yield d, e


def test_outline(wheel):
    """On its circle, its surface parallel to the track there, below the axle."""
    for e in (axle(0.05, 0.03), axle(-0.08, 0.01)):
        h, R, slope = np.array([0.02]), np.array([0.45]), np.array([-1.3])
        q = math.sqrt(1 - e[0] ** 2)
        p = np.array(interpreted(contact.outline)(q, *e, h[0], R[0], slope[0]))
        radial = p - h[0] * e
        assert radial @ e == pytest.approx(0.0, abs=1e-15) and np.linalg.norm(radial) == pytest.approx(0.45)
        assert (radial / 0.45 - slope[0] * e)[0] == pytest.approx(0.0, abs=1e-15) and p[2] < -0.4
        np.testing.assert_allclose(p, silhouette(e, h, R, slope)[0], atol=1e-15)
        held = [interpreted(contact.outline)(q, *e, 0.02, 0.45, s * 0.98 * q / e[0]) for s in (1.0, -1.0)]
        far = [interpreted(contact.outline)(q, *e, 0.02, 0.45, s * 3.0 * q / e[0]) for s in (1.0, -1.0)]
        np.testing.assert_allclose(far, held, atol=1e-15)  # beyond what has a silhouette


def test_rail_between_its_nodes(wheel):
    c = wheel[0]
    y, z, bend = rail_of(c)
    for at in y[0] + np.array([0.13, 0.52, 0.97, 1.0 / 3]) * (y[-1] - y[0]) + 3.3e-5:
        found = interpreted(contact.rail_at)(c, at)
        assert found == pytest.approx((float(z(at)), float(z(at, 1)), np.interp(at, y, bend)), rel=1e-11, abs=1e-13)


def test_patches(wheel):
    """Depth, point, slope, curvature, radius; Hertz; creepages; force, moment and energy."""
    c, _, _, side = wheel
    r, seen = np.random.default_rng(3), 0
    G, hard = YOUNG / 2 / (1 + NU), 2 * math.pi / 3 * YOUNG / 2 / (1 - NU**2)
    splines = [
        CubicHermiteSpline(np.linspace(-LAST, LAST, NODES), *ellipse_table(NU)[:, 2 * k : 2 * k + 2].T)
        for k in range(7)
    ]
    for d, e in places(c, side):
        v = np.array([20.0, *(0.1 * r.normal(size=2))])
        w = e * 20.0 / 0.46 + 0.05 * r.normal(size=3)
        for part in range(int(c[contact.PATCHES])):
            depth, p, slope, bend, radius = touching(c, part, d, e)
            found = interpreted(contact.touch)(c, part, *d, *e)
            f = interpreted(contact.patch)(c, part, tuple(d), tuple(e), tuple(v), tuple(w))
            stored = interpreted(contact.elastic)(c, part, *d, *e)
            if depth <= 0.0:
                assert found[0] <= 0.0 and f[7] == -1.0 and not any(f[:7]) and stored == 0.0
                continue
            seen += 1
            assert found == pytest.approx((depth, *p, slope, bend, radius), rel=2e-6, abs=1e-9)
            cn = 1 / math.hypot(1, slope)
            n, across = np.array([0, -slope, 1]) * cn, np.array([0, 1, slope]) * cn
            A, B = 0.5 * cn / radius, max(0.5 * bend, 0.05)
            values = [math.exp(s(math.log(B / A))) for s in splines]
            N0 = hard * (depth / values[2]) ** 1.5 / math.sqrt(A + B)
            turning = w - (w @ e) * e
            N = N0 * (1 - 1.5 * (v + np.cross(turning, p)) @ n)
            a, b = (values[k] * (N / hard / (A + B)) ** (1 / 3) for k in (0, 1))
            V = math.hypot(v[0], 0.2)
            u = v + np.cross(w, p)
            xi, eta, phi = u[0] / V, u @ across / V, w @ n / V
            mu = 0.31 * (0.6 * math.exp(-0.7 * V * math.hypot(xi, eta)) + 0.4)
            fx, fy = -G * a * b * values[3] * xi, -G * a * b * values[4] * eta
            t = math.hypot(fx, fy) / mu / N
            k = 1 - t / 3 + t * t / 27 if t < 3 else 1 / t
            fx, fy = k * fx, k * fy
            force = fx * np.array([1.0, 0, 0]) + fy * across + N * n
            want = [*force, *np.cross(p, force), 0.4 * N0 * depth, depth, N, *p, math.atan(slope), a, b, xi, eta, phi]
            size = [N] * 6 + [N0 * depth, 1e-3, N] + [1.0] * 9
            np.testing.assert_allclose(np.array(f[:18]) / size, np.array(want) / size, atol=3e-5)
            assert f[18:] == pytest.approx((fx, fy, 0.0, radius), rel=1e-3, abs=1e-9 * N)
            assert stored == pytest.approx(0.4 * N0 * depth, rel=1e-4)
            pulled = tuple(v + 5.0 * n)  # so fast apart that it would pull
            assert interpreted(contact.patch)(c, part, tuple(d), tuple(e), pulled, tuple(w))[7] == -1.0
    assert seen >= 3


def test_track_and_wheel_in_it(wheel):
    """The line by its nodes, its nearest point, axes, irregularities: with dual numbers too."""
    c, track, rough, side = wheel
    r = c[int(c[contact.TRACK_AT]) :]
    n, h = int(r[line.NODES]), r[line.STEP_]
    nodes = r[line.HEAD :][: 8 * n].reshape(n, 8)
    s = h * np.arange(n)
    columns = [CubicHermiteSpline(s, nodes[:, k], nodes[:, k + 4]) for k in range(4)]
    bend = np.interp(s, [0, 3, 7, 27], [0, 0, 1 / 300, 1 / 300])
    heading = np.where(s < 3, 0.0, np.where(s < 7, (s - 3) ** 2 / 2400, 2 / 300 + (s - 7) / 300))
    np.testing.assert_allclose(nodes[:, 2], heading, atol=1e-15)
    np.testing.assert_allclose(nodes[:, 3], -0.1 / track.spread * 300 * bend, atol=1e-15)
    np.testing.assert_allclose(nodes[:, 4:7].T, [np.cos(heading), np.sin(heading), bend], atol=1e-15)
    rise = np.interp([1.0, 5.0, 6.0, 15.0], s, nodes[:, 7])  # of the ramp, which is straight
    np.testing.assert_allclose(rise, [0.0, *[-0.1 / track.spread / 4] * 2, 0.0], atol=1e-15)
    for at in (1.7, 5.2, 6.9, 18.3):
        want = [f(at) for f in columns]
        np.testing.assert_allclose(interpreted(line.line)(r, at), want, atol=1e-13)
        assert interpreted(line.curvature)(r, at) == pytest.approx(columns[2](at, 1), abs=1e-13)
        X, Y, psi, roll = want
        a = math.asin(roll)
        t = np.array([math.cos(psi), math.sin(psi), 0.0])
        left = np.array([-math.sin(psi) * math.cos(a), math.cos(psi) * math.cos(a), roll])
        axes = np.array(interpreted(line.axes)(r, at))
        np.testing.assert_allclose(axes, [X, Y, 0.0, *t, *left, *np.cross(t, left)], atol=1e-14)
        np.testing.assert_allclose(interpreted(line.frame)(r, at), axes, atol=0.0)
        off = np.array([X, Y]) + 0.8 * np.array([-math.sin(psi), math.cos(psi)])
        assert interpreted(line.nearest)(r, *off) == pytest.approx(at, abs=1e-9)
        found = interpreted(line.place)(r, complex(off[0], 1e-40), complex(off[1], 0.0))
        step = 1e-6
        ends = [interpreted(line.nearest)(r, off[0] + k * step, off[1]) for k in (1, -1)]
        assert found.real == pytest.approx(at, abs=1e-9)
        assert found.imag / 1e-40 == pytest.approx((ends[0] - ends[1]) / 2 / step, rel=1e-6)
        q = (at - 1.0) / 0.7
        for k, word in enumerate(("LEFT", "RIGHT")):
            for j in range(2):
                v = rough[:, 2 * k + j]
                slopes = np.concatenate([[v[1] - v[0]], 0.5 * (v[2:] - v[:-2]), [v[-1] - v[-2]]])
                want = CubicHermiteSpline(np.arange(len(v)), v, slopes)(q)
                assert interpreted(line.rough)(r, at, k)[j] == pytest.approx(want, abs=1e-15), word
    ahead, behind = s[-1] + 2.0, -1.5  # straight on beyond both ends
    for at, k in ((ahead, n - 1), (behind, 0)):
        want = nodes[k, :4] + (at - s[k]) * np.array([nodes[k, 4], nodes[k, 5], 0, 0])
        np.testing.assert_allclose(interpreted(line.line)(r, at), want, atol=1e-13)
        assert interpreted(line.curvature)(r, at) == 0.0
    for at, u in ((1.2, 0.2), (28.1, 27.1)):  # the first and the last step of the irregularities
        v = rough[:, 1]
        slopes = np.concatenate([[v[1] - v[0]], 0.5 * (v[2:] - v[:-2]), [v[-1] - v[-2]]])
        want = CubicHermiteSpline(np.arange(len(v)), v, slopes)(u / 0.7)
        assert interpreted(line.rough)(r, at, 0)[1] == pytest.approx(want, abs=1e-15)
    assert interpreted(line.rough)(r, 0.9, 0) == (0.0, 0.0) == interpreted(line.rough)(r, 28.4, 1)
    k = ("LEFT", "RIGHT").index(side)
    z = np.random.default_rng(5).normal(size=(4, 3))
    z[0] = *(off + [0.01, 0.02]), 0.5
    g, d, e, v, w, at = interpreted(contact.local)(c, *(tuple(x) for x in z))
    axes = np.array(interpreted(line.axes)(r, at)).reshape(4, 3)
    np.testing.assert_allclose(np.array(g), axes.ravel(), atol=0.0)
    shift = axes[2:] @ (z[0] - axes[0]) - interpreted(line.rough)(r, at, k)
    np.testing.assert_allclose(d, shift, atol=1e-14)
    np.testing.assert_allclose([e, v, w], z[1:] @ axes[1:].T, atol=1e-14)


def test_wrench_power_and_derivatives(wheel):
    """The whole element: force and moment in axes of ground, its reaction, what it stores and loses, every column of
    its derivative."""
    c, track, _, side = wheel
    r = c[int(c[contact.TRACK_AT]) :]
    fr = random_frames(np.random.default_rng(6))
    d, e = list(places(c, side))[1]
    at = 12.4
    g = np.array(interpreted(line.axes)(r, at)).reshape(4, 3)
    rough = interpreted(line.rough)(r, at, ("LEFT", "RIGHT").index(side))
    A = fr.A[2].reshape(3, 3)
    fr.w[2] *= 0.01
    fr.p[1] = fr.p[2] + A @ (g[0] + g[2:].T @ (d + rough))
    y = A @ g[1:].T @ e
    x = np.cross(y, A @ g[3])
    x /= np.linalg.norm(x)
    fr.A[1] = np.column_stack([x, y, np.cross(x, y)]).ravel()
    fr.v[1] = fr.v[2] + np.cross(fr.w[2], fr.p[1] - fr.p[2]) + A @ g[1:].T @ [20.0, 0.03, 0.02]
    fr.w[1] = fr.w[2] + 20.0 / 0.46 * y + 0.05 * fr.w[1]
    f, none, ref = np.array([1, 2]), np.zeros(0), np.zeros((2, 3))

    def force(fr):
        W = np.full(12, np.nan)
        interpreted(wheel_rail.force)(c, f, fr, ref, 0.0, none, none, W, none)
        return W

    W = force(fr)
    turn = A @ g[1:].T  # axes of the track at the wheel in those of ground
    local = [turn.T @ x for x in (y, fr.v[1] - fr.v[2] - np.cross(fr.w[2], fr.p[1] - fr.p[2]), fr.w[1] - fr.w[2])]
    parts = [
        interpreted(contact.patch)(c, k, tuple(d), *(tuple(x) for x in local)) for k in range(int(c[contact.PATCHES]))
    ]
    total = np.sum([p[:7] for p in parts], axis=0)
    np.testing.assert_allclose(W[:6], [*(turn @ total[:3]), *(turn @ total[3:6])], atol=1e-5 * np.abs(W).max())
    np.testing.assert_array_equal(W[6:9], -W[:3])
    np.testing.assert_allclose(W[9:], -W[3:6] - np.cross(fr.p[1] - fr.p[2], W[:3]), atol=1e-9 * np.abs(W).max())
    out, step = np.zeros(3), 1e-7
    interpreted(wheel_rail.energies)(c, f, fr, ref, 0.0, none, none, W, out)
    assert out[0] == pytest.approx(total[6], rel=1e-4) and out[2] == 0.0
    ends = []
    for sign in (1.0, -1.0):
        there = np.zeros(3)
        interpreted(wheel_rail.energies)(c, f, moved(fr, sign * step), ref, 0.0, none, none, W, there)
        ends.append(there[0])
    power = sum(W[6 * k : 6 * k + 3] @ fr.v[f[k]] + W[6 * k + 3 : 6 * k + 6] @ fr.w[f[k]] for k in range(2))
    assert out[1] == pytest.approx(-power - (ends[0] - ends[1]) / 2 / step, rel=1e-4)
    D = np.full((12, 24), np.nan)
    interpreted(wheel_rail.tangent)(c, f, fr, ref, 0.0, none, none, W, D)
    change = np.random.default_rng(7).normal(size=(6, 18))
    for part in (slice(0, 6), slice(6, 12)):
        only = np.zeros((6, 18))
        only[:, part] = change[:, part]
        exact = D @ np.concatenate([only[1, :6], only[2, :6], only[1, 6:12], only[2, 6:12]])
        h = 1e-6
        slope = (force(perturbed(fr, only, h)) - force(perturbed(fr, only, -h))) / (2 * h)
        np.testing.assert_allclose(exact, slope, atol=1e-6 * np.abs(exact).max())
    watched = np.zeros(8 + 30)
    interpreted(wheel_rail.watch)(c, f, fr, watched)
    seen = [at, *d, math.asin(local[0][2]), math.asin(-local[0][0]), local[1][0], total[1], total[2]]
    np.testing.assert_allclose(watched[:8], seen, rtol=1e-5, atol=1e-7)
    for k, p in enumerate(parts):
        np.testing.assert_allclose(watched[8 + 15 * k : 23 + 15 * k], p[7:], rtol=1e-4, atol=1e-7)


# ---- creep laws ------------------------------------------------------------------------------------------------------
STATES = [
    (8e4, 0.3, 6e-3, 4e-3, 4e-4, 6e-4, 0.3),
    (6e4, 0.25, 3e-3, 7e-3, -1e-3, 2e-4, -0.8),
    (8e4, 0.3, 5e-3, 5e-3, 2e-3, -3e-3, 0.1),
]


@pytest.mark.parametrize("state", STATES)
def test_creep_laws_as_printed(state):
    """Polach (1999), with the reductions and the direction of stiffness of 2005; Kalker's FASTSIM (1982) with slips in
    the middle between points; Shen, Hedrick and Elkins."""
    N, mu, a, b, xi, eta, phi = state
    G, kA, kS, n = 8.2e10, 0.7, 0.5, 11
    c, C = np.array([G, kA, kS, float(n)]), kalker(a / b, 0.28)
    s = (N, mu, a, b, *C, xi, eta, phi)
    # Polach
    side = eta + phi * a if abs(eta + phi * a) > abs(eta) else eta
    slip, grip = math.hypot(xi, side), mu * N
    stiff = math.hypot(C[0] * xi, C[1] * side) / slip
    eps = G * math.pi * a * b * stiff * slip / 4 / grip
    F = 2 * grip / math.pi * (kA * eps / (1 + (kA * eps) ** 2) + math.atan(kS * eps))
    form = 1 + 6.3 * (1 - math.exp(-a / b))
    es = 8 / 3 * G * b * math.sqrt(a * b) / grip * C[2] * side / form
    delta = (es**2 - 1) / (es**2 + 1)
    K = abs(es) * (delta**3 / 3 - delta**2 / 2 + 1 / 6) - math.sqrt((1 - delta**2) ** 3) / 3
    fx, fy, mz = interpreted(laws.polach)(c, s)
    assert (fx, fy) == pytest.approx((-F * xi / slip, -F * eta / slip + 9 / 16 * a * grip * K * form * phi / slip))
    moment = G * (a * b) ** 1.5 * C[2] * eta - G * (a * b) ** 2 * C[3] * phi
    assert mz == pytest.approx(min(1.0, F / slip / (G * a * b * C[1])) * moment)
    # linear, and limited by the cubic
    fx, fy = -G * a * b * C[0] * xi, -G * a * b * (C[1] * eta + math.sqrt(a * b) * C[2] * phi)
    assert interpreted(laws.linear)(c, s) == pytest.approx((fx, fy, moment))
    t = math.hypot(fx, fy) / grip
    k = 1 - t / 3 + t**2 / 27 if t < 3 else 1 / t
    assert interpreted(laws.shen_hedrick_elkins)(c, s) == pytest.approx((k * fx, k * fy, k * moment))
    # FASTSIM
    l1, l2 = 8 * a / 3 / G / C[0], 8 * a / 3 / G / C[1]
    l3 = math.pi * a * math.sqrt(a / b) / 4 / G / C[2]
    total = np.zeros(3)
    for y in b * (-1 + (2 * np.arange(n) + 1) / n):
        half = a * math.sqrt(1 - (y / b) ** 2)
        points = half * (1 - (2 * np.arange(n) + 1) / n)
        p, last = np.zeros(2), half
        for x in points:
            middle = 0.5 * (x + last)
            p = p - (last - x) * np.array([xi / l1 - phi * y / l3, eta / l2 + phi * middle / l3])
            bound = 2 * grip / math.pi / a / b * (1 - (x / a) ** 2 - (y / b) ** 2)
            p = p * min(1.0, bound / np.hypot(*p))
            total += np.array([*p, x * p[1] - y * p[0]]) * 2 * half / n * 2 * b / n
            last = x
    assert interpreted(laws.fastsim)(c, s) == pytest.approx(total, rel=1e-9)
