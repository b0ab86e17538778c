"""Numbers of machines in closed form; N, m, kg, s, but for gears and valves: mm."""

import importlib
import math
from unittest import mock

import numpy as np

import holonom as hn
from _built import Built, Row
from holonom.machinery import (
    CamProgram,
    DiscBrake,
    GearPair,
    RollingBearing,
    add_brake,
    bevel_pair,
    braking_rig,
    chain_drive,
    clutch_rig,
    gear_pair,
    pad_on_disc,
    planetary_set,
    table_bearing,
    timing_belt,
    tracked_side,
    two_stage_gearbox,
    valve_train,
)

#: the module, whose functions are replaced
gear_train = importlib.import_module("holonom.machinery.gear_train")
STEEL = 7.85e-6  # kg/mm^3
ROWS = []


def row(builder, build, given, changed, measure, closed, **more):
    ROWS.append(Row(builder, build, given, changed, measure, closed, **more))


def turned(speed, rise, t):
    """A speed that rises evenly, over time, beyond the rise."""
    return speed * (t - 0.5 * rise)


# ---- timing belt: strands of EA/l, half of the damper in each ------------------------------------------------------
BELT = {
    "radii": (0.02, 0.06),
    "stiffness": 2e6,
    "distance": 0.2,
    "tension": 300.0,
    "damping": 0.02,
    "speed": 100.0,
    "load": 2.0,
    "rise": 0.2,
    "inertia": (1e-5, 5e-4),
    "play": 1e-6,
}


def belt_measure(m):
    b = Built(m, **{"AZ(driver)": 0.002, "AZ(follower)": 0.0005, "WZ(driver)": 3.0, "WZ(follower)": 0.5})
    driver, follower = b.part("driver"), b.part("follower")
    return [
        *(b.value(f) for f in b.named("REQUEST", "strands").functions.values()),
        b.force("SFORCE", "belt on driver"),
        b.force("SFORCE", "belt on follower"),
        b.at(TIME=0.1).force("SFORCE", "load"),
        b.at(TIME=1.0).motion("drive"),
        *(driver.ip[2], follower.ip[2], driver.mass, follower.mass, b.place("follower")[0]),
    ]


def belt_closed(radii, stiffness, distance, tension, damping, speed, load, rise, inertia, play):
    a, b = radii
    k = stiffness / math.sqrt(distance**2 - (a - b) ** 2)
    ratio = 0.5 * damping  # of J f'' + c b^2 f' + 2 k b^2 f: c b^2 = 2 ratio sqrt(2 k b^2 J)
    c = 2.0 * ratio * math.sqrt(2.0 * k * inertia[1]) / b
    lead = a * 0.002 - b * 0.0005 - 0.5 * play
    pull = 2.0 * k * lead + c * (a * 3.0 - b * 0.5)
    x = 0.1 / rise
    return [
        *(tension + 0.5 * pull, tension - 0.5 * pull, -a * pull, b * pull),
        -load * (x * x * (3.0 - 2.0 * x) if x < 1.0 else 1.0),
        turned(speed, rise, 1.0),
        *(inertia[0], inertia[1], 2.0 * inertia[0] / a**2, 2.0 * inertia[1] / b**2, distance),
    ]


row(
    "machinery.timing_belt",
    timing_belt,
    BELT,
    {
        "radii": (0.021, 0.058),
        "stiffness": 1e6,
        "distance": 0.3,
        "tension": 450.0,
        "damping": 0.05,
        "speed": 70.0,
        "load": 3.0,
        "rise": 0.15,
        "inertia": (2e-5, 8e-4),
        "play": 3e-6,
    },
    belt_measure,
    belt_closed,
)

# ---- valve train ---------------------------------------------------------------------------------------------------
CAM = CamProgram((("rise", 1.4, "3-4-5"), ("return", 1.4, "3-4-5"), ("dwell", 2 * math.pi - 2.8, "")), 8.0)
VALVE = {
    "speed": 150.0,
    "rise": 0.05,
    "base": 20.0,
    "tappet": 0.08,
    "valve": 0.1,
    "pushrod": 2e4,
    "contact": 5e4,
    "spring": 40.0,
    "preload": 300.0,
    "lash": 0.05,
    "damping": 0.03,
}
VALVE_STATE = {
    "AZ(cam)": 0.8,
    "WZ(cam)": 120.0,
    "DY(tappet)": 4.2,
    "VY(tappet)": 300.0,
    "DY(valve)": 4.1,
    "VY(valve)": 250.0,
}


