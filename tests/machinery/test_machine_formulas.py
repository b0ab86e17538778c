"""Formulas of gears, bearings, brakes, clutches and cams at random values, against integrals, equations of motion and
printed formulas that are written here: a coefficient that is a few percent off fails."""

import math

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp
from scipy.optimize import brentq
from scipy.special import ellipe, ellipk

from holonom.machinery import (
    BandBrake,
    CamProgram,
    DiscBrake,
    DiscClutch,
    DrumBrake,
    GearPair,
    JournalBearing,
    RollingBearing,
    engagement,
    groan_speed,
    hertz_ball,
    planetary_efficiency,
    separation_speed,
    stopping,
    willis,
)
from holonom.machinery.cams import LAWS, law
from holonom.machinery.power_flow import mesh_loss

PI = math.pi


def involute(angle):
    """The involute function tan(a) - a."""
    return math.tan(angle) - angle


# ---- teeth: C. Weber, K. Banaschek (1953), on the tooth that ISO 6336-3 describes ----------------------------------
def tooth(z, m, shift, rack=(1.25, 0.38)):
    """Half thickness x over the height y from the centre: the fillet from its 30 degree tangent on, by the formulas of
    ISO 6336-3 (method B) for any angle of the tangent, and the involute."""
    alpha, (depth, round_) = math.radians(20.0), rack
    E = PI / 4 - depth * math.tan(alpha) - (1 - math.sin(alpha)) * round_ / math.cos(alpha)
    G = round_ - depth + shift
    tangent = lambda theta: theta - 2 * G / z * np.tan(theta) + 2 / z * (PI / 2 - E)
    end = PI / 2 - alpha
    theta = np.linspace(brentq(lambda t: tangent(t) - PI / 3, 0.0, end), end, 2000)
    phi = tangent(theta)
    x = 0.5 * m * (z * np.sin(phi - theta) + 2 * np.sin(phi) * (G / np.cos(theta) - round_))
    y = 0.5 * m * (z * np.cos(phi - theta) + 2 * np.cos(phi) * (G / np.cos(theta) - round_))
    base = 0.5 * m * z * math.cos(alpha)
    r = np.linspace(max(math.hypot(x[-1], y[-1]), base), 0.5 * m * z + m * (1 + shift), 2000)[1:]
    inv = lambda a: np.tan(a) - a
    half = PI / 2 / z + 2 * shift * math.tan(alpha) / z + inv(alpha) - inv(np.arccos(np.minimum(base / r, 1.0)))
    return np.append(x, r * np.sin(half)), np.append(y, r * np.cos(half)), base


