"""Tyres: the Magic Formula of 2002 against a reading of its printed equations, property files, and wheels that roll,
brake, corner and stand."""

from pathlib import Path

import numpy as np
import pytest

import holonom as hn
from _public_data import NEEDS
from _tyre_formulas import printed
from _tyres import PASSENGER, SCALES, TYRE
from holonom.elements.forces.tyres import pac2002
from holonom.vehicle import TyreRig, read_tir, write_tir

TIR = Path(__file__).parents[3] / "shared/data/tyre/tir"


# ---- the formula -----------------------------------------------------------------------------------------------------
def states(count, seed, load):
    rng = np.random.default_rng(seed)
    return (
        rng.uniform(0.2, 2.0, count) * load,
        *(rng.uniform(-s, s, count) for s in (0.8, 0.25, 0.08)),
        rng.uniform(8.0, 40.0, count),
    )


def slopes(e, model, load, gamma):
    """Slip stiffnesses of the law at states."""
    c = np.array(pac2002.parameters(e, model), float)
    return np.array([pac2002.slip_forces(c, f, 0.0, 0.0, g, 10.0, 30.0, 1.0)[5:] for f, g in zip(load, gamma)]).T


def compare(found, want, omega, low=1.0):
    """To 1e-10; rolling resistance has its sign smoothed near standstill."""
    roll = omega * 1.0
    want = {**want, "M_y": want["M_y"] * roll / np.sqrt(roll**2 + (0.05 * low) ** 2)}
    for name, values in want.items():
        assert np.abs(found[name] - values).max() < 1e-10 * max(np.abs(values).max(), 1e-3), name


def alone(coefficients, **options):
    m = hn.Model()
    return m.tyre_pac2002(m.marker(m.part("wheel", 1.0, (1, 1, 1))), m.marker(m.ground), coefficients, **options)


#: the limits of E at combined slip are left, which these weighting functions must not notice
STEEP = {**TYRE, **SCALES, "REX1": 1.6, "REX2": 0.3, "REY1": 1.4, "REY2": -0.2}


@pytest.mark.parametrize("coefficients", (TYRE, PASSENGER, {**TYRE, **SCALES}, STEEP))
@pytest.mark.parametrize("way", (1.0, -1.0))
def test_the_printed_equations(coefficients, way):
    load, k, a, g, v = states(2000, 1, coefficients["FNOMIN"])
    v = way * v
    want = printed({"LONGVL": 16.7, **coefficients}, load, k, a, g, v)
    e = alone(coefficients)
    found = TyreRig(e).forces(load, k, a, g, v)
    Kx, Ky = slopes(e, hn.Model(), load, g)
    compare({**found, "K_x": Kx, "K_y": Ky}, want, coefficients["UNLOADED_RADIUS"] * v * (1 + way * k) / found["R_e"])


def test_the_mirror_image():
    load, k, a, g, v = states(200, 2, 4000.0)
    here, there = (
        TyreRig(alone(TYRE)).forces(load, k, a, g, v),
        TyreRig(alone(TYRE, mirror=True)).forces(load, k, -a, -g, v),
    )
    for name in here:
        assert (
            np.abs(there[name] * (-1 if name in ("F_y", "M_x", "M_z") else 1) - here[name]).max()
            < 1e-9 * np.abs(here[name]).max()
        )


