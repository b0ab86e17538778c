"""Tyres next to PAC2002: formulas read anew from their books, closed forms, limits, property files, machines."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import holonom as hn
from _public_data import NEEDS
from _tyre_formulas import book
from _tyres import BODY, FIRST, MF6, PAC89, PASSENGER, SECOND, TYRES, linear
from holonom.elements.forces.tyres import brush, mf6, pac89, tmeasy, ua
from holonom.vehicle import TyreRig, read_chrono_tyre, read_tir, write_chrono_tyre

CHRONO = Path(__file__).parents[3] / "shared/data/vehicle/chrono"


def alone(build, **options):
    m = hn.Model()
    return m, build(m, m.marker(m.part("wheel", 1.0, (1, 1, 1))), m.marker(m.ground), **options)


# ---- MF-Tyre 6 -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("turn", (False, True))
def test_mf6_is_the_book(turn):
    """400 states of loads, slips, inclination, pressure, spin: 1e-10."""
    m, e = alone(lambda m, i, j: m.tyre_mf6(i, j, MF6, mode=5 if turn else 4))
    c = np.array(mf6.parameters(e, m), float)
    rng = np.random.default_rng(3)
    n = 400
    load, v = rng.uniform(0.2, 2.0, n) * 4500.0, rng.uniform(8.0, 40.0, n)
    k, a, g, phi, phit = (rng.uniform(-s, s, n) for s in (0.6, 0.3, 0.25, 0.8, 0.8))
    want = np.array(book(MF6, load, k, a, g, v, phi, phit, turn))
    found = np.array(
        [mf6.slip_forces(c, *row, 1.0)[:5] for row in zip(load, k, np.tan(a), g, v, np.full(n, 1e6), phi, phit)]
    ).T
    for name, x, y in zip(("F_x", "F_y", "M_x", "M_y", "M_z"), found, want):
        assert np.abs(x - y).max() < 1e-10 * np.abs(y).max(), name
    assert np.abs(want).max(axis=1).min() > 5.0


def test_mf6_load_radii_and_relaxation():
    """The load that the forces themselves reduce, the radii, pressure, and relaxation lengths, at a state of the
    rig."""
    m, e = alone(lambda m, i, j: m.tyre_mf6(i, j, MF6))
    rig, p = TyreRig(e), MF6
    at = rig.forces(5000.0, kappa=0.03, alpha=-0.1, gamma=0.04)
    R0, V0, F0, dp = p["UNLOADED_RADIUS"], p["LONGVL"], p["FNOMIN"], 2.4 / 2.2 - 1
    omega = (1.03) * V0 / float(at["R_e"])
    grown = R0 * (p["Q_RE0"] - 1 + p["Q_V1"] * (R0 * omega / V0) ** 2)
    q = (float(at["deflection"]) + grown) / R0
    q1 = np.sqrt((p["VERTICAL_STIFFNESS"] * R0 / F0) ** 2 - 4 * p["Q_FZ2"])
    share = 1 + p["Q_V2"] * omega * R0 / V0 - (p["Q_FCX"] * at["F_x"] / F0) ** 2 - (p["Q_FCY"] * at["F_y"] / F0) ** 2
    assert share * ((q1 + p["Q_FZ3"] * 0.04**2) * q + p["Q_FZ2"] * q**2) * (1 + p["PFZ1"] * dp) * F0 == pytest.approx(
        5000.0, rel=1e-5
    )
    still = rig.forces(5000.0)
    f, cz = 5000.0 / (F0 * p["LFZO"]), p["VERTICAL_STIFFNESS"] * (1 + p["PFZ1"] * dp)
    spin = V0 / float(still["R_e"])
    R = R0 * (p["Q_RE0"] + p["Q_V1"] * (R0 * spin / V0) ** 2)
    assert float(still["R_e"]) == pytest.approx(
        R - F0 * p["LFZO"] / cz * (p["DREFF"] * np.arctan(p["BREFF"] * f) + p["FREFF"] * f), rel=1e-9
    )
    m, flat = alone(lambda m, i, j: m.tyre_mf6(i, j, MF6, pressure=1.6e5))
    assert float(TyreRig(flat).forces(5000.0)["deflection"]) > 1.1 * float(still["deflection"])
    c = np.array(mf6.parameters(e, m), float)
    sx, sy = mf6.relaxation(c, 5000.0, 0.0)
    Kx, Ky = mf6.slopes(c, 5000.0, 0.0)[:2]
    d = f - 1
    assert sx == pytest.approx(Kx / (3.5e5 * (1 + 0.1 * d - 0.1 * d * d) * (1 + 0.2 * dp)), rel=1e-12)
    assert sy == pytest.approx(-Ky / (1.6e5 * (1 - 0.2 * d + 0.07 * d * d) * (1 + 0.6 * dp)), rel=1e-12)


# ---- the formula of 1989 ---------------------------------------------------------------------------------------------
def test_pac89_is_its_formula():
    m, e = alone(lambda m, i, j: m.tyre_pac89(i, j, PAC89, radius=0.3, stiffness=2e5, mode=3))
    c, p = np.array(pac89.parameters(e, m), float), PAC89
    rng = np.random.default_rng(4)
    for load, k, a, g in zip(
        rng.uniform(1.0, 8.0, 100), rng.uniform(-90, 90, 100), rng.uniform(-20, 20, 100), rng.uniform(-8, 8, 100)
    ):
        F, M = (
            load,
            lambda D, C, BCD, E, x: (
                D * np.sin(C * np.arctan(BCD / C / D * x - E * (BCD / C / D * x - np.arctan(BCD / C / D * x))))
            ),
        )
        fx = M(
            p["b1"] * F**2 + p["b2"] * F,
            p["b0"],
            (p["b3"] * F**2 + p["b4"] * F) * np.exp(-p["b5"] * F),
            p["b6"] * F**2 + p["b7"] * F + p["b8"],
            k + p["b9"] * F + p["b10"],
        )
        fy = (
            M(
                p["a1"] * F**2 + p["a2"] * F,
                p["a0"],
                p["a3"] * np.sin(2 * np.arctan(F / p["a4"])) * (1 - p["a5"] * abs(g)),
                p["a6"] * F + p["a7"],
                a + p["a8"] * g + p["a9"] * F + p["a10"],
            )
            + p["a11"] * F * g
            + p["a12"] * F
            + p["a13"]
        )
        mz = M(
            p["c1"] * F**2 + p["c2"] * F,
            p["c0"],
            (p["c3"] * F**2 + p["c4"] * F) * (1 - p["c6"] * abs(g)) * np.exp(-p["c5"] * F),
            (p["c7"] * F**2 + p["c8"] * F + p["c9"]) * (1 - p["c10"] * abs(g)),
            a + p["c11"] * g + p["c12"] * F + p["c13"],
        )
        mz += (p["c14"] * F**2 + p["c15"] * F) * g + p["c16"] * F + p["c17"]
        found = pac89.slip_forces(c, 1e3 * F, k / 100, np.tan(np.radians(a)), np.radians(g), 1.0)
        assert found == pytest.approx((fx, -fy, 0.0, -mz), rel=1e-10, abs=1e-8)


# ---- brush, UA -------------------------------------------------------------------------------------------------------
def test_brush_is_bristles_summed():
    """Of both slips: bristles over a parabolic pressure, one by one; and Gim's tyre with one stiffness is the same."""
    m, e = alone(lambda m, i, j: m.tyre_brush(i, j, **BODY, slip_stiffness=8e4, load=4000.0, half_length=0.07, mu=0.9))
    c = np.array(brush.parameters(e, m), float)
    m, g = alone(lambda m, i, j: m.tyre_ua(i, j, **BODY, cslip=8e4, calpha=8e4, umax=0.9))
    d = np.array(ua.parameters(g, m), float)
    half, load, n = 0.07, 4000.0, 20000
    x = (np.arange(n) + 0.5) / n * 2 * half  # from the leading edge
    for kappa, tana in ((0.02, 0.0), (0.05, -0.04), (-0.06, 0.08), (0.0, 0.12), (-0.1, -0.2)):
        sx, sy = kappa / (1 + kappa), tana / (1 + kappa)
        s = np.hypot(sx, sy)
        force = np.minimum(8e4 / (2 * half**2) * x * s, 0.9 * load * 0.75 / half * (1 - ((x - half) / half) ** 2))
        total, moment = force.sum() * 2 * half / n, -(force * (half - x)).sum() * 2 * half / n * sy / s
        found = brush.slip_forces(c, load, kappa, tana, 0.0, 0.0, 1.0)
        assert found[:2] == pytest.approx((total * sx / s, -total * sy / s), rel=1e-6, abs=1e-3)
        assert found[2] == pytest.approx(moment, rel=1e-5, abs=1e-2)
        if kappa >= 0.0:
            assert ua.slip_forces(d, load, 2 * half, kappa, tana, 0.0, 1.0) == pytest.approx(found, rel=1e-12, abs=1e-9)


