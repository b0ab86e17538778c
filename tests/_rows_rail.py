"""Numbers of rail vehicles in closed form, SI: straight track along x, wheels that are cylinders, so that they roll at
their radius."""

import math
from types import SimpleNamespace
from unittest import mock

import numpy as np
from scipy.optimize import brentq
from scipy.special import ellipe, ellipk

import holonom as hn
from _built import Built, Row
from holonom.rail import (
    COACH,
    bogie,
    car_body,
    cone,
    cooperrider,
    draw_track,
    least_damped,
    rail_vehicle,
    round_head,
    stability,
    uic60,
    wheelset,
)
from holonom.rail.cooperrider_bogie import DATA

ROWS = []
G = 9.81


def row(builder, build, given, changed, measure, closed, **more):
    ROWS.append(Row(builder, build, given, changed, measure, closed, **more))


def on_track(build, **words):
    m = hn.Model("track")
    m.gravity = (0.0, 0.0, -G)
    track = m.rail_track(rail=uic60(), gauge=1.435, inclination=1.0 / 40.0)
    return build(m, track, profile=cone(0.0), **words), m


def where(model, marker):
    """A marker in space."""
    part = model.table("PART")[model.table("MARKER")[int(marker)].part]
    frame = model.body_frame(part)
    return np.asarray(frame.origin) + frame.axes @ np.asarray(model.table("MARKER")[int(marker)].frame.origin)


def axes_of(model, part):
    return np.asarray(model.body_frame(part).axes)


# ---- a wheelset ----------------------------------------------------------------------------------------------------
def wheelset_measure(made):
    w, m = made
    wheels = [where(m, k.id) for k in w.wheels]
    boxes = [where(m, k.id) for k in w.boxes]
    middle = 0.5 * (wheels[0] + wheels[1])
    across = wheels[0] - wheels[1]
    return [
        *(w.part.mass, *w.part.ip, w.box.mass, *w.box.ip),
        *(middle[0], middle[1], np.linalg.norm(across), np.linalg.norm(boxes[0] - boxes[1])),
        math.atan2(-across[0], across[1]),
        *(w.part.vx, w.part.wy, *(c.radius for c in w.contacts)),
    ]


def wheelset_closed(speed, s, y, yaw, mass, inertia, radius, spacing, box_mass, box_inertia, box_spread):
    out = [mass, *inertia, box_mass, *box_inertia, s, y, spacing, box_spread, yaw, speed]
    return [*out, speed / radius, radius, radius]


WHEELSET = {
    "speed": 20.0,
    "s": 3.0,
    "y": 0.0,
    "yaw": 0.0,
    "mass": 1613.0,
    "inertia": (1020.0, 107.0, 1020.0),
    "radius": 0.46,
    "spacing": 1.5,
    "box_mass": 200.0,
    "box_inertia": (100.0, 5.0, 100.0),
    "box_spread": 2.0,
}
row(
    "rail.wheelset",
    lambda **words: on_track(wheelset, load=1.2e5, mu=0.3, **words),
    WHEELSET,
    {
        "speed": 30.0,
        "s": 5.0,
        "y": 2e-3,
        "yaw": 1e-3,
        "mass": 1500.0,
        "inertia": (1000.0, 110.0, 1030.0),
        "radius": 0.5,
        "spacing": 1.49,
        "box_mass": 150.0,
        "box_inertia": (90.0, 6.0, 95.0),
        "box_spread": 1.9,
    },
    wheelset_measure,
    wheelset_closed,
    rel=1e-6,
)


# ---- a bogie -------------------------------------------------------------------------------------------------------
def spring_numbers(e):
    return [*e.k, *e.c, *e.kt, *e.force]


def bogie_measure(made):
    b, m = made
    frame = b.frame
    out = [frame.mass, *frame.ip, *m.body_frame(frame).origin, frame.vx]
    for spring in (b.primary[0], b.primary[-1]):
        out += [*spring_numbers(spring), *where(m, spring.j)[:2]]
    out += [v for p in b.pivots for v in where(m, p.id)]
    return [*out, *(w.part.mass for w in b.wheelsets), b.wheelsets[0].load, b.wheelsets[0].part.ip[1]]


