"""Wheelsets and vehicles that run: Klingel, an independent linear model, growth in time, steady curving, a coach in a
curve; units, JSON, refusals."""

import math
import re
from functools import cache

import _kalker
import numpy as np
import pytest
from scipy.optimize import brentq

import holonom as hn
from holonom.model import ModelError
from holonom.rail import (
    cone,
    contact_geometry,
    critical_speed,
    curve,
    equilibrium_cant,
    growth_rate,
    klingel_wavelength,
    least_damped,
    make_irregularities,
    nadal,
    prudhomme,
    rail_vehicle,
    round_head,
    uic60,
    wheel_history,
    wheelset,
)

G, CONE, HEAD = 9.81, 0.05, 0.3
MASS, IX, IY, IZ, R0, KX, KY, LOAD = 1250.0, 700.0, 250.0, 700.0, 0.45, 0.8e6, 0.5e6, 1e5
BOX, BOX_I = 1.0, 0.5


def track_in(units="SI", width=0.06, **more):
    m = hn.Model("rails", units=units)
    mm = 1.0 / m.units.si_length
    m.gravity = (0.0, 0.0, -G * mm)
    return m, m.rail_track(rail=round_head(HEAD, width), **more)


def guided(speed, y=0.0, units="SI", law="LINEAR"):
    """A wheelset on springs in a frame that is led along the track; frame 1 m to either side."""
    m, track = track_in(units)
    u = 1.0 / m.units.si_length  # a metre, and the unit of force is kg mm / s^2 or newton
    f = 1.0 / m.units.si_force
    kg = 1.0 / m.units.si_mass
    w = wheelset(
        m,
        track,
        load=LOAD * f,
        speed=speed * u,
        y=y * u,
        profile=cone(CONE),
        law=law,
        mass=MASS * kg,
        inertia=tuple(i * kg * u * u for i in (IX, IY, IZ)),
        radius=R0 * u,
        spacing=1.5 * u,
        box_mass=BOX * kg,
        box_inertia=(BOX_I * kg * u * u,) * 3,
        box_spread=2.0 * u,
    )
    h = m.body_frame(w.part).origin[2]
    frame = m.part("frame", 1000.0 * kg, (100.0 * kg * u * u,) * 3, (0, 0, h), velocity=(speed * u, 0, 0))
    m.motion(m.translational(frame, m.ground, at=(0, 0, h), axis=(1, 0, 0)), f"{speed * u!r}*time")
    for box, sign in zip(w.boxes, (1, -1)):
        other = m.marker_at(frame, (0, sign * u, h), axes=np.eye(3))
        m.bushing(
            box,
            other,
            stiffness=(KX * f / u, KY * f / u, 1e5 * f / u),
            damping=(0, 0, 1e4 * f / u),
            force=(0, 0, -0.5 * (LOAD - (MASS + BOX) * G) * f),
        )
    return m, w


@cache
def spin(ratio, nu):
    return _kalker.adhesion(ratio, nu)[3]


def by_hand(speed):
    """Lateral position and yaw of that wheelset by Kalker's linear theory and first-order geometry, in NumPy: (y, psi,
    y', psi').  Hertz by elliptic integrals, Kalker's coefficients from his table, C33 by brute force, the points of
    contact of a line on a circle."""
    E, nu = 210e9, 0.27
    a, b = _kalker.ellipse(0.5 * LOAD, 1 / R0, 1 / HEAD, E, nu)
    c11, c22, c23 = _kalker.coefficients(a / b, nu)
    shear, ab, c33 = E / (2 * (1 + nu)), a * b, spin(a / b, nu)
    f11, f22, f23, f33 = shear * ab * c11, shear * ab * c22, shear * ab**1.5 * c23, shear * ab**2 * c33
    l = _kalker.arm(HEAD, 0.06, CONE, 1 / 40)
    roll = CONE / (l - R0 * CONE)  # per lateral position
    gamma = CONE * (l + HEAD * CONE) / (l - R0 * CONE)  # Wickens
    m, iz, f = MASS + BOX, IZ + BOX_I, 1 + R0 * roll
    A = np.zeros((4, 4))
    A[0, 2] = A[1, 3] = 1
    A[2] = np.array([-2 * KY - LOAD * roll + 2 * f23 * roll / R0, 2 * f22, -2 * f22 * f / speed, -2 * f23 / speed]) / m
    A[3] = (
        np.array(
            [
                -2 * f11 * l * gamma / R0 + 2 * f33 * roll / R0,
                -2 * KX + LOAD * l * CONE - 2 * f23,
                2 * f23 * f / speed - IY * speed / R0 * roll,
                (-2 * f11 * l * l - 2 * f33) / speed,
            ]
        )
        / iz
    )
    return A