# ---- TMeasy ----------------------------------------------------------------------------------------------------------
def test_tmeasy_curves_have_their_numbers():
    """Slope, maximum and sliding at both loads; parabolas in between; one slope at the joint; and along both slips at
    once."""
    m, e = alone(TYRES["TYRE_TMEASY"])
    c = np.array(tmeasy.parameters(e, m), float)
    for load, row in ((3000.0, FIRST), (6000.0, SECOND)):
        for axis in "xy":
            pure = lambda s, load=load, axis=axis: _tmeasy(c, load, *((s, 0.0) if axis == "x" else (0.0, s)))[
                "xy".index(axis)
            ]
            m_, s_ = row[f"s{axis}m"], row[f"s{axis}s"]
            assert pure(1e-7) / 1e-7 == pytest.approx(row[f"df{axis}0"], rel=1e-4)
            assert pure(m_) == pytest.approx(row[f"f{axis}m"], rel=1e-12)
            assert abs(pure(m_ + 1e-5) - pure(m_ - 1e-5)) / 2e-5 < 2e-3 * row[f"f{axis}m"] / m_
            assert pure(s_) == pytest.approx(row[f"f{axis}s"], rel=1e-12) and pure(3 * s_) == pytest.approx(
                row[f"f{axis}s"], rel=1e-12
            )
            s = np.linspace(m_, 1.2 * s_, 2000)
            f = np.array([pure(v) for v in s])
            assert np.abs(np.diff(f, 2)).max() < 2e-5 * f.max() and (np.diff(f) <= 1e-9).all()
    # half the nominal load: parabolas and lines of Rill's
    n, a, b = 0.5, FIRST["fym"], SECOND["fym"]
    peak = n * (2 * a - b / 2 - (a - b / 2) * n)
    assert max(_tmeasy(c, 1500.0, 0.0, s)[1] for s in np.linspace(0.05, 0.5, 4000)) == pytest.approx(peak, rel=1e-6)
    # combined: never beyond the greater of both maxima
    both = np.hypot(
        *np.array(
            [_tmeasy(c, 3000.0, s * np.cos(t), s * np.sin(t)) for s in (0.1, 0.3) for t in np.linspace(0, 6.28, 60)]
        ).T
    )
    assert 0.8 * FIRST["fys"] < both.min() and both.max() < 1.001 * FIRST["fxm"]


