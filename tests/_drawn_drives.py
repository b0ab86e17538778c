"""What drives, ropes, brakes and bearings are made of, element by element, from their docstrings: see `_account`.
A rope of beams or a cable is compared with one that is laid here along positions of our own."""

import math

import numpy as np
from scipy.interpolate import Akima1DInterpolator

import holonom as hn
from _account import LEVEL, ZERO, Drawings, X, Y, Z, account, body, braked, chance, pair, pair_of, point, smooth
from holonom.elements.absolute.cable import PROPERTIES
from holonom.flexible import Section, cable, rod
from holonom.machinery import (
    CamProgram,
    DiscBrake,
    Sheave,
    belt_drive,
    braking_rig,
    clutch_rig,
    helical_gears,
    laid_rope,
    pad_on_disc,
    reeving,
    rope_on_drum,
    rope_over_pulley,
    table_bearing,
    timing_belt,
    valve_train,
)
from holonom.machinery.disc_brake import FadingStop, SquealModel
from holonom.machinery.studies import ball_on_plate

DRAWINGS = Drawings()
drawing = DRAWINGS.of


def turning(found, part, at=ZERO):
    """Angle and speed of a part about z, against ground."""
    R, w = point(found, part, at)[3], point(found, part, at)[2]
    return math.atan2(R[1, 0], R[1, 1]), float(w[2])


def evenly(speed, rise, t=0.37):
    return 0.5 * speed * t * t / rise if t < rise else speed * (t - 0.5 * rise)


# ---- a toothed belt: two strands of EA/l ----
@drawing(
    timing_belt,
    radii=(0.021, 0.058),
    stiffness=1.1e6,
    distance=0.31,
    tension=400.0,
    damping=0.05,
    speed=70.0,
    load=3.0,
    rise=0.6,
    inertia=(2e-5, 8e-4),
)
def toothed_belt(found, radii, stiffness, distance, tension, damping, speed, load, rise, inertia):
    a, b = radii
    k = stiffness / math.sqrt(distance**2 - (a - b) ** 2)
    c = damping * math.sqrt(2.0 * k * inertia[1]) / b
    (a1, w1), (a2, w2) = turning(found, "driver"), turning(found, "follower", (distance, 0, 0))
    ahead, quick = a * a1 - b * a2, c * (a * w1 - b * w2)
    tight, slack = (max(0.0, tension + s * (k * ahead + 0.5 * quick)) for s in (1.0, -1.0))
    drawn = {
        "VARIABLE ahead": {"function": ahead},
        "VARIABLE tight": {"function": tight},
        "VARIABLE slack": {"function": slack},
        "MOTION drive": {"joint": "driver shaft", "function": evenly(speed, rise)},
        "SFORCE load": braked("follower", (distance, 0, 0), -3.0 * smooth(0.37 / rise)),
        "REQUEST strands": {"functions": {"F2": tight, "F3": slack}},
    }
    for word, x, r, J, sign in (("driver", 0.0, a, 2e-5, -1.0), ("follower", distance, b, 8e-4, 1.0)):
        drawn[f"PART {word}"] = body(2.0 * J / r**2, (x, 0, 0), (0.6 * J, 0.6 * J, J))
        drawn[f"JOINT {word} shaft"] = pair_of(word, (x, 0, 0))
        drawn[f"SFORCE belt on {word}"] = braked(word, (x, 0, 0), sign * r * (tight - slack))
    return drawn


