"""Gears by ratio and by mesh: geometry of the books, ISO 6336, static transmission error, Willis, friction, orders."""

import math

import numpy as np
import pytest
from numpy.polynomial import Polynomial

import holonom as hn
from holonom.machinery import (
    GearPair,
    bevel_pair,
    gear_pair,
    gear_study,
    order_spectrum,
    planetary_efficiency,
    planetary_set,
    planetary_study,
    two_stage_gearbox,
    willis,
)
from holonom.machinery.studies import mesh_period


def test_geometry_of_the_books():
    """Contact ratio of 20 and 30 teeth by its formula; a pair whose shifts make up a centre distance; a ring as the
    rack specifies."""
    pair = GearPair((20, 30), 4.0)
    a = math.radians(20)
    of = lambda z: math.sqrt((z / 2 + 1) ** 2 - (z / 2 * math.cos(a)) ** 2)
    want = (of(20) + of(30) - 25 * math.sin(a)) / (math.pi * math.cos(a))
    assert pair.contact_ratio == pytest.approx(want) and want == pytest.approx(1.605, abs=1e-3)
    assert pair.centre_distance == pytest.approx(100.0) and pair.base_pitch == pytest.approx(4 * math.pi * math.cos(a))
    shifted = GearPair((17, 43), 4.0, shift=(0.3, 0.1))
    inv = lambda x: math.tan(x) - x
    assert inv(shifted.working_angle) == pytest.approx(inv(a) + 2 * math.tan(a) * 0.4 / 60)
    assert shifted.centre_distance == pytest.approx(120 * math.cos(a) / math.cos(shifted.working_angle))
    ring = GearPair((24, 72), 2.0, internal=True)
    assert (
        ring.centre_distance == pytest.approx(48.0)
        and ring.tip_radii[1] == pytest.approx(70.0)
        and ring.root_radii[1] == pytest.approx(74.5)
    )
    assert ring.ratio == pytest.approx(1 / 3) and pair.ratio == pytest.approx(-2 / 3)


@pytest.mark.parametrize(("teeth", "shift"), [((20, 30), (0.0, 0.0)), ((17, 43), (0.3, 0.1)), ((40, 40), (0.0, 0.0))])
def test_stiffness_is_that_of_iso(teeth, shift):
    """ISO 6336 has c' of theory by a regression of Weber and Banaschek's equations (its own scatter is some 5 %), and
    the mean of the mesh from it."""
    pair = GearPair(teeth, 4.0, shift=shift)
    single, mean = pair.iso_stiffness(measured=False)
    load = 300.0 * pair.width
    best = pair.pair_stiffness(np.linspace(*pair.path, 40), 300.0).max() * 1e-3
    table = pair.mesh(load)
    assert best == pytest.approx(single, rel=0.09)
    assert 1e-3 * table.stiffness.mean() / pair.width == pytest.approx(mean, rel=0.06)
    assert table.transmission_error == pytest.approx(load / table.stiffness)
    assert table.pairs.mean() == pytest.approx(pair.contact_ratio, abs=0.02)
    # friction by shares of load: Ohlendorf shares equally
    slide = (table.sliding[0] / pair.base_radii[0] - table.sliding[1] / pair.base_radii[1]).mean()
    assert slide == pytest.approx(pair.loss_factor, rel=0.08)


def test_relief_and_helix_calm_the_mesh():
    plain, helical = GearPair((20, 30)), GearPair((20, 30), helix=math.radians(15))
    load = 12000.0
    assert helical.mesh(load).peak_to_peak < 0.4 * plain.mesh(load).peak_to_peak
    eased = GearPair((20, 30), tip_relief=load / plain.mesh(load).stiffness.min(), relief_length=0.4)
    step = lambda pair: np.abs(np.diff(pair.mesh(load).transmission_error)).max()  # as a pair comes or goes
    assert step(eased) < 0.1 * step(plain) and eased.mesh(load).peak_to_peak < 0.6 * plain.mesh(load).peak_to_peak


def test_a_drive_does_not_stop_where_its_speed_is_reached():
    """The speed at the very time at which it has risen is that speed."""
    run = hn.simulate(gear_pair(GearPair((20, 30)), "ratio", speed=4.0, rise=0.125), end=0.25, steps=2)
    assert run.time[1] == 0.125
    assert run.request("turned").values[:, 3] == pytest.approx([0.0, 4.0, 4.0], abs=1e-9)


