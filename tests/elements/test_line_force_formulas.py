"""Forces along a line against their formulas, written out here: forces, rates of states, energies, losses, first
states, lengths as drawn, tangents by differences, and the adjoint of the spring and damper."""

import math

import numpy as np
import pytest
from moving_frames import assert_derivative, perturbed, random_frames

import holonom as hn
from holonom.elements.forces import spring_damper
from holonom.elements.kinds import FORCES
from holonom.model.forces import SpringDamper

DRAWN = (0.3, -0.4, 1.2)  # of marker i seen from marker j: 1.3 apart


def maxwell(p, e, v, x):
    """Springs k and k_s, c in series with k_s."""
    pull = p["series_stiffness"] * (e - x[0])
    stored = p["stiffness"] * e**2 / 2 + p["series_stiffness"] * (e - x[0]) ** 2 / 2 - p["force"] * e
    return p["force"] - p["stiffness"] * e - pull, [pull / p["damping"]], stored, pull**2 / p["damping"]


def burgers(p, e, v, x):
    """Findley, Lai, Onaran (1976), 5.7: Maxwell's element in series with Kelvin's."""
    pull = p["maxwell_stiffness"] * (e - sum(x))
    m, q = pull / p["maxwell_damping"], (pull - p["kelvin_stiffness"] * x[1]) / p["kelvin_damping"]
    stored = pull**2 / p["maxwell_stiffness"] / 2 + p["kelvin_stiffness"] * x[1] ** 2 / 2 - p["force"] * e
    return p["force"] - pull, [m, q], stored, p["maxwell_damping"] * m**2 + p["kelvin_damping"] * q**2


def power(p, e, v, x):
    """FEMA 356, 9.3.3: c |v|^a sign(v), which `slow` makes smooth."""
    d = p["damping"] * v * math.hypot(v, p["slow"]) ** (p["exponent"] - 1)
    return p["force"] - p["stiffness"] * e - d, [], p["stiffness"] * e**2 / 2 - p["force"] * e, d * v


def bouc_wen(p, e, v, x):
    """Wen (1976): D z' = v - beta |v| |z|^(n - 1) z - gamma v |z|^n, D = F_y / k."""
    z, k, fy, n, beta = x[0], p["stiffness"], p["yield_force"], p["knee"], p["beta"]
    g = v - beta * abs(v) * abs(z) ** (n - 1) * z - (1 - beta) * v * abs(z) ** n
    soft = 1 - p["hardening"]
    stored = p["hardening"] * k * e**2 / 2 + soft * fy**2 / k * z**2 / 2 - p["force"] * e
    return p["force"] - p["hardening"] * k * e - soft * fy * z, [g * k / fy], stored, soft * fy * z * (v - g)


#: builder -> numbers, formula, states that are tried, states as drawn of a stretch
LAWS = {
    "maxwell_damper": (
        {"stiffness": 30.0, "series_stiffness": 70.0, "damping": 5.0, "force": 3.0},
        maxwell,
        [[0.2], [-0.4]],
        lambda p, e: [e],
    ),
    "burgers_damper": (
        {
            "maxwell_stiffness": 40.0,
            "maxwell_damping": 9.0,
            "kelvin_stiffness": 30.0,
            "kelvin_damping": 4.0,
            "force": 1.0,
        },
        burgers,
        [[0.2, -0.1], [-0.3, 0.5]],
        lambda p, e: [e, 0.0],
    ),
    "power_damper": (
        {"damping": 5.0, "exponent": 0.4, "stiffness": 20.0, "force": 2.0, "slow": 0.3},
        power,
        [[]],
        lambda p, e: [],
    ),
    "hysteretic_spring": (
        {"stiffness": 50.0, "yield_force": 20.0, "hardening": 0.1, "knee": 3.0, "beta": 0.7, "force": 1.0},
        bouc_wen,
        [[0.6], [-0.7], [0.0]],
        lambda p, e: [min(1.0, max(-1.0, e * 50.0 / 20.0))],
    ),
}


