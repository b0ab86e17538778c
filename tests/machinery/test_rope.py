"""Rope over a pulley: stiffness of its joints, geometry, bad input."""

import math

import numpy as np
import pytest

import holonom as hn
from holonom.machinery import HangingRope, rope_over_pulley, rope_study
from holonom.machinery.hanging_rope import _options, _shock, plot_histories, ranking
from holonom.machinery.rope import _outline, pulley_profile, segment_stiffness


def test_joints_bend_and_stretch_as_the_section_says():
    """A row of joints under a force at its end against the closed forms of the bar: F L / E A, F L^3 / 3 E I, twisted T
    L / G J."""
    e, g, length, radius, n = 2e5, 8e4, 10.0, 2.0, 200
    (kx, ky, kz), (tx, ty, tz) = segment_stiffness(length, radius, e, g)
    total, area, second = n * length, math.pi * radius**2, 0.25 * math.pi * radius**4
    arms = (np.arange(n) + 0.5) * length  # from the end to joints in the middle of what they represent
    assert n / kx == pytest.approx(total / (e * area))
    assert (arms**2).sum() / ty == pytest.approx(total**3 / (3 * e * second), rel=1e-5)
    assert n / tx == pytest.approx(total / (g * 2 * second))
    assert ty == tz and ky == kz == pytest.approx(g * area / length)
    assert segment_stiffness(length, radius, e, g, 0.01)[1] == pytest.approx((0.01 * tx, 0.01 * ty, 0.01 * tz))


def test_six_segments_lie_on_the_pulley():
    m = rope_over_pulley()
    assert len(m.table("CONTACT")) == 105
    on = [m.find("PART", f"segment {k}") for k in range(65, 71)]
    far = [math.hypot(*p.frame.origin[:2]) for p in on]
    assert np.allclose(far, 64.64 + 10.0, atol=5e-3)  # they touch the bottom in their middles
    turned = math.degrees(math.acos(on[0].frame.axes[:, 0] @ on[-1].frame.axes[:, 0]))
    assert turned == pytest.approx(150.0)
    points, bulge = pulley_profile(64.64, (15.0, 15.0), 108.0, 16.0, 4.0)
    assert points[:, 0].max() == pytest.approx(79.64) and np.ptp(points[:, 1]) == 108.0 and len(bulge) == len(points)


def test_outline_of_a_smooth_rope():
    """Strands along x = -R and R about half a circle, at even lengths; the first one begins aside of its plane."""
    R, before, behind = 0.1, 0.4, 0.3
    places = _outline(before, behind, R, 0.02, 60)
    for s, place in zip(np.linspace(0.0, before + np.pi * R + behind, 61), places):
        if s < before:
            want = [s - before, -R, 0.02 * (before - s) / before]
        elif s <= before + np.pi * R:
            want = [R * np.sin((s - before) / R), -R * np.cos((s - before) / R), 0.0]
        else:
            want = [before + np.pi * R - s, R, 0.0]
        assert place == pytest.approx(want, abs=1e-14)
    step = np.linalg.norm(np.diff(_outline(before, behind, R, 0.0, None), axis=0), axis=1)[0]
    assert np.pi * R / step == pytest.approx(24, rel=0.01)
    with pytest.raises(hn.ModelError, match="give a whole number from 26 on"):
        _outline(before, behind, R, 0.0, 25)