def test_a_slow_run_has_the_static_transmission_error():
    """Mean, swing and period of the mesh; torque of the drive with friction by the loss; both levels keep the ratio."""
    pair = GearPair((20, 30))
    table = pair.mesh(2e5 / pair.base_radii[1])
    model = gear_pair(pair, speed=5.0, torque=2e5, rise=0.01, friction=0.08, damping=0.2)
    period = 2 * math.pi / 20 / 5.0
    run = hn.simulate(model, end=0.02 + 3 * period, steps=1000, integrator="RADAU5", error=1e-6)
    late = run.time > 0.02 + period
    phase = (run.request("turned").values[:, 1] * 20 / (2 * math.pi)) % 1.0
    want = np.interp(
        phase, np.append(table.phase, 1.0), np.append(table.transmission_error, table.transmission_error[0])
    )
    d = run.request("mesh").values[:, 2]
    # friction on the wheel takes before the pitch point and gives after it: F (r + mu arm) = torque
    want = want / (
        1.0
        + 0.08
        * np.interp(phase, np.append(table.phase, 1.0), np.append(table.sliding[1], table.sliding[1, 0]))
        / pair.base_radii[1]
    )
    away = np.ones(len(want), bool)  # where no pair has just come or gone, nor passed the pitch point
    for k in np.flatnonzero(np.abs(np.diff(want)) > 4e-5):
        away[max(k - 12, 0) : k + 40] = False
    assert away[late].sum() > 200 and np.abs(d[late & away] / want[late & away] - 1).max() < 0.01
    assert d[late].mean() == pytest.approx(want[late].mean(), rel=0.01)
    loss = 0.08 * (table.sliding[0] / pair.base_radii[0] - table.sliding[1] / pair.base_radii[1]).mean()
    assert 1 - 2e5 * 2 / 3 / run.motion("drive").torque.values[late, 2].mean() == pytest.approx(loss, rel=0.05)
    # bearings feel the mesh: its force along the line of action
    force = run.joint("pinion shaft").force.values[late]
    assert np.hypot(force[:, 0], force[:, 1]).mean() == pytest.approx(
        run.request("mesh").values[late, 1].mean(), rel=1e-3
    )
    assert force[:, 1].mean() / force[:, 0].mean() == pytest.approx(1 / math.tan(math.radians(20)), rel=1e-3)


def test_helical_teeth_push_along_their_shafts():
    """Torque over the pitch radius acts around, tan(helix) of it along the shafts, tan(20 deg)/cos(helix) of it between
    them; gears are discs of steel of their pitch circles."""
    pair = GearPair((20, 30), helix=0.3)
    model = gear_pair(pair, speed=5.0, torque=2e5, rise=0.01, constant=True, damping=0.3)
    run = hn.simulate(model, end=0.03, steps=6, integrator="RADAU5", error=1e-6)
    r = 0.5 * 30 * pair.module / math.cos(0.3)
    around = 2e5 / r
    one, two = (run.joint(f"{w} shaft").force.values[-1] for w in ("pinion", "wheel"))
    wanted = [around * math.tan(math.radians(20)) / math.cos(0.3), around, around * math.tan(0.3)]
    assert np.abs(two) == pytest.approx(wanted, rel=1e-4) and one == pytest.approx(-two, rel=1e-4)
    wheel = model.find("PART", "wheel")
    mass = 7.85e-6 * math.pi * r**2 * pair.width
    assert (wheel.mass, wheel.ip[2]) == pytest.approx((mass, 0.5 * mass * r**2))
    assert wheel.ip[0] == pytest.approx(mass * (3 * r**2 + pair.width**2) / 12)


def test_damping_of_a_mesh_is_a_share_of_the_critical_one():
    """A load that comes at once: swings of the wheel on its teeth shrink by exp(pi z/sqrt(1 - z^2)) from one side to
    the other."""
    z = 0.1
    model = gear_pair(
        GearPair((20, 30)), speed=1e-3, torque=2e5, rise=1e-6, constant=True, damping=z, inertia=(1e9, 5e3)
    )
    run = hn.simulate(model, end=5e-3, steps=2500, integrator="RADAU5", error=1e-7)
    d = run.request("mesh").values[:, 2]
    rest = 2e5 / GearPair((20, 30)).base_radii[1] * d[-1] / run.request("mesh").values[-1, 1]
    high = int(np.argmax(d))
    low = high + int(np.argmin(d[high:]))
    shrinks = (d[high] - rest) / (rest - d[low])
    assert shrinks == pytest.approx(math.exp(math.pi * z / math.sqrt(1 - z * z)), rel=0.01)


