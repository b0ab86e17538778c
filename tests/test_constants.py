"""Constants of the modules of vehicle, rail, machinery and structures: every number next to its source.

`SOURCED` has what standards, published data, definitions of units and closed forms say; docs/assumed-values.md has what
is a choice, with its unit, and is read here.  `test_builder_tables.py` has larger tables.  A constant that none of them
has fails.
"""

import ast
import importlib
import inspect
import math
import re
import sys
from pathlib import Path

import numpy as np
import pytest

from holonom.machinery.gears import helical_gears

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tools"))
import mutate  # noqa: E402

PACKAGES = ("vehicle", "rail", "machinery", "structures")
PAGE = ROOT / "docs" / "assumed-values.md"
UNITS = {
    "-": 1.0, "mm": 1e-3, "m": 1.0, "s": 1.0, "ms": 1e-3, "1/s": 1.0, "kg": 1.0, "deg": math.pi / 180.0, "mrad": 1e-3,
    "km/h": 1.0 / 3.6, "m/s": 1.0, "rad/s": 1.0, "N m": 1.0,
}  # fmt: skip
#: modules whose lengths are in millimetres, as those of the standards that they follow
IN_MM = {"machinery.hanging_rope"}

INF = math.inf
LBF = 0.45359237 * 9.80665  # N: the pound of 1959, standard gravity
FOOT, INCH = 0.3048, 0.0254
#: ISO 3, preferred numbers R80
R80 = (
    10, 10.3, 10.6, 10.9, 11.2, 11.5, 11.8, 12.2, 12.5, 12.8, 13.2, 13.6, 14, 14.5, 15, 15.5, 16, 16.5, 17, 17.5, 18,
    18.5, 19, 19.5, 20, 20.6, 21.2, 21.8, 22.4, 23, 23.6, 24.3, 25, 25.8, 26.5, 27.2, 28, 29, 30, 30.7, 31.5, 32.5,
    33.5, 34.5, 35.5, 36.5, 37.5, 38.7, 40, 41.2, 42.5, 43.7, 45, 46.2, 47.5, 48.7, 50, 51.5, 53, 54.5, 56, 58, 60,
    61.5, 63, 65, 67, 69, 71, 73, 75, 77.5, 80, 82.5, 85, 87.5, 90, 92.5, 95, 97.5,
)  # fmt: skip
#: loads that ETRTO does not round as R80 does, and (1, 169) slips of Chrono's table, where ETRTO has 46.2 and 5800 kg
NOT_R80 = {1: 46.5, 35: 121, 61: 257, 115: 1215, 117: 1285, 141: 2575, 143: 2725, 147: 3075, 155: 3875, 157: 4125,
    159: 4375, 161: 4625, 163: 4875, 169: 5850, 195: 12150, 197: 12850}  # fmt: skip


def load_of_index(k):
    """kg: the R80 series from 45 on."""
    decade, place = divmod(R80.index(45) + k, 80)
    return NOT_R80.get(k, pytest.approx(R80[place] * 10**decade, rel=1e-12))


def guessed(at_pn, at_2pn):
    """Curves of a tyre by Chrono's order: dfx0, sxm, fxm, sxs, fxs, dfy0, sym, fym, sys, fys, nto0, synto0, syntoE."""
    words = "dfx0 sxm fxm sxs fxs dfy0 sym fym sys fys nto0 synto0 syntoE".split()
    return tuple(dict(zip(words, values, strict=True)) for values in (at_pn, at_2pn))


def dimension(text):
    """Powers of length, force, time and angle of a unit: "N s/m" -> (-1, 1, 1, 0)."""
    over, _, under = text.partition("/")
    count = lambda unit: over.split().count(unit) - under.split().count(unit)
    return tuple(count(unit) for unit in ("m", "N", "s", "rad"))


