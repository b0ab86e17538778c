"""Suspensions on the rig: against constructions by hand, an independent solution of the linkage by distances, and
finite differences."""

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import holonom as hn
from holonom.model import ModelError
from holonom.vehicle import KC, Car, read_vehicle
from holonom.vehicle.axle import Axle
from holonom.vehicle.characteristics import TABLE
from holonom.vehicle.template import TEMPLATES

ALL = [(v, a) for v in ("sedan", "coupe", "pickup") for a in ("front", "rear")]


def planar(**points):
    """A double wishbone whose arms turn about x: a planar linkage in the front view.  SI."""
    p = {
        "lower_front": [0.15, 0.36, 0.20],
        "lower_rear": [-0.15, 0.36, 0.20],
        "lower_outer": [0.0, 0.72, 0.18],
        "upper_front": [0.10, 0.45, 0.46],
        "upper_rear": [-0.10, 0.45, 0.46],
        "upper_outer": [0.0, 0.68, 0.50],
        "tie_rod_inner": [-0.12, 0.40, 0.30],
        "tie_rod_outer": [-0.12, 0.70, 0.30],
        "spring_lower": [0.0, 0.60, 0.19],
        "spring_upper": [0.0, 0.55, 0.60],
        "wheel_centre": [0.0, 0.78, 0.30],
        **points,
    }
    a, b = ({w: np.array(p[f"{w}_{e}"])[1:] for w in ("lower", "upper")} for e in ("front", "outer"))
    if "tie_rod_inner" not in points:  # towards the instant centre of the arms: no bump steer
        ic = meet(a["lower"], b["lower"], a["upper"], b["upper"])
        q = np.array(p["tie_rod_outer"])[1:]
        p["tie_rod_inner"] = [-0.12, *(q + 0.3 * (ic - q) / np.linalg.norm(ic - q))]
    return {
        "template": "double_wishbone",
        "hardpoints": p,
        "wheel": {"radius": 0.30},
        "spring": {"rate": 30000.0, "load": 4000.0},
        "damper": {"rate": 1500.0},
        "parts": {w: {"mass": 2.0} for w in ("lower_arm", "upper_arm", "knuckle", "tie_rod")},
    }


def meet(a, b, c, d):
    """Where the lines a-b and c-d of a plane meet."""
    s, _ = np.linalg.solve(np.column_stack([b - a, c - d]), c - a)
    return a + s * (b - a)


# ---- constructions ---------------------------------------------------------------------------------------------------
def test_planar_double_wishbone_by_construction():
    data = planar()
    kc = KC(data, name="front", car=Car(wheelbase=2.7, cg_height=0.5, brake_share=0.65, tyre_stiffness=2e5))
    h = {k: np.array(v) for k, v in data["hardpoints"].items()}
    ic = meet(h["lower_front"][1:], h["lower_outer"][1:], h["upper_front"][1:], h["upper_outer"][1:])
    patch = np.array([0.78, 0.0])
    d = kc.design
    assert np.allclose([d["front_view_ic_y"][0], d["front_view_ic_z"][0]], ic, atol=1e-9)
    rc = patch[1] + (ic[1] - patch[1]) / (ic[0] - patch[0]) * (
        0.0 - patch[0]
    )  # the line from patch to instant centre, at the middle
    assert abs(d["roll_centre_height"] - rc) < 1e-9 and abs(d["roll_centre_lateral"]) < 1e-9
    assert np.isclose(d["front_view_arm"][0], patch[0] - ic[0]) and np.isclose(
        d["front_view_angle"][0], np.arctan2(ic[1], patch[0] - ic[0])
    )
    # turning about the instant centre: w = 1 / (y_c - y_ic) per dz of the wheel's centre
    w = 1.0 / (0.78 - ic[0])
    assert (
        np.isclose(d["bump_camber"][0], -w)
        and abs(d["bump_steer"][0]) < 1e-9
        and np.isclose(d["half_track_rate"][0], w * ic[1])
    )
    # virtual work: spring along its line on the lower arm, turning about its hinge as its outer ball moves about the
    # instant centre
    ball, hinge = h["lower_outer"][1:], h["lower_front"][1:]
    cross = lambda r: np.array([-r[1], r[0]])
    w_arm = (w * cross(ball - ic)) @ cross(ball - hinge) / ((ball - hinge) @ (ball - hinge))
    line = h["spring_upper"] - h["spring_lower"]
    ratio = (w_arm * cross(h["spring_lower"][1:] - hinge)) @ (line / np.linalg.norm(line))[1:]
    assert np.isclose(d["spring_motion_ratio"][0], ratio, rtol=1e-9)
    # no part has a weight that matters against 4 kN on the spring: load = spring force times ratio, plus weights times
    # their motion
    light = KC({**data, "parts": {k: {"mass": 1e-4} for k in data["parts"]}}, name="front", gravity=False)
    assert np.isclose(light.design["wheel_load"][0], 4000.0 * ratio, rtol=1e-9)
    # side view: the arms' axes are parallel to x, so nothing goes forward or back
    assert np.abs(d["recession_rate"]).max() < 1e-9 and np.isclose(d["anti_dive"], 0.0, atol=1e-9)


