"""What axles are made of, element by element, from `docs/suspensions.md` and the docstrings: see `_account`."""

import math

import numpy as np

import holonom as hn
from _account import Drawings, X, Y, Z, body, given, pair, point, rotation, turned_to
from holonom.vehicle.axle import Axle

DRAWINGS = Drawings()
drawing = DRAWINGS.of
MIRROR = np.array([1.0, -1.0, 1.0])
OFF = np.array([0.31, 0.04, -0.05])
SIDES = (("left", 1.0), ("right", -1.0))


def axle(data, mode, draw=None):
    m = hn.Model("axle", units="SI")
    made = Axle(m, m.ground, data, mode, "axle", OFF).build()
    assert made.radius == data["wheel"]["radius"]
    return m


class Sheet:
    """The drawing of an axle while it grows: hardpoints of both sides, and what hangs between them."""

    def __init__(self, found, data, mode):
        self.found, self.data, self.soft = found, data, mode == "compliant"
        strut = data["template"] == "mcpherson"  # where dampers without points of their own are
        self.else_at = {
            "lower": "strut_lower" if strut else "spring_lower",
            "upper": "strut_top" if strut else "spring_upper",
        }
        self.drawn = {}

    def at(self, side, point, instead=None):
        given = self.data["hardpoints"]
        if point not in given:
            point = instead
        if side < 0 and point in self.data.get("right", {}):
            return np.array(self.data["right"][point]) + OFF
        p = np.array(given[point])
        return (p if side > 0 else p * MIRROR) + OFF

    def part(self, name, what, points, side=0.0):
        """Of given inertia and centre, mirrored on the right; or half of its mass at its points, and a compact rest."""
        d, p = self.data["parts"][what], np.array(points)
        mass, centre = d["mass"], p.mean(axis=0)
        r = p - centre
        if "cm" in d:
            centre = np.array(d["cm"]) * (MIRROR if side < 0 else 1.0) + OFF
        if "inertia" in d:
            six = [*d["inertia"], 0.0, 0.0, 0.0][:6]
            J = [*six[:3], *(-v for v in six[3:])]  # products are positive integrals
            if side < 0:
                J[3], J[5] = -J[3], -J[5]
        else:
            size = max(np.abs(r).max(), 0.03)
            T = sum(
                0.5 * mass / len(p) * (a @ a * np.eye(3) - np.outer(a, a)) for a in r
            ) + 0.02 * mass * size**2 * np.eye(3)
            J = [T[0, 0], T[1, 1], T[2, 2], T[0, 1], T[0, 2], T[1, 2]]
        self.drawn[f"PART axle {name}"] = body(mass, centre, J)

    def joint(self, name, kind, i, j, at, axis, word="JOINT", x=None, **more):
        label = lambda p: p if p == "ground" else f"axle {p}"
        axes = axis if x is None else turned_to(axis, x)
        self.drawn[f"{word} axle {name}"] = pair(label(i), label(j), at, axes, type=kind, **more)

    def rubber(self, name, i, j, what, at, axis, side):
        d = self.data["bushings"][what]
        axis = np.asarray(axis, float) / np.linalg.norm(axis)
        x = np.array(d["x"]) * (1.0, side, 1.0) if "x" in d else across(axis)
        label = lambda p: p if p == "ground" else f"axle {p}"
        k, kt, tau = np.array(d["k"]), np.array(d["kt"]), d["damping"]
        self.drawn[f"BUSHING axle {name}"] = pair(
            *(label(i), label(j), at, turned_to(axis, x)), k=k, kt=kt, c=tau * k, ct=tau * kt
        )

    def rod(self, side, word, name, inner, outer, base, carrier, rubber=True, part=None):
        """Ball joint outside, universal joint inside; bushings with a level axis across the rod."""
        s, d = ("left", "right")[side < 0], outer - inner
        mine = f"{s} {(part or name).replace('_', ' ')}"
        self.part(mine, part or name, [inner, outer], side)
        eye = side * np.cross(d, Z)
        ins, outs = word
        label = lambda w: f"{s} {w.replace('_', ' ')}"
        if self.soft and outs in self.data["bushings"]:
            self.rubber(label(outs), mine, carrier, outs, outer, eye, side)
        else:
            self.joint(label(outs), "SPHERICAL", mine, carrier, outer, None)
        if self.soft and rubber:
            self.rubber(label(ins), mine, base, ins, inner, eye, side)
        else:
            self.cross(label(ins), mine, base, inner, d, np.cross(eye, d))

    def cross(self, name, i, j, at, axis, x):
        """A universal joint whose first pin lies along x and the other across it and the axis."""
        label = lambda p: p if p == "ground" else f"axle {p}"
        self.drawn[f"JOINT axle {name}"] = pair(*(label(i), label(j), at, None), type="HOOKE", **{"j axes": None})

    def line(self, side, what, i, j, low, high):
        """Distance, its rate and the distance as drawn."""
        label = lambda p: p if p == "ground" else f"axle {p}"
        a, b = point(self.found, label(i), low), point(self.found, label(j), high)
        d = a[0] - b[0]
        D = np.linalg.norm(d)
        return D, float(d @ (a[1] - b[1]) / D), float(np.linalg.norm(high - low))

    def force(self, name, i, j, low, high, value):
        label = lambda p: p if p == "ground" else f"axle {p}"
        self.drawn[f"SFORCE axle {name}"] = pair(label(i), label(j), low, None, high, None, kind=None, function=value)

    def springs(self, side, on, above="ground"):
        s, d = ("left", "right")[side < 0], self.data
        if "spring" in d:
            low, high = self.at(side, "spring_lower"), self.at(side, "spring_upper")
            D, _, drawn = self.line(side, "spring", on, above, low, high)
            seat = d["spring"]["load"] / d["spring"]["rate"]
            self.force(f"{s} spring", on, above, low, high, d["spring"]["rate"] * (seat + drawn - D))
            self.drawn["VARIABLE axle spring seat"] = {"function": seat, "input": True}
        low, high = (self.at(side, f"damper_{w}", self.else_at[w]) for w in ("lower", "upper"))
        D, v, drawn = self.line(side, "damper", on, above, low, high)
        gas = d["damper"].get("gas_force", 0.0)
        self.force(f"{s} damper", on, above, low, high, -d["damper"]["rate"] * v + gas)
        for word, sign in (("bump_stop", -1.0), ("rebound_stop", 1.0)):
            if word in d:
                stop = d[word]
                over = sign * (D - drawn) - stop["clearance"]
                value = -sign * stop["rate"] * max(over, 0.0) ** stop["power"]
                self.force(f"{s} {word.replace('_', ' ')}", on, above, low, high, value)

    def bar(self, links):
        """Two halves on one axis, joined by a torsion spring, a link to each side."""
        d = self.data["anti_roll_bar"]
        middle = 0.5 * (self.at(1.0, "bar_mount") + self.at(-1.0, "bar_mount"))
        for s, side in SIDES:
            mount, end = self.at(side, "bar_mount"), self.at(side, "bar_end")
            self.part(f"{s} anti-roll bar", "bar", [middle, mount, end], side)
            half = f"{s} anti-roll bar"
            if self.soft:
                self.rubber(f"{s} bar mount", half, self.base, "bar_mount", mount, side * Y, side)
            else:
                self.joint(f"{s} bar mount", "REVOLUTE", half, self.base, mount, Y)
            carrier, p = links(s)
            self.rod(side, ("bar_end", p), "bar_link", end, self.at(side, p), half, carrier, rubber=False)
        if self.soft:
            self.joint("bar middle", "REVOLUTE", "left anti-roll bar", "right anti-roll bar", middle, Y)
        self.drawn["SPRINGDAMPER axle anti-roll bar"] = pair(
            *("axle left anti-roll bar", "axle right anti-roll bar", middle, Y),
            **{"kind": "ROTATIONAL", "kt": d["stiffness"], "ct": d["stiffness"] * d["damping"], "angle": None},
        )

    def column(self, gear, gear_axis, base):
        """Steering wheel, shaft and pinion; two universal joints, the lower one slides along the shaft."""
        low, high, top = (self.at(1.0, p) for p in ("column_lower", "column_upper", "steering_wheel"))
        unit = lambda v: v / np.linalg.norm(v)
        one, two, three = unit(low - gear), unit(high - low), unit(top - high)
        self.part("pinion", "pinion", [gear, low])
        self.part("column shaft", "column_shaft", [low, high])
        self.part("steering wheel", "steering_wheel", [high, top])
        self.joint("steering wheel", "REVOLUTE", "steering wheel", "ground", top, three)
        self.joint("pinion", "REVOLUTE", "pinion", base, gear, one)
        # the upper pins: of the shaft in the plane of both axes, of the wheel as well
        plane = np.cross(three, two)
        pin = unit(np.cross(plane, two))
        self.drawn["JOINT axle upper column joint"] = pair(
            *("axle column shaft", "axle steering wheel", high, turned_to(two, pin)),
            **{"j axes": turned_to(three, np.cross(plane, three)), "type": "HOOKE"},
        )
        a = math.radians(self.data["steering"]["phase"])
        pin = rotation(a * two) @ pin
        self.joint("lower column joint", "INLINE", "pinion", "column shaft", low, None, "JPRIM")
        self.drawn["JPRIM axle lower column joint"]["j axes"] = two
        self.joint("lower column cross", "PERPENDICULAR", "pinion", "column shaft", low, None, "JPRIM")
        self.drawn["JPRIM axle lower column cross"] |= {"i axes": unit(np.cross(pin, one)), "j axes": pin}