#: keywords of a property file (Fiala, UA) and their units
KEYWORDS = {
    "UNLOADED_RADIUS": ("radius", "m"), "WIDTH": ("width", "m"), "VERTICAL_STIFFNESS": ("stiffness", "N/m"),
    "VERTICAL_DAMPING": ("damping", "N s/m"), "ROLLING_RESISTANCE": ("rolling_resistance", "m"),
    "CSLIP": ("cslip", "N"), "CALPHA": ("calpha", "N/rad"), "CGAMMA": ("cgamma", "N/rad"),
    "UMIN": ("umin", ""), "UMAX": ("umax", ""),
    "RELAX_LENGTH_X": ("relax_x", "m"), "RELAX_LENGTH_Y": ("relax_y", "m"),
    "LATERAL_STIFFNESS": ("lateral_stiffness", "N/m"),
}  # fmt: skip
#: further numbers of tyres
NUMBERS = {"stiffness_2": "N/m", "load": "N", "cx": "N/m", "cy": "N/m", "dx": "N s/m", "dy": "N s/m",
    "slip_stiffness": "N", "half_length": "m", "slow": "m/s"}  # fmt: skip
#: positions of wheels: x forward, y to the left (ISO 8855); front left, front right, rear left, rear right
CORNERS = np.array([(1, 1), (1, -1), (-1, 1), (-1, -1)])
#: cam laws of the books (VDI 2143; Norton, Cam Design): peaks of s' and s'' of a unit rise
PEAKS = {
    "3-4-5": (1.875, 5.7735), "4-5-6-7": (2.1875, 7.5132), "cycloidal": (2.0, 6.2832),
    "modified sine": (1.7596, 5.5280), "harmonic": (1.5708, 4.9348),
}  # fmt: skip
#: BS 7910, steel in air, upper bound: da/dN = 5.21e-13 (N/mm^1.5)^3 mm; aluminium at the same dK / E, E = 70 GPa
GROWTH = lambda dk: 5.21e-13 * (dk * 207.0 / 70.0 / math.sqrt(1e-3)) ** 3 * 1e-3  # m a cycle, of MPa sqrt(m)


def rate_of(paris):
    """Growth in one cycle of 1 and of 10 MPa sqrt(m), m."""
    return [paris["C"] * (1e6 * dk) ** paris["m"] for dk in (1.0, 10.0)]


def peaks(factors):
    return {k: [round(v, 4) for v in values] for k, values in factors.items()}


