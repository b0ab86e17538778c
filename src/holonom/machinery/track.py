"""One side of a tracked vehicle: shoes joined by pins, sprocket, idler with tensioner, road wheels on torsion bars,
ground.

Numbers of the M113 as Project Chrono publishes them (data/vehicle/M113, left side, single-pin track: track_assembly,
sprocket, idler, idler_wheel, road_wheel, suspension, track_shoe, chassis; axes there x forward, z up).  Our own:
contacts, preload of the torsion bars, how the tensioner's spring is set, rounding of the shoes, damping of pins; shock
absorbers (100 N s/m) and guide pins are left out.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ..model import Model, drawing
from ..model.base import ModelError
from .chain import flat, pin_in_a_loop

if TYPE_CHECKING:
    from ..model.bodies import Part
    from ..model.joints import Joint
    from ..model.outputs import Graphic

Z = (0.0, 0.0, 1.0)

# x forward, y up, from the centre of the sprocket; m, kg
WHEELS = tuple((x, -0.215) for x in (-0.655, -1.322, -1.989, -2.656, -3.322))
WHEEL = {"radius": 0.305, "width": 0.181, "mass": 35.56, "inertia": (1.14, 1.14, 2.16)}
IDLER = {"place": (-3.95, -0.12), "radius": 0.255, "mass": 25.76, "inertia": (0.618, 0.618, 1.12), "carrier": 10.0}
SPROCKET = {"teeth": 10, "tip": 0.2605, "arc": 0.089, "centres": 0.3, "mass": 27.68, "inertia": (0.646, 0.646, 0.883)}
SHOE = {"pitch": 0.154, "height": 0.06, "mass": 18.02, "inertia": (0.22, 0.25, 0.04), "pins": (0.0535, -0.061),
    "pin": 0.015,
        "ground": 0.11, "wheel": 0.10, "width": 0.38}  # fmt: skip
ARM = {
    "pivot": (0.288, 0.134),
    "mass": 75.26,
    "centre": (0.144, 0.067),
    "inertia": (0.37, 0.77, 0.77),
    "stiffness": 2.5e4,
    "damping": 5e2,
}
TENSIONER = {"length": 0.5, "preload": 2e4, "stiffness": 1e6, "damping": 1.4e4, "slack": 0.018}
CHASSIS = {"mass": 0.5 * 7819.24, "inertia": 0.5 * 27287.61, "centre": (-2.006, 0.406)}


def sprocket_profile() -> tuple[np.ndarray, np.ndarray]:
    """Points and bulges of a disc of the tip radius out of which arcs are cut, the middle of the first one on the x
    axis."""
    n, tip, arc, far = SPROCKET["teeth"], SPROCKET["tip"], SPROCKET["arc"], SPROCKET["centres"]
    half = math.acos((tip**2 + far**2 - arc**2) / (2 * tip * far))
    turn = 2 * math.atan2(tip * math.sin(half), far - tip * math.cos(half))
    points, bulges = [], []
    for k in range(n):
        g = 2 * math.pi * k / n
        points += [(tip * math.cos(g + s * half), tip * math.sin(g + s * half)) for s in (-1, 1)]
        bulges += [-math.tan(0.25 * turn), math.tan(0.25 * (2 * math.pi / n - 2 * half))]
    return np.array(points), np.array(bulges)


ROUNDING = 0.006  # of a shoe's edges


def shoe_profile(rounding: float = ROUNDING) -> tuple[np.ndarray, np.ndarray]:
    """Points and bulges of a shoe: its ground side below, the side of the wheels above."""
    h, f, q = 0.5 * SHOE["height"], rounding, math.tan(math.pi / 8)
    low, high = 0.5 * SHOE["ground"], 0.5 * SHOE["wheel"]
    points = [
        (-low + f, -h),
        (low - f, -h),
        (low, f - h),
        (high, h - f),
        (high - f, h),
        (f - high, h),
        (-high, h - f),
        (-low, f - h),
    ]
    return np.array(points), np.array([0, q, 0, q, 0, q, 0, q])


class _Loop:
    """Line around circles (x, y, radius), counter-clockwise, from the point of the first one at angle 0; the first
    straight piece (the upper strand) hangs by ``sag`` on an arc."""

    def __init__(self, circles, sag: float):
        self.pieces: list[tuple] = []  # (length before, length, piece)
        self.length = 0.0
        normals = []
        for k, (x, y, r) in enumerate(circles):
            u, v, s = circles[(k + 1) % len(circles)]
            normals.append(math.atan2(v - y, u - x) - math.acos((r - s) / math.hypot(u - x, v - y)))
        for k, (x, y, r) in enumerate(circles):
            start = 0.0 if k == 0 else normals[k - 1]
            self._arc(x, y, r, start, (normals[k] - start) % (2 * math.pi))
            u, v, s = circles[(k + 1) % len(circles)]
            c, w = math.cos(normals[k]), math.sin(normals[k])
            a, b = np.array([x + r * c, y + r * w]), np.array([u + s * c, v + s * w])
            if k == 0 and sag > 0.0:
                far = float(np.linalg.norm(b - a))
                half = 2.0 * math.atan(2.0 * sag / far)
                radius = 0.5 * far / math.sin(half)
                top = 0.5 * (a + b) + radius * math.cos(half) * np.array([c, w])
                self._arc(*top, radius, math.atan2(*(a - top)[::-1]), -2.0 * half)
            else:
                self._add(float(np.linalg.norm(b - a)), (a, b))
        x, y, r = circles[0]
        self._arc(x, y, r, normals[-1], -normals[-1] % (2 * math.pi))

    def _add(self, length, piece):
        self.pieces.append((self.length, length, piece))
        self.length += length

    def _arc(self, x, y, r, start, turn):
        self._add(r * abs(turn), (x, y, r, start, math.copysign(1.0, turn)))

    def at(self, s: float) -> np.ndarray:
        first, length, piece = next((p for p in self.pieces if s <= p[0] + p[1]), self.pieces[-1])
        s -= first
        if len(piece) == 2:
            return piece[0] + (piece[1] - piece[0]) * (s / length)
        x, y, r, start, side = piece
        angle = start + side * s / r
        return np.array([x + r * math.cos(angle), y + r * math.sin(angle)])

    def walk(self, pitch: float, number: int) -> tuple[np.ndarray, float]:
        """Points of a chain of chords ``pitch`` on the line, and how far the last chord's end is beyond the start."""
        from scipy.optimize import brentq

        s, points = 0.0, [self.at(0.0)]
        for _ in range(number):
            beyond = lambda u, p=points[-1]: float(np.hypot(*(self.at(u) - p))) - pitch
            s = brentq(beyond, s + 0.5 * pitch, s + 1.5 * pitch, xtol=1e-15, rtol=1e-15)
            points.append(self.at(s))
        return np.array(points[:-1]), s - self.length


