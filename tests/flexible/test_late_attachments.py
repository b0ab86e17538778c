"""Joints and forces that are put on a part after it was made flexible: what its modes lack is reported when a run or a
check begins, whatever the order of the calls."""

import numpy as np
import pytest

import holonom as hn

f = hn.flexible
HEIGHT, WIDTH, E, RHO = 0.01, 0.02, 2.1e11, 7850.0
EI = E * WIDTH * HEIGHT**3 / 12  # of the bending that z forces see
TIP, MIDDLE = (1, 0, 0), (0.5, 0, 0)


def bar(scale=1.0, modulus=E, density=RHO):
    section = f.Section.rectangle(WIDTH * scale, HEIGHT * scale)
    return f.beam((0, 0, 0), (scale, 0, 0), section, E=modulus, density=density)


def model(gravity=(0, 0, 0), **options):
    m = hn.Model("late", **options)
    m.gravity = gravity
    return m, m.part("bar", 1.57, (1, 1, 1), position=np.array(MIDDLE) / m.units.si_length)


def clamp(m, p):
    m.fixed(p, m.ground, at=(0, 0, 0))


def pull(m, p, at=TIP, force="-10"):
    m.vforce(m.marker_at(p, np.array(at) / m.units.si_length, name="tip"), m.ground, "0", "0", force)


def said(m):
    return [w for w in hn.check(m).warnings if "its modes lack" in w]


def flexible(m, p, modes, **options):
    m.make_flexible(p, bar(), modes=modes, **options)


@pytest.mark.parametrize("order", ["flexible clamp pull", "clamp flexible pull", "clamp pull flexible"])
@pytest.mark.parametrize("modes", [4, 10])
def test_a_cantilever_is_right_or_reported(order, modes):
    """F L^3 / (3 E I) in every order of the calls, or a warning of the run and of the check, not both."""
    m, p = model()
    for step in order.split():
        {"flexible": lambda: flexible(m, p, modes), "clamp": lambda: clamp(m, p), "pull": lambda: pull(m, p)}[step]()
    run = hn.simulate(m, kind="statics")
    got = float(run.marker("tip").position[-1, 2])
    short = 1 - got / (-10.0 / (3 * EI))
    warned = [w for w in run.info["warnings"] if "its modes lack" in w]
    assert bool(warned) == (short > 0.05) == (order[0] == "f")
    assert warned == said(m) and len(warned) <= 1
    if warned:
        assert "PART/2 'bar'" in warned[0] and "make_flexible after the joints" in warned[0]
        assert "interfaces=[1, 21]" in warned[0]
        # the warning counts all three directions, of which y is stiffer by (WIDTH / HEIGHT)^2
        assert float(warned[0].split("lack ")[1].split()[0]) == pytest.approx(short, rel=0.25)
    assert not [w for w in m.warnings if "its modes lack" in w]


def test_what_other_joints_hold_carries_the_force():
    """Force in the middle of a bar with all of its 120 modes: nothing is missing, held by one end, by two or none."""
    body = f.reduce(bar(), [], 120)
    pin = np.eye(6)[:3]
    for holds in ({}, {1: np.eye(6)}, {1: pin, 21: pin[1:]}, {1: pin, 21: pin}, {1: np.eye(6), 21: np.eye(6)}):
        for weight in (None, (0, 0.6, 0.8)):
            assert all(share < 1e-6 for share, _ in f.missing_statics(bar(), body, [11], holds, weight))
    # clamped at both ends, deflection F L^3 / (192 E I) along y and z, of which the lowest free modes hold less
    few = f.reduce(bar(), [], 8)
    shares = [f.missing_statics(bar(), few, [11], {1: rows, 21: rows})[0][0] for rows in (pin, np.eye(6))]
    assert 0.0 < shares[0] < shares[1] < 1.0