#: constant -> its value, or a function of it and the value of that
SOURCED = {
    # SI, standard gravity, ISO 8855 (x forward, y to the left, z up)
    "vehicle.rig.G": 9.80665,
    "structures.ground_motion.G": 9.80665,
    "machinery.studies.G": 9806.65,
    "vehicle.characteristics.SIGMA": [1, -1],
    "vehicle.characteristics.X": [1, 0, 0],
    "vehicle.characteristics.Z": [0, 0, 1],
    "vehicle.templates.extras.UP": [0, 0, 1],
    "vehicle.templates.extras.ACROSS": [0, 1, 0],
    "machinery.rope.X": [1, 0, 0],
    "machinery.track.Z": [0, 0, 1],
    "machinery.rope.Z": [0, 0, 1],
    "vehicle.characteristics.LEFT": 0,
    "vehicle.characteristics.RIGHT": 1,
    "vehicle.template.SIGN": {"left": 1.0, "right": -1.0},
    "vehicle.full_vehicle.TWO_PI": math.tau,
    "vehicle.handling.DEGREES": math.degrees(1.0),
    "vehicle.kc_words.DEGREE": math.degrees(1.0),
    "vehicle.ride.ROOT": (lambda v: v * v, 0.5),
    "rail.body_shell.ROOT3": (lambda v: v * v, 3.0),
    "structures.ground_motion.UNITS": {"g": 9.80665, "m/s2": 1.0, "cm/s2": 0.01, "gal": 0.01, "mm/s2": 0.001,
        "in/s2": INCH, "ft/s2": FOOT},
    "vehicle.tir.LENGTH": {"METER": 1, "METERS": 1, "M": 1, "MM": 0.001, "MILLIMETER": 0.001, "CM": 0.01,
        "CENTIMETER": 0.01, "INCH": INCH, "IN": INCH, "FOOT": 12 * INCH, "FT": 12 * INCH, "KM": 1000},
    "vehicle.tir.FORCE": {"NEWTON": 1, "N": 1, "KILONEWTON": 1000, "KNEWTON": 1000, "KN": 1000,
        "KILOGRAM_FORCE": 9.80665, "KG_FORCE": 9.80665, "KPOND": 9.80665, "POUND_FORCE": LBF, "LBF": LBF, "POUND": LBF,
        "DYNE": 1e-5, "OUNCE_FORCE": LBF / 16},
    "vehicle.tir.TIME": {"SECOND": 1, "SEC": 1, "S": 1, "MILLISECOND": 1e-3, "MS": 1e-3, "MINUTE": 60, "MIN": 60,
        "HOUR": 60 * 60},
    "vehicle.tir.ANGLE": dict.fromkeys(("RADIAN", "RADIANS", "RAD"), 1.0)
        | dict.fromkeys(("DEGREE", "DEGREES", "DEG"), math.radians(1.0)),
    "vehicle.tir.MASS": {"KG": 1, "KILOGRAM": 1, "GRAM": 1e-3, "TONNE": 1000, "POUND_MASS": 0.45359237,
        "LBM": 0.45359237, "SLUG": LBF / FOOT},
    "vehicle.tir.PRESSURE": {"PASCAL": 1, "PA": 1, "KPASCAL": 1000, "KPA": 1000, "BAR": 1e5, "PSI": LBF / INCH**2,
        "KSI": 1000 * LBF / INCH**2},
    "vehicle.tir.WORDS": {k: (word, *dimension(unit)) for k, (word, unit) in KEYWORDS.items()},
    "vehicle.tir.POWERS": {word: dimension(unit)[:3] for word, unit in (*KEYWORDS.values(), *NUMBERS.items())},
    "vehicle.tir.NUMBER": (0, 0, 0),
    "vehicle.tir.MF5": {5, 6, 21, 51, 52},  # FITTYP of MF-Tyre 5.2 in its manual
    "vehicle.tir._WORD": (lambda v: v.match("FNOMIN  = 4000 $N").groups(), ("FNOMIN", "4000 $N")),
    # tyres of Chrono: ChTMeasyTire.cpp, GetTireMaxLoad, GuessTruck80Par, GuessPassCar70Par
    "vehicle.chrono_tyres.LOADS": [load_of_index(k) for k in range(210)],
    "vehicle.chrono_tyres.GUESS": {
        "Truck": guessed(
            (17.6866, 0.12, 0.88468, 0.9, 0.54397, 5.948, 0.38786, 0.77253, 0.82534, 0.71139, 0.178, 0.40726, 0.82534),
            (13.8046, 0.15, 0.7479, 0.95, 0.50365, 5.506, 0.38786, 0.73048, 0.91309, 0.66823, 0.19, 0.40726, 0.91309),
        ),
        "Passenger": guessed(
            (18.6758, 0.17, 1.1205, 0.9, 0.8766, 14.9858, 0.18197, 1.0084, 0.82534, 0.83941, 0.178, 0.19107, 0.82534),
            (20.1757, 0.15, 1.072, 0.95, 0.8245, 10.0505, 0.24472, 0.90003, 0.91309, 0.76782, 0.19, 0.25695, 0.91309),
        ),
    },
    "vehicle.chrono_tyres.DAMPING_RATIO": 0.05,
    "vehicle.tyre_rig.LAGGING": 2,  # first-order lags of the slip along and across
    # ISO 2631-1 and ISO 8041, parameters of the weightings; Q without meaning where its frequency is infinite: 1
    "vehicle.ride.WEIGHTS": {
        "Wk": (0.4, 100, 12.5, 12.5, 0.63, 2.37, 0.91, 3.35, 0.91, 1),
        "Wd": (0.4, 100, 2, 2, 0.63, INF, 1, INF, 1, 1),
        "Wc": (0.4, 100, 8, 8, 0.63, INF, 1, INF, 1, 1),
        "We": (0.4, 100, 1, 1, 0.63, INF, 1, INF, 1, 1),
        "Wf": (0.08, 0.63, INF, 0.25, 0.86, 0.0625, 0.8, 0.1, 0.8, 1),
        "Wj": (0.4, 100, INF, INF, 1, 3.75, 0.91, 5.32, 0.91, 1),
        "Wb": (0.4, 100, 16, 16, 0.55, 2.5, 0.9, 4, 0.95, 1.024),
    },
    "vehicle.ride.POSTS": {"heave": (1, 1, 1, 1), "pitch": tuple(-CORNERS[:, 0]), "roll": tuple(CORNERS[:, 1]),
        "warp": tuple(CORNERS.prod(1))},
    # ISO 8608:2016, table C.2, 10^-6 m^3 at 0.1 cycles/m, and its band; OpenCRG 1.1: sizes of its number formats
    "vehicle.roads.CLASSES": {"A": 16e-6, "B": 64e-6, "C": 256e-6, "D": 1024e-6, "E": 4096e-6, "F": 16384e-6,
        "G": 65536e-6, "H": 262144e-6},
    "vehicle.roads.REFERENCE": 0.1,
    "vehicle.roads.BAND": (0.011, 2.83),
    "vehicle.roads.FORMATS": (lambda v: {k: np.dtype(w).itemsize if isinstance(w, str) else w for k, w in v.items()},
        {"LRFI": 10, "LDFI": 20, "KRBI": 4, "KDBI": 8}),
    # rail: EN 14363, 5.3; Cooperrider 1972 and True; CONTACT's example; UIC 510-2 (S1002); BS 7910; aluminium 6005A
    "rail.assessment.QUOTIENT_LIMIT": 0.8,
    "rail.assessment.SMALLEST_RADIUS": 250.0,
    "rail.assessment.UNLOADING_LIMIT": 0.6,
    "rail.cooperrider_bogie.PUBLISHED": 68.66,
    "rail.cooperrider_bogie.G": 9.81,
    "rail.command.CONTACT_CASE": {"eta": -6.25e-4, "phi": 0.625, "young": 2 * 82e9 * (1 + 0.28), "poisson": 0.28,
        "elements": 60},
    "rail.command.CONTACT_FORCE": -0.6074,
    "rail.body_fatigue.PARIS": (rate_of, [GROWTH(1.0), GROWTH(10.0)]),
    "rail.body_fatigue.THRESHOLD": (lambda v: v / 1e6, 63.0 * math.sqrt(1e-3) * 70.0 / 207.0),
    "rail.body_fatigue.RATIO": 207.0 / 70.0,
    "rail.body_shell.ALUMINIUM": (lambda v: (v.E, v.nu, v.density), (70e9, 0.33, 2700.0)),
    "rail.profiles.ZONES": {"H": (-70, -62.764705882), "G": (-62.764705882, -49.662510381),
        "F": (-49.662510381, -39.764473993), "E": (-39.764473993, -38.426669071), "D": (-38.426669071, -35),
        "C": (-35, -26), "B": (-26, 32.15796), "A": (32.15796, 60)},
    "rail.profiles._B": (0, -3.358537058e-2, 1.565681624e-3, -2.810427944e-5, 5.844240864e-8, -1.562379023e-8,
        5.309217349e-15, -5.957839843e-12, 2.646656573e-13),
    "rail.profiles._C": (4320.221063, 1038.384026, 106.5501873, 6.051367875, 0.2054332446, 4.169739389e-3,
        4.687195829e-5, 2.252755540e-7),
    # machinery: ISO 6336-1 (5.3.1 and E, nu of steel), density of steel, laws of cams, members of a planetary set
    "machinery.gear_mesh.YOUNG": 206000.0,
    "machinery.gear_mesh.NU": 0.3,
    "machinery.gear_mesh.ISO_Q": (0.04723, 0.15551, 0.25791, -0.00635, -0.11654, -0.00193, -0.24188, 0.00529, 0.00182),
    "machinery.gear_train.STEEL": 7850e-9,
    "machinery.gears.STEEL": 7850e-9,
    "machinery.hanging_rope.STEEL": 7850e-9,
    "machinery.hanging_rope.YOUNG": 200e3,
    "machinery.hanging_rope.SHEAR": 80e3,
    "machinery.cams.FACTORS": (peaks, {k: list(v) for k, v in PEAKS.items()}),
    "machinery.power_flow.ARRANGEMENTS": (set, {("ring", "sun"), ("ring", "carrier"), ("carrier", "sun"),
        ("carrier", "ring"), ("sun", "carrier"), ("sun", "ring")}),
    "machinery.studies.TEETH": inspect.signature(helical_gears).parameters["teeth"].default[0],
    # structures: x, z and rotation about y; a beam's consistent mass, diagonal scaled to its mass (Hinton et al. 1976)
    "structures.frame.PLANE": (0, 2, 4),
    "structures.frame.LUMPING": (4.0 / 420.0) / (2.0 * 156.0 / 420.0),
    "structures.steel_damper.STEELS": (lambda v: {k: s.fy for k, s in v.items()},
        {"LY100": 100e6, "S235": 235e6, "S355": 355e6, "S460": 460e6, "S690": 690e6}),
}  # fmt: skip
#: `test_builder_tables.py` compares these with their sources, and reads the table of dampers here
ELSEWHERE = {
    "structures.frame.SECTIONS", "structures.yielding.PROFILES", "rail.vehicle.COACH", "rail.cooperrider_bogie.DATA",
    "rail.irregularities.FRA", "rail.irregularities.FRA_CUT", "rail.irregularities.ERRI",
    "rail.irregularities.ERRI_CUT", "rail.irregularities.ERRI_LONG", "rail.irregularities.ERRI_CROSS",
    *(f"machinery.track.{w}" for w in "WHEELS WHEEL IDLER SPROCKET SHOE ARM TENSIONER CHASSIS".split()),
}  # fmt: skip
#: layouts of vectors and files of others, each with a test of its own below or in the folder of the package
LAYOUTS = {
    "structures.command.CASES",
    "rail.body_fatigue.DUTY",
    *(f"vehicle.axle_in_bend.{w}" for w in "FY MX MZ FX FZ UP STEER LEAN SLIP".split()),
    *(f"vehicle.axle_in_bend.{w}" for w in "SIDESLIP HAND ROLL ACROSS YAWING INPUTS".split()),
    *(f"vehicle.rolling_car.{w}" for w in "V_O YAW PHI P CAR".split()),
    "vehicle.chrono_suspensions.SUSPENSIONS",
    "vehicle.network.BESIDE",
    "vehicle.vehicle_file.SHIPPED",
    "vehicle.chrono_tyres._TOKEN",
}