def test_anti_dive_of_inclined_arms():
    """Lines in the side view: instant centre of carrier from the arms' planes, anti-dive = share tan(angle) L / h
    (Gillespie)."""
    up, low = np.tan(np.radians(4.0)), np.tan(np.radians(-3.0))
    data = planar(
        upper_front=[0.10, 0.45, 0.46 - 0.10 * up],
        upper_rear=[-0.10, 0.45, 0.46 + 0.10 * up],
        lower_front=[0.15, 0.36, 0.20 - 0.15 * low],
        lower_rear=[-0.15, 0.36, 0.20 + 0.15 * low],
    )
    h = {k: np.array(v) for k, v in data["hardpoints"].items()}
    kc = KC(data, name="front", car=Car(wheelbase=2.7, cg_height=0.5, brake_share=0.65))
    # an arm's plane cut by the plane through its ball parallel to x-z: the line on which the side-view centre lies
    lines = {}
    for w in ("lower", "upper"):
        n = np.cross(h[f"{w}_rear"] - h[f"{w}_front"], h[f"{w}_outer"] - h[f"{w}_front"])
        lines[w] = (h[f"{w}_outer"], n)
    # the carrier turns about the line in which the two arms' planes meet (balls move normal to their planes), when it
    # does not steer; cut it with the plane of the wheel y = 0.78
    A = np.array([lines["lower"][1], lines["upper"][1], [0.0, 1.0, 0.0]])
    b = np.array([lines[w][1] @ lines[w][0] for w in ("lower", "upper")] + [0.78])
    point = np.linalg.solve(A, b)
    # tie rod: its inner end in the plane through that line and the outer end: no steering about the kingpin
    axis = np.cross(lines["lower"][1], lines["upper"][1])
    n = np.cross(axis, h["tie_rod_outer"] - point)
    inner = h["tie_rod_inner"].copy()
    inner[2] -= n @ (inner - h["tie_rod_outer"]) / n[2]
    data["hardpoints"]["tie_rod_inner"] = inner.tolist()
    kc = KC(data, name="front", car=Car(wheelbase=2.7, cg_height=0.5, brake_share=0.65))
    d = kc.design
    assert np.allclose([d["side_view_ic_x"][0], d["side_view_ic_z"][0]], [point[0], point[2]], atol=1e-6)
    tan = (point[2] - 0.0) / -(point[0] - 0.0)  # from the patch at x = 0 back to it
    assert np.isclose(d["side_view_angle"][0], np.arctan(tan), atol=1e-9)
    assert np.isclose(d["anti_dive"], 0.65 * tan * 2.7 / 0.5, rtol=1e-8)


def test_mcpherson_kingpin():
    v = read_vehicle("sedan")
    d = v.kc("front").design
    h = {k: np.array(p, float) for k, p in v.data["front"]["hardpoints"].items()}
    axis = h["strut_top"] - h["lower_outer"]
    assert np.allclose(d["caster"], np.arctan(-axis[0] / axis[2]), atol=1e-9)
    assert np.allclose(d["kingpin_inclination"], np.arctan(-axis[1] / axis[2]), atol=1e-9)
    camber = np.radians(-0.5)
    toe = np.radians(0.08)
    s = np.array([np.sin(toe) * np.cos(camber), np.cos(toe) * np.cos(camber), -np.sin(camber)])
    up = np.array([0, 0, 1.0]) - s[2] * s
    patch = h["wheel_centre"] - 291.0 * up / np.linalg.norm(up)
    ground = h["lower_outer"] + axis * (patch[2] - h["lower_outer"][2]) / axis[2]
    assert np.allclose(d["scrub_radius"], patch[1] - ground[1], atol=1e-6) and np.allclose(
        d["caster_trail"], ground[0] - patch[0], atol=1e-6
    )
    level = h["lower_outer"] + axis * (291.0 - h["lower_outer"][2]) / axis[2]
    assert np.allclose(d["kingpin_offset"], 760.0 - level[1], atol=1e-6) and np.allclose(
        d["caster_offset"], level[0], atol=1e-6
    )
    n = axis / np.linalg.norm(axis)
    for name, at, f in (
        ("brake_lever", patch, [-1.0, 0, 0]),
        ("traction_lever", h["wheel_centre"], [-1.0, 0, 0]),
        ("wheel_load_lever", patch, [0, 0, 1.0]),
    ):
        assert np.allclose(d[name], n @ np.cross(at - ground, f), atol=1e-6), name


def linkage(data, z, rack):
    """Left wheel of a kinematic double wishbone by distances alone: knuckle pose with centre height z, by SciPy:
    (centre, spin axis)."""
    from scipy.optimize import fsolve
    from scipy.spatial.transform import Rotation

    h = {k: np.array(p, float) for k, p in data["hardpoints"].items()}
    c0 = h["wheel_centre"]
    inner = h["tie_rod_inner"] + [0.0, rack, 0.0]
    pairs = [
        ("lower_front", "lower_outer"),
        ("lower_rear", "lower_outer"),
        ("upper_front", "upper_outer"),
        ("upper_rear", "upper_outer"),
    ]

    def gaps(x):
        R = Rotation.from_rotvec(x[3:]).as_matrix()
        at = lambda p: x[:3] + R @ (h[p] - c0)
        out = [np.linalg.norm(at(q) - h[p]) - np.linalg.norm(h[q] - h[p]) for p, q in pairs]
        out.append(
            np.linalg.norm(at("tie_rod_outer") - inner) - np.linalg.norm(h["tie_rod_outer"] - h["tie_rod_inner"])
        )
        return [1e3 * g for g in out] + [1e3 * (x[2] - z)]

    x = fsolve(gaps, [c0[0], c0[1], z, 0, 0, 0], xtol=1e-13)
    return x[:3], Rotation.from_rotvec(x[3:]).as_matrix()