def built(builder, **more):
    """The model with one of them between two parts, and the element."""
    m = hn.Model(builder)
    i, j = (m.marker(m.part(name, 1.0, (1, 1, 1), at)) for name, at in (("i", DRAWN), ("j", (0, 0, 0))))
    return m, getattr(m, builder)(i, j, **{**LAWS[builder][0], **more})


def called(m, e):
    """Force and rates of the states, tangent, energies of frames 1 and 2."""
    kind = FORCES[e.KIND]
    c, f, none = np.array(kind.values(e, m), float), np.array([1, 2]), np.zeros(0)
    ref = np.zeros((2, 3))

    def force(fr, x):
        W, xd = np.full(12, np.nan), np.full(max(len(x), 1), np.nan)
        kind.force(c, f, fr, ref, 0.0, none, x, W, xd)
        return W, xd[: len(x)]

    def tangent(fr, x):
        D = np.zeros((12 + len(x), 24 + len(x)))
        kind.tangent(c, f, fr, ref, 0.0, none, x, force(fr, x)[0], D)
        return D

    def energies(fr, x):
        out = np.full(3, np.nan)
        kind.energies(c, f, fr, ref, 0.0, none, x, force(fr, x)[0], out)
        return out

    return force, tangent, energies


@pytest.mark.parametrize("builder", LAWS)
def test_formulas(builder):
    """At random places and speeds, of both signs, and the derivative of every column."""
    p, law, states, _ = LAWS[builder]
    m, e = built(builder, length=0.9)
    force, tangent, energies = called(m, e)
    signs = set()
    for seed in range(6):
        fr = random_frames(np.random.default_rng(seed), 3)
        d, dv = fr.p[1] - fr.p[2], fr.v[1] - fr.v[2]
        n = d / np.linalg.norm(d)
        for x in states:
            x = np.array(x)
            signs.add(np.sign(dv @ n))
            push, rates, stored, lost = law(p, np.linalg.norm(d) - 0.9, dv @ n, x)
            W, xd = force(fr, x)
            np.testing.assert_allclose(W, np.concatenate([push * n, [0, 0, 0], -push * n, [0, 0, 0]]), atol=1e-12)
            assert xd == pytest.approx(rates, rel=1e-12, abs=1e-12)
            assert energies(fr, x) == pytest.approx([stored, lost, 0.0], rel=1e-12, abs=1e-12)
            D = tangent(fr, x)
            r = np.random.default_rng(seed + 100)
            way, more = r.normal(size=(3, 18)), r.normal(size=len(x))
            exact = D @ np.concatenate([way[1, :6], way[2, :6], way[1, 6:12], way[2, 6:12], more])
            if not (builder == "hysteretic_spring" and x[0] == 0.0):  # |z|^n there is not smooth enough for the rate
                assert_derivative(
                    lambda h, s=(fr, way, x, more): np.concatenate(force(perturbed(s[0], s[1], h), s[2] + h * s[3])),
                    exact,
                )
    assert signs == {-1.0, 1.0}


@pytest.mark.parametrize("builder", LAWS)
def test_lengths_and_states_as_drawn(builder):
    """Without a length they are unloaded as drawn, 1.3 apart; with one the states are those at rest as drawn."""
    p, _, _, drawn = LAWS[builder]
    assert built(builder)[1].length == pytest.approx(math.hypot(*DRAWN), abs=1e-15)
    for length in (1.1, 1.25, 1.4, 2.0):
        m, e = built(builder, length=length)
        found = FORCES[e.KIND].states(e, m._place)
        assert list(found) == pytest.approx(drawn(p, math.hypot(*DRAWN) - length), rel=1e-12, abs=1e-14)


def test_given_stretch_and_slow_speed():
    """A stretch of Maxwell's damper that is given is the first state; a power damper is smooth below 1 mm/s in any
    units."""
    m, e = built("maxwell_damper", stretch=0.07)
    assert FORCES[e.KIND].states(e, m._place) == (0.07,)
    for units, slow in (("SI", 1e-3), ("mm", 1.0)):
        m = hn.Model("units", units=units)
        ends = [m.marker(m.part(name, 1.0, (1, 1, 1))) for name in "ij"]
        assert m.power_damper(*ends, damping=1.0, length=0.0).slow == pytest.approx(slow, rel=1e-12)