def module_of(name):
    """A module by its name below holonom; the file of a package is not its __init__."""
    return importlib.import_module(f"holonom.{name}")


def value_of(name):
    module, _, word = name.rpartition(".")
    return getattr(module_of(module), word)


def same(found, wanted):
    """Equal in structure and, but for the rounding of conversions, in value."""
    if isinstance(wanted, dict):
        assert found.keys() == wanted.keys()
        for key in wanted:
            same(found[key], wanted[key])
    elif isinstance(wanted, (list, tuple)):
        assert len(found) == len(wanted)
        for a, b in zip(found, wanted, strict=True):
            same(a, b)
    elif isinstance(wanted, (str, set)):
        assert (set(found) if isinstance(wanted, set) else found) == wanted
    else:
        assert found == (pytest.approx(wanted, rel=1e-12, abs=0.0) if isinstance(wanted, (int, float)) else wanted)


@pytest.mark.parametrize("name", SOURCED)
def test_constant_and_its_source(name):
    found, wanted = value_of(name), SOURCED[name]
    if isinstance(wanted, tuple) and callable(wanted[0]):
        found, wanted = wanted[0](found), wanted[1]
    same(found, wanted)


def assumed():
    """{constant: (value in SI, or as printed where its unit is "-")} of the page."""
    out = {}
    for line in PAGE.read_text().splitlines():
        row = re.match(r"\| `([\w.]+)` \| (.+?) \| (.+?) \| (.+) \|$", line)
        if row:
            out[row[1]] = ast.literal_eval(row[2]), row[3]
    return out


