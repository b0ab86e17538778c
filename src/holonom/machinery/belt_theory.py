"""Belts and chains in closed form: wedged friction, what a belt carries, creep, the polygon of a chain; a timing belt
as a model.

    Euler, Eytelwein   T1/T2 = exp(mu' beta) (`drum.tension_ratio`),   mu' = mu of a flat belt, mu / sin(groove / 2) of
        a V belt in a groove of this angle
    with speed         (T1 - m v^2)/(T2 - m v^2) = exp(mu' beta)
    preload            T1 + T2 = 2 T0 (straight strands, equal stiffness), so T1 - T2 = 2 (T0 - m v^2) (exp(mu' beta) -
        1)/(exp(mu' beta) + 1) at most
    elastic creep      1 - (w2 r2)/(w1 r1) = (T1 - T2)/(EA + T1)   (L. E. Firbank, Int. J. Mech. Sci. 12 (1970)
        1053-1063)
    polygon            chain on z teeth of pitch p: speed w p/(2 sin(pi/z)) cos(phi), phi from -pi/z to pi/z: it varies
        by 1 - cos(pi/z)

Sources: R. G. Budynas, J. K. Nisbett, Shigley's Mechanical Engineering Design, ch. 17; K. L. Johnson, Contact Mechanics
(1985), 8.3.
"""

from __future__ import annotations

import math

import numpy as np

from ..model import Model, drawing
from ..model.base import ModelError, shown
from .drive import ramped
from .drum import tension_ratio


def wedged_friction(mu: float, groove: float | None = None) -> float:
    """Effective friction coefficient of a belt on the flanks of a ``groove`` (included angle, rad); without one, that
    of a flat belt. Raises `ModelError` for invalid angles."""
    if groove is None:
        return float(mu)
    if not 0.0 < groove <= math.pi:
        raise ModelError(f"groove is {shown(groove)}; give its whole angle in radians, above 0 and up to pi")
    return float(mu) / math.sin(0.5 * groove)


def belt_capacity(
    tension: float, mu: float, wrap: float, groove: float | None = None, *, mass: float = 0.0, speed: float = 0.0
) -> float:
    """Largest T1 - T2 of a belt with the pretension ``tension`` and ``mass`` per length at ``speed``. Raises
    `ModelError` where centrifugal force lifts it off."""
    left = tension - mass * speed**2
    if not left > 0.0:
        raise ModelError(
            f"a belt of {mass:g} per length at {speed:g} lifts off its pulleys under a tension of {tension:g}; stretch "
            "it by more than m v^2"
        )
    r = tension_ratio(wedged_friction(mu, groove), wrap)
    return 2.0 * left * (r - 1.0) / (r + 1.0)


def elastic_creep(tight: float, slack: float, stiffness: float) -> float:
    """Relative speed loss of a flat belt of ``stiffness`` EA by elastic creep between its tensions."""
    return (tight - slack) / (stiffness + tight)


def polygon_effect(teeth: int) -> float:
    """1 - cos(pi/z): relative variation of the speed of a chain on z teeth.  Raises `ModelError` for fewer
    than 3."""
    if not (isinstance(teeth, (int, np.integer)) and teeth >= 3):
        raise ModelError(f"teeth is {shown(teeth)}; give a whole number from 3")
    return 1.0 - math.cos(math.pi / teeth)


