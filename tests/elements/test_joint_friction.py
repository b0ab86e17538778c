"""Friction in joints by the formulas of its documentation, written out here: loads of every joint from its reaction,
coefficients, slips, wrenches, and their derivatives by differences.  Kernels run as plain Python."""

import math

import numpy as np
import pytest
from moving_frames import assert_derivative, perturbed, random_frames
from scipy.spatial.transform import Rotation

from holonom._jit import interpreted
from holonom.elements.bodies import rigid
from holonom.elements.frames import make_frames, update_frames
from holonom.elements.joints import friction
from holonom.model.joints import Friction, Joint

NUMBERS = dict(
    mu_static=0.5, mu_dynamic=0.3, stiction_transition_velocity=0.2, transition_velocity_coefficient=1.7,
    max_stiction_deformation=0.04, pin_radius=0.6, friction_arm=0.7, bending_reaction_arm=1.3, ball_radius=0.8,
    reaction_arm=0.9, initial_overlap=2.5, overlap_delta="INCREASE", force_preload=1.1, torque_preload=1.4,
)  # fmt: skip
LUGRE = dict(
    formulation="LUGRE", bristle_stiffness_coefficient=20.0, damping_coefficient=0.3, viscous_friction_coefficient=0.1,
    velocity_threshold_stribeck=0.25, decay_exponent_stribeck=1.6,
)  # fmt: skip
I, J = 1, 2


def table(joint="SPHERICAL", travel=0.0, yoke="", **more):
    e, q = Friction(**{**NUMBERS, **more}, yoke=yoke), Joint(type=joint)
    return np.array([friction.row(e, q, travel)]), friction.kind(e, q)


def step(x, x0, h0, x1, h1):
    u = np.clip((x - x0) / (x1 - x0), 0.0, 1.0)
    return h0 + (h1 - h0) * u * u * (3 - 2 * u)


def law(v, b, lugre=False):
    """Coefficients and rates of the deformations (times their largest) of the documentation."""
    vs, u, z = 0.2, np.linalg.norm(v), np.linalg.norm(b)
    if lugre:
        g = 0.3 + 0.2 * math.exp(-((u / 0.25) ** 1.6))
        largest = 0.5 / 20.0
        rate = v - 20.0 * u / g * b * largest
        return -(20.0 * largest * b / max(1.0, z) + 0.3 * rate + 0.1 * v), rate
    x = b + v / vs
    r = np.linalg.norm(x)
    g = step(u, vs, 0.5, 1.7 * vs, 0.3)
    mu = -g * step(r, -1, -1, 1, 1) * x / r
    q = v * g / 0.5 if u <= 1.7 * vs else v / u * 1.7 * vs * 0.3 / 0.5
    n = b / z
    return mu, q - step(z, 1.0, 0.0, 1.2, 1.0) * max(0.0, q @ n) * n


@pytest.mark.parametrize("more", [{}, LUGRE], ids=["original", "lugre"])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_law(n, more):
    """Stiction, transition and sliding, at both signs, with bristles stretched to less and to more than their limit."""
    t, _ = table(**more)
    r = np.random.default_rng(n)
    for speed in (0.03, 0.15, 0.27, 0.6):
        for stretch in (0.3, 0.9, 1.1, 1.5):
            for sign in (1.0, -1.0):
                v, b = r.normal(size=(2, 3))
                v *= speed / np.linalg.norm(v[:n])
                b *= stretch / np.linalg.norm(b[:n]) * sign * np.sign(v[:n] @ b[:n])
                mu, rate = np.zeros((2, 3))
                interpreted(friction.law)(t, 0, n, True, v, b, mu, rate)
                want, slides = law(v[:n], b[:n], bool(more))
                np.testing.assert_allclose(mu[:n], want, atol=1e-13)
                np.testing.assert_allclose(rate[:n] * (0.025 if more else 0.04), slides, atol=1e-13)
                mats = np.zeros((4, 3, 3))
                interpreted(friction.law_tangent)(t, 0, n, True, v, b, *mats)

                def both(x):
                    out = np.zeros((2, 3))
                    interpreted(friction.law)(t, 0, n, True, x[:3], x[3:], *out)
                    return out[:, :n].ravel()

                at, h = np.concatenate([v, b]), 1e-6
                slope = np.array([(both(at + d) - both(at - d)) / (2 * h) for d in h * np.eye(6)]).T
                for row, (of_v, of_b) in enumerate(((mats[0], mats[1]), (mats[2], mats[3]))):
                    part = slope[n * row : n * row + n]
                    np.testing.assert_allclose(of_v[:n, :n], part[:, :n], atol=2e-7 * max(1, np.abs(part).max()))
                    np.testing.assert_allclose(of_b[:n, :n], part[:, 3 : 3 + n], atol=2e-7 * max(1, np.abs(part).max()))