@pytest.mark.parametrize(
    ("held", "driven", "want"),
    [("ring", "sun", 4.0), ("carrier", "sun", -3.0), ("sun", "carrier", 0.75), ("ring", "carrier", 0.25)],
)
def test_planetary_ratios(held, driven, want):
    """Willis, 24 and 72 teeth: by the equation and by constraints on every planet."""
    assert willis(24, 72, held, driven) == pytest.approx(want)
    run = hn.simulate(planetary_set(held=held, driven=driven, speed=20.0, rise=0.01), end=0.02, steps=4)
    speeds = dict(zip(("sun", "ring", "carrier"), run.request("speeds").values[-1, 1:4]))
    (third,) = set(speeds) - {held, driven}
    assert speeds[driven] / speeds[third] == pytest.approx(want, rel=1e-9) and abs(speeds[held]) < 1e-12
    assert run.request("speeds").values[-1, 4] == pytest.approx(
        -(speeds["sun"] - speeds["carrier"]), rel=1e-9
    )  # planets of as many teeth as the sun


@pytest.mark.slow
@pytest.mark.parametrize(("held", "driven", "want"), [("ring", "sun", 4.0), ("ring", "carrier", 0.25)])
def test_planetary_by_mesh(held, driven, want):
    """Teeth that yield: the mean ratio, and the load on the sun shared by three planets."""
    run = hn.simulate(
        planetary_set(held=held, driven=driven, level="mesh", speed=20.0, torque=2e5),
        end=0.12,
        steps=600,
        integrator="RADAU5",
        error=1e-5,
    )
    speeds = dict(zip(("sun", "ring", "carrier"), run.request("speeds").values[-200:].mean(axis=0)[1:4]))
    (third,) = set(speeds) - {held, driven}
    assert speeds[driven] / speeds[third] == pytest.approx(want, rel=1e-3)
    torque = 2e5 * (24 / 96 if third == "carrier" else 1.0)
    assert run.request("sun meshes").values[-200:, 1:4].mean(axis=0) == pytest.approx(
        [torque / 3 / (24 * math.cos(math.radians(20)))] * 3, rel=2e-3
    )


@pytest.mark.parametrize("spiral, hand", [(0.0, 1), (35.0, 1), pytest.param(35.0, -1, marks=pytest.mark.slow)])
def test_bevel_gears(spiral, hand):
    """Ratio, and the forces on the bearing of a driving pinion that turns anticlockwise as seen from its back (Gleason;
    Shigley): tangential F_t, radial F_t/cos(psi) (tan(20) cos(delta) - sin(psi) sin(delta)), axial F_t/cos(psi)
    (tan(20) sin(delta) + sin(psi) cos(delta)) for right-handed teeth."""
    psi = math.radians(spiral)
    run = hn.simulate(
        bevel_pair(level="mesh", constant=True, speed=20.0, torque=1e5, rise=0.02, damping=0.3, spiral=psi, hand=hand),
        end=0.08,
        steps=80,
        integrator="RADAU5",
        error=1e-6,
    )
    turned = run.request("turned").values[-1]
    assert turned[4] / turned[3] == pytest.approx(-2 / 3, rel=1e-4)
    cone = math.atan2(20, 30)
    mean = 0.5 * 4.0 * 20 * (1 - 0.5 * 25.0 / (40.0 / math.sin(cone)))
    tangential = 1e5 * 2 / 3 / mean
    push, along = tangential * math.tan(math.radians(20)) / math.cos(psi), hand * tangential * math.tan(psi)
    force = -run.joint("pinion shaft").force.values[-1]  # on the gear: the bearing holds it
    radial, axial = push * math.cos(cone) - along * math.sin(cone), push * math.sin(cone) + along * math.cos(cone)
    assert abs(force[1]) == pytest.approx(tangential, rel=1e-3)
    assert force[0] == pytest.approx(-radial, rel=2e-3) and force[2] == pytest.approx(
        axial, rel=2e-3
    )  # the wheel lies towards x


def test_bevel_ratio():
    run = hn.simulate(bevel_pair(level="ratio", speed=20.0, rise=0.01), end=0.02, steps=4)
    turned = run.request("turned").values[-1]
    assert turned[4] / turned[3] == pytest.approx(-2 / 3)
    with pytest.raises(hn.ModelError, match="spiral is 1.2 and hand 1; give radians"):
        bevel_pair(spiral=1.2)