def test_weights_hang_in_balance():
    """Tensions at the start carry what hangs below them; load and counterweight balance at the pulley; speeds by the
    impulse of the pull."""
    drawn = HangingRope()
    m = drawn.model(0.001)
    tension = [-b.force[0] for b in m.table("BUSHING").values()]
    one, g = 7.85e-6 * math.pi * 100 * 40, 9.80665
    assert len(tension) == 106 and m.gravity == (-9806.65, 0.0, 0.0)
    assert tension[0] == pytest.approx(100.0 * g) and tension[-1] == pytest.approx(drawn.counterweight * g)
    assert tension[60] - tension[0] == pytest.approx(60 * one * g)
    assert tension[67] == pytest.approx(tension[66] + one * g)  # the middle of the pulley: both sides meet
    grow = math.sqrt(2 * one / 40.0 * 9806.65 / drawn.moved)  # the strands' weights shift: x'' = P / M + grow^2 x
    drawn_late = drawn.motion(np.array([0.1, 0.55, 0.8, 0.8]))  # rows where analyses meet are there twice
    assert drawn_late[0, 0] == 0.0 and drawn_late[0, 1] == pytest.approx(100.0 * g)
    assert drawn_late[2, 0] == pytest.approx(1e3 * 980.0 * 0.3 / drawn.moved * math.cosh(0.3 * grow), rel=2e-3)
    assert drawn_late[1, 1] == pytest.approx(
        100.0 * (g + 980.0 / drawn.moved + grow**2 * 0.5 * 4.4832 * 0.2**2), rel=1e-3
    )
    assert drawn.moved == pytest.approx(100 + drawn.counterweight + 105 * one + 3e4 / 74.64**2, rel=1e-5)


def test_segments_are_cylinders_and_joints_are_damped_as_they_are_stiff():
    """m r^2 / 2 about the axis and m (3 r^2 + l^2) / 12 across; damping is stiffness times the time that is given."""
    m = HangingRope().model(0.002)
    mass = 7.85e-6 * math.pi * 10.0**2 * 40.0
    part = m.find("PART", "segment 50")
    assert part.mass == pytest.approx(mass)
    assert sorted(part.ip[:3]) == pytest.approx([0.5 * mass * 100.0, *[mass * (300.0 + 1600.0) / 12] * 2])
    for joint in m.table("BUSHING").values():
        assert joint.c == pytest.approx([0.002 * k for k in joint.k])
        assert joint.ct == pytest.approx([0.002 * k for k in joint.kt])


def test_shock_of_a_stage():
    """The largest force within the stage over the largest of the closed form there; none of a run that ends before."""
    t = np.linspace(0.0, 1.0, 101)
    force, closed = 1.0 + 9.0 * (np.abs(t - 0.5) < 0.02) + 50.0 * (t < 0.1) + 70.0 * (t > 0.9), 2.0 + t
    assert _shock(t, force, closed, (0.2, 0.3, 0.6, 0.8)) == pytest.approx(10.0 / 2.8)
    assert math.isnan(_shock(t[:70], force[:70], closed[:70], (0.2, 0.3, 0.6, 0.8)))


def test_contact_stiffness_of_hertz():
    """Force of the pressure p0 sqrt(1 - (r/a)^2) over a circle, integrated: a^2 = R depth, p0 = 2 E* depth / (pi a)."""
    young, r1, r2, depth = 2e5, 10.0, 20.0 / math.tan(math.radians(15.0)) - 10.0, 0.01
    star = young / (2 * (1 - 0.25**2))
    radius = 1 / (1 / r1 + 1 / r2)
    a = math.sqrt(radius * depth)
    x = np.linspace(0.0, 1.0, 200001)
    area = np.trapezoid(np.sqrt(1.0 - x * x) * x, x)
    force = 2 * star * depth / (math.pi * a) * 2 * math.pi * a**2 * area
    drawn = HangingRope()
    assert drawn.contact_stiffness * depth**1.5 == pytest.approx(force, rel=1e-6)
    assert drawn.contact_stiffness == pytest.approx(4.186e5, rel=1e-3)  # steel, 10 mm on 64.64 mm
    (touch,) = {c.stiffness for c in drawn.model(0.001).table("CONTACT").values()}
    assert touch == drawn.contact_stiffness