def valve_measure(m):
    b = Built(m, **VALVE_STATE)
    return [
        b.force("VFORCE", "contact")[1],
        b.force("SFORCE", "torque of the contact"),
        b.force("VFORCE", "pushrod and spring on the valve")[1],
        b.force("VFORCE", "pushrod on the tappet")[1],
        b.at(TIME=1.0).motion("drive"),
        b.part("tappet").mass,
        b.part("valve").mass,
        b.place("tappet")[1],
        b.place("valve")[1],
    ]


def valve_closed(speed, rise, base, tappet, valve, pushrod, contact, spring, preload, lash, damping):
    s, v, _ = (float(x) for x in CAM(0.8))
    depth = s - lash - 4.2
    c = 2.0 * damping * math.sqrt(contact * 1e3 * tappet) * 1e-3  # N s/mm of N/m, kg
    push = contact * depth + c * (v * 120.0 - 300.0)
    reduced = tappet * valve / (tappet + valve)
    rod = pushrod * 0.1 + 2.0 * damping * math.sqrt(pushrod * 1e3 * reduced) * 1e-3 * 50.0
    return [
        push,
        -push * v,
        rod - spring * 4.1 - preload,
        -rod,
        turned(speed, rise, 1.0),
        tappet,
        valve,
        base + 10.0,
        base + 60.0,
    ]


row(
    "machinery.valve_train",
    lambda **words: valve_train(CAM, **words),
    VALVE,
    {
        "speed": 100.0,
        "rise": 0.1,
        "base": 25.0,
        "tappet": 0.1,
        "valve": 0.12,
        "pushrod": 1e4,
        "contact": 4e4,
        "spring": 60.0,
        "preload": 200.0,
        "lash": 0.1,
        "damping": 0.06,
    },
    valve_measure,
    valve_closed,
    rel=1e-5,  # the model reads the cam from a table
)


# ---- gears ---------------------------------------------------------------------------------------------------------
def disc(radius, width):
    """Mass, inertia about and across the axis of a disc of steel."""
    mass = STEEL * math.pi * radius**2 * width
    return mass, 0.5 * mass * radius**2, mass * (3.0 * radius**2 + width**2) / 12.0


def mesh_force(pair, load, stretch, rate, inertia, damping):
    """Of a mesh of mean stiffness: k d + c d', with c of the ratio of the pair's own oscillation."""
    k = float(pair.mesh(load).stiffness.mean())
    r = pair.base_radii
    moved = 1.0 / (r[0] ** 2 / inertia[0] + r[1] ** 2 / inertia[1])
    return k * stretch + 2.0 * damping * math.sqrt(k * 1e3 * moved) * 1e-3 * rate


def pair_measure(m):
    state = {"AZ(pinion)": 2e-3, "AZ(wheel)": -1.0e-3, "WZ(pinion)": 2.0, "WZ(wheel)": -1.2}
    b = Built(m, **state)
    one, two = (b.force("GFORCE", f"mesh on gear {k}") for k in (1, 2))
    return [
        b.variable("mesh force"),
        *(-one[1], two[1], -one[5], -two[5]),
        b.at(TIME=0.02).force("SFORCE", "load"),
        b.at(TIME=1.0).motion("drive"),
        *(b.part(p).ip[2] for p in ("pinion", "wheel")),
        *(b.part(p).mass for p in ("pinion", "wheel")),
    ]


PAIR = GearPair((20, 30), 4.0)


def pair_closed(speed, torque, rise, inertia, damping, friction):
    r1, r2 = PAIR.base_radii
    F = mesh_force(PAIR, torque / r2, r1 * 2e-3 - r2 * 1e-3, r1 * 2.0 - r2 * 1.2, inertia, damping)
    x = min(0.02 / rise, 1.0)
    # along the line of action, 20 degrees to the tangent; turning both by the base radii
    across = F * math.cos(math.radians(20.0))
    return [
        *(F, across, across, r1 * F, r2 * F),
        torque * x * x * (3.0 - 2.0 * x),
        turned(speed, rise, 1.0),
        *inertia,
        *(disc(0.5 * 4.0 * z, PAIR.width)[0] for z in (20, 30)),
    ]