def test_double_wishbone_against_distances():
    """Positions over travel and steering from an independent solution; derivatives from its differences."""
    v = read_vehicle("coupe")
    data = v.axle_data("front")
    kc = v.kc("front")
    toe, camber = np.radians(0.1), np.radians(-0.8)
    s0 = np.array([np.sin(toe) * np.cos(camber), np.cos(toe) * np.cos(camber), -np.sin(camber)])

    def measured(z, rack):
        c, R = linkage(data, z, rack)
        s = R @ s0
        f = np.cross(s, [0, 0, 1.0])
        return c, -np.arctan2(f[1], f[0]), -np.arcsin(s[2])

    per_turn = data["steering"]["travel_per_turn"] / (2 * np.pi)
    for travel, wheel in ((0.0, 0.0), (-60.0, 0.0), (55.0, 0.0), (20.0, 2.5), (-30.0, -4.0)):
        p = kc.sweep("parallel", [travel], steer=wheel)
        z = p.positions[0].centre[0, 2]
        c, toe_z, camber_z = measured(
            z, wheel * per_turn
        )  # the tie rods are in front: the rack goes left to steer left
        assert np.allclose(p.positions[0].centre[0], c, atol=1e-6)
        assert abs(p["toe"][0, 0] - toe_z) < 1e-9 and abs(p["camber"][0, 0] - camber_z) < 1e-9
    z0, e = 292.0, 0.05
    (c1, t1, g1), (c2, t2, g2) = measured(z0 - e, 0.0), measured(z0 + e, 0.0)
    d = kc.design
    assert np.isclose(d["bump_steer"][0], (t2 - t1) / (2 * e), rtol=1e-5) and np.isclose(
        d["bump_camber"][0], (g2 - g1) / (2 * e), rtol=1e-5
    )
    assert np.isclose(d["recession_rate"][0], -(c2[0] - c1[0]) / (2 * e), atol=1e-8)
    ratio = 2 * e * per_turn / -(measured(z0, e * per_turn)[1] - measured(z0, -e * per_turn)[1])
    assert np.isclose(
        d["steering_ratio"], 2 * e / (2 * e * per_turn) * ratio, rtol=2e-2
    )  # wheels held by pads, not centres
    kpi, caster = (np.array(data["hardpoints"][k]) for k in ("lower_outer", "upper_outer"))
    axis = caster - kpi
    assert np.allclose(d["caster"], np.arctan(-axis[0] / axis[2]), atol=1e-9) and np.allclose(
        d["kingpin_inclination"], np.arctan(-axis[1] / axis[2]), atol=1e-9
    )


def test_trailing_arms_and_twist_beam():
    base = {
        "parts": {"arm": {"mass": 10.0}},
        "wheel": {"radius": 0.3},
        "spring": {"rate": 30000.0, "load": 4000.0},
        "damper": {"rate": 1500.0},
    }
    points = {"spring_lower": [-0.1, 0.55, 0.25], "spring_upper": [-0.1, 0.55, 0.55], "wheel_centre": [0.0, 0.75, 0.3]}
    arm = {
        **base,
        "template": "trailing_arm",
        "hardpoints": {**points, "arm_inner": [0.45, 0.40, 0.28], "arm_outer": [0.45, 0.65, 0.28]},
    }
    d = KC(arm, name="rear", car=Car(2.7, 0.5, 0.3, front=False)).design
    assert (
        np.isclose(d["roll_centre_height"], 0.0, atol=1e-9)
        and np.abs(d["bump_camber"]).max() < 1e-9
        and np.abs(d["bump_steer"]).max() < 1e-9
    )
    assert (
        np.isclose(d["side_view_ic_x"][0], 0.45)
        and np.isclose(d["side_view_ic_z"][0], 0.28)
        and np.isclose(d["roll_camber"], 1.0)
    )
    assert np.isclose(d["anti_lift"], (1 - 0.3) * 0 + 0.3 * 0.28 / 0.45 * 2.7 / 0.5, rtol=1e-8)
    # oblique: the carrier turns about its hinge, n through the point a
    semi = {
        **arm,
        "template": "semi_trailing_arm",
        "hardpoints": {**points, "arm_inner": [0.35, 0.20, 0.25], "arm_outer": [0.50, 0.62, 0.29]},
    }
    d = KC(semi, name="rear").design
    n = np.array([0.15, 0.42, 0.04])
    v = np.cross(n, np.array([0.0, 0.75, 0.3]) - [0.35, 0.20, 0.25])
    n, v = n / v[2], v / v[2]
    assert (
        np.isclose(d["bump_caster"][0], -n[1])
        and np.isclose(d["bump_camber"][0], -n[0])
        and np.isclose(d["recession_rate"][0], -v[0])
    )
    assert np.isclose(d["bump_steer"][0], -n[2])
    # twist beam: opposite travel is a turn about the line from pivot to shear centre
    twist = {
        **base,
        "template": "twist_beam",
        "twist": {"stiffness": 8000.0},
        "hardpoints": {**points, "pivot": [0.42, 0.6, 0.30], "shear_centre": [0.25, 0.0, 0.32]},
    }
    kc = KC(twist, name="rear")
    opposite = kc.sweep("opposite", [-1e-4, 0.0, 1e-4])
    n = np.array([0.42, 0.6, 0.30]) - [0.25, 0.0, 0.32]
    v = np.cross(n, np.array([0.0, 0.75, 0.3]) - [0.42, 0.6, 0.30])
    dz = np.diff(opposite["wheel_travel"][[0, 2], 0])[0]
    assert np.isclose(np.diff(opposite["camber"][[0, 2], 0])[0] / dz, -n[0] / v[2], rtol=1e-5)
    assert np.isclose(np.diff(opposite["toe"][[0, 2], 0])[0] / dz, -n[2] / v[2], rtol=1e-4)
    # the beam's stiffness at the wheels: twice the turn of an arm about y
    free = KC({**twist, "twist": {"stiffness": 1e-6}}, name="rear").design["wheel_rate"][0]
    spring = kc.design["wheel_rate"][0] - free
    assert np.isclose(
        spring, 8000.0 * (n[1] / v[2]) ** 2, rtol=1e-4
    )  # one wheel up by 1: arms turn by +-n_y/(2 v_z) against each other, plus heave