def test_knee_and_unloading_of_the_hysteretic_spring():
    """Unloading begins with the stiffness k where beta = 1/2 (z = 1: D z' = v for v < 0, none for v > 0); a knee of one
    has a slope at z = 0."""
    m, e = built("hysteretic_spring", beta=0.5, length=1.0)
    force, tangent, _ = called(m, e)
    fr = random_frames(np.random.default_rng(3), 3)
    for speed in (-0.8, 0.8):
        n = (fr.p[1] - fr.p[2]) / np.linalg.norm(fr.p[1] - fr.p[2])
        fr.v[1], fr.v[2] = speed * n, 0.0
        want = 0.0 if speed > 0.0 else speed * 50.0 / 20.0
        assert force(fr, np.array([1.0]))[1] == pytest.approx([want], rel=1e-12, abs=1e-12)
        assert force(fr, np.array([-1.0]))[1] == pytest.approx([-want + speed * 2.5], rel=1e-12, abs=1e-12)
    m, e = built("hysteretic_spring", knee=1.0, beta=0.7, length=1.0)
    # D z' = v - beta |v| z - gamma v |z|: at z = 0 the slope over z is that of |v| alone on the mean
    assert called(m, e)[1](fr, np.array([0.0]))[12, 24] == pytest.approx(-0.7 * 0.8 * 2.5, rel=1e-12, abs=1e-12)


def test_pull_of_the_spring_and_damper():
    """The adjoint of the virtual power W . u: of the numbers by differences, of the frames by the tangent, and the
    wrenches themselves; two markers that meet as well."""
    t = np.array([spring_damper.row(SpringDamper(k=3.0, c=0.7, force=0.4, length=1.1))])
    fr = random_frames(np.random.default_rng(1))
    virtual = np.random.default_rng(2).normal(size=(4, 3))
    u, ref = virtual.ravel(), np.zeros((1, 3))
    for i, j in ((1, 2), (3, 0)):
        W, D, tb, g = np.zeros(12), np.zeros((12, 24)), np.ones_like(t), np.full(36, np.nan)
        spring_damper.tangent(t, 0, i, j, fr, ref, W, D)
        spring_damper.pull(t, 0, i, j, fr, ref, tuple(virtual), tb, g)
        columns = u @ D
        np.testing.assert_allclose(g[:6], columns[:6], atol=1e-12)
        np.testing.assert_allclose(g[18:24], columns[6:12], atol=1e-12)
        np.testing.assert_allclose(g[6:12], columns[12:18], atol=1e-12)
        np.testing.assert_allclose(g[24:30], columns[18:24], atol=1e-12)
        np.testing.assert_allclose(np.concatenate([g[12:18], g[30:36]]), W, atol=1e-12)
        for k in range(4):
            two = []
            for step in (1e-6, -1e-6):
                other, V = t.copy(), np.zeros(12)
                other[0, k] += step
                spring_damper.wrench(other, 0, i, j, fr, ref, V)
                two.append(u @ V)
            assert tb[0, k] - 1.0 == pytest.approx((two[0] - two[1]) / 2e-6, abs=1e-8)
    # a spring of no length between markers that meet is the same in all directions: -k u, -c u
    t = np.array([spring_damper.row(SpringDamper(k=3.0, c=0.7))])
    g = np.full(36, np.nan)
    spring_damper.pull(t, 0, 1, 1, fr, ref, tuple(virtual), np.zeros_like(t), g)
    apart = virtual[0] - virtual[2]
    want = np.concatenate([-3.0 * apart, np.zeros(3), -0.7 * apart, np.zeros(9)])
    np.testing.assert_allclose(g, np.concatenate([want, -want]), atol=1e-12)