row(
    "machinery.gear_pair",
    lambda friction=0.0, **words: gear_pair(PAIR, constant=True, friction=friction, **words),
    {"speed": 100.0, "torque": 1e5, "rise": 0.05, "inertia": (500.0, 2500.0), "damping": 0.05, "friction": 0.0},
    {"speed": 60.0, "torque": 2e5, "rise": 0.04, "inertia": (800.0, 2000.0), "damping": 0.1},
    pair_measure,
    pair_closed,
)


def planets_measure(m):
    b = Built(m)
    out = []
    for p in ("sun", "ring", "carrier", "planet 1"):
        part = b.part(p)
        out += [part.mass, part.ip[2], part.ip[0]]
    out += [b.at(TIME=0.02).force("SFORCE", "load"), b.at(TIME=1.0).motion("drive"), *b.place("planet 2")[:2]]
    return [*out, sum(p.name.startswith("planet ") for p in m.table("PART").values())]


def planets_closed(teeth, planets, module, width, speed, torque, rise):
    sun, planet, ring = teeth
    a = 0.5 * module * (sun + planet)
    inner, outer = 0.5 * module * ring, 1.15 * (0.5 * module * ring + 1.25 * module)
    mass = STEEL * math.pi * (outer**2 - inner**2) * width
    about = 0.5 * mass * (outer**2 + inner**2)
    hollow = [mass, about, 0.5 * about + mass * width**2 / 12.0]
    discs = [disc(0.5 * module * sun, width), hollow, disc(a, 0.5 * width), disc(0.5 * module * planet, width)]
    x = min(0.02 / rise, 1.0)
    angle = 2.0 * math.pi / planets
    return [
        *(v for d in discs for v in d),
        *(-torque * x * x * (3.0 - 2.0 * x), turned(speed, rise, 1.0)),
        *(a * math.cos(angle), a * math.sin(angle), planets),
    ]


row(
    "machinery.planetary_set",
    lambda teeth, **words: planetary_set(*teeth, **words),
    {"teeth": (24, 24, 72), "planets": 3, "module": 2.0, "width": 30.0, "speed": 100.0, "torque": 1e5, "rise": 0.05},
    {
        "teeth": (24, 30, 84),
        "planets": 4,
        "module": 3.0,
        "width": 20.0,
        "speed": 60.0,
        "torque": 2e5,
        "rise": 0.04,
    },
    planets_measure,
    planets_closed,
)


def planet_mesh_measure(m):
    b = Built(m, **{"AZ(sun)": 2e-3, "AZ(planet 1)": -1e-3, "WZ(sun)": 2.0, "WZ(planet 1)": -1.2})
    ring = b.at(**{"AZ(planet 1)": -2e-3, "AZ(ring)": -0.5e-3, "WZ(planet 1)": -2.0, "WZ(ring)": -0.5})
    return [b.variable("sun mesh 1 force"), ring.variable("ring mesh 1 force")]


def planet_mesh_closed(torque, damping):
    outer, inner = GearPair((24, 24), 2.0, width=30.0), GearPair((24, 72), 2.0, width=30.0, internal=True)
    s, p = outer.base_radii
    # the carrier takes the torque: a quarter of it on the sun, a third of that on each planet
    load = torque / 4.0 / 3.0 / s
    _, _, _, _, about, _, _, _, _, _, small, _, *_ = planets_closed((24, 24, 72), 3, 2.0, 30.0, 1.0, 1.0, 1.0)
    sun = disc(24.0, 30.0)[1]
    ring = planets_closed((24, 24, 72), 3, 2.0, 30.0, 1.0, 1.0, 1.0)[4]
    assert about == ring and small == sun
    r = inner.base_radii[1]
    return [
        mesh_force(outer, load, s * 2e-3 - p * 1e-3, s * 2.0 - p * 1.2, (sun, sun), damping),
        mesh_force(inner, load, p * 2e-3 - r * 0.5e-3, p * 2.0 - r * 0.5, (sun, ring), damping),
    ]


row(
    "machinery.planetary_set",
    lambda **words: planetary_set(level="mesh", constant=True, **words),
    {"torque": 1e5, "damping": 0.05},
    {"torque": 2e5, "damping": 0.1},
    planet_mesh_measure,
    planet_mesh_closed,
)


