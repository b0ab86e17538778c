"""Gears in a model by three levels: a ratio, a mesh with stiffness, teeth in contact; pairs, bevel pairs, planetary
sets, two-stage gearboxes.

"mesh": along the line of action, with s = 1 where the pinion drives by a positive turn, base radii r1, r2, +: external,
-: internal pair,

    d = s (r1 a1 +- r2 a2) - e(phase),       F = k(phase) d + c d'    while d > 0;     the back flank likewise from -d -
        backlash

k and e by `GearPair.mesh` at the nominal load.  F acts at the pitch point on both gears (so bearings feel it), with the
axial part of a helix; friction mu F with the arms
of the pairs that bear.  Units mm, kg, N, s.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._summary import Summary
from ..contact.shapes.profile import involute_gear
from ..model import Model, drawing
from ..model.base import ModelError, did_you_mean, shown
from ..model.shape import Profile
from .drive import ramped
from .gear_mesh import GearPair, MeshTable
from .gears import helical_gears

LEVELS = ("ratio", "mesh", "contact")
STEEL = 7.85e-6  # kg/mm^3


def _level(level: str, known: Sequence[str] = LEVELS) -> None:
    if level not in known:
        raise ModelError(f"level is {shown(level)}{did_you_mean(str(level), known)}; give one of {', '.join(known)}")


def disc_inertia(pair: GearPair, gear: int) -> tuple[float, float, float]:
    """Mass, inertia across and about the axis of a solid steel disc of the pitch circle (a ring: of 1.15 times its root
    circle, hollow): kg, kg mm^2."""
    if pair.internal and gear:
        outer, inner = 1.15 * pair.root_radii[1], pair.pitch_radii[1]
    else:
        outer, inner = pair.pitch_radii[gear], 0.0
    mass = STEEL * math.pi * (outer**2 - inner**2) * pair.width
    about = 0.5 * mass * (outer**2 + inner**2)
    return mass, 0.5 * about + mass * pair.width**2 / 12.0, about


@dataclass
class Mesh(Summary):
    """A mesh in a model: ``force``, ``stretch``: ids of the variables that are its force F (drive flank less back
    flank, N) and d (mm); ``stiffness`` mean,
    ``frequency(speed)``: of the mesh."""

    pair: GearPair
    force: Any
    stretch: Any
    stiffness: float

    def frequency(self, speed: float) -> float:
        """Hz, at a speed of the pinion against the carrier, rad/s."""
        return self.pair.teeth[0] * speed / (2.0 * math.pi)


def add_mesh(
    model: Model,
    pair: GearPair,
    gears: Sequence[Any],
    carrier: Any,
    centres: Sequence[Sequence[float]],
    *,
    axis: Sequence[float] = (0.0, 0.0, 1.0),
    load: float,
    inertia: Sequence[float],
    damping: float = 0.05,
    friction: float = 0.0,
    drive: int = 1,
    hand: int = 1,
    phase: float = 0.0,
    name: str = "mesh",
    constant: bool = False,
    place: Sequence[float] | None = None,
    axes: Sequence[Sequence[float]] | None = None,
) -> Mesh:
    """Mesh of two ``gears`` (parts) with ``centres`` (mm, at the design position) about an ``axis``; they are connected
    to a part ``carrier`` (housing, planet carrier) by separate joints.

    ``load``: nominal normal force (N) of stiffness and transmission error; ``inertia`` (kg mm^2) of both, for
    ``damping``, a ratio of the pair's own oscillation; ``friction``:
    coefficient; ``drive``: 1 where the pinion drives with positive rotation, -1 with negative; ``hand``: 1 where the
    pinion's helix is right-handed;
    ``phase``: of the mesh
    as drawn, 0 to 1; ``constant``: mean stiffness and no transmission error.  ``place``, ``axes``: pitch point and axes
    of the two shafts, of gears that are not parallel (bevel
    gears).  Raises `ModelError` for invalid values.
    """
    if drive not in (1, -1) or hand not in (1, -1):
        raise ModelError(f"drive is {shown(drive)} and hand {shown(hand)}; give 1 or -1")
    if not damping >= 0.0 or not friction >= 0.0 or not load > 0.0:
        raise ModelError(
            f"damping is {shown(damping)}, friction {shown(friction)}, load {shown(load)}; give a positive load, and "
            "no negative others"
        )
    r1, r2 = pair.base_radii
    sigma = pair.sign
    table = pair.mesh(load)
    mean = float(table.stiffness.mean())
    one, two = (np.asarray(c, float) for c in centres)
    if place is None:
        z = np.asarray(axis, float) / np.linalg.norm(axis)
        x = (two - one) * sigma
        x = x - (x @ z) * z
        x = x / np.linalg.norm(x)
        shafts = (z, z)
        at = one + pair.pitch_radii[0] * x
        tangent = np.cross(z, x)
        press1 = -x  # what presses the pinion away
        side = hand * math.tan(pair.base_helix) * z
    else:
        at = np.asarray(place, float)
        shafts = tuple(np.asarray(a, float) / np.linalg.norm(a) for a in axes or ())
        arm = at - one - ((at - one) @ shafts[0]) * shafts[0]
        x = arm / np.linalg.norm(arm)
        tangent = np.cross(shafts[0], x)
        apex = one
        cone = (at - apex) / np.linalg.norm(at - apex)
        press1 = np.cross(cone, tangent)
        press1 = press1 if press1 @ (at - one - ((at - one) @ shafts[0]) * shafts[0]) < 0.0 else -press1
        side = hand * math.tan(pair.base_helix) * cone
        z = shafts[0]
    alpha = pair.working_angle
    # a turn of the wheel moves its flank along the tangent by that of its pitch radius; its sense is that of the pair
    # where shafts are parallel
    turn2 = float(np.cross(shafts[1], at - two) @ tangent)
    sense = -math.copysign(1.0, turn2)
    scale1, scale2 = r1, r2 * sense
    frame = [model.marker_at(carrier, c, x=x if place is None else None, z=s) for c, s in zip((one, two), shafts)]
    body = [model.marker_at(g, c, x=x if place is None else None, z=s) for g, c, s in zip(gears, (one, two), shafts)]
    a1, a2 = f"AZ({body[0]},{frame[0]})", f"AZ({body[1]},{frame[1]})"
    w1, w2 = (f"WZ({b},{f},{f})" for b, f in zip(body, frame))
    turned = f"MOD({float(phase)!r}+{float(drive * pair.teeth[0] / (2.0 * math.pi))!r}*{a1},1)"
    # a period before and one after, so that the curve goes on over the ends of the period as it does within
    periods = np.concatenate([table.phase - 1.0, table.phase, table.phase + 1.0])
    wrapped = lambda v: np.tile(v, 3)
    if constant:
        k, e = repr(mean), "0"
    else:
        k = f"AKISPL({turned},0,{model.spline(periods, wrapped(table.stiffness), name=f'{name} stiffness').id})"
        e = (
            f"AKISPL({turned},0,{model.spline(periods, wrapped(table.unloaded), name=f'{name} error').id})"
            if np.ptp(table.unloaded) > 0.0
            else "0"
        )
    reduced = 1.0 / (r1**2 / inertia[0] + r2**2 / inertia[1])
    # kg mm / s^2 are mN: stiffness in N/mm is 1000 kg / s^2
    c = 2.0 * damping * math.sqrt(1e-3 * mean * reduced)
    stretch = model.variable(f"{drive}*({float(scale1)!r}*{a1}{scale2:+.17g}*{a2})-{e}", f"{name} stretch")
    rate = f"{drive}*({float(scale1)!r}*{w1}{scale2:+.17g}*{w2})"
    d = f"VARVAL({stretch.id})"
    soft = 0.2 * load / mean
    play = pair.backlash * math.cos(pair.transverse_angle)
    ahead = model.variable(
        f"IF({d}: 0, 0, {k}*{d}+{float(c)!r}*({rate})*STEP({d},0,0,{float(soft)!r},1))", f"{name} drive flank"
    )
    back = f"(-{d}-{float(play)!r})"
    behind = model.variable(
        f"IF({back}: 0, 0, {k}*{back}-{float(c)!r}*({rate})*STEP({back},0,0,{float(soft)!r},1))", f"{name} back flank"
    )
    both = f"(VARVAL({ahead.id})+VARVAL({behind.id}))"
    net = f"(VARVAL({ahead.id})-VARVAL({behind.id}))"
    force = model.variable(net, f"{name} force")
    T = -drive * math.cos(alpha) * tangent  # on the pinion, of the drive flank
    N = math.sin(alpha) * press1
    S = drive * side
    if friction > 0.0:
        arm = [
            f"AKISPL({turned},0,{model.spline(periods, wrapped(a), name=f'{name} arm {g + 1}').id})"
            for g, a in enumerate(table.sliding)
        ]
        slow = 1e-2
        rub = [
            f"{sign}{float(friction)!r}*{both}*{a}*TANH({w}/{float(slow)!r})" for sign, a, w in zip("-+", arm, (w1, w2))
        ]
    origin = model.marker_at(carrier, one, z=shafts[0])
    floor = np.asarray(model._place(origin).axes)
    for g, (sign, centre) in enumerate(((1.0, one), (-1.0, two))):
        f = [sign * (T + S), sign * N]
        m = [np.cross(at - centre, v) for v in f]
        words = []
        for vectors in (f, m):
            for axis_ in range(3):
                u = [float(v @ floor[:, axis_]) for v in vectors]
                words.append("+".join(f"{float(v)!r}*{w}" for v, w in zip(u, (net, both)) if abs(v) > 1e-12) or "0")
        if friction > 0.0:
            zz = shafts[g] @ floor
            for axis_ in range(3):
                if abs(zz[axis_]) > 1e-12:
                    words[3 + axis_] += f"+{float(zz[axis_])!r}*({rub[g]})"
        words = [w.replace("+-", "-") for w in words]
        model.gforce(body[g], carrier, *words, rm=origin, name=f"{name} on gear {g + 1}")
    return Mesh(pair, force, stretch, mean)


def _disc(
    model: Model,
    name: str,
    mass: tuple[float, float, float],
    at: Sequence[float],
    axis: Sequence[float],
    radius: float,
    width: float,
    color: str,
) -> Any:
    z = np.asarray(axis, float)
    m, across, about = mass
    x = np.eye(3)[int(np.abs(z).argmin())]
    x = x - (x @ z) * z
    x /= np.linalg.norm(x)
    part = model.part(name, m, (across, across, about), at, axes=np.column_stack([x, np.cross(z, x), z]))
    at = np.asarray(at, float)
    model.cylinder(part, at - 0.5 * width * z, at + 0.5 * width * z, radius, color=color)
    drawing.pin(model, part, at + 0.6 * radius * x, z, 0.1 * radius, 1.05 * width, color="BLACK")
    return part


def gear_pair(
    pair: GearPair,
    level: str = "mesh",
    *,
    speed: float = 100.0,
    torque: float = 1e5,
    rise: float = 0.05,
    inertia: Sequence[float] | None = None,
    damping: float = 0.05,
    friction: float = 0.0,
    constant: bool = False,
    name: str = "gear pair",
) -> Model:
    """A pair on shafts along z, in mm: the pinion turns with ``speed`` (rad/s) after ``rise`` (s), a braking ``torque``
    (N mm) acts on the wheel.

    ``level``: "ratio" (one constraint), "mesh" (stiffness, see `add_mesh`), "contact" (tooth flanks without profile
    shift: `helical_gears`; for straight teeth also internal pairs).
    ``inertia``: kg mm^2 of
    both, by default of steel discs.  Names: parts "pinion", "wheel", joints "pinion shaft", "wheel shaft", motion
    "drive", requests "turned" (angles, speeds), "mesh" (F, d),
    "power" (input, output). Raises `ModelError` for an unknown level.

        model = gear_pair(GearPair((20, 30), 4.0, backlash=0.1), "mesh", torque=2e5)
        run = hn.simulate(model, end=0.2, dt=1e-5, integrator="RADAU5", error=1e-6)
    """
    _level(level)
    for what, value in (("speed", speed), ("torque", torque), ("rise", rise)):
        if not (math.isfinite(value) and value > 0.0):
            raise ModelError(f"{what} of a gear pair is {shown(value)}; give a positive number")
    if level == "contact":
        if any(pair.shift) or pair.internal and pair.helix:
            raise ModelError(
                "teeth in contact are drawn for pairs without profile shift, and for straight teeth in a ring; take "
                "level 'mesh'"
            )
    if level == "contact" and not pair.internal:
        return helical_gears(
            pair.teeth,
            module=pair.module,
            helix=pair.helix,
            pressure_angle=pair.pressure_angle,
            width=pair.width,
            backlash=pair.backlash,
            period=2.0 * math.pi / speed,
            torque=torque,
            rise=(0.0, rise),
            name=name,
        )
    model = Model(name, units="mm")
    model.gravity = (0.0, 0.0, 0.0)
    z = (0.0, 0.0, 1.0)
    far = pair.sign * pair.centre_distance
    parts, joints = [], []
    for g, (word, at, color) in enumerate(
        (("pinion", (0.0, 0.0, 0.0), "STEEL_BLUE"), ("wheel", (far, 0.0, 0.0), "GOLD"))
    ):
        mass = list(disc_inertia(pair, g))
        if inertia is not None:
            mass[2] = float(inertia[g])
            mass[1] = max(mass[1], 0.5 * mass[2])
        part = _disc(model, word, tuple(mass), at, z, pair.pitch_radii[g], pair.width, color)
        parts.append(part)
        joints.append(model.revolute(part, model.ground, f"{word} shaft", at=at, axis=z))
    model.motion(joints[0], ramped(speed, rise), "drive")
    i, j = joints[1].i, joints[1].j
    way = math.copysign(1.0, pair.ratio)
    load = f"{float(-way * torque)!r}*STEP(TIME,0,0,{float(rise)!r},1)"
    model.sforce(i, j, load, "load", kind="ROTATIONAL", actiononly=True)
    if level == "ratio":
        model.coupler(joints, (pair.teeth[0], pair.sign * pair.teeth[1]), name="mesh")
    elif level == "contact":
        _ring_teeth(model, pair, parts, far, friction)
    else:
        about = [disc_inertia(pair, g)[2] if inertia is None else float(inertia[g]) for g in range(2)]
        mesh = add_mesh(
            model,
            pair,
            parts,
            model.ground,
            ((0.0, 0.0, 0.0), (far, 0.0, 0.0)),
            load=torque / pair.base_radii[1],
            inertia=about,
            damping=damping,
            friction=friction,
            constant=constant,
        )
        model.request("mesh", functions=[f"VARVAL({mesh.force.id})", f"VARVAL({mesh.stretch.id})"])
    _request_turns(model, joints)
    return model


def _ring_teeth(model: Model, pair: GearPair, parts: Sequence[Any], far: float, friction: float) -> None:
    """Contact "teeth" of a pinion at the origin in a ring whose axis is at x = ``far``: curves in their plane, the
    flank that a positive turn drives touching."""
    thinner = 0.5 * pair.backlash
    pinion = involute_gear(
        pair.module, pair.teeth[0], pair.pressure_angle, thinner, addendum=pair.rack[0], dedendum=pair.rack[1]
    )
    space = involute_gear(
        pair.module, pair.teeth[1], pair.pressure_angle, -thinner, 0.05, addendum=pair.rack[1], dedendum=pair.rack[0]
    )
    # the other way round, so that the material is outside
    ring = Profile(
        space.points[::-1],
        True,
        -np.roll(space.bulge[::-1], -1),
        handles=np.roll(space.handles[::-1], -1, axis=0)[:, [2, 3, 0, 1]],
    )
    turn = -0.5 * pair.backlash / pair.pitch_radii[1]
    x = (1.0, 0.0, 0.0), (math.cos(turn), math.sin(turn), 0.0)
    curves = [
        model.plane_curve(part, profile, (at, 0.0, 0.0), (0.0, 0.0, 1.0), ahead, width=pair.width)
        for part, profile, at, ahead in zip(parts, (pinion, ring), (0.0, far), x)
    ]
    rub = (
        {"mu": friction, "stiction_transition_velocity": 0.1, "friction_transition_velocity": 10.0} if friction else {}
    )
    model.contact(*curves, name="teeth", stiffness=2.89e5, exponent=1.5, damping=50.0, dmax=0.1, **rub)


def _request_turns(model: Model, joints: Sequence[Any]) -> None:
    """Angles and speeds of both shafts, as the request "turned"."""
    (i, j), (k, l) = ((joint.i, joint.j) for joint in joints)
    model.request(
        "turned",
        functions={"F2": f"AZ({i},{j})", "F3": f"AZ({k},{l})", "F4": f"WZ({i},{j},{j})", "F5": f"WZ({k},{l},{l})"},
    )


def willis(sun: int, ring: int, held: str, driven: str) -> float:
    """Speed of the driven member over that of the third, from Willis' equation (w_s - w_c)/(w_r - w_c) = -ring/sun:
    ``held`` and ``driven`` of "sun", "ring", "carrier".

    Raises `ModelError` for other keywords."""
    names = ("sun", "ring", "carrier")
    if held not in names or driven not in names or held == driven:
        raise ModelError(f"held is {shown(held)} and driven {shown(driven)}; give two of sun, ring, carrier")
    weight = {"sun": float(sun), "ring": float(ring), "carrier": -float(sun + ring)}
    (third,) = set(names) - {held, driven}
    return -weight[third] / weight[driven]


def planetary_set(
    sun: int = 24,
    planet: int = 24,
    ring: int = 72,
    planets: int = 3,
    *,
    module: float = 2.0,
    width: float = 30.0,
    held: str = "ring",
    driven: str = "sun",
    level: str = "ratio",
    speed: float = 100.0,
    torque: float = 1e5,
    rise: float = 0.05,
    damping: float = 0.05,
    friction: float = 0.0,
    constant: bool = False,
    name: str = "planetary set",
    **gear: Any,
) -> Model:
    """A planetary set about z, in mm: of sun, ring and carrier one is ``held``, one is ``driven`` with ``speed``
    (rad/s) after ``rise``, and a braking ``torque`` (N mm) acts on the third.

    ``level``: "ratio" or "mesh" (stiffness of each mesh with its phase; ``gear``: further arguments of `GearPair`).
    Names: parts "sun", "ring", "carrier", "planet 1" ..., joints
    "sun shaft", "ring shaft", "carrier shaft", "planet 1 pin" ..., request "speeds" (sun, ring, carrier, first planet
    against the carrier), "sun meshes" (F of each of up to seven).
    Raises `ModelError` for numbers of teeth that do not satisfy ring = sun + 2 planet and (sun + ring) / planets
    integer, and for overlapping planets.
    """
    _level(level, LEVELS[:2])
    if ring != sun + 2 * planet:
        raise ModelError(
            f"a ring of {ring} teeth does not fit round a sun of {sun} and planets of {planet}; give {sun + 2 * planet}"
        )
    if planets < 1 or (sun + ring) % planets:
        raise ModelError(f"{planets} planets cannot be set at equal angles: ({sun} + {ring}) / {planets} is not whole")
    if planets > 1 and (sun + planet) * math.sin(math.pi / planets) <= planet + 2:
        raise ModelError(f"{planets} planets of {planet} teeth touch each other; give fewer")
    ratio = willis(sun, ring, held, driven)
    outer = GearPair((sun, planet), module, width=width, **gear)
    inner = GearPair((planet, ring), module, width=width, internal=True, **gear)
    model = Model(name, units="mm")
    model.gravity = (0.0, 0.0, 0.0)
    z = (0.0, 0.0, 1.0)
    a = outer.centre_distance
    (third,) = {"sun", "ring", "carrier"} - {held, driven}
    body: dict[str, Any] = {}
    joint: dict[str, Any] = {}
    inertia = {"sun": disc_inertia(outer, 0), "ring": disc_inertia(inner, 1), "planet": disc_inertia(outer, 1)}
    heavy = STEEL * math.pi * a**2 * 0.5 * width
    inertia["carrier"] = (heavy, 0.25 * heavy * a**2 + heavy * width**2 / 48.0, 0.5 * heavy * a**2)
    for word, radius, color in (
        ("sun", outer.pitch_radii[0], "GOLD"),
        ("ring", 1.1 * inner.root_radii[1], "GRAY"),
        ("carrier", a, "STEEL_BLUE"),
    ):
        at = (0.0, 0.0, {"sun": 0.0, "ring": -width, "carrier": width}[word])
        body[word] = _disc(model, word, inertia[word], at, z, radius, 0.3 * width if word != "sun" else width, color)
        if word == held:
            joint[word] = model.fixed(body[word], model.ground, f"{word} held", at=at)
        else:
            joint[word] = model.revolute(body[word], model.ground, f"{word} shaft", at=(0.0, 0.0, 0.0), axis=z)
    pins, meshes = [], []
    for p in range(planets):
        turn = 2.0 * math.pi * p / planets
        at = (a * math.cos(turn), a * math.sin(turn), 0.0)
        part = _disc(model, f"planet {p + 1}", inertia["planet"], at, z, outer.pitch_radii[1], width, "RED")
        pin = model.revolute(part, body["carrier"], f"planet {p + 1} pin", at=at, axis=z)
        pins.append(pin)
        if level == "ratio":
            for word, teeth, sign in (("ring", ring, -1), ("sun", sun, 1)):
                if word == "sun" and p:
                    continue  # one sun mesh settles the set; more would be redundant
                members = [(joint[w], s) for w, s in ((word, teeth), ("carrier", -teeth)) if w != held]
                model.coupler(
                    [*(m for m, _ in members), pin],
                    [*(s for _, s in members), sign * planet],
                    name=f"{word} mesh {p + 1}",
                )
        else:
            flow = 1 if ratio_sign(driven, sun, ring) > 0 else -1
            # tangential force on each planet by the load, shared equally: of the torque on the sun
            onto = {"sun": 1.0, "ring": ring / sun, "carrier": (sun + ring) / sun}
            load = torque / onto[third] / planets / outer.base_radii[0]
            meshes.append(
                add_mesh(
                    model,
                    outer,
                    (body["sun"], part),
                    body["carrier"],
                    ((0.0, 0.0, 0.0), at),
                    load=load,
                    inertia=(inertia["sun"][2], inertia["planet"][2]),
                    damping=damping,
                    friction=friction,
                    drive=flow,
                    phase=(-flow * sun * turn / (2.0 * math.pi)) % 1.0,
                    name=f"sun mesh {p + 1}",
                    constant=constant,
                )
            )
            add_mesh(
                model,
                inner,
                (part, body["ring"]),
                body["carrier"],
                (at, (0.0, 0.0, 0.0)),
                load=load,
                inertia=(inertia["planet"][2], inertia["ring"][2]),
                damping=damping,
                friction=friction,
                drive=-flow,
                phase=(flow * ring * turn / (2.0 * math.pi) + 0.5 * (planet % 2)) % 1.0,
                name=f"ring mesh {p + 1}",
                constant=constant,
            )
    model.motion(joint[driven], ramped(speed, rise), "drive")
    i, j = joint[third].i, joint[third].j
    way = math.copysign(1.0, speed / ratio)
    model.sforce(
        i, j, f"{float(-way * torque)!r}*STEP(TIME,0,0,{float(rise)!r},1)", "load", kind="ROTATIONAL", actiononly=True
    )
    base = model.marker(model.ground)
    words = [f"WZ({body[w].cm},{base})" for w in ("sun", "ring", "carrier")]
    model.request("speeds", functions=[*words, f"WZ({pins[0].i},{pins[0].j})"])
    if meshes:
        model.request("sun meshes", functions=[f"VARVAL({m.force.id})" for m in meshes[:7]])
    return model


def ratio_sign(driven: str, sun: int, ring: int) -> float:
    """1 where the sun, seen from the carrier, drives the planets by positive turns while the driven member turns
    positively, else -1."""
    # torques on the members are to each other as teeth of sun, ring and less their sum; that of the driven one is along
    # its speed
    weight = {"sun": sun, "ring": ring, "carrier": -(sun + ring)}
    return math.copysign(1.0, weight[driven] * weight["sun"])


def bevel_pair(
    teeth: tuple[int, int] = (20, 30),
    *,
    module: float = 4.0,
    width: float = 25.0,
    shaft_angle: float = 0.5 * math.pi,
    spiral: float = 0.0,
    hand: int = 1,
    level: str = "ratio",
    speed: float = 100.0,
    torque: float = 1e5,
    rise: float = 0.05,
    damping: float = 0.05,
    friction: float = 0.0,
    constant: bool = False,
    name: str = "bevel pair",
    **gear: Any,
) -> Model:
    """Straight, helical and spiral bevel gears, in mm: axes meet in the origin at ``shaft_angle``, the pinion's along
    z; ``module``: transverse, at the outer ends.

    ``spiral``: angle of the teeth to the cone at the middle of the width (rad), ``hand``: 1 for a right-handed pinion,
    -1 for a left-handed one (the wheel is of the other hand).  "mesh": stiffness of the virtual spur or helical gears
    at the mean diameter (Tredgold: z / cos delta, rounded), the force at the middle of the width, with its radial and
    axial parts; ``friction``: of the virtual gears' sliding across the teeth. Cone angle of the pinion: tan delta1 =
    sin S / (z2/z1 + cos S).  Names as in `gear_pair`.  Raises `ModelError` for angles and widths that are not bevel
    gears.
    """
    _level(level, LEVELS[:2])
    if not 0.2 < shaft_angle < math.pi - 0.2:
        raise ModelError(f"shaft_angle is {shown(shaft_angle)}; give radians between 0.2 and 2.9")
    if not 0.0 <= spiral < 0.8 or hand not in (1, -1):
        raise ModelError(f"spiral is {shown(spiral)} and hand {shown(hand)}; give radians from 0 to 0.8, and 1 or -1")
    cone1 = math.atan2(math.sin(shaft_angle), teeth[1] / teeth[0] + math.cos(shaft_angle))
    cone2 = shaft_angle - cone1
    if not 0.0 < cone1 < 0.5 * math.pi or not 0.0 < cone2 < 0.5 * math.pi:
        raise ModelError("these teeth and this shaft angle make a crown or inner bevel gear; give a smaller angle")
    outer = 0.5 * module * teeth[0] / math.sin(cone1)
    if not 0.0 < width < 0.5 * outer:
        raise ModelError(f"width is {shown(width)}; give less than half of the cone's length, {0.5 * outer:.4g}")
    mean = (outer - 0.5 * width) / outer
    virtual = GearPair(
        (max(5, round(teeth[0] / math.cos(cone1))), max(5, round(teeth[1] / math.cos(cone2)))),
        module * mean * math.cos(spiral),
        width=width,
        helix=spiral,
        **gear,
    )
    model = Model(name, units="mm")
    model.gravity = (0.0, 0.0, 0.0)
    z1, z2 = np.array([0.0, 0.0, 1.0]), np.array([math.sin(shaft_angle), 0.0, math.cos(shaft_angle)])
    length = outer * mean
    at = length * np.array([math.sin(cone1), 0.0, math.cos(cone1)])
    radii = [0.5 * module * mean * z for z in teeth]
    parts, joints, about = [], [], []
    for word, z, cone, r, color in (
        ("pinion", z1, cone1, radii[0], "STEEL_BLUE"),
        ("wheel", z2, cone2, radii[1], "GOLD"),
    ):
        mass = STEEL * math.pi * r**2 * width * math.cos(cone)
        J = 0.5 * mass * r**2
        centre = z * length * math.cos(cone)
        parts.append(
            _disc(model, word, (mass, 0.5 * J + mass * width**2 / 12.0, J), centre, z, r, width * math.cos(cone), color)
        )
        joints.append(model.revolute(parts[-1], model.ground, f"{word} shaft", at=centre, axis=z))
        about.append(J)
    model.motion(joints[0], ramped(speed, rise), "drive")
    i, j = joints[1].i, joints[1].j
    model.sforce(
        i, j, f"{float(torque)!r}*STEP(TIME,0,0,{float(rise)!r},1)", "load", kind="ROTATIONAL", actiononly=True
    )
    if level == "ratio":
        model.coupler(joints, (teeth[0], teeth[1]), name="mesh")
    else:
        real = _Bevel(virtual, teeth, radii, (cone1, cone2))
        mesh = add_mesh(
            model,
            real,
            parts,
            model.ground,
            ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)),
            load=torque / real.base_radii[1],
            inertia=about,
            damping=damping,
            friction=friction,
            hand=hand,
            constant=constant,
            place=at,
            axes=(z1, z2),
        )
        model.request("mesh", functions=[f"VARVAL({mesh.force.id})", f"VARVAL({mesh.stretch.id})"])
    _request_turns(model, joints)
    return model


class _Bevel:
    """The pair that a mesh of bevel gears is: radii and teeth of the cones at the mean diameter, stiffness of the
    virtual gears."""

    sign = 1

    def __init__(
        self, virtual: GearPair, teeth: tuple[int, int], radii: Sequence[float], cones: tuple[float, float]
    ) -> None:
        self.virtual, self.teeth, self.pitch_radii = virtual, teeth, tuple(radii)
        c = math.cos(virtual.working_angle)
        self.base_radii = (radii[0] * c, radii[1] * c)
        self.working_angle, self.transverse_angle, self.base_helix = (
            virtual.working_angle,
            virtual.transverse_angle,
            virtual.base_helix,
        )
        self.backlash, self.cones = virtual.backlash, cones

    def mesh(self, load: float) -> MeshTable:
        """The virtual gears' mesh; friction has shorter arms about the real axes."""
        table = self.virtual.mesh(load)
        return replace(table, sliding=table.sliding * np.cos(self.cones)[:, None])


