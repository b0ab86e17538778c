"""Roller or silent chain on two sprockets, each roller or toe against every seat and flank of every tooth.

A tooth gap has three arcs (ISO 606): the seat, of a radius slightly above the roller's, and on both sides the flanks
that lead the roller in, all tangent to each other.  Every arc is a curve of its own, so that contacts are many: rollers
times gaps times 3.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..model import Model, drawing
from ..model.base import ModelError, did_you_mean, shown
from . import silent_chain

CHAIN_TYPES = ("roller", "silent")
SPROCKETS = ("driver", "driven", "idle 1", "idle 2")
PLATE = 0.5 * 12e-3  # m, half of the height of a plate


class _Form(NamedTuple):
    """``pitch``, ``roller`` (diameter), ``width`` of the teeth; ``silent``: toes in place of rollers."""

    pitch: float
    roller: float
    width: float
    silent: bool


def flat(p: Sequence[float] | np.ndarray, h: float = 0.0) -> tuple[float, float, float]:
    """A point of the plane at the height ``h``."""
    return float(p[0]), float(p[1]), h


def sprocket_arcs(
    teeth: int, pitch: float, roller: float, flank: float | None = None
) -> list[tuple[np.ndarray, float]]:
    """Seat and two flanks of each gap of a sprocket, the first gap on the x axis: (two points (2, 2), bulge), material
    on the left.

    ``roller``: its diameter.  The seat has radius 0.505 roller + 0.07 mm (``pitch`` and ``roller`` in metres) and opens
    by 120 deg - 90 deg / teeth, the flanks have radius ``flank`` (0.12 roller (teeth + 2) unless given) and end where
    the tooth is 0.1 roller thick or at the tip diameter d + 1.25 pitch - roller (ISO 606, the form with most room).
    """
    from scipy.optimize import brentq

    radius = 0.5 * pitch / math.sin(math.pi / teeth)
    seat = 0.505 * roller + 7e-5
    flank = 0.12 * roller * (teeth + 2) if flank is None else flank
    half = 0.5 * math.radians(120.0 - 90.0 / teeth)
    arm = lambda angle: np.array([math.cos(angle), math.sin(angle)])
    # how far a flank turns from the seat to the tip, in the axes of the first gap
    foot = radius * arm(0.0) + (seat + flank) * arm(math.pi + half)
    line = arm(-math.pi / teeth + 0.5 * math.pi)  # across the middle line of the tooth
    beside = lambda turn: float((foot + flank * arm(half - turn)) @ line) - 0.05 * roller
    above = lambda turn: float(np.linalg.norm(foot + flank * arm(half - turn))) - radius - 0.5 * (1.25 * pitch - roller)
    most = half + 0.5 * math.pi - math.pi / teeth
    sector = min(brentq(f, 0.0, most) for f in (beside, above) if f(0.0) * f(most) < 0.0)
    out = []
    for k in range(teeth):
        g = 2 * math.pi * k / teeth
        centre = radius * arm(g)
        ends = [centre + seat * arm(g + math.pi + s * half) for s in (1, -1)]
        for s, end in zip((1, -1), ends):  # s = 1: the flank on the side of falling angles
            towards = g + math.pi + s * half  # from the seat's centre to where seat and flank meet
            middle = centre + (seat + flank) * arm(towards)
            start = towards + math.pi
            far = middle + flank * arm(start - s * sector)
            points = (far, end) if s > 0 else (end, far)
            out.append((np.array(points), math.tan(0.25 * sector)))
        out.append((np.array(ends), -math.tan(0.5 * half)))
    return out


def sprocket_outline(teeth: int, pitch: float, roller: float) -> tuple[np.ndarray, np.ndarray]:
    """The arcs of `sprocket_arcs` as one closed profile: points (4 teeth, 2) and bulges."""
    arcs = sprocket_arcs(teeth, pitch, roller)
    points, bulges = [], []
    for k in range(teeth):
        (first, last, seat) = arcs[3 * k : 3 * k + 3]
        points += [first[0][0], seat[0][0], seat[0][1], last[0][1]]
        bulges += [first[1], seat[1], last[1], 0.0]
    return np.array(points), np.array(bulges)


def _path(links: int, teeth: tuple[int, int], pitch: float, slack: float):
    """Places of the pins (links, 2), turning clockwise from below the first sprocket, the distance of the centres, pins
    on both sprockets and free links of a strand.  Of the ways to lay the chain on whole teeth, the one that keeps the
    rollers farthest from the bottoms of the seats."""
    a = [2 * math.pi / n for n in teeth]
    r = [0.5 * pitch / math.sin(0.5 * x) for x in a]
    about = (links - 0.5 * (teeth[0] + teeth[1])) * 0.5 * pitch
    if about < r[0] + r[1]:
        raise ModelError(f"a chain of {links} links is too short for sprockets of {teeth[0]} and {teeth[1]} teeth")
    if links % 2:
        raise ModelError(f"the number of links must be even, it is {links}: both strands have as many")
    lean = math.asin((r[1] - r[0]) / about)
    on = [round((0.5 * math.pi - lean) / a[0]), round((0.5 * math.pi + lean) / a[1])]
    best: tuple = (-math.inf,)
    for i, j in ((0, 0), (1, 0), (0, 1), (1, 1), (-1, 0), (0, -1), (-1, -1), (1, -1), (-1, 1)):
        m = on[0] + i, on[1] + j
        pins, distance = _lay(links, m, a, r, pitch, slack)
        clear = min(
            float(np.linalg.norm(pins - c, axis=1).min() - x) for c, x in (((0, 0), r[0]), ((distance, 0), r[1]))
        )
        if clear > best[0] + 1e-9 * pitch:
            best = clear, pins, distance, (2 * m[0] + 1, 2 * m[1] + 1), links // 2 - m[0] - m[1]
    return best[1:]


def _lay(links: int, m, a, r, pitch: float, slack: float):
    """Pins and distance with 2 m + 1 pins on the sprockets of angles a between teeth and pitch radii r; the strands
    hang on arcs."""
    from scipy.optimize import brentq

    free = links // 2 - m[0] - m[1]
    chord = free * pitch * (1.0 - slack)
    first = np.array(
        [[r[0] * math.cos(math.pi - i * a[0]), r[0] * math.sin(math.pi - i * a[0])] for i in range(-m[0], m[0] + 1)]
    )
    last = np.array([[r[1] * math.cos(i * a[1]), r[1] * math.sin(i * a[1])] for i in range(m[1], -m[1] - 1, -1)])
    distance = math.sqrt(chord**2 - (last[0, 1] - first[-1, 1]) ** 2) + first[-1, 0] - last[0, 0]
    last[:, 0] += distance
    bend = brentq(lambda q: pitch * math.sin(0.5 * free * q) / math.sin(0.5 * q) - chord, 1e-9, 2.0 / free, xtol=1e-15)

    def strand(p, q):
        d = (q - p) / np.linalg.norm(q - p)
        turn = math.copysign(bend, d[0]) * (np.arange(free - 1) - 0.5 * (free - 1))
        c, s = np.cos(turn), np.sin(turn)
        return p + pitch * np.cumsum(np.column_stack([c * d[0] - s * d[1], s * d[0] + c * d[1]]), axis=0)

    return np.vstack([first, strand(first[-1], last[0]), last, strand(last[-1], first[0])]), distance


def chain_drive(
    links: int = 60,
    teeth: tuple[int, int] = (18, 36),
    *,
    pitch: float = 12.7e-3,
    roller: float = 8.5e-3,
    mass: float = 9e-3,
    torque: float = 10.0,
    load: tuple[float, float] = (5.0, 0.6),
    speed: float = 0.0,
    slack: float = 8e-4,
    inertia: tuple[float, float] = (5e-4, 4e-3),
    joint_damping: float = 1e-4,
    idle: bool = False,
    kind: str = "roller",
    gravity: float = 9.81,
    name: str = "chain drive",
    **contact,
) -> Model:
    """Chain drive in the xy plane, SI units: sprockets "driver" and "driven", links "link 1" to "link n", contacts
    "driver teeth" and "driven teeth" of all rollers with all arcs of a sprocket, constraints "pin 1" to "pin n" (pin k
    after link k, whose roller is at its other end), request "speeds".

    ``torque`` drives the first sprocket (about z, raised over 20 ms; the upper strand is the tight one), a braking
    torque load[0] tanh(w s) + load[1] w acts on the second one.
    ``speed``: initial speed of the driver (rad/s, driving direction), default: at rest. ``mass`` of a link; ``slack``:
    relative excess length of a free strand over its chord; ``inertia`` of the sprockets about z; ``joint_damping`` (N m
    s) of each pin. ``idle`` adds two sprockets out of reach: twice as many contacts are defined, the same number is
    active. ``kind``: "roller", or "silent" for links with toes between straight teeth (`silent_chain`), whose noses are
    in contact with all walls. ``contact``: fields of the contacts in place of stiffness 1e9 N/m^1.5, damping 200 N s/m
    over 20 um, friction 0.1 over 0.05 m/s.
    """
    if kind not in CHAIN_TYPES:
        raise ModelError(
            f"kind of a chain is {shown(kind)}{did_you_mean(str(kind), CHAIN_TYPES)}; give one of "
            f"{', '.join(CHAIN_TYPES)}"
        )
    silent = kind == "silent"
    pins, distance, held, free = _path(links, teeth, pitch, slack)
    model = Model(name, units="SI")
    model.gravity = (0.0, -gravity, 0.0)
    ground, z = model.ground, (0.0, 0.0, 1.0)
    width = 0.6 * pitch
    radius = [0.5 * pitch / math.sin(math.pi / n) for n in teeth]
    w = [speed, speed * teeth[0] / teeth[1]]
    centres = [np.zeros(2), np.array([distance, 0.0])]
    if idle:
        up = 3.0 * (radius[0] + radius[1])
        centres += [np.array([0.0, up]), np.array([distance, up])]
    form = _Form(pitch, roller, width, silent)
    curves, sprockets = [], []
    for k, centre in enumerate(centres):
        side, part = k % 2, ground  # idle ones are at rest, so that the equations of motion are the same
        if k < 2:
            part = model.part(
                SPROCKETS[k],
                1.0,
                (inertia[side], inertia[side], inertia[side]),
                flat(centre),
                angular_velocity=(0, 0, w[side]) if speed else None,
            )
            model.revolute(part, ground, f"{SPROCKETS[k]} shaft", at=flat(centre), axis=z)
            sprockets.append(part)
        curves.append(_teeth(model, part, form, teeth[side], centre, side))
        drawing.rod(model, ground, flat(centre, -1.6 * width), flat(centre, -width), 0.25 * radius[side], color="BLACK")
        drawing.rod(model, part, flat(centre, -width), flat(centre, width), 0.15 * radius[side])

    # links from pin to pin; the roller sits on the first one
    after = np.roll(pins, -1, axis=0)
    velocity = _speeds(pins, centres, w, (held[0], free - 1, held[1]))
    about = 1.3 / 12.0 * mass * (pitch**2 + (2 * PLATE) ** 2)
    rollers, parts = [], []
    for k in range(links):
        p, q = pins[k], after[k]
        d = (q - p) / np.linalg.norm(q - p)
        u, v = velocity[k], velocity[(k + 1) % links]
        spin = float(d[0] * (v - u)[1] - d[1] * (v - u)[0]) / pitch
        moving = dict(velocity=flat(0.5 * (u + v)), angular_velocity=(0, 0, spin)) if speed else {}
        part = model.part(
            f"link {k + 1}",
            mass,
            (about,) * 3,
            flat(0.5 * (p + q)),
            axes=np.array([[d[0], -d[1], 0], [d[1], d[0], 0], [0, 0, 1.0]]),
            **moving,
        )
        rollers += _toes(model, part, p, q, pitch, width) if silent else [_roller(model, part, p, width, roller)]
        _plates(model, part, form, p, q, d, k % 2 == 1)
        parts.append(part)
    pin_in_a_loop(model, parts, after, joint_damping or None)
    model.planar(parts[0], ground, "plane of the chain", at=flat(pins[0]), axis=z)

    given: dict = dict(
        stiffness=1e9,
        exponent=1.5,
        damping=200.0,
        dmax=2e-5,
        mu=0.1,
        stiction_transition_velocity=0.05,
        friction_transition_velocity=0.05,
    )
    if "mu" in contact and contact["mu"] is None:
        given = {key: value for key, value in given.items() if "transition" not in key}
    given |= contact
    for word, arcs in zip(SPROCKETS, curves):
        model.contact(rollers, arcs, name=f"{word} teeth", **given)

    shaft = [model.marker_at(s, flat(c), z=z) for s, c in zip(sprockets, centres)]
    base = [model.marker_at(ground, flat(c), z=z) for c in centres[:2]]
    rise = 0.0 if not speed else 1.0
    model.sforce(shaft[0], base[0], f"{torque!r}*STEP(TIME,0,{rise!r},0.02,1)", "drive", kind="ROTATIONAL")
    turning = f"WZ({shaft[1].id},{base[1].id})"
    model.sforce(shaft[1], base[1], f"{-load[0]!r}*TANH({turning})-{load[1]!r}*{turning}", "load", kind="ROTATIONAL")
    model.request("speeds", functions={"F2": f"WZ({shaft[0].id},{base[0].id})", "F3": turning})
    return model


def pin_in_a_loop(model: Model, parts: Sequence, pins: np.ndarray, damping: float | None) -> None:
    """Constraints "pin 1" to "pin n" (pin k between parts k and k + 1, at ``pins[k - 1]``, about z) of a closed loop;
    with a ``damping`` (N m s) forces "pin friction k"."""
    for k, part in enumerate(parts):
        following = parts[(k + 1) % len(parts)]
        i, j = (model.marker_at(b, flat(pins[k]), z=(0.0, 0.0, 1.0)) for b in (part, following))
        if k + 1 < len(parts):
            model.revolute(i, j, f"pin {k + 1}")
        else:  # the last pin closes the loop: its other directions are held already
            model.primitive("INLINE", i, j, f"pin {k + 1}")
        if damping is not None:
            model.torsion_spring(i, j, damping=damping, name=f"pin friction {k + 1}")


def _teeth(model: Model, part, form: _Form, teeth: int, centre: np.ndarray, side: int) -> list:
    """Curves of all gaps of a sprocket; its outline is a picture only."""
    pitch, roller, width, silent = form
    turned = math.pi if side == 0 else 0.0  # a gap where the chain's first pin sits
    z, x = (0.0, 0.0, 1.0), np.array([math.cos(turned), math.sin(turned), 0.0])
    gaps = silent_chain.walls(teeth, pitch) if silent else sprocket_arcs(teeth, pitch, roller)
    curves = [
        model.plane_curve(part, points, flat(centre), z, x, closed=False, bulge=(bulge,), width=width)
        for points, bulge in gaps
    ]
    outline, bulges = silent_chain.outline(teeth, pitch) if silent else sprocket_outline(teeth, pitch, roller)
    model.extrusion(part, outline, 0.5 * width, flat(centre, -0.25 * width), z, x, bulge=bulges, color="GRAY")
    return curves


def _plates(model: Model, part, form: _Form, p, q, d, odd: bool) -> None:
    """Pictures of the plates of a link from pin p to pin q; those of every second link are further in."""
    width, color = form.width, "STEEL_BLUE" if odd else "GRAY"
    if form.silent:
        middle = flat(0.5 * (p + q), 0.1 * width if odd else -0.4 * width)
        model.extrusion(
            part, silent_chain.plate(form.pitch), 0.3 * width, middle, (0.0, 0.0, 1.0), flat(d), color=color
        )
        return
    offset = (0.62 if odd else 0.78) * width
    for h in (-offset, offset):
        ends = flat(p - 0.3 * PLATE * d, h), flat(q + 0.3 * PLATE * d, h)
        drawing.beam(model, part, *ends, 0.12 * width, PLATE * 1.4, (0, 0, 1), color=color)


def _roller(model: Model, part, p, width: float, roller: float):
    """The roller of a link on its first pin."""
    return model.cylinder(
        part,
        (float(p[0]), float(p[1]), -0.5 * width),
        (float(p[0]), float(p[1]), 0.5 * width),
        0.5 * roller,
        color="WHITE",
    )


def _toes(model: Model, part, p, q, pitch: float, width: float) -> list:
    """The noses of both toes of a link from pin p to pin q, which lie on the right of the way, where the sprockets
    are."""
    d = (q - p) / np.linalg.norm(q - p)
    out = np.array([-d[1], d[0]])
    centres = [pin + toe[0] * d + toe[1] * out for pin, toe in zip((p, q), silent_chain.toes(pitch))]
    return [
        model.cylinder(
            part,
            (*map(float, c), -0.5 * width),
            (*map(float, c), 0.5 * width),
            silent_chain.NOSE * pitch,
            color="WHITE",
        )
        for c in centres
    ]


def _speeds(pins, centres, w, counts) -> np.ndarray:
    """Velocities of the pins: with the sprockets on them, along the strands between."""
    out = np.zeros_like(pins)
    first, strand, last = counts
    arcs = np.split(np.arange(len(pins)), np.cumsum([first, strand, last]))
    for side, on in ((0, arcs[0]), (1, arcs[2])):
        d = pins[on] - centres[side]
        out[on] = w[side] * np.column_stack([-d[:, 1], d[:, 0]])
    along = np.roll(pins, -1, axis=0) - np.roll(pins, 1, axis=0)
    along /= np.linalg.norm(along, axis=1)[:, None]
    pace = -w[0] * np.linalg.norm(pins[0] - centres[0])
    for on in (arcs[1], arcs[3]):
        out[on] = pace * along[on]
    return out
