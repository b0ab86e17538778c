"""Numbers of teeth in closed form, mm: helical gears in contact, forces of a mesh in space, friction of flanks, chains,
tracks; of a clutch and of a disc brake, SI."""

import functools
import math

import numpy as np

import holonom as hn
from _built import Built, Row
from holonom.machinery import (
    FloatingCaliper,
    GearPair,
    bevel_pair,
    chain_drive,
    clutch_rig,
    disc_brake_assembly,
    gear_pair,
    helical_gears,
    planetary_set,
    tracked_side,
    two_stage_gearbox,
)
from holonom.machinery.gear_train import add_mesh

STEEL = 7.85e-6  # kg/mm^3
ROWS = []


def row(builder, build, given, changed, measure, closed, **more):
    ROWS.append(Row(builder, build, given, changed, measure, closed, **more))


def smooth(x):
    """STEP between 0 and 1."""
    x = min(max(x, 0.0), 1.0)
    return x * x * (3.0 - 2.0 * x)


def axes_of(model, marker):
    """Axes of a marker in space."""
    e = model.table("MARKER")[int(marker)]
    return np.asarray(model.body_frame(model.body_of(e)).axes) @ np.asarray(e.frame.axes)


# ---- helical gears in contact ---------------------------------------------------------------------------------------
def helical_measure(m):
    b = Built(m, TIME=0.3)
    out = [b.motion("drive"), b.force("SFORCE", "load")]
    solids = [g for g in m.table("GRAPHICS").values() if g.type == "EXTRUSION"]
    for word, solid in zip(("pinion", "wheel"), solids):
        part, shape = b.part(word), solid.arguments
        points = np.array(shape["profile"])
        r = np.hypot(*points.T)
        at_tip = points[r > r.max() * (1.0 - 1e-9)]
        x = axes_of(m, shape["cm"])[:, 0]
        out += [part.mass, *part.ip[:3], part.wz, b.place(word)[0]]
        out += [r.max(), r.min(), np.abs(np.arctan2(*at_tip.T[::-1])).min(), shape["length"], shape["twist"]]
        out += [len(at_tip), *x[:2], m.table("MARKER")[shape["cm"]].frame.origin[2]]
    return out


def helical_closed(teeth, module, helix, pressure_angle, width, backlash, period, torque, rise, indent):
    """Transverse module m / cos beta, tan alpha_t = tan alpha / cos beta; a tooth is half of the pitch less half of the
    backlash wide on the pitch circle, and by inv(alpha_t) - inv(alpha_a) on each side at its tip."""
    w = 2.0 * math.pi / period
    across = module / math.cos(helix)
    angle = math.atan(math.tan(pressure_angle) / math.cos(helix))
    involute = lambda a: math.tan(a) - a
    out = [w * 0.3, torque * smooth((0.3 - rise[0]) / (rise[1] - rise[0]))]
    far = 0.5 * across * sum(teeth)
    for k, z in enumerate(teeth):
        r = 0.5 * across * z
        mass = STEEL * math.pi * r**2 * width
        side = mass * (3.0 * r**2 + width**2) / 12.0
        tip = r + across
        half = (0.5 * math.pi * across - 0.5 * backlash) / (2.0 * r)
        half += involute(angle) - involute(math.acos(r * math.cos(angle) / tip))
        # the wheel has a gap in front of the pinion's tooth, and touches where that is driven into it
        turn = math.pi + math.pi / z + (0.5 * backlash + indent) / r if k else 0.0
        out += [mass, side, side, 0.5 * mass * r**2, -w * teeth[0] / teeth[1] if k else w, k * far]
        out += [tip, r - 1.25 * across, half, width, (-1.0) ** k * math.tan(helix) / r]
        out += [2 * z, math.cos(turn), math.sin(turn), -0.5 * width]
    return out


row(
    "machinery.helical_gears",
    helical_gears,
    {
        "teeth": (20, 30),
        "module": 4.0,
        "helix": 0.26,
        "pressure_angle": 0.35,
        "width": 40.0,
        "backlash": 0.1,
        "period": 1.5,
        "torque": 2e4,
        "rise": (0.0, 0.5),
        "indent": 0.0,
    },
    {
        "teeth": (22, 27),
        "module": 3.0,
        "helix": 0.2,
        "pressure_angle": 0.38,
        "width": 30.0,
        "backlash": 0.2,
        "period": 1.0,
        "torque": 3e4,
        "rise": (0.1, 0.6),
        "indent": 0.05,
    },
    helical_measure,
    helical_closed,
    rel=1e-7,
    dear=True,
)