def bogie_closed(load, speed, s, y, frame, wheelset, wheelbase, primary, secondary):
    out = [frame["mass"], *frame["inertia"], s, y, frame["height"], speed]
    carried = 0.25 * (load + frame["mass"] * G)
    for end, side in ((0.5, 0.5), (-0.5, -0.5)):
        out += [*primary["k"], *primary["c"], *primary.get("kt", (0.0,) * 3), 0.0, 0.0, -carried]
        out += [s + end * wheelbase, y + side * wheelset["box_spread"]]
    for side in (0.5, -0.5):
        out += [s, y + side * secondary["spread"], secondary["height"]]
    weight = (wheelset["mass"] + wheelset["box_mass"]) * G
    return [
        *(*out, wheelset["mass"], wheelset["mass"]),
        0.5 * (load + frame["mass"] * G) + weight,
        wheelset["inertia"][1],
    ]


def build_bogie(load, speed, s, y, **data):
    return on_track(bogie, load=load, speed=speed, s=s, y=y, data=data, mu=0.3)


KEPT = ("frame", "wheelset", "wheelbase", "primary", "secondary")
BOGIE = {"load": 1.6e5, "speed": 20.0, "s": 10.0, "y": 0.0, **{w: COACH[w] for w in KEPT}}
row(
    "rail.bogie",
    build_bogie,
    BOGIE,
    {
        "load": 1.4e5,
        "speed": 30.0,
        "s": 12.0,
        "y": 1e-3,
        "frame": {"mass": 3000.0, "inertia": (1700.0, 1500.0, 3000.0), "height": 0.65},
        "wheelset": {**COACH["wheelset"], "mass": 1500.0, "box_mass": 180.0, "box_spread": 1.9},
        "wheelbase": 2.4,
        "primary": {"k": (3e7, 4e6, 1.1e6), "c": (1e4, 3e3, 5e3), "kt": (1e4, 2e4, 3e4)},
        "secondary": {**COACH["secondary"], "height": 0.9, "spread": 1.8},
    },
    bogie_measure,
    bogie_closed,
    rel=1e-6,
)


# ---- a coach -------------------------------------------------------------------------------------------------------
def coach_measure(made):
    v, m = made
    b = Built(m)
    body = v.body
    out = [body.mass, *body.ip, *m.body_frame(body).origin, body.vx]
    out += [m.body_frame(x.frame).origin[0] for x in v.bogies]
    for name in ("coach front left secondary", "coach rear right secondary", "coach front traction and roll bar"):
        spring = b.named("BUSHING", name)
        out += [*spring_numbers(spring), *where(m, spring.i), *where(m, spring.j)]
    return [*out, v.bogies[0].load, v.bogies[1].wheelsets[1].load]


def coach_closed(speed, s, body, pivots, secondary, traction, roll_bar):
    out = [body["mass"], *body["inertia"], s, 0.0, body["height"], speed, s + 0.5 * pivots, s - 0.5 * pivots]
    for end, side in ((0.5, 0.5), (-0.5, -0.5)):
        at = [s + end * pivots, side * secondary["spread"], secondary["height"]]
        out += [*secondary["k"], *secondary["c"], *secondary["kt"], 0.0, 0.0, 0.25 * body["mass"] * G, *at, *at]
    at = [s + 0.5 * pivots, 0.0, secondary["height"]]
    out += [*traction["k"], *traction["c"], roll_bar, 0.0, 0.0, 0.0, 0.0, 0.0, *at, *at]
    below = 2.0 * COACH["frame"]["mass"] + 4.0 * (COACH["wheelset"]["mass"] + COACH["wheelset"]["box_mass"])
    return [*out, 0.5 * body["mass"] * G, 0.25 * (body["mass"] + below) * G]


def build_coach(speed, s, **data):
    return on_track(rail_vehicle, speed=speed, s=s, data=data, mu=0.3)


