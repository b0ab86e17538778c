"""Axles of one vehicle under the body of another, and the four assemblies compared: indices of the rig by rods and
hinges solved for here, the full vehicle by formulas of roll and pitch."""

import csv
import math

import numpy as np
import pytest
from typer.testing import CliRunner

from holonom.cli import app
from holonom.model import ModelError
from holonom.vehicle import compare_assemblies, read_vehicle
from holonom.vehicle.assemblies import axle_indices, formulas

ROD = lambda h, a, b: (np.subtract(h[a], h[b]), h[a])


def rows_of(template, h):
    """Five (direction, point) along which the carrier has no speed."""
    if template == "five_link":
        names = ("upper_front", "upper_rear", "lower_front", "lower_rear", "toe")
        return [ROD(h, f"{n}_inner", f"{n}_outer") for n in names]
    tie = ROD(h, "tie_rod_inner", "tie_rod_outer")
    lower = [ROD(h, n, "lower_outer") for n in ("lower_front", "lower_rear")]
    if template == "double_wishbone":
        return [tie, *lower, *(ROD(h, n, "upper_outer") for n in ("upper_front", "upper_rear"))]
    axis = np.subtract(h["strut_top"], h["strut_lower"])  # the knuckle's strut runs through its top mount
    across = [np.cross(axis, [0.0, 1.0, 0.0]), np.cross(axis, [1.0, 0.0, 0.0])]
    return [tie, *lower, *((d, h["strut_top"]) for d in across)]


def motion(data):
    """(velocity of the wheel's centre, angular velocity) while it rises by 1, and centre and patch, left side."""
    h = {k: np.array(p, float) for k, p in data["hardpoints"].items()}
    c, wheel = h["wheel_centre"], data["wheel"]
    if data["template"] == "trailing_arm":
        n = h["arm_outer"] - h["arm_inner"]
        v = np.cross(n, c - h["arm_inner"])
        v, n = v / v[2], n / v[2]
    else:
        A = [[*d, *np.cross(np.subtract(p, c), d)] for d, p in rows_of(data["template"], h)]
        v, n = np.split(np.linalg.solve([*A, [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]], [0.0] * 5 + [1.0]), 2)
    toe, camber = np.radians(wheel["toe"]), np.radians(wheel["camber"])
    s = np.array([np.sin(toe) * np.cos(camber), np.cos(toe) * np.cos(camber), -np.sin(camber)])
    down = -np.array([0.0, 0.0, 1.0]) + s * s[2]
    return v, n, c, c + wheel["radius"] * down / np.linalg.norm(down), s


@pytest.mark.parametrize(
    "vehicle, axle", [("sedan", "front"), ("coupe", "front"), ("coupe", "rear"), ("hatchback", "rear")]
)
def test_indices_by_rods_and_hinges(vehicle, axle):
    """Anti-dive, anti-squat, roll centre, roll camber and alignment over travel from velocities of the linkage."""
    file = read_vehicle("coupe").with_axle(axle, read_vehicle(vehicle))
    data = file.data[axle]
    v, w, c, p, s = motion(data)
    at_patch = v + np.cross(w, p - c)
    kc = file.kc(axle)
    found = axle_indices(kc)
    lever = file.wheelbase / file.mass.centre[2]
    share = file.brakes["front_share"] if axle == "front" else 1.0 - file.brakes["front_share"]
    # a brake on the carrier makes both one; a level shaft across its heading lets the wheel turn about s alone
    heading = np.cross(s, [0.0, 0.0, 1.0])
    turned = np.cross(w, heading)[2] / np.cross(s, heading)[2]
    free = v + np.cross(w - turned * s, p - c)
    support = {"front": 1.0, "rear": -1.0}[axle] * at_patch[0] / at_patch[2]
    assert found["anti_dive"] == pytest.approx(100 * share * lever * support, rel=1e-6, abs=1e-6)
    if axle == "rear":
        assert found["anti_squat"] == pytest.approx(-100 * lever * free[0] / at_patch[2], rel=1e-6, abs=1e-6)
    else:
        assert math.isnan(found["anti_squat"])
    assert found["roll_centre"] == pytest.approx(p[1] * at_patch[1] / at_patch[2], abs=1e-6)
    leaning = -np.cross(w, s)[2] / np.cos(np.arcsin(s[2])) / at_patch[2]  # camber per height of the pad
    assert found["roll_camber"] == pytest.approx(100 * (1.0 + p[1] * leaning), abs=1e-6)
    slope = lambda name: np.gradient(kc.parallel[name][:, 0], kc.parallel["wheel_travel"][:, 0])[16]
    assert slope("camber") == pytest.approx(leaning * at_patch[2], abs=2e-5)


