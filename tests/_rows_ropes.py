"""Numbers of belts and ropes in closed form: sections, places, lengths, contacts, loads and motions; SI, but for the
rope over a pulley: mm."""

import math

import numpy as np

import holonom as hn
from _built import Built, Row
from holonom.machinery import Sheave, belt_drive, laid_rope, reeving, rope_on_drum, rope_over_pulley

ROWS = []


def row(builder, build, given, changed, measure, closed, **more):
    ROWS.append(Row(builder, build, given, changed, measure, closed, **more))


def smooth(x):
    """STEP between 0 and 1."""
    x = min(max(x, 0.0), 1.0)
    return x * x * (3.0 - 2.0 * x)


def cable_numbers(model):
    """EA, EI, mass a length, damping, unloaded length, number of elements, first and last node of the only mesh."""
    (mesh,) = model.table("ABSOLUTE_MESH").values()
    n = len(mesh.cells) // 2
    rows = np.array(mesh.properties).reshape(n, -1)
    nodes = np.array(mesh.places).reshape(-1, 6)[:, :3]
    return [*rows[0, :4], n, *nodes[0], *nodes[-1]], float(rows[:, 4].sum())


def round_rope(young, density, bending, damping, thick):
    """EA, EI, mass a length and damping of a rope of radius thick."""
    area = math.pi * thick**2
    return [young * area, bending * young * 0.25 * math.pi * thick**4, density * area, damping]


def face_of(model, contact):
    """Axis from its middle to its end (3,), and radius, of the cylinder that a contact has on one side."""
    (shape,) = (
        model.table("GRAPHICS")[k]
        for k in (*contact.igeom, *contact.jgeom)
        if model.table("GRAPHICS")[k].type == "CYLINDER"
    )
    marker = model.table("MARKER")[int(shape.arguments["cm"])]
    axes = np.asarray(model.body_frame(model.body_of(marker)).axes) @ np.asarray(marker.frame.axes)
    return [*(0.5 * shape.arguments["length"] * np.abs(axes[:, 2])), shape.arguments["radius"]]


# ---- a belt ---------------------------------------------------------------------------------------------------------
def belt_measure(m):
    b = Built(m)
    numbers, _ = cable_numbers(m)
    out = [*numbers[:8]]
    for word in ("driver", "follower"):
        contact, part = b.named("CONTACT", word), b.part(word)
        out += [contact.mu_static, contact.mu_dynamic, contact.stiffness, *face_of(m, contact)]
        out += [part.mass, *part.ip[:3], b.place(word)[0]]
    load = b.at(TIME=0.1)
    return [*out, b.at(TIME=1.0).motion("drive"), load.force("SFORCE", "brake")]


def belt_closed(
    radii, distance, section, young, density, damping, friction, groove, speed, load, rise, inertia, elements
):
    """An open belt: its axis runs half of the thickness above the pulleys, its strands lean by asin((A - B) / c)."""
    (a, b), (wide, thick) = radii, section
    A, B = a + 0.5 * thick, b + 0.5 * thick
    lean = math.asin((A - B) / distance)
    long = (math.pi + 2.0 * lean) * A + (math.pi - 2.0 * lean) * B + 2.0 * distance * math.cos(lean)
    EA = young * wide * thick
    out = [EA, young * wide * thick**3 / 12.0, density * wide * thick, damping, elements]
    out += [A * math.sin(lean), -A * math.cos(lean), 0.0]
    mu = friction / math.sin(0.5 * groove)
    # what sinks in under a pull at two points an element adds 2 % to the creep of the smaller pulley
    stiff = 2.0 / 0.02 * EA * 0.5 * long / elements / min(radii) ** 2
    for k, at in enumerate((0.0, distance)):
        J = inertia[k]
        out += [mu, mu, stiff, 0.0, 0.0, 0.6 * wide, radii[k], 2.0 * J / radii[k] ** 2, 0.6 * J, 0.6 * J, J, at]
    return [*out, speed * (1.0 - 0.5 * rise), -load * smooth(0.1 / rise)]