def two_stage_gearbox(
    first: GearPair | None = None,
    second: GearPair | None = None,
    level: str = "mesh",
    *,
    speed: float = 300.0,
    rise: float = 1.0,
    torque: float = 4e5,
    coupling: float = 2e6,
    motor: float = 2e3,
    load: float = 2e5,
    damping: float = 0.05,
    friction: float = 0.0,
    constant: bool = False,
    name: str = "two-stage gearbox",
) -> Model:
    """A gearbox with a layshaft, in mm, that runs up: the motor's end turns with a speed that rises evenly to ``speed``
    (rad/s) in ``rise``, and drives the input shaft through a
    ``coupling`` (N mm/rad, 2 % damping); the output shaft carries the inertia ``load`` (kg mm^2) and is braked by
    ``torque`` (N mm).

    ``level``: "ratio" or "mesh".  Names: parts "motor", "input", "layshaft", "output", joints "... shaft", requests
    "speeds" (of the four), "meshes" (F1, d1, F2, d2), "housing"
    (forces y of the layshaft's bearing).  Mesh orders of the input shaft: z1 and z3 z1/z2, and their multiples.  Raises
    `ModelError` for levels that are none.
    """
    _level(level, LEVELS[:2])
    first = first or GearPair((23, 57), 2.5, width=25.0, backlash=0.08)
    second = second or GearPair((19, 61), 4.0, width=40.0, shift=(0.2, 0.0), backlash=0.1)
    for pair in (first, second):
        if pair.internal:
            raise ModelError("a two-stage gearbox has external pairs; give internal=False")
    model = Model(name, units="mm")
    model.gravity = (0.0, 0.0, 0.0)
    z = (0.0, 0.0, 1.0)
    lay = first.centre_distance
    out = lay + second.centre_distance
    step = 1.5 * max(first.width, second.width)
    m1, m2, m3, m4 = disc_inertia(first, 0), disc_inertia(first, 1), disc_inertia(second, 0), disc_inertia(second, 1)
    plus = lambda a, b: (a[0] + b[0], a[1] + b[1] + (a[0] + b[0]) * step**2 / 4.0, a[2] + b[2])
    wide = lambda a, more: (a[0], a[1] + 0.5 * more, a[2] + more)
    shafts = {}
    plan = (
        ("motor", wide(m1, motor), (0.0, 0.0, -2.0 * step), first.pitch_radii[0]),
        ("input", m1, (0.0, 0.0, 0.0), first.pitch_radii[0]),
        ("layshaft", plus(m2, m3), (lay, 0.0, 0.5 * step), first.pitch_radii[1]),
        ("output", wide(m4, load), (out, 0.0, step), second.pitch_radii[1]),
    )
    part = {}
    for word, mass, at, radius in plan:
        part[word] = _disc(
            model,
            word,
            mass,
            at,
            z,
            radius,
            0.8 * step if word == "layshaft" else first.width,
            "GOLD" if word == "layshaft" else "STEEL_BLUE",
        )
        shafts[word] = model.revolute(part[word], model.ground, f"{word} shaft", at=at, axis=z)
    model.motion(shafts["motor"], ramped(speed, rise), "drive")
    twist = [model.marker_at(part[w], (0.0, 0.0, -step), z=z) for w in ("input", "motor")]
    model.torsion_spring(
        *twist, stiffness=coupling, damping=2.0 * 0.02 * math.sqrt(1e-3 * coupling * m1[2]), name="coupling"
    )
    i, j = shafts["output"].i, shafts["output"].j
    model.sforce(
        i, j, f"{float(-torque)!r}*STEP(TIME,0,0,{float(0.2 * rise)!r},1)", "load", kind="ROTATIONAL", actiononly=True
    )
    if level == "ratio":
        model.coupler((shafts["input"], shafts["layshaft"]), first.teeth, name="mesh 1")
        model.coupler((shafts["layshaft"], shafts["output"]), second.teeth, name="mesh 2")
    else:
        onto = torque * second.teeth[0] / second.teeth[1]
        middle = part["layshaft"]
        a = add_mesh(
            model,
            first,
            (part["input"], middle),
            model.ground,
            ((0.0, 0.0, 0.0), (lay, 0.0, 0.0)),
            load=onto / first.base_radii[1],
            inertia=(m1[2], m2[2] + m3[2]),
            damping=damping,
            friction=friction,
            constant=constant,
            name="mesh 1",
        )
        b = add_mesh(
            model,
            second,
            (middle, part["output"]),
            model.ground,
            ((lay, 0.0, step), (out, 0.0, step)),
            load=torque / second.base_radii[1],
            inertia=(m2[2] + m3[2], m4[2] + load),
            damping=damping,
            friction=friction,
            constant=constant,
            drive=-1,
            name="mesh 2",
        )
        model.request("meshes", functions=[f"VARVAL({v.id})" for v in (a.force, a.stretch, b.force, b.stretch)])
    model.request("speeds", functions=[f"WZ({s.i},{s.j})" for s in shafts.values()])
    model.request("angle", functions=[f"AZ({shafts['input'].i},{shafts['input'].j})"])
    return model