def test_eigenvalues_of_a_suspended_wheelset():
    """Against NumPy: the hunting mode at 20 m/s, the critical speed of 111 m/s."""
    m, w = guided(20.0)
    assert w.radius == pytest.approx(R0 + 0.0005, abs=2e-4)
    exact = np.linalg.eigvals(by_hand(20.0))
    exact = exact[exact.imag > 1.0][0]
    found = hn.linearize(m).eigenvalues
    assert np.abs(found - exact).min() < 1e-3 * abs(exact)

    def grows(v):
        values = np.linalg.eigvals(by_hand(v))
        return values[values.imag > 1.0].real.max()

    critical = brentq(grows, 60.0, 200.0)
    stability = critical_speed(lambda v: guided(v)[0], 100.0, 120.0, points=2, slowest=2.0, tolerance=2e-3)
    assert stability.critical == pytest.approx(critical, rel=5e-3)
    assert stability.frequency[stability.speed.searchsorted(stability.critical)] == pytest.approx(6.85, rel=0.02)


@pytest.mark.parametrize("speed", [pytest.param(104.0, marks=pytest.mark.slow), 118.0])
def test_growth_in_time(speed):
    """A small swing decays and grows in a simulation as the eigenvalue specifies."""
    m, w = guided(speed, y=1e-4)
    run = hn.simulate(m, end=1.5, steps=300, integrator="RADAU5", error=1e-6)
    assert growth_rate(run.time[20:], run.data.body_position[20:, 0, 1]) == pytest.approx(
        least_damped(m, slowest=2.0).real, abs=0.05
    )


