"""Flat belt over two pulleys: a closed rod of exact beams, or a closed cable, that touches both with friction."""

from __future__ import annotations

import math
from typing import Any

from ..flexible import Section, cable, rod
from ..model import Model
from ..model.base import ModelError, shown
from .belt_theory import wedged_friction
from .drive import ramped
from .drum import MODELS

SINKING = 0.02  # of the elastic creep: what a belt adds by sinking into its pulleys


def belt_drive(
    radii: tuple[float, float] = (0.05, 0.05),
    distance: float = 0.3,
    *,
    section: tuple[float, float] = (0.02, 0.002),
    young: float = 2e8,
    density: float = 1200.0,
    damping: float = 2e-4,
    tension: float = 100.0,
    friction: float = 0.5,
    groove: float | None = None,
    speed: float = 20.0,
    load: float = 4.0,
    rise: float = 0.15,
    inertia: tuple[float, float] = (2e-4, 2e-4),
    elements: int | None = None,
    model: str = "rod",
    name: str = "belt drive",
    **contact,
) -> Model:
    """Open belt over a driven pulley at the origin and a loaded one at ``distance`` along x; SI units, axes along z,
    without gravity.

    ``radii`` of driver and follower; ``section``: width and thickness; ``young``, ``density``, ``damping`` of the belt
    (N/m^2, kg/m^3, s), which is straight when unloaded; ``tension`` at the design position, N; ``friction``:
    coefficient; ``groove``: angle of a V belt's groove, rad, on whose flanks it wedges (friction acts as ``friction`` /
    sin(groove/2)); the driver turns with ``speed`` (rad/s) after ``rise`` (s), in which the braking torque ``load`` (N
    m) of the follower comes on too; ``inertia`` of the pulleys about their axes; ``elements`` of the belt, by default
    ten on the half of the smaller pulley; ``model`` of the belt: "rod" (exact beams) or "cable" (absolute nodal
    coordinates in the plane
    of the drive: no twist, no lateral bending, two contact points per element by default (``points``), since contact at
    the nodes alone forms a polygon on the pulley and overestimates creep); ``contact``: arguments of
    `PartsAlong.touch`. Raises `ModelError` for overlapping pulleys, numbers that are not positive, and an unknown
    model.

    Names: parts "driver", "follower", belt "belt" (of a rod: its parts and beams "belt.1" to "belt.n"), contacts
    "driver", "follower". The default stiffness of an IMPACT contact is such that its penetration adds 2 % to the creep.
    Theory (elastic creep): 1 - speed ratio x radii = (T1 - T2) / (EA + T1) with (T1 - T2) R = load.
    """
    a, b = (float(r) for r in radii)
    width, thick = (float(v) for v in section)
    for what, value in (
        ("radii", min(a, b)),
        ("distance", distance),
        ("section", min(width, thick)),
        ("tension", tension),
        ("rise", rise),
    ):
        if not value > 0.0:
            raise ModelError(f"{what} of a belt drive must be positive, not {value}")
    if distance <= a + b + 2 * thick:
        raise ModelError(
            f"pulleys of radii {a:g} and {b:g} overlap at a distance of {distance:g}; set them farther apart"
        )
    if model not in MODELS:
        raise ModelError(f"the model of a belt is {shown(model)}; give {' or '.join(MODELS)}")
    m = Model(name)
    m.gravity = (0.0, 0.0, 0.0)
    half = 0.5 * thick
    A, B = a + half, b + half
    lean = math.asin((A - B) / distance)  # of the strands
    pieces = 2.0 * ((math.pi + 2.0 * lean) * A * 0.5 + (math.pi - 2.0 * lean) * B * 0.5 + distance * math.cos(lean))
    n = elements or round(pieces / (math.pi * min(A, B) / 10.0))
    if n < 12:
        raise ModelError(f"a belt of {n} elements is too rough to lie on its pulleys; give 12 or more")
    points = _outline(A, B, distance, lean, n)
    solid = Section.rectangle(width, thick)
    belt: Any
    if model == "rod":
        belt = rod(
            m,
            points,
            solid,
            E=young,
            density=density,
            damping=damping,
            closed=True,
            straight=True,
            tension=tension,
            name="belt",
            y=(0.0, 0.0, 1.0),
        )
    else:
        belt = cable(
            m,
            points,
            EA=young * solid.A,
            EI=young * min(solid.Iy, solid.Iz),
            mass=density * solid.A,
            damping=damping,
            closed=True,
            tension=tension,
            elements=n,
            plane="xy",
            radius=half,
            name="belt",
        )
        contact = {"points": 2, **contact}
    if str(contact.get("law", "")).upper() in ("", "IMPACT"):
        # pulled harder it sinks deeper, and a smaller radius is creep too: 2 EA spacing / (k R^2) of the elastic one
        spacing = pieces / (n if model == "rod" else len(belt.along(contact["points"]).parts))
        contact = {"stiffness": 2.0 / SINKING * young * solid.A * spacing / min(a, b) ** 2, **contact}
    contact = {"shape": "sphere", **contact}  # nodes are near compared with the pulleys, on whose mantles they lie
    ground, z = m.ground, (0.0, 0.0, 1.0)
    joints = []
    for word, x, r, J in (("driver", 0.0, a, inertia[0]), ("follower", distance, b, inertia[1])):
        wheel = m.part(word, 2.0 * J / r**2, (0.6 * J, 0.6 * J, J), (x, 0.0, 0.0))
        joints.append(m.revolute(wheel, ground, f"{word} shaft", at=(x, 0.0, 0.0), axis=z))
        face = m.cylinder(wheel, (x, 0.0, -0.6 * width), (x, 0.0, 0.6 * width), r)
        belt.touch(face, mu=wedged_friction(friction, groove), radius=half, name=word, **contact)
    m.motion(joints[0], ramped(speed, rise), name="drive")
    shaft = joints[1]
    m.sforce(shaft.i, shaft.j, f"-{load!r}*STEP(TIME,0,0,{rise!r},1)", "brake", kind="ROTATIONAL", actiononly=True)
    return m


def _outline(A: float, B: float, distance: float, lean: float, n: int) -> list[tuple[float, float, float]]:
    """n positions at even steps along the axis of an open belt, anticlockwise from where it leaves the first pulley
    below."""
    right, left, straight = (math.pi - 2.0 * lean) * B, (math.pi + 2.0 * lean) * A, distance * math.cos(lean)
    total = right + left + 2.0 * straight
    out = []
    for k in range(n):
        s = total * k / n
        low = -0.5 * math.pi + lean  # where strands touch, seen from the centres, below; above at -low
        if s < straight:
            x, y = A * math.cos(low), A * math.sin(low)
            out.append((x + s * math.cos(lean), y + s * math.sin(lean), 0.0))
        elif s < straight + right:
            t = low + (s - straight) / B
            out.append((distance + B * math.cos(t), B * math.sin(t), 0.0))
        elif s < 2.0 * straight + right:
            u = s - straight - right
            x, y = distance + B * math.cos(-low), B * math.sin(-low)
            out.append((x - u * math.cos(lean), y + u * math.sin(lean), 0.0))
        else:
            t = -low + (s - 2.0 * straight - right) / A
            out.append((A * math.cos(t), A * math.sin(t), 0.0))
    return out