def _tmeasy(c, load, sx, sy):
    share, hx, hy, f = tmeasy.slip_forces(c, load, 0.02, sx, sy, 0.0, 1.0)
    return share * sx / hx, share * sy / hy


def test_tmeasy_trail_falls_turns_and_vanishes():
    n = lambda s: tmeasy.trail(s, 0.18, 0.2, 0.8)
    assert n(0.0) == 0.18 and n(0.2) == pytest.approx(0.0, abs=1e-15) and n(0.8) == 0.0 and n(2.0) == 0.0
    assert n(0.1) > 0.0 > n(0.4) and n(-0.1) == n(0.1)


# ---- all of them -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", sorted(set(TYRES) - {"TYRE_USER"}))
def test_mirrored_tyres_and_no_power_made(name):
    """Steady sliding loses power at any slip, but for the conicity and plysteer that shifts of a curve represent."""
    m, e = alone(TYRES[name], **({"mode": 4} if name == "TYRE_MF6" else {}))
    rig = TyreRig(e)
    rng = np.random.default_rng(1)
    load, k, a = rng.uniform(1500, 5000, 60), rng.uniform(-0.5, 0.5, 60), rng.uniform(-0.3, 0.3, 60)
    f = rig.forces(load, k, a)
    vsx, vsy = -k * rig.speed, np.tan(a) * rig.speed
    lost = -(f["F_x"] * vsx + f["F_y"] * vsy)
    assert lost.min() > -0.02 * lost.max() and lost.mean() > 0.0
    if hasattr(e, "mirror") and name != "TYRE_TMEASY":
        e.mirror = not e.mirror
        g = TyreRig(e).forces(load, k, -a)
        assert (
            np.abs(g["F_y"] + f["F_y"]).max() < 1e-9 * np.abs(f["F_y"]).max()
            and np.abs(g["M_z"] + f["M_z"]).max() < 1e-9 * np.abs(f["M_z"]).max()
        )


#: laws whose effective rolling radius lies between the loaded and the unloaded one
TWO_RADII = ("TYRE_PAC2002", "TYRE_MF6", "TYRE_TMEASY")


@pytest.mark.parametrize("name", sorted(TYRES))
def test_no_tyre_makes_power_at_its_axle(name):
    """Power of all forces on the wheel, by their vectors, is lost when braked, and when driven but for the known share
    of laws with two radii."""
    m, e = alone(TYRES[name], **({"mode": 4} if name == "TYRE_MF6" else {}))
    rig = TyreRig(e)
    rng = np.random.default_rng(7)
    load, alpha, gamma, turn = (
        rng.uniform(a, b, 80) for a, b in ((1500, 5000), (-0.1, 0.1), (-0.03, 0.03), (-0.2, 0.2))
    )
    k = rng.uniform(0.03, 0.3, 80) * np.where(np.arange(80) % 2, 1.0, -1.0)
    f, p = (ask(load, k, alpha, gamma, 20.0, turn=turn) for ask in (rig.forces, rig.power))
    # axes x, y, n of the contact; spin axis; from the centre to the contact; all (80, 3)
    zero = 0.0 * k
    n, axis = np.array([0.0, 0.0, 1.0]), np.column_stack([zero, np.cos(gamma), np.sin(gamma)])
    arm = (-f["R_l"] / np.cos(gamma))[:, None] * (n - np.sin(gamma)[:, None] * axis)
    force, moment = (np.column_stack([f[f"{q}_{axis_}"] for axis_ in "xyz"]) for q in "FM")
    force[:, 2] = 0.0  # a load on a flat road does no work
    torque = -np.sum((np.cross(arm, force) + moment) * axis, 1)
    given = force[:, 0] * 20.0 + force[:, 1] * 20.0 * np.tan(alpha) + moment[:, 2] * turn
    lost = torque * f["omega"] - given
    scale = np.abs(p["axle"]).max()
    assert (
        np.abs(p["axle"] - torque * f["omega"]).max() < 1e-12 * scale and np.abs(p["lost"] - lost).max() < 1e-9 * scale
    )
    assert np.abs(p["slip"] + p["rolling"] + p["radii"] - lost).max() < 1e-9 * scale
    braked, driven = f["F_x"] < 0.0, f["F_x"] > 0.0
    assert min(braked.sum(), driven.sum()) > 30 and lost[braked].min() > 0.0 and lost.mean() > 0.0
    made = -(p["radii"] / (f["F_x"] * f["omega"] * f["R_e"]))[driven]
    if name in TWO_RADII:  # R_e between R_l and R0: at most the share of the deflection
        assert (lost - p["radii"])[driven].min() > 0.0 and made.max() > 0.03
        assert made.min() > 0.0 and (made < (f["deflection"] / f["R_e"])[driven]).all()
    else:
        assert lost[driven].min() > 0.0 and np.abs(made).max() < 1e-12