# ---- helical gears in contact ----
@drawing(
    helical_gears,
    teeth=(19, 33),
    module=3.0,
    helix=0.3,
    pressure_angle=0.36,
    width=24.0,
    backlash=0.08,
    period=0.9,
    torque=7e4,
    rise=(0.1, 0.8),
)
def gears_in_contact(found, teeth, module, helix, pressure_angle, width, backlash, period, torque, rise):
    r = [0.5 * module / math.cos(helix) * n for n in teeth]
    far, w = r[0] + r[1], 2.0 * math.pi / period
    turns = [turning(found, p, (x, 0, 0)) for p, x in (("pinion", 0.0), ("wheel", far))]
    drawn = {
        "MOTION drive": {"joint": "pinion shaft", "function": w * 0.37},
        "SFORCE load": pair(
            "wheel", "ground", (far, 0, 0), Z, kind="ROTATIONAL", function=7e4 * smooth((0.37 - 0.1) / 0.7)
        ),
        "REQUEST turned": {
            "functions": dict(zip(("F2", "F3", "F4", "F5"), [*(t[0] for t in turns), *(t[1] for t in turns)]))
        },
    }
    shapes = []
    for k, word in enumerate(("pinion", "wheel")):
        at = (far * k, 0, 0)
        m = 7.85e-6 * math.pi * r[k] ** 2 * width
        J = m * (3.0 * r[k] ** 2 + width**2) / 12.0
        drawn[f"PART {word}"] = body(m, at, (J, J, 0.5 * m * r[k] ** 2), spin=(0, 0, w * (1.0, -19.0 / 33.0)[k]))
        drawn[f"JOINT {word} shaft"] = pair_of(word, at)
        # the wheel's tooth gap lies over the pinion's tooth, moved by half of the backlash to where flanks touch
        a = k * (math.pi + math.pi / 33.0 + 0.5 * backlash / r[1])
        axes = np.array([[math.cos(a), -math.sin(a), 0.0], [math.sin(a), math.cos(a), 0.0], [0.0, 0.0, 1.0]])
        rises = math.tan(helix) / r[k] * (1.0, -1.0)[k]
        shapes.append({"part": word, "shape": "EXTRUSION", "at": at, "axes": axes, "sizes": (0.5 * width, rises)})
        shapes[-1] |= {"points": None, "bulge": None, "handles": None}
    drawn["CONTACT teeth"] = {
        **{
            "igeom": shapes[:1],
            "jgeom": shapes[1:],
            "stiffness": 2.89e5,
            "exponent": 1.5,
            "damping": 50.0,
            "dmax": 0.1,
        },
        **{"coulomb_friction": "ON", "mu_static": 0.08, "mu_dynamic": 0.05},
        **{"stiction_transition_velocity": 0.1, "friction_transition_velocity": 10.0},
    }
    for k, s in enumerate("ij"):  # teeth of one transverse module above the pitch circle and 1.25 below it
        far_out = np.hypot(*found["CONTACT teeth"][f"{s}geom"][0]["points"].T)
        whole = module / math.cos(helix)
        assert math.isclose(far_out.max(), r[k] + whole) and math.isclose(far_out.min(), r[k] - 1.25 * whole)
    return drawn


# ---- a clutch, brakes, a pad, a ball ----
@drawing(clutch_rig, capacity=90.0, inertias=(0.3, 0.7), speeds=(120.0, 20.0), driving=11.0, load=7.0, rise=0.6)
def clutch(found, capacity, inertias, speeds, driving, load, rise):
    drawn = {
        **dict.fromkeys(("MOTION clutch.stick", "SWITCH clutch")),
        "REQUEST clutch": {
            "functions": {"F2": turning(found, "first")[1], "F3": turning(found, "second", (0, 0, 0.1))[1]}
        },
        "SFORCE driving": braked("first", ZERO, 11.0),
        "SFORCE load": braked("second", (0, 0, 0.1), -7.0),
    }
    for k, word in enumerate(("first", "second")):
        J, at = inertias[k], (0, 0, 0.1 * k)
        drawn[f"PART {word}"] = body(10.0 * J, at, (0.6 * J, 0.6 * J, J), spin=(0, 0, speeds[k]))
        drawn[f"JOINT {word} shaft"] = pair_of(word, at)
    # in the middle between both: what it carries while it slides either way
    for word, sign in (("forward", -1.0), ("backward", 1.0)):
        drawn[f"SFORCE clutch.{word}"] = pair(
            *("first", "second", (0, 0, 0.05), Z), **{"kind": "ROTATIONAL", "function": sign * 90.0 * 0.37 / 0.6}
        )
    return drawn


@drawing(
    braking_rig,
    brake=DiscBrake(piston=0.05, inner=0.1, outer=0.14, mu=0.4),
    inertia=31.0,
    speed=77.0,
    actuation=2e6,
    rise=0.6,
    drag=3.0,
    slow=0.7,
)
def wheel_that_brakes(found, brake, inertia, speed, actuation, rise, drag, slow):
    angle, w = turning(found, "wheel")
    piston = math.pi * 0.05**2 / 4.0
    return {
        "PART wheel": body(60.0, ZERO, (0.6 * 31.0, 0.6 * 31.0, 31.0), spin=(0, 0, 77.0)),
        "JOINT shaft": pair_of("wheel", ZERO),
        "SFORCE brake": pair(
            *("wheel", "ground", ZERO, Z),
            # both faces of the disc
            **{"kind": "ROTATIONAL", "function": -(0.8 * 2e6 * piston * 0.12 * 0.37 / 0.6 + 3.0) * math.tanh(w / 0.7)},
        ),
        "REQUEST brake": {"functions": {"F2": angle, "F3": w, "F4": None}},
    }