BELT = {
    "radii": (0.05, 0.06),
    "distance": 0.3,
    "section": (0.02, 0.002),
    "young": 2e8,
    "density": 1200.0,
    "damping": 2e-4,
    "friction": 0.5,
    "groove": 2.0,
    "speed": 20.0,
    "load": 4.0,
    "rise": 0.15,
    "inertia": (2e-4, 3e-4),
    "elements": 40,
}
row(
    "machinery.belt_drive",
    lambda **words: belt_drive(model="cable", **words),
    BELT,
    {
        "radii": (0.055, 0.05),
        "distance": 0.32,
        "section": (0.024, 0.003),
        "young": 1.5e8,
        "density": 1100.0,
        "damping": 4e-4,
        "friction": 0.4,
        "groove": 1.5,
        "speed": 15.0,
        "load": 3.0,
        "rise": 0.2,
        "inertia": (3e-4, 5e-4),
        "elements": 44,
    },
    belt_measure,
    belt_closed,
    dear=True,
)


def open_length(radii, distance, thick):
    A, B = (r + 0.5 * thick for r in radii)
    lean = math.asin((A - B) / distance)
    return (math.pi + 2.0 * lean) * A + (math.pi - 2.0 * lean) * B + 2.0 * distance * math.cos(lean)


row(
    "machinery.belt_drive",
    lambda tension: belt_drive((0.05, 0.06), 0.3, model="cable", elements=40, tension=tension),
    {"tension": 100.0},
    {"tension": 500.0},
    lambda m: [cable_numbers(m)[1]],
    lambda tension: [open_length((0.05, 0.06), 0.3, 0.002) / (1.0 + tension / (2e8 * 0.02 * 0.002))],
    rel=3e-4,  # curves through the nodes are not quite arcs and lines
)


# ---- a rope on a drum -----------------------------------------------------------------------------------------------
def drum_measure(m):
    b = Built(m, TIME=0.02)
    contact = b.named("CONTACT", "on the drum")
    numbers, long = cable_numbers(m)
    *axis, radius = face_of(m, contact)
    return [
        *(*numbers, contact.mu_static, contact.mu_dynamic, *axis, radius),
        *(b.force("VFORCE", "load")[1], b.motion("pull"), b.at(TIME=1.0).motion("pull")),
    ]


def drum_closed(friction, turns, radius, thick, load, young, density, bending, damping, pull, end, nodes):
    """Three elements before the wrap and four behind it; a helix of two diameters a turn beyond 0.9 turns."""
    n = round(2 * nodes * turns)
    axis, angle = radius + thick, 2.0 * math.pi * turns
    step = axis * angle / n
    climb = 4.0 * thick * turns if turns > 0.9 else 0.0
    off = np.array([-math.sin(angle), math.cos(angle)])
    last = axis * np.array([math.cos(angle), math.sin(angle)]) + 4.0 * step * off
    return [
        *round_rope(young, density, bending, damping, thick),
        *(n + 7, axis, -3.0 * step, 0.0, *last, climb),
        *(friction, friction, 0.0, 0.0, 0.5 * (0.3 * radius + climb), radius, -load),
        *(pull * t * smooth(t / (0.2 * end)) for t in (0.02, 1.0)),
    ]


row(
    "machinery.rope_on_drum",
    lambda **words: rope_on_drum(model="cable", **words),
    {
        "friction": 0.3,
        "turns": 0.75,
        "radius": 0.1,
        "thick": 0.001,
        "load": 10.0,
        "young": 2e9,
        "density": 2000.0,
        "bending": 0.01,
        "damping": 1e-3,
        "pull": 0.05,
        "end": 0.2,
        "nodes": 16,
    },
    {
        "friction": 0.25,
        "turns": 1.25,
        "radius": 0.08,
        "thick": 0.0015,
        "load": 20.0,
        "young": 1e9,
        "density": 1500.0,
        "bending": 0.02,
        "damping": 2e-3,
        "pull": 0.07,
        "end": 0.3,
        "nodes": 20,
    },
    drum_measure,
    drum_closed,
    dear=True,
)
row(
    "machinery.rope_on_drum",
    lambda load: rope_on_drum(turns=0.5, young=1e7, load=load, model="cable", nodes=16),
    {"load": 0.5},
    {"load": 2.0},
    lambda m: [cable_numbers(m)[1]],
    # 16 elements of arc and 7 straight ones
    lambda load: [0.101 * math.pi * 23.0 / 16.0 / (1.0 + load / (1e7 * math.pi * 1e-6))],
    rel=3e-4,
)