def test_growth_of_a_known_swing():
    """exp(t / 20) sin(2 pi t), read four times a period: amplitudes and zeros, about a middle of 0.3."""
    t = np.arange(0.0, 20.0, 0.25)
    assert growth_rate(t, 0.3 + np.exp(t / 20) * np.sin(2 * np.pi * t)) == pytest.approx(0.05, rel=0.01)
    t = np.arange(36.0)  # amplitudes with two zeros between, of which no logarithm is taken
    y = np.where(t % 3 == 1, (-1.0) ** (t // 3) * np.exp(0.01 * t), 0.0)
    assert growth_rate(t, y) == pytest.approx(0.01, rel=0.1)
    with pytest.raises(ModelError, match="fewer than three swings"):
        growth_rate(t[:4], np.sin(2 * np.pi * t[:4]))


def test_millimetres():
    a = np.sort_complex(hn.linearize(guided(30.0)[0]).eigenvalues)
    b = np.sort_complex(hn.linearize(guided(30.0, units="mm")[0]).eigenvalues)
    assert np.abs(a - b).max() < 1e-5 * np.abs(a).max()


def test_klingel():
    """A free wheelset at walking pace swings with the wavelength of its kinematics, from 2 mm; it is in equal loads
    from the start."""
    m, track = track_in()
    w = wheelset(m, track, load=2000 * G, speed=2.0, y=0.002, profile=cone(0.1), mass=1800.0, law="LINEAR")
    run = hn.simulate(m, end=16.0, steps=320, integrator="RADAU5", error=1e-5)
    x, y = run.data.body_position[:, 0, 0], run.data.body_position[:, 0, 1]
    loads = [wheel_history(run, c)["Q"] for c in w.contacts]
    assert loads[0][0] == pytest.approx(1000 * G, rel=0.02) and loads[1][-1] + loads[0][-1] == pytest.approx(
        2000 * G, rel=0.01
    )
    ups = np.flatnonzero((y[:-1] < 0) & (y[1:] >= 0))
    crossings = x[ups] - y[ups] * (x[ups + 1] - x[ups]) / (y[ups + 1] - y[ups])
    g = contact_geometry(cone(0.1), round_head(HEAD), y=np.arange(-15, 16) * 2e-4)
    assert len(crossings) >= 2
    # Klingel's wheelset does not roll: that its points of contact move by 1 + r0 (roll per position) as fast as its
    # centre makes the wave longer; conicity and roll by Wickens
    half = _kalker.arm(HEAD, 0.06, 0.1, 1 / 40)
    conicity = 0.1 * (half + HEAD * 0.1) / (half - 0.46 * 0.1)
    wanted = klingel_wavelength(conicity, distance=2.0 * half) * math.sqrt(1.0 + 0.46 * 0.1 / (half - 0.46 * 0.1))
    assert np.diff(crossings).mean() == pytest.approx(wanted, rel=0.01)
    assert wanted == pytest.approx(g.wavelength(0.002), rel=0.03)


def test_ends_of_profiles_and_lifted_wheels_are_told():
    """A free wheelset is pushed to the left until its left wheel bears at the inner end of its profile and the right
    one hangs."""
    m, track = track_in()
    w = wheelset(m, track, load=2000 * G, speed=2.0, profile=cone(0.1, width=0.054), mass=1800.0, law="LINEAR")
    m.vforce(m.marker_at(w.part, m.body_frame(w.part).origin), None, fy="1e5*TIME")
    run = hn.simulate(m, end=0.56, steps=56, integrator="RADAU5", error=1e-4)
    left, right = (wheel_history(run, c) for c in w.contacts)
    assert wheel_history(run.between(0.0, 0.15), w.contacts[0])["left"] == []
    reached = left["time"][np.argmax(left["y"][:, 0] < 5 * 2.5e-4 - 0.027)]  # were the axle level
    found = re.fullmatch(
        r"WHEEL_RAIL/1 'wheelset left' touched an end of the wheel's profile, first at (\S+) s: give a wider one",
        *left["left"],
    )
    assert 0.2 < reached < 0.31 and float(found[1]) == pytest.approx(reached, abs=0.03)
    assert len(right["left"]) == 1 and "carried no load at" in right["left"][0]


@pytest.mark.slow
def test_steady_curving():
    """A free wheelset in a curve of 1000 m, cant in balance, runs 2 l r0 / R of rolling radii next to the middle."""
    m, track = track_in(
        width=0.09,
        sections=curve(1000.0, straight=5, transition=60, length=100, cant=equilibrium_cant(1000.0, 5.0), out=0),
    )
    w = wheelset(m, track, load=1e5, speed=5.0, s=1.0, profile=cone(0.15), mass=1e5 / G - 200.0)
    run = hn.simulate(m, end=24.0, steps=480, integrator="RADAU5", error=1e-5)
    left, right = (wheel_history(run, c) for c in w.contacts)
    steady = left["s"] > 70.0
    apart = (left["lateral"] + left["y"][:, 0]) - (right["lateral"] + right["y"][:, 0])
    difference = (left["radius"] - right["radius"])[:, 0]
    radius = 0.5 * (left["radius"] + right["radius"])[:, 0]
    assert difference[steady].mean() == pytest.approx(-(apart * radius)[steady].mean() / 1000.0, rel=0.01)
    g = contact_geometry(cone(0.15), round_head(HEAD, 0.09), y=np.linspace(-0.006, 0.006, 61))
    wanted = np.interp(-apart[-1] * radius[-1] / 1000.0, g.difference, g.y)
    assert 0.5 * (left["lateral"] + right["lateral"])[steady].mean() == pytest.approx(wanted, rel=0.01)


@pytest.mark.slow
def test_coach_in_a_curve():
    """30 m/s, R 600 m, cant 100 mm: the rails' lateral forces are what the cant leaves of the centrifugal force, the
    leading outer wheel touches with tread and flange, quotients stay below Nadal's limit, axles below Prud'homme's."""
    m = hn.Model("coach")
    m.gravity = (0, 0, -G)
    track = m.rail_track(rail=uic60(), sections=curve(600.0, straight=40.0, transition=60.0, length=120.0, cant=0.1))
    coach = rail_vehicle(m, track, speed=30.0, s=20.0, mu=0.35)
    run = hn.simulate(m, end=6.5, steps=325, integrator="RADAU5", error=1e-4)
    histories = [[wheel_history(run, c) for c in w.contacts] for w in coach.wheelsets]
    mass = 32000.0 + 2 * 2615.0 + 4 * 1813.0
    at = np.flatnonzero((histories[3][0]["s"] > 112.0) & (histories[0][0]["s"] < 215.0))[-60:]
    speed = histories[0][0]["speed"][at].mean()
    angle = math.asin(0.1 / 1.5)
    wanted = mass * (speed**2 / 600.0 * math.cos(angle) - G * math.sin(angle))
    assert sum(h["Y"][at].mean() for pair in histories for h in pair) == pytest.approx(wanted, rel=0.02)
    wanted = mass * (speed**2 / 600.0 * math.sin(angle) + G * math.cos(angle))
    assert sum(h["Q"][at].mean() for pair in histories for h in pair) == pytest.approx(wanted, rel=0.005)
    outer = histories[0][1]
    assert (outer["normal"][at] > 3e3).all()
    assert 0.1 < outer["quotient"][at].mean() < nadal(math.radians(70.0), 0.35)
    for w, pair in zip(coach.wheelsets, histories):
        assert np.abs(pair[0]["Y"] + pair[1]["Y"])[at].max() < prudhomme(w.load)


def test_a_coach_stands_on_its_springs():
    """On straight rails nothing moves: springs carry what lies above them; each bogie's bar has the stiffness of the
    data, 940 kN m/rad, against roll; wheelsets and bogies stand where the drawing says."""
    m = hn.Model("coach")
    m.gravity = (0, 0, -G)
    track = m.rail_track(rail=uic60())
    coach = rail_vehicle(m, track, s=30.0)
    springs = {b.name: b for b in m.table("BUSHING").values()}
    up = lambda word, end: [b.force[2] for n, b in springs.items() if word in n and end in n]
    assert sum(abs(f) for f in up("secondary", "front")) == pytest.approx(0.5 * 32000.0 * G)
    assert sum(abs(f) for f in up("primary", "rear bogie frame")) == pytest.approx((0.5 * 32000.0 + 2615.0) * G)
    assert [b.kt[0] for n, b in springs.items() if "roll bar" in n] == [940e3, 940e3]
    places = [m.body_frame(w.part).origin[0] for w in coach.wheelsets]
    assert places == pytest.approx([30 + 9.5 + 1.28, 30 + 9.5 - 1.28, 30 - 9.5 + 1.28, 30 - 9.5 - 1.28], abs=1e-6)
    run = hn.simulate(m, end=1e-4, steps=1, integrator="RADAU5", error=1e-5)
    for part in (coach.body, *(b.frame for b in coach.bogies), *(w.part for w in coach.wheelsets)):
        assert np.abs(run.part(part.name).acceleration.values[0]).max() < 0.01 * G, part.name


def test_limits_by_hand():
    assert nadal(math.radians(70.0), 0.36) == pytest.approx(
        1.2, abs=0.01
    )  # the limit of EN 14363 is 0.8, for mu 0.6 and less steep flanges
    assert prudhomme(105e3) == pytest.approx(45e3) and prudhomme(105e3, 0.85) == pytest.approx(38250.0)
    assert equilibrium_cant(1000.0, 30.0) == pytest.approx(1.5 * math.sin(math.atan(900.0 / 9806.65)))


def test_json_keeps_tracks_and_wheels():
    rough = make_irregularities("FRA 5", 40.0)
    m = hn.Model("kept")
    m.gravity = (0, 0, -G)
    track = m.rail_track(rail=round_head(HEAD), sections=[(10, 0, 0), (10, 0.001, 0.02)], **rough.arguments(m.units))
    wheelset(m, track, load=5e4, speed=3.0, s=5.0, profile=cone(0.1), mu=0.25)
    again = hn.Model.from_json(m.to_json())
    assert again.table("RAIL_TRACK")[1] == track
    assert list(again.table("WHEEL_RAIL").values()) == list(m.table("WHEEL_RAIL").values())


def test_refused():
    m, track = track_in()
    with pytest.raises(ModelError, match="load is 0"):
        wheelset(m, track, load=0.0)
    with pytest.raises(ModelError, match="does not stand on its rail"):
        wheelset(m, track, load=1e4, profile=cone(0.05), spacing=2.5)
    with pytest.raises(ModelError, match="a vehicle has no 'primery'.*primary"):
        rail_vehicle(m, track, data={"primery": {}})
    with pytest.raises(ModelError, match="mu is -1"):
        m.wheel_rail(
            m.part("w", 1.0, (1, 1, 1), (0, 0, 0.46)).cm, track, side="LEFT", radius=0.46, profile=cone(0.05), mu=-1.0
        )
    with pytest.raises(ModelError, match="give .length > 0"):
        m.rail_track(rail=round_head(HEAD), sections=[(0, 0, 0)])
    m.gravity = (0, 0, 0)
    with pytest.raises(ModelError, match="no gravity"):
        rail_vehicle(m, track)
    with pytest.raises(ModelError, match="low < high"):
        critical_speed(lambda v: m, 50.0, 20.0)