def test_settings_and_ranking_of_methods(tmp_path):
    assert _options("WSTIFF") == {"integrator": "WSTIFF", "corrector": "modified", "maxit": 10, "kmax": 6}
    assert _options("HHT") == {"integrator": "HHT", "corrector": "modified", "maxit": 10}
    assert _options("RADAU5") == {"integrator": "RADAU5", "maxit": 10}
    assert _options("CONSTANT_BDF")["step"] == 1e-4
    row = lambda m, reached, steps, rejected, cpu: dict(
        method=m,
        damping=1e-3,
        reached=reached,
        steps=steps,
        rejected=rejected,
        cpu=cpu,
        peaks=np.ones(4),
        histories={},
        outcome="ran",
    )
    rows = [row("GSTIFF", 0.9, 90, 10, 9.0), row("HHT", 0.9, 99, 1, 18.0), row("WSTIFF", 0.3, 50, 0, 1.5)]
    assert ranking(rows).splitlines() == [
        "stability: HHT (1.0 % rejected), GSTIFF (10.0 % rejected), WSTIFF (0.0 % rejected)",
        "speed: WSTIFF (5 CPU s a second), GSTIFF (10 CPU s a second), HHT (20 CPU s a second)",
    ]
    assert plot_histories(rows, tmp_path / "rope.png").stat().st_size > 20_000


@pytest.mark.slow
def test_atwood():
    """The first stage: speed and mean force at the load of Atwood's machine, which loses nothing; peaks are above that
    of the load, the largest where the rope meets the pulley.  Bushings and segments that land take 1.5 % of the speed
    (without friction the pulley stands), friction in the groove as much again."""
    (row,) = rope_study(methods=("HHT",), dampings=(0.001,), budget=300.0)
    assert row["outcome"] == "ran" and 0.96 < row["speed"] < 0.99
    (free,) = rope_study(methods=("HHT",), dampings=(0.001,), budget=300.0, mu=(0.0, 0.0))
    drawn = HangingRope(105)
    standing = drawn.moved / (drawn.moved - 3e4 / 74.64**2)
    assert row["speed"] < free["speed"] / standing and 0.98 < free["speed"] / standing < 1.0
    assert 1.0 < row["shock"][0] < 1.6 and math.isnan(row["shock"][1])
    assert len(row["peaks"]) == 106 and row["peaks"].min() > 0.98 * 1429.0 and 50 < row["where"] < 72


def test_smooth_ropes():
    """The strands of a rope of beams and of a cable have the lengths of those of segments, and weights at the start the
    tension below."""
    for model, words in (("rod", "ROD"), ("cable", "ABSOLUTE_MESH")):
        m = rope_over_pulley(30, behind=14, model=model, gravity=9806.65, counterweight=100.0, offset=0.0, hold=0.0)
        assert len(m.table(words)) == len(m.table("CONTACT")) == 1 and not m.table("BUSHING")
    numbers = np.array(next(iter(m.table("ABSOLUTE_MESH").values())).properties).reshape(-1, 6)
    tension = -numbers[:, 5] * numbers[:, 0]
    line = 0.8e-6 * math.pi * 100.0 * 9.80665
    assert tension[[0, -1]] == pytest.approx(100.0 * 9.80665, rel=1e-4)
    assert tension.max() == pytest.approx(100 * 9.80665 + (14 * 40 + 74.64) * line, rel=1e-3)
    assert numbers[:, 4].sum() == pytest.approx((14 + 10) * 40 + math.pi * 74.641, rel=1e-4)
    with pytest.raises(hn.ModelError, match="has 105 of these and no elements"):
        rope_over_pulley(elements=4)
    with pytest.raises(hn.ModelError, match="the model of a rope is 'wire'; give segments, rod, cable"):
        rope_over_pulley(model="wire")
    with pytest.raises(hn.ModelError, match="whole number from 144 on"):
        rope_over_pulley(model="cable", elements=20)


def test_bad_ropes():
    with pytest.raises(hn.ModelError, match="give numbers that are not negative"):
        rope_over_pulley(gravity=-1.0)
    with pytest.raises(hn.ModelError, match="do not suffice"):
        rope_over_pulley(20)
    with pytest.raises(hn.ModelError, match="does not fit into a groove"):
        rope_over_pulley(groove=(9.0, 15.0))
    with pytest.raises(hn.ModelError, match="round a pulley"):
        rope_over_pulley(radius=80.0, groove=(90.0, 15.0))