def bevel_measure(m):
    b = Built(m, **{"AZ(pinion)": 2e-3, "AZ(wheel)": -1.2e-3, "WZ(pinion)": 2.0, "WZ(wheel)": -1.2})
    out = [b.variable("mesh force"), b.at(TIME=0.02).force("SFORCE", "load"), b.at(TIME=1.0).motion("drive")]
    for p in ("pinion", "wheel"):
        out += [b.part(p).mass, b.part(p).ip[2], b.part(p).ip[0], *b.place(p)]
    return [*out, *b.force("GFORCE", "mesh on gear 1")]


def bevel_closed(teeth, module, width, speed, torque, rise, damping, shaft_angle):
    one = math.atan2(math.sin(shaft_angle), teeth[1] / teeth[0] + math.cos(shaft_angle))
    cones = (one, shaft_angle - one)
    length = 0.5 * module * teeth[0] / math.sin(one) - 0.5 * width  # to the middle of the teeth
    radii = [length * math.sin(c) for c in cones]
    share = length / (length + 0.5 * width)
    virtual = GearPair(tuple(round(z / math.cos(c)) for z, c in zip(teeth, cones)), module * share, width=width)
    x = min(0.02 / rise, 1.0)
    out, about = [], []
    for r, cone, z in zip(radii, cones, ((0, 0, 1), (math.sin(shaft_angle), 0, math.cos(shaft_angle)))):
        mass = STEEL * math.pi * r**2 * width * math.cos(cone)
        about.append(0.5 * mass * r**2)
        out += [mass, about[-1], 0.25 * mass * r**2 + mass * width**2 / 12.0]
        out += list(np.array(z) * length * math.cos(cone))
    cos = math.cos(math.radians(20.0))
    r = [cos * v for v in radii]
    k = float(virtual.mesh(torque / r[1]).stiffness.mean())
    c = 2.0 * damping * math.sqrt(k * 1e3 / (r[0] ** 2 / about[0] + r[1] ** 2 / about[1])) * 1e-3
    F = k * (r[0] * 2e-3 - r[1] * 1.2e-3) + c * (r[0] * 2.0 - r[1] * 1.2)
    # tangential, radial and axial force on the pinion at the middle of its teeth (Gleason), moments about the apex
    tangential = F * cos
    push = tangential * math.tan(math.radians(20.0))
    force = np.array([-push * math.cos(one), -tangential, push * math.sin(one)])
    moment = np.cross(length * np.array([math.sin(one), 0.0, math.cos(one)]), force)
    return [F, torque * x * x * (3.0 - 2.0 * x), turned(speed, rise, 1.0), *out, *force, *moment]


row(
    "machinery.bevel_pair",
    lambda **words: bevel_pair(level="mesh", constant=True, **words),
    {
        "teeth": (20, 30),
        "module": 4.0,
        "width": 25.0,
        "speed": 100.0,
        "torque": 1e5,
        "rise": 0.05,
        "damping": 0.05,
        "shaft_angle": 0.5 * math.pi,
    },
    {
        "teeth": (20, 28),
        "module": 3.0,
        "width": 20.0,
        "speed": 60.0,
        "torque": 2e5,
        "rise": 0.04,
        "damping": 0.1,
        "shaft_angle": 1.3,
    },
    bevel_measure,
    bevel_closed,
)


def gearbox_measure(m):
    b = Built(m, **{"AZ(input)": 2e-3, "AZ(layshaft)": -0.5e-3, "WZ(input)": 2.0, "WZ(layshaft)": -0.5})
    second = b.at(**{"AZ(layshaft)": -2e-3, "AZ(output)": 0.4e-3, "WZ(layshaft)": -2.0, "WZ(output)": 0.4})
    spring = b.named("SPRINGDAMPER", "coupling")
    out = [b.variable("mesh 1 force"), second.variable("mesh 2 force"), spring.kt, spring.ct]
    out += [b.at(TIME=0.1).force("SFORCE", "load"), b.at(TIME=10.0).motion("drive")]
    for p in ("motor", "input", "layshaft", "output"):
        out += [b.part(p).ip[2], b.part(p).mass, b.part(p).ip[0], *b.place(p)]
    return out