def twist_of(rows, centre):
    """(6,) velocity of a point and angular velocity of a body from rows (direction, point): no speed along them, and
    the centre goes up by 1."""
    A = np.array([[*d, *np.cross(np.subtract(p, centre), d)] for d, p in rows] + [[0.0, 0.0, 1.0, 0.0, 0.0, 0.0]])
    return np.linalg.solve(A, [0.0] * 5 + [1.0])


def test_arms_and_links():
    """Where wheels continue three links, and on an arm with three rods: twists that leave all lengths as they are,
    solved for here."""
    base = {"wheel": {"radius": 0.3}, "spring": {"rate": 60000.0, "load": 6000.0}, "damper": {"rate": 1500.0}}
    wheel = np.array([0.0, 0.75, 0.3])
    three = {
        "arm_front": [0.55, 0.62, 0.33],
        "upper_inner": [-0.05, 0.2, 0.45],
        "upper_outer": [-0.08, 0.65, 0.42],
        "lower_inner": [0.02, 0.22, 0.24],
        "lower_outer": [-0.03, 0.68, 0.2],
        "spring_lower": [0.1, 0.6, 0.3],
        "spring_upper": [0.1, 0.58, 0.6],
        "wheel_centre": wheel.tolist(),
    }
    many = {
        "upper_front": [0.1, 0.4, 0.5],
        "upper_rear": [-0.2, 0.42, 0.47],
        "upper_outer": [0.02, 0.66, 0.48],
        "lateral_inner": [-0.05, 0.25, 0.2],
        "lateral_outer": [-0.03, 0.68, 0.18],
        "trailing_inner": [0.6, 0.55, 0.28],
        "trailing_outer": [0.08, 0.66, 0.22],
        "tie_rod_inner": [-0.2, 0.3, 0.27],
        "tie_rod_outer": [-0.16, 0.67, 0.26],
        "spring_lower": [0.2, 0.63, 0.23],
        "spring_upper": [0.2, 0.6, 0.55],
        "wheel_centre": wheel.tolist(),
    }
    along = lambda h, a, b: (np.subtract(h[a], h[b]), h[a])
    eyes, ball = np.subtract(many["upper_front"], many["upper_rear"]), np.array(many["upper_outer"])
    out = np.cross(eyes, ball - many["upper_rear"])  # the ball goes this way alone
    cases = (
        (
            "three_link",
            three,
            ("arm", "upper_link", "lower_link"),
            [
                *((e, three["arm_front"]) for e in np.eye(3)),
                along(three, "upper_outer", "upper_inner"),
                along(three, "lower_outer", "lower_inner"),
            ],
        ),
        (
            "multi_link",
            many,
            ("upper_arm", "knuckle", "lateral_link", "trailing_link", "tie_rod"),
            [
                (eyes, ball),
                (np.cross(eyes, out), ball),
                *(along(many, f"{w}_outer", f"{w}_inner") for w in ("lateral", "trailing", "tie_rod")),
            ],
        ),
    )
    for template, points, parts, rows in cases:
        d = KC(
            {**base, "template": template, "hardpoints": points, "parts": {p: {"mass": 3.0} for p in parts}},
            name="rear",
        ).design
        v = twist_of(rows, wheel)
        assert np.isclose(d["bump_steer"][0], -v[5], atol=1e-8) and np.isclose(d["bump_camber"][0], -v[3], atol=1e-8), (
            template
        )
        assert np.isclose(d["bump_caster"][0], -v[4], atol=1e-8) and np.isclose(
            d["recession_rate"][0], -v[0], atol=1e-8
        ), template


