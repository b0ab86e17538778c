"""Tyres at their limits: combined slip, rest, reverse, friction that falls, scale factors; every number from a formula
that is written down here."""

import dataclasses
import json
import math
import re
import warnings
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import brentq

import holonom as hn
from _tyres import BODY, FIRST, MF6, PAC89, PASSENGER, SCALES, SECOND, TYRE, TYRES
from holonom._jit import interpreted
from holonom.elements.forces.tyres import fiala, mf6, pac2002, ua
from holonom.vehicle import TyreRig, read_chrono_tyre, read_tir

#: laws whose curves have no shifts, or whose shifts are left out here
SYMMETRIC = {
    **{name: TYRES[name] for name in ("TYRE_BRUSH", "TYRE_FIALA", "TYRE_TMEASY", "TYRE_UA")},
    "TYRE_PAC2002": lambda m, i, j: m.tyre_pac2002(i, j, {**PASSENGER, "PHY3": 0.0, "PVY3": 0.0}),
    "TYRE_PAC89": lambda m, i, j: m.tyre_pac89(
        i,
        j,
        {
            k: v
            for k, v in PAC89.items()
            if k not in ("a9", "a10", "a12", "a13", "b9", "b10", "c12", "c13", "c16", "c17")
        },
        **BODY,
    ),
    "TYRE_MF6": lambda m, i, j: m.tyre_mf6(
        i,
        j,
        {
            k: v
            for k, v in MF6.items()
            if k[:4]
            not in (
                "QSX1",
                "PHY1",
                "PHY2",
                "PVY1",
                "PVY2",
                "QHZ1",
                "QHZ2",
                "QDZ6",
                "QDZ7",
                "PEY3",
                "RHY1",
                "RHY2",
                "RHX1",
                "RBY3",
                "RVY1",
                "RVY2",
                "SSZ1",
                "PHX1",
                "PHX2",
                "PVX1",
                "PVX2",
            )
        },
    ),
}


def alone(build, **options):
    m = hn.Model()
    return m, build(m, m.marker(m.part("wheel", 1.0, (1, 1, 1))), m.marker(m.ground), **options)


# ---- formulas --------------------------------------------------------------------------------------------------------
def test_friction_of_fiala_falls_with_slip():
    """Adams/Tire: U = UMAX - (UMAX - UMIN) sqrt(kappa^2 + tan(alpha)^2), kept at UMIN from a slip of one on."""
    m, e = alone(TYRES["TYRE_FIALA"])
    c, load = np.array(fiala.parameters(e, m), float), 4000.0
    for k, a in ((0.3, 0.1), (-0.5, 0.3), (0.6, -0.6), (2.0, 0.1), (0.004, -0.01), (-0.02, 0.02)):
        U = 0.9 - 0.2 * min(np.hypot(k, a), 1.0)
        F = U * load
        along = 8e4 * k if abs(k) < F / 1.6e5 else np.sign(k) * (F - F * F / (4 * 8e4 * abs(k)))
        H = max(1 - 6e4 * abs(a) / (3 * F), 0.0)
        want = (along, -F * (1 - H**3) * np.sign(a), F * 0.2 * (1 - H) * H**3 * np.sign(a))
        assert fiala.slip_forces(c, load, k, a, 1.0) == pytest.approx(want, rel=1e-12, abs=1e-9)