def gearbox_closed(speed, rise, torque, coupling, motor, load, damping):
    one = GearPair((23, 57), 2.5, width=25.0, backlash=0.08)
    two = GearPair((19, 61), 4.0, width=40.0, shift=(0.2, 0.0), backlash=0.1)
    d = [disc(0.5 * 2.5 * z, 25.0) for z in (23, 57)] + [disc(two.centre_distance * z / 80.0, 40.0) for z in (19, 61)]
    middle, end, both = d[1][1] + d[2][1], d[3][1] + load, d[1][0] + d[2][0]
    step, lay = 1.5 * 40.0, 0.5 * 2.5 * 80
    r, s = one.base_radii, two.base_radii
    return [
        mesh_force(
            one,
            torque * 19 / 61 / r[1],
            r[0] * 2e-3 - r[1] * 0.5e-3,
            r[0] * 2.0 - r[1] * 0.5,
            (d[0][1], middle),
            damping,
        ),
        mesh_force(two, torque / s[1], s[0] * 2e-3 - s[1] * 0.4e-3, s[0] * 2.0 - s[1] * 0.4, (middle, end), damping),
        coupling,
        2.0 * 0.02 * math.sqrt(coupling * 1e-3 * d[0][1]),  # N mm s of N mm and kg mm^2: 1 kg mm^2/s^2 is 1e-3 N mm
        -torque * (lambda x: x * x * (3.0 - 2.0 * x))(min(0.1 / (0.2 * rise), 1.0)),
        turned(speed, rise, 10.0),
        *(d[0][1] + motor, d[0][0], d[0][2] + 0.5 * motor, 0.0, 0.0, -2.0 * step),
        *(d[0][1], d[0][0], d[0][2], 0.0, 0.0, 0.0),
        # two gears half of a step each from the middle of their shaft
        *(middle, both, d[1][2] + d[2][2] + both * (0.5 * step) ** 2, lay, 0.0, 0.5 * step),
        *(end, d[3][0], d[3][2] + 0.5 * load, lay + two.centre_distance, 0.0, step),
    ]


row(
    "machinery.two_stage_gearbox",
    lambda **words: two_stage_gearbox(constant=True, **words),
    {"speed": 300.0, "rise": 1.0, "torque": 4e5, "coupling": 2e6, "motor": 2e3, "load": 2e5, "damping": 0.05},
    {"speed": 200.0, "rise": 0.8, "torque": 3e5, "coupling": 1e6, "motor": 3e3, "load": 1e5, "damping": 0.1},
    gearbox_measure,
    gearbox_closed,
    rel=1e-8,
)


# ---- brakes, clutches, bearings ------------------------------------------------------------------------------------
def brake_model(torque, slow, thickness, order, gain):
    m = hn.Model("brake")
    part = m.part("wheel", 1.0, (1.0, 1.0, 1.0), (0.0, 0.0, 0.0))
    shaft = m.revolute(part, m.ground, at=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0))
    add_brake(m, shaft, repr(torque), slow=slow, thickness=thickness, order=order, gain=gain)
    return m


row(
    "machinery.add_brake",
    brake_model,
    {"torque": 50.0, "slow": 0.1, "thickness": 1e-5, "order": 2, "gain": 4e5},
    {"torque": 70.0, "slow": 0.2, "thickness": 2e-5, "order": 3, "gain": 6e5},
    lambda m: [
        Built(m, **{"AZ(wheel)": 0.4, "WZ(wheel)": 0.07}).force("SFORCE", "brake"),
        float(Built(m).owner(Built(m).named("SFORCE", "brake").i) == "wheel"),
    ],
    lambda torque, slow, thickness, order, gain: [
        -(torque + gain * thickness * math.cos(order * 0.4)) * math.tanh(0.07 / slow),
        1.0,  # it is the wheel that the torque acts on, against its speed
    ],
)

DISC = DiscBrake(piston=0.05, inner=0.08, outer=0.14, mu=0.4)


def rig_measure(m):
    b = Built(m, **{"AZ(wheel)": 0.4, "WZ(wheel)": 0.03, "TIME": 0.1})
    wheel = b.part("wheel")
    return [b.force("SFORCE", "brake"), wheel.ip[2], wheel.wz]


def rig_closed(inertia, speed, actuation, rise, drag, slow, thickness, order, stiffness):
    area = math.pi * 0.05**2 / 4.0
    radius = 0.5 * (0.08 + 0.14)  # even wear
    torque = 2.0 * 0.4 * radius * area * actuation * min(0.1 / rise, 1.0)
    judder = 2.0 * 0.4 * radius * stiffness * thickness * math.cos(order * 0.4)
    return [-(torque + drag + judder) * math.tanh(0.03 / slow), inertia, speed]