def _lay(shoes: int, sag: float = 0.085):
    """Pins (shoes, 2) of the closed track, counter-clockwise from the front of the sprocket, and the place of the
    idler's centre."""
    from scipy.optimize import brentq

    pitch = SHOE["pitch"]
    around = lambda radius: math.hypot(
        radius + 0.5 * SHOE["height"], 0.5 * pitch
    )  # of pins whose shoes touch a wheel in their middles
    seat = 0.5 * pitch / math.sin(math.pi / SPROCKET["teeth"])

    def loop(x):
        return _Loop(
            [
                (0.0, 0.0, seat),
                (x, IDLER["place"][1], around(IDLER["radius"])),
                *((u, v, around(WHEEL["radius"])) for u, v in (WHEELS[-1], WHEELS[0])),
            ],
            sag,
        )

    miss = lambda x: loop(x).walk(pitch, shoes)[1]
    low, high = IDLER["place"][0] - 0.12, IDLER["place"][0] + 0.12
    if not miss(low) < 0.0 < miss(high):
        raise ModelError(f"a track of {shoes} shoes does not fit round these wheels; 63 do")
    x = brentq(miss, low, high, xtol=1e-14)
    return loop(x).walk(pitch, shoes)[0], (x, IDLER["place"][1])


def _pull(pins: np.ndarray, wheel, tension: float) -> tuple[float, float]:
    """Force on a road wheel at the end of the lower strand by the tension of the track that turns round it; (0, 0) for
    the others."""
    x, y = wheel
    if 0 < WHEELS.index(wheel) < len(WHEELS) - 1:
        return 0.0, 0.0
    side = 1.0 if wheel == WHEELS[0] else -1.0
    way = [
        p for p in pins if 0.15 < side * (p[0] - x) < 0.47 and p[1] < y
    ]  # two pins of the strand that rises from the wheel
    d = (way[-1] - way[0]) * math.copysign(1.0, side * (way[-1][0] - way[0][0]))
    d /= np.linalg.norm(d)
    return tension * (float(d[0]) - side), tension * float(d[1])