# ---- the force of a mesh in space -----------------------------------------------------------------------------------
HELICAL = GearPair((20, 30), 4.0, helix=0.3, width=30.0)


@functools.cache
def table_of(pair, load):
    return pair.mesh(load)


def meshed(pair, centres, drive, **words):
    """Two gears on ground, the wheel ahead of the pinion by 5 um along the base circle, both turning."""
    m = hn.Model("mesh", units="mm")
    gears = [m.part(w, 1.0, (1.0, 1.0, 1.0), tuple(c)) for w, c in zip(("one", "two"), centres)]
    add_mesh(m, pair, gears, m.ground, centres, load=500.0, inertia=(800.0, 3000.0), drive=drive, **words)
    state = {"AZ(two)": drive * 5e-3 / pair.base_radii[1], "WZ(one)": 2.0 * drive, "WZ(two)": -1.2 * drive}
    return Built(m, **state)


def in_space(b, gear):
    """Force and moment on a gear, along the axes of space."""
    e = b.named("GFORCE", f"mesh on gear {gear}")
    axes = axes_of(b.model, e.rm)
    f = b.force("GFORCE", e.name)
    return [*(axes @ f[:3]), *(axes @ f[3:])]


def meshed_closed(axis, centres, drive, hand, phase):
    """A pinion that drives about z is pressed back along the tangent and away from the wheel, F cos and F sin of the
    transverse angle, and along its axis as a right-handed screw does, F tan(beta_b)."""
    table = table_of(HELICAL, 500.0)
    k = node(phase)
    r1, r2 = HELICAL.base_radii
    mean = float(table.stiffness.mean())
    c = 2.0 * 0.05 * math.sqrt(mean * 1e-3 / (r1**2 / 800.0 + r2**2 / 3000.0))
    F = table.stiffness[k] * (5e-3 - table.unloaded[k]) + c * (2.0 * r1 - 1.2 * r2)
    one, two = np.array(centres)
    z = np.array(axis) / np.linalg.norm(axis)
    x = two - one - ((two - one) @ z) * z
    x /= np.linalg.norm(x)
    a = HELICAL.working_angle
    force = F * (-drive * math.cos(a) * np.cross(z, x) - math.sin(a) * x)
    force += F * drive * hand * math.tan(HELICAL.base_helix) * z
    at = one + HELICAL.pitch_radii[0] * x
    return [F, *force, *np.cross(at - one, force), *-force, *np.cross(at - two, -force)]


FAR = HELICAL.centre_distance


def node(phase):
    """Of the table of the mesh, where no curve runs between two."""
    table = table_of(HELICAL, 500.0)
    return round(phase * len(table.phase))


row(
    "machinery.add_mesh",
    lambda axis, centres, drive, hand, phase: meshed(
        HELICAL, centres, drive, axis=axis, hand=hand, phase=float(table_of(HELICAL, 500.0).phase[node(phase)])
    ),
    {
        "axis": (0.0, 0.0, 1.0),
        "centres": ((0.0, 0.0, 0.0), (FAR, 0.0, 0.0)),
        "drive": 1,
        "hand": 1,
        "phase": 0.25,
    },
    {
        "axis": (0.0, 0.6, 0.8),
        "centres": ((10.0, 5.0, 0.0), (10.0 + 0.8 * FAR, 5.0 + 0.48 * FAR, -0.36 * FAR)),
        "drive": -1,
        "hand": -1,
        "phase": 0.75,
    },
    lambda b: [b.variable("mesh force"), *in_space(b, 1), *in_space(b, 2)],
    meshed_closed,
    rel=1e-7,
)

SPUR = GearPair((20, 30), 4.0, width=30.0)


def coned_closed(place, axes):
    """On a cone whose apex is the centre of the pinion: pressed back along the tangent, and at right angles to the
    cone, towards the axis of the pinion.  Both have their moments about the apex."""
    r1, r2 = SPUR.base_radii
    mean = float(table_of(SPUR, 500.0).stiffness.mean())
    c = 2.0 * 0.05 * math.sqrt(mean * 1e-3 / (r1**2 / 800.0 + r2**2 / 3000.0))
    F = mean * 5e-3 + c * (2.0 * r1 - 1.2 * r2)
    cone = np.array(place) / np.linalg.norm(place)
    tangent = np.cross(axes[0], cone)
    tangent /= np.linalg.norm(tangent)
    inward = np.cross(cone, tangent)
    inward *= -math.copysign(1.0, inward @ (cone - (cone @ axes[0]) * np.array(axes[0])))
    a = SPUR.working_angle
    force = F * (-math.cos(a) * tangent + math.sin(a) * inward)
    moment = np.cross(place, force)
    return [F, *force, *moment, *-force, *-moment, *axes[0], *axes[1]]