row(
    "machinery.braking_rig",
    lambda **words: braking_rig(DISC, **words),
    {
        "inertia": 40.0,
        "speed": 80.0,
        "actuation": 4e6,
        "rise": 0.2,
        "drag": 10.0,
        "slow": 0.05,
        "thickness": 1e-5,
        "order": 2,
        "stiffness": 1e8,
    },
    {
        "inertia": 30.0,
        "speed": 60.0,
        "actuation": 3e6,
        "rise": 0.3,
        "drag": 20.0,
        "slow": 0.1,
        "thickness": 2e-5,
        "order": 3,
        "stiffness": 2e8,
    },
    rig_measure,
    rig_closed,
)

PAD = {
    "speed": 0.1,
    "mass": 1.0,
    "stiffness": 1e5,
    "damping": 5.0,
    "normal": 1000.0,
    "mu_static": 0.5,
    "mu_kinetic": 0.35,
    "decay": 0.3,
    "slow": 0.05,
}
row(
    "machinery.pad_on_disc",
    pad_on_disc,
    PAD,
    {
        "speed": 0.2,
        "mass": 2.0,
        "stiffness": 2e5,
        "damping": 9.0,
        "normal": 800.0,
        "mu_static": 0.6,
        "mu_kinetic": 0.3,
        "decay": 0.2,
        "slow": 0.1,
    },
    lambda m: [
        Built(m, **{"DX(pad)": 1e-3, "VX(pad)": 0.02}).force("VFORCE", "spring and friction")[0],
        Built(m).part("pad").mass,
    ],
    lambda speed, mass, stiffness, damping, normal, mu_static, mu_kinetic, decay, slow: [
        normal
        * (mu_kinetic + (mu_static - mu_kinetic) * math.exp(-(speed - 0.02) / decay))
        * math.tanh((speed - 0.02) / slow)
        - stiffness * 1e-3
        - damping * 0.02,
        mass,
    ],
)


def clutch_measure(m):
    b = Built(m, TIME=0.1)
    first, second = b.part("first"), b.part("second")
    out = [first.ip[2], second.ip[2], first.mass, second.mass, first.wz, second.wz]
    return [*out, b.force("SFORCE", "driving"), b.force("SFORCE", "load")]


row(
    "machinery.clutch_rig",
    clutch_rig,
    {"capacity": 100.0, "inertias": (0.5, 2.0), "speeds": (100.0, 10.0), "driving": 30.0, "load": 20.0},
    {"inertias": (0.8, 3.0), "speeds": (90.0, 5.0), "driving": 40.0, "load": 10.0},
    clutch_measure,
    lambda capacity, inertias, speeds, driving, load: [
        *(*inertias, 10.0 * inertias[0], 10.0 * inertias[1], *speeds, driving, -load)
    ],
)


def on_bearing(put):
    m = hn.Model("bearing")
    shaft = m.part("shaft", 1.0, (1.0, 1.0, 1.0), (0.0, 0.0, 0.0))
    put(m, m.marker(shaft), m.marker(m.ground))
    return m


MOVED = {"DX(shaft)": 3e-5, "DY(shaft)": 4e-5, "DZ(shaft)": 1e-5, "VX(shaft)": 0.1, "VY(shaft)": 0.2, "VZ(shaft)": 0.3}
row(
    "machinery.table_bearing",
    lambda stiffness, along, damping: on_bearing(
        lambda m, i, j: table_bearing(
            m,
            i,
            j,
            [(x, stiffness * x) for x in (0.0, 1e-4, 2e-4, 3e-4)],
            [(x, along * x) for x in (-2e-4, -1e-4, 0.0, 1e-4, 2e-4)],
            damping=damping,
        )
    ),
    {"stiffness": 1e8, "along": 5e7, "damping": 500.0},
    {"stiffness": 2e8, "along": 3e7, "damping": 900.0},
    lambda m: Built(m, **MOVED).force("VFORCE", "bearing"),
    lambda stiffness, along, damping: [
        *(-stiffness * 3e-5 - damping * 0.1, -stiffness * 4e-5 - damping * 0.2, -along * 1e-5 - damping * 0.3)
    ],
    rel=1e-6,
)


def balls_closed(damping, turn):
    b = RollingBearing(elements=8, ball=8.0, pitch=40.0, stiffness=1e5, clearance=0.01)
    cage = turn + 0.5 * (1.0 - 8.0 / 40.0) * 0.3
    x, y = 0.03, 0.02
    f = np.zeros(2)
    for n in range(8):
        d = np.array([math.cos(cage + n * math.pi / 4), math.sin(cage + n * math.pi / 4)])
        f -= 1e5 * max(0.0, d @ [x, y] - 0.005) ** b.power * d
    return [f[0] - damping * 0.1, f[1] - damping * 0.2]