@drawing(
    pad_on_disc,
    speed=0.13,
    mass=1.2,
    stiffness=1.1e5,
    damping=6.0,
    normal=900.0,
    mu_static=0.52,
    mu_kinetic=0.33,
    decay=0.25,
    slow=2e-3,
)
def pad(found, speed, mass, stiffness, damping, normal, mu_static, mu_kinetic, decay, slow):
    at, v = (a[0] for a in point(found, "pad", ZERO)[:2])
    slip = 0.13 - v
    rub = 900.0 * (0.33 + 0.19 * math.exp(-abs(slip) / 0.25)) * math.tanh(slip / 2e-3)
    where = {"i": "pad", "i at": ZERO, "i axes": None}
    drawn = {
        "PART pad": body(1.2, ZERO, (1.2,) * 3),
        "JOINT slide": pair("pad", "ground", ZERO, X, type="TRANSLATIONAL"),
        "REQUEST pad": {"functions": {"F2": at, "F3": slip, "F4": rub}},
    }
    drawn["VARIABLE friction"] = {"function": rub}
    drawn["VFORCE spring and friction"] = {**where, "jfloat": "ground", "fx": rub - 1.1e5 * at - 6.0 * v}
    return drawn


@drawing(ball_on_plate, damping=5.0, mass=0.6, radius=11.0, drop=47.0, stiffness=2.7e5, dmax=0.12)
def ball(found, damping, mass, radius, drop, stiffness, dmax):
    at = (0, 0, 58.0)
    return {
        "GRAVITY of the model": {"g": (0.0, 0.0, -9806.65)},
        "PART ball": body(0.6, at, (0.4 * 0.6 * 121.0,) * 3),
        "CONTACT plate": {
            "igeom": [{"part": "ball", "shape": "SPHERE", "at": at, "axes": None, "sizes": (11.0, 0.0)}],
            "jgeom": [{"part": "ground", "shape": "PLANE", "at": ZERO, "axes": Z, "sizes": None}],
            **{"stiffness": 2.7e5, "exponent": 1.5, "damping": 5.0, "dmax": 0.12},
        },
    }


@drawing(
    lambda: FadingStop(inertia=37.0, speed=71.0, torque=1300.0, capacity=2500.0, fade=0.006, cooling=9.0).model(0.06)
)
def fading(found):
    w = turning(found, "wheel")[1]
    hot = float(chance("DIF(1)")[0])
    full = 1300.0 * (1.0 - 0.006 * hot) * math.tanh(w / 0.06)
    return {
        "PART wheel": body(60.0, ZERO, (0.6 * 37.0, 0.6 * 37.0, 37.0), spin=(0, 0, 71.0)),
        "JOINT shaft": pair_of("wheel", ZERO),
        "DIFF temperature": {"function": (full * w - 9.0 * hot) / 2500.0, "ic": None},
        "SFORCE brake": pair("wheel", "ground", ZERO, Z, kind="ROTATIONAL", function=-full),
        "REQUEST brake": {"functions": {"F2": w, "F3": hot, "F4": full}},
    }


SQUEAL = SquealModel(mu=0.43)


@drawing(lambda: SQUEAL.model())
def squeal(found):
    """A mass on springs at angles, pressed on a belt that moves to the left: K without the friction of the contact."""
    mu, k3 = SQUEAL.mu, SQUEAL.contact
    at = np.array([0.0, 0.1 - SQUEAL.normal / k3, 0.0])  # as deep as the contact carries the force
    skin = {"part": "ball", "shape": "SPHERE", "at": at, "axes": None, "sizes": (0.1, 0.0)}
    drawn = {
        "PART belt": body(1e3, ZERO, (1, 1, 1), (-1, 0, 0)),
        "PART ball": body(SQUEAL.mass, at, (1, 1, 1)),
        "JOINT slide": pair("belt", "ground", ZERO, X, type="TRANSLATIONAL"),
        "MOTION drive": {"joint": "slide", "kind": "TRANSLATIONAL", "function": -0.37},
        "JPRIM flat": pair("ball", "ground", at, Z, type="INPLANE"),
        "JPRIM upright": pair("ball", "ground", at, Z, type="ORIENTATION"),
        "CONTACT pad": {
            **{"igeom": [skin], "jgeom": [{"part": "belt", "shape": "PLANE", "at": ZERO, "axes": Y, "sizes": None}]},
            **{"stiffness": k3, "coulomb_friction": "ON", "mu_static": mu, "mu_dynamic": mu},
            **{"stiction_transition_velocity": 0.01, "friction_transition_velocity": 0.02},
        },
        "VFORCE springs": None,
    }
    d = point(found, "ball", at)[0] - at
    # stiffness() has what contact and friction add to the springs: k3 pushes up, mu k3 along the belt
    K = SQUEAL.stiffness() - np.array([[0.0, -mu * k3], [0.0, k3]])
    force = found["VFORCE springs"]
    assert np.allclose([force["fx"], force["fy"]], -K @ d[:2] + [mu * SQUEAL.normal, -SQUEAL.normal], rtol=1e-9)
    assert force["i"] == "ball" and np.allclose(force["i at"], at)
    return drawn


