"""Tables of numbers that functions which build models take: next to their source, or to what they follow from."""

import math

import numpy as np
import pytest

from holonom.machinery import track
from holonom.rail import COACH, spectrum
from holonom.rail.cooperrider_bogie import DATA
from holonom.structures.frame import SECTIONS
from holonom.structures.steel_damper import STEELS
from holonom.structures.yielding import PROFILES

#: EN 10365, mm: depth, breadth, web, flange, radius of the fillets
ROLLED = {
    "IPE300": (300.0, 150.0, 7.1, 10.7, 15.0),
    "IPE400": (400.0, 180.0, 8.6, 13.5, 21.0),
    "IPE500": (500.0, 200.0, 10.2, 16.0, 21.0),
    "HEB200": (200.0, 200.0, 9.0, 15.0, 18.0),
    "HEB300": (300.0, 300.0, 11.0, 19.0, 27.0),
    "HEB400": (400.0, 300.0, 13.5, 24.0, 27.0),
}


def rolled(h, b, tw, tf, r):
    """A, Iy, Iz in m^2, m^4 by areas: rectangles, and four fillets (a square less a quarter of a circle) whose own
    moments come from integrals; J by El Darwish and Johnston (1965), on which the printed tables rest."""
    y, w = np.polynomial.legendre.leggauss(60)
    y, w = 0.5 * r * (y + 1.0), 0.5 * r * w  # height of a fillet over the flange, its breadth there
    wide = r - np.sqrt(r * r - (r - y) ** 2)
    clear = h - 2.0 * tf
    A = 2.0 * b * tf + clear * tw + 4.0 * (w * wide).sum()
    Iy = (b * h**3 - (b - tw) * clear**3) / 12.0 + 4.0 * (w * wide * (0.5 * clear - y) ** 2).sum()
    side = ((0.5 * tw + wide) ** 3 - (0.5 * tw) ** 3) / 3.0
    Iz = (2.0 * tf * b**3 + clear * tw**3) / 12.0 + 4.0 * (w * side).sum()
    alpha = tw / tf * (0.145 + 0.1 * r / tf)
    circle = ((r + 0.5 * tw) ** 2 + (r + tf) ** 2 - r**2) / (2.0 * r + tf)
    J = 2.0 / 3.0 * (b - 0.63 * tf) * tf**3 + clear * tw**3 / 3.0 + 2.0 * alpha * circle**4
    return [A * 1e-6, Iy * 1e-12, Iz * 1e-12, J * 1e-12]


@pytest.mark.parametrize("name", SECTIONS)
def test_rolled_sections_follow_from_their_dimensions(name):
    s = SECTIONS[name]
    assert [s.A, s.Iy, s.Iz, s.J] == pytest.approx(rolled(*ROLLED[name]), rel=5e-4)


@pytest.mark.parametrize("name", PROFILES)
def test_rectangles_of_rolled_sections(name):
    h, b, tw, tf, _ = ROLLED[name]
    assert np.multiply(PROFILES[name], 1e3) == pytest.approx((h, b, tf, tw), rel=1e-12)


def test_steels_yield_as_their_names_say():
    for name, steel in STEELS.items():
        assert steel.fy == 1e6 * float(name.lstrip("LYS"))
        assert (steel.name, steel.E) == (name, 2.1e11)
        assert steel.hardening == 0.01  # EN 1993-1-5, C.6: E/100


def test_coach_has_the_size_of_the_manchester_benchmarks():
    """Vehicle 1 (Iwnicki 1999): a wheelset of 1813 kg, here with its boxes apart, semi-wheelbase 1.28 m, semi-spacing
    of the bogies 9.5 m."""
    wheel = COACH["wheelset"]
    whole = np.add(wheel["inertia"], wheel["box_inertia"])
    assert [wheel["mass"] + wheel["box_mass"], *whole, wheel["radius"]] == [1813.0, 1120.0, 112.0, 1120.0, 0.46]
    assert [wheel["box_mass"], *wheel["box_inertia"], wheel["box_spread"]] == [200.0, 100.0, 5.0, 100.0, 2.0]
    assert COACH["frame"] == {"mass": 2615.0, "inertia": (1722.0, 1476.0, 3067.0), "height": 0.6}
    assert COACH["body"] == {"mass": 32000.0, "inertia": (56800.0, 1970e3, 1970e3), "height": 1.8}
    assert [0.5 * COACH["pivots"], 0.5 * COACH["wheelbase"]] == [9.5, 1.28]
    assert COACH["primary"] == {"k": (31.391e6, 3.884e6, 1.22e6), "c": (15e3, 2e3, 4e3)}
    over = COACH["secondary"]
    assert [*over["k"], *over["kt"]] == [160e3, 160e3, 430e3, 10.5e3, 10.5e3, 0.0]
    assert [*over["c"], over["height"], over["spread"]] == [25e3, 32e3, 20e3, 0.925, 2.0]
    assert COACH["traction"] == {"k": (5e6, 0.0, 0.0), "c": (25e3, 0.0, 0.0)}
    assert COACH["roll_bar"] == 940e3