def test_rates_and_anti_roll_bar():
    data = planar()
    kc = KC(data, name="front", car=Car(tyre_stiffness=2e5), gravity=False)
    d = kc.design
    s = kc.sweep("single", np.linspace(-2e-4, 2e-4, 3))
    assert np.isclose(d["wheel_rate"][0], np.diff(s["wheel_load"][[0, 2], 0])[0] / 4e-4, rtol=1e-6)
    assert np.isclose(d["ride_rate"][0], 1 / (1 / d["suspension_rate"][0] + 1 / 2e5)) and np.isclose(
        d["roll_rate"], 0.5 * d["suspension_rate"][0] * d["track"] ** 2
    )
    t = d["track"]
    assert np.isclose(d["total_roll_rate"], 1 / (1 / d["roll_rate"] + 2 / (2e5 * t * t)))
    bar = {
        **data,
        "anti_roll_bar": {"stiffness": 500.0},
        "parts": {**data["parts"], "bar": {"mass": 1.0}, "bar_link": {"mass": 0.2}},
    }
    bar["hardpoints"] = {
        **data["hardpoints"],
        "bar_mount": [0.25, 0.3, 0.3],
        "bar_end": [0.0, 0.55, 0.3],
        "bar_link_outer": [0.0, 0.55, 0.1894444444444444],
    }
    bar["anti_roll_bar"]["damping"] = 0.02
    rig = KC(bar, name="front", gravity=False)
    b = rig.design
    (twisted,) = (e for e in rig.rig.model if getattr(e, "name", "") == "front anti-roll bar")
    assert (twisted.kt, twisted.ct) == pytest.approx((500.0, 0.02 * 500.0))  # stiffness and stiffness times a time
    assert np.allclose(b["suspension_rate"], d["suspension_rate"], rtol=1e-6)  # it does nothing in heave
    # its arm of 0.25 follows the lower arm's point at y = 0.55: twist of 2 v / 0.25 in opposite travel
    h = {k: np.array(v) for k, v in data["hardpoints"].items()}
    ic = meet(h["lower_front"][1:], h["lower_outer"][1:], h["upper_front"][1:], h["upper_outer"][1:])
    cross = lambda r: np.array([-r[1], r[0]])
    ball, hinge = h["lower_outer"][1:] - ic, h["lower_outer"][1:] - h["lower_front"][1:]
    v = (cross(ball) @ cross(hinge)) / (hinge @ hinge) * (0.55 - 0.36) / (0.78 - ic[0])
    assert np.isclose(b["wheel_rate"][0] - d["wheel_rate"][0], 500.0 * (v / 0.25) ** 2, rtol=1e-3)


def test_stops_and_gas_of_a_damper():
    """Along one line at a length of its own: a stop pushes with rate s^power beyond its clearance, a damper with its
    rate and its gas."""
    data = {
        "bump_stop": {"clearance": 0.05, "rate": 8e5, "power": 2.0},
        "rebound_stop": {"clearance": 0.05, "rate": 3e4, "power": 1.0},
    }
    m = hn.Model("strut", units="SI")
    m.gravity = (0.0, 0.0, 0.0)
    axle = SimpleNamespace(data=data, name="front", model=m, damper_data=lambda: (1500.0, None, None, 220.0))
    for k, (length, speed) in enumerate(((0.30, 0.0), (0.48, 0.0), (0.4, 0.2))):
        part = m.part(f"part {k}", 2.0, (1.0,) * 3, (k, 0.0, length), velocity=(0.0, 0.0, speed))
        ends = m.marker_at(part, (k, 0.0, length)), m.marker_at(m.ground, (k, 0.0, 0.0))
        if speed:
            Axle.damper_force(axle, *ends, "damper")
        else:
            for word in data:
                Axle.stop_force(axle, word, *ends, 0.4, f"{word} {k}")
    run = hn.simulate(m, end=1e-6, steps=1)
    found = [2.0 * run.part(f"part {k}").acceleration.values[0, 2] for k in range(3)]
    assert found == pytest.approx([8e5 * 0.05**2, -3e4 * 0.03, -1500.0 * 0.2 + 220.0], rel=1e-5)


def test_leaf_springs_are_beams_on_two_eyes():
    """Level leaves of one section, 3 E I (1/a^3 + 1/b^3) as a rate where the seat does not turn: a beam on its eyes
    that carries the axle at its seat has 3 E I (a + b)/(a b)^2."""
    a, b, rate = 0.6, 0.9, 4e4
    points = {
        "leaf_front_eye": [a, 0.5, 0.35],
        "leaf_seat": [0.0, 0.5, 0.35],
        "leaf_rear_eye": [-b, 0.5, 0.35],
        "shackle_upper": [-b, 0.5, 0.55],
        "damper_lower": [0.0, 0.45, 0.3],
        "damper_upper": [0.0, 0.45, 0.7],
        "wheel_centre": [0.0, 0.75, 0.35],
    }
    data = {
        "template": "leaf_axle",
        "hardpoints": points,
        "wheel": {"radius": 0.35},
        "damper": {"rate": 1500.0},
        "leaf": {"rate": rate, "damping": 0.01},
        "parts": {w: {"mass": 2.0} for w in ("axle", "leaf_front", "leaf_rear", "shackle")},
    }
    kc = KC(data, name="rear", gravity=False)
    wanted = rate / (1 / a**3 + 1 / b**3) * (a + b) / (a * b) ** 2
    assert kc.design["suspension_rate"] == pytest.approx([wanted] * 2, rel=1e-3)