def across(axis):
    """In the plane of the axis and the vertical, upwards; x of an axis that is vertical."""
    if np.linalg.norm(np.cross(axis, Z)) < 1e-3:
        return X
    return Z - (Z @ axis) * axis


RUBBER = lambda k, tau: {"k": [k, 1.3 * k, 0.2 * k], "kt": [1e-5 * k, 2e-5 * k, 3e-6 * k], "damping": tau}
WISHBONE = {
    "template": "double_wishbone",
    "hardpoints": {
        "lower_front": [0.19, 0.31, 0.21],
        "lower_rear": [-0.17, 0.35, 0.23],
        "lower_outer": [0.01, 0.71, 0.19],
        "upper_front": [0.11, 0.43, 0.51],
        "upper_rear": [-0.13, 0.45, 0.49],
        "upper_outer": [-0.02, 0.69, 0.53],
        "tie_rod_inner": [-0.12, 0.37, 0.28],
        "tie_rod_outer": [-0.14, 0.67, 0.29],
        "spring_lower": [0.02, 0.52, 0.22],
        "spring_upper": [-0.01, 0.44, 0.63],
        "damper_lower": [0.03, 0.54, 0.24],
        "damper_upper": [-0.03, 0.42, 0.68],
        "wheel_centre": [0.0, 0.77, 0.32],
        "subframe_front": [0.25, 0.41, 0.27],
        "subframe_rear": [-0.29, 0.39, 0.26],
        "pinion": [-0.11, 0.13, 0.29],
        "column_lower": [-0.31, 0.19, 0.44],
        "column_upper": [-0.59, 0.25, 0.63],
        "steering_wheel": [-0.93, 0.24, 0.79],
        "bar_mount": [0.21, 0.29, 0.34],
        "bar_end": [0.04, 0.49, 0.36],
        "bar_link_outer": [0.05, 0.57, 0.21],
    },
    "right": {
        "lower_rear": [-0.18, -0.36, 0.22],
        "bar_end": [0.06, -0.48, 0.35],
        "tie_rod_inner": [-0.13, -0.38, 0.27],
    },
    "wheel": {"radius": 0.31, "toe": 0.7, "camber": -1.1},
    "parts": {
        "lower_arm": {"mass": 5.1},
        "upper_arm": {"mass": 3.7, "cm": [0.01, 0.55, 0.5]},
        "knuckle": {"mass": 11.3, "inertia": [0.11, 0.13, 0.09, 0.01, -0.02, 0.03]},
        "tie_rod": {"mass": 0.9, "inertia": [0.03, 0.02, 0.04]},
        "rack": {"mass": 2.3},
        "pinion": {"mass": 0.7},
        "column_shaft": {"mass": 1.1},
        "steering_wheel": {"mass": 1.9},
        "bar": {"mass": 2.7},
        "bar_link": {"mass": 0.4},
        "subframe": {"mass": 17.0},
    },
    "bushings": {
        "lower_front": RUBBER(2e6, 1e-3),
        "lower_rear": {**RUBBER(1e6, 2e-3), "x": [0.2, 0.3, 1.0]},
        "upper_front": RUBBER(1.5e6, 3e-3),
        "upper_rear": RUBBER(1.7e6, 4e-3),
        "upper_outer": RUBBER(9e6, 5e-4),
        "tie_rod_outer": RUBBER(8e6, 6e-4),
        "bar_mount": RUBBER(7e5, 7e-4),
        "subframe_front": RUBBER(4e6, 8e-4),
        "subframe_rear": RUBBER(5e6, 9e-4),
    },
    "spring": {"rate": 31e3, "load": 4100.0},
    "damper": {"rate": 1700.0, "gas_force": 120.0},
    "bump_stop": {"clearance": 1e-4, "rate": 3e5, "power": 1.5},
    "rebound_stop": {"clearance": 1.5e-4, "rate": 4e5, "power": 1.2},
    "steering": {
        "template": "rack_and_pinion",
        "travel_per_turn": 0.049,
        "torsion": 120.0,
        "damping": 0.02,
        "phase": 25.0,
    },
    "anti_roll_bar": {"stiffness": 530.0, "damping": 0.01},
    "subframe": {},
}