def scaled(value, factor):
    if isinstance(value, dict):
        return {k: scaled(v, factor) for k, v in value.items()}
    if isinstance(value, tuple):
        return tuple(scaled(v, factor) for v in value)
    return value if isinstance(value, str) else value * factor


@pytest.mark.parametrize("name", assumed())
def test_assumed_value_is_that_of_the_page(name):
    value, unit = assumed()[name]
    factor = 1.0 if unit == "mm" and name.rpartition(".")[0] in IN_MM else UNITS[unit]
    found = value_of(name)
    if name.endswith("MANOEUVRES"):
        found = {k: v for k, (_, v) in found.items() if v is not None}
    same(found, scaled(value, factor))


def test_every_constant_has_a_source_or_a_row_on_the_page():
    known = {*SOURCED, *assumed(), *ELSEWHERE, *LAYOUTS}
    found, nowhere = set(), []
    for file in sorted(f for p in PACKAGES for f in (ROOT / "src/holonom" / p).rglob("*.py")):
        module = ".".join(file.relative_to(ROOT / "src/holonom").with_suffix("").parts)
        changeable = {c.function for c in mutate.constants_of(file)}
        reasons = mutate.reasons_of(file)
        for statement in ast.parse(file.read_text()).body:
            names = mutate.constants_in(statement)
            if names and names[0] in changeable:
                for name in names:
                    found.add(f"{module}.{name}")
                    if f"{module}.{name}" not in known and name not in reasons:
                        nowhere.append(f"{module}.{name}")
    assert not nowhere, f"write where these come from: a row in SOURCED or in {PAGE.name}"
    assert not known - found, "these are no constants with numbers, or no more"