# ---- ropes with mass ----
def laid(
    m,
    kind,
    places,
    section,
    E,
    density,
    bending,
    damping,
    tension,
    radius,
    plane=None,
    name="rope",
    y=None,
    closed=False,
):
    """A rope along positions, as `flexible` lays it."""
    if kind == "rod":
        more = {} if y is None else {"y": y}
        return rod(
            *(m, places, section),
            **{
                "E": E,
                "density": density,
                "damping": damping,
                "bending": bending,
                "straight": True,
                "tension": tension,
            },
            **{"name": name, "closed": closed, **more},
        )
    second = min(section.Iy, section.Iz)
    more = {} if plane is None else {"plane": plane}
    return cable(
        *(m, places),
        **{"EA": E * section.A, "EI": bending * E * second, "mass": density * section.A, "damping": damping},
        **{
            "tension": tension,
            "elements": len(places) - (not closed),
            "radius": radius,
            "name": name,
            "closed": closed,
        },
        **more,
    )


def drum_model(kind):
    """A rope of 1.2 turns on a drum."""
    return rope_on_drum(
        0.28, 1.2, radius=0.11, thick=0.0013, load=12.0, young=1.7e9, density=2100.0, bending=0.02, damping=2e-3,
        pull=0.06, end=0.3, nodes=9, model=kind,
    )  # fmt: skip


def drum_by_hand(kind):
    axis, angle = 0.11 + 0.0013, 2.4 * math.pi
    count = round(2 * 9 * 1.2)
    step = axis * angle / count
    phi = np.arange(count + 1) * angle / count
    # more than 0.9 turns lie as a helix that rises by four radii of the rope a turn
    arc = np.column_stack([axis * np.cos(phi), axis * np.sin(phi), 4.0 * 0.0013 * phi / (2.0 * math.pi)])
    off = np.array([-math.sin(angle), math.cos(angle), 0.0])
    places = np.vstack(
        [[arc[0] - k * step * Y for k in (3, 2, 1)], arc, [arc[-1] + k * step * off for k in (1, 2, 3, 4)]]
    )
    m = hn.Model("drum")
    m.gravity = (0.0, 0.0, 0.0)
    rope = laid(m, kind, places, Section.round(0.0013), 1.7e9, 2100.0, 0.02, 2e-3, 12.0, 0.0013)
    high = 0.15 * 0.11 + arc[-1, 2]
    drum = m.cylinder(m.ground, (0, 0, -0.15 * 0.11), (0, 0, high), 0.11)
    words = {"shape": "sphere"} if kind == "rod" else {"shape": "sphere", "points": 1}
    rope.touch(drum, mu=0.28, name="on the drum", **words)
    first = rope.first.cm if kind == "rod" else m.marker(rope.first)
    m.vforce(first, m.ground, "0", "-12.0", "0", rm=m.marker(m.ground), name="load")
    slide = m.translational(rope.last, m.ground, at=tuple(places[-1]), axis=tuple(off))
    m.motion(slide, f"0.06*{0.37!r}*{smooth(0.37 / (0.2 * 0.3))!r}", name="pull")
    return m


def without_names(found):
    return {w: v for w, v in found.items() if w != "PART ground"}


@drawing(drum_model, kind="rod")
def rod_on_a_drum(found, kind):
    return without_names(account(drum_by_hand(kind)))


@drawing(drum_model, kind="cable")
def cable_on_a_drum(found, kind):
    return without_names(account(drum_by_hand(kind)))


BELT = {
    **{"radii": (0.051, 0.067), "distance": 0.31, "section": (0.021, 0.0022), "young": 1.9e8, "density": 1150.0},
    **{"damping": 3e-4, "tension": 110.0, "friction": 0.45, "groove": 0.7, "speed": 21.0, "load": 4.4, "rise": 0.6},
    "inertia": (2e-4, 3e-4),
}