def _sprocket(model: Model, hull: Part) -> tuple[Joint, Graphic]:
    """The joint of the sprocket with the hull, and its teeth."""
    width = 0.10
    sprocket = model.part("sprocket", SPROCKET["mass"], SPROCKET["inertia"], (0, 0, 0))
    axle = model.revolute(sprocket, hull, "sprocket axle", at=(0, 0, 0), axis=Z)
    points, bulge = sprocket_profile()
    teeth = model.plane_curve(sprocket, points, (0, 0, 0), Z, (1, 0, 0), bulge=bulge, width=2 * width)
    # a picture only
    model.extrusion(sprocket, points, width, (0, 0, -0.5 * width), Z, (1, 0, 0), bulge=bulge, color="GRAY")
    drawing.rod(model, sprocket, (0, 0, -0.6), (0, 0, 0), 0.05)
    return axle, teeth


def _road_wheels(model: Model, hull: Part, pins: np.ndarray, gravity: float) -> list[Graphic]:
    """Wheels on arms; the bars carry the sprung weight in equal shares, and what the track pulls sprocket and idler
    down and wheels up.  Returns the rims."""
    pulls = [_pull(pins, wheel, 0.5 * TENSIONER["preload"]) for wheel in WHEELS]
    sprung = CHASSIS["mass"] + IDLER["mass"] + IDLER["carrier"] + SPROCKET["mass"]
    load = (sprung * gravity + sum(f[1] for f in pulls)) / len(WHEELS)
    rims = []
    for k, (x, y) in enumerate(WHEELS):
        wheel = model.part(f"wheel {k + 1}", WHEEL["mass"], WHEEL["inertia"], (x, y, 0))
        pivot = (x + ARM["pivot"][0], y + ARM["pivot"][1])
        arm = model.part(f"arm {k + 1}", ARM["mass"], ARM["inertia"], (x + ARM["centre"][0], y + ARM["centre"][1], 0))
        model.revolute(wheel, arm, f"wheel bearing {k + 1}", at=(x, y, 0), axis=Z)
        bar = model.revolute(arm, hull, f"arm pivot {k + 1}", at=flat(pivot), axis=Z)
        # the wheel lies behind its pivot: a torque about +z presses it down
        weight = ARM["mass"] * gravity
        preload = (
            (load + weight) * ARM["pivot"][0]
            - weight * (ARM["pivot"][0] - ARM["centre"][0])
            - pulls[k][0] * ARM["pivot"][1]
        )
        model.torsion_spring(
            bar.i,
            bar.j,
            stiffness=ARM["stiffness"],
            damping=ARM["damping"],
            torque=preload,
            name=f"torsion bar {k + 1}",
        )
        rims.append(
            model.cylinder(
                wheel, (x, y, -0.5 * WHEEL["width"]), (x, y, 0.5 * WHEEL["width"]), WHEEL["radius"], color="BLACK"
            )
        )
        drawing.pin(model, wheel, (x + 0.17, y, 0), Z, 0.03, WHEEL["width"] * 1.1, color="GRAY")
        drawing.beam(model, arm, (x, y, -0.2), flat(pivot, -0.2), 0.06, 0.06, color="RED")
    return rims