def coned_measure(b):
    ends = [axes_of(b.model, b.named("GFORCE", f"mesh on gear {k}").i)[:, 2] for k in (1, 2)]
    return [b.variable("mesh force"), *in_space(b, 1), *in_space(b, 2), *ends[0], *ends[1]]


row(
    "machinery.add_mesh",
    lambda place, axes: meshed(SPUR, ((0.0, 0.0, 0.0),) * 2, 1, place=place, axes=axes, constant=True),
    {"place": (40.0, 0.0, 60.0), "axes": ((0.0, 0.0, 1.0), (1.0, 0.0, 0.0))},
    {"place": (30.0, 20.0, 70.0), "axes": ((0.0, 0.0, 1.0), (math.sin(1.3), 0.0, math.cos(1.3)))},
    coned_measure,
    coned_closed,
)


# ---- friction of flanks ---------------------------------------------------------------------------------------------
def rubbed(model, gears, mesh, pair, radii, load, shrink, turns, drive):
    """(both arms of the friction together, growth of the pinion's over a step of the mesh): torques about the shafts
    beside base radius times force, over the force, where one pair of teeth bears behind the pitch point."""
    table = table_of(pair, load)
    alone = np.flatnonzero(table.pairs < 1.0 + 1e-9)
    last = alone[-1] if alone[-1] + 1 < len(table.phase) else alone[np.flatnonzero(np.diff(alone) > 1)[0]]
    found = []
    for k in (last - 4, last - 3):
        a = 2.0 * math.pi * float(table.phase[k]) / turns
        turned = a, -(a * radii[0] - 5e-3) / radii[1], 2.0, -1.2
        names = (f"{w}({gear})" for w in ("AZ", "WZ") for gear in gears)
        b = Built(model, **{w: drive * v for w, v in zip(names, turned)})
        F = b.variable(f"{mesh} force")
        arms = []
        for g, name in enumerate(gears):
            e = b.named("GFORCE", f"{mesh} on gear {g + 1}")
            assert b.owner(e.i) == name
            torque = float(axes_of(model, e.rm) @ b.force("GFORCE", e.name)[3:] @ axes_of(model, e.i)[:, 2])
            arms.append((-drive * torque / F - radii[g]) / shrink[g])
        found.append(arms)
    return [sum(found[0]), (found[1][0] - found[0][0]) / float(table.phase[last - 3] - table.phase[last - 4])]


def rubbed_closed(friction, pair):
    """On the line of action, whose parts from the base circles to the pitch point are r_b tan(alpha), a flank s behind
    that point has the arms r_b1 tan(alpha) + s and r_b2 tan(alpha) - s; s grows by the base pitch over a tooth."""
    a = pair.transverse_angle
    pitch = math.pi * pair.module / math.cos(pair.helix) * math.cos(a)
    return [friction * sum(pair.base_radii) * math.tan(pair.working_angle), friction * pitch]


def row_of_friction(builder, build, gears, mesh, pair, load, radii=None, shrink=(1.0, 1.0), turns=0, drive=1):
    row(
        builder,
        build,
        {"friction": 0.05},
        {"friction": 0.1},
        lambda m: rubbed(m, gears, mesh, pair, radii or pair.base_radii, load, shrink, turns or pair.teeth[0], drive),
        lambda friction: rubbed_closed(friction, pair),
        rel=1e-6,  # arms are means over the loads of a table
    )


def meshed_model(friction):
    return meshed(SPUR, ((0.0, 0.0, 0.0), (SPUR.centre_distance, 0.0, 0.0)), 1, friction=friction).model