def test_roll_and_steering():
    kc = read_vehicle("sedan").kc("front")
    roll = kc.sweep("roll", np.radians([-0.02, 0.0, 0.02]))
    assert np.allclose(roll["wheel_load"].sum(axis=1), roll["wheel_load"][1].sum(), rtol=1e-9)
    d = kc.design
    slope = lambda y: (y[2] - y[0]) / np.radians(0.04)
    assert np.isclose(slope(roll["steer_angle"].mean(axis=1)), d["roll_steer"], rtol=1e-4)
    lean = slope((np.array([-1, 1]) * roll["camber"]).mean(axis=1)) + 1.0
    assert np.isclose(lean, d["roll_camber"], rtol=1e-4)
    moment = [-(roll.positions[1].patch[:, 1] @ p.load) for p in roll.positions]
    assert np.isclose(slope(np.array(moment)), d["roll_rate"], rtol=1e-3)
    s = kc.sweep("steer", np.radians([-300.0, -0.1, 0.1, 300.0]))
    a = s["steer_angle"]
    assert np.isclose(np.radians(0.2) / (a[2] - a[1]).mean(), d["steering_ratio"], rtol=1e-4)
    assert np.allclose(
        a[3], -a[0][::-1], rtol=1e-2
    )  # the column bends to the left of the car: not quite the mirror image
    inner, outer = a[3, 0] - a[:, 0][1:3].mean(), a[3, 1] - a[:, 1][1:3].mean()
    g = d["track"] - 2 * s["scrub_radius"][3].mean()
    ideal = np.arctan(1 / (1 / np.tan(inner) + g / 2680.0))
    assert np.isclose(s["ackermann_outer"][3], ideal, rtol=2e-3) and np.isclose(
        s["ackermann_share"][3], (inner - outer) / (inner - ideal), rtol=2e-2
    )
    assert np.isclose(s["turning_circle"][3], 2 * (2680.0 / np.sin(outer) + s["scrub_radius"][3].mean()), rtol=1e-4)


# ---- all that is shipped ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize("mode", ["kinematic", "compliant"])
@pytest.mark.parametrize("vehicle, axle", ALL)
def test_derivatives_and_symmetry(vehicle, axle, mode):
    """Derivatives by pads and loads against differences of equilibria; the compliance matrix symmetric; left and right
    alike."""
    kc = read_vehicle(vehicle).kc(axle, mode)
    rig = kc.rig
    for arguments, column in (
        ({"pads": (1e-3, 0.0)}, "pad left"),
        ({"loads": {"fy left": 1.0}}, "fy left"),
        ({"loads": {"Mz right": 500.0}}, "Mz right"),
    ):
        ((key, value),) = arguments.items()
        minus = {key: tuple(-x for x in value) if key == "pads" else {k: -x for k, x in value.items()}}
        step = value[0] if key == "pads" else next(iter(value.values()))
        a, b, p = rig.solve(**arguments), rig.solve(**minus), rig.design
        k = p.column[column]
        for slope, exact in (
            ((a.centre - b.centre) / (2 * step), p.moves[:, :3, k]),
            ((a.load - b.load) / (2 * step), p.loads[:, k]),
        ):
            assert np.abs(slope - exact).max() <= 1e-5 * np.abs(exact).max() + 1e-9
    C = kc.compliance()
    assert np.abs(C - C.T).max() < 5e-7 * np.abs(C).max()  # a bushing's moment acts at J: not quite a potential
    assert np.linalg.eigvalsh(0.5 * (C + C.T)).min() > -1e-9 * np.abs(C).max()
    flip = np.array([1, -1, 1, -1, 1, -1.0])
    assert np.allclose(C[:6, :6], C[6:, 6:] * flip[:, None] * flip, atol=1e-6 * np.abs(C).max())
    assert np.allclose(kc.design["wheel_load"], read_vehicle(vehicle).mass.loads[axle == "rear"], rtol=1e-7)
    assert len(TABLE) >= 38


def test_compliance_by_loads_and_units():
    """Compliances from sweeps of loads; the same axle in metres."""
    v = read_vehicle("sedan")
    kc = v.kc("front", "compliant")
    d = kc.design
    for word, name, want, sign in (
        ("fy", "camber", "lateral_camber", -1),
        ("fy", "toe", "lateral_steer", -1),
        ("fx", "toe", "brake_steer", -1),
        ("fx", "base_change", "brake_compliance", 1),
        ("fd", "base_change", "drive_compliance", 1),
        ("fd", "toe", "drive_steer", 1),
        ("mz", "steer_angle", "aligning_steer", 1),
        ("mz", "camber", "aligning_camber", 1),
    ):
        a, b = (kc.sweep("parallel", [0.0], loads={f"{word} left": f})[name][0, 0] for f in (5.0, -5.0))
        assert np.isclose((a - b) / 10.0, sign * d[want][0], rtol=1e-5), want
    both = kc.sweep("lateral", [-5.0, 0.0, 5.0])["camber"]
    assert np.allclose(
        (both[2] - both[0]) / 10.0, np.array([-1, 1]) * d["lateral_camber"], rtol=0.1
    )  # the other wheel has a share by rack and bar
    assert np.isclose(d["lateral_compliance"][0], kc.rig.design.moves[0, 1, kc.rig.column["fy left"]])
    L = 1e-3
    data = v.axle_data("front")
    data["hardpoints"] = {k: [L * x for x in p] for k, p in data["hardpoints"].items()}
    for p in data["parts"].values():
        p["cm"] = [L * x for x in p["cm"]] if "cm" in p else p.pop("cm", None)
        if p["cm"] is None:
            del p["cm"]
        if "inertia" in p:
            p["inertia"] = [L * L * x for x in p["inertia"]]
    for b in data["bushings"].values():
        b["k"], b["kt"] = [x / L for x in b["k"]], [x * L for x in b["kt"]]
    data["spring"] = {"rate": 25.0 / L}
    data["damper"]["curve"] = [[L * x, y] for x, y in data["damper"]["curve"]]
    for stop in ("bump_stop", "rebound_stop"):
        data[stop] = {"clearance": L * data[stop]["clearance"], "rate": data[stop]["rate"] / L**2}
    data["steering"] = {**data["steering"], "travel_per_turn": 0.05, "torsion": 80.0}
    data["anti_roll_bar"] = {"stiffness": 450.0}
    data["wheel"] = {**data["wheel"], "radius": 0.291, "inertia": [0.6, 1.0, 0.6], "stiffness": 2e5}
    metres = KC(data, "SI", "compliant", name="front").design
    for name, scale in (
        ("caster", 1.0),
        ("toe", 1.0),
        ("scrub_radius", 1e3),
        ("wheel_rate", 1e-3),
        ("bump_steer", 1e-3),
        ("roll_rate", 1e3),
        ("aligning_steer", 1e-3),
    ):
        assert np.allclose(scale * metres[name], d[name], rtol=2e-6, atol=1e-12), name