def _idler(model: Model, hull: Part, place: np.ndarray) -> tuple[Graphic, Joint]:
    """The rim of the idler, on a carrier that the tensioner pushes back, and the joint of the carrier."""
    carrier = model.part("carrier", IDLER["carrier"], (0.04,) * 3, flat(place))
    slide = model.translational(carrier, hull, "idler slide", at=flat(place), axis=(-1, 0, 0))
    t = TENSIONER
    anchor = (place[0] + t["length"], place[1])
    model.spring_damper(
        model.marker_at(carrier, flat(place)),
        model.marker_at(hull, flat(anchor)),
        t["stiffness"],
        t["damping"],
        t["length"] + t["slack"],
        t["preload"],
        "tensioner",
    )
    idler = model.part("idler", IDLER["mass"], IDLER["inertia"], flat(place))
    model.revolute(idler, carrier, "idler bearing", at=flat(place), axis=Z)
    rim = model.cylinder(idler, flat(place, -0.09), flat(place, 0.09), IDLER["radius"], color="BLACK")
    drawing.pin(model, idler, (place[0] + 0.15, place[1], 0), Z, 0.03, 0.2, color="GRAY")
    drawing.block(model, carrier, flat(place, -0.25), (0.12, 0.08, 0.08), color="RED")
    return rim, slide


def _shoes(model: Model, pins: np.ndarray) -> tuple[list[Part], list[Graphic], list[Graphic], list[Graphic]]:
    """Shoes from pin to pin: parts, plates that wheels roll on, rods that teeth take, edges that touch the ground."""
    outline, corners = shoe_profile()
    after = np.roll(pins, -1, axis=0)
    parts, plates, rods, edges = [], [], [], []
    low = np.array([0.5 * SHOE["ground"] - ROUNDING, ROUNDING - 0.5 * SHOE["height"]])
    for k in range(len(pins)):
        p, q = pins[k], after[k]
        d = (q - p) / SHOE["pitch"]
        axes = np.array([[d[0], -d[1], 0], [d[1], d[0], 0], [0, 0, 1.0]])
        centre = 0.5 * (p + q)
        part = model.part(f"shoe {k + 1}", SHOE["mass"], SHOE["inertia"], flat(centre), axes=axes)
        color = "STEEL" if k % 2 else "DARKGRAY"
        plates.append(
            model.plane_curve(part, outline, flat(centre), Z, flat(d), bulge=corners, width=SHOE["width"], color=color)
        )
        for side in (-1, 1):
            drawing.block(
                model,
                part,
                flat(centre, side * 0.13),
                (SHOE["wheel"], SHOE["height"], 0.12),
                x=flat(d),
                z=Z,
                color=color,
            )
        for offset in SHOE["pins"]:
            ends = (flat(centre + offset * d, h) for h in (-0.5 * SHOE["width"], 0.5 * SHOE["width"]))
            rods.append(model.cylinder(part, *ends, SHOE["pin"], color="WHITE"))
        # a shoe stands on its two lower edges: the motion is plane, so that a ball is enough of an edge
        for side in (-1, 1):
            edge = flat(centre + side * low[0] * d + low[1] * np.array([-d[1], d[0]]))
            edges.append(model.sphere(part, edge, ROUNDING, color="BLACK"))
        parts.append(part)
    return parts, plates, rods, edges