# ---- ropes over sheaves ---------------------------------------------------------------------------------------------
def plane_of(normal):
    """Axes of a plane: the third is its normal, the second is near to that of space."""
    n = np.asarray(normal, float) / np.linalg.norm(normal)
    x = np.cross((0.0, 1.0, 0.0), n)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(n, x), n])


def laid(normal, R=0.1, width=0.0, **words):
    axes = plane_of(normal)
    m = hn.Model("laid", units="SI")
    wheel = m.part("wheel", 1.0, (1.0, 1.0, 1.0), (0.0, 0.0, 0.0))
    at = lambda *p: tuple(axes @ p)
    path = [
        Sheave(m.ground, at(-0.3, -0.5, 0.0)),
        Sheave(wheel, at(0.0, 0.0, 0.0), R, -1),
        Sheave(m.ground, at(0.2, -0.6, 0.0)),
    ]
    laid_rope(m, path, normal=normal, kind="cable", width=width or None, **words)
    return m


def over_one(R):
    """Length of a rope over a circle about the origin between (-0.3, -0.5) and (0.2, -0.6), clockwise over its top."""
    long, turn = 0.0, math.pi
    for x, y, side in ((-0.3, -0.5, -1.0), (0.2, -0.6, 1.0)):
        D = math.hypot(x, y)
        long += math.sqrt(D * D - R * R)
        # the radius to where the rope touches is acos(R / D) above the line to its end
        turn -= math.atan2(y, side * x) + math.acos(R / D)
    return long + R * turn


def laid_measure(m):
    contact = Built(m).named("CONTACT", "rope on 2")
    numbers, _ = cable_numbers(m)
    return [*numbers, contact.mu_static, contact.mu_dynamic, *face_of(m, contact)]


def laid_closed(thick, young, density, friction, bending, damping, elements, normal, width):
    axes = plane_of(normal)
    half = 0.5 * (width or 10.0 * thick)
    out = round_rope(young, density, bending, damping, thick)
    out += [elements, *(axes @ (-0.3, -0.5, 0.0)), *(axes @ (0.2, -0.6, 0.0)), friction, friction]
    return [*out, *(half * np.abs(axes[:, 2])), 0.1]


row(
    "machinery.laid_rope",
    laid,
    {
        "thick": 0.002,
        "young": 2e9,
        "density": 1200.0,
        "friction": 0.3,
        "bending": 0.01,
        "damping": 1e-3,
        "elements": 40,
        "normal": (0.0, 0.0, 1.0),
        "width": 0.0,
    },
    {
        "thick": 0.003,
        "young": 1e9,
        "density": 1500.0,
        "friction": 0.2,
        "bending": 0.02,
        "damping": 2e-3,
        "elements": 44,
        "normal": (0.6, 0.0, 0.8),
        "width": 0.05,
    },
    laid_measure,
    laid_closed,
    dear=True,
)
row(
    "machinery.laid_rope",
    lambda tension: laid((0.0, 0.0, 1.0), thick=0.002, young=1e7, density=1200.0, tension=tension),
    {"tension": 1.0},
    {"tension": 8.0},
    lambda m: [cable_numbers(m)[1]],
    lambda tension: [over_one(0.102) / (1.0 + tension / (1e7 * math.pi * 4e-6))],
    rel=3e-4,
)


def reeved(normal, drums):
    """A rope from a hook over a sheave to a drum, each a part of its own."""
    axes = plane_of(normal)
    m = hn.Model("reeved", units="SI")
    at = {"hook": (-0.3, -0.5, 0.0), "sheave": (0.0, 0.0, 0.0), "drum": (0.2, -0.6, 0.0)}
    parts = {w: m.part(w, 1.0, (1.0, 1.0, 1.0), tuple(axes @ p)) for w, p in at.items()}
    shaft = m.revolute(parts["drum"], m.ground, "shaft", at=tuple(axes @ at["drum"]), axis=tuple(axes[:, 2]))
    radius = {"hook": 0.0, "sheave": 0.1, "drum": 0.0}
    path = [Sheave(parts[w], tuple(axes @ p), radius[w], -1) for w, p in at.items()]
    return m, reeving(m, path, normal=normal, drums=[(shaft, r) for r in drums]).constraint