def belt_by_hand(kind, n):
    a, b, far = 0.051, 0.067, 0.31
    A, B = a + 0.0011, b + 0.0011
    lean = math.asin((A - B) / far)
    strand = far * math.cos(lean)
    right, left = (math.pi - 2.0 * lean) * B, (math.pi + 2.0 * lean) * A
    total = right + left + 2.0 * strand
    if n is None:  # ten on half of the smaller pulley
        n = round(total / (0.1 * math.pi * min(A, B)))

    def at(s):
        """From where the belt leaves the driver below, anticlockwise."""
        low = np.array([math.sin(lean), -math.cos(lean), 0.0])
        up = low * (1.0, -1.0, 1.0)
        c = far * X
        if s < strand:
            return A * low + s * np.array([math.cos(lean), math.sin(lean), 0.0])
        s -= strand
        if s < right:
            t = -0.5 * math.pi + lean + s / B
            return c + B * np.array([math.cos(t), math.sin(t), 0.0])
        s -= right
        if s < strand:
            return c + B * up + s * np.array([-math.cos(lean), math.sin(lean), 0.0])
        t = 0.5 * math.pi - lean + (s - strand) / A
        return A * np.array([math.cos(t), math.sin(t), 0.0])

    places = [at(total * k / n) for k in range(n)]
    m = hn.Model("belt")
    m.gravity = (0.0, 0.0, 0.0)
    section = Section.rectangle(0.021, 0.0022)
    more = {"y": (0, 0, 1)} if kind == "rod" else {"plane": "xy"}
    belt = laid(m, kind, places, section, 1.9e8, 1150.0, 1.0, 3e-4, 110.0, 0.0011, name="belt", closed=True, **more)
    spacing = total / (n if kind == "rod" else 2 * n)
    # sinking in by T spacing/(k R) is creep too: a fiftieth of the elastic one, both strands
    stiffness = 2.0 / 0.02 * 1.9e8 * section.A * spacing / a**2
    words = {} if kind == "rod" else {"points": 2}
    for word, x, r, J in (("driver", 0.0, a, 2e-4), ("follower", far, b, 3e-4)):
        wheel = m.part(word, 2.0 * J / r**2, (0.6 * J, 0.6 * J, J), (x, 0, 0))
        m.revolute(wheel, m.ground, f"{word} shaft", at=(x, 0, 0), axis=Z)
        face = m.cylinder(wheel, (x, 0, -0.6 * 0.021), (x, 0, 0.6 * 0.021), r)
        belt.touch(
            face, mu=0.45 / math.sin(0.35), radius=0.0011, name=word, stiffness=stiffness, shape="sphere", **words
        )
    m.motion(m.find("JOINT", "driver shaft"), repr(evenly(21.0, 0.6)), name="drive")
    j = m.find("JOINT", "follower shaft")
    m.sforce(j.i, j.j, repr(-4.4 * smooth(0.37 / 0.6)), "brake", kind="ROTATIONAL", actiononly=True)
    return m


@drawing(belt_drive, model="rod", elements=24, **BELT)
def belt_of_beams(found, **given):
    return without_names(account(belt_by_hand("rod", 24)))


@drawing(belt_drive, model="cable", **BELT)
def belt_of_cable(found, **given):
    return without_names(account(belt_by_hand("cable", None)))


# ---- a smooth rope half round a pulley, mm ----
SMOOTH = {
    **{"segments": 16, "length": 36.0, "radius": 9.0, "over": 6, "behind": 6, "groove": (14.0, 17.0), "width": 100.0},
    **{"density": 1e-6, "young": 250.0, "shear": 80.0, "bending": 0.02, "damping": 2e-4, "load": 80.0, "brake": 200.0},
    **{"pull": 800.0, "hold": 30.0, "offset": 3.0, "pulley": (12.0, 4e4), "gravity": 5000.0, "counterweight": 60.0},
    **{"stages": ((0.1, 0.5, 0.7, 0.9),), "elements": 80},
}