row(
    "rail.rail_vehicle",
    build_coach,
    {"speed": 20.0, "s": 30.0, **{w: COACH[w] for w in ("body", "pivots", "secondary", "traction", "roll_bar")}},
    {
        "speed": 30.0,
        "s": 25.0,
        "body": {"mass": 30000.0, "inertia": (5e4, 1.8e6, 1.9e6), "height": 1.7},
        "pivots": 18.0,
        "secondary": {
            "k": (1.5e5, 1.7e5, 4e5),
            "kt": (1e4, 1.1e4, 5e2),
            "c": (2e4, 3e4, 1.5e4),
            "height": 0.9,
            "spread": 1.8,
        },
        "traction": {"k": (4e6, 1e3, 2e3), "c": (2e4, 1e2, 2e2)},
        "roll_bar": 8e5,
    },
    coach_measure,
    coach_closed,
    rel=1e-6,
)


# ---- Cooperrider's bogie -------------------------------------------------------------------------------------------
def driven_along(model):
    """Direction of the joint that a motion drives, and 1 where the body, not ground, is its I part."""
    (motion,) = model.table("MOTION").values()
    joint = model.table("JOINT")[motion.joint]
    marker = model.table("MARKER")[joint.i]
    frame = model.body_frame(model.table("PART")[marker.part])
    return [*(frame.axes @ marker.frame.axes)[:, 2], float(Built(model).owner(joint.i) == "body")]


def flat_hertz(load, one, other, young=210e9, poisson=0.27):
    """a b of a body with the radius ``one`` along and a body with ``other`` across (Johnson 1985, 4.28)."""

    def of(e2, what):
        K, E, q = ellipk(e2), ellipe(e2), 1.0 / (1.0 - e2)
        if what == "curvatures":
            return (q * E - K) / (K - E)
        return (4.0 / (math.pi * e2)) ** (1.0 / 3.0) * q**-0.25 * ((q * E - K) * (K - E)) ** (1.0 / 6.0)

    e2 = brentq(lambda v: of(v, "curvatures") - max(one, other) / min(one, other), 1e-9, 1.0 - 1e-9)
    c3 = 0.75 * load * math.sqrt(one * other) * 2.0 * (1.0 - poisson**2) / young * of(e2, "F1") ** 3
    return c3 ** (2.0 / 3.0)


def cooperrider_measure(made):
    model, b = made
    w, body = b.wheelsets[0], Built(model, TIME=2.0)
    wheel = w.contacts[0]
    profile = np.asarray(wheel.profile, float)
    (track,) = model.table("RAIL_TRACK").values()
    out = [w.box.mass, *w.box.ip, *driven_along(model), body.motion("drive"), body.part("body").vx]
    out += [b.frame.mass, *b.frame.ip, b.frame.vx, *model.body_frame(b.frame).origin, *body.place("body")]
    out += [w.part.mass, *w.part.ip, *b.primary[0].k, *where(model, b.primary[0].i)[:2], wheel.radius]
    for e in model.table("BUSHING").values():
        if e.name.startswith("secondary"):
            out += [*e.k, *e.c, *e.force, *where(model, e.i), *where(model, e.j)]
    yaw = body.named("BUSHING", "traction and yaw")
    out += [*yaw.k, *yaw.c, *yaw.kt, *where(model, yaw.i), *where(model, yaw.j)]
    out += [b.load, np.linalg.norm(where(model, w.wheels[0].id) - where(model, w.wheels[1].id))]
    out += [-np.ptp(profile[:, 1]) / np.ptp(profile[:, 0]), track.gauge, *wheel.coefficients]
    return out