@pytest.mark.slow
def test_a_gearbox_sings_in_its_orders():
    """Run-up; amplitudes at multiples of z1 and z3 z1/z2 of the input shaft stand above all between, the strongest
    where the gearbox swings."""
    turns, steady, speed, rise = 12, 12, 100.0, 0.6
    end = rise + (turns + steady) * 2 * math.pi / speed
    run = hn.simulate(
        two_stage_gearbox(speed=speed, rise=rise),
        end=end,
        steps=int(end * speed / (2 * math.pi) * 23 * 24),
        integrator="RADAU5",
        error=1e-5,
    )
    speeds, angle = run.request("speeds").values, run.request("angle").values[:, 1]
    late = run.time >= rise + 0.9 * steady * 2 * math.pi / speed
    assert speeds[late, 4].mean() / speeds[late, 2].mean() == pytest.approx(23 * 19 / (57 * 61), rel=1e-3)
    for column, order in ((1, 23.0), (3, 23 * 19 / 57)):
        orders, size = order_spectrum(angle[late], run.request("meshes").values[late, column], turns)
        on = [size[np.abs(orders - k * order) < 1.5 / turns].max() for k in range(1, int(120 / order) + 1)]
        off = np.ones(len(orders), bool) & (orders > 3.0) & (orders < 120.0)
        for base in (23.0, 23 / 3):
            for k in range(1, 17):
                off &= np.abs(orders - k * base) > 2.5 / turns
        assert max(on) > 5.0 * size[off].max()


def test_spectrum_of_a_known_signal():
    angle = np.linspace(0, 2 * math.pi * 20.3, 40001)
    angle = angle + 0.01 * np.sin(angle)  # not even in time
    orders, size = order_spectrum(angle, 3.0 + 2.0 * np.sin(23 * angle) + 0.5 * np.cos(7.5 * angle), 20)
    assert size[np.argmin(np.abs(orders - 23))] == pytest.approx(2.0, rel=1e-3) and size[
        np.argmin(np.abs(orders - 7.5))
    ] == pytest.approx(0.5, rel=1e-3)


def test_gears_that_cannot_be():
    for call, match in (
        (lambda: GearPair((20, 3)), "teeth are"),
        (lambda: GearPair((12, 30)), "gear 1 of 12 teeth is undercut; give a profile shift of 0.2"),
        (lambda: GearPair((20, 30), shift=(1.4, 0.0)), "pointed|contact ratio"),
        (lambda: GearPair((20, 22), internal=True), "ring of 22 teeth is too small"),
        (lambda: GearPair((20, 30), module=0.0), "module of gears is 0"),
        (lambda: GearPair((20, 30)).mesh(-1.0), "load of a mesh"),
        (lambda: gear_pair(GearPair(), "mehs"), "did you mean 'mesh'"),
        (lambda: gear_pair(GearPair(shift=(0.1, 0.0)), "contact"), "without profile shift"),
        (lambda: planetary_set(24, 24, 73), "give 72"),
        (lambda: planetary_set(level="contact"), "level is 'contact'"),
        (lambda: two_stage_gearbox(level="contact"), "level is 'contact'"),
        (lambda: planetary_set(planets=5), "cannot be set at equal angles"),
        (lambda: planetary_set(24, 24, 72, 6), "touch each other"),
        (lambda: willis(24, 72, "sun", "sun"), "give two of sun, ring, carrier"),
        (lambda: bevel_pair(width=100.0), "less than half of the cone's length"),
        (lambda: order_spectrum(np.arange(10.0)[::-1], np.arange(10.0)), "must rise"),
    ):
        with pytest.raises(hn.ModelError, match=match):
            call()


def test_planetary_efficiency_of_the_books():
    """VDI 2157, Mueller: with i0 = -3, eta0 = 0.98 and the ring held (1 - i0 eta0)/(1 - i0) from the sun, (1 - i0)/(1 -
    i0/eta0) to it."""
    i0, basic = -3.0, 0.98
    found = lambda held, driven: planetary_efficiency(24, 72, held, driven, basic)
    assert found("ring", "sun") == pytest.approx((1 - i0 * basic) / (1 - i0)) and found(
        "ring", "carrier"
    ) == pytest.approx((1 - i0) / (1 - i0 / basic))
    assert found("sun", "ring") == pytest.approx((1 - basic / i0) / (1 - 1 / i0)) and found(
        "carrier", "ring"
    ) == pytest.approx(basic)
    with pytest.raises(hn.ModelError, match="basic is 1.2"):
        planetary_efficiency(24, 72, "ring", "sun", 1.2)