row_of_friction("machinery.add_mesh", meshed_model, ("one", "two"), "mesh", SPUR, 500.0)
row_of_friction(
    "machinery.gear_pair",
    lambda friction: gear_pair(SPUR, torque=1e5, friction=friction),
    ("pinion", "wheel"),
    "mesh",
    SPUR,
    1e5 / SPUR.base_radii[1],
)
SUN = GearPair((24, 24), 2.0, width=30.0)
row_of_friction(
    "machinery.planetary_set",
    lambda friction: planetary_set(level="mesh", torque=1e5, friction=friction),
    ("sun", "planet 1"),
    "sun mesh 1",
    SUN,
    1e5 / 4.0 / 3.0 / SUN.base_radii[0],
)
FIRST = GearPair((23, 57), 2.5, width=25.0, backlash=0.08)
row_of_friction(
    "machinery.two_stage_gearbox",
    lambda friction: two_stage_gearbox(torque=4e5, friction=friction),
    ("input", "layshaft"),
    "mesh 1",
    FIRST,
    4e5 * 19.0 / 61.0 / FIRST.base_radii[1],
)
SECOND = GearPair((19, 61), 4.0, width=40.0, shift=(0.2, 0.0), backlash=0.1)
row_of_friction(
    "machinery.two_stage_gearbox",
    lambda friction: two_stage_gearbox(torque=4e5, friction=friction),
    ("layshaft", "output"),
    "mesh 2",
    SECOND,
    4e5 / SECOND.base_radii[1],
    drive=-1,
)
CONES = math.atan2(20.0, 30.0), math.atan2(30.0, 20.0)
#: radii in the middle of the teeth, 12.5 mm from their outer ends
MIDDLE = [0.5 * 4.0 * z - 12.5 * math.sin(c) for z, c in zip((20, 30), CONES)]
VIRTUAL = GearPair(
    (round(20.0 / math.cos(CONES[0])), round(30.0 / math.cos(CONES[1]))), 2.0 * MIDDLE[0] / 20.0, width=25.0
)
COS = math.cos(math.radians(20.0))
row_of_friction(
    "machinery.bevel_pair",
    lambda friction: bevel_pair(level="mesh", torque=1e5, friction=friction),
    ("pinion", "wheel"),
    "mesh",
    VIRTUAL,
    1e5 / MIDDLE[1] / COS,
    [COS * r for r in MIDDLE],
    [math.cos(c) for c in CONES],
    20,
)


def bevel_closed(spiral, hand):
    """Forces at the middle of the teeth by Gleason's formulas, over the transverse force: tangential; radial and axial
    of the normal pressure, tan(alpha_n) / cos(psi); along the cone tan(psi), as a right-handed screw drives."""
    outer, cone = 0.5 * 4.0 * 20 / math.sin(CONES[0]), CONES[0]
    along = np.array([math.sin(cone), 0.0, math.cos(cone)])
    press = math.tan(math.radians(20.0)) / math.cos(spiral)
    force = math.cos(math.atan(press)) * (
        np.array([0.0, -1.0, 0.0])
        + press * np.array([-math.cos(cone), 0.0, math.sin(cone)])
        + hand * math.tan(spiral) * along
    )
    return [*force, *np.cross((outer - 12.5) * along, force)]


def bevel_measure(m):
    state = {"AZ(pinion)": 2e-3, "AZ(wheel)": -1.2e-3, "WZ(pinion)": 2.0, "WZ(wheel)": -1.2}
    b = Built(m, **state)
    return np.array(in_space(b, 1)) / b.variable("mesh force")


row(
    "machinery.bevel_pair",
    lambda **words: bevel_pair(level="mesh", constant=True, **words),
    {"spiral": 0.3, "hand": 1},
    {"spiral": 0.5, "hand": -1},
    bevel_measure,
    bevel_closed,
)


# ---- chains and tracks ----------------------------------------------------------------------------------------------
def pins_of(m, kind, pitch):
    """Places of the pins at the first ends of links in a plane."""
    parts = [p for p in m.table("PART").values() if p.name.startswith(f"{kind} ")]
    frames = [m.body_frame(p) for p in parts]
    return np.array([f.origin[:2] - 0.5 * pitch * f.axes[:2, 0] for f in frames])