row(
    "machinery.RollingBearing.into",
    lambda damping, turn: on_bearing(
        lambda m, i, j: RollingBearing(elements=8, ball=8.0, pitch=40.0, stiffness=1e5, clearance=0.01).into(
            m, i, j, damping=damping, turn=turn
        )
    ),
    {"damping": 500.0, "turn": 0.1},
    {"damping": 900.0, "turn": 0.25},
    lambda m: Built(
        m, **{"AZ(shaft)": 0.3, "DX(shaft)": 0.03, "DY(shaft)": 0.02, "VX(shaft)": 0.1, "VY(shaft)": 0.2}
    ).force("VFORCE", "rolling bearing")[:2],
    balls_closed,
)


# ---- chains, tracks ------------------------------------------------------------------------------------------------
def chain_measure(m):
    b = Built(m, **{"WZ(driven)": 1.3, "TIME": 0.01})
    link, pin = b.part("link 1"), b.named("SPRINGDAMPER", "pin friction 1")
    out = [b.force("SFORCE", "drive"), b.force("SFORCE", "load"), link.mass, link.ip[2], pin.ct, -m.gravity[1]]
    return [*out, b.part("driver").ip[2], b.part("driven").ip[2], sum(p.mass or 0.0 for p in m.table("PART").values())]


def chain_closed(links, pitch, mass, torque, load, inertia, joint_damping, gravity):
    x = 0.5  # of the 20 ms over which the torque rises
    return [
        torque * x * x * (3.0 - 2.0 * x),
        -load[0] * math.tanh(1.3) - load[1] * 1.3,
        *(mass, 1.3 / 12.0 * mass * (pitch**2 + 0.012**2), joint_damping, gravity, *inertia, links * mass + 2.0),
    ]


row(
    "machinery.chain_drive",
    lambda **words: chain_drive(teeth=(9, 12), **words),
    {
        "links": 26,
        "pitch": 0.0127,
        "mass": 9e-3,
        "torque": 10.0,
        "load": (5.0, 0.6),
        "inertia": (5e-4, 4e-3),
        "joint_damping": 1e-4,
        "gravity": 9.81,
    },
    {
        "links": 30,
        "pitch": 0.0095,
        "mass": 8e-3,
        "torque": 12.0,
        "load": (4.0, 0.9),
        "inertia": (6e-4, 5e-3),
        "joint_damping": 2e-4,
        "gravity": 1.6,
    },
    chain_measure,
    chain_closed,
    dear=True,
)


def track_measure(m):
    b = Built(m, TIME=0.75)
    pin = b.named("SPRINGDAMPER", "pin friction 1")
    drive = next(iter(m.table("SFORCE").values()))
    return [abs(b.value(drive.function)), *m.gravity[:2], pin.ct]


row(
    "machinery.tracked_side",
    tracked_side,
    {"torque": 3000.0, "rise": (0.5, 1.0), "gravity": 9.81, "pin_damping": 5.0, "slope": 0.1},
    {"torque": 2000.0, "rise": (0.4, 1.2), "gravity": 1.6, "pin_damping": 8.0, "slope": 0.2},
    track_measure,
    lambda torque, rise, gravity, pin_damping, slope: [
        torque * (lambda x: x * x * (3.0 - 2.0 * x))((0.75 - rise[0]) / (rise[1] - rise[0])),
        *(-gravity * math.sin(slope), -gravity * math.cos(slope), pin_damping),
    ],
    dear=True,
)


# ---- what is joined to what ----------------------------------------------------------------------------------------
def axis_of(model, marker):
    """Where a marker lies and its z axis, in ground, its part as drawn."""
    marker = model.table("MARKER")[int(marker)]
    frame = model.body_frame(model.table("PART")[marker.part])
    return [*(frame.origin + frame.axes @ marker.frame.origin), *(frame.axes @ marker.frame.axes)[:, 2]]