# ---- property files --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "file",
    (
        "Nissan_Patrol__suv_Pac02Tire",
        "Polaris__Polaris_Pac02Tire",
        "audi__audi_Pac02Tire",
        "feda__335_65R22_5_G275MSA_40psi",
        "feda__335_65R22_5_G275MSA_60psi",
        "feda__335_65R22_5_G275MSA_95psi",
        "generic__Generic_Pac02Tire",
        "hmmwv__HMMWV_Pac02Tire",
        "hmmwv__HMMWV_pacejka",
        "hmmwv__pactest",
        "sedan__Sedan_Pac02Tire",
    ),
)
def test_public_files(file):
    """Over their whole ranges, against the printed equations; and written and read again."""
    path = TIR / f"{file}.tir"
    if not path.exists():
        pytest.skip(f"{NEEDS}: {path} is absent")
    found = read_tir(path)
    p = {**found.coefficients}
    rng = np.random.default_rng(3)
    n = 500
    inside = lambda a, b, most: rng.uniform(max(p.get(a, -most), -most), min(p.get(b, most), most), n)
    load = rng.uniform(max(p.get("FZMIN", 0.0), 0.05 * p["FNOMIN"]), min(p.get("FZMAX") or np.inf, 3 * p["FNOMIN"]), n)
    k, a, g, v = (
        inside("KPUMIN", "KPUMAX", 1.5),
        inside("ALPMIN", "ALPMAX", 1.4),
        inside("CAMMIN", "CAMMAX", 0.25),
        rng.uniform(5, 40, n),
    )
    p = {"IP": 1.0, "IP_NOM": 1.0, **p}
    rig = TyreRig(alone(found.coefficients))
    found_forces = rig.forces(load, k, a, g, v)
    want = printed(p, load, k, a, g, v)
    compare(
        found_forces,
        {n: f for n, f in want.items() if n[0] != "K"},
        p["UNLOADED_RADIUS"] * v * (1 + k) / found_forces["R_e"],
        p["VXLOW"],
    )
    assert found.format in ("PAC2002", "MF_05") and found.mode == 4


def test_a_file_is_written_and_read(tmp_path):
    m = hn.Model(units="mm")  # mm, kg, N, s
    part = m.part("wheel", 10.0, (1, 1, 1))
    mine = {"UNLOADED_RADIUS": 310.0, "VERTICAL_STIFFNESS": 200.0, "FNOMIN": 4000.0, "VXLOW": 1000.0}
    e = m.tyre_pac2002(
        m.marker(part), m.marker(m.ground), {**TYRE, **mine}, load_curve=((0, 0), (10, 1500), (20, 3300))
    )
    path = write_tir(tmp_path / "mine.tir", e, m.units)
    si = read_tir(path)
    assert si.coefficients["UNLOADED_RADIUS"] == pytest.approx(0.31) and si.coefficients[
        "VERTICAL_STIFFNESS"
    ] == pytest.approx(2e5)
    assert si.load_curve[-1] == pytest.approx((0.02, 3300))
    again = read_tir(path, m.units)
    assert again.coefficients == pytest.approx(e.coefficients) and again.load_curve == pytest.approx(
        np.array(e.load_curve)
    )


def test_units_and_unknown_words_of_files(tmp_path):
    path = tmp_path / "a.tir"
    text = ["[UNITS]", "LENGTH = 'mm'", "FORCE='pound_force'", "ANGLE = 'degrees'", "TIME = 'second' $ comment",
        "[MODEL]", "PROPERTY_FILE_FORMAT='PAC2002' ! comment",
            "USE_MODE = 14", "TYRESIDE = 'RIGHT'", "[DIMENSION]", "UNLOADED_RADIUS = 300", "[VERTICAL]",
            "VERTICAL_STIFFNESS = 50", "FNOMIN = 900", "NONSENSE = 3.0",
            "[SLIP_ANGLE_RANGE]", "ALPMAX = 45", "[DEFLECTION_LOAD_CURVE]", "{pen fz}", " 0 0", " 10, 500"]  # fmt: skip
    path.write_text("\n".join(text))
    found = read_tir(path)
    assert found.coefficients["UNLOADED_RADIUS"] == pytest.approx(0.3) and found.coefficients[
        "ALPMAX"
    ] == pytest.approx(np.pi / 4)
    assert found.coefficients["VERTICAL_STIFFNESS"] == pytest.approx(50 * 4.4482216152605 / 1e-3)
    assert (
        found.load_curve[1] == pytest.approx((0.01, 500 * 4.4482216152605))
        and found.unknown == ("NONSENSE",)
        and found.side == "RIGHT"
        and found.mode == 4
    )
    for old, new, match in (
        ("LENGTH = 'mm'", "LENGTH = 'metr'", "did you mean METER"),
        ("UNLOADED_RADIUS = 300", "UNLOADED_RADIUS = 30O", r"a.tir:11': UNLOADED_RADIUS is '30O'"),
        ("'PAC2002'", "'FTIRE'", "PROPERTY_FILE_FORMAT is 'FTIRE'"),
        (" 0 0", " 0 zero", "neither WORD = value nor a row"),
        ("USE_MODE = 14", "USE_MODE = 25", "USE_MODE is 25"),
        ("[UNITS]", "UNITS", "before the first section"),
    ):
        path.write_text("\n".join(new.join(line.split(old)) for line in text))
        with pytest.raises(hn.ModelError, match=match):
            read_tir(path)