def sprockets_measure(m):
    """Radii of the pins about the sprockets, the chord of a strand over its links, speeds, chords of the seats."""
    pins = pins_of(m, "link", 0.0127)
    b = Built(m)
    out, on = [], []
    for word in ("driver", "driven"):
        far = np.hypot(*(pins - b.place(word)[:2]).T)
        out.append(far.min())
        on.append(far < far.min() * (1.0 + 1e-6))
    n = len(pins)
    first = next(k for k in range(n) if on[0][k] and not on[0][(k + 1) % n])
    last = next(k for k in range(first, first + n) if on[1][k % n])
    chord = np.linalg.norm(pins[last % n] - pins[first])
    seats = [g for g in m.table("GRAPHICS").values() if g.type == "CURVE" and g.arguments["bulge"][0] < 0.0]
    ends = [np.array(seats[k].arguments["profile"]) for k in (0, -1)]
    spins = [b.part(w).wz or 0.0 for w in ("driver", "driven")]
    # a seat under each pin: both lie in one direction from the axis
    for word, near in zip(("driver", "driven"), on):
        gaps = []
        for seat in seats:
            marker = m.table("MARKER")[int(seat.arguments["rm"])]
            if m.body_of(marker).name == word:
                frame = m.body_frame(m.body_of(marker))
                axes = frame.axes @ np.asarray(marker.frame.axes)
                gaps.append(axes[:2, :2] @ np.mean(seat.arguments["profile"], axis=0))
        pins_there = pins[near] - b.place(word)[:2]
        turns = np.arctan2(*pins_there.T[::-1])[:, None] - np.arctan2(*np.array(gaps).T[::-1])[None, :]
        out.append(1.0 + np.abs(np.angle(np.exp(1j * turns))).min(axis=1).max())
    return [*out, chord / (last - first) / 0.0127, *spins, *(np.linalg.norm(p[1] - p[0]) for p in ends)]


def sprockets_closed(teeth, slack, speed, roller):
    """Pitch radius p / 2 sin(pi/z); seats of 0.505 d + 0.07 mm that open by 120 - 90/z degrees (ISO 606)."""
    out = [0.5 * 0.0127 / math.sin(math.pi / z) for z in teeth] + [1.0, 1.0]
    out += [1.0 - slack, speed, speed * teeth[0] / teeth[1]]
    return [*out, *(2.0 * (0.505 * roller + 7e-5) * math.sin(0.5 * math.radians(120.0 - 90.0 / z)) for z in teeth)]


row(
    "machinery.chain_drive",
    lambda **words: chain_drive(links=26, **words),
    {"teeth": (9, 12), "slack": 8e-4, "speed": 10.0, "roller": 8.5e-3},
    {"teeth": (10, 13), "slack": 3e-3, "speed": 7.0, "roller": 8e-3},
    sprockets_measure,
    sprockets_closed,
    rel=1e-8,
    dear=True,
)
row(
    "machinery.tracked_side",
    lambda shoes: tracked_side(shoes),
    {"shoes": 63},
    {"shoes": 64},
    lambda m: [
        sum(p.name.startswith("shoe ") for p in m.table("PART").values()),
        sum(p.name.startswith("pin friction ") for p in m.table("SPRINGDAMPER").values()),
    ],
    lambda shoes: [shoes, shoes],
    dear=True,
)


# ---- a clutch, a disc brake -----------------------------------------------------------------------------------------
row(
    "machinery.clutch_rig",
    lambda capacity, rise: clutch_rig(capacity, (0.5, 2.0), (100.0, 10.0), rise=rise),
    {"capacity": 100.0, "rise": 0.2},
    {"capacity": 80.0, "rise": 0.3},
    lambda m: [Built(m, TIME=t).force("SFORCE", f"clutch.{w}") for t in (0.1, 1.0) for w in ("forward", "backward")],
    lambda capacity, rise: [s * capacity * min(t / rise, 1.0) for t in (0.1, 1.0) for s in (-1.0, 1.0)],
)


def disc_measure(m):
    b = Built(m, TIME=0.3)
    part, contact = b.part("disc"), b.named("CONTACT", "outer 0")
    drive = m.table("MOTION")
    return [
        *(part.wz, *part.ip[:3], contact.stiction_transition_velocity, contact.friction_transition_velocity),
        *(len(drive), b.motion("drive") if drive else 0.0),
    ]


row(
    "machinery.disc_brake_assembly",
    lambda **words: disc_brake_assembly(FloatingCaliper(grid=(2, 2)), **words),
    {"speed": 50.0, "inertia": 0.0, "slip": 0.02},
    {"speed": 40.0, "inertia": 3.0, "slip": 0.03},
    disc_measure,
    # without an inertia a motion holds the speed, and the disc has one
    lambda speed, inertia, slip: [
        *(speed, 0.6 * (inertia or 1.0), 0.6 * (inertia or 1.0), inertia or 1.0, 0.5 * slip, slip),
        *((0, 0.0) if inertia else (1, 0.3 * speed)),
    ],
)