def test_named_interfaces_are_not_reported():
    m, p = model()
    flexible(m, p, 0, interfaces=[1, 21])
    clamp(m, p)
    pull(m, p)
    assert said(m) == []
    pull(m, p, MIDDLE)
    (text,) = said(m)
    assert "(node 11)" in text and "interfaces=[11]" in text


def test_what_is_off_or_only_measures_is_not_reported():
    m, p = model()
    flexible(m, p, 4)
    clamp(m, p)
    m.request("tip", kind="DISPLACEMENT", i=m.marker_at(p, TIP), j=m.marker_at(m.ground, TIP))
    assert said(m) == []
    force = m.vforce(m.marker_at(p, TIP), m.ground, "0", "0", "-10")
    assert said(m)
    force.active = False
    assert said(m) == []


@pytest.mark.parametrize("modes", [4, 30, 120])
def test_the_weight_of_a_late_cantilever(modes):
    """w L^4 / (8 E I) at the tip: with all 120 modes of 20 beam elements it is right, and nothing is reported."""
    m, p = model(gravity=(0, 0, -9.81))
    flexible(m, p, modes)
    clamp(m, p)
    m.marker_at(p, TIP, name="tip")
    got = float(hn.simulate(m, kind="statics").marker("tip").position[-1, 2])
    short = 1 - got / (-RHO * WIDTH * HEIGHT * 9.81 / (8 * EI))
    assert bool(said(m)) == (modes < 120)
    assert (short < 2e-3) == (modes == 120)
    assert all("under its own weight" in w for w in said(m))


def test_joints_between_moving_parts_are_loads():
    """A double pendulum whose upper link was made flexible before its joints: its modes lack the sideways deflection,
    which counts where a force has that direction."""
    for before, sideways in ((True, True), (False, True), (True, False)):
        m, p = model(gravity=(0, 0, -9.81))
        q = m.part("q", 1, (1, 1, 1), (1, 0, 1))
        if before:
            flexible(m, p, 6)
        m.revolute(p, m.ground, at=(0, 0, 0), axis=(0, 1, 0))
        m.revolute(p, q, at=TIP, axis=(0, 1, 0))
        if not before:
            flexible(m, p, 6)
        if sideways:
            m.vforce(q.cm, m.ground, "0", "1", "0")
        assert len(said(m)) == (before and sideways)


def test_reduced_bodies_and_other_units_know_their_elements():
    m, p = model()
    m.make_flexible(p, f.reduce(bar(), [], 4))
    clamp(m, p)
    pull(m, p)
    (plain,) = said(m)
    for model_units in ("mm", "SI"):
        m, p = model(units=model_units)
        m.make_flexible(p, bar(1000.0, E * 1e-6, RHO * 1e-12), modes=4, units="mm, N, s")
        clamp(m, p)
        pull(m, p)
        assert said(m) == [plain]


@pytest.mark.parametrize("modes", [4, 6, 10])
@pytest.mark.parametrize("sideways", [False, True])
def test_a_planar_beam_needs_no_sideways_modes(modes, sideways):
    """A beam on two supports with a force in its middle, F L^3 / (48 E I).  Its hinges and forces keep to a plane, so
    modes that move out of it do not count until a force has that direction."""
    m, p = model()
    flexible(m, p, modes)
    m.revolute(p, m.ground, at=(0, 0, 0), axis=(0, 1, 0))
    slide = m.part("slide", 0.1, (1e-4,) * 3, TIP)
    m.revolute(p, slide, at=TIP, axis=(0, 1, 0))
    m.translational(slide, m.ground, at=TIP, axis=(1, 0, 0))
    pull(m, p, MIDDLE)
    if sideways:
        m.vforce(m.marker_at(p, MIDDLE), m.ground, "0", "TIME", "0")
        assert said(m)
        return
    run = hn.simulate(m, kind="statics")
    short = 1 - float(run.marker("tip").position[-1, 2]) / (-10.0 / (48 * EI))
    assert short < 0.05 and said(m) == []