def test_what_cannot_be_says_so():
    for change, match in (
        ({"PKX9": 1.0}, "no coefficient 'PKX9' of PAC2002; did you mean"),
        ({"UNLOADED_RADIUS": 0.0}, "UNLOADED_RADIUS is 0; give a positive number"),
        ({"PKY1": 0.0}, "PKY1 is missing or zero"),
    ):
        with pytest.raises(hn.ModelError, match=match):
            alone({**TYRE, **change})
    with pytest.raises(hn.ModelError, match="mode is 7"):
        alone(TYRE, mode=7)
    with pytest.raises(hn.ModelError, match="load_curve must begin with"):
        alone(TYRE, load_curve=((0, 0), (0.02, 100), (0.01, 200)))


# ---- wheels in machines ----------------------------------------------------------------------------------------------
def corner(slope=0.0, mass=400.0, speed=0.0, spin=True, coefficients=PASSENGER, units="SI", **options):
    """A quarter of a car over one wheel, held upright; z up, x forward; ``slope`` rad downwards along x and y."""
    f = 1.0 if units == "SI" else 1000.0
    m = hn.Model(units=units)
    m.gravity = tuple(9.81 * f * np.array([np.sin(slope), np.sin(slope), -np.sqrt(1 - 2 * np.sin(slope) ** 2)]))
    h = (0.31 - mass * 9.81 / 2e5) * f
    car = m.part("car", mass - 20.0, (1, 1, 1), position=(0, 0, h), velocity=(speed * f, 0, 0))
    wheel = m.part(
        "wheel", 20.0, tuple(f * f * np.array([0.6, 1.0, 0.6])), position=(0, 0, h), velocity=(speed * f, 0, 0)
    )
    if spin:
        wheel.wy = speed / 0.3
        m.revolute(wheel, car, "hub", at=(0, 0, h), axis=(0, 1, 0))
    else:
        m.fixed(wheel, car, at=(0, 0, h))
    m.primitive("ORIENTATION", m.marker(car), m.marker(m.ground))
    scaled = {
        **coefficients,
        "UNLOADED_RADIUS": 0.31 * f,
        "VERTICAL_STIFFNESS": 2e5 / f,
        "VERTICAL_DAMPING": 3000.0 / f,
        "VXLOW": f,
        "LONGVL": 16.7 * f,
    }
    m.tyre_pac2002(m.marker(wheel), m.marker(m.ground), scaled, name="tyre", **options)
    return m


def test_a_parked_car_stays():
    """On a slope, with locked wheels, 100 s: after it has settled less than a millimetre, in metres and in
    millimetres."""
    for units, f in (("SI", 1.0), ("mm", 1000.0)):
        run = hn.simulate(corner(slope=0.12, spin=False, units=units), end=100.0, steps=100, integrator="RADAU5")
        place = run.part("car").position.values / f
        assert np.linalg.norm(place[2:] - place[2], axis=1).max() < 1e-4
        assert 1e-4 < np.linalg.norm(place[-1, :2]) < 0.03  # the contact gives way first
        assert np.linalg.norm(run.part("car").velocity.values[-1]) / f < 1e-6