def test_camber_and_friction_of_gim():
    """Slopes at no slip are CSLIP, CALPHA and CGAMMA; sliding, the friction has fallen by the slip's share of UMAX -
    UMIN."""
    m, e = alone(TYRES["TYRE_UA"])
    c, load, length = np.array(ua.parameters(e, m), float), 4000.0, 0.14
    h = 1e-7
    force = lambda k, a, g: np.array(ua.slip_forces(c, load, length, k, a, g, 1.0))
    assert force(h, 0.0, 0.0)[0] / h == pytest.approx(8e4, rel=1e-5)
    assert force(0.0, h, 0.0)[1] / h == pytest.approx(-6e4, rel=1e-5)
    for g in (0.01, -0.2):
        assert force(0.0, 0.0, g) == pytest.approx((0.0, -3e3 * g, 0.0), rel=1e-12, abs=1e-12)
    # braked, all slides: slips as they are; driven: next to 1 + kappa
    for k, a in ((-0.6, 0.0), (-0.4, 0.5), (0.9, -0.4), (-0.9, 0.9)):
        q = 1 + max(k, 0.0)
        x, y = k / q, a / q
        s = np.hypot(x, y)
        grip = (0.9 - 0.2 * min(s, 1.0)) * load
        assert force(k, a, 0.1) == pytest.approx((grip * x / s, -grip * y / s, 0.0), rel=1e-12, abs=1e-9)
    # in between, by the integral of the bristles with the friction of that slip: those that stick, then a parabola of
    # pressure
    x = (np.arange(20000) + 0.5) / 20000  # from the leading edge, of the length
    for k, a in ((0.02, 0.05), (-0.05, 0.02), (0.0, -0.1)):
        q = 1 + max(k, 0.0)
        sx, sy = k / q, a / q
        grip = (0.9 - 0.2 * np.hypot(sx, sy)) * load
        stiff, slip = np.hypot(8e4 * sx, 6e4 * sy), np.hypot(sx, sy)
        # the share of the length that sticks: where the bristles' force meets the friction
        stuck = max(1 - stiff / (3 * grip), 0.0)
        friction = 6 * grip * x * (1 - x)
        want = [
            2 * (c_ * x)[x < stuck].sum() / 20000 + (friction * s_ / slip)[x >= stuck].sum() / 20000
            for c_, s_ in ((8e4 * sx, sx), (6e4 * sy, sy))
        ]
        assert force(k, a, 0.0)[:2] == pytest.approx((want[0], -want[1]), rel=1e-3, abs=1.0)


def test_relaxation_lengths_of_pac2002():
    """sigma_x = Fz (PTX1 + PTX2 dfz) exp(PTX3 dfz) R0 / Fz0 LSGKP, sigma_y = PTY1 sin(2 atan(Fz / (PTY2 Fz0))) (1 -
    PKY3 |gamma|) R0 LFZO LSGAL."""
    p = {**TYRE, **SCALES, "CAMMAX": 0.2}
    rig = TyreRig(alone(lambda m, i, j: m.tyre_pac2002(i, j, p))[1])
    F0, R = 4000.0 * 1.1, 0.3
    for load, g in ((2000.0, 0.0), (4000.0, 0.05), (7000.0, -0.1)):
        d = load / F0 - 1
        x = load * (2.0 + 0.3 * d) * np.exp(-0.2 * d) * R / F0 * 0.81
        y = 2.1 * np.sin(2 * np.arctan(load / (2.0 * F0))) * (1 - 0.3 * abs(g)) * R * 1.1 * 1.24
        found = [float(v) for v in rig.relaxation(load, g)]
        assert found == pytest.approx((x, y), rel=1e-6)