def order_spectrum(angle: np.ndarray, signal: np.ndarray, turns: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """(orders, amplitudes) of a signal over full turns of a shaft: resampled at equal angles, Hann window, amplitudes
    of sines; ``angle`` (n,) rad, increasing; ``turns``: number of turns at the end of the signal.

    Raises `ModelError` for fewer than two turns and angles that do not increase."""
    angle, signal = np.asarray(angle, float), np.asarray(signal, float)
    if angle.shape != signal.shape or len(angle) < 8 or not np.all(np.diff(angle) > 0.0):
        raise ModelError("angles of an order spectrum must rise, one to each value of the signal")
    have = int((angle[-1] - angle[0]) / (2.0 * math.pi))
    turns = have if turns is None else int(turns)
    if not 2 <= turns <= have:
        raise ModelError(f"turns is {turns}; the signal has {have}, and 2 are needed")
    count = 2 ** int(math.log2(len(angle)) + 1)
    at = angle[-1] - 2.0 * math.pi * turns * (1.0 - np.arange(count) / count)
    even = np.interp(at, angle, signal)
    window = 0.5 - 0.5 * np.cos(2.0 * math.pi * np.arange(count) / count)
    return np.arange(count // 2 + 1) / turns, np.abs(np.fft.rfft(window * (even - even.mean()))) * 4.0 / count
