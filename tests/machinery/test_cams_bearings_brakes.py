"""Cams, valve trains, bearings, brakes against closed forms and printed numbers."""

import math

import numpy as np
import pytest

import holonom as hn
from holonom.machinery import (
    BandBrake,
    CamProgram,
    DiscBrake,
    DrumBrake,
    JournalBearing,
    RollingBearing,
    add_brake,
    braking_rig,
    hertz_ball,
    pad_on_disc,
    separation_speed,
    stopping,
    table_bearing,
    valve_train,
)
from holonom.machinery.cams import FACTORS, LAWS, law, standard_cam
from holonom.machinery.studies import ball_on_plate, ball_study, guarded_run, restitution


# ---- cams ------------------------------------------------------------------------------------------------------------
def test_laws():
    """Printed peaks (Norton), ends, and derivatives against differences."""
    printed = {
        "3-4-5": (1.875, 5.774),
        "4-5-6-7": (2.188, 7.513),
        "cycloidal": (2.0, 6.283),
        "modified sine": (1.760, 5.528),
        "harmonic": (1.571, 4.935),
    }
    u = np.linspace(0, 1, 20001)
    for name in LAWS:
        s, v, a = law(name, u)
        assert (s[0], s[-1]) == pytest.approx((0, 1), abs=1e-12)
        assert (v.max(), np.abs(a).max()) == pytest.approx(FACTORS[name], rel=1e-7) and FACTORS[name] == pytest.approx(
            printed[name], abs=6e-4
        )
        assert np.abs(np.gradient(s, u) - v)[2:-2].max() < 1e-6 and np.abs(np.gradient(v, u) - a)[2:-2].max() < 1e-4
    cam = CamProgram(
        (("rise", 1.0, "cycloidal"), ("dwell", 0.5), ("return", 1.5, "3-4-5"), ("dwell", 2 * math.pi - 3.0)), 10.0
    )
    s, v, a = cam([0.5, 1.2, 2.25, 5.0, 0.5 + 2 * math.pi])
    assert s == pytest.approx([5, 10, 5, 0, 5]) and v == pytest.approx([20.0, 0, -10 * 1.875 / 1.5, 0, 20.0])
    flat = cam.contour(60.0)
    assert np.hypot(*flat.T).min() == pytest.approx(60.0, rel=1e-3) and np.hypot(*flat.T).max() == pytest.approx(
        70.0, rel=1e-3
    )


def test_a_valve_leaves_its_cam_at_the_speed_of_the_formula():
    """Stiff pushrod: one mass; below the speed the contact holds, above it does not.  The valve follows the lift."""
    cam = standard_cam()
    limit = separation_speed(cam, 0.18, 40.0, 300.0)
    least = {}
    for share in (0.85, 1.15):
        model = valve_train(cam, speed=share * limit, pushrod=2e5, contact=2e5, damping=0.1, rise=0.02)
        run = hn.simulate(
            model, end=0.02 + 2.5 * 2 * math.pi / limit / share, steps=600, integrator="RADAU5", error=1e-5
        )
        table = run.request("train").values
        late = (run.time > 0.022) & (table[:, 2] > 0.5)
        least[share] = table[late, 5].min()
        if share < 1.0:
            assert np.abs(table[late, 4] - table[late, 2]).max() < 0.05
    assert least[0.85] > 30.0 and least[1.15] == 0.0


# ---- bearings --------------------------------------------------------------------------------------------------------
def test_a_pushrod_swings_and_calms_down():
    """Off the cam, without a valve spring: tappet and valve swing against each other with sqrt(k/m), 1/m = 1/m1 + 1/m2,
    and the share of the critical damping that is asked for."""
    model = valve_train(
        standard_cam(), tappet=0.08, valve=0.1, pushrod=2e4, spring=0.0, preload=0.0, lash=1.0, damping=0.07
    )
    found = hn.linearize(model).eigenvalues
    s = found[np.argmax(found.imag)]
    assert abs(s) == pytest.approx(math.sqrt(2e7 * (1 / 0.08 + 1 / 0.1)), rel=1e-6)
    assert -s.real / abs(s) == pytest.approx(0.07, rel=1e-6)