def test_coefficients_without_power_from_two_radii():
    """QSY2 is the moment that F_x has of its own: at (R_e - R_l) / R0 Fz0 / Fz the tyre loses what slides alone; TMeasy
    rolls on the loaded radius."""
    slips = np.array([-0.05, -0.01, 0.005, 0.01, 0.05])
    bare = {**PASSENGER, "QSY1": 1e-300}
    rig = TyreRig(alone(lambda m, i, j: m.tyre_pac2002(i, j, bare))[1])
    f, p = rig.forces(4000.0, slips), rig.power(4000.0, slips)
    assert p["lost"][2] < -0.02 * p["axle"][2]  # with little slip and no rolling resistance it makes power
    share = float((f["R_e"] - f["R_l"])[0]) / 0.31
    p = TyreRig(alone(lambda m, i, j: m.tyre_pac2002(i, j, {**bare, "QSY2": share}))[1]).power(4000.0, slips)
    assert np.allclose(p["lost"], p["slip"], rtol=1e-4) and p["lost"].min() > 0.0
    rows = [{**row, "dynamic_radius": 0.0} for row in (FIRST, SECOND)]
    sizes = dict(
        radius=0.3,
        width=0.2,
        load=3000.0,
        stiffness=2e5,
        cx=1.5e5,
        cy=1.2e5,
        dx=300.0,
        dy=300.0,
        first=rows[0],
        second=rows[1],
    )
    p = TyreRig(alone(lambda m, i, j: m.tyre_tmeasy(i, j, **sizes))[1]).power(3000.0, slips)
    assert np.abs(p["radii"]).max() < 1e-9 * np.abs(p["axle"]).max() and p["lost"].min() > 0.0


@pytest.mark.slow
@pytest.mark.parametrize("kappa", (0.01, -0.01))
def test_the_audit_has_what_tyres_lose_and_make(kappa):
    """A wheel driven and braked on a belt: what the run counts as dissipated is the sum of the history's terms; energy
    that it made is reported."""
    rig = TyreRig(alone(lambda m, i, j: m.tyre_pac2002(i, j, {**PASSENGER, "QSY1": 0.002}))[1])
    run = hn.simulate(
        rig.bench(load=4000.0, kappa=kappa, speed=20.0), end=0.6, steps=60, integrator="RADAU5", error=1e-7
    )
    h, want = hn.vehicle.tyre_history(run, "tyre"), rig.power(4000.0, kappa, speed=20.0)
    late = slice(45, None)  # after 14 relaxation lengths
    dissipated, put_in = (
        np.polyfit(h["time"][late], np.asarray(v)[late], 1)[0]
        for v in (run.data.energy_dissipated, run.data.energy_input)
    )
    assert dissipated == pytest.approx(h["power"]["lost"][-1], rel=1e-6) and put_in == pytest.approx(
        dissipated, rel=1e-6
    )
    for name, value in h["power"].items():
        assert value[-1] == pytest.approx(float(want[name]), rel=1e-3)
    assert (dissipated < 0.0) == (kappa > 0.0) == ("it created energy" in " ".join(h["left"]))
    with pytest.raises(hn.ModelError, match="give the load"):
        rig.bench(height=0.3, kappa=0.1)
    braked = TyreRig(alone(lambda m, i, j: m.tyre_pac2002(i, j, {**PASSENGER, "KPUMAX": 0.0}))[1])
    run = hn.simulate(braked.bench(load=4000.0, kappa=abs(kappa), speed=20.0), end=0.1, steps=5, integrator="RADAU5")
    assert any(
        "its slip rose to 0.01, above KPUMAX = 0" in word for word in hn.vehicle.tyre_history(run, "tyre")["left"]
    )


@pytest.mark.parametrize("name", sorted(TYRES))
def test_units_and_json(name):
    """A tyre of millimetres and one that went through JSON do the same."""
    m, e = alone(TYRES[name])
    twin = hn.Model.from_json(m.to_json())
    assert twin.table(name)[e.id].to_dict() == e.to_dict()
    at = TyreRig(e).forces(4000.0, 0.02, 0.03, 0.02)
    again = TyreRig(twin.table(name)[e.id]).forces(4000.0, 0.02, 0.03, 0.02)
    assert all(np.array_equal(at[k], again[k]) for k in at)


def parked(name, end=100.0):
    """A locked wheel under 400 kg on a slope of 7 degrees along and across."""
    m = hn.Model()
    m.gravity = tuple(9.81 * np.array([0.12, 0.12, -np.sqrt(1 - 2 * 0.0144)]))
    car = m.part("car", 400.0, (1, 1, 1), position=(0, 0, 0.312 if name == "TYRE_MF6" else 0.285))
    m.primitive("ORIENTATION", m.marker(car), m.marker(m.ground))
    e = TYRES[name](m, m.marker(car), m.marker(m.ground))
    if hasattr(e, "damping"):
        e.damping = 3000.0
    if hasattr(e, "coefficients") and isinstance(e.coefficients, dict) and "VERTICAL_DAMPING" in e.coefficients:
        e.coefficients = {**e.coefficients, "VERTICAL_DAMPING": 3000.0}
    return hn.simulate(m, end=end, steps=20, integrator="RADAU5")