def reeved_measure(made):
    m, e = made
    # measured in the plane: the hook and the drum are 0.1 and 0.05 lower than drawn, the drum has turned
    state = {"DX(hook)": -0.3, "DY(hook)": -0.6, "DX(drum)": 0.2, "DY(drum)": -0.65, "AZ(drum)": 0.4}
    marker = m.table("MARKER")[int(e.i)]
    axes = np.asarray(m.body_frame(m.body_of(marker)).axes) @ np.asarray(marker.frame.axes)
    return [Built(m, **state).value(e.function), *axes.ravel()]


def reeved_closed(normal, drums):
    """Longer by the spans and less of the arc, less what the drum has paid out."""
    length = lambda a, b: sum(
        math.sqrt(math.hypot(x, y) ** 2 - 0.01) - 0.1 * (math.atan2(y, s * x) + math.acos(0.1 / math.hypot(x, y)))
        for x, y, s in ((-0.3, a, -1.0), (0.2, b, 1.0))
    )
    return [length(-0.6, -0.65) - length(-0.5, -0.6) - 0.4 * sum(drums), *plane_of(normal).ravel()]


row(
    "machinery.reeving",
    reeved,
    {"normal": (0.0, 0.0, 1.0), "drums": (0.15,)},
    {"normal": (0.6, 0.0, 0.8), "drums": (0.2,)},
    reeved_measure,
    reeved_closed,
)


# ---- a rope of segments over a pulley -------------------------------------------------------------------------------
def pulley_measure(m):
    b = Built(m, **{"TIME": 0.05, "VX(load)": 10.0})
    n = sum(p.name.startswith("segment ") for p in m.table("PART").values())
    out = [n, *(m.gravity[0],)]
    for word in ("pulley", "load", "counterweight"):
        part = b.part(word)
        out += [part.mass, *part.ip[:3], *b.place(word)]
    out += [b.force("SFORCE", "brake"), *b.force("VFORCE", "pull")[:1], *b.at(TIME=0.2).force("VFORCE", "pull")[:1]]
    for k in (1, n):
        part = b.part(f"segment {k}")
        out += [part.mass, *part.ip[:3], *b.place(f"segment {k}")]
    first, last = b.named("BUSHING", "joint 1"), b.named("BUSHING", f"joint {n + 1}")
    out += [*first.k, *first.kt, *first.c, *first.ct, first.force[0], last.force[0]]
    contact = b.named("CONTACT", "groove 1")
    shape, skin = (m.table("GRAPHICS")[k].arguments for k in (*contact.jgeom, *contact.igeom))
    points = np.array(shape["profile"])
    # radii of the bore, the bottom and the rim; half of the groove at its walls, half of the pulley
    walls = np.abs(points[(points[:, 0] > points[:, 0].min() + 1e-9) & (np.abs(points[:, 1]) < points[:, 1].max()), 1])
    bottom = np.sort(np.unique(np.round(points[:, 0], 9)))[1]
    out += [points[:, 0].min(), bottom, points[:, 0].max(), points[:, 1].max(), np.median(walls), skin["radius"]]
    middle = b.place(f"segment {behind_of(m) + 1}")
    return [*out, *middle]


def behind_of(m):
    """How many segments lie before the pulley: their centres have x below zero and the height of the first one."""
    low = Built(m).place("segment 1")[1]
    places = [Built(m).place(p.name) for p in m.table("PART").values() if p.name.startswith("segment ")]
    return sum(at[0] < 0.0 and abs(at[1] - low) < 1e-9 * abs(low) for at in places)