def tracked_side(
    shoes: int = 63,
    *,
    torque: float = 3000.0,
    rise: tuple[float, float] = (0.5, 1.0),
    gravity: float = 9.81,
    pin_damping: float = 5.0,
    slope: float = 0.0,
    name: str = "tracked side",
    ground: dict | None = None,
    **contact,
) -> Model:
    """One side of an M113 in the xy plane (x forward, y up, 0 at the centre of the sprocket), SI units, with half of
    the hull's mass.

    ``torque`` (N m) of the hull on the sprocket, forward positive, by STEP over the times ``rise``: before that the
    track settles; ``slope`` of the ground (rad, uphill positive: gravity is turned, the ground stays y = const);
    ``pin_damping`` (N m s) of each pin.  The track is drawn with 18 mm of slack at the idler, which the tensioner takes
    up to some 19 kN; preloads of the torsion bars hold hull and track level then.
    ``contact``: fields of all contacts in place of stiffness 2e8 N/m^1.5, damping 2e4 N s/m over 1 mm, friction 0.4
    (0.8 on the ground) at 0.05 and 0.1 m/s; ``ground``: fields of the contact with the ground alone.

    Names: parts "hull", "sprocket", "idler", "carrier", "wheel 1" to "wheel 5", "arm 1".., "shoe 1" to "shoe n"
    (counter-clockwise from the front), constraints "pin 1".. (pin k after shoe k), forces "tensioner", "torsion bar
    1"..., "drive", contacts "sprocket teeth", "wheels on track", "ground", request "motion": x, y and x' of the hull,
    sprocket against hull (rad/s), travel of the idler. Raises `ModelError` for a track whose length does not fit and
    for invalid numbers.
    """
    if not rise[0] < rise[1]:
        raise ModelError(f"the torque must rise from an earlier to a later time, rise={rise} does not")
    if not pin_damping >= 0.0:
        raise ModelError(f"the damping of pins must not be negative, it is {pin_damping:g}")
    if not abs(slope) < 0.5 * math.pi:
        raise ModelError(f"the slope must be below a right angle, it is {slope:g} rad")
    model = Model(name, units="SI")
    model.gravity = (-gravity * math.sin(slope), -gravity * math.cos(slope), 0.0)
    earth = model.ground
    pins, idler_place = _lay(shoes)

    hull = model.part("hull", CHASSIS["mass"], (CHASSIS["inertia"],) * 3, flat(CHASSIS["centre"]))
    model.planar(hull, earth, "plane of the hull", at=flat(CHASSIS["centre"]), axis=Z)
    drawing.block(model, hull, (-2.0, 0.65, -0.45), (4.7, 0.6, 0.5), color="GREEN")
    drawing.block(model, hull, (-2.0, 0.1, -0.55), (3.6, 0.5, 0.3), color="GREEN")
    axle, teeth = _sprocket(model, hull)
    rims = _road_wheels(model, hull, pins, gravity)
    rim, slide = _idler(model, hull, idler_place)
    rims.append(rim)
    parts, plates, rods, edges = _shoes(model, pins)
    pin_in_a_loop(model, parts, np.roll(pins, -1, axis=0), pin_damping)
    model.planar(parts[0], earth, "plane of the track", at=flat(pins[0]), axis=Z)

    floor = float(pins[:, 1].min()) - 0.5 * SHOE["height"]
    soil = model.plane(earth, (0.0, floor, 0.0), (0, 1, 0), x=(1, 0, 0), color="TAN")
    given: dict = (
        dict(
            stiffness=2e8,
            exponent=1.5,
            damping=2e4,
            dmax=1e-3,
            mu=0.4,
            stiction_transition_velocity=0.05,
            friction_transition_velocity=0.1,
        )
        | contact
    )
    model.contact(rods, teeth, name="sprocket teeth", **given)
    model.contact(rims, plates, name="wheels on track", **given)
    model.contact(edges, soil, name="ground", **(given | {"mu": 0.8} | (ground or {})))

    model.sforce(axle.i, axle.j, f"STEP(TIME,{rise[0]!r},0,{rise[1]!r},{-torque!r})", "drive", kind="ROTATIONAL")
    model.request(
        "motion",
        functions={
            "F2": f"DX({hull.cm})",
            "F3": f"DY({hull.cm})",
            "F4": f"VX({hull.cm})",
            "F5": f"WZ({axle.i},{axle.j})",
            "F6": f"DZ({slide.i},{slide.j},{slide.j})",
        },
    )
    return model