@pytest.mark.parametrize(
    "name", ("TYRE_TMEASY", *(pytest.param(n, marks=pytest.mark.slow) for n in sorted(set(TYRES) - {"TYRE_TMEASY"})))
)
def test_a_parked_car_stays(name):
    place = parked(name).part("car").position.values
    assert np.linalg.norm(place[4:] - place[4], axis=1).max() < 1e-3
    assert 1e-5 < np.linalg.norm(place[-1, :2]) < 0.05


def test_a_function_of_a_user_is_a_tyre():
    """Its numbers return; a function that cannot be compiled, and one that nobody knows, state this."""
    m, e = alone(TYRES["TYRE_USER"])
    f = TyreRig(e).forces(4000.0, 0.02, 0.03, 0.01)
    assert f["F_x"] == pytest.approx(20 * 0.02 * 4000) and f["F_y"] == pytest.approx(
        -15 * np.tan(0.03) * 4000 - 0.5 * 0.01 * 4000
    )
    assert f["M_x"] == pytest.approx(0.02 * 4000 * 0.01)
    m = hn.Model()
    i, j = m.marker(m.part("wheel", 1.0, (1, 1, 1))), m.marker(m.ground)
    bad = m.tyre_user(i, j, lambda c, fz, kappa: 0.0, **BODY, slip_stiffness_x=1e4, slip_stiffness_y=1e4)
    with pytest.raises(hn.ModelError, match="does not compile for numbers"):
        TyreRig(bad)
    text = m.to_json().replace(bad.law, "elsewhere.tyre")
    with pytest.raises(hn.ModelError, match=r"register_tyre\('elsewhere.tyre', f\) first"):
        hn.simulate(hn.Model.from_json(text), end=0.1, steps=1)
    hn.vehicle.register_tyre("elsewhere.tyre", linear)
    with pytest.raises(hn.ModelError, match="the function of tyre 'x' is 3"):
        hn.vehicle.register_tyre("x", 3)


@pytest.mark.parametrize(
    "text, call",
    [
        ("no coefficient 'PKY9' of MF-Tyre 6; did you mean", lambda m, i, j: m.tyre_mf6(i, j, {**MF6, "PKY9": 1.0})),
        ("PKX1 is missing or zero", lambda m, i, j: m.tyre_mf6(i, j, {**MF6, "PKX1": 0.0})),
        (
            "VERTICAL_STIFFNESS is too small compared with Q_FZ2 = 900",
            lambda m, i, j: m.tyre_mf6(i, j, {**MF6, "Q_FZ2": 900.0}),
        ),
        (
            "no coefficient 'd1' of PAC89",
            lambda m, i, j: m.tyre_pac89(i, j, {**PAC89, "d1": 1.0}, radius=0.3, stiffness=2e5),
        ),
        (
            "sxm of first is 1, not below sxs",
            lambda m, i, j: (
                TYRES["TYRE_TMEASY"](m, i, j)
                and m.tyre_tmeasy(
                    i,
                    j,
                    radius=0.3,
                    width=0.2,
                    load=3000.0,
                    stiffness=2e5,
                    cx=1e5,
                    cy=1e5,
                    dx=1.0,
                    dy=1.0,
                    first={**FIRST, "sxm": 1.0},
                    second=SECOND,
                )
            ),
        ),
        (
            "contact 'CAMS'; choose one of POINT",
            lambda m, i, j: m.tyre_brush(
                i, j, **BODY, slip_stiffness=1.0, load=1.0, half_length=1.0, mu=1.0, contact="cams"
            ),
        ),
        (
            "a footprint has no 'lenth'; did you mean 'length'",
            lambda m, i, j: m.tyre_ua(i, j, **BODY, cslip=1.0, calpha=1.0, umax=1.0, footprint={"lenth": 1}),
        ),
        (
            "half_length is 0; give a positive number",
            lambda m, i, j: m.tyre_brush(i, j, **BODY, slip_stiffness=1.0, load=1.0, half_length=0.0, mu=1.0),
        ),
    ],
)
def test_what_cannot_be_says_so(text, call):
    m = hn.Model()
    with pytest.raises(hn.ModelError, match=text.replace("'CAMS'", "'cams'")):
        call(m, m.marker(m.part("wheel", 1.0, (1, 1, 1))), m.marker(m.ground))