def test_journal_against_ocvirk():
    """S (L/D)^2 = (1 - e^2)^2/(pi e sqrt(pi^2 (1 - e^2) + 16 e^2)); equilibrium of the film's own forces; whirl at half
    the speed from some 2.7 sqrt(g/c) on."""
    b = JournalBearing(0.05, 0.05, 1e-4, 0.02)
    for eps in (0.1, 0.5, 0.8):
        want = (1 - eps**2) ** 2 / (math.pi * eps * math.sqrt(math.pi**2 * (1 - eps**2) + 16 * eps**2)) * 4
        assert b.sommerfeld(eps) == pytest.approx(want)
        load = 0.02 * 50 * 0.1 * 0.05 * 500.0**2 / want
        found, attitude = b.equilibrium(load, 100 * math.pi)
        assert found == pytest.approx(eps)
        at = 1e-4 * eps * np.array([math.cos(attitude), math.sin(attitude)])
        assert b.force(*at, 0.0, 0.0, 100 * math.pi) == pytest.approx([-load, 0.0], rel=1e-9, abs=1e-9 * load)
    speed, ratio = b.whirl_speed(2000.0, 2000.0 / 9.81)
    assert speed * math.sqrt(1e-4 / 9.81) == pytest.approx(2.67, abs=0.01) and ratio == pytest.approx(0.51, abs=0.01)


def rotor(bearing, load, speed, turns):
    m = hn.Model("rotor")
    m.gravity = (0, 0, 0)
    body = m.part("rotor", load / 9.81, (1.0, 1.0, 1.0), (0, 0, 0))
    journal, bush = m.marker(body), m.marker(m.ground)
    m.planar(body, m.ground, at=(0, 0, 0), axis=(0, 0, 1))
    m.motion(i=journal, j=bush, component="B3", function=f"{speed}*TIME")
    m.vforce(journal, m.ground, f"{load}", "0", "0")
    bearing.into(m, journal, bush)
    run = hn.simulate(m, end=turns * 2 * math.pi / speed, steps=40 * turns, integrator="RADAU5", error=1e-6)
    return run.part("rotor").position.values[:, :2] / bearing.clearance


def test_a_rotor_finds_its_place_in_the_oil():
    b = JournalBearing(0.05, 0.05, 1e-4, 0.02)
    eps, attitude = b.equilibrium(2000.0, 600.0)
    at = rotor(b, 2000.0, 600.0, 40)
    assert at[-1] == pytest.approx([eps * math.cos(attitude), eps * math.sin(attitude)], rel=1e-3)


@pytest.mark.slow
def test_a_rotor_whirls_above_the_threshold():
    """Just below it the orbit dies, above it grows and turns at half the speed."""
    b = JournalBearing(0.05, 0.05, 1e-4, 0.02)
    speed, ratio = b.whirl_speed(2000.0, 2000.0 / 9.81)
    below, above = (rotor(b, 2000.0, f * speed, 80) for f in (0.9, 1.1))
    assert np.ptp(np.hypot(*below.T)[-400:]) < 1e-3
    assert np.hypot(*above.T)[-400:].max() > 0.8
    turned = np.unwrap(np.arctan2(above[-800:, 1], above[-800:, 0]))
    assert (turned[-1] - turned[0]) / (800 / 40 * 2 * math.pi) == pytest.approx(0.5, abs=0.03)