def test_a_wheel_coasts():
    """Rolling resistance slows it; what is lost is what the audit gives."""
    run = hn.simulate(corner(speed=20.0), end=2.0, steps=40, integrator="RADAU5", error=1e-7)
    v = run.part("car").velocity.values[:, 0]
    # F = QSY1 Fz R0 / loaded radius, on the mass and the turning wheel
    loaded = 0.31 - 400 * 9.81 / 2e5
    rolling = 0.31 - 4000 / 2e5 * (0.27 * np.arctan(8.4 * 0.981) + 0.07 * 0.981)
    slowing = 0.01 * 400 * 9.81 * 0.31 / loaded / (400 + 1.0 / (rolling * loaded))
    assert (v[10] - v[-1]) / (np.asarray(run.time)[-1] - np.asarray(run.time)[10]) == pytest.approx(slowing, rel=2e-3)
    e = run.data
    total = e.energy_kinetic + e.energy_gravity + e.energy_elastic + e.energy_dissipated
    assert np.ptp(total) < 1e-5 * e.energy_kinetic[0] and e.energy_dissipated[-1] > 0.0


@pytest.mark.parametrize("integrator", ("RADAU5", "DOP853", "GSTIFF", "HHT"))
def test_braking_and_steering_reach_the_steady_forces(integrator):
    """A wheel drawn along at 10 m/s with a slip angle of 3 degrees, turned 5 % slower than it rolls: what `TyreRig`
    gives."""
    angle, slip, h = np.radians(3.0), 0.05, 0.29
    m = hn.Model()
    hub = m.part("hub", 5.0, (1, 1, 1), position=(0, 0, h), velocity=(10, 0, 0))
    along = m.translational(hub, m.ground, at=(0, 0, h), axis=(1, 0, 0))
    m.motion(along, "10*time")
    axis = np.array([-np.sin(-angle), np.cos(angle), 0.0])
    e = alone(PASSENGER)
    rho, rest = 0.31 - h, 4000 / 2e5
    radius = 0.31 - rest * (0.27 * np.arctan(8.4 * rho / rest) + 0.07 * rho / rest)
    omega = 10 * np.cos(angle) * (1 - slip) / radius
    wheel = m.part(
        "wheel", 15.0, (0.5, 1.0, 0.5), position=(0, 0, h), velocity=(10, 0, 0), angular_velocity=tuple(omega * axis)
    )
    spindle = m.revolute(wheel, hub, "spindle", at=(0, 0, h), axis=tuple(axis))
    m.motion(spindle, f"{omega}*time")
    t = m.tyre_pac2002(
        m.marker_at(wheel, (0, 0, h), z=(0, 0, 1), x=tuple(np.cross(axis, (0, 0, 1)))), m.marker(m.ground), PASSENGER
    )
    run = hn.simulate(m, end=1.0, steps=20, integrator=integrator, error=1e-7)
    force = run.force(f"{t.KIND}/{t.id}").force.values[-1]
    load = 2e5 * rho
    # slip angle: the wheel moves to its left where it is steered to the right
    want = TyreRig(e).forces(load, -slip, np.sign(-axis[0] * -1) * angle, 0.0, 10.0)
    x = np.cross(axis, (0, 0, 1))
    assert force[2] == pytest.approx(load, rel=1e-6)
    assert force @ x == pytest.approx(float(want["F_x"]), rel=1e-4)
    assert force @ axis == pytest.approx(float(want["F_y"]), rel=1e-4)
    assert want["F_x"] < -500 and abs(want["F_y"]) > 500


def test_side_force_lags_by_the_relaxation_length():
    """A step of the slip angle while rolling freely: F_y = F_end (1 - exp(-V t / sigma_y)) while it is small."""
    m = hn.Model()
    hub = m.part("hub", 5.0, (1, 1, 1), position=(0, 0, 0.29), velocity=(10, 0.1, 0))
    m.primitive("ORIENTATION", m.marker(hub), m.marker(m.ground))
    place = m.marker_at(m.ground, (0, 0, 0.29))
    for component, text in (("X", "10*time"), ("Y", "0.1*time"), ("Z", "0")):
        m.motion(i=m.marker(hub), j=place, component=component, function=text)
    e = m.tyre_pac2002(m.marker(hub), m.marker(m.ground), PASSENGER, mode=2)
    run = hn.simulate(m, end=0.3, steps=60, integrator="RADAU5", error=1e-8)
    side = run.force(f"{e.KIND}/{e.id}").force.values[:, 1]
    sigma = float(TyreRig(e).relaxation(2e5 * 0.02)[1])
    want = side[-1] * (1 - np.exp(-10 * np.asarray(run.time) / sigma)) / (1 - np.exp(-3 / sigma))
    assert np.abs(side - want).max() < 2e-3 * abs(side[-1])
    assert side[-1] < -500