def test_without_a_state_and_at_rest():
    t, _ = table(effect="SLIDING")
    mu, rate = np.zeros((2, 3))
    interpreted(friction.law)(t, 0, 1, False, np.array([0.1, 0, 0]), np.zeros(3), mu, rate)
    assert mu[0] == pytest.approx(-step(0.1, -0.2, -0.3, 0.2, 0.3)) and not rate.any()
    mats = np.ones((4, 3, 3))
    interpreted(friction.law_tangent)(t, 0, 1, False, np.array([0.1, 0, 0]), np.zeros(3), *mats)
    assert mats[0, 0, 0] == pytest.approx(-0.3 * 1.5 * (1 - 0.25) / 0.2) and (mats[2:] == 1.0).all()
    smooth, _ = table(mu_static=0.0, mu_dynamic=0.0)  # bristles that bear nothing go with the surface
    interpreted(friction.law)(smooth, 0, 1, True, np.array([0.1, 0, 0]), np.array([0.4, 0, 0]), mu, rate)
    assert mu[0] == 0.0 and rate[0] == pytest.approx(0.1 / 0.04)
    stays, _ = table(effect="STICTION")
    interpreted(friction.law)(stays, 0, 1, True, np.array([0.35, 0, 0]), np.zeros(3), mu, rate)
    assert mu[0] == 0.0
    rest, _ = table(**LUGRE)  # derivatives at rest are one-sided limits: the viscous slope and the bristles
    interpreted(friction.law_tangent)(rest, 0, 1, True, np.zeros(3), np.array([0.4, 0, 0]), *mats)
    assert mats[0, 0, 0] == pytest.approx(-0.4) and mats[1, 0, 0] == pytest.approx(-0.5)
    assert mats[2, 0, 0] == pytest.approx(1 / 0.025) and mats[3, 0, 0] == 0.0


def wanted(joint, F, T, travel):
    """Loads of the table in the documentation; F, T in the axes of friction, z first among equals."""
    along, across = abs(F[2]), math.hypot(F[0], F[1])
    twist, bend = abs(T[2]), math.hypot(T[0], T[1])
    overlap = 2.5 + travel
    if joint == "SPHERICAL":
        return None, 0.8 * np.linalg.norm(F) + 1.4
    if joint == "TRANSLATIONAL":
        return across + bend / overlap + twist / 0.9 + 1.1, None
    if joint == "CYLINDRICAL":
        return across + bend / overlap + 1.1, 0.6 * (across + bend / overlap) + 1.4
    return None, 0.6 * across + 0.7 * along + 0.6 / 1.3 * bend + 1.4


AXES = {  # frame and axis of friction
    ("REVOLUTE", ""): (J, 2), ("HOOKE", "I"): (I, 0), ("HOOKE", "J"): (J, 1), ("UNIVERSAL", "I"): (I, 2),
    ("UNIVERSAL", "J"): (J, 2), ("SPHERICAL", ""): (J, 2), ("TRANSLATIONAL", ""): (J, 2), ("CYLINDRICAL", ""): (J, 2),
}  # fmt: skip
every = pytest.mark.parametrize(("joint", "yoke"), AXES)