# ---- files -----------------------------------------------------------------------------------------------------------
def test_chrono_files():
    """All tyres of the folder that can be computed, over their loads and slips; written and read again."""
    if not CHRONO.exists():
        pytest.skip(f"{NEEDS}: {CHRONO} is absent")
    seen, refused = {}, []
    for path in sorted([*CHRONO.rglob("*Tire*.json"), *CHRONO.rglob("MagicFormula*.json")]):
        try:
            found = read_chrono_tyre(path)
        except hn.ModelError as error:
            refused.append(str(error))
            continue
        seen.setdefault(found.model, []).append(path.name)
        rig = TyreRig(found)
        load = found.coefficients.get("FNOMIN", found.arguments.get("load", 4000.0))
        f = rig.forces(
            load * np.array([[[0.5]], [[1.0]]]), np.linspace(-0.9, 0.9, 7)[:, None], np.linspace(-0.9, 0.9, 7)
        )
        assert all(np.isfinite(v).all() for v in f.values()) and np.hypot(f["F_x"], f["F_y"]).max() < 3.0 * load
    assert {"FIALA", "PAC89", "TMEASY", "MF6", "PAC2002"} <= set(seen)
    assert all("its Template is" in text or "its property file" in text for text in refused)


@pytest.mark.parametrize("name", ("TYRE_FIALA", "TYRE_PAC89", "TYRE_TMEASY"))
def test_chrono_files_are_written_and_read(name, tmp_path):
    m = hn.Model(units="mm")
    part = m.part("wheel", 1.0, (1, 1, 1))
    si, e = alone(TYRES[name])
    path = write_chrono_tyre(tmp_path / "tyre.json", e)
    found = read_chrono_tyre(path, m.units)
    here = hn.vehicle.tyre(m, m.marker(part), m.marker(m.ground), found)
    want, got = TyreRig(e).forces(4000.0, 0.02, 0.03), TyreRig(here, units=m.units).forces(4000.0, 0.02, 0.03)
    sign = -1.0 if name == "TYRE_PAC89" else 1.0  # mirrored here, which a file does not say
    if sign > 0:
        assert got["F_x"] == pytest.approx(want["F_x"], rel=1e-9) and got["F_y"] == pytest.approx(want["F_y"], rel=1e-9)
    assert got["M_y"] == pytest.approx(want["M_y"] * 1e3, rel=1e-9, abs=1e-9) and got["R_l"] == pytest.approx(
        want["R_l"] * 1e3, rel=1e-9
    )
    text = path.read_text()
    for old, new, match in (
        (name[5:].title().replace("Pac89", "Pac89"), "Ftire", None),
        ("{", "[", "is not valid JSON"),
        ('"Template"', '"Templat"', "its Template is None"),
    ):
        if match:
            path.write_text(text.replace(old, new, 1))
            with pytest.raises(hn.ModelError, match=match):
                read_chrono_tyre(path)


def test_property_files_of_other_models(tmp_path):
    """Fiala in millimetres and degrees, MF-Tyre 6.2 with words that are not read."""
    path = tmp_path / "fiala.tir"
    lines = [
        "[MDI_HEADER]", "(COMMENTS)", "{comment_string}", "'Tire - ours'", "[UNITS]", "LENGTH = 'mm'",
        "FORCE = 'newton'", "ANGLE = 'degree'", "TIME = 'sec'",
        "[MODEL]", "PROPERTY_FILE_FORMAT = 'FIALA'", "[DIMENSION]", "UNLOADED_RADIUS = 310", "WIDTH = 200",
        "[PARAMETER]", "VERTICAL_STIFFNESS = 200",
        "VERTICAL_DAMPING = 0.3", "ROLLING_RESISTANCE = 3", "CSLIP = 80000", "CALPHA = 1000", "CGAMMA = 0",
        "UMIN = 0.8", "UMAX = 0.9", "RELAX_LENGTH_X = 100",
    ]  # fmt: skip
    path.write_text("\n".join(lines))
    found = read_tir(path)
    assert found.model == "FIALA" and found.unknown == ()
    want = dict(
        radius=0.31,
        width=0.2,
        stiffness=2e5,
        damping=300.0,
        rolling_resistance=3e-3,
        cslip=8e4,
        calpha=1000 * 180 / np.pi,
        umin=0.8,
        umax=0.9,
        relax_x=0.1,
    )
    assert found.arguments == pytest.approx(want)
    m = hn.Model()
    assert hn.vehicle.tyre(m, m.marker(m.part("w", 1.0, (1, 1, 1))), m.marker(m.ground), path).KIND == "TYRE_FIALA"
    path.write_text("\n".join(line for line in lines if "STIFF" not in line))
    with pytest.raises(hn.ModelError, match="it has no VERTICAL_STIFFNESS; a tyre of FIALA needs one"):
        read_tir(path)
    path.write_text(
        "[MODEL]\nFITTYP = 62\nUSE_MODE = 125\n[DIMENSION]\nUNLOADED_RADIUS = 0.33\n[VERTICAL]\nFNOMIN = 4500\nQ_FYS1 "
        "= 0.3\n[X]\nNOMPRES = 220000\n"
    )
    found = read_tir(path)
    assert (
        found.model == "MF6"
        and found.mode == 5
        and found.unknown == ("Q_FYS1",)
        and found.coefficients["NOMPRES"] == 2.2e5
    )