def timing_belt(
    radii: tuple[float, float] = (0.02, 0.06),
    *,
    stiffness: float = 2e6,
    distance: float = 0.2,
    tension: float = 300.0,
    damping: float = 0.02,
    speed: float = 100.0,
    load: float = 2.0,
    rise: float = 0.2,
    inertia: tuple[float, float] = (1e-5, 5e-4),
    play: float = 0.0,
    name: str = "timing belt",
) -> Model:
    """Toothed belt between a driven pulley at the origin and a loaded one at ``distance`` along x, SI: its strands are
    tension-only springs, its teeth do not slip.

    ``radii``: where the belt's cord runs; ``stiffness``: EA (N), so that each strand of the length l has EA/l;
    ``tension`` at the design position; ``damping``: twice the damping ratio of the loaded pulley on both strands, the
    driver fixed; ``play`` of teeth along the belt; the driver turns with ``speed`` after ``rise``, when the braking
    torque ``load`` (N m) has reached its full value; ``inertia``: of the pulleys. Raises `ModelError` for numbers that
    are not positive.

    Names: parts "driver", "follower", joints "driver shaft", "follower shaft", request "strands" (tight, slack, N).
    With the driver fixed, the natural frequency is sqrt(2 (EA/l) r2^2/J2); under load the follower lags by T/(2 (EA/l)
    r2^2) as long as both strands are in tension: load < 2 ``tension`` r2.
    """
    for what, value in (
        ("radii", min(radii)),
        ("stiffness", stiffness),
        ("distance", distance),
        ("tension", tension),
        ("rise", rise),
        ("inertia", min(inertia)),
    ):
        if not value > 0.0:
            raise ModelError(f"{what} of a timing belt is {shown(value)}; give a positive number")
    a, b = radii
    if a + b >= distance:
        raise ModelError(
            f"pulleys of radii {a:g} and {b:g} touch each other at a distance of {distance:g}; set them farther apart"
        )
    if play < 0.0:
        raise ModelError(f"play of a timing belt is {shown(play)}; give none, or a positive length")
    k = stiffness / math.sqrt(distance**2 - (a - b) ** 2)
    c = damping * math.sqrt(2.0 * k * inertia[1]) / b
    model = Model(name)
    model.gravity = (0.0, 0.0, 0.0)
    joints = []
    for word, x, r, J in (("driver", 0.0, a, inertia[0]), ("follower", distance, b, inertia[1])):
        wheel = model.part(word, 2.0 * J / r**2, (0.6 * J, 0.6 * J, J), (x, 0.0, 0.0))
        model.cylinder(wheel, (x, 0.0, -0.3 * a), (x, 0.0, 0.3 * a), r, color="STEEL_BLUE")
        drawing.pin(model, wheel, (x + 0.7 * r, 0.0, 0.0), (0.0, 0.0, 1.0), 0.2 * r, 0.7 * a, color="BLACK")
        joints.append(model.revolute(wheel, model.ground, f"{word} shaft", at=(x, 0.0, 0.0), axis=(0.0, 0.0, 1.0)))
    turn = [f"AZ({j.i},{j.j})" for j in joints]
    rate = [f"WZ({j.i},{j.j},{j.j})" for j in joints]
    ahead = model.variable(f"{float(a)!r}*{turn[0]}-{float(b)!r}*{turn[1]}", "ahead")  # of the driver's rim
    lead = f"VARVAL({ahead.id})"
    if play:  # teeth move in their gaps before they take the belt along
        half = 0.5 * float(play)
        lead = f"(MAX({lead}-{half!r},0)+MIN({lead}+{half!r},0))"
    quick = f"{float(c)!r}*({float(a)!r}*{rate[0]}-{float(b)!r}*{rate[1]})"
    strands = [
        model.variable(f"MAX(0,{float(tension)!r}{s}{float(k)!r}*{lead}{s}0.5*{quick})", w)
        for s, w in (("+", "tight"), ("-", "slack"))
    ]
    pull = "(" + "-".join(f"VARVAL({v.id})" for v in strands) + ")"
    for joint, r, sign, word in zip(joints, radii, ("-", ""), ("driver", "follower")):
        model.sforce(
            joint.i, joint.j, f"{sign}{float(r)!r}*{pull}", f"belt on {word}", kind="ROTATIONAL", actiononly=True
        )
    model.motion(joints[0], ramped(speed, rise), name="drive")
    model.sforce(
        joints[1].i,
        joints[1].j,
        f"-{float(load)!r}*STEP(TIME,0,0,{float(rise)!r},1)",
        "load",
        kind="ROTATIONAL",
        actiononly=True,
    )
    model.request("strands", functions=[f"VARVAL({v.id})" for v in strands])
    return model