def test_stops_and_alignment_of_a_trailing_arm():
    """A hinge across the car keeps toe and camber of an upright wheel; the damper uses up the clearance of its stops
    where the turned hardpoints say."""
    file = read_vehicle("hatchback")
    data = file.data["rear"]
    h = {k: np.array(p, float) for k, p in data["hardpoints"].items()}
    upright = file.changed({"rear.wheel.toe": 0.0, "rear.wheel.camber": 0.0})
    found = axle_indices(upright.kc("rear"))
    assert all(abs(found[f"{k}_{e}"]) < 1e-7 for k in ("toe", "camber", "track") for e in ("up", "down"))

    def state(angle):
        c, s = np.cos(angle), np.sin(angle)
        turn = lambda p: h["arm_inner"] + np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]) @ (p - h["arm_inner"])
        damper = np.linalg.norm(turn(h["damper_lower"]) - h["damper_upper"])
        return turn(h["wheel_centre"])[2] - h["wheel_centre"][2], damper

    angles = np.linspace(-0.25, 0.25, 2001)
    travel, damper = np.array([state(a) for a in angles]).T
    order = np.argsort(damper)
    for key, clearance in (("bump_travel", -60.0), ("rebound_travel", 80.0)):
        want = abs(np.interp(state(0.0)[1] + clearance, damper[order], travel[order]))
        assert found[key] == pytest.approx(want, abs=0.2)


def test_axles_are_exchanged():
    coupe, sedan = read_vehicle("coupe"), read_vehicle("sedan")
    moved = coupe.changed({"rear.hardpoints.wheel_centre.0": -2650.0}).with_axle("rear", read_vehicle("hatchback"))
    assert moved.wheelbase == 2650.0 and moved.data["rear"]["template"] == "trailing_arm"
    assert moved.data["rear"]["hardpoints"]["arm_inner"] == [-2260.0, 400.0, 285.0]
    assert moved.data["rear"]["parts"]["arm"]["cm"] == [-2500.0, 600.0, 290.0]
    assert moved.brakes == coupe.brakes and moved.data["front"] == coupe.data["front"]
    with pytest.raises(ModelError, match="there is no axle 'middle'; choose from front, rear"):
        coupe.with_axle("middle", sedan)
    other = sedan.changed({"units": "SI"})
    with pytest.raises(ModelError, match="'Holonom sedan' is in SI and 'Holonom coupe' in mm; give vehicle files in"):
        coupe.with_axle("front", other)
    with pytest.raises(ModelError, match="assemblies need one front axle and one rear axle or more"):
        compare_assemblies(coupe, {}, {"multi-link": coupe})


def test_formula_of_roll_for_equal_axles():
    """Both axles alike, roll centres on the ground, no unsprung mass: one spring of roll in series with the tyres;
    wheels that lean with the body turn it by I omega r = I a / R each."""
    from types import SimpleNamespace

    k, kt, t, r, m, g, h = 4e4, 2e5, 1.5, 3e4, 1000.0, 9.80665, 0.5
    design = {"roll_centre_height": 0.0, "roll_rate": r, "suspension_rate": [k, k], "track": t, "roll_camber": 1.0}
    design |= {"anti_dive": 0.2, "anti_lift": 0.3, "anti_squat": 0.4}
    front, rear = (
        SimpleNamespace(design=design, car=SimpleNamespace(tyre_stiffness=kt, drive_share=d)) for d in (0.0, 1.0)
    )
    units = SimpleNamespace(si_length=1.0, si_mass=1.0, si_time=1.0, si_force=1.0)
    mass = SimpleNamespace(mass=m, centre=(-1.3, 0.0, h), loads=(0.25 * m * g, 0.25 * m * g))
    file = SimpleNamespace(units=units, mass=mass, wheelbase=2.6, g=g, chassis={"mass": m, "cm": (-1.3, 0.0, h)})
    file.data = {which: {"wheel": {"inertia": [0.6, 1.2, 0.6]}} for which in ("front", "rear")}
    file._centre = lambda which: np.array([0.0 if which == "front" else -2.6, 0.75, 0.3])
    found = formulas(file, front, rear)
    series = 2.0 / (1.0 / r + 1.0 / (0.5 * kt * t * t))
    per_g = math.degrees(g)
    assert found["roll_gradient_rig"] == pytest.approx(
        per_g * (m * h + 4 * 1.2 / 0.3) / (series - m * g * h), rel=1e-12
    )
    spring = lambda a: (1 - a) / (2 * k) + 1 / (2 * kt)
    assert found["dive_rig"] == pytest.approx(per_g * m * h / 2.6**2 * (spring(0.2) + spring(0.3)), rel=1e-12)
    assert found["squat_rig"] == pytest.approx(per_g * m * h / 2.6**2 * (spring(0.0) + spring(0.4)), rel=1e-12)


@pytest.mark.slow
def test_four_assemblies_in_one_command(tmp_path):
    """Roll and pitch of the full vehicle are those of the formulas; table, page and file are written."""
    page, table = tmp_path / "page.png", tmp_path / "table.csv"
    words = ["vehicle", "assemblies", "--plot", str(page), "--csv", str(table)]
    told = CliRunner().invoke(app, words)
    assert told.exit_code == 0, told.output
    assert page.stat().st_size > 50_000
    with table.open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    for text, share, least in (
        ("roll gradient", 0.08, 0.0),
        ("dive in braking", 0.08, 0.1),
        ("squat in driving", 0.1, 0.0),
    ):
        k = next(n for n, row in enumerate(rows) if row[0].startswith(text))
        want, found = (np.array(r[1:], float) for r in rows[k : k + 2])
        assert np.all(np.abs(found - want) < share * want + least), text