def wishbones(found, data, mode):
    d = Sheet(found, data, mode)
    d.base = "subframe"
    corners = [d.at(side, f"subframe_{w}") for _, side in SIDES for w in ("front", "rear")]
    d.part("subframe", "subframe", corners)
    if d.soft:
        for s, side in SIDES:
            for w in ("front", "rear"):
                word = f"subframe_{w}"
                d.rubber(f"{s} subframe {w}", "subframe", "ground", word, d.at(side, word), Z, side)
    else:
        d.joint("subframe", "FIXED", "subframe", "ground", np.mean(corners, axis=0), None)
    # the rack: the tie rods act behind the wheels, so that it moves to the right to steer to the left
    ends = [d.at(side, "tie_rod_inner") for _, side in SIDES]
    d.part("rack", "rack", ends)
    middle = np.mean(ends, axis=0)
    d.joint("rack", "TRANSLATIONAL", "rack", "subframe", middle, Y)
    gear = d.at(1.0, "pinion")
    d.column(gear, None, "subframe")
    r = -data["steering"]["travel_per_turn"] / (2.0 * math.pi)
    if d.soft:
        low = d.at(1.0, "column_lower")
        axis = (low - gear) / np.linalg.norm(low - gear)
        one, two = point(found, "axle pinion", gear), point(found, "axle subframe", gear)
        A = turned_to(axis, found["JOINT axle pinion"]["j axes"][:, 0])
        R = (two[3] @ A).T @ one[3] @ A
        twist, rate = math.atan2(R[1, 0], R[1, 1]), float((one[2] - two[2]) @ (two[3] @ A)[:, 2])
        a, b = point(found, "axle rack", middle), point(found, "axle subframe", middle)
        along = b[3] @ Y
        torque = 120.0 * (twist - (a[0] - b[0]) @ along / r) + 120.0 * 0.02 * (rate - (a[1] - b[1]) @ along / r)
        d.drawn["SFORCE axle torsion bar"] = pair(
            "axle pinion", "axle subframe", gear, axis, kind="ROTATIONAL", function=-torque
        )
        d.drawn["VFORCE axle rack force"] = {
            **{"i": "axle rack", "i at": middle, "i axes": None, "jfloat": "axle subframe"},
            **{"rm": "axle subframe", "rm at": middle, "rm axes": Y, "fz": torque / r},
        }
    else:
        d.drawn["COUPLER axle pinion"] = {
            **{"joints 1": "axle rack", "joints 2": "axle pinion", "scales": (1.0, -r), "types": None}
        }
    for s, side in SIDES:
        p = {w: d.at(side, w) for w in data["hardpoints"]}
        d.part(f"{s} lower arm", "lower_arm", [p["lower_front"], p["lower_rear"], p["lower_outer"]], side)
        d.part(f"{s} upper arm", "upper_arm", [p["upper_front"], p["upper_rear"], p["upper_outer"]], side)
        d.part(
            f"{s} knuckle",
            "knuckle",
            [p[w] for w in ("lower_outer", "upper_outer", "wheel_centre", "tie_rod_outer")],
            side,
        )
        for w in ("lower", "upper"):
            a, b = p[f"{w}_front"], p[f"{w}_rear"]
            if d.soft:
                for end, at in ((f"{w}_front", a), (f"{w}_rear", b)):
                    d.rubber(f"{s} {w} {end.split('_')[1]}", f"{s} {w} arm", "subframe", end, at, b - a, side)
            else:
                d.joint(f"{s} {w} front hinge", "REVOLUTE", f"{s} {w} arm", "subframe", 0.5 * (a + b), b - a)
            if d.soft and f"{w}_outer" in data["bushings"]:
                d.rubber(f"{s} {w} outer", f"{s} knuckle", f"{s} {w} arm", f"{w}_outer", p[f"{w}_outer"], Z, side)
            else:
                d.joint(f"{s} {w} outer", "SPHERICAL", f"{s} knuckle", f"{s} {w} arm", p[f"{w}_outer"], None)
        words = ("tie_rod_inner", "tie_rod_outer")
        d.rod(side, words, "tie_rod", p[words[0]], p[words[1]], "rack", f"{s} knuckle", rubber=False)
        d.springs(side, f"{s} lower arm")
    d.bar(lambda s: (f"{s} lower arm", "bar_link_outer"))
    return d.drawn