def test_places_in_vectors_of_an_axle_and_of_a_car_do_not_overlap():
    """Each unknown of both wheels has two places of its own, each input and each state one."""
    from holonom.vehicle import axle_in_bend as axle
    from holonom.vehicle import rolling_car as car

    places = [axle.FY, axle.MX, axle.MZ, axle.FX, axle.FZ, axle.UP, axle.STEER, axle.LEAN, axle.SLIP]
    assert sorted(k for p in places for k in range(axle.ROWS)[p]) == list(range(18)) == list(range(axle.ROWS))
    assert all(p.stop - p.start == 2 for p in places)
    inputs = [axle.SIDESLIP, axle.HAND, axle.ROLL, axle.ACROSS, axle.YAWING]
    assert sorted(inputs) == list(range(axle.INPUTS))
    assert sorted([car.V_O, car.YAW, car.PHI, car.P]) == list(range(car.CAR))


def test_suspensions_of_chrono_name_hardpoints_and_tables():
    """Templates and hardpoints are spelt as here, tables as in files of Chrono: that of a hardpoint is one of the
    parts, a spring, a shock absorber or a tie rod."""
    from holonom.vehicle.chrono_suspensions import SUSPENSIONS

    templates = {"DoubleWishbone": "double_wishbone", "MacPhersonStrut": "mcpherson", "MultiLink": "multi_link",
        "SemiTrailingArm": "semi_trailing_arm", "ThreeLinkIRS": "three_link"}  # fmt: skip
    assert {name: kind.template for name, kind in SUSPENSIONS.items()} == templates
    for kind in SUSPENSIONS.values():
        tables = {*kind.parts.values(), "Spring", "Shock", "Tierod"}
        for point, (table, word) in kind.points.items():
            assert re.fullmatch(r"[a-z]+(_[a-z]+)+", point) and table in tables and word.startswith("Location ")
        assert all(part in kind.points for parts in kind.bushings.values() for part in parts)


DUTY_TABLE = re.compile(
    r"(\d+) km/h over (ERRI \w+) \((\d+) % of the way\), curves of (\d+) m to either side at (\d+) km/h "
    r"with a cant of (\d+) mm over (ERRI \w+) \((\d+) %\), "
    r"(\d+) stops at ([\d.]+) m/s\^2 and (\d+) starts at ([\d.]+) m/s\^2"
)  # fmt: skip
DUTY_OUTPUT = re.compile(
    r"^([a-z ]+): (\d+) km/h, (?:straight|radius (\d+) m, cant (\d+) mm), .*?(\d+) m, ([\d.]+) passes in 1000 km$", re.M
)