# ---- rig and fits ----------------------------------------------------------------------------------------------------
def test_fits_find_what_was_measured():
    """A table of a tyre with noise: coefficients that matter return, what is left is the noise."""
    from _tyres import PASSENGER

    m, e = alone(lambda m, i, j: m.tyre_pac2002(i, j, PASSENGER))
    rig = TyreRig(e)
    grid = lambda *axes: [v.ravel() for v in np.meshgrid(*axes)]
    loads = (2000.0, 4000.0, 6000.0)
    A = grid(loads, [0.0], np.radians(np.linspace(-12, 12, 17)), np.radians([-3, 0, 3.0]))
    B = grid(loads, np.linspace(-0.3, 0.3, 21), [0.0], [0.0])
    C = grid(loads, np.linspace(-0.3, 0.3, 9), np.radians([-5, -2, 2, 5.0]), [0.0])
    load, kappa, alpha, gamma = (np.concatenate(v) for v in zip(A, B, C))
    f = rig.forces(load, kappa, alpha, gamma)
    rng = np.random.default_rng(2)
    table = {
        "load": load,
        "kappa": kappa,
        "alpha": alpha,
        "gamma": gamma,
        **{n: f[n] + rng.normal(size=load.shape) * s for n, s in (("F_x", 20.0), ("F_y", 20.0), ("M_z", 1.0))},
    }
    fit = hn.vehicle.fit_pac2002(table, radius=0.31, stiffness=2e5, load=4000.0)
    assert max(fit.errors.values()) < 0.04
    for name in ("PCY1", "PDY1", "PKY1", "PKY2", "PDX1", "PKX1", "PCX1"):
        assert fit.coefficients[name] == pytest.approx(PASSENGER[name], rel=0.04), name
    again = alone(lambda m, i, j: m.tyre_pac2002(i, j, fit.coefficients))[1]
    assert np.abs(TyreRig(again).forces(4000.0, alpha=0.05)["F_y"] - rig.forces(4000.0, alpha=0.05)["F_y"]) < 30.0
    # Fiala finds Fiala
    m, e = alone(TYRES["TYRE_FIALA"])
    f = TyreRig(e).forces(load, kappa, alpha)
    fit = hn.vehicle.fit_fiala(
        {"load": load, "kappa": kappa, "alpha": alpha, **{n: f[n] for n in ("F_x", "F_y", "M_z")}},
        radius=0.3,
        stiffness=2e5,
    )
    assert (
        max(fit.errors.values()) < 1e-6
        and fit.arguments["calpha"] == pytest.approx(6e4, rel=1e-6)
        and fit.arguments["umin"] == pytest.approx(0.7, rel=1e-5)
    )
    for change, match in (
        ({"Fy": load}, "a column 'Fy'"),
        ({"F_y": load[:3]}, "column 'F_y' has 3"),
        ({"load": -load}, "loads that are positive"),
    ):
        with pytest.raises(hn.ModelError, match=match):
            hn.vehicle.fit_fiala({**table, **change}, radius=0.3, stiffness=2e5)


def test_the_bench_and_the_rig_agree():
    """A wheel on a belt and on a drum, steered to 3 degrees: the rig's forces; its history says slips, contact and
    ranges left."""
    m, e = alone(lambda m, i, j: m.tyre_brush(i, j, **BODY, slip_stiffness=8e4, load=4000.0, half_length=0.07, mu=0.9))
    rig = TyreRig(e)
    want = rig.forces(4000.0, alpha=0.05)
    for drum in (None, 1.5):
        run = hn.simulate(
            rig.bench(load=4000.0, alpha=0.05, drum=drum, speed=20.0),
            end=0.5,
            steps=10,
            integrator="RADAU5",
            error=1e-7,
        )
        h = hn.vehicle.tyre_history(run, "tyre")
        assert h["F_y"][-1] == pytest.approx(float(want["F_y"]), rel=1e-4) and h["F_z"][-1] == pytest.approx(
            4000.0, rel=1e-9
        )
        assert (
            h["alpha"][-1] == pytest.approx(0.05, rel=1e-6) and np.abs(h["point"][-1]).max() < 1e-9 and h["left"] == []
        )
        e_ = run.data
        total = e_.energy_kinetic + e_.energy_elastic + e_.energy_dissipated - e_.energy_input
        assert np.ptp(total) < 1e-4 * e_.energy_kinetic[0] and e_.energy_dissipated[-1] > 0.0
    x, step = rig.step(4000.0, alpha=5e-4)
    sigma = float(rig.relaxation(4000.0)[1])
    assert sigma == pytest.approx(0.3, rel=1e-6)
    assert np.abs(step["F_y"] / step["F_y"][-1] - (1 - np.exp(-x / sigma)) / (1 - np.exp(-5))).max() < 5e-3
    figure = rig.plot([2000.0, 4000.0])
    assert len(figure.axes) == 7
    with pytest.raises(ValueError, match="is not reached by the tyre's spring"):
        rig.forces(1e9)


def test_a_file_that_was_never_driven_says_so(tmp_path):
    """KPUMAX of zero: a driven wheel has no F_x; the model is warned."""
    coefficients = {**PASSENGER, "KPUMAX": 0.0}
    hn.vehicle.write_tir(tmp_path / "braked.tir", alone(lambda m, i, j: m.tyre_pac2002(i, j, coefficients))[1])
    m = hn.Model()
    e = hn.vehicle.tyre(m, m.marker(m.part("wheel", 1.0, (1, 1, 1))), m.marker(m.ground), tmp_path / "braked.tir")
    assert "KPUMAX = 0, so that a driven wheel has no F_x" in " ".join(m.warnings)
    rig = TyreRig(e)
    assert (
        rig.forces(4000.0, 0.05)["F_x"] == rig.forces(4000.0, 0.0)["F_x"] and rig.forces(4000.0, -0.05)["F_x"] < -1000.0
    )