@drawing(axle, data=WISHBONE, mode="compliant")
def compliant_wishbones(found, data, mode):
    return wishbones(found, data, mode)


@drawing(axle, data=WISHBONE, mode="kinematic")
def kinematic_wishbones(found, data, mode):
    return wishbones(found, data, mode)


# ---- leaf springs: a half leaf hinges at a quarter of its length, and both share the rate as cantilevers -------------
LEAF = {
    "template": "leaf_axle",
    "hardpoints": {
        "leaf_front_eye": [0.61, 0.51, 0.34],
        "leaf_seat": [0.02, 0.49, 0.37],
        "leaf_rear_eye": [-0.67, 0.53, 0.36],
        "shackle_upper": [-0.71, 0.52, 0.49],
        "damper_lower": [0.07, 0.46, 0.31],
        "damper_upper": [0.11, 0.41, 0.71],
        "wheel_centre": [0.0, 0.78, 0.35],
    },
    "right": {"leaf_seat": [0.03, -0.5, 0.36]},
    "wheel": {"radius": 0.36},
    "parts": {
        "axle": {"mass": 81.0},
        "leaf_front": {"mass": 7.0},
        "leaf_rear": {"mass": 9.0, "cm": [-0.4, 0.5, 0.35]},
        "shackle": {"mass": 1.3},
    },
    "bushings": {
        "leaf_front_eye": RUBBER(2e6, 1e-3),
        "shackle_upper": RUBBER(3e6, 2e-3),
        "leaf_rear_eye": RUBBER(4e6, 3e-3),
    },
    "damper": {"rate": 1500.0},
    "leaf": {"rate": 27e3, "damping": 0.03},
}