def test_duty_of_a_coach_is_that_of_the_docs():
    """docs/rail.md, table and output.  A case of T seconds counts from its first second on, so it covers (T - 1) v, or
    what braking and starting make of it within 7 %."""
    from holonom.rail import DUTY

    page = (ROOT / "docs/rail.md").read_text()
    kmh, rough, far, radius, slow, cant, smooth, near, stops, down, starts, up = DUTY_TABLE.search(page).groups()
    straight, left, right, stop, start = DUTY
    assert (straight.speed, straight.rough) == (pytest.approx(float(kmh) / 3.6), rough)
    assert 100.0 * straight.share == pytest.approx(float(far))
    assert 100.0 * (left.share + right.share) == pytest.approx(float(near)) and left.share == right.share
    for case, sign in ((left, 1.0), (right, -1.0)):
        assert (case.radius, 1e3 * case.cant, case.rough) == (sign * float(radius), pytest.approx(float(cant)), smooth)
        assert case.speed == pytest.approx(float(slow) / 3.6)
    assert (stop.times, stop.retardation, start.times, start.retardation) == tuple(
        float(w) for w in (stops, down, starts, f"-{up}")
    )
    rows = {m[1]: m.groups()[1:] for m in DUTY_OUTPUT.finditer(page)}
    assert list(rows) == [case.name for case in DUTY]
    for case in DUTY:
        kmh, _, _, way, passes = rows[case.name]
        assert case.speed == pytest.approx(float(kmh) / 3.6)
        steady, covered = case.retardation == 0.0, (case.seconds - 1.0) * case.speed
        assert float(way) == pytest.approx(covered, rel=5e-3 if steady else 0.07)
        assert float(passes) == pytest.approx(1e6 * case.share / covered if steady else case.times, rel=1e-3)


def test_dampers_of_the_table_are_those_of_the_docs():
    """docs/structures.md: loss a cycle, storage and loss stiffness of each damper at 20 mm and 1 Hz, by the complex
    stiffness of its springs and dashpots, Gamma functions (power) and areas of parallelograms (hysteresis)."""
    from holonom.structures.command import CASES

    page = (ROOT / "docs/structures.md").read_text()
    rows = re.findall(
        r"^\| ([^|]+) \| [\d.]+, ([\d.]+) \| (?:[\d.]+, )?([\d.]+) \| (?:[\d.]+, )?([\d.]+) \|", page, re.M
    )
    printed = {name.split(",")[0] + name.partition("a =")[2]: [float(v) for v in values] for name, *values in rows}
    X, w = 0.02, math.tau
    for name, kind, given in CASES:
        wanted = printed[name.split(",")[0] + name.partition("a =")[2]]
        g = dict(given)
        if kind == "power_damper":
            a = g["exponent"]
            part = 4.0 * 2.0**a * math.gamma(1.0 + 0.5 * a) ** 2 / math.gamma(2.0 + a)  # Soong and Dargush 1997
            assert g["damping"] * part * w**a * X ** (1.0 + a) == pytest.approx(wanted[0], abs=0.0051), name
            continue
        if kind == "hysteretic_spring":
            k, f, h = g["stiffness"], g["yield_force"], g.get("hardening", 0.0)
            assert 4.0 * f * (X - f / k) * (1.0 - h) == pytest.approx(wanted[0], rel=1e-6) and g["knee"] == 40, name
            continue
        dashpot = 1j * w * g.get("damping", 0.0)
        if kind == "maxwell_damper":
            s = g.get("stiffness", 0.0) + 1.0 / (1.0 / g["series_stiffness"] + 1.0 / dashpot)
        elif kind == "burgers_damper":
            compliance = 1.0 / g["maxwell_stiffness"] + 1.0 / (1j * w * g["maxwell_damping"])
            s = 1.0 / (compliance + 1.0 / (g["kelvin_stiffness"] + 1j * w * g["kelvin_damping"]))
        else:
            s = g.get("stiffness", 0.0) + dashpot
        found = [math.pi * s.imag * X**2, 1e-3 * s.real, 1e-3 * s.imag]
        assert found == pytest.approx(wanted, abs=0.0051), name