def smooth_by_hand(kind):
    bottom = 18.0 / math.tan(math.pi / 12.0) - 9.0
    R, before, behind = bottom + 9.0, 6 * 36.0, 4 * 36.0
    total = before + math.pi * R + behind
    places = []
    for k in range(81):
        s = total * k / 80
        if s < before:
            places.append((s - before, -R, 3.0 * (1.0 - s / before)))
        elif s <= before + math.pi * R:
            t = (s - before) / R
            places.append((R * math.sin(t), -R * math.cos(t), 0.0))
        else:
            places.append((before + math.pi * R - s, R, 0.0))
    places = np.array(places)
    m = hn.Model("rope", units="mm")
    m.gravity = (-5000.0, 0.0, 0.0)
    wheel = m.part("pulley", 12.0, (2.4e4, 2.4e4, 4e4), ZERO)
    shaft = m.revolute(wheel, m.ground, "shaft", at=(0, 0, 0), axis=Z)
    m.torsion_spring(shaft.i, shaft.j, damping=20.0, name="bearing")
    far, near = places[0], places[-1]
    sled = m.part("load", 80.0, (8e4,) * 3, far - 54.0 * X)
    m.translational(sled, m.ground, "rail", at=far, axis=X)
    state = account(m)
    rides = point(state, "load", far)[1][0]
    i, j = (m.marker_at(p, far, z=X) for p in (sled, m.ground))
    m.sforce(i, j, repr(-200.0 * math.tanh(rides / 20.0)), "brake", actiononly=True)
    section = Section.round(9.0)
    # what hangs below an element: the load and its strand, or the counterweight, its strand and the hold
    line = 1e-6 * section.A
    middle = 0.5 * (places[1:] + places[:-1])
    below = [80.0 + line * (p[0] - far[0]) if p[1] < 0 else 60.0 + line * (p[0] - near[0]) for p in middle]
    held = np.array(below) * 5.0 + np.where(middle[:, 1] < 0, 0.0, 30.0)
    EA = 250.0 * section.A
    if kind == "rod":
        rope = rod(
            *(m, places, section),
            **{"E": 250.0, "G": 80.0, "density": 1e-6, "damping": 2e-4, "bending": 0.02, "straight": True},
            name="rope",
        )
        for beam, T in zip(rope.beams, held):
            beam.length /= 1.0 + T / EA
    else:
        rope = cable(
            *(m, places),
            **{"EA": EA, "EI": 0.02 * 250.0 * section.Iy, "mass": line, "damping": 2e-4, "elements": 80},
            **{"radius": 9.0, "name": "rope"},
        )
        numbers = np.array(rope.mesh.properties).reshape(80, -1)
        numbers[:, PROPERTIES.index("strain")] = -held / EA
        rope.mesh.properties = tuple(map(float, numbers.ravel()))
    seat = m.cylinder(wheel, (0, 0, -14.0), (0, 0, 14.0), bottom)
    words = {"shape": "sphere"} if kind == "rod" else {"shape": "sphere", "points": 2}
    rope.touch(seat, name="groove", mu=0.3, **words)
    m.fixed(rope.first, sled, "clamp of the load", at=tuple(far))
    other = m.part("counterweight", 60.0, (6e4,) * 3, near - 54.0 * X)
    m.translational(other, m.ground, "counterweight rail", at=near, axis=X)
    m.fixed(rope.last, other, "clamp of the counterweight", at=tuple(near))
    pulled = -(30.0 + 770.0 * smooth((0.37 - 0.1) / 0.4))
    m.vforce(other.cm, m.ground, repr(pulled), rm=m.marker(m.ground), name="pull")
    speed = f"VX({i},{j})"
    m.request("pull", functions={"F2": repr(pulled), "F3": f"DX({sled.cm})", "F4": speed})
    return m


@drawing(rope_over_pulley, model="rod", **SMOOTH)
def smooth_rope_of_beams(found, **given):
    return without_names(account(smooth_by_hand("rod")))


@drawing(rope_over_pulley, model="cable", **SMOOTH)
def smooth_rope_of_cable(found, **given):
    return without_names(account(smooth_by_hand("cable")))


# ---- a rope with mass over two sheaves of a tilted plane ----
def with_mass(kind):
    m = hn.Model("laid")
    A = plane()
    parts = [m.part(f"p{k}", 1.0 + k, (1, 1, 1), tuple(A @ c)) for k, c in enumerate(POINTS)]
    path = [Sheave(p, tuple(A @ c), r, s) for p, c, r, s in zip(parts, POINTS, RADII, TURNS)]
    laid_rope(
        *(m, path, 0.012),
        **{"young": 1.5e9, "density": 1100.0, "kind": kind, "friction": 0.27, "tension": 70.0, "bending": 0.03},
        **{"damping": 2e-3, "elements": 61, "normal": tuple(NORMAL), "width": 0.09, "name": "line"},
    )
    return m


def with_mass_by_hand(kind):
    m = hn.Model("laid")
    A = plane()
    parts = [m.part(f"p{k}", 1.0 + k, (1, 1, 1), tuple(A @ c)) for k, c in enumerate(POINTS)]
    fine = along_path(POINTS, 0.012)
    s = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(fine, axis=0), axis=1))])
    at = np.linspace(0.0, s[-1], 62)
    flat = np.column_stack([np.interp(at, s, fine[:, 0]), np.interp(at, s, fine[:, 1]), np.full(62, POINTS[0, 2])])
    places = flat @ A.T
    rope = laid(m, kind, places, Section.round(0.012), 1.5e9, 1100.0, 0.03, 2e-3, 70.0, 0.012, name="line")
    words = {"shape": "sphere"} if kind == "rod" else {"shape": "sphere", "points": 2}
    for k in (1, 2):
        c, half = A @ POINTS[k], 0.045 * A[:, 2]
        face = m.cylinder(parts[k], tuple(c - half), tuple(c + half), RADII[k])
        rope.touch(face, mu=0.27, name=f"line on {k + 1}", **words)
    for end, p, c in ((rope.first, parts[0], POINTS[0]), (rope.last, parts[-1], POINTS[-1])):
        m.spherical(end, p, at=tuple(A @ c))
    return m