def test_a_hardpoint_moved_changes_bump_steer():
    v = read_vehicle("sedan")
    a, b = v.kc("front"), v.moved("front", "tie_rod_inner", (0, 0, 5)).kc("front")
    at = [a.sweep("parallel", [-50.0, 0.0, 50.0])["toe"][:, 0], b.sweep("parallel", [-50.0, 0.0, 50.0])["toe"][:, 0]]
    assert abs(at[0][1] - at[1][1]) < 1e-3 and np.degrees(abs(at[0] - at[1])).max() > 0.1
    lines = {line.split("  ")[1]: line for line in b.text(a).splitlines()[1:]}
    assert f"was {np.degrees(a.design['bump_steer'][0]):12.5g}" in lines["bump steer"] and "was" not in lines["caster"]


def test_users_template():
    """A template of a user: a sliding pillar."""

    def draw(s):
        pillar = s.part("pillar", "pillar_low pillar_top wheel_centre")
        s.model.translational(
            pillar, s.base, s.label("pillar"), at=s.at("pillar_low"), axis=s.at("pillar_top") - s.at("pillar_low")
        )
        s.carries(pillar)
        s.spring(pillar, s.base, "pillar_low", "pillar_top")
        s.damper(pillar, s.base, "pillar_low", "pillar_top")

    points = {"pillar_low": "lower end", "pillar_top": "upper end", "wheel_centre": "the wheel's centre"}
    made = hn.vehicle.Template("pillar_that_slides", points, ("pillar",), side=draw)
    try:
        hn.vehicle.register(made)
        d = KC(
            {
                "template": "pillar_that_slides",
                "hardpoints": {
                    "pillar_low": [0, 0.5, 0.2],
                    "pillar_top": [0, 0.45, 0.7],
                    "wheel_centre": [0, 0.7, 0.3],
                },
                "parts": {"pillar": {"mass": 10.0}},
                "wheel": {"radius": 0.3},
                "spring": {"rate": 2e4, "load": 3000.0},
                "damper": {"rate": 900.0},
            }
        ).design
        assert np.isclose(d["half_track_rate"][0], -0.1) and np.abs(d["bump_camber"]).max() < 1e-12
    finally:
        TEMPLATES.pop("pillar_that_slides", None)


# ---- what is refused -------------------------------------------------------------------------------------------------
def changed(path, value):
    data = json.loads(json.dumps(read_vehicle("sedan").data))
    *way, last = path.split(".")
    at = data
    for w in way:
        at = at[w]
    if value is None:
        del at[last]
    else:
        at[last] = value
    return hn.vehicle.VehicleFile(data)


@pytest.mark.parametrize(
    "path, value, words",
    [
        ("front.hardpoints.lower_outer", None, "'lower_outer' is missing, the ball joint"),
        ("front.hardpoints.lower_uoter", [1, 2, 3], "no hardpoint 'lower_uoter'; did you mean 'lower_outer'?"),
        ("front.hardpoints.lower_outer", [6, -705, 172], "on the right"),
        ("front.hardpoints.lower_outer", [6, "705", 172], "give 3 numbers"),
        ("front.right", {"lower_outer": [6, 705, 172]}, "on the same side"),
        ("front.template", "macpherson", "did you mean 'mcpherson'?"),
        ("front.parts.knuckle", None, "'knuckle' is missing; give its mass"),
        ("front.parts.knukle", {"mass": 1.0}, "no part 'knukle'; did you mean 'knuckle'?"),
        ("front.spring", {"rate": 25.0, "curve": []}, "either a rate or a curve"),
        ("front.spring", {"rate": -25.0}, "give a positive number"),
        ("front.damper", {"curve": [[-1, 1], [0, 0], [1, 1], [2, 2]]}, "drive the motion"),
        ("front.wheel.radius", None, "no radius"),
        ("front.sprng", {}, "did you mean 'spring'?"),
        ("rear.twist", None, "no stiffness"),
        ("rear.hardpoints.shear_centre", [-2400, 5, 300], "give y = 0"),
        ("front.hardpoints.column_lower", None, "'column_lower' is missing"),
        ("front.hardpoints.strut_lower", [-45, 580, 840], "lie at the same point"),
        ("rear.steering", {"template": "rack_and_pinion"}, "cannot be steered"),
        ("chassis.cm", [500, 0, 500], "between the axles"),
        ("chassis.mass", None, "no mass"),
        ("wheels", {}, "there is no 'wheels'"),
    ],
)
def test_bad_data(path, value, words):
    with pytest.raises(ModelError) as error:
        v = changed(path, value)
        v.kc("rear" if path.startswith("rear") else "front")
    assert words in str(error.value) and "\n" not in str(error.value)