def axes_of(fr, f):
    return fr.A[f].reshape(3, 3)


@every
def test_loads(joint, yoke):
    fr, r = random_frames(np.random.default_rng(2)), np.random.default_rng(3)
    frame, number = AXES[joint, yoke]
    d = axes_of(fr, frame)[:, number]
    across = np.linalg.svd(d[None])[2][1:]
    for travel in (-0.4, 0.3):
        t, what = table(joint, 0.0, yoke)
        F, T = r.normal(size=(2, 3))
        axis = interpreted(friction.direction)(t, 0, I, J, fr)
        if what == friction.AXIS:
            np.testing.assert_allclose(axis, d, atol=1e-15)
        out, want = np.zeros(2), wanted(joint, *([*(across @ x), d @ x] for x in (F, T)), travel)
        interpreted(friction.loads)(t, 0, what, J, axis, fr, tuple(F), tuple(T), travel, out)
        assert [w for w in want if w is not None] == pytest.approx([x for x, w in zip(out, want) if w is not None])
        other, _ = table(joint, 0.2, yoke)  # the overlap given belongs to the design position
        late = np.zeros(2)
        interpreted(friction.loads)(other, 0, what, J, axis, fr, tuple(F), tuple(T), travel + 0.2, late)
        np.testing.assert_allclose(late, out, rtol=1e-14)
        most, _ = table(joint, 0.0, yoke, max_friction_force=0.21, max_friction_torque=0.17)
        interpreted(friction.loads)(most, 0, what, J, axis, fr, tuple(F), tuple(T), travel, out)
        assert [x for x, w in zip(out, want) if w is not None] == pytest.approx(
            [limit / 0.5 for limit, w in zip((0.21, 0.17), want) if w is not None]
        )
    for name in ("REACTION_FORCE", "BENDING_MOMENT", "TORSIONAL_MOMENT", "PRELOAD"):  # one of them alone
        t, what = table(joint, 0.0, yoke, inputs=(name,))
        interpreted(friction.loads)(t, 0, what, J, axis, fr, tuple(F), tuple(T), 0.0, out)
        f, m = [[*(across @ x), d @ x] for x in (F, T)]
        pair = (f, [0, 0, 0]) if name == "REACTION_FORCE" else ([0, 0, 0], m)
        if name == "BENDING_MOMENT":
            pair[1][2] = 0.0
        elif name != "REACTION_FORCE":
            pair[1][:2] = [0.0, 0.0]
        if name == "PRELOAD":
            pair = ([0, 0, 0], [0, 0, 0])
        want, bare = wanted(joint, *pair, 0.0), wanted(joint, [0, 0, 0], [0, 0, 0], 0.0)
        for got, w, pre in zip(out, want, bare):
            if w is not None:
                assert got == pytest.approx(w if name == "PRELOAD" else w - pre, abs=1e-14), name
        assert friction.reactive(t[0]) == (
            name == "REACTION_FORCE"
            or (name == "BENDING_MOMENT" and joint != "SPHERICAL")
            or (name == "TORSIONAL_MOMENT" and joint == "TRANSLATIONAL")
        )


def slips(fr, joint, yoke):
    """Surface velocities: what an observer on J sees along or about the axis, turns times the radius."""
    w = fr.w[I] - fr.w[J]
    if joint == "SPHERICAL":
        return 0.8 * axes_of(fr, J).T @ w
    frame, number = AXES[joint, yoke]
    d = axes_of(fr, frame)[:, number]
    v = d @ (fr.v[I] - fr.v[J] - np.cross(fr.w[J], fr.p[I] - fr.p[J]))
    return {"TRANSLATIONAL": [v], "CYLINDRICAL": [v, 0.6 * d @ w]}.get(joint, [0.6 * d @ w])