def leaves(found, data, mode):
    d = Sheet(found, data, mode)
    d.part("axle", "axle", [d.at(side, w) for _, side in SIDES for w in ("wheel_centre", "leaf_seat")])
    d.drawn["VARIABLE axle spring seat"] = {"function": None, "input": True}
    slides = []
    for s, side in SIDES:
        seat = d.at(side, "leaf_seat")
        eyes = {w: d.at(side, f"leaf_{w}_eye") for w in ("front", "rear")}
        length = {w: abs(e[0] - seat[0]) for w, e in eyes.items()}
        soft = {w: v**-3 / sum(u**-3 for u in length.values()) for w, v in length.items()}
        for w, way in (("front", 1.0), ("rear", -1.0)):  # the seat turns both halves up
            pin = 0.75 * seat + 0.25 * eyes[w]
            d.part(f"{s} leaf {w}", f"leaf_{w}", [pin, eyes[w]], side)
            kt = 27e3 * soft[w] * (0.75 * length[w]) ** 2
            one, two = point(found, f"axle {s} leaf {w}", pin), point(found, "axle axle", pin)
            A = found[f"SFORCE axle {s} leaf {w}"]["j axes"]
            R = (two[3] @ A).T @ one[3] @ A
            rate = float((one[2] - two[2]) @ (two[3] @ Y))
            angle = math.atan2(R[1, 0], R[1, 1]) + way * given("axle spring seat")
            value = -kt * angle - 0.03 * kt * rate
            d.drawn[f"SFORCE axle {s} leaf {w}"] = pair(
                f"axle {s} leaf {w}", "axle axle", pin, Y, kind="ROTATIONAL", function=value
            )
            if w == "front" and not d.soft:
                d.joint(f"{s} leaf front", "CYLINDRICAL", f"{s} leaf front", "axle", pin, Y)
                d.joint(f"{s} front eye", "SPHERICAL", f"{s} leaf front", "ground", eyes[w], None)
                slides.append((one[0] - two[0]) @ (two[3] @ Y))
            else:
                d.joint(f"{s} leaf {w}", "REVOLUTE", f"{s} leaf {w}", "axle", pin, Y)
            if w == "front" and d.soft:
                d.rubber(f"{s} front eye", f"{s} leaf front", "ground", "leaf_front_eye", eyes[w], side * Y, side)
        words = ("shackle_upper", "leaf_rear_eye")
        d.rod(side, words, "shackle", d.at(side, words[0]), eyes["rear"], "ground", f"{s} leaf rear")
        d.springs(side, "axle")
    if slides:
        d.drawn["GCON axle lateral location"] = {"function": sum(slides), "i": None}
    return d.drawn