def test_friction_ellipse_where_a_tyre_has_no_combined_slip(tmp_path):
    """F_x^2 / D_x^2 + F_y^2 / D_y^2 stays below one, pure slips keep their forces, and at any slip the ratio is that of
    the ellipse."""
    bare = {k: v for k, v in PASSENGER.items() if k[:2] not in ("RB", "RC", "RE", "RH", "RV", "PH", "PV")}
    rig = TyreRig(alone(lambda m, i, j: m.tyre_pac2002(i, j, bare))[1])
    k, a = np.meshgrid(np.linspace(-0.9, 0.9, 21), np.linspace(-0.6, 0.6, 21))
    f, x0, y0 = rig.forces(4000.0, k, a), rig.forces(4000.0, k), rig.forces(4000.0, 0.0, a)
    D = np.array([1.1, 0.95]) * 4000.0
    assert ((f["F_x"] / D[0]) ** 2 + (f["F_y"] / D[1]) ** 2).max() < 1.0 + 1e-9
    for s in (0.05, -0.1):
        assert float(rig.forces(4000.0, s)["F_x"]) == pytest.approx(
            4000 * 1.1 * _sine(1.6, 22 / 1.6 / 1.1, 0.1, s), rel=1e-9
        )
    tilt = np.divide(np.sin(a), k, out=np.ones_like(k), where=k != 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        want = x0["F_x"] / np.sqrt(1 + (x0["F_x"] * tilt / D[1]) ** 2)
        side = y0["F_y"] / np.sqrt(1 + (y0["F_y"] / tilt / D[0]) ** 2)
    inside = (np.abs(k) > 1e-9) & (np.abs(a) > 1e-9)
    assert np.abs(f["F_x"] - want)[inside].max() < 1e-6 and np.abs(f["F_y"] - side)[inside].max() < 1e-6
    # requested by a file that has the coefficients, and for the form of 2010
    text = hn.vehicle.write_tir(
        tmp_path / "a.tir", alone(lambda m, i, j: m.tyre_pac2002(i, j, PASSENGER))[1]
    ).read_text()
    (tmp_path / "b.tir").write_text(text.replace("[MODEL]", "[MODEL]\nFE_METHOD = 'YES'"))
    m = hn.Model()
    at = lambda file: hn.vehicle.tyre(m, m.marker(m.part(file[0], 1.0, (1, 1, 1))), m.marker(m.ground), tmp_path / file)
    asked, not_asked = at("b.tir"), at("a.tir")
    assert asked.ellipse and not not_asked.ellipse and read_tir(tmp_path / "b.tir").unknown == ()
    assert float(TyreRig(asked).forces(4000.0, 0.05, 0.1)["F_x"]) != float(
        TyreRig(not_asked).forces(4000.0, 0.05, 0.1)["F_x"]
    )
    newer = {k: v for k, v in MF6.items() if k[:3] not in ("RBX", "RCX", "RBY", "RCY")} | {"Q_FCX": 0.0, "Q_FCY": 0.0}
    g = TyreRig(alone(lambda m, i, j: m.tyre_mf6(i, j, newer))[1]).forces(4000.0, k, a)
    pure = TyreRig(alone(lambda m, i, j: m.tyre_mf6(i, j, newer, mode=3))[1]).forces(4000.0, k, a)
    assert np.hypot(g["F_x"], g["F_y"]).max() < 1.02 * max(np.abs(pure["F_x"]).max(), np.abs(pure["F_y"]).max())
    assert np.hypot(pure["F_x"], pure["F_y"]).max() > 1.2 * np.abs(pure["F_y"]).max()


#: PAC2002 without combined slip whose curves have shifts of 1 and 3 % of the load, as the files of Chrono have
SHIFTED = {k: v for k, v in PASSENGER.items() if k[:2] not in ("RB", "RC", "PV")} | {
    "PVX1": 0.01, "PVY1": 0.03, "PHX1": 0.001, "PHY1": 0.003}  # fmt: skip


@pytest.mark.parametrize("build", ("tyre_pac2002", "tyre_mf6"))
def test_friction_ellipse_where_a_force_vanishes(build):
    """Next to the slips at which F_x or F_y vanishes the forces are smooth: slopes over steps of 1e-3, 1e-5 and 1e-7
    agree from both sides, there and around.  Where one of the forces vanishes the other is that of pure slip."""
    newer = {k: v for k, v in SHIFTED.items() if k in mf6.COEFFICIENTS} | {"NOMPRES": 2e5, "INFLPRES": 2e5}
    p = newer if build == "tyre_mf6" else SHIFTED
    m = hn.Model()
    on = lambda: (m.marker(m.part("", 1.0, (1, 1, 1))), m.marker(m.ground))
    both, pure = getattr(m, build)(*on(), p), getattr(m, build)(*on(), p, mode=3)
    module = pac2002 if build == "tyre_pac2002" else mf6
    laws = [np.array(module.parameters(e, m), float) for e in (both, pure)]
    end = (1e9, 1.0) if build == "tyre_pac2002" else (1e9, 0.0, 0.0, 1.0)
    law = lambda which, k, a: np.array(
        interpreted(module.slip_forces)(laws[which], 4000.0, k, math.tan(a), 0.0, 20.0, *end)[:2]
    )
    zero = [
        brentq(lambda s: law(1, s, 0.0)[0], -0.01, 0.01, xtol=1e-15),
        brentq(lambda s: law(1, 0.0, s)[1], -0.01, 0.01, xtol=1e-15),
    ]
    # at most S_v / K from the zeros of the whole curves, which these are but for their curvature
    assert law(0, zero[0], 0.05)[1] == pytest.approx(law(1, zero[0], 0.05)[1], rel=1e-6)
    assert law(0, 0.05, zero[1])[0] == pytest.approx(law(1, 0.05, zero[1])[0], rel=1e-6)
    for direction in (0, 1):
        for other in (-0.03, 0.0, 0.002, 0.05):
            place = [zero[direction], other] if direction == 0 else [other, zero[direction]]
            at = lambda h, place=place, direction=direction: law(
                0, *(x + h * (k == direction) for k, x in enumerate(place))
            )
            slopes = np.array([(at(h) - at(0.0)) / h for h in (1e-3, -1e-3, 1e-5, -1e-5, 1e-7, -1e-7)])
            K = 22.0 * 4000.0
            assert np.abs(slopes[2:] - slopes[2]).max() < 1e-3 * K, (direction, other)
            assert np.abs(slopes - slopes[2]).max() < 0.03 * K, (direction, other)


def test_check_names_the_coefficients_of_combined_slip_that_a_tyre_lacks(tmp_path):
    """A file without them is reported with the names, and with what is computed in their place; a file with FE_METHOD
    says it itself."""
    full = {**PASSENGER}
    cases = {
        "none": ({k: v for k, v in full.items() if k[:2] not in ("RB", "RC")}, "RBX1, RCX1, RBY1, RCY1; a friction"),
        "across": ({**full, "RCY1": 0.0}, "lack RCY1, so that F_y is that of pure slip"),
        "along": ({k: v for k, v in full.items() if k != "RBX1"}, "lack RBX1, so that F_x is that of pure slip"),
        "all": (full, ""),
        "pure": ({**full, "RCY1": 0.0}, ""),
        "asked": ({**full, "RBY1": 0.0, "RCY1": 0.0}, ""),
    }
    for name, (p, text) in cases.items():
        m = hn.Model(name)
        hub = m.marker(m.part("wheel", 20.0, (1, 1, 1), (0, 0, 0.3)))
        path = hn.vehicle.write_tir(tmp_path / f"{name}.tir", alone(lambda m, i, j, p=p: m.tyre_pac2002(i, j, p))[1])
        if name == "asked":
            path.write_text(path.read_text().replace("[MODEL]", "[MODEL]\nFE_METHOD = 'YES'"))
        hn.vehicle.tyre(m, hub, m.marker(m.ground), path, mode=3 if name == "pure" else None)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", hn.ModelWarning)
            found = [w for w in hn.check(m).warnings if "combined slip" in w]
        assert len(found) == bool(text) and all(text in w and "TYRE_PAC2002" in w for w in found), (name, found)


def _sine(C, B, E, x):
    return np.sin(C * np.arctan(B * x - E * (B * x - np.arctan(B * x))))


# ---- backward --------------------------------------------------------------------------------------------------------
def test_backward_the_moment_of_bristles_changes_its_sign():
    """Bristles that enter the patch at the other end, summed one by one."""
    m, e = alone(lambda m, i, j: m.tyre_brush(i, j, **BODY, slip_stiffness=8e4, load=4000.0, half_length=0.07, mu=0.9))
    rig, half, n = TyreRig(e), 0.07, 20000
    for way in (1, -1):
        x = half - (np.arange(n) + 0.5) * 2 * half / n  # from the end where bristles enter, in the direction of travel
        q = np.minimum(
            8e4 / (2 * half**2) * np.tan(0.03) * (half - x), 0.9 * 0.75 * 4000.0 / half * (1 - (x / half) ** 2)
        )
        found = rig.forces(4000.0, alpha=0.03, speed=10.0 * way)
        assert float(found["F_y"]) == pytest.approx(-q.sum() * 2 * half / n, rel=1e-5)
        assert float(found["M_z"]) == pytest.approx(-(way * x * q).sum() * 2 * half / n, rel=1e-4)


@pytest.mark.parametrize("name", sorted(SYMMETRIC))
def test_backward_forces_stay_and_moments_turn(name):
    """All laws: side force and camber thrust keep their signs, their moment changes it; at a standstill there is no
    arm."""
    rig = TyreRig(alone(SYMMETRIC[name])[1])
    for alpha, gamma in ((0.03, 0.0), (-0.06, 0.02), (0.0, 0.05)):
        f, b = (rig.forces(4000.0, alpha=alpha, gamma=gamma, speed=v) for v in (16.0, -16.0))
        assert float(b["F_y"]) == pytest.approx(float(f["F_y"]), rel=1e-6, abs=1e-6 * 4000)
        assert float(b["M_z"]) == pytest.approx(-float(f["M_z"]), rel=1e-6, abs=1e-6 * 400)
    assert abs(float(rig.forces(4000.0, alpha=0.03)["M_z"])) > 5.0


# ---- rest ------------------------------------------------------------------------------------------------------------
def stopped(build, way, speed=5.0, end=3.0):
    """A locked wheel that slides along ("x") or sideways ("y") under 400 kg on a flat road -> time, position and speed
    along its way."""
    m = hn.Model()
    m.gravity = (0, 0, -9.81)
    velocity = (speed, 0, 0) if way == "x" else (0, speed, 0)
    car = m.part("car", 400.0, (1, 1, 1), position=(0, 0, 0.28), velocity=velocity)
    m.primitive("ORIENTATION", m.marker(car), m.marker(m.ground))
    e = build(m, m.marker(car), m.marker(m.ground))
    if hasattr(e, "damping"):
        e.damping = 3000.0
    else:
        e.coefficients = {**e.coefficients, "VERTICAL_DAMPING": 3000.0}
    run = hn.simulate(m, end=end, steps=300, integrator="RADAU5")
    k = "xy".index(way)
    return np.asarray(run.time), run.part("car").position.values[:, k], run.part("car").velocity.values[:, k]


@pytest.mark.parametrize("way", ("x", "y"))
@pytest.mark.parametrize("name", sorted(set(TYRES) - {"TYRE_USER"}))
def test_a_wheel_that_slides_to_rest_stays_there(name, way):
    """The distance is that of friction; after the stop the tyre gives back next to nothing: below 0.05 m/s and a
    centimetre, for 400 kg."""
    t, x, v = stopped(TYRES[name], way)
    first = int(np.argmax(v <= 1e-3))
    slowing = -np.polyfit(t[(v > 1.5) & (v < 4.5)], v[(v > 1.5) & (v < 4.5)], 1)[0]
    assert 5.0 < slowing < 14.0
    assert x[first] == pytest.approx(
        25.0 / (2 * slowing), rel=0.12
    )  # friction is higher while slip builds up, and near rest
    assert v[first:].min() > -0.05 and np.ptp(x[first:]) < 0.01 and abs(v[-1]) < 1e-3


def test_a_stopped_wheel_can_be_held_up_to_its_friction():
    """Slopes of 0.5 hold a friction of 0.9, a slope of 1.1 slides."""
    for slope, holds in ((0.5, True), (1.1, False)):
        m = hn.Model()
        angle = np.arctan(slope)
        m.gravity = tuple(9.81 * np.array([np.sin(angle), 0, -np.cos(angle)]))
        car = m.part("car", 400.0, (1, 1, 1), position=(0, 0, 0.28), velocity=(3, 0, 0))
        m.primitive("ORIENTATION", m.marker(car), m.marker(m.ground))
        e = TYRES["TYRE_BRUSH"](m, m.marker(car), m.marker(m.ground))
        e.damping = 3000.0
        run = hn.simulate(m, end=4.0, steps=40, integrator="RADAU5")
        v = run.part("car").velocity.values[:, 0]
        assert (abs(v[-1]) < 1e-3) == holds and (holds or v[-1] > 3.0)


def test_tmeasy_of_a_file_parks_on_a_slope():
    """The dampers that files have leave it rocking for minutes; it stands after two seconds, creeping less than a
    micrometre in a second."""
    sizes = dict(
        radius=0.3,
        width=0.2,
        load=3000.0,
        stiffness=2e5,
        cx=1.8e5,
        cy=1.6e5,
        damping=60.0,
        dx=60.0,
        dy=60.0,
        first=FIRST,
        second=SECOND,
    )
    m = hn.Model()
    m.gravity = tuple(9.81 * np.array([0.12, 0.12, -np.sqrt(1 - 2 * 0.0144)]))
    car = m.part("car", 400.0, (1, 1, 1), position=(0, 0, 0.28))
    m.primitive("ORIENTATION", m.marker(car), m.marker(m.ground))
    m.tyre_tmeasy(m.marker(car), m.marker(m.ground), **{**sizes, "damping": 3000.0})
    run = hn.simulate(m, end=6.0, steps=60, integrator="RADAU5")
    place, speed = run.part("car").position.values, run.part("car").velocity.values
    assert np.linalg.norm(speed[20:, :2], axis=1).max() < 0.01 and np.linalg.norm(speed[-10:], axis=1).max() < 2e-5
    assert np.ptp(place[-10:], axis=0).max() < 2e-5


def test_a_wheel_that_falls_over_is_a_warning():
    """A wheel on a hinge that leans to 50 degrees is within what a tyre can do, and to 80 degrees it is not: the run
    reports this, once, with the time."""
    for most, said in ((50.0, False), (80.0, True)):
        m = hn.Model()
        wheel = m.part("wheel", 10.0, (1, 1, 1), position=(0, 0, 0.5))
        hinge = m.revolute(wheel, m.ground, "hinge", at=(0, 0, 0.5), axis=(1, 0, 0))
        m.motion(hinge, f"{float(np.radians(most))!r}*time")
        TYRES["TYRE_BRUSH"](m, m.marker(wheel), m.marker(m.ground), name="left tyre")
        run = hn.simulate(m, end=1.0, steps=100, integrator="RADAU5")
        found = [text for text in run.info["warnings"] if "leans" in text]
        assert len(found) == said
        if said:
            assert (
                "left tyre" in found[0]
                and re.search(r"from 0\.7[56] s on", found[0])
                and "up to 80 degrees" in found[0]
            )


# ---- files -----------------------------------------------------------------------------------------------------------
def test_tmeasy_by_load_index_sinks_under_its_payload(tmp_path):
    """Chrono: under its payload a tyre sinks by 16 % of the height of its section; the nominal load is half of the
    payload."""
    body = {
        "Name": "payload", "Type": "Tire", "Template": "TMeasyTire",
        "Design": {"Unloaded Radius [m]": 0.32, "Mass [kg]": 15.0, "Inertia [kg.m2]": [1, 2, 1], "Width [m]": 0.2,
        "Rim Radius [m]": 0.2},
        "Coefficient of Friction": 0.8, "Rolling Resistance Coefficient": 0.015, "Vehicle Type": "Passenger",
    }  # fmt: skip
    for own, payload in (
        ({"Maximum Bearing Capacity [N]": 6000}, 6000.0),
        ({"Load Index": 88}, 560 * 9.81),
        ({"Load Index": 88, "Vehicle Type": "Truck"}, 560 * 9.81),
    ):
        (tmp_path / "a.json").write_text(json.dumps(body | own))
        found = read_chrono_tyre(tmp_path / "a.json")
        assert float(TyreRig(found).forces(payload)["deflection"]) == pytest.approx(0.16 * 0.12, rel=1e-9)
        assert found.arguments["load"] == pytest.approx(0.5 * payload)
        assert found.arguments["cx"] == pytest.approx(0.9 * payload / 0.0192) and found.arguments[
            "cy"
        ] == pytest.approx(0.8 * payload / 0.0192)


def test_chrono_files_with_coefficients_of_their_own(tmp_path):
    """PAC2002 in groups of a JSON file is the same tyre as its property file; TMeasy by a curve of its spring has that
    curve."""
    _, e = alone(lambda m, i, j: m.tyre_pac2002(i, j, PASSENGER))
    have = read_tir(hn.vehicle.write_tir(tmp_path / "a.tir", e)).coefficients
    spelled = {
        "UNLOADED_RADIUS": "Unloaded Radius",
        "VERTICAL_STIFFNESS": "Vertical Stiffness",
        "VERTICAL_DAMPING": "Vertical Damping",
        "FNOMIN": "Nominal Wheel Load",
    }
    groups = {"Dimension": ("UNLOADED_RADIUS",), "Vertical": ("VERTICAL_STIFFNESS", "VERTICAL_DAMPING", "FNOMIN")}
    for template in ("Pac02Tire", "MFTire"):
        body = {
            "Name": "own",
            "Type": "Tire",
            "Template": template,
            "Mass": 16.0,
            "Inertia": [1, 2, 1],
            "Coefficient of Friction": 0.8,
            "Use Mode": 3,
        }
        body |= {group: {spelled[k]: have[k] for k in names} for group, names in groups.items()}
        body["Longitudinal Coefficients"] = {k: v for k, v in have.items() if k not in spelled}
        (tmp_path / "a.json").write_text(json.dumps(body | {"Visualization": {"Width": 0.185}}))
        found = read_chrono_tyre(tmp_path / "a.json")
        assert (
            found.model == "PAC2002"
            and found.mode == 3
            and found.unknown == ()
            and found.coefficients == pytest.approx(have)
        )
    del body["Longitudinal Coefficients"]
    (tmp_path / "a.json").write_text(json.dumps(body | {"Template": "Pac02Tire"}))
    with pytest.raises(hn.ModelError, match="names no property file"):
        read_chrono_tyre(tmp_path / "a.json")
    _, t = alone(TYRES["TYRE_TMEASY"])
    body = json.loads(hn.vehicle.write_chrono_tyre(tmp_path / "t.json", t).read_text())
    p = body["Parameters"]
    body["Parameters"] = {k: p[k] for k in ("Longitudinal", "Lateral", "Aligning")} | {
        "Vertical": {
            "Nominal Vertical Force [N]": 3000.0,
            "Tire Spring Curve Data": [[0, 0], [0.02, 3800.0], [0.04, 8400.0]],
            "Vertical Tire Damping [Ns/m]": 600.0,
        }
    }
    (tmp_path / "t.json").write_text(json.dumps(body))
    rig = TyreRig(read_chrono_tyre(tmp_path / "t.json"))
    # through both rows: 170000 rho + 1e6 rho^2
    assert [float(rig.forces(f)["deflection"]) for f in (3800.0, 8400.0)] == pytest.approx([0.02, 0.04], rel=1e-9)
    assert float(rig.forces(3000.0, alpha=0.05)["F_y"]) == pytest.approx(
        float(TyreRig(t).forces(3000.0, alpha=0.05)["F_y"]), rel=1e-6
    )


def test_what_a_property_file_leaves_open_or_says_twice_is_a_warning(tmp_path):
    """An entry without a value counts as missing, of two load curves the first is taken, a choice of [MODEL] that no
    tyre reads is named."""
    _, e = alone(lambda m, i, j: m.tyre_pac2002(i, j, PASSENGER, load_curve=((0.0, 0.0), (0.02, 4000.0))))
    text = hn.vehicle.write_tir(tmp_path / "a.tir", e).read_text()
    text = text.replace("PHY3 = 0.03", "PHY3 =").replace(
        "[MODEL]", "[MODEL]\nTRANSIENT_METHOD = 'STRETCHED'\nMESSAGES = 'YES'"
    )
    (tmp_path / "a.tir").write_text(text + "[DEFLECTION_LOAD_CURVE]\n0 0\n0.02 9000\n")
    found = read_tir(tmp_path / "a.tir")
    assert (
        found.empty == ("PHY3",)
        and "PHY3" not in found.coefficients
        and found.load_curve[-1] == pytest.approx((0.02, 4000.0))
    )
    assert found.unknown[0] == "TRANSIENT_METHOD" and found.unknown[1].startswith(
        "a second [DEFLECTION_LOAD_CURVE] (line "
    )
    m = hn.Model()
    hn.vehicle.tyre(m, m.marker(m.part("wheel", 1.0, (1, 1, 1))), m.marker(m.ground), tmp_path / "a.tir")
    said = " ".join(m.warnings)
    assert (
        "TRANSIENT_METHOD" in said and "gives no value for PHY3" in said and "a second [DEFLECTION_LOAD_CURVE]" in said
    )
    (tmp_path / "a.tir").write_text(text.replace("[MODEL]", "[MODEL]\nFE_METHOD = 'PERHAPS'"))
    with pytest.raises(hn.ModelError, match="FE_METHOD is 'PERHAPS'; give 'YES' or 'NO'"):
        read_tir(tmp_path / "a.tir")
    # a needed entry that is empty is an error
    (tmp_path / "a.tir").write_text(text.replace("FNOMIN = 4000.0", "FNOMIN ="))
    with pytest.raises(hn.ModelError, match="FNOMIN is 0; give a positive number"):
        TyreRig(tmp_path / "a.tir")


def test_parameters_of_a_file_are_what_its_law_reads():
    file = read_tir(Path(hn.__file__).parent / "vehicle/data/passenger.tir")
    m = hn.Model("m", units="SI")
    wheel, ground = m.marker(m.part("wheel", 1.0, (1, 1, 1))), m.marker(m.ground)
    e = file.in_units(m.units).element(m, wheel, ground, mode=3, mirror=True)
    assert (e.mode, e.mirror) == (3, True) and e.coefficients["FNOMIN"] == file.coefficients["FNOMIN"]
    in_metres, in_mm = file.parameters(m.units), file.parameters(hn.Model("mm", units="MMKS").units)
    e = dataclasses.replace(e, mode=file.mode, mirror=False)
    np.testing.assert_array_equal(in_metres, pac2002.parameters(e, m))
    np.testing.assert_allclose(in_mm[pac2002.R0], 1000.0 * in_metres[pac2002.R0], rtol=1e-14)
    np.testing.assert_allclose(in_mm[pac2002.CZ], in_metres[pac2002.CZ] / 1000.0, rtol=1e-14)