def test_data_of_cooperriders_bogie():
    """Cooperrider 1972 in SI, as printed by True and by Kaas-Petersen."""
    whole = {"m_w": 1022, "i_w": 678, "spin": 80, "m_f": 2918, "i_f": 6780}
    places = {"r0": 0.4572, "lambda": 0.05, "a": 0.716, "b": 1.074, "d1": 0.62, "d2": 0.68, "h1": 0.0762, "h2": 0.6584}
    springs = {"k1": 1823e3, "k2": 3646e3, "k3": 3646e3, "k4": 182.3e3, "k5": 333.3e3, "k6": 2710e3}
    creep = {"D1": 2e4, "D2": 2.92e4, "psi": 0.54219, "phi": 0.60252, "shear": 6.563e6, "wheel": 66670}
    assert pytest.approx(whole | places | springs | creep, rel=1e-12) == DATA


#: 10^-4 m^2 rad/m, rad/m (Garg and Dukkipati 1984)
FRA = {
    "FRA 1": (1.2107, 3.3634, 0.6046),
    "FRA 2": (1.0181, 1.2107, 0.9308),
    "FRA 3": (0.6816, 0.4128, 0.8520),
    "FRA 4": (0.5376, 0.3027, 1.1312),
    "FRA 5": (0.2095, 0.0762, 0.8209),
    "FRA 6": (0.0339, 0.0339, 0.4380),
}


@pytest.mark.parametrize("name", FRA)
def test_classes_of_track(name):
    level, alignment, cross = FRA[name]
    for o in (0.2, 1.5):
        end = 0.8245**2 / (o**2 + 0.8245**2)
        wanted = [
            0.25e-4 * level * end / o**2,
            0.25e-4 * alignment * end / o**2,
            1e-4 * level * end / (o**2 + cross**2),
        ]
        assert [spectrum(name, kind, o) for kind in ("level", "alignment", "cross")] == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize(("name", "level", "alignment"), [("low", 4.032e-7, 2.119e-7), ("high", 10.80e-7, 6.125e-7)])
def test_disturbances_of_the_erri(name, level, alignment):
    for o in (0.03, 0.9):
        shape = 0.8246**2 / ((o**2 + 0.0206**2) * (o**2 + 0.8246**2))
        cross = level / 0.75**2 * shape * o**2 / (o**2 + 0.4380**2) * 1.5**2
        found = [spectrum(f"ERRI {name}", kind, o) for kind in ("level", "alignment", "cross")]
        assert found == pytest.approx([level * shape, alignment * shape, cross], rel=1e-12)


def test_track_has_the_data_of_the_m113():
    """Project Chrono's M113 (BSD; files of its sprocket, idler, road wheels, shoes and chassis): one side carries half
    of the chassis.  Axes here: x forward, y up, z across; theirs have z up."""
    upright = lambda x, y, z: (x, z, y)
    wheel, idler, gear = track.WHEEL, track.IDLER, track.SPROCKET
    assert [wheel["mass"], *wheel["inertia"]] == [35.56, *upright(1.14, 2.16, 1.14)]
    assert [idler["mass"], *idler["inertia"], idler["carrier"]] == [25.76, *upright(0.618, 1.12, 0.618), 10.0]
    assert [gear["mass"], *gear["inertia"]] == [27.68, *upright(0.646, 0.883, 0.646)]
    assert [wheel["radius"], wheel["width"], idler["radius"]] == [0.305, 0.181, 0.255]
    assert [gear["teeth"], gear["tip"], gear["arc"], gear["centres"]] == [10, 0.2605, 0.089, 0.3]
    shoe, arm, push = track.SHOE, track.ARM, track.TENSIONER
    assert [shoe["mass"], *shoe["inertia"]] == [18.02, 0.22, 0.25, 0.04]
    assert [shoe["pitch"], shoe["height"], *shoe["pins"], shoe["pin"]] == [0.154, 0.06, 0.0535, -0.061, 0.015]
    assert [shoe["ground"], shoe["wheel"], shoe["width"]] == [0.11, 0.10, 0.38]
    assert [arm["mass"], *arm["inertia"], *arm["pivot"]] == [75.26, 0.37, 0.77, 0.77, 0.288, 0.134]
    assert np.multiply(2.0, arm["centre"]) == pytest.approx(arm["pivot"], rel=1e-15)
    assert [arm["stiffness"], arm["damping"]] == [2.5e4, 5e2]
    assert [push[w] for w in ("length", "preload", "stiffness", "damping", "slack")] == [0.5, 2e4, 1e6, 1.4e4, 0.018]
    chassis = track.CHASSIS
    assert [2.0 * chassis["mass"], 2.0 * chassis["inertia"], *chassis["centre"]] == [7819.24, 27287.61, -2.006, 0.406]
    assert np.diff([x for x, _ in track.WHEELS]) == pytest.approx([-0.667] * 4, abs=2e-3)
    assert [track.WHEELS[0][0], track.WHEELS[4][0], *idler["place"]] == [-0.655, -3.322, -3.95, -0.12]
    assert {y for _, y in track.WHEELS} == {-0.215} and len(track.WHEELS) == 5
    assert track.ROUNDING == 0.006
    assert math.isclose(shoe["pins"][0] - shoe["pins"][1], 0.1145)