def clutch_place(m):
    b = Built(m)
    clutch = b.named("SFORCE", "clutch.forward")
    sides = [float(b.owner(clutch.i) == "first"), float(b.owner(clutch.j) == "second")]
    loads = [float(b.owner(b.named("SFORCE", w).i) == p) for w, p in (("driving", "first"), ("load", "second"))]
    return [*axis_of(m, clutch.i), *axis_of(m, clutch.j), *sides, *loads, b.part("first").ip[2]]


row(
    "machinery.clutch_rig",
    lambda inertia: clutch_rig(100.0, (inertia, 2.0), (100.0, 10.0), driving=30.0, load=20.0),
    {"inertia": 0.5},
    {"inertia": 0.8},
    clutch_place,
    lambda inertia: [0.0, 0.0, 0.05, 0.0, 0.0, 1.0] * 2 + [1.0, 1.0, 1.0, 1.0, inertia],
)


def coupled_measure(made):
    """By what rates that Willis allows miss the couplers of a planetary set; which part the load turns."""
    m, (sun, planet, ring) = made
    b = Built(m)
    carrier = 7.0 * sun / (sun + ring)  # its ring is held
    rates = {"sun": 7.0, "carrier": carrier}
    turned = carrier - sun / planet * (7.0 - carrier)
    out = []
    couplers = sorted(m.table("COUPLER").values(), key=lambda e: e.name)
    for e in couplers:
        miss = 0.0
        for joint, scale in zip(e.joints, e.scales):
            i = b.owner(m.table("JOINT")[int(joint)].i)
            miss += scale * (turned - carrier if i.startswith("planet") else rates[i])
        out.append(1.0 + miss)
    return [*out, float(b.owner(b.named("SFORCE", "load").i) == "carrier"), ring]


row(
    "machinery.planetary_set",
    lambda teeth: (planetary_set(*teeth, planets=3), teeth),
    {"teeth": (24, 24, 72)},
    {"teeth": (24, 30, 84)},
    coupled_measure,
    lambda teeth: [1.0] * 4 + [1.0, teeth[2]],
)


def phases_given(teeth, planets):
    """Phases with which the meshes of a planetary set are made."""
    given = []
    real = gear_train.add_mesh

    def noted(*args, phase, **words):
        given.append(phase)
        return real(*args, phase=phase, **words)

    with mock.patch.object(gear_train, "add_mesh", noted):
        planetary_set(*teeth, planets=planets, level="mesh", constant=True)
    return np.exp(2j * math.pi * np.array(given))


def phases_closed(teeth, planets):
    """Parker: planet p meets its sun z_s p/n periods, its ring z_r p/n periods (and half of one with an odd planet)
    from the first."""
    sun, planet, ring = teeth
    out = []
    for p in range(planets):
        out += [-sun * p / planets, ring * p / planets + 0.5 * (planet % 2)]
    return [f(2.0 * math.pi * v) for v in out for f in (math.cos, math.sin)]


row(
    "machinery.planetary_set",
    phases_given,
    {"teeth": (25, 23, 71), "planets": 3},
    {"teeth": (26, 25, 76), "planets": 4},
    lambda turned: np.column_stack([turned.real, turned.imag]).ravel(),
    phases_closed,
)


def bars_measure(models):
    """How the preloads of the bars of two tracks differ, and settings of their contacts."""
    one, other = ([e.torque for e in m.table("SPRINGDAMPER").values() if e.ct == 5e2] for m in models)
    e = Built(models[0]).named("CONTACT", "sprocket teeth")
    soil = Built(models[0]).named("CONTACT", "ground")
    law = [e.stiffness, e.exponent, e.damping, e.dmax, e.mu_static, e.mu_dynamic]
    law += [e.stiction_transition_velocity, e.friction_transition_velocity, soil.mu_static]
    return [len(one), *np.subtract(one, other), *law]


def bars_closed(gravity):
    # of the sprung mass (half of the hull, idler, its carrier, sprocket) a fifth on each wheel, and the arm's own
    sprung = 0.5 * 7819.24 + 25.76 + 10.0 + 27.68
    each = (gravity - 2.0) * (sprung / 5.0 * 0.288 + 75.26 * 0.144)
    return [5, *[each] * 5, 2e8, 1.5, 2e4, 1e-3, 0.4, 0.4, 0.05, 0.1, 0.8]


row(
    "machinery.tracked_side",
    lambda gravity: (tracked_side(gravity=gravity), tracked_side(gravity=2.0)),
    {"gravity": 9.81},
    {"gravity": 7.0},
    bars_measure,
    bars_closed,
    dear=True,
)