def wrenches(fr, joint, yoke, mu, load):
    """(12,) of I and J: mu times load along or about the axis, in line with what it does: the reaction at J."""
    if joint == "SPHERICAL":
        F, T = np.zeros(3), load[1] * axes_of(fr, J) @ mu
    else:
        frame, number = AXES[joint, yoke]
        d = axes_of(fr, frame)[:, number]
        F = load[0] * mu[0] * d if joint in ("TRANSLATIONAL", "CYLINDRICAL") else np.zeros(3)
        T = load[1] * (mu[1] if joint == "CYLINDRICAL" else mu[0]) * d if joint != "TRANSLATIONAL" else np.zeros(3)
    return np.concatenate([F, T, -F, -T - np.cross(fr.p[I] - fr.p[J], F)])


@every
def test_slips_wrenches_and_their_derivatives(joint, yoke):
    r = np.random.default_rng(4)
    t, what = table(joint, 0.0, yoke)
    n, load, b = friction.COUNT[what], np.array([1.3, 0.8]), np.array([0.1, -0.2, 0.15])
    t[0, friction.VS], t[0, friction.VD] = 4.0, 8.0  # wide, so that differences stay within it

    def whole(fr):
        v, mu, W = np.zeros(3), np.zeros(3), np.zeros(12)
        interpreted(friction.slip)(t, 0, what, I, J, fr, v)
        interpreted(friction.law)(t, 0, n, False, v, b, mu, np.zeros(3))
        interpreted(friction.spread)(t, 0, what, I, J, fr, load, mu, W)
        return v, mu, W

    fr = random_frames(r)
    v, mu, W = whole(fr)
    np.testing.assert_allclose(v[:n], slips(fr, joint, yoke), atol=1e-14)
    np.testing.assert_allclose(W, wrenches(fr, joint, yoke, mu[:n], load), atol=1e-14)
    mats, D = np.zeros((4, 3, 3)), np.full((12, 24), np.nan)
    interpreted(friction.law_tangent)(t, 0, n, False, v, b, *mats)
    interpreted(friction.tangent)(t, 0, what, I, J, fr, load, mu, mats[0], W.copy(), D)
    d = r.normal(size=(6, 18))
    exact = D @ np.concatenate([d[I, :6], d[J, :6], d[I, 6:12], d[J, 6:12]])
    assert_derivative(lambda h: whole(perturbed(fr, d, h))[2], exact)


@every
def test_gradients_of_slips(joint, yoke):
    """Over places and speeds of both bodies, rotations in body axes."""
    r = np.random.default_rng(5)
    t, what = table(joint, 0.0, yoke)
    y = r.normal(size=39)
    for k in range(3):
        y[13 * k + 3 : 13 * k + 7] = Rotation.random(random_state=r).as_quat(scalar_first=True)
    y[26:] = 0.0
    y[29] = 1.0
    A = Rotation.random(3, random_state=r).as_matrix().reshape(3, 9)
    R = np.zeros((3, 9))

    def at(z):
        fr = make_frames([2, 0, 1], np.vstack([np.zeros(3), body]), A)
        for k in range(3):
            interpreted(rigid.rotation)(z, 13 * k + 3, R, k)
        interpreted(update_frames)(fr, z, R)
        v = np.zeros(3)
        interpreted(friction.slip)(t, 0, what, I, J, fr, v)
        return fr, v

    body = r.normal(size=(2, 3))
    fr, _ = at(y)
    for c in range(friction.COUNT[what]):
        g, out = np.zeros(24), np.zeros(24)
        interpreted(friction.slip_gradient)(t, 0, what, c, I, J, fr, R.copy(), g, out)
        d, u, h = r.normal(size=12), r.normal(size=12), 1e-5
        ends = []
        for sign in (h, -h):
            z, full = y.copy(), np.zeros(18)
            full[:12] = sign * d
            interpreted(rigid.move)(2, z, full)
            for k in range(2):
                z[13 * k + 7 : 13 * k + 13] += sign * u[6 * k : 6 * k + 6]
            ends.append(at(z)[1][c])
        at(y)
        want = out.reshape(2, 2, 6)
        assert want[:, 0].ravel() @ d + want[:, 1].ravel() @ u == pytest.approx((ends[0] - ends[1]) / (2 * h), abs=1e-8)