@drawing(axle, data=LEAF, mode="compliant")
def compliant_leaves(found, data, mode):
    return leaves(found, data, mode)


@drawing(axle, data=LEAF, mode="kinematic")
def kinematic_leaves(found, data, mode):
    return leaves(found, data, mode)


# ---- a strut: the upright slides and turns on a rod that hangs from the body -----------------------------------------
STRUT = {
    "template": "mcpherson",
    "hardpoints": {
        **{w: WISHBONE["hardpoints"][w] for w in ("lower_front", "lower_rear", "lower_outer", "tie_rod_inner")},
        **{w: WISHBONE["hardpoints"][w] for w in ("tie_rod_outer", "spring_lower", "spring_upper", "wheel_centre")},
        "strut_lower": [0.02, 0.66, 0.45],
        "strut_top": [-0.05, 0.58, 0.83],
        **{"pitman_pivot": [-0.71, 0.35, 0.27], "pitman_end": [-0.45, 0.33, 0.26]},
        **{w: WISHBONE["hardpoints"][w] for w in ("pinion", "column_lower", "column_upper", "steering_wheel")},
    },
    "right": {"strut_top": [-0.06, -0.59, 0.82]},
    "wheel": {"radius": 0.32},
    "parts": {
        **{w: WISHBONE["parts"][w] for w in ("lower_arm", "knuckle", "tie_rod", "pinion", "column_shaft")},
        "steering_wheel": {"mass": 1.7},
        "damper_rod": {"mass": 2.1},
        "pitman_arm": {"mass": 1.2},
        "centre_link": {"mass": 1.6},
    },
    "bushings": {
        **{w: WISHBONE["bushings"][w] for w in ("lower_front", "lower_rear")},
        "strut_top": RUBBER(3e5, 2e-3),
    },
    "spring": {"rate": 24e3, "load": 3900.0},
    "damper": {"rate": 1900.0},
    "steering": {"template": "pitman", "ratio": 17.0, "axis": [0.1, 0.0, 1.0], "phase": 12.0},
}