def cooperrider_closed(speed, y):
    d = DATA
    # lambda = g (a + R g) / (a - r0 g) (Wickens): a quadratic of the cone's angle
    B, R = d["a"] + d["lambda"] * d["r0"], 0.3
    cone_angle = (math.sqrt(B * B + 4.0 * R * d["lambda"] * d["a"]) - B) / (2.0 * R)
    load = 4.0 * d["wheel"] - (2.0 * d["m_w"] + d["m_f"]) * G
    low, high = d["r0"] + d["h1"], d["r0"] + d["h1"] + d["h2"]
    # boxes are of the wheelsets; the body is driven along x against ground
    out = [1.0, 0.5, 0.5, 0.5, 1.0, 0.0, 0.0, 1.0, 2.0 * speed, speed]
    out += [d["m_f"], *(d["i_f"],) * 3, speed, 0.0, y, low, 0.0, 0.0, high]
    out += [d["m_w"] - 1.0, d["i_w"], d["spin"], d["i_w"]]
    out += [d["k2"], d["k1"], d["k3"], d["b"], y + d["d1"], d["r0"]]
    for sign in (1.0, -1.0):
        out += [0.0, d["k4"], d["k5"], 0.0, d["D2"], d["D1"], 0.0, 0.0, 0.5 * load]
        out += [0.0, sign * d["d2"], high, 0.0, y + sign * d["d2"], high]
    out += [5e6, 0.0, 0.0, 25e3, 0.0, 0.0, 0.0, 0.0, d["k6"], *(0.0, y, low) * 2]
    unit = flat_hertz(d["wheel"], d["r0"], R) * 210e9 / (2.0 * 1.27)
    # heads 60 mm wide, inclined 1:40: crowns outside of the contacts, gauge faces at the edges
    gauge = 2.0 * (d["a"] + R * math.sin(math.atan(cone_angle)) - R * math.sin(math.asin(0.03 / R) + math.atan(0.025)))
    creep = [d["shear"] / d["phi"] / unit, d["shear"] / d["psi"] / unit, 0.0, 0.0]
    return [*out, load, 2.0 * d["a"], -cone_angle, gauge, *creep]


row(
    "rail.cooperrider",
    lambda speed, y: cooperrider(speed, y=y),
    {"speed": 60.0, "y": 0.0},
    {"speed": 70.0, "y": 1e-3},
    cooperrider_measure,
    cooperrider_closed,
    rel=1e-6,
)


def rolled_measure(made):
    w, m = made
    lean = axes_of(m, w.part)
    return [lean[2, 1], *(m.body_frame(w.part).origin[1:]), w.part.wy]


def rolled_closed(speed, y):
    """A cone of 0.05 on round heads, moved by y, with hardly any load: roll g y/(a - r0 g) to first order (Wickens),
    and the height at which both treads touch the circles of their heads."""
    a, r0, g, R = 0.75, 0.46, 0.05, 0.3
    return [g * y / (a - r0 * g), y, r0 - R * (1.0 - math.cos(math.atan(g))), speed / r0]


def on_heads(speed, y):
    m = hn.Model("round heads")
    m.gravity = (0.0, 0.0, -G)
    gauge = 1.5 + 2.0 * 0.3 * math.sin(math.atan(0.05)) - 0.06
    track = m.rail_track(rail=round_head(0.3), gauge=gauge, inclination=0.0)
    return wheelset(m, track, profile=cone(0.05), load=1e-2, speed=speed, y=y, spacing=1.5, mu=0.3), m


row(
    "rail.wheelset",
    on_heads,
    {"speed": 20.0, "y": 1e-3},
    {"speed": 30.0, "y": -2e-3},
    rolled_measure,
    rolled_closed,
    rel=5e-5,
)


# ---- a flexible body -----------------------------------------------------------------------------------------------
COARSE = {"cells": 24, "across": 8}


def body_measure(body):
    at = {s.id: np.asarray(s.at) for s in body.elements.spiders}
    x, y, z = body.mesh.points.T
    seats = [v for k in (body.seats[0], body.seats[-1]) for v in at[k]]
    return [
        *(body.elements.M.tocsr()[::6, ::6].sum(), np.ptp(x), np.ptp(y), z.min(), z.max()),
        *seats,
        len(set(np.round(x, 9))),
        len(set(np.round(y, 9))),
    ]


def body_closed(mass, length, width, floor, eaves, rise, deep, pivots, spread, cells, across):
    half = [0.5 * pivots, 0.5 * spread, floor]
    return [mass, length, width, floor, eaves + rise, *half, -half[0], -half[1], floor, cells + 1, across + 1]


row(
    "rail.car_body",
    car_body,
    {
        "mass": 32000.0,
        "length": 24.0,
        "width": 2.8,
        "floor": 0.925,
        "eaves": 3.3,
        "rise": 0.5,
        "deep": 0.2,
        "pivots": 19.0,
        "spread": 2.0,
        **COARSE,
    },
    {
        "mass": 30000.0,
        "width": 2.9,
        "floor": 0.9,
        "eaves": 3.2,
        "rise": 0.4,
        "pivots": 18.8,
        "spread": 1.8,
    },
    body_measure,
    body_closed,
    dear=True,
)
row(
    "rail.car_body",
    lambda **words: car_body(**words),
    COARSE,
    {"cells": 26, "across": 10},
    lambda body: [len(set(np.round(body.mesh.points[:, k], 9))) for k in (0, 1)],
    lambda cells, across: [cells + 1, across + 1],
)


