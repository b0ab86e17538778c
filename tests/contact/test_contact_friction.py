"""Friction at a point: derivatives, Adams' curve, sticking for ever, steady sliding, energy."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holonom.contact.friction import FRICTIONS, module, parameters
from holonom.model.base import ModelError
from holonom.model.forces import Contact

MU_S, MU_D, VS, VD = 0.3, 0.2, 0.01, 0.05


def table(name: str, **given):
    parameters = {"tangential_stiffness": 2e4, "tangential_damping": 5.0, "viscous_friction": 0.01} | given
    c = SimpleNamespace(
        mu_static=MU_S,
        mu_dynamic=MU_D,
        stiction_transition_velocity=VS,
        friction_transition_velocity=VD,
        friction_parameters=parameters,
    )
    row = module(name).row(c)
    assert len(row) == len(module(name).COLUMNS)
    p = np.zeros((1, 16))
    p[0, : len(row)] = row
    return p


def evaluate(name, p, N, s, mem, t):
    out = np.zeros(16)
    module(name).force(p, 0, N, np.asarray(s, float), mem, 0, t, out)
    return out


@pytest.mark.parametrize("name", FRICTIONS)
def test_derivatives(name):
    """d/dN and d/ds against central differences at random loads, slips and memories."""
    law, p, rng, skipped = module(name), table(name), np.random.default_rng(3), 0
    for _ in range(200):
        mem, t = np.zeros((1, 8)), 1.0
        N = 10 ** rng.uniform(0, 3)
        direction = lambda: rng.normal(size=3) * 10 ** rng.uniform(-4, -1)
        if law.MEMORY:
            law.accept(p, 0, N, direction(), mem, 0, t)
            law.accept(p, 0, N, direction(), mem, 0, t + 10 ** rng.uniform(-4, -1))
            t = mem[0, 6] + 10 ** rng.uniform(-4, -1)
        s = direction()
        out = evaluate(name, p, N, s, mem, t)
        u = np.linalg.norm(s)
        for column in range(4):
            h = 1e-5 * (N if column == 0 else u)
            at = []
            for i in (-1, 1):
                z = np.array(s)
                if column:
                    z[column - 1] += i * h
                at.append(evaluate(name, p, N + i * h * (column == 0), z, mem, t)[:3])
            exact = out[3:6] if column == 0 else out[6:15].reshape(3, 3)[:, column - 1]
            left, right = (out[:3] - at[0]) / h, (at[1] - out[:3]) / h
            if np.abs(left - right).max() > 1e-2 * max(
                np.abs(left).max(), np.abs(right).max()
            ):  # slip begins in between
                skipped += 1
                continue
            scale = np.abs(out[3:6]).max() if column == 0 else np.abs(out[6:15]).max()
            assert np.abs(0.5 * (left + right) - exact).max() < 2e-6 * scale + 1e-9
    assert skipped < 20


@pytest.mark.parametrize("name", FRICTIONS)
def test_isotropy_and_rest(name):
    """Turning all vectors turns the force; no slip and no memory: no force, finite derivatives."""
    p, law = table(name), module(name)
    R = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
    a, b = np.array([3e-3, -2e-2, 1e-3]), np.array([1e-2, 4e-3, 0.0])
    forces = []
    for turn in (np.eye(3), R):
        mem = np.zeros((1, 8))
        if law.MEMORY:
            law.accept(p, 0, 50.0, turn @ a, mem, 0, 0.5)
        forces.append(turn.T @ evaluate(name, p, 50.0, turn @ b, mem, 0.51)[:3])
    assert forces[1] == pytest.approx(forces[0], rel=1e-12)
    rest = evaluate(name, p, 50.0, np.zeros(3), np.zeros((1, 8)), 1.0)
    assert not rest[:3].any() and np.isfinite(rest).all() and rest[6] < 0.0


def test_adams_curve():
    """mu(v) = STEP(v, -vs, -mu_s, vs, mu_s) within vs, then STEP(|v|, vs, mu_s, vd, mu_d), mu_d (manual: Contact
    Friction Force)."""
    p = table("COULOMB")

    def step(x, x0, h0, x1, h1):
        u = min(max((x - x0) / (x1 - x0), 0.0), 1.0)
        return h0 + (h1 - h0) * u * u * (3.0 - 2.0 * u)

    for v in (1e-5, 0.003, 0.00999, 0.01, 0.02, 0.049, 0.05, 3.0):
        mu = step(v, -VS, -MU_S, VS, MU_S) if v < VS else step(v, VS, MU_S, VD, MU_D)
        out = evaluate("COULOMB", p, 7.0, (0.0, v, 0.0), np.zeros((1, 8)), 0.0)
        assert out[1] == pytest.approx(-7.0 * mu, rel=1e-12)
        assert out[15] == pytest.approx(7.0 * mu * v, rel=1e-12)


@pytest.mark.parametrize("name", FRICTIONS)
def test_derivatives_near_rest(name):
    """At slips far below the transition velocities, without memory: force over slip has a finite derivative there."""
    rng, p = np.random.default_rng(8), table(name)
    for _ in range(20):
        s = rng.normal(size=3) * 10 ** rng.uniform(-6.5, -5.5)
        out, h = evaluate(name, p, 40.0, s, np.zeros((1, 8)), 1.0), 1e-3 * np.linalg.norm(s)
        for column in range(3):
            d = np.eye(3)[column] * h
            both = [evaluate(name, p, 40.0, s + i * d, np.zeros((1, 8)), 1.0)[:3] for i in (-2, -1, 1, 2)]
            slope = (8 * (both[2] - both[1]) - both[3] + both[0]) / (12 * h)
            assert slope == pytest.approx(out[6:15].reshape(3, 3)[:, column], rel=1e-9, abs=1e-9 * abs(out[6]))
        r = -out[:3] @ s / (s @ s) / 40.0  # the force is this times N times the slip
        if name == "TANH":
            curve = lambda u: (MU_D + (MU_S - MU_D) * math.exp(-((u / VD) ** 2))) * math.tanh(u / VS) / u
            assert r == pytest.approx(curve(np.linalg.norm(s)), rel=1e-12)
            # the second derivative, which is too small to be seen in the first: mu/u = (mu_s/vs) (1 - c u^2)
            c = 1 / (3 * VS**2) + (MU_S - MU_D) / MU_S / VD**2
            away = out[6:15].reshape(3, 3) + 40.0 * r * np.eye(3)
            assert away == pytest.approx(
                80.0 * c * MU_S / VS * np.outer(s, s), rel=1e-3, abs=1e-3 * 80 * c * 30 * s @ s
            )


def test_decay_of_bristles_by_its_series():
    """(1 - exp(-x))/x = sum of (-x)^n/(n + 1)! and its derivative, on both sides of the change of formulas."""
    from holonom.contact.friction.lugre import _decay

    for x in (1e-4, 3e-3, 9.9e-3, 1.01e-2, 0.1, 1.0):
        terms = [(-x) ** n / math.factorial(n + 1) for n in range(30)]
        slope = [-n * (-x) ** (n - 1) / math.factorial(n + 1) for n in range(1, 30)]
        assert _decay(x) == pytest.approx((math.fsum(terms), math.fsum(slope)), rel=1e-9)
        assert _decay(x)[0] == pytest.approx(math.fsum(terms), rel=1e-12)


def remembered(law, p, N, rng):
    """Memory after two steps at random slips, as (memory, bristle, slip before, time)."""
    mem = np.zeros((1, 8))
    law.accept(p, 0, N, rng.normal(size=3) * 3e-2, mem, 0, 1.0)
    law.accept(p, 0, N, rng.normal(size=3) * 3e-2, mem, 0, 1.0 + 1e-3)
    return mem, mem[0, :3].copy(), mem[0, 3:6].copy(), mem[0, 6]


def test_bristle_and_lugre_are_their_published_laws():
    """Forces and power lost at random states.  BRISTLE: the spring stretched by the mean slip is cut back to mu N, and
    so is spring and damper together.  LUGRE (Canudas de Wit et al. 1995): z' = v - kt |v|/g z solved over the step with
    its mean slip, the damping falls with exp(-(v/vs)^2)."""
    rng, kt, ct, c2 = np.random.default_rng(12), 2e4, 5.0, 0.01
    held = slid = 0
    for _ in range(60):
        N, h, s = 10 ** rng.uniform(0, 3), 10 ** rng.uniform(-5, -2), rng.normal(size=3) * 10 ** rng.uniform(-4, -1)
        u = np.linalg.norm(s)
        p, law = table("BRISTLE"), module("BRISTLE")
        mem, z, before, t = remembered(law, p, N, rng)
        out = evaluate("BRISTLE", p, N, s, mem, t + h)
        x = min(max((u - VS) / (VD - VS), 0.0), 1.0)
        most = N * (MU_S + (MU_D - MU_S) * x * x * (3 - 2 * x))
        spring = kt * (z + 0.5 * h * (before + s))
        spring *= min(1.0, most / np.linalg.norm(spring))
        F = spring + ct * s
        held, slid = held + (np.linalg.norm(F) < most), slid + (np.linalg.norm(F) > most)
        F *= min(1.0, most / np.linalg.norm(F))
        assert out[:3] == pytest.approx(-F, rel=1e-10)
        law.accept(p, 0, N, s, mem, 0, t + h)
        assert mem[0, :3] == pytest.approx(spring / kt, rel=1e-10) and (mem[0, 3:6] == s).all()
        lost = F @ s - (spring @ spring / kt - kt * z @ z) / 2 / h
        assert out[15] == pytest.approx(lost, rel=1e-8, abs=1e-8 * kt * (z @ z) / h)
        p, law = table("LUGRE"), module("LUGRE")
        mem, z, before, t = remembered(law, p, N, rng)
        out = evaluate("LUGRE", p, N, s, mem, t + h)
        w = 0.5 * (before + s)
        slow, now = (N * (MU_D + (MU_S - MU_D) * math.exp(-((v / VS) ** 2))) for v in (np.linalg.norm(w), u))
        a = kt * np.linalg.norm(w) / slow
        z = w / a + (z - w / a) * math.exp(-a * h)
        rate = s - kt * u / now * z
        F = kt * z + ct * math.exp(-((u / VS) ** 2)) * rate + c2 * N * s
        assert out[:3] == pytest.approx(-F, rel=1e-7, abs=1e-9 * N)
        assert out[15] == pytest.approx(F @ s - kt * z @ rate, rel=1e-6, abs=1e-9 * N * u)
    assert min(held, slid) > 5


def slide(name, p, mass, load, seconds, h, N=None):
    """A block pushed along x, implicit trapezoidal steps, memory accepted at each; positions and speeds at the
    steps."""
    law, mem, out = module(name), np.zeros((1, 8)), np.zeros(16)
    N = (lambda t: 9.81 * mass) if N is None else N
    x = v = 0.0
    s = np.zeros(3)
    accept = law.accept if law.MEMORY else lambda *given: None
    accept(p, 0, N(0.0), s, mem, 0, 0.0)
    force, path = 0.0, []
    for i in range(1, round(seconds / h) + 1):
        t, new = i * h, v
        for _ in range(50):
            s[0] = new
            law.force(p, 0, N(t), s, mem, 0, t, out)
            residual = mass * (new - v) - 0.5 * h * (force + load(t - h) + out[0] + load(t))
            dv = -residual / (mass - 0.5 * h * out[6])
            new += dv
            if abs(dv) < 1e-15 + 1e-12 * abs(new):
                break
        x += 0.5 * h * (v + new)
        v, s[0] = new, new
        law.force(p, 0, N(t), s, mem, 0, t, out)
        force = out[0]
        accept(p, 0, N(t), s, mem, 0, t)
        path.append((t, x, v, force))
    return np.array(path)


def test_bristle_holds_a_block_on_a_slope():
    """tan 16 degrees = 0.287 < mu_s: loaded over a second it settles at x = m g sin/kt and stays to rounding;
    beyond mu_s it slides at g (sin - mu_d cos)."""
    g, m, a = 9.81, 2.0, math.radians(16.0)
    p = table("BRISTLE", tangential_damping=200.0)
    push, press = m * g * math.sin(a), m * g * math.cos(a)
    path = slide("BRISTLE", p, m, lambda t: push * min(1.0, t), 40.0, 1e-2, lambda t: press)
    assert path[-1, 1] == pytest.approx(push / 2e4, rel=1e-9)
    assert abs(path[-1, 1] - path[1000, 1]) < 1e-15  # thirty seconds later
    steep = math.radians(17.0)  # tan = 0.306
    path = slide("BRISTLE", p, m, lambda t: m * g * math.sin(steep), 2.0, 1e-3, lambda t: m * g * math.cos(steep))
    acceleration = (path[-1, 2] - path[-500, 2]) / (path[-1, 0] - path[-500, 0])
    assert acceleration == pytest.approx(g * (math.sin(steep) - MU_D * math.cos(steep)), rel=1e-9)


def test_bristle_does_not_creep_under_a_shaking_load():
    """A load that swings between 20 and 80 % of mu_s N for 200 cycles: the block ends where it was after ten; LuGre
    creeps, as known."""
    N = 9.81
    load = lambda t: MU_S * N * (0.5 - 0.3 * math.cos(2 * math.pi * 5.0 * t))
    creep = {}
    for name in ("BRISTLE", "LUGRE"):
        path = slide(name, table(name, tangential_damping=60.0, viscous_friction=0.0), 1.0, load, 40.0, 4e-3)
        creep[name] = path[-1, 1] - path[499, 1]
    assert abs(creep["BRISTLE"]) < 1e-12
    assert creep["LUGRE"] > 1e-7


def test_coulomb_creeps_below_the_transition_velocity():
    """What a user of Adams knows: at half of mu_s N the block moves, at the speed where 1.5 x - 0.5 x^3 = 1/2, x =
    v/vs."""
    path = slide("COULOMB", table("COULOMB"), 1.0, lambda t: 0.5 * MU_S * 9.81, 2.0, 1e-3)
    x = path[-1, 2] / VS
    assert 1.5 * x - 0.5 * x**3 == pytest.approx(0.5, rel=1e-9)


@pytest.mark.parametrize("u", [1e-4, 5e-3, 0.02, 0.3])
def test_lugre_steady_state(u):
    """Dragged at constant speed: N (mu_d + (mu_s - mu_d) exp(-(u/vs)^2) + c2 u), whatever the step."""
    law, p, mem, N = module("LUGRE"), table("LUGRE"), np.zeros((1, 8)), 30.0
    s, t = np.array([0.0, 0.0, u]), 0.0
    h = 0.3 * N * MU_S / 2e4 / u
    for _ in range(300):
        law.accept(p, 0, N, s, mem, 0, t)
        t += h
    out = evaluate("LUGRE", p, N, s, mem, t)
    assert out[2] == pytest.approx(-N * (MU_D + (MU_S - MU_D) * math.exp(-((u / VS) ** 2)) + 0.01 * u), rel=1e-9)
    assert out[15] == pytest.approx(-out[2] * u, rel=1e-9)


@pytest.mark.parametrize("name", ["BRISTLE", "LUGRE"])
def test_memory_is_second_order_in_the_step(name):
    """Force after a smooth motion below and beyond break-away: halving the step divides the error by about four."""
    law, p = module(name), table(name, tangential_damping=0.0)

    def end(n):
        mem, h = np.zeros((1, 8)), 0.01 / n
        slip = lambda t: np.array([4e-3 * math.cos(100 * t), 3e-3 * math.sin(150 * t), 0.0])
        for i in range(n):
            law.accept(p, 0, 60.0, slip(i * h), mem, 0, 1.0 + i * h)
        return evaluate(name, p, 60.0, slip(0.01), mem, 1.01)[:3]

    exact = end(6400)
    coarse, fine = np.linalg.norm(end(25) - exact), np.linalg.norm(end(50) - exact)
    assert 3.5 < coarse / fine < 4.5


@settings(max_examples=80, deadline=None)
@given(
    name=st.sampled_from(sorted(FRICTIONS)),
    amplitude=st.floats(1e-4, 3e-2),
    turn=st.floats(0.0, 3.0),
    swing=st.floats(0.0, 0.99),
    beat=st.sampled_from([0.0, 0.5, 1.0, 2.0, 3.0]),
    phase=st.floats(0.0, 6.0),
)
def test_friction_only_dissipates(name, amplitude, turn, swing, beat, phase):
    """Closed paths of the slip under a load that swings with them: the work of friction on the body is never
    positive."""
    law, p, out = module(name), table(name), np.zeros(16)
    mem, n, w = np.zeros((1, 8)), 500, 2.0 * math.pi / 0.2
    slip = lambda t: np.array([math.cos(w * t), math.cos(2.0 * w * t + turn), 0.0]) * amplitude
    load = lambda t: 40.0 * (1.0 + swing * math.sin(beat * 0.5 * w * t + phase))
    work = scale = 0.0
    for i in range(1, 4 * n + 1):
        t = i * 0.4 / n  # two turns of the slip: a beat of 1/2 closes too
        s = slip(t)
        law.force(p, 0, load(t), s, mem, 0, t, out)
        if i > 2 * n:
            work += out[:3] @ s * 0.4 / n
            scale += abs(out[:3] @ s) * 0.4 / n
        if law.MEMORY:
            law.accept(p, 0, load(t), s, mem, 0, t)
        assert np.linalg.norm(out[:3]) <= load(t) * (MU_S + 0.01 * np.linalg.norm(s)) * (1.0 + 1e-9) or name == "LUGRE"
    assert work <= 1e-3 * scale


def test_bad_numbers_are_refused():
    good = {
        "mu_static": 0.3,
        "mu_dynamic": 0.2,
        "stiction_transition_velocity": 0.01,
        "friction_transition_velocity": 0.05,
    }
    for name, change, words in (
        ("COULOMB", {"friction_transition_velocity": 0.005}, "must not be below STICTION"),
        ("COULOMB", {"stiction_transition_velocity": 0.0}, "must be above 0"),
        ("COULOMB", {"mu_static": -0.1}, "MU_STATIC must be at least 0"),
        ("BRISTLE", {}, "needs its stiffness"),
        ("LUGRE", {"mu_dynamic": 0.0}, "above 0"),
    ):
        with pytest.raises(ModelError, match=words):
            module(name).row(SimpleNamespace(**(good | change), friction_parameters={}))
    with pytest.raises(ModelError, match="no friction model DAHL; choose one of COULOMB"):
        module("DAHL")
    deformed = SimpleNamespace(**good, max_stiction_deformation=1e-4, friction_parameters={"reference_load": 50.0})
    row = module("BRISTLE").row(deformed)
    assert row[4] == pytest.approx(0.3 * 50.0 / 1e-4) and row[5] == pytest.approx(row[4] * 1e-4 / 0.01)
    c = Contact(
        id=3,
        mu_static=0.3,
        mu_dynamic=0.2,
        stiction_transition_velocity=0.01,
        friction_transition_velocity=0.05,
        coulomb_friction="ON",
    )
    assert parameters(c) == (0.3, 0.2, 0.01, 0.05)
    c.friction_parameters = {"tangential_stiffness": 1e4}
    with pytest.raises(ModelError, match="CONTACT/3.*COULOMB does not use TANGENTIAL_STIFFNESS"):
        parameters(c)