def test_ranges_that_were_left_are_told():
    coefficients = {**MF6, "CAMMAX": 0.02, "FZMAX": 3000.0, "Q_FCX": 0.0, "Q_FCY": 0.0}
    m, e = alone(lambda m, i, j: m.tyre_mf6(i, j, coefficients))
    run = hn.simulate(TyreRig(e).bench(height=0.31, speed=10.0, gamma=0.05), end=0.1, steps=5, integrator="RADAU5")
    left = hn.vehicle.tyre_history(run, "tyre")["left"]
    assert len(left) == 2 and "its load rose to" in left[0] and "above CAMMAX = 0.02" in left[1]
    with pytest.raises(hn.ModelError, match="there is no tyre 'tire'; there are tyre"):
        hn.vehicle.tyre_history(run, "tire")


@pytest.mark.parametrize("name", ("TYRE_MF6", "TYRE_FIALA", "TYRE_UA"))
def test_property_files_are_written_and_read(name, tmp_path):
    """In millimetres to SI and back."""
    m = hn.Model(units="mm")
    i, j = m.marker(m.part("wheel", 1.0, (1, 1, 1))), m.marker(m.ground)
    _, si = alone(TYRES[name])
    found = read_tir(hn.vehicle.write_tir(tmp_path / "a.tir", si), m.units)
    here = hn.vehicle.tyre(m, i, j, found)
    back = read_tir(hn.vehicle.write_tir(tmp_path / "b.tir", here, m.units))
    if name == "TYRE_MF6":
        assert (
            back.coefficients == pytest.approx(MF6)
            and found.coefficients["FNOMIN"] == MF6["FNOMIN"]
            and found.mode == 5
        )
        assert found.coefficients["INFLPRES"] == pytest.approx(MF6["INFLPRES"] * 1e-6)
    else:
        want = {k: v for k, v in back.arguments.items() if k != "width"}
        assert want == pytest.approx({k: getattr(si, k) for k in want}) and here.radius == pytest.approx(300.0)
    with pytest.raises(hn.ModelError, match="can be written as a property file"):
        hn.vehicle.write_tir(tmp_path / "c.tir", alone(TYRES["TYRE_BRUSH"])[1])


def test_a_file_that_was_read_follows_the_units_of_the_model(tmp_path):
    """With what was changed since, and where the file is gone; the forces of both unit systems are the same."""
    path = hn.vehicle.write_tir(tmp_path / "a.tir", alone(TYRES["TYRE_MF6"])[1])
    fiala = hn.vehicle.write_tir(tmp_path / "fiala.tir", alone(TYRES["TYRE_FIALA"])[1])
    mm = hn.Model(units="mm").units
    for file in (path, fiala):
        here, there = read_tir(file).in_units(mm), read_tir(file, mm)
        assert here.units == mm and here.coefficients == pytest.approx(there.coefficients)
        assert here.arguments == pytest.approx(there.arguments)
    found = read_tir(path)
    slippery = replace(found, coefficients={**found.coefficients, "LMUY": 0.4})
    plain = replace(read_tir(fiala), arguments={**read_tir(fiala).arguments, "umin": 0.2, "umax": 0.2})
    path.unlink(), fiala.unlink()
    m = hn.Model(units="mm")
    i, j = m.marker(m.part("wheel", 1.0, (1, 1, 1))), m.marker(m.ground)
    for file in (slippery, plain):
        e = hn.vehicle.tyre(m, i, j, file)
        rigs = TyreRig(file), TyreRig(e, units=m.units), TyreRig(file, units=m.units), TyreRig(file.in_units(m.units))
        speeds = (16.7, 16700.0, 16700.0, 16700.0)
        forces = [float(rig.forces(4000.0, 0.0, 0.2, speed=v)["F_y"]) for rig, v in zip(rigs, speeds)]
        assert forces == pytest.approx([forces[0]] * 4, rel=1e-9)
    assert abs(forces[0]) == pytest.approx(0.2 * 4000.0, rel=0.02)
    with pytest.raises(hn.ModelError, match="have units that only its function defines"):
        replace(plain, model="USER").in_units(mm)


@pytest.mark.parametrize("name", ("sedan/tire/Sedan_TMeasyTire.json", "generic/tire/FialaTire.json",
    "hmmwv/tire/HMMWV_Pac89Tire.json"))  # fmt: skip
def test_chrono_tyres_change_their_units(name):
    if not (CHRONO / name).exists():
        pytest.skip(f"{NEEDS}: {CHRONO / name} is absent")
    mm = hn.Model(units="mm").units
    here, there = read_chrono_tyre(CHRONO / name).in_units(mm), read_chrono_tyre(CHRONO / name, mm)
    flat = lambda x: {k: list(v.values()) if isinstance(v, dict) else np.ravel(v) for k, v in x.items()}
    a, b = flat(here.arguments), flat(there.arguments)
    assert a.keys() == b.keys() and all(np.allclose(a[k], b[k], rtol=1e-12, atol=0.0) for k in a)