def pulley_closed(
    segments,
    length,
    radius,
    over,
    behind,
    groove,
    width,
    density,
    young,
    shear,
    bending,
    damping,
    load,
    brake,
    pull,
    hold,
    offset,
    pulley,
    bore,
    gravity,
    counterweight,
):
    """Segments are the sides of a polygon about the pulley; joints have E A / L, G A / L, G J / L, E I / L."""
    half = 0.5 * math.pi / over
    inner, corner = 0.5 * length / math.tan(half), 0.5 * length / math.sin(half)
    area, second = math.pi * radius**2, 0.25 * math.pi * radius**4
    mass = density * area * length
    about = [0.5 * mass * radius**2, *[mass * (3.0 * radius**2 + length**2) / 12.0] * 2]
    ahead = segments - over - behind
    out = [segments, -gravity, pulley[0], 0.6 * pulley[1], 0.6 * pulley[1], pulley[1], 0.0, 0.0, 0.0]
    out += [load, *[1e3 * load] * 3, -length * (behind + 1.5), -corner, offset]
    out += [counterweight, *[1e3 * counterweight] * 3, -length * (ahead + 1.5), corner, 0.0]
    out += [-brake * math.tanh(0.5), -hold - 0.5 * (pull - hold), -pull]
    out += [mass, *about, -length * (behind - 0.5), -corner, offset * (1.0 - 0.5 / behind)]
    out += [mass, *about, -length * (ahead - 0.5), corner, 0.0]
    k = [young * area / length, *[shear * area / length] * 2]
    kt = [bending * v / length for v in (2.0 * shear * second, young * second, young * second)]
    out += [*k, *kt, *(damping * v for v in k), *(damping * v for v in kt)]
    # g in mm/s^2, kg: mN
    out += [-1e-3 * gravity * load, -1e-3 * gravity * counterweight - hold]
    bottom = inner - radius
    out += [0.5 * bore, bottom, bottom + groove[1], 0.5 * width, groove[0], radius]
    # the first side on the pulley, half of the angle of a side beyond the lowest place
    return [*out, *(corner_middle(inner, corner, over)), 0.0]


def corner_middle(inner, corner, over):
    """Middle of the first side of the polygon."""
    a = math.pi / over - 0.5 * math.pi
    first, second = np.array([0.0, -corner]), corner * np.array([math.cos(a), math.sin(a)])
    return 0.5 * (first + second)


row(
    "machinery.rope_over_pulley",
    rope_over_pulley,
    {
        "segments": 12,
        "length": 40.0,
        "radius": 10.0,
        "over": 6,
        "behind": 3,
        "groove": (15.0, 15.0),
        "width": 108.0,
        "density": 0.8e-6,
        "young": 200.0,
        "shear": 70.0,
        "bending": 0.01,
        "damping": 1e-4,
        "load": 100.0,
        "brake": 300.0,
        "pull": 980.0,
        "hold": 20.0,
        "offset": 4.0,
        "pulley": (10.0, 3e4),
        "bore": 30.0,
        "gravity": 9810.0,
        "counterweight": 50.0,
    },
    {
        "segments": 15,
        "length": 36.0,
        "radius": 9.0,
        "over": 7,
        "behind": 4,
        "groove": (14.0, 17.0),
        "width": 100.0,
        "density": 1e-6,
        "young": 250.0,
        "shear": 80.0,
        "bending": 0.02,
        "damping": 2e-4,
        "load": 80.0,
        "brake": 200.0,
        "pull": 800.0,
        "hold": 30.0,
        "offset": 3.0,
        "pulley": (12.0, 4e4),
        "bore": 26.0,
        "gravity": 5000.0,
        "counterweight": 60.0,
    },
    pulley_measure,
    pulley_closed,
    dear=True,
)


def smooth_rope(elements):
    m = rope_over_pulley(12, behind=3, model="cable", elements=elements)
    numbers, long = cable_numbers(m)
    return [*numbers, long]


def smooth_rope_closed(elements):
    inner = 20.0 / math.tan(math.pi / 12.0)
    area, second = math.pi * 100.0, 0.25 * math.pi * 1e4
    out = [200.0 * area, 0.01 * 200.0 * second, 0.8e-6 * area, 1e-4, elements, -120.0, -inner, 4.0, -120.0, inner, 0.0]
    return [*out, 240.0 + math.pi * inner]


row(
    "machinery.rope_over_pulley",
    lambda elements: elements,
    {"elements": 40},
    {"elements": 50},
    smooth_rope,
    smooth_rope_closed,
    rel=3e-4,
)