def compliance(z, m, shift, rho, young=206e3):
    """1/stiffness per width of tooth and body under a force at the radius of curvature rho, and the distance along the
    force to the middle of the tooth."""
    x, y, base = tooth(z, m, shift)
    r = math.hypot(base, rho)
    at = np.interp(r, np.hypot(x, y)[len(x) // 2 :], np.arctan2(x, y)[len(x) // 2 :])  # half the tooth's angle there
    angle = math.acos(base / r) - at  # between the force and the normal of the tooth's middle
    high = r * math.cos(at) - r * math.sin(at) * math.tan(angle)  # where the force meets the middle
    yy = np.linspace(y[0], min(high, y[-1]), 4000)
    thick = 2 * np.interp(yy, y, x)
    arm, root = high - y[0], 2 * x[0]
    tooth_part = 10.92 * np.trapezoid((high - yy) ** 2 / thick**3, yy) + 3.1 * (
        1 + 0.294 * math.tan(angle) ** 2
    ) * np.trapezoid(1 / thick, yy)
    body = 5.2 * (arm / root) ** 2 + arm / root + 1.4 * (1 + 0.294 * math.tan(angle) ** 2)
    return math.cos(angle) ** 2 / young * (tooth_part + body), r * math.sin(at) / math.cos(angle)


@pytest.mark.parametrize(
    "teeth, m, shift, load", [((20, 30), 4.0, (0.0, 0.0), 300.0), ((18, 47), 2.5, (0.3, 0.1), 90.0)]
)
def test_stiffness_of_teeth_is_that_of_weber_and_banaschek(teeth, m, shift, load):
    pair = GearPair(teeth, m, shift=shift, width=25.0)
    line = pair.centre_distance * math.sin(pair.working_angle)
    for share in (0.1, 0.4, 0.7, 0.95):
        rho = pair.path[0] + share * (pair.path[1] - pair.path[0])
        (c1, h1), (c2, h2) = compliance(teeth[0], m, shift[0], rho), compliance(teeth[1], m, shift[1], line - rho)
        b2 = 8 * load * rho * (line - rho) / line * 0.91 / (PI * 206e3)
        hertz = 2 * 0.91 / (PI * 206e3) * (math.log(4 * h1 * h2 / b2) - 0.3 / 0.7)
        assert pair.pair_stiffness(np.array([rho]), load)[0] == pytest.approx(1 / (c1 + c2 + hertz), rel=1e-3)


def test_pairs_in_mesh_share_the_load():
    """Spur teeth without relief: the stiffnesses of the pairs between the ends of the path add up, each one base pitch
    on; friction acts at the radii of curvature, one way before the pitch point and the other after it."""
    pair, load = GearPair((20, 30), 4.0, width=40.0), 9000.0
    mesh, lost = pair.mesh(load, points=16), []
    pitch = pair.base_radii[0] * math.tan(pair.working_angle)
    line = pair.centre_distance * math.sin(pair.working_angle)
    for n, phase in enumerate(mesh.phase):
        rho = pitch + pair.base_pitch * (phase + np.arange(-3, 4))
        rho = rho[(rho > pair.path[0]) & (rho < pair.path[1])]
        k = pair.pair_stiffness(rho, load / 40.0) * 40.0
        assert mesh.pairs[n] == len(rho)
        assert mesh.stiffness[n] == pytest.approx(k.sum(), rel=2e-3)
        assert mesh.transmission_error[n] == pytest.approx(load / k.sum(), rel=2e-3)
        way = np.sign(rho - pitch) * k / k.sum()
        assert mesh.sliding[:, n] == pytest.approx([(way * rho).sum(), (way * (line - rho)).sum()], rel=5e-3, abs=1e-9)
        lost.append((np.abs(rho - pitch) * k / k.sum()).sum() * sum(1 / r for r in pair.base_radii))
    assert mesh.unloaded == pytest.approx(np.zeros(16), abs=1e-12)
    assert mesh_loss(pair, mesh, 0.07) == pytest.approx(0.07 * np.mean(lost), rel=5e-3)


def pushed(stiffness, gaps, load):
    """Displacement at which springs behind gaps carry a load."""
    return brentq(lambda d: (stiffness * np.maximum(d - gaps, 0.0)).sum() - load, 0.0, 0.1)


def test_relief_of_the_tips_is_a_ramp():
    """Where one pair bears, at the middle of the path, nothing is relieved; at the tip the whole relief is."""
    pair = GearPair((20, 30), 4.0, tip_relief=0.03, relief_length=0.25)
    plain = GearPair((20, 30), 4.0)
    few, bare = pair.mesh(50.0, points=64), plain.mesh(50.0, points=64)
    single = bare.pairs == 1
    assert few.transmission_error[single] == pytest.approx(bare.transmission_error[single], rel=1e-9)
    # a light load is carried by the pair that is relieved least
    pitch, length = pair.base_radii[0] * math.tan(pair.working_angle), 0.25 * pair.base_pitch
    for n in np.flatnonzero(~single)[::5]:
        rho = pitch + pair.base_pitch * (few.phase[n] + np.arange(-3, 4))
        rho = rho[(rho > pair.path[0]) & (rho < pair.path[1])]
        depth = (
            0.03
            * np.maximum(np.maximum(rho - pair.path[1] + length, 0.0), np.maximum(pair.path[0] + length - rho, 0.0))
            / length
        )
        k = pair.pair_stiffness(rho, 50.0 / pair.width) * pair.width
        push = pushed(k, depth, 50.0)
        assert few.transmission_error[n] == pytest.approx(push, rel=5e-3)
        assert few.unloaded[n] == pytest.approx(push - 50.0 / few.stiffness[n], rel=1e-6, abs=1e-8)


def test_iso_stiffness_by_its_regression():
    """q' of ISO 6336-1 with its nine coefficients, C_B and C_M; spur and helical, with shifts and a ring."""
    for teeth, helix, shift, internal, depth in (
        ((23, 61), 0.0, (0.2, -0.3), False, 1.25),
        ((23, 61), 0.3, (0.2, 0.4), False, 1.4),
        ((21, 90), 0.0, (0.1, 0.25), True, 1.25),
    ):
        pair = GearPair(teeth, 3.0, helix=helix, shift=shift, internal=internal, rack=(1.0, depth, 0.3))
        at = math.atan(math.tan(math.radians(20)) / math.cos(helix))
        low = 1 - (math.sin(helix) * math.cos(math.radians(20))) ** 2  # cos^2 of the helix on the base cylinder
        assert math.cos(pair.base_helix) ** 2 == pytest.approx(low) and pair.transverse_angle == pytest.approx(at)
        n1, n2 = (z / (low * math.cos(helix)) for z in teeth)
        x1, x2 = shift
        if internal:
            n2, x2 = math.inf, 0.0
        q = (0.04723 + 0.15551 / n1 + 0.25791 / n2 - 0.00635 * x1 - 0.11654 * x1 / n1 - 0.00193 * x2
             - 0.24188 * x2 / n2 + 0.00529 * x1 * x1 + 0.00182 * x2 * x2)  # fmt: skip
        want = 0.8 * (1 + 0.5 * (1.2 - depth)) * math.cos(helix) / q
        assert pair.iso_stiffness()[0] == pytest.approx(want, rel=1e-12)
        assert pair.iso_stiffness(False)[0] == pytest.approx(want / 0.8, rel=1e-12)
        assert pair.iso_stiffness()[1] == pytest.approx(want * (0.75 * pair.contact_ratio + 0.25), rel=1e-12)
    steep = GearPair((23, 61), 3.0, pressure_angle=math.radians(25), young=100e3, rack=(1.0, 1.2, 0.3))
    flat = GearPair((23, 61), 3.0, rack=(1.0, 1.2, 0.3))
    assert steep.iso_stiffness()[0] / flat.iso_stiffness()[0] == pytest.approx(1.1 * 100 / 206, rel=1e-12)


def test_sizes_of_helical_teeth():
    """Thickness at the tips, radii, overlap and loss of a helical pair with shifts and backlash, by their formulas."""
    pair = GearPair((19, 42), 3.0, helix=0.25, width=30.0, shift=(0.25, 0.1), backlash=0.08)
    assert involute(pair.working_angle) == pytest.approx(
        involute(pair.transverse_angle) + 2 * math.tan(math.radians(20)) * 0.35 / 61, rel=1e-12
    )
    mt, at = 3.0 / math.cos(0.25), math.atan(math.tan(math.radians(20)) / math.cos(0.25))
    for k, z in enumerate((19, 42)):
        r, x = 0.5 * mt * z, pair.shift[k]
        tip = r + 3.0 * (1 + x)
        assert pair.tip_radii[k] == pytest.approx(tip) and pair.root_radii[k] == pytest.approx(r - 3.0 * (1.25 - x))
        s = mt * (0.5 * PI + 2 * x * math.tan(math.radians(20))) - 0.04  # arc at the pitch circle
        angle = math.acos(r * math.cos(at) / tip)
        assert pair.tip_thickness(k) == pytest.approx(
            2 * tip * (s / (2 * r) + involute(at) - involute(angle)), rel=1e-9
        )
        assert pair.pitch_radii[k] == pytest.approx(pair.centre_distance * z / 61)
    assert pair.overlap_ratio == pytest.approx(30.0 * math.tan(0.25) / (PI * mt))
    tips, base, line = pair.tip_radii, pair.base_radii, pair.centre_distance * math.sin(pair.working_angle)
    e2, e1 = (
        (math.sqrt(t * t - b * b) - b * math.tan(pair.working_angle)) / (PI * mt * math.cos(at))
        for t, b in ((tips[1], base[1]), (tips[0], base[0]))
    )
    assert line == pytest.approx((base[0] + base[1]) * math.tan(pair.working_angle))
    loss = PI * (1 / 19 + 1 / 42) / math.cos(pair.base_helix) * (1 - e1 - e2 + e1**2 + e2**2)
    assert pair.loss_factor == pytest.approx(loss, rel=1e-9)


@pytest.mark.parametrize("basic", [0.97, 0.8, 1.0])
def test_power_of_planetary_sets(basic):
    """All six ways of driving a set, by the balance of power seen from the carrier."""
    sun, ring = 24, 66
    for held, driven in [(h, d) for h in ("ring", "carrier", "sun") for d in ("ring", "carrier", "sun") if h != d]:
        (out,) = {"ring", "carrier", "sun"} - {held, driven}
        w = {held: 0.0, driven: 1.0}
        w[out] = 1.0 / willis(sun, ring, held, driven)
        assert sun * (w["sun"] - w["carrier"]) == pytest.approx(-ring * (w["ring"] - w["carrier"]))
        good = []
        for into, of in (("sun", "ring"), ("ring", "sun")):  # who puts power into the rolling of the teeth
            T = {into: math.copysign(1.0, w[into] - w["carrier"])}
            T[of] = -basic * T[into] * (w[into] - w["carrier"]) / (w[of] - w["carrier"])
            T["carrier"] = -T["sun"] - T["ring"]
            if T[driven] * w[driven] > 0:
                good.append(-T[out] * w[out] / (T[driven] * w[driven]))
        assert len(good) >= 1
        assert min(abs(planetary_efficiency(sun, ring, held, driven, basic) - g) for g in good) < 1e-12


# ---- bearings --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("ball, race", [(10.0, (30.0, -5.2)), (8.0, (-24.0, -4.3)), (12.0, (25.0, 60.0))])
def test_a_ball_on_a_race(ball, race):
    """Hamrock and Brewe's formulas, and Hertz's exact ones by complete elliptic integrals within their 3 %."""
    Rx, Ry = 1 / (2 / ball + 1 / race[0]), 1 / (2 / ball + 1 / race[1])
    a, R, E = max(Rx, Ry) / min(Rx, Ry), Rx * Ry / (Rx + Ry), 206e3 / 0.91
    q = PI / 2 - 1
    printed = PI * a ** (2 / PI) * E * math.sqrt((1 + q / a) * R / (4.5 * (PI / 2 + q * math.log(a)) ** 3))
    assert hertz_ball(ball, race) == pytest.approx(printed, rel=1e-12)
    k = brentq(lambda k: ((k * k * ellipe(1 - 1 / k**2) - ellipk(1 - 1 / k**2))
                          / (ellipk(1 - 1 / k**2) - ellipe(1 - 1 / k**2))) - a, 1 + 1e-9, 100.0)  # fmt: skip
    exact = PI * k * E * math.sqrt(R * ellipe(1 - 1 / k**2) / (4.5 * ellipk(1 - 1 / k**2) ** 3))
    assert printed == pytest.approx(exact, rel=0.03)
    soft = hertz_ball(ball, race, young=100e3, poisson=0.2)
    assert soft / printed == pytest.approx(100e3 / 0.96 / E)


def test_forces_of_rolling_bearings():
    """The sum over the elements, one by one; a deflection is where the sum is the load, with clearance or preload."""
    rng = np.random.default_rng(3)
    for clearance in (0.02, 0.0, -0.01):
        b = RollingBearing(7, 3e4, power=1.4, clearance=clearance, ball=9.0, pitch=40.0)
        x, y, turn = rng.uniform(-0.05, 0.05, 2).tolist() + [0.3]
        total = np.zeros(2)
        for n in range(7):
            along = np.array([math.cos(turn + 2 * PI * n / 7), math.sin(turn + 2 * PI * n / 7)])
            depth = x * along[0] + y * along[1] - clearance / 2
            total -= 3e4 * max(depth, 0.0) ** 1.4 * along
            assert b.loads(x, y, turn)[n] == pytest.approx(3e4 * max(depth, 0.0) ** 1.4, rel=1e-12, abs=1e-12)
        assert b.force(x, y, turn) == pytest.approx(total, rel=1e-12)
        for load in (10.0, 3000.0):
            assert b.force(b.deflection(load, turn), 0.0, turn)[0] == pytest.approx(-load, rel=1e-9)
    assert b.cage_ratio == pytest.approx((40.0 - 9.0) / 80.0)


def film(b, x, y, vx, vy, speed):
    """Force of the film by the pressure of a short bearing, p = (z^2 - L^2/4)/(2 h^3) (6 eta w h' + 12 eta dh/dt), over
    the half of it behind the narrowest gap (Sommerfeld's half)."""
    e, line = math.hypot(x, y), math.atan2(y, x)
    theta, weight = np.polynomial.legendre.leggauss(200)
    theta, weight = 0.5 * PI * (theta - 1.0), 0.5 * PI * weight  # -pi to 0 from the narrowest gap
    n = np.array([np.cos(line + theta), np.sin(line + theta)])
    h = b.clearance - e * np.cos(theta)
    rate = -(vx * n[0] + vy * n[1])
    p = -(b.length**3 / 6) / (2 * h**3) * b.viscosity * (6 * speed * e * np.sin(theta) + 12 * rate)
    return -(weight * p * n).sum(axis=1) * b.radius


def test_film_of_journal_bearings():
    """Forces with any velocity, stiffness and damping against integrals of the pressure; S and attitude; the loads at
    which whirl never comes."""
    b = JournalBearing(0.04, 0.03, 8e-5, 0.015)
    rng = np.random.default_rng(5)
    for _ in range(6):
        e, line = 8e-5 * rng.uniform(0.1, 0.85), rng.uniform(-3, 3)
        at = e * math.cos(line), e * math.sin(line)
        v = tuple(8e-5 * 100.0 * rng.uniform(-1, 1, 2))
        want = film(b, *at, *v, 300.0)
        assert b.force(*at, *v, 300.0) == pytest.approx(want, rel=1e-7, abs=1e-7 * np.abs(want).max())
    for load in (200.0, 3000.0):
        eps, attitude = b.equilibrium(load, 250.0)
        at = 8e-5 * eps * math.cos(attitude), 8e-5 * eps * math.sin(attitude)
        assert film(b, *at, 0.0, 0.0, 250.0) == pytest.approx([-load, 0.0], rel=1e-7, abs=1e-7 * load)
        K, C = b.linear(load, 250.0)
        step = 1e-5 * 8e-5
        for a, d in enumerate(np.eye(2) * step):
            k = (
                film(b, at[0] - d[0], at[1] - d[1], 0, 0, 250.0) - film(b, at[0] + d[0], at[1] + d[1], 0, 0, 250.0)
            ) / (2 * step)
            c = (film(b, *at, *-d, 250.0) - film(b, *at, *d, 250.0)) / (2 * step)
            assert K[:, a] == pytest.approx(k, rel=1e-5, abs=1e-5 * np.abs(K).max())
            assert C[:, a] == pytest.approx(c, rel=1e-5, abs=1e-5 * np.abs(C).max())
    # the stability limit by Routh: a rotor on the film's K and C at the threshold has a pure oscillation
    speed, ratio = b.whirl_speed(400.0, 60.0)
    K, C = b.linear(400.0, speed)
    w = ratio * speed
    assert abs(np.linalg.det(K - 60.0 * w * w * np.eye(2) + 1j * w * C)) < 1e-3 * abs(np.linalg.det(K))
    assert b.whirl_speed(1e8, 1e8)[0] == math.inf


# ---- brakes and clutches ---------------------------------------------------------------------------------------------
def lining(a, r, start, end, mu):
    """Moments about the pivot of pressure and friction, and the torque, of a lining with the pressure sin(theta)."""
    normal = quad(lambda t: r * a * math.sin(t) ** 2, start, end)[0]
    friction = quad(lambda t: mu * r * (r - a * math.cos(t)) * math.sin(t), start, end)[0]
    return normal, friction, quad(lambda t: mu * r * r * math.sin(t), start, end)[0]


def radius_of_pads(pressure, inner, outer):
    """Mean radius at which pads of a pressure over the radius rub."""
    return quad(lambda r: pressure(r) * r * r, inner, outer)[0] / quad(lambda r: pressure(r) * r, inner, outer)[0]


def test_shoes_bands_and_pads_by_integrals():
    """Pressure p sin(theta) along a lining: moments about the pivot and torque by quadrature; pads by rings; a band by
    the equilibrium of its elements."""
    for a, r, lever, start, end, mu in ((0.11, 0.14, 0.2, 0.3, 1.2, 0.3), (0.12, 0.15, 0.21, 0.1, 2.4, 0.25)):
        drum = DrumBrake(r, 0.03, a, lever, start, end, mu, shoes=("leading", "trailing", "trailing"))
        normal, friction, torque = lining(a, r, start, end, mu)
        high = math.sin(min(end, PI / 2))
        each = {}
        for shoe, sign in (("leading", -1.0), ("trailing", 1.0)):
            each[shoe] = lever * torque / (normal + sign * friction)
            assert drum.factor(shoe) * r == pytest.approx(each[shoe], rel=1e-9)
            want = 700.0 * lever / (normal + sign * friction) / 0.03 * high
            assert drum.largest_pressure(shoe, 700.0) == pytest.approx(want, rel=1e-9)
        assert drum.torque_per_force == pytest.approx(each["leading"] + 2 * each["trailing"], rel=1e-9)
        assert not drum.locks("leading")
    area = PI / 4 * 0.05**2
    for pressure, p in (("even", lambda r: 1.0), ("wear", lambda r: 1.0 / r)):
        arm = radius_of_pads(p, 0.09, 0.13)
        disc = DiscBrake(0.05, 0.09, 0.13, 0.4, pistons=2, calipers=3, pressure=pressure)
        assert disc.torque_per_pressure == pytest.approx(0.4 * arm * 2 * area * 2 * 3, rel=1e-12)
        clutch = DiscClutch(0.09, 0.13, 800.0, 0.25, 6, pressure)
        assert clutch.capacity == pytest.approx(0.25 * 800.0 * arm * 6, rel=1e-12)
    tight = solve_ivp(lambda _, T: 0.3 * T, (0.0, 2.0), [1.0], rtol=1e-10, atol=1e-12).y[0, -1]
    band = BandBrake(0.2, 2.0, 0.3)
    assert band.torque_per_force == pytest.approx(0.2 * (tight - 1.0), rel=1e-8)
    assert band.torque_per_force_back == pytest.approx(0.2 * (1.0 - 1.0 / tight), rel=1e-8)


def slowed(rates, start, stops):
    """End of an integration of SciPy where ``stops`` is zero: time and state."""
    stops.terminal, stops.direction = True, -1.0
    r = solve_ivp(rates, (0.0, 1e3), start, method="DOP853", rtol=1e-11, atol=1e-12, events=stops, max_step=0.05)
    return r.t_events[0][0], r.y_events[0][0]


@pytest.mark.parametrize("rise, drag, speed", [(0.0, 0.0, 80.0), (0.4, 7.0, 80.0), (3.0, 5.0, 10.0), (0.2, 0.0, 30.0)])
def test_stops_by_integration(rise, drag, speed):
    brake = lambda t: 120.0 * min(t / rise, 1.0) if rise else 120.0
    time, (_, angle) = slowed(lambda t, s: [-(brake(t) + drag) / 2.5, s[0]], [speed, 0.0], lambda t, s: s[0])
    assert stopping(2.5, speed, 120.0, rise=rise, drag=drag) == pytest.approx((time, angle), rel=1e-7)


@pytest.mark.parametrize("rise, driving, load", [(0.0, 0.0, 0.0), (0.1, 30.0, 12.0), (4.0, 20.0, 15.0)])
def test_engagements_by_integration(rise, driving, load):
    full = lambda t: 150.0 * min(t / rise, 1.0) if rise else 150.0
    rates = lambda t, s: [(driving - full(t)) / 0.4, (full(t) - load) / 1.1, full(t) * (s[0] - s[1])]
    time, (_, speed, heat) = slowed(rates, [120.0, 15.0, 0.0], lambda t, s: s[0] - s[1])
    found = engagement(150.0, (0.4, 1.1), (120.0, 15.0), driving=driving, load=load, rise=rise)
    assert (found.time, found.speed, found.heat) == pytest.approx((time, speed, heat), rel=1e-7)


def test_pads_groan_below_the_speed_at_which_friction_falls_as_damping_takes():
    v = groan_speed(normal=900.0, mu_static=0.6, mu_kinetic=0.4, decay=0.25, damping=200.0)
    slope = -(0.6 - 0.4) / 0.25 * math.exp(-v / 0.25)
    assert 900.0 * slope == pytest.approx(-200.0, rel=1e-12)


# ---- cams ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", LAWS)
def test_lift_laws_and_their_derivatives(name):
    """Six-point differences of s and s' at points of all pieces; s rises from 0 to 1 and is odd about its middle."""
    u = np.array([0.03, 0.09, 0.2, 0.35, 0.5, 0.61, 0.8, 0.9, 0.97])
    s, v, a = law(name, u)
    h = 1e-3
    at = [law(name, u + k * h) for k in (-3, -2, -1, 1, 2, 3)]
    slope = lambda k: (45 * (at[3][k] - at[2][k]) - 9 * (at[4][k] - at[1][k]) + at[5][k] - at[0][k]) / (60 * h)
    assert v == pytest.approx(slope(0), abs=1e-9) and a == pytest.approx(slope(1), abs=1e-8)
    assert s + law(name, 1 - u)[0] == pytest.approx(np.ones(9), abs=1e-12)
    assert law(name, 0.0)[0] == pytest.approx(0.0, abs=1e-15) and law(name, 1.0)[0] == pytest.approx(1.0)


def test_cam_programmes():
    """Lift, pressure angle, radius of curvature and the speed at which a follower leaves, from the law's numbers."""
    cam = CamProgram((("dwell", 0.6), ("rise", 1.4, "4-5-6-7"), ("dwell", 0.3), ("return", 1.6, "cycloidal"),
                      ("dwell", 2 * PI - 3.9)), 12.0)  # fmt: skip
    for at, sign, base, begin, width, name in (
        (1.1, 1.0, 0.0, 0.6, 1.4, "4-5-6-7"), (3.0, -1.0, 1.0, 2.3, 1.6, "cycloidal")
    ):  # fmt: skip
        u = (at - begin) / width
        for turns in (0.0, 2 * PI):
            s, v, a = (float(np.squeeze(x)) for x in cam(np.array([at + turns])))
            n = [float(np.squeeze(x)) for x in law(name, np.array([u]))]
            assert (s, v, a) == pytest.approx(
                (12.0 * (base + sign * n[0]), sign * 12.0 * n[1] / width, sign * 12.0 * n[2] / width**2), rel=1e-9
            )
    turn = np.linspace(0.0, 2 * PI, 2000, endpoint=False)
    s, v, a = cam(turn)
    steep = np.arctan(np.abs(v - 5.0) / (s + math.sqrt(30.0**2 - 25.0)))
    assert cam.pressure_angle(30.0, 5.0) == pytest.approx(steep.max(), rel=1e-9)
    # the contour under a flat follower: its support function is the lift over the base circle
    edge = cam.contour(40.0, 4000)
    for k in (0, 300, 700, 1500):
        angle = 2 * PI * k / 4000
        high = (edge @ [math.sin(angle), math.cos(angle)]).max()
        assert high == pytest.approx(40.0 + float(np.squeeze(cam(np.array([angle]))[0])), rel=1e-6)
    assert cam.flat_radius(40.0) == pytest.approx((40.0 + s + a).min(), rel=1e-9)
    m, k, f = 0.3, 20.0, 150.0
    speed = separation_speed(cam, m, k, f)
    fine = cam(np.linspace(0, 2 * PI, 7200, endpoint=False))
    held = k * fine[0] + f + m * 1e-3 * speed**2 * fine[2]  # of the contact force, N
    assert held.min() == pytest.approx(0.0, abs=1e-6 * f)