def test_bad_questions():
    kc = read_vehicle("sedan").kc("rear")
    for words, ask in (
        ("there is no sweep 'bump'", lambda: kc.sweep("bump", [0.0])),
        ("no characteristic 'cambr'; did you mean 'camber'?", lambda: kc.sweep("parallel", [0.0])["cambr"]),
        ("no steering", lambda: kc.rig.solve(steer=0.1)),
        ("there is no load 'Fq left'", lambda: kc.rig.solve(loads={"Fq left": 1.0})),
        ("the linkage locks", lambda: kc.rig.solve(pads=(900.0, 900.0))),
        ("mode is 'rubber'", lambda: read_vehicle("sedan").kc("rear", "rubber")),
        ("nor a vehicle shipped with Holonom; did you mean 'sedan'?", lambda: read_vehicle("sedam")),
        (
            "'pivot' is missing, which a compliant axle needs",
            lambda: changed("rear.bushings", {}).kc("rear", "compliant"),
        ),
        ("no hardpoint 'pivott'", lambda: changed("rear.hardpoints.pivott", [0, 1, 2]).kc("rear")),
        ("there is no 'tie_rod'; did you mean", lambda: read_vehicle("sedan").moved("front", "tie_rod", (0, 0, 1))),
    ):
        with pytest.raises(ModelError, match=None) as error:
            ask()
        assert words in str(error.value), str(error.value)


def test_files(tmp_path):
    v = read_vehicle("sedan")
    p = tmp_path / "mine.yaml"
    yaml = pytest.importorskip("yaml")
    p.write_text(yaml.safe_dump(v.data))
    assert read_vehicle(p).mass.mass == v.mass.mass
    for text, words in (
        ("a: &x [1]\nb: *x\n", "aliases"),
        ("[" * 40, "nested too deeply"),
        ("a: [", "not valid YAML"),
        ("!!python/object/apply:os.system ['true']", "not valid YAML"),
    ):
        p.write_text(text)
        with pytest.raises(ModelError, match=words):
            read_vehicle(p)
    j = tmp_path / "mine.json"
    for text, words in (
        ('{"name": "a", "name": "b"}', "given twice"),
        ("[" * 100000, "not valid JSON"),
        ('{"front": NaN}', "not a number"),
        ("{}", "'chassis' is missing"),
    ):
        j.write_text(text)
        with pytest.raises(ModelError, match=words):
            read_vehicle(j)


def test_command_and_page(tmp_path):
    from typer.testing import CliRunner

    from holonom.cli import app

    out = CliRunner().invoke(
        app, ["vehicle", "kc", "sedan", "--axle", "rear", "--plot", str(tmp_path / "kc.png"), "--matrix"]
    )
    assert out.exit_code == 0 and "roll centre height" in out.output and (tmp_path / "kc.png").stat().st_size > 50000
    moved = CliRunner().invoke(app, ["vehicle", "kc", "sedan", "--axle", "rear", "--move", "rear.pivot=0,0,5"])
    told = [next(line for line in r.output.splitlines() if "side view ic z" in line) for r in (out, moved)]
    assert told[0] != told[1]
    bad = CliRunner().invoke(app, ["vehicle", "kc", "sedan", "--move", "front.tie=1"])
    assert bad.exit_code == 2


def test_statics_sensitivity_of_any_model():
    """The derivative of an equilibrium by an input: a pendulum held by a torsion spring, in closed form."""
    from holonom.analyses.statics.sensitivity import static_sensitivity

    m = hn.Model("pendulum")
    m.gravity = (0, 0, -10.0)
    rod = m.part("rod", 2.0, (0.1, 0.1, 0.1), (0.5, 0, 0))
    pin = m.revolute(rod, m.ground, "pin", at=(0, 0, 0), axis=(0, -1, 0))
    m.torsion_spring(pin.i, pin.j, stiffness=40.0)
    push = m.input("push")
    tip = m.marker_at(rod, (1.0, 0, 0))
    m.vforce(tip, fz=f"VARVAL({push.id})")
    sim = hn.Simulation(m, progress=False)
    d = static_sensitivity(sim, ["push"])
    from scipy.optimize import brentq

    a = brentq(lambda a: 40.0 * a + 10.0 * np.cos(a), -1.0, 0.0, xtol=1e-14)  # 2 kg at 0.5
    da = np.cos(a) / (40.0 - 10.0 * np.sin(a))
    assert np.allclose(d.of(tip)[:, 0], [-np.sin(a) * da, 0, np.cos(a) * da, 0, -da, 0], atol=1e-9)
    with pytest.raises(ModelError, match="no input"):
        static_sensitivity(sim, ["pull"])


def test_table_of_the_docs():
    """docs/suspensions.md has every characteristic with its definition, as the code specifies it."""
    page = (Path(__file__).parents[2] / "docs" / "suspensions.md").read_text(encoding="utf-8")
    for c in TABLE.values():
        assert f"`{c.name}` | {c.unit or '-'} | {'side' if c.sides else 'axle'} | {c.words} | {c.source} |" in page, (
            c.name
        )