def along_path(points, thick):
    """Points on the axis of the rope: tangents of circles that are larger by its radius, arcs between them."""
    bends = [s * (r + thick) if r else 0.0 for s, r in zip(TURNS, RADII)]
    ways = []
    for p, q, a, b in zip(points, points[1:], bends, bends[1:]):
        d = (q - p)[:2]
        ways.append(math.atan2(d[1], d[0]) + math.asin((a - b) / math.hypot(*d)))
    out = [points[0, :2]]
    for k in (1, 2):
        arc = (TURNS[k] * (ways[k] - ways[k - 1])) % (2.0 * math.pi)
        turn = ways[k - 1] + TURNS[k] * np.linspace(0.0, arc, 4001)
        out += list(points[k, :2] + bends[k] * np.column_stack([np.sin(turn), -np.cos(turn)]))
    return np.array([*out, points[-1, :2]])


@drawing(with_mass, 1e-6, kind="rod")
def beams_over_sheaves(found, kind):
    return without_names(account(with_mass_by_hand(kind)))


@drawing(with_mass, 1e-6, kind="cable")
def cable_over_sheaves(found, kind):
    return without_names(account(with_mass_by_hand(kind)))


# ---- a valve train, mm ----
CAM = CamProgram((("rise", 1.3, "3-4-5"), ("return", 1.5, "3-4-5"), ("dwell", 2 * math.pi - 2.8, "")), 7.5)


@drawing(
    valve_train,
    cam=CAM,
    speed=9.0,
    rise=0.4,
    base=19.0,
    tappet=0.07,
    valve=0.11,
    pushrod=2.1e4,
    contact=5.3e4,
    spring=38.0,
    preload=290.0,
    lash=0.04,
    damping=0.05,
)
def valves(found, cam, speed, rise, base, tappet, valve, pushrod, contact, spring, preload, lash, damping):
    turn, w = turning(found, "cam")
    at = turn % (2.0 * math.pi)
    lift, steep = (float(v[0]) for v in cam(np.array([at]))[:2])
    up = {p: (0.0, base + h, 0.0) for p, h in (("tappet", 10.0), ("valve", 60.0))}
    y, v = ({p: point(found, p, c)[k][1] - c[1] * (k == 0) for p, c in up.items()} for k in (0, 1))
    c = 2.0 * damping * math.sqrt(contact * tappet / 1e3)
    depth = lift - lash - y["tappet"]
    push = max(0.0, contact * depth + c * (steep * w - v["tappet"]) * smooth(depth / 1e-3)) if depth > 0.0 else 0.0
    rod_damping = 2.0 * damping * math.sqrt(pushrod / 1e3 * tappet * valve / (tappet + valve))
    rod_force = pushrod * (y["tappet"] - y["valve"]) + rod_damping * (v["tappet"] - v["valve"])
    drawn = {
        "PART cam": body(0.5, ZERO, (100.0, 100.0, 150.0)),
        "JOINT cam shaft": pair_of("cam", ZERO),
        "MOTION drive": {"joint": "cam shaft", "function": evenly(speed, rise)},
        "SPLINE lift": {"x": None, "y": None},
        "SPLINE slope of lift": {"x": None, "y": None},
        "VARIABLE depth of contact": {"function": depth},
        "VARIABLE contact force": {"function": push},
        "SFORCE torque of the contact": braked("cam", ZERO, -push * steep),
        "REQUEST train": {
            "functions": dict(zip(("F2", "F3", "F4", "F5", "F6"), (turn, lift, y["tappet"], y["valve"], push)))
        },
    }
    for part, m in (("tappet", tappet), ("valve", valve)):
        drawn[f"PART {part}"] = body(m, up[part], (50.0 * m,) * 3)
        drawn[f"JOINT {part} guide"] = pair(part, "ground", up[part], Y, type="TRANSLATIONAL")
    for name, part, force in (
        ("contact", "tappet", push),
        ("pushrod on the tappet", "tappet", -rod_force),
        ("pushrod and spring on the valve", "valve", rod_force - spring * y["valve"] - preload),
    ):
        drawn[f"VFORCE {name}"] = {"i": part, "i at": up[part], "i axes": LEVEL, "jfloat": "ground", "fy": force}
    return drawn


# ---- a rope of constant length over two sheaves of a tilted plane ----
NORMAL = np.array([0.2, -0.1, 1.0])