@pytest.mark.slow
def test_planetary_efficiency_of_runs():
    """Six arrangements with friction: what is lost is what Willis' power flow says, to a tenth of the loss; ratios as
    the teeth."""
    for row in planetary_study():
        assert row["ratio"] == pytest.approx(row["willis"], rel=2e-3)
        assert 1 - row["efficiency"] == pytest.approx(1 - row["expected"], rel=0.1)


def test_period_of_a_mesh():
    """That of a known signal with a second line and noise; none of noise alone."""
    t, noise = np.arange(0, 0.6, 1e-3), np.random.default_rng(1).normal(size=600)
    found = mesh_period(t, np.sin(2 * np.pi * t / 0.075) + 0.3 * np.cos(4 * np.pi * t / 0.075) + 0.02 * noise)
    assert found[0] == pytest.approx(0.075, rel=2e-3) and found[1] < 0.02
    assert math.isnan(mesh_period(t, noise)[0])


@pytest.mark.slow
def test_teeth_bear_from_the_start():
    """The wheel's acceleration vanishes at the depth that is found; the run has the period of the mesh, breaks nowhere
    and never parts."""
    (row,) = gear_study((50.0,), ("GSTIFF",), (1e-3,), end=0.6)
    assert (
        row["period"] == pytest.approx(0.075, rel=1e-3)
        and row["bounces"] == 0
        and math.isnan(row["broke"])
        and row["swing"] < 0.03
    )
    with pytest.raises(hn.ModelError, match="start is 'middle'"):
        gear_study(start="middle")


def growth_by_step(order, step, frequency):
    """Largest root of backward differences, sum of (1 - 1/z)^j / j = i w h, for x' = i w x."""
    nabla, z = Polynomial([-1.0, 1.0]), Polynomial([0.0, 1.0])
    terms = sum(nabla**j * z ** (order - j) / j for j in range(1, order + 1))
    return np.abs((terms - 1j * frequency * step * z**order).roots()).max()


@pytest.mark.slow
def test_equal_steps_break_contact_down_where_the_order_is_unstable():
    """The wheel on its teeth vibrates at sqrt(dF/dd r^2/J): at 2 ms order 6 is unstable for it, at 5 ms none is, order
    2 nowhere.  GSTIFF at equal steps climbs to order 6, and contact breaks down there alone."""
    force, depth, radius = 2e4 / 62.1, 8.6e-3, 62.1
    inertia = 0.5 * 7.85e-6 * np.pi * radius**4 * 40.0
    frequency = math.sqrt(1e3 * 1.5 * force / depth * radius**2 / inertia)
    unstable = lambda order, step: growth_by_step(order, step, frequency) > 1.0
    assert unstable(6, 2e-3) and not unstable(6, 5e-3) and not unstable(2, 2e-3)
    given = {"dampings": (50.0,), "methods": ("GSTIFF",), "errors": (1e-3,), "end": 0.8}
    for step, kmax in ((2e-3, None), (5e-3, None), (2e-3, 2)):
        (row,) = gear_study(**given, step=step, kmax=kmax)
        assert math.isfinite(row["broke"]) == unstable(kmax or 6, step) and row["bounces"] == 0
        assert row["swing"] > 0.05 if unstable(kmax or 6, step) else row["swing"] < 0.02


@pytest.mark.slow
def test_ring_by_tooth_contact():
    """A pinion in a ring whose teeth touch: force by the base radius, speeds by the teeth, as many pairs as the contact
    ratio says or one more while they yield."""
    pair = GearPair((20, 60), 2.0, width=20.0, internal=True, backlash=0.04)
    run = hn.simulate(
        gear_pair(pair, "contact", speed=10.0, torque=5e4, rise=0.02),
        end=0.1,
        steps=400,
        integrator="GSTIFF",
        error=1e-4,
        hmax=1e-3,
    )
    late = run.time > 0.04
    turned = run.request("turned").values[late]
    assert turned[:, 4].mean() / turned[:, 3].mean() == pytest.approx(1 / 3, rel=2e-3)
    teeth = run.contact("teeth")
    assert teeth.normal.values[late].mean() == pytest.approx(5e4 / pair.base_radii[1], rel=2e-3)
    assert pair.contact_ratio < teeth.points.values[late].mean() < pair.contact_ratio + 1.0
    lag = turned[:, 1] / 3 - turned[:, 2]
    assert 0.0 < lag.min() and lag.max() < 1e-3  # rad: no tooth through another, no play
    with pytest.raises(hn.ModelError, match="for straight teeth in a ring; take level 'mesh'"):
        gear_pair(GearPair((20, 60), 2.0, internal=True, helix=0.2), "contact")