def test_left_and_right_are_mirror_images():
    """Two wheels that start with mirrored velocities: the same run to rounding."""
    out = []
    for sign in (1, -1):
        m = corner(speed=15.0, coefficients=TYRE, mirror=sign < 0)
        for p in ("car", "wheel"):
            m.find("PART", p).vy = 0.5 * sign
        run = hn.simulate(m, end=0.5, steps=20, integrator="RADAU5", error=1e-6)
        out.append(run.part("car").position.values * [1, sign, 1])
    assert np.abs(out[0] - out[1]).max() < 1e-12 * np.abs(out[0]).max()
    assert np.ptp(out[0][:, 1]) > 1e-3


# ---- Fiala's tyre ----------------------------------------------------------------------------------------------------
def test_fiala_is_the_brush_model():
    """Side force and aligning moment of bristles over a parabolic pressure, summed one by one (F_y), and their sums in
    closed form; the longitudinal branch at its corner."""
    from holonom.elements.forces.tyres import fiala

    m = hn.Model()
    e = m.tyre_fiala(
        m.marker(m.part("w", 1.0, (1, 1, 1))),
        m.marker(m.ground),
        radius=0.3,
        stiffness=2e5,
        cslip=8e4,
        calpha=6e4,
        umax=0.9,
        width=0.2,
    )
    c = np.array(fiala.parameters(e, m), float)
    load, half = 4000.0, 0.1  # half the contact: no number of the result
    x = (np.arange(20000) + 0.5) / 20000 * 2 * half  # from the leading edge
    for tan in (0.01, -0.05, 0.12, 0.19):
        bristle = 6e4 / (2 * half**2) * x * abs(tan)  # force per length while it sticks
        most = 0.9 * load * 0.75 / half * (1 - ((x - half) / half) ** 2)
        want = -np.sign(tan) * np.minimum(bristle, most).sum() * 2 * half / 20000
        fx, fy, mz = fiala.slip_forces(c, load, 0.0, tan, 1.0)
        assert fy == pytest.approx(want, rel=1e-6) and fx == 0.0
    corner = 0.9 * load / (2 * 8e4)
    below, above = (fiala.slip_forces(c, load, corner * s, 0.0, 1.0)[0] for s in (1 - 1e-9, 1 + 1e-9))
    assert below == pytest.approx(0.45 * load, rel=1e-8) and above == pytest.approx(below, rel=1e-8)
    assert fiala.slip_forces(c, load, 10.0, 0.0, 1.0)[0] == pytest.approx(0.9 * load, rel=0.01)


def test_fiala_stops_a_car_and_holds_it():
    """Locked wheel from 10 m/s: it slides to rest at the friction's deceleration, rocks on its tyre, and stays."""
    m = hn.Model()
    m.gravity = (0, 0, -9.81)
    car = m.part("car", 400.0, (1, 1, 1), position=(0, 0, 0.31 - 400 * 9.81 / 2e5), velocity=(10, 0, 0))
    m.primitive("ORIENTATION", m.marker(car), m.marker(m.ground))
    m.tyre_fiala(
        m.marker(car),
        m.marker(m.ground),
        radius=0.31,
        stiffness=2e5,
        damping=3e3,
        cslip=8e4,
        calpha=6e4,
        umax=0.8,
        umin=0.8,
    )
    run = hn.simulate(m, end=6.0, steps=120, integrator="RADAU5", error=1e-6)
    v, x = run.part("car").velocity.values[:, 0], run.part("car").position.values[:, 0]
    # sliding: F = mu Fz (1 - mu Fz / (4 CSLIP)) at kappa = -1
    slowing = 0.8 * 9.81 * (1 - 0.8 * 3924 / (4 * 8e4))
    assert (v[4] - v[20]) / 0.8 == pytest.approx(slowing, rel=2e-3)
    assert np.abs(v[-30:]).max() < 1e-6 and np.ptp(x[-30:]) < 1e-6