def reeved():
    m = hn.Model("reeving")
    A = plane()
    parts = [m.part(f"p{k}", 1.0 + k, (1, 1, 1), tuple(A @ c)) for k, c in enumerate(POINTS)]
    drum = m.part("drum", 1.0, (1, 1, 1), (1, 2, 3))
    winch = m.revolute(drum, m.ground, "winch", at=(1, 2, 3), axis=(0, 0, 1))
    path = [Sheave(p, tuple(A @ c), r, s) for p, c, r, s in zip(parts, POINTS, RADII, TURNS)]
    made = reeving(m, path, normal=tuple(NORMAL), drums=[(winch, 0.23)], pay_out="0.1*TIME", name="line")
    assert math.isclose(made.length, length_of(POINTS), rel_tol=1e-12) and made.parts == 3
    return m


POINTS = np.array([[-0.9, -1.1, 0.3], [-0.7, 0.8, 0.3], [0.6, 0.1, 0.3], [0.9, 1.3, 0.3]])
RADII, TURNS = (0.0, 0.21, 0.17, 0.0), (1, -1, 1, 1)


def plane():
    n = NORMAL / np.linalg.norm(NORMAL)
    x = np.cross(Y, n) / np.linalg.norm(np.cross(Y, n))
    return np.column_stack([x, np.cross(n, x), n])


def length_of(points):
    """Of a rope over circles, by its tangents and arcs."""
    bends = [s * r for s, r in zip(TURNS, RADII)]
    total, ways = 0.0, []
    for p, q, a, b in zip(points, points[1:], bends, bends[1:]):
        d = (q - p)[:2]
        D = math.hypot(*d)
        total += math.sqrt(D * D - (a - b) ** 2)
        ways.append(math.atan2(d[1], d[0]) + math.asin((a - b) / D))
    for k in (1, 2):
        total += RADII[k] * ((TURNS[k] * (ways[k] - ways[k - 1])) % (2.0 * math.pi))
    return total


@drawing(reeved)
def rope_over_sheaves(found):
    A = plane()
    moved = [A.T @ point(found, f"p{k}", A @ c)[0] for k, c in enumerate(POINTS)]
    drawn = {w: None for w in found if w.split()[0] in ("PART", "JOINT") and w != "PART ground"}
    angle = turning(found, "drum", (1, 2, 3))[0]
    longer = length_of(moved) - length_of(POINTS)
    assert abs(longer) > 1e-5
    drawn["GCON line"] = {"function": longer - 0.23 * angle - 0.1 * 0.37, "i": "p3", "i at": A @ POINTS[3], "i axes": A}
    return drawn


# ---- a bearing by tables: odd over negative deflections, damped where there is a table ----
RADIAL = [(0.0, 0.0), (1e-4, 9e2), (2e-4, 3.1e3), (4e-4, 9.9e3)]
AXIAL = [(-3e-4, -4e3), (-1e-4, -5e2), (0.0, 0.0), (2e-4, 1.1e3), (5e-4, 7e3)]


def on_tables():
    m = hn.Model("bearing")
    shaft = m.part("shaft", 3.0, (1, 1, 1), (0.1, 0.2, 0.3))
    i = m.marker_at(shaft, (0.1, 0.25, 0.3), z=X)
    j = m.marker_at(m.ground, (0.1, 0.25, 0.3), z=X)
    table_bearing(m, i, j, RADIAL, AXIAL, damping=700.0)
    return m


@drawing(on_tables, 1e-7)
def bearing_by_tables(found):
    at = np.array([0.1, 0.25, 0.3])
    A = found["VFORCE bearing"]["rm axes"]
    p, v, _, _ = point(found, "shaft", at)
    d, v = A.T @ (p - at), A.T @ v
    r = np.array(RADIAL)
    both = np.vstack([-r[:0:-1], r])
    e = float(np.hypot(d[0], d[1]))
    law = Akima1DInterpolator(*both.T, extrapolate=True)
    secant = float(law(e)) / e
    axial = float(Akima1DInterpolator(*np.array(AXIAL).T, extrapolate=True)(d[2]))
    return {
        "PART shaft": None,
        "SPLINE bearing radial": {"x": both[:, 0], "y": [both[:, 1]], "linear_extrapolate": True},
        "SPLINE bearing axial": {"x": np.array(AXIAL)[:, 0], "y": [np.array(AXIAL)[:, 1]], "linear_extrapolate": True},
        "VARIABLE bearing secant": {"function": secant},
        "VFORCE bearing": {
            **{"i": "shaft", "i at": at, "i axes": X, "jfloat": "ground", "rm": "ground", "rm at": at, "rm axes": X},
            **{"fx": -secant * d[0] - 700.0 * v[0], "fy": -secant * d[1] - 700.0 * v[1]},
            "fz": -axial - 700.0 * v[2],
        },
    }