def test_rolling_bearings():
    """Stribeck's factors; the sum in a model; K of a ball in a groove; a table in a model."""
    for power, book in ((1.5, 4.37), (10 / 9, 4.08)):
        b = RollingBearing(60, 1e5, power=power)
        assert b.loads(b.deflection(1000.0), 0.0).max() * 60 / 1000 == pytest.approx(book, abs=0.008)
    # a sphere on a plane: 4/3 E* sqrt(R), exact, E* = E/(2 (1 - nu^2))
    assert hertz_ball(20.0, (math.inf, math.inf)) == pytest.approx(4 / 3 * 206e3 / 2 / 0.91 * math.sqrt(10.0), rel=1e-9)
    assert hertz_ball(20.0, (40.0, -10.4)) > 1.5 * hertz_ball(20.0, (40.0, math.inf))  # a groove
    m = hn.Model("shaft", units="mm")
    m.gravity = (0, 0, 0)
    bodies = [m.part(w, 1.0, (10.0,) * 3, (0, 50.0 * k, 0)) for k, w in enumerate(("hertz", "table"))]
    for k, body in enumerate(bodies):
        m.planar(body, m.ground, at=(0, 50.0 * k, 0), axis=(0, 0, 1))
        i, j = m.marker(body), m.marker_at(m.ground, (0, 50.0 * k, 0))
        m.motion(i=i, j=j, component="B3", function="0")
        m.vforce(i, m.ground, "100*STEP(TIME,0,0,0.01,1)", "0", "0")
        if k:
            table_bearing(m, i, j, [(0, 0), (0.01, 50.0), (0.02, 150.0), (0.04, 400.0)], damping=2.0)
        else:
            b = RollingBearing(9, 2e5, clearance=0.01)
            b.into(m, i, j, damping=2.0)
    run = hn.simulate(m, end=0.1, steps=20, integrator="RADAU5", error=1e-7)
    x = [run.part(w).position.values[-1, 0] for w in ("hertz", "table")]
    assert x[0] == pytest.approx(b.deflection(100.0), rel=1e-5)
    assert 0.01 < x[1] < 0.02


# ---- brakes ----------------------------------------------------------------------------------------------------------
def test_factors_of_brakes():
    """Shigley's example of an internal-shoe brake: r 150 mm, b 32 mm, mu 0.32, lining 0 to 126 degrees, pivots at 123
    mm, p 1 MPa: 2.28 kN, 366 and 162 N m, 0.443 MPa."""
    drum = DrumBrake(0.150, 0.032, 0.1227, 0.212, 0.0, math.radians(126.0), 0.32)
    force = 1e6 / drum.largest_pressure("leading", 1.0)
    assert force == pytest.approx(2280.0, rel=5e-3)
    torque = [drum.factor(s) * drum.radius * force for s in ("leading", "trailing")]
    assert torque == pytest.approx([366.0, 162.0], rel=5e-3)
    assert drum.largest_pressure("trailing", force) == pytest.approx(0.443e6, rel=5e-3)
    band = BandBrake(0.2, math.pi, 0.3)
    assert band.gain == pytest.approx(math.exp(0.3 * math.pi)) and band.torque_per_force_back < band.torque_per_force
    assert DiscBrake(0.05, 0.1, 0.14, pressure="even").radius == pytest.approx(
        2 / 3 * (0.14**3 - 0.1**3) / (0.14**2 - 0.1**2)
    )
    with pytest.raises(hn.ModelError, match="is self-locking; give less than"):
        DrumBrake(0.150, 0.032, 0.1227, 0.212, 0.0, math.radians(126.0), 1.2)


def test_a_stop_takes_the_time_of_the_formula():
    disc = DiscBrake(0.057, 0.085, 0.135)
    torque = disc.torque_per_pressure * 4e6
    time, angle = stopping(40.0, 80.0, torque, rise=0.2)
    run = hn.simulate(braking_rig(disc), end=0.98 * time, steps=50, integrator="RADAU5", error=1e-7)
    at = run.request("brake").values[-1]
    assert at[2] / 0.02 == pytest.approx(torque / 40.0 * time, rel=1e-4)
    assert at[1] == pytest.approx(angle - 0.5 * torque / 40.0 * (0.02 * time) ** 2, rel=1e-6)
    assert stopping(40.0, 1e-3, torque, rise=10.0)[0] == pytest.approx(math.sqrt(2 * 10.0 * 40.0 * 1e-3 / torque))
    judder = hn.simulate(
        braking_rig(disc, thickness=1e-5, order=2, stiffness=5e7), end=0.5, steps=400, integrator="RADAU5", error=1e-6
    )
    table = judder.request("brake").values[200:]
    swing = -table[:, 3] - torque
    assert swing == pytest.approx(2 * disc.mu * disc.radius * 5e7 * 1e-5 * np.cos(2 * table[:, 1]), abs=1e-3 * torque)