def struts(found, data, mode):
    d = Sheet(found, data, mode)
    up = np.array([0.1, 0.0, 1.0]) / math.hypot(0.1, 1.0)
    ends = [d.at(side, w) for _, side in SIDES for w in ("pitman_end", "tie_rod_inner")]
    d.part("centre link", "centre_link", ends)
    for (s, side), arm, pivot in zip(SIDES, ("pitman arm", "idler arm"), ("pitman pivot", "idler pivot")):
        p, q = d.at(side, "pitman_pivot"), d.at(side, "pitman_end")
        d.part(f"{s} {arm}", "pitman_arm", [p, q], side)
        d.joint(f"{s} {pivot}", "REVOLUTE", f"{s} {arm}", "ground", p, up)
    d.joint("left pitman end", "SPHERICAL", "centre link", "left pitman arm", ends[0], None)
    d.cross("right pitman end", "centre link", "right idler arm", ends[2], Y, up)
    d.column(d.at(1.0, "pinion"), up, "ground")
    # arms that point to the front, rods behind the wheels: the centre link must move to the right to steer to the left
    d.drawn["COUPLER axle gear box"] = {
        **{"joints 1": "axle left pitman pivot", "joints 2": "axle pinion", "scales": (1.0, 1.0 / 17.0), "types": None}
    }
    for s, side in SIDES:
        p = {w: d.at(side, w) for w in data["hardpoints"]}
        d.part(f"{s} lower arm", "lower_arm", [p["lower_front"], p["lower_rear"], p["lower_outer"]], side)
        points = [p[w] for w in ("lower_outer", "strut_lower", "wheel_centre", "tie_rod_outer")]
        d.part(f"{s} knuckle", "knuckle", points, side)
        d.part(f"{s} damper rod", "damper_rod", [p["strut_top"], p["strut_lower"]], side)
        line = p["strut_top"] - p["strut_lower"]
        d.joint(f"{s} strut", "CYLINDRICAL", f"{s} knuckle", f"{s} damper rod", p["strut_lower"], line)
        a, b = p["lower_front"], p["lower_rear"]
        if d.soft:
            for end, at in (("lower_front", a), ("lower_rear", b)):
                d.rubber(f"{s} lower {end.split('_')[1]}", f"{s} lower arm", "ground", end, at, b - a, side)
            d.rubber(f"{s} strut top", f"{s} damper rod", "ground", "strut_top", p["strut_top"], line, side)
        else:
            d.joint(f"{s} lower front hinge", "REVOLUTE", f"{s} lower arm", "ground", 0.5 * (a + b), b - a)
            d.cross(f"{s} strut top", f"{s} damper rod", "ground", p["strut_top"], line, across(line))
        d.joint(f"{s} lower outer", "SPHERICAL", f"{s} knuckle", f"{s} lower arm", p["lower_outer"], None)
        words = ("tie_rod_inner", "tie_rod_outer")
        d.rod(side, words, "tie_rod", p[words[0]], p[words[1]], "centre link", f"{s} knuckle", rubber=False)
        d.springs(side, f"{s} knuckle", f"{s} damper rod")
    return d.drawn


@drawing(axle, data=STRUT, mode="kinematic")
def kinematic_struts(found, data, mode):
    return struts(found, data, mode)


@drawing(axle, data=STRUT, mode="compliant")
def compliant_struts(found, data, mode):
    return struts(found, data, mode)


# ---- twist beam: halves that turn on each other about the line through the shear centre ------------------------------
BEAM = {
    "template": "twist_beam",
    "hardpoints": {
        "pivot": [0.43, 0.61, 0.3],
        "shear_centre": [0.22, 0.0, 0.33],
        "spring_lower": [-0.1, 0.56, 0.25],
        "spring_upper": [-0.09, 0.53, 0.55],
        "damper_lower": [-0.17, 0.58, 0.23],
        "wheel_centre": [0.0, 0.75, 0.31],
    },
    "right": {"pivot": [0.42, -0.62, 0.31]},
    "wheel": {"radius": 0.3},
    "parts": {"arm": {"mass": 9.7}},
    "bushings": {"pivot": RUBBER(1e6, 2e-3)},
    "spring": {"rate": 23e3, "load": 3100.0},
    "damper": {"rate": 1300.0},
    "twist": {"stiffness": 4100.0, "damping": 0.02},
}


def twisted(found, data, mode):
    d = Sheet(found, data, mode)
    middle = d.at(1.0, "shear_centre")
    slides = []
    for s, side in SIDES:
        p = {w: d.at(side, w) for w in data["hardpoints"]}
        d.part(f"{s} arm", "arm", [p["pivot"], p["wheel_centre"], p["shear_centre"]], side)
        if d.soft:
            d.rubber(f"{s} pivot", f"{s} arm", "ground", "pivot", p["pivot"], side * Y, side)
        else:
            d.joint(f"{s} pivot", "INLINE", f"{s} arm", "ground", p["pivot"], Y, "JPRIM")
            slides.append((point(found, f"axle {s} arm", p["pivot"])[0] - p["pivot"])[1])
        d.springs(side, f"{s} arm")
    d.joint("beam", "REVOLUTE", "left arm", "right arm", middle, Y)
    d.drawn["SPRINGDAMPER axle twist"] = pair(
        *("axle left arm", "axle right arm", middle, Y),
        **{"kind": "ROTATIONAL", "kt": 4100.0, "ct": 82.0, "angle": None},
    )
    if slides:
        d.drawn["GCON axle lateral location"] = {"function": sum(slides), "i": None}
    return d.drawn


@drawing(axle, data=BEAM, mode="kinematic")
def kinematic_beam(found, data, mode):
    return twisted(found, data, mode)


@drawing(axle, data=BEAM, mode="compliant")
def compliant_beam(found, data, mode):
    return twisted(found, data, mode)