def height_of(load):
    w, m = on_track(wheelset, load=load, mu=0.3)
    return m.body_frame(w.part).origin[2]


def sunk(load):
    """How far a load lets a wheelset sink, over what 1 kN does; from a wheelset of a thousandth of a newton on."""
    none = height_of(1e-3)
    return [(none - height_of(load)) / (none - height_of(1e3))]


row(
    "rail.wheelset",
    lambda load: load,
    {"load": 1.2e5},
    {"load": 8e4},
    sunk,
    lambda load: [(load / 1e3) ** (2.0 / 3.0)],  # Hertz; the first thousandth sinks by 1e-4 of 1 kN
    rel=2e-4,
)
row(
    "rail.bogie",
    lambda yaw: on_track(bogie, load=1.6e5, yaw=yaw, mu=0.3),
    {"yaw": 0.0},
    {"yaw": 2e-3},
    lambda made: [1.0 + math.atan2(a[1], a[0]) for w in made[0].wheelsets for a in [axes_of(made[1], w.part)[:, 0]]],
    lambda yaw: [1.0 + yaw, 1.0 + yaw],
    rel=1e-7,
)
row(
    "rail.rail_vehicle",
    lambda y: on_track(rail_vehicle, speed=20.0, s=30.0, y=y, mu=0.3),
    {"y": 0.0},
    {"y": 1e-3},
    lambda made: [
        1.0 + made[1].body_frame(p).origin[1]
        for p in (made[0].body, *(x for b in made[0].bogies for x in (b.frame, *(w.part for w in b.wheelsets))))
    ],
    lambda y: [1.0 + y] * 7,
    rel=1e-7,
)


def drawn(start, end, every):
    """Pieces of both rails: their number, length and ends along the track."""
    m = hn.Model("drawn")
    draw_track(m, m.rail_track(rail=uic60(), gauge=1.435, inclination=0.0), start, end, every)
    boxes = list(m.table("GRAPHICS").values())
    sizes = np.array([[b.arguments[w] for w in "xyz"] for b in boxes])
    corners = []
    for b in boxes:
        marker = m.table("MARKER")[int(b.arguments["corner"])]
        size = [b.arguments[w] for w in "xyz"]
        for k in range(8):
            corner = [size[i] if k >> i & 1 else 0.0 for i in range(3)]
            corners.append(np.asarray(marker.frame.origin) + np.asarray(marker.frame.axes) @ corner)
    x = np.array(corners)[:, 0]
    return [len(boxes), sizes.max(), x.min(), x.max()]


row(
    "rail.draw_track",
    drawn,
    {"start": 2.0, "end": 12.0, "every": 4.0},
    {"start": 1.0, "end": 15.0, "every": 2.0},
    lambda found: found,
    lambda start, end, every: [2 * (n := math.ceil((end - start) / every)), (end - start) / n, start, end],
)


def least(slowest, fastest):
    """Of four oscillations of 0.1, 1, 3 and 10 Hz, damped less and less, and of one number that does not oscillate."""
    values = np.array([-0.5 + 0.2j * math.pi, -3 + 2j * math.pi, -2 + 6j * math.pi, -1 + 20j * math.pi])
    values = np.concatenate([values, values.conj(), [5.0]])
    with mock.patch.object(stability, "linearize", lambda _: SimpleNamespace(eigenvalues=values)):
        found = least_damped(None, slowest, fastest)
    return [found.real, found.imag]


row(
    "rail.least_damped",
    least,
    {"slowest": 0.5, "fastest": 20.0},
    {"slowest": 0.05, "fastest": 5.0},
    lambda found: found,
    lambda slowest, fastest: max(
        (
            [-d, 2.0 * math.pi * f]
            for f, d in ((0.1, 0.5), (1.0, 3.0), (3.0, 2.0), (10.0, 1.0))
            if slowest <= f <= fastest
        )
    ),
)