def test_a_pad_sticks_and_slips_where_friction_falls_faster_than_damping_takes():
    """N (mu_s - mu_k)/v_s exp(-v/v_s) = 358 N s/m: below it the pad sticks and slips, above it slides."""
    for damping, moves in ((5.0, True), (600.0, False)):
        run = hn.simulate(pad_on_disc(damping=damping), end=0.8, steps=1600, integrator="RADAU5", error=1e-5)
        table = run.request("pad").values[800:]
        assert bool(np.ptp(table[:, 1]) > 1e-3) is moves
        sticks = np.abs(table[:, 2]) < 2e-3
        assert bool(sticks.any()) is moves
        if not moves:
            mu = 0.35 + 0.15 * math.exp(-0.1 / 0.3)
            assert table[-1, 1] == pytest.approx(1000 * mu / 1e5, rel=1e-6)


# ---- studies ---------------------------------------------------------------------------------------------------------
def test_ball_study_finds_the_restitution():
    said = []
    rows = ball_study((5.0,), ("RADAU5",), (1e-6,), end=0.25, say=said.append)
    assert rows[0]["outcome"] == "ran" and rows[0]["restitution"] == pytest.approx(
        restitution(5.0, math.sqrt(2 * 9806.65 * 50)), rel=1e-4
    )
    assert rows[0]["gain"] < 1e-6 and len(said) == 1
    with pytest.raises(hn.ModelError, match="past the second height"):
        ball_study(end=0.1)


def test_a_run_of_a_study_is_one_piece():
    """It takes the steps of one analysis: a method that is restarted takes more.  Without CPU time it stops at once."""
    options = {"integrator": "RADAU5", "error": 1e-4}
    alone = hn.Simulation(ball_on_plate(5.0))
    alone.dynamics(end=0.2, steps=400, **options)
    found = guarded_run(ball_on_plate(5.0), 0.2, 5e-4, 60.0, **options)
    assert found["outcome"] == "ran" and len(found["run"].history) == len(alone.run().history)
    found = guarded_run(ball_on_plate(5.0), 0.2, 5e-4, 0.0, **options)
    assert found["outcome"] == "budget" and found["reached"] < 0.2


def test_bad_cams_bearings_and_brakes():
    m = hn.Model()
    i, j = m.marker(m.part("p", 1.0, (1, 1, 1))), m.marker(m.ground)
    for call, match in (
        (lambda: law("3-4-6", 0.5), "did you mean '3-4-5'"),
        (lambda: CamProgram((("rise", 1.0, "3-4-5"),), 1.0), "give a whole turn"),
        (lambda: CamProgram((("rise", 1.0, "3-4-5"), ("rise", 1.0, "3-4-5")), 1.0), "rises twice"),
        (lambda: CamProgram((("dwel", 1.0, ""),), 1.0), "did you mean 'dwell'"),
        (lambda: valve_train(standard_cam(), base=5.0), "base circle of 5 is too small"),
        (lambda: valve_train(standard_cam(), tappet=0.0), "tappet of a valve train is 0"),
        (lambda: JournalBearing(0.05, 0.2, 1e-4, 0.02), "is not short"),
        (lambda: JournalBearing(0.05, 0.05, -1e-4, 0.02), "clearance of a bearing"),
        (lambda: RollingBearing(2, 1e5), "elements of a rolling bearing is 2"),
        (lambda: hertz_ball(20.0, (40.0, -9.0)), "smaller than those of its ball"),
        (lambda: table_bearing(m, i, j, [(0, 0), (1, 2)]), "three rows or more"),
        (lambda: DiscBrake(0.05, 0.2, 0.1), "give inner below outer"),
        (lambda: DrumBrake(0.15, 0.03, 0.12, 0.2, shoes=("leading", "leding")), "'leading' or 'trailing'"),
        (lambda: BandBrake(0.1, -1.0), "wrap of a band brake is -1"),
        (lambda: add_brake(m, "shaft", "1"), "give a revolute joint"),
        (lambda: braking_rig(DiscBrake(0.05, 0.1, 0.14), thickness=1e-5), "stiffness of its caliper"),
        (lambda: pad_on_disc(mu_kinetic=0.6), "mu_kinetic up to mu_static"),
        (lambda: stopping(0.0, 1.0, 1.0), "inertia of a stop is 0"),
    ):
        with pytest.raises(hn.ModelError, match=match):
            call()
